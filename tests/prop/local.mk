# SPDX-License-Identifier: GPL-2.0-or-later
# Random rulesets and packets, against the kernel's own tables.
check_PROGRAMS += tests/lib/inject
tests_lib_inject_SOURCES = tests/lib/inject.c

TESTS += tests/prop/restore-edit.py tests/prop/shim-edit.py tests/prop/commands.py tests/prop/counters.sh tests/prop/forms.sh tests/prop/indexed.sh tests/prop/shim.sh tests/prop/arp.sh tests/prop/tuple.sh
EXTRA_DIST += \
	tests/prop/arp.py \
	tests/prop/commands.py \
	tests/prop/arp.sh \
	tests/prop/bytecode.py \
	tests/prop/compare.py \
	tests/prop/counters.sh \
	tests/prop/forms.sh \
	tests/prop/indexed.sh \
	tests/prop/kernel.py \
	tests/prop/matches.py \
	tests/prop/packets.py \
	tests/prop/restore-edit.py \
	tests/prop/rules.py \
	tests/prop/run.py \
	tests/prop/shim.sh \
	tests/prop/shim-edit.py \
	tests/prop/targets.py \
	tests/prop/transport.py \
	tests/prop/tuple.py \
	tests/prop/tuple.sh \
	tests/prop/world.py

# The oracle of xt2 explain against the evaluator: no kernel, no root.
check_PROGRAMS += tests/prop/oracle-equal
tests_prop_oracle_equal_SOURCES = \
	tests/prop/oracle-equal.c \
	xt2tables/packet/context.c \
	xt2tables/files/file.c \
	xt2tables/files/input.c \
	xt2tables/files/options.c
tests_prop_oracle_equal_LDADD = liboracle.la libtext.la $(PCAP_LIBS)

TESTS += tests/prop/oracle.sh
EXTRA_DIST += tests/prop/oracle.py tests/prop/oracle.sh

# The binary formats against the kernel's sockopts.
check_PROGRAMS += tests/prop/legacy-kernel
tests_prop_legacy_kernel_SOURCES = tests/prop/legacy-kernel.c tests/fuzz/legacy-mutate.c \
	tests/fuzz/legacy-mutate.h tests/legacy/turn.h
tests_prop_legacy_kernel_LDADD = libxt2-internal.la $(PCAP_LIBS)
TESTS += tests/prop/legacy.sh
EXTRA_DIST += tests/prop/legacy.sh

# Both printers of rules.
check_PROGRAMS += tests/prop/rule-text
tests_prop_rule_text_SOURCES = tests/prop/rule-text.c tests/fuzz/seed-image.h tests/lib/rules.h
tests_prop_rule_text_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
tests_prop_rule_text_LDADD = libtext.la $(PCAP_LIBS)
TESTS += tests/prop/rule-text

# Plain lines against libxtables: no kernel, no root.
check_PROGRAMS += tests/prop/plain
tests_prop_plain_SOURCES = tests/prop/plain.c tests/prop/plain-parts.c tests/prop/plain-parts.h \
	tests/prop/plain-rules.c tests/prop/plain-rules.h
tests_prop_plain_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
tests_prop_plain_LDADD = libtext.la $(PCAP_LIBS)
TESTS += tests/prop/plain

# Gives every chain of an image an index, for indexed.sh.
check_PROGRAMS += tests/prop/reindex
tests_prop_reindex_SOURCES = tests/prop/reindex.c
tests_prop_reindex_LDADD = libxt2-internal.la $(PCAP_LIBS)

# Indexes of chains against evaluation rule after rule and against the oracle.
check_PROGRAMS += tests/prop/index
tests_prop_index_SOURCES = tests/prop/index.c tests/lib/world-image.h tests/lib/world-packets.h \
	tests/lib/world-rules.h tests/fuzz/seed-image.h tests/fuzz/seed-packet.h
tests_prop_index_LDADD = liboracle.la libxt2-internal.la $(PCAP_LIBS)
TESTS += tests/prop/index

# Patched chains: no kernel, no root.
check_PROGRAMS += tests/prop/patch tests/lib/edit-image
tests_lib_edit_image_SOURCES = tests/lib/edit-image.c tests/fuzz/seed-image.h
tests_lib_edit_image_LDADD = libxt2-internal.la $(PCAP_LIBS)
tests_prop_patch_SOURCES = tests/prop/patch.c tests/lib/plain-image.h tests/lib/slot-pages.h tests/lib/world-image.h \
	tests/lib/world-packets.h tests/lib/world-rules.h tests/fuzz/seed-image.h tests/fuzz/seed-packet.h
tests_prop_patch_LDADD = libxt2-internal.la $(PCAP_LIBS)
TESTS += tests/prop/patch

# Threads that evaluate an image while it is edited: no kernel, no root.
check_PROGRAMS += tests/prop/readers
tests_prop_readers_SOURCES = tests/prop/readers.c tests/lib/world-image.h tests/lib/world-packets.h \
	tests/lib/world-rules.h tests/fuzz/seed-image.h tests/fuzz/seed-packet.h
tests_prop_readers_LDADD = libxt2-internal.la $(PCAP_LIBS)
TESTS += tests/prop/readers
check_PROGRAMS += tests/prop/shared-tables
tests_prop_shared_tables_SOURCES = tests/prop/shared-tables.c tests/lib/rules.h
tests_prop_shared_tables_LDADD = libxt2-internal.la $(PCAP_LIBS)
TESTS += tests/prop/shared-tables

# Rulesets that are edited in their images: no kernel, no root.
check_PROGRAMS += tests/prop/edit-in-place
tests_prop_edit_in_place_SOURCES = tests/prop/edit-in-place.c tests/lib/edit-script.h \
	tests/lib/world-rules.h tests/fuzz/seed-image.h tests/lib/fail-alloc.c tests/lib/fail-alloc.h
tests_prop_edit_in_place_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
tests_prop_edit_in_place_LDADD = libxt2-internal.la $(PCAP_LIBS)
TESTS += tests/prop/edit-in-place
