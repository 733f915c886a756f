#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel that lacks something, and a root who is none: what is missing is
# said by name, nothing is left behind, and everything else works.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
[ "$(id -u)" = 0 ] || { echo "SKIP: only root loads BPF programs"; exit 77; }
for i in ip unshare setpriv; do
	command -v $i >/dev/null || { echo "SKIP: no $i"; exit 77; }
done
old=$build/tests/lib/.libs/old-kernel.so
[ -e "$old" ] || { bad "no $old"; exit 1; }
ns=xt2-refused-$$
# shellcheck disable=SC2317 # called by trap
clean() {
	xt2 detach --netns "$ns" 2>/dev/null
	ip netns del "$ns" 2>/dev/null
	rm -rf "$tmp"
}
trap clean EXIT
ip netns add "$ns" || { echo "SKIP: no network namespaces"; exit 77; }
printf '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p icmp\nCOMMIT\n' >"$tmp/rules"
xt2 apply --netns "$ns" "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || { echo "SKIP: $(cat "$tmp/err")"; exit 77; }
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
xt2 detach --netns "$ns"

# STATUS MESSAGE COMMAND...
says() {
	message=$2
	statuses=$1
	shift 2
	gives "$statuses" "$@"
	grep -q -e "$message" "$tmp/err" || bad "$*: $(cat "$tmp/err")"
}
# WHAT STATUS MESSAGE: of a kernel without it
without() {
	preload="env OLD_KERNEL=$1 LD_PRELOAD=$old"
	status_=$2
	message_=$3
	set -f
	# shellcheck disable=SC2086 # words
	{
		says "$status_" "$message_" $preload xt2 apply --netns "$ns" "$tmp/rules"
		says "$status_" "$message_" $preload xt2tables-restore --live --netns "$ns" "$tmp/rules"
		gives 0 $preload xt2 explain "$tmp/rules" --hook INPUT -p icmp
		gives 0 $preload xt2tables-restore --image "$tmp/image" "$tmp/rules"
	}
	set +f
	says 1 'no live ruleset' xt2 status --netns "$ns"
}
if ldd "$build/xt2" | grep -q asan || nm "$build/xt2" 2>/dev/null | grep -q __asan_init; then
	echo "with AddressSanitizer nothing can be loaded before it: no old kernels"
else
	without bpf 3 'the kernel has no BPF (CONFIG_BPF_SYSCALL)'
	without netfilter 3 'the kernel has no BPF netfilter programs (Linux 6.4, CONFIG_NETFILTER_BPF_LINK)'
	without arenas 3 'the kernel has no BPF arenas (Linux 6.9)'
	without programs 3 'they need Linux 6.10 or newer'
	without memory 4 'no memory for BPF programs'
	printf '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p icmp -j REJECT\nCOMMIT\n' >"$tmp/rules"
	without companions 3 'cannot have nf_tables carry out REJECT at INPUT of ipv4: No such file or directory'
	without companions 3 'CONFIG_NFT_COMPAT'
	[ -z "$(ip netns exec "$ns" nft list ruleset)" ] || bad "something is left in nf_tables"
	printf '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p icmp\nCOMMIT\n' >"$tmp/rules"
fi
says 3 'no description of its types in /sys/kernel/btf/vmlinux' ip netns exec "$ns" unshare -m sh -c \
	"mount -t tmpfs none /sys/kernel/btf && exec xt2 apply $tmp/rules"

# Root of a container.
for i in "unshare -Urn" "unshare -Urnm" "setpriv --bounding-set -all"; do
	# shellcheck disable=SC2086 # words
	says "3 4" "live rulesets are root's\|cannot mount a BPF file system" $i xt2 apply "$tmp/rules"
done

# What goes wrong later leaves what is live.
xt2 apply --netns "$ns" "$tmp/rules" || bad "apply"
printf '*raw\n-A PREROUTING -p udp\nCOMMIT\n' >"$tmp/more"
if [ -e "$old" ] && ! nm "$build/xt2" 2>/dev/null | grep -q __asan_init; then
	says 3 'the kernel has no BPF netfilter programs' env OLD_KERNEL=netfilter LD_PRELOAD="$old" \
		xt2tables-restore --live --netns "$ns" "$tmp/more"
fi
gives 0 xt2 counters --netns "$ns"
grep -q 'raw' "$tmp/out" && bad "a part of what was refused is live"
grep -q 'filter INPUT 1' "$tmp/out" || bad "what was live is gone"
done_with
