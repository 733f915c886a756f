// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * splice.c - edits of a live table in its place
 *
 * Rules come from an image of their own, which was checked as any: each edit takes the next ones of
 * the chain there that has the name of the edited one.  Chains that they lead to are those of the
 * same name here.
 *
 * The kernel's extensions are asked about the rules that come.  Where a chain is reached from more hooks than
 * before, they would have to be asked about old rules, too: such edits are refused, and whoever made
 * them sends the table as a whole.
 *
 * Locking: the namespace's mutex is held.
 */
#include <linux/list.h>
#include <linux/slab.h>
#include <xt2/netlink.h>
#include "libxt2/err.h"
#include "libxt2/ruleset/renumber.h"
#include "table-edit.h"

struct splice {
	struct xt2k_table *t;
	struct xt2_ruleset *rs; /* that is edited */
	struct xt2_ruleset *add; /* of the image */
	u32 *at; /* by chain of add: the next rule */
	u32 *first; /* likewise: number of its first rule, of all rules of add */
	u8 *came; /* by rule: it was inserted */
	u32 *number; /* by instance of add: the number in rs */
	struct xt2_rule *rule; /* room for one */
	u32 asks_ct; /* matches of the table that look at connections */
	bool asks_time;
	struct xt2_err *err;
};

static int wrong(const struct splice *s, const struct xt2k_op *op, int ret)
{
	const int error = xt2_inplace_error(s->rs) ?: ret;
	const char *what = "it cannot be changed";

	switch (error) {
	case -ENOENT: what = "there is no such chain or rule"; break;
	case -EEXIST: what = "there is a chain of this name"; break;
	case -EINVAL: what = "a rule is wrong there"; break;
	case -EBUSY: what = "it is in use"; break;
	case -ENOTEMPTY: what = "it has rules"; break;
	}
	return xt2_err_set(s->err, XT2_E_SYNTAX, -error, "table %s, chain %s: %s",
			   xt2k_names[s->t->name], op->chain, what);
}

/* --- rules that come ------------------------------------------------------------------ */

/* The kernel has no state in images. */
static int no_cell(void *data, const struct xt2_match *m, u32 *number)
{
	return -EINVAL;
}

static int to_instance(void *data, u32 *number)
{
	struct splice *s = data;
	const struct xt2_instance *in = xt2_instance_get(s->add, *number);
	u32 *known = &s->number[*number];
	int ret;

	if (*known == XT2_NONE) {
		ret = xt2_instance_add(s->rs, in->kind, in->revision, in->name,
				       xt2_instance_data(in), in->size);
		if (ret < 0)
			return ret;
		*known = ret;
	}
	*number = *known;
	return 0;
}

static int to_chain(void *data, u32 *number)
{
	const struct splice *s = data;
	int chain = xt2_chain_find(s->rs, 0, xt2_chain_name(s->add, *number));

	if (chain < 0)
		return -ENOENT;
	*number = chain;
	return 0;
}

static void note_questions(struct splice *s)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, s->rule) {
		s->asks_ct += xt2k_asks_ct(m);
		s->asks_time |= m->type == XT2_M_TIME;
	}
}

/* The next rule of a chain of the image, in s->rule.  => its number there, or -errno */
static int next_rule(struct splice *s, const char *name)
{
	const struct xt2_renumber_ by = { no_cell, to_instance, to_chain, s };
	const int chain = s->add ? xt2_chain_find(s->add, 0, name) : -ENOENT;
	const struct xt2_rule_list *list;
	const struct xt2_rule *r;
	int ret, i;

	if (chain < 0)
		return -ENOENT;
	list = xt2_chain_list(s->add, chain);
	if (s->at[chain] == list->n)
		return -ENOENT;
	i = s->at[chain]++;
	r = xt2_list_rule(list, i);
	memcpy(s->rule, r, r->size);
	ret = xt2_rule_renumber_(s->rule, &by);
	return ret ?: i;
}

static int insert(struct splice *s, int chain, const struct xt2k_op *op, u32 at)
{
	const int i = next_rule(s, op->chain);
	int from, ret;

	if (i < 0)
		return i;
	from = xt2_chain_find(s->add, 0, op->chain);
	ret = xt2_rule_insert(s->rs, chain, at, s->rule,
			      xt2_list_line(xt2_chain_list(s->add, from), i));
	if (ret)
		return ret;
	s->came[s->first[from] + i] = 1;
	note_questions(s);
	return 0;
}

/* --- rules that go --------------------------------------------------------------------- */

static int note_gone(struct splice *s, int chain, u32 at)
{
	struct xt2k_edit *e = xt2k_table_live(s->t)->edit;
	const struct xt2_rule *r = xt2_rule_get(s->rs, chain, at);
	const struct xt2_match *m;
	int ret = 0;

	if (!r)
		return -ENOENT;
	xt2_rule_for_each_match(m, r) {
		s->asks_ct -= xt2k_asks_ct(m);
		if (!ret && xt2_match_info(m->type) & XT2_EXT_INSTANCE)
			ret = xt2k_note(&e->dead, m->arg);
	}
	if (!ret && xt2_target_info(XT2_TARGET_KIND(r->target)) & XT2_EXT_INSTANCE)
		ret = xt2k_note(&e->dead, XT2_TARGET_ARG(r->target));
	return ret;
}

static int delete (struct splice *s, int chain, u32 at, u32 n)
{
	const u32 rules = xt2_chain_rules(s->rs, chain);
	const bool all = !at && n == rules;
	int ret = 0;
	u32 i;

	if (at > rules || n > rules - at)
		return -ENOENT;
	for (i = 0; i < n && !ret; i++) {
		ret = note_gone(s, chain, all ? i : at);
		if (!ret && !all)
			ret = xt2_rule_delete(s->rs, chain, at);
		cond_resched();
	}
	return ret || !all || !n ? ret : xt2_chain_flush(s->rs, chain);
}

/* --- edits ----------------------------------------------------------------------------- */

/* => where rules go and come; -errno */
static int place(struct splice *s, int chain, const struct xt2k_op *op)
{
	int ret;

	if (op->append)
		return xt2_chain_rules(s->rs, chain);
	if (!op->find)
		return min_t(u32, op->at, INT_MAX);
	ret = next_rule(s, op->chain);
	return ret < 0 ? ret : xt2_rule_find(s->rs, chain, s->rule);
}

static int edit_rules(struct splice *s, int chain, const struct xt2k_op *op)
{
	const int at = place(s, chain, op);
	int ret;
	u32 i;

	if (at < 0)
		return at;
	ret = delete (s, chain, at, op->deletes);
	for (i = 0; i < op->inserts && !ret; i++)
		ret = insert(s, chain, op, at + i);
	return ret;
}

static int edit_policy(struct splice *s, int chain, const struct xt2k_op *op)
{
	const int from = s->add ? xt2_chain_find(s->add, 0, op->chain) : -ENOENT;
	u64 packets, bytes;
	int ret;

	if (from < 0)
		return -ENOENT;
	ret = xt2_chain_set_policy(s->rs, chain, xt2_chain_policy(s->add, from));
	if (!ret)
		ret = xt2_chain_counters(s->add, from, &packets, &bytes);
	return ret ?: xt2_chain_set_counters(s->rs, chain, packets, bytes);
}

static int edit(struct splice *s, const struct xt2k_op *op)
{
	int chain, ret;

	if (op->edit == XT2_EDIT_NEW) {
		ret = xt2_chain_add(s->rs, 0, op->chain);
		return min(ret, 0);
	}
	chain = xt2_chain_find(s->rs, 0, op->chain);
	if (chain < 0)
		return chain;
	switch (op->edit) {
	case XT2_EDIT_GONE: return xt2_chain_delete(s->rs, chain);
	case XT2_EDIT_NAME: return xt2_chain_rename(s->rs, chain, op->to);
	case XT2_EDIT_POLICY: return edit_policy(s, chain, op);
	}
	return edit_rules(s, chain, op);
}

static int edit_all(struct splice *s, const struct list_head *ops)
{
	const struct xt2k_op *op;
	int ret;

	list_for_each_entry(op, ops, list) {
		ret = edit(s, op);
		if (ret || xt2_inplace_error(s->rs))
			return wrong(s, op, ret);
	}
	return 0;
}

/* --- checks ---------------------------------------------------------------------------- */

/* An old rule of the kernel's own is reached from hooks for which it was not checked. */
static bool is_old_native(void *data, const struct xt2_ruleset *rs, int chain,
			  const struct xt2_rule *r, unsigned int hooks)
{
	const u32 old = rs->inplace->instances;
	const u8 kind = XT2_TARGET_KIND(r->target);
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		if (m->type == XT2_M_FOREIGN && m->arg < old)
			return true;
	return (kind == XT2_T_FOREIGN || kind == XT2_T_NAT) && XT2_TARGET_ARG(r->target) < old;
}

static int refuse(void *data, const struct xt2_ruleset *rs, int table)
{
	return 1;
}

static u32 hooks_of(void *data, const char *chain)
{
	const struct splice *s = data;
	const int number = xt2_chain_find(s->rs, 0, chain);
	const struct xt2_way *way = number < 0 ? NULL : xt2_pages_get(&s->rs->inplace->way, number);

	return way ? way->from : 0;
}

/* All is written; what the kernel's extensions say about it comes last, since they keep what they make. */
static int finish(struct splice *s, u32 root)
{
	struct xt2k_edit *e = xt2k_table_live(s->t)->edit;
	struct xt2k_live *next = xt2k_edit_next(s->t, root, s->asks_ct, s->asks_time);
	struct xt2k_natives_more more = {
		.live = next,
		.kind = s->t->kind,
		.rs = s->add,
		.number = s->number,
		.came = s->came,
		.hooks = hooks_of,
		.data = s,
		.made = &e->made,
	};

	if (IS_ERR(next))
		return PTR_ERR(next);
	e->next = next;
	return s->add ? xt2k_natives_add(&more, s->err) : 0;
}

static int commit(struct splice *s)
{
	const struct xt2_commit_check check = { is_old_native, refuse, s };
	u32 root;
	int ret = xt2_inplace_commit(s->rs, &check, &root, s->err);

	if (ret == -ECANCELED)
		return xt2_err_set(s->err, XT2_E_UNSUPPORTED, EXFULL,
				   "table %s: old rules have to be checked again: send it whole",
				   xt2k_names[s->t->name]);
	return ret || !root ? ret : finish(s, root);
}

/* --- all of it -------------------------------------------------------------------------- */

static void end(struct splice *s)
{
	kvfree(s->at);
	kvfree(s->first);
	kvfree(s->came);
	kvfree(s->number);
	kvfree(s->rule);
	xt2_ruleset_free(s->add);
}

static int number_rules(struct splice *s)
{
	const struct xt2_ruleset *add = s->add;
	u32 n = 0;
	int i;

	s->at = kvcalloc(add->chains + 1ul, sizeof(*s->at), GFP_KERNEL_ACCOUNT);
	s->first = kvcalloc(add->chains + 1ul, sizeof(*s->first), GFP_KERNEL_ACCOUNT);
	if (!s->at || !s->first)
		return -ENOMEM;
	for (i = xt2_chain_next(add, 0, -1); i >= 0; i = xt2_chain_next(add, 0, i)) {
		s->first[i] = n;
		n += xt2_chain_rules(add, i);
	}
	s->came = kvzalloc(n + 1ul, GFP_KERNEL_ACCOUNT);
	s->number = kvmalloc_array(add->instances + 1ul, sizeof(*s->number), GFP_KERNEL_ACCOUNT);
	s->rule = kvmalloc(XT2_RULE_MAX, GFP_KERNEL_ACCOUNT);
	if (!s->came || !s->number || !s->rule)
		return -ENOMEM;
	memset(s->number, 0xff, add->instances * sizeof(*s->number));
	return 0;
}

static int begin(struct splice *s, const struct xt2_mapping *add)
{
	int ret = 0;

	if (add) {
		s->add = xt2_ruleset_new();
		ret = s->add ? xt2_ruleset_load(s->add, add->image, add->size) : -ENOMEM;
	}
	return ret || !s->add ? ret : number_rules(s);
}

/* @anew: there was no room */
static int try(struct xt2k_table *t, const struct list_head *ops, const struct xt2_mapping *add,
	       bool anew, struct xt2_err *err)
{
	struct splice s = { .t = t, .err = err };
	int ret = xt2k_edit_open(t, add ? 4 * min_t(size_t, add->size, SZ_64M) : 0, anew, err);

	if (ret)
		return ret;
	s.rs = xt2k_table_live(t)->edit->rs;
	s.asks_ct = xt2k_table_live(t)->asks_ct;
	ret = begin(&s, add);
	if (!ret)
		ret = edit_all(&s, ops);
	if (!ret)
		ret = commit(&s);
	end(&s);
	if (ret)
		xt2k_edit_abort(t);
	return ret;
}

int xt2k_splice(struct xt2k_table *t, const struct list_head *ops, const struct xt2_mapping *add,
		struct xt2_err *err)
{
	int ret = try(t, ops, add, false, err);

	if (ret == -ENOSPC || ret == -EFBIG)
		ret = try(t, ops, add, true, err);
	return ret;
}
