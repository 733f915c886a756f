# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In a virtual machine: rules are changed while packets come, and no packet is lost by a counter.
. "$HERE/lib.sh"
senders=
load_tables
iptables-legacy -A INPUT -p udp --dport 9 -m comment --comment counted
iptables-legacy -A INPUT -p udp --dport 9 -m length --length 0:65535
iptables-legacy -A INPUT -p udp --dport 9 -m limit --limit 1/h --limit-burst 5
packets=${PACKETS:-100000}
for part in 1 2; do
	python3 "$HERE/send.py" "$packets" &
	senders="$senders $!"
done
n=0
while kill -0 $senders 2>/dev/null; do
	iptables-legacy -A INPUT -p tcp --dport $((1 + n % 9)) -j ACCEPT || fail "append"
	iptables-legacy -I INPUT -p tcp --dport $((1 + n % 9)) -m conntrack --ctstate NEW || fail "insert"
	iptables-legacy -D INPUT -p tcp --dport $((1 + n % 9)) -j ACCEPT || fail "delete"
	iptables-legacy -D INPUT 1 || fail "delete by number"
	ip netns add churn && ip netns exec churn iptables-legacy -A OUTPUT -m limit --limit 1/s
	ip netns del churn
	n=$((n + 1))
done
wait
iptables-legacy-save -c >/run/saved
echo "$n rounds of changes"
[ "$n" -gt 3 ] || fail "too few changes"
[ "$(grep -c "^\[$((2 * packets)):" /run/saved)" = 2 ] || { fail "packets that were not counted"; cat /run/saved; }
iptables-legacy -F
end
