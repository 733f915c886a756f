#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends so many datagrams to port 9 of this host, where nobody listens."""
import socket
import sys

s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[1])):
    s.sendto(b'counted', ('127.0.0.1', 9))
