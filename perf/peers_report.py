# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables, files and pictures of xt2-vs-peers."""
import csv
import os
import statistics

# Ways to evaluate, in the order of the table: those of the peers, those of xt2.
PEERS = ("xt1", "nft", "acl", "acl256")
OURS = ("parse", "linear", "indexed", "batch")
WAYS = PEERS + OURS


def row(rules, trace, tools):
    """=> a dict: a line of the table"""
    out = {"ruleset": rules.spec, "rules": rules.count, "trace": trace, "load s": rules.loaded}
    for tool in tools:
        out.update({f"{tool.name} {k}": v for k, v in tool.facts.items()})
        for mode, best in tool.best.items():
            out[mode] = best
            out[f"{mode} median"] = statistics.median(tool.medians[mode])
    if "xt2 bytes" in out:
        out["xt2 bytes/rule"] = out["xt2 bytes"] / max(1, rules.count)
    return out


def figure(value):
    if value is None:
        return "-"
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def head():
    return f"{'ruleset':30s}{'trace':>8s}{'hits':>6s}" + "".join(f"{w:>9s}" for w in WAYS) + \
        f"{'B/rule':>8s}{'load s':>7s}"


def line(found):
    return f"{found['ruleset']:30s}{found['trace']:>8s}{found.get('xt2 hits', 0):6.1f}" + \
        "".join(f"{figure(found.get(w)):>9s}" for w in WAYS) + \
        f"{found.get('xt2 bytes/rule', 0):8.1f}{found['load s']:7.2f}"


def write_csv(path, rows):
    names = list(dict.fromkeys(k for r in rows for k in r))
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, names)
        out.writeheader()
        out.writerows(rows)
    print(f"written: {os.path.relpath(path)}")
