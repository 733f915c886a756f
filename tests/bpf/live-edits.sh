#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Live rulesets that are edited where they are: see live-edits.py.
test=live-edits needs="ping python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE
python3 "${top_srcdir:-.}/tests/bpf/live-edits.py" --tools "${top_builddir:-.}" --netns "$ns" --folder "$tmp" "$@"
code=$?
rm -f "$tmp/image"*
exit $code
