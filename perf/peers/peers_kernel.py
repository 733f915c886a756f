# SPDX-License-Identifier: GPL-2.0-or-later
"""Rulesets of the kernel, in network namespaces of their own: iptables-legacy ("xt1") and nft."""
import os
import re
import subprocess
import time

import peers_rules
from peers_tools import Failure, Tool

RULE = re.compile(r"^\[(\d+):(\d+)\] -A (\S+)|^:(\S+) (?!-)\S+ \[(\d+):(\d+)\]", re.M)


def run(command, **kw):
    """=> what it printed"""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, **kw)
    except OSError as e:
        raise Failure(f"{command[0]}: {e.strerror}") from None
    if done.returncode:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise Failure(f"{' '.join(command)}: {said.splitlines()[0]}")
    return done.stdout


class Space:
    """A network namespace in which every packet finds a route; what is on in0 arrives at in1."""

    def __init__(self, name, version):
        self.name = f"xt2-peers-{os.getpid()}-{name}"
        run(["ip", "netns", "add", self.name])
        try:
            ip = ["ip", "-n", self.name]
            run([*ip, "link", "set", "lo", "up"])
            run([*ip, f"-{version}", "route", "add", "default", "dev", "lo"])
        except BaseException:
            self.close()
            raise

    def wire(self):
        """A wire of Ethernet whose far end forwards."""
        ip = ["ip", "-n", self.name]
        run([*ip, "link", "add", "in0", "type", "veth", "peer", "name", "in1"])
        run([*ip, "link", "set", "in1", "address", "02:00:00:00:00:01"])
        run([*ip, "link", "add", "out0", "type", "veth", "peer", "name", "out1"])
        for device in ("in0", "in1", "out0", "out1"):
            run([*ip, "link", "set", device, "up"])
        run([*ip, "route", "replace", "default", "dev", "out0"])
        self.inside(["sh", "-c", "cd /proc/sys/net/ipv4 && echo 1 >ip_forward && for i in conf/*; do "
                     "echo 0 >$i/rp_filter; done"])

    def inside(self, command, **kw):
        return run(["nsenter", f"--net=/run/netns/{self.name}", *command], **kw)

    def close(self):
        subprocess.run(["ip", "netns", "del", self.name], check=False)


class Kernel:
    """xt1, nft, and each without rules."""

    def __init__(self, rules, folder, program, capture, options):
        self.rules, self.spaces, self.tool, self.notes = rules, {}, None, []
        self.loads = {}
        self.program, self.capture = program, capture
        try:
            for name in ("xt1", "nft"):
                if name in options.peers:
                    self.start(name, folder, options)
            if self.spaces:
                self.tool = Tool("kernel", [program, str(options.budget), capture,
                                            *(s.name for s in self.spaces.values())])
        except BaseException:
            self.close()
            raise

    def start(self, name, folder, options):
        limit = options.nft_max if name == "nft" else options.xt1_max
        if self.rules.count > limit:
            self.notes.append(f"{name}: more than {limit} rules")
            return
        names = [f"{name}0", name]
        try:
            for which in names:
                space = self.spaces[which] = Space(which, self.rules.version)
                if self.rules.hook != "OUTPUT":
                    space.wire()
                path = os.path.join(folder, which)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(self.text(name, which != name))
                start = time.monotonic()
                self.load(name, space, path)
                self.loads[which] = time.monotonic() - start
                os.unlink(path)
        except Failure as e:
            self.notes.append(f"{name}: {e}")
            for which in names:
                if which in self.spaces:
                    self.spaces.pop(which).close()

    def text(self, name, empty):
        with open(self.rules.path, encoding="utf-8") as f:
            lines = [line for line in f
                     if not empty or not line.startswith("-A ") and (line[0] != ":" or " - " not in line)]
        if name == "nft":
            return "\n".join(peers_rules.nft(lines, self.rules.version)) + "\n"
        return "".join(lines)

    def load(self, name, space, path):
        if name == "nft":
            space.inside(["nft", "-f", path])
            return
        restore = "iptables-legacy-restore" if self.rules.version == 4 else "ip6tables-legacy-restore"
        space.inside([restore, path])

    def results(self):
        """=> {way: net ns}, {way: median}; t(N) - t(0)"""
        best, medians = {}, {}
        if not self.tool:
            return best, medians
        for way in ("xt1", "nft"):
            if way not in self.spaces:
                continue
            mine, empty = self.spaces[way].name, self.spaces[way + "0"].name
            if mine in self.tool.best:
                best[way] = self.tool.best[mine] - self.tool.best[empty]
                medians[way] = median(self.tool.medians[mine]) - median(self.tool.medians[empty])
        return best, medians

    def counters(self):
        """=> {(chain, number of a rule or "policy"): (packets, bytes)} of xt1, and packets sent"""
        save = "iptables-legacy-save" if self.rules.version == 4 else "ip6tables-legacy-save"
        space = self.spaces["xt1"]
        return saved(space.inside([save, "-c", "-t", "filter"])), self.tool.packets[space.name]

    def close(self):
        code = self.tool.close() if self.tool else 0
        for space in self.spaces.values():
            space.close()
        self.spaces = {}
        return code


def median(list_):
    return sorted(list_)[len(list_) // 2]


def saved(text):
    """=> counters as iptables-save -c prints them"""
    out, numbers = {}, {}
    for packets, size, chain, base, policy_packets, policy_size in RULE.findall(text):
        if base:
            out[base, "policy"] = int(policy_packets), int(policy_size)
            continue
        numbers[chain] = numbers.get(chain, 0) + 1
        out[chain, str(numbers[chain])] = int(packets), int(size)
    return out


def listed(lines):
    """=> the same as index-cost writes them"""
    return {(chain, number): (int(packets), int(size))
            for chain, number, packets, size in (line.split() for line in lines)}
