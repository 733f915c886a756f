#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random rulesets and packets: BPF_PROG_TEST_RUN against the native evaluator.

  random-rulesets.py --program PATH --tools FOLDER [--seeds FIRST-LAST] [--count PACKETS]

Rulesets and packets are those of tests/prop, but for what a BPF program cannot do, and for limit,
whose clock is real.  Every verdict and every counter must be the same.  Needs root and a kernel with
arenas, no traffic.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'prop'))

import packets
import rules

WITHOUT = ('string', 'bpf', 'eui64', 'mac', 'physdev', 'addrtype', 'time', 'limit')
RESTORE = {4: 'xt2tables-restore', 6: 'xt2ip6tables-restore'}


def possible(text):
    """The raw table's rules, with LOG for the targets that a BPF program cannot carry out."""
    text = text[:text.index('COMMIT') + 7]
    chains = set(re.findall(r'^:(\S+)', text, re.M)) | {'ACCEPT', 'DROP', 'RETURN'}
    out = []
    for line in text.splitlines():
        line = line.replace('"a -j DROP"', '"a"')
        target = re.search(r' -j (\S+)', line)
        if target and target[1] not in chains:
            line = line[:target.start()] + ' -j LOG'
        if re.search(r'-m (%s) ' % '|'.join(WITHOUT), line + ' '):
            continue
        out.append(line)
    return '\n'.join(out) + '\n'


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--program', required=True)
    ap.add_argument('--tools', required=True)
    full = os.environ.get('XT2_PROP') == 'full'
    ap.add_argument('--seeds', default='1-200' if full else '1-12')
    ap.add_argument('--count', type=int, default=1000 if full else 250)
    args = ap.parse_args()
    first, last = (int(n) for n in (args.seeds.split('-') * 2)[:2])
    todo = []
    with tempfile.TemporaryDirectory(prefix='xt2-bpf-') as where:
        for seed in range(first, last + 1):
            for family in (4, 6):
                image, capture = (os.path.join(where, f'{seed}-{family}.{x}') for x in ('xt2', 'pcap'))
                subprocess.run([os.path.join(args.tools, RESTORE[family]), '--image', image], check=True,
                               input=possible(rules.build(seed, family, WITHOUT)), text=True)
                with open(capture, 'wb') as f:
                    f.write(packets.build(seed, family, args.count, now=1700000000)[0])
                todo += [image, capture]
        p = subprocess.run([args.program, 'raw', 'PREROUTING'] + todo, stdout=subprocess.PIPE, text=True,
                           check=False)
    if p.returncode == 77:
        print('SKIP: BPF programs cannot be loaded here')
        return 77
    total = sum(int(n) for n in re.findall(r'^packets (\d+)', p.stdout, re.M))
    done = p.stdout.count('\n')
    print(f'{done} rulesets, {total} packets')
    if p.returncode or done != len(todo) // 2 or not total:
        print(p.stdout.splitlines()[-1:] or 'nothing was compared')
        print(f'the ruleset is that of seed {first + max(done - 1, 0) // 2}, family {(4, 6)[(done - 1) % 2]}')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
