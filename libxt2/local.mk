lib_LTLIBRARIES += libxt2.la
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = libxt2/xt2.pc
EXTRA_DIST += libxt2/libxt2.map

# Everything but the command-line tools, for them and for the tests.
noinst_LTLIBRARIES += libxt2-internal.la
libxt2_internal_la_SOURCES = \
	libxt2/change/compact.c \
	libxt2/change/compact.h \
	libxt2/change/edit-log.c \
	libxt2/change/edit-log.h \
	libxt2/change/history.c \
	libxt2/change/history.h \
	libxt2/change/names.c \
	libxt2/change/names.h \
	libxt2/change/ways.c \
	libxt2/change/ways.h \
	libxt2/change/owners.c \
	libxt2/change/owners.h \
	libxt2/change/pages.c \
	libxt2/change/pages.h \
	libxt2/change/finder.c \
	libxt2/change/finder.h \
	libxt2/change/patch-edit.c \
	libxt2/change/patch-edit.h \
	libxt2/change/patch-entries.c \
	libxt2/change/patch-entries.h \
	libxt2/change/patch-items.c \
	libxt2/change/patch-items.h \
	libxt2/change/patch-slots.c \
	libxt2/change/patch-slots.h \
	libxt2/change/patch-labels.c \
	libxt2/change/patch-labels.h \
	libxt2/change/retire.c \
	libxt2/change/retire.h \
	libxt2/change/space.c \
	libxt2/change/space.h \
	libxt2/change/view.c \
	libxt2/change/view.h \
	libxt2/ruleset/arena.c \
	libxt2/ruleset/arena.h \
	libxt2/ruleset/cells.c \
	libxt2/ruleset/chain-owners.c \
	libxt2/ruleset/chains.c \
	libxt2/err.c \
	libxt2/err-print.c \
	libxt2/err.h \
	libxt2/grow.c \
	libxt2/grow.h \
	libxt2/store/commit-file.c \
	libxt2/store/commit-queue.c \
	libxt2/store/commit-queue.h \
	libxt2/store/edit-file.c \
	libxt2/store/edit-file.h \
	libxt2/store/file-store.c \
	libxt2/store/image-file.c \
	libxt2/store/image-past.c \
	libxt2/store/image-past.h \
	libxt2/store/new-file.c \
	libxt2/store/new-file.h \
	libxt2/store/old-files.c \
	libxt2/store/old-files.h \
	libxt2/store/stamp.c \
	libxt2/store/stamp.h \
	libxt2/store/store.c \
	libxt2/store/store-edit.c \
	libxt2/store/store.h \
	libxt2/store/transaction.c \
	libxt2/store/whole-image.c \
	libxt2/store/whole-image.h \
	libxt2/ruleset/pair.c \
	libxt2/ruleset/pair.h \
	libxt2/printable.c \
	libxt2/printable.h \
	libxt2/ruleset/inplace.c \
	libxt2/ruleset/inplace.h \
	libxt2/ruleset/inplace-calls.c \
	libxt2/ruleset/inplace-calls.h \
	libxt2/ruleset/inplace-commit.c \
	libxt2/ruleset/inplace-life.c \
	libxt2/ruleset/inplace-owners.c \
	libxt2/ruleset/inplace-past.c \
	libxt2/ruleset/inplace-rules.c \
	libxt2/ruleset/jumps.c \
	libxt2/ruleset/jumps.h \
	libxt2/ruleset/list.c \
	libxt2/ruleset/list.h \
	libxt2/ruleset/list-blocks.c \
	libxt2/ruleset/list-blocks.h \
	libxt2/ruleset/rules.c \
	libxt2/ruleset/ruleset-load.c \
	libxt2/ruleset/ruleset-loop.c \
	libxt2/ruleset/ruleset-write.c \
	libxt2/ruleset/ruleset.c \
	libxt2/ruleset/ruleset.h \
	libxt2/ruleset/shared.c \
	libxt2/ruleset/renumber.c \
	libxt2/ruleset/renumber.h \
	libxt2/ruleset/table-copy.c \
	libxt2/ruleset/table-copy.h \
	libxt2/ruleset/table-difference.c \
	libxt2/ruleset/table-difference.h \
	libxt2/ruleset/tables.c \
	libxt2/evaluate/hooks.h \
	libxt2/evaluate/reach.c \
	libxt2/evaluate/reach.h \
	libxt2/evaluate/track.h \
	libxt2/evaluate/unsupported.c \
	libxt2/evaluate/unsupported.h \
	libxt2/share/seats.h \
	libxt2/share/share.c \
	libxt2/share/share.h \
	libxt2/share/slots-convert.c \
	libxt2/share/slots.c \
	libxt2/share/slots.h \
	libxt2/share/snapshot.c \
	libxt2/share/compactor.c \
	libxt2/share/compactor.h \
	libxt2/share/share-tables.c \
	libxt2/share/share-tables.h
libxt2_internal_la_CFLAGS = $(AM_CFLAGS) $(PCAP_CFLAGS) $(MD_CFLAGS)
libxt2_internal_la_LIBADD = libevaluator.la libtranslators.la libextensions.la libengine.la $(MD_LIBS)

libxt2_la_SOURCES =
libxt2_la_LIBADD = libxt2-internal.la $(PCAP_LIBS)
libxt2_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/libxt2/libxt2.map
libxt2_la_DEPENDENCIES = libxt2-internal.la libxt2/libxt2.map
libxt2_internal_la_SOURCES += libxt2/capture.c libxt2/capture.h
libxt2_internal_la_SOURCES += libxt2/ruleset/digest.c
libxt2_internal_la_SOURCES += libxt2/sockopt/legacy-entries.c libxt2/sockopt/legacy-entries.h \
	libxt2/sockopt/legacy-sets.c \
	libxt2/sockopt/legacy-sets.h libxt2/sockopt/legacy-table.c \
	libxt2/sockopt/legacy-table.h libxt2/sockopt/sockopt-call.c \
	libxt2/sockopt/sockopt-call.h libxt2/sockopt/sockopt-ebt.c libxt2/sockopt/sockopt.c

# It runs for each packet: see libpacket.la in engine/local.mk.
noinst_LTLIBRARIES += libevaluator.la
libevaluator_la_CFLAGS = $(AM_CFLAGS) $(PCAP_CFLAGS) $(PACKET_CFLAGS)
libevaluator_la_SOURCES = \
	libxt2/evaluate/evaluator.c \
	libxt2/share/reader.c \
	libxt2/share/slots-env.h \
	libxt2/share/slots-eval-index.c \
	libxt2/share/slots-eval.c
