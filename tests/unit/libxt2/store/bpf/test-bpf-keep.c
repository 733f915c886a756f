/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-bpf-keep.c - libxt2/store/bpf/bpf-keep.c: which of the arena's cells a ruleset gets
 *
 * The arena is memory of this process, where the kernel's would be.  Pages are
 * asked of the functions below, which stand for the BPF programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/bpf/bpf-private.h"
#include "tests/lib/rules.h"

#define PAGE 4096u
#define LAST (XT2_CELLS_MAX - 1)

static struct {
	u64 offset, size; /* the last pages that were reserved */
	u32 reserved, released; /* calls */
	int fails; /* what reserving says */
} pages;

int __wrap_xt2_live_reserve_(struct xt2_live *host, u64 offset, u64 size);
int __wrap_xt2_live_release_(struct xt2_live *host, u64 offset, u64 size);

int __wrap_xt2_live_reserve_(struct xt2_live *host, u64 offset, u64 size)
{
	(void)host;
	pages.offset = offset;
	pages.size = size;
	pages.reserved++;
	return pages.fails;
}

int __wrap_xt2_live_release_(struct xt2_live *host, u64 offset, u64 size)
{
	(void)host;
	assert_true(offset >= XT2_ARENA_CELLS && size);
	pages.released++;
	return 0;
}

static int arena_map(void **state)
{
	void *p = mmap((void *)XT2_ARENA_BASE, XT2_ARENA_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	(void)state;
	memset(&pages, 0, sizeof(pages));
	return p == (void *)XT2_ARENA_BASE ? 0 : -1;
}

static int arena_unmap(void **state)
{
	(void)state;
	return munmap((void *)XT2_ARENA_BASE, XT2_ARENA_SIZE);
}

static struct xt2_image *image_of(const struct xt2_live_ruleset *l)
{
	return xt2_live_at_(l->image);
}

/* => the match, and its rule, with this quota; NULL: there is none */
static struct xt2_match *quota(const struct xt2_live_ruleset *l, u64 n, struct xt2_rule **rule)
{
	const struct xt2_chain *c;
	struct xt2_match *m;
	u32 i;

	xt2_image_for_each_chain(c, i, image_of(l), xt2_image_root(image_of(l))) {
		xt2_chain_for_each_rule(*rule, c) {
			xt2_rule_for_each_match(m, *rule) {
				if (m->type == XT2_M_QUOTA &&
				    ((struct xt2_match_quota *)m)->quota == 100 + n)
					return m;
			}
		}
	}
	return NULL;
}

/*
 * => a ruleset in a region, as one that is not live yet: n rules with quotas of 100, 101, ...,
 * whose cells have 1000, 1001, ...
 */
static struct xt2_live_ruleset *ruleset(u32 region, u32 n)
{
	const u64 at = XT2_ARENA_REGION(region);
	struct xt2_live_ruleset *l = xt2_live_at_(at);
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map = { 0 };
	const struct xt2_chain *c;
	struct xt2_rule *rule;
	struct rule_build b;
	u32 i;
	int chain, cell;

	chain = xt2_chain_base(rs, xt2_table_add(rs, XT2_IPV4, "filter", NULL), XT2_INPUT);
	assert_true(chain >= 0);
	for (i = 0; i < n; i++) {
		cell = xt2_cell_add(rs);
		rule_begin(&b);
		rule_quota(&b, cell, 100 + i);
		assert_int_equal(
			xt2_rule_append(rs, chain, rule_end(&b, XT2_TARGET(XT2_T_DROP, 0)), 0), 0);
	}
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_true(map.size < 0x40000);
	*l = (struct xt2_live_ruleset){ .image = at + PAGE,
					.pairs = at + 0x80000,
					.cell_numbers = at + 0xc0000 };
	memcpy(image_of(l), map.image, map.size);
	l->root = image_of(l)->root;
	xt2_image_for_each_chain(c, i, image_of(l), xt2_image_root(image_of(l)))
		l->rules += c->rules;
	for (i = 0; i < n; i++)
		*xt2_image_cell(image_of(l), xt2_image_root(image_of(l)), quota(l, i, &rule)->arg) =
			1000 + i;
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
	return l;
}

static u64 *arena_cell(u32 i)
{
	return (u64 *)xt2_live_at_(XT2_ARENA_CELLS) + i;
}

/* The live one, its rules with these of the arena's cells. */
static struct xt2_live live(const struct xt2_live_ruleset *l, const u32 *cells, u32 n)
{
	struct xt2_rule *rule;
	struct xt2_match *m;
	u32 i, end = 0;

	for (i = 0; i < n; i++) {
		m = quota(l, i, &rule);
		m->arg = cells[i];
		if (cells[i] >= end)
			end = cells[i] + 1;
	}
	((struct xt2_root *)xt2_image_root(image_of(l)))->cells = end;
	return (struct xt2_live){ .ruleset = XT2_ARENA_REGION(0) };
}

/* Keep the first so many rules.  => as xt2_live_keep_() */
static int keep(struct xt2_live *host, struct xt2_live_ruleset *next, u32 same, struct xt2_err *err)
{
	const struct xt2_live_ruleset *from = xt2_live_at_(host->ruleset);
	u32 *was = calloc(next->rules, sizeof(*was)), i, n = 0;
	struct xt2_rule *old, *rule;
	const struct xt2_chain *c;
	int ret;

	xt2_image_for_each_chain(c, i, image_of(next), xt2_image_root(image_of(next))) {
		xt2_chain_for_each_rule(rule, c) {
			const struct xt2_match_quota *q = (void *)xt2_rule_first_match(rule);

			if (rule->target_offset > sizeof(*rule) && q->quota < 100 + same) {
				assert_non_null(quota(from, q->quota - 100, &old));
				was[n] = xt2_offset(image_of(from), old);
			}
			n++;
		}
	}
	assert_int_equal(n, next->rules);
	memset(err, 0, sizeof(*err));
	ret = xt2_live_keep_(host, next, NULL, was, err);
	free(was);
	return ret;
}

/* => the arena's cell of a rule */
static u32 cell_of(const struct xt2_live_ruleset *l, u32 n)
{
	struct xt2_rule *rule;

	return quota(l, n, &rule)->arg;
}

/* Cells of the ruleset before, rules of the next, those that stay; the last cell of the arena. */
static void test_most(void **state)
{
	static const struct {
		u32 cells[2], have, next, same;
		bool taken;
	} rows[] = {
		{ { LAST - 1 }, 1, 1, 0, true }, { { LAST }, 1, 1, 0, false },
		{ { LAST }, 1, 1, 1, true },	 { { LAST - 1 }, 1, 2, 1, true },
		{ { LAST }, 1, 2, 1, false },	 { { LAST - 1 }, 1, 2, 0, false },
		{ { LAST - 2 }, 1, 2, 0, true }, { { 0, LAST }, 2, 2, 2, true },
		{ { LAST, 0 }, 2, 2, 1, false },
	};
	struct xt2_live_ruleset *next;
	struct xt2_live host;
	struct xt2_err err;
	size_t i;
	int ret;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		const u32 end = rows[i].cells[rows[i].have - 1] + 1 + rows[i].next - rows[i].same;

		arena_map(state);
		host = live(ruleset(0, rows[i].have), rows[i].cells, rows[i].have);
		next = ruleset(1, rows[i].next);
		ret = keep(&host, next, rows[i].same, &err);
		if (rows[i].taken) {
			assert_int_equal(ret, 0);
			assert_int_equal(pages.offset, XT2_ARENA_CELLS);
			assert_int_equal(pages.size, ((u64)end * 8 + PAGE - 1) / PAGE * PAGE);
			assert_true(XT2_ARENA_CELLS + pages.size <= XT2_ARENA_SIZE);
			assert_int_equal(xt2_live_state_()->cells_size, pages.size);
		} else {
			assert_int_equal(ret, -EFBIG);
			assert_int_equal(err.code, XT2_E_LIMIT);
			assert_non_null(strstr(err.message, "more than 33554432 matches"));
			assert_int_equal(pages.reserved, 0);
			assert_int_equal(xt2_live_state_()->cells_size, 0);
		}
		if (rows[i].taken && rows[i].same)
			assert_int_equal(cell_of(next, 0), rows[i].cells[0]);
		assert_int_equal(arena_unmap(state), 0);
		memset(&pages, 0, sizeof(pages));
	}
	assert_int_equal(arena_map(state), 0);
}

/* New rules get the lowest cells that no rule of the live ruleset has, and bring their values. */
static void test_free_cells(void **state)
{
	u32 cells[66], i;
	struct xt2_live_ruleset *next;
	struct xt2_live host;
	struct xt2_err err;

	(void)state;
	for (i = 0; i < 66; i++)
		cells[i] = i < 64 ? i : i + 1; /* 64 is free, then 67 */
	host = live(ruleset(0, 66), cells, 66);
	*arena_cell(3) = 7;
	next = ruleset(1, 69);
	assert_int_equal(keep(&host, next, 66, &err), 0);
	for (i = 0; i < 66; i++)
		assert_int_equal(cell_of(next, i), cells[i]);
	assert_int_equal(cell_of(next, 66), 64);
	assert_int_equal(cell_of(next, 67), 67);
	assert_int_equal(cell_of(next, 68), 68);
	assert_int_equal(*arena_cell(3), 7);
	assert_int_equal(*arena_cell(64), 1066);
	assert_int_equal(*arena_cell(68), 1068);
	assert_int_equal(pages.size, PAGE);
	assert_int_equal(next->from, host.ruleset);
}

/* Without a ruleset before, cells begin at the first. */
static void test_first(void **state)
{
	struct xt2_live host = { 0 };
	struct xt2_live_ruleset *first = ruleset(1, 2);
	struct xt2_err err;

	(void)state;
	assert_int_equal(xt2_live_keep_(&host, first, NULL, NULL, &err), 0);
	assert_int_equal(cell_of(first, 0), 0);
	assert_int_equal(cell_of(first, 1), 1);
	assert_int_equal(*arena_cell(1), 1001);
	assert_int_equal(first->from, 0);
}

/* A page is asked for when the pages that are there are full; one that is there is not again. */
static void test_pages(void **state)
{
	u32 cells[1] = { PAGE / 8 - 2 };
	struct xt2_live_ruleset *next;
	struct xt2_live host;
	struct xt2_err err;

	(void)state;
	xt2_live_state_()->cells_size = PAGE;
	host = live(ruleset(0, 1), cells, 1);
	next = ruleset(1, 2);
	assert_int_equal(keep(&host, next, 1, &err), 0);
	assert_int_equal(pages.reserved, 0);
	next = ruleset(1, 3);
	assert_int_equal(keep(&host, next, 1, &err), 0);
	assert_int_equal(pages.reserved, 1);
	assert_int_equal(pages.released, 1);
	assert_int_equal(pages.offset, XT2_ARENA_CELLS + PAGE);
	assert_int_equal(pages.size, PAGE);
	assert_int_equal(xt2_live_state_()->cells_size, 2 * PAGE);
}

static void test_no_pages(void **state)
{
	u32 cells[1] = { 0 };
	struct xt2_live host = live(ruleset(0, 1), cells, 1);
	struct xt2_live_ruleset *next = ruleset(1, 2);
	struct xt2_err err;

	(void)state;
	pages.fails = -ENOMEM;
	assert_int_equal(keep(&host, next, 1, &err), -ENOMEM);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_int_equal(xt2_live_state_()->cells_size, 0);
}

/* A copy of the live image has cells of its own again. */
static void test_read(void **state)
{
	const u32 cells[2] = { 70, 5 };
	struct xt2_live_ruleset *l = ruleset(0, 2);
	struct xt2_live_ruleset copy = { .image = XT2_ARENA_REGION(1) };
	struct xt2_rule *rule;
	const struct xt2_root *root;

	(void)state;
	live(l, cells, 2);
	*arena_cell(70) = 7;
	*arena_cell(5) = 8;
	memcpy(image_of(&copy), image_of(l), 0x40000);
	assert_int_equal(xt2_live_read_cells_(image_of(&copy)), 0);
	root = xt2_image_root(image_of(&copy));
	assert_int_equal(root->cells, 2);
	assert_int_equal(*xt2_image_cell(image_of(&copy), root, quota(&copy, 0, &rule)->arg), 7);
	assert_int_equal(*xt2_image_cell(image_of(&copy), root, quota(&copy, 1, &rule)->arg), 8);
	assert_int_not_equal(quota(&copy, 0, &rule)->arg, quota(&copy, 1, &rule)->arg);
	assert_in_range(quota(&copy, 0, &rule)->arg, 0, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_most, NULL, arena_unmap),
	cmocka_unit_test_setup_teardown(test_free_cells, arena_map, arena_unmap),
	cmocka_unit_test_setup_teardown(test_first, arena_map, arena_unmap),
	cmocka_unit_test_setup_teardown(test_pages, arena_map, arena_unmap),
	cmocka_unit_test_setup_teardown(test_no_pages, arena_map, arena_unmap),
	cmocka_unit_test_setup_teardown(test_read, arena_map, arena_unmap),
};

UNITS(tests)
