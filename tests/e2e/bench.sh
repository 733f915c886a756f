#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 bench: whatever the figures are, the ways agree with one another, drawn
# packets come to the rules that they are meant for, and what cannot be
# measured is named.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cd "$top/examples" || exit 99

# EXPRESSION: of the JSON on standard output, d
holds() {
	python3 -c "import json, sys
d = json.load(open(sys.argv[1]))
p = d['places']
assert $1, d" "$tmp/out" || bad "$1"
}

# CODES ARGUMENTS...: as quickly as can be
bench() {
	codes=$1
	shift
	gives "$codes" xt2 bench --rounds 1 --packets 300 "$@"
}

bench 0 server.rules
grep -q '^packets:  drawn, seed 1' "$tmp/out" || bad "not said that packets are drawn"
grep -Eq '^ipv4 filter/INPUT +13 +300 +[0-9.]+ ns +[0-9.]+ M/s' "$tmp/out" || bad "no figures"
if grep -q 'filter/OUTPUT' "$tmp/out"; then bad "a chain without rules"; fi
bench 0 server.rules --hook OUTPUT --table filter
grep -q 'filter/OUTPUT' "$tmp/out" || bad "a chain without rules, by name"
bench 0 server.rules server.pcap --hook INPUT -i eth0 --ctstate NEW --json
holds 'd["capture"] == "server.pcap" and p[0]["packets"] > 200'
holds 'p[0]["linear"]["ns"] > 0 and p[0]["batched"]["packets_per_second"] > 0'
bench 0 -6 server6.rules --json
holds '[x["family"] for x in p] == ["ipv6"] and p[0]["packets"] == 300'

# all figures of one image with several families; packets are the seed's
xt2tables-restore --image "$tmp/image" server.rules
xt2ip6tables-restore --image "$tmp/image" server6.rules
bench 0 "$tmp/image" --json
holds '[x["family"] for x in p] == ["ipv4", "ipv6"] and d["index_bytes"] == 0'
grep -o '"accepted":[0-9]*' "$tmp/out" >"$tmp/first"
bench 0 "$tmp/image" --json
grep -o '"accepted":[0-9]*' "$tmp/out" | cmp - "$tmp/first" || bad "not the same packets"
bench 0 "$tmp/image" --json --seed 2
if grep -o '"accepted":[0-9]*' "$tmp/out" | cmp -s - "$tmp/first"; then bad "the same packets"; fi

# packets for rules in chains of their own, by all that a box knows
python3 - >"$tmp/rules" <<'EOT'
print("*filter\n:INPUT DROP [0:0]\n:tcp - [0:0]\n:udp - [0:0]\n:wan - [0:0]\n:marked - [0:0]")
print("-A INPUT -p tcp -j tcp\n-A INPUT -p udp -j udp\n-A INPUT -i wan+ -j wan")
print("-A INPUT -m mark --mark 0x7/0xff -j marked")
for i in range(100):
    print(f"-A tcp -s 10.1.{i}.0/24 -p tcp -m tcp --dport {i * 7}:{i * 7 + 3} -j ACCEPT")
    print(f"-A udp -d 10.2.{i}.1/32 -p udp -m udp --sport {i + 1} -j ACCEPT")
    print(f"-A wan -p icmp -m icmp --icmp-type {i % 19}/{i} -j ACCEPT")
    print(f"-A marked -m mac --mac-source 02:00:00:00:01:{i:02x} -m conntrack "
          f"--ctstate ESTABLISHED -j ACCEPT")
print("COMMIT")
EOT
bench 0 "$tmp/rules" --packets 1000 --json
holds 'len(p) == 1 and p[0]["rules"] == 404 and p[0]["accepted"] > 600'
holds 'd["indexed_chains"] == 4 and d["index_bytes"] > 0 and d["index_seconds"] > 0'

# targets that change packets, matches that remember, chains of all kinds
python3 - >"$tmp/rules" <<'EOT'
print("*mangle\n:more - [0:0]")
for i in range(40):
    print(f"-A FORWARD -s 10.0.0.{i}/32 -j MARK --set-xmark {i}/0xffffffff")
    print(f"-A FORWARD -m mark --mark {i} -m limit --limit 10/sec -j TTL --ttl-set {i + 1}")
    print(f"-A FORWARD -m ttl --ttl-eq {i + 1} -p tcp -j more")
for i in range(1200):
    print(f"-A more -d 192.0.{i // 256}.{i % 256}/32 -m statistic --mode nth --every 3 --packet 0")
for i in range(5):
    print("-A more -p tcp -m tcp --dport 80")
print("-A more -m statistic --mode random --probability 0.5 -j DSCP --set-dscp 0x0a")
print("-A more -j DROP\nCOMMIT")
EOT
bench 0 "$tmp/rules" --packets 3000 --json --seed 7
holds '[(x["table"], x["hook"]) for x in p] == [("mangle", "FORWARD")] and d["indexed_chains"] == 2'
bench 0 "$tmp/rules" server.pcap -t mangle

printf '*filter\n-A INPUT -s 10.0.0.1 -j DROP\n-A OUTPUT -d 10.0.0.1 -j ACCEPT\nCOMMIT\n' >"$tmp/arp"
bench 0 --arp "$tmp/arp" --json
holds '[x["hook"] for x in p] == ["INPUT", "OUTPUT"] and p[0]["packets"] == 300'
printf '*filter\nCOMMIT\n' >"$tmp/empty"
bench 0 "$tmp/empty"
grep -q 'no rules that packets come to' "$tmp/err" || bad "nothing said of no rules"

# what cannot be evaluated: other hooks are measured, and it is the answer if there is nothing else
printf '*filter\n-A INPUT -m connlimit --connlimit-above 3 -j DROP\nCOMMIT\n' >"$tmp/rules"
bench 3 "$tmp/rules" --json
[ ! -s "$tmp/out" ] || bad "output of a failure"
grep -q "E_UNSUPPORTED" "$tmp/err" || bad "what is not supported"
printf '*filter\n-A INPUT -m connlimit --connlimit-above 3 -j DROP\n-A OUTPUT -p tcp\nCOMMIT\n' >"$tmp/rules"
bench 0 "$tmp/rules" --json
holds '[x["hook"] for x in p] == ["OUTPUT"]'
grep -q 'filter/INPUT is not measured' "$tmp/err" || bad "what is not measured"

bench 2
bench 2 server.rules server.pcap more
bench 2 mistake.rules
bench 2 "$tmp/nosuch"
bench 2 server.rules "$tmp/nosuch" --json
[ ! -s "$tmp/out" ] || bad "output of a failure"
bench 2 server.rules --table nat
grep -q "the rules have no table 'nat'" "$tmp/err" || bad "which table"
bench 2 server.rules --hook NOPE
bench 2 server.rules --packets 0
bench 2 server.rules --rounds x
bench 2 server.rules --seed -1
bench 2 server.rules --ctstate NOPE
bench 2 server.rules --nosuch
bench 0 --help
grep -q 'Usage: xt2 bench' "$tmp/out" || bad "no help"

# the examples of the man page, as they stand there
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$top/doc/xt2-bench.1" | grep '^xt2 bench' >"$tmp/examples"
[ "$(wc -l <"$tmp/examples")" = 2 ] || bad "examples"
while read -r example; do
	gives 0 sh -c "$example --rounds 1 --packets 100"
done <"$tmp/examples"
done_with
