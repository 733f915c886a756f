# Freestanding: one environment header, no #if.
noinst_LTLIBRARIES += libengine.la
libengine_la_SOURCES = \
	engine/eval.c \
	engine/image.c \
	engine/check.h \
	engine/edit.h \
	engine/env.h \
	engine/eval.h \
	engine/image.h \
	engine/pkt.c \
	engine/pkt.h \
	engine/write.h
