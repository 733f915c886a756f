/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-patch-edit.c - libxt2/change/patch-edit.c
 *
 * Random transactions against the model, with all that can go wrong: rules that are in
 * large groups, aborts, no memory, no room.  The generations before stay readable.
 */
#include "tests/unit/change-case.h"

#define KEEP 4u /* generations that are read for a while */

struct kept {
	struct change_model model;
	u32 chain;
	u64 generation;
};

static const struct xt2_index_limits plain = { ~0u, 0, 0, 0, false };
static const struct xt2_index_limits columns = { 0, ~0u, 0, 0, false };
static const struct xt2_index_limits pairs = { 0, 0, 0, 0, false };
static const struct xt2_index_limits segments = { 0, 0, 0, ~0u, false };
static const struct xt2_index_limits *const kinds[] = { &plain, &columns, &pairs, &segments, NULL };

/* --- random edits ---------------------------------------------------------- */

/* A position; every other one is where many are. */
static u32 position(struct change_case *c, u32 n)
{
	return world_often(&c->w, 50) ? world_below(&c->w, n) : n * 2 / 3;
}

/* Is the position in a group that must not be taken apart? */
static bool in_large_group(struct change_case *c, u32 before)
{
	const struct xt2_chain *chain = c->edit.compiled;
	const struct xt2_index *ix = xt2_chain_index(chain);
	const u32 from = xt2_offset(c->img, chain);
	const struct xt2_run *run = ix ? xt2_at(ix, ix->run) : NULL;
	u32 i, at, n;

	at = before - from;
	if (before > from + chain->tail || before < from)
		at = ((const struct xt2_inserted *)xt2_at(c->img, before - 16))->at;
	for (i = 0; ix && i < ix->runs; i++) {
		if (at <= run[i].rule || at >= run[i].end)
			continue;
		n = 0;
		for (at = run[i].rule; at < run[i].end; n++)
			at += ((const struct xt2_rule *)xt2_at(chain, at))->size;
		return n > XT2_SPLIT_MAX;
	}
	return false;
}

static bool is_full(const struct change_case *c)
{
	return xt2_patch_items(&c->edit) == c->edit.compiled->rules - 1;
}

static bool is_compiled(const struct change_case *c, u32 rule)
{
	const u32 from = xt2_offset(c->img, c->edit.compiled);

	return rule > from && rule < from + c->edit.compiled->used;
}

static void edit_once(struct change_case *c)
{
	u32 at, before;
	int err;

	if (world_often(&c->w, 3)) {
		static const u8 ends[] = { XT2_T_ACCEPT, XT2_T_DROP };

		c->now.tail = ends[world_below(&c->w, 2)];
		assert_int_equal(xt2_patch_set_tail(&c->edit, c->now.tail), 0);
		return;
	}
	if (c->now.n && world_often(&c->w, 45)) {
		at = position(c, c->now.n);
		before = change_where(c, at);
		err = change_delete(c, at);
		if (err != -E2BIG)
			assert_int_equal(err, 0);
		assert_int_equal(err == -E2BIG, err && is_full(c) && is_compiled(c, before));
		return;
	}
	at = position(c, c->now.n + 1);
	before = change_where(c, at);
	if (is_full(c) || in_large_group(c, before))
		assert_int_equal(change_insert(c, at, change_rule(c, CHANGE_WORLD)), -E2BIG);
	else
		assert_int_equal(change_insert(c, at, change_rule(c, CHANGE_WORLD)), 0);
}

static void keep(const struct change_case *c, struct kept *k)
{
	k->model = c->now;
	k->chain = c->chain;
	k->generation = c->generation;
}

static void take_back(struct change_case *c, const struct kept *k, u32 *where, u64 size, u64 spare)
{
	xt2_patch_abort(&c->edit);
	xt2_space_abort(&c->space);
	assert_int_equal(c->img->size, size);
	assert_int_equal(c->space.spare, spare);
	c->now = k->model;
	memcpy(c->where, where, sizeof(c->where));
}

/* => bytes of the place that this many take */
static u64 place(u64 bytes)
{
	u64 quarter = 256;

	bytes = (bytes + 7) & ~7ull;
	while (bytes > 8 * quarter)
		quarter *= 2;
	return bytes <= 1024 ? bytes : (bytes + quarter - 1) / quarter * quarter;
}

/* => bytes of all places of the patched chain */
static u64 all_places(const struct change_case *c)
{
	const struct xt2_chain *chain = xt2_at(c->img, c->chain);
	const struct xt2_patch *p = (const struct xt2_patch *)(xt2_chain_index(chain) + 1);
	const struct xt2_patch_part *part = xt2_at(c->img, p->part);
	u64 sum = place(chain->size) + place(16ull * p->parts);
	u32 i, j, at;

	for (i = 0; i < p->parts; i++) {
		const struct xt2_patch_page *page = xt2_at(c->img, part[i].page);

		sum += place(sizeof(*page));
		for (j = 0; j < page->items; j++)
			if (page->item[j].rule)
				sum += place(16 + ((const struct xt2_rule *)xt2_at(
							   c->img, page->item[j].rule))
							  ->size);
	}
	sum += place(xt2_patch_slot_bytes(p)) + xt2_patch_slot_pages(p) * place(1024);
	for (i = 0; i < xt2_patch_slots(p); i++)
		for (at = xt2_patch_slot_at(c->img, p, i)->bucket; at;
		     at = ((const struct xt2_patch_bucket *)xt2_at(c->img, at))->next)
			sum += place(sizeof(struct xt2_patch_bucket));
	return sum;
}

/* Places that are free have any contents. */
static void scribble(struct change_case *c)
{
	u32 i, j;

	for (i = 0; i < XT2_SPACE_SIZES; i++) {
		const u64 size = i < 128 ? 8 * i + 8 : (u64)(i % 4 + 5) << (8 + (i - 128) / 4);

		for (j = 0; j < c->space.list[i].n; j++)
			memset(xt2_at(c->img, c->space.list[i].offset[j]), 0xa5, size);
	}
	memset(xt2_at(c->img, c->img->size), 0xa5, 4096);
}

static void run(u64 seed, u32 turns, u32 edits)
{
	static struct kept kept[KEEP];
	static u32 where[CHANGE_RULES];
	struct change_case *c;
	u64 first;
	u32 turn, i;

	print_message("seed %llu\n", (unsigned long long)seed);
	c = change_new(seed, seed & 1 ? XT2_IPV4 : XT2_IPV6, (enum change_shape)(seed % 3),
		       200 + (u32)(seed % 7) * 300, kinds[seed % XT2_ARRAY_SIZE(kinds)], 8u << 20);
	first = c->img->size;
	for (i = 0; i < KEEP; i++)
		keep(c, &kept[i]);
	for (turn = 1; turn <= turns; turn++) {
		const u64 size = c->img->size, spare = c->space.spare;

		memcpy(where, c->where, sizeof(where));
		assert_int_equal(change_begin(c), 0);
		for (i = 1 + world_below(&c->w, edits); i; i--)
			edit_once(c);
		if (world_often(&c->w, 20))
			take_back(c, &kept[(turn - 1) % KEEP], where, size, spare);
		else
			assert_int_equal(change_end(c), 0);
		keep(c, &kept[turn % KEEP]);
		for (i = 0; i < KEEP; i++)
			change_read(c, kept[i].chain, &kept[i].model);
		xt2_space_reclaim(&c->space, kept[(turn + 1) % KEEP].generation);
		scribble(c);
	}
	assert_true(c->generation > 1);
	xt2_space_reclaim(&c->space, c->generation);
	scribble(c);
	change_read(c, c->chain, &c->now);
	assert_int_equal(c->img->size - first, all_places(c) + c->space.spare);
	change_free(c);
}

static void test_random(void **unused)
{
	const u64 seed = change_seed("patch-edit");
	const u32 images = getenv("XT2_SHORT") ? 10 : 40;
	u32 i;

	for (i = 0; i < images; i++)
		run(seed + i, 40, i % 4 ? 20 : 200);
}

/* --- one by one ------------------------------------------------------------ */

static struct change_case *flat(u32 rules)
{
	struct change_case *c = change_new(2, XT2_IPV4, CHANGE_ADDRESSES, rules, NULL, 8u << 20);

	assert_int_equal(change_begin(c), 0);
	return c;
}

static void test_not_there(void **unused)
{
	struct change_case *c = flat(200);
	const u32 tail = change_where(c, c->now.n);
	u32 gone, where = 7;

	assert_int_equal(xt2_patch_delete(&c->edit, tail), -EINVAL);
	assert_int_equal(xt2_patch_delete(&c->edit, 0), -ENOENT);
	assert_int_equal(xt2_patch_delete(&c->edit, tail + 4), -ENOENT);
	assert_int_equal(xt2_patch_delete(&c->edit, (u32)c->img->size), -ENOENT);
	assert_int_equal(xt2_patch_insert(&c->edit, c->chain - 8, c->rule[0], 0, &where), -ENOENT);
	assert_int_equal(where, 7);
	assert_int_equal(change_insert(c, 5, change_rule(c, CHANGE_ADDRESSES)), 0);
	gone = change_where(c, 5);
	assert_int_equal(change_delete(c, 5), 0);
	assert_int_equal(xt2_patch_delete(&c->edit, gone), -ENOENT);
	assert_int_equal(xt2_patch_insert(&c->edit, gone, c->rule[0], 0, &where), -ENOENT);
	gone = change_where(c, 9);
	assert_int_equal(change_delete(c, 9), 0);
	assert_int_equal(xt2_patch_delete(&c->edit, gone), -ENOENT);
	assert_int_equal(xt2_patch_items(&c->edit), 1);
	assert_int_equal(xt2_patch_set_tail(&c->edit, XT2_T_JUMP), -EINVAL);
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
	change_free(c);
}

/* A patch has at most as many items as there are compiled rules. */
static void test_full(void **unused)
{
	struct change_case *c = flat(200);
	u32 i;

	for (i = 0; i < 200; i++)
		assert_int_equal(change_insert(c, i, change_rule(c, CHANGE_ADDRESSES)), 0);
	assert_int_equal(change_insert(c, 3, change_rule(c, CHANGE_ADDRESSES)), -E2BIG);
	assert_int_equal(change_delete(c, c->now.n - 1), -E2BIG);
	assert_int_equal(change_delete(c, 3), 0);
	assert_int_equal(change_delete(c, c->now.n - 1), 0);
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
	change_free(c);
}

/* Counters of the tail that were counted meanwhile stay, and those of an inserted rule. */
static void test_counters(void **unused)
{
	struct change_case *c = flat(200);
	struct xt2_chain *chain;

	xt2_chain_tail(c->edit.compiled)->packets = 12;
	assert_int_equal(change_end(c), 0);
	chain = xt2_at(c->img, c->chain);
	assert_int_equal(xt2_chain_tail(chain)->packets, 12);
	assert_int_equal(change_begin(c), 0);
	assert_int_equal(xt2_patch_set_tail(&c->edit, XT2_T_DROP), 0);
	c->now.tail = XT2_T_DROP;
	xt2_chain_tail(chain)->packets = 40;
	xt2_chain_tail(chain)->bytes = 50;
	assert_int_equal(change_insert(c, 0, change_rule(c, CHANGE_ADDRESSES)), 0);
	assert_int_equal(change_end(c), 0);
	chain = xt2_at(c->img, c->chain);
	assert_int_equal(xt2_chain_tail(chain)->packets, 40);
	assert_int_equal(xt2_chain_tail(chain)->bytes, 50);
	change_read(c, c->chain, &c->now);
	change_free(c);
}

/* Two edits of one transaction: the second one changes what the first one wrote. */
static void test_twice(void **unused)
{
	static struct kept first;
	static u32 where[CHANGE_RULES];
	struct change_case *c = flat(1000);
	u64 size, spare;
	u32 turn, i, chain;

	for (i = 0; i < 300; i++)
		assert_int_equal(change_insert(c, i * 3, change_rule(c, CHANGE_ADDRESSES)), 0);
	assert_int_equal(change_end(c), 0);
	keep(c, &first);
	memcpy(where, c->where, sizeof(where));
	size = c->img->size;
	spare = c->space.spare;
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < 40; i++) {
			assert_int_equal(change_begin(c), 0);
			assert_int_equal(change_insert(c, i, change_rule(c, CHANGE_WORLD)), 0);
			assert_int_equal(change_delete(c, 5 * i), 0);
			assert_int_equal(xt2_patch_end(&c->edit, &chain), 0);
			c->chain = chain;
		}
		change_read(c, c->chain, &c->now);
		change_read(c, first.chain, &first.model);
		if (turn)
			break;
		take_back(c, &first, where, size, spare);
		c->chain = first.chain;
	}
	change_publish(c);
	xt2_space_reclaim(&c->space, c->generation);
	scribble(c);
	change_read(c, c->chain, &c->now);
	change_free(c);
}

/* Rule groups of 2 to 20 rules, and an insertion at each of their places. */
static void test_groups(void **unused)
{
	struct change_case *c = change_new(4, XT2_IPV4, CHANGE_GROUPS, 1500, &pairs, 8u << 20);
	u32 i, small = 0, large = 0, splits;
	const struct xt2_chain *chain;
	const struct xt2_patch *p;

	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < c->now.n; i += 2) {
		const bool big = in_large_group(c, change_where(c, i));

		assert_int_equal(change_insert(c, i, change_rule(c, CHANGE_GROUPS)),
				 big ? -E2BIG : 0);
		large += big;
		small += !big;
	}
	assert_true(large > 20 && small > 100);
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < c->now.n;) { /* those that stand directly after a group go last */
		if (is_compiled(c, change_where(c, i)))
			i++;
		else
			assert_int_equal(change_delete(c, i), 0);
		if (i % 100)
			continue;
		assert_int_equal(change_end(c), 0);
		change_read(c, c->chain, &c->now);
		assert_int_equal(change_begin(c), 0);
	}
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
	chain = xt2_at(c->img, c->chain);
	p = (const struct xt2_patch *)(xt2_chain_index(chain) + 1);
	splits = p->parts | p->inserted | p->deleted | p->classes;
	assert_int_equal(splits, 0);
	change_free(c);
}

static void test_many_at_once(void **unused)
{
	struct change_case *c = change_new(6, XT2_IPV4, CHANGE_ADDRESSES, 12000, NULL, 8u << 20);
	u32 i;

	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < 10000; i++) {
		const u32 at = world_below(&c->w, c->now.n);

		if (i % 3)
			assert_int_equal(change_insert(c, at, change_rule(c, CHANGE_ADDRESSES)), 0);
		else
			assert_int_equal(change_delete(c, at), 0);
	}
	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
	change_free(c);
}

/* --- failures -------------------------------------------------------------- */

/* Edits of all kinds.  => 0, or what failed; the edit is still there then */
static int edits(struct change_case *c)
{
	u32 i;
	int err = change_begin(c);

	for (i = 0; i < 90 && !err; i++) {
		if (i % 3 == 2)
			err = change_delete(c, (i * 7) % c->now.n);
		else
			err = change_insert(c, i % 2 ? 30 : (i * 5) % c->now.n,
					    change_rule(c, CHANGE_WORLD));
	}
	if (!err)
		err = change_end(c);
	if (err && c->edit.space) { /* it is spoilt */
		u32 where = 0;

		assert_int_equal(
			xt2_patch_insert(&c->edit, change_where(c, 0), c->rule[0], 0, &where), err);
		assert_int_equal(xt2_patch_delete(&c->edit, change_where(c, 0)), err);
		assert_int_equal(xt2_patch_end(&c->edit, &where), err);
	}
	return err;
}

/* @failing: what fails next; its argument counts from 1.  => edits that failed */
static u32 fail_at_each(struct change_case *c, void (*failing)(struct change_case *c, u32 n),
			int want)
{
	static u32 where[CHANGE_RULES];
	static struct kept before;
	const u64 state = c->w.state;
	u32 n = 0;

	for (;;) {
		const u64 size = c->img->size, spare = c->space.spare;
		const u32 ids = c->ids, used = c->used;
		int err;

		keep(c, &before);
		memcpy(where, c->where, sizeof(where));
		c->w.state = state;
		failing(c, ++n);
		err = edits(c);
		fail_alloc(0);
		c->space.capacity = 16u << 20;
		if (!err)
			return n - 1;
		assert_true(err == want || err == -ENOSPC);
		take_back(c, &before, where, size, spare);
		c->ids = ids;
		c->used = used;
		change_read(c, c->chain, &c->now);
	}
}

static void fail_memory(struct change_case *c, u32 n)
{
	fail_alloc(n);
}

static void fail_space(struct change_case *c, u32 n)
{
	c->space.capacity = c->img->size + (n - 1) * 40;
}

static void test_failures(void **unused)
{
	struct change_case *c =
		change_new(8, XT2_IPV4, CHANGE_ADDRESSES, 1000, NULL, (16u << 20) + 8);
	u32 turn;

	c->space.capacity = 16u << 20;
	for (turn = 0; turn < 4; turn++) { /* of a compiled chain, and of patched ones */
		if (turn % 2)
			assert_true(fail_at_each(c, fail_memory, -ENOMEM) >= 1);
		else
			assert_true(fail_at_each(c, fail_space, -ENOSPC) > 10);
		change_read(c, c->chain, &c->now);
		xt2_space_reclaim(&c->space, c->generation - (turn == 2));
	}
	change_free(c);
}

/* Packets of short chains are cheap, so what a change costs them counts more. */
static void test_usual_changes(void **unused)
{
	assert_int_equal(xt2_changes_usual(65), 5);
	assert_int_equal(xt2_changes_usual(1000), 19);
	assert_int_equal(xt2_changes_usual(100000), 1566);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(test_usual_changes), cmocka_unit_test(test_random),
	cmocka_unit_test(test_not_there),     cmocka_unit_test(test_full),
	cmocka_unit_test(test_counters),      cmocka_unit_test(test_twice),
	cmocka_unit_test(test_groups),	      cmocka_unit_test(test_many_at_once),
	cmocka_unit_test(test_failures),
};

UNITS(cases)
