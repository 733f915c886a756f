/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-read.c - translators/table/legacy-read.c: what the tools sent is read, written and read again */
#include "tests/unit/legacy-case.h"

/* Where two entries' bytes differ, for the report. */
static void assert_bytes(const struct vector *v, const u8 *a, const u8 *b, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (a[i] != b[i])
			fail_msg("%s (%d, compat %d): byte %u of %u is %02x instead of %02x",
				 v->name, v->family, v->compat, i, len, a[i], b[i]);
}

/* From v's format into that of like, whose bytes must come out. */
static void check_turn(struct turn *t, const struct vector *v, const struct vector *like)
{
	u8 *mine, *theirs = malloc(like->len);
	u32 size;
	int ret, hook;

	ret = turn(t, (u8)v->family, v->compat, v->bytes, v->len, like->compat, false);
	show(t, v, ret);
	assert_int_equal(ret, 0);
	mine = t->bytes;
	size = like->len - header(like);
	memcpy(theirs, like->bytes + header(like), size);
	assert_int_equal(t->out.size, size);
	turn_mask(mine, size, (u8)v->family, like->compat);
	turn_mask(theirs, size, (u8)v->family, like->compat);
	assert_bytes(v, mine, theirs, size);
	assert_memory_equal(&t->out.valid_hooks, like->bytes + 32, 4);
	assert_int_equal(t->out.entries, *(const u32 *)(const void *)(like->bytes + 36));
	for (hook = 0; hook < (v->family == XT2_ARP ? 3 : 5); hook++) {
		if (!(t->out.valid_hooks & 1u << hook))
			continue;
		assert_memory_equal(&t->out.hook_entry[hook], like->bytes + 44 + 4 * hook, 4);
		assert_memory_equal(&t->out.underflow[hook],
				    like->bytes + (v->family == XT2_ARP ? 56 : 64) + 4 * hook, 4);
	}
	free(theirs);
}

/* Vectors come in pairs: native, compat. */
static void pairs(const char *file, u32 least)
{
	struct vectors all = load(file);
	struct turn *t = turn_new();
	u32 i;

	assert_true(all.n >= least && all.n % 2 == 0);
	for (i = 0; i < all.n; i += 2) {
		check_turn(t, &all.v[i], &all.v[i]);
		check_turn(t, &all.v[i], &all.v[i + 1]);
		check_turn(t, &all.v[i + 1], &all.v[i]);
		check_turn(t, &all.v[i + 1], &all.v[i + 1]);
	}
	turn_free(t);
	unload(&all);
}

static void test_tables(void **state)
{
	pairs("tables.vec", 60);
}

static void test_rules(void **state)
{
	pairs("rules.vec", 600);
}

static const struct vector *find(const struct vectors *all, const char *name, int family)
{
	u32 i;

	for (i = 0; i < all->n; i++)
		if (!all->v[i].compat && all->v[i].family == family &&
		    !strcmp(all->v[i].name, name))
			return &all->v[i];
	return NULL;
}

/* struct ipt_getinfo: name, valid_hooks, hook_entry, underflow, num_entries, size */
static void check_info(const struct turn *t, const struct vector *info)
{
	u32 hooks = info->family == XT2_ARP ? 3 : 5;
	const u32 *p = (const void *)(info->bytes + 32);

	assert_int_equal(t->out.valid_hooks, p[0]);
	assert_memory_equal(t->out.hook_entry, p + 1, hooks * 4);
	assert_memory_equal(t->out.underflow, p + 1 + hooks, hooks * 4);
	assert_int_equal(t->out.entries, p[1 + 2 * hooks]);
	assert_int_equal(t->out.size, p[2 + 2 * hooks]);
}

/* A new table's counters are 0, whatever was sent. */
static void clear_counters(struct turn *t)
{
	u32 entry = t->in.family == XT2_ARP ? 192 : t->in.family == XT2_IPV6 ? 168 : 112;
	u32 next = t->in.family == XT2_ARP ? 166 : t->in.family == XT2_IPV6 ? 142 : 90;
	u32 pos;

	for (pos = 0; pos < t->out.size;
	     pos += t->bytes[pos + next] + 256u * t->bytes[pos + next + 1])
		memset(t->bytes + pos + entry - 16, 0, 16);
}

static void test_kernel(void **state)
{
	struct vectors tables = load("tables.vec"), rules = load("rules.vec"),
		       kernel = load("kernel.vec");
	const struct vector *info, *entries, *sent;
	struct turn *t = turn_new();
	u32 i;

	assert_true(kernel.n >= 600);
	for (i = 0; i < kernel.n; i += 2) {
		info = &kernel.v[i];
		entries = &kernel.v[i + 1];
		sent = find(&tables, info->name, info->family);
		if (!sent)
			sent = find(&rules, info->name, info->family);
		assert_non_null(sent);
		assert_int_equal(
			turn(t, (u8)sent->family, false, sent->bytes, sent->len, false, true), 0);
		check_info(t, info);
		assert_int_equal(t->out.size, entries->len);
		clear_counters(t);
		assert_bytes(sent, t->bytes, entries->bytes, entries->len);
	}
	turn_free(t);
	unload(&tables);
	unload(&rules);
	unload(&kernel);
}

static bool is_nat_name(const char *name)
{
	static const char *const names[] = { "SNAT", "DNAT", "MASQUERADE", "REDIRECT", "NETMAP" };
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* NAT accepts when it is evaluated, any other target that is carried is a fault. */
static void test_nat(void **state)
{
	struct vectors all = load("rules.vec");
	struct turn *t = turn_new();
	const struct xt2_rule *r = (const struct xt2_rule *)t->sink.rule;
	struct xt2_legacy_chain c;
	u32 i, j, kind, nat = 0, foreign = 0;

	for (i = 0; i < all.n; i++) {
		const struct vector *v = &all.v[i];

		assert_int_equal(turn(t, (u8)v->family, v->compat, v->bytes, v->len, false, false),
				 0);
		turn_forget(t);
		for (j = 0; j < t->in.chains; j++) {
			xt2_legacy_chain(&t->in, j, &c);
			while (xt2_legacy_rule(&t->in, &c, &t->sink) > 0) {
				kind = XT2_TARGET_KIND(r->target);
				if (kind != XT2_T_NAT && kind != XT2_T_FOREIGN)
					continue;
				assert_int_equal(
					kind == XT2_T_NAT,
					is_nat_name(t->instance[XT2_TARGET_ARG(r->target)]->name));
				nat += kind == XT2_T_NAT;
				foreign += kind == XT2_T_FOREIGN;
			}
		}
	}
	assert_true(nat > 20 && foreign > 20);
	turn_free(t);
	unload(&all);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nat),
	cmocka_unit_test(test_tables),
	cmocka_unit_test(test_rules),
	cmocka_unit_test(test_kernel),
};

UNITS(tests)
