#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The binary formats against the running kernel: legacy.sh [SEED [RULESETS [BLOBS]]]
#
# In a network namespace of its own.  RULESETS random rulesets are loaded by
# the kernel's tools, and the kernel's bytes, of both widths, have to come out
# of the translators, from either width.  BLOBS captured blobs of each format
# are changed at random and offered to the kernel and to the translators, which
# have to answer alike.  XT2_PROP=full does much more of both.
top_srcdir=${top_srcdir:-.} top_builddir=${top_builddir:-.}
seed=${1:-1}
case ${XT2_PROP:-short} in
full) rulesets=${2:-300} blobs=${3:-300000} ;;
*) rulesets=${2:-10} blobs=${3:-3000} ;;
esac
if [ -z "$XT2_LEGACY_INSIDE" ]; then
	command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
	# in a user namespace the kernel refuses users that are not mapped: -m owner
	[ "$(id -u)" = 0 ] || { echo "SKIP: not root"; exit 77; }
	unshare -n true 2>/dev/null || { echo "SKIP: no network namespaces here"; exit 77; }
	XT2_LEGACY_INSIDE=1 exec unshare -n "$0" "$@"
fi
kernel=$top_builddir/tests/prop/legacy-kernel
vectors=$top_srcdir/tests/legacy/vectors
PATH=$PATH:/usr/sbin:/sbin
XTABLES_LOCKFILE=$(mktemp) && export XTABLES_LOCKFILE || exit 1
rules=$(mktemp) || exit 1
trap 'rm -f "$XTABLES_LOCKFILE" "$rules"' EXIT
failed=0

# load FAMILY RESTORE: random rulesets, until one comes out changed
load() {
	command -v "$2" >/dev/null || { echo "SKIP: no $2"; return; }
	loaded=0 n=0
	while [ $n -lt "$rulesets" ]; do
		python3 -B "$top_srcdir/tests/prop/rules.py" --seed $((seed + n)) "-$1" >"$rules" || exit 1
		n=$((n + 1))
		# What this kernel has not got is left to counters.sh.
		"$2" <"$rules" 2>/dev/null || continue
		loaded=$((loaded + 1))
		"$kernel" tables >"$rules.out" && continue
		cat "$rules.out"
		echo "FAIL: again: tests/prop/legacy.sh $((seed + n - 1)) 1 0"
		failed=1
	done
	rm -f "$rules.out"
	echo "IPv$1: $loaded of $n rulesets loaded"
}

load 4 iptables-legacy-restore
load 6 ip6tables-legacy-restore
[ "$blobs" = 0 ] || for format in ipt64 ipt32 ip6t64 ip6t32 arpt64 arpt32; do
	"$kernel" mutate $format "$seed" "$blobs" "$vectors/tables.vec" "$vectors/rules.vec" \
		"$vectors/defects.vec"
	case $? in 0 | 77) ;; *) failed=1 ;; esac
done
exit $failed
