#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# traffic.sh on a kernel that allows no global functions with preemption off: before Linux 6.15.
top=${top_builddir:-.}
if ldd "$top/xt2" | grep -q asan || nm "$top/xt2" 2>/dev/null | grep -q __asan_init; then
	echo "with AddressSanitizer nothing can be loaded before it: no old kernels"
	exit 0
fi
LD_PRELOAD=$(realpath "$top/tests/lib/.libs/old-kernel.so") || exit 99
OLD_KERNEL=preemption
export LD_PRELOAD OLD_KERNEL
# shellcheck source=tests/bpf/traffic.sh
. "${top_srcdir:-.}/tests/bpf/traffic.sh"
