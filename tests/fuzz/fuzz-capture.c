/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz-capture.c - hostile captures
 *
 * The bytes are a capture file.  Every packet that can be read goes through
 * the receive path's checks and the parser, as what it is and as what it
 * isn't, from a block of its exact size; IPv6 headers are looked for one by
 * one, and the answers must fit each other.  Then the packet is written again.
 *
 * libpcap is not instrumented, so random bytes would hardly get past it:
 * mutations are mostly made inside of the packets of a valid file, and IPv4
 * checksums are put right now and then.
 */
#include <stdlib.h>

#include "engine/parse.h"
#include "libxt2/capture.h"

#define PACKETS_MAX 64
#define FILE_HEADER 24
#define RECORD	    16

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

static volatile u8 sink; /* so that what is read is really read */

static void need(bool so)
{
	if (!so)
		abort();
}

/* --- what is tested ---------------------------------------------------------- */

static void check_ip6(struct xt2_pkt *pkt)
{
	static const u8 wanted[] = { XT2_IP6_HOP,
				     XT2_IP6_ROUTING,
				     XT2_IP6_FRAGMENT,
				     XT2_IP6_AUTH,
				     XT2_IP6_NONE,
				     XT2_IP6_DEST,
				     6,
				     17 };
	struct xt2_ip6_walk walk;

	for (u32 i = 0; i < sizeof(wanted); i++) {
		if (xt2_ip6_find(pkt, wanted[i], &walk))
			continue;
		need(walk.next == wanted[i] && walk.off >= 40);
		if (pkt->l4 == XT2_L4_OK && !pkt->fragoff)
			need(walk.off <= pkt->thoff && !walk.fragoff);
		if (wanted[i] == XT2_IP6_HOP || wanted[i] == XT2_IP6_DEST)
			need(xt2_pkt_at(pkt, walk.off, 2));
	}
	if (pkt->l4 == XT2_L4_OK && !pkt->fragoff) {
		need(!xt2_ip6_find(pkt, pkt->proto, &walk));
		need(walk.off == pkt->thoff);
	}
}

static void check_pkt(struct xt2_pkt *pkt, u8 family)
{
	u32 caplen = pkt->caplen;

	if (xt2_pkt_parse(pkt, family))
		return;
	need(pkt->caplen <= caplen && pkt->caplen <= pkt->len && pkt->family == family);
	need(pkt->l4 == XT2_L4_OK || (!pkt->proto && !pkt->fragoff && !pkt->thoff));
	if (pkt->sport || pkt->dport)
		need(xt2_pkt_at(pkt, pkt->thoff, 4) && !pkt->fragoff);
	if (family == XT2_IPV6)
		check_ip6(pkt);
}

/* bytes are the network header and what follows, as captured */
static void check_family(u8 family, u8 *bytes, u32 caplen, u32 wire)
{
	struct xt2_pkt pkt = { .data = bytes, .caplen = caplen, .len = wire };
	u32 len = 0;
	int seen;

	check_pkt(&pkt, family);
	need(pkt.data == bytes);
	seen = xt2_pkt_receive(family, bytes, caplen, wire, &len);
	need(xt2_pkt_seen_name(seen)[0]);
	if (seen != XT2_SEEN && seen != XT2_UNSEEN_LOOPBACK) {
		need(!len);
		return;
	}
	need(len <= wire);
	for (u8 whole = 0; whole < 2; whole++) {
		pkt = (struct xt2_pkt){ .data = bytes, .caplen = caplen, .len = len };
		pkt.whole_exthdrs = whole;
		check_pkt(&pkt, family);
		need(pkt.family == family);
	}
}

static void check_packet(const struct xt2_captured *p)
{
	static const u8 families[] = { XT2_IPV4, XT2_IPV6, XT2_ARP, XT2_BRIDGE };
	u32 caplen = p->caplen - p->network;
	u8 *bytes;

	need(p->network <= p->caplen && p->caplen <= p->len);
	for (u32 i = 0; p->mac && i < 14; i++)
		sink = p->mac[i];
	bytes = malloc(caplen ? caplen : 1);
	need(bytes);
	memcpy(bytes, p->frame + p->network, caplen);
	for (u32 i = 0; i < sizeof(families); i++)
		check_family(families[i], bytes, caplen, p->len - p->network);
	free(bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct xt2_err err;

	need(!xt2_capture_open("/", &err) && err.errnum == EISDIR);
	need(!xt2_capture_open("/dev/null", &err) && err.code == XT2_E_CAPTURE);
	need(!xt2_capture_open("/nosuch", &err) && err.errnum == ENOENT);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	FILE *from = size ? fmemopen((void *)data, size, "r") : NULL;
	struct xt2_captured p;
	struct xt2_capture *cap;
	struct xt2_dump *dump;
	struct xt2_err err = { .code = XT2_OK };
	int more = 0;

	if (!from)
		return 0;
	cap = xt2_capture_stream(from, "input", &err);
	need(!cap == (err.code != XT2_OK) && !cap == (err.message[0] != '\0'));
	if (!cap)
		return 0;
	need(size % 64 || !xt2_dump_open("/nosuch/file", cap, &err));
	dump = size % 8 ? NULL : xt2_dump_open("/dev/null", cap, &err);
	for (u32 i = 0; i < PACKETS_MAX; i++) {
		more = xt2_capture_next(cap, &p, &err);
		if (more <= 0)
			break;
		check_packet(&p);
		if (dump)
			need(!xt2_dump_write(dump, &p));
	}
	need(more >= 0 || (more == -EINVAL && err.message[0] && err.hint[0]));
	if (dump)
		need(!xt2_dump_close(dump, &err));
	xt2_capture_close(cap);
	return 0;
}

/* --- what it is tested with --------------------------------------------------- */

struct maker {
	u8 *bytes;
	size_t size, max;
	u64 seed;
};

static u32 below(struct maker *m, u32 n)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return (u32)(m->seed >> 24) % n;
}

static void put(struct maker *m, u32 v)
{
	if (m->size < m->max)
		m->bytes[m->size++] = (u8)v;
}

static void put16(struct maker *m, u32 v)
{
	put(m, v >> 8);
	put(m, v);
}

static void put32(struct maker *m, u32 v)
{
	put16(m, v >> 16);
	put16(m, v);
}

static void put32le(struct maker *m, u32 v)
{
	put32(m, __builtin_bswap32(v));
}

static void put_random(struct maker *m, u32 n)
{
	while (n--)
		put(m, below(m, 256));
}

static u32 pick(struct maker *m, const u16 *from, u32 n)
{
	return from[below(m, n)];
}

#define PICK(m, ...) \
	pick(m, (const u16[]){ __VA_ARGS__ }, sizeof((const u16[]){ __VA_ARGS__ }) / sizeof(u16))

/* Sets a 16-bit field that was left out, if there was room for it. */
static void set16(struct maker *m, size_t at, u32 v)
{
	if (at + 2 <= m->size)
		xt2_put_be16(m->bytes + at, (u16)v);
}

static void set_checksum(u8 *header, size_t size)
{
	size_t length = (header[0] & 15u) * 4;
	u32 sum = 0;

	if (length < 20 || length > size)
		return;
	header[10] = header[11] = 0;
	for (size_t i = 0; i < length; i += 2)
		sum += xt2_be16(header + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	xt2_put_be16(header + 10, (u16)~sum);
}

static void make_ip4(struct maker *m)
{
	size_t start = m->size;
	u32 words = below(m, 3) ? 0 : below(m, 11);

	put16(m, 0x4500 + words * 256);
	put16(m, 0);
	put16(m, 1);
	put16(m, below(m, 2) ? 0 : below(m, 65536));
	put16(m, 0x4000 + PICK(m, 1, 6, 17, 132));
	put16(m, 0);
	put_random(m, 8 + 4 * words + below(m, 40));
	set16(m, start + 2, (u32)(m->size - start));
	if (m->size - start >= 20)
		set_checksum(m->bytes + start, m->size - start);
}

static void make_option(struct maker *m)
{
	u32 kind = PICK(m, 0, 1, 5, 7, 49, 194, 30), size = below(m, 7);

	put(m, kind);
	if (!kind)
		return;
	put(m, kind == 5 ? 2 : kind == 194 ? 4 : size);
	if (kind == 194)
		put32(m, 65000 + below(m, 2000));
	else if (kind == 5)
		put16(m, 0);
	else
		while (size--)
			put(m, below(m, 20) ? 0 : 1);
}

static void make_ext(struct maker *m, u32 kind, u32 next)
{
	size_t start = m->size, end;
	u32 words = below(m, 3);

	put(m, next);
	put(m, kind == XT2_IP6_FRAGMENT ? 0 : words);
	if (kind == XT2_IP6_FRAGMENT)
		put16(m, below(m, 2) ? 1 : below(m, 65536));
	end = start + (kind == XT2_IP6_FRAGMENT ? 8
		       : kind == XT2_IP6_AUTH	? (words + 2) * 4
						: (words + 1) * 8);
	while (m->size < end && m->size < m->max)
		make_option(m);
	if (m->size > end)
		m->size = end;
}

static void make_ip6(struct maker *m)
{
	size_t start = m->size;
	u32 exts = below(m, 5), kind = exts ? XT2_IP6_HOP : 6;

	if (exts && below(m, 2))
		kind = PICK(m, 43, 44, 51, 60);
	put32(m, 0x60000000);
	put16(m, 0);
	put16(m, kind * 256 + 64);
	for (u32 i = 0; i < 2; i++) {
		put32(m, below(m, 8) ? 0xfd000000 : PICK(m, 0xff00, 0xff01, 0xff02, 0) << 16);
		put32(m, 0);
		put32(m, 0);
		put32(m, below(m, 8) ? 2 : 1);
	}
	for (u32 i = 0; i < exts; i++) {
		u32 next = i + 1 < exts ? PICK(m, 0, 43, 44, 51, 60) : PICK(m, 6, 17, 58, 59, 50);

		make_ext(m, kind, next);
		kind = next;
	}
	put_random(m, below(m, 40));
	if (below(m, 10))
		set16(m, start + 4, (u32)(m->size - start - 40));
}

static void make_arp(struct maker *m)
{
	put32(m, 0x00010800);
	put32(m, 0x06040001);
	put_random(m, 18 + below(m, 4));
}

static u32 make_network(struct maker *m)
{
	u32 type = PICK(m, 0x0800, 0x86dd, 0x86dd, 0x0806);

	if (type == 0x0800)
		make_ip4(m);
	else if (type == 0x86dd)
		make_ip6(m);
	else
		make_arp(m);
	return type;
}

/* Where the ethertype stands in a frame of this link type, and where it ends; 0: none. */
static u32 link_size(u32 link, u32 *type_at)
{
	switch (link) {
	case 1: *type_at = 12; return 14;
	case 113: *type_at = 14; return 16;
	case 276: *type_at = 0; return 20;
	default: *type_at = 0; return link == 0 || link == 108 ? 4 : 0;
	}
}

static void make_frame(struct maker *m, u32 link)
{
	u32 type_at, size = link_size(link, &type_at), tags = size > 4 ? below(m, 3) : 0;
	size_t start = m->size;
	u32 type;

	if (size == 4)
		put32(m, PICK(m, 2, 10, 24, 28, 30));
	else if (below(m, 2))
		put_random(m, size);
	else
		for (u32 i = 0; i < size; i++)
			put(m, PICK(m, 0, 1, 6, 255));
	for (u32 i = 0; i < tags; i++)
		put32(m, PICK(m, 0x8100, 0x88a8));
	type = make_network(m);
	if (size <= 4)
		return;
	set16(m, start + type_at, tags ? PICK(m, 0x8100, 0x88a8) : type);
	if (tags)
		set16(m, start + size + 4 * tags - 2, type);
}

static void make_pcap(struct maker *m)
{
	u32 link = PICK(m, 1, 1, 101, 228, 229, 0, 108, 113, 276), packets = 1 + below(m, 3);

	put32le(m, below(m, 2) ? 0xa1b2c3d4 : 0xa1b23c4d);
	put32le(m, 0x00040002);
	put32le(m, 0);
	put32le(m, 0);
	put32le(m, 65535);
	put32le(m, link);
	while (packets--) {
		size_t start = m->size;

		put32le(m, below(m, 1u << 31) * 2);
		put32le(m, below(m, 1000000));
		put32le(m, 0);
		put32le(m, 0);
		make_frame(m, link);
		if (m->size - start < RECORD)
			break;
		for (u32 i = 8; i <= 12; i += 4)
			xt2_put_be16(m->bytes + start + i,
				     __builtin_bswap16((u16)(m->size - start - RECORD)));
	}
}

static void make_pcapng(struct maker *m)
{
	u32 link = PICK(m, 1, 101, 113, 276);
	size_t start;

	put32le(m, 0x0a0d0d0a);
	put32le(m, 28);
	put32le(m, 0x1a2b3c4d);
	put32le(m, 1);
	put32le(m, ~0u);
	put32le(m, ~0u);
	put32le(m, 28);
	put32le(m, 1);
	put32le(m, 20);
	put32le(m, link);
	put32le(m, 65535);
	put32le(m, 20);
	start = m->size;
	put32le(m, 6);
	put32le(m, 0);
	for (u32 i = 0; i < 5; i++)
		put32le(m, i < 3 ? below(m, 3) * (i != 0) : 0);
	make_frame(m, link);
	while ((m->size - start) % 4)
		put(m, 0);
	for (u32 i = 20; i <= 24 && m->size - start >= 28; i += 4)
		xt2_put_be16(m->bytes + start + i, __builtin_bswap16((u16)(m->size - start - 28)));
	if (m->size - start >= 28)
		xt2_put_be16(m->bytes + start + 4, __builtin_bswap16((u16)(m->size - start + 4)));
	put32le(m, (u32)(m->size - start + 4));
}

/* Changes a byte of a frame, and now and then puts a checksum right. */
static void change_frame(struct maker *m)
{
	u32 at, type_at, link;

	if (m->size <= FILE_HEADER + RECORD)
		return;
	at = FILE_HEADER + RECORD + below(m, (u32)(m->size - FILE_HEADER - RECORD));
	m->bytes[at] = below(m, 2) ? m->bytes[at] ^ (u8)(1 << below(m, 8))
				   : (u8)PICK(m, 0, 1, 2, 5, 43, 44, 51, 59, 60, 127, 255);
	link = m->bytes[20] | m->bytes[21] << 8;
	at = FILE_HEADER + RECORD + link_size(link, &type_at);
	if (below(m, 4) && m->size > at + 20 && m->bytes[at] >> 4 == 4)
		set_checksum(m->bytes + at, m->size - at);
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	struct maker m = { .bytes = data, .size = size, .max = max };

	m.seed = (seed + 1) * 0x9e3779b97f4a7c15ull;
	below(&m, 2);
	switch (below(&m, 8)) {
	case 0:
		m.size = 0;
		make_pcap(&m);
		return m.size;
	case 1:
		m.size = 0;
		make_pcapng(&m);
		return m.size;
	case 2:
	case 3: return LLVMFuzzerMutate(data, size, max);
	default:
		for (u32 n = 1 + below(&m, 4); n; n--)
			change_frame(&m);
		return m.size;
	}
}
