#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perf/gen/ and perf/peers/: rulesets and captures of the benchmarks, and what they become.

Whether a packet hits a rule is asked of a few lines here that know the module
"ipaddress" and nothing of the generators.
"""
import collections
import csv
import ipaddress
import os
import re
import struct
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
for folder in ("gen", "peers"):
    sys.path.insert(0, os.path.join(os.environ.get("top_srcdir", "."), "perf", folder))
import gen_lists  # noqa: E402
import gen_trace  # noqa: E402
import gen_tuples  # noqa: E402
import peers_kernel  # noqa: E402
import peers_report as report  # noqa: E402
import peers_rules  # noqa: E402

TUPLES = [f + v for f in ("acl", "fw", "ipc") for v in "46"]
MADE = {**{k: lambda n, seed, k=k: gen_tuples.lines(k, n, seed) for k in TUPLES},
        "block": gen_lists.block, "mac": gen_lists.mac,
        "kube": lambda n, seed: gen_lists.kube(n // 7, seed),
        "fan": lambda n, seed: gen_lists.fan(n // 50, 50, seed)}
NUMBERS = {"icmp": 1, "ipv6-icmp": 58, "tcp": 6, "udp": 17}


def rules_of(lines):
    return [line for line in lines if line.startswith("-A ")]


Seen = collections.namedtuple("Seen", "src dst proto sport dport icmp mac")


def read(frame, ethernet):
    """=> what a packet's bytes say"""
    mac, data = (frame[6:12], frame[14:]) if ethernet else (None, frame)
    if data[0] >> 4 == 4:
        proto, ends, l4 = data[9], data[12:20], data[20:]
        src, dst = ipaddress.ip_address(ends[:4]), ipaddress.ip_address(ends[4:])
    else:
        proto, ends, l4 = data[6], data[8:40], data[40:]
        src, dst = ipaddress.ip_address(ends[:16]), ipaddress.ip_address(ends[16:])
    sport, dport = struct.unpack("!HH", l4[:4])
    return Seen(src, dst, proto, sport, dport, l4[0], mac)


def holds(rule, seen):
    """Does a rule of the generators hold for a packet?"""
    words = rule.split()
    for option, value in zip(words, words[1:]):
        if option in ("-s", "-d"):
            address = seen.src if option == "-s" else seen.dst
            wanted = address in ipaddress.ip_network(value)
        elif option == "-p":
            wanted = seen.proto == (NUMBERS[value] if value in NUMBERS else int(value))
        elif option in ("--sport", "--dport"):
            low, _, high = value.partition(":")
            port = seen.sport if option == "--sport" else seen.dport
            wanted = int(low) <= port <= int(high or low)
        elif option in ("--icmp-type", "--icmpv6-type"):
            wanted = seen.icmp == int(value)
        elif option == "--mac-source":
            wanted = seen.mac.hex(":").upper() == value
        else:
            continue
        if not wanted:
            return False
    return True


def sums(data):
    """=> the internet checksum's sum; 0xffff: right"""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


class Rulesets(unittest.TestCase):
    def test_seed(self):
        for kind, make in MADE.items():
            with self.subTest(kind):
                self.assertEqual(make(350, 7), make(350, 7))
                self.assertNotEqual(make(350, 7), make(350, 8))

    def test_distinct(self):
        for kind in [*TUPLES, "block", "mac"]:
            with self.subTest(kind):
                rules = rules_of(MADE[kind](3000, 1))
                self.assertEqual(len(rules), len(set(rules)))
                self.assertEqual(len(rules), 3002 if kind == "mac" else 3000)

    def test_networks(self):
        """No address has bits behind its prefix, and none is special."""
        for kind in [*TUPLES, "block", "fan"]:
            for rule in rules_of(MADE[kind](1000, 3)):
                for net in map(ipaddress.ip_network, re.findall(r"-[sd] (\S+)", rule)):
                    self.assertFalse(net.network_address.is_multicast, rule)
                    self.assertFalse(net.network_address.is_loopback, rule)

    def test_shares(self):
        """Within a third of what README.md says of 10,000 rules."""
        for kind, src_any, dst_any in (("acl4", 0.01, 0.005), ("fw4", 0.42, 0.14), ("ipc4", 0.1, 0.08)):
            rules = rules_of(gen_tuples.lines(kind, 10000, 1))
            for option, share in (("-s", src_any), ("-d", dst_any)):
                found = sum(f" {option} " not in r for r in rules) / len(rules)
                self.assertTrue(share * 2 / 3 < found < share * 4 / 3, (kind, option, found))

    def test_targets(self):
        rules = rules_of(gen_tuples.lines("acl4", 2000, 1, ("DROP", "RETURN", "none")))
        for end in ("-j DROP", "-j RETURN"):
            self.assertTrue(500 < sum(r.endswith(end) for r in rules) < 800)
        self.assertTrue(500 < sum("-j" not in r for r in rules) < 800)

    def test_chains(self):
        for kind in ("kube", "fan", "mac"):
            lines = MADE[kind](350, 1)
            chains = {line[1:].split()[0] for line in lines if line.startswith(":")}
            jumps = {t for r in rules_of(lines) for t in re.findall(r"-j (\S+)", r)}
            self.assertTrue(all(len(c) < 29 for c in chains), kind)
            self.assertEqual(jumps - chains - {"MARK", "DROP", "RETURN"}, set(), kind)


class Traces(unittest.TestCase):
    def test_hits(self):
        """A packet hits the rule that it was drawn for, and those that lead to it."""
        for kind, make in MADE.items():
            lines = make(700, 2)
            ruleset = gen_trace.Ruleset(lines)
            drawn, packets = gen_trace.trace(ruleset, "uniform", 300, 1)
            rules = rules_of(lines)
            leads = {r.split()[-1]: r for r in reversed(rules)}
            for at, fields in drawn:
                seen, rule = read(packets.frame(fields), packets.ethernet), rules[at]
                while rule:
                    self.assertTrue(holds(rule, seen), (kind, rule, seen))
                    rule = leads.get(rule.split()[1])

    def test_uniform(self):
        drawn, _ = gen_trace.trace(gen_trace.Ruleset(MADE["acl4"](1000, 1)), "uniform", 3000, 1)
        self.assertTrue(450 < sum(at for at, _ in drawn) / len(drawn) < 550)

    def test_zipf(self):
        drawn, _ = gen_trace.trace(gen_trace.Ruleset(MADE["acl4"](1000, 1)), "zipf", 3000, 1)
        found = collections.Counter(at for at, _ in drawn)
        self.assertTrue(300 < found[0] < 500, found[0])  # 3000 / (1 + 1/2 + ... + 1/1000) = 401
        self.assertGreater(sum(n for at, n in found.items() if at < 10), 1000)

    def test_miss(self):
        for kind in [*TUPLES, "block", "fan"]:
            lines = MADE[kind](1000, 4)
            drawn, packets = gen_trace.trace(gen_trace.Ruleset(lines), "miss", 20, 1)
            for _, fields in drawn:
                seen = read(packets.frame(fields), packets.ethernet)
                self.assertEqual([r for r in rules_of(lines) if holds(r, seen)], [], kind)

    def test_bytes(self):
        """Lengths and checksums are right, addresses are those that routing takes."""
        for kind in TUPLES:
            ruleset = gen_trace.Ruleset(MADE[kind](1000, 5))
            drawn, packets = gen_trace.trace(ruleset, "cross", 300, 1)
            for frame in (packets.frame(fields) for _, fields in drawn):
                seen = read(frame, False)
                for address in (seen.src, seen.dst):
                    self.assertFalse(address.is_multicast or address.is_loopback or
                                     address.is_unspecified or address in
                                     ipaddress.ip_network("0.0.0.0/8"), address)
                if frame[0] >> 4 == 4:
                    self.assertEqual(struct.unpack("!H", frame[2:4])[0], len(frame))
                    self.assertEqual(sums(frame[:20]), 0xffff)
                    ends, l4 = frame[12:20], frame[20:]
                else:
                    self.assertEqual(struct.unpack("!H", frame[4:6])[0], len(frame) - 40)
                    ends, l4 = frame[8:40], frame[40:]
                if seen.proto == 1:
                    self.assertEqual(sums(l4), 0xffff)
                elif seen.proto in (6, 17, 58):
                    self.assertEqual(sums(ends + struct.pack("!II", len(l4), seen.proto) + l4), 0xffff)

    def test_unfit(self):
        with self.assertRaises(gen_trace.Unfit):
            gen_trace.trace(gen_trace.Ruleset(["-A OUTPUT -m ttl --ttl-eq 3 -j DROP"]), "uniform", 1, 1)
        with self.assertRaises(gen_trace.Unfit):
            gen_trace.trace(gen_trace.Ruleset([]), "uniform", 1, 1)
        # A chain that a packet of its rules cannot enter.
        lines = [":c - [0:0]", "-A OUTPUT -s 10.0.0.0/8 -j c", "-A c -s 11.0.0.0/8"]
        drawn, _ = gen_trace.trace(gen_trace.Ruleset(lines), "uniform", 20, 1)
        self.assertEqual({at for at, _ in drawn}, {0})


class Translations(unittest.TestCase):
    def test_nft(self):
        lines = ["*filter", ":INPUT ACCEPT [0:0]", ":OUTPUT DROP [0:0]", ":c - [0:0]",
                 "-A OUTPUT -s 10.0.0.0/8 -p tcp -m tcp --sport 1024:65535 --dport 22 -j DROP",
                 "-A OUTPUT -d 192.0.2.1/32 -p icmp -m icmp --icmp-type 8 -j c",
                 "-A c -s 10.0.0.1/32 -m mac --mac-source 02:00:00:00:00:0A -j RETURN", "-A c -p 47",
                 '-A c -m comment --comment "a b" -m statistic --mode random --probability 0.5 -j c']
        self.assertEqual(peers_rules.nft(lines, 4)[-5:], [
            "add rule ip filter OUTPUT ip saddr 10.0.0.0/8 tcp sport 1024-65535 tcp dport 22 counter "
            "drop",
            "add rule ip filter OUTPUT ip daddr 192.0.2.1/32 icmp type 8 counter jump c",
            "add rule ip filter c ip saddr 10.0.0.1/32 ether saddr 02:00:00:00:00:0a counter return",
            "add rule ip filter c meta l4proto 47 counter",
            "add rule ip filter c numgen random mod 10000 < 5000 counter jump c"])

    def test_acl(self):
        lines = ["-A OUTPUT -s 10.0.0.0/8 -p tcp -m tcp --dport 22 -j DROP",
                 "-A OUTPUT -p icmp -m icmp --icmp-type 8 -j DROP"]
        self.assertEqual(peers_rules.acl(lines, 4, "OUTPUT"), [
            "2 10.0.0.0 8 0.0.0.0 0 6 255 0:65535 22:22 -",
            "2 0.0.0.0 0 0.0.0.0 0 1 255 2048:2303 0:65535 -"])
        self.assertEqual(peers_rules.acl([":c - [0:0]", "-A FORWARD -j c", "-A c -s 10.0.0.1/32 -m mac "
                                          "--mac-source 02:00:00:00:00:0A -j RETURN"], 4, "FORWARD"),
                         ["2 10.0.0.1 32 0.0.0.0 0 0 0 0:65535 0:65535 02000000000a"])
        for rule in ("-A OUTPUT -s 10.0.0.0/8", "-A OUTPUT -j c"):
            with self.assertRaises(peers_rules.NotForAcl):
                peers_rules.acl([":c - [0:0]", rule, "-A OUTPUT -j DROP"], 4, "OUTPUT")

    def test_counters(self):
        text = ":OUTPUT DROP [3:120]\n:c - [0:0]\n[1:40] -A OUTPUT -j c\n[2:80] -A c -s 10.0.0.1/32\n"
        same = ["OUTPUT 1 1 40", "c 1 2 80", "OUTPUT policy 3 120"]
        self.assertEqual(peers_kernel.saved(text), peers_kernel.listed(same))


def a_row(spec, trace="uniform", **values):
    out = report.Row(types.SimpleNamespace(spec=spec, count=1000, loaded=0.5), trace)
    out.values.update(values)
    return out


class Report(unittest.TestCase):
    def test_ratios(self):
        rows = [a_row("acl4 1000", xt1=1000.0, acl=80.0, indexed=40.0), a_row("kube 9", indexed=5.0)]
        lines = report.ratios(rows)
        self.assertEqual(lines[2].split(), ["ruleset", "trace", "xt1/indexed", "acl/indexed"])
        self.assertEqual(lines[3].split(), ["acl4", "1000", "uniform", "25.00", "2.00"])
        self.assertEqual(lines[4].split(), ["kube", "9", "uniform", "-", "-"])

    def test_worst(self):
        rows = [a_row("acl4 1000", indexed=40.0), a_row("fw4 1000", indexed=50.0),
                a_row("fw4 1000", "miss", indexed=70.0), a_row("kube 1000", indexed=90.0)]
        self.assertEqual(report.worst(rows, ("acl4", "fw4")), {"indexed": [(1000, 50.0)]})

    def test_csv(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "new", "x.csv")
            report.write_csv(path, "a machine", [a_row("acl4 1000", xt1=90.0, indexed=30.0),
                                                 a_row("kube 9", batch=1.0)])
            with open(path, encoding="utf-8") as f:
                self.assertEqual(f.readline(), "# a machine\n")
                one, two = csv.DictReader(f)
        self.assertEqual((one["xt1"], one["xt1 / indexed"], one["batch"]), ("90.0", "3.0", ""))
        self.assertEqual((two["ruleset"], two["xt1 / indexed"], two["batch"]), ("kube 9", "", "1.0"))

    def test_gnuplot(self):
        text = report.gnuplot([a_row("acl4 1000", xt1=9.0), a_row("acl4 10", xt1=2.0)], ("acl4",), "/s")
        self.assertIn("$d0 << EOD\n10 2.0\n1000 9.0\nEOD\n", text)
        self.assertIn("set output '/s.svg'\nplot $d0 with linespoints lw 2 title 'xt1'\n", text)
        self.assertIsNone(report.gnuplot([a_row("kube 9", xt1=9.0)], ("acl4",), "/s"))


unittest.main()
