#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf/cycles/xt2-cycles: all its layouts count what they should, every extension has a
# figure, and a table has the columns it says.  Memory depends on no clock.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
cycles=$build/perf/cycles/xt2-cycles

try "$cycles" --rounds 1 --ruleset small --no-extensions --csv "$tmp/csv"
[ "$status" = 0 ] || bad "layouts: $status: $(cat "$tmp/out" "$tmp/err")"
awk '/lists against packed: memory/ { found = $6 > 2.5 && $6 < 2.8 && $5 == 2.7 } END { exit !found }' \
	"$tmp/out" || bad "not 2.7 times the memory: $(grep memory "$tmp/out")"
# Layouts are quoted: their names have commas.
sed 's/"[^"]*"/layout/' "$tmp/csv" | awk -F, '
	NR == 1 { n = NF; next }
	NF != n || $1 != "small" || $4 != 110 || !($8 > 0) || $9 < $8 { wrong = 1 }
	{ rows[$3]++ }
	END { exit wrong || rows["warm"] != 10 || rows["cold"] != 10 }' || bad "the CSV: $(cat "$tmp/csv")"

try "$cycles" --rounds 1 --no-layouts --csv "$tmp/csv"
[ "$status" = 0 ] || bad "extensions: $status: $(cat "$tmp/out" "$tmp/err")"
grep -q '^extension,multiport,cold,100,' "$tmp/csv" || bad "the CSV: $(cat "$tmp/csv")"

for i in "--rounds 0" "--ruleset no" "--no" more; do
	# shellcheck disable=SC2086 # a list
	gives 2 "$cycles" $i
done
[ $failed = 0 ] && echo "$count runs: ok"
exit $failed
