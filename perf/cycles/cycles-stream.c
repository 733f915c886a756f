/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles-stream.c - xt1's layout: one stream of struct ip6t_entry
 *
 * What ip6_tables evaluates: every entry carries addresses, masks, interface
 * names and their masks, whether the rule asks for them or not; a jump names
 * an offset; a rule without a target "jumps" to the next.  The counter stands
 * in the entry, as it did when a table was copied for each CPU (until Linux
 * 4.2), or the entry holds its address, as now: per-CPU memory, dense.
 */
#include "cycles.h"

#include <netinet/in.h>
#include <net/if.h>
#include <stdint.h>
#include <stdlib.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv6/ip6_tables.h>

struct stream {
	char *entries;
	u32 first, underflow; /* offsets */
	const void *standard; /* stands for the kernel's object of the standard target */
	u32 stack[DEPTH];
};

/* The kernel's target is an object with a function; the standard one's is NULL. */
struct target_object {
	unsigned int (*target)(void *skb, const void *par);
};

static const struct target_object standard_target;

struct entry {
	struct ip6t_entry head;
	struct xt_standard_target target;
};

struct error_entry {
	struct ip6t_entry head;
	struct xt_error_target target;
};

static void set_pointer(struct entry *e)
{
	const struct target_object *t = &standard_target;

	memcpy((char *)&e->target.target + offsetof(struct xt_entry_target, u.kernel.target), &t,
	       sizeof(t));
}

static struct entry *put(struct stream *s, u32 *at, int verdict)
{
	struct entry *e = (struct entry *)(s->entries + *at);

	e->head.target_offset = sizeof(e->head);
	e->head.next_offset = sizeof(*e);
	e->target.target.u.target_size = sizeof(e->target);
	e->target.verdict = verdict;
	set_pointer(e);
	*at += sizeof(*e);
	return e;
}

static void count_at(struct layout *l, struct entry *e, u32 rule, struct xt_counters *counters)
{
	struct xt_counters *c = &counters[rule];

	if (l->variant == DENSE)
		e->head.counters.pcnt = (__u64)(uintptr_t)c;
	else
		c = &e->head.counters;
	if (l->packets && rule != ~0u)
		l->packets[rule] = (u64 *)&c->pcnt;
}

/* Where each chain starts: a user chain's first entry, behind its head. */
static u32 *places(const struct rules *r, u32 *size)
{
	u32 *place = calloc(r->chains, sizeof(*place)), at = 0, i;

	for (i = 0; place && i < r->chains; i++) {
		place[i] = at += i ? sizeof(struct error_entry) : 0;
		at += (r->chain[i].rules + 1) * sizeof(struct entry);
	}
	*size = at;
	return place;
}

void stream_build(struct layout *l, const struct rules *r)
{
	struct stream *s = heap_get(&l->heap, sizeof(*s));
	struct xt_counters *counters, *rest;
	u32 size, at = 0, i, k, *place = places(r, &size);

	if (!place)
		exit(4);
	s->entries = region_get(&l->heap, size);
	counters = region_get(&l->heap, ((size_t)r->count + r->chains) * sizeof(*counters));
	rest = counters + r->count; /* of the ends of the chains */
	for (i = 0; i < r->chains; i++) {
		struct entry *e;

		at = place[i];
		for (k = 0; k < r->chain[i].rules; k++) {
			u32 n = r->chain[i].first + k;
			const struct rule *q = &r->rule[n];

			e = put(s, &at, q->jump ? (int)place[q->jump] : (int)(at + sizeof(*e)));
			memcpy(&e->head.ipv6.src, q->src, 16);
			memcpy(&e->head.ipv6.smsk, q->src_mask, 16);
			memcpy(&e->head.ipv6.dst, q->dst, 16);
			memcpy(&e->head.ipv6.dmsk, q->dst_mask, 16);
			count_at(l, e, n, counters);
		}
		if (!i)
			s->underflow = at;
		e = put(s, &at, i ? XT_RETURN : -NF_ACCEPT - 1);
		if (l->variant == DENSE)
			e->head.counters.pcnt = (__u64)(uintptr_t)&rest[i];
	}
	l->bytes = size + (l->variant == DENSE ? (r->count + r->chains) * sizeof(*counters) : 0);
	l->data = s;
	free(place);
}

static inline bool same_address(const struct in6_addr *value, const struct in6_addr *mask,
				const u64 *a)
{
	const u64 *v = (const u64 *)value, *m = (const u64 *)mask;

	return !(((a[0] & m[0]) ^ v[0]) | ((a[1] & m[1]) ^ v[1]));
}

static inline bool same_name(const char *value, const unsigned char *mask, const u64 *name)
{
	return !(((xt2_raw64(value) ^ name[0]) & xt2_raw64(mask)) |
		 ((xt2_raw64(value + 8) ^ name[1]) & xt2_raw64(mask + 8)));
}

/* Inverted or not, in the order of the kernel. */
static inline bool entry_matches(const struct ip6t_ip6 *e, const struct xt2_pkt *pkt)
{
	const u8 inv = e->invflags;

	if (same_address(&e->src, &e->smsk, pkt->src) == !!(inv & IP6T_INV_SRCIP) ||
	    same_address(&e->dst, &e->dmsk, pkt->dst) == !!(inv & IP6T_INV_DSTIP))
		return false;
	if (same_name(e->iniface, e->iniface_mask, pkt->in) == !!(inv & IP6T_INV_VIA_IN) ||
	    same_name(e->outiface, e->outiface_mask, pkt->out) == !!(inv & IP6T_INV_VIA_OUT))
		return false;
	if (!(e->flags & IP6T_F_PROTO))
		return true;
	return (e->proto == pkt->proto) != !!(inv & IP6T_INV_PROTO);
}

static __always_inline void evaluate(struct layout *l, const struct xt2_pkt *pkt, bool pointer)
{
	struct stream *s = l->data;
	char *base = s->entries;
	struct ip6t_entry *e = (struct ip6t_entry *)base;
	u32 depth = 0;

	for (;;) {
		struct xt_counters *c = &e->counters;
		const struct xt_standard_target *t;
		const struct target_object *object;
		int v;

		if (!entry_matches(&e->ipv6, pkt)) {
			e = (struct ip6t_entry *)((char *)e + e->next_offset);
			continue;
		}
		if (pointer)
			c = (struct xt_counters *)(uintptr_t)e->counters.pcnt;
		c->bcnt += pkt->len;
		c->pcnt++;
		t = (const struct xt_standard_target *)((char *)e + e->target_offset);
		memcpy(&object, (const char *)t + offsetof(struct xt_entry_target, u.kernel.target),
		       sizeof(object));
		if (object->target)
			return;
		v = t->verdict;
		if (v < 0) {
			if (v != XT_RETURN)
				return;
			if (!depth) {
				e = (struct ip6t_entry *)(base + s->underflow);
				continue;
			}
			e = (struct ip6t_entry *)(base + s->stack[--depth]);
			e = (struct ip6t_entry *)((char *)e + e->next_offset);
			continue;
		}
		if (base + v != (char *)e + e->next_offset) {
			if (depth == DEPTH)
				return;
			s->stack[depth++] = (u32)((char *)e - base);
		}
		e = (struct ip6t_entry *)(base + v);
	}
}

void stream_run(struct layout *l, const struct xt2_pkt *pkt)
{
	if (l->variant == DENSE)
		evaluate(l, pkt, true);
	else
		evaluate(l, pkt, false);
}
