noinst_LTLIBRARIES += libtranslators.la
libtranslators_la_SOURCES = \
	translators/ext.h
libtranslators_la_SOURCES += translators/ext.c translators/transport.c \
	translators/transport.h translators/transport6.c
libtranslators_la_SOURCES += translators/packet.h translators/packet.c translators/packet-deep.c
libtranslators_la_SOURCES += translators/state.c translators/target.c
