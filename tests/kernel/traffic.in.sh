# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In user-mode Linux: prints what rules of all tables count of the same traffic, for comparison.
. "$HERE/lib.sh"
load_tables
echo nf_log_ipv4 >/proc/sys/net/netfilter/nf_log/2
for family in ip ip6; do
	check "${family}tables-legacy-restore" "$HERE/traffic.$family"
done
check arptables-legacy -A INPUT -i eth9 --opcode 1 -j ACCEPT
check arptables-legacy -A OUTPUT -s 192.0.2.1 -j DROP
check python3 "$HERE/traffic.py"
for family in ip ip6; do
	"${family}tables-legacy-save" -c | sed '/^#/d'
done
arptables-legacy -L -n -v
dmesg | grep -o 'TRACE: [^ ]*'
end
