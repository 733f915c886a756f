/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-target.c - iptables' NAT targets as expressions of nf_tables
 *
 * The kernel binds its targets to a table of the name "nat", and a nat table of that name may be
 * somebody else's.  The expressions call the same functions with the same range.
 *
 * Source: net/netfilter/xt_nat.c, xt_MASQUERADE.c, xt_REDIRECT.c, xt_NETMAP.c; nft_nat.c,
 * nft_masq.c, nft_redir.c
 */
#include "bpf-nat.h"

#include <linux/netfilter/nf_nat.h>

enum kind { SNAT, DNAT, MASQUERADE, REDIRECT, NETMAP, KINDS };

static const char *const names[KINDS] = { "SNAT", "DNAT", "MASQUERADE", "REDIRECT", "NETMAP" };

/* Flags that the expressions have; addresses and ports are in registers. */
#define FLAGS \
	(NF_NAT_RANGE_PROTO_RANDOM | NF_NAT_RANGE_PROTO_RANDOM_FULLY | NF_NAT_RANGE_PERSISTENT)
#define RANGES (NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED)

/* => enum kind; -1: another target */
static int kind_of(const struct xt2_instance *in)
{
	int i;

	for (i = 0; i < KINDS; i++)
		if (!strcmp(in->name, names[i]))
			return i;
	return -1;
}

/* Of revision 0, in most of IPv4's. */
static bool read_compat(const struct xt2_instance *in, struct nf_nat_range *range)
{
	struct nf_nat_ipv4_multi_range_compat old;

	if (in->size < sizeof(old))
		return false;
	memcpy(&old, xt2_instance_data(in), sizeof(old));
	if (old.rangesize != 1)
		return false;
	memset(range, 0, sizeof(*range));
	range->flags = old.range[0].flags;
	range->min_addr.ip = old.range[0].min_ip;
	range->max_addr.ip = old.range[0].max_ip;
	range->min_proto = old.range[0].min;
	range->max_proto = old.range[0].max;
	return true;
}

/* => false: nf_tables cannot do it */
static bool read_range(const struct xt2_instance *in, u8 family, struct nf_nat_range *range)
{
	const int kind = kind_of(in);
	const bool nat = kind == SNAT || kind == DNAT;

	if (kind < 0 || in->revision > (kind == DNAT ? 2 : nat))
		return false;
	if (!in->revision && family == XT2_IPV4) {
		if (!read_compat(in, range))
			return false;
	} else {
		if (in->size < sizeof(*range) || (nat && !in->revision))
			return false;
		memcpy(range, xt2_instance_data(in), sizeof(*range));
	}
	if (kind == NETMAP && !(range->flags & NF_NAT_RANGE_MAP_IPS))
		return false;
	return !(range->flags & ~(u32)(FLAGS | RANGES));
}

bool xt2_nat_can_(const struct xt2_instance *in, u8 family)
{
	struct nf_nat_range range;

	return read_range(in, family, &range);
}

/* => 0, -ENOMEM */
static int put_data(struct nftnl_rule *rule, u32 reg, const void *data, u32 size)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "immediate");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, reg);
	return nftnl_expr_set(e, NFTNL_EXPR_IMM_DATA, data, size) ? -ENOMEM : 0;
}

static int put_addresses(struct nftnl_rule *rule, u8 family, const struct nf_nat_range *range)
{
	const u32 size = family == XT2_IPV6 ? 16 : 4;
	int ret = put_data(rule, NFT_REG_1, &range->min_addr, size);

	return ret ? ret : put_data(rule, NFT_REG_2, &range->max_addr, size);
}

static int put_ports(struct nftnl_rule *rule, const struct nf_nat_range *range)
{
	int ret = put_data(rule, NFT_REG_3, &range->min_proto, sizeof(range->min_proto));

	return ret ? ret : put_data(rule, NFT_REG_4, &range->max_proto, sizeof(range->max_proto));
}

/* Which attributes name the registers of ports, and the flags. */
struct attributes {
	const char *name;
	u16 proto_min, proto_max, flags;
};

static const struct attributes *attributes_of(int kind)
{
	static const struct attributes nat = { "nat", NFTNL_EXPR_NAT_REG_PROTO_MIN,
					       NFTNL_EXPR_NAT_REG_PROTO_MAX, NFTNL_EXPR_NAT_FLAGS };
	static const struct attributes masq = { "masq", NFTNL_EXPR_MASQ_REG_PROTO_MIN,
						NFTNL_EXPR_MASQ_REG_PROTO_MAX,
						NFTNL_EXPR_MASQ_FLAGS };
	static const struct attributes redir = { "redir", NFTNL_EXPR_REDIR_REG_PROTO_MIN,
						 NFTNL_EXPR_REDIR_REG_PROTO_MAX,
						 NFTNL_EXPR_REDIR_FLAGS };

	if (kind == MASQUERADE)
		return &masq;
	return kind == REDIRECT ? &redir : &nat;
}

bool xt2_nat_place_(const struct xt2_instance *in, u8 family, struct xt2_nat_place *place)
{
	struct nf_nat_range range;

	if (kind_of(in) != DNAT || !read_range(in, family, &range) || range.flags != RANGES ||
	    range.min_proto.all != range.max_proto.all ||
	    memcmp(&range.min_addr, &range.max_addr, family == XT2_IPV6 ? 16 : 4))
		return false;
	place->address = range.min_addr;
	place->port = range.min_proto.all;
	return true;
}

int xt2_nat_put_place_(struct nftnl_rule *rule, u8 family, u32 reg)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "nat");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_TYPE, NFT_NAT_DNAT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_FAMILY, family);
	nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_REG_ADDR_MIN, reg);
	nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_REG_PROTO_MIN, reg + (family == XT2_IPV6 ? 4 : 1));
	nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_FLAGS, NF_NAT_RANGE_PROTO_SPECIFIED);
	return 0;
}

int xt2_nat_put_(struct nftnl_rule *rule, const struct xt2_instance *in, u8 family, bool source)
{
	const int kind = kind_of(in);
	const struct attributes *a = attributes_of(kind);
	struct nf_nat_range range;
	struct nftnl_expr *e;
	bool addresses, ports;
	int ret = 0;

	if (!read_range(in, family, &range))
		return -EOPNOTSUPP;
	ports = range.flags & NF_NAT_RANGE_PROTO_SPECIFIED;
	addresses = range.flags & NF_NAT_RANGE_MAP_IPS && kind != MASQUERADE && kind != REDIRECT;
	if (addresses)
		ret = put_addresses(rule, family, &range);
	if (!ret && ports)
		ret = put_ports(rule, &range);
	e = ret ? NULL : xt2_nft_expr_(rule, a->name);
	if (!e)
		return -ENOMEM;
	if (a == attributes_of(SNAT)) {
		if (kind != NETMAP)
			source = kind == SNAT;
		nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_TYPE, source ? NFT_NAT_SNAT : NFT_NAT_DNAT);
		nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_FAMILY, family);
	}
	if (addresses) {
		nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_REG_ADDR_MIN, NFT_REG_1);
		nftnl_expr_set_u32(e, NFTNL_EXPR_NAT_REG_ADDR_MAX, NFT_REG_2);
	}
	if (ports) {
		nftnl_expr_set_u32(e, a->proto_min, NFT_REG_3);
		nftnl_expr_set_u32(e, a->proto_max, NFT_REG_4);
	}
	nftnl_expr_set_u32(e, a->flags,
			   (range.flags & (FLAGS | NF_NAT_RANGE_PROTO_SPECIFIED)) |
				   (kind == NETMAP ? NF_NAT_RANGE_NETMAP : 0));
	return 0;
}
