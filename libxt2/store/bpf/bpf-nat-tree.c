/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-tree.c - chains of nf_tables that lead a packet to its companion: see kernel/bpf/act.h
 *
 * A table has a base chain for each hook, the first in NAT's list there; it leads packets that have
 * a note of the table's region to a tree.  Each chain of a tree asks for two bits of the note's
 * number, the highest first, and the last ones have the companions.  What leads to a chain comes
 * after it in the messages, so a table can be made by several transactions.
 *
 * The programs that ask are the same for all tables, and stay loaded while a rule has them: where
 * they are is kept, since it takes longer to load one than to change a rule.
 */
#include "bpf-nat.h"

#include <libnftnl/chain.h>

static const char *const trees[XT2_NAT_TREES] = {
	[XT2_NAT_DST] = "destination",
	[XT2_NAT_IN] = "input-source",
	[XT2_NAT_POST] = "source",
};

/* --- messages ---------------------------------------------------------------- */

/* A chain of so many low digits, for the numbers that begin with a prefix. */
static void chain_name(const struct xt2_nat_maker *m, char *name, size_t size, u32 tree, u32 digits,
		       u32 prefix)
{
	if (digits == m->digits)
		snprintf(name, size, "%s", trees[tree]);
	else
		snprintf(name, size, "%s-%u-%u", trees[tree], digits, prefix);
}

/* What is full is sent.  => 0, -errno */
static int go_on(struct xt2_nat_maker *m)
{
	int ret;

	if (!xt2_nft_is_full_(&m->b))
		return 0;
	if (m->one)
		return xt2_nft_grow_(&m->b);
	ret = xt2_nft_commit_(&m->b);
	xt2_nft_begin_(&m->b, m->family);
	return ret;
}

static int put_chain(struct xt2_nat_maker *m, const char *name)
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

/* => a program that was loaded before, or -1 */
static int loaded_before(const struct xt2_loaded *l)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);
	const int fd = l->id ? bpf_prog_get_fd_by_id(l->id) : -1;

	if (fd < 0)
		return -1;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.load_time == l->time)
		return fd;
	close(fd);
	return -1;
}

static void remember(struct xt2_loaded *l, int fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	l->id = 0;
	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	l->time = info.load_time;
	l->id = info.id;
}

/* => the program that asks for a digit of a note, or -errno */
static int program_for(struct xt2_nat_maker *m, u32 digit, u32 value)
{
	struct xt2_loaded *before = &xt2_live_state_()->nat_program[digit][value];
	int *program = &m->program[digit][value];

	if (*program < 0)
		*program = loaded_before(before);
	if (*program >= 0)
		return *program;
	*program = xt2_question_load_(
		m->host, digit ? XT2_QUESTION_WAY : XT2_QUESTION_ACT,
		(struct xt2_question){ .shift = 2 * digit, .mask = 3, .want = value });
	if (*program >= 0)
		remember(before, *program);
	return *program;
}

/* => a rule for packets whose note has a digit; NULL: *ret */
static struct nftnl_rule *rule_for(struct xt2_nat_maker *m, u32 digit, u32 value, int *ret)
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
static int put_rule(struct xt2_nat_maker *m, const char *chain, struct nftnl_rule *rule, int ret)
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

static int put_leaf(struct xt2_nat_maker *m, const char *chain, u32 tree, u32 number)
{
	const struct xt2_instance *in = xt2_image_instance(m->img, xt2_image_root(m->img), number);
	int ret;
	struct nftnl_rule *rule = rule_for(m, 0, number & 3, &ret);

	if (!ret)
		ret = xt2_nat_put_(rule, in, m->family, tree != XT2_NAT_DST);
	return put_rule(m, chain, rule, ret);
}

static int put_way(struct xt2_nat_maker *m, const char *chain, u32 tree, u32 digit, u32 prefix)
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
static int put_level(struct xt2_nat_maker *m, u32 tree, u32 digits)
{
	const u32 *leaf = m->plan->tree[tree].leaf, *before = NULL;
	const u32 *end = leaf + m->plan->tree[tree].leaves;
	const u32 low = 2 * (digits - 1);
	char chain[64];
	int ret = 0;

	for (; leaf < end && !ret; before = leaf++) {
		const u32 prefix = *leaf >> low;

		chain_name(m, chain, sizeof(chain), tree, digits, prefix >> 2);
		if (!before || *before >> low >> 2 != prefix >> 2)
			ret = put_chain(m, chain);
		if (ret || (before && *before >> low == prefix))
			continue;
		ret = low ? put_way(m, chain, tree, digits - 1, prefix)
			  : put_leaf(m, chain, tree, *leaf);
	}
	return ret;
}

static int put_tree(struct xt2_nat_maker *m, u32 tree)
{
	u32 digits;
	int ret = 0;

	for (digits = 1; digits <= m->digits && !ret; digits++)
		ret = put_level(m, tree, digits);
	if (!ret && !m->plan->tree[tree].leaves)
		ret = put_chain(m, trees[tree]); /* for edits */
	return ret;
}

int xt2_nat_put_path_(struct xt2_nat_maker *m, u32 tree, u32 number,
		      bool (*there)(void *arg, u32 digits, u32 prefix), void *arg)
{
	bool found = false;
	char chain[64];
	u32 digits;
	int ret = 0;

	for (digits = 1; !found && !ret; digits++) {
		found = digits == m->digits || there(arg, digits, number >> 2 * digits);
		chain_name(m, chain, sizeof(chain), tree, digits, number >> 2 * digits);
		if (!found)
			ret = put_chain(m, chain);
		if (ret)
			break;
		ret = digits > 1 ? put_way(m, chain, tree, digits - 1, number >> 2 * (digits - 1))
				 : put_leaf(m, chain, tree, number);
		m->chains += !found;
		m->uses += digits > 1 ? XT2_NAT_WAY : 1;
	}
	return ret;
}

/* --- hooks ------------------------------------------------------------------------ */

/* The first in NAT's list: others are asked after us, if we leave it to them. */
static int put_hook(struct xt2_nat_maker *m, const struct xt2_hook *h)
{
	const char *name = xt2_hook_name(h->family, h->hook);
	const u32 tree = xt2_nat_tree_of_(h->hook);
	int ret = xt2_companion_base_(&m->b, m->table, name, "nat", h->hook, h->priority - 1);
	struct nftnl_rule *rule;

	if (ret)
		return ret;
	rule = rule_for(m, XT2_NAT_DIGITS - 1, XT2_ACT_REGION(m->region), &ret);
	if (!ret)
		ret = put_goto(rule, trees[tree]);
	return put_rule(m, name, rule, ret);
}

bool xt2_nat_is_at_(const struct xt2_image *img, const struct xt2_hook *h, u8 family)
{
	const struct xt2_table *t = xt2_image_table(img, xt2_image_root(img), h->table);

	return h->family == family && xt2_live_hooked(img, h) &&
	       xt2_live_table_(t->name) == XT2_NAT;
}

static int put_hooks(struct xt2_nat_maker *m)
{
	const struct xt2_hook *h;
	int ret = 0;
	u32 i;

	xt2_image_for_each_hook(h, i, m->img, xt2_image_root(m->img))
		if (!ret && xt2_nat_is_at_(m->img, h, m->family))
			ret = put_hook(m, h);
	return ret;
}

/* --- a table -------------------------------------------------------------------------- */

/* A new one, in the place of what another process may have left. */
static void put_table(struct xt2_nat_maker *m)
{
	xt2_nft_table_(&m->b, NFT_MSG_NEWTABLE, NLM_F_CREATE, m->table);
	xt2_nft_table_(&m->b, NFT_MSG_DELTABLE, 0, m->table);
	xt2_nft_table_(&m->b, NFT_MSG_NEWTABLE, NLM_F_CREATE, m->table);
}

int xt2_nat_put_table_(struct xt2_nat_maker *m)
{
	int ret = 0;
	u32 i;

	put_table(m);
	for (i = 0; i < XT2_NAT_TREES && !ret; i++)
		if (m->plan->trees >> i & 1)
			ret = put_tree(m, i);
	return ret ? ret : put_hooks(m);
}

/* --- a transaction --- */

int xt2_nat_begin_(struct xt2_nat_maker *m)
{
	int ret = xt2_nft_open_(&m->b);

	if (ret)
		return ret;
	memset(m->program, -1, sizeof(m->program));
	xt2_nft_begin_(&m->b, m->family);
	return 0;
}

void xt2_nat_end_(struct xt2_nat_maker *m)
{
	u32 i, j;

	for (i = 0; i < XT2_ARRAY_SIZE(m->program); i++)
		for (j = 0; j < XT2_ARRAY_SIZE(m->program[i]); j++)
			if (m->program[i][j] >= 0)
				close(m->program[i][j]);
	xt2_nft_close_(&m->b);
}
