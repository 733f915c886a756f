#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# As counters.sh, but every chain has an index, however short it is: what is found by it must count
# as the kernel does.
exec sh "${top_srcdir:-.}/tests/prop/counters.sh" \
	--reindex "${top_builddir:-.}/tests/prop/reindex" --seconds 12 "$@"
