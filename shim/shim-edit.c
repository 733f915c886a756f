/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shim-edit.c - an image file that the supervisor changes where it is
 *
 * Tools hand over whole tables, of which a rule or two have changed.  What differs is found
 * (libxt2/ruleset/table-difference.h) and appended to the file; where that does not pay, the file
 * is replaced, as shim-image.c does.
 *
 * To the tools a table that they replace is a new one, whose rules have counted nothing until
 * ADD_COUNTERS adds what the old ones had.  For most rules that makes no difference, so it is not
 * written: rules that stay keep their counters in the file, and only here they are those of a
 * new table.  That is owed until ADD_COUNTERS, or until the lock's end if it does not come; then
 * the counters that are not what they shall be are written.
 *
 * It takes the lock from the replacement to the addition, and so only the supervisor does it.
 */
#include "shim-kinds.h"

#include <errno.h>
#include "engine/image.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/ruleset/table-difference.h"

#define SPARE 1024u /* instances and cells of tables that were replaced, before all is read again */

/* The file's table is to say what ours says.  => 0; 1: replace the file; -errno */
static int change(struct xt2_shim_store *store, struct xt2_ruleset *rs, int table, bool counters,
		  struct xt2_err *err)
{
	const struct xt2_difference_options options = { .counters = counters, .state = true };
	int ret;

	if (rs->generation != store->rs->generation)
		return xt2_shim_fail(err, store->path, EAGAIN, "another ruleset is there");
	ret = xt2_table_difference(rs, store->rs, table, &options);
	if (ret == -ENOSPC)
		return 1;
	if (ret < 0)
		return xt2_shim_fail(err, store->path, -ret, "cannot change the ruleset");
	return ret ? ret : xt2_store_commit_edit(&store->kept, rs, NULL, err);
}

/* => as change() */
static int edit(struct xt2_shim_store *store, int table, bool counters, struct xt2_err *err)
{
	struct xt2_ruleset *rs = NULL;
	int ret = table < 0 ? 1 : xt2_store_edit(&store->kept, &rs, err);

	if (ret == -ENOENT)
		ret = 1;
	if (ret)
		return ret;
	ret = change(store, rs, table, counters, err);
	if (!ret) {
		store->rs->generation = rs->generation;
		xt2_shim_image_pin_(store);
	}
	xt2_ruleset_free(rs);
	xt2_store_end_edit(&store->kept);
	return ret;
}

/* Instances and cells of tables that were replaced are still there. */
static bool is_large(const struct xt2_shim_store *store)
{
	const struct xt2_root *root = store->map.image ? xt2_image_root(store->map.image) : NULL;

	return store->rs->instances > 2 * (root ? root->instances : 0) + SPARE ||
	       store->rs->cells > 2 * (root ? root->cells : 0) + SPARE;
}

/* The file gets the counters of a table.  => 0; -errno: it is forgotten */
static int write_counters(struct xt2_shim_store *store, int table, struct xt2_err *err)
{
	int ret = edit(store, table, true, err);

	store->owes = false;
	if (ret > 0)
		return xt2_shim_image_.commit(store, table, err);
	if (ret < 0)
		store->loaded = 0;
	if (ret < 0 || is_large(store))
		xt2_shim_store_drop_(store);
	return xt2_shim_named_(store, err, ret);
}

static int pay(struct xt2_shim_store *store, struct xt2_err *err)
{
	return store->owes ? write_counters(store, store->owed, err) : 0;
}

static int refresh(struct xt2_shim_store *store, int call, struct xt2_err *err)
{
	int ret = call == XT2_CALL_COUNTERS ? 0 : pay(store, err);

	return ret ? ret : xt2_shim_image_.refresh(store, call, err);
}

static int commit(struct xt2_shim_store *store, int table, struct xt2_err *err)
{
	int ret = edit(store, table, false, err);

	if (ret > 0)
		return xt2_shim_image_.commit(store, table, err);
	store->owes = !ret;
	store->owed = table;
	if (!ret)
		return 0;
	store->loaded = 0; /* the notes are settled already */
	xt2_shim_store_drop_(store);
	return xt2_shim_named_(store, err, ret);
}

static int add_counters(struct xt2_shim_store *store, struct xt2_call *call, int table,
			struct xt2_err *err)
{
	int ret = store->owes && store->owed != table ? pay(store, err) : 0;

	if (!ret && !store->loaded)
		ret = xt2_shim_image_.refresh(store, XT2_CALL_COUNTERS, err);
	if (!ret)
		ret = xt2_sockopt_set(store->rs, call->caller, call->level, call->name, call->value,
				      call->len, err);
	if (ret > 0 || (!ret && store->owes))
		ret = write_counters(store, table, err);
	return ret;
}

static void leave(struct xt2_shim_store *store)
{
	pay(store, NULL);
}

struct xt2_shim_store *xt2_shim_edit_new(const char *path)
{
	static struct xt2_shim_kind kind;

	kind = xt2_shim_image_;
	kind.refresh = refresh;
	kind.commit = commit;
	kind.counters = add_counters;
	kind.leave = leave;
	return xt2_shim_store_make_(&kind, path);
}
