#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers and circles, as the linker sees them: by the symbols of the object files.

- the engine's archive leaves a fixed list of symbols to others
- the files of a room depend on each other without a circle
- a room uses symbols of itself and of rooms below it (doc/design.md)
"""
import ctypes
import os
import re
import subprocess
import sys

TOP = os.environ.get("top_srcdir", ".")
BUILD = os.environ.get("top_builddir", ".")
# A room may use the rooms before it.
ROOMS = ["engine", "extensions", "translators", "libxt2", "shim", "xt2tables"]
# The one seam upwards: engine/dispatch.h.
SEAM = {"xt2_match_ext", "xt2_target_ext", "xt2_match_ext_check", "xt2_target_ext_check"}
# What a compiler takes for granted, and strings.
BELOW = {"memcpy", "memset", "memcmp", "memmove", "memchr", "strlen", "strcmp", "__cpu_model",
         "__cpu_indicator_init", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "__popcountdi2"}
TOOLS = re.compile(r"__(asan|ubsan|tsan|msan|sanitizer|gcov|llvm|sancov|start___|stop___)|"
                   r"__(memcpy|memset|memcmp|memmove)_chk$")

LIBC = ctypes.CDLL(None)
problems = []


def nm(*args):
    return subprocess.run(["nm", *args], capture_output=True, text=True, check=True).stdout


def source_of(folder, name):
    """=> the path of the source of an object; None: it is left from another tree"""
    parts = name[:-len(".o")].split("-")
    for i in range(len(parts)):
        path = os.path.join(folder, "-".join(parts[i:]) + ".c")
        if os.path.isfile(os.path.join(TOP, path)):
            return path
    return None


def objects(room):
    """=> {source: object}"""
    found = {}
    for folder, folders, names in os.walk(os.path.join(BUILD, room)):
        folders.sort(reverse=True)      # libtool's .libs last: the same with -fPIC
        where = os.path.relpath(folder, BUILD)
        if os.path.basename(where) == ".libs":
            where = os.path.dirname(where)
        for name in sorted(names):
            source = source_of(where, name) if name.endswith(".o") else None
            if source:
                found.setdefault(source, os.path.join(folder, name))
    return found


def symbols(path):
    """=> what an object defines for others, and what it needs; without what libc has, too"""
    defined, needed = set(), set()
    for line in nm("-P", path).splitlines():
        name, kind = line.split()[:2]
        if hasattr(LIBC, name):     # as shim/ has open()
            continue
        if kind in "UwvV":
            needed.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, needed - defined


def circles(graph):
    """=> sets of sources that depend on each other: strongly connected components"""
    order, low, stack, found = {}, {}, [], []

    def visit(at):
        order[at] = low[at] = len(order)
        stack.append(at)
        for to in graph[at]:
            if to not in order:
                visit(to)
            if to in stack:
                low[at] = min(low[at], low[to])
        if low[at] == order[at]:
            group = stack[stack.index(at):]
            del stack[-len(group):]
            if len(group) > 1:
                found.append(frozenset(group))

    for at in graph:
        if at not in order:
            visit(at)
    return found


def check_archive():
    archive = os.path.join(BUILD, ".libs", "libengine.a")
    if not os.path.isfile(archive):
        print(f"SKIP: no {archive}")
        sys.exit(77)
    defined, needed = set(), set()
    for line in nm("-P", archive).splitlines():
        fields = line.split()
        if len(fields) > 1:
            (needed if fields[1] in "Uwv" else defined).add(fields[0])
    for name in sorted(needed - defined - SEAM - BELOW):
        if not TOOLS.match(name):
            problems.append(f"libengine.a needs {name}, which is not in the list of {__file__}")
    for name in sorted(SEAM - needed):
        problems.append(f"libengine.a does not need {name}: the seam is smaller")


def check_circles(files):
    for room in ROOMS:
        own = {s: v for s, v in files.items() if s.startswith(room + "/")}
        where = {}
        for source, (defined, _) in own.items():
            for name in defined:
                where.setdefault(name, []).append(source)
        graph = {s: sorted({where[n][0] for n in needed if len(where.get(n, ())) == 1} - {s})
                 for s, (_, needed) in own.items()}
        for group in circles(graph):
            problems.append(f"{room}: a circle of {', '.join(sorted(group))}")


def check_rooms(files):
    rooms = {}
    for source, (defined, _) in files.items():
        for name in defined:
            rooms.setdefault(name, set()).add(source.split("/")[0])
    for source, (_, needed) in sorted(files.items()):
        room = source.split("/")[0]
        may = set(ROOMS[:ROOMS.index(room) + 1])
        for name in sorted(needed):
            if name in rooms and not rooms[name] & may and not (room == "engine" and name in SEAM):
                problems.append(f"{source} uses {name} of {', '.join(sorted(rooms[name]))}/")


def main():
    check_archive()
    files = {s: symbols(o) for room in ROOMS for s, o in objects(room).items()}
    if sum(s.startswith("engine/") for s in files) < 20:
        sys.exit("lint: too few objects found; is top_builddir right?")
    check_circles(files)
    check_rooms(files)
    print("\n".join(problems) if problems else f"{len(files)} objects, no problem")
    sys.exit(1 if problems else 0)


main()
