#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Steps (MARK and the like) and questions (addrtype and the like) of a live ruleset: done, asked and
# counted; without companions packets are dropped; what others take away comes back; swaps and trials
# mix nothing up; what cannot be is refused by name, and then nothing has changed.
test=left needs="iptables-legacy-restore iptables-nft-save ipset nft ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
apply() { live apply "$@" || wrong "apply $*"; }
tables() { inside nft list tables | grep -c 'xt2-act'; }
passes() { inside ping -q -c 1 -W 1 "$1" >/dev/null 2>&1; }
folder=$(folder_of "$ns")

cat >"$tmp/one" <<'EOF'
*mangle
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
-A OUTPUT -d 127.0.0.3/32 -j MARK --set-xmark 0x5/0xffffffff
-A OUTPUT -d 127.0.0.7/32 -j MARK --set-xmark 0x7/0xffffffff
-A OUTPUT -m mark --mark 0x5 -j MARK --set-xmark 0x70/0xf0
-A OUTPUT -m mark --mark 0x75
-A OUTPUT -m mark --mark 0x75 -j TTL --ttl-set 9
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A INPUT -s 127.0.0.3/32 -m ttl --ttl-eq 9
-A INPUT -m addrtype --src-type LOCAL -m set --match-set some src
-A INPUT -m set --match-set none src -j DROP
-A OUTPUT -m mark --mark 0x75
-A OUTPUT -d 127.0.0.4/32 -m owner --uid-owner 0 -j CONNMARK --set-xmark 0x9/0xffffffff
-A OUTPUT -m connmark --mark 0x9
-A OUTPUT -m connmark --mark 0x9 -j DROP
COMMIT
EOF
inside ipset create some hash:net
inside ipset add some 127.0.0.0/8
inside ipset create none hash:net
inside sh -c 'ip rule add pref 100 lookup local; ip rule del pref 0; ip rule add pref 50 fwmark 7 lookup 7
ip route add blackhole default table 7'
live apply "$tmp/one" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }

whole() {	# AFTER
	live status >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
	before=$(faults)

	passes 127.0.0.3 || wrong "$1: a marked packet does not pass"
	passes 127.0.0.5 || wrong "$1: others do not pass"
	passes 127.0.0.7 && wrong "$1: what is marked is not routed again"
	passes 127.0.0.4 && wrong "$1: a connection's mark was not seen"
	[ "$(faults)" = "$before" ] || wrong "$1: $(faults) faults, not $before"
}
dropped() {	# AFTER
	before=$(faults)
	passes 127.0.0.3 && wrong "$1: what should be marked passes"
	[ "$(faults)" -gt "$before" ] || wrong "$1: no faults"
	live status >"$tmp/out" 2>"$tmp/err" && wrong "$1: status says nothing"
	grep -qx 'companions ipv4 missing' "$tmp/out" || wrong "$1: $(cat "$tmp/out")"
}
count() {	# RULE: packets that it has counted
	live save --live -c | sed -n "s/^\[\([0-9]*\):[0-9]*\] $1\$/\1/p"
}
whole "apply"
for rule in '-A OUTPUT -m mark --mark 0x75' '-A OUTPUT -m mark --mark 0x75 -j TTL --ttl-set 9'; do
	[ "$(count "$rule" | sort -u)" = 1 ] || wrong "$rule: $(count "$rule")"
done
rule='-A INPUT -s 127.0.0.3\/32 -m ttl --ttl-eq 9'
[ "$(count "$rule")" = 0 ] || wrong "$rule: the answer comes from another address: $(count "$rule")"
rule='-A INPUT -m addrtype --src-type LOCAL -m set --match-set some src'
[ "$(count "$rule")" -ge 4 ] || wrong "$rule: $(count "$rule")"
rule='-A OUTPUT -m connmark --mark 0x9'
[ "$(count "$rule")" = 1 ] || wrong "$rule: $(count "$rule")"
live save --live | grep -v '^[#:]' | sort >"$tmp/out"
grep -v '^[#:]' "$tmp/one" | sort | cmp -s - "$tmp/out" || wrong "save: $(cat "$tmp/out")"
for i in iptables-nft-save iptables-legacy-save; do
	inside $i 2>/dev/null | grep -q 'xt2\|bpf' && wrong "$i shows it: $(inside $i)"
done

# What others take away.
for what in 'delete table ip xt2-act0' 'flush ruleset'; do
	inside nft "$what"
	dropped "$what"
	live repair || wrong "repair after $what"
	whole "repair after $what"
done
inside nft delete table ip xt2-act0
apply "$tmp/one"
whole "apply after a table was deleted"
rm "$folder"/gate-mangle-ipv4-OUTPUT || wrong "no gate"
live status >/dev/null 2>&1 && wrong "status: a gate is gone, and it says nothing"
live repair
whole "repair of a gate"

# One question of several: its match would not hold.
table=$(inside nft list tables | sed -n 's/table ip \(xt2-act.*\)/\1/p')
handle=$(inside nft -a list chain ip "$table" ask-filter-INPUT | sed -n 's/.*fib .*# handle //p')
inside nft delete rule ip "$table" ask-filter-INPUT handle "$handle" || wrong "no question: $(inside nft -a list table ip "$table")"
before=$(faults)
passes 127.0.0.5 && wrong "a question is gone, and packets pass"
[ "$(faults)" -gt "$before" ] || wrong "a question is gone, and there is no fault"
live repair || wrong "repair of a question"
whole "repair of a question"

# One after the other while packets pass: none is lost, and each has its steps.
sed 's/0x75/0x65/; s/0x70/0x60/' "$tmp/one" | sed 's/0x75/0x65/' >"$tmp/two"
before=$(faults)
inside ping -q -i 0.002 -c 1500 127.0.0.3 >"$tmp/ping" &
pinger=$!
while kill -0 $pinger 2>/dev/null; do
	apply "$tmp/two"
	apply "$tmp/one"
done
grep -q '1500 received' "$tmp/ping" || wrong "swaps: $(cat "$tmp/ping")"
[ "$(faults)" = "$before" ] || wrong "swaps: $(faults) faults, not $before"
[ "$(tables)" = 1 ] || wrong "swaps leave $(tables) tables"

# A trial keeps both, and goes back to the one before.
apply --confirm 3 "$tmp/two"
passes 127.0.0.3 || wrong "on trial"
sleep 3.3
whole "a trial that failed"
apply --confirm 60 "$tmp/one"
live confirm || wrong "confirm"
whole "a trial that was confirmed"
[ "$(tables)" = 1 ] || wrong "a trial leaves $(tables) tables"

# Refused by name, and nothing has changed.
refused() {	# STATUS MESSAGE: the file
	live apply "$tmp/bad" >"$tmp/out" 2>"$tmp/err"
	code=$?
	[ $code = "$1" ] || wrong "$2: exit code $code"
	grep -q -e "$2" "$tmp/err" || wrong "$2: $(cat "$tmp/err")"
	whole "$2"
	[ "$(tables)" = 1 ] || wrong "$2: $(tables) tables"
}
one() { printf '%s\n' '*filter' "$@" COMMIT >"$tmp/bad"; }
one '-A INPUT -m set --match-set nosuch src'
refused 3 'ipset that is not there'
one '-A INPUT -j MARK --set-mark 1' '-A INPUT -m quota --quota 9 -m bpf --bytecode "1,6 0 0 1"'
refused 3 'cannot match bpf after a rule of the table that changes'
one '-A INPUT -j MARK --set-mark 1' '-A INPUT -m quota --quota 9 -m set --match-set some src,src'
refused 3 'cannot match set after a rule of the table that changes'
# shellcheck disable=SC2046 # words
one $(seq -f '-A_INPUT_-m_string_--algo_bm_--string_word%g' 33 | tr ' ' '\n')
tr _ ' ' <"$tmp/bad" >"$tmp/bad2"
mv "$tmp/bad2" "$tmp/bad"
refused 4 'asked 33 different matches'
live apply --force "$tmp/bad" 2>"$tmp/err" || wrong "33 matches, forced: $(cat "$tmp/err")"
inside ping -q -c 1 -W 1 127.0.0.1 >"$tmp/out" || wrong "33 matches, forced: $(cat "$tmp/out")"
[ "$(faults)" = "$before" ] || wrong "33 matches, forced: $(faults) faults, not $before"
live counters --live >"$tmp/out"
grep -q '^ipv4 filter INPUT 33 0 ' "$tmp/out" || wrong "33 matches, forced: $(cat "$tmp/out")"
XT2_PERSIST=$tmp/persisted live save --live --persist || wrong "33 matches, persisted"
# Changes of it: in place, as a whole, back to an earlier generation.
edit="$(dirname "$xt2")/links/xt2tables --live --netns $ns"
$edit -A INPUT -s 192.0.2.1 -j DROP || wrong "33 matches, and a rule"
$edit -A INPUT -m string --algo bm --string word34 -j ACCEPT || wrong "34 matches"
inside nft flush ruleset
$edit -D INPUT -s 192.0.2.1 -j DROP || wrong "34 matches, repaired"
live rollback --live "$(live history --live | sed -n '2s/ .*//p')" >"$tmp/out" 2>&1 ||
	wrong "34 matches, rolled back: $(cat "$tmp/out")"
apply "$tmp/one"
live apply "$tmp/bad" 2>"$tmp/err" && wrong "33 matches, no longer forced"
live apply --force "$tmp/bad" || wrong "33 matches, forced again"
live detach
XT2_PERSIST=$tmp/persisted live apply "$tmp/persisted" 2>"$tmp/err" || wrong "33 matches, at boot: $(cat "$tmp/err")"
apply "$tmp/one"

# Targets that the kernel has in table raw alone: as many as bits of a note, and no more.
helpers() { printf '%s\n' '*raw' "$(seq "$1" | sed 's/.*/-A OUTPUT -p tcp --dport & -j CT --helper ftp --zone &/')" COMMIT; }
helpers 30 >"$tmp/thirty"
live apply "$tmp/thirty" 2>"$tmp/err" || wrong "30 helpers: $(cat "$tmp/err")"
[ "$(inside nft list table ip raw | grep -c 'xt target')" = 30 ] || wrong "30 helpers: $(inside nft list table ip raw)"
helpers 31 >"$tmp/bad"
live apply "$tmp/bad" 2>"$tmp/err" && wrong "31 helpers are live"
grep -q 'this CT is one of 31 different targets' "$tmp/err" || wrong "31 helpers: $(cat "$tmp/err")"
grep -q "$tmp/bad:32: " "$tmp/err" || wrong "31 helpers, no line: $(cat "$tmp/err")"
apply "$tmp/one"
one '-A INPUT -m quota --quota 9 -m cluster --cluster-total-nodes 2 --cluster-local-node 1 --cluster-hash-seed 1'
refused 3 'cannot match cluster'
one '-A INPUT -m connlabel --label 1 --set'
[ "$(live apply "$tmp/bad" 2>&1 | grep -c 'error')" = 1 ] || wrong "a match with an effect"

# Targets that decide: a queue without a listener, and a proxy without a socket.
printf '%s\n' '*mangle' '-A PREROUTING -d 127.0.0.8/32 -p udp -j TPROXY --on-port 9' \
	'-A OUTPUT -d 127.0.0.5/32 -j NFQUEUE --queue-num 9 --queue-bypass' '-A OUTPUT -d 127.0.0.5/32' \
	'-A OUTPUT -d 127.0.0.6/32 -j NFQUEUE --queue-num 9' COMMIT >"$tmp/last"
apply "$tmp/last"
before=$(faults)
passes 127.0.0.5 || wrong "a queue that is bypassed"
passes 127.0.0.6 && wrong "a queue without a listener"
passes 127.0.0.8 || wrong "what goes to no proxy"
[ "$(count '-A OUTPUT -d 127.0.0.5\/32')" = 0 ] || wrong "a queue decides, and the next rule counts"
[ "$(count '-A OUTPUT -d 127.0.0.6\/32 -j NFQUEUE --queue-num 9')" = 1 ] || wrong "a queue did not count"
[ "$(faults)" = "$before" ] || wrong "queues: faults"

# What the kernel has in tables of iptables' names only: beside what others have there.
cat >"$tmp/bound" <<'EOF'
*raw
-A OUTPUT -d 127.0.0.5/32 -p udp -j CT --helper tftp
-A OUTPUT -d 127.0.0.6/32 -j CT --zone 7
COMMIT
*mangle
-A OUTPUT -d 127.0.0.5/32 -j MARK --set-xmark 0x5/0xffffffff
-A OUTPUT -d 127.0.0.5/32 -p icmp -j CHECKSUM --checksum-fill
COMMIT
*filter
-A OUTPUT -d 127.0.0.9/32 -j SET --add-set none dst
-A INPUT -d 127.0.0.9/32 -m set --match-set none dst -j DROP
COMMIT
EOF
inside nft 'add table ip mangle; add chain ip mangle others'
apply "$tmp/bound"
bound() { inside nft list chains ip 2>/dev/null | grep -c 'xt2-bound'; }
[ "$(bound)" = 2 ] || wrong "chains in other tables: $(inside nft list chains)"
before=$(faults)
passes 127.0.0.5 || wrong "a checksum"
passes 127.0.0.6 || wrong "a zone"
passes 127.0.0.9 && wrong "a set that was added to"
inside ipset test none 127.0.0.9 2>/dev/null || wrong "nothing was added to a set"
# A helper reads what it is told to read: a transfer is expected.
inside bash -c "printf '\\0\\1a\\0octet\\0' >/dev/udp/127.0.0.5/69"
inside grep -q 'tftp' /proc/net/nf_conntrack_expect || wrong "a helper: $(inside cat /proc/net/nf_conntrack_expect)"
[ "$(faults)" = "$before" ] || wrong "bound steps: $(faults) faults, not $before"
live status >"$tmp/out" || wrong "bound: status: $(cat "$tmp/out")"
chain=$(inside nft list chains ip | sed -n 's/.*chain \(xt2-bound[^ ]*mangle[^ ]*\).*/\1/p')
for what in "delete chain ip mangle $chain" "flush chain ip mangle $chain"; do
	inside nft "$what" || wrong "$what"
	before=$(faults)
	passes 127.0.0.5 && wrong "$what: it passes"
	[ "$(faults)" -gt "$before" ] || wrong "$what: no fault"
	passes 127.0.0.6 || wrong "$what: others do not pass"
	live status >/dev/null 2>&1 && wrong "$what: status says nothing"
	live repair || wrong "$what: repair"
	chain=$(inside nft list chains ip | sed -n 's/.*chain \(xt2-bound[^ ]*mangle[^ ]*\).*/\1/p')
	before=$(faults)
	passes 127.0.0.5 || wrong "$what: repaired"
	[ "$(faults)" = "$before" ] || wrong "$what: repaired, and $(faults) faults"
done
# What is there is put there again once, not twice.
table=$(inside nft list tables | sed -n 's/table ip \(xt2-act.*\)/\1/p')
inside nft delete table ip "$table"
live repair || wrong "repair of what stands before such a step"
inside nft 'add table ip unrelated; delete table ip unrelated' # so that it is looked at again
live status >"$tmp/out" || wrong "repair of what stands before such a step: $(cat "$tmp/out")"
for i in 1 2 3; do
	apply "$tmp/bound"
	[ "$(bound)" = 2 ] || wrong "apply again: $(inside nft list chains)"
done

# A ruleset without them has nothing of it.
printf '*raw\nCOMMIT\n*mangle\nCOMMIT\n*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p icmp\nCOMMIT\n' >"$tmp/plain"
apply "$tmp/plain"
[ "$(tables)" = 0 ] || wrong "tables stay: $(inside nft list tables)"
[ "$(bound)" = 0 ] || wrong "chains stay: $(inside nft list chains)"
[ "$(inside nft list chains ip | grep -c 'chain others')" = 1 ] || wrong "what others have is gone"
inside nft list tables | grep -q 'ip raw' && wrong "a table stays that nobody has made"
inside nft delete table ip mangle
[ -z "$(find "$folder" -name '*gate-*')" ] || wrong "gates stay"
apply "$tmp/one"
whole "apply again"
live detach
[ "$(tables)" = 0 ] || wrong "detach: $(inside nft list tables)"
passes 127.0.0.7 || wrong "detach"
[ $failed = 0 ] && echo "steps and questions"
exit $failed
