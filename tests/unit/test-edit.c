/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-edit.c - edits against an array of rules
 *
 * The oracle keeps the rules of every chain in an array and copies them
 * about, one edit after the other.  After each splice the whole image must
 * pass the check and say the same as the arrays; every other image has its
 * structures in an order that no writer would give them.  A failing run prints its
 * seed; test-edit SEED runs that one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sample-image.h"
#include "engine/edit.h"

#define RUNS	  600
#define STEPS	  25
#define RULES_MAX 256
#define EDITS_MAX 6
#define CAP	  (1u << 20)

static u64 only_seed;
static struct sample sample;

/* --- the oracle ---------------------------------------------------------- */

struct old_rule {
	u32 line;
	u64 bytes[SEED_RULE_SIZE / 8];
};

struct old_chain {
	u32 n;
	bool lines; /* the image keeps line numbers for it */
	struct old_rule rule[RULES_MAX];
};

static void remember(struct old_chain *o, const struct xt2_image *img, u32 index)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c = xt2_image_chain(img, root, index);
	const struct xt2_chain_cold *cold = xt2_image_chain_cold(img, root, index);
	const u32 *lines = cold->lines ? xt2_at(img, cold->lines) : NULL;
	const struct xt2_rule *r;

	memset(o, 0, sizeof(*o));
	o->lines = lines != NULL;
	xt2_chain_for_each_rule(r, c) {
		o->rule[o->n].line = lines ? lines[o->n] : 0;
		memcpy(o->rule[o->n++].bytes, r, r->size);
	}
}

static void put(struct old_rule *o, const struct xt2_edit *e)
{
	memset(o, 0, sizeof(*o));
	o->line = e->line;
	memcpy(o->bytes, e->rule, e->rule->size);
}

/* From the last edit to the first, so that positions stay what they are. */
static void apply(struct old_chain *o, const struct xt2_edit *edits, u32 n)
{
	while (n--) {
		const struct xt2_edit *e = &edits[n];
		u32 behind = o->n - e->at;

		if (e->op != XT2_EDIT_DELETE && e->line)
			o->lines = true;
		if (e->op == XT2_EDIT_REPLACE) {
			put(&o->rule[e->at], e);
		} else if (e->op == XT2_EDIT_DELETE) {
			memmove(&o->rule[e->at], &o->rule[e->at + 1],
				(behind - 1) * sizeof(*o->rule));
			o->n--;
		} else {
			memmove(&o->rule[e->at + 1], &o->rule[e->at], behind * sizeof(*o->rule));
			put(&o->rule[e->at], e);
			o->n++;
		}
	}
}

static const char *compare(const struct old_chain *o, const struct xt2_image *img, u32 index)
{
	static struct old_chain now;

	remember(&now, img, index);
	if (now.n != o->n)
		return "number of rules";
	if (now.lines != o->lines)
		return "line numbers are there or not";
	for (u32 i = 0; i < o->n; i++) {
		const struct xt2_rule *r = (const void *)o->rule[i].bytes;

		if (memcmp(now.rule[i].bytes, r, r->size))
			return "a rule";
		if (now.rule[i].line != o->rule[i].line)
			return "a line number";
	}
	return NULL;
}

/* --- random edits -------------------------------------------------------- */

struct run {
	u64 seed, state;
	struct xt2_image *img, *before;
	void *scratch;
	struct old_chain *chains; /* one per chain index */
	struct xt2_edit edits[EDITS_MAX];
	struct seed_rule rules[EDITS_MAX];
	u32 done, loops;
};

static void draw_rule(struct run *run, u32 i, const struct xt2_chain *c, bool tail)
{
	const struct xt2_root *root = xt2_image_root(run->img);
	struct seed_rule *s = &run->rules[i];
	u32 first, last;

	s->family = xt2_image_table(run->img, root, c->table)->family;
	/* chains of a table have neighbouring numbers; some of these make loops */
	for (first = c->index; first; first--)
		if (xt2_image_chain(run->img, root, first - 1)->table != c->table)
			break;
	for (last = c->index + 1; last < root->chains; last++)
		if (xt2_image_chain(run->img, root, last)->table != c->table)
			break;
	s->first = seed_below(&run->state, 8) ? c->index + 1 : first;
	s->last = last;
	seed_any_rule(s, &run->state);
	if (tail)
		seed_rule_begin(s,
				c->hook == XT2_HOOK_NONE     ? XT2_T_RETURN
				: seed_below(&run->state, 2) ? XT2_T_ACCEPT
							     : XT2_T_DROP,
				0);
	run->edits[i].rule = seed_rule(s);
}

static u32 draw_edits(struct run *run, const struct xt2_chain *c)
{
	u32 i, at = 0, n = 1 + seed_below(&run->state, EDITS_MAX);
	bool lines = seed_below(&run->state, 2);

	for (i = 0; i < n && at < c->rules; i++) {
		struct xt2_edit *e = &run->edits[i];

		if (seed_below(&run->state, 3))
			at += seed_below(&run->state, c->rules - at);
		e->at = at;
		e->op = (u8)seed_below(&run->state, 3);
		if (e->op == XT2_EDIT_DELETE && at == c->rules - 1)
			e->op = XT2_EDIT_INSERT;
		if (e->op == XT2_EDIT_INSERT && c->rules + EDITS_MAX > RULES_MAX)
			return i;
		e->line = lines ? seed_below(&run->state, 50) : 0;
		if (e->op != XT2_EDIT_DELETE)
			draw_rule(run, i, c, e->op == XT2_EDIT_REPLACE && at == c->rules - 1);
		at += e->op != XT2_EDIT_INSERT;
	}
	return i;
}

static void verify(struct run *run, u32 step)
{
	const struct xt2_root *root = xt2_image_root(run->img);
	struct xt2_check_err err;

	if (xt2_check(run->img, CAP, run->scratch, &err))
		fail_msg("test-edit %llu: step %u: %s", (unsigned long long)run->seed, step,
			 err.what);
	for (u32 i = 0; i < root->chains; i++) {
		const char *what = compare(&run->chains[i], run->img, i);

		if (what)
			fail_msg("test-edit %llu: step %u: chain %u: %s",
				 (unsigned long long)run->seed, step, i, what);
	}
}

static void step(struct run *run, u32 number)
{
	const struct xt2_root *root = xt2_image_root(run->img);
	u32 n, index = seed_below(&run->state, root->chains);
	const u64 size = run->img->size;
	/* now and then there is no room but what the image has */
	u64 cap = seed_below(&run->state, 4) ? CAP : size + 8 * seed_below(&run->state, 9);
	int err;

	n = draw_edits(run, xt2_image_chain(run->img, root, index));
	memcpy(run->before, run->img, CAP);
	err = xt2_edit_chain(run->img, cap, index, run->edits, n, run->scratch);
	if (!err) {
		apply(&run->chains[index], run->edits, n);
		run->done++;
		if (run->img->size > cap ||
		    memcmp((u8 *)run->img + cap, (u8 *)run->before + cap, CAP - cap))
			fail_msg("test-edit %llu: step %u: wrote behind the buffer",
				 (unsigned long long)run->seed, number);
	} else {
		run->loops += err == -ELOOP;
		if ((err != -ELOOP && err != -ENOSPC) || memcmp(run->before, run->img, CAP))
			fail_msg("test-edit %llu: step %u: %d", (unsigned long long)run->seed,
				 number, err);
	}
	verify(run, number);
}

static void one_run(struct run *run, u64 seed)
{
	u32 chains;

	run->seed = seed;
	run->state = seed * 2 + 1;
	memset(run->img, 0, CAP);
	assert_int_not_equal(seed_image(seed, run->img, SEED_IMAGE_SIZE, run->scratch), 0);
	if (seed % 2) {
		memcpy(run->before, run->img, SEED_IMAGE_SIZE);
		seed_scatter(&run->state, run->before, run->img);
	}
	chains = xt2_image_root(run->img)->chains;
	for (u32 i = 0; i < chains; i++)
		remember(&run->chains[i], run->img, i);
	for (u32 i = 0; i < STEPS && chains; i++)
		step(run, i);
}

static void test_random(void **state)
{
	struct run run = {
		.img = malloc(CAP),
		.before = malloc(CAP),
		.scratch = malloc(xt2_check_scratch(CAP)),
		.chains = malloc(64 * sizeof(struct old_chain)),
	};

	for (u64 seed = 1; seed <= RUNS; seed++)
		if (!only_seed || seed == only_seed)
			one_run(&run, seed);
	print_message("%u edits, %u refused for loops\n", run.done, run.loops);
	if (!only_seed) {
		assert_true(run.done > RUNS * STEPS / 2);
		assert_true(run.loops > 20);
	}
	free(run.chains);
	free(run.scratch);
	free(run.before);
	free(run.img);
}

/* --- by hand ------------------------------------------------------------- */

static struct seed_rule rule;

static int edit(struct sample *s, u32 chain, struct xt2_edit *edits, u32 n)
{
	return xt2_edit_chain(s->img, SAMPLE_CAP, chain, edits, n, s->scratch);
}

/* Each is refused, and leaves the image as it was. */
static void test_refused(void **state)
{
	static u64 before[SAMPLE_CAP / 8];
	struct sample *s = &sample;
	const struct xt2_rule *r = seed_rule(&rule);
	/* chain 0 has two rules and a tail */
	struct bad {
		u32 chain;
		int err;
		u32 target;
		u32 n;
		struct xt2_edit edits[2];
	} bad[] = {
		{ 0, -EINVAL, 0, 1, { { 3, 0, r, 0 } } },
		{ 0, -EINVAL, 0, 1, { { XT2_EDIT_INSERT, 3, r, 0 } } },
		{ 0, -EINVAL, 0, 1, { { XT2_EDIT_DELETE, 2, NULL, 0 } } },
		{ 0,
		  -EINVAL,
		  0,
		  2,
		  { { XT2_EDIT_DELETE, 1, NULL, 0 }, { XT2_EDIT_DELETE, 0, NULL, 0 } } },
		{ 0,
		  -EINVAL,
		  0,
		  2,
		  { { XT2_EDIT_DELETE, 1, NULL, 0 }, { XT2_EDIT_DELETE, 1, NULL, 0 } } },
		{ 0,
		  -EINVAL,
		  0,
		  2,
		  { { XT2_EDIT_REPLACE, 1, r, 0 }, { XT2_EDIT_INSERT, 1, r, 0 } } },
		{ 0, -EINVAL, XT2_T_RETURN, 1, { { XT2_EDIT_REPLACE, 2, r, 0 } } },
		{ 3, -EINVAL, XT2_T_ACCEPT, 1, { { XT2_EDIT_REPLACE, 1, r, 0 } } },
		{ 0, -EINVAL, 9, 1, { { XT2_EDIT_INSERT, 0, r, 0 } } },
		{ 0, -EINVAL, XT2_TARGET(XT2_T_JUMP, 5), 1, { { XT2_EDIT_INSERT, 0, r, 0 } } },
		{ 0, -EINVAL, XT2_TARGET(XT2_T_JUMP, 99), 1, { { XT2_EDIT_INSERT, 0, r, 0 } } },
		{ 0, -EINVAL, XT2_TARGET(XT2_T_NAT, 0), 1, { { XT2_EDIT_REPLACE, 0, r, 0 } } },
		{ SAMPLE_CHAINS, -EINVAL, 0, 1, { { XT2_EDIT_INSERT, 0, r, 0 } } },
		{ 4, -ELOOP, XT2_TARGET(XT2_T_JUMP, 3), 1, { { XT2_EDIT_INSERT, 1, r, 0 } } },
		{ 0, -ELOOP, XT2_TARGET(XT2_T_GOTO, 0), 1, { { XT2_EDIT_REPLACE, 0, r, 0 } } },
	};

	assert_int_equal(sample_make(s), 0);
	memcpy(before, s->bytes, sizeof(before));
	for (size_t i = 0; i < XT2_ARRAY_SIZE(bad); i++) {
		int err;

		seed_rule_begin(&rule, (u8)bad[i].target, XT2_TARGET_ARG(bad[i].target));
		err = edit(s, bad[i].chain, bad[i].edits, bad[i].n);
		if (err != bad[i].err || memcmp(before, s->bytes, sizeof(before)))
			fail_msg("edit %zu: %d", i, err);
	}
	assert_int_equal(edit(s, 0, NULL, 0), 0);
	assert_memory_equal(before, s->bytes, sizeof(before));
}

/* An unreachable loop may be made; the edit that would reach it is refused. */
static void test_loops(void **state)
{
	struct sample *s = &sample;
	struct xt2_edit e = { .op = XT2_EDIT_INSERT, .rule = seed_rule(&rule) };

	assert_int_equal(sample_make(s), 0);
	seed_rule_begin(&rule, XT2_T_JUMP, 5);
	assert_int_equal(edit(s, 5, &e, 1), 0);
	assert_int_equal(xt2_check(s->img, s->img->size, s->scratch, NULL), 0);
	assert_int_equal(edit(s, 2, &e, 1), -ELOOP);
	/* behind a plain verdict it is not reached */
	seed_rule_begin(&rule, XT2_T_DROP, 0);
	assert_int_equal(edit(s, 2, &e, 1), 0);
	seed_rule_begin(&rule, XT2_T_JUMP, 5);
	e.at = 1;
	assert_int_equal(edit(s, 2, &e, 1), 0);
	/* and taking that verdict away is the edit that loops */
	e.op = XT2_EDIT_DELETE;
	e.at = 0;
	assert_int_equal(edit(s, 2, &e, 1), -ELOOP);
	assert_int_equal(xt2_check(s->img, s->img->size, s->scratch, NULL), 0);
}

/* Depth and visits follow the edits. */
static void test_ways(void **state)
{
	struct sample *s = &sample;
	struct xt2_edit e[2] = {
		{ .op = XT2_EDIT_INSERT, .rule = seed_rule(&rule) },
		{ .op = XT2_EDIT_INSERT, .rule = seed_rule(&rule) },
	};

	assert_int_equal(sample_make(s), 0);
	assert_int_equal(s->root->depth, 2);
	seed_rule_begin(&rule, XT2_T_JUMP, 0);
	assert_int_equal(edit(s, 1, e, 2), 0);
	s->root = sample_at(s, s->img->root);
	assert_int_equal(s->root->depth, 3);
	assert_int_equal(s->root->visits, 9);
	assert_int_equal(sample_hook(s, 1)->visits, 9);
	assert_int_equal(sample_hook(s, 0)->visits, 4);
}

/* Spare room is used before anything moves, and comes back by deletion. */
static void test_room(void **state)
{
	struct sample *s = &sample;
	struct xt2_edit e = { .op = XT2_EDIT_INSERT, .rule = seed_rule(&rule) };
	u64 size;

	assert_int_equal(sample_make(s), 0);
	size = s->img->size;
	seed_rule_begin(&rule, XT2_T_DROP, 0);
	/* chain 6 has 48 bytes left, chain 5 has 40 */
	assert_int_equal(xt2_edit_chain(s->img, size, 6, &e, 1, s->scratch), 0);
	assert_int_equal(xt2_edit_chain(s->img, size, 6, &e, 1, s->scratch), 0);
	assert_int_equal(xt2_edit_chain(s->img, size, 6, &e, 1, s->scratch), -ENOSPC);
	assert_int_equal(s->img->size, size);
	e.op = XT2_EDIT_DELETE;
	assert_int_equal(xt2_edit_chain(s->img, size, 6, &e, 1, s->scratch), 0);
	e.op = XT2_EDIT_INSERT;
	assert_int_equal(xt2_edit_chain(s->img, size, 6, &e, 1, s->scratch), 0);
	assert_int_equal(s->img->size, size);
	assert_int_equal(xt2_edit_chain(s->img, size + 24, 6, &e, 1, s->scratch), 0);
	assert_int_equal(s->img->size, size + 24);
	assert_int_equal(xt2_edit_chain(s->img, size, 6, &e, 1, s->scratch), -EINVAL);
	assert_int_equal(xt2_check(s->img, size + 24, s->scratch, NULL), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_loops),
		cmocka_unit_test(test_ways),	cmocka_unit_test(test_room),
		cmocka_unit_test(test_random),
	};

	if (argc > 1)
		only_seed = strtoull(argv[1], NULL, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
