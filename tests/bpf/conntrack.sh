#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Connection tracking is on as long as a live ruleset asks about connections, in
# the families in which it does, and in no other way does anything change.
test=conntrack needs="nft ping python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
live() { "$xt2" "$@" --netns "$ns"; }

rules() {	# RULE...
	printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
	printf '%s\n' "$@"
	echo COMMIT
}
rules '-A INPUT -i lo' >"$tmp/plain"
rules '-A OUTPUT -m connmark --mark 1' >"$tmp/mark"
rules '-A INPUT -m state --state NEW' >"$tmp/state"
rules '-A INPUT -m conntrack --ctstate NEW' '-A INPUT -m conntrack --ctstate ESTABLISHED' \
	'-A INPUT -m conntrack --ctstate RELATED' '-A INPUT -m conntrack --ctstate INVALID' \
	'-A INPUT -m conntrack --ctdir REPLY' '-A INPUT -m conntrack ! --ctstatus SEEN_REPLY' \
	'-A INPUT -p udp -m conntrack --ctreplsrc 127.0.0.1 --ctreplsrcport 999' \
	'-A INPUT -m conntrack --ctproto 17' '-A INPUT -m conntrack --ctorigdst 127.0.0.0/8' \
	'-A INPUT -m conntrack --ctstatus CONFIRMED --ctexpire 2:30' \
	'-A INPUT -m connmark --mark 0' '-A INPUT -m connmark ! --mark 0' >"$tmp/all"

# Are new connections tracked?  Each step has ports of its own; old connections stay a while.
n=1000
tracks() {	# FAMILY ADDRESS
	inside python3 -c "
import socket
socket.socket(socket.$1, socket.SOCK_DGRAM).sendto(b'', ('$2', $n))"
	inside grep -c " dport=$n " /proc/net/nf_conntrack
}
want() {	# IPv4 IPv6 WHEN: 1 if new connections are tracked, else 0
	n=$((n + 1))
	got=$(tracks AF_INET 127.0.0.1)
	n=$((n + 1))
	got="$got $(tracks AF_INET6 ::1)"
	[ "$got" = "$1 $2" ] || wrong "$3: tracked $got, not $1 $2"
	tables=$(inside nft list tables | grep -c xt2-conntrack)
	[ "$tables" = $(($1 + $2)) ] || wrong "$3: $tables tables"
	# xt2's own do nothing to packets
	inside nft list ruleset | grep -E 'hook|jump|drop' && wrong "$3: more than tracking"
}
says() {	# LINE of xt2 status
	live status >"$tmp/status"
	grep -qx "$1" "$tmp/status" || wrong "no '$1' in: $(cat "$tmp/status")"
}

want 0 0 "at first"
live apply "$tmp/plain" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
want 0 0 "rules without connections"
live status | grep conntrack && wrong "status of rules without connections"
live apply "$tmp/state" || wrong "state"
want 1 0 "state"
says 'conntrack ipv4 on'
live apply "$tmp/plain" -6 "$tmp/mark" || wrong "mark"
want 0 1 "connmark of IPv6"
says 'conntrack ipv6 on'

# What fails changes nothing.
rules '-A INPUT -m state --state NEW' '-A INPUT -j QUEUE' >"$tmp/bad"
live apply "$tmp/bad" 2>/dev/null && wrong "QUEUE was taken"
want 0 1 "after a refusal"
for t in 0.005 0.02 0.04; do
	timeout -s KILL $t "$xt2" apply --netns "$ns" "$tmp/state" 2>/dev/null
done
for _ in 1 2 3 4 5 6 7 8 9 10; do # who was killed may still be on the way out
	live apply "$tmp/mark" -6 "$tmp/plain" 2>"$tmp/err" && break
	sleep 0.2
done
want 1 0 "after kills"

# Somebody else's table goes; the next ruleset brings it back.
inside nft flush ruleset
says 'conntrack ipv4 off'
live apply "$tmp/all" || wrong "all matches"
want 1 0 "all matches"
says 'conntrack ipv4 on'
live apply --counters reset "$tmp/all" || wrong "all matches again"
inside ping -q -c 2 -i 0.2 127.0.0.1 >/dev/null || wrong "ping"
inside python3 -c "
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', 999))"
# Two echo requests and replies; a datagram and its ICMP error.
got=$(live counters --chain INPUT | awk '/^ipv4/ && $4 != "policy" { printf "%s ", $5 }')
[ "$got" = "2 3 1 0 3 3 1 2 6 6 6 0 " ] || wrong "counters $got"

live detach || wrong "detach"
want 0 0 "after detach"
live apply "$tmp/state" || wrong "state at first"
want 1 0 "state at first"
live detach || wrong "detach"
want 0 0 "after the second detach"
[ $failed = 0 ] && echo "tracking on and off, $((n - 1000)) connections"
exit $failed
