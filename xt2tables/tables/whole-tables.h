/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole-tables.h - tables that are restored as a whole, and of which only what differs is stored */
#ifndef XT2_XT2TABLES_TABLES_WHOLE_TABLES_H
#define XT2_XT2TABLES_TABLES_WHOLE_TABLES_H

#include "libxt2/store/store.h"

/*
 * xt2_whole_begin - the tables that are stored, without chains and rules
 * @store: locked for a change
 * @base: out: what is stored; free it, then xt2_store_end_edit()
 * @rs: out: to be filled with tables that replace those of the same names; it has their policies
 * => 0; 1: it cannot be edited where it is, or is not there: nothing is out; -errno
 */
int xt2_whole_begin(struct xt2_store *store, struct xt2_ruleset **base, struct xt2_ruleset **rs,
		    struct xt2_err *err);

/*
 * xt2_whole_commit - store the difference
 * @changed: by table of rs: it replaces the one that is stored
 * @force: chains of other owners than base's may change
 * => 0: and base is the new generation; 1: rs is all that there shall be, to be stored as a whole,
 *    with the owners of chains; -ECANCELED: xt2_ruleset_trespass() of base; -errno
 */
int xt2_whole_commit(struct xt2_store *store, struct xt2_ruleset *base, struct xt2_ruleset *rs,
		     const bool *changed, bool force, struct xt2_err *err);

#endif
