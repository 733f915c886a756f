# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In user-mode Linux: counters of rules that an index counts as one group are added to, listed and handed
# out by a replace like those of others.
PARAMETERS=index_delay=0,index_above=0
. "$HERE/lib.sh"
load_tables
{
	printf '%s\n' '*filter' ':INPUT ACCEPT [0:0]' ':FORWARD ACCEPT [0:0]' ':OUTPUT ACCEPT [0:0]'
	for n in $(seq 40); do
		echo '-A INPUT -s 127.0.0.0/8 -p icmp'
	done
	echo COMMIT
} >/run/rules
check iptables-legacy-restore /run/rules
for try in $(seq 50); do
	grep -q 'indexed 1' /proc/net/xt2 && break
	sleep 0.1
done
grep -q 'indexed 1' /proc/net/xt2 || fail "no index (after $try tries)"
# ADDED: as many packets are to be added to each rule's as its number, ADDED times
same() {
	for n in $(seq 40); do
		echo "[$((6 + $1 * n)):$((504 + 10 * $1 * n))] -A INPUT -s 127.0.0.0/8 -p icmp"
	done >/run/want
	iptables-legacy-save -c -t filter | grep -- '-p icmp' >/run/have
	diff /run/want /run/have || fail "$2"
}
ping -q -c 3 -i 0.01 127.0.0.1 >/dev/null
same 0 "counted by a group"

# An entry for each rule and policy, and the end.
python3 - <<'END' || fail "SET_ADD_COUNTERS"
import socket
import struct
n = 40 + 3 + 1
each = b''.join(struct.pack('<QQ', 100 * i * (1 <= i <= 40), 1000 * i * (1 <= i <= 40)) for i in range(1, n + 1))
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
s.setsockopt(socket.IPPROTO_IP, 65, struct.pack('<32sII', b'filter', n, 0) + each)
END
same 100 "added"
[ "$(iptables-legacy-save -c -t filter | grep -c '^:.* ACCEPT')" = 3 ] || fail "policies"
check iptables-legacy -A INPUT -p tcp -j ACCEPT
same 100 "after a replace"
check iptables-legacy -F
end
