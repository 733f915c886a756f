noinst_LTLIBRARIES += libextensions.la
libextensions_la_SOURCES = \
	extensions/dispatch.c \
	extensions/extensions.h \
	extensions/foreign.c
libextensions_la_SOURCES += extensions/packet.h extensions/addrtype.c extensions/bpf.c \
	extensions/comment.c extensions/cpu.c extensions/devgroup.c extensions/iprange.c \
	extensions/length.c extensions/mac.c extensions/mark.c extensions/physdev.c \
	extensions/pkttype.c extensions/string.c extensions/tos.c extensions/ttl.c extensions/u32.c
libextensions_la_SOURCES += extensions/transport.h extensions/dccp.c extensions/ecn.c \
	extensions/eui64.c extensions/frag.c extensions/icmp.c extensions/ipsec.c \
	extensions/ipv6header.c extensions/mh.c extensions/multiport.c extensions/opts.c \
	extensions/rt.c extensions/sctp.c extensions/tcp.c extensions/tcpmss.c extensions/udp.c
libextensions_la_SOURCES += extensions/target.h extensions/rewrite.h extensions/target.c \
	extensions/target_ct.c extensions/target_dscp.c extensions/target_log.c \
	extensions/target_mark.c extensions/target_nfqueue.c extensions/target_reject.c \
	extensions/target_tcpmss.c extensions/target_ttl.c
libextensions_la_SOURCES += extensions/conntrack.h extensions/limit.h extensions/conntrack.c \
	extensions/limit.c extensions/quota.c extensions/state.c extensions/statistic.c \
	extensions/time.c
