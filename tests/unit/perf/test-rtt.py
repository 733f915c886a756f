#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perf/rtt/rtt_rules.py and perf/rtt/rtt_report.py: what counters must be, and figures of round trips."""
import csv
import os
import statistics
import sys
import tempfile
import unittest
from array import array

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ.get("top_srcdir", "."), "perf", "rtt"))
import rtt_report as report  # noqa: E402
import rtt_rules as rules  # noqa: E402

TEXT = """*filter
:INPUT DROP [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:a - [0:0]
:b - [0:0]
-A INPUT -s 2001:db8::/32 -j DROP
-A INPUT -d ::/127 -j a
-A INPUT -s ::1/128 -d ::1/128
-A a -j b
-A a -s ::1
-A a -j RETURN
-A a -s ::1
-A b -s ::2/128 -j ACCEPT
-A b -s ::/0
-A OUTPUT -d ::1/128
COMMIT
"""
# What one packet that passes OUTPUT and INPUT is expected to leave, written down by hand.
HITS = {"INPUT": [0, 1, 1], "FORWARD": [], "OUTPUT": [1], "a": [1, 1, 1, 0], "b": [0, 1]}
POLICIES = {"INPUT": 1, "FORWARD": 0, "OUTPUT": 1}


def ruleset(text=TEXT, hooks=("OUTPUT", "INPUT")):
    return rules.Rules(text.splitlines(), hooks)


def listing(packets, hits=None, policies=None):
    """As xt2 counters prints them."""
    lines = [f"ipv6 filter {chain} {n} {hit * packets} {hit * packets * rules.PACKET}"
             for chain, hit_list in (hits or HITS).items() for n, hit in enumerate(hit_list, 1)]
    lines += [f"ipv6 filter {chain} policy {hit * packets} {hit * packets * rules.PACKET}"
              for chain, hit in (policies or POLICIES).items()]
    return "\n".join(lines) + "\n"


def saving(packets):
    """As ip6tables-save -c prints them."""
    size = packets * rules.PACKET
    return "".join([f":{c} {'DROP' if c == 'INPUT' else 'ACCEPT'} [{h * packets}:{h * size}]\n"
                    for c, h in POLICIES.items()] + [":a - [0:0]\n:b - [0:0]\n"] +
                   [f"[{h * packets}:{h * size}] -A {c} -s ::1/128\n"
                    for c, hit_list in HITS.items() for h in hit_list])


class Expected(unittest.TestCase):
    def test_walk(self):
        r = ruleset()
        self.assertEqual({c: list(h) for c, h in r.hits.items()}, HITS)
        self.assertEqual(r.policies, POLICIES)
        self.assertEqual((r.number, r.executed), (10, 9))

    def test_a_verdict_ends_it(self):
        r = ruleset(TEXT.replace("-A b -s ::2/128 -j ACCEPT", "-A b -j ACCEPT"))
        self.assertEqual({c: list(h) for c, h in r.hits.items()},
                         {"INPUT": [0, 1, 0], "FORWARD": [], "OUTPUT": [1], "a": [1, 0, 0, 0],
                          "b": [1, 0]})
        self.assertEqual(r.policies["INPUT"], 0)

    def test_not_for_this(self):
        with self.assertRaises(rules.Unfit):
            ruleset(TEXT.replace("-A INPUT -d", "-A INPUT -i lo -d"))

    def test_right(self):
        for packets in (0, 1, 1040):
            for found in (rules.listed(listing(packets)), rules.saved(saving(packets))):
                self.assertEqual(ruleset().wrong(found, packets), 0)

    def test_each_wrong_counter_is_seen(self):
        lines = listing(7).splitlines()
        for i, line in enumerate(lines):
            words = line.split()
            for which in (4, 5):
                changed = list(words)
                changed[which] = str(int(words[which]) + 1)
                text = "\n".join(lines[:i] + [" ".join(changed)] + lines[i + 1:])
                self.assertEqual(ruleset().wrong(rules.listed(text), 7), 1, changed)
        self.assertEqual(ruleset().wrong(rules.listed(listing(7)), 8), 9)

    def test_missing_and_more(self):
        lines = listing(7).splitlines()
        # the others of a chain move up when one goes
        self.assertEqual(ruleset().wrong(rules.listed("\n".join(lines[:2] + lines[3:])), 7), 1)
        self.assertEqual(ruleset().wrong(rules.listed("\n".join(lines[:-1])), 7), 1)
        self.assertEqual(ruleset().wrong(rules.listed(""), 7), 13)
        more = lines + ["ipv6 filter c 1 0 0", "ipv6 filter OUTPUT 2 7 728"]
        self.assertEqual(ruleset().wrong(rules.listed("\n".join(more)), 7), 2)

    def test_a_driver_without_policies(self):
        text = "\n".join(t for t in saving(7).splitlines() if t[0] != ":")
        self.assertEqual(ruleset().wrong(rules.saved(text), 7), 3)
        self.assertEqual(ruleset().wrong(rules.saved(text), 7, policies=False), 0)


def a_round(times, **kw):
    return report.Round(array("Q", times), {"sent": len(times), "lost": 0, "replies": len(times)},
                        **kw)


class Figures(unittest.TestCase):
    def test_quantiles(self):
        self.assertEqual(a_round([5]).quantiles(), (5, 5, 5))
        self.assertEqual(a_round([4, 1]).quantiles(), (1, 2.5, 4))
        self.assertEqual(a_round(range(100, 0, -1)).quantiles(), (1, 50.5, 99))
        self.assertEqual(a_round(range(1, 501)).quantiles(), (1, 250.5, 495))
        self.assertIsNone(a_round([]).quantiles())

    def test_replies(self):
        r = report.parse_ping("sent 4 lost 1 replies 3 truncated 0 duplicate 2 late 0 foreign 0\n"
                              "17\n18\n")
        self.assertEqual(list(r.times), [17, 18])
        self.assertEqual(r.kinds["sent"], 4)
        self.assertEqual(report.others(r.kinds), "1 lost, 2 duplicate")
        self.assertEqual(report.others(a_round([1]).kinds), "-")

    def test_merge(self):
        m = report.merge([a_round([3, 1], ping=(1.0, 4.0), wrong=0),
                          a_round([2], ping=(2.0, 2.0), wrong=3)])
        self.assertEqual(m.quantiles(), (1, 2, 3))
        self.assertEqual((m.kinds["sent"], m.ping, m.wrong), (3, (1.0, 3.0), 3))
        self.assertIsNone(report.merge([a_round([1]), a_round([2])]).wrong)
        self.assertEqual([report.counters(w) for w in (None, 0, 3)], ["-", "exact", "3 WRONG"])

    def test_ratios(self):
        base = {"none": a_round([10, 20, 30]), "xt1": a_round([110, 220, 330])}
        f = report.Figures(a_round([60, 120, 180]), 50, base)
        self.assertEqual(f.per_rule(), (1.0, 2.0))
        self.assertEqual(f.against("xt1"), (60 / 110, 120 / 220))
        self.assertIsNone(f.against("nft"))
        self.assertIsNone(report.Figures(base["none"], 50, base).per_rule())

    def test_added(self):
        found = {("xt1", 0): ([10, 50, 30], 0), ("xt1", 1): ([17, 55, 36], 0)}
        self.assertEqual(report.added(found, "xt1", 1), (7, 6))
        self.assertIsNone(report.added(found, "xt1", 0))
        self.assertIsNone(report.added(found, "xt2", 1))
        self.assertEqual(report.tenth(range(100, 0, -1)), 11)

    def test_table(self):
        rounds = {"none": a_round([1000]), "xt1": a_round([3000], wrong=0, ping=(1.0, 2.0)),
                  "xt2": a_round([2000], wrong=4)}
        loads = dict.fromkeys(rounds, 0.5)
        lines = report.table("equal6 100 1000", 100, loads, rounds)
        self.assertEqual(len(lines), 4)
        self.assertEqual(lines[2].split(), "xt1 0.50 3.0 3.0 3.0 20.00 20.00 1.000 1.000 - - 1.0 "
                         "1.000 2.000 exact -".split())
        self.assertEqual(lines[3].split(), "xt2 0.50 2.0 2.0 2.0 10.00 10.00 0.667 0.667 - - 1.09 "
                         "- - 4 WRONG -".split())

    def test_csv(self):
        base = {"none": a_round([10]), "xt1": a_round([20, 30], wrong=0, ping=(1.0, 2.0))}
        rows = [report.row("equal6 1 1", name, "all", report.Figures(r, 10, base), 0.25)
                for name, r in base.items()]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "new", "x.csv")
            report.write_csv(path, "a machine, 2 CPUs", report.COLUMNS, rows)
            with open(path, encoding="utf-8") as f:
                self.assertEqual(f.readline(), '"# a machine, 2 CPUs"\n')
                none, xt1 = csv.DictReader(f)
        self.assertEqual(xt1["median ns"], str(int(statistics.median([20, 30]))))
        self.assertEqual((xt1["min ns a rule"], xt1["min / xt1"], xt1["wrong counters"]),
                         ("1.0", "1.0", "0"))
        self.assertEqual((none["min ns a rule"], none["wrong counters"], none["ping min ms"]),
                         ("", "", ""))

    def test_plot(self):
        text = report.gnuplot("a title", {"none": a_round(range(1000, 2001)),
                                          "xt2": a_round([5000])}, "/stem")
        self.assertIn("\n0.0 1.0\n", text)
        self.assertIn("\n50.0 1.5\n", text)
        self.assertIn("\n100.0 2.0\nEOD\n$d1 << EOD\n0.0 5.0\n", text)
        for suffix in ("png", "svg"):
            self.assertIn(f"set output '/stem.{suffix}'\nplot $d0 with steps lw 2 title 'none', "
                          "$d1 with steps lw 2 title 'xt2'", text)


unittest.main()
