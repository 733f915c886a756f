/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share.h - many threads evaluate one image while one of them changes it; not installed
 *
 * A ruleset is shared by readers, which evaluate packets, and one writer.  Readers never wait:
 * each evaluation reads one generation of the ruleset from beginning to end, whatever the
 * writer publishes meanwhile.  The writer writes new parts into free places of the same image
 * (libxt2/change/), publishes them with one store, and asks which generations are still read
 * before it uses the places of older ones again.
 *
 * Counters are in slots: packets of a rule, or of a rule group of an index, is the number of
 * its slot, and bytes is 0.  A rule that moves keeps its slot.  A rule that the writer inserts
 * has a slot that xt2_share_slot_take() gave, and one that it deletes gives it back with
 * xt2_share_slot_retire().
 *
 *	transaction:	take and retire slots, write new places of the image
 *			xt2_share_publish(), or xt2_share_abort()
 *	then:		oldest = xt2_share_oldest()
 *			xt2_share_reclaim(oldest), xt2_space_reclaim(oldest)
 *
 * Threads: xt2_share_reader(), xt2_reader_free() and xt2_share_counters() may be called by any thread at
 * any time; an evaluation by the reader's own thread; all others by the writer.
 *
 * Unless it says otherwise, a function returns 0 or -errno, and has changed nothing then.
 */
#ifndef XT2_LIBXT2_SHARE_SHARE_H
#define XT2_LIBXT2_SHARE_SHARE_H

#include <xt2/change.h>
#include "engine/index/search.h"

struct xt2_share;

/*
 * xt2_share_new - share an image
 * @image: checked, used by this thread alone until now; stays in its place until
 *	xt2_share_free().  Its inline counters become slots
 * @slots: most counters that it will ever have; each takes 16 bytes of address space for
 *	each reader, and of memory only if it counts
 * => NULL and errno: ENOMEM; ENOSPC: it has more counters than that; E2BIG: packets may pass
 *    through too many chains, as for xt2_evaluator_new().  Release with xt2_share_free()
 */
struct xt2_share *xt2_share_new(struct xt2_image *image, __u32 slots);

/* xt2_share_free - all readers have to be freed before.  The image stays, with slots; NULL is fine */
void xt2_share_free(struct xt2_share *share);

/*
 * xt2_share_publish - readers that begin from now on read another root
 * @root: offset of a complete struct xt2_root, which names nothing that will be written again
 * @generation: the root's; larger than any before
 *
 * It ends the open transaction.  The caller has checked that packets do not pass through too
 * many chains.
 */
void xt2_share_publish(struct xt2_share *share, __u64 root, __u64 generation);

/*
 * xt2_share_oldest - the oldest generation that a reader may be reading
 *
 * It does not wait for readers; it interrupts the processors that run this process's threads
 * for some microseconds, unless readers pay for that (see share.c).
 * => generation; the current one if none is reading
 */
__u64 xt2_share_oldest(struct xt2_share *share);

/*
 * xt2_share_slot_take - a slot for a rule, or a rule group, of the open transaction
 * @counts: what it has counted from the beginning
 * @slot: out: for packets
 * => 0; -ENOSPC: there are no more; -ENOMEM
 */
int xt2_share_slot_take(struct xt2_share *share, struct xt2_counts counts, __u32 *slot);

/* xt2_share_slot_retire - the open transaction deletes the rule of a slot.  => 0, -ENOMEM */
int xt2_share_slot_retire(struct xt2_share *share, __u32 slot);

/* xt2_share_abort - the open transaction did not happen; nothing of it was published */
void xt2_share_abort(struct xt2_share *share);

/* xt2_share_reclaim - slots that were retired up to this generation may be taken again */
void xt2_share_reclaim(struct xt2_share *share, __u64 oldest);

/*
 * xt2_share_counters - read slots while readers count
 * @slot, @n: slots
 * @counts: out: of each: all that was counted by evaluations that have ended, and perhaps some
 *	of what is being counted
 */
void xt2_share_counters(struct xt2_share *share, const __u32 *slot, __u32 n,
			struct xt2_counts *counts);

/*
 * xt2_share_counter_set - set a slot while readers count
 *
 * No packet is lost: each is either in what is returned, or counted on top of the new value.
 * => what it was
 */
struct xt2_counts xt2_share_counter_set(struct xt2_share *share, __u32 slot,
					struct xt2_counts counts);

/*
 * xt2_share_snapshot - copy the current generation, with inline counters
 * @map: filled in; release with xt2_image_close()
 *
 * Between transactions.  xt2_ruleset_load() and xt2_image_digest() take the copy, with its places
 * of older generations; xt2_ruleset_write() leaves those out, and after many edits xt2_check()
 * asks for that.  Counters of rule groups are added to their rules.  Cells are those of this
 * moment.
 * => 0, -ENOMEM
 */
int xt2_share_snapshot(struct xt2_share *share, struct xt2_mapping *map, struct xt2_err *err);

/* xt2_share_reader - as xt2_reader_new(), whose functions are in <xt2/change.h> */
struct xt2_reader *xt2_share_reader(struct xt2_share *share);

#endif
