/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share-tables.h - struct xt2_tables of <xt2/change.h>; not installed
 *
 * An image in memory that is edited in place (libxt2/ruleset/inplace.h) and shared with
 * readers (share.h).
 */
#ifndef XT2_LIBXT2_SHARE_SHARE_TABLES_H
#define XT2_LIBXT2_SHARE_SHARE_TABLES_H

#include "share.h"

/*
 * xt2_tables_compactions - how many chains a thread has compiled while they were edited
 * @going_on: out: is one compiled now?  May be NULL
 */
__u64 xt2_tables_compactions(const struct xt2_tables *t, int *going_on);

/* xt2_tables_share - what the readers of a ruleset share */
struct xt2_share *xt2_tables_share(struct xt2_tables *t);

#endif
