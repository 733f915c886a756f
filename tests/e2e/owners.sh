#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Chains belong to the owner for whom they were made: others do not change them, unless forced.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
XT2_IMAGE=$tmp/image
export XT2_IMAGE

# RULES: of chain mine, so many
has() {
	count=$((count + 1))
	[ "$(xt2tables -S mine | grep -c -e '-A')" = "$1" ] || bad "mine has other rules: $(xt2tables -S mine)"
}

# COMMAND...: refused, nothing changes, and the owner is told
refused() {
	kept=$(cksum <"$XT2_IMAGE")
	gives 6 "$@"
	grep -q 'chain mine of table filter belongs to me: nothing was changed' "$tmp/err" ||
		bad "$*: $(cat "$tmp/err")"
	grep -q 'hint: --owner me, if you are that, or --force' "$tmp/err" || bad "$*: no hint"
	[ "$kept" = "$(cksum <"$XT2_IMAGE")" ] || bad "$*: something has changed"
}

# all that changes the chain
theirs() {
	refused xt2tables -A mine -j ACCEPT
	refused xt2tables -I mine -j ACCEPT --owner you
	refused xt2tables -D mine 1
	refused xt2tables -R mine 1 -j ACCEPT
	refused xt2tables -F mine
	refused xt2tables -F
	refused xt2tables -E mine yours
	gives 0 xt2tables -Z mine
	gives 0 xt2tables -C mine -j DROP
}

gives 0 xt2tables -N free
gives 0 xt2tables -N mine --owner me
XT2_OWNER=me gives 0 xt2tables -A mine -j DROP
theirs
gives 0 xt2tables -A INPUT -j mine
gives 0 xt2tables -A free -j ACCEPT --owner you
gives 0 xt2tables -A mine -s 192.0.2.1 --owner you --force
has 2
gives 0 xt2tables -D mine 2 --owner me
has 1

# texts and transactions
printf '*filter\n-A mine -j ACCEPT\nCOMMIT\n' >"$tmp/more"
refused xt2tables-restore -n "$tmp/more"
printf '*filter\n-A INPUT -j ACCEPT\nCOMMIT\n' >"$tmp/whole"
refused xt2tables-restore "$tmp/whole"
gives 0 xt2tables-restore -n "$tmp/whole"
printf '%s\n' '-A free' '-A mine' | xt2 edit >"$tmp/out"
[ $? = 6 ] || bad "xt2 edit: exit code"
grep -q '^error 2: .*chain mine of table filter belongs to me: nothing was changed (hint: --owner me' \
	"$tmp/out" || bad "xt2 edit: $(cat "$tmp/out")"
printf '%s\n' '-A mine' COMMIT 'owner me' '-A mine' '-N second' COMMIT '-D mine 2' COMMIT |
	xt2 edit >"$tmp/out"
[ "$(cut -d ' ' -f 1 "$tmp/out" | tr '\n' ' ')" = 'error ok error ' ] || bad "owner in a line: $(cat "$tmp/out")"
gives 6 xt2tables -X second
gives 0 xt2tables -D mine 2 --owner me
printf '%s\n' '-A mine' '-D mine 2' | xt2 edit --force >/dev/null || bad "xt2 edit --force"
has 1

# whatever becomes of the file
i=0
while [ $i -lt 40 ]; do
	printf '%s\n' "-A free -s 192.0.2.$i" "-N n$i" COMMIT
	i=$((i + 1))
done | xt2 edit >/dev/null || bad "many edits"
xt2 history -n 40 | grep -q '  whole  ' || bad "the file was never written whole"
theirs
printf '*nat\n-A OUTPUT -j ACCEPT\nCOMMIT\n' | xt2tables-restore || bad "another table"
theirs
before=$(xt2 history -n 1 | cut -d ' ' -f 1)
gives 0 xt2tables -A mine --owner me
gives 0 xt2tables -A free
cp "$tmp/image" "$tmp/copy"
XT2_IMAGE=$tmp/copy theirs
chmod g+w "$tmp/image" # not its owner's alone: it is checked whole, and edits are not believed
gives 0 xt2tables -A free
theirs
chmod g-w "$tmp/image"
gives 0 xt2tables -A free
theirs
refused xt2 rollback "$before"
gives 0 xt2 rollback --owner me "$before"
has 1
theirs
gives 0 xt2tables -E mine other --owner me
gives 6 xt2tables -A other
gives 0 xt2tables -E other mine --owner me
theirs

# a text that has little in common with the ruleset
i=0
{
	printf '*filter\n:mine - [0:0]\n'
	while [ $i -lt 3000 ]; do
		echo "-A INPUT -s 198.51.$((i / 250)).$((i % 250)) -j DROP"
		i=$((i + 1))
	done
	printf '%s\n' '-A mine -j DROP' COMMIT
} >"$tmp/large"
refused xt2tables-restore "$tmp/large"
gives 0 xt2tables-restore --owner me "$tmp/large"
theirs
gives 0 xt2tables-restore --force "$tmp/whole"
gives 0 xt2tables -N mine --owner me
gives 0 xt2tables -A mine -j DROP --owner me
gives 0 xt2tables -N free
theirs

# many owners, one after the other
i=0
while [ $i -lt 300 ]; do
	printf '%s\n' "owner owner$i" "-N o$i" COMMIT
	[ $i -lt 3 ] || printf '%s\n' "owner owner$i" "-X o$i" COMMIT
	i=$((i + 1))
done | xt2 edit >"$tmp/out" || bad "many owners: $(grep error "$tmp/out" | head -n 3)"
theirs
gives 6 xt2tables -X o2
grep -q 'belongs to owner2' "$tmp/err" || bad "many owners: $(cat "$tmp/err")"
gives 0 xt2 check "$XT2_IMAGE"
i=0
while [ $i -lt 130 ]; do
	printf '%s\n' "owner all$i" "-N all$i" COMMIT
	i=$((i + 1))
done | xt2 edit >"$tmp/out"
grep -q '^error .*too many owners' "$tmp/out" || bad "too many owners: $(tail -n 1 "$tmp/out")"
gives 6 xt2tables -A mine
gives 0 xt2tables -A mine --owner me
done_with
