#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 log, in network namespaces of the test's own:
#
#	log-traffic.py  <->  lo     xt1 and xt2 at the same hooks
#	ping: near  <-- veth -->  far
#
# Every event must be there, as often as its rule has counted, in the words that
# the kernel's own LOG has for the same packet.
[ "$(id -u)" = 0 ] || { echo "SKIP: only root loads BPF programs"; exit 77; }
for i in ip ping python3 iptables-legacy-restore ip6tables-legacy-restore dmesg tcpdump; do
	command -v $i >/dev/null || { echo "SKIP: no $i"; exit 77; }
done
top=$(realpath "${top_srcdir:-.}")
xt2=$(realpath "${top_builddir:-.}/xt2")
tmp=$(mktemp -d) || exit 99
ns=xt2-log-$$
all=/proc/sys/net/netfilter/nf_log_all_netns
was=$(cat $all 2>/dev/null)
failed=0
kernel=
# shellcheck disable=SC2317 # called by trap
clean() {
	[ -z "$kernel" ] || kill "$kernel"
	[ -z "$was" ] || echo "$was" >"$all"
	"$xt2" detach --netns "$ns" 2>/dev/null
	ip netns del "$ns" 2>/dev/null
	ip netns del "$ns-far" 2>/dev/null
	rm -rf "$tmp"
}
trap clean EXIT
# shellcheck source=tests/bpf/folder.sh
. "${top_srcdir:-.}/tests/bpf/folder.sh"
trap 'exit 1' INT TERM
skip() { echo "SKIP: $*"; exit 77; }
if ! ip netns add "$ns" || ! ip netns add "$ns-far"; then
	skip "no network namespaces"
fi
ip -n "$ns" link set lo up
# Without IPv6, which talks when it wants to.
ip -n "$ns" link add near type veth peer name far netns "$ns-far" || skip "no veth"
ip -n "$ns" link set near addrgenmode none up
ip -n "$ns-far" link set far addrgenmode none up
ip -n "$ns" address add 192.0.2.1/24 dev near
ip -n "$ns-far" address add 192.0.2.2/24 dev far
inside() { ip netns exec "$ns" "$@"; }
wrong() { echo "WRONG: $*"; failed=1; }
within() {	# COMMAND: until it is true, for 20 seconds
	for _ in $(seq 100); do
		"$@" && return 0
		sleep 0.2
	done
	return 1
}
# shellcheck disable=SC2317 # called by within
lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }

# shellcheck disable=SC2317 # called by within
told() { [ "$(grep -c "xt2-$$" "$tmp/kernel")" -ge "$1" ]; }

rules() {	# PREFIX
	printf '*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:deep - [0:0]\n'
	printf -- '-A PREROUTING -j LOG --log-level debug --log-prefix "%s in "\n' "$1"
	printf -- '-A OUTPUT -j LOG --log-level debug --log-prefix "%s out " --log-tcp-sequence --log-tcp-options' "$1"
	printf -- ' --log-ip-options --log-uid --log-macdecode\n-A OUTPUT -j deep\n-A PREROUTING -g deep\n'
	printf -- '-A deep -j LOG --log-level 7 --log-macdecode --log-tcp-options --log-prefix "%s deep "\nCOMMIT\n' "$1"
}
counted() {	# xt2's count of all LOG rules
	"$xt2" counters --netns "$ns" --table raw | awk '$4 == 1 || ($3 == "OUTPUT" && $4 == 1) { n += $5 } END { print n + 0 }'
}

rules "xt2-$$" >"$tmp/rules4"
"$xt2" apply --netns "$ns" -4 "$tmp/rules4" 2>"$tmp/err"
code=$?
[ $code != 3 ] || { echo "SKIP: $(cat "$tmp/err")"; exit 77; }
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
cp "$tmp/rules4" "$tmp/rules6"

# The same words as the kernel's, and as many.
compare() {	# FAMILY LEGACY-RESTORE COMMAND...
	family=$1 restore=$2
	shift 2
	"$xt2" detach --netns "$ns" || wrong "detach"
	"$xt2" apply --netns "$ns" "-$family" "$tmp/rules$family" || wrong "apply"
	dmesg -W -t >"$tmp/kernel" &
	kernel=$!
	"$xt2" log --netns "$ns" --new >"$tmp/log" &
	reader=$!
	sleep 0.5 # dmesg says nothing when it begins
	inside "$restore" "$tmp/rules$family" || wrong "$restore"
	"$@" >/dev/null || wrong "$*"
	inside "$restore" <"$tmp/none" || wrong "$restore"
	n=$(counted)
	[ "$n" -gt 20 ] || wrong "IPv$family: few packets"
	within lines "$tmp/log" "$n" || wrong "IPv$family: events are missing"
	within told "$n"
	kill -INT $reader
	kill "$kernel"
	wait $reader || wrong "interrupted: $?"
	wait "$kernel" 2>/dev/null
	kernel=
	[ "$(wc -l <"$tmp/log")" = "$n" ] || wrong "IPv$family: $(wc -l <"$tmp/log") events, $n packets"
	# A packet of 316 bytes has its transport header behind the 256 that LOG gets.
	behind='s/\( LEN=316 .*FLOWLBL=0\) .*/\1/'
	grep "xt2-$$" "$tmp/kernel" | sed "s/ *\$//; $behind" | sort >"$tmp/theirs"
	sed "$behind" "$tmp/log" | sort >"$tmp/ours"
	diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff" || { head "$tmp/diff"; wrong "IPv$family: not the kernel's words"; }
	cat "$tmp/log" >>"$tmp/all"
}
printf '*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n' >"$tmp/none"
: >"$tmp/all"
if [ -n "$was" ] && echo 1 >$all; then
	compare 4 iptables-legacy-restore inside python3 "$top/tests/bpf/log-traffic.py" 4
	compare 6 ip6tables-legacy-restore inside python3 "$top/tests/bpf/log-traffic.py" 6
	compare 4 iptables-legacy-restore ip netns exec "$ns-far" ping -q -i 0.1 -c 15 192.0.2.1
	for i in 'SPT=1234 DPT=9 SEQ=287454020' 'AE CWR ECE' 'MACSRC=' 'FRAG:' 'UID=1000' 'MARK=0xab0' 'INCOMPLETE \[' \
		'\[SRC=' 'SPI=0xdeadbeef' 'OPT (0204' 'PROTO=ICMPv6' 'MAC=00:00' 'LEN=316 .* TRUNCATED'; do
		grep -q "$i" "$tmp/all" || wrong "no $i among the packets"
	done
else
	echo "the kernel does not log for namespaces: not compared with it"
fi

# A capture has the same packets, with their rules; ten and no more; to the standard output.
printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:a - [0:0]\n' >"$tmp/nflog"
printf -- '-A OUTPUT -j a\n-A a -p tcp\n-A a -p icmp -j NFLOG --nflog-group 7 --nflog-prefix "to x" --nflog-size 30\n' >>"$tmp/nflog"
printf -- '-A a -p icmp -j NFLOG --nflog-group 65535\nCOMMIT\n' >>"$tmp/nflog"
ping_lo() { inside ping -q -f -c "$1" -s "${2:-56}" 127.0.0.1 >/dev/null; }
"$xt2" detach --netns "$ns" || wrong "detach"
"$xt2" log --netns "$ns" 2>"$tmp/err"
[ $? = 1 ] || wrong "a log of nothing: $(cat "$tmp/err")"
"$xt2" apply --netns "$ns" "$tmp/nflog" || wrong "apply"
ping_lo 5 1000 # 10 packets, 20 events, before anybody reads
timeout 20 "$xt2" log --netns "$ns" --count 10 -w "$tmp/a.pcapng" || wrong "a capture"
timeout 20 "$xt2" log --netns "$ns" --count 10 -w - >"$tmp/b.pcapng" || wrong "a capture to the standard output"
for i in a b; do
	tcpdump -nr "$tmp/$i.pcapng" icmp 2>/dev/null | grep -c 'ICMP echo re.*length 1008' >"$tmp/n"
	[ "$(cat "$tmp/n")" = 10 ] || wrong "$i.pcapng has $(cat "$tmp/n") packets"
	python3 "$top/tests/bpf/log-pcapng.py" "$tmp/$i.pcapng" >"$tmp/$i" || wrong "$i.pcapng"
	[ "$(grep -c '^30 1028 2 filter a 2 NFLOG 7 "to x" out lo$' "$tmp/$i")" = 5 ] || wrong "$i.pcapng: $(cat "$tmp/$i")"
	[ "$(grep -c '^1028 1028 2 filter a 3 NFLOG 65535 "" out lo$' "$tmp/$i")" = 5 ] || wrong "$i.pcapng: $(cat "$tmp/$i")"
done
cp "$tmp/a.pcapng" "$tmp/kept"
"$xt2" log --netns "$ns" -n 1 -w "$tmp/a.pcapng" 2>"$tmp/err"
[ $? = 2 ] || wrong "a capture over an old one"
grep -q 'a.pcapng: .*File exists' "$tmp/err" || wrong "a capture over an old one: $(cat "$tmp/err")"
cmp "$tmp/kept" "$tmp/a.pcapng" || wrong "the old capture has changed"
"$xt2" log --netns "$ns" -w /dev/full -n 1 2>/dev/null &
full=$!
ping_lo 1
wait $full
[ $? = 4 ] || wrong "a full disk is not told"

# One reader at a time.  It is in nobody's way, and sees the rules of their time when they are swapped.
"$xt2" log --netns "$ns" --rule --new >"$tmp/log" 2>"$tmp/err" &
reader=$!
folder=$(folder_of "$ns")
within test -d "$folder/reader" || wrong "no reader in $folder"
"$xt2" log --netns "$ns" 2>"$tmp/second"
code=$?
grep -q 'another xt2 log' "$tmp/second" || code=$(cat "$tmp/second")
[ "$code" = 4 ] || wrong "two readers: $code"
sed 's/^-A OUTPUT -j a/&\n-A a -p udp\n-A a -p udp/; s/to x/to y/' "$tmp/nflog" >"$tmp/later"
ping_lo 50
for _ in 1 2 3; do
	"$xt2" apply --netns "$ns" "$tmp/later" || wrong "apply"
	ping_lo 50
	"$xt2" apply --netns "$ns" "$tmp/nflog" || wrong "apply"
	ping_lo 50
done
within lines "$tmp/log" 1400 || wrong "$(wc -l <"$tmp/log") events over swaps"
for i in 'to xIN= .*GROUP=7 RULE=filter:a:2 400' 'to yIN= .*GROUP=7 RULE=filter:a:4 300' \
	'IN= .*GROUP=65535 RULE=filter:a:3 400' 'IN= .*GROUP=65535 RULE=filter:a:5 300'; do
	n=$(grep -c "^${i% *}\$" "$tmp/log")
	[ "$n" = "${i##* }" ] || wrong "$n events ${i% *}"
done

# Detached, it ends.
"$xt2" detach --netns "$ns" || wrong "detach"
wait $reader
code=$?
grep -q detached "$tmp/err" || code=$(cat "$tmp/err")
[ "$code" = 1 ] || wrong "a log of what was detached: $code"

# With nobody there to read, packets pass, and each event is kept or counted as lost.
"$xt2" apply --netns "$ns" "$tmp/nflog" || wrong "apply"
ping_lo 3000 400 || wrong "packets with nobody to read"
"$xt2" status --netns "$ns" >"$tmp/status"
kept=$(awk '$1 == "events" { print $2 }' "$tmp/status")
lost=$(awk '$1 == "lost" { print $2 }' "$tmp/status")
[ $((kept + lost)) = 12000 ] || wrong "$kept events kept, $lost lost"
if [ "$lost" = 0 ] || [ "$kept" -lt 1000 ]; then wrong "$(cat "$tmp/status")"; fi
"$xt2" counters --netns "$ns" --chain a | grep -q '^ipv4 filter a 3 6000 ' || wrong "packets of a full ring"
timeout 20 "$xt2" log --netns "$ns" --count "$kept" >"$tmp/log" || wrong "what was kept"
[ "$(grep -c 'LEN=428 .*GROUP=' "$tmp/log")" = "$kept" ] || wrong "what was kept"

# What a terminal would obey is shown as its bytes, in lines and in a capture's comments; text stays.
printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:b\033[2J\233 - [0:0]\n' >"$tmp/evil"
printf -- '-A OUTPUT -p icmp -j b\033[2J\233\n-A b\033[2J\233 -j NFLOG --nflog-prefix "\033c\302\233Gr\303\274n"\nCOMMIT\n' >>"$tmp/evil"
"$xt2" apply --netns "$ns" "$tmp/evil" || wrong "apply"
ping_lo 1
timeout 20 "$xt2" log --netns "$ns" --rule --count 1 >"$tmp/log" || wrong "a log of controls"
timeout 20 "$xt2" log --netns "$ns" --count 1 -w "$tmp/evil.pcapng" || wrong "a capture of controls"
python3 "$top/tests/bpf/log-pcapng.py" "$tmp/evil.pcapng" >"$tmp/comment" || wrong "a capture of controls"
"$xt2" status --netns "$ns" >"$tmp/status"
"$xt2" counters --netns "$ns" >"$tmp/counters"
for i in '^\\x1bc\\xc2\\x9bGrünIN= .*RULE=filter:b\\x1b\[2J\\x9b:1$ log' 'ipv4 filter b\\x1b\[2J\\x9b 1 2 counters' \
	' filter b\\x1b\[2J\\x9b 1 NFLOG 0 "\\x1bc\\xc2\\x9bGrün" out lo comment'; do
	grep -q "${i% *}" "$tmp/${i##* }" || wrong "${i##* }: $(cat -v "$tmp/${i##* }")"
done
if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$tmp/log" "$tmp/comment" "$tmp/status" "$tmp/counters"; then
	wrong "control characters are printed"
fi
[ $failed = 0 ] && echo "$(wc -l <"$tmp/all") lines as the kernel's, 1400 events over 6 swaps, $kept kept of 12000"
exit $failed
