#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Live rulesets that are edited where they are: see edits.py.
test=edits needs="ping python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE
python3 "${top_srcdir:-.}/tests/bpf/edits.py" --tools "${top_builddir:-.}" --netns "$ns" --folder "$tmp" "$@"
code=$?
rm -f "$tmp/image"*
exit $code
