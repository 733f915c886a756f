#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ask for the entries of filter, as iptables does, make the file READY, wait, and replace the
table by them; say how that went.  No counters are added.  Usage: slow-replace.py SECONDS READY"""
import ctypes
import errno
import os
import socket
import struct
import sys
import time

GET_INFO, GET_ENTRIES, REPLACE = 64, 65, 64
seconds, ready = float(sys.argv[1]), sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)


def get(option, buffer):
    n = ctypes.c_uint(len(buffer))
    if libc.getsockopt(s.fileno(), 0, option, buffer, ctypes.byref(n)):
        sys.exit('get: ' + os.strerror(ctypes.get_errno()))


info = ctypes.create_string_buffer(b'filter', 84)
get(GET_INFO, info)
fields = struct.unpack_from('<13I', info, 32)  # hooks, entries, underflows, number, size
number, size = fields[11:]
head = b'filter'.ljust(32, b'\0')
entries = ctypes.create_string_buffer(head + struct.pack('<II', size, 0), 40 + size)
get(GET_ENTRIES, entries)
with open(ready, 'w', encoding='utf-8'):
    pass
time.sleep(seconds)
old = ctypes.create_string_buffer(16 * number)
replace = head + struct.pack('<13I', fields[0], number, size, *fields[1:11])
replace += struct.pack('<IQ', number, ctypes.addressof(old))
replace = replace.ljust(96, b'\0') + entries.raw[40:]
error = libc.setsockopt(s.fileno(), 0, REPLACE, replace, len(replace)) and ctypes.get_errno()
print(errno.errorcode.get(error, 'ok'))
