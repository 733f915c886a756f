#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Truncated and damaged images, captures and texts, into every program: a clear
# error or a whole answer, no crash, and the old image stays as it was.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
step=1
[ -z "${XT2_SHORT:-}" ] || step=5
good=$tmp/good.xt2
xt2tables-restore --image "$good" "$top/examples/server.rules" || exit 99
xt2ip6tables-restore --image "$good" "$top/examples/server6.rules" || exit 99
rules=$top/examples/server.rules
pcap=$top/examples/server.pcap

# FILE OFFSET BYTE
poke() {
	# shellcheck disable=SC2059 # an octal escape
	printf "\\$(printf %o "$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# SIZE COUNT SEED -> lines of a place in a file of this size and a byte
places() {
	awk -v size="$1" -v n="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		while (n--)
			print int(rand() * size), int(rand() * 256)
	}'
}

# --- images: every program that reads one

image() {	# STATUSES of xt2, FILE
	gives "$1" xt2 check "$2"
	gives "$1" xt2 explain "$2" -H INPUT -p tcp --dport 22
	gives "$1" xt2 replay -H INPUT --image "$2" "$pcap"
	gives "$1" xt2 dump "$2"
	for name in xt2tables xt2ip6tables xt2arptables; do
		gives "0 1 4" $name-save --image "$2"
		gives "0 1 4" $name -nvL --image "$2"
	done
	cp "$2" "$tmp/before"
	gives "0 1 4" xt2tables-restore -n --image "$2" "$tmp/more"
	[ "$status" = 0 ] || cmp -s "$2" "$tmp/before" || bad "a failed restore has changed $2"
}

printf '*filter\n-A INPUT -j ACCEPT\nCOMMIT\n' >"$tmp/more"
size=$(wc -c <"$good")
for at in 0 1 3 4 7 8 31 63 64 65 100 $((size / 2)) $((size - 8)) $((size - 1)); do
	head -c "$at" "$good" >"$tmp/cut"
	# without its first bytes it may be an empty text to check and explain
	if [ "$at" = 0 ]; then
		image "0 2" "$tmp/cut"
		gives 2 xt2 replay -H INPUT --image "$tmp/cut" "$pcap"
		gives 2 xt2 dump "$tmp/cut"
	else
		image 2 "$tmp/cut"
	fi
done
places "$size" 40 1 | awk "NR % $step == 0" >"$tmp/places"
while read -r at byte; do
	cp "$good" "$tmp/bad"
	poke "$tmp/bad" "$at" "$byte"
	image "0 1 2 3" "$tmp/bad"
done <"$tmp/places"

# --- captures

size=$(wc -c <"$pcap")
for at in 0 1 4 23 24 25 39 40 41 100 $((size - 1)); do
	head -c "$at" "$pcap" >"$tmp/cut"
	gives "0 2" xt2 replay -r "$rules" -H INPUT "$tmp/cut"
	[ "$at" = 24 ] || [ "$at" -ge 100 ] || [ "$status" = 2 ] || bad "a capture of $at bytes is taken"
	gives "0 2" xt2 explain "$rules" -H INPUT --capture "$tmp/cut" --number 1
done
{ places 300 30 2; places "$size" 30 3; } | awk "NR % $step == 0" >"$tmp/places"
while read -r at byte; do
	cp "$pcap" "$tmp/bad"
	poke "$tmp/bad" "$at" "$byte"
	gives "0 2 3" xt2 replay -r "$rules" -H INPUT --accepted "$tmp/a" --dropped "$tmp/d" "$tmp/bad"
	gives "0 2 3" xt2 explain "$rules" -H INPUT --capture "$tmp/bad" --number 2
done <"$tmp/places"

# --- texts

size=$(wc -c <"$rules")
image=$tmp/image
cp "$good" "$image"
places "$size" 60 4 | awk "NR % $step == 0" >"$tmp/places"
while read -r at byte; do
	head -c "$at" "$rules" >"$tmp/cut"
	cp "$rules" "$tmp/bad"
	poke "$tmp/bad" "$at" "$byte"
	for file in cut bad; do
		gives "0 1 2" xt2tables-restore --image "$image" "$tmp/$file"
		if [ "$status" = 0 ]; then
			cp "$good" "$image"
		else
			cmp -s "$good" "$image" || bad "a refused text has changed the image"
		fi
		gives "0 1 2 3" xt2 check "$tmp/$file"
		gives "0 2" xt2 explain "$tmp/$file" -H INPUT -p tcp
		for name in xt2ip6tables xt2arptables; do # its first lines may be good there, too
			gives "0 1 2" $name-restore --image "$image" "$tmp/$file"
			[ "$status" = 0 ] || cmp -s "$good" "$image" || bad "refused, but changed"
			cp "$good" "$image"
		done
	done
done <"$tmp/places"

# long lines, many arguments, no line ends
{
	echo '*filter'
	head -c 200000 /dev/zero | tr '\0' 'a'
} >"$tmp/long"
gives "1 2" xt2tables-restore --image "$image" "$tmp/long"
{
	printf '*filter\n-A INPUT'
	yes ' -s 1.2.3.4' | head -n 3000 | tr -d '\n'
	printf '\nCOMMIT\n'
} >"$tmp/long"
gives "1 2" xt2tables-restore --image "$image" "$tmp/long"
head -c 100000 "$build/xt2" >"$tmp/random"
gives "1 2" xt2tables-restore --image "$image" "$tmp/random"
gives 2 xt2 check "$tmp/random"
gives 2 xt2 dump "$tmp/random"
gives 2 xt2 replay -r "$rules" -H INPUT "$tmp/random"
cmp -s "$good" "$image" || bad "garbage has changed the image"
done_with
