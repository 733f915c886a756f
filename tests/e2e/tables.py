#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""xt2tables, xt2ip6tables and xt2arptables against iptables' own programs.

The same command lines go to xt2tables on an image and to iptables-legacy (or
ip6tables-legacy, arptables-legacy) in a network namespace of its own: standard
output, exit status and messages must be the same.  Of messages, lines that
begin with "xt2: " are xt2's own and come first; empty lines do not count.

Scenarios are the files tables/*.cmd beside this script: command lines without
the program's name, with a shell's quotes.  The first word of a file's name
tells the program: v4-, v6-, arp-.  A line "= REASON" says that the line after
it differs on purpose; its exit status must still be the same, or, with
"=! REASON", must be 0 for neither.

usage: tables.py [--programs DIR] [SCENARIO...]
"""

import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = {"v4": "iptables", "v6": "ip6tables", "arp": "arptables"}


def skip(why):
    print("SKIP: " + why)
    sys.exit(SKIP)


def read(path):
    """=> list of (line number, words, None or how it may differ)"""
    lines, differs = [], None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("="):
                differs = line
            elif line and not line.startswith("#"):
                lines.append((number, shlex.split(line), differs))
                differs = None
    return lines


def run(program, words, env):
    done = subprocess.run([program] + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=env, errors="surrogateescape",
                          universal_newlines=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def legacy(tool, lines):
    """The answers of iptables' own program, all from one namespace."""
    me = [sys.executable, "-B", os.path.abspath(__file__), "--inside", tool]
    done = subprocess.run(["unshare", "-n"] + me, input=json.dumps([w for _, w, _ in lines]),
                          stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return json.loads(done.stdout)


def inside(tool):
    answers = [run(tool, words, os.environ) for words in json.load(sys.stdin)]
    json.dump(answers, sys.stdout)


def message(text):
    return [x for x in text.split("\n") if x and not x.startswith("xt2: ")]


def compare(path, programs):
    """=> differences"""
    name = os.path.basename(path)
    tool = TOOLS[name.split("-")[0]]
    lines = read(path)
    theirs = legacy(tool + "-legacy", lines)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        link = folder + "/" + tool
        os.symlink(os.path.join(programs, "xt2tables-restore"), link)
        env = dict(os.environ, XT2_IMAGE=folder + "/image")
        for (number, words, differs), (code, out, err) in zip(lines, theirs):
            got = run(link, words, env)
            same = got[0] == code and (differs or (
                got[1] == out and message(got[2]) == message(err)))
            if differs and differs.startswith("=!"):
                same = got[0] != 0 and code != 0
            if same:
                continue
            bad += 1
            print("FAIL: %s:%d: %s %s" % (name, number, tool, " ".join(map(shlex.quote, words))))
            for who, answer in (("iptables", (code, out, err)), ("xt2tables", got)):
                print("  %s: exit %d\n%s%s" % (who, answer[0], indent(answer[1]),
                                               indent(answer[2])), end="")
    return bad, len(lines)


def indent(text):
    return "".join("    | %s\n" % ascii(x)[1:-1] for x in text.split("\n") if x)


def main():
    args = sys.argv[1:]
    if args[:1] == ["--inside"]:
        return inside(args[1])
    programs = os.environ.get("top_builddir", ".")
    if args[:1] == ["--programs"]:
        programs = args[1]
        args = args[2:]
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    os.environ["LC_ALL"] = "C"
    if os.getuid() != 0 or subprocess.run(["unshare", "-n", "true"]).returncode:
        skip("iptables-legacy needs root and network namespaces")
    for tool in TOOLS.values():
        if not shutil.which(tool + "-legacy"):
            skip("no %s-legacy" % tool)
    bad = total = 0
    for path in args or sorted(glob.glob(HERE + "/tables/*.cmd")):
        wrong, lines = compare(path, os.path.abspath(programs))
        bad += wrong
        total += lines
    print("%d command lines, %d differ" % (total, bad))
    sys.exit(1 if bad or not total else 0)


main()
