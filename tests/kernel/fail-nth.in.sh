# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In user-mode Linux with fault injection: each allocation of a SET_REPLACE and a SET_ADD_COUNTERS fails
# once, and the table is the old one or the new one; and of a transaction by netlink.
. "$HERE/lib.sh"
leaks=/sys/kernel/debug/kmemleak
for try in 1 2 3; do # what the kernel has lost before
	[ ! -e $leaks ] || echo scan >$leaks
	sleep 1
done
[ ! -e $leaks ] || echo clear >$leaks
load_tables
echo N >/sys/kernel/debug/failslab/ignore-gfp-wait
one='*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:a - [0:0]
[7:70] -A INPUT -p tcp -m tcp --dport 1 -m limit --limit 1/sec -m comment --comment one -j a
[0:0] -A a -m conntrack --ctstate NEW -j LOG
COMMIT'
two=$(echo "$one" | sed 's/dport 1 /dport 2 /; s/comment one/comment two/; s/-j LOG/-m hashlimit --hashlimit-upto 1\/sec --hashlimit-name n -j REJECT/')
saved() {
	iptables-legacy-save -c -t filter | grep -E '^\[' | sed 's/^\[[0-9:]*\]//'
}
echo "$two" | iptables-legacy-restore -c || fail "the second ruleset"
want_two=$(saved)
echo "$one" | iptables-legacy-restore -c || fail "the first ruleset"
want_one=$(saved)
nth=0
tolerated=0
while nth=$((nth + 1)); do
	rm -f /run/note
	if echo "$two" | FAIL_NTH=$nth FAIL_NOTE=/run/note LD_PRELOAD=$PRELOAD iptables-legacy-restore -c 2>/run/err; then
		[ "$(saved)" = "$want_two" ] || fail "allocation $nth: the new table is another one: $(saved)"
		[ ! -e /run/note ] || tolerated=$((tolerated + 1))
	else
		now=$(saved)
		[ "$now" = "$want_one" ] || [ "$now" = "$want_two" ] || fail "allocation $nth: the table is neither the old nor the new one: $now"
	fi
	[ -e /run/note ] || break
	echo "$one" | iptables-legacy-restore -c || fail "the first ruleset, after allocation $nth"
	[ "$nth" -lt 2000 ] || { fail "no end"; break; }
done
echo "$nth allocations, $tolerated of them may fail"
[ "$nth" -gt 20 ] || fail "hardly an allocation"
FAIL=1 IMAGES=50 python3 "$HERE/netlink.py" || fail "netlink.py"
iptables-legacy -F
iptables-legacy -X
sleep 2
check rmmod xt2
sleep 6 # objects are reported from the age of five seconds on
for try in 1 2 3; do
	[ ! -e $leaks ] || echo scan >$leaks
	sleep 1
done
# Names of modules that were loaded meanwhile are lost to the scan: modules' memory is none of its.
if grep 'comm "[^"]*"' $leaks | grep -v 'comm "modprobe"'; then
	cat $leaks
	fail "leaks ($try scans)"
fi
end
