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
