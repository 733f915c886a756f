#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A ruleset that takes the kernel's patience: what is not evaluated to the end is dropped and counts
# as a fault, and the packets that do not go there pass.  Edits that would make packets meet more rules
# than is allowed are refused; others stay edits, however many chains there are.
test=budget needs="ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
build=$(realpath "${top_builddir:-.}")

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

# 250 times 10 times 100,000 rules: four times that is allowed, five times is not; to be sure of
# the fourth, all chains have to be looked at
live() {
	"$build/links/xt2tables" --live --netns "$ns" "$@"
}
awk 'BEGIN {
	print "*filter\n:INPUT ACCEPT [0:0]"
	for (c = 1; c <= 3; c++) print ":c" c " - [0:0]"
	print "-A INPUT -m length --length 1000:65535 -j c1"
	for (i = 0; i < 250; i++) print "-A c1 -p icmp -j c2"
	for (i = 0; i < 10; i++) print "-A c2 -p icmp -j c3"
	for (i = 0; i < 100000; i++) print "-A c3 -s 10." int(i / 250) % 250 "." i % 250 ".1 -j DROP"
	print "COMMIT"
}' >"$tmp/rules"
"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err" || wrong "$(cat "$tmp/err")"
for i in 2 3 4; do
	live -A INPUT -m length --length "$i" -j c1 || wrong "rule $i"
done
live -A INPUT -m length --length 5 -j c1 2>"$tmp/err" && wrong "there is no limit"
grep -q 'a packet may meet 125[0-9]* rules' "$tmp/err" || wrong "$(cat "$tmp/err")"
live -A c3 -p tcp || wrong "a rule at the end"
"$xt2" history --live --netns "$ns" -n 4 >"$tmp/history"
[ "$(grep -c '  edit  ' "$tmp/history")" = 3 ] || wrong "$(cat "$tmp/history")"

# a chain that leads to each of many
awk 'BEGIN {
	print "*filter\n:INPUT ACCEPT [0:0]"
	for (c = 1; c <= 35000; c++) print ":c" c " - [0:0]"
	for (c = 1; c <= 35000; c++) print "-A INPUT -s 10." int(c / 250) "." c % 250 ".1 -j c" c "\n-A c" c " -j DROP"
	print "COMMIT"
}' >"$tmp/rules"
"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err" || wrong "$(cat "$tmp/err")"
live -I INPUT 35000 -j c35000 || wrong "a rule more"
live -N new || wrong "a chain more"
live -A INPUT -j new || wrong "a rule that leads to it"
live -A new -p tcp -j c1 || wrong "a rule of it"
"$xt2" history --live --netns "$ns" -n 4 >"$tmp/history"
[ "$(grep -c '  edit  ' "$tmp/history")" = 4 ] || wrong "$(cat "$tmp/history")"
[ $failed = 0 ] && echo "1 packet without an end, 2 others, 7 edits"
exit $failed
