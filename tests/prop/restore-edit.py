#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random texts, each made of the one before, that xt2tables-restore loads as a whole: from one file,
so that what differs is appended to the image, and from files of changing names, so that another
image is replaced.  Both say the same, with counters.  Options: --seed, --rounds."""
import argparse
import os
import random
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--rounds', type=int, default=80)
options = parser.parse_args()
rng = random.Random(options.seed)
build = os.path.abspath(os.environ.get('top_builddir', '.'))
os.environ['PATH'] = f'{build}/links:{build}:' + os.environ['PATH']
HOOKS = {'filter': ['INPUT', 'FORWARD', 'OUTPUT'], 'raw': ['PREROUTING', 'OUTPUT']}


def run(*args):
    return subprocess.run(args, env=dict(os.environ, LC_ALL='C'), capture_output=True, text=True,
                          timeout=120, check=False)


def fail(what):
    print(f'FAIL: {what}, seed {options.seed}')
    sys.exit(1)


def rule(chains):
    words = [f'-s 10.0.{rng.randrange(4)}.{rng.randrange(9)}/32'] if rng.random() < 0.9 else []
    if rng.random() < 0.2:
        words.append('-m limit --limit 5/min')
    if rng.random() < 0.2:
        words.append(f'-m comment --comment {rng.choice("abc")}')
    return ' '.join(words + ['-j ' + rng.choice(['DROP', 'ACCEPT'] + chains)])


def new_table(name):
    user = [f'u{i}' for i in range(3)]
    table = {hook: [] for hook in HOOKS[name]}
    for i, chain in enumerate(user):
        table[chain] = [rule(user[i + 1:]) for _ in range(rng.choice([3, 3, 200]))]
    for hook in HOOKS[name]:
        table[hook] = [rule(user) for _ in range(5)]
    return table


def mutate(name, table):
    for _ in range(rng.randrange(4)):
        chain = rng.choice(list(table))
        rules = table[chain]
        at = rng.randrange(len(rules) + 1)
        later = sorted(c for c in table if c not in HOOKS[name] and (chain in HOOKS[name] or c > chain))
        kind = rng.randrange(20) - 14
        if kind < 3 and at < len(rules):  # on the same line
            rules[at] = rule(later)
        elif kind == 3:
            rules.insert(at, rule(later))
        elif kind == 4 and at < len(rules):
            del rules[at]
        elif kind == 5:
            table.setdefault(f'v{rng.randrange(3)}', [])


def text_of(tables, counts, policies):
    lines = []
    for name, table in tables.items():
        lines.append('*' + name)
        for chain in sorted(table):
            if chain not in HOOKS[name]:
                lines.append(f':{chain} - [0:0]')
            elif policies:
                lines.append(f':{chain} {rng.choice(["ACCEPT", "ACCEPT", "DROP"])} [{counts}:9]')
        for chain in table:
            lines += [f'[{counts}:{i % 2}] -A {chain} {r}' for i, r in enumerate(table[chain])]
        lines.append('COMMIT')
    return '\n'.join(lines) + '\n'


def saved(image):
    out = []
    for program in ('xt2tables-save', 'xt2ip6tables-save'):
        done = run(program, '-c', '--image', image)
        if done.returncode:
            fail(done.stderr)
        out += [line for line in done.stdout.splitlines() if not line.startswith('#')]
    return out, run('xt2', 'digest', image).stdout.split()[0]


def main():
    edited, replaced = f'{folder}/edited', f'{folder}/replaced'
    for image in (edited, replaced):
        run('xt2ip6tables', '--image', image, '-A', 'INPUT', '-s', '::1', '-j', 'DROP')
        run('xt2tables', '--image', image, '-t', 'mangle', '-A', 'OUTPUT', '-j', 'ACCEPT')
    tables = {name: new_table(name) for name in HOOKS}
    in_place = 0
    for number in range(options.rounds):
        for name, table in tables.items():
            mutate(name, table)
        some = {n: t for n, t in tables.items() if n == 'filter' or rng.random() < 0.9}
        text = text_of(some, rng.choice([0, 0, 0, 0, 3]), rng.random() < 0.8)
        flags = rng.choice([[], ['-c']])
        inode = os.stat(edited).st_ino
        for image, file in ((edited, f'{folder}/text'), (replaced, f'{folder}/text{number % 2}')):
            with open(file, 'w', encoding='utf-8') as f:
                f.write(text)
            done = run('xt2tables-restore', *flags, '--image', image, file)
            if done.returncode:
                fail(f'{file}: {done.stderr}')
        in_place += inode == os.stat(edited).st_ino
        if saved(edited) != saved(replaced):
            for a, b in zip(saved(edited)[0], saved(replaced)[0]):
                if a != b:
                    print(f'  {a}\n  {b}')
            fail(f'round {number}, {flags}')
        if run('xt2', 'check', edited).returncode > 1:
            fail('no valid image')
    print(f'{options.rounds} texts, {in_place} of them in place, seed {options.seed}')
    if in_place < options.rounds / 20:
        fail('hardly any text was loaded in place')


with tempfile.TemporaryDirectory() as folder:
    main()
