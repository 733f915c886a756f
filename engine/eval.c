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
#include "eval-skip.h"

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

/* Base tests that are rare; the common ones are in xt2_match(). */
xt2_separate int xt2_rare_match(const struct xt2_match __img *m xt2_arg_img,
				struct xt2_ctx *ctx xt2_arg_there);
int xt2_rare_match(const struct xt2_match __img *m xt2_arg_img, struct xt2_ctx *ctx xt2_arg_there)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);

	switch (m->type) {
	case XT2_M_SRC4_MASK: return xt2_answer(m, xt2_addr4_masked(m, pkt->src4));
	case XT2_M_DST4_MASK: return xt2_answer(m, xt2_addr4_masked(m, pkt->dst4));
	case XT2_M_IN_MASK: return xt2_answer(m, xt2_iface_masked(m, pkt->in));
	case XT2_M_OUT_MASK: return xt2_answer(m, xt2_iface_masked(m, pkt->out));
	case XT2_M_FRAGMENT: return xt2_answer(m, pkt->fragoff != 0);
	case XT2_M_ARP_HRD: return xt2_answer(m, xt2_arp_field(m, pkt, 0, 2));
	case XT2_M_ARP_PRO: return xt2_answer(m, xt2_arp_field(m, pkt, 2, 2));
	case XT2_M_ARP_HLN: return xt2_answer(m, xt2_arp_field(m, pkt, 4, 1));
	case XT2_M_ARP_OP: return xt2_answer(m, xt2_arp_field(m, pkt, 6, 2));
	case XT2_M_ARP_SHA: return xt2_answer(m, xt2_arp_dev(m, pkt, 8));
	case XT2_M_ARP_THA: /* after a 6-byte sender and its IPv4 address */
		return xt2_answer(m, xt2_arp_dev(m, pkt, 18));
	}
	/* A bridge's base tests count as unevaluated matches: a fault, and the packet is dropped. */
	return xt2_match_ext(m, ctx);
}

/* pkt: the context's */
static __always_inline int xt2_match(const struct xt2_match __img *m, const struct xt2_pkt *pkt,
				     struct xt2_ctx *ctx)
{
	int answer;

	switch (m->type) {
	case XT2_M_SRC4: return xt2_answer(m, xt2_addr4_equal(m, pkt->src4));
	case XT2_M_DST4: return xt2_answer(m, xt2_addr4_equal(m, pkt->dst4));
	case XT2_M_SRC6: return xt2_answer(m, xt2_addr6_equal(m, pkt->src));
	case XT2_M_DST6: return xt2_answer(m, xt2_addr6_equal(m, pkt->dst));
	case XT2_M_SRC6_MASK: return xt2_answer(m, xt2_addr6_masked(m, pkt->src));
	case XT2_M_DST6_MASK: return xt2_answer(m, xt2_addr6_masked(m, pkt->dst));
	case XT2_M_IN: return xt2_answer(m, xt2_iface_equal(m, pkt->in));
	case XT2_M_OUT: return xt2_answer(m, xt2_iface_equal(m, pkt->out));
	case XT2_M_PROTO: return xt2_proto_match(m, pkt);
	case XT2_M_TCP:
	case XT2_M_UDP:
		answer = xt2_one_port_(m, pkt,
				       m->type == XT2_M_TCP ? XT2_TCP_HEADER_ : XT2_UDP_HEADER_);
		if (likely(answer >= 0))
			return answer; /* else the extension has to say */
		break;
	}
	return m->type < XT2_M_TCP ? xt2_rare_match(m, ctx) : xt2_match_ext(m, ctx);
}

/* The kernel ended a loop, so the rule's answer is not known. */
static __always_inline int out_of_time(struct xt2_ctx *ctx)
{
	ctx->faults++;
	return XT2_HOTDROP;
}

/* A match drops but holds: the matches after m decide if the rule is done. */
xt2_separate int xt2_rest_match(const struct xt2_rule __img *r xt2_arg_img,
				const struct xt2_match __img *m xt2_arg_img,
				struct xt2_ctx *ctx xt2_arg_there);
int xt2_rest_match(const struct xt2_rule __img *r xt2_arg_img,
		   const struct xt2_match __img *m xt2_arg_img, struct xt2_ctx *ctx xt2_arg_there)
{
	const struct xt2_match __img *end = xt2_rule_target_data(r);
	int answer;

	for (m = xt2_match_next(m); m < end; m = xt2_match_next(m)) {
		if (unlikely(!xt2_can_loop))
			return out_of_time(ctx);
		answer = xt2_match(m, xt2_ctx_pkt(ctx), ctx);
		xt2_forget(answer);
		if (answer != XT2_HIT && answer != XT2_HIT_DROP)
			return XT2_HOTDROP;
	}
	return XT2_HIT_DROP;
}

/* => XT2_HIT if every match of the rule holds */
static __always_inline int rule_match(const struct xt2_rule __img *r, const struct xt2_pkt *pkt,
				      struct xt2_ctx *ctx)
{
	const struct xt2_match __img *m = xt2_rule_first_match(r), *end = xt2_rule_target_data(r);

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
	} while (m < end);
	return XT2_HIT;
}

/* --- the loop ---------------------------------------------------------- */

/*
 * Arguments of the loop's parts: s is the context's search; a compile-time NULL
 * makes a loop of its own for packets without one.  dir is the root's directory
 * of chains.  at is where the packet is.
 *
 * The parts say that they failed with false, not with a NULL of what they found: a
 * verifier would remember that it is none, and follow the loop once more for each such fact.
 */

/* first: of the chain, or the first that may match.  => the rule to evaluate */
static __always_inline struct xt2_rule __img *enter(struct xt2_ctx *ctx, struct xt2_search *s,
						    const struct xt2_chain __img *chain,
						    struct xt2_rule __img *first)
{
	if (!s)
		return first;
	s->cursor.indexed = s->cursor.run = s->cursor.holds = 0;
	s->cursor.at = s->cursor.end = s->cursor.base;
	if (chain->lookup)
		return xt2_away(chain, xt2_enter_index(ctx, chain));
	return first;
}

/*
 * Evaluation has stopped in a rule.  Another packet may have been there since, so candidates are searched again.
 * => that rule
 */
static __always_inline struct xt2_rule __img *resume(struct xt2_ctx *ctx, struct xt2_search *s)
{
	if (s) {
		s->epoch = (s->epoch + 1) & XT2_EPOCH_LAST;
		s->keys.have = s->chain = s->ordered = 0;
		s->spanned = s->patched = 0;
		s->cursor.holds = 0;
	}
	return xt2_at(ctx->img, ctx->rule);
}

/* No candidates are known yet, except from a search ahead.  => the first rule to evaluate */
static __always_inline struct xt2_rule __img *begin(struct xt2_ctx *ctx, struct xt2_search *s,
						    struct xt2_place *at,
						    const struct xt2_chain __img *chain)
{
	ctx->hotdrop = 0;
	if (xt2_can_stop && ctx->resumes)
		return resume(ctx, s);
	at->base = at->chain = chain;
	at->depth = 0;
	if (s) {
		s->cursor.base = 0;
		if (!s->chain)
			s->keys.have = 0;
	}
	return enter(ctx, s, chain, xt2_chain_first(chain));
}

/* Remember where to go on after a jump. */
static __always_inline void push(struct xt2_ctx *ctx, struct xt2_search *s, struct xt2_place *at,
				 const struct xt2_rule __img *r)
{
	const u32 depth = at->depth;
	struct xt2_frame *frame = xt2_ptr(ctx->stack) + depth;

	at->depth = depth + 1;
	frame->chain = xt2_ctx_offset(ctx, at->chain);
	frame->rule = xt2_ctx_offset(ctx, r);
	if (!s)
		return;
	frame->cursor = s->cursor;
	if (s->cursor.at < s->cursor.end) /* the candidates left stay below those to come */
		s->cursor.base = s->cursor.end;
}

/* There is a frame.  => its jump rule */
static __always_inline struct xt2_rule __img *pop(const struct xt2_ctx *ctx, struct xt2_search *s,
						  struct xt2_place *at)
{
	const u32 depth = at->depth - 1;
	const struct xt2_frame *frame = xt2_ptr(ctx->stack) + depth;

	at->depth = depth;
	if (s)
		s->cursor = frame->cursor;
	at->chain = xt2_at(ctx->img, frame->chain);
	return xt2_at(ctx->img, frame->rule);
}

/* jumped: after a jump that was not made, a constant.  => the rule to evaluate after r */
static __always_inline struct xt2_rule __img *next(struct xt2_ctx *ctx, const struct xt2_search *s,
						   const struct xt2_chain __img *chain,
						   const struct xt2_pkt *pkt,
						   struct xt2_rule __img *r, u32 len,
						   const u32 __img *dir, bool jumped)
{
	if (s && s->cursor.indexed)
		return xt2_away(chain, xt2_next_indexed(ctx, chain, r));
	if (!jumped)
		return next_rule(r, pkt, len, ctx);
	r = xt2_rule_next(r); /* only images that are trusted come here, so it has a size */
	return is_bare_jump(r) ? pass_jumps(r, xt2_ctx_pkt(ctx), ctx, s, dir) : r;
}

/*
 * Go to the chain that *r names, or past it; *r becomes the rule to evaluate.
 * => false: there is no such chain, or no frame for it
 */
static __always_inline bool jump(struct xt2_ctx *ctx, struct xt2_search *s, const u32 __img *dir,
				 struct xt2_place *at, struct xt2_rule __img **r)
{
	const u32 offset = chain_named(ctx->img, ctx->root, dir, *r);
	const struct xt2_chain __img *to = xt2_at(ctx->img, offset);
	struct xt2_rule __img *first = xt2_chain_first(to);

	if (!xt2_trusts_images && unlikely(!offset))
		return false;
	if (xt2_passable && (!s || !to->lookup)) {
		first = pass_chain(first, xt2_ctx_pkt(ctx), ctx);
		if (likely(!first)) {
			*r = next(ctx, s, at->chain, NULL, *r, 0, dir, true);
			return true;
		}
	}
	if (unlikely(at->depth >= ctx->stack_size))
		return false;
	push(ctx, s, at, *r);
	at->chain = to;
	*r = enter(ctx, s, to, first);
	return true;
}

/* The same without a way back. */
static __always_inline bool go_to(struct xt2_ctx *ctx, struct xt2_search *s, const u32 __img *dir,
				  struct xt2_place *at, struct xt2_rule __img **r)
{
	const u32 offset = chain_named(ctx->img, ctx->root, dir, *r);
	const struct xt2_chain __img *to = xt2_at(ctx->img, offset);

	if (!xt2_trusts_images && unlikely(!offset))
		return false;
	at->chain = to;
	*r = enter(ctx, s, to, xt2_chain_first(to));
	return true;
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

static int fault(struct xt2_ctx *ctx)
{
	ctx->faults++;
	ctx->chain = ctx->rule = 0;
	return XT2_DROP;
}

static __always_inline int decided(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
				   const struct xt2_rule __img *r, int verdict)
{
	ctx->chain = xt2_ctx_offset(ctx, chain);
	ctx->rule = xt2_ctx_offset(ctx, r);
	return verdict;
}

/* Is the target called where it is?  The engine only knows that it is there. */
static __always_inline bool is_native(u8 kind)
{
	return xt2_has_native && (kind == XT2_T_FOREIGN || kind == XT2_T_NAT);
}

/* What a target did is only modelled where somebody else does it.  => the verdict */
static __always_inline int acted(struct xt2_ctx *ctx, const struct xt2_rule __img *r, int verdict)
{
	const u8 kind = XT2_TARGET_KIND(r->target);

	if (kind == XT2_T_NFQUEUE || (verdict == XT2_NEXT && kind >= XT2_T_MARK))
		(void)xt2_leaves(r, ctx);
	return verdict;
}

/* The target of a rule whose verdict comes too late acts all the same. */
static void act_late(struct xt2_ctx *ctx, const struct xt2_rule __img *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);

	if (is_native(kind))
		(void)xt2_native_target(r, ctx);
	else if (kind == XT2_T_FOREIGN)
		ctx->faults += !xt2_leaves(r, ctx);
	else if (kind > XT2_T_NAT)
		acted(ctx, r, xt2_target_ext(r, ctx));
}

/*
 * A match does not only hold or miss: it stops evaluation, or drops the packet.  If its rule holds all the same, the rule counts
 * and its target acts, but its verdict comes too late.
 * faults: before the match
 */
static int hotdrop(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
		   struct xt2_rule __img *r, int answer, u64 faults)
{
	if (xt2_can_stop && answer == XT2_STOP)
		return decided(ctx, chain, r, XT2_STOPPED);
	if (answer == XT2_HIT_DROP) {
		xt2_rule_count(r, xt2_ctx_pkt(ctx)->len, ctx);
		ctx->chain = xt2_ctx_offset(ctx, chain);
		act_late(ctx, r);
	}
	if (ctx->faults != faults)
		return fault(ctx);
	ctx->hotdrop = 1;
	ctx->late = answer == XT2_HIT_DROP;
	return decided(ctx, chain, r, XT2_DROP);
}

/* One test for both: the branch would be unpredictable. */
static __always_inline bool is_plain_verdict(u8 kind, int *verdict)
{
	*verdict = kind == XT2_T_ACCEPT ? XT2_ACCEPT : XT2_DROP;
	return kind == XT2_T_ACCEPT || kind == XT2_T_DROP;
}

/* Targets that are not the loop's own.  => enum xt2_verdict; XT2_NEXT: go on */
static __always_inline int act(struct xt2_ctx *ctx, struct xt2_search *s, struct xt2_place *at,
			       const struct xt2_rule __img *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	int verdict;

	if (kind == XT2_T_NAT && !xt2_has_native)
		return XT2_ACCEPT;
	if (kind == XT2_T_QUEUE) {
		ctx->verdict_arg = 0;
		return XT2_QUEUE;
	}
	ctx->chain = xt2_ctx_offset(ctx, at->chain);
	verdict = is_native(kind) ? xt2_native_target(r, ctx)
				  : acted(ctx, r, xt2_target_ext(r, ctx));
	if (verdict != XT2_NEXT)
		return verdict;
	at->len = xt2_ctx_pkt(ctx)->len; /* TCPMSS may have changed it */
	if (s && kind != XT2_T_LOG && kind != XT2_T_NFLOG && kind != XT2_T_TRACE) {
		/* The packet changed: candidates and keys are stale. */
		s->epoch = (s->epoch + 1) & XT2_EPOCH_LAST;
		s->keys.have = 0;
	}
	return XT2_NEXT;
}

/* Somebody else does what the target says.  => XT2_NEXT: and the packet goes on */
static __always_inline int left_to(struct xt2_ctx *ctx, const struct xt2_chain __img *chain,
				   struct xt2_rule __img *r)
{
	const int left = xt2_leaves(r, ctx);

	if (!left)
		return fault(ctx);
	return left == XT2_LEAVES_LAST ? decided(ctx, chain, r, XT2_ACCEPT) : XT2_NEXT;
}

static __always_inline int eval_chains(struct xt2_ctx *ctx, const struct xt2_chain __img *base,
				       struct xt2_search *s)
{
	const u32 __img *dir = xt2_at(ctx->img, ctx->root->chain_dir);
	const struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	struct xt2_place own, *at = xt2_place(ctx, &own);
	struct xt2_rule __img *r;
	u8 kind;

	at->faults = ctx->faults;
	at->len = pkt->len;
	r = begin(ctx, s, at, base);
	while (xt2_can_loop) {
		int verdict = s && s->cursor.holds ? XT2_HIT : rule_match(r, pkt, ctx);

		if (verdict == XT2_MISS)
			goto next;
		if (unlikely(verdict != XT2_HIT))
			return hotdrop(ctx, at->chain, r, verdict, at->faults);
		if (count_run(ctx, s, at->len))
			goto next;
		xt2_rule_count(r, at->len, ctx);
		kind = XT2_TARGET_KIND(r->target);
		if (likely(kind == XT2_T_JUMP)) { /* the others are once a packet, mostly */
			if (unlikely(!jump(ctx, s, dir, at, &r)))
				return fault(ctx);
			continue;
		}
		if (is_plain_verdict(kind, &verdict))
			return decided(ctx, at->chain, r, verdict);
		switch (kind) {
		case XT2_T_CONTINUE: goto next;
		case XT2_T_RETURN:
			if (at->depth) {
				r = pop(ctx, s, at);
				goto next;
			}
			at->chain = at->base;
			r = xt2_chain_tail(at->base);
			continue;
		case XT2_T_GOTO:
			if (unlikely(!go_to(ctx, s, dir, at, &r)))
				return fault(ctx);
			continue;
		case XT2_T_FOREIGN:
			if (xt2_has_native)
				break;
			verdict = left_to(ctx, at->chain, r);
			if (verdict != XT2_NEXT)
				return verdict;
			goto next;
		}
		verdict = act(ctx, s, at, r);
		if (verdict != XT2_NEXT)
			return decided(ctx, at->chain, r, verdict);
next:
		if (unlikely(!r->size))
			return fault(ctx);
		r = next(ctx, s, at->chain, pkt, r, at->len, dir, false);
	}
	return fault(ctx);
}

int xt2_eval(struct xt2_ctx *ctx, const struct xt2_hook __img *hook)
{
	const u32 offset = hook->chain < ctx->root->chains
				   ? xt2_chain_offset(ctx->img, ctx->root, hook->chain)
				   : 0;
	const struct xt2_chain __img *base = xt2_at(ctx->img, offset);
	struct xt2_search *s = xt2_can_search ? xt2_ptr(ctx->search) : NULL;
	int verdict;

	if (unlikely(!offset)) {
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
