/* SPDX-License-Identifier: GPL-2.0-or-later */
/* edit-log.c - what was changed in one chain, to be done again in a copy of it */
#include "edit-log.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST 65536u /* bytes */

struct record {
	u32 at, line;
	u32 size; /* of the rule that follows; 0: one was deleted */
	u32 reserved;
};

void xt2_log_begin(struct xt2_edit_log *log, u32 chain)
{
	*log = (struct xt2_edit_log){ .chain = chain };
}

void xt2_log_end(struct xt2_edit_log *log)
{
	free(log->bytes);
	*log = (struct xt2_edit_log){ .chain = XT2_LOG_NONE };
}

/* Room for so many bytes after the last ones.  => 0, -ENOMEM */
static int reserve(struct xt2_edit_log *log, u64 size)
{
	u64 cap = log->cap ? log->cap : FIRST;
	u8 *more;

	while (cap < log->end + size)
		cap *= 2;
	if (cap == log->cap)
		return 0;
	more = realloc(log->bytes, cap);
	if (!more)
		return -ENOMEM;
	log->bytes = more;
	log->cap = cap;
	return 0;
}

void xt2_log_note(struct xt2_edit_log *log, u32 chain, u32 at, const struct xt2_rule *rule,
		  u32 line)
{
	const struct record r = { .at = at, .line = line, .size = rule ? rule->size : 0 };

	if (chain != log->chain || log->error)
		return;
	log->error = reserve(log, sizeof(r) + r.size);
	if (log->error)
		return;
	memcpy(log->bytes + log->end, &r, sizeof(r));
	if (rule)
		memcpy(log->bytes + log->end + sizeof(r), rule, r.size);
	log->end += sizeof(r) + r.size;
	log->noted++;
}

void xt2_log_commit(struct xt2_edit_log *log)
{
	log->to = log->end;
	log->waiting += log->noted;
	log->last = log->noted;
	log->noted = 0;
}

void xt2_log_abort(struct xt2_edit_log *log)
{
	log->end = log->to;
	log->noted = 0;
}

int xt2_log_replay(struct xt2_edit_log *log, struct xt2_patch_edit *e,
		   const struct xt2_finder *finder)
{
	const struct record *r = (const void *)(log->bytes + log->from);
	struct xt2_view v;
	u32 where;
	int ret;

	if (log->from == log->to)
		return -ENOENT;
	xt2_view_edit(&v, e, finder);
	where = xt2_view_nth(&v, r->at);
	if (r->size)
		ret = xt2_patch_insert(e, where, (const void *)(r + 1), r->line, &where);
	else
		ret = xt2_patch_delete(e, where);
	if (ret)
		return ret;
	log->from += sizeof(*r) + r->size;
	log->waiting--;
	if (log->from == log->end) /* the memory from its beginning again */
		log->from = log->to = log->end = 0;
	return 0;
}
