/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ebt-write.c - translators/ebt/ebt-write.c */
#include "tests/unit/ebt-case.h"

static const struct xt2_instance *no_instance(void *data, u32 number)
{
	return data;
}

/* One rule in FORWARD, and its policy.  => what the end answers */
static int write_one(struct turn *t, const struct xt2_rule *r, const struct xt2_instance *in,
		     bool compat)
{
	static u8 out[8192];
	static u32 place[2];
	const struct xt2_rule policy = { .size = 24, .target_offset = 24, .target = XT2_T_ACCEPT };
	struct xt2_legacy_writer *w = &t->out;

	xt2_legacy_write_begin(w, XT2_BRIDGE, compat, out, sizeof(out), place, 2, no_instance,
			       (void *)in);
	xt2_legacy_write_chain(w, 0, XT2_FORWARD, "");
	xt2_legacy_write_rule(w, r);
	xt2_legacy_write_rule(w, &policy);
	return xt2_legacy_write_end(w, NULL);
}

struct made {
	struct xt2_rule rule;
	u64 matches[16];
};

static void made_add(struct made *m, u8 type, u8 flags, u32 arg, const void *payload, u32 size)
{
	u8 *at = (u8 *)m + m->rule.size;
	struct xt2_match head = { type, flags, (u16)(8 + size), arg };

	memcpy(at, &head, sizeof(head));
	if (size)
		memcpy(at + 8, payload, size);
	m->rule.size = m->rule.target_offset = (u16)(m->rule.size + 8 + size);
}

static struct made made_begin(u32 target)
{
	return (struct made){ .rule = { .size = 24, .target_offset = 24, .target = target } };
}

static void test_unwritable(void **state)
{
	struct {
		struct xt2_instance head;
		u64 data[4];
	} in = { .head = { .kind = XT2_INSTANCE_MATCH, .size = 24, .name = "mark_m" } };
	struct turn *t = turn_new();
	struct made m;

	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_ETH_TYPE, 0, 0x800, NULL, 0);
	assert_int_equal(write_one(t, &m.rule, NULL, false), 0);
	made_add(&m, XT2_M_ETH_LENGTH, 0, 0, NULL, 0);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_IN, 0, 3, "a\1b\0\0\0\0", 8); /* the kernel would stop at the 1 */
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_OUT, 0, 4, "a\0b\0\0\0\0", 8);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_IN_MASK, 0, 0,
		 "eth0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\0\0\0\0\0\0\0\0\0\0\0\0", 32);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	/* marks are longs: what a 32-bit program cannot be told is refused */
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_FOREIGN, 0, 0, NULL, 0);
	in.data[2] = 0x0100; /* EBT_MARK_AND */
	assert_int_equal(write_one(t, &m.rule, &in.head, true), 0);
	in.data[1] = 1ull << 32;
	assert_int_equal(write_one(t, &m.rule, &in.head, false), 0);
	assert_int_equal(write_one(t, &m.rule, &in.head, true), -EOPNOTSUPP);
	in.head.size = 16;
	assert_int_equal(write_one(t, &m.rule, &in.head, false), -EOPNOTSUPP);
	strcpy(in.head.name, "nosuch");
	assert_int_equal(write_one(t, &m.rule, &in.head, false), -EOPNOTSUPP);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EINVAL);
	/* no jumps to base chains, or out of the table */
	m = made_begin(XT2_TARGET(XT2_T_JUMP, 0));
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_TARGET(XT2_T_JUMP, 1));
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EINVAL);
	m = made_begin(XT2_TARGET(XT2_T_JUMP, 2));
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EINVAL);
	turn_free(t);
}

static void test_writer(void **state)
{
	const struct xt2_rule plain = { .size = 24, .target_offset = 24, .target = XT2_T_RETURN };
	struct xt2_legacy_writer *w = malloc(sizeof(*w));
	u32 place[3];

	assert_int_equal(xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3,
						no_instance, NULL),
			 0);
	assert_int_equal(xt2_legacy_write_chain(w, 0, XT2_FORWARD, ""), 0);
	assert_int_equal(xt2_legacy_write_rule(w, &plain), 0); /* not a base chain's policy */
	assert_int_equal(xt2_legacy_write_chain(w, 1, XT2_HOOK_NONE, "a"), -EINVAL);
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(xt2_legacy_write_rule(w, &plain), -EINVAL);
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(xt2_legacy_write_chain(w, 0, XT2_HOOK_NONE, ""), -EINVAL);
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(
		xt2_legacy_write_chain(w, 0, XT2_HOOK_NONE, "0123456789012345678901234567890"), 0);
	assert_int_equal(xt2_legacy_write_end(w, NULL), -EINVAL); /* no policy */
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(xt2_legacy_write_chain(w, 0, 6, ""), -EINVAL);
	free(w);
}

/* Heads cost 48 bytes and nothing limits their number. */
static void test_heads(void **state)
{
	const u32 n = 300000;
	struct turn *t = turn_new();
	u8 *all = calloc(1, 120 + n * 48), *at = all + 120;
	u32 i;

	strcpy((char *)all, "broute");
	ebt_put32(all + 32, 0x20);
	ebt_put32(all + 40, n * 48);
	for (i = 0; i < n; i++, at += 48) {
		sprintf((char *)at + 4, "c%u", i);
		ebt_put32(at + 40, (u32)EBT_DROP);
	}
	assert_int_equal(turn(t, XT2_BRIDGE, false, all, 120 + n * 48, false, false), 0);
	assert_int_equal(t->in.chains, n);
	free(all);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_unwritable),
	cmocka_unit_test(test_writer),
	cmocka_unit_test(test_heads),
};

UNITS(tests)
