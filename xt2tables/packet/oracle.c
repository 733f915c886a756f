/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle.c - evaluation once more, slow and simple
 *
 * Nothing here is shared with engine/eval.c but the extension bodies: chains
 * are lists of rules by position, addresses are compared bit by bit and names
 * byte by byte.  Where the two differ, one of them is wrong.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "oracle.h"

struct position {
	int chain;
	unsigned int at;
};

static bool bit(const __u8 *bytes, unsigned int n)
{
	return bytes[n / 8] >> (7 - n % 8) & 1;
}

/* Are the first n bits equal? */
static bool prefix(const __u8 *a, const __u8 *b, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (bit(a, i) != bit(b, i))
			return false;
	return true;
}

/* Are all bits equal that the mask has? */
static bool masked(const __u8 *a, const __u8 *b, const __u8 *mask, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < 8 * bytes; i++)
		if ((bit(a, i) && bit(mask, i)) != bit(b, i))
			return false;
	return true;
}

static void network_order(__u32 v, __u8 out[4])
{
	int i;

	for (i = 0; i < 4; i++)
		out[i] = v >> (24 - 8 * i);
}

static bool address4(const struct xt2_match *m, __u32 addr)
{
	__u8 have[4], want[4];

	network_order(addr, have);
	network_order(m->arg, want);
	return prefix(have, want, 32 - (m->flags & 31));
}

static bool address4_mask(const struct xt2_match *m, __u32 addr)
{
	__u8 have[4], want[4], mask[4];

	network_order(addr, have);
	network_order(m->arg, want);
	network_order(((const struct xt2_match_addr4_mask *)m)->mask, mask);
	return masked(have, want, mask, 4);
}

static bool address6_mask(const struct xt2_match *m, const __u64 *addr)
{
	const struct xt2_match_addr6_mask *k = (const struct xt2_match_addr6_mask *)m;

	return masked((const __u8 *)addr, (const __u8 *)k->addr, (const __u8 *)k->mask, 16);
}

static bool interface(const struct xt2_match *m, const __u64 *name)
{
	return !memcmp(name, ((const struct xt2_match_iface *)m)->name, m->arg);
}

static bool interface_mask(const struct xt2_match *m, const __u64 *name)
{
	const struct xt2_match_iface_mask *k = (const struct xt2_match_iface_mask *)m;
	const __u8 *have = (const __u8 *)name, *want = (const __u8 *)k->name;
	const __u8 *mask = (const __u8 *)k->mask;
	unsigned int i;

	for (i = 0; i < 16; i++)
		if ((have[i] & mask[i]) != (want[i] & mask[i]))
			return false;
	return true;
}

/* A field of the ARP header: its value under the mask. */
static bool arp_number(const struct xt2_match *m, const struct xt2_pkt *pkt, unsigned int off,
		       unsigned int bytes)
{
	unsigned int v = 0, i;

	if (off + bytes > pkt->caplen)
		return false;
	for (i = 0; i < bytes; i++)
		v = v << 8 | pkt->data[off + i];
	return (v & m->arg >> 16) == (m->arg & 0xffff);
}

static bool arp_hardware(const struct xt2_match *m, const struct xt2_pkt *pkt, unsigned int off)
{
	const struct xt2_match_arp_dev *k = (const struct xt2_match_arp_dev *)m;

	return off + m->arg <= pkt->caplen && masked(pkt->data + off, k->addr, k->mask, m->arg);
}

static int invert(const struct xt2_match *m, bool holds)
{
	if (m->flags & XT2_MATCH_INVERT)
		holds = !holds;
	return holds ? XT2_HIT : XT2_MISS;
}

static int test(const struct xt2_match *m, struct xt2_ctx *ctx)
{
	const struct xt2_pkt *pkt = ctx->pkt;

	switch (m->type) {
	case XT2_M_SRC4: return invert(m, address4(m, pkt->src4));
	case XT2_M_DST4: return invert(m, address4(m, pkt->dst4));
	case XT2_M_SRC4_MASK: return invert(m, address4_mask(m, pkt->src4));
	case XT2_M_DST4_MASK: return invert(m, address4_mask(m, pkt->dst4));
	case XT2_M_SRC6:
		return invert(m, !memcmp(pkt->src, ((const struct xt2_match_addr6 *)m)->addr, 16));
	case XT2_M_DST6:
		return invert(m, !memcmp(pkt->dst, ((const struct xt2_match_addr6 *)m)->addr, 16));
	case XT2_M_SRC6_MASK: return invert(m, address6_mask(m, pkt->src));
	case XT2_M_DST6_MASK: return invert(m, address6_mask(m, pkt->dst));
	case XT2_M_IN: return invert(m, interface(m, pkt->in));
	case XT2_M_OUT: return invert(m, interface(m, pkt->out));
	case XT2_M_IN_MASK: return invert(m, interface_mask(m, pkt->in));
	case XT2_M_OUT_MASK: return invert(m, interface_mask(m, pkt->out));
	case XT2_M_PROTO:
		if (pkt->l4 == XT2_L4_BAD)
			return XT2_HOTDROP;
		return pkt->l4 == XT2_L4_NONE ? XT2_MISS : invert(m, pkt->proto == m->arg);
	case XT2_M_FRAGMENT: return invert(m, pkt->fragoff > 0);
	case XT2_M_ARP_HRD: return invert(m, arp_number(m, pkt, 0, 2));
	case XT2_M_ARP_PRO: return invert(m, arp_number(m, pkt, 2, 2));
	case XT2_M_ARP_HLN: return invert(m, arp_number(m, pkt, 4, 1));
	case XT2_M_ARP_OP: return invert(m, arp_number(m, pkt, 6, 2));
	case XT2_M_ARP_SHA: return invert(m, arp_hardware(m, pkt, 8));
	case XT2_M_ARP_THA: return invert(m, arp_hardware(m, pkt, 8 + 6 + 4));
	}
	return xt2_match_ext(m, ctx);
}

int xt2_oracle_rule(struct xt2_oracle *o, const struct xt2_rule *rule,
		    const struct xt2_match **failed)
{
	unsigned int off = sizeof(*rule);
	bool drop = false;

	*failed = NULL;
	while (off < rule->target_offset) {
		const struct xt2_match *m = (const void *)((const __u8 *)rule + off);
		int answer;

		if (xt2_match_info(m->type) & XT2_EXT_FOREIGN) {
			*failed = m;
			return -EOPNOTSUPP;
		}
		answer = test(m, o->ctx);
		if (answer == XT2_HIT_DROP) {
			*failed = m;
			drop = true;
		} else if (answer != XT2_HIT) {
			*failed = m;
			return drop ? XT2_HOTDROP : answer;
		}
		off += m->size;
	}
	return drop ? XT2_HIT_DROP : XT2_HIT;
}

static void report(struct xt2_oracle *o, const struct xt2_step *step)
{
	if (o->step)
		o->step(o->data, step);
}

static int decided(struct xt2_oracle *o, int chain, unsigned int at, int verdict)
{
	o->chain = chain;
	o->at = at;
	return verdict;
}

/* A stack of positions to go back to, as long as it needs to be. */
struct stack {
	struct position *position;
	unsigned int used, room;
};

static int push(struct stack *s, struct position p)
{
	if (s->used == s->room) {
		unsigned int room = s->room ? s->room * 2 : 16;
		struct position *more = realloc(s->position, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->position = more;
		s->room = room;
	}
	s->position[s->used++] = p;
	return 0;
}

/* The rule counts and its target acts, but the packet is dropped. */
static int late_drop(struct xt2_oracle *o, const struct xt2_rule *rule)
{
	int kind = XT2_TARGET_KIND(rule->target);

	if (kind > XT2_T_NAT)
		xt2_target_ext(rule, o->ctx);
	return XT2_DROP;
}

static int walk(struct xt2_oracle *o, int base, struct stack *back)
{
	struct position now = { base, 0 };

	for (;;) {
		unsigned int rules = xt2_chain_rules(o->rs, now.chain);
		struct xt2_step step = {
			.depth = back->used, .chain = now.chain, .at = now.at, .answer = XT2_HIT
		};
		int kind = XT2_T_RETURN, verdict;

		if (now.at < rules) {
			step.rule = xt2_rule_get(o->rs, now.chain, now.at);
			step.answer = xt2_oracle_rule(o, step.rule, &step.failed);
			kind = XT2_TARGET_KIND(step.rule->target);
		} else if (xt2_chain_hook(o->rs, now.chain) >= 0) {
			kind = xt2_chain_policy(o->rs, now.chain);
		}
		report(o, &step);
		if (step.answer < 0)
			return decided(o, now.chain, now.at, step.answer);
		if (step.answer == XT2_HOTDROP)
			return decided(o, now.chain, now.at, XT2_DROP);
		if (step.answer == XT2_HIT_DROP)
			return decided(o, now.chain, now.at, late_drop(o, step.rule));
		if (step.answer == XT2_MISS) {
			now.at++;
			continue;
		}
		switch (kind) {
		case XT2_T_CONTINUE: now.at++; continue;
		case XT2_T_ACCEPT:
		case XT2_T_NAT: return decided(o, now.chain, now.at, XT2_ACCEPT);
		case XT2_T_DROP: return decided(o, now.chain, now.at, XT2_DROP);
		case XT2_T_QUEUE: return decided(o, now.chain, now.at, XT2_QUEUE);
		case XT2_T_FOREIGN: return decided(o, now.chain, now.at, -EOPNOTSUPP);
		case XT2_T_RETURN:
			if (back->used) {
				now = back->position[--back->used];
			} else {
				now.chain = base;
				now.at = xt2_chain_rules(o->rs, base);
			}
			continue;
		case XT2_T_JUMP:
			if (push(back, (struct position){ now.chain, now.at + 1 }) < 0)
				return -ENOMEM;
			now = (struct position){ (int)XT2_TARGET_ARG(step.rule->target), 0 };
			continue;
		case XT2_T_GOTO:
			now = (struct position){ (int)XT2_TARGET_ARG(step.rule->target), 0 };
			continue;
		}
		verdict = xt2_target_ext(step.rule, o->ctx);
		if (verdict != XT2_NEXT)
			return decided(o, now.chain, now.at, verdict);
		now.at++;
	}
}

int xt2_oracle_run(struct xt2_oracle *o, int base_chain)
{
	struct stack back = { 0 };
	int verdict = walk(o, base_chain, &back);

	free(back.position);
	return verdict;
}
