#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What libxt2.so exports, what its map says and what the public headers declare
# are one list.
top=${top_srcdir:-.}
lib=${top_builddir:-.}/.libs/libxt2.so
if ! [ -e "$lib" ]; then
	echo "SKIP: no $lib"
	exit 77
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Headers without comments and preprocessor lines, one line each.
declared() {
	for h in "$top"/include/xt2/*.h; do
		grep -v '^[[:space:]]*#' "$h" | tr '\n' ' ' | sed 's:/\*\([^*]\|\*[^/]\)*\*/: :g'
		echo
	done | grep -o 'xt2_[a-z0-9_]*(' | tr -d '('
}

# The first list has to be the second one.
same() {
	cmp -s "$tmp/$1" "$tmp/$2" && return
	echo "$1 (<) and $2 (>) differ:"
	diff "$tmp/$1" "$tmp/$2" | grep '^[<>]'
	failed=1
}

failed=0
declared | sort -u >"$tmp/headers"
sed -n 's/^[[:space:]]*\(xt2_[a-z0-9_]*\);.*/\1/p' "$top/libxt2/libxt2.map" | sort >"$tmp/map"
nm -D --defined-only "$lib" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$tmp/library"
[ "$(wc -l <"$tmp/headers")" -ge 60 ] || { echo "too few functions in the headers"; exit 1; }
same headers map
same library map
nm -D --defined-only "$lib" | grep -q ' A LIBXT2_0$' || {
	echo "no version LIBXT2_0"
	failed=1
}
[ $failed = 0 ] && echo "$(wc -l <"$tmp/map") functions"
exit $failed
