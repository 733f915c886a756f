#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Rulesets come and go, and namespaces end while theirs are in force: no pin, no program, map or link in the
# kernel, no table of nf_tables and no memory is left of them.
#   no-leaks.sh [CYCLES [NAMESPACES]]
# The kernel's memory is looked at in the long run only (1000 200): other tests use it as well.
test=no-leaks needs="bpftool nft python3 sysctl"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
if [ -n "$XT2_SHORT" ]; then few=5 several=3; else few=25 several=12; fi
cycles=${1:-$few}
spaces=${2:-$several}
# shellcheck disable=SC2317 # called by clean
also_clean() {
	for i in $(seq "$spaces"); do
		[ ! -e "/run/netns/$ns-$i" ] || ip netns del "$ns-$i"
	done
}

cat >"$tmp/rules" <<EOF
*mangle
-A PREROUTING -p udp -m udp --dport 7 -j MARK --set-mark 7
COMMIT
*nat
-A OUTPUT -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 8080
COMMIT
*filter
:INPUT ACCEPT [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -m addrtype --dst-type LOCAL
-A INPUT -p tcp -m conntrack --ctstate NEW -m tcp --dport 22 -j ACCEPT
-A INPUT -m hashlimit --hashlimit-upto 1/hour --hashlimit-mode srcip --hashlimit-name few -j ACCEPT
-A INPUT -j REJECT
COMMIT
EOF

# NETNS: adds what the kernel has for its ruleset to $tmp/objects
note_objects() {
	folder=$(folder_of "$1")
	[ -d "$folder" ] || { wrong "no folder of $1"; return; }
	for pin in "$folder"/*; do
		for kind in prog map link; do
			id=$(bpftool "$kind" show pinned "$pin" 2>/dev/null | sed -n 's/^\([0-9]*\): .*/\1/p')
			[ -z "$id" ] || echo "$kind $id" >>"$tmp/objects"
		done
	done
	echo "folder $folder" >>"$tmp/objects"
}

# What is left of it.  The kernel frees maps and programs after a grace period.
left() {
	sort -u "$tmp/objects" | while read -r kind id; do
		if [ "$kind" = folder ]; then
			[ ! -e "$id" ] || echo "$id"
		elif bpftool "$kind" show id "$id" >/dev/null 2>&1; then
			echo "$kind $id"
		fi
	done
}

none_left() {	# WHEN [COMMAND...]: the kernel takes its time to end a namespace, and its rulesets are swept after that
	when=$1
	shift
	for _ in $(seq 100); do
		"$@"
		[ -n "$(left)" ] || return 0
		sleep 0.1
	done
	wrong "after $when there are still: $(left | tr '\n' ',')"
}

# => KiB of the kernel's own memory
kernel_memory() {
	sync
	sysctl -qw vm.drop_caches=3
	sleep 3
	awk '/^(SUnreclaim|VmallocUsed|Percpu|KernelStack|PageTables):/ { n += $2 } END { print n }' /proc/meminfo
}

same_memory() {	# BEFORE WHAT NUMBER: at most a page for each
	for _ in $(seq 40); do # workers that the kernel has begun, a thousand, end when they were idle for five minutes
		now=$(kernel_memory)
		[ $((now - $1)) -ge $((4 * $3)) ] || break
		sleep 12
	done
	echo "$2: the kernel's memory went from $1 to $now KiB"
	[ $((now - $1)) -lt $((4 * $3)) ] || wrong "$2: $((now - $1)) KiB more"
}

"$xt2" apply --netns "$ns" "$tmp/rules" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }

# The same namespace, again and again.
: >"$tmp/objects"
[ "$cycles" -lt 1000 ] || before=$(kernel_memory)
for i in $(seq "$cycles"); do
	"$xt2" apply --netns "$ns" "$tmp/rules" || wrong "apply $i"
	[ $((i % 16)) != 1 ] || note_objects "$ns"
	"$xt2" detach --netns "$ns" || wrong "detach $i"
done
[ "$(grep -c '^link' "$tmp/objects")" -ge 3 ] || wrong "few links seen: $(cat "$tmp/objects")"
none_left "$cycles apply and detach" :
[ -z "$(inside nft list tables)" ] || wrong "tables are left: $(inside nft list tables)"
[ "$cycles" -lt 1000 ] || same_memory "$before" "$cycles apply and detach" "$cycles"

# Many at once.  Half of them are detached; the others end with a ruleset, which the next command anywhere sweeps.
: >"$tmp/objects"
[ "$spaces" -lt 200 ] || before=$(kernel_memory)
for i in $(seq "$spaces"); do
	ip netns add "$ns-$i" || wrong "no namespace $i"
	"$xt2" apply --netns "$ns-$i" "$tmp/rules" || wrong "apply in namespace $i"
	note_objects "$ns-$i"
done
[ "$spaces" -lt 200 ] || echo "$spaces namespaces take $(($(kernel_memory) - before)) KiB"
for i in $(seq "$spaces"); do
	"$xt2" status --netns "$ns-$i" >"$tmp/status" || wrong "status of namespace $i"
	grep -qx 'faults 0' "$tmp/status" || wrong "namespace $i: $(cat "$tmp/status")"
	[ $((i % 2)) = 0 ] || "$xt2" detach --netns "$ns-$i" || wrong "detach in namespace $i"
	ip netns del "$ns-$i"
done
# shellcheck disable=SC2317 # called by none_left
apply_and_detach() {
	"$xt2" apply --netns "$ns" "$tmp/rules" || wrong "apply after all"
	"$xt2" detach --netns "$ns" || wrong "detach after all"
}
none_left "$spaces namespaces" apply_and_detach
[ "$spaces" -lt 200 ] || same_memory "$before" "$spaces namespaces" "$spaces"
[ $failed = 0 ] && echo "$cycles times, and $spaces namespaces"
exit $failed
