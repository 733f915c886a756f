/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots-convert.c - the inline counters of an image become slots
 *
 * Rules that no packet can meet have slot 0: those of a compiled chain that its patch
 * deleted, its tail if there is a patch, and the guard.
 */
#include "config.h"
#include "slots.h"
#include "engine/index/patched.h"
#include "engine/order.h"

/* What was counted moves to a new slot, for which there is room. */
static void move(struct xt2_slots *s, __u64 *packets, __u64 *bytes)
{
	const struct xt2_counts was = { *packets, *bytes };
	u32 slot = 0;

	xt2_slots_take_(s, &slot);
	s->bias[slot] = was;
	*packets = slot;
	*bytes = 0;
}

/* => the runs of a chain's index, n of them */
static struct xt2_run *runs_of(const struct xt2_chain *compiled, u32 *n)
{
	const struct xt2_index *ix = xt2_chain_index(compiled);

	*n = ix ? ix->runs : 0;
	return *n ? xt2_index_runs(ix) : NULL;
}

static bool is_deleted(const struct xt2_image *img, const struct xt2_chain *compiled,
		       const struct xt2_patch *p, const struct xt2_rule *r)
{
	const u32 place = xt2_offset(compiled, r);

	return r == xt2_chain_tail(compiled) ||
	       xt2_patch_says(img, p, xt2_patch_hash_place(place), place | XT2_PATCH_DELETED);
}

static void clear(struct xt2_rule *r)
{
	r->packets = r->bytes = 0;
}

static void convert(struct xt2_slots *s, struct xt2_image *img, struct xt2_chain *c)
{
	const struct xt2_chain *compiled = xt2_chain_compiled(img, c);
	const struct xt2_patch *p = xt2_chain_patch(c);
	struct xt2_run *run;
	struct xt2_in_order o;
	struct xt2_rule *r;
	u32 i, n;

	xt2_chain_for_each(r, &o, img, c)
		move(s, &r->packets, &r->bytes);
	run = runs_of(compiled, &n);
	for (i = 0; i < n; i++)
		move(s, &run[i].packets, &run[i].bytes);
	if (!p)
		return;
	clear(xt2_chain_first(c));
	xt2_chain_for_each_rule(r, compiled)
		if (is_deleted(img, compiled, p, r))
			clear(r);
}

/* Make room for what will be taken, so that nothing can fail.  => 0, -ENOSPC, -ENOMEM */
static int reserve(struct xt2_slots *s, u64 n)
{
	u32 slot;
	int err = 0;

	for (; n && !err; n--)
		err = xt2_slots_take_(s, &slot);
	xt2_slots_abort_(s);
	return err;
}

int xt2_slots_convert_(struct xt2_slots *s, struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_chain *c;
	u64 total = 0;
	u32 i, n;
	int err;

	if (!root)
		return 0;
	xt2_image_for_each_chain(c, i, img, root) {
		runs_of(xt2_chain_compiled(img, c), &n);
		total += (u64)xt2_chain_length(img, c) + n;
	}
	err = reserve(s, total);
	if (err)
		return err;
	xt2_image_for_each_chain(c, i, img, root)
		convert(s, img, c);
	xt2_slots_commit_(s, root->generation);
	return 0;
}
