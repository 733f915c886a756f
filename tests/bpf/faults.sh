#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 apply that is killed, or refused something, at each of its calls of bpf(2), and without memory:
# what was live stays live, with exact counters, and the next command works.  In a network namespace
# of the test's own.  XT2_SHORT=1 leaves calls out.
test=faults needs="ping prlimit python3 strace seq"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
strace -qq -o /dev/null true 2>/dev/null || skip "strace cannot trace here"
every=25 last=12
[ -z "${XT2_SHORT:-}" ] || every=60 last=4
group=
cases=0
# shellcheck disable=SC2317 # called in the end
also_clean() { [ -z "$group" ] || rmdir "$group"; }
folder=$(folder_of "$ns")

{
	printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
	printf -- '-A INPUT -p icmp\n-A OUTPUT -p icmp\nCOMMIT\n'
} >"$tmp/a"
sed 's/^-A INPUT/-A INPUT -i lo\n&/' "$tmp/a" >"$tmp/b"
printf '*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -o lo\nCOMMIT\n' >"$tmp/raw"

calls() {	# FILE: how many calls of bpf(2) it takes to apply it
	strace -o "$tmp/trace" -e trace=bpf "$xt2" apply --netns "$ns" "$1" || wrong "strace"
	grep -c '^bpf(' "$tmp/trace"
}
strike() {	# signal=KILL|error=ENOMEM CALL FILE
	cases=$((cases + 1))
	strace -qq -o /dev/null -e trace=bpf -e "inject=bpf:$1:when=$2" \
		"$xt2" apply --netns "$ns" "$3" >"$tmp/out" 2>&1
}
pinged=0
ping_once() {	# WHEN: a packet passes
	ip netns exec "$ns" ping -q -c 1 -W 5 127.0.0.1 >/dev/null || wrong "$1: a packet was lost"
	pinged=$((pinged + 2))
}
counted() {	# WHEN: all packets since the ruleset came are counted, and the last one is
	ping_once "$1"
	live counters --chain OUTPUT >"$tmp/counters" || wrong "$1: no counters"
	grep -qx "ipv4 filter OUTPUT 1 $pinged $((pinged * 84))" "$tmp/counters" ||
		wrong "$1: not $pinged packets: $(cat "$tmp/counters")"
}
fresh() {	# FILE: live, and nothing else
	live detach 2>/dev/null
	pinged=0
	[ -z "$1" ] || live apply "$1" || wrong "apply $1"
}
some() {	# CALLS ALL: numbers of calls, all of the last ones
	seq 1 "$every" $(($1 - $2))
	seq $(($1 - $2 + 1)) "$1"
}

# The first ruleset.
calls=$(calls "$tmp/a" 2>"$tmp/err")
grep -q 'E_UNSUPPORTED' "$tmp/err" && skip "$(cat "$tmp/err")"
for n in $(some "$calls" $last); do
	fresh ''
	strike signal=KILL "$n" "$tmp/a"
	is_live=$(live counters 2>/dev/null) # of its last calls some come after it is
	ping_once "first, killed at $n"
	[ -n "$is_live" ] || pinged=0
	live status >/dev/null 2>"$tmp/err"
	code=$?
	[ $code -le 1 ] || wrong "first, killed at $n: status $code: $(cat "$tmp/err")"
	live apply "$tmp/a" || wrong "first, killed at $n: the next apply"
	counted "first, killed at $n"
	fresh ''
	strike error=ENOMEM "$n" "$tmp/a" # which starts to count now
	code=$?
	ping_once "first, refused $n"
	[ $code = 0 ] || [ ! -e "$folder" ] || wrong "first, refused $n: $(ls "$folder")"
	[ $code != 0 ] || counted "first, refused $n"
done

# One that follows, and one with a table that was not there.
for with in b raw; do
	fresh "$tmp/a"
	calls=$(calls "$tmp/$with")
	fresh "$tmp/a"
	for n in $(some "$calls" $last); do
		for how in signal=KILL error=ENOMEM; do
			ls "$folder" >"$tmp/before"
			strike $how "$n" "$tmp/$with"
			code=$?
			ls "$folder" >"$tmp/after"
			counted "$with, $how at $n"
			if [ $code != 0 ] && [ $how != signal=KILL ]; then
				cmp -s "$tmp/after" "$tmp/before" ||
					wrong "$with, $how at $n left $(cat "$tmp/after")"
			fi
			live apply "$tmp/a" || wrong "$with, $how at $n: the next apply"
			counted "$with, $how at $n, and the next apply"
			! grep -q raw "$tmp/after" || fresh "$tmp/a"
		done
	done
done

# A detach that is killed: what is left is the rest of it, or can be replaced.
for n in 1 2 3 4 5 6; do
	fresh "$tmp/a"
	cases=$((cases + 1))
	strace -qq -o /dev/null -e trace=unlinkat -e "inject=unlinkat:signal=KILL:when=$n" \
		"$xt2" detach --netns "$ns" 2>/dev/null && wrong "detach was not killed at $n"
	ping_once "detach, killed at $n"
	live apply --counters reset "$tmp/b" || wrong "detach, killed at $n: the next apply"
	pinged=0
	counted "detach, killed at $n"
done

# No memory for the arena, which is on the account of who made it.
fresh ''
for i in /sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup) \
	/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup); do
	[ -z "$group" ] && mkdir "$i/$ns" 2>/dev/null && group=$i/$ns
done
for limit in memory.limit_in_bytes memory.max; do
	[ -z "$group" ] || [ ! -e "$group/$limit" ] && continue
	sh -c "echo \$\$ >$group/cgroup.procs && exec $xt2 apply --netns $ns $tmp/a" || wrong "in $group"
	{ sed '/^COMMIT/d' "$tmp/a"; seq 200000 | sed 's/.*/-A FORWARD -p 254/'; echo COMMIT; } >"$tmp/large"
	counted "memory for all"
	echo 16M >"$group/$limit"
	live apply "$tmp/large" 2>"$tmp/err"
	code=$?
	[ $code = 4 ] || wrong "16 MiB were enough: $code"
	grep -q "no memory" "$tmp/err" || wrong "no memory: $(cat "$tmp/err")"
	counted "memory for some"
	live apply "$tmp/b" || wrong "apply in 16 MiB"
	counted "memory for some, and the next apply"
	memory=", without memory"
done
prlimit --memlock=0 "$xt2" apply --netns "$ns" "$tmp/a" || wrong "without locked memory"
counted "without locked memory"
fresh ''
prlimit --memlock=0 "$xt2" apply --netns "$ns" "$tmp/a" || wrong "first, without locked memory"
counted "first, without locked memory"
[ $failed = 0 ] && echo "$cases kills and errors${memory-}"
exit $failed
