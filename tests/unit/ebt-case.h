/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-case.h - tables of bridges: those that ebtables sent, and by hand
 *
 * tests/legacy/vectors/README and tests/legacy/ebt-cases.h have them.
 */
#ifndef TESTS_UNIT_EBT_CASE_H
#define TESTS_UNIT_EBT_CASE_H

#include <time.h>
#include "tests/lib/unit-program.h"
#include "tests/legacy/ebt-cases.h"
#include "tests/legacy/turn.h"

static __attribute__((__unused__)) struct ebt_blob blob;

static inline u32 header_of(bool compat)
{
	return compat ? 80 : 120;
}

static inline void assert_bytes(const char *name, const u8 *a, const u8 *b, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (a[i] != b[i])
			fail_msg("%s: byte %u of %u is %02x instead of %02x", name, i, len, a[i],
				 b[i]);
}

static inline u32 hooks_of(const char *table)
{
	return !strcmp(table, "filter")	  ? 0x0e
	       : !strcmp(table, "nat")	  ? 0x19
	       : !strcmp(table, "broute") ? 0x20
					  : 0;
}

/* All that the kernel answers: the blob, then the table.  The old one has 6 rules. */
static inline int answer(struct turn *t, bool compat, const u8 *bytes, u32 len, bool to_compat)
{
	static u8 *copy; /* of this size, so that tools see reads behind it; until the next call */
	int ret;

	free(copy);
	copy = malloc(len ? len : 1);
	memcpy(copy, bytes, len);
	memset(&t->err, 0, sizeof(t->err));
	ret = turn(t, XT2_BRIDGE, compat, copy, len, to_compat, true);
	if (!ret)
		ret = xt2_legacy_check_table(&t->in, hooks_of(t->in.table), 6, &t->err);
	return ret;
}

#endif
