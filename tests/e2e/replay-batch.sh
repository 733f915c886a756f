#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What xt2 replay writes does not depend on how many packets it evaluates
# together: verdicts in order, captures with what targets have changed,
# counters, and what matches remember.
# shellcheck source=tests/e2e/common.sh
. "${top_srcdir:-.}/tests/e2e/common.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }

python3 - "$top/examples/server.pcap" "$tmp" <<'EOT' || bad "inputs"
import struct, sys

def packets(path):
    b = open(path, "rb").read()
    at, order = 24, "<" if b[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    while at < len(b):
        size = struct.unpack_from(order + "I", b, at + 8)[0]
        yield b[at + 16:at + 16 + size]
        at += 16 + size

def checksum(b):
    s = sum(struct.unpack(f"!{len(b) // 2}H", b))
    while s >> 16:
        s = (s & 0xffff) + (s >> 16)
    return ~s & 0xffff

def frame(kind, i):
    """-> what no rule sees, and what other families do, among the packets"""
    mac = bytes.fromhex("020000000001020000000002")
    if kind == 0: # IPv6, UDP
        udp = struct.pack("!HHHH", 1000 + i, 53, 8, 0)
        return mac + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, 8, 17, 64) + \
            bytes.fromhex("20010db8") + bytes(11) + bytes([i % 40]) + \
            bytes.fromhex("20010db8") + bytes(12) + udp
    if kind == 1: # a bad checksum
        return mac + b"\x08\x00\x45\0\0\x14" + bytes(4) + b"\x40\x06\x12\x34" + bytes(8)
    if kind == 2: # ARP
        return mac + b"\x08\x06" + struct.pack("!HHBBH", 1, 0x800, 6, 4, 1) + mac[:6] + \
            bytes([10, 0, 0, i % 30]) + mac[6:] + bytes([10, 0, 0, 1])
    tcp = struct.pack("!HHIIBBHHH", 40000 + i, i % 50, 0, 0, 0x60, 2, 1000, 0, 0) + \
        b"\x02\x04\x05\xb4"
    if kind == 3: # a fragment
        head = struct.pack("!BBHHHBBH4B4B", 0x45, 0, 44, i, 185, 64, 6, 0, 10, 0, 0, i % 60,
                           10, 1, 0, 1)
    else:
        head = struct.pack("!BBHHHBBH4B4B", 0x45, 0, 44, i, 0, 64, 6, 0, 10, 0, 0, i % 60,
                           10, 1, 0, 1)
    return mac + b"\x08\x00" + head[:10] + struct.pack("!H", checksum(head)) + head[12:] + tcp

pcap, tmp = sys.argv[1:]
real = list(packets(pcap))
with open(tmp + "/pcap", "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
    for i in range(1000):
        b = real[i // 7 % len(real)] if i % 7 == 0 else frame(i * i % 11, i)
        f.write(struct.pack("<IIII", 1700000000, i * 1000003 % 10**9, len(b), len(b)) + b)

def rules(path, *lines):
    open(path, "w").write("\n".join(lines) + "\n")

limited = [f"-A INPUT -s 10.0.0.{i}/32 -m limit --limit 5/sec --limit-burst 2 -j LOG"
           for i in range(60)]
rules(tmp + "/4", "*mangle",
      "-A INPUT -p tcp -m statistic --mode random --probability 0.5 -j TTL --ttl-dec 3",
      *[f"-A INPUT -p tcp -m tcp --dport {i} -j DSCP --set-dscp {i % 60}" for i in range(80)],
      "-A INPUT -p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1200",
      *[f"-A INPUT -m dscp --dscp {i} -j MARK --set-xmark {i}/0xffffffff" for i in range(30)],
      "COMMIT", "*filter", *limited,
      *[f"-A INPUT -m mark --mark {i} -m quota --quota {i * 90} -j DROP" for i in range(80)],
      "-A INPUT -p tcp", "-A INPUT -p tcp", "-A INPUT -p tcp", "-A INPUT -p tcp",
      "-A INPUT -m statistic --mode nth --every 5 --packet 0 -j REJECT", "COMMIT")
rules(tmp + "/6", "*filter",
      *[f"-A INPUT -s 2001:db8::{i:x}/128 -m statistic --mode nth --every 2 --packet 0 -j DROP"
        for i in range(80)], "COMMIT")
rules(tmp + "/arp", "*filter", *[f"-A INPUT -s 10.0.0.{i} -j DROP" for i in range(20)], "COMMIT")
EOT

# NAME ARGUMENTS...: all that a replay leaves behind, in $tmp/NAME.*
replay() {
	name=$tmp/$1
	shift
	rm -f "$name.image"
	xt2tables-restore --image "$name.image" "$tmp/4"
	xt2ip6tables-restore --image "$name.image" "$tmp/6"
	xt2arptables-restore --image "$name.image" "$tmp/arp"
	gives 0 xt2 replay --image "$name.image" -H INPUT --ctstate NEW --update --seed 5 --json \
		--verdicts "$name.verdicts" --counters "$name.counters" \
		--accepted "$name.accepted" --dropped "$name.dropped" "$@"
	sed 's/,"seconds":.*//' "$tmp/out" >"$name.summary"
	xt2 dump "$name.image" | grep -v instance >"$name.dump" # names of files
}

same() {
	for what in verdicts counters accepted dropped summary dump; do
		[ -s "$tmp/$1.$what" ] || bad "$1: no $what"
		if [ "$what" = counters ]; then
			grep -v '^#' "$tmp/$1.$what" >"$tmp/a"
			grep -v '^#' "$tmp/$2.$what" >"$tmp/b"
			cmp "$tmp/a" "$tmp/b" || bad "$1 and $2: $what"
		else
			cmp "$tmp/$1.$what" "$tmp/$2.$what" || bad "$1 and $2: $what"
		fi
	done
}

replay one --batch 1 "$tmp/pcap"
for verdict in ACCEPT DROP REJECT UNSEEN; do
	grep -q "\"verdict\":\"$verdict\"" "$tmp/one.verdicts" || bad "no $verdict"
done
grep -Eq 'represented (columns|bits)' "$tmp/one.dump" || bad "no index"
for batch in 2 7 31 32; do
	replay many --batch $batch "$tmp/pcap"
	same one many
	replay many --batch $batch --preload "$tmp/pcap"
	same one many
done
replay many "$tmp/pcap" # as it is by default
same one many

replay one --batch 1 "$tmp/pcap" "$tmp/pcap" "$tmp/pcap"
replay many --loop 3 "$tmp/pcap"
same one many
replay many "$tmp/pcap" "$tmp/pcap" "$tmp/pcap"
same one many

# where no target changes a packet, frames are copied only if they would go away
for batch in 1 32; do
	gives 0 xt2 replay -r "$top/examples/server.rules" -H INPUT -i eth0 --ctstate NEW \
		--batch $batch --verdicts "$tmp/verdicts$batch" --accepted "$tmp/accepted$batch" \
		"$tmp/pcap"
done
cmp "$tmp/verdicts1" "$tmp/verdicts32" || bad "verdicts of packets that nothing changes"
cmp "$tmp/accepted1" "$tmp/accepted32" || bad "packets that nothing changes"

# a broken capture: what came before it is evaluated all the same
head -c 40000 "$tmp/pcap" >"$tmp/cut"
for batch in 1 32; do
	gives 2 xt2 replay -r "$tmp/4" -H INPUT --verdicts - --batch $batch "$tmp/cut"
	mv "$tmp/out" "$tmp/verdicts$batch"
done
cmp "$tmp/verdicts1" "$tmp/verdicts32" || bad "verdicts of a broken capture"
[ -s "$tmp/verdicts32" ] || bad "no verdicts of a broken capture"
for batch in 0 33 x; do
	gives 2 xt2 replay -r "$tmp/4" -H INPUT --batch $batch "$tmp/pcap"
done
done_with
