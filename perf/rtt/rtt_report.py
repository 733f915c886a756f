# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of round-trip times: statistics, a table, CSV, a plot."""
import csv
import os
import shutil
import statistics
import subprocess
from array import array
from dataclasses import dataclass, field

# What the talk measured with 100 chains of 1,000 rules, against xt1: "Xtables2: Love for blobs",
# Netfilter Workshop 2010.
TALK = {"equal6 100 1000": {"xt1": 1.0, "xt2": 1.09, "nft": 1.43}}

KINDS = ("sent", "lost", "truncated", "duplicate", "late", "foreign", "backwards")


@dataclass
class Round:
    """What one round of a driver found, or all of them together."""
    times: array = field(default_factory=lambda: array("Q"))  # ns
    kinds: dict = field(default_factory=dict)  # how many packets were what
    ping: tuple = None  # the real ping's least and average ms
    wrong: int = None  # counters; None: the driver has none

    def quantiles(self):
        """=> least, median, p99 in ns; None without a reply"""
        if not self.times:
            return None
        ordered = sorted(self.times)
        return ordered[0], statistics.median(ordered), ordered[-(-99 * len(ordered) // 100) - 1]


def merge(rounds):
    out = Round()
    for r in rounds:
        out.times += r.times
        for kind, n in r.kinds.items():
            out.kinds[kind] = out.kinds.get(kind, 0) + n
    pings = [r.ping for r in rounds if r.ping]
    if pings:
        out.ping = min(p[0] for p in pings), statistics.mean(p[1] for p in pings)
    wrongs = [r.wrong for r in rounds if r.wrong is not None]
    out.wrong = sum(wrongs) if wrongs else None
    return out


def parse_ping(text):
    """What rtt-ping prints => Round"""
    head, *lines = text.splitlines()
    words = head.split()
    return Round(array("Q", map(int, lines)), dict(zip(words[::2], map(int, words[1::2]))))


class Figures:
    """Of one driver: a Round beside those of the drivers none, xt1 and nft."""

    def __init__(self, a_round, executed, base=None):
        """executed: rules in a round trip; base: {driver: Round}"""
        self.round, self.executed, self.base = a_round, executed, base or {}
        self.least, self.median, self.p99 = a_round.quantiles()

    def per_rule(self):
        """=> ns, best and median; None"""
        if "none" not in self.base or self.base["none"] is self.round or not self.executed:
            return None
        zero = self.base["none"].quantiles()
        return tuple((a - b) / self.executed for a, b in zip((self.least, self.median), zero))

    def against(self, driver):
        """=> expansion of the best and of the median; None"""
        if driver not in self.base:
            return None
        return tuple(a / b for a, b in zip((self.least, self.median),
                                           self.base[driver].quantiles()))


def tenth(times):
    """=> what a tenth of them is no longer than: the least is one lucky window's"""
    return sorted(times)[len(times) // 10]


def added(found, driver, n):
    """What n rules add to a packet, in ns: at the fast end, and the median difference of windows
    that were neighbours in time.

    found: {(driver, rules): (ns of each window, ...)}
    => None if there is nothing to subtract
    """
    if n == 0 or (driver, 0) not in found or (driver, n) not in found:
        return None
    times, zero = found[driver, n][0], found[driver, 0][0]
    return tenth(times) - tenth(zero), statistics.median(a - b for a, b in zip(times, zero))


def counters(wrong):
    return "-" if wrong is None else "exact" if not wrong else f"{wrong} WRONG"


def others(kinds):
    """Packets that are no figure."""
    bad = {k: n for k, n in kinds.items() if k not in ("sent", "replies") and n}
    return ", ".join(f"{n} {k}" for k, n in bad.items()) or "-"


def pair(values, form):
    return [format(v, form) for v in values] if values else ["-", "-"]


# Figures stand in pairs, of the best and of the median.
HEAD = ("driver", "load s", "best us", "median", "p99", "ns/rule", "median", "/xt1", "median",
        "/nft", "median", "talk", "ping ms", "average", "  counters", "other packets")
WIDTHS = (6, -8, -10, -10, -10, -9, -8, -8, -8, -8, -8, -6, -9, -9, 12, 1)


def table(spec, executed, loads, rounds):
    """=> lines; loads: seconds, rounds: Round of each driver"""
    def line(words):
        return "".join(f"{w:<{n}}" if n > 0 else f"{w:>{-n}}" for w, n in zip(words, WIDTHS))
    out = [line(HEAD)]
    for name, r in rounds.items():
        f = Figures(r, executed, rounds)
        words = [name, f"{loads[name]:.2f}",
                 *(f"{ns / 1000:.1f}" for ns in (f.least, f.median, f.p99)),
                 *pair(f.per_rule(), ".2f"), *pair(f.against("xt1"), ".3f"),
                 *pair(f.against("nft"), ".3f"), TALK.get(spec, {}).get(name, "-"),
                 *pair(r.ping, ".3f"), f"  {counters(r.wrong)}", others(r.kinds)]
        out.append(line(words))
    return out


COLUMNS = ("ruleset", "driver", "round", "replies", "min ns", "median ns", "p99 ns",
           "min ns a rule", "median ns a rule", "min / xt1", "median / xt1", "min / nft",
           "median / nft", "ping min ms", "ping avg ms", *KINDS, "wrong counters", "load s")


def row(spec, driver, number, figures, load):
    """A line of the CSV; number: of the round, or "all" """
    r = figures.round

    def rounded(values, digits):
        return [round(v, digits) for v in values] if values else ["", ""]
    return (spec, driver, number, len(r.times),
            *(int(v) for v in (figures.least, figures.median, figures.p99)),
            *rounded(figures.per_rule(), 3), *rounded(figures.against("xt1"), 4),
            *rounded(figures.against("nft"), 4), *rounded(r.ping, 3),
            *(r.kinds.get(k, 0) for k in KINDS), "" if r.wrong is None else r.wrong,
            round(load, 3))


def write_csv(path, comment, columns, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow([f"# {comment}"])
        out.writerow(columns)
        out.writerows(rows)
    print(f"written: {os.path.relpath(path)}")


def gnuplot(title, rounds, stem):
    """=> the program that draws times against the share of packets that were no slower"""
    lines = []
    for i, r in enumerate(rounds.values()):
        ordered = sorted(r.times)
        points = (f"{p / 2} {ordered[int(p / 200 * (len(ordered) - 1))] / 1000}"
                  for p in range(201))
        lines.append(f"$d{i} << EOD\n" + "\n".join(points) + "\nEOD")
    curves = ", ".join(f"$d{i} with steps lw 2 title '{name}'" for i, name in enumerate(rounds))
    lines += [f"set title '{title}'", "set logscale y", "set grid", "set xrange [0:100]",
              "set key outside top center horizontal",
              "set xlabel 'packets that were no slower, percent'",
              "set ylabel 'round-trip time, microseconds'"]
    for terminal, suffix in (("pngcairo size 900,600", "png"), ("svg size 900,600", "svg")):
        lines += [f"set terminal {terminal}", f"set output '{stem}.{suffix}'", f"plot {curves}"]
    return "\n".join(lines) + "\n"


def plot(title, rounds, stem):
    if not shutil.which("gnuplot"):
        print("no plot: gnuplot is not there (gnuplot-nox is enough)")
        return
    os.makedirs(os.path.dirname(stem), exist_ok=True)
    done = subprocess.run(["gnuplot"], input=gnuplot(title, rounds, stem), text=True, check=False,
                          capture_output=True)
    print(f"plotted: {os.path.relpath(stem)}.png, .svg" if done.returncode == 0 else
          f"no plot: gnuplot: {done.stderr.strip()}")
