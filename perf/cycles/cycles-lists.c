/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles-lists.c - linked lists of allocations, as in the third prototype of Xtables2
 *
 * A chain is a list of rules, a rule a list of matches; rule, match, a match's
 * parameters and the target are objects of their own, and a match is called
 * through its type.  Built in the order of the rules, neighbours lie side by
 * side, as after one load into an empty kernel; scattered, every rule lies
 * somewhere, as after long service.
 */
#include "cycles.h"

#include <stdlib.h>

struct link {
	struct link *next, *prev;
};

struct match_type {
	bool (*holds)(const void *parameters, const struct xt2_pkt *pkt);
	const char *name;
};

struct match {
	struct link link;
	const struct match_type *type;
	void *parameters;
};

struct target {
	struct link link;
	const void *type; /* NULL: a verdict or a chain */
	struct list_chain *chain;
};

struct list_rule {
	struct link link;
	struct link matches;
	struct target *target;
	struct list_chain *chain;
	u64 packets, bytes;
};

struct list_chain {
	struct link link;
	struct link rules;
	u64 packets, bytes; /* of its end */
	u32 references;
	char name[XT2_NAME_SIZE];
};

struct masked {
	u64 value[2], mask[2];
};

struct lists {
	struct list_chain *input;
	struct list_rule *stack[DEPTH];
};

static bool source_holds(const void *parameters, const struct xt2_pkt *pkt)
{
	const struct masked *p = parameters;

	return !(((pkt->src[0] & p->mask[0]) ^ p->value[0]) |
		 ((pkt->src[1] & p->mask[1]) ^ p->value[1]));
}

static bool destination_holds(const void *parameters, const struct xt2_pkt *pkt)
{
	const struct masked *p = parameters;

	return !(((pkt->dst[0] & p->mask[0]) ^ p->value[0]) |
		 ((pkt->dst[1] & p->mask[1]) ^ p->value[1]));
}

static const struct match_type source = { source_holds, "src6" };
static const struct match_type destination = { destination_holds, "dst6" };

static void list_init(struct link *head)
{
	head->next = head->prev = head;
}

static void list_append(struct link *head, struct link *link)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

static void add_match(struct layout *l, struct list_rule *rule, const struct match_type *type,
		      const u64 *value, const u64 *mask)
{
	struct masked *p;
	struct match *m;

	if (!(mask[0] | mask[1]))
		return;
	m = heap_get(&l->heap, sizeof(*m));
	p = heap_get(&l->heap, sizeof(*p));
	memcpy(p->value, value, 16);
	memcpy(p->mask, mask, 16);
	m->type = type;
	m->parameters = p;
	list_append(&rule->matches, &m->link);
}

static struct list_rule *make_rule(struct layout *l, const struct rule *q,
				   struct list_chain **chains)
{
	struct list_rule *rule = heap_get(&l->heap, sizeof(*rule));

	list_init(&rule->matches);
	add_match(l, rule, &source, q->src, q->src_mask);
	add_match(l, rule, &destination, q->dst, q->dst_mask);
	if (q->jump) {
		rule->target = heap_get(&l->heap, sizeof(*rule->target));
		rule->target->chain = chains[q->jump];
	}
	return rule;
}

void lists_build(struct layout *l, const struct rules *r)
{
	struct list_chain **chains = malloc(r->chains * sizeof(*chains));
	struct list_rule **rules = malloc(r->count * sizeof(*rules));
	u32 *order = order_make(r->count, l->variant == SCATTERED), i, k;
	struct lists *lists = heap_get(&l->heap, sizeof(*lists));

	if (!chains || !rules || !order)
		exit(4);
	for (i = 0; i < r->chains; i++) {
		chains[i] = heap_get(&l->heap, sizeof(**chains));
		list_init(&chains[i]->rules);
	}
	for (i = 0; i < r->count; i++)
		rules[order[i]] = make_rule(l, &r->rule[order[i]], chains);
	for (i = 0; i < r->chains; i++) {
		for (k = 0; k < r->chain[i].rules; k++) {
			struct list_rule *rule = rules[r->chain[i].first + k];

			rule->chain = chains[i];
			list_append(&chains[i]->rules, &rule->link);
			if (l->packets)
				l->packets[r->chain[i].first + k] = &rule->packets;
		}
	}
	lists->input = chains[0];
	l->data = lists;
	l->bytes = l->heap.used;
	free(chains);
	free(rules);
	free(order);
}

static bool rule_holds(const struct list_rule *rule, const struct xt2_pkt *pkt)
{
	const struct link *i;

	for (i = rule->matches.next; i != &rule->matches; i = i->next) {
		const struct match *m = (const struct match *)i;

		if (!m->type->holds(m->parameters, pkt))
			return false;
	}
	return true;
}

void lists_run(struct layout *l, const struct xt2_pkt *pkt)
{
	struct lists *lists = l->data;
	struct list_chain *chain = lists->input;
	struct link *at = chain->rules.next;
	u32 depth = 0;

	for (;;) {
		struct list_rule *rule = (struct list_rule *)at;

		if (at == &chain->rules) {
			chain->packets++;
			chain->bytes += pkt->len;
			if (!depth)
				return;
			rule = lists->stack[--depth];
			chain = rule->chain;
			at = rule->link.next;
			continue;
		}
		at = at->next;
		if (!rule_holds(rule, pkt))
			continue;
		rule->packets++;
		rule->bytes += pkt->len;
		if (!rule->target || depth == DEPTH)
			continue;
		lists->stack[depth++] = rule;
		chain = rule->target->chain;
		at = chain->rules.next;
	}
}
