#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How chains are represented, and why, as xt2 dump says it; and what that means
# for a packet, as xt2 explain does.
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
	for i in few ports many hosts alike equal mixed; do echo ":$i - [0:0]"; done
	for i in few ports many hosts alike equal mixed; do echo "-A INPUT -j $i"; done
} >"$tmp/rules"
chain few 64 '-p tcp -m tcp --dport {i} -j DROP'
chain ports 65 '-p tcp -m tcp --dport {i} -j DROP'
chain many 2049 '-s 10.0.0.{low}/32 -d 10.{high}.0.0/16 -j DROP'
chain hosts 99 '-d 10.2.{high}.{low}/32 -p tcp -j DROP'
chain hosts 1 '-d 10.2.0.0/24'
chain hosts 1 '-p udp'
chain alike 65 '-m ttl --ttl-eq 1{i:02} -j DROP'
chain equal 5 ''
chain mixed 5 ''
chain mixed 64 '-p udp -m udp --dport {i} -j DROP'
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
want = {"few": "plain", "ports": "columns", "many": "pairs", "hosts": "segments", "alike": "plain", "equal": "columns",
        "mixed": "columns", "INPUT": "plain", "OUTPUT": "plain", "FORWARD": "plain"}
assert {n: "columns" if k == "bits" else k for n, k in kinds.items()} == want, kinds
whys = {n: c["why"] for n, c in chains.items()}
assert whys["few"] == "64 rules or less", whys
assert whys["ports"].startswith("65 rules, 1024 or less"), whys
assert whys["many"] == "2049 rules, more than 1024: told apart by source and destination", whys
assert whys["hosts"] == "101 rules, told apart by destination, but for 1", whys
assert whys["alike"] == "nothing tells its 65 rules apart", whys
assert whys["equal"] == "1 run of equal rules", whys
assert whys["mixed"].startswith("65 rules and runs of equal rules, 1024 or less"), whys
assert sorted(indexes) == ["equal", "hosts", "many", "mixed", "ports"], indexes
assert indexes["ports"]["fields"].startswith("destination port"), indexes
assert indexes["many"]["fields"].startswith("source /0 "), indexes
assert indexes["hosts"]["fields"] == "destination", indexes
assert indexes["hosts"]["segments"] >= 100 and indexes["hosts"]["commons"] == 1, indexes
assert (indexes["mixed"]["units"], indexes["mixed"]["runs"]) == (65, 1), indexes
for n, i in indexes.items():
    rules = chains[n]["rules"] - 1
    assert i["kind"] == kinds[n]
    assert abs(i["bytes_a_rule"] - i["size"] / rules) < 0.06, i
    assert i["offset"] == chains[n]["offset"] + chains[n]["used"], i
    assert i["size"] <= chains[n]["size"] - chains[n]["used"], i
EOT
gives 0 xt2 dump -c ports "$tmp/image"
grep -Eq 'represented (columns|bits), why 65 rules, 1024 or less' "$tmp/out" || bad "no reason"
grep -q 'index: [0-9]* bytes, kind [a-z]*, fields destination port' "$tmp/out" || bad "no index"

# explain: all rules that match are among the candidates, and the others are few
explain() {
	gives 0 xt2 explain "$tmp/image" --hook INPUT --json "$@"
	python3 - "$tmp/out" <<'EOT' || bad "explain $*"
import json, sys
steps = json.load(open(sys.argv[1]))["steps"]
asked, named = {}, 0
for s in steps:
    if "index" in s:
        i = asked[s["chain"]] = s["index"]
        if "candidates" in i:
            assert i["all_named"], i
            assert sum(b - a + 1 for a, b in i["candidates"]) == i["looked_at"], i
    i = asked[s["chain"]]
    if s["rule"] and s["outcome"] != "no" and "candidates" in i:
        assert any(a <= s["rule"] <= b for a, b in i["candidates"]), (s, i)
        named += 1
assert asked["INPUT"]["represented"] == "plain", asked
assert asked["many"]["represented"] == "pairs" and asked["many"]["skipped"] >= 1024, asked
assert named, steps
EOT
}
explain -p tcp --dport 900 -s 10.0.0.7 -d 10.2.0.1
explain -p udp --sport 7 --dport 12 -s 10.0.4.1 -d 10.2.0.1
grep -q 'told apart by destination' "$tmp/out" || bad "explain: no segments"
gives 0 xt2 explain "$tmp/image" --hook INPUT -p udp --dport 12 -s 10.0.1.1 -d 10.2.0.1 --ttl 99
grep -Eq '^ *filter/ports +index +(columns|bits) \(.*\): skips 6[45] rules, looks at (0|1: 13)$' "$tmp/out" ||
	bad "explain: ports"
grep -q 'index     plain: nothing tells its 65 rules apart' "$tmp/out" || bad "explain: alike"
grep -Eq 'filter/mixed +index .* looks at 6: 1-5, 18$' "$tmp/out" || bad "explain: a run"
if grep -q 'filter/few  *index' "$tmp/out"; then bad "explain: of a short chain"; fi
gives 0 xt2 explain "$tmp/image" --hook INPUT -p tcp --fragment -s 10.0.1.1 --ttl 99
grep -q 'but rule after rule: the packet is a fragment' "$tmp/out" || bad "explain: a fragment"
gives 0 xt2 explain "$tmp/image" --hook INPUT \
	--hex '45000015 00010000 631143d4 0a000001 0a020001 00'
grep -q "but rule after rule: the packet's transport header is cut off" "$tmp/out" || bad "explain: cut"
gives 0 xt2 explain "$tmp/image" --hook INPUT -p udp --brief
if grep -q ' index ' "$tmp/out"; then bad "explain --brief: indexes"; fi

# a target changes what the index has looked at: it is asked again
{
	echo '*mangle'
	for i in $(seq 80); do echo "-A INPUT -m mark --mark $i -j MARK --set-mark $((i + 10))"; done
	echo COMMIT
} >"$tmp/marks"
gives 0 xt2 explain "$tmp/marks" --hook INPUT -p udp --mark 1
grep -q 'skips 79 rules, looks at 1: 1$' "$tmp/out" || bad "explain: before"
grep -q 'skips 78 rules, looks at 1: 11$' "$tmp/out" || bad "explain: after a change"

# who looks at an index has it checked
python3 - "$tmp/image" "$tmp/wrong" "$tmp/rows" <<'EOT' || bad "a wrong index"
import json, struct, subprocess, sys
rows = json.loads(subprocess.check_output(["xt2", "dump", "--json", sys.argv[1]]))
at = next(r["offset"] for r in rows if r["what"] == "index" and r["kind"] == "pairs")
b = bytearray(open(sys.argv[1], "rb").read())
body = struct.unpack_from("<I", b, at + 20)[0]
b[at + body + 600:at + body + 616] = b"\xff" * 16
open(sys.argv[2], "wb").write(b)
EOT
for command in "dump -c many $tmp/wrong" "explain $tmp/wrong --hook INPUT -p udp --ttl 99" "bench $tmp/wrong"; do
	# shellcheck disable=SC2086 # words
	gives 2 xt2 $command
	grep -q 'table filter, chain many: ' "$tmp/err" || bad "xt2 $command: a wrong index"
done

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
