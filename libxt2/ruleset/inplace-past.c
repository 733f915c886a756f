/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inplace-past.c - who changed a ruleset that is edited in its image
 *
 * A commit that has an author leaves a record in the image: libxt2/change/history.c.
 */
#include "config.h"
#include "inplace.h"
#include "libxt2/change/history.h"

void xt2_inplace_author(struct xt2_ruleset *rs, const struct xt2_author *author)
{
	rs->inplace->author = author;
}

/* Only the history stays, which is read with care. */
struct xt2_edits xt2_inplace_edits_anew_(const struct xt2_inplace_ *in, const struct xt2_root *root)
{
	struct xt2_history h;

	xt2_history_begin(&h, in->img, -1, in->img->size, in->img->root);
	return (struct xt2_edits){ .garbage = xt2_history_bytes(&h),
				   .cell_room = root->cells,
				   .history = h.next,
				   .file = h.file };
}

static int set_owner(struct xt2_inplace_ *in, u32 chain, u8 owner)
{
	const struct xt2_way *way = xt2_pages_get(&in->way, chain);
	struct xt2_way *own;

	if ((way ? way->owner : 0) == owner)
		return 0;
	own = xt2_pages_own(&in->way, chain);
	if (!own)
		return -ENOSPC;
	own->owner = owner;
	return 0;
}

int xt2_inplace_owners_anew_(struct xt2_inplace_ *in)
{
	u32 i;
	int ret = 0;

	for (i = 0; in->owned.count && i < in->root->chains && !ret; i++)
		ret = set_owner(in, i, xt2_owned_by(&in->owned, i));
	return ret;
}

/* The list of owners, if there is another one than before. */
static int write_owners(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	const u32 size = rs->owners ? xt2_owners_size(rs->owners) : 0;
	u32 offset;
	int ret = 0;

	if (!rs->owners || !rs->owners->count || (in->edits.owners && !rs->owners_new))
		return 0;
	if (in->trusted && in->edits.owners && in->owned.count)
		ret = xt2_space_retire(&in->space, in->edits.owners,
				       offsetof(struct xt2_owners, name) +
					       in->owned.count * (u64)XT2_NAME_SIZE);
	offset = ret ? 0 : xt2_space_alloc(&in->space, size);
	if (!offset)
		return ret ? ret : -ENOSPC;
	memcpy(xt2_at(in->img, offset), rs->owners, size);
	in->edits.owners = offset;
	return 0;
}

int xt2_inplace_owners_(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	int ret = write_owners(rs);
	u32 i;

	for (i = 0; i < in->changes && !ret; i++) {
		const u32 chain = in->changed[i];

		if (rs->chain[chain].live)
			ret = set_owner(in, chain, rs->chain[chain].owner);
	}
	return ret;
}

/* Nobody needs records of old: each counts as garbage at once. */
int xt2_inplace_record_(struct xt2_ruleset *rs, u64 generation, struct xt2_commit **record)
{
	struct xt2_inplace_ *in = rs->inplace;
	struct xt2_author author;
	struct xt2_past past;
	u32 offset;

	*record = NULL;
	in->recorded = 0;
	if (!in->author)
		return 0;
	author = *in->author;
	author.changes = rs->changes;
	xt2_past_make(&past, &author, generation);
	past.commit.previous = in->edits.history;
	past.commit.file = in->edits.file;
	in->recorded = xt2_past_size(&past);
	offset = xt2_space_alloc(&in->space, in->recorded);
	if (!offset)
		return -ENOSPC;
	*record = xt2_at(in->img, offset);
	xt2_past_write(&past, *record);
	in->edits.history = offset;
	return 0;
}
