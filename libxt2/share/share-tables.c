/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share-tables.c - a ruleset that threads evaluate while it is changed
 *
 * The image has all the addresses that one can need, and memory as far as it is used.  A commit
 * writes what has changed to free places and publishes the new root by one store.  Now and then
 * it looks which generations are still read: places and counters that only older ones had are
 * free again.  Not each time, since the look interrupts the readers' processors.  Long chains are
 * compiled by a thread: compactor.h.
 */
#include "config.h"
#include "share-tables.h"
#include "compactor.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "libxt2/err.h"
#include "libxt2/ruleset/arena.h"

#define CAPACITY  (XT2_SIZE_MAX + 8ull)
#define SLOTS_MAX (1u << 26) /* of each reader 1 GiB of addresses */

/*
 * What older generations had is asked for after so many commits, or when as much was given up as is
 * in use, within bounds: membarrier(2) interrupts the readers, some 10 us in a virtual machine, and memory
 * that was never used costs more than such that was.  If 100,000 rules are edited without a pause, a look
 * after each 4 MiB interrupts one packet of 800.
 */
#define LOOK_COMMITS 1024u
#define LOOK_LEAST   (4u << 20)
#define LOOK_MOST    (16u << 20)

struct xt2_tables {
	struct xt2_image *img;
	struct xt2_share *share;
	struct xt2_ruleset *rs;
	struct xt2_slots_ops slots;
	struct xt2_compactor compactor;
	u64 rules; /* before the transaction; 0: not counted yet */
	u64 taken, retired; /* by the transaction */
	u64 waited; /* bytes that waited for readers when they were looked at last */
	u32 unlooked; /* commits since */
};

static int slot_take(void *arg, struct xt2_counts counts, u32 *slot)
{
	struct xt2_tables *t = arg;

	t->taken++;
	return xt2_share_slot_take(t->share, counts, slot);
}

static int slot_retire(void *arg, u32 slot)
{
	struct xt2_tables *t = arg;

	t->retired++;
	return xt2_share_slot_retire(t->share, slot);
}

static struct xt2_counts slot_read(void *arg, const struct xt2_rule *r)
{
	const struct xt2_tables *t = arg;
	const u32 slot = (u32)r->packets;
	struct xt2_counts n;

	xt2_share_counters(t->share, &slot, 1, &n);
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

/* => bytes that may wait for the next look */
static u64 look_after(const struct xt2_space *space)
{
	const u64 used = space->img->size - space->spare - space->waiting;

	if (used < LOOK_LEAST)
		return LOOK_LEAST;
	return used < LOOK_MOST ? used : LOOK_MOST;
}

/* What readers have left is free. */
static void look_at_readers(struct xt2_tables *t)
{
	struct xt2_space *space = &t->rs->inplace->space;
	u64 oldest;

	if (++t->unlooked < LOOK_COMMITS && space->waiting < t->waited + look_after(space))
		return;
	oldest = xt2_share_oldest(t->share);
	xt2_share_reclaim(t->share, oldest);
	xt2_space_reclaim(space, xt2_compactor_allows(&t->compactor, oldest));
	t->waited = space->waiting;
	t->unlooked = 0;
}

/* Readers see it from now on. */
static int publish(struct xt2_tables *t, u32 offset)
{
	const struct xt2_root *root = xt2_at(t->img, offset);
	int ret;

	xt2_share_publish(t->share, offset, root->generation);
	xt2_compactor_committed(&t->compactor);
	ret = xt2_inplace_done(t->rs);
	look_at_readers(t);
	return ret ? ret : xt2_compactor_go_on(&t->compactor);
}

/* What the first change of a chain would make is made at once. */
static int prepare(struct xt2_tables *t, struct xt2_err *err)
{
	u32 root;
	int ret;

	if (xt2_inplace_prepare(t->rs))
		return xt2_err_no_memory(err, " to share the ruleset");
	ret = xt2_inplace_commit(t->rs, NULL, &root, err);
	if (ret)
		return ret;
	return publish(t, root) ? xt2_err_no_memory(err, " to share the ruleset") : 0;
}

static int start(struct xt2_tables *t, const struct xt2_ruleset *from, struct xt2_err *err)
{
	void *p = mmap(NULL, CAPACITY, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int ret;

	if (p == MAP_FAILED)
		return xt2_err_no_memory(err, " to share the ruleset");
	xt2_want_large_((u8 *)p + XT2_LARGE_, CAPACITY - XT2_LARGE_);
	t->img = p;
	ret = fill(t, from, err);
	if (ret)
		return ret;
	t->slots = (struct xt2_slots_ops){
		.take = slot_take, .retire = slot_retire, .read = slot_read, .arg = t
	};
	t->rs = xt2_ruleset_new();
	if (!t->rs || xt2_inplace_begin(t->rs, t->img, CAPACITY, false))
		return xt2_err_no_memory(err, " to share the ruleset");
	t->rs->inplace->slots = &t->slots;
	xt2_compactor_begin(&t->compactor, t->rs);
	return prepare(t, err);
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
	if (t->compactor.rs)
		xt2_compactor_end(&t->compactor);
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

u64 xt2_tables_compactions(const struct xt2_tables *t, int *going_on)
{
	if (going_on)
		*going_on = t->compactor.phase != XT2_COMPACT_IDLE;
	return t->compactor.done;
}

struct xt2_share *xt2_tables_share(struct xt2_tables *t)
{
	return t->share;
}

static u64 count_rules(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	u64 rules = 0;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root)
		rules += xt2_chain_length(img, c);
	return rules;
}

/* => may packets pass through more chains than they should be allowed to? */
static bool is_too_long(struct xt2_tables *t, const struct xt2_root *root)
{
	if (root->visits <= XT2_VISITS_MAX)
		return false;
	if (!t->rules)
		t->rules = count_rules(t->img);
	return root->visits + t->retired > t->rules + t->taken;
}

static void count_changes(struct xt2_tables *t, bool made)
{
	if (made && t->rules)
		t->rules += t->taken - t->retired;
	t->taken = t->retired = 0;
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
	count_changes(t, true);
	if (!ret && !root)
		ret = xt2_compactor_aborted(&t->compactor);
	return ret ? xt2_err_no_memory(err, " to go on after the change, which took effect") : 0;
}

int xt2_tables_abort(struct xt2_tables *t)
{
	int ret;

	xt2_share_abort(t->share);
	count_changes(t, false);
	ret = xt2_inplace_abort(t->rs);
	return ret ? ret : xt2_compactor_aborted(&t->compactor);
}

int xt2_tables_snapshot(struct xt2_tables *t, struct xt2_mapping *map, struct xt2_err *err)
{
	return xt2_share_snapshot(t->share, map, err);
}

struct xt2_reader *xt2_reader_new(struct xt2_tables *t)
{
	return xt2_share_reader(t->share);
}
