#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tables of iptables-legacy and iptables-nft, taken over by a live ruleset and given back: rulesets
# of hosts, what is refused, programs that go on calling iptables, and a kill before and after each
# call of iptables' own programs.  No packet ever meets neither.
test=take-over needs="iptables-legacy-restore iptables-nft-restore ip6tables-legacy-restore ip6tables-nft-restore ping nft"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
hosts=$(realpath "${top_srcdir:-.}/tests/bpf/hosts")
daemon=
# shellcheck disable=SC2317
also_clean() { [ -z "$daemon" ] || kill "$daemon" 2>/dev/null; }
# The rules, without counters and times, tables in the order of their names, chains as well.
plain() {
	sed -e '/^#/d; /^COMMIT/d; s/^\[[0-9:]*\] //; s/ \[[0-9:]*\]$//' |
		awk '/^\*/ { t = $0 } !/^\*/ { print t, (/^:/ ? "" : sprintf("%06d", NR)), $0 }' |
		sed 's/^\(\*[a-z]*\) [0-9]* *\(:.*\)/\1 \2/' | LC_ALL=C sort -s -k1,1 | sed 's/^\(\*[a-z]* \)[0-9]* /\1/'
}
rules() {	# PROGRAM -> its rules; nothing if there are none
	inside "$1-save" 2>/dev/null | plain | grep -v '^\*[a-z]* *:[A-Z]* ACCEPT$'
}
wanted() { plain <"$1" | grep -v '^\*[a-z]* *:[A-Z]* ACCEPT$'; }
is() {	# PROGRAM FILE WORDS: it has the rules of a file
	rules "$1" >"$tmp/is"
	wanted "$2" >"$tmp/shall"
	LC_ALL=C sort "$tmp/is" >"$tmp/is.s"
	LC_ALL=C sort "$tmp/shall" >"$tmp/shall.s"
	cmp -s "$tmp/is.s" "$tmp/shall.s" || wrong "$3: $1 differs: $(diff "$tmp/shall.s" "$tmp/is.s" | head -n 5)"
}
empty() {	# PROGRAM WORDS
	[ -z "$(rules "$1")" ] || wrong "$2: $1 has $(rules "$1" | head -n 3)"
}
record() { ls /run/xt2/taken-"$(folder_of "$ns" | sed 's/.*net-//')" 2>/dev/null; }
# shellcheck disable=SC2086
reset() {	# FAMILY FILE WAY...: nothing is live, and these have the rules
	live detach --forget 2>/dev/null
	rm -f "$(record)"
	inside nft flush ruleset
	f=$1 from=$2
	shift 2
	for t in raw:PREROUTING,OUTPUT mangle:PREROUTING,INPUT,FORWARD,OUTPUT,POSTROUTING \
		nat:PREROUTING,INPUT,OUTPUT,POSTROUTING filter:INPUT,FORWARD,OUTPUT; do
		printf '*%s\n' "${t%:*}"
		echo "${t#*:}" | tr , '\n' | sed 's/.*/:& ACCEPT/'
		echo COMMIT
	done >"$tmp/none"
	inside ip${f}tables-legacy-restore "$tmp/none"
	for w; do
		inside ip${f}tables-$w-restore "$from" || wrong "$w: $from"
	done
}

# The rulesets of hosts, in one, in the other, in both.
first=1
for file in "$hosts"/*.v[46]; do
	name=${file##*/}
	f='' four=-4
	case $name in *.v6) f=6 four=-6 ;; esac
	for ways in legacy nft "legacy nft"; do
		# shellcheck disable=SC2086
		reset "$f" "$file" $ways
		way=${ways%% *}
		inside "ip${f}tables-$way-save" >"$tmp/saved" 2>/dev/null # in its own spelling
		live apply $four - <"$tmp/saved" >"$tmp/out" 2>"$tmp/err"
		code=$?
		[ $first = 0 ] || [ $code != 3 ] || skip "$(cat "$tmp/err")"
		first=0
		[ $code = 4 ] || wrong "$name: the same rules twice: exit $code"
		for w in $ways; do
			grep -q "table filter of .* in ip${f}tables-$w has the same rules" "$tmp/err" ||
				wrong "$name: $w is not named: $(cat "$tmp/err")"
		done
		grep -q 'hint: .*--take-over' "$tmp/err" || wrong "$name: no way out: $(cat "$tmp/err")"
		live status >/dev/null 2>&1 && wrong "$name: it is live all the same"
		live apply $four --take-over - <"$tmp/saved" >"$tmp/out" 2>"$tmp/err" ||
			wrong "$name: --take-over: $(cat "$tmp/err")"
		for w in $ways; do
			empty "ip${f}tables-$w" "$name"
			grep -q "^taken over: table filter of .* in ip${f}tables-$w$" "$tmp/out" ||
				wrong "$name: $(cat "$tmp/out")"
		done
		live save $four --live >"$tmp/live"
		wanted "$tmp/saved" >"$tmp/shall"
		plain <"$tmp/live" | grep -v '^\*[a-z]* *:[A-Z]* ACCEPT$' >"$tmp/is"
		LC_ALL=C sort "$tmp/is" >"$tmp/is.s"
		LC_ALL=C sort "$tmp/shall" >"$tmp/shall.s"
		cmp -s "$tmp/is.s" "$tmp/shall.s" ||
			wrong "$name: save --live: $(diff "$tmp/shall.s" "$tmp/is.s" | head -n 5)"
		live status >"$tmp/out" 2>&1 || wrong "$name: status: $(cat "$tmp/out")"
		grep -q "^taken .* filter ip${f}tables-$way$" "$tmp/out" || wrong "$name: status: $(cat "$tmp/out")"
		live apply $four --take-over "$tmp/saved" >"$tmp/out" 2>&1 || wrong "$name: again: $(cat "$tmp/out")"
		live detach || wrong "$name: detach"
		for w in $ways; do
			is "ip${f}tables-$w" "$tmp/saved" "$name: detach"
		done
		[ -z "$(record)" ] || wrong "$name: a record is left"
	done
done
file=$hosts/docker.v4

# Counters come back as well.
reset '' "$file" legacy
inside ping -c 3 -W 0.2 -i 0.01 127.0.0.9 >/dev/null
live apply --take-over "$file" >/dev/null 2>&1 || wrong "apply a file"
live detach
inside iptables-legacy-save -c -t filter | grep -q '^\[3:252\] -A INPUT -d 127.0.0.9' ||
	wrong "counters: $(inside iptables-legacy-save -c -t filter | grep 127.0.0.9)"

# Other rules are not lost; with --force they are gone until detach.
reset '' "$file" nft legacy
inside iptables-legacy -A FORWARD -s 192.0.2.1 -j DROP
inside iptables-legacy-save >"$tmp/more"
live apply --take-over "$file" >"$tmp/out" 2>"$tmp/err" && wrong "other rules are taken over"
grep -q 'table filter of ipv4 in iptables-legacy has other rules' "$tmp/err" || wrong "$(cat "$tmp/err")"
live status >/dev/null 2>&1 && wrong "other rules: it is live"
is iptables-nft "$file" "other rules"
is iptables-legacy "$tmp/more" "other rules"
live apply --take-over --force "$file" >/dev/null 2>&1 || wrong "--force"
empty iptables-legacy "--force"
live detach
is iptables-legacy "$tmp/more" "--force, detach"
# Beside other rules the ruleset goes live as ever; with --force beside the same ones.
reset '' "$file" legacy
printf '*filter\n-A INPUT -s 192.0.2.7 -j DROP\nCOMMIT\n' >"$tmp/small"
live apply "$tmp/small" || wrong "beside other rules"
live apply --force "$file" || wrong "--force beside the same rules"
is iptables-legacy "$file" "beside"
live apply --confirm 60 --take-over "$file" 2>/dev/null
[ $? = 2 ] || wrong "a trial takes over"
live status --forget 2>/dev/null
[ $? = 2 ] || wrong "status --forget"

# Rules that somebody adds to a table that was taken over are not lost.
reset '' "$file" nft
live apply --take-over "$file" >/dev/null 2>&1
inside iptables-nft -A INPUT -s 192.0.2.2 -j DROP
live apply --take-over "$file" >/dev/null 2>"$tmp/err" && wrong "taken over twice"
grep -q 'other rules' "$tmp/err" || wrong "twice: $(cat "$tmp/err")"
live detach 2>"$tmp/err" && wrong "detach loses rules"
grep -q 'other rules than those that were taken over' "$tmp/err" || wrong "detach: $(cat "$tmp/err")"
live status >/dev/null 2>&1 || wrong "a refused detach has detached"
inside iptables-nft -S INPUT | grep -q 192.0.2.2 || wrong "the rule is lost"
live detach --forget || wrong "--forget"
inside iptables-nft -S INPUT | grep -q 192.0.2.2 || wrong "--forget: the rule is lost"
[ -z "$(record)" ] || wrong "--forget leaves a record"

# Who goes on calling iptables is named.
reset '' "$file" nft
cp "$(command -v sleep)" "$tmp/dockerd"
ip netns exec "$ns" "$tmp/dockerd" 600 &
daemon=$!
sleep 0.2
live apply --take-over "$file" >/dev/null 2>"$tmp/err" || wrong "with dockerd: $(cat "$tmp/err")"
grep -q 'warning: dockerd (process [0-9]*) goes on calling iptables' "$tmp/err" || wrong "dockerd: $(cat "$tmp/err")"
grep -q 'hint: systemctl edit docker' "$tmp/err" || wrong "dockerd, no hint: $(cat "$tmp/err")"
kill "$daemon" 2>/dev/null
daemon=
live detach

# Packets of a flood are dropped by one or the other, while it goes to and fro.
reset '' "$file" legacy nft
inside ping -q -i 0.002 -W 0.2 127.0.0.9 >"$tmp/flood" 2>&1 &
flood=$!
sleep 0.1
for i in 1 2 3; do
	live apply --take-over "$file" >/dev/null 2>&1 || wrong "under a flood"
	live detach || wrong "detach under a flood"
done
kill -INT "$(cat /proc/$flood/task/$flood/children 2>/dev/null)" $flood 2>/dev/null
wait $flood
grep -q ' 0 received' "$tmp/flood" || wrong "packets meet neither: $(grep received "$tmp/flood")"

# Killed before or after each call of iptables' own programs.
mkdir "$tmp/bin"
for program in iptables-legacy iptables-nft; do
	for what in save restore; do
		real=$(command -v $program-$what)
		cat >"$tmp/bin/$program-$what" <<-END
			#!/bin/sh
			n=\$((\$(cat $tmp/calls) + 1))
			echo \$n >$tmp/calls
			[ "\$KILL" != "\$n before" ] || { kill -9 \$PPID; exit 1; }
			if [ "\$KILL" = "\$n fail" ]; then echo 'it fails' >&2; exit 1; fi
			$real "\$@" || exit
			[ "\$KILL" != "\$n after" ] || kill -9 \$PPID
		END
		chmod +x "$tmp/bin/$program-$what"
	done
done
killed() {	# "N WHEN" COMMAND...
	echo 0 >"$tmp/calls"
	kill=$1
	shift
	KILL=$kill PATH=$tmp/bin:$PATH "$@" >/dev/null 2>&1
}
safe() {	# WHEN
	inside ping -c 1 -W 0.1 127.0.0.9 >/dev/null && wrong "$1: packets meet neither"
}
both() {	# WHEN: all is as before
	live status >/dev/null 2>&1 && wrong "$1: something is live"
	is iptables-legacy "$tmp/filter" "$1"
	is iptables-nft "$tmp/nat" "$1"
	[ -z "$(record)" ] || wrong "$1: a record is left"
}
over() {	# WHEN: all is taken over
	live status >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
	empty iptables-legacy "$1"
	empty iptables-nft "$1"
}
split() {	# iptables-legacy has table filter, and iptables-nft table nat
	reset '' "$tmp/filter" legacy
	inside iptables-nft-restore "$tmp/nat"
}
sed -n '/^\*filter/,$p' "$file" >"$tmp/filter"
sed '/^\*filter/,$d' "$file" >"$tmp/nat"
points=0
split
killed none live apply --take-over "$file" || wrong "with programs that count"
applies=$(cat "$tmp/calls")
killed none live detach || wrong "detach with programs that count"
detaches=$(cat "$tmp/calls")
both "counting"
for n in $(seq 1 "$applies"); do
	for when in before after fail; do
		for next in apply detach repair; do
			[ $next = apply ] || { [ $when != fail ] && [ "$n" -gt 4 ]; } || continue
			points=$((points + 1))
			at="apply, call $n, $when, then $next"
			killed "$n $when" live apply --take-over "$file" && [ $when != fail ] && wrong "$at: not killed"
			safe "$at"
			if [ $when = fail ]; then
				both "$at"
				continue
			fi
			case $next in
			detach)
				live detach 2>/dev/null
				both "$at"
				;;
			apply)
				live apply --take-over "$file" >/dev/null 2>"$tmp/err" || wrong "$at: $(cat "$tmp/err")"
				over "$at"
				;;
			repair)
				if live repair 2>"$tmp/err"; then over "$at"; else both "$at"; fi
				;;
			esac
			live detach 2>/dev/null
			both "$at, detach"
		done
	done
done
for n in $(seq 1 "$detaches"); do
	for when in before after fail; do
		for next in detach apply; do
			[ $next = detach ] || [ "$n" -gt 2 ] || continue
			points=$((points + 1))
			at="detach, call $n, $when, then $next"
			live apply --take-over "$file" >/dev/null 2>"$tmp/err" || wrong "$at: $(cat "$tmp/err")"
			killed "$n $when" live detach && [ $when != fail ] && wrong "$at: not killed"
			safe "$at"
			[ $when != fail ] || over "$at"
			if [ $next = apply ]; then
				live apply --take-over "$file" >/dev/null 2>"$tmp/err" || wrong "$at: $(cat "$tmp/err")"
				over "$at"
			fi
			live detach 2>"$tmp/err" || wrong "$at: $(cat "$tmp/err")"
			both "$at"
		done
	done
done
# And anywhere else: before a system call of its own, in the order of a seed.
seed=${XT2_SEED:-$(date +%s)}
calls() {	# COMMAND... -> NAME TIMES for each system call of its own: strace counts each name by itself
	strace -qq -o "$tmp/trace" "$@" >/dev/null 2>&1
	sed -n 's/^\([a-z_0-9]*\)(.*/\1/p' "$tmp/trace" | awk '{ print $1, ++n[$1] }'
}
if command -v strace >/dev/null; then
	calls "$xt2" apply --netns "$ns" --take-over "$file" >"$tmp/apply"
	calls "$xt2" detach --netns "$ns" >"$tmp/detach"
	both "traced"
	[ "$(wc -l <"$tmp/apply")" -gt 500 ] || wrong "$(wc -l <"$tmp/apply") system calls"
	turns=12 kills=0
	[ -z "$XT2_SHORT" ] || turns=4
	python3 -c "import random; random.seed($seed)
for i in range($turns):
    for command in 'apply', 'detach':
        print(command, random.choice(open('$tmp/' + command).readlines()), end='')" >"$tmp/turns"
	while read -r command name n; do
		points=$((points + 1))
		at="XT2_SEED=$seed: killed in $command before $name() $n"
		if [ "$command" = detach ]; then
			live apply --take-over "$file" >/dev/null 2>"$tmp/err" </dev/null || wrong "$at: $(cat "$tmp/err")"
			set -- detach
		else
			set -- apply --take-over "$file"
		fi
		strace -qq -o /dev/null -e "inject=$name:signal=KILL:when=$n" "$xt2" "$@" --netns "$ns" >/dev/null 2>&1 </dev/null
		[ $? != 137 ] || kills=$((kills + 1))
		sleep 0.1 # for a program of iptables that goes on alone
		safe "$at"
		if [ $((points % 2)) = 0 ]; then
			live apply --take-over "$file" >/dev/null 2>"$tmp/err" </dev/null || wrong "$at: $(cat "$tmp/err")"
			over "$at"
		fi
		live detach 2>/dev/null </dev/null
		both "$at, detach"
	done <"$tmp/turns"
	[ $kills -gt $turns ] || wrong "only $kills of $((2 * turns)) were killed"
else
	echo "SKIP: no strace"
fi
echo "killed or failed at $points points; XT2_SEED=$seed"

# What was pinned is gone, what was taken over is not.
live apply --take-over "$file" >/dev/null 2>&1
rm -rf "$(folder_of "$ns")"
live detach || wrong "detach without pins"
both "detach without pins"
live apply --take-over "$file" >/dev/null 2>&1
rm -rf "$(folder_of "$ns")"
live detach --forget || wrong "--forget without pins"
empty iptables-nft "--forget without pins"
split

# A damaged record is named, and nothing is done.
live apply --take-over "$file" >/dev/null 2>&1
cp "$(record)" "$tmp/record"
for damage in 's/^over/under/' 's/iptables-nft/iptables/' 's/ [0-9]*$/ 99999/' '1s/1/2/' '1s/..$//'; do
	sed "$damage" "$tmp/record" >"$(record)"
	live detach 2>"$tmp/err" && wrong "$damage: detached"
	grep -q 'taken-.*is no record of tables' "$tmp/err" || wrong "$damage: $(cat "$tmp/err")"
done
cp "$tmp/record" "$(record)"
live detach || wrong "detach with the record"
both "the end"
[ $failed = 0 ] && echo "tables are taken over and given back"
exit $failed
