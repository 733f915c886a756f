# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures for a ruleset of one table, as iptables-save prints it.

uniform  each packet lies in the box of a rule drawn at random: its addresses, ports and so on hold for
         the rule, and for the rules that jump to its chain
zipf     the k-th rule is drawn with a share of 1/k^skew: a hot head
cross    source address and port of one box, the rest of another: it looks like a hit, most are none
miss     outside of all networks of the generators, of a protocol that no rule names

Headers are complete, lengths and checksums right.  Addresses are such that the kernel's routing
takes them: unicast, not 0.0.0.0/8, not loopback.
"""
import itertools
import random
import re
import struct

TCP, UDP, ICMP, ICMP6, NOBODY = 6, 17, 1, 58, 253
PROTO = {"icmp": 1, "igmp": 2, "tcp": 6, "udp": 17, "gre": 47, "esp": 50, "ah": 51, "ipv6-icmp": 58,
         "icmpv6": 58, "ospf": 89, "sctp": 132, "all": None}
# Options that a box has no side for: random, or text, or the name of what follows.
ASIDE = {"-m": 1, "--comment": 1, "--mode": 1, "--probability": 1, "-j": 1, "-g": 1, "--set-xmark": 1}
OPTION = re.compile(r'"[^"]*"|\S+')


KINDS = ("uniform", "zipf", "cross", "miss")


class Unfit(Exception):
    """A rule for which this program cannot make a packet."""


def number(text, version):
    if version == 4:
        a, b, c, d = text.split(".")
        return int(a) << 24 | int(b) << 16 | int(c) << 8 | int(d)
    head, gap, tail = text.partition("::")
    left = [int(w, 16) for w in head.split(":") if w]
    right = [int(w, 16) for w in tail.split(":") if w]
    words = left + [0] * (8 - len(left) - len(right)) * bool(gap) + right
    return int.from_bytes(struct.pack("!8H", *words), "big")


def network(text, version):
    """=> (value, length)"""
    address, _, length = text.partition("/")
    bits = 32 if version == 4 else 128
    length = int(length or bits)
    return number(address, version) >> bits - length << bits - length, length


def port_range(text):
    low, colon, high = text.partition(":")
    return int(low or 0), int(high or 65535) if colon else int(low)


class Box:
    """What a packet must be for a rule to hold; None: anything."""
    __slots__ = ("src", "dst", "proto", "sport", "dport", "icmp", "mac")

    def __init__(self):
        self.src = self.dst = (0, 0)
        self.proto = self.icmp = self.mac = None
        self.sport = self.dport = (0, 65535)

    def both(self, other, bits):
        """=> the common part, or None"""
        out = Box()
        for side in ("src", "dst"):
            a, b = sorted((getattr(self, side), getattr(other, side)), key=lambda n: n[1])
            if (a[0] ^ b[0]) >> bits - a[1]:
                return None
            setattr(out, side, b)
        for side in ("proto", "icmp", "mac"):
            a, b = getattr(self, side), getattr(other, side)
            if a is not None and b is not None and a != b:
                return None
            setattr(out, side, b if a is None else a)
        for side in ("sport", "dport"):
            a, b = getattr(self, side), getattr(other, side)
            both = max(a[0], b[0]), min(a[1], b[1])
            if both[0] > both[1]:
                return None
            setattr(out, side, both)
        return out


def parse(text, version):
    """=> box of a rule's options, those after "-A CHAIN" """
    box = Box()
    words = iter(OPTION.findall(text))
    for option in words:
        value = next(words, None)
        if option in ("-s", "-d"):
            setattr(box, "src" if option == "-s" else "dst", network(value, version))
        elif option == "-p":
            box.proto = PROTO[value] if value in PROTO else int(value)
        elif option in ("--sport", "--dport"):
            setattr(box, option[2:], port_range(value))
        elif option in ("--icmp-type", "--icmpv6-type"):
            box.icmp = int(value)
        elif option == "--mac-source":
            box.mac = bytes.fromhex(value.replace(":", ""))
        elif option not in ASIDE:
            raise Unfit(f"no packets for rules with {option}: {text}")
    return box


class Ruleset:
    """Where the rules are in the text, and which rule leads to a chain."""

    def __init__(self, text_lines):
        self.base, self.rules, self.leads = None, [], {}
        chains, known = set(), {}
        for line in text_lines:
            if line.startswith(":"):
                name, policy = line[1:].split(None, 2)[:2]
                if policy == "-":
                    chains.add(name)
            elif line.startswith("-A "):
                _, chain, rest = (line.rstrip("\n") + " ").split(" ", 2)
                chain = known.setdefault(chain, chain)
                self.rules.append((chain, rest))
                target = rest.rstrip().rpartition(" ")[2]
                if target in chains:
                    self.leads.setdefault(target, (chain, rest))
        self.version = 6 if any(":" in m for _, rest in self.rules[:2000]
                                for m in re.findall(r"-[sd] (\S+)", rest)) else 4
        self.bits = 32 if self.version == 4 else 128
        self.cache = {}

    def chain_box(self, chain):
        """=> what the rules that lead to a chain have in common, or None"""
        if chain not in self.leads:
            return Box()
        if chain not in self.cache:
            above, rest = self.leads[chain]
            outer = self.chain_box(above)
            self.cache[chain] = outer and outer.both(parse(rest, self.version), self.bits)
        return self.cache[chain]

    def box(self, at):
        """=> box of a rule, as packets from the base chain see it, or None"""
        chain, rest = self.rules[at]
        outer = self.chain_box(chain)
        return outer and outer.both(parse(rest, self.version), self.bits)

    def has_mac(self):
        return any("--mac-source" in rest for _, rest in self.rules[:2000])


class Packets:
    """Draws packets in boxes, and writes their bytes."""

    def __init__(self, version, rng, ethernet=False):
        self.version, self.rng, self.ethernet = version, rng, ethernet
        self.bits = 32 if version == 4 else 128

    def address(self, net):
        value, length = net
        for _ in range(64):
            low = self.rng.getrandbits(self.bits - length) if length < self.bits else 0
            address = value | low
            if self.is_unicast(address):
                return address
            if self.version == 6 and length < 4:
                return 0x2 << 124 | address & (1 << 124) - 1
        raise Unfit("no unicast address in a rule's network")

    def is_unicast(self, address):
        if self.version == 4:
            return 1 <= address >> 24 < 224 and address >> 24 != 127
        return address >> 125 == 1

    def fields(self, box):
        """=> (source, destination, protocol, source port or type, destination port, MAC)"""
        rng = self.rng
        proto = box.proto
        if proto is None:
            proto = TCP if rng.random() < 0.75 else UDP
        if proto in (ICMP, ICMP6):
            sport = 8 if box.icmp is None else box.icmp
            dport = 0
        else:
            sport, dport = rng.randint(*box.sport), rng.randint(*box.dport)
        mac = box.mac or bytes((2, *rng.getrandbits(40).to_bytes(5, "big")))
        return self.address(box.src), self.address(box.dst), proto, sport, dport, mac

    def cross(self, one, other):
        src, _, _, sport, _, _ = self.fields(one)
        _, dst, proto, port, dport, mac = self.fields(other)
        return src, dst, proto, port if proto in (ICMP, ICMP6) else sport, dport, mac

    def miss(self):
        low = self.rng.getrandbits
        if self.version == 4:
            net = 198 << 24 | 18 << 16
            return net | low(17), net | low(17), NOBODY, 0, 0, bytes((2, *low(40).to_bytes(5, "big")))
        net = 0x200100020000 << 80
        return net | low(80), net | low(80), NOBODY, 0, 0, bytes(6)

    def frame(self, fields):
        src, dst, proto, sport, dport, mac = fields
        size = self.bits // 8
        ends = src.to_bytes(size, "big") + dst.to_bytes(size, "big")
        payload = transport(ends, proto, sport, dport)
        if self.version == 4:
            first = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0x4000, 64, proto, 0)
            total = checksum(first + ends)
            packet = first[:10] + total.to_bytes(2, "big") + ends + payload
        else:
            packet = struct.pack("!IHBB", 6 << 28, len(payload), proto, 64) + ends + payload
        if not self.ethernet:
            return packet
        kind = b"\x08\x00" if self.version == 4 else b"\x86\xdd"
        return b"\x02\x00\x00\x00\x00\x01" + mac + kind + packet


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def transport(ends, proto, sport, dport):
    """=> 20 bytes: a header, and a payload of zeros"""
    pseudo = struct.pack("!II", 20, proto)
    if proto == TCP:
        head = struct.pack("!HHIIBBHHH", sport, dport, 1, 0, 5 << 4, 2, 64240, 0, 0)
        return head[:16] + checksum(ends + pseudo + head).to_bytes(2, "big") + head[18:]
    if proto == UDP:
        head = struct.pack("!HHHH", sport, dport, 20, 0)
        total = checksum(ends + pseudo + head) or 0xffff
        return head[:6] + total.to_bytes(2, "big") + bytes(12)
    if proto in (ICMP, ICMP6):
        head = struct.pack("!BBHI", sport, dport, 0, 1)
        total = checksum((ends + pseudo if proto == ICMP6 else b"") + head)
        return head[:2] + total.to_bytes(2, "big") + head[4:] + bytes(12)
    return bytes(20)


def draws(ruleset, kind, rng, skew):
    """=> endless numbers of rules, for kind"""
    count = len(ruleset.rules)
    if kind != "zipf":
        return (int(rng.random() * count) for _ in itertools.repeat(None))
    sums = list(itertools.accumulate((k + 1) ** -skew for k in range(count)))
    return (at for _ in itertools.repeat(None)
            for at in rng.choices(range(count), cum_weights=sums, k=64))


def trace(ruleset, kind, count, seed, skew=1.0):
    """=> (number of the rule it was drawn for or None, fields) each, and the Packets that frame them"""
    rng = random.Random(f"trace {kind} {seed}")
    packets = Packets(ruleset.version, rng, ruleset.has_mac())
    out = []
    if kind == "miss":
        return [(None, packets.miss()) for _ in range(count)], packets
    if not ruleset.rules:
        raise Unfit("a ruleset without rules has no boxes")
    numbers, tries = draws(ruleset, kind, rng, skew), 0
    while len(out) < count:
        at = next(numbers)
        box = ruleset.box(at)
        tries += 1
        if box is None:
            if tries > 100 * count:
                raise Unfit("hardly a rule can be reached")
            continue
        if kind == "cross":
            other = ruleset.box(next(numbers))
            if other is not None:
                out.append((None, packets.cross(box, other)))
            continue
        out.append((at, packets.fields(box)))
    return out, packets


def write(path, frames, ethernet):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1 if ethernet else 101))
        for n, frame in enumerate(frames):
            f.write(struct.pack("<IIII", 1700000000 + n // 1000, n % 1000 * 1000, len(frame), len(frame)))
            f.write(frame)


def make(text_lines, path, kind, count, seed, skew=1.0):
    drawn, packets = trace(Ruleset(text_lines), kind, count, seed, skew)
    write(path, [packets.frame(fields) for _, fields in drawn], packets.ethernet)
