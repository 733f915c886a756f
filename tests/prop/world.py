# SPDX-License-Identifier: GPL-2.0-or-later
"""The constants that the rules and the packets of one seed share.

A rule hits about as often as it misses only if the packets know what the rules ask for.  So one seed
makes one World: small pools of addresses, ports, types, words ...  Rules draw their arguments from the
pools, packets draw their fields from the same pools with some noise added.  The pools depend on nothing
but (seed, family, link), so both generators can build the same World without talking to each other.
"""
import random

TUN, TAP = 'tun', 'tap'
DEV = {TUN: 'tun0', TAP: 'tap0'}
TAP_MAC = bytes.fromhex('02aa00000001')

WORDS = [b'GET /', b'Host: ', b'abab', b'ababc', b'x', b'needle', b'NeEdLe', b'aaab', b'aaaa',
         b'\x00\x01\x02', b'\xff\xfe', b'HTTP/1.1', b'mississippi', b'issip', b'pi\r\n', b'abcabcabd', b'ab' * 20, b'b' + b'ab' * 5, bytes(3), b'zaZ', b'z\xe9\xf7\xdf', b'\xc9\xfeq']

PROTOS4 = {'icmp': 1, 'tcp': 6, 'udp': 17, 'dccp': 33, 'esp': 50, 'ah': 51, 'ipcomp': 108,
           'sctp': 132, 'udplite': 136}
PROTOS6 = {'icmp6': 58, 'tcp': 6, 'udp': 17, 'dccp': 33, 'esp': 50, 'ah': 51, 'ipcomp': 108,
           'sctp': 132, 'udplite': 136, 'mh': 135}


def link_of(seed):
    """Every sixth seed has Ethernet frames (a tap device), the others IP packets (tun)."""
    return TAP if seed % 6 == 5 else TUN


def tracks(seed):
    """Every tenth seed has matches on connections.  They switch reassembly on: no fragments then."""
    return seed % 10 == 7


class World:
    def __init__(self, seed, family):
        self.seed, self.family, self.link = seed, family, link_of(seed)
        self.rng = rng = random.Random(f'world {family} {seed}')
        self.dev = DEV[self.link]
        self.tracked = tracks(seed)
        self.ports = [rng.randrange(65536) for _ in range(4)]
        self.ports += [rng.choice((0, 1, 22, 53, 80, 443, 1024, 8080, 65534, 65535)) for _ in range(3)]
        self.ports += [(self.ports[0] + 1) & 0xffff, self.ports[0] ^ 0x0100]
        self.lives = [rng.choice((0, 1, 2, 63, 64, 65, 127, 128, 254, 255)) for _ in range(4)]
        self.tos = [rng.randrange(256) for _ in range(3)] + [0, rng.choice((0x10, 0x08, 0x04, 0x02, 0xb8))]
        self.ids = [rng.randrange(1 << 32) for _ in range(2)] + [rng.randrange(10)]
        self.spis = [rng.randrange(1 << 32) for _ in range(2)] + [rng.randrange(1000), 0xffffffff]
        self.cpis = [rng.randrange(1 << 16) for _ in range(2)] + [rng.randrange(64), 0]
        self.marks = [rng.randrange(1, 256) for _ in range(3)] + [rng.randrange(1 << 32)]
        self.words = rng.sample(WORDS, 5)
        self.words.append(bytes(rng.randrange(256) for _ in range(rng.randint(1, 9))))
        self.mss = [536, 1460, rng.choice((0, 1220, 1459)), rng.randrange(65536)]
        self.flags = [0x02, 0x12, 0x10, 0x11, 0x04, 0x18, rng.randrange(256), rng.randrange(256)]
        self.icmp = [rng.choice((0, 3, 4, 5, 8, 11, 12, 13)) for _ in range(3)] + [rng.randrange(256)]
        self.icmp6 = [rng.choice((1, 2, 3, 4, 128, 129, 133, 134, 135, 136)) for _ in range(3)]
        self.icmp6.append(rng.randrange(256))
        self.codes = [0, 0, 1, rng.randrange(16)]
        self.tcp_opts = [2, 3, 4, 5, 8, rng.randrange(1, 256)]
        self.dccp_opts = [32, 37, 44, rng.randrange(1, 256)]
        self.mh = [rng.randrange(0, 9) for _ in range(3)] + [rng.randrange(256)]
        # not 7: whether a CALIPSO option passes depends on how the kernel was built
        self.v6opts = [5, rng.randrange(8, 48), rng.choice((2, 3, 4, 6, rng.randrange(8, 62))), 73]
        self.rt_types = [0, 2, rng.randrange(256)]
        self.macs = [bytes([2, 0xbb] + [rng.randrange(256) for _ in range(4)]) for _ in range(3)]
        self.addrs = self._addrs4() if family == 4 else self._addrs6()
        # addresses of other types than unicast; all pass the receive path
        self.specials = [bytes(4), bytes([0, 1, 2, 3]), bytes([127, 0, 0, 5]), bytes([240, 1, 1, 1])] \
            if family == 4 else [bytes(16), bytes.fromhex('0' * 20 + 'ffff01020304'), bytes(12) + bytes([1, 2, 3, 4])]
        self.groups = [bytes([224, 0, 0, 1]), bytes([255] * 4)] if family == 4 else \
                      [bytes.fromhex('ff02' + '0' * 27 + '1'), bytes.fromhex('ff0e' + '0' * 26 + '22')]

    def _addrs4(self):
        rng = self.rng
        net = [rng.randrange(1, 224) for _ in range(3)]
        near = [bytes(net + [rng.randrange(256)]) for _ in range(3)]
        wide = [bytes(net[:2] + [rng.randrange(256), rng.randrange(256)]) for _ in range(2)]
        far = [bytes([rng.randrange(1, 224)] + [rng.randrange(256) for _ in range(3)]) for _ in range(2)]
        return near + wide + far

    def _addrs6(self):
        rng = self.rng
        net = bytes.fromhex('20010db8') + bytes(rng.randrange(256) for _ in range(4))
        near = [net + bytes(7) + bytes([rng.randrange(256)]) for _ in range(3)]
        wide = [net + bytes(rng.randrange(256) for _ in range(8)) for _ in range(2)]
        mac = self.macs[0]
        self.eui64 = bytes.fromhex('fe80') + bytes(6) + bytes([mac[0] ^ 2]) + mac[1:3] + b'\xff\xfe' + mac[3:]
        far = [self.eui64,
               bytes([rng.randrange(0x20, 0xfe)] + [rng.randrange(256) for _ in range(15)])]
        return near + wide + far

    def noisy(self, pool, top, times=3):
        """A list for packets to draw from: the pool a few times, neighbours and strangers once."""
        rng = self.rng
        out = list(pool) * times
        for v in pool:
            out += [min(v + 1, top), rng.randint(0, top)]
        return out
