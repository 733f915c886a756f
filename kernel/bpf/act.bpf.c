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

EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, XT2_NOTES);
	__type(key, u64);
	__type(value, u32);
} notes SEC(".maps");

EXPORTED const volatile struct xt2_question question = { 0 };

static __always_inline bool holds(u64 *packet)
{
	u32 *what = bpf_map_lookup_elem(&notes, packet);

	return what && (*what >> question.shift & question.mask) == question.want;
}

/* Does the way to the companion go on here? */
SEC("socket") int xt2_way(struct __sk_buff *skb)
{
	u64 packet = (u64)bpf_cast_to_kern_ctx(skb);

	return holds(&packet);
}

/* Is this the companion?  Then it acts. */
SEC("socket") int xt2_act(struct __sk_buff *skb)
{
	u64 packet = (u64)bpf_cast_to_kern_ctx(skb);

	if (!holds(&packet))
		return 0;
	bpf_map_delete_elem(&notes, &packet);
	return 1;
}

/* Is there nothing to be done? */
SEC("socket") int xt2_idle(struct __sk_buff *skb)
{
	u64 packet = (u64)bpf_cast_to_kern_ctx(skb);

	return !bpf_map_lookup_elem(&notes, &packet);
}
