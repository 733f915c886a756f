# SPDX-License-Identifier: GPL-2.0-or-later
"""The records of tests/legacy/vectors through xt2 convert, replace and dump.

Tables come in pairs, as a 64-bit and as a 32-bit program sent them: from each
of the two both must come out.  Masked is what the kernel ignores or fills in:
the names' tails, comefrom, the place of old counters.
"""
import json
import os
import struct
import subprocess
import sys

folder, rulesets, tmp = sys.argv[1:]
FAMILY = {2: "4", 3: "arp", 10: "6"}
HEADER = {2: 96, 3: 80, 10: 96}
HOOKS = {2: 5, 3: 3, 10: 5}
TARGET = {2: 88, 3: 164, 10: 140}
ENTRY = {2: 112, 3: 192, 10: 168}
COMEFROM = {2: 92, 3: 168, 10: 144}
path = os.path.join(tmp, "blob")
failed = 0
calls = 0


def bad(what):
    global failed
    failed += 1
    print("FAIL:", what)


def records(name):
    with open(os.path.join(folder, name), "rb") as f:
        while True:
            line = f.readline()
            if not line:
                return
            family, compat, what, length, label = line.decode().rstrip("\n").split(" ", 4)
            yield int(family), int(compat), what, f.read(int(length)), label


def xt2(*arguments, data=None):
    global calls
    calls += 1
    return subprocess.run(("xt2",) + arguments, input=data, capture_output=True)


def width(compat):
    return "32" if compat else "64"


def masked_name(b, at, size):
    end = b.index(0, at, at + size) if 0 in b[at:at + size] else at + size
    b[end:at + size] = bytes(at + size - end)


def masked(blob, family, compat, old=True):
    """Header and entries without what does not matter; old: the old table's size does."""
    b = bytearray(blob)
    header = HEADER[family] - 4 * compat
    hooks = HOOKS[family]
    pointer = (48 if old else 44) + 8 * hooks
    b[pointer:header] = bytes(header - pointer)
    masked_name(b, 0, 32)
    return bytes(b[:header]) + entries(b[header:], family, compat, True)


def entries(b, family, compat, counters):
    b = bytearray(b)
    size = ENTRY[family] - (4 if compat and family != 2 else 0)
    pos = 0
    while pos < len(b):
        end = struct.unpack_from("<H", b, pos + TARGET[family] + 2)[0]
        b[pos + COMEFROM[family]:pos + COMEFROM[family] + 4] = bytes(4)
        if not counters:
            b[pos + size - 16:pos + size] = bytes(16)
        at = pos + size
        while at < pos + end:
            masked_name(b, at + 2, 29)
            at += struct.unpack_from("<H", b, at)[0]
        pos += end
    return bytes(b)


def turn(record, like):
    """From one width into the other, and what must come out."""
    family, compat, _, blob, label = record
    r = xt2("convert", "-", "-o", "-", "--from", "replace", "--to", "replace",
            "--family", FAMILY[family], "--from-width", width(compat),
            "--to-width", width(like[1]), data=blob)
    if r.returncode:
        bad(f"{label}: {r.stderr.decode()}")
    elif masked(r.stdout, family, like[1]) != masked(like[3], family, like[1]):
        bad(f"{label}: {width(compat)} to {width(like[1])}: other bytes")
    return r.stdout


def pairs(name, least):
    all_records = list(records(name))
    assert len(all_records) >= least and len(all_records) % 2 == 0
    for native, compat in zip(all_records[::2], all_records[1::2]):
        for one in (native, compat):
            for other in (native, compat):
                turn(one, other)
    return {(r[0], r[4]): r for r in all_records[::2]}


def kernel(sent):
    """What GET_ENTRIES gave after this SET_REPLACE; a new table's counters are 0."""
    for family, _, _, blob, label in (r for r in records("kernel.vec") if r[2] == "entries"):
        r = turn(sent[family, label], sent[family, label])[HEADER[family]:]
        if entries(r, family, 0, False) != entries(blob, family, 0, False):
            bad(f"{label}: not what the kernel has")


def forms(sent):
    """Through JSON and back; a dump of each is JSON and tells the format."""
    for (family, label), record in sent.items():
        f = FAMILY[family]
        r = xt2("convert", "-", "-o", path, "--from", "replace", "--to", "json", "--family", f,
                data=record[3])
        r = r if r.returncode else xt2("convert", path, "-o", "-", "--from", "json",
                                       "--to", "replace", "--family", f)
        if r.returncode:
            bad(f"{label}: JSON: {r.stderr.decode()}")
        elif masked(r.stdout, family, 0, False) != masked(record[3], family, 0, False):
            bad(f"{label}: JSON: other bytes")
        with open(path, "wb") as out:
            out.write(record[3])
        r = xt2("dump", "--json", path)
        if r.returncode or json.loads(r.stdout)[0]["width"] != 64:
            bad(f"{label}: dump: {r.stderr.decode()}")


def defects():
    n = 0
    for family, compat, what, blob, label in records("defects.vec"):
        with open(path, "wb") as out:
            out.write(blob)
        option = ("--family", FAMILY[family], "--width", width(compat), path)
        r = xt2("replace", *option)
        answer = r.stdout.decode().split("\n", 1)[0]
        if answer.split(":")[0] != what or r.returncode != (0 if what == "ok" else 2):
            bad(f"{label}: {answer} instead of {what}")
        if what != "ok" and len(answer) < len(what) + 10:
            bad(f"{label}: no reason: {answer}")
        r = xt2("dump", "--json", *option)
        json.loads(r.stdout)
        if what not in ("ok", "EAGAIN") and (r.returncode != 2 or not r.stderr):
            bad(f"{label}: dump of a broken table: exit code {r.returncode}")
        n += 1
    assert n >= 180


def convert(data, *options):
    r = xt2("convert", "-", "-o", "-", *options, data=data)
    if r.returncode:
        bad(f"{' '.join(options)}: {r.stderr.decode()}")
    return r.stdout


def texts(sent):
    """The text that a tool was given makes the table that it sent, byte for byte."""
    last = {}
    for record in sent.values():
        table = record[3][:32].split(b"\0")[0].decode()
        last[record[0], record[4].split("/")[0].split(" ")[0], table] = record
    n = 0
    for (family, name, table), record in last.items():
        try:
            with open(os.path.join(rulesets, name + ".rules"), "rb") as f:
                text = f.read()
        except FileNotFoundError:
            continue
        b = convert(text, "--from", "save", "--to", "replace", "--family", FAMILY[family],
                    "-t", table)
        if masked(b, family, 0, False) != masked(record[3], family, 0, False):
            bad(f"{name}, {table}: not what the tool made of the text")
        n += 1
    assert n >= 10


def bridges():
    """
    ebtables sends memory that it has not set: both widths, with and without zeros in
    that memory, make one table, which is also what its text makes.
    """
    made = {}
    for family, compat, _, blob, label in records("ebt.vec"):
        name = label.split(".")[0]
        for to in ("64", "32"):
            b = convert(blob, "--from", "replace", "--to", "replace", "--family", "eb",
                        "--from-width", width(compat), "--to-width", to)
            if made.setdefault((name, to), b) != b:
                bad(f"{label}: another table, {width(compat)} to {to}")
        with open(path, "wb") as out:
            out.write(blob)
        r = xt2("replace", "--family", "eb", "--width", width(compat), path)
        if r.stdout != b"ok\n":
            bad(f"{label}: {r.stdout.decode()}")
        r = xt2("dump", "--json", path)
        if r.returncode or json.loads(r.stdout)[0]["family"] != "bridge":
            bad(f"{label}: dump: {r.stderr.decode()}")
    assert len(made) >= 6
    for (name, to), b in made.items():
        table = b[:32].split(b"\0")[0].decode()
        option = ("--family", "eb", "--to-width", to)
        with open(os.path.join(rulesets, name + ".rules"), "rb") as f:
            text = f.read()
        if convert(text, "--from", "save", "--to", "replace", "-t", table, *option) != b:
            bad(f"{name}: not what ebtables made of the text")
        for form in ("save", "json"):
            t = convert(b, "--from", "replace", "--to", form, "--family", "eb", "--from-width", to)
            if convert(t, "--from", form, "--to", "replace", *option) != b:
                bad(f"{name}: {form}: another table")
            if convert(t, "--from", form, "--to", form, "--family", "eb") != t:
                bad(f"{name}: {form}: prints another text when it is read")


tables = pairs("tables.vec", 60)
sent = dict(tables)
sent.update(pairs("rules.vec", 600))
kernel(sent)
forms(tables)
texts(tables)
bridges()
defects()
print(calls, "calls,", failed, "failed")
sys.exit(failed != 0)
