#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of many kinds to this host itself, for log.sh: log-traffic.py {4|6}

Whole and broken ones, fragments, options, quoted packets, what carries a mark or belongs to a process.
"""
import os
import socket
import struct
import sys


def raw(family, proto):
    return socket.socket(family, socket.SOCK_RAW, proto)


def checksum(data):
    data += b'\0' * (len(data) % 2)
    n = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while n >> 16:
        n = (n & 0xffff) + (n >> 16)
    return ~n & 0xffff


def ipv4(proto, payload, options=b'', frag=0, tos=0, ttl=64):
    return struct.pack('!BBHHHBBH4s4s', 0x45 + len(options) // 4, tos, 20 + len(options) + len(payload), 77, frag, ttl,
                       proto, 0, b'\x7f\0\0\1', b'\x7f\0\0\2') + options + payload


def ipv6(proto, payload, hops=64, flow=0):
    one = b'\0' * 15 + b'\1'
    return struct.pack('!IHBB', 6 << 28 | flow, len(payload), proto, hops) + one + one + payload


def tcp(flags, options=b'', window=1000):
    return struct.pack('!HHIIHHHH', 1234, 9, 0x11223344, 0x55667788, (5 + len(options) // 4) << 12 | flags, window,
                       0, 7) + options


def udp(data):
    return struct.pack('!HHHH', 4444, 9, 8 + len(data), 0) + data


def icmp(kind, code, rest, body=b''):
    bare = struct.pack('!BBH', kind, code, 0) + rest + body
    return bare[:2] + struct.pack('!H', checksum(bare)) + bare[4:]


OPTIONS = b'\2\4\5\xb4\1\1\4\2' + b'\1' * 32
TRANSPORTS = [(6, tcp(f, o)) for f in (0x002, 0x012, 0x1ff, 0xe01) for o in (b'', OPTIONS[:8], OPTIONS)]
TRANSPORTS += [(6, tcp(2)[:n]) for n in (0, 7, 19)] + [(6, tcp(2, OPTIONS)[:40])]
TRANSPORTS += [(17, udp(b'x' * n)) for n in (0, 1, 900)] + [(17, b'12345'), (136, udp(b'yy')), (47, b'gre?'), (59, b'')]
AH = struct.pack('!BBHII', 17, 4, 0, 0xabcd, 1) + b'\0' * 12
ESP = struct.pack('!II', 0xdeadbeef, 1) + b'\0' * 16


def packets4():
    yield from (ipv4(p, b) for p, b in TRANSPORTS)
    yield from (ipv4(p, b) for p, b in ((51, AH + udp(b'')), (51, AH[:7]), (50, ESP), (50, ESP[:5])))
    yield from (ipv4(p, b'z' * 24, frag=f) for p in (1, 6, 17, 50, 51) for f in (0x0005, 0x2005, 0x8005))
    yield from (ipv4(17, udp(b'q'), options=b'\7' + bytes([n - 1]) + b'\4' + b'\0' * (n - 3), tos=t)
                for n, t in ((8, 0xff), (40, 0x1e)))
    quoted = (ipv4(17, udp(b'')), ipv4(6, tcp(2)[:8]), ipv4(1, icmp(3, 4, b'\0\0\5\xdc', ipv4(17, udp(b'')))), b'', b'\x45' * 9)
    for kind, code, rest in ((3, 1, b'\0' * 4), (3, 4, b'\0\0\5\xdc'), (4, 0, b'\0' * 4), (5, 1, b'\xc0\0\2\1'),
                             (11, 0, b'\0' * 4), (12, 0, b'\x14\0\0\0')):
        yield from (ipv4(1, icmp(kind, code, rest, q)) for q in quoted)
    yield from (ipv4(1, icmp(k, 0, b'\0\1\0\2', b'w' * n)) for k in (0, 8, 9, 13, 17, 40) for n in (0, 4, 12))
    yield ipv4(1, b'\x08\0\0')


def extension(following, size=8, kind=b'\1'):
    return bytes([following, size // 8 - 1]) + kind + bytes([size - 4]) + b'\0' * (size - 4)


def packets6():
    yield from (ipv6(p, b, hops=3, flow=0xabcde) for p, b in TRANSPORTS)
    for first in (0, 60):
        yield from (ipv6(first, extension(p, n) + b) for p, b in TRANSPORTS[-8:] for n in (8, 64))
    yield ipv6(60, extension(60, 248) + extension(6, 8) + tcp(2))
    yield from (ipv6(51, AH + udp(b'k')), ipv6(51, AH[:8]), ipv6(50, ESP), ipv6(50, ESP[:6]), ipv6(60, b'\x11'))
    for off in (0, 1, 8, 9):
        frag = struct.pack('!BBHI', 17, 0, off, 0xfeed0000 + off)
        yield ipv6(44, frag + udp(b'm' * 16))
        yield ipv6(60, extension(44) + frag + udp(b'm' * 16))
    yield ipv6(44, struct.pack('!BBHI', 60, 0, 16, 3) + extension(17) + b'o' * 16)
    quoted = (ipv6(17, udp(b'')), ipv6(6, tcp(2)[:8]), ipv6(58, icmp(1, 0, b'\0' * 4, ipv6(17, udp(b'')))), b'', b'\x60' * 9)
    yield from (ipv6(58, icmp(k, 0, b'\0\0\5\0', q)) for k in (1, 2, 3, 4) for q in quoted)
    yield from (ipv6(58, icmp(k, 0, b'\0\1\0\2')) for k in (100, 128, 129, 130, 131, 135))
    yield ipv6(58, b'\x80\0\0')


def send_raw(family, bare):
    s = raw(family, socket.IPPROTO_RAW)
    where = ('127.0.0.2', 0) if family == socket.AF_INET else ('::1', 0)
    sent = 0
    for packet in bare:
        try:
            s.sendto(packet, where)
            sent += 1
        except OSError:         # the kernel builds no such packet
            pass
    return sent


def send_owned(family, where):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, 0xab0)
    s.sendto(b'marked', (where, 9))
    os.seteuid(1000)
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.sendto(b'owned', (where, 9))
    s = socket.socket(family, socket.SOCK_STREAM)
    try:
        s.connect((where, 9))
    except OSError:
        pass


def main():
    if sys.argv[1] == '4':
        sent = send_raw(socket.AF_INET, packets4())
        send_owned(socket.AF_INET, '127.0.0.2')
    else:
        sent = send_raw(socket.AF_INET6, packets6())
        send_owned(socket.AF_INET6, '::1')
    print(sent)


main()
