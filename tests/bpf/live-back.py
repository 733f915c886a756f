#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random generations of a live ruleset: each can be had back, also those of rulesets that were
replaced as a whole, the lines of a difference make the one of the other, and rules that stay go on
counting.  What was live before is kept in files, which go with it; one that somebody has changed is
refused, or does no harm.  Usage: see live-back.sh."""
import argparse
import glob
import os
import random
import re
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument('--tools', required=True)
parser.add_argument('--netns', required=True)
parser.add_argument('--folder', required=True)
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--commits', type=int, default=100)
options = parser.parse_args()
os.environ['PATH'] = f'{os.path.abspath(options.tools)}/links:{os.path.abspath(options.tools)}:' + os.environ['PATH']
os.environ.pop('XT2_OWNER', None)
LIVE = ['--live', '--netns', options.netns]
rng = random.Random(options.seed)
problems = []


def run(*args, text='', ok=(0,)):
    done = subprocess.run(args, input=text, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in ok:
        problems.append(f'{args}: {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}\n{text[:400]}')
    return done.stdout


def xt2(command, *args, **more):
    return run('xt2', command, *LIVE, *args, **more)


def digest():
    return xt2('digest').split()[0]


def generation():
    return int(xt2('history', '-n', '1').split()[0])


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
            f'-F {rng.choice("BCB")}', '-t mangle -A OUTPUT -d 10.9.9.9 -j ACCEPT', '-6 -A INPUT -j DROP',
            f'-X {rng.choice("BC")}', f'-E {rng.choice("BC")} {rng.choice("BC")}']))
    return '\n'.join(some) + '\n'


def text():
    rules = ''.join(f'-A long {rule()}\n' for _ in range(rng.randrange(150)))
    return f'*filter\n:OUTPUT ACCEPT [0:0]\n:A - [0:0]\n:B - [0:0]\n:C - [0:0]\n:long - [0:0]\n' \
           f'-A OUTPUT -p icmp -m comment --comment stays\n{rules}COMMIT\n'


def apply(rules=None):
    path = f'{options.folder}/rules'
    with open(path, 'w', encoding='ascii') as f:
        f.write(rules or text())
    done = subprocess.run(['xt2', 'apply', '--netns', options.netns, path], capture_output=True, text=True,
                          check=False)
    if done.returncode == 3:
        print('SKIP:', done.stderr)
        sys.exit(77)
    if done.returncode:
        sys.exit(f'xt2 apply: {done.returncode}: {done.stderr}')


def ping():
    run('ip', 'netns', 'exec', options.netns, 'ping', '-q', '-c', '1', '-W', '1', '127.0.0.1', ok=(0, 1))


def stayed():
    """=> packets of the rule that stays"""
    return int(re.search(r'stays -c (\d+)', run('xt2tables', *LIVE, '-v', '-S', 'OUTPUT'))[1])


def old_files():
    """=> of the network namespace, which is known by its inode"""
    inode = int(run('ip', 'netns', 'exec', options.netns, 'stat', '-L', '-c', '%i', '/proc/self/ns/net'))
    return sorted(glob.glob(f'/run/xt2/live/net-{inode}-*'))


def commit():
    kind = rng.random()
    if kind < 0.85:
        xt2('edit', text=lines(), ok=(0, 2))
    elif kind < 0.92:
        apply()
    else:
        run('xt2tables-restore', *LIVE, '-n', text=f'*filter\n-A long {rule()}\nCOMMIT\n')


def back(number, want):
    """=> is the generation still there?"""
    now = generation()
    diff = subprocess.run(['xt2', 'diff', *LIVE, str(now), str(number)], capture_output=True, text=True,
                          check=False)
    if diff.returncode == 2 and 'is not there' in diff.stderr:
        return False
    if (diff.returncode == 0) != (said[now] == want):
        problems.append(f'diff {now} {number}: {diff.returncode}, {diff.stderr}')
    counted = stayed()
    ping()
    if rng.random() < 0.5:
        xt2('rollback', str(number))
    else:
        xt2('edit', text=xt2('diff', '--commands', str(now), str(number), ok=(0, 1)))
    said[generation()] = digest()
    if said[generation()] != want:
        problems.append(f'back to {number} from {now}: another ruleset')
    if stayed() <= counted:
        problems.append(f'back to {number} from {now}: a rule that stays has counted {stayed()}, not {counted}')
    if diff.returncode and not re.findall(r'^[-+] -[A-Z] ', diff.stdout, re.M):
        problems.append(f'diff {now} {number}: no lines: {diff.stdout}')
    return True


def tamper(said_then):
    """A file of what was live before, with other bytes: the generation is that one, or not there"""
    for path in [p for p in old_files() if '.old-' in p]:
        with open(path, 'rb') as f:
            whole = f.read()
        for _ in range(8):
            changed = bytearray(whole)
            for _ in range(rng.choice([1, 1, 50])):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            changed = changed[:rng.choice([len(changed)] * 3 + [rng.randrange(len(changed))])]
            with open(path, 'wb') as f:
                f.write(changed)
            for number in rng.sample(said_then, min(4, len(said_then))):
                xt2('diff', str(number), ok=(0, 1, 2))
        with open(path, 'wb') as f:
            f.write(whole)


def large():
    """A long chain with an index, and nothing that remembers; in the arena, and in a file."""
    rules = ''.join(f'-A long -s 10.{i // 250}.{i % 250}.1 -j DROP\n' for i in range(3000))
    head = '*filter\n:OUTPUT ACCEPT [0:0]\n:A - [0:0]\n:long - [0:0]\n-A OUTPUT -j long\n'
    apply(head + rules + 'COMMIT\n')
    first, want = generation(), digest()
    xt2('edit', text='-D long 1000\n-I long 20 -s 10.99.0.1\n')
    lines_ = xt2('diff', str(first), ok=(1,)).splitlines()
    if lines_[4:] != ['+ -I long 20 -s 10.99.0.1/32', '- -D long -s 10.3.249.1/32 -j DROP']:
        problems.append(f'diff of a long chain: {lines_}')
    for other in '10.98.0.1', '10.97.0.1':
        apply(head + rules.replace('10.5.5.1', other) + 'COMMIT\n')
    lines_ = xt2('diff', str(first), ok=(1,)).splitlines()
    if sorted(lines_[4:]) != ['+ -I long 1256 -s 10.97.0.1/32 -j DROP', '- -D long -s 10.5.5.1/32 -j DROP']:
        problems.append(f'diff of a long chain in a file: {lines_}')
    xt2('rollback', str(first))
    if digest() != want:
        problems.append('back to a long chain: another ruleset')


large()
apply()
said = {generation(): digest()}
for _ in range(options.commits):
    commit()
    said[generation()] = digest()
# an image that is mostly what older generations were
xt2('edit', text='-N many\n-A many -j DROP\nCOMMIT\n' +
    ''.join(f'-I many 1 -s 10.8.0.{i % 256}\nCOMMIT\n-D many 1\nCOMMIT\n' for i in range(300)) +
    '-F many\n-X many\nCOMMIT\n')
said[generation()] = digest()
kept = len(old_files())
if not 0 < kept <= 8:
    problems.append(f'old files: {old_files()}')
tamper(list(said))
there, gone = 0, 0
for generation_then in sorted(said, reverse=True):
    if back(generation_then, said[generation_then]):
        there += 1
        if gone:
            problems.append(f'generation {generation_then} is there, and a newer one is gone')
    else:
        gone += 1
# Each file has a generation at least, and so has what is live; how many more is drawn.
if there <= kept:
    problems.append(f'of {len(said)} generations only {there} are there, with {kept} old files')
if not re.search(r'  rollback  .*; back to generation \d+$', xt2('history'), re.M):
    problems.append('no rollback in the history')
first = generation()
xt2('rollback', str(first))
if generation() != first:
    problems.append('back to what is there: a commit')
xt2('rollback', '--if-generation', '1', str(first), ok=(5,))
xt2('rollback', '100000', ok=(2,))
xt2('diff', '100000', ok=(2,))
xt2('edit', text='owner me\n-N mine\n-A mine\n')
xt2('rollback', str(first), ok=(6,))
xt2('rollback', '--owner', 'me', str(first))
run('xt2', 'detach', '--netns', options.netns)
if old_files():
    problems.append(f'after xt2 detach there are {old_files()}')
xt2('diff', '1', ok=(1,))
xt2('rollback', '1', ok=(1,))
print(f'{there} generations had back, {gone} gone, {kept} old files')
print('again: live-back.sh --seed', options.seed)
for problem in problems[:10]:
    print('FAIL:', problem)
sys.exit(bool(problems))
