#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that is too old for live rulesets (Linux before 6.10) refuses them in words and has nothing
# of them; all else works.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
printf '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p icmp -j DROP\nCOMMIT\n' >"$tmp/rules"
try xt2 apply "$tmp/rules"
if [ "$status" = 0 ]; then
	xt2 detach
	echo "SKIP: $(uname -r) can have live rulesets"
	exit 77
fi
[ "$status" = 3 ] || bad "apply: exit code $status: $(cat "$tmp/err")"
grep -q 'the kernel has no BPF .*(Linux 6\.\|they need Linux 6.10 or newer\|the kernel has no BPF arenas' "$tmp/err" ||
	bad "apply: $(cat "$tmp/err")"
try xt2tables --live -A INPUT -j DROP
[ "$status" != 0 ] || bad "xt2tables --live does something"
try xt2 status
[ "$status" = 1 ] || bad "status: exit code $status: $(cat "$tmp/err")"
[ -z "$(ls -A /run/xt2-live 2>/dev/null)" ] || bad "something is left: $(ls -R /run/xt2-live)"
for command in "check --live $tmp/rules" "explain $tmp/rules --hook INPUT -p icmp" "digest $tmp/rules"; do
	# shellcheck disable=SC2086 # words
	try xt2 $command
	[ "$status" = 0 ] || bad "$command: exit code $status: $(cat "$tmp/err")"
done
try xt2tables-restore --image "$tmp/image" "$tmp/rules"
[ "$status" = 0 ] || bad "restore: $(cat "$tmp/err")"
try xt2tables --image "$tmp/image" -I INPUT -p udp -j ACCEPT
[ "$status" = 0 ] || bad "an edit: $(cat "$tmp/err")"
xt2 save "$tmp/image" | grep -q -e '-A INPUT -p udp -j ACCEPT' || bad "the edit is not there"
exit $failed
