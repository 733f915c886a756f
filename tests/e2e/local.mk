# The whole of it, as a user has it.
E2E_TESTS = \
	tests/e2e/alloc.sh \
	tests/e2e/atomic.sh \
	tests/e2e/bad-files.py \
	tests/e2e/bench.sh \
	tests/e2e/commits.py \
	tests/e2e/concurrent.sh \
	tests/e2e/convert.sh \
	tests/e2e/cycles.sh \
	tests/e2e/deep.sh \
	tests/e2e/digest.sh \
	tests/e2e/state.sh \
	tests/e2e/disk.sh \
	tests/e2e/edit.sh \
	tests/e2e/edits-cost.sh \
	tests/e2e/empty-image.sh \
	tests/e2e/families.sh \
	tests/e2e/history.sh \
	tests/e2e/hostile.sh \
	tests/e2e/if-generation.sh \
	tests/e2e/indexes.sh \
	tests/e2e/install.sh \
	tests/e2e/json.sh \
	tests/e2e/kill.sh \
	tests/e2e/lost-updates.py \
	tests/e2e/many-commits.py \
	tests/e2e/many-ways.sh \
	tests/e2e/misuse.sh \
	tests/e2e/monitor.sh \
	tests/e2e/outputs.sh \
	tests/e2e/owners.sh \
	tests/e2e/patched.sh \
	tests/e2e/peers.sh \
	tests/e2e/power-loss.py \
	tests/e2e/printed.py \
	tests/e2e/refusals.sh \
	tests/e2e/replay-batch.sh \
	tests/e2e/replay.sh \
	tests/e2e/represent.sh \
	tests/e2e/rollback.py \
	tests/e2e/rtt.sh \
	tests/e2e/ruleset-json.sh \
	tests/e2e/sandbox.sh \
	tests/e2e/shim-locks.sh \
	tests/e2e/shim-process.sh \
	tests/e2e/shim-sets.sh \
	tests/e2e/shim-suite.py \
	tests/e2e/shim-tools.sh \
	tests/e2e/shim-ways.sh \
	tests/e2e/tables-suite.py \
	tests/e2e/tables.py \
	tests/e2e/without-bpf.sh
TESTS += $(E2E_TESTS)
EXTRA_DIST += $(E2E_TESTS) tests/e2e/go-iptables.sh tests/e2e/common.sh tests/e2e/convert-vectors.py
EXTRA_DIST += tests/lib/slow-replace.py tests/e2e/shim-common.sh tests/e2e/rulesets tests/e2e/tables

# For LD_PRELOAD; -rpath makes libtool build a shared one.
check_LTLIBRARIES = tests/lib/fail-preload.la
tests_lib_fail_preload_la_SOURCES = tests/lib/fail-preload.c
tests_lib_fail_preload_la_CFLAGS = $(AM_CFLAGS) -Wno-missing-prototypes -fno-builtin
tests_lib_fail_preload_la_LDFLAGS = -module -avoid-version -rpath /nowhere

check_LTLIBRARIES += tests/lib/probe-preload.la
tests_lib_probe_preload_la_SOURCES = tests/lib/probe-preload.c
tests_lib_probe_preload_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# As a build without BPF has them.
check_PROGRAMS += tests/lib/xt2-without-bpf tests/lib/restore-without-bpf
tests_lib_xt2_without_bpf_SOURCES = $(XT2_COMMANDS)
tests_lib_xt2_without_bpf_LDADD = libshim.la libjson.la liboracle.la libtext.la $(PCAP_LIBS)
tests_lib_restore_without_bpf_SOURCES = $(RESTORE_SOURCES)
tests_lib_restore_without_bpf_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
tests_lib_restore_without_bpf_LDADD = libtext.la
