/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ebt-check.c - translators/ebt/ebt-check.c: a case for each of the kernel's checks; damaged tables */
#include "tests/unit/ebt-case.h"

static void check_case(struct turn *t, const struct ebt_case *c, bool compat)
{
	int want = ebt_case_make(&blob, c, compat, 0);
	int ret = answer(t, compat, blob.out, blob.len, compat);
	u32 size = blob.len - header_of(compat);

	if (ret && c->flags & EBT_STRICT) {
		assert_true(t->err.stricter && t->err.what);
		return;
	}
	if (ret != -want)
		fail_msg("%s, compat %d: %d instead of %d; entry %u, offset %u, %s: %s %s", c->name,
			 compat, ret, -want, t->err.entry, t->err.offset,
			 t->err.field ? t->err.field : "-", t->err.what ? t->err.what : "-",
			 t->why ? t->why : "");
	if (ret) {
		assert_non_null(t->err.what);
		assert_true(t->err.offset <= blob.len && !t->err.stricter);
		return;
	}
	if (c->flags & EBT_OTHER)
		return;
	assert_int_equal(t->out.size, size);
	assert_bytes(c->name, t->bytes, blob.out + header_of(compat), size);
}

static void test_cases(void **state)
{
	struct turn *t = turn_new();
	u32 i;

	for (i = 0; i < EBT_CASES; i++) {
		check_case(t, &ebt_cases[i], false);
		check_case(t, &ebt_cases[i], true);
	}
	turn_free(t);
}

/* CVE-2018-1068: offsets of a 32-bit program's rules that lead back or out. */
static void test_cve_2018_1068(void **state)
{
	struct turn *t = turn_new();
	u32 i, n = 0;

	for (i = 0; i < EBT_CASES; i++) {
		if (strncmp(ebt_cases[i].name, "cve_2018_1068", 13))
			continue;
		assert_int_equal(ebt_case_make(&blob, &ebt_cases[i], true, 0), EINVAL);
		assert_int_equal(answer(t, true, blob.out, blob.len, false), -EINVAL);
		n++;
	}
	assert_int_equal(n, 6);
	turn_free(t);
}

/* The pointer to the entries may be anything, and hooks' wrap around it. */
static void test_pointers(void **state)
{
	static const u64 bases[] = { 0, 1, 0xfffffff0, 0x80000001 };
	struct turn *t = turn_new();
	u32 i;

	for (i = 0; i < 8; i++) {
		bool compat = i % 2;

		ebt_sample_whole(&blob, compat, false);
		blob.base = bases[i / 2] | (compat ? 0 : bases[i / 2] << 32);
		ebt_finish(&blob);
		/* a 32-bit pointer past the end of memory does not wrap in the kernel */
		assert_int_equal(answer(t, compat, blob.out, blob.len, compat),
				 compat && bases[i / 2] == 0xfffffff0 ? -EINVAL : 0);
	}
	turn_free(t);
}

/* The kernel takes such a chain's rules for a base chain's, and what follows for a user chain's. */
static void test_order(void **state)
{
	struct turn *t = turn_new();

	ebt_begin(&blob, false, false, "filter");
	ebt_chain(&blob, 1, "INPUT", EBT_ACCEPT);
	ebt_chain(&blob, 2, "FORWARD", EBT_ACCEPT);
	ebt_chain(&blob, -1, "between", EBT_RETURN);
	ebt_chain(&blob, 3, "OUTPUT", EBT_DROP);
	ebt_finish(&blob);
	assert_int_equal(answer(t, false, blob.out, blob.len, false), -EINVAL);
	assert_true(t->err.stricter);
	turn_free(t);
}

/* Extensions see the hooks that lead to a user chain, and whether it is a base chain. */
static void test_hooks(void **state)
{
	struct ebt_redirect_info info = { EBT_RETURN };
	struct turn *t = turn_new();
	u32 from;

	for (from = 0; from < 3; from++) {
		ebt_begin(&blob, false, false, "nat");
		ebt_chain(&blob, 0, "PREROUTING", EBT_ACCEPT);
		ebt_rule(&blob);
		ebt_verdict(&blob, EBT_ACCEPT);
		ebt_chain(&blob, 3, "OUTPUT", EBT_ACCEPT);
		ebt_rule(&blob);
		ebt_verdict(&blob, EBT_ACCEPT);
		ebt_chain(&blob, 4, "POSTROUTING", EBT_ACCEPT);
		ebt_chain(&blob, -1, "user", EBT_RETURN);
		ebt_rule(&blob);
		EBT_TARGET(&blob, "redirect", info);
		ebt_count(&blob);
		if (from < 2)
			ebt_jump(&blob, from, 3);
		ebt_finish(&blob);
		/* from nowhere, or PREROUTING; not from OUTPUT */
		assert_int_equal(answer(t, false, blob.out, blob.len, false),
				 from == 1 ? -EINVAL : 0);
	}
	turn_free(t);
}

/* What was taken comes out in a form that does not change any more. */
static void assert_settles(struct turn *t, bool compat)
{
	u32 header = header_of(compat), size = (u32)t->out.size, i;
	u8 *again = calloc(1, header + size);

	memcpy(again, t->in.table, 32);
	ebt_put32(again + 32, t->out.valid_hooks);
	ebt_put32(again + 36, t->out.entries);
	ebt_put32(again + 40, size);
	for (i = 0; i < NF_BR_NUMHOOKS; i++)
		if (t->out.valid_hooks & 1u << i)
			ebt_put32(again + (compat ? 44 + 4 * i : 48 + 8 * i), t->out.hook_entry[i]);
	memcpy(again + header, t->bytes, size);
	assert_int_equal(turn(t, XT2_BRIDGE, compat, again, header + size, compat, true), 0);
	assert_int_equal(t->out.size, size);
	assert_bytes("settled", t->bytes, again + header, size);
	free(again);
}

static void check_damaged(struct turn *t, u32 number, u32 *taken)
{
	const struct ebt_case *c = &ebt_cases[ebt_below(EBT_CASES)];
	bool compat = ebt_below(2), to = ebt_below(2);
	int ret;

	ebt_case_make(&blob, c, compat, 0);
	ebt_damage(blob.out, blob.len);
	ret = answer(t, compat, blob.out, blob.len, to);
	if (t->why && ret != -EOPNOTSUPP)
		fail_msg("%u, %s, compat %d: %d %s", number, c->name, compat, ret, t->why);
	if (ret > 0 || (ret && !t->why && !t->err.what))
		fail_msg("%u, %s, compat %d: %d without a reason", number, c->name, compat, ret);
	if (ret || t->why)
		return;
	(*taken)++;
	assert_settles(t, to);
}

static void test_damaged(void **state)
{
	const char *seed = getenv("XT2_SEED"), *runs = getenv("XT2_RUNS");
	u32 n = runs ? (u32)atoi(runs) : 30000, i, taken = 0;
	u64 start = seed ? strtoull(seed, NULL, 0) : (u64)time(NULL);
	struct turn *t = turn_new();

	print_message("XT2_SEED=%llu XT2_RUNS=%u\n", (unsigned long long)start, n);
	ebt_random = start;
	for (i = 0; i < n; i++)
		check_damaged(t, i, &taken);
	assert_true(taken > n / 100);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cases),	 cmocka_unit_test(test_cve_2018_1068),
	cmocka_unit_test(test_order),	 cmocka_unit_test(test_hooks),
	cmocka_unit_test(test_pointers), cmocka_unit_test(test_damaged),
};

UNITS(tests)
