#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 edit: the lines of a transaction take effect together or not at all, and
# each transaction has one answer.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE

# STATUS ANSWERS LINES OPTIONS...: exit code, answers and lines with \n
edit() {
	count=$((count + 1))
	wanted=$1
	answers=$2
	lines=$3
	shift 3
	printf '%b' "$lines" | xt2 edit "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = "$wanted" ] || bad "'$lines': exit code $status, not $wanted"
	printf '%b' "$answers" >"$tmp/answers"
	# of an error the place and the start of the reason, without the file
	sed "s,\(error [0-9]*: \)${tmp}[^ ]*: ,\1," "$tmp/out" |
		sed 's/\(error [0-9]*: .\{0,20\}\).*/\1/' >"$tmp/short"
	cmp -s "$tmp/answers" "$tmp/short" || {
		bad "'$lines': answers"
		diff "$tmp/answers" "$tmp/short"
	}
}

# PROGRAM TABLE RULES: what is there now
are() {
	count=$((count + 1))
	"$1" -t "$2" -S >"$tmp/out" || bad "$1 -t $2 -S"
	grep -v '^-P' "$tmp/out" >"$tmp/now"
	printf '%b' "$3" | cmp -s - "$tmp/now" || {
		bad "$1 -t $2: other rules"
		cat "$tmp/now"
	}
}

# one transaction without COMMIT; nothing at all
edit 0 'ok 1\n' '-N web\n-A INPUT -p tcp --dport 80 -j web\n-A web -j ACCEPT\n'
are xt2tables filter '-N web\n-A INPUT -p tcp -m tcp --dport 80 -j web\n-A web -j ACCEPT\n'
edit 0 '' ''
edit 0 'ok 1\n' '\n# nothing\n'
edit 0 'ok 1\nok 1\n' 'COMMIT\n-C web -j ACCEPT\nCOMMIT\n'

# all or nothing: the last line is wrong, and what is left of the first ones is nothing
kept=$(cksum <"$XT2_IMAGE")
edit 2 'error 3: Bad rule (does a mat\n' '-A INPUT -j DROP\n-F web\n-D INPUT -s 192.0.2.1\n'
edit 2 'error 2: unknown option "--no\n' '-A INPUT -j DROP\n-A INPUT --nosuch\n'
edit 2 'error 2: Couldn'"'"'t load target\n' '-A INPUT -j DROP\n-A INPUT -j nosuch\n'
edit 2 'error 1: there is no table of\n' '*nosuch\n-A INPUT -j DROP\n'
edit 2 'error 1: families are ipv4, i\n' 'family ipx\n-A INPUT -j DROP\n'
edit 2 'error 2: chains are made by -\n' '-A INPUT -j DROP\n:web - [0:0]\n'
edit 2 'error 2: the line changes not\n' '-A INPUT -j DROP\n-L\n'
edit 2 'error 1: the line changes not\n' '-Z -L\n'
edit 2 'error 1: there is a zero byte\n' '-A INPUT \0000 -j DROP\n'
edit 2 'error 1: a quote is not close\n' '-A INPUT -j "DROP\n'
edit 2 'error 1: this option is of th\n' '-A INPUT -j DROP --image x\n'
# what is wrong with the table as a whole is found at its end
edit 2 'error 2: chains loop: web lea\n' '-I web -j web\n-A web -j DROP\n'
edit 2 'error 2: TCPMSS: it only work\n' '-A web -j DROP\n-A web -p tcp -j TCPMSS --set-mss 99\n'
[ "$kept" = "$(cksum <"$XT2_IMAGE")" ] || bad "a transaction that failed has changed the image"

# a stream: errors are those of their transaction, and lines count on
edit 2 'ok 2\nerror 4: No chain/target/matc\nok 3\n' \
	'-A web -s 192.0.2.1\nCOMMIT\n-A web -s 192.0.2.2\n-A nosuch -j DROP\n-A web -s 192.0.2.3\nCOMMIT\n-A web -s 192.0.2.4\nCOMMIT\n'
are xt2tables filter '-N web\n-A INPUT -p tcp -m tcp --dport 80 -j web\n-A web -j ACCEPT\n-A web -s 192.0.2.1/32\n-A web -s 192.0.2.4/32\n'
# what comes after the last COMMIT may have been cut off
edit 2 'ok 4\nerror 3: COMMIT expected: the\n' '-A web -s 192.0.2.5\nCOMMIT\n-F\n'
edit 2 'error 1: COMMIT expected: the\n' '-F\n' --stream
edit 0 'ok 5\n' '-F web\n-A web -j DROP\nCOMMIT\n' --stream
are xt2tables filter '-N web\n-A INPUT -p tcp -m tcp --dport 80 -j web\n-A web -j DROP\n'
# a transaction that a condition stops
edit 2 'error 1: Bad rule (does a mat\n' '-C web -j ACCEPT\n-F\nCOMMIT\n'

# tables and families, to COMMIT
edit 0 'ok 6\nok 7\n' '*nat\n-A POSTROUTING -o eth0 -j MASQUERADE\n-t raw -A OUTPUT -j ACCEPT\n-A OUTPUT -j ACCEPT\nCOMMIT\n-A OUTPUT -j ACCEPT\nCOMMIT\n'
are xt2tables nat '-A OUTPUT -j ACCEPT\n-A POSTROUTING -o eth0 -j MASQUERADE\n'
are xt2tables raw '-A OUTPUT -j ACCEPT\n'
edit 0 'ok 8\n' 'family ipv6\n-A INPUT -s 2001:db8::1\n-4 -A OUTPUT -s 192.0.2.9\nfamily arp\n-A INPUT -s 192.0.2.8 -j DROP\n-P OUTPUT DROP\nCOMMIT\n'
are xt2ip6tables filter '-A INPUT -s 2001:db8::1/128\n'
are xt2tables filter '-N web\n-A INPUT -p tcp -m tcp --dport 80 -j web\n-A OUTPUT -j ACCEPT\n-A OUTPUT -s 192.0.2.9/32\n-A web -j DROP\n'
xt2arptables -L >"$tmp/out"
grep -q '^-j DROP -s 192.0.2.8 $' "$tmp/out" || bad "no rule of ARP"
edit 0 'ok 9\n' '-A INPUT -s 2001:db8::2\n-4 -F OUTPUT\n' -6
are xt2ip6tables filter '-A INPUT -s 2001:db8::1/128\n-A INPUT -s 2001:db8::2/128\n'
edit 0 'ok 10\n' '-F INPUT\n' --arp

# the answer comes before the next line is awaited, and the lock is not held meanwhile
mkfifo "$tmp/lines" "$tmp/answered"
xt2 edit <"$tmp/lines" >"$tmp/answered" &
exec 8>"$tmp/lines" 9<"$tmp/answered"
printf -- '-A web -s 192.0.2.11\nCOMMIT\n-A web -s 192.0.2.13\n' >&8
read -r got <&9
[ "$got" = "ok 11" ] || bad "answered: $got"
gives 0 xt2tables -A web -s 192.0.2.12
printf 'COMMIT\n' >&8
read -r got <&9
[ "$got" = "ok 13" ] || bad "answered: $got"
exec 8>&-
wait $! || bad "the end of a stream: exit code $?"
exec 9<&-
are xt2tables filter '-N web\n-A INPUT -p tcp -m tcp --dport 80 -j web\n-A web -j DROP\n-A web -s 192.0.2.11/32\n-A web -s 192.0.2.12/32\n-A web -s 192.0.2.13/32\n'

# another program has the lock; nowhere to store
(flock 7 && edit 4 'error 1: Another app is curre\n' '-F\n' --wait 0 && exit $failed) 7>"$XT2_IMAGE.lock" || failed=1
edit 2 'error 1: cannot open the lock\n' '-F\n' --image "$tmp/nosuch/image"
edit 2 'error 1: cannot open: Is a di\n' '-F\n' --image "$tmp"
head -c 3000 /dev/zero >"$tmp/zeros"
edit 2 'error 1: not a valid image: n\n' '-F\n' --image "$tmp/zeros"
done_with
