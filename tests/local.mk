LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/lib/run-test
EXTRA_DIST += tests/lib/run-test
AM_TESTS_ENVIRONMENT = top_srcdir='$(top_srcdir)' top_builddir='$(top_builddir)'; \
	export top_srcdir top_builddir;
include tests/unit/local.mk
include tests/fuzz/local.mk
include tests/lint/local.mk
include tests/prop/local.mk
include tests/golden/local.mk
