#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random rulesets and packets: xt2 explain's oracle against the evaluator.

  oracle.py --program PATH [--seeds FIRST-LAST] [--count PACKETS] [-4|-6]

Every packet's verdict, the rule that decided, the packet as it comes out and all counters must be
equal.  What only a host knows (conntrack, mark, address types, CPU) is drawn from the seed.  Needs no
kernel and no root.  XT2_PROP=full takes about a million evaluations.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import packets
import rules
from world import DEV, World, link_of


def host(seed, family):
    """The host's side of a seed, as options of xt2 replay."""
    rng = random.Random(f'host {family} {seed}')
    world = World(seed, family)
    out = [f'in={DEV[link_of(seed)]}', f'mark={rng.choice(world.marks)}', f'cpu={rng.randrange(2)}']
    state = rng.choice(['', 'NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED', 'NEW,DNAT'])
    if state:
        out += [f'ctstate={state}', f'ctmark={rng.choice(world.marks)}',
                f'ctdir={rng.choice(["ORIGINAL", "REPLY"])}',
                f'ctstatus={rng.choice(["SEEN_REPLY", "ASSURED,CONFIRMED", "EXPECTED"])}']
    if rng.random() < 0.3:
        out.append('physdev-in=br0p1')
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--program', required=True)
    full = os.environ.get('XT2_PROP') == 'full'
    ap.add_argument('--seeds', default='1-360' if full else '1-20')
    ap.add_argument('--count', type=int, default=1500 if full else 300)
    ap.add_argument('-4', dest='families', action='store_const', const=[4], default=[4, 6])
    ap.add_argument('-6', dest='families', action='store_const', const=[6])
    args = ap.parse_args()
    first, last = (int(n) for n in (args.seeds.split('-') * 2)[:2])
    evaluations = failed = 0
    with tempfile.TemporaryDirectory(prefix='xt2-oracle-') as where:
        text, capture = os.path.join(where, 'rules'), os.path.join(where, 'capture.pcap')
        for seed in range(first, last + 1):
            for family in args.families:
                with open(text, 'w', encoding='ascii') as f:
                    f.write(rules.build(seed, family))
                with open(capture, 'wb') as f:
                    f.write(packets.build(seed, family, args.count, now=1700000000)[0])
                p = subprocess.run([args.program, f'-{family}', text, capture, 'PREROUTING',
                                    *host(seed, family)], capture_output=True, text=True, check=False)
                done = re.search(r'^(\d+) evaluations', p.stdout, re.M)
                evaluations += int(done[1]) if done else 0
                if p.returncode or not done:
                    failed += 1
                    print(f'FAIL seed {seed} IPv{family}:\n{p.stdout}{p.stderr}  again: {sys.argv[0]} '
                          f'--program {args.program} --seeds {seed} --count {args.count} -{family}')
    print(f'{evaluations} evaluations, {failed} failed')
    return 1 if failed or not evaluations else 0


sys.exit(main())
