# Freestanding: one environment header, no #if.
noinst_LTLIBRARIES += libengine.la
libengine_la_SOURCES = \
	engine/check-chain.c \
	engine/check-names.c \
	engine/check-patch.c \
	engine/check.c \
	engine/check-private.h \
	engine/check.h \
	engine/ctx.h \
	engine/dispatch.h \
	engine/compiler.h engine/env.h \
	engine/eval-skip.h \
	engine/eval.h \
	engine/image.c \
	engine/image.h \
	engine/index/box.h \
	engine/index/count-below.h \
	engine/index/build-bits.c \
	engine/index/build-columns.c \
	engine/index/build-pairs.c \
	engine/index/build-segments.c \
	engine/index/build.c \
	engine/index/build.h \
	engine/index/check-index.c \
	engine/index/columns.h \
	engine/index/eval-index.h \
	engine/index/find.h \
	engine/index/pairs.h \
	engine/index/patched.h \
	engine/index/search.h \
	engine/index/units.c \
	engine/match.h \
	engine/order.h \
	engine/parse.h \
	engine/rule.c \
	engine/rule.h \
	engine/simd/count-sse2.h \
	engine/simd/scan.h \
	engine/simd/tests-avx2.h \
	engine/simd/vectors.h \
	engine/tune.h \
	engine/walk.c \
	engine/walk.h \
	engine/write.c \
	engine/write.h
libengine_la_LIBADD = libpacket.la

# What runs for each packet.  Canaries cost up to 1 % of its instructions there (perf/cost/instructions), for
# arrays that hold what xt2_check() has seen and are indexed by what it has bounded; all else has them.
noinst_LTLIBRARIES += libpacket.la
libpacket_la_CFLAGS = $(AM_CFLAGS) $(PACKET_CFLAGS)
libpacket_la_SOURCES = \
	engine/index/eval-index.c \
	engine/index/eval-patch.c \
	engine/eval.c \
	engine/index/bits.c \
	engine/index/box.c \
	engine/index/pairs.c \
	engine/index/runs.c \
	engine/index/classes.c \
	engine/index/columns.c \
	engine/index/segments.c \
	engine/index/search.c \
	engine/order.c \
	engine/parse.c \
	engine/simd/bits-avx2.c \
	engine/simd/pairs-avx2.c \
	engine/simd/patch-avx2.c \
	engine/simd/scan-avx2.c \
	engine/simd/scan-avx512.c \
	engine/simd/scan.c \
	engine/simd/tests-avx2.c \
	engine/simd/vectors.c
