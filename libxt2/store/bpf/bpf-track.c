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
#include "engine/order.h"

#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/xt_conntrack.h>

#define TABLE "xt2-conntrack"
#define CHAIN "tracking"

static const u8 families[] = { NFPROTO_IPV4, NFPROTO_IPV6 };

/* Messages to nf_tables, and where the next goes. */
struct batch {
	struct mnl_socket *nl;
	char bytes[4096];
	size_t used;
	u32 seq;
	u8 family;
};

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

unsigned int xt2_live_tracked(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	unsigned int tracked = 0;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		u8 family = xt2_image_table(img, root, c->table)->family;

		xt2_chain_for_each(r, &o, img, c) {
			xt2_rule_for_each_match(m, r)
				if (xt2_live_need_tracking_(m))
					tracked |= 1u << (family == XT2_IPV6);
		}
	}
	return tracked;
}

/* --- messages ------------------------------------------------------------ */

/* => 0, -errno: the kernel's answer to the message before the last one's end */
static int answer(struct batch *b)
{
	char buf[4096];
	ssize_t n;

	if (mnl_socket_sendto(b->nl, b->bytes, b->used) < 0)
		return -errno;
	for (;;) {
		const struct nlmsghdr *h = (const struct nlmsghdr *)buf;
		int left;

		n = mnl_socket_recvfrom(b->nl, buf, sizeof(buf));
		if (n < 0)
			return -errno;
		for (left = (int)n; mnl_nlmsg_ok(h, left); h = mnl_nlmsg_next(h, &left))
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)mnl_nlmsg_get_payload(h))->error;
	}
}

static struct nlmsghdr *message(struct batch *b, u16 type, u16 flags)
{
	return nftnl_nlmsg_build_hdr(b->bytes + b->used, type, b->family, flags, ++b->seq);
}

static void append(struct batch *b, const struct nlmsghdr *h)
{
	b->used += MNL_ALIGN(h->nlmsg_len);
}

/* NEWTABLE, DELTABLE, GETTABLE */
static void put_table(struct batch *b, u16 type, u16 flags)
{
	struct nlmsghdr *h = message(b, type, flags);

	mnl_attr_put_strz(h, NFTA_TABLE_NAME, TABLE);
	append(b, h);
}

static void put_chain(struct batch *b)
{
	struct nlmsghdr *h = message(b, NFT_MSG_NEWCHAIN, NLM_F_CREATE);

	mnl_attr_put_strz(h, NFTA_CHAIN_TABLE, TABLE);
	mnl_attr_put_strz(h, NFTA_CHAIN_NAME, CHAIN);
	append(b, h);
}

static struct nftnl_expr *add_expr(struct nftnl_rule *rule, const char *name)
{
	struct nftnl_expr *e = nftnl_expr_alloc(name);

	if (e)
		nftnl_rule_add_expr(rule, e);
	return e;
}

/* "ct direction original".  => 0, -ENOMEM */
static int put_rule(struct batch *b)
{
	struct nlmsghdr *h = message(b, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK);
	struct nftnl_rule *rule = nftnl_rule_alloc();
	struct nftnl_expr *ct = rule ? add_expr(rule, "ct") : NULL;
	struct nftnl_expr *cmp = ct ? add_expr(rule, "cmp") : NULL;
	const u8 original = 0;

	if (cmp) {
		nftnl_rule_set_str(rule, NFTNL_RULE_TABLE, TABLE);
		nftnl_rule_set_str(rule, NFTNL_RULE_CHAIN, CHAIN);
		nftnl_expr_set_u32(ct, NFTNL_EXPR_CT_KEY, NFT_CT_DIRECTION);
		nftnl_expr_set_u32(ct, NFTNL_EXPR_CT_DREG, NFT_REG_1);
		nftnl_expr_set_u32(cmp, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
		nftnl_expr_set_u32(cmp, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
		nftnl_expr_set(cmp, NFTNL_EXPR_CMP_DATA, &original, sizeof(original));
		nftnl_rule_nlmsg_build_payload(h, rule);
		append(b, h);
	}
	if (rule)
		nftnl_rule_free(rule);
	return cmp ? 0 : -ENOMEM;
}

/* --- tables -------------------------------------------------------------- */

/* In one transaction, whatever is there before.  => 0, -errno */
static int turn(struct batch *b, u8 family, bool on)
{
	int ret = 0;

	b->family = family;
	b->used = 0;
	append(b, nftnl_batch_begin(b->bytes, ++b->seq));
	if (on)
		put_table(b, NFT_MSG_NEWTABLE, NLM_F_CREATE);
	put_table(b, NFT_MSG_DELTABLE, on ? 0 : NLM_F_ACK);
	if (on) {
		put_table(b, NFT_MSG_NEWTABLE, NLM_F_CREATE);
		put_chain(b);
		ret = put_rule(b);
	}
	append(b, nftnl_batch_end(b->bytes + b->used, ++b->seq));
	return ret ? ret : answer(b);
}

static bool is_on(struct batch *b, u8 family)
{
	b->family = family;
	b->used = 0;
	put_table(b, NFT_MSG_GETTABLE, NLM_F_ACK);
	return !answer(b);
}

/* => 0; -errno */
static int begin(struct batch *b)
{
	int ret;

	memset(b, 0, sizeof(*b));
	b->nl = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	if (!b->nl)
		return -errno;
	if (!mnl_socket_bind(b->nl, 0, MNL_SOCKET_AUTOPID))
		return 0;
	ret = -errno;
	mnl_socket_close(b->nl);
	return ret;
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
	struct batch b;
	int ret = 0;

	*begun = 0;
	if (!wanted)
		return 0;
	ret = begin(&b);
	if (ret)
		return refuse(err, families[0], -ret);
	for (i = 0; i < XT2_ARRAY_SIZE(families) && !ret; i++) {
		if (!(wanted >> i & 1))
			continue;
		ret = turn(&b, families[i], true);
		if (ret)
			refuse(err, families[i], -ret);
		else
			*begun |= ~were_on & 1u << i;
	}
	mnl_socket_close(b.nl);
	if (ret)
		xt2_live_untrack(*begun);
	return ret;
}

void xt2_live_untrack(unsigned int unwanted)
{
	unsigned int i, on = xt2_live_tracking() & unwanted;
	struct batch b;

	if (!on || begin(&b))
		return;
	for (i = 0; i < XT2_ARRAY_SIZE(families); i++)
		if (on >> i & 1)
			turn(&b, families[i], false);
	mnl_socket_close(b.nl);
}

unsigned int xt2_live_tracking(void)
{
	unsigned int i, on = 0;
	struct batch b;

	if (begin(&b))
		return 0;
	for (i = 0; i < XT2_ARRAY_SIZE(families); i++)
		on |= (unsigned int)is_on(&b, families[i]) << i;
	mnl_socket_close(b.nl);
	return on;
}
