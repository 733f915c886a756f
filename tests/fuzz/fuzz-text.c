/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-text.c - hostile rules, extensions included
 *
 * Text goes through libxtables and the distribution's plugins, which are not
 * instrumented: mutations exchange words of rules that name all of them.  See
 * round-trip.c for what is done with the text.
 *
 * Plugins that refuse an option leave by longjmp and lose what they had
 * allocated: leaks are not looked for in every run, and the process grows slowly.
 */
#include <stdio.h>
#include <stdlib.h>
#include "lines.h"
#include "round-trip.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	round_trip_option(argc, argv, "-detect_leaks=0");
	round_trip_option(argc, argv, "-max_len=600");
	/* plugins print notices and warnings */
	stderr = fopen("/dev/null", "w");
	if (!stderr)
		abort();
	return 0;
}

/*
 * "! --weekdays" with all days, or a number that is none, leaves no day.  The
 * kernel takes such a rule, which never matches, and iptables saves it in a
 * form that it cannot read; so do we.
 */
static bool names_days(const u8 *data, size_t size)
{
	return memmem(data, size, "days", 4) || memmem(data, size, "--w", 3);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (!names_days(data, size))
		round_trip(data, size);
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	return lines_mutate(data, size, max, seed, fuzz_rules, XT2_ARRAY_SIZE(fuzz_rules));
}
