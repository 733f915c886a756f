#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Random ARP rulesets and packets against the kernel's own table; arguments go to arp.py.
top_srcdir=${top_srcdir:-.} top_builddir=${top_builddir:-.}
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
exec python3 "$top_srcdir/tests/prop/arp.py" --xt2 "${XT2:-$top_builddir/xt2}" \
	--inject "$top_builddir/tests/lib/inject" "$@"
