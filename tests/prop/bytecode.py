# SPDX-License-Identifier: GPL-2.0-or-later
"""Random classic BPF programs that the kernel accepts.

Two scratch cells are set first, so that loads from them are valid on every path.  Then loads of every
size and mode, arithmetic and forward jumps in any order; at the end a test and two returns.
"""

NET, LINK, ANCILLARY = 0xfff00000, 0xffe00000, 0xfffff000
# protocol, packet type, mark, processor, A ^= X; the others are not the same twice
ANCILLARIES = (0, 4, 20, 36, 40)
OFFSETS = (0, 1, 2, 6, 8, 9, 12, 20, 22, 24, 40, 42, 60, 200)
SIZES = (0x00, 0x08, 0x10)


def load(r):
    """Instructions that put something of the packet into A."""
    k = r.choice(OFFSETS)
    size = r.choice(SIZES)
    how = r.randrange(10)
    if how < 4:
        return [(0x20 | size, k)]
    if how == 4:
        return [(0x80, 0)]
    if how == 5:
        return [(0xb1, k % 24), (0x40 | size, k % 16)]
    if how == 6:
        return [(0x01, k), (0x40 | size, r.choice((0, 1, 7, NET + 1, 0xffffffff)))]
    if how == 7:
        return [(0x20 | size, NET + k)]
    if how == 8:
        return [(0x20 | size, LINK + k)]
    return [(0x20, ANCILLARY + r.choice(ANCILLARIES))]


def step(r):
    """Arithmetic on A and X, scratch memory."""
    how = r.randrange(6)
    if how == 0:
        return [r.choice(((0x07, 0), (0x87, 0), (0x84, 0), (0x02, r.randrange(2)), (0x03, r.randrange(2))))]
    if how == 1:
        return [r.choice(((0x60, r.randrange(2)), (0x61, r.randrange(2)), (0x81, 0), (0x01, r.randrange(256))))]
    op = r.choice((0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0))
    if how == 2:
        return [(0x0c | op, 0)]
    value = {0x30: r.randint(1, 9), 0x90: r.randint(1, 9), 0x60: r.randrange(32), 0x70: r.randrange(32)}
    return [(0x04 | op, value.get(op, r.choice((0, 1, 0xff, 0x3c, 0x1fff, 0xffffffff, r.getrandbits(32)))))]


def jump(r, room):
    """A jump over at most `room` instructions, or None."""
    if not room:
        return None
    if r.random() < 0.2:
        return (0x05, 0, 0, r.randint(0, room))
    test = r.choice((0x10, 0x20, 0x30, 0x40)) | r.choice((0, 8))
    return (0x05 | test, r.randint(0, room), r.randint(0, room), r.choice((0, 1, 6, 64, 255, 0x80, r.getrandbits(16))))


def program(w, r):
    """=> the argument of --bytecode, without quotes"""
    code = [(0x00, 0, 0, r.getrandbits(16)), (0x02, 0, 0, 0), (0x03, 0, 0, 1)] if r.random() < 0.4 else []
    body = load(r)
    if code:
        for _ in range(r.choice((0, 1, 3, 8))):
            body += step(r) if r.random() < 0.7 else load(r)
    elif r.random() < 0.3:
        body.append((0x54, r.choice((0xff, 0xf0, 0x3c, 0x1fff))))
    for i, (op, k) in enumerate(body):
        far = jump(r, min(len(body) - i, 6)) if code and r.random() < 0.15 else None
        if far:
            # it may fall through to the instruction behind it, or skip up to the final test
            code.append(far)
        code.append((op, 0, 0, k))
    test = r.choice((0x15, 0x15, 0x25, 0x35, 0x45, 0x1d, 0x2d))
    ends = (0, 1) if r.random() < 0.7 else (1, 0)
    value = r.choice(w.ports + w.lives + w.tos + [6, 17, 64])
    if body[0][0] & 0x18 == 0x10:
        value &= 0xff
    code.append((test, *ends, value))
    code += [(0x06, 0, 0, r.choice((1, 65535))), r.choice(((0x06, 0, 0, 0), (0x06, 0, 0, 0), (0x16, 0, 0, 0)))]
    return f'{len(code)},' + ','.join('%d %d %d %d' % insn for insn in code)
