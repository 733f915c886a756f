# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel as witness: its own legacy tables, in a network namespace of their own.

One namespace and one pair of devices serve a whole run; loading a ruleset replaces both tables, with
them counters and the state of matches.  Each function raises Missing with a reason where the kernel or
the machine lacks something, Refused where the kernel refuses a ruleset.
"""
import os
import re
import shutil
import struct
import subprocess
import sys

import matches
import packets
import targets
from world import DEV, TAP, TUN, World

INSIDE = 'XT2_PROP_NAMESPACE'
# Behind a destination header that says it has 2,048 bytes, of which 8 are there, UDP should follow.
CUT_EXTHDR = packets.IP6(0x60000000, 8, 60, 64, bytes.fromhex('20010db8' + '0' * 23 + '1'), bytes(15) + b'\2') + \
    bytes([17, 255, 1, 4, 0, 0, 0, 0])
# TCP with flag CWR and MSS 536.  IPv6 matches that look at a later fragment see the packet's own header.
TCP = struct.pack('!HHIIBBHHHI', 1, 2, 0, 0, 0x60, 0x82, 0, 0, 0, 0x02040218)
FRAGMENT = {
    4: packets.checked(packets.IP4(0x45, 0, 44, 1, 185, 64, 6, 0, bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))) + TCP,
    6: packets.IP6(0x60000000, 32, 44, 64, bytes.fromhex('20010db8') + TCP[12:], bytes(15) + b'\2') +
       struct.pack('!BBHI', 6, 0, 185 << 3, 1) + TCP}
# Up to Linux 6.18 they do.
LATER = {'tcpmss': '-p tcp -m tcpmss --mss 536', 'ecn': '-p tcp -m ecn --ecn-tcp-cwr'}


class Missing(Exception):
    pass


class Refused(Exception):
    pass


def enter():
    """Come back in a fresh network namespace; as root, or as root of a user namespace."""
    if os.environ.get(INSIDE):
        return
    if not shutil.which('unshare'):
        raise Missing('no unshare')
    how = ['-n'] if os.geteuid() == 0 else ['-r', '-n']
    if subprocess.run(['unshare'] + how + ['true'], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing('no new network namespace is allowed here')
    os.environ[INSIDE] = '1'
    sys.stdout.flush()
    os.execvp('unshare', ['unshare'] + how + [sys.executable] + sys.argv)


def legacy(family, verb):
    name = ('iptables' if family == 4 else 'ip6tables') + '-legacy-' + verb
    path = shutil.which(name, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')
    if not path:
        raise Missing(f'no {name}')
    return path


class Kernel:
    def __init__(self, inject, workdir, families):
        os.environ['XTABLES_LOCKFILE'] = os.path.join(workdir, 'lock')
        self.dir = workdir
        self.restore = {f: legacy(f, 'restore') for f in families}
        self.save = {f: legacy(f, 'save') for f in families}
        for f in families:
            self.try_tables(f)
        self.proc = subprocess.Popen([inject, DEV[TUN], DEV[TAP]], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        if self.proc.stdout.readline() != 'ready\n':
            raise Missing('no tun device (see the message above)')

    def close(self):
        self.proc.stdin.close()
        self.proc.wait()

    def try_tables(self, family):
        try:
            self.load(family, '*raw\nCOMMIT\n*mangle\nCOMMIT\n')
        except Refused as e:
            raise Missing(f'no legacy tables for IPv{family}: {e}') from None
        # A namespace whose root nobody has mapped yet when it begins keeps the tables' names to itself.
        p = subprocess.run([self.save[family]], text=True, capture_output=True, check=False)
        if p.returncode:
            raise Missing(f'tables for IPv{family} cannot be listed here: {p.stderr.strip()}')

    def load(self, family, text):
        p = subprocess.run([self.restore[family]], input=text, text=True, capture_output=True, check=False)
        if p.returncode:
            raise Refused(' '.join(p.stderr.split('\n', maxsplit=3)[:2]))

    def inject(self, pcap):
        """=> (packets that the device took, packets that it refused)"""
        self.proc.stdin.write(pcap + '\n')
        self.proc.stdin.flush()
        answer = self.proc.stdout.readline().split()
        if len(answer) != 2:
            raise RuntimeError(f'inject stopped at {pcap}')
        return int(answer[0]), int(answer[1])

    def hits(self, family, packet, rule):
        """Does the rule hit the packet?"""
        self.load(family, f'*raw\n-A PREROUTING\n-A PREROUTING {rule}\nCOMMIT\n*mangle\nCOMMIT\n')
        path = os.path.join(self.dir, 'probe.pcap')
        with open(path, 'wb') as f:
            f.write(packets.capture(packets.LINKTYPE_RAW, [packet], 0))
        self.inject(path)
        seen, hit = (int(n) for n in re.findall(r'^\[(\d+):\d+\] -A', self.counters(family), re.M))
        if seen != 1:
            raise RuntimeError(f'{seen} packets seen, 1 was sent')
        return hit == 1

    def whole_exthdrs(self):
        """Does -p drop a packet with an IPv6 extension header that is longer than the packet?

        Kernels differ.  If not, the search goes on to the header's successor.
        """
        return not self.hits(6, CUT_EXTHDR, '-p udp')

    def unlike(self, family, lacking):
        """=> {match: how it differs from the one that xt2 evaluates}"""
        return {name: 'this kernel does not look at later fragments' for name, rule in LATER.items()
                if name not in lacking and not self.hits(family, FRAGMENT[family], rule)}

    def counters(self, family):
        return subprocess.run([self.save[family], '-c'], capture_output=True, text=True, check=True).stdout

    def without(self, family):
        """=> (names that the kernel lacks, with its answers; names it has but refuses)"""
        lacking, refused = {}, {}
        for name, text in samples(family):
            try:
                self.load(family, text)
            except Refused as e:
                kind = 'targets' if name.isupper() else 'matches'
                known = proc_names(f'/proc/net/ip{"" if family == 4 else "6"}_tables_{kind}')
                (refused if name in known else lacking)[name] = str(e)
        return lacking, refused


def proc_names(path):
    try:
        with open(path, encoding='ascii') as f:
            return set(f.read().split())
    except OSError:
        return set()


def samples(family):
    """(name, ruleset with one rule) for every match and target of the generators."""
    done = set()
    for seed in (4, 5, 7):
        w = World(seed, family)
        for label, _, _, needs, fn in matches.rows_for(w):
            name = label.split(':')[0]
            if name not in done and name != 'base':
                done.add(name)
                yield name, f'*raw\n-A PREROUTING {needs} {fn(w, w.rng)}\nCOMMIT\n'
    for name, tables, families, needs, fn in targets.ROWS:
        if family in families:
            yield name, f'*{tables[-1]}\n-A PREROUTING {needs} -j {name} {fn(w, w.rng)}\nCOMMIT\n'
