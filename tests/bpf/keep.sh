#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a live ruleset keeps when xt2 apply replaces it: counters, state, other tables, everything
# after an error.  In a network namespace of the test's own; packets are pings through lo.
test=keep needs="ping flock python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
bin=$(realpath "${top_builddir:-.}")
apply() { "$bin/xt2" apply --netns "$ns" "$@"; }
counters() { "$bin/xt2" counters --netns "$ns"; }
pings() { ip netns exec "$ns" ping -q -c "$1" -i 0.002 "$2" >/dev/null; }	# COUNT ADDRESS

table() {	# TABLE [LINE...]
	printf '*%s\n' "$1"
	shift
	printf '%s\n' "$@"
	echo COMMIT
}
rules() {	# LINE...: of the filter table, with policies
	table filter ':INPUT ACCEPT [0:0]' ':FORWARD ACCEPT [0:0]' ':OUTPUT ACCEPT [0:0]' "$@"
}
expect() {	# WHAT LINE...: of xt2 counters, in this order, among others
	what=$1
	shift
	counters >"$tmp/now" || wrong "$what: no counters"
	for line; do
		grep -qx "$line" "$tmp/now" || wrong "$what: not \"$line\" but $(grep -F "${line% * *} " "$tmp/now")"
	done
}
refuse() {	# CODE MESSAGE ARGUMENTS...: nothing changes
	counters >"$tmp/before"
	want=$1 message=$2
	shift 2
	apply "$@" 2>"$tmp/err"
	code=$?
	[ $code = "$want" ] || wrong "apply $*: exit code $code: $(cat "$tmp/err")"
	grep -q "$message" "$tmp/err" || wrong "apply $*: $(cat "$tmp/err")"
	counters | cmp -s - "$tmp/before" || wrong "apply $* changed something"
}
image() {	# OUTPUT 4|6 TEXT
	restore=xt2tables-restore
	[ "$2" = 4 ] || restore=xt2ip6tables-restore
	"$bin/$restore" --image "$1" <"$3" || wrong "no image of $3"
}

# With nothing live, the file's counters count; 84 bytes go through OUTPUT, then INPUT, twice a ping.
rules '[5:50] -A INPUT -p icmp' '-A INPUT -i lo' '-A INPUT -i lo' '-A OUTPUT -p icmp' >"$tmp/a"
apply "$tmp/a" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
pings 5 127.0.0.1
expect "first" "ipv4 filter INPUT 1 15 890" "ipv4 filter INPUT 2 10 840" \
	"ipv4 filter INPUT policy 10 840" "ipv4 filter OUTPUT 1 10 840"

# Kept: rules that stay, the k-th of equal ones, whatever the file counts; others start at 0.
rules '-A INPUT ! -i lo' '[9:9] -A INPUT -i lo' '[9:9] -A INPUT -p icmp' '-A INPUT -i lo' \
	'[9:9] -A INPUT -i lo' '[9:9] -A OUTPUT ! -p icmp' |
	sed 's/^:OUTPUT .*/:OUTPUT DROP [3:3]/' >"$tmp/b"
pings 1 127.0.0.1
apply "$tmp/b" || wrong "apply b"
expect "kept" "ipv4 filter INPUT 1 0 0" "ipv4 filter INPUT 2 12 1008" "ipv4 filter INPUT 3 17 1058" \
	"ipv4 filter INPUT 4 12 1008" "ipv4 filter INPUT 5 0 0" "ipv4 filter INPUT policy 12 1008" \
	"ipv4 filter OUTPUT 1 0 0" "ipv4 filter OUTPUT policy 0 0"
apply --counters file "$tmp/b"
expect "file" "ipv4 filter INPUT 2 9 9" "ipv4 filter INPUT 4 0 0" "ipv4 filter OUTPUT policy 3 3"
apply --counters reset "$tmp/b"
expect "reset" "ipv4 filter INPUT 2 0 0" "ipv4 filter OUTPUT policy 0 0"
apply --counters=keep "$tmp/a"

# What recent remembers is kept by its name, whichever rule asks.
r='-m recent --name kept --rsource'
rules "-A INPUT -p icmp --icmp-type 8 $r --set" >"$tmp/r"
apply "$tmp/r"
pings 3 127.0.0.1
rules "-A INPUT -p icmp --icmp-type 8 $r --rcheck --hitcount 3 --seconds 1000" \
	"-A INPUT -p icmp --icmp-type 8 $r --rcheck --hitcount 4" >"$tmp/r"
apply "$tmp/r"
pings 2 127.0.0.1
expect "recent" "ipv4 filter INPUT 1 2 168" "ipv4 filter INPUT 2 0 0"
apply --counters reset "$tmp/r"
pings 2 127.0.0.1
expect "recent anew" "ipv4 filter INPUT 1 0 0" "ipv4 filter INPUT 2 0 0"
apply "$tmp/a"

# Chains are the same by their names, whatever their numbers; so is what jumps there.
rules ':z - [0:0]' '-A OUTPUT -j z' '-A OUTPUT -g z' '-A z -m comment --comment here' >"$tmp/c"
rules ':a - [0:0]' ':m - [0:0]' ':z - [0:0]' '-A OUTPUT -j a' '-A OUTPUT -j z' '-A OUTPUT -g z' \
	'-A z -m comment --comment there' '-A z -m comment --comment here' >"$tmp/d"
apply "$tmp/c"
pings 2 127.0.0.1
apply "$tmp/d"
expect "chains" "ipv4 filter OUTPUT 1 0 0" "ipv4 filter OUTPUT 2 4 336" "ipv4 filter OUTPUT 3 4 336" \
	"ipv4 filter z 1 0 0" "ipv4 filter z 2 8 672"

# A text is for its tables; the others stay, and go on counting, whatever --counters says.
rules '[2:20] -A INPUT -p ipv6-icmp' >"$tmp/six"
table raw ':PREROUTING ACCEPT [0:0]' ':OUTPUT ACCEPT [0:0]' '[4:4] -A OUTPUT -o lo' >"$tmp/raw"
apply --counters reset -6 "$tmp/six"
expect "reset -6" "ipv4 filter z 2 8 672" "ipv6 filter INPUT 1 0 0"
"$bin/xt2" detach --netns "$ns"
apply "$tmp/c"
pings 1 127.0.0.1
apply -6 "$tmp/six"
expect "a family that comes" "ipv4 filter z 1 4 336" "ipv6 filter INPUT 1 2 20"
apply --counters file "$tmp/raw"
pings 1 ::1
pings 1 127.0.0.1
expect "all tables" "ipv4 filter z 1 8 672" "ipv6 filter INPUT 1 4 228" "ipv4 raw OUTPUT 1 6 172"
apply --counters reset "$tmp/c" -6 "$tmp/six"
expect "both families" "ipv4 filter z 1 0 0" "ipv6 filter INPUT 1 0 0" "ipv4 raw OUTPUT 1 6 172"

# An image is everything; two of them are, together.
pings 1 127.0.0.1
pings 1 ::1
image "$tmp/four.xt2" 4 "$tmp/c"
image "$tmp/six.xt2" 6 "$tmp/six"
apply "$tmp/four.xt2" "$tmp/six.xt2"
expect "images" "ipv4 filter z 1 4 336" "ipv6 filter INPUT 1 2 208"
counters | grep -q raw && wrong "images: raw is still there"
apply "$tmp/six.xt2"
expect "an image" "ipv6 filter INPUT 1 2 208"
counters | grep -q ipv4 && wrong "an image: IPv4 is still there"
apply "$tmp/four.xt2" -6 "$tmp/six"
expect "an image and a text" "ipv4 filter z 1 0 0" "ipv6 filter INPUT 1 2 208"

# All files or none.
echo '-A INPUT -j nowhere' >"$tmp/junk"
rules '-A INPUT -j QUEUE' >"$tmp/queue"
refuse 2 'junk' "$tmp/c" -6 "$tmp/junk"
refuse 2 "table filter of ipv4 is in $tmp/c and in $tmp/a" "$tmp/c" -6 "$tmp/six" -4 "$tmp/a"
refuse 2 'table filter of ipv4' "$tmp/c" "$tmp/four.xt2"
refuse 3 "queue.*cannot do QUEUE" -6 "$tmp/six" -4 "$tmp/queue"
refuse 2 'keep, reset or file' --counters some "$tmp/c"
refuse 2 'no file' -4

# State: 11 packets of 84 bytes in 1,000; 5 of a burst; every fourth. Rules move, and others come.
"$bin/xt2" detach --netns "$ns"
rules '-A OUTPUT -m quota --quota 1000' '-A OUTPUT -m limit --limit 1/hour --limit-burst 5' \
	'-A OUTPUT -m statistic --mode nth --every 4 --packet 0' >"$tmp/s0"
rules '-A INPUT -m quota --quota 500' '-A OUTPUT -m quota --quota 77' \
	'-A OUTPUT -m statistic --mode nth --every 4 --packet 0' '-A OUTPUT -m quota --quota 1000' \
	'-A OUTPUT -m limit --limit 1/hour --limit-burst 5' >"$tmp/s1"
apply "$tmp/s0"
for i in 1 2 3 4 5; do
	pings 1 127.0.0.1
	apply "$tmp/s$((i % 2))"
done
pings 7 127.0.0.1
expect "state" "ipv4 filter OUTPUT 1 0 0" "ipv4 filter OUTPUT 2 6 504" "ipv4 filter OUTPUT 3 11 924" \
	"ipv4 filter OUTPUT 4 5 420"
apply --counters reset "$tmp/s1"
pings 2 127.0.0.1
expect "new state" "ipv4 filter OUTPUT 2 1 84" "ipv4 filter OUTPUT 3 4 336" \
	"ipv4 filter OUTPUT 4 4 336"

# KIND SECONDS
hold() {
	exec python3 -c "import fcntl, os, sys, time
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_$1)
time.sleep($2)" "$folder"
}
# One at a time; who looks makes nobody fail.
folder=$(folder_of "$ns")
hold EX 60 &
holder=$!
while flock -n "$folder" true; do sleep 0.01; done
apply "$tmp/a" 2>"$tmp/err"
code=$?
kill $holder
[ $code = 4 ] || wrong "two at once: $code"
grep -q "process $holder, .*python3 -c import fcntl" "$tmp/err" || wrong "not who is at work: $(cat "$tmp/err")"
wait $holder 2>/dev/null
{ sed '/^COMMIT/d' "$tmp/a"; seq 100000 | sed 's/.*/-A FORWARD -p 254/'; echo COMMIT; } >"$tmp/large"
first=0 tries=0
until [ $first != 0 ] || [ $tries = 20 ]; do # stopped while it has the lock
	tries=$((tries + 1))
	"$bin/xt2" apply --netns "$ns" "$tmp/large" &
	first=$!
	while flock -s -n "$folder" true && kill -0 $first; do :; done 2>/dev/null
	kill -STOP $first 2>/dev/null
	flock -s -n "$folder" true || break
	kill -CONT $first 2>/dev/null
	wait $first
	first=0
done
[ $first != 0 ] || wrong "apply was never met at work"
apply "$tmp/b" 2>"$tmp/err"
code=$?
[ $code = 4 ] || wrong "apply beside another: $code"
grep -q "process $first, .*xt2 apply" "$tmp/err" || wrong "not who won: $(cat "$tmp/err")"
kill -CONT $first
wait $first || wrong "the first of two did not win"
counters | grep -q 'FORWARD 100000 ' || wrong "the first of two is not live"
hold SH 0.3 &
while flock -n "$folder" true; do sleep 0.01; done
counters >/dev/null || wrong "two cannot look at once"
apply "$tmp/a" || wrong "apply while somebody looks"
wait
[ $failed = 0 ] && echo "counters, state and tables kept"
exit $failed
