#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random packets: packets.py --seed N -4|-6 [--count N] > capture

A classic pcap file: raw IP for tun seeds, Ethernet for tap seeds (world.link_of).  build() also says
how many of the packets ip_rcv() or ipv6_rcv() pass on to the hook: each builder knows what it broke, so
that number is a witness of its own, and the runner holds the kernel's first counter against it.
"""
import argparse
import random
import struct
import sys
import time

from transport import Transport, rand_bytes
from world import PROTOS4, PROTOS6, TAP, TAP_MAC, World

IP4 = struct.Struct('!BBHHHBBH4s4s').pack
IP6 = struct.Struct('!IHBB16s16s').pack
RECORD = struct.Struct('<IIII').pack
HEADER = struct.Struct('<IHHiIII').pack
WORDS = {n: struct.Struct(f'!{n}H').unpack for n in range(10, 31)}
LINKTYPE_ETHERNET, LINKTYPE_RAW = 1, 101
HOP, ROUTE, FRAG, NONE, DST = 0, 43, 44, 59, 60


def checksum(head):
    s = sum(WORDS[len(head) // 2](head))
    s = (s & 0xffff) + (s >> 16)
    return ~((s & 0xffff) + (s >> 16)) & 0xffff


def checked(head):
    """An IPv4 header with its checksum"""
    return head[:10] + checksum(head).to_bytes(2, 'big') + head[12:]


class Packets:
    """What both families share: a transport segment, whole or cut."""
    world = World

    def __init__(self, seed, family):
        self.w = self.world(seed, family)
        self.rng = rng = random.Random(f'packets {family} {seed}')
        self.t = Transport(self.w, rng)
        self.addrs = self.w.addrs * 4 + [rand_bytes(rng, 4 if family == 4 else 16) for _ in range(4)]
        self.addrs += self.w.specials[:2]
        self.addrs.append(rng.choice(self.w.specials))
        self.lives = self.w.noisy(self.w.lives, 255)
        self.tos = self.w.noisy(self.w.tos, 255)
        protos = PROTOS4 if family == 4 else PROTOS6
        self.protos = list(protos.items()) * 2 + [('tcp', 6)] * 5 + [('udp', 17)] * 2
        self.protos += [('icmp6', 58)] if family == 4 else [('icmp', 1)]
        self.ether = self._ether_heads()

    def segment(self):
        rng = self.rng
        if rng.random() < 0.03 and not self.w.tracked:
            # IPv6's 0 would be a hop-by-hop header, which the receive path reads
            return rng.randrange(1 if self.w.family == 6 else 0, 256), self.t.other()
        name, number = rng.choice(self.protos)
        data = getattr(self.t, name)()
        if rng.random() < 0.07:
            data = data[:rng.randint(0, min(28, len(data)))]
        return number, data

    def scramble(self, data, start):
        """Now and then change, drop or double some bytes from start on; => data of the same length"""
        rng = self.rng
        if rng.random() > 0.06 or self.w.tracked or len(data) - start < 2:
            return data
        out = bytearray(data)
        end = min(len(out), start + 120)
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(start, end)
            how = rng.randrange(4)
            if how == 0:
                out[at] = rng.choice((0, 1, 0xff, 0x7f, 0x80))
            elif how == 1:
                out[at] ^= 1 << rng.randrange(8)
            elif how == 2:
                out[at:] = out[at + 1:] + out[at:at + 1]
            else:
                out[at] = rng.randrange(256)
        return bytes(out)

    def _ether_heads(self):
        rng, w = self.rng, self.w
        to = [TAP_MAC] * 4 + [b'\xff' * 6, b'\x01\x00\x5e\x00\x00\x01', b'\x33\x33\x00\x00\x00\x01']
        kind = b'\x08\x00' if w.family == 4 else b'\x86\xdd'
        return [d + s + kind for d in to for s in w.macs + [b'\x02' + rand_bytes(rng, 5)]]

    def frame(self):
        """(bytes as written to the device, whether the hook sees them)"""
        data, seen = self.packet()
        if self.w.link != TAP:
            return data, seen
        if self.rng.random() < 0.01:
            return self.rng.choice(self.ether)[:12] + b'\x08\x06' + data, False
        head = self.rng.choice(self.ether)
        if self.w.family == 6 and data[8:24] == self.w.eui64 and self.rng.random() < 0.6:
            head = head[:6] + self.w.macs[0] + head[12:]
        return head + data, seen


class Packets4(Packets):
    def __init__(self, seed):
        super().__init__(seed, 4)
        rng = self.rng
        self.options = [b''] * 24
        self.options += [b'\x94\x04\x00\x00', b'\x01' * 4, b'\x07\x07\x04' + bytes(4) + b'\x00',
                         b'\x44\x0c\x05\x00' + bytes(8), b'\x83\x07\x04' + bytes(4) + b'\x00', b'\x00' * 40]
        self.options += [rand_bytes(rng, 4 * rng.randint(1, 10)) for _ in range(3)]

    def fragment(self):
        """The flags and offset word: whole, with DF, or some part of a larger packet."""
        rng = self.rng
        r = rng.random()
        if r < 0.80 or self.w.tracked:
            return 0x4000 if r < 0.4 else 0
        if r < 0.86:
            return 0x2000
        if r < 0.89:
            return 0x2001 if r < 0.875 else 0x0001
        if r < 0.92:
            return 0xe000 | rng.getrandbits(13)
        return (0x2000 if r < 0.96 else 0) | rng.choice((2, 3, 5, 185, 1000, 8191))

    def packet(self):
        rng = self.rng
        proto, data = self.segment()
        if rng.random() < 0.03:
            return self.broken(proto, data)
        data = self.scramble(data, 0)
        opts = rng.choice(self.options)
        ihl = 5 + len(opts) // 4
        dst = rng.choice(self.addrs) if rng.random() < 0.95 else rng.choice(self.w.groups)
        head = checked(IP4(0x40 | ihl, rng.choice(self.tos), ihl * 4 + len(data), rng.getrandbits(16),
                           self.fragment(), rng.choice(self.lives), proto, 0, rng.choice(self.addrs), dst) + opts)
        if rng.random() < 0.04:
            data += rand_bytes(rng, rng.randint(1, 24))
        return head + data, True

    def broken(self, proto, data):
        """What ip_rcv() refuses: header cut, version, header length, checksum, total length."""
        rng = self.rng
        how = rng.randrange(6)
        version, ihl, size = 4, 5, 20 + len(data)
        if how == 0:
            version = rng.choice((0, 5, 6, 15))
        elif how == 1:
            ihl = rng.randrange(5)
        elif how == 2:
            size += rng.randint(1, 40)
        elif how == 3:
            size = rng.randrange(20)
        head = IP4(version << 4 | ihl, 0, size, 1, 0, 64, proto, 0, self.addrs[0], self.addrs[1])
        good = checksum(head)
        if how == 4:
            good ^= 1 << rng.randrange(16)
        head = head[:10] + good.to_bytes(2, 'big') + head[12:]
        return (head + data if how != 5 else head[:rng.randint(1, 19)]), False


def tlvs_pass(body, offset=40):
    """Would ipv6_rcv() take this hop-by-hop header (its length is right, its first option at 42)?"""
    pos, pad, count = 2, 0, 0
    while pos < len(body):
        kind = body[pos]
        if kind == 0:
            pad += 1
            size = 1
        else:
            if pos + 2 > len(body) or pos + 2 + body[pos + 1] > len(body):
                return False
            size = body[pos + 1] + 2
            if kind == 1:
                pad += size
                if any(body[pos + 2:pos + size]):
                    return False
            else:
                pad = 0
                count += 1
                if count > 8 or not option_passes(kind, size, offset + pos):
                    return False
        if pad > 7:
            return False
        pos += size
    return True


def option_passes(kind, size, offset):
    if kind == 5:
        return size == 4
    if kind == 0x31:
        return offset % 4 == 0
    return kind >> 6 == 0


class Packets6(Packets):
    def __init__(self, seed):
        super().__init__(seed, 6)
        self.hops = [self._options(0.06) for _ in range(24)]
        self.dsts = [self._options(0.3) for _ in range(24)]
        self.hop_passes = {b: tlvs_pass(b) for b in self.hops}
        self.ids = self.w.noisy(self.w.ids, 0xffffffff)

    def _options(self, odd):
        """A hop-by-hop or destination header from its length byte on, led by a byte to be patched."""
        rng, w = self.rng, self.w
        out = b''
        for _ in range(rng.choice((0, 1, 1, 2, 3, 4))):
            kind = rng.choice(w.v6opts)
            size = 2 if kind == 5 else rng.choice((0, 1, 2, 4, 6, rng.randrange(12)))
            if rng.random() < odd:
                kind, size = rng.choice(((5, 3), (kind | 0x80, 2), (0x31, 2), (kind, 250), (1, 9))), None
                kind, size = kind
            out += bytes([kind, size]) + rand_bytes(rng, min(size, 40))
            if rng.random() < 0.2:
                out += rng.choice((b'\x00', b'\x00\x00', b'\x01\x00', b'\x01\x01\x00'))
        pad = -(len(out) + 2) % 8
        if pad:
            out += b'\x00' * pad if rng.random() < 0.3 else b'\x01' + bytes([pad - 2]) + bytes(pad - 2) \
                if pad > 1 else b'\x00'
        return bytes([0, (len(out) + 2) // 8 - 1]) + out

    def _route(self):
        rng, w = self.rng, self.w
        n = rng.choice((0, 1, 1, 2, 3))
        kind = rng.choice(w.rt_types + [0])
        length = 2 * n if rng.random() < 0.9 else rng.randrange(6)
        return bytes([0, length, kind, rng.randrange(n + 2)]) + \
            rng.choice((bytes(4), rand_bytes(rng, 4))) + b''.join(rng.choice(w.addrs) for _ in range(n)) + \
            bytes(max(0, length * 8 - n * 16))

    def _fragment(self):
        rng = self.rng
        off = 0 if rng.random() < 0.35 else rng.choice((1, 2, 100, 8191))
        return bytes([0, rng.choice((0, 0, 0, rng.getrandbits(8)))]) + \
            (off << 3 | rng.choice((0, 1, 1, rng.getrandbits(3)))).to_bytes(2, 'big') + \
            rng.choice(self.ids).to_bytes(4, 'big')

    def chain(self, proto, data):
        """Extension headers in front of a segment; also says whether the receive path takes them."""
        rng = self.rng
        kinds = []
        r = rng.random()
        if r < 0.42:
            return proto, data, True
        if r < 0.62:
            kinds.append(HOP)
        while rng.random() < 0.55 and len(kinds) < 6:
            kinds.append(rng.choice((ROUTE, DST, DST, FRAG, FRAG, FRAG, 51, HOP if rng.random() < 0.1 else ROUTE)))
        if self.w.tracked:
            kinds = [k for k in kinds if k != FRAG]
        if rng.random() < 0.04:
            proto, data = NONE, rng.choice((b'', data))
        seen = True
        for pos, kind in reversed(list(enumerate(kinds))):
            if kind in (HOP, DST):
                head = rng.choice(self.hops if kind == HOP else self.dsts)
                if kind == HOP and pos == 0:
                    seen = self.hop_passes[head]
            elif kind == ROUTE:
                head = self._route()
            elif kind == FRAG:
                head = self._fragment()
            else:
                head = b'\x00' + self.t.ah_body()
            proto, data = kind, bytes([proto]) + head[1:] + data
        if data and rng.random() < 0.05:
            data = data[:rng.randint(0, min(64, len(data)))]
            if proto == HOP:
                seen = seen and len(data) >= 8 and len(data) >= 8 * (data[1] + 1)
        return proto, data, seen

    def packet(self):
        rng = self.rng
        proto, data, seen = self.chain(*self.segment())
        if rng.random() < 0.03:
            return self.broken(proto, data)
        if proto != HOP:
            data = self.scramble(data, 0)
        elif seen:
            data = self.scramble(data, 8 * (data[1] + 1))
        dst = rng.choice(self.addrs) if rng.random() < 0.95 else rng.choice(self.w.groups)
        src = rng.choice(self.addrs)
        if src[0] == 0xff or dst[0] == 0xff and dst[1] & 15 < 2:
            seen = False
        head = IP6(0x60000000 | rng.choice(self.tos) << 20 | rng.choice((0, rng.getrandbits(20))),
                   len(data), proto, rng.choice(self.lives), src, dst)
        if rng.random() < 0.04 and (data or proto != HOP):
            data += rand_bytes(rng, rng.randint(1, 24))
        return head + data, seen

    def broken(self, proto, data):
        """What ipv6_rcv() refuses: header cut, version, addresses, a payload that is not all there."""
        rng = self.rng
        how = rng.randrange(7)
        version, size = 6, len(data)
        src, dst = self.w.addrs[0], self.w.addrs[1]
        if how == 0:
            version = rng.choice((0, 4, 7))
        elif how == 1:
            size += rng.randint(1, 40)
        elif how == 2:
            src = bytes.fromhex('ff0e' + '0' * 27 + '9')
        elif how == 3:
            dst = bytes.fromhex(rng.choice(('ff01', 'ff00', 'ff11', 'ff30')) + '0' * 27 + '2')
        elif how == 4:
            src = bytes(15) + b'\x01'
        elif how == 5:
            dst = bytes(15) + b'\x01'
        head = IP6(version << 28, size, proto, 64, src, dst)
        return (head + data if how != 6 else head[:rng.randint(1, 39)]), False


def capture(link, frames, now):
    """=> pcap file as bytes"""
    out = [HEADER(0xa1b2c3d4, 2, 4, 0, 0, 262144, link)]
    for i, data in enumerate(frames):
        out += RECORD(now, i, len(data), len(data)), data
    return b''.join(out)


def build(seed, family, count, now=None):
    """=> (pcap file as bytes, number of packets that the hook sees)"""
    p = Packets4(seed) if family == 4 else Packets6(seed)
    frames = [p.frame() for _ in range(count)]
    link = LINKTYPE_ETHERNET if p.w.link == TAP else LINKTYPE_RAW
    data = capture(link, [data for data, _ in frames], int(time.time()) if now is None else now)
    return data, sum(ok for _, ok in frames)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    ap.add_argument('--seed', type=int, required=True)
    ap.add_argument('-4', dest='family', action='store_const', const=4, default=4)
    ap.add_argument('-6', dest='family', action='store_const', const=6)
    ap.add_argument('--count', type=int, default=1500)
    args = ap.parse_args()
    data, seen = build(args.seed, args.family, args.count)
    sys.stdout.buffer.write(data)
    print(f'{args.count} packets, {seen} seen by the hook', file=sys.stderr)


if __name__ == '__main__':
    main()
