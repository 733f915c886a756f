/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-transport.c - legacy payloads of the transport matches
 *
 * A payload is packed into the smallest form that says the same; what the
 * kernel's check function refuses is refused.  Payloads that libxtables never
 * makes (an odd truth value, bytes past a list's end) keep a copy of
 * themselves, so that they come back byte for byte.
 */
#include "xt-transport.h"
#include <linux/netfilter/xt_dccp.h>
#include <linux/netfilter/xt_ecn.h>
#include <linux/netfilter/xt_esp.h>
#include <linux/netfilter/xt_ipcomp.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_sctp.h>
#include <linux/netfilter/xt_tcpmss.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv4/ipt_ah.h>

XT2_COPY_ASSERT_(XT2_VERBATIM_UDP, struct xt_udp);
XT2_COPY_ASSERT_(XT2_VERBATIM_MULTIPORT, struct xt_multiport_v1);
XT2_COPY_ASSERT_(XT2_VERBATIM_SCTP, struct xt_sctp_info);
XT2_COPY_ASSERT_(XT2_VERBATIM_DCCP, struct xt_dccp_info);
XT2_COPY_ASSERT_(XT2_VERBATIM_TCPMSS, struct xt_tcpmss_match_info);
XT2_COPY_ASSERT_(XT2_VERBATIM_AH4, struct ipt_ah);
XT2_COPY_ASSERT_(XT2_VERBATIM_ESP, struct xt_esp);
XT2_COPY_ASSERT_(XT2_VERBATIM_IPCOMP, struct xt_ipcomp);

#define PORT_MAX 0xffff

/* --- tcp, udp, udplite -------------------------------------------------- */

static bool any_port(const __u16 *range)
{
	return !range[0] && range[1] == PORT_MAX;
}

static void one_port_pack(u8 form, const __u16 *range, bool inverted, struct xt2_match *out)
{
	out->flags = form | (inverted ? XT2_MATCH_INVERT : 0);
	out->arg = range[0] | (u32)range[1] << 16;
}

/* The forms that tcp and udp have in common; inv has no other bits than SRC and DST. */
static bool ports_pack(const __u16 *spts, const __u16 *dpts, u8 inv, struct xt2_match *out)
{
	if (any_port(spts) && any_port(dpts) && !inv) {
		out->flags = XT2_PORTS_NONE;
	} else if (any_port(spts) && !(inv & XT2_PORTS_INV_SRC)) {
		one_port_pack(XT2_PORTS_DST, dpts, inv, out);
	} else if (any_port(dpts) && !(inv & XT2_PORTS_INV_DST)) {
		one_port_pack(XT2_PORTS_SRC, spts, inv, out);
	} else {
		return false;
	}
	return true;
}

static void all_ports_pack(const __u16 *spts, const __u16 *dpts, u32 arg, struct xt2_match *out)
{
	struct xt2_match_ports *k = (struct xt2_match_ports *)out;

	out->size = sizeof(*k);
	out->flags = XT2_PORTS_ALL;
	out->arg = arg;
	memcpy(k->spts, spts, sizeof(k->spts));
	memcpy(k->dpts, dpts, sizeof(k->dpts));
}

static int tcp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_tcp *t = payload;
	bool flags = t->flg_mask || t->flg_cmp || t->invflags & XT_TCP_INV_FLAGS;
	bool option = t->option || t->invflags & XT_TCP_INV_OPTION;

	if (t->invflags & ~XT_TCP_INV_MASK)
		return -EINVAL;
	if (!flags && !option && ports_pack(t->spts, t->dpts, t->invflags, out))
		return 0;
	if (!option && any_port(t->spts) && any_port(t->dpts) &&
	    !(t->invflags & ~XT_TCP_INV_FLAGS)) {
		out->flags = XT2_PORTS_FLAGS | (t->invflags ? XT2_MATCH_INVERT : 0);
		out->arg = XT2_BYTES(t->flg_mask, t->flg_cmp, 0, 0);
		return 0;
	}
	all_ports_pack(t->spts, t->dpts, XT2_BYTES(t->invflags, t->option, t->flg_mask, t->flg_cmp),
		       out);
	return 0;
}

void xt2_tcp_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_ports *k = (const struct xt2_match_ports *)m;
	const bool inverted = m->flags & XT2_MATCH_INVERT;
	struct xt_tcp *t = payload;

	t->spts[1] = t->dpts[1] = PORT_MAX;
	switch (m->flags & XT2_PORTS_FORM) {
	case XT2_PORTS_SRC:
		t->spts[0] = m->arg;
		t->spts[1] = m->arg >> 16;
		t->invflags = inverted ? XT2_PORTS_INV_SRC : 0;
		break;
	case XT2_PORTS_DST:
		t->dpts[0] = m->arg;
		t->dpts[1] = m->arg >> 16;
		t->invflags = inverted ? XT2_PORTS_INV_DST : 0;
		break;
	case XT2_PORTS_FLAGS:
		t->flg_mask = XT2_BYTE(m->arg, 0);
		t->flg_cmp = XT2_BYTE(m->arg, 1);
		t->invflags = inverted ? XT2_PORTS_INV_FLAGS : 0;
		break;
	case XT2_PORTS_ALL:
		memcpy(t->spts, k->spts, sizeof(k->spts));
		memcpy(t->dpts, k->dpts, sizeof(k->dpts));
		t->invflags = XT2_BYTE(m->arg, 0);
		t->option = XT2_BYTE(m->arg, 1);
		t->flg_mask = XT2_BYTE(m->arg, 2);
		t->flg_cmp = XT2_BYTE(m->arg, 3);
	}
}

static void udp_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_udp *u = payload;
	struct xt_tcp t = { .option = 0 };

	xt2_tcp_unpack(m, family, &t);
	memcpy(u->spts, t.spts, sizeof(u->spts));
	memcpy(u->dpts, t.dpts, sizeof(u->dpts));
	u->invflags = t.invflags;
}

static int udp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_udp *u = payload;

	if (u->invflags & ~XT_UDP_INV_MASK)
		return -EINVAL;
	if (!ports_pack(u->spts, u->dpts, u->invflags, out))
		all_ports_pack(u->spts, u->dpts, u->invflags, out);
	return 0;
}

/* --- icmp; ICMPv6's structure is the same --------------------------------------------------------------- */

static int icmp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct ipt_icmp *i = payload;

	return i->invflags & ~IPT_ICMP_INV ? -EINVAL : 0;
}

/* --- multiport ---------------------------------------------------------- */

/* => the entries that start a range, or -EINVAL: multiport_valid_ranges() */
static int ranges_of(const struct xt_multiport_v1 *p)
{
	int ranges = 0;
	u32 i;

	for (i = 0; i < p->count; i++) {
		if (!p->pflags[i])
			continue;
		ranges |= 1 << i;
		if (++i >= p->count || p->pflags[i] || p->ports[i - 1] > p->ports[i])
			return -EINVAL;
	}
	return ranges;
}

static void multiport_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	const struct xt2_match_multiport *k = (const struct xt2_match_multiport *)m;
	struct xt_multiport_v1 *p = payload;
	u32 i;

	p->count = XT2_BYTE(m->arg, 0);
	p->flags = XT2_BYTE(m->arg, 1);
	p->invert = !!(m->flags & XT2_MATCH_INVERT);
	for (i = 0; i < p->count && i < XT_MULTI_PORTS; i++) {
		p->ports[i] = k->ports[i];
		p->pflags[i] = m->arg >> (16 + i) & 1;
	}
}

static int multiport_pack(const void *payload, u8 family, struct xt2_match *out)
{
	struct xt2_match_multiport *k = (struct xt2_match_multiport *)out;
	const struct xt_multiport_v1 *p = payload;
	u32 count = p->count;
	int ranges;

	if (p->flags > XT_MULTIPORT_EITHER || count > XT_MULTI_PORTS)
		return -EINVAL;
	ranges = ranges_of(p);
	if (ranges < 0)
		return ranges;
	/* The kernel's exclusive or with 2 or more is true, whatever the ports are. */
	if (p->invert > 1)
		count = ranges = 0;
	out->size = sizeof(*out) + (count + 3) / 4 * 8;
	out->flags = p->invert ? XT2_MATCH_INVERT : 0;
	out->arg = XT2_BYTES(count, p->flags, 0, 0) | (u32)ranges << 16;
	memcpy(k->ports, p->ports, count * sizeof(p->ports[0]));
	return 0;
}

/* --- ports of sctp and dccp: a payload begins with them as the body does -- */

static u8 *ports_append(const void *payload, struct xt2_match *out)
{
	if (xt2_raw64(payload)) {
		out->flags |= XT2_PORTS_FOLLOW;
		memcpy(out + 1, payload, 8);
		out->size += 8;
	}
	return (u8 *)out + out->size;
}

/* => what follows them */
static const u8 *ports_follow(const struct xt2_match *m, void *payload)
{
	const u8 *at = (const u8 *)(m + 1);

	if (!(m->flags & XT2_PORTS_FOLLOW))
		return at;
	memcpy(payload, at, 8);
	return at + 8;
}

/* --- sctp --------------------------------------------------------------- */

#define MAP_WORDS     8 /* as many as there are chunk types */
#define INFO_NO_CHUNK 0xff
#define HOW_NONE      (XT2_SCTP_ANY | XT2_SCTP_ALL) /* neither of them: nothing holds */

/* => flags of the map, whose words past the last type are all or none by rights */
static u8 map_flags(const __u32 *map)
{
	u8 flags = 0;
	u32 i;

	for (i = 0; i < 256 / sizeof(__u32); i++)
		if (map[i])
			flags |= i < MAP_WORDS ? XT2_SCTP_MAP : XT2_SCTP_REST;
	return flags;
}

/* What libxtables puts there before it reads chunk flags. */
static bool no_info(const struct xt_sctp_flag_info *info)
{
	u32 i;

	for (i = 0; i < XT_NUM_SCTP_FLAGS; i++)
		if (info[i].chunktype != INFO_NO_CHUNK || info[i].flag || info[i].flag_mask)
			return false;
	return true;
}

static void sctp_info_unpack(const u8 *packed, struct xt_sctp_flag_info *info)
{
	u32 i;

	for (i = 0; i < XT_NUM_SCTP_FLAGS; i++, packed += 4) {
		info[i].chunktype = packed[0];
		info[i].flag = packed[1];
		info[i].flag_mask = packed[2];
	}
}

static void sctp_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	static const u8 none[XT_NUM_SCTP_FLAGS][4] = {
		{ INFO_NO_CHUNK }, { INFO_NO_CHUNK }, { INFO_NO_CHUNK }, { INFO_NO_CHUNK }
	};
	struct xt_sctp_info *s = payload;
	const u8 *part = ports_follow(m, payload);

	s->flags = XT2_BYTE(m->arg, 0);
	s->invflags = XT2_BYTE(m->arg, 1);
	s->chunk_match_type = XT2_BYTE(m->arg, 2);
	s->flag_count = XT2_BYTE(m->arg, 3);
	if (m->flags & XT2_SCTP_MAP) {
		memcpy(s->chunkmap, part, sizeof(struct xt2_sctp_map));
		part += sizeof(struct xt2_sctp_map);
	}
	if (m->flags & XT2_SCTP_REST)
		memset(s->chunkmap + MAP_WORDS, 0xff,
		       sizeof(s->chunkmap) - sizeof(struct xt2_sctp_map));
	sctp_info_unpack(m->flags & XT2_SCTP_INFO ? part : none[0], s->flag_info);
}

/* sctp_mt_check() */
static int sctp_check(const struct xt_sctp_info *s)
{
	const u32 how = SCTP_CHUNK_MATCH_ALL | SCTP_CHUNK_MATCH_ANY | SCTP_CHUNK_MATCH_ONLY;

	if ((u32)s->flag_count > XT_NUM_SCTP_FLAGS)
		return -EINVAL;
	if ((s->flags | s->invflags) & ~XT_SCTP_VALID_FLAGS || s->invflags & ~s->flags)
		return -EINVAL;
	return s->flags & XT_SCTP_CHUNK_TYPES && !(s->chunk_match_type & how) ? -EINVAL : 0;
}

static int sctp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_sctp_info *s = payload;
	u8 how = s->chunk_match_type > 0xff ? HOW_NONE : s->chunk_match_type;
	u8 *part;
	u32 i;

	if (sctp_check(s))
		return -EINVAL;
	out->flags = map_flags(s->chunkmap);
	out->arg = XT2_BYTES(s->flags, s->invflags, how, s->flag_count);
	part = ports_append(payload, out);
	if (out->flags & XT2_SCTP_MAP) {
		memcpy(part, s->chunkmap, sizeof(struct xt2_sctp_map));
		part += sizeof(struct xt2_sctp_map);
	}
	if (!no_info(s->flag_info)) {
		out->flags |= XT2_SCTP_INFO;
		for (i = 0; i < XT_NUM_SCTP_FLAGS; i++, part += 4) {
			part[0] = s->flag_info[i].chunktype;
			part[1] = s->flag_info[i].flag;
			part[2] = s->flag_info[i].flag_mask;
		}
	}
	out->size = (u32)(part - (u8 *)out);
	return 0;
}

/* --- dccp --------------------------------------------------------------- */

static void dccp_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_dccp_info *d = payload;

	d->flags = XT2_BYTE(m->arg, 1) & 15;
	d->invflags = XT2_BYTE(m->arg, 1) >> 4;
	ports_follow(m, payload);
}

static int dccp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_dccp_info *d = payload;

	if ((d->flags | d->invflags) & ~XT_DCCP_VALID_FLAGS || d->invflags & ~d->flags)
		return -EINVAL;
	out->arg |= XT2_BYTES(0, d->flags | d->invflags << 4, 0, 0);
	ports_append(payload, out);
	return 0;
}

/* --- tcpmss, ecn -------------------------------------------------------- */

static void tcpmss_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	((struct xt_tcpmss_match_info *)payload)->invert = !!(m->flags & XT2_MATCH_INVERT);
}

static int tcpmss_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_tcpmss_match_info *t = payload;

	/* As with multiport, 2 and more make it true. */
	if (t->invert > 1)
		out->flags = XT2_TCPMSS_ANY;
	else if (t->invert)
		out->flags = XT2_MATCH_INVERT;
	return 0;
}

static int ecn_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_ecn_info *e = payload;

	return (e->operation | e->invert) & XT_ECN_OP_MATCH_MASK ? -EINVAL : 0;
}

/* --- ah of IPv4, esp, ipcomp -------------------------------------------- */

_Static_assert(sizeof(struct ipt_ah) == sizeof(struct xt_esp) &&
		       offsetof(struct ipt_ah, invflags) == offsetof(struct xt_esp, invflags) &&
		       IPT_AH_INV_SPI == XT_ESP_INV_SPI && XT_IPCOMP_INV_SPI == XT_ESP_INV_SPI &&
		       IPT_AH_INV_MASK == XT_ESP_INV_MASK && XT_IPCOMP_INV_MASK == XT_ESP_INV_MASK,
	       "one structure");
_Static_assert(offsetof(struct xt_ipcomp, invflags) == offsetof(struct xt_esp, invflags),
	       "begins alike");

static void esp_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	struct xt_esp *e = payload;

	e->invflags = xt2_range_unpack_(m, e->spis) ? XT_ESP_INV_SPI : 0;
}

static int esp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	const struct xt_esp *e = payload;

	if (e->invflags & ~XT_ESP_INV_MASK)
		return -EINVAL;
	xt2_range_pack_(e->spis, e->invflags & XT_ESP_INV_SPI, out);
	return 0;
}

static void ipcomp_unpack(const struct xt2_match *m, u8 family, void *payload)
{
	esp_unpack(m, family, payload);
	((struct xt_ipcomp *)payload)->hdrres = !!(m->flags & XT2_IPCOMP_RES);
}

static int ipcomp_pack(const void *payload, u8 family, struct xt2_match *out)
{
	int err = esp_pack(payload, family, out);

	if (((const struct xt_ipcomp *)payload)->hdrres)
		out->flags |= XT2_IPCOMP_RES;
	return err;
}

/* --- rows --------------------------------------------------------------- */

#define ROW(nam, fam, rev, TYPE, type, ...) \
	XT2_MATCH_ROW_(nam, fam, rev, TYPE, sizeof(struct type), sizeof(struct type), __VA_ARGS__)
#define ROW4(nam, TYPE, type, ...) ROW(nam, XT2_IPV4, 0, TYPE, type, __VA_ARGS__)
#define ROW6(nam, TYPE, bytes, ...) \
	XT2_MATCH_ROW_(nam, XT2_IPV6, 0, TYPE, bytes, bytes, __VA_ARGS__)
#define ROWS46(nam, rev, TYPE, type, ...)                 \
	ROW(nam, XT2_IPV4, rev, TYPE, type, __VA_ARGS__), \
		ROW(nam, XT2_IPV6, rev, TYPE, type, __VA_ARGS__)
#define ROW46(nam, TYPE, type, ...) ROWS46(nam, 0, TYPE, type, __VA_ARGS__)

#define WITH(fn)  .pack = fn##_pack, .unpack = fn##_unpack
#define WITH6(fn) .pack = xt2_##fn##_pack_, .unpack = xt2_##fn##_unpack_
#define COPIES	  .copies = true

const struct xt2_row xt2_transport_rows[] = {
	ROW46("tcp", TCP, xt_tcp, .pack = tcp_pack, .unpack = xt2_tcp_unpack),
	ROW46("udp", UDP, xt_udp, WITH(udp), COPIES),
	ROW46("udplite", UDPLITE, xt_udp, WITH(udp), COPIES),
	ROW4("icmp", ICMP, ipt_icmp, .bytes = 4, .pack = icmp_pack),
	ROW("icmp6", XT2_IPV6, 0, ICMP6, ipt_icmp, .bytes = 4, .pack = icmp_pack),
	ROWS46("multiport", 1, MULTIPORT, xt_multiport_v1, WITH(multiport), COPIES),
	ROW46("sctp", SCTP, xt_sctp_info, WITH(sctp), COPIES),
	ROW46("dccp", DCCP, xt_dccp_info, WITH(dccp), COPIES,
	      .field = { XT2_ROW_FIELD(xt_dccp_info, option, 1, XT2_TO_ARG),
			 XT2_ROW_FIELD(xt_dccp_info, typemask, 2, XT2_TO_ARG + 2) }),
	ROW46("tcpmss", TCPMSS, xt_tcpmss_match_info, .bytes = 4, WITH(tcpmss), COPIES),
	ROW46("ecn", ECN, xt_ecn_info, .bytes = 4, .pack = ecn_pack),
	ROW4("ah", AH, ipt_ah, WITH(esp), COPIES),
	ROW6("ah", AH, XT2_AH6_BYTES_, .pack = xt2_ah6_pack_, .unpack = xt2_frag_unpack_, COPIES),
	ROW46("esp", ESP, xt_esp, WITH(esp), COPIES),
	ROW46("ipcomp", IPCOMP, xt_ipcomp, WITH(ipcomp), COPIES),
	ROW6("frag", FRAG, XT2_FRAG_BYTES_, WITH6(frag), COPIES),
	ROW6("rt", RT, XT2_RT_BYTES_, WITH6(rt), COPIES),
	ROW6("hbh", HBH, XT2_OPTS_BYTES_, WITH6(opts), COPIES),
	ROW6("dst", DST, XT2_OPTS_BYTES_, WITH6(opts), COPIES),
	ROW6("mh", MH, 3, .bytes = 3, .pack = xt2_mh_pack_),
	ROW6("ipv6header", IPV6HEADER, 3, .bytes = 3, .pack = xt2_ipv6header_pack_),
	ROW6("eui64", EUI64, 4, .bytes = 4),
	{ .name = NULL },
};
