# SPDX-License-Identifier: GPL-2.0-or-later
"""Targets with random options.

A row is (name, tables, families, needs, function).  NFQUEUE and QUEUE end a packet's way through the
kernel when nobody listens, so they stand only in the last table.  LOG and TRACE are silent in a network
namespace of its own; NFLOG without a listener is, too.
"""

SYN = '-p tcp -m tcp --tcp-flags SYN,RST SYN'
WRITERS = ('TTL', 'HL', 'TOS', 'DSCP', 'ECN', 'TCPMSS')
ROWS = []


def row(name, tables=('raw', 'mangle'), families=(4, 6), needs=''):
    def add(fn):
        ROWS.append((name, tables, families, needs, fn))
        return fn
    return add


def value(r):
    return r.choice((0, 0x10, 0x12, 0xff, r.randrange(256)))


@row('MARK')
def mark(w, r):
    v, mask = r.choice(w.marks), r.choice((0xff, 0xffffffff, r.randrange(1 << 32)))
    return r.choice((f'--set-mark {v:#x}', f'--set-mark {v:#x}/{mask:#x}', f'--set-xmark {v:#x}/{mask:#x}',
                     f'--or-mark {v:#x}', f'--and-mark {mask:#x}', f'--xor-mark {v:#x}'))


@row('NOTRACK', tables=('raw',))
def notrack(w, r):
    return ''


@row('CT', tables=('raw',))
def ct(w, r):
    return '--notrack'


@row('CONNMARK', tables=('raw',))
def connmark(w, r):
    return r.choice((f'--set-xmark {r.choice(w.marks):#x}/0xff', '--save-mark', '--restore-mark'))


@row('TRACE', tables=('raw',))
def trace(w, r):
    return ''


@row('LOG')
def log(w, r):
    return r.choice(('', '--log-prefix "a b"', '--log-level 7 --log-ip-options'))


@row('NFLOG')
def nflog(w, r):
    return r.choice(('', '--nflog-group 5', '--nflog-prefix x'))


@row('TTL', tables=('mangle',), families=(4,))
def ttl(w, r):
    return r.choice((f'--ttl-set {r.choice(w.lives)}', f'--ttl-inc {r.randint(1, 255)}', f'--ttl-dec {r.randint(1, 255)}'))


@row('HL', tables=('mangle',), families=(6,))
def hl(w, r):
    return r.choice((f'--hl-set {r.choice(w.lives)}', f'--hl-inc {r.randint(1, 255)}', f'--hl-dec {r.randint(1, 255)}'))


@row('TOS', tables=('mangle',))
def tos(w, r):
    return r.choice((f'--set-tos {r.choice(w.tos):#x}', f'--set-tos {value(r):#x}/{value(r):#x}',
                     f'--and-tos {value(r):#x}', f'--or-tos {value(r):#x}', f'--xor-tos {value(r):#x}'))


@row('DSCP', tables=('mangle',))
def dscp(w, r):
    return r.choice((f'--set-dscp {r.choice(w.tos) >> 2}', '--set-dscp-class EF', '--set-dscp-class CS1'))


@row('ECN', tables=('mangle',), families=(4,), needs='-p tcp')
def ecn(w, r):
    return r.choice(('--ecn-tcp-remove', f'--ecn-tcp-cwr {r.randrange(2)}', f'--ecn-ip-ect {r.randrange(4)}',
                     f'--ecn-tcp-ece {r.randrange(2)} --ecn-tcp-cwr {r.randrange(2)}'))


@row('TCPMSS', needs=SYN)
def tcpmss(w, r):
    return f'--set-mss {min(r.choice(w.mss + [1, 100]), 65495)}'


@row('NFQUEUE', tables=('mangle',))
def nfqueue(w, r):
    return r.choice(('--queue-num 3', '--queue-num 3 --queue-bypass', '--queue-balance 1:4'))


def observers(w, r):
    """Conditions on what the targets above may have changed, checksums included; each halves the packets."""
    def bit(expr, bits):
        return f'"{expr}>>{r.randrange(bits)}&1=1"'
    tcp = '0>>22&0x3c@' if w.family == 4 else '40@'
    out = [f'-p tcp -m u32 --u32 {bit(tcp + "16>>16", 16)}', f'-p tcp -m u32 --u32 {bit(tcp + "16>>16", 16)}',
           f'-p tcp -m u32 --u32 {bit(tcp + "12>>16", 16)}', f'-p tcp -m u32 --u32 {bit(tcp + "20", 32)}',
           f'-p tcp -m tcpmss --mss 0:{r.choice((99, 536, 1220, 1459))}', '-p tcp -m tcpmss --mss 536',
           '-p tcp -m ecn --ecn-tcp-cwr', '-p tcp -m ecn --ecn-tcp-ece', f'-m length --length 0:{r.randrange(60, 120)}']
    if w.family == 4:
        out += [f'-m u32 --u32 {bit("8", 16)}', f'-m u32 --u32 {bit("8", 16)}', f'-m u32 --u32 {bit("8>>24", 8)}',
                f'-m u32 --u32 {bit("0>>16", 8)}', f'-m u32 --u32 {bit("0", 16)}']
    else:
        out += [f'-m u32 --u32 {bit("4", 8)}', f'-m u32 --u32 {bit("0>>20", 8)}', f'-m u32 --u32 {bit("4>>16", 16)}',
                f'-m u32 --u32 {bit("0", 20)}']
    return out


def writer(w, r, without):
    """=> (what it needs, target text with -j) of a target that changes the packet"""
    name, _, _, needs, fn = r.choice([t for t in ROWS if w.family in t[2] and t[0] in WRITERS and t[0] not in without])
    return needs, f'-j {name} {fn(w, r)}'


def pick(w, r, table, without):
    """=> (target text with -j, or '' for a rule that only counts; what it needs)"""
    how = r.random()
    if how < 0.25:
        return '', ''
    if how < 0.5:
        return r.choice(('-j ACCEPT', '-j DROP', '-j RETURN')), ''
    if how < 0.52 and table == 'mangle':
        return '-j QUEUE', ''
    if not w.tracked:
        without = tuple(without) + ('CONNMARK',)
    name, _, _, needs, fn = r.choice([t for t in ROWS if table in t[1] and w.family in t[2] and t[0] not in without])
    return f'-j {name} {fn(w, r)}'.strip(), needs
