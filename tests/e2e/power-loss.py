#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Loss of power during commits to an image file, by a model of the disk: strace records what
is written and synced, by one writer or by eight at once.  What was not synced may be on the disk or
not, sector by sector, in any version that it had; so may the file's size and what the lock file
says.  Whatever is chosen, the file has the commits of those who were told so, and maybe
more of those that followed, in their order, and nothing else; and the next commit works.
Options: --seed N, --writers N, --commits N (of each), --states N (at each call)."""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--writers', type=int, default=8)
parser.add_argument('--commits', type=int, default=3)
parser.add_argument('--states', type=int, default=3)
options = parser.parse_args()
build = os.path.abspath(os.environ.get('top_builddir', '.'))
os.environ['PATH'] = f'{build}/links:{build}:' + os.environ['PATH']
os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
rng = random.Random(options.seed)
SECTOR = 512
failed = 0
states = 0

EDITS = [
    ('-A SHORT -s 192.0.2.1 -j DROP\n',),
    ('-I LONG 100 -s 192.0.2.2 -j DROP\n',),
    (''.join(f'-I LONG {i} -s 172.16.0.{i} -j DROP\n' for i in range(1, 200)),),
    (''.join(f'-N NEW{i}\n-A NEW{i} -s 192.0.2.{i} -j DROP\n' for i in range(9)),),
    ('-A SHORT -m limit --limit 3/s -j ACCEPT\n', '-A SHORT -m limit --limit 4/s\n'),
    (''.join(f'-A LONG -s 10.9.{i // 256}.{i % 256} -j DROP\n' for i in range(4000)),
     '-A SHORT -j DROP\n'),
]


def bad(*what):
    global failed
    failed = 1
    print('FAIL:', *what)


def run(program, *args, text=None):
    env = dict(os.environ, XT2_IMAGE=path, LC_ALL='C')
    done = subprocess.run([shutil.which(program), *args], env=env, input=text or '',
                          capture_output=True, text=True, errors='surrogateescape', timeout=300,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def saved():
    code, out, err = run('xt2tables-save')
    if code:
        return [f'exit code {code}: {err}']
    return [line for line in out.splitlines() if not line.startswith('#')]


def contents(name):
    try:
        with open(name, 'rb') as f:
            return f.read()
    except FileNotFoundError:
        return b''


def base(rules=300):
    """An image that a commit has left."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    lines = ['*filter', ':SHORT - [0:0]', ':LONG - [0:0]', '-A SHORT -j ACCEPT']
    lines += [f'-A LONG -s 10.1.{i // 256}.{i % 256} -j DROP' for i in range(rules)]
    code, _, err = run('xt2tables-restore', text='\n'.join(lines) + '\nCOMMIT\n')
    if code or run('xt2tables', '-A', 'INPUT', '-j', 'SHORT')[0]:
        sys.exit(f'no base image: {err}')


class Disk:
    """The sectors of a file, each with its versions since it was last synced."""

    def __init__(self, content):
        self.size = [(0, len(content))]
        self.now = bytearray(content)
        self.sectors = {}
        self.time = 0
        for at in range(0, len(content), SECTOR):
            self.note(at // SECTOR)

    def note(self, number):
        part = bytes(self.now[number * SECTOR:(number + 1) * SECTOR])
        self.sectors.setdefault(number, []).append((self.time, part.ljust(SECTOR, b'\0')))

    def resize(self, size):
        if size < len(self.now):
            del self.now[size:]
            for number in [n for n in self.sectors if n * SECTOR >= size]:
                self.sectors[number].append((self.time, bytes(SECTOR)))
        self.now.extend(bytes(size - len(self.now)))
        self.size.append((self.time, size))

    def write(self, at, what):
        self.time += 1
        if at + len(what) > len(self.now):
            self.resize(at + len(what))
        self.now[at:at + len(what)] = what
        for number in range(at // SECTOR, (at + len(what) + SECTOR - 1) // SECTOR):
            self.note(number)

    def cut(self, size):
        self.time += 1
        self.resize(size)
        if size % SECTOR:
            self.note(size // SECTOR)

    def synced(self, since):
        """All that was there when the sync began is on the disk."""
        for versions in [*self.sectors.values(), self.size]:
            while len(versions) > 1 and versions[1][0] <= since:
                del versions[0]

    def crash(self):
        """=> what may be on the disk"""
        style = rng.choice(['any', 'old', 'new', 'few', 'last'])
        size = rng.choice(self.size)[1]
        out = bytearray(size)
        for number, versions in self.sectors.items():
            chosen = rng.choice(versions)
            if style == 'old' or (style == 'few' and rng.random() < 0.9):
                chosen = versions[0]
            elif style == 'new' or (style == 'last' and number):
                chosen = versions[-1]
            part = chosen[1][:max(0, size - number * SECTOR)]
            out[number * SECTOR:number * SECTOR + len(part)] = part
        return bytes(out)


CALL = re.compile(r'(\d+) +(\w+)\((?:(\d+)<([^>]*)>)?(.*)')
DONE = re.compile(r'(\d+) +<\.\.\. (\w+) resumed>.*= (-?\d+)')
DATA = re.compile(r'"((?:\\x[0-9a-f]{2})*)", (\d+)(?:, (\d+))?')


def events(log):
    """=> (process, call, file, rest, result, begun), in the order in which they ended"""
    open_calls = {}
    with open(log, encoding='latin1') as f:
        for line in f:
            m = re.match(r'(\d+) +\+\+\+ exited with (\d+)', line)
            if m:
                yield m[1], 'exit', None, '', int(m[2]), None
                continue
            m = DONE.match(line)
            if m:
                if m[1] in open_calls:
                    call, name, rest, begun = open_calls.pop(m[1])
                    yield m[1], call, name, rest, int(m[3]), begun
                continue
            m = CALL.match(line)
            if not m:
                continue
            if 'unfinished' in line:
                begun = {}
                open_calls[m[1]] = (m[2], m[4], m[5], begun)
                yield m[1], 'begin', m[4], m[2], 0, begun
            else:
                yield m[1], m[2], m[4], m[5], int(re.search(r'= (-?\d+)', line)[1]), None


def survive(image, lock, told, order, first):
    """A file after the loss of power."""
    global states
    states += 1
    with open(path, 'wb') as f:
        f.write(image)
    with open(path + '.lock', 'wb') as f:
        f.write(lock)
    now = saved()
    n = order(now)
    if n is None:
        kept = os.path.join(tempfile.gettempdir(), f'xt2-power-loss-{options.seed}')
        shutil.copy(path, kept)
        bad(first, ': neither an old ruleset nor a new one; see', kept, now[:5])
        return
    if n < told:
        bad(first, f': {told} commits were durable, and {n} are there')
    code, _, err = run('xt2tables', '-A', 'OUTPUT', '-s', '192.0.2.99', '-j', 'DROP')
    line = '-A OUTPUT -s 192.0.2.99/32 -j DROP'
    after = saved()
    if code or line not in after or [x for x in after if x != line] != now:
        bad(first, ': the next commit:', code, err)
    if run('xt2', 'check', path)[0] > 1:
        bad(first, ': the next commit made no valid image')


def replay(log, image, lock, told_by, order, first):
    """Loses power after each call."""
    disk, locked, told = Disk(image), Disk(lock), 0
    for process, call, name, rest, result, begun in events(log):
        on = disk if name == path else locked if name == path + '.lock' else None
        if call == 'begin':
            begun['time'] = disk.time
            continue
        if call == 'exit':
            if result == 0 and process in told_by:
                told = max(told, told_by[process])
        elif call in ('rename', 'renameat2') and result == 0:
            bad(first, ': it was written whole')
            return
        elif on is None or result < 0:
            continue
        elif call == 'pwrite64':
            m = DATA.match(rest.lstrip(', '))
            on.write(int(m[3]), bytes.fromhex(m[1].replace('\\x', ''))[:result])
        elif call == 'ftruncate':
            on.cut(int(rest.lstrip(', ').split(')')[0]))
        elif call == 'fdatasync':
            on.synced(begun['time'] if begun else on.time)
        for _ in range(options.states):
            survive(disk.crash(), rng.choice([locked.crash(), bytes(locked.now), b'']), told, order,
                    f'{first}, after {call} of {process}')


def traced(command, log):
    env = dict(os.environ, XT2_IMAGE=path, LC_ALL='C')
    calls = 'pwrite64,ftruncate,fdatasync,fsync,rename,renameat2'
    done = subprocess.run(['strace', '-f', '-y', '-xx', '-s', '2000000', '-o', log, '-e',
                           'trace=' + calls, '-e', 'signal=none', 'sh', '-c', command],
                          env=env, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        bad(command, ':', done.stdout, done.stderr)


def unescaped(log):
    """strace -xx writes paths as bytes, too."""
    with open(log, encoding='latin1') as f:
        text = re.sub(r'<((?:\\x[0-9a-f]{2})+)>',
                      lambda m: '<' + bytes.fromhex(m[1].replace('\\x', '')).decode() + '>', f.read())
    with open(log, 'w', encoding='latin1') as f:
        f.write(text)


def one(edits):
    """Commits of one writer, one after the other."""
    base()
    image, lock = contents(path), contents(path + '.lock')
    rulesets = [saved()]
    for number, lines in enumerate(edits):
        with open(os.path.join(folder, f'edit{number}'), 'w', encoding='ascii') as f:
            f.write(lines)
        run('xt2', 'edit', text=lines)
        rulesets.append(saved())
    with open(path, 'wb') as f:
        f.write(image)
    with open(path + '.lock', 'wb') as f:
        f.write(lock)
    log = os.path.join(outside, 'log')
    traced(' && '.join(f'xt2 edit <{folder}/edit{n} >/dev/null' for n in range(len(edits))), log)
    unescaped(log)
    if saved() != rulesets[-1]:
        bad(edits[0][:40], ': another ruleset than before')
    processes = []
    with open(log, encoding='latin1') as f:
        for line in f:
            if 'pwrite64' in line and line.split()[0] not in processes:
                processes.append(line.split()[0])
    replay(log, image, lock, {p: n + 1 for n, p in enumerate(processes)},
           lambda now: rulesets.index(now) if now in rulesets else None, edits[0][:40].strip())


def many():
    """Commits of several writers at once."""
    base(3000)
    image, lock, before = contents(path), contents(path + '.lock'), saved()
    with open(os.path.join(outside, 'writer'), 'w', encoding='ascii') as f:
        f.write(f'for i in $(seq {options.commits}); do\n'
                'sh -c \'echo $$ "$1" >>"$0"; exec xt2tables -w 60 -A SHORT -s "$1" -j DROP\' '
                '"$2" 10.2.$1.$i || exit 1\ndone\n')
    script, log, who = (os.path.join(outside, name) for name in ('writer', 'log', 'who'))
    traced(f'for w in $(seq {options.writers}); do sh {script} $w {who}.$w & p="$p $!"; done; '
           'for w in $p; do wait $w || exit 1; done', log)
    unescaped(log)
    sources = [line.split()[3] for line in saved() if line.startswith('-A SHORT -s 10.2.')]
    if len(sources) != options.writers * options.commits:
        bad('lost updates:', sources)
    told_by = {}
    for w in range(1, options.writers + 1):
        with open(f'{who}.{w}', encoding='ascii') as f:
            for process, source in map(str.split, f):
                told_by[process] = sources.index(source + '/32') + 1

    def order(now):
        mine = [line.split()[3] for line in now if line.startswith('-A SHORT -s 10.2.')]
        rest = [line for line in now if not line.startswith('-A SHORT -s 10.2.')]
        return len(mine) if mine == sources[:len(mine)] and rest == before else None

    replay(log, image, lock, told_by, order, f'{options.writers} writers')
    with open(log, encoding='latin1') as f:
        syncs = sum(1 for line in f if ' fdatasync(' in line)
    print(f'{len(sources)} commits of {options.writers} writers: {syncs} syncs')
    if options.writers > 1 and syncs >= 2 * len(sources):
        bad('no sync was shared')


if not shutil.which('strace'):
    print('SKIP: no strace')
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as outside:
    path = os.path.join(folder, 'image')
    for words in EDITS:
        one(words)
    many()
print(f'{states} states, seed {options.seed}')
sys.exit(failed)
