/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - find a chain of an image by its name; not installed
 *
 * An open hash table in pages of the image, changed like its other arrays (pages.h).  What
 * an entry says is compared with the name itself, so that is the only place of a name.
 */
#ifndef XT2_LIBXT2_CHANGE_NAMES_H
#define XT2_LIBXT2_CHANGE_NAMES_H

#include <xt2/edits.h>
#include "pages.h"

#define XT2_NAMES_NONE (~(u32)0)

/* @name: padded with NUL: four words.  @seed: a secret, since names come from untrusted input */
static inline u32 xt2_name_hash(u64 seed, u32 table, const char *name)
{
	u64 words[XT2_NAME_SIZE / sizeof(u64)];
	u64 h = (table + 0x9e3779b97f4a7c15ull) ^ seed;
	size_t i;

	memcpy(words, name, sizeof(words));
	for (i = 0; i < XT2_ARRAY_SIZE(words); i++) {
		h = (h ^ words[i]) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	return (u32)h;
}

struct xt2_names {
	struct xt2_pages *slot; /* u32: a chain's index and 1; 0: free; ~0: was taken */
	const struct xt2_pages *cold; /* the names, as the transaction leaves them */
	struct xt2_edits *edits; /* slots, taken and seed are the table's */
	u32 (*table_of)(void *arg, u32 chain);
	void *arg;
};

/* Nothing is allocated.  @table_of: of a chain that is in use */
void xt2_names_begin(struct xt2_names *n, struct xt2_pages *slot, const struct xt2_pages *cold,
		     struct xt2_edits *edits, u32 (*table_of)(void *arg, u32 chain), void *arg);

/* A new table of all chains of an image.  => 0; -ENOSPC, -ENOMEM */
int xt2_names_build(struct xt2_names *n, const struct xt2_image *img, const struct xt2_root *root);

/* @name: padded with NUL.  => the chain; XT2_NAMES_NONE: the table has none of this name */
u32 xt2_names_find(const struct xt2_names *n, u32 table, const char *name);

/* Its name is in n->cold.  => 0; -ENOSPC, -ENOMEM */
int xt2_names_add(struct xt2_names *n, u32 table, const char *name, u32 chain);

/* @name: that it was added by.  => 0; -ENOENT: it is not there; -ENOSPC, -ENOMEM */
int xt2_names_delete(struct xt2_names *n, u32 table, const char *name, u32 chain);

#endif
