#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How chains are represented, and why, as xt2 dump says it.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }

# CHAIN COUNT RULE: so many rules, with their number {i} in them
chain() {
	python3 - "$@" <<'EOT' >>"$tmp/rules"
import sys
name, count, rule = sys.argv[1], int(sys.argv[2]), sys.argv[3]
for i in range(count):
    print("-A", name, rule.format(i=i, high=i // 256, low=i % 256))
EOT
}

{
	echo '*filter'
	for i in few ports many alike equal mixed; do echo ":$i - [0:0]"; done
	for i in few ports many alike equal mixed; do echo "-A INPUT -j $i"; done
} >"$tmp/rules"
chain few 16 '-p tcp -m tcp --dport {i} -j DROP'
chain ports 17 '-p tcp -m tcp --dport {i} -j DROP'
chain many 1025 '-s 10.0.{high}.{low}/32 -d 10.1.0.0/16 -j DROP'
chain alike 17 '-m ttl --ttl-eq {i} -j DROP'
chain equal 5 ''
chain mixed 5 ''
chain mixed 16 '-p udp -m udp --dport {i} -j DROP'
echo COMMIT >>"$tmp/rules"

gives 0 xt2tables-restore --image "$tmp/image" "$tmp/rules"
gives 0 xt2 dump --json "$tmp/image"
python3 - "$tmp/out" <<'EOT' || bad "rows of dump"
import json, sys
rows = json.load(open(sys.argv[1]))
chains, indexes, name = {}, {}, None
for r in rows:
    if r["what"] == "chain":
        name = r["name"]
        chains[name] = r
    if r["what"] == "index":
        indexes[name] = r
kinds = {n: c["represented"] for n, c in chains.items()}
want = {"few": "plain", "ports": "columns", "many": "pairs", "alike": "plain", "equal": "columns",
        "mixed": "columns", "INPUT": "plain", "OUTPUT": "plain", "FORWARD": "plain"}
assert kinds == want, kinds
whys = {n: c["why"] for n, c in chains.items()}
assert whys["few"] == "16 rules or less", whys
assert whys["ports"] == "17 rules, 1024 or less", whys
assert whys["many"] == "1025 rules, more than 1024: told apart by source", whys
assert whys["alike"] == "nothing tells its 17 rules apart", whys
assert whys["equal"] == "1 run of equal rules", whys
assert whys["mixed"] == "17 rules and runs of equal rules, 1024 or less", whys
assert sorted(indexes) == ["equal", "many", "mixed", "ports"], indexes
assert indexes["ports"]["fields"] == "destination port", indexes
assert indexes["many"]["fields"].startswith("source /0 "), indexes
assert (indexes["mixed"]["units"], indexes["mixed"]["runs"]) == (17, 1), indexes
for n, i in indexes.items():
    rules = chains[n]["rules"] - 1
    assert i["kind"] == kinds[n]
    assert abs(i["bytes_a_rule"] - i["size"] / rules) < 0.06, i
    assert i["offset"] == chains[n]["offset"] + chains[n]["used"], i
    assert i["size"] <= chains[n]["size"] - chains[n]["used"], i
EOT
gives 0 xt2 dump -c ports "$tmp/image"
grep -q 'represented columns, why 17 rules, 1024 or less' "$tmp/out" || bad "no reason"
grep -q 'index: [0-9]* bytes, kind columns, fields destination port' "$tmp/out" || bad "no index"

rm "$tmp/image"
{
	echo '*filter'
	for i in $(seq 20); do echo "-A INPUT -s 10.0.0.$i -j DROP"; done
	echo COMMIT
} >"$tmp/arp"
gives 0 xt2arptables-restore --image "$tmp/image" "$tmp/arp"
gives 0 xt2 dump -c INPUT "$tmp/image"
grep -q 'represented plain, why only chains of IPv4 and IPv6' "$tmp/out" || bad "ARP"
done_with
