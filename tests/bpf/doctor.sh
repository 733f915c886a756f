#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 doctor: who is at each hook, in the order in which the kernel asks; what is double, missing, or
# translates before what is live.  It changes nothing.
test=doctor needs="iptables-legacy-restore iptables-nft-restore ip6tables-legacy nft ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
hosts=$(realpath "${top_srcdir:-.}/tests/bpf/hosts")
daemon=
# shellcheck disable=SC2317
also_clean() { [ -z "$daemon" ] || kill "$daemon" 2>/dev/null; }
state() {	# all that the doctor could have changed
	inside iptables-legacy-save -c 2>/dev/null | grep -v '^#'
	inside cat /proc/net/ip_tables_names /proc/net/ip6_tables_names 2>/dev/null
	inside nft -a list ruleset 2>/dev/null
	"$xt2" save --live --netns "$ns" -c 2>&1 | grep -v '^#'
	folder=$(folder_of "$ns")
	ls -lR "$folder" /run/xt2/taken-"${folder##*/net-}" 2>/dev/null
}
doctor() {	# EXIT WORDS
	state >"$tmp/before"
	"$xt2" doctor --netns "$ns" >"$tmp/out" 2>"$tmp/err"
	code=$?
	state >"$tmp/after"
	[ $code = "$1" ] || wrong "$2: exit $code: $(cat "$tmp/out" "$tmp/err")"
	[ ! -s "$tmp/err" ] || wrong "$2: $(cat "$tmp/err")"
	cmp -s "$tmp/before" "$tmp/after" || wrong "$2: the doctor changes $(diff "$tmp/before" "$tmp/after")"
}
says() {	# WORDS LINE: and a hint follows, unless it is of the list
	grep -qx -- "$2" "$tmp/out" || wrong "$1: no line '$2': $(cat "$tmp/out")"
	case $2 in
	' '*) ;;
	*) grep -x -A 1 -- "$2" "$tmp/out" | grep -q '^   hint: ' || wrong "$1: no hint" ;;
	esac
}
quiet() {	# WORDS PATTERN
	grep -q -- "$2" "$tmp/out" && wrong "$1: $(grep -- "$2" "$tmp/out")"
}
hook() { sed -n "/^hook $1 $2\$/,/^[^ ]/{/^ /p}" "$tmp/out" | sed 's/ (link [0-9]*)//; s/^ *//'; }
order() {	# WORDS FAMILY HOOK LINE...
	words=$1 family=$2 at=$3
	shift 3
	printf '%s\n' "$@" >"$tmp/shall"
	hook "$family" "$at" | cmp -s - "$tmp/shall" || wrong "$words: $at of $family: $(hook "$family" "$at")"
}

# Of an empty namespace there is nothing to tell, and the tables of iptables do not come into being.
"$xt2" doctor --netns "$ns" >"$tmp/out" 2>"$tmp/err"
[ $? != 3 ] || skip "$(cat "$tmp/err")"
doctor 0 "nothing"
[ "$(cat "$tmp/out")" = 'live nothing' ] || wrong "nothing: $(cat "$tmp/out")"

"$xt2" apply --netns "$ns" "$hosts/shorewall.v4" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
doctor 0 "alone"
order "alone" ipv4 PREROUTING '-300 xt2: program xt2_raw' '-102 xt2: program xt2_nat' \
	'-100 xt2: nf_tables ip xt2-nat0, chain PREROUTING (nat, -101)' '180 xt2: program xt2_guard'
order "alone" ipv4 INPUT '0 xt2: program xt2_filter' '10 xt2: nf_tables ip xt2, chain filter-INPUT' \
	'11 xt2: program xt2_gate' '98 xt2: program xt2_nat' '100 xt2: nf_tables ip xt2-nat0, chain INPUT (nat, 99)' \
	'180 xt2: program xt2_guard'

# Others beside: of iptables-legacy, iptables-nft and nft, with names that command terminals.
inside iptables-legacy-restore "$hosts/shorewall.v4"
inside iptables-nft-restore "$hosts/shorewall.v4"
inside iptables-nft -A FORWARD -s 192.0.2.1 -j DROP
inside ip6tables-legacy -A INPUT -s 2001:db8::1 -j DROP
inside nft 'add table inet f; add chain inet f in { type filter hook input priority 5; }'
inside nft 'add table ip n; add chain ip n early { type nat hook prerouting priority -150; }'
inside nft 'add chain ip n late { type nat hook postrouting priority 150; }'
doctor 1 "others"
order "others" ipv4 PREROUTING '-300 iptables-legacy raw' '-300 iptables-nft raw' '-300 xt2: program xt2_raw' \
	'-102 xt2: program xt2_nat' '-100 nf_tables ip n, chain early (nat, -150)' \
	'-100 xt2: nf_tables ip xt2-nat0, chain PREROUTING (nat, -101)' '-100 iptables-legacy nat (nat, -100)' \
	'-100 iptables-nft nat (nat, -100)' '180 xt2: program xt2_guard'
order "others" ipv6 INPUT '0 ip6tables-legacy filter' '5 nf_tables inet f, chain in'
hook ipv4 INPUT | grep -qx '5 nf_tables inet f, chain in' || wrong "inet: $(hook ipv4 INPUT)"
says "others" 'double: table filter of ipv4 in iptables-legacy has the same rules as what is live: packets are counted and logged twice'
says "others" 'double: table nat of ipv4 in iptables-legacy has the same rules as what is live: whoever is asked first translates'
says "others" 'double: table filter of ipv4 in iptables-nft has 27 rules that are live as well'
says "others" 'double: table raw of ipv4 is the same in iptables-legacy and iptables-nft'
says "others" 'nat: nf_tables ip n, chain early will be asked before what is live, at PREROUTING of ipv4'
quiet "a later chain" '^nat:.*late'
quiet "another family" '^double:.*ipv6'
quiet "nothing is missing" '^missing'

# Is it true?  The early chain translates, and what the live table would have translated is dropped.
"$xt2" detach --netns "$ns"
inside nft flush ruleset
printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n*nat\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n' >"$tmp/none"
inside iptables-legacy-restore "$tmp/none"
printf '*nat\n-A OUTPUT -d 127.0.0.9 -p icmp -j DNAT --to-destination 127.0.0.1\nCOMMIT\n' >"$tmp/nat"
"$xt2" apply --netns "$ns" "$tmp/nat"
inside nft 'add table ip n; add chain ip n early { type nat hook output priority -150; }'
inside nft 'add rule ip n early ip daddr 127.0.0.9 dnat to 127.0.0.3'
doctor 1 "an early chain"
says "an early chain" 'nat: nf_tables ip n, chain early will be asked before what is live, at OUTPUT of ipv4'
faults() { "$xt2" status --netns "$ns" | sed -n 's/^faults //p'; }
before=$(faults)
inside ping -c 2 -i 0.01 -W 0.5 127.0.0.9 >/dev/null && wrong "what both translate passes"
[ "$(faults)" = $((before + 2)) ] || wrong "what both translate: $(faults) faults, not $before and 2"
inside nft delete table ip n
inside ping -c 2 -i 0.01 -W 0.5 127.0.0.9 >/dev/null || wrong "the live table does not translate"

# Taken away: what carries out NAT, tracking, a hook.
inside nft flush ruleset
doctor 1 "flushed"
says "flushed" 'missing: what carries out REJECT and NAT of ipv4'
says "flushed" 'missing: connection tracking of ipv4 for what is live'
"$xt2" repair --netns "$ns"
doctor 0 "repaired"
rm "$(folder_of "$ns")/nat-ipv4-OUTPUT"
doctor 1 "a hook that is gone"
says "a hook that is gone" 'missing: 1 hooks of what is live: packets are dropped there'
rm "$(folder_of "$ns")/guard-ipv4-OUTPUT"
doctor 1 "a guard that is gone"
says "a guard that is gone" 'missing: 1 hooks of what is live: packets pass where the guard is missing as well'
says "a guard that is gone" 'missing: 1 guards of hooks: if others take a hook away, packets pass there'
"$xt2" repair --netns "$ns"

# Programs that call iptables, and a table that nobody can read.
cp "$(command -v sleep)" "$tmp/fail2ban-server"
ip netns exec "$ns" "$tmp/fail2ban-server" 600 &
daemon=$!
sleep 0.2
doctor 1 "a daemon"
says "a daemon" 'daemon: fail2ban-server (process [0-9]*) calls iptables'
kill "$daemon"
daemon=
inside iptables-legacy -A INPUT -s 192.0.2.3 -j DROP
inside unshare -m sh -c "mount --bind /dev/null \$(realpath \$(command -v iptables-legacy-save)); '$xt2' doctor" >"$tmp/out" 2>&1
grep -q '^unknown: .*tables-legacy' "$tmp/out" || wrong "a program that is missing: $(cat "$tmp/out")"
[ $failed = 0 ] && echo "the doctor tells"
exit $failed
