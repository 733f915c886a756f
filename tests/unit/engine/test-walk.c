/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-walk.c - engine/walk.c: loops, depth, visits
 *
 * Each way is a few chains, a letter for each rule, and what the walk must find.
 */
#include <stdlib.h>
#include "tests/unit/sample-image.h"

/*
 * Ways through chains.  A program of one letter a rule: j and g followed by a
 * chain's letter jump and go there, J and G without a condition; a accepts
 * without a condition, c with one.  Chain A is INPUT, chain B is FORWARD, and
 * both are hooked; the others are user chains.
 */
static const struct way {
	const char *chains[6];
	int err;
	u32 depth;
	u64 visits; /* of INPUT */
} ways[] = {
	{ { "", "" }, 0, 0, 1 },
	{ { "jC", "", "" }, 0, 1, 2 },
	{ { "gC", "", "" }, 0, 0, 2 },
	{ { "JC", "", "" }, 0, 1, 2 },
	{ { "jCjC", "", "" }, 0, 1, 3 },
	/* a goto does not come back: the dearer way counts */
	{ { "gCgC", "", "" }, 0, 0, 2 },
	{ { "jCgC", "", "" }, 0, 1, 3 },
	{ { "gCjC", "", "" }, 0, 1, 2 },
	{ { "gCjDjD", "", "jD", "" }, 0, 1, 3 },
	{ { "gCjD", "", "jDjDjD", "" }, 0, 1, 5 },
	/* a goto inside a jump pushes nothing more */
	{ { "jC", "", "gD", "jE", "" }, 0, 2, 4 },
	{ { "jCjD", "", "jD", "jE", "" }, 0, 3, 6 },
	/* to a base chain */
	{ { "jB", "jC", "" }, 0, 2, 3 },
	/* nothing counts after a plain verdict */
	{ { "ajA", "" }, 0, 0, 1 },
	{ { "jC", "", "ajC" }, 0, 1, 2 },
	{ { "jC", "", "rjC" }, 0, 1, 2 },
	/* loops: to oneself, by goto, over three, to a base chain */
	{ { "jA", "" }, -ELOOP, 0, 0 },
	{ { "gA", "" }, -ELOOP, 0, 0 },
	{ { "jC", "", "jC" }, -ELOOP, 0, 0 },
	{ { "jC", "", "gD", "gE", "jC" }, -ELOOP, 0, 0 },
	{ { "jC", "", "jA" }, -ELOOP, 0, 0 },
	{ { "cjC", "", "cjC" }, -ELOOP, 0, 0 },
	/* from the second hook only */
	{ { "", "jC", "jC" }, -ELOOP, 0, 0 },
	/* as in the kernel, an unconditional jump or goto hides nothing */
	{ { "GCjD", "", "", "jD" }, -ELOOP, 0, 0 },
	{ { "JCjD", "", "a", "jD" }, -ELOOP, 0, 0 },
	/* no hook leads there */
	{ { "", "", "jD", "jC" }, 0, 0, 1 },
	{ { "", "", "jC" }, 0, 0, 1 },
};

static void write_way(struct xt2_writer *w, const char *p)
{
	struct seed_rule s = { .family = XT2_IPV4 };

	for (; *p; p++) {
		bool go = strchr("jgJG", *p) != NULL, plain = strchr("JGar", *p) != NULL;
		u8 target = *p == 'r' ? XT2_T_RETURN : XT2_T_ACCEPT;

		if (go)
			target = strchr("jJ", *p) ? XT2_T_JUMP : XT2_T_GOTO;
		seed_rule_begin(&s, target, go ? (u32)(p[1] - 'A') : 0);
		if (!plain)
			seed_match(&s, XT2_M_PROTO, 0, 6, NULL, 0);
		xt2_write_rule(w, seed_rule(&s));
		p += go;
	}
}

static int make_way(const struct way *way, u64 *words, u64 cap, void *scratch, u64 *size,
		    struct xt2_writer *w)
{
	u32 i, n = 0;
	struct seed_rule tail;

	while (n < XT2_ARRAY_SIZE(way->chains) && way->chains[n])
		n++;
	xt2_write_begin(w, words, cap, 1, 1, 2, n, 0, 0);
	xt2_write_table(w, XT2_IPV4, "filter", ~0u);
	for (i = 0; i < n; i++) {
		char name[2] = { (char)('A' + i), 0 };

		if (i < 2)
			xt2_write_hook(w, XT2_IPV4, (u8)(XT2_INPUT + i), 0, 0, i);
		xt2_write_chain_begin(w, i, 0, i < 2 ? (u8)(XT2_INPUT + i) : XT2_HOOK_NONE, name);
		write_way(w, way->chains[i]);
		seed_rule_begin(&tail, i < 2 ? XT2_T_ACCEPT : XT2_T_RETURN, 0);
		xt2_write_rule(w, seed_rule(&tail));
		xt2_write_chain_end(w, NULL, 0);
	}
	return xt2_write_end(w, scratch, size);
}

static void test_ways(void **state)
{
	static u64 words[2048], scratch[4096];

	for (size_t i = 0; i < XT2_ARRAY_SIZE(ways); i++) {
		struct xt2_image *img = (void *)words;
		const struct xt2_hook *h;
		struct xt2_writer w;
		struct xt2_check_err err;
		u64 size = 0;
		int ret = make_way(&ways[i], words, sizeof(words), scratch, &size, &w);

		if (ret != ways[i].err)
			fail_msg("way %zu: %d %s", i, ret, w.err.what ? w.err.what : "");
		if (ret) {
			/* the same if the image says that it is finished */
			img->magic = XT2_MAGIC;
			assert_int_equal(xt2_check(img, sizeof(words), scratch, &err), -ELOOP);
			assert_string_equal(err.what, "chains loop");
			continue;
		}
		h = xt2_image_hook(img, xt2_image_root(img), 0);
		if (h->depth != ways[i].depth || h->visits != ways[i].visits)
			fail_msg("way %zu: depth %u, visits %llu", i, h->depth,
				 (unsigned long long)h->visits);
		assert_int_equal(xt2_check(img, size, scratch, NULL), 0);
	}
}

/*
 * What is stored for each hook and the root is not less than what there is, and for no hook more
 * than for the root.
 */
static void test_covers(void **state)
{
	static const struct way way = { { "jC", "", "jD", "" }, 0, 2, 3 };
	static u64 words[2048], scratch[4096];
	struct xt2_image *img = (void *)words;
	struct xt2_check_err err;
	struct xt2_writer w;
	struct xt2_root *root;
	struct xt2_hook *h;
	u64 size = 0;

	assert_int_equal(make_way(&way, words, sizeof(words), scratch, &size, &w), 0);
	root = (struct xt2_root *)xt2_image_root(img);
	h = (struct xt2_hook *)xt2_image_hook(img, root, 0);
	for (int by = -1; by <= 1; by++)
		for (int field = 0; field < 4; field++) {
			u32 *depth = field & 1 ? &h->depth : &root->depth;
			u64 *visits = field & 1 ? &h->visits : &root->visits;

			if (field & 2)
				*visits += (u64)by;
			else
				*depth += (u32)by;
			assert_int_equal(xt2_check(img, size, scratch, &err),
					 by < 0 || (by > 0 && field & 1) ? -EINVAL : 0);
			*depth = 2;
			*visits = 3;
		}
	root->depth = h->depth = 1000;
	root->visits = h->visits = ~0ull;
	assert_int_equal(xt2_check(img, size, scratch, &err), 0);
}

static void test_visits(void **state)
{
	const u64 cap = 32 << 20;
	u64 *words = malloc(cap);
	void *scratch = malloc(xt2_check_scratch(cap));
	const struct xt2_root *root;

	/* 21 chains that jump twice: 2^21 - 1 visits */
	root = sample_row(words, cap, scratch, 21, 2);
	assert_int_equal(root->visits, (1 << 21) - 1);
	assert_int_equal(root->depth, 20);
	/* 64 such chains are just less than 2^64, 65 are more */
	assert_true(sample_row(words, cap, scratch, 63, 2)->visits == ~0ull >> 1);
	assert_true(sample_row(words, cap, scratch, 65, 2)->visits == ~0ull);
	assert_true(sample_row(words, cap, scratch, 300, 3)->visits == ~0ull);
	/* deep, and with many pages of the chain table: no recursion */
	root = sample_row(words, cap, scratch, 100000, 1);
	assert_int_equal(root->visits, 100000);
	assert_int_equal(root->depth, 99999);
	free(scratch);
	free(words);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ways),
	cmocka_unit_test(test_covers),
	cmocka_unit_test(test_visits),
};

UNITS(tests)
