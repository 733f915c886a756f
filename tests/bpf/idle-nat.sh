#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A nat table that does nothing, as iptables-save prints it on nearly every machine: it is live without
# a program, is saved as it was, and goes on beside the tables that have one.
test=idle-nat needs="ping iptables-legacy-save iptables-legacy-restore"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
restore=$(dirname "$xt2")/xt2tables-restore

saved() { "$xt2" save -c --live --netns "$ns" -t "$1" | grep -v '^#'; }
# WHAT: nat is as in the file, filter works, and nobody attached nat
good() {
	saved nat | cmp -s - "$tmp/nat" || wrong "$1: $(saved nat)"
	"$xt2" status --netns "$ns" | grep -q 'hook ipv4 filter INPUT' || wrong "$1: no filter"
	"$xt2" status --netns "$ns" | grep -q 'hook.* nat ' && wrong "$1: nat has hooks"
	"$xt2" status --netns "$ns" | grep -qx 'faults 0' || wrong "$1: faults"
}
counts() { "$xt2" counters --netns "$ns" | grep -qx "ipv4 filter INPUT 1 $1" || wrong "not $1: $("$xt2" counters --netns "$ns")"; }

cat >"$tmp/nat" <<END
*nat
:PREROUTING ACCEPT [15:1234]
:INPUT ACCEPT [2:80]
:OUTPUT ACCEPT [3:200]
:POSTROUTING ACCEPT [4:300]
:DOCKER - [0:0]
:OLD - [0:0]
[7:70] -A DOCKER -p tcp -j DNAT --to-destination 10.0.0.2:80
[1:10] -A DOCKER -j RETURN
COMMIT
END
cat >"$tmp/filter" <<END
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
[0:0] -A INPUT -p icmp
COMMIT
END
cat "$tmp/nat" "$tmp/filter" >"$tmp/both"
"$xt2" apply --netns "$ns" "$tmp/both" || wrong "apply"
good "apply"
inside ping -q -c 3 -i 0.01 -W 1 127.0.0.1 >/dev/null || wrong "no packets pass"
counts "6 504"
good "packets are not counted"
"$xt2" apply --netns "$ns" "$tmp/both" || wrong "apply again"
counts "6 504"
good "apply again"

# Alone, and a table with a program after it; as an image; edited.
"$xt2" detach --netns "$ns"
"$xt2" apply --netns "$ns" "$tmp/nat" || wrong "nat alone"
saved nat | cmp -s - "$tmp/nat" || wrong "nat alone: $(saved nat)"
"$xt2" apply --netns "$ns" "$tmp/filter" || wrong "filter after nat"
good "filter after nat"
"$restore" --image "$tmp/image" -c "$tmp/both"
"$xt2" detach --netns "$ns"
"$xt2" apply --netns "$ns" "$tmp/image" || wrong "an image"
good "an image"
inside ping -q -c 1 -W 1 127.0.0.1 >/dev/null || wrong "no packets pass"
printf '%s\n' '*filter' '-A OUTPUT -p udp' COMMIT | "$restore" --live --netns "$ns" -n || wrong "edit"
counts "2 168"
good "edit"
"$restore" --live --netns "$ns" -c "$tmp/both" || wrong "restore"
good "restore"
"$xt2" apply --counters reset --netns "$ns" "$tmp/nat" || wrong "reset"
saved nat | grep -q '\[[1-9]' && wrong "reset: $(saved nat)"

# What iptables itself prints.
printf '%s\n' '*nat' COMMIT '*filter' '-A INPUT -p icmp' COMMIT | inside iptables-legacy-restore ||
	wrong "iptables-legacy-restore"
inside iptables-legacy-save >"$tmp/kernel" || wrong "iptables-legacy-save"
grep -q '^\*nat' "$tmp/kernel" || wrong "no nat: $(cat "$tmp/kernel")"
"$xt2" detach --netns "$ns"
"$xt2" apply --take-over --netns "$ns" "$tmp/kernel" >"$tmp/out" || wrong "what iptables-save prints"

# What cannot be live is refused as soon as packets reach it, and changes nothing; so does what a text leads to.
sed 's/^COMMIT/-A OLD -m connlimit --connlimit-above 1 -j RETURN\nCOMMIT/' "$tmp/nat" >"$tmp/old"
"$xt2" apply --netns "$ns" "$tmp/old" || wrong "a rule that no packet reaches"
saved nat >"$tmp/before"
sed 's/^COMMIT/-A OUTPUT -j OLD\nCOMMIT/' "$tmp/old" >"$tmp/rules"
"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err"
code=$?
grep -q 'nat/OLD:1: a live ruleset cannot match connlimit' "$tmp/err" || code=$(cat "$tmp/err")
[ "$code" = 3 ] || wrong "a rule: $code"
printf '%s\n' '*nat' '-A OUTPUT -j OLD' COMMIT | "$restore" --live --netns "$ns" -n 2>"$tmp/err"
code=$?
grep -q 'nat/OLD:1: a live ruleset cannot match connlimit' "$tmp/err" || code=$(cat "$tmp/err")
[ "$code" = 3 ] || wrong "a rule by restore: $code"
saved nat | cmp -s - "$tmp/before" || wrong "a refusal changed something"

# A rule that is reached makes it a table like others, and back.
printf '%s\n' '*nat' '-A OUTPUT -p icmp' COMMIT | "$restore" --live --netns "$ns" -n || wrong "a rule for nat"
"$xt2" status --netns "$ns" | grep -qx 'hook ipv4 nat OUTPUT' || wrong "nat has no hooks: $("$xt2" status --netns "$ns")"
"$xt2" apply --counters file --netns "$ns" "$tmp/both" || wrong "apply"
good "without the rule"
# Rules that no packet reaches may be anything, are kept, and are refused when something leads there.
cat >"$tmp/unreached" <<END
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:old - [0:0]
:older - [0:0]
[0:0] -A INPUT -s 127.0.0.0/8 -j ACCEPT
[0:0] -A INPUT -j DROP
[0:0] -A INPUT -p tcp -m recent --update --seconds 60 --name a --mask 255.255.255.255 --rsource -j REJECT --reject-with tcp-reset
[3:30] -A old -m quota --quota 1000 -m connlimit --connlimit-above 1 --connlimit-mask 32 --connlimit-saddr -j REJECT --reject-with icmp-port-unreachable
[4:40] -A old -m limit --limit 3/min -j older
[5:50] -A older -m quota --quota 1000 -m connlimit --connlimit-above 1 --connlimit-mask 32 --connlimit-saddr -j QUEUE
COMMIT
END
"$xt2" detach --netns "$ns"
"$xt2" apply --netns "$ns" --counters file "$tmp/unreached" || wrong "unreached"
saved filter | cmp -s - "$tmp/unreached" || wrong "unreached: $(saved filter)"
inside ping -q -c 1 -W 1 127.0.0.1 >/dev/null || wrong "no packets pass"
"$xt2" apply --netns "$ns" "$tmp/unreached" || wrong "unreached again"
"$xt2" counters --netns "$ns" >"$tmp/before"
grep -qx "ipv4 filter INPUT 1 2 168" "$tmp/before" || wrong "unreached: $(cat "$tmp/before")"
printf '%s\n' '*filter' '-A OUTPUT -j old' COMMIT | "$restore" --live --netns "$ns" -n 2>"$tmp/err"
code=$?
[ "$code $(grep -c 'error\[' "$tmp/err")" = "3 3" ] || wrong "reached: $code, $(cat "$tmp/err")"
"$xt2" counters --netns "$ns" | cmp -s - "$tmp/before" || wrong "reached: something changed"

# As the hints have it: what the kernel's mangle marks, a live filter sees, and its nat works beside it.
printf '%s\n' '*mangle' '-A INPUT -p icmp -m addrtype --src-type LOCAL -j MARK --set-mark 7' COMMIT '*nat' \
	'-A OUTPUT -d 10.9.9.9/32 -j DNAT --to-destination 127.0.0.1' COMMIT | inside iptables-legacy-restore ||
	wrong "the kernel's mangle and nat"
printf '%s\n' '*filter' '-A INPUT -m mark --mark 7' COMMIT >"$tmp/marked"
"$xt2" apply --netns "$ns" "$tmp/marked" || wrong "marked"
inside ip route add default dev lo
inside ping -q -c 2 -i 0.01 -W 1 10.9.9.9 >/dev/null || wrong "no NAT beside live tables"
counts "2 168" # the answers come from 10.9.9.9
[ $failed = 0 ] && echo "a nat without effect is no hindrance"
exit $failed
