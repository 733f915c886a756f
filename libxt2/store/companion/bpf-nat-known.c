/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-known.c - companions that are found by the packet's destination
 *
 * Rules for services ask for an address and a port, and then draw one of a few targets.  So a map of
 * nf_tables has these targets by the destination and their rank among its: the note that the target
 * stands for, and the address and the port to which it sends packets.  Rules that all packets share
 * copy the rank from the note into the packet's priority, which is 0, bit by bit; look into the map; and
 * have a program compare the packet's note with what was found there, also in the priority.  So
 * a packet meets little memory that is in no cache.  If nothing was found, or another companion, the
 * packet goes the way of those that have no such destination (bpf-nat-quick.c).
 */
#include "bpf-nat.h"

#include <asm/byteorder.h>

#define TYPE_IPV4    7u /* of nft(8) */
#define TYPE_IPV6    8u
#define TYPE_SERVICE 13u
#define TYPE_CLASSID 23u
#define TYPE_BITS    6u
#define KEY	     ((u32)NFT_REG32_00) /* registers: address, port, rank */
#define DATA	     ((u32)NFT_REG32_08) /* note, address, port */
#define WORDS	     6u
#define TAKE(m)	     (xt2_nat_low_((m)->digits)) /* its number among the programs */
#define RANK(m)	     (TAKE(m) + 1)

_Static_assert(KEY + WORDS <= DATA, "registers of both");

static u32 address_words(const struct xt2_nat_maker *m)
{
	return m->family == XT2_IPV6 ? 4 : 1;
}

static struct xt2_nat_map map_of(const struct xt2_nat_maker *m)
{
	const u32 type = m->family == XT2_IPV6 ? TYPE_IPV6 : TYPE_IPV4;
	const u32 size = (address_words(m) + 2) * (u32)sizeof(u32);

	return (struct xt2_nat_map){
		.name = "destination-known",
		.id = 1 + XT2_NAT_TREES,
		.key_type = (type << TYPE_BITS | TYPE_SERVICE) << TYPE_BITS | TYPE_CLASSID,
		.key_size = size,
		.data_type = (TYPE_CLASSID << TYPE_BITS | type) << TYPE_BITS | TYPE_SERVICE,
		.data_size = size,
	};
}

/* --- rules ------------------------------------------------------------------------- */

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

static int put_key(struct nftnl_rule *rule, u32 words)
{
	int ret =
		put_payload(rule, NFT_PAYLOAD_NETWORK_HEADER, words > 1 ? 24 : 16, words * 4, KEY);

	if (!ret)
		ret = put_payload(rule, NFT_PAYLOAD_TRANSPORT_HEADER, 2, sizeof(u16), KEY + words);
	return ret ? ret : xt2_nat_load_priority_(rule, KEY + words + 1);
}

static int put_search(struct nftnl_rule *rule, const struct xt2_nat_map *map)
{
	struct nftnl_expr *e = xt2_nft_expr_(rule, "lookup");

	if (!e)
		return -ENOMEM;
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, KEY);
	nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_DREG, DATA);
	return nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, map->name) ? -ENOMEM : 0;
}

/* The packet's rank becomes its priority. */
static int put_rank(struct xt2_nat_maker *m, const char *chain)
{
	struct nftnl_rule *rule;
	int ret = 0;
	u32 i;

	for (i = 0; i < m->plan->rank_bits && !ret; i++) {
		const struct xt2_question set = { XT2_ACT_RANK_SHIFT + i, 1, 1 };

		rule = nftnl_rule_alloc();
		ret = !rule ? -ENOMEM
			    : xt2_nat_put_question_(m, rule, RANK(m) + i, XT2_QUESTION_WAY, set);
		if (!ret)
			ret = xt2_nat_put_bit_(rule, 1u << i);
		ret = xt2_nat_put_rule_(m, chain, rule, ret);
	}
	return ret;
}

int xt2_nat_put_lookup_(struct xt2_nat_maker *m, const char *chain)
{
	const struct xt2_nat_map map = map_of(m);
	struct nftnl_rule *rule;
	int ret = put_rank(m, chain);

	if (ret)
		return ret;
	rule = nftnl_rule_alloc();
	ret = rule ? put_key(rule, address_words(m)) : -ENOMEM;
	if (!ret)
		ret = put_search(rule, &map);
	if (!ret)
		ret = xt2_nat_store_priority_(rule, DATA);
	if (!ret)
		ret = xt2_nat_put_question_(m, rule, TAKE(m), XT2_QUESTION_TAKE,
					    (struct xt2_question){ 0 });
	if (!ret)
		ret = xt2_nat_put_priority_(rule, 0);
	if (!ret)
		ret = xt2_nat_put_place_(rule, m->family, DATA + 1);
	return xt2_nat_put_rule_(m, chain, rule, ret);
}

/* --- the map ------------------------------------------------------------------------- */

static int put_companion(struct xt2_nat_maker *m, const struct xt2_nat_map *map,
			 const struct xt2_nat_key *k)
{
	const struct xt2_instance *in =
		xt2_image_instance(m->img, xt2_image_root(m->img), k->instance);
	const u32 address = __cpu_to_be32((u32)k->address[0]), words = address_words(m);
	const u16 port = __cpu_to_be16(k->port);
	u32 key[WORDS] = { 0 }, data[WORDS] = { 0 };
	struct xt2_nat_place to;

	if (!xt2_nat_place_(in, m->family, &to))
		return -EINVAL; /* bpf-nat-keys.c has asked */
	memcpy(key, words > 1 ? (const void *)k->address : &address, words * sizeof(u32));
	memcpy(&key[words], &port, sizeof(port));
	key[words + 1] = k->rank;
	data[0] = XT2_ACT_NAT(m->region, k->instance, k->rank);
	memcpy(&data[1], &to.address, words * sizeof(u32));
	memcpy(&data[words + 1], &to.port, sizeof(to.port));
	return xt2_nat_put_data_of_(m, map, key, data);
}

int xt2_nat_put_known_(struct xt2_nat_maker *m)
{
	const struct xt2_nat_map map = map_of(m);
	int ret = xt2_nat_put_set_(m, &map);
	u32 i;

	for (i = 0; i < m->plan->keys && !ret; i++)
		ret = put_companion(m, &map, &m->plan->key[i]);
	return ret;
}
