#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Commits that append to an image file: killed at each system call, killed or
refused by the disk in the middle of a write, with torn tails, with a byte changed
by somebody else, and read meanwhile.  The ruleset is the old one or the new one,
always, and the next commit works.  Options: --seed N, --commits N, --every BYTES
(of what a commit writes; else some places of each)."""
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
parser.add_argument('--commits', type=int, default=100)
parser.add_argument('--every', type=int)
parser.add_argument('parts', nargs='*', default=['torn', 'readers', 'paused', 'tamper', 'kill', 'disk', 'cut'])
options = parser.parse_args()
build = os.path.abspath(os.environ.get('top_builddir', '.'))
os.environ['PATH'] = f'{build}/links:{build}:' + os.environ['PATH']
# LeakSanitizer does not work under strace.
os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
random.seed(options.seed)
failed = calls = 0
CALLS = 'pwrite64,ftruncate,fdatasync,utimensat,fsync,write,rename,renameat,renameat2'


def bad(*what):
    global failed
    failed = 1
    print('FAIL:', *what)


def run(program, *args, text=None, before=(), image=None):
    """=> exit code, output, errors"""
    global calls
    calls += 1
    env = dict(os.environ, XT2_IMAGE=image or path, LC_ALL='C')
    done = subprocess.run([*before, shutil.which(program), *args], env=env, input=text or '',
                          capture_output=True, text=True, errors='surrogateescape', timeout=300,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def saved(image=None):
    code, out, err = run('xt2tables-save', '-c', image=image)
    if code:
        return f'exit code {code}: {err}'
    return '\n'.join(line for line in out.splitlines() if not line.startswith('#'))


def checked(what):
    code, _, err = run('xt2', 'check', path)
    if code > 1:
        bad(what, 'is no valid image:', err)


def base(rules=300):
    """An image with a short and a long chain, which a commit has left."""
    if os.path.exists(path):
        os.remove(path)
    lines = ['*filter', ':SHORT - [0:0]', ':LONG - [0:0]', '-A SHORT -j ACCEPT']
    lines += [f'-A LONG -s 10.1.{i // 256}.{i % 256} -j DROP' for i in range(rules)]
    code, _, err = run('xt2tables-restore', text='\n'.join(lines) + '\nCOMMIT\n')
    if code or run('xt2tables', '-A', 'INPUT', '-j', 'SHORT')[0]:
        sys.exit(f'no base image: {err}')


EDITS = {
    'append to a short chain': '-A SHORT -s 192.0.2.1 -j DROP\n',
    'insert into a long chain': '-I LONG 100 -s 192.0.2.2 -j DROP\n',
    'a long chain anew': ''.join(f'-I LONG {i} -s 172.16.0.{i} -j DROP\n' for i in range(1, 200)),
    'new chains': ''.join(f'-N NEW{i}\n-A NEW{i} -s 192.0.2.{i} -j DROP\n' for i in range(9)),
    'cells': '-A SHORT -m limit --limit 3/s -j ACCEPT\n-A SHORT -m limit --limit 4/s\n',
}


def edit(lines, before=()):
    return run('xt2', 'edit', text=lines, before=before)


def old_and_new(lines):
    base()
    shutil.copy(path, kept)
    old = saved()
    code, out, err = edit(lines)
    if code:
        sys.exit(f'{lines}: {out}{err}')
    return old, saved()


def settled(what, old, new, may_be_new=True):
    """The file after something went wrong, and the commit that follows."""
    checked(what)
    now = saved()
    if now != old and not (may_be_new and now == new):
        bad(what, ': neither the old nor the new ruleset', now[:300])
    code, _, err = run('xt2tables', '-A', 'OUTPUT', '-s', '192.0.2.99', '-j', 'DROP')
    line = '[0:0] -A OUTPUT -s 192.0.2.99/32 -j DROP'
    rest = '\n'.join(x for x in saved().splitlines() if x != line)
    if code or line not in saved() or rest != now:
        bad(what, ': the next commit:', code, err)
    checked(what + ', next')


def strace(inject):
    return ('strace', '-f', '-o', '/dev/null', '-e', 'trace=' + CALLS, '-e', 'inject=' + inject)


def count_calls(lines):
    base()
    log = os.path.join(folder, 'log')
    edit(lines, ('strace', '-f', '-o', log, '-e', 'trace=' + CALLS))
    counts = {}
    with open(log, encoding='latin1') as f:
        for line in f:
            m = re.match(r'\d+ +(\w+)\(', line)
            if m:
                counts[m[1]] = counts.get(m[1], 0) + 1
    return counts


def kill():
    for name, lines in EDITS.items():
        old, new = old_and_new(lines)
        for call, times in count_calls(lines).items():
            for n in range(1, times + 1):
                base()
                edit(lines, strace(f'{call}:signal=KILL:when={n}'))
                settled(f'{name}, killed at {call} {n}', old, new)


def disk():
    for name, lines in EDITS.items():
        old, new = old_and_new(lines)
        for call, times in count_calls(lines).items():
            if call not in ('pwrite64', 'ftruncate', 'fdatasync'):
                continue
            for error in ('ENOSPC', 'EIO', 'EDQUOT'):
                for n in range(1, times + 1):
                    base()
                    code, out, err = edit(lines, strace(f'{call}:error={error}:when={n}'))
                    what = f'{name}, {error} at {call} {n}'
                    # older files go first if the disk is full
                    stored = 'which is stored' in out + err or code == 0
                    if code != 4 * (code != 0) or (code and path not in out + err):
                        bad(what, ': exit code', code, out, err)
                    if error == 'EIO' and call == 'fdatasync' and not code:
                        bad(what, ': exit code 0', out, err)
                    settled(what, new if stored else old, new, False)


def cut():
    """The file may not become larger than so many bytes: a write is short, and the next one fails,
    or ends the program."""
    for name, lines in EDITS.items():
        old, new = old_and_new(lines)
        after = os.path.getsize(path)
        before = os.path.getsize(kept)
        step = options.every or max(64, (after - before) // 12 // 8 * 8)
        for ignored in (), ('env', '--ignore-signal=XFSZ'):
            for size in range(before, after, step):
                base()
                code, out, err = edit(lines, ('prlimit', f'--fsize={size}', *ignored))
                what = f'{name}, cut at {size - before} of {after - before} bytes'
                if code == 0 or (ignored and (code != 4 or path not in out + err)):
                    bad(what, ': exit code', code, out, err)
                settled(what, old, new, False)


def torn():
    for size in [1, 7, 8, 63, 4096] + [random.randrange(1, 100000) for _ in range(10)]:
        base()
        with open(path, 'ab') as f:
            f.write(random.randbytes(size))
        old = saved()
        checked(f'a tail of {size}')
        code, _, err = run('xt2tables', '-L', 'SHORT')
        if code or err:
            bad('reading with a tail:', code, err)
        code, _, err = run('xt2tables', '-A', 'SHORT', '-j', 'DROP')
        wanted = f'xt2: {path}: {size} bytes of a change that was not finished are cut off\n'
        if code or err != wanted:
            bad('a tail of', size, ': exit code', code, err)
        if saved() != old.replace('-A SHORT -j ACCEPT', '-A SHORT -j ACCEPT\n[0:0] -A SHORT -j DROP'):
            bad('another ruleset after a tail of', size)
        checked(f'cut off {size}')
        code, _, err = run('xt2tables', '-A', 'SHORT', '-j', 'ACCEPT')
        if code or err:
            bad('said twice:', err)


def paused():
    """A commit between any two calls of a reader."""
    for words in ('xt2', 'check', path), ('xt2tables-save',), ('xt2tables', '-S', 'SHORT'):
        base()
        log = os.path.join(folder, 'log')
        names = 'fstat,newfstatat,read,pread64,statx,lseek'
        run(*words, before=('strace', '-f', '-o', log, '-e', 'trace=' + names))
        counts = {}
        with open(log, encoding='latin1') as f:
            for line in f:
                m = re.match(r'\d+ +(\w+)\(', line)
                if m:
                    counts[m[1]] = counts.get(m[1], 0) + 1
        for call, times in counts.items():
            for n in range(max(1, times - 3), times + 1):
                base()
                env = dict(os.environ, XT2_IMAGE=path, LC_ALL='C')
                p = subprocess.Popen(['strace', '-f', '-o', '/dev/null', '-e', 'trace=' + names, '-e',
                                      f'inject={call}:delay_exit=150000:when={n}',
                                      shutil.which(words[0]), *words[1:]],
                                     env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     text=True)
                while p.poll() is None:
                    run('xt2tables', '-A', 'SHORT', '-j', 'DROP')
                if p.returncode:
                    bad(words, 'with commits at', call, n, ':', p.stderr.read())
                p.stderr.close()


WAYS = ['left', 'restored', 'copied', 'copied -p', 'linked', 'writable', 'given']


def move(how, then):
    """What is done to a file whose byte was changed."""
    if how == 'copied':
        shutil.copy(path, path + '.2')
        os.replace(path + '.2', path)
    elif how == 'copied -p':
        shutil.copy2(path, path + '.2')
        os.utime(path + '.2', ns=(then, then))
        os.replace(path + '.2', path)
    elif how == 'restored':
        os.utime(path, ns=(then, then))
    elif how == 'linked':
        os.link(path, path + '.link')
    elif how == 'writable':
        os.chmod(path, 0o660)
        os.utime(path, ns=(then, then))
    elif how == 'given' and os.geteuid() == 0:
        os.chown(path, 65534, -1)
        os.utime(path, ns=(then, then))


def tamper():
    base()
    err = run('xt2', 'edit', '-v', text='-A SHORT -j DROP\n')[2]
    if ': checked as far as it was changed last' not in err:
        bad('checked whole though nobody has changed it:', err)
    base()
    size = os.path.getsize(path)
    places = sorted({*range(0, 64), *range(size - 400, size), *random.sample(range(64, size), 150)})
    for at in places:
        how = random.choice(WAYS)
        base()
        then = os.stat(path).st_mtime_ns
        with open(path, 'r+b') as f:
            f.seek(at)
            byte = f.read(1)[0]
            f.seek(at)
            f.write(bytes([byte ^ 1 << random.randrange(8)]))
        move(how, then)
        what = f'byte {at} changed, {how}'
        valid = run('xt2', 'check', path)[0] < 2
        old = saved()
        code, out, err = run('xt2', 'edit', '-v', text='-A SHORT -s 192.0.2.77 -j DROP\n')
        if code < 0 or code > 4 or (code and 'error' not in out):
            bad(what, ': exit code', code, out, err)
        if ': checked whole: ' not in err:
            bad(what, ': not checked whole:', err)
        now = saved()
        line = '[0:0] -A SHORT -s 192.0.2.77/32 -j DROP'
        if not code and '\n'.join(x for x in now.splitlines() if x != line) != old:
            bad(what, ': other rules' if valid else ': an image that is not valid was changed')
        if code and now != old:
            bad(what, ': refused, and changed')
        if not code:
            checked(what)
        if os.path.exists(path + '.link'):
            os.remove(path + '.link')


def readers():
    base()
    done = os.path.join(folder, 'done')
    loop = ('while [ ! -e "$0" ]; do "$@" >/dev/null 2>"$0.$$" || '
            '{ echo "$*: $(cat "$0.$$")"; exit 1; }; done')
    words = [('xt2', 'check', path), ('xt2tables-save',), ('xt2tables', '-S', 'SHORT')]
    env = dict(os.environ, XT2_IMAGE=path)
    running = [subprocess.Popen(['sh', '-c', loop, done, *w], env=env,
                                stdout=subprocess.PIPE, text=True) for w in words]
    for i in range(options.commits):
        code, _, err = run('xt2tables', '-A', 'SHORT', '-s', f'10.3.{i // 256}.{i % 256}')
        if code:
            bad('a commit that others read:', err)
        if i % 25 == 24 and run('xt2tables-restore', text=run('xt2tables-save')[1])[0]:
            bad('a restore that others read')
    with open(done, 'w', encoding='ascii'):
        pass
    for p in running:
        out = p.communicate()[0]
        if p.returncode:
            bad('a reader:', out)


with tempfile.TemporaryDirectory() as folder:
    path, kept = os.path.join(folder, 'image'), os.path.join(folder, 'kept')
    for part in options.parts:
        if part in ('kill', 'disk') and not shutil.which('strace'):
            print('no strace: not', part)
            continue
        globals()[part]()
print(f'{calls} calls, seed {options.seed}')
sys.exit(failed)
