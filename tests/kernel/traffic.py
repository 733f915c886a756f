#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets over the loopback device whose number depends on no time: pings, connections that are
refused or carry a byte, datagrams, among them some that are fragments or wait for segmentation."""
import socket
import subprocess
import threading
import time

UDP_SEGMENT = 103


def serve(listener):
    while True:
        peer = listener.accept()[0]
        peer.recv(10)
        peer.close()


def listen(family, address):
    s = socket.socket(family)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, 8080))
    s.listen(5)
    threading.Thread(target=serve, args=(s,), daemon=True).start()


def connect(family, address, port):
    s = socket.socket(family)
    s.settimeout(0.3)
    try:
        s.connect((address, port))
        time.sleep(0.05)
        s.sendall(b'hello')
        print('tcp', port, s.recv(10))
    except OSError as e:
        print('tcp', port, type(e).__name__)
    time.sleep(0.05)
    s.close()


def send(family, address, port, size, segment=0):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind(('127.0.0.3' if family == socket.AF_INET else '::1', 0))
    if segment:
        s.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, segment)
    text = b'x' * (size - 6) + b'needle'
    try:
        s.sendto(text, (address, port))
    except OSError as e:
        print('udp', port, size, type(e).__name__)
    s.close()


def talk(family, address):
    for port in (8080, 80, 81, 82):
        if port != 81 or family == socket.AF_INET:
            connect(family, address, port)
    for port in (53, 123, 124, 5000, 777, 999):
        for size in range(10, 15):
            send(family, address, port, size)
    send(family, address, 53, 40000)
    send(family, address, 53, 40000, segment=1000)
    send(family, address, 5000, 60000, segment=1400)


def main():
    listen(socket.AF_INET, '127.0.0.1')
    listen(socket.AF_INET6, '::1')
    for words in ('-c 5 127.0.0.1', '-c 2 -s 40000 127.0.0.1', '-c 2 -W 1 127.0.0.9', '-6 -c 5 ::1', '-6 -c 2 -s 40000 ::1'):
        subprocess.run(f'ping -q -i 0.01 {words}'.split(), stdout=subprocess.DEVNULL, check=False)
    talk(socket.AF_INET, '127.0.0.1')
    subprocess.run('ip link set lo mtu 1500'.split(), check=True)
    send(socket.AF_INET, '127.0.0.1', 53, 30000)
    send(socket.AF_INET6, '::1', 53, 30000)
    subprocess.run('ip link set lo mtu 65536'.split(), check=True)
    talk(socket.AF_INET6, '::1')
    time.sleep(0.3)


main()
