/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counter-units.c - counters in lists, with the units of xtables_print_num() */
#include "config.h"
#include "listing.h"

/* Rounded; a half goes up. */
static __u64 thousands(__u64 number)
{
	return number / 1000 + (number % 1000 >= 500);
}

void xt2_listing_number(FILE *to, __u64 number, int width, bool exact)
{
	static const char units[] = "KMGT";
	const char *unit = units;

	if (exact || number <= 99999) {
		fprintf(to, "%*llu ", width, (unsigned long long)number);
		return;
	}
	number = thousands(number);
	for (; number > 9999 && unit[1]; unit++)
		number = thousands(number);
	fprintf(to, "%*llu%c ", width ? width - 1 : 0, (unsigned long long)number, *unit);
}
