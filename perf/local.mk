# Benchmarks: "make perf-programs", then as perf/README.md says.
EXTRA_PROGRAMS = perf/cost/xt2-cost perf/cost/legacy-cost
perf_cost_xt2_cost_SOURCES = perf/cost/xt2-cost.c
perf_cost_xt2_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
perf_cost_legacy_cost_SOURCES = perf/cost/legacy-cost.c
perf_cost_legacy_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)

# These have tests.  Without libnftnl xt2-rtt has no driver "nft".
PERF_TESTED = perf/cost/index-cost perf/cost/pass-cost perf/edits/edits-cost perf/edits/beside-cost perf/rtt/rtt-ping perf/cost/trace-cost \
	perf/cycles/xt2-cycles
check_PROGRAMS += $(PERF_TESTED)
perf_cost_index_cost_SOURCES = perf/cost/index-cost.c perf/cost/cost-packets.c perf/cost/cost.h
perf_cost_index_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
perf_edits_edits_cost_SOURCES = perf/edits/edits-cost.c perf/edits/edits-work.c perf/edits/edits-work.h \
	perf/cost/cost-packets.c perf/cost/cost.h
perf_edits_edits_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
perf_edits_beside_cost_SOURCES = perf/edits/beside-cost.c perf/edits/edits-work.c perf/edits/edits-work.h \
	perf/cost/cost-send.c perf/cost/cost-packets.c perf/cost/cost.h
perf_edits_beside_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
perf_cycles_xt2_cycles_SOURCES = perf/cycles/xt2-cycles.c perf/cycles/cycles.h perf/cycles/cycles-engine.c \
	perf/cycles/cycles-ext.c perf/cycles/cycles-lists.c perf/cycles/cycles-packed.c perf/cycles/cycles-rules.c \
	perf/cycles/cycles-stream.c perf/cycles/cycles-time.c
perf_cycles_xt2_cycles_LDADD = libtext.la $(PCAP_LIBS)
perf_cost_pass_cost_SOURCES = perf/cost/pass-cost.c
perf_rtt_rtt_ping_SOURCES = perf/rtt/rtt-ping.c perf/rtt/rtt-line.c perf/rtt/rtt.c perf/rtt/rtt.h
perf_cost_trace_cost_SOURCES = perf/cost/trace-cost.c perf/cost/cost-send.c perf/cost/cost-packets.c perf/cost/cost.h
perf_cost_trace_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
if HAVE_DPDK
PERF_TESTED += perf/cost/acl-cost
perf_cost_acl_cost_SOURCES = perf/cost/acl-cost.c perf/cost/cost-packets.c perf/cost/cost.h
perf_cost_acl_cost_CPPFLAGS = $(AM_CPPFLAGS) $(DPDK_CFLAGS)
perf_cost_acl_cost_LDADD = libxt2-internal.la $(PCAP_LIBS) $(DPDK_LIBS)
endif
if HAVE_NFTNL
PERF_TESTED += perf/rtt/rtt-nft
perf_rtt_rtt_nft_SOURCES = perf/rtt/rtt-nft.c
perf_rtt_rtt_nft_CFLAGS = $(AM_CFLAGS) $(NFTNL_CFLAGS)
perf_rtt_rtt_nft_LDADD = $(NFTNL_LIBS)
endif

EXTRA_DIST += perf/README.md perf/gen/gen_lists.py perf/gen/gen_tools.py perf/gen/gen_trace.py perf/gen/gen_tuples.py \
	perf/cost/instructions \
	perf/edits/xt2-beside perf/edits/xt2-edits \
	perf/kernel/kernel-guest.sh perf/kernel/kernel_guest.py perf/kernel/kernel_report.py perf/kernel/kernel_rules.py \
	perf/kernel/vm perf/kernel/vm-build perf/kernel/vm-init perf/kernel/xt2-kernel \
	perf/peers/peers_kernel.py perf/peers/peers_report.py perf/peers/peers_rules.py perf/peers/peers_tools.py \
	perf/results perf/rtt/rtt_report.py perf/rtt/rtt_rules.py perf/gen/xt2-gen perf/cost/xt2-legacy \
	perf/rtt/xt2-companions perf/rtt/xt2-rtt perf/cost/xt2-text perf/peers/xt2-vs-peers perf/peers/xt2-vs-xt1
CLEANFILES += $(EXTRA_PROGRAMS)

.PHONY: perf-programs
perf-programs: $(EXTRA_PROGRAMS) $(PERF_TESTED)
