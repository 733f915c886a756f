# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In a virtual machine: the module comes and goes beside rules, namespaces and the kernel's own tables.
. "$HERE/lib.sh"

# ip_tables has the socket options: nothing of the module stays, and no file is made twice.
modprobe ip_tables
refused insmod "$MODULE"
[ ! -e /proc/net/xt2 ] || fail "traces of a module that was refused"
check rmmod ip_tables

TABLES=xt2
load_tables
[ -e /proc/net/ip_tables_names ] || fail "no names of tables"
check rmmod xt2
[ ! -e /proc/net/ip_tables_names ] || fail "names are left"
load_tables

# Who lists creates tables that let everything through; rules keep the module.
check iptables-legacy -S >/dev/null
check rmmod xt2
load_tables
check iptables-legacy -A INPUT -p tcp --dport 99 -j DROP
refused rmmod xt2
check iptables-legacy -F
check iptables-legacy -P FORWARD DROP
refused rmmod xt2
check iptables-legacy -P FORWARD ACCEPT
check rmmod xt2
load_tables

# Namespaces have tables of their own, which go with them.
check ip netns add one
check ip netns exec one iptables-legacy -A INPUT -m limit --limit 1/s -j ACCEPT
[ "$(iptables-legacy -S | wc -l)" = 3 ] || fail "rules of another namespace"
refused rmmod xt2
check ip netns del one
for try in 1 2 3 4 5 6 7 8 9 10; do
	rmmod xt2 2>/dev/null && break
	sleep 0.1
done
! grep -q '^xt2 ' /proc/modules || fail "a namespace that has gone keeps the module (after $try tries)"
load_tables

# What is refused changes nothing.
check iptables-legacy -A INPUT -p tcp --dport 1 -j ACCEPT
before=$(iptables-legacy-save)
printf '%s\n' '*filter' '-F' '-A INPUT -j LOG' '-A FORWARD -j TTL --ttl-set 3' COMMIT | refused iptables-legacy-restore
refused iptables-legacy -A INPUT -p tcp -j TCPMSS --clamp-mss-to-pmtu
[ "$(iptables-legacy-save | grep -v '^#')" = "$(echo "$before" | grep -v '^#')" ] || fail "a refused table has changed the rules"

# Only root may.
refused setpriv --reuid=65534 --clear-groups iptables-legacy -S
check iptables-legacy -F
check rmmod xt2
end
