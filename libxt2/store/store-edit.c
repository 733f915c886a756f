/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store-edit.c - rulesets that are edited where they are stored
 *
 * Apart from store.c, which the preloaded library has as well: that one replaces whole tables.
 */
#include "config.h"
#include "store.h"

#include "edit-file.h"
#include "libxt2/err.h"

int xt2_store_edit(struct xt2_store *s, struct xt2_ruleset **rs, struct xt2_err *err)
{
	struct xt2_ruleset *fresh;
	int ret;

	if (s->kind != XT2_STORE_FILE)
		return 1;
	fresh = xt2_ruleset_new();
	if (!fresh)
		return xt2_err_no_memory(err, " for the ruleset");
	ret = xt2_edit_file_open(s->path, s->lock >= 0, &s->edit, fresh, err);
	if (ret)
		xt2_ruleset_free(fresh);
	else
		*rs = fresh;
	return ret;
}

int xt2_store_commit_edit(struct xt2_store *s, struct xt2_ruleset *rs,
			  const struct xt2_commit_check *check, struct xt2_err *err)
{
	return xt2_edit_file_commit(s->edit, rs, check, err);
}

void xt2_store_end_edit(struct xt2_store *s)
{
	xt2_edit_file_close(s->edit);
	s->edit = NULL;
}
