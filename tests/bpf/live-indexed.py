#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Chains with indexes, live: the twins of twins.py with large chains, and with rules that come and go.

  indexed.py --xt2 PATH --inject PATH [--seeds FIRST-LAST] [-4|-6] [--keep DIR]

The rulesets and packets of twins.py, but some chains get hundreds of rules, some more than a thousand,
some runs of equal ones, and jumps and gotos lead from and to all of them.  In most seeds rules are put
into runs and taken out of them between two captures, so that rules which stay are in a run before or after
and not both; as the kernel then forgets what matches remember, there are none that do in these.  Each counter of each rule and policy must be the kernel's; every kind of index must have been live.
"""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'prop')]

import live
import matches
import twins

RESTORE = {4: 'xt2tables-restore', 6: 'xt2ip6tables-restore'}
KINDS = ('plain', 'columns', 'bits', 'pairs', 'segments')
RUN = 12  # rules of the longest run
REMEMBER = ('limit', 'quota', 'statistic')


def changes(seed):
    """Do its rules change between the captures?"""
    return seed % 3 > 0


class Rules(live.Rules):
    """live.Rules with chains made large; runs: (table, chain, number of the first rule, its length, its text)"""

    def __init__(self, seed, family):
        super().__init__(seed, family, REMEMBER if changes(seed) else ())
        self.runs = []
        self.placed = collections.Counter()
        self.now = ''

    def add(self, *parts):
        super().add(*parts)
        if self.out[-1].startswith('-A '):
            self.placed[self.out[-1].split()[1]] += 1

    def address(self):
        r = self.r
        if r.random() < 0.2:
            raw = r.choice(self.w.addrs)
        else:
            raw = r.choice(self.w.addrs)[:-2] + bytes(r.randrange(256) for _ in range(2))
        bits = len(raw) * 8
        return f'{matches.addr_text(raw)}/{r.choice((bits, bits, bits, bits - 3, bits - 8, bits - 16, 8))}'

    def narrow(self):
        """What an index can tell apart, most of it of no packet."""
        r = self.r
        parts = [f'{matches.inv(r, 0.03)}{way} {self.address()}' for way in r.choice((('-s',), ('-d',), ('-s', '-d'), ()))]
        proto = r.choice(('', 'tcp', 'udp'))
        if proto:
            parts.append(f'-p {proto}')
            port = r.choice(self.w.ports) if r.random() < 0.3 else r.randrange(65536)
            form = r.choice((f'{port}', f'{port}', f'{min(port, 60000)}:{min(port, 60000) + r.randrange(5000)}'))
            parts.append(f'-m {proto} --{r.choice(("dport", "sport"))} {form}')
        elif not parts:
            parts.append(r.choice((f'-m mark --mark {r.choice(self.w.marks):#x}', f'-p {r.choice((1, 6, 17, 50, 58))}')))
        if self.w.tracked and r.random() < 0.1:
            parts.append(f'-m conntrack --ctstate {r.choice(live.STATES)}')
        return ' '.join(parts)

    def listed(self, chain, rules):
        """A list of hosts and networks, most of them of no packet, and a few rules for any address."""
        r = self.r
        way = r.choice(('-s', '-d'))
        for i in range(rules):
            raw = r.choice(self.w.addrs)
            raw = raw if r.random() < 0.1 else raw[:-2] + bytes(r.randrange(256) for _ in range(2))
            bits = len(raw) * 8 - r.choice((0, 0, 0, 0, 3, 8))
            text = f'{way} {matches.addr_text(raw)}/{bits}'
            if i in (rules // 3, rules - 1):
                text = r.choice(('', '-p tcp', '-p udp'))
            self.add(f'-A {chain}', text, r.choice(live.GOES) if r.random() < 0.1 else '')
            if i == rules // 2 and r.random() < 0.5:
                self.run(chain)

    def run(self, chain):
        """Equal rules that only count."""
        text, n = (self.narrow() if self.r.random() < 0.7 else ''), self.r.randint(4, RUN)
        self.runs.append((self.now, chain, self.placed[chain] + 1, n, text))
        for _ in range(n):
            self.add(f'-A {chain}', text)

    def large(self, table, chains, level, rules):
        r = self.r
        while rules > 0:
            how = r.random()
            if how < 0.02:
                self.ordinary(table, chains, level)
            elif how < 0.03:
                self.run(chains[level])
            else:
                go = self.jump(chains, level) if r.random() < 0.03 else ''
                if not go and r.random() < 0.1:
                    go = r.choice(live.GOES)
                self.add(f'-A {chains[level]}', self.narrow(), go)
            rules -= 1

    def hooks(self, name):
        """The same chains; each one made larger before the next begins."""
        r = self.r
        self.now, self.placed = name, collections.Counter()
        users = self.chain_names()[:3] or ['big']
        self.out += [f'*{name}'] + [f':{c} {r.choice(("ACCEPT",) * 6 + ("DROP",))} [0:0]' for c in live.TABLES[name]]
        self.out += [f':{c} - [0:0]' for c in users]
        for base in live.TABLES[name]:
            self.where = base
            if self.w.tracked and r.random() < 0.5:
                self.states(base)
            self.large(name, [base] + users, 0, self.size())
            for _ in range(r.randint(1, 4)):
                self.ordinary(name, [base] + users, 0)
            if r.random() < 0.7:
                self.add(f'-A {base}', '', f'-j {users[0]}')
            self.run(base)
        self.where = ''
        self.listed(users[-1], r.choice((100, 200, 1500)))
        for level in range(len(users) - 1):
            self.large(name, users, level, self.size())
            if r.random() < 0.5:
                self.run(users[level])
        self.out.append('COMMIT')

    def size(self):
        return self.r.choice((2, 10, 20, 70, 150, 300, 1100))

    def edits(self):
        """=> text for restore -n: rules into runs and out of them, behind the ones that are not done yet"""
        r, out = self.r, collections.defaultdict(list)
        for table, chain, first, n, text in reversed(self.runs):
            how = r.choice(('split', 'join', 'leave', 'cut', 'grow'))
            if how == 'split':
                out[table].append(f'-I {chain} {first + r.randrange(1, n)} -p udp')
            elif how == 'join':
                out[table] += [f'-I {chain} {first} {text}'] * 2
            elif how == 'leave':
                out[table] += [f'-D {chain} {first + 1}'] * (n - 2)
            elif how == 'cut':
                out[table].append(f'-D {chain} {first}')
            else:
                out[table].append(f'-A {chain} {text}')
        return ''.join(f'*{t}\n' + '\n'.join(lines) + '\nCOMMIT\n' for t, lines in out.items())


class Kernel(twins.Kernel):
    def edit(self, family, text):
        twins.run(*self.inside, f'{twins.NAME[family]}tables-legacy-restore', '-n', text=text)


class Live(twins.Live):
    def __init__(self, name, args):
        super().__init__(name, args)
        self.tools = os.path.dirname(args.xt2)

    def edit(self, family, text):
        twins.run(os.path.join(self.tools, RESTORE[family]), '--live', '--netns', self.ns, '-n', text=text)

    def kinds(self):
        text = twins.run(self.xt2, 'dump', '--live', '--netns', self.ns)
        return collections.Counter(re.findall(r' represented (\w+)', text)) + \
            collections.Counter('run' for n in re.findall(r' runs (\d+)', text) for _ in range(int(n)))


class Runner(twins.Runner):
    def __init__(self, args, where):
        super().__init__(args, where)
        self.kinds = collections.Counter()
        self.edits = ''

    def open(self):
        for name, kind in (('xt1', Kernel), ('xt2', Live)):
            self.twins.append(kind(name, self.args))
            self.twins[-1].start(self.args.inject)

    def make(self, seed, family):
        super().make(seed, family)
        rules = Rules(seed, family)
        self.write('rules', rules.text().encode())
        self.edits = rules.edits()
        self.write('edits', self.edits.encode())

    def ask(self, twin, seed, family):
        twin.prepare(live.nft(seed, family))
        twin.load(family, self.path('rules'))
        if twin.send('forget')[1]:
            raise twins.Missing('the kernel does not forget connections')
        twin.heard()
        sent = [twin.send(self.path(name)) for name in ('talk.pcap', 'odd.pcap')]
        if isinstance(twin, Live):
            self.kinds += twin.kinds()
        if changes(seed):
            twin.edit(family, self.edits)
        sent.append(twin.send(self.path('more.pcap')))
        return sent, twin.counters(family), twin.heard()

    def again(self, seed, family):
        return f'{sys.argv[0]} --xt2 {self.args.xt2} --inject {self.args.inject} --seeds {seed} -{family} --keep DIR'

    def never(self):
        print('chains live: ' + ', '.join(f'{n} {k}' for k, n in sorted(self.kinds.items())))
        return [k for k in KINDS + ('run',) if not self.kinds[k]] if len(self.args.seeds) > 2 else []

    def uncovered(self):
        return []       # the twins of twins.py have all


if __name__ == '__main__':
    sys.exit(twins.main(Runner, __doc__, seeds=24, short=3))
