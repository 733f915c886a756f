/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share-tables.h - a ruleset that threads evaluate while it is changed; not installed
 *
 * An image in memory that is edited in place (libxt2/ruleset/inplace.h) and shared with
 * readers (share.h).  It will be public with them.
 */
#ifndef XT2_LIBXT2_SHARE_SHARE_TABLES_H
#define XT2_LIBXT2_SHARE_SHARE_TABLES_H

#include "share.h"

struct xt2_tables;

/*
 * xt2_tables_new - a copy of a ruleset that can be shared
 * @from: stays as it is, and is not needed afterwards
 * => NULL: see err; release with xt2_tables_free()
 */
struct xt2_tables *xt2_tables_new(const struct xt2_ruleset *from, struct xt2_err *err);

/* xt2_tables_free - all readers have to be freed before; NULL is fine */
void xt2_tables_free(struct xt2_tables *t);

/*
 * xt2_tables_ruleset - the ruleset, to be read and changed by one thread at a time
 *
 * Its functions are those of any ruleset; xt2_ruleset_load(), _swap() and _free() are not for it.
 * Readers see changes all at once, when they are committed.  Counters are those of the
 * moment in which they are asked for.
 */
struct xt2_ruleset *xt2_tables_ruleset(struct xt2_tables *t);

/*
 * xt2_tables_commit - readers see what has changed, from their next packet on
 *
 * Rules that stay keep their counters and their state, whatever else changes.  A packet sees the
 * ruleset before or after, and no reader waits.
 * => 0; -ELOOP: chains loop; -E2BIG: packets may pass through too many chains; -ENOSPC: the
 *    ruleset is larger than an image can be, or has too many counters; -ENOMEM.  After an
 *    error the changes are still there, to be aborted
 */
int xt2_tables_commit(struct xt2_tables *t, struct xt2_err *err);

/* xt2_tables_abort - changes since the last commit did not happen.  => 0; -ENOMEM: it can only be freed */
int xt2_tables_abort(struct xt2_tables *t);

/* xt2_tables_share - for xt2_reader_new() and xt2_share_snapshot() */
struct xt2_share *xt2_tables_share(struct xt2_tables *t);

#endif
