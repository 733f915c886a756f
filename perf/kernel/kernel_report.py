# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of xt2-kernel: what is set against what, the limits, a table, a CSV.

What a packet takes is less what it takes in a namespace whose table is empty; of restores and appends it is all of
a process.  Memory is what VmallocUsed, Percpu and SUnreclaim of /proc/meminfo have grown by; what MemFree has lost,
which other things change as well, stands beside it in the CSV.
"""
import datetime
import os
import platform

import rtt_report

COLUMNS = ("what", "ruleset", "machine", "unit", "xt1", "xt2", "ratio", "limit", "holds", "xt1 empty", "xt2 empty",
           "xt1 MemFree", "xt2 MemFree")
MEMORY_LIMITS = {("2", "xt2"): 0.5, ("2", "xt2 indexed"): 0.7, ("64", "xt2"): 0.25, ("64", "xt2 indexed"): 0.25}
WAYS = {"xt2": "rule by rule", "xt2 indexed": "with index"}
UNITS = {"uml": "ns", "count": "instructions"}


def line(figure):
    """A figure as it comes."""
    parts = [f"{k} {round(v) if isinstance(v, float) else v}" for k, v in figure.items() if k != "job"]
    return f"{figure['job']}: {', '.join(parts)}"


def memory(figure):
    return sum(figure["KiB"][n] for n in ("VmallocUsed", "Percpu", "SUnreclaim"))


class Row:
    def __init__(self, what, ruleset, machine, unit, xt1, xt2, limit=None, **more):
        self.what, self.ruleset, self.machine, self.unit = what, ruleset, machine, unit
        self.xt1, self.xt2, self.limit, self.more = xt1, xt2, limit, more
        self.ratio = xt2 / xt1

    def holds(self):
        return "" if self.limit is None else "yes" if self.ratio <= self.limit else "NO"

    def cells(self):
        return (self.what, self.ruleset, self.machine, self.unit, round(self.xt1), round(self.xt2), f"{self.ratio:.4f}",
                "" if self.limit is None else self.limit, self.holds(),
                *(round(self.more[k]) if k in self.more else "" for k in ("empty1", "empty2", "free1", "free2")))


def limit_of(ruleset, space):
    if space == "xt2 indexed":
        return 0.05 if ruleset in ("talk all", "talk none", "distinct6 100000") else None
    return {"talk all": 0.4, "talk none": 0.6}.get(ruleset)


def packets(best):
    """best: {(job, machine, space): least}"""
    for (job, machine, space), value in best.items():
        if space not in WAYS or (job, machine, "xt1 empty") not in best or (job, machine, "xt1") not in best:
            continue
        empty = [best[job, machine, f"{t} empty"] for t in ("xt1", "xt2")]
        yield Row(f"packet, {WAYS[space]}", job, machine, UNITS[machine], best[job, machine, "xt1"] - empty[0],
                  value - empty[1], limit_of(job, space), empty1=empty[0], empty2=empty[1])


def quotas(best):
    """Two quotas a rule against none, of each kind of tables: the columns xt1 and xt2 are none and two."""
    for machine in UNITS:
        for kind in ("all", "none"):
            for tables, limit in (("xt1", None), ("xt2", 1.3)):
                found = [best.get((f"talk {kind}{q}", machine, space)) for q in ("", ", 2 quotas")
                         for space in (tables, f"{tables} empty")]
                if None not in found:
                    yield Row(f"two quotas to none, {tables}", f"talk {kind}", machine, UNITS[machine],
                              found[0] - found[1], found[2] - found[3], limit)


def kilobytes(figures):
    own = {(f["job"], f["machine"], f["space"]): f for f in figures if "KiB" in f}
    for (job, machine, space), f in own.items():
        xt1 = own.get((job, machine, "xt1"))
        if space in WAYS and xt1:
            yield Row(f"memory, {WAYS[space]}", job, machine, "KiB", memory(xt1), memory(f),
                      MEMORY_LIMITS.get((machine, space)), free1=xt1["KiB"]["MemFree"], free2=f["KiB"]["MemFree"])


def tools(best):
    for (job, machine, space), value in best.items():
        if space == "xt2" and (job, machine, "xt1") in best and (job, machine, "xt1 empty") not in best:
            appends = job.endswith(", appends")
            yield Row("append" if appends else "restore", job.removesuffix(", appends"), machine, UNITS[machine],
                      best[job, machine, "xt1"], value, 1.2 if appends else 1.15)


def rows(figures):
    """=> [Row]; restores and appends have names of their own, as they are of the same rulesets as packets"""
    best = {"packets": {}, "tool": {}}
    for f in figures:
        if "ns" in f:
            found, key = best["tool" if f.get("tool") else "packets"], (f["job"], f["machine"], f["space"])
            found[key] = min(f["ns"], found.get(key, float("inf")))
    return [*packets(best["packets"]), *quotas(best["packets"]), *kilobytes(figures), *tools(best["tool"])]


def table(list_):
    head = ("what", "ruleset", "machine", "unit", "xt1", "xt2", "ratio", "limit", "holds")
    widths = (27, 22, 8, 13, 12, 12, 9, 7, 6)
    out = ["", "".join(f"{w:<{n}}" if i < 4 else f"{w:>{n}}" for i, (w, n) in enumerate(zip(head, widths)))]
    for row in list_:
        words = map(str, row.cells()[:9])
        out.append("".join(f"{w:<{n}}" if i < 4 else f"{w:>{n}}" for i, (w, n) in enumerate(zip(words, widths))))
    return out


def processor():
    with open("/proc/cpuinfo", encoding="ascii") as f:
        return next((text.split(":")[1].strip() for text in f if text.startswith("model name")), platform.machine())


def write(folder, list_, figures):
    kernels = sorted({f["kernel"] for f in figures if "kernel" in f})
    today = datetime.date.today()
    comment = (f"{today}, {processor()}, {os.cpu_count()} CPUs, Linux {platform.release()}; in it, alternating: "
               f"{', '.join(kernels)}; load average at the end {os.getloadavg()[0]:.1f}")
    rtt_report.write_csv(os.path.join(folder, f"{today}-kernel.csv"), comment, COLUMNS, [r.cells() for r in list_])
