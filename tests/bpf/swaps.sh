#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Rulesets swapped during floods, in a network namespace of the test's own:
#
#	ping -f 127.0.0.1, ping -f ::1  <->  lo     xt1 and xt2 at the same hooks
#
# Rules come and go around those that stay, and these must count what one rule of the kernel's own
# tables counts, to the packet and the byte; none may be lost, though commands are killed.
# XT2_SEED=N repeats a run, XT2_SHORT=1 swaps less often.
test=swaps needs="ping timeout iptables-legacy ip6tables-legacy"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
swaps=500 kills=100
[ -z "${XT2_SHORT:-}" ] || swaps=50 kills=20
seed=${XT2_SEED:-$(date +%s)}
# shellcheck disable=SC2317 # called in the end
also_clean() { touch "$tmp/stop"; wait; }
apply() { "$xt2" apply --netns "$ns" "$@"; }
counters() { "$xt2" counters --netns "$ns"; }

# What stays is the same in all variants: equal rules, a chain, state.  The rest depends on the variant.
rules() {	# PROTOCOL VARIANT
	printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD %s [0:0]\n:OUTPUT ACCEPT [0:0]\n' \
		"$([ $(($2 % 2)) = 0 ] && echo ACCEPT || echo DROP)"
	for chain in a m zz; do
		[ $chain = a ] && [ $(($2 % 3)) = 1 ] || printf ':%s - [0:0]\n' $chain
	done
	# a walk that takes a while, so that packets are on it when rulesets change
	seq 1000 | sed 's/.*/-A m -p 254/'
	printf -- '-A INPUT -j m\n'
	i=0
	while [ $i -lt "$2" ]; do
		i=$((i + 1))
		printf -- '-A INPUT -i lo%s -m comment --comment "%s"\n' $i "variant $2"
		[ $i != 2 ] || printf -- '-A INPUT -m quota --quota %s000\n' $i
	done
	[ $(($2 % 3)) = 1 ] || printf -- '-A INPUT -j a\n'
	printf -- '-A INPUT -p %s\n-A INPUT -p %s\n' "$1" "$1"
	printf -- '-A OUTPUT -p %s -m comment --comment "out"\n-A OUTPUT -g zz\n' "$1"
	[ $(($2 % 4)) != 1 ] || printf -- '-A INPUT -p %s\n' "$1"
	printf -- '-A INPUT -p %s -m statistic --mode nth --every 3 --packet 0\n' "$1"
	printf -- '-A INPUT -p %s -m quota --quota 100000\n-A zz -p %s -j ACCEPT\n' "$1" "$1"
	[ $(($2 % 3)) = 1 ] || printf -- '-A a -i lo\n'
	echo COMMIT
}
v=0
while [ $v -lt 8 ]; do
	rules icmp $v >"$tmp/v4.$v"
	rules ipv6-icmp $v >"$tmp/v6.$v"
	v=$((v + 1))
done
apply "$tmp/v4.0" -6 "$tmp/v6.0" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
for tables in iptables-legacy ip6tables-legacy; do
	proto=icmp
	[ $tables = iptables-legacy ] || proto=ipv6-icmp
	inside $tables -A INPUT -p $proto || { echo "SKIP: no $tables here"; exit 77; }
	inside $tables -A OUTPUT -p $proto
done

flood() {	# FAMILY ADDRESS
	while [ ! -e "$tmp/stop" ]; do
		inside ping "$1" -q -f -c 1000 "$2" | grep 'packet loss' >>"$tmp/pings$1"
	done
}
flood -4 127.0.0.1 &
flood -6 ::1 &

random() {	# BELOW: sets n
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	n=$((seed / 65536 % $1))
}
pick() {	# sets the arguments of a swap in $rulesets: one family, the other, or both
	random 8
	rulesets="-4 $tmp/v4.$n"
	random 8
	case $((seed / 65536 / 8 % 3)) in
	0) rulesets="-6 $tmp/v6.$n" ;;
	1) rulesets="$rulesets -6 $tmp/v6.$n" ;;
	esac
}
last=0
look() {	# what counts never goes back
	now=$(counters | awk '$1 == "ipv4" && $3 == "zz" { print $5 }')
	[ "${now:-0}" -ge "$last" ] || wrong "counted $now after $last"
	last=${now:-0}
}

echo "XT2_SEED=$seed"
i=0
while [ $i -lt $swaps ]; do
	i=$((i + 1))
	pick
	# shellcheck disable=SC2086 # words
	apply $rulesets || wrong "swap $i: apply $rulesets"
	[ $((i % 20)) != 0 ] || look
done
i=0 late=0
while [ $i -lt $kills ]; do
	i=$((i + 1))
	pick
	random 60
	# shellcheck disable=SC2086
	timeout -s KILL "$(printf 0.%03d $((n + 1)))" "$xt2" apply --netns "$ns" $rulesets 2>/dev/null && late=$((late + 1))
	[ $((i % 5)) != 0 ] || look
done
touch "$tmp/stop"
wait
i=0
until apply "$tmp/v4.0" -6 "$tmp/v6.0" 2>"$tmp/err"; do # who was killed may still be on the way out
	i=$((i + 1))
	[ $i -lt 20 ] || { wrong "after the kills: $(cat "$tmp/err")"; break; }
	sleep 0.2
done

counters >"$tmp/counters"
witness() {	# PROGRAM CHAIN: sets packets and bytes
	# shellcheck disable=SC2046
	set -- $(inside "$1" -nvxL "$2" | awk 'NR == 3 { print $1, $2 }')
	packets=$1 bytes=$2
}
expect() {	# FAMILY CHAIN RULE PACKETS BYTES
	grep -qx "$1 filter $2 $3 $4 $5" "$tmp/counters" ||
		wrong "$1: not $4 $5 but $(grep "$1 filter $2 $3 " "$tmp/counters")"
}
for family in 4 6; do
	tables=iptables-legacy
	[ $family = 4 ] || tables=ip6tables-legacy
	witness $tables OUTPUT
	expect ipv$family OUTPUT 1 "$packets" "$bytes"
	expect ipv$family OUTPUT 2 "$packets" "$bytes"
	expect ipv$family zz 1 "$packets" "$bytes"
	witness $tables INPUT
	expect ipv$family INPUT 3 "$packets" "$bytes"
	expect ipv$family INPUT 4 "$packets" "$bytes"
	expect ipv$family INPUT policy "$packets" "$bytes"
	size=$((bytes / packets))
	third=$(((packets + 2) / 3)) # the first, the fourth, and so on
	expect ipv$family INPUT 5 $third $((third * size))
	fit=$((100000 / size))
	expect ipv$family INPUT 6 $fit $((fit * size))
	[ "$packets" -gt 4000 ] || wrong "ipv$family: only $packets packets"
	grep -v ' 0% packet loss' "$tmp/pings-$family" && wrong "ipv$family: packets lost"
done
"$xt2" status --netns "$ns" >"$tmp/status"
grep -qx 'faults 0' "$tmp/status" || wrong "$(grep faults "$tmp/status")"
[ $failed = 0 ] && echo "$swaps swaps, $kills kills ($late came too late), $packets packets of IPv6, all counted"
exit $failed
