/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * left.h - what a table's program leaves to companions: steps and questions (act.h)
 *
 * A table of numbers in the arena says which step a rule is, and which question a match: by
 * their offsets in the image, so the image stays as it was written.  Evaluation notes a step
 * as an event of the packet; the list of a packet's steps is made of these in the end.
 */
#ifndef XT2_KERNEL_BPF_LEFT_H
#define XT2_KERNEL_BPF_LEFT_H

/* Where a packet's list is made, by slot; the host says how many there are. */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XT2_SLOTS);
	__type(key, u32);
	__type(value, struct xt2_steps);
} lists SEC(".maps");

/* => the number that the table has for a rule or a match; 0: none */
static __always_inline u32 number_of(const struct xt2_ctx *ctx, const void __img *p)
{
	const struct xt2_left __img *left = ctx->left, *at;
	u32 offset = xt2_ctx_offset(ctx, p), i = XT2_LEFT_HASH(offset), mask = ctx->left_mask;
	u32 tries = xt2_zero;

	if (!mask)
		return 0;
	for (; tries <= mask && xt2_can_loop; tries++, i++) {
		at = left + (i & mask);
		if (at->offset == offset)
			return at->number;
		if (!at->offset)
			break;
	}
	return 0;
}

/* The kernel's own match has been asked, or has to be. */
int xt2_foreign_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	u32 number = number_of(ctx, m);

	if (!number) {
		ctx->faults++;
		return XT2_HOTDROP;
	}
	if (xt2_can_stop && number & XT2_STOP_NUMBER) {
		if (ctx->asked != number || ctx->asked_at != xt2_ctx_offset(ctx, m)) {
			ctx->asked = number;
			ctx->asked_at = xt2_ctx_offset(ctx, m);
			return XT2_STOP;
		}
		ctx->asked = 0;
		return ctx->yes ? XT2_HIT : XT2_MISS;
	}
	return ctx->answers >> ((number - 1) & 63) & 1 ? XT2_HIT : XT2_MISS;
}

/* Images are checked before they come here. */
int xt2_foreign_check(const struct xt2_match __img *m, u8 family)
{
	return -EINVAL;
}

/* Is what connection tracking is told about a packet told by this rule? */
static __always_inline bool has_say(struct xt2_pkt *pkt, const struct xt2_rule __img *r)
{
	if (XT2_TARGET_KIND(r->target) == XT2_T_NOTRACK ||
	    XT2_CT_FLAGS(XT2_TARGET_ARG(r->target)) & XT2_CT_UNTRACKS)
		return pkt->notrack;
	if (pkt->ct_template != XT2_TEMPLATE_NEW)
		return false;
	pkt->ct_template = XT2_TEMPLATE_THERE;
	return true;
}

/* A companion will do what the program does not model: see xt2_left_target(). */
int xt2_foreign_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx)
{
	return XT2_NEXT;
}

/* A companion will do this.  => false: there is none; XT2_LEAVES_LAST: and no more */
int xt2_left_target(const struct xt2_rule __img *r xt2_arg_img, struct xt2_ctx *ctx xt2_arg_there)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	u32 number = number_of(ctx, r);
	struct xt2_event *e;

	if ((kind == XT2_T_NOTRACK || kind == XT2_T_CT) && !has_say(pkt, r))
		return true; /* it came too late, and does nothing */
	if (!number || ctx->nevents >= ctx->events_size) {
		ctx->faults++;
		return false;
	}
	e = xt2_ptr(ctx->events) + ctx->nevents++;
	e->target = kind;
	e->rule = xt2_ctx_offset(ctx, r);
	e->value = (u16)(number - 1);
	if (number & XT2_STEP_HOPS)
		e->value += xt2_ptr(pkt->data)[kind == XT2_T_TTL ? 8 : 7];
	return number & XT2_STEP_LAST ? XT2_LEAVES_LAST : true;
}

#define IS_STEP(e) ((e)->target != XT2_T_LOG && (e)->target != XT2_T_NFLOG)

/* Does what a step does last longer than its packet? */
static __always_inline bool outlives(u8 target)
{
	return target == XT2_T_CONNMARK || target == XT2_T_FOREIGN;
}

/* In the list of a slot, which is empty.  => false: there is no room */
static __noinline bool list_steps(struct xt2_slot __img *slot, u32 number, u32 events)
{
	struct xt2_steps *list = bpf_map_lookup_elem(&lists, &number);
	u32 i = xt2_zero, n = xt2_zero, kept = at_most(events, XT2_EVENTS);
	u32 last = XT2_STEP_DROP;

	if (!list)
		return false;
	for (; i < kept && xt2_can_loop; i++) {
		const struct xt2_event __img *e = &slot->happened[i];

		if (!IS_STEP(e) || (e->target == XT2_T_MARK && e->value == last))
			continue;
		last = e->value;
		if (n >= XT2_STEPS_MAX - 1)
			return false;
		list->step[n++] = last;
		slot->lasts |= outlives(e->target);
	}
	if (i < kept)
		return false;
	list->count = n;
	return true;
}

/*
 * The companions of a region are to do what the packet met.
 * drop: and then it is dropped
 * => false: it is dropped now; that is a fault but for drop
 */
static __noinline bool leave_steps(struct sk_buff *skb, struct xt2_slot __img *slot, u32 number,
				   u32 region, bool drop)
{
	struct xt2_steps *list;
	u64 packet = (u64)skb;
	u32 n;

	slot->lasts = 0;
	if (!list_steps(slot, number, slot->events_of))
		return false;
	list = bpf_map_lookup_elem(&lists, &number);
	if (!list || (drop && !slot->lasts))
		return false;
	n = list->count;
	if (!n)
		return !drop;
	list->at = 0;
	list->region = region;
	if (drop && n < XT2_STEPS_MAX) {
		list->step[n] = XT2_STEP_DROP;
		list->count = n + 1;
	}
	return !bpf_map_update_elem(&steps, &packet, list, BPF_ANY);
}

/* Where a stop is noted, by slot; the host says how many there are. */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XT2_SLOTS);
	__type(key, u32);
	__type(value, struct xt2_stopped);
} stops SEC(".maps");

/* => a frame's place in the map; the verifier has to see that there is one */
static __always_inline u32 frame_place(u32 i)
{
	xt2_in_turn(i);
	return i % XT2_STOP_DEPTH;
}

/* Evaluation has stopped, and will go on there.  => false: there is no room */
static __noinline bool remember(struct sk_buff *skb, struct xt2_slot __img *slot, u32 number,
				u32 table)
{
	const struct xt2_ctx *ctx = bpf_map_lookup_elem(&contexts, &number);
	struct xt2_stopped *s = bpf_map_lookup_elem(&stops, &number);
	const u64 __img *from;
	u64 packet = (u64)skb;
	u32 i;

	_Static_assert(sizeof(struct xt2_frame) == sizeof(s->frame[0]), "another size");
	_Static_assert(sizeof(struct xt2_cursor) == sizeof(s->cursor), "another size");
	if (!ctx || !s || ctx->place.depth > XT2_STOP_DEPTH)
		return false;
	s->ruleset = slot->ruleset;
	s->answers = ctx->answers;
	s->rule = ctx->rule;
	s->chain = ctx->chain;
	s->base = xt2_ctx_offset(ctx, ctx->place.base);
	s->depth = ctx->place.depth;
	s->epoch = slot->search.epoch;
	s->question = ctx->asked;
	s->match = ctx->asked_at;
	s->region = slot->region;
	s->table = table;
	s->rules = s->yes = 0;
	from = (const u64 __img *)&slot->search.cursor;
	for (i = 0; i < XT2_ARRAY_SIZE(s->cursor); i++)
		s->cursor[i] = from[i];
	from = (const u64 __img *)(u64)ctx->stack;
	for (i = xt2_zero; i < XT2_STOP_DEPTH && i < s->depth && xt2_can_loop; i++) {
		u64 *frame = s->frame[frame_place(i)];

		frame[0] = from[4 * i];
		frame[1] = from[4 * i + 1];
		frame[2] = from[4 * i + 2];
		frame[3] = from[4 * i + 3];
	}
	return !bpf_map_update_elem(&stopped, &packet, s, BPF_ANY);
}

/* Go on there.  => false: it has not been asked, or steps before it have not been done */
static __noinline bool recall(struct sk_buff *skb, struct xt2_slot __img *slot, u32 number)
{
	struct xt2_ctx *ctx = bpf_map_lookup_elem(&contexts, &number);
	u64 packet = (u64)skb;
	const struct xt2_stopped *s = bpf_map_lookup_elem(&stopped, &packet);
	u64 __img *to;
	bool whole;
	u32 i;

	if (!ctx || !s)
		return false;
	whole = s->rules == s->question >> XT2_STOP_RULES && s->depth <= ctx->stack_size &&
		!bpf_map_lookup_elem(&steps, &packet);
	ctx->answers = s->answers;
	ctx->rule = s->rule;
	ctx->place.chain = xt2_at(ctx->img, s->chain);
	ctx->place.base = xt2_at(ctx->img, s->base);
	ctx->place.depth = s->depth;
	ctx->asked = s->question;
	ctx->asked_at = s->match;
	ctx->yes = s->yes;
	ctx->resumes = 1;
	slot->search.epoch = s->epoch;
	to = (u64 __img *)&slot->search.cursor;
	for (i = 0; i < XT2_ARRAY_SIZE(s->cursor); i++)
		to[i] = s->cursor[i];
	to = (u64 __img *)(u64)ctx->stack;
	for (i = xt2_zero; i < XT2_STOP_DEPTH && whole && i < s->depth && xt2_can_loop; i++) {
		const u64 *frame = s->frame[frame_place(i)];

		to[4 * i] = frame[0];
		to[4 * i + 1] = frame[1];
		to[4 * i + 2] = frame[2];
		to[4 * i + 3] = frame[3];
	}
	bpf_map_delete_elem(&stopped, &packet);
	return whole;
}

/* => the ruleset that a packet has stopped in, in a table; 0: it has not */
static __noinline u64 stopped_in(struct sk_buff *skb, u32 table)
{
	u64 packet = (u64)skb;
	const struct xt2_stopped *s = bpf_map_lookup_elem(&stopped, &packet);

	return s && s->table == table ? s->ruleset : 0;
}

/* What another packet at this address had, which nobody has done. */
static __noinline void forget_steps(struct sk_buff *skb)
{
	u64 packet = (u64)skb;

	if (bpf_map_lookup_elem(&steps, &packet)) /* without a lock */
		bpf_map_delete_elem(&steps, &packet);
}

/* What was answered about a packet.  => false: not all of so many rules have asked */
static __noinline bool take_answers(struct sk_buff *skb, struct xt2_slot __img *slot, u32 region,
				    u32 rules)
{
	struct xt2_answers_key key = { (u64)skb, region };
	struct xt2_answers *a = bpf_map_lookup_elem(&answers, &key);
	bool all;

	if (!a)
		return false;
	slot->answers = a->yes;
	all = a->rules == rules;
	bpf_map_delete_elem(&answers, &key);
	return all;
}

#endif
