// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counters.c - counters in strips, a strip for each processor
 *
 * A rule of a live image has the number of a slot in the place of its counters.  Only the
 * processor itself counts in its strip, with softirqs off, and others read.  A page of a strip
 * is allocated by the first packet that counts in it, since a ruleset has many rules and a
 * processor meets few of them.  Where the kernel has no page to give, the packet is counted in a
 * short list, under a lock.
 */
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "engine/index/patched.h"
#include "engine/order.h"
#include "tables.h"

#define PAGE_COUNTS (XT2_SLOTS_MASK + 1)
#define SPARE	    1024u /* slots at least for rules that come */

int xt2k_counters_init(struct xt2k_counters *c, u32 slots)
{
	spin_lock_init(&c->lock);
	c->slots = slots;
	c->used = 1;
	c->pages = DIV_ROUND_UP(slots, PAGE_COUNTS);
	c->page =
		kvcalloc((size_t)(nr_cpu_ids + 2) * c->pages, sizeof(*c->page), GFP_KERNEL_ACCOUNT);
	return c->page ? 0 : -ENOMEM;
}

void xt2k_counters_free(struct xt2k_counters *c)
{
	size_t i;

	for (i = 0; c->page && i < (size_t)(nr_cpu_ids + 1) * c->pages; i++)
		kfree(c->page[i]);
	kvfree(c->page);
	kvfree(c->free);
}

/* --- slots that come and go ------------------------------------------------------ */

int xt2k_slot_take(struct xt2k_counters *c, struct xt2_counts n, u32 *slot)
{
	const bool again = c->frees;
	const u32 number = again ? c->free[c->frees - 1] : c->used;
	struct xt2_counts was = { 0 };

	if (!again && c->used >= c->slots)
		return -ENOSPC;
	if (again)
		was = xt2k_counters_read(c, number);
	if (again || n.packets || n.bytes) {
		if (xt2k_counters_room(c, number))
			return -ENOMEM;
		xt2k_counters_add(c, number,
				  (struct xt2_counts){ n.packets - was.packets,
						       n.bytes - was.bytes });
	}
	c->frees -= again;
	c->used += !again;
	*slot = number;
	return 0;
}

int xt2k_slots_reserve(struct xt2k_counters *c, u32 more)
{
	const u32 want = c->frees + more;
	u32 *to;

	if (want <= c->free_cap)
		return 0;
	to = kvmalloc_array(want + want / 2, sizeof(*to), GFP_KERNEL_ACCOUNT);
	if (!to)
		return -ENOMEM;
	if (c->frees)
		memcpy(to, c->free, c->frees * sizeof(*to));
	kvfree(c->free);
	c->free = to;
	c->free_cap = want + want / 2;
	return 0;
}

/* --- count ------------------------------------------------------------------ */

static void count_late(struct xt2k_counters *c, u32 slot, u32 bytes)
{
	u32 i;

	spin_lock(&c->lock);
	for (i = 0; i < c->lates && c->late[i].slot != slot; i++)
		;
	if (i == XT2K_LATE) {
		c->lost++;
	} else {
		if (i == c->lates)
			c->late[c->lates++] = (struct xt2k_late){ .slot = slot };
		c->late[i].n.packets++;
		c->late[i].n.bytes += bytes;
	}
	spin_unlock(&c->lock);
}

/* Softirqs are off.  @at: of the processor's strip */
static void count_first(struct xt2k_counters *c, struct xt2_counts **at, u64 slot, u32 bytes)
{
	struct xt2_counts *page =
		kcalloc(PAGE_COUNTS, sizeof(*page), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);

	if (!page) {
		count_late(c, slot, bytes);
		return;
	}
	page[slot & XT2_SLOTS_MASK] = (struct xt2_counts){ 1, bytes };
	smp_store_release(at, page); /* others read it */
}

/* The processor's strip has no page here, or the packet is traced. */
void xt2_slot_first(struct xt2_ctx *ctx, u64 slot, u32 bytes)
{
	struct xt2k_run *run = container_of(ctx, struct xt2k_run, ctx);
	struct xt2k_counters *c = &run->live->state->counters;
	struct xt2_counts **strip = xt2k_strip(c, smp_processor_id());

	if (strip[slot >> XT2_SLOTS_SHIFT])
		xt2_slot_count(ctx, strip, slot, bytes);
	else
		count_first(c, &strip[slot >> XT2_SLOTS_SHIFT], slot, bytes);
	if (strip != ctx->counters)
		xt2k_trace(run, slot);
}

int xt2k_counters_room(struct xt2k_counters *c, u32 slot)
{
	struct xt2_counts **at = xt2k_strip(c, nr_cpu_ids) + (slot >> XT2_SLOTS_SHIFT);

	if (!*at)
		*at = kcalloc(PAGE_COUNTS, sizeof(**at), GFP_KERNEL_ACCOUNT);
	return *at ? 0 : -ENOMEM;
}

void xt2k_counters_add(struct xt2k_counters *c, u32 slot, struct xt2_counts n)
{
	struct xt2_counts **at = xt2k_strip(c, nr_cpu_ids) + (slot >> XT2_SLOTS_SHIFT);

	(*at)[slot & XT2_SLOTS_MASK].packets += n.packets;
	(*at)[slot & XT2_SLOTS_MASK].bytes += n.bytes;
}

struct xt2_counts xt2k_counters_read(struct xt2k_counters *c, u32 slot)
{
	struct xt2_counts n = { 0 };
	unsigned int cpu;
	u32 i;

	for (cpu = 0; cpu <= nr_cpu_ids; cpu++) {
		struct xt2_counts **at = xt2k_strip(c, cpu) + (slot >> XT2_SLOTS_SHIFT);
		const struct xt2_counts *page = smp_load_acquire(at);

		if (!page)
			continue;
		n.packets += READ_ONCE(page[slot & XT2_SLOTS_MASK].packets);
		n.bytes += READ_ONCE(page[slot & XT2_SLOTS_MASK].bytes);
	}
	if (likely(!READ_ONCE(c->lates)))
		return n;
	spin_lock_bh(&c->lock);
	for (i = 0; i < c->lates; i++) {
		if (c->late[i].slot != slot)
			continue;
		n.packets += c->late[i].n.packets;
		n.bytes += c->late[i].n.bytes;
	}
	spin_unlock_bh(&c->lock);
	return n;
}

struct xt2_counts xt2k_slots_read(struct xt2k_counters *c, struct xt2_counts slots)
{
	struct xt2_counts n = xt2k_counters_read(c, slots.packets), group;

	if (slots.bytes > 1) {
		group = xt2k_counters_read(c, slots.bytes - 1);
		n.packets += group.packets;
		n.bytes += group.bytes;
	}
	return n;
}

/* --- images ------------------------------------------------------------------ */

/* All that counts in an image: rules, policies, and the rule groups of indexes. */
struct walk {
	u32 slot; /* the next one */
	struct xt2k_counters *c;
	struct xt2k_start *start;
	int ret; /* 0, -ENOMEM */
	void (*rule)(struct walk *w, struct xt2_rule *r);
	void (*group)(struct walk *w, struct xt2_run *run);
};

static void walk_image(struct walk *w, struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_chain *chain;
	struct xt2_rule *r;
	u32 i, j;

	xt2_image_for_each_chain(chain, i, img, root) {
		const struct xt2_index *ix = xt2_chain_index(chain);

		xt2_chain_for_each_rule(r, chain)
			w->rule(w, r);
		for (j = 0; ix && j < ix->runs; j++)
			w->group(w, &xt2_index_runs(ix)[j]);
		cond_resched();
	}
}

static void number_rule(struct walk *w, struct xt2_rule *r)
{
	w->slot++;
}

static void number_group(struct walk *w, struct xt2_run *run)
{
	run->packets = w->slot++;
	run->bytes = 0;
}

static void no_rule(struct walk *w, struct xt2_rule *r)
{
}

static void no_group(struct walk *w, struct xt2_run *run)
{
}

static void take_rule(struct walk *w, struct xt2_rule *r)
{
	struct xt2k_start *start = w->start ? &w->start[r->packets] : NULL;
	const struct xt2_counts n = start ? start->n : (struct xt2_counts){ r->packets, r->bytes };

	r->packets = w->slot++;
	r->bytes = 0;
	if (start)
		start->slot = r->packets;
	if (!n.packets && !n.bytes && !(start && start->from.bytes))
		return;
	if (!w->ret)
		w->ret = xt2k_counters_room(w->c, r->packets);
	if (!w->ret)
		xt2k_counters_add(w->c, r->packets, n);
}

static void read_rule(struct walk *w, struct xt2_rule *r)
{
	const struct xt2_counts n = xt2k_counters_read(w->c, r->packets);

	r->packets = n.packets;
	r->bytes = n.bytes;
}

static void read_group(struct walk *w, struct xt2_run *run)
{
	const struct xt2_counts n = xt2k_counters_read(w->c, run->packets);

	run->packets = n.packets;
	run->bytes = n.bytes;
}

static void clear_rule(struct walk *w, struct xt2_rule *r)
{
	r->packets = r->bytes = 0;
}

static void clear_group(struct walk *w, struct xt2_run *run)
{
	run->packets = run->bytes = 0;
}

int xt2k_counters_take(struct xt2k_counters *c, struct xt2_image *img, struct xt2k_start *start)
{
	struct walk w = { .rule = number_rule, .group = no_group };
	int ret;

	walk_image(&w, img);
	/* There are fewer groups than rules, and rules come one by one as well. */
	ret = xt2k_counters_init(c, 2 * w.slot + w.slot / 4 + SPARE);
	if (ret)
		return ret;
	w = (struct walk){
		.slot = c->used, .c = c, .start = start, .rule = take_rule, .group = no_group
	};
	walk_image(&w, img);
	c->used = w.slot;
	return w.ret;
}

u32 xt2k_counters_groups(struct xt2_image *img, u32 first)
{
	struct walk w = { .slot = first, .rule = no_rule, .group = number_group };

	walk_image(&w, img);
	return w.slot;
}

/* Groups have none, since those of their rules say which theirs are. */
static void put_slots(struct xt2_image *copy, const struct xt2_image *img)
{
	struct walk w = { .rule = no_rule, .group = clear_group };
	const struct xt2_chain *from;
	struct xt2_chain *c;
	struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, copy, xt2_image_root(copy)) {
		from = xt2_at(img, xt2_offset(copy, c));
		xt2_chain_for_each_rule(r, c) {
			const struct xt2_rule *of = xt2_at(img, xt2_offset(copy, r));

			r->bytes = 1 + xt2_rule_counts(from, of).packets - of->packets;
		}
		cond_resched();
	}
	walk_image(&w, copy);
}

static void fold(struct xt2_image *copy)
{
	struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, copy, xt2_image_root(copy))
		xt2_chain_fold(c);
}

/* Its rules are those in order, and deleted ones say nothing. */
static void put_counts_edited(const struct xt2k_live *live, enum xt2k_counts counts,
			      struct xt2_image *copy)
{
	struct xt2k_counters *c = &live->state->counters;
	struct xt2_in_order o;
	struct xt2_chain *chain;
	struct xt2_counts n;
	struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(chain, i, copy, xt2_image_root(copy)) {
		xt2_chain_for_each(r, &o, copy, chain) {
			n = (struct xt2_counts){ 0 };
			if (counts == XT2K_COUNTED)
				n = xt2k_counters_read(c, r->packets);
			else if (counts == XT2K_SLOTS)
				n = (struct xt2_counts){ r->packets, 1 };
			r->packets = n.packets;
			r->bytes = n.bytes;
		}
		cond_resched();
	}
}

static void put_counts(const struct xt2k_live *live, enum xt2k_counts counts,
		       struct xt2_image *copy)
{
	struct walk w = { .c = &live->state->counters };

	switch (counts) {
	case XT2K_SLOTS: put_slots(copy, live->img); return;
	case XT2K_COUNTED:
		w.rule = read_rule;
		w.group = read_group;
		break;
	case XT2K_ZERO:
		w.rule = clear_rule;
		w.group = clear_group;
		break;
	}
	walk_image(&w, copy);
	fold(copy);
}

int xt2k_image_copy_raw(const struct xt2k_live *live, enum xt2k_counts counts,
			struct xt2_mapping *map)
{
	const size_t size = live->img->size;
	int ret = xt2_image_room_(size, map, NULL);

	if (ret)
		return ret;
	memcpy(map->image, live->img, size);
	map->size = size;
	if (live->edit)
		put_counts_edited(live, counts, map->image);
	else
		put_counts(live, counts, map->image);
	return 0;
}

int xt2k_image_copy(const struct xt2k_live *live, enum xt2k_counts counts, struct xt2_mapping *map)
{
	struct xt2_mapping raw;
	struct xt2_ruleset *rs;
	int ret = xt2k_image_copy_raw(live, counts, live->edit ? &raw : map);

	if (ret || !live->edit)
		return ret;
	rs = xt2_ruleset_new();
	ret = rs ? xt2_ruleset_load(rs, raw.image, raw.size) : -ENOMEM;
	if (!ret)
		ret = xt2_ruleset_write_(rs, &xt2k_plain, map, NULL);
	xt2_ruleset_free(rs);
	xt2_image_close(&raw);
	return ret;
}
