lib_LTLIBRARIES += libxt2.la
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = libxt2/xt2.pc
EXTRA_DIST += libxt2/libxt2.map

# Everything but the command-line tools, for them and for the tests.
noinst_LTLIBRARIES += libxt2-internal.la
libxt2_internal_la_SOURCES = \
	libxt2/arena.c \
	libxt2/arena.h \
	libxt2/tests-avx2.h \
	libxt2/chains.c \
	libxt2/err.c \
	libxt2/err.h \
	libxt2/image-file.c \
	libxt2/new-file.c \
	libxt2/new-file.h \
	libxt2/pair.c \
	libxt2/pair.h \
	libxt2/printable.c \
	libxt2/printable.h \
	libxt2/rules.c \
	libxt2/ruleset-load.c \
	libxt2/ruleset-loop.c \
	libxt2/ruleset-write.c \
	libxt2/ruleset.c \
	libxt2/ruleset.h \
	libxt2/scan.h \
	libxt2/shared.c \
	libxt2/table-copy.c \
	libxt2/table-copy.h \
	libxt2/tables.c \
	libxt2/track.h
libxt2_internal_la_CFLAGS = $(AM_CFLAGS) $(PCAP_CFLAGS) $(MD_CFLAGS)
libxt2_internal_la_LIBADD = libtranslators.la libextensions.la libengine.la $(MD_LIBS)

libxt2_la_SOURCES =
libxt2_la_LIBADD = libxt2-internal.la $(PCAP_LIBS)
libxt2_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/libxt2/libxt2.map
libxt2_la_DEPENDENCIES = libxt2-internal.la libxt2/libxt2.map
libxt2_internal_la_SOURCES += libxt2/capture.c libxt2/capture.h
libxt2_internal_la_SOURCES += libxt2/digest.c
libxt2_internal_la_SOURCES += libxt2/legacy-entries.c libxt2/legacy-sets.c \
	libxt2/legacy-sets.h libxt2/legacy-table.c \
	libxt2/legacy-table.h libxt2/sockopt-call.h libxt2/sockopt-ebt.c libxt2/sockopt.c
libpacket_la_SOURCES += libxt2/bits-avx2.c libxt2/evaluator.c libxt2/pairs-avx2.c \
	libxt2/scan-avx2.c libxt2/scan-avx512.c libxt2/scan.c libxt2/tests-avx2.c
