/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world-image.h - random images whose chains have indexes
 *
 * One number makes one image, always the same.  Chains jump only to later
 * ones of their table.  Limits decide which chains get an index of which kind:
 * small ones make tiny chains into pairs.
 */
#ifndef TESTS_WORLD_IMAGE_H
#define TESTS_WORLD_IMAGE_H

#include <stdlib.h>
#include "world-rules.h"
#include "engine/index/find.h"

#define WORLD_HOOK  2 /* FORWARD, the hook of all base chains */
#define WORLD_USERS 12 /* chains of a table besides its base chain, at most */

/* How an image comes out. */
struct world_plan {
	u32 tables; /* 1 or 2 */
	bool early; /* the first comes before conntrack, as raw does */
	u32 users; /* chains of each */
	u32 rules; /* of a chain, at most */
	u32 base_jumps, user_jumps; /* rules of a chain that jump, at most */
	struct xt2_index_limits limits;
	enum world_style style; /* of all chains; WORLD_ANY: each has one */
};

struct world_image {
	struct xt2_image *img; /* malloc'ed */
	u64 size;
	u32 rules; /* of all chains */
};

/* Equal rules follow one another, comments aside. */
static inline u32 world_write_run(struct world *w, struct xt2_writer *out)
{
	struct seed_rule copy;
	u32 i, n = 2 + world_below(w, 40);

	seed_rule(&w->rule)->target = XT2_T_CONTINUE;
	for (i = 0; i < n; i++) {
		copy = w->rule;
		if (world_often(w, 10))
			seed_match(&copy, XT2_M_COMMENT, 0, 0, NULL, 0);
		xt2_write_rule(out, seed_rule(&copy));
	}
	return n;
}

static inline u32 world_write_rules(struct world *w, struct xt2_writer *out, u32 n)
{
	u32 done = 0;

	while (done < n) {
		const struct xt2_rule *r = world_rule(w);

		if (world_often(w, 3) && r->size == r->target_offset) {
			done += world_write_run(w, out);
			continue;
		}
		xt2_write_rule(out, r);
		done++;
	}
	return done;
}

/* Few chains are long, as in real rulesets. */
static inline u32 world_length(struct world *w, u32 most)
{
	if (world_often(w, 50))
		return world_below(w, most < 12 ? most : 12);
	return world_below(w, world_often(w, 50) ? most / 8 + 1 : most + 1);
}

static inline u32 world_write_chain(struct world *w, const struct world_plan *plan,
				    struct xt2_writer *out, u32 index, u16 table, bool base,
				    void *scratch)
{
	char name[] = "chain-aa";
	u32 n;

	w->style = (enum world_style)world_below(w, WORLD_STYLES);
	if (plan->style != WORLD_ANY)
		w->style = plan->style;
	w->rule.first = index + 1;
	w->jumps = base ? plan->base_jumps : plan->user_jumps;
	name[6] = (char)('a' + index / 26);
	name[7] = (char)('a' + index % 26);
	xt2_write_chain_begin(out, index, table, base ? WORLD_HOOK : XT2_HOOK_NONE, name);
	n = world_write_rules(w, out, base ? plan->rules / 2 : world_length(w, plan->rules));
	seed_rule_begin(&w->rule, base ? XT2_T_ACCEPT : XT2_T_RETURN, 0);
	xt2_write_rule(out, seed_rule(&w->rule));
	xt2_write_index(out, &plan->limits, scratch);
	xt2_write_chain_end(out, NULL, world_below(w, 3) * 8);
	return n;
}

static inline void world_write(struct world *w, const struct world_plan *plan,
			       struct xt2_writer *out, struct world_image *image, void *scratch)
{
	const u32 chains = plan->users + 1;
	const s32 first = plan->early ? -300 : -150;
	u32 t, c, i;

	for (t = 0; t < plan->tables; t++)
		xt2_write_table(out, w->family, t ? "filter" : "mangle", ~0u);
	xt2_write_instance(out, XT2_INSTANCE_COMMENT, 0, NULL, "why", 3);
	for (i = 0; i < WORLD_CELLS; i++)
		xt2_write_cell(out, i, 0);
	for (t = 0; t < plan->tables; t++) {
		xt2_write_hook(out, w->family, WORLD_HOOK, (u16)t, t ? 0 : first, t * chains);
		w->rule.last = (t + 1) * chains;
		for (c = 0; c < chains; c++)
			image->rules += world_write_chain(w, plan, out, t * chains + c, (u16)t, !c,
							  scratch);
	}
}

/* How many candidates are looked for at once is the index's choice, up to the room for them. */
static inline void world_ahead(struct world *w, struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root)
		if (c->lookup)
			((struct xt2_index *)xt2_at(c, c->lookup))->ahead =
				(u16)(1 + world_below(w, world_often(w, 50) ? 3 : XT2_CANDIDATES));
}

/*
 * world_image - write an image
 * @image: filled in; img is to be freed
 * => 0, or what the writer says
 */
static inline int world_image(struct world *w, const struct world_plan *plan,
			      struct world_image *image, struct xt2_check_err *err)
{
	const u32 chains = plan->tables * (plan->users + 1);
	const u64 most = plan->rules + 64, cap = (u64)chains * (most * 640 + 20000) + 100000;
	void *check = malloc(xt2_check_scratch(cap)), *scratch = malloc(xt2_index_scratch(most));
	struct xt2_writer out;
	int ret = -ENOMEM;

	*image = (struct world_image){ .img = malloc(cap) };
	if (image->img && check && scratch) {
		xt2_write_begin(&out, image->img, cap, 1, plan->tables, plan->tables, chains, 1,
				WORLD_CELLS);
		world_write(w, plan, &out, image, scratch);
		ret = xt2_write_end(&out, check, &image->size);
		*err = out.err;
		if (!ret && world_often(w, 50))
			world_ahead(w, image->img);
	}
	free(scratch);
	free(check);
	return ret;
}

/* A plan of tiny chains, now and then of long ones, with every kind of index. */
static inline void world_plan(struct world *w, struct world_plan *plan, u32 most)
{
	static const struct xt2_index_limits limits[] = {
		{ 0, 0, 0, 0, false },	      { 0, 0, 0, 0, false },
		{ 0, 1u << 30, 0, 0, false }, { 0, 1u << 30, 0, 0, false },
		{ 0, 0, 1024, 0, false },     { 0, 0, 1024, 0, false },
		{ 0, 4, 8, 0, false },	      { 16, 64, 0, 4, false },
		{ 16, 16, 1024, 3, false },   { 0, 0, 0, ~0u, false },
		{ 0, 0, 0, ~0u, false },
	};

	const bool tree = world_often(w, 20); /* many ways, but of one step */
	const bool early = world_often(w, 30);

	w->family = world_below(w, 2) ? XT2_IPV4 : XT2_IPV6;
	w->stateful = world_below(w, 2) * world_below(w, 30);
	w->spread = 1u << (1 + world_below(w, 8));
	*plan = (struct world_plan){
		.tables = 1 + world_below(w, 2),
		.users = world_below(w, WORLD_USERS),
		.rules = 2 + world_below(w, world_often(w, 80) ? most / 10 + 1 : most),
		.base_jumps = tree ? most : 10,
		.user_jumps = tree ? 0 : 2,
		.limits = limits[world_below(w, XT2_ARRAY_SIZE(limits))],
		.early = early,
	};
}

#endif
