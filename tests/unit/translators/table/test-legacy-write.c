/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-write.c - translators/table/legacy-write.c */
#include "tests/unit/legacy-case.h"

/* 1,400 marks are 61,748 bytes for 32-bit programs, and too many in the kernel. */
static void test_growth(void **state)
{
	struct turn *t = turn_new();
	u8 mark[16] = { 0 };
	struct blob *b = with_match(true, 0, NULL, 0, NULL, 0);
	u32 i;

	for (i = 0; i < 1400; i++)
		extension(b, "mark", 1, mark, 12);
	verdict(b, -1);
	assert_int_equal(b->len - b->rule, 61748);
	assert_int_equal(finish(t, b, false), -EINVAL);
	assert_string_equal(t->err.field, "next_offset");
	assert_non_null(strstr(t->err.what, "65,535"));
	assert_int_equal(t->err.entry, 1);

	/* A few less are fine, in both directions. */
	b = with_match(true, 0, NULL, 0, NULL, 0);
	for (i = 0; i < 1300; i++)
		extension(b, "mark", 1, mark, 12);
	verdict(b, -1);
	assert_int_equal(finish(t, b, true), 0);
	assert_int_equal(t->out.size, 112 + 1300 * 44 + 36 + 148 + 176);
	turn_free(t);
}

/* 65,528 bytes: the largest rule that is aligned, out of comments. */
static void test_largest(void **state)
{
	struct turn *t = turn_new();
	char text[256] = "the same text again";
	struct blob *b = with_match(false, 0, NULL, 0, NULL, 0);
	u8 *sent = malloc(65528);
	u32 i;

	for (i = 0; i < 227; i++)
		extension(b, "comment", 0, text, 256);
	verdict(b, -1);
	assert_int_equal(b->len - b->rule, 65528);
	memcpy(sent, b->bytes + b->rule, 65528);
	assert_int_equal(finish(t, b, false), 0);
	t->bytes[92] = 0; /* comefrom */
	assert_memory_equal(t->bytes, sent, 65528);
	free(sent);
	turn_free(t);
}

/* A rule that fits 32-bit programs' format may not fit the other. */
static void test_too_large_to_write(void **state)
{
	struct {
		struct xt2_rule rule;
		struct xt2_match match[1400];
	} r = { .rule.size = sizeof(r),
		.rule.target_offset = sizeof(r),
		.rule.target = XT2_TARGET(XT2_T_DROP, 0) };
	struct xt2_legacy_writer *w = calloc(1, sizeof(*w));
	struct turn *t = turn_new();
	u64 mark[2] = { 0 };
	u32 place, i;

	turn_instance(t, XT2_INSTANCE_MATCH, 1, "mark", mark, 16);
	for (i = 0; i < 1400; i++)
		r.match[i] = (struct xt2_match){ .type = XT2_M_FOREIGN, .size = 8 };
	for (i = 0; i < 2; i++) {
		assert_int_equal(xt2_legacy_write_begin(w, XT2_IPV4, i, NULL, 0, &place, 1,
							turn_instance_get, t),
				 0);
		assert_int_equal(xt2_legacy_write_chain(w, 0, XT2_INPUT, ""), 0);
		assert_int_equal(xt2_legacy_write_rule(w, &r.rule), i ? 0 : -E2BIG);
	}
	free(w);
	turn_free(t);
}

static struct xt2_legacy_writer writer;
static u32 places[2];

/* Write a second chain after INPUT, number 0; why: NULL, or a part of the reason why not. */
static void second(u32 number, u8 hook, const char *name, const char *why)
{
	static const struct xt2_rule tail = { .size = sizeof(tail),
					      .target_offset = sizeof(tail),
					      .target = XT2_TARGET(XT2_T_ACCEPT, 0) };
	int ret;

	assert_int_equal(xt2_legacy_write_begin(&writer, XT2_IPV4, false, NULL, 0, places, 2,
						turn_instance_get, NULL),
			 0);
	assert_int_equal(xt2_legacy_write_chain(&writer, 0, XT2_INPUT, ""), 0);
	assert_int_equal(xt2_legacy_write_rule(&writer, &tail), 0);
	ret = xt2_legacy_write_chain(&writer, number, hook, name);
	assert_int_equal(ret, why ? -EINVAL : 0);
	if (why)
		assert_non_null(strstr(writer.what, why));
}

static void test_chains(void **state)
{
	second(1, XT2_HOOK_NONE, "12345678901234567890123456789", NULL);
	second(1, XT2_HOOK_NONE, "123456789012345678901234567890", "1 to 29 bytes");
	second(1, XT2_HOOK_NONE, "", "1 to 29 bytes");
	second(0, XT2_HOOK_NONE, "again", "two chains of one number");
	second(2, XT2_HOOK_NONE, "none of the two", "none of that number");
	second(1, XT2_FORWARD, "", NULL);
	second(1, XT2_POSTROUTING, "", NULL);
	second(1, XT2_INPUT, "", "order of their hooks");
	second(1, XT2_PREROUTING, "", "order of their hooks");
	second(1, XT2_POSTROUTING + 1, "", "order of their hooks");
	/* The first failure stays. */
	assert_int_equal(xt2_legacy_write_chain(&writer, 1, XT2_FORWARD, ""), -EINVAL);
}

/* A jump may lead to a chain that comes later, but to one that there is. */
static void test_jumps(void **state)
{
	struct xt2_rule jump = { .size = sizeof(jump), .target_offset = sizeof(jump) };

	second(1, XT2_FORWARD, "", NULL);
	jump.target = XT2_TARGET(XT2_T_JUMP, 1);
	assert_int_equal(xt2_legacy_write_rule(&writer, &jump), 0);
	jump.target = XT2_TARGET(XT2_T_GOTO, 2);
	assert_int_equal(xt2_legacy_write_rule(&writer, &jump), -EINVAL);
	assert_non_null(strstr(writer.what, "a chain that is not there"));
	second(1, XT2_FORWARD, "", NULL);
	jump.target = XT2_TARGET(XT2_T_JUMP, 2);
	assert_int_equal(xt2_legacy_write_rule(&writer, &jump), -EINVAL);
	assert_non_null(strstr(writer.what, "a chain that is not there"));
	/* ARP has no goto. */
	assert_int_equal(xt2_legacy_write_begin(&writer, XT2_ARP, false, NULL, 0, places, 2,
						turn_instance_get, NULL),
			 0);
	jump.target = XT2_TARGET(XT2_T_GOTO, 0);
	assert_int_equal(xt2_legacy_write_rule(&writer, &jump), -EINVAL); /* in no chain */
	assert_int_equal(xt2_legacy_write_begin(&writer, XT2_ARP, false, NULL, 0, places, 2,
						turn_instance_get, NULL),
			 0);
	assert_int_equal(xt2_legacy_write_chain(&writer, 0, XT2_ARP_INPUT, ""), 0);
	assert_int_not_equal(xt2_legacy_write_rule(&writer, &jump), 0);
	assert_non_null(strstr(writer.what, "cannot go to a chain"));
}

/* => what the writer says of a table whose only rule sets the TTL, which is IPv4's */
static int write_ttl(u8 family, u8 *out, u32 size)
{
	static const struct xt2_rule ttl = { .size = sizeof(ttl),
					     .target_offset = sizeof(ttl),
					     .target = XT2_TARGET(XT2_T_TTL, 64 << 8) };

	assert_int_equal(xt2_legacy_write_begin(&writer, family, false, out, size, places, 1,
						turn_instance_get, NULL),
			 0);
	assert_int_equal(xt2_legacy_write_chain(&writer, 0, XT2_INPUT, ""), 0);
	return xt2_legacy_write_rule(&writer, &ttl);
}

/* A target is written with its payload; one that the family lacks is refused. */
static void test_targets(void **state)
{
	static const u8 payload[] = { 0, 64 }; /* mode, value */
	u8 out[256] = { 0 };

	assert_int_equal(write_ttl(XT2_IPV4, out, sizeof(out)), 0);
	assert_int_equal(writer.size, 112 + 40);
	assert_string_equal((char *)out + 112 + 2, "TTL");
	assert_memory_equal(out + 112 + 32, payload, sizeof(payload));
	assert_int_equal(write_ttl(XT2_IPV6, out, sizeof(out)), -EOPNOTSUPP);
	assert_string_equal(writer.what, "a target has no legacy form");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_chains),	cmocka_unit_test(test_jumps),
	cmocka_unit_test(test_targets), cmocka_unit_test(test_growth),
	cmocka_unit_test(test_largest), cmocka_unit_test(test_too_large_to_write),
};

UNITS(tests)
