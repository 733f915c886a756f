#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where datagrams arrive, in this network namespace.

  nat.py serve PORT...            answer to datagrams, with the port and the sender's address
  nat.py ask ADDRESS PORT...      "PORT: answer", or "PORT: none", of a new sender for each
  nat.py ask-first PRIORITY ADDRESS PORT...       the same, with another priority than most packets have
  nat.py ask-from FROM PRIORITY ADDRESS PORT...   the same, from one port after the other
  nat.py flood SECONDS ADDRESS PORT       from new senders; in the end "answer: how often"
"""
import collections
import select
import socket
import sys
import time


def family(address):
    return socket.AF_INET6 if ':' in address else socket.AF_INET


def serve(ports):
    socks = []
    for port in ports:
        for kind, address in ((socket.AF_INET6, '::1'), (socket.AF_INET, '127.0.0.1')):
            s = socket.socket(kind, socket.SOCK_DGRAM)
            s.bind((address, port))
            socks.append(s)
    print('ready', flush=True)
    while True:
        for s in select.select(socks, [], [])[0]:
            _, sender = s.recvfrom(64)
            s.sendto(f'{s.getsockname()[1]} from {sender[0]}'.encode(), sender)


def ask(address, port, wait=0.3, priority=0, sender=0):
    with socket.socket(family(address), socket.SOCK_DGRAM) as s:
        s.bind(('', sender))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, priority)
        try:
            s.sendto(b'?', (address, port))
            if select.select([s], [], [], wait)[0]:
                return s.recv(64).decode()
        except OSError:     # it was dropped on its way out, or is refused
            pass
    return 'none'


def flood(seconds, address, port):
    heard, end = collections.Counter(), time.monotonic() + seconds
    while time.monotonic() < end:
        heard[ask(address, port)] += 1
    for answer, n in sorted(heard.items()):
        print(f'{answer}: {n}')


def main(how, *words):
    if how == 'serve':
        serve([int(port) for port in words])
    elif how == 'ask':
        for port in words[1:]:
            print(f'{port}: {ask(words[0], int(port))}')
    elif how == 'ask-first':
        for port in words[2:]:
            print(f'{port}: {ask(words[1], int(port), priority=int(words[0]))}')
    elif how == 'ask-from':
        for i, port in enumerate(words[3:]):
            print(f'{port}: {ask(words[2], int(port), priority=int(words[1]), sender=int(words[0]) + i)}')
    else:
        flood(float(words[0]), words[1], int(words[2]))


main(*sys.argv[1:])
