/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h - packed rules for tests, a match at a time
 *
 *	struct rule_build b;
 *
 *	rule_begin(&b);
 *	rule_source(&b, 0x0a000001, 32);
 *	rule = rule_end(&b, XT2_TARGET(XT2_T_DROP, 0));
 */
#ifndef TESTS_RULES_H
#define TESTS_RULES_H

#include <string.h>
#include <xt2/ext.h>

struct rule_build {
	__u64 room[128];
	unsigned int used; /* bytes */
};

static inline void rule_begin(struct rule_build *b)
{
	memset(b, 0, sizeof(*b));
	b->used = sizeof(struct xt2_rule);
}

/* => a zeroed match of so many bytes */
static inline void *rule_match(struct rule_build *b, int type, unsigned int size, __u32 arg)
{
	struct xt2_match *m = (struct xt2_match *)((char *)b->room + b->used);

	m->type = (__u8)type;
	m->size = (__u16)size;
	m->arg = arg;
	b->used += size;
	return m;
}

/* IPv4 and ARP source, 1 to 32 bits of prefix. */
static inline void rule_source(struct rule_build *b, __u32 addr, unsigned int prefix)
{
	struct xt2_match *m = rule_match(b, XT2_M_SRC4, sizeof(*m), addr);

	m->flags = (__u8)(32 - prefix);
}

static inline void rule_proto(struct rule_build *b, __u8 proto)
{
	rule_match(b, XT2_M_PROTO, sizeof(struct xt2_match), proto);
}

static inline void rule_comment(struct rule_build *b, int instance)
{
	rule_match(b, XT2_M_COMMENT, sizeof(struct xt2_match), (__u32)instance);
}

static inline void rule_foreign(struct rule_build *b, int instance)
{
	rule_match(b, XT2_M_FOREIGN, sizeof(struct xt2_match), (__u32)instance);
}

static inline void rule_quota(struct rule_build *b, int cell, __u64 quota)
{
	struct xt2_match_quota *q = rule_match(b, XT2_M_QUOTA, sizeof(*q), (__u32)cell);

	q->quota = quota;
}

/* A target without data. */
static inline struct xt2_rule *rule_end(struct rule_build *b, __u32 target)
{
	struct xt2_rule *r = (struct xt2_rule *)b->room;

	r->size = r->target_offset = (__u16)b->used;
	r->target = target;
	return r;
}

/* A rule without matches. */
static inline struct xt2_rule *rule_plain(struct rule_build *b, __u32 target)
{
	rule_begin(b);
	return rule_end(b, target);
}

#endif
