/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-past.c - what a whole image tells of itself, behind it
 *
 * An image that is packed has no edits (doc/format.md).  On its way to a file, or to the kernel,
 * it gets some: the owners of its chains, records of the newest commits that the image before
 * tells of, one of this commit, and a struct xt2_edits that names them.
 */
#include "config.h"
#include "image-past.h"

#include <errno.h>
#include <stdlib.h>
#include "engine/image.h"
#include "libxt2/change/history.h"
#include "libxt2/change/owners.h"
#include "libxt2/ruleset/ruleset.h"

/* --- owners ------------------------------------------------------------------ */

static bool has_owners(const struct xt2_ruleset *rs)
{
	u32 i;

	for (i = 0; rs && rs->owners && i < rs->chains; i++)
		if (rs->chain[i].live && rs->chain[i].owner)
			return true;
	return false;
}

int xt2_chain_owners_new(const struct xt2_ruleset *rs, struct xt2_chain_owners **owners)
{
	struct xt2_chain_owners *o = NULL;
	int table, chain;

	if (has_owners(rs)) {
		o = malloc(sizeof(*o) + rs->live);
		if (!o)
			return -ENOMEM;
		o->names = *rs->owners;
		o->chains = 0;
		for (table = 0; table < (int)rs->tables; table++)
			xt2_table_for_each_chain(chain, rs, table)
				o->owner[o->chains++] = rs->chain[chain].owner;
	}
	*owners = o;
	return 0;
}

static u32 pages_of(const struct xt2_chain_owners *o)
{
	return o ? (o->chains + XT2_WAY_PAGE - 1) / XT2_WAY_PAGE : 0;
}

static void add_owners(const struct xt2_chain_owners *o, struct xt2_edits *edits,
		       struct xt2_image_past *p)
{
	u32 *dir = (u32 *)(p->bytes + p->size), i;
	struct xt2_way *way = NULL;

	edits->way = (u32)(p->at + p->size);
	p->size += pages_of(o) * (u32)sizeof(*dir);
	p->size += -p->size % XT2_ALIGN;
	for (i = 0; i < o->chains; i++) {
		if (i % XT2_WAY_PAGE == 0) {
			way = (struct xt2_way *)(p->bytes + p->size);
			dir[i / XT2_WAY_PAGE] = (u32)(p->at + p->size);
			p->size += XT2_WAY_PAGE * (u32)sizeof(*way);
		}
		way[i % XT2_WAY_PAGE].owner = o->owner[i];
	}
	edits->owners = (u32)(p->at + p->size);
	memcpy(p->bytes + p->size, &o->names, xt2_owners_size(&o->names));
	p->size += xt2_owners_size(&o->names);
}

/* --- records ------------------------------------------------------------------ */

static void add_record(struct xt2_image_past *p, struct xt2_past *past)
{
	past->commit.previous = p->newest;
	p->newest = (u32)(p->at + p->size);
	xt2_past_write(past, p->bytes + p->size);
	p->size += xt2_past_size(past);
}

/* Bytes of records that are taken over: an image must not be mostly empty, and records are no content. */
static u32 bytes_max(const struct xt2_image_past *p)
{
	const u64 most = 8192 + p->at / 4;

	return most < XT2_HISTORY_BYTES ? (u32)most : XT2_HISTORY_BYTES;
}

/* Records of the image before, of generations before this one. */
static void take_over(struct xt2_image_past *p, struct xt2_history h, u64 generation)
{
	u32 at[XT2_HISTORY_MAX], n = 0, bytes = 0;
	struct xt2_past past;

	while (n < XT2_HISTORY_MAX - 1) {
		const u32 next = h.next;

		if (!xt2_history_next(&h, &past))
			break;
		if (past.commit.generation >= generation)
			continue;
		bytes += xt2_past_size(&past);
		if (bytes > bytes_max(p))
			break;
		at[n++] = next;
	}
	while (n--)
		if (xt2_history_read(&h, at[n], &past))
			add_record(p, &past);
}

/* --- both --------------------------------------------------------------------- */

u64 xt2_image_past_most(const struct xt2_chain_owners *owners)
{
	const u64 page = XT2_WAY_PAGE * sizeof(struct xt2_way) + sizeof(u32);

	return XT2_HISTORY_BYTES + sizeof(struct xt2_past) + sizeof(struct xt2_edits) + XT2_ALIGN +
	       (owners ? pages_of(owners) * page + sizeof(owners->names) : 0);
}

int xt2_image_past_make(struct xt2_image_past *p, const struct xt2_image *image, u64 at,
			u64 generation, const struct xt2_history *before,
			const struct xt2_author *author, const struct xt2_chain_owners *owners)
{
	struct xt2_edits edits = { .generation = generation,
				   .file = before->file + 1,
				   .cell_room = xt2_image_root(image)->cells };
	struct xt2_past past;

	*p = (struct xt2_image_past){ .at = at,
				      .generation = generation,
				      .bytes = calloc(1, xt2_image_past_most(owners)) };
	if (!p->bytes)
		return -ENOMEM;
	if (owners)
		add_owners(owners, &edits, p);
	take_over(p, *before, generation);
	xt2_past_make(&past, author, generation);
	if (!past.commit.kind)
		past.commit.kind = XT2_COMMIT_WHOLE;
	past.commit.file = edits.file;
	past.commit.root = (u32)image->root;
	past.commit.size = at + p->size + xt2_past_size(&past) + sizeof(edits);
	add_record(p, &past);
	edits.history = p->newest;
	p->edits = at + p->size;
	memcpy(p->bytes + p->size, &edits, sizeof(edits));
	p->size += (u32)sizeof(edits);
	return 0;
}
