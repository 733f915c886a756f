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
it differs on purpose; its exit status must still be the same.

Captured rulesets, rulesets/*.rules, are restored on both sides with their
counters, and listed in all ways.

usage: tables.py [--programs DIR] [SCENARIO...]
"""

import glob
import json
import os
import re
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


def lists_of(path, tool):
    """The calls that list all of a captured ruleset, as read() has them."""
    with open(path, encoding="utf-8") as f:
        tables = re.findall(r"^\*(\w+)", f.read(), re.M)
    words = [["-L"], ["-n", "-v", "-L"], ["--line-numbers", "-L", "-v"]]
    if tool != "arptables":
        words += [["-n", "-v", "-x", "-L"], ["-S"], ["-v", "-S"]]
    return [(0, ["-t", table] + more, None) for table in tables for more in words]


def run(program, words, env, text=""):
    done = subprocess.run([program] + words, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=env, errors="surrogateescape",
                          universal_newlines=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def restore(tool, text, env):
    """A captured ruleset; arptables-restore is a script that calls another arptables."""
    if "arp" not in tool:
        return run(tool + "-restore", ["-c"], env, text)[0]
    bad = 0
    for line in text.split("\n"):
        words = shlex.split(line)
        if line.startswith(":"):
            new = words[1] == "-"
            words = ["-N" if new else "-P", words[0][1:]] + words[1:1 if new else 2]
        elif not line.startswith("-"):
            continue
        bad |= run(tool, words, env)[0]
    return bad


def answers_of(tool, lines, text, env):
    """=> (exit code, output, errors) of each line, in a namespace or on an image"""
    if text and restore(tool, text, env):
        raise SystemExit("FAIL: %s: the ruleset is not restored" % tool)
    return [run(tool, words, env) for _, words, _ in lines]


def legacy(tool, lines, text):
    """The answers of iptables' own program, all from one namespace."""
    me = [sys.executable, "-B", os.path.abspath(__file__), "--inside"]
    done = subprocess.run(["unshare", "-n"] + me, input=json.dumps((tool, lines, text)),
                          stdout=subprocess.PIPE, universal_newlines=True, check=True)
    return json.loads(done.stdout)


def inside():
    json.dump(answers_of(*json.load(sys.stdin), os.environ), sys.stdout)


def message(text):
    return [x for x in text.split("\n") if x and not x.startswith("xt2: ")]


def compare(path, programs):
    """=> differences, command lines"""
    name = os.path.basename(path)
    tool = TOOLS[name.split("-")[0]]
    text = ""
    if path.endswith(".rules"):
        with open(path, encoding="utf-8") as f:
            text = f.read()
    lines = lists_of(path, tool) if text else read(path)
    theirs = legacy(tool + "-legacy", lines, text)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for link in tool, tool + "-restore":
            os.symlink(os.path.join(programs, "xt2tables-restore"), folder + "/" + link)
        env = dict(os.environ, XT2_IMAGE=folder + "/image")
        ours = answers_of(folder + "/" + tool, lines, text, env)
    for (number, words, differs), mine, other in zip(lines, ours, theirs):
        if not same(mine, other, differs):
            bad += 1
            print("FAIL: %s:%d: %s %s" % (name, number, tool, " ".join(map(shlex.quote, words))))
            show(mine, other)
    return bad, len(lines)


def same(mine, other, differs=None):
    """Two answers: only the exit codes, if the others differ on purpose."""
    return mine[0] == other[0] and (differs is not None or (
        mine[1] == other[1] and message(mine[2]) == message(other[2])))


def show(mine, other):
    for who, answer in (("iptables", other), ("xt2tables", mine)):
        print("  %s: exit %d\n%s%s" % (who, answer[0], indent(answer[1]), indent(answer[2])),
              end="")


def indent(text):
    return "".join("    | %s\n" % ascii(x)[1:-1] for x in text.split("\n") if x)


def main():
    args = sys.argv[1:]
    if args[:1] == ["--inside"]:
        return inside()
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
    every = glob.glob(HERE + "/tables/*.cmd") + [
        p for p in glob.glob(HERE + "/rulesets/*.rules") if "/ebt-" not in p]
    for path in args or sorted(every):
        wrong, lines = compare(path, os.path.abspath(programs))
        bad += wrong
        total += lines
    print("%d command lines, %d differ" % (total, bad))
    sys.exit(1 if bad or not total else 0)


if __name__ == "__main__":
    main()
