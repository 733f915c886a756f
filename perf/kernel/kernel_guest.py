#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What xt2-kernel has measured in a virtual machine: the jobs of a file, a line of JSON for each figure.

    kernel_guest.py JOBS BUILD MODULE

Packets: both kinds of tables are in one kernel, in network namespaces beside each other, and take turns: the
kernel's own, the module's before its index is built, and with it.  A packet goes out through a raw socket and
runs through OUTPUT, which drops it.  Each packet must be counted alike, by every rule.

Memory: of the same namespaces, one made after the other.  Restores and appends: iptables' own programs, so
these tables are the kernel's or the module's for the whole machine.
"""
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time

NEVER, SECONDS = 10**9, 120     # milliseconds until an index; to wait for one
MEMORY_DELAY = 45000            # the same of a table that packets shall meet before
SPACES = ("xt1 empty", "xt2 empty", "xt1", "xt2", "xt2 indexed")
COUNTERS = re.compile(r"^\[(\d+:\d+)\] -A (\S+)|^ipv[46] filter (\S+) \d+ (\d+) (\d+)$", re.M)
MEMORY = ("VmallocUsed", "Percpu", "SUnreclaim", "MemFree")


class Failure(Exception):
    """What was to be measured is not what it should be."""


def run(*command, **kw):
    """=> what it printed"""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **kw)
    if done.returncode:
        raise Failure(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
    return done.stdout


def say(**figure):
    print("=", json.dumps(figure), flush=True)


def write(path, value):
    with open(path, "w", encoding="ascii") as f:
        f.write(str(value))


def delay(milliseconds):
    write("/sys/module/xt2/parameters/index_delay", milliseconds)


class Space:
    """A network namespace with a ruleset."""

    def __init__(self, number, name, job, build):
        self.id, self.name, self.build = f"s{number}", name, build
        self.tables, self.family = name.split()[0], job["family"]
        run("ip", "netns", "add", self.id)
        self.run("ip", "link", "set", "lo", "up")
        path = job["rules"]
        if name.endswith("empty"):
            path = f"/run/tmp/{self.id}"
            write(path, f"*filter\n:INPUT ACCEPT\n:FORWARD ACCEPT\n:OUTPUT {job['policy']}\nCOMMIT\n")
        delay(0 if name == "xt2 indexed" else job.get("delay", NEVER))
        self.load(path)
        if name == "xt2 indexed":
            self.wait()

    def run(self, *command, **kw):
        return run("nsenter", f"--net=/run/netns/{self.id}", *command, **kw)

    def load(self, path):
        if self.tables == "xt2":
            self.run(f"{self.build}/xt2", "apply", "--host", "kernel", f"-{self.family}", path)
            return
        with open(path, encoding="utf-8") as f:
            self.run("iptables-legacy-restore" if self.family == 4 else "ip6tables-legacy-restore", stdin=f)

    def about(self):
        """=> the table's line in /proc/net/xt2"""
        prefix = "ip6 filter" if self.family == 6 else "ip filter"
        for line in self.run("cat", "/proc/net/xt2").splitlines():
            if line.startswith(prefix):
                return line
        raise Failure(f"{self.name}: no table")

    def wait(self):
        """Until the index is there."""
        for _ in range(SECONDS * 10):
            if " indexed 1" in self.about():
                return
            time.sleep(0.1)
        raise Failure("no index")

    def counters(self):
        """=> [(chain, packets:bytes)] of rules"""
        if self.tables == "xt2":
            text = self.run(f"{self.build}/xt2", "counters", "--host", "kernel", "--table", "filter")
        else:
            save = "iptables-legacy-save" if self.family == 4 else "ip6tables-legacy-save"
            text = self.run(save, "-c", "-t", "filter")
        return sorted((m[2] or m[3], m[1] or f"{m[4]}:{m[5]}") for m in COUNTERS.finditer(text))

    def close(self):
        run("ip", "netns", "del", self.id)


class Guest:
    def __init__(self, build):
        self.build, self.number = build, 0

    def space(self, name, job):
        self.number += 1
        return Space(self.number, name, job, self.build)

    # --- packets ------------------------------------------------------------------------

    def packets(self, job):
        spaces = []
        try:
            for name in job.get("spaces", SPACES):
                spaces.append(self.space(name, job))
            for s in spaces:
                if s.tables == "xt2":
                    say(job=job["name"], space=s.name, about=s.about())
            lines = self.traced(job, spaces) if "capture" in job else self.sent(job, spaces)
            for s, times in zip(spaces, zip(*lines)):
                say(job=job["name"], space=s.name, ns=min(times), median=sorted(times)[len(times) // 2])
            self.compare(job, spaces)
        finally:
            for s in spaces:
                s.close()

    def sent(self, job, spaces):
        """=> for each window what a packet took in each namespace"""
        out = run(f"{self.build}/perf/cost/pass-cost", f"-{job['family']}", *job["addresses"], str(job["windows"]),
                  str(job["packets"]), *(s.id for s in spaces))
        return [list(map(float, line.split())) for line in out.splitlines()]

    def traced(self, job, spaces):
        """The same with the packets of a capture, which is as long as a window."""
        out = run(f"{self.build}/perf/cost/trace-cost", "1", job["capture"], *(s.id for s in spaces),
                  input="\n" * job["windows"])
        best = [float(line.split()[1]) for line in out.splitlines() if line]
        return [best[i:i + len(spaces)] for i in range(0, len(best), len(spaces))]

    @staticmethod
    def compare(job, spaces):
        """The packets that each namespace got were the same, unless a rule draws at random."""
        full = [s for s in spaces if not s.name.endswith("empty")]
        counters = {s.name: s.counters() for s in full}
        first = counters[full[0].name]
        if not first or sum(int(c.split(":")[0]) for _, c in first) == 0 and job.get("counts", True):
            raise Failure(f"{job['name']}: nothing was counted")
        for name, have in counters.items():
            if len(have) != len(first) or not job.get("random") and have != first:
                wrong = sum(a != b for a, b in zip(have, first))
                raise Failure(f"{job['name']}: {name} counts otherwise than {full[0].name}: {wrong} of {len(first)}")
        say(job=job["name"], rules=len(first))

    # --- memory -------------------------------------------------------------------------

    def memory(self, job):
        """One namespace after the other; before, what is loaded or cached once."""
        for name in ("xt1 empty", "xt2 empty", "xt1", "xt2"):
            self.space(name, job).close()
        for name in ("xt1", "xt2"):
            before = used()
            space = self.space(name, job | {"delay": MEMORY_DELAY})
            try:
                if not job["counts"]:
                    grown(job["name"], name, before)
                else:
                    self.count(job, space)
                    grown(job["name"], name, before)
                if name == "xt2":
                    space.wait()
                    say(job=job["name"], space="xt2 indexed", about=space.about())
                    grown(job["name"], "xt2 indexed", before)
            finally:
                space.close()

    def count(self, job, space):
        """Every rule counts on two processors."""
        for cpu in ("0", "1"):
            run("taskset", "-c", cpu, f"{self.build}/perf/cost/pass-cost", f"-{job['family']}", *job["addresses"],
                "1", "1", space.id)
        if space.tables == "xt2" and " indexed 1" in space.about():
            raise Failure("the index came before the packets")

    # --- restores and appends -------------------------------------------------------------

    def tool(self, job):
        """iptables' own programs, and what is in their tables."""
        six = "6" if job["family"] == 6 else ""
        path = shutil.copy(job["rules"], "/run/tmp/rules")
        rules = 0
        for number in range(job["rounds"]):
            run("ip", "netns", "add", f"t{number}")
            inside = ("nsenter", f"--net=/run/netns/t{number}")
            with open(path, encoding="utf-8") as f:
                took = timed(*inside, f"ip{six}tables-legacy-restore", stdin=f)
            say(job=job["name"], space=job["tables"], tool=1, ns=took * 1e9)
            if job["appends"]:
                took = [timed(*inside, f"ip{six}tables-legacy", "-A", "OUTPUT", "-s", f"2001:db8:1::{i:x}")
                        for i in range(job["appends"])]
                say(job=job["name"] + ", appends", space=job["tables"], tool=1, ns=sum(took) / len(took) * 1e9,
                    least=min(took) * 1e9)
            rules = run(*inside, f"ip{six}tables-legacy-save", "-t", "filter").count("\n-A ")
            run("ip", "netns", "del", f"t{number}")
        say(job=job["name"], rules=rules)


def used():
    """=> KiB, when all has gone that waits to be freed"""
    for _ in range(4):
        os.sync()
        write("/proc/sys/vm/drop_caches", 3)
        time.sleep(0.5)
    with open("/proc/meminfo", encoding="ascii") as f:
        found = dict(line.split()[:2] for line in f)
    return {name: int(found[name + ":"]) for name in MEMORY}


def grown(job, space, before):
    """What the kernel has come to use since."""
    now = used()
    parts = {name: now[name] - before[name] for name in MEMORY}
    parts["MemFree"] *= -1
    say(job=job, space=space, KiB=parts)


def timed(*command, **kw):
    """=> seconds"""
    start = time.clock_gettime(time.CLOCK_MONOTONIC_RAW)
    run(*command, **kw)
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW) - start


def load(module, tables, jobs):
    """The kernel's tables, the module's in their place, or both."""
    run("modprobe", "-a", "x_tables", "nf_conntrack", "nf_nat", "nfnetlink")
    if tables != "xt2":
        run("modprobe", "-a", "ip6table_filter", "iptable_filter")
    before = used() if any(job["kind"] == "memory" for job in jobs) else None
    if tables != "xt1":
        run("insmod", module, *(["sockopts=N"] if tables == "both" else []))
        delay(1000 if tables == "xt2" else NEVER)
    if before:
        grown("the module", "xt2", before)
    if tables == "xt2" and re.search(r"^ip6?_tables", run("cat", "/proc/modules"), re.M):
        raise Failure("the kernel's own tables are loaded")


def main(path, build, module):
    with open(path, encoding="utf-8") as f:
        order = json.load(f)
    load(module, order["tables"], order["jobs"])
    say(job="this machine", kernel=platform.release(), processors=os.cpu_count())
    guest = Guest(build)
    failed = 0
    for job in order["jobs"]:
        try:
            {"packets": guest.packets, "memory": guest.memory, "tool": guest.tool}[job["kind"]](job)
        except (Failure, OSError) as e:
            failed = 1
            say(job=job["name"], failed=str(e))
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
