#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What xt2 explain says grows with the rules on a packet's way, and not with
# their square: a line of jumps is not indented for ever, and an index is not
# asked again for each of the many rules that change the packet.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
chains=100000
marks=10000

awk -v n=$chains 'BEGIN {
	print "*filter"
	for (i = 0; i < n; i++) print ":c" i " - [0:0]"
	print "-A INPUT -j c0"
	for (i = 1; i < n; i++) print "-A c" i - 1 " -j c" i
	print "-A c" n - 1 " -p udp -j ACCEPT\nCOMMIT"
}' >"$tmp/deep"
awk -v n=$marks 'BEGIN {
	print "*mangle"
	for (i = 0; i < n; i++) {
		print "-A INPUT -s 10.0." int(i / 256) "." i % 256 " -j DROP"
		print "-A INPUT -s 192.0.2.1 -j MARK --set-mark " i
	}
	print "COMMIT"
}' >"$tmp/wide"

# FILE LEAST MOST ARGUMENTS...: so many bytes, and no more than that, are said
explained() {
	file=$1
	least=$2
	most=$3
	shift 3
	count=$((count + 1))
	timeout 600 xt2 explain "$tmp/$file" -H INPUT -s 192.0.2.1 "$@" 2>"$tmp/err" |
		head -c $((most + 1)) >"$tmp/out"
	size=$(wc -c <"$tmp/out")
	if [ "$size" -lt "$least" ] || [ "$size" -gt "$most" ] || [ -s "$tmp/err" ]; then
		bad "explain $file $*: $size bytes; $(tail -n 2 "$tmp/err")"
	fi
}

# each chain is entered, and returned from
explained deep $((60 * chains)) $((300 * chains))
[ "$(tail -n 1 "$tmp/out")" = 'verdict: ACCEPT by filter/INPUT:policy' ] || bad "the verdict, deep down"
grep -q "^ *($chains) filter/c$((chains - 1)):1 *no *-p udp" "$tmp/out" || bad "the deepest rule"
grep -q '^  filter/c0:1 *jump c1 ' "$tmp/out" || bad "jumps are not indented"
explained deep $((60 * chains)) $((300 * chains)) --json
explained deep $((60 * chains)) $((300 * chains)) --brief -p udp

explained wide $((60 * marks)) $((300 * marks))
n=$(grep -c '^mangle/INPUT  *index ' "$tmp/out")
{ [ "$n" -ge 4 ] && [ "$n" -le 1000 ]; } || bad "the index is asked $n times"
[ "$(grep -c '^index: asked too often' "$tmp/out")" = 1 ] || bad "this is not said"
[ "$(grep -c ' MARK ' "$tmp/out")" = $marks ] || bad "rules are missing"
explained wide $((60 * marks)) $((400 * marks)) --json
n=$(grep -o '"index":' "$tmp/out" | wc -l)
{ [ "$n" -ge 4 ] && [ "$n" -le 1000 ]; } || bad "the index is asked $n times in JSON"
done_with
