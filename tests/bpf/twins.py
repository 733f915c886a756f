#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two network namespaces that differ in one thing: the kernel's tables decide in one, xt2 in the other.

  twins.py --xt2 PATH --inject PATH [--host HOST] [--seeds FIRST-LAST] [-4|-6] [--keep DIR]

Random rulesets of every table and hook, the same packets to both: conversations in both directions, and
odd packets.  Each counter of each rule and policy must be the same, and the text of the rules.  Seeds say
all; a run of one seed is the same as that seed in a longer run:

        packets -> tun0, tap0 -> [tables] -> this host (10.77.0/24, fd77::/64), or tap0
        raw socket            -> [tables] -> tap0

Ends with 0 if all are equal and each state of connections was counted, 1 if not, 77 if this machine
cannot show it.
"""
import argparse
import collections
import ctypes
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'prop')]

import compare
import conversations
import live

SKIP = 77
NAME = {4: 'ip', 6: 'ip6'}
# Nothing of the kernel's own comes at a time of its own, and no answer is left out for its rate.
SETTINGS = {
    'ipv4/ip_forward': 1, 'ipv4/icmp_ratemask': 0, 'ipv4/ipfrag_time': 3600, 'ipv4/conf/all/send_redirects': 0,
    'ipv4/conf/default/send_redirects': 0, 'ipv4/conf/all/rp_filter': 0, 'ipv4/conf/default/rp_filter': 0,
    'ipv4/conf/all/accept_redirects': 0, 'ipv6/conf/all/accept_redirects': 0, 'ipv6/conf/default/accept_redirects': 0,
    'ipv6/conf/all/forwarding': 1, 'ipv6/conf/default/accept_ra': 0, 'ipv6/icmp/ratemask': '', 'ipv6/auto_flowlabels': 0,
    'ipv6/ip6frag_time': 3600, 'netfilter/nf_conntrack_frag6_timeout': 3600, 'netfilter/nf_conntrack_checksum': 0,
    'ipv6/conf/default/mldv1_unsolicited_report_interval': 1, 'ipv6/conf/default/mldv2_unsolicited_report_interval': 1}
SETUP = '''link set tap0 arp off
addr add 10.77.0.1/32 dev lo
route add local 10.77.0.0/24 dev lo
route add default dev tap0
addr add fd77::1/128 dev lo nodad
route add local fd77::/64 dev lo
route add ::/0 dev tap0
rule add fwmark 0x82 table 82
rule add from ::/0 fwmark 0x82 table 82
route add blackhole default table 82
route add blackhole ::/0 table 82
'''
MATCH = re.compile(r'-m ([a-z0-9]+)|-j (REJECT --reject-with [a-z0-9-]+|[A-Z]{2,}\b)')
KNOWN = re.compile(r'^\t\{ "([A-Za-z0-9]+)", ([^,]+),', re.M)
USED_BY = 20    # rulesets, at least
# The kernel draws and forgets at times of its own: a difference that does not come again is one of a few, or a failure.
AGAIN, ONCE_OF = 3, 400
# Of what the kernel may have, what no ruleset here has, and why.
NOWHERE = {
    'live rulesets refuse it': ('CLUSTERIP', 'DNPT', 'HMARK', 'SNPT', 'SYNPROXY', 'TCPOPTSTRIP', 'l2tp', 'srh'),
    'it counts in objects of another tool': ('nfacct',),
    'it needs what a network namespace has not': ('CONNSECMARK', 'LED', 'SECMARK', 'ipvs', 'rateest'),
    'iptables has no name for it': ('ERROR', 'udplite')}
ETH_P_ALL, RCVBUFFORCE, ROOM = 3, 33, 16 << 20
DOORS = (1, 22, 53, 80, 443, 1024, 8080, 65534, 65535)
EXTENSIONS, FRAGMENT = (0, 43, 60), 44
CHECKSUM_AT = {6: 16, 17: 6}     # of TCP and UDP
ERRORS = {1: (3, 4, 5, 11, 12), 58: (1, 2, 3, 4)}        # types of ICMP and ICMPv6 that quote a packet
FINGERPRINTS = b'8192:64:0:40:.:Linux:twins:df:twins\n8192:64:1:40:.:Linux:twins::twins\n'
STATE = re.compile(r'-A \S+ -m (?:conntrack --ctstate|state --state) ([A-Z]+)$')


class Missing(Exception):
    pass


def run(*cmd, text=None):
    p = subprocess.run(cmd, input=text, text=True, capture_output=True, check=False)
    if p.returncode:
        raise RuntimeError(f'{" ".join(cmd)}: exit code {p.returncode}: {p.stderr.strip()[:500]}')
    return p.stdout


def inside(ns, make):
    """=> what make() makes in a network namespace"""
    libc = ctypes.CDLL(None, use_errno=True)
    with open('/proc/self/ns/net', encoding='ascii') as home, open(f'/run/netns/{ns}', encoding='ascii') as there:
        if libc.setns(there.fileno(), 0):
            raise RuntimeError(f'setns: {os.strerror(ctypes.get_errno())}')
        try:
            return make()
        finally:
            libc.setns(home.fileno(), 0)


def listen(ns):
    """=> a socket that hears all that leaves by tap0 of a network namespace"""
    ear = inside(ns, lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)))
    ear.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, ROOM)
    inside(ns, lambda: ear.bind(('tap0', 0)))
    ear.setblocking(False)
    return ear


def words(rule):
    """=> the names of its matches and its target"""
    return [match or target for match, target in MATCH.findall(rule)]


def known():
    """=> the names of all matches and targets of IPv4 and IPv6 that xt2 knows"""
    path = os.path.join(HERE, '..', '..', 'translators', 'table', 'legacy-known.c')
    rows = KNOWN.findall(text_of(path))
    return {name for name, families in rows if families.split(' |')[0] in ('IP', 'ANY', 'V4', 'V6', 'ARP') and families != 'ARP'}


def doors():
    """=> sockets of ports that many packets have, for -m socket; they answer nothing"""
    made = []
    for port in DOORS:
        for family, any_address in ((socket.AF_INET, '0.0.0.0'), (socket.AF_INET6, '::')):
            made.append(socket.socket(family, socket.SOCK_DGRAM))
            if family == socket.AF_INET6:
                made[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made[-1].bind((any_address, port))
    return made


def plain(frame):
    """A packet without what the kernel draws at random: identifications."""
    data = frame[14:]
    if not data or data[0] >> 4 != 6:
        return data[:4] + b'\0\0' + data[6:10] + b'\0\0' + data[12:]
    return plain6(data)


def plain6(data, start=0):
    """The same of IPv6; an error may quote a packet that the kernel has fragmented."""
    if len(data) < start + 40:
        return data
    kind, at = data[start + 6], start + 40
    while kind in EXTENSIONS and at + 1 < len(data):
        kind, at = data[at], at + 8 + 8 * data[at + 1]
    if kind == FRAGMENT:
        return data[:at + 4] + b'\0' * 4 + data[at + 8:]
    if kind not in ERRORS or at >= len(data) or data[at] not in ERRORS[kind]:
        return data
    quoting = plain6(data, at + 8)
    return data if quoting == data else without(quoting, at + 2)


def port_fields(data, start=0):
    """=> (where ports, where checksums of them are) in a packet, or in the one that an ICMP error quotes"""
    head = data[start:start + 40]
    if len(head) < 20:
        return [], []
    at, proto = (start + 20, head[9]) if head[0] >> 4 == 4 else (start + 40, head[6])
    while proto in EXTENSIONS and at + 1 < len(data):
        proto, at = data[at], at + 8 + 8 * data[at + 1]
    if proto == FRAGMENT and at + 8 <= len(data) and data[at + 2:at + 4] < b'\0\x08':     # the first one
        proto, at = data[at], at + 8
    if proto in CHECKSUM_AT:
        return [at, at + 2], [at + CHECKSUM_AT[proto]]
    if proto in ERRORS and at < len(data) and data[at] in ERRORS[proto]:
        ports, checksums = port_fields(data, at + 8)
        return ports, checksums + [at + 2]
    return [], []


def without(data, *fields):
    return bytes(0 if any(f <= i < f + 2 for f in fields) else c for i, c in enumerate(data))


def drawn(a, b):
    """Do packets differ in a port that the kernel drew, as the sender's was taken, and in nothing else?"""
    ports, checksums = port_fields(a)
    if port_fields(b) != (ports, checksums):
        return False
    for port in ports:
        ranges = [min(int.from_bytes(x[port:port + 2], 'big') // 512, 2) for x in (a, b)]
        if ranges[0] == ranges[1] and without(a, port, *checksums) == without(b, port, *checksums):
            return True
    return False


class Twin:
    """A network namespace, with a process in it that sends packets."""

    def __init__(self, name, args):
        self.ns, self.xt2 = f'xt2-{name}-{os.getpid()}', args.xt2
        self.inside = ['nsenter', f'--net=/run/netns/{self.ns}']
        self.proc, self.ears, self.ear = None, [], None
        run('ip', 'netns', 'add', self.ns)

    def start(self, inject):
        run(*self.inside, 'sh', '-c', ''.join(f'echo "{v}" >/proc/sys/net/{k}\n' for k, v in SETTINGS.items()))
        self.proc = subprocess.Popen(self.inside + [inject, 'tun0', 'tap0'], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        if self.proc.stdout.readline() != 'ready\n':
            raise Missing('no tun device (see the message above)')
        run('ip', '-n', self.ns, '-b', '-', text=SETUP)
        self.ear = listen(self.ns)
        self.ears = [self.ear, *inside(self.ns, doors)]

    def close(self):
        for s in self.ears:
            s.close()
        if self.proc:
            self.proc.stdin.close()
            self.proc.wait()
        subprocess.run(['ip', 'netns', 'del', self.ns], check=False)

    def send(self, what):
        """A capture's path, or a word; => (packets that were taken, packets that were refused)"""
        self.proc.stdin.write(what + '\n')
        self.proc.stdin.flush()
        answer = self.proc.stdout.readline().split()
        if len(answer) != 2:
            raise RuntimeError(f'inject stopped at {what}')
        return tuple(map(int, answer))

    def heard(self):
        """=> all that has left since the last call"""
        out = []
        while True:
            try:
                frame, where = self.ear.recvfrom(65536)
            except BlockingIOError:
                return out
            if where[2] == socket.PACKET_OUTGOING:
                out.append(plain(frame))

    def prepare(self, text):
        run(*self.inside, 'nft', '-f', '-', text='table ip twins\ntable ip twins-connections\ntable ip6 twins\n'
            'table ip6 twins-connections\ndelete table ip twins\ndelete table ip twins-connections\n'
            'delete table ip6 twins\ndelete table ip6 twins-connections\n' + text)


def parse(text):
    """=> {(table, chain): [(packets, bytes, text), ...]}, the policy last"""
    out, table = {}, None
    for line in text.splitlines():
        m = re.match(r':(\S+) (\S+) \[(\d+):(\d+)\]|\[(\d+):(\d+)\] (-A (\S+).*)', line)
        if line.startswith('*'):
            table = line[1:]
        elif m and m[1]:
            out[table, m[1]] = [(int(m[3]), int(m[4]), f'policy {m[2]}')]
        elif m:
            out[table, m[8]].insert(-1, (int(m[5]), int(m[6]), m[7]))
    return out


OTHERS = ('-j RETURN', '-p tcp', '-m limit --limit 1/sec', '-p udp -m comment --comment other -j RETURN')


def split(text):
    """=> the same with some rules missing and others in their place or before them, and transactions that insert,
    replace and delete; every other ruleset"""
    if not zlib.crc32(text.encode()) % 2:
        return text, ''
    rng = random.Random(text)
    left, edits, table, number = [], [], None, collections.Counter()
    for line in text.splitlines():
        m = re.match(r'(?:\[(\d+):(\d+)\] )?-A (\S+) ?(.*)', line)
        if line.startswith('*'):
            table = line[1:]
        if not m:
            left.append(line)
            continue
        number[table, m[3]] += 1
        place = f'{m[3]} {number[table, m[3]]}'
        counts = f' -c {m[1]} {m[2]}' if m[1] else ''
        kind = rng.choices(('stays', 'insert', 'replace', 'delete'), (7, 1, 1, 1))[0]
        if kind in ('replace', 'delete'):
            left.append(f'-A {m[3]} {rng.choice(OTHERS)}')
        if kind in ('stays', 'delete'):
            left.append(line)
        if kind != 'stays':
            edits += [f'*{table}', {'insert': f'-I {place} {m[4]}{counts}', 'replace': f'-R {place} {m[4]}{counts}',
                                    'delete': f'-D {place}'}[kind]]
            if rng.random() < 0.5:
                edits.append('COMMIT')
    edits += ['COMMIT'] if edits else []
    return '\n'.join(left) + '\n', ''.join(e + '\n' for e in edits)


def by_table(edits):
    """=> the same as iptables-restore reads it, which knows no transaction of several tables"""
    out, table = [], None
    for line in edits.splitlines():
        if line.startswith('*') and line != table:
            out += ['COMMIT', line] if table else [line]
            table = line
        elif line.startswith('-'):
            out.append(line)
    return ''.join(line + '\n' for line in out + ['COMMIT'])


def text_of(path):
    with open(path, encoding='ascii') as f:
        return f.read()


class Kernel(Twin):
    """The kernel's own tables."""

    def load(self, family, path):
        """In the order of xt2: the first rule that names a table of hashlimit says what it is like."""
        restore = (*self.inside, f'{NAME[family]}tables-legacy-restore')
        left, edits = split(text_of(path))
        run(*restore, text=left)
        if edits:
            run(*restore, '-n', text=by_table(edits))

    def counters(self, family):
        return parse(run(*self.inside, f'{NAME[family]}tables-legacy-save', '-c'))


class Live(Twin):
    """xt2."""

    def __init__(self, name, args):
        super().__init__(name, args)
        self.place = ['--netns', self.ns] + (['--host', args.host] if args.host else [])

    def close(self):
        subprocess.run([self.xt2, 'detach', *self.place], check=False, stderr=subprocess.DEVNULL)
        super().close()

    def load(self, family, path):
        left, edits = split(text_of(path))
        with open(path + '.live', 'w', encoding='ascii') as f:
            f.write(left)
        self.apply(family, path + '.live')
        if edits:
            self.insert(family, edits)

    def insert(self, family, lines):
        p = subprocess.run([self.xt2, 'edit', '--live', *self.place, f'-{family}'], input=lines, text=True,
                           capture_output=True, check=False)
        if p.returncode:
            raise RuntimeError(f'xt2 edit: exit code {p.returncode}: {(p.stdout + p.stderr)[-300:]} of:\n{lines}')

    def apply(self, family, path):
        p = subprocess.run([self.xt2, 'apply', '--counters', 'file', *self.place, f'-{family}', path], text=True, capture_output=True,
                           check=False)
        if p.returncode == 3 and 'kernel' in p.stderr:
            raise Missing(p.stderr.strip())
        if p.returncode:
            raise RuntimeError(f'xt2 apply: exit code {p.returncode}: {p.stderr.strip()}')

    def counters(self, family):
        return parse(run(self.xt2, 'save', '--live', '-c', f'-{family}', *self.place))

    def faults(self):
        """All, or of the kernel module's tables."""
        return sum(map(int, re.findall(r'\bfaults (\d+)', run(self.xt2, 'status', *self.place))))


class Runner:
    def __init__(self, args, where):
        self.args, self.where = args, where
        self.twins = []
        self.states = collections.Counter()
        self.total = collections.Counter()
        self.matches = collections.Counter()        # packets that a rule with the match has counted
        self.used = collections.Counter()           # rulesets that have a rule with it
        self.spent = collections.Counter()

    def open(self):
        for name, kind in (('xt1', Kernel), ('xt2', Live)):
            self.twins.append(kind(name, self.args))
            self.twins[-1].start(self.args.inject)
        self.fingerprints('-f')

    def close(self):
        self.fingerprints('-d', '-f')
        for twin in self.twins:
            twin.close()

    def fingerprints(self, *how):
        """Those of the conversations' first packets, for -m osf: all namespaces share the kernel's list."""
        self.write('pf.os', FINGERPRINTS)
        run('nfnl_osf', *how, self.path('pf.os'))

    def path(self, name):
        return os.path.join(self.where, name)

    def write(self, name, data):
        with open(self.path(name), 'wb') as f:
            f.write(data)

    def make(self, seed, family):
        world = live.World(seed, family)
        talks = conversations.Conversations(world, seed)
        odd = 60 if live.translates(seed) else 250
        self.write('rules', live.build(seed, family, answers=True).encode())
        self.write('talk.pcap', talks.capture(30))
        self.write('odd.pcap', live.frames(seed, family, odd))
        self.write('more.pcap', talks.capture(10))

    def ask(self, twin, seed, family):
        twin.prepare(live.nft(seed, family))
        run(*twin.inside, 'ipset', '-exist', 'restore', text=live.ipsets(seed, family))
        twin.load(family, self.path('rules'))
        if twin.send('forget')[1]:
            raise Missing('the kernel does not forget connections')
        twin.heard()
        # odd packets are from ports that others have: NAT would draw another one
        names = ('talk.pcap', 'more.pcap') if live.nats(seed) else ('talk.pcap', 'odd.pcap', 'more.pcap')
        sent = [twin.send(self.path(name)) for name in names]
        return sent, twin.counters(family), twin.heard()

    def case(self, seed, family):
        """=> lines of words about what differs; empty: nothing"""
        t = [time.perf_counter()]
        self.make(seed, family)
        answers = []
        for twin in self.twins:
            t.append(time.perf_counter())
            answers.append(self.ask(twin, seed, family))
        t.append(time.perf_counter())
        self.random = None       # asked for if something differs
        self.spent.update(generate=t[1] - t[0], kernel=t[2] - t[1], xt2=t[3] - t[2])
        (sent, kernel, left), (sent2, ours, left2) = answers
        self.total.update(rulesets=1, packets=sum(map(sum, sent)))
        out = [] if sent == sent2 else [f'packets taken: kernel {sent}, xt2 {sent2}']
        ports = sum(a != b and drawn(a, b) for a, b in zip(left, left2))
        self.total.update(left=len(left), drawn=ports)
        at = next((i for i, (a, b) in enumerate(zip(left, left2)) if a != b and not drawn(a, b)),
                  min(len(left), len(left2)))
        if len(left) != len(left2) or at < len(left):
            out.append(f'{len(left)} packets left, and {len(left2)}; the first that differs is {at}:\n    '
                       f'kernel {left[at:at + 1]}\n    xt2    {left2[at:at + 1]}')
        if set(kernel) != set(ours):
            out.append(f'chains: kernel {sorted(kernel)}, xt2 {sorted(ours)}')
        self.used.update({word for rules in kernel.values() for rule in rules for word in words(rule[2])})
        for key in sorted(kernel):
            if key[0] == 'nat' and not live.nats(seed):
                continue        # it is empty, and then no program counts for its policies
            a, b = kernel[key], ours.get(key, [])
            if len(a) != len(b):
                out.append(f'{key}: the kernel has {len(a)} counters, xt2 {len(b)}')
            for n, (k, x) in enumerate(zip(a, b)):
                m = STATE.match(k[2])
                if m:
                    self.states[m[1]] += x[0]
                self.total.update(counters=1, counted=x[0])
                for name in words(k[2]):
                    self.matches[name] += x[0]
                if k[:2] != x[:2] and (key, n) in self.varies(kernel, seed, family):
                    continue
                if k[:2] != x[:2] or not compare.same_text(k[2], x[2]):
                    out.append(f'{key} {n + 1}: kernel {k[0]}:{k[1]} xt2 {x[0]}:{x[1]}  {k[2]}' +
                               ('' if compare.same_text(k[2], x[2]) else f'\n    xt2 {x[2]}'))
        return out

    def varies(self, kernel, seed, family):
        """=> the counters in which the kernel differs from itself, as it draws what their rules ask for"""
        if self.random is None:
            self.random = set()
            for _ in range(8):
                now = self.ask(self.twins[0], seed, family)[1]
                self.random |= {(key, n) for key in kernel for n, k in enumerate(kernel[key]) if k[:2] != now[key][n][:2]}
        return self.random

    def again(self, seed, family):
        return f'{sys.argv[0]} --xt2 {self.args.xt2} --inject {self.args.inject} --seeds {seed} -{family} --keep DIR'

    def never(self):
        """What should have been counted and was not."""
        states = [s for s in live.STATES if not self.states[s]] if len(self.args.seeds) > 3 else []
        return states + ([m for m, n in self.matches.items() if not n] if self.args.full else [])

    def uncovered(self):
        """Matches and targets that the kernel may have, and too few rulesets; or too many."""
        for why, some in NOWHERE.items():
            print(f'nowhere, as {why}: {", ".join(some)}')
        names = known()
        none = {name for some in NOWHERE.values() for name in some}
        have = {name.split()[0] for name in self.used}
        rare = [f'{name} ({n})' for name, n in sorted(self.used.items()) if n < USED_BY]
        return [*rare, *sorted(names - none - have), *sorted(have & none), *sorted(none - names)]

    def run(self):
        failed, once = 0, 0
        for family in self.args.families:
            for seed in self.args.seeds:
                out = self.case(seed, family)
                if not out:
                    continue
                comes = any([self.case(seed, family) for _ in range(AGAIN)])
                failed += comes
                once += not comes
                print(f'{"FAIL" if comes else "once:"} seed {seed} IPv{family}: {len(out)} difference(s)')
                print('\n'.join('  ' + line for line in out[: self.args.show]))
                print(f'  again: {self.again(seed, family)}', flush=True)
        faults = self.twins[1].faults()
        print(', '.join(f'{n} {k}' for k, n in self.total.items()) + f', {failed} rulesets differ, {faults} faults')
        if once > max(1, self.total['rulesets'] / ONCE_OF):
            print(f'FAIL {once} rulesets differ, each of them once')
            failed += once
        print('connections: ' + ', '.join(f'{s} {self.states[s]}' for s in live.STATES))
        print('matches and targets, packets that they counted, and rulesets that have them: ' +
              ', '.join(f'{m} {n}/{self.used[m]}' for m, n in sorted(self.matches.items())))
        print(', '.join(f'{k} {s:.1f} s' for k, s in self.spent.items()))
        never = self.never()
        if never:
            print(f'FAIL never counted: {", ".join(never)}')
        uncovered = self.uncovered() if self.args.full else []
        if uncovered:
            print(f'FAIL not in {USED_BY} rulesets, or not said to be nowhere: {", ".join(uncovered)}')
        many = self.total['drawn'] > 10 + self.total['left'] / 100
        if many:
            print('FAIL ports differ too often for having been drawn')
        return not (failed or faults or never or many or uncovered)


def arguments(doc, seeds, short):
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--xt2', default='./xt2')
    ap.add_argument('--inject', required=True)
    ap.add_argument('-4', dest='families', action='append_const', const=4)
    ap.add_argument('-6', dest='families', action='append_const', const=6)
    ap.add_argument('--seeds', help='first and last')
    ap.add_argument('--host', help='of live rulesets, as xt2 apply says; bpf if it is not given')
    ap.add_argument('--keep', help='directory for the files of the last case')
    ap.add_argument('--show', type=int, default=6, help='differences to print of a case')
    args = ap.parse_args()
    few = os.environ.get('XT2_SHORT')
    args.full = not args.seeds and not few
    first, last = (int(n) for n in ((args.seeds or f'1-{short if few else seeds}').split('-') * 2)[:2])
    args.seeds = range(first, last + 1)
    args.families = args.families or [4, 6]
    args.xt2, args.inject = map(os.path.abspath, (args.xt2, args.inject))
    return args


def main(kind=Runner, doc=__doc__, seeds=200, short=12):
    args = arguments(doc, seeds, short)
    os.environ['PATH'] += ':/usr/sbin:/sbin'
    for name in ('ip', 'ipset', 'nft', 'nfnl_osf', 'nsenter', 'iptables-legacy-restore', 'ip6tables-legacy-restore'):
        if not shutil.which(name):
            print(f'SKIP: no {name}')
            return SKIP
    where = args.keep or tempfile.mkdtemp(prefix='xt2-twins.')
    os.makedirs(where, exist_ok=True)
    os.environ['XTABLES_LOCKFILE'] = os.path.join(where, 'lock')
    runner = kind(args, where)
    try:
        runner.open()
        return 0 if runner.run() else 1
    except Missing as e:
        print(f'SKIP: {e}')
        return SKIP
    finally:
        runner.close()
        if not args.keep:
            shutil.rmtree(where, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
