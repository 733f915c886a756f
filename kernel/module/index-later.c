// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index-later.c - indexes of a live table's chains, built when nobody waits for them
 *
 * To build the indexes of a large table takes longer than all the rest of a replace, and while a
 * script appends rules each table lives for a moment. So a table is first live without, and
 * a second after the last change a work item packs its rules once more, with
 * indexes (repack.c), beside packets and system calls. If the table has changed meanwhile, the result is
 * thrown away.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
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

/* => 1: copied; 0: there is nothing to do; -ENOMEM */
static int copy(struct xt2k_table *t, struct xt2k_repack *r, bool *edits)
{
	struct xt2k_net *xn = net_generic(t->net, xt2k_net_id);
	const struct xt2k_live *live;
	int ret = 0;

	mutex_lock(&xn->lock);
	live = xt2k_table_live(t);
	*edits = t->edits;
	if (live && live->wants_index)
		ret = xt2k_repack_copy(t, r) ?: 1;
	mutex_unlock(&xn->lock);
	return ret;
}

/* A table that was changed meanwhile has come with another work item. */
static void publish(struct xt2k_table *t, struct xt2k_repack *r)
{
	struct xt2k_net *xn = net_generic(t->net, xt2k_net_id);

	mutex_lock(&xn->lock);
	if (t->version == r->version) {
		if (r->live->indexed && !xt2k_repack_publish(t, r))
			WRITE_ONCE(indexed, indexed + 1);
		else
			xt2k_table_live(t)->wants_index = false;
	}
	mutex_unlock(&xn->lock);
}

void xt2k_index_work(struct work_struct *work)
{
	struct xt2k_table *t = container_of(to_delayed_work(work), struct xt2k_table, index);
	struct xt2_index_limits limits = xt2_index_limits;
	struct xt2k_repack r = { 0 };
	bool edits;
	int ret = copy(t, &r, &edits);

	if (READ_ONCE(index_above) >= 0)
		limits.plain = READ_ONCE(index_above);
	limits.single = edits;
	if (ret == 1)
		ret = xt2k_repack_make(t, &r, &limits, edits, 0);
	if (!ret && r.live)
		publish(t, &r);
	xt2k_repack_end(&r);
}
