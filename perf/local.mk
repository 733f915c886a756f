# Benchmarks: "make perf-programs", then perf/xt2-vs-xt1 as root.
EXTRA_PROGRAMS = perf/xt1-cost perf/xt2-cost
perf_xt1_cost_SOURCES = perf/xt1-cost.c
perf_xt2_cost_SOURCES = perf/xt2-cost.c
perf_xt2_cost_LDADD = libxt2-internal.la $(PCAP_LIBS)
EXTRA_DIST += perf/results perf/xt2-gen perf/xt2-vs-xt1
CLEANFILES += $(EXTRA_PROGRAMS)

.PHONY: perf-programs
perf-programs: $(EXTRA_PROGRAMS)
