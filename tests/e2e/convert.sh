#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 convert, replace and dump: what the kernel and its tools exchanged, in
# every direction; broken tables and what the kernel answered; files that are
# none, outputs that cannot be written.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }

python3 "$top/tests/e2e/convert-vectors.py" "$top/tests/legacy/vectors" \
	"$top/tests/e2e/rulesets" "$tmp" || bad "vectors"

server=$top/examples/server.rules
cat >"$tmp/two" <<'END'
*raw
-A PREROUTING -i lo -j NOTRACK
COMMIT
*filter
:INPUT DROP [3:4]
:A - [0:0]
[5:6] -A INPUT -p tcp -m tcp --dport 22 -j A
[0:0] -A A -s 10.0.0.0/8 -j ACCEPT
COMMIT
END

# FROM TO: xt2 convert of $in to $tmp/out.TO, more arguments behind
convert() {
	from=$1
	to=$2
	shift 2
	gives 0 xt2 convert "$in" -o "$tmp/out.$to" --from "$from" --to "$to" --family 4 "$@"
}

# a circle through all forms, both widths
in=$tmp/two
convert save replace -t filter
cp "$tmp/out.replace" "$tmp/first"
in=$tmp/first
convert replace json
in=$tmp/out.json
convert json save
grep -q '^\[5:6\] -A INPUT -p tcp -m tcp --dport 22 -j A' "$tmp/out.save" || bad "counters are lost"
grep -q '^:INPUT DROP \[3:4\]' "$tmp/out.save" || bad "a policy's counters are lost"
in=$tmp/out.save
convert save replace --to-width 32
in=$tmp/out.replace
convert replace replace --from-width 32
cmp -s "$tmp/first" "$tmp/out.replace" || bad "another table came back"
xt2 convert - -o - --from replace --to replace --family 4 <"$tmp/first" >"$tmp/piped"
cmp -s "$tmp/piped" "$tmp/first" ||
	bad "by standard input and output"
in=$tmp/two
convert save save
convert save json
in=$server
convert save save
grep -v '^#' "$tmp/out.save" | grep -q '^-A' || bad "counters where nothing counted"

# which table?
gives 2 xt2 convert "$tmp/two" -o "$tmp/no" --from save --to replace --family 4
grep -q 'raw, filter' "$tmp/err" || bad "the tables are not named"
gives 2 xt2 convert "$tmp/two" -o "$tmp/no" --from save --to replace --family 4 -t nat
gives 2 xt2 convert /dev/null -o "$tmp/no" --from save --to replace --family 4
gives 2 xt2 convert "$tmp/first" -o "$tmp/no" --from replace --to save --family 4 -t raw

# wrong arguments and inputs, and nothing left behind
mkdir "$tmp/folder"
ln -s nowhere "$tmp/dangling"
for arguments in "" "$tmp/two" "$tmp/two $tmp/two" \
	"$tmp/two --from blob" "$tmp/two --to blob" "$tmp/two --family 5" "$tmp/two --to-width 16" \
	"$tmp/nosuch" "$tmp/folder" "$tmp/first --from save" "$tmp/first --from json" \
	"$tmp/two --from replace" "$tmp/first --from replace --from-width 32" \
	"$tmp/first --from replace --family 6" "$tmp/first --from replace --family arp" \
	"/dev/null --from replace" "$tmp/two -o $tmp/folder" "$tmp/dangling"; do
	# shellcheck disable=SC2086 # a list of words
	gives 2 xt2 convert -o "$tmp/no" --from save --to save --family 4 $arguments --from-width 99
	# shellcheck disable=SC2086
	[ "$arguments" = "$tmp/two" ] ||
		gives 2 xt2 convert -o "$tmp/no" --from save --to save --family 4 $arguments
done
gives 2 xt2 convert "$tmp/two" --from save --to save --family 4
gives 2 xt2 convert "$tmp/first" -o - --from replace --to save --family 6
[ ! -s "$tmp/out" ] || bad "output after an error"
[ ! -e "$tmp/no" ] || bad "a file after an error"

# outputs: replaced in one step, behind links, with their mode; devices are written to
echo old >"$tmp/old"
chmod 640 "$tmp/old"
ln -s old "$tmp/link"
gives 2 xt2 convert "$tmp/nosuch" -o "$tmp/link" --from save --to save --family 4
[ "$(cat "$tmp/old")" = old ] || bad "a failure changed the old file"
gives 0 xt2 convert "$tmp/two" -o "$tmp/link" --from save --to save --family 4
{ [ -L "$tmp/link" ] && grep -q COMMIT "$tmp/old"; } || bad "a link was not followed"
[ "$(stat -c %a "$tmp/old")" = 640 ] || bad "the mode has changed"
gives 0 xt2 convert "$tmp/old" -o "$tmp/old" --from save --to save --family 4
gives 0 xt2 convert "$tmp/two" -o /dev/null --from save --to save --family 4
[ -c /dev/null ] || bad "/dev/null is gone"
gives 4 xt2 convert "$tmp/two" -o /dev/full --from save --to save --family 4
gives "2 4" xt2 convert "$tmp/two" -o "$tmp/old/file" --from save --to save --family 4
gives "2 4" xt2 convert "$tmp/two" -o "$tmp/nosuch/file" --from save --to save --family 4
xt2 convert "$tmp/two" -o - --from save --to save --family 4 >/dev/full 2>/dev/null
[ $? = 4 ] || bad "standard output is full, and nobody says so"
gives 4 sh -c "trap '' XFSZ; ulimit -f 4; exec xt2 convert '$server' -o '$tmp/old' --from save --to json --family 4"
grep -q COMMIT "$tmp/old" || bad "a limit: the old file has changed"
[ -z "$(find "$tmp" -name '.xt2-*')" ] || bad "temporary files are left"

# an image under the kernel's call
image=$tmp/image
gives 0 xt2 replace --family 4 --width 64 --image "$image" "$tmp/first"
grep -qx ok "$tmp/out" || bad "no ok"
xt2tables-save --image "$image" | grep -q -- '-A INPUT -p tcp -m tcp --dport 22 -j A' ||
	bad "the image has not got the table"
cp "$image" "$tmp/kept"
gives 2 xt2 replace --family 4 --width 64 --image "$image" "$tmp/first"
grep -q '^EAGAIN: ' "$tmp/out" || bad "a table that has changed since"
gives 2 xt2 replace --family 4 --width 32 --image "$image" "$tmp/first"
cmp -s "$image" "$tmp/kept" || bad "a refused table has changed the image"
gives 0 sh -c "xt2 replace --family 4 --width 64 - <'$tmp/first'"
gives 2 xt2 replace --family 4 --width 64 /dev/null
grep -q '^EINVAL: ' "$tmp/out" || bad "an empty blob"
gives 2 xt2 replace --family 4 --width 64 "$tmp/folder"
gives 2 xt2 replace --family 4 --width 64 "$tmp/nosuch"
gives 2 xt2 replace --family 4 --width 64 --image "$tmp/two" "$tmp/first"
gives 2 xt2 replace --family 4 "$tmp/first"
gives 2 xt2 replace --width 64 "$tmp/first"

# ebtables: its options, and what it and the kernel refuse
{
	printf '*filter\n:INPUT DROP\n:FORWARD ACCEPT\n:OUTPUT ACCEPT\n:U RETURN\n'
	printf '%s\n' '-A INPUT -p ! IPv4 -s ! Multicast -i eth+ -j U -c 3 4' \
		'-A INPUT -p 0x88cc --mark ! 0x1/0xff -j DROP' \
		'-A INPUT --among-dst ! 00:01:02:03:04:05=10.0.0.1,00:01:02:03:04:06 --limit 3/hour -j U' \
		'-A U --log-prefix "a b" --log-level 3 --nflog-group 2 -j CONTINUE'
} >"$tmp/eb"
gives 0 xt2 convert "$tmp/eb" -o "$tmp/eb.bin" --from save --to replace --family eb --to-width 32
gives 0 xt2 convert "$tmp/eb.bin" -o - --from replace --to save --family eb --from-width 32
for line in '-p ! IPv4 -s ! 01:00:00:00:00:00/01:00:00:00:00:00 -i eth+ -j U' \
	'--mark ! 0x1/0xff -j DROP' '--limit 3/hour --limit-burst 5 -j U' ':U RETURN' ':INPUT DROP' \
	'--among-dst ! 00:01:02:03:04:05=10.0.0.1,00:01:02:03:04:06 ' \
	'-A U --log-level error --log-prefix "a b" --nflog-group 2 -j CONTINUE'; do
	grep -q -- "$line" "$tmp/out" || bad "ebtables: no $line"
done
gives 0 xt2 convert "$tmp/eb" -o - --from save --to save --family eb
grep -q -- '-i eth+ -j U -c 3 4$' "$tmp/out" || bad "ebtables: counters are lost"
while read -r line; do
	printf '*filter\n:U RETURN\n-A %s\n' "$line" >"$tmp/eb"
	gives 2 xt2 convert "$tmp/eb" -o - --from save --to save --family eb
	grep -q "eb:3:\|eb:4: .*table" "$tmp/err" || bad "ebtables: $line: no place of the error"
done <<'END'
INPUT --ip-src 10.0.0.1 -j ACCEPT
INPUT -o eth0 -j ACCEPT
INPUT -p IPv4 -p IPv4 -j ACCEPT
INPUT -p 12 -j ACCEPT
INPUT -j RETURN extra
INPUT -j nowhere
INPUT -j FORWARD
INPUT -s 1:2:3 -j DROP
INPUT --limit 0/sec -j DROP
INPUT --among-src 00:11=10.0.0.1 -j DROP
INPUT --stp-type 1 -j DROP
INPUT -j mark --mark-set 1 --mark-target RETURN
INPUT --nosuch 1 -j DROP
INPUT ! -j DROP
NOSUCH -j DROP
END
printf '*filter\n:U RETURN\n-A INPUT -j U\n-A U -j U\n' >"$tmp/eb"
gives 2 xt2 convert "$tmp/eb" -o - --from save --to save --family eb

# people look into it
gives 0 xt2 dump "$tmp/first"
for word in 'table filter' 'policy INPUT, packets 3, bytes 4' 'jump A' 'tests -s 10.0.0.0/8' \
	'name tcp, revision 0, 0000ffff16001600' 'chain: 176 bytes'; do
	grep -q -- "$word" "$tmp/out" || bad "dump: no $word"
done
gives 0 xt2 dump --chain A "$tmp/first"
if grep -q 'hook INPUT' "$tmp/out"; then bad "dump: another chain"; fi
head -c 500 "$tmp/first" >"$tmp/cut"
gives 2 xt2 dump "$tmp/cut"
gives 2 xt2 dump --family 4 --width 64 "$tmp/cut"
grep -q 'jump A\|tests' "$tmp/out" || bad "dump: nothing of what is sound"
gives 2 xt2 dump --family 4 --width 64 /dev/null
gives 2 xt2 dump --family 4 --width 64 "$tmp/folder"
gives 0 sh -c "xt2 dump - <'$tmp/first'"
gives 0 xt2 dump --json "$tmp/first"
python3 -m json.tool "$tmp/out" >/dev/null || bad "dump: not JSON"
# Sets are known by name here and by number in the kernel: none is taken for another.
printf '*filter\n-A INPUT -m set --match-set some src -j DROP\nCOMMIT\n' >"$tmp/sets"
gives 3 xt2 convert "$tmp/sets" -o "$tmp/sets.bin" --from save --to replace --family 4
grep -q ipset "$tmp/err" || bad "the reason is not named"
[ ! -e "$tmp/sets.bin" ] || bad "a set got a number"
gives 0 xt2 convert "$tmp/sets" -o "$tmp/sets.json" --from save --to json --family 4

done_with
