#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that others take off its hook, or whose pin they remove, is missed by the guard of the hook, which
# drops all packets; the next command that changes what is live brings it back.  Nothing is dropped while
# rulesets with other tables and gates follow each other.
test=guard needs="bpftool ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
edit=$(dirname "$xt2")/links/xt2tables
passes() { inside ping -q -c 1 -W 0.3 "$1" >"$tmp/out" 2>&1; }

cat >"$tmp/rules" <<END
*mangle
-A OUTPUT -d 127.0.0.5 -j MARK --set-mark 5
COMMIT
*filter
-A INPUT -s 127.0.0.9 -p icmp -j DROP
-A INPUT -m mark --mark 5 -j REJECT
COMMIT
END
live apply "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
folder=$(folder_of "$ns")
heal() {
	case $1 in
	repair) live repair ;;
	edit) "$edit" --live --netns "$ns" -A INPUT -s 192.0.2.1 -j DROP && "$edit" --live --netns "$ns" -D INPUT -s 192.0.2.1 -j DROP ;;
	apply) live apply "$tmp/rules" ;;
	esac 2>"$tmp/err" || wrong "$1: $(cat "$tmp/err")"
}
whole() {
	live status >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
	passes 127.0.0.1 || wrong "$1: nothing passes"
	passes 127.0.0.5 && wrong "$1: what is rejected passes"
}
whole "apply"
before=$(faults)
[ "$before" = 0 ] || wrong "$before faults"
for link in filter-ipv4-INPUT mangle-ipv4-OUTPUT gate-filter-ipv4-INPUT gate-mangle-ipv4-OUTPUT guard-ipv4-INPUT; do
	for way in detach rm; do
		for by in repair edit apply; do
			before=$(faults)
			case $way in
			detach) bpftool link detach pinned "$folder/$link" || wrong "bpftool" ;;
			rm) rm "$folder/$link" || wrong "no pin $link" ;;
			esac
			live status >"$tmp/out" 2>&1 && wrong "$way $link: $(cat "$tmp/out")"
			case $link in
			guard*) passes 127.0.0.1 || wrong "$way $link: nothing passes" ;;
			*)
				passes 127.0.0.1 && wrong "$way $link: packets pass"
				[ "$(faults)" != "$before" ] || wrong "$way $link: no faults"
				;;
			esac
			heal $by
			before=$(faults)
			whole "$way $link, $by"
			[ "$(faults)" = "$before" ] || wrong "$way $link, $by: faults"
		done
	done
done

# Tables and gates come and go beside packets.
cat >"$tmp/other" <<END
*filter
-A INPUT -s 127.0.0.9 -p icmp -j DROP
COMMIT
*security
-A INPUT -s 127.0.0.9 -p icmp -j DROP
COMMIT
*nat
-A OUTPUT -d 127.0.0.6 -j DNAT --to-destination 127.0.0.1
COMMIT
END
before=$(faults)
ip netns exec "$ns" ping -q -f -w 120 -W 1 127.0.0.1 >"$tmp/flood" 2>&1 &
flood=$!
for i in 1 2 3 4 5 6; do
	live apply "$tmp/other" || wrong "apply"
	live apply "$tmp/rules" || wrong "apply"
done
kill -INT $flood
wait $flood
[ "$(faults)" = "$before" ] || wrong "swaps: $(faults) faults, not $before"
lost=$(sed -n 's/.* \([0-9]*\) packets transmitted, \([0-9]*\) received.*/\1 \2/p; s/^\([0-9]*\) packets transmitted, \([0-9]*\) received.*/\1 \2/p' "$tmp/flood")
# shellcheck disable=SC2086 # two words
set -- $lost
[ "${1:-0}" -gt 100 ] || wrong "swaps: $(cat "$tmp/flood")"
[ $(($1 - $2)) -le 1 ] || wrong "swaps: $(cat "$tmp/flood")"

# It is the gate of table nat as well, but in OUTPUT.
for rule in 'PREROUTING -d 127.0.0.6/32 -p icmp -j REDIRECT' 'INPUT -d 127.0.0.6/32 -j SNAT --to-source 127.0.0.2' \
	'POSTROUTING -d 127.0.0.6/32 -j SNAT --to-source 127.0.0.2' 'OUTPUT -d 127.0.0.6/32 -j DNAT --to-destination 127.0.0.1'; do
	printf '*nat\n-A %s\nCOMMIT\n' "$rule" >"$tmp/nat"
	live apply "$tmp/nat" 2>"$tmp/err" || wrong "$rule: $(cat "$tmp/err")"
	before=$(faults)
	passes 127.0.0.6 || wrong "$rule: nothing passes"
	[ "$(faults)" = "$before" ] || wrong "$rule: faults"
	inside nft flush ruleset
	passes 127.0.0.6 && wrong "$rule: passes, though nobody translates"
	[ "$(faults)" != "$before" ] || wrong "$rule: no faults"
	before=$(faults)
	passes 127.0.0.1 || wrong "$rule: others do not pass"
	[ "$(faults)" = "$before" ] || wrong "$rule: faults of others"
	live repair
	passes 127.0.0.6 || wrong "$rule: nothing passes after the repair"
done
live detach
[ $failed = 0 ] && echo "what others take away is missed"
exit $failed
