# Live rulesets.
BPF_TESTS = \
	tests/bpf/adversary.sh \
	tests/bpf/boot.sh \
	tests/bpf/budget.sh \
	tests/bpf/commands.sh \
	tests/bpf/confirm.sh \
	tests/bpf/conntrack.sh \
	tests/bpf/dead.sh \
	tests/bpf/left.sh \
	tests/bpf/live-back.sh \
	tests/bpf/live-edits.sh \
	tests/bpf/live-history.sh \
	tests/bpf/doctor.sh \
	tests/bpf/evaluators.sh \
	tests/bpf/faults.sh \
	tests/bpf/guard.sh \
	tests/bpf/unasked.sh \
	tests/bpf/idle-nat.sh \
	tests/bpf/live-indexed.sh \
	tests/bpf/keep.sh \
	tests/bpf/log.sh \
	tests/bpf/memory.sh \
	tests/bpf/nat.sh \
	tests/bpf/no-leaks.sh \
	tests/bpf/nat-edits.sh \
	tests/bpf/places.sh \
	tests/bpf/random.sh \
	tests/bpf/preemption.sh \
	tests/bpf/refused.sh \
	tests/bpf/reject.sh \
	tests/bpf/repair.sh \
	tests/bpf/run-live.sh \
	tests/bpf/stops.sh \
	tests/bpf/swaps.sh \
	tests/bpf/tables.sh \
	tests/bpf/take-over.sh \
	tests/bpf/traffic.sh \
	tests/bpf/twins.sh \
	tests/bpf/view.sh
EXTRA_DIST += $(BPF_TESTS) tests/bpf/hosts/docker.v4 tests/bpf/hosts/firewalld.v4 tests/bpf/hosts/firewalld.v6 tests/bpf/hosts/kube-proxy.v4 \
	tests/bpf/hosts/libvirt.v4 tests/bpf/hosts/shorewall.v4 tests/bpf/hosts/ufw.v4 tests/bpf/hosts/ufw.v6 \
	tests/bpf/live-common.sh tests/bpf/adversary.py tests/bpf/folder.sh tests/bpf/compare.c tests/bpf/conversations.py tests/bpf/live-back.py tests/bpf/live-edits.py tests/bpf/live-indexed.py \
	tests/bpf/live.py \
	tests/bpf/nat.py tests/bpf/log-pcapng.py tests/bpf/log-traffic.py tests/bpf/random-rulesets.py tests/bpf/reject.py tests/bpf/twins.py
if BPF
TESTS += $(BPF_TESTS)
check_PROGRAMS += tests/bpf/compare
tests_bpf_compare_SOURCES = tests/bpf/compare.c
tests_bpf_compare_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bpf_compare_LDADD = libhost.la $(PCAP_LIBS)

# For LD_PRELOAD; -rpath makes libtool build a shared one.
check_LTLIBRARIES += tests/lib/old-kernel.la
tests_lib_old_kernel_la_SOURCES = tests/lib/old-kernel.c
tests_lib_old_kernel_la_LDFLAGS = -module -avoid-version -rpath /nowhere
endif
