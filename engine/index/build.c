/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.c - choose the kind of index that a chain gets, and have it made
 *
 * If an address tells the units apart, it names them.  Else a sample of the
 * units' boxes decides which fields to compare or to hash.  Few units are scanned as
 * columns.  Many go into buckets, by hashes of two fields; where a bucket is
 * crowded, those that have one value of a third field are moved to a bucket of
 * their own, and the others become columns again.  A chain that nothing
 * tells apart stays plain.
 */
#include "build.h"

const struct xt2_index_limits xt2_index_limits = {
	.plain = 64,
	.columns = 64,
	.bits = 1024,
	.segments = 4,
};

u64 xt2_index_bound(u32 rules)
{
	return sizeof(struct xt2_index) + sizeof(struct xt2_pairs) + BOUND_FIXED +
	       (u64)rules * BOUND_RULE;
}

/* A rule that asks neither for an address nor for a port matches many packets. */
static bool is_broad(const struct build *b, u32 unit)
{
	struct xt2_box box;

	xt2_box_of(&box, xt2_build_rule_(b, unit));
	return !(box.mask[XT2_FIELD_SRC][0] | box.mask[XT2_FIELD_SRC][1] |
		 box.mask[XT2_FIELD_DST][0] | box.mask[XT2_FIELD_DST][1] |
		 box.mask[XT2_FIELD_MAC][0]) &&
	       !box.least[XT2_RANGE(XT2_KEY_DPORT)] && !box.least[XT2_RANGE(XT2_KEY_SPORT)];
}

static void find_heads(const struct build *b)
{
	u32 i;

	for (i = 0; i < XT2_HEADS && i < b->units; i++)
		if (is_broad(b, b->unit[i]))
			b->at->heads = i + 1;
	for (i = 0; i < b->at->heads; i++)
		b->at->head[i] = b->unit[i];
}

/* To go on is cheap where buckets are known, and most packets need not. */
static u16 candidates_ahead(const struct build *b, u8 kind)
{
	if (kind == XT2_INDEX_PAIRS && b->deciding > b->units - b->units / 8)
		return 1;
	return b->deciding > b->units / 2 ? XT2_AHEAD_FEW : XT2_CANDIDATES;
}

static u32 finish(struct build *b, u8 kind, u32 body)
{
	struct xt2_index *at = b->at;

	if (!body || b->full)
		return 0;
	at->size = (u32)b->used;
	at->kind = kind;
	at->ahead = candidates_ahead(b, kind);
	at->units = b->units;
	at->runs = b->runs;
	at->run = b->runs ? sizeof(*at) : 0;
	at->body = body;
	find_heads(b);
	return at->size;
}

static u32 build_columns(struct build *b)
{
	u32 body = xt2_build_columns_(b, b->unit, b->units);

	if (!b->runs && body && !((struct xt2_columns *)xt2_at(b->at, body))->columns)
		return 0;
	return finish(b, XT2_INDEX_COLUMNS, body);
}

u32 xt2_index_build(const struct xt2_chain *c, u8 family, const struct xt2_index_limits *limits,
		    struct xt2_index *at, u64 room, void *scratch)
{
	struct build b = {
		.chain = c, .family = family, .single = limits->single, .at = at, .room = room
	};
	u64 before;
	u32 body;

	if ((family != XT2_IPV4 && family != XT2_IPV6) || room < sizeof(*at) || c->rules < 2)
		return 0;
	memset(at, 0, sizeof(*at));
	xt2_build_begin_(&b, scratch, c->rules);
	if (!xt2_build_units_(&b) || (!b.runs && b.units <= limits->plain))
		return 0;
	if (b.units <= limits->columns)
		return build_columns(&b);
	body = xt2_build_segments_(&b, limits->segments);
	if (body)
		return finish(&b, XT2_INDEX_SEGMENTS, body);
	if (b.units <= limits->bits && b.units <= 64 * XT2_BITS_WORDS) {
		body = xt2_build_bits_(&b);
		return body ? finish(&b, XT2_INDEX_BITS, body) : build_columns(&b);
	}
	before = b.used;
	body = xt2_build_pairs_(&b);
	if (body)
		return finish(&b, XT2_INDEX_PAIRS, body);
	b.used = before;
	b.full = false;
	at->asks = 0;
	return build_columns(&b);
}
