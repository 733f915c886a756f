#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --if-generation: a change takes place only in the generation that its caller has read.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE

# STATUS COMMAND...: exit code
exits() {
	count=$((count + 1))
	wanted=$1
	shift
	"$@" </dev/null >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = "$wanted" ] || {
		bad "$*: exit code $status, not $wanted"
		cat "$tmp/err"
	}
}

# GENERATION: what the refusal says is there
told() {
	count=$((count + 1))
	grep -q "generation $1 is there" "$tmp/err" || {
		bad "generation $1 is not named"
		cat "$tmp/err"
	}
}

exits 5 xt2tables --if-generation 7 -N one
told 0
[ ! -s "$tmp/image" ] || bad "a conflict has made an image"
exits 0 xt2tables --if-generation 0 -N one

# two callers that have read generation 1: the first one wins
exits 0 xt2tables --if-generation 1 -A one -j ACCEPT
exits 5 xt2tables --if-generation 1 -A one -j DROP
told 2
exits 1 xt2tables -C one -j DROP
exits 0 xt2tables --if-generation 2 -L one

# whole or in part, and a test
printf '*filter\n-A one -j DROP\nCOMMIT\n' >"$tmp/more"
exits 5 xt2tables-restore --if-generation 1 -n "$tmp/more"
told 2
exits 5 xt2tables-restore --if-generation 1 "$tmp/more"
exits 5 xt2tables-restore --if-generation 3 -n -t "$tmp/more"
exits 1 xt2tables -C one -j DROP
exits 0 xt2tables-restore --if-generation 2 -n "$tmp/more"
exits 0 xt2tables --if-generation 3 -C one -j DROP

# a line of xt2 edit, for its transaction alone
printf 'if-generation 3\n-N two\nCOMMIT\nif-generation 3\n-N three\nCOMMIT\n-N four\nCOMMIT\n' |
	xt2 edit >"$tmp/answers"
status=$?
[ "$status" = 5 ] || bad "xt2 edit: exit code $status"
sed -i 's/: it was made by .*//' "$tmp/answers"
printf 'ok 4\nerror 4: generation 4 is there, not 3\nok 5\n' | diff - "$tmp/answers" ||
	bad "xt2 edit: answers"
exits 1 xt2tables -L three
exits 0 xt2tables -L four

for wrong in '' x -1 1x ' 1' 18446744073709551616; do
	exits 2 xt2tables --if-generation "$wrong" -A one -j DROP
done
done_with
