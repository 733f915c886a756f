#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tables of bridges, put to the running kernel; arguments go to ebt-kernel.
# The modules are those that ebtables does not ask for by itself: what is not there is unknown.
for module in ebtables nfnetlink_log xt_AUDIT xt_NFQUEUE xt_cgroup xt_comment xt_limit xt_mark \
	xt_pkttype xt_statistic; do
	modprobe -q $module 2>/dev/null || true
done
dmesg -n 1 2>/dev/null # the kernel says more about each of them than anybody wants to read
exec "${top_builddir:-.}/tests/vm/ebt-kernel" "$@"
