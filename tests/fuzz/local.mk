# libFuzzer targets, built by configure --enable-fuzzers CC=clang and run by
# scripts/fuzz; each opens with what it feeds and to whom.
FUZZ_TARGETS =
if FUZZERS
noinst_PROGRAMS += $(FUZZ_TARGETS)
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
FUZZ_TARGETS += tests/fuzz/fuzz-image
tests_fuzz_fuzz_image_SOURCES = tests/fuzz/fuzz-image.c tests/fuzz/seed-image.h
tests_fuzz_fuzz_image_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_image_LDADD = libxt2-internal.la $(PCAP_LIBS)
FUZZ_TARGETS += tests/fuzz/fuzz-capture
tests_fuzz_fuzz_capture_SOURCES = tests/fuzz/fuzz-capture.c
tests_fuzz_fuzz_capture_LDFLAGS = $(FUZZ_LINK)
tests_fuzz_fuzz_capture_LDADD = libxt2-internal.la $(PCAP_LIBS)
