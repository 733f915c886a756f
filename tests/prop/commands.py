#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random command lines, to xt2tables and to iptables-legacy: the same answers, and the same rules.

Each sequence starts without rules, or with long chains, which are changed in another way than
short ones; lines of it make chains, rules and mistakes, in any order.  After some of them all
rules are listed.  What is compared, and how, tests/e2e/tables.py says.

usage: commands.py [--programs DIR] [--seconds N] [--seed N]
"""

import argparse
import importlib.util
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LINES = 40

spec = importlib.util.spec_from_file_location("tables", HERE + "/../e2e/tables.py")
tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tables)

TABLES = {
    "filter": ["INPUT", "FORWARD", "OUTPUT"],
    "mangle": ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
    "raw": ["PREROUTING", "OUTPUT"],
    "nat": ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"],
}
ADDRESSES = {
    "iptables": ["10.0.0.1", "10.0.0.0/8", "192.0.2.7/32", "0.0.0.0/0", "198.51.100.0/255.255.255.0",
                 "10.1.2.3/255.0.255.0", "10.0.0.1,10.0.0.2", "192.0.2.0/33", "192.0.2", "nosuch..name"],
    "ip6tables": ["2001:db8::1", "2001:db8::/32", "::/0", "fe80::1/64", "::1,::2", "2001:db8::/129",
                  "::ffff:192.0.2.1", "2001:db8::/ffff::ff"],
}
MATCHES = [
    "-p tcp", "-p udp", "! -p tcp", "-p 47", "-p all", "-p tcp --dport 22", "-p udp --sport 53:100",
    "-p tcp -m tcp --tcp-flags SYN,ACK SYN", "-p tcp ! --dport 80 --syn", "-p tcp -m multiport --dports 1,2,3:5",
    "-i eth0", "-i eth+", "! -i eth0", "-o eth1", "! -o eth+", "-m comment --comment abc",
    "-m comment --comment 'a b \"c\"'", "-m state --state NEW,RELATED", "-m conntrack ! --ctstate INVALID",
    "-m limit --limit 3/min", "-m mark --mark 0x10/0xff", "-m mark ! --mark 1", "-m length --length 10:20",
    "-m pkttype --pkt-type broadcast", "-m statistic --mode nth --every 3 --packet 1",
    "-m mac --mac-source 02:00:00:00:00:01", "-m addrtype --dst-type LOCAL", "-m nosuch", "--dport 1", "-f",
    "-m time --timestart 10:00", "-m u32 --u32 0=1", "-m string --string xyz --algo kmp", "-m ttl --ttl-eq 5",
    "-m hl --hl-gt 3", "-p icmp --icmp-type 8", "-p ipv6-icmp --icmpv6-type 128", "-m owner --uid-owner 0",
]
TARGETS = ["-j ACCEPT", "-j DROP", "-j RETURN", "-j LOG", "-j LOG --log-prefix 'a b '", "-j REJECT",
           "-j MARK --set-mark 5", "-j MARK --set-xmark 0x1/0x3", "-j NFLOG --nflog-group 3", "-j QUEUE",
           "-j NFQUEUE --queue-num 4", "-j TOS --set-tos 0x10", "-j CONNMARK --save-mark", "-j MASQUERADE",
           "-j DNAT --to-destination 10.0.0.9:80", "-j SNAT --to-source 10.0.0.8", "-j TRACE", "-j nosuch",
           "-j CT --notrack", "-j CLASSIFY --set-class 1:2", "-j ACCEPT -j DROP", "", "-g nosuch"]
REFUSED = r"-[jg] (REJECT|MARK|TOS|CONNMARK|MASQUERADE|DNAT|SNAT|TRACE|CT|CLASSIFY|[A-Z]+ROUTING|INPUT|" \
          r"OUTPUT|FORWARD)|-m (owner|physdev|mac|hl|ttl|state|conntrack)|-p all"
LISTS = ["-S", "-v -S", "-L", "-n -L", "-n -v -L", "-n -v -x --line-numbers -L"]


class Lines:
    """What to ask for; it remembers some rules, so that they are found again."""

    def __init__(self, rand, tool):
        self.rand, self.tool, self.rules = rand, tool, []
        self.table = rand.choice(["filter", "filter", "mangle", "nat", "raw"])
        self.base = TABLES[self.table]
        self.chains = ["c%d" % i for i in range(4)]
        self.most = 9
        self.text = self.start() if rand.random() < 0.5 else ""

    def start(self):
        """=> a ruleset to be restored: two chains of up to 300 rules"""
        lines = ["*" + self.table, ":c0 - [0:0]"]
        address = "10.9.%d.%d/32" if self.tool == "iptables" else "2001:db8::%x:%x/128"
        for chain in "c0", self.base[-1]:
            rules = self.rand.randrange(300)
            self.most = max(self.most, rules)
            for i in range(rules):
                rule = "-s " + address % (i // 7 % 4, i % 7 * 9)
                if i % 5 == 4:
                    rule += " -p tcp -m tcp --dport %d" % (i % 11)
                rule += self.rand.choice([" -j ACCEPT", " -j RETURN", "", " -j c0" if chain != "c0" else ""])
                lines.append("[%d:%d] -A %s %s" % (i, 100 * i, chain, rule))
                self.rules.append(rule)
        return "\n".join(lines + ["COMMIT", ""])

    def chain(self):
        pick = self.rand.random()
        if pick < 0.5:
            return self.rand.choice(self.base)
        return self.rand.choice(self.chains) if pick < 0.97 else "nosuch"

    def rule(self):
        if self.rules and self.rand.random() < 0.3:
            return self.rand.choice(self.rules)
        words = []
        for option in "-s", "-d":
            if self.rand.random() < 0.25:
                words.append(self.rand.choice(["", "", "! "]) + option + " " +
                             self.rand.choice(ADDRESSES[self.tool]))
        words += self.rand.sample(MATCHES, self.rand.choice([0, 0, 1, 1, 2]))
        target = self.rand.choice(TARGETS)
        if self.rand.random() < 0.25:
            target = self.rand.choice(["-j ", "-j ", "-g "]) + self.chain()
        words.append(target)
        if self.rand.random() < 0.1:
            words.append("-c %d %d" % (self.rand.choice([0, 7, 99999, 100000, 12345678]),
                                       self.rand.choice([5, 1 << 40, 999999999])))
        self.rules.append(" ".join(words))
        return self.rules[-1]

    def number(self):
        return self.rand.choice(["1", "1", "2", "3", "9", "0", "x", str(self.rand.randint(1, self.most))])

    def line(self):
        rand = self.rand
        kind = rand.choices("AINDdCREXFZzPLS", [9, 4, 5, 3, 2, 1, 2, 1, 1, 0.5, 0.5, 0.5, 1, 1, 1])[0]
        text = {
            "A": lambda: "-A %s %s" % (self.chain(), self.rule()),
            "I": lambda: "-I %s %s %s" % (self.chain(), rand.choice(["", "1", "2", self.number()]), self.rule()),
            "N": lambda: "-N " + rand.choice(self.chains),
            "D": lambda: "-D %s %s" % (self.chain(), self.rule()),
            "d": lambda: "-D %s %s" % (self.chain(), self.number()),
            "C": lambda: "-C %s %s" % (self.chain(), self.rule()),
            "R": lambda: "-R %s %s %s" % (self.chain(), self.number(), self.rule()),
            "E": lambda: "-E %s %s" % (self.chain(), rand.choice(self.chains + ["new"])),
            "X": lambda: "-X " + rand.choice(["", self.chain(), self.chain()]),
            "F": lambda: "-F " + rand.choice(["", self.chain(), self.chain()]),
            "Z": lambda: "-Z " + rand.choice(["", self.chain()]),
            "z": lambda: "-Z %s %s" % (self.chain(), self.number()),
            "P": lambda: "-P %s %s" % (self.chain(), rand.choice(["ACCEPT", "DROP", "RETURN", "x"])),
            "L": lambda: "%s -L %s" % (rand.choice(["", "-n", "-v -n"]), self.chain()),
            "S": lambda: "%s -S %s %s" % (rand.choice(["", "-v"]), self.chain(), rand.choice(["", self.number()])),
        }[kind]()
        # Of a rule that is refused, -v prints nothing: DIFFERENCES of xt2tables(8)
        if rand.random() < 0.1 and "-v" not in text and not re.search(REFUSED, text):
            text = "-v " + text
        return shlex.split("-t %s %s" % (self.table, text))

    def all(self):
        lines = []
        for number in range(LINES):
            lines.append(self.line())
            if number % 8 == 7:
                lines.append(["-t", self.table] + shlex.split(self.rand.choice(LISTS)))
        return lines


def sequence(seed, programs):
    """=> is anything wrong?"""
    rand = random.Random(seed)
    tool = rand.choice(["iptables", "iptables", "ip6tables"])
    made = Lines(rand, tool)
    lines = [(0, words, None) for words in made.all()]
    theirs = tables.legacy(tool + "-legacy", lines, made.text)
    with tempfile.TemporaryDirectory() as folder:
        for link in tool, tool + "-restore":
            os.symlink(programs + "/xt2tables-restore", folder + "/" + link)
        ours = tables.answers_of(folder + "/" + tool, lines, made.text,
                                 dict(os.environ, XT2_IMAGE=folder + "/image"))
    for at, ((_, words, _), mine, other) in enumerate(zip(lines, ours, theirs)):
        if tables.same(mine, other):
            continue
        print("FAIL: line %d: %s %s" % (at + 1, tool, " ".join(map(shlex.quote, words))))
        tables.show(mine, other)
        for _, before, _ in lines[:at]:
            print("  after: " + " ".join(map(shlex.quote, before)))
        return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=os.environ.get("top_builddir", "."))
    parser.add_argument("--seconds", type=float, default=3 if os.environ.get("XT2_SHORT") else 20)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    os.environ["LC_ALL"] = "C"
    if os.getuid() != 0 or subprocess.run(["unshare", "-n", "true"]).returncode:
        tables.skip("iptables-legacy needs root and network namespaces")
    if not shutil.which("ip6tables-legacy"):
        tables.skip("no ip6tables-legacy")
    first = args.seed if args.seed is not None else int(os.environ.get("XT2_SEED", time.time()))
    end = time.monotonic() + args.seconds
    seed = first
    while True:
        if sequence(seed, os.path.abspath(args.programs)):
            print("again: tests/prop/commands.py --seed %d --seconds 0" % seed)
            sys.exit(1)
        seed += 1
        if time.monotonic() > end:
            break
    print("%d sequences of %d commands, from seed %d" % (seed - first, LINES, first))


main()
