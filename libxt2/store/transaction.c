/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transaction.c - transactions of <xt2/change.h>
 *
 * The way of xt2tables to an image file (xt2tables/tables/where.c), for any program: edited in
 * place, or else read and written whole.
 */
#include "config.h"
#include <xt2/change.h>

#include <errno.h>
#include <stdlib.h>
#include "engine/image.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/ruleset.h"
#include "store.h"

struct xt2_transaction {
	struct xt2_store store;
	struct xt2_ruleset *rs;
	struct xt2_mapping map; /* that it was loaded from, unless it is edited in place */
	__u64 generation;
	bool in_place;
	char path[]; /* the store's */
};

static int read_ruleset(struct xt2_transaction *t, struct xt2_err *err)
{
	int ret = xt2_store_edit(&t->store, &t->rs, err);

	t->in_place = !ret;
	if (ret == 1 || ret == -ENOENT)
		ret = xt2_store_load(&t->store, t->path, &t->rs, &t->map, err);
	if (ret)
		return ret;
	if (!t->rs)
		return xt2_err_no_memory(err, " for the ruleset");
	t->generation = t->rs->generation;
	return 0;
}

int xt2_transaction_begin(const char *path, int wait, struct xt2_transaction **transaction,
			  struct xt2_err *err)
{
	struct xt2_transaction *t = calloc(1, sizeof(*t) + strlen(path) + 1);
	int ret;

	if (!t)
		return xt2_err_no_memory(err, " for the transaction");
	strcpy(t->path, path);
	t->store = (struct xt2_store){ .kind = XT2_STORE_FILE, .path = t->path, .lock = -1 };
	ret = xt2_store_lock_shared(&t->store, XT2_STORE_CHANGE, wait, err);
	if (!ret)
		ret = read_ruleset(t, err);
	if (ret)
		xt2_transaction_end(t);
	else
		*transaction = t;
	return ret;
}

struct xt2_ruleset *xt2_transaction_ruleset(struct xt2_transaction *t)
{
	return t->rs;
}

__u64 xt2_transaction_generation(const struct xt2_transaction *t)
{
	return t->generation;
}

static int write_whole(struct xt2_transaction *t, struct xt2_err *err)
{
	struct xt2_mapping map;
	int ret = xt2_ruleset_write(t->rs, &map, err);

	if (ret)
		return ret;
	xt2_ruleset_changes(t->rs, &t->store.author.changes);
	t->store.author.ruleset = t->rs;
	ret = xt2_store_commit(&t->store, &map, NULL, err);
	if (!ret)
		t->generation = xt2_image_root(map.image)->generation;
	xt2_image_close(&map);
	return ret;
}

int xt2_transaction_commit(struct xt2_transaction *t, struct xt2_err *err)
{
	int ret = t->in_place ? xt2_store_commit_edit(&t->store, t->rs, NULL, err) : 1;

	if (ret > 0)
		return write_whole(t, err);
	if (!ret)
		t->generation = t->rs->generation;
	return ret;
}

void xt2_transaction_end(struct xt2_transaction *t)
{
	if (!t)
		return;
	xt2_ruleset_free(t->rs);
	xt2_store_end_edit(&t->store);
	xt2_store_unlock(&t->store);
	xt2_image_close(&t->map);
	free(t);
}
