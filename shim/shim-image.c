/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shim-image.c - an image file that answers the sockopts
 *
 * Images are replaced, or appended to, so the file is known by its inode, which is held open to
 * keep the number from being given away again; size and time are compared for programs that
 * write in place.  The ruleset is kept as long as the file is the same.
 *
 * A change is packed, stored, and loaded from its own bytes: the file and what is kept here are
 * then the same, and the next image counts on from it.
 */
#include "shim-kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int current(const struct xt2_shim_store *store)
{
	const struct stat *was = &store->stamp;
	struct stat is;

	if (!store->loaded)
		return 0;
	if (stat(store->path, &is))
		return store->pin < 0 && errno == ENOENT;
	return store->pin >= 0 && is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
	       is.st_size == was->st_size && is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

static void forget(struct xt2_shim_store *store)
{
	if (store->pin >= 0)
		close(store->pin);
	store->pin = -1;
}

/* Remember which file the ruleset is that of; if it is not known, it is read again. */
void xt2_shim_image_pin_(struct xt2_shim_store *store)
{
	forget(store);
	store->pin = open(store->path, O_PATH | O_CLOEXEC);
	store->loaded = 1;
	if (store->pin >= 0 && fstat(store->pin, &store->stamp)) {
		close(store->pin);
		store->pin = -1;
	}
}

static int refresh(struct xt2_shim_store *store, int call, struct xt2_err *err)
{
	int ret;

	if (current(store))
		return 0;
	xt2_shim_store_drop_(store);
	xt2_shim_image_pin_(store); /* first: if the file changes now, the next call sees it */
	store->rs = xt2_ruleset_new();
	ret = store->rs ? xt2_store_read(&store->kept, false, &store->map, err) : -ENOMEM;
	if (ret == -ENOENT && store->pin < 0)
		return 0;
	if (ret >= 0)
		ret = xt2_ruleset_load(store->rs, store->map.image, store->map.size);
	if (ret == -ENOMEM)
		xt2_shim_fail(err, store->path, ENOMEM, "cannot load the image");
	if (ret >= 0)
		return 0;
	store->loaded = 0;
	xt2_shim_store_drop_(store);
	return ret;
}

static int commit(struct xt2_shim_store *store, int table, struct xt2_err *err)
{
	struct xt2_mapping map;
	struct xt2_ruleset *rs = NULL;
	int ret = xt2_ruleset_write(store->rs, &map, err);

	if (ret >= 0) {
		rs = xt2_ruleset_new();
		ret = rs ? xt2_ruleset_load(rs, map.image, map.size) : -ENOMEM;
		if (ret < 0)
			xt2_shim_fail(err, store->path, -ret, "cannot pack the ruleset");
		xt2_ruleset_changes(store->rs, &store->kept.author.changes);
		store->kept.author.ruleset = store->rs;
		if (ret >= 0)
			ret = xt2_store_commit(&store->kept, &map, NULL, err);
		store->kept.author.ruleset = NULL;
		if (ret < 0)
			xt2_image_close(&map);
	}
	store->loaded = 0; /* the notes are settled already */
	xt2_shim_store_drop_(store);
	if (ret < 0) {
		xt2_ruleset_free(rs);
		return xt2_shim_named_(store, err, ret);
	}
	store->rs = rs;
	store->map = map;
	xt2_shim_image_pin_(store);
	return 0;
}

/* Of ipsets it is the names that count. */
static int fold_name(void *data, const char *name)
{
	__u64 *hash = data;

	*hash = xt2_shim_fold_(*hash, name, strlen(name) + 1);
	return 0;
}

/* => 0: it cannot be told apart */
static __u64 digest(const struct xt2_shim_store *store, int table)
{
	__u64 hash = XT2_SHIM_HASH_;
	const struct xt2_sockopt_sets sets = { .number = fold_name, .data = &hash };
	void *blob;
	size_t len;

	if (xt2_table_write_replace(store->rs, table, 0, &sets, &blob, &len, NULL))
		return 0;
	hash = xt2_shim_fold_(hash, blob, len);
	free(blob);
	return hash;
}

const struct xt2_shim_kind xt2_shim_image_ = {
	.access = XT2_STORE_CHANGE,
	.keeps_tables = true,
	.refresh = refresh,
	.commit = commit,
	.digest = digest,
	.forget = forget,
};

struct xt2_shim_store *xt2_shim_store_new(const char *path)
{
	return xt2_shim_store_make_(&xt2_shim_image_, path);
}
