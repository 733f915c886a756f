#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random commits on images of several sizes: the check of images never refuses
what they make.  Options: --seed N, --commits N, of each size."""
import argparse
import os
import random
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--commits', type=int, default=300)
options = parser.parse_args()
build = os.path.abspath(os.environ.get('top_builddir', '.'))
os.environ['PATH'] = f'{build}/links:{build}:' + os.environ['PATH']
rng = random.Random(options.seed)
problems = []


def run(*args, text=''):
    env = dict(os.environ, XT2_IMAGE=path, LC_ALL='C')
    return subprocess.run(args, env=env, input=text, capture_output=True, text=True, timeout=120,
                          check=False)


def change(rules, chains, i):
    """=> the line of a random change, which is made in rules as well"""
    kind = rng.random()
    if kind < 0.002:
        rules.clear()
        return '-F C'
    if kind < 0.15 and chains:
        return '-X ' + chains.pop(rng.randrange(len(chains)))
    if kind < 0.3:
        chains.append(f'N{i}')
        return f'-N N{i}'
    if kind < 0.6 and rules:
        at = rng.randrange(len(rules))
        del rules[at]
        return f'-D C {at + 1}'
    at = rng.randrange(len(rules) + 1)
    rules.insert(at, f'-s 10.{i >> 16}.{i >> 8 & 255}.{i & 255}/32 -j DROP')
    return f'-I C {at + 1} {rules[at]}'


def commits(size):
    rules = [f'-s 172.16.{i // 256}.{i % 256}/32 -j DROP' for i in range(size)]
    chains = []
    text = '*filter\n:C - [0:0]\n' + ''.join(f'-A C {r}\n' for r in rules) + 'COMMIT\n'
    if run('xt2tables-restore', text=text).returncode:
        sys.exit('no image')
    for i in range(options.commits):
        lines = [change(rules, chains, i)]
        done = run('xt2', 'edit', text='\n'.join(lines) + '\n')
        if done.returncode:
            problems.append(f'{size} rules, commit {i}, {lines}: {done.stdout}{done.stderr}')
            return
        if i % 10 == 9 or i == options.commits - 1:
            check = run('xt2', 'check', path)
            got = [x[len('-A C '):] for x in run('xt2tables', '-S', 'C').stdout.splitlines()
                   if x.startswith('-A C')]
            if check.returncode > 1 or got != rules:
                rules_too = '' if got == rules else ', other rules'
                problems.append(f'{size} rules, commit {i}, {lines}{rules_too}: {check.stderr}')
                return
    print(f'{size} rules: {os.path.getsize(path)} bytes after {options.commits} commits')


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'image')
    for number in 0, 3, 70, 1000, 10000:
        commits(number)
print('seed', options.seed)
for problem in problems:
    print('FAIL:', problem)
sys.exit(bool(problems))
