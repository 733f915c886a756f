#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Evaluators are loaded for what the rules need.  When rules need more, others replace them: under
# packets, of which none passes that is to be dropped and none is lost, and with the links at the hooks as they
# were.  Without the pin that keeps them all packets are dropped, until a command brings them back.
test=evaluators needs="bpftool ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
edit=$(dirname "$xt2")/links/xt2tables
rules() {	# RULE OF INPUT...
	printf '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -s 127.0.0.9/32 -j DROP\n'
	for rule; do
		printf -- '-A INPUT %s\n' "$rule"
	done
	printf 'COMMIT\n'
}
links() {
	for i in "$folder"/*-ipv4-INPUT; do
		bpftool -j link show pinned "$i" | sed 's/.*"id":\([0-9]*\).*/\1/'
	done
}
passes() { inside ping -q -c 1 -W 0.3 "$@" 127.0.0.1 >"$tmp/out" 2>&1; }

rules >"$tmp/0"
live apply -v "$tmp/0" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
few=$(sed -n 's/^processed \([0-9]*\) insns.*/\1/p' "$tmp/err" | sort -n | tail -n 1)
folder=$(folder_of "$ns")
before=$(links)

ip netns exec "$ns" ping -q -i 0.002 -w 60 127.0.0.1 >"$tmp/one" 2>&1 &
one=$!
ip netns exec "$ns" ping -q -i 0.002 -w 60 -I 127.0.0.9 127.0.0.1 >"$tmp/nine" 2>&1 &
nine=$!
n=0
while read -r rule; do
	n=$((n + 1))
	rules "$rule" >"$tmp/$n"
	live apply -v "$tmp/$n" 2>"$tmp/err" || wrong "$rule: $(cat "$tmp/err")"
	case $rule in
	*hashlimit*) many=$(sed -n 's/^processed \([0-9]*\) insns.*/\1/p' "$tmp/err" | sort -n | tail -n 1) ;;
	esac
	passes || wrong "$rule: a packet is dropped"
done <<END
-p tcp -m conntrack --ctstate NEW -j ACCEPT
-m u32 --u32 "0 & 0xffff = 7" -j DROP
-p udp -j REJECT
-p tcp -m hashlimit --hashlimit-name a --hashlimit-upto 5/s -j DROP
-m recent --name b --rcheck -j DROP
-m string --algo bm --string never -j DROP
-p tcp -j LOG
END
live apply "$tmp/4" || wrong "what needs less than the evaluators can"
"$edit" --live --netns "$ns" -A INPUT -p sctp -j DROP || wrong "an edit"
"$edit" --live --netns "$ns" -A INPUT -m time --timestart 01:00 --timestop 01:01 -p sctp -j DROP || wrong "an edit that needs more"
kill -INT $one $nine
wait $one $nine
grep -q ' 0% packet loss' "$tmp/one" || wrong "lost: $(cat "$tmp/one")"
grep -q ' 100% packet loss' "$tmp/nine" || wrong "passed: $(cat "$tmp/nine")"
[ "$(faults)" = 0 ] || wrong "$(faults) faults"
[ "$(links)" = "$before" ] || wrong "other links: $(links), not $before"
[ "${many:-0}" -gt $((2 * ${few:-99999})) ] || wrong "the verifier looked at $few instructions, and then at $many"

for by in repair edit apply; do
	rm "$folder/evaluators" || wrong "no pin"
	counted=$(faults)
	passes && wrong "$by: packets pass without evaluators"
	[ "$(faults)" -gt "$counted" ] || wrong "$by: no faults"
	live status >"$tmp/out" 2>&1 && wrong "$by: exit code of status"
	grep -qx 'evaluators missing' "$tmp/out" || wrong "$by: $(cat "$tmp/out")"
	case $by in
	repair) live repair ;;
	edit) "$edit" --live --netns "$ns" -A INPUT -s 192.0.2.1 -j DROP ;;
	apply) live apply "$tmp/1" ;;
	esac 2>"$tmp/err" || wrong "$by: $(cat "$tmp/err")"
	live status >"$tmp/out" 2>&1 || wrong "$by: $(cat "$tmp/out")"
	passes || wrong "$by: nothing passes"
	passes -I 127.0.0.9 && wrong "$by: what is to be dropped passes"
done

# The program of a table that is live no more is at its hooks still, and lets all pass.
{
	printf '*raw\n-A PREROUTING -p sctp\nCOMMIT\n'
	cat "$tmp/0"
} >"$tmp/two"
live apply "$tmp/two" || wrong "two tables"
"$(dirname "$xt2")/xt2tables-restore" --image "$tmp/image" "$tmp/0" || wrong "an image"
live apply "$tmp/image" || wrong "one table"
rm "$folder/evaluators" || wrong "no pin"
live repair || wrong "repair of one table"
passes || wrong "one table: nothing passes"
passes -I 127.0.0.9 && wrong "one table: what is to be dropped passes"
exit $failed
