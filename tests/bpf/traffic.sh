#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Live rulesets with traffic, in a network namespace of the test's own:
#
#	ping, ping6, UDP  <->  lo     xt1 and xt2 at the same hooks
#
# Each rule's counters are compared with those of the kernel's own tables.
test=traffic needs="ping python3 iptables-legacy-restore ip6tables-legacy-restore unshare"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"

rules() {	# ADDRESS PROTOCOL-OPTIONS
	printf '*%s\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n' filter
	printf ':%s - [0:0]\n' a b
	printf -- '-A INPUT -s %s -d %s -j a\n' "$1" "$1"
	printf -- '-A INPUT -i lo\n-A INPUT ! -i lo\n-A INPUT -i l+ -p %s\n' "$2"
	printf -- '-A INPUT -p udp -m udp --dport 4444 -j ACCEPT\n'
	printf -- '-A INPUT -m length --length 60:120\n-A INPUT -m u32 --u32 "0>>28=4,6"\n'
	printf -- '-A OUTPUT -o lo -j a\n-A OUTPUT -g b\n'
	printf -- '-A a -p udp -m multiport --dports 1,4444\n-A a -m pkttype --pkt-type unicast\n'
	printf -- '-A a ! -s %s -j DROP\n-A b -m comment --comment "the end" -j ACCEPT\n' "$1"
	echo COMMIT
}
rules 127.0.0.1 icmp >"$tmp/rules4"
rules ::1 icmpv6 | sed 's/-m length.*/-m hl --hl-eq 64/' >"$tmp/rules6"

"$xt2" apply --force --netns "$ns" -4 "$tmp/rules4" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
[ -z "${OLD_KERNEL:-}" ] || grep -q "old kernel: $OLD_KERNEL" "$tmp/err" || wrong "this is no old kernel"

udp() {	# ADDRESS FAMILY
	inside python3 -c "
import socket
s = socket.socket(socket.$2, socket.SOCK_DGRAM)
for i in range(500):
    s.sendto(b'x' * (i % 100), ('$1', 4444 + i % 2))"
}
flood() {	# FAMILY ADDRESS
	inside ping "$1" -q -f -c 4000 "$2" >"$tmp/ping$1.a" &
	a=$!
	inside ping "$1" -q -f -c 4000 -s 20 "$2" >"$tmp/ping$1.b" &
	b=$!
	udp "$2" "$3"
	wait $a $b
}
# xt1's counters in the form of xt2's: rules in order, then the policy.
legacy() {	# PROGRAM FAMILY
	inside "$1" -c -t filter | awk -v family="$2" '
		/^:/ { if ($2 != "-") { split($3, p, "[^0-9]"); policy[substr($1, 2)] = p[2] " " p[3]; } }
		/^\[/ { split($1, p, "[^0-9]"); print family, "filter", $3, ++n[$3], p[2], p[3] }
		END { for (c in policy) print family, "filter", c, "policy", policy[c] }' | sort
}
compare() {	# FAMILY LEGACY-SAVE
	legacy "$2" "$1" >"$tmp/xt1"
	"$xt2" counters --netns "$ns" | grep "^$1" | sort >"$tmp/xt2"
	[ "$(wc -l <"$tmp/xt2")" -gt 14 ] || wrong "$1: too few counters"
	diff "$tmp/xt1" "$tmp/xt2" || wrong "$1: counters differ"
	"$xt2" status --netns "$ns" >"$tmp/status"
	grep -qx 'faults 0' "$tmp/status" || wrong "$1: faults"
	awk '$4 == 1 && $5 > 8000' "$tmp/xt2" | grep -q . || wrong "$1: no traffic"
}
inside iptables-legacy-restore "$tmp/rules4" || exit 1
flood -4 127.0.0.1 AF_INET
compare ipv4 iptables-legacy-save
inside iptables-legacy -P INPUT ACCEPT
inside iptables-legacy -F

# Beside the IPv4 rules.
"$xt2" apply --force --netns "$ns" -6 "$tmp/rules6" || wrong "the second ruleset"
inside ip6tables-legacy-restore "$tmp/rules6" || exit 1
flood -6 ::1 AF_INET6
compare ipv6 ip6tables-legacy-save

# Replaced in the middle of a flood: no packet is lost.
inside ping -6 -q -f -c 20000 ::1 >"$tmp/swaps" &
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$xt2" apply --force --netns "$ns" -6 "$tmp/rules6" || wrong "apply during a flood"
done
wait $!
grep -q ' 0% packet loss' "$tmp/swaps" || wrong "$(cat "$tmp/swaps")"

# A kill leaves what was live, or the next.
for t in 0.005 0.01 0.02 0.04 0.06; do
	timeout -s KILL $t "$xt2" apply --force --netns "$ns" -6 "$tmp/rules6" 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do # who was killed may still be on the way out
		"$xt2" counters --netns "$ns" >"$tmp/after" 2>"$tmp/err" && break
		sleep 0.2
	done
	[ -s "$tmp/err" ] && wrong "after a kill: $(cat "$tmp/err")"
	cmp -s "$tmp/after" /dev/null && wrong "nothing after a kill"
done
"$xt2" apply --force --netns "$ns" -6 "$tmp/rules6" || wrong "apply after kills"

# What can't be done is refused by name, and nothing changes.
"$xt2" counters --netns "$ns" >"$tmp/before"
refused() {	# NAME RULE
	sed "s/^-A b.*/$2/" "$tmp/rules6" >"$tmp/bad"
	"$xt2" apply --force --netns "$ns" -6 "$tmp/bad" 2>"$tmp/err"
	code=$?
	grep -q "cannot $1" "$tmp/err" || code=$(cat "$tmp/err")
	[ "$code" = 3 ] || wrong "$2: $code"
}
refused 'do QUEUE' '-A b -j QUEUE'
refused 'match connlimit' '-A b -m quota --quota 9 -m connlimit --connlimit-above 1'
refused 'do HMARK' '-A b -j HMARK --hmark-tuple src --hmark-mod 7 --hmark-rnd 1'
head -c 500 /dev/urandom >"$tmp/junk"
"$xt2" apply --force --netns "$ns" "$tmp/junk" 2>/dev/null
[ $? = 2 ] || wrong "junk was taken"
"$xt2" counters --netns "$ns" | cmp -s - "$tmp/before" || wrong "a refusal changed something"

# Not for everybody, and nothing is left behind.
if id nobody >/dev/null 2>&1 && command -v setpriv >/dev/null; then
	setpriv --reuid nobody --clear-groups "$xt2" status 2>"$tmp/err" && wrong "status for nobody"
	grep -q "root's" "$tmp/err" || echo "nobody could not start xt2: $(cat "$tmp/err")"
fi
"$xt2" detach --netns "$ns" || wrong "detach"
# The kernel's own tables have the priorities now.
"$xt2" apply --force --netns "$ns" -6 "$tmp/rules6" || wrong "behind the kernel's tables"
inside ping -6 -q -c 1 -W 1 ::1 >/dev/null || wrong "no packets behind the kernel's tables"
"$xt2" counters --netns "$ns" --chain INPUT | grep -q ' 1 2 208$' || wrong "not behind the kernel's tables"
"$xt2" detach --netns "$ns" || wrong "detach"
"$xt2" status --netns "$ns" 2>/dev/null
[ $? = 1 ] || wrong "status after detach"
inside ping -6 -q -c 1 -W 1 ::1 >/dev/null || wrong "no packets after detach"
[ $failed = 0 ] && echo "counters equal, 10 rulesets during a flood, 5 kills"
exit $failed
