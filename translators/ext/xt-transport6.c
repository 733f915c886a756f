/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-transport6.c - legacy payloads of ICMPv6 and the IPv6 header matches
 *
 * See xt-transport.c, which has the rows.  Ranges of SPIs are packed here for both.
 */
#include "xt-transport.h"
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netfilter_ipv6/ip6t_ah.h>
#include <linux/netfilter_ipv6/ip6t_frag.h>
#include <linux/netfilter_ipv6/ip6t_ipv6header.h>
#include <linux/netfilter_ipv6/ip6t_mh.h>
#include <linux/netfilter_ipv6/ip6t_opts.h>
#include <linux/netfilter_ipv6/ip6t_rt.h>

XT2_COPY_ASSERT_(XT2_VERBATIM_AH6, struct ip6t_ah);
XT2_COPY_ASSERT_(XT2_VERBATIM_FRAG, struct ip6t_frag);
XT2_COPY_ASSERT_(XT2_VERBATIM_RT, struct ip6t_rt);
XT2_COPY_ASSERT_(XT2_VERBATIM_OPTS, struct ip6t_opts);

#define BYTES_ASSERT(bytes, type) _Static_assert((bytes) == sizeof(type), "size of the payload")

BYTES_ASSERT(XT2_AH6_BYTES_, struct ip6t_ah);
BYTES_ASSERT(XT2_FRAG_BYTES_, struct ip6t_frag);
BYTES_ASSERT(XT2_RT_BYTES_, struct ip6t_rt);
BYTES_ASSERT(XT2_OPTS_BYTES_, struct ip6t_opts);
BYTES_ASSERT(3, struct ip6t_mh);
BYTES_ASSERT(3, struct ip6t_ipv6header_info);

#define ADDR sizeof(struct in6_addr)

void xt2_range_pack_(const __u32 *range, bool inverted, struct xt2_match *out)
{
	struct xt2_match_range *k = (struct xt2_match_range *)out;

	if (inverted)
		out->flags |= XT2_MATCH_INVERT;
	if (!inverted && !range[0] && range[1] == ~0u) {
		out->flags |= XT2_RANGE_NONE;
	} else if (range[0] == range[1]) {
		out->flags |= XT2_RANGE_ONE;
		out->arg = range[0];
	} else {
		out->flags |= XT2_RANGE_BOTH;
		out->size = sizeof(*k);
		memcpy(k->range, range, sizeof(k->range));
	}
}

bool xt2_range_unpack_(const struct xt2_match *m, __u32 *range)
{
	const struct xt2_match_range *k = (const struct xt2_match_range *)m;

	switch (m->flags & XT2_RANGE_FORM) {
	case XT2_RANGE_ONE: range[0] = range[1] = m->arg; break;
	case XT2_RANGE_BOTH:
		range[0] = k->range[0];
		range[1] = k->range[1];
		break;
	default: range[0] = 0; range[1] = ~0u;
	}
	return m->flags & XT2_MATCH_INVERT;
}

void xt2_header_test_pack_(u32 hdrlen, u8 flags, bool inverted, struct xt2_match *out)
{
	struct xt2_header_test *t = (struct xt2_header_test *)((u8 *)out + out->size);

	if (!hdrlen && !flags && !inverted)
		return;
	out->flags |= XT2_HEADER_TEST;
	out->size += sizeof(*t);
	t->hdrlen = hdrlen;
	t->flags = flags;
	t->inverted = inverted;
}

struct xt2_header_test xt2_header_test_unpack_(const struct xt2_match *m)
{
	struct xt2_header_test t = { 0 };
	u32 off = sizeof(*m);

	if (!(m->flags & XT2_HEADER_TEST))
		return t;
	if ((m->flags & XT2_RANGE_FORM) == XT2_RANGE_BOTH)
		off = sizeof(struct xt2_match_range);
	memcpy(&t, (const u8 *)m + off, sizeof(t));
	return t;
}

/* struct ip6t_ah is the same; of its reserved bits, it counts whether there are any. */
_Static_assert(offsetof(struct ip6t_ah, hdrlen) == offsetof(struct ip6t_frag, hdrlen) &&
		       offsetof(struct ip6t_ah, hdrres) == offsetof(struct ip6t_frag, flags) &&
		       offsetof(struct ip6t_ah, invflags) == offsetof(struct ip6t_frag, invflags) &&
		       IP6T_AH_INV_SPI == IP6T_FRAG_INV_IDS &&
		       IP6T_AH_INV_LEN == IP6T_FRAG_INV_LEN &&
		       IP6T_AH_INV_MASK == IP6T_FRAG_INV_MASK,
	       "one structure");

void xt2_frag_unpack_(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt2_header_test t = xt2_header_test_unpack_(m);
	struct ip6t_frag *f = payload;

	f->invflags = xt2_range_unpack_(m, f->ids) ? IP6T_FRAG_INV_IDS : 0;
	f->hdrlen = t.hdrlen;
	f->flags = t.flags;
	if (t.inverted)
		f->invflags |= IP6T_FRAG_INV_LEN;
}

static int frag_pack(const struct ip6t_frag *f, u8 flags, struct xt2_match *out)
{
	if (f->invflags & ~IP6T_FRAG_INV_MASK)
		return -EINVAL;
	xt2_range_pack_(f->ids, f->invflags & IP6T_FRAG_INV_IDS, out);
	xt2_header_test_pack_(f->hdrlen, flags, f->invflags & IP6T_FRAG_INV_LEN, out);
	return 0;
}

int xt2_frag_pack_(const void *payload, u8 family, struct xt2_match *out)
{
	return frag_pack(payload, ((const struct ip6t_frag *)payload)->flags, out);
}

int xt2_ah6_pack_(const void *payload, u8 family, struct xt2_match *out)
{
	return frag_pack(payload, !!((const struct ip6t_ah *)payload)->hdrres, out);
}

void xt2_rt_unpack_(const struct xt2_match *m, u8 family, void *payload)
{
	const __u32 *words = (const __u32 *)(m + 1);
	struct ip6t_rt *r = payload;

	r->flags = XT2_BYTE(m->arg, 0);
	r->invflags = XT2_BYTE(m->arg, 1);
	r->addrnr = XT2_BYTE(m->arg, 2);
	r->rt_type = XT2_BYTE(m->arg, 3);
	r->segsleft[1] = ~0u;
	if (m->flags & XT2_RT_SEGMENTS) {
		memcpy(r->segsleft, words, sizeof(r->segsleft));
		words += 2;
	}
	if (m->flags & XT2_RT_WIDE) {
		r->rt_type = words[0];
		r->hdrlen = words[1];
		words += 2;
	}
	memcpy(r->addrs, words, r->addrnr * ADDR);
}

/* rt_mt6_check() */
static int rt_check(const struct ip6t_rt *r)
{
	if (r->invflags & ~IP6T_RT_INV_MASK || r->addrnr > IP6T_RT_HOPS)
		return -EINVAL;
	if (r->flags & IP6T_RT_FST_MASK && !r->addrnr)
		return -EINVAL;
	if (!(r->flags & (IP6T_RT_RES | IP6T_RT_FST_MASK)))
		return 0;
	if (!(r->flags & IP6T_RT_TYP) || r->rt_type || r->invflags & IP6T_RT_INV_TYP)
		return -EINVAL;
	return 0;
}

int xt2_rt_pack_(const void *payload, u8 family, struct xt2_match *out)
{
	const struct ip6t_rt *r = payload;
	bool wide = r->rt_type > 0xff || r->hdrlen;
	__u32 *words = (__u32 *)(out + 1);

	if (rt_check(r))
		return -EINVAL;
	out->arg = XT2_BYTES(r->flags, r->invflags, r->addrnr, wide ? 0 : r->rt_type);
	if (r->segsleft[0] || r->segsleft[1] != ~0u) {
		out->flags |= XT2_RT_SEGMENTS;
		memcpy(words, r->segsleft, sizeof(r->segsleft));
		words += 2;
	}
	if (wide) {
		out->flags |= XT2_RT_WIDE;
		words[0] = r->rt_type;
		words[1] = r->hdrlen;
		words += 2;
	}
	memcpy(words, r->addrs, r->addrnr * ADDR);
	out->size = (u32)((u8 *)words - (u8 *)out) + r->addrnr * ADDR;
	return 0;
}

void xt2_opts_unpack_(const struct xt2_match *m, u8 family, void *payload)
{
	const __u32 *words = (const __u32 *)(m + 1);
	struct ip6t_opts *o = payload;

	o->flags = XT2_BYTE(m->arg, 0);
	o->invflags = XT2_BYTE(m->arg, 1);
	o->optsnr = XT2_BYTE(m->arg, 2);
	if (m->flags & XT2_OPTS_WIDE) {
		o->hdrlen = words[0];
		words += 2;
	}
	memcpy(o->opts, words, o->optsnr * sizeof(o->opts[0]));
}

int xt2_opts_pack_(const void *payload, u8 family, struct xt2_match *out)
{
	const struct ip6t_opts *o = payload;
	__u32 *words = (__u32 *)(out + 1);

	if (o->invflags & ~IP6T_OPTS_INV_MASK || o->optsnr > IP6T_OPTS_OPTSNR ||
	    o->flags & IP6T_OPTS_NSTRICT)
		return -EINVAL;
	out->arg = XT2_BYTES(o->flags, o->invflags, o->optsnr, 0);
	if (o->hdrlen) {
		out->flags |= XT2_OPTS_WIDE;
		words[0] = o->hdrlen;
		words += 2;
	}
	memcpy(words, o->opts, o->optsnr * sizeof(o->opts[0]));
	out->size = (u32)((u8 *)words - (u8 *)out) + (o->optsnr + 3) / 4 * 8;
	return 0;
}

int xt2_mh_pack_(const void *payload, u8 family, struct xt2_match *out)
{
	const struct ip6t_mh *h = payload;

	return h->invflags & ~IP6T_MH_INV_MASK ? -EINVAL : 0;
}

int xt2_ipv6header_pack_(const void *payload, u8 family, struct xt2_match *out)
{
	const struct ip6t_ipv6header_info *h = payload;

	return !h->modeflag && h->invflags && h->invflags != 0xff ? -EINVAL : 0;
}
