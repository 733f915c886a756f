#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Several processes append and delete their own rules at once, by all the ways there are, on one
image or, with --live NETNS, on what is live in that network namespace; no update is lost.
Options: --seed, --processes, --changes."""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--processes', type=int, default=4)
parser.add_argument('--changes', type=int, default=60)
parser.add_argument('--without-shim', action='store_true')
parser.add_argument('--live', metavar='NETNS')
options = parser.parse_args()
build = os.path.abspath(os.environ.get('top_builddir', '.'))
os.environ['PATH'] = f'{build}/links:{build}:' + os.environ['PATH'] + ':/usr/sbin:/sbin'
problems = []
place = ['--live', '--netns', options.live] if options.live else []


def run(*args, text=''):
    env = dict(os.environ, XT2_IMAGE=path, LC_ALL='C')
    return subprocess.run(args, env=env, input=text, capture_output=True, text=True, timeout=120,
                          check=False)


def tables(line):
    return run('xt2tables', *place, '-w', '100', *line.split())


def restore(line):
    return run('xt2tables-restore', *place, '-n', '-w', '100', text=f'*filter\n{line}\nCOMMIT\n')


def edit(line):
    return run('xt2', 'edit', *place, '-w', '100', text=line + '\n')


def legacy(line):
    return run('xt2', 'run', *place, '--', 'iptables-legacy', '-w', '100', *line.split())


def worker(number, wanted, counts):
    rng = random.Random(options.seed * 1000 + number)
    ways = [tables, restore, edit]
    if not options.without_shim and shutil.which('iptables-legacy'):
        ways.append(legacy)
    for i in range(options.changes):
        delete = wanted and rng.random() < 0.4
        rule = rng.choice(wanted) if delete else f'-s 10.{number}.{i // 256}.{i % 256}/32 -j DROP'
        way = rng.choice(ways)
        done = way(('-D' if delete else '-A') + ' INPUT ' + rule)
        counts[way.__name__] = counts.get(way.__name__, 0) + 1
        if done.returncode:
            problems.append(f'{way.__name__} {rule}: {done.returncode} {done.stdout}{done.stderr}')
        elif delete:
            wanted.remove(rule)
        else:
            wanted.append(rule)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'image')
    # so many that the chain is patched, not compiled anew
    others = [f'-A INPUT -s 10.200.0.{i} -j DROP' for i in range(100)]
    if run('xt2tables-restore', *place, text='\n'.join(['*filter', *others, 'COMMIT', ''])).returncode:
        sys.exit('no ruleset')
    rules = [[] for _ in range(options.processes)]
    counted = [{} for _ in range(options.processes)]
    threads = [threading.Thread(target=worker, args=(n, rules[n], counted[n]))
               for n in range(options.processes)]
    start = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    seconds = time.monotonic() - start
    got = [line[len('-A INPUT '):] for line in run('xt2tables-save', *place).stdout.splitlines()
           if line.startswith('-A INPUT ')]
    for n, want in enumerate(rules):
        mine = [rule for rule in got if rule.startswith(f'-s 10.{n}.')]
        if mine != want:
            problems.append(f'process {n}: lost {set(want) - set(mine)}, '
                            f'came back {set(mine) - set(want)}')
    if len(got) != sum(map(len, rules)) + len(others):
        problems.append(f'{len(got)} rules')
    check = run('xt2', 'save', *place) if place else run('xt2', 'check', path)
    if check.returncode > 1:
        problems.append('no valid ruleset: ' + check.stderr)
total = {}
for c in counted:
    for key, value in c.items():
        total[key] = total.get(key, 0) + value
print(f'{total}, {sum(total.values()) / seconds:.0f} commits/s, seed {options.seed}')
for problem in problems[:20]:
    print('FAIL:', problem)
sys.exit(bool(problems))
