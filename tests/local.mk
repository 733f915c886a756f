LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/lib/run-test
EXTRA_DIST += tests/lib/run-test tests/vm/README.md tests/vm/init tests/vm/run
AM_TESTS_ENVIRONMENT = top_srcdir='$(top_srcdir)' top_builddir='$(top_builddir)'; \
	CC='$(CC)'; SANITIZE_CFLAGS='$(SANITIZE_CFLAGS)'; \
	export top_srcdir top_builddir CC SANITIZE_CFLAGS;
include tests/unit/local.mk
include tests/fuzz/local.mk
include tests/lint/local.mk
include tests/e2e/local.mk
include tests/prop/local.mk
include tests/golden/local.mk

.PHONY: check-valgrind
check-valgrind: all $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/lib/check-valgrind $(UNIT_TESTS)
EXTRA_DIST += tests/lib/check-valgrind tests/lib/valgrind.supp
