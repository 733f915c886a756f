#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Live rulesets of network namespaces that are deleted: they are listed, and swept when nobody can
# enter the namespace any more, but never as long as a process, a mount, an open file or a socket
# may still use it.  Namespaces and the BPF file system for the pins are the test's own.
test=dead needs="flock mount ping python3 umount unshare"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
many=40
pin=$tmp/pin
# shellcheck disable=SC2317 # called in the end
also_clean() {
	for i in $(seq "$many") a b; do ip netns del "$ns-$i"; done 2>/dev/null
	umount "$pin"
}
mkdir "$pin"
mount -t bpf bpf "$pin" || skip "no BPF file systems"
printf '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A INPUT -p icmp\nCOMMIT\n' >"$tmp/rules"
"$xt2" apply --netns "$ns" --pin "$pin" "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
grep -qa __asan_init "$xt2" && many=8

within() {	# SECONDS COMMAND: until it is true
	seconds=$1
	shift
	for _ in $(seq "$((seconds * 5))"); do
		"$@" && return 0
		sleep 0.2
	done
	return 1
}
all() { "$xt2" status --all --pin "$pin"; }
count() { all | grep -c " $1 "; }	# STATE
is() { all | grep -q "inode $1 $2 "; }	# INODE STATE
gone() { ! all | grep -q "inode $1 "; }	# INODE
folders() {	# => how many
	set -- "$pin"/net-*
	echo $#
}
fresh() {	# NAME: a network namespace with a live ruleset; its inode is $inode
	ip netns add "$1" || wrong "no network namespace $1"
	"$xt2" apply --netns "$1" --pin "$pin" "$tmp/rules" || wrong "apply in $1"
	inode=$(stat -L -c %i "/run/netns/$1")
}
sweep() { "$xt2" detach --dead --pin "$pin" || wrong "detach --dead"; }
held() {	# WHAT: the deleted namespace $inode is used by it, so it stays
	within 10 is "$inode" alive || wrong "$1: not alive: $(all)"
	sweep
	"$xt2" apply --netns "$ns" --pin "$pin" "$tmp/rules" || wrong "apply beside $1"
	is "$inode" alive || wrong "$1: swept: $(all)"
}
let_go() {	# WHAT: and now it is not
	within 30 is "$inode" dead || wrong "$1, ended: not dead: $(all)"
	sweep
	gone "$inode" || wrong "$1, ended: not swept: $(all)"
}

# The own one: its name, and that it lives.
own=$(stat -L -c %i "/run/netns/$ns")
all | grep -qx "netns $ns inode $own alive rules 4 memory [0-9]* since 20[0-9T:-]*" || wrong "$(all)"

# Many, each with an interface whose other end is elsewhere.
before=$(ip -n "$ns" -o link | wc -l)
for i in $(seq "$many"); do
	fresh "$ns-$i"
	ip -n "$ns" link add "v$i" type veth peer name eth0 netns "$ns-$i"
	ip -n "$ns-$i" link set eth0 up
done
[ "$(count alive)" = $((many + 1)) ] || wrong "not $many alive: $(all)"
for i in $(seq "$many"); do ip netns del "$ns-$i"; done
# shellcheck disable=SC2317 # called by within
all_dead() { [ "$(count dead)" = "$many" ]; }
within 30 all_dead || wrong "not $many dead: $(all)"
[ "$(ip -n "$ns" -o link | wc -l)" = $((before + many)) ] || wrong "interfaces are gone before the sweep"
sweep
[ "$(folders)" = 1 ] || wrong "left: $(ls "$pin")"
# shellcheck disable=SC2317 # called by within
no_veth() { [ "$(ip -n "$ns" -o link | wc -l)" = "$before" ]; }
within 30 no_veth || wrong "interfaces are left: $(ip -n "$ns" -o link)"
is "$own" alive || wrong "the living one was swept"
"$xt2" counters --netns "$ns" --pin "$pin" | grep -q 'INPUT 1 ' || wrong "the living one has no rules"

# The next apply sweeps as well, and so does xt2tables-restore.
for i in "$xt2 apply" "$(dirname "$xt2")/xt2tables-restore --live"; do
	fresh "$ns-a"
	ip netns del "$ns-a"
	within 30 is "$inode" dead || wrong "not dead: $(all)"
	$i --netns "$ns" --pin "$pin" "$tmp/rules" || wrong "$i"
	gone "$inode" || wrong "$i did not sweep: $(all)"
done

# A process in it.
fresh "$ns-a"
ip netns exec "$ns-a" sleep 600 &
user=$!
within 10 test /proc/$user/ns/net -ef "/run/netns/$ns-a" || wrong "no process in $ns-a"
ip netns del "$ns-a"
held "a process"
all | grep -q "^netns - inode $inode " || wrong "a name of what has none: $(all)"
kill $user
wait $user 2>/dev/null
let_go "a process"

# A process of another PID namespace.
fresh "$ns-a"
mkfifo "$tmp/hold"
# shellcheck disable=SC2016 # for the inner shell
ip netns exec "$ns-a" unshare -p -f -m --mount-proc sh -c 'read -r _ <"$0"' "$tmp/hold" &
exec 9>"$tmp/hold"
ip netns del "$ns-a"
held "a process in a container"
exec 9>&-
wait $!
let_go "a process in a container"

# A mount that nobody sees from here.
fresh "$ns-a"
: >"$tmp/mount"
# shellcheck disable=SC2016 # for the inner shell
unshare -m sh -c 'mount --bind "$0" "$1"; umount -l "$0"; read -r _ <"$2"' "/run/netns/$ns-a" "$tmp/mount" "$tmp/hold" &
exec 9>"$tmp/hold"
ip netns del "$ns-a"
held "a mount"
exec 9>&-
wait $!
let_go "a mount"

# An open file.
fresh "$ns-a"
exec 8<"/run/netns/$ns-a"
ip netns del "$ns-a"
held "an open file"
exec 8<&-
let_go "an open file"

# A socket, of a process that has left.
fresh "$ns-a"
python3 -c 'import ctypes, os, socket, sys
home, away = (os.open(f, os.O_RDONLY) for f in ("/proc/self/ns/net", sys.argv[1]))
libc = ctypes.CDLL(None)
assert not libc.setns(away, 0)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
assert not libc.setns(home, 0)
os.close(away)
open(sys.argv[2]).read()' "/run/netns/$ns-a" "$tmp/hold" &
exec 9>"$tmp/hold"
ip netns del "$ns-a"
held "a socket"
exec 9>&-
wait $!
let_go "a socket"

# Somebody at work in the folder.
fresh "$ns-a"
ip netns del "$ns-a"
within 30 is "$inode" dead || wrong "not dead: $(all)"
for folder in "$pin/net-$inode-"*; do :; done
exec 9<"$folder"
flock -n 9 || wrong "no lock"
sweep
is "$inode" dead || wrong "swept under a lock"
exec 9<&-
let_go "a lock"

# Without hooks: a living one stays, with its rules; a dead one goes.
fresh "$ns-a"
for folder in "$pin/net-$inode-"*; do :; done
rm "$folder"/filter-*
sweep
is "$inode" alive || wrong "swept without hooks: $(all)"
"$xt2" repair --netns "$ns-a" --pin "$pin" || wrong "repair"
rm "$folder"/filter-*
ip netns del "$ns-a"
let_go "hooks"

# Of an earlier namespace that had the same inode; and what is not known stays.
mkdir "$pin/net-$own-18446744073709551615" "$pin/net-$own" "$pin/net-1-2-3"
all | grep -qx "netns - inode $own dead rules - memory - since -" || wrong "$(all)"
"$xt2" status --netns "$ns" --pin "$pin" >/dev/null || wrong "status beside an older one"
fresh "$ns-a"
for folder in "$pin/net-$inode-"*; do :; done
mv "$folder" "$pin/net-$inode-18446744073709551614"
is "$inode" unsure || wrong "not unsure: $(all)"
sweep
[ ! -e "$pin/net-$own-18446744073709551615" ] || wrong "an older one is left"
if [ ! -e "$pin/net-$own" ] || [ ! -e "$pin/net-1-2-3" ]; then wrong "what is none was swept"; fi
is "$inode" unsure || wrong "unsure, but swept: $(all)"
mv "$pin/net-$inode-18446744073709551614" "$folder"
is "$inode" alive || wrong "not alive: $(all)"

"$xt2" status --all --netns "$ns" 2>/dev/null
[ $? = 2 ] || wrong "--all of one"
"$xt2" detach --netns "$ns" --pin "$pin" || wrong "detach"
[ $failed = 0 ] && echo "$many dead ones and others swept, living ones not"
exit $failed
