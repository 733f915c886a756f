# SPDX-License-Identifier: GPL-2.0-or-later
"""Rulesets that are not 5-tuples: blocklists, MAC addresses, trees, rules that all hold."""
import base64
import hashlib
import random
import re

import gen_tuples
from gen_tuples import head, suffixes, table

# Prefix lengths of a blocklist: single hosts and what networks announce.
BLOCK = {32: 420, 24: 300, 22: 70, 23: 50, 21: 35, 20: 40, 19: 25, 18: 15, 17: 10, 16: 20, 30: 5, 29: 5,
         28: 3, 15: 1, 14: 1}
BLOCK_SKEW = (0.6, 0.3, 0.2, 0.0)


def block(count, seed, targets=("DROP",)):
    """Sources of mixed lengths, each once, in the order of their addresses, as published lists are."""
    rng = random.Random(f"block {seed}")
    addresses, lengths = gen_tuples.Addresses4(rng, BLOCK_SKEW), table(BLOCK)
    nets = set()
    while len(nets) < count:
        length = lengths[int(rng.random() * len(lengths))]
        nets.add((addresses.draw(length), length))
    ends = suffixes(targets, rng, count)
    text = addresses.text
    return head() + [f"-A OUTPUT -s {text(*n)}{next(ends)}" for n in sorted(nets)] + ["COMMIT"]


def mac(count, seed, targets=("RETURN",)):
    """A chain of stations: address of the network card and IPv4 address; what is left is dropped.

    Cards are of 60 makers, the popular ones more often; stations live in 16 networks of 65,536; one
    in ten has several addresses.
    """
    rng = random.Random(f"mac {seed}")
    makers = [rng.getrandbits(24) & 0xfcffff for _ in range(60)]
    makers = [makers[r] for r in gen_tuples.ranks(60, 1.0)]
    sites = [10 << 24 | rng.getrandbits(8) << 16 for _ in range(16)]
    seen, rules = set(), []
    card = 0
    while len(rules) < count:
        if not rules or rng.random() >= 0.1:
            card = rng.choice(makers) << 24 | rng.getrandbits(24)
        address = rng.choice(sites) | rng.randrange(1, 65535)
        if (card, address) not in seen:
            seen.add((card, address))
            rules.append((card, address))
    ends = suffixes(targets, rng, count)
    out = head("ACCEPT DROP ACCEPT", ["stations"]) + ["-A FORWARD -j stations"]
    for card, address in rules:
        octets = ":".join(f"{b:02X}" for b in card.to_bytes(6, "big"))
        source = gen_tuples.Addresses4.text(address, 32)
        out.append(f"-A stations -s {source} -m mac --mac-source {octets}{next(ends)}")
    return out + ["-A stations -j DROP", "COMMIT"]


def label(*parts):
    """=> 16 letters and digits, as kube-proxy names its chains"""
    digest = hashlib.sha256(" ".join(map(str, parts)).encode()).digest()
    return base64.b32encode(digest).decode()[:16]


def kube(services, seed, endpoints=3):
    """What kube-proxy writes for services with some endpoints each; where it would rewrite the
    address, the packet is dropped, so that no nat table is needed."""
    rng = random.Random(f"kube {seed}")
    chains, rules, services_rules = ["KUBE-SERVICES", "KUBE-MARK-MASQ"], [], []
    numbers = rng.sample(range(1, 1 << 20), services)
    for i, n in enumerate(numbers):
        address = gen_tuples.Addresses4.text(10 << 24 | 96 << 16 | n, 32)
        port = rng.choice((80, 443, 8080, 9090, 5432, 6379, 53))
        name = f"ns{i % 97}/svc{i}"
        service = f"KUBE-SVC-{label(seed, i)}"
        chains.append(service)
        services_rules.append(f'-A KUBE-SERVICES -d {address} -p tcp -m comment --comment '
                              f'"{name}:main cluster IP" -m tcp --dport {port} -j {service}')
        for k in range(endpoints):
            end = f"KUBE-SEP-{label(seed, i, k)}"
            pod = gen_tuples.Addresses4.text(10 << 24 | 128 << 16 | rng.randrange(1, 1 << 22), 32)
            chains.append(end)
            chance = "" if k == endpoints - 1 else \
                f" -m statistic --mode random --probability {1 / (endpoints - k):.11f}"
            rules.append(f'-A {service} -m comment --comment "{name}:main -> {pod[:-3]}:8080"{chance} '
                         f'-j {end}')
            rules.append(f'-A {end} -s {pod} -m comment --comment "{name}:main" -j KUBE-MARK-MASQ')
            rules.append(f'-A {end} -p tcp -m comment --comment "{name}:main" -m tcp -j DROP')
    return head(chains=chains) + [
        '-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
        "-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000",
        *services_rules, *rules, "COMMIT"]


def kube6(services, seed, endpoints=3):
    """The same for IPv6, from every hook that kube-proxy has it at, and without MARK, which no
    BPF program can do.  Nothing is dropped that is not for a service."""
    lines = [re.sub(r"(\d+\.\d+\.\d+\.\d+)/32", lambda m: "fd00::" + m[1].replace(".", ":") + "/128", line)
             for line in kube(services, seed, endpoints)]
    lines = [line.replace(":OUTPUT DROP", ":OUTPUT ACCEPT") for line in lines if " -j MARK " not in line]
    return lines[:-1] + ["-A INPUT -j KUBE-SERVICES", "-A FORWARD -j KUBE-SERVICES", lines[-1]]


def fan(customers, rules, seed, targets=("DROP",)):
    """A chain for each customer's /24, reached by the /16 and then the /24; in it, who may reach
    which of the customer's hosts."""
    rng = random.Random(f"fan {seed}")
    tuples = gen_tuples.Tuples("acl", 4, rng)
    nets = rng.sample([a << 16 | b << 8 for a in range(10) for b in range(256)], customers) \
        if customers <= 2560 else [c << 8 for c in range(customers)]
    nets = sorted(100 << 24 | n for n in nets)
    groups = sorted({n >> 16 for n in nets})
    text = gen_tuples.Addresses4.text
    chains = [f"net-{g & 0xffff}" for g in groups] + [f"customer-{n >> 8 & 0xffff}" for n in nets]
    out = head(chains=chains)
    out += [f"-A OUTPUT -d {text(g << 16, 16)} -j net-{g & 0xffff}" for g in groups]
    out += [f"-A net-{n >> 16 & 0xffff} -d {text(n, 24)} -j customer-{n >> 8 & 0xffff}" for n in nets]
    ends = suffixes(targets, rng, customers * rules)
    for net in nets:
        seen = set()
        while len(seen) < rules:
            length = tuples.lengths[0][int(rng.random() * len(tuples.lengths[0]))]
            source = text(tuples.src.draw(length), length)
            host = text(net | rng.randrange(1, 255), 32)
            rule = f" -s {source} -d {host}{tuples.rest()}"
            if length and rule not in seen:
                seen.add(rule)
                out.append(f"-A customer-{net >> 8 & 0xffff}{rule}{next(ends)}")
    return out + ["COMMIT"]


def always(count):
    """Rules that all hold and only count."""
    return head() + ["-A OUTPUT"] * count + ["COMMIT"]


def jumps(count):
    """Jumps into a chain whose one rule does not hold."""
    return head(chains=["leaf"]) + ["-A OUTPUT -j leaf"] * count + \
        ["-A leaf -s 192.0.2.1/32 -d 192.0.2.1/32 -j DROP", "COMMIT"]
