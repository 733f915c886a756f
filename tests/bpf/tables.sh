#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2tables-restore --live and xt2tables-save --live against iptables' own
# programs: each has a network namespace, both get the same texts and the same
# packets, and what is saved must be the same, byte for byte.
[ "$(id -u)" = 0 ] || { echo "SKIP: only root loads BPF programs"; exit 77; }
for i in ip ping python3 flock iptables-legacy-restore ip6tables-legacy-restore; do
	command -v $i >/dev/null || { echo "SKIP: no $i"; exit 77; }
done
build=$(realpath "${top_builddir:-.}")
PATH=$build:$PATH
tmp=$(mktemp -d) || exit 99
ns=xt2-tables-$$
failed=0
steps=0
# shellcheck disable=SC2317 # called by trap
clean() {
	xt2 detach --netns "$ns-xt2" 2>/dev/null
	ip netns del "$ns-xt1" 2>/dev/null
	ip netns del "$ns-xt2" 2>/dev/null
	rm -rf "$tmp"
}
trap clean EXIT
# shellcheck source=tests/bpf/folder.sh
. "${top_srcdir:-.}/tests/bpf/folder.sh"
trap 'exit 1' INT PIPE TERM
for i in xt1 xt2; do
	ip netns add "$ns-$i" || { echo "SKIP: no network namespaces"; exit 77; }
	ip -n "$ns-$i" link set lo up
done
wrong() { echo "WRONG: $*"; failed=1; }

# The same packets in both.
traffic() {	# NUMBER
	for i in xt1 xt2; do
		ip netns exec "$ns-$i" python3 -c "
import socket
for family, to in (socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1'):
    s = socket.socket(family, socket.SOCK_DGRAM)
    for i in range($1):
        try:
            s.sendto(b'x' * (i % 50), (to, 4000 + i % 7))
        except PermissionError: # dropped at once
            pass"
		ip netns exec "$ns-$i" ping -q -c 3 -i 0.01 -W 1 127.0.0.1 >/dev/null
		ip netns exec "$ns-$i" ping -6 -q -c 3 -i 0.01 -W 1 ::1 >/dev/null
	done
}

# What both save is the same.
same() {	# WHAT "" | 6
	for c in '' -c '-t filter' '-c -t raw'; do
		# shellcheck disable=SC2086 # words
		ip netns exec "$ns-xt1" "ip$2tables-legacy-save" $c | grep -v '^#' >"$tmp/xt1"
		# shellcheck disable=SC2086
		"xt2${2:+ip6}tables-save" --live --netns "$ns-xt2" $c | grep -v '^#' >"$tmp/xt2"
		diff "$tmp/xt1" "$tmp/xt2" >"$tmp/diff" ||
			{ wrong "$1: ip$2tables-save $c"; cat "$tmp/diff"; }
	done
}

# The same text for both, from standard input; both take it or both refuse it.
both() {	# WHAT "" | 6 OPTIONS...
	steps=$((steps + 1))
	what=$1
	f=$2
	shift 2
	cat >"$tmp/text"
	ip netns exec "$ns-xt1" "ip${f}tables-legacy-restore" "$@" "$tmp/text" 2>"$tmp/err1"
	one=$?
	"xt2${f:+ip6}tables-restore" --live --netns "$ns-xt2" "$@" "$tmp/text" 2>"$tmp/err2"
	two=$?
	[ $one = $two ] || { wrong "$what: $one, $two"; cat "$tmp/err1" "$tmp/err2"; }
	same "$what" "$f"
	traffic 21
	same "$what, and packets" "$f"
}

first() {	# ADDRESS
	cat <<END
*raw
:PREROUTING ACCEPT [7:700]
:OUTPUT ACCEPT [0:0]
[3:300] -A PREROUTING -p udp -m udp --dport 4003
[0:0] -A OUTPUT -d $1
COMMIT
*filter
:INPUT ACCEPT [11:1100]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
:one - [0:0]
:two - [0:0]
[5:500] -A INPUT -s $1 -j one
[6:600] -A INPUT -i lo
[0:0] -A OUTPUT -p udp -j two
[1:100] -A one -p udp -m multiport --dports 4001,4002 -j ACCEPT
[2:200] -A one -m comment --comment "a comment" -m length --length 0:65535
[0:0] -A two -p udp -m udp --dport 4005:4006 -j DROP
COMMIT
END
}
# Options and additions in the middle of what is there.
second() {
	cat <<END
*filter
:INPUT ACCEPT [40:4000]
:two - [0:0]
:three - [0:0]
[9:900] -A INPUT -j three
[8:800] -A three -p udp -m udp --dport 4000
-I one 1 -p udp
-A two -p udp -m udp --sport 1:65535
COMMIT
END
}
commands() {
	cat <<END
*filter
-P OUTPUT DROP
-Z one
-R INPUT 2 -i lo -m length --length 30:40
-D one -p udp
-F three
-I OUTPUT -p icmp
-I OUTPUT 1 -p ipv6-icmp -j ACCEPT
-N four
-A OUTPUT -g four
-A four -j RETURN
COMMIT
END
}
second >"$tmp/second"
commands >"$tmp/commands"
for f in '' 6; do
	case $f in
	6) address=::1 ;;
	*) address=127.0.0.1/32 ;;
	esac
	first $address >"$tmp/first"
	both "the first text" "$f" <"$tmp/first"
	both "--noflush" "$f" -n <"$tmp/second"
	both "--noflush, with counters" "$f" -n -c <"$tmp/second"
	both "commands" "$f" -n <"$tmp/commands"
	both "commands that fail" "$f" -n <"$tmp/commands"
	both "counters" "$f" -c <"$tmp/first"
	both "one table" "$f" -T raw <"$tmp/first"
	both "one table, with counters" "$f" --counters --table filter <"$tmp/first"
	both "a test" "$f" -t <<-END
		*filter
		-A INPUT -j DROP
		COMMIT
	END
	both "no policies" "$f" <<-END
		*filter
		-A INPUT -p udp
		COMMIT
	END
	both "no such chain" "$f" <<-END
		*filter
		:INPUT DROP [0:0]
		-A INPUT -j nowhere
		COMMIT
	END
	both "zero" "$f" -n <<-END
		*filter
		-Z
		COMMIT
	END
	both "an empty table" "$f" <<-END
		*mangle
		COMMIT
	END
done

# What one table's rules look at is read for that table, and for another one when its rules come to do so.
both "what one table looks at" '' <<-END
	*raw
	:PREROUTING ACCEPT [0:0]
	:OUTPUT ACCEPT [0:0]
	-A PREROUTING -p udp
	COMMIT
	*filter
	:INPUT ACCEPT [0:0]
	:FORWARD ACCEPT [0:0]
	:OUTPUT ACCEPT [0:0]
	-A INPUT -i lo -m pkttype --pkt-type unicast -m u32 --u32 "0&0xf0=0x40"
	-A INPUT -m limit --limit 1/hour --limit-burst 3
	-A OUTPUT -o lo -p udp
	COMMIT
END
both "what another table looks at, too" '' -n <<-END
	*raw
	-A PREROUTING -i lo -m pkttype --pkt-type unicast -m u32 --u32 "0&0xf0=0x40"
	-A PREROUTING -m limit --limit 1/hour --limit-burst 5
	-A OUTPUT -o lo
	COMMIT
END

# Rules that stay lose no packet to a text that comes in the middle of a flood.
both "before a flood" '' <<-END
	*raw
	-A PREROUTING -p icmp
	COMMIT
	*filter
	-A INPUT -p icmp
	-A OUTPUT -p icmp
	COMMIT
END
for _ in 1 2; do
	ip netns exec "$ns-xt2" ping -q -f -c 4000 127.0.0.1 >/dev/null &
done
for _ in 1 2 3 4 5 6 7 8; do
	xt2tables-restore --live --netns "$ns-xt2" -n <<-END || wrong "--noflush in a flood"
		*filter
		-I INPUT -p udp
		COMMIT
	END
	xt2ip6tables-restore --live --netns "$ns-xt2" "$tmp/first" || wrong "the other family in a flood"
done
wait
# Each packet was counted, so none was dropped: requests and answers, those before, and what came back for datagrams.
sent=$((2 * (4000 + 4000 + 3) + 21))
xt2tables-save --live --netns "$ns-xt2" -c >"$tmp/flood"
for i in "PREROUTING -p icmp" "INPUT -p icmp" "OUTPUT -p icmp"; do
	grep -q "^\[$sent:.*-A $i$" "$tmp/flood" || wrong "not $sent packets: $(grep "A $i" "$tmp/flood")"
done
grep -q "^:PREROUTING ACCEPT \[$((sent + 21)):" "$tmp/flood" ||
	wrong "a policy: $(grep ':PREROUTING' "$tmp/flood")"
[ "$(grep -c 'INPUT -p udp' "$tmp/flood")" = 8 ] || wrong "rules added in a flood"

# What a match remembers stays with its rule.
xt2tables-restore --live --netns "$ns-xt2" <<-END || wrong "a quota"
	*filter
	-A OUTPUT -p icmp -m quota --quota 300 -j ACCEPT
	COMMIT
END
for i in '*filter' '-A FORWARD -p udp' COMMIT; do echo "$i"; done >"$tmp/forward"
for _ in 1 2; do
	ip netns exec "$ns-xt2" ping -q -c 3 -i 0.01 -W 1 127.0.0.1 >/dev/null
	xt2tables-save --live --netns "$ns-xt2" -c >"$tmp/quota"
	grep -q '^\[3:252\].*quota' "$tmp/quota" || wrong "$(grep quota "$tmp/quota")"
	xt2tables-restore --live --netns "$ns-xt2" -n "$tmp/forward" || wrong "a rule beside a quota"
done

# One at a time.
folder=$(folder_of "$ns-xt2")
mkfifo "$tmp/hold"
flock "$folder" cat "$tmp/hold" &
exec 9>"$tmp/hold" # opens when it is locked
xt2tables-restore --live --netns "$ns-xt2" -n "$tmp/forward" 2>"$tmp/err"
[ $? = 4 ] || wrong "while another one is at work"
grep -q 'holding the xtables lock' "$tmp/err" || wrong "$(cat "$tmp/err")"
xt2tables-restore --live --netns "$ns-xt2" -w -n "$tmp/forward" 9>&- &
waits=$!
exec 9>&-
wait $waits || wrong "--wait"
[ $failed = 0 ] && echo "$steps texts, saved alike; 16 in a flood"
exit $failed
