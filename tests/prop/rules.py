#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random rulesets: rules.py --seed N -4|-6 [--without MATCH,...] > ruleset

iptables-save text with a raw and a mangle table; only PREROUTING and what it calls is used.  The raw
table begins with a rule without conditions (how many packets were seen) and ends where its policy or
its rules say; mangle's policy is DROP, so nothing is ever routed.

Probes.  For each match that is to be counted there are three rules in a row, none with a target:

    # probe LABEL
    -A CHAIN conditions              a packets
    -A CHAIN conditions match        b packets
    -A CHAIN conditions              c packets

Every packet that reaches the first and is not dropped by the match reaches the third, so the match has
hit b times, missed c - b times and dropped (hotdrop) a - c times.
"""
import argparse
import random
import sys

import matches
import targets
from world import World


class Rules:
    world = World

    def __init__(self, seed, family, without=()):
        self.w = self.world(seed, family)
        self.r = random.Random(f'rules {family} {seed}')
        self.rows = matches.rows_for(self.w, without)
        self.without = without
        self.probes = self.turn(seed)
        self.out = []

    def turn(self, seed, each=12):
        """The rows that this seed probes: they take turns, so that none is left to luck."""
        rows = [row for row in self.rows if row[0] not in matches.TRACKING]
        seeds = -(-len(rows) // each)
        random.Random(f'turn {self.w.family} {seed // seeds}').shuffle(rows)
        start = seed % seeds * each
        return (rows + rows)[start:start + each]

    def conditions(self, user_chain):
        """Base tests and matches of an ordinary rule; => (text, protocol that is tested or '')"""
        r, w = self.r, self.w
        parts, proto = [], ''
        for p, fn in ((0.25, matches.base_src), (0.25, matches.base_dst), (0.1, matches.base_in)):
            if r.random() < p:
                parts.append(fn(w, r))
        if user_chain and r.random() < 0.1:
            parts.append(f'{matches.inv(r, 0.6)}-o {r.choice(("eth0", "t+", "+", w.dev))}')
        if w.family == 4 and r.random() < 0.05:
            parts.append(matches.base_fragment(w, r))
        exts = []
        for _ in range(r.choice((0, 1, 1, 1, 1, 2, 2, 3, 7))):
            label, _, _, needs, fn = r.choice(self.rows)
            if label.startswith('base:') or needs and proto and needs != proto:
                continue
            proto = needs or proto
            exts.append(fn(w, r))
        if not proto and r.random() < 0.15:
            parts.append(matches.base_proto(w, r))
        elif proto:
            parts.append(proto)
        return ' '.join(parts + exts), proto

    def add(self, *parts):
        self.out.append(' '.join(p for p in parts if p))

    def probe(self, chain, row):
        label, _, _, needs, fn = row
        self.out.append(f'# probe {label}')
        self.add(f'-A {chain}', needs)
        self.add(f'-A {chain}', needs, fn(self.w, self.r))
        self.add(f'-A {chain}', needs)

    def jump(self, chains, level):
        """Where a rule may go: later chains only, so nothing loops."""
        r = self.r
        later = chains[level + 1:]
        if not later or r.random() < 0.4:
            return ''
        # goto is rarer: what follows in the chain is skipped
        return f'{"-g" if r.random() < 0.3 else "-j"} {r.choice(later)}'

    def ordinary(self, table, chains, level):
        r = self.r
        chain = chains[level]
        text, proto = self.conditions(level > 0)
        go = self.jump(chains, level) if r.random() < 0.4 else ''
        if not go:
            go, needs = targets.pick(self.w, r, table, self.without)
            if needs:
                if proto and proto not in needs or ('-p ' in text and not proto):
                    go = ''
                else:
                    text = ' '.join(t for t in (text, needs.replace(proto, '', 1) if proto else needs) if t)
        # a rule without conditions must not end the chain too often
        if not text and go in ('-j DROP', '-j ACCEPT', '-j RETURN') and r.random() < 0.8:
            go = ''
        self.add(f'-A {chain}', text, go)

    def addresses(self, chain):
        """A list of addresses: neighbours of one form, of which most only count."""
        r = self.r
        form = r.choice((('-s',), ('-d',), ('-s', '-d'), ('-d', '-s'), ('-s', '-d', '-p')))
        bits = '' if self.w.family == 6 or r.random() < 0.5 else f'/{r.choice((8, 24, 31))}'
        for _ in range(r.randint(3, 12)):
            words = [f'{matches.inv(r, 0.05)}{way} ' + ('udp' if way == '-p' else
                     matches.addr_text(r.choice(self.w.addrs)) + bits) for way in form]
            self.add(f'-A {chain}', *words, '-j RETURN' if r.random() < 0.05 else '')

    def table(self, name, policy, probes, count):
        r = self.r
        chains = ['PREROUTING'] + self.chain_names()
        self.out += [f'*{name}', f':PREROUTING {policy} [0:0]']
        self.out += [f':{c} - [0:0]' for c in chains[1:]]
        if name == 'raw':
            self.add('-A PREROUTING')
        for v in r.sample(self.w.marks, 2):
            self.add('-A PREROUTING', self.conditions(False)[0], f'-j MARK --set-xmark {v:#x}/{r.choice((0xff, 0xffffffff)):#x}')
        plan = [(0, self.probes.pop()) for _ in range(probes)]
        plan += [(0, row) for row in self.rows if row[0] in matches.TRACKING]
        plan += [(min(r.randrange(len(chains)), r.randrange(len(chains))), None) for _ in range(count)]
        plan += [(level, None) for level in range(1, len(chains))]
        plan += [(r.randrange(len(chains)), 'addresses') for _ in range(2)]
        r.shuffle(plan)
        # At least one way into the first user chain, early
        if len(chains) > 1:
            self.add('-A PREROUTING', self.conditions(False)[0] if r.random() < 0.5 else '', f'-j {chains[1]}')
        for level, row in plan:
            if row == 'addresses':
                self.addresses(chains[level])
            elif row:
                self.probe(chains[level], row)
            else:
                self.ordinary(name, chains, level)
        if name == 'mangle':
            for _ in range(r.randint(1, 4)):
                needs, go = targets.writer(self.w, r, self.without)
                self.add('-A PREROUTING', matches.base_src(self.w, r) if r.random() < 0.5 else '', needs, go)
            for text in targets.observers(self.w, r):
                if not any(f'-m {m} ' in text for m in self.without):
                    self.add('-A PREROUTING', text)
        self.out.append('COMMIT')

    def chain_names(self):
        r = self.r
        names = ['a', 'Z', 'in-tcp', 'chain.with.dots', 'x_1', '0', 'A-name-of-exactly-28-letters', 'b', 'FORWARD2', 'c+d']
        return r.sample(names, r.choice((0, 1, 2, 3, 4, 6, 10)))

    def text(self):
        r = self.r
        self.table('raw', r.choice(('ACCEPT', 'ACCEPT', 'ACCEPT', 'DROP')), 9, r.randint(5, 25))
        if self.w.tracked:
            # what connection tracking lets through to the next table is not known
            self.out += ['*mangle', ':PREROUTING DROP [0:0]', 'COMMIT']
        else:
            self.table('mangle', 'DROP', 3, r.randint(3, 15))
        return '\n'.join(self.out) + '\n'


def build(seed, family, without=()):
    return Rules(seed, family, without).text()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    ap.add_argument('--seed', type=int, required=True)
    ap.add_argument('-4', dest='family', action='store_const', const=4, default=4)
    ap.add_argument('-6', dest='family', action='store_const', const=6)
    ap.add_argument('--without', default='', help='matches and targets that the kernel lacks')
    args = ap.parse_args()
    sys.stdout.write(build(args.seed, args.family, tuple(filter(None, args.without.split(',')))))


if __name__ == '__main__':
    main()
