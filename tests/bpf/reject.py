#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What REJECT answers, by the kernel's own tables and by xt2, in one network namespace, one after the other.

  reject.py --xt2 PATH --netns NAME       in that namespace, with lo up

A rule for each type, at INPUT and at OUTPUT; a packet for each rule by a raw socket; all that comes back is
compared byte for byte, but for the identification that the kernel draws.
"""
import argparse
import select
import socket
import struct
import subprocess
import sys
import time

TYPES = {4: ['icmp-' + w for w in ('net-unreachable', 'host-unreachable', 'proto-unreachable', 'port-unreachable',
                                   'net-prohibited', 'host-prohibited', 'admin-prohibited')],
         6: ['icmp6-' + w for w in ('no-route', 'adm-prohibited', 'addr-unreachable', 'port-unreachable', 'policy-fail',
                                    'reject-route')]}
ADDRESS = {4: socket.inet_aton('127.0.0.1'), 6: socket.inet_pton(socket.AF_INET6, '::1')}
ETH_P_ALL, TCP, UDP, SCTP, SYN, ACK = 3, 6, 17, 132, 2, 16
SETTINGS = ('ipv4/icmp_ratemask', 'ipv6/icmp/ratemask', 'ipv6/auto_flowlabels')


def summed(data):
    data += b'\0' * (len(data) % 2)
    s = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while s >> 16:
        s = (s & 0xffff) + (s >> 16)
    return ~s & 0xffff


def packet(family, number, data, at):
    """With its checksum, which is at that offset."""
    a = ADDRESS[family]
    data = data[:at] + struct.pack('!H', summed(a + a + struct.pack('!II', len(data), number) + data)) + data[at + 2:]
    if family == 6:
        return struct.pack('!IHBB', 6 << 28, len(data), number, 64) + a + a + data
    return struct.pack('!BBHHHBBH', 0x45, 0x10, 20 + len(data), 7, 0x4000, 64, number, 0) + a + a + data


def cases(family):
    """=> (hook, rule, packet)"""
    port = 5000
    for hook in ('INPUT', 'OUTPUT'):
        for kind in TYPES[family]:
            port += 1
            data = struct.pack('!HHHH', 4000, port, 20, 0) + b'0123456789ab'
            yield f'-A {hook} -p udp --dport {port} -j REJECT --reject-with {kind}', packet(family, UDP, data, 6)
        for flags, ack in ((SYN, 0), (ACK, 9)):
            port += 1
            data = struct.pack('!HHIIBBHHH', 4000, port, 77, ack, 5 << 4, flags, 999, 0, 0)
            yield (f'-A {hook} -p tcp --dport {port} -j REJECT --reject-with tcp-reset', packet(family, TCP, data, 16))
        # The match drops the packet, as its chunk has no length, after the target has acted.
        port += 1
        data = struct.pack('!HHIIBBH', 4000, port, 7, 0, 1, 0, 0)
        yield (f'-A {hook} -p sctp --dport {port} -m sctp ! --chunk-types any DATA -j REJECT', packet(family, SCTP, data, 8))


def plain(family, data):
    """An answer without what is drawn at random."""
    return data[:4] + b'\0\0' + data[6:10] + b'\0\0' + data[12:] if family == 4 else data


def answers(family, frames):
    """=> what comes back for each packet, in order"""
    inet = socket.AF_INET if family == 4 else socket.AF_INET6
    out = []
    with socket.socket(inet, socket.SOCK_RAW, socket.IPPROTO_RAW) as sender, \
            socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) as lo:
        lo.bind(('lo', 0))
        for frame in frames:
            try:
                sender.sendto(frame, ('127.0.0.1', 0) if family == 4 else ('::1', 0))
            except PermissionError:
                pass  # dropped at OUTPUT: xt1 says so as well
            told, until = [], time.monotonic() + 0.1
            while select.select([lo], [], [], max(0, until - time.monotonic()))[0]:
                data, where = lo.recvfrom(65536)
                if where[2] == socket.PACKET_OUTGOING and plain(family, data[14:]) != plain(family, frame):
                    told.append(plain(family, data[14:]))
                    until = time.monotonic() + 0.01
            out.append(told)
    return out


def run(*command, text=None):
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f'{" ".join(command)}: {done.returncode}: {done.stderr}')


def compare(family, args):
    """=> how many differ"""
    rules = list(cases(family))
    restore = 'iptables-legacy-restore' if family == 4 else 'ip6tables-legacy-restore'
    empty = '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n'
    text = empty + '\n'.join(rule for rule, _ in rules) + '\nCOMMIT\n'
    frames = [frame for _, frame in rules]
    run(args.xt2, 'apply', '--netns', args.netns, f'-{family}', '-', text=empty + 'COMMIT\n')
    run(restore, text=text)
    kernel = answers(family, frames)
    run(restore, text=empty + 'COMMIT\n')
    run(args.xt2, 'apply', '--netns', args.netns, f'-{family}', '-', text=text)
    ours = answers(family, frames)
    wrong = 0
    for (rule, _), a, b in zip(rules, kernel, ours):
        if a != b or len(a) != 1:
            wrong += 1
            print(f'WRONG: {rule}\n  kernel {[x.hex() for x in a]}\n  xt2    {[x.hex() for x in b]}')
    print(f'IPv{family}: {len(rules)} rules, {sum(map(len, ours))} answers, {wrong} differ')
    return wrong


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--xt2', required=True)
    ap.add_argument('--netns', required=True)
    args = ap.parse_args()
    for name in SETTINGS:
        with open(f'/proc/sys/net/{name}', 'w', encoding='ascii') as f:
            f.write('' if name == 'ipv6/icmp/ratemask' else '0')
    sys.exit(1 if compare(4, args) + compare(6, args) else 0)


main()
