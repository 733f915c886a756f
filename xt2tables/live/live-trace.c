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
#include "live-trace.h"

/* => bytes from the start of the old image; 0: these are no bytes of it */
static __u32 offset(const struct xt2_mapping *old, const void *p)
{
	const char *base = (const char *)old->image;

	return old->image && (const char *)p >= base && (const char *)p < base + old->size
		       ? (__u32)((const char *)p - base)
		       : 0;
}

/* A table that did not change has its chains under the image's numbers, unless it is new. */
static __u32 old_tail(const struct xt2_mapping *old, int table, int chain)
{
	const struct xt2_root *root = old->image ? xt2_image_root(old->image) : NULL;

	if (!root || (__u32)table >= root->tables)
		return 0;
	return offset(old, xt2_chain_tail(xt2_image_chain(old->image, root, (__u32)chain)));
}

static __u32 *trace_chain(const struct xt2_ruleset *rs, const struct xt2_mapping *old, int chain,
			  bool changed, __u32 *was)
{
	unsigned int i, n = xt2_chain_rules(rs, chain);

	for (i = 0; i < n; i++)
		*was++ = offset(old, xt2_rule_get(rs, chain, i));
	*was++ = changed ? 0 : old_tail(old, xt2_chain_table(rs, chain), chain);
	return was;
}

static size_t count_rules(const struct xt2_image *img)
{
	const struct xt2_chain *c;
	size_t n = 0;
	__u32 i;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img))
		n += c->rules;
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
