/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-trace.c - which rules of an edited ruleset are live already
 *
 * A ruleset names the bytes of the image that it was loaded from as long as a
 * rule stays what it was, and takes bytes of its own for one that is new, or
 * whose counters are set.  So a rule that was deleted and added again is a new
 * one, as it is to iptables.
 */
#include <stdlib.h>
#include "engine/image.h"
#include "engine/order.h"
#include "live-trace.h"

/* => bytes from the start of the old image; 0: these are no bytes of it */
static __u32 offset(const struct xt2_mapping *old, const void *p)
{
	const char *base = (const char *)old->image;

	return old->image && (const char *)p >= base && (const char *)p < base + old->size
		       ? (__u32)((const char *)p - base)
		       : 0;
}

/*
 * A chain that was loaded has the image's number; the number of one that was deleted may be
 * another's by now, so table, hook and policy have to be the same.
 */
static __u32 old_tail(const struct xt2_ruleset *rs, const struct xt2_mapping *old, int chain)
{
	const struct xt2_root *root = old->image ? xt2_image_root(old->image) : NULL;
	const int hook = xt2_chain_hook(rs, chain), policy = xt2_chain_policy(rs, chain);
	const struct xt2_chain *c;
	const struct xt2_rule *tail;

	c = root ? xt2_image_chain(old->image, root, (__u32)chain) : NULL;
	if (!c || c->table != xt2_chain_table(rs, chain) ||
	    c->hook != (hook < 0 ? XT2_HOOK_NONE : hook))
		return 0;
	tail = xt2_chain_tail(c);
	if (hook >= 0 && XT2_TARGET_KIND(tail->target) != (__u32)policy)
		return 0;
	return offset(old, tail);
}

static __u32 *trace_chain(const struct xt2_ruleset *rs, const struct xt2_mapping *old, int chain,
			  bool changed, __u32 *was)
{
	unsigned int i, n = xt2_chain_rules(rs, chain);

	for (i = 0; i < n; i++)
		*was++ = offset(old, xt2_rule_get(rs, chain, i));
	*was++ = changed ? 0 : old_tail(rs, old, chain);
	return was;
}

static size_t count_rules(const struct xt2_image *img)
{
	const struct xt2_chain *c;
	size_t n = 0;
	__u32 i;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img))
		n += xt2_chain_length(img, c);
	return n;
}

__u32 *xt2_live_trace(const struct xt2_ruleset *rs, const struct xt2_mapping *old,
		      const struct xt2_mapping *map, const bool *changed)
{
	__u32 *was = malloc((count_rules(map->image) + 1) * sizeof(*was)), *next = was;
	int table, chain, tables = xt2_ruleset_tables(rs);

	for (table = 0; was && table < tables; table++) /* the image's order */
		xt2_table_for_each_chain(chain, rs, table)
			next = trace_chain(rs, old, chain, changed[table], next);
	return was;
}
