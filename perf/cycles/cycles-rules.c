/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cycles-rules.c - the talk's rulesets, and the packets that go through them */
#include "cycles.h"

#include <stdlib.h>

static void *must(void *p)
{
	if (!p) {
		fputs("xt2-cycles: no memory\n", stderr);
		exit(4);
	}
	return p;
}

static void rules_alloc(struct rules *r, u32 chains, u32 count, u32 packets)
{
	r->chains = chains;
	r->count = count;
	r->packets = packets;
	r->chain = must(calloc(chains, sizeof(*r->chain)));
	r->rule = must(calloc(count, sizeof(*r->rule)));
	r->packet = must(calloc(packets, sizeof(*r->packet)));
}

void rules_free(struct rules *r)
{
	free(r->chain);
	free(r->rule);
	free(r->packet);
	*r = (struct rules){ 0 };
}

static void set_byte(u64 *raw, unsigned int at, u8 value)
{
	((u8 *)raw)[at] = value;
}

/* Mask of the first n bytes. */
static void mask_bytes(u64 *mask, unsigned int n)
{
	memset(mask, 0, 16);
	memset(mask, 0xff, n);
}

void rules_equal(struct rules *r, u32 chains, u32 width)
{
	u32 i, k;

	rules_alloc(r, chains + 1, chains + chains * width, 1);
	r->chain[0].rules = chains;
	for (i = 1; i <= chains; i++) {
		r->rule[i - 1].jump = i;
		r->chain[i] = (struct chain){ chains + (i - 1) * width, width };
		for (k = 0; k < width; k++) {
			struct rule *q = &r->rule[r->chain[i].first + k];

			set_byte(q->src, 15, 1);
			set_byte(q->dst, 15, 1);
			mask_bytes(q->src_mask, 16);
			mask_bytes(q->dst_mask, 16);
		}
	}
	set_byte(r->packet[0].src, 15, 1);
	set_byte(r->packet[0].dst, 15, 1);
	r->executed = rules_walk(r, &r->packet[0], NULL);
}

/* --- the tree ---------------------------------------------------------------------- */

struct tree {
	struct rules *r;
	u32 inner, fan;
	u64 (*path)[2]; /* of each chain: a byte for each step */
	u8 *level; /* steps */
};

/* A chain of jumps. */
static u32 tree_jumps(struct tree *t, u32 i, u32 at)
{
	struct rules *r = t->r;
	u32 first = i * t->fan + 1, k;

	for (k = first; k < first + t->fan && k < r->chains; k++, at++) {
		struct rule *q = &r->rule[at];

		t->level[k] = (u8)(t->level[i] + 1);
		memcpy(t->path[k], t->path[i], 16);
		set_byte(t->path[k], t->level[i], (u8)(k - first + 1));
		memcpy(q->src, t->path[k], 16);
		mask_bytes(q->src_mask, t->level[k]);
		q->jump = k;
	}
	return at;
}

/* A chain at the end of the tree: addresses. */
static u32 tree_end(struct tree *t, u32 i, u32 at)
{
	struct rules *r = t->r;
	u64 left = r->count - (r->chains - 1), ends = r->chains - t->inner, n = i - t->inner;
	u64 mine = (n + 1) * left / ends - n * left / ends, k;

	for (k = 0; k < mine; k++, at++) {
		struct rule *q = &r->rule[at];

		memcpy(q->src, t->path[i], 16);
		set_byte(q->src, 15, (u8)(k + 1));
		mask_bytes(q->src_mask, 16);
	}
	return at;
}

/* Packets that hit a rule at an end, each end as likely as any other. */
static void tree_packets(struct tree *t)
{
	struct rules *r = t->r;
	u64 noise = 1, executed = 0;
	u32 i;

	for (i = 0; i < r->packets; i++) {
		struct chain *c;

		do {
			noise = noise * 6364136223846793005u + 1442695040888963407u;
			c = &r->chain[t->inner + (noise >> 33) % (r->chains - t->inner)];
		} while (!c->rules);
		memcpy(r->packet[i].src, r->rule[c->first + (noise >> 20) % c->rules].src, 16);
		set_byte(r->packet[i].dst, 15, 1);
		executed += rules_walk(r, &r->packet[i], NULL);
	}
	r->executed = (double)executed / r->packets;
}

void rules_tree(struct rules *r, u32 chains, u32 rules, u32 fan, u32 packets)
{
	struct tree t = { .r = r, .fan = fan, .inner = (chains - 2) / fan + 1 };
	u32 i, at = 0;

	rules_alloc(r, chains, rules, packets);
	t.path = must(calloc(chains, sizeof(*t.path)));
	t.level = must(calloc(chains, 1));
	for (i = 0; i < chains; i++) {
		r->chain[i].first = at;
		at = i < t.inner ? tree_jumps(&t, i, at) : tree_end(&t, i, at);
		r->chain[i].rules = at - r->chain[i].first;
	}
	tree_packets(&t);
	free(t.path);
	free(t.level);
}

/* --- the second witness ------------------------------------------------------------- */

static bool holds(const u64 *address, const u64 *value, const u64 *mask)
{
	return (address[0] & mask[0]) == value[0] && (address[1] & mask[1]) == value[1];
}

u32 rules_walk(const struct rules *r, const struct address *a, u64 *hits)
{
	struct {
		u32 at, end;
	} stack[DEPTH] = { { r->chain[0].first, r->chain[0].first + r->chain[0].rules } };
	u32 depth = 1, executed = 0;

	while (depth) {
		u32 at = stack[depth - 1].at++;
		const struct rule *q = &r->rule[at];

		if (at == stack[depth - 1].end) {
			depth--;
			continue;
		}
		executed++;
		if (!holds(a->src, q->src, q->src_mask) || !holds(a->dst, q->dst, q->dst_mask))
			continue;
		if (hits)
			hits[at]++;
		if (q->jump && depth < DEPTH) {
			stack[depth].at = r->chain[q->jump].first;
			stack[depth].end = stack[depth].at + r->chain[q->jump].rules;
			depth++;
		}
	}
	return executed;
}
