# SPDX-License-Identifier: GPL-2.0-or-later
"""Rulesets as other programs write them, for xt2-text: what they say, not what packets do in them."""
import random

TABLES = {"filter": ("INPUT", "FORWARD", "OUTPUT"),
          "nat": ("PREROUTING", "INPUT", "OUTPUT", "POSTROUTING")}


def head(table, chains=()):
    return ([f"*{table}"] + [f":{name} ACCEPT [0:0]" for name in TABLES[table]] +
            [f":{name} - [0:0]" for name in chains])


def address(rng, six):
    if six:
        return "2001:" + ":".join(f"{rng.randrange(1, 65536):x}" for _ in range(3)) + "::1"
    return f"{rng.randrange(1, 223)}.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(256)}"


def fail2ban(count, seed, six):
    """A banned host a rule."""
    rng = random.Random(f"fail2ban {seed}")
    width, answer = (128, "icmp6-port-unreachable") if six else (32, "icmp-port-unreachable")
    return (head("filter", ["f2b-sshd"]) +
            ["-A INPUT -p tcp -m multiport --dports 22 -j f2b-sshd"] +
            [f"-A f2b-sshd -s {address(rng, six)}/{width} -j REJECT --reject-with {answer}"
             for _ in range(count)] + ["-A f2b-sshd -j RETURN", "COMMIT"])


def docker(count, seed, six):
    """Published ports of containers, two rules each."""
    rng = random.Random(f"docker {seed}")
    out = head("nat", ["DOCKER"]) + ["-A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER"]
    for _ in range(count // 2):
        port = rng.randrange(1, 65536)
        host = f"fd00::{rng.randrange(65536):x}" if six else \
            f"172.{rng.randrange(16, 32)}.{rng.randrange(256)}.{rng.randrange(256)}"
        net, to = (f"{host}/128", f"[{host}]:{port}") if six else (f"{host}/32", f"{host}:{port}")
        out += [f"-A POSTROUTING -s {net} -d {net} -p tcp -m tcp --dport {port} -j MASQUERADE",
                f"-A DOCKER ! -i docker0 -p tcp -m tcp --dport {port} -j DNAT --to-destination {to}"]
    return out + ["COMMIT"]


def kube(count, seed, six):
    """kube-proxy's table of nat: 14 rules a service with 4 endpoints."""
    rng = random.Random(f"kube {seed}")
    chains, rules = ["KUBE-SERVICES", "KUBE-MARK-MASQ"], []

    def chain(kind):
        letters = "".join(rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(16))
        chains.append(f"KUBE-{kind}-{letters}")
        return chains[-1]

    for number in range(count // 14):
        name, service = f'"default/service-{number}:http', chain("SVC")
        to = f"fd00:96::{number:x}/128" if six else f"10.96.{number >> 8 & 255}.{number & 255}/32"
        tcp = f'-d {to} -p tcp -m comment --comment {name} cluster IP" -m tcp --dport 80'
        rules += [f"-A KUBE-SERVICES {tcp} -j {service}",
                  f"-A {service} ! -s {'fd00:1::/64' if six else '10.244.0.0/16'} {tcp} "
                  "-j KUBE-MARK-MASQ"]
        for left in range(4, 0, -1):
            end = chain("SEP")
            host = f"fd00:1::{rng.randrange(65536):x}" if six else \
                f"10.244.{rng.randrange(256)}.{rng.randrange(256)}"
            pod = f"[{host}]:8080" if six else f"{host}:8080"
            share = f"-m statistic --mode random --probability {1 / left:.11f} " if left > 1 else ""
            rules += [f'-A {service} -m comment --comment {name} -> {pod}" {share}-j {end}',
                      f"-A {end} -s {host}/{128 if six else 32} -m comment --comment {name}\" "
                      "-j KUBE-MARK-MASQ",
                      f'-A {end} -p tcp -m comment --comment {name}" -m tcp -j DNAT '
                      f"--to-destination {pod}"]
    return (head("nat", chains) + ["-A PREROUTING -j KUBE-SERVICES",
                                   "-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000"] +
            rules + ["COMMIT"])


def tenth(count, seed, six):
    """Hosts and ports; of every ten rules one has a match that only libxtables knows."""
    rng = random.Random(f"tenth {seed}")
    more = ["-m pkttype --pkt-type multicast", "-m dscp --dscp 0x{:02x}", "-m tos --tos 0x{:02x}/0xff",
            "-m connmark --mark 0x{:x}", "-m addrtype --dst-type LOCAL", "-m length --length 5:{}",
            "-m hl --hl-eq {}" if six else "-m ttl --ttl-eq {}"]
    out = head("filter")
    for number in range(count):
        odd = rng.choice(more).format(rng.randrange(1, 64)) + " " if number % 10 == 0 else ""
        out.append(f"-A INPUT -s {address(rng, six)}/{128 if six else 32} -p tcp -m tcp "
                   f"--dport {rng.randrange(1, 65536)} {odd}-j DROP")
    return out + ["COMMIT"]


KINDS = {"fail2ban": fail2ban, "docker": docker, "kube-proxy": kube, "tenth": tenth}
