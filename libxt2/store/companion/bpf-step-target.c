/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-step-target.c - iptables' targets in rules of nf_tables
 *
 * Most are the kernel's own target, by nf_tables' compatibility with iptables.  Some the kernel
 * binds to a table of a name that is not ours: those are expressions with the same effect, or, if
 * there are none, have a chain in a table of that name (bpf-bound.c).
 *
 * Source: net/netfilter/xt_DSCP.c, xt_HL.c, xt_CT.c; nft_payload.c, nft_ct.c
 */
#include "bpf-left.h"

#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_DSCP.h>
#include <linux/netfilter/xt_TPROXY.h>
#include <linux/netfilter_ipv4/ipt_TTL.h>

#define ECN_BITS     0x03u
#define CHECKSUM4_AT 10u

/* As bytes of a packet. */
static u16 to_be(u16 n)
{
	return __builtin_bswap16(n);
}

int xt2_step_put_target_(struct nftnl_rule *rule, const struct xt2_left_ext *ext)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "target");
	void *info = NULL;
	u32 size;
	int ret = e ? xt2_left_info_(XT2_INSTANCE_TARGET, ext, &info, &size) : -ENOMEM;

	if (ret)
		return ret;
	if (ext->proto) {
		nftnl_rule_set_u32(rule, NFTNL_RULE_COMPAT_PROTO, ext->proto);
		nftnl_rule_set_u32(rule, NFTNL_RULE_COMPAT_FLAGS, 0);
	}
	nftnl_expr_set_str(e, NFTNL_EXPR_TG_NAME, ext->name);
	nftnl_expr_set_u32(e, NFTNL_EXPR_TG_REV, ext->revision);
	return nftnl_expr_set(e, NFTNL_EXPR_TG_INFO, info, size) ? -ENOMEM : 0;
}

static int put_load(struct nftnl_rule *rule, u32 offset)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "payload");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, offset);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, sizeof(u16));
	return 0;
}

static int put_store(struct nftnl_rule *rule, u32 offset, bool checksum)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "payload");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, offset);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, sizeof(u16));
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_CSUM_TYPE,
			   checksum ? NFT_PAYLOAD_CSUM_INET : NFT_PAYLOAD_CSUM_NONE);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_CSUM_OFFSET, checksum ? CHECKSUM4_AT : 0);
	return 0;
}

/* A word of the IP header becomes (word & keep) ^ set, both in the order of the machine. */
static int put_word(struct nftnl_rule *rule, u32 offset, u16 keep, u16 set, bool checksum)
{
	const u16 mask = to_be(keep), change = to_be(set);
	int ret = put_load(rule, offset);
	struct nftnl_expr *e = ret ? NULL : xt2_nft_expr_(rule, "bitwise");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_LEN, sizeof(mask));
	if (nftnl_expr_set(e, NFTNL_EXPR_BITWISE_MASK, &mask, sizeof(mask)) ||
	    nftnl_expr_set(e, NFTNL_EXPR_BITWISE_XOR, &change, sizeof(change)))
		return -ENOMEM;
	return put_store(rule, offset, checksum);
}

/* The service byte becomes (byte & keep) ^ set. */
static int put_service(struct nftnl_rule *rule, u8 family, u8 keep, u8 set)
{
	if (family == XT2_IPV4)
		return put_word(rule, 0, 0xff00 | keep, set, true);
	return put_word(rule, 0, (u16)(0xf00f | keep << 4), (u16)(set << 4), false);
}

int xt2_step_put_hops_(struct nftnl_rule *rule, u8 family, u8 hops)
{
	if (family == XT2_IPV4)
		return put_word(rule, 8, 0x00ff, (u16)(hops << 8), true);
	return put_word(rule, 6, 0xff00, hops, false);
}

static int put_immediate(struct nftnl_rule *rule, u32 reg, const void *data, u32 size)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, reg);
	return nftnl_expr_set(e, NFTNL_EXPR_IMM_DATA, data, size) ? -ENOMEM : 0;
}

/* The connection that there will be is in this zone, in one direction or in both. */
static int put_zone(struct nftnl_rule *rule, u16 zone, u16 flags)
{
	struct nftnl_expr *e;
	int ret = put_immediate(rule, NFT_REG_1, &zone, sizeof(zone));

	e = ret ? NULL : xt2_nft_expr_(rule, "ct");
	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_CT_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CT_KEY, NFT_CT_ZONE);
	if (flags & (XT_CT_ZONE_DIR_ORIG | XT_CT_ZONE_DIR_REPL))
		nftnl_expr_set_u8(e, NFTNL_EXPR_CT_DIR, flags & XT_CT_ZONE_DIR_ORIG ? 0 : 1);
	return 0;
}

/* Not to be tracked, or in a zone: all else is bound to the table raw. */
static int put_ct(struct nftnl_rule *rule, const struct xt2_left_ext *ext)
{
	const struct xt_ct_target_info *info = (const void *)ext->data;

	if (!strcmp(ext->name, "CT") && !(info->flags & XT_CT_NOTRACK))
		return put_zone(rule, info->zone, info->flags);
	return xt2_nft_expr_(rule, "notrack") ? 0 : -ENOMEM;
}

/* The mark becomes (mark & keep) ^ set. */
static int put_mark(struct nftnl_rule *rule, u32 keep, u32 set)
{
	struct nftnl_expr *load = xt2_nft_expr_(rule, "meta");
	struct nftnl_expr *change = load ? xt2_nft_expr_(rule, "bitwise") : NULL;
	struct nftnl_expr *store = change ? xt2_nft_expr_(rule, "meta") : NULL;

	if (!store)
		return -ENOMEM;
	nftnl_expr_set_u32(load, NFTNL_EXPR_META_KEY, NFT_META_MARK);
	nftnl_expr_set_u32(load, NFTNL_EXPR_META_DREG, NFT_REG_1);
	nftnl_expr_set_u32(change, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(change, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(change, NFTNL_EXPR_BITWISE_LEN, sizeof(keep));
	nftnl_expr_set_u32(store, NFTNL_EXPR_META_KEY, NFT_META_MARK);
	nftnl_expr_set_u32(store, NFTNL_EXPR_META_SREG, NFT_REG_1);
	return nftnl_expr_set(change, NFTNL_EXPR_BITWISE_MASK, &keep, sizeof(keep)) ||
			       nftnl_expr_set(change, NFTNL_EXPR_BITWISE_XOR, &set, sizeof(set))
		       ? -ENOMEM
		       : 0;
}

static bool is_zero(const void *data, u32 size)
{
	const u8 *at = data;

	while (size && !at[size - 1])
		size--;
	return !size;
}

/* Without a socket the rule ends here: xt2_step_may_fail_(). */
static int put_tproxy(struct nftnl_rule *rule, const struct xt2_left_ext *ext, u8 family)
{
	const struct xt_tproxy_target_info *v0 = (const void *)ext->data;
	const struct xt_tproxy_target_info_v1 *v1 = (const void *)ext->data;
	const void *address = ext->revision ? (const void *)&v1->laddr : (const void *)&v0->laddr;
	const __be16 port = ext->revision ? v1->lport : v0->lport;
	const u32 size = family == XT2_IPV6 ? 16 : 4;
	struct nftnl_expr *e;
	int ret = put_immediate(rule, NFT_REG_1, address, size);

	if (!ret)
		ret = put_immediate(rule, NFT_REG_2, &port, sizeof(port));
	e = ret ? NULL : xt2_nft_expr_(rule, "tproxy");
	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_TPROXY_FAMILY, family);
	if (!is_zero(address, size))
		nftnl_expr_set_u32(e, NFTNL_EXPR_TPROXY_REG_ADDR, NFT_REG_1);
	if (port)
		nftnl_expr_set_u32(e, NFTNL_EXPR_TPROXY_REG_PORT, NFT_REG_2);
	return put_mark(rule, ~v0->mark_mask, v0->mark_value);
}

/* It says more than where its connections are. */
static bool is_rich_ct(const struct xt2_left_ext *ext)
{
	const struct xt_ct_target_info *v0 = (const void *)ext->data;
	const struct xt_ct_target_info_v1 *v1 = (const void *)ext->data;

	if (v0->flags & XT_CT_NOTRACK)
		return false;
	return v0->flags & XT_CT_ZONE_MARK || v0->ct_events || v0->exp_events || v0->helper[0] ||
	       (ext->revision && v1->timeout[0]);
}

bool xt2_step_is_bound_(const struct xt2_left_ext *ext)
{
	static const char *const names[] = { "CHECKSUM", "CONNSECMARK", "ECN", "SECMARK", "TRACE" };
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (!strcmp(ext->name, names[i]))
			return true;
	return !strcmp(ext->name, "CT") && is_rich_ct(ext);
}

bool xt2_step_may_fail_(const struct xt2_left_ext *ext)
{
	return !strcmp(ext->name, "TPROXY");
}

int xt2_step_put_(struct nftnl_rule *rule, const struct xt2_left_ext *ext, u8 family)
{
	const struct xt_tos_target_info *tos = (const void *)ext->data;
	const struct xt_DSCP_info *dscp = (const void *)ext->data;
	const struct ipt_TTL_info *hops = (const void *)ext->data;

	if (!strcmp(ext->name, "CT") || !strcmp(ext->name, "NOTRACK"))
		return put_ct(rule, ext);
	if (!strcmp(ext->name, "TOS"))
		return put_service(rule, family, (u8)~tos->tos_mask, tos->tos_value);
	if (!strcmp(ext->name, "DSCP"))
		return put_service(rule, family, ECN_BITS, (u8)(dscp->dscp << 2));
	if (!strcmp(ext->name, "TTL") || !strcmp(ext->name, "HL"))
		return xt2_step_put_hops_(rule, family, hops->ttl);
	if (!strcmp(ext->name, "TPROXY"))
		return put_tproxy(rule, ext, family);
	return xt2_step_put_target_(rule, ext);
}
