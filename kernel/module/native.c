// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * native.c - the kernel's own matches and targets in packed rules
 *
 * An image has payloads as userspace gave them, and they never change.  An instance has a copy, into
 * which checkentry() and match() write what they like, pointers included; so
 * no pointer reaches an image, or a program that lists it.
 *
 * Checks look into the entry that a tool sent, beside the payload: at the base conditions, and
 * TCPMSS at the entry's other matches.  So the table's entries are made once more, and walked
 * beside the packed rules.
 *
 * All of this may sleep and load modules; a table's instances live as long as the table, and those
 * of a new table are made before the old ones go, so that what they share by name
 * (hashlimit, recent) stays.
 */
#include <linux/module.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/slab.h>
#include "libxt2/err.h"
#include "libxt2/sockopt/legacy-entries.h"
#include "extensions/extensions.h"
#include "tables.h"

/* --- packets ------------------------------------------------------------------- */

static void prepare(struct xt2k_run *run)
{
	const struct xt2_pkt *pkt = &run->pkt;

	run->par.thoff = pkt->thoff;
	run->par.fragoff = pkt->family == XT2_IPV4 ? pkt->fragoff / 8 : pkt->fragoff;
	run->par.hotdrop = false;
}

int xt2_foreign_match(const struct xt2_match *m, struct xt2_ctx *ctx)
{
	struct xt2k_run *run = container_of(ctx, struct xt2k_run, ctx);
	const struct xt2k_native *n = &run->live->native[m->arg];
	bool hit;

	prepare(run);
	run->par.match = n->match;
	run->par.matchinfo = n->info;
	hit = n->match->match(run->skb, &run->par);
	if (unlikely(run->par.hotdrop))
		return hit ? XT2_HIT_DROP : XT2_HOTDROP;
	return hit ? XT2_HIT : XT2_MISS;
}

int xt2_foreign_check(const struct xt2_match *m, u8 family)
{
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}

int xt2_foreign_target(const struct xt2_rule *r, struct xt2_ctx *ctx)
{
	return xt2_native_target(r, ctx);
}

int xt2_native_target(const struct xt2_rule *r, struct xt2_ctx *ctx)
{
	struct xt2k_run *run = container_of(ctx, struct xt2k_run, ctx);
	const struct xt2k_native *n = &run->live->native[XT2_TARGET_ARG(r->target)];
	unsigned int verdict;

	prepare(run);
	run->par.target = n->target;
	run->par.targinfo = n->info;
	verdict = n->target->target(run->skb, &run->par);
	if (verdict == XT_CONTINUE) {
		xt2k_packet(run); /* it may be elsewhere, and another one */
		return XT2_NEXT;
	}
	run->stolen = (verdict & NF_VERDICT_MASK) == NF_STOLEN; /* also if a match has dropped it */
	ctx->verdict_arg = verdict;
	return XT2_NATIVE;
}

/* --- checks --------------------------------------------------------------------- */

#define NAMED_MAX (XT2_RULE_MAX / sizeof(struct xt2_match) + 1) /* instances that a rule can have */

/* The entries of a table, and the instances that come of them. */
struct maker {
	struct xt2k_live *live;
	const struct xt2k_kind *kind;
	const struct xt2_ruleset *rs;
	const char *table;
	struct xt2_err *err;
	const char *chain; /* where it is, for messages */
	u32 rule;
	bool loads; /* any module that is not there */
	struct xt2k_natives_more *more; /* NULL: it is the whole table */
	u32 at; /* number of the rule in rs */
};

/* => where an instance of the rules goes, and its number there */
static struct xt2k_native *native_of(const struct maker *k, u32 *number)
{
	if (k->more)
		*number = k->more->number[*number];
	return &k->live->native[*number];
}

/* A rule has its instance. */
static void used(const struct maker *k, struct xt2k_native *n, u32 number)
{
	n->users++;
	if (k->more)
		k->more->made->number[k->more->made->n++] = number;
}

static u16 entry_u16(const void *entry, u16 offset)
{
	return *(const u16 *)(entry + offset);
}

static int refuse(const struct maker *k, const char *name, int ret)
{
	return xt2_err_set(
		k->err, XT2_E_UNSUPPORTED, -ret,
		ret == -ENOENT && !k->loads
			? "table %s, chain %s, rule %u: the kernel's %s refuses it, or is not loaded"
			: "table %s, chain %s, rule %u: the kernel's %s refuses it",
		k->table, k->chain, k->rule, name);
}

static void proto_of(const struct maker *k, const void *entry, u16 *proto, bool *inverted)
{
	const struct ipt_entry *e4 = entry;
	const struct ip6t_entry *e6 = entry;

	*proto = 0;
	*inverted = false;
	if (k->kind->nfproto == NFPROTO_IPV4) {
		*proto = e4->ip.proto;
		*inverted = e4->ip.invflags & IPT_INV_PROTO;
	} else if (k->kind->nfproto == NFPROTO_IPV6) {
		*proto = e6->ipv6.proto;
		*inverted = e6->ipv6.invflags & IP6T_INV_PROTO;
	}
}

/* A payload, the part that is the kernel's own included.  => NULL: no memory */
static void *info_new(const struct xt2_instance *in)
{
	void *info = kvzalloc(XT_ALIGN(in->size) ?: 8, GFP_KERNEL_ACCOUNT);

	if (info)
		memcpy(info, xt2_instance_data(in), in->size);
	return info;
}

/*
 * A commit by netlink holds generic netlink's lock, and the module behind "ipvs" has a family of its own, which
 * would wait for it: it must be there.
 */
static struct xt_match *find_match(const struct maker *k, const char *name, u8 revision)
{
	int ignored;

	if (!k->loads && !strcmp(name, "ipvs") &&
	    !xt_find_revision(k->kind->nfproto, name, revision, false, &ignored))
		return ERR_PTR(-ENOENT);
	return xt_request_find_match(k->kind->nfproto, name, revision);
}

/* What checkentry() keeps is a rule's own: an image that has rules share a match is refused. */
static int match_make(const struct maker *k, u32 number, void *entry)
{
	const struct xt2_instance *in = xt2_instance_get(k->rs, number);
	struct xt2k_native *n = native_of(k, &number);
	struct xt_match *match;
	struct xt_mtchk_param par;
	void *info;
	bool inverted;
	u16 proto;
	int ret;

	if (n->any)
		return xt2_err_set(
			k->err, XT2_E_SYNTAX, EINVAL,
			"table %s, chain %s, rule %u: another rule has the same match %s", k->table,
			k->chain, k->rule, in->name);
	match = find_match(k, in->name, in->revision);
	if (IS_ERR(match))
		return refuse(k, in->name, PTR_ERR(match));
	info = info_new(in);
	ret = info ? 0 : -ENOMEM;
	proto_of(k, entry, &proto, &inverted);
	par = (struct xt_mtchk_param){
		.net = k->live->state->net,
		.table = k->table,
		.entryinfo = entry,
		.match = match,
		.matchinfo = info,
		.hook_mask = *(u32 *)(entry + k->kind->comefrom),
		.family = k->kind->nfproto,
	};
	if (!ret)
		ret = xt_check_match(&par, XT_ALIGN(in->size), proto, inverted);
	if (ret) {
		module_put(match->me);
		kvfree(info);
		return refuse(k, in->name, ret);
	}
	*n = (struct xt2k_native){ .match = match, .info = info };
	used(k, n, number);
	return 0;
}

static void target_drop(struct xt2k_state *state, const struct xt_target *target, void *info)
{
	struct xt_tgdtor_param par = {
		.net = state->net,
		.target = target,
		.targinfo = info,
		.family = state->nfproto,
	};

	if (target->destroy)
		target->destroy(&par);
	module_put(target->me);
}

/* Rules may share an instance of NAT: each is checked, the first one's stays. */
static int target_make(const struct maker *k, u32 number, void *entry)
{
	const struct xt2_instance *in = xt2_instance_get(k->rs, number);
	struct xt2k_native *n = native_of(k, &number);
	void *info = info_new(in);
	struct xt_target *target;
	struct xt_tgchk_param par;
	bool inverted;
	u16 proto;
	int ret;

	target = info ? xt_request_find_target(k->kind->nfproto, in->name, in->revision)
		      : ERR_PTR(-ENOMEM);
	if (IS_ERR(target)) {
		kvfree(info);
		return refuse(k, in->name, PTR_ERR(target));
	}
	proto_of(k, entry, &proto, &inverted);
	par = (struct xt_tgchk_param){
		.net = k->live->state->net,
		.table = k->table,
		.entryinfo = entry,
		.target = target,
		.targinfo = info,
		.hook_mask = *(u32 *)(entry + k->kind->comefrom),
		.family = k->kind->nfproto,
	};
	ret = xt_check_target(&par, XT_ALIGN(in->size), proto, inverted);
	if (ret) {
		module_put(target->me);
		kvfree(info);
		return refuse(k, in->name, ret);
	}
	if (n->any) {
		target_drop(k->live->state, target, info);
		kvfree(info);
	} else {
		*n = (struct xt2k_native){ .target = target, .info = info, .is_target = true };
	}
	used(k, n, number);
	return 0;
}

/* --- the rules beside their entries ------------------------------------------------ */

#define for_each_ematch(m, kind, entry)                                     \
	for (m = (entry) + (kind)->entry;                                   \
	     (void *)m < (entry) + entry_u16(entry, (kind)->target_offset); \
	     m = (void *)m + m->u.match_size)

/*
 * Checks of targets look at the entry's matches by u.kernel.match, also those that the engine evaluates.
 * @n: out: how many are found, which the caller has to put
 */
static int ematches_find(const struct maker *k, void *entry, u32 *n)
{
	struct xt_entry_match *m;

	*n = 0;
	for_each_ematch(m, k->kind, entry) {
		struct xt_match *match = find_match(k, m->u.user.name, m->u.user.revision);

		if (IS_ERR(match))
			return refuse(k, m->u.user.name, PTR_ERR(match));
		m->u.kernel.match = match;
		++*n;
	}
	return 0;
}

static void ematches_put(const struct maker *k, void *entry, u32 n)
{
	struct xt_entry_match *m;

	for_each_ematch(m, k->kind, entry) {
		if (!n--)
			break;
		module_put(m->u.kernel.match->me);
	}
}

static bool is_native_target(const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);

	return kind == XT2_T_FOREIGN || kind == XT2_T_NAT;
}

static bool is_native(const struct xt2_rule *r)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		if (m->type == XT2_M_FOREIGN)
			return true;
	return is_native_target(r);
}

static int rule_make(const struct maker *k, const struct xt2_rule *r, void *entry)
{
	const struct xt2_match *m;
	u32 n = 0;
	int ret;

	if (!is_native(r) || (k->more && !k->more->came[k->at]))
		return 0;
	if (k->more && xt2k_numbers_reserve(k->more->made, NAMED_MAX))
		return -ENOMEM;
	ret = k->kind->nfproto == NFPROTO_ARP ? 0 : ematches_find(k, entry, &n);
	xt2_rule_for_each_match(m, r)
		if (!ret && m->type == XT2_M_FOREIGN)
			ret = match_make(k, m->arg, entry);
	if (!ret && is_native_target(r))
		ret = target_make(k, XT2_TARGET_ARG(r->target), entry);
	ematches_put(k, entry, n);
	return ret;
}

static void *entry_next(const struct maker *k, void *entry)
{
	return entry + entry_u16(entry, k->kind->next_offset);
}

static int chain_make(struct maker *k, const struct xt2_chain_ *c, void **entry)
{
	struct xt2_list_walk walk = xt2_list_walk(&c->rules);
	const u32 hooks = k->more ? k->more->hooks(k->more->data, c->name) : 0;
	const struct xt2_rule *r;
	int ret;

	k->chain = c->name;
	k->rule = 0;
	if (c->hook == XT2_HOOK_NONE)
		*entry = entry_next(k, *entry); /* its head */
	while ((r = xt2_list_next(&walk))) {
		k->rule++;
		if (k->more)
			*(u32 *)(*entry + k->kind->comefrom) = hooks;
		ret = rule_make(k, r, *entry);
		if (ret)
			return ret;
		k->at++;
		*entry = entry_next(k, *entry);
		if (!(k->rule % 1024))
			cond_resched();
	}
	*entry = entry_next(k, *entry); /* its policy or return */
	return 0;
}

static int table_make(struct maker *k, void *entry)
{
	int i, ret;

	for (i = xt2_chain_next(k->rs, 0, -1); i >= 0; i = xt2_chain_next(k->rs, 0, i)) {
		ret = chain_make(k, xt2_chain_get_(k->rs, i), &entry);
		if (ret)
			return ret;
	}
	return 0;
}

static bool any_native(const struct xt2_ruleset *rs)
{
	const struct xt2_instance *in;
	u32 i;

	for (i = 0; i < rs->instances; i++) {
		in = xt2_instance_get(rs, i);
		if (in->kind == XT2_INSTANCE_MATCH || in->kind == XT2_INSTANCE_TARGET)
			return true;
	}
	return false;
}

/* Beside the rules' entries. */
static int make(struct maker *k)
{
	struct xt2_entries_ e;
	void *entries;
	int ret;

	if (!any_native(k->rs))
		return 0;
	ret = xt2_entries_write_(k->rs, 0, 0, NULL, &e, NULL, 0, k->err);
	if (ret != -ENOSPC)
		return ret;
	entries = e.size <= INT_MAX ? kvmalloc(e.size, GFP_KERNEL_ACCOUNT) : NULL;
	if (!entries)
		return xt2_err_no_memory(k->err, " for the entries");
	ret = xt2_entries_write_(k->rs, 0, 0, NULL, &e, entries, e.size, k->err);
	if (!ret)
		ret = table_make(k, entries);
	kvfree(entries);
	return ret;
}

int xt2k_natives_make(struct xt2k_live *live, const struct xt2k_kind *kind,
		      const struct xt2_ruleset *rs, bool loads, struct xt2_err *err)
{
	struct maker k = { .live = live,
			   .kind = kind,
			   .rs = rs,
			   .table = xt2_table_name(rs, 0),
			   .loads = loads,
			   .err = err };

	return make(&k);
}

int xt2k_natives_add(struct xt2k_natives_more *m, struct xt2_err *err)
{
	struct maker k = { .live = m->live,
			   .kind = m->kind,
			   .rs = m->rs,
			   .table = xt2_table_name(m->rs, 0),
			   .err = err,
			   .more = m };

	return make(&k);
}

/* --- the end --------------------------------------------------------------------- */

static void match_drop(struct xt2k_state *state, const struct xt2k_native *n)
{
	struct xt_mtdtor_param par = {
		.net = state->net,
		.match = n->match,
		.matchinfo = n->info,
		.family = state->nfproto,
	};

	if (n->match->destroy)
		n->match->destroy(&par);
	module_put(n->match->me);
}

static void native_free(struct xt2k_state *state, struct xt2k_native *n)
{
	if (n->any && n->is_target)
		target_drop(state, n->target, n->info);
	else if (n->any)
		match_drop(state, n);
	kvfree(n->info);
	*n = (struct xt2k_native){ 0 };
}

void xt2k_native_put(struct xt2k_live *live, u32 number)
{
	struct xt2k_native *n = &live->native[number];

	if (n->any && !--n->users)
		native_free(live->state, n);
}

void xt2k_natives_free(struct xt2k_live *live)
{
	u32 i;

	for (i = 0; live->native && i < live->natives; i++)
		native_free(live->state, &live->native[i]);
}
