#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The same with large chains, which are searched by their indexes; XT2_SHORT=1 does a few rulesets.
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIP: only root loads BPF programs"; exit 77; }
exec python3 "${top_srcdir:-.}/tests/bpf/live-indexed.py" --xt2 "${top_builddir:-.}/xt2" \
	--inject "${top_builddir:-.}/tests/lib/inject" "$@"
