noinst_LTLIBRARIES += libtranslators.la
libtranslators_la_SOURCES = \
	translators/ext.h
libtranslators_la_SOURCES += translators/ext.c translators/transport.c \
	translators/transport.h translators/transport6.c
libtranslators_la_SOURCES += translators/packet.h translators/packet.c translators/packet-deep.c
libtranslators_la_SOURCES += translators/state.c translators/target.c
libtranslators_la_SOURCES += translators/legacy.h translators/legacy-format.h \
	translators/legacy-format.c translators/legacy-known.c translators/legacy-entry.c \
	translators/legacy-check.c translators/legacy-trace.c translators/legacy-chains.c \
	translators/legacy-base.c translators/legacy-read.c translators/legacy-write.c \
	translators/sets.h translators/sets.c
libtranslators_la_SOURCES += translators/legacy-ebt.h translators/legacy-ebt-known.c \
	translators/legacy-ebt-check.c translators/legacy-ebt-size.c \
	translators/legacy-ebt-rules.c translators/legacy-ebt-base.c \
	translators/legacy-ebt-read.c translators/legacy-ebt-write.c
