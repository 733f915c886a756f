/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seed-packet.h - random packets that rules like to look at
 *
 * Headers are mostly sound, their fields mostly small, so that the rules of
 * rules.h hold now and then; every layer may be cut off.  Not for checksums:
 * the parser does not look at them.
 */
#ifndef XT2_FUZZ_SEED_PACKET_H
#define XT2_FUZZ_SEED_PACKET_H

#include "seed-image.h"

#define SEED_PACKET_SIZE 512

struct seed_packet {
	u64 *state;
	u8 proto; /* often this one; 0: any */
	u32 size;
	u8 bytes[SEED_PACKET_SIZE];
};

static inline void seed_put(struct seed_packet *p, u32 v)
{
	if (p->size < SEED_PACKET_SIZE)
		p->bytes[p->size++] = (u8)v;
}

static inline void seed_put16(struct seed_packet *p, u32 v)
{
	seed_put(p, v >> 8);
	seed_put(p, v);
}

static inline void seed_put32(struct seed_packet *p, u32 v)
{
	seed_put16(p, v >> 16);
	seed_put16(p, v);
}

/* One of bytes that rules.h speaks of, or any. */
static inline void seed_bytes(struct seed_packet *p, u32 n)
{
	static const u8 liked[] = { 0, 0, 1, 2, 3, 4, 5, 6, 8, 'G', 'E', 'T', 'a', 0xff };

	while (n--)
		seed_put(p, seed_below(p->state, 4)
				    ? liked[seed_below(p->state, XT2_ARRAY_SIZE(liked))]
				    : (u32)seed_next(p->state));
}

/* Kind, length, data; up to size bytes. */
static inline void seed_options(struct seed_packet *p, u32 size)
{
	static const u8 kinds[] = { 0, 1, 1, 2, 3, 4, 5, 7, 8, 30, 32 };
	u32 end = p->size + size, n;

	while (p->size < end && p->size < SEED_PACKET_SIZE) {
		n = kinds[seed_below(p->state, XT2_ARRAY_SIZE(kinds))];
		seed_put(p, n);
		if (n < 2 && seed_below(p->state, 8))
			continue;
		n = seed_below(p->state, 6) ? 2 + seed_below(p->state, 4)
					    : seed_below(p->state, 50);
		seed_put(p, n);
		seed_bytes(p, n > 2 ? n - 2 : 0);
	}
	if (p->size > end)
		p->size = end;
}

static inline void seed_ports(struct seed_packet *p)
{
	static const u16 ports[] = { 0, 1, 5, 7, 9, 22, 53, 80, 443, 4096, 8080, 65535 };

	seed_put16(p, ports[seed_below(p->state, XT2_ARRAY_SIZE(ports))]);
	seed_put16(p, ports[seed_below(p->state, XT2_ARRAY_SIZE(ports))]);
}

static inline void seed_tcp(struct seed_packet *p)
{
	u32 words = seed_below(p->state, 4) ? seed_below(p->state, 6) : 0;

	seed_ports(p);
	seed_bytes(p, 8);
	seed_put(p, seed_below(p->state, 16) ? (5 + words) << 4 : (u32)seed_next(p->state));
	seed_put(p, seed_below(p->state, 3) ? 2 : (u32)seed_next(p->state));
	seed_bytes(p, 6);
	if (words && seed_below(p->state, 2)) { /* an MSS comes first */
		seed_put32(p, 0x02040000 | (seed_below(p->state, 2) ? 1460 : 300));
		words--;
	}
	seed_options(p, words * 4);
}

static inline void seed_sctp(struct seed_packet *p)
{
	static const u8 types[] = { 0, 0, 1, 3, 6, 14, 192, 63 };
	u32 n = seed_below(p->state, 5), size;

	seed_ports(p);
	seed_bytes(p, 8);
	while (n--) {
		size = seed_below(p->state, 10) ? 4 + seed_below(p->state, 9)
						: seed_below(p->state, 99);
		seed_put(p, types[seed_below(p->state, XT2_ARRAY_SIZE(types))]);
		seed_put(p, seed_below(p->state, 8));
		seed_put16(p, size);
		seed_bytes(p, size > 4 ? (size - 1) / 4 * 4 : 0);
	}
}

static inline void seed_dccp(struct seed_packet *p)
{
	static const u8 fixed[] = { 16, 20, 12, 20, 24, 24, 24, 24, 24, 24 };
	u32 type = seed_below(p->state, 10), words = seed_below(p->state, 4);

	seed_ports(p);
	seed_put(p, seed_below(p->state, 8) ? fixed[type] / 4 + words : (u32)seed_next(p->state));
	seed_bytes(p, 3);
	seed_put(p, type << 1 | seed_below(p->state, 2));
	seed_bytes(p, fixed[type] > 9 ? fixed[type] - 9u : 0);
	seed_options(p, words * 4);
}

static inline void seed_transport(struct seed_packet *p, u8 proto)
{
	switch (proto) {
	case 6: seed_tcp(p); break;
	case 33: seed_dccp(p); break;
	case 132: seed_sctp(p); break;
	case 17:
	case 136:
		seed_ports(p);
		seed_bytes(p, 4);
		break;
	default: seed_bytes(p, 12);
	}
	if (seed_below(p->state, 2))
		seed_bytes(p, seed_below(p->state, 60));
}

static inline u8 seed_proto(struct seed_packet *p, u8 other)
{
	return p->proto && seed_below(p->state, 4) ? p->proto : other;
}

static inline void seed_ip4(struct seed_packet *p)
{
	static const u8 protos[] = { 6, 6, 6, 17, 136, 1, 132, 33, 50, 51, 108, 47 };
	u8 proto = seed_proto(p, protos[seed_below(p->state, XT2_ARRAY_SIZE(protos))]);
	u32 words = seed_below(p->state, 4) ? 0 : seed_below(p->state, 5);

	seed_put(p, 0x45 + words);
	seed_put(p, seed_below(p->state, 3) ? 0 : (u32)seed_next(p->state));
	seed_put16(p, 0);
	seed_bytes(p, 2);
	seed_put16(p, seed_below(p->state, 4) ? 0 : (u32)seed_next(p->state) & 0x3003);
	seed_put(p, seed_below(p->state, 2) ? 64 : seed_below(p->state, 5));
	seed_put(p, proto);
	seed_put16(p, 0);
	seed_put32(p, 0x0a000000 | seed_below(p->state, 12));
	seed_put32(p, 0x0a000000 | seed_below(p->state, 12));
	seed_options(p, words * 4);
	seed_transport(p, proto);
	p->bytes[2] = (u8)(p->size >> 8);
	p->bytes[3] = (u8)p->size;
}

static inline void seed_ext(struct seed_packet *p, u8 kind, u8 next)
{
	u32 n = seed_below(p->state, 4), start = p->size;

	seed_put(p, next);
	if (kind == 43) { /* type 0 with n addresses */
		seed_put(p, seed_below(p->state, 8) ? n * 2 : seed_below(p->state, 9));
		seed_put(p, seed_below(p->state, 3) * 2);
		seed_put(p, seed_below(p->state, n + 1));
		seed_put32(p, 0);
		for (; n; n--) {
			seed_put16(p, 0xfd00);
			for (u32 i = 0; i < 12; i++)
				seed_put(p, 0);
			seed_put16(p, seed_below(p->state, 3));
		}
	} else if (kind == 44) {
		seed_put(p, 0);
		seed_put16(p, seed_below(p->state, 2) ? seed_below(p->state, 2)
						      : (u32)seed_next(p->state) & 0x19);
		seed_put32(p, seed_below(p->state, 9));
	} else if (kind == 51) {
		seed_put(p, 1);
		seed_put16(p, seed_below(p->state, 2));
		seed_put32(p, seed_below(p->state, 9));
		seed_put32(p, 1);
	} else {
		seed_put(p, n);
		seed_options(p, n * 8 + 6);
	}
	if (!seed_below(p->state, 32))
		p->size = start + seed_below(p->state, p->size - start);
}

static inline void seed_address(struct seed_packet *p)
{
	seed_put16(p, seed_below(p->state, 6) ? 0xfd00 : 0xff02);
	seed_put32(p, 0);
	seed_put16(p, 0);
	seed_put32(p, 0x000000ff); /* as from the MAC address 02:00:00:00:00:01 */
	seed_put32(p, 0xfe000000 | seed_below(p->state, 12));
}

static inline void seed_ip6(struct seed_packet *p)
{
	static const u8 protos[] = { 6, 6, 6, 17, 136, 58, 132, 33, 50, 108, 135, 59 };
	static const u8 kinds[] = { 43, 43, 44, 51, 60, 60 };
	u8 proto = seed_proto(p, protos[seed_below(p->state, XT2_ARRAY_SIZE(protos))]);
	u8 chain[6], n = 0;

	if (!seed_below(p->state, 3))
		chain[n++] = 0;
	while (n < 5 && !seed_below(p->state, 3))
		chain[n++] = kinds[seed_below(p->state, XT2_ARRAY_SIZE(kinds))];
	chain[n] = proto;
	seed_put(p, 0x60 | seed_below(p->state, 16));
	seed_put(p, (u32)seed_next(p->state));
	seed_put32(p, 0);
	seed_put(p, chain[0]);
	seed_put(p, seed_below(p->state, 2) ? 64 : seed_below(p->state, 5));
	seed_address(p);
	seed_address(p);
	for (u32 i = 0; i < n; i++)
		seed_ext(p, chain[i], chain[i + 1]);
	seed_transport(p, proto);
	p->bytes[4] = (u8)((p->size - 40) >> 8);
	p->bytes[5] = (u8)(p->size - 40);
}

static inline void seed_packet_arp(struct seed_packet *p)
{
	seed_put32(p, 0x00010800);
	seed_put16(p, 0x0604);
	seed_put16(p, 1 + seed_below(p->state, 2));
	for (u32 i = 0; i < 2; i++) {
		seed_put32(p, 0x02000000);
		seed_put16(p, seed_below(p->state, 3));
		seed_put32(p, 0x0a000000 | seed_below(p->state, 3));
	}
}

/* What the host knows, or does not. */
static inline void seed_host(struct xt2_pkt *pkt, u64 *state)
{
	static const char names[][16] = { "", "lo", "eth0", "tap0", "eth1234567890ab" };
	static const u16 states[] = { 0, 1, 2, 4, 8, 0x48, 0x82, 0x100 };
	static const u8 mac[14] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd };
	u64 *const ifaces[] = { pkt->in, pkt->out, pkt->physin, pkt->physout };

	for (u32 i = 0; i < XT2_ARRAY_SIZE(ifaces); i++)
		memcpy(ifaces[i], names[seed_below(state, XT2_ARRAY_SIZE(names))], 16);
	pkt->bridged = (u8)seed_below(state, 2);
	pkt->pkttype = (u8)seed_below(state, 4);
	if (seed_below(state, 2)) {
		pkt->mac = mac;
		pkt->mac_len = sizeof(mac);
	}
	pkt->mark = seed_below(state, 9);
	pkt->in_group = seed_below(state, 3);
	pkt->out_group = seed_below(state, 3);
	pkt->cpu = seed_below(state, 4);
	pkt->src_type = (u16)seed_below(state, 6);
	pkt->dst_type = (u16)seed_below(state, 6);
	pkt->src_type_in = pkt->dst_type_out = (u16)seed_below(state, 6);
	pkt->mtu = seed_below(state, 2) ? 1500 : seed_below(state, 100);
	pkt->whole_exthdrs = (u8)seed_below(state, 2);
	pkt->ct = (struct xt2_pkt_ct){
		.state = states[seed_below(state, XT2_ARRAY_SIZE(states))],
		.reply = (u8)seed_below(state, 2),
		.proto = (u8)(seed_below(state, 2) ? 6 : 17),
		.status = (u32)seed_next(state) & 0x3ff,
		.mark = seed_below(state, 9),
		.expires = seed_below(state, 200),
		.tuple = (u8)seed_below(state, 4),
		.orig_sport = 3,
		.orig_dport = 53,
		.repl_sport = 53,
		.repl_dport = (u16)(6 + seed_below(state, 2)),
		.orig_src = { pkt->family == XT2_IPV6 ? 0xfd : 0x0100000a },
		.orig_dst = { 0x0200000a },
		.repl_src = { 0x0200000a },
		.repl_dst = { 0x0300000a },
	};
}

/* A packet of family; p->state is set.  Now and then it is cut off anywhere. */
static inline void seed_packet(struct seed_packet *p, u8 family)
{
	p->size = 0;
	if (family == XT2_IPV4)
		seed_ip4(p);
	else if (family == XT2_IPV6)
		seed_ip6(p);
	else
		seed_packet_arp(p);
	if (!seed_below(p->state, 6))
		p->size = seed_below(p->state, p->size + 1);
}

#endif
