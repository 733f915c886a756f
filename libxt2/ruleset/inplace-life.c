/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inplace-life.c - a ruleset that is edited in its image: from one generation to the next
 *
 * The arrays of chains, instances and cells have their full length from the beginning, but
 * are zero memory that nobody has touched: a page of it costs nothing until then.  After a commit, and
 * after an abort, all that was read is forgotten, and read again when it is asked for.
 */
#include "config.h"
#include "inplace.h"

#include <stdlib.h>
#include "engine/index/patched.h"

#define SPARE	     1024u /* elements at least that an array has room for beyond those of the image */
#define BUCKETS_KEPT 1024u

static u32 table_of(void *arg, u32 chain)
{
	const struct xt2_inplace_ *in = arg;
	const struct xt2_ruleset *rs = in->rs;
	const struct xt2_chain *before;

	if (rs->chain[chain].known)
		return rs->chain[chain].table;
	before = xt2_inplace_before_(in, chain);
	return before ? before->table : XT2_NONE;
}

static u32 with_spare(u32 n)
{
	return n + n / 8 + SPARE;
}

/* Zero memory that is not touched. */
static int alloc_arrays(struct xt2_ruleset *rs, const struct xt2_root *root)
{
	rs->chain_cap = with_spare(root->chains);
	rs->instance_cap = with_spare(root->instances);
	rs->cell_cap = with_spare(root->cells);
	rs->chain = calloc(rs->chain_cap, sizeof(*rs->chain));
	rs->order->chain = malloc(rs->chain_cap * sizeof(u32));
	rs->instance = calloc(rs->instance_cap, sizeof(*rs->instance));
	rs->cell = calloc(rs->cell_cap, sizeof(*rs->cell));
	return rs->chain && rs->order->chain && rs->instance && rs->cell ? 0 : -ENOMEM;
}

/* Begin a transaction on the generation that the image's root names. */
static void begin(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_root *root = xt2_image_root(in->img);
	const struct xt2_edits *edits = in->trusted && root->edits ? xt2_at(in->img, root->edits)
								   : NULL;

	in->root = root;
	in->adopted = XT2_NONE;
	in->prepared = false;
	in->edits = edits ? *edits : xt2_inplace_edits_anew_(in, root);
	xt2_pages_begin(&in->chain, &in->space, root->chain_dir, root->chains, sizeof(u32),
			XT2_CHAIN_PAGE);
	xt2_pages_begin(&in->cold, &in->space, root->chain_cold, root->chains,
			sizeof(struct xt2_chain_cold), XT2_COLD_PAGE);
	xt2_pages_begin(&in->instance, &in->space, root->instance, root->instances, sizeof(u32),
			XT2_INSTANCE_PAGE);
	xt2_pages_begin(&in->name, &in->space, in->edits.name, in->edits.slots, sizeof(u32),
			XT2_NAME_PAGE);
	in->has_ways = in->edits.way;
	xt2_pages_begin(&in->way, &in->space, in->edits.way, in->has_ways ? root->chains : 0,
			sizeof(struct xt2_way), XT2_WAY_PAGE);
	xt2_names_begin(&in->names, &in->name, &in->cold, &in->edits, table_of, in);
	xt2_ways_begin(&in->ways, &in->way);
	in->tables = root->tables;
	in->instances = root->instances;
	in->cells = root->cells;
	rs->generation = root->generation;
	rs->chains = root->chains;
	rs->instances = root->instances;
	rs->cells = root->cells;
	xt2_memories_forget_(rs);
	rs->came = root->chains;
	rs->free = XT2_NONE;
	xt2_owned_begin(&in->owned, in->img, in->img->size, in->img->root);
	rs->trespass = (struct xt2_trespass){ .owner = "" };
	rs->changes = (struct xt2_changes){ 0 };
}

static void pages_free(struct xt2_inplace_ *in)
{
	xt2_pages_free(&in->chain);
	xt2_pages_free(&in->cold);
	xt2_pages_free(&in->instance);
	xt2_pages_free(&in->name);
	xt2_pages_free(&in->way);
}

static void edit_free(struct xt2_chain_ *c)
{
	if (!c->edit)
		return;
	xt2_patch_abort(c->edit);
	free(c->edit);
	c->edit = NULL;
}

/* Forget a chain's header and rules, as if they had never been read. */
static void forget(struct xt2_ruleset *rs, u32 chain)
{
	struct xt2_chain_ *c = &rs->chain[chain];

	edit_free(c);
	if (!c->unread && c->rules.n)
		xt2_rules_drop_(rs, &c->rules);
	else if (!c->unread)
		xt2_list_free_(&c->rules);
	*c = (struct xt2_chain_){ 0 };
}

static void end(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	u32 i;

	if (!in)
		return;
	for (i = 0; i < in->knowns; i++)
		forget(rs, in->known[i]);
	pages_free(in);
	xt2_ways_end(&in->ways);
	xt2_space_end(&in->space);
	free(in->known);
	free(in->changed);
	free(in->used);
	free(in->bound);
	free(in);
	rs->inplace = NULL;
	rs->ops = NULL;
}

static void moved(struct xt2_ruleset *rs)
{
	rs->inplace->rs = rs;
}

static const struct xt2_inplace_ops_ ops = {
	.know = xt2_inplace_know_,
	.know_all = xt2_inplace_know_all_,
	.know_references = xt2_inplace_know_references_,
	.read = xt2_inplace_read_,
	.complete = xt2_inplace_complete_,
	.instance = xt2_inplace_instance_,
	.named = xt2_inplace_named_,
	.unused = xt2_inplace_unused_,
	.link = xt2_inplace_link_,
	.change = xt2_inplace_change_,
	.refer = xt2_inplace_refer_,
	.use = xt2_inplace_use_,
	.open = xt2_inplace_open_,
	.insert = xt2_inplace_insert_,
	.delete = xt2_inplace_delete_,
	.flush = xt2_inplace_flush_,
	.rule = xt2_inplace_rule_,
	.line = xt2_inplace_line_,
	.find = xt2_inplace_find_,
	.count = xt2_inplace_count_,
	.gone = xt2_inplace_gone_,
	.resource = xt2_inplace_resource_,
	.moved = moved,
	.end = end,
};

int xt2_inplace_begin(struct xt2_ruleset *rs, struct xt2_image *img, u64 capacity, bool trusted)
{
	struct xt2_inplace_ *in = calloc(1, sizeof(*in));
	const struct xt2_root *root = xt2_image_root(img);

	if (!in)
		return -ENOMEM;
	rs->inplace = in;
	rs->ops = &ops;
	rs->image = (const u8 *)img;
	rs->image_size = capacity;
	in->rs = rs;
	in->img = img;
	in->trusted = trusted;
	if (xt2_space_begin(&in->space, img, capacity) || alloc_arrays(rs, root) ||
	    xt2_tables_load_(rs, img, root)) {
		end(rs);
		return -ENOMEM;
	}
	begin(rs);
	in->garbage = in->edits.garbage;
	if (xt2_owners_load_(rs, &in->owned)) {
		end(rs);
		return -ENOMEM;
	}
	return 0;
}

/* A commit that knew all chains has many buckets, which others need not clear each time. */
static void forget_names(struct xt2_ruleset *rs)
{
	if (rs->buckets > BUCKETS_KEPT) {
		free(rs->bucket);
		rs->bucket = NULL;
		rs->buckets = 0;
	}
	if (rs->buckets)
		memset(rs->bucket, 0xff, rs->buckets * sizeof(*rs->bucket));
}

/* All that was read or changed; what the image has is read again when it is asked for. */
static void forget_all(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	u32 i;

	for (i = 0; i < in->knowns; i++)
		forget(rs, in->known[i]);
	in->knowns = in->changes = in->bounds = 0;
	in->all_known = false;
	in->error = 0;
	for (i = in->filled ? 0 : in->instances; i < rs->instances; i++)
		rs->instance[i] = NULL;
	in->filled = in->resourced = in->forgets = false;
	if (in->used_cap)
		memset(in->used, 0, in->used_cap);
	for (i = 0; i < rs->tables; i++)
		free(rs->table[i].source);
	rs->tables = 0;
	rs->live = 0;
	rs->order->n = 0;
	rs->order->sorted = false;
	forget_names(rs);
	xt2_arena_free_(&rs->rules);
	xt2_arena_free_(&rs->payloads);
	xt2_arena_free_(&rs->lists);
}

/* Go on with what the image's root names now. */
static int renew(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;

	forget_all(rs);
	pages_free(in);
	begin(rs);
	rs->acting = 0;
	if (rs->owners)
		rs->owners->count = 0; /* names of what did not happen go */
	if (xt2_owners_load_(rs, &in->owned))
		return xt2_inplace_fail_(in, -ENOMEM);
	return xt2_tables_load_(rs, in->img, in->root) ? xt2_inplace_fail_(in, -ENOMEM) : 0;
}

int xt2_inplace_prepare(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_chain *c;
	int ret = xt2_inplace_names_(in);
	u32 i;

	if (!ret)
		ret = xt2_inplace_ways_(rs);
	for (i = 0; i < in->root->chains && !ret; i++) {
		c = xt2_inplace_before_(in, i);
		if (c)
			ret = xt2_inplace_finder_(in, i, xt2_chain_compiled(in->img, c));
	}
	in->prepared = true;
	return ret ? xt2_inplace_fail_(in, ret) : 0;
}

int xt2_inplace_adopt(struct xt2_ruleset *rs, u32 chain, u32 offset, u32 finder)
{
	struct xt2_inplace_ *in = rs->inplace;
	u32 *at = xt2_pages_own(&in->chain, chain);
	struct xt2_way *way = at ? xt2_pages_own(&in->way, chain) : NULL;

	if (!way)
		return xt2_inplace_fail_(in, -ENOSPC);
	*at = offset;
	way->finder = finder;
	in->adopted = chain;
	in->adopted_at = offset;
	return 0;
}

int xt2_inplace_done(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;

	if (xt2_image_root(in->img) == in->root) {
		xt2_space_abort(&in->space); /* what reading has made is not named by anything */
	} else {
		xt2_space_commit(&in->space, xt2_image_root(in->img)->generation);
		in->trusted = true;
		in->garbage += in->recorded;
	}
	return renew(rs);
}

int xt2_inplace_abort(struct xt2_ruleset *rs)
{
	xt2_space_abort(&rs->inplace->space);
	return renew(rs);
}
