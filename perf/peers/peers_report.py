# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables, files and pictures of xt2-vs-peers."""
import csv
import os
import shutil
import statistics
import subprocess

# Ways to evaluate, in the order of the table: those of the peers, those of xt2.
PEERS = ("xt1", "nft", "acl", "acl256")
OURS = ("linear", "indexed", "batch")
WAYS = PEERS + ("parse",) + OURS


class Row:
    """A ruleset with a trace."""

    def __init__(self, rules, trace):
        self.spec, self.trace, self.rules = rules.spec, trace, rules.count
        self.values = {"load s": rules.loaded}

    def set(self, name, value):
        self.values[name] = value

    def get(self, name):
        return self.values.get(name)

    def add_tool(self, tool):
        for fact, value in tool.facts.items():
            self.set(f"{tool.name} {fact}", value)
        for mode, best in tool.best.items():
            self.set(mode, best)
            self.set(f"{mode} median", statistics.median(tool.medians[mode]))
        for fact, per_rule in (("bytes", "B/rule"), ("memory", "B/rule"), ("build", "build ns/rule"),
                               ("index-bytes", "index B/rule")):
            if fact in tool.facts:
                self.set(f"{tool.name} {per_rule}", tool.facts[fact] / max(1, self.rules))

    def add_kernel(self, kernel):
        best, medians = kernel.results()
        for way, value in best.items():
            self.set(way, value)
            self.set(f"{way} median", medians[way])
        for name, seconds in kernel.loads.items():
            if name in best:
                self.set(f"{name} load s", seconds)

    def ratio(self, peer, way):
        """=> how many times faster than a peer"""
        a, b = self.get(peer), self.get(way)
        return a / b if a and b and a > 0 else None

    def line(self):
        wrong = self.get("xt1 wrong")
        return f"{self.spec:29s}{self.trace:>8s}{figure(self.get('xt2 hits')):>7s}" + \
            "".join(f"{figure(self.get(w)):>9s}" for w in WAYS) + \
            f"{figure(self.get('xt2 B/rule')):>7s}{figure(self.get('xt2 index B/rule')):>7s}" + \
            f"{figure(self.get('acl B/rule')):>8s}{figure(self.get('xt2 build ns/rule')):>8s}" + \
            f"{figure(self.get('acl build ns/rule')):>9s}" + \
            f"{'-' if wrong is None else 'exact' if not wrong else f'{wrong} WRONG':>8s}"


def figure(value):
    if value is None:
        return "-"
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"


def head():
    return f"{'ruleset':29s}{'trace':>8s}{'hits':>7s}" + "".join(f"{w:>9s}" for w in WAYS) + \
        f"{'B/rule':>7s}{'index':>7s}{'acl B':>8s}{'build':>8s}{'acl':>9s}{'counters':>9s}"


def ratios(rows):
    """=> lines: times faster than each peer, one packet and batched"""
    ways = [w for w in OURS if any(r.get(w) for r in rows)]
    peers = [p for p in PEERS if any(r.get(p) for r in rows)]
    if not peers or not ways:
        return []
    pairs = [(p, w) for w in ways for p in peers]
    out = ["", "how many times faster than a peer",
           f"{'ruleset':29s}{'trace':>8s}" + "".join(f"{p + '/' + w:>16s}" for p, w in pairs)]
    for r in rows:
        cells = [r.ratio(p, w) for p, w in pairs]
        out.append(f"{r.spec:29s}{r.trace:>8s}" + "".join(
            f"{'-' if c is None else f'{c:.2f}' if c < 100 else f'{c:.0f}':>16s}" for c in cells))
    return out


def write_csv(path, comment, rows):
    names = list(dict.fromkeys(k for r in rows for k in r.values))
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    ratio_names = [(p, w) for w in OURS for p in PEERS]
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow([f"# {comment}"])
        out.writerow(["ruleset", "trace", "rules", *names, *(f"{p} / {w}" for p, w in ratio_names)])
        for r in rows:
            cells = [r.get(n) for n in names] + [r.ratio(p, w) for p, w in ratio_names]
            out.writerow([r.spec, r.trace, r.rules,
                          *("" if c is None else round(c, 4) for c in cells)])
    print(f"written: {os.path.relpath(path)}")


def worst(rows, kinds):
    """=> {way: [(rules in thousands of a kind's name, ns)]}: the slowest of the kinds, uniform traces"""
    out = {}
    for r in rows:
        words = r.spec.split()
        if len(words) != 2 or words[0] not in kinds or r.trace != "uniform":
            continue
        for way in WAYS:
            if r.get(way) and r.get(way) > 0:
                points = out.setdefault(way, {})
                points[int(words[1])] = max(points.get(int(words[1]), 0), r.get(way))
    return {way: sorted(points.items()) for way, points in out.items()}


def gnuplot(rows, kinds, stem):
    """=> the program that draws time against rules, or None"""
    curves = worst(rows, kinds)
    if not curves:
        return None
    lines = [f"$d{i} << EOD\n" + "\n".join(f"{x} {y}" for x, y in points) + "\nEOD"
             for i, points in enumerate(curves.values())]
    plots = ", ".join(f"$d{i} with linespoints lw 2 title '{way}'" for i, way in enumerate(curves))
    lines += ["set title 'a packet for a rule drawn at random; the slowest kind of ruleset'",
              "set logscale xy", "set grid", "set key outside top center horizontal",
              "set xlabel 'rules'", "set ylabel 'ns a packet'"]
    for terminal, suffix in (("pngcairo size 900,600", "png"), ("svg size 900,600", "svg")):
        lines += [f"set terminal {terminal}", f"set output '{stem}.{suffix}'", f"plot {plots}"]
    return "\n".join(lines) + "\n"


def plot(stem, rows, kinds):
    program = gnuplot(rows, kinds, stem)
    if not program:
        return
    if not shutil.which("gnuplot"):
        print("no plot: gnuplot is not there (gnuplot-nox is enough)")
        return
    done = subprocess.run(["gnuplot"], input=program, text=True, check=False, capture_output=True)
    print(f"plotted: {os.path.relpath(stem)}.png, .svg" if done.returncode == 0 else
          f"no plot: gnuplot: {done.stderr.strip()}")
