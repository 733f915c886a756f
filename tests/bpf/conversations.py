# SPDX-License-Identifier: GPL-2.0-or-later
"""Random conversations: packets with right checksums, in both directions, as a tracked host sees them.

TCP from handshake to end, with packets lost, and others out of nowhere; UDP and echoes with answers;
ICMP errors about packets of these; fragments in any order; IPv6 extension headers.  A host of ours talks
through a raw socket, so its packets pass the hooks of what is sent; all others come in, and go on to
ours or are forwarded.
"""
import random
import struct

import packets

LINKTYPE_COOKED = 113
INCOMING, SENT = 0, 4
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
TCP, UDP, ICMP, ICMP6 = 6, 17, 1, 58
ERRORS = {4: ((3, 0), (3, 1), (3, 3), (11, 0), (12, 0)), 6: ((1, 0), (1, 4), (3, 0), (4, 1))}


def summed(data):
    if len(data) % 2:
        data += b'\0'
    s = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while s >> 16:
        s = (s & 0xffff) + (s >> 16)
    return ~s & 0xffff


class Conversations:
    def __init__(self, world, seed):
        self.w, self.rng = world, random.Random(f'conversations {world.family} {seed}')
        self.ident = self.rng.randrange(1, 1 << 14)
        self.port = self.rng.randrange(10000, 60000)

    def proto(self, number):
        return ICMP6 if number == ICMP and self.w.family == 6 else number

    def transport(self, src, dst, number, data, at):
        """Data with its checksum, which is at that offset."""
        number = self.proto(number)
        pseudo = src + dst + struct.pack('!II', len(data), number) if number != ICMP else b''
        return data[:at] + struct.pack('!H', summed(pseudo + data)) + data[at + 2:]

    def packet(self, src, dst, number, data, frag=0, ident=None):
        """An IP packet; frag is the word of IPv4 or the fragment header of IPv6."""
        rng = self.rng
        number = self.proto(number)
        self.ident += 1
        if self.w.family == 4:
            head = packets.IP4(0x45, rng.choice(self.w.tos) & 0xfc, 20 + len(data), ident or self.ident, frag, 64,
                               number, 0, src, dst)
            return packets.checked(head) + data
        if ident is not None:
            data, number = struct.pack('!BBHI', number, 0, frag, ident) + data, packets.FRAG
        if rng.random() < 0.1:
            data, number = bytes([number, 0, 1, 4, 0, 0, 0, 0]) + data, rng.choice((packets.DST, packets.HOP))
        return packets.IP6(0x60000000, len(data), number, 64, src, dst) + data

    # One packet each, from a to b.

    def tcp(self, a, b, ports, flags, seq, ack, data=b''):
        head = struct.pack('!HHIIBBHHH', *ports, seq & 0xffffffff, ack & 0xffffffff, 0x50, flags, 8192, 0, 0)
        return self.packet(a, b, TCP, self.transport(a, b, TCP, head + data, 16))

    def udp(self, a, b, ports, data):
        head = struct.pack('!HHHH', *ports, 8 + len(data), 0)
        return self.packet(a, b, UDP, self.transport(a, b, UDP, head + data, 6))

    def echo(self, a, b, request, ident, number):
        kind = (0, 8)[request] if self.w.family == 4 else 128 + (not request)
        head = struct.pack('!BBHHH', kind, 0, 0, ident, number)
        return self.packet(a, b, ICMP, self.transport(a, b, ICMP, head + b'x' * 16, 2))

    def error(self, a, about):
        """From a, to whoever sent the packet."""
        kind, code = self.rng.choice(ERRORS[self.w.family])
        src = about[12:16] if self.w.family == 4 else about[8:24]
        head = struct.pack('!BBHI', kind, code, 0, 0)
        return self.packet(a, src, ICMP, self.transport(a, src, ICMP, head + about[:64], 2))

    # Whole conversations: lists of (sender, packet).

    def ports(self):
        rng = self.rng
        if self.w.translated or self.w.nats:        # a port that is taken would be translated to a random one
            self.port += 1
            return self.port, rng.choice(self.w.ports + [53, 80])
        return rng.choice(self.w.ports + [rng.randrange(1024, 65536)]), rng.choice(self.w.ports + [53, 80])

    def answer(self, a, b):
        """=> who answers a's packet to b, and to whom: what came may have been translated on the way"""
        there, back = self.w.translated or (b, a)
        return there if b == self.w.own[2] else b, back if a == self.w.source and b not in self.w.own else a

    def tcp_talk(self, a, b):
        rng = self.rng
        there = self.ports()
        back = there[::-1]
        c, d = self.answer(a, b)
        s, t = rng.getrandbits(32), rng.getrandbits(32)
        word = rng.choice(self.w.words)
        n = len(word)
        talk = [(a, self.tcp(a, b, there, SYN, s, 0)), (c, self.tcp(c, d, back, SYN | ACK, t, s + 1)),
                (a, self.tcp(a, b, there, ACK, s + 1, t + 1)), (a, self.tcp(a, b, there, PSH | ACK, s + 1, t + 1, word)),
                (c, self.tcp(c, d, back, ACK, t + 1, s + 1 + n))]
        if rng.random() < 0.3:
            return talk + [(c, self.tcp(c, d, back, RST | ACK, t + 1, s + 1 + n))]
        return talk + [(a, self.tcp(a, b, there, FIN | ACK, s + 1 + n, t + 1)),
                       (c, self.tcp(c, d, back, FIN | ACK, t + 1, s + 2 + n)),
                       (a, self.tcp(a, b, there, ACK, s + 2 + n, t + 2))]

    def udp_talk(self, a, b):
        there, word = self.ports(), self.rng.choice(self.w.words)
        c, d = self.answer(a, b)
        out = [(a, self.udp(a, b, there, word))]
        for _ in range(self.rng.randrange(3)):
            out += [(c, self.udp(c, d, there[::-1], word)), (a, self.udp(a, b, there, word * 2))]
        return out

    def echo_talk(self, a, b):
        ident = self.rng.randrange(65536)
        c, d = self.answer(a, b)
        return [x for n in range(self.rng.randint(1, 2))
                for x in ((a, self.echo(a, b, True, ident, n)), (c, self.echo(c, d, False, ident, n)))]

    def fragments(self, a, b):
        """A datagram in up to four parts; some go missing, or come in another order."""
        rng = self.rng
        word = bytes(rng.randrange(256) for _ in range(rng.randrange(40, 120)))
        head = struct.pack('!HHHH', *self.ports(), 8 + len(word), 0)
        data = self.transport(a, b, UDP, head + word, 6)
        ident, size = rng.randrange(1, 65536), 8 * rng.randint(5, 8)
        out = []
        for at in range(0, len(data), size):
            more = at + size < len(data)
            frag = at // 8 | 0x2000 * more if self.w.family == 4 else at | more
            out.append((a, self.packet(a, b, UDP, data[at:at + size], frag, ident)))
        if rng.random() < 0.3:
            rng.shuffle(out)
        return out[:-1] if len(out) > 1 and rng.random() < 0.2 else out

    def talk(self):
        rng = self.rng
        a, b = rng.sample(self.w.addrs, 2)
        how = rng.choice((self.tcp_talk, self.tcp_talk, self.udp_talk, self.echo_talk, self.fragments))
        out = how(a, b)
        if rng.random() < 0.4:      # in the middle of it, or about something that nobody has seen
            sender, about = rng.choice(out)
            router = rng.choice(self.w.addrs)
            out.insert(rng.randint(1, len(out)), (router, self.error(router, about)))
        return [p for p in out if rng.random() > 0.07]

    def cooked(self, sender, packet):
        """What we send to ourselves would be late: it comes in."""
        dst = packet[16:20] if self.w.family == 4 else packet[24:40]
        direction = SENT if sender in self.w.own and dst not in self.w.own else INCOMING
        kind = 0x0800 if self.w.family == 4 else 0x86dd
        return struct.pack('!HHH8xH', direction, 1, 0, kind) + packet

    def capture(self, count):
        """=> pcap file of so many conversations at a time; each one's packets are in order"""
        talks = [t for t in (self.talk() for _ in range(count)) if t]
        out = []
        while talks:
            t = self.rng.choice(talks)
            out.append(self.cooked(*t.pop(0)))
            if not t:
                talks.remove(t)
        return packets.capture(LINKTYPE_COOKED, out, 0)
