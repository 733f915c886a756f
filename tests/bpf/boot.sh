#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What xt2 apply --persist keeps is live again after a boot: by the command of xt2-restore.service, with mounts
# of its own, and by netfilter-persistent with the plugin; stopping either flushes nothing.  The old file
# stays if the new one cannot be written.  And iptables' names for what is live.
test=boot needs="iptables-legacy-restore iptables-nft-save unshare"
# shellcheck source=tests/bpf/live-common.sh
. "${top_srcdir:-.}/tests/bpf/live-common.sh"
build=$(dirname "$xt2")
hosts=$(realpath "${top_srcdir:-.}/tests/bpf/hosts")
second=$ns-2
# shellcheck disable=SC2317
also_clean() {
	umount "$tmp/small" 2>/dev/null
	"$xt2" detach --forget --netns "$second" 2>/dev/null
	ip netns del "$second" 2>/dev/null
}
XT2_PERSIST=$tmp/live.xt2
export XT2_PERSIST
boot() {	# a namespace in which nothing is live
	"$xt2" detach --forget --netns "$second" 2>/dev/null
	ip netns del "$second" 2>/dev/null
	ip netns add "$second" && ip -n "$second" link set lo up
}
after() { ip netns exec "$second" "$@"; }
rules() {	# NETNS FAMILY
	"$xt2" save --live "$2" --netns "$1" 2>&1 | grep -v '^#'
}
same() {	# WORDS
	for f in -4 -6; do
		rules "$ns" $f >"$tmp/before"
		rules "$second" $f >"$tmp/after"
		cmp -s "$tmp/before" "$tmp/after" || wrong "$1: $(diff "$tmp/before" "$tmp/after" | head -n 5)"
	done
	"$xt2" status --netns "$second" >"$tmp/out" 2>&1 || wrong "$1: $(cat "$tmp/out")"
}

"$xt2" apply --netns "$ns" --persist -4 "$hosts/docker.v4" -6 "$hosts/ufw.v6" 2>"$tmp/err"
code=$?
[ $code != 3 ] || skip "$(cat "$tmp/err")"
[ $code = 0 ] || { cat "$tmp/err"; exit 1; }
[ "$(stat -c %a "$XT2_PERSIST")" = 600 ] || wrong "the mode of the file"
[ "$(find "$tmp" -name '*live.xt2*' | wc -l)" = 1 ] || wrong "files are left: $(ls -A "$tmp")"

# --- the unit's own command lines -------------------------------------------------
unit=$build/xt2tables/boot/xt2-restore.service
line() {	# KEY -> its command, with this build's programs and file
	sed -n "s/^$1=//p" "$unit" | sed "s,[^ ]*/xt2 ,$xt2 ,; s,/var/lib/xt2/live.xt2,$XT2_PERSIST,"
}
boot
start=$(line ExecStart)
[ -n "$start" ] || wrong "no ExecStart"
after unshare -m --propagation private sh -c "$start" || wrong "ExecStart"
same ExecStart
reload=$(line ExecReload)
after unshare -m --propagation private sh -c "$reload" || wrong "ExecReload"
same ExecReload
grep -q '^ExecStop' "$unit" && wrong "stopping flushes"
grep -q '^Before=.*network-pre.target' "$unit" || wrong "it is not before the network"
if command -v systemd-analyze >/dev/null; then
	mkdir "$tmp/units"
	sed "s,[^ =]*/xt2 ,$xt2 ," "$unit" >"$tmp/units/xt2-restore.service"
	systemd-analyze verify --man=no "$tmp/units/xt2-restore.service" >"$tmp/out" 2>&1 ||
		wrong "the unit: $(cat "$tmp/out")"
	grep xt2-restore "$tmp/out" && wrong "the unit: $(cat "$tmp/out")"
else
	echo "SKIP: no systemd-analyze"
fi

# The same rules were loaded before, by another service: they are taken over.
boot
after iptables-legacy-restore "$hosts/docker.v4"
after sh -c "$start" >"$tmp/out" || wrong "ExecStart after iptables-restore"
grep -q 'taken over: table filter of ipv4 in iptables-legacy' "$tmp/out" || wrong "$(cat "$tmp/out")"
same "ExecStart after iptables-restore"

# Rules without state, read back from the kernel.
echo '*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A INPUT -s 192.0.2.1 -j DROP
COMMIT' >"$tmp/plain"
"$xt2" detach --netns "$ns"
"$xt2" apply --netns "$ns" --persist "$tmp/plain" || wrong "rules without state"
rm "$XT2_PERSIST"
"$xt2" save --live --netns "$ns" --persist || wrong "rules without state are not kept"
boot
after sh -c "$start" || wrong "rules without state"
rules "$second" -4 | grep -qx -- '-A INPUT -s 192.0.2.1/32 -j DROP' || wrong "rules without state: $(rules "$second" -4)"
"$xt2" apply --netns "$ns" --persist -4 "$hosts/docker.v4" -6 "$hosts/ufw.v6" || wrong "the first ruleset"

# --- netfilter-persistent -------------------------------------------------------------
plugins=/usr/share/netfilter-persistent/plugins.d
if command -v netfilter-persistent >/dev/null && [ -d $plugins ]; then
	mkdir "$tmp/plugins"
	sed "s,^xt2=.*,xt2=$xt2," "$build/xt2tables/boot/netfilter-persistent" >"$tmp/plugins/35-xt2"
	chmod +x "$tmp/plugins/35-xt2"
	persistent() {	# WHAT
		after unshare -m sh -c "mount --bind $tmp/plugins $plugins && netfilter-persistent $1" \
			>"$tmp/out" 2>&1 || wrong "netfilter-persistent $1: $(cat "$tmp/out")"
	}
	boot
	persistent start
	same "netfilter-persistent start"
	persistent restart
	same "netfilter-persistent restart"
	persistent stop
	same "netfilter-persistent stop"
	persistent flush
	"$xt2" status --netns "$second" >/dev/null 2>&1 && wrong "netfilter-persistent flush"
	persistent flush
	cp "$XT2_PERSIST" "$tmp/kept"
	persistent save # of nothing
	cmp -s "$XT2_PERSIST" "$tmp/kept" || wrong "saving nothing has changed the file"
	persistent start
	"$build/links/xt2tables" --live --netns "$second" -A INPUT -s 192.0.2.77 -j DROP || wrong "an edit"
	rules "$second" -4 >"$tmp/edited"
	persistent save
	boot
	persistent start
	rules "$second" -4 | cmp -s - "$tmp/edited" || wrong "what was saved: $(rules "$second" -4 | diff "$tmp/edited" -)"
	# A host that uses iptables-persistent as well: its rules are taken over, and flushed.
	boot
	after iptables-legacy-restore "$hosts/ufw.v4"
	"$xt2" apply --netns "$ns" --persist -4 "$hosts/ufw.v4" -6 "$hosts/ufw.v6" || wrong "ufw"
	after iptables-legacy-save >"$tmp/ufw"
	persistent start
	after iptables-legacy-save | grep '^-A' && wrong "they are not taken over"
	persistent flush
	after iptables-legacy-save | grep '^-A' && wrong "flush gives them back"
	rm "$XT2_PERSIST"
	persistent start
	grep -q 'skipping xt2' "$tmp/out" || wrong "without a file: $(cat "$tmp/out")"
else
	echo "SKIP: no netfilter-persistent"
fi

# --- the file is the old one or the new one ---------------------------------------------
mkdir "$tmp/small"
mount -t tmpfs -o size=64k none "$tmp/small" || wrong "no tmpfs"
XT2_PERSIST=$tmp/small/live.xt2
"$xt2" apply --netns "$ns" --persist "$hosts/docker.v4" || wrong "a small disk"
cp "$XT2_PERSIST" "$tmp/kept"
rules "$ns" -4 >"$tmp/before"
head -c 100000 /dev/zero >"$tmp/small/full" 2>/dev/null
"$xt2" apply --netns "$ns" --persist "$hosts/shorewall.v4" 2>"$tmp/err"
code=$?
[ $code = 4 ] || wrong "a full disk: exit $code"
grep -q 'live.xt2: .*for the next boot: No space left' "$tmp/err" || wrong "a full disk: $(cat "$tmp/err")"
cmp -s "$XT2_PERSIST" "$tmp/kept" || wrong "a full disk: the file has changed"
rules "$ns" -4 | cmp -s - "$tmp/before" || wrong "a full disk: what is live has changed"
[ "$(ls -A "$tmp/small")" = "full
live.xt2" ] || wrong "a full disk: $(ls -A "$tmp/small")"
"$xt2" save --live --persist --netns "$ns" 2>/dev/null && wrong "save --persist, a full disk"
XT2_PERSIST=$tmp/none/live.xt2 "$xt2" apply --netns "$ns" --persist "$hosts/docker.v4" 2>/dev/null &&
	wrong "a folder that is not there"
XT2_PERSIST=$tmp/live.xt2
"$xt2" apply --netns "$ns" --confirm 60 --persist "$hosts/docker.v4" 2>/dev/null && wrong "a trial is persisted"

# --- iptables' names ---------------------------------------------------------------------
mkdir -p "$tmp/libexec/xt2/names" "$tmp/libexec/xt2/live"
sed "s,^exec .*/xt2/,exec $tmp/libexec/xt2/," "$build/xt2tables/boot/xt2-live-command" >"$tmp/libexec/xt2/xt2-live-command"
chmod +x "$tmp/libexec/xt2/xt2-live-command"
for i in iptables iptables-save iptables-restore ip6tables; do
	ln -s "$build/xt2tables-restore" "$tmp/libexec/xt2/names/$i"
	ln -s ../xt2-live-command "$tmp/libexec/xt2/live/$i"
done
daemon() { inside env PATH="$tmp/libexec/xt2/live:$PATH" "$@"; }
daemon iptables -N ADDED || wrong "iptables -N"
daemon iptables -w -A ADDED -s 192.0.2.5 -j DROP || wrong "iptables -A"
daemon iptables --version | grep -q '^iptables v1.*legacy' || wrong "iptables --version"
rules "$ns" -4 | grep -q -- '-A ADDED -s 192.0.2.5/32 -j DROP' || wrong "a daemon's rule is not live"
daemon iptables-save >"$tmp/saved" || wrong "iptables-save"
grep -q -- '-A ADDED -s 192.0.2.5/32 -j DROP' "$tmp/saved" || wrong "iptables-save: $(cat "$tmp/saved")"
printf '*filter\n-D ADDED -s 192.0.2.5 -j DROP\nCOMMIT\n' | daemon iptables-restore -n || wrong "iptables-restore"
daemon iptables -C ADDED -s 192.0.2.5 -j DROP 2>/dev/null && wrong "iptables-restore"
daemon ip6tables -A INPUT -s 2001:db8::1 -j DROP || wrong "ip6tables"
rules "$ns" -6 | grep -q 2001:db8::1 || wrong "ip6tables"
inside iptables-legacy-save | grep ADDED && wrong "the kernel's tables have the rule"
[ $failed = 0 ] && echo "it is live again after a boot"
exit $failed
