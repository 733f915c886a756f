/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sctp.c - SCTP ports, chunk types and chunk flags
 *
 * Ports, the map of chunk types and the tests of chunk flags are there only
 * if they are used.  The walk over a packet's chunks ends at its length or at
 * a broken chunk, which drops the packet; an inverted chunk test holds even
 * then, so that the rule counts before the drop.  Source:
 * net/netfilter/xt_sctp.c.
 */
#include "transport.h"

#define SCTP_HEADER  12
#define CHUNK_HEADER 4 /* type, flags, length */
#define MAP_WORDS    8

/* Where the parts of a match are; NULL: not there. */
struct parts {
	const struct xt2_match_sctp __img *ports;
	const struct xt2_sctp_map __img *map;
	const u8 __img *info; /* [4][4]: chunk type, value, mask, 0 */
	u32 size; /* bytes of all of them and the head */
};

static struct parts parts_of(const struct xt2_match __img *m)
{
	const u8 __img *bytes = (const u8 __img *)m;
	struct parts p = { .size = sizeof(*m) };

	if (m->flags & XT2_PORTS_FOLLOW) {
		p.ports = (const struct xt2_match_sctp __img *)m;
		p.size = sizeof(struct xt2_match_sctp);
	}
	if (m->flags & XT2_SCTP_MAP) {
		p.map = (const struct xt2_sctp_map __img *)(bytes + p.size);
		p.size += sizeof(struct xt2_sctp_map);
	}
	if (m->flags & XT2_SCTP_INFO) {
		p.info = bytes + p.size;
		p.size += XT2_SCTP_FLAGS_MAX * 4;
	}
	return p;
}

/* The first test for this type decides; no test: any flags will do. */
static bool flags_hold(const struct parts *p, u32 n, const u8 *chunk)
{
	const u8 __img *info = p->info;
	u32 i;

	for (i = xt2_zero; info && i < n && xt2_can_loop; i++, info += 4)
		if (info[0] == chunk[0])
			return (chunk[1] & info[2]) == info[1];
	return true;
}

static bool in_map(const struct parts *p, u8 type)
{
	return p->map && p->map->map[type / 32] >> type % 32 & 1;
}

/* The state after the chunks seen so far. */
struct seen {
	u8 how; /* XT2_SCTP_ANY, ALL, ONLY or anything else */
	u32 missing[MAP_WORDS]; /* ALL */
};

/* One chunk. => enum xt2_answer if it decides, else -1 */
static int chunk_match(const struct xt2_match __img *m, const struct parts *p, struct seen *seen,
		       const u8 *chunk)
{
	const u8 type = chunk[0];
	bool holds;

	if (!in_map(p, type))
		return seen->how == XT2_SCTP_ONLY ? XT2_MISS : -1;
	holds = flags_hold(p, XT2_BYTE(m->arg, 3), chunk);
	switch (seen->how) {
	case XT2_SCTP_ANY: return holds ? XT2_HIT : -1;
	case XT2_SCTP_ALL:
		if (holds)
			seen->missing[type / 32] &= ~(1u << type % 32);
		return -1;
	case XT2_SCTP_ONLY: return holds ? -1 : XT2_MISS;
	}
	return -1;
}

/* All chunks were met and none decided. */
static int end_match(const struct xt2_match __img *m, const struct seen *seen)
{
	u32 i, missing = m->flags & XT2_SCTP_REST;

	if (seen->how != XT2_SCTP_ALL)
		return seen->how == XT2_SCTP_ONLY ? XT2_HIT : XT2_MISS;
	for (i = 0; i < MAP_WORDS; i++)
		missing |= seen->missing[i];
	return missing ? XT2_MISS : XT2_HIT;
}

static int chunks_match(const struct xt2_match __img *m, const struct parts *p, struct xt2_pkt *pkt)
{
	struct seen seen = { .how = XT2_BYTE(m->arg, 2) };
	u32 off = pkt->thoff + SCTP_HEADER, i, size;
	const u8 *chunk;
	int answer;

	for (i = 0; p->map && i < MAP_WORDS; i++)
		seen.missing[i] = p->map->map[i];
	do {
		chunk = xt2_pkt_at(pkt, off, CHUNK_HEADER);
		size = chunk ? xt2_be16(chunk + 2) : 0;
		if (!size)
			return XT2_HOTDROP;
		off += (size + 3) & ~3u;
		answer = chunk_match(m, p, &seen, chunk);
		xt2_forget(answer);
		if (answer >= 0)
			return answer;
	} while (off < pkt->len && xt2_can_loop);
	return end_match(m, &seen);
}

/* A port test misses, inversion included. */
static bool port_misses(const struct xt2_match __img *m, u8 test, const __u16 __img *range,
			u16 port)
{
	const u8 tested = XT2_BYTE(m->arg, 0), inverted = XT2_BYTE(m->arg, 1);

	return tested & test && xt2_port_holds_(range, port) == !!(inverted & test);
}

int xt2_sctp_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	const struct parts p = parts_of(m);
	struct xt2_pkt *pkt = xt2_ctx_pkt(ctx);
	int answer;

	if (!xt2_transport_(pkt, SCTP_HEADER, &answer))
		return answer;
	if (port_misses(m, XT2_SCTP_SRC, p.ports ? p.ports->spts : NULL, pkt->sport) ||
	    port_misses(m, XT2_SCTP_DST, p.ports ? p.ports->dpts : NULL, pkt->dport))
		return XT2_MISS;
	if (!(XT2_BYTE(m->arg, 0) & XT2_SCTP_CHUNKS))
		return XT2_HIT;
	return xt2_answer_late_(chunks_match(m, &p, pkt), XT2_BYTE(m->arg, 1) & XT2_SCTP_CHUNKS);
}

int xt2_sctp_check(const struct xt2_match __img *m, u8 family)
{
	const u8 all = XT2_SCTP_SRC | XT2_SCTP_DST | XT2_SCTP_CHUNKS;
	const u8 how = XT2_SCTP_ANY | XT2_SCTP_ALL | XT2_SCTP_ONLY;
	const u8 tested = XT2_BYTE(m->arg, 0), inverted = XT2_BYTE(m->arg, 1);

	if (!xt2_family_inet(family) || tested & ~all || inverted & ~tested)
		return -EINVAL;
	if (XT2_BYTE(m->arg, 3) > XT2_SCTP_FLAGS_MAX)
		return -EINVAL;
	if (tested & XT2_SCTP_CHUNKS && !(XT2_BYTE(m->arg, 2) & how))
		return -EINVAL;
	return xt2_size_check_(m, parts_of(m).size, XT2_VERBATIM_SCTP,
			       XT2_PORTS_FOLLOW | XT2_SCTP_MAP | XT2_SCTP_INFO | XT2_SCTP_REST);
}
