/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-bound.c - steps that the kernel binds to a table's name
 *
 * Targets such as CHECKSUM are refused in tables of other names than those of iptables.  So a chain
 * for them is in a table of such a name, which iptables-nft may use too: it has a name of ours, and stands
 * beside its chains.  The way through a packet's steps (bpf-left.c) only notes that one is due, as a
 * bit; just after it the chain does it, and takes the bit away.  The gate drops packets that
 * still have one.
 */
#include "bpf-bound.h"

#include <libnftnl/chain.h>

#ifndef NLM_F_NONREC
#define NLM_F_NONREC 0x100
#endif

#define CHAINS_MAX (XT2_PROGRAMS * (XT2_POSTROUTING + 1)) /* of a region */

bool xt2_bound_at_(const struct xt2_left_item *item, u32 table, u32 hook)
{
	return item->hooks[table] >> hook & 1 && xt2_step_is_bound_(item->ext);
}

u32 xt2_bound_bit_(const struct xt2_left_plan *plan, u32 number)
{
	u32 i, bit = 0;

	for (i = 0; i < number; i++)
		bit += xt2_step_is_bound_(plan->step[i].ext);
	return bit;
}

static void name_chain(char *name, size_t size, u32 region, u8 family, u32 table, u32 hook)
{
	snprintf(name, size, "xt2-bound%u-%s-%s", region, xt2_live_table_name_(table),
		 xt2_hook_name(family, (int)hook));
}

/* --- what is there ------------------------------------------------------------- */

struct found {
	char prefix[32]; /* of our chains' names */
	u32 n;
	struct {
		char table[32], chain[64];
		u32 uses;
	} at[CHAINS_MAX];
};

static int see_chain(const struct nlmsghdr *h, void *data)
{
	struct nftnl_chain *c = nftnl_chain_alloc();
	struct found *f = data;
	const char *table, *chain;

	if (!c)
		return MNL_CB_ERROR;
	if (!nftnl_chain_nlmsg_parse(h, c)) {
		table = nftnl_chain_get_str(c, NFTNL_CHAIN_TABLE);
		chain = nftnl_chain_get_str(c, NFTNL_CHAIN_NAME);
		if (table && chain && !strncmp(chain, f->prefix, strlen(f->prefix)) &&
		    f->n < CHAINS_MAX) {
			snprintf(f->at[f->n].table, sizeof(f->at->table), "%s", table);
			snprintf(f->at[f->n].chain, sizeof(f->at->chain), "%s", chain);
			f->at[f->n++].uses = nftnl_chain_get_u32(c, NFTNL_CHAIN_USE);
		}
	}
	nftnl_chain_free(c);
	return MNL_CB_OK;
}

/* Our chains of a region.  => 0, -errno */
static int find(struct xt2_nft *b, u8 family, u32 region, struct found *f)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->prefix, sizeof(f->prefix), "xt2-bound%u-", region);
	xt2_nft_ask_(b, family);
	xt2_nft_append_(b, xt2_nft_message_(b, NFT_MSG_GETCHAIN, NLM_F_DUMP));
	return xt2_nft_answer_(b, see_chain, f);
}

/* => rules of a chain; -1: it is not there */
static int uses_of(const struct found *f, const char *table, const char *chain)
{
	u32 i;

	for (i = 0; i < f->n; i++)
		if (!strcmp(f->at[i].table, table) && !strcmp(f->at[i].chain, chain))
			return (int)f->at[i].uses;
	return -1;
}

/* => false, too, if nobody knows */
static bool is_there(const struct xt2_bound_place *p, const char *table, const char *chain)
{
	struct found f = { .n = 0 };
	struct xt2_nft b;

	if (xt2_nft_open_(&b))
		return false;
	if (find(&b, p->family, p->region, &f))
		f.n = 0;
	xt2_nft_close_(&b);
	return uses_of(&f, table, chain) >= 0;
}

static void delete_chain(struct xt2_nft *b, const char *table, const char *chain)
{
	struct nlmsghdr *h = xt2_nft_message_(b, NFT_MSG_DELCHAIN, 0);

	mnl_attr_put_strz(h, NFTA_CHAIN_TABLE, table);
	mnl_attr_put_strz(h, NFTA_CHAIN_NAME, chain);
	xt2_nft_append_(b, h);
}

/* --- what is put there ---------------------------------------------------------------- */

/* => 0, -errno */
static int put_rule(const struct xt2_bound_place *p, const char *chain, u32 number)
{
	const u32 bit = xt2_bound_bit_(p->plan, number), note = XT2_ACT_BOUND(p->region, bit);
	struct nftnl_rule *rule;
	int ret;

	if (p->done[bit] < 0)
		p->done[bit] = xt2_question_load_(
			p->host, XT2_QUESTION_DONE,
			(struct xt2_question){ .mask = note | XT2_ACT_BOUND_REGION, .want = note });
	if (p->done[bit] < 0)
		return p->done[bit];
	rule = nftnl_rule_alloc();
	ret = rule ? xt2_question_put_(rule, p->done[bit]) : -ENOMEM;
	if (!ret)
		ret = xt2_step_put_target_(rule, p->plan->step[number].ext);
	if (!ret)
		return xt2_nft_rule_(p->b, xt2_live_table_name_(p->table), chain, rule);
	if (rule)
		nftnl_rule_free(rule);
	return ret;
}

int xt2_bound_put_(const struct xt2_bound_place *p, s32 priority, const struct xt2_left_ext **at)
{
	const char *table = xt2_live_table_name_(p->table);
	char chain[64] = "";
	int ret = 0;
	u32 i;

	for (i = 0; i < p->plan->steps && !ret; i++) {
		if (!xt2_bound_at_(&p->plan->step[i], p->table, p->hook))
			continue;
		if (xt2_bound_bit_(p->plan, i) >= XT2_ACT_BOUND_MAX)
			return -E2BIG;
		*at = p->plan->step[i].ext;
		if (!*chain) {
			__atomic_or_fetch(&xt2_live_state_()->left, XT2_LEFT_BOUND,
					  __ATOMIC_RELAXED);
			name_chain(chain, sizeof(chain), p->region, p->family, p->table, p->hook);
			xt2_nft_table_(p->b, NFT_MSG_NEWTABLE, NLM_F_CREATE, table);
			/* Of a process that was killed, or to be repaired. */
			if (is_there(p, table, chain))
				delete_chain(p->b, table, chain);
			ret = xt2_companion_base_(p->b, table, chain, "filter", p->hook, priority);
		}
		if (!ret)
			ret = put_rule(p, chain, i);
	}
	return ret;
}

void xt2_bound_count_(struct xt2_live_ruleset *l, const struct xt2_left_plan *plan, u32 six)
{
	u32 i, table, hook;

	for (i = 0; i < plan->steps; i++)
		for (table = 0; table < XT2_PROGRAMS; table++)
			for (hook = 0; hook <= XT2_POSTROUTING; hook++)
				l->bounds[table][six][hook] +=
					xt2_bound_at_(&plan->step[i], table, hook);
}

bool xt2_bound_any_(const struct xt2_live_ruleset *l, u32 table, u32 six)
{
	u32 hook, any = 0;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		any |= l->bounds[table][six][hook];
	return any;
}

/* --- what is missing, and what is left ---------------------------------------------- */

bool xt2_bound_lacks_(const struct xt2_live_ruleset *l, u32 region, u32 six)
{
	const u8 family = xt2_nft_families_[six];
	bool lacks = false, looked = false;
	u32 table, hook;
	struct found f;
	struct xt2_nft b;
	char chain[64];

	if (!(xt2_live_state_()->left & XT2_LEFT_BOUND))
		return false;
	if (xt2_nft_open_(&b))
		return true;
	for (table = 0; table < XT2_PROGRAMS; table++)
		for (hook = 0; hook <= XT2_POSTROUTING; hook++) {
			const int want = l->bounds[table][six][hook];

			if (!want || lacks)
				continue;
			lacks = !looked && find(&b, family, region, &f);
			looked = true;
			name_chain(chain, sizeof(chain), region, family, table, hook);
			lacks |= uses_of(&f, xt2_live_table_name_(table), chain) != want;
		}
	xt2_nft_close_(&b);
	return lacks;
}

/* A table in which nothing else is goes too; the kernel refuses to delete any other. */
void xt2_bound_drop_(u8 family, u32 region)
{
	struct found f;
	struct xt2_nft b;
	u32 i;

	if (xt2_nft_open_(&b))
		return;
	if (!find(&b, family, region, &f) && f.n) {
		xt2_nft_begin_(&b, family);
		for (i = 0; i < f.n; i++)
			delete_chain(&b, f.at[i].table, f.at[i].chain);
		xt2_nft_commit_(&b);
		for (i = 0; i < f.n; i++) {
			xt2_nft_begin_(&b, family);
			xt2_nft_table_(&b, NFT_MSG_DELTABLE, NLM_F_NONREC, f.at[i].table);
			xt2_nft_commit_(&b);
		}
	}
	xt2_nft_close_(&b);
}
