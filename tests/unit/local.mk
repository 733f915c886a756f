# Units, mirrored on the sources: a row in UNIT_TESTS per file.
EXTRA_DIST += tests/lib/no-units
if HAVE_CMOCKA
UNIT_TESTS =
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
UNIT_LIBS = libxt2-internal.la $(PCAP_LIBS) $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/test-pkt
tests_unit_test_pkt_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-capture
tests_unit_test_capture_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-ext-packet tests/unit/test-ext-packet-deep
tests_unit_test_ext_packet_SOURCES = tests/unit/test-ext-packet.c tests/unit/packet-case.c \
	tests/unit/packet-case.h
tests_unit_test_ext_packet_LDADD = $(UNIT_LIBS)
tests_unit_test_ext_packet_deep_SOURCES = tests/unit/test-ext-packet-deep.c \
	tests/unit/packet-case.c tests/unit/packet-case.h
tests_unit_test_ext_packet_deep_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-ext-target tests/unit/test-ext-rewrite tests/unit/test-ext-state
tests_unit_test_ext_target_SOURCES = tests/unit/test-ext-target.c tests/unit/ext-case.h
tests_unit_test_ext_target_LDADD = $(UNIT_LIBS)
tests_unit_test_ext_rewrite_SOURCES = tests/unit/test-ext-rewrite.c tests/unit/ext-case.h
tests_unit_test_ext_rewrite_LDADD = $(UNIT_LIBS)
tests_unit_test_ext_state_SOURCES = tests/unit/test-ext-state.c tests/unit/ext-case.h
tests_unit_test_ext_state_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-err
tests_unit_test_err_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-ruleset
tests_unit_test_ruleset_SOURCES = tests/unit/test-ruleset.c tests/lib/rules.h
tests_unit_test_ruleset_LDADD = $(UNIT_LIBS)
FAIL_ALLOC_WRAP = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
FAIL_ALLOC_FILES = tests/lib/fail-alloc.c tests/lib/fail-alloc.h
UNIT_TESTS += tests/unit/test-ruleset-random
tests_unit_test_ruleset_random_SOURCES = tests/unit/test-ruleset-random.c tests/lib/rules.h \
	$(FAIL_ALLOC_FILES)
tests_unit_test_ruleset_random_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_ruleset_random_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-shared
tests_unit_test_shared_SOURCES = tests/unit/test-shared.c tests/lib/rules.h $(FAIL_ALLOC_FILES)
tests_unit_test_shared_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_shared_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-ext-transport
tests_unit_test_ext_transport_SOURCES = tests/unit/transport-case.h tests/unit/transport-case.c \
	tests/unit/test-ext-transport.c
tests_unit_test_ext_transport_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-hit-drop
tests_unit_test_hit_drop_SOURCES = tests/unit/transport-case.h tests/unit/transport-case.c \
	tests/unit/test-hit-drop.c
tests_unit_test_hit_drop_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-image-file
tests_unit_test_image_file_SOURCES = tests/unit/test-image-file.c tests/lib/rules.h \
	$(FAIL_ALLOC_FILES)
tests_unit_test_image_file_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP) \
	-Wl,--wrap=write,--wrap=fsync,--wrap=rename
tests_unit_test_image_file_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-pair
tests_unit_test_pair_SOURCES = tests/unit/test-pair.c tests/unit/random-ruleset.h \
	tests/lib/rules.h $(FAIL_ALLOC_FILES)
tests_unit_test_pair_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_pair_LDADD = $(UNIT_LIBS)
if BPF
UNIT_TESTS += tests/unit/test-live-check
tests_unit_test_live_check_SOURCES = tests/unit/test-live-check.c tests/lib/rules.h $(FAIL_ALLOC_FILES)
tests_unit_test_live_check_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_live_check_LDADD = libhost.la $(UNIT_LIBS)
endif
UNIT_TESTS += tests/unit/test-table-copy
tests_unit_test_table_copy_SOURCES = tests/unit/test-table-copy.c tests/unit/random-ruleset.h \
	tests/lib/rules.h $(FAIL_ALLOC_FILES)
tests_unit_test_table_copy_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_table_copy_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-evaluator
tests_unit_test_evaluator_SOURCES = tests/unit/test-evaluator.c tests/lib/packets.h \
	tests/lib/rules.h $(FAIL_ALLOC_FILES)
tests_unit_test_evaluator_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_evaluator_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-check
tests_unit_test_check_SOURCES = tests/unit/test-check.c tests/unit/sample-image.h tests/fuzz/seed-image.h
tests_unit_test_check_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-limits
tests_unit_test_limits_SOURCES = tests/unit/test-limits.c tests/lib/rules.h
tests_unit_test_limits_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-bench
tests_unit_test_bench_SOURCES = tests/unit/test-bench.c tests/unit/sample-image.h \
	tests/fuzz/seed-image.h xt2tables/cmd/bench-run.c xt2tables/packet/packet-words.c
tests_unit_test_bench_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-write
tests_unit_test_write_SOURCES = tests/unit/test-write.c tests/unit/sample-image.h tests/fuzz/seed-image.h
tests_unit_test_write_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-text
tests_unit_test_text_LDADD = libtext.la $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-put
tests_unit_test_put_SOURCES = tests/unit/test-put.c tests/fuzz/seed-image.h
tests_unit_test_put_LDADD = libtext.la $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-output
tests_unit_test_output_LDADD = libtext.la $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-legacy-ebt
tests_unit_test_legacy_ebt_SOURCES = tests/unit/test-legacy-ebt.c tests/legacy/turn.h \
	tests/legacy/ebt-blob.h tests/legacy/ebt-cases.h
tests_unit_test_legacy_ebt_LDADD = $(UNIT_LIBS)
EXTRA_DIST += tests/legacy/vectors/ebt.vec
UNIT_TESTS += tests/unit/test-legacy
tests_unit_test_legacy_SOURCES = tests/unit/test-legacy.c tests/legacy/blob.h tests/legacy/turn.h
tests_unit_test_legacy_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-legacy-cve
tests_unit_test_legacy_cve_LDADD = $(UNIT_LIBS)
EXTRA_DIST += tests/legacy/vectors/README tests/legacy/vectors/tables.vec \
	tests/legacy/vectors/rules.vec tests/legacy/vectors/kernel.vec \
	tests/legacy/vectors/defects.vec
UNIT_TESTS += tests/unit/test-sockopt
tests_unit_test_sockopt_SOURCES = tests/unit/test-sockopt.c tests/unit/sockopt-case.h \
	tests/legacy/caller.h $(FAIL_ALLOC_FILES)
tests_unit_test_sockopt_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_sockopt_LDADD = $(UNIT_LIBS)
EXTRA_DIST += tests/legacy/vectors/calls.vec
UNIT_TESTS += tests/unit/test-sets
tests_unit_test_sets_SOURCES = tests/unit/test-sets.c tests/unit/sockopt-case.h tests/legacy/caller.h
tests_unit_test_sets_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-sockopt-ebt
tests_unit_test_sockopt_ebt_SOURCES = tests/unit/test-sockopt-ebt.c tests/unit/sockopt-case.h \
	tests/legacy/caller.h $(FAIL_ALLOC_FILES)
tests_unit_test_sockopt_ebt_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_sockopt_ebt_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-sockopt-kernel
tests_unit_test_sockopt_kernel_SOURCES = tests/unit/test-sockopt-kernel.c tests/unit/sockopt-case.h \
	tests/legacy/caller.h
tests_unit_test_sockopt_kernel_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-ruleset-json
tests_unit_test_ruleset_json_SOURCES = tests/unit/test-ruleset-json.c $(FAIL_ALLOC_FILES)
tests_unit_test_ruleset_json_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_test_ruleset_json_LDADD = libjson.la libtext.la $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-digest
tests_unit_test_digest_LDADD = libtext.la $(UNIT_LIBS)
EXTRA_DIST += tests/legacy/vectors/rules.txt
UNIT_TESTS += tests/unit/test-rtt-reply
tests_unit_test_rtt_reply_SOURCES = tests/unit/test-rtt-reply.c perf/rtt/rtt.c perf/rtt/rtt.h
tests_unit_test_rtt_reply_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
tests_unit_test_rtt_reply_LDADD = $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/test-rtt-line
tests_unit_test_rtt_line_SOURCES = tests/unit/test-rtt-line.c perf/rtt/rtt.c perf/rtt/rtt-line.c perf/rtt/rtt.h
tests_unit_test_rtt_line_LDADD = $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/test-shim-abi tests/unit/test-shim-store
tests_unit_test_shim_abi_LDADD = libshim.la $(UNIT_LIBS)
tests_unit_test_shim_store_LDADD = libshim.la $(UNIT_LIBS)
WORLD_FILES = tests/lib/index-mutate.h tests/lib/world-image.h tests/lib/world-packets.h tests/lib/world-rules.h \
	tests/fuzz/seed-image.h tests/fuzz/seed-packet.h
UNIT_TESTS += tests/unit/test-index tests/unit/test-index-check
tests_unit_test_index_SOURCES = tests/unit/test-index.c $(WORLD_FILES)
tests_unit_test_index_LDADD = liboracle.la $(UNIT_LIBS)
tests_unit_test_index_check_SOURCES = tests/unit/test-index-check.c $(WORLD_FILES)
tests_unit_test_index_check_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-index-segments-check
tests_unit_test_index_segments_check_SOURCES = tests/unit/test-index-segments-check.c \
	tests/lib/rules.h
tests_unit_test_index_segments_check_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-index-pairs-check
tests_unit_test_index_pairs_check_SOURCES = tests/unit/test-index-pairs-check.c \
	tests/lib/pairs-by-hand.h tests/lib/rules.h
tests_unit_test_index_pairs_check_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-index-pairs
tests_unit_test_index_pairs_SOURCES = tests/unit/test-index-pairs.c tests/lib/pairs-by-hand.h \
	tests/lib/rules.h
tests_unit_test_index_pairs_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test-index-segments
tests_unit_test_index_segments_SOURCES = tests/unit/test-index-segments.c tests/lib/rules.h \
	tests/fuzz/seed-image.h
tests_unit_test_index_segments_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-scan
tests_unit_test_scan_SOURCES = tests/unit/test-scan.c tests/unit/scan-emulated.c \
	tests/unit/scan-emulated.h tests/lib/emulated/immintrin.h
tests_unit_test_scan_CPPFLAGS = -I$(top_srcdir)/tests/lib/emulated $(AM_CPPFLAGS)
tests_unit_test_scan_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test-scan-late
tests_unit_test_scan_late_SOURCES = tests/unit/test-scan-late.c
tests_unit_test_scan_late_LDADD = $(UNIT_LIBS)
else
TESTS += tests/lib/no-units
endif

TESTS += tests/unit/test-gen.py tests/unit/test-rtt.py
EXTRA_DIST += tests/unit/test-gen.py tests/unit/test-rtt.py
