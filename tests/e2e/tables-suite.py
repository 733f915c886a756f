#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iptables' own test suites, with xt2tables in the place of iptables-legacy.

Every file of extensions/*.t goes through iptables-test.py, every script of
iptables/tests/shell through run-tests.sh, each on a fresh image; the programs
are links to ours, under iptables' names.  iptables-xml, which reads no rules
from anywhere but a file, is the installed one.

The sources come as those of xtables-suite.py do.  With XT2_SHORT set a part of
the files is tried.

usage: tables-suite.py [--source DIR] [--programs DIR]
"""

import argparse
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = [family + "tables" + suffix for family in ("ip", "ip6") for suffix in ("", "-restore", "-save")]

# What is expected to be refused, and is not: file, line, why
KNOWN = {
    ("libxt_SET.t", 3): "which sets there are, only a kernel knows",
    ("libxt_nfacct.t", 8): "which nfacct objects there are, only a kernel knows",
    ("libxt_recent.t", 7): "newer kernels count more packets",
    ("libxt_set.t", 4): "which sets there are, only a kernel knows",
}

MULTI = """#!/bin/sh
name=$1
shift
case $name in
*-xml) exec $(PATH=/usr/sbin:/sbin command -v xtables-legacy-multi) "$name" "$@" ;;
esac
exec "%s/$name" "$@"
"""

spec = importlib.util.spec_from_file_location("suite", HERE + "/../golden/xtables-suite.py")
suite = importlib.util.module_from_spec(spec)
spec.loader.exec_module(suite)


class Tables:
    """The programs, in a folder that others can read; images in one that they cannot."""

    def __init__(self, folder, programs):
        os.chmod(folder, 0o711)
        self.bin = folder + "/bin"
        self.images = folder + "/images"
        os.makedirs(self.bin)
        os.makedirs(self.images, mode=0o700)
        shutil.copy(programs + "/xt2tables-restore", self.bin + "/xt2tables-restore")
        for name in NAMES:
            os.symlink("xt2tables-restore", self.bin + "/" + name)
        with open(self.bin + "/xtables-legacy-multi", "w") as f:
            f.write(MULTI % self.bin)
        os.chmod(self.bin + "/xtables-legacy-multi", 0o755)
        self.env = dict(os.environ, PATH=self.bin + ":" + os.environ["PATH"] + ":/usr/sbin:/sbin",
                        XT2_IMAGE=self.images + "/image", LC_ALL="C")
        self.passed = self.total = self.bad = 0

    def run(self, command, cwd):
        for path in glob.glob(self.images + "/*"):
            os.unlink(path)
        return subprocess.run(["unshare", "-n"] + command, cwd=cwd, env=self.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True,
                              errors="replace", timeout=600)

    def wrong(self, what, evidence):
        self.bad += 1
        print("FAIL: %s\n%s" % (what, evidence))

    def extension(self, source, path):
        """One file of iptables-test.py."""
        name = os.path.basename(path)
        done = self.run([sys.executable, "iptables-test.py", "-H", "-l", "--no-netns",
                         "extensions/" + name], source)
        numbers = re.search(r"(\d+) unit tests, (\d+) passed", done.stdout)
        if not numbers:
            return self.wrong(name, done.stdout)
        self.total += int(numbers[1])
        self.passed += int(numbers[2])
        lines = {(name, int(n)) for n in re.findall(r"ERROR: line (\d+)", done.stdout)}
        for key in sorted(lines & KNOWN.keys()):
            print("%s: line %d: %s" % (*key, KNOWN[key]))
        if lines - KNOWN.keys():
            self.wrong(name, done.stdout)

    def script(self, source, name):
        """One script of run-tests.sh."""
        done = self.run(["./run-tests.sh", "-H", "-l", name], source + "/iptables/tests/shell")
        self.total += 1
        if done.returncode == 0 and "[OK]" in done.stdout:
            self.passed += 1
        else:
            self.wrong(name, done.stdout[-2000:])

    def report(self, what):
        print("%s: %d of %d" % (what, self.passed, self.total))
        passed, self.passed, self.total = self.passed, 0, 0
        return passed


def scripts(source):
    """What run-tests.sh would find."""
    folder = source + "/iptables/tests/shell/"
    return sorted(p[len(folder):] for p in glob.glob(folder + "testcases/*/*")
                  if re.search(r"_\d+$", p) and os.access(p, os.X_OK))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source")
    parser.add_argument("--programs", default=os.environ.get("top_builddir", "."))
    args = parser.parse_args()
    if os.getuid() != 0 or subprocess.run(["unshare", "-n", "true"]).returncode:
        suite.skip("the suites need root and network namespaces")
    if not shutil.which("xtables-legacy-multi", path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
        suite.skip("no xtables-legacy-multi")
    cache = os.path.abspath(os.environ.get("XT2_TEST_CACHE", "cache"))
    os.makedirs(cache, exist_ok=True)
    source, why = (os.path.abspath(args.source), None) if args.source else suite.fetch_source(cache)
    if not source:
        suite.skip(why)
    step = 6 if os.environ.get("XT2_SHORT") else 1
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(folder, os.path.abspath(args.programs))
        files = sorted(glob.glob(source + "/extensions/*.t"))
        for path in [f for f in files if not re.match("libarpt|libebt", os.path.basename(f))][::step]:
            tables.extension(source, path)
        passed = tables.report("lines of extensions/*.t")
        if step == 1 and passed < 860:
            tables.wrong("too few lines", "")
        for name in scripts(source)[::step]:
            tables.script(source, name)
        passed = tables.report("scripts")
        if step == 1 and passed < 60:
            tables.wrong("too few scripts", "")
    sys.exit(1 if tables.bad else 0)


main()
