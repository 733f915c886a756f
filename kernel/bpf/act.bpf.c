/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act.bpf.c - which companion is to act on a packet: see act.h
 *
 * Companions ask by the kernel's match "bpf", which takes a program of type socket filter.
 * Each has a program of its own, with another constant.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

#define _LINUX_TYPES_H /* vmlinux.h has them */
#include "act.h"

extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;

char _license[] SEC("license") = "GPL";

#define EXPORTED __attribute__((__visibility__("default")))

#include "act-maps.h"

EXPORTED const volatile struct xt2_question question = { 0 };

static __always_inline bool holds(u64 packet)
{
	const u32 *what = note_of(packet);

	return what && (*what >> question.shift & question.mask) == question.want;
}

/* Does the way to the companion go on here? */
SEC("socket") int xt2_way(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));

	return holds(packet);
}

/* Is a part of the note the packet's priority? */
SEC("socket") int xt2_same(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	const u32 *what = note_of(packet);

	return what && (*what >> question.shift & question.mask) == skb->priority;
}

/* Is the note the packet's priority?  Then its companion is found, and acts. */
SEC("socket") int xt2_take(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	const u32 *what = note_of(packet);

	if (!what || *what != skb->priority)
		return 0;
	note_drop(packet);
	return 1;
}

/* Is this the companion?  Then it acts. */
SEC("socket") int xt2_act(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));

	if (!holds(packet))
		return 0;
	note_drop(packet);
	return 1;
}

/* => the number of the packet's next step; XT2_STEP_DROP: there is none */
static __always_inline u32 next_step(const struct xt2_steps *s)
{
	u32 at = s->at;

	return at < s->count && at < XT2_STEPS_MAX ? s->step[at] : XT2_STEP_DROP;
}

/* Has the packet no step of the region that is wanted? */
SEC("socket") int xt2_walked(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	struct xt2_steps *s = bpf_map_lookup_elem(&steps, &packet);

	return !s || s->region != question.want || next_step(s) == XT2_STEP_DROP;
}

/* Does the way to the next step go on here? */
SEC("socket") int xt2_branch(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	struct xt2_steps *s = bpf_map_lookup_elem(&steps, &packet);

	return s && (next_step(s) >> question.shift & question.mask) == question.want;
}

static __always_inline void advance(const u64 *packet, struct xt2_steps *s)
{
	s->at++;
	if (s->at >= s->count)
		bpf_map_delete_elem(&steps, packet);
}

/* This is the step: it is done now. */
SEC("socket") int xt2_step(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	struct xt2_steps *s = bpf_map_lookup_elem(&steps, &packet);

	if (!s)
		return 0;
	advance(&packet, s);
	return 1;
}

/* This is the step: it is due, and done after all others. */
SEC("socket") int xt2_defer(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	struct xt2_steps *s = bpf_map_lookup_elem(&steps, &packet);
	u32 *due = note_of(packet), first = question.want;

	if (!s)
		return 0;
	if (due)
		*due |= first;
	else if (!note_put(packet, first))
		return 0; /* the gate drops */
	advance(&packet, s);
	return 1;
}

/* It is due?  Then it is done now. */
SEC("socket") int xt2_done(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	u32 *due = note_of(packet), left;

	if (!due || (*due & question.mask) != question.want)
		return 0;
	left = *due & ~(question.want & (XT2_ACT_BOUND_REGION - 1));
	if (left & (XT2_ACT_BOUND_REGION - 1))
		*due = left;
	else
		note_drop(packet);
	return 1;
}

/* Here is a question; before the first one nothing is answered: see xt2_clear() of xt2.bpf.c. */
SEC("socket") int xt2_asks(struct __sk_buff *skb)
{
	struct xt2_answers_key key = { (u64)bpf_cast_to_kern_ctx(skb), question.want };
	struct xt2_answers *a = bpf_map_lookup_elem(&answers, &key), first = { .rules = 1 };

	if (!a)
		return !bpf_map_update_elem(&answers, &key, &first, BPF_NOEXIST);
	a->rules++;
	return 1;
}

/* The match before this one holds. */
SEC("socket") int xt2_holds(struct __sk_buff *skb)
{
	struct xt2_answers_key key = { (u64)bpf_cast_to_kern_ctx(skb), question.want };
	struct xt2_answers *a = bpf_map_lookup_elem(&answers, &key);

	if (a)
		a->yes |= 1ull << (question.shift & 63);
	return 0;
}

/* Has the packet stopped for this question?  Then it is put. */
SEC("socket") int xt2_wants(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	struct xt2_stopped *s = bpf_map_lookup_elem(&stopped, &packet);

	if (!s || s->region != question.shift || s->table != question.mask ||
	    (s->question & XT2_STOP_QUESTION) != question.want)
		return 0;
	s->rules++;
	return 1;
}

/* The match before this one holds. */
SEC("socket") int xt2_yes(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));
	struct xt2_stopped *s = bpf_map_lookup_elem(&stopped, &packet);

	if (s)
		s->yes = 1;
	return 0;
}

/* Is there nothing to be done? */
SEC("socket") int xt2_idle(struct __sk_buff *skb)
{
	u64 packet = address_of(bpf_cast_to_kern_ctx(skb));

	return !note_of(packet);
}
