/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eval-skip.h - shortcuts of the evaluator past rules that cannot match
 *
 * Each has the effect of evaluation rule after rule, counters included.  They are
 * part of the evaluator's loop, so they are inline; a call for each rule would
 * cost more than they save.
 */
#ifndef XT2_ENGINE_EVAL_SKIP_H
#define XT2_ENGINE_EVAL_SKIP_H

#include "ctx.h"
#include "match.h"

/* Size and extent of the matches in one word: rules of one shape step alike. */
static __always_inline u32 shape_of(const struct xt2_rule __img *r)
{
	return r->size | (u32)r->target_offset << 16;
}

/*
 * Lists of addresses are rules of one shape that begin with the same test.
 * Go on in such a list after one of its rules, as long as rules miss or only
 * count: within it the next rule's place does not depend on a load from the
 * one before it.  A rule may test the other address as well.
 * => the first rule that has to be evaluated
 */
static __always_inline struct xt2_rule __img *next_addr4(struct xt2_rule __img *r, u8 type,
							 u32 addr, u32 len, struct xt2_ctx *ctx)
{
	const u32 shape = shape_of(r), step = r->size;
	const struct xt2_match __img *m;

	do {
		r = xt2_at(r, step);
		m = xt2_rule_first_match(r);
		if (shape_of(r) != shape || m->type != type || xt2_inverted(m))
			break;
		if (likely(!xt2_addr4_equal(m, addr)))
			continue;
		if (r->target_offset != sizeof(*r) + sizeof(*m) ||
		    XT2_TARGET_KIND(r->target) != XT2_T_CONTINUE)
			break;
		xt2_rule_count(r, len, ctx);
	} while (xt2_can_loop);
	return r;
}

static __always_inline struct xt2_rule __img *next_addr6(struct xt2_rule __img *r, u8 type,
							 u8 other, const u64 *addr,
							 const u64 *other_addr, u32 len,
							 struct xt2_ctx *ctx)
{
	enum {
		ONE = sizeof(struct xt2_rule) + sizeof(struct xt2_match_addr6),
		BOTH = ONE + sizeof(struct xt2_match_addr6)
	};
	const u32 shape = shape_of(r), step = r->size;
	const struct xt2_match __img *m;

	do {
		r = xt2_at(r, step);
		m = xt2_rule_first_match(r);
		if (shape_of(r) != shape || m->type != type || xt2_inverted(m))
			break;
		if (likely(!xt2_addr6_equal(m, addr)))
			continue;
		if (r->target_offset == BOTH) {
			m = xt2_at(r, ONE);
			if (m->type != other || xt2_inverted(m))
				break;
			if (!xt2_addr6_equal(m, other_addr))
				continue;
		} else if (r->target_offset != ONE) {
			break;
		}
		if (XT2_TARGET_KIND(r->target) != XT2_T_CONTINUE)
			break;
		xt2_rule_count(r, len, ctx);
	} while (xt2_can_loop);
	return r;
}

/* => the rule to evaluate after one that did not match, or did not end its chain. */
static __always_inline struct xt2_rule __img *
next_rule(struct xt2_rule __img *r, const struct xt2_pkt *pkt, u32 len, struct xt2_ctx *ctx)
{
	if (likely(r->target_offset > sizeof(*r)))
		switch (xt2_rule_first_match(r)->type) {
		case XT2_M_SRC4: return next_addr4(r, XT2_M_SRC4, pkt->src4, len, ctx);
		case XT2_M_DST4: return next_addr4(r, XT2_M_DST4, pkt->dst4, len, ctx);
		case XT2_M_SRC6:
			return next_addr6(r, XT2_M_SRC6, XT2_M_DST6, pkt->src, pkt->dst, len, ctx);
		case XT2_M_DST6:
			return next_addr6(r, XT2_M_DST6, XT2_M_SRC6, pkt->dst, pkt->src, len, ctx);
		}
	return xt2_rule_next(r);
}

/* Tests that need nothing of a packet but its addresses: if they don't miss, they hit. */
static __always_inline bool is_address(u8 type)
{
	return type == XT2_M_SRC4 || type == XT2_M_DST4 || type == XT2_M_SRC6 || type == XT2_M_DST6;
}

/*
 * Probe whether a chain's first rules miss by their first test, or by the one
 * after a test of an address: most short chains do up to their end, and a jump
 * and a return are saved.
 * => NULL: nothing in the chain matches; its RETURN has been counted.  Else the first to evaluate
 */
static __always_inline struct xt2_rule __img *
pass_rules(struct xt2_rule __img *r, const struct xt2_pkt *pkt, struct xt2_ctx *ctx)
{
	u32 n = xt2_passable;

	while (r->target_offset > sizeof(*r)) {
		const struct xt2_match __img *m = xt2_rule_first_match(r);

		if (unlikely(!xt2_surely_misses(m, pkt)) &&
		    (!is_address(m->type) || r->target_offset - sizeof(*r) <= m->size ||
		     !xt2_surely_misses(xt2_match_next(m), pkt)))
			return r;
		r = xt2_rule_next(r);
		if (likely(r->target_offset <= sizeof(*r)))
			break;
		if (!--n)
			return r;
	}
	if (unlikely(XT2_TARGET_KIND(r->target) != XT2_T_RETURN))
		return r;
	xt2_rule_count(r, pkt->len, ctx);
	return NULL;
}

/* The same.  It calls nothing, so it needs none of the registers that its caller has. */
static __attribute__((__noinline__)) struct xt2_rule __img *
pass_chain(struct xt2_rule __img *first, const struct xt2_pkt *pkt, struct xt2_ctx *ctx)
{
	return pass_rules(first, pkt, ctx);
}

/* The chain that a rule names.  dir: the root's.  => its offset; 0: it is not there, unless images are trusted */
static __always_inline u32 chain_named(const struct xt2_image __img *img,
				       const struct xt2_root __img *root, const u32 __img *dir,
				       const struct xt2_rule __img *r)
{
	const u32 index = XT2_TARGET_ARG(r->target);
	const u32 __img *page;

	if (!xt2_trusts_images)
		return index < root->chains ? xt2_chain_offset(img, root, index) : 0;
	page = xt2_at(img, dir[index / XT2_CHAIN_PAGE]);
	return page[index % XT2_CHAIN_PAGE];
}

static __always_inline bool is_bare_jump(const struct xt2_rule __img *r)
{
	return shape_of(r) == (sizeof(*r) | sizeof(*r) << 16) &&
	       XT2_TARGET_KIND(r->target) == XT2_T_JUMP;
}

/*
 * Skip runs of unconditional jumps whose chains cannot match.
 * r: one of them; indexed: chains with an index are searched, not probed
 * => the rule to evaluate
 */
static __attribute__((__noinline__)) struct xt2_rule __img *
pass_jumps(struct xt2_rule __img *r, const struct xt2_pkt *pkt, struct xt2_ctx *ctx, bool indexed,
	   const u32 __img *dir)
{
	const struct xt2_image __img *img = ctx->img;
	const u32 len = pkt->len;

	do {
		const struct xt2_chain __img *to = xt2_at(img, chain_named(img, ctx->root, dir, r));

		if ((indexed && to->lookup) || pass_rules(xt2_chain_first(to), pkt, ctx))
			break;
		xt2_rule_count(r, len, ctx);
		r = xt2_rule_next(r);
	} while (is_bare_jump(r));
	return r;
}

#endif
