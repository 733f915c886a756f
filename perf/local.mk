# Benchmarks: "make perf-programs", then as perf/README.md says.
EXTRA_PROGRAMS = perf/xt2-cost perf/legacy-cost
perf_xt2_cost_SOURCES = perf/xt2-cost.c
perf_xt2_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
perf_legacy_cost_SOURCES = perf/legacy-cost.c
perf_legacy_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)

# These have tests.  Without libnftnl xt2-rtt has no driver "nft".
PERF_TESTED = perf/index-cost perf/pass-cost perf/rtt-ping perf/trace-cost perf/xt2-cycles
check_PROGRAMS += $(PERF_TESTED)
perf_index_cost_SOURCES = perf/index-cost.c perf/cost-packets.c perf/cost.h
perf_index_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
perf_xt2_cycles_SOURCES = perf/xt2-cycles.c perf/cycles.h perf/cycles-engine.c \
	perf/cycles-ext.c perf/cycles-lists.c perf/cycles-packed.c perf/cycles-rules.c \
	perf/cycles-stream.c perf/cycles-time.c
perf_xt2_cycles_LDADD = libtext.la $(PCAP_LIBS)
perf_pass_cost_SOURCES = perf/pass-cost.c
perf_rtt_ping_SOURCES = perf/rtt-ping.c perf/rtt-line.c perf/rtt.c perf/rtt.h
perf_trace_cost_SOURCES = perf/trace-cost.c perf/cost-packets.c perf/cost.h
perf_trace_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
if HAVE_DPDK
PERF_TESTED += perf/acl-cost
perf_acl_cost_SOURCES = perf/acl-cost.c perf/cost-packets.c perf/cost.h
perf_acl_cost_CPPFLAGS = $(AM_CPPFLAGS) $(DPDK_CFLAGS)
perf_acl_cost_LDADD = libxt2-internal.la $(PCAP_LIBS) $(DPDK_LIBS)
endif
if HAVE_NFTNL
PERF_TESTED += perf/rtt-nft
perf_rtt_nft_SOURCES = perf/rtt-nft.c
perf_rtt_nft_CFLAGS = $(AM_CFLAGS) $(NFTNL_CFLAGS)
perf_rtt_nft_LDADD = $(NFTNL_LIBS)
endif

EXTRA_DIST += perf/README.md perf/gen_lists.py perf/gen_tools.py perf/gen_trace.py perf/gen_tuples.py \
	perf/instructions \
	perf/peers_kernel.py perf/peers_report.py perf/peers_rules.py perf/peers_tools.py \
	perf/results perf/rtt_report.py perf/rtt_rules.py perf/xt2-gen perf/xt2-legacy \
	perf/xt2-rtt perf/xt2-text perf/xt2-vs-peers perf/xt2-vs-xt1
CLEANFILES += $(EXTRA_PROGRAMS)

.PHONY: perf-programs
perf-programs: $(EXTRA_PROGRAMS) $(PERF_TESTED)
