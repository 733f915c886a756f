#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a pcapng file strictly: a line for each packet with bytes, length, flags and comment."""
import struct
import sys


def options(data):
    found = {}
    while True:
        code, size = struct.unpack_from('<HH', data)
        if not code:
            assert not size and len(data) == 4, 'an end of options that is none'
            return found
        assert code not in found, 'an option twice'
        found[code] = data[4:4 + size]
        data = data[4 + (size + 3) // 4 * 4:]


def blocks(data):
    while data:
        kind, size = struct.unpack_from('<II', data)
        assert size % 4 == 0 and struct.unpack_from('<I', data, size - 4)[0] == size, 'length of a block'
        yield kind, data[8:size - 4]
        data = data[size:]


def main():
    with open(sys.argv[1], 'rb') as f:
        parts = list(blocks(f.read()))
    kinds = [k for k, _ in parts]
    assert kinds == [0x0a0d0d0a, 1] + [6] * (len(parts) - 3) + [5], kinds
    assert struct.unpack_from('<IHHq', parts[0][1]) == (0x1a2b3c4d, 1, 0, -1)
    assert options(parts[0][1][16:])[4].startswith(b'xt2 ')
    assert struct.unpack_from('<HHI', parts[1][1]) == (101, 0, 0)
    assert options(parts[1][1][8:]) == {2: b'xt2', 9: b'\x09'}
    last = 0
    for _, body in parts[2:-1]:
        interface, high, low, caplen, length = struct.unpack_from('<IIIII', body)
        assert interface == 0 and last <= high << 32 | low and len(body) >= 20 + caplen
        last = high << 32 | low
        opt = options(body[20 + (caplen + 3) // 4 * 4:])
        print(caplen, length, struct.unpack('<I', opt[2])[0], opt[1].decode())
    assert options(parts[-1][1][12:]) == {4: struct.pack('<Q', len(parts) - 3), 5: b'\0' * 8}


main()
