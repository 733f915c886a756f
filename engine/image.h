/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - access to a checked image
 *
 * Offsets become pointers here and nowhere else.  The helpers trust the
 * image: only bytes that xt2_check() accepted may be passed.  Iteration is
 * first/next plus one for_each macro.
 */
#ifndef XT2_ENGINE_IMAGE_H
#define XT2_ENGINE_IMAGE_H

#include "env.h"
#include "tune.h"
#include <xt2/ext.h>

static inline void __img *xt2_at(const void __img *img, u64 off)
{
	return (u8 __img *)img + off;
}

/* The place at a distance, which may be negative, modulo 2^64. */
static inline void __img *xt2_away(const void __img *from, u64 distance)
{
	return (u8 __img *)from + (__s64)distance;
}

/* => offset of a place in the image, or in a chain */
static inline u32 xt2_offset(const void __img *from, const void __img *p)
{
	return (u32)((const u8 __img *)p - (const u8 __img *)from);
}

/* => bytes; an image may grow while it is read, but what a reader is led to was there before */
static inline u64 xt2_image_size(const struct xt2_image __img *img)
{
	return xt2_cell_load(&img->size);
}

/* => the root record, or NULL if the image has no ruleset yet */
static inline const struct xt2_root __img *xt2_image_root(const struct xt2_image __img *img)
{
	u64 off = xt2_root_load(&img->root);

	return off ? xt2_at(img, off) : NULL;
}

/*
 * xt2_image_visits_max - how many chains one packet should be allowed to enter
 *
 * Above that, chains lead to chains in too many ways.
 * => XT2_VISITS_MAX, or as many as the image has rules
 */
u64 xt2_image_visits_max(const struct xt2_image __img *img);

/* => may a packet at some hook enter more? */
bool xt2_image_too_long(const struct xt2_image __img *img);

static inline const struct xt2_table __img *
xt2_image_table(const struct xt2_image __img *img, const struct xt2_root __img *root, u32 i)
{
	return (const struct xt2_table __img *)xt2_at(img, root->table) + i;
}

static inline const struct xt2_hook __img *xt2_image_hook(const struct xt2_image __img *img,
							  const struct xt2_root __img *root, u32 i)
{
	return (const struct xt2_hook __img *)xt2_at(img, root->hook) + i;
}

/* => offset of a chain's extent; 0 if the index is not in use */
static inline u32 xt2_chain_offset(const struct xt2_image __img *img,
				   const struct xt2_root __img *root, u32 index)
{
	const u32 __img *dir = xt2_at(img, root->chain_dir);
	const u32 __img *page;
	u32 off = dir[index / XT2_CHAIN_PAGE];

	if (unlikely(!off))
		return 0;
	page = xt2_at(img, off);
	return page[index % XT2_CHAIN_PAGE];
}

/* => the chain, or NULL if the index is not in use */
static inline struct xt2_chain __img *xt2_image_chain(const struct xt2_image __img *img,
						      const struct xt2_root __img *root, u32 index)
{
	u32 off = index < root->chains ? xt2_chain_offset(img, root, index) : 0;

	return off ? xt2_at(img, off) : NULL;
}

static inline const struct xt2_chain_cold __img *
xt2_image_chain_cold(const struct xt2_image __img *img, const struct xt2_root __img *root,
		     u32 index)
{
	const u32 __img *dir = xt2_at(img, root->chain_cold);
	const struct xt2_chain_cold __img *page = xt2_at(img, dir[index / XT2_COLD_PAGE]);

	return page + index % XT2_COLD_PAGE;
}

static inline u64 __img *xt2_image_cell(const struct xt2_image __img *img,
					const struct xt2_root __img *root, u32 i)
{
	return (u64 __img *)xt2_at(img, root->cell) + i;
}

/* => offset of an instance; 0 if the index is not in use */
static inline u32 xt2_instance_offset(const struct xt2_image __img *img,
				      const struct xt2_root __img *root, u32 i)
{
	const u32 __img *dir = xt2_at(img, root->instance);
	const u32 off = dir[i / XT2_INSTANCE_PAGE];
	const u32 __img *page = xt2_at(img, off);

	return off ? page[i % XT2_INSTANCE_PAGE] : 0;
}

/* An instance that is in use. */
static inline const struct xt2_instance __img *
xt2_image_instance(const struct xt2_image __img *img, const struct xt2_root __img *root, u32 i)
{
	return xt2_at(img, xt2_instance_offset(img, root, i));
}

static inline const u8 __img *xt2_instance_data(const struct xt2_instance __img *in)
{
	return (const u8 __img *)(in + 1);
}

/* Rules of a chain, the tail included. */
static inline struct xt2_rule __img *xt2_chain_first(const struct xt2_chain __img *c)
{
	return xt2_at(c, sizeof(*c));
}

static inline struct xt2_rule __img *xt2_chain_tail(const struct xt2_chain __img *c)
{
	return xt2_at(c, c->tail);
}

static inline struct xt2_rule __img *xt2_rule_next(const struct xt2_rule __img *r)
{
	return xt2_at(r, r->size);
}

#define xt2_chain_for_each_rule(r, c)                                                             \
	for ((r) = xt2_chain_first(c); (const u8 __img *)(r) < (const u8 __img *)(c) + (c)->used; \
	     (r) = xt2_rule_next(r))

/* Data of a rule's target, and its length in bytes; matches end where they begin. */
static inline void __img *xt2_rule_target_data(const struct xt2_rule __img *r)
{
	return xt2_at(r, r->target_offset);
}

static inline u32 xt2_rule_target_size(const struct xt2_rule __img *r)
{
	return r->size - r->target_offset;
}

/* Matches of a rule. */
static inline struct xt2_match __img *xt2_rule_first_match(const struct xt2_rule __img *r)
{
	return xt2_at(r, sizeof(*r));
}

static inline struct xt2_match __img *xt2_match_next(const struct xt2_match __img *m)
{
	return xt2_at(m, m->size);
}

#define xt2_rule_for_each_match(m, r)                                           \
	for ((m) = xt2_rule_first_match(r);                                     \
	     (const void __img *)(m) < xt2_rule_target_data(r) && xt2_can_loop; \
	     (m) = xt2_match_next(m))

#define xt2_image_for_each_table(t, i, img, root) \
	for ((i) = 0; (i) < (root)->tables && ((t) = xt2_image_table(img, root, i)); (i)++)

#define xt2_image_for_each_hook(h, i, img, root) \
	for ((i) = 0; (i) < (root)->hooks && ((h) = xt2_image_hook(img, root, i)); (i)++)

/* Skips chain indices that are not in use. */
#define xt2_image_for_each_chain(c, i, img, root)  \
	for ((i) = 0; (i) < (root)->chains; (i)++) \
		if (((c) = xt2_image_chain(img, root, i)))

/* Properties of a match or target in the extension list: XT2_EXT_* bits. */
u32 xt2_match_info(u8 type);
u32 xt2_target_info(u8 kind);

/* The name in the list: "src4", "tcp", "REJECT"; NULL if there is none. */
const char *xt2_match_name(u8 type);
const char *xt2_target_name(u8 kind);

#endif
