#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What -m conntrack says of a connection's addresses and ports, the kernel's tracker against xt2.

  tuple.py --xt2 PATH --inject PATH [--seeds 1-4] [--keep DIR]

Every packet starts a connection of its own, so all are NEW; table mangle, hook PREROUTING.  Ends with 0
if all counters are equal, 1 if not, 77 (and the reason) if this machine cannot show it.
"""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True      # the sources may be read-only, and are not ours to litter

from compare import RULE
from kernel import Kernel, Missing, enter
from packets import checksum
from world import DEV, TUN

SKIP = 77
TCP, UDP, ICMP, ICMP6, ESP = 6, 17, 1, 58, 50
PORTS = (5, 6, 7, 80, 81, 443, 1000, 2048)


class Case:
    def __init__(self, seed, family):
        self.rng = random.Random(f'tuple {seed} {family}')
        self.family = family
        self.protocols = (TCP, UDP, ICMP if family == 4 else ICMP6, ESP)
        self.flows = set()

    def address(self, n):
        return bytes([10, 0, 0, n]) if self.family == 4 else bytes.fromhex('20010db8' + '00' * 11) + bytes([n])

    def text(self, n):
        return f'10.0.0.{n}' if self.family == 4 else f'2001:db8::{n}'

    # --- rules

    def test(self):
        rng, side = self.rng, self.rng.choice(('origsrc', 'origdst', 'replsrc', 'repldst'))
        not_ = rng.choice(('', '', '! '))
        kind = rng.randrange(10)
        if kind < 4:
            length = rng.choice((31, 32)) if self.family == 4 else rng.choice((127, 128))
            return f'{not_}--ct{side} {self.text(rng.randint(1, 3))}/{length}'
        if kind < 8:
            first, last = sorted(rng.sample(PORTS, 2))
            return f'{not_}--ct{side}port {rng.choice((first, f"{first}:{last}", "0"))}'
        if kind == 8:
            return f'{not_}--ctproto {rng.choice(self.protocols)}'
        return rng.choice(('--ctstate NEW', '! --ctstate NEW', '--ctdir ORIGINAL', '--ctdir REPLY'))

    def rules(self, n):
        out = ['*mangle', ':PREROUTING ACCEPT [0:0]']
        while len(out) < n + 2:
            tests = [self.test() for _ in range(self.rng.choice((1, 1, 2, 3)))]
            names = [t.replace('! ', '').split()[0] for t in tests]
            if len(set(names)) == len(names):
                out.append('-A PREROUTING -m conntrack ' + ' '.join(tests))
        return '\n'.join(out + ['COMMIT', ''])

    # --- packets

    def transport(self, proto, src, dst):
        """=> bytes of the segment, and what tells its connection from others, both ways"""
        rng = self.rng
        sport, dport = rng.choice(PORTS + (rng.randrange(1, 65536),) * 4), rng.choice(PORTS)
        if proto == TCP:
            seg, at = struct.pack('!HHIIBBHHH', sport, dport, 1, 0, 0x50, 2, 100, 0, 0), 16
        elif proto == UDP:
            seg, at = struct.pack('!HHHH', sport, dport, 8, 0), 6
        elif proto in (ICMP, ICMP6):
            kind = rng.choice((8, 13)) if proto == ICMP else 128
            seg, at = struct.pack('!BBHHH', kind, 0, 0, sport, 1) + bytes(12), 2
            dport = sport
        else:
            return rng.randbytes(16), (0, 0)
        pseudo = b'' if proto == ICMP else src + dst + struct.pack('!HH', len(seg), proto)
        return seg[:at] + struct.pack('!H', checksum(pseudo + seg)) + seg[at + 2:], (sport, dport)

    def packet(self):
        """A packet of a connection that was not there before; None: try again"""
        a, b = self.rng.sample(range(1, 5), 2)
        proto, src, dst = self.rng.choice(self.protocols), self.address(a), self.address(b)
        seg, ports = self.transport(proto, src, dst)
        flow = frozenset(((a, ports[0]), (b, ports[1])))
        if (proto, flow) in self.flows:
            return None
        self.flows.add((proto, flow))
        if self.family == 6:
            return struct.pack('!IHBB', 6 << 28, len(seg), proto, 64) + src + dst + seg
        head = struct.pack('!BBHHHBBH', 0x45, 0, 20 + len(seg), 0, 0, 64, proto, 0) + src + dst
        return head[:10] + struct.pack('!H', checksum(head)) + head[12:] + seg

    def capture(self, n):
        out = [struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)]
        for i in range(n):
            p = self.packet()
            if p:
                out.append(struct.pack('<IIII', i, 0, len(p), len(p)) + p)
        return b''.join(out)


def counters(text):
    return [(int(m[1]), int(m[2]), m[3]) for m in map(RULE.match, text.split('\n')) if m]


def differences(args, kernel, workdir, seed, family):
    case = Case(seed, family)
    rules, pcap = os.path.join(workdir, 'rules'), os.path.join(workdir, 'capture.pcap')
    text = case.rules(80)
    with open(rules, 'w', encoding='ascii') as f:
        f.write(text)
    with open(pcap, 'wb') as f:
        f.write(case.capture(400))
    kernel.load(family, text)
    kernel.inject(pcap)
    p = subprocess.run([args.xt2, 'replay', '-q', '--rules', rules, f'-{family}', '--hook', 'PREROUTING', '--in',
                        DEV[TUN], '--table', 'mangle', '--ctstate', 'NEW', '--counters', '-', pcap],
                       capture_output=True, text=True, check=True)
    ours = counters(p.stdout)
    theirs = counters(re.search(r'\*mangle.*?COMMIT', kernel.counters(family), re.S)[0])
    out = [f'kernel {k[0]}:{k[1]} xt2 {x[0]}:{x[1]}  {k[2]}' for k, x in zip(theirs, ours) if k[:2] != x[:2]]
    if len(ours) != len(theirs):
        out.append(f'the kernel has {len(theirs)} rules, xt2 {len(ours)}')
    return out, len(ours), sum(bool(k[0]) for k in theirs)


def run(args, kernel, workdir):
    first, last = map(int, args.seeds.split('-'))
    rules = hit = failed = 0
    for seed in range(first, last + 1):
        for family in (4, 6):
            out, n, seen = differences(args, kernel, workdir, seed, family)
            rules, hit, failed = rules + n, hit + seen, failed + bool(out)
            if out:
                print(f'FAIL seed {seed} IPv{family}: {len(out)} difference(s)')
                print('\n'.join('  ' + line for line in out[:8]))
                print(f'  again: {sys.argv[0]} --xt2 {args.xt2} --inject {args.inject} --seeds {seed}-{seed} --keep DIR')
    print(f'{rules} rules ({hit} of them hit), {failed} rulesets failed')
    return not failed and hit * 2 > rules


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--xt2', default='./xt2')
    ap.add_argument('--inject', required=True)
    ap.add_argument('--seeds', default='1-4', help='first and last')
    ap.add_argument('--keep', help='directory for the files of the last case')
    args = ap.parse_args()
    workdir = None
    try:
        enter()
        workdir = args.keep or tempfile.mkdtemp(prefix='xt2-tuple.')
        os.makedirs(workdir, exist_ok=True)
        kernel = Kernel(args.inject, workdir, [4, 6])
        good = run(args, kernel, workdir)
        kernel.close()
        return 0 if good else 1
    except Missing as e:
        print(f'SKIP: {e}')
        return SKIP
    finally:
        if workdir and not args.keep:
            shutil.rmtree(workdir, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
