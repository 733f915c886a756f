#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A live ruleset is edited where it is: by the same lines as an image, under traffic, by processes
that are killed, on trial, and until counters are used again.  Usage: see live-edits.sh."""
import argparse
import os
import random
import re
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument('--tools', required=True)
parser.add_argument('--netns', required=True)
parser.add_argument('--folder', required=True)
parser.add_argument('--seed', type=int, default=os.environ.get('XT2_SEED', random.getrandbits(32)))
parser.add_argument('--lines', type=int, default=150 if os.environ.get('XT2_SHORT') else 400)
parser.add_argument('--kills', type=int, default=40 if os.environ.get('XT2_SHORT') else 150)
parser.add_argument('--transactions', type=int, default=400)
parser.add_argument('--commits', type=int, default=400 if os.environ.get('XT2_SHORT') else 2000)
parser.add_argument('parts', nargs='*', default=['same', 'whole', 'met', 'flood', 'killed', 'many', 'trial', 'again'])
options = parser.parse_args()
tools = os.path.abspath(options.tools)
LIVE = ['--live', '--netns', options.netns]
rand = random.Random(options.seed)
failed = 0

# COUNTED is met by each packet that is sent, and no line names it.
RULES = '''*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:COUNTED - [0:0]
:SHORT - [0:0]
:LONG - [0:0]
-A OUTPUT -j COUNTED
-A COUNTED -p icmp -m icmp --icmp-type 8
-A INPUT -p icmp -m icmp --icmp-type 8 -j LONG
-A SHORT -s 10.1.1.1 -j DROP
''' + ''.join(f'-A LONG -s 10.3.{i // 200}.{i % 200} -j DROP\n' for i in range(300)) + '''COMMIT
*mangle
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
COMMIT
'''


def bad(*what):
    global failed
    failed = 1
    print('WRONG:', *what)


def run(program, *args, text=''):
    done = subprocess.run([f'{tools}/{program}', *args], input=text, capture_output=True, text=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def tables(*words, live=True):
    return run('links/xt2tables', *(LIVE if live else []), *words)


def listed(live=True, counters=False):
    out = ''
    for table in 'filter', 'mangle':
        code, text, err = tables('-t', table, *(['-v'] if counters else []), '-S', live=live)
        if code:
            bad('listing:', code, err)
        out += text
    return out


def apply(*options_):
    path = f'{options.folder}/rules'
    with open(path, 'w', encoding='ascii') as f:
        f.write(RULES)
    code, _, err = run('xt2', 'apply', '--netns', options.netns, *options_, path)
    if code == 3:
        print('SKIP:', err)
        sys.exit(77)
    if code:
        sys.exit(f'xt2 apply: {code}: {err}')


def inside(*words):
    return ['ip', 'netns', 'exec', options.netns, *words]


def ping(n):
    subprocess.run(inside('ping', '-q', '-c', str(n), '-i', '0.01', '-W', '1', '127.0.0.1'), check=False,
                   stdout=subprocess.DEVNULL)


class Flood:
    """Pings from each processor, until it is stopped."""

    def __init__(self):
        self.all = [subprocess.Popen(inside('taskset', '-c', str(cpu), 'ping', '-q', '-f', '127.0.0.1'),
                                     stdout=subprocess.PIPE, text=True)
                    for cpu in sorted(os.sched_getaffinity(0))[:2]]

    def stop(self):
        """=> packets that were sent"""
        sent = 0
        for p in self.all:
            p.send_signal(2)
        for p in self.all:
            sent += int(re.search(r'(\d+) packets transmitted', p.communicate()[0])[1])
        return sent


def counted(chain, rule=1):
    """=> packets of a rule"""
    code, text, err = tables('-v', '-S', chain, str(rule))
    m = re.search(r'-c (\d+) \d+', text)
    if code or not m:
        bad(f'rule {rule} of {chain}:', code, text, err)
        return -1
    return int(m[1])


# --- random lines -----------------------------------------------------------------

def rule():
    match = rand.choice(['-s 10.4.0.1', '-s 10.4.0.0/16', '-p tcp --dport 80', '-p udp --sport 1:9', '',
                         '-m mark --mark 3', '-m limit --limit 5/hour', '-i eth7', '-m length --length 9',
                         '-m comment --comment abc'])
    return match + ' ' + rand.choice(['-j DROP', '-j ACCEPT', '-j SHORT', '-g LONG', '-j N1', '', '-j RETURN',
                                      '-j REJECT', '-j QUEUE', '-j LOG'])


def line():
    chain = rand.choice(['INPUT', 'FORWARD', 'OUTPUT', 'SHORT', 'LONG', 'LONG', 'N1', 'N2'])
    number = str(rand.choice([1, 1, 2, 3, rand.randint(1, 300)]))
    if chain == 'OUTPUT':
        number = '2'
    where = number if chain == 'OUTPUT' else rand.choice(['', number])
    return rand.choices([f'-A {chain} {rule()}', f'-I {chain} {where or 2} {rule()}', f'-D {chain} {number}',
                         f'-D {chain} {rule()}', f'-R {chain} {number} {rule()}', f'-N {chain}', f'-X {chain}',
                         f'-E {chain} N2', f'-P {chain} {rand.choice(["ACCEPT", "DROP"])}', '-F SHORT',
                         '-t mangle -A OUTPUT -p 99 -m length --length 9 -j DROP', '-t mangle -F', '-t raw -A OUTPUT -p 99'],
                        [9, 5, 5, 1, 3, 2, 1, 1, 1, 0.5, 1, 0.3, 0.1])[0]


REFUSED = re.compile(r'cannot do|cannot match|cannot have')


def same():
    """The same lines for what is live and for an image: the same answers and rules, and counters
    that go on."""
    apply()
    run('xt2tables-restore', text=RULES)
    sent = counted('COUNTED')
    for number in range(options.lines):
        words = line().split()
        live = tables(*words)
        if REFUSED.search(live[2]):
            continue
        image = tables(*words, live=False)
        if live[0] != image[0] or live[1] != image[1]:
            bad(f'line {number}: {" ".join(words)}: live {live}, image {image}')
        if number % 10 == 0:
            ping(3)
            sent += 3
        if number % 20 == 0:
            one, other = listed(), listed(live=False)
            if one != other:
                bad(f'after line {number}: {" ".join(words)}:', set(one.split('\n')) ^ set(other.split('\n')))
                return
        now = counted('COUNTED')
        if now != sent:
            bad(f'after line {number}: {" ".join(words)}: {sent} packets sent, {now} counted')
            return
    state = run('xt2', 'status', '--netns', options.netns)[1]
    if not re.search(r'^faults 0$', state, re.M):
        bad('faults:', state)


# --- texts that are restored again and again ----------------------------------------------

def whole():
    """Of a whole text what differs is stored; tables that it does not have go on."""
    lines = RULES.split('*mangle')[0].split('\n')
    first = lines.index('-A SHORT -s 10.1.1.1 -j DROP')
    path = f'{options.folder}/whole'
    apply()
    tables('-t', 'mangle', '-A', 'OUTPUT', '-p', 'icmp')
    run('xt2tables-restore', '--image', f'{options.folder}/image', text=RULES)
    tables('-t', 'mangle', '-A', 'OUTPUT', '-p', 'icmp', live=False)
    sent = 0
    for number in range(30):
        for _ in range(rand.choice([0, 1, 1, 3])):
            at = rand.randrange(first, len(lines) - 2)
            lines[at] = f'-A LONG -s 10.5.{rand.randrange(200)}.{rand.randrange(200)} -j DROP'
        if number % 10 == 9:
            lines.insert(first, f'-A SHORT -s 10.5.5.{number}')
            lines.insert(2, f':NEW{number} - [0:0]')
            first += 1
        if number == 27:
            lines[1] = ':INPUT DROP [7:7]'
        with open(path, 'w', encoding='ascii') as f:
            f.write('\n'.join(lines))
        ping(3)
        sent += 6 if number <= 27 else 3
        flags = rand.choice([[], ['-c']])
        for where in (LIVE, ['--image', f'{options.folder}/image']):
            code, out, err = run('xt2tables-restore', *where, *flags, path)
            if code:
                bad(f'text {number}: {where}: {code} {out} {err}')
        one, other = tables('-v', '-S')[1], tables('-v', '-S', live=False)[1]
        if one != other:
            bad(f'text {number}:', set(one.split('\n')) ^ set(other.split('\n')))
            return
        counts = re.findall(r'-c (\d+)', tables('-t', 'mangle', '-v', '-S', 'OUTPUT', '1')[1])
        if counts != [str(sent)]:
            bad(f'text {number}: {sent} packets, {counts} in another table')
            return


# --- packets that meet a patch ----------------------------------------------------------

SEND = """
import socket, sys
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.bind(('127.0.0.1', 5000))
for line in sys.stdin:
    for source in line.split():
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((source, 0))
        s.sendto(b'', ('127.0.0.1', 5000))
        s.close()
    n = 0
    try:
        while to.recvfrom(16, socket.MSG_DONTWAIT):
            n += 1
    except BlockingIOError:
        pass
    print(n, flush=True)
"""


def some_source():
    bits = rand.choice([32, 32, 32, 28, 24, 18])
    address = rand.randint(0, 1023) >> 32 - bits << 32 - bits if bits > 22 else 0
    return address, bits


class Model:
    """A chain of rules [address, bits, target, packets]; addresses count from 127.1.0.0."""

    def __init__(self):
        self.rules = [[*some_source(), rand.choice(['DROP', '', '', 'RETURN']), 0] for _ in range(700)]
        self.accepted = 0

    @staticmethod
    def text(rule):
        address, bits, target, _ = rule
        return f'-s 127.1.{address >> 8}.{address & 255}/{bits}' + (f' -j {target}' if target else '')

    def edit(self):
        """=> the line"""
        new = [*some_source(), rand.choice(['DROP', 'ACCEPT', '', '']), 0]
        n = len(self.rules)
        at = rand.choice([0, n - 1, rand.randrange(n), rand.randrange(n)])
        kind = rand.choice('IIDRA') if n > 500 else 'I'
        if kind == 'D':
            del self.rules[at]
            return f'-D LONG {at + 1}'
        if kind == 'R':
            self.rules[at] = new
            return f'-R LONG {at + 1} {self.text(new)}'
        if kind == 'A':
            self.rules.append(new)
            return f'-A LONG {self.text(new)}'
        self.rules.insert(at, new)
        return f'-I LONG {at + 1} {self.text(new)}'

    def packet(self, source):
        for rule in self.rules:
            if source >> 32 - rule[1] == rule[0] >> 32 - rule[1]:
                rule[3] += 1
                if rule[2]:
                    self.accepted += rule[2] != 'DROP'
                    return
        self.accepted += 1


def met():
    """Packets meet edited chains as a model says; each rule's counter is exact."""
    model = Model()
    path = f'{options.folder}/met'
    with open(path, 'w', encoding='ascii') as f:
        f.write('*filter\n:LONG - [0:0]\n-A INPUT -p udp --dport 5000 -j LONG\n' +
                ''.join(f'-A LONG {model.text(rule)}\n' for rule in model.rules) + 'COMMIT\n')
    code, _, err = run('xt2', 'apply', '--netns', options.netns, path)
    if code:
        sys.exit(f'xt2 apply: {code}: {err}')
    sender = subprocess.Popen(inside('python3', '-c', SEND), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for batch in range(options.lines // 4):
        lines = [model.edit() for _ in range(rand.choice([1, 1, 2, 40]))]
        code, out, err = run('xt2', 'edit', *LIVE, text='\n'.join(lines) + '\nCOMMIT\n')
        if code or 'error' in out:
            bad(f'batch {batch}:', lines, code, out, err)
            break
        sources = [rand.randint(0, 1100) for _ in range(100)]
        model.accepted = 0
        for source in sources:
            model.packet(source)
        sender.stdin.write(' '.join(f'127.1.{s >> 8}.{s & 255}' for s in sources) + '\n')
        sender.stdin.flush()
        accepted = int(sender.stdout.readline())
        if accepted != model.accepted:
            bad(f'batch {batch}: {accepted} packets were accepted, not {model.accepted}')
            break
        if batch % 8:
            continue
        counts = [int(n) for n in re.findall(r'^-A LONG .*-c (\d+)', tables('-v', '-S', 'LONG')[1], re.M)]
        if counts != [rule[3] for rule in model.rules]:
            bad(f'batch {batch}: counters:', [(i, model.text(rule), rule[3], n)
                                              for i, (rule, n) in enumerate(zip(model.rules, counts)) if rule[3] != n][:5])
            break
    for source in rand.sample(range(1024), 5):
        said = run('xt2', 'explain', *LIVE, '-4', '--hook', 'INPUT', '-i', 'lo', '-s', f'127.1.{source >> 8}.{source & 255}',
                   '-d', '127.0.0.1', '-p', 'udp', '--dport', '5000')[1].strip().split('\n')[-1]
        met_by = next((i for i, r in enumerate(model.rules, 1)
                       if r[2] and source >> 32 - r[1] == r[0] >> 32 - r[1]), 0)
        action = model.rules[met_by - 1][2] if met_by else 'RETURN'
        wanted = 'verdict: ACCEPT by filter/INPUT:policy' if action == 'RETURN' else \
            f'verdict: {action} by filter/LONG:{met_by}'
        if not said.startswith(wanted):
            bad(f'explain {source}:', said, 'not', wanted)
    at = 2 + rand.randrange(len(model.rules))
    tables('-I', 'LONG', '1', '-s', '127.9.9.9', '-j', 'RETURN')
    tables('-I', 'LONG', str(at + 1), '-s', '127.1.99.9', '-j', 'LOG')
    sender.stdin.write('127.1.99.9\n')
    sender.stdin.flush()
    sender.stdout.readline()
    # Otherwise timeout sends SIGCONT too, which undoes the stop that LeakSanitizer waits for at the end.
    log = subprocess.Popen(['timeout', '--foreground', '20', f'{tools}/xt2', 'log', '--netns', options.netns, '--rule'],
                           stdout=subprocess.PIPE, text=True)
    said = next((line for line in log.stdout if 'SRC=127.1.99.9' in line), '')
    log.terminate()
    log.wait()
    if not said.endswith(f':LONG:{at + 1}\n'):
        bad(f'a rule logs as another than {at + 1}:', said)
    sender.stdin.close()
    sender.wait()
    state = run('xt2', 'status', '--netns', options.netns)[1]
    if not re.search(r'^faults 0$', state, re.M):
        bad('faults:', state)


# --- under traffic ------------------------------------------------------------------

def flood():
    """Two rules of a transaction are both met by a packet, or none is."""
    apply()
    base = counted('COUNTED')
    traffic = Flood()
    for i in range(60):
        text = f'-I LONG -m comment --comment front{i}\n-A LONG -m comment --comment back{i}\nCOMMIT\n' \
               f'-A SHORT -s 10.9.0.{i} -j DROP\nCOMMIT\n'
        if i % 7 == 6:
            text += f'-D LONG -m comment --comment front{i - 1}\n-D LONG -m comment --comment back{i - 1}\nCOMMIT\n'
        code, out, err = run('xt2', 'edit', *LIVE, text=text)
        if code or 'error' in out:
            bad(f'edit {i}:', code, out, err)
    sent = traffic.stop()
    time.sleep(0.1)
    if counted('COUNTED') - base != sent:
        bad(f'{sent} packets sent, {counted("COUNTED") - base} counted')
    counts = {}
    for name, packets in re.findall(r'--comment ((?:front|back)\d+) -c (\d+)', tables('-v', '-S', 'LONG')[1]):
        counts[name] = int(packets)
    if len(counts) != 2 * (60 - 8):
        bad('rules:', len(counts))
    for name, packets in counts.items():
        if name.startswith('front') and packets != counts.get(name.replace('front', 'back')):
            bad(name, packets, counts.get(name.replace('front', 'back')))
    if not sum(counts.values()):
        bad('no packet met an edit')


def killed():
    """A process that is killed leaves the rules as they were, or as it wanted them."""
    apply()
    base = counted('COUNTED')
    traffic = Flood()
    old = listed()
    done = 0
    for i in range(options.kills):
        words = [f'{tools}/links/xt2tables', *LIVE, '-A', 'SHORT', '-s', f'10.8.{i // 200}.{i % 200}', '-j', 'DROP']
        p = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        time.sleep(rand.random() * 0.012)
        p.kill()
        err = p.communicate()[1]
        now = listed()
        added = [x for x in now.split('\n') if x not in old.split('\n')]
        if now != old and (len(added) != 1 or f'10.8.{i // 200}.{i % 200}/32' not in added[0]):
            bad(f'kill {i}: {added}', err)
        done += now != old
        old = now
    sent = traffic.stop()
    time.sleep(0.1)
    if counted('COUNTED') - base != sent:
        bad(f'{sent} packets sent, {counted("COUNTED") - base} counted, after kills')
    if any(int(n) for n in re.findall(r'-s 10\.8\S+ -c (\d+)', tables('-v', '-S', 'SHORT')[1])):
        bad('a rule that no packet meets has counted')
    print(f'{done} of {options.kills} were done before they were killed')


def many():
    """A stream of transactions under traffic, whose writer is killed now and then: each inserts two
    rules that all packets meet, or deletes them; none is met without the other."""
    apply()
    base = counted('COUNTED')
    traffic = Flood()
    words = [f'{tools}/xt2', 'edit', *LIVE]
    writer = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    alive, kills = [], 0
    for n in range(options.commits):
        comment = '-p icmp -m icmp --icmp-type 8 -m comment --comment'
        delete = rand.choice(alive) if len(alive) > 200 or (alive and rand.random() < 0.45) else None
        where = f'LONG {rand.randint(1, 300)}'
        lines = [f'-D LONG {comment} {end}{delete}' if delete is not None else f'-{"I" if end == "f" else "A"} '
                 f'{where if end == "f" else "LONG"} {comment} {end}{n}' for end in 'fb']
        writer.stdin.write('\n'.join(lines) + '\nCOMMIT\n')
        writer.stdin.flush()
        if rand.random() < 40 / options.commits:
            time.sleep(rand.random() * 0.002)
            writer.kill()
            writer.wait()
            kills += 1
            listed_now = tables('-S', 'LONG')[1]
            name = n if delete is None else delete
            ends = [f' {end}{name}\n' in listed_now.replace('"', '') for end in 'fb']
            if ends[0] != ends[1]:
                bad(f'commit {n}: half of it was done: {ends}')
            done = ends[0] == (delete is None)
            writer = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        else:
            answer = writer.stdout.readline()
            done = answer.startswith('ok')
            if not done:
                bad(f'commit {n}: {lines}: {answer}')
                break
        if done and delete is None:
            alive.append(n)
        elif done:
            alive.remove(delete)
    writer.stdin.close()
    writer.wait()
    sent = traffic.stop()
    time.sleep(0.1)
    if counted('COUNTED') - base != sent:
        bad(f'{sent} packets sent, {counted("COUNTED") - base} counted')
    counts = {name: int(n) for name, n in re.findall(r'--comment "?([fb]\d+)"? -c (\d+)', tables('-v', '-S', 'LONG')[1])}
    if sorted(counts) != sorted(f'{end}{n}' for n in alive for end in 'fb'):
        bad('rules:', len(counts), 'pairs:', len(alive))
    for n in alive:
        if counts.get(f'f{n}') != counts.get(f'b{n}'):
            bad(f'pair {n}: {counts.get(f"f{n}")} and {counts.get(f"b{n}")} packets')
    if not re.search(r'^faults 0$', run('xt2', 'status', '--netns', options.netns)[1], re.M):
        bad('faults')
    print(f'{options.commits} commits, {kills} kills, {sent} packets')


def tried(before, seconds):
    """Put a ruleset on trial and edit it; again, for longer, if the trial was over before the edit.
    => the rules"""
    while seconds < 100:
        apply('--confirm', str(seconds))
        code = tables('-A', 'SHORT', '-s', '10.7.0.2', '-j', 'DROP')[0]
        edited = listed()
        if '10.7.0.2' in edited and '10.7.0.1' not in edited:
            return edited
        tables('-D', 'SHORT', '-s', '10.7.0.2', '-j', 'DROP')
        if code or listed() != before:
            return None
        seconds *= 2
    return None


def trial():
    """Edits of a ruleset that is on trial are taken back with it."""
    apply()
    tables('-A', 'SHORT', '-s', '10.7.0.1', '-j', 'DROP')
    before = listed()
    for end in 'no', 'late', 'yes':
        edited = tried(before, 2 if end == 'late' else 60)
        if not edited:
            bad(f'{end}: no edit of a trial')
            continue
        if end == 'late':
            until = time.monotonic() + 60
            while listed() == edited and time.monotonic() < until:
                tables('-I', 'SHORT', '-s', '10.7.0.3', '-j', 'DROP')
                tables('-D', 'SHORT', '-s', '10.7.0.3', '-j', 'DROP')
        else:
            run('xt2', 'confirm', '--netns', options.netns, *(['--no'] if end == 'no' else []))
        tables('-D', 'SHORT', '-s', '10.7.0.3', '-j', 'DROP')
        if listed() != (edited if end == 'yes' else before):
            bad(f'{end}: other rules are live:', listed())
        if tables('-A', 'SHORT', '-s', '10.7.0.4', '-j', 'DROP')[0] or \
           tables('-D', 'SHORT', '-s', '10.7.0.4', '-j', 'DROP')[0]:
            bad(f'{end}: no edit afterwards')


# --- until counters are used again ---------------------------------------------------

def again():
    apply()
    base = counted('COUNTED')
    traffic = Flood()
    rules = ''.join(f'-A SHORT -p icmp -m comment --comment n{i}\n' for i in range(50))
    text = '-I LONG -j SHORT\nCOMMIT\n' + f'-F SHORT\n{rules}COMMIT\n' * (options.transactions - 1)
    code, out, err = run('xt2', 'edit', *LIVE, text=text)
    if code or out.count('ok') != options.transactions:
        bad('edits:', code, out[-200:], err)
    sent = traffic.stop()
    time.sleep(0.1)
    if counted('COUNTED') - base != sent:
        bad(f'{sent} packets sent, {counted("COUNTED") - base} counted, with counters that are used again')
    for i in range(3):
        if tables('-A', 'SHORT', '-s', f'10.6.0.{i}', '-j', 'DROP')[0] or counted('SHORT', i + 51):
            bad('a new rule has counted')
        same_packets = {counted('SHORT', n) for n in range(1, 51)}
        if len(same_packets) != 1 or same_packets.pop() > sent:
            bad('rules that all packets meet have not counted the same')


for part in options.parts:
    start = time.monotonic()
    globals()[part]()
    print(f'{part}: {time.monotonic() - start:.1f} s')
print(f'again: live-edits.sh --seed {options.seed}')
sys.exit(failed)
