/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world-packets.h - random packets, most of them aimed at a rule
 *
 * What a rule asks for at least (its box) is written into a packet that is
 * otherwise any one of the same world.  Headers may be cut off, fragmented,
 * with options that are broken, behind extension headers.
 */
#ifndef TESTS_WORLD_PACKETS_H
#define TESTS_WORLD_PACKETS_H

#include "world-rules.h"
#include "tests/fuzz/seed-packet.h"
#include "engine/index/box.h"

#define WORLD_PACKET 600 /* bytes */

struct world_packet {
	struct xt2_pkt pkt;
	u8 bytes[WORLD_PACKET];
	u8 mac[14];
};

static inline u32 world_within(struct world *w, u32 least, u32 most)
{
	if (world_often(w, 5))
		return world_below(w, 0x10000);
	return least + world_below(w, most - least < 4 ? most - least + 1 : 4);
}

/* Numbers of the box, other bits of the world. */
static inline void world_put_addr(struct world *w, const struct xt2_box *box, u32 field, u8 *at)
{
	u64 addr[2] = { world_addr4(w), 0 }, mask[2];
	u32 i;

	if (w->family == XT2_IPV6)
		world_addr6(w, addr);
	for (i = 0; i < 2; i++) {
		mask[i] = world_often(w, 95) ? box->mask[field][i] : 0;
		addr[i] = (addr[i] & ~mask[i]) | (box->value[field][i] & mask[i]);
	}
	if (w->family == XT2_IPV6)
		memcpy(at, addr, 16);
	else
		xt2_put_be16(at, (u16)(addr[0] >> 16)), xt2_put_be16(at + 2, (u16)addr[0]);
}

static inline u16 world_put_port(struct world *w, const struct xt2_box *box, u32 key)
{
	u32 i = XT2_RANGE(key);

	if (!box->least[i] && box->most[i] == 0xffff)
		return (u16)world_port(w);
	return (u16)world_within(w, box->least[i], box->most[i]);
}

static inline void world_put_transport(struct world *w, const struct xt2_box *box,
				       struct world_packet *p)
{
	u32 at = p->pkt.thoff;

	if (p->pkt.l4 != XT2_L4_OK || p->pkt.fragoff || at + 4 > p->pkt.caplen || at < 20)
		return;
	if (p->pkt.proto == 1 || p->pkt.proto == 58) {
		xt2_put_be16(p->bytes + at, world_put_port(w, box, XT2_KEY_DPORT));
		return;
	}
	xt2_put_be16(p->bytes + at, world_put_port(w, box, XT2_KEY_SPORT));
	xt2_put_be16(p->bytes + at + 2, world_put_port(w, box, XT2_KEY_DPORT));
}

/* The box's name, or what begins with it; now and then something behind the NUL. */
static inline void world_put_name(struct world *w, const struct xt2_box *box, u32 field, u64 *to)
{
	char name[16];
	u64 words[2];
	u32 i, len;

	world_name(w, name);
	memcpy(words, name, 16);
	for (i = 0; i < 2; i++)
		words[i] = (words[i] & ~box->mask[field][i]) | box->value[field][i];
	if (world_often(w, 10))
		words[0] = words[1] = 0;
	memcpy(name, words, 16);
	len = (u32)strnlen(name, 16);
	if (len < 14 && world_often(w, 10))
		name[len + 1] = 'x';
	memcpy(to, name, 16);
}

static inline u16 world_state(struct world *w, const struct xt2_box *box)
{
	static const u16 states[] = { XT2_CT_INVALID, XT2_CT_NEW, XT2_CT_RELATED,
				      XT2_CT_ESTABLISHED, XT2_CT_UNTRACKED };
	u32 i = XT2_RANGE(XT2_KEY_STATE);

	if (box->most[i] <= XT2_STATE_UNTRACKED && world_often(w, 80))
		return states[box->least[i] + world_below(w, box->most[i] - box->least[i] + 1u)];
	if (world_often(w, 3))
		return (u16)world_below(w, 0x200); /* several at once */
	return states[world_below(w, XT2_ARRAY_SIZE(states))];
}

static inline void world_host(struct world *w, const struct xt2_box *box, struct world_packet *p)
{
	struct xt2_pkt *pkt = &p->pkt;
	const u64 *mark = box->mask[XT2_FIELD_MARK];
	u64 mac = box->mask[XT2_FIELD_MAC][0] ? box->value[XT2_FIELD_MAC][0] : world_mac(w);

	seed_host(pkt, &w->state);
	world_put_name(w, box, XT2_FIELD_IN, pkt->in);
	world_put_name(w, box, XT2_FIELD_OUT, pkt->out);
	pkt->mark = (world_mark(w) & ~(u32)mark[0]) | (u32)box->value[XT2_FIELD_MARK][0];
	pkt->ct.state = (u16)(world_state(w, box) | (pkt->ct.state & XT2_CT_SNAT));
	pkt->ct.mark = world_mark(w);
	pkt->mac = NULL;
	pkt->mac_len = 0;
	if (world_often(w, 90)) {
		memset(p->mac, 0, sizeof(p->mac));
		xt2_put_be16(p->mac + 6, (u16)(mac >> 32));
		xt2_put_be16(p->mac + 8, (u16)(mac >> 16));
		xt2_put_be16(p->mac + 10, (u16)mac);
		pkt->mac = p->mac;
		pkt->mac_len = world_often(w, 98) ? 14 : 13;
	}
}

static inline void world_bytes(struct world *w, const struct xt2_box *box, struct world_packet *p)
{
	const u32 proto = XT2_RANGE(XT2_KEY_PROTO);
	struct seed_packet seed = { .state = &w->state, .proto = (u8)world_proto(w) };

	if (box->least[proto] == box->most[proto])
		seed.proto = (u8)box->least[proto];
	seed_packet(&seed, w->family);
	if (seed.size < 60 && world_often(w, 95)) /* most are whole */
		seed.size = 60 + world_below(w, 100);
	memcpy(p->bytes, seed.bytes, SEED_PACKET_SIZE);
	if (w->family == XT2_IPV4 && world_often(w, 90))
		p->bytes[6] = p->bytes[7] = 0; /* no fragment */
	p->pkt = (struct xt2_pkt){ .data = p->bytes, .caplen = seed.size, .len = seed.size };
	if (world_often(w, 3))
		p->pkt.len += world_below(w, 2000); /* cut off in the capture only */
	p->pkt.room = WORLD_PACKET - SEED_PACKET_SIZE;
}

/*
 * world_packet - a packet, aimed at a rule
 * @r: NULL: at none
 * => it could be parsed
 */
static inline bool world_packet(struct world *w, const struct xt2_rule *r, struct world_packet *p)
{
	static const struct xt2_rule any = { .size = sizeof(any), .target_offset = sizeof(any) };
	struct xt2_box box;

	xt2_box_of(&box, r ? r : &any);
	world_bytes(w, &box, p);
	if (p->pkt.caplen >= 40) {
		world_put_addr(w, &box, XT2_FIELD_SRC, p->bytes + (w->family == XT2_IPV4 ? 12 : 8));
		world_put_addr(w, &box, XT2_FIELD_DST,
			       p->bytes + (w->family == XT2_IPV4 ? 16 : 24));
	}
	world_host(w, &box, p);
	if (xt2_pkt_parse(&p->pkt, w->family))
		return false;
	world_put_transport(w, &box, p);
	return !xt2_pkt_parse(&p->pkt, w->family);
}

/* Room that belongs to the copy. */
static inline void world_packet_copy(struct world_packet *to, const struct world_packet *from)
{
	*to = *from;
	to->pkt.data = to->bytes;
	if (from->pkt.mac)
		to->pkt.mac = to->mac;
}

#endif
