#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A ruleset that takes the kernel's patience: what is not evaluated to the end is dropped and counts
# as a fault, and the packets that do not go there pass.
[ "$(id -u)" = 0 ] || { echo "SKIP: only root loads BPF programs"; exit 77; }
for i in ip ping; do
	command -v $i >/dev/null || { echo "SKIP: no $i"; exit 77; }
done
xt2=$(realpath "${top_builddir:-.}/xt2")
tmp=$(mktemp -d) || exit 99
ns=xt2-budget-$$
failed=0
# shellcheck disable=SC2317 # called by trap
clean() {
	"$xt2" detach --netns "$ns" 2>/dev/null
	ip netns del "$ns" 2>/dev/null
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' INT TERM
ip netns add "$ns" || { echo "SKIP: no network namespaces"; exit 77; }
ip -n "$ns" link set lo up
wrong() { echo "WRONG: $*"; failed=1; }

# 250 times 250 times 250 times 250 rules, for large packets.
awk 'BEGIN {
	print "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]"
	for (c = 1; c <= 4; c++) print ":c" c " - [0:0]"
	print "-A INPUT -m length --length 1000:65535 -j c1"
	for (c = 1; c <= 4; c++)
		for (i = 0; i < 250; i++) print "-A c" c " -p icmp" (c < 4 ? " -j c" c + 1 : "")
	print "COMMIT"
}' >"$tmp/rules"
"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || { echo "SKIP: $(cat "$tmp/err")"; exit 77; }
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
