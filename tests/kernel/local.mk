# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module in user-mode Linux: needs no root, and the packages of "scripts/deps kernel".
KERNEL_TESTS = life traffic counters indexed
EXTRA_DIST += tests/kernel/run-module tests/kernel/uml tests/kernel/uml-build tests/kernel/uml-init \
	tests/kernel/uml.config tests/kernel/lib.sh tests/kernel/counters.in.sh tests/kernel/life.in.sh \
	tests/kernel/traffic.in.sh tests/kernel/traffic.ip tests/kernel/traffic.ip6 tests/kernel/traffic.py

.PHONY: check-kernel
check-kernel: all $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) for name in $(KERNEL_TESTS); do \
		echo "check-kernel: $$name" && \
		$(SHELL) $(top_srcdir)/tests/lib/run-test $(SHELL) $(top_srcdir)/tests/kernel/run-module $$name || exit; \
	done
