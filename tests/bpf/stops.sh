#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Matches that the kernel is asked in the midst of a ruleset: those with an effect (connlimit),
# and those that look at what a step before them has changed (SET, then "-m set").  Counters and answers are those of
# iptables-legacy's own tables; a packet stops up to four times; without companions packets are dropped.
test=stops needs="iptables-legacy-restore iptables-legacy-save ipset nft ping python3"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
other=$ns-xt1
# shellcheck disable=SC2317 # called in the end
also_clean() { ip netns del "$other" 2>/dev/null; }
ip netns add "$other" && ip -n "$other" link set lo up || exit 99
passes() { inside ping -q -c 1 -W 0.3 "$@" >"$tmp/out" 2>&1; }

# Many rules, so that chains have indexes; chains in chains; stops at the beginning, in the midst and at the end.
{
	printf '*mangle\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
	printf ':POSTROUTING ACCEPT [0:0]\n:NOTE - [0:0]\n'
	printf -- '-A OUTPUT -m set --match-set seen src,dst\n-A OUTPUT -d 127.0.0.16/30 -j NOTE\n'
	printf -- '-A OUTPUT -m set --match-set seen dst -j MARK --set-xmark 0x9/0xffffffff\n-A OUTPUT -m mark --mark 0x9\n'
	printf -- '-A OUTPUT -p icmp -j TTL --ttl-set 33\n-A OUTPUT -m string --string "!" --algo bm --from 8 --to 9\n'
	printf -- '-A NOTE -j SET --add-set seen dst\n-A NOTE -m set --match-set seen dst\n'
	printf 'COMMIT\n*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
	printf ':ONE - [0:0]\n:TWO - [0:0]\n:THREE - [0:0]\n'
	printf -- '-A INPUT -p tcp -m tcp --dport 8001 --tcp-flags FIN,SYN,RST,ACK SYN -m connlimit --connlimit-above 2 -j REJECT --reject-with tcp-reset\n'
	printf -- '-A INPUT -p tcp -m tcp --dport 8003 --tcp-flags FIN,SYN,RST,ACK SYN -m connlimit --connlimit-above 2 -j REJECT --reject-with tcp-reset\n'
	printf -- '-A INPUT -p tcp -m tcp --dport 8003 -j ACCEPT\n-A INPUT -j ONE\n'
	seq 1 200 | sed 's/.*/-A ONE -s 10.0.0.&\/32 -j DROP/'
	printf -- '-A ONE -p udp -j TWO\n-A ONE -p icmp -g THREE\n'
	seq 1 100 | sed 's/.*/-A ONE -s 10.1.0.&\/32 -j DROP/'
	seq 1 100 | sed 's/.*/-A TWO -s 10.2.0.&\/32 -j DROP/'
	printf -- '-A TWO -m connlimit --connlimit-upto 1 --connlimit-mask 24 -j RETURN\n-A TWO -j DROP\n'
	printf -- '-A OUTPUT -p udp -m udp --dport 8002 -j TWO\n'
	printf -- '-A THREE -m connlimit --connlimit-above 900 -j DROP\n-A THREE -s 127.0.0.17/32 -j DROP\n'
	printf 'COMMIT\n'
} >"$tmp/rules"
for i in "$ns" "$other"; do
	ip netns exec "$i" ipset create seen hash:ip || exit 99
done
live apply "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
ip netns exec "$other" iptables-legacy-restore "$tmp/rules" || exit 99

cat >"$tmp/traffic.py" <<'EOF2'
import socket, subprocess
servers, keep = [], []
for port in 8001, 8002, 8003:
    s = socket.socket(type=socket.SOCK_DGRAM if port == 8002 else socket.SOCK_STREAM)
    s.bind(('127.0.0.1', port))
    s.settimeout(0.2)
    if port != 8002:
        s.listen(20)
    servers.append(s)
for port, source in (8001, '127.0.0.1'), (8003, '127.0.0.1'), (8002, '127.0.0.1'), (8002, '127.0.0.20'), (8003, '127.0.0.1'), (8001, '127.0.0.18'):
    said = []
    for i in range(5):
        c = socket.socket(type=socket.SOCK_DGRAM if port == 8002 else socket.SOCK_STREAM)
        c.settimeout(0.3)
        c.bind((source, 0))
        try:
            c.connect(('127.0.0.1', port))
            if port == 8002:
                c.send(b'x')
                servers[1].recv(9)
            said.append('+')
        except OSError as e:
            said.append('r' if isinstance(e, ConnectionRefusedError) else '-')
        keep.append(c)
    if source == '127.0.0.1' and port == 8001:  # they stay while the next port is asked: each rule counts for itself
        print(port, ''.join(said), flush=True)
        continue
    for c in keep:
        if port != 8002:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
        c.close()
    keep = []
    print(port, source, ''.join(said), flush=True)
for host in 16, 17, 18, 19, 40:
    for i in range(2):
        print(host, subprocess.run(['ping', '-q', '-c', '1', '-W', '0.2', f'127.0.0.{host}'], capture_output=True).returncode)
EOF2
for i in "$ns" "$other"; do
	ip netns exec "$i" python3 "$tmp/traffic.py" >"$tmp/said.$i" 2>&1
done
cmp -s "$tmp/said.$ns" "$tmp/said.$other" || wrong "other answers: $(diff "$tmp/said.$ns" "$tmp/said.$other")"
for i in r -; do
	grep -q -e "$i" "$tmp/said.$ns" || wrong "nothing is limited: $(cat "$tmp/said.$ns")"
done
rules_of() { sed -n '/^\[/p; /^:/p; /^\*/p' | sed 's/^\[\([0-9]*\):[0-9]*\]/\1/; s/ \[\([0-9]*\):[0-9]*\]/ \1/'; }
live save --live -c >"$tmp/live" || wrong "save"
ip netns exec "$other" iptables-legacy-save -c >"$tmp/legacy"
for i in live legacy; do
	rules_of <"$tmp/$i" | grep -v '^#' | sort >"$tmp/$i.counts"
done
cmp -s "$tmp/live.counts" "$tmp/legacy.counts" || wrong "counters: $(diff "$tmp/live.counts" "$tmp/legacy.counts")"
[ "$(faults)" = 0 ] || wrong "$(faults) faults"
for i in "$ns" "$other"; do
	ip netns exec "$i" ipset list seen | sed -n '/^Members/,$p' | sort >"$tmp/set.$i"
done
cmp -s "$tmp/set.$ns" "$tmp/set.$other" || wrong "sets: $(diff "$tmp/set.$ns" "$tmp/set.$other")"

# What others take away: packets that would have to stop are dropped, and it comes back.
folder=$(folder_of "$ns")
for what in "inside nft flush ruleset" "rm $folder/again0-filter-ipv4-INPUT"; do
	before=$(faults)
	$what || wrong "$what"
	passes -I 127.0.0.18 127.0.0.1 && wrong "$what: a packet passes"
	[ "$(faults)" -gt "$before" ] || wrong "$what: no faults"
	live status >"$tmp/out" 2>&1 && wrong "$what: status"
	live repair || wrong "$what: repair"
	live status >"$tmp/out" 2>&1 || wrong "$what: $(cat "$tmp/out")"
	passes -I 127.0.0.18 127.0.0.1 || wrong "$what: nothing passes"
done

# Swaps under packets, with and without stops.
printf '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -s 127.0.0.17/32 -j DROP\nCOMMIT\n' >"$tmp/plain"
before=$(faults)
ip netns exec "$ns" ping -q -i 0.002 -w 60 127.0.0.18 -I 127.0.0.18 >"$tmp/flood" 2>&1 &
flood=$!
ip netns exec "$ns" ping -q -i 0.002 -w 60 -I 127.0.0.17 127.0.0.1 >"$tmp/drop" 2>&1 &
drop=$!
for i in 1 2 3 4 5; do
	live apply "$tmp/plain" || wrong "apply without stops"
	live apply "$tmp/rules" || wrong "apply with stops"
done
kill -INT $flood $drop
wait $flood $drop
grep -q ' 0% packet loss' "$tmp/flood" || wrong "lost: $(cat "$tmp/flood")"
grep -q ' 100% packet loss' "$tmp/drop" || wrong "passed: $(cat "$tmp/drop")"
[ "$(faults)" = "$before" ] || wrong "swaps: $(faults) faults, not $before"

# Four times, and no more; and what cannot be repeated.
some() {	# HOW MANY
	printf '*filter\n:INPUT ACCEPT [0:0]\n'
	seq "$1" | sed 's/.*/-A INPUT -m connlimit --connlimit-above 90& -j DROP/'
	printf 'COMMIT\n'
}
some 4 >"$tmp/four"
live apply "$tmp/four" || wrong "four stops"
passes 127.0.0.1 || wrong "four stops: nothing passes"
[ "$(live counters -4 -t filter --chain INPUT | tail -n 1 | awk '{ print $5 }')" -ge 2 ] || wrong "four stops: $(live counters)"
refused() {	# WORDS FILE
	"$xt2" check --live "$2" >"$tmp/out" 2>&1 && wrong "$2 can be live"
	grep -q "$1" "$tmp/out" || wrong "not \"$1\": $(cat "$tmp/out")"
}
some 5 >"$tmp/five"
refused 'may have to wait 5 times.*connlimit' "$tmp/five"
printf '*filter\n-A INPUT -m limit --limit 5/s -m connlimit --connlimit-above 9 -j DROP\nCOMMIT\n' >"$tmp/twice"
refused 'cannot match connlimit' "$tmp/twice"
printf '*nat\n-A OUTPUT -p tcp -m connlimit --connlimit-above 9 -j REDIRECT\nCOMMIT\n' >"$tmp/nat"
refused 'cannot match connlimit' "$tmp/nat"
live apply "$tmp/five" 2>/dev/null && wrong "five stops are live"
passes 127.0.0.1 || wrong "what was refused has changed something"

# Edits: what comes with a stop takes a whole ruleset, what goes does not.
edit=$(dirname "$xt2")/links/xt2tables
"$edit" --live --netns "$ns" -D INPUT 1 || wrong "a stop less"
"$edit" --live --netns "$ns" -I INPUT 1 -p tcp -m connlimit --connlimit-above 77 -j DROP || wrong "a stop more"
# In a chain that was edited in place, and has no index: each rule counts each packet once.
"$edit" --live --netns "$ns" -I INPUT 2 -p icmp || wrong "an edit"
"$edit" --live --netns "$ns" -I INPUT 4 -p icmp || wrong "another edit"
live apply --counters reset "$tmp/plain" || wrong "apply"
some 4 | sed 's/-j DROP//' >"$tmp/four"
live apply "$tmp/four" || wrong "four that count"
"$edit" --live --netns "$ns" -I INPUT 2 -p icmp || wrong "an edit"
"$edit" --live --netns "$ns" -I INPUT 5 -p icmp || wrong "another edit"
inside ping -q -c 5 -i 0.01 -W 1 127.0.0.1 >"$tmp/out" || wrong "$(cat "$tmp/out")"
[ "$(live counters -4 -t filter --chain INPUT | awk '{ print $5 }' | tr '\n' ' ')" = '0 10 0 0 10 0 10 ' ] ||
	wrong "counters of a chain that was edited: $(live counters -4 -t filter --chain INPUT)"
"$edit" --live --netns "$ns" -I INPUT 1 -p udp -m connlimit --connlimit-above 77 -j DROP 2>/dev/null && wrong "a fifth stop"
passes 127.0.0.1 || wrong "edits: nothing passes"
[ "$(faults)" = "$before" ] || wrong "$(faults) faults in the end, not $before"
printf '*filter\n:LIM - [0:0]\n-A INPUT -p icmp -j LIM\n-A LIM -m connlimit --connlimit-above 900 -j DROP\nCOMMIT\n' >"$tmp/jump"
live apply "$tmp/jump" || wrong "a jump"
"$edit" --live --netns "$ns" -I INPUT 1 -p udp -j DROP || wrong "an edit"
"$edit" --live --netns "$ns" -A INPUT -j LIM || wrong "a jump more"
passes 127.0.0.1 || wrong "a jump more: nothing passes"
[ "$(faults)" = "$before" ] || wrong "a jump more: $(faults) faults, not $before"
printf '*filter\n-A INPUT -m connlimit --connlimit-above 900 -j DROP\n-A INPUT -s ::2/128 -j DROP\nCOMMIT\n' >"$tmp/six"
printf '*nat\n-A OUTPUT -d 127.0.0.99/32 -j DNAT --to-destination 127.0.0.1\nCOMMIT\n' >"$tmp/nat"
live apply "$tmp/nat" -6 "$tmp/six" || wrong "IPv6, and nat beside"
passes -6 ::1 || wrong "IPv6: nothing passes"
passes 127.0.0.99 || wrong "nat beside stops"
[ "$(faults)" = "$before" ] || wrong "IPv6, and nat beside: $(faults) faults, not $before"
live detach || wrong "detach"
inside nft list tables | grep -q xt2 && wrong "tables are left: $(inside nft list tables)"
exit $failed
