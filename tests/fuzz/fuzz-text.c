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
 * What iptables itself does not read back as it was:
 * days, --w: "! --weekdays" with all days, or a number that is none, leaves no
 *   day; the kernel takes such a rule, which never matches;
 * --dccp-t: a list of no type likewise;
 * NPT: a prefix of length 0, which must be given, is not printed;
 * seconds: those of recent are printed as a signed number;
 * --rateest-e: the plugin rounds the logarithm that it prints;
 * --zone-: of zone 0, the default, it does not print the direction;
 * b/s: a rate in bytes that is no number is taken for 0, which is refused.
 */
static const char *const inexact[] = {
	"days",		"--w",	       "--dccp-t", "NPT", "seconds 2147",
	"seconds 4294", "--rateest-e", "--zone-",  "b/s",
};

static bool is_inexact(const u8 *data, size_t size)
{
	for (size_t i = 0; i < XT2_ARRAY_SIZE(inexact); i++)
		if (memmem(data, size, inexact[i], strlen(inexact[i])))
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (!is_inexact(data, size))
		round_trip(data, size);
	return 0;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	return lines_mutate(data, size, max, seed, fuzz_rules, XT2_ARRAY_SIZE(fuzz_rules));
}
