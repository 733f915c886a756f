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
	int answer;
	const u8 *ah = xt2_transport_(pkt, AH_HEADER, &answer);

	if (!ah)
		return answer;
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
	u32 off, size;
	int answer;
	const u8 *ah = xt2_exthdr_(pkt, XT2_IP6_AUTH, AH_HEADER, &off, &size, &answer);

	if (!ah)
		return answer;
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
	const struct xt2_header_test __img *t = xt2_header_test_(m);

	if (family == XT2_IPV4)
		return xt2_range_check_(m, true, 0, XT2_VERBATIM_AH4, 0);
	if (xt2_range_check_(m, family == XT2_IPV6, t ? sizeof(*t) : 0, XT2_VERBATIM_AH6,
			     XT2_HEADER_TEST))
		return -EINVAL;
	return t && (t->flags > 1 || t->inverted > 1 || t->reserved) ? -EINVAL : 0;
}

int xt2_esp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	int answer;
	const u8 *eh = xt2_transport_(xt2_ctx_pkt(ctx), ESP_HEADER, &answer);

	if (!eh)
		return answer;
	return xt2_range_holds_(m, xt2_be32(eh)) ? XT2_HIT : XT2_MISS;
}

int xt2_esp_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_range_check_(m, xt2_family_inet(family), 0, XT2_VERBATIM_ESP, 0);
}

int xt2_ipcomp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	int answer;
	const u8 *ch = xt2_transport_(xt2_ctx_pkt(ctx), IPCOMP_HEADER, &answer);

	if (!ch)
		return answer;
	return xt2_range_holds_(m, xt2_be16(ch + 2)) ? XT2_HIT : XT2_MISS;
}

int xt2_ipcomp_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_range_check_(m, xt2_family_inet(family), 0, XT2_VERBATIM_IPCOMP, XT2_IPCOMP_RES);
}
