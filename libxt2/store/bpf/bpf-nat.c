/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat.c - companions that carry out NAT: see kernel/bpf/act.h
 *
 * The kernel asks NAT's chains about a connection's first packets, in a list of its own at each
 * hook.  The table's program decides just before, and leaves the number of the target; a chain of
 * nf_tables, the first in that list, leads to the target's companion through a tree.
 *
 * A ruleset has companions of its own, in a table of its region: those of the ruleset before stay
 * as long as that one may come back.  They are made before the ruleset is live, so nothing asks for
 * them yet, in transactions of any size; the chains at the hooks come last.
 */
#include "bpf-nat.h"

#include <libnftnl/chain.h>

#define FULL   24576u /* bytes of a transaction */
#define DIGITS 16u /* of a note; the first says the region */

static const char *const tables[XT2_REGIONS] = { "xt2-nat0", "xt2-nat1" };
static const char *const trees[XT2_NAT_TREES] = {
	[XT2_NAT_DST] = "destination",
	[XT2_NAT_IN] = "input-source",
	[XT2_NAT_POST] = "source",
};

struct maker {
	const struct xt2_live *host;
	const struct xt2_image *img;
	const struct xt2_nat_plan *plan;
	const char *table;
	u32 region;
	u8 family;
	struct xt2_nft b;
	int program[DIGITS][4]; /* by digit and its value; < 0: not loaded */
};

/* --- messages ---------------------------------------------------------------- */

/* A chain of so many low digits, for the numbers that begin with a prefix. */
static void chain_name(const struct maker *m, char *name, size_t size, u32 tree, u32 digits,
		       u32 prefix)
{
	if (digits == m->plan->digits)
		snprintf(name, size, "%s", trees[tree]);
	else
		snprintf(name, size, "%s-%u-%u", trees[tree], digits, prefix);
}

/* What is full is sent.  => 0, -errno */
static int go_on(struct maker *m)
{
	int ret;

	if (m->b.used < FULL)
		return 0;
	ret = xt2_nft_commit_(&m->b);
	xt2_nft_begin_(&m->b, m->family);
	return ret;
}

static int put_chain(struct maker *m, const char *name)
{
	struct nlmsghdr *h = xt2_nft_message_(&m->b, NFT_MSG_NEWCHAIN, NLM_F_CREATE);

	mnl_attr_put_strz(h, NFTA_CHAIN_TABLE, m->table);
	mnl_attr_put_strz(h, NFTA_CHAIN_NAME, name);
	xt2_nft_append_(&m->b, h);
	return go_on(m);
}

/* => 0, -ENOMEM */
static int put_goto(struct nftnl_rule *rule, const char *chain)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, (u32)NFT_GOTO);
	return nftnl_expr_set_str(e, NFTNL_EXPR_IMM_CHAIN, chain) ? -ENOMEM : 0;
}

/* => the program that asks for a digit of a note, or -errno */
static int program_for(struct maker *m, u32 digit, u32 value)
{
	int *program = &m->program[digit][value];

	if (*program < 0)
		*program = xt2_question_load_(
			m->host, digit ? XT2_QUESTION_WAY : XT2_QUESTION_ACT,
			(struct xt2_question){ .shift = 2 * digit, .mask = 3, .want = value });
	return *program;
}

/* => a rule for packets whose note has a digit; NULL: *ret */
static struct nftnl_rule *rule_for(struct maker *m, u32 digit, u32 value, int *ret)
{
	const int program = program_for(m, digit, value);
	struct nftnl_rule *rule = program < 0 ? NULL : nftnl_rule_alloc();

	*ret = program < 0 ? program : -ENOMEM;
	if (rule)
		*ret = xt2_question_put_(rule, program);
	if (rule && *ret) {
		nftnl_rule_free(rule);
		rule = NULL;
	}
	return rule;
}

/* The rule is freed.  => 0, -errno */
static int put_rule(struct maker *m, const char *chain, struct nftnl_rule *rule, int ret)
{
	if (ret) {
		if (rule)
			nftnl_rule_free(rule);
		return ret;
	}
	ret = xt2_nft_rule_(&m->b, m->table, chain, rule);
	return ret ? ret : go_on(m);
}

/* --- a tree ---------------------------------------------------------------------- */

static int put_leaf(struct maker *m, const char *chain, u32 tree, const struct xt2_nat_leaf *leaf)
{
	const struct xt2_instance *in =
		xt2_image_instance(m->img, xt2_image_root(m->img), leaf->instance);
	int ret;
	struct nftnl_rule *rule = rule_for(m, 0, leaf->number & 3, &ret);

	if (!ret)
		ret = xt2_nat_put_(rule, in, m->family, tree != XT2_NAT_DST);
	return put_rule(m, chain, rule, ret);
}

static int put_way(struct maker *m, const char *chain, u32 tree, u32 digit, u32 prefix)
{
	char to[64];
	int ret;
	struct nftnl_rule *rule = rule_for(m, digit, prefix & 3, &ret);

	chain_name(m, to, sizeof(to), tree, digit, prefix);
	if (!ret)
		ret = put_goto(rule, to);
	return put_rule(m, chain, rule, ret);
}

/* The chains of so many low digits; what they lead to is there.  => 0, -errno */
static int put_level(struct maker *m, u32 tree, u32 digits)
{
	const struct xt2_nat_leaf *leaf = m->plan->tree[tree].leaf, *before = NULL;
	const struct xt2_nat_leaf *end = leaf + m->plan->tree[tree].leaves;
	const u32 low = 2 * (digits - 1);
	char chain[64];
	int ret = 0;

	for (; leaf < end && !ret; before = leaf++) {
		const u32 prefix = leaf->number >> low;

		chain_name(m, chain, sizeof(chain), tree, digits, prefix >> 2);
		if (!before || before->number >> low >> 2 != prefix >> 2)
			ret = put_chain(m, chain);
		if (ret || (before && before->number >> low == prefix))
			continue;
		ret = low ? put_way(m, chain, tree, digits - 1, prefix)
			  : put_leaf(m, chain, tree, leaf);
	}
	return ret;
}

static int put_tree(struct maker *m, u32 tree)
{
	u32 digits;
	int ret = 0;

	for (digits = 1; digits <= m->plan->digits && !ret; digits++)
		ret = put_level(m, tree, digits);
	return ret;
}

/* --- hooks ------------------------------------------------------------------------ */

/* The first in NAT's list: others are asked after us, if we leave it to them. */
static int put_hook(struct maker *m, const struct xt2_hook *h)
{
	const char *name = xt2_hook_name(h->family, h->hook);
	const u32 tree = xt2_nat_tree_of_(h->hook);
	int ret = xt2_companion_base_(&m->b, m->table, name, "nat", h->hook, h->priority - 1);
	struct nftnl_rule *rule;

	if (ret || !m->plan->tree[tree].leaves)
		return ret;
	rule = rule_for(m, DIGITS - 1, XT2_ACT_REGION(m->region), &ret);
	if (!ret)
		ret = put_goto(rule, trees[tree]);
	return put_rule(m, name, rule, ret);
}

static bool is_of(const struct xt2_image *img, const struct xt2_hook *h, u8 family)
{
	const struct xt2_table *t = xt2_image_table(img, xt2_image_root(img), h->table);

	return h->family == family && xt2_live_hooked(img, h) &&
	       xt2_live_table_(t->name) == XT2_NAT;
}

static int put_hooks(struct maker *m)
{
	const struct xt2_hook *h;
	int ret = 0;
	u32 i;

	xt2_image_for_each_hook(h, i, m->img, xt2_image_root(m->img))
		if (!ret && is_of(m->img, h, m->family))
			ret = put_hook(m, h);
	return ret;
}

/* --- a table -------------------------------------------------------------------------- */

/* A new one, in the place of what another process may have left. */
static void put_table(struct maker *m)
{
	xt2_nft_table_(&m->b, NFT_MSG_NEWTABLE, NLM_F_CREATE, m->table);
	xt2_nft_table_(&m->b, NFT_MSG_DELTABLE, 0, m->table);
	xt2_nft_table_(&m->b, NFT_MSG_NEWTABLE, NLM_F_CREATE, m->table);
}

static int put_all(struct maker *m)
{
	int ret = 0;
	u32 i;

	xt2_nft_begin_(&m->b, m->family);
	put_table(m);
	for (i = 0; i < XT2_NAT_TREES && !ret; i++)
		ret = put_tree(m, i);
	if (!ret)
		ret = put_hooks(m);
	return ret ? ret : xt2_nft_commit_(&m->b);
}

static void drop(u8 family, u32 region)
{
	struct xt2_nft b;

	if (xt2_nft_open_(&b))
		return;
	xt2_nft_begin_(&b, family);
	xt2_nft_table_(&b, NFT_MSG_DELTABLE, 0, tables[region]);
	xt2_nft_commit_(&b);
	xt2_nft_close_(&b);
}

/* => 0, -errno */
static int make(struct maker *m)
{
	int ret = xt2_nft_open_(&m->b);
	u32 i, j;

	if (ret)
		return ret;
	memset(m->program, -1, sizeof(m->program));
	ret = put_all(m);
	for (i = 0; i < XT2_ARRAY_SIZE(m->program); i++)
		for (j = 0; j < XT2_ARRAY_SIZE(m->program[i]); j++)
			if (m->program[i][j] >= 0)
				close(m->program[i][j]);
	xt2_nft_close_(&m->b);
	if (ret)
		drop(m->family, m->region);
	return ret;
}

static int no_nat(struct xt2_err *err, u8 family, int ret)
{
	const bool system = ret == -ENOMEM || ret == -EPERM || ret == -EBUSY;

	xt2_err_set(err, system ? XT2_E_SYSTEM : XT2_E_UNSUPPORTED, -ret,
		    "cannot have nf_tables carry out NAT of %s: %s", xt2_family_name(family),
		    strerror(-ret));
	if (!system)
		xt2_err_hint(err, "the kernel needs CONFIG_NF_TABLES, CONFIG_NFT_COMPAT, "
				  "CONFIG_NETFILTER_XT_MATCH_BPF, CONFIG_NFT_NAT, CONFIG_NFT_MASQ "
				  "and CONFIG_NFT_REDIR");
	return ret;
}

static int act_family(const struct xt2_live *host, const struct xt2_image *img, u8 family,
		      u32 region, struct xt2_err *err)
{
	struct xt2_nat_plan plan;
	struct maker *m = calloc(1, sizeof(*m));
	int ret = m ? xt2_nat_plan_(&plan, img, family) : -ENOMEM;

	if (!ret && plan.used) {
		*m = (struct maker){ .host = host,
				     .img = img,
				     .plan = &plan,
				     .table = tables[region],
				     .region = region,
				     .family = family };
		ret = make(m);
	}
	if (m)
		xt2_nat_plan_free_(&plan);
	free(m);
	return ret ? no_nat(err, family, ret) : 0;
}

/* --- gates ------------------------------------------------------------------------- */

/* NAT itself is at the hook's priority: the program before it, the gate after. */
static bool has_gate(const struct xt2_links *links, const char *folder, const struct xt2_hook *h)
{
	const struct xt2_link *gate = xt2_gate_of_(links, folder, "nat", h->family, h->hook);

	return gate && gate->priority > h->priority;
}

static int attach_gates(const struct xt2_live *host, const char *folder,
			const struct xt2_links *links, const struct xt2_image *img,
			struct xt2_err *err)
{
	const struct xt2_hook *h;
	int ret = 0;
	u32 i;

	xt2_image_for_each_hook(h, i, img, xt2_image_root(img)) {
		if (ret || !is_of(img, h, h->family) || has_gate(links, folder, h))
			continue;
		ret = xt2_gate_attach_(host, folder, "nat", h->family, h->hook, h->priority);
		if (ret)
			no_nat(err, h->family, ret);
	}
	return ret;
}

int xt2_nat_act_(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
		 const struct xt2_image *img, u32 region, struct xt2_err *err)
{
	int ret = attach_gates(host, folder, links, img, err);
	u32 i;

	for (i = 0; i < XT2_NFT_FAMILIES && !ret; i++)
		ret = act_family(host, img, xt2_nft_families_[i], region, err);
	return ret;
}

/* --- what is there -------------------------------------------------------------------- */

struct seen {
	const char *table;
	u32 chains, uses;
};

static int see_chain(const struct nlmsghdr *h, void *data)
{
	struct nftnl_chain *c = nftnl_chain_alloc();
	struct seen *seen = data;
	const char *table;

	if (!c)
		return MNL_CB_ERROR;
	if (!nftnl_chain_nlmsg_parse(h, c)) {
		table = nftnl_chain_get_str(c, NFTNL_CHAIN_TABLE);
		if (table && !strcmp(table, seen->table)) {
			seen->chains++;
			seen->uses += nftnl_chain_get_u32(c, NFTNL_CHAIN_USE);
		}
	}
	nftnl_chain_free(c);
	return MNL_CB_OK;
}

/* => is all there that was made? */
static bool is_whole(u8 family, u32 region, u32 chains, u32 uses)
{
	struct seen seen = { .table = tables[region] };
	struct xt2_nft b;
	bool answered;

	if (xt2_nft_open_(&b))
		return false;
	xt2_nft_ask_(&b, family);
	xt2_nft_append_(&b, xt2_nft_message_(&b, NFT_MSG_GETCHAIN, NLM_F_DUMP));
	answered = !xt2_nft_answer_(&b, see_chain, &seen);
	xt2_nft_close_(&b);
	return answered && seen.chains == chains && seen.uses == uses;
}

unsigned int xt2_nat_lacks_(const struct xt2_live *host, const struct xt2_links *links,
			    const char *folder)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const struct xt2_image *img;
	const struct xt2_hook *h;
	unsigned int lacks = 0;
	u32 i;

	if (!host->ruleset || !l->nat)
		return 0;
	img = xt2_live_at_(l->image);
	for (i = 0; i < XT2_NFT_FAMILIES; i++)
		if (l->nat_chains[i] &&
		    !is_whole(xt2_nft_families_[i], host->region, l->nat_chains[i], l->nat_uses[i]))
			lacks |= 1u << i;
	xt2_image_for_each_hook(h, i, img, (const struct xt2_root *)xt2_at(img, l->root))
		if (is_of(img, h, h->family) && (!links || !has_gate(links, folder, h)))
			lacks |= 1u << (h->family == XT2_IPV6);
	return lacks;
}

void xt2_nat_drop_(u32 region)
{
	u32 i;

	for (i = 0; i < XT2_NFT_FAMILIES; i++)
		drop(xt2_nft_families_[i], region);
}

void xt2_nat_unact_(const struct xt2_live *host, const char *folder, const struct xt2_image *img)
{
	const unsigned int used = img ? xt2_live_nats(img) : 0;
	u32 i, region;

	for (i = 0; i < XT2_NFT_FAMILIES; i++) {
		const u8 family = xt2_nft_families_[i];
		const bool uses = used >> i & 1;

		if (!uses && !xt2_gates_detach_(folder, "nat", family) && img)
			continue; /* there never were any */
		for (region = 0; region < XT2_REGIONS; region++)
			if (!uses || region != host->region)
				drop(family, region);
	}
}
