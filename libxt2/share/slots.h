/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - the numbers of counters, and what is added to them; not installed
 *
 * A slot is a counter of a rule or a rule group.  Its value is its bias plus what each
 * reader's strip has.  A strip is never written but by its reader, so a slot that is taken
 * again has a bias that makes up for what the strips still have.
 *
 * Slot 0 belongs to no rule: what is counted there is never read.
 *
 * Numbers follow the transactions of the image's space (change/space.h): a slot that is
 * retired may still be counted in by readers of the generation before, so it is taken again
 * only after the caller said that none is left.  A transaction that is aborted leaves all
 * as it was.
 */
#ifndef XT2_LIBXT2_SHARE_SLOTS_H
#define XT2_LIBXT2_SHARE_SLOTS_H

#include "engine/index/search.h"

/* Slots that were retired up to a generation. */
struct xt2_slots_batch {
	u64 generation;
	u32 end; /* of retired[] */
};

struct xt2_slots {
	struct xt2_counts *bias; /* of max slots: address space, memory as far as it is used */
	u32 max; /* slots */
	u32 used; /* those below this were taken at some time */
	u32 *free; /* there is always room for all that are used */
	u32 free_n, free_cap;
	u32 *taken; /* in the open transaction */
	u32 taken_n, taken_cap;
	u32 *retired; /* oldest first */
	u32 retired_n, retired_cap;
	struct xt2_slots_batch *batch;
	u32 batches, batch_cap;
};

/* => address space for the counters of so many slots, all zero; NULL: not to be had */
struct xt2_counts *xt2_strip_new_(u32 slots);
void xt2_strip_free_(struct xt2_counts *strip, u32 slots);

/* No slots are used but slot 0.  => 0, -ENOMEM; xt2_slots_end_() in either case */
int xt2_slots_begin_(struct xt2_slots *s, u32 max);
void xt2_slots_end_(struct xt2_slots *s);

/* => 0; -ENOSPC: all max slots are in use; -ENOMEM */
int xt2_slots_take_(struct xt2_slots *s, u32 *slot);

/* => 0, -ENOMEM */
int xt2_slots_retire_(struct xt2_slots *s, u32 slot);

/* The open transaction wrote this generation, or did not happen. */
void xt2_slots_commit_(struct xt2_slots *s, u64 generation);
void xt2_slots_abort_(struct xt2_slots *s);

/* No generation before this one is read any more. */
void xt2_slots_reclaim_(struct xt2_slots *s, u64 oldest);

/*
 * xt2_slots_convert_ - the inline counters of an image become slots
 *
 * Each live rule and each rule group gets a slot whose bias is what it had counted.
 * => 0; -ENOSPC: it has more of them than there are slots; -ENOMEM; nothing was changed
 */
int xt2_slots_convert_(struct xt2_slots *s, struct xt2_image *img);

#endif
