/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eval.c - evaluate a packet against the packed rules
 *
 * Evaluation is one straight loop over the rules of a chain: matches in the
 * order in which they stand, counters, target.  Counting, jumps, returns and
 * hotdrops are those of ipt_do_table(), ip6t_do_table() and arpt_do_table();
 * rule by rule, without a difference that a counter could show.
 *
 * The image was checked (check.h), so sizes and indices are trusted.  A zero
 * rule size is caught all the same, and where the image may have changed since
 * (xt2_trusts_images), a chain at offset 0: memory that was never written
 * reads as zero, and a fault must drop, not spin.
 */
#include "eval.h"
#include "ports.h"

const char *xt2_verdict_name(int verdict)
{
	switch (verdict) {
	case XT2_DROP: return "DROP";
	case XT2_ACCEPT: return "ACCEPT";
	case XT2_QUEUE: return "QUEUE";
	case XT2_REJECT: return "REJECT";
	}
	return NULL;
}

static __always_inline bool addr6_equal(const struct xt2_match __img *m, const u64 *a)
{
	const struct xt2_match_addr6 __img *k = (const struct xt2_match_addr6 __img *)m;

	return !((a[0] ^ k->addr[0]) | (a[1] ^ k->addr[1]));
}

static bool addr6_masked(const struct xt2_match __img *m, const u64 *a)
{
	const struct xt2_match_addr6_mask __img *k = (const struct xt2_match_addr6_mask __img *)m;

	return !(((a[0] & k->mask[0]) ^ k->addr[0]) | ((a[1] & k->mask[1]) ^ k->addr[1]));
}

static bool addr4_masked(const struct xt2_match __img *m, u32 a)
{
	return (a & ((const struct xt2_match_addr4_mask __img *)m)->mask) == m->arg;
}

/* Bytes beyond arg are shifted out: little-endian, so the first byte is lowest. */
static __always_inline bool iface_equal(const struct xt2_match __img *m, const u64 *name)
{
	const struct xt2_match_iface __img *k = (const struct xt2_match_iface __img *)m;

	if (m->arg <= 8)
		return !((name[0] ^ k->name[0]) << (64 - 8 * m->arg));
	return !((name[0] ^ k->name[0]) | (name[1] ^ k->name[1]) << (128 - 8 * m->arg));
}

static bool iface_masked(const struct xt2_match __img *m, const u64 *name)
{
	const struct xt2_match_iface_mask __img *k = (const struct xt2_match_iface_mask __img *)m;

	return !(((name[0] ^ k->name[0]) & k->mask[0]) | ((name[1] ^ k->name[1]) & k->mask[1]));
}

/* ip6_packet_match(): a missing upper-layer header is no match even inverted. */
static __always_inline int proto_match(const struct xt2_match __img *m, const struct xt2_pkt *pkt)
{
	if (unlikely(pkt->l4 != XT2_L4_OK))
		return pkt->l4 == XT2_L4_BAD ? XT2_HOTDROP : XT2_MISS;
	return xt2_answer(m, pkt->proto == m->arg);
}

/* The ARP header's own fields: number & mask == value */
static bool arp_field(const struct xt2_match __img *m, struct xt2_pkt *pkt, u32 off, u32 len)
{
	const u8 *p = xt2_pkt_at(pkt, off, len);
	u32 v;

	if (!p)
		return false;
	v = len == 1 ? *p : xt2_be16(p);
	return (v & m->arg >> 16) == (m->arg & 0xffff);
}

static bool arp_dev(const struct xt2_match __img *m, struct xt2_pkt *pkt, u32 off)
{
	const struct xt2_match_arp_dev __img *k = (const struct xt2_match_arp_dev __img *)m;
	const u8 *p = xt2_pkt_at(pkt, off, m->arg);
	u8 diff = 0;
	u32 i;

	if (!p)
		return false;
	for (i = 0; i < m->arg && i < sizeof(k->addr); i++)
		diff |= (p[i] & k->mask[i]) ^ k->addr[i];
	return !diff;
}

/* Base tests that are rare; the common ones are in xt2_match(). */
xt2_separate int xt2_rare_match(const struct xt2_match __img *m xt2_arg_img,
				struct xt2_ctx *ctx xt2_arg_there);
int xt2_rare_match(const struct xt2_match __img *m xt2_arg_img, struct xt2_ctx *ctx xt2_arg_there)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);

	switch (m->type) {
	case XT2_M_SRC4_MASK: return xt2_answer(m, addr4_masked(m, pkt->src4));
	case XT2_M_DST4_MASK: return xt2_answer(m, addr4_masked(m, pkt->dst4));
	case XT2_M_IN_MASK: return xt2_answer(m, iface_masked(m, pkt->in));
	case XT2_M_OUT_MASK: return xt2_answer(m, iface_masked(m, pkt->out));
	case XT2_M_FRAGMENT: return xt2_answer(m, pkt->fragoff != 0);
	case XT2_M_ARP_HRD: return xt2_answer(m, arp_field(m, pkt, 0, 2));
	case XT2_M_ARP_PRO: return xt2_answer(m, arp_field(m, pkt, 2, 2));
	case XT2_M_ARP_HLN: return xt2_answer(m, arp_field(m, pkt, 4, 1));
	case XT2_M_ARP_OP: return xt2_answer(m, arp_field(m, pkt, 6, 2));
	case XT2_M_ARP_SHA: return xt2_answer(m, arp_dev(m, pkt, 8));
	case XT2_M_ARP_THA: /* behind a 6-byte sender and its IPv4 address */
		return xt2_answer(m, arp_dev(m, pkt, 18));
	}
	/* A bridge's base tests are met like a foreign match: a fault, and the packet is dropped. */
	return xt2_match_ext(m, ctx);
}

/* => the answer of a test for one port; -1: the extension has to say */
static __always_inline int port_match(const struct xt2_match __img *m, const struct xt2_pkt *pkt)
{
	return xt2_one_port_(m, pkt, m->type == XT2_M_TCP ? XT2_TCP_HEADER_ : XT2_UDP_HEADER_);
}

/* pkt: the context's */
static __always_inline int xt2_match(const struct xt2_match __img *m, const struct xt2_pkt *pkt,
				     struct xt2_ctx *ctx)
{
	int answer;

	switch (m->type) {
	case XT2_M_SRC4:
		return xt2_answer(m, !((pkt->src4 ^ m->arg) >> (m->flags & XT2_ADDR4_SHIFT)));
	case XT2_M_DST4:
		return xt2_answer(m, !((pkt->dst4 ^ m->arg) >> (m->flags & XT2_ADDR4_SHIFT)));
	case XT2_M_SRC6: return xt2_answer(m, addr6_equal(m, pkt->src));
	case XT2_M_DST6: return xt2_answer(m, addr6_equal(m, pkt->dst));
	case XT2_M_SRC6_MASK: return xt2_answer(m, addr6_masked(m, pkt->src));
	case XT2_M_DST6_MASK: return xt2_answer(m, addr6_masked(m, pkt->dst));
	case XT2_M_IN: return xt2_answer(m, iface_equal(m, pkt->in));
	case XT2_M_OUT: return xt2_answer(m, iface_equal(m, pkt->out));
	case XT2_M_PROTO: return proto_match(m, pkt);
	case XT2_M_TCP:
	case XT2_M_UDP:
		answer = port_match(m, pkt);
		if (likely(answer >= 0))
			return answer;
		break;
	}
	return m->type < XT2_M_TCP ? xt2_rare_match(m, ctx) : xt2_match_ext(m, ctx);
}

/* The kernel ended a loop: what the rule says is not known. */
static __always_inline int out_of_time(struct xt2_ctx *ctx)
{
	ctx->faults++;
	return XT2_HOTDROP;
}

/* A match drops but holds: the matches behind m decide if the rule is done. */
xt2_separate int xt2_rest_match(const struct xt2_rule __img *r xt2_arg_img,
				const struct xt2_match __img *m xt2_arg_img,
				struct xt2_ctx *ctx xt2_arg_there);
int xt2_rest_match(const struct xt2_rule __img *r xt2_arg_img,
		   const struct xt2_match __img *m xt2_arg_img, struct xt2_ctx *ctx xt2_arg_there)
{
	const u8 __img *end = (const u8 __img *)r + r->target_offset;

	for (m = xt2_match_next(m); (const u8 __img *)m < end; m = xt2_match_next(m)) {
		int answer = xt2_can_loop ? xt2_match(m, xt2_ctx_pkt(ctx), ctx) : out_of_time(ctx);

		if (answer != XT2_HIT && answer != XT2_HIT_DROP)
			return XT2_HOTDROP;
	}
	return XT2_HIT_DROP;
}

/* => XT2_HIT if every match of the rule holds */
static __always_inline int rule_match(const struct xt2_rule __img *r, const struct xt2_pkt *pkt,
				      struct xt2_ctx *ctx)
{
	const u8 __img *end = (const u8 __img *)r + r->target_offset;
	const struct xt2_match __img *m = xt2_rule_first_match(r);

	if (r->target_offset <= sizeof(*r))
		return XT2_HIT;
	do {
		int answer = xt2_match(m, pkt, ctx);

		if (answer != XT2_HIT)
			return unlikely(answer == XT2_HIT_DROP) ? xt2_rest_match(r, m, ctx)
								: answer;
		m = xt2_match_next(m);
		if (unlikely(!xt2_can_loop))
			return out_of_time(ctx);
	} while ((const u8 __img *)m < end);
	return XT2_HIT;
}

/* Size and extent of the matches in one word: rules of one shape step alike. */
static __always_inline u32 shape_of(const struct xt2_rule __img *r)
{
	return r->size | (u32)r->target_offset << 16;
}

/*
 * Lists of addresses are rules of one shape that begin with the same test.
 * These go on in such a list after one of its rules, as long as there is only
 * to count, or not even that: within it the next rule's place does not depend
 * on a load from the one before it.  A rule may test the other address as
 * well.  The answer is the first rule that has to be looked at.
 */
static __always_inline struct xt2_rule __img *next_addr4(struct xt2_rule __img *r, u8 type,
							 u32 addr, u32 len, struct xt2_ctx *ctx)
{
	const u32 shape = shape_of(r), step = r->size;
	const struct xt2_match __img *m;

	do {
		r = (struct xt2_rule __img *)((u8 __img *)r + step);
		m = xt2_rule_first_match(r);
		if (shape_of(r) != shape || m->type != type || xt2_inverted(m))
			break;
		if (likely((addr ^ m->arg) >> (m->flags & XT2_ADDR4_SHIFT)))
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
		r = (struct xt2_rule __img *)((u8 __img *)r + step);
		m = xt2_rule_first_match(r);
		if (shape_of(r) != shape || m->type != type || xt2_inverted(m))
			break;
		if (likely(!addr6_equal(m, addr)))
			continue;
		if (r->target_offset == BOTH) {
			m = (const struct xt2_match __img *)((const u8 __img *)r + ONE);
			if (m->type != other || xt2_inverted(m))
				break;
			if (!addr6_equal(m, other_addr))
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

/* The rule to look at after one that did not match, or did not end its chain. */
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

/* --- chains with an index: see eval-index.c ---------------------------- */

/* s: the context's; first: of the chain, or the first that may match.  => the rule to look at */
static __always_inline struct xt2_rule __img *enter(struct xt2_ctx *ctx, struct xt2_search *s,
						    const struct xt2_chain __img *chain,
						    struct xt2_rule __img *first)
{
	if (!s)
		return first;
	s->cursor.indexed = s->cursor.run = s->cursor.holds = 0;
	s->cursor.at = s->cursor.end = s->cursor.base;
	if (chain->lookup)
		return xt2_at(chain, xt2_enter_index(ctx, chain));
	return first;
}

/* Is the chain that the packet is in evaluated by its index? */
static __always_inline bool by_index(const struct xt2_search *s)
{
	return s && s->cursor.indexed;
}

/* A target changed the packet: candidates and keys are those of another one. */
static void packet_changed(struct xt2_search *s)
{
	if (!s)
		return;
	s->epoch++;
	s->keys.have = 0;
}

/* --- a chain's first rules --------------------------------------------- */

/* Tests that need nothing of a packet but its addresses: what doesn't miss, hits. */
static __always_inline bool is_address(u8 type)
{
	return type == XT2_M_SRC4 || type == XT2_M_DST4 || type == XT2_M_SRC6 || type == XT2_M_DST6;
}

/* => does this test surely miss?  Only what is a few steps is looked at; nothing has an effect. */
static __always_inline bool surely_misses(const struct xt2_match __img *m,
					  const struct xt2_pkt *pkt)
{
	u32 addr;

	if (likely(m->type == XT2_M_SRC4))
		addr = pkt->src4;
	else if (m->type == XT2_M_DST4)
		addr = pkt->dst4;
	else if (m->type == XT2_M_PROTO)
		return pkt->l4 == XT2_L4_OK && (pkt->proto == m->arg) == xt2_inverted(m);
	else if (m->type == XT2_M_SRC6)
		return addr6_equal(m, pkt->src) == xt2_inverted(m);
	else if (m->type == XT2_M_DST6)
		return addr6_equal(m, pkt->dst) == xt2_inverted(m);
	else
		return false;
	return ((addr ^ m->arg) >> (m->flags & XT2_ADDR4_SHIFT) != 0) != xt2_inverted(m);
}

/*
 * Look if a chain's first rules miss by their first test, or by the one behind
 * a test of an address: mostly short chains do up to their end, and a jump and
 * a return are saved.
 * => NULL: the chain returns, and the rule that says so has counted.  Else the first to evaluate
 */
static __always_inline struct xt2_rule __img *
misses_of(struct xt2_rule __img *r, const struct xt2_pkt *pkt, struct xt2_ctx *ctx)
{
	u32 n = xt2_passable;

	while (r->target_offset > sizeof(*r)) {
		const struct xt2_match __img *m = xt2_rule_first_match(r);

		if (unlikely(!surely_misses(m, pkt)) &&
		    (!is_address(m->type) || r->target_offset - sizeof(*r) <= m->size ||
		     !surely_misses(xt2_match_next(m), pkt)))
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
	return misses_of(first, pkt, ctx);
}

/* --- the loop ---------------------------------------------------------- */

/* The rule counts and its target acts, but its verdict comes too late. */
static void hit_drop(struct xt2_rule __img *r, const struct xt2_chain __img *chain,
		     struct xt2_ctx *ctx)
{
	xt2_rule_count(r, xt2_ctx_pkt(ctx)->len, ctx);
	ctx->chain = xt2_ctx_offset(ctx, chain);
	if (XT2_TARGET_KIND(r->target) == XT2_T_FOREIGN)
		ctx->faults++;
	else if (XT2_TARGET_KIND(r->target) > XT2_T_NAT)
		xt2_target_ext(r, ctx);
}

static int fault(struct xt2_ctx *ctx)
{
	ctx->faults++;
	ctx->chain = ctx->rule = 0;
	return XT2_DROP;
}

/* Not LOG, NFLOG, TRACE. */
static bool target_changes(u8 kind)
{
	return kind != XT2_T_LOG && kind != XT2_T_NFLOG && kind != XT2_T_TRACE;
}

/* One test for both, since which of them comes is hard to predict. */
static __always_inline bool is_plain_verdict(u8 kind, int *verdict)
{
	*verdict = kind == XT2_T_ACCEPT ? XT2_ACCEPT : XT2_DROP;
	return kind == XT2_T_ACCEPT || kind == XT2_T_DROP;
}

/* Nothing has been found for the packet, but what was searched ahead. */
static __always_inline void begin_search(struct xt2_search *s)
{
	if (!s)
		return;
	s->cursor.base = 0;
	if (!s->chain)
		s->keys.have = 0;
}

/* A run counts for all of its rules. => true: it was one */
static __always_inline bool count_run(struct xt2_ctx *ctx, const struct xt2_search *s, u32 len)
{
	struct xt2_run __img *run;

	if (!s || likely(!s->cursor.run))
		return false;
	run = xt2_at(ctx->img, s->cursor.run);
	xt2_rule_count(run, len, ctx);
	return true;
}

/* The chain that a rule names.  dir: the root's.  => NULL: it is not there, unless images are trusted */
static __always_inline const struct xt2_chain __img *chain_named(const struct xt2_image __img *img,
								 const struct xt2_root __img *root,
								 const u32 __img *dir, u32 index)
{
	const u32 __img *page;

	if (!xt2_trusts_images)
		return xt2_image_chain(img, root, index);
	page = xt2_at(img, dir[index / XT2_CHAIN_PAGE]);
	return xt2_at(img, page[index % XT2_CHAIN_PAGE]);
}

static __always_inline bool is_bare_jump(const struct xt2_rule __img *r)
{
	return shape_of(r) == (sizeof(*r) | sizeof(*r) << 16) &&
	       XT2_TARGET_KIND(r->target) == XT2_T_JUMP;
}

/*
 * Go past jumps without conditions that are in vain: they stand in rows.
 * r: one of them; dir: of the root's chains
 * => the rule to look at
 */
static __attribute__((__noinline__)) struct xt2_rule __img *
pass_jumps(struct xt2_rule __img *r, const struct xt2_pkt *pkt, struct xt2_ctx *ctx,
	   const struct xt2_search *s, const u32 __img *dir)
{
	const struct xt2_image __img *img = ctx->img;
	const u32 len = pkt->len;

	do {
		const struct xt2_chain __img *to =
			chain_named(img, ctx->root, dir, XT2_TARGET_ARG(r->target));

		if ((s && to->lookup) || misses_of(xt2_chain_first(to), pkt, ctx))
			break;
		xt2_rule_count(r, len, ctx);
		r = xt2_rule_next(r);
	} while (is_bare_jump(r));
	return r;
}

/* Remember where to go on after a jump. */
static __always_inline void push(struct xt2_ctx *ctx, struct xt2_search *s, u32 depth,
				 const struct xt2_chain __img *chain,
				 const struct xt2_rule __img *r)
{
	struct xt2_frame *frame = xt2_ptr(ctx->stack) + depth;

	frame->chain = xt2_ctx_offset(ctx, chain);
	frame->rule = xt2_ctx_offset(ctx, r);
	if (!s)
		return;
	frame->cursor = s->cursor;
	if (s->cursor.at < s->cursor.end) /* what is left stays below what comes */
		s->cursor.base = s->cursor.end;
}

/* => the jump rule of a frame, and its chain */
static __always_inline struct xt2_rule __img *pop(const struct xt2_ctx *ctx, struct xt2_search *s,
						  u32 depth, const struct xt2_chain __img **chain)
{
	const struct xt2_frame *frame = xt2_ptr(ctx->stack) + depth;

	if (s)
		s->cursor = frame->cursor;
	*chain = xt2_at(ctx->img, frame->chain);
	return xt2_at(ctx->img, frame->rule);
}

/* The rule to look at after r. */
static __always_inline struct xt2_rule __img *
rule_behind(struct xt2_ctx *ctx, const struct xt2_search *s, const struct xt2_chain __img *chain,
	    const struct xt2_pkt *pkt, struct xt2_rule __img *r, u32 len)
{
	if (by_index(s))
		return xt2_at(chain, xt2_next_indexed(ctx, chain, r));
	return next_rule(r, pkt, len, ctx);
}

/* Behind a jump that was not made; only images that are trusted come here, so a rule has a size. */
static __always_inline struct xt2_rule __img *rule_behind_jump(struct xt2_ctx *ctx,
							       const struct xt2_search *s,
							       const struct xt2_chain __img *chain,
							       struct xt2_rule __img *r,
							       const u32 __img *dir)
{
	if (by_index(s))
		return xt2_at(chain, xt2_next_indexed(ctx, chain, r));
	r = xt2_rule_next(r);
	return is_bare_jump(r) ? pass_jumps(r, xt2_ctx_pkt(ctx), ctx, s, dir) : r;
}

/*
 * Go to the chain that r names, or past it.  dir: of the root's chains
 * => the rule to look at, in *chain; NULL: there is no such chain, or no frame for it
 */
static __always_inline struct xt2_rule __img *jump(struct xt2_ctx *ctx, struct xt2_search *s,
						   const u32 __img *dir,
						   const struct xt2_chain __img **chain,
						   struct xt2_rule __img *r, u32 *depth)
{
	const struct xt2_chain __img *to =
		chain_named(ctx->img, ctx->root, dir, XT2_TARGET_ARG(r->target));
	struct xt2_rule __img *first;

	if (!xt2_trusts_images && unlikely(!to))
		return NULL;
	first = xt2_chain_first(to);
	if (xt2_passable && (!s || !to->lookup)) {
		first = pass_chain(first, xt2_ctx_pkt(ctx), ctx);
		if (likely(!first))
			return rule_behind_jump(ctx, s, *chain, r, dir);
	}
	if (unlikely(*depth >= ctx->stack_size))
		return NULL;
	push(ctx, s, (*depth)++, *chain, r);
	*chain = to;
	return enter(ctx, s, to, first);
}

/* s: the context's; NULL is known when it is compiled, where that makes a loop of its own */
static __always_inline int eval_chains(struct xt2_ctx *ctx, const struct xt2_chain __img *base,
				       struct xt2_search *s)
{
	const struct xt2_image __img *img = ctx->img;
	const struct xt2_chain __img *chain = base;
	const u32 __img *dir = xt2_at(img, ctx->root->chain_dir);
	struct xt2_rule __img *r;
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	u32 len = pkt->len;
	const u64 faults = ctx->faults;
	u32 depth = xt2_zero;
	u8 kind;

	ctx->hotdrop = 0;
	begin_search(s);
	r = enter(ctx, s, chain, xt2_chain_first(chain));
	while (xt2_can_loop) {
		int verdict = s && s->cursor.holds ? XT2_HIT : rule_match(r, pkt, ctx);

		if (verdict == XT2_MISS)
			goto next;
		if (unlikely(verdict != XT2_HIT))
			goto hotdrop;
		if (count_run(ctx, s, len))
			goto next;
		xt2_rule_count(r, len, ctx);

		kind = XT2_TARGET_KIND(r->target);
		if (likely(kind == XT2_T_JUMP)) { /* what follows is once a packet, mostly */
			r = jump(ctx, s, dir, &chain, r, &depth);
			if (unlikely(!r))
				return fault(ctx);
			continue;
		}
		if (is_plain_verdict(kind, &verdict))
			goto decided;
		switch (kind) {
		case XT2_T_CONTINUE: goto next;
		case XT2_T_NAT: verdict = XT2_ACCEPT; goto decided;
		case XT2_T_QUEUE:
			ctx->verdict_arg = 0;
			verdict = XT2_QUEUE;
			goto decided;
		case XT2_T_RETURN:
			if (!depth) {
				chain = base;
				r = xt2_chain_tail(base);
				continue;
			}
			r = pop(ctx, s, --depth, &chain);
			goto next;
		case XT2_T_GOTO:
			chain = chain_named(img, ctx->root, dir, XT2_TARGET_ARG(r->target));
			if (!xt2_trusts_images && unlikely(!chain))
				return fault(ctx);
			r = enter(ctx, s, chain, xt2_chain_first(chain));
			continue;
		case XT2_T_FOREIGN: return fault(ctx);
		}
		ctx->chain = xt2_ctx_offset(ctx, chain);
		verdict = xt2_target_ext(r, ctx);
		if (verdict != XT2_NEXT)
			goto decided;
		len = xt2_ctx_pkt(ctx)->len; /* TCPMSS may have changed it */
		if (target_changes(XT2_TARGET_KIND(r->target)))
			packet_changed(s);
next:
		if (unlikely(!r->size))
			return fault(ctx);
		r = rule_behind(ctx, s, chain, pkt, r, len);
		continue;
hotdrop:
		if (verdict == XT2_HIT_DROP)
			hit_drop(r, chain, ctx);
		if (ctx->faults != faults)
			return fault(ctx);
		ctx->hotdrop = 1;
		verdict = XT2_DROP;
decided:
		ctx->chain = xt2_ctx_offset(ctx, chain);
		ctx->rule = xt2_ctx_offset(ctx, r);
		return verdict;
	}
	return fault(ctx);
}

int xt2_eval(struct xt2_ctx *ctx, const struct xt2_hook __img *hook)
{
	const struct xt2_chain __img *base = xt2_image_chain(ctx->img, ctx->root, hook->chain);
	struct xt2_search *s = xt2_ptr(ctx->search);
	int verdict;

	if (unlikely(!base)) {
		ctx->hotdrop = 0;
		return fault(ctx);
	}
	if (!xt2_special_loops)
		return eval_chains(ctx, base, s);
	if (!s)
		return eval_chains(ctx, base, NULL);
	verdict = base->lookup ? xt2_eval_at_once(ctx, base) : XT2_NEXT;
	return verdict != XT2_NEXT ? verdict : eval_chains(ctx, base, s);
}
