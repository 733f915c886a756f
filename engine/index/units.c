/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.c - units, a sample of their boxes and memory, for all kinds of indexes
 *
 * Rules become units; runs of rules with equal conditions that only count are
 * one.
 */
#include "build.h"

enum {
	RUN_MIN = 4, /* rules; shorter runs are not worth a place to count */
};

/* --- units ------------------------------------------------------------- */

static u64 align8(u64 n)
{
	return (n + XT2_ALIGN - 1) & ~(u64)(XT2_ALIGN - 1);
}

/* => the next match that says anything, or the end of the matches */
static const struct xt2_match *skip_comments(const struct xt2_rule *r, const struct xt2_match *m)
{
	const struct xt2_match *end = xt2_rule_target_data(r);

	while (m < end && m->type == XT2_M_COMMENT)
		m = xt2_match_next(m);
	return m;
}

static bool asks_same(const struct xt2_rule *a, const struct xt2_rule *b)
{
	const struct xt2_match *m = skip_comments(a, xt2_rule_first_match(a));
	const struct xt2_match *n = skip_comments(b, xt2_rule_first_match(b));
	const struct xt2_match *m_end = xt2_rule_target_data(a), *n_end = xt2_rule_target_data(b);

	while (m < m_end && n < n_end) {
		if (m->size != n->size || memcmp(m, n, m->size))
			return false;
		m = skip_comments(a, xt2_match_next(m));
		n = skip_comments(b, xt2_match_next(n));
	}
	return m == m_end && n == n_end;
}

bool xt2_run_goes_on_(const struct xt2_rule *a, const struct xt2_rule *b)
{
	return XT2_TARGET_KIND(a->target) == XT2_T_CONTINUE &&
	       XT2_TARGET_KIND(b->target) == XT2_T_CONTINUE && a->size == a->target_offset &&
	       b->size == b->target_offset && asks_same(a, b);
}

/* => the rule after a run that begins with r; *n: its rules */
static const struct xt2_rule *run_end(const struct xt2_chain *c, const struct xt2_rule *r, u32 *n)
{
	const struct xt2_rule *tail = xt2_chain_tail(c), *next = xt2_rule_next(r);

	for (*n = 1; next < tail && xt2_run_goes_on_(r, next); (*n)++)
		next = xt2_rule_next(next);
	return next;
}

static bool is_stateless(const struct xt2_rule *r)
{
	struct xt2_box box;

	xt2_box_of(&box, r);
	return box.stateless;
}

/* Extensions that decide are REJECT and NFQUEUE. */
static bool decides(const struct xt2_rule *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);

	return kind != XT2_T_CONTINUE && kind != XT2_T_JUMP &&
	       (kind < XT2_T_REJECT || kind == XT2_T_REJECT || kind == XT2_T_NFQUEUE);
}

/* Units of the chain, and its runs after the index's header. */
bool xt2_build_units_(struct build *b)
{
	const struct xt2_rule *r = xt2_chain_first(b->chain), *tail = xt2_chain_tail(b->chain);
	struct xt2_run *run = (struct xt2_run *)(b->at + 1);
	const struct xt2_rule *next;
	u32 n;

	while (r < tail) {
		next = run_end(b->chain, r, &n);
		if (n >= RUN_MIN && !b->single && is_stateless(r)) {
			if (xt2_offset(b->at, run + 1) > b->room)
				return false;
			*run++ = (struct xt2_run){ xt2_offset(b->chain, r),
						   xt2_offset(b->chain, next), 0, 0 };
			b->runs++;
			b->unit[b->units++] = xt2_offset(b->chain, r) | XT2_UNIT_RUN;
			r = next;
		}
		for (; r < next; r = xt2_rule_next(r)) {
			b->unit[b->units++] = xt2_offset(b->chain, r);
			b->deciding += decides(r);
		}
	}
	b->used = sizeof(*b->at) + b->runs * sizeof(*run);
	return true;
}

const struct xt2_rule *xt2_build_rule_(const struct build *b, u32 unit)
{
	return xt2_at(b->chain, unit & ~XT2_UNIT_FLAGS);
}

void *xt2_build_take_(struct build *b, u64 bytes, u32 *offset)
{
	bytes = align8(bytes);
	if (bytes > b->room - b->used) {
		b->full = true;
		return NULL;
	}
	*offset = (u32)b->used;
	b->used += bytes;
	return memset(xt2_at(b->at, *offset), 0, bytes);
}

/* --- sample and scratch memory ----------------------------------------- */

_Static_assert(sizeof(struct passes) >= SCRATCH_ROOM, "room");

void *xt2_build_room_(const struct build *b)
{
	return b->passes;
}

u32 xt2_build_sample_(struct build *b, const u32 *unit, u32 n, u32 max)
{
	u32 i, taken = n < max ? n : max;

	for (i = 0; i < taken; i++)
		xt2_box_of(&b->sample[i], xt2_build_rule_(b, unit[(u64)i * n / taken]));
	return taken;
}

static u64 pairs_scratch(u32 rules)
{
	return align8((u64)rules * SCRATCH_UNIT) + align8(((u64)rules + 1) * sizeof(u32));
}

u64 xt2_index_scratch(u32 rules)
{
	return sizeof(struct passes) + SAMPLE * sizeof(struct xt2_box) +
	       2 * align8((u64)rules * sizeof(u32)) + pairs_scratch(rules);
}

void xt2_build_begin_(struct build *b, u8 *scratch, u32 rules)
{
	b->passes = (void *)scratch;
	scratch += sizeof(*b->passes);
	b->sample = (void *)scratch;
	scratch += SAMPLE * sizeof(*b->sample);
	b->unit = (void *)scratch;
	scratch += align8((u64)rules * sizeof(u32));
	b->order = (void *)scratch;
	scratch += align8((u64)rules * sizeof(u32));
	b->hashed = (void *)scratch;
	b->start = (void *)(scratch + align8((u64)rules * SCRATCH_UNIT));
}
