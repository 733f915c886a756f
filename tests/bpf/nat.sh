#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# NAT of a live ruleset: each packet finds its target, however many there are; without companions
# packets are dropped; what others take away comes back; swaps and trials mix nothing up.
test=nat needs="iptables-legacy-restore ip6tables-legacy-restore iptables-nft-save nft python3 sysctl"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
nat=$(realpath "${top_srcdir:-.}/tests/bpf/nat.py")
xt2tables=$(dirname "$xt2")/links/xt2tables
# shellcheck disable=SC2317
also_clean() { # shellcheck disable=SC2086
	kill $server $second 2>/dev/null
}
server='' second=''
# A port that the kernel drew may have a connection when the same one is asked from later on.
inside sysctl -qw net.ipv4.ip_local_port_range='40000 60999'
rules() {	# RULE...
	printf '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n'
	printf '%s\n' "$@" COMMIT
}
ask() { inside python3 "$nat" ask "$@"; }
tables() { inside nft list tables | grep -c 'xt2-nat'; }
apply() { live apply "$@" || wrong "apply $*"; }

rules '-A OUTPUT -d 127.0.0.9/32 -p udp -m udp --dport 700 -j DNAT --to-destination 127.0.0.1:8001' \
	'-A OUTPUT -d 127.0.0.9/32 -p udp -m udp --dport 701 -j DNAT --to-destination 127.0.0.1:8002' \
	'-A OUTPUT -d 127.0.0.9/32 -p udp -m udp --dport 710 -j DNAT --to-destination 127.0.0.1:8001' >"$tmp/one"
live apply "$tmp/one" 2>"$tmp/err"
code=$?
if [ $code = 3 ]; then	# the kernel that takes programs of other tables has to take these
	printf '*filter\nCOMMIT\n' >"$tmp/filter"
	grep -q 'refuses the BPF programs' "$tmp/err" && live apply "$tmp/filter" 2>/dev/null && {
		wrong "$(cat "$tmp/err")"
		exit 1
	}
	skip "$(cat "$tmp/err")"
fi
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
mkfifo "$tmp/ready"
ip netns exec "$ns" python3 "$nat" serve 8001 8002 8003 700 >"$tmp/ready" & # not by a function: $! is it
server=$!
read -r _ <"$tmp/ready"

whole() {	# AFTER
	live status >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
	ask 127.0.0.9 700 701 >"$tmp/out"
	[ "$(cat "$tmp/out")" = "700: 8001 from 127.0.0.1
701: 8002 from 127.0.0.1" ] || wrong "$1: $(cat "$tmp/out")"
	[ "$(ask 127.0.0.1 700)" = "700: 700 from 127.0.0.1" ] || wrong "$1: others do not pass"
}
dropped() {	# AFTER
	before=$(faults)
	[ "$(ask 127.0.0.9 700)" = "700: none" ] || wrong "$1: packets pass: $(ask 127.0.0.9 700)"
	[ "$(ask 127.0.0.1 700)" = "700: 700 from 127.0.0.1" ] || wrong "$1: others do not pass"
	[ "$(faults)" = $((before + 1)) ] || wrong "$1: $(faults) faults, not $before and 1"
	live status >"$tmp/out" 2>"$tmp/err" && wrong "$1: status says nothing"
	grep -qx 'companions ipv4 missing' "$tmp/out" || wrong "$1: $(cat "$tmp/out")"
}
whole "apply"
live save --live -t nat | grep -v '^[#:]' >"$tmp/out"
grep -v '^:' "$tmp/one" | cmp -s - "$tmp/out" || wrong "save: $(cat "$tmp/out")"
for i in iptables-nft-save iptables-legacy-save; do
	inside $i 2>/dev/null | grep -q 'xt2\|bpf' && wrong "$i shows it: $(inside $i)"
done

inside nft flush ruleset
dropped "nft flush ruleset"
live repair || wrong "repair"
whole "repair"
table=$(inside nft list tables | sed -n 's/^table ip \(xt2-nat.\)$/\1/p')
inside nft delete table ip "$table"
dropped "nft delete table"
apply "$tmp/one"
whole "apply after a deleted table"
table=$(inside nft list tables | sed -n 's/^table ip \(xt2-nat.\)$/\1/p')
# shellcheck disable=SC2046
inside nft delete rule ip "$table" $(inside nft -a list table ip "$table" |
	sed -n 's/.*chain \([^ ]*\) .*/\1/; T rule; h; d; :rule; /8001/ { s/.*handle //; H; g; s/\n/ handle /p; q }')
dropped "nft delete rule"
"$xt2tables" --live --netns "$ns" -t mangle -A OUTPUT -d 192.0.2.1 -j DROP || wrong "xt2tables"
whole "xt2tables after a deleted rule"

# Edits: of nat, and beside it.
"$xt2tables" --live --netns "$ns" -t nat -I OUTPUT -d 127.0.0.9 -p udp --dport 702 -j REDIRECT --to-ports 8003 ||
	wrong "xt2tables -t nat"
[ "$(ask 127.0.0.9 702)" = "702: 8003 from 127.0.0.1" ] || wrong "xt2tables -t nat: $(ask 127.0.0.9 702)"
"$xt2tables" --live --netns "$ns" -t nat -D OUTPUT 1 || wrong "xt2tables -t nat -D"
[ "$(ask 127.0.0.9 702)" = "702: none" ] || wrong "xt2tables -t nat -D: $(ask 127.0.0.9 702)"
whole "edits"

# Many targets, in both families; the source, too.
{
	printf '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n'
	i=0
	while [ $i -lt 300 ]; do
		echo "-A OUTPUT -p udp -m udp --dport $((10000 + i)) -j REDIRECT --to-ports $((20000 + i))"
		i=$((i + 1))
	done
	echo '-A POSTROUTING -p udp -m udp --dport 20000:20099 -j SNAT --to-source 127.0.0.7'
	echo COMMIT
} >"$tmp/many"
sed 's/127.0.0.7/::7/; s/--to-source ::7/--to-source ::1/' "$tmp/many" >"$tmp/many6"
apply "$tmp/many" -6 "$tmp/many6"
ip netns exec "$ns" python3 "$nat" serve $(seq 20000 20299) >"$tmp/ready" &
second=$!
read -r _ <"$tmp/ready"
ask 127.0.0.1 $(seq 10000 10299) >"$tmp/out"
ask ::1 $(seq 10000 10299) >"$tmp/out6"
inside python3 "$nat" ask-first 5 127.0.0.1 $(seq 10000 10299) >"$tmp/out5"
# Somebody takes a rule of the short way to the companions, or its map: the way through the tree remains.
table=$(inside nft list tables | sed -n 's/^table ip \(xt2-nat.\)$/\1/p')
handle=$(inside nft -a list chain ip "$table" destination-quick 2>"$tmp/warnings" | sed -n 's/.*# handle \([0-9]*\)$/\1/p' | sed -n 4p)
inside nft delete rule ip "$table" destination-quick handle "$handle" 2>>"$tmp/warnings" || wrong "no rule of the short way"
ask 127.0.0.1 $(seq 10000 10299) >"$tmp/out-bit"
live status >"$tmp/status" 2>&1 && wrong "nobody sees that a rule is gone: $(cat "$tmp/status")"
inside nft flush map ip "$table" destination-map 2>>"$tmp/warnings" || wrong "no map"
ask 127.0.0.1 $(seq 10000 10299) >"$tmp/out-map"
live repair || wrong "repair"
live status >"$tmp/status" || wrong "something is missing: $(cat "$tmp/status")"
ask 127.0.0.1 $(seq 10000 10299) >"$tmp/out-repaired"
i=0
while [ $i -lt 300 ]; do
	from=127.0.0.7
	[ $i -lt 100 ] || from=127.0.0.1
	echo "$((10000 + i)): $((20000 + i)) from $from"
	i=$((i + 1))
done >"$tmp/wanted"
for i in out out5 out-bit out-map out-repaired; do
	cmp -s "$tmp/wanted" "$tmp/$i" || wrong "300 targets, $i: $(diff "$tmp/wanted" "$tmp/$i" | head -n 4)"
done
sed 's/from .*/from ::1/' "$tmp/wanted" | cmp -s - "$tmp/out6" || wrong "300 targets of IPv6: $(head -n 2 "$tmp/out6")"
[ "$(tables)" = 2 ] || wrong "300 targets: $(inside nft list tables)"

# Services: companions are found by the destination.  One has more targets than are found so, one is
# reached in another way as well, and one target is another's by its destination alone.
services() {	# ADDRESS BITS SERVER
	printf '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n'
	i=0
	while [ $i -lt 150 ]; do
		echo ":S$i - [0:0]"
		i=$((i + 1))
	done
	echo '-A OUTPUT -p udp -m udp --dport 9999 -j S149'
	i=0
	while [ $i -lt 150 ]; do
		echo "-A OUTPUT -d $1/$2 -p udp -m udp --dport $((10000 + i)) -j S$i"
		echo "-A S$i -p udp -m udp --sport 33000:33999 -j DNAT --to-destination $3:$((20150 + i))"
		echo "-A S$i -p udp -j DNAT --to-destination $3:$((20000 + i))"
		i=$((i + 1))
	done
	i=0
	while [ $i -lt 20 ]; do
		echo "-A OUTPUT -d $1/$2 -p udp -m udp --sport $((34000 + i)) --dport 9998 -j DNAT --to-destination $3:$((20000 + i))"
		i=$((i + 1))
	done
	echo COMMIT
}
services 127.0.0.9 32 127.0.0.1 >"$tmp/services"
services ::1 128 '[::1]' >"$tmp/services6"
before=$(faults)
apply "$tmp/services" -6 "$tmp/services6"
serve() {	# ADDRESS FIRST FILE: from both ranges of ports, then with a priority, and the others
	inside python3 "$nat" ask-from $((33000 + $2)) 0 "$1" $(seq 10000 10149) >"$tmp/$3"
	inside python3 "$nat" ask-from $((35000 + $2)) 0 "$1" $(seq 10000 10149) >>"$tmp/$3"
	inside python3 "$nat" ask-from $((36000 + $2)) 5 "$1" $(seq 10000 10149) >>"$tmp/$3"
	for i in 0 15 16 19; do
		inside python3 "$nat" ask-from $((34000 + i)) 0 "$1" 9998 >>"$tmp/$3"
	done
	inside python3 "$nat" ask-from $((37000 + $2)) 0 "$1" 9999 >>"$tmp/$3"
}
serve 127.0.0.9 0 served
serve ::1 0 served6
live status >"$tmp/status" 2>&1 || wrong "services: $(cat "$tmp/status")"
table=$(inside nft list tables | sed -n 's/^table ip \(xt2-nat.\)$/\1/p')
known() {	# PORT: its elements
	inside nft list map ip "$table" destination-known 2>>"$tmp/warnings" | grep -o "127.0.0.9 . $1 . [^,}]*"
}
[ "$(known '[0-9]*' | wc -l)" = 316 ] || wrong "known destinations: $(known '[0-9]*')"
# Somebody exchanges two destinations' targets: no packet finds another one's.
for i in 0 1; do
	known 10000 | sed -n "$((i + 1))p" >"$tmp/element"
	known 10001 | sed -n "$((2 - i))p" >"$tmp/other"
	inside nft "delete element ip $table destination-known { $(sed 's/ : .*//' "$tmp/element") };
		add element ip $table destination-known { $(sed 's/ : .*//' "$tmp/element") : $(sed 's/.* : //' "$tmp/other") }" ||
		wrong "no such element: $(cat "$tmp/element" "$tmp/other")"
done
serve 127.0.0.9 200 served-exchanged
# Those that are found so need no other way.
apply "$tmp/services" -6 "$tmp/services6"
for i in ip ip6; do
	inside nft flush chain $i "$(inside nft list tables | sed -n "s/^table $i \\(xt2-nat.\\)\$/\\1/p")" destination-bits || wrong "no other way"
done
inside python3 "$nat" ask-from 33400 0 127.0.0.9 $(seq 10000 10149) >"$tmp/served-known"
inside python3 "$nat" ask-from 33400 0 ::1 $(seq 10000 10149) >"$tmp/served-known6"
kill $second
for i in 20150 20000 20000; do
	seq 0 149 | while read -r j; do echo "$((10000 + j)): $((i + j)) from"; done
done >"$tmp/wanted"
for i in 0 15 16 19; do echo "9998: $((20000 + i)) from"; done >>"$tmp/wanted"
echo '9999: 20149 from' >>"$tmp/wanted"
for i in served-known served-known6; do
	head -n 150 "$tmp/wanted" | sed 's/ from//' >"$tmp/wanted-known"
	sed 's/ from .*//' "$tmp/$i" | cmp -s "$tmp/wanted-known" - || wrong "services, $i: $(sed 's/ from .*//' "$tmp/$i" | diff "$tmp/wanted-known" - | head -n 4)"
done
for i in served served6 served-exchanged; do
	sed 's/ from .*/ from/' "$tmp/$i" | cmp -s "$tmp/wanted" - || wrong "services, $i: $(sed 's/ from .*/ from/' "$tmp/$i" | diff "$tmp/wanted" - | head -n 4)"
done
[ "$(faults)" = "$before" ] || wrong "services: $(faults) faults, not $before"

# Swaps under a flood: the old target or the new one, and never none.  Its connections are remembered, so
# it has a port of its own.
rules '-A OUTPUT -d 127.0.0.9/32 -p udp -m udp --dport 710 -j REDIRECT --to-ports 8003' \
	'-A OUTPUT -d 127.0.0.9/32 -p udp -m udp --dport 720 -j REDIRECT --to-ports 8003' >"$tmp/two"
apply "$tmp/one"
before=$(faults)
inside python3 "$nat" flood 5 127.0.0.9 710 >"$tmp/flood" &
flood=$!
for i in two one two one two one; do
	apply "$tmp/$i"
done
wait $flood
[ "$(sed 's/: .*//' "$tmp/flood" | tr '\n' ,)" = "8001 from 127.0.0.1,8003 from 127.0.0.1," ] ||
	wrong "a flood: $(cat "$tmp/flood")"
[ "$(faults)" = "$before" ] || wrong "a flood: $(faults) faults, not $before"
whole "a flood"

# A trial that is not confirmed: the companions of the ruleset before are still there.
live apply --confirm 5m "$tmp/two" 2>/dev/null || wrong "apply --confirm"
[ "$(ask 127.0.0.9 720)" = "720: 8003 from 127.0.0.1" ] || wrong "the new ruleset is not live"
live apply "$tmp/many" 2>"$tmp/err" && wrong "apply during a trial"
[ "$(ask 127.0.0.9 720)" = "720: 8003 from 127.0.0.1" ] || wrong "a refused apply has changed something"
live confirm --no || wrong "confirm --no"
whole "a trial"

# Somebody else's NAT goes on after ours.
inside nft add table ip other
inside nft 'add chain ip other out { type nat hook output priority -100; }'
inside nft add rule ip other out ip daddr 127.0.0.8 udp dport 700 dnat to 127.0.0.1:8002
[ "$(ask 127.0.0.8 700)" = "700: 8002 from 127.0.0.1" ] || wrong "NAT of another table: $(ask 127.0.0.8 700)"
whole "another table"
inside nft delete table ip other

# What cannot be done is refused, by name.
rules '-A OUTPUT -p tcp -j DNAT --to-destination 127.0.0.1:1000-1009/1000' >"$tmp/offset"
live apply "$tmp/offset" 2>"$tmp/err" && wrong "a shift of ports is live"
grep -q 'cannot do DNAT' "$tmp/err" || wrong "a shift of ports: $(cat "$tmp/err")"
whole "a refusal"

# Without NAT there are no companions, and detach leaves none.
rules >"$tmp/none"
apply "$tmp/none" -6 "$tmp/none"
[ "$(tables)" = 0 ] || wrong "companions of an empty table: $(inside nft list tables)"
for i in "$(folder_of "$ns")"/gate-*; do
	[ ! -e "$i" ] || wrong "a gate of an empty table: $i"
done
apply "$tmp/many" -6 "$tmp/many6"
live detach || wrong "detach"
[ "$(inside nft list tables | wc -l)" = 0 ] || wrong "after detach: $(inside nft list tables)"
[ $failed = 0 ] && echo "NAT is carried out"
exit $failed
