/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-ebt-read.c - translators/ebt/ebt-read.c: what ebtables sent is read, written and read again */
#include "tests/unit/ebt-case.h"

struct vector {
	int family, compat;
	u32 len;
	char name[64];
	u8 bytes[8192];
};

static u32 load(struct vector *v, u32 max)
{
	const char *top = getenv("top_srcdir");
	char path[512], what[16];
	FILE *f;
	u32 n = 0;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/ebt.vec", top ? top : ".");
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	while (n < max && fscanf(f, "%d %d %15s %u %63[^\n]", &v[n].family, &v[n].compat, what,
				 &v[n].len, v[n].name) == 5) {
		assert_int_equal(fgetc(f), '\n');
		assert_true(v[n].len <= sizeof(v[n].bytes));
		assert_int_equal(fread(v[n].bytes, 1, v[n].len, f), v[n].len);
		n++;
	}
	fclose(f);
	return n;
}

/* Hooks' places in a header, as they should come out. */
static void assert_hooks(const struct turn *t, const u8 *h, bool compat)
{
	u64 base = compat ? ebt_get32(h + 76) : xt2_raw64(h + 112), p;
	u32 i;

	assert_int_equal(t->out.valid_hooks, ebt_get32(h + 32));
	assert_int_equal(t->out.entries, ebt_get32(h + 36));
	for (i = 0; i < NF_BR_NUMHOOKS; i++) {
		if (!(t->out.valid_hooks & 1u << i))
			continue;
		p = compat ? ebt_get32(h + 44 + 4 * i) : xt2_raw64(h + 48 + 8 * i);
		assert_int_equal(t->out.hook_entry[i], p - base);
	}
}

static void check_vector(struct turn *t, const struct vector *v, const struct vector *like)
{
	u32 size = like->len - header_of(like->compat);
	u8 *theirs = malloc(size);
	int ret = turn(t, XT2_BRIDGE, v->compat, v->bytes, v->len, like->compat, true);

	if (ret)
		fail_msg("%s: %d, %s %s", v->name, ret, t->err.what, t->why);
	memcpy(theirs, like->bytes + header_of(like->compat), size);
	ebt_mask(theirs, size, like->compat);
	assert_int_equal(t->out.size, size);
	assert_bytes(v->name, t->bytes, theirs, size);
	assert_hooks(t, like->bytes, like->compat);
	free(theirs);
}

/* Four of each: native and compat, as they were and with less garbage in them. */
static void test_vectors(void **state)
{
	static struct vector v[12];
	struct turn *t = turn_new();
	u32 n = load(v, 12), i, from, to;

	assert_int_equal(n, 12);
	for (i = 0; i < n; i += 4)
		for (from = 0; from < 4; from++)
			for (to = 0; to < 4; to++)
				check_vector(t, &v[i + from], &v[i + to]);
	turn_free(t);
}

static void test_policies(void **state)
{
	static const struct {
		int policy;
		u8 target;
	} rows[] = {
		{ EBT_ACCEPT, XT2_T_ACCEPT },
		{ EBT_DROP, XT2_T_DROP },
		{ EBT_RETURN, XT2_T_RETURN },
	};
	struct turn *t = turn_new();
	struct xt2_legacy_chain c;
	const struct xt2_rule *r;
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		ebt_begin(&blob, false, false, "broute");
		ebt_chain(&blob, 5, "BROUTING", EBT_ACCEPT);
		ebt_chain(&blob, -1, "user", rows[i].policy);
		/* a rule that looks like a policy, and is not the last */
		ebt_rule(&blob);
		ebt_verdict(&blob, EBT_DROP);
		ebt_count(&blob);
		ebt_finish(&blob);
		assert_int_equal(answer(t, false, blob.out, blob.len, false), 0);
		assert_bytes("policies", t->bytes, blob.out + 120, blob.len - 120);
		xt2_legacy_chain(&t->in, 1, &c);
		assert_int_equal(c.entries, 1);
		assert_int_equal(c.rules, 2);
		turn_forget(t);
		assert_int_equal(xt2_legacy_rule(&t->in, &c, &t->sink), 1);
		assert_int_equal(xt2_legacy_rule(&t->in, &c, &t->sink), 1);
		r = (const struct xt2_rule *)t->sink.rule;
		assert_int_equal(r->target, rows[i].target);
		assert_int_equal(xt2_legacy_rule(&t->in, &c, &t->sink), 0);
	}
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_vectors),
	cmocka_unit_test(test_policies),
};

UNITS(tests)
