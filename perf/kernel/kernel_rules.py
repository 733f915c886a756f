# SPDX-License-Identifier: GPL-2.0-or-later
"""The rulesets of xt2-kernel, written into a folder, and which packets they get.

The table of "Xtables2: Love for blobs" (Netfilter Workshop 2010) is 100 chains of 1,000 rules; its counters were
quotas, one or two a rule, for want of better ones in a packed rule.  Here as well, beside those that a rule has.
"""
import os
import subprocess

GENERATE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "gen", "xt2-gen")
QUOTA = " -m quota --quota 9223372036854775807"
TRACE = 256     # packets: a window of trace-cost, so that each window has them all


def talk(match, quotas, chains=100, rules=1000):
    """Rules that each have -s and -d: all hold for ::1, or none does."""
    out = ["*filter", ":INPUT ACCEPT [0:0]", ":FORWARD ACCEPT [0:0]", ":OUTPUT DROP [0:0]"]
    out += [f":c{i} - [0:0]" for i in range(chains)]
    out += [f"-A OUTPUT -j c{i}" for i in range(chains)]
    for i in range(chains):
        for n in range(i * rules, (i + 1) * rules):
            source = "::1" if match else f"2001:db8::{n >> 16:x}:{n & 0xffff:x}"
            out.append(f"-A c{i} -s {source}/128 -d ::1/128{QUOTA * quotas}")
    return "\n".join([*out, "COMMIT", ""])


# name: how to make it, arguments of xt2-gen or of talk(); the packets; more of a job
SETS = {f"talk {kind}{', ' + str(q) + ' quotas' if q else ''}": ((kind == "all", q), "::1", {"counts": kind == "all"})
        for kind in ("all", "none") for q in (0, 1, 2)}
SETS |= {
    "distinct6 100000": ("distinct6 100000", "::1", {"counts": False}),
    "acl4 100000": ("acl4 100000", "uniform", {}),
    "kube 10000": ("kube 10000", "uniform", {"random": True}),
    "kube 10000, miss": ("kube 10000", "miss", {}),
}


def generate(folder, name):
    """=> the job that the set of this name is, but for its kind"""
    how, packets, more = SETS[name]
    stem = os.path.join(folder, name.replace(",", "").replace(" ", "-"))
    if not os.path.exists(stem):
        with open(stem + ".new", "w", encoding="ascii") as f:
            if isinstance(how, tuple):
                f.write(talk(*how))
            else:
                subprocess.run([GENERATE, *how.split()], stdout=f, check=True)
        os.rename(stem + ".new", stem)
    job = {"name": name, "rules": stem, "family": 6 if packets == "::1" else 4, "policy": "DROP"} | more
    if packets == "::1":
        return job | {"addresses": ["::1", "::1"]}
    capture = stem + ".pcap"
    subprocess.run([GENERATE, "--packets", str(TRACE), "trace", packets, stem, capture], check=True)
    return job | {"capture": capture}
