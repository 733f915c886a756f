#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles alone, as C and - the public ones - as C++.
top=${top_srcdir:-.}
failed=0
count=0
for h in "$top"/include/xt2/*.h "$top"/engine/*.h "$top"/extensions/*.h "$top"/translators/*.h \
	"$top"/libxt2/*.h; do
	[ -f "$h" ] || continue
	count=$((count + 1))
	printf '#include "%s"\n' "$(realpath "$h")" |
		${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -I"$top/include" \
			-fsyntax-only -x c - || { echo "$h does not compile alone"; failed=1; }
done
echo "$count headers"
[ "$count" -gt 10 ] || failed=1
exit $failed
