/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ipsec.c - security parameter indices of AH, ESP and IPComp
 *
 * AH is a transport protocol in IPv4 and an extension header in IPv6, where
 * it is found wherever it stands and its length may be tested.  Source:
 * net/ipv4/netfilter/ipt_ah.c, net/ipv6/netfilter/ip6t_ah.c,
 * net/netfilter/xt_esp.c, net/netfilter/xt_ipcomp.c.
 */
#include "transport.h"

#define AH_HEADER     12 /* next header, length, 2 reserved, SPI, number */
#define ESP_HEADER    8 /* SPI, number */
#define IPCOMP_HEADER 4 /* next header, flags, 16-bit index */

static int ah4_match(const struct xt2_match __img *m, struct xt2_pkt *pkt)
{
	const u8 *ah;

	if (pkt->fragoff)
		return XT2_MISS;
	ah = xt2_pkt_at(pkt, pkt->thoff, AH_HEADER);
	if (!ah)
		return XT2_HOTDROP;
	return xt2_range_holds_(m, xt2_be32(ah + 4)) ? XT2_HIT : XT2_MISS;
}

static bool ah6_header_holds(const struct xt2_header_test __img *t, const u8 *ah, u32 size)
{
	if (t->hdrlen && (t->hdrlen == size) == t->inverted)
		return false;
	return !(t->flags && xt2_be16(ah + 2));
}

static int ah6_match(const struct xt2_match __img *m, struct xt2_pkt *pkt)
{
	const struct xt2_header_test __img *t = xt2_header_test_(m);
	struct xt2_ip6_walk walk;
	const u8 *ah;
	u32 size;
	int err;

	err = xt2_ip6_find(pkt, XT2_IP6_AUTH, &walk);
	if (err)
		return err == -ENOENT ? XT2_MISS : XT2_HOTDROP;
	ah = xt2_pkt_at(pkt, walk.off, AH_HEADER);
	if (!ah)
		return XT2_HOTDROP;
	size = (ah[1] + 2) * 4;
	if (pkt->len - walk.off < size)
		return XT2_HOTDROP;
	if (!xt2_range_holds_(m, xt2_be32(ah + 4)))
		return XT2_MISS;
	return !t || ah6_header_holds(t, ah, size) ? XT2_HIT : XT2_MISS;
}

int xt2_ah_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return xt2_ctx_pkt(ctx)->family == XT2_IPV6 ? ah6_match(m, xt2_ctx_pkt(ctx))
						    : ah4_match(m, xt2_ctx_pkt(ctx));
}

int xt2_ah_check(const struct xt2_match __img *m, u8 family)
{
	const u8 flags = XT2_RANGE_FORM | XT2_MATCH_INVERT;
	const struct xt2_header_test __img *t;
	u32 size = xt2_range_size_(m);
	int err;

	if (!size || !xt2_family_inet(family))
		return -EINVAL;
	if (family == XT2_IPV4)
		return xt2_size_check_(m, size, XT2_VERBATIM_AH4, flags);
	if (m->flags & XT2_HEADER_TEST)
		size += sizeof(*t);
	err = xt2_size_check_(m, size, XT2_VERBATIM_AH6, flags | XT2_HEADER_TEST);
	if (err)
		return err;
	t = xt2_header_test_(m);
	return t && (t->flags > 1 || t->inverted > 1 || t->reserved) ? -EINVAL : 0;
}

int xt2_esp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *eh;

	if (pkt->fragoff)
		return XT2_MISS;
	eh = xt2_pkt_at(pkt, pkt->thoff, ESP_HEADER);
	if (!eh)
		return XT2_HOTDROP;
	return xt2_range_holds_(m, xt2_be32(eh)) ? XT2_HIT : XT2_MISS;
}

int xt2_esp_check(const struct xt2_match __img *m, u8 family)
{
	u32 size = xt2_range_size_(m);

	if (!size || !xt2_family_inet(family))
		return -EINVAL;
	return xt2_size_check_(m, size, XT2_VERBATIM_ESP, XT2_RANGE_FORM | XT2_MATCH_INVERT);
}

int xt2_ipcomp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	const u8 *ch;

	if (pkt->fragoff)
		return XT2_MISS;
	ch = xt2_pkt_at(pkt, pkt->thoff, IPCOMP_HEADER);
	if (!ch)
		return XT2_HOTDROP;
	return xt2_range_holds_(m, xt2_be16(ch + 2)) ? XT2_HIT : XT2_MISS;
}

int xt2_ipcomp_check(const struct xt2_match __img *m, u8 family)
{
	u32 size = xt2_range_size_(m);

	if (!size || !xt2_family_inet(family))
		return -EINVAL;
	return xt2_size_check_(m, size, XT2_VERBATIM_IPCOMP,
			       XT2_RANGE_FORM | XT2_MATCH_INVERT | XT2_IPCOMP_RES);
}
