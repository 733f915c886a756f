/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.c - make an index for a chain
 *
 * Rules become units; runs of rules that ask for the same and only count are
 * one.  If an address tells them apart, it names them.  Else a sample of the
 * units' boxes decides what to compare or to hash.  Few units are scanned as
 * columns.  Many go into buckets, by hashes of two fields; where a bucket is
 * crowded, those that have one value of a third field are moved to a bucket of
 * their own, and what is left becomes columns again.  A chain that nothing
 * tells apart stays plain.
 */
#include "build.h"

const struct xt2_index_limits xt2_index_limits = {
	.plain = 64,
	.columns = 64,
	.bits = 1024,
	.segments = 4,
};

enum {
	COLUMNS_USED = 6, /* of XT2_COLUMNS_MAX: 28 bytes a unit */
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
	const u8 *end = (const u8 *)r + r->target_offset;

	while ((const u8 *)m < end && m->type == XT2_M_COMMENT)
		m = xt2_match_next(m);
	return m;
}

static bool asks_same(const struct xt2_rule *a, const struct xt2_rule *b)
{
	const struct xt2_match *m = skip_comments(a, xt2_rule_first_match(a));
	const struct xt2_match *n = skip_comments(b, xt2_rule_first_match(b));
	const u8 *m_end = (const u8 *)a + a->target_offset;
	const u8 *n_end = (const u8 *)b + b->target_offset;

	while ((const u8 *)m < m_end && (const u8 *)n < n_end) {
		if (m->size != n->size || memcmp(m, n, m->size))
			return false;
		m = skip_comments(a, xt2_match_next(m));
		n = skip_comments(b, xt2_match_next(n));
	}
	return (const u8 *)m == m_end && (const u8 *)n == n_end;
}

bool xt2_run_goes_on_(const struct xt2_rule *a, const struct xt2_rule *b)
{
	return XT2_TARGET_KIND(a->target) == XT2_T_CONTINUE &&
	       XT2_TARGET_KIND(b->target) == XT2_T_CONTINUE && a->size == a->target_offset &&
	       b->size == b->target_offset && asks_same(a, b);
}

/* => the rule behind a run that begins with r; *n: its rules */
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

static u32 place(const struct build *b, const struct xt2_rule *r)
{
	return (u32)((const u8 *)r - (const u8 *)b->chain);
}

/* Units of the chain, and its runs behind the index's header. */
static bool find_units(struct build *b)
{
	const struct xt2_rule *r = xt2_chain_first(b->chain), *tail = xt2_chain_tail(b->chain);
	struct xt2_run *run = (struct xt2_run *)(b->at + 1);
	const struct xt2_rule *next;
	u32 n;

	while (r < tail) {
		next = run_end(b->chain, r, &n);
		if (n >= RUN_MIN && is_stateless(r)) {
			if ((u8 *)(run + 1) > (u8 *)b->at + b->room)
				return false;
			*run++ = (struct xt2_run){ place(b, r), place(b, next), 0, 0 };
			b->runs++;
			b->unit[b->units++] = place(b, r) | XT2_UNIT_RUN;
			r = next;
		}
		for (; r < next; r = xt2_rule_next(r)) {
			b->unit[b->units++] = place(b, r);
			b->deciding += decides(r);
		}
	}
	b->used = sizeof(*b->at) + b->runs * sizeof(*run);
	return true;
}

const struct xt2_rule *xt2_build_rule_(const struct build *b, u32 unit)
{
	return (const struct xt2_rule *)((const u8 *)b->chain + (unit & ~XT2_UNIT_FLAGS));
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
	return memset((u8 *)b->at + *offset, 0, bytes);
}

/* --- columns ----------------------------------------------------------- */

u8 xt2_asks_key_(u32 key)
{
	if (key < XT2_KEY_SPORT)
		return XT2_ASKS_ADDRS;
	if (key < XT2_KEY_STATE)
		return XT2_ASKS_PORTS;
	if (key == XT2_KEY_STATE)
		return XT2_ASKS_STATE;
	if (key < XT2_KEY_MAC)
		return XT2_ASKS_MARK;
	if (key < XT2_KEY_IN)
		return XT2_ASKS_MAC;
	return key == XT2_KEY_IN ? XT2_ASKS_IN : XT2_ASKS_OUT;
}

/* Which boxes of a sample each box's packet would be let through to, by key. */
struct passes {
	u64 pass[XT2_KEYS][SAMPLE_COLUMNS];
	bool tells[XT2_KEYS]; /* some box asks for the key */
	u32 n;
};

_Static_assert(sizeof(struct passes) >= SCRATCH_ROOM, "room");

void *xt2_build_room_(const struct build *b)
{
	return b->passes;
}

/* A box that asks for nothing has a packet with what another one asks for. */
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

/*
 * Keys that rule out a fifth or more alone, all of them or until it is likely
 * that of all units one is let through that does not match, if what they ask
 * for in one key does not depend on another.
 */
static u32 choose_more(const struct passes *p, u32 units, bool all_keys, u8 *chosen, u32 n, u32 max)
{
	u32 key, best, passed, now, i;
	u64 all[SAMPLE_COLUMNS], left = (u64)units << 16;

	memset(all, 0xff, sizeof(all));
	for (i = 0; i < n; i++)
		left = left * passing(p, chosen[i], all) / (p->n * p->n);
	for (; n && n < max && (all_keys || left > 1 << 15); left = left * passed / (p->n * p->n)) {
		best = XT2_KEYS;
		passed = p->n * p->n - p->n * p->n / 5;
		for (key = 0; key < XT2_KEYS; key++) {
			for (i = 0; i < n && chosen[i] != key; i++)
				;
			if (i < n || !p->tells[key])
				continue;
			now = passing(p, key, all);
			if (now < passed) {
				passed = now;
				best = key;
			}
		}
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
	u32 i, key, best, n = 0, left = p->n * p->n, passed;

	for (i = 0; i < p->n; i++)
		alive[i] = ~0ull >> (64 - p->n);
	while (n < max) {
		best = XT2_KEYS;
		passed = left - left / 16; /* what rules out less is not worth a look */
		for (key = 0; key < XT2_KEYS; key++) {
			u32 now = p->tells[key] ? passing(p, key, alive) : left;

			if (now < passed) {
				passed = now;
				best = key;
			}
		}
		if (best == XT2_KEYS)
			break;
		for (i = 0; i < p->n; i++)
			alive[i] &= p->pass[best][i];
		left = passed;
		chosen[n++] = (u8)best;
	}
	return n;
}

/* Boxes of some of the units, spread over all of them. => how many */
static u32 take_sample(const struct build *b, const u32 *unit, u32 n, struct xt2_box *box, u32 max)
{
	u32 i, taken = n < max ? n : max;

	for (i = 0; i < taken; i++)
		xt2_box_of(&box[i], xt2_build_rule_(b, unit[(u64)i * n / taken]));
	return taken;
}

u32 xt2_build_keys_(struct build *b, const u32 *unit, u32 n, bool all, u8 *chosen, u32 max)
{
	struct passes *p = b->passes;
	u32 key;

	memset(p->tells, 0, sizeof(p->tells));
	p->n = take_sample(b, unit, n, b->sample, SAMPLE_COLUMNS);
	for (key = 0; key < XT2_KEYS; key++)
		if (xt2_key_of_family(b->family, key))
			key_passes(p, b->sample, b->family, key);
	return choose_more(p, n, all, chosen, choose_keys(p, chosen, max), max);
}

static void fill_column(const struct build *b, const u32 *unit, u32 n, const struct xt2_columns *c,
			u16 *row)
{
	struct xt2_box box;
	u32 i, col;

	for (i = 0; i < n; i++) {
		u16 *at = row + i / XT2_BLOCK * c->columns * 2 * XT2_BLOCK + i % XT2_BLOCK;

		xt2_box_of(&box, xt2_build_rule_(b, unit[i]));
		for (col = 0; col < c->columns; col++, at += 2 * XT2_BLOCK) {
			u16 most;

			xt2_box_range(&box, b->family, c->column[col], at, &most);
			at[XT2_BLOCK] = (u16)~most;
		}
	}
	for (; i % XT2_BLOCK; i++) { /* no key is as large as these and as small */
		u16 *at = row + i / XT2_BLOCK * c->columns * 2 * XT2_BLOCK + i % XT2_BLOCK;

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
	fill_column(b, unit, n, c, (u16 *)((u32 *)(c + 1) + rows));
	return offset;
}

/* --- the whole --------------------------------------------------------- */

static u64 pairs_scratch(u32 rules)
{
	return align8((u64)rules * SCRATCH_UNIT) + align8(((u64)rules + 1) * sizeof(u32));
}

u64 xt2_index_scratch(u32 rules)
{
	return sizeof(struct passes) + SAMPLE * sizeof(struct xt2_box) +
	       2 * align8((u64)rules * sizeof(u32)) + pairs_scratch(rules);
}

u64 xt2_index_bound(u32 rules)
{
	return sizeof(struct xt2_index) + sizeof(struct xt2_pairs) + BOUND_FIXED +
	       (u64)rules * BOUND_RULE;
}

static void share_scratch(struct build *b, u8 *scratch, u32 rules)
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

	if (!b->runs && body && !((struct xt2_columns *)((u8 *)b->at + body))->columns)
		return 0;
	return finish(b, XT2_INDEX_COLUMNS, body);
}

u32 xt2_index_build(const struct xt2_chain *c, u8 family, const struct xt2_index_limits *limits,
		    struct xt2_index *at, u64 room, void *scratch)
{
	struct build b = { .chain = c, .family = family, .at = at, .room = room };
	u64 before;
	u32 body;

	if ((family != XT2_IPV4 && family != XT2_IPV6) || room < sizeof(*at) || c->rules < 2)
		return 0;
	memset(at, 0, sizeof(*at));
	share_scratch(&b, scratch, c->rules);
	if (!find_units(&b) || (!b.runs && b.units <= limits->plain))
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
