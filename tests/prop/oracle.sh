#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The oracle against the evaluator, for make check; XT2_PROP=full runs all of it.
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
exec python3 "${top_srcdir:-.}/tests/prop/oracle.py" \
	--program "${top_builddir:-.}/tests/prop/oracle-equal" "$@"
