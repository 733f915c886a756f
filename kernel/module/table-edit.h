/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table-edit.h - a live table that is edited in its image: for table-edit.c and splice.c */
#ifndef XT2_MODULE_TABLE_EDIT_H
#define XT2_MODULE_TABLE_EDIT_H

#include "libxt2/ruleset/inplace.h"
#include "tables.h"

/*
 * One transaction at a time: the image's next generation is written beside the live one, in places
 * that no packet reads; slots and instances of rules that go stay until no packet is in the old one.
 */
struct xt2k_edit {
	struct xt2_ruleset *rs; /* the image */
	struct xt2_slots_ops slots;
	struct xt2k_counters *counters;
	struct xt2k_numbers taken, gone; /* slots of rules that come and go */
	struct xt2k_numbers dead,
		made; /* instances of rules that go and come: once for each rule */
	struct xt2k_live *next; /* what will be live, complete; or NULL */
	bool broken; /* rs cannot go on: the table is packed anew before the next edit */
};

/* The live table can be edited afterwards.  @need: bytes of what comes; @anew: it lacks room.  => 0, -errno */
int xt2k_edit_open(struct xt2k_table *t, u32 need, bool anew, struct xt2_err *err);

/*
 * xt2k_edit_next - what will be live, from the root that the edit's commit has written
 * @asks_ct: how many matches look at connections
 * @asks_time: a rule that comes wants to know the time
 * => it, for e->next; ERR_PTR(-errno)
 */
struct xt2k_live *xt2k_edit_next(struct xt2k_table *t, u32 root, u32 asks_ct, bool asks_time);

#endif
