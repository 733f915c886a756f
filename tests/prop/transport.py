# SPDX-License-Identifier: GPL-2.0-or-later
"""Transport headers, valid and odd, for the random packets.

Parts that are costly to make (option lists, chunk lists, payloads) are made once per World and drawn
from for each packet.  Transport checksums are random: neither the hook nor any match looks whether they
are right, and a match on raw bytes (u32, bpf, string) sees more this way.
"""
import struct

TCP = struct.Struct('!HHIIBBHHH').pack
H4 = struct.Struct('!HHHH').pack
PORTS = struct.Struct('!HH').pack
SCTP = struct.Struct('!HHII').pack
DCCP = struct.Struct('!HHBBHB').pack
AH = struct.Struct('!BBHII').pack
ESP = struct.Struct('!II').pack


def rand_bytes(rng, n):
    return rng.getrandbits(8 * n).to_bytes(n, 'big') if n else b''


def other_case(word):
    """The kernel knows upper and lower case of Latin 1, too."""
    return bytes(c ^ 0x20 if chr(c).isalpha() else c for c in word)


class Transport:
    def __init__(self, world, rng):
        self.w, self.rng = world, rng
        self.ports = world.noisy(world.ports, 65535)
        self.payloads = [self._payload() for _ in range(40)]
        self.tcp_options = [b''] * 12 + [self._tcp_options() for _ in range(30)]
        self.chunks = [self._chunks() for _ in range(40)]
        self.dccp_options = [b''] * 4 + [self._dccp_options() for _ in range(20)]
        self.flags = world.noisy(world.flags, 255)
        self.icmp_types = world.noisy(world.icmp, 255, 6)
        self.icmp6_types = world.noisy(world.icmp6, 255, 6)
        self.spis = world.noisy(world.spis, 0xffffffff)
        self.cpis = world.noisy(world.cpis, 0xffff)
        self.mh_types = world.noisy(world.mh, 255)

    def _payload(self):
        rng = self.rng
        if rng.random() < 0.25:
            return b''
        parts = []
        for _ in range(rng.randint(1, 4)):
            parts.append(rand_bytes(rng, rng.choice((0, 1, 3, 8, 20, 90))))
            if rng.random() < 0.5:
                parts.append(b'ab' * rng.randint(1, 6))
            if rng.random() < 0.6:
                word = rng.choice(self.w.words)
                parts.append(word if rng.random() < 0.7 else other_case(word))
        if rng.random() < 0.1:
            # rarely longer than a page: the kernel must not need several pieces for it
            parts.append(rand_bytes(rng, rng.choice((300, 900, 900, 1400, 5000, 20000 if rng.random() < 0.1 else 700))))
        return b''.join(parts)

    def _tcp_option(self):
        rng, w = self.rng, self.w
        kind = rng.choice(w.tcp_opts + [0, 1, 1, 2, 2, 8])
        if kind < 2:
            return bytes([kind])
        if kind == 2:
            return b'\x02\x04' + rng.choice(w.mss).to_bytes(2, 'big')
        n = rng.choice((2, 3, 4, 10, rng.randint(2, 12)))
        if rng.random() < 0.12:
            return bytes([kind, rng.choice((0, 1, 40, 255))])
        return bytes([kind, n]) + rand_bytes(rng, n - 2)

    def _tcp_options(self):
        opts = b''
        while self.rng.random() < 0.75 and len(opts) < 40:
            opts += self._tcp_option()
        opts = opts[:40]
        return opts + bytes([self.rng.choice((0, 1))]) * (-len(opts) % 4)

    def tcp(self):
        rng = self.rng
        opts = rng.choice(self.tcp_options)
        doff = 5 + len(opts) // 4
        odd = rng.random()
        if odd < 0.04:
            doff = rng.randrange(16)
        reserved = rng.randrange(16) if odd > 0.9 else 0
        return TCP(rng.choice(self.ports), rng.choice(self.ports), rng.getrandbits(32), rng.getrandbits(32),
                   doff << 4 | reserved, rng.choice(self.flags), rng.getrandbits(16),
                   rng.getrandbits(16), 0) + opts + rng.choice(self.payloads)

    def udp(self):
        rng = self.rng
        data = rng.choice(self.payloads)
        length = 8 + len(data) if rng.random() < 0.9 else rng.getrandbits(16)
        return H4(rng.choice(self.ports), rng.choice(self.ports), length, rng.getrandbits(16)) + data

    udplite = udp

    def _icmp(self, types):
        rng = self.rng
        return bytes([rng.choice(types), rng.choice(self.w.codes)]) + rand_bytes(rng, 6) + \
            rng.choice(self.payloads)

    def icmp(self):
        return self._icmp(self.icmp_types)

    def icmp6(self):
        return self._icmp(self.icmp6_types)

    def _chunk(self):
        rng = self.rng
        kind = rng.choice((0, 0, 1, 2, 3, 6, 7, 9, 10, 14, 64, 129, 130, 192, rng.randrange(256)))
        data = rand_bytes(rng, rng.choice((0, 1, 4, 7, 12)))
        size = 4 + len(data)
        if rng.random() < 0.08:
            size = rng.choice((0, 1, 3, 4, 200, 65535))
        return bytes([kind, rng.choice((0, 1, 2, 3, 4, 7, rng.randrange(256)))]) + \
            size.to_bytes(2, 'big') + data + bytes(-len(data) % 4)

    def _chunks(self):
        rng = self.rng
        out = b''.join(self._chunk() for _ in range(rng.choice((0, 1, 1, 2, 3, 5, 12))))
        return out[:-rng.randint(1, 3)] if rng.random() < 0.1 else out

    def sctp(self):
        rng = self.rng
        return SCTP(rng.choice(self.ports), rng.choice(self.ports), rng.getrandbits(32),
                    rng.getrandbits(32)) + rng.choice(self.chunks)

    def _dccp_options(self):
        rng, out = self.rng, b''
        for _ in range(rng.randint(1, 6)):
            kind = rng.choice(self.w.dccp_opts + [0, 1, 2, 31, 32, 33])
            n = rng.randint(2, 7)
            if rng.random() < 0.1:
                out += bytes([kind, rng.choice((0, 1, 255))])
            else:
                out += bytes([kind]) if kind < 32 else bytes([kind, n]) + rand_bytes(rng, n - 2)
        return out + bytes(-len(out) % 4)

    def dccp(self):
        """A header of 12 bytes or, with the X bit, 16; then the packet type's own part; then options."""
        rng = self.rng
        kind = rng.randrange(12) if rng.random() < 0.95 else rng.randrange(16)
        wide = rng.random() < 0.7
        extra = (4, 8, 0, 8, 8, 8, 8, 8, 8, 8)[kind] if kind < 10 else rng.choice((0, 4))
        opts = rng.choice(self.dccp_options)
        head = 16 if wide else 12
        doff = (head + extra + len(opts)) // 4
        if rng.random() < 0.06:
            doff = rng.randrange(256)
        data = DCCP(rng.choice(self.ports), rng.choice(self.ports), doff & 255, rng.getrandbits(8),
                    rng.getrandbits(16), rng.choice((0, 0, 0, 7)) << 5 | kind << 1 | wide)
        return data + rand_bytes(rng, head - 9 + extra) + opts + rng.choice(self.payloads)

    def ah_body(self):
        """Everything behind the next-header byte."""
        rng = self.rng
        words = rng.choice((4, 4, 4, 1, 2, 5, 7))
        head = AH(0, words, rng.choice((0, 0, rng.getrandbits(16))), rng.choice(self.spis),
                  rng.getrandbits(32))
        return (head + rand_bytes(rng, max(0, (words + 2) * 4 - 12)))[1:]

    def ah(self):
        return bytes([self.rng.choice((6, 17, 59))]) + self.ah_body() + self.rng.choice(self.payloads)

    def esp(self):
        rng = self.rng
        return ESP(rng.choice(self.spis), rng.getrandbits(32)) + rng.choice(self.payloads)

    def ipcomp(self):
        rng = self.rng
        return bytes([6, rng.choice((0, 0, 5))]) + rng.choice(self.cpis).to_bytes(2, 'big') + \
            rng.choice(self.payloads)

    def mh(self):
        rng = self.rng
        return bytes([59 if rng.random() < 0.85 else 6, rng.randrange(4), rng.choice(self.mh_types), 0]) + \
            rand_bytes(rng, rng.choice((4, 4, 12, 20, 0)))

    def other(self):
        return rand_bytes(self.rng, self.rng.choice((0, 1, 7, 8, 40)))
