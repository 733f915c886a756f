#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random rulesets and packets, the kernel's counters against xt2's.

  run.py --xt2 PATH --inject PATH                all of it: 300 rulesets a family, 1,500 packets each
  run.py --xt2 PATH --inject PATH --short        the part that fits into make check
  run.py ... --seed 17 -6 [--keep DIR]           one case again; leaves its files in DIR
  run.py ... --seed 17 -6 --shrink               ... and looks for a single packet that shows it
  run.py ... --shim                              iptables-legacy-restore under "xt2 run" loads the rules
  run.py ... --reindex PATH                      every chain has an index, made by this program: columns,
                                                 bits, pairs or segments, one after the other
  run.py --inject PATH --kernel-only             only the kernel's side: do all rulesets load?

Ends with 0 if all counters are equal and, in a full run, every match hit and missed often enough, with
1 if not, with 77 (and the reason) if this machine cannot show it.  Matches that the running kernel has
not got, or that it is known to evaluate in another way, are left out, and named.
"""
import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True      # the sources may be read-only, and are not ours to litter

import compare
import packets
import rules
from kernel import Kernel, Missing, Refused, enter
from world import DEV, link_of, tracks

LEAST = 100
# A comment says nothing about packets; no packet has a connection in the raw table yet.
NEVER = {('comment', 'missed'), ('connmark', 'hit')}
SKIP = 77


class Runner:
    def __init__(self, args, workdir):
        self.args, self.dir = args, workdir
        self.kernel = Kernel(args.inject, workdir, args.families)
        self.tally = {f: compare.Tally() for f in args.families}
        self.without = {}
        self.options = {f: [] for f in args.families}
        self.counts = dict.fromkeys(('rulesets', 'refused', 'packets', 'seen', 'counters', 'failed', 'indexes'), 0)
        self.spent = dict.fromkeys(('generate', 'kernel', 'xt2'), 0.0)

    def features(self):
        """Leave out what this kernel lacks; what it has and refuses is an error of the generator."""
        bad = False
        if 6 in self.args.families and self.kernel.whole_exthdrs():
            self.options[6].append('--whole-exthdrs')
        for f in self.args.families:
            lacking, refused = self.kernel.without(f)
            unlike = self.kernel.unlike(f, lacking)
            self.without[f] = tuple(sorted(lacking | unlike))
            for name, why in lacking.items():
                print(f'SKIP: IPv{f} {name}: not in this kernel: {why}')
            for name, why in unlike.items():
                print(f'SKIP: IPv{f} {name}: {why}')
            for name, why in refused.items():
                print(f'FAIL IPv{f} {name}: {why}')
                bad = True
        return not bad

    def path(self, name):
        return os.path.join(self.dir, name)

    def make(self, seed, family):
        """Write rules and capture; => (rules, packets that the hook should see)"""
        text = rules.build(seed, family, self.without[family])
        data, seen = packets.build(seed, family, self.args.count)
        with open(self.path('rules'), 'w', encoding='ascii') as f:
            f.write(text)
        with open(self.path('capture.pcap'), 'wb') as f:
            f.write(data)
        return text, seen

    def ask_kernel(self, family, text):
        self.kernel.load(family, text)
        self.kernel.inject(self.path('capture.pcap'))
        return compare.parse(self.kernel.counters(family))

    def load_image(self, family):
        """The rules as an image, by the binary format; they must be those of the text."""
        image, rules = self.path('image.xt2'), self.path('rules')
        if os.path.exists(image):
            os.unlink(image)
        self.must(self.args.xt2, 'run', '--image', image, '--', self.kernel.restore[family], rules)
        digests = self.must(self.args.xt2, 'digest', f'-{family}', rules, image)
        if len({line.split()[0] for line in digests.splitlines()}) != 1:
            raise RuntimeError(f'text and image differ: {digests}')
        return image

    def load_indexed(self, seed, family):
        """The rules as an image whose chains have indexes, however short they are."""
        image = self.path('image.xt2')
        if os.path.exists(image):
            os.unlink(image)
        restore = os.path.join(os.path.dirname(self.args.xt2), f'xt2{"ip6" if family == 6 else ""}tables-restore')
        self.must(restore, '--image', image, self.path('rules'))
        limits = [(0, 10 ** 9, 0), (0, 0, 1024), (0, 0, 0), (0, 0, 0, 2 ** 32 - 1)][seed % 4]
        made = self.must(self.args.reindex, image, *map(str, limits))
        self.counts['indexes'] += int(made.split()[0])
        return image

    def must(self, *cmd):
        p = subprocess.run(cmd, capture_output=True, text=True, check=False)
        if p.returncode:
            raise RuntimeError(f'{" ".join(cmd)}: exit code {p.returncode}: {p.stderr.strip()}')
        return p.stdout

    def ask_xt2(self, seed, family):
        if self.args.reindex:
            given = ['--image', self.load_indexed(seed, family)]
        elif self.args.shim:
            given = ['--image', self.load_image(family)]
        else:
            given = ['--rules', self.path('rules'), f'-{family}']
        cmd = [self.args.xt2, 'replay', *given, '--hook', 'PREROUTING',
               '--in', DEV[link_of(seed)], *self.options[family], '--counters', '-', self.path('capture.pcap')]
        p = subprocess.run(cmd, capture_output=True, text=True, check=False)
        if p.returncode not in (0, 1):
            raise RuntimeError(f'exit code {p.returncode}: {p.stderr.strip()}')
        return compare.parse(p.stdout)

    def case(self, seed, family):
        """=> lines of words about what differs; empty: nothing"""
        t0 = time.perf_counter()
        text, seen = self.make(seed, family)
        t1 = time.perf_counter()
        try:
            counted = self.ask_kernel(family, text)
        except Refused as e:
            self.counts['refused'] += 1
            return [f'the kernel refuses the ruleset: {e}']
        t2 = time.perf_counter()
        self.tally[family].add(text, counted)
        self.counts['seen'] += seen
        self.counts['counters'] += sum(map(len, counted.values()))
        out = []
        first = counted['raw', 'PREROUTING'][1][0]
        if first != seen:
            out.append(f'the hook saw {first} packets, the generator expects {seen}')
        if not self.args.kernel_only:
            try:
                ours = self.ask_xt2(seed, family)
                if tracks(seed):
                    for side in (counted, ours):
                        side.pop(('mangle', 'PREROUTING'), None)
                out += compare.differences(counted, ours)
            except RuntimeError as e:
                out.append(str(e))
        t3 = time.perf_counter()
        for name, spent in (('generate', t1 - t0), ('kernel', t2 - t1), ('xt2', t3 - t2)):
            self.spent[name] += spent
        return out

    def again(self, seed, family):
        without = self.without[family]
        reindex = f'--reindex {self.args.reindex} ' if self.args.reindex else ''
        return f'{sys.argv[0]} {reindex}--xt2 {self.args.xt2} --inject {self.args.inject} --seed {seed} -{family} ' \
            f'--count {self.args.count} --shrink' + (f'  # without {",".join(without)}' if without else '')

    def shrink(self, seed, family):
        """Halve the capture as long as a half still shows a difference; state may spoil it."""
        with open(self.path('capture.pcap'), 'rb') as f:
            data = f.read()
        head, left, pos = data[:24], [], 24
        while pos < len(data):
            size = 16 + struct.unpack_from('<I', data, pos + 8)[0]
            left.append(data[pos:pos + size])
            pos += size
        with open(self.path('rules'), encoding='ascii') as f:
            text = f.read()

        def differs(part):
            with open(self.path('capture.pcap'), 'wb') as f:
                f.write(head + b''.join(part))
            return compare.differences(self.ask_kernel(family, text), self.ask_xt2(seed, family), text=False)
        step = len(left) // 2
        while step and len(left) > 1:
            parts = [left[i:i + step] for i in range(0, len(left), step)]
            found = next((p for p in parts if differs(p)), None)
            if found is None:
                break
            left, step = found, len(found) // 2
        print(f'{len(left)} packet(s) still differ:')
        print('\n'.join(differs(left)))
        for rec in left[:3]:
            print(rec[16:].hex())

    def run(self):
        start, longest = time.monotonic(), self.args.seconds
        for n, seed in enumerate(self.args.seeds):
            if longest and time.monotonic() - start > longest:
                print(f'stopped after {n} seeds: {longest} s are over')
                break
            for family in self.args.families:
                self.counts['rulesets'] += 1
                self.counts['packets'] += self.args.count
                out = self.case(seed, family)
                if not out:
                    continue
                self.counts['failed'] += 1
                if self.counts['failed'] > self.args.cases:
                    continue
                print(f'FAIL seed {seed} IPv{family}: {len(out)} difference(s)')
                print('\n'.join('  ' + line for line in out[:self.args.show]))
                print(f'  again: {self.again(seed, family)}', flush=True)
                if self.args.shrink:
                    self.shrink(seed, family)
        return self.report()

    def report(self):
        rare = []
        for family in self.args.families:
            print(f'IPv{family}, as the kernel counted:')
            print('\n'.join('  ' + line for line in self.tally[family].lines()))
            rare += [f'IPv{family} {line}' for line in self.tally[family].rare(LEAST, NEVER)]
        print(', '.join(f'{n} {k}' for k, n in self.counts.items()))
        print(', '.join(f'{k} {s:.1f} s' for k, s in self.spent.items()))
        if self.args.full:
            print('\n'.join('FAIL ' + line for line in rare))
        if self.args.reindex and not self.counts['indexes']:
            print('FAIL no chain had an index')
            return False
        return not self.counts['failed'] and not (self.args.full and rare)


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--xt2', default='./xt2')
    ap.add_argument('--inject', required=True)
    ap.add_argument('-4', dest='families', action='append_const', const=4)
    ap.add_argument('-6', dest='families', action='append_const', const=6)
    ap.add_argument('--seed', type=int)
    ap.add_argument('--seeds', default='1-300', help='first and last')
    ap.add_argument('--count', type=int, default=1500, help='packets for each ruleset')
    ap.add_argument('--short', action='store_true', help='120 rulesets, 400 packets each, at most 20 s')
    ap.add_argument('--seconds', type=float, default=0, help='stop after that time')
    ap.add_argument('--show', type=int, default=6, help='differences to print of a case')
    ap.add_argument('--cases', type=int, default=10, help='differing cases to print')
    ap.add_argument('--keep', help='directory for the files of the last case')
    ap.add_argument('--shrink', action='store_true')
    ap.add_argument('--kernel-only', action='store_true')
    ap.add_argument('--reindex', help='program that gives each chain an index')
    ap.add_argument('--shim', action='store_true', help='load by iptables-legacy-restore under xt2 run')
    args = ap.parse_args()
    first, last = map(int, args.seeds.split('-'))
    args.full = args.seed is None and not args.short and last - first >= 299
    if args.short:
        first, last, args.count, args.seconds = 1, 60, 400, args.seconds or 20
    seeds = range(first, last + 1) if args.seed is None else [args.seed]
    # an older kernel goes on reassembling fragments after the last ruleset that tracks connections
    args.seeds = sorted(seeds, key=tracks)
    args.families = args.families or [4, 6]
    return args


def main():
    args = arguments()
    workdir = None
    try:
        enter()
        if not args.kernel_only and not os.access(args.xt2, os.X_OK):
            raise Missing(f'no program {args.xt2}')
        workdir = args.keep or tempfile.mkdtemp(prefix='xt2-prop.')
        os.makedirs(workdir, exist_ok=True)
        runner = Runner(args, workdir)
        good = runner.features() and runner.run()
        runner.kernel.close()
        return 0 if good else 1
    except Missing as e:
        print(f'SKIP: {e}')
        return SKIP
    finally:
        if workdir and not args.keep:
            shutil.rmtree(workdir, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
