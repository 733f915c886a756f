/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext-case.h - one rule, one packet, a few cells: what a test of an extension needs
 *
 * The cells are in an image of their own, so that a match finds them as it
 * would in a real one.  Packets are built with right checksums.
 */
#ifndef EXT_CASE_H
#define EXT_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "engine/eval.h"
#include "tests/lib/unit-program.h"
#include "translators/ext/translate.h"

struct ext_case {
	struct xt2_ctx ctx;
	struct xt2_pkt pkt;
	struct xt2_event events[8];
	struct {
		struct xt2_image head;
		struct xt2_root root;
		u64 cells[XT2_MEMORY_CELLS]; /* a memory, or some of single matches */
		u64 rule[512];
	} img;
	struct xt2_rule *rule;
	u8 bytes[256];
};

static u64 case_seed;

/* What runs before the cases of a file with random ones. */
static inline int case_seed_set(void **state)
{
	const char *s = getenv("XT2_SEED");

	case_seed = s ? strtoull(s, NULL, 0) : (u64)time(NULL) * 0x9e3779b97f4a7c15ull;
	printf("seed: XT2_SEED=%llu\n", (unsigned long long)case_seed);
	case_seed |= 1;
	return 0;
}

/* The upper half of a multiplicative generator. */
static inline u32 case_random(void)
{
	case_seed = case_seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(case_seed >> 33) ^ (u32)(case_seed >> 20);
}

/* Small numbers and numbers with few bits are as likely as others. */
static inline u32 case_number(void)
{
	switch (case_random() % 4) {
	case 0: return case_random() % 16;
	case 1: return 1u << case_random() % 32;
	case 2: return ~(1u << case_random() % 32);
	}
	return case_random();
}

static inline void case_reset(struct ext_case *c)
{
	memset(c, 0, sizeof(*c));
	c->img.root.cells = XT2_ARRAY_SIZE(c->img.cells);
	c->img.root.cell = offsetof(__typeof__(c->img), cells);
	c->rule = (struct xt2_rule *)c->img.rule;
	c->ctx.img = &c->img.head;
	c->ctx.root = &c->img.root;
	c->ctx.pkt = &c->pkt;
	c->ctx.random = 1;
	c->ctx.events = c->events;
	c->ctx.events_size = XT2_ARRAY_SIZE(c->events);
}

/* A rule without matches. */
static inline void case_rule(struct ext_case *c, u32 target, const void *data, u32 size)
{
	c->rule->size = (u16)(sizeof(*c->rule) + size);
	c->rule->target_offset = sizeof(*c->rule);
	c->rule->target = target;
	if (size)
		memcpy(c->rule + 1, data, size);
}

/* Puts a match behind the others. */
static inline void case_add(struct ext_case *c, const struct xt2_match *m)
{
	u8 *end = (u8 *)c->rule + c->rule->target_offset;

	memmove(end + m->size, end, xt2_rule_target_size(c->rule));
	memcpy(end, m, m->size);
	c->rule->size += m->size;
	c->rule->target_offset += m->size;
}

/* --- packets ------------------------------------------------------------ */

static inline u32 case_sum(const u8 *p, u32 len)
{
	u32 i, sum = 0;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : (u32)p[i] << 8;
	return sum;
}

static inline u16 case_fold(u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

/* Pseudo header and TCP: 0xffff if the checksum is right. */
static inline u16 case_tcp_sum(const struct xt2_pkt *pkt)
{
	bool v4 = pkt->family == XT2_IPV4;
	u32 len = pkt->len - pkt->thoff;

	return case_fold(case_sum(pkt->data + (v4 ? 12 : 8), v4 ? 8 : 32) + len + 6 +
			 case_sum(pkt->data + pkt->thoff, len));
}

static inline u16 case_ip_sum(const struct xt2_pkt *pkt)
{
	return case_fold(case_sum(pkt->data, (pkt->data[0] & 0xf) * 4u));
}

/* Fills in what does not depend on the family, and parses. */
static inline void case_tcp(struct ext_case *c, u32 thoff, u32 tcp)
{
	u32 i;

	memset(&c->pkt, 0, sizeof(c->pkt));
	for (i = 0; i < tcp && thoff + i < sizeof(c->bytes); i++)
		c->bytes[thoff + i] = (u8)case_random();
	if (tcp >= 20) {
		c->bytes[thoff + 12] = 0x50;
		memset(c->bytes + thoff + 16, 0, 2);
	}
	c->pkt.data = c->bytes;
	c->pkt.caplen = c->pkt.len = thoff + tcp;
	c->pkt.room = sizeof(c->bytes) - thoff - tcp;
}

static inline void case_tcp_finish(struct ext_case *c)
{
	memset(c->bytes + c->pkt.thoff + 16, 0, 2);
	xt2_put_be16(c->bytes + c->pkt.thoff + 16, (u16)~case_tcp_sum(&c->pkt));
}

/* An IPv4 header of hlen bytes and tcp bytes of TCP, 20 of which are its header. */
static inline void case_packet4(struct ext_case *c, u32 hlen, u32 tcp)
{
	u8 *p = c->bytes;
	u32 i;

	case_tcp(c, hlen, tcp);
	for (i = 0; i < hlen; i++)
		p[i] = (u8)case_random();
	p[0] = 0x40 | (u8)(hlen / 4);
	xt2_put_be16(p + 2, (u16)(hlen + tcp));
	memset(p + 6, 0, 2);
	p[9] = 6;
	memset(p + 10, 0, 2);
	xt2_put_be16(p + 10, (u16)~case_fold(case_sum(p, hlen)));
	xt2_pkt_parse(&c->pkt, XT2_IPV4);
	if (tcp >= 20)
		case_tcp_finish(c);
}

static inline void case_packet6(struct ext_case *c, u32 tcp)
{
	u8 *p = c->bytes;
	u32 i;

	case_tcp(c, 40, tcp);
	for (i = 0; i < 40; i++)
		p[i] = (u8)case_random();
	p[0] = 0x60 | (p[0] & 0xf);
	xt2_put_be16(p + 4, (u16)tcp);
	p[6] = 6;
	xt2_pkt_parse(&c->pkt, XT2_IPV6);
	if (tcp >= 20)
		case_tcp_finish(c);
}

/* The other direction. */
static inline void case_swap(struct xt2_pkt *pkt)
{
	u32 a = pkt->src4;

	pkt->src4 = pkt->dst4;
	pkt->dst4 = a;
}

#endif
