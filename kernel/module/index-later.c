// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index-later.c - indexes of a live table's chains, built when nobody waits for them
 *
 * To build the indexes of a large table takes longer than all the rest of a replace, and while a
 * script appends rules each table lives for a moment. So a table is first live without, and
 * a second after the last change a work item packs its rules once more, with
 * indexes, beside packets and system calls. If the table has changed meanwhile, the result is thrown away.
 *
 * The image with indexes has the same rules in the same places, so that it takes over the state:
 * slots of counters, which are in the rules, and instances, by number. Rule groups get slots
 * behind those of the rules.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include "engine/index/patched.h"
#include "tables.h"

static unsigned int index_delay = 1000;
module_param(index_delay, uint, 0644);
MODULE_PARM_DESC(index_delay, "milliseconds after a change until a table's chains get indexes");

static int index_above = -1;
module_param(index_above, int, 0644);
MODULE_PARM_DESC(index_above, "chains with more rules get indexes; -1: where they pay");

static unsigned int indexed;
module_param(indexed, uint, 0444);
MODULE_PARM_DESC(indexed, "tables that got indexes so far");

void xt2k_index_later(struct xt2k_table *t)
{
	mod_delayed_work(system_unbound_wq, &t->index, msecs_to_jiffies(READ_ONCE(index_delay)));
}

/* Instances are known by number: does each still say the same? */
static bool same_instances(const struct xt2_image *a, const struct xt2_image *b)
{
	const struct xt2_root *ra = xt2_image_root(a), *rb = xt2_image_root(b);
	u32 i;

	if (ra->instances != rb->instances)
		return false;
	for (i = 0; i < ra->instances; i++) {
		const struct xt2_instance *in = xt2_image_instance(a, ra, i);

		if (!xt2_instance_says_(xt2_image_instance(b, rb, i), in, xt2_instance_data(in)))
			return false;
	}
	return true;
}

/* => the same rules with indexes; NULL: none would help; ERR_PTR(-ENOMEM) */
static struct xt2k_live *build(const struct xt2k_table *t, const struct xt2_mapping *plain)
{
	struct xt2_index_limits limits = xt2_index_limits;
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2k_live *live = NULL;
	struct xt2_mapping map;
	int ret = rs ? xt2_ruleset_load(rs, plain->image, plain->size) : -ENOMEM;

	if (READ_ONCE(index_above) >= 0)
		limits.plain = READ_ONCE(index_above);
	if (!ret)
		ret = xt2_ruleset_write_(rs, &limits, &map, NULL);
	xt2_ruleset_free(rs);
	if (ret)
		return ERR_PTR(ret);
	live = xt2k_live_new(t, &map);
	if (IS_ERR(live) || (live->indexed && same_instances(plain->image, live->img)))
		return live;
	xt2k_live_free(live);
	return NULL;
}

/* => 1: copied; 0: there is nothing to do; -ENOMEM */
static int copy(struct xt2k_table *t, struct xt2_mapping *map, const struct xt2k_live **of)
{
	struct xt2k_net *xn = net_generic(t->net, xt2k_net_id);
	const struct xt2k_live *live;
	int ret = 0;

	mutex_lock(&xn->lock);
	live = xt2k_table_live(t);
	if (live && !live->indexed) {
		ret = xt2_image_room_(live->size, map, NULL);
		if (!ret) {
			memcpy(map->image, live->img, live->size);
			map->size = live->size;
			ret = 1;
		}
	}
	*of = live;
	mutex_unlock(&xn->lock);
	return ret;
}

/* @of: the table that was copied; it is not read, and another one that is in its place now has come with another work item */
static void publish(struct xt2k_table *t, struct xt2k_live *live, const struct xt2k_live *of)
{
	struct xt2k_net *xn = net_generic(t->net, xt2k_net_id);
	struct xt2k_live *old = live;

	mutex_lock(&xn->lock);
	if (xt2k_table_live(t) == of && !delayed_work_pending(&t->index) &&
	    xt2k_counters_groups(live->img) <= of->state->counters.slots) {
		live->state = of->state;
		old = xt2k_live_swap(t, live);
		old->state = NULL;
		WRITE_ONCE(indexed, indexed + 1);
	}
	mutex_unlock(&xn->lock);
	xt2k_live_free(old);
}

void xt2k_index_work(struct work_struct *work)
{
	struct xt2k_table *t = container_of(to_delayed_work(work), struct xt2k_table, index);
	const struct xt2k_live *of;
	struct xt2_mapping map;
	struct xt2k_live *live;

	if (copy(t, &map, &of) != 1)
		return;
	live = build(t, &map);
	xt2_image_close(&map);
	if (!IS_ERR_OR_NULL(live))
		publish(t, live, of);
}
