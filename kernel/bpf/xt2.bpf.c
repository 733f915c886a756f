/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt2.bpf.c - packets at the kernel's hooks, as the evaluator wants them
 *
 * A netfilter program for each table.  It takes a slot of its processor, copies
 * there what the rules may look at, evaluates the table's base chain of the
 * live ruleset, and answers accept or drop: such a program can't do more, and leaves
 * the rest to companions (act.h, left.h).  A
 * packet that could not be evaluated (a broken image, a budget of the kernel's
 * that is used up, bytes beyond what a slot holds) is dropped and counts as a
 * fault.
 *
 * Headers are copied first, and all of the packet only if that was not enough:
 * the rules' matches look no further than 60 bytes into a transport header,
 * but for those that say XT2_NEED_BYTES.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define _LINUX_TYPES_H /* vmlinux.h has them */
#include "env.h"
#include "engine/eval.h"
#include "act.h"
#include "slot.h"

#include <bpf/bpf_endian.h>
#include "connection.h"
#include "ether.h"

/* The kernel limits the depth of calls, so the evaluator is part of each program. */
__always_inline int xt2_eval(struct xt2_ctx *ctx, const struct xt2_hook __img *hook);
#include "engine/eval.c"

#define HEADERS	    128 /* bytes that are copied at first */
#define TRANSPORT   60 /* bytes of a transport header */
#define SHORTEST    8 /* of packets */
#define ROOM	    60 /* bytes for more options */
#define MTU_MAX	    0xffff
#define ICMP	    1 /* protocols */
#define ICMPV6	    58
#define XT2_NO_SLOT (~0u)

extern int bpf_dynptr_from_skb(struct __sk_buff *skb, u64 flags, struct bpf_dynptr *d) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *d, u32 off, void *buf, u32 size) __ksym;
extern void *bpf_rdonly_cast(const void *obj, u32 type) __ksym;
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;
extern void __img *bpf_arena_alloc_pages(void *arena, void __img *at, u32 pages, int node,
					 u64 flags) __ksym;
extern void bpf_arena_free_pages(void *arena, void __img *from, u32 pages) __ksym;

#define EXPORTED __attribute__((__visibility__("default")))

EXPORTED char _license[] SEC("license") = "GPL";

EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_ARENA);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, XT2_ARENA_PAGES);
	__ulong(map_extra, XT2_ARENA_BASE);
} arena SEC(".maps");

/*
 * One for each slot; the host says how many there are.  On the stack they
 * would leave too little of it for searches, and the verifier would follow
 * what is in them.
 */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XT2_SLOTS);
	__type(key, u32);
	__type(value, struct xt2_ctx);
} contexts SEC(".maps");

/*
 * The evaluator of each table.  They are loaded for what the rules need, and replaced when rules
 * need more; the programs at the hooks stay, since the kernel drops queued packets with a hook.
 */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, XT2_PROGRAMS);
	__type(key, u32);
	__type(value, u32);
} evaluators SEC(".maps");

#include "act-maps.h"

/* Tell the verifier whose the addresses are. */
#define use_arena() __asm__ volatile("" : : "r"(&arena))

/* What rules need of this evaluator: see env.h. */
EXPORTED const volatile u32 xt2_can SEC(".rodata.xt2") = ~0u;

/*
 * Programs call global functions, and older kernels do not allow that with preemption off.  Those
 * that do know of each function whether it might sleep: since Linux 6.15.
 */
struct bpf_subprog_info___xt2 {
	bool might_sleep : 1;
} __attribute__((__preserve_access_index__));
#define xt2_can_stay bpf_core_field_exists(struct bpf_subprog_info___xt2, might_sleep)

/* Does a ruleset need it?  Then so does the evaluator. */
static __always_inline bool has(const struct xt2_live_ruleset __img *live, u32 need)
{
	return xt2_can & need && live->needs & need;
}

/* Bytes [off, off + SIZE); a slice has a fixed size. */
#define COPY(SIZE)                                                                           \
	static __always_inline bool copy_##SIZE(struct bpf_dynptr *d, u8 __img *to, u32 off) \
	{                                                                                    \
		u64 __img *w = (u64 __img *)(to + off);                                      \
		u64 buf[SIZE / 8], *from = bpf_dynptr_slice(d, off, buf, SIZE);              \
                                                                                             \
		if (!from)                                                                   \
			return false;                                                        \
		for (u32 i = 0; i < SIZE / 8; i++)                                           \
			w[i] = from[i];                                                      \
		return true;                                                                 \
	}
COPY(64)
COPY(16)
COPY(8)

/*
 * The first n bytes, 8 or more; the last step overlaps the one before.  How far
 * it got is in memory, or else the verifier would follow each step.
 */
static __always_inline bool copy_slices(struct bpf_dynptr *d, struct xt2_slot __img *slot, u32 n)
{
	volatile u32 __img *copied = &slot->copied;
	u8 __img *to = slot->bytes;
	u32 off;

	if (n < 16)
		return copy_8(d, to, 0) && copy_8(d, to, n - 8);
	*copied = 0;
	if (n < 64) {
		while ((off = *copied) + 16 < n && xt2_can_loop) {
			if (!copy_16(d, to, off))
				return false;
			*copied = off + 16;
		}
		return off + 16 >= n && copy_16(d, to, n - 16);
	}
	while ((off = *copied) + 64 < n && xt2_can_loop) {
		if (!copy_64(d, to, off))
			return false;
		*copied = off + 64;
	}
	return off + 64 >= n && copy_64(d, to, n - 64);
}

static __noinline bool copy(struct sk_buff *skb, struct xt2_slot __img *slot, u32 n)
{
	struct bpf_dynptr d;

	return !bpf_dynptr_from_skb((struct __sk_buff *)skb, 0, &d) && copy_slices(&d, slot, n);
}

/*
 * The same without calls, for most packets' headers: read as a kernel's
 * structure that has enough words.  What is behind n is there and not used.
 */
static __always_inline bool copy_headers(struct sk_buff *skb, struct xt2_slot __img *slot, u32 n)
{
	const u32 type = bpf_core_type_id_kernel(struct rtnl_link_stats64);
	u64 __img *to = (u64 __img *)slot->bytes;
	const u64 *from;

	_Static_assert(sizeof(struct rtnl_link_stats64) >= HEADERS, "too small");
	if (n > HEADERS || n > skb->len - skb->data_len)
		return false;
	from = bpf_rdonly_cast(skb->data, type);
	for (u32 i = 0; i < HEADERS / 8; i++)
		to[i] = from[i];
	return true;
}

/* As a structure that has words, for want of a name that has. */
static __always_inline void read_name(u64 __img *to, const struct net_device *dev)
{
	const u32 type = bpf_core_type_id_kernel(struct rtnl_link_stats64);
	u64 name[2] = { 0 };
	const u64 *from;

	if (dev) {
		from = bpf_rdonly_cast(dev->name, type);
		name[0] = from[0];
		name[1] = from[1];
	}
	to[0] = name[0];
	to[1] = name[1];
}

#define NEED_ASKED \
	(XT2_NEED_NAMES | XT2_NEED_GROUPS | XT2_NEED_TYPE | XT2_NEED_STATE | XT2_NEED_ETHER)

/*
 * What only the kernel knows, as far as a rule asks for it.  In a frame of its
 * own, which is gone when the evaluator needs the stack.
 */
static __noinline void ask_kernel(struct xt2_slot __img *slot, struct bpf_nf_ctx *nf, u32 needs)
{
	const struct net_device *in = nf->state->in, *out = nf->state->out;
	struct xt2_pkt __img *pkt = &slot->pkt;
	struct sk_buff *skb = nf->skb;

	if (needs & XT2_NEED_NAMES) {
		read_name(pkt->in, in);
		read_name(pkt->out, out);
	}
	if (needs & XT2_NEED_GROUPS) {
		pkt->in_group = in ? BPF_CORE_READ(in, group) : 0;
		pkt->out_group = out ? BPF_CORE_READ(out, group) : 0;
	}
	if (needs & XT2_NEED_TYPE)
		pkt->pkttype = BPF_CORE_READ_BITFIELD_PROBED(skb, pkt_type);
	if (xt2_can & needs & XT2_NEED_STATE)
		read_connection(&pkt->ct, skb, needs);
	if (xt2_can & needs & XT2_NEED_ETHER)
		read_ether(slot, skb);
}

static __always_inline void read_metadata(struct xt2_slot __img *slot, struct bpf_nf_ctx *nf,
					  u32 needs)
{
	struct xt2_pkt __img *pkt = &slot->pkt;

	pkt->len = nf->skb->len;
	pkt->mark = nf->skb->mark;
	pkt->hook = nf->state->hook;
	if (needs & NEED_ASKED)
		ask_kernel(slot, nf, needs);
}

static __always_inline u32 at_most(u32 a, u32 b)
{
	return a < b ? a : b;
}

/* => false: it can't be evaluated */
static __always_inline bool read_bytes(struct xt2_slot __img *slot, struct bpf_nf_ctx *nf,
				       u32 needs)
{
	struct xt2_pkt *pkt = (struct xt2_pkt *)&slot->pkt;
	u32 whole = at_most(pkt->len, XT2_PACKET_MAX), n = whole;
	u8 family = nf->state->pf;

	if (whole < SHORTEST)
		return false;
	if (!(needs & XT2_NEED_BYTES))
		n = at_most(n, HEADERS);
	pkt->data = (__u8 *)(u64)slot->bytes;
	pkt->caplen = n;
	if (!copy_headers(nf->skb, slot, n) && !copy(nf->skb, slot, n))
		return false;
	if (xt2_pkt_parse(pkt, family))
		return false;
	if (n == whole || (!pkt->cut && !pkt->fragoff && pkt->thoff + TRANSPORT <= n))
		return true;
	pkt->caplen = whole;
	return copy(nf->skb, slot, whole) && !xt2_pkt_parse(pkt, family);
}

#include "report.h"
#include "left.h"

/* What another packet at this address had, which nobody has carried out. */
static __noinline void forget(struct sk_buff *skb)
{
	note_drop(address_of(skb));
}

/* A companion is to act.  => false: there is no room for a note */
static __noinline bool note(struct sk_buff *skb, u32 what)
{
	return note_put(address_of(skb), what);
}

/* Of the rule that has accepted: what a companion is to do, or 0.  => false: there is none for it */
static __always_inline bool find_nat(const struct xt2_live_ruleset __img *live,
				     const struct xt2_ctx *ctx, u32 __img *what)
{
	const struct xt2_rule __img *r = xt2_at(ctx->img, ctx->rule);
	const u16 __img *companions = xt2_arena(live->nat);
	u32 number = XT2_TARGET_ARG(r->target);

	if (XT2_TARGET_KIND(r->target) != XT2_T_NAT)
		return true;
	if (number >= live->nat_room || !companions[number])
		return false;
	*what = XT2_ACT_NAT(live->nat >= XT2_ARENA_REGION(1), number,
			    (u32)companions[number] >> XT2_NAT_RANK_SHIFT);
	return true;
}

/* A match drops the packet, after REJECT has sent its answer. */
static __always_inline bool rejects(const struct xt2_ctx *ctx)
{
	const struct xt2_rule __img *r = xt2_at(ctx->img, ctx->rule);

	return ctx->hotdrop && ctx->late && XT2_TARGET_KIND(r->target) == XT2_T_REJECT;
}

/* What steps may find: room for an option, and how far connection tracking has got. */
static __always_inline void prepare_steps(struct xt2_slot __img *slot, const struct sk_buff *skb)
{
	const struct sk_buff___xt2 *s = (const void *)skb;

	slot->pkt.room = ROOM;
	slot->pkt.mtu = MTU_MAX; /* not known: what depends on it is refused */
	slot->pkt.notrack = 0;
	slot->pkt.ct_template = bpf_core_field_exists(s->_nfct) && s->_nfct;
}

static __always_inline bool is_ip6(struct bpf_nf_ctx *nf)
{
	return nf->state->pf == XT2_IPV6;
}

/* => the table's verdict; XT2_QUEUE and the like: a fault */
static __always_inline int evaluate(struct bpf_nf_ctx *nf, struct xt2_live_ruleset __img *live,
				    struct xt2_slot __img *slot, u32 number, u32 entry, u32 program)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	struct xt2_image __img *img = xt2_arena(live->image);
	struct xt2_ctx *ctx = bpf_map_lookup_elem(&contexts, &number);
	const u32 wants = live->wants[program][is_ip6(nf)];
	int verdict;

	if (!ctx)
		return XT2_NEXT;
	read_metadata(slot, nf, wants);
	if (!read_bytes(slot, nf, wants))
		return XT2_NEXT;
	slot->what = slot->events_of = 0;
	if (program == XT2_NAT && slot->related && slot->pkt.proto == (is_ip6(nf) ? ICMPV6 : ICMP))
		return XT2_ACCEPT;
	memset(ctx, 0, sizeof(*ctx));
	ctx->pkt = (struct xt2_pkt *)&slot->pkt;
	ctx->img = img;
	ctx->root = xt2_at(img, live->root);
	ctx->counters = xt2_arena(live->counters + live->counters_size * number);
	ctx->stack = (struct xt2_frame *)(struct xt2_frame __img *)xt2_arena(
		live->frames + live->frames_size * number);
	ctx->stack_size = live->depth;
	if (wants & XT2_NEED_CLOCK)
		ctx->now = bpf_ktime_get_boot_ns() + state->clock;
	if (wants & XT2_NEED_DATE) {
		ctx->wall = bpf_ktime_get_tai_ns() - state->tai * 1000000000ll - ctx->now;
		ctx->tz_west = state->tz_west;
	}
	if (wants & XT2_NEED_RANDOM)
		ctx->random = bpf_get_prandom_u32() | 1ull << 32;
	if (has(live, XT2_NEED_STEPS | XT2_NEED_ANSWERS)) {
		ctx->left = xt2_arena(live->left);
		ctx->left_mask = live->left_mask;
		ctx->answers = slot->answers;
		prepare_steps(slot, nf->skb);
	}
	if (has(live, XT2_NEED_LOG | XT2_NEED_STEPS)) {
		ctx->events = (struct xt2_event *)(u64)slot->happened;
		ctx->events_size = XT2_EVENTS;
	}
	if (has(live, XT2_NEED_SEARCH))
		ctx->search = (struct xt2_search *)(u64)&slot->search;
	if (xt2_can_stop && slot->resumes && !recall(nf->skb, slot, number))
		return XT2_NEXT;
	verdict = xt2_eval(ctx, xt2_at(img, entry));
	slot->arg = ctx->verdict_arg;
	if (program == XT2_FILTER && verdict == XT2_DROP && rejects(ctx))
		verdict = XT2_REJECT;
	if (program == XT2_NAT && verdict == XT2_ACCEPT && !find_nat(live, ctx, &slot->what))
		return XT2_NEXT;
	slot->events_of = ctx->nevents;
	if (unlikely(ctx->nevents) && has(live, XT2_NEED_LOG))
		report(nf, live, slot, ctx->nevents);
	return ctx->faults || slot->pkt.cut ? XT2_NEXT : verdict;
}

/* A note says what the companion is to do.  => accepted? */
static __always_inline bool leave(struct bpf_nf_ctx *nf, struct xt2_slot __img *slot, u32 what)
{
	if (note(nf->skb, what))
		return true;
	slot->faults++;
	return false;
}

/* Steps come before all else that companions do, and before the packet is dropped.  => the verdict */
static __always_inline int step(struct bpf_nf_ctx *nf, struct xt2_slot __img *slot, u32 number,
				u32 region, int verdict)
{
	const bool drop = verdict == XT2_DROP;

	if (verdict == XT2_NEXT)
		return verdict;
	if (leave_steps(nf->skb, slot, number, region, drop)) /* the last one may be a queue */
		return verdict == XT2_REJECT || verdict == XT2_STOPPED ? verdict : XT2_ACCEPT;
	return drop ? verdict : XT2_NEXT;
}

/* Asked twice, since the verifier would follow an answer that is kept through all of an evaluation. */
static __always_inline bool has_steps(const struct xt2_live_ruleset __img *live,
				      struct bpf_nf_ctx *nf, u32 program, u32 hook)
{
	return has(live, XT2_NEED_STEPS) && live->steps[program][is_ip6(nf)] >> hook & 1;
}

/* In a slot that nobody else uses.  => accepted? */
static __always_inline bool run_slot(struct bpf_nf_ctx *nf, u32 program, u32 cpu, u32 number)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	const u64 before = program != XT2_NAT && xt2_can_stop && state->stops
				   ? stopped_in(nf->skb, program)
				   : 0;
	u64 ruleset = before ? before : *(volatile u64 __img *)&state->ruleset;
	struct xt2_live_ruleset __img *live = xt2_arena(ruleset);
	u32 hook = nf->state->hook, entry;
	struct xt2_slot __img *slot = xt2_arena(XT2_ARENA_SLOTS + sizeof(*slot) * (u64)number);
	bool related = false, asks;
	int verdict;

	if (!ruleset || hook > XT2_POSTROUTING)
		return true;
	entry = live->hook[program][is_ip6(nf)][hook];
	asks = has(live, XT2_NEED_ANSWERS) && live->asks[program][is_ip6(nf)] >> hook & 1;
	/* In the slot, or the verifier would follow the evaluation once for each of these numbers. */
	slot->ruleset = ruleset;
	slot->resumes = before != 0;
	slot->region = ruleset >= XT2_ARENA_REGION(1);
	slot->answered = !asks || slot->resumes ||
			 take_answers(nf->skb, slot, slot->region,
				      live->questions[program][is_ip6(nf)][hook]);
	if (!entry || (program == XT2_NAT && !nat_looks(nf, &related)))
		return true;
	slot->pkt.cpu = cpu;
	slot->packets += !slot->resumes;
	if (unlikely(live->needs & XT2_NEEDS_LOADED & ~xt2_can)) {
		slot->faults++;
		return false;
	}
	if (program == XT2_NAT || (program == XT2_FILTER && has(live, XT2_NEED_ACT)))
		forget(nf->skb);
	if (has_steps(live, nf, program, hook) && !slot->resumes) {
		forget_steps(nf->skb);
		if (has(live, XT2_NEED_BOUND))
			forget(nf->skb);
	}
	slot->related = related;
	verdict = slot->answered ? evaluate(nf, live, slot, number, entry, program) : XT2_NEXT;
	if (slot->events_of && has_steps(live, nf, program, nf->state->hook))
		verdict = step(nf, slot, number, slot->region, verdict);
	if (program == XT2_FILTER && verdict == XT2_REJECT) /* other tables have no companions */
		return slot->arg < XT2_REJECT_TYPES && leave(nf, slot, XT2_ACT_REJECT(slot->arg));
	if (program == XT2_NAT && verdict == XT2_ACCEPT &&
	    slot->what) /* 0 if it is to be dropped */
		return leave(nf, slot, slot->what);
	if (xt2_can_stop && verdict == XT2_STOPPED && remember(nf->skb, slot, number, program))
		return true;
	if (verdict != XT2_ACCEPT && verdict != XT2_DROP)
		slot->faults++;
	return verdict == XT2_ACCEPT;
}

/* NAT has looked at the packet's connection, and no question was put that has to be taken back. */
static __always_inline bool nat_is_done(const struct bpf_nf_ctx *nf)
{
	const struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	const u64 ruleset = *(volatile u64 __img *)&state->ruleset;
	const struct xt2_live_ruleset __img *live = xt2_arena(ruleset);

	return is_established(nf->skb) && (!ruleset || !(live->needs & XT2_NEED_ANSWERS));
}

static __always_inline volatile u64 __img *busy_of(u32 number)
{
	return &((struct xt2_slot __img *)xt2_arena(XT2_ARENA_SLOTS))[number].busy;
}

/* A slot that is not busy, the processor's first.  => its number */
static __always_inline u32 claim_slot(u32 cpu, u32 slots)
{
	u32 i, number;

	for (i = xt2_zero; i < slots && xt2_can_loop; i++) {
		number = (cpu * XT2_SLOTS + i) % slots;
		if (!*busy_of(number) && !__sync_val_compare_and_swap(busy_of(number), 0, 1))
			return number;
	}
	return slots;
}

static __always_inline int run(struct bpf_nf_ctx *nf, u32 program)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	const u32 slots = state->cpus * XT2_SLOTS;
	volatile u32 __img *depth;
	bool accept = false;
	u32 cpu, deep, number;

	use_arena();
	if (xt2_can_stay)
		bpf_preempt_disable();
	cpu = bpf_get_smp_processor_id();
	depth = &((struct xt2_cpu __img *)xt2_arena(XT2_ARENA_CPUS))[cpu].depth;
	if (xt2_can_stay) {
		deep = *depth;
		*depth = deep + 1;
		number = deep < XT2_SLOTS ? cpu * XT2_SLOTS + deep : slots;
	} else {
		number = claim_slot(cpu, slots);
	}
	if (number < slots)
		accept = run_slot(nf, program, cpu, number);
	else
		__sync_fetch_and_add(&state->lost, 1);
	if (xt2_can_stay) {
		--*depth;
		bpf_preempt_enable();
	} else if (number < slots) {
		__sync_val_compare_and_swap(busy_of(number), 1, 0);
	}
	return accept;
}

/* A packet that was at this address has stopped, and nobody went on with it.  => was there one? */
static __always_inline bool forget_stop(struct sk_buff *skb)
{
	u64 packet = (u64)skb;

	return bpf_map_lookup_elem(&stopped, &packet) && !bpf_map_delete_elem(&stopped, &packet);
}

/* A table's program at its hooks goes on with the evaluator that is loaded for it. */
static __always_inline int go_on(struct bpf_nf_ctx *nf, u32 program)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	const struct xt2_live_ruleset __img *live;
	u64 ruleset;
	u32 hook;

	use_arena();
	if (program == XT2_NAT && nat_is_done(nf)) /* most packets; they need no slot */
		return true;
	if (state->stops)
		(void)forget_stop(nf->skb);
	bpf_tail_call_static(nf, &evaluators, program);
	ruleset = *(volatile u64 __img *)&state->ruleset;
	live = xt2_arena(ruleset);
	hook = nf->state->hook;
	if (!ruleset || hook > XT2_POSTROUTING || !live->hook[program][is_ip6(nf)][hook])
		return true; /* a table that is live no more has no evaluator */
	__sync_fetch_and_add(&state->lost, 1);
	return false;
}

#define PROGRAMS(hook, evaluator, number)                              \
	EXPORTED SEC("netfilter") int hook(struct bpf_nf_ctx *nf)      \
	{                                                              \
		return go_on(nf, number);                              \
	}                                                              \
	EXPORTED SEC("netfilter") int evaluator(struct bpf_nf_ctx *nf) \
	{                                                              \
		return run(nf, number);                                \
	}

PROGRAMS(xt2_raw, xt2_in_raw, XT2_RAW)
PROGRAMS(xt2_mangle, xt2_in_mangle, XT2_MANGLE)
PROGRAMS(xt2_filter, xt2_in_filter, XT2_FILTER)
PROGRAMS(xt2_security, xt2_in_security, XT2_SECURITY)
PROGRAMS(xt2_nat, xt2_in_nat, XT2_NAT)

/* After the chain of a stop: packets that have stopped in the table go on. */
static __always_inline int go_on_again(struct bpf_nf_ctx *nf, u32 program)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	u64 packet = (u64)nf->skb;
	const struct xt2_stopped *s = bpf_map_lookup_elem(&stopped, &packet);

	use_arena();
	if (!s || s->table != program)
		return true;
	bpf_tail_call_static(nf, &evaluators, program);
	__sync_fetch_and_add(&state->lost, 1);
	return false;
}

#define AGAIN(name, number)                                       \
	EXPORTED SEC("netfilter") int name(struct bpf_nf_ctx *nf) \
	{                                                         \
		return go_on_again(nf, number);                   \
	}

AGAIN(xt2_again_raw, XT2_RAW)
AGAIN(xt2_again_mangle, XT2_MANGLE)
AGAIN(xt2_again_filt, XT2_FILTER)
AGAIN(xt2_again_secu, XT2_SECURITY)

static __always_inline void forget_answers(struct bpf_nf_ctx *nf, u64 region)
{
	struct xt2_answers_key key = { (u64)nf->skb, region };

	if (bpf_map_lookup_elem(&answers, &key)) /* without a lock */
		bpf_map_delete_elem(&answers, &key);
}

/* Before the questions of a table: what is noted at this address was answered about another packet. */
EXPORTED SEC("netfilter") int xt2_clear(struct bpf_nf_ctx *nf)
{
	_Static_assert(XT2_REGIONS == 2,
		       "all regions, but not in a loop, which Linux 6.12 takes for endless");
	forget_answers(nf, 0);
	forget_answers(nf, 1);
	return true;
}

static __always_inline bool gate(struct bpf_nf_ctx *nf)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	u64 packet = address_of(nf->skb);

	struct xt2_steps *left = bpf_map_lookup_elem(&steps, &packet);
	bool fault = true;

	use_arena();
	if (left) {
		fault = left->at >= XT2_STEPS_MAX || left->step[left->at] != XT2_STEP_DROP;
		bpf_map_delete_elem(&steps, &packet);
	} else if (!note_of(packet) && !(state->stops && forget_stop(nf->skb))) {
		return true;
	}
	note_drop(packet);
	if (fault)
		__sync_fetch_and_add(&state->lost, 1);
	return false;
}

/* After the companions: what was to be done, and nobody did, is not let through. */
EXPORTED SEC("netfilter") int xt2_gate(struct bpf_nf_ctx *nf)
{
	return gate(nf);
}

/* The same after those of table nat in OUTPUT; it looks at connections that begin. */
EXPORTED SEC("netfilter") int xt2_nat_gate(struct bpf_nf_ctx *nf)
{
	return is_established(nf->skb) || gate(nf);
}

#include "guard.h"

/* After all tables of a hook. */
EXPORTED SEC("netfilter") int xt2_guard(struct bpf_nf_ctx *nf)
{
	use_arena();
	return guard(nf);
}

/* Memory for a region, and back: netfilter programs may do neither. */
EXPORTED SEC("syscall") int xt2_reserve(struct xt2_page_range *p)
{
	use_arena();
	p->done = bpf_arena_alloc_pages(&arena, xt2_arena(p->offset), p->pages, -1, 0) != NULL;
	return 0;
}

EXPORTED SEC("syscall") int xt2_tracks(void *unused)
{
	return connections_known();
}

EXPORTED SEC("syscall") int xt2_release(struct xt2_page_range *p)
{
	use_arena();
	bpf_arena_free_pages(&arena, xt2_arena(p->offset), p->pages);
	return 0;
}

#include "trial.h"
