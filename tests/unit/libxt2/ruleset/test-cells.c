/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-cells.c - libxt2/ruleset/cells.c */
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/ruleset/table-copy.h"
#include "tests/unit/ruleset-case.h"

/* A rule that sets an address of a list. */
static struct xt2_rule *recent(const char *name, u64 mask)
{
	static u64 room[32];
	struct xt2_rule *r = memset(room, 0, sizeof(room));
	struct xt2_match_recent *k = (struct xt2_match_recent *)(r + 1);
	const u32 at = offsetof(struct xt2_match_recent, name);

	k->head = (struct xt2_match){ .type = XT2_M_RECENT, .flags = 0x20 };
	k->head.size = (u16)((at + strlen(name) + 8) & ~7u);
	k->checks = XT2_RECENT_SET;
	k->mask[0] = k->mask[1] = mask;
	memcpy((u8 *)k + at, name, strlen(name));
	r->size = r->target_offset = (u16)(sizeof(*r) + k->head.size);
	return r;
}

static int add(struct xt2_ruleset *rs, int table, const char *name, u64 mask)
{
	struct xt2_rule *r = recent(name, mask);
	struct xt2_match *m = (struct xt2_match *)(r + 1);
	int cell = xt2_cells_add(rs, rs->table[table].family, m);

	if (cell < 0)
		return cell;
	m->arg = (u32)cell;
	assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, table, XT2_OUTPUT), r, 0), 0);
	return cell;
}

static void names_share(void **state)
{
	struct xt2_ruleset *rs = *state;

	assert_int_equal(add(rs, FILTER, "a", ~0ull), 0);
	assert_int_equal(xt2_cell_add(rs), XT2_MEMORY_CELLS);
	assert_int_equal(add(rs, FILTER, "b", 5), 2 * XT2_MEMORY_CELLS);
	assert_int_equal(add(rs, NAT, "a", 7), 0);
	assert_int_equal(add(rs, FILTER6, "b", ~0ull), 2 * XT2_MEMORY_CELLS);
	assert_int_equal(rs->cell[XT2_MEMORY_CONFIG], 1);
	assert_int_equal(rs->cell[XT2_MEMORY_CONFIG + 1], ~0ull);
	assert_int_equal(rs->cell[2 * XT2_MEMORY_CELLS + XT2_MEMORY_CONFIG + 2], 5);
}

/* Memories are the first cells of an image; one that no rule names is left out. */
static void images_have_them(void **state)
{
	struct xt2_ruleset *rs = *state, *again = xt2_ruleset_new(), *third = xt2_ruleset_new();
	struct xt2_mapping map, one, other; /* rulesets have rules of the first */
	int table;

	assert_int_equal(xt2_cells_add(rs, XT2_IPV4, (struct xt2_match *)(recent("x", 1) + 1)), 0);
	assert_int_equal(add(rs, FILTER, "a", 3), XT2_MEMORY_CELLS);
	assert_int_equal(add(rs, NAT, "a", 4), XT2_MEMORY_CELLS);
	rs->cell[XT2_MEMORY_CELLS + XT2_MEMORY_DATA] = 99;
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_image_root(map.image)->cells, XT2_MEMORY_CELLS);
	assert_int_equal(xt2_ruleset_load(again, map.image, map.size), 0);
	assert_int_equal(add(again, FILTER6, "a", 5), 0);
	assert_int_equal(add(again, FILTER6, "c", 5), XT2_MEMORY_CELLS);
	assert_int_equal(again->cell[XT2_MEMORY_DATA], 99);
	assert_int_equal(again->cell[XT2_MEMORY_CONFIG + 1], 3);

	for (table = 0; table < xt2_ruleset_tables(again); table++)
		assert_int_equal(xt2_table_copy(third, again, table), 0);
	assert_int_equal(third->cells, 2 * XT2_MEMORY_CELLS);
	assert_int_equal(third->cell[XT2_MEMORY_DATA], 99);
	assert_int_equal(xt2_ruleset_write(again, &one, NULL), 0);
	assert_int_equal(xt2_ruleset_write(third, &other, NULL), 0);
	assert_int_equal(one.size, other.size);
	xt2_image_close(&one);
	xt2_image_close(&other);
	xt2_ruleset_free(again);
	xt2_ruleset_free(third);
	xt2_image_close(&map);
}

static void there_are_at_most_256(void **state)
{
	struct xt2_ruleset *rs = *state;
	char name[8];
	int i;

	for (i = 0; i < (int)XT2_MEMORIES_MAX; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(add(rs, FILTER, name, 1), i * (int)XT2_MEMORY_CELLS);
	}
	assert_int_equal(add(rs, FILTER, "more", 1), -E2BIG);
	assert_int_equal(add(rs, FILTER, "n7", 1), 7 * XT2_MEMORY_CELLS);
}

static void what_began_is_done(void **state)
{
	static u64 cell[XT2_MEMORY_CELLS];

	cell[XT2_MEMORY_STATE] = 2ull << 32; /* names log 1 */
	cell[XT2_MEMORY_CLAIMS] = 3;
	cell[XT2_MEMORY_CONFIG] = 1;
	cell[XT2_MEMORY_LOGS + XT2_MEMORY_LOG_CELLS] = 1;
	cell[XT2_MEMORY_LOGS + XT2_MEMORY_LOG_CELLS + 1] = XT2_MEMORY_DATA + 1;
	cell[XT2_MEMORY_LOGS + XT2_MEMORY_LOG_CELLS + 3] = 9;
	xt2_memory_settle_(cell);
	assert_int_equal(cell[XT2_MEMORY_STATE], 1);
	assert_int_equal(cell[XT2_MEMORY_CLAIMS], 0);
	assert_int_equal(cell[XT2_MEMORY_DATA + 1], 9);
	assert_int_equal(cell[XT2_MEMORY_LOGS + XT2_MEMORY_LOG_CELLS], 0);
	xt2_memory_clear_(cell);
	assert_int_equal(cell[XT2_MEMORY_STATE], 0);
	assert_int_equal(cell[XT2_MEMORY_DATA + 1], 0);
	assert_int_equal(cell[XT2_MEMORY_CONFIG], 1);
}

/* A rule names a whole memory, at a place where one may be. */
static void rules_name_whole_ones(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_rule *r = recent("a", 1);
	struct xt2_match *m = (struct xt2_match *)(r + 1);
	int chain = xt2_chain_base(rs, FILTER, XT2_OUTPUT);

	assert_int_equal(xt2_cells_add(rs, XT2_IPV4, m), 0);
	xt2_cell_add(rs);
	m->arg = 1;
	assert_int_equal(xt2_rule_append(rs, chain, r, 0), -EINVAL);
	m->arg = XT2_MEMORY_CELLS; /* one cell of it is there */
	assert_int_equal(xt2_rule_append(rs, chain, r, 0), -EINVAL);
	m->arg = 0;
	assert_int_equal(xt2_rule_append(rs, chain, r, 0), 0);
}

static const struct CMUnitTest tests[] = {
	CASE(names_share),	  CASE(images_have_them),      CASE(there_are_at_most_256),
	CASE(what_began_is_done), CASE(rules_name_whole_ones),
};

UNITS(tests)
