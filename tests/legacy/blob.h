/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blob.h - tables of ipt, ip6t and arpt made by hand, entry by entry
 *
 * Knows no more than sizes and offsets, and nothing of the translators that it
 * is there to test.
 */
#ifndef XT2_TESTS_LEGACY_BLOB_H
#define XT2_TESTS_LEGACY_BLOB_H

#include <stdlib.h>
#include <string.h>
#include "translators/table/legacy.h"

#define EACH 6
#define IP   1 /* families that a case is for */
#define IPV6 2
#define ARP  4

/* A format; offsets in the header, then in an entry. */
static const struct shape {
	const char *name;
	u8 family, bit;
	bool compat;
	u32 header, underflow, num_counters, hooks;
	u32 entry, target, proto;
} shapes[EACH] = {
	{ "ipt64", XT2_IPV4, IP, false, 96, 64, 84, 0x0e, 112, 88, 80 },
	{ "ipt32", XT2_IPV4, IP, true, 92, 64, 84, 0x0e, 112, 88, 80 },
	{ "ip6t64", XT2_IPV6, IPV6, false, 96, 64, 84, 0x0e, 168, 140, 128 },
	{ "ip6t32", XT2_IPV6, IPV6, true, 92, 64, 84, 0x0e, 164, 140, 128 },
	{ "arpt64", XT2_ARP, ARP, false, 80, 56, 68, 0x07, 192, 164, 0 },
	{ "arpt32", XT2_ARP, ARP, true, 76, 56, 68, 0x07, 188, 164, 0 },
};

/* A table filter, entry by entry. */
struct blob {
	const struct shape *s;
	u32 len, entries;
	u32 rule; /* offset of the entry that is being made */
	u32 hook; /* whose chain it is in */
	u32 hooks; /* bits of those that the header is to name */
	u8 bytes[1 << 18];
};

static inline void put16(u8 *p, u32 v)
{
	p[0] = (u8)v;
	p[1] = (u8)(v >> 8);
}

static inline void put32(u8 *p, u32 v)
{
	put16(p, v);
	put16(p + 2, v >> 16);
}

static inline u32 align(const struct blob *b, u32 size)
{
	return b->s->compat ? (size + 3) & ~3u : (size + 7) & ~7u;
}

static inline u32 offset(const struct blob *b)
{
	return b->len - b->s->header;
}

static inline const struct shape *shape_of(u8 family, bool compat)
{
	const struct shape *s = shapes;

	while (s->family != family || s->compat != compat)
		s++;
	return s;
}

/* => to free() */
static inline struct blob *blob_new(const struct shape *s)
{
	struct blob *b = calloc(1, sizeof(*b));

	b->s = s;
	b->len = s->header;
	strcpy((char *)b->bytes, "filter");
	return b;
}

static inline void rule_begin(struct blob *b, u32 proto)
{
	b->rule = b->len;
	b->len += b->s->entry;
	b->entries++;
	if (b->s->proto)
		b->bytes[b->rule + b->s->proto] = (u8)proto;
	if (proto && b->s->family == XT2_IPV6)
		b->bytes[b->rule + 131] = 1; /* IP6T_F_PROTO */
}

static inline u8 *extension(struct blob *b, const char *name, u8 revision, const void *payload,
			    u32 size)
{
	u8 *to = b->bytes + b->len;

	put16(to, 32 + align(b, size));
	memcpy(to + 2, name, strlen(name));
	to[31] = revision;
	memcpy(to + 32, payload, size);
	b->len += 32 + align(b, size);
	return to;
}

static inline void target(struct blob *b, const char *name, u8 revision, const void *payload,
			  u32 size)
{
	put16(b->bytes + b->rule + b->s->target, b->len - b->rule);
	extension(b, name, revision, payload, size);
	put16(b->bytes + b->rule + b->s->target + 2, b->len - b->rule);
}

static inline void verdict(struct blob *b, s32 v)
{
	target(b, "", 0, &v, sizeof(v));
}

static inline void plain(struct blob *b, s32 v)
{
	rule_begin(b, 0);
	verdict(b, v);
}

static inline void head(struct blob *b, const char *name)
{
	char payload[30] = { 0 };

	strcpy(payload, name);
	rule_begin(b, 0);
	target(b, "ERROR", 0, payload, sizeof(payload));
}

#endif
