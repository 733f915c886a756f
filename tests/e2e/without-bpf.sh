#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where there are no live rulesets, whoever asks for one is told why, and
# everything else works: in a build without BPF, for users who are not root,
# where configure does not find what BPF takes.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
cp "$top/examples/server.rules" "$top/examples/server.pcap" "$tmp" || exit 99
printf '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p icmp\nCOMMIT\n' >"$tmp/live.rules"
chmod 755 "$tmp"
cd "$tmp" || exit 99

# STATUS MESSAGE PREFIX...: what is about live rulesets, by the programs in $tmp
refused() {
	expected=$1
	message=$2
	shift 2
	for i in "xt2 apply live.rules" "xt2 status" "xt2 detach" "xt2 repair" "xt2 doctor" "xt2 confirm" "xt2 log" "xt2 counters" \
		"xt2 counters --live --top 3" "xt2 counters --watch 1" "xt2 save --live -c" \
		"xt2 explain --live --hook INPUT -p udp" "xt2 dump --live" "xt2 digest --live" "xt2 run --live true" \
		${check:+"$check"} "xt2tables-restore --live live.rules" "xt2ip6tables-restore --live -n live.rules" \
		"xt2tables-restore --live -t live.rules" "xt2tables-save --live" \
		"xt2ip6tables-save --live -c"; do
		# shellcheck disable=SC2086 # words
		gives "$expected" "$@" "$tmp"/$i
		grep -q -e "$message" "$tmp/err" || bad "$i: $(cat "$tmp/err")"
		[ ! -s "$tmp/out" ] || bad "$i: $(cat "$tmp/out")"
	done
}

# PREFIX...: what is not, by the programs in $tmp, in a folder of the user's
others() {
	rm -rf "${tmp:?}/home"
	mkdir -m 777 "$tmp/home"
	for i in "xt2tables-restore -c --image home/image server.rules" "xt2tables-save -c --image home/image" \
		"xt2 counters --top 3 home/image" "xt2 counters server.rules" "xt2 save -c home/image" \
		"xt2 explain home/image --hook INPUT -p tcp --dport 80" "xt2 dump home/image" \
		"xt2 digest server.rules home/image" "xt2 check home/image" "xt2 --help" \
		"xt2 replay --image home/image --hook INPUT -i eth0 --ctstate NEW server.pcap"; do
		# shellcheck disable=SC2086 # words
		gives 0 "$@" "$tmp"/$i
	done
}

# A build without BPF.
cp "$build/tests/lib/xt2-without-bpf" "$tmp/xt2" || exit 99
for i in xt2tables-restore xt2ip6tables-restore xt2tables-save xt2ip6tables-save; do
	cp "$build/tests/lib/restore-without-bpf" "$tmp/$i" || exit 99
done
check="xt2 check --live live.rules" # needs no root, but a build that knows
refused 3 'E_UNSUPPORTED.: live rulesets are not in this build: .*configure'
check=
others

# A user who is not root.
cp "$build/xt2" "$tmp/xt2" || exit 99
for i in xt2tables-restore xt2ip6tables-restore xt2tables-save xt2ip6tables-save; do
	cp "$build/xt2tables-restore" "$tmp/$i" || exit 99
done
if [ "$(id -u)" != 0 ]; then
	as="env"
elif command -v setpriv >/dev/null; then
	as="setpriv --reuid 65534 --regid 65534 --clear-groups"
else
	as=
	echo "SKIP: no setpriv"
fi
if [ -n "$as" ]; then
	# shellcheck disable=SC2086 # words
	{
		refused "3 4" "live rulesets are \(root's\|not in this build\)" $as
		others $as
		"$tmp/xt2" check --live live.rules 2>&1 | grep -q 'not in this build' ||
			gives 0 $as "$tmp/xt2" check --live live.rules
	}
fi

# What is missing is said when it is configured, and by the programs.
mkdir "$tmp/build"
cd "$tmp/build" || exit 99
BPF_CLANG=/bin/false
export BPF_CLANG
set -- "$top/configure" -q -C --with-vmlinux-btf=/nonexistent/btf "CC=${CC:-cc}"
missing="clang 19, .*the kernel's types in /nonexistent/btf"
gives 0 "$@"
grep -q "no live rulesets: they need .*$missing" "$tmp/err" || bad "configure: $(cat "$tmp/err")"
grep -q "XT2_BPF_MISSING \"configure did not find .*$missing" config.h || bad "$(grep XT2_BPF config.h)"
gives 1 "$@" --with-bpf
grep -q "live rulesets need .*$missing" "$tmp/err" || bad "configure --with-bpf: $(cat "$tmp/err")"
cd "$tmp" || exit 99
done_with
