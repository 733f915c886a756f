/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-check.c - translators/table/legacy-check.c */
#include "tests/unit/legacy-case.h"

static int errno_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} names[] = { { "ok", 0 },	     { "EINVAL", -EINVAL }, { "ENOMEM", -ENOMEM },
		      { "ENOENT", -ENOENT }, { "ELOOP", -ELOOP },   { "EAGAIN", -EAGAIN } };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].number;
	fail_msg("%s", name);
	return 0;
}

/* As the kernel that answered: there is filter, with 3 hooks. */
static int replace(struct turn *t, int family, bool compat, const u8 *bytes, u64 len, u32 entries)
{
	int ret = turn(t, (u8)family, compat, bytes, len, false, true);

	if (!ret)
		ret = xt2_legacy_check_table(&t->in, strcmp(t->in.table, "filter") ? 0 : 0x0e,
					     entries, &t->err);
	return ret;
}

static void test_defects(void **state)
{
	struct vectors all = load("defects.vec");
	struct turn *t = turn_new();
	u32 i;
	int ret;

	assert_true(all.n >= 180);
	for (i = 0; i < all.n; i++) {
		const struct vector *v = &all.v[i];
		u32 entries = *(const u32 *)(const void *)(v->bytes + 84);

		ret = replace(t, v->family, v->compat, v->bytes, v->len, entries);
		if (ret != errno_of(v->what)) {
			show(t, v, ret);
			fail_msg("%s: %d instead of %s", v->name, ret, v->what);
		}
		if (ret)
			assert_non_null(t->err.what);
	}
	turn_free(t);
	unload(&all);
}

/* Other errnos than EINVAL, and checks of the rule around an extension. */
static void test_extension_answers(void **state)
{
	struct turn *t = turn_new();
	u8 p[48] = { 0 };
	u32 limit[10] = { 0xffffffff, 0xffffffff };

	assert_int_equal(one_match(t, 0, "mark", 9, p, 16), -EPROTOTYPE);
	assert_int_equal(one_match(t, 0, "nosuch", 0, p, 16), -ENOENT);
	assert_int_equal(one_match(t, 0, "limit", 0, limit, 40), -ERANGE);
	p[0] = 64; /* --dscp */
	assert_int_equal(one_match(t, 0, "dscp", 0, p, 8), -EDOM);
	p[0] = 1;
	p[1] = 1;
	p[2] = 53;
	assert_int_equal(one_match(t, 0, "multiport", 1, p, 48), -EINVAL);
	assert_int_equal(one_match(t, 17, "multiport", 1, p, 48), 0);
	put32(p, 7); /* tcp-reset */
	assert_int_equal(one_target(t, XT2_IPV4, false, "REJECT", 0, p, 8), -EINVAL);
	assert_string_equal(t->err.field, "REJECT");
	put32(p, 3);
	assert_int_equal(one_target(t, XT2_IPV4, false, "REJECT", 0, p, 8), 0);
	assert_int_equal(one_target(t, XT2_IPV4, false, "TTL", 0, p, 8), -EINVAL);
	turn_free(t);
}

/* IPv6: whether a protocol counts is a flag, which some checks ask for and some do not. */
static void test_protocol_asked_for(void **state)
{
	static const struct around tcp4 = { XT2_IPV4, "filter", 6, 0, 0 };
	static const struct around tcp6 = { XT2_IPV6, "filter", 6, 1, 0 };
	static const struct around silent = { XT2_IPV6, "filter", 6, 0, 0 };
	static const struct around inverted = { XT2_IPV6, "filter", 6, 1, 0x40 };
	static const struct around raw = { XT2_IPV6, "raw", 6, 0, 0 };
	struct turn *t = turn_new();
	struct xt_ct_target_info_v1 ct = { .helper = "ftp" };
	u8 p[8] = { 7 }; /* tcp-reset; 6 for IPv6 */

	assert_int_equal(target_in(t, &tcp4, "REJECT", 0, p, 8), 0);
	p[0] = 6;
	assert_int_equal(target_in(t, &tcp6, "REJECT", 0, p, 8), 0);
	assert_int_equal(target_in(t, &silent, "REJECT", 0, p, 8), -EINVAL);
	assert_int_equal(target_in(t, &inverted, "REJECT", 0, p, 8), -EINVAL);
	p[0] = 0;
	assert_int_equal(target_in(t, &silent, "REJECT", 0, p, 8), 0);
	assert_int_equal(target_in(t, &tcp4, "SYNPROXY", 0, p, 8), 0);
	assert_int_equal(target_in(t, &tcp6, "SYNPROXY", 0, p, 8), 0);
	assert_int_equal(target_in(t, &silent, "SYNPROXY", 0, p, 8), -EINVAL);
	assert_int_equal(target_in(t, &inverted, "SYNPROXY", 0, p, 8), -EINVAL);
	assert_int_equal(target_in(t, &raw, "CT", 1, &ct, 72), 0);
	turn_free(t);
}

/* Names that do not end. */
static void test_unterminated(void **state)
{
	struct turn *t = turn_new();
	u8 payload[264];

	memset(payload, 'a', sizeof(payload));
	assert_int_equal(one_target(t, XT2_IPV4, false, "NFLOG", 0, payload, 80), -EINVAL);
	assert_int_equal(one_target(t, XT2_IPV4, false, "RATEEST", 0, payload, 32), -ENAMETOOLONG);
	assert_int_equal(one_match(t, 0, "string", 1, payload, 160), -EINVAL);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_defects),
	cmocka_unit_test(test_extension_answers),
	cmocka_unit_test(test_protocol_asked_for),
	cmocka_unit_test(test_unterminated),
};

UNITS(tests)
