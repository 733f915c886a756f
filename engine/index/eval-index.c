/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eval-index.c - go through a chain by its index
 *
 * In such a chain the next rule to evaluate is the next candidate (search.h).
 * Candidates of all chains that a packet is in stand one after the other; a
 * cursor says which of them are the chain's own and not done yet.  They are
 * searched again, after the current rule, when a target has
 * changed it.
 */
#include "eval-index.h"
#include "engine/match.h"
#include "find.h"
#include <xt2/verdict.h>
#include <xt2/verdict.h>

/* Prefetch the rules that are likely to be evaluated; those of a bitmap index are near. */
static __always_inline void prefetch_units(const struct xt2_chain __img *chain,
					   const struct xt2_index __img *ix, const u32 *unit, u32 n)
{
	u32 i;

	if (ix->kind == XT2_INDEX_BITS)
		return;
	for (i = 0; i < n && i < 8; i++) {
		const u8 __img *rule = xt2_at(chain, unit[i] & ~XT2_UNIT_FLAGS);

		xt2_prefetch(rule);
		xt2_prefetch(rule + 48); /* most are in two lines */
	}
}

static __always_inline void take_found(struct xt2_search *s)
{
	s->cursor.at = s->cursor.base;
	s->cursor.end = (u16)(s->base + s->units);
	s->cursor.resume = s->resume;
	s->cursor.epoch = s->epoch;
}

/* Search candidates after an offset in the chain. */
static __always_inline void look_for(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
				     const struct xt2_index __img *ix, u32 after)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	s->base = s->cursor.base;
	xt2_index_find(chain, s, xt2_ctx_pkt(ctx), after);
	s->spanned = ix->kind == XT2_INDEX_PAIRS ? xt2_ctx_offset(ctx, chain) : 0;
	take_found(s);
	prefetch_units(chain, ix, s->unit + s->base, s->units);
}

/* Search more of them; the packet has not changed. */
static __always_inline void look_further(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
					 const struct xt2_index __img *ix)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->spanned != xt2_ctx_offset(ctx, chain)) {
		look_for(ctx, chain, ix, s->cursor.resume);
		return;
	}
	s->base = s->cursor.base;
	xt2_index_pairs(ix, s, s->cursor.resume);
	take_found(s);
	prefetch_units(chain, ix, s->unit + s->base, s->units);
}

/* The candidates are done: search more. => false: there are none */
static bool look_on(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	do {
		if (!s->cursor.resume || !xt2_can_loop)
			return false;
		look_further(ctx, chain, xt2_chain_its_index(chain));
	} while (s->cursor.at == s->cursor.end);
	return true;
}

/* => offset in the chain of the next candidate that does not surely miss, or of the tail */
static __always_inline u32 next_unit(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	struct xt2_cursor *cur = &s->cursor;
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	int answer;
	u32 unit;

	cur->run = 0;
	do {
		if (cur->at == cur->end && !look_on(ctx, chain)) {
			cur->holds = 1;
			return chain->tail;
		}
		unit = s->unit[cur->at++ % XT2_UNITS_MAX];
		answer = XT2_UNSURE; /* a run saves many rules, so it needs no test */
		if (!(unit & XT2_UNIT_RUN))
			answer = unit & XT2_FOUND_HOLDS
					 ? XT2_HIT
					 : xt2_quick_match(xt2_at(chain, unit & ~XT2_UNIT_FLAGS),
							   pkt);
	} while (answer == XT2_MISS);
	cur->holds = answer == XT2_HIT;
	if (unlikely(unit & XT2_UNIT_RUN))
		cur->run = xt2_ctx_offset(ctx, xt2_index_run(xt2_chain_its_index(chain),
							     unit & ~XT2_UNIT_FLAGS));
	return unit & ~XT2_UNIT_FLAGS;
}

/* Take the candidates of a search ahead. => false: there was none */
static __always_inline bool take_ahead(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (!s->chain || s->chain != xt2_ctx_offset(ctx, chain))
		return false;
	take_found(s);
	s->chain = 0;
	return true;
}

/* The chain's first rules are candidates that need no search. */
static void take_heads(struct xt2_ctx *ctx, const struct xt2_index __img *ix)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	u32 i;

	s->spanned = 0;
	s->base = s->cursor.base;
	for (i = 0; i < XT2_HEADS; i++)
		s->unit[(s->base + i) % XT2_UNITS_MAX] = ix->head[i];
	s->units = ix->heads;
	s->resume = ix->head[(ix->heads - 1) % XT2_HEADS] & ~XT2_UNIT_FLAGS;
	take_found(s);
}

xt2_apart u64 enter(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
		    const struct xt2_index __img *ix)
{
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->cursor.base > XT2_UNITS_MAX - XT2_CANDIDATES ||
	    !xt2_keys_fill(&s->keys, xt2_ctx_pkt(ctx), ix->asks))
		return sizeof(*chain);
	s->cursor.indexed = XT2_GOES_INDEXED;
	if (!take_ahead(ctx, chain)) {
		if (ix->heads)
			take_heads(ctx, ix);
		else
			look_for(ctx, chain, ix, 0);
	}
	return next_unit(ctx, chain);
}

u64 xt2_enter_index(struct xt2_ctx *ctx xt2_arg_there,
		    const struct xt2_chain __img *chain xt2_arg_img)
{
	const struct xt2_index __img *ix = xt2_chain_its_index(chain);

	if (unlikely(ix->kind == XT2_INDEX_PATCH))
		return xt2_enter_patched(ctx, chain);
	return enter(ctx, chain, ix);
}

/* The first candidate, which holds, accepts or drops.  => the verdict */
static __always_inline int decide(struct xt2_ctx *ctx, struct xt2_search *s,
				  const struct xt2_pkt *pkt, struct xt2_rule __img *r, u8 kind)
{
	xt2_rule_count(r, pkt->len, ctx);
	ctx->hotdrop = 0;
	ctx->chain = s->chain;
	ctx->rule = xt2_ctx_offset(ctx, r);
	s->chain = 0;
	return kind == XT2_T_ACCEPT ? XT2_ACCEPT : XT2_DROP;
}

xt2_apart int patched_at_once(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	struct xt2_rule __img *r = xt2_patched_first(ctx, chain);

	if (!r)
		return XT2_NEXT;
	return decide(ctx, xt2_ptr(ctx->search), xt2_ctx_pkt(ctx), r, XT2_TARGET_KIND(r->target));
}

/* As xt2_eval_at_once(), of candidates that were found. */
static __always_inline int try_first(struct xt2_ctx *ctx, struct xt2_search *s,
				     const struct xt2_chain __img *chain, const struct xt2_pkt *pkt)
{
	const u32 unit = s->unit[s->base % XT2_UNITS_MAX];
	struct xt2_rule __img *r;
	u8 kind;

	if (!s->units || unit & XT2_UNIT_RUN)
		return XT2_NEXT;
	r = xt2_at(chain, unit & ~XT2_UNIT_FLAGS);
	kind = XT2_TARGET_KIND(r->target);
	if ((kind != XT2_T_ACCEPT && kind != XT2_T_DROP) ||
	    (!(unit & XT2_FOUND_HOLDS) && xt2_quick_match(r, pkt) != XT2_HIT))
		return XT2_NEXT;
	return decide(ctx, s, pkt, r, kind);
}

/* Where it is likely that the first candidate decides. */
xt2_apart int search_at_once(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
			     const struct xt2_index __img *ix)
{
	struct xt2_search *s = xt2_ptr(ctx->search);
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);

	if (!xt2_keys_fill(&s->keys, pkt, ix->asks))
		return XT2_NEXT;
	s->base = 0;
	xt2_index_find(chain, s, pkt, 0);
	s->chain = xt2_ctx_offset(ctx, chain); /* it is found ahead, if it isn't enough */
	s->spanned = ix->kind == XT2_INDEX_PAIRS ? s->chain : 0;
	prefetch_units(chain, ix, s->unit, s->units);
	return try_first(ctx, s, chain, pkt);
}

xt2_apart int found_at_once(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	return try_first(ctx, xt2_ptr(ctx->search), chain, xt2_ctx_pkt(ctx));
}

int xt2_eval_at_once(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	const struct xt2_index __img *ix = xt2_chain_its_index(chain);
	struct xt2_search *s = xt2_ptr(ctx->search);

	if (s->chain == xt2_ctx_offset(ctx, chain))
		return found_at_once(ctx, chain);
	s->keys.have = 0;
	if (!ix->heads && ix->ahead <= XT2_AHEAD_FEW)
		return search_at_once(ctx, chain, ix);
	return unlikely(ix->kind == XT2_INDEX_PATCH) ? patched_at_once(ctx, chain) : XT2_NEXT;
}

/* A target changed the packet: go on after a rule with its new keys. */
static __attribute__((__noinline__)) u64
look_again(struct xt2_ctx *ctx, const struct xt2_chain __img *chain, const struct xt2_rule __img *r)
{
	const struct xt2_index __img *ix = xt2_chain_its_index(chain);
	struct xt2_search *s = xt2_ptr(ctx->search);
	const u32 at = xt2_offset(chain, r);

	if (!xt2_keys_fill(&s->keys, xt2_ctx_pkt(ctx), ix->asks)) {
		s->cursor.indexed = XT2_GOES_PLAIN;
		s->cursor.holds = 0;
		return at + r->size;
	}
	look_for(ctx, chain, ix, at);
	return next_unit(ctx, chain);
}

xt2_apart u64 next_found(struct xt2_ctx *ctx, const struct xt2_chain __img *chain)
{
	return next_unit(ctx, chain);
}

u64 xt2_next_indexed(struct xt2_ctx *ctx xt2_arg_there,
		     const struct xt2_chain __img *chain xt2_arg_img,
		     const struct xt2_rule __img *r xt2_arg_img)
{
	const struct xt2_search *s = xt2_ptr(ctx->search);

	if (likely(s->cursor.epoch == s->epoch))
		return next_found(ctx, chain);
	if (s->cursor.indexed != XT2_GOES_INDEXED)
		return xt2_next_patched(ctx, chain, r);
	return look_again(ctx, chain, r);
}

void xt2_eval_search(const struct xt2_ctx *ctx, const struct xt2_hook __img *hook,
		     const struct xt2_pkt *pkt, struct xt2_search *search)
{
	const struct xt2_chain __img *chain = xt2_image_chain(ctx->img, ctx->root, hook->chain);
	const struct xt2_index __img *ix;

	search->keys.have = 0;
	search->chain = search->base = search->epoch = search->spanned = 0;
	if (!chain || !chain->lookup)
		return;
	ix = xt2_chain_its_index(chain);
	if (!xt2_keys_fill(&search->keys, pkt, ix->asks))
		return;
	search->chain = xt2_ctx_offset(ctx, chain);
	xt2_index_begin(chain, search, pkt);
	search->spanned = ix->kind == XT2_INDEX_PAIRS ? search->chain : 0;
}

void xt2_eval_collect(const struct xt2_ctx *ctx, struct xt2_search *search)
{
	const struct xt2_chain __img *chain;
	const struct xt2_index __img *ix;

	if (!search->chain)
		return;
	chain = xt2_at(ctx->img, search->chain);
	ix = xt2_chain_its_index(chain);
	xt2_index_end(ix, search);
	prefetch_units(chain, ix, search->unit, search->units);
}
