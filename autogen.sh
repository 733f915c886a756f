#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes configure and Makefile.in from configure.ac and Makefile.am.
set -e
cd "$(dirname "$0")"
mkdir -p m4
exec autoreconf --install --force
