# Freestanding: one environment header, no #if.
noinst_LTLIBRARIES += libengine.la
libengine_la_SOURCES = \
	engine/check-names.c \
	engine/check.c \
	engine/check.h \
	engine/edit.c \
	engine/edit.h \
	engine/env.h \
	engine/eval-index.c \
	engine/eval.c \
	engine/eval.h \
	engine/image.c \
	engine/image.h \
	engine/index-bits.c \
	engine/index-box.c \
	engine/index-box.h \
	engine/index-count.h \
	engine/index-build-bits.c \
	engine/index-build-pairs.c \
	engine/index-build-segments.c \
	engine/index-build.c \
	engine/index-build.h \
	engine/index-check.c \
	engine/index-columns.h \
	engine/index-pairs.c \
	engine/index-pairs.h \
	engine/index-runs.c \
	engine/index-scan.c \
	engine/index-segments.c \
	engine/index.c \
	engine/index.h \
	engine/pkt.c \
	engine/pkt.h \
	engine/ports.h \
	engine/rule.c \
	engine/rule.h \
	engine/walk.c \
	engine/walk.h \
	engine/write.c \
	engine/write.h
