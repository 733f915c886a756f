/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-case.h - a chain of IPv4 rules with an index, and what it finds for a packet
 *
 * A rule is known by its number, from 0.
 */
#ifndef TESTS_UNIT_INDEX_CASE_H
#define TESTS_UNIT_INDEX_CASE_H

#include <stdlib.h>
#include "engine/index/find.h"
#include "engine/parse.h"
#include "tests/lib/packets.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define INDEX_RULES 512

struct index_case {
	struct xt2_chain *chain;
	const struct xt2_index *ix;
	u32 place[INDEX_RULES]; /* offset of each rule, the tail included */
	u32 rules; /* without the tail */
};

/* Limits that give any chain one kind of index. */
static const struct xt2_index_limits index_columns = { 0, INDEX_RULES, 0, 0, false };
static const struct xt2_index_limits index_bits = { 0, 0, INDEX_RULES, 0, false };
static const struct xt2_index_limits index_pairs = { 0, 0, 0, 0, false };
static const struct xt2_index_limits index_segments = { 0, 0, 0, INDEX_RULES, false };

static inline void index_begin(struct index_case *c)
{
	memset(c, 0, sizeof(*c));
	c->chain = calloc(1, sizeof(*c->chain) + INDEX_RULES * 128 + xt2_index_bound(INDEX_RULES));
	assert_non_null(c->chain);
	c->chain->size = sizeof(*c->chain);
}

static inline void index_free(struct index_case *c)
{
	free(c->chain);
	c->chain = NULL;
}

static inline void index_add(struct index_case *c, const struct xt2_rule *r)
{
	assert_true(c->chain->rules < INDEX_RULES);
	c->place[c->chain->rules++] = c->chain->tail = c->chain->size;
	memcpy((u8 *)c->chain + c->chain->size, r, r->size);
	c->chain->size += r->size;
	c->chain->used = c->chain->size;
}

/* -s src -d dst -p tcp --dport port, as far as they are not 0. */
static inline void index_add_flow(struct index_case *c, u32 src, u32 dst, u16 port, u32 target)
{
	struct rule_build b;
	struct xt2_match *m;

	rule_begin(&b);
	if (src)
		rule_source(&b, src, 32);
	if (dst)
		rule_match(&b, XT2_M_DST4, sizeof(*m), dst);
	if (port) {
		rule_proto(&b, 6);
		m = rule_match(&b, XT2_M_TCP, sizeof(*m), port * 0x10001u);
		m->flags = XT2_PORTS_DST;
	}
	index_add(c, rule_end(&b, target));
}

/* The tail, then an index in so many bytes.  => the kind, which has been checked */
static inline u8 index_make_in(struct index_case *c, const struct xt2_index_limits *limits,
			       u64 room)
{
	void *scratch = malloc(xt2_index_scratch(INDEX_RULES));
	const char *what = "";
	struct rule_build b;
	u32 size;

	assert_non_null(scratch);
	c->rules = c->chain->rules;
	index_add(c, rule_plain(&b, XT2_TARGET(XT2_T_RETURN, 0)));
	size = xt2_index_build(c->chain, XT2_IPV4, limits, xt2_at(c->chain, c->chain->used), room,
			       scratch);
	free(scratch);
	if (!size)
		return XT2_INDEX_NONE;
	assert_true(size <= room);
	c->chain->lookup = c->chain->used;
	c->chain->size += size;
	c->ix = xt2_chain_index(c->chain);
	if (xt2_index_check(c->chain, XT2_IPV4, &what))
		fail_msg("%s", what);
	return c->ix->kind;
}

static inline u8 index_make(struct index_case *c, const struct xt2_index_limits *limits)
{
	return index_make_in(c, limits, xt2_index_bound(INDEX_RULES));
}

/* A TCP packet; buf has room for 128 bytes. */
static inline void index_packet(struct xt2_pkt *pkt, u8 *buf, u32 src, u32 dst, u16 port)
{
	const u32 size = packet_ipv4(buf, src, dst, 6, 1000, port);

	memset(pkt, 0, sizeof(*pkt));
	assert_int_equal(packet_parse(pkt, XT2_IPV4, buf, size), 0);
}

/* => the rule at an offset */
static inline u32 index_rule_at(const struct index_case *c, u32 place)
{
	u32 i;

	for (i = 0; i < c->rules && c->place[i] != place; i++)
		;
	assert_true(i < c->rules);
	return i;
}

/* All candidates for a packet, from the chain's start.  => how many, in order */
static inline u32 index_find_all(const struct index_case *c, const struct xt2_pkt *pkt, u32 *found)
{
	static struct xt2_search s;
	u32 n = 0, after = 0, turns = 0, i;

	memset(&s, 0, sizeof(s));
	assert_true(xt2_keys_fill(&s.keys, pkt, c->ix->asks));
	do {
		xt2_index_find(c->chain, &s, pkt, after);
		assert_true(turns++ <= c->rules);
		for (i = 0; i < s.units && n < INDEX_RULES; i++)
			found[n++] = index_rule_at(c, s.unit[s.base + i] & ~XT2_UNIT_FLAGS);
		after = s.resume;
	} while (after);
	return n;
}

/* The candidates for a flow are these rules. */
#define INDEX_FINDS(c, src, dst, port, ...)                                             \
	do {                                                                            \
		const u32 want[] = { __VA_ARGS__ };                                     \
		u32 found[INDEX_RULES];                                                 \
		struct xt2_pkt pkt;                                                     \
		u8 buf[128];                                                            \
                                                                                        \
		index_packet(&pkt, buf, src, dst, port);                                \
		assert_int_equal(index_find_all(c, &pkt, found), XT2_ARRAY_SIZE(want)); \
		assert_memory_equal(found, want, sizeof(want));                         \
	} while (0)
#define INDEX_FINDS_NOTHING(c, src, dst, port)                       \
	do {                                                         \
		u32 found[INDEX_RULES];                              \
		struct xt2_pkt pkt;                                  \
		u8 buf[128];                                         \
                                                                     \
		index_packet(&pkt, buf, src, dst, port);             \
		assert_int_equal(index_find_all(c, &pkt, found), 0); \
	} while (0)

#endif
