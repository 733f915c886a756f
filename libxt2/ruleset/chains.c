/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains.c - the chains of a ruleset
 *
 * A chain is found by name through a hash table, and its number is its index
 * in an array; numbers of deleted chains are used again.  The order of chains,
 * which only printing and packing ask for, is sorted when it is asked for and
 * stays valid while chains are only deleted.  User chains are ordered by name,
 * as iptables does it; arptables and ebtables leave them as they came, so a
 * table that comes in another order than that of names keeps it.
 */
#include "config.h"
#include "inplace-calls.h"
#include "libxt2/change/names.h"

#include <stdlib.h>

#define CHAINS_FIRST 16u

/* => 0, or -EINVAL if this cannot be a name */
static int name_pad(const char *name, char *padded)
{
	size_t len = strnlen(name, XT2_NAME_SIZE);

	if (!len || len == XT2_NAME_SIZE)
		return -EINVAL;
	memset(padded, 0, XT2_NAME_SIZE);
	memcpy(padded, name, len);
	return 0;
}

/* --- names ------------------------------------------------------------- */

static u32 *bucket_of(const struct xt2_ruleset *rs, const struct xt2_chain_ *c)
{
	return &rs->bucket[xt2_name_hash(rs->seed, c->table, c->name) & (rs->buckets - 1)];
}

void xt2_name_link_(struct xt2_ruleset *rs, u32 number)
{
	struct xt2_chain_ *c = &rs->chain[number];
	u32 *head = bucket_of(rs, c);

	c->next = *head;
	*head = number;
}

static void name_unlink(struct xt2_ruleset *rs, u32 number)
{
	u32 *p = bucket_of(rs, &rs->chain[number]);

	while (*p != number)
		p = &rs->chain[*p].next;
	*p = rs->chain[number].next;
}

u32 xt2_chain_named_(const struct xt2_ruleset *rs, u32 table, const char *padded)
{
	u32 i = XT2_NONE;

	if (rs->buckets)
		i = rs->bucket[xt2_name_hash(rs->seed, table, padded) & (rs->buckets - 1)];
	while (i != XT2_NONE) {
		const struct xt2_chain_ *c = &rs->chain[i];

		if (c->table == table && !memcmp(c->name, padded, XT2_NAME_SIZE))
			return i;
		i = c->next;
	}
	return unlikely(rs->ops) ? rs->ops->named(rs, table, padded) : XT2_NONE;
}

static int buckets_reserve(struct xt2_ruleset *rs, u32 chains)
{
	u32 n = rs->buckets ? rs->buckets : CHAINS_FIRST;
	u32 *fresh;
	u32 i;

	while (n < chains)
		n *= 2;
	if (n == rs->buckets)
		return 0;
	fresh = malloc(n * sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	memset(fresh, 0xff, n * sizeof(*fresh));
	free(rs->bucket);
	rs->bucket = fresh;
	rs->buckets = n;
	if (rs->inplace) {
		rs->ops->link(rs);
		return 0;
	}
	for (i = 0; i < rs->chains; i++) {
		if (rs->chain[i].live)
			xt2_name_link_(rs, i);
	}
	return 0;
}

int xt2_chain_link_(struct xt2_ruleset *rs, u32 number)
{
	struct xt2_chain_ *c = &rs->chain[number];
	const u8 live = c->live;
	int ret;

	c->live = 0; /* it is not in a bucket yet */
	ret = buckets_reserve(rs, rs->live + 1);
	c->live = live;
	if (!ret && live)
		xt2_name_link_(rs, number);
	return ret;
}

/* --- coming and going -------------------------------------------------- */

int xt2_chains_reserve_(struct xt2_ruleset *rs, u32 more)
{
	u32 unused = rs->inplace ? 0 : rs->chains - rs->live; /* in place it is not known */
	u64 need = (u64)rs->chains + (more > unused ? more - unused : 0);
	u32 cap = rs->chain_cap ? rs->chain_cap : CHAINS_FIRST;
	void *p;

	if (need > XT2_CHAINS_MAX)
		return -E2BIG;
	while (cap < need)
		cap *= 2;
	if (cap != rs->chain_cap) {
		p = realloc(rs->order->chain, cap * sizeof(u32));
		if (!p)
			return -ENOMEM;
		rs->order->chain = p;
		p = realloc(rs->chain, cap * sizeof(*rs->chain));
		if (!p)
			return -ENOMEM;
		rs->chain = p;
		rs->chain_cap = cap;
	}
	return buckets_reserve(rs, rs->inplace ? rs->live + more : (u32)need);
}

/* Where the order of numbers is that of the chains, no number is used again. */
static u32 number_take(struct xt2_ruleset *rs, u32 table)
{
	u32 number = rs->free;

	if (rs->inplace && !rs->table[table].by_name)
		return rs->chains++;
	if (number == XT2_NONE) {
		if (rs->ops)
			number = rs->ops->unused(rs);
		return number == XT2_NONE ? rs->chains++ : number;
	}
	rs->free = rs->chain[number].next;
	return number;
}

u32 xt2_chain_put_(struct xt2_ruleset *rs, u32 number, u32 table, u8 hook, const char *padded)
{
	const u32 chains = rs->chains;
	struct xt2_chain_ *c;
	bool again;

	if (number == XT2_NONE)
		number = number_take(rs, table);
	c = &rs->chain[number];
	again = rs->inplace && number < chains; /* what the image has of the one before goes */
	*c = (struct xt2_chain_){
		.table = table,
		.live = 1,
		.hook = hook,
		.known = 1,
		.changed = again && c->changed,
		.offset = again ? c->offset : 0,
		.came = rs->came++,
		.owner = hook == XT2_HOOK_NONE ? rs->acting : 0,
	};
	memcpy(c->name, padded, XT2_NAME_SIZE);
	c->policy = hook == XT2_HOOK_NONE ? XT2_T_RETURN : XT2_T_ACCEPT;
	if (hook != XT2_HOOK_NONE)
		rs->table[table].base[hook] = number;
	rs->live++;
	rs->changes.chains_new += hook == XT2_HOOK_NONE;
	rs->order->sorted = false;
	xt2_name_link_(rs, number);
	xt2_chain_changes_(rs, c);
	return number;
}

void xt2_chain_remove_(struct xt2_ruleset *rs, u32 number)
{
	struct xt2_chain_ *c = &rs->chain[number];

	xt2_chain_changes_(rs, c);
	xt2_rules_flush_(rs, c);
	name_unlink(rs, number);
	if (rs->order->sorted)
		rs->order->chain[c->rank] = XT2_NONE;
	rs->changes.chains_gone += c->hook == XT2_HOOK_NONE;
	xt2_chain_touch_(rs, c);
	c->live = 0;
	c->next = rs->free;
	rs->free = number;
	rs->live--;
}

int xt2_chain_find(const struct xt2_ruleset *rs, int table, const char *name)
{
	char padded[XT2_NAME_SIZE];
	u32 number;

	if (!xt2_table_get_(rs, table) || name_pad(name, padded))
		return -ENOENT;
	number = xt2_chain_named_(rs, (u32)table, padded);
	return number == XT2_NONE ? -ENOENT : (int)number;
}

int xt2_chain_add(struct xt2_ruleset *rs, int table, const char *name)
{
	char padded[XT2_NAME_SIZE];
	int ret;

	if (!xt2_table_get_(rs, table))
		return -ENOENT;
	if (name_pad(name, padded))
		return -EINVAL;
	if (xt2_chain_named_(rs, (u32)table, padded) != XT2_NONE)
		return -EEXIST;
	ret = xt2_chains_reserve_(rs, 1);
	if (ret)
		return ret;
	return (int)xt2_chain_put_(rs, XT2_NONE, (u32)table, XT2_HOOK_NONE, padded);
}

int xt2_chain_delete(struct xt2_ruleset *rs, int chain)
{
	struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	if (!c)
		return -ENOENT;
	if (c->hook != XT2_HOOK_NONE)
		return -EINVAL;
	xt2_references_know_(rs);
	if (c->references)
		return -EBUSY;
	if (c->rules.n)
		return -ENOTEMPTY;
	xt2_chain_remove_(rs, (u32)chain);
	return 0;
}

int xt2_chain_rename(struct xt2_ruleset *rs, int chain, const char *name)
{
	struct xt2_chain_ *c = xt2_chain_get_(rs, chain);
	char padded[XT2_NAME_SIZE];

	if (!c)
		return -ENOENT;
	if (c->hook != XT2_HOOK_NONE || name_pad(name, padded))
		return -EINVAL;
	if (xt2_chain_named_(rs, c->table, padded) != XT2_NONE)
		return -EEXIST;
	xt2_chain_changes_(rs, c);
	xt2_chain_touch_(rs, c);
	name_unlink(rs, (u32)chain);
	memcpy(c->name, padded, XT2_NAME_SIZE);
	xt2_name_link_(rs, (u32)chain);
	rs->order->sorted = false;
	return 0;
}

int xt2_chain_flush(struct xt2_ruleset *rs, int chain)
{
	struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	if (!c)
		return -ENOENT;
	if (c->rules.n)
		xt2_chain_changes_(rs, c);
	xt2_rules_flush_(rs, c);
	xt2_rules_compact_(rs);
	return 0;
}

/* --- questions --------------------------------------------------------- */

int xt2_chain_base(const struct xt2_ruleset *rs, int table, int hook)
{
	const struct xt2_table_ *t = xt2_table_get_(rs, table);

	if (!t || hook < 0 || hook >= XT2_HOOKS_MAX || !(t->hooks & 1u << hook))
		return -ENOENT;
	return (int)t->base[hook];
}

int xt2_chain_hook(const struct xt2_ruleset *rs, int chain)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	return c && c->hook != XT2_HOOK_NONE ? c->hook : -1;
}

int xt2_chain_table(const struct xt2_ruleset *rs, int chain)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	return c ? (int)c->table : -ENOENT;
}

const char *xt2_chain_name(const struct xt2_ruleset *rs, int chain)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	return c ? c->name : NULL;
}

unsigned int xt2_chain_rules(const struct xt2_ruleset *rs, int chain)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	return c ? c->rules.n : 0;
}

int xt2_chain_references(const struct xt2_ruleset *rs, int chain)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	if (c)
		xt2_references_know_(rs);
	return c ? (int)c->references : -ENOENT;
}

/* => the chain if it has a policy, else NULL: all of bridge tables have one */
static struct xt2_chain_ *policy_get(const struct xt2_ruleset *rs, int chain)
{
	struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	if (!c || (c->hook == XT2_HOOK_NONE && rs->table[c->table].family != XT2_BRIDGE))
		return NULL;
	return c;
}

int xt2_chain_policy(const struct xt2_ruleset *rs, int chain)
{
	const struct xt2_chain_ *c = policy_get(rs, chain);

	return c ? c->policy : -EINVAL;
}

int xt2_chain_set_policy(struct xt2_ruleset *rs, int chain, int target)
{
	struct xt2_chain_ *c = policy_get(rs, chain);

	if (!c || (target != XT2_T_ACCEPT && target != XT2_T_DROP &&
		   (target != XT2_T_RETURN || c->hook != XT2_HOOK_NONE)))
		return -EINVAL;
	if (c->policy != target) {
		xt2_chain_changes_(rs, c);
		xt2_chain_touch_(rs, c);
		rs->changes.policies++;
	}
	c->policy = (u8)target;
	return 0;
}

int xt2_chain_counters(const struct xt2_ruleset *rs, int chain, __u64 *packets, __u64 *bytes)
{
	struct xt2_chain_ *c = policy_get(rs, chain);

	if (!c)
		return -EINVAL;
	xt2_policy_counts_(rs, c);
	*packets = c->packets;
	*bytes = c->bytes;
	return 0;
}

int xt2_chain_set_counters(struct xt2_ruleset *rs, int chain, __u64 packets, __u64 bytes)
{
	struct xt2_chain_ *c = policy_get(rs, chain);

	if (!c)
		return -EINVAL;
	xt2_policy_counts_(rs, c);
	if (c->packets != packets || c->bytes != bytes) {
		xt2_chain_changes_(rs, c);
		c->recounted = 1;
	}
	c->packets = packets;
	c->bytes = bytes;
	return 0;
}

/* --- order ------------------------------------------------------------- */

static int compare(const struct xt2_ruleset *rs, u32 first, u32 second)
{
	const struct xt2_chain_ *a = &rs->chain[first], *b = &rs->chain[second];

	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	if (a->hook != b->hook) /* user chains have the highest number */
		return a->hook < b->hook ? -1 : 1;
	if (rs->table[a->table].as_came)
		return a->came < b->came ? -1 : a->came > b->came;
	return strcmp(a->name, b->name);
}

/* Sift down in the heap of the n first; heap sort needs no memory. */
static void sift(const struct xt2_ruleset *rs, u32 *heap, u32 i, u32 n)
{
	while (2 * i + 1 < n) {
		u32 child = 2 * i + 1;
		u32 swap = heap[i];

		if (child + 1 < n && compare(rs, heap[child], heap[child + 1]) < 0)
			child++;
		if (compare(rs, swap, heap[child]) >= 0)
			return;
		heap[i] = heap[child];
		heap[child] = swap;
		i = child;
	}
}

static void sort(const struct xt2_ruleset *rs, u32 *list, u32 n)
{
	u32 i;

	for (i = 1; i < n && compare(rs, list[i - 1], list[i]) <= 0; i++)
		;
	if (i >= n)
		return; /* as after loading an image */
	for (i = n / 2; i-- > 0;)
		sift(rs, list, i, n);
	for (i = n; i-- > 1;) {
		u32 last = list[i];

		list[i] = list[0];
		list[0] = last;
		sift(rs, list, 0, i);
	}
}

static void order_update(const struct xt2_ruleset *rs)
{
	struct xt2_order_ *o = rs->order;
	u32 i;

	o->n = 0;
	for (i = 0; i < rs->chains; i++) {
		if (rs->chain[i].live)
			o->chain[o->n++] = i;
	}
	sort(rs, o->chain, o->n);
	for (i = 0; i < o->n; i++)
		rs->chain[o->chain[i]].rank = i;
	o->sorted = true;
}

/* The base chain of the lowest hook; in a table without hooks any chain. */
static int first(const struct xt2_ruleset *rs, int table)
{
	const struct xt2_table_ *t = xt2_table_get_(rs, table);
	const struct xt2_order_ *o = rs->order;
	int base;
	u32 i;

	if (t && t->hooks) {
		base = (int)t->base[__builtin_ctz(t->hooks)];
		return xt2_chain_get_(rs, base) ? base : -1; /* there may be no memory to read it */
	}
	for (i = 0; t && i < o->n; i++) {
		if (o->chain[i] != XT2_NONE && rs->chain[o->chain[i]].table == (u32)table)
			return (int)o->chain[i];
	}
	return -1;
}

int xt2_chain_next(const struct xt2_ruleset *rs, int table, int previous)
{
	const struct xt2_order_ *o = rs->order;
	const struct xt2_chain_ *c;
	u32 i;

	if (!o->sorted) {
		xt2_chains_know_(rs);
		order_update(rs);
	}
	if (previous < 0)
		return first(rs, table);
	c = xt2_chain_get_(rs, previous);
	for (i = c ? c->rank + 1 : o->n; i < o->n; i++) {
		if (o->chain[i] != XT2_NONE)
			return rs->chain[o->chain[i]].table == c->table ? (int)o->chain[i] : -1;
	}
	return -1;
}
