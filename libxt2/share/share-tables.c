/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share-tables.c - a ruleset that threads evaluate while it is changed
 *
 * The image has all the addresses that one can need, and memory as far as it is used.  A commit
 * writes what has changed to free places, publishes the new root by one store, and then
 * looks which generations are still read: places and counters that only older ones
 * had are free again.
 */
#include "config.h"
#include "share-tables.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "libxt2/err.h"
#include "libxt2/ruleset/inplace.h"

#define CAPACITY  (XT2_SIZE_MAX + 8ull)
#define SLOTS_MAX (1u << 26) /* of each reader 1 GiB of addresses */

struct xt2_tables {
	struct xt2_image *img;
	struct xt2_share *share;
	struct xt2_ruleset *rs;
	struct xt2_slots_ops slots;
};

static int slot_take(void *arg, struct xt2_counts counts, u32 *slot)
{
	return xt2_share_slot_take(arg, counts, slot);
}

static int slot_retire(void *arg, u32 slot)
{
	return xt2_share_slot_retire(arg, slot);
}

static struct xt2_counts slot_read(void *arg, u32 slot)
{
	struct xt2_counts n;

	xt2_share_counters(arg, &slot, 1, &n);
	return n;
}

/* The packed ruleset, in memory of its own.  => 0, -errno */
static int fill(struct xt2_tables *t, const struct xt2_ruleset *from, struct xt2_err *err)
{
	struct xt2_index_limits limits = xt2_index_limits;
	struct xt2_mapping map;
	int ret;

	limits.single = true; /* a group's counter could not be divided while it counts */
	ret = xt2_ruleset_write_(from, &limits, &map, err);
	if (ret)
		return ret;
	memcpy(t->img, map.image, map.size);
	xt2_image_close(&map);
	t->share = xt2_share_new(t->img, SLOTS_MAX);
	if (t->share)
		return 0;
	if (errno == E2BIG)
		return xt2_err_set(err, XT2_E_LIMIT, E2BIG,
				   "packets may pass through too many chains");
	return xt2_err_no_memory(err, " to share the ruleset");
}

static int start(struct xt2_tables *t, const struct xt2_ruleset *from, struct xt2_err *err)
{
	void *p = mmap(NULL, CAPACITY, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int ret;

	if (p == MAP_FAILED)
		return xt2_err_no_memory(err, " to share the ruleset");
	t->img = p;
	ret = fill(t, from, err);
	if (ret)
		return ret;
	t->slots = (struct xt2_slots_ops){
		.take = slot_take, .retire = slot_retire, .read = slot_read, .arg = t->share
	};
	t->rs = xt2_ruleset_new();
	if (!t->rs || xt2_inplace_begin(t->rs, t->img, CAPACITY, false))
		return xt2_err_no_memory(err, " to share the ruleset");
	t->rs->inplace->slots = &t->slots;
	return 0;
}

struct xt2_tables *xt2_tables_new(const struct xt2_ruleset *from, struct xt2_err *err)
{
	struct xt2_tables *t = calloc(1, sizeof(*t));

	if (!t) {
		xt2_err_no_memory(err, " to share the ruleset");
		return NULL;
	}
	if (!start(t, from, err))
		return t;
	xt2_tables_free(t);
	return NULL;
}

void xt2_tables_free(struct xt2_tables *t)
{
	if (!t)
		return;
	xt2_ruleset_free(t->rs);
	xt2_share_free(t->share);
	if (t->img)
		munmap(t->img, CAPACITY);
	free(t);
}

struct xt2_ruleset *xt2_tables_ruleset(struct xt2_tables *t)
{
	return t->rs;
}

struct xt2_share *xt2_tables_share(struct xt2_tables *t)
{
	return t->share;
}

/* => may packets pass through more chains than they should be allowed to? */
static bool is_too_long(const struct xt2_tables *t, const struct xt2_root *root)
{
	return root->visits > XT2_VISITS_MAX && root->visits > xt2_image_visits_max(t->img);
}

/* Readers see it from now on; what they have left is free. */
static int publish(struct xt2_tables *t, u32 offset)
{
	const struct xt2_root *root = xt2_at(t->img, offset);
	u64 oldest;
	int ret;

	xt2_share_publish(t->share, offset, root->generation);
	ret = xt2_inplace_done(t->rs);
	oldest = xt2_share_oldest(t->share);
	xt2_share_reclaim(t->share, oldest);
	xt2_space_reclaim(&t->rs->inplace->space, oldest);
	return ret;
}

int xt2_tables_commit(struct xt2_tables *t, struct xt2_err *err)
{
	u32 root;
	int ret = xt2_inplace_commit(t->rs, NULL, &root, err);

	if (ret)
		return ret;
	if (root && is_too_long(t, xt2_at(t->img, root)))
		return xt2_err_set(err, XT2_E_LIMIT, E2BIG,
				   "packets may pass through too many chains");
	ret = root ? publish(t, root) : xt2_inplace_done(t->rs);
	return ret ? xt2_err_no_memory(err, " to go on after the change, which took effect") : 0;
}

int xt2_tables_abort(struct xt2_tables *t)
{
	xt2_share_abort(t->share);
	return xt2_inplace_abort(t->rs);
}

int xt2_tables_snapshot(struct xt2_tables *t, struct xt2_mapping *map, struct xt2_err *err)
{
	return xt2_share_snapshot(t->share, map, err);
}

struct xt2_reader *xt2_reader_new(struct xt2_tables *t)
{
	return xt2_share_reader(t->share);
}
