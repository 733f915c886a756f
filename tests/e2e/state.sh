#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xt2 state: what replay leaves in an image is shown in the form of the kernel's files, each name once.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cd "$tmp" || exit 99
PATH=$PATH:/usr/sbin:/sbin

python3 - <<'EOF'
import socket, struct

def packet(source, port):
    head = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 28, 0, 0, 64, 17, 0, socket.inet_aton(source), bytes((10, 0, 0, 9)))
    total = sum(struct.unpack('>10H', head))
    total = (total & 0xffff) + (total >> 16)
    return head[:10] + struct.pack('>H', ~total & 0xffff) + head[12:] + struct.pack('>4H', 9, port, 8, 0)

with open('pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
    for time, source in ((0, '10.0.0.1'), (1, '10.0.0.1'), (1, '10.0.0.2'), (2, '10.0.0.1')):
        p = packet(source, 53)
        f.write(struct.pack('<IIII', 1700000000 + time, 500000, len(p), len(p)) + p)
EOF
cat >rules <<'EOF'
*raw
-A PREROUTING -p tcp -m recent --name ssh --rcheck -j DROP
COMMIT
*filter
:INPUT ACCEPT [0:0]
-A INPUT -p udp -m recent --set --name ssh --rsource
-A INPUT -p udp -m recent --update --hitcount 3 --name ssh --rsource -j DROP
-A INPUT -p udp -m hashlimit --hashlimit-upto 2/sec --hashlimit-burst 3 --hashlimit-mode srcip,dstport --hashlimit-name web
-A INPUT -p udp -m limit --limit 1/hour --limit-burst 9
-A INPUT -p udp -m quota --quota 1000
-A INPUT -p udp -m statistic --mode nth --every 5 --packet 0
COMMIT
EOF
xt2tables-restore --image image rules || exit 99
gives 0 xt2 state image
printf '%s\n' 'recent ssh' 'hashlimit ipv4 web' 'ipv4 filter INPUT 4 limit: no packet yet' \
	'ipv4 filter INPUT 5 quota: 0 of 1000 bytes spent' 'ipv4 filter INPUT 6 statistic: count 0' |
	diff - out || bad "nothing has come yet"

gives 0 xt2 replay --image image --update -q -H INPUT pcap
gives 0 xt2 state image
sed 's/^-[0-9]* 10/- 10/' out | sort >shown
sort >expected <<'EOF'
recent ssh
src=10.0.0.1 ttl: 64 last_seen: 1700000002.500 oldest_pkt: 4 1700000000.500, 1700000001.500, 1700000002.500, 1700000002.500
src=10.0.0.2 ttl: 64 last_seen: 1700000001.500 oldest_pkt: 1 1700000001.500
hashlimit ipv4 web
- 10.0.0.1:0->0.0.0.0:53 137438953000000 206158429500000 68719476500000
- 10.0.0.2:0->0.0.0.0:53 137438953000000 206158429500000 68719476500000
ipv4 filter INPUT 4 limit: 6 of 9 packets left
ipv4 filter INPUT 5 quota: 84 of 1000 bytes spent
ipv4 filter INPUT 6 statistic: count 2
EOF
diff expected shown || bad "what replay has left"

# A rule that comes has what the others of its name have; the last one that goes takes it along.
gives 0 xt2tables --image image -A FORWARD -m recent --name ssh --remove
gives 0 xt2tables --image image -A FORWARD -m recent --name other --set
gives 0 xt2 state image
[ "$(grep -c '^recent' out)" = 2 ] || bad "two names: $(cat out)"
[ "$(grep -c '^src=' out)" = 2 ] || bad "the same two addresses: $(cat out)"
xt2tables-save --image image | grep -v -- '--name ssh' >without
xt2tables-restore --image image without || bad "without it"
gives 0 xt2 state image
[ "$(grep -c '^src=' out)" = 0 ] || bad "it is gone: $(cat out)"

# The rule that stands first says what a name does, in whatever order they came.
limit='-p udp -m hashlimit --hashlimit-upto 2/sec --hashlimit-mode srcip --hashlimit-name web --hashlimit-burst'
printf '%s\n' '*filter' ':INPUT ACCEPT [0:0]' "-A INPUT $limit 1" "-A INPUT $limit 3" COMMIT >forward
printf '%s\n' '*filter' ':INPUT ACCEPT [0:0]' "-A INPUT $limit 3" "-I INPUT $limit 1" COMMIT >backward
xt2tables-restore --image forward.xt2 forward || bad "forward"
xt2tables-restore --image backward.xt2 backward || bad "backward"
if [ "$(id -u)" = 0 ] && command -v iptables-legacy-restore >/dev/null && unshare -n true 2>/dev/null; then
	XTABLES_LOCKFILE=$tmp/lock unshare -n xt2 run --image shim.xt2 -- iptables-legacy-restore "$tmp/forward" ||
		bad "iptables-legacy-restore"
fi
for i in forward backward shim; do
	[ $i != shim ] || [ -f shim.xt2 ] || continue # no root, or no iptables-legacy
	gives 0 xt2 replay --image $i.xt2 --update -q -H INPUT pcap
	gives 0 xt2 state $i.xt2
	grep -q ' 10\.0\.0\.2:0->0\.0\.0\.0:0 [0-9]* 68719476500000 68719476500000$' out || bad "$i: $(cat out)"
done

gives 2 xt2 state rules
gives 2 xt2 state nosuch
gives 2 xt2 state image image
gives 0 xt2 state --help
grep -q 'Usage: xt2 state' out || bad "no help"
echo "$count calls"
exit $failed
