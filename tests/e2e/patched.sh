#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Images whose chains were edited in place: what reads them says the same of their rules as of
# the same rules compiled; xt2 dump shows the parts.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
pcap=$top/examples/server.pcap

# RULES...: on standard output, a long chain, one with a run, and a user chain
rules() {
	echo '*filter'
	printf ':%s [0:0]\n' 'INPUT DROP' 'FORWARD ACCEPT' 'OUTPUT ACCEPT' 'ONE -'
	i=0
	while [ $i -lt 100 ]; do
		echo "-A INPUT -p tcp -m tcp --dport $((i * 7 % 200 + 20)) -j ACCEPT"
		echo "-A INPUT -s 10.0.$i.0/24 -j DROP"
		i=$((i + 1))
	done
	printf '%s\n' '-A INPUT' '-A INPUT -j ONE' '-A ONE' '-A ONE' '-A ONE' '-A ONE' '-A ONE'
	echo '-A ONE -p udp -j ACCEPT'
	printf '%s\n' '-A OUTPUT' '-A OUTPUT' '-A OUTPUT' '-A OUTPUT' '-A OUTPUT -p tcp -j ACCEPT'
	echo COMMIT
}

# COMMAND ARGUMENTS...: its output is the same for both; IMAGE stands for the file
same() {
	for which in patched compiled; do
		mkdir -p "$tmp/$which"
		cp "$tmp/$which.image" "$tmp/image"
		gives 0 "$@"
		# times differ, and so do lines: inserted rules have none
		sed -e 's/^[0-9.]* s, .*//' -e 's/^\(# .* on \|# Completed on \).*/\1/' -e 's, *\[[^]]*/[a-z]*:[0-9]*\],,' -e 's, *$,,' "$tmp/out" >"$tmp/$which/out"
	done
	diff "$tmp/compiled/out" "$tmp/patched/out" >"$tmp/diff" || {
		bad "$*: other output for patched chains"
		head -n 5 "$tmp/diff"
	}
}

rules >"$tmp/rules"
gives 0 xt2tables-restore --image "$tmp/first.image" "$tmp/rules"
for seed in 1 2 3; do
	edits=$("$build/tests/lib/edit-image" "$tmp/first.image" "$tmp/patched.image" $seed) ||
		bad "the image cannot be edited"
	[ "${edits:-0}" -gt 15 ] || bad "only $edits edits"
	gives 0 xt2 dump "$tmp/patched.image"
	for part in patch items inserted deleted bucket compiled; do
		grep -q " $part: " "$tmp/out" || bad "xt2 dump shows no $part"
	done
	gives 0 xt2 dump --json "$tmp/patched.image"
	gives 0 xt2tables-save --image "$tmp/patched.image"
	cp "$tmp/out" "$tmp/saved"
	gives 0 xt2tables-restore --image "$tmp/compiled.image" "$tmp/saved"
	same xt2tables-save -c --image "$tmp/image"
	same xt2 digest "$tmp/image"
	same xt2 replay --image "$tmp/image" -H INPUT --counters "$tmp/counters" "$pcap"
	same xt2 replay --image "$tmp/image" -H OUTPUT --counters "$tmp/counters" "$pcap"
	same xt2 explain "$tmp/image" -H INPUT -s 10.0.9.9 -p tcp --dport 55 --brief
	same xt2 explain "$tmp/image" -H INPUT -s 10.9.9.9 -p udp --dport 55
	gives 0 xt2 check "$tmp/patched.image"
	gives 0 xt2 bench "$tmp/patched.image" "$pcap" --hook INPUT
done

# a rule of a long chain is deleted, then the chain that it led to
gives 0 xt2tables-restore --image "$tmp/gone.image" "$tmp/rules"
gives 0 xt2tables --image "$tmp/gone.image" -D INPUT -j ONE
gives 0 xt2tables --image "$tmp/gone.image" -F ONE
gives 0 xt2tables --image "$tmp/gone.image" -X ONE
xt2 check "$tmp/gone.image" >"$tmp/out" 2>&1
[ $? -le 1 ] || bad "the chain of a deleted rule is gone: $(cat "$tmp/out")"
xt2tables-save --image "$tmp/gone.image" | grep -q ONE && bad "a chain is not gone"
[ $failed = 0 ] && echo "$count commands"
exit $failed
