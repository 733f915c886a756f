#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iptables' own test suites, run by the unmodified tools on images.

Every file of extensions/*.t goes through iptables-test.py, every script of
iptables/tests/shell through run-tests.sh, each on a fresh image under xt2 run:
the installed 64-bit tools, and 32-bit ones if their packages can be fetched.
arptables-legacy, which iptables-test.py knows only as part of the nft variant,
takes part under that name.

The sources and the 32-bit packages come from the package mirrors that apt is
configured with, into $XT2_TEST_CACHE (or cache/ in the build directory).  With
XT2_SHORT set a part of the files is tried.

usage: shim-suite.py [--source DIR] [--programs DIR] [--no-32]
"""

import argparse
import difflib
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RULESETS = HERE + "/rulesets"

# What is expected to be refused, and is not: file, line, why
KNOWN = {
    ("libxt_nfacct.t", 8): "which nfacct objects there are, only a kernel knows",
    ("libxt_recent.t", 7): "newer kernels count more packets",
    ("libarpt_mangle.t", 4): "arptables-legacy asks for --h-length 6 first",
}
PACKAGES = ["iptables", "arptables", "ebtables", "libxtables12", "libip4tc2", "libip6tc2", "libc6",
            "libmnl0", "libnftnl11", "libnfnetlink0", "libnetfilter-conntrack3"]
I386 = ["-o", "APT::Architecture=i386", "-o", "APT::Architectures=i386"]

UNPRIVILEGED = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
EDIT = """MULTI-restore && MULTI -L >/dev/null && MULTI -N added && MULTI -I OUTPUT 1 -j added &&
	MULTI -R OUTPUT 1 -p udp -j added && MULTI -Z && MULTI-save -c"""

# 64-bit tools print the end of 32-bit time, 32-bit tools take it for none.
NEVER = " --datestop 2038-01-19T03:14:07"

spec = importlib.util.spec_from_file_location("suite", HERE + "/../golden/xtables-suite.py")
suite = importlib.util.module_from_spec(spec)
spec.loader.exec_module(suite)


class Run:
    """One set of tools: numbers, and what went wrong."""

    def __init__(self, name, xt2, folder, path):
        self.name, self.xt2, self.folder = name, xt2, folder
        self.env = dict(os.environ, PATH=":".join(path + [os.environ["PATH"], "/usr/sbin:/sbin"]),
                        LC_ALL="C")
        self.passed = self.total = self.bad = 0

    def fresh(self):
        image = self.folder + "/image"
        for path in glob.glob(image + "*"):
            os.unlink(path)
        return image

    def shim(self, *command, cwd=None, stdin=subprocess.DEVNULL):
        return subprocess.run(["unshare", "-n", self.xt2, "run", "--image", self.fresh(), "--",
                               *command], cwd=cwd, env=self.env, stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True, errors="replace", timeout=600)

    def wrong(self, what, evidence=""):
        self.bad += 1
        print("FAIL: %s: %s\n%s" % (self.name, what, evidence))

    def unexpected(self, name, output):
        """Failures of a file that have no reason; a line can fail in two ways."""
        lines = {int(n) for n in re.findall(r"ERROR: line (\d+)", output)}
        for line in sorted(lines):
            why = KNOWN.get((name, line))
            if why:
                print("%s: %s: line %d: %s" % (self.name, name, line, why))
        return [line for line in sorted(lines) if (name, line) not in KNOWN]

    def extension(self, source, path, variant):
        """One file of iptables-test.py."""
        name = os.path.basename(path)
        done = self.shim(sys.executable, "iptables-test.py", "-H", variant, "--no-netns",
                         "extensions/" + name, cwd=source)
        numbers = re.search(r"(\d+) unit tests, (\d+) passed", done.stdout)
        if not numbers:
            return self.wrong(name, done.stdout)
        total, passed = int(numbers[1]), int(numbers[2])
        self.total += total
        self.passed += passed
        if self.unexpected(name, done.stdout):
            self.wrong(name, done.stdout)

    def script(self, source, name):
        """One script of run-tests.sh."""
        done = self.shim("./run-tests.sh", "-H", "-l", name, cwd=source + "/iptables/tests/shell")
        self.total += 1
        if done.returncode == 0 and "[OK]" in done.stdout:
            self.passed += 1
        else:
            self.wrong(name, done.stdout[-2000:])

    def bridges(self):
        """ebtables: what the tools list is what they listed when the rulesets were captured"""
        for path in sorted(glob.glob(RULESETS + "/ebt-*.rules")):
            with open(path) as rules:
                done = self.shim("sh", "-c", "ebtables-legacy-restore && for t in filter nat broute;"
                                 " do ebtables-legacy -t $t -L --Lc; done", stdin=rules)
            self.total += 1
            if done.stdout == open(path[:-5] + "listed").read():
                self.passed += 1
            else:
                self.wrong(path, done.stdout)

    def captured(self, prefix):
        """Captured rulesets: loaded, listed, edited and saved; => the saved texts"""
        texts = []
        for path in sorted(glob.glob(RULESETS + "/v[46]-*.rules")):
            multi = "xtables-legacy-multi ip%stables" % ("6" if "/v6" in path else "")
            with open(path) as rules:
                done = subprocess.run(prefix + [self.xt2, "run", "--image", self.fresh(), "--", "sh",
                                                "-c", EDIT.replace("MULTI", multi)],
                                      env=self.env, stdin=rules, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, universal_newlines=True)
            text = "".join(x + "\n" for x in done.stdout.splitlines() if x[:1] != "#")
            if done.returncode or "COMMIT" not in text:
                self.wrong(path, done.stderr)
            texts.append(text.replace(NEVER, ""))
        return texts

    def unprivileged(self, expected):
        """Who may do nothing gets the same from his own image."""
        os.makedirs(self.folder + "/theirs")
        os.chown(self.folder + "/theirs", 65534, 65534)
        kept, self.folder = self.folder, self.folder + "/theirs"
        texts = self.captured(UNPRIVILEGED)
        self.folder = kept
        self.total += len(expected)
        for mine, theirs in zip(expected, texts):
            if mine == theirs:
                self.passed += 1
            else:
                self.wrong("a captured ruleset", theirs)

    def report(self, what):
        print("%s: %s: %d of %d" % (self.name, what, self.passed, self.total))
        result = (self.passed, self.total)
        self.passed = self.total = 0
        return result


def scripts(source):
    """What run-tests.sh would find."""
    os.chdir(source + "/iptables/tests/shell")
    return sorted(p for p in glob.glob("testcases/*/*") if re.search(r"_\d+$", p)
                  and os.access(p, os.X_OK))


def wrapper(folder, name, text):
    path = folder + "/" + name
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def arptables(folder):
    """The commands of iptables-test.py for arptables, answered by arptables-legacy."""
    os.makedirs(folder)
    wrapper(folder, "xtables-nft-multi", """name=$1
shift
case $name in
arptables) exec arptables-legacy "$@" ;;
esac
script=$(command -v "arptables-legacy${name#arptables}") || exit 127
exec perl -we "$(sed "s:\\"/usr/sbin/arptables\\":\\"$(command -v arptables-legacy)\\":" "$script")" -- "$@"
""")
    return folder


def fetch_32(cache):
    """=> the folder that the 32-bit packages are unpacked in, or None and why not"""
    root = cache + "/i386/root"
    if os.path.exists(root + "/usr/sbin/xtables-legacy-multi"):
        return root, None
    folder = cache + "/i386"
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return None, "no apt-get or dpkg to fetch 32-bit packages with"
    for part in ("state/lists/partial", "apt/archives/partial"):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
    with open(folder + "/sources.list", "w") as f:
        for line in suite.deb_src_lines():
            f.write(line.replace("deb-src", "deb", 1) + "\n")
    suite.apt(folder, *I386, "update")      # one archive out of date is no reason to give up
    done = suite.apt(folder, *I386, "download", *PACKAGES, cwd=folder)
    packages = glob.glob(folder + "/*_i386.deb")
    if done.returncode or len(packages) < len(PACKAGES):
        return None, "apt-get download failed: " + done.stdout.strip()[-300:]
    for package in packages:
        subprocess.run(["dpkg", "-x", package, root], check=True)
    return root, None


def programs_32(folder, root):
    """Wrappers that start the 32-bit tools with their own loader and libraries."""
    libs = root + "/lib/i386-linux-gnu:" + root + "/usr/lib/i386-linux-gnu"
    start = ('XTABLES_LIBDIR=%s/usr/lib/i386-linux-gnu/xtables\nexport XTABLES_LIBDIR\n'
             'exec %s/lib/ld-linux.so.2 --library-path %s:%s/usr/lib/ebtables '
             % (root, root, libs, root))
    os.makedirs(folder)
    wrapper(folder, "xtables-legacy-multi", start + root + '/usr/sbin/xtables-legacy-multi "$@"\n')
    for name in ("arptables-legacy", "ebtables-legacy", "ebtables-legacy-restore"):
        wrapper(folder, name, start + root + '/usr/sbin/%s "$@"\n' % name)
    for name in ("arptables-legacy-save", "arptables-legacy-restore"):
        shutil.copy(root + "/usr/sbin/" + name, folder)
    return folder


def run_all(run, source, step, expected):
    """=> number of failures, and what captured rulesets are saved as"""
    files = sorted(glob.glob(source + "/extensions/*.t"))
    known = [f for f in files if not re.match("libarpt|libebt", os.path.basename(f))]
    for path in known[::step]:
        run.extension(source, path, "-l")
    passed, total = run.report("lines of extensions/*.t")
    if step == 1 and (total < 868 or passed < 860):
        run.wrong("too few lines")
    for name in scripts(source)[::step]:
        run.script(source, name)
    run.report("scripts")
    env = run.env["PATH"]
    run.env["PATH"] = arptables(run.folder + "/arptables") + ":" + env
    for path in files:
        if os.path.basename(path).startswith("libarpt"):
            run.extension(source, path, "-n")
    run.env["PATH"] = env
    run.report("lines of arptables")
    run.bridges()
    run.report("rulesets of ebtables")
    texts = run.captured([])
    if expected and texts != expected:
        run.wrong("saved by 32-bit tools", "".join(
            difflib.unified_diff("".join(expected).splitlines(1), "".join(texts).splitlines(1))))
    run.unprivileged(texts)
    run.report("captured rulesets without root")
    return run.bad, texts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source")
    parser.add_argument("--programs", default=os.environ.get("top_builddir", "."))
    parser.add_argument("--no-32", action="store_true")
    args = parser.parse_args()
    xt2 = os.path.abspath(args.programs) + "/xt2"
    if os.getuid() != 0 or subprocess.run(["unshare", "-n", "true"]).returncode:
        suite.skip("the suites need root and network namespaces")
    for tool in ("xtables-legacy-multi", "arptables-legacy", "ebtables-legacy"):
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            suite.skip("no " + tool)
    cache = os.path.abspath(os.environ.get("XT2_TEST_CACHE", "cache"))
    os.makedirs(cache, exist_ok=True)
    source, why = (os.path.abspath(args.source), None) if args.source else suite.fetch_source(cache)
    if not source:
        suite.skip(why)
    step = 6 if os.environ.get("XT2_SHORT") else 1
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        xt2 = shutil.copy(xt2, folder)      # where others can find it
        os.makedirs(folder + "/64")
        bad, texts = run_all(Run("64-bit", xt2, folder + "/64", []), source, step, None)
        root, why = (None, "not asked for") if args.no_32 else fetch_32(cache)
        if root:
            os.makedirs(folder + "/32")
            root = shutil.copytree(root, folder + "/root", symlinks=True)
            path = programs_32(folder + "/32/bin", root)
            bad += run_all(Run("32-bit", xt2, folder + "/32", [path]), source, 2 * step, texts)[0]
        else:
            print("SKIP: no 32-bit tools: " + why)
    sys.exit(1 if bad else 0)


main()
