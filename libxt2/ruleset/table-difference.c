/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table-difference.c - what changes when a table is replaced by another one
 *
 * Tools that hand over whole tables have changed a rule or two of them.  Chains are the same if
 * their names are.  Rules that a chain begins and ends with are compared in order; of what is
 * between, the k-th of equal rules is paired with the k-th one of the old chain, and
 * the longest increasing sequence of such pairs stays (Hunt and Szymanski, 1977).  Others are
 * deleted and inserted.  That is the shortest way if no rule is there twice, and takes time
 * n log n in any case.
 *
 * First it is found out what would be done, and how much that is; nothing changes before.
 */
#include "config.h"
#include "inplace.h"
#include "renumber.h"
#include "table-difference.h"

#include <stdlib.h>
#include <string.h>

#define FEW 64u /* changes that pay in any table */

/* A chain of the new table. */
struct pair {
	int from, to; /* numbers; to < 0: it is new */
	u32 head; /* rules that stay at the beginning */
	u32 tail; /* at the end */
	u32 *stays; /* by rule of from between them: the old one; XT2_NONE: it is new */
};

struct difference {
	struct xt2_ruleset *to;
	const struct xt2_ruleset *from;
	const struct xt2_difference_options *opt;
	int table, old_table;
	struct pair *pair;
	u32 pairs;
	u32 *chain; /* by chain of from: of to; XT2_NONE: it is new */
	u64 rules, changes; /* of the old table; that would be made */
	u32 *instance; /* by instance of from: of to; XT2_NONE: it was not needed yet */
	u64 *rule; /* room for one */
};

/* --- equal rules ----------------------------------------------------------- */

static bool instances_equal(const struct difference *d, u32 old, u32 now)
{
	const struct xt2_instance *a = xt2_instance_at_(d->to, old);
	const struct xt2_instance *b = xt2_instance_at_(d->from, now);

	return xt2_instance_says_(a, b, xt2_instance_data(b));
}

static u64 cell_of(const struct xt2_ruleset *rs, u32 i)
{
	const struct xt2_inplace_ *in = rs->inplace;

	return in && i < in->cells ? xt2_cell_load(xt2_image_cell(in->img, in->root, i))
				   : rs->cell[i];
}

static bool matches_equal(const struct difference *d, const struct xt2_match *a,
			  const struct xt2_match *b)
{
	const u32 info = xt2_match_info(a->type);

	if (a->type != b->type || a->flags != b->flags || a->size != b->size ||
	    memcmp(a + 1, b + 1, a->size - sizeof(*a)))
		return false;
	if (info & XT2_EXT_MEMORY)
		return true; /* the name is the same */
	if (info & XT2_EXT_CELL)
		return !d->opt->state || cell_of(d->to, a->arg) == cell_of(d->from, b->arg);
	return info & XT2_EXT_INSTANCE ? instances_equal(d, a->arg, b->arg) : a->arg == b->arg;
}

static bool targets_equal(const struct difference *d, const struct xt2_rule *a,
			  const struct xt2_rule *b)
{
	const u8 kind = XT2_TARGET_KIND(a->target);
	const u32 i = XT2_TARGET_ARG(a->target), j = XT2_TARGET_ARG(b->target);

	if (kind != XT2_TARGET_KIND(b->target) ||
	    memcmp(xt2_rule_target_data(a), xt2_rule_target_data(b), xt2_rule_target_size(a)))
		return false;
	if (xt2_rule_jumps(a) != XT2_NONE)
		return i == d->chain[j];
	return xt2_target_info(kind) & XT2_EXT_INSTANCE ? instances_equal(d, i, j) : i == j;
}

/* Does a rule of to say the same as one of from?  Counters do not count. */
static bool equal(const struct difference *d, const struct xt2_rule *a, const struct xt2_rule *b)
{
	const struct xt2_match *m;

	if (a->size != b->size || a->target_offset != b->target_offset)
		return false;
	xt2_rule_for_each_match(m, a) {
		if (!matches_equal(d, m, xt2_at(b, xt2_offset(a, m))))
			return false;
	}
	return targets_equal(d, a, b);
}

/* --- a chain's rules, numbered --------------------------------------------- */

struct side {
	const struct xt2_rule_list *list;
	const struct xt2_ruleset *rs;
	int chain;
};

static struct side side_of(const struct xt2_ruleset *rs, int chain)
{
	return (struct side){ xt2_chain_list(rs, chain), rs, chain };
}

static bool rules_stay(const struct difference *d, const struct side *old, u32 i,
		       const struct side *now, u32 j)
{
	if (d->opt->lines && xt2_list_line(old->list, i) != xt2_list_line(now->list, j))
		return false;
	return equal(d, xt2_list_rule(old->list, i), xt2_list_rule(now->list, j));
}

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
	word = 0;
	memcpy(&word, p, size);
	return mix(h, word);
}

/* What arguments stand for is compared by equal() alone. */
static u64 hash_of(const struct difference *d, const struct xt2_rule *r)
{
	u64 h = mix(d->to->seed, r->size | (u32)r->target_offset << 16);
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		h = mix(h, m->type | (u32)m->flags << 8 | (u32)m->size << 16);
		h = mix_bytes(h, m + 1, m->size - sizeof(*m));
	}
	h = mix(h, XT2_TARGET_KIND(r->target));
	return mix_bytes(h, xt2_rule_target_data(r), xt2_rule_target_size(r));
}

/* Rules between those that stay in any case, and what finds the old ones. */
struct middle {
	u32 first, old, now; /* the first rule, in both; how many there are */
	u32 *bucket, *next; /* of old rules; next: with the same hash, or taken */
	u64 *hash;
	u32 mask;
	u32 *last,
		*before; /* for increasing(): by length, its last rule; by rule, the one before */
};

static int middle_init(struct middle *m)
{
	const u64 n = (u64)m->old + m->now + 1;

	m->mask = 1;
	while (m->mask < m->old)
		m->mask = m->mask << 1 | 1;
	m->bucket = malloc((m->mask + 1ull) * sizeof(*m->bucket));
	m->next = malloc(n * sizeof(*m->next));
	m->hash = malloc(n * sizeof(*m->hash));
	m->last = malloc(n * sizeof(*m->last));
	m->before = malloc(n * sizeof(*m->before));
	if (!m->bucket || !m->next || !m->hash || !m->last || !m->before)
		return -ENOMEM;
	memset(m->bucket, 0xff, (m->mask + 1ull) * sizeof(*m->bucket));
	return 0;
}

static void middle_end(struct middle *m)
{
	free(m->bucket);
	free(m->next);
	free(m->hash);
	free(m->last);
	free(m->before);
}

/* => the first old rule that is equal and not taken; it is taken; XT2_NONE: there is none */
static u32 take(const struct difference *d, const struct middle *m, const struct side *old,
		const struct side *now, u32 j)
{
	const u64 hash = hash_of(d, xt2_list_rule(now->list, j));
	u32 *at = &m->bucket[hash & m->mask], i;

	for (; *at != XT2_NONE; at = &m->next[*at]) {
		i = *at;
		if (m->hash[i] != hash || !rules_stay(d, old, m->first + i, now, j))
			continue;
		*at = m->next[i];
		return m->first + i;
	}
	return XT2_NONE;
}

/* Of the pairs in stays[] the longest sequence in which old rules are in order; others go. */
static void increasing(const struct middle *m, u32 *stays)
{
	u32 j, low, high, n = 0;

	for (j = 0; j < m->now; j++) {
		if (stays[j] == XT2_NONE)
			continue;
		for (low = 0, high = n; low < high;) {
			const u32 half = (low + high) / 2;

			if (stays[m->last[half]] < stays[j])
				low = half + 1;
			else
				high = half;
		}
		m->before[j] = low ? m->last[low - 1] : XT2_NONE;
		m->last[low] = j;
		n += low == n;
	}
	j = n ? m->last[n - 1] : XT2_NONE;
	for (low = m->now; low-- > 0;) {
		if (low == j)
			j = m->before[j];
		else
			stays[low] = XT2_NONE;
	}
}

/* Fill in stays[].  => 0, -ENOMEM */
static int pair_middle(const struct difference *d, const struct side *old, const struct side *now,
		       struct middle *m, u32 *stays)
{
	u32 i, j;
	int ret = middle_init(m);

	for (i = m->old; !ret && i-- > 0;) { /* the first one of equal ones is found first */
		m->hash[i] = hash_of(d, xt2_list_rule(old->list, m->first + i));
		m->next[i] = m->bucket[m->hash[i] & m->mask];
		m->bucket[m->hash[i] & m->mask] = i;
	}
	for (j = 0; !ret && j < m->now; j++)
		stays[j] = take(d, m, old, now, m->first + j);
	if (!ret)
		increasing(m, stays);
	middle_end(m);
	return ret;
}

/* --- what would be done ------------------------------------------------------- */

/* => where a rule was in an old chain of so many rules, n now; XT2_NONE: it is new */
static u32 was_at(const struct pair *p, u32 old, u32 n, u32 j)
{
	if (j < p->head)
		return j;
	return j >= n - p->tail ? j + old - n : p->stays[j - p->head];
}

/* Of a rule in a list; those of one that is in its image may be in slots. */
static struct xt2_counts counts_of(const struct xt2_ruleset *rs, const struct xt2_rule *r)
{
	const struct xt2_slots_ops *slots = rs->inplace ? rs->inplace->slots : NULL;

	if (slots && xt2_in_image_(rs, r))
		return slots->read(slots->arg, r);
	return (struct xt2_counts){ r->packets, r->bytes };
}

/* Do rules that stay get other counters?  Each is a change. */
static u64 recounted(const struct difference *d, const struct side *old, const struct side *now,
		     const struct pair *p)
{
	struct xt2_counts a, b;
	u64 n = 0;
	u32 i, j;

	for (j = 0; d->opt->counters && j < now->list->n; j++) {
		i = was_at(p, old->list->n, now->list->n, j);
		if (i == XT2_NONE)
			continue;
		a = counts_of(d->to, xt2_list_rule(old->list, i));
		b = counts_of(d->from, xt2_list_rule(now->list, j));
		n += a.packets != b.packets || a.bytes != b.bytes;
	}
	return n;
}

static int compare_chain(struct difference *d, struct pair *p)
{
	const struct side now = side_of(d->from, p->from);
	const u32 n = now.list->n;
	struct middle m = { 0 };
	struct side old;
	u32 j, stay = 0;
	int ret = 0;

	if (p->to < 0) {
		d->changes += n + 1;
		return 0;
	}
	old = side_of(d->to, p->to);
	d->rules += old.list->n;
	while (p->head < n && p->head < old.list->n && rules_stay(d, &old, p->head, &now, p->head))
		p->head++;
	while (p->tail < n - p->head && p->tail < old.list->n - p->head &&
	       rules_stay(d, &old, old.list->n - p->tail - 1, &now, n - p->tail - 1))
		p->tail++;
	m.first = p->head;
	m.now = n - p->head - p->tail;
	m.old = old.list->n - p->head - p->tail;
	p->stays = malloc((m.now + 1ull) * sizeof(*p->stays));
	if (!p->stays)
		return -ENOMEM;
	memset(p->stays, 0xff, m.now * sizeof(*p->stays));
	if (m.now && m.old)
		ret = pair_middle(d, &old, &now, &m, p->stays);
	for (j = 0; j < m.now; j++)
		stay += p->stays[j] != XT2_NONE;
	d->changes += (u64)m.old + m.now - 2 * stay + recounted(d, &old, &now, p);
	return ret;
}

static int find_chains(struct difference *d)
{
	int chain, hook;
	struct pair *p;

	xt2_table_for_each_chain(chain, d->from, d->table)
		d->pairs++;
	d->pair = calloc(d->pairs + 1ull, sizeof(*d->pair));
	d->chain = malloc((d->from->chains + 1ull) * sizeof(*d->chain));
	if (!d->pair || !d->chain)
		return -ENOMEM;
	memset(d->chain, 0xff, d->from->chains * sizeof(*d->chain));
	p = d->pair;
	xt2_table_for_each_chain(chain, d->from, d->table) {
		hook = xt2_chain_hook(d->from, chain);
		p->from = chain;
		p->to = hook >= 0 ? xt2_chain_base(d->to, d->old_table, hook)
				  : xt2_chain_find(d->to, d->old_table,
						   xt2_chain_name(d->from, chain));
		if (p->to >= 0 && hook < 0 && xt2_chain_hook(d->to, p->to) >= 0)
			return 1; /* the name of a base chain */
		d->chain[chain] = p->to < 0 ? XT2_NONE : (u32)p->to;
		p++;
	}
	return 0;
}

/* Chains of the old table that the new one does not have: @gone is told of each.  => 0, -errno */
static int each_gone(struct difference *d, int (*gone)(struct difference *d, int chain))
{
	bool *stays = calloc(d->to->chains + 1ull, sizeof(*stays));
	u32 i, chains = d->to->chains;
	int ret = stays ? 0 : -ENOMEM;

	for (i = 0; !ret && i < d->pairs; i++)
		if (d->pair[i].to >= 0)
			stays[d->pair[i].to] = true;
	for (i = 0; !ret && i < chains; i++) {
		const struct xt2_chain_ *c = xt2_chain_get_(d->to, (int)i);

		if (c && c->table == (u32)d->old_table && !stays[i])
			ret = gone(d, (int)i);
	}
	free(stays);
	return ret;
}

static int count_gone(struct difference *d, int chain)
{
	d->rules += xt2_chain_rules(d->to, chain);
	d->changes += xt2_chain_rules(d->to, chain) + 1;
	return 0;
}

/* => 0: it pays; 1: it does not; -errno */
static int compare(struct difference *d)
{
	const u64 rules_of_image = 8; /* that can be packed in the time of a change */
	u32 i;
	int ret = find_chains(d);

	for (i = 0; !ret && i < d->pairs; i++)
		ret = compare_chain(d, &d->pair[i]);
	if (!ret)
		ret = each_gone(d, count_gone);
	if (!ret && d->to->ops)
		ret = xt2_inplace_error(d->to);
	if (ret || d->opt->any)
		return ret;
	return d->changes > FEW + d->rules / rules_of_image;
}

static void tell_stays(const struct difference *d, const struct pair *p)
{
	const struct xt2_chain_ *now = &d->from->chain[p->from], *old;
	u32 i, j;

	if (p->to < 0)
		return;
	old = &d->to->chain[p->to];
	for (j = 0; j < now->rules.n; j++) {
		i = was_at(p, old->rules.n, now->rules.n, j);
		if (i != XT2_NONE)
			d->opt->stays(d->opt->data, p->from, j, p->to, i);
	}
	if (old->policy == now->policy)
		d->opt->stays(d->opt->data, p->from, j, p->to, old->rules.n);
}

/* --- doing it ------------------------------------------------------------------- */

static int move_instance(void *data, u32 *number)
{
	struct difference *d = data;
	const struct xt2_instance *in = xt2_instance_at_(d->from, *number);
	int ret = 0;

	if (d->instance[*number] == XT2_NONE) {
		ret = xt2_instance_add(d->to, in->kind, in->revision, in->name,
				       xt2_instance_data(in), in->size);
		if (ret < 0)
			return ret;
		d->instance[*number] = (u32)ret;
	}
	*number = d->instance[*number];
	return 0;
}

/* A new memory is to do what that of the other ruleset does, whichever rule moves first. */
static void move_config(struct difference *d, u32 to, u32 from)
{
	u32 i;

	for (i = XT2_MEMORY_CONFIG; i < XT2_MEMORY_LOGS; i++)
		d->to->cell[to + i] = cell_of(d->from, from + i);
}

/* A memory stays the one that rules of the name have had, or begins anew. */
static int move_cell(void *data, const struct xt2_match *m, u32 *number)
{
	struct difference *d = data;
	const u32 cells = d->to->cells;
	int cell = xt2_cells_add(d->to, d->from->table[d->table].family, m);

	if (cell < 0)
		return cell;
	if (xt2_match_info(m->type) & XT2_EXT_MEMORY && (u32)cell >= cells)
		move_config(d, (u32)cell, *number);
	if (!(xt2_match_info(m->type) & XT2_EXT_MEMORY))
		d->to->cell[cell] = cell_of(d->from, *number);
	*number = (u32)cell;
	return 0;
}

static int moved_chain(void *data, u32 *number)
{
	const struct difference *d = data;

	*number = d->chain[*number];
	return 0;
}

/* In d->rule, with the numbers of to. */
static int move_rule(struct difference *d, const struct xt2_rule *of)
{
	const struct xt2_renumber_ by = { move_cell, move_instance, moved_chain, d };

	return xt2_rule_renumber_(memcpy(d->rule, of, of->size), &by);
}

/* A rule stays at a position. */
static int stay(const struct difference *d, const struct pair *p, u32 at, const struct xt2_rule *r)
{
	return d->opt->counters ? xt2_rule_set_counters(d->to, p->to, at, r->packets, r->bytes) : 0;
}

/* From the end to the beginning, so that positions before are those of the old chain. */
static int change_rules(struct difference *d, const struct pair *p)
{
	const struct side now = side_of(d->from, p->from);
	u32 j = now.list->n, i = xt2_chain_rules(d->to, p->to), tail = p->tail, next;
	int ret = 0;

	while (!ret && j-- > 0) {
		const struct xt2_rule *r = xt2_list_rule(now.list, j);

		next = tail ? i - 1 : j < p->head ? j : p->stays ? p->stays[j - p->head] : XT2_NONE;
		tail -= tail != 0;
		if (next == XT2_NONE) {
			ret = move_rule(d, r);
			if (!ret)
				ret = xt2_rule_insert(d->to, p->to, i, (struct xt2_rule *)d->rule,
						      xt2_list_line(now.list, j));
			continue;
		}
		while (!ret && i > next + 1)
			ret = xt2_rule_delete(d->to, p->to, --i);
		i = next;
		if (!ret)
			ret = stay(d, p, i, r);
	}
	while (!ret && i > 0)
		ret = xt2_rule_delete(d->to, p->to, --i);
	return ret;
}

/* Policy, and what it has counted; of user chains as well, whose end counts, too. */
static void change_end(const struct difference *d, const struct pair *p)
{
	const struct xt2_chain_ *now = xt2_chain_get_(d->from, p->from);
	struct xt2_chain_ *c = xt2_chain_get_(d->to, p->to);
	const bool policy = c->policy != now->policy;
	const bool counts = (policy || d->opt->counters) &&
			    (c->packets != now->packets || c->bytes != now->bytes);

	if (!policy && !counts)
		return;
	xt2_chain_changes_(d->to, c);
	c->policy = now->policy;
	if (!counts)
		return;
	c->recounted = 1;
	c->packets = now->packets;
	c->bytes = now->bytes;
}

static int flush_gone(struct difference *d, int chain)
{
	return xt2_chain_flush(d->to, chain);
}

static int delete_gone(struct difference *d, int chain)
{
	return xt2_chain_delete(d->to, chain);
}

static int add_chains(struct difference *d)
{
	int ret = 0;
	u32 i;

	for (i = 0; ret >= 0 && i < d->pairs; i++) {
		struct pair *p = &d->pair[i];

		if (p->to >= 0)
			continue;
		ret = xt2_chain_add(d->to, d->old_table, xt2_chain_name(d->from, p->from));
		if (ret < 0)
			return ret;
		p->to = ret;
		d->chain[p->from] = (u32)ret;
	}
	return 0;
}

static int change(struct difference *d)
{
	int ret = -ENOMEM;
	u32 i;

	d->instance = malloc((d->from->instances + 1ull) * sizeof(*d->instance));
	d->rule = malloc(XT2_RULE_MAX);
	if (!d->instance || !d->rule)
		return ret;
	memset(d->instance, 0xff, d->from->instances * sizeof(*d->instance));
	ret = add_chains(d);
	for (i = 0; !ret && i < d->pairs; i++) {
		ret = change_rules(d, &d->pair[i]);
		if (!ret)
			change_end(d, &d->pair[i]);
	}
	if (!ret)
		ret = each_gone(d, flush_gone); /* they may lead to one another */
	if (!ret)
		ret = each_gone(d, delete_gone);
	return ret;
}

static bool texts_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int xt2_table_difference(struct xt2_ruleset *to, const struct xt2_ruleset *from, int table,
			 const struct xt2_difference_options *options)
{
	struct difference d = { .to = to, .from = from, .opt = options, .table = table };
	const struct xt2_table_ *now = &from->table[table], *old;
	u32 i;
	int ret;

	d.old_table = xt2_table_find(to, now->family, now->name);
	if (d.old_table < 0)
		return 1;
	xt2_chains_know_(to);
	old = &to->table[d.old_table];
	if (!options->any && (old->as_came || now->as_came || now->family == XT2_BRIDGE ||
			      !texts_equal(old->source, now->source)))
		return 1;
	ret = compare(&d);
	for (i = 0; !ret && options->stays && i < d.pairs; i++)
		tell_stays(&d, &d.pair[i]);
	if (!ret && d.changes)
		ret = change(&d);
	for (i = 0; !ret && !d.changes && i < d.pairs; i++)
		change_end(&d, &d.pair[i]);
	if (ret < 0 && to->ops && xt2_inplace_error(to))
		ret = xt2_inplace_error(to); /* which may be why something was not there */
	for (i = 0; d.pair && i < d.pairs; i++)
		free(d.pair[i].stays);
	free(d.pair);
	free(d.chain);
	free(d.instance);
	free(d.rule);
	return ret;
}

/* The tables of a that b lacks.  => 0, -ENOMEM */
static int add_tables(const struct xt2_ruleset *a, struct xt2_ruleset *b)
{
	u32 i;

	for (i = 0; i < a->tables; i++) {
		const struct xt2_table_ *t = &a->table[i];

		if (xt2_table_find(b, t->family, t->name) < 0 &&
		    xt2_table_add(b, t->family, t->name, t->source) < 0)
			return -ENOMEM;
	}
	return 0;
}

int xt2_tables_meet(struct xt2_ruleset *a, struct xt2_ruleset *b)
{
	const int ret = add_tables(a, b);

	return ret ? ret : add_tables(b, a);
}
