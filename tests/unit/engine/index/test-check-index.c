/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-check-index.c - engine/index/check-index.c: an index is right, or is refused
 *
 * Images of random rules, with every kind of index.  Then bits of their
 * indexes are changed, one after the other, and words to values that mean
 * something there, and fields to others of their kind.  Either the check
 * refuses the image, or evaluation with the index does what evaluation rule
 * after rule does; with the sanitizers, it does not leave the image either.
 * What a search works with is poison before each packet.
 *
 * XT2_INDEX_SEED and XT2_INDEX_IMAGES: another range of images for fields.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/index-mutate.h"
#include "tests/lib/world-image.h"
#include "tests/lib/world-packets.h"
#include "engine/check.h"

#define STACK	 64
#define PACKETS	 12 /* through each image that a check let pass */
#define RULE_MAX 400

/* One image, and packets aimed at its rules. */
static struct world w;
static struct world_image image;
static struct world_packet packet[PACKETS];
static bool whole[PACKETS]; /* it could be parsed */
static struct xt2_image *copy[2]; /* evaluated rule after rule; with indexes */
static void *scratch;

static int ahead = -1; /* a hook that is searched ahead; -1: none */
static unsigned int accepted, refused;
static unsigned int kinds_seen[XT2_INDEX_SEGMENTS + 1];

/* --- evaluate ---------------------------------------------------------- */

/* Nothing of the last packet helps, and no one value does. */
static void poison(struct xt2_search *search)
{
	u64 *word = (u64 *)search, n = seed_next(&w.state);
	size_t i;

	for (i = 0; i < sizeof(*search) / sizeof(*word); i++)
		word[i] = n + i * 0x9e3779b97f4a7c15ull;
}

static u32 evaluate(struct xt2_image *img, bool indexed, u32 n, int *verdict)
{
	static struct xt2_frame stack[STACK];
	static struct xt2_search search;
	static struct world_packet p;
	struct xt2_ctx ctx = {
		.pkt = &p.pkt,
		.img = img,
		.root = xt2_image_root(img),
		.now = 1700000000000000000ull + n * 1000000ull,
		.random = 1,
		.stack = stack,
		.stack_size = STACK,
		.search = indexed ? &search : NULL,
	};

	world_packet_copy(&p, &packet[n]);
	poison(&search);
	search.chain = 0;
	if (ahead >= 0) {
		xt2_eval_search(&ctx, xt2_image_hook(img, ctx.root, (u32)ahead), &p.pkt, &search);
		xt2_eval_collect(&ctx, &search);
	}
	*verdict = xt2_eval(&ctx, xt2_image_hook(img, ctx.root, 0));
	assert_int_equal(ctx.faults, 0);
	return ctx.rule;
}

static void compare_counters(void)
{
	const struct xt2_root *root = xt2_image_root(copy[0]);
	const struct xt2_chain *c, *d;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, copy[0], root) {
		d = xt2_image_chain(copy[1], xt2_image_root(copy[1]), i);
		xt2_chain_for_each_rule(r, c) {
			struct xt2_counts n =
				xt2_rule_counts(d, xt2_at(d, (u64)((u8 *)r - (u8 *)c)));

			assert_int_equal(r->packets, n.packets);
			assert_int_equal(r->bytes, n.bytes);
		}
	}
}

/* What indexes count is counted from 0. */
static void compare_all(void)
{
	int linear, indexed;
	u32 i, at;

	memcpy(copy[0], image.img, image.size);
	for (i = 0; i < PACKETS; i++) {
		if (!whole[i])
			continue;
		at = evaluate(copy[0], false, i, &linear);
		assert_int_equal(evaluate(copy[1], true, i, &indexed), at);
		assert_int_equal(linear, indexed);
	}
	compare_counters();
}

/* --- checks ------------------------------------------------------------ */

static bool accepts(const struct xt2_image *img)
{
	struct xt2_check_err err = { 0 };
	bool good = !xt2_check(img, image.size, scratch, &err);

	assert_true(good || err.what);
	return good;
}

/* Counters of runs are added to rules whatever else an index says: that leaves an image. */
static void forget(void)
{
	if (!xt2_check_rules(copy[1], image.size, scratch, NULL))
		assert_int_equal(xt2_check(copy[1], image.size, scratch, NULL), 0);
}

/* The copy was changed: it is refused, or as good as it was. */
static void try_copy(void)
{
	if (accepts(copy[1])) {
		accepted++;
		compare_all();
		assert_true(accepts(copy[1]));
	} else {
		refused++;
	}
	forget();
}

/* --- images ------------------------------------------------------------ */

static void aim(void)
{
	const struct xt2_root *root = xt2_image_root(image.img);
	const struct xt2_rule *rule[RULE_MAX], *r;
	const struct xt2_chain *c;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, image.img, root)
		xt2_chain_for_each_rule(r, c)
			if (n < RULE_MAX)
				rule[n++] = r;
	for (i = 0; i < PACKETS; i++)
		whole[i] = world_packet(&w, rule[world_below(&w, n)], &packet[i]);
}

static void make(u64 seed, const struct world_plan *plan)
{
	struct xt2_check_err err = { 0 };

	w = (struct world){ .state = seed * 2 + 1, .spread = 16 };
	seed_next(&w.state);
	w.family = world_below(&w, 2) ? XT2_IPV4 : XT2_IPV6;
	if (world_image(&w, plan, &image, &err))
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.what);
	copy[0] = malloc(image.size);
	copy[1] = malloc(image.size);
	scratch = malloc(xt2_check_scratch(image.size));
	assert_true(copy[0] && copy[1] && scratch);
	memcpy(copy[1], image.img, image.size);
	aim();
	assert_true(accepts(copy[1]));
	compare_all();
}

static void drop(void)
{
	free(copy[0]);
	free(copy[1]);
	free(scratch);
	free(image.img);
}

static const struct xt2_index_limits kinds[] = { { 0, 0, 0, 0, false },
						 { 0, ~0u, 0, 0, false },
						 { 0, 0, 1024, 0, false },
						 { 0, 0, 0, ~0u, false } };

static struct world_plan plan_of(u64 seed, u32 rules)
{
	return (struct world_plan){
		.tables = 1,
		.users = 2,
		.rules = rules,
		.base_jumps = 3,
		.user_jumps = 1,
		.limits = kinds[(seed + seed / 8) % XT2_ARRAY_SIZE(kinds)],
	};
}

/* Offsets of the counters of runs: changing these is no lie. */
static bool counts(const struct xt2_index *ix, u32 at)
{
	if (at < ix->run || at >= ix->run + ix->runs * sizeof(struct xt2_run))
		return false;
	return (at - ix->run) % sizeof(struct xt2_run) >= offsetof(struct xt2_run, packets);
}

/* --- tests ------------------------------------------------------------- */

static void every_bit_of(const struct xt2_chain *c)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	u64 place = (u64)((const u8 *)ix - (const u8 *)image.img);
	u32 at, bit;

	kinds_seen[ix->kind]++;
	for (at = 0; at < ix->size; at++) {
		if (counts(ix, at))
			continue;
		for (bit = 0; bit < 8; bit++) {
			memcpy(copy[1], image.img, image.size);
			((u8 *)copy[1])[place + at] ^= (u8)(1 << bit);
			try_copy();
		}
	}
}

static void every_bit(void **state)
{
	const struct xt2_chain *c;
	struct world_plan plan;
	u32 i;
	u64 seed;

	accepted = refused = 0;
	for (seed = 1; seed <= 12; seed++) {
		plan = plan_of(seed, 4 + 3 * (u32)seed);
		make(seed, &plan);
		xt2_image_for_each_chain(c, i, image.img, xt2_image_root(image.img))
			if (c->lookup)
				every_bit_of(c);
		drop();
	}
	print_message("%u accepted, %u refused\n", accepted, refused);
	assert_true(accepted > 1000 && refused > 1000);
	for (i = XT2_INDEX_COLUMNS; i <= XT2_INDEX_SEGMENTS; i++)
		assert_true(kinds_seen[i]);
}

/* Words of an index become others of it, or small numbers, or what is near. */
static void change_word(const struct xt2_chain *c)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	u8 *at = (u8 *)copy[1] + ((const u8 *)ix - (const u8 *)image.img);
	const u32 words = ix->size / 4;
	u32 to = world_below(&w, world_often(&w, 50) ? 8 : words), value;

	if (counts(ix, 4 * to))
		return;
	switch (world_below(&w, 5)) {
	case 0: value = world_below(&w, 40); break;
	case 1: value = world_below(&w, words / 2 + 1) * 8; break;
	case 2: memcpy(&value, at + 4 * world_below(&w, words), 4); break;
	case 3:
		memcpy(&value, at + 4 * to, 4);
		value += world_below(&w, 2) ? 8 : -8u;
		break;
	default: value = (u32)seed_next(&w.state);
	}
	memcpy(at + 4 * to, &value, 4);
}

/* Two neighbours among the entries of buckets change places; few candidates are looked for. */
static void swap(const struct xt2_chain *c)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	const struct xt2_pairs *p = xt2_at(ix, ix->body);
	u8 *at = (u8 *)copy[1] + ((const u8 *)ix - (const u8 *)image.img);
	struct xt2_index_entry one, *e;

	if (ix->kind != XT2_INDEX_PAIRS || p->entries < 2)
		return;
	e = (struct xt2_index_entry *)(at + p->entry) + world_below(&w, p->entries - 1);
	one = e[0];
	e[0] = e[1];
	e[1] = one;
	((struct xt2_index *)at)->ahead = (u16)(1 + world_below(&w, 3));
}

static void random_words(void **state)
{
	const struct xt2_chain *c;
	struct world_plan plan;
	u64 seed;
	u32 i, n, try;

	for (seed = 100; seed < 140; seed++) {
		plan = plan_of(seed, seed % 8 > 1 ? 30 : 200);
		make(seed, &plan);
		for (try = 0; try < (seed % 8 > 1 ? 800 : 100); try++) {
			memcpy(copy[1], image.img, image.size);
			xt2_image_for_each_chain(c, i, image.img, xt2_image_root(image.img))
				for (n = world_below(&w, 4); c->lookup && n; n--)
					(world_below(&w, 2) ? swap : change_word)(c);
			try_copy();
		}
		drop();
	}
}

static u64 number_of(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void change_fields(u64 seed, u32 tries)
{
	static struct index_fields fields;
	const struct world_plan plan = plan_of(seed, 4 + (u32)seed % 60);
	const struct xt2_chain *c;
	u32 i, n, try;

	make(seed, &plan);
	xt2_image_for_each_chain(c, i, image.img, xt2_image_root(image.img)) {
		if (!c->lookup)
			continue;
		index_fields_of(&fields, xt2_chain_index(c));
		for (try = 0; try < tries; try++) {
			memcpy(copy[1], image.img, image.size);
			n = (u32)((const u8 *)xt2_chain_index(c) - (const u8 *)image.img);
			index_mutate(&fields, xt2_at(copy[1], n), &w.state);
			try_copy();
		}
	}
	drop();
}

static void fields_of_a_kind(void **state)
{
	const u64 first = number_of("XT2_INDEX_SEED", 1000);
	const u64 images = number_of("XT2_INDEX_IMAGES", 400);
	u64 seed;

	accepted = refused = 0;
	print_message("again: XT2_INDEX_SEED=%llu XT2_INDEX_IMAGES=%llu\n",
		      (unsigned long long)first, (unsigned long long)images);
	for (seed = first; seed < first + images; seed++)
		change_fields(seed, 60);
	print_message("%u accepted, %u refused\n", accepted, refused);
	assert_true(accepted && refused);
}

/* IPv4 has two keys of each address: no search fills in the others. */
static void keys_of_another_family(void **state)
{
	struct world_plan plan;
	struct xt2_columns *k;
	struct xt2_index *ix;
	u64 seed;
	u32 i, tried = 0;

	for (seed = 500; seed < 600; seed++) {
		plan = plan_of(seed, 30);
		plan.limits = kinds[1];
		make(seed, &plan);
		ix = (struct xt2_index *)xt2_chain_index(
			xt2_image_chain(copy[1], xt2_image_root(copy[1]), 0));
		k = ix ? xt2_at(ix, ix->body) : NULL;
		for (i = 0; k && i < k->columns; i++) {
			if (w.family != XT2_IPV4 || k->column[i] >= XT2_KEY_SPORT)
				continue;
			k->column[i] += 2 + (u8)(seed % 3) * 2;
			assert_false(accepts(copy[1]));
			tried++;
			break;
		}
		drop();
	}
	assert_true(tried > 5);
}

/* What was found ahead for another table's chain is not taken for this one's. */
static void another_hook_is_searched(void **state)
{
	struct world_plan plan;
	u64 seed;

	for (seed = 200; seed < 400; seed++) {
		plan = plan_of(seed, 100);
		plan.tables = 2;
		for (ahead = 1; ahead >= 0; ahead--) {
			make(seed, &plan);
			drop();
		}
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_bit),
	cmocka_unit_test(random_words),
	cmocka_unit_test(fields_of_a_kind),
	cmocka_unit_test(keys_of_another_family),
	cmocka_unit_test(another_hook_is_searched),
};

UNITS(tests)
