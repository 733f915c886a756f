#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every program and subcommand, with every kind of bad file and surroundings.

Three tables: what reads a file by what a file may be, what writes a file by
where it may lead, and every call by what may be wrong around it.  For each cell
the exit code is one that the man page has, a failure names the file and a
reason, no signal ends the program, it ends at all, and files are as they were:
inputs always, old outputs after a failure, nothing left behind.

Cells that need root say so when it is not there.  XT2_SHORT=1 tries every fourth.

usage: bad-files.py [ROW[/COLUMN]]...     only these, and in detail
"""

import concurrent.futures
import gzip
import hashlib
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.abspath(os.environ.get("top_srcdir", "."))
BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
EXAMPLES = TOP + "/examples/"
LIMIT = 60  # seconds: what takes longer hangs
ROOT = os.geteuid() == 0
MOUNTS = "XT2_OWN_MOUNTS"  # is set in the namespace that this test makes for itself
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if ROOT else []
ENV = dict(os.environ, LC_ALL="C", PATH=BUILD + "/links:" + BUILD + ":" + os.environ["PATH"] + ":/usr/sbin:/sbin")
ENV.pop("XT2_IMAGE", None)


# --- what is called ----------------------------------------------------------------

class Row:
    """A call.  Words {in} and {out} are the file in question; {text}, {image}, {blob},
    {json}, {pcap}, {work} are good files, and a folder."""

    def __init__(self, name, call, reads=None, **also):
        self.name, self.call, self.reads = name, call.split(), reads
        self.absent = also.get("absent", False)  # a file that is not there is fine
        self.nobody = also.get("nobody", False)  # never as root: it would have effects
        self.missing = also.get("missing", 2)  # exit code for a file that cannot be opened
        self.silent = also.get("silent", False)  # the exit code is not its own
        program = self.call[0]
        self.page = ("xt2-" + self.call[1] + ".1" if program == "xt2" else
                     "-".join(["xt2tables"] + program.split("-")[1:]) + ".8")


READERS = [
    Row("restore", "xt2tables-restore --image {work}/image {in}", "text", missing=1),
    Row("restore6", "xt2ip6tables-restore --image {work}/image {in}", "text6", missing=1),
    Row("restore-arp", "xt2arptables-restore --image {work}/image {in}", "textarp", missing=1),
    Row("restore-test", "xt2tables-restore -tv --image {work}/image {in}", "text", missing=1),
    Row("restore-v", "xt2tables-restore -v --image {work}/image {in}", "text", missing=1),
    Row("restore-image", "xt2tables-restore --image {in} {text}", "image", absent=True,
        missing=4),
    Row("save-image", "xt2tables-save -c --image {in}", "image", absent=True, missing=4),
    Row("tables-image", "xt2tables -nvL --image {in}", "image", absent=True, missing=4),
    Row("tables-rules", "xt2tables -S INPUT --image {in}", "image", absent=True, missing=4),
    Row("check", "xt2 check {in}", "text"),
    Row("check-image", "xt2 check --strict {in}", "image"),
    Row("check-json", "xt2 check --json {in}", "text"),
    Row("check-two", "xt2 check {text} {in}", "text"),
    Row("digest", "xt2 digest {in}", "text"),
    Row("digest-image", "xt2 digest {in} {text}", "image"),
    Row("history", "xt2 history --image {in}", "image"),
    Row("dump", "xt2 dump {in}", "image"),
    Row("dump-json", "xt2 dump --json {in}", "image"),
    Row("dump-blob", "xt2 dump {in}", "blob"),
    Row("dump-said", "xt2 dump --family 4 --width 64 {in}", "blob"),
    Row("explain", "xt2 explain {in} -H INPUT -s 192.0.2.1", "text"),
    Row("explain-image", "xt2 explain {in} -H INPUT -s 192.0.2.1", "image"),
    Row("explain-capture", "xt2 explain {text} -H INPUT --capture {in}", "pcap"),
    Row("bench", "xt2 bench --packets 8 --rounds 1 {in}", "text"),
    Row("bench-json", "xt2 bench --json --packets 8 --rounds 1 {in}", "image"),
    Row("bench-capture", "xt2 bench --packets 8 --rounds 1 {text} {in}", "pcap"),
    Row("counters", "xt2 counters {in}", "image"),
    Row("state", "xt2 state {in}", "image"),
    Row("save", "xt2 save -c {in}", "image"),
    Row("save-text", "xt2 save {in}", "text"),
    Row("replay-rules", "xt2 replay -q -r {in} -H INPUT {pcap}", "text"),
    Row("replay-image", "xt2 replay -q --image {in} -H INPUT {pcap}", "image"),
    Row("replay-update", "xt2 replay -q --update --image {in} -H INPUT {pcap}", "image"),
    Row("replay-capture", "xt2 replay -q -r {text} -H INPUT --verdicts {work}/v --accepted "
        "{work}/a --dropped {work}/d --counters {work}/c {in}", "pcap"),
    Row("replay-loop", "xt2 replay -q -r {text} -H INPUT --loop 2 {pcap} {in}", "pcap"),
    Row("convert-save", "xt2 convert {in} -o {work}/o --family 4 --from save --to json", "text"),
    Row("convert-json", "xt2 convert {in} -o {work}/o --family 4 --from json --to save", "json"),
    Row("convert-blob", "xt2 convert {in} -o {work}/o --family 4 --from replace --to save",
        "blob"),
    Row("replace", "xt2 replace --family 4 --width 64 --image {work}/image {in}", "blob"),
    Row("replace-image", "xt2 replace --family 4 --width 64 --image {in} {again}", "image",
        absent=None),
    Row("run", "xt2 run --image {in} -- true", "image", absent=True, silent=True),
    Row("apply", "xt2 apply {in}", "text", nobody=True),
    Row("apply-image", "xt2 apply {in}", "image", nobody=True),
]
WRITERS = [
    Row("save-f", "xt2tables-save -c --image {image} -f {out}", missing=1),
    Row("convert-o", "xt2 convert {text} -o {out} --family 4 --from save --to json"),
    Row("convert-o-blob", "xt2 convert {text} -o {out} -t filter --family 4 --from save "
        "--to replace"),
    Row("verdicts", "xt2 replay -q -r {text} -H INPUT --verdicts {out} {pcap}"),
    Row("accepted", "xt2 replay -q -r {text} -H INPUT --accepted {out} {pcap}"),
    Row("dropped", "xt2 replay -q -r {text} -H INPUT --dropped {out} --loop 3 {pcap}"),
    Row("counters-out", "xt2 replay -q -r {text} -H INPUT --counters {out} {pcap}"),
    Row("several", "xt2 replay -q -r {text} -H INPUT --counters {work}/c --accepted {work}/a "
        "--verdicts {work}/v --dropped {out} {pcap}"),
]
# Images that are written: what is no image is refused, or made.
STORERS = [
    Row("store", "xt2tables-restore --image {out} {text}", missing=4),
    Row("store-tables", "xt2tables -A INPUT -j DROP --image {out}", missing=4),
    Row("store-replace", "xt2 replace --family 4 --width 64 --image {out} {blob}"),
    Row("store-update", "xt2 replay -q --update --image {out} -H INPUT {pcap}"),
]
# These take an image that is not there for an empty one.
LOOKERS = ("save-image", "tables-image", "tables-rules")
# And calls without files, for what is around them.
OTHERS = [
    Row("status", "xt2 status", nobody=True),
    Row("detach", "xt2 detach", nobody=True),
    Row("doctor", "xt2 doctor", nobody=True),
    Row("confirm", "xt2 confirm", nobody=True),
    Row("repair", "xt2 repair", nobody=True),
    Row("log", "xt2 log", nobody=True),
    Row("save-live", "xt2 save --live", nobody=True),
    Row("save-live8", "xt2tables-save --live", nobody=True),
    Row("counters-live", "xt2 counters --live", nobody=True),
    Row("state-live", "xt2 state --live", nobody=True),
    Row("dump-live", "xt2 dump --live", nobody=True),
]

PAGES = {"xt2-status.1": "xt2-apply.1", "xt2-detach.1": "xt2-apply.1",
         "xt2-repair.1": "xt2-apply.1"}


def documented(page):
    """The exit codes in a man page's section EXIT STATUS."""
    with open(f"{TOP}/doc/{PAGES.get(page, page)}") as f:
        section = re.search(r"^\.Sh EXIT STATUS\n(.*?)^\.Sh", f.read(), re.M | re.S)
    codes = {int(n) for n in re.findall(r"^(?:\.It )?(\d+)(?::|$)", section[1], re.M)}
    if page == "xt2-run.1":
        codes |= {0, 126, 127}  # those of the command
    assert len(codes) > 1, f"{page}: no exit codes"
    return codes


# --- a cell's files ------------------------------------------------------------------

class Good:
    """Good files, made once."""

    def __init__(self, folder):
        self.text = EXAMPLES + "server.rules"
        self.other = shutil.copy(self.text, folder + "/other.rules")  # has to be stored again
        self.text6 = EXAMPLES + "server6.rules"
        self.pcap = EXAMPLES + "server.pcap"
        self.textarp = folder + "/arp.rules"
        self.image, self.blob, self.again, self.json = (
            folder + "/good." + k for k in ("image", "blob", "again", "json"))
        with open(self.textarp, "w") as f:
            f.write("*filter\n:INPUT ACCEPT\n:OUTPUT ACCEPT\n-A INPUT -j DROP\n\n")
        calls = [["xt2tables-restore", "--image", self.image, self.text]]
        for form, path in (("json", self.json), ("replace", self.blob)):
            calls.append(["xt2", "convert", self.text, "-o", path, "--family", "4", "-t", "filter",
                          "--from", "save", "--to", form])
        for call in calls:
            subprocess.run(call, env=ENV, check=True)
        os.remove(self.image + ".lock")
        with open(self.blob, "rb") as f:
            blob = f.read()  # num_counters: as if it were there already
        write(self.again, blob[:84] + blob[36:40] + blob[88:])
        self.bytes = {}
        for kind in ("text", "text6", "textarp", "pcap", "image", "blob", "json"):
            path = getattr(self, kind)
            with open(path, "rb") as f:
                self.bytes[kind] = f.read()
            if path.startswith(folder):
                os.chmod(path, 0o644)


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def pipe_with(path, data):
    """A named pipe, and somebody who writes to it once it is opened."""
    os.mkfifo(path)

    def writer():
        try:
            with open(path, "wb") as f:
                f.write(data)
        except OSError:
            pass

    threading.Thread(target=writer, daemon=True).start()
    return path


def open_socket(path):
    s = socket.socket(socket.AF_UNIX)
    if len(path) > 100:
        os.chdir(os.path.dirname(path))
    s.bind(path)
    s.close()
    return path


def link(path, to):
    os.symlink(to, path)
    return path


def folder_in(path):
    os.mkdir(path)
    return path


def sparse(path):
    with open(path, "wb") as f:
        f.truncate(1 << 40)
    return path


def after(function, *args):
    """What a step gives, when it is told the path only."""
    return lambda path, good: function(path, *[a(good) if callable(a) else a for a in args])


def cut(good):
    return good[:len(good) // 2]


PCAPNG = b"\x0a\x0d\x0d\x0a" + bytes([28, 0, 0, 0]) + b"\x4d\x3c\x2b\x1a" + b"\xff" * 40
NOISE = b"".join(hashlib.sha256(bytes([i])).digest() for i in range(128))

# What a file may be: its path -> the path that is given.  Then, whether it is
# fine ("good"), not there ("absent"), wrong by the file system ("open", "rights"),
# wrong in what it holds ("bad"), or either ("any").
FILES = {
    "good": (after(write, lambda g: g), "good"),
    "missing": (lambda path, good: path, "absent"),
    "no-folder": (lambda path, good: path + "/none/file", "open?"),
    "empty": (after(write, b""), "any"),
    "one-byte": (after(write, b"*"), "any"),
    "newline": (after(write, b"\n"), "any"),
    "directory": (after(folder_in), "open"),
    "pipe": (after(pipe_with, lambda g: g), "pipe"),
    "pipe-empty": (after(pipe_with, b""), "any"),
    "pipe-cut": (after(pipe_with, cut), "any"),
    "socket": (after(open_socket), "bad"),
    "dev-full": (lambda path, good: "/dev/full", "bad"),
    "dev-zero": (lambda path, good: "/dev/zero", "bad"),
    "dev-null": (lambda path, good: "/dev/null", "any"),
    "dangling": (after(link, "nowhere"), "absent"),
    "loop": (lambda path, good: link(path, os.path.basename(path)), "open"),
    "link-folder": (after(link, "."), "open"),
    "link": (lambda path, good: link(path, os.path.basename(write(path + ".to", good))), "good"),
    "long-name": (lambda path, good: path + "x" * 300, "open"),
    "slash": (lambda path, good: write(path, good) + "/", "open"),
    "no-name": (lambda path, good: "", "bad"),
    "unreadable": (lambda path, good: os.chmod(write(path, good), 0) or path, "rights"),
    "cut": (after(write, cut), "any"),
    "cut-1": (after(write, lambda g: g[:-1]), "any"),
    "first-64": (after(write, lambda g: g[:64]), "any"),
    "more": (after(write, lambda g: g + g[:100]), "any"),
    "flipped-magic": (after(write, lambda g: bytes(b ^ 255 for b in g[:4]) + g[4:]), "bad"),
    "noise": (after(write, NOISE), "bad"),
    "zeros": (after(write, bytes(5000)), "bad"),
    "nul-inside": (after(write, lambda g: g[:200] + b"\0" + g[200:]), "any"),
    "bom": (after(write, lambda g: b"\xef\xbb\xbf" + g), "bad"),
    "utf-16": (after(write, lambda g: b"\xff\xfe" + b"".join(bytes([c, 0]) for c in g[:9999])),
               "bad"),
    "crlf": (after(write, lambda g: g.replace(b"\n", b"\r\n")), "any"),
    "long-line": (after(write, b"*filter\n-A INPUT " + b"x" * (10 << 20) + b"\n"), "bad"),
    "is-text": (after(write, b"*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n"), "any"),
    "is-image": (lambda path, good: write(path, GOOD.bytes["image"]), "any"),
    "is-pcap": (lambda path, good: write(path, GOOD.bytes["pcap"]), "any"),
    "is-json": (lambda path, good: write(path, b'{"xt2":1,"tables":[]}\n'), "any"),
    "pcapng-noise": (after(write, PCAPNG), "bad"),
    "gzip": (lambda path, good: write(path, gzip.compress(good, mtime=1)), "bad"),
    "sparse": (after(sparse), "bad"),
    "shrinks": (after(write, lambda g: g), "shrinks"),
}
GOOD = None


# --- a cell ----------------------------------------------------------------------------

class Failed(Exception):
    pass


def picture(folder):
    """What is in a folder."""
    seen = {}
    for at, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(at, name)
            st = os.lstat(path)
            content = b""
            if stat.S_ISREG(st.st_mode) and st.st_size < 1 << 30 and os.access(path, os.R_OK):
                with open(path, "rb") as f:
                    content = hashlib.sha256(f.read()).digest()
            elif stat.S_ISLNK(st.st_mode):
                content = os.readlink(path)
            size = 0 if stat.S_ISDIR(st.st_mode) else st.st_size
            seen[os.path.relpath(path, folder)] = (st.st_mode, size, content)
    return seen


class Cell:
    """One call, in a folder of its own."""

    def __init__(self, row, column, base):
        self.row, self.column = row, column
        self.name = f"{row.name}/{column}"
        self.work = tempfile.mkdtemp(dir=base)
        os.chmod(self.work, 0o777)
        self.file = self.work + "/file"
        self.reason = True  # a failure has to name the file
        self.before = None

    def words(self, file):
        known = {**vars(GOOD), "in": file, "out": file, "work": self.work}
        return [w.format(**known) for w in self.row.call]

    def run(self, words, wrapper=(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
        """=> exit code; all that was said is in self.said"""
        nobody = NOBODY if self.row.nobody and "setpriv" not in wrapper else []
        self.before = picture(self.work)
        with subprocess.Popen([*nobody, *wrapper, *words], env=ENV, stdin=stdin, stdout=stdout,
                              stderr=subprocess.PIPE, cwd=self.work) as p:
            try:
                out, err = p.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                p.kill()
                p.communicate()
                raise Failed("hangs") from None
        self.out, self.err = out or b"", err or b""
        self.said = (self.out + self.err).decode(errors="replace")
        self.code = p.returncode
        return p.returncode

    def judge(self, named, ok=None):
        """@named: what a failure has to name; @ok: is exit code 0 right?  None: it may be"""
        codes = documented(self.row.page)
        if self.code < 0:
            raise Failed(f"killed by signal {signal.Signals(-self.code).name}")
        if self.code not in codes:
            raise Failed(f"exit code {self.code} is not in {self.row.page}: {sorted(codes)}")
        if ok is not None and (self.code == 0) != ok:
            raise Failed(f"exit code {self.code}")
        if self.code and not self.said.strip() and not self.row.silent:
            raise Failed(f"exit code {self.code}, silent")
        if re.match(rb"E[A-Z0-9]+: ", self.out):
            return  # the kernel's answer, by xt2 replace
        if self.code and named and named[-60:] not in self.said and \
                named[:200] not in self.said:
            raise Failed("the message does not name the file")

    def untouched(self, results=()):
        """Files are as they were, but for results of what has succeeded."""
        now = picture(self.work)
        for name in sorted(set(now) | set(self.before)):
            if now.get(name) == self.before.get(name) or name.endswith((".lock", ".old-0", ".old-1", ".old-2")):
                continue
            if self.code == 0 and name in results:
                continue
            raise Failed(f"{name} was {self.before.get(name)} and is {now.get(name)}")

    def clean(self):
        shutil.rmtree(self.work, ignore_errors=True)


def shrink(path, good, stop):
    """The file loses its end and gets it back, again and again."""
    while not stop.is_set():
        os.truncate(path, len(good) // 3)
        with open(path, "r+b") as f:
            f.write(good)


RESULTS = ("image", "v", "a", "d", "c", "o")


def read_cell(cell, standard_input=False):
    make, how = FILES[cell.column]
    good = GOOD.bytes[cell.row.reads]
    file = make(cell.file, good)
    wrapper = NOBODY if how == "rights" else ()
    results = RESULTS
    if cell.row.name in ("restore-image", "replay-update", "replace-image"):
        results = (*RESULTS, "file", "file.to", "nowhere")
    stop = threading.Event()
    if how == "shrinks":
        thread = threading.Thread(target=shrink, args=(file, good, stop))
        thread.start()
    try:
        if standard_input:
            with open(file, "rb") as f:
                cell.run(cell.words("-"), stdin=f)
        else:
            cell.run(cell.words(file), wrapper)
    finally:
        stop.set()
        if how == "shrinks":
            thread.join()
    if how == "shrinks":
        write(file, good)
        cell.judge(None)
        return
    ok = {"good": True, "open": False, "bad": False, "rights": False}.get(how)
    if how == "open?":
        ok = cell.row.name in LOOKERS
    if how == "absent":
        ok = cell.row.absent
    if how == "pipe" and cell.row.name not in (
            "history", "restore-image", "replay-update", "replace-image", "run", *LOOKERS):
        ok = True
    if cell.row.nobody and ok:  # what is good fails later on
        ok = None
    named = None if standard_input or cell.row.nobody and how in ("good", "pipe", "any") else file
    cell.judge(named, ok)
    if not standard_input and how in ("open", "open?", "absent", "rights") and ok is False and \
            cell.code != cell.row.missing:
        raise Failed(f"exit code {cell.code}, not {cell.row.missing}, for a file that cannot be "
                     "opened")
    cell.untouched(results)


# --- what is written --------------------------------------------------------------------

OLD = b"old content\n"


def old_file(cell):
    os.chmod(write(cell.file, OLD), 0o640)
    return cell.file


def hard_link(cell):
    """Another name of the capture, where the row has one."""
    capture = shutil.copy(GOOD.pcap, cell.work + "/in.pcap")
    os.link(capture, cell.file)
    cell.row = Row(cell.row.name, " ".join(cell.row.call).replace("{pcap}", capture).replace(
        "{text}", shutil.copy(GOOD.text, cell.work + "/in.rules")))
    return cell.file


def in_full_disk(cell):
    mount(cell, "-t", "tmpfs", "-o", "size=64k", "none")
    old = write(cell.work + "/m/file",
                GOOD.bytes["image"] if cell.row.name.startswith("store") else OLD)
    with open(cell.work + "/m/rest", "wb", buffering=0) as f:
        try:
            while f.write(bytes(1024)):
                pass
        except OSError:
            pass
    return old


def mount(cell, *words):
    os.mkdir(cell.work + "/m")
    subprocess.run(["mount", *words, cell.work + "/m"], check=True)


def remount(cell, how):
    """A child that another thread has forked may have a file open there until it executes a program."""
    while subprocess.run(["mount", "-o", f"remount,{how}", cell.work + "/m"], stderr=subprocess.DEVNULL, check=False).returncode:
        time.sleep(0.01)


def read_only(cell):
    mount(cell, "-t", "tmpfs", "none")
    path = write(cell.work + "/m/file", OLD)
    remount(cell, "ro")
    return path


def closed_folder(cell):
    path = write(folder_in(cell.work + "/closed") + "/file", OLD)
    os.chmod(path, 0o666)
    os.chmod(cell.work + "/closed", 0o555)
    return path


# Where an output may lead -> path; "new", "old", "through", "fails", "nobody" (fails
# without rights), "root" (fails, and takes a mount)
PLACES = {
    "new": (lambda c: c.file, "new"),
    "old": (old_file, "old"),
    "link": (lambda c: link(c.work + "/link", os.path.basename(old_file(c))), "old"),
    "dangling": (lambda c: link(c.work + "/link", "file"), "new"),
    "directory": (lambda c: folder_in(c.file), "fails"),
    "link-folder": (lambda c: link(c.file, "."), "fails"),
    "loop": (lambda c: link(c.file, "file"), "fails"),
    "no-folder": (lambda c: c.work + "/none/file", "fails"),
    "file-as-folder": (lambda c: old_file(c) + "/file", "fails"),
    "slash": (lambda c: old_file(c) + "/", "fails"),
    "long-name": (lambda c: c.file + "x" * 300, "fails"),
    "no-name": (lambda c: "", "fails"),
    "socket": (lambda c: open_socket(c.file), "fails"),
    "dev-full": (lambda c: "/dev/full", "full"),
    "dev-null": (lambda c: "/dev/null", "through"),
    "dev-stdout": (lambda c: "/dev/stdout", "through"),
    "stdout": (lambda c: "-", "through"),
    "fd-1": (lambda c: "/dev/fd/1", "through"),
    "pipe": (lambda c: os.mkfifo(c.file) or c.file, "pipe"),
    "same": (hard_link, "same"),
    "unwritable": (lambda c: os.chmod(old_file(c), 0o444) or c.file, "nobody"),
    "closed-folder": (closed_folder, "nobody"),
    "full-disk": (in_full_disk, "mount"),
    "read-only": (read_only, "mount"),
}


def write_cell(cell):
    make, how = PLACES[cell.column]
    file = make(cell)
    wrapper = NOBODY if how == "nobody" else ()
    stdout = subprocess.PIPE
    reader = None
    if how == "pipe":
        reader = subprocess.Popen(["cat", file], stdout=subprocess.PIPE)
    try:
        cell.run(cell.words(file), wrapper, stdout=stdout)
        if reader:
            got = reader.communicate(timeout=LIMIT)[0]
            if not got:
                raise Failed("nothing came through the pipe")
    finally:
        if reader:
            reader.kill()
            reader.wait()
    if how == "same" and "{" not in cell.row.name and "in.pcap" not in cell.row.call[-1]:
        how = "old"
    ok = how in ("new", "old", "through", "pipe")
    if cell.column == "link-folder" and cell.code == 0:
        raise Failed("it was written to a folder")
    cell.judge(file, ok)
    if how in ("full",) or cell.column == "full-disk":
        expect(cell, 4, "No space left on device")
    if cell.column == "read-only":
        expect(cell, cell.row.missing, "Read-only file system")
    if how in ("fails", "nobody", "same") and cell.code != cell.row.missing:
        raise Failed(f"exit code {cell.code}, not {cell.row.missing}")
    cell.untouched((*RESULTS, "file"))
    if how == "through" and cell.column != "dev-null" and not cell.out:
        raise Failed("nothing on standard output")
    if how in ("new", "old") and cell.column != "same":
        result = os.stat(cell.work + "/file")
        want = 0o640 if how == "old" else 0o644
        if stat.S_IMODE(result.st_mode) != want or not result.st_size:
            raise Failed(f"the new file: {result}")
    if cell.column in ("link", "dangling") and not os.path.islink(cell.work + "/link"):
        raise Failed("the link is gone")


def expect(cell, code, message):
    if cell.code != code or message not in cell.said:
        raise Failed(f"exit code {cell.code}, or no '{message}'")


def store_cell(cell):
    """An image in an odd place; replay --update needs one that is there."""
    make, how = PLACES[cell.column]
    file = make(cell)
    old = cell.file if os.path.isfile(cell.file) else file
    if os.path.isfile(old) and how in ("old", "nobody"):
        mode = stat.S_IMODE(os.stat(old).st_mode)
        os.chmod(old, 0o644)
        os.chmod(write(old, GOOD.bytes["image"]), mode)
    if how == "mount" and cell.column == "read-only":
        remount(cell, "rw")
        write(file, GOOD.bytes["image"])
        remount(cell, "ro")
    words = cell.words(file)
    if how != "new":
        words = [{GOOD.blob: GOOD.again, GOOD.text: GOOD.other}.get(w, w) for w in words]
    cell.run(words, NOBODY if how == "nobody" else ())
    ok = how in ("new", "old")
    if how == "new" and cell.row.name == "store-update":
        ok = False
    if cell.column == "unwritable":
        ok = None  # the folder's rights count
    cell.judge(file if file != "-" else None, ok)
    cell.untouched((*RESULTS, "file"))
    if cell.column == "full-disk":
        expect(cell, 4, "No space left on device")
    if cell.code and os.path.exists("/dev/null.lock"):
        raise Failed("a lock beside a device")


# --- what is around -----------------------------------------------------------------------

def shell(text):
    return ["sh", "-c", text + '\nexec "$@"', "sh"]


SURROUNDINGS = {
    "closed-stdin": (["sh", "-c", 'exec "$@" <&-', "sh"], None),
    "closed-stdout": (["sh", "-c", 'exec "$@" >&-', "sh"], "output"),
    "closed-stderr": (["sh", "-c", 'exec "$@" 2>&-', "sh"], "quiet"),
    "closed-all": (["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"], "quiet"),
    "full-stdout": (["sh", "-c", 'exec "$@" >/dev/full', "sh"], "output"),
    "reader-gone": (None, "pipe"),
    "nobody": (NOBODY, None),
    "file-size-0": (["prlimit", "--fsize=0"], None),
    "file-size-4k": (["prlimit", "--fsize=4096"], None),
    "few-files": (["prlimit", "--nofile=4"], None),
    "memory-48m": (["prlimit", "--as=50331648"], None),
    "no-proc": (["unshare", "-m", *shell("mount -t tmpfs none /proc || exit 77")], "root"),
    "no-sys": (["unshare", "-m", *shell("mount -t tmpfs none /sys || exit 77")], "root"),
    "no-dev": (["unshare", "-m", *shell("mount -t tmpfs none /dev || exit 77")], "root"),
    "no-tmp": (["env", "TMPDIR=/nonexistent"], None),
}


def around_cell(cell):
    wrapper, how = SURROUNDINGS[cell.column]
    file = cell.file
    if cell.row.reads:
        write(file, GOOD.bytes[cell.row.reads])
        os.chmod(file, 0o644)
    elif any("{out}" in w for w in cell.row.call):
        write(file, GOOD.bytes["image"] if cell.row in STORERS else OLD)
        os.chmod(file, 0o666)
    if how == "pipe":
        r, w = os.pipe()
        os.close(r)
        try:
            cell.run(cell.words(file), stdout=w)
        finally:
            os.close(w)
        if cell.code == -signal.SIGPIPE:
            cell.code = 4
            cell.said = "Broken pipe"
        cell.judge(None)
    else:
        words = cell.words(file)
        if cell.row.reads is None:  # the image is there
            words = [GOOD.again if w == GOOD.blob else w for w in words]
        cell.run(words, wrapper)
        if how == "quiet":
            cell.said = cell.said or "standard error is closed"
        if cell.row.name == "run" and cell.column in ("no-proc", "few-files", "memory-48m"):
            cell.said, cell.code = cell.said or "?", min(cell.code, 4)
        cell.judge(None)
        if how == "output" and cell.code == 0 and cell.row.name in PRINTERS:
            raise Failed("exit code 0, though nothing could be printed")
        if how == "output" and cell.row.name in PRINTERS and \
                not re.search("No space left|Bad file descriptor", cell.said):
            raise Failed("the message does not say why")
    results = (*RESULTS, "file")
    if cell.column == "no-proc" and cell.code and not cell.row.nobody and \
            cell.row.name not in ("run",):
        raise Failed(f"needs /proc: exit code {cell.code}")
    if cell.column in ("no-sys", "no-dev", "no-tmp", "closed-stdin", "closed-stderr") and \
            cell.code and not cell.row.nobody and cell.row.name != "run":
        raise Failed(f"exit code {cell.code}")
    if cell.code == 4 and cell.row.call[1] == "replace" and \
            (how in ("output", "pipe") or cell.column == "closed-all"):
        cell.code = 0  # the answer is lost, but what it tells has been done
    cell.untouched(results)


# Sanitizers need more than this.
TOO_LITTLE = ("memory-48m", "few-files", "no-proc") if os.environ.get("SANITIZE_CFLAGS") else ()

# Whose work is what they print.
PRINTERS = {"restore-test", "restore-v", "save-image", "check", "check-image", "check-json",
            "check-two", "digest", "digest-image", "dump", "dump-json", "dump-blob", "dump-said",
            "explain", "explain-image", "explain-capture", "bench", "bench-json", "bench-capture",
            "counters", "state", "save", "save-text", "replay-rules", "replay-image", "replay-update",
            "replay-capture", "replay-loop", "replace", "replace-image"}


# --- all of them ----------------------------------------------------------------------------

STANDARD_INPUT = {"restore", "check", "digest-image", "dump", "dump-blob", "explain-capture",
                  "replay-capture", "convert-json", "convert-blob", "replace", "save"}
UNOPENED = ("missing", "no-folder", "directory", "pipe", "pipe-empty", "pipe-cut", "socket",
            "dangling", "loop", "link-folder", "long-name", "slash", "no-name", "unreadable",
            "shrinks")


def cells():
    """=> (what to do, row, column, does it need root)"""
    for row in READERS:
        for column, (_, how) in FILES.items():
            yield read_cell, row, column, how == "rights" and not shutil.which("setpriv")
            if row.name in STANDARD_INPUT and column not in UNOPENED:
                yield from_standard_input, row, column, False
    for row in WRITERS:
        for column, (_, how) in PLACES.items():
            yield write_cell, row, column, how == "mount"
    for row in STORERS:
        for column, (_, how) in PLACES.items():
            if how not in ("same", "pipe") and column != "stdout":
                yield store_cell, row, column, how == "mount"
    for row in READERS + WRITERS + STORERS + OTHERS:
        for column, (_, how) in SURROUNDINGS.items():
            if not (row.nobody and how == "root") and column not in TOO_LITTLE:
                yield around_cell, row, column, how == "root"


def from_standard_input(cell):
    read_cell(cell, standard_input=True)


def try_cell(do, row, column, base):
    cell = Cell(row, column, base)
    problem = None
    try:
        do(cell)
    except Failed as e:
        problem = f"{cell.name}{' (standard input)' if do is from_standard_input else ''}: {e}"
        said = getattr(cell, "said", "").strip().split("\n")
        problem += "".join("\n    " + line[:200] for line in said[:4])
    finally:
        if os.path.ismount(cell.work + "/m"):
            subprocess.run(["umount", "-l", cell.work + "/m"], check=True)  # a thread may fork now
        if os.path.isdir(cell.work + "/closed"):
            os.chmod(cell.work + "/closed", 0o755)
        cell.clean()
    return problem


def main():
    global GOOD  # pylint: disable=global-statement
    own = ["unshare", "-m"]
    if ROOT and MOUNTS not in os.environ and not subprocess.run(
            [*own, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        os.environ[MOUNTS] = "1"  # mounts go when this test does
        os.execvp(own[0], [*own, sys.executable, *sys.argv])
    wanted = sys.argv[1:]
    base = tempfile.mkdtemp()
    os.chmod(base, 0o755)
    try:
        os.umask(0o022)
        GOOD = Good(base)
        todo, left_out, number = [], 0, 0
        step = 4 if os.environ.get("XT2_SHORT") and not wanted else 1
        for do, row, column, root in cells():
            if wanted and row.name not in wanted and f"{row.name}/{column}" not in wanted:
                continue
            number += 1
            if number % step:
                continue
            if root and MOUNTS not in os.environ:
                left_out += 1
                continue
            todo.append((do, row, column))
        with concurrent.futures.ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
            problems = [p for p in pool.map(lambda t: try_cell(*t, base), todo) if p]
    finally:
        shutil.rmtree(base, ignore_errors=True)
    if left_out:
        print(f"SKIP: {left_out} cells need root and mounts")
    print("\n".join(problems + [f"{len(todo)} cells, {len(problems)} failed"]))
    sys.exit(1 if problems or not todo else 0)


if __name__ == "__main__":
    main()
