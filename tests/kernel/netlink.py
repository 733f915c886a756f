#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a careless or hostile program may say to the module by netlink: it is refused, and nothing changes.

See include/xt2/netlink.h.  Random images and requests: SEED says which.
"""
import errno
import itertools
import os
import random
import socket
import struct
import subprocess
import sys

GENERIC, CONTROL, REQUEST, ACK, DUMP, ERROR, DONE = 16, 16, 1, 4, 0x300, 2, 3
IDENTIFY, TABLES, DUMP_ALL, BEGIN, TABLE, PIECE, KEEP, COMMIT, ABORT, COMMITTED, REFUSED, SPLICE, EDIT = range(1, 14)
(PAD, FORMAT, SOCKOPTS, GENERATION, FAMILY, NAME, SIZE, RULES, OFFSET, DATA, FAULTS, UNCOUNTED, PORT, ERRNO,
 TEXT, WHAT, CHAIN, TO, AT, FIND, DELETE, INSERT) = range(1, 23)
EDIT_RULES, EDIT_NEW, EDIT_GONE, EDIT_NAME, EDIT_POLICY = range(5)
WRONG = []


def attribute(kind, value):
    head = struct.pack('=HH', 4 + len(value), kind)
    return head + value + b'\0' * (-len(value) % 4)


def u8(n):
    return struct.pack('=B', n)


def u32(n):
    return struct.pack('=I', n)


def u64(n):
    return struct.pack('=Q', n)


class Link:
    """A socket to the module."""

    def __init__(self):
        self.s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, GENERIC)
        self.s.bind((0, 0))
        self.sequence = 0
        self.family = CONTROL
        _, answers = self.ask(3, attribute(2, b'xt2\0'))
        self.family = struct.unpack('=H', answers[0][1][1])[0]

    def close(self):
        self.s.close()

    def ask(self, command, data=b'', flags=ACK):
        """=> (errno, [(command, {attribute: bytes})])"""
        self.sequence += 1
        body = struct.pack('=BBH', command, 1, 0) + data
        self.s.send(struct.pack('=IHHII', 16 + len(body), self.family, REQUEST | flags, self.sequence, 0) + body)
        answers = []
        while True:
            room = self.s.recv(1 << 17)
            while room:
                size, kind, _, _, _ = struct.unpack('=IHHII', room[:16])
                message, room = room[16:size], room[size + (-size % 4):]
                if kind in (ERROR, DONE):
                    return -struct.unpack('=i', message[:4])[0], answers
                answers.append((message[0], parse(message[4:])))

    def change(self, command, *attributes):
        return self.ask(command, b''.join(attribute(*a) for a in attributes))[0]


def parse(data):
    found = {}
    while data:
        size, kind = struct.unpack('=HH', data[:4])
        found[kind] = data[4:size]
        data = data[size + (-size % 4):]
    return found


def expect(what, have, want):
    if have != want:
        WRONG.append(f'{what}: {errno.errorcode.get(have, have)}, not {errno.errorcode.get(want, want)}')


def images(link):
    """=> {(family, name): image}"""
    found, last = {}, None
    for command, a in link.ask(DUMP_ALL, flags=DUMP)[1]:
        if command == TABLE and NAME in a:
            last = (a[FAMILY][0], a[NAME])
            found[last] = b''
        elif command == PIECE:
            found[last] += a[DATA]
    return found


def table(link, key, image, rules=0):
    ret = link.change(TABLE, (FAMILY, u8(key[0])), (NAME, key[1]), (SIZE, u64(len(image))), (RULES, u32(rules)))
    for at in range(0, len(image), 32768):
        if not ret:
            ret = link.change(PIECE, (OFFSET, u64(at)), (DATA, image[at:at + 32768]))
    return ret


def splice(link, key, image):
    ret = link.change(SPLICE, (FAMILY, u8(key[0])), (NAME, key[1]), (SIZE, u64(len(image))))
    for at in range(0, len(image), 32768):
        if not ret:
            ret = link.change(PIECE, (OFFSET, u64(at)), (DATA, image[at:at + 32768]))
    return ret


def edit(link, what, chain, *attributes):
    return link.change(EDIT, (WHAT, u8(what)), (CHAIN, chain + b'\0'), *attributes)


def rules(link, chain, at, delete, insert):
    return edit(link, EDIT_RULES, chain, *([] if at is None else [(AT, u32(at))]), (DELETE, u32(delete)),
                (INSERT, u32(insert)))


def refused_edits(link, key, image):
    """Edits that cannot be made; each with one before it that can."""
    INPUT, OWN = b'INPUT', b'own'
    wrong = {
        'a position after the end': ((EDIT_RULES, INPUT, (AT, u32(99)), (INSERT, u32(1))), errno.ENOENT),
        'too many deleted': ((EDIT_RULES, INPUT, (AT, u32(1)), (DELETE, u32(99))), errno.ENOENT),
        'all of 2^32 deleted': ((EDIT_RULES, INPUT, (AT, u32(1)), (DELETE, u32(0xffffffff))), errno.ENOENT),
        'the last position': ((EDIT_RULES, INPUT, (AT, u32(0xffffffff)), (DELETE, u32(1))), errno.ENOENT),
        'more than the image has': ((EDIT_RULES, INPUT, (INSERT, u32(99))), errno.ENOENT),
        'no such chain': ((EDIT_RULES, b'nobody', (INSERT, u32(1))), errno.ENOENT),
        'a new chain that is there': ((EDIT_NEW, OWN), errno.EEXIST),
        'a new chain of no name': ((EDIT_NEW, b''), errno.EINVAL),
        'a chain that rules lead to goes': ((EDIT_GONE, OWN), None),
        'a base chain goes': ((EDIT_GONE, INPUT), None),
        'a base chain is renamed': ((EDIT_NAME, INPUT, (TO, b'other\0')), None),
        'a name that is there': ((EDIT_NAME, OWN, (TO, b'INPUT\0')), None),
        'the policy of a user chain': ((EDIT_POLICY, OWN), None),
    }
    for what, (how, want) in wrong.items():
        expect('begin', link.change(BEGIN), 0)
        expect('splice', splice(link, key, image), 0)
        expect('a rule', rules(link, OWN, 0, 1, 1), 0)
        expect(what, edit(link, how[0], how[1], *how[2:]), 0)
        ret = link.change(COMMIT)
        if not ret or want not in (None, ret):
            WRONG.append(f'{what}: {errno.errorcode.get(ret, ret)}')
    expect('begin', link.change(BEGIN), 0)
    expect('an edit of no table', edit(link, EDIT_NEW, b'new'), errno.EINVAL)
    expect('table', table(link, key, image), 0)
    expect('an edit of a table that is sent', edit(link, EDIT_NEW, b'new'), errno.EINVAL)
    expect('abort', link.change(ABORT), 0)
    expect('begin', link.change(BEGIN), 0)
    expect('a splice without an image', splice(link, key, b''), 0)
    expect('what is no edit', edit(link, 5, b'new'), errno.ERANGE)
    expect('a name without a new one', edit(link, EDIT_NAME, OWN), errno.EINVAL)
    expect('a rule of no image', rules(link, OWN, 0, 0, 1), 0)
    expect('commit', link.change(COMMIT), errno.ENOENT)
    expect('begin', link.change(BEGIN), 0)
    expect('a table that is not there', splice(link, (2, b'security\0'), b''), 0)
    expect('commit', link.change(COMMIT), errno.ENOENT)


def edits(rng, link, key, image):
    """Rules come and go again, in random places: what is left is as it was."""
    for _ in range(int(os.environ.get('EDITS', 40))):
        counts = {b'INPUT': 4, b'own': 3}
        steps = []
        for n in range(rng.randint(1, 5)):
            chain = rng.choice(sorted(counts))
            steps.append((chain, rng.randint(0, counts[chain] - 1), rng.randint(1, counts[chain])))
        name = b'new%d' % rng.randrange(100)
        for chain, at, n in steps:
            expect('begin', link.change(BEGIN), 0)
            expect('splice', splice(link, key, image), 0)
            expect('rules come', rules(link, chain, rng.choice((at, at, None)) if at else at, 0, n), 0)
            expect('a chain comes', edit(link, EDIT_NEW, name), 0)
            expect('it is named', edit(link, EDIT_NAME, name, (TO, b'other\0')), 0)
            expect('commit', link.change(COMMIT), 0)
            expect('begin', link.change(BEGIN), 0)
            expect('splice', splice(link, key, image), 0)
            expect('the chain goes', edit(link, EDIT_GONE, b'other'), 0)
            expect('all rules go', rules(link, chain, 0, counts[chain] + n, counts[chain]), 0)
            expect('commit', link.change(COMMIT), 0)
    # The first rule that says the same as the first one of the image.
    expect('begin', link.change(BEGIN), 0)
    expect('splice', splice(link, key, image), 0)
    expect('one more', rules(link, b'own', None, 0, 1), 0)
    expect('commit', link.change(COMMIT), 0)
    expect('begin', link.change(BEGIN), 0)
    expect('splice', splice(link, key, image), 0)
    expect('find', edit(link, EDIT_RULES, b'own', (FIND, b''), (DELETE, u32(1))), 0)
    expect('all rules go', rules(link, b'own', 0, 3, 0), 0)
    expect('commit', link.change(COMMIT), 0)
    expect('begin', link.change(BEGIN), 0)
    expect('splice', splice(link, key, image), 0)
    expect('all rules come', rules(link, b'own', 0, 0, 3), 0)
    expect('commit', link.change(COMMIT), 0)


def protocol(link, other, key, image):
    expect('a piece without a transaction', link.change(PIECE, (OFFSET, u64(0)), (DATA, b'x')), errno.EINVAL)
    expect('a commit without one', link.change(COMMIT), errno.EINVAL)
    expect('another generation', link.change(BEGIN, (GENERATION, u64(1 << 40))), errno.ESTALE)
    expect('begin', link.change(BEGIN), 0)
    expect('a second one', other.change(BEGIN), errno.EBUSY)
    expect('a commit of the other one', other.change(COMMIT), errno.EINVAL)
    for name in (b'nonsense\0', b'\0', b'broute\0'):
        expect(f'table {name}', link.change(TABLE, (FAMILY, u8(2)), (NAME, name), (SIZE, u64(4096))), errno.ENOENT)
    expect('a name without an end', link.change(TABLE, (FAMILY, u8(2)), (NAME, b'x' * 40)), errno.EINVAL)
    for size in (1, 15):
        expect(f'{size} bytes', link.change(TABLE, (FAMILY, u8(2)), (NAME, b'raw\0'), (SIZE, u64(size))), errno.EINVAL)
    expect('too many bytes', link.change(TABLE, (FAMILY, u8(2)), (NAME, b'raw\0'), (SIZE, u64(1 << 63))), errno.EFBIG)
    expect('too many rules', link.change(TABLE, (FAMILY, u8(2)), (NAME, b'raw\0'), (SIZE, u64(64)), (RULES, u32(99))), errno.EINVAL)
    expect('table', table(link, key, image), 0)
    expect('the same again', table(link, key, image), errno.EEXIST)
    expect('more than there is', link.change(PIECE, (OFFSET, u64(len(image))), (DATA, b'x')), errno.EINVAL)
    expect('keep of none', link.change(KEEP, (OFFSET, u64(0)), (DATA, u32(1))), errno.EINVAL)
    expect('abort', link.change(ABORT), 0)
    # What is cut off, and what is kept twice or is not there.
    expect('begin', link.change(BEGIN), 0)
    link.change(TABLE, (FAMILY, u8(key[0])), (NAME, key[1]), (SIZE, u64(len(image))))
    link.change(PIECE, (OFFSET, u64(0)), (DATA, image[:64]))
    expect('a part', link.change(COMMIT), errno.EINVAL)
    expect('after a failure', link.change(COMMIT), errno.EINVAL)
    for keep in ((1, 1), (0, 1 << 31), (0xffffffff, 0)):
        expect('begin', link.change(BEGIN), 0)
        expect('table', table(link, key, image, 2), 0)
        expect('keep', link.change(KEEP, (OFFSET, u64(0)), (DATA, u32(keep[0]) + u32(keep[1]))), 0)
        expect(f'keep {keep}', link.change(COMMIT), errno.EINVAL)
    # The image of another table.
    expect('begin', link.change(BEGIN), 0)
    expect('table', table(link, (key[0], b'raw\0' if key[1] != b'raw\0' else b'mangle\0'), image), 0)
    expect('the image of another table', link.change(COMMIT), errno.EINVAL)
    # It goes with its socket.
    expect('begin', link.change(BEGIN), 0)
    expect('table', table(link, key, image), 0)
    link.close()
    expect('after the other has gone', other.change(BEGIN), 0)
    expect('abort', other.change(ABORT), 0)


def shared(link, key, image):
    """Two rules that have one match of the kernel's: what it remembers for the first would be the second one's."""
    foreign = struct.pack('=BBH', 76, 0, 8)     # struct xt2_match, without the number of its instance
    at = [i for i in range(0, len(image), 8) if image[i:i + 4] == foreign]
    if len(at) < 2:
        WRONG.append('the table has not two matches of the kernel\'s')
        return
    wrong = bytearray(image)
    wrong[at[1] + 4:at[1] + 8] = image[at[0] + 4:at[0] + 8]
    expect('begin', link.change(BEGIN), 0)
    expect('table', table(link, key, bytes(wrong)), 0)
    ret, answers = link.ask(COMMIT)
    expect('a match that rules share', ret, errno.EINVAL)
    if not any(b'another rule has the same match' in a.get(TEXT, b'') for _, a in answers):
        WRONG.append(f'a match that rules share: {answers}')


def damaged(rng, link, found):
    """Images with words changed: most are refused; none is committed, for the table of another one is not there."""
    for _ in range(int(os.environ.get('IMAGES', 300))):
        key = rng.choice(sorted(found))
        image = bytearray(found[key])
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(0, len(image) // 4) * 4
            image[at:at + 4] = u32(rng.choice((0, 1, 4, 8, 24, 255, 65535, 0x7fffffff, 0xffffffff, rng.getrandbits(32))))
        if rng.random() < 0.1:
            del image[rng.randrange(64, len(image)):]
        expect('begin', link.change(BEGIN), 0)
        expect('table', table(link, key, bytes(image)), 0)
        # A table that is cut off comes last, so that all is undone.
        link.change(TABLE, (FAMILY, u8(2)), (NAME, b'security\0'), (SIZE, u64(64)))
        if not link.change(COMMIT):
            WRONG.append('a table that is cut off is committed')


class Failing(Link):
    """A link whose requests lack the nth allocation."""

    def __init__(self):
        super().__init__()
        self.nth, self.hit = 0, False

    def ask(self, command, data=b'', flags=ACK):
        if not getattr(self, 'nth', 0):
            return super().ask(command, data, flags)
        with open('/proc/thread-self/fail-nth', 'r+b', buffering=0) as f:
            f.write(b'%d' % self.nth)
            try:
                return super().ask(command, data, flags)
            except OSError as e:
                return e.errno, []
            finally:
                self.hit = f.read(16).strip(b'\0\n') == b'0'
                f.write(b'0')


def saved():
    """=> what the rules are; images may be packed in another way"""
    text = subprocess.run(['iptables-legacy-save', '-c'], capture_output=True, text=True, check=True).stdout
    return [line for line in text.splitlines() if not line.startswith('#')]


def fail_each(requests):
    """Each allocation of each request of a transaction fails once."""
    total = 0
    for which in range(len(requests)):
        for nth in range(1, 2000):
            link = Failing()
            before = saved()
            for request in requests[:which]:
                expect('a request before', request(link), 0)
            link.nth = nth
            ret, hit = requests[which](link), link.hit
            link.nth = 0
            if hit and ret not in (0, errno.ENOMEM, errno.ENOBUFS):
                WRONG.append(f'request {which}, allocation {nth}: {errno.errorcode.get(ret, ret)}')
            lost = ret == errno.ENOBUFS and which == len(requests) - 1      # the answer, to what is done
            if ret and not lost or which < len(requests) - 1:
                now = saved()
                if now != before:
                    WRONG.append(f'request {which}, allocation {nth}: {errno.errorcode.get(ret, ret)}, and the '
                                 f'tables are others: {set(before) ^ set(now)}')
            link.close()
            total += 1
            if not hit:
                break
    print(f'{total} allocations of a transaction')


def main():
    seed = int(os.environ.get('SEED', 1))
    rng = random.Random(seed)
    link, other = Link(), Link()
    found = images(link)
    key = (2, b'filter\0')
    protocol(link, other, key, found[key])
    if not os.environ.get('FAIL'):
        shared(other, key, found[key])
        refused_edits(other, key, found[key])
        edits(rng, other, key, found[key])
    damaged(rng, other, found)
    if os.environ.get('FAIL'):
        image, names = found[key], itertools.count()
        fail_each((lambda link: link.change(BEGIN), lambda link: table(link, key, image),
                   lambda link: link.change(COMMIT)))
        fail_each((lambda link: link.change(BEGIN), lambda link: splice(link, key, image),
                   lambda link: (rules(link, b'INPUT', 0, 1, 1) or rules(link, b'a', None, 0, 1) or
                                 edit(link, EDIT_NEW, b'n%d' % next(names))),
                   lambda link: link.change(COMMIT)))
    for line in WRONG:
        print('WRONG:', line)
    if WRONG:
        print(f'again: SEED={seed}')
    else:
        print(f'{len(found)} tables, seed {seed}: what is refused changes nothing')
    return bool(WRONG)


if __name__ == '__main__':
    sys.exit(main())
