/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transport-case.h - packets and payloads for the tests of transport matches */
#ifndef TEST_EXT_TRANSPORT_H
#define TEST_EXT_TRANSPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netfilter_ipv6/ip6t_ah.h>
#include <linux/netfilter_ipv6/ip6t_frag.h>
#include <linux/netfilter_ipv6/ip6t_ipv6header.h>
#include <linux/netfilter_ipv6/ip6t_mh.h>
#include <linux/netfilter_ipv6/ip6t_opts.h>
#include <linux/netfilter_ipv6/ip6t_rt.h>
#include "extensions/extensions.h"
#include "tests/lib/unit-program.h"
#include "translators/ext/translate.h"

#define PAYLOAD_MAX 304
#define PACKED_MAX  XT2_PACK_ROOM(PAYLOAD_MAX)

/* A packet in memory of exactly its size, so that a sanitizer sees what is beyond. */
struct packet {
	u8 *bytes;
	struct xt2_pkt pkt;
	struct xt2_ctx ctx;
};

/* hex is what follows the IP header; spaces don't count.  off: fragment offset in bytes. */
void packet4(struct packet *p, u8 proto, u16 off, const char *hex);
void packet6(struct packet *p, u8 next, const char *hex);
void packet_bytes(struct packet *p, u8 family, const u8 *bytes, u32 size);
void packet_free(struct packet *p);

/* => bytes, or what xt2_match_pack() refuses with; what it accepts is checked */
int pack(u8 family, const char *name, const void *payload, struct xt2_match *out);

/* The same, but for a structure whose padding may be anything. */
int pack_clean(u8 family, const char *name, const void *payload, struct xt2_match *out);

/* => enum xt2_answer of the match that the payload is packed to */
int answer(struct packet *p, const char *name, const void *payload);

u32 chance(u64 *seed, u32 n); /* 0 to n - 1 */

/* A payload that the kernel may or may not accept, and bytes that look like a packet. */
void payload_random(u64 *seed, const struct xt2_row *row, void *payload);
u32 packet_random(u64 *seed, u8 family, u8 proto, u8 *bytes, u32 room);

/* The protocol or header that a match wants to see. */
u8 row_proto(const struct xt2_row *row);

/* Packets with family, name and payload; the compound literal is the payload. */
#define ANSWER(p, name, type, ...) answer(&(p), name, &(struct type){ __VA_ARGS__ })
#define HITS(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_HIT)
#define MISSES(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_MISS)
#define DROPS(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_HOTDROP)
#define HIT_DROPS(...)		   assert_int_equal(ANSWER(__VA_ARGS__), XT2_HIT_DROP)

/* A match as it was packed last by PACKS(). */
#define PACKED packed_match()
struct xt2_match *packed_match(void);

#define PACKS(size, family, name, type, ...) \
	assert_int_equal(pack_clean(family, name, &(struct type){ __VA_ARGS__ }, PACKED), size)
#define REFUSES(family, name, type, ...) PACKS(-EINVAL, family, name, type, __VA_ARGS__)

#define ANY               \
	{                 \
		0, 0xffff \
	}

/* 80 -> 1024, SYN and ACK, options: MSS 1460, NOP, window scale 7 */
#define SYN_ACK "0050 0400 00000000 00000000 7012 0000 0000 0000 020405b4 01 030307"

/* XT2_SEED, or another one each time, which is printed. */
u64 first_seed(void);

#endif
