/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inplace.c - a ruleset that is edited in its image: what it reads, and when
 *
 * Whatever is wrong or lacks memory on the way sticks: the ruleset can then not be committed.
 */
#include "config.h"
#include "inplace.h"

#include <stdlib.h>

static struct xt2_ruleset *mutable(const struct xt2_ruleset *rs)
{
	return (struct xt2_ruleset *)rs; /* reading fills in what was not read yet */
}

const struct xt2_chain *xt2_inplace_before_(const struct xt2_inplace_ *in, u32 chain)
{
	if (unlikely(chain == in->adopted))
		return xt2_at(in->img, in->adopted_at);
	return xt2_image_chain(in->img, in->root, chain);
}

int xt2_inplace_error(const struct xt2_ruleset *rs)
{
	return rs->inplace->error;
}

/* --- what is made anew if it cannot be trusted -------------------------------- */

int xt2_inplace_names_(struct xt2_inplace_ *in)
{
	int ret;

	if (in->edits.slots)
		return 0;
	ret = xt2_names_build(&in->names, in->img, in->root);
	return ret ? xt2_inplace_fail_(in, ret) : 0;
}

int xt2_inplace_ways_(const struct xt2_ruleset *const_rs)
{
	struct xt2_ruleset *rs = mutable(const_rs);
	struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_way *way;
	u32 i;
	int ret;

	if (in->has_ways)
		return 0;
	ret = xt2_ways_build(&in->ways, in->img, in->root);
	if (!ret)
		ret = xt2_inplace_owners_anew_(in);
	if (ret)
		return xt2_inplace_fail_(in, ret);
	in->has_ways = true;
	for (i = 0; i < in->knowns; i++) {
		way = xt2_pages_get(&in->way, in->known[i]);
		rs->chain[in->known[i]].references = way ? way->references : 0;
	}
	return 0;
}

/* --- chains ------------------------------------------------------------------- */

/* A chain's header becomes known: it is read, or it is that of a new chain.  => 0, -ENOMEM */
static int note_known(struct xt2_inplace_ *in, u32 chain)
{
	if (xt2_grow_(&in->known, in->knowns, &in->known_cap, sizeof(*in->known)))
		return xt2_inplace_fail_(in, -ENOMEM);
	in->known[in->knowns++] = chain;
	return 0;
}

static void head_read(struct xt2_ruleset *rs, u32 number, const struct xt2_chain *from)
{
	const struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_rule *tail = xt2_chain_tail(from);
	const struct xt2_way *way = in->has_ways ? xt2_pages_get(&in->way, number) : NULL;
	const struct xt2_counts n = xt2_inplace_counts_(in, from, tail);
	struct xt2_chain_ *c = &rs->chain[number];

	*c = (struct xt2_chain_){
		.table = from->table,
		.live = 1,
		.hook = from->hook,
		.policy = XT2_TARGET_KIND(tail->target),
		.known = 1,
		.unread = 1,
		.references = way ? way->references : 0,
		.came = number,
		.owner = from->hook == XT2_HOOK_NONE ? xt2_owned_by(&in->owned, number) : 0,
		.packets = n.packets,
		.bytes = n.bytes,
	};
	memcpy(c->name, xt2_image_chain_cold(in->img, in->root, number)->name, XT2_NAME_SIZE);
	c->rules.n = xt2_chain_length(in->img, from) - 1;
}

void xt2_inplace_link_(struct xt2_ruleset *rs)
{
	const struct xt2_inplace_ *in = rs->inplace;
	u32 i;

	for (i = 0; i < in->knowns; i++)
		if (rs->chain[in->known[i]].live)
			xt2_name_link_(rs, in->known[i]);
}

void xt2_inplace_know_(const struct xt2_ruleset *const_rs, u32 chain)
{
	struct xt2_ruleset *rs = mutable(const_rs);
	struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_chain *from = xt2_inplace_before_(in, chain);

	if (in->error || note_known(in, chain))
		return;
	rs->chain[chain].known = 1;
	if (!from)
		return; /* a number that is not in use */
	head_read(rs, chain, from);
	if (xt2_chain_link_(rs, chain)) {
		xt2_inplace_fail_(in, -ENOMEM);
		rs->chain[chain].live = 0;
		return;
	}
	rs->live++;
	rs->order->sorted = false;
}

/* What the image's order of chains says about tables that do not say it themselves. */
static void order_know(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	const char **last = calloc(rs->tables + 1ull, sizeof(*last)), *name;
	const struct xt2_chain *c;
	u32 i;

	if (!last) {
		xt2_inplace_fail_(in, -ENOMEM);
		return;
	}
	xt2_image_for_each_chain(c, i, in->img, in->root) {
		if (c->hook != XT2_HOOK_NONE || rs->table[c->table].by_name)
			continue;
		name = xt2_image_chain_cold(in->img, in->root, i)->name;
		if (last[c->table] && strcmp(last[c->table], name) > 0)
			rs->table[c->table].as_came = true;
		last[c->table] = name;
	}
	free(last);
}

void xt2_inplace_know_all_(const struct xt2_ruleset *const_rs)
{
	struct xt2_ruleset *rs = mutable(const_rs);
	struct xt2_inplace_ *in = rs->inplace;
	u32 i;

	if (in->all_known)
		return;
	for (i = 0; i < in->root->chains && !in->error; i++)
		if (!rs->chain[i].known)
			xt2_inplace_know_(rs, i);
	if (in->error)
		return;
	order_know(rs);
	in->all_known = !in->error;
}

u32 xt2_inplace_named_(const struct xt2_ruleset *const_rs, u32 table, const char *padded)
{
	struct xt2_ruleset *rs = mutable(const_rs);
	struct xt2_inplace_ *in = rs->inplace;
	u32 chain;

	if (in->all_known || in->error || table >= in->tables || xt2_inplace_names_(in))
		return XT2_NONE;
	chain = xt2_names_find(&in->names, table, padded);
	if (chain == XT2_NONE || chain >= rs->chains || rs->chain[chain].known)
		return XT2_NONE; /* it is known by another name by now, or gone */
	xt2_inplace_know_(rs, chain);
	if (!rs->chain[chain].live || rs->chain[chain].table != table ||
	    memcmp(rs->chain[chain].name, padded, XT2_NAME_SIZE)) {
		xt2_inplace_fail_(in, in->error ? in->error : -EIO);
		return XT2_NONE;
	}
	return chain;
}

/*
 * Who deleted chains is long gone, and nothing lists their numbers.  Each new chain looks at
 * one page of the chain table, another one than the last, so that few stay unused.
 */
u32 xt2_inplace_unused_(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	const u32 chains = in->root->chains, pages = (chains + XT2_CHAIN_PAGE - 1) / XT2_CHAIN_PAGE;
	u32 i, end;

	if (!pages)
		return XT2_NONE;
	i = (u32)((in->root->generation + in->sought++) % pages) * XT2_CHAIN_PAGE;
	end = chains - i < XT2_CHAIN_PAGE ? chains : i + XT2_CHAIN_PAGE;
	for (; i < end; i++)
		if (!rs->chain[i].known && !xt2_inplace_before_(in, i))
			return note_known(in, i) ? XT2_NONE : i;
	return XT2_NONE;
}

void xt2_inplace_change_(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	struct xt2_inplace_ *in = rs->inplace;
	const u32 number = xt2_chain_number_(rs, c);

	if (xt2_grow_(&in->changed, in->changes, &in->changed_cap, sizeof(*in->changed))) {
		xt2_inplace_fail_(in, -ENOMEM);
		return;
	}
	in->changed[in->changes++] = number;
	c->changed = 1;
	if (number >= in->root->chains && !xt2_inplace_before_(in, number))
		note_known(in, number);
}

/* --- counters ------------------------------------------------------------------ */

struct xt2_counts xt2_inplace_counts_(const struct xt2_inplace_ *in,
				      const struct xt2_chain *compiled, const struct xt2_rule *r)
{
	return in->slots ? in->slots->read(in->slots->arg, r) : xt2_rule_counts(compiled, r);
}

void xt2_inplace_count_(const struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	const struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_chain *now = xt2_inplace_now_(in, c, xt2_chain_number_(rs, c));
	struct xt2_counts n;

	if (!now || c->recounted)
		return;
	n = xt2_inplace_counts_(in, now, xt2_chain_tail(now));
	c->packets = n.packets;
	c->bytes = n.bytes;
}

void xt2_inplace_gone_(struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		in->forgets |= (xt2_match_info(m->type) & XT2_EXT_MEMORY) != 0;
	if (in->slots && xt2_in_image_(rs, r) && in->slots->retire(in->slots->arg, (u32)r->packets))
		xt2_inplace_fail_(in, -ENOMEM);
}

int xt2_inplace_slot_(const struct xt2_inplace_ *in, struct xt2_rule *r)
{
	u32 slot = 0;
	int ret = 0;

	if (!in->slots)
		return 0;
	if (in->slots->comes)
		in->slots->comes(in->slots->arg, r);
	ret = in->slots->take(in->slots->arg, (struct xt2_counts){ r->packets, r->bytes }, &slot);
	r->packets = slot;
	r->bytes = 0;
	return ret;
}

/* --- rules, instances, cells --------------------------------------------------- */

int xt2_inplace_unpatch_(struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	int ret = xt2_patch_end(c->edit, &c->offset);

	if (ret)
		xt2_patch_abort(c->edit);
	free(c->edit);
	c->edit = NULL;
	return ret ? xt2_inplace_fail_(rs->inplace, ret) : 0;
}

void xt2_inplace_read_(const struct xt2_ruleset *const_rs, struct xt2_chain_ *c)
{
	struct xt2_ruleset *rs = mutable(const_rs);
	struct xt2_inplace_ *in = rs->inplace;
	const u32 number = xt2_chain_number_(rs, c);
	int ret = c->edit ? xt2_inplace_unpatch_(rs, c) : 0;

	if (!ret)
		ret = xt2_list_load_(rs, c, in->img, xt2_inplace_now_(in, c, number), in->slots);
	if (ret) {
		xt2_inplace_fail_(in, ret);
		c->rules = (struct xt2_rule_list){ 0 };
	}
	c->unread = 0;
}

const struct xt2_instance *xt2_inplace_instance_(const struct xt2_ruleset *rs, u32 i)
{
	static const struct xt2_instance none;
	const struct xt2_inplace_ *in = rs->inplace;
	const u32 *offset = i < in->instances ? xt2_pages_get(&in->instance, i) : NULL;

	return offset && *offset ? xt2_at(in->img, *offset) : &none;
}

void xt2_inplace_use_instance_(struct xt2_inplace_ *in, u32 i)
{
	const u32 number = i - in->instances;
	u32 cap;
	u8 *more;

	if (i < in->instances)
		return;
	if (number >= in->used_cap) {
		cap = 2 * number + 64;
		more = realloc(in->used, cap);
		if (!more) {
			xt2_inplace_fail_(in, -ENOMEM);
			return;
		}
		memset(more + in->used_cap, 0, cap - in->used_cap);
		in->used = more;
		in->used_cap = cap;
	}
	in->used[number] = 1;
}

bool xt2_inplace_is_used_(const struct xt2_inplace_ *in, u32 i)
{
	return i < in->instances ||
	       (i - in->instances < in->used_cap && in->used[i - in->instances]);
}

/* A rule with an extension, which may not be allowed everywhere. */
static void note_bound(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r)
{
	struct xt2_inplace_ *in = rs->inplace;
	const struct xt2_rule *copy = xt2_rule_copy_(&rs->payloads, r); /* which does not move */

	if (!copy || xt2_grow_(&in->bound, in->bounds, &in->bound_cap, sizeof(*in->bound))) {
		xt2_inplace_fail_(in, -ENOMEM);
		return;
	}
	in->bound[in->bounds++] = (struct xt2_bound_){ xt2_chain_number_(rs, c), copy };
}

void xt2_inplace_use_(struct xt2_ruleset *rs, const struct xt2_chain_ *c, const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	bool extended = kind > XT2_T_QUEUE;
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		if (xt2_match_info(m->type) & XT2_EXT_INSTANCE)
			xt2_inplace_use_instance_(rs->inplace, m->arg);
		extended |= m->type >= XT2_M_TCP && m->type != XT2_M_COMMENT;
	}
	if (xt2_target_info(kind) & XT2_EXT_INSTANCE)
		xt2_inplace_use_instance_(rs->inplace, XT2_TARGET_ARG(r->target));
	if (extended)
		note_bound(rs, c, r);
}

void xt2_inplace_refer_(struct xt2_ruleset *rs, const struct xt2_chain_ *c,
			const struct xt2_rule *r, int change)
{
	struct xt2_inplace_ *in = rs->inplace;
	const u32 to = xt2_rule_jumps(r);
	int ret = xt2_inplace_ways_(rs);

	xt2_chain_get_(rs, (int)to); /* which reads how many references it has */
	if (!ret)
		ret = xt2_ways_refer(&in->ways, xt2_chain_number_(rs, c), to, change);
	if (ret)
		xt2_inplace_fail_(in, ret);
}

int xt2_inplace_complete_(const struct xt2_ruleset *const_rs)
{
	struct xt2_ruleset *rs = mutable(const_rs);
	struct xt2_inplace_ *in = rs->inplace;
	u32 i;

	xt2_inplace_know_all_(rs);
	for (i = 0; i < rs->chains && !in->error; i++)
		if (rs->chain[i].live && rs->chain[i].unread)
			xt2_inplace_read_(rs, &rs->chain[i]);
	if (in->error)
		return in->error;
	for (i = 0; i < rs->instances; i++)
		rs->instance[i] = xt2_instance_at_(rs, i);
	in->filled = true;
	for (i = 0; i < in->cells; i++)
		rs->cell[i] = xt2_cell_load(xt2_image_cell(in->img, in->root, i));
	return 0;
}

void xt2_inplace_know_references_(const struct xt2_ruleset *rs)
{
	xt2_inplace_ways_(rs);
}

void xt2_inplace_resource_(struct xt2_ruleset *rs)
{
	rs->inplace->resourced = true;
}
