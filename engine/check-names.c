/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check-names.c - no two chains of a table have one name
 *
 * Our own writers list the user chains of a table by name, which one pass
 * over them shows.  Other orders are sorted: by hashes of the names, since those
 * fit side by side, and by merging, since hostile names can make any hash
 * table slow.
 */
#include "check.h"
#include "walk.h"

/* --- by name already ----------------------------------------------------------- */

struct order {
	u32 table; /* XT2_TABLES_MAX: none yet */
	const char __img *base[XT2_HOOKS_MAX]; /* its base chains */
	u32 bases;
	const char __img *last; /* its last user chain; NULL: none yet */
};

/* => true if this chain, too, comes where it would by name, and no other has its name */
static bool follows(struct order *o, const struct xt2_chain __img *ch, const char __img *name)
{
	u32 i;

	if (ch->table != o->table) {
		if (o->table != XT2_TABLES_MAX && ch->table < o->table)
			return false;
		*o = (struct order){ .table = ch->table };
	}
	for (i = 0; i < o->bases; i++)
		if (!memcmp(o->base[i], name, XT2_NAME_SIZE))
			return false;
	if (ch->hook != XT2_HOOK_NONE) {
		if (o->last || o->bases == XT2_HOOKS_MAX)
			return false;
		o->base[o->bases++] = name;
		return true;
	}
	if (o->last && memcmp(o->last, name, XT2_NAME_SIZE) >= 0)
		return false;
	o->last = name;
	return true;
}

static bool in_order(const struct xt2_image __img *img, const struct xt2_root __img *root)
{
	struct order order = { .table = XT2_TABLES_MAX };
	const struct xt2_chain __img *ch;
	u32 i;

	xt2_image_for_each_chain(ch, i, img, root)
		if (!follows(&order, ch, xt2_image_chain_cold(img, root, i)->name))
			return false;
	return true;
}

/* --- by hash ------------------------------------------------------------------- */

/* A chain's table and name, in short; two of these fit into a walk's place. */
struct short_name {
	u64 hash;
	u32 chain;
	u32 table;
};

_Static_assert(2 * sizeof(struct short_name) <= sizeof(struct xt2_walk_chain), "scratch");

struct names {
	const struct xt2_image __img *img;
	const struct xt2_root __img *root;
	u32 twice; /* a chain that has another's name */
};

static const char __img *name_of(const struct names *s, u32 chain)
{
	return xt2_image_chain_cold(s->img, s->root, chain)->name;
}

static struct short_name shorten(const struct names *s, const struct xt2_chain __img *ch, u32 chain)
{
	struct short_name n = { .hash = ch->table, .chain = chain, .table = ch->table };
	u64 word;
	u32 i;

	for (i = 0; i < XT2_NAME_SIZE; i += sizeof(word)) {
		memcpy(&word, name_of(s, chain) + i, sizeof(word));
		n.hash = (n.hash ^ word) * 0x9e3779b97f4a7c15ull;
		n.hash ^= n.hash >> 32;
	}
	return n;
}

/* => as memcmp(); any order will do.  Names are read only if hashes are the same. */
static int compare(const struct names *s, const struct short_name *a, const struct short_name *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	return memcmp(name_of(s, a->chain), name_of(s, b->chain), XT2_NAME_SIZE);
}

/* Merge from[at, mid) and from[mid, end). => false: s->twice has another's name */
static bool merge(struct names *s, const struct short_name *from, struct short_name *to, u32 at,
		  u32 mid, u32 end)
{
	u32 a = at, b = mid;
	int order;

	while (at < end && xt2_can_loop) {
		order = a == mid ? 1 : b == end ? -1 : compare(s, &from[a], &from[b]);
		if (!order) {
			s->twice = from[b].chain;
			return false;
		}
		to[at++] = order < 0 ? from[a++] : from[b++];
	}
	return true;
}

static bool differ(struct names *s, struct short_name *from)
{
	struct short_name *to = from + s->root->chains, *swap;
	const struct xt2_chain __img *ch;
	u32 i, n = 0, at, mid, end;
	u64 run;

	xt2_image_for_each_chain(ch, i, s->img, s->root)
		from[n++] = shorten(s, ch, i);
	for (run = 1; run < n; run *= 2) {
		for (at = 0; at < n && xt2_can_loop; at = end) {
			mid = run < n - at ? at + (u32)run : n;
			end = run < n - mid ? mid + (u32)run : n;
			if (!merge(s, from, to, at, mid, end))
				return false;
		}
		swap = from;
		from = to;
		to = swap;
	}
	return true;
}

u32 xt2_check_names_(const struct xt2_image __img *img, const struct xt2_root __img *root,
		     struct xt2_walk_chain *scratch)
{
	struct names names = { .img = img, .root = root };

	if (in_order(img, root) || differ(&names, (void *)scratch))
		return XT2_NAMES_DIFFER;
	return names.twice;
}
