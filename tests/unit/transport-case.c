/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transport-case.c - hand-made and random packets and payloads */
#include "transport-case.h"
#include <time.h>

struct xt2_match *packed_match(void)
{
	static u64 room[PACKED_MAX / 8 + 1];

	return (struct xt2_match *)room;
}

u64 first_seed(void)
{
	const char *text = getenv("XT2_SEED");
	u64 seed = text ? strtoull(text, NULL, 0) : (u64)time(NULL);

	print_message("XT2_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

void packet_bytes(struct packet *p, u8 family, const u8 *bytes, u32 size)
{
	memset(p, 0, sizeof(*p));
	p->bytes = malloc(size);
	assert_non_null(p->bytes);
	memcpy(p->bytes, bytes, size);
	p->pkt.data = p->bytes;
	p->pkt.caplen = p->pkt.len = size;
	p->ctx.pkt = &p->pkt;
	assert_int_equal(xt2_pkt_parse(&p->pkt, family), 0);
}

void packet_free(struct packet *p)
{
	free(p->bytes);
}

static u32 hex_read(const char *hex, u8 *to)
{
	u32 n = 0;

	for (; *hex; hex++) {
		char digits[3] = { hex[0], hex[1], 0 };

		if (*hex == ' ')
			continue;
		to[n++] = strtoul(digits, NULL, 16);
		hex++;
	}
	return n;
}

void packet4(struct packet *p, u8 proto, u16 off, const char *hex)
{
	u8 bytes[512] = { 0x45, 0x01 };
	u32 size = 20 + hex_read(hex, bytes + 20);

	xt2_put_be16(bytes + 2, size);
	xt2_put_be16(bytes + 6, off / 8);
	bytes[8] = 64;
	bytes[9] = proto;
	packet_bytes(p, XT2_IPV4, bytes, size);
}

void packet6(struct packet *p, u8 next, const char *hex)
{
	u8 bytes[512] = { 0x60, 0x10 };
	u32 size = 40 + hex_read(hex, bytes + 40);

	xt2_put_be16(bytes + 4, size - 40);
	bytes[6] = next;
	bytes[8] = 0x20;
	bytes[24] = 0x20;
	packet_bytes(p, XT2_IPV6, bytes, size);
}

static const struct xt2_row *row_of(u8 family, const char *name)
{
	const struct xt2_row *row = xt2_row_find(family, false, name, !strcmp(name, "multiport"));

	assert_non_null(row);
	return row;
}

int pack(u8 family, const char *name, const void *payload, struct xt2_match *out)
{
	const struct xt2_row *row = row_of(family, name);
	u64 aligned[PAYLOAD_MAX / 8] = { 0 };
	int size;

	memcpy(aligned, payload, row->user_size);
	size = xt2_match_pack(xt2_row_find(family, false, name, row->revision), family, aligned,
			      row->size, out, PACKED_MAX);
	if (size > 0) {
		assert_int_equal(size, out->size);
		assert_int_equal(xt2_match_ext_check(out, family), 0);
	}
	return size;
}

/* The bytes of a structure that no member has; a compiler may leave anything there. */
static void padding_clear(const struct xt2_row *row, u8 *payload)
{
	static const struct {
		u8 family, type;
		u16 from, to;
	} holes[] = {
		{ 0, XT2_M_UDP, 9, 10 },       { 0, XT2_M_UDPLITE, 9, 10 },
		{ 0, XT2_M_DCCP, 15, 16 },     { 0, XT2_M_TCPMSS, 5, 6 },
		{ XT2_IPV4, XT2_M_AH, 9, 12 }, { XT2_IPV6, XT2_M_AH, 14, 16 },
		{ 0, XT2_M_ESP, 9, 12 },       { 0, XT2_M_IPCOMP, 10, 12 },
		{ 0, XT2_M_FRAG, 14, 16 },     { 0, XT2_M_RT, 18, 20 },
		{ 0, XT2_M_RT, 277, 280 },     { 0, XT2_M_HBH, 39, 40 },
		{ 0, XT2_M_DST, 39, 40 },
	};
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(holes); i++)
		if (holes[i].type == row->type &&
		    (!holes[i].family || holes[i].family == row->family))
			memset(payload + holes[i].from, 0, holes[i].to - holes[i].from);
}

int pack_clean(u8 family, const char *name, const void *payload, struct xt2_match *out)
{
	const struct xt2_row *row = row_of(family, name);
	u64 clean[PAYLOAD_MAX / 8] = { 0 };

	memcpy(clean, payload, row->user_size);
	padding_clear(row, (u8 *)clean);
	return pack(family, name, clean, out);
}

int answer(struct packet *p, const char *name, const void *payload)
{
	u64 room[PACKED_MAX / 8 + 1];
	struct xt2_match *m = (struct xt2_match *)room;

	assert_true(pack_clean(p->pkt.family, name, payload, m) > 0);
	return xt2_match_ext(m, &p->ctx);
}

u32 chance(u64 *seed, u32 n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)(*seed >> 33) % n;
}

static u8 odd_byte(u64 *seed)
{
	switch (chance(seed, 4)) {
	case 0: return 0xff;
	case 1: return chance(seed, 256);
	default: return chance(seed, 3);
	}
}

/* Ports that packet_random() uses, mostly. */
static u16 port(u64 *seed)
{
	static const u16 some[] = { 0, 1, 22, 53, 80, 443, 1024, 0xffff };

	return chance(seed, 8) ? some[chance(seed, 8)] : chance(seed, 65536);
}

static void port_range(u64 *seed, __u16 *range)
{
	range[0] = range[1] = port(seed);
	if (chance(seed, 2))
		range[1] = port(seed);
	if (!chance(seed, 3)) {
		range[0] = 0;
		range[1] = 0xffff;
	}
}

static void multiport_random(u64 *seed, struct xt_multiport_v1 *m)
{
	u32 i;

	m->flags = chance(seed, 16) ? chance(seed, 3) : chance(seed, 256);
	m->count = chance(seed, 17);
	for (i = 0; i < XT_MULTI_PORTS; i++) {
		m->ports[i] = i < m->count || !chance(seed, 20) ? port(seed) : 0;
		m->pflags[i] = i < m->count && chance(seed, 3) == 0;
		if (i && m->pflags[i - 1]) {
			m->pflags[i] = !chance(seed, 40);
			if (m->ports[i] < m->ports[i - 1])
				m->ports[i] = m->ports[i - 1] + chance(seed, 2);
		}
	}
	if (m->count && m->count <= XT_MULTI_PORTS && m->pflags[m->count - 1] && chance(seed, 10))
		m->pflags[m->count - 1] = 0;
	m->invert = chance(seed, 10) ? chance(seed, 2) : chance(seed, 4);
}

static void sctp_random(u64 *seed, struct xt_sctp_info *s)
{
	static const u8 hows[] = { 1, 2, 4 };
	u32 i;

	memset(s->chunkmap, chance(seed, 8) ? 0 : 0xff, sizeof(s->chunkmap));
	for (i = chance(seed, 5); i; i--) {
		u32 type = chance(seed, 10) ? chance(seed, 8) : chance(seed, 256);

		SCTP_CHUNKMAP_SET(s->chunkmap, type);
	}
	if (!chance(seed, 20))
		s->chunkmap[8 + chance(seed, 56)] ^= 1;
	port_range(seed, s->spts);
	port_range(seed, s->dpts);
	s->chunk_match_type = chance(seed, 20) ? hows[chance(seed, 3)] : chance(seed, 600);
	for (i = 0; i < XT_NUM_SCTP_FLAGS; i++) {
		s->flag_info[i].chunktype = chance(seed, 2) ? 0xff : chance(seed, 8);
		s->flag_info[i].flag = chance(seed, 4);
		s->flag_info[i].flag_mask = chance(seed, 8);
	}
	s->flag_count = chance(seed, 20) ? (s32)chance(seed, 5) : -1;
	s->flags = chance(seed, 20) ? chance(seed, 8) : chance(seed, 16);
	s->invflags = s->flags & chance(seed, 8);
	if (!chance(seed, 20))
		s->invflags ^= 1;
}

static void dccp_random(u64 *seed, struct xt_dccp_info *d)
{
	port_range(seed, d->spts);
	port_range(seed, d->dpts);
	if (chance(seed, 2))
		memset(d, 0, 8);
	d->flags = chance(seed, 20) ? chance(seed, 16) : chance(seed, 65536);
	d->invflags = chance(seed, 20) ? d->flags & chance(seed, 16) : chance(seed, 16);
	d->typemask = chance(seed, 65536);
	d->option = chance(seed, 40);
}

static void rt_random(u64 *seed, struct ip6t_rt *r)
{
	u32 i;

	memset(r, 0, sizeof(*r));
	r->rt_type = chance(seed, 20) ? chance(seed, 3) : 256 + chance(seed, 2);
	r->segsleft[0] = chance(seed, 3);
	r->segsleft[1] = chance(seed, 2) ? ~0u : chance(seed, 5);
	r->hdrlen = chance(seed, 2) ? 0 : 8 * chance(seed, 8);
	r->flags = chance(seed, 64);
	r->invflags = chance(seed, 20) ? chance(seed, 8) : chance(seed, 16);
	r->addrnr = chance(seed, 10) ? chance(seed, 4) : chance(seed, 18);
	if (r->flags & (IP6T_RT_RES | IP6T_RT_FST_MASK) && chance(seed, 4)) {
		r->rt_type = 0;
		r->flags |= IP6T_RT_TYP;
		r->invflags &= ~IP6T_RT_INV_TYP;
	}
	for (i = 0; i < r->addrnr && i < IP6T_RT_HOPS; i++)
		r->addrs[i].s6_addr[15] = chance(seed, 3);
	if (!chance(seed, 10))
		r->addrs[15].s6_addr[0] = 1;
}

static void opts_random(u64 *seed, struct ip6t_opts *o)
{
	u32 i;

	memset(o, 0, sizeof(*o));
	o->hdrlen = chance(seed, 2) ? 0 : 8 * chance(seed, 4);
	o->flags = chance(seed, 20) ? chance(seed, 4) : chance(seed, 8);
	o->invflags = chance(seed, 20) ? chance(seed, 2) : 2;
	o->optsnr = chance(seed, 10) ? chance(seed, 4) : chance(seed, 18);
	for (i = 0; i < IP6T_OPTS_OPTSNR; i++)
		if (i < o->optsnr || !chance(seed, 40))
			o->opts[i] = chance(seed, 4) << 8 |
				     (chance(seed, 2) ? 0xff : chance(seed, 4));
}

/* Two 32-bit bounds at the front of AH, ESP, IPCOMP and FRAG. */
static void range_random(u64 *seed, __u32 *range)
{
	range[0] = chance(seed, 4) ? chance(seed, 4) : 0;
	range[1] = chance(seed, 2) ? ~0u : range[0] + chance(seed, 3);
}

void payload_random(u64 *seed, const struct xt2_row *row, void *payload)
{
	u8 *bytes = payload;
	struct xt_tcp *tcp = payload;
	u32 i;

	for (i = 0; i < row->size; i++)
		bytes[i] = i < row->user_size ? odd_byte(seed) : 0;
	switch (row->type) {
	case XT2_M_TCP:
		tcp->option = chance(seed, 2) ? 0 : chance(seed, 8);
		tcp->flg_cmp = tcp->flg_mask & chance(seed, 256);
		tcp->invflags = chance(seed, 2) ? 0 : chance(seed, 17);
		port_range(seed, tcp->spts);
		port_range(seed, tcp->dpts);
		if (chance(seed, 2))
			tcp->flg_mask = tcp->flg_cmp = 0;
		break;
	case XT2_M_UDP:
	case XT2_M_UDPLITE:
		port_range(seed, ((struct xt_udp *)payload)->spts);
		port_range(seed, ((struct xt_udp *)payload)->dpts);
		break;
	case XT2_M_MULTIPORT: multiport_random(seed, payload); break;
	case XT2_M_SCTP: sctp_random(seed, payload); break;
	case XT2_M_DCCP: dccp_random(seed, payload); break;
	case XT2_M_RT: rt_random(seed, payload); break;
	case XT2_M_HBH:
	case XT2_M_DST: opts_random(seed, payload); break;
	case XT2_M_AH:
	case XT2_M_ESP:
	case XT2_M_IPCOMP:
	case XT2_M_FRAG: range_random(seed, payload); break;
	case XT2_M_ECN:
		bytes[0] &= 0x31;
		bytes[1] &= chance(seed, 9) ? 0x31 : 0xff;
		break;
	case XT2_M_IPV6HEADER: bytes[1] = chance(seed, 3) ? 0 : 0xff; break;
	}
}

u8 row_proto(const struct xt2_row *row)
{
	switch (row->type) {
	case XT2_M_UDP: return 17;
	case XT2_M_UDPLITE: return 136;
	case XT2_M_ICMP: return 1;
	case XT2_M_ICMP6: return 58;
	case XT2_M_SCTP: return 132;
	case XT2_M_DCCP: return 33;
	case XT2_M_AH: return 51;
	case XT2_M_ESP: return 50;
	case XT2_M_IPCOMP: return 108;
	case XT2_M_FRAG: return 44;
	case XT2_M_RT: return 43;
	case XT2_M_HBH: return 0;
	case XT2_M_DST: return 60;
	case XT2_M_MH: return 135;
	default: return 6;
	}
}

/* Four bytes of ports, then small numbers that headers, options and chunks may be made of. */
static u32 transport_random(u64 *seed, u8 proto, u8 *to, u32 room)
{
	u32 i, size = chance(seed, 3) ? 20 + chance(seed, 40) : chance(seed, 24);

	if (size > room)
		size = room;
	for (i = 0; i < size; i++)
		to[i] = odd_byte(seed);
	if (size >= 4 && (proto == 6 || proto == 17 || proto == 132 || proto == 33)) {
		xt2_put_be16(to, port(seed));
		xt2_put_be16(to + 2, port(seed));
	}
	if (proto == 6 && size > 13)
		to[12] = (chance(seed, 8) ? 5 + chance(seed, 6) : chance(seed, 16)) << 4;
	if (proto == 33 && size > 9) {
		to[4] = 3 + chance(seed, 8);
		to[8] = chance(seed, 256);
	}
	for (i = 12; proto == 132 && i + 4 <= size;) {
		u32 length = chance(seed, 10) ? 4 + chance(seed, 12) : chance(seed, 40);

		to[i] = chance(seed, 8);
		to[i + 1] = chance(seed, 8);
		xt2_put_be16(to + i + 2, length);
		i += length ? (length + 3) & ~3u : 4;
	}
	if (proto == 135 && chance(seed, 4))
		to[0] = 59;
	return size;
}

/* An IPv6 extension header of a type. => its bytes, cut off at room */
static u32 header_random(u64 *seed, u8 type, u8 next, u8 *to, u32 room)
{
	u32 words = chance(seed, 3), size = 8 + 8 * words, i;

	if (size > room)
		size = room & ~7u;
	for (i = 0; i < size; i++)
		to[i] = chance(seed, 4);
	if (size < 8)
		return 0;
	to[0] = next;
	to[1] = words;
	if (type == 44) {
		size = 8;
		xt2_put_be16(to + 2, chance(seed, 3) ? chance(seed, 8) : 8 + chance(seed, 16));
	}
	if (type == 51)
		to[1] = words * 2;
	if (type == 43 && chance(seed, 2))
		memset(to + 4, 0, 4);
	if (!chance(seed, 20))
		to[1] = odd_byte(seed);
	return size;
}

u32 packet_random(u64 *seed, u8 family, u8 proto, u8 *bytes, u32 room)
{
	static const u8 headers[] = { 0, 43, 44, 51, 60, 44, 43 };
	u32 n, i, size = family == XT2_IPV4 ? 20 : 40;
	u8 *next;

	memset(bytes, 0, size);
	if (family == XT2_IPV4) {
		bytes[0] = 0x45;
		bytes[1] = chance(seed, 256);
		bytes[9] = proto;
		if (!chance(seed, 8))
			bytes[7] = chance(seed, 4);
		if (!chance(seed, 8)) {
			bytes[0] = 0x46;
			size += 4;
			memset(bytes + 20, 1, 4);
		}
	} else {
		bytes[0] = 0x60;
		bytes[1] = chance(seed, 256);
		next = bytes + 6;
		for (n = chance(seed, 4); n; n--) {
			*next = headers[chance(seed, sizeof(headers))];
			if (!chance(seed, 8))
				*next = proto;
			i = header_random(seed, *next, 59, bytes + size, room - size);
			if (!i)
				break;
			next = bytes + size;
			size += i;
		}
		*next = chance(seed, 8) ? proto : odd_byte(seed);
	}
	size += transport_random(seed, proto, bytes + size, room - size);
	xt2_put_be16(bytes + (family == XT2_IPV4 ? 2 : 4), family == XT2_IPV4 ? size : size - 40);
	return size;
}
