/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edits-work.c - a ruleset that is shared with readers, and edits of it
 *
 * The chain with most rules is edited: rules of the chain itself are inserted, replace others, and
 * are deleted again.
 */
#include "config.h"
#include "edits-work.h"

#include <stdlib.h>
#include <string.h>

u32 edits_below(struct edits_work *w, u32 n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return n ? (u32)((w->random >> 32) * n >> 32) : 0;
}

static const struct xt2_rule *any_rule(struct edits_work *w)
{
	return w->pool[w->next++ % w->pooled];
}

static int insert(struct edits_work *w, u32 at)
{
	return xt2_rule_insert(w->rs, w->chain, at, any_rule(w), 0);
}

static int remove_one(struct edits_work *w, u32 at)
{
	return xt2_rule_delete(w->rs, w->chain, at);
}

static int replace(struct edits_work *w, u32 at)
{
	return xt2_rule_replace(w->rs, w->chain, at, any_rule(w), 0);
}

const struct edits_kind edits_kinds[] = { { "-insert", insert, 1 },
					  { "-replace", replace, 0 },
					  { "-delete", remove_one, 0 },
					  { NULL, NULL, 0 } };

void edits_commit(struct edits_work *w)
{
	struct xt2_err err;

	if (xt2_tables_commit(w->tables, &err))
		cost_exit(1, "a commit failed: %s", err.message);
}

static void *must(void *p)
{
	if (!p)
		cost_exit(4, "no memory");
	return p;
}

void edits_open(struct edits_work *w, const char *path, u64 seed)
{
	struct xt2_err err;

	*w = (struct edits_work){ .chain = -1, .random = seed * 0x9e3779b97f4a7c15ull + 1 };
	w->rs = must(xt2_ruleset_new());
	if (xt2_image_open(path, &w->map, &err))
		cost_exit(2, "%s: %s", path, err.message);
	if (xt2_ruleset_load(w->rs, w->map.image, w->map.size))
		cost_exit(4, "no memory");
}

void edits_share(struct edits_work *w)
{
	struct xt2_ruleset *rs = w->rs;
	struct xt2_err err;

	w->tables = xt2_tables_new(rs, &err);
	if (!w->tables)
		cost_exit(4, "%s", err.message);
	xt2_ruleset_free(rs);
	xt2_image_close(&w->map);
	w->rs = xt2_tables_ruleset(w->tables);
}

void edits_choose(struct edits_work *w)
{
	const struct xt2_ruleset *rs = w->rs;
	int table, chain;
	u32 i, most = 0;

	for (table = 0; table < xt2_ruleset_tables(rs); table++) {
		xt2_table_for_each_chain(chain, rs, table) {
			if (xt2_chain_rules(rs, chain) <= most)
				continue;
			most = xt2_chain_rules(rs, chain);
			w->chain = chain;
		}
	}
	if (!most)
		cost_exit(2, "the image has no rules");
	w->pooled = most < 65536 ? most : 65536;
	w->pool = must(calloc(w->pooled, sizeof(struct xt2_rule *)));
	for (i = 0; i < w->pooled; i++) {
		const struct xt2_rule *r = xt2_rule_get(rs, w->chain, edits_below(w, most));

		w->pool[i] = memcpy(must(malloc(r->size)), r, r->size);
		if (xt2_rule_jumps(r) !=
		    XT2_NONE) /* packets may not pass through any number of chains */
			w->pool[i]->target = XT2_TARGET(XT2_T_CONTINUE, 0);
	}
}

void edits_stop(struct edits_work *w)
{
	u32 i;

	for (i = 0; i < w->pooled; i++)
		free(w->pool[i]);
	free(w->pool);
	xt2_tables_free(w->tables);
}

u64 edits_number(const char *text)
{
	char *end;
	u64 n = strtoull(text, &end, 10);

	if (!*text || *text == '-' || *end || n > 1u << 30)
		cost_exit(2, "no number: %s", text);
	return n;
}
