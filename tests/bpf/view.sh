#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is live can be looked at: xt2 counters, save, explain, dump, digest.
test=view needs="ping"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
PATH=$(realpath "${top_builddir:-.}"):$PATH
pings() {	# FAMILY ADDRESS NUMBER
	ip netns exec "$ns" ping "$1" -q -c "$3" -i 0.01 -W 1 "$2" >/dev/null || wrong "ping $2"
}
# STATUS WHAT COMMAND...: compares standard input with what the command prints
prints() {
	expected=$1
	what=$2
	shift 2
	cat >"$tmp/expected"
	"$@" >"$tmp/printed" 2>"$tmp/err"
	code=$?
	[ $code = "$expected" ] || wrong "$what: exit code $code: $(cat "$tmp/err")"
	diff "$tmp/expected" "$tmp/printed" || wrong "$what"
}
cat >"$tmp/rules4" <<END
*filter
:INPUT DROP [1:28]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:more - [0:0]
-A INPUT -i eth0 -m comment --comment "not this one" -j DROP
-A INPUT -p icmp -j more
-A more -m ttl --ttl-eq 64 -j ACCEPT
COMMIT
END
cat >"$tmp/rules6" <<END
*raw
:PREROUTING ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A OUTPUT -p ipv6-icmp
COMMIT
END
prints 1 "counters of nothing" xt2 counters --netns "$ns" </dev/null
prints 1 "save nothing" xt2 save --live --netns "$ns" </dev/null
xt2 apply --counters file --netns "$ns" "$tmp/rules4" -6 "$tmp/rules6" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
pings -4 127.0.0.1 3
pings -6 ::1 2

prints 0 "counters" xt2 counters --live --netns "$ns" <<END
ipv4 filter INPUT 1 0 0
ipv4 filter INPUT 2 6 504
ipv4 filter INPUT policy 1 28
ipv4 filter FORWARD policy 0 0
ipv4 filter OUTPUT policy 6 504
ipv4 filter more 1 6 504
ipv6 raw PREROUTING policy 4 416
ipv6 raw OUTPUT 1 4 416
ipv6 raw OUTPUT policy 4 416
END
xt2 counters --netns "$ns" >"$tmp/counters"
prints 0 "counters of a chain" xt2 counters -4 --chain more --netns "$ns" <<END
ipv4 filter more 1 6 504
END
prints 0 "counters of a family's table" xt2 counters -6 -t raw --chain OUTPUT --netns "$ns" <<END
ipv6 raw OUTPUT 1 4 416
ipv6 raw OUTPUT policy 4 416
END
prints 2 "counters of no table" xt2 counters -4 -t raw --netns "$ns" </dev/null
prints 0 "the largest" xt2 counters --top 4 --netns "$ns" <<END
ipv4 filter INPUT 2 6 504 -A INPUT -p icmp -j more
ipv4 filter OUTPUT policy 6 504 -P OUTPUT ACCEPT
ipv4 filter more 1 6 504 -A more -m ttl --ttl-eq 64 -j ACCEPT
ipv6 raw PREROUTING policy 4 416 -P PREROUTING ACCEPT
END
for i in '--top 0' '--top x' '--watch 0' '--watch -1' '--count 3' '--live rules4' '--watch 1 rules4' \
	'--netns x rules4'; do
	# shellcheck disable=SC2086 # words
	(cd "$tmp" && prints 2 "counters $i" xt2 counters $i </dev/null; exit $failed) || failed=1
done

# The same by every way out, and in again.
xt2 save --live -c --netns "$ns" | grep -v '^#' >"$tmp/saved"
xt2tables-save --live -c --netns "$ns" | grep -v '^#' | cmp - "$tmp/saved" || wrong "save and xt2tables-save"
grep -qx '\[6:504\] -A more -m ttl --ttl-eq 64 -j ACCEPT' "$tmp/saved" || wrong "save: $(cat "$tmp/saved")"
xt2 save -6 --live -t raw --netns "$ns" | grep -v '^#' >"$tmp/saved6"
sed 's/\[0:0\]/[4:416]/' "$tmp/rules6" | diff - "$tmp/saved6" || wrong "save -6"
prints 1 "a table that is not there" xt2 save --live -t mangle --netns "$ns" </dev/null
xt2 counters "$tmp/saved" >"$tmp/of-text"
grep '^ipv4' "$tmp/counters" | diff - "$tmp/of-text" || wrong "counters of text"
{ xt2tables-restore -c --image "$tmp/image" <"$tmp/saved" &&
	xt2ip6tables-save --live -c --netns "$ns" | xt2ip6tables-restore -c --image "$tmp/image"; } ||
	wrong "an image of it"
xt2 counters "$tmp/image" | diff "$tmp/counters" - || wrong "counters of an image"
xt2 digest --live --netns "$ns" | sed 's/ .*//' >"$tmp/digest"
xt2 digest "$tmp/image" | sed 's/ .*//' | cmp - "$tmp/digest" || wrong "digest"
xt2 dump --live --netns "$ns" >"$tmp/dumped" || wrong "dump"
grep -q 'chain: .*name more' "$tmp/dumped" || wrong "dump: $(grep chain "$tmp/dumped")"

# Why was this dropped?
xt2 explain --live --netns "$ns" --hook INPUT -i lo -p udp -d 127.0.0.1 --dport 53 >"$tmp/why" ||
	wrong "explain"
grep -q 'DROP.*filter/INPUT:policy' "$tmp/why" || wrong "explain: $(cat "$tmp/why")"
xt2 explain --live --netns "$ns" --hook INPUT -i lo -p icmp -d 127.0.0.1 --ttl 64 >"$tmp/why"
grep -q 'filter/more:1' "$tmp/why" || wrong "explain: $(cat "$tmp/why")"

# Watched, every packet is shown once, also when the ruleset is replaced meanwhile.
until_shown() {	# NUMBER: of packets that the rule for icmp counted; waits as long as it may take here
	for _ in $(seq 300); do
		shown=$(awk '/^ipv4 filter INPUT [23] / { n += $5 } /OUTPUT policy/ { m += $5 }
			END { print n + 0, m + 0 }' "$tmp/watched")
		[ "$shown" = "$1 $1" ] && return
		sleep 0.1
	done
	wrong "watched: $shown packets of $1"
}
xt2 counters --watch 0.1 --netns "$ns" >"$tmp/watched" 2>"$tmp/watch-err" &
watcher=$!
for _ in $(seq 300); do
	grep -q '^# ' "$tmp/watched" && break
	sleep 0.1
done
pings -4 127.0.0.1 5
until_shown 10
for i in 1 2 3 4; do
	pings -4 127.0.0.1 5
	sed "s/^-A INPUT -p icmp/-A INPUT -p udp --dport $i\\n&/; s/^-A more/-A more -p icmp\\n&/" \
		"$tmp/rules4" >"$tmp/rules"
	xt2 apply --netns "$ns" "$tmp/rules" || wrong "apply while somebody watches"
	pings -4 127.0.0.1 5
	xt2 apply --netns "$ns" "$tmp/rules4" || wrong "apply while somebody watches"
done
until_shown 90
grep -v -E '^(# [0-9]+\.[0-9]{3}|ipv4 filter (INPUT|OUTPUT|more) ([0-9]+|policy) [0-9]+ [0-9]+ [0-9]+\.[0-9] [0-9]+\.[0-9])$' \
	"$tmp/watched" && wrong "lines of another form"
[ "$(xt2 counters --watch 0.01 --count 2 --top 1 --netns "$ns" | grep -c '^# ')" = 2 ] || wrong "two rounds"
xt2 detach --netns "$ns" || wrong "detach while somebody watches"
wait $watcher
[ $? = 1 ] || wrong "the watcher goes on without a ruleset: $(cat "$tmp/watch-err")"
[ $failed = 0 ] && echo "as it should look"
exit $failed
