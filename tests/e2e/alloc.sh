#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every allocation of every program fails once: no crash; the exit code says
# so, or the answer is the right one; the image is the old one or the new one.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
shim=$build/tests/lib/.libs/fail-preload.so
[ -e "$shim" ] || { bad "no $shim"; exit 1; }
if ldd "$build/xt2" | grep -q asan || nm "$build/xt2" 2>/dev/null | grep -q __asan_init; then
	echo "with AddressSanitizer malloc() is not ours to replace: nothing done"
	exit 0
fi
most=300	# failures tried for each program
[ -z "${XT2_SHORT:-}" ] || most=30
cat >"$tmp/rules" <<'EOF'
*filter
:INPUT DROP [1:2]
:C - [0:0]
-A INPUT -s 10.0.0.1,10.0.0.2 -p tcp -m tcp --dport 22 -m comment --comment "a b" -j C
-A INPUT -m limit --limit 3/min -j LOG --log-prefix "x "
-A C -m string --string abc --algo bm -j REJECT
COMMIT
*mangle
-A PREROUTING -m set --match-set s src -j MARK --set-mark 1
COMMIT
EOF
printf '*filter\n:OLD - [0:0]\n-A OLD -s 1.2.3.4 -j DROP\nCOMMIT\n' >"$tmp/old"
xt2tables-restore --image "$tmp/old.xt2" "$tmp/old" || exit 99
cp "$tmp/old.xt2" "$tmp/image"
xt2tables-restore -n --image "$tmp/image" "$tmp/rules" || exit 99
rules_of "$tmp/image" >"$tmp/new.rules"
rules_of "$tmp/old.xt2" >"$tmp/old.rules"

# HOW N PROGRAM ARGUMENTS...
run() {
	how=$1 n=$2
	shift 2
	count=$((count + 1))
	env "$how=$n" LD_PRELOAD="$shim" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	case $status in
	0 | 1 | 2 | 4) ;;
	3) # a plugin that cannot be loaded
		case "$*" in "xt2 convert"*) ;; *) bad "$how=$n $*: exit code 3" ;; esac
		;;
	*)
		bad "$how=$n $*: exit code $status"
		cat "$tmp/err"
		;;
	esac
	# check and replace say what is wrong on standard output
	[ "$status" = 0 ] || [ -s "$tmp/err" ] || grep -q 'error\[\|^ENOMEM: ' "$tmp/out" || bad "$how=$n $*: exit code $status, and no message"
}

# CHECK PROGRAM ARGUMENTS...: CHECK is called after each failure
each() {
	check=$1
	shift
	cp "$tmp/old.xt2" "$tmp/image"
	FAIL_ALLOC_COUNT=$tmp/n LD_PRELOAD=$shim "$@" >"$tmp/want" 2>/dev/null </dev/null
	total=$(cat "$tmp/n")
	step=$(((total + most - 1) / most))
	n=1
	while [ $n -le "$total" ]; do
		cp "$tmp/old.xt2" "$tmp/image"
		run FAIL_ALLOC_AT "$n" "$@"
		$check
		if [ $((n % 7)) = 0 ]; then
			cp "$tmp/old.xt2" "$tmp/image"
			run FAIL_ALLOC_FROM "$n" "$@"
			$check
		fi
		n=$((n + step))
	done
	echo "$1: $total allocations"
}

# shellcheck disable=SC2317 # called by each
stored() {
	if [ "$status" = 0 ]; then
		rules_of "$tmp/image" | cmp -s - "$tmp/new.rules" || bad "n=$n: stored, but something else"
	else
		cmp -s "$tmp/image" "$tmp/old.xt2" || bad "n=$n: the image has changed"
	fi
}

# shellcheck disable=SC2317
answered() {
	grep -av '^#' "$tmp/want" >"$tmp/w"
	grep -av '^#' "$tmp/out" >"$tmp/o"
	[ "$status" != 0 ] || cmp -s "$tmp/w" "$tmp/o" || bad "n=$n: another answer: $(diff "$tmp/w" "$tmp/o")"
	cmp -s "$tmp/image" "$tmp/old.xt2" || bad "n=$n: the image has changed"
}

head -c 4000 "$top/examples/server.pcap" >"$tmp/pcap" # ends within a packet
python3 - "$top/examples/server.pcap" "$tmp/pcap" <<'EOF' || cp "$top/examples/server.pcap" "$tmp/pcap"
import struct, sys
b = open(sys.argv[1], "rb").read()
at = 24
for _ in range(20):
    at += 16 + struct.unpack_from("<I", b, at + 8)[0]
open(sys.argv[2], "wb").write(b[:at])
EOF
grep -v match-set "$tmp/rules" >"$tmp/known" # a finding of check would be exit code 3
each stored xt2tables-restore -n --image "$tmp/image" "$tmp/rules"
each answered xt2tables-save -c --image "$tmp/image"
cp "$tmp/new.rules" "$tmp/restored.rules"
cp "$tmp/old.xt2" "$tmp/image"
set -- xt2tables --image "$tmp/image" -I OLD -s 10.0.0.1,10.0.0.2 -m comment --comment "a b" -j LOG
"$@" || exit 99
rules_of "$tmp/image" >"$tmp/new.rules"
each stored "$@"
cp "$tmp/restored.rules" "$tmp/new.rules"
cp "$tmp/old.xt2" "$tmp/image"
each answered xt2tables -v -S --image "$tmp/image"
each answered xt2tables -nvL --image "$tmp/image"
each answered xt2 check "$tmp/known"
printf '*filter\n-A INPUT -s 1.2.3.4 -j DROP\nCOMMIT\n' >"$tmp/live"
if ! xt2 check --live "$tmp/live" 2>&1 | grep -q 'not in this build'; then
	each answered xt2 check --live "$tmp/live"
fi
each answered xt2 explain "$tmp/known" -H INPUT -s 10.0.0.1 -p tcp --dport 22 -t filter
each answered xt2 replay -q -r "$tmp/known" -H INPUT -t filter --counters - "$tmp/pcap"
each answered xt2 dump "$tmp/image"
each answered xt2 digest "$tmp/known" "$tmp/image"
each answered xt2 convert "$tmp/known" -o - --from save --to json --family 4
xt2 convert "$tmp/known" -o "$tmp/json" --from save --to json --family 4
each answered xt2 convert "$tmp/json" -o - --from json --to json --family 4
xt2 convert "$tmp/known" -o "$tmp/blob" --from save --to replace --family 4 -t filter
printf '*filter\n:U DROP\n-A INPUT -p IPv4 --ip-src 10.0.0.1 --limit 3/hour -j U\n' >"$tmp/eb"
each answered xt2 convert "$tmp/known" -o - --from save --to replace --family 4 -t filter
each answered xt2 convert "$tmp/blob" -o - --from replace --to save --family 4
each answered xt2 convert "$tmp/eb" -o - --from save --to save --family eb
each answered xt2 replace --family 4 --width 64 "$tmp/blob"
each answered xt2 dump "$tmp/blob"
done_with
