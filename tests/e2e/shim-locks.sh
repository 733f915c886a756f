#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several shims on one image lose no update, whether or not the tools lock each
# other out; a program that only reads keeps nobody waiting for long; and what
# is in nobody's way any more is refused rather than lost.
# shellcheck disable=SC2016 # single quotes are for the inner shells
# shellcheck source=tests/e2e/shim-common.sh
. "${top_srcdir:-.}/tests/e2e/shim-common.sh"
can_supervise || { echo "SKIP: no seccomp notifications"; exit 77; }
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
each=${XT2_SHIM_APPENDS:-200}
slow_replace=$top/tests/lib/slow-replace.py

# COMMAND of one argument, run $each times under one shim, by two of them at once
both() {
	pids=''
	for n in 1 2; do
		# shellcheck disable=SC2086 # a word or none
		xt2 run --image "$image" $mode -- sh -c 'i=0
			while [ $i -lt "$1" ]; do
				n=$2.$((i / 250)).$((i % 250))
				eval "$3" || echo "$3: $n" >>"$4"
				i=$((i + 1))
			done' sh "$each" "10.$n" "$1" "$tmp/failed" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid"
	done
	[ ! -e "$tmp/failed" ] || bad "$1: $(wc -l <"$tmp/failed") have failed: $(head -n 1 "$tmp/failed")"
	rm -f "$tmp/failed"
}

mode=''
both 'iptables-legacy -w -A INPUT -s $n -j DROP'
got=$(rules_of "$image" | grep -c -- '-A INPUT')
[ "$got" = $((2 * each)) ] || bad "$got rules of iptables, not $((2 * each))"
both 'arptables-legacy -A INPUT -s $n -j DROP'
got=$(xt2arptables-save --image "$image" | grep -c -- '-A INPUT')
[ "$got" = $((2 * each)) ] || bad "$got rules of arptables, not $((2 * each))"
each=50
both 'ebtables-legacy -A INPUT -p IPv4 --ip-src $n -j DROP'
got=$(shim ebtables-legacy -L INPUT | grep -c -- '-j DROP')
[ "$got" = $((2 * each)) ] || bad "$got rules of ebtables, not $((2 * each))"

# preloaded libraries have the lock of iptables only, and it is enough
if [ -z "$SANITIZE_CFLAGS" ]; then
	rm -f "$image"
	mode=--preload
	both 'iptables-legacy -w -A INPUT -s $n -j DROP'
	got=$(rules_of "$image" | grep -c -- '-A INPUT')
	[ "$got" = $((2 * each)) ] || bad "$got rules of preloaded iptables, not $((2 * each))"
	mode=''
fi

# a shim and xt2's own tools
rm -f "$image"
xt2 run --image "$image" -- sh -c 'i=0
	while [ $i -lt 50 ]; do
		iptables-legacy -A INPUT -s 10.1.0.$i -j DROP
		i=$((i + 1))
	done' &
i=0
while [ $i -lt 50 ]; do
	printf '*filter\n-A INPUT -s 10.2.0.%d -j DROP\nCOMMIT\n' $i |
		xt2tables-restore -n -w --image "$image" || bad "xt2tables-restore"
	i=$((i + 1))
done
wait $!
got=$(rules_of "$image" | grep -c -- '-A INPUT')
[ "$got" = 100 ] || bad "$got rules of iptables and xt2tables-restore, not 100"

# tests/lib/slow-replace.py asks for the entries, waits, and replaces the table by them
slow() {	# SECONDS OPTIONS...
	seconds=$1
	shift
	rm -f "$tmp/ready"
	xt2 run --image "$image" "$@" -- python3 "$slow_replace" "$seconds" "$tmp/ready" >"$tmp/slow" &
	slow=$!
	await test -e "$tmp/ready"
}

for option in "" --preload; do
	[ -z "$option" ] || [ -z "$SANITIZE_CFLAGS" ] || continue
	rm -f "$image"
	shim iptables-legacy -A INPUT -j DROP
	# the same table has changed meanwhile, without a change of its size
	slow 4 $option
	start=$(date +%s%N)
	gives 0 shim iptables-legacy -R INPUT 1 -j ACCEPT
	took=$((($(date +%s%N) - start) / 1000000))
	[ $took -lt 3000 ] || bad "$option: a reader keeps others waiting for $took ms"
	wait $slow
	[ "$(cat "$tmp/slow")" = EAGAIN ] || bad "$option: an update would be lost: $(cat "$tmp/slow")"
	rules_of "$image" | grep -q -- '-A INPUT -j ACCEPT' || bad "$option: an update is lost"
	# another table has
	slow 2 $option
	gives 0 shim iptables-legacy -t raw -A OUTPUT -j DROP
	gives 0 shim arptables-legacy -A OUTPUT -j DROP
	wait $slow
	[ "$(cat "$tmp/slow")" = ok ] || bad "$option: another table's change: $(cat "$tmp/slow")"
	rules_of "$image" | grep -q -- '-A OUTPUT -j DROP' || bad "$option: another table's change is lost"
done
# nothing has: whoever is quick has the lock, so others wait for him
slow 0.3
gives 0 shim iptables-legacy -A INPUT -j LOG
wait $slow
[ "$(cat "$tmp/slow")" = ok ] || bad "a quick one: $(cat "$tmp/slow")"
rules_of "$image" | grep -q -- '-A INPUT -j LOG' || bad "the one who waited has lost his rule"
# processes of one shim wait for each other as well
shim sh -c 'python3 "$1" 0.3 "$2" >"$3" & while ! [ -e "$2" ]; do sleep 0.02; done
	iptables-legacy -A FORWARD -j LOG; wait' sh "$slow_replace" "$tmp/ready2" "$tmp/slow"
[ "$(cat "$tmp/slow")" = ok ] || bad "a quick one under the same shim: $(cat "$tmp/slow")"
rules_of "$image" | grep -q -- '-A FORWARD -j LOG' || bad "the one who waited under the same shim"
# a killed process keeps nothing
slow 30
killed=$(pgrep -f "$slow_replace 30 $tmp/ready")
start=$(date +%s%N)
for pid in $killed; do
	[ "$(cat "/proc/$pid/comm")" = xt2 ] || kill -KILL "$pid"
done
gives 0 shim iptables-legacy -A INPUT -j LOG
took=$((($(date +%s%N) - start) / 1000000))
[ $took -lt 900 ] || bad "a dead process keeps others waiting for $took ms"
wait $slow
status=$?
[ $status = 137 ] || bad "killed by signal 9: exit code $status"
done_with
