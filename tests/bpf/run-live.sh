#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Unmodified iptables on what is live, xt2 run --live: what it says and changes, what goes on counting,
# what is refused, other network namespaces, and others who change it at the same time.
test=run-live needs="ping python3 iptables-legacy setpriv"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
lib=$(realpath "${top_srcdir:-.}")/tests/lib
other=xt2-$test-other-$$
# shellcheck disable=SC2317 # called by trap
also_clean() { ip netns del "$other" 2>/dev/null; }
build=$(realpath "${top_builddir:-.}")
PATH=$build/links:$build:$PATH
export LC_ALL=C
run() { xt2 run --live --netns "$ns" -- "$@"; }
# COMMAND...: is fine, and says nothing on standard error
fine() {
	run "$@" >"$tmp/out" 2>"$tmp/err" || wrong "$*: exit code $?: $(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || wrong "$*: $(cat "$tmp/err")"
}
# STATUS MESSAGE COMMAND...: changes nothing
fails() {
	want=$1 message=$2
	shift 2
	xt2tables-save --live --netns "$ns" | sed '/^#/d' >"$tmp/before"
	run "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	[ $code = "$want" ] || wrong "$*: exit code $code, not $want: $(cat "$tmp/err")"
	grep -q -e "$message" "$tmp/err" || wrong "$*: $(cat "$tmp/err")"
	xt2tables-save --live --netns "$ns" | sed '/^#/d' | diff "$tmp/before" - || wrong "$* changed something"
}
# RULES: what iptables sees, and xt2tables, with counters
are() {
	fine iptables-legacy -v -S
	printf '%b' "$1" | diff - "$tmp/out" || wrong "what iptables sees"
	xt2tables --live --netns "$ns" -v -S >"$tmp/out"
	printf '%b' "$1" | diff - "$tmp/out" || wrong "what is live"
}
pings() { ip netns exec "$ns" ping -q -c "$1" -i 0.002 127.0.0.1 >/dev/null; }
policies() { printf -- '-P %s ACCEPT -c %s\\n' INPUT "$1" FORWARD '0 0' OUTPUT "$2"; }
none=$(policies '0 0' '0 0')
# await COMMAND...: until it is true, 10 s at most
await() {
	n=500
	until "$@"; do
		n=$((n - 1))
		[ $n != 0 ] || return 1
		sleep 0.02
	done
}
# SECONDS: a program that has asked, and replaces the table later
slow() {
	rm -f "$tmp/ready"
	run python3 "$lib/slow-replace.py" "$1" "$tmp/ready" >"$tmp/slow" &
	slow=$!
	await test -e "$tmp/ready" || wrong "it does not begin"
}
said() {
	wait $slow
	[ "$(cat "$tmp/slow")" = "$1" ] || wrong "$2: $(cat "$tmp/slow")"
}

# nothing is live, and looking changes nothing
run iptables-legacy -S >"$tmp/out" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
"$xt2" status --netns "$ns" >/dev/null 2>&1 && wrong "a question makes something live"

run iptables-legacy -A INPUT -j QUEUE 2>"$tmp/err" && wrong "QUEUE is live"
grep -q 'no live ruleset' "$tmp/err" && wrong "a refusal: $(cat "$tmp/err")"

# rules that stay go on counting, whatever is done to others
fine iptables-legacy -A INPUT -p icmp -j ACCEPT
pings 3
fine iptables-legacy -I INPUT -s 192.0.2.1 -j DROP
fine iptables-legacy -N more
fine iptables-legacy -A more -m limit --limit 1/min -j LOG
fine iptables-legacy -I OUTPUT -j more
pings 1
are "$(policies '0 0' '2 168')-N more\n-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n-A INPUT -p icmp -c 8 672 -j ACCEPT\n-A OUTPUT -c 2 168 -j more\n-A more -m limit --limit 1/min -c 2 168 -j LOG\n"
fine iptables-legacy -E more most
fine iptables-legacy -D OUTPUT 1
fine iptables-legacy -F most
fine iptables-legacy -X most
# to zero; set; a restore without counters begins anew, one with counters where it says
fine iptables-legacy -Z INPUT 2
are "$none-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n-A INPUT -p icmp -c 0 0 -j ACCEPT\n"
pings 1
printf '*filter\n-A OUTPUT -j ACCEPT\nCOMMIT\n' | fine iptables-legacy-restore -n
pings 1
rules='-A INPUT -p icmp -c 4 336 -j ACCEPT\n-A OUTPUT -c 2 168 -j ACCEPT\n'
are "$none-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n$rules"
fine iptables-legacy-save -c
cp "$tmp/out" "$tmp/saved"
sed 's/\[4:336\]/[1000:2000]/; s/^:OUTPUT .*/:OUTPUT ACCEPT [7:9]/' "$tmp/saved" | fine iptables-legacy-restore -c
pings 1
are "$(policies '0 0' '7 9')-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n-A INPUT -p icmp -c 1002 2168 -j ACCEPT\n-A OUTPUT -c 4 336 -j ACCEPT\n"
fine iptables-legacy-restore <"$tmp/saved"
are "$none-A INPUT -s 192.0.2.1/32 -c 0 0 -j DROP\n-A INPUT -p icmp -c 0 0 -j ACCEPT\n-A OUTPUT -c 0 0 -j ACCEPT\n"
# another family, and a policy
fine ip6tables-legacy -P OUTPUT DROP
ip netns exec "$ns" ping -6 -q -c 1 -W 1 ::1 >/dev/null 2>&1 && wrong "IPv6 is not dropped"
fine ip6tables-legacy -P OUTPUT ACCEPT
pings 1 || wrong "no answer"
# all tables that there are
fine iptables-legacy -t mangle -A OUTPUT -d 192.0.2.2 -j DROP
fine iptables-legacy-save
[ "$(grep -c '^\*' "$tmp/out")" = 2 ] || wrong "not two tables: $(cat "$tmp/out")"

# refused by name, and the tool says something sensible
fails 1 'filter/INPUT:3: a live ruleset cannot do QUEUE' iptables-legacy -A INPUT -j QUEUE
grep -q 'iptables: Operation not supported' "$tmp/err" || wrong "QUEUE: $(cat "$tmp/err")"
fails 1 'cannot match connlimit' iptables-legacy -t nat -A POSTROUTING -m connlimit --connlimit-above 1 -j MASQUERADE
fails 1 'cannot have table filter of arp' arptables-legacy -A INPUT -j DROP
fails 1 'Bad rule' iptables-legacy -D INPUT -s 192.0.2.77 -j DROP
run setpriv --bounding-set -net_admin iptables-legacy -S >"$tmp/out" 2>&1 && wrong "without rights: $(cat "$tmp/out")"

# other network namespaces have the kernel's tables
ip netns add "$other"
fine ip netns exec "$other" iptables-legacy -A INPUT -s 192.0.2.9 -j DROP
ip netns exec "$other" iptables-legacy -S INPUT | grep -q 192.0.2.9 || wrong "the kernel's table of another namespace"
fine iptables-legacy -S INPUT
grep -q 192.0.2.9 "$tmp/out" && wrong "another namespace's rules are live"
ip netns exec "$ns" iptables-legacy -S INPUT 2>/dev/null | grep -q 192.0.2 && wrong "the kernel has live rules"

# tables that cannot be live are the kernel's own, if that is wanted
beside() { xt2 run --live --beside --netns "$ns" -- "$@"; }
beside iptables-legacy -t nat -A POSTROUTING -s 192.0.2.200 -j MASQUERADE || wrong "nat beside"
beside iptables-legacy -A FORWARD -s 192.0.2.8 -j DROP || wrong "filter beside nat"
inside iptables-legacy -t nat -S | grep -q MASQUERADE || wrong "nat is not in the kernel"
fine iptables-legacy -S FORWARD
grep -q 192.0.2.8 "$tmp/out" || wrong "filter is not live"
beside iptables-legacy-save >"$tmp/out"
if ! grep -q MASQUERADE "$tmp/out" || ! grep -q 192.0.2.8 "$tmp/out" || [ "$(grep -c '^\*' "$tmp/out")" != 3 ]; then
	wrong "all tables: $(cat "$tmp/out")"
fi
if inside ebtables-legacy -L >/dev/null 2>&1; then # not every kernel has it
	beside ebtables-legacy -A FORWARD -p IPv4 -j DROP || wrong "bridges beside"
	inside ebtables-legacy -L FORWARD | grep -q DROP || wrong "bridges are not in the kernel"
fi

# counters that are read and set to 0 again and again under a flood: each packet is told once
fine iptables-legacy -F
fine iptables-legacy -A INPUT -p icmp -j ACCEPT
ip netns exec "$ns" ping -q -c 1200 -i 0.002 127.0.0.1 >"$tmp/pinged" &
flood=$!
sum=0
rounds=0
while kill -0 $flood 2>/dev/null && [ $rounds -lt 60 ]; do
	fine iptables-legacy -L INPUT -v -x -n -Z
	sum=$((sum + $(awk '$3 == "ACCEPT" { print $1 }' "$tmp/out")))
	fine iptables-legacy -A INPUT -s 192.0.2.$rounds -j DROP
	[ $((rounds % 4)) = 0 ] || fine iptables-legacy -D INPUT 2
	rounds=$((rounds + 1))
done
wait $flood
fine iptables-legacy -L INPUT -v -x -n
sum=$((sum + $(awk '$3 == "ACCEPT" { print $1 }' "$tmp/out")))
sent=$(awk '/transmitted/ { print $1 + $4 }' "$tmp/pinged")
[ "$sum" = "$sent" ] || wrong "$sum of $sent packets were counted, in $rounds rounds"

# a table that was read before another one's change is not put back
slow 3
fine iptables-legacy -I INPUT -s 192.0.2.66 -j DROP
said EAGAIN "an update would be lost"
fine iptables-legacy -S INPUT
grep -q 192.0.2.66 "$tmp/out" || wrong "an update is lost"
slow 3
xt2tables --live --netns "$ns" -w 10 -t mangle -A OUTPUT -d 192.0.2.3 -j DROP || wrong "another table"
pings 2
said ok "counters, and another table's rules"
# without counters to be added rules have counted from 0 since
pings 1
fine iptables-legacy -v -S INPUT
grep -q -e '-A INPUT -p icmp -c 2 168 -j ACCEPT' "$tmp/out" || wrong "replaced, without counters: $(cat "$tmp/out")"

# all ways at once
fine iptables-legacy -F
(cd "$build" && top_builddir=. python3 "$lib/../e2e/lost-updates.py" --live "$ns" \
	--changes "${XT2_LOST_CHANGES:-25}" ${XT2_SEED:+--seed "$XT2_SEED"}) || wrong "lost updates"
[ $failed = 0 ] && echo "iptables on what is live: $sent packets counted in $rounds rounds"
exit $failed
