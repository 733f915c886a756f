# Unit tests, mirrored on the sources: extensions/state/limit.c is tested by
# tests/unit/extensions/state/test-limit.c.  The tests of a folder are one
# program; tests/README.md says how to run one file or one case of it.
EXTRA_DIST += tests/lib/no-units
if HAVE_CMOCKA
UNIT_TESTS =
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
UNIT_LIBS = libxt2-internal.la $(PCAP_LIBS) $(CMOCKA_LIBS)
# A case that is in no list of cases would never run.
UNIT_CFLAGS = $(AM_CFLAGS) -Werror=unused-function
UNIT_RUNNER = tests/lib/unit-program.c tests/lib/unit-program.h
FAIL_ALLOC_WRAP = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
FAIL_ALLOC_FILES = tests/lib/fail-alloc.c tests/lib/fail-alloc.h
WORLD_FILES = tests/lib/index-mutate.h tests/lib/slot-pages.h tests/lib/world-image.h \
	tests/lib/world-packets.h \
	tests/lib/world-rules.h tests/fuzz/seed-image.h tests/fuzz/seed-packet.h

UNIT_TESTS += tests/unit/run-engine
tests_unit_run_engine_SOURCES = $(UNIT_RUNNER) \
	tests/unit/packet-case.c \
	tests/unit/packet-case.h \
	tests/unit/transport-case.c \
	tests/unit/transport-case.h \
	tests/unit/patch-case.h \
	tests/unit/sample-image.h \
	tests/fuzz/seed-image.h \
	tests/lib/packets.h \
	tests/lib/plain-image.h \
	tests/lib/rules.h \
	tests/lib/slot-pages.h \
	tests/unit/engine/test-check-holes.c \
	tests/unit/engine/test-check-chain.c \
	tests/unit/engine/test-check-names.c \
	tests/unit/engine/test-check-patch.c \
	tests/unit/engine/test-check.c \
	tests/unit/engine/test-eval-skip.c \
	tests/unit/engine/test-eval.c \
	tests/unit/engine/test-image.c \
	tests/unit/engine/test-order.c \
	tests/unit/engine/test-parse.c \
	tests/unit/engine/test-rule.c \
	tests/unit/engine/test-walk.c \
	tests/unit/engine/test-write.c
tests_unit_run_engine_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_engine_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-index
tests_unit_run_index_SOURCES = $(UNIT_RUNNER) \
	tests/unit/change-case.h \
	tests/unit/index-case.h \
	tests/unit/patch-case.h \
	tests/unit/segments-case.h \
	tests/lib/packets.h \
	tests/lib/plain-image.h \
	$(WORLD_FILES) \
	tests/lib/pairs-by-hand.h \
	tests/lib/rules.h \
	tests/unit/engine/index/test-bits.c \
	tests/unit/engine/index/test-box.c \
	tests/unit/engine/index/test-build-bits.c \
	tests/unit/engine/index/test-build-columns.c \
	tests/unit/engine/index/test-build-pairs.c \
	tests/unit/engine/index/test-build-segments.c \
	tests/unit/engine/index/test-build.c \
	tests/unit/engine/index/test-check-index-pairs.c \
	tests/unit/engine/index/test-check-index-segments.c \
	tests/unit/engine/index/test-check-index.c \
	tests/unit/engine/index/test-classes.c \
	tests/unit/engine/index/test-columns.c \
	tests/unit/engine/index/test-eval-index.c \
	tests/unit/engine/index/test-eval-patch.c \
	tests/unit/engine/index/test-eval-patch-batch.c \
	tests/unit/engine/index/test-pairs.c \
	tests/unit/engine/index/test-runs.c \
	tests/unit/engine/index/test-search.c \
	tests/unit/engine/index/test-segments.c \
	tests/unit/engine/index/test-units.c
tests_unit_run_index_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_index_LDADD = liboracle.la $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-simd
tests_unit_run_simd_SOURCES = $(UNIT_RUNNER) \
	tests/unit/change-case.h \
	tests/unit/index-case.h \
	tests/lib/packets.h \
	tests/lib/rules.h \
	tests/unit/scan-case.c \
	tests/unit/scan-case.h \
	tests/unit/scan-emulated.c \
	tests/unit/scan-emulated.h \
	tests/lib/emulated/immintrin.h \
	tests/unit/engine/simd/test-bits-avx2.c \
	tests/unit/engine/simd/test-scan.c \
	tests/unit/engine/simd/test-pairs-avx2.c \
	tests/unit/engine/simd/test-patch-avx2.c \
	tests/unit/engine/simd/test-scan-avx2.c \
	tests/unit/engine/simd/test-scan-avx512.c \
	tests/unit/engine/simd/test-tests-avx2.c \
	tests/unit/engine/simd/test-vectors.c
tests_unit_run_simd_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_simd_CPPFLAGS = -I$(top_srcdir)/tests/lib/emulated $(AM_CPPFLAGS)
tests_unit_run_simd_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-match
tests_unit_run_match_SOURCES = $(UNIT_RUNNER) \
	tests/unit/ext-case.h \
	tests/unit/match-case.h \
	tests/unit/packet-case.c \
	tests/unit/packet-case.h \
	tests/unit/state-case.h \
	tests/unit/transport-case.c \
	tests/unit/transport-case.h \
	tests/unit/extensions/test-dispatch-hostile.c \
	tests/unit/extensions/test-dispatch.c \
	tests/unit/extensions/match/test-addrtype.c \
	tests/unit/extensions/match/test-bpf.c \
	tests/unit/extensions/match/test-comment.c \
	tests/unit/extensions/match/test-cpu.c \
	tests/unit/extensions/match/test-dccp.c \
	tests/unit/extensions/match/test-devgroup.c \
	tests/unit/extensions/match/test-ecn.c \
	tests/unit/extensions/match/test-eui64.c \
	tests/unit/extensions/test-foreign.c \
	tests/unit/extensions/match/test-frag.c \
	tests/unit/extensions/match/test-icmp.c \
	tests/unit/extensions/match/test-iprange.c \
	tests/unit/extensions/match/test-ipsec.c \
	tests/unit/extensions/match/test-ipv6header.c \
	tests/unit/extensions/match/test-length.c \
	tests/unit/extensions/match/test-mac.c \
	tests/unit/extensions/match/test-mark.c \
	tests/unit/extensions/match/test-mh.c \
	tests/unit/extensions/match/test-multiport.c \
	tests/unit/extensions/match/test-opts.c \
	tests/unit/extensions/match/test-physdev.c \
	tests/unit/extensions/match/test-pkttype.c \
	tests/unit/extensions/match/test-rt.c \
	tests/unit/extensions/match/test-sctp.c \
	tests/unit/extensions/match/test-string.c \
	tests/unit/extensions/match/test-tcp.c \
	tests/unit/extensions/match/test-tcpmss.c \
	tests/unit/extensions/match/test-tos.c \
	tests/unit/extensions/match/test-ttl.c \
	tests/unit/extensions/match/test-u32.c \
	tests/unit/extensions/match/test-udp.c \
	tests/unit/extensions/state/test-conntrack.c \
	tests/unit/extensions/state/test-hashlimit.c \
	tests/unit/extensions/state/test-limit.c \
	tests/unit/extensions/state/test-memory.c \
	tests/unit/extensions/state/test-quota.c \
	tests/unit/extensions/state/test-recent.c \
	tests/unit/extensions/state/test-state.c \
	tests/unit/extensions/state/test-statistic.c \
	tests/unit/extensions/state/test-time.c
tests_unit_run_match_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_match_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-target
tests_unit_run_target_SOURCES = $(UNIT_RUNNER) \
	tests/unit/ext-case.h \
	tests/unit/target-case.h \
	tests/unit/extensions/target/test-target-ct.c \
	tests/unit/extensions/target/test-target-dscp.c \
	tests/unit/extensions/target/test-target-log.c \
	tests/unit/extensions/target/test-target-mark.c \
	tests/unit/extensions/target/test-target-nfqueue.c \
	tests/unit/extensions/target/test-target-reject.c \
	tests/unit/extensions/target/test-target-tcpmss.c \
	tests/unit/extensions/target/test-target-ttl.c \
	tests/unit/extensions/target/test-target.c
tests_unit_run_target_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_target_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-ext
tests_unit_run_ext_SOURCES = $(UNIT_RUNNER) \
	tests/unit/ext-case.h \
	tests/unit/packet-case.c \
	tests/unit/packet-case.h \
	tests/unit/state-case.h \
	tests/unit/target-case.h \
	tests/unit/transport-case.c \
	tests/unit/transport-case.h \
	tests/unit/translators/ext/test-translate.c \
	tests/unit/translators/ext/test-xt-packet-deep.c \
	tests/unit/translators/ext/test-xt-packet.c \
	tests/unit/translators/ext/test-xt-sets.c \
	tests/unit/translators/ext/test-xt-state.c \
	tests/unit/translators/ext/test-xt-target.c \
	tests/unit/translators/ext/test-xt-transport.c \
	tests/unit/translators/ext/test-xt-transport6.c
tests_unit_run_ext_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_ext_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-table
tests_unit_run_table_SOURCES = $(UNIT_RUNNER) \
	tests/unit/known-case.h \
	tests/unit/legacy-case.h \
	tests/unit/vectors-case.h \
	tests/legacy/blob.h \
	tests/legacy/turn.h \
	tests/unit/translators/table/test-legacy-base.c \
	tests/unit/translators/table/test-legacy-chains.c \
	tests/unit/translators/table/test-legacy-check.c \
	tests/unit/translators/table/test-legacy-cve.c \
	tests/unit/translators/table/test-legacy-entry-matches.c \
	tests/unit/translators/table/test-legacy-entry-targets.c \
	tests/unit/translators/table/test-legacy-entry.c \
	tests/unit/translators/table/test-legacy-format.c \
	tests/unit/translators/table/test-legacy-known.c \
	tests/unit/translators/table/test-legacy-read.c \
	tests/unit/translators/table/test-legacy-trace.c \
	tests/unit/translators/table/test-legacy-write.c
tests_unit_run_table_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_table_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-ebt
tests_unit_run_ebt_SOURCES = $(UNIT_RUNNER) \
	tests/unit/ebt-case.h \
	tests/legacy/turn.h \
	tests/legacy/ebt-blob.h \
	tests/legacy/ebt-cases.h \
	tests/unit/translators/ebt/test-ebt-base.c \
	tests/unit/translators/ebt/test-ebt-check.c \
	tests/unit/translators/ebt/test-ebt-known.c \
	tests/unit/translators/ebt/test-ebt-read.c \
	tests/unit/translators/ebt/test-ebt-rules.c \
	tests/unit/translators/ebt/test-ebt-size.c \
	tests/unit/translators/ebt/test-ebt-write.c
tests_unit_run_ebt_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_ebt_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-libxt2
tests_unit_run_libxt2_SOURCES = $(UNIT_RUNNER) \
	tests/unit/libxt2/test-capture.c \
	tests/unit/libxt2/test-err.c \
	tests/unit/libxt2/test-grow.c \
	tests/unit/libxt2/test-printable.c
tests_unit_run_libxt2_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_libxt2_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-ruleset
tests_unit_run_ruleset_SOURCES = $(UNIT_RUNNER) \
	tests/unit/ruleset-case.h \
	tests/unit/random-ruleset.h \
	tests/unit/inplace-case.h \
	tests/lib/rules.h \
	$(FAIL_ALLOC_FILES) \
	tests/unit/libxt2/ruleset/test-arena.c \
	tests/unit/libxt2/ruleset/test-cells.c \
	tests/unit/libxt2/ruleset/test-chain-owners.c \
	tests/unit/libxt2/ruleset/test-chains.c \
	tests/unit/libxt2/ruleset/test-digest.c \
	tests/unit/libxt2/ruleset/test-inplace-commit.c \
	tests/unit/libxt2/ruleset/test-inplace-rules.c \
	tests/unit/libxt2/ruleset/test-inplace.c \
	tests/unit/libxt2/ruleset/test-jumps.c \
	tests/unit/libxt2/ruleset/test-list.c \
	tests/unit/libxt2/ruleset/test-list-blocks.c \
	tests/unit/libxt2/ruleset/test-pair.c \
	tests/unit/libxt2/ruleset/test-rules.c \
	tests/unit/libxt2/ruleset/test-ruleset-load.c \
	tests/unit/libxt2/ruleset/test-ruleset-loop.c \
	tests/unit/libxt2/ruleset/test-ruleset-random.c \
	tests/unit/libxt2/ruleset/test-ruleset-write.c \
	tests/unit/libxt2/ruleset/test-ruleset.c \
	tests/unit/libxt2/ruleset/test-shared.c \
	tests/unit/libxt2/ruleset/test-table-copy.c \
	tests/unit/libxt2/ruleset/test-table-difference.c \
	tests/unit/libxt2/ruleset/test-tables.c
tests_unit_run_ruleset_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_ruleset_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_ruleset_LDADD = libtext.la $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-change
tests_unit_run_change_SOURCES = $(UNIT_RUNNER) \
	tests/unit/change-case.h \
	tests/unit/inplace-case.h \
	tests/fuzz/seed-image.h \
	tests/lib/rules.h \
	tests/lib/world-packets.h \
	tests/lib/world-rules.h \
	$(FAIL_ALLOC_FILES) \
	tests/unit/libxt2/change/test-compact.c \
	tests/unit/libxt2/change/test-edit-log.c \
	tests/unit/libxt2/change/test-finder.c \
	tests/unit/libxt2/change/test-history.c \
	tests/unit/libxt2/change/test-owners.c \
	tests/unit/libxt2/change/test-pages.c \
	tests/unit/libxt2/change/test-names.c \
	tests/unit/libxt2/change/test-patch-edit.c \
	tests/unit/libxt2/change/test-patch-entries.c \
	tests/unit/libxt2/change/test-patch-items.c \
	tests/unit/libxt2/change/test-patch-slots.c \
	tests/unit/libxt2/change/test-patch-labels.c \
	tests/unit/libxt2/change/test-retire.c \
	tests/unit/libxt2/change/test-space.c \
	tests/unit/libxt2/change/test-view.c \
	tests/unit/libxt2/change/test-ways.c
tests_unit_run_change_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_change_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_change_LDADD = liboracle.la $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-evaluate
tests_unit_run_evaluate_SOURCES = $(UNIT_RUNNER) \
	tests/lib/packets.h \
	tests/lib/rules.h \
	$(FAIL_ALLOC_FILES) \
	tests/unit/evaluate-case.h \
	tests/unit/libxt2/evaluate/test-evaluator.c \
	tests/unit/libxt2/evaluate/test-reach.c \
	tests/unit/libxt2/evaluate/test-unsupported.c
tests_unit_run_evaluate_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_evaluate_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_evaluate_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-share
tests_unit_run_share_SOURCES = $(UNIT_RUNNER) \
	tests/lib/packets.h \
	tests/lib/plain-image.h \
	tests/lib/rules.h \
	$(FAIL_ALLOC_FILES) \
	tests/unit/patch-case.h \
	tests/unit/share-case.h \
	tests/unit/libxt2/share/test-compactor.c \
	tests/unit/libxt2/share/test-reader.c \
	tests/unit/libxt2/share/test-share.c \
	tests/unit/libxt2/share/test-slots-convert.c \
	tests/unit/libxt2/share/test-slots.c \
	tests/unit/libxt2/share/test-snapshot.c \
	tests/unit/libxt2/share/test-share-tables.c
tests_unit_run_share_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_share_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_share_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-sockopt
tests_unit_run_sockopt_SOURCES = $(UNIT_RUNNER) \
	tests/unit/ruleset-case.h \
	tests/lib/rules.h \
	tests/unit/sockopt-case.h \
	tests/legacy/caller.h \
	$(FAIL_ALLOC_FILES) \
	tests/unit/libxt2/sockopt/test-legacy-entries.c \
	tests/unit/libxt2/sockopt/test-legacy-sets.c \
	tests/unit/libxt2/sockopt/test-legacy-table.c \
	tests/unit/libxt2/sockopt/test-sockopt-call.c \
	tests/unit/libxt2/sockopt/test-sockopt-ebt.c \
	tests/unit/libxt2/sockopt/test-sockopt.c
tests_unit_run_sockopt_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_sockopt_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_sockopt_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-store
tests_unit_run_store_SOURCES = $(UNIT_RUNNER) \
	tests/lib/rules.h \
	$(FAIL_ALLOC_FILES) \
	tests/unit/store-case.h \
	tests/unit/libxt2/store/test-commit-file.c \
	tests/unit/libxt2/store/test-commit-queue.c \
	tests/unit/libxt2/store/test-edit-file.c \
	tests/unit/libxt2/store/test-file-store.c \
	tests/unit/libxt2/store/test-image-file.c \
	tests/unit/libxt2/store/test-image-past.c \
	tests/unit/libxt2/store/test-new-file.c \
	tests/unit/libxt2/store/test-old-files.c \
	tests/unit/libxt2/store/test-stamp.c \
	tests/unit/libxt2/store/test-store-edit.c \
	tests/unit/libxt2/store/test-store.c \
	tests/unit/libxt2/store/test-transaction.c \
	tests/unit/libxt2/store/test-whole-image.c
tests_unit_run_store_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_store_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP) -Wl,--wrap=write,--wrap=fsync,--wrap=fdatasync,--wrap=rename
tests_unit_run_store_LDADD = $(UNIT_LIBS)

if BPF
UNIT_TESTS += tests/unit/run-bpf
tests_unit_run_bpf_SOURCES = $(UNIT_RUNNER) \
	tests/lib/rules.h \
	$(FAIL_ALLOC_FILES) \
	tests/unit/libxt2/store/bpf/test-bpf-check.c \
	tests/unit/libxt2/store/bpf/test-bpf-clock.c \
	tests/unit/libxt2/store/bpf/test-bpf-keep.c \
	tests/unit/libxt2/store/bpf/test-bpf-meets.c \
	tests/unit/libxt2/store/companion/test-bpf-nat-keys.c \
	tests/unit/libxt2/store/companion/test-bpf-nat-plan.c \
	tests/unit/libxt2/store/companion/test-bpf-nat-target.c \
	tests/unit/libxt2/store/bpf/test-bpf-owner.c \
	tests/unit/libxt2/store/bpf/test-bpf-refused.c \
	tests/unit/libxt2/store/bpf/test-bpf-shares.c \
	tests/unit/libxt2/store/companion/left-case.h \
	tests/unit/libxt2/store/companion/test-bpf-bound.c \
	tests/unit/libxt2/store/companion/test-bpf-question-match.c \
	tests/unit/libxt2/store/companion/test-bpf-stops.c \
	tests/unit/libxt2/store/companion/test-bpf-left-kinds.c \
	tests/unit/libxt2/store/companion/test-bpf-left-order.c \
	tests/unit/libxt2/store/companion/test-bpf-left-plan.c \
	tests/unit/libxt2/store/companion/test-bpf-step-target.c \
	tests/unit/libxt2/store/kernel/test-kernel-form.c
tests_unit_run_bpf_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_bpf_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP) \
	-Wl,--wrap=xt2_live_reserve_,--wrap=xt2_live_release_
tests_unit_run_bpf_LDADD = libhost.la $(UNIT_LIBS)
endif

UNIT_TESTS += tests/unit/run-shim
tests_unit_run_shim_SOURCES = $(UNIT_RUNNER) \
	tests/unit/shim/test-shim-store.c
tests_unit_run_shim_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_shim_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=xt2_store_read
tests_unit_run_shim_LDADD = libshim.la $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-text
tests_unit_run_text_SOURCES = $(UNIT_RUNNER) \
	tests/fuzz/seed-image.h \
	tests/unit/xt2tables/text/print/test-counter-units.c \
	tests/unit/xt2tables/text/test-alone.c \
	tests/unit/xt2tables/text/test-digits.c \
	tests/unit/xt2tables/text/test-nearest.c \
	tests/unit/xt2tables/text/test-text.c \
	tests/unit/xt2tables/text/test-words.c
tests_unit_run_text_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_text_LDADD = libtext.la $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-files
tests_unit_run_files_SOURCES = $(UNIT_RUNNER) \
	tests/unit/xt2tables/files/test-output.c \
	tests/unit/xt2tables/files/test-short-file.c
tests_unit_run_files_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_files_LDADD = libtext.la $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-json
tests_unit_run_json_SOURCES = $(UNIT_RUNNER) \
	$(FAIL_ALLOC_FILES) \
	tests/unit/xt2tables/json/test-ruleset-json.c
tests_unit_run_json_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_json_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_json_LDADD = libjson.la libtext.la $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-cmd
tests_unit_run_cmd_SOURCES = $(UNIT_RUNNER) \
	tests/unit/sample-image.h \
	tests/fuzz/seed-image.h \
	xt2tables/cmd/bench-run.c \
	xt2tables/packet/packet-words.c \
	tests/unit/xt2tables/cmd/test-bench-run.c
tests_unit_run_cmd_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_cmd_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/run-packet
tests_unit_run_packet_SOURCES = $(UNIT_RUNNER) \
	tests/lib/packets.h \
	tests/lib/rules.h \
	$(FAIL_ALLOC_FILES) \
	xt2tables/files/options.c \
	xt2tables/packet/context.c \
	xt2tables/packet/packet-words.c \
	xt2tables/packet/packet.c \
	tests/unit/xt2tables/packet/test-context.c \
	tests/unit/xt2tables/packet/test-oracle.c \
	tests/unit/xt2tables/packet/test-packet-words.c \
	tests/unit/xt2tables/packet/test-packet.c
tests_unit_run_packet_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_packet_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_packet_LDADD = liboracle.la libtext.la $(UNIT_LIBS)

# No BPF: the store that refuses rulesets is the test's.
UNIT_TESTS += tests/unit/run-live
tests_unit_run_live_SOURCES = $(UNIT_RUNNER) \
	tests/lib/packets.h \
	tests/lib/rules.h \
	$(FAIL_ALLOC_FILES) \
	xt2tables/live/live-trace.c \
	xt2tables/live/log-pcapng.c \
	xt2tables/live/log-text.c \
	tests/unit/xt2tables/live/test-live-refused.c \
	tests/unit/xt2tables/live/test-live-trace.c \
	tests/unit/xt2tables/live/test-log-pcapng.c \
	tests/unit/xt2tables/live/test-log-text.c
tests_unit_run_live_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_live_LDFLAGS = $(AM_LDFLAGS) $(FAIL_ALLOC_WRAP)
tests_unit_run_live_LDADD = libtext.la $(UNIT_LIBS)

EXTRA_DIST += tests/legacy/vectors/README tests/legacy/vectors/tables.vec \
	tests/legacy/vectors/rules.vec tests/legacy/vectors/kernel.vec \
	tests/legacy/vectors/defects.vec tests/legacy/vectors/ebt.vec \
	tests/legacy/vectors/calls.vec tests/legacy/vectors/rules.txt

# Programs of their own: these may end as skipped.
UNIT_TESTS += tests/unit/libxt2/sockopt/test-sockopt-kernel
tests_unit_libxt2_sockopt_test_sockopt_kernel_SOURCES = \
	tests/unit/libxt2/sockopt/test-sockopt-kernel.c tests/unit/sockopt-case.h \
	tests/legacy/caller.h
tests_unit_libxt2_sockopt_test_sockopt_kernel_CFLAGS = $(UNIT_CFLAGS)
tests_unit_libxt2_sockopt_test_sockopt_kernel_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/shim/test-abi
tests_unit_shim_test_abi_CFLAGS = $(UNIT_CFLAGS)
tests_unit_shim_test_abi_LDADD = libshim.la $(UNIT_LIBS)

# Each with its own part of perf/.
UNIT_TESTS += tests/unit/run-rtt
tests_unit_run_rtt_SOURCES = $(UNIT_RUNNER) tests/unit/perf/test-rtt.c perf/rtt/rtt.c perf/rtt/rtt.h
tests_unit_run_rtt_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_rtt_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
tests_unit_run_rtt_LDADD = $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/run-rtt-line
tests_unit_run_rtt_line_SOURCES = $(UNIT_RUNNER) tests/unit/perf/test-rtt-line.c perf/rtt/rtt.c \
	perf/rtt/rtt-line.c perf/rtt/rtt.h
tests_unit_run_rtt_line_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_rtt_line_LDADD = $(CMOCKA_LIBS)
else
TESTS += tests/lib/no-units
endif

TESTS += tests/unit/perf/test-gen.py tests/unit/perf/test-rtt.py
EXTRA_DIST += tests/unit/perf/test-gen.py tests/unit/perf/test-rtt.py
