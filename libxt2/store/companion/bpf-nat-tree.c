/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-tree.c - chains of nf_tables that lead a packet to its companion: see kernel/bpf/act.h
 *
 * A table has a base chain for each hook, the first in NAT's list there; it leads packets that have
 * a note of the table's region to a tree.  Each chain of a tree asks for a digit of the note's
 * number, the highest first, and the last ones have the companions.  What leads to a chain comes
 * after it in the messages, so a table can be made by several transactions.
 *
 * The programs that ask are the same for all tables, and stay loaded while a rule has them: where
 * they are is kept, since it takes longer to load one than to change a rule.
 */
#include "bpf-nat.h"

#include <libnftnl/chain.h>

#define REGION (XT2_NAT_DIGITS - 1) /* the digit that says it */

/* --- programs ------------------------------------------------------------------ */

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
	*program = xt2_question_load_(m->host, digit ? XT2_QUESTION_WAY : XT2_QUESTION_ACT,
				      (struct xt2_question){ .shift = digit == REGION
									      ? XT2_ACT_REGION_SHIFT
									      : xt2_nat_low_(digit),
							     .mask = digit ? 3 : 1,
							     .want = value });
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

/* --- a tree ---------------------------------------------------------------------- */

static int put_leaf(struct xt2_nat_maker *m, const char *chain, u32 tree, u32 number)
{
	const struct xt2_instance *in = xt2_image_instance(m->img, xt2_image_root(m->img), number);
	int ret;
	struct nftnl_rule *rule = rule_for(m, 0, number & 1, &ret);

	if (!ret)
		ret = xt2_nat_put_(rule, in, m->family, tree != XT2_NAT_DST);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

static int put_way(struct xt2_nat_maker *m, const char *chain, u32 tree, u32 digit, u32 prefix)
{
	char to[64];
	int ret;
	struct nftnl_rule *rule = rule_for(m, digit, prefix & 3, &ret);

	xt2_nat_chain_name_(m, to, sizeof(to), tree, digit, prefix);
	if (!ret)
		ret = xt2_nat_put_goto_(rule, to);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* The chains of so many low digits; what they lead to is there.  => 0, -errno */
static int put_level(struct xt2_nat_maker *m, u32 tree, u32 digits)
{
	const u32 *leaf = m->plan->tree[tree].leaf, *before = NULL;
	const u32 *end = leaf + m->plan->tree[tree].leaves;
	const u32 low = xt2_nat_low_(digits - 1), width = low ? 2 : 1;
	char chain[64];
	int ret = 0;

	for (; leaf < end && !ret; before = leaf++) {
		const u32 prefix = *leaf >> low;

		xt2_nat_chain_name_(m, chain, sizeof(chain), tree, digits, prefix >> width);
		if (!before || *before >> low >> width != prefix >> width)
			ret = xt2_nat_put_chain_(m, chain);
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
		ret = xt2_nat_put_chain_(m, xt2_nat_trees_[tree]); /* for edits */
	if (!ret && m->quick)
		ret = xt2_nat_put_map_(m, tree);
	return ret || !m->quick ? ret : xt2_nat_put_quick_(m, tree);
}

int xt2_nat_put_path_(struct xt2_nat_maker *m, u32 tree, u32 number,
		      bool (*there)(void *arg, u32 digits, u32 prefix), void *arg)
{
	bool found = false;
	char chain[64];
	u32 digits;
	int ret = 0;

	for (digits = 1; !found && !ret; digits++) {
		found = digits == m->digits || there(arg, digits, number >> xt2_nat_low_(digits));
		xt2_nat_chain_name_(m, chain, sizeof(chain), tree, digits,
				    number >> xt2_nat_low_(digits));
		if (!found)
			ret = xt2_nat_put_chain_(m, chain);
		if (ret)
			break;
		ret = digits > 1 ? put_way(m, chain, tree, digits - 1,
					   number >> xt2_nat_low_(digits - 1))
				 : put_leaf(m, chain, tree, number);
		m->chains += !found;
		m->uses += digits > 1 ? XT2_NAT_WAY : 1;
		if (found || digits > 1 || !m->quick || ret)
			continue;
		ret = xt2_nat_put_key_(m, tree, number >> 1, chain);
		m->uses++;
	}
	return ret;
}

/* --- hooks ------------------------------------------------------------------------ */

/* The first in NAT's list: others are asked after us, if we leave it to them. */
static int put_hook(struct xt2_nat_maker *m, const struct xt2_hook *h)
{
	const char *name = xt2_hook_name(h->family, h->hook);
	const u32 tree = xt2_nat_tree_of_(h->hook);
	char to[32];
	int ret = xt2_companion_base_(&m->b, m->table, name, "nat", h->hook, h->priority - 1);
	struct nftnl_rule *rule;

	if (ret)
		return ret;
	rule = rule_for(m, REGION, XT2_ACT_REGION(m->region), &ret);
	xt2_nat_quick_name_(to, sizeof(to), tree);
	if (!ret)
		ret = xt2_nat_put_goto_(rule, m->quick ? to : xt2_nat_trees_[tree]);
	return xt2_nat_put_rule_(m, name, rule, ret);
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
	memset(m->quick_program, -1, sizeof(m->quick_program));
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
	for (i = 0; i < XT2_ARRAY_SIZE(m->quick_program); i++)
		if (m->quick_program[i] >= 0)
			close(m->quick_program[i]);
	xt2_nft_close_(&m->b);
}
