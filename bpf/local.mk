# SPDX-License-Identifier: GPL-2.0-or-later
# Live rulesets: the programs for the kernel, compiled from the engine's own sources, and their loader.
BPF_PROGRAM_FILES = bpf/arena.h bpf/connection.h bpf/env.h bpf/ether.h bpf/links.bpf.c bpf/links.h \
	bpf/log.h bpf/report.h bpf/slot.h \
	bpf/trial.h bpf/xt2.bpf.c
# The extensions that a BPF program can evaluate: those without XT2_EXT_NATIVE.
BPF_EXTENSIONS = comment conntrack cpu dccp devgroup dispatch ecn eui64 foreign frag icmp iprange \
	ipsec ipv6header length limit mac mark mh multiport opts pkttype quota rt sctp \
	state statistic target target_log tcp tcpmss time tos ttl u32 udp
LIBHOST_FILES = \
	bpf/arena.h \
	bpf/host-check.c \
	bpf/host-clock.c \
	bpf/host-links.c \
	bpf/host-log.c \
	bpf/host-private.h \
	bpf/host-root.c \
	bpf/host-ruleset.c \
	bpf/host-stray.c \
	bpf/host-sweep.c \
	bpf/host-track.c \
	bpf/host-trial.c \
	bpf/host.c \
	bpf/host.h \
	bpf/keep.c \
	bpf/links.h \
	bpf/log.h \
	bpf/object.c \
	bpf/owner.c \
	bpf/owner.h \
	bpf/pin.c \
	bpf/refused.c \
	bpf/slot.h
EXTRA_DIST += $(BPF_PROGRAM_FILES)

if BPF
AM_CPPFLAGS += $(NFTNL_CFLAGS)
noinst_LTLIBRARIES += libhost.la
libhost_la_SOURCES = $(LIBHOST_FILES)
libhost_la_LIBADD = libxt2-internal.la $(LIBBPF_LIBS) $(NFTNL_LIBS)

BPF_CFLAGS = -g -O2 -target bpf -mcpu=v3 -std=gnu11 -fno-strict-aliasing -fvisibility=hidden \
	-Wall -Wextra -Wno-unused-parameter -Wno-static-in-inline \
	-I$(top_srcdir)/include -I$(top_srcdir)/bpf -Ibpf -idirafter $(BPF_INCLUDE)
BPF_OBJECTS = bpf/xt2.o bpf/engine-eval-index.o bpf/engine-pkt.o bpf/engine-index.o \
	bpf/engine-index-bits.o bpf/engine-index-pairs.o bpf/engine-index-scan.o \
	bpf/engine-index-segments.o $(BPF_EXTENSIONS:%=bpf/ext-%.o)
BPF_INCLUDED = $(wildcard $(top_srcdir)/engine/*.h $(top_srcdir)/extensions/*.h \
	$(top_srcdir)/include/xt2/*.h $(top_srcdir)/bpf/*.h)
BPF_COMPILE = $(AM_V_GEN)$(MKDIR_P) bpf && $(BPF_CLANG) $(BPF_CFLAGS)
CLEANFILES += $(BPF_OBJECTS) bpf/links.o bpf/links.bpf.o bpf/vmlinux.h bpf/xt2.bpf.o

bpf/vmlinux.h:
	$(AM_V_GEN)$(MKDIR_P) bpf && \
	$(BPFTOOL) btf dump file $(VMLINUX_BTF) format c >$@.tmp && mv $@.tmp $@
bpf/xt2.o: bpf/vmlinux.h $(top_srcdir)/bpf/xt2.bpf.c $(top_srcdir)/engine/eval.c $(BPF_INCLUDED)
	$(BPF_COMPILE) -c -o $@ $(top_srcdir)/bpf/xt2.bpf.c
bpf/engine-%.o: $(top_srcdir)/engine/%.c $(BPF_INCLUDED)
	$(BPF_COMPILE) -include $(top_srcdir)/bpf/env.h -c -o $@ $<
bpf/ext-%.o: $(top_srcdir)/extensions/%.c $(BPF_INCLUDED)
	$(BPF_COMPILE) -include $(top_srcdir)/bpf/env.h -c -o $@ $<
bpf/xt2.bpf.o: $(BPF_OBJECTS)
	$(AM_V_GEN)$(BPFTOOL) gen object $@ $(BPF_OBJECTS)
bpf/links.o: bpf/vmlinux.h $(top_srcdir)/bpf/links.bpf.c $(top_srcdir)/bpf/links.h
	$(BPF_COMPILE) -c -o $@ $(top_srcdir)/bpf/links.bpf.c
bpf/links.bpf.o: bpf/links.o
	$(AM_V_GEN)$(BPFTOOL) gen object $@ bpf/links.o
bpf/object.lo: bpf/xt2.bpf.o bpf/links.bpf.o
else
EXTRA_DIST += $(LIBHOST_FILES)
endif
