/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles-packed.c - packed chains in a plain loop, with three ways to count
 *
 * The rules of a chain in one piece, reached through an indirect chain table;
 * what a rule does not test it does not carry.  The loop has none of the
 * engine's refinements: it is there to compare ways to count.
 *
 *	inline		the counter stands in the rule
 *	object		in an object that the rule points to, as large as
 *			xt_quota2's: a cache line for each rule
 *	dense		the rule points to it, too, but the counters stand side
 *			by side in the order of the rules, as xt1 has them now
 *	quota		xt_quota2 in its upcounting mode: a match, the object,
 *			and its lock; it counts bytes as well as packets here
 *
 * So all do the same for a rule.  What a pointer costs is mostly the cache
 * lines that a packet dirties: an object is one more for each rule that holds.
 * Dense counters are fewer lines than inline ones if nearly all rules hold,
 * and then cost nothing.
 */
#include "cycles.h"

#include <stdlib.h>

enum { TEST_SRC, TEST_DST, TEST_SRC_MASK, TEST_DST_MASK, TEST_QUOTA };

struct packed_rule {
	u16 size, end; /* bytes; of the matches */
	u32 jump; /* chain; 0: none; RETURN: the end of a chain */
};

#define RETURN (~0u)

struct counter {
	u64 packets, bytes;
};

struct test {
	u8 type, flags;
	u16 size;
	u32 arg;
};

struct test_address {
	struct test head;
	u64 value[2];
	u64 mask[2]; /* _MASK only */
};

/* What a quota is an allocation for: a counter, its lock, its name in /proc. */
struct quota_object {
	struct counter counter;
	u32 lock, references;
	void *next, *prev, *proc;
	char name[16];
};

/* As the match of that name: how it counts, a limit, and the object. */
struct test_quota {
	struct test head;
	u64 limit;
	struct quota_object *object;
};

#define QUOTA_GROW 0x02 /* count up */

struct packed {
	char **chain;
	struct packed_rule *stack[DEPTH];
	u32 back[DEPTH];
};

/* --- building ---------------------------------------------------------------------- */

static char *put_address(char *p, u8 exact, const u64 *value, const u64 *mask)
{
	struct test_address *t = (struct test_address *)p;
	bool all = mask[0] == ~0ull && mask[1] == ~0ull;

	if (!(mask[0] | mask[1]))
		return p;
	t->head.type = all ? exact : (u8)(exact - TEST_SRC + TEST_SRC_MASK);
	t->head.size = all ? offsetof(struct test_address, mask) : sizeof(*t);
	memcpy(t->value, value, 16);
	if (!all)
		memcpy(t->mask, mask, 16);
	return p + t->head.size;
}

/* Counters outside of the rules: the n-th rule's is pool[order[n]]. */
struct builder {
	struct layout *l;
	struct counter **pool;
	u32 *order, next;
};

static bool points(const struct layout *l)
{
	return l->variant == DENSE || l->variant == OBJECT || l->variant == OBJECT_SCATTERED;
}

static void pool_make(struct builder *b, u32 count)
{
	size_t size = b->l->variant == DENSE ? sizeof(struct counter) : sizeof(struct quota_object);
	u32 i;

	if (!points(b->l))
		return;
	b->order = order_make(count, b->l->variant == OBJECT_SCATTERED);
	b->pool = malloc(count * sizeof(*b->pool));
	if (!b->pool)
		exit(4);
	for (i = 0; i < count; i++)
		b->pool[i] = heap_get(&b->l->heap, size);
}

/* => behind the counter of a rule */
static char *put_counter(struct builder *b, char *p, u64 **packets)
{
	struct counter *c = (struct counter *)p;

	if (b->l->variant == QUOTA)
		return p;
	if (points(b->l)) {
		c = b->pool[b->order[b->next++]];
		memcpy(p, &c, sizeof(c));
	}
	*packets = &c->packets;
	return p + (points(b->l) ? sizeof(c) : sizeof(*c));
}

static char *put_quota(struct layout *l, char *p, u64 **packets)
{
	struct test_quota *t = (struct test_quota *)p;

	if (l->variant != QUOTA)
		return p;
	t->head = (struct test){ TEST_QUOTA, QUOTA_GROW, sizeof(*t), 0 };
	t->object = heap_get(&l->heap, sizeof(*t->object));
	*packets = &t->object->counter.packets;
	return p + sizeof(*t);
}

static char *put_rule(struct builder *b, char *p, const struct rule *q, u32 jump, u64 **packets)
{
	struct packed_rule *rule = (struct packed_rule *)p;

	p = put_counter(b, p + sizeof(*rule), packets);
	if (q) {
		p = put_address(p, TEST_SRC, q->src, q->src_mask);
		p = put_address(p, TEST_DST, q->dst, q->dst_mask);
	}
	p = put_quota(b->l, p, packets);
	rule->size = rule->end = (u16)(p - (char *)rule);
	rule->jump = jump;
	return p;
}

void packed_build(struct layout *l, const struct rules *r)
{
	struct packed *t = heap_get(&l->heap, sizeof(*t));
	size_t most = ((size_t)r->count + r->chains) * 128;
	char *start = region_get(&l->heap, most + r->chains * sizeof(*t->chain)), *p = start;
	struct builder b = { .l = l };
	u64 *unused;
	u32 i, k;

	pool_make(&b, r->count + r->chains);
	t->chain = (char **)p;
	p += r->chains * sizeof(*t->chain);
	for (i = 0; i < r->chains; i++) {
		t->chain[i] = p;
		for (k = 0; k < r->chain[i].rules; k++) {
			const struct rule *q = &r->rule[r->chain[i].first + k];

			p = put_rule(&b, p, q, q->jump,
				     l->packets ? &l->packets[q - r->rule] : &unused);
		}
		p = put_rule(&b, p, NULL, RETURN, &unused);
	}
	l->data = t;
	l->bytes = (size_t)(p - start) + l->heap.used;
	free(b.pool);
	free(b.order);
}

/* --- running ----------------------------------------------------------------------- */

/* => does the rule hold? */
static bool quota_count(const struct test_quota *t, const struct xt2_pkt *pkt)
{
	struct quota_object *o = t->object;
	bool holds = true;

	while (__atomic_exchange_n(&o->lock, 1, __ATOMIC_ACQUIRE))
		;
	if (!(t->head.flags & QUOTA_GROW) && o->counter.bytes + pkt->len > t->limit) {
		holds = false;
	} else {
		o->counter.packets++;
		o->counter.bytes += pkt->len;
	}
	__atomic_store_n(&o->lock, 0, __ATOMIC_RELEASE);
	return holds;
}

static inline bool equal(const struct test_address *t, const u64 *a)
{
	return !((t->value[0] ^ a[0]) | (t->value[1] ^ a[1]));
}

static inline bool equal_masked(const struct test_address *t, const u64 *a)
{
	return !(((a[0] & t->mask[0]) ^ t->value[0]) | ((a[1] & t->mask[1]) ^ t->value[1]));
}

static __always_inline bool tests_hold(const char *p, const char *end, const struct xt2_pkt *pkt)
{
	for (; p < end; p += ((const struct test *)p)->size) {
		const struct test_address *t = (const struct test_address *)p;
		bool holds = true;

		switch (t->head.type) {
		case TEST_SRC: holds = equal(t, pkt->src); break;
		case TEST_DST: holds = equal(t, pkt->dst); break;
		case TEST_SRC_MASK: holds = equal_masked(t, pkt->src); break;
		case TEST_DST_MASK: holds = equal_masked(t, pkt->dst); break;
		case TEST_QUOTA: holds = quota_count((const struct test_quota *)p, pkt); break;
		}
		if (!holds)
			return false;
	}
	return true;
}

enum where { IN_RULE, BEHIND_POINTER, IN_MATCH };

static __always_inline void evaluate(struct layout *l, const struct xt2_pkt *pkt, enum where where)
{
	const size_t head = sizeof(struct packed_rule) + (where == IN_RULE ? sizeof(struct counter)
							  : where == BEHIND_POINTER
								  ? sizeof(struct counter *)
								  : 0);
	struct packed *t = l->data;
	struct packed_rule *r = (struct packed_rule *)t->chain[0];
	u32 depth = 0;

	for (;;) {
		struct counter *c = (struct counter *)(r + 1);

		if (tests_hold((char *)r + head, (char *)r + r->end, pkt)) {
			if (where == BEHIND_POINTER)
				memcpy(&c, r + 1, sizeof(c));
			if (where != IN_MATCH) {
				c->packets++;
				c->bytes += pkt->len;
			}
			if (r->jump == RETURN) {
				if (!depth)
					return;
				r = t->stack[--depth];
			} else if (r->jump && depth < DEPTH) {
				t->stack[depth++] = r;
				r = (struct packed_rule *)t->chain[r->jump];
				continue;
			}
		}
		r = (struct packed_rule *)((char *)r + r->size);
	}
}

void packed_run_inline(struct layout *l, const struct xt2_pkt *pkt)
{
	evaluate(l, pkt, IN_RULE);
}

void packed_run_pointer(struct layout *l, const struct xt2_pkt *pkt)
{
	evaluate(l, pkt, BEHIND_POINTER);
}

void packed_run_quota(struct layout *l, const struct xt2_pkt *pkt)
{
	evaluate(l, pkt, IN_MATCH);
}
