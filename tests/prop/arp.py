#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random ARP rulesets and packets, the kernel's counters and arptables' text against xt2's.

  arp.py --xt2 PATH --inject PATH [--seeds 1-8] [--rules 50] [--count 600] [--keep DIR]

Each ruleset is loaded by arptables-legacy in a network namespace of its own; its frames come in by a tap
device, so they meet hook INPUT.  Ends with 0 if all counters and all texts are equal, with 1 if not, with
77 (and the reason) if this machine cannot show it.
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

from compare import RULE, differences
from kernel import Missing, enter
from world import DEV, TAP, TAP_MAC, TUN

SKIP = 77
BROADCAST = b'\xff' * 6
POLICY = re.compile(r'Chain (\S+) \(policy (\S+) (\d+) packets, (\d+) bytes\)')
LISTED = re.compile(r', pcnt=(\d+) -- bcnt=(\d+)(K?) ?$')
ARP_SIZE = 28       # what the kernel counts for a packet on Ethernet


class World:
    """Small pools, so that rules hit about as often as they miss."""

    def __init__(self, seed):
        self.rng = rng = random.Random(f'arp {seed}')
        net = [rng.randrange(1, 224) for _ in range(3)]
        self.addrs = [bytes(net + [rng.randrange(256)]) for _ in range(3)]
        self.addrs += [rng.randbytes(4), rng.randbytes(4), bytes(4)]
        self.macs = [b'\x02\xbb' + rng.randbytes(4) for _ in range(3)]
        self.macs += [BROADCAST, bytes(6), bytes.fromhex('01005e000001')]
        self.ops = [1, 1, 2, 2, 3, 8, rng.randrange(65536)]
        self.hrd = [1, 1, 6, rng.randrange(65536)]
        self.pro = [0x800, 0x800, 0x86dd, rng.randrange(65536)]

    def noisy(self, pool, high):
        return self.rng.choice(pool) if self.rng.random() < 0.85 else self.rng.randrange(high)


def mac(m):
    return ':'.join(f'{b:02x}' for b in m)


def dotted(a):
    return '.'.join(map(str, a))


class Rules:
    """Every base test, plain, masked and inverted; a tree of chains; each target that can be evaluated."""

    def __init__(self, world):
        self.w, self.rng = world, world.rng

    def address(self):
        rng, a = self.rng, self.rng.choice(self.w.addrs)
        how = rng.randrange(5)
        if how == 0:
            return dotted(a)
        if how == 1:
            return f'{dotted(a)}/{dotted(bytes(rng.choice((255, 255, 0, 240)) for _ in range(4)))}'
        return f'{dotted(a)}/{rng.choice((0, 1, 8, 15, 23, 24, 25, 31, 32))}'

    def hardware(self):
        rng = self.rng
        if rng.random() < 0.2:
            return rng.choice(('Unicast', 'Multicast', 'Broadcast'))
        masks = ('', '/ff:ff:ff:00:00:00', '/01:00:00:00:00:00', '/00:00:00:00:00:ff', '/ff:ff:ff:ff:ff:ff')
        return mac(rng.choice(self.w.macs)) + rng.choice(masks)

    def masked(self, value, form, mask, masks):
        return form.format(value) + (self.rng.choice(masks) if mask else '')

    def tests(self):
        w, rng = self.w, self.rng
        mask = rng.random() < 0.3
        yield '-s', self.address()
        yield '-d', self.address()
        yield '--source-mac', self.hardware()
        yield '--destination-mac', self.hardware()
        yield '-i', rng.choice((DEV[TAP], 'tap+', 't+', 'eth0', 'tap', DEV[TAP] + '+', '+'))
        yield '--opcode', self.masked(w.noisy(w.ops, 65536), '{}', mask, ('/1', '/3', '/65535', '/0', '/65534'))
        yield '--h-type', self.masked(w.noisy(w.hrd, 65536), '{:x}', mask, ('/1', '/ff', '/ffff', '/fffe'))
        yield '--proto-type', self.masked(w.noisy(w.pro, 65536), '0x{:x}', mask, ('/0xff00', '/0x800', '/0xffff'))
        yield '--h-length', rng.choice(('6', '6', '8', '6/255', '4/4', '0/1', '2/255'))

    def conditions(self, where):
        rng = self.rng
        tests = list(self.tests())
        if where == 'OUTPUT':
            tests = [t for t in tests if t[0] != '-i']
        elif where != 'INPUT':
            tests.append(('-o', rng.choice((DEV[TAP], 'e+'))))
        for name, value in rng.sample(tests, rng.choice((0, 1, 1, 1, 2, 2, 3))):
            yield f'{name} {"! " if rng.random() < 0.25 else ""}{value}'

    def target(self, later, conditions):
        rng = self.rng
        how = rng.random()
        if later and how < 0.4:
            return f' -j {rng.choice(later)}'
        if how < 0.6:
            return ''
        if how < 0.75 and conditions > 1:
            return rng.choice((' -j ACCEPT', ' -j DROP', ' -j RETURN', ' -j RETURN'))
        return rng.choice((' -j MARK --set-mark 1f', ' -j MARK --and-mark ff', ' -j MARK --or-mark 3'))

    def build(self, n):
        """=> lines as arptables-restore reads them"""
        rng = self.rng
        users = [f'chain{i}' for i in range(rng.randint(2, 5))]
        chains = ['INPUT'] + users
        lines = [f':INPUT {rng.choice(("ACCEPT", "DROP"))}', ':OUTPUT ACCEPT', ':FORWARD ACCEPT']
        lines += [f':{c} -' for c in users]
        for _ in range(n):
            at = rng.randrange(len(chains))
            at = rng.choice((0, at))
            words = list(self.conditions(chains[at]))
            lines.append(f'-A {chains[at]} {" ".join(words)}{self.target(chains[at + 1:], len(words))}')
        # INPUT must not reach this one; nothing is sent or forwarded, so it stays at 0
        words = ' '.join(self.conditions('OUTPUT'))
        lines.append(f'-A OUTPUT {words} -j CLASSIFY --set-class 1:{rng.randrange(99)}')
        return lines


def packet(w):
    rng = w.rng
    hrd, pro, op = w.noisy(w.hrd, 65536), w.noisy(w.pro, 65536), w.noisy(w.ops, 65536)
    hln, pln = (6, 4) if rng.random() < 0.9 else (rng.choice((0, 4, 6, 8)), rng.choice((0, 4, 6, 16)))
    body = struct.pack('!HHBBH', hrd, pro, hln, pln, op)
    for _ in range(2):
        body += rng.choice(w.macs) if rng.random() < 0.9 else rng.randbytes(6)
        body += rng.choice(w.addrs) if rng.random() < 0.85 else rng.randbytes(4)
    shape = rng.random()
    if shape < 0.05:
        body = body[:rng.randrange(len(body))]
    elif shape < 0.5:
        body += bytes(18)       # what Ethernet pads with
    head = rng.choice((TAP_MAC, BROADCAST, bytes.fromhex('01005e0000fb'))) + rng.choice(w.macs[:3])
    return head + b'\x08\x06' + body


def capture(w, count):
    out = [struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)]
    for i in range(count):
        p = packet(w)
        out.append(struct.pack('<IIII', 1600000000 + i, 0, len(p), len(p)) + p)
    return b''.join(out)


def as_printed(text):
    """What xt2 prints so that it can be read again, as arptables prints it.

    arptables writes hardware types as decimal and reads them as hexadecimal, leaves out the 0x of a
    protocol's mask, and forgets tests with an empty mask, though `! -s 0.0.0.0/0` never holds.
    """
    text = re.sub(r'(?<=--h-type )(\S+)', lambda m: '/'.join(str(int(n, 0)) for n in m[1].split('/')), text)
    text = re.sub(r'(--proto-type \S+/)0x', r'\1', text)
    text = re.sub(r' (! )?--(opcode|h-type|h-length|proto-type) \w+/0(?= |$)', '', text)
    return re.sub(r' ! -[sd] 0\.0\.0\.0/0(?= |$)', '', text)


def forget_any(text):
    """A test that every packet passes leaves no trace in xt2."""
    return re.sub(r'(?<!!) -[io] \+(?= |$)', '', text)


class Kernel:
    def __init__(self, inject):
        self.tool = shutil.which('arptables-legacy', path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')
        if not self.tool:
            raise Missing('no arptables-legacy')
        p = subprocess.run([self.tool, '-L', '-n'], capture_output=True, text=True, check=False)
        if p.returncode:
            raise Missing(f'no legacy ARP table: {p.stderr.strip()}')
        self.proc = subprocess.Popen([inject, DEV[TUN], DEV[TAP]], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        if self.proc.stdout.readline() != 'ready\n':
            raise Missing('no tap device (see the message above)')

    def close(self):
        self.proc.stdin.close()
        self.proc.wait()

    def call(self, words):
        p = subprocess.run([self.tool] + words.split(), capture_output=True, text=True, check=False)
        if p.returncode:
            raise RuntimeError(f'arptables-legacy {words}: {p.stderr.strip()}')
        return p.stdout

    def load(self, lines):
        self.call('-F')
        self.call('-X')
        for line in lines:
            m = re.match(r':(\S+) (\S+)', line)
            self.call(line if not m else f'-N {m[1]}' if m[2] == '-' else f'-P {m[1]} {m[2]}')
        self.call('-Z')

    def inject(self, pcap):
        self.proc.stdin.write(pcap + '\n')
        self.proc.stdin.flush()
        return tuple(map(int, self.proc.stdout.readline().split()))

    def counters(self):
        """As compare.parse(): the policy of a user chain has no counters."""
        out, chain = {}, None
        for counted, text in zip(self.call('-L -v -n').split('\n'), self.call('-L -n').split('\n')):
            if counted.startswith('Chain '):
                m = POLICY.match(counted)
                chain = counted.split()[1]
                out[chain] = [(int(m[3]), int(m[4]), f'policy {m[2]}') if m else (0, 0, 'user')]
            elif counted:
                m = LISTED.search(counted)
                # from 100,000 bytes on arptables rounds to thousands
                size = int(m[1]) * ARP_SIZE if m[3] else int(m[2])
                out[chain].append((int(m[1]), size, forget_any(f'-A {chain} {text}'.rstrip())))
        return {('filter', c): rows for c, rows in out.items()}


def ask_xt2(xt2, rules, pcap):
    p = subprocess.run([xt2, 'replay', '--rules', rules, '--arp', '--hook', 'INPUT', '--in', DEV[TAP],
                        '--counters', '-', pcap], capture_output=True, text=True, check=False)
    if p.returncode not in (0, 1):
        raise RuntimeError(f'exit code {p.returncode}: {p.stderr.strip()}')
    out = {}
    for line in p.stdout.split('\n'):
        m = re.match(r':(\S+) (\S+) \[(\d+):(\d+)\]', line)
        if m:
            first = (0, 0, 'user') if m[2] == '-' else (int(m[3]), int(m[4]), f'policy {m[2]}')
            out['filter', m[1]] = [first]
        m = RULE.match(line)
        if m:
            out['filter', m[4]].append((int(m[1]), int(m[2]), as_printed(m[3].rstrip())))
    return out


def case(args, kernel, seed, workdir):
    w = World(seed)
    lines = Rules(w).build(args.rules)
    rules, pcap = os.path.join(workdir, 'rules'), os.path.join(workdir, 'capture.pcap')
    with open(rules, 'w', encoding='ascii') as f:
        f.write('*filter\n' + '\n'.join(lines) + '\n')
    with open(pcap, 'wb') as f:
        f.write(capture(w, args.count))
    kernel.load(lines)
    kernel.inject(pcap)
    theirs = kernel.counters()
    hits = [rows[i][0] for rows in theirs.values() for i in range(1, len(rows))]
    return differences(theirs, ask_xt2(args.xt2, rules, pcap)), hits


def run(args, kernel, workdir):
    first, last = map(int, args.seeds.split('-'))
    rules = hit = failed = packets = 0
    for seed in range(first, last + 1):
        out, hits = case(args, kernel, seed, workdir)
        rules, hit, packets = rules + len(hits), hit + sum(map(bool, hits)), packets + args.count
        if out:
            failed += 1
            print(f'FAIL seed {seed}: {len(out)} difference(s)')
            print('\n'.join('  ' + line for line in out[:8]))
            print(f'  again: {sys.argv[0]} --xt2 {args.xt2} --inject {args.inject} --seeds {seed}-{seed}'
                  f' --rules {args.rules} --count {args.count} --keep DIR')
    print(f'{last - first + 1} rulesets, {rules} rules ({hit} of them hit), {packets} packets, {failed} failed')
    return not failed and hit * 3 > rules


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--xt2', default='./xt2')
    ap.add_argument('--inject', required=True)
    ap.add_argument('--seeds', default='1-8', help='first and last')
    ap.add_argument('--rules', type=int, default=50)
    ap.add_argument('--count', type=int, default=600, help='packets for each ruleset')
    ap.add_argument('--keep', help='directory for the files of the last case')
    args = ap.parse_args()
    workdir = None
    try:
        enter()
        workdir = args.keep or tempfile.mkdtemp(prefix='xt2-arp.')
        os.makedirs(workdir, exist_ok=True)
        kernel = Kernel(args.inject)
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
