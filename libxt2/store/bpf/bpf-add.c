/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-add.c - add to what rules of the live ruleset have counted
 *
 * Who replaces a table gets what its rules had counted, and adds to the new ones what they
 * shall have besides.  Packets go on counting meanwhile, each processor in places of its own.
 * So what is added goes to the counters that the ruleset has for the time before it, which
 * no program changes: nothing is lost, and no new ruleset is made for it.
 */
#include "bpf-private.h"
#include "engine/order.h"

static u32 count_rules(const struct xt2_image *img, const struct xt2_root *root)
{
	const struct xt2_chain *c;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, root)
		n += xt2_chain_length(img, c);
	return n;
}

static void add_to(struct xt2_counter *before, const struct xt2_counts *add)
{
	__atomic_fetch_add(&before->packets, add->packets, __ATOMIC_RELAXED);
	__atomic_fetch_add(&before->bytes, add->bytes, __ATOMIC_RELAXED);
}

int xt2_live_add(struct xt2_live *host, const struct xt2_counts *add, __u32 n, struct xt2_err *err)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	const struct xt2_root *root;
	struct xt2_in_order o;
	struct xt2_image *img;
	u32 i;
	int ret;

	if (!host->ruleset)
		return xt2_err_set(err, XT2_E_UNKNOWN, ENOENT, "there is no live ruleset");
	ret = xt2_live_fold_(host); /* counters of the time before are there from then on */
	if (ret)
		return xt2_err_set(err, XT2_E_SYSTEM, -ret,
				   "the ruleset before the live one is still in use: %s",
				   strerror(-ret));
	img = xt2_live_at_(l->image);
	root = xt2_at(img, l->root);
	if (n != count_rules(img, root))
		return xt2_err_set(err, XT2_E_SYSTEM, EAGAIN, "another ruleset is live now");
	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each(r, &o, img, c)
			add_to(xt2_live_counters_(l, l->slots) +
				       r->packets / sizeof(struct xt2_counter),
			       add++);
	}
	return 0;
}
