noinst_LTLIBRARIES += libextensions.la
libextensions_la_SOURCES = \
	extensions/dispatch.c \
	extensions/extensions.h \
	extensions/foreign.c
libextensions_la_SOURCES += extensions/match/payload.h extensions/match/addrtype.c extensions/match/bpf.c \
	extensions/match/comment.c extensions/match/cpu.c extensions/match/devgroup.c extensions/match/iprange.c \
	extensions/match/length.c extensions/match/mac.c extensions/match/mark.c extensions/match/physdev.c \
	extensions/match/pkttype.c extensions/match/string.c extensions/match/tos.c extensions/match/ttl.c extensions/match/u32.c
libextensions_la_SOURCES += extensions/match/transport.h extensions/match/dccp.c extensions/match/ecn.c \
	extensions/match/eui64.c extensions/match/frag.c extensions/match/icmp.c extensions/match/ipsec.c \
	extensions/match/ipv6header.c extensions/match/mh.c extensions/match/multiport.c extensions/match/opts.c \
	extensions/match/rt.c extensions/match/sctp.c extensions/match/tcp.c extensions/match/tcpmss.c extensions/match/udp.c
libextensions_la_SOURCES += extensions/target/target.h extensions/target/rewrite.h extensions/target/target.c \
	extensions/target/target-ct.c extensions/target/target-dscp.c extensions/target/target-log.c \
	extensions/target/target-mark.c extensions/target/target-nfqueue.c extensions/target/target-reject.c \
	extensions/target/target-tcpmss.c extensions/target/target-ttl.c
libextensions_la_SOURCES += extensions/state/conntrack.h extensions/state/limit.h extensions/state/conntrack.c \
	extensions/state/hashlimit.c extensions/state/hashlimit.h extensions/state/limit.c extensions/state/memory.c extensions/state/memory.h \
	extensions/state/quota.c extensions/state/recent.c extensions/state/recent.h extensions/state/state.c extensions/state/statistic.c \
	extensions/state/time.c
