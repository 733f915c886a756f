noinst_LTLIBRARIES += libextensions.la
libextensions_la_SOURCES = \
	extensions/dispatch.c \
	extensions/extensions.h \
	extensions/foreign.c
