# SPDX-License-Identifier: GPL-2.0-or-later
"""Random rulesets and packets for live rulesets: every table and hook, what a BPF program can do.

The generators are those of tests/prop; here some addresses are this host's, and some are special to
what nftables does in both namespaces (see PREPARE): packets of theirs are not tracked, or translated.
"""
import collections
import ipaddress
import random
import re

import matches
import packets
import rules
import targets
import world

NATIVE = ('string', 'bpf', 'physdev', 'addrtype')
TABLES = {'raw': ('PREROUTING', 'OUTPUT'), 'mangle': ('PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'),
          'filter': ('INPUT', 'FORWARD', 'OUTPUT'), 'security': ('INPUT', 'FORWARD', 'OUTPUT')}
NAT = ('PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING')
INCOMING, OUTGOING = ('PREROUTING', 'INPUT', 'FORWARD'), ('FORWARD', 'OUTPUT', 'POSTROUTING')
GOES = ('', '', '', '-j ACCEPT', '-j RETURN', '-j DROP', '-j LOG --log-prefix "a b"', '-j NFLOG --nflog-group 5')
REJECTS = {4: [f'icmp-{w}' for w in ('net-unreachable', 'host-unreachable', 'proto-unreachable', 'port-unreachable',
                                     'net-prohibited', 'host-prohibited', 'admin-prohibited')],
           6: [f'icmp6-{w}' for w in ('no-route', 'adm-prohibited', 'addr-unreachable', 'port-unreachable', 'policy-fail',
                                      'reject-route')]}
STATES = ('NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED')
STATUS = ('NONE', 'EXPECTED', 'SEEN_REPLY', 'ASSURED', 'CONFIRMED')
OWN = {4: ('10.77.0.1', '10.77.0.2', '10.77.0.9'), 6: ('fd77::1', 'fd77::2', 'fd77::9')}
UNTRACKED = {4: '10.99.0.1', 6: 'fd99::1'}
SOURCE = {4: '10.66.0.1', 6: 'fd66::1'}
MAPPED = {4: ('10.77.5.0/24', '10.66.5.0/24'), 6: ('fd77:5::/64', 'fd66:5::/64')}
TRANSLATED = {4: ('10.77.0.10', '10.66.0.10'), 6: ('fd77::10', 'fd66::10')}

# Untracked packets, and marked ones, in every ruleset; marked and translated connections in some.
PREPARE = '''
table {ip} twins {{
  chain before {{ type filter hook prerouting priority -310; {ip} saddr {untracked} notrack; {some} meta mark set 1; }}
  chain sent {{ type filter hook output priority -310; {ip} daddr {untracked} notrack; }}
}}
'''
CONNECTIONS = '''
table {ip} twins-connections {{
  chain marks {{ type filter hook prerouting priority -190; udp dport 0-29999 ct mark set 1; {some} ct mark set 0x81; }}
  chain there {{ type nat hook prerouting priority -100; {ip} daddr {own} dnat to {there}; }}
  chain back {{ type nat hook postrouting priority 100; {ip} saddr {source} snat to {back}; }}
}}
'''


def translates(seed):
    """Has this seed marked and translated connections?  It tracks without being asked, then."""
    return seed % 4 == 1


def nats(seed):
    """Has this seed a nat table?"""
    return seed % 4 == 3


def nft(seed, family):
    """=> what nftables does around the rules"""
    text = PREPARE + (CONNECTIONS if translates(seed) else '')
    there, back = TRANSLATED[family]
    return text.format(ip='ip' if family == 4 else 'ip6', untracked=UNTRACKED[family], own=OWN[family][2], there=there,
                       back=back, some='tcp dport 0-29999', source=SOURCE[family])


def ipsets(seed, family):
    """=> what ipset makes for the rules of a seed"""
    w = World(seed, family)
    kind = 'inet' if family == 4 else 'inet6'
    addrs = [matches.addr_text(a) for a in w.addrs]
    some = random.Random(f'sets {family} {seed}')
    out = [f'create addresses{family} hash:net family {kind}', f'create ports{family} hash:ip,port family {kind}',
           f'flush addresses{family}', f'flush ports{family}']
    out += [f'add -exist addresses{family} {a}' for a in some.sample(addrs, 4)]
    out += [f'add -exist ports{family} {a},{p}:{port}' for a in some.sample(addrs, 4) for p in ('tcp', 'udp') for port in w.ports[:3]]
    return '\n'.join(out) + '\n'


def packed(addresses):
    return [ipaddress.ip_address(a).packed for a in addresses]


class World(world.World):
    def __init__(self, seed, family):
        super().__init__(seed, family)
        self.own = packed(OWN[family])
        self.translated = packed(TRANSLATED[family]) if translates(seed) else None
        self.nats = nats(seed)
        self.untracked, self.source = packed((UNTRACKED[family], SOURCE[family]))
        self.addrs = self.own + [self.untracked, self.source] + self.addrs[:2] + self.addrs[-2:]
        self.tracked = seed % 4 > 0
        self.marks = [1, 0x81] + self.marks[:2]
        # answers that carry the time, or come at a random one
        self.icmp = [8 if t in (13, 14) else t for t in self.icmp]
        self.icmp6 = [128 if t in (130, 131) else t for t in self.icmp6]


# What is known of a connection.

def parts(w, r):
    a = r.choice(w.addrs)
    address = f'{matches.addr_text(a)}/{r.choice((8, 24, len(a) * 8))}'
    yield f'{matches.inv(r)}--ctstate {",".join(r.sample(STATES + ("SNAT", "DNAT"), r.randint(1, 3)))}'
    yield f'{matches.inv(r)}--ctproto {r.choice((1, 6, 6, 17, 17, 58, 132))}'
    status = r.sample(STATUS[1:], r.randint(1, 2)) if r.random() < 0.8 else STATUS[:1]
    yield f'{matches.inv(r)}--ctstatus {",".join(status)}'
    yield f'--ctdir {r.choice(("ORIGINAL", "REPLY"))}'
    for side in ('orig', 'repl'):
        yield f'{matches.inv(r)}--ct{side}{r.choice(("src", "dst"))} {address}'
        ports = matches.span(r, w.ports, 65535, open_ended=False)
        yield f'{matches.inv(r)}--ct{side}{r.choice(("src", "dst"))}port {ports}'


def conntrack(w, r):
    text = '-m conntrack ' + ' '.join(r.sample(list(parts(w, r)), r.choice((1, 1, 2, 3))))
    if '--ctstatus' in text or r.random() < 0.8:
        return text
    # until it is confirmed, a connection's time is counted from another hour
    return f'{text} --ctstatus CONFIRMED --ctexpire {r.choice(("1:100", "20:100000"))}'


def connmark(w, r):
    v = r.choice(w.marks + [0])
    return f'-m connmark {matches.inv(r)}--mark ' + r.choice((f'{v:#x}', f'{v & 0x81:#x}/0x81'))


ROWS = [('conntrack:any', (4, 6), None, '', conntrack), ('connmark:any', (4, 6), None, '', connmark)]


# What companions are asked (a row is hooks, what changes the answer, and a function), and what they do.

def owner(w, r):
    return f'-m owner {matches.inv(r)}' + r.choice(('--uid-owner 0', '--uid-owner 1-9', '--gid-owner 0', '--socket-exists'))


def ipset(w, r):
    name = r.choice(('addresses', 'addresses', 'ports'))
    dirs = r.choice(('src', 'dst')) if name == 'addresses' else r.choice(('src,src', 'dst,dst', 'src,dst'))
    return f'-m set {matches.inv(r)}--match-set {name}{w.family} {dirs}'


def policy(direction):
    return lambda w, r: f'-m policy --dir {direction} --pol {r.choice(("none", "ipsec"))}'


def socket(w, r):
    return '-m socket' + r.choice(('', ' --nowildcard', ' --transparent'))


def helper(w, r):
    return f'-m helper {matches.inv(r)}--helper "ftp"'


def connbytes(w, r):
    return (f'-m connbytes {matches.inv(r)}--connbytes {r.choice((0, 1, 2))}:{r.choice((3, 200, 5000))} '
            f'--connbytes-mode {r.choice(("packets", "bytes", "avgpkt"))} --connbytes-dir {r.choice(("original", "reply", "both"))}')


def realm(w, r):
    return f'-m realm {matches.inv(r)}--realm {r.choice(("0x0", "0x7"))}'


def cgroup(w, r):
    return f'-m cgroup {matches.inv(r)}--cgroup {r.choice((0, 7))}'


def plain(name):
    rows = {row[0]: row[4] for row in matches.ROWS}
    return lambda w, r: rows[name](w, r)


def addrtype(w, r):
    return plain('addrtype')(w, r).replace(' --limit-iface-in', '')


def rpfilter(w, r):
    return '-m rpfilter' + ''.join(f' {o}' for o in ('--loose', '--validmark', '--invert') if r.random() < 0.5)


SENT, CAME, ANY = ('OUTPUT', 'POSTROUTING'), ('PREROUTING', 'INPUT', 'FORWARD'), ()
# name, hooks, families, does it ask for connections, what must not be changed before
QUESTIONS = [('addrtype', ANY, (4, 6), False, '', addrtype), ('owner', SENT, (4, 6), False, '', owner),
             ('set', ANY, (4, 6), False, 'MARK SETS', ipset), ('string', ANY, (4, 6), False, 'BYTES', plain('string:bm')),
             ('bpf', ANY, (4, 6), False, 'ALL', plain('bpf')), ('policy', CAME, (4, 6), False, '', policy('in')),
             ('policy', SENT, (4, 6), False, '', policy('out')), ('socket', ('PREROUTING', 'INPUT'), (4, 6), False, '', socket),
             ('helper', ANY, (4, 6), True, 'CT', helper), ('connbytes', ANY, (4, 6), True, 'CT', connbytes),
             ('realm', ('INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'), (4,), False, '', realm),
             ('cgroup', SENT, (4, 6), False, '', cgroup), ('physdev', CAME, (4, 6), False, '', plain('physdev')),
             ('rpfilter', ('PREROUTING',), (4, 6), False, 'MARK', rpfilter),
             ('connlabel', ANY, (4, 6), True, 'CT', lambda w, r: f'-m connlabel {matches.inv(r)}--label {r.randrange(1, 128)}')]
TABLES_OF = {'rpfilter': ('raw', 'mangle')}


def tee(w, r):
    return f'--gateway {"10.66.0.99" if w.family == 4 else "fd66::99"}'


def classify(w, r):
    return f'--set-class {r.randrange(1, 9)}:{r.randrange(9)}'


def mark(w, r):
    if r.random() < 0.1:
        return '--set-mark 0x82'        # there is no way for these: see twins.py
    return targets.mark(w, r)


def connmark_target(w, r):
    v, mask = r.choice(w.marks), r.choice((0xff, 0xffffffff))
    return r.choice((f'--set-xmark {v:#x}/{mask:#x}', '--save-mark', '--restore-mark', f'--save-mark --nfmask {mask:#x} --ctmask 0xff',
                     f'--restore-mark --nfmask 0xff --ctmask {mask:#x}', f'--or-mark {v:#x}',
                     '--save-mark --left-shift-mark 3', '--restore-mark --right-shift-mark 2'))


def tcpmss(w, r):
    return targets.tcpmss(w, r)


def connection(w, r):
    """How it is to be tracked."""
    # Replies of several zones are one connection, unless NAT draws another port.
    zone = f'--zone{r.choice(("", "-orig", "-reply")) if w.nats else ""} {r.randrange(1, 4)}'
    return r.choice((zone, zone, '--helper ftp', f'{zone} --helper ftp', '--ctevents destroy'))


def rateest(w, r):
    return f'--rateest-name twins{r.randrange(9)} --rateest-interval 250ms --rateest-ewmalog 500ms'


def ipset_target(w, r):
    name = r.choice(('addresses', 'addresses', 'ports'))
    dirs = r.choice(('src', 'dst')) if name == 'addresses' else r.choice(('src,src', 'dst,dst', 'src,dst'))
    return f'{r.choice(("--add-set", "--del-set"))} {name}{w.family} {dirs}'


def nfqueue(w, r):
    """Nobody listens."""
    return r.choice(('--queue-num 3 --queue-bypass',) * 3 + ('--queue-num 3', '--queue-balance 3:5 --queue-bypass'))


# name, tables, hooks, families, what it changes, what the rule needs, function
STEPS = [('MARK', ANY, ANY, (4, 6), 'MARK', '', mark), ('MARK', ANY, ANY, (4, 6), 'MARK', '', mark),
         ('CONNMARK', ANY, ANY, (4, 6), 'MARK', '', connmark_target), ('CLASSIFY', ANY, ('FORWARD', 'OUTPUT', 'POSTROUTING'), (4, 6), '', '', classify),
         ('NOTRACK', ('raw',), ANY, (4, 6), 'CT', '', lambda w, r: ''), ('CT', ('raw',), ANY, (4, 6), 'CT', '', lambda w, r: '--notrack'),
         ('TTL', ('mangle',), ANY, (4,), 'BYTES', '', targets.ttl), ('HL', ('mangle',), ANY, (6,), 'BYTES', '', targets.hl),
         ('TOS', ('mangle',), ANY, (4, 6), 'BYTES', '', targets.tos), ('DSCP', ('mangle',), ANY, (4, 6), 'BYTES', '', targets.dscp),
         ('TCPMSS', ('mangle', 'filter', 'raw'), ANY, (4, 6), 'BYTES', targets.SYN, tcpmss),
         ('TCPMSS', ('mangle',), ('FORWARD', 'POSTROUTING'), (4, 6), 'SIZE', targets.SYN, lambda w, r: '--clamp-mss-to-pmtu'),
         ('NFQUEUE', ('raw', 'mangle', 'filter', 'security'), ANY, (4, 6), '', '', nfqueue),
         *[('TPROXY', ('mangle',), ('PREROUTING',), (4, 6), '', '-p udp', lambda w, r: '--on-port 777 --tproxy-mark 0x1/0x1')] * 6,
         ('CT', ('raw',), ANY, (4, 6), 'TEMPLATE', '-p tcp', connection), ('TRACE', ('raw',), ANY, (4, 6), '', '', lambda w, r: ''),
         *[('ECN', ('mangle',), ANY, (4,), 'BYTES', '-p tcp', lambda w, r: '--ecn-tcp-remove')] * 3,
         ('CHECKSUM', ('mangle',), ANY, (4, 6), 'BYTES', '-p udp', lambda w, r: '--checksum-fill'),
         ('IDLETIMER', ANY, ANY, (4, 6), '', '', lambda w, r: f'--timeout 600 --label twins{r.randrange(9)}'),
         ('RATEEST', ANY, ANY, (4, 6), '', '', rateest), ('SET', ('raw', 'mangle', 'filter', 'security'), ANY, (4, 6), 'SETS', '', ipset_target),
         ('TEE', ANY, ('FORWARD', 'OUTPUT'), (4, 6), '', '', tee), ('AUDIT', ANY, ANY, (4, 6), '', '', lambda w, r: f'--type {r.choice(("accept", "drop"))}')]


# What may not be tested in a table any more, by what its steps change.
NEVER = {'SIZE': '-m (tcpmss|u32)', 'TEMPLATE': '-m (conntrack|connmark|state)'}


class Rules(rules.Rules):
    world = World

    def __init__(self, seed, family, without=(), answers=False):
        super().__init__(seed, family, tuple(without) + NATIVE)
        self.answers = answers  # what a program leaves to nf_tables
        self.left = random.Random(f'companions {family} {seed}')
        self.pool, self.steps, self.never = [], [], []
        self.stops = collections.Counter()      # by base chain of a table
        self.where = ''         # a base chain, or '' for one that every hook may come to
        if self.w.tracked:
            self.rows += ROWS * 6

    def allowed(self, text):
        """Some options are for some hooks; and the kernel's own packets have random identifications.

        iptables doesn't tell the --mark of one match from that of another.
        """
        if text.count(' --mark ') > 1:
            return False
        if self.where not in INCOMING and re.search(r'-m (mac|eui64|devgroup)\b', text):
            return False
        if self.where not in INCOMING and re.search(r'-string "(\|[0-9a-f]{2}\||.)"', text):
            return False
        if self.where and (' -i ' in f' {text}' and self.where not in INCOMING or
                           ' -o ' in f' {text}' and self.where not in OUTGOING):
            return False
        if self.w.family == 4 and self.where not in INCOMING:
            for test in re.findall(r'--u32 "([^"]*)"', text):
                starts = [int(re.match('0x[0-9a-f]+|[0-9]+', t)[0], 0) for t in test.split('&&') if t != '4&0x1fff=0']
                if any(0 < start < 6 for start in starts):
                    return False
        return True

    def conditions(self, user_chain):
        while True:
            text, proto = super().conditions(True)
            if self.allowed(text):
                return text, proto

    def companions(self, table):
        """Some questions and steps for a table: none of the questions is about what a step changes."""
        r, w = self.left, self.w
        rows = [row for row in STEPS if (not row[1] or table in row[1]) and w.family in row[3] and
                (w.tracked or row[0] != 'CONNMARK')]
        kinds = r.sample(('MARK', 'BYTES', 'CT', 'SIZE', 'TEMPLATE', 'SETS', ''), r.choice((0, 1, 2, 4, 7)))
        self.steps = [row for row in rows if row[4] in kinds]
        if table == 'nat':
            self.steps = [row for row in self.steps if row[0] in ('MARK', 'CONNMARK', 'CLASSIFY')]
        changed = {row[4] for row in self.steps} - {''}
        if 'TEMPLATE' in changed:
            changed.add('CT')
        asks = [q for q in QUESTIONS if w.family in q[2] and (w.tracked or not q[3]) and not changed & set(q[4].split()) and
                table in TABLES_OF.get(q[0], (table,)) and
                not (q[4] == 'ALL' and changed) and not (q[4] == 'BYTES' and 'SIZE' in changed)]
        self.pool = [(q[1], q[5](w, r)) for q in (r.choice(asks) for _ in range(r.choice((0, 2, 5, 9))))]
        self.never = [test for word, test in NEVER.items() if word in changed]
        self.stops.clear()

    def question(self):
        """=> a match that companions are asked, for the chain; or ''"""
        fit = [text for hooks, text in self.pool if (not hooks or self.where in hooks) and self.allowed(text)]
        return self.left.choice(fit) if fit and self.left.random() < 0.4 else ''

    def stop(self, table, text):
        """=> a match at which packets wait for the kernel's answer, for a base chain; or ''

        Counts near a limit are those of the moment when the kernel forgets connections.  connlimit leaves closed
        ones of TCP out, and drops the packet where it counts none.
        """
        r, w = self.left, self.w
        if not self.answers or not self.where or table == 'nat' or self.stops[self.where] > 1 or r.random() < 0.85:
            return ''
        if any(row[0] in ('CT', 'ECN', 'CHECKSUM') for row in self.steps):      # done after all others
            return ''
        mask = f'--connlimit-mask 0 --connlimit-{r.choice(("s", "d"))}addr'
        fit = [f'-m connlimit --connlimit-{r.choice(("above", "upto"))} {r.choice((0, 1000))} {mask}'] * 5 * bool(
            re.search(r'(?<!! )-p (udp|icmp|ipv6-icmp|17|1|58)\b', text))
        fit += ['-m cluster --cluster-total-nodes 2 --cluster-local-node 1 --cluster-hash-seed 0xdeadbeef'] * w.tracked
        fit += ['-m osf --genre Linux --ttl 2'] * 3 * (w.family == 4 and bool(re.search(r'(?<!! )-p (tcp|6)\b', text)) and
                                                               self.where in CAME)
        if any(row[4] == 'SETS' for row in self.steps) and not any(row[4] == 'MARK' for row in self.steps):
            fit += [ipset(w, r)]
        if not fit:
            return ''
        self.stops[self.where] += 1
        return r.choice(fit)

    def step(self, proto, text):
        """=> (needs, target) that companions do, or None"""
        if self.left.random() < 0.6:
            return None
        fit = [s for s in self.steps if (not s[2] or self.where in s[2]) and (not s[5] or not proto and '-p ' not in text)]
        if not fit:
            return None
        s = self.left.choice(fit)
        return s[5], f'-j {s[0]} {s[6](self.w, self.left)}'.strip()

    def reject(self, proto):
        if '-p tcp' in proto and self.r.random() < 0.6:
            return '-j REJECT --reject-with tcp-reset'
        return f'-j REJECT --reject-with {self.r.choice(REJECTS[self.w.family])}'

    # Nothing that the kernel draws at random: no range of source ports, and no --random.

    def address(self, ports, span=False):
        r, w = self.r, self.w
        a = matches.addr_text(r.choice(w.addrs))
        if r.random() < 0.2:
            a = {4: '10.66.0.4-10.66.0.7', 6: 'fd66::4-fd66::7'}[w.family]
        if not ports or r.random() < 0.5:
            return a
        a = f'[{a}]' if w.family == 6 else a
        port = r.randrange(1024, 60000)
        return f'{a}:{port}' + (f'-{port + 9}' if span and r.random() < 0.3 else '')

    def destination(self, ports):
        r = self.r
        kind = r.random()
        if kind < 0.2:
            return '-j REDIRECT' + (f' --to-ports {r.randrange(1024, 60000)}' if ports and r.random() < 0.5 else '')
        if kind < 0.3:
            return f'-j NETMAP --to {r.choice(MAPPED[self.w.family])}'
        return f'-j DNAT --to-destination {self.address(ports, span=True)}' + r.choice(('', '', ' --persistent'))

    def source(self, ports, masquerade):
        r = self.r
        kind = r.random()
        if kind < 0.3 and masquerade:
            return '-j MASQUERADE' + (f' --to-ports {r.randrange(1024, 60000)}' if ports and r.random() < 0.3 else '')
        if kind > 0.9:
            return f'-j NETMAP --to {r.choice(MAPPED[self.w.family])}'
        return f'-j SNAT --to-source {self.address(ports)}' + r.choice(('', '', ' --persistent'))

    def translations(self, chain, hook):
        """Rules of a chain that packets of some hooks come to."""
        r = self.r
        for _ in range(r.randint(1, 4)):
            proto = r.choice(('-p tcp', '-p udp', '', ''))
            text = ' '.join(fn(self.w, r) for p, fn in ((0.4, matches.base_src), (0.5, matches.base_dst)) if r.random() < p)
            if self.allowed(text):
                ports = proto != ''
                go = self.destination(ports) if hook in ('PREROUTING', 'OUTPUT') else self.source(ports, hook == 'POSTROUTING')
                self.add(f'-A {chain}', proto, text, '-m limit --limit 1/sec' if not proto + text else '', go)

    def nat(self):
        r = self.r
        self.companions('nat')
        users = self.chain_names()[:3]
        self.out += ['*nat'] + [f':{c} ACCEPT [0:0]' for c in NAT] + [f':{c} - [0:0]' for c in users + ['to', 'from']]
        for base in NAT:
            self.where = base
            self.add(f'-A {base}')
            for _ in range(r.randint(0, 3)):
                self.ordinary('nat', [base] + users, 0)
            self.add(f'-A {base}', matches.base_src(self.w, r), '-j', 'to' if base in ('PREROUTING', 'OUTPUT') else 'from')
            self.translations(base, base)
        self.where = ''
        self.translations('to', 'OUTPUT')
        self.translations('from', 'INPUT')
        for level in range(len(users)):
            for _ in range(r.randint(1, 4)):
                self.ordinary('nat', users, level)
        self.out.append('COMMIT')

    def ordinary(self, table, chains, level):
        r = self.r
        text, proto = self.conditions(True)
        stop = self.stop(table, text)
        if self.pool and not stop:
            text = f'{text} {self.question()}'.strip()
        text = f'{stop} {text}'.strip()
        if any(re.search(test, text) for test in self.never):
            return
        done = self.step(proto, text) if self.steps else None
        if done:
            self.add(f'-A {chains[level]}', done[0], text, done[1])
            return
        go = self.jump(chains, level) if r.random() < 0.4 else ''
        if not go and table == 'nat':
            go = r.choice([g for g in GOES if 'DROP' not in g])
        elif not go:
            go = self.reject(proto) if self.answers and table == 'filter' and r.random() < 0.3 else r.choice(GOES)
        if not text and (go in ('-j DROP', '-j ACCEPT', '-j RETURN') or 'REJECT' in go):
            go = ''
        self.add(f'-A {chains[level]}', text, go)

    def states(self, chain):
        for state in STATES:
            self.add(f'-A {chain}', f'-m {self.r.choice(("conntrack --ctstate", "state --state"))} {state}')

    def hooks(self, name):
        """A table with all of its hooks, and chains that any of them may call."""
        r = self.r
        if self.answers:
            self.companions(name)
        users = self.chain_names()
        self.out += [f'*{name}'] + [f':{c} {r.choice(("ACCEPT",) * 6 + ("DROP",))} [0:0]' for c in TABLES[name]]
        self.out += [f':{c} - [0:0]' for c in users]
        for base in TABLES[name]:
            self.where = base
            self.add(f'-A {base}')
            if self.w.tracked and r.random() < 0.5 and NEVER['TEMPLATE'] not in self.never:
                self.states(base)
            if base in INCOMING and self.w.link == world.TAP:
                self.add(f'-A {base}', f'-m mac ! --mac-source {self.w.macs[0].hex(":")}')
            for _ in range(r.randint(1, 8)):
                self.ordinary(name, [base] + users, 0)
        self.where = ''
        for level in range(len(users)):
            for _ in range(r.randint(1, 6)):
                self.ordinary(name, users, level)
        self.out.append('COMMIT')

    def text(self):
        used = self.r.sample(list(TABLES), self.r.choice((1, 2, 4, 4)))
        for name, hooks in TABLES.items():
            if name in used:
                self.hooks(name)
            else:
                self.out += [f'*{name}'] + [f':{c} ACCEPT [0:0]' for c in hooks] + ['COMMIT']
        if self.answers and self.w.nats:
            self.nat()
        elif self.answers:      # in the place of another seed's
            self.out += ['*nat'] + [f':{c} ACCEPT [0:0]' for c in NAT] + ['COMMIT']
        return '\n'.join(self.out) + '\n'


class Odd:
    """Fragments in every seed; no option that takes the time down."""
    world = World

    def __init__(self, seed):
        super().__init__(seed)
        self.w.tracked = False
        if self.w.family == 4:
            self.options = [o for o in self.options if b'\x44' not in o]


class Packets4(Odd, packets.Packets4):
    pass


class Packets6(Odd, packets.Packets6):
    pass


def frames(seed, family, count):
    """=> pcap file of odd packets as they come in"""
    p = Packets4(seed) if family == 4 else Packets6(seed)
    link = packets.LINKTYPE_ETHERNET if p.w.link == world.TAP else packets.LINKTYPE_RAW
    return packets.capture(link, [p.frame()[0] for _ in range(count)], 0)


def build(seed, family, answers=False):
    return Rules(seed, family, answers=answers).text()
