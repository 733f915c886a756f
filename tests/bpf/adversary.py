#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Somebody takes companions away, again and again, while packets come and go: none that the ruleset drops passes.

  adversary.py --xt2 PATH [--seconds N] [--seed N]

      host: xt2's rules, and the adversary          peer: counts what arrives, in a table of its own
      processes on each CPU  -> [nat, mangle, filter] -> veth -> [counted]
      sockets, counted       <- [mangle, filter]      <- veth <- processes on each CPU

Each port is for one way in which a ruleset drops: at once, after a mark, after an answer of the kernel's, with
a REJECT, after a translation.  The adversary flushes all of nf_tables, deletes tables, chains and rules of
xt2's, and takes a program off its hook or its pin away, one until the next command; meanwhile rulesets that drop
the same follow each other, and repairs come.  In the end all is mended, what is allowed passes, and there are no more
faults.

Ends with 0 if nothing passed, 1 if something did, 77 if this machine cannot show it.
"""
import argparse
import collections
import contextlib
import ctypes
import glob
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import time

SKIP = 77
HOST, PEER = '10.55.0.1', '10.55.0.2'
ALLOWED, TRANSLATED = 4000, 4100
SENT = (5000, 5001, 5002, 5003, 5004, 5005, 5006)      # what host sends to these is dropped
CAME = (6000, 6001, 6002, 6003)                        # what peer sends to these is dropped
RULES = f'''*raw
-A OUTPUT -p udp -m udp --dport 5000 -j NOTRACK
COMMIT
*mangle
{{more}}-A PREROUTING -p udp -m udp --dport 6000 -j MARK --set-mark 7
-A PREROUTING -p udp -m udp --dport 6001 -j TOS --set-tos 0x10
-A PREROUTING -p udp -m udp --dport {ALLOWED} -j MARK --set-mark 1
-A OUTPUT -p udp -m udp --dport 5001 -j MARK --set-mark 7
-A OUTPUT -p udp -m udp --dport 5002 -j TTL --ttl-set 7
-A OUTPUT -p udp -m udp --dport 5006 -j CHECKSUM --checksum-fill
-A OUTPUT -p udp -m udp --dport {ALLOWED} -j TTL --ttl-inc 1
COMMIT
*nat
-A OUTPUT -p udp -m udp --dport 5003 -j DNAT --to-destination {PEER}:5013
-A OUTPUT -p udp -m udp --dport {TRANSLATED} -j DNAT --to-destination {PEER}:{ALLOWED}
COMMIT
*filter
-A INPUT -m mark --mark 7 -j DROP
-A INPUT -p udp -m udp --dport 6001 -m tos --tos 0x10/0xff -j DROP
-A INPUT -p udp -m udp --dport 6002 -m addrtype --dst-type LOCAL -j DROP
-A INPUT -p udp -m udp --dport 6003 -j REJECT
-A OUTPUT -p udp -m udp --dport 5000 -m conntrack --ctstate UNTRACKED -j DROP
-A OUTPUT -m mark --mark 7 -j DROP
-A OUTPUT -p udp -m ttl --ttl-eq 7 -j DROP
-A OUTPUT -p udp -m udp --dport 5013 -j DROP
-A OUTPUT -p udp -m udp --dport 5004 -j REJECT
-A OUTPUT -p udp -m udp --dport 5005 -m owner --uid-owner 0 -j DROP
-A OUTPUT -p udp -m udp --dport 5006 -j DROP
COMMIT
'''
# One of the two rulesets has more of what companions do, so that numbers of what both have differ.
# A packet may meet the one in PREROUTING, and the other in INPUT, so both drop by the same mark.
MORE = '''-A PREROUTING -p udp -m udp --dport 7999 -j MARK --set-mark 9
-A PREROUTING -p udp -m udp --dport 7999 -j TOS --set-tos 0x8
-A OUTPUT -p udp -m udp --dport 7999 -j TTL --ttl-set 9
'''


class Missing(Exception):
    pass


def run(*words, **more):
    p = subprocess.run(words, text=True, capture_output=True, check=False, **more)
    if p.returncode:
        raise RuntimeError(f'{" ".join(words)}: {p.returncode}: {(p.stdout + p.stderr).strip()[-400:]}')
    return p.stdout


@contextlib.contextmanager
def inside(name):
    """This process is in a network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open('/proc/self/ns/net', 'rb') as here, open(f'/run/netns/{name}', 'rb') as there:
        libc.setns(there.fileno(), 0)
        try:
            yield
        finally:
            libc.setns(here.fileno(), 0)


def bpf(command, attributes):
    """=> the answer of the system call bpf(2), which has a number of its own on each kind of machine"""
    number = {'x86_64': 321, 'aarch64': 280, 'riscv64': 280, 'ppc64le': 361, 's390x': 351}[os.uname().machine]
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(attributes, 128)
    answer = libc.syscall(number, command, room, len(room))
    if answer < 0:
        raise OSError(ctypes.get_errno(), 'bpf')
    return answer


def detach(path):
    """As bpftool link detach pinned PATH does."""
    name = ctypes.create_string_buffer(path.encode())
    fd = bpf(7, struct.pack('=QII', ctypes.addressof(name), 0, 0))      # BPF_OBJ_GET
    bpf(34, struct.pack('=I', fd))      # BPF_LINK_DETACH
    os.close(fd)


def send(name, cpu, to, ports, until):
    """A process that sends to all of these ports in turn; => its number of packets, at a pipe"""
    back, front = os.pipe()
    pid = os.fork()
    if pid:
        os.close(front)
        return pid, back
    n = 0
    try:
        os.sched_setaffinity(0, {cpu})
        os.nice(10)     # the adversary comes in between
        with inside(name):
            # From ports of its own, so that each is a connection, and from one.
            out = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(8)]
            while time.monotonic() < until:
                for port in ports:
                    for s in out:
                        with contextlib.suppress(OSError):      # dropped, or refused
                            s.sendto(b'x' * (n % 200), (to, port))
                        n += 1
                if n % 4096 < 200:      # connections come and go
                    s = out.pop(0)
                    s.close()
                    out.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    finally:
        os.write(front, str(n).encode())
        os._exit(0)


class Stage:
    def __init__(self, args):
        self.args, self.random = args, random.Random(args.seed)
        self.host, self.peer = (f'xt2-adversary-{w}-{os.getpid()}' for w in ('host', 'peer'))
        self.sockets, self.wrong = [], []
        self.done, self.taken, self.links = {}, None, collections.Counter()

    def ip(self, name, *words):
        return run('ip', '-n', name, *words)

    def live(self, command, *words, check=True, text=None):
        p = subprocess.run([self.args.xt2, command, '--netns', self.host, *words], text=True, capture_output=True, check=False,
                           input=text)
        if check and p.returncode:
            self.wrong.append(f'xt2 {command}: {p.returncode}: {p.stderr.strip()[-300:]}')
        return p

    def nft(self, text, name=None):
        return subprocess.run(['nsenter', f'--net=/run/netns/{name or self.host}', 'nft', text], text=True, capture_output=True,
                              check=False)

    def build(self):
        for name in (self.host, self.peer):
            run('ip', 'netns', 'add', name)
            self.ip(name, 'link', 'set', 'lo', 'up')
        self.ip(self.host, 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v0', 'netns', self.peer)
        for name, address in ((self.host, HOST), (self.peer, PEER)):
            self.ip(name, 'addr', 'add', f'{address}/24', 'dev', 'v0')
            self.ip(name, 'link', 'set', 'v0', 'up')
        ports = ', '.join(str(p) for p in (*SENT, 5013))
        for rule in ('add table ip seen', 'add chain ip seen in { type filter hook prerouting priority -400; }',
                     f'add rule ip seen in udp dport {{ {ports} }} counter', f'add rule ip seen in udp dport {ALLOWED} counter'):
            if self.nft(rule, self.peer).returncode:
                raise Missing('nft cannot count')
        with inside(self.host):
            for port in (ALLOWED, *CAME):
                self.sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                self.sockets[-1].bind((HOST, port))
                self.sockets[-1].setblocking(False)
        p = self.apply('', check=False)
        if p.returncode == 3:
            raise Missing(p.stderr.strip())
        if p.returncode:
            raise RuntimeError(p.stderr)

    def apply(self, more, check=True):
        return self.live('apply', '--counters', 'keep', '-', text=RULES.replace('{more}', more), check=check)

    def close(self):
        self.live('detach', check=False)
        for s in self.sockets:
            s.close()
        for name in (self.host, self.peer):
            subprocess.run(['ip', 'netns', 'del', name], check=False, capture_output=True)

    def arrived(self):
        """=> packets at the peer: that should have been dropped, and that are allowed"""
        return [int(n) for n in re.findall(r'counter packets (\d+)', self.nft('list table ip seen', self.peer).stdout)]

    def heard(self):
        """=> packets in sockets of the host: that are allowed, and that should have been dropped, by port"""
        counts = []
        for s in self.sockets:
            n = 0
            with contextlib.suppress(BlockingIOError):
                while s.recv(4096) is not None:
                    n += 1
            counts.append(n)
        return counts[0], {port: n for port, n in zip(CAME, counts[1:]) if n}

    # What the adversary does.

    def ours(self):
        """=> (table, chain) of xt2's chains, with those that it has in tables of other names"""
        out, table, chain = [], None, None
        for line in self.nft('list ruleset').stdout.splitlines():
            m = re.match(r'table ip (\S+)|\tchain (\S+) \{', line)
            if m and m[1]:
                table = m[1]
            elif m:
                chain = m[2]
                out.append((table, chain))
        return [(t, c) for t, c in out if t.startswith('xt2') or c.startswith('xt2')]

    def flush(self):
        self.nft('flush ruleset')

    def delete_table(self):
        tables = sorted({t for t, _ in self.ours()})
        if tables:
            self.nft(f'delete table ip {self.random.choice(tables)}')

    def flush_chain(self):
        chains = self.ours()
        if chains:
            self.nft('flush chain ip {} {}'.format(*self.random.choice(chains)))

    def delete_rule(self):
        chains = self.ours()
        if not chains:
            return
        table, chain = self.random.choice(chains)
        p = subprocess.run(['nsenter', f'--net=/run/netns/{self.host}', 'nft', '-a', 'list', 'chain', 'ip', table, chain], text=True,
                           capture_output=True, check=False)
        handles = re.findall(r'^\t\t.*# handle (\d+)$', p.stdout, re.M)
        if handles:
            self.nft(f'delete rule ip {table} {chain} handle {self.random.choice(handles)}')

    def take_link(self):
        """Of a table, a gate, or a guard: the one that is left drops."""
        folder = self.folder()
        if self.taken or not folder:
            return
        self.taken = self.random.choice(sorted(n for n in os.listdir(folder) if '-ipv4-' in n))
        path = os.path.join(folder, self.taken)
        if self.random.random() < 0.5:
            os.unlink(path)
        else:
            detach(path)
        self.links[self.taken.split('-')[0]] += 1

    # And what the administrator does.

    def folder(self):
        inode = os.stat(f'/run/netns/{self.host}').st_ino
        return next(iter(glob.glob(f'/run/xt2-live/net-{inode}-*')), None)

    def repair(self):
        self.live('repair')
        self.taken = None

    def swap(self):
        self.taken = None
        for _ in range(self.random.randint(1, 3)):
            self.apply(self.random.choice(('', MORE)))

    def wait(self):
        time.sleep(self.random.random() * 0.05)

    def play(self):
        until = time.monotonic() + self.args.seconds
        ports = (ALLOWED, TRANSLATED) + SENT
        cpus = sorted(os.sched_getaffinity(0))
        senders = [send(self.host, c, PEER, ports, until) for c in cpus]
        senders += [send(self.peer, c, HOST, (ALLOWED,) + CAME, until) for c in cpus]
        steps = (self.take_link, self.take_link, self.flush, self.delete_table, self.delete_table, self.flush_chain, self.delete_rule, self.delete_rule, self.repair,
                 self.repair, self.swap, self.swap, self.wait)
        while time.monotonic() < until:
            step = self.random.choice(steps)
            step()
            self.done[step.__name__] = self.done.get(step.__name__, 0) + 1
            self.allowed_came += self.heard_now()
        total = 0
        for pid, pipe in senders:
            os.waitpid(pid, 0)
            total += int(os.read(pipe, 64) or 0)
            os.close(pipe)
        return total

    def heard_now(self):
        allowed, dropped = self.heard()
        self.dropped_came.update(dropped)
        return allowed

    def mended(self):
        """All is there again."""
        self.live('repair')
        self.live('status')
        before = self.faults()
        sent = self.arrived()[1]
        self.heard()
        with inside(self.host), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            for port in (ALLOWED, TRANSLATED):
                s.sendto(b'x', (PEER, port))
        with inside(self.peer), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(b'x', (HOST, ALLOWED))
        time.sleep(0.2)
        if self.arrived()[1] != sent + 2 or self.heard()[0] != 1:
            self.wrong.append('in the end what is allowed does not pass')
        if self.faults() != before:
            self.wrong.append(f'in the end there are {self.faults() - before} faults more')

    def faults(self):
        """Something may be missing: status says so."""
        return int(re.search(r'^faults (\d+)', self.live('status', check=False).stdout, re.M)[1])

    def run(self):
        self.allowed_came, self.dropped_came = 0, collections.Counter()
        self.build()
        total = self.play()
        dropped, allowed = self.arrived()
        if dropped:
            self.wrong.append(f'{dropped} packets left that should have been dropped')
        if self.dropped_came:
            self.wrong.append(f'packets came in that should have been dropped, by port: {dict(self.dropped_came)}')
        if not allowed or not self.allowed_came:
            self.wrong.append(f'{allowed} packets of those allowed left, {self.allowed_came} came')
        faults = self.faults()
        self.mended()
        print(f'{total} packets sent, {allowed} of those allowed left and {self.allowed_came} came, {faults} faults; ' +
              ', '.join(f'{name} {n}' for name, n in sorted(self.done.items())) + '; links of ' +
              ', '.join(f'{name} {n}' for name, n in sorted(self.links.items())))
        for line in self.wrong:
            print('WRONG:', line)
        if self.wrong:
            print(f'again: {sys.argv[0]} --xt2 {self.args.xt2} --seconds {self.args.seconds} --seed {self.args.seed}')
        return not self.wrong


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--xt2', required=True)
    ap.add_argument('--seconds', type=float, default=3 if os.environ.get('XT2_SHORT') else 20)
    ap.add_argument('--seed', type=int, default=1)
    args = ap.parse_args()
    args.xt2 = os.path.abspath(args.xt2)
    os.environ['PATH'] += ':/usr/sbin:/sbin'
    if os.getuid():
        print('SKIP: only root loads BPF programs')
        return SKIP
    for name in ('ip', 'nft', 'nsenter'):
        if not shutil.which(name):
            print(f'SKIP: no {name}')
            return SKIP
    stage = Stage(args)
    try:
        return 0 if stage.run() else 1
    except Missing as e:
        print(f'SKIP: {e}')
        return SKIP
    finally:
        stage.close()


if __name__ == '__main__':
    sys.exit(main())
