#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All C is formatted as .clang-format says.
top=${top_srcdir:-.}
format=${CLANG_FORMAT:-clang-format}
command -v "$format" >/dev/null || { echo "SKIP: no $format"; exit 77; }
case $("$format" --version) in
*" version 14."*) ;;
*) echo "SKIP: the format is that of clang-format 14"; exit 77 ;;
esac
cd "$top" || exit 1
find include engine extensions translators libxt2 kernel shim xt2tables tests perf -name '*.[ch]' -print0 |
	xargs -0 "$format" --dry-run -Werror
