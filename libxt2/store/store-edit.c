/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store-edit.c - rulesets that are edited where they are stored
 *
 * Apart from store.c, which the preloaded library has as well: that one replaces whole tables.
 */
#include "config.h"
#include "store.h"

#include <stdlib.h>
#include "bpf/bpf-edit.h"
#include "commit-queue.h"
#include "edit-file.h"
#include "image-past.h"
#include "old-files.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/ruleset.h"
#include "new-file.h"

int xt2_store_lock_shared(struct xt2_store *s, enum xt2_store_access access, int wait,
			  struct xt2_err *err)
{
	int ret;

	if (s->kind != XT2_STORE_FILE || access == XT2_STORE_LOOK || s->locked)
		return xt2_store_lock(s, access, wait, err);
	if (access == XT2_STORE_CREATE)
		xt2_image_folder(s->path);
	ret = xt2_image_lock_(s->path, wait, err);
	s->lock = ret;
	s->locked = s->shares = ret >= 0;
	s->access = access;
	return ret < 0 ? ret : 0;
}

/* The file will be read and replaced whole: nobody may wait for what is in it any more. */
static void settle(struct xt2_store *s)
{
	char real[PATH_MAX];

	if (s->shares && !xt2_resolve(s->path, real))
		xt2_queue_settle_file(real, s->lock);
	s->shares = false;
}

#define LOOK_WAIT 10 /* seconds, for somebody who changes it */

int xt2_store_edit(struct xt2_store *s, struct xt2_ruleset **rs, struct xt2_err *err)
{
	struct xt2_ruleset *fresh;
	int ret;

	s->whole = NULL;
	if (s->kind == XT2_STORE_KERNEL || (s->kind == XT2_STORE_LIVE && !s->locked))
		return 1;
	fresh = xt2_ruleset_new();
	if (!fresh)
		return xt2_err_no_memory(err, " for the ruleset");
	if (s->kind == XT2_STORE_LIVE)
		ret = xt2_store_bpf_.edit->open(s->folder, s->links, s->access != XT2_STORE_LOOK,
						&s->live_edit, fresh, err);
	else
		ret = xt2_edit_file_open(s->path, s->lock, &s->edit, fresh, &s->whole, err);
	if (ret) {
		settle(s);
		xt2_ruleset_free(fresh);
		return ret;
	}
	if (s->shares)
		xt2_edit_file_share(s->edit);
	*rs = fresh;
	return 0;
}

int xt2_store_edit_unread(struct xt2_store *s, const struct xt2_store_edits *edits,
			  struct xt2_err *err)
{
	if (s->kind != XT2_STORE_KERNEL)
		return 1;
	return xt2_store_kernel_.edit_unread(s, edits, err);
}

int xt2_store_commit_edit(struct xt2_store *s, struct xt2_ruleset *rs,
			  const struct xt2_commit_check *check, struct xt2_err *err)
{
	int ret;

	if (s->live_edit)
		return xt2_store_bpf_.edit->commit(s->live_edit, rs, check, &s->author, err);
	ret = xt2_edit_file_commit(s->edit, rs, check, &s->author, err);
	if (ret == 1)
		settle(s);
	return ret;
}

__u32 *xt2_store_trace_edit(struct xt2_store *s, struct xt2_ruleset *rs, struct xt2_image *written,
			    const bool *changed, bool replaced)
{
	return xt2_store_bpf_.edit->trace(s->live_edit, rs, written, changed, replaced);
}

int xt2_store_own(struct xt2_store *s, const struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct xt2_chain_owners *owners;

	if (xt2_chain_owners_new(rs, &owners))
		return xt2_err_no_memory(err, " for the owners of chains");
	free(s->owners);
	s->owners = owners;
	return 0;
}

int xt2_store_generation(struct xt2_store *s, __u64 generation, struct xt2_mapping *map,
			 struct xt2_err *err)
{
	int ret;

	if (s->kind == XT2_STORE_FILE)
		return xt2_generation_open(s->path, generation, map, err);
	if (s->kind == XT2_STORE_KERNEL)
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
				   "the kernel module keeps no older generations");
	ret = xt2_store_lock(s, XT2_STORE_LOOK, LOOK_WAIT, err);
	if (!ret)
		ret = xt2_store_bpf_.generation(s, generation, map, err);
	xt2_store_unlock(s);
	return ret;
}

int xt2_store_watch(struct xt2_store *s, xt2_history_seen seen, void *data, struct xt2_err *err)
{
	int ret = xt2_store_built(XT2_STORE_LIVE, err);

	return ret ? ret : xt2_store_bpf_.watch(s, seen, data, err);
}

void xt2_store_end_watch(struct xt2_store *s)
{
	if (s->watch)
		xt2_store_bpf_.end_watch(s);
}

void xt2_store_end_edit(struct xt2_store *s)
{
	xt2_edit_file_close(s->edit);
	s->edit = NULL;
	if (s->live_edit)
		xt2_store_bpf_.edit->close(s->live_edit);
	s->live_edit = NULL;
}
