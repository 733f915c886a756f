/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-backend.c - the live ruleset of a network namespace, as a kind of store
 *
 * The programs and the ruleset are pinned in a folder, so each command finds
 * them again.  A lock lets one command change them at a time.
 */
#include "bpf-companion.h"
#include "bpf-edit.h"

#include <time.h>
#include "libxt2/store/enter-netns.h"

#define PAUSE 20 /* ms between two tries for a lock */

int xt2_live_find(struct xt2_store *p, struct xt2_err *err)
{
	int ret = p->netns ? xt2_netns_enter_(p->netns, err) : 0;

	return ret ? ret : xt2_live_path(p->pin, p->folder, sizeof(p->folder), err);
}

/* Sweep what dead namespaces have left, and be the only ruleset here.  => 0, -EBUSY */
static int look_around(struct xt2_store *p, struct xt2_err *err)
{
	struct xt2_err ignored;

	p->links = NULL;
	if (xt2_links_read(&p->links, p->folder, true)) /* a kernel that can't tell */
		return 0;
	xt2_live_sweep(p->links, p->pin, &ignored);
	return xt2_links_alone(p->links, p->folder, err);
}

static void warn(const struct xt2_store *p)
{
	if (xt2_live_ends_early(p->pin))
		fputs("warning: what is live will end with this container\n", stderr);
}

static int enter_folder(struct xt2_store *p, enum xt2_store_access access, int wait,
			struct xt2_err *err)
{
	const struct timespec pause = { .tv_nsec = PAUSE * 1000000 };
	long left = wait * (1000L / PAUSE);

	for (;;) {
		p->lock = xt2_live_folder(p->pin, access, p->folder, sizeof(p->folder), err);
		if (p->lock != -EAGAIN || !left)
			return p->lock < 0 ? p->lock : 0;
		nanosleep(&pause, NULL);
		left -= left > 0;
	}
}

static void unlock(struct xt2_store *p)
{
	xt2_live_leave(p->folder, p->lock);
	xt2_links_free(p->links);
	p->links = NULL;
	free(p->owners);
	p->owners = NULL;
}

static int lock(struct xt2_store *p, enum xt2_store_access access, int wait, struct xt2_err *err)
{
	int ret = p->netns ? xt2_netns_enter_(p->netns, err) : 0;

	if (!ret)
		ret = enter_folder(p, access, wait, err);
	if (ret || access != XT2_STORE_CREATE)
		return ret;
	ret = look_around(p, err);
	if (ret)
		unlock(p);
	else
		warn(p);
	return ret;
}

static int read_live(const struct xt2_store *p, bool whole, struct xt2_mapping *map,
		     struct xt2_err *err)
{
	struct xt2_live *live = NULL;
	int ret = xt2_live_open(&live, p->folder, NULL, err);

	if (!ret)
		ret = xt2_live_read(live, map, err);
	xt2_live_free(live);
	return ret;
}

/* Others may have become live meanwhile, in another folder.  => 0, -EBUSY */
static int still_alone(const struct xt2_store *p, struct xt2_err *err)
{
	struct xt2_links *links;
	int ret = xt2_links_read(&links, p->folder, true);

	if (ret)
		return 0;
	ret = xt2_links_alone(links, p->folder, err);
	xt2_links_free(links);
	return ret;
}

/* Attach what is not attached yet.  => 0: *live; -errno */
static int attach(const struct xt2_store *p, const struct xt2_image *img, struct xt2_live **live,
		  struct xt2_err *err)
{
	const unsigned int missing = xt2_live_missing(p->folder, p->links, img);
	struct xt2_live_programs what = xt2_live_needed(img, true);
	int ret;

	what.hooks = missing & ~(XT2_LIVE_UNGUARDED | XT2_LIVE_UNEVALUATED);
	ret = xt2_live_open(live, p->folder, &what, err);
	if (ret == -ENOENT) {
		what.needs = xt2_live_needed(img, false).needs;
		ret = xt2_live_load(live, &what, err);
	}
	if (!ret)
		ret = xt2_live_attach(*live, p->folder, p->links, img, err);
	return ret || !missing ? ret : still_alone(p, err);
}

/* => 0, -errno */
static int install(struct xt2_store *p, struct xt2_live *live, const struct xt2_mapping *map,
		   const struct xt2_store_counters *counters, struct xt2_err *err)
{
	const struct xt2_changes *n = &p->author.changes;
	struct xt2_live_told told = { .author = &p->author,
				      .owners = p->owners,
				      .uncounted = !n->rules_new && !n->rules_gone };
	const u32 old = xt2_live_old_begin_(live, p->folder);
	int ret;

	xt2_live_try(live, p->confirm);
	ret = xt2_live_install(live, map->image, map->size, counters, &told, err);
	xt2_live_old_end_(p->folder, old, !ret);
	p->generation = told.generation;
	return ret;
}

/* Those that only the ruleset would have used which was not installed. */
static void drop_companions(const struct xt2_live *live, const struct xt2_image *img)
{
	if (xt2_live_nats(img))
		xt2_nat_drop_(xt2_live_next_(live));
	if (xt2_left_count_(img))
		xt2_left_drop_(xt2_live_next_(live));
}

/* Has somebody insisted on what is live?  Then also on what follows it. */
static bool is_forced(const struct xt2_store *p)
{
	struct xt2_live *live = NULL;
	const bool forced = p->forced || (!xt2_live_open(&live, p->folder, NULL, NULL) &&
					  xt2_live_state_()->forced);

	xt2_live_free(live);
	return forced;
}

/* @forced: out: only since somebody insists  => 0, -errno */
static int check(const struct xt2_store *p, const struct xt2_image *img, bool *forced,
		 struct xt2_err *err)
{
	const int ret = xt2_live_check(img, false, NULL, err);

	*forced = ret == -E2BIG && is_forced(p);
	return *forced ? xt2_live_check(img, true, NULL, err) : ret;
}

static int commit(struct xt2_store *p, const struct xt2_mapping *map,
		  const struct xt2_store_counters *counters, struct xt2_err *err)
{
	struct xt2_live *live = NULL;
	unsigned int tracked, begun;
	bool forced;
	int ret = check(p, map->image, &forced, err);

	if (ret)
		return ret;
	tracked = xt2_live_tracked(map->image);
	ret = xt2_live_track(tracked, &begun, err);
	if (ret)
		return ret;
	ret = attach(p, map->image, &live, err);
	if (!ret)
		ret = xt2_live_ready(live, err); /* companions of the ruleset before are not used */
	if (!ret)
		ret = xt2_live_act(live, p->folder, map->image, false, err);
	if (!ret) {
		ret = install(p, live, map, counters, err);
		if (ret) {
			drop_companions(live, map->image);
		} else {
			xt2_left_seal_(live);
			xt2_live_state_()->forced = forced;
		}
	}
	if (ret && live)
		xt2_live_tidy(live, p->folder);
	if (ret || !p->confirm) /* what comes back may ask about connections */
		xt2_live_untrack(ret ? begun : ~tracked);
	if (!ret && !p->confirm)
		xt2_live_unact(live, p->folder, map->image);
	xt2_live_free(live);
	return ret;
}

static int add_counters(struct xt2_store *p, const struct xt2_counts *add, __u32 n,
			struct xt2_err *err)
{
	struct xt2_live *live = NULL;
	int ret = xt2_live_open(&live, p->folder, NULL, err);

	if (!ret)
		ret = xt2_live_add(live, add, n, err);
	xt2_live_free(live);
	return ret;
}

static int generation(const struct xt2_store *p, __u64 number, struct xt2_mapping *map,
		      struct xt2_err *err)
{
	struct xt2_live *live = NULL;
	int ret = xt2_live_open(&live, p->folder, NULL, err);

	if (!ret)
		ret = xt2_live_generation_(live, p->folder, number, map, err);
	xt2_live_free(live);
	return ret;
}

static int watch(struct xt2_store *p, xt2_history_seen seen, void *data, struct xt2_err *err)
{
	int ret = *p->folder ? 0 : xt2_live_find(p, err);

	if (!ret)
		return xt2_live_watch_(p, seen, data, err);
	*p->folder = '\0';
	return ret == -ENOENT ? 0 : ret;
}

const struct xt2_store_ops xt2_store_bpf_ = {
	.lock = lock,
	.unlock = unlock,
	.read = read_live,
	.commit = commit,
	.add_counters = add_counters,
	.refusals = xt2_live_refusals,
	.shares = xt2_live_shares,
	.edit = &xt2_live_edit_,
	.generation = generation,
	.watch = watch,
	.end_watch = xt2_live_end_watch_,
};

static bool lacks(const struct xt2_store *p, const struct xt2_image *img)
{
	struct xt2_live *live = NULL;
	bool lacks = xt2_live_open(&live, p->folder, NULL, NULL) ||
		     xt2_live_lacks(live, p->links, p->folder, img);

	xt2_live_free(live);
	return lacks;
}

static int repair(struct xt2_store *p, const struct xt2_image *img, struct xt2_err *err)
{
	unsigned int tracked = xt2_live_tracked(img), begun;
	struct xt2_live *live = NULL;
	int ret = 0;

	if (tracked & ~xt2_live_tracking())
		ret = xt2_live_track(tracked, &begun, err);
	if (!ret && (xt2_live_missing(p->folder, p->links, img) || lacks(p, img)))
		ret = attach(p, img, &live, err);
	if (!ret && live)
		ret = xt2_live_act(live, p->folder, img, true, err);
	if (!ret && live)
		xt2_left_seal_(live);
	xt2_live_free(live);
	return ret;
}

int xt2_live_repair(const struct xt2_store *store, struct xt2_err *err)
{
	struct xt2_store p = *store;
	struct xt2_mapping map = { 0 };
	int ret = read_live(&p, true, &map, err);

	if (ret)
		return ret;
	if (xt2_links_read(&p.links, p.folder, true))
		p.links = NULL;
	ret = repair(&p, map.image, err);
	xt2_links_free(p.links);
	xt2_image_close(&map);
	return ret;
}
