#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the folder of iptables' source package, which is fetched into CACHE if it is not there."""
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("suite", HERE + "/../golden/xtables-suite.py")
suite = importlib.util.module_from_spec(spec)
spec.loader.exec_module(suite)
cache = os.path.abspath(sys.argv[1])
os.makedirs(cache, exist_ok=True)
folder, why = suite.fetch_source(cache)
print(folder or why, file=sys.stdout if folder else sys.stderr)
sys.exit(0 if folder else 77)
