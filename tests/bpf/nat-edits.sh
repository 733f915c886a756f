#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A live ruleset with NAT, steps and questions that is edited where it is: rules that come find their
# companions, targets of NAT get theirs, and what has none takes another ruleset.
test=nat-edits needs="nft python3 strace"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
strace -qq -o /dev/null true 2>/dev/null || skip "strace cannot trace here"
nat=$(realpath "${top_srcdir:-.}/tests/bpf/nat.py")
# shellcheck disable=SC2317
also_clean() { [ -z "$server" ] || kill "$server" 2>/dev/null; }
server=
ask() { inside python3 "$nat" ask "$@"; }
edit() {	# LINE...: one transaction
	printf '%s\n' "$@" | live edit --live >"$tmp/out" 2>&1
}
region() { inside nft list tables | sed -n 's/^table ip xt2-nat\([01]\)$/\1/p' | tr -d '\n'; }
stays() {	# WORDS LINE...: in the ruleset that is live
	words=$1 before=$(region)
	shift
	edit "$@" || wrong "$words: $(cat "$tmp/out")"
	[ "$(region)" = "$before" ] || wrong "$words: the whole ruleset was installed"
	well "$words"
}
swaps() {	# WORDS LINE...: by another ruleset
	words=$1 before=$(region)
	shift
	edit "$@" || wrong "$words: $(cat "$tmp/out")"
	[ "$(region)" != "$before" ] || wrong "$words: nothing was installed"
	well "$words"
}
well() {	# WORDS
	live status >"$tmp/status" 2>&1 || wrong "$1: $(cat "$tmp/status")"
	grep -qx 'faults 0' "$tmp/status" || wrong "$1: $(grep faults "$tmp/status")"
}
answers() {	# WORDS PORT ANSWER
	ask 127.0.0.9 "$2" >"$tmp/answer"
	[ "$(cat "$tmp/answer")" = "$2: $3" ] || wrong "$1: $(cat "$tmp/answer"), not $3"
}
packets() {	# TABLE CHAIN RULE
	live counters -t "$1" --chain "$2" | awk -v rule="$3" '$4 == rule { print $5 }'
}

ip='-d 127.0.0.9/32 -p udp -m udp'
to='-j DNAT --to-destination 127.0.0.1'
base() {	# HOW MANY MORE TARGETS
	cat <<-END
		*mangle
		:PREROUTING ACCEPT [0:0]
		:INPUT ACCEPT [0:0]
		:FORWARD ACCEPT [0:0]
		:OUTPUT ACCEPT [0:0]
		:POSTROUTING ACCEPT [0:0]
		:MARKS - [0:0]
		-A OUTPUT -m addrtype --dst-type LOCAL
		-A OUTPUT -j MARKS
		-A MARKS -p 99 -j MARK --set-xmark 0x7/0xffffffff
		-A MARKS -p 99 -j TTL --ttl-set 9
		COMMIT
		*nat
		:PREROUTING ACCEPT [0:0]
		:INPUT ACCEPT [0:0]
		:OUTPUT ACCEPT [0:0]
		:POSTROUTING ACCEPT [0:0]
		:SERVICES - [0:0]
		:SOURCE - [0:0]
		:LOST - [0:0]
		-A OUTPUT $ip -j SERVICES
		-A INPUT -p 99 -j SOURCE
		-A SERVICES $ip --dport 700 $to:8001
		-A SOURCE -j SNAT --to-source 127.0.0.77
		-A LOST -p udp $to:8003
	END
	[ "$1" = 0 ] || echo '-A PREROUTING -p 99 -j LOST'
	seq 1001 $((1000 + $1)) | sed "s/.*/-A LOST -p udp $to:2&/"
	echo COMMIT
}
start() {	# HOW MANY MORE TARGETS
	base "$1" >"$tmp/rules"
	live detach 2>/dev/null
	live apply "$tmp/rules" 2>"$tmp/err"
	code=$?
	[ $code != 3 ] || skip "$(cat "$tmp/err")"
	[ $code = 0 ] || wrong "apply: $(cat "$tmp/err")"
	edit '*mangle' '-N FIRST' || wrong "the first edit" # loads what others in place need
}
start 0
mkfifo "$tmp/ready"
inside python3 "$nat" serve 8001 8002 8003 700 >"$tmp/ready" &
server=$!
read -r _ <"$tmp/ready"

# Targets of NAT.
stays "another target" '*nat' "-A SERVICES $ip --dport 701 $to:8002"
answers "another target" 701 '8002 from 127.0.0.1'
answers "the one before" 700 '8001 from 127.0.0.1'
stays "a known target" '*nat' "-I SERVICES 1 $ip --dport 702 $to:8002"
answers "a known target" 702 '8002 from 127.0.0.1'
stays "a chain" '*nat' '-N NEW' "-A NEW -p udp $to:8003" "-I SERVICES 2 $ip --dport 703 -j NEW"
answers "a chain" 703 '8003 from 127.0.0.1'
stays "a way to a chain" '*nat' '-I SERVICES 1 -p udp -m udp --dport 704 -j LOST'
answers "a way to a chain" 704 '8003 from 127.0.0.1'
stays "a way from another hook" '*nat' '-A POSTROUTING -p udp -m udp --dport 8001 -j SOURCE'
answers "a way from another hook" 700 '8001 from 127.0.0.77'
stays "a rule less" '*nat' "-D SERVICES $ip --dport 700 $to:8001" '-F POSTROUTING'
answers "a rule less" 700 'none'
stays "the rule again" '*nat' "-A SERVICES $ip --dport 700 $to:8001"
answers "the rule again" 700 '8001 from 127.0.0.1'

# Steps and questions.
stays "a known step" '*mangle' "-A MARKS $ip -j MARK --set-xmark 0x7/0xffffffff" \
	"-A POSTROUTING -m mark --mark 0x7"
answers "a known step" 700 '8001 from 127.0.0.1'
[ "$(packets mangle POSTROUTING 1)" = 1 ] || wrong "no mark: $(packets mangle POSTROUTING 1)"
stays "a known question" '*mangle' '-I MARKS 1 -m addrtype --dst-type LOCAL'
before=$(packets mangle MARKS 1)
answers "a known question" 700 '8001 from 127.0.0.1'
[ "$(packets mangle MARKS 1)" = $((before + 2)) ] || wrong "no answer: $(packets mangle MARKS 1)"
swaps "another step" '*mangle' '-A MARKS -p 98 -j MARK --set-xmark 0x8/0xffffffff'
swaps "a known step elsewhere" '*mangle' '-A POSTROUTING -p 98 -j MARK --set-xmark 0x8/0xffffffff'
swaps "a known question elsewhere" '*mangle' '-A POSTROUTING -m addrtype --dst-type LOCAL'
swaps "another question" '*mangle' '-A MARKS -m addrtype --src-type LOCAL'
answers "after all of them" 700 '8001 from 127.0.0.1'
live save --live >"$tmp/saved"
edit '*mangle' '-A OUTPUT -m quota --quota 9 -m string --string abc --algo bm --to 99' && wrong "a question after a step that changes its bytes"
grep -q 'cannot match string after' "$tmp/out" || wrong "$(cat "$tmp/out")"
edit '*mangle' '-A MARKS -m quota --quota 9 -m cluster --cluster-total-nodes 2 --cluster-local-node 1 --cluster-hash-seed 1' &&
	wrong "a match that cannot be done"
edit '*nat' '-A SERVICES -j REDIRECT --to-ports 9' '-A SERVICES -j NFQUEUE' && wrong "NFQUEUE in nat"
live save --live | grep -v '^#' >"$tmp/again"
grep -v '^#' "$tmp/saved" | cmp -s - "$tmp/again" || wrong "what was refused has changed something"
well "what was refused"

# A table that is no longer idle.
printf '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n' >"$tmp/idle"
live apply "$tmp/idle" || wrong "apply an idle table"
edit '*nat' "-A OUTPUT $ip --dport 700 $to:8001" || wrong "idle no longer: $(cat "$tmp/out")"
well "idle no longer"
answers "idle no longer" 700 '8001 from 127.0.0.1'

# Many: a second table has what comes, until it is too much.
more() { seq "$1" "$2" | sed "s/.*/-A LOST -p udp $to:2&/"; }
start 1500
stays "some of many" '*nat' "$(more 3001 3300)" "-A SERVICES $ip --dport 705 $to:8002"
[ "$(inside nft list tables | grep -c 'nat.-added')" = 1 ] || wrong "they are not in a table of their own"
answers "some of many" 705 '8002 from 127.0.0.1'
stays "a way to many" '*nat' '-I SERVICES 1 -p udp -m udp --dport 704 -j LOST'
answers "a way to many" 704 '8003 from 127.0.0.1'
stays "more than that" '*nat' "$(more 3301 4050)" "-A SERVICES $ip --dport 706 $to:8001"
[ "$(inside nft list tables | grep -c 'nat.-added')" = 0 ] || wrong "they are still in a table of their own"
answers "more than that, before" 705 '8002 from 127.0.0.1'
answers "more than that" 706 '8001 from 127.0.0.1'
answers "more than that, the first" 700 '8001 from 127.0.0.1'
stays "and again" '*nat' "-A SERVICES $ip --dport 707 $to:8003"
inside nft delete table ip "$(inside nft list tables | sed -n 's/^table ip \(xt2-nat.-added\)$/\1/p')" 2>/dev/null
live repair || wrong "repair"
well "repair"
for a in '700 8001' '705 8002' '706 8001' '707 8003'; do
	answers "repair" "${a% *}" "${a#* } from 127.0.0.1"
done
stays "after the repair" '*nat' "-A SERVICES $ip --dport 708 $to:8002"
answers "after the repair" 708 '8002 from 127.0.0.1'

# Killed before a transaction of nf_tables, and after it: nobody gets what was another's.
n=0
for when in 1 2 3 4 5 6 7 8 9 10 11 12; do
	for call in sendto recvmsg; do
		n=$((n + 1))
		printf '*nat\n%s\n' "-A SERVICES $ip --dport $((2000 + n)) $to:8003" |
			strace -qq -o /dev/null -e trace=$call -e "inject=$call:signal=KILL:when=$when" \
				"$xt2" edit --live --netns "$ns" >/dev/null 2>&1
		edit '*nat' "-A SERVICES $ip --dport $((3000 + n)) -j DNAT --to-destination 127.0.0.1:$((8001 + n % 2))" ||
			wrong "after $call $when: $(cat "$tmp/out")"
		well "after $call $when"
		answers "after $call $when" $((3000 + n)) "$((8001 + n % 2)) from 127.0.0.1"
	done
done
[ $failed = 0 ] && echo "NAT, steps and questions are edited in place"
exit $failed
