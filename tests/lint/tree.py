#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Limits that keep the tree easy to find one's way in.

- a name stands for one file, wherever it is
- a folder has at most 40 sources, a file 800 lines, a function 60
- engine/env.h, which every host has to answer, has at most 100 lines and no
  condition but its guard
- each source of the engine, the extensions, the translators and the library,
  and of xt2tables/packet/ and live/, has its test at the mirrored path:
  engine/rule.c has tests/unit/engine/test-rule.c
- a path in the texts for people is that of a file, a folder or a program,
  and a function that HACKING.md, README.md and the like name exists
"""
import collections
import fnmatch
import os
import re
import subprocess
import sys

TOP = os.environ.get("top_srcdir", ".")
FOLDER_MOST = 40        # sources
FILE_MOST = 800         # lines
FUNCTION_MOST = 60      # lines between its braces
ENV_MOST = 100          # lines

# Twins of one seam, and files whose folder is their name.
MAY_REPEAT = {"env.h", "tune.h", "local.mk", "README.md", "README"}
PRODUCT = ("include", "engine", "extensions", "translators", "libxt2", "kernel", "shim", "xt2tables")
TESTED = ("engine", "extensions", "translators", "libxt2", "xt2tables/packet", "xt2tables/live")

# Sources without a test of their own, and the reason.
ENGINE = "is the engine's source, with other counters: tests/prop/readers.c"
KERNEL = "works on maps, links and pins of the kernel: tests/bpf/%s runs it live"
MODULE = "talks to the kernel module: tests/kernel/netlink.in.sh runs it"
UNTESTED = {
    "libxt2/err-print.c": "prints what test-err.c wants to read",
    "libxt2/host/hooked.c": KERNEL % "doctor.sh",
    "libxt2/store/bpf/bpf-add.c": KERNEL % "run-live.sh",
    "libxt2/store/bpf/bpf-backend.c": KERNEL % "view.sh",
    "libxt2/store/enter-netns.c": KERNEL % "view.sh",
    "libxt2/store/kernel-ipsets.c": KERNEL % "left.sh",
    "libxt2/store/kernel/kernel-link.c": MODULE,
    "libxt2/store/kernel/kernel-splice.c": MODULE,
    "libxt2/store/kernel/kernel-store.c": MODULE,
    "libxt2/store/bpf/bpf-companion.c": KERNEL % "reject.sh",
    "libxt2/store/bpf/bpf-evaluator.c": KERNEL % "evaluators.sh",
    "libxt2/store/bpf/bpf-gate.c": KERNEL % "reject.sh",
    "libxt2/store/bpf/bpf-guard.c": KERNEL % "guard.sh",
    "libxt2/store/companion/bpf-nat.c": KERNEL % "nat.sh",
    "libxt2/store/companion/bpf-nat-add.c": KERNEL % "live-edits.sh",
    "libxt2/store/companion/bpf-nat-known.c": KERNEL % "nat.sh",
    "libxt2/store/companion/bpf-nat-messages.c": KERNEL % "nat.sh",
    "libxt2/store/companion/bpf-nat-quick.c": KERNEL % "nat.sh",
    "libxt2/store/companion/bpf-nat-tree.c": KERNEL % "nat.sh",
    "libxt2/store/bpf/bpf-question.c": KERNEL % "reject.sh",
    "libxt2/store/companion/bpf-left-lacks.c": KERNEL % "left.sh",
    "libxt2/store/companion/bpf-left.c": KERNEL % "left.sh",
    "libxt2/store/companion/bpf-sets.c": KERNEL % "left.sh",
    "libxt2/store/bpf/bpf-edit.c": KERNEL % "live-edits.sh",
    "libxt2/store/bpf/bpf-links.c": KERNEL % "places.sh",
    "libxt2/store/bpf/bpf-log.c": KERNEL % "log.sh",
    "libxt2/store/bpf/bpf-nft.c": KERNEL % "conntrack.sh",
    "libxt2/store/bpf/bpf-object.c": KERNEL % "refused.sh",
    "libxt2/store/bpf/bpf-old.c": KERNEL % "live-back.sh",
    "libxt2/store/bpf/bpf-past.c": KERNEL % "live-history.sh",
    "libxt2/store/bpf/bpf-pin.c": KERNEL % "keep.sh",
    "libxt2/store/bpf/bpf-root.c": KERNEL % "places.sh",
    "libxt2/store/bpf/bpf-ruleset.c": KERNEL % "keep.sh",
    "libxt2/store/bpf/bpf-store.c": KERNEL % "tables.sh",
    "libxt2/store/bpf/bpf-stray.c": KERNEL % "places.sh",
    "libxt2/store/bpf/bpf-sweep.c": KERNEL % "dead.sh",
    "libxt2/store/bpf/bpf-tables.c": "is what test-bpf-check.c asks all the time",
    "libxt2/store/bpf/bpf-track.c": KERNEL % "conntrack.sh",
    "libxt2/store/bpf/bpf-trial.c": KERNEL % "confirm.sh",
    "libxt2/store/bpf/bpf-watch.c": KERNEL % "live-history.sh",
    "libxt2/ruleset/renumber.c": "is what test-table-copy.c and test-table-difference.c go through",
    "libxt2/ruleset/inplace-calls.c": "passes calls on: test-inplace.c",
    "libxt2/ruleset/inplace-life.c": "is what every case of test-inplace*.c begins and ends with",
    "libxt2/ruleset/inplace-owners.c": "writes what test-chain-owners.c reads",
    "libxt2/ruleset/inplace-past.c": "writes what test-history.c reads",
    "libxt2/share/slots-eval-index.c": ENGINE,
    "libxt2/share/slots-eval.c": ENGINE,
    "xt2tables/live/live-all.c": KERNEL % "dead.sh",
}

problems = []


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}")


def tracked():
    """What is tracked; in a release, what is there."""
    try:
        out = subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, text=True,
                             check=True).stdout.split("\n")
        names = [n for n in out if n]
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(d, f), TOP)
                 for top in PRODUCT + ("tests", "perf", "examples")
                 for d, _, fs in os.walk(os.path.join(TOP, top)) for f in fs
                 if f.endswith((".c", ".h"))]
    return [n for n in names if os.path.isfile(os.path.join(TOP, n))]


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="surrogateescape") as f:
        return f.read().split("\n")[:-1]


def functions(lines):
    """=> (name, line of its name, lines between its braces) of each function; these are in column 0."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            first = start - 1
            # Arguments in several lines are indented, or the line ends within them.
            while first > 1 and re.match(r"[\s)]", lines[first - 1]):
                first -= 1
            name = re.search(r"(\w+)\s*\(", " ".join(lines[first - 1:start - 1]))
            yield name[1] if name else "?", first, number - start - 1
            start = None
        elif line.startswith("}"):
            start = None


def check_names(names):
    counted = collections.defaultdict(list)
    for name in names:
        # Golden cases are named by what they say; nothing refers to .ci/run by its name alone.
        if not name.startswith(("tests/golden/", "perf/results/", ".")):
            counted[os.path.basename(name)].append(name)
    for base, paths in sorted(counted.items()):
        if len(paths) > 1 and base not in MAY_REPEAT:
            problem(paths[1], 1, f"the name is that of {paths[0]}")
        # A script imports from its own folder first.
        if base.endswith(".py") and base[:-3] in sys.stdlib_module_names:
            problem(paths[0], 1, "the name is that of a module of Python's")


def check_folders(sources):
    counted = collections.Counter(os.path.dirname(s) for s in sources)
    for folder, n in sorted(counted.items()):
        if n > FOLDER_MOST:
            problem(folder, 1, f"{n} sources in a folder; {FOLDER_MOST} are the most")


def check_sizes(sources):
    for path in sources:
        lines = read(path)
        if len(lines) > FILE_MOST:
            problem(path, len(lines), f"{len(lines)} lines; {FILE_MOST} are the most")
        for name, first, n in functions(lines):
            if n > FUNCTION_MOST:
                problem(path, first, f"{name}() has {n} lines; {FUNCTION_MOST} are the most")


def check_env():
    path = "engine/env.h"
    lines = read(path)
    if len(lines) > ENV_MOST:
        problem(path, len(lines), f"{len(lines)} lines; {ENV_MOST} are the most")
    conditions = [n for n, line in enumerate(lines, 1)
                  if re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else)\b", line)]
    for n in conditions[1:]:
        problem(path, n, "a condition other than the guard")


def test_of(source):
    folder, base = os.path.split(source)
    return f"tests/unit/{folder}/test-{base}"


def check_tests(names):
    there = set(names)
    sources = [n for n in names if n.endswith(".c") and n.startswith(tuple(t + "/" for t in TESTED))]
    for source in sources:
        if source in UNTESTED:
            if test_of(source) in there:
                problem(source, 1, "has a test; take it from the list of those without")
        elif test_of(source) not in there:
            problem(source, 1, f"no {test_of(source)}")
    for source in sorted(set(UNTESTED) - set(sources)):
        problem(source, 1, "is gone; take it from the list of those without a test")
    return len(sources)


def paths_in(line):
    """=> the words between backquotes that look like a path; NAME stands for any name"""
    for quoted in re.findall(r"`([^`]+)`", line):
        for word in quoted.split():
            word = re.sub(r"^\./|(:\d+)?[:,;.]*$", "", word)
            if re.fullmatch(r"[\w./*?\[\]+-]+", word):
                yield word.rstrip("/").replace("NAME", "*")


def check_texts(names):
    """Paths from the top, and the names of sources alone or in a folder."""
    there, tops = set(names), {n.split("/")[0] for n in names if "/" in n}
    for name in names:
        while name := os.path.dirname(name):
            there.add(name)
    for name in names:
        if name.endswith(".mk"):    # programs
            there.update(word for line in read(name) for word in line.split())
    ends = {"/".join(n.split("/")[i:]) for n in names for i in range(n.count("/") + 1)}
    for text in names:
        if not text.endswith(".md") and os.path.basename(text) not in ("README", "HACKING"):
            continue
        for number, line in enumerate(read(text), 1):
            for path in paths_in(line):
                if path.split("/")[0] in tops and "/" in path:
                    known = path in there or fnmatch.filter(there, path)
                elif path.endswith((".c", ".h", ".mk", ".py", ".sh")):
                    # The kernel's are named by their whole path.
                    known = path in ends or path.startswith(("net/", "linux/")) or \
                        fnmatch.filter(ends, path)
                else:
                    continue
                if not known:
                    problem(text, number, f"there is no {path}")


# Texts that say where something is.
GUIDES = ("README.md", "HACKING.md", "doc/README.md", "doc/design.md", "tests/README.md")


def check_functions(names):
    """A function that a guide names is in the sources; NAME stands for any name."""
    words = set()
    for name in names:
        if name.endswith((".c", ".h", ".py", ".sh")):
            words.update(re.findall(r"\w+", "\n".join(read(name))))
    for text in GUIDES:
        for number, line in enumerate(read(text), 1):
            for function in re.findall(r"`(\w+)\(\)`", line):
                if "NAME" not in function and function not in words:
                    problem(text, number, f"there is no {function}()")


def main():
    names = tracked()
    sources = [n for n in names if n.endswith((".c", ".h"))]
    if len(sources) < 200:
        sys.exit("lint: too few files found; is top_srcdir right?")
    check_names(names)
    check_folders(sources)
    check_sizes(sources)
    check_env()
    check_texts(names)
    check_functions(names)
    tested = check_tests(names)
    print("\n".join(problems) if problems else
          f"{len(sources)} sources, no problem; {len(UNTESTED)} of {tested} without a test of their own")
    sys.exit(1 if problems else 0)


main()
