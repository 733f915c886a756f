# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the tests of xt2 run share: $image, shim() that runs a command on it, and a
# bound.  A call that the supervisor never answers hangs its program for ever, in
# the background as well, so a script runs in a process group of its own, which
# is ended after XT2_SHIM_SECONDS.  Signals are passed on; a job in the background
# would ignore two of them, which the tests send.
if [ -z "$XT2_SHIM_BOUNDED" ]; then
	XT2_SHIM_BOUNDED=yes
	export XT2_SHIM_BOUNDED
	seconds=${XT2_SHIM_SECONDS:-600}
	timeout -k 10 "$seconds" env --default-signal=INT,QUIT "$0" "$@" &
	bounded=$!
	trap 'kill "$bounded"' HUP INT TERM
	wait $bounded
	status=$?
	trap - HUP INT TERM
	case $status in
	124 | 137) # ended by SIGTERM, or by SIGKILL ten seconds later
		echo "FAIL: no end after $seconds seconds: a call of the shim hangs"
		exit 1
		;;
	esac
	exit $status
fi
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
PATH=$PATH:/usr/sbin:/sbin
chmod 711 "$tmp"
image=$tmp/image
# Other users need not be able to come here.
mkdir -p "$tmp/bin/.libs" && cp "$build/xt2" "$tmp/bin/" &&
	cp "$build/.libs/libxt2-shim.so" "$build/.libs/libxt2-retry.so" "$build"/.libs/libxt2.so.? \
		"$tmp/bin/.libs/" || exit 99
PATH=$tmp/bin:$PATH

for tool in iptables ip6tables arptables ebtables; do
	command -v $tool-legacy >/dev/null || { echo "SKIP: no $tool-legacy"; exit 77; }
done
# A program before the command's own; "" or words.
as=''
shim() {
	# shellcheck disable=SC2086 # words
	$as xt2 run --image "$image" -- "$@"
}

can_supervise() {
	! xt2 run -v --image "$tmp/none" -- true 2>&1 | grep -q 'no supervisor'
}

# Another user; fails if there can be none.
UNPRIVILEGED="setpriv --reuid 65534 --regid 65534 --clear-groups"
can_be_other() {
	[ "$(id -u)" = 0 ] && $UNPRIVILEGED true 2>/dev/null
}

# The kernel's own tables, as a witness: in a network namespace that goes away.
can_ask_kernel() {
	unshare -n iptables-legacy -t filter -S >/dev/null 2>&1
}

# Saved text without what differs from run to run.
plain() {
	grep -v '^#'
}

# COMMAND...: until it succeeds, 20 seconds at most
await() {
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 400 ] || {
			bad "waited in vain: $*"
			return 1
		}
		sleep 0.05
	done
}
