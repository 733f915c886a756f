/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit-log.h - what was changed in one chain, to be done again in a copy of it; not installed
 *
 * While a chain is compiled anew, edits go on (libxt2/share/compactor.h).  They are noted here by
 * the numbers of the rules that they changed, in their order, and are done again in what was
 * compiled.  Rules are copied: the image may have other bytes in their places by then.
 */
#ifndef XT2_LIBXT2_CHANGE_EDIT_LOG_H
#define XT2_LIBXT2_CHANGE_EDIT_LOG_H

#include "view.h"

#define XT2_LOG_NONE 0xffffffffu /* as a chain: nothing is noted */

struct xt2_edit_log {
	u32 chain; /* whose edits are noted */
	int error; /* of the first one that could not be noted: the log is of no use */
	u8 *bytes; /* of records: struct, then the rule if one was inserted */
	u64 cap;
	u64 from, to; /* bytes that are waiting; those of the open transaction follow */
	u64 end;
	u32 waiting, noted; /* edits likewise */
	u32 last; /* edits of the transaction that was committed last */
};

void xt2_log_begin(struct xt2_edit_log *log, u32 chain);
/* Nothing is noted from now on. */
void xt2_log_end(struct xt2_edit_log *log);

/* The open transaction has inserted a rule at a number, or deleted that one (NULL). */
void xt2_log_note(struct xt2_edit_log *log, u32 chain, u32 at, const struct xt2_rule *rule,
		  u32 line);

/* The open transaction was committed, or aborted. */
void xt2_log_commit(struct xt2_edit_log *log);
void xt2_log_abort(struct xt2_edit_log *log);

/*
 * xt2_log_replay - do the first edit that waits
 * @e: of a chain that is as the noted one was before that
 * @finder: of its compiled extent; NULL: none
 * => 0; -ENOENT: none waits; as xt2_patch_insert() and xt2_patch_delete()
 */
int xt2_log_replay(struct xt2_edit_log *log, struct xt2_patch_edit *e,
		   const struct xt2_finder *finder);

#endif
