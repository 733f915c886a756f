#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file is loaded as a whole or not at all, whatever tables and families are
# in the image; all its errors are said in one run, and the last line is the
# one that iptables-restore would end with.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
image=$tmp/image
cat >"$tmp/old" <<'EOF'
*filter
:INPUT DROP [5:6]
:KEEP - [0:0]
[7:8] -A KEEP -j ACCEPT
COMMIT
*nat
-A POSTROUTING -o eth0 -j MASQUERADE
COMMIT
EOF
printf '*filter\n-A INPUT -s fd00::1 -j DROP\nCOMMIT\n' >"$tmp/six"
xt2tables-restore -c --image "$image" "$tmp/old" || exit 99
xt2ip6tables-restore --image "$image" "$tmp/six" || exit 99
cp "$image" "$tmp/kept"

# the mistakes are in lines 3, 8 and 9; tables before and between are good
cat >"$tmp/new" <<'EOF'
*mangle
-A PREROUTING -j MARK --set-mark 1
-A PREROUTING -j NOWHERE
COMMIT
*filter
:INPUT ACCEPT [0:0]
-A INPUT -p tcp --dport 22 -j ACCEPT
-A INPUT -p tcp --dport 99999 -j ACCEPT
-A INPUT -s 300.1.1.1 -j ACCEPT
COMMIT
*raw
-A PREROUTING -j NOTRACK
COMMIT
EOF
gives 2 xt2tables-restore --image "$image" "$tmp/new"
cmp -s "$image" "$tmp/kept" || bad "a part of a bad file was loaded"
for line in 3 8 9; do
	grep -q "new:$line:[0-9]*: error\[E_" "$tmp/err" || bad "the error of line $line is not said"
done
[ "$(grep -c 'error\[' "$tmp/err")" = 3 ] || bad "not three errors"
[ "$(tail -n 1 "$tmp/err")" = "iptables-restore: line 3 failed" ] || bad "the last line"
gives 2 xt2ip6tables-restore --image "$image" "$tmp/new"
[ "$(tail -n 1 "$tmp/err")" = "ip6tables-restore: line 3 failed" ] || bad "the last line of IPv6"
gives "1 2" xt2arptables-restore --image "$image" "$tmp/new"
cmp -s "$image" "$tmp/kept" || bad "a part of a bad file was loaded, by another family"

# without COMMIT nothing of the last table, nor of those before it
grep -v NOWHERE "$tmp/new" | grep -v 99999 | grep -v 300.1 | sed '$d' >"$tmp/open"
gives "1 2" xt2tables-restore --image "$image" "$tmp/open"
cmp -s "$image" "$tmp/kept" || bad "a file without its last COMMIT was loaded"

# -t checks and stores nothing; then the same file is loaded
echo COMMIT >>"$tmp/open"
gives 0 xt2tables-restore -t --image "$image" "$tmp/open"
cmp -s "$image" "$tmp/kept" || bad "-t has stored"
gives 0 xt2tables-restore --image "$image" "$tmp/open"
for table in mangle filter raw nat; do
	rules_of "$image" | grep -q "^\*$table" || bad "table $table is gone"
done
rules_of "$image" | grep -q MASQUERADE || bad "a table that the file has not was emptied"
rules_of "$image" | grep -q KEEP && bad "a table that the file has was not emptied"
xt2ip6tables-save --image "$image" | grep -q fd00::1 || bad "the other family's rules are gone"

# -T takes one table of the file
gives 0 xt2tables-restore -c -T filter --image "$image" "$tmp/old"
[ "$(rules_of "$image" | grep -c KEEP)" = 2 ] || bad "-T filter"
rules_of "$image" | grep -q 'INPUT DROP \[5:6\]' || bad "counters of a policy"
done_with
