/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known-case.h - payloads and rules for the checks of translators/table/legacy-entry.c, a row each */
#ifndef TESTS_UNIT_KNOWN_CASE_H
#define TESTS_UNIT_KNOWN_CASE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/in.h>
#include "tests/lib/unit-program.h"
#include "translators/table/legacy-format.h"

struct known_case {
	const char *name;
	u8 revision;
	int err;
	struct legacy_rule rule; /* family 0: IPv4 */
	const void *payload;
	u32 size;
};

/* The members of a row but its rule; after type, the members of the payload that are not 0. */
#define CASE(n, r, e, type, ...)                                                                 \
	.name = (n), .revision = (r), .err = (e), .size = sizeof(type), .payload = &(const type) \
	{                                                                                        \
		__VA_ARGS__                                                                      \
	}

static inline const struct legacy_known *known_of(u8 family, bool target, const char *name,
						  u8 revision)
{
	struct xt2_legacy_cache cache = { 0 };
	const struct legacy_known *k;
	u32 index = 0;
	int err = 0;

	k = legacy_known_find(&cache, family, target, name, revision, &index, &err);
	assert_non_null(k);
	assert_ptr_equal(k, (target ? legacy_targets : legacy_matches) + index);
	return k;
}

/* The payload has no byte more than the kernel's structure, so that ASan sees one that is read. */
static inline void known_row(const struct known_case *c, bool target, size_t number)
{
	struct legacy_rule rule = c->rule;
	const struct legacy_known *k;
	void *payload;
	int err;

	if (!rule.family)
		rule.family = XT2_IPV4;
	rule.flag_proto |= rule.family == XT2_IPV4;
	rule.revision = c->revision;
	k = known_of(rule.family, target, c->name, c->revision);
	assert_non_null(k->check);
	assert_int_equal(legacy_align(c->size, 8), legacy_native(k));
	payload = malloc(c->size);
	assert_non_null(payload);
	memcpy(payload, c->payload, c->size);
	err = legacy_known_check(k, &rule, payload);
	free(payload);
	if (err != c->err)
		fail_msg("row %zu, %s: %d, not %d", number, c->name, err, c->err);
}

static inline void known_rows(const struct known_case *c, size_t n, bool target)
{
	size_t i;

	for (i = 0; i < n; i++)
		known_row(c + i, target, i);
}

#endif
