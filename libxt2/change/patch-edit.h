/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch-edit.h - edit a chain of an image in place; not installed
 *
 * An edit is a part of a transaction of the image's space (space.h).  It writes a
 * patched chain (doc/format.md) that shares with the one before it all that it does
 * not change, and changes nothing that another generation can name.  Heap memory has
 * the list of parts, which each edit writes anew, until xt2_patch_end() does.
 *
 * A function that fails with -ENOSPC (the space has no room) or -ENOMEM has spoilt the
 * edit: all others then fail as well, and the caller aborts the edit and the space's
 * transaction.  After other errors the edit is as it was.
 */
#ifndef XT2_LIBXT2_CHANGE_PATCH_EDIT_H
#define XT2_LIBXT2_CHANGE_PATCH_EDIT_H

#include <xt2/patch.h>
#include "space.h"

struct xt2_patch_edit {
	struct xt2_space *space;
	const struct xt2_chain *compiled;
	u32 from; /* offset of the patched chain; 0: it was plain */
	u32 writer; /* low bits of the generation: parts with these may be changed */
	u8 family;
	int err; /* of the call that spoilt it */
	u32 tail; /* kind */
	struct xt2_patch patch; /* as it will be, but for part */
	struct xt2_patch_part *part;
	u32 part_cap;
	u32 shared_slots; /* list of pages that some still are shared with; 0: none are */
	/*
	 * An inserted rule has another offset from now on, if the edit is published.  The caller
	 * may set it; NULL: none.  The copy has the counters of this moment.
	 */
	void (*moved)(void *arg, u32 from, u32 to);
	void *arg;
};

/*
 * xt2_patch_begin - edit a chain
 * @chain: offset of a checked chain that is compiled, or patched
 * @generation: the one that is written; no part of the image has been written for it but by
 *	this transaction
 * => 0, -ENOSPC, -ENOMEM; if 0, xt2_patch_end(), _abort() or _drop() frees the memory
 */
int xt2_patch_begin(struct xt2_patch_edit *e, struct xt2_space *space, u32 chain, u64 generation);

/*
 * xt2_patch_insert - insert a rule
 * @before: offset of a rule of the compiled chain, its tail included, or of an inserted rule
 * @rule: a valid one, whose numbers of chains, cells and instances are the image's
 * @line: of its source; 0: not known
 * @where: out: its offset
 * => 0; -ENOENT: there is no such inserted rule; -E2BIG: the chain has to be compiled anew,
 *    since the place is in a large rule group, or there are too many changes; -ENOSPC, -ENOMEM
 */
int xt2_patch_insert(struct xt2_patch_edit *e, u32 before, const struct xt2_rule *rule, u32 line,
		     u32 *where);

/* => 0; -ENOENT: it is none, or deleted already; -EINVAL: the tail; -E2BIG, -ENOSPC, -ENOMEM */
int xt2_patch_delete(struct xt2_patch_edit *e, u32 rule);

/* What happens at the chain's end; its counters stay.  => 0; -EINVAL: no policy */
int xt2_patch_set_tail(struct xt2_patch_edit *e, u32 kind);

/* => changes in all: a chain with many should be compiled anew */
static inline u32 xt2_patch_items(const struct xt2_patch_edit *e)
{
	return e->patch.inserted + e->patch.deleted;
}

/* => changes of a chain of so many compiled rules from which on it is better compiled anew */
static inline u32 xt2_changes_usual(u32 rules)
{
	return rules / 64 + 4;
}

/*
 * xt2_patch_end - write the chain's new extent
 * @offset: out: of it, for the chain table
 * => 0; -ENOSPC, -ENOMEM: the edit is still there, to be aborted
 */
int xt2_patch_end(struct xt2_patch_edit *e, u32 *offset);

/* Free the edit's memory; the space's transaction has to be aborted as well. */
void xt2_patch_abort(struct xt2_patch_edit *e);

/* The same if nothing was changed; the space's transaction goes on. */
void xt2_patch_drop(struct xt2_patch_edit *e);

/* --- shared in the room ---------------------------------------------------- */

static inline void *xt2_edit_at_(const struct xt2_patch_edit *e, u32 offset)
{
	return (u8 *)e->space->img + offset;
}

/* The record of an inserted rule. */
static inline struct xt2_inserted *xt2_edit_inserted_(const struct xt2_patch_edit *e, u32 rule)
{
	return xt2_edit_at_(e, rule - (u32)offsetof(struct xt2_inserted, rule));
}

/* => err, which spoils the edit */
static inline int xt2_edit_spoilt_(struct xt2_patch_edit *e, int err)
{
	e->err = err;
	return err;
}

/* => offset of a place, or 0: the edit is spoilt */
static inline u32 xt2_edit_alloc_(struct xt2_patch_edit *e, u64 size)
{
	u32 offset = xt2_space_alloc(e->space, size);

	if (!offset)
		xt2_edit_spoilt_(e, -ENOSPC);
	return offset;
}

/* A place is no longer named by what is written.  => 0, -ENOMEM */
static inline int xt2_edit_retire_(struct xt2_patch_edit *e, u32 offset, u64 size)
{
	return xt2_space_retire(e->space, offset, size) ? xt2_edit_spoilt_(e, -ENOMEM) : 0;
}

/*
 * A page or bucket that may be changed: the same, or a copy if another generation has it.
 * @writer: that of the part at *offset
 * @size: bytes of its place
 * @used: those that mean something
 * => it, and *offset names it; NULL: the edit is spoilt
 */
static inline void *xt2_edit_own_(struct xt2_patch_edit *e, u32 *offset, u32 writer, u32 size,
				  u32 used)
{
	const u32 old = *offset;
	u32 copy;

	if (writer == e->writer)
		return xt2_edit_at_(e, old);
	copy = xt2_edit_alloc_(e, size);
	if (!copy || xt2_edit_retire_(e, old, size))
		return NULL;
	*offset = copy;
	return memcpy(xt2_edit_at_(e, copy), xt2_edit_at_(e, old), used);
}

/* Give up a page or a bucket.  => 0, -ENOMEM */
static inline int xt2_edit_drop_(struct xt2_patch_edit *e, u32 offset, u32 writer, u32 size)
{
	if (writer != e->writer)
		return xt2_edit_retire_(e, offset, size);
	xt2_space_free(e->space, offset, size);
	return 0;
}

#endif
