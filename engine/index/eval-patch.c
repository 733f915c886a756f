/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eval-patch.c - go through a patched chain
 *
 * A packet's candidates are those of the compiled chain's index and the
 * inserted rules of its hashes, merged in the order of the rules, a batch at a
 * time.  Packets that no index is for, and chains without one, go through
 * rules and changes side by side.
 *
 * Units are places here, also those of inserted rules, which are elsewhere in the image:
 * such a place, modulo 2^32, is beyond the compiled chain.  So if a packet finds no inserted rule,
 * the candidates are as the index's search has left them.  Whether a candidate was
 * deleted is asked after its tests, since most miss.
 *
 * A cursor's epoch is inverted, so that evaluation comes here for each next rule, while
 * chains without a patch have nothing to ask.
 */
#include "engine/match.h"
#include "engine/order.h"
#include "eval-index.h"
#include "find.h"
#include "pairs.h"
#include "patched.h"

#define MERGED 128u /* candidates of a merged batch, which follow those of the compiled chain */
#define ALL    (~0ull)
#define FRESH  (~0u) /* as xt2_cursor.resume: search after xt2_merge.after */
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
	const struct xt2_patch __img *p = xt2_patched_patch(chain);

	return (struct batch){
		.img = ctx->img,
		.compiled = xt2_at(ctx->img, p->compiled),
		.patch = p,
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

/* => enum xt2_answer for an inserted rule, or XT2_UNSURE */
static int quick_answer(const struct xt2_ctx *ctx, u32 rule)
{
	const struct xt2_rule __img *r = xt2_at(ctx->img, rule);

	/* It may be the last one of the image; vectors are read as a whole. */
	if (unlikely(rule + (u64)r->size + VECTOR > xt2_image_size(ctx->img)))
		return XT2_UNSURE;
	return xt2_quick_match(r, xt2_ctx_pkt(ctx));
}

/* --- what a hash finds ------------------------------------------------- */

/* Buckets are so short that the kernel never ends these loops. */
bool xt2_bucket_has(const struct xt2_image __img *img xt2_arg_img, u32 bucket, u32 hash, u32 unit)
{
	const struct xt2_patch_bucket __img *b;
	u32 i;

	for (; bucket && xt2_can_loop; bucket = b->next) {
		b = xt2_at(img, bucket);
		for (i = xt2_zero; i < b->entries && xt2_can_loop; i++)
			if (b->entry[i].unit == unit && b->entry[i].hash == hash)
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

/*
 * The classes by which there may be rules for the packet.  The compiled chain is searched before
 * their buckets are: so no branch waits for the hashes.
 */
xt2_part u32 xt2_patch_hashes(struct xt2_ctx *ctx xt2_arg_there,
			      const struct xt2_chain __img *chain xt2_arg_img)
{
	struct batch b = batch_of(ctx, chain);
	const u32 may = xt2_by_classes(b.img, b.patch, b.s, xt2_ctx_pkt(ctx));

	b.m->may = may;
	must_be_whole(ctx);
	return may;
}

/* An entry has the packet's hash.  Of coarse classes most rules miss, and need no place. */
static __always_inline void collect_entry(struct batch *b, u32 unit)
{
	const struct xt2_inserted __img *in;
	int answer;
	u64 key;

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

/* An entry with the packet's hash: does the packet not rule it out without the rule itself? */
static __always_inline bool may_match(const struct xt2_patch_entry __img *e,
				      const struct xt2_probe *probe)
{
	return !((e->unit & XT2_PATCH_FLAGS) | (e->never & probe->mask >> 48) |
		 (((probe->ports - e->ports) & XT2_PORT_TOPS) ^ XT2_PORT_TOPS));
}

/* Memory is waited for once for all of them. */
static __always_inline void note_entry(struct batch *b, u32 unit)
{
	b->m->note[b->m->noted++ % XT2_NOTED] = unit;
	xt2_prefetch(xt2_inserted_of(xt2_at(b->img, unit)));
	xt2_prefetch((const u8 __img *)xt2_at(b->img, unit) + 48);
}

/*
 * Note the entries of a bucket that the packet's hash finds.
 * => true: there is no more room; m->bucket and m->entry say where to go on
 */
static __always_inline bool note_bucket(struct batch *b, const struct xt2_probe *probe, u32 hash,
					u32 bucket)
{
	const u32 after = (u32)(b->m->after >> 32), last = (u32)(b->m->last >> 32);
	const struct xt2_patch_bucket __img *in;
	u32 i = b->m->entry, n;

	for (; bucket && xt2_can_loop; bucket = in->next) {
		in = xt2_at(b->img, bucket);
		n = in->entries;
		for (; i < n && xt2_can_loop; i++) {
			const struct xt2_patch_entry __img *e = &in->entry[i % XT2_PATCH_ENTRIES];

			if ((e->hash != hash) | (e->at < after) | (may_match(e, probe) == false))
				continue;
			if (e->at > last) { /* and so are the rest */
				b->s->inserts_end = b->m->last;
				break;
			}
			if (unlikely(b->m->noted == XT2_NOTED)) {
				b->m->bucket = bucket;
				b->m->entry = i;
				return true;
			}
			note_entry(b, e->unit);
		}
		i = xt2_zero;
	}
	b->m->bucket = b->m->entry = 0;
	return false;
}

/* Note inserted rules of this batch, as many as there is room for.  => are there more? */
xt2_part u32 xt2_patch_note(struct xt2_ctx *ctx xt2_arg_there,
			    const struct xt2_chain __img *chain xt2_arg_img)
{
	struct batch b_ = batch_of(ctx, chain), *b = &b_;
	const struct xt2_probe probe = xt2_probe_of(xt2_chain_its_index(chain), &b->s->keys);
	u32 hash, bucket, left = b->m->left;

	b->m->noted = 0;
	for (; left && xt2_can_loop; left &= left - 1) {
		hash = b->m->hash[(u32)__builtin_ctz(left) % XT2_PATCH_CLASSES];
		bucket = b->m->bucket;
		if (note_bucket(b, &probe, hash,
				bucket ? bucket
				       : xt2_patch_slot_of(b->img, b->patch, hash)->bucket))
			break;
	}
	b->m->left = left;
	must_be_whole(ctx);
	return left;
}

/* Those that were noted, in order, unless they surely miss. */
xt2_part u32 xt2_patch_inserted(struct xt2_ctx *ctx xt2_arg_there)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	struct batch b_ = { .img = ctx->img, .ctx = ctx, .s = s, .m = &s->merge }, *b = &b_;
	u32 i;

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

	s->base = s->cursor.base;
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
	s->unit[(s->cursor.base + XT2_CANDIDATES + b->m->n++) % XT2_UNITS_MAX] = unit;
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
		if (!put(b, in->rule - b->patch->compiled))
			return false;
	}
	return true;
}

static bool put_rule(struct batch *b, u32 *at, u32 unit)
{
	const u64 key = xt2_patch_key(unit & ~XT2_UNIT_FLAGS, XT2_PATCH_END);

	if (key <= b->m->after ||
	    key > b->m->last) /* of a rule group; others are in another batch */
		return true;
	return put_inserted(b, at, key) && put(b, unit);
}

static bool put_run(struct batch *b, u32 *at, u32 place)
{
	const struct xt2_run __img *run = run_of(b, place);
	const struct xt2_rule __img *r;
	u32 i;

	for (i = run->rule; i < run->end && xt2_can_loop; i += r->size) {
		r = xt2_at(b->compiled, i);
		if (!put_rule(b, at, i))
			return false;
	}
	return true;
}

/* A batch has room for what a search finds, unless there are large rule groups that are split. */
xt2_part u32 xt2_patch_merge(struct xt2_ctx *ctx xt2_arg_there,
			     const struct xt2_chain __img *chain xt2_arg_img, u32 at)
{
	struct batch b_ = batch_of(ctx, chain), *b = &b_;
	struct xt2_search *s = b->s;
	u32 i, unit, place;
	bool room = true;

	for (i = xt2_zero; i < s->units && room && xt2_can_loop; i++) {
		unit = s->unit[(s->base + i) % XT2_UNITS_MAX];
		place = unit & ~XT2_UNIT_FLAGS;
		if (xt2_patch_key(place, XT2_PATCH_END) > b->m->last)
			break;
		if (unit & XT2_UNIT_RUN && says_of(b, place, XT2_PATCH_SPLIT))
			room = put_run(b, &at, place);
		else
			room = put_rule(b, &at, unit);
	}
	if (room)
		room = put_inserted(b, &at, ALL);
	if (!room)
		b->m->resume =
			b->patch->compiled +
			(s->unit[(s->cursor.base + XT2_CANDIDATES + b->m->n - 1) % XT2_UNITS_MAX] &
			 ~XT2_UNIT_FLAGS);
	s->base = s->cursor.base + XT2_CANDIDATES;
	s->units = b->m->n;
	must_be_whole(ctx);
	return b->m->n;
}

/* Merge what was found, if there is something to be merged. */
static __always_inline void merge(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	u32 at = xt2_zero;

	while (at < s->inserts && s->inserted[at % XT2_INSERTS].key <= s->merge.after &&
	       xt2_can_loop)
		at++;
	if (at < s->inserts || xt2_patched_patch(chain)->splits)
		xt2_patch_merge(ctx, chain, at);
}

static __always_inline void take_batch(struct xt2_search *s)
{
	s->cursor.at = (u16)s->base;
	s->cursor.end = (u16)(s->base + s->units);
	s->cursor.resume = s->merge.resume;
	s->cursor.epoch = ~s->epoch;
}

/* As of a chain without a patch: rules of a bitmap index are near. */
static __always_inline void prefetch_units(const struct xt2_search *s,
					   const struct xt2_chain __img *compiled)
{
	u32 i;

	if (xt2_chain_its_index(compiled)->kind == XT2_INDEX_BITS)
		return;
	for (i = xt2_zero; i < s->units && i < 8 && xt2_can_loop; i++)
		xt2_prefetch(
			xt2_at(compiled, s->unit[(s->base + i) % XT2_UNITS_MAX] & ~XT2_UNIT_FLAGS));
}

/* The inserted rules of a batch; if there are no others, of all that follow. */
static __always_inline void find_inserted(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	s->inserts = 0;
	s->inserts_end = ALL;
	s->merge.left = s->merge.may;
	s->merge.bucket = s->merge.entry = 0;
	while (s->merge.left && xt2_can_loop) {
		xt2_patch_note(ctx, chain);
		xt2_patch_inserted(ctx);
	}
	must_be_whole(ctx);
}

/* The candidates of the compiled chain that were found are not all. */
xt2_apart void add_inserted(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	s->merge.last = ALL;
	s->merge.resume = s->merge.n = 0;
	if (s->resume)
		xt2_patch_end(ctx, chain);
	if (s->inserts_end != ALL)
		find_inserted(ctx, chain);
	merge(ctx, chain);
}

/* Search candidates after s->merge.after. */
xt2_apart void find_batch(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	const struct xt2_patch __img *p = xt2_patched_patch(chain);
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->patched != xt2_ctx_offset(ctx, chain)) {
		s->patched = xt2_ctx_offset(ctx, chain);
		s->inserts = 0;
		s->inserts_end = xt2_patch_hashes(ctx, chain) ? 0 : ALL;
	}
	xt2_patch_search(ctx, chain, s->merge.after ? xt2_patch_from(ctx, chain) : 0);
	if (s->inserts_end != ALL || s->inserts || p->splits)
		add_inserted(ctx, chain);
	else
		s->merge.resume = s->resume ? p->compiled + (s->resume & ~XT2_UNIT_FLAGS) : 0;
	prefetch_units(s, xt2_at(ctx->img, p->compiled));
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

/* => does a candidate match? enum xt2_answer, or XT2_UNSURE */
static __always_inline int answer_of(const struct xt2_ctx *ctx,
				     const struct xt2_chain __img *compiled, u32 unit)
{
	const u32 place = unit & ~XT2_UNIT_FLAGS;

	if (unit & XT2_UNIT_RUN) /* it saves many rules, so it needs no test */
		return XT2_UNSURE;
	if (unit & XT2_FOUND_HOLDS)
		return XT2_HIT;
	if (unlikely(place >= compiled->size))
		return quick_answer(ctx, xt2_ctx_offset(ctx, compiled) + place);
	return xt2_quick_match(xt2_at(compiled, place), xt2_ctx_pkt(ctx));
}

/* => was the rule of a candidate deleted?  Rules of a group that is not split were not. */
static __always_inline bool is_deleted(const struct xt2_ctx *ctx, const struct xt2_patch __img *p,
				       const struct xt2_chain __img *compiled, u32 unit)
{
	const u32 place = unit & ~XT2_UNIT_FLAGS;

	return p->deleted && !(unit & XT2_UNIT_RUN) && place < compiled->size &&
	       xt2_patch_says(ctx->img, p, xt2_patch_hash_place(place), place | XT2_PATCH_DELETED);
}

/* Search after the last candidate, where there may be more. */
static __always_inline void find_next_batch(struct xt2_ctx *ctx,
					    const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	const struct xt2_chain __img *compiled =
		xt2_at(ctx->img, xt2_patched_patch(chain)->compiled);

	if (s->cursor.resume != FRESH)
		s->merge.after = xt2_rule_key(compiled, xt2_at(ctx->img, s->cursor.resume));
	find_batch(ctx, chain);
	take_batch(s);
}

/* There are no other candidates.  => the distance of what is left */
static __always_inline u64 its_tail(struct xt2_cursor *cur, const struct xt2_chain __img *chain)
{
	cur->run = 0;
	cur->holds = 1;
	return chain->tail;
}

/* => the next candidate's distance */
xt2_apart u64 next_candidate(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	struct xt2_cursor *cur = &s->cursor;
	const struct xt2_chain __img *compiled;
	const struct xt2_patch __img *p;
	int answer;
	u32 unit;

	cur->run = 0;
	do {
		while (cur->at == cur->end && xt2_can_loop) {
			if (!cur->resume)
				return its_tail(cur, chain);
			find_next_batch(ctx, chain);
		}
		p = xt2_patched_patch(chain);
		compiled = xt2_at(ctx->img, p->compiled);
		unit = s->unit[cur->at++ % XT2_UNITS_MAX];
		answer = answer_of(ctx, compiled, unit);
		xt2_forget(answer);
	} while ((answer == XT2_MISS || unlikely(is_deleted(ctx, p, compiled, unit))) &&
		 xt2_can_loop);
	must_be_whole(ctx);
	cur->holds = answer == XT2_HIT;
	if (unlikely(unit & XT2_UNIT_RUN))
		cur->run = xt2_ctx_offset(ctx, xt2_index_run(xt2_chain_its_index(compiled),
							     unit & ~XT2_UNIT_FLAGS));
	return distance(chain, xt2_at(ctx->img, p->compiled + (unit & ~XT2_UNIT_FLAGS)));
}

/* Nothing is known of the packet as it is now: search after a key.  0: all */
static __always_inline void search_afresh(struct xt2_search *s, u64 after)
{
	s->spanned = s->patched = 0;
	s->merge.after = after;
	s->cursor.at = s->cursor.end = s->cursor.base;
	s->cursor.resume = FRESH;
}

/* => false: the packet goes through the chain in order */
static __always_inline bool can_search(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	const struct xt2_chain __img *compiled =
		xt2_at(ctx->img, xt2_patched_patch(chain)->compiled);

	return !s->linear && compiled->lookup &&
	       s->cursor.base <= XT2_UNITS_MAX - MERGED - XT2_CANDIDATES &&
	       xt2_keys_fill(&s->keys, xt2_ctx_pkt(ctx), xt2_chain_its_index(chain)->asks);
}

/* Take what xt2_patched_first() has found.  => false: nothing */
static __always_inline bool take_ahead(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (!s->chain || s->chain != xt2_ctx_offset(ctx, chain))
		return false;
	s->chain = 0;
	take_batch(s);
	return true;
}

u64 xt2_enter_patched(struct xt2_ctx *ctx xt2_arg_there,
		      const struct xt2_chain __img *chain xt2_arg_img)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	s->cursor.indexed = XT2_GOES_PATCHED;
	if (take_ahead(ctx, chain))
		return next_candidate(ctx, chain);
	if (!can_search(ctx, chain)) {
		s->cursor.indexed = XT2_GOES_IN_ORDER;
		return xt2_patch_in_order(ctx, chain, NULL);
	}
	search_afresh(s, 0);
	return next_candidate(ctx, chain);
}

static bool decides(const struct xt2_rule __img *r)
{
	return XT2_TARGET_KIND(r->target) == XT2_T_ACCEPT ||
	       XT2_TARGET_KIND(r->target) == XT2_T_DROP;
}

/* The first batch of a packet, as find_batch() with nothing known, and in one piece. */
static __always_inline void find_first(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
				       const struct xt2_chain __img *compiled)
{
	const struct xt2_patch __img *p = xt2_patched_patch(chain);
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	struct xt2_search *s = xt2_ptr(ctx->search);
	const struct xt2_index __img *ix = xt2_chain_its_index(compiled);
	const bool far = xt2_index_far(ix);
	u32 may;

	s->base = s->cursor.base = 0;
	if (far) /* its memory is waited for while the hashes are made */
		xt2_index_begin(compiled, s, pkt);
	may = xt2_by_classes(ctx->img, p, s, pkt);
	if (far)
		xt2_index_end(ix, s);
	else
		xt2_index_find(compiled, s, pkt, 0);
	s->chain = s->patched = xt2_ctx_offset(ctx, chain);
	s->spanned = xt2_chain_its_index(compiled)->kind == XT2_INDEX_PAIRS ? p->compiled : 0;
	s->inserts = 0;
	s->inserts_end = ALL;
	s->merge.after = 0;
	s->merge.resume = s->resume ? p->compiled + (s->resume & ~XT2_UNIT_FLAGS) : 0;
	if (may || p->splits) {
		s->merge.may = may;
		s->inserts_end = 0;
		add_inserted(ctx, chain);
	}
	prefetch_units(s, compiled);
}

/* As xt2_patched_first(), of a chain that is searched. */
xt2_apart struct xt2_rule __img *search_first(struct xt2_ctx *ctx,
					      const struct xt2_chain __img *chain,
					      const struct xt2_chain __img *compiled)
{
	const struct xt2_patch __img *p = xt2_patched_patch(chain);
	struct xt2_search *s = xt2_ptr(ctx->search);
	struct xt2_rule __img *r;
	u32 unit;

	if (!xt2_keys_fill(&s->keys, xt2_ctx_pkt(ctx), xt2_chain_its_index(chain)->asks))
		return NULL;
	find_first(ctx, chain, compiled);
	unit = s->unit[s->base % XT2_UNITS_MAX];
	if (!s->units || unit & XT2_UNIT_RUN)
		return NULL;
	r = xt2_at(ctx->img, p->compiled + (unit & ~XT2_UNIT_FLAGS));
	if (!decides(r) || answer_of(ctx, compiled, unit) != XT2_HIT ||
	    is_deleted(ctx, p, compiled, unit))
		return NULL;
	return r;
}

struct xt2_rule __img *xt2_patched_first(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	const struct xt2_chain __img *compiled =
		xt2_at(ctx->img, xt2_patched_patch(chain)->compiled);
	const struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->linear || !compiled->lookup || xt2_chain_its_index(compiled)->ahead > XT2_AHEAD_FEW)
		return NULL;
	return search_first(ctx, chain, compiled);
}

/* As xt2_next_patched(), where the candidates that were found do not suffice. */
xt2_apart u64 next_changed(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
			   const struct xt2_rule __img *r)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->cursor.indexed == XT2_GOES_IN_ORDER)
		return xt2_patch_in_order(ctx, chain, r);
	if (!xt2_keys_fill(&s->keys, xt2_ctx_pkt(ctx), xt2_chain_its_index(chain)->asks)) {
		s->cursor.indexed = XT2_GOES_IN_ORDER;
		s->cursor.holds = s->cursor.run = 0;
		s->ordered = 0; /* another packet may have been there */
		return xt2_patch_in_order(ctx, chain, r);
	}
	search_afresh(s, xt2_rule_key(xt2_chain_compiled(ctx->img, chain), r));
	return next_candidate(ctx, chain);
}

u64 xt2_next_patched(struct xt2_ctx *ctx xt2_arg_there,
		     const struct xt2_chain __img *chain xt2_arg_img,
		     const struct xt2_rule __img *r xt2_arg_img)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	struct xt2_cursor *cur = &s->cursor;

	if (unlikely(cur->indexed != XT2_GOES_PATCHED || cur->epoch != ~s->epoch))
		return next_changed(ctx, chain, r);
	if (cur->at != cur->end || cur->resume)
		return next_candidate(ctx, chain);
	return its_tail(cur, chain);
}
