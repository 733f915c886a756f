#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Forty chains that each jump twice to the next make 2^40 ways: loaded, but not evaluated.
top_builddir=${top_builddir:-.}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
rules=$tmp/rules
fail=0

{
	echo '*filter'
	for i in $(seq 0 40); do echo ":c$i - [0:0]"; done
	echo '-A INPUT -j c0'
	for i in $(seq 0 39); do
		echo "-A c$i -j c$((i + 1))"
		echo "-A c$i -j c$((i + 1))"
	done
	echo COMMIT
} >"$rules"
"$top_builddir/xt2tables-restore" --image "$tmp/image" "$rules" || fail=1

refused() { # PROGRAM ARGUMENTS...
	program=$1
	shift
	timeout 60 "$top_builddir/$program" "$@" >"$tmp/out" 2>&1
	status=$?
	if [ $status != 4 ] || ! grep -q 'in too many ways: a packet may enter 2199023255552, 41 deep' "$tmp/out"; then
		echo "FAIL: $program $*: status $status, and:"
		head -n 5 "$tmp/out"
		fail=1
	fi
}

refused xt2 check "$rules"
refused xt2 check "$tmp/image"
if ! "$top_builddir/xt2" check --live /dev/null 2>&1 | grep -q 'not in this build'; then
	refused xt2 check --live "$rules"
	refused xt2 check --live "$tmp/image"
	refused xt2 apply --netns "xt2-none-$$" "$rules"
	refused xt2 apply --netns "xt2-none-$$" "$tmp/image"
	grep -q 'filter/INPUT: chains lead' "$tmp/out" || { cat "$tmp/out"; fail=1; }
	# Few enough, and in a chain that no packet reaches.
	sed -e '/^-A c1[0-9]/d' -e '/^-A c[23]/d' "$rules" >"$tmp/few"
	sed '/^-A INPUT/d' "$rules" >"$tmp/unreached"
	for i in few unreached; do
		"$top_builddir/xt2" check --live "$tmp/$i" >"$tmp/out" 2>&1 ||
			{ echo "FAIL: $i"; cat "$tmp/out"; fail=1; }
	done
fi
refused xt2 explain "$rules" --hook INPUT -s 192.0.2.1
refused xt2 replay --image "$tmp/image" --hook INPUT "$tmp/image"
exit $fail
