# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters out of iptables-save -c text, side by side, and what they say about each match."""
import re
from collections import defaultdict

import targets

RULE = re.compile(r'\[(\d+):(\d+)\] (-A (\S+).*)')
CHAIN = re.compile(r':(\S+) (\S+) \[(\d+):(\d+)\]')
TARGETS = {'ACCEPT', 'DROP', 'RETURN', 'QUEUE'} | {t[0] for t in targets.ROWS}
# Other hooks of the tables: the kernel may count its own packets there.
ELSEWHERE = {'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'}


def parse(text):
    """=> {(table, chain): [(packets, bytes, rule), ...]}, the policy first"""
    out, table = {}, None
    for line in text.split('\n'):
        if line.startswith('*'):
            table = line[1:]
        elif line.startswith(':'):
            m = CHAIN.match(line)
            if m and m[1] not in ELSEWHERE:
                out[table, m[1]] = [(int(m[3]), int(m[4]), f'policy {m[2]}')]
        elif line.startswith('['):
            m = RULE.match(line)
            if m and (table, m[4]) in out:
                out[table, m[4]].append((int(m[1]), int(m[2]), m[3]))
    return out


def same_text(kernel, ours):
    """iptables-save forgets `! -i +`, which never holds; we don't."""
    return kernel == ours or kernel == re.sub(r' ! -[io] \+(?= |$)', '', ours)


def differences(kernel, ours, text=True):
    """Lines of words for each rule or policy whose counters, or whose text, differ; empty: equal."""
    out = []
    for key in sorted(set(kernel) | set(ours)):
        table, chain = key
        a, b = kernel.get(key, []), ours.get(key, [])
        if len(a) != len(b):
            out.append(f'{table} {chain}: the kernel has {len(a) - 1} rules, xt2 {len(b) - 1}')
            continue
        for n, (k, x) in enumerate(zip(a, b)):
            if k[:2] != x[:2]:
                out.append(f'{table} {chain} {n or "policy"}: kernel {k[0]}:{k[1]} xt2 {x[0]}:{x[1]}  {k[2]}')
            elif text and not same_text(k[2], x[2]):
                out.append(f'{table} {chain} {n or "policy"}: text\n    kernel {k[2]}\n    xt2    {x[2]}')
    return out


class Tally:
    """How often each probed match has hit, missed and dropped; how often each target has run."""

    def __init__(self):
        self.probes = defaultdict(lambda: [0, 0, 0, 0])
        self.targets = defaultdict(int)

    def add(self, rules, counted):
        table, ordinal, label, left = None, defaultdict(int), None, 0
        for line in rules.split('\n'):
            if line.startswith('*'):
                table, ordinal = line[1:], defaultdict(int)
            elif line.startswith('# probe '):
                label, left = line[8:], 3
            elif line.startswith('-A '):
                chain = line.split(' ', 2)[1]
                ordinal[chain] += 1
                left -= 1
                if left == 0:
                    self.probe(label, [counted[table, chain][ordinal[chain] - i][0] for i in (2, 1, 0)])
        for rows in counted.values():
            for packets, _, rule in rows[1:]:
                m = re.search(r' -[jg] (\S+)', re.sub(r'"[^"]*"', '', rule))
                self.targets[m[1] if m else '(none)'] += packets

    def probe(self, label, counts):
        before, hit, after = counts
        row = self.probes[label]
        row[0] += hit
        row[1] += after - hit
        row[2] += before - after
        row[3] += 1

    def lines(self):
        yield f'{"match":<18}{"hit":>9}{"missed":>9}{"dropped":>9}{"probes":>8}'
        for label in sorted(self.probes):
            hit, miss, drop, probes = self.probes[label]
            yield f'{label:<18}{hit:>9}{miss:>9}{drop:>9}{probes:>8}'
        yield 'targets: ' + ', '.join(f'{t} {n}' for t, n in sorted(self.targets.items())
                                      if t in TARGETS or t == '(none)')

    def rare(self, least, never):
        """Labels that hit or missed too seldom; `never` holds (label, column) that cannot happen."""
        out = []
        for label in sorted(self.probes):
            for i, word in enumerate(('hit', 'missed')):
                if self.probes[label][i] < least and (label, word) not in never:
                    out.append(f'{label} {word} {self.probes[label][i]} times, wanted {least}')
        return out
