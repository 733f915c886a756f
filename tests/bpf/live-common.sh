# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of live rulesets share.  Before it is read:
#
#	test=NAME needs="COMMAND..."
#
# Afterwards $ns is a network namespace of the test's own with lo up, $tmp a folder, and both go in the
# end, after also_clean() if the test has one; wrong() notes a failure in $failed; live() is a command of xt2 for
# what is live there.
skip() { echo "SKIP: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root loads BPF programs"
for i in ip $needs; do
	command -v "$i" >/dev/null || skip "no $i"
done
xt2=$(realpath "${top_builddir:-.}/xt2")
tmp=$(mktemp -d) || exit 99
ns=xt2-$test-$$
failed=0
also_clean() { :; }
# shellcheck disable=SC2317 # called by trap
clean() {
	also_clean
	"$xt2" detach --forget --netns "$ns" 2>/dev/null
	ip netns del "$ns" 2>/dev/null
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' INT TERM
ip netns add "$ns" || skip "no network namespaces"
ip -n "$ns" link set lo up
inside() { ip netns exec "$ns" "$@"; }
live() {	# COMMAND ARGUMENTS...
	command=$1
	shift
	"$xt2" "$command" --netns "$ns" "$@"
}
faults() { live status 2>/dev/null | sed -n 's/^faults //p'; }
# shellcheck source=tests/bpf/folder.sh
. "${top_srcdir:-.}/tests/bpf/folder.sh"
wrong() { echo "WRONG: $*"; failed=1; }
