/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-write.c - the writer: what goes in comes out, and nothing half
 *
 * Whatever fails, at whatever byte the buffer ends, what is left is not taken
 * for an image.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include "tests/lib/unit-program.h"

#include "tests/unit/sample-image.h"

static struct sample sample;

static void test_layout(void **state)
{
	struct sample *s = &sample;
	const struct xt2_chain *c;
	u32 *lines;

	assert_int_equal(sample_make(s), 0);
	assert_int_equal(s->img->size, s->given);
	assert_int_equal(s->root->generation, 7);
	assert_int_equal(s->root->slots, 1);
	assert_string_equal(sample_table(s, 2)->name, "filter");
	assert_int_equal(sample_table(s, 2)->family, XT2_ARP);
	assert_int_equal(sample_table(s, 0)->source, 3);
	assert_string_equal(sample_cold(s, 1)->name, "FORWARD");
	assert_int_equal(*xt2_image_cell(s->img, s->root, 0), 0);
	assert_int_equal(*xt2_image_cell(s->img, s->root, 1), 5);
	assert_int_equal(sample_instance(s, 2)->revision, 2);
	assert_string_equal(sample_instance(s, 2)->name, "SNAT");
	assert_memory_equal(xt2_instance_data(sample_instance(s, 3)), "etc/rules.v4", 12);
	c = sample_chain(s, 4);
	assert_int_equal(c->rules, 2);
	assert_int_equal(c->size, c->used + 32);
	assert_int_equal(c->hook, XT2_HOOK_NONE);
	assert_ptr_equal(xt2_chain_tail(c), sample_rule(s, 4, 1));
	lines = sample_at(s, sample_chain(s, 4)->lines);
	assert_int_equal(lines[1], 12);
	assert_int_equal(sample_chain(s, 3)->lines, 0);
}

/* They were written in another order. */
static void test_hooks_sorted(void **state)
{
	struct sample *s = &sample;

	assert_int_equal(sample_make(s), 0);
	assert_int_equal(sample_hook(s, 0)->family, XT2_IPV4);
	assert_int_equal(sample_hook(s, 0)->hook, XT2_INPUT);
	assert_int_equal(sample_hook(s, 1)->hook, XT2_FORWARD);
	assert_int_equal(sample_hook(s, 2)->family, XT2_ARP);
	assert_int_equal(sample_hook(s, 3)->family, XT2_IPV6);
}

static void test_rule_bytes(void **state)
{
	static u64 words[2048], scratch[4096];
	struct xt2_image *img = (void *)words;
	const struct xt2_root *root;
	struct xt2_writer w;
	struct seed_rule s;
	u64 size;

	xt2_write_begin(&w, words, sizeof(words), 1, 1, 1, 1, 0, 0);
	xt2_write_table(&w, XT2_IPV4, "raw", ~0u);
	xt2_write_hook(&w, XT2_IPV4, XT2_OUTPUT, 0, -300, 0);
	xt2_write_chain_begin(&w, 0, 0, XT2_OUTPUT, "OUTPUT");
	seed_rule_begin(&s, XT2_T_DROP, 0);
	seed_match(&s, XT2_M_FRAGMENT, 0, 0, NULL, 0);
	seed_rule(&s)->packets = 3;
	seed_rule(&s)->bytes = ~0ull;
	assert_int_equal(xt2_write_rule(&w, seed_rule(&s)), 0);
	seed_rule_begin(&s, XT2_T_ACCEPT, 0);
	assert_int_equal(xt2_write_rule(&w, seed_rule(&s)), 0);
	assert_int_equal(xt2_write_chain_end(&w, NULL, 4), 0);
	assert_int_equal(img->magic, XT2_MAGIC_UNFINISHED);
	assert_int_equal(xt2_write_end(&w, scratch, &size), 0);
	assert_int_equal(img->magic, XT2_MAGIC);
	assert_memory_equal(words, "xxt2", 4);
	root = xt2_image_root(img);
	seed_rule_begin(&s, XT2_T_DROP, 0);
	seed_match(&s, XT2_M_FRAGMENT, 0, 0, NULL, 0);
	seed_rule(&s)->packets = 3;
	seed_rule(&s)->bytes = ~0ull;
	assert_memory_equal(xt2_chain_first(xt2_image_chain(img, root, 0)), seed_rule(&s), 32);
	assert_int_equal(xt2_image_hook(img, root, 0)->priority, -300);
	/* a capacity is rounded up */
	assert_int_equal(xt2_image_chain(img, root, 0)->size,
			 xt2_image_chain(img, root, 0)->used + 8);
	/* what is finished is finished */
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
	assert_int_equal(xt2_write_cell(&w, 0, 0), -EINVAL);
	assert_int_equal(img->magic, XT2_MAGIC);
}

static void test_no_space(void **state)
{
	struct sample *s = &sample;
	struct xt2_writer w;
	u64 full, size;

	assert_int_equal(sample_make(s), 0);
	full = s->given;
	for (u64 cap = 0; cap < full; cap += 8) {
		struct xt2_image *img = malloc(cap + 1);

		size = 99;
		sample_write(&w, img, cap);
		assert_int_equal(w.error, -ENOSPC);
		assert_int_equal(xt2_write_end(&w, s->scratch, &size), -ENOSPC);
		assert_int_equal(size, 99);
		assert_int_equal(xt2_check(img, cap, s->scratch, NULL), -EINVAL);
		free(img);
	}
	sample_write(&w, s->bytes, full + 7);
	assert_int_equal(xt2_write_end(&w, s->scratch, &size), 0);
	assert_int_equal(size, full);
}

/* clang-format off */
#define CALLS(X) \
	X(table_more, xt2_write_table(w, XT2_IPV4, "nat", ~0u)) \
	X(hook_more, xt2_write_hook(w, XT2_IPV4, 0, 0, 0, 0)) \
	X(instance_more, xt2_write_instance(w, 1, 0, NULL, "x", 1)) \
	X(cell_far, xt2_write_cell(w, 2, 0)) \
	X(chain_twice, xt2_write_chain_begin(w, 3, 0, XT2_HOOK_NONE, "THREE")) \
	X(chain_far, xt2_write_chain_begin(w, SAMPLE_CHAINS, 0, XT2_HOOK_NONE, "THREE")) \
	X(rule_nowhere, xt2_write_rule(w, seed_rule(&rule))) \
	X(end_nowhere, xt2_write_chain_end(w, NULL, 0))
#define CALL_FUNCTION(name, ...) \
	static int call_##name(struct xt2_writer *w) { return __VA_ARGS__; }
#define CALL_ROW(name, ...) { #name, call_##name },
/* clang-format on */

static struct seed_rule rule;

CALLS(CALL_FUNCTION)

static const struct {
	const char *name;
	int (*call)(struct xt2_writer *w);
} calls[] = { CALLS(CALL_ROW) };

/* A call that is not allowed sticks, and the image stays unfinished. */
static void test_bad_calls(void **state)
{
	struct sample *s = &sample;
	struct xt2_writer w;
	u64 size = 99;

	seed_rule_begin(&rule, XT2_T_ACCEPT, 0);
	for (size_t i = 0; i < XT2_ARRAY_SIZE(calls); i++) {
		sample_write(&w, s->bytes, sizeof(s->bytes));
		if (calls[i].call(&w) != -EINVAL)
			fail_msg("%s", calls[i].name);
		assert_int_equal(xt2_write_cell(&w, 0, 0), -EINVAL);
		assert_int_equal(xt2_write_end(&w, s->scratch, &size), -EINVAL);
		assert_int_equal(size, 99);
		assert_int_equal(((struct xt2_image *)s->bytes)->magic, XT2_MAGIC_UNFINISHED);
	}
}

static void begin_chain(struct xt2_writer *w, void *buf, u64 cap)
{
	xt2_write_begin(w, buf, cap, 1, 1, 0, 1, 0, 0);
	xt2_write_table(w, XT2_IPV4, "raw", ~0u);
	xt2_write_chain_begin(w, 0, 0, XT2_HOOK_NONE, "ONE");
}

static void test_bad_rules(void **state)
{
	static u64 words[2048];
	struct xt2_writer w;
	static const u16 sizes[] = { 0, 16, 28 };

	for (size_t i = 0; i < XT2_ARRAY_SIZE(sizes); i++) {
		begin_chain(&w, words, sizeof(words));
		seed_rule_begin(&rule, XT2_T_RETURN, 0);
		seed_rule(&rule)->size = sizes[i];
		assert_int_equal(xt2_write_rule(&w, seed_rule(&rule)), -EINVAL);
	}
	begin_chain(&w, words, sizeof(words));
	assert_int_equal(xt2_write_chain_end(&w, NULL, 0), -EINVAL);
	begin_chain(&w, words, sizeof(words));
	assert_int_equal(xt2_write_chain_begin(&w, 0, 0, XT2_HOOK_NONE, "TWO"), -EINVAL);
	begin_chain(&w, words, sizeof(words));
	assert_int_equal(xt2_write_instance(&w, 1, 0, NULL, NULL, 0), -EINVAL);
}

static void test_bad_counts(void **state)
{
	static u64 words[2048];
	struct xt2_writer w;

	assert_int_equal(xt2_write_begin(&w, words, 16384, 1, 257, 0, 0, 0, 0), -EINVAL);
	assert_int_equal(xt2_write_begin(&w, words, 16384, 1, 1, 7, 0, 0, 0), -EINVAL);
	assert_int_equal(xt2_write_begin(&w, words, 16384, 1, 0, 0, (1 << 24) + 1, 0, 0), -EINVAL);
	assert_int_equal(xt2_write_begin(&w, (u8 *)words + 4, 1024, 1, 0, 0, 0, 0, 0), -EINVAL);
	assert_int_equal(xt2_write_begin(&w, words, 16384, 1, 0, 0, 0, ~0u, 0), -ENOSPC);
	assert_int_equal(xt2_write_begin(&w, words, 16384, 1, 0, 0, 0, 0, ~0u), -ENOSPC);
	assert_int_equal(xt2_write_begin(&w, words, 16384, 1, 0, 0, 1 << 24, 0, 0), -ENOSPC);
}

/* Less than declared, or open, or not valid: said where. */
static void test_unfinished(void **state)
{
	static u64 words[2048], scratch[4096];
	struct xt2_writer w;
	u64 size;

	xt2_write_begin(&w, words, sizeof(words), 1, 1, 0, 0, 0, 0);
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
	assert_string_equal(w.err.what, "less was written than declared");
	xt2_write_begin(&w, words, sizeof(words), 1, 0, 0, 1, 0, 0);
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
	assert_string_equal(w.err.what, "less was written than declared");
	xt2_write_begin(&w, words, sizeof(words), 1, 0, 0, 0, 1, 0);
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
	assert_string_equal(w.err.what, "less was written than declared");
	xt2_write_begin(&w, words, sizeof(words), 1, 1, 1, 0, 0, 0);
	xt2_write_table(&w, XT2_IPV4, "raw", ~0u);
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
	assert_string_equal(w.err.what, "less was written than declared");
	begin_chain(&w, words, sizeof(words));
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
	assert_string_equal(w.err.what, "a chain is not finished");
	begin_chain(&w, words, sizeof(words));
	seed_rule_begin(&rule, XT2_T_DROP, 0);
	xt2_write_rule(&w, seed_rule(&rule));
	xt2_write_chain_end(&w, NULL, 0);
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
	assert_string_equal(w.err.what, "chain does not end in a policy or a return");
	assert_int_equal(w.err.chain, 0);
	assert_int_equal(w.err.rule, 1);
	assert_int_equal(((struct xt2_image *)words)->magic, XT2_MAGIC_UNFINISHED);
}

static void test_names(void **state)
{
	static u64 words[2048], scratch[4096];
	static const char longest[] = "0123456789012345678901234567890";
	static const char longer[] = "01234567890123456789012345678901";
	struct xt2_writer w;
	u64 size;

	xt2_write_begin(&w, words, sizeof(words), 1, 1, 0, 0, 0, 0);
	assert_int_equal(xt2_write_table(&w, XT2_IPV4, longest, ~0u), 0);
	assert_int_equal(xt2_write_end(&w, scratch, &size), 0);
	xt2_write_begin(&w, words, sizeof(words), 1, 1, 0, 0, 0, 0);
	assert_int_equal(xt2_write_table(&w, XT2_IPV4, longer, ~0u), -EINVAL);
	xt2_write_begin(&w, words, sizeof(words), 1, 0, 0, 0, 1, 0);
	assert_int_equal(xt2_write_instance(&w, 2, 0, longer, NULL, 0), -EINVAL);
	xt2_write_begin(&w, words, sizeof(words), 1, 0, 0, 1, 0, 0);
	assert_int_equal(xt2_write_chain_begin(&w, 0, 0, XT2_HOOK_NONE, longer), -EINVAL);
	xt2_write_begin(&w, words, sizeof(words), 1, 1, 0, 0, 0, 0);
	xt2_write_table(&w, XT2_IPV4, "", ~0u);
	assert_int_equal(xt2_write_end(&w, scratch, &size), -EINVAL);
}

/* Read an image through the helpers, write it again: the same bytes. */
/* An index of the same kind. */
static void copy_index(struct xt2_writer *w, const struct xt2_chain *c)
{
	static const struct xt2_index_limits limits[] = {
		[XT2_INDEX_COLUMNS] = { 0, ~0u, 0, 0, false },
		[XT2_INDEX_PAIRS] = { 0, 0, 0, 0, false },
		[XT2_INDEX_BITS] = { 0, 0, ~0u, 0, false },
		[XT2_INDEX_SEGMENTS] = { 0, 0, 0, ~0u, false },
	};
	u64 scratch[8192];

	assert_true(xt2_index_scratch(c->rules) <= sizeof(scratch));
	assert_int_equal(xt2_write_index(w, &limits[xt2_chain_index(c)->kind], scratch), 0);
}

static void copy_chain(struct xt2_writer *w, const struct xt2_image *img,
		       const struct xt2_root *root, u32 i)
{
	const struct xt2_chain *c = xt2_image_chain(img, root, i);
	const struct xt2_chain_cold *cold = xt2_image_chain_cold(img, root, i);
	const struct xt2_rule *r;

	xt2_write_chain_begin(w, i, c->table, c->hook, cold->name);
	xt2_chain_for_each_rule(r, c)
		xt2_write_rule(w, r);
	if (c->lookup)
		copy_index(w, c);
	xt2_write_chain_end(w, c->lines ? xt2_at(img, c->lines) : NULL, c->size - c->used);
}

static void copy_image(struct xt2_writer *w, void *buf, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_instance *in;
	const struct xt2_table *t;
	const struct xt2_hook *h;
	u32 i;

	xt2_write_begin(w, buf, SEED_IMAGE_SIZE, root->generation, root->tables, root->hooks,
			root->chains, root->instances, root->cells);
	xt2_image_for_each_table(t, i, img, root)
		xt2_write_table(w, t->family, t->name, t->source);
	for (i = 0; i < root->instances; i++) {
		in = xt2_image_instance(img, root, i);
		xt2_write_instance(w, in->kind, in->revision, in->name, xt2_instance_data(in),
				   in->size);
	}
	for (i = 0; i < root->cells; i++)
		xt2_write_cell(w, i, *xt2_image_cell(img, root, i));
	for (i = 0; i < root->chains; i++)
		copy_chain(w, img, root, i);
	for (i = root->hooks; i--;) {
		h = xt2_image_hook(img, root, i);
		xt2_write_hook(w, h->family, h->hook, h->table, h->priority, h->chain);
	}
}

static void test_round_trips(void **state)
{
	void *a = malloc(SEED_IMAGE_SIZE), *b = malloc(SEED_IMAGE_SIZE);
	void *scratch = malloc(xt2_check_scratch(SEED_IMAGE_SIZE));
	struct xt2_check_err err;
	struct xt2_writer w;
	u64 size, again;

	for (u64 seed = 1; seed <= 2000; seed++) {
		size = seed_image(seed, a, SEED_IMAGE_SIZE, scratch);
		assert_int_not_equal(size, 0);
		if (xt2_check(a, size, scratch, &err))
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.what);
		copy_image(&w, b, a);
		assert_int_equal(xt2_write_end(&w, scratch, &again), 0);
		assert_int_equal(again, size);
		if (memcmp(a, b, size))
			fail_msg("seed %llu differs", (unsigned long long)seed);
	}
	free(scratch);
	free(b);
	free(a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_layout),	   cmocka_unit_test(test_hooks_sorted),
	cmocka_unit_test(test_rule_bytes), cmocka_unit_test(test_no_space),
	cmocka_unit_test(test_bad_calls),  cmocka_unit_test(test_bad_rules),
	cmocka_unit_test(test_bad_counts), cmocka_unit_test(test_unfinished),
	cmocka_unit_test(test_names),	   cmocka_unit_test(test_round_trips),
};

UNITS(tests)
