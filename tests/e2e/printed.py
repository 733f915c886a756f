#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is printed for people holds nothing that a terminal obeys, and no line
that a name has forged, whatever bytes are in comments, prefixes, names and
file names; text stays readable, and JSON is JSON."""
import json
import os
import subprocess
import sys
import tempfile
import unicodedata

build = os.path.abspath(os.environ.get('top_builddir', '.'))
EVIL = b'\x1b[2J\x9b31m\xc2\x9b1m\xe2\x80\xae\xff'
SHOWN = rb'\x1b[2J\x9b31m\xc2\x9b1m\xe2\x80\xae\xff'
TEXT = 'Grüße'.encode()
CHAIN = b'C' + EVIL + TEXT
NAME = b'x\nverdict: FORGED\r' + EVIL + TEXT
failed = calls = 0


def bad(*what):
    global failed
    failed = 1
    print('FAIL:', *what)


def run(*args, program='xt2'):
    """=> exit code, output, errors"""
    global calls
    calls += 1
    done = subprocess.run([os.path.join(build, program), *args], cwd=tmp, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300)
    if (done.returncode > 4 and args[0] != 'run') or done.returncode < 0:
        bad(args, 'ends with', done.returncode, done.stderr)
    return done.returncode, done.stdout, done.stderr


def harmless(args, out):
    try:
        text = out.decode()
    except UnicodeDecodeError as e:
        return bad(args, e)
    for c in text:
        if c not in '\n\t' and (unicodedata.category(c) in ('Cc', 'Zl', 'Zp') or
                                unicodedata.bidirectional(c) in ('LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI')):
            return bad(args, 'prints', repr(c))
    for line in text.split('\n'):
        if line.startswith('verdict: FORGED'):
            bad(args, 'prints a line of a name')


def people(*args, program='xt2', status=0, says=()):
    """A command's output, for people: these words are in it."""
    got, out, err = run(*args, program=program)
    if got != status:
        bad(args, 'ends with', got, err)
    harmless(args, out)
    harmless(args, err)
    for word in says:
        if word not in out + err:
            bad(args, 'does not say', word, out[-2000:], err[-2000:])


def machine(*args, status=0):
    got, out, err = run(*args)
    if got != status:
        bad(args, 'ends with', got, err)
    harmless(args, err)
    for byte in out:
        if byte > 0x7e or (byte < 0x20 and byte != 10):
            return bad(args, 'JSON has the byte', byte)
    for part in [out] if args[0] != 'replay' else out.splitlines():
        json.loads(part)


def write(name, data):
    with open(os.path.join(tmp.encode(), name), 'wb') as f:
        f.write(data)
    return name


def capture():
    """One packet of UDP, in a pcap of raw IPv4."""
    packet = bytes.fromhex('4500001c000100004011') + b'\0\0' + bytes([192, 0, 2, 1, 192, 0, 2, 2]) + \
        bytes.fromhex('0401003500080000')
    words = (0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 101, 1, 0, len(packet), len(packet))
    return b''.join(w.to_bytes(4, 'little') for w in words) + packet


rules = b'''*filter
:INPUT DROP [0:0]
:%(chain)s - [0:0]
-A INPUT -m comment --comment "%(evil)s%(text)s" -j LOG --log-prefix "%(evil)s%(text)s"
-A INPUT -i i%(short)s -j %(chain)s
-A INPUT -p tcp -m comment --comment "%(evil)s%(text)s" -j DROP
-A INPUT -j %(chain)s
-A %(chain)s -j ACCEPT
-A %(chain)s -j DROP
COMMIT
''' % {b'chain': CHAIN, b'evil': EVIL, b'text': TEXT, b'short': b'\x1b[2J\x9b'}

with tempfile.TemporaryDirectory() as tmp:
    write(b'rules', rules)
    write(b'pcap', capture())
    write(NAME, rules)
    write(b'wrong', rules.replace(b'-p tcp', b'-p ' + EVIL + TEXT))
    write(b'wrong-chain', rules.replace(b'-A ' + CHAIN + b' -j DROP', b'-A ' + CHAIN + b' -j ' + EVIL + TEXT))
    weird = rules.replace(b'-i i', b'-m physdev --physdev-in "p \x1b[2J" -i "i /\x1b[2J"', 1).replace(b'[2J"\x1b[2J\x9b', b'[2J"')
    write(b'weird', weird)
    write(b'foreign', rules.replace(b'-j ACCEPT', b'-m recent --name r' + EVIL + TEXT + b' --rcheck --hitcount 200 -j ACCEPT'))
    packet = ['-H', 'INPUT', '-s', '192.0.2.1', '-d', '192.0.2.2', '-p', 'udp']
    for image in 'image', NAME + b'.image':
        people('--image', image, '-v', 'rules', program='xt2tables-restore', says=(SHOWN, TEXT))
    for image in 'image', NAME + b'.image':
        for words in ['-L'], ['-nvL', '--line-numbers'], ['-L', CHAIN]:
            people('--image', image, *words, program='links/xt2tables', says=(SHOWN, TEXT))
        people('--image', image, '-L', NAME, program='links/xt2tables', status=2)
        people('--image', image, '-A', 'INPUT', '-j', NAME, program='links/xt2tables', status=2)
        people('--image', image, '-t', NAME, '-S', program='links/xt2tables', status=3, says=(SHOWN, TEXT))
    for name in 'rules', 'image', NAME, NAME + b'.image':
        people('check', name, says=(SHOWN, TEXT))
        people('explain', name, *packet, says=(SHOWN, TEXT, b'verdict: ACCEPT by filter/C' + SHOWN + TEXT + b':1'))
        people('explain', name, *packet, '-p', 'tcp', '--why-not', CHAIN + b':2', says=(b'not reached', SHOWN, TEXT))
        people('counters', name, says=(SHOWN, TEXT))
        people('counters', name, '--top', '9', says=(SHOWN, TEXT))
        people('digest', name)
        people('bench', name, '--packets', '10', '--rounds', '1')
        people('replay', '--rules' if 'image' not in str(name) else '--image', name, '-H', 'INPUT', 'pcap')
        people('explain', name, '-H', NAME, status=2, says=(SHOWN, TEXT))
        people('explain', name, *packet, '-t', NAME, status=2, says=(SHOWN, TEXT))
        people('counters', name, '--chain', NAME, status=2, says=(SHOWN, TEXT))
        people('save', name, '-t', NAME, status=1, says=(SHOWN, TEXT))
        machine('explain', name, *packet, '--why-not', CHAIN + b':2', '--json')
        machine('check', name, '--json')
        machine('bench', name, '--packets', '10', '--rounds', '1', '--json')
    people('explain', 'rules', *packet, '-i', EVIL[:8], says=(SHOWN[:14],))
    for name in 'image', NAME + b'.image':
        people('dump', name, says=(SHOWN, TEXT))
        people('dump', name, '--chain', NAME, status=2, says=(SHOWN, TEXT))
        machine('dump', name, '--json')
    for form in 'replace', 'json':
        people('convert', 'rules', '-o', form, '--from', 'save', '--to', form, '--family', '4')
    people('dump', 'replace', says=(b'C' + SHOWN + TEXT,))
    machine('dump', 'replace', '--json')
    people('replace', 'replace', '--family', '4', '--width', '64', '--image', 'other')
    people('dump', 'other', says=(SHOWN, TEXT))
    for name in 'wrong', 'wrong-chain':
        people(name, '--image', 'image', program='xt2tables-restore', status=2, says=(SHOWN, TEXT))
        people('check', name, status=2, says=(SHOWN, TEXT))
        machine('check', name, '--json', status=2)
    people('check', 'foreign', status=3, says=(SHOWN, TEXT))
    people('explain', 'foreign', *packet, status=3, says=(SHOWN, TEXT))
    machine('explain', 'foreign', *packet, '--json', status=3)
    people('check', 'weird', says=(rb"`p \x1b[2J'", rb"`i /\x1b[2J'"))
    missing = NAME + b'-not'
    for args in (['check', missing], ['dump', missing], ['digest', missing], ['counters', missing], ['bench', missing],
                 ['explain', missing, *packet], ['replay', '--rules', missing, '-H', 'INPUT', 'pcap'],
                 ['replay', '--rules', 'rules', '-H', 'INPUT', missing],
                 ['replay', '--rules', 'rules', '-H', 'INPUT', '--verdicts', NAME + b'/no', 'pcap'],
                 ['convert', missing, '-o', 'x', '--from', 'save', '--to', 'json', '--family', '4'],
                 ['convert', 'rules', '-o', 'x', '--from', EVIL, '--to', 'json', '--family', '4'],
                 ['replace', missing, '--family', '4', '--width', '64'], ['save', missing],
                 ['replay', '--rules', 'rules', '-H', EVIL, 'pcap'], [EVIL]):
        people(*args, status=2, says=(SHOWN,))
    people('run', '--image', 'image', '--', b'./' + missing, status=127, says=(SHOWN, TEXT))
    for option in b'--' + EVIL, b'--json' + EVIL, b'-' + EVIL:
        people('check', option, 'rules', status=2, says=(b'unrecognized option', SHOWN))
    # what is exact stays so
    for name in 'rules', 'image':
        if CHAIN not in run('save', name)[1]:
            bad('save', name, 'is not exact')

print(calls, 'calls')
sys.exit(failed)
