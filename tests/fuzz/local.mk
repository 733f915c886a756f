# libFuzzer targets, built by configure --enable-fuzzers CC=clang and run by
# scripts/fuzz; each opens with what it feeds and to whom.
FUZZ_TARGETS =
if FUZZERS
noinst_PROGRAMS += $(FUZZ_TARGETS)
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
FUZZ_TARGETS += tests/fuzz/fuzz-image
tests_fuzz_fuzz_image_SOURCES = tests/fuzz/fuzz-image.c tests/fuzz/seed-image.h \
	tests/fuzz/seed-packet.h tests/lib/index-mutate.h tests/lib/plain-image.h
tests_fuzz_fuzz_image_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_image_LDADD = libxt2-internal.la $(PCAP_LIBS)
FUZZ_TARGETS += tests/fuzz/fuzz-capture
tests_fuzz_fuzz_capture_SOURCES = tests/fuzz/fuzz-capture.c
tests_fuzz_fuzz_capture_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_capture_LDADD = libxt2-internal.la $(PCAP_LIBS)
FUZZ_TEXT_SOURCES = tests/fuzz/lines.c tests/fuzz/lines.h tests/fuzz/round-trip.c \
	tests/fuzz/round-trip.h tests/fuzz/fuzz-rules.h tests/fuzz/seed-image.h tests/lib/packets.h
FUZZ_TEXT_LINK = $(FUZZ_LINK) -Wl,--wrap=read,--wrap=time
FUZZ_TARGETS += tests/fuzz/fuzz-grammar
tests_fuzz_fuzz_grammar_SOURCES = tests/fuzz/fuzz-grammar.c $(FUZZ_TEXT_SOURCES)
tests_fuzz_fuzz_grammar_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
tests_fuzz_fuzz_grammar_LDFLAGS = $(FUZZ_TEXT_LINK) \
	-Wl,--wrap=xt2_libxt_match,--wrap=xt2_libxt_match_proto,--wrap=xt2_libxt_target \
	-Wl,--wrap=xt2_libxt_target_must,--wrap=legacy_known_named,--wrap=xtables_find_target \
	-Wl,--wrap=xt2_libxt_match_is
tests_fuzz_fuzz_grammar_LDADD = libtext.la $(PCAP_LIBS)
FUZZ_TARGETS += tests/fuzz/fuzz-text
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz-text.c $(FUZZ_TEXT_SOURCES)
tests_fuzz_fuzz_text_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
tests_fuzz_fuzz_text_LDFLAGS = $(FUZZ_TEXT_LINK)
tests_fuzz_fuzz_text_LDADD = libtext.la $(PCAP_LIBS)
# Images of rules.h, for fuzz-image to begin with: make-seeds FOLDER.
FUZZ_TARGETS += tests/fuzz/make-seeds
tests_fuzz_make_seeds_SOURCES = tests/fuzz/make-seeds.c tests/fuzz/fuzz-rules.h
tests_fuzz_make_seeds_LDADD = libtext.la $(PCAP_LIBS)
FUZZ_TARGETS += tests/fuzz/fuzz-legacy
tests_fuzz_fuzz_legacy_SOURCES = tests/fuzz/fuzz-legacy.c tests/fuzz/legacy-mutate.c \
	tests/fuzz/legacy-mutate.h
tests_fuzz_fuzz_legacy_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_legacy_LDADD = libxt2-internal.la $(PCAP_LIBS)
# Captured blobs for it: legacy-seeds FORMAT FOLDER FILE.vec...
FUZZ_TARGETS += tests/fuzz/legacy-seeds
tests_fuzz_legacy_seeds_SOURCES = tests/fuzz/legacy-seeds.c tests/fuzz/legacy-mutate.c \
	tests/fuzz/legacy-mutate.h
tests_fuzz_legacy_seeds_LDADD = libxt2-internal.la $(PCAP_LIBS)
FUZZ_TARGETS += tests/fuzz/fuzz-json
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/fuzz-json.c $(FUZZ_TEXT_SOURCES)
tests_fuzz_fuzz_json_CFLAGS = $(AM_CFLAGS) $(XTABLES_CFLAGS)
tests_fuzz_fuzz_json_LDFLAGS = $(FUZZ_TEXT_LINK)
tests_fuzz_fuzz_json_LDADD = libjson.la libtext.la $(PCAP_LIBS)
