#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What live rules of one name remember together, changed on all processors at once by packets that
# processes send and by those that come in between: each change is there, no limit lets one more through.
test=memory needs="ping taskset"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
limit="-m hashlimit --hashlimit-upto 1/hour --hashlimit-burst 30 --hashlimit-mode dstip --hashlimit-name few"
cat >"$tmp/rules" <<EOF
*filter
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A INPUT -m recent --set --name all --rsource
-A INPUT $limit
-A OUTPUT -m recent --set --name all --rdest
-A OUTPUT $limit
COMMIT
EOF
"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
senders=
for cpu in $(seq 0 $(($(nproc) - 1))); do
	for address in 1 2 3; do
		taskset -c "$cpu" ip netns exec "$ns" ping -q -f -w 3 127.0.0.$address >/dev/null &
		senders="$senders $!"
	done
done
# Whoever reads meanwhile sees lists that are whole.
for _ in $(seq 20); do
	"$xt2" state --netns "$ns" >"$tmp/state" || wrong "state"
	sed -n 's/^src=\([^ ]*\) .*/\1/p' "$tmp/state" | sort | uniq -d >"$tmp/twice"
	[ ! -s "$tmp/twice" ] || wrong "an address is there twice: $(cat "$tmp/state")"
done
# shellcheck disable=SC2086 # a list
wait $senders
"$xt2" counters --live --netns "$ns" >"$tmp/counters" || wrong "counters"
count() { sed -n "s/^ipv4 filter $1 \([0-9]*\) .*/\1/p" "$tmp/counters"; }
all=$(($(count 'INPUT 1') + $(count 'OUTPUT 1')))
few=$(($(count 'INPUT 2') + $(count 'OUTPUT 2')))
[ $all -gt 1000 ] || wrong "only $all packets"
[ $few = 90 ] || wrong "$few packets for 3 addresses of 30 each"
"$xt2" dump --live --netns "$ns" >"$tmp/dump" || wrong "dump"
cell() { sed -n "s/.* cell: .*, index $1, value //p" "$tmp/dump"; }
for memory in 0 16384; do
	[ "$(cell $memory)" = $all ] || wrong "$(cell $memory) changes for $all packets"
	[ "$(cell $((memory + 1)))" = 0 ] || wrong "a log was not given back"
done
"$xt2" status --netns "$ns" | grep -qx 'faults 0' || wrong "$("$xt2" status --netns "$ns")"
[ $failed = 0 ] && echo "$all packets, $few of them let through"
exit $failed
