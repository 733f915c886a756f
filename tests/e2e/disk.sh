#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A disk that is full, a folder that may not be written or is not there: a
# message, exit code 4, the old image whole, and nothing left behind.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"

# A mount of its own, for root.
if [ -z "${XT2_OWN_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
	rm -rf "$tmp"
	XT2_OWN_MOUNTS=1 exec unshare -m sh "$0"
fi
{
	printf '*filter\n:OLD - [0:0]\nCOMMIT\n'
} >"$tmp/old"
{
	printf '*filter\n'
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "-A INPUT -s 10.1." int(i / 256) "." i % 256 }'
	printf 'COMMIT\n'
} >"$tmp/large"

# FOLDER: a restore there failed with $status and must have left no trace
same() {
	cmp -s "$tmp/kept" "$1/image" || bad "$2: the old image has changed"
	ls -A "$1" >"$tmp/now"
	cmp -s "$tmp/names" "$tmp/now" || bad "$2: it has left $(cat "$tmp/now")"
	xt2tables-save --image "$1/image" | grep -q :OLD || bad "$2: the old image cannot be read"
}

prepare() {
	xt2tables-restore --image "$1/image" "$tmp/old" || exit 99
	cp "$1/image" "$tmp/kept"
	ls -A "$1" >"$tmp/names"
}

mkdir "$tmp/full"
if [ -n "${XT2_OWN_MOUNTS:-}" ] && mount -t tmpfs -o size=256k none "$tmp/full" 2>/dev/null; then
	trap 'umount "$tmp/full"; rm -rf "$tmp"' EXIT
	prepare "$tmp/full"
	gives 4 xt2tables-restore --image "$tmp/full/image" "$tmp/large"
	grep -q 'No space left' "$tmp/err" || bad "a full disk: no message"
	same "$tmp/full" "a full disk"
	# outputs of replay
	head -c 200k /dev/zero >"$tmp/full/rest" 2>/dev/null
	dd if=/dev/zero of="$tmp/full/more" bs=4k count=64 2>/dev/null
	find "$tmp/full" -type f ! -name 'image*' | sort >"$tmp/others"
	for option in --verdicts --accepted --counters; do
		gives 4 xt2 replay -r "$top/examples/server.rules" -H OUTPUT $option "$tmp/full/out" \
			"$top/examples/server.pcap"
		grep -q 'No space left' "$tmp/err" || bad "$option on a full disk: no message"
	done
	xt2tables-restore --image "$tmp/image" "$tmp/large" || exit 99
	gives 4 xt2tables-save --image "$tmp/image" -f "$tmp/full/out"
	grep -q 'No space left' "$tmp/err" || bad "save to a full disk: no message"
	find "$tmp/full" -type f ! -name 'image*' | sort | cmp -s - "$tmp/others" ||
		bad "left on a full disk: $(ls -A "$tmp/full")"
	# much that is printed: the error comes in the middle of it
	for command in "xt2tables-save --image" "xt2 save" "xt2 dump" "xt2 counters"; do
		count=$((count + 1))
		# shellcheck disable=SC2086 # a list of words
		$command "$tmp/image" >"$tmp/full/more" 2>"$tmp/err"
		[ $? = 4 ] || bad "$command: exit code on a full disk"
		grep -q 'standard output: .*No space left' "$tmp/err" || bad "$command: $(cat "$tmp/err")"
	done
	gives 4 xt2 convert "$tmp/large" -o "$tmp/full/out" --from save --to replace --family 4
	grep -q 'No space left' "$tmp/err" || bad "convert on a full disk: no message"
	umount "$tmp/full"
	trap 'rm -rf "$tmp"' EXIT
fi

# a limit on the size of files
mkdir "$tmp/limited"
prepare "$tmp/limited"
gives 4 sh -c "trap '' XFSZ; ulimit -f 64; exec xt2tables-restore --image '$tmp/limited/image' '$tmp/large'"
grep -qi 'too large' "$tmp/err" || bad "a limit: no message"
same "$tmp/limited" "a limit"

# a folder that may not be written
mkdir "$tmp/closed"
prepare "$tmp/closed"
chmod 755 "$tmp" "$tmp/closed"
chmod 644 "$tmp/large" "$tmp/closed/image"
chmod 600 "$tmp/closed/image.lock"
chmod 555 "$tmp/closed"
user=
[ "$(id -u)" != 0 ] || user="setpriv --reuid=65534 --regid=65534 --clear-groups"
# shellcheck disable=SC2086
if $user test -x "$build/xt2tables-restore"; then
	# shellcheck disable=SC2086 # a list of words
	gives 4 $user xt2tables-restore --image "$tmp/closed/image" "$tmp/large"
	grep -q 'Permission denied' "$tmp/err" || bad "a closed folder: no message"
	same "$tmp/closed" "a closed folder"
fi
chmod 755 "$tmp/closed"

# a folder that is not there, or is none
gives 4 xt2tables-restore --image "$tmp/nosuch/image" "$tmp/large"
grep -q 'No such file' "$tmp/err" || bad "a missing folder: no message"
gives 4 xt2tables-restore --image "$tmp/large/image" "$tmp/large"
grep -q 'Not a directory' "$tmp/err" || bad "a file as a folder: no message"
done_with
