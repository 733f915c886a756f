LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/lib/run-test
EXTRA_DIST += tests/README.md tests/lib/run-test tests/vm/README.md tests/vm/init tests/vm/run
AM_TESTS_ENVIRONMENT = top_srcdir='$(top_srcdir)' top_builddir='$(top_builddir)'; \
	CC='$(CC)'; SANITIZE_CFLAGS='$(SANITIZE_CFLAGS)'; \
	CFLAGS='$(CFLAGS)'; LDFLAGS='$(LDFLAGS)'; \
	export top_srcdir top_builddir CC CFLAGS LDFLAGS SANITIZE_CFLAGS;
include tests/unit/local.mk
include tests/fuzz/local.mk
include tests/lint/local.mk
include tests/e2e/local.mk
include tests/prop/local.mk
include tests/golden/local.mk
include tests/bpf/local.mk
include tests/kernel/local.mk

# Tables of bridges against a kernel that has them: tests/vm/README.md.
check_PROGRAMS += tests/vm/ebt-kernel
tests_vm_ebt_kernel_SOURCES = tests/vm/ebt-kernel.c tests/legacy/turn.h tests/legacy/ebt-blob.h \
	tests/legacy/ebt-cases.h
tests_vm_ebt_kernel_LDADD = libxt2-internal.la $(PCAP_LIBS)
EXTRA_DIST += tests/vm/ebtables.sh tests/vm/old-kernel.sh
# Only the tests of live rulesets; for another kernel, see tests/vm.
.PHONY: check-live
check-live: all $(check_PROGRAMS) $(check_LTLIBRARIES)
	$(MAKE) check-TESTS TESTS="$(BPF_TESTS)"

.PHONY: check-ebtables
check-ebtables: tests/vm/ebt-kernel
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/lib/run-test $(SHELL) \
		$(top_srcdir)/tests/vm/ebtables.sh

.PHONY: check-old-kernel
check-old-kernel: all
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/lib/run-test $(SHELL) \
		$(top_srcdir)/tests/vm/old-kernel.sh

.PHONY: check-valgrind
check-valgrind: all $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/lib/check-valgrind \
		$(filter-out tests/unit/libxt2/sockopt/test-sockopt-kernel,$(UNIT_TESTS)) # makes 32-bit calls
EXTRA_DIST += tests/lib/check-valgrind tests/lib/tsan.supp tests/lib/valgrind.supp
