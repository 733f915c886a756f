# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that xt2-vs-peers sets against each other.

Each prints facts ("bytes 1234") and an empty line, then waits: for every line it reads it measures a
round and prints its ways ("linear 812.5 830.1 32768": best and median nanoseconds a packet, packets)
and an empty line.
"""
import signal
import subprocess
import tempfile
import threading


class Failure(Exception):
    """A program that does not do what it should."""


class Tool:
    def __init__(self, name, command, wait=3600):
        """wait: seconds, until it has told its facts"""
        self.name, self.best, self.medians, self.packets = name, {}, {}, {}
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.said, text=True)
        late = threading.Timer(wait, self.process.terminate)
        late.start()
        try:
            self.facts = {w[0]: float(w[1]) for w in self.lines()}
        except BaseException:
            self.close()
            raise
        finally:
            late.cancel()

    def lines(self):
        """=> words of each line up to an empty one"""
        out = []
        for line in self.process.stdout:
            if line == "\n":
                return out
            out.append(line.split())
        code = self.process.wait()
        why = "it takes too long" if code == -signal.SIGTERM else f"exit code {code}"
        raise Failure(f"{self.name}: {self.errors() or why}")

    def errors(self):
        """=> the first lines of what it complained about"""
        self.said.seek(0)
        return "; ".join(self.said.read().splitlines()[:3])

    def round(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        for mode, best, median, packets in self.lines():
            self.best[mode] = min(float(best), self.best.get(mode, float("inf")))
            self.medians.setdefault(mode, []).append(float(median))
            self.packets[mode] = int(packets)

    def close(self):
        """=> exit code"""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.stdout.close()
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
