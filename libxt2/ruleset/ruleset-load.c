/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruleset-load.c - a ruleset from an image, or from another ruleset
 *
 * The image has passed xt2_check(), so its numbers are good; they become the
 * ruleset's.  Rules and instances stay in the image.  Both ways build a fresh
 * ruleset and give it away only when it is complete.
 */
#include "config.h"
#include "libxt2/change/owners.h"
#include "inplace-calls.h"
#include "engine/index/patched.h"

#include <stdlib.h>

/* --- from an image ----------------------------------------------------- */

struct source {
	const struct xt2_image *img;
	const struct xt2_root *root;
};

/* Texts in images have no NUL.  => 0, -ENOMEM */
static int source_name(const struct source *from, u32 i, char **copy)
{
	const struct xt2_instance *in;
	char *text;

	*copy = NULL;
	if (i == XT2_NONE)
		return 0;
	in = xt2_image_instance(from->img, from->root, i);
	text = malloc((size_t)in->size + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, xt2_instance_data(in), in->size);
	text[in->size] = '\0';
	*copy = text;
	return 0;
}

static int load_tables(struct xt2_ruleset *rs, const struct source *from)
{
	const struct xt2_table *t;
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_table(t, i, from->img, from->root) {
		struct xt2_table_ *to;

		if (xt2_grow_(&rs->table, rs->tables, &rs->table_cap, sizeof(*rs->table)))
			return -ENOMEM;
		to = &rs->table[i];
		*to = (struct xt2_table_){ .family = t->family,
					   .by_name = t->flags & XT2_TABLE_BY_NAME };
		memcpy(to->name, t->name, sizeof(to->name));
		if (source_name(from, t->source, &to->source))
			return -ENOMEM;
		rs->tables++;
	}
	xt2_image_for_each_hook(h, i, from->img, from->root) {
		rs->table[h->table].hooks |= 1u << h->hook;
		rs->table[h->table].priority[h->hook] = h->priority;
		rs->table[h->table].base[h->hook] = h->chain;
	}
	return 0;
}

int xt2_tables_load_(struct xt2_ruleset *rs, const struct xt2_image *img,
		     const struct xt2_root *root)
{
	return load_tables(rs, &(struct source){ img, root });
}

/* What evaluation has counted for runs of equal rules: their rules have counted it. */
static int load_runs(struct xt2_ruleset *rs, struct xt2_rule_list *l, const struct xt2_image *img,
		     const struct xt2_chain *c)
{
	const struct xt2_chain *compiled = xt2_chain_compiled(img, c);
	const struct xt2_index *ix = xt2_chain_index(compiled);
	const struct xt2_rule *r;
	struct xt2_rule *own;
	struct xt2_in_order o;
	u32 i = 0;

	if (!ix || !xt2_index_counts(ix))
		return 0;
	xt2_chain_for_each(r, &o, img, c) {
		struct xt2_counts n = xt2_rule_counts(compiled, r);

		if (r == xt2_chain_tail(c))
			break;
		if (n.packets != r->packets || n.bytes != r->bytes) {
			own = xt2_list_own_(rs, l, i);
			if (!own)
				return -ENOMEM;
			own->packets = n.packets;
			own->bytes = n.bytes;
		}
		i++;
	}
	return 0;
}

/* Lines of a chain's source are those of the rules that were compiled. */
struct lines {
	const u32 *line; /* NULL: not known */
	const struct xt2_rule *rule; /* a compiled rule, whose line is the next */
};

static u32 line_of(struct lines *l, const struct xt2_in_order *o, const struct xt2_rule *r)
{
	if (!xt2_is_compiled(o->compiled, r))
		return xt2_inserted_of(r)->line;
	if (!l->line)
		return 0;
	for (; l->rule != r; l->rule = xt2_rule_next(l->rule))
		l->line++; /* of a deleted rule */
	l->rule = xt2_rule_next(r);
	return *l->line++;
}

/* There is room.  @rs: whose chains' references are counted; NULL: of none */
static inline void take_rule(struct xt2_ruleset *rs, struct xt2_rule_list *l,
			     const struct xt2_rule *r, u32 line)
{
	const u32 to = rs ? xt2_rule_jumps(r) : XT2_NONE;

	l->rule[l->n] = r;
	l->line[l->n] = line;
	l->n++;
	if (to != XT2_NONE)
		rs->chain[to].references++;
}

static void load_patched(struct xt2_ruleset *rs, struct xt2_rule_list *l,
			 const struct xt2_image *img, const struct xt2_chain *c, const u32 *line)
{
	struct lines lines = { .line = line };
	const struct xt2_rule *r;
	struct xt2_in_order o;

	xt2_order_begin(&o, img, c);
	lines.rule = xt2_chain_first(o.compiled);
	while ((r = xt2_order_next(&o)) != xt2_chain_tail(c))
		take_rule(rs, l, r, line_of(&lines, &o, r));
}

/* @refer: whose references are counted; see take_rule() */
static inline int load_list(struct xt2_ruleset *rs, struct xt2_rule_list *l,
			    const struct xt2_image *img, const struct xt2_chain *c,
			    struct xt2_ruleset *refer)
{
	const u32 lines = xt2_chain_compiled(img, c)->lines;
	const u32 *line = lines ? xt2_at(img, lines) : NULL;
	const struct xt2_rule *tail = xt2_chain_tail(c);
	const struct xt2_rule *r;

	if (xt2_list_lend_(rs, l, xt2_chain_length(img, c) - 1))
		return -ENOMEM;
	if (xt2_chain_patch(c))
		load_patched(refer, l, img, c, line);
	else
		for (r = xt2_chain_first(c); r != tail; r = xt2_rule_next(r))
			take_rule(refer, l, r, line ? line[l->n] : 0);
	l->gap = l->n;
	return 0;
}

int xt2_list_load_(struct xt2_ruleset *rs, struct xt2_chain_ *to, const struct xt2_image *img,
		   const struct xt2_chain *c, bool slots)
{
	struct xt2_rule_list l = { 0 };

	if (load_list(rs, &l, img, c, NULL))
		return -ENOMEM;
	to->rules = l;
	return slots ? 0 : load_runs(rs, &to->rules, img, c);
}

static int load_rules(struct xt2_ruleset *rs, struct xt2_chain_ *to, const struct source *from,
		      const struct xt2_chain *c)
{
	const struct xt2_rule *tail = xt2_chain_tail(c);

	if (load_list(rs, &to->rules, from->img, c, rs))
		return -ENOMEM;
	to->policy = XT2_TARGET_KIND(tail->target);
	to->packets = tail->packets;
	to->bytes = tail->bytes;
	return load_runs(rs, &to->rules, from->img, c);
}

/*
 * Where the image's user chains are not in the order of their names, theirs is kept; unless edits
 * have made chains, which the table then says.
 * => 0, -ENOMEM
 */
static int note_order(struct xt2_ruleset *rs)
{
	const char **last = calloc(rs->tables + 1, sizeof(*last));
	u32 i;

	if (!last)
		return -ENOMEM;
	for (i = 0; i < rs->chains; i++) {
		const struct xt2_chain_ *c = &rs->chain[i];

		if (!c->live || c->hook != XT2_HOOK_NONE)
			continue;
		if (last[c->table] && strcmp(last[c->table], c->name) > 0)
			rs->table[c->table].as_came = !rs->table[c->table].by_name;
		last[c->table] = c->name;
	}
	free(last);
	return 0;
}

/* Whose the chains are. */
static int load_owners(struct xt2_ruleset *rs, const struct source *from)
{
	struct xt2_owned owned;
	u32 i;

	xt2_owned_begin(&owned, from->img, from->img->size, from->img->root);
	if (xt2_owners_load_(rs, &owned))
		return -ENOMEM;
	for (i = 0; owned.count && i < rs->chains; i++)
		if (rs->chain[i].live && rs->chain[i].hook == XT2_HOOK_NONE)
			rs->chain[i].owner = xt2_owned_by(&owned, i);
	return 0;
}

/* All chains first, since rules name them. */
static int load_chains(struct xt2_ruleset *rs, const struct source *from)
{
	const struct xt2_root *root = from->root;
	const struct xt2_chain *c;
	u32 i;
	int ret = xt2_chains_reserve_(rs, root->chains);

	if (ret)
		return ret;
	if (root->chains)
		memset(rs->chain, 0, root->chains * sizeof(*rs->chain));
	rs->chains = root->chains;
	xt2_image_for_each_chain(c, i, from->img, root) {
		xt2_chain_put_(rs, i, c->table, c->hook,
			       xt2_image_chain_cold(from->img, root, i)->name);
	}
	if (note_order(rs) || load_owners(rs, from))
		return -ENOMEM;
	for (i = root->chains; i-- > 0;) {
		if (rs->chain[i].live)
			continue;
		rs->chain[i].next = rs->free;
		rs->free = i;
	}
	xt2_image_for_each_chain(c, i, from->img, root) {
		if (load_rules(rs, &rs->chain[i], from, c))
			return -ENOMEM;
	}
	return 0;
}

/* Of a number that is not in use. */
static const struct xt2_instance no_instance;

static int load_cold(struct xt2_ruleset *rs, const struct source *from)
{
	const struct xt2_root *root = from->root;
	u32 i;

	if (root->instances) {
		rs->instance = malloc(root->instances * sizeof(*rs->instance));
		if (!rs->instance)
			return -ENOMEM;
		rs->instance_cap = root->instances;
	}
	for (i = 0; i < root->instances; i++)
		rs->instance[i] = xt2_instance_offset(from->img, root, i)
					  ? xt2_image_instance(from->img, root, i)
					  : &no_instance;
	rs->instances = root->instances;
	if (root->cells) {
		rs->cell = malloc(root->cells * sizeof(*rs->cell));
		if (!rs->cell)
			return -ENOMEM;
		rs->cell_cap = root->cells;
	}
	for (i = 0; i < root->cells; i++)
		rs->cell[i] = xt2_cell_load(xt2_image_cell(from->img, root, i));
	rs->cells = root->cells;
	return 0;
}

static bool is_empty(const struct xt2_ruleset *rs)
{
	return !rs->tables && !rs->instances && !rs->cells && !rs->image;
}

int xt2_ruleset_load(struct xt2_ruleset *rs, const struct xt2_image *image, size_t size)
{
	struct source from = { .img = image, .root = xt2_image_root(image) };
	struct xt2_ruleset *fresh;
	int ret;

	if (!is_empty(rs))
		return -EINVAL;
	fresh = xt2_ruleset_new();
	if (!fresh)
		return -ENOMEM;
	fresh->image = (const u8 *)image;
	fresh->image_size = size;
	ret = 0;
	if (from.root) {
		fresh->generation = from.root->generation;
		ret = load_tables(fresh, &from);
		if (!ret)
			ret = load_cold(fresh, &from);
		if (!ret)
			ret = load_chains(fresh, &from);
		fresh->changes = (struct xt2_changes){ 0 };
	}
	if (!ret)
		xt2_ruleset_swap(rs, fresh);
	xt2_ruleset_free(fresh);
	return ret;
}

/* --- from a ruleset ---------------------------------------------------- */

/* => a copy of n bytes; NULL: no memory, or nothing to copy */
static void *copy_bytes(const void *from, size_t n, int *ret)
{
	void *p = n ? malloc(n) : NULL;

	if (p)
		memcpy(p, from, n);
	else if (n)
		*ret = -ENOMEM;
	return p;
}

static int clone_tables(struct xt2_ruleset *to, const struct xt2_ruleset *from)
{
	int ret = 0;

	to->table = copy_bytes(from->table, from->tables * sizeof(*to->table), &ret);
	if (ret)
		return ret;
	to->table_cap = from->tables;
	for (; to->tables < from->tables; to->tables++) {
		struct xt2_table_ *t = &to->table[to->tables];

		if (xt2_text_copy_(t->source, &t->source))
			return -ENOMEM;
	}
	return 0;
}

static int clone_cold(struct xt2_ruleset *to, const struct xt2_ruleset *from)
{
	int ret = 0;
	u32 i;

	to->cell = copy_bytes(from->cell, from->cells * sizeof(*to->cell), &ret);
	to->cells = to->cell_cap = ret ? 0 : from->cells;
	to->instance = copy_bytes(from->instance, from->instances * sizeof(*to->instance), &ret);
	to->instances = to->instance_cap = ret ? 0 : from->instances;
	for (i = 0; !ret && i < to->instances; i++) {
		const struct xt2_instance *in = xt2_instance_at_(from, i);
		size_t size = sizeof(*in) + in->size;
		void *copy;

		if (xt2_in_image_(to, in))
			continue;
		copy = xt2_arena_alloc_(&to->payloads, size);
		if (!copy)
			return -ENOMEM;
		to->instance[i] = memcpy(copy, in, size);
	}
	return ret;
}

static int clone_rules(struct xt2_ruleset *to, struct xt2_rule_list *l,
		       const struct xt2_rule_list *old)
{
	struct xt2_list_walk w = xt2_list_walk(old);
	const struct xt2_rule *r;

	if (xt2_list_reserve_(l, old->n))
		return -ENOMEM;
	while ((r = xt2_list_next(&w))) {
		if (!xt2_in_image_(to, r))
			r = xt2_rule_copy_(&to->rules, r);
		if (!r)
			return -ENOMEM;
		xt2_list_insert_(l, l->n, r, xt2_list_walk_line(&w));
	}
	return 0;
}

static int clone_chains(struct xt2_ruleset *to, const struct xt2_ruleset *from)
{
	int ret = 0;
	u32 i;

	to->owners = copy_bytes(from->owners, from->owners ? sizeof(*to->owners) : 0, &ret);
	to->acting = from->acting;
	to->trespass = from->trespass;
	to->bucket = copy_bytes(from->bucket, from->buckets * sizeof(*to->bucket), &ret);
	to->buckets = from->buckets;
	to->chain = copy_bytes(from->chain, from->chains * sizeof(*to->chain), &ret);
	if (ret)
		return ret;
	for (i = 0; i < from->chains; i++)
		to->chain[i].rules = (struct xt2_rule_list){ 0 };
	to->chains = to->chain_cap = from->chains;
	to->free = from->free;
	to->live = from->live;
	to->came = from->came;
	to->seed = from->seed;
	if (from->chains) {
		to->order->chain = malloc(from->chains * sizeof(*to->order->chain));
		if (!to->order->chain)
			return -ENOMEM;
	}
	for (i = 0; !ret && i < from->chains; i++) {
		if (from->chain[i].live)
			ret = clone_rules(to, &to->chain[i].rules, &from->chain[i].rules);
	}
	return ret;
}

struct xt2_ruleset *xt2_ruleset_clone(const struct xt2_ruleset *rs)
{
	struct xt2_ruleset *to = xt2_ruleset_new();
	int ret = to ? xt2_ruleset_complete_(rs) : -ENOMEM;

	if (ret) {
		xt2_ruleset_free(to);
		return NULL;
	}
	if (!rs->inplace) { /* else its bytes will be others */
		to->image = rs->image;
		to->image_size = rs->image_size;
	}
	to->generation = rs->generation;
	ret = clone_tables(to, rs);
	if (!ret)
		ret = clone_cold(to, rs);
	if (!ret)
		ret = clone_chains(to, rs);
	if (!ret)
		return to;
	xt2_ruleset_free(to);
	return NULL;
}
