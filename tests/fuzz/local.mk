# libFuzzer targets, built by configure --enable-fuzzers CC=clang and run by
# scripts/fuzz; each opens with what it feeds and to whom.
FUZZ_TARGETS =
if FUZZERS
noinst_PROGRAMS += $(FUZZ_TARGETS)
FUZZ_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
endif
