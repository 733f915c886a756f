// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * repack.c - a live table's rules in another image: with indexes, or with room to be edited
 *
 * The new image has the same rules, so that it takes over the state: slots of counters, which are
 * in the rules, and instances.  Where a rule counts in its group as well, it starts with what the
 * group has when no packet is in the old image any more.
 *
 * The rules are copied, and the new image becomes live, under the namespace's mutex; between these it
 * is made without, and thrown away if another table is live by then.
 */
#include <linux/slab.h>
#include <net/netns/generic.h>
#include "engine/index/patched.h"
#include "tables.h"

int xt2k_repack_copy(struct xt2k_table *t, struct xt2k_repack *r)
{
	const struct xt2k_live *live = xt2k_table_live(t);

	*r = (struct xt2k_repack){ .version = t->version, .slots = live->state->counters.used };
	return xt2k_image_copy_raw(live, XT2K_SLOTS, &r->copy);
}

/* --- rules that count in groups ----------------------------------------------------- */

/* Rules get rid of their groups, which are noted. */
static int note_groups(struct xt2k_repack *r, struct xt2_image *img)
{
	struct xt2_chain *c;
	struct xt2_rule *rule;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img))
		xt2_chain_for_each_rule(rule, c)
			n += rule->bytes > 1;
	r->group = n ? kvmalloc_array(n, sizeof(*r->group), GFP_KERNEL_ACCOUNT) : NULL;
	if (n && !r->group)
		return -ENOMEM;
	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		xt2_chain_for_each_rule(rule, c) {
			if (rule->bytes > 1)
				r->group[r->groups++] =
					(struct xt2_counts){ rule->packets, rule->bytes - 1 };
			rule->bytes = 0;
		}
		cond_resched();
	}
	return 0;
}

static int make_room(const struct xt2k_repack *r, struct xt2k_counters *c)
{
	u32 i;

	for (i = 0; i < r->groups; i++)
		if (xt2k_counters_room(c, r->group[i].packets))
			return -ENOMEM;
	return 0;
}

static void add_groups(const struct xt2k_repack *r, struct xt2k_counters *c)
{
	u32 i;

	for (i = 0; i < r->groups; i++)
		xt2k_counters_add(c, r->group[i].packets, xt2k_counters_read(c, r->group[i].bytes));
}

/* --- instances --------------------------------------------------------------------- */

static bool is_instance(const struct xt2_match *m)
{
	return xt2_match_info(m->type) & XT2_EXT_INSTANCE;
}

/* The same rule, before and now. */
static void map_rule(u32 *native, const struct xt2_rule *before, const struct xt2_rule *now)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, now)
		if (is_instance(m))
			native[m->arg] =
				((const struct xt2_match *)xt2_at(before, xt2_offset(now, m)))->arg;
	if (xt2_target_info(XT2_TARGET_KIND(now->target)) & XT2_EXT_INSTANCE)
		native[XT2_TARGET_ARG(now->target)] = XT2_TARGET_ARG(before->target);
}

/* Rules are known by their slots. */
static int map_rules(struct xt2k_repack *r, const struct xt2_ruleset *rs, struct xt2_image *img)
{
	const struct xt2_rule **by_slot = kvcalloc(r->slots, sizeof(*by_slot), GFP_KERNEL_ACCOUNT);
	const struct xt2_rule *rule;
	struct xt2_rule *now;
	struct xt2_chain *c;
	int i;

	if (!by_slot)
		return -ENOMEM;
	for (i = xt2_chain_next(rs, 0, -1); i >= 0; i = xt2_chain_next(rs, 0, i)) {
		struct xt2_list_walk w = xt2_list_walk(xt2_chain_list(rs, i));

		while ((rule = xt2_list_next(&w)))
			by_slot[rule->packets] = rule;
	}
	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		xt2_chain_for_each_rule(now, c)
			if (by_slot[now->packets]) /* else it is a tail */
				map_rule(r->native, by_slot[now->packets], now);
		cond_resched();
	}
	kvfree(by_slot);
	return 0;
}

static int map_instances(struct xt2k_repack *r, const struct xt2_ruleset *rs, struct xt2_image *img)
{
	const u32 n = xt2_image_root(img)->instances;

	r->natives = n;
	if (!n)
		return 0;
	r->native = kvmalloc_array(n, sizeof(*r->native), GFP_KERNEL_ACCOUNT);
	if (!r->native)
		return -ENOMEM;
	memset(r->native, 0xff, n * sizeof(*r->native));
	return map_rules(r, rs, img);
}

/* --- the image --------------------------------------------------------------------- */

/* The same in more memory. */
static int enlarge(struct xt2_mapping *map, size_t room)
{
	struct xt2_mapping larger;
	int ret = xt2_image_room_(map->size + room, &larger, NULL);

	if (!ret) {
		memcpy(larger.image, map->image, map->size);
		larger.size = map->size;
		swap(*map, larger);
		xt2_image_close(&larger);
	}
	return ret;
}

static int pack(struct xt2k_repack *r, const struct xt2_index_limits *limits,
		struct xt2_mapping *map)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int ret = rs ? xt2_ruleset_load(rs, r->copy.image, r->copy.size) : -ENOMEM;

	if (!ret)
		ret = xt2_ruleset_write_(rs, limits, map, NULL);
	if (!ret) {
		ret = map_instances(r, rs, map->image) ?: note_groups(r, map->image);
		if (ret)
			xt2_image_close(map);
	}
	xt2_ruleset_free(rs);
	return ret;
}

/* => bytes beside the image for edits */
static size_t edit_room(const struct xt2_mapping *map, u32 need)
{
	return ALIGN(map->size / 4 + XT2K_EDIT_ROOM + need, 8);
}

int xt2k_repack_make(struct xt2k_table *t, struct xt2k_repack *r,
		     const struct xt2_index_limits *limits, bool edit, u32 need)
{
	struct xt2k_edit *e = NULL;
	struct xt2_mapping map;
	int ret = pack(r, limits, &map);

	if (ret)
		return ret;
	if (edit) {
		ret = enlarge(&map, edit_room(&map, need));
		e = ret ? NULL : xt2k_edit_new(&map);
		if (!e)
			ret = ret ?: -ENOMEM;
		else if (IS_ERR(e))
			ret = PTR_ERR(e);
	}
	if (ret) {
		xt2_image_close(&map);
		return ret;
	}
	r->live = xt2k_live_new(t, &map);
	if (IS_ERR(r->live)) {
		xt2k_edit_free(e);
		return PTR_ERR(r->live);
	}
	r->live->edit = e;
	return 0;
}

/* --- it becomes live ---------------------------------------------------------------- */

static struct xt2k_native *move_natives(const struct xt2k_repack *r, const struct xt2k_live *of,
					u32 room)
{
	struct xt2k_native *to = kvcalloc(room, sizeof(*to), GFP_KERNEL_ACCOUNT);
	u32 i;

	for (i = 0; to && i < r->natives; i++)
		if (r->native[i] < of->natives)
			to[i] = of->native[r->native[i]];
	return to;
}

int xt2k_repack_publish(struct xt2k_table *t, struct xt2k_repack *r)
{
	struct xt2k_live *old = xt2k_table_live(t), *live = r->live;
	struct xt2k_state *state = old ? old->state : NULL;
	u32 used;
	int ret;

	if (t->version != r->version || !old)
		return -ESTALE;
	ret = make_room(r, &state->counters);
	if (ret)
		return ret;
	used = xt2k_counters_groups(live->img, state->counters.used);
	if (used > state->counters.slots)
		return -ENOSPC;
	live->natives = r->natives + r->natives / 8 + XT2K_NATIVES_ROOM;
	live->native = move_natives(r, old, live->natives);
	if (!live->native)
		return -ENOMEM;
	state->counters.used = used;
	live->state = state;
	live->wants_index = old->wants_index && !live->indexed;
	live->indexed |= live->edit != NULL;
	if (live->edit)
		xt2k_edit_counts(live->edit, &state->counters);
	r->live = NULL;
	xt2k_live_swap(t, live);
	add_groups(r, &state->counters);
	old->state = NULL;
	xt2k_live_free(old);
	return 0;
}

void xt2k_repack_end(struct xt2k_repack *r)
{
	xt2_image_close(&r->copy);
	if (!IS_ERR_OR_NULL(r->live))
		xt2k_live_free(r->live);
	kvfree(r->group);
	kvfree(r->native);
}
