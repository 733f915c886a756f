#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules about the sources that a compiler does not check.

- every source file names its licence
- a folder includes only folders that it may know (doc/design.md); the kernel module, which is
  compiled with the library's files, any
- engine, extensions and translators are freestanding: no #if but include
  guards, no headers of the C library but through engine/env.h
- no work is left open in a comment
"""
import os
import re
import subprocess
import sys

TOP = os.environ.get("top_srcdir", ".")
# A folder may include the folders before it.
ORDER = ["include", "engine", "extensions", "translators", "kernel", "libxt2", "shim", "xt2tables"]
FREESTANDING = ("engine", "extensions", "translators")
OPEN = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
SOURCE = (".c", ".h", ".py", ".sh", ".mk", ".map", ".ac", ".am")

problems = []


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}")


def files():
    """What is tracked; in a release, what is there."""
    try:
        out = subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, text=True,
                             check=True).stdout.split("\n")
        names = [n for n in out if n]
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(d, f), TOP)
                 for top in ORDER + ["tests", "perf", "scripts"]
                 for d, _, fs in os.walk(os.path.join(TOP, top)) for f in fs]
    return [n for n in names if os.path.isfile(os.path.join(TOP, n))]


def freestanding(path):
    """engine/simd/ is what a processor's vectors add to the engine, and may ask which processor it is."""
    return folder_of(path) in FREESTANDING and not path.startswith("engine/simd/")


def folder_of(path):
    return path.split("/", 1)[0]


def check_include(path, number, line):
    folder = folder_of(path)
    if folder not in ORDER:
        return
    local = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
    if local:
        beside = "/" not in local[1]    # else a path from the top
        target = folder if beside else folder_of(local[1])
        if local[1] == "config.h":
            return
        if path.startswith("kernel/module/"):
            return
        if target in ORDER and ORDER.index(target) > ORDER.index(folder):
            problem(path, number, f"{folder}/ may not include {target}/")
    system = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
    if system and freestanding(path) and path != "engine/env.h":
        header = system[1]
        uapi = folder == "translators" and header.startswith(("linux/", "net/if.h", "netinet/in.h"))
        if not header.startswith("xt2/") and not uapi:
            problem(path, number, f"freestanding code may not include <{header}>")


def check_file(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="surrogateescape") as f:
        text = f.read()
    lines = text.split("\n")
    if path.endswith((".c", ".h", ".py", ".sh")) and "SPDX-License-Identifier" not in text[:200]:
        problem(path, 1, "no SPDX line")
    for number, line in enumerate(lines, 1):
        if OPEN.search(line):
            problem(path, number, "open work in a comment")
        if path.endswith((".c", ".h")):
            check_include(path, number, line)
    if path.endswith((".c", ".h")) and freestanding(path):
        conditionals = [n for n, line in enumerate(lines, 1)
                        if re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else)\b", line)]
        guard = 1 if path.endswith(".h") else 0
        for n in conditionals[guard:]:
            problem(path, n, "freestanding code has no conditional compilation")


def main():
    names = [n for n in files() if n.endswith(SOURCE)]
    if len(names) < 50:
        sys.exit("lint: too few files found; is top_srcdir right?")
    for name in names:
        check_file(name)
    print("\n".join(problems) if problems else f"{len(names)} files, no problem")
    sys.exit(1 if problems else 0)


main()
