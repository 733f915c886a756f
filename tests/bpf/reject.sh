#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# REJECT of a live ruleset: answers are the kernel's own, byte for byte; without companions
# packets are dropped; what others take away comes back; other rulesets have no companions.
test=reject needs="bpftool iptables-legacy-restore ip6tables-legacy-restore iptables-nft-save nft ping python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
here=$(realpath "${top_srcdir:-.}/tests/bpf")
xt2tables=$(dirname "$xt2")/links/xt2tables
rules() {	# RULE...
	printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
	printf '%s\n' "$@" COMMIT
}
rules '-A INPUT -p icmp --icmp-type 8 -s 127.0.0.9 -j REJECT' >"$tmp/one"
live apply "$tmp/one" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }

# Each type, in both families, beside the kernel's own target.
inside python3 "$here/reject.py" --xt2 "$xt2" --netns "$ns" || failed=1
live detach || wrong "detach"

rejected() { inside ping -n -c 1 -W 0.3 -I 127.0.0.9 127.0.0.1 | grep -q "$1"; }
passes() { inside ping -q -c 1 -W 0.3 -I "$1" 127.0.0.1 >/dev/null; }
faults() { live status | sed -n 's/^faults //p'; }
companions() { inside nft list tables | grep -c '^table ip6* xt2$'; }
whole() {	# AFTER
	live status >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
	rejected 'Destination Port Unreachable' || wrong "$1: no answer"
	passes 127.0.0.1 || wrong "$1: other packets do not pass"
}
# Dropped, and said.
dropped() {	# AFTER
	before=$(faults 2>/dev/null)
	passes 127.0.0.9 && wrong "$1: packets pass"
	rejected 'Unreachable' && wrong "$1: somebody answers"
	passes 127.0.0.1 || wrong "$1: other packets do not pass"
	[ "$(faults 2>/dev/null)" = $((before + 2)) ] || wrong "$1: $(faults) faults, not $before and 2"
	live status >"$tmp/out" 2>"$tmp/err" && wrong "$1: status says nothing"
	grep -qx 'companions ipv4 missing' "$tmp/out" || wrong "$1: $(cat "$tmp/out")"
	grep -q 'hint: xt2 repair' "$tmp/err" || wrong "$1: $(cat "$tmp/err")"
}
apply() { live apply "$@" || wrong "apply $*"; }
apply "$tmp/one"
whole "apply"
for i in iptables-nft-save iptables-legacy-save; do
	inside $i 2>/dev/null | grep -q 'xt2\|bpf' && wrong "$i shows it: $(inside $i)"
done

inside nft flush ruleset
dropped "nft flush ruleset"
live repair || wrong "repair"
whole "repair"
inside nft delete table ip xt2
dropped "nft delete table"
"$xt2tables" --live --netns "$ns" -A INPUT -s 192.0.2.1 -j DROP || wrong "xt2tables"
whole "xt2tables after a deleted table"
handle=$(inside nft -a list chain ip xt2 filter-INPUT | sed -n 's/.*companion 4.*handle //p')
inside nft delete rule ip xt2 filter-INPUT handle "$handle"
dropped "nft delete rule"
apply "$tmp/one"
whole "apply after a deleted rule"

# A gate that is gone weakens nothing while companions are there.
folder=$(folder_of "$ns")
bpftool link detach pinned "$folder/gate-filter-ipv4-INPUT" 2>/dev/null || {
	id=$(bpftool -j link show pinned "$folder/gate-filter-ipv4-INPUT" | sed 's/.*"id":\([0-9]*\).*/\1/')
	bpftool link detach id "$id" || wrong "bpftool link detach $id"
}
passes 127.0.0.9 && wrong "without a gate: packets pass"
live status >"$tmp/out" 2>/dev/null && wrong "without a gate: status says nothing"
live repair || wrong "repair of a gate"
whole "repair of a gate"
inside nft flush ruleset
dropped "nft flush ruleset, with a new gate"
live repair || wrong "repair again"

# A rule with the same answer is an edit; one with another answer gets its companion, too.
"$xt2tables" --live --netns "$ns" -I INPUT -p icmp -s 127.0.0.8 -j REJECT || wrong "the same answer"
inside ping -n -c 1 -W 0.3 -I 127.0.0.8 127.0.0.1 | grep -q 'Port Unreachable' || wrong "the same answer: none"
"$xt2tables" --live --netns "$ns" -I INPUT -p icmp -s 127.0.0.7 -j REJECT --reject-with icmp-host-unreachable ||
	wrong "another answer"
inside ping -n -c 1 -W 0.3 -I 127.0.0.7 127.0.0.1 | grep -q 'Host Unreachable' || wrong "another answer: none"
whole "edits"
"$xt2tables" --live --netns "$ns" -t mangle -A INPUT -j REJECT 2>"$tmp/err" && wrong "REJECT in mangle"
grep -q 'allowed in table filter only' "$tmp/err" || wrong "REJECT in mangle: $(cat "$tmp/err")"
whole "a refusal"

# Under a flood, whichever is live: no packet passes.
rules '-A INPUT -p icmp --icmp-type 8 -s 127.0.0.9 -j REJECT --reject-with icmp-host-prohibited' >"$tmp/two"
rules '-A INPUT -p icmp --icmp-type 8 -s 127.0.0.9 -j DROP' >"$tmp/drop"
before=$(faults)
inside ping -q -f -w 4 -I 127.0.0.9 127.0.0.1 >"$tmp/flood" 2>&1 &
for i in two one drop two drop one; do
	apply "$tmp/$i"
done
wait
grep -q ' 0 received' "$tmp/flood" || wrong "a flood: $(cat "$tmp/flood")"
[ "$(faults)" = "$before" ] || wrong "a flood: $(faults) faults, not $before"
whole "a flood"

# Trials: what was there comes back with its companions.
rules '-A INPUT -s 127.0.0.3/32 -j DROP' >"$tmp/none"
rules '-A INPUT -s 2001:db8::1 -j DROP' >"$tmp/six"
live apply --confirm 5m "$tmp/none" 2>/dev/null || wrong "apply --confirm"
passes 127.0.0.9 || wrong "the new ruleset is not live"
live confirm --no || wrong "confirm"
whole "a trial"

# Without REJECT there are none, and detach leaves none.
apply "$tmp/none"
[ "$(companions)" = 0 ] || wrong "companions of a ruleset without REJECT: $(inside nft list ruleset)"
for i in "$folder"/gate-*; do
	[ ! -e "$i" ] || wrong "a gate of a ruleset without REJECT: $i"
done
apply "$tmp/one" -6 "$tmp/six"
whole "again"
live detach || wrong "detach"
[ -z "$(inside nft list ruleset)" ] || wrong "after detach: $(inside nft list ruleset)"
passes 127.0.0.9 || wrong "after detach: packets are dropped"
[ $failed = 0 ] && echo "REJECT is carried out"
exit $failed
