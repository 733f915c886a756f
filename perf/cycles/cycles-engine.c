/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles-engine.c - the real thing: engine/eval.c on an image in huge pages
 *
 * The ruleset is written with libxt2 as a program would do it, then copied: an
 * image may lie anywhere.
 */
#include "cycles.h"
#include "engine/eval.h"

#include <stdlib.h>

struct engine {
	struct xt2_ctx ctx;
	const struct xt2_hook *hook;
};

struct engine *engine_new(struct heap *heap, const struct xt2_image *image, size_t size, u8 family,
			  u8 hook)
{
	struct engine *e = heap_get(heap, sizeof(*e));
	struct xt2_image *copy = region_get(heap, size);
	const struct xt2_hook *h;
	u32 i, depth;

	memcpy(copy, image, size);
	e->ctx.img = copy;
	e->ctx.root = xt2_image_root(copy);
	depth = e->ctx.root->depth ? e->ctx.root->depth : 1;
	e->ctx.stack = region_get(heap, depth * sizeof(*e->ctx.stack));
	e->ctx.stack_size = depth;
	e->ctx.random = 1;
	e->ctx.now = 1700000000ull * 1000000000u;
	xt2_image_for_each_hook(h, i, copy, e->ctx.root) {
		if (!e->hook && h->family == family && h->hook == hook)
			e->hook = h;
	}
	return e->hook ? e : NULL;
}

int engine_eval(struct engine *e, struct xt2_pkt *pkt)
{
	e->ctx.pkt = pkt;
	e->ctx.now += 1000000; /* a millisecond */
	return xt2_eval(&e->ctx, e->hook);
}

const struct xt2_image *engine_image(const struct engine *e)
{
	return e->ctx.img;
}

u64 engine_faults(const struct engine *e)
{
	return e->ctx.faults;
}

/* --- a ruleset --------------------------------------------------------------------- */

static void sound(int ret, const struct xt2_err *err)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "xt2-cycles: %s\n", strerror(-ret));
	if (err)
		xt2_err_print(err, stderr);
	exit(4);
}

static char *add_address(char *p, u8 exact, u8 masked, const u64 *value, const u64 *mask)
{
	struct xt2_match_addr6_mask *m = (struct xt2_match_addr6_mask *)p;
	bool all = mask[0] == ~0ull && mask[1] == ~0ull;

	if (!(mask[0] | mask[1]))
		return p;
	memset(m, 0, sizeof(*m));
	m->head.type = all ? exact : masked;
	m->head.size = all ? sizeof(struct xt2_match_addr6) : sizeof(*m);
	memcpy(m->addr, value, 16);
	if (!all)
		memcpy(m->mask, mask, 16);
	return p + m->head.size;
}

static void append(struct xt2_ruleset *rs, int chain, const struct rule *q, const int *numbers)
{
	_Alignas(8) char bytes[sizeof(struct xt2_rule) + 2 * sizeof(struct xt2_match_addr6_mask)];
	struct xt2_rule *rule = (struct xt2_rule *)bytes;
	char *p = bytes + sizeof(*rule);

	memset(rule, 0, sizeof(*rule));
	p = add_address(p, XT2_M_SRC6, XT2_M_SRC6_MASK, q->src, q->src_mask);
	p = add_address(p, XT2_M_DST6, XT2_M_DST6_MASK, q->dst, q->dst_mask);
	rule->size = rule->target_offset = (u16)(p - bytes);
	if (q->jump)
		rule->target = XT2_TARGET(XT2_T_JUMP, numbers[q->jump]);
	sound(xt2_rule_append(rs, chain, rule, 0), NULL);
}

static void write_image(const struct rules *r, struct xt2_mapping *map)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int *numbers = calloc(r->chains, sizeof(*numbers)), table;
	struct xt2_err err = { 0 };
	char name[XT2_NAME_SIZE];
	u32 i, k;

	if (!rs || !numbers)
		exit(4);
	table = xt2_table_add(rs, XT2_IPV6, "filter", NULL);
	sound(table, NULL);
	numbers[0] = xt2_chain_base(rs, table, XT2_INPUT);
	for (i = 1; i < r->chains; i++) {
		snprintf(name, sizeof(name), "t%07u", i);
		numbers[i] = xt2_chain_add(rs, table, name);
		sound(numbers[i], NULL);
	}
	for (i = 0; i < r->chains; i++)
		for (k = 0; k < r->chain[i].rules; k++)
			append(rs, numbers[i], &r->rule[r->chain[i].first + k], numbers);
	sound(xt2_ruleset_write(rs, map, &err), &err);
	xt2_ruleset_free(rs);
	free(numbers);
}

/* Where the rules of each chain count: chains are known by their names. */
static void find_counters(struct layout *l, const struct rules *r, const struct engine *e)
{
	const struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, e->ctx.img, e->ctx.root) {
		const char *name = xt2_image_chain_cold(e->ctx.img, e->ctx.root, i)->name;
		struct xt2_rule *rule;
		u32 n = 0, chain;

		if (name[0] != 't' && strcmp(name, "INPUT"))
			continue;
		chain = name[0] == 't' ? (u32)atoi(name + 1) : 0;
		xt2_chain_for_each_rule(rule, c) {
			if (n < r->chain[chain].rules)
				l->packets[r->chain[chain].first + n++] = (u64 *)&rule->packets;
		}
	}
}

void engine_build(struct layout *l, const struct rules *r)
{
	struct xt2_mapping map;
	struct engine *e;

	write_image(r, &map);
	e = engine_new(&l->heap, map.image, map.size, XT2_IPV6, XT2_INPUT);
	if (!e)
		exit(4);
	l->bytes = map.size;
	l->data = e;
	if (l->packets)
		find_counters(l, r, e);
	xt2_image_close(&map);
}

void engine_run(struct layout *l, const struct xt2_pkt *pkt)
{
	engine_eval(l->data, (struct xt2_pkt *)pkt);
}
