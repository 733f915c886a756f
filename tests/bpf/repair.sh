#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What others take away from a live ruleset (connection tracking by "nft flush ruleset", hooks, pins) is
# said by xt2 status, with exit code 1, and comes back by xt2 repair, and by each command that makes
# something live or keeps it; rules and counters stay.
test=repair needs="bpftool mount nft ping python3 umount"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
bin=$(dirname "$xt2")
pin=$tmp/pin
# shellcheck disable=SC2317 # called in the end
also_clean() { umount "$pin" 2>/dev/null; }
rules() {	# STATES
	printf '*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
	printf -- '-A INPUT -m conntrack --ctstate %s -j ACCEPT\nCOMMIT\n' "$1"
	printf '*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n'
}
rules NEW,ESTABLISHED >"$tmp/rules"
live apply "$tmp/rules" -6 "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
passes() { inside ping -q -c 1 -W 0.5 "$1" >/dev/null; }
whole() {	# AFTER
	live status >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
	grep -q 'missing\|off' "$tmp/out" && wrong "$1: $(cat "$tmp/out")"
	for i in 127.0.0.1 ::1; do passes $i || wrong "$1: $i cannot be reached"; done
}
broken() {	# WHAT LINE: of xt2 status
	live status >"$tmp/out" 2>"$tmp/err"
	code=$?
	[ $code = 1 ] || wrong "$1: exit code $code"
	grep -qx "$2" "$tmp/out" || wrong "$1: not \"$2\" but $(cat "$tmp/out")"
	grep -q 'hint: xt2 repair' "$tmp/err" || wrong "$1: $(cat "$tmp/err")"
}
flush() {
	inside nft flush ruleset || wrong "flush"
	passes 127.0.0.1 && wrong "flush: connections are tracked all the same"
	broken "flush" "conntrack ipv4 off"
	broken "flush" "conntrack ipv6 off"
	grep -q 'connections are not tracked' "$tmp/err" || wrong "flush: $(cat "$tmp/err")"
}
count() { live counters -4 -t filter --chain INPUT | awk '$4 == 1 { print $5 }'; }

whole "apply"
flush
counted=$(count)
live repair || wrong "repair"
[ "$(count)" = "$counted" ] || wrong "repair: $(count) packets, not $counted"
whole "repair"
[ "$(count)" = $((counted + 2)) ] || wrong "after repair: $(count) packets, not $counted and 2"
live repair || wrong "repair of what is whole"
flush
live apply "$tmp/rules" -6 "$tmp/rules" || wrong "apply"
whole "apply after a flush"
flush
printf '*raw\n-A OUTPUT -o lo\nCOMMIT\n' | "$bin/xt2tables-restore" --live --netns "$ns" -n || wrong "restore"
whole "restore after a flush"
rules ESTABLISHED,NEW,RELATED >"$tmp/new"
live apply --confirm 5m "$tmp/new" -6 "$tmp/new" || wrong "apply --confirm"
flush
live confirm || wrong "confirm"
whole "confirm after a flush"

# Hooks: pins that are gone, and links that were taken off.
folder=$(folder_of "$ns")
rm "$folder/filter-ipv4-INPUT" "$folder/raw-ipv6-OUTPUT"
broken "a pin" "hook ipv4 filter INPUT missing"
broken "a pin" "hook ipv6 raw OUTPUT missing"
broken "a pin" "hook ipv4 filter OUTPUT"
grep -q 'hooks are missing' "$tmp/err" || wrong "a pin: $(cat "$tmp/err")"
counted=$(count)
live repair || wrong "repair of pins"
whole "repair of pins"
[ "$(count)" = $((counted + 2)) ] || wrong "after repair of pins: $(count) packets, not $counted and 2"
detach_link() {
	id=$(bpftool -j link show pinned "$folder/$1" | sed 's/.*"id":\([0-9]*\).*/\1/')
	bpftool link detach id "$id" || wrong "bpftool link detach $id"
}
for i in "repair" "apply $tmp/rules -6 $tmp/rules"; do
	detach_link filter-ipv4-INPUT
	broken "a link" "hook ipv4 filter INPUT missing"
	counted=$(count)
	# shellcheck disable=SC2086 # words
	live $i || wrong "$i of a link"
	whole "$i of a link"
done
live detach || wrong "detach"
live repair 2>"$tmp/err"
[ $? = 1 ] || wrong "repair of nothing"

# A file system that is unmounted takes all with it.
mkdir "$pin"
mount -t bpf bpf "$pin" || wrong "mount"
live apply --pin "$pin" "$tmp/rules" || wrong "apply --pin"
umount "$pin"
live status --pin "$pin" 2>"$tmp/err"
[ $? = 2 ] || wrong "status of what is not mounted"
grep -q "$pin: not a BPF file system" "$tmp/err" || wrong "$(cat "$tmp/err")"
inside nft list tables | grep -q xt2-conntrack || wrong "nothing was left by the unmounted one"
# A mount namespace that was made meanwhile has a copy of the mount, until its processes end.
for i in $(seq 240); do
	live status 2>/dev/null | grep -q ^stray || break
	sleep 0.25
done
printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n' >"$tmp/plain"
live apply "$tmp/plain" || wrong "apply of rules without connections"
inside nft list tables | grep xt2-conntrack && wrong "connections are tracked for nobody"
live apply "$tmp/rules" -6 "$tmp/rules" || wrong "apply after an unmount"
whole "apply after an unmount"
[ $failed = 0 ] && echo "what was taken away is named, and comes back"
exit $failed
