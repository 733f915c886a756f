/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build-columns.c - choose keys by a sample of the units' boxes, and make columns of them
 */
#include "build.h"

enum {
	COLUMNS_USED = 6, /* of XT2_COLUMNS_MAX: 28 bytes a unit */
};

/* The packet of a box without a condition has the value of another box. */
static void key_passes(struct passes *p, const struct xt2_box *box, u8 family, u32 key)
{
	u16 least[SAMPLE_COLUMNS], most[SAMPLE_COLUMNS], point;
	u32 i, j;

	for (i = 0; i < p->n; i++) {
		xt2_box_range(&box[i], family, key, &least[i], &most[i]);
		p->tells[key] |= least[i] || most[i] != 0xffff;
	}
	for (i = 0; p->tells[key] && i < p->n; i++) {
		j = least[i] || most[i] != 0xffff ? i : (i * 7 + 3) % p->n;
		point = least[j];
		p->pass[key][i] = 0;
		for (j = 0; j < p->n; j++)
			p->pass[key][i] |= (u64)(least[j] <= point && point <= most[j]) << j;
	}
}

static u32 passing(const struct passes *p, u32 key, const u64 *alive)
{
	u32 i, n = 0;

	for (i = 0; i < p->n; i++)
		n += (u32)__builtin_popcountll(alive[i] & p->pass[key][i]);
	return n;
}

/* => the key, none of the chosen ones, that lets fewest through, if fewer than *passed; or XT2_KEYS */
static u32 best_key(const struct passes *p, const u64 *alive, const u8 *chosen, u32 n, u32 *passed)
{
	u32 key, now, i, best = XT2_KEYS;

	for (key = 0; key < XT2_KEYS; key++) {
		for (i = 0; i < n && chosen[i] != key; i++)
			;
		if (i < n || !p->tells[key])
			continue;
		now = passing(p, key, alive);
		if (now < *passed) {
			*passed = now;
			best = key;
		}
	}
	return best;
}

/*
 * Keys that rule out a fifth or more alone, all of them or until it is likely
 * that of all units one is let through that does not match, if conditions
 * on one key do not depend on another.
 */
static u32 choose_more(const struct passes *p, u32 units, bool all_keys, u8 *chosen, u32 n, u32 max)
{
	u32 best, passed, i;
	u64 all[SAMPLE_COLUMNS], left = (u64)units << 16;

	memset(all, 0xff, sizeof(all));
	for (i = 0; i < n; i++)
		left = left * passing(p, chosen[i], all) / (p->n * p->n);
	for (; n && n < max && (all_keys || left > 1 << 15); left = left * passed / (p->n * p->n)) {
		passed = p->n * p->n - p->n * p->n / 5;
		best = best_key(p, all, chosen, n, &passed);
		if (best == XT2_KEYS)
			break;
		chosen[n++] = (u8)best;
	}
	return n;
}

/* Choose keys, each the one that rules out most of what is left. => how many */
static u32 choose_keys(const struct passes *p, u8 *chosen, u32 max)
{
	u64 alive[SAMPLE_COLUMNS];
	u32 i, best, n = 0, left = p->n * p->n, passed;

	for (i = 0; i < p->n; i++)
		alive[i] = ~0ull >> (64 - p->n);
	while (n < max) {
		passed = left - left / 16; /* a key that rules out less is not worth a column */
		best = best_key(p, alive, chosen, n, &passed);
		if (best == XT2_KEYS)
			break;
		for (i = 0; i < p->n; i++)
			alive[i] &= p->pass[best][i];
		left = passed;
		chosen[n++] = (u8)best;
	}
	return n;
}

u32 xt2_build_keys_(struct build *b, const u32 *unit, u32 n, bool all, u8 *chosen, u32 max)
{
	struct passes *p = b->passes;
	u32 key;

	memset(p->tells, 0, sizeof(p->tells));
	p->n = xt2_build_sample_(b, unit, n, SAMPLE_COLUMNS);
	for (key = 0; key < XT2_KEYS; key++)
		if (xt2_key_of_family(b->family, key))
			key_passes(p, b->sample, b->family, key);
	return choose_more(p, n, all, chosen, choose_keys(p, chosen, max), max);
}

static void fill_column(const struct build *b, const u32 *unit, u32 n, const struct xt2_columns *c)
{
	struct xt2_box box;
	u32 i, col;

	for (i = 0; i < n; i++) {
		u16 *at = (u16 *)xt2_columns_row(c, i / XT2_BLOCK) + i % XT2_BLOCK;

		xt2_box_of(&box, xt2_build_rule_(b, unit[i]));
		for (col = 0; col < c->columns; col++, at += 2 * XT2_BLOCK) {
			u16 most;

			xt2_box_range(&box, b->family, c->column[col], at, &most);
			at[XT2_BLOCK] = (u16)~most;
		}
	}
	for (; i % XT2_BLOCK; i++) { /* no key is as large as these and as small */
		u16 *at = (u16 *)xt2_columns_row(c, i / XT2_BLOCK) + i % XT2_BLOCK;

		for (col = 0; col < c->columns; col++, at += 2 * XT2_BLOCK)
			at[0] = at[XT2_BLOCK] = 0xffff;
	}
}

/* => offset of the columns; 0: no room */
u32 xt2_build_columns_(struct build *b, const u32 *unit, u32 n)
{
	const u32 rows = (n + XT2_BLOCK - 1) / XT2_BLOCK * XT2_BLOCK;
	struct xt2_columns *c;
	u8 chosen[XT2_COLUMNS_MAX] = { 0 };
	u32 offset, columns, i;

	columns = xt2_build_keys_(b, unit, n, false, chosen, COLUMNS_USED);
	c = xt2_build_take_(b, sizeof(*c) + rows * (sizeof(u32) + 4ull * columns), &offset);
	if (!c)
		return 0;
	c->units = n;
	c->columns = (u8)columns;
	for (i = 0; i < columns; i++) {
		c->column[i] = chosen[i];
		b->at->asks |= xt2_asks_key_(chosen[i]);
	}
	memcpy(c + 1, unit, n * sizeof(*unit));
	fill_column(b, unit, n, c);
	return offset;
}
