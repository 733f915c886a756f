#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The BPF programs against the evaluator, for make check; XT2_PROP=full runs all of it.
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIP: only root loads BPF programs"; exit 77; }
exec python3 "${top_srcdir:-.}/tests/bpf/random-rulesets.py" --tools "${top_builddir:-.}" \
	--program "${top_builddir:-.}/tests/bpf/compare" "$@"
