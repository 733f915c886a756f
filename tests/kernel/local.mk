# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module in user-mode Linux: needs no root, and the packages of "scripts/deps kernel".
KERNEL_TESTS = life traffic counters indexed groups exact netlink twins
EXTRA_DIST += tests/kernel/run-module tests/kernel/uml tests/kernel/uml-build tests/kernel/uml-init \
	tests/kernel/uml.config tests/kernel/lib.sh tests/kernel/counters.in.sh tests/kernel/debug.config tests/kernel/exact.in.sh \
	tests/kernel/fail-nth.c tests/kernel/fail-nth.in.sh tests/kernel/netlink.in.sh tests/kernel/netlink.py tests/kernel/twins.in.sh tests/kernel/iptables-source.py tests/kernel/send.py tests/kernel/suite.in.sh tests/kernel/groups.in.sh tests/kernel/life.in.sh \
	tests/kernel/traffic.in.sh tests/kernel/traffic.ip tests/kernel/traffic.ip6 tests/kernel/traffic.py

# iptables' own tests: "tests/kernel/run-module suite"; they take ten minutes.  fail-nth wants a kernel with fault injection: XT2_UML_DEBUG=1.
.PHONY: check-kernel
check-kernel: all $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) for name in $(KERNEL_TESTS); do \
		echo "check-kernel: $$name" && \
		$(SHELL) $(top_srcdir)/tests/lib/run-test $(SHELL) $(top_srcdir)/tests/kernel/run-module $$name || exit; \
	done

# As root of a machine that has no tables yet, such as that of tests/vm/run: MODULE is the module's file.
comma = ,
.PHONY: check-kernel-here
check-kernel-here:
	$(AM_TESTS_ENVIRONMENT) for name in $(subst $(comma), ,$(or $(KERNEL_NAMES),life counters exact)); do \
		echo "check-kernel-here: $$name" && \
		TABLES=$(or $(TABLES),xt2) HERE='$(abs_top_srcdir)/tests/kernel' MODULE='$(MODULE)' ARGUMENTS=--short \
			top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_builddir)' \
			$(SHELL) $(top_srcdir)/tests/kernel/$$name.in.sh || exit; \
	done
