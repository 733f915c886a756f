/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-case.h - tables in the kernel's formats: those that the tools sent, and by hand
 *
 * tests/legacy/vectors/README says what was sent and what the kernel answered.
 */
#ifndef TESTS_UNIT_LEGACY_CASE_H
#define TESTS_UNIT_LEGACY_CASE_H

#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_IDLETIMER.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_string.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/lib/unit-program.h"
#include "tests/legacy/blob.h"
#include "tests/legacy/turn.h"
#include "tests/unit/vectors-case.h"

static inline u32 header(const struct vector *v)
{
	return (v->family == XT2_ARP ? 80u : 96u) - (v->compat ? 4 : 0);
}

static inline void show(const struct turn *t, const struct vector *v, int ret)
{
	if (ret)
		print_error("%s (%d, compat %d): %d %s; entry %u, offset %u, %s: %s\n", v->name,
			    v->family, v->compat, ret, t->why ? t->why : "", t->err.entry,
			    t->err.offset, t->err.field ? t->err.field : "-",
			    t->err.what ? t->err.what : "-");
}

/* INPUT of IPv4, OUTPUT of ARP begins here, or ends with the last entry. */
static inline void hook_begin(struct blob *b)
{
	b->hook = 1;
	b->hooks |= 2;
	put32(b->bytes + 48, offset(b));
}

static inline void hook_end(struct blob *b, s32 policy)
{
	plain(b, policy);
	put32(b->bytes + b->s->underflow + 4 * b->hook, b->rule - b->s->header);
}

static inline int blob_turn(struct turn *t, struct blob *b, bool to_compat)
{
	put32(b->bytes + 32, b->hooks);
	put32(b->bytes + 36, b->entries);
	put32(b->bytes + 40, offset(b));
	put32(b->bytes + b->s->num_counters, 1);
	return turn(t, b->s->family, b->s->compat, b->bytes, b->len, to_compat, true);
}

/* One rule in INPUT with this match, ready but for its target. */
static inline struct blob *with_match(bool compat, u8 proto, const char *name, u8 revision,
				      const void *payload, u32 size)
{
	struct blob *b = blob_new(shape_of(XT2_IPV4, compat));

	hook_begin(b);
	rule_begin(b, proto);
	if (name)
		extension(b, name, revision, payload, size);
	return b;
}

static inline int finish(struct turn *t, struct blob *b, bool to_compat)
{
	int ret;

	hook_end(b, -2);
	head(b, "ERROR");
	ret = blob_turn(t, b, to_compat);
	free(b);
	return ret;
}

static inline int one_match(struct turn *t, u8 proto, const char *name, u8 revision,
			    const void *payload, u32 size)
{
	struct blob *b = with_match(false, proto, name, revision, payload, size);

	verdict(b, -1);
	return finish(t, b, false);
}

static inline int one_target(struct turn *t, int family, bool compat, const char *name, u8 revision,
			     const void *payload, u32 size)
{
	struct blob *b = blob_new(shape_of((u8)family, compat));

	hook_begin(b);
	rule_begin(b, 0);
	target(b, name, revision, payload, size);
	return finish(t, b, false);
}

/* The only rule of a table, with what it says of its protocol. */
struct around {
	int family;
	const char *table;
	u8 proto, flags, inv;
};

static inline int target_in(struct turn *t, const struct around *a, const char *name, u8 revision,
			    const void *payload, u32 size)
{
	struct blob *b = blob_new(shape_of((u8)a->family, false));
	bool six = a->family == XT2_IPV6;

	strcpy((char *)b->bytes, a->table);
	hook_begin(b);
	rule_begin(b, 0);
	b->bytes[b->rule + (six ? 128 : 80)] = a->proto;
	b->bytes[b->rule + (six ? 132 : 83)] = a->inv;
	if (six)
		b->bytes[b->rule + 131] = a->flags;
	target(b, name, revision, payload, size);
	return finish(t, b, false);
}

#endif
