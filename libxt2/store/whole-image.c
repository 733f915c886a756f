/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole-image.c - an image that is written whole, ready to be edited
 *
 * The first edit of an image would check all of it, and make what finds its chains and rules
 * (doc/format.md, Edited images).  Whoever writes all of the image does it once, so that no
 * edit costs what there is.  It is done as an edit that changes nothing, of which only the
 * generation is taken back: the root, and the record that the past has of it, are those of the
 * commit that wrote the image.
 */
#include "config.h"
#include "whole-image.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <xt2/xt2.h>
#include "engine/check.h"
#include "engine/image.h"
#include "image-past.h"
#include "libxt2/ruleset/inplace.h"
#include "stamp.h"

#define ROOM (64ull << 20) /* for what is added, beyond as much as there is */

static bool is_sound(const struct xt2_image *img)
{
	void *scratch = malloc(xt2_check_scratch(img->size));
	const bool sound = scratch && !xt2_check(img, img->size, scratch, NULL);

	free(scratch);
	return sound;
}

/* => offset of a root that names what finds chains and rules; 0: it could not be made */
static u32 make_finders(const struct xt2_whole_image *w)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	u32 root = 0;

	if (rs && !xt2_inplace_begin(rs, w->img, w->capacity, false) &&
	    (xt2_inplace_prepare(rs) || xt2_inplace_commit(rs, NULL, &root, NULL))) {
		xt2_inplace_abort(rs);
		root = 0;
	}
	xt2_ruleset_free(rs);
	return root;
}

static void prepare(struct xt2_whole_image *w, bool checked, const struct xt2_image_past *past)
{
	const u64 size = w->img->size;
	const u32 offset = checked || is_sound(w->img) ? make_finders(w) : 0;
	struct xt2_root *root = xt2_at(w->img, offset);
	struct xt2_commit *record = xt2_at(w->img, past->newest);

	if (!offset) {
		w->img->size = size;
		return;
	}
	w->img->root = offset;
	root->generation = past->generation;
	((struct xt2_edits *)xt2_at(w->img, root->edits))->generation = past->generation;
	record->root = offset;
	record->size = w->img->size;
	w->prepared = true;
}

int xt2_whole_image_make(struct xt2_whole_image *w, const struct xt2_image *image, bool checked,
			 const struct xt2_image_past *past)
{
	const u64 size = past->at + past->size, want = 2 * size + ROOM, most = XT2_SIZE_MAX + 8ull;
	struct xt2_root *root;
	void *p;

	*w = (struct xt2_whole_image){ .capacity = (size_t)(want < most ? want : most) };
	p = mmap(NULL, w->capacity, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -ENOMEM;
	w->img = p;
	memcpy(p, image, image->size);
	memcpy((u8 *)p + past->at, past->bytes, past->size);
	root = xt2_at(w->img, w->img->root);
	root->edits = (u32)past->edits;
	root->generation = past->generation;
	w->img->size = size;
	prepare(w, checked, past);
	return 0;
}

void xt2_whole_image_end(struct xt2_whole_image *w)
{
	munmap(w->img, w->capacity);
}

size_t xt2_whole_image_stamp(struct xt2_whole_image *w, const struct xt2_file_facts *facts,
			     u64 changed, u64 *at)
{
	const struct xt2_root *root = xt2_image_root(w->img);
	struct xt2_stamp *stamp = &((struct xt2_edits *)xt2_at(w->img, root->edits))->stamp;
	const u64 size = w->img->size;

	*stamp = facts->now;
	stamp->changed = changed;
	stamp->size = size;
	stamp->first = size - sizeof(*w->img) > XT2_STAMP_PART ? size - XT2_STAMP_PART
							       : sizeof(*w->img);
	*at = xt2_offset(w->img, stamp);
	stamp->digest =
		xt2_stamp_digest(xt2_at(w->img, (u32)stamp->first), stamp, *at, w->img->root);
	return sizeof(*stamp);
}
