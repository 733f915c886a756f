#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles alone, the public ones as C++ as well.
top=${top_srcdir:-.}
failed=0
count=0

alone() {	# HEADER COMPILER...
	header=$1
	shift
	count=$((count + 1))
	printf '#include "%s"\n' "$(realpath "$header")" |
		"$@" -Wall -Wextra -Werror -Wno-unused-parameter -I"$top/include" -I"$top" -fsyntax-only - || {
		echo "$header does not compile alone: $*"
		failed=1
	}
}

# Those of the live store need libbpf, which a build can do without.
without=
printf '#include <bpf/libbpf.h>\n' | cc -fsyntax-only -x c - 2>/dev/null || without="-name bpf -prune -o"
# shellcheck disable=SC2044,SC2086 # no names with spaces; a list of words
for h in $(find "$top/include" "$top/engine" "$top/extensions" "$top/translators" "$top/libxt2" \
	"$top/shim" "$top/xt2tables" $without -name '*.h' -print); do
	alone "$h" cc -std=gnu11 -D_GNU_SOURCE -x c
done
for cxx in g++ clang++ ""; do
	command -v "$cxx" >/dev/null && break
done
if [ -n "$cxx" ]; then
	for h in "$top"/include/xt2/*.h; do
		alone "$h" "$cxx" -std=c++11 -x c++
	done
else
	echo "SKIP: no C++ compiler"
fi
echo "$count headers"
[ "$count" -gt 20 ] || failed=1
exit $failed
