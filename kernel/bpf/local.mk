# SPDX-License-Identifier: GPL-2.0-or-later
# Live rulesets: the programs for the kernel, compiled from the engine's own sources, and their loader.
BPF_PROGRAM_FILES = kernel/bpf/act.bpf.c kernel/bpf/act.h kernel/bpf/act-maps.h kernel/bpf/guard.h kernel/bpf/shared-arena.h kernel/bpf/connection.h kernel/bpf/env.h kernel/bpf/ether.h kernel/bpf/links.bpf.c kernel/bpf/links.h \
	kernel/bpf/left.h kernel/bpf/log.h kernel/bpf/report.h kernel/bpf/slot.h \
	kernel/bpf/trial.h kernel/bpf/xt2.bpf.c
# The extensions that a BPF program can evaluate: the files with a body of a row
# without XT2_EXT_NATIVE in include/xt2/ext.h, and those that have no row's body.
# Which file has which body only a compiler or a search knows; so the list is
# written here, where a build needs neither, and tests/lint/extensions.py
# holds it against ext.h.
BPF_EXTENSIONS = dispatch target/target target/target-ct target/target-dscp target/target-log target/target-mark \
	target/target-nfqueue target/target-reject target/target-tcpmss target/target-ttl \
	match/comment match/cpu match/dccp match/devgroup match/ecn match/eui64 match/frag match/icmp \
	match/iprange match/ipsec match/ipv6header match/length match/mac match/mark match/mh \
	match/multiport match/opts match/pkttype match/rt match/sctp match/tcp match/tcpmss match/tos \
	match/ttl match/u32 match/udp \
	state/conntrack state/hashlimit state/limit state/memory state/quota state/recent state/state state/statistic state/time
LIBHOST_FILES = kernel/bpf/act.h kernel/bpf/shared-arena.h kernel/bpf/links.h kernel/bpf/log.h kernel/bpf/slot.h \
	libxt2/host/hooked.c \
	libxt2/host/hooked.h \
	libxt2/store/bpf/bpf-add.c \
	libxt2/store/bpf/bpf-check.c \
	libxt2/store/bpf/bpf-clock.c \
	libxt2/store/bpf/bpf-companion.c \
	libxt2/store/bpf/bpf-companion.h \
	libxt2/store/bpf/bpf-edit.c \
	libxt2/store/bpf/bpf-edit.h \
	libxt2/store/bpf/bpf-evaluator.c \
	libxt2/store/bpf/bpf-gate.c \
	libxt2/store/bpf/bpf-guard.c \
	libxt2/store/bpf/bpf-keep.c \
	libxt2/store/bpf/bpf-links.c \
	libxt2/store/bpf/bpf-log.c \
	libxt2/store/bpf/bpf-meets.c \
	libxt2/store/bpf/bpf-nft.c \
	libxt2/store/bpf/bpf-nft.h \
	libxt2/store/bpf/bpf-object.c \
	libxt2/store/bpf/bpf-old.c \
	libxt2/store/bpf/bpf-owner.c \
	libxt2/store/bpf/bpf-owner.h \
	libxt2/store/bpf/bpf-past.c \
	libxt2/store/bpf/bpf-pin.c \
	libxt2/store/bpf/bpf-private.h \
	libxt2/store/bpf/bpf-question.c \
	libxt2/store/bpf/bpf-refused.c \
	libxt2/store/bpf/bpf-root.c \
	libxt2/store/bpf/bpf-ruleset.c \
	libxt2/store/bpf/bpf-shares.c \
	libxt2/store/bpf/bpf-store.c \
	libxt2/store/bpf/bpf-store.h \
	libxt2/store/bpf/bpf-stray.c \
	libxt2/store/bpf/bpf-sweep.c \
	libxt2/store/bpf/bpf-track.c \
	libxt2/store/bpf/bpf-trial.c \
	libxt2/store/bpf/bpf-tables.c \
	libxt2/store/bpf/bpf-watch.c \
	libxt2/store/companion/bpf-left-kinds.c \
	libxt2/store/companion/bpf-left-order.c \
	libxt2/store/companion/bpf-bound.c \
	libxt2/store/companion/bpf-bound.h \
	libxt2/store/companion/bpf-question-match.c \
	libxt2/store/companion/bpf-left-lacks.c \
	libxt2/store/companion/bpf-left-plan.c \
	libxt2/store/companion/bpf-left.c \
	libxt2/store/companion/bpf-left.h \
	libxt2/store/companion/bpf-nat-add.c \
	libxt2/store/companion/bpf-nat-keys.c \
	libxt2/store/companion/bpf-nat-known.c \
	libxt2/store/companion/bpf-nat-messages.c \
	libxt2/store/companion/bpf-nat-plan.c \
	libxt2/store/companion/bpf-nat-quick.c \
	libxt2/store/companion/bpf-nat-target.c \
	libxt2/store/companion/bpf-nat-tree.c \
	libxt2/store/companion/bpf-nat.c \
	libxt2/store/companion/bpf-nat.h \
	libxt2/store/companion/bpf-sets.c \
	libxt2/store/companion/bpf-stops.c \
	libxt2/store/companion/bpf-stops.h \
	libxt2/store/companion/bpf-step-target.c \
	libxt2/store/kernel/kernel-form.c \
	libxt2/store/kernel/kernel-form.h \
	libxt2/store/kernel/kernel-link.c \
	libxt2/store/kernel/kernel-link.h \
	libxt2/store/kernel/kernel-splice.c \
	libxt2/store/kernel/kernel-splice.h \
	libxt2/store/kernel/kernel-store.h \
	libxt2/store/kernel-ipsets.c \
	libxt2/store/kernel-ipsets.h \
	libxt2/store/enter-netns.c \
	libxt2/store/enter-netns.h
EXTRA_DIST += $(BPF_PROGRAM_FILES)

if BPF
AM_CPPFLAGS += $(NFTNL_CFLAGS)
noinst_LTLIBRARIES += libhost.la
libhost_la_SOURCES = $(LIBHOST_FILES)
libhost_la_LIBADD = libxt2-internal.la $(LIBBPF_LIBS) $(NFTNL_LIBS)

BPF_CFLAGS = -g -O2 -target bpf -mcpu=v3 -std=gnu11 -fno-strict-aliasing -fvisibility=hidden \
	-Wall -Wextra -Wno-unused-parameter -Wno-static-in-inline \
	-I$(top_srcdir)/include -I$(top_srcdir) -Ikernel/bpf -idirafter $(BPF_INCLUDE)
BPF_ENGINE = index/eval-index index/eval-patch index/classes order parse index/search index/bits index/pairs index/columns index/segments
BPF_OBJECTS = kernel/bpf/xt2.o $(BPF_ENGINE:%=kernel/bpf/engine/%.o) \
	$(BPF_EXTENSIONS:%=kernel/bpf/extensions/%.o)
BPF_INCLUDED = $(wildcard $(top_srcdir)/engine/*.h $(top_srcdir)/engine/*/*.h \
	$(top_srcdir)/extensions/*.h $(top_srcdir)/extensions/*/*.h \
	$(top_srcdir)/include/xt2/*.h $(top_srcdir)/kernel/bpf/*.h)
BPF_COMPILE = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(BPF_CLANG) $(BPF_CFLAGS)
CLEANFILES += $(BPF_OBJECTS) kernel/bpf/act.o kernel/bpf/act.bpf.o kernel/bpf/links.o kernel/bpf/links.bpf.o kernel/bpf/vmlinux.h \
	kernel/bpf/xt2.bpf.o

kernel/bpf/vmlinux.h:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(BPFTOOL) btf dump file $(VMLINUX_BTF) format c >$@.tmp && mv $@.tmp $@
kernel/bpf/xt2.o: kernel/bpf/vmlinux.h $(top_srcdir)/kernel/bpf/xt2.bpf.c \
		$(top_srcdir)/engine/eval.c $(BPF_INCLUDED)
	$(BPF_COMPILE) -c -o $@ $(top_srcdir)/kernel/bpf/xt2.bpf.c
kernel/bpf/engine/%.o: $(top_srcdir)/engine/%.c $(BPF_INCLUDED)
	$(BPF_COMPILE) -include $(top_srcdir)/kernel/bpf/env.h -c -o $@ $<
kernel/bpf/extensions/%.o: $(top_srcdir)/extensions/%.c $(BPF_INCLUDED)
	$(BPF_COMPILE) -include $(top_srcdir)/kernel/bpf/env.h -c -o $@ $<
kernel/bpf/xt2.bpf.o: $(BPF_OBJECTS)
	$(AM_V_GEN)$(BPFTOOL) gen object $@ $(BPF_OBJECTS)
kernel/bpf/links.o: $(top_srcdir)/kernel/bpf/links.h
kernel/bpf/act.o: $(top_srcdir)/kernel/bpf/act.h $(top_srcdir)/kernel/bpf/act-maps.h
kernel/bpf/links.o kernel/bpf/act.o: kernel/bpf/%.o: $(top_srcdir)/kernel/bpf/%.bpf.c \
		kernel/bpf/vmlinux.h
	$(BPF_COMPILE) -c -o $@ $<
kernel/bpf/links.bpf.o kernel/bpf/act.bpf.o: %.bpf.o: %.o
	$(AM_V_GEN)$(BPFTOOL) gen object $@ $<
libxt2/store/bpf/bpf-object.lo: kernel/bpf/xt2.bpf.o kernel/bpf/links.bpf.o kernel/bpf/act.bpf.o
else
EXTRA_DIST += $(LIBHOST_FILES)
endif
