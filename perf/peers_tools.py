# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that xt2-vs-peers sets against each other.

Each prints facts ("bytes 1234"), then waits: for every line it reads it measures a round and prints
its modes ("linear 812.5 830.1 32768": best and median nanoseconds a packet, packets) and an empty line.
"""
import subprocess


class Failure(Exception):
    """A program that does not do what it should."""


class Tool:
    def __init__(self, name, command):
        self.name, self.best, self.medians, self.packets = name, {}, {}, {}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        try:
            self.facts = {w[0]: float(w[1]) for w in self.lines()}
        except BaseException:
            self.close()
            raise

    def lines(self):
        """=> words of each line up to an empty one"""
        out = []
        for line in self.process.stdout:
            if line == "\n":
                return out
            out.append(line.split())
        said = self.process.stderr.read().strip()
        raise Failure(f"{self.name}: {said or 'exit code ' + str(self.process.wait())}")

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        for mode, best, median, packets in self.lines():
            self.best[mode] = min(float(best), self.best.get(mode, float("inf")))
            self.medians.setdefault(mode, []).append(float(median))
            self.packets[mode] = self.packets.get(mode, 0) + int(packets)

    def close(self):
        """=> exit code"""
        self.process.stdin.close()
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.process.stdout.close()
            self.errors = self.process.stderr.read().strip()
            self.process.stderr.close()
