// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table-edit.c - a live table that is edited in its image
 *
 * The image has the library's records for that (libxt2/ruleset/inplace.h), and room.  A transaction
 * writes a new root and all that differs beside what packets read.  Then another struct xt2k_live
 * names that root: it shares image, counters and instances with the one before.  When no packet is
 * in the old one any more, its places, slots and instances can be used again.
 *
 * The room is made when a table is edited for the first time, and when there is no more: the table is
 * packed anew (repack.c).
 *
 * Locking: the namespace's mutex is held in all of this.
 */
#include <linux/slab.h>
#include <net/netfilter/nf_conntrack.h>
#include "engine/index/patched.h"
#include "libxt2/err.h"
#include "table-edit.h"

int xt2k_numbers_reserve(struct xt2k_numbers *to, u32 more)
{
	const u32 want = to->n + more;
	u32 *number;

	if (want <= to->cap)
		return 0;
	number = kvmalloc_array(want + want / 2 + 8, sizeof(*number), GFP_KERNEL_ACCOUNT);
	if (!number)
		return -ENOMEM;
	if (to->n)
		memcpy(number, to->number, to->n * sizeof(*number));
	kvfree(to->number);
	to->number = number;
	to->cap = want + want / 2 + 8;
	return 0;
}

/* --- slots ------------------------------------------------------------------------- */

static int slot_take(void *arg, struct xt2_counts counts, u32 *slot)
{
	struct xt2k_edit *e = arg;
	int ret = xt2k_slots_reserve(e->counters, e->taken.n + 1) ?: xt2k_note(&e->taken, 0);

	if (ret)
		return ret;
	ret = xt2k_slot_take(e->counters, counts, slot);
	if (ret)
		e->taken.n--;
	else
		e->taken.number[e->taken.n - 1] = *slot;
	return ret;
}

static int slot_retire(void *arg, u32 slot)
{
	struct xt2k_edit *e = arg;

	return xt2k_slots_reserve(e->counters, e->gone.n + 1) ?: xt2k_note(&e->gone, slot);
}

static struct xt2_counts slot_read(void *arg, const struct xt2_rule *r)
{
	const struct xt2k_edit *e = arg;

	return xt2k_counters_read(e->counters, r->packets);
}

/* There is room. */
static void slots_free(struct xt2k_counters *c, struct xt2k_numbers *from)
{
	while (from->n)
		c->free[c->frees++] = from->number[--from->n];
}

/* --- an image that can be edited ---------------------------------------------------- */

void xt2k_edit_free(struct xt2k_edit *e)
{
	if (!e)
		return;
	xt2_ruleset_free(e->rs);
	kvfree(e->taken.number);
	kvfree(e->gone.number);
	kvfree(e->dead.number);
	kvfree(e->made.number);
	kfree(e);
}

void xt2k_edit_counts(struct xt2k_edit *e, struct xt2k_counters *c)
{
	e->counters = c;
	e->slots = (struct xt2_slots_ops){
		.take = slot_take, .retire = slot_retire, .read = slot_read, .arg = e
	};
	e->rs->inplace->slots = &e->slots;
}

/* What the first edit would make is made now. */
static int prepare(struct xt2k_edit *e, struct xt2_mapping *map)
{
	u32 root;
	int ret = xt2_inplace_begin(e->rs, map->image, map->capacity, false);

	if (!ret)
		ret = xt2_inplace_prepare(e->rs);
	if (!ret)
		ret = xt2_inplace_commit(e->rs, NULL, &root, NULL);
	if (ret)
		return ret;
	if (root)
		((struct xt2_image *)map->image)->root = root;
	ret = xt2_inplace_done(e->rs);
	xt2_space_reclaim(&e->rs->inplace->space, e->rs->generation);
	map->size = ((struct xt2_image *)map->image)->size;
	return ret;
}

struct xt2k_edit *xt2k_edit_new(struct xt2_mapping *map)
{
	struct xt2k_edit *e = kzalloc(sizeof(*e), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!e)
		return ERR_PTR(ret);
	e->rs = xt2_ruleset_new();
	if (e->rs)
		ret = prepare(e, map);
	if (!ret)
		return e;
	xt2k_edit_free(e);
	return ERR_PTR(ret);
}

/* Packets find indexes if they did before. */
static int renew(struct xt2k_table *t, u32 need)
{
	struct xt2_index_limits limits = xt2k_table_live(t)->indexed ? xt2_index_limits
								     : xt2k_plain;
	struct xt2k_repack r;
	int ret = xt2k_repack_copy(t, &r);

	limits.single = true; /* a group's slot could not be divided while it counts */
	if (!ret)
		ret = xt2k_repack_make(t, &r, &limits, true, need);
	if (!ret)
		ret = xt2k_repack_publish(t, &r);
	xt2k_repack_end(&r);
	return ret;
}

int xt2k_edit_open(struct xt2k_table *t, u32 need, bool anew, struct xt2_err *err)
{
	const struct xt2k_live *live = xt2k_table_live(t);
	int ret = 0;

	if (!live)
		return xt2_err_set(err, XT2_E_SYSTEM, ENOENT, "table %s is not there",
				   xt2k_names[t->name]);
	t->edits = true;
	if (anew || !live->edit || live->edit->broken)
		ret = renew(t, need);
	return ret ? xt2_err_set(err, XT2_E_SYSTEM, -ret, "table %s cannot be edited in its place",
				 xt2k_names[t->name])
		   : 0;
}

/* --- the next one -------------------------------------------------------------------- */

/* Rules that came may want to know connections. */
static int track(struct xt2k_live *next)
{
	struct xt2k_state *state = next->state;
	int ret = next->asks_ct && !state->tracks ? nf_ct_netns_get(state->net, state->nfproto) : 0;

	if (next->asks_ct && !ret)
		state->tracks = true;
	return ret;
}

/* Room for the instances of the root. */
static int more_natives(struct xt2k_live *next, const struct xt2k_live *live)
{
	const u32 n = next->root->instances;
	struct xt2k_native *more;

	if (n <= live->natives)
		return 0;
	next->natives = n + n / 4 + XT2K_NATIVES_ROOM;
	more = kvcalloc(next->natives, sizeof(*more), GFP_KERNEL_ACCOUNT);
	if (!more)
		return -ENOMEM;
	memcpy(more, live->native, live->natives * sizeof(*more));
	next->native = more;
	return 0;
}

static void drop_next(struct xt2k_live *next, const struct xt2k_live *live)
{
	if (next->frames != live->frames)
		kvfree(next->frames);
	if (next->native != live->native)
		kvfree(next->native);
	kfree(next);
}

static int fill_next(struct xt2k_live *next, const struct xt2k_live *live, u32 root)
{
	const struct xt2_hook *h;
	u32 i;
	int ret;

	next->root = xt2_at(live->img, root);
	memset(next->entry, 0, sizeof(next->entry));
	xt2_image_for_each_hook(h, i, live->img, next->root)
		next->entry[h->hook] = h;
	ret = more_natives(next, live);
	if (!ret && next->root->depth > live->depth) {
		next->depth = next->root->depth;
		next->frames = xt2k_frames(next->depth);
		ret = next->frames ? 0 : -ENOMEM;
	}
	return ret ?: track(next);
}

struct xt2k_live *xt2k_edit_next(struct xt2k_table *t, u32 root, u32 asks_ct, bool asks_time)
{
	const struct xt2k_live *live = xt2k_table_live(t);
	struct xt2k_live *next = kmemdup(live, sizeof(*live), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!next)
		return ERR_PTR(-ENOMEM);
	next->asks_ct = asks_ct;
	next->asks_time |= asks_time;
	ret = fill_next(next, live, root);
	if (!ret)
		return next;
	drop_next(next, live);
	return ERR_PTR(ret);
}

/* --- the end of a transaction ---------------------------------------------------------- */

/* The last rule that looked at connections may have gone. */
static void untrack(const struct xt2k_live *live)
{
	struct xt2k_state *state = live->state;

	if (state->tracks && !live->asks_ct)
		nf_ct_netns_put(state->net, state->nfproto);
	state->tracks &= live->asks_ct != 0;
}

/* Nothing has changed, after all. */
static void keep(struct xt2k_edit *e)
{
	e->taken.n = e->gone.n = e->dead.n = e->made.n = 0;
	e->broken |= xt2_inplace_done(e->rs) != 0;
}

bool xt2k_edit_publish(struct xt2k_table *t)
{
	struct xt2k_live *live = xt2k_table_live(t), *next = live->edit->next;
	struct xt2k_edit *e = live->edit;

	if (!next) {
		keep(e);
		return false;
	}
	e->next = NULL;
	live->img->root = xt2_offset(live->img, next->root);
	next->size = live->img->size;
	xt2k_live_swap(t, next);
	xt2k_table_hold(t, next);
	drop_next(live, next);
	untrack(next);
	slots_free(e->counters, &e->gone);
	while (e->dead.n)
		xt2k_native_put(next, e->dead.number[--e->dead.n]);
	keep(e);
	if (!e->broken)
		xt2_space_reclaim(&e->rs->inplace->space, e->rs->generation);
	if (next->wants_index)
		xt2k_index_later(t);
	return true;
}

void xt2k_edit_abort(const struct xt2k_table *t)
{
	struct xt2k_live *live = xt2k_table_live(t);
	struct xt2k_edit *e = live->edit;

	while (e->made.n)
		xt2k_native_put(e->next, e->made.number[--e->made.n]);
	if (e->next)
		drop_next(e->next, live);
	e->next = NULL;
	untrack(live);
	slots_free(e->counters, &e->taken);
	e->gone.n = e->dead.n = 0;
	e->broken |= xt2_inplace_abort(e->rs) != 0;
}
