/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eval-patch.c - go through a patched chain
 *
 * A packet's candidates are those of the compiled chain's index and the
 * inserted rules of its hashes, merged in the order of the rules, a batch at a
 * time.  Packets that no index is for, and chains without one, go through
 * rules and changes side by side.
 *
 * Units are offsets in the image here, since the rules of a patched chain are
 * in many places.  A cursor's epoch is inverted, so that evaluation comes here
 * for each next rule, while chains without a patch have nothing to ask.
 */
#include "engine/match.h"
#include "engine/order.h"
#include "eval-index.h"
#include "find.h"
#include "pairs.h"
#include "patched.h"

#define MERGED 128u /* candidates of a batch; those of the compiled chain are put after them */
#define ALL    (~0ull)
#define VECTOR 32u /* bytes that a quick match may read from a rule's end on */

/* Of a batch that is being merged. */
struct batch {
	const struct xt2_image __img *img;
	const struct xt2_chain __img *compiled;
	const struct xt2_patch __img *patch;
	const struct xt2_ctx *ctx;
	struct xt2_search *s; /* its */
	struct xt2_merge *m;
};

static __always_inline struct batch batch_of(const struct xt2_ctx *ctx,
					     const struct xt2_chain __img *chain)
{
	return (struct batch){
		.img = ctx->img,
		.compiled = xt2_chain_compiled(ctx->img, chain),
		.patch = xt2_chain_patch(chain),
		.ctx = ctx,
		.s = xt2_ptr(ctx->search),
		.m = &((struct xt2_search *)xt2_ptr(ctx->search))->merge,
	};
}

/* A loop that the kernel has ended may have left out rules: the packet is not evaluated. */
static __always_inline void must_be_whole(struct xt2_ctx *ctx)
{
	if (unlikely(!xt2_can_loop))
		ctx->faults++;
}

/* => enum xt2_answer for a rule, or XT2_UNSURE */
static int quick_answer(const struct xt2_ctx *ctx, u32 unit)
{
	const u32 offset = unit & ~XT2_UNIT_FLAGS;
	const struct xt2_rule __img *r = xt2_at(ctx->img, offset);

	if (unit & XT2_UNIT_RUN)
		return XT2_UNSURE;
	if (unit & XT2_FOUND_HOLDS)
		return XT2_HIT;
	/* An inserted rule may be the last one of the image; vectors are read as a whole. */
	if (unlikely(offset + (u64)r->size + VECTOR > xt2_image_size(ctx->img)))
		return XT2_UNSURE;
	return xt2_quick_match(r, xt2_ctx_pkt(ctx));
}

/* --- what a hash finds ------------------------------------------------- */

static const struct xt2_patch_slot __img *slot_of(const struct xt2_image __img *img,
						  const struct xt2_patch __img *p, u32 hash)
{
	return (const struct xt2_patch_slot __img *)xt2_at(img, p->slot) + (hash >> p->shift);
}

/* Buckets are so short that the kernel never ends these loops. */
bool xt2_patch_says(const struct xt2_image __img *img xt2_arg_img,
		    const struct xt2_patch __img *p xt2_arg_img, u32 hash, u32 unit)
{
	const struct xt2_patch_slot __img *slot = slot_of(img, p, hash);
	const struct xt2_patch_bucket __img *b;
	u32 i, at;

	if (likely(!(slot->tags & xt2_patch_tag(hash))))
		return false;
	for (at = slot->bucket; at && xt2_can_loop; at = b->next) {
		b = xt2_at(img, at);
		for (i = xt2_zero; i < b->entries && xt2_can_loop; i++)
			if (b->unit[i] == unit && b->hash[i] == hash)
				return true;
	}
	return false;
}

static bool says_of(const struct batch *b, u32 place, u32 what)
{
	return xt2_patch_says(b->img, b->patch, xt2_patch_hash_place(place), place | what);
}

/* Keep an inserted rule, in order.  If there are too many, the batch ends with those kept. */
static void keep(struct batch *b, u64 key, u32 rule)
{
	struct xt2_search *s = b->s;
	struct xt2_found_insert *f = s->inserted;
	u32 at = s->inserts, i;
	bool full = s->inserts == XT2_INSERTS;

	while (at && f[at - 1].key > key && xt2_can_loop)
		at--;
	if (!full)
		s->inserts++;
	for (i = s->inserts - 1; i > at && xt2_can_loop; i--)
		f[i] = f[i - 1];
	if (at < XT2_INSERTS) {
		f[at].key = key;
		f[at].rule = rule;
	}
	if (full) {
		b->m->last = s->inserts_end = f[XT2_INSERTS - 1].key;
		b->m->resume = f[XT2_INSERTS - 1].rule & ~XT2_UNIT_FLAGS;
	}
}

/* The buckets that may have rules for the packet: memory is waited for once. */
xt2_part u32 xt2_patch_hashes(struct xt2_ctx *ctx xt2_arg_there,
			      const struct xt2_chain __img *chain xt2_arg_img)
{
	const struct batch b_ = batch_of(ctx, chain), *b = &b_;
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	struct xt2_merge *m = b->m;
	const struct xt2_patch __img *p = b->patch;
	const struct xt2_patch_slot __img *slots = xt2_at(b->img, p->slot), *slot;
	const u32 shift = p->shift;
	u32 i, hash, n = xt2_zero;

	memset(m->word, 0, sizeof(m->word));
	m->have[0] = m->have[1] = 0;
	for (i = xt2_zero; i < p->classes && i < XT2_PATCH_CLASSES && xt2_can_loop; i++) {
		const struct xt2_patch_class __img *c = &p->by[i];

		if (unlikely(c->field[0] != m->have[0])) {
			m->have[0] = c->field[0];
			xt2_index_field(b->s, pkt, m->have[0], m->word);
		}
		if (unlikely(c->field[1] != m->have[1])) {
			m->have[1] = c->field[1];
			xt2_index_field(b->s, pkt, m->have[1], m->word + XT2_FIELD_WORDS);
		}
		hash = xt2_patch_hash(c, i, m->word);
		slot = slots + (hash >> shift);
		m->hash[n % XT2_PATCH_CLASSES] = hash;
		m->bucket[n % XT2_PATCH_CLASSES] = slot->bucket;
		n += slot->tags >> hash % 32 & 1; /* no branch, as about half of them are not */
	}
	m->buckets = n;
	for (i = xt2_zero; i < n && i < XT2_PATCH_CLASSES && xt2_can_loop; i++) {
		const struct xt2_patch_bucket __img *in = xt2_at(b->img, m->bucket[i]);

		xt2_prefetch(in);
		xt2_prefetch(&in->unit[0]);
	}
	must_be_whole(ctx);
	return n;
}

/* An entry has the packet's hash.  Of coarse classes most rules miss, and need no place. */
static void collect_entry(struct batch *b, u32 unit)
{
	const struct xt2_inserted __img *in;
	int answer;
	u64 key;

	if (unit & XT2_PATCH_FLAGS)
		return;
	in = xt2_inserted_of(xt2_at(b->img, unit));
	key = xt2_patch_key(in->at, in->label);
	if (key > b->m->last) {
		b->s->inserts_end = b->m->last;
		return;
	}
	if (key <= b->m->after)
		return;
	answer = quick_answer(b->ctx, unit);
	if (answer != XT2_MISS)
		keep(b, key, answer == XT2_HIT ? unit | XT2_FOUND_HOLDS : unit);
}

/* Memory is waited for once for all of them, unless there are many. */
static void note_entry(struct batch *b, u32 unit)
{
	if (b->m->noted == XT2_NOTED) {
		collect_entry(b, unit);
		return;
	}
	b->m->note[b->m->noted++ % XT2_NOTED] = unit;
	xt2_prefetch(xt2_inserted_of(xt2_at(b->img, unit & ~XT2_PATCH_FLAGS)));
	xt2_prefetch((const u8 __img *)xt2_at(b->img, unit & ~XT2_PATCH_FLAGS) + 48);
}

/* Inserted rules that the packet's hash in a class finds. */
static void collect_class(struct batch *b, u32 hash, u32 bucket)
{
	const struct xt2_patch_bucket __img *in;
	u32 i, n;

	for (; bucket && xt2_can_loop; bucket = in->next) {
		in = xt2_at(b->img, bucket);
		n = in->entries;
		for (i = xt2_zero; i < n && xt2_can_loop; i++)
			if (unlikely(in->hash[i] == hash))
				note_entry(b, in->unit[i]);
	}
}

/* Those of this batch; if there are no others, of all that follow. */
xt2_part u32 xt2_patch_inserted(struct xt2_ctx *ctx xt2_arg_there,
				const struct xt2_chain __img *chain xt2_arg_img)
{
	struct batch b_ = batch_of(ctx, chain), *b = &b_;
	struct xt2_search *s = b->s;
	u32 i;

	s->patched = xt2_ctx_offset(ctx, chain);
	s->inserts = 0;
	s->inserts_end = ALL;
	for (i = xt2_zero; i < b->m->buckets && i < XT2_PATCH_CLASSES && xt2_can_loop; i++)
		collect_class(b, b->m->hash[i], b->m->bucket[i]);
	for (i = xt2_zero; i < b->m->noted && i < XT2_NOTED && xt2_can_loop; i++)
		collect_entry(b, b->m->note[i]);
	must_be_whole(ctx);
	return s->inserts;
}

/* --- candidates of the compiled chain ---------------------------------- */

static const struct xt2_run __img *run_of(const struct batch *b, u32 place)
{
	return xt2_index_run(xt2_chain_its_index(b->compiled), place);
}

/* => place of the last rule of a rule group */
static u32 last_of_run(const struct batch *b, const struct xt2_run __img *run)
{
	const struct xt2_rule __img *r;
	u32 at = run->rule, next;

	for (; xt2_can_loop; at = next) {
		r = xt2_at(b->compiled, at);
		next = at + r->size;
		if (next >= run->end)
			break;
	}
	return at;
}

/*
 * => the offset after which candidates are: the compiled index knows neither inserted rules,
 * nor rules inside of a group
 */
xt2_part u32 xt2_patch_from(struct xt2_ctx *ctx xt2_arg_there,
			    const struct xt2_chain __img *chain xt2_arg_img)
{
	const struct batch b_ = batch_of(ctx, chain), *b = &b_;
	const struct xt2_index __img *ix = xt2_chain_its_index(b->compiled);
	const u32 place = (u32)(b->m->after >> 32);
	const struct xt2_run __img *run;

	if (!b->m->after)
		return 0;
	if (ix->runs) {
		run = run_of(b, place);
		if (place >= run->rule && place < run->end &&
		    b->m->after < xt2_patch_key(last_of_run(b, run), XT2_PATCH_END) &&
		    says_of(b, run->rule, XT2_PATCH_SPLIT))
			return run->rule - XT2_ALIGN;
		must_be_whole(ctx);
	}
	return (u32)b->m->after == XT2_PATCH_END ? place : place - XT2_ALIGN;
}

xt2_part u32 xt2_patch_search(struct xt2_ctx *ctx xt2_arg_there,
			      const struct xt2_chain __img *patched xt2_arg_img, u32 after)
{
	const struct batch b = batch_of(ctx, patched);
	struct xt2_search *s = b.s;
	const struct xt2_index __img *ix = xt2_chain_its_index(b.compiled);
	const u32 chain = xt2_offset(b.img, b.compiled);
	const bool spanned = s->spanned == chain;

	s->base = s->cursor.base + MERGED;
	s->spanned = ix->kind == XT2_INDEX_PAIRS ? chain : 0;
	if (spanned)
		xt2_index_pairs(ix, s, after);
	else
		xt2_index_find(b.compiled, s, xt2_ctx_pkt(ctx), after);
	return s->units;
}

/* The batch ends where the search of the compiled chain did, but not inside of a rule group. */
xt2_part u32 xt2_patch_end(struct xt2_ctx *ctx xt2_arg_there,
			   const struct xt2_chain __img *chain xt2_arg_img)
{
	struct batch b_ = batch_of(ctx, chain), *b = &b_;
	struct xt2_search *s = b->s;
	u32 place, unit;

	place = s->resume & ~XT2_UNIT_FLAGS;
	if (!place)
		return 0;
	if (s->units) {
		unit = s->unit[(s->base + s->units - 1) % XT2_UNITS_MAX];
		if (unit & XT2_UNIT_RUN && (unit & ~XT2_UNIT_FLAGS) == place &&
		    says_of(b, place, XT2_PATCH_SPLIT))
			place = last_of_run(b, run_of(b, place));
	}
	b->m->last = xt2_patch_key(place, XT2_PATCH_END);
	b->m->resume = xt2_offset(b->img, b->compiled) + place;
	must_be_whole(ctx);
	return place;
}

/* --- merging ----------------------------------------------------------- */

static bool put(struct batch *b, u32 unit)
{
	struct xt2_search *s = b->s;

	if (b->m->n == MERGED)
		return false;
	s->unit[(s->cursor.base + b->m->n++) % XT2_UNITS_MAX] = unit;
	return true;
}

/* Put inserted rules that stand before a key.  *at: the next one.  => false: no more room */
static bool put_inserted(struct batch *b, u32 *at, u64 before)
{
	const struct xt2_found_insert *f = b->s->inserted;

	for (; *at < b->s->inserts && xt2_can_loop; ++*at) {
		const struct xt2_found_insert *in = &f[*at % XT2_INSERTS];

		if (in->key >= before || in->key > b->m->last)
			break;
		if (!put(b, in->rule))
			return false;
	}
	return true;
}

static bool put_rule(struct batch *b, u32 *at, u32 place, u32 flags)
{
	const u64 key = xt2_patch_key(place, XT2_PATCH_END);

	if (key <= b->m->after ||
	    key > b->m->last) /* of a rule group; others are in another batch */
		return true;
	if (!put_inserted(b, at, key))
		return false;
	if (!(flags & XT2_UNIT_RUN) && says_of(b, place, XT2_PATCH_DELETED))
		return true;
	return put(b, (xt2_offset(b->img, b->compiled) + place) | flags);
}

static bool put_run(struct batch *b, u32 *at, u32 place)
{
	const struct xt2_run __img *run = run_of(b, place);
	const struct xt2_rule __img *r;
	u32 i;

	for (i = run->rule; i < run->end && xt2_can_loop; i += r->size) {
		r = xt2_at(b->compiled, i);
		if (!put_rule(b, at, i, 0))
			return false;
	}
	return true;
}

/* A batch has room for what a search finds, unless there are large rule groups that are split. */
xt2_part u32 xt2_patch_merge(struct xt2_ctx *ctx xt2_arg_there,
			     const struct xt2_chain __img *chain xt2_arg_img)
{
	struct batch b_ = batch_of(ctx, chain), *b = &b_;
	struct xt2_search *s = b->s;
	u32 i, at = xt2_zero, unit, place;
	bool room = true;

	while (at < s->inserts && s->inserted[at % XT2_INSERTS].key <= b->m->after && xt2_can_loop)
		at++;
	for (i = xt2_zero; i < s->units && room && xt2_can_loop; i++) {
		unit = s->unit[(s->base + i) % XT2_UNITS_MAX];
		place = unit & ~XT2_UNIT_FLAGS;
		if (xt2_patch_key(place, XT2_PATCH_END) > b->m->last)
			break;
		if (unit & XT2_UNIT_RUN && says_of(b, place, XT2_PATCH_SPLIT))
			room = put_run(b, &at, place);
		else
			room = put_rule(b, &at, place, unit & XT2_UNIT_FLAGS);
	}
	if (room)
		room = put_inserted(b, &at, ALL);
	if (!room)
		b->m->resume = s->unit[(s->cursor.base + b->m->n - 1) % XT2_UNITS_MAX] &
			       ~XT2_UNIT_FLAGS;
	must_be_whole(ctx);
	return b->m->n;
}

/* Search candidates after a key; 0: all. */
static __always_inline void find_batch(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
				       u64 after)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	bool fresh;
	u32 i;

	s->merge.after = after;
	s->merge.last = ALL;
	s->merge.resume = s->merge.n = s->merge.noted = s->merge.buckets = 0;
	fresh = s->patched != xt2_ctx_offset(ctx, chain) || s->inserts_end != ALL;
	if (fresh)
		xt2_patch_hashes(ctx, chain);
	xt2_patch_search(ctx, chain, xt2_patch_from(ctx, chain));
	xt2_patch_end(ctx, chain);
	if (fresh)
		xt2_patch_inserted(ctx, chain);
	xt2_patch_merge(ctx, chain);
	s->cursor.at = s->cursor.base;
	s->cursor.end = (u16)(s->cursor.base + s->merge.n);
	s->cursor.resume = s->merge.resume;
	s->cursor.epoch = ~s->epoch;
	for (i = xt2_zero; i < s->merge.n && i < 8 && xt2_can_loop; i++)
		xt2_prefetch(xt2_at(ctx->img, s->unit[s->cursor.base + i] & ~XT2_UNIT_FLAGS));
}

/* --- going through ----------------------------------------------------- */

static u64 distance(const struct xt2_chain __img *chain, const struct xt2_rule __img *r)
{
	return (u64)((const u8 __img *)r - (const u8 __img *)chain);
}

/* => the next rule that does not surely miss, rules and changes side by side */
xt2_part u64 xt2_patch_in_order(struct xt2_ctx *ctx xt2_arg_there,
				const struct xt2_chain __img *chain xt2_arg_img,
				const struct xt2_rule __img *r xt2_arg_img)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	struct xt2_in_order *o = &s->order;

	if (!r)
		xt2_order_begin(o, ctx->img, chain);
	else if (s->ordered != xt2_ctx_offset(ctx, r)) /* evaluation was in another chain since */
		xt2_order_seek(o, ctx->img, chain, r);
	do {
		r = xt2_order_next(o);
		if (unlikely(!r)) { /* it was ended */
			ctx->faults++;
			r = xt2_chain_tail(chain);
		}
	} while (r->target_offset > sizeof(*r) &&
		 xt2_surely_misses(xt2_rule_first_match(r), xt2_ctx_pkt(ctx)) && xt2_can_loop);
	must_be_whole(ctx);
	s->ordered = xt2_ctx_offset(ctx, r);
	s->cursor.epoch = ~s->epoch;
	return distance(chain, r);
}

static __always_inline u64 next_candidate(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	struct xt2_cursor *cur = &s->cursor;
	const struct xt2_chain __img *compiled = xt2_chain_compiled(ctx->img, chain);
	int answer;
	u32 unit;

	cur->run = 0;
	do {
		while (cur->at == cur->end && xt2_can_loop) {
			if (!cur->resume) {
				cur->holds = 1;
				return chain->tail;
			}
			find_batch(ctx, chain,
				   xt2_rule_key(compiled, xt2_at(ctx->img, cur->resume)));
		}
		unit = s->unit[cur->at++ % XT2_UNITS_MAX];
		answer = quick_answer(ctx, unit);
	} while (answer == XT2_MISS);
	must_be_whole(ctx);
	cur->holds = answer == XT2_HIT;
	unit &= ~XT2_UNIT_FLAGS | XT2_UNIT_RUN;
	if (unlikely(unit & XT2_UNIT_RUN)) {
		unit &= ~XT2_UNIT_RUN;
		cur->run = xt2_ctx_offset(ctx, xt2_index_run(xt2_chain_its_index(compiled),
							     unit - xt2_ctx_offset(ctx, compiled)));
	}
	return distance(chain, xt2_at(ctx->img, unit));
}

u64 xt2_enter_patched(struct xt2_ctx *ctx xt2_arg_there,
		      const struct xt2_chain __img *chain xt2_arg_img)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->linear || !xt2_chain_compiled(ctx->img, chain)->lookup ||
	    s->cursor.base > XT2_UNITS_MAX - MERGED - XT2_CANDIDATES ||
	    !xt2_keys_fill(&s->keys, xt2_ctx_pkt(ctx), xt2_chain_its_index(chain)->asks)) {
		s->cursor.indexed = XT2_GOES_IN_ORDER;
		return xt2_patch_in_order(ctx, chain, NULL);
	}
	s->cursor.indexed = XT2_GOES_PATCHED;
	s->spanned = s->patched = 0;
	find_batch(ctx, chain, 0);
	return next_candidate(ctx, chain);
}

u64 xt2_next_patched(struct xt2_ctx *ctx xt2_arg_there,
		     const struct xt2_chain __img *chain xt2_arg_img,
		     const struct xt2_rule __img *r xt2_arg_img)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->cursor.indexed == XT2_GOES_IN_ORDER)
		return xt2_patch_in_order(ctx, chain, r);
	if (likely(s->cursor.epoch == ~s->epoch))
		return next_candidate(ctx, chain);
	if (!xt2_keys_fill(&s->keys, xt2_ctx_pkt(ctx), xt2_chain_its_index(chain)->asks)) {
		s->cursor.indexed = XT2_GOES_IN_ORDER;
		s->cursor.holds = s->cursor.run = 0;
		return xt2_patch_in_order(ctx, chain, r);
	}
	s->spanned = s->patched = 0;
	find_batch(ctx, chain, xt2_rule_key(xt2_chain_compiled(ctx->img, chain), r));
	return next_candidate(ctx, chain);
}
