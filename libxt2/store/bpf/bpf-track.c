/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-track.c - connection tracking, for rules that ask about connections
 *
 * A network namespace tracks connections, and puts fragments together before,
 * as long as a rule asks for it.  The kernel's tables ask for each rule that
 * has such a match (xt_conntrack, xt_state and xt_connmark do so in their
 * checkentry), a family at a time.  A BPF program can't, so we let nf_tables
 * ask: a table of our own has a rule about connections, in a chain that is at
 * no hook and that nothing jumps to, so no packet ever meets it.
 *
 * A network namespace has one live ruleset, so all have the same table: what one has
 * left whose pins were taken away is the next one's.
 */
#include "bpf-private.h"
#include "bpf-nft.h"
#include "engine/order.h"

#include <linux/netfilter/xt_conntrack.h>
#include <xt2/ext-target.h>

#define TABLE "xt2-conntrack"
#define CHAIN "tracking"

/* --- what rules ask for -------------------------------------------------- */

static u32 need_of_conntrack(const struct xt2_match_conntrack *k)
{
	const u32 tuples = XT_CONNTRACK_PROTO | XT_CONNTRACK_ORIGSRC | XT_CONNTRACK_ORIGDST |
			   XT_CONNTRACK_REPLSRC | XT_CONNTRACK_REPLDST | XT_CONNTRACK_ORIGSRC_PORT |
			   XT_CONNTRACK_ORIGDST_PORT | XT_CONNTRACK_REPLSRC_PORT |
			   XT_CONNTRACK_REPLDST_PORT;
	u32 needs = XT2_NEED_STATE;

	if (k->tests & (XT_CONNTRACK_STATUS | XT_CONNTRACK_EXPIRES) ||
	    k->head.arg & (XT2_CT_SNAT | XT2_CT_DNAT))
		needs |= XT2_NEED_CONNECTION;
	if (k->tests & tuples)
		needs |= XT2_NEED_TUPLES;
	return needs;
}

u32 xt2_live_need_tracking_(const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_STATE: return XT2_NEED_STATE;
	case XT2_M_CONNMARK: return XT2_NEED_STATE | XT2_NEED_CONNECTION;
	case XT2_M_CONNTRACK: return need_of_conntrack((const struct xt2_match_conntrack *)m);
	}
	return 0;
}

u32 xt2_live_target_tracks_(const struct xt2_rule *r)
{
	const u32 arg = XT2_TARGET_ARG(r->target);

	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_CONNMARK: return XT2_NEED_STATE | XT2_NEED_CONNECTION;
	case XT2_T_CT: return XT2_CT_FLAGS(arg) & XT2_CT_UNTRACKS ? 0 : XT2_NEED_STATE;
	}
	return 0;
}

/* Matches and targets of the kernel's that ask for connections. */
static bool instance_tracks(const struct xt2_image *img, const struct xt2_root *root, u32 number)
{
	static const char *const names[] = { "CONNSECMARK", "cluster",	 "connbytes",
					     "connlabel",   "connlimit", "helper" };
	const char *name = xt2_image_instance(img, root, number)->name;
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool rule_tracks(const struct xt2_image *img, const struct xt2_root *root,
			const struct xt2_rule *r)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	const struct xt2_match *m;

	if (kind == XT2_T_NAT || xt2_live_target_tracks_(r))
		return true;
	if (kind == XT2_T_FOREIGN && instance_tracks(img, root, XT2_TARGET_ARG(r->target)))
		return true;
	xt2_rule_for_each_match(m, r)
		if (xt2_live_need_tracking_(m) ||
		    (m->type == XT2_M_FOREIGN && instance_tracks(img, root, m->arg)))
			return true;
	return false;
}

unsigned int xt2_live_tracked(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	unsigned int tracked = 0;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		u8 family = xt2_image_table(img, root, c->table)->family;

		xt2_chain_for_each(r, &o, img, c)
			if (rule_tracks(img, root, r))
				tracked |= 1u << (family == XT2_IPV6);
	}
	return tracked;
}

/* --- the table ------------------------------------------------------------ */

/* At no hook, and nothing jumps to it. */
static void put_chain(struct xt2_nft *b)
{
	struct nlmsghdr *h = xt2_nft_message_(b, NFT_MSG_NEWCHAIN, NLM_F_CREATE);

	mnl_attr_put_strz(h, NFTA_CHAIN_TABLE, TABLE);
	mnl_attr_put_strz(h, NFTA_CHAIN_NAME, CHAIN);
	xt2_nft_append_(b, h);
}

/* "ct direction original".  => 0, -ENOMEM */
static int put_rule(struct xt2_nft *b)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();
	struct nftnl_expr *ct = xt2_nft_expr_(rule, "ct");
	struct nftnl_expr *cmp = ct ? xt2_nft_expr_(rule, "cmp") : NULL;
	const u8 original = 0;

	if (!cmp) {
		if (rule)
			nftnl_rule_free(rule);
		return -ENOMEM;
	}
	nftnl_expr_set_u32(ct, NFTNL_EXPR_CT_KEY, NFT_CT_DIRECTION);
	nftnl_expr_set_u32(ct, NFTNL_EXPR_CT_DREG, NFT_REG_1);
	nftnl_expr_set_u32(cmp, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(cmp, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(cmp, NFTNL_EXPR_CMP_DATA, &original, sizeof(original));
	return xt2_nft_rule_(b, TABLE, CHAIN, rule);
}

/* In one transaction, whatever is there before.  => 0, -errno */
static int turn(u8 family, bool on)
{
	struct xt2_nft b;
	int ret = xt2_nft_open_(&b);

	if (ret)
		return ret;
	xt2_nft_begin_(&b, family);
	if (on)
		xt2_nft_table_(&b, NFT_MSG_NEWTABLE, NLM_F_CREATE, TABLE);
	xt2_nft_table_(&b, NFT_MSG_DELTABLE, 0, TABLE);
	if (on) {
		xt2_nft_table_(&b, NFT_MSG_NEWTABLE, NLM_F_CREATE, TABLE);
		put_chain(&b);
		ret = put_rule(&b);
	}
	if (!ret)
		ret = xt2_nft_commit_(&b);
	xt2_nft_close_(&b);
	return ret;
}

static bool is_on(struct xt2_nft *b, u8 family)
{
	xt2_nft_ask_(b, family);
	xt2_nft_table_(b, NFT_MSG_GETTABLE, NLM_F_ACK, TABLE);
	return !xt2_nft_answer_(b, NULL, NULL);
}

static int refuse(struct xt2_err *err, u8 family, int errnum)
{
	bool system = errnum == ENOMEM || errnum == EPERM;

	xt2_err_set(err, system ? XT2_E_SYSTEM : XT2_E_UNSUPPORTED, errnum,
		    "cannot turn on connection tracking of %s by nf_tables: %s",
		    xt2_family_name(family), strerror(errnum));
	if (!system)
		xt2_err_hint(err, "the kernel needs CONFIG_NF_TABLES, CONFIG_NFT_CT and "
				  "CONFIG_NF_CONNTRACK");
	return -errnum;
}

int xt2_live_track(unsigned int wanted, unsigned int *begun, struct xt2_err *err)
{
	unsigned int i, were_on = xt2_live_tracking();
	int ret = 0;

	*begun = 0;
	for (i = 0; i < XT2_NFT_FAMILIES && !ret; i++) {
		if (!(wanted >> i & 1))
			continue;
		ret = turn(xt2_nft_families_[i], true);
		if (ret)
			refuse(err, xt2_nft_families_[i], -ret);
		else
			*begun |= ~were_on & 1u << i;
	}
	if (ret)
		xt2_live_untrack(*begun);
	return ret;
}

void xt2_live_untrack(unsigned int unwanted)
{
	unsigned int i, on = xt2_live_tracking() & unwanted;

	for (i = 0; i < XT2_NFT_FAMILIES; i++)
		if (on >> i & 1)
			turn(xt2_nft_families_[i], false);
}

unsigned int xt2_live_tracking(void)
{
	unsigned int i, on = 0;
	struct xt2_nft b;

	for (i = 0; i < XT2_NFT_FAMILIES && !xt2_nft_open_(&b); i++) {
		on |= (unsigned int)is_on(&b, xt2_nft_families_[i]) << i;
		xt2_nft_close_(&b);
	}
	return on;
}
