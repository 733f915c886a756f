#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts please shellcheck.
top=${top_srcdir:-.}
command -v shellcheck >/dev/null || { echo "SKIP: no shellcheck"; exit 77; }
cd "$top" || exit 1
find scripts .ci shim tests perf autogen.sh -type f 2>/dev/null | while read -r f; do
	case $(head -c 30 "$f" | head -n 1 | tr -d '\0') in
	'#!/bin/sh'* | '#!/usr/bin/env bash'* | '#!/bin/bash'*) echo "$f" ;;
	esac
done | xargs shellcheck -x
