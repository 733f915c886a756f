/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digest.c - what a ruleset says, as a number
 *
 * SHA-256 over a canonical form of the ruleset, which doc/format.md specifies:
 * numbers of chains and instances are replaced by what they stand for, and
 * what does not belong to the rules (counters, cells, order of tables, places
 * in files) is left out.  Nothing is copied: the form is fed to the hash piece
 * by piece.
 */
#include "config.h"
#include "ruleset.h"
#include "translators/table/legacy-format.h"

#include <linux/netfilter/xt_connlimit.h>
#include <linux/netfilter/xt_recent.h>
#include <sha2.h>
#include <stddef.h>
#include <stdlib.h>

static const char magic[8] = "xt2-dig";

struct digest {
	SHA2_CTX sha;
	const struct xt2_ruleset *rs;
	u8 family; /* of the table */
	struct xt2_legacy_cache cache;
};

static void put(struct digest *d, const void *bytes, size_t size)
{
	SHA256Update(&d->sha, bytes, size);
}

static void put8(struct digest *d, u8 v)
{
	put(d, &v, sizeof(v));
}

static void put32(struct digest *d, u32 v)
{
	put(d, &v, sizeof(v));
}

/* --- bytes that say nothing ------------------------------------------------ */

/*
 * Bytes of an unevaluated match that the kernel does not read: of the masks of an IPv4
 * rule only the first word.  Tools fill in the rest or don't, depending on
 * whether the mask was given.
 */
static const struct {
	const char *name;
	u8 revision;
	u16 at, size;
} unread4[] = {
	{ "connlimit", 1, offsetof(struct xt_connlimit_info, mask) + 4, 12 },
	{ "recent", 1, offsetof(struct xt_recent_mtinfo_v1, mask) + 4, 12 },
};

static void clear_unread(const struct digest *d, const struct xt2_instance *in, u8 *data)
{
	size_t i;

	for (i = 0; d->family == XT2_IPV4 && i < XT2_ARRAY_SIZE(unread4); i++)
		if (in->kind == XT2_INSTANCE_MATCH && in->revision == unread4[i].revision &&
		    !strcmp(in->name, unread4[i].name) &&
		    in->size >= (u32)unread4[i].at + unread4[i].size)
			memset(data + unread4[i].at, 0, unread4[i].size);
}

/* The part that the kernel keeps for itself follows the part that it gives back. */
static void clear_private(struct digest *d, const struct xt2_instance *in, u8 *data)
{
	const struct legacy_known *k;
	u32 index;
	int err;

	if (in->kind != XT2_INSTANCE_MATCH && in->kind != XT2_INSTANCE_TARGET)
		return;
	k = legacy_known_find(&d->cache, d->family, in->kind == XT2_INSTANCE_TARGET, in->name,
			      in->revision, &index, &err);
	if (k && in->size >= k->size)
		memset(data + legacy_user(k), 0, k->hidden);
}

static void put_instance(struct digest *d, const struct xt2_instance *in)
{
	u8 data[XT2_LEGACY_PAYLOAD];
	bool fits = in->size <= sizeof(data);

	put8(d, in->kind);
	put8(d, in->revision);
	put(d, in->name, sizeof(in->name));
	put32(d, in->size);
	if (fits) {
		memcpy(data, xt2_instance_data(in), in->size);
		clear_unread(d, in, data);
		clear_private(d, in, data);
	}
	put(d, fits ? data : xt2_instance_data(in), in->size);
}

/*
 * SCTP tests flags of up to four types of chunks, in the order in which they
 * were written; iptables prints them in that of their numbers.  The first of
 * a type counts.
 */
static void put_sctp(struct digest *d, const struct xt2_match *m)
{
	u32 flags[XT2_SCTP_FLAGS_MAX], n = XT2_BYTE(m->arg, 3), i, j, swap;
	u32 before = (m->flags & XT2_PORTS_FOLLOW ? 8 : 0) +
		     (m->flags & XT2_SCTP_MAP ? sizeof(struct xt2_sctp_map) : 0);
	const u8 *payload = (const u8 *)(m + 1);
	u32 size = m->size - (u32)sizeof(*m);

	memcpy(flags, payload + before, sizeof(flags));
	for (i = 1; i < n && i < XT2_SCTP_FLAGS_MAX; i++)
		for (j = i; j && (flags[j] & 0xff) < (flags[j - 1] & 0xff); j--) {
			swap = flags[j];
			flags[j] = flags[j - 1];
			flags[j - 1] = swap;
		}
	put(d, payload, before);
	put(d, flags, sizeof(flags));
	put(d, payload + before + sizeof(flags), size - before - sizeof(flags));
}

/* The kernel reads the first 4 bytes of the mask. */
static void put_recent4(struct digest *d, const struct xt2_match *m)
{
	const struct xt2_match_recent *k = (const struct xt2_match_recent *)m;
	const u32 mask = offsetof(struct xt2_match_recent, mask);
	static const u8 zero[sizeof(k->mask) - 4];

	put(d, m + 1, mask + 4 - sizeof(*m));
	put(d, zero, sizeof(zero));
	put(d, &k->checks, m->size - offsetof(struct xt2_match_recent, checks));
}

/* --- rules ------------------------------------------------------------------ */

static void put_match(struct digest *d, const struct xt2_match *m)
{
	u32 info = xt2_match_info(m->type);
	bool number = info & (XT2_EXT_INSTANCE | XT2_EXT_CELL);

	put8(d, m->type);
	put8(d, m->flags);
	put32(d, m->size);
	put32(d, number ? 0 : m->arg);
	if (m->type == XT2_M_SCTP && m->flags & XT2_SCTP_INFO)
		put_sctp(d, m);
	else if (m->type == XT2_M_RECENT && d->family == XT2_IPV4)
		put_recent4(d, m);
	else
		put(d, m + 1, m->size - sizeof(*m));
	if (info & XT2_EXT_INSTANCE)
		put_instance(d, xt2_instance_at_(d->rs, m->arg));
}

static void put_target(struct digest *d, const struct xt2_rule *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);
	u32 arg = XT2_TARGET_ARG(r->target), to = xt2_rule_jumps(r);
	bool instance = xt2_target_info(kind) & XT2_EXT_INSTANCE;

	put8(d, kind);
	put32(d, to != XT2_NONE || instance ? 0 : arg);
	put32(d, xt2_rule_target_size(r));
	put(d, xt2_rule_target_data(r), xt2_rule_target_size(r));
	if (to != XT2_NONE)
		put(d, d->rs->chain[to].name, sizeof(d->rs->chain[to].name));
	if (instance)
		put_instance(d, xt2_instance_at_(d->rs, arg));
}

static void put_rule(struct digest *d, const struct xt2_rule *r)
{
	const struct xt2_match *m;

	put32(d, r->target_offset);
	xt2_rule_for_each_match(m, r)
		put_match(d, m);
	put_target(d, r);
}

static void put_chain(struct digest *d, const struct xt2_chain_ *c)
{
	struct xt2_list_walk w = xt2_list_walk(&c->rules);
	const struct xt2_rule *r;

	put(d, c->name, sizeof(c->name));
	put8(d, c->hook);
	put8(d, c->policy ? c->policy : XT2_T_RETURN); /* that of a user chain */
	put32(d, c->rules.n);
	while ((r = xt2_list_next(&w)))
		put_rule(d, r);
}

/* Base chains by hook, then the others by name, however the table lists them. */
static int chain_order(const void *a, const void *b)
{
	const struct xt2_chain_ *x = *(const struct xt2_chain_ *const *)a;
	const struct xt2_chain_ *y = *(const struct xt2_chain_ *const *)b;

	if (x->hook != y->hook) /* user chains have the highest number */
		return x->hook < y->hook ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* @chains: room for all of the ruleset's */
static void put_table(struct digest *d, int table, const struct xt2_chain_ **chains)
{
	const struct xt2_ruleset *rs = d->rs;
	const struct xt2_table_ *t = &rs->table[table];
	u32 i, n = 0;
	int chain;

	xt2_table_for_each_chain(chain, rs, table)
		chains[n++] = &rs->chain[chain];
	qsort(chains, n, sizeof(*chains), chain_order);
	d->family = (u8)t->family;
	put8(d, d->family);
	put(d, t->name, sizeof(t->name));
	put32(d, n);
	for (i = 0; i < n; i++)
		put_chain(d, chains[i]);
}

/* --- tables ----------------------------------------------------------------- */

/* An empty table is ignored: the kernel creates one on first access. */
static bool untouched(const struct xt2_ruleset *rs, int table)
{
	int chain;

	xt2_table_for_each_chain(chain, rs, table) {
		const struct xt2_chain_ *c = &rs->chain[chain];

		if (c->hook == XT2_HOOK_NONE || c->rules.n || c->policy != XT2_T_ACCEPT)
			return false;
	}
	return true;
}

/* By family, then by name. */
static int compare(const struct xt2_table_ *a, const struct xt2_table_ *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* => the table that comes next in the order, or -1; previous: -1 at the start */
static int next_table(const struct xt2_ruleset *rs, int previous)
{
	int i, found = -1;

	for (i = 0; i < (int)rs->tables; i++) {
		if (previous >= 0 && compare(&rs->table[i], &rs->table[previous]) <= 0)
			continue;
		if (found < 0 || compare(&rs->table[i], &rs->table[found]) < 0)
			found = i;
	}
	return found;
}

int xt2_ruleset_digest(const struct xt2_ruleset *rs, __u8 digest[XT2_DIGEST_SIZE])
{
	const struct xt2_chain_ **chains;
	struct digest d = { .rs = rs };
	int table, ret = xt2_ruleset_complete_(rs);

	if (ret)
		return ret;
	chains = calloc(rs->live + 1, sizeof(*chains));
	if (!chains)
		return -ENOMEM;
	SHA256Init(&d.sha);
	put(&d, magic, sizeof(magic));
	for (table = next_table(rs, -1); table >= 0; table = next_table(rs, table)) {
		if (!untouched(rs, table))
			put_table(&d, table, chains);
	}
	SHA256Final(digest, &d.sha);
	free(chains);
	return 0;
}

void xt2_rule_digest(const struct xt2_ruleset *rs, int family, const struct xt2_rule *r,
		     u8 digest[XT2_DIGEST_SIZE])
{
	struct digest d = { .rs = rs, .family = (u8)family };

	SHA256Init(&d.sha);
	put_rule(&d, r);
	SHA256Final(digest, &d.sha);
}
