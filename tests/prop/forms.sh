#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Random rulesets in each form: text, JSON, the kernel's tables of 64- and
# 32-bit programs, and an image say the same, by their digests; text and JSON
# come back to the byte.  forms.sh [FIRST LAST]: seeds, by default 1 to 8.
top=${top_srcdir:-.}
build=$(cd "${top_builddir:-.}" && pwd)
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
PATH=$build:$PATH
failed=0
count=0
refused=0

bad() {
	echo "FAIL: $* (forms.sh $seed $seed)"
	failed=1
}

# FORM FILE WIDTH: all tables into a fresh image as setsockopt() would
turn_tables() {
	rm -f "$tmp/image"
	sed -n 's/^\*//p' "$tmp/rules" >"$tmp/tables"
	while read -r table; do
		if ! xt2 convert "$2" -o "$tmp/blob" --from "$1" --to replace \
			--family "$family" -t "$table" --to-width "$3" ||
			! xt2 replace --family "$family" --width "$3" --image "$tmp/image" \
				"$tmp/blob" >"$tmp/out"; then
			bad "$1, $3 bits: $table: $(cat "$tmp/out")"
		fi
	done <"$tmp/tables"
	[ "$(xt2 digest "$tmp/image" | cut -c 1-64)" = "$want" ] || bad "digest after $1 and $3 bits"
}

# FILE -> what is in it, without comments
plain() {
	grep -v '^#' "$1"
}

# As JSON, and back to the byte.  What iptables prints and cannot read itself is refused.
turn_json() {
	if ! xt2 convert "$tmp/rules" -o "$tmp/json" --from save --to json --family "$family" \
		2>"$tmp/err"; then
		grep -q 'cannot be read back' "$tmp/err" || bad "$(cat "$tmp/err")"
		refused=$((refused + 1))
		return
	fi
	xt2 convert "$tmp/json" -o "$tmp/json2" --from json --to json --family "$family"
	cmp "$tmp/json" "$tmp/json2" || bad "JSON does not come back"
	xt2 convert "$tmp/rules" -o "$tmp/saved" --from save --to save --family "$family"
	plain "$tmp/saved" >"$tmp/a"
	xt2 convert "$tmp/json" -o "$tmp/saved" --from json --to save --family "$family"
	plain "$tmp/saved" >"$tmp/b"
	cmp "$tmp/a" "$tmp/b" || bad "not the text that was"
	turn_tables json "$tmp/json" 64
}

first=${1:-1}
last=${2:-${1:-8}}
seed=$first
while [ "$seed" -le "$last" ]; do
	for family in 4 6; do
		python3 -B "$top/tests/prop/rules.py" --seed "$seed" "-$family" >"$tmp/rules" || exit 99
		want=$(xt2 digest "-$family" "$tmp/rules" | cut -c 1-64)
		[ ${#want} = 64 ] || bad "no digest"
		turn_json
		turn_tables save "$tmp/rules" 64
		turn_tables save "$tmp/rules" 32
		count=$((count + 1))
	done
	seed=$((seed + 1))
done
echo "$count rulesets, $refused of them not as JSON"
[ $((refused * 2)) -lt "$count" ] || { echo "FAIL: too many of them"; failed=1; }
exit $failed
