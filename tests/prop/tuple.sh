#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Addresses and ports of connections, against the kernel's tracker; arguments go to tuple.py.
top_srcdir=${top_srcdir:-.} top_builddir=${top_builddir:-.}
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
exec python3 "$top_srcdir/tests/prop/tuple.py" --xt2 "${XT2:-$top_builddir/xt2}" \
	--inject "$top_builddir/tests/lib/inject" "$@"
