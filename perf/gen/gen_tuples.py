# SPDX-License-Identifier: GPL-2.0-or-later
"""5-tuple rulesets: like access lists (acl), firewalls (fw) and chains of iptables (ipc).

What such sets look like is from D. Taylor and J. Turner, "ClassBench: A Packet Classification
Benchmark" (INFOCOM 2005; IEEE/ACM Transactions on Networking 15(3), 2007): pairs of prefix lengths,
how prefixes nest and how unevenly they fill the address space, five classes of port ranges in pairs
(WC any, HI 1024:65535, LO 0:1023, AR other range, EM one port), protocols.  No file or line of
ClassBench is used: each family here is a table of shares of our own, set so that at 1,000, 10,000 and
100,000 rules the shares of wildcards, the number of pairs of prefix lengths and the rules that hold
for a packet come near those of sets with these names (README.md has both side by side).

An address is a walk down a tree, an octet a step: at each node the octets' order is a shuffle that
depends on the node alone, and their shares fall off as 1/rank^skew.  So popular networks recur, and
prefixes of different lengths nest.  No rule is there twice.
"""
import random
import struct

EXACT = 250  # ports of a set besides the well-known ones
TABLE = 4096  # entries of a table from which a share is drawn
MASK = 0xffffffff
GOLDEN = 0x9e3779b1

# First octets: unicast, not loopback; 198.18.0.0/15 stays free for packets that match nothing.
FIRST = [o for o in range(1, 224) if o not in (127, 198)]
# First 16 bits of IPv6 addresses; 2001:2::/48 stays free.
FIRST6 = [0x2001, 0x2a00, 0x2600, 0x2400, 0x2804, 0x2a02, 0x2c0f, 0x2607, 0x2a01, 0x2402, 0x2003,
          0x2620, 0x2409, 0x2a03, 0x2605, 0x2408]

PORTS = [80, 443, 22, 25, 53, 21, 23, 110, 143, 3389, 8080, 1433, 3306, 993, 995, 445, 139, 389, 123,
         161, 514, 1521, 5432, 5060, 8443, 636, 88, 135, 587, 465, 2049, 111, 179, 6379, 27017, 9200]
RANGES = [(137, 139), (20, 21), (6000, 6063), (8080, 8089), (33434, 33523), (5060, 5061), (67, 68),
          (1024, 5000), (49152, 65535), (135, 139), (161, 162), (512, 514), (2000, 2010), (30000, 32767)]
NAMES = {1: "icmp", 6: "tcp", 17: "udp", 58: "ipv6-icmp"}
ICMP_TYPES, ICMP6_TYPES = (0, 3, 5, 8, 11, 12), (1, 2, 3, 4, 128, 129)

# Shares.  src and dst: of prefix lengths, 0 any address; pair: of rules whose addresses are those of an
# earlier rule; nest: of those whose networks contain an earlier rule's; broad: of rules with two short
# prefixes, those that are kept; skew: of the octets; ports: of pairs of classes, source and
# destination; proto: 0 any.
FAMILIES = {
    "acl": {
        "src": {0: 5, 8: 3, 14: 5, 16: 50, 18: 20, 20: 40, 21: 40, 22: 60, 23: 70, 24: 200, 26: 60,
                27: 60, 28: 90, 30: 50, 32: 250},
        "dst": {0: 4, 12: 4, 16: 20, 20: 15, 22: 25, 23: 30, 24: 120, 26: 40, 27: 50, 28: 60, 30: 30,
                32: 600},
        "pair": 0.3, "nest": 0.3, "broad": 1, "skew": (2.3, 2.0, 1.7, 1.3),
        "proto": {0: 6, 1: 5, 6: 74, 17: 14, 47: 1},
        "ports": {"WC WC": 18, "WC EM": 60, "WC AR": 14, "WC HI": 6, "WC LO": 2},
    },
    "fw": {
        "src": {0: 460, 8: 25, 12: 25, 16: 50, 20: 30, 22: 30, 24: 110, 26: 30, 27: 30, 28: 50, 30: 30,
                32: 170},
        "dst": {0: 240, 8: 25, 12: 25, 16: 50, 20: 40, 22: 50, 24: 150, 26: 40, 27: 40, 28: 60, 30: 40,
                32: 320},
        "pair": 0.3, "nest": 0.15, "broad": 0.15, "skew": (2.0, 1.6, 1.2, 0.8),
        "proto": {0: 8, 1: 5, 6: 62, 17: 22, 47: 1, 50: 2},
        "ports": {"WC WC": 10, "WC EM": 48, "WC AR": 8, "WC HI": 7, "WC LO": 2, "EM WC": 10,
                  "HI EM": 7, "EM EM": 4, "EM HI": 2, "AR EM": 1, "HI HI": 1},
    },
    "ipc": {
        "src": {0: 80, 8: 4, 10: 3, 12: 4, 14: 5, 16: 40, 17: 10, 18: 15, 19: 15, 20: 30, 21: 30, 22: 40,
                23: 50, 24: 170, 25: 30, 26: 40, 27: 50, 28: 60, 29: 40, 30: 50, 32: 230},
        "dst": {0: 60, 8: 4, 12: 4, 14: 5, 16: 50, 18: 15, 19: 15, 20: 30, 21: 30, 22: 40, 23: 40,
                24: 170, 25: 30, 26: 40, 27: 50, 28: 60, 30: 50, 32: 310},
        "pair": 0.3, "nest": 0.2, "broad": 1, "skew": (1.4, 1.1, 0.9, 0.6),
        "proto": {0: 10, 1: 8, 6: 52, 17: 27, 50: 2, 89: 1},
        "ports": {"WC WC": 28, "WC EM": 38, "EM WC": 10, "EM EM": 7, "WC AR": 7, "AR WC": 3, "WC HI": 3,
                  "HI EM": 2, "AR AR": 1, "WC LO": 1},
    },
}
# IPv6: the same, at lengths that networks have there.
LENGTHS6 = {0: 0, 8: 20, 10: 22, 12: 24, 14: 28, 16: 32, 17: 33, 18: 34, 19: 35, 20: 36, 21: 38, 22: 40,
            23: 44, 24: 48, 25: 49, 26: 52, 27: 56, 28: 60, 29: 62, 30: 64, 32: 128}


def table(shares, size=TABLE):
    """=> a list in which each key has its share of the places, at least one"""
    total = sum(shares.values())
    out = []
    for key, share in shares.items():
        out += [key] * max(1, round(size * share / total))
    return out


def ranks(count, skew, size=1024):
    return table({r: (r + 1) ** -skew for r in range(count)}, size)


def fitted(entries, bits, rng):
    """=> 2^bits entries with the same shares"""
    size = 1 << bits
    entries = [entries[i * len(entries) // size] for i in range(size)]
    rng.shuffle(entries)
    return entries


class Addresses:
    """Networks of one side, drawn by length: an octet after another, each by those before it."""

    def __init__(self, rng, first, skew):
        self.random = rng.getrandbits
        first = first[:]
        rng.shuffle(first)
        self.first = [first[r] for r in fitted(ranks(len(first), skew[0]), 10, rng)]
        self.steps = [fitted(ranks(256, s), 10, rng) for s in skew[1:]]
        self.salt = rng.getrandbits(32)

    def octets(self):
        bits = self.random(10 * (len(self.steps) + 1))
        value = self.first[bits & 1023]
        node = self.salt ^ value
        for step in self.steps:
            bits >>= 10
            node = node * GOLDEN & MASK
            octet = step[bits & 1023] ^ node >> 24
            node ^= octet + 1
            value = value << 8 | octet
        return value


class Addresses4(Addresses):
    bits = 32

    def __init__(self, rng, skew):
        super().__init__(rng, FIRST, skew)

    def draw(self, length):
        if not length:
            return 0
        value = self.octets()
        if length < 8:
            value &= 0x7fffffff  # away from 198.18.0.0/15
        return value >> 32 - length << 32 - length

    @staticmethod
    def text(value, length):
        return f"{value >> 24}.{value >> 16 & 255}.{value >> 8 & 255}.{value & 255}/{length}"


class Addresses6(Addresses):
    bits = 128

    def __init__(self, rng, skew):
        super().__init__(rng, FIRST6, skew + skew[-1:] * 3)

    def draw(self, length):
        if not length:
            return 0
        value = self.octets()
        if value >> 32 == 0x20010002:
            value |= 1 << 31
        if length > 64:
            low = self.random(64)  # half of the hosts are numbered, half have an identifier
            value = value << 64 | (low & 0xff if low >> 63 else low)
        else:
            value <<= 64
        return value >> 128 - length << 128 - length

    @staticmethod
    def text(value, length):
        words = [f"{w:x}" for w in struct.unpack("!8H", value.to_bytes(16, "big"))]
        if length <= 64:
            return f"{words[0]}:{words[1]}:{words[2]}:{words[3]}::/{length}"
        return f"{':'.join(words)}/{length}"


class Ports:
    """A port or a range as text, by class.

    Sets in use name few ports: half of the exact ones are well known, the others are of EXACT that
    this set has; ranges are of RANGES and as many again.
    """

    def __init__(self, rng):
        popular = table({str(p): 1 / (r + 1) for r, p in enumerate(PORTS)}, 1024)
        own = [str(rng.randrange(1, 65536)) for _ in range(EXACT)]
        exact = [p for pair in zip(popular, own * (len(popular) // EXACT + 1)) for p in pair]
        ranges = [f"{low}:{high}" for low, high in RANGES + [self.range(rng) for _ in RANGES]]
        self.random = rng.random
        self.kinds = {"EM": exact, "AR": ranges, "HI": ["1024:65535"], "LO": ["0:1023"]}

    @staticmethod
    def range(rng):
        low = rng.randrange(1, 60000)
        return low, low + rng.choice((1, 3, 9, 15, 99, 499, 999, 4999))

    def draw(self, kind):
        texts = self.kinds[kind]
        return texts[int(self.random() * len(texts))]


class Tuples:
    """Rules of one family, as (source, length, destination, length, protocol and what follows)."""

    def __init__(self, family, version, rng, parameters=None):
        self.shares = dict(FAMILIES[family], **(parameters or {}))
        self.rng, self.version = rng, version
        make = Addresses4 if version == 4 else Addresses6
        self.src, self.dst = make(rng, self.shares["skew"]), make(rng, self.shares["skew"])
        self.lengths = [self.length_table(self.shares[side]) for side in ("src", "dst")]
        self.ports = Ports(rng)
        self.port_pairs = [tuple(k.split()) for k in table(self.shares["ports"], 1024)]
        self.protos = table(self.shares["proto"], 1024)
        self.around_below = self.shares["pair"] + self.shares["nest"]
        self.short = 16 if version == 4 else 32

    def length_table(self, shares):
        if self.version == 6:
            shares = {LENGTHS6[k]: v for k, v in shares.items()}
        return table(shares)

    def rest(self):
        """=> text of protocol, ports, ICMP type"""
        rng = self.rng
        proto = self.protos[int(rng.random() * len(self.protos))]
        if proto in (6, 17):
            s, d = self.port_pairs[int(rng.random() * len(self.port_pairs))]
            name = NAMES[proto]
            if s == d == "WC":
                return f" -p {name}"
            text = f" -p {name} -m {name}"
            if s != "WC":
                text += f" --sport {self.ports.draw(s)}"
            if d != "WC":
                text += f" --dport {self.ports.draw(d)}"
            return text
        if proto == 1:
            return self.icmp()
        return f" -p {proto}" if proto else ""

    def icmp(self):
        pick = int(self.rng.random() * 8)
        if self.version == 6:
            kind = f" -m icmp6 --icmpv6-type {ICMP6_TYPES[pick]}" if pick < 6 else ""
            return f" -p ipv6-icmp{kind}"
        kind = f" -m icmp --icmp-type {ICMP_TYPES[pick]}" if pick < 6 else ""
        return f" -p icmp{kind}"

    def around(self, pair, slen, dlen):
        """=> networks that contain those of a pair, no longer than the lengths given"""
        s, sl, d, dl = pair
        bits = self.src.bits
        sl, dl = min(sl, slen), min(dl, dlen)
        return s >> bits - sl << bits - sl, sl, d >> bits - dl << bits - dl, dl

    def pair(self, pairs):
        """=> networks of a rule: an earlier one's, around those, or new ones"""
        rng, (slen, dlen) = self.rng.random, self.lengths
        pick = rng() if pairs else 1
        if pick < self.shares["pair"]:
            return pairs[int(rng() * len(pairs))]
        while True:
            s, d = slen[int(rng() * len(slen))], dlen[int(rng() * len(dlen))]
            if pick < self.around_below:
                pair = self.around(pairs[int(rng() * len(pairs))], s, d)
            else:
                pair = (self.src.draw(s), s, self.dst.draw(d), d)
            if pair[1] >= self.short or pair[3] >= self.short or rng() < self.shares["broad"]:
                pairs.append(pair)
                return pair

    def rules(self, count):
        """=> list of distinct rules"""
        seen, pairs, out = set(), [], []
        while len(out) < count:
            rule = (*self.pair(pairs), self.rest())
            # All packets: not a rule that real ones have before others.
            if rule in seen or not (rule[1] or rule[3] or rule[4]):
                continue
            seen.add(rule)
            out.append(rule)
        return out

    def ordered(self, count, order):
        """nested: the narrower the earlier, so no rule is hidden by one before it; with some noise,
        as rules are also added later.  random: as drawn."""
        rules = self.rules(count)
        if order == "random":
            return rules
        noise = self.rng.random
        scale = 1 if self.version == 4 else 4
        rules.sort(key=lambda r: -(r[1] + r[3]) / scale - ("port" in r[4]) * 8 - noise() * 8)
        return rules

    def text(self, rule):
        s, slen, d, dlen, rest = rule
        source = f" -s {self.src.text(s, slen)}" if slen else ""
        destination = f" -d {self.dst.text(d, dlen)}" if dlen else ""
        return f"{source}{destination}{rest}"


def head(policies="ACCEPT ACCEPT DROP", chains=()):
    base = zip(("INPUT", "FORWARD", "OUTPUT"), policies.split())
    return ["*filter"] + [f":{c} {p} [0:0]" for c, p in base] + [f":{c} - [0:0]" for c in chains]


def suffixes(targets, rng, count):
    """=> an iterator of " -j TARGET" or "" """
    ends = ["" if t == "none" else f" -j {t}" for t in targets]
    if len(ends) == 1:
        return iter(ends * count)
    return iter([ends[int(rng.random() * len(ends))] for _ in range(count)])


def lines(kind, count, seed, targets=("DROP",), order="nested"):
    """A whole ruleset: kind is acl4, fw6 and so on."""
    rng = random.Random(f"{kind} {seed}")
    tuples = Tuples(kind[:-1], int(kind[-1]), rng)
    rules = tuples.ordered(count, order)
    ends = suffixes(targets, rng, count)
    return head() + [f"-A OUTPUT{tuples.text(r)}{next(ends)}" for r in rules] + ["COMMIT"]
