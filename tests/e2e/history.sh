#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 history: each commit tells who made it, and whoever comes too late is told.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE
user=$(id -un)

# WORDS...: this is the newest line, without time and process; an edit may find that the file is
# mostly garbage by now, and write it whole
newest() {
	count=$((count + 1))
	xt2 history -n 1 >"$tmp/line" || bad "xt2 history: exit code $?"
	sed 's/  [0-9TZ:-]*  /  /; s/ (pid [0-9]*)//' "$tmp/line" >"$tmp/short"
	case $* in *"  edit  "*) sed -i 's/  whole  /  edit  /' "$tmp/short" ;; esac
	[ "$(cat "$tmp/short")" = "$*" ] || bad "$*: $(cat "$tmp/short")"
}

gives 2 xt2 history
gives 0 xt2tables -N one
newest "1  whole  $user: +1 chain"
gives 0 xt2tables -A one -s 192.0.2.1
newest "2  edit  $user: +1 rule"
gives 0 xt2tables -R one 1 -s 192.0.2.2
newest "3  edit  $user: +1 -1 rules"
gives 0 xt2tables -P INPUT DROP
newest "4  edit  $user: 1 policy"
printf '*filter\n-A one\n-A one\n-N two\nCOMMIT\n' | xt2tables-restore -n || bad "restore -n"
newest "5  edit  $user: +2 rules, +1 chain"
printf '%s\n' '-P INPUT ACCEPT' '-F one' '-X two' | xt2 edit >/dev/null || bad "edit"
newest "6  edit  $user: -3 rules, -1 chain, 1 policy"
gives 0 xt2tables -L
newest "6  edit  $user: -3 rules, -1 chain, 1 policy"

# a whole file takes the history over
printf '*filter\n-A INPUT -j ACCEPT\nCOMMIT\n' | xt2tables-restore || bad "restore"
newest "7  whole  $user: +1 rule, -1 chain"
[ "$(xt2 history | wc -l)" = 7 ] || bad "a restore has lost the history"
gives 0 xt2 check "$XT2_IMAGE"
i=0
while [ $i -lt 60 ]; do
	echo "-A INPUT -s 192.0.2.$i"
	echo COMMIT
	i=$((i + 1))
done | xt2 edit >/dev/null || bad "many edits"
[ "$(xt2 history | head -n 60 | cut -d ' ' -f 1 | uniq | wc -l)" = 60 ] || bad "60 edits: other lines"
xt2 history | head -n 60 | grep -q '  whole  ' || bad "the file was never written whole"
[ "$(xt2 history | head -n 1 | cut -d ' ' -f 1)" = 67 ] || bad "60 edits: other generations"

# for whom, and why
gives 0 xt2tables -A INPUT -j ACCEPT --owner me --reason 'port 22; "really"'
newest "68  edit  $user for me: +1 rule; port 22; \"really\""
XT2_OWNER=you xt2tables-restore -n --reason 'why not' <<END || bad "restore -n --reason"
*filter
-A INPUT -j ACCEPT
COMMIT
END
newest "69  edit  $user for you: +1 rule; why not"
printf '%s\n' '-A INPUT' COMMIT 'owner two' '-A INPUT' 'reason and a half' COMMIT '-A INPUT' COMMIT |
	XT2_OWNER=x xt2 edit --owner one --reason because >/dev/null || bad "edit --owner"
xt2 history -n 3 | sed 's/.* for //' >"$tmp/lines"
printf '%s\n' 'one: +1 rule; because' 'two: +1 rule; and a half' 'one: +1 rule; because' |
	cmp -s - "$tmp/lines" || bad "edit --owner: $(cat "$tmp/lines")"
XT2_OWNER='' gives 0 xt2tables -A INPUT
newest "73  edit  $user: +1 rule"
text=$(printf '%0255d' 7)
gives 0 xt2tables -A INPUT --reason "$text"
newest "74  edit  $user: +1 rule; $text"
gives 2 xt2tables -A INPUT --reason "0$text"
gives 2 xt2tables -A INPUT --owner ''
gives 2 xt2tables -A INPUT --owner 12345678901234567890123456789012
printf 'owner \n-A INPUT\n' | xt2 edit >"$tmp/out" && bad "no owner"
grep -q '^error 1: owner needs 1 to 31 bytes' "$tmp/out" || bad "no owner: $(cat "$tmp/out")"
printf 'reason %s\n-A INPUT\n' "0$text" | xt2 edit >"$tmp/out" && bad "a long reason"
grep -q '^error 1: reason needs 1 to 255 bytes' "$tmp/out" || bad "a long reason: $(cat "$tmp/out")"
gives 0 xt2tables -A INPUT --reason "$(printf 'a\033[31m\nforged')"
xt2 history -n 1 | grep -q 'a\\x1b\[31m\\nforged$' || bad "a reason commands the terminal"
[ "$(xt2 history --json -n 1 | python3 -c 'import json; print(ascii(json.loads(input())["reason"]))')" = \
	"'a\\x1b[31m\\nforged'" ] || bad "a reason in JSON: $(xt2 history --json -n 1)"

# what changed, and back
gives 0 xt2tables -F INPUT
gives 0 xt2tables -A INPUT -s 192.0.2.1 -c 7 77
gives 0 xt2tables -A INPUT -s 192.0.2.2
before=$(xt2 history -n 1 | cut -d ' ' -f 1)
gives 0 xt2tables -D INPUT 2
gives 0 xt2tables -N new
gives 0 xt2tables -A INPUT -j new
gives 0 xt2tables -Z INPUT
printf '%s\n' "--- generation $before" "+++ generation $((before + 4))" '  family ipv4' '  *filter' '+ -N new' \
	'- -D INPUT -s 192.0.2.2/32' '+ -A INPUT -j new' >"$tmp/wanted"
gives 1 xt2 diff "$before"
cmp -s "$tmp/wanted" "$tmp/out" || bad "diff: $(cat "$tmp/out")"
gives 0 xt2 diff "$before" "$before"
[ ! -s "$tmp/out" ] || bad "no difference: $(cat "$tmp/out")"
gives 5 xt2 rollback --if-generation 2 "$before"
gives 0 xt2 rollback --owner me "$before"
grep -qx "generation $((before + 5))" "$tmp/out" || bad "rollback: $(cat "$tmp/out")"
xt2 history -n 1 | grep -q "rollback  $user (pid [0-9]*) for me: +1 -1 rules, -1 chain; back to generation $before\$" ||
	bad "rollback: $(xt2 history -n 1)"
gives 0 xt2 diff "$before"
xt2tables-save -c | grep -qx '\[0:0\] -A INPUT -s 192.0.2.1/32' || bad "a rule that stays was counted anew"
gives 0 xt2 rollback "$((before + 5))"
xt2 history -n 1 | grep -q "^$((before + 5)) " || bad "a rollback to what is there"
gives 2 xt2 rollback 1000

# JSON
xt2 history --json | grep -A 1 "\"generation\":66," >"$tmp/json" || bad "--json: exit code $?"
python3 -c '
import json, os, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert [x["generation"] for x in lines] == [66, 65], lines
assert lines[0]["kind"] == "edit" and lines[0]["uid"] == os.getuid(), lines
assert lines[0]["rules_new"] == 1 and lines[0]["chains_gone"] == 0, lines
' "$tmp/json" || bad "--json: $(cat "$tmp/json")"

# whoever comes too late
gives 5 xt2tables --if-generation 7 -F
grep -q "generation [0-9]* is there, not 7: nothing was changed; it was made by $user (pid [0-9]*).* at 20" \
	"$tmp/err" || bad "a conflict: $(cat "$tmp/err")"
printf 'if-generation 7\n-F\n' | xt2 edit >"$tmp/out"
grep -q "^error 1: generation [0-9]* is there, not 7: it was made by $user (pid [0-9]*).* at 20" "$tmp/out" ||
	bad "a conflict of xt2 edit: $(cat "$tmp/out")"

# images without a history, and what is no image
python3 -c '
import struct, sys
image = bytearray(open(sys.argv[1], "rb").read())
edits = struct.unpack_from("<Q", image, 16)[0] + 60 # of the root: doc/format.md
image[edits:edits + 4] = bytes(4)
open(sys.argv[2], "wb").write(image)
' "$XT2_IMAGE" "$tmp/plain.xt2"
gives 1 xt2 history --image "$tmp/plain.xt2"
gives 2 xt2 history --image "$tmp/json"
gives 2 xt2 history --image "$tmp"
gives 2 xt2 history -n 0
gives 2 xt2 history -n many
gives 2 xt2 history more
gives 2 xt2 history --live --image "$tmp/image"
gives 2 xt2 history --netns x
done_with
