noinst_LTLIBRARIES += libtranslators.la
libtranslators_la_SOURCES = \
	translators/ext/translate.h
libtranslators_la_SOURCES += translators/ext/translate.c translators/ext/xt-transport.c \
	translators/ext/xt-transport.h translators/ext/xt-transport6.c
libtranslators_la_SOURCES += translators/ext/xt-packet.h translators/ext/xt-packet.c translators/ext/xt-packet-deep.c
libtranslators_la_SOURCES += translators/ext/xt-state.c translators/ext/xt-target.c
libtranslators_la_SOURCES += translators/table/legacy.h translators/table/legacy-format.h \
	translators/table/legacy-format.c translators/table/legacy-known.c translators/table/legacy-entry.c \
	translators/table/legacy-check.c translators/table/legacy-trace.c translators/table/legacy-chains.c \
	translators/table/legacy-base.c translators/table/legacy-read.c translators/table/legacy-write.c \
	translators/ext/xt-sets.h translators/ext/xt-sets.c
libtranslators_la_SOURCES += translators/ebt/ebt.h translators/ebt/ebt-known.c \
	translators/ebt/ebt-check.c translators/ebt/ebt-size.c \
	translators/ebt/ebt-rules.c translators/ebt/ebt-base.c \
	translators/ebt/ebt-read.c translators/ebt/ebt-write.c
