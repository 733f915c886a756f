#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# As counters.sh, but iptables-legacy-restore under "xt2 run" loads the rules: the image
# must have the digest of the text, and count as the kernel does.
exec sh "${top_srcdir:-.}/tests/prop/counters.sh" --shim --seconds 8 "$@"
