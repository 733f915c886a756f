#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random command lines of iptables-legacy and texts of iptables-legacy-restore, on an image that
xt2 run changes where it is, on one that the preloaded library replaces, and, as root, on the
kernel's own tables: after each of them all say the same, with counters.
Every other seed has one xt2 run for all commands, as a daemon would.  Options: --seed, --changes, --rules."""
import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--changes', type=int, default=120)
parser.add_argument('--rules', type=int, default=300, help='of the long chain, at first')
options = parser.parse_args()
rng = random.Random(options.seed)
build = os.path.abspath(os.environ.get('top_builddir', '.'))
os.environ['PATH'] = f'{build}/links:{build}:' + os.environ['PATH'] + ':/usr/sbin:/sbin'
NETNS = f'xt2-shim-edit-{os.getpid()}'


def skip(why):
    print('SKIP:', why)
    sys.exit(77)


def run(args, text=''):
    env = dict(os.environ, LC_ALL='C', XTABLES_LOCKFILE=os.path.join(folder, 'lock'))
    return subprocess.run(args, env=env, input=text, capture_output=True, text=True, timeout=120,
                          check=False)


def address():
    return f'10.{rng.randrange(2)}.{rng.randrange(4)}.{rng.randrange(4)}'


def rule():
    words = ['-s', address()] if rng.random() < 0.9 else []
    if rng.random() < 0.4:
        words += ['-p', 'tcp', '-m', 'tcp', '--dport', str(rng.randrange(1, 5))]
    if rng.random() < 0.1:
        words += ['-m', 'comment', '--comment', f'"{rng.choice("ab")} text"']
    if rng.random() < 0.2:
        words += ['-m', 'limit', '--limit', '5/min']
    if rng.random() < 0.3:
        words += ['-c', str(rng.randrange(9)), str(rng.randrange(99))]
    return words + ['-j', rng.choice(['DROP', 'ACCEPT', 'RETURN', rng.choice(CHAINS)])]


CHAINS = ['u1', 'u2', 'u3']
PLACES = ['INPUT', 'OUTPUT', 'long'] + CHAINS


def command():
    """=> words; the tools may well refuse them"""
    chain, n = rng.choice(PLACES), str(rng.randrange(1, 12))
    return rng.choice([
        lambda: ['-A', chain] + rule(), lambda: ['-A', 'long'] + rule(),
        lambda: ['-I', chain, n] + rule(), lambda: ['-I', 'long', str(rng.randrange(1, 250))] + rule(),
        lambda: ['-D', chain, n], lambda: ['-D', 'long', str(rng.randrange(1, 250))],
        lambda: ['-R', chain, n] + rule(), lambda: ['-N', rng.choice(CHAINS)],
        lambda: ['-X', rng.choice(CHAINS)], lambda: ['-E'] + rng.sample(CHAINS, 2),
        lambda: ['-F', rng.choice(CHAINS + ['OUTPUT'])], lambda: ['-Z', chain],
        lambda: ['-Z', 'long', str(rng.randrange(1, 250))],
        lambda: ['-P', rng.choice(['INPUT', 'OUTPUT']), rng.choice(['DROP', 'ACCEPT'])],
        lambda: ['-L', chain, '-Z', '-n'],
    ])()


class Place:
    """A command's words before it."""

    def __init__(self, *words):
        self.words = list(words)

    def __call__(self, *args, text=''):
        return run(self.words + list(args), text)

    def saved(self):
        done = self('iptables-legacy-save', '-c')
        if done.returncode:
            fail(f'no rules: {done}', [], [])
        return [line for line in done.stdout.splitlines() if not line.startswith('#')]


class Daemon(Place):
    """All commands under one xt2 run, by a shell that reads them."""

    def __init__(self, *words):
        super().__init__()
        self.shell = subprocess.Popen(list(words) + ['sh'], stdin=subprocess.PIPE, text=True,
                                      env=dict(os.environ, LC_ALL='C'))

    def __call__(self, *args, text=''):
        names = [f'{folder}/{name}' for name in ('in', 'out', 'err', 'status')]
        with open(names[0], 'w', encoding='utf-8') as f:
            f.write(text)
        self.shell.stdin.write('%s <%s >%s 2>%s; echo $? >%s.new; mv %s.new %s\n' % (
            shlex.join(args), *names, names[3], names[3]))
        self.shell.stdin.flush()
        deadline = time.monotonic() + 60
        while not os.path.exists(names[3]):
            if time.monotonic() > deadline:
                sys.exit(f'FAIL: no answer to {args}, seed {options.seed}')
            time.sleep(0.001)
        read = []
        for name in names[1:]:
            with open(name, encoding='utf-8') as f:
                read.append(f.read())
        os.unlink(names[3])
        return subprocess.CompletedProcess(args, int(read[2]), read[0], read[1])


def text_of(place):
    """What is there, as a text of some lines less, more, or with other counters."""
    lines = place.saved()
    for i in range(len(lines) - 1, -1, -1):
        if lines[i].startswith('[') and rng.random() < 0.02:
            lines[i:i + 1] = rng.choice([[], [lines[i]] * 2, ['[3:4]' + lines[i][lines[i].index(']') + 1:]]])
    return '\n'.join(lines) + '\n'


def fail(what, one, other):
    print(f'FAIL: {what}, seed {options.seed}')
    for a, b in zip(one, other):
        if a != b:
            print(f'  {a}\n  {b}')
    print(len(one), len(other))
    sys.exit(1)


def change(places):
    if rng.random() < 0.12:
        words = ['iptables-legacy-restore'] + rng.choice([[], ['-c'], ['-n'], ['-c', '-n']])
        text = text_of(places[0])
        if '-n' in words:
            text = f'*filter\n{" ".join(["-A", "long"] + rule())}\nCOMMIT\n'
    else:
        words, text = ['iptables-legacy'] + command(), ''
    done = [place(*words, text=text) for place in places]
    for other in done[1:]:
        if (other.returncode, other.stderr) != (done[0].returncode, done[0].stderr):
            fail(' '.join(words), [str(done[0])], [str(other)])
    return words, not done[0].returncode


def main():
    kind = Daemon if options.seed % 2 else Place
    places = [kind('xt2', 'run', '--image', f'{folder}/edited', '--')]
    preload = not os.environ.get('SANITIZE_CFLAGS')
    if preload:
        places.append(Place('xt2', 'run', '--preload', '--image', f'{folder}/replaced', '--'))
    if os.getuid() == 0 and not run(['ip', 'netns', 'add', NETNS]).returncode:
        places.append(Place('ip', 'netns', 'exec', NETNS))
    text = '*filter\n:long - [0:0]\n' + ''.join(
        '[%d:%d] %s\n' % (i % 3, i % 5, ' '.join(['-A', 'long', '-s', address(), '-j', 'DROP']))
        for i in range(options.rules)) + 'COMMIT\n'
    for place in places:
        if place('iptables-legacy-restore', '-c', text=text).returncode:
            skip('iptables-legacy cannot be run here')
    print('seed', options.seed, flush=True)
    good = appended = 0
    for _ in range(options.changes):
        inode = os.stat(f'{folder}/edited').st_ino
        words, fine = change(places)
        good += fine
        appended += fine and inode == os.stat(f'{folder}/edited').st_ino
        saved = [place.saved() for place in places]
        for other in saved[1:]:
            if other != saved[0]:
                fail(' '.join(words), saved[0], other)
    digests = [run(['xt2', 'digest', f'{folder}/{name}'])
               for name in ['edited'] + ['replaced'] * preload]
    if any(d.stdout.split()[:1] != digests[0].stdout.split()[:1] or d.returncode for d in digests):
        fail('digests', [str(digests[0])], [str(digests[-1])])
    if run(['xt2', 'check', f'{folder}/edited']).returncode > 1:
        fail('no valid image', [], [])
    print(f'{good} changes, {appended} of them in place, {len(places)} places, seed {options.seed}')
    if appended < good / 2:
        fail('most changes were not in place', [], [])


if not shutil.which('iptables-legacy'):
    skip('no iptables-legacy')
with tempfile.TemporaryDirectory() as folder:
    try:
        main()
    finally:
        run(['ip', 'netns', 'del', NETNS])
