#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 apply --confirm and xt2 confirm, in a network namespace of the test's own: what was not
# confirmed goes, in time and whatever is killed; what was before comes back, with its counters.
test=confirm needs="ping python3 setsid"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
within() {	# SECONDS COMMAND: until it is true
	for _ in $(seq "$((${1} * 5))"); do
		"$2" && return 0
		sleep 0.2
	done
	return 1
}
ping_lo() { ip netns exec "$ns" ping -q -i 0.01 -W 0.3 -c "$1" 127.0.0.1 >/dev/null; }
xt2() { command=$1; shift; "$xt2" "$command" --netns "$ns" "$@"; }
status() { xt2 status 2>/dev/null | awk -v key="$1" '$1 == key { print $2 }'; }
first() { xt2 counters --chain INPUT | grep -qx "ipv4 filter INPUT 1 $1 $(($1 * 84))"; }
rules() {	# MATCH
	printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
	printf -- '-A INPUT -i lo\n-A INPUT %s\nCOMMIT\n' "$1"
}
rules '-m conntrack --ctstate NEW,ESTABLISHED' >"$tmp/old"
rules '-p icmp -j DROP' >"$tmp/new"
# shellcheck disable=SC2317 # called by within
missed() { [ "$(status confirm)" = missed ]; }
folder=$(folder_of "$ns")
# shellcheck disable=SC2317 # called by within
nothing() { ! test -d "$folder"; }

# shellcheck disable=SC2317 # called by within
passes() { ping_lo 1; }

# Nothing before, nothing after.
"$xt2" apply --netns "$ns" --confirm 4s "$tmp/new" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
ping_lo 1 && wrong "the new rules are not live"
nothing && wrong "there is no $folder"
within 10 nothing || wrong "something is left: $(ls "$folder")"
ping_lo 1 || wrong "packets are dropped by nothing"
xt2 confirm 2>/dev/null
[ $? = 1 ] || wrong "confirmed nothing"

# The same without the process that takes the rest away: packets pass, and the next command does it.
xt2 apply --confirm 1s "$tmp/new" || wrong "apply"
for p in $(pgrep -f "^$xt2 apply --netns $ns --confirm"); do kill -KILL "$p"; done
within 10 passes || wrong "not back in time after a kill"
xt2 status 2>/dev/null
[ $? = 1 ] || wrong "status of nothing"
xt2 confirm 2>"$tmp/err"
code=$?
grep -q 'too late' "$tmp/err" || code=$(cat "$tmp/err")
[ "$code" = 1 ] || wrong "confirmed too late: $code"
nothing || wrong "something is left after a kill: $(ls "$folder")"

# The shell and its session are killed: back all the same.
xt2 apply "$tmp/old" || wrong "apply"
ping_lo 20
first 40 || wrong "counters before: $(xt2 counters)"
setsid sh -c '"$@"; kill -KILL 0' sh "$xt2" apply --netns "$ns" --confirm 3s "$tmp/new" 2>/dev/null
ping_lo 5 && wrong "the new rules are not live after a kill"
first 45 || wrong "counters that are kept: $(xt2 counters)"
left=$(status confirm)
if [ "$left" -lt 1 ] || [ "$left" -gt 3 ]; then wrong "time left: $left"; fi

# Meanwhile nothing else can be made live.
xt2 apply "$tmp/old" 2>"$tmp/err"
code=$?
grep -q 'waits to be confirmed, for [123] seconds more' "$tmp/err" || code=$(cat "$tmp/err")
[ "$code" = 4 ] || wrong "a second apply: $code"
within 10 missed || wrong "not back in time"
first 40 || wrong "not the counters before: $(xt2 counters)"
[ "$(status conntrack)" = ipv4 ] || wrong "connections are not tracked any more"
ping_lo 10 || wrong "packets are dropped"
first 60 || wrong "counters go on: $(xt2 counters)"
xt2 confirm 2>"$tmp/err"
code=$?
grep -q 'too late' "$tmp/err" || code=$(cat "$tmp/err")
[ "$code" = 1 ] || wrong "confirmed too late: $code"

# Confirmed in time, it stays, and the kept counters go on.
rules '-p icmp' >"$tmp/other"
xt2 apply --confirm 5 "$tmp/other" || wrong "apply"
left=$(status confirm)
if [ "$left" -lt 1 ] || [ "$left" -gt 5 ]; then wrong "time left: $left"; fi
xt2 confirm || wrong "confirm"
[ -z "$(status confirm)$(status conntrack)" ] || wrong "confirmed: $(xt2 status)"
sleep 6
ping_lo 5
first 70 || wrong "counters of what was confirmed: $(xt2 counters)"
xt2 counters | grep -qx 'ipv4 filter INPUT 2 10 840' || wrong "what was confirmed is not live: $(xt2 counters)"
xt2 confirm 2>/dev/null
[ $? = 1 ] || wrong "confirmed twice"

# Taken back by hand, and again, in the middle of a flood.
ip netns exec "$ns" ping -q -f -c 20000 127.0.0.1 >"$tmp/flood" &
rules '-p icmp -m length --length 84' >"$tmp/new"
for _ in 1 2 3 4 5; do
	xt2 apply --confirm 1m "$tmp/new" || wrong "apply"
	xt2 confirm --no || wrong "confirm --no"
	xt2 apply --confirm 1m "$tmp/new" || wrong "apply"
	xt2 confirm || wrong "confirm"
	xt2 apply --confirm 1s "$tmp/old" || wrong "apply"
	within 10 missed || wrong "not back in time"
done
wait $!
grep -q ' 0% packet loss' "$tmp/flood" || wrong "$(cat "$tmp/flood")"
[ "$(status faults)" = 0 ] || wrong "faults: $(status faults)"

# A ruleset on trial can be detached; nobody stays behind.
xt2 apply --confirm 1m "$tmp/old" || wrong "apply"
xt2 detach || wrong "detach"
# shellcheck disable=SC2317 # called by within
alone() { ! pgrep -f "^$xt2 apply --netns $ns --confirm" >/dev/null; }
within 10 alone || wrong "a process stays behind"
nothing || wrong "something is left: $(ls "$folder")"
for t in 0 -1 1h 1000000 s '' 5x; do
	xt2 apply --confirm "$t" "$tmp/old" 2>/dev/null
	[ $? = 2 ] || wrong "--confirm '$t'"
done
[ $failed = 0 ] && echo "back after kills, in time, with counters; 15 trials during a flood"
exit $failed
