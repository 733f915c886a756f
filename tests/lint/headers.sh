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

# shellcheck disable=SC2044 # no names with spaces
for h in $(find "$top/include" "$top/engine" "$top/extensions" "$top/translators" "$top/libxt2" \
	"$top/shim" -name bpf -prune -o -name '*.h' -print); do
	alone "$h" cc -std=gnu11 -x c
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
