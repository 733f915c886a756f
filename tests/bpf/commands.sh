#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2tables --live and xt2 edit --live change what is live, and rules that they leave alone go on.
test=commands needs="ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
build=$(realpath "${top_builddir:-.}")
PATH=$build/links:$build:$PATH
pings() {
	ip netns exec "$ns" ping -q -c "$1" -i 0.01 -W 1 127.0.0.1 >/dev/null
}
# COMMAND...: is fine
fine() {
	"$@" --live --netns "$ns" >"$tmp/out" 2>"$tmp/err" || wrong "$*: exit code $?: $(cat "$tmp/err")"
}
# STATUS COMMAND...
fails() {
	expected=$1
	shift
	"$@" --live --netns "$ns" >"$tmp/out" 2>"$tmp/err"
	code=$?
	[ $code = "$expected" ] || wrong "$*: exit code $code, not $expected: $(cat "$tmp/err")"
}
# RULES: with counters, as they are now
are() {
	fine xt2tables -v -S
	printf '%b' "$1" | diff - "$tmp/out" || wrong "what is live"
}
# LINES ANSWERS
edits() {
	printf '%b' "$1" | xt2 edit --live --netns "$ns" >"$tmp/out" 2>"$tmp/err"
	printf '%b' "$2" | diff - "$tmp/out" || wrong "edit: $1"
}
# nothing is live: as of an image that is not there
are '-P INPUT ACCEPT -c 0 0\n-P FORWARD ACCEPT -c 0 0\n-P OUTPUT ACCEPT -c 0 0\n'
fails 1 xt2tables -C INPUT -j DROP

xt2tables --live --netns "$ns" -A INPUT -p icmp -j ACCEPT 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
pings 3 || wrong "no answer"
# a rule before it, and it counts on; policies do as well
fine xt2tables -I INPUT -s 192.0.2.1 -j DROP
fine xt2tables -N more
fine xt2tables -A more -j RETURN
are '-P INPUT ACCEPT -c 0 0\n-P FORWARD ACCEPT -c 0 0\n-P OUTPUT ACCEPT -c 6 504\n-N more\n-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n-A INPUT -p icmp -c 6 504 -j ACCEPT\n-A more -c 0 0 -j RETURN\n'
pings 1 || wrong "no answer after edits"
fine xt2tables -L INPUT 2 -n -v -x
grep -q '^ *8 *672 ACCEPT' "$tmp/out" || wrong "the rule has not gone on: $(cat "$tmp/out")"
# to zero, one rule and a chain with its policy
fine xt2tables -Z INPUT 2
fine xt2tables -Z OUTPUT
are '-P INPUT ACCEPT -c 0 0\n-P FORWARD ACCEPT -c 0 0\n-P OUTPUT ACCEPT -c 0 0\n-N more\n-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n-A INPUT -p icmp -c 0 0 -j ACCEPT\n-A more -c 0 0 -j RETURN\n'

# refused by name, and nothing has changed
fails 3 xt2tables -A INPUT -j QUEUE
grep -q 'a live ruleset cannot do QUEUE' "$tmp/err" || wrong "QUEUE: $(cat "$tmp/err")"
fails 1 xt2tables -D INPUT -j DROP
fails 2 xt2arptables -L
# transactions: the second one is refused, the third one is not touched by that
edits '-I INPUT -s 192.0.2.2 -j DROP\n-A more -j DROP\nCOMMIT\n-F\n-A INPUT -j QUEUE\nCOMMIT\n-6 -A INPUT -s ::1 -j DROP\n-D more 2\nCOMMIT\n' \
	'ok 7\nerror 6: ipv4 filter/INPUT:1: a live ruleset cannot do QUEUE (hint: keep the rule in iptables'\'' own table, which works beside the live ones)\nok 8\n'
pings 2 || wrong "no answer after transactions"
are '-P INPUT ACCEPT -c 0 0\n-P FORWARD ACCEPT -c 0 0\n-P OUTPUT ACCEPT -c 4 336\n-N more\n-A INPUT -s 192.0.2.2/32 -c 0 0 -j DROP\n-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n-A INPUT -p icmp -c 4 336 -j ACCEPT\n-A more -c 0 0 -j RETURN\n'
ip netns exec "$ns" ping -6 -q -c 1 -W 1 ::1 >/dev/null && wrong "IPv6 is not dropped"
fine xt2ip6tables -S
grep -qx -e '-A INPUT -s ::1/128 -j DROP' "$tmp/out" || wrong "IPv6: $(cat "$tmp/out")"
# what drops answers drops them at once
fine xt2tables -P OUTPUT DROP
pings 1 && wrong "a policy of DROP lets packets pass"
# the verifier's words, of programs that are loaded
fine xt2 save
cp "$tmp/out" "$tmp/rules"
xt2 detach --netns "$ns"
xt2 apply --netns "$ns" -v "$tmp/rules" 2>"$tmp/err" || wrong "apply -v: $(cat "$tmp/err")"
grep -A 4 "'xt2_filter'" "$tmp/err" | grep -q '^processed [0-9]* insns' || wrong "apply -v: $(cat "$tmp/err")"
xt2 detach --netns "$ns"
xt2 apply --netns "$ns" "$tmp/rules" 2>"$tmp/err" || wrong "apply: $(cat "$tmp/err")"
[ -s "$tmp/err" ] && wrong "apply says: $(cat "$tmp/err")"
[ $failed = 0 ] && echo "live by command lines"
exit $failed
