/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-xt-sets.c - translators/ext/xt-sets.c: numbers of ipsets become names, and back */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "translators/ext/xt-sets.h"
#include "tests/lib/unit-program.h"

/* Number n is the set "s<n>"; 9 is nobody's. */
static int name_of(void *with, u16 number, char *name)
{
	++*(u32 *)with;
	if (number == 9)
		return -ENOENT;
	snprintf(name, XT2_SETS_NAME, "s%u", number);
	return 0;
}

/* In another kernel its number is 100 more. */
static int number_of(void *with, const char *name)
{
	unsigned int n;

	++*(u32 *)with;
	return sscanf(name, "s%u", &n) == 1 && n != 5 ? (int)n + 100 : -ENOENT;
}

static u32 asked;
static u64 data[XT2_SETS_ROOM / 8 + 8];
#define INSTANCE ((struct xt2_instance *)data)
#define PAYLOAD	 ((u8 *)(INSTANCE + 1))

static u16 number(const void *payload, u32 at)
{
	u16 n;

	memcpy(&n, (const u8 *)payload + at, sizeof(n));
	return n;
}

static int setup(void **state)
{
	memset(data, 0, sizeof(data));
	asked = 0;
	return 0;
}

static void extensions_and_revisions(void **state)
{
	static const struct {
		const char *name;
		u8 kind, revisions, count[5], size[5];
	} rows[] = {
		{ "set", XT2_INSTANCE_MATCH, 5, { 1, 1, 1, 1, 1 }, { 32, 8, 8, 48, 48 } },
		{ "SET", XT2_INSTANCE_TARGET, 4, { 2, 2, 2, 3 }, { 64, 8, 16, 24 } },
	};
	u32 i, revision;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++)
		for (revision = 0; revision < 7; revision++) {
			const struct xt2_sets *s =
				xt2_sets_find(rows[i].kind, rows[i].name, (u8)revision);

			if (revision >= rows[i].revisions) {
				assert_null(s);
				continue;
			}
			assert_int_equal(s->count, rows[i].count[revision]);
			assert_int_equal(s->size, rows[i].size[revision]);
		}
	assert_null(xt2_sets_find(XT2_INSTANCE_MATCH, "SET", 0));
	assert_null(xt2_sets_find(XT2_INSTANCE_TARGET, "set", 0));
	assert_null(xt2_sets_find(XT2_INSTANCE_MATCH, "sets", 0));
}

static void numbers_are_named_and_numbered(void **state)
{
	const struct xt2_sets *s = xt2_sets_find(XT2_INSTANCE_TARGET, "SET", 3);
	u8 payload[XT2_SETS_PAYLOAD];
	const u16 none = 0xffff, some = 7, other = 8;
	int size;

	memcpy(PAYLOAD, &some, 2);
	memcpy(PAYLOAD + 4, &none, 2); /* a target leaves one out */
	memcpy(PAYLOAD + 8, &other, 2);
	size = xt2_sets_name(s, PAYLOAD, name_of, &asked);
	assert_int_equal(asked, 2);
	assert_int_equal(size, 24 + 2 * 36 + 8);
	INSTANCE->size = (u32)size;
	assert_int_equal(xt2_sets_nameless(s, INSTANCE), -1);
	assert_int_equal(xt2_sets_number(s, INSTANCE, payload, number_of, &asked), 0);
	assert_int_equal(number(payload, 0), 107);
	assert_int_equal(number(payload, 4), 0xffff);
	assert_int_equal(number(payload, 8), 108);
}

static void a_match_always_has_its_set(void **state)
{
	const struct xt2_sets *s = xt2_sets_find(XT2_INSTANCE_MATCH, "set", 1);
	const u16 none = 0xffff;

	memcpy(PAYLOAD, &none, 2);
	assert_true(xt2_sets_name(s, PAYLOAD, name_of, &asked) > 0);
	assert_int_equal(asked, 1);
}

static void what_nobody_knows_is_refused(void **state)
{
	const struct xt2_sets *s = xt2_sets_find(XT2_INSTANCE_MATCH, "set", 1);
	u8 payload[XT2_SETS_PAYLOAD];
	u16 n = 9;

	memcpy(PAYLOAD, &n, 2);
	assert_int_equal(xt2_sets_name(s, PAYLOAD, name_of, &asked), -ENOENT);
	n = 5; /* has a name, and no number there */
	memcpy(PAYLOAD, &n, 2);
	INSTANCE->size = (u32)xt2_sets_name(s, PAYLOAD, name_of, &asked);
	assert_int_equal(xt2_sets_number(s, INSTANCE, payload, number_of, &asked), -ENOENT);
}

static void a_payload_without_names(void **state)
{
	const struct xt2_sets *s = xt2_sets_find(XT2_INSTANCE_MATCH, "set", 1);
	u8 payload[XT2_SETS_PAYLOAD];
	const u16 n = 3;
	int size;

	memcpy(PAYLOAD, &n, 2);
	INSTANCE->size = s->size;
	assert_int_equal(xt2_sets_nameless(s, INSTANCE), 3);
	assert_int_equal(xt2_sets_number(s, INSTANCE, payload, number_of, &asked), -EINVAL);
	INSTANCE->size = s->size - 1;
	assert_int_equal(xt2_sets_number(s, INSTANCE, payload, number_of, &asked), -EINVAL);
	size = xt2_sets_name(s, PAYLOAD, name_of, &asked);
	INSTANCE->size = (u32)size;
	assert_int_equal(xt2_sets_nameless(s, INSTANCE), -1);
	PAYLOAD[size - 1] ^= 1; /* its end is not one */
	assert_int_equal(xt2_sets_nameless(s, INSTANCE), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(extensions_and_revisions, setup),
	cmocka_unit_test_setup(numbers_are_named_and_numbered, setup),
	cmocka_unit_test_setup(a_match_always_has_its_set, setup),
	cmocka_unit_test_setup(what_nobody_knows_is_refused, setup),
	cmocka_unit_test_setup(a_payload_without_names, setup),
};

UNITS(tests)
