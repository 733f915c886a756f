#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who changed what is live: each commit tells, and whoever comes too late, or changes chains of
# somebody else, is told.
test=live-history needs="python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
build=$(realpath "${top_builddir:-.}")
PATH=$build/links:$build:$PATH
XT2_IMAGE=$tmp/image
export XT2_IMAGE
unset XT2_OWNER
user=$(id -un)

# PROGRAM [SUBCOMMAND] ARGUMENT...: of what is live in the namespace
live() {
	program=$1
	shift
	[ "$program" != xt2 ] || {
		program="xt2 $1"
		shift
	}
	# shellcheck disable=SC2086 # a program and a subcommand
	$program --live --netns "$ns" "$@"
}

# COMMAND...: it is successful, or a failure; both outputs are kept
gives() {
	want=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	[ $code = "$want" ] || wrong "$*: exit code $code, not $want: $(cat "$tmp/out" "$tmp/err")"
}

# WORDS...: this is the newest line, without time and process
newest() {
	live xt2 history -n 1 >"$tmp/line" || wrong "xt2 history: exit code $?"
	sed 's/  [0-9TZ:-]*  /  /; s/ (pid [0-9]*)//' "$tmp/line" >"$tmp/short"
	[ "$(cat "$tmp/short")" = "$*" ] || wrong "not \"$*\": $(cat "$tmp/short")"
}

change() { gives 0 live xt2tables "$@"; }
rules() { # RULE...: a table that filters
	printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:OLD - [0:0]\n'
	for i; do printf '%s\n' "$i"; done
	echo COMMIT
}

gives 1 live xt2 history
rules '-A INPUT -s 192.0.2.1' '-A OLD -j DROP' >"$tmp/rules"
xt2 apply --netns "$ns" --owner boot --reason 'the first' "$tmp/rules" 2>"$tmp/err"
case $? in
0) ;;
3) skip "$(cat "$tmp/err")" ;;
*) echo "apply: $(cat "$tmp/err")"; exit 99 ;;
esac
newest "1  whole  $user for boot: +2 rules, +1 chain; the first"

# edits of all kinds of programs
change -A INPUT -s 192.0.2.2 --reason 'why not'
newest "2  whole  $user: +1 rule; why not" # with evaluators that can search, as edits in place need
change -R INPUT 1 -s 192.0.2.3
newest "3  edit  $user: +1 -1 rules"
rules='*filter\n-A OLD\n-A OLD\n-N NEW\nCOMMIT\n'
# shellcheck disable=SC2059 # there is no other
printf "$rules" | live xt2tables-restore -n --owner me || wrong "restore -n"
newest "4  edit  $user for me: +2 rules, +1 chain"
printf '%s\n' '-A INPUT' COMMIT 'owner two' 'reason and a half' '-A INPUT' COMMIT '-P INPUT DROP' COMMIT '-P INPUT ACCEPT' COMMIT |
	XT2_OWNER=x live xt2 edit --owner one --reason because >"$tmp/out" || wrong "edit"
printf 'ok %s\n' 5 6 7 8 | cmp -s - "$tmp/out" || wrong "edit: $(cat "$tmp/out")"
newest "8  edit  $user for one: 1 policy; because"
live xt2 history -n 3 | sed -n '3s/.* for //p' >"$tmp/line"
[ "$(cat "$tmp/line")" = 'two: +1 rule; and a half' ] || wrong "edit: $(cat "$tmp/line")"
change -L
newest "8  edit  $user for one: 1 policy; because"

# whoever comes too late
gives 5 live xt2tables --if-generation 7 -F
grep -q "^error.*: the live ruleset: generation 8 is there, not 7: nothing was changed; it was made by $user (pid [0-9]*) for one at 20.*: because$" \
	"$tmp/err" || wrong "a conflict: $(cat "$tmp/err")"
printf 'if-generation 7\n-F\n' | live xt2 edit >"$tmp/out"
grep -q "^error 1: generation 8 is there, not 7: it was made by $user (pid [0-9]*) for one at 20" "$tmp/out" ||
	wrong "a conflict of xt2 edit: $(cat "$tmp/out")"
gives 0 live xt2tables --if-generation 8 -A INPUT
newest "9  edit  $user: +1 rule"

# chains belong to owners: NEW is that of me, and has a rule
change -A NEW --owner me
theirs() {
	for how in '' '--owner you'; do
		# shellcheck disable=SC2086 # words
		for what in '-A NEW' '-D NEW 1' '-E NEW OTHER' '-F'; do
			gives 6 live xt2tables $what $how
			grep -q 'the live ruleset: chain NEW of table filter belongs to me: nothing was changed' "$tmp/err" ||
				wrong "$what: $(cat "$tmp/err")"
		done
	done
	printf '*filter\n:NEW -\nCOMMIT\n' | live xt2tables-restore -n 2>"$tmp/err"
	[ $? = 6 ] || wrong "restore: $(cat "$tmp/err")"
	echo '-A NEW' | live xt2 edit >"$tmp/out"
	[ $? = 6 ] || wrong "edit: $(cat "$tmp/out")"
	change -Z NEW
	change -A NEW --owner me
	change -D NEW 2 --owner me
	change -A NEW --force
	change -D NEW 2 --force
}
theirs

# a whole ruleset takes history and owners over, and its rules are counted
count=$(live xt2 history | wc -l)
rules ":NEW - [0:0]" '-A INPUT -s 192.0.2.3' '-A INPUT -s 192.0.2.2' '-A INPUT -s 192.0.2.7' '-A OLD -j DROP' '-A NEW' >"$tmp/rules"
gives 0 xt2 apply --netns "$ns" --reason again "$tmp/rules"
next=$(live xt2 history -n 1 | cut -d ' ' -f 1)
[ "$(live xt2 history | wc -l)" = $((count + 1)) ] || wrong "apply has lost the history"
newest "$next  whole  $user: +1 -5 rules; again"
live xt2tables -S | grep -q '^-A INPUT -s 192.0.2.7' || wrong "apply: $(live xt2tables -S)"
theirs
printf '*mangle\n-A OUTPUT -s 192.0.2.1 -j DROP\nCOMMIT\n' | live xt2tables-restore -n --reason 'a table more' ||
	wrong "a table more"
next=$(live xt2 history -n 1 | cut -d ' ' -f 1)
newest "$next  whole  $user: +1 rule; a table more"
theirs
gives 0 xt2 repair --netns "$ns"
theirs

# what was on trial takes its history back
before=$(live xt2 history -n 1)
next=$(live xt2 history -n 1 | cut -d ' ' -f 1)
counts='nothing counted'
for end in no late yes; do
	[ $end = late ] && time=1 || time=60
	gives 0 xt2 apply --netns "$ns" --confirm "$time" --reason "on trial" "$tmp/rules"
	newest "$((next + 1))  whole  $user: $counts; on trial"
	change -A INPUT --reason "also on trial"
	[ "$(live xt2 history -n 3 | tail -n 1)" = "$before" ] || wrong "on trial: $(live xt2 history -n 3)"
	case $end in
	no) gives 0 xt2 confirm --no --netns "$ns" ;;
	late) sleep 1.5 ;;
	yes) gives 0 xt2 confirm --netns "$ns" ;;
	esac
	if [ $end = yes ]; then
		newest "$((next + 2))  edit  $user: +1 rule; also on trial"
	else
		[ "$(live xt2 history -n 1)" = "$before" ] || wrong "$end: $(live xt2 history -n 3)"
		# the numbers of what was taken back are not used again
		gives 5 live xt2tables --if-generation $((next + 2)) -A INPUT
		change -D INPUT 1
		newest "$((next + 3))  edit  $user: -1 rule"
		[ $end = no ] && counts='+1 rule' || counts='+2 rules'
		before=$(live xt2 history -n 1)
		next=$((next + 3))
	fi
done

# unmodified tools
if command -v iptables-legacy >/dev/null; then
	gives 0 xt2 run --live --netns "$ns" -- iptables-legacy -A INPUT -s 192.0.2.9
	newest "$((next + 3))  whole  $user: +1 rule" # the table is no longer that of a file
	theirs
fi

# it is bounded
i=0
while [ $i -lt 700 ]; do
	echo "-A INPUT -s 192.0.2.1"
	echo COMMIT
	echo '-D INPUT -s 192.0.2.1'
	echo COMMIT
	i=$((i + 1))
done | live xt2 edit >"$tmp/out" || wrong "many edits: $(tail -n 1 "$tmp/out")"
[ "$(live xt2 history | wc -l)" -gt 256 ] || wrong "edits have lost the history"
gives 0 xt2 apply --netns "$ns" "$tmp/rules"
lines=$(live xt2 history | wc -l)
case $lines in
[5-9][0-9] | 1[0-9][0-9] | 2[0-4][0-9] | 25[0-6]) ;;
*) wrong "an installed ruleset has $lines records" ;;
esac
theirs
live xt2 history --json -n 1 | python3 -c '
import json
x = json.loads(input())
assert x["kind"] == "edit" and x["rules_gone"] == 1, x
' || wrong "--json: $(live xt2 history --json -n 1)"

# commits are told when they come, also if there is nothing yet, and another arena later
gives 0 xt2 detach --netns "$ns"
wait_for() { # GENERATION TIMES: so often it has been told, in 10 seconds at most
	tries=0
	while [ "$(grep -c "^$1 " "$tmp/lines")" -lt "$2" ]; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || {
			wrong "generation $1 is not told $2 times: $(cat "$tmp/lines")"
			return
		}
		sleep 0.01
	done
}
xt2 monitor --live --netns "$ns" >"$tmp/lines" 2>&1 &
monitor=$!
sleep 0.3
gives 0 xt2 apply --netns "$ns" --reason 'anew' "$tmp/rules"
wait_for 1 1
i=0
while [ $i -lt 50 ]; do
	echo "-A INPUT -s 192.0.2.$i"
	echo COMMIT
	i=$((i + 1))
done | live xt2 edit >"$tmp/out" || wrong "many edits"
wait_for 51 1
gives 0 xt2 apply --netns "$ns" --confirm 60 "$tmp/rules"
wait_for 52 1
change -A INPUT
wait_for 53 1
gives 0 xt2 confirm --no --netns "$ns"
wait_for 51 2
change -A INPUT
wait_for 54 1
i=0
while [ $i -lt 4 ]; do # regions of the arena take turns
	gives 0 xt2 apply --netns "$ns" "$tmp/rules"
	i=$((i + 1))
done
wait_for 58 1
gives 0 xt2 detach --netns "$ns"
sleep 0.3
gives 0 xt2 apply --netns "$ns" --reason 'anew' "$tmp/rules"
wait_for 1 2
{
	seq 1 53
	echo 51
	seq 54 58
	echo 1
} >"$tmp/numbers"
cut -d ' ' -f 1 "$tmp/lines" | cmp -s - "$tmp/numbers" || wrong "told: $(cat "$tmp/lines")"
kill $monitor
wait $monitor 2>/dev/null
[ $? = 143 ] || wrong "a signal did not end the monitor"
xt2 monitor --live --netns "$ns" --json -n 2 >"$tmp/json" &
monitor=$!
sleep 0.3
change -A INPUT
change -A INPUT
change -A INPUT
wait $monitor || wrong "-n 2: exit code $?"
python3 -c '
import json, sys
assert [json.loads(x)["generation"] for x in open(sys.argv[1])] == [2, 3]
' "$tmp/json" || wrong "monitor --json: $(cat "$tmp/json")"
mkfifo "$tmp/pipe"
xt2 monitor --live --netns "$ns" >"$tmp/pipe" &
monitor=$!
exec 7<"$tmp/pipe"
sleep 0.3
change -A INPUT
read -r number rest <&7
[ "$number" = 5 ] || wrong "through a pipe: $number $rest"
exec 7<&-
wait $monitor 2>/dev/null
[ $? -le 141 ] || wrong "nobody reads: the monitor did not end"

gives 2 xt2 apply --netns "$ns" --owner '' "$tmp/rules"
gives 0 xt2 detach --netns "$ns"
gives 1 live xt2 history
exit $failed
