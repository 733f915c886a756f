noinst_LTLIBRARIES += libtranslators.la
libtranslators_la_SOURCES = \
	translators/ext.h
