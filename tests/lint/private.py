#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A name with a trailing '_' is shared inside a room and private to it.

A room is a folder of the top level; extensions belong to the engine, which
they are compiled with.  Tests may look into every room, and benchmarks too;
and the kernel module, which has the library's files in it.
"""
import os
import re
import sys

ROOMS = {
    "engine": "engine",
    "extensions": "engine",
    "include": "include",
    "kernel": "kernel",
    "libxt2": "libxt2",
    "shim": "shim",
    "translators": "translators",
    "xt2tables": "xt2tables",
}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Not the first part of a name that the preprocessor puts together.
NAME = re.compile(r"\b(?:xt2|XT2|legacy|LEGACY)_\w*_\b(?!\s*##)")


def names(top):
    """=> {name: {room: the first place that mentions it}}"""
    found = {}
    for folder, room in sorted(ROOMS.items()):
        for path, folders, files in os.walk(os.path.join(top, folder)):
            folders.sort()
            if path == os.path.join(top, "kernel") and "module" in folders:
                folders.remove("module")
            for file in sorted(files):
                if not file.endswith((".c", ".h")):
                    continue
                where = os.path.join(path, file)
                with open(where, encoding="utf-8") as f:
                    text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), f.read())
                for m in NAME.finditer(text):
                    line = text.count("\n", 0, m.start()) + 1
                    place = f"{os.path.relpath(where, top)}:{line}"
                    found.setdefault(m[0], {}).setdefault(room, place)
    return found


def main():
    top = os.environ.get("top_srcdir", ".")
    found = names(top)
    if not found:
        sys.exit("no private name was found: the lint looks in the wrong place")
    shared = {name: rooms for name, rooms in found.items() if len(rooms) > 1}
    for name, rooms in sorted(shared.items()):
        print(f"{name} is private to one room, but is mentioned in {', '.join(sorted(rooms.values()))}")
    sys.exit(bool(shared))


main()
