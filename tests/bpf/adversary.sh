#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Companions are taken away while packets pass: what the ruleset drops does not.  XT2_SHORT=1: a few seconds.
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
exec python3 "${top_srcdir:-.}/tests/bpf/adversary.py" --xt2 "${top_builddir:-.}/xt2" "$@"
