# SPDX-License-Identifier: GPL-2.0-or-later
"""Every stateless match with random options: one row per thing that a match can test.

A row is (label, families, link, needs, function): the label is "match" or "match:option"; `needs` are
the conditions without which iptables refuses the match; the function answers the match's own text,
drawn from the World that the packets are made of.
"""
import ipaddress
import time
import zlib

import bytecode

ROWS = []
# Only in rulesets that track connections.
TRACKING = ('state', 'conntrack', 'connmark')


def row(label, needs='', families=(4, 6), link=None):
    def add(fn):
        ROWS.append((label, families, link, needs, fn))
        return fn
    return add


def inv(r, p=0.3):
    return '! ' if r.random() < p else ''


def span(r, pool, top, sep=':', open_ended=True):
    """One value or a range of them, often one that a pool value lies in."""
    a = r.choice(pool) if r.random() < 0.9 else r.randint(0, top)
    how = r.random()
    if how < 0.5:
        return str(a)
    b = r.choice(pool) if r.random() < 0.7 else r.randint(0, top)
    lo, hi = min(a, b), max(a, b)
    if open_ended and how < 0.6:
        return f'{lo}{sep}'
    if open_ended and how < 0.7:
        return f'{sep}{hi}'
    return f'{lo}{sep}{hi}'


def pool_around(pool):
    return list(pool) + [v + 1 for v in pool]


def addr_text(raw):
    return str(ipaddress.ip_address(raw))


# Base tests.

def addr(w, r):
    raw = r.choice(w.addrs) if r.random() < 0.93 else r.choice(w.groups)
    bits = len(raw) * 8
    how = r.random()
    if how < 0.35:
        return addr_text(raw)
    if how < 0.85:
        return f'{addr_text(raw)}/{r.choice((0, 1, 7, 8, 16, 20, bits - 8, bits - 1, bits, bits // 2, r.randint(0, bits)))}'
    mask = bytes(r.choice((0, 255, 255, 0xf0, 0xaa, 1, r.randrange(256))) for _ in raw)
    if w.family == 4:
        return f'{addr_text(raw)}/{addr_text(mask)}'
    return f'{addr_text(raw)}/{ipaddress.IPv6Address(mask)}'


@row('base:src')
def base_src(w, r):
    return f'{inv(r)}-s {addr(w, r)}'


@row('base:dst')
def base_dst(w, r):
    return f'{inv(r)}-d {addr(w, r)}'


@row('base:in')
def base_in(w, r):
    name = r.choice((w.dev, w.dev, w.dev[:3] + '+', w.dev[:1] + '+', w.dev + '+', 'eth0', 'tu+', 'ta+',
                     w.dev[:3], w.dev + '1', 'lo', 'a-long-name-15c', 'xtun+', '+', w.dev + '-and-longe+'))
    return f'{inv(r)}-i {name}'


@row('base:proto')
def base_proto(w, r):
    numbers = (1, 6, 17, 33, 50, 51, 58, 108, 132, 136, 47, 255, r.randint(1, 255))
    names = ('tcp', 'udp', 'sctp', 'dccp', 'udplite', 'esp', 'ah', 'icmp' if w.family == 4 else 'ipv6-icmp')
    if w.family == 6:
        # Extension headers are refused or warned about; what stands behind them is the protocol.
        numbers = tuple(n for n in numbers if n not in (0, 43, 44, 51, 60))
        names = tuple(n for n in names if n != 'ah')
    what = r.choice(numbers + names + ('all', 59))
    return f'{inv(r)}-p {what}' if what != 'all' else '-p all'


@row('base:fragment', families=(4,))
def base_fragment(w, r):
    return f'{inv(r)}-f'


# Transport headers.

for proto in ('tcp', 'udp', 'sctp', 'dccp'):
    for side in ('sport', 'dport'):
        def ports_of(w, r, proto=proto, side=side):
            text = span(r, w.ports, 65535, open_ended=proto in ('tcp', 'udp'))
            return f'-m {proto} {inv(r)}--{side} {text}'
        row(f'{proto}:{side}', f'-p {proto}')(ports_of)


@row('tcp:flags', '-p tcp')
def tcp_flags(w, r):
    names = ('FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG')
    how = r.random()
    if how < 0.2:
        return f'-m tcp {inv(r)}--syn'
    mask = r.choice((0x3f, 0x17, 0x06, 0x12, r.randrange(1, 64)))
    comp = r.choice(w.flags) & mask

    def text(bits):
        if bits == 0x3f:
            return 'ALL'
        return ','.join(n for i, n in enumerate(names) if bits >> i & 1) or 'NONE'
    return f'-m tcp {inv(r)}--tcp-flags {text(mask)} {text(comp)}'


@row('tcp:option', '-p tcp')
def tcp_option(w, r):
    return f'-m tcp {inv(r)}--tcp-option {r.choice(w.tcp_opts)}'


for proto in ('tcp', 'udp', 'sctp', 'dccp'):
    def both(w, r, proto=proto):
        ends = [span(r, w.ports, 65535, open_ended=proto in ('tcp', 'udp')) for _ in range(2)]
        return f'-m {proto} {inv(r)}--sport {ends[0]} {inv(r)}--dport {ends[1]}'
    row(f'{proto}:both', f'-p {proto}')(both)


@row('tcp:all', '-p tcp')
def tcp_all(w, r):
    parts = [f'{inv(r)}--sport {span(r, w.ports, 65535)}', f'{inv(r)}--dport {span(r, w.ports, 65535)}',
             tcp_flags(w, r)[7:], tcp_option(w, r)[7:]]
    return '-m tcp ' + ' '.join(r.sample(parts, r.randint(2, 4)))


ICMP_NAMES = ('echo-request', 'echo-reply', 'destination-unreachable', 'port-unreachable', 'any',
              'time-exceeded', 'network-redirect', 'fragmentation-needed')
ICMP6_NAMES = ('echo-request', 'echo-reply', 'destination-unreachable', 'packet-too-big',
               'router-solicitation', 'neighbour-advertisement', 'no-route', 'bad-header')


def icmp_type(r, types, codes, names):
    how = r.random()
    if how < 0.2:
        return r.choice(names)
    if how < 0.6:
        return str(r.choice(types))
    return f'{r.choice(types)}/{r.choice(codes)}'


@row('icmp', '-p icmp', families=(4,))
def icmp(w, r):
    kind = icmp_type(r, w.icmp, w.codes, ICMP_NAMES)
    return f'-m icmp {inv(r)}--icmp-type {kind}' if kind != 'any' else '-m icmp --icmp-type any'


@row('icmp6', '-p ipv6-icmp', families=(6,))
def icmp6(w, r):
    return f'-m icmp6 {inv(r)}--icmpv6-type {icmp_type(r, w.icmp6, w.codes, ICMP6_NAMES)}'


def multiport_of(w, r, side):
    items, left = [], r.choice((1, 2, 3, 5, 15))
    while left > 0:
        lo, hi = sorted((r.choice(w.ports), r.choice(w.ports + [r.randrange(65536)])))
        if left >= 2 and r.random() < 0.4 and lo < hi:
            items.append(f'{lo}:{hi}')
            left -= 2
        else:
            items.append(str(r.choice((lo, r.randrange(65536)))))
            left -= 1
    return f'-m multiport {inv(r)}--{side} {",".join(items)}'


for proto in ('tcp', 'udp', 'udplite', 'sctp', 'dccp'):
    def multiport(w, r):
        return multiport_of(w, r, r.choice(('sports', 'dports', 'ports')))
    row(f'multiport:{proto}', f'-p {proto}')(multiport)

# A match without options still wants its header.
for name, proto, families in (('tcp', 'tcp', (4, 6)), ('udp', 'udp', (4, 6)), ('sctp', 'sctp', (4, 6)),
                              ('dccp', 'dccp', (4, 6)), ('esp', 'esp', (4, 6)), ('ipcomp', 'ipcomp', (4, 6)),
                              ('ah', 'ah', (4,))):
    def plain(w, r, name=name):
        return f'-m {name}'
    row(f'{name}:plain', f'-p {proto}', families)(plain)


@row('sctp:chunks', '-p sctp')
def sctp_chunks(w, r):
    names = ('DATA', 'INIT', 'INIT_ACK', 'SACK', 'SHUTDOWN', 'ABORT', 'ERROR', 'COOKIE_ECHO', 'SHUTDOWN_COMPLETE',
             'ASCONF', 'FORWARD_TSN', 'PAD', 'RE_CONFIG')
    flags = {'DATA': 'BEUibeui', 'ABORT': 'Tt', 'SHUTDOWN_COMPLETE': 'Tt'}
    items = []
    for name in r.sample(names, r.choice((1, 1, 2, 3))) + (['DATA'] if r.random() < 0.4 else []):
        letters = flags.get(name, '')
        if name in [i.split(':')[0] for i in items]:
            continue
        used = {c.lower(): c for c in r.sample(letters, min(len(letters), r.randrange(3)))}
        items.append(name + (':' + ''.join(used.values()) if used and r.random() < 0.6 else ''))
    return f'-m sctp {inv(r)}--chunk-types {r.choice(("all", "any", "only"))} {",".join(items)}'


@row('dccp:types', '-p dccp')
def dccp_types(w, r):
    names = ('REQUEST', 'RESPONSE', 'DATA', 'ACK', 'DATAACK', 'CLOSEREQ', 'CLOSE', 'RESET', 'SYNC', 'SYNCACK',
             'INVALID')
    return f'-m dccp {inv(r)}--dccp-types {",".join(r.sample(names, r.randint(1, 5)))}'


@row('dccp:option', '-p dccp')
def dccp_option(w, r):
    return f'-m dccp {inv(r)}--dccp-option {r.choice(w.dccp_opts)}'


@row('tcpmss', '-p tcp')
def tcpmss(w, r):
    return f'-m tcpmss {inv(r)}--mss {span(r, w.mss, 65535, open_ended=False)}'


@row('esp', '-p esp')
def esp(w, r):
    return f'-m esp {inv(r)}--espspi {span(r, w.spis, 0xffffffff, open_ended=False)}'


@row('ah', '-p ah', families=(4,))
def ah4(w, r):
    return f'-m ah {inv(r)}--ahspi {span(r, w.spis, 0xffffffff, open_ended=False)}'


@row('ipcomp', '-p ipcomp')
def ipcomp(w, r):
    return f'-m ipcomp {inv(r)}--ipcompspi {span(r, w.cpis, 0xffff, open_ended=False)}' + \
        (' --compres' if r.random() < 0.3 else '')


# Network header.

@row('iprange')
def iprange(w, r):
    sides = r.choice((('src',), ('dst',), ('src', 'dst')))
    out = '-m iprange'
    for side in sides:
        lo, hi = sorted((r.choice(w.addrs), r.choice(w.addrs)))
        out += f' {inv(r)}--{side}-range {addr_text(lo)}'
        out += f'-{addr_text(hi)}' if lo != hi else f'-{addr_text(lo)}'
    return out


@row('length')
def length(w, r):
    base = 20 if w.family == 4 else 40
    return f'-m length {inv(r)}--length {span(r, [base, base + 8, base + 20, base + 60, 100, 150], 700)}'


def life(w, r, name):
    op = r.choice(('eq', 'lt', 'gt'))
    return f'-m {name} {inv(r) if op == "eq" else ""}--{name}-{op} {r.choice(w.lives)}'


@row('ttl', families=(4,))
def ttl(w, r):
    return life(w, r, 'ttl')


@row('hl', families=(6,))
def hl(w, r):
    return life(w, r, 'hl')


@row('tos')
def tos(w, r):
    v = r.choice(w.tos)
    how = r.random()
    if how < 0.2:
        return f'-m tos {inv(r)}--tos {r.choice(("Minimize-Delay", "Maximize-Throughput", "Normal-Service"))}'
    if how < 0.5:
        return f'-m tos {inv(r)}--tos {v:#x}'
    mask = r.choice((0xff, 0x3f, 0x1e, 0xfc, r.randrange(256)))
    return f'-m tos {inv(r)}--tos {v & mask:#x}/{mask:#x}'


@row('dscp')
def dscp(w, r):
    if r.random() < 0.25:
        return f'-m dscp {inv(r)}--dscp-class {r.choice(("EF", "CS0", "CS1", "BE", "AF11", "CS4"))}'
    return f'-m dscp {inv(r)}--dscp {r.choice(w.tos) >> 2}'


@row('ecn:ip')
def ecn_ip(w, r):
    return f'-m ecn {inv(r)}--ecn-ip-ect {r.randrange(4)}'


@row('ecn:tcp', '-p tcp')
def ecn_tcp(w, r):
    parts = [f'{inv(r)}--ecn-tcp-cwr', f'{inv(r)}--ecn-tcp-ece', f'{inv(r)}--ecn-ip-ect {r.randrange(4)}']
    return '-m ecn ' + ' '.join(r.sample(parts, r.choice((1, 1, 2, 3))))


# The packet's bytes.

def shell_safe(word):
    return all(0x20 < c < 0x7f and c not in b'"\'\\|`$' for c in word)


@row('string:bm')
def string_bm(w, r):
    return string(w, r, 'bm')


@row('string:kmp')
def string_kmp(w, r):
    return string(w, r, 'kmp')


def string(w, r, algo):
    word = r.choice(w.words)
    if r.random() < 0.2:
        word = word[:r.randint(1, len(word))]
    if shell_safe(word) and r.random() < 0.8:
        text = f'--string "{word.decode()}"'
    else:
        text = f'--hex-string "|{word.hex()}|"'
    out = f'-m string {inv(r)}{text} --algo {algo}'
    if r.random() < 0.25:
        # just around a word at the start of a payload
        start = (20 if w.family == 4 else 40) + r.choice((8, 20)) + r.choice((0, 0, 1))
        out += f' --from {start - r.randrange(3)} --to {start + len(word) + r.choice((-1, 0, 0, 1))}'
    elif r.random() < 0.3:
        out += f' --from {r.choice((0, 20, 28, 40, 60, r.randrange(200)))}'
        if r.random() < 0.6:
            out += f' --to {r.choice((200, 230, 400, 1500, 65535))}'
    elif r.random() < 0.3:
        out += f' --to {r.choice((20, 40, 60, 100, 200, 65535))}'
    return out + (' --icase' if r.random() < 0.3 else '')


@row('u32')
def u32(w, r):
    def values(pool, top):
        items = [span(r, pool, top, open_ended=False) for _ in range(r.choice((1, 1, 2, 4)))]
        return ','.join(items)
    port = values(w.ports, 65535)
    tests = [f'0x{r.randrange(0, 64):x}&0xff={values([0, 1, 6, 17, 64, 255], 255)}',
             f'0>>{r.randrange(32)}&0x{r.randrange(1, 256):x}={values([0, 1, 2, 4], 255)}',
             f'{r.choice((0, 4, 12, 16, 24, 36, 100, 600))}={values([0, 1 << 30, (1 << 32) - 1], (1 << 32) - 1)}',
             f'{r.randrange(40)}<<{r.randrange(16)}&0xff0000={values([0, 0x10000, 0x800000], 0xff0000)}']
    if w.family == 4:
        tests += [f'6&0xff={r.choice((1, 6, 17))}', f'0>>22&0x3c@0>>16&0xffff={port}', f'0>>22&0x3C@0&0xffff={port}',
                  f'0&0xffff={values([20, 28, 60, 100], 400)}', f'4&0x1fff=0', f'8>>24={values(w.lives, 255)}',
                  f'6&0xff=6&&4&0x1fff=0&&0>>22&0x3c@12>>26&0x3c@0>>24={r.choice((65, 71, 0))}',
                  f'0>>22&0x3c@{r.randrange(12)}>>24&0x3c@{r.randrange(8)}&0xff={values([0, 1, 97], 255)}']
    else:
        tests += [f'4&0xffff={values([20, 28, 60, 100], 400)}', f'4>>8&0xff={r.choice((0, 6, 17, 58))}',
                  f'4&0xff={values(w.lives, 255)}', f'38&0xffff={port}', f'40>>16={port}', f'40&0xffff={port}',
                  f'4>>16&0xfc@{r.randrange(16)}&0xff={values([0, 97, 98], 255)}']
    text = '&&'.join(r.sample(tests, r.choice((1, 1, 1, 2))))
    return f'-m u32 {inv(r)}--u32 "{text}"'


@row('bpf')
def bpf(w, r):
    return f'-m bpf --bytecode "{bytecode.program(w, r)}"'


# IPv6 extension headers.

@row('frag', families=(6,))
def frag(w, r):
    out = []
    if r.random() < 0.5:
        out.append(f'{inv(r)}--fragid {span(r, w.ids, 0xffffffff, open_ended=False)}')
    if r.random() < 0.25:
        out.append('--fragres')
    if r.random() < 0.4:
        out.append('--fragfirst')
    if r.random() < 0.4:
        out.append(r.choice(('--fragmore', '--fraglast')))
    if r.random() < 0.08:
        out.append(f'{inv(r)}--fraglen {r.choice((8, 16, 0))}')
    return ' '.join(['-m frag'] + out)


@row('rt', families=(6,))
def rt(w, r):
    out = ['-m rt']
    strict = r.random() < 0.35
    if strict:
        out.append('--rt-type 0')
    elif r.random() < 0.6:
        out.append(f'{inv(r)}--rt-type {r.choice(w.rt_types)}')
    if r.random() < 0.4:
        out.append(f'{inv(r)}--rt-segsleft {span(r, [0, 1, 2, 3], 5, open_ended=False)}')
    if r.random() < 0.3:
        out.append(f'{inv(r)}--rt-len {r.choice((8, 24, 40, 56))}')
    if strict:
        if r.random() < 0.3:
            out.append('--rt-0-res')
        if r.random() < 0.8:
            out.append('--rt-0-addrs ' + ','.join(addr_text(r.choice(w.addrs)) for _ in range(r.randint(1, 3))))
            if r.random() < 0.7:
                out.append('--rt-0-not-strict')
    return ' '.join(out)


def options(w, r, name):
    out = [f'-m {name}']
    if r.random() < 0.4:
        out.append(f'{inv(r)}--{name}-len {r.choice((8, 8, 16, 24))}')
    if r.random() < 0.7:
        items = []
        for _ in range(r.choice((1, 1, 1, 2, 3))):
            kind = r.choice(w.v6opts + [5, 0, 1])
            items.append(f'{kind}:{r.choice((0, 2, 2, 4, 6))}' if kind and r.random() < 0.5 else str(kind))
        out.append(f'--{name}-opts {",".join(items)}')
    return ' '.join(out)


@row('hbh', families=(6,))
def hbh(w, r):
    return options(w, r, 'hbh')


@row('dst', families=(6,))
def dst(w, r):
    return options(w, r, 'dst')


@row('mh', '-p mobility-header', families=(6,))
def mh(w, r):
    return '-m mh' + (f' {inv(r)}--mh-type {span(r, w.mh, 255, open_ended=False)}' if r.random() < 0.9 else '')


@row('ipv6header', families=(6,))
def ipv6header(w, r):
    names = ('hop', 'dst', 'route', 'frag', 'auth', 'esp', 'none', 'prot')
    items = r.sample(names, r.choice((1, 1, 2, 3)))
    return f'-m ipv6header {inv(r)}--header {",".join(items)}' + (' --soft' if r.random() < 0.6 else '')


@row('ah6', families=(6,))
def ah6(w, r):
    out = ['-m ah']
    if r.random() < 0.7:
        out.append(f'{inv(r)}--ahspi {span(r, w.spis, 0xffffffff, open_ended=False)}')
    if r.random() < 0.4:
        out.append(f'{inv(r)}--ahlen {r.choice((24, 12, 16, 28))}')
    if r.random() < 0.3:
        out.append('--ahres')
    return ' '.join(out)


@row('eui64', families=(6,))
def eui64(w, r):
    return '-m eui64'


# What the host knows.

@row('mark')
def mark(w, r):
    v = r.choice(w.marks + [0])
    if r.random() < 0.5:
        return f'-m mark {inv(r)}--mark {v:#x}'
    mask = r.choice((0xff, 0x0f, 0xffffffff, 0, r.randrange(1 << 32)))
    return f'-m mark {inv(r)}--mark {v & mask:#x}/{mask:#x}'


@row('mac')
def mac(w, r):
    return f'-m mac {inv(r)}--mac-source {r.choice(w.macs).hex(":")}'


@row('pkttype')
def pkttype(w, r):
    return f'-m pkttype {inv(r)}--pkt-type {r.choice(("unicast", "broadcast", "multicast"))}'


@row('devgroup')
def devgroup(w, r):
    return f'-m devgroup {inv(r)}--src-group {r.choice(("0", "1", "0x0/0xff", "0x1/0x3", "0x5"))}'


@row('addrtype')
def addrtype(w, r):
    """Only types that don't depend on routes; the host has none but those of its loopback device."""
    names = ('UNICAST', 'MULTICAST', 'LOCAL') + (('BROADCAST', 'ANYCAST', 'BLACKHOLE', 'UNREACHABLE', 'NAT')
                                                 if w.family == 4 else ('UNSPEC',))
    out = ['-m addrtype']
    for side in r.choice((('src',), ('dst',), ('src', 'dst'))):
        out.append(f'{inv(r)}--{side}-type {",".join(r.sample(names, r.choice((1, 1, 2))))}')
    return ' '.join(out) + (' --limit-iface-in' if r.random() < 0.15 else '')


@row('physdev')
def physdev(w, r):
    return f'-m physdev {r.choice((f"{inv(r)}--physdev-in {w.dev}", f"{inv(r)}--physdev-is-in", f"{inv(r)}--physdev-is-bridged"))}'


@row('cpu')
def cpu(w, r):
    return f'-m cpu {inv(r)}--cpu {r.choice((0, 0, 1))}'


@row('comment')
def comment(w, r):
    return f'-m comment --comment {r.choice(("plain", chr(34) + "two words" + chr(34), chr(34) + "a -j DROP" + chr(34)))}'


@row('time')
def time_(w, r):
    """Only what holds for hours around now: the capture and the kernel are read at the same time."""
    now = int(time.time())

    def date(days):
        return time.strftime('%Y-%m-%dT00:00:00', time.gmtime(now + days * 86400))

    def clock(hours):
        return time.strftime('%H:%M', time.gmtime(now + hours * 3600))
    today = time.gmtime(now).tm_wday
    names = ('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')
    near = ','.join(names[d % 7] for d in (today - 1, today, today + 1))
    how = r.randrange(8)
    if how == 5:
        return f'-m time {inv(r)}--weekdays {near} --timestart {clock(-2)} --timestop {clock(8)}'
    if how == 6:
        days = {time.gmtime(now + d * 86400).tm_mday for d in (-1, 0, 1)}
        return f'-m time {inv(r)}--monthdays {",".join(map(str, sorted(days)))} --datestop {date(3)}'
    if how == 7:
        # from now on until nearly the same time again: through midnight, as one span
        contiguous = ' --contiguous' if clock(-4) < clock(-3) else ''
        return f'-m time --timestart {clock(-3)} --timestop {clock(-4)}{contiguous} --weekdays {near}'
    if how == 0:
        return f'-m time --datestart {date(-30)} --datestop {date(30)}'
    if how == 1:
        return f'-m time --datestart {date(2)}'
    if how == 2:
        return f'-m time --timestart {clock(-3)} --timestop {clock(3)}'
    if how == 3:
        return f'-m time --timestart {clock(3)} --timestop {clock(6)}'
    return f'-m time {inv(r, 0.5)}--weekdays Mon,Tue,Wed,Thu,Fri,Sat,Sun'


# Matches with state that is the same each time.

@row('statistic:nth')
def nth(w, r):
    every = r.choice((1, 2, 3, 5, 7, 100))
    return f'-m statistic --mode nth {inv(r)}--every {every} --packet {r.randrange(every)}'


@row('statistic:random')
def probability(w, r):
    return f'-m statistic --mode random {inv(r)}--probability {r.choice((0, 1))}'


@row('limit')
def limit(w, r):
    """So slow a rate that nothing is refilled during a run: the burst hits, the rest misses.

    The kernel refuses a burst that is worth more than about 37 hours.  Or so large a burst that all hit.
    """
    if r.random() < 0.2:
        return f'-m limit --limit {r.choice((100, 10000))}/second --limit-burst {r.randint(2000, 10000)}'
    rate = r.choice((1, 10))
    return f'-m limit --limit {rate}/hour --limit-burst {r.randint(1, 36 * rate)}'


@row('quota')
def quota(w, r):
    return f'-m quota {inv(r)}--quota {r.choice((0, 1, 1000, 50000, r.randrange(200000), 1 << 40))}'


def own(w, name):
    """The kernel keeps what a name has remembered while one ruleset follows another."""
    return f'{name}{zlib.crc32(b"".join(w.addrs)) % 100000}'


@row('recent')
def recent(w, r):
    """Lists of few names; times that all of a run is within, or none is before."""
    what = r.choice(('set', 'set', 'rcheck', 'update', 'update', 'remove'))
    out = [f'-m recent {inv(r)}--{what}']
    if what in ('rcheck', 'update'):
        if r.random() < 0.5:
            out.append(f'--seconds {r.choice((3600, 100000))}' + (' --reap' if r.random() < 0.5 else ''))
        if r.random() < 0.6:
            out.append(f'--hitcount {r.choice((1, 2, 3, 5, 20, 32))}')
        if r.random() < 0.3:
            out.append('--rttl')
    # A list has the mask of the rule that made it, which is not the one that stands first here.
    name, mask = r.choice((('a', ''), ('bb', ''), ('a-longer-name', ''), ('wide', 'mask')))
    if mask:
        out.append(f'--mask {"255.255.0.0" if w.family == 4 else "ffff:ffff::"}')
    return ' '.join(out + [f'--name {own(w, name)} {r.choice(("--rsource", "--rdest"))}'])


@row('hashlimit')
def hashlimit(w, r):
    """As limit: a burst, and nothing after it; keys of which there are not many."""
    modes = r.choice(((), ('srcip',), ('dstip',), ('srcip', 'dstip'), ('srcip',)))
    masks = [(32, 128)[w.family == 6] - r.choice((0, 8, 13)) for _ in range(2)]
    name = f'h{"-".join(modes)}-{masks[0]}-{masks[1]}'
    rate = r.choice((1, 10))
    burst = r.randint(1, 36 * rate)
    out = f'-m hashlimit --hashlimit-{r.choice(("upto", "above"))} {rate}/hour --hashlimit-burst {burst}'
    if modes:
        out += f' --hashlimit-mode {",".join(modes)}'
    if 'srcip' in modes:
        out += f' --hashlimit-srcmask {masks[0]}'
    if 'dstip' in modes:
        out += f' --hashlimit-dstmask {masks[1]}'
    # Rules of one name share the buckets and what the first of them says.
    return f'{out} --hashlimit-name {own(w, r.choice(("a", name)))}'


# No connection is known in the raw table: INVALID, or UNTRACKED behind CT --notrack.

@row('state')
def state(w, r):
    names = ('INVALID', 'NEW', 'ESTABLISHED', 'RELATED', 'UNTRACKED')
    return f'-m state {inv(r)}--state {",".join(r.sample(names, r.randint(1, 3)))}'


@row('conntrack')
def conntrack(w, r):
    names = ('INVALID', 'NEW', 'ESTABLISHED', 'RELATED', 'UNTRACKED', 'SNAT', 'DNAT')
    out = ['-m conntrack']
    if r.random() < 0.8:
        out.append(f'{inv(r)}--ctstate {",".join(r.sample(names, r.randint(1, 3)))}')
    if r.random() < 0.3 or len(out) == 1:
        out.append(r.choice((f'{inv(r)}--ctstatus {r.choice(("NONE", "ASSURED", "CONFIRMED"))}',
                             f'{inv(r)}--ctproto {r.choice((6, 17))}', f'{inv(r)}--ctorigsrc {addr_text(w.addrs[0])}',
                             '--ctdir ORIGINAL', f'{inv(r)}--ctexpire 1:100')))
    return ' '.join(out)


@row('connmark')
def connmark(w, r):
    return f'-m connmark {inv(r)}--mark {r.choice((0, 1, r.choice(w.marks)))}'


def rows_for(world, without=()):
    family, link = world.family, world.link
    without = without if world.tracked else tuple(without) + TRACKING
    return [m for m in ROWS if family in m[1] and m[2] in (None, link) and m[0].split(':')[0] not in without]
