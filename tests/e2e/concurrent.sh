#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Restores with -n on one image, several at once: no update is lost, and -w
# waits for the lock as iptables' does.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
image=$tmp/image
each=20
printf '*filter\nCOMMIT\n' | xt2tables-restore --image "$image" || exit 99

writer() {	# NUMBER
	i=0
	while [ $i -lt $each ]; do
		printf '*filter\n-A INPUT -s 10.0.%d.%d -j DROP\nCOMMIT\n' "$1" $i |
			xt2tables-restore -n -w --image "$image" || echo "FAIL: writer $1" >>"$tmp/failed"
		i=$((i + 1))
	done
}

pids=
for w in 1 2 3; do
	writer $w &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid"
done
[ ! -e "$tmp/failed" ] || bad "$(cat "$tmp/failed")"
got=$(xt2tables-save --image "$image" | grep -c -- '-A INPUT')
[ "$got" = $((3 * each)) ] || bad "$got rules, not $((3 * each))"

# the lock is held by somebody else
hold() {	# SECONDS
	(flock 9 && exec sleep "$1") 9>>"$image.lock" &
	holder=$!
	while flock -n "$image.lock" true; do sleep 0.05; done
}

printf '*filter\n-A OUTPUT -j DROP\nCOMMIT\n' >"$tmp/more"
cp "$image" "$tmp/kept"
hold 30
gives 4 xt2tables-restore -n --image "$image" "$tmp/more"
grep -q 'Another app is currently holding the xtables lock. Perhaps you want to use the -w option?' \
	"$tmp/err" || bad "no message without -w"
gives 4 xt2tables-restore -n -w 1 --image "$image" "$tmp/more"
grep -q 'Another app is currently holding the xtables lock. Stopped waiting after 1s' \
	"$tmp/err" || bad "no message with -w 1"
gives 0 xt2tables-restore -n -t --image "$image" "$tmp/more"
gives 0 xt2tables-save --image "$image"
cmp -s "$image" "$tmp/kept" || bad "changed in spite of the lock"
kill $holder
wait $holder 2>/dev/null
hold 1
gives 0 xt2tables-restore -n -w --image "$image" "$tmp/more"
hold 1
gives 0 xt2tables-restore -n -w 20 --image "$image" "$tmp/more"
[ "$(xt2tables-save --image "$image" | grep -c -- '-A OUTPUT')" = 2 ] || bad "-w has lost a rule"
done_with
