#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A ruleset that takes the kernel's patience: what is not evaluated to the end is dropped and counts
# as a fault, and the packets that do not go there pass.
test=budget needs="ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"

# 250 times 250 times 1,000 rules, no two alike, for large packets: as many chains as may be entered.
awk 'BEGIN {
	print "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]"
	for (c = 1; c <= 3; c++) print ":c" c " - [0:0]"
	print "-A INPUT -m length --length 1000:65535 -j c1"
	for (c = 1; c <= 2; c++)
		for (i = 0; i < 250; i++) print "-A c" c " -p icmp -j c" c + 1
	for (i = 0; i < 1000; i++) print "-A c3 -m length --length " i ":65535"
	print "COMMIT"
}' >"$tmp/rules"
"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }

ip netns exec "$ns" ping -q -c 1 -W 1 -s 1000 127.0.0.1 >/dev/null && wrong "it passed"
ip netns exec "$ns" ping -q -c 1 127.0.0.1 >/dev/null || wrong "the short way is closed"
"$xt2" status --netns "$ns" >"$tmp/status"
grep -qx 'faults 1' "$tmp/status" || wrong "$(grep faults "$tmp/status")"
"$xt2" counters --netns "$ns" --chain INPUT >"$tmp/counters"
grep -qx 'ipv4 filter INPUT 1 1 1028' "$tmp/counters" || wrong "$(cat "$tmp/counters")"
grep -qx 'ipv4 filter INPUT policy 2 168' "$tmp/counters" || wrong "$(cat "$tmp/counters")"
[ $failed = 0 ] && echo "1 packet without an end, 2 others"
exit $failed
