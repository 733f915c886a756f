# SPDX-License-Identifier: GPL-2.0-or-later
"""What the counters of a benchmark's ruleset must be.

The ruleset is ip6tables-save text of one table whose rules have addresses and a
target, or are for other protocols than ping's.  A walk through the text, which knows nothing of any
driver, says how often one packet from ::1 to ::1 hits each rule.
"""
import re
import shlex
import socket
from array import array

PACKET = 104  # bytes of ping's: headers of IPv6 and of ICMPv6, 56 of payload
PING = int.from_bytes(socket.inet_pton(socket.AF_INET6, "::1"), "big")

RULE = re.compile(r"^\[(\d+):(\d+)\] -A (\S+)", re.M)
POLICY = re.compile(r"^:(\S+) (?:ACCEPT|DROP) \[(\d+):(\d+)\]", re.M)
LISTED = re.compile(r"^ipv6 filter (\S+) (\d+|policy) (\d+) (\d+)$", re.M)


def saved(text):
    """Counters as iptables-save -c prints them => (chain, is policy, packets, bytes) each"""
    for m in POLICY.finditer(text):
        yield m[1], True, int(m[2]), int(m[3])
    for m in RULE.finditer(text):
        yield m[3], False, int(m[1]), int(m[2])


def listed(text):
    """The same, as xt2 counters prints them."""
    for m in LISTED.finditer(text):
        yield m[1], m[2] == "policy", int(m[3]), int(m[4])


class Unfit(Exception):
    """A ruleset that is not for these benchmarks."""


class Rules:
    """hooks: the base chains that each packet meets."""

    def __init__(self, lines, hooks):
        self.chains, self.policies = {}, {}
        for line in lines:
            words = shlex.split(line)
            if line.startswith(":"):
                self.add_chain(words[0][1:], words[1])
            elif line.startswith("-A "):
                self.chains[words[1]].append(self.parse(words[2:]))
        self.number = sum(map(len, self.chains.values()))
        self.hits = {name: array("Q", bytes(8 * len(c))) for name, c in self.chains.items()}
        self.executed = 0  # by each packet
        for hook in hooks:
            self.walk(hook)

    def add_chain(self, name, policy):
        self.chains[name] = []
        if policy != "-":
            self.policies[name] = 0

    @staticmethod
    def parse(words):
        """=> does it match (None: who knows), and its target"""
        matches, target = True, None
        for option, word in zip(words[::2], words[1::2]):
            if option in ("-s", "-d"):
                matches = matches and holds(word)
            elif option == "-p":
                matches = matches and word == "ipv6-icmp"
            elif option == "-m" and word != "comment":
                matches = matches and None
            elif option in ("-m", "--comment", "--dport", "--mode", "--probability"):
                continue
            elif option == "-j":
                target = word
            else:
                raise Unfit(f"rules with {option} are not for this benchmark")
        return matches, target

    def walk(self, base):
        stack = [(base, 0)]
        while stack:
            name, at = stack.pop()
            chain, hits = self.chains[name], self.hits[name]
            while at < len(chain):
                matches, target = chain[at]
                if matches is None:
                    raise Unfit(f"rule {at + 1} of {name} is not for this benchmark")
                self.executed += 1
                hits[at] += matches
                at += 1
                if not matches or target is None:
                    continue
                if target in self.chains:
                    stack += [(name, at), (target, 0)]
                elif target != "RETURN":
                    return
                break
        self.policies[base] += 1

    def wrong(self, counters, packets, size=PACKET, policies=True):
        """Compare counters with those of so many packets of that size.

        => rules, and policies if the driver counts them, that are not as expected
        """
        seen = {name: 0 for name in self.chains}
        expected = len(self.policies) if policies else 0
        wrong = 0
        for chain, is_policy, *count in counters:
            if is_policy:
                expected -= 1
                hits = self.policies.get(chain, -1)
            else:
                at = seen.get(chain, self.number)
                seen[chain] = at + 1
                hits = self.hits[chain][at] if at < len(self.hits.get(chain, ())) else -1
            wrong += count != [hits * packets, hits * packets * size]
        missing = sum(max(0, len(c) - seen[name]) for name, c in self.chains.items())
        return wrong + missing + max(0, expected)


def holds(word):
    """Is ::1 in this address or prefix?"""
    address, _, prefix = word.partition("/")
    shift = 128 - int(prefix or 128)
    return int.from_bytes(socket.inet_pton(socket.AF_INET6, address), "big") >> shift == \
        PING >> shift
