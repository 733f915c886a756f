/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the programs' part of LOG and NFLOG: events into the ring
 *
 * A part of xt2.bpf.c.  The evaluator notes which rules reported; when it is
 * done with the packet, their events are written.  If there is no ring or no
 * room in it, they are counted, and that is all.
 */
#ifndef XT2_KERNEL_BPF_REPORT_H
#define XT2_KERNEL_BPF_REPORT_H

#include "log.h"

#define LOG_UID	     0x08 /* --log-uid */
#define FULL_SOCKETS (~((1u << 6) | (1u << 12))) /* neither TCP_TIME_WAIT nor TCP_NEW_SYN_RECV */
#define MAC_UNSET    0xffff
#define CHUNK	     64 /* bytes that are copied at once */
#define WORD	     8

EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_RINGBUF);
			__uint(max_entries, XT2_LOG_RING);
		});
} logs SEC(".maps");

/* => bytes of the packet that the rule wants to be told */
static __always_inline u32 snap_of(const struct xt2_rule __img *r, u32 len)
{
	const struct xt2_nflog_sizes __img *sizes = xt2_rule_target_data(r);
	u32 arg = XT2_TARGET_ARG(r->target), snap = XT2_PACKET_MAX;

	if (XT2_TARGET_KIND(r->target) == XT2_T_LOG)
		snap = XT2_LOG_SNAP;
	else if (arg & XT2_NFLOG_COPY_LEN)
		snap = arg & XT2_NFLOG_SIZES ? sizes->len : 0;
	return at_most(snap, len);
}

static __always_inline void tell_name(char *to, const char __img *name)
{
	for (u32 i = 0; i < XT2_NAME_SIZE / 8; i++)
		((u64 *)to)[i] = ((const u64 __img *)name)[i];
}

/*
 * The number of a rule in its chain.  In a chain that was installed the counters are in the
 * order of the rules; one that was edited since is walked, and the evaluation, which is over,
 * lends its order.
 */
xt2_separate u32 xt2_tell_number(const struct xt2_live_ruleset __img *live xt2_arg_img,
				 struct xt2_slot __img *slot xt2_arg_img,
				 const struct xt2_event __img *happened xt2_arg_img)
{
	const struct xt2_image __img *img = xt2_arena(live->image);
	const struct xt2_chain __img *c = xt2_at(img, happened->chain);
	const struct xt2_rule __img *r = xt2_at(img, happened->rule), *before;
	struct xt2_in_order *o = xt2_ptr((struct xt2_in_order *)(u64)&slot->search.order);
	u32 n = xt2_zero + 1;

	if (happened->chain < live->compiled)
		return (u32)((r->packets - xt2_chain_first(c)->packets) /
			     sizeof(struct xt2_counter)) +
		       1;
	xt2_order_begin(o, img, c);
	while ((before = xt2_order_next(o)) && before != r && xt2_can_loop)
		n++;
	return n;
}

/* The rule, but for its number. */
xt2_separate int xt2_tell_rule(struct xt2_log_event *e xt2_arg_there,
			       const struct xt2_live_ruleset __img *live xt2_arg_img,
			       const struct xt2_event __img *happened xt2_arg_img)
{
	const struct xt2_image __img *img = xt2_arena(live->image);
	const struct xt2_chain __img *c = xt2_at(img, happened->chain);
	const struct xt2_rule __img *r = xt2_at(img, happened->rule);
	const struct xt2_root __img *root = xt2_at(img, live->root);
	const u64 __img *data = xt2_rule_target_data(r);
	u32 words = xt2_rule_target_size(r) / 8;

	e->target = r->target;
	tell_name(e->table, xt2_image_table(img, root, c->table)->name);
	tell_name(e->chain, xt2_image_chain_cold(img, root, c->index)->name);
	for (u32 i = 0; i < XT2_ARRAY_SIZE(e->data); i++)
		e->data[i] = i < words ? data[i] : 0;
	return 0;
}

static __always_inline void tell_device(struct xt2_log_event *e, struct sk_buff *skb)
{
	const struct net_device *dev = BPF_CORE_READ(skb, dev);
	u16 mac = BPF_CORE_READ(skb, mac_header), network = BPF_CORE_READ(skb, network_header);

	e->device = BPF_CORE_READ(dev, type);
	e->hard_header = BPF_CORE_READ(dev, hard_header_len);
	if (mac == MAC_UNSET || mac == network)
		return;
	e->mac_len = network - mac;
	e->flags |= XT2_LOG_HAS_MAC;
	bpf_probe_read_kernel(e->mac, sizeof(e->mac), BPF_CORE_READ(skb, head) + mac);
}

static __always_inline void tell_owner(struct xt2_log_event *e, struct sk_buff *skb)
{
	struct sock *sk = BPF_CORE_READ(skb, sk);
	const struct cred *cred;

	if (!sk || !(FULL_SOCKETS >> (BPF_CORE_READ(sk, __sk_common.skc_state) & 31) & 1))
		return;
	cred = BPF_CORE_READ(sk, sk_socket, file, f_cred);
	if (!cred)
		return;
	e->uid = BPF_CORE_READ(cred, fsuid.val);
	e->gid = BPF_CORE_READ(cred, fsgid.val);
	e->flags |= XT2_LOG_OWNER;
}

xt2_separate int xt2_tell_packet(struct xt2_log_event *e xt2_arg_there, struct bpf_nf_ctx *nf)
{
	const struct net_device *in = nf->state->in, *out = nf->state->out;
	struct sk_buff *skb = nf->skb;

	e->time = bpf_ktime_get_boot_ns();
	e->len = skb->len;
	e->family = nf->state->pf;
	e->hook = nf->state->hook;
	e->flags = 0;
	e->device = e->hard_header = e->mac_len = 0;
	e->in_index = in ? BPF_CORE_READ(in, ifindex) : 0;
	e->out_index = out ? BPF_CORE_READ(out, ifindex) : 0;
	__builtin_memset(e->in, 0, sizeof(e->in) + sizeof(e->out));
	if (in)
		bpf_probe_read_kernel(e->in, sizeof(e->in), in->name);
	if (out)
		bpf_probe_read_kernel(e->out, sizeof(e->out), out->name);
	if (in)
		tell_device(e, skb);
	if (e->target >> 16 & LOG_UID)
		tell_owner(e, skb);
	return 0;
}

/* The packet's first n bytes, and up to 7 more, behind the event. */
static __always_inline bool tell_bytes(struct bpf_dynptr *ring, struct bpf_nf_ctx *nf,
				       struct xt2_slot __img *slot, u32 n)
{
	volatile u32 __img *copied = &slot->copied;
	const u32 at = sizeof(struct xt2_log_event);
	struct bpf_dynptr d;
	u64 buf[CHUNK / 8];
	const void *from;
	u32 off;

	if (bpf_dynptr_from_skb((struct __sk_buff *)nf->skb, 0, &d))
		return false;
	*copied = 0;
	while ((off = *copied) + CHUNK <= n && xt2_can_loop) {
		from = bpf_dynptr_slice(&d, off, buf, CHUNK);
		if (!from || bpf_dynptr_write(ring, at + off, (void *)from, CHUNK, 0))
			return false;
		*copied = off + CHUNK;
	}
	while ((off = *copied) < n && xt2_can_loop) {
		off = at_most(off, n - WORD);
		from = bpf_dynptr_slice(&d, off, buf, WORD);
		if (!from || bpf_dynptr_write(ring, at + off, (void *)from, WORD, 0))
			return false;
		*copied = off + WORD;
	}
	return true;
}

/* => false: no room */
static __noinline bool tell(struct bpf_nf_ctx *nf, const struct xt2_live_ruleset __img *live,
			    struct xt2_slot __img *slot, u32 number)
{
	const struct xt2_event __img *happened = &slot->happened[number];
	const struct xt2_image __img *img = xt2_arena(live->image);
	u32 key = 0, len = slot->pkt.len, n = snap_of(xt2_at(img, happened->rule), len), room;
	struct xt2_log_event *e;
	struct bpf_dynptr ring;
	void *map;

	map = bpf_map_lookup_elem(&logs, &key);
	if (!map)
		return false;
	room = n < WORD ? WORD : n;
	if (bpf_ringbuf_reserve_dynptr(map, sizeof(*e) + room, 0, &ring))
		goto discard;
	e = bpf_dynptr_data(&ring, 0, sizeof(*e));
	if (!e)
		goto discard;
	e->caplen = n;
	xt2_tell_rule(e, live, happened);
	e->rule = xt2_tell_number(live, slot, happened);
	xt2_tell_packet(e, nf);
	e->mark = happened->value;
	if (!tell_bytes(&ring, nf, slot, room))
		goto discard;
	bpf_ringbuf_submit_dynptr(&ring, 0);
	return true;
discard:
	bpf_ringbuf_discard_dynptr(&ring, BPF_RB_NO_WAKEUP);
	return false;
}

/* The events of a packet that has been evaluated: n of them happened. */
static __noinline void report(struct bpf_nf_ctx *nf, const struct xt2_live_ruleset __img *live,
			      struct xt2_slot __img *slot, u32 n)
{
	u32 kept = at_most(n, XT2_EVENTS), i = xt2_zero, told = xt2_zero;

	for (; i < kept && xt2_can_loop; i++)
		if (slot->happened[i].target != XT2_T_LOG &&
		    slot->happened[i].target != XT2_T_NFLOG)
			n--; /* a step: see left.h */
		else if (tell(nf, live, slot, i))
			told++;
	slot->events += told;
	slot->unseen += n - told;
}

#endif
