#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 digest: as sha256sum prints it, and the same for the same rules.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
cd "$top/examples" || exit 99

same() {
	[ "$(cut -c 1-64 "$tmp/out" | sort -u | wc -l)" = 1 ] || {
		bad "$*"
		cat "$tmp/out"
	}
}

gives 0 xt2 digest server.rules
grep -Eqx '[0-9a-f]{64}  server.rules' "$tmp/out" || bad "not as sha256sum prints it"
xt2tables-restore --image "$tmp/one" server.rules
xt2tables-restore --image "$tmp/two" server.rules
xt2 replay -r "$tmp/two" -H INPUT --counters - server.pcap >"$tmp/counted" 2>&1
grep -v '^:OUTPUT' server.rules >"$tmp/rules" # a policy of ACCEPT need not be written
gives 0 xt2 digest server.rules "$tmp/one" "$tmp/two" "$tmp/rules"
same "a text, images"
[ "$(wc -l <"$tmp/out")" = 4 ] || bad "a line for each file"

xt2tables-save -c --image "$tmp/one" | sed 's/^\[0:0\]/[7:8]/; s/\[0:0\]$/[5:6]/' >"$tmp/counts"
grep -q '^\[7:8\]' "$tmp/counts" || bad "no counters"
gives 0 xt2 digest server.rules "$tmp/counts"
same "counters"

xt2ip6tables-restore --image "$tmp/two" server6.rules
gives 0 xt2 digest server.rules "$tmp/two"
[ "$(cut -c 1-64 "$tmp/out" | sort -u | wc -l)" = 2 ] || bad "an image's other family counts"
rm "$tmp/two"
xt2ip6tables-restore --image "$tmp/two" server6.rules
gives 0 xt2 digest -6 server6.rules "$tmp/two"
same "IPv6"

gives 0 xt2 digest --bridge "$top/tests/e2e/rulesets/ebt-2-filter.rules"
cp "$tmp/out" "$tmp/first"
rm "$tmp/two"
xt2 convert "$top/tests/e2e/rulesets/ebt-2-filter.rules" -o "$tmp/blob" --from save --to replace \
	--family eb
xt2 replace --family eb --width 64 --image "$tmp/two" "$tmp/blob" >"$tmp/counted" || bad "replace"
gives 0 xt2 digest "$tmp/two"
cat "$tmp/first" >>"$tmp/out"
same "bridges"

first='-A INPUT -m set --match-set one src -m set --match-set two src -j DROP'
second='-A OUTPUT -j SET --del-set two dst --add-set one src'
printf '%s\n' '*filter' "$first" "$second" COMMIT >"$tmp/rules"
printf '%s\n' '*filter' "$second" "$first" COMMIT >"$tmp/turned"
gives 0 xt2 digest "$tmp/rules" "$tmp/turned"
same "ipsets, whichever came first"

# an error does not keep the others from being answered
gives 2 xt2 digest "$tmp/nosuch" server.rules
[ "$(wc -l <"$tmp/out")" = 1 ] || bad "after an error"
gives 2 xt2 digest mistake.rules
gives 2 xt2 digest
gives 2 xt2 digest --nosuch server.rules
gives 0 xt2 digest --help
grep -q 'Usage: xt2 digest' "$tmp/out" || bad "no help"
done_with
