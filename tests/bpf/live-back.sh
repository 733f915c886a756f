#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Older generations of what is live: see live-back.py.
test=live-back needs="ping python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE
python3 "${top_srcdir:-.}/tests/bpf/live-back.py" --tools "${top_builddir:-.}" --netns "$ns" --folder "$tmp" "$@"
