#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Answers about a packet are noted by its address.  A packet that dies between the questions and the program leaves
# them there, and the next one at this address does not get them: if it was not asked itself, it is dropped.
test=unasked needs="bpftool nft python3 taskset"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
peer=$ns-peer
# shellcheck disable=SC2317 # called by clean
also_clean() { ip netns del "$peer" 2>/dev/null; }
ip netns add "$peer"
ip -n "$ns" link add v0 type veth peer name v0 netns "$peer" || skip "no veth"
for i in "$ns 1" "$peer 2"; do
	ip -n "${i% *}" addr add "10.56.0.${i#* }/24" dev v0
	ip -n "${i% *}" link set v0 up
done
cat >"$tmp/send.py" <<END
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(int(sys.argv[3])):
    try:
        s.sendto(b'x' * (i % 100), (sys.argv[1], int(sys.argv[2])))
    except OSError:
        pass
END
# All on one processor, whose memory for packets is used again and again.
send() { ip netns exec "$1" taskset -c 0 python3 "$tmp/send.py" "$2" "$3" "$4"; }
cat >"$tmp/rules" <<END
*filter
-A INPUT -p udp -m udp --dport 6002 -m addrtype --dst-type LOCAL -j DROP
-A INPUT -p udp -m udp --dport 6002
-A OUTPUT -m owner --uid-owner 12345 -j DROP
COMMIT
END
live apply "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
folder=$(folder_of "$ns")
passed() { live save --live -c | sed -n 's/^\[\([0-9]*\):.*--dport 6002$/\1/p'; }
send "$peer" 10.56.0.1 6002 100
[ "$(passed)" = 0 ] || wrong "$(passed) packets pass"
live save --live -c | grep -q '^\[100:.*addrtype' || wrong "$(live save --live -c)"

for round in 1 2 3; do
	# They are asked about the owner: no.  Then the guard drops them.
	bpftool link detach pinned "$folder/filter-ipv4-OUTPUT" || wrong "bpftool"
	send "$ns" 10.56.0.2 9 400
	# These are not asked.
	for region in 0 1; do
		inside nft flush chain ip xt2-act$region ask-filter-INPUT 2>/dev/null
	done
	before=$(faults)
	send "$peer" 10.56.0.1 6002 400
	[ "$(passed)" = 0 ] || { wrong "round $round: $(passed) packets pass"; break; }
	[ $(($(faults) - before)) -ge 400 ] || wrong "round $round: $before faults, then $(faults)"
	live repair || wrong "repair"
	send "$peer" 10.56.0.1 6002 100
	[ "$(passed)" = 0 ] || wrong "round $round: repaired, and $(passed) packets pass"
done

# What forgets the answers belongs to the guarded programs.
for way in detach rm; do
	if [ $way = rm ]; then rm "$folder/clear-filter-ipv4-INPUT"; else bpftool link detach pinned "$folder/clear-filter-ipv4-INPUT"; fi ||
		wrong "$way: it is not there"
	live status >"$tmp/out" 2>&1 && wrong "$way: $(cat "$tmp/out")"
	before=$(faults)
	send "$peer" 10.56.0.1 7 10
	[ $(($(faults) - before)) -ge 10 ] || wrong "$way: packets pass"
	live repair || wrong "$way: repair"
	live status >"$tmp/out" 2>&1 || wrong "$way: $(cat "$tmp/out")"
	before=$(faults)
	send "$peer" 10.56.0.1 7 10
	[ "$(faults)" = "$before" ] || wrong "$way: faults"
done
printf '*filter\nCOMMIT\n' | live apply - || wrong "apply"
for i in "$folder"/clear-*; do
	[ ! -e "$i" ] || wrong "nobody asks, and there is $i"
done
live detach
[ $failed = 0 ] && echo "nobody gets another's answers"
exit $failed
