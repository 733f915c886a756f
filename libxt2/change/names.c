/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.c - find a chain of an image by its name
 *
 * Linear probing.  The slot of a name that went stays taken until the table is made anew,
 * which happens when three quarters of the slots are or were in use.  Names come from
 * untrusted input, so each table has a seed of its own.
 */
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include "engine/image.h"

#define WAS_TAKEN   (~(u32)0)
#define SLOTS_FIRST 64u

void xt2_names_begin(struct xt2_names *n, struct xt2_pages *slot, const struct xt2_pages *cold,
		     struct xt2_edits *edits, u32 (*table_of)(void *arg, u32 chain), void *arg)
{
	*n = (struct xt2_names){ slot, cold, edits, table_of, arg };
}

static u32 hash_of(const struct xt2_names *n, u32 table, const char *name)
{
	return xt2_name_hash(n->edits->seed, table, name);
}

static u32 slot_at(const struct xt2_names *n, u32 i)
{
	const u32 *slot = xt2_pages_get(n->slot, i);

	return slot ? *slot : 0;
}

static int put(struct xt2_names *n, u32 i, u32 value)
{
	u32 *slot = xt2_pages_own(n->slot, i);

	if (!slot)
		return -ENOSPC;
	*slot = value;
	return 0;
}

/* => is this the chain of this name? */
static bool is_named(const struct xt2_names *n, u32 chain, u32 table, const char *name)
{
	const struct xt2_chain_cold *cold = chain < n->cold->count ? xt2_pages_get(n->cold, chain)
								   : NULL;

	return cold && !memcmp(cold->name, name, XT2_NAME_SIZE) &&
	       n->table_of(n->arg, chain) == table;
}

u32 xt2_names_find(const struct xt2_names *n, u32 table, const char *name)
{
	const u32 mask = n->edits->slots - 1, hash = hash_of(n, table, name);
	u32 i, slot;

	for (i = 0; i < n->edits->slots; i++) {
		slot = slot_at(n, (hash + i) & mask);
		if (!slot)
			break;
		if (slot != WAS_TAKEN && is_named(n, slot - 1, table, name))
			return slot - 1;
	}
	return XT2_NAMES_NONE;
}

/* Into the first slot that is not in use.  => 0, -ENOSPC */
static int enter(struct xt2_names *n, u32 hash, u32 chain)
{
	const u32 mask = n->edits->slots - 1;
	u32 i, slot;

	for (i = 0; i < n->edits->slots; i++) {
		slot = slot_at(n, (hash + i) & mask);
		if (slot && slot != WAS_TAKEN)
			continue;
		n->edits->taken += !slot;
		return put(n, (hash + i) & mask, chain + 1);
	}
	return -EIO; /* it is never full */
}

/* A free table of so many slots.  => 0, -ENOMEM, -ENOSPC */
static int start(struct xt2_names *n, u32 slots)
{
	int ret = xt2_pages_clear(n->slot, slots);

	if (ret)
		return ret;
	n->edits->slots = slots;
	n->edits->taken = 0;
	if (getrandom(&n->edits->seed, sizeof(n->edits->seed), GRND_NONBLOCK) < 0)
		n->edits->seed = (unsigned long)n;
	return 0;
}

static u32 slots_for(u64 chains)
{
	u32 slots = SLOTS_FIRST;

	while (slots < 2 * chains)
		slots *= 2;
	return slots;
}

int xt2_names_build(struct xt2_names *n, const struct xt2_image *img, const struct xt2_root *root)
{
	const struct xt2_chain *c;
	int ret = start(n, slots_for(root->chains));
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		if (ret)
			break;
		ret = enter(n, hash_of(n, c->table, xt2_image_chain_cold(img, root, i)->name), i);
	}
	return ret;
}

/* The same names in a table with room.  => 0, -ENOMEM, -ENOSPC */
static int rebuild(struct xt2_names *n)
{
	const u32 slots = n->edits->slots;
	u32 *chain = malloc((size_t)slots * sizeof(*chain));
	u32 i, slot, count = 0;
	int ret;

	if (!chain)
		return -ENOMEM;
	for (i = 0; i < slots; i++) {
		slot = slot_at(n, i);
		if (slot && slot != WAS_TAKEN)
			chain[count++] = slot - 1;
	}
	ret = start(n, slots_for(count + 1ull));
	for (i = 0; i < count && !ret; i++) {
		const struct xt2_chain_cold *cold = xt2_pages_get(n->cold, chain[i]);

		ret = cold ? enter(n, hash_of(n, n->table_of(n->arg, chain[i]), cold->name),
				   chain[i])
			   : -EIO;
	}
	free(chain);
	return ret;
}

int xt2_names_add(struct xt2_names *n, u32 table, const char *name, u32 chain)
{
	int ret = 0;

	if (n->edits->taken >= n->edits->slots / 4 * 3)
		ret = rebuild(n);
	return ret ? ret : enter(n, hash_of(n, table, name), chain);
}

int xt2_names_delete(struct xt2_names *n, u32 table, const char *name, u32 chain)
{
	const u32 mask = n->edits->slots - 1, hash = hash_of(n, table, name);
	u32 i, slot;

	for (i = 0; i < n->edits->slots; i++) {
		slot = slot_at(n, (hash + i) & mask);
		if (!slot)
			break;
		if (slot == chain + 1)
			return put(n, (hash + i) & mask, WAS_TAKEN);
	}
	return -ENOENT;
}
