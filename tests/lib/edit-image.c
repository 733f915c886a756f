/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit-image.c - edit the chains of an image file by patches
 *
 * edit-image FROM TO SEED: each chain gets copies of rules of its table at places of it,
 * and loses some.  Prints the number of edits.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xt2/xt2.h>
#include "engine/walk.h"
#include "libxt2/change/patch-edit.h"
#include "tests/fuzz/seed-image.h"
#include "engine/order.h"
#include "engine/index/patched.h"

#define ROOM  (1u << 20)
#define EDITS 12 /* of a chain */

static struct xt2_image *img;
static struct xt2_space space;
static u64 state;
static u32 edits;

static int die(const char *what)
{
	fprintf(stderr, "edit-image: %s\n", what);
	exit(2);
}

/* => the rule at a number, the compiled chain's tail behind the last one */
static struct xt2_rule *rule_at(const struct xt2_chain *c, u32 number)
{
	struct xt2_in_order o;
	struct xt2_rule *r;

	xt2_chain_for_each(r, &o, img, c)
		if (r != xt2_chain_tail(c) && !number--)
			return r;
	return xt2_chain_tail(xt2_chain_compiled(img, c));
}

/* Rules that a patch may have anywhere: no jumps, no state, no instances. */
static bool can_copy(const struct xt2_rule *r)
{
	const struct xt2_match *m;

	if (xt2_rule_branches(r) || xt2_target_info(XT2_TARGET_KIND(r->target)) & XT2_EXT_INSTANCE)
		return false;
	xt2_rule_for_each_match(m, r)
		if (xt2_match_info(m->type) & XT2_EXT_CELL)
			return false;
	return true;
}

static void edit_chain(u32 *slot)
{
	const struct xt2_chain *c = xt2_at(img, *slot);
	static u64 generation = 1;
	struct xt2_patch_edit e;
	struct xt2_rule copy[64];
	const struct xt2_rule *r;
	u32 length, at, where;
	int err;

	length = xt2_chain_length(img, c) - 1;
	if (!length || xt2_patch_begin(&e, &space, *slot, ++generation))
		return;
	r = rule_at(c, seed_below(&state, length));
	at = xt2_offset(img, rule_at(c, seed_below(&state, length + 1)));
	if (can_copy(r) && r->size <= sizeof(copy) && seed_below(&state, 3)) {
		memcpy(copy, r, r->size);
		copy->packets = copy->bytes = 0;
		err = xt2_patch_insert(&e, at, copy, 0, &where);
	} else {
		err = xt2_patch_delete(&e, xt2_offset(img, r));
	}
	edits += !err;
	if ((err && err != -E2BIG && err != -EINVAL) || xt2_patch_end(&e, slot))
		die("an edit failed");
	xt2_space_commit(&space, generation);
	xt2_space_reclaim(&space, generation);
}

static void edit_chains(void)
{
	const struct xt2_root *root = xt2_image_root(img);
	const u32 *dir = xt2_at(img, root->chain_dir);
	const struct xt2_chain *c;
	u32 i, n;

	for (n = 0; n < EDITS; n++)
		xt2_image_for_each_chain(c, i, img, root)
			edit_chain((u32 *)xt2_at(img, dir[i / XT2_CHAIN_PAGE]) +
				   i % XT2_CHAIN_PAGE);
}

static void store_walk(void)
{
	struct xt2_walk w = { .img = img, .root = xt2_image_root(img) };

	w.chains = calloc(w.root->chains + 1, sizeof(*w.chains));
	if (!w.chains || xt2_walk_hooks(&w))
		die("chains loop");
	xt2_walk_store(&w);
	free(w.chains);
}

int main(int argc, char **argv)
{
	struct xt2_mapping map;
	struct xt2_err err;
	FILE *to;

	if (argc != 4)
		die("usage: edit-image FROM TO SEED");
	if (xt2_image_open(argv[1], &map, &err))
		die(err.message);
	state = strtoull(argv[3], NULL, 0) * 2 + 1;
	img = calloc(1, map.size + ROOM);
	if (!img)
		die("no memory");
	memcpy(img, map.image, map.size);
	if (xt2_space_begin(&space, img, map.size + ROOM))
		die("no memory");
	edit_chains();
	store_walk();
	to = fopen(argv[2], "w");
	if (!to || fwrite(img, 1, img->size, to) != img->size || fclose(to))
		die("cannot write");
	printf("%u\n", edits);
	xt2_space_end(&space);
	free(img);
	xt2_image_close(&map);
	return 0;
}
