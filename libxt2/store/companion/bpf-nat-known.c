/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-known.c - companions that are found by the packet's destination
 *
 * Rules for services ask for an address and a port, and then draw one of a few targets.  So a map of
 * nf_tables has a chain for each such destination, with companions for these targets alone.
 * A companion is the packet's if the note says so: each in turn puts the note that it stands for
 * into the packet's priority, which is 0, and a program compares the two.  If none of them is,
 * the packet goes the way of those that have no such destination (bpf-nat-quick.c).
 */
#include "bpf-nat.h"

#include <asm/byteorder.h>

#define TYPE_IPV4    7u /* of nft(8) */
#define TYPE_IPV6    8u
#define TYPE_SERVICE 13u
#define TYPE_BITS    6u
#define MAP	     "destination-known"
#define TAKE(m)	     (xt2_nat_low_((m)->digits)) /* its number among the programs */

static u32 address_size(const struct xt2_nat_maker *m)
{
	return m->family == XT2_IPV6 ? 16 : 4;
}

static int put_payload(struct nftnl_rule *rule, u32 base, u32 offset, u32 size, u32 reg)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "payload");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, base);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, offset);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, size);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, reg);
	return 0;
}

static int put_destination(struct nftnl_rule *rule, u32 size)
{
	int ret = put_payload(rule, NFT_PAYLOAD_NETWORK_HEADER, size == 16 ? 24 : 16, size,
			      NFT_REG32_00);

	return ret ? ret
		   : put_payload(rule, NFT_PAYLOAD_TRANSPORT_HEADER, 2, sizeof(u16),
				 NFT_REG32_00 + size / 4);
}

int xt2_nat_put_lookup_(struct xt2_nat_maker *m, const char *chain)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = rule ? put_destination(rule, address_size(m)) : -ENOMEM;
	struct nftnl_expr *e = ret ? NULL : xt2_nft_expr_(rule, "lookup");

	if (!e)
		return xt2_nat_put_rule_(m, chain, rule, -ENOMEM);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, NFT_REG32_00);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_DREG, NFT_REG_VERDICT);
	ret = nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, MAP) ? -ENOMEM : 0;
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* --- the chain of a destination --------------------------------------------------- */

static int put_companion(struct xt2_nat_maker *m, const char *chain, u32 number)
{
	const struct xt2_instance *in = xt2_image_instance(m->img, xt2_image_root(m->img), number);
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = !rule ? -ENOMEM : xt2_nat_put_priority_(rule, XT2_ACT_NAT(m->region, number));

	if (!ret)
		ret = xt2_nat_put_question_(m, rule, TAKE(m), XT2_QUESTION_TAKE,
					    (struct xt2_question){ 0 });
	if (!ret)
		ret = xt2_nat_put_priority_(rule, 0);
	if (!ret)
		ret = xt2_nat_put_(rule, in, m->family, false);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

static int put_otherwise(struct xt2_nat_maker *m, const char *chain, const char *otherwise)
{
	struct nftnl_rule *rule = nftnl_rule_alloc();
	int ret = rule ? xt2_nat_put_priority_(rule, 0) : -ENOMEM;

	if (!ret)
		ret = xt2_nat_put_goto_(rule, otherwise);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

static int put_element(struct xt2_nat_maker *m, const struct xt2_nat_key *k, const char *chain)
{
	const u32 address = __cpu_to_be32((u32)k->address[0]), size = address_size(m);
	const u16 port = __cpu_to_be16(k->port);
	u8 key[20] = { 0 };

	memcpy(key, size == 16 ? (const void *)k->address : &address, size);
	memcpy(key + size, &port, sizeof(port));
	return xt2_nat_put_element_(m, MAP, key, size + (u32)sizeof(u32), chain);
}

int xt2_nat_put_known_(struct xt2_nat_maker *m, const char *otherwise)
{
	const struct xt2_nat_key *k = m->plan->key, *end = k + m->plan->keys, *first = k;
	const u32 size = address_size(m), type = size == 16 ? TYPE_IPV6 : TYPE_IPV4;
	char chain[32];
	int ret = xt2_nat_put_set_(m, MAP, 1 + XT2_NAT_TREES, type << TYPE_BITS | TYPE_SERVICE,
				   size + (u32)sizeof(u32));
	u32 n = 0;

	for (; k < end && !ret; k++) {
		if (k->first) {
			first = k;
			snprintf(chain, sizeof(chain), "destination-to-%u", n++);
			ret = xt2_nat_put_chain_(m, chain);
		}
		if (!ret)
			ret = put_companion(m, chain, k->instance);
		if (ret || (k + 1 < end && !k[1].first))
			continue;
		ret = put_otherwise(m, chain, otherwise);
		if (!ret)
			ret = put_element(m, first, chain);
	}
	return ret;
}
