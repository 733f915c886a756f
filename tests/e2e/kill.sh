#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of xt2tables-restore at any moment: the image is the old one or the
# new one, whole, and the next restore works.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
times=100
[ -z "${XT2_SHORT:-}" ] || times=20
image=$tmp/place/image
mkdir "$tmp/place"

rules() {	# NETWORK
	printf '*filter\n:C - [0:0]\n'
	awk -v net="$1" 'BEGIN {
		for (i = 0; i < 30000; i++)
			print "-A C -s " net "." int(i / 256) "." i % 256 "/32 -j DROP"
	}'
	printf 'COMMIT\n'
}

rules 10.1 >"$tmp/one"
rules 10.2 >"$tmp/two"
xt2tables-restore --image "$image" "$tmp/two" || exit 99
rules_of "$image" | md5sum >"$tmp/two.sum"
start=$(date +%s%N)
xt2tables-restore --image "$image" "$tmp/one" || exit 99
whole=$((($(date +%s%N) - start) / 1000))
rules_of "$image" | md5sum >"$tmp/one.sum"
was=one
killed=0
new=0
n=0
while [ $n -lt $times ]; do
	n=$((n + 1))
	count=$((count + 1))
	to=two
	[ $was = one ] || to=one
	xt2tables-restore --image "$image" "$tmp/$to" &
	pid=$!
	sleep "$(awk -v n=$n -v w=$whole 'BEGIN { srand(n); printf "%.6f", rand() * w * 1.1 / 1e6 }')"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ $? = 137 ] && killed=$((killed + 1))
	xt2 check "$image" >"$tmp/out" 2>&1
	[ $? -lt 2 ] || { bad "an image that is not whole"; cat "$tmp/out"; exit 1; }
	rules_of "$image" | md5sum >"$tmp/sum"
	if cmp -s "$tmp/sum" "$tmp/$to.sum"; then
		was=$to
		new=$((new + 1))
	else
		cmp -s "$tmp/sum" "$tmp/$was.sum" || { bad "neither old nor new"; exit 1; }
	fi
done
[ "$killed" -gt 0 ] || bad "none of $times was killed in time"
xt2tables-restore --image "$image" "$tmp/one" || bad "no restore after a kill"
rules_of "$image" | md5sum | cmp -s - "$tmp/one.sum" || bad "another ruleset after a kill"
echo "$killed killed, $new of $times stored"
# what a killed one leaves is its temporary file at most; older generations are kept
left=$(find "$tmp/place" -type f ! -name image ! -name image.lock ! -name '.xt2-*' ! -name 'image.old-[0-7]')
[ -z "$left" ] || bad "left behind: $left"
left=$(find "$tmp/place" -name '.xt2-*' | wc -l)
[ "$left" -le $killed ] || bad "$left temporary files of $killed"
done_with
