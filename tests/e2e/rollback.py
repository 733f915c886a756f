#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random generations of an image: each can be had back, also those of files that were
replaced, and the lines of a difference make the one of the other.
Options: --seed N, --commits N."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--commits', type=int, default=80)
options = parser.parse_args()
build = os.path.abspath(os.environ.get('top_builddir', '.'))
os.environ['PATH'] = f'{build}/links:{build}:' + os.environ['PATH']
rng = random.Random(options.seed)
problems = []


def run(*args, text='', ok=(0,)):
    env = dict(os.environ, XT2_IMAGE=path, LC_ALL='C')
    done = subprocess.run(args, env=env, input=text, capture_output=True, text=True, timeout=120,
                          check=False)
    if done.returncode not in ok:
        problems.append(f'{args}: {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}\n{text[:400]}')
    return done.stdout


def digest():
    return run('xt2', 'digest', path).split()[0]


def rule():
    words = rng.choice(['', '-p tcp -m tcp --dport 22', '-m comment --comment "a  b"',
                        '-m limit --limit 5/sec', '-i eth+'])
    return f'-s 10.0.0.{rng.randrange(12)} {words} -j {rng.choice(["ACCEPT", "DROP", "A"])}'


def lines():
    """=> lines of a transaction that may fail in part, which is then no commit"""
    some = []
    for _ in range(rng.choice([1, 1, 1, 3, 8])):
        chain = rng.choice(['INPUT', 'B', 'C', 'B', 'long'])
        some.append(rng.choice([
            f'-A {chain} {rule()}', f'-I {chain} 1 {rule()}', f'-I {chain} 2 {rule()}',
            f'-D {chain} 1', f'-D {chain} 2', f'-R {chain} 1 {rule()}',
            f'-P FORWARD {rng.choice(["ACCEPT", "DROP"])}', f'-N {rng.choice("BC")}',
            f'-N {rng.choice("DE")}{rng.randrange(3)}', f'-X {rng.choice("DE")}{rng.randrange(3)}',
            f'-F {rng.choice("BCB")}', '-t raw -A OUTPUT -j ACCEPT', f'-6 -A INPUT {chain and ""}-j DROP',
            f'-X {rng.choice("BC")}', f'-E {rng.choice("BC")} {rng.choice("BC")}']))
    return '\n'.join(some) + '\n'


def generation():
    return int(run('xt2', 'history', '-n', '1').split()[0])


def text():
    rules = ''.join(f'-A long {rule()}\n' for _ in range(rng.randrange(150)))
    return f'*filter\n:A -\n:B -\n:C -\n:long -\n{rules}COMMIT\n'


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'image')
    run('xt2tables-restore', text=text())
    said = {generation(): digest()}
    for commit in range(options.commits):
        kind = rng.random()
        if kind < 0.9:
            run('xt2', 'edit', text=lines(), ok=(0, 2))
        elif kind < 0.95:
            run('xt2tables-restore', text=text())
        else:
            run('xt2tables-restore', '-n', text=f'*filter\n-A long {rule()}\nCOMMIT\n')
        said[generation()] = digest()
    known = {int(line.split()[0]) for line in run('xt2', 'history').splitlines()}
    there, gone = 0, 0
    for number in sorted(said, reverse=True):
        now = generation()
        want = said[number]
        diff = subprocess.run(['xt2', 'diff', '--image', path, str(now), str(number)],
                              capture_output=True, text=True, check=False)
        if diff.returncode == 2 and 'is not there' in diff.stderr:
            gone += 1
            continue
        there += 1
        if (diff.returncode == 0) != (said[now] == want):
            problems.append(f'diff {now} {number}: {diff.returncode}, {diff.stderr}')
        if rng.random() < 0.5:
            run('xt2', 'rollback', str(number))
        else:
            commands = run('xt2', 'diff', '--commands', str(now), str(number), ok=(0, 1))
            run('xt2', 'edit', text=commands)
        said[generation()] = digest()
        if said[generation()] != want:
            problems.append(f'back to {number} from {now}: another ruleset')
        plain = re.findall(r'^[-+] -[A-Z] ', diff.stdout, re.M)
        if diff.returncode and not plain:
            problems.append(f'diff {now} {number}: no lines: {diff.stdout}')
    if run('xt2', 'check', path, ok=(0, 1)) and there < min(12, len(said) / 3):
        problems.append(f'of {len(said)} generations only {there} are there')
    print(f'{there} generations had back, {gone} gone, {len(known)} known,',
          f'{len(os.listdir(folder)) - 2} old files')
print('seed', options.seed)
for problem in problems[:10]:
    print('FAIL:', problem)
sys.exit(bool(problems))
