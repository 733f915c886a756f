#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each match and target of include/xt2/ext.h is complete.

A row of XT2_EXT_MATCHES or XT2_EXT_TARGETS has

- a body and a check in extensions/; of a match whose translator is
  xt-state.c in extensions/state/, of others in extensions/match/
- a row in translators/ext/
- a row in a table of doc/extensions.md
- a unit test that names it
- a row in perf/cycles/cycles-ext.c, unless it is carried: what it costs
- a row in doc/json.md if json-matches.c or json-targets.c prints its fields,
  and none if they leave it to its options' text

and kernel/bpf/local.mk compiles its body unless it is not for BPF programs.
"""
import glob
import os
import re
import sys

TOP = os.environ.get("top_srcdir", ".")
ROW = re.compile(r"^\tX\(\d+, (\w+), (\w+), ([\w| ]+)\)", re.M)

# Carried as they are: no translator has a row for it, and nothing to test in a packet.
CARRIED = {"foreign"}
# Instances, which translators and JSON take out before they look for a row.
INSTANCES = {"comment", "foreign"}

problems = []


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def sources(*pattern):
    paths = sorted(glob.glob(os.path.join(TOP, *pattern), recursive=True))
    return {os.path.relpath(p, TOP): read(os.path.relpath(p, TOP)) for p in paths}


def rows(text, macro):
    """NAME -> (name, flags) of a list."""
    body = text[text.index(f"#define {macro}(X)"):]
    body = body[:re.search(r"[^\\]\n", body).end()]
    found = {NAME: (name, flags) for NAME, name, flags in ROW.findall(body)}
    if not found:
        problems.append(f"include/xt2/ext.h: no rows in {macro}")
    return found


def table_names(text, heads):
    """The words of the first column of all tables with such a head."""
    names, on = set(), False
    for line in text.split("\n"):
        cells = [c.strip() for c in line.split("|")]
        if len(cells) < 3:
            on = False
        elif cells[1] in heads:
            on = True
        elif on:
            names.update(w for w in re.findall(r"[\w-]+", cells[1]) if w)
    return names


def complete(kind, macro, ext, pages, tests, translators, state, bodies):
    """=> the names of the rows by NAME, and where their bodies are"""
    where = {}
    for NAME, (name, flags) in rows(ext, macro).items():
        shown = name if kind == "match" else name.upper()
        function = f"xt2_{name}_{kind}"
        check = f"xt2_{name}_check" if kind == "match" else f"xt2_{name}_target_check"
        files = [p for p, t in bodies.items() if re.search(rf"^int {function}\(", t, re.M)]
        if len(files) != 1:
            problems.append(f"extensions/: {function}() is there {len(files)} times")
        elif not re.search(rf"^int {check}\(", bodies[files[0]], re.M):
            problems.append(f"{files[0]}: {check}() is missing")
        if kind == "match" and name not in CARRIED | INSTANCES:
            folder = "extensions/state/" if f'("{shown}", ' in state else "extensions/match/"
            problems.extend(f"{f}: the body of {shown} belongs into {folder}" for f in files if not f.startswith(folder))
        where[NAME] = (shown, flags, files)
        if name in CARRIED:
            continue
        if name not in INSTANCES and f'("{shown}", ' not in translators:
            problems.append(f"translators/ext/: no row for {kind} {shown}")
        if shown not in pages:
            problems.append(f"doc/extensions.md: no row for {kind} {shown}")
        if not re.search(rf'"{shown}"|\bXT2_{kind[0].upper()}_{NAME}\b', tests):
            problems.append(f"tests/unit/: no test names {kind} {shown}")
    return where


def check_json(kind, where, path, documented):
    letter = kind[0].upper()
    printed = set(re.findall(rf"\bXT2_{letter}_(\w+)", read(path)))
    for NAME, (shown, _, _) in where.items():
        fields = NAME in printed or shown == "comment"
        if fields != (shown in documented):
            problems.append(f"{path}, doc/json.md: only one of them has {kind} {shown}")


def check_cycles(kind, where, text):
    """The figures of perf/cycles: one for each extension that is evaluated."""
    rows_of = "matches" if kind == "match" else "targets"
    body = re.search(rf"^static const struct row {rows_of}\[\] = {{\n(.*?)^}};", text, re.M | re.S).group(1)
    have = re.findall(rf"^\t[A-Z]+\(XT2_{kind[0].upper()}_(\w+),", body, re.M)
    for NAME, (shown, _, _) in where.items():
        if shown.lower() not in CARRIED and NAME not in have:
            problems.append(f"perf/cycles/cycles-ext.c: no row for {kind} {shown} in {rows_of}[]")


def check_bpf(where, bodies):
    """The files that a BPF program needs: not those in which every body is for others."""
    native = {p: [] for p in bodies}
    for _, flags, files in where:
        for p in files:
            native[p].append("XT2_EXT_NATIVE" in flags)
    need = {p[len("extensions/"):-2] for p, all_of in native.items() if not (all_of and all(all_of))}
    text = read("kernel", "bpf", "local.mk").replace("\\\n", " ")
    have = set(re.search(r"^BPF_EXTENSIONS = (.*)$", text, re.M).group(1).split())
    for name in sorted(need - have):
        problems.append(f"kernel/bpf/local.mk: BPF_EXTENSIONS lacks {name}")
    for name in sorted(have - need):
        problems.append(f"kernel/bpf/local.mk: {name} of BPF_EXTENSIONS has only XT2_EXT_NATIVE")


def main():
    ext = read("include", "xt2", "ext.h")
    bodies = sources("extensions", "**", "*.c")
    translators = "".join(sources("translators", "ext", "*.c").values())
    state = read("translators", "ext", "xt-state.c")
    tests = "".join(sources("tests", "unit", "**", "*.c").values())
    pages = table_names(read("doc", "extensions.md"), ("match", "target"))
    documented = table_names(read("doc", "json.md"), ("name",))
    cycles = read("perf", "cycles", "cycles-ext.c")
    all_rows = []
    for kind, macro in (("match", "XT2_EXT_MATCHES"), ("target", "XT2_EXT_TARGETS")):
        where = complete(kind, macro, ext, pages, tests, translators, state, bodies)
        file = "json-matches.c" if kind == "match" else "json-targets.c"
        check_cycles(kind, where, cycles)
        check_json(kind, where, os.path.join("xt2tables", "json", file), documented)
        all_rows += where.values()
    check_bpf(all_rows, bodies)
    for p in problems:
        print(p)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
