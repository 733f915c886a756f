# SPDX-License-Identifier: GPL-2.0-or-later
# Random rulesets and packets, against the kernel's own tables.
check_PROGRAMS += tests/lib/inject
tests_lib_inject_SOURCES = tests/lib/inject.c

TESTS += tests/prop/counters.sh
EXTRA_DIST += \
	tests/prop/compare.py \
	tests/prop/counters.sh \
	tests/prop/kernel.py \
	tests/prop/matches.py \
	tests/prop/packets.py \
	tests/prop/rules.py \
	tests/prop/run.py \
	tests/prop/targets.py \
	tests/prop/transport.py \
	tests/prop/world.py
