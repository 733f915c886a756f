/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-splice.c - a table of the kernel module's is edited in its place
 *
 * Which rules stay is found out as for a ruleset that is edited in its image (table-difference.h).  A rule that
 * stays, but with other counters, goes and comes.  A rule that goes on counting somewhere else
 * cannot be said as edits: then the table is sent as a whole.
 *
 * The rules that come are in an image of their own, by chain, in the order in which edits take them.
 */
#include "config.h"
#include "kernel-splice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kernel-form.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/renumber.h"
#include "libxt2/ruleset/table-difference.h"

struct side {
	struct xt2_ruleset *rs;
	__u32 *first; /* by chain: number of its first rule */
};

struct splice {
	struct xt2_kernel_link *link;
	struct side old, now;
	const __u32 *keep;
	__u32 *stays; /* by rule of now: 1 more than its number in old; 0: it comes */
	struct xt2_ruleset *add; /* rules that come */
	__u32 *instance; /* by instance of now: that of add; XT2_NONE: it has none yet */
	__u64 *rule; /* room for one */
	struct xt2_err *err;
};

static int no_memory(const struct splice *s)
{
	return xt2_err_no_memory(s->err, " for the edits of a table");
}

static int side_load(struct side *side, const struct xt2_mapping *map)
{
	__u32 i, n = 0;

	side->rs = xt2_ruleset_new();
	if (!side->rs || xt2_ruleset_load(side->rs, map->image, map->size))
		return -ENOMEM;
	side->first = calloc(side->rs->chains + 1ull, sizeof(*side->first));
	if (!side->first)
		return -ENOMEM;
	for (i = 0; i < side->rs->chains; i++) {
		side->first[i] = n;
		n += side->rs->chain[i].live ? side->rs->chain[i].rules.n + 1 : 0;
	}
	side->first[i] = n;
	return 0;
}

static void side_end(struct side *side)
{
	xt2_ruleset_free(side->rs);
	free(side->first);
}

/* --- what stays -------------------------------------------------------------------- */

static void stays(void *data, int chain, unsigned int at, int old_chain, unsigned int old_at)
{
	struct splice *s = data;

	s->stays[s->now.first[chain] + at] = s->old.first[old_chain] + old_at + 1;
}

/* => 1: edits can be told; 0: too much differs; -ENOMEM */
static int compare(struct splice *s, const struct xt2_mapping *old)
{
	const struct xt2_difference_options opt = { .stays = stays, .data = s };
	struct xt2_ruleset *scratch = xt2_ruleset_new(); /* is changed */
	int ret = scratch ? xt2_ruleset_load(scratch, old->image, old->size) : -ENOMEM;
	__u32 i;

	if (!ret)
		ret = xt2_table_difference(scratch, s->now.rs, 0, &opt);
	xt2_ruleset_free(scratch);
	if (ret)
		return ret < 0 ? ret : 0;
	for (i = 0; i < s->now.first[s->now.rs->chains]; i++) {
		if (s->keep[i] == s->stays[i])
			continue;
		if (s->keep[i])
			return 0;
		s->stays[i] = 0;
	}
	return 1;
}

/* --- rules that come ---------------------------------------------------------------- */

static int no_cell(void *data, const struct xt2_match *m, __u32 *number)
{
	(void)data;
	(void)m;
	(void)number;
	return -EINVAL; /* the module has none */
}

static int to_instance(void *data, __u32 *number)
{
	struct splice *s = data;
	const struct xt2_instance *in = xt2_instance_get(s->now.rs, *number);
	__u32 *known = &s->instance[*number];
	int ret;

	if (*known == XT2_NONE) {
		ret = xt2_instance_add(s->add, in->kind, in->revision, in->name,
				       xt2_instance_data(in), in->size);
		if (ret < 0)
			return ret;
		*known = (__u32)ret;
	}
	*number = *known;
	return 0;
}

/* => a chain of add with the name of one of now, or -errno */
static int chain_of(struct splice *s, int chain)
{
	const char *name = xt2_chain_name(s->now.rs, chain);
	const int found = xt2_chain_find(s->add, 0, name);

	return found >= 0 ? found : xt2_chain_add(s->add, 0, name);
}

static int to_chain(void *data, __u32 *number)
{
	const int chain = chain_of(data, (int)*number);

	if (chain < 0)
		return chain;
	*number = (__u32)chain;
	return 0;
}

static int add_rule(struct splice *s, int chain, const struct xt2_rule *r, __u32 line)
{
	const struct xt2_renumber_ by = { no_cell, to_instance, to_chain, s };
	struct xt2_rule *copy = memcpy(s->rule, r, r->size);
	const int to = chain_of(s, chain);
	int ret = to < 0 ? to : xt2_rule_renumber_(copy, &by);

	return ret ? ret : xt2_rule_append(s->add, to, copy, line);
}

/* A policy and its counters are those of the same chain. */
static int add_policy(struct splice *s, int chain)
{
	const int to = chain_of(s, chain);
	__u64 packets, bytes;

	if (to < 0)
		return to;
	xt2_chain_counters(s->now.rs, chain, &packets, &bytes);
	return xt2_chain_set_policy(s->add, to, xt2_chain_policy(s->now.rs, chain))
		       ?: xt2_chain_set_counters(s->add, to, packets, bytes);
}

static int gather_chain(struct splice *s, int chain)
{
	const struct xt2_rule_list *list = xt2_chain_list(s->now.rs, chain);
	const __u32 *stays_at = s->stays + s->now.first[chain];
	__u32 i;
	int ret = 0;

	for (i = 0; i < list->n && !ret; i++)
		if (!stays_at[i])
			ret = add_rule(s, chain, xt2_list_rule(list, i), xt2_list_line(list, i));
	if (!ret && !stays_at[list->n] && xt2_chain_hook(s->now.rs, chain) >= 0)
		ret = add_policy(s, chain);
	return ret;
}

static int gather(struct splice *s)
{
	const struct xt2_table_ *t = &s->now.rs->table[0];
	int chain, ret;

	s->add = xt2_ruleset_new();
	s->instance = malloc((s->now.rs->instances + 1ull) * sizeof(*s->instance));
	s->rule = malloc(XT2_RULE_MAX);
	if (!s->add || !s->instance || !s->rule)
		return -ENOMEM;
	memset(s->instance, 0xff, s->now.rs->instances * sizeof(*s->instance));
	ret = xt2_table_add(s->add, t->family, t->name, NULL);
	for (chain = -1; ret >= 0 && (chain = xt2_chain_next(s->now.rs, 0, chain)) >= 0;)
		ret = gather_chain(s, chain);
	return ret < 0 ? ret : 0;
}

/* --- messages ------------------------------------------------------------------------ */

int xt2_kernel_send_(struct xt2_kernel_link *link, __u8 command, const void *data, size_t size,
		     struct xt2_err *err)
{
	size_t at, n;
	int ret = 0;

	for (at = 0; at < size && !ret; at += n) {
		n = size - at < XT2_NL_PIECE ? size - at : XT2_NL_PIECE;
		xt2_kernel_begin(link, command);
		mnl_attr_put_u64(link->message, XT2_A_OFFSET, at);
		mnl_attr_put(link->message, XT2_A_DATA, n, (const __u8 *)data + at);
		ret = xt2_kernel_ask(link, 0, NULL, NULL, err);
	}
	return ret;
}

/* @rs: has the table, and no other  @map: the rules that come */
static int send_head(struct xt2_kernel_link *link, const struct xt2_ruleset *rs,
		     const struct xt2_mapping *map, struct xt2_err *err)
{
	int ret;

	xt2_kernel_begin(link, XT2_CMD_SPLICE);
	mnl_attr_put_u8(link->message, XT2_A_FAMILY, (__u8)xt2_table_family(rs, 0));
	mnl_attr_put_strz(link->message, XT2_A_NAME, xt2_table_name(rs, 0));
	mnl_attr_put_u64(link->message, XT2_A_SIZE, map->size);
	ret = xt2_kernel_ask(link, 0, NULL, NULL, err);
	return ret ? ret : xt2_kernel_send_(link, XT2_CMD_PIECE, map->image, map->size, err);
}

static int send_one(struct xt2_kernel_link *link, const struct xt2_store_edit *e,
		    struct xt2_err *err)
{
	struct nlmsghdr *message;

	xt2_kernel_begin(link, XT2_CMD_EDIT);
	message = link->message;
	mnl_attr_put_u8(message, XT2_A_EDIT, e->edit);
	mnl_attr_put_strz(message, XT2_A_CHAIN, e->chain);
	if (e->to)
		mnl_attr_put_strz(message, XT2_A_TO, e->to);
	if (e->find)
		mnl_attr_put(message, XT2_A_FIND, 0, NULL);
	else if (!e->append)
		mnl_attr_put_u32(message, XT2_A_AT, e->at);
	mnl_attr_put_u32(message, XT2_A_DELETE, e->deletes);
	mnl_attr_put_u32(message, XT2_A_INSERT, e->inserts);
	return xt2_kernel_ask(link, 0, NULL, NULL, err);
}

int xt2_kernel_edits_(struct xt2_kernel_link *link, const struct xt2_store_edits *edits,
		      struct xt2_err *err)
{
	struct xt2_mapping map;
	int ret = xt2_kernel_form(edits->add, 0, &map, err);
	__u32 i;

	if (ret)
		return ret;
	ret = send_head(link, edits->add, &map, err);
	xt2_image_close(&map);
	for (i = 0; i < edits->n && !ret; i++)
		ret = send_one(link, &edits->edit[i], err);
	return ret;
}

static int send_edit(const struct splice *s, __u8 edit, const char *chain)
{
	const struct xt2_store_edit e = { .edit = edit, .chain = chain };

	return send_one(s->link, &e, s->err);
}

static int send_rules(const struct splice *s, const char *chain, __u32 at, __u32 deletes,
		      __u32 inserts)
{
	const struct xt2_store_edit e = { .edit = XT2_EDIT_RULES,
					  .chain = chain,
					  .at = at,
					  .deletes = deletes,
					  .inserts = inserts };

	return deletes || inserts ? send_one(s->link, &e, s->err) : 0;
}

/* Between rules that stay some go, and some come. */
static int edit_chain(const struct splice *s, int chain)
{
	const char *name = xt2_chain_name(s->now.rs, chain);
	const int old = xt2_chain_find(s->old.rs, 0, name);
	const __u32 *stays_at = s->stays + s->now.first[chain];
	const __u32 rules = (__u32)xt2_chain_rules(s->now.rs, chain);
	__u32 i, next = 0, at = 0, inserts = 0;
	int ret = 0;

	for (i = 0; i < rules && !ret; i++) {
		__u32 was;

		if (!stays_at[i]) {
			inserts++;
			continue;
		}
		was = stays_at[i] - 1 - s->old.first[old];
		ret = send_rules(s, name, at, was - next, inserts);
		at += inserts + 1;
		inserts = 0;
		next = was + 1;
	}
	if (!ret)
		ret = send_rules(s, name, at,
				 old < 0 ? 0 : (__u32)xt2_chain_rules(s->old.rs, old) - next,
				 inserts);
	if (!ret && !stays_at[rules] && xt2_chain_hook(s->now.rs, chain) >= 0)
		ret = send_edit(s, XT2_EDIT_POLICY, name);
	return ret;
}

#define for_each_chain(chain, rs) for ((chain) = -1; ((chain) = xt2_chain_next(rs, 0, chain)) >= 0;)

static bool has(const struct side *side, const struct side *other, int chain)
{
	return xt2_chain_find(other->rs, 0, xt2_chain_name(side->rs, chain)) >= 0;
}

/* Chains come before rules lead to them, and go when none does. */
static int send_edits(const struct splice *s)
{
	int chain, ret = 0;

	for_each_chain(chain, s->now.rs) if (!ret && !has(&s->now, &s->old, chain))
		ret = send_edit(s, XT2_EDIT_NEW, xt2_chain_name(s->now.rs, chain));
	for_each_chain(chain, s->now.rs) if (!ret) ret = edit_chain(s, chain);
	for_each_chain(chain, s->old.rs) if (!ret && !has(&s->old, &s->now, chain))
		ret = send_rules(s, xt2_chain_name(s->old.rs, chain), 0,
				 (__u32)xt2_chain_rules(s->old.rs, chain), 0);
	for_each_chain(chain, s->old.rs) if (!ret && !has(&s->old, &s->now, chain))
		ret = send_edit(s, XT2_EDIT_GONE, xt2_chain_name(s->old.rs, chain));
	return ret;
}

/* A user chain's end cannot be set. */
static bool ends_stay(const struct splice *s)
{
	int chain;

	for_each_chain(
		chain,
		s->now.rs) if (xt2_chain_hook(s->now.rs, chain) < 0 &&
			       has(&s->now, &s->old, chain) &&
			       !s->stays[s->now.first[chain] +
					 (__u32)xt2_chain_rules(s->now.rs, chain)]) return false;
	return true;
}

static int send_difference(struct splice *s, const struct xt2_mapping *old)
{
	struct xt2_mapping map;
	int ret;

	s->stays = calloc(s->now.first[s->now.rs->chains] + 1ull, sizeof(*s->stays));
	ret = s->stays ? compare(s, old) : -ENOMEM;
	if (ret > 0 && !ends_stay(s))
		ret = 0;
	if (ret > 0)
		ret = gather(s) ?: 1;
	if (ret <= 0)
		return ret ? no_memory(s) : 0;
	ret = xt2_ruleset_write_(s->add, &xt2_kernel_plain, &map, s->err);
	if (ret)
		return ret;
	ret = send_head(s->link, s->now.rs, &map, s->err);
	xt2_image_close(&map);
	if (!ret)
		ret = send_edits(s);
	return ret ? ret : 1;
}

int xt2_kernel_splice_(struct xt2_kernel_link *link, const struct xt2_mapping *old,
		       const struct xt2_mapping *img, const __u32 *keep, struct xt2_err *err)
{
	struct splice s = { .link = link, .keep = keep, .err = err };
	int ret = side_load(&s.old, old) || side_load(&s.now, img) ? no_memory(&s)
								   : send_difference(&s, old);

	side_end(&s.old);
	side_end(&s.now);
	xt2_ruleset_free(s.add);
	free(s.stays);
	free(s.instance);
	free(s.rule);
	return ret;
}
