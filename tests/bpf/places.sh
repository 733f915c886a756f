#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where live rulesets are pinned: what a command makes live stays live when the command and its
# mounts end, or it is refused; a second one in the same network namespace is refused and named; who
# only looks mounts nothing; without /proc or rights, the reason is said.
test=places needs="ping python3 unshare setpriv mount umount"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
bin=$(dirname "$xt2")
pin=$tmp/pin other=$tmp/other
# shellcheck disable=SC2317 # called in the end
also_clean() {
	"$xt2" detach --netns "$ns" --strays 2>/dev/null
	umount "$pin" 2>/dev/null
}
mkdir "$pin" "$other"
mount -t bpf bpf "$pin" || skip "no BPF file systems"
printf '*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n' >"$tmp/rules"
"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
"$xt2" detach --netns "$ns"
once() { inside ping -q -c 1 -W 0.3 127.0.0.1 >/dev/null; }
passes() {	# soon: the kernel takes links away a moment later
	for _ in 1 2 3 4 5 6 7 8 9 10; do once && return 0; done
	return 1
}
gives() {	# CODE COMMAND...
	want=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	[ $code = "$want" ] || wrong "$*: exit code $code, not $want: $(cat "$tmp/out" "$tmp/err")"
}
says() {	# TEXT: on standard error, of the command before
	grep -q -e "$1" "$tmp/err" || wrong "not \"$1\" but $(cat "$tmp/err")"
}
live() {	# WHAT: and take it away
	once && wrong "$1: nothing is live"
	"$xt2" status --netns "$ns" >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
	"$xt2" detach --netns "$ns" || wrong "$1: detach"
	passes || wrong "$1: something is live after xt2 detach"
}
# Mounts of their own, in which xt2's file system is not there yet; $spread is how mounts spread then.
hidden() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'umount -l /run/xt2-live 2>/dev/null; mount --make-r$spread /; exec "$@"' sh "$@"
}
# Where the mounts and the PID namespace end with the command.
container() {
	# shellcheck disable=SC2016 # for the inner shell
	inside unshare -p -f -m --mount-proc sh -c 'mount -t bpf bpf "$0" && "$@"; exit $?' "$other" "$@"
}

for spread in private shared slave; do
	export spread
	gives 0 hidden ip netns exec "$ns" "$xt2" apply "$tmp/rules"
	live "ip netns exec, $spread"
	gives 0 hidden "$xt2" apply --netns "$ns" "$tmp/rules"
	live "unshare -m, $spread"
	gives 0 hidden ip netns exec "$ns" unshare -m --propagation "$spread" "$xt2" apply "$tmp/rules"
	live "unshare -m in ip netns exec, $spread"
	gives 0 hidden ip netns exec "$ns" "$bin/xt2tables-restore" --live "$tmp/rules"
	live "restore, $spread"
	gives 0 hidden ip netns exec "$ns" "$xt2" apply --confirm 5m "$tmp/rules"
	"$xt2" status --netns "$ns" | grep -q '^confirm ' || wrong "no trial, $spread"
	gives 0 hidden ip netns exec "$ns" "$xt2" confirm
	gives 1 "$xt2" confirm --netns "$ns"
	gives 0 hidden ip netns exec "$ns" "$xt2" counters
	live "confirm, $spread"
	gives 0 hidden ip netns exec "$ns" "$xt2" apply --confirm 5m "$tmp/rules"
	gives 0 hidden ip netns exec "$ns" "$xt2" confirm --no
	passes || wrong "confirm --no, $spread"
	gives 1 "$xt2" status --netns "$ns"
done

# A file system that goes away with the command is refused, unless others have it as well.
# shellcheck disable=SC2016,SC2086 # for the inner shell; words
for how in "unshare -m" "unshare -m --propagation shared" "ip netns exec $ns"; do
	gives 3 inside unshare -m --propagation private $how \
		sh -c 'mount -t bpf bpf "$0" && "$@"' "$other" "$xt2" apply --pin "$other" "$tmp/rules"
	says 'for this command and its like only'
	says 'hint: leave --pin out'
	passes || wrong "$how: what was refused is live"
	gives 0 inside $how "$xt2" apply --pin "$pin" "$tmp/rules"
	once && wrong "$how: nothing is live in $pin"
	gives 0 "$xt2" detach --netns "$ns" --pin "$pin"
done
gives 2 "$xt2" apply --netns "$ns" --pin "$tmp" "$tmp/rules"
says 'not a BPF file system'

# Nothing is known to last where /proc does not show the machine.
gives 3 inside unshare -p -f -m --mount-proc "$xt2" apply "$tmp/rules"
says 'out of sight'
says 'hint: .*--pin'
gives 3 inside unshare -p -f -m --mount-proc "$bin/xt2tables-restore" --live "$tmp/rules"
gives 3 inside unshare -p -f -m --mount-proc "$xt2" status
gives 3 inside unshare -p -f -m --mount-proc "$xt2" apply --pin "$pin" "$tmp/rules"
says 'for this command and its like only'
gives 0 inside unshare -p -f "$xt2" apply "$tmp/rules"
live "unshare -p"
gives 0 container "$xt2" apply --pin "$other" "$tmp/rules"
says 'warning: what is live will end with this container'
passes || wrong "a container's ruleset lives on"

# Two at once: neither way round.
"$xt2" apply --netns "$ns" "$tmp/rules" || wrong "apply"
gives 4 "$xt2" apply --netns "$ns" --pin "$pin" "$tmp/rules"
says 'another ruleset of xt2 is live in this network namespace: link [0-9]* (program [0-9]*, xt2_filter) at INPUT of ipv4, priority 0, pinned in /run/xt2-live'
says 'hint: xt2 detach --pin DIR'
for i in "$pin"/net-*; do
	[ ! -e "$i" ] || wrong "something is left: $i"
done
gives 1 "$xt2" status --netns "$ns" --pin "$pin"
[ "$(grep -c '^stray link .*xt2_filter' "$tmp/out")" = 3 ] || wrong "no strays: $(cat "$tmp/out")"
gives 0 "$xt2" status --netns "$ns"
gives 1 "$xt2" detach --netns "$ns" --strays
says 'no strays'
"$xt2" detach --netns "$ns" || wrong "detach"
"$xt2" apply --netns "$ns" --pin "$pin" "$tmp/rules" || wrong "apply --pin"
for i in "$xt2 apply" "$bin/xt2tables-restore --live" "$xt2 apply --confirm 1m"; do
	# shellcheck disable=SC2086 # words
	gives 4 $i --netns "$ns" "$tmp/rules"
	says "priority 0, pinned in $pin"
done
gives 0 "$xt2" status --netns "$ns" --pin "$pin"
"$xt2" detach --netns "$ns" --pin "$pin" || wrong "detach --pin"
passes || wrong "two at once: something is left"

# Another network namespace is none of its business.
ip netns add "$ns-b" || skip "no second network namespace"
"$xt2" apply --netns "$ns-b" "$tmp/rules" || wrong "apply beside another network namespace"
gives 0 "$xt2" apply --netns "$ns" --pin "$pin" "$tmp/rules"
"$xt2" detach --netns "$ns-b"
ip netns del "$ns-b"
"$xt2" detach --netns "$ns" --pin "$pin"

# One in a container, whose mounts nobody else has, is found, and can be taken away.
mkfifo "$tmp/hold"
# shellcheck disable=SC2016 # for the inner shell
container sh -c '"$0" apply --pin "$1" "$2"; read -r _ <"$3"' "$xt2" "$other" "$tmp/rules" "$tmp/hold" 2>/dev/null &
exec 9>"$tmp/hold"
once && wrong "the container's ruleset is not live"
gives 1 "$xt2" status --netns "$ns"
grep -q "^stray link .* pinned in $other as process [0-9]* (.*) has it mounted" "$tmp/out" || wrong "$(cat "$tmp/out")"
says 'hint: xt2 detach --strays'
"$xt2" status --all >"$tmp/out" 2>&1
grep -q "^netns $ns inode [0-9]* stray link .* pinned in $other as process" "$tmp/out" || wrong "status --all: $(cat "$tmp/out")"
gives 4 "$xt2" apply --netns "$ns" "$tmp/rules"
says "pinned in $other as process"
gives 0 "$xt2" detach --netns "$ns" --strays
passes || wrong "a stray is left"
gives 0 "$xt2" apply --netns "$ns" "$tmp/rules"
exec 9>&-
wait
live "after a stray"

# The order of tables is that of the image, or it is refused.
gives 0 "$bin/xt2tables-restore" --image "$tmp/image" "$tmp/rules"
gives 0 "$xt2" apply --netns "$ns" "$tmp/image"
python3 -c 'import struct, sys
image = bytearray(open(sys.argv[1], "rb").read())
root, = struct.unpack_from("<Q", image, 16)
hooks, hook = struct.unpack_from("<II", image, root + 16)
for i in range(hooks):
    struct.pack_into("<i", image, hook + 24 * i + 4, int(sys.argv[2]))
open(sys.argv[3], "wb").write(image)' "$tmp/image" 60 "$tmp/moved"
gives 4 "$xt2" apply --netns "$ns" "$tmp/moved"
says 'filter-ipv4-INPUT is live at priority [0-9], and cannot be moved to 60'
says 'hint: xt2 detach'
gives 0 "$xt2" apply --netns "$ns" "$tmp/image"
live "what is in order"
gives 0 "$xt2" apply --netns "$ns" "$tmp/moved"
gives 4 "$xt2" apply --netns "$ns" "$tmp/image"
live "what was moved"

# Who only looks, or takes away, mounts nothing.
if strace -qq -o /dev/null true 2>/dev/null; then
	for i in status "status --all" counters "save --live" detach confirm "detach --dead" repair; do
		# shellcheck disable=SC2086 # words
		hidden strace -f -qq -o "$tmp/trace" -e trace=mount,mkdir,fsopen,move_mount ip netns exec \
			"$ns" "$xt2" $i >/dev/null 2>&1
		grep -q 'mkdir.*xt2-live\|mount("bpf"' "$tmp/trace" && wrong "xt2 $i: $(cat "$tmp/trace")"
	done
fi

# Without /proc, from which sanitizers have their options.
for i in status "apply $tmp/rules" detach; do
	[ -z "$SANITIZE_CFLAGS" ] || break
	# shellcheck disable=SC2086 # words
	gives 3 inside unshare -m sh -c 'umount -l /proc && "$@"' sh "$xt2" $i
	says '/proc/self/ns/net: No such file'
	says 'hint: .*mount -t proc'
done

# Without rights.
"$xt2" apply --netns "$ns" "$tmp/rules" || wrong "apply"
for i in "apply $tmp/rules" "apply --pin $pin $tmp/rules" status "status --all" detach "detach --dead" \
	"detach --strays" repair confirm counters "save --live" log "explain --live --hook INPUT"; do
	# shellcheck disable=SC2086 # words
	for how in "setpriv --bounding-set -all" "unshare -Ur"; do
		gives 3 inside $how "$xt2" $i
	done
done
for i in "restore $tmp/rules" save; do
	# shellcheck disable=SC2086 # words
	gives 3 inside setpriv --bounding-set -all "$bin/xt2tables-"$i --live
	says "live rulesets are root's"
done
live "without rights"
[ $failed = 0 ] && echo "what is made live lasts, alone"
exit $failed
