/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair.c - which rules of one image are in another
 *
 * Images number chains and instances as they like.  So the numbers of both are
 * replaced by those that the old image has for a chain of this table and name,
 * for an instance with this content; then equal rules have equal bytes, but
 * for counters and cells.
 *
 * Most of a chain is as it was: rules are compared in order up to the first
 * difference.  What is left of the old chain is found by a hash, under which
 * equal rules form a queue.  So the time is linear in the size of the images,
 * whatever the rules are.
 */
#include "config.h"
#include "engine/order.h"
#include "pair.h"
#include "ruleset.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NONE (~0u)

struct side {
	const struct xt2_image *img;
	const struct xt2_root *root;
	u32 *chain; /* by chain: the old one that it stands for, or NONE */
	u32 *instance; /* likewise: the first old one that is equal */
};

/* Numbers, found by a hash of what they stand for. */
struct index {
	u32 *bucket, *next;
	u32 mask;
};

struct pairing {
	struct side old, img;
	u64 seed; /* names and rules come from untrusted input */
	struct index index; /* of the old side's chains, instances or rules */
	struct left *left; /* of an old chain, by number */
};

/* A rule that is left. */
struct left {
	u64 hash;
	u32 rule; /* offset in the image */
	u32 head; /* of the first of equal ones: the first that is left */
	u32 more; /* the next one that is equal */
};

static u32 *numbers(u64 n)
{
	return malloc((n ? n : 1) * sizeof(u32));
}

/* --- hashes -------------------------------------------------------------- */

static u64 mix(u64 h, u64 word)
{
	h = (h ^ word) * 0xff51afd7ed558ccdull;
	return h ^ h >> 32;
}

static u64 mix_bytes(u64 h, const void *bytes, size_t size)
{
	const u8 *p = bytes;
	u64 word;

	for (; size >= sizeof(word); p += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = mix(h, word);
	}
	word = size;
	memcpy((u8 *)&word + 1, p, size);
	return mix(h, word);
}

/* Empty, with room for the numbers below n. */
static void index_clear(struct index *x, u32 n)
{
	x->mask = 1;
	while (x->mask < n)
		x->mask = x->mask << 1 | 1;
	memset(x->bucket, 0xff, (x->mask + 1ull) * sizeof(*x->bucket));
}

static void index_add(struct index *x, u64 hash, u32 i)
{
	u32 *head = &x->bucket[hash & x->mask];

	x->next[i] = *head;
	*head = i;
}

#define index_for_each(i, x, hash) \
	for ((i) = (x)->bucket[(hash) & (x)->mask]; (i) != NONE; (i) = (x)->next[i])

/* --- chains -------------------------------------------------------------- */

static const char *chain_name(const struct side *s, u32 chain)
{
	return xt2_image_chain_cold(s->img, s->root, chain)->name;
}

static u64 name_hash(const struct pairing *p, u32 table, const char *name)
{
	return mix_bytes(mix(p->seed, table), name, strnlen(name, XT2_NAME_SIZE));
}

/* => the number of the same table on the old side, or NONE */
static u32 old_table(const struct pairing *p, u32 table)
{
	const struct xt2_table *t = xt2_image_table(p->img.img, p->img.root, table), *o;
	u32 i;

	xt2_image_for_each_table(o, i, p->old.img, p->old.root) {
		if (o->family == t->family && !strncmp(o->name, t->name, XT2_NAME_SIZE))
			return i;
	}
	return NONE;
}

static void pair_chains(struct pairing *p)
{
	u32 table[XT2_TABLES_MAX], i, o;
	const struct xt2_chain *c;

	for (i = 0; i < p->img.root->tables && i < XT2_TABLES_MAX; i++)
		table[i] = old_table(p, i);
	index_clear(&p->index, p->old.root->chains);
	xt2_image_for_each_chain(c, i, p->old.img, p->old.root) {
		index_add(&p->index, name_hash(p, c->table, chain_name(&p->old, i)), i);
		p->old.chain[i] = i;
	}
	xt2_image_for_each_chain(c, i, p->img.img, p->img.root) {
		const char *name = chain_name(&p->img, i);
		u32 t = table[c->table];

		p->img.chain[i] = NONE;
		index_for_each(o, &p->index, name_hash(p, t, name))
		{
			if (xt2_image_chain(p->old.img, p->old.root, o)->table == t &&
			    !strncmp(chain_name(&p->old, o), name, XT2_NAME_SIZE))
				p->img.chain[i] = o;
		}
	}
}

/* --- instances ----------------------------------------------------------- */

static u64 instance_hash(const struct pairing *p, const struct xt2_instance *in)
{
	u64 h = mix(p->seed, in->kind | (u32)in->revision << 16 | (u64)in->size << 32);

	return mix_bytes(mix_bytes(h, in->name, sizeof(in->name)), xt2_instance_data(in), in->size);
}

/* Puts the instances of a side into the index, or looks them up there. */
static void pair_instances(struct pairing *p, struct side *s)
{
	u32 i, o;

	for (i = 0; i < s->root->instances; i++) {
		const struct xt2_instance *in = xt2_image_instance(s->img, s->root, i), *old;
		u64 hash;

		if (!xt2_instance_offset(s->img, s->root, i))
			continue;
		hash = instance_hash(p, in);
		index_for_each(o, &p->index, hash)
		{
			old = xt2_image_instance(p->old.img, p->old.root, o);
			if (xt2_instance_says_(old, in, xt2_instance_data(in)))
				break;
		}
		if (o == NONE && s == &p->old)
			index_add(&p->index, hash, o = i);
		s->instance[i] = o;
	}
}

/* --- rules --------------------------------------------------------------- */

/* A match's and a target's argument in the old image's numbers. */
static u32 match_arg(const struct side *s, const struct xt2_match *m)
{
	u32 info = xt2_match_info(m->type);

	if (info & XT2_EXT_CELL)
		return 0;
	return info & XT2_EXT_INSTANCE ? s->instance[m->arg] : m->arg;
}

static u32 target_arg(const struct side *s, const struct xt2_rule *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);
	u32 arg = XT2_TARGET_ARG(r->target);

	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO)
		return s->chain[arg];
	return xt2_target_info(kind) & XT2_EXT_INSTANCE ? s->instance[arg] : arg;
}

static u64 rule_hash(const struct pairing *p, const struct side *s, const struct xt2_rule *r)
{
	u64 h = mix(p->seed, r->size | (u32)r->target_offset << 16);
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		h = mix(h, m->type | (u32)m->flags << 8 | (u32)m->size << 16 |
				   (u64)match_arg(s, m) << 32);
		h = mix_bytes(h, m + 1, m->size - sizeof(*m));
	}
	h = mix(h, XT2_TARGET_KIND(r->target) | (u64)target_arg(s, r) << 32);
	return mix_bytes(h, xt2_rule_target_data(r), xt2_rule_target_size(r));
}

/* @a: of the old side, so that it has no argument NONE */
static bool rule_equal(const struct pairing *p, const struct xt2_rule *a, const struct side *s,
		       const struct xt2_rule *b)
{
	const struct xt2_match *m, *n;

	if (a->size != b->size || a->target_offset != b->target_offset ||
	    XT2_TARGET_KIND(a->target) != XT2_TARGET_KIND(b->target) ||
	    target_arg(&p->old, a) != target_arg(s, b) ||
	    memcmp(xt2_rule_target_data(a), xt2_rule_target_data(b), xt2_rule_target_size(a)))
		return false;
	n = xt2_rule_first_match(b);
	xt2_rule_for_each_match(m, a) {
		if (m->type != n->type || m->flags != n->flags || m->size != n->size ||
		    match_arg(&p->old, m) != match_arg(s, n) ||
		    memcmp(m + 1, n + 1, m->size - sizeof(*m)))
			return false;
		n = xt2_match_next(n);
	}
	return true;
}

/* => the first of the old rules that are equal to this one, or NONE */
static u32 find(const struct pairing *p, u64 hash, const struct side *s, const struct xt2_rule *r)
{
	u32 i;

	index_for_each(i, &p->index, hash)
	{
		if (p->left[i].hash == hash &&
		    rule_equal(p, xt2_at(p->old.img, p->left[i].rule), s, r))
			break;
	}
	return i;
}

/* The old chain's rules from r on; the last ones first, so that queues are in order. */
static void queue_rules(struct pairing *p, const struct xt2_rule *r, struct xt2_in_order *after)
{
	const struct xt2_rule *tail = xt2_chain_tail(after->chain);
	u32 n = 0, first;

	for (; r != tail; r = xt2_order_next(after)) {
		p->left[n].hash = rule_hash(p, &p->old, r);
		p->left[n++].rule = xt2_offset(p->old.img, r);
	}
	index_clear(&p->index, n);
	while (n-- > 0) {
		struct left *l = &p->left[n];

		first = find(p, l->hash, &p->old, xt2_at(p->old.img, l->rule));
		if (first == NONE) {
			index_add(&p->index, l->hash, first = n);
			l->head = NONE;
		}
		l->more = p->left[first].head;
		p->left[first].head = n;
	}
}

static void pair_rules(struct pairing *p, const struct xt2_chain *old, const struct xt2_chain *c,
		       u32 *pair)
{
	const struct xt2_rule *last = xt2_chain_tail(old), *tail = xt2_chain_tail(c), *o, *r;
	struct xt2_in_order before, now;
	const struct left *next;
	bool queued;
	u32 i;

	xt2_order_begin(&before, p->old.img, old);
	xt2_order_begin(&now, p->img.img, c);
	o = xt2_order_next(&before);
	r = xt2_order_next(&now);
	for (; o != last && r != tail && rule_equal(p, o, &p->img, r);
	     o = xt2_order_next(&before), r = xt2_order_next(&now))
		*pair++ = xt2_offset(p->old.img, o);
	queued = o != last && r != tail;
	if (queued)
		queue_rules(p, o, &before);
	for (; r != tail; r = xt2_order_next(&now), pair++) {
		i = queued ? find(p, rule_hash(p, &p->img, r), &p->img, r) : NONE;
		if (i == NONE || p->left[i].head == NONE)
			continue;
		next = &p->left[p->left[i].head];
		*pair = next->rule;
		p->left[i].head = next->more;
	}
	if (rule_equal(p, last, &p->img, tail))
		*pair = xt2_offset(p->old.img, last);
}

static void pair_all(struct pairing *p, const bool *want, u32 *pair)
{
	const struct xt2_chain *c, *old;
	u32 i, rules;

	xt2_image_for_each_chain(c, i, p->img.img, p->img.root) {
		rules = xt2_chain_length(p->img.img, c);
		memset(pair, 0, rules * sizeof(*pair));
		old = p->img.chain[i] != NONE
			      ? xt2_image_chain(p->old.img, p->old.root, p->img.chain[i])
			      : NULL;
		if (old && (!want || want[c->table]))
			pair_rules(p, old, c, pair);
		pair += rules;
	}
}

/* --- together ------------------------------------------------------------ */

static int side_init(struct side *s, const struct xt2_image *img)
{
	s->img = img;
	s->root = xt2_image_root(img);
	s->chain = numbers(s->root->chains);
	s->instance = numbers(s->root->instances);
	return s->chain && s->instance ? 0 : -ENOMEM;
}

static void side_free(struct side *s)
{
	free(s->chain);
	free(s->instance);
}

/* Room for the longest chain, and an index for whatever the old side has most of. */
static int pairing_init(struct pairing *p)
{
	const struct xt2_root *root = p->old.root;
	u32 i, longest = 0, n = root->chains > root->instances ? root->chains : root->instances;
	const struct xt2_chain *c;

	xt2_image_for_each_chain(c, i, p->old.img, root)
		if (xt2_chain_length(p->old.img, c) > longest)
			longest = xt2_chain_length(p->old.img, c);
	n = n > longest ? n : longest;
	p->index.bucket = n <= 1u << 31 ? numbers(2ull * n + 2) : NULL;
	p->index.next = numbers(n);
	p->left = malloc((longest + 1ull) * sizeof(*p->left));
	return p->index.bucket && p->index.next && p->left ? 0 : -ENOMEM;
}

int xt2_image_pair(const struct xt2_image *old, const struct xt2_image *img, const bool *want,
		   u32 *pair)
{
	struct pairing p = { 0 };
	int ret = side_init(&p.old, old);

	if (getrandom(&p.seed, sizeof(p.seed), GRND_NONBLOCK) < 0)
		p.seed = (uintptr_t)pair;
	if (!ret)
		ret = side_init(&p.img, img);
	if (!ret)
		ret = pairing_init(&p);
	if (!ret) {
		pair_chains(&p);
		index_clear(&p.index, p.old.root->instances);
		pair_instances(&p, &p.old);
		pair_instances(&p, &p.img);
		pair_all(&p, want, pair);
	}
	side_free(&p.old);
	side_free(&p.img);
	free(p.index.bucket);
	free(p.index.next);
	free(p.left);
	return ret;
}
