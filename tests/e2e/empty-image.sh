#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An image without a root is valid: every program takes it, and every packet passes.
top_srcdir=${top_srcdir:-.} top_builddir=${top_builddir:-.}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
img=$tmp/empty.xt2
fail=0

# magic, version 1, byte order, size 64, root 0
printf 'xxt2\001\000\002\001\100\000\000\000\000\000\000\000' >"$img"
head -c 48 /dev/zero >>"$img"

try() { # WANTED-OUTPUT PROGRAM ARGUMENTS...
	want=$1
	program=$2
	shift 2
	"$top_builddir/$program" "$@" >"$tmp/out" 2>&1
	status=$?
	if [ $status != 0 ] || ! grep -q -- "$want" "$tmp/out"; then
		echo "FAIL: $program $*: status $status, wanted '$want' in:"
		cat "$tmp/out"
		fail=1
	fi
}

try 'image: 64 bytes' xt2 dump "$img"
try '0 rules in 0 chains' xt2 check "$img"
try 'verdict: ACCEPT' xt2 explain "$img" --hook INPUT -s 192.0.2.1
try '"verdict":"ACCEPT"' xt2 explain "$img" --hook INPUT -s 192.0.2.1 --json
try ' 0 DROP' xt2 replay --image "$img" --hook INPUT "$top_srcdir/examples/server.pcap"
"$top_builddir/xt2tables-save" --image "$img" >"$tmp/out" 2>&1 || fail=1
[ -s "$tmp/out" ] && { echo "FAIL: rules saved out of nothing"; fail=1; }
echo '*filter
COMMIT' >"$tmp/rules"
"$top_builddir/xt2tables-restore" --image "$img" "$tmp/rules" || fail=1
try ':INPUT ACCEPT' xt2tables-save --image "$img"
exit $fail
