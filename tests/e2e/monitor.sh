#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 monitor: a line for each commit, also when the file is another one, or is not there yet.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE

# GENERATION: until the monitor of $tmp/lines has told of it, 10 seconds at most
wait_for() {
	i=0
	while ! grep -q "^$1 " "$tmp/lines"; do
		i=$((i + 1))
		[ $i -lt 1000 ] || {
			bad "generation $1 is not told: $(cat "$tmp/lines")"
			return
		}
		sleep 0.01
	done
}

# PID: until the process sleeps in poll(), so that it watches
wait_poll() {
	i=0
	while ! grep -q poll "/proc/$1/wchan" 2>/dev/null && [ $i -lt 50 ]; do
		i=$((i + 1))
		sleep 0.02
	done
}

xt2 monitor >"$tmp/lines" 2>&1 &
monitor=$!
wait_poll $monitor
gives 0 xt2tables -N one # there was no image
wait_for 1
gives 0 xt2tables -A one --reason appended
wait_for 2
printf '*filter\n-A INPUT -j ACCEPT\nCOMMIT\n' | xt2tables-restore || bad "restore"
wait_for 3
gives 0 xt2 rollback 2
wait_for 4
grep -q '^2  .*  edit  .*; appended$' "$tmp/lines" || bad "a reason: $(cat "$tmp/lines")"
grep -q '^4  .*  rollback  ' "$tmp/lines" || bad "a rollback: $(cat "$tmp/lines")"
i=0
while [ $i -lt 50 ]; do
	echo "-A one -s 192.0.2.$i"
	echo COMMIT
	i=$((i + 1))
done | xt2 edit >/dev/null || bad "many edits"
wait_for 54
# an older file in its place is told of once
cp "$tmp/image.old-1" "$tmp/older"
mv "$tmp/older" "$tmp/image"
wait_for 2
gives 0 xt2tables -A one --reason 'after that'
i=0
while ! grep -q 'after that' "$tmp/lines" && [ $i -lt 1000 ]; do
	i=$((i + 1))
	sleep 0.01
done
kill $monitor # a shell lets its children ignore SIGINT
wait $monitor 2>/dev/null
[ $? = 143 ] || bad "a signal did not end it"
cut -d ' ' -f 1 "$tmp/lines" >"$tmp/numbers"
{
	seq 1 54
	echo 2
	echo 3
} | cmp -s - "$tmp/numbers" || bad "other commits: $(tr '\n' ' ' <"$tmp/numbers")"

# it ends after so many, by JSON, and when nobody reads
xt2 monitor --json -n 2 >"$tmp/json" &
monitor=$!
wait_poll $monitor
gives 0 xt2tables -A one
gives 0 xt2tables -A one
gives 0 xt2tables -A one
wait $monitor || bad "-n 2: exit code $?"
python3 -c '
import json, sys
assert [json.loads(x)["generation"] for x in open(sys.argv[1])] == [4, 5]
' "$tmp/json" || bad "--json: $(cat "$tmp/json")"
mkfifo "$tmp/pipe"
xt2 monitor >"$tmp/pipe" &
monitor=$!
exec 7<"$tmp/pipe"
wait_poll $monitor
gives 0 xt2tables -A one
read -r number rest <&7
[ "$number" = 7 ] || bad "through a pipe: $number $rest"
exec 7<&-
wait $monitor 2>/dev/null
[ $? -le 141 ] || bad "nobody reads: it did not end"
gives 2 xt2 monitor --image "$tmp/nosuch/image"
gives 2 xt2 monitor -n x
gives 2 xt2 monitor more
gives 2 xt2 monitor --live --image "$tmp/image"
done_with
