/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat-keys.c - which companions packets to an address and a port may need
 *
 * Where rules ask for one destination on the way to a target, as those for services do, a packet's
 * destination says which companions there are for it.  A companion that was found so has to be
 * compared with the packet's note: others may follow from other rules, from edits, or from what another
 * program did to the packet.  So what is too much to follow is left out here.
 *
 * Those for one destination have different ranks, and a companion has the same rank for all of its
 * destinations: the packet's note says it.
 */
#include "bpf-nat.h"
#include "engine/index/box.h"
#include "engine/order.h"
#include "engine/rule.h"
#include "libxt2/grow.h"

#define WAYS_MAX  8u /* to a chain, with different destinations */
#define STEPS_MAX (1u << 22) /* rules that are looked at */
#define NONE	  0xffu /* no rank */

/* What rules have asked for. */
struct asked {
	u64 address[2]; /* as in rules */
	u16 port;
	bool has_address, has_port;
};

/* To a chain. */
struct way {
	u32 chain;
	u32 before; /* another way to it, its number and 1; 0: none */
	struct asked asked;
};

struct walk {
	const struct xt2_image *img;
	const struct xt2_root *root;
	u8 family;
	struct way *way;
	u32 ways, way_cap;
	u32 *last; /* by chain: a way to it, its number and 1 */
	struct xt2_nat_plan *plan;
	u8 *rank; /* by instance: 1 and its rank; 0: none yet */
	u32 key_cap, steps;
};

static bool equal(const struct asked *a, const struct asked *b)
{
	return a->has_address == b->has_address && a->has_port == b->has_port &&
	       a->address[0] == b->address[0] && a->address[1] == b->address[1] &&
	       a->port == b->port;
}

/* => 0, -ENOMEM */
static int add_way(struct walk *w, u32 chain, const struct asked *asked)
{
	u32 at, n = 0;

	for (at = w->last[chain]; at; at = w->way[at - 1].before)
		if (equal(&w->way[at - 1].asked, asked) || ++n == WAYS_MAX)
			return 0;
	if (xt2_grow_(&w->way, w->ways, &w->way_cap, sizeof(*w->way)))
		return -ENOMEM;
	w->way[w->ways] = (struct way){ chain, w->last[chain], *asked };
	w->last[chain] = ++w->ways;
	return 0;
}

static void take(const struct walk *w, const struct xt2_rule *r, struct asked *asked)
{
	const u64 all = w->family == XT2_IPV6 ? ~0ull : ~0u;
	struct xt2_box box;
	u16 least, most;

	xt2_box_of(&box, r);
	if (box.mask[XT2_FIELD_DST][0] == all &&
	    (w->family != XT2_IPV6 || box.mask[XT2_FIELD_DST][1] == all)) {
		memcpy(asked->address, box.value[XT2_FIELD_DST], sizeof(asked->address));
		asked->has_address = true;
	}
	if (xt2_box_range(&box, w->family, XT2_KEY_DPORT, &least, &most) && least == most) {
		asked->port = least;
		asked->has_port = true;
	}
}

static int add_key(struct walk *w, const struct asked *asked, u32 instance)
{
	struct xt2_nat_plan *plan = w->plan;
	struct xt2_nat_place place;

	if (!asked->has_address || !asked->has_port ||
	    !xt2_nat_place_(xt2_image_instance(w->img, w->root, instance), w->family, &place))
		return 0;
	if (xt2_grow_(&plan->key, plan->keys, &w->key_cap, sizeof(*plan->key)))
		return -ENOMEM;
	plan->key[plan->keys++] = (struct xt2_nat_key){
		.address = { asked->address[0], asked->address[1] },
		.port = asked->port,
		.instance = instance,
	};
	return 0;
}

static int follow(struct walk *w, const struct way *way)
{
	const struct xt2_chain *c = xt2_image_chain(w->img, w->root, way->chain);
	const struct asked before = way->asked;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	struct asked asked;
	int ret = 0;

	xt2_chain_for_each(r, &o, w->img, c) {
		const bool acts = XT2_TARGET_KIND(r->target) == XT2_T_NAT;

		if (ret || ++w->steps > STEPS_MAX || (!acts && !xt2_rule_branches(r)))
			continue;
		asked = before;
		take(w, r, &asked);
		ret = acts ? add_key(w, &asked, XT2_TARGET_ARG(r->target))
			   : add_way(w, XT2_TARGET_ARG(r->target), &asked);
	}
	return ret;
}

/* --- the keys --------------------------------------------------------------------- */

static int compare_packets(const struct xt2_nat_key *a, const struct xt2_nat_key *b)
{
	const int address = memcmp(a->address, b->address, sizeof(a->address));

	return address ? address : (int)a->port - (int)b->port;
}

static int compare(const void *first, const void *second)
{
	const struct xt2_nat_key *a = first, *b = second;
	const int packets = compare_packets(a, b);

	return packets ? packets : (a->instance > b->instance) - (a->instance < b->instance);
}

/* Those that have a rank keep it, or are left out if another one here has the same.  => ranks that are taken */
static u32 keep_ranks(const struct walk *w, struct xt2_nat_key *key, u32 n)
{
	u32 i, used = 0, bit;

	for (i = 0; i < n; i++) {
		const u8 rank = w->rank[key[i].instance];

		key[i].rank = NONE;
		bit = rank ? 1u << (rank - 1) : 0;
		if (!bit || used & bit)
			continue;
		used |= bit;
		key[i].rank = (u8)(rank - 1);
	}
	return used;
}

/* The keys of one destination: others have the next rank that is free, or are left out. */
static void give_ranks(const struct walk *w, struct xt2_nat_key *key, u32 n)
{
	const u32 used = keep_ranks(w, key, n);
	u32 i, rank = 0;

	for (i = 0; i < n; i++) {
		u8 *its = &w->rank[key[i].instance];

		while (used >> rank & 1)
			rank++;
		if (*its || rank >= XT2_NAT_KNOWN)
			continue;
		key[i].rank = (u8)rank++;
		*its = (u8)rank;
	}
}

static u32 bits_of(u32 rank)
{
	u32 bits = 0;

	while (rank >> bits)
		bits++;
	return bits;
}

/* In an order; each is there once. */
static void settle(const struct walk *w)
{
	struct xt2_nat_plan *plan = w->plan;
	struct xt2_nat_key *key = plan->key;
	u32 i, end, n = 0, highest = 0;

	if (plan->keys)
		qsort(key, plan->keys, sizeof(*key), compare);
	for (i = 0; i < plan->keys; i = end) {
		for (end = i + 1; end < plan->keys && !compare_packets(&key[i], &key[end]);)
			end++;
		give_ranks(w, &key[i], end - i);
	}
	for (i = 0; i < plan->keys; i++) {
		if (key[i].rank == NONE)
			continue;
		if (key[i].rank > highest)
			highest = key[i].rank;
		key[n++] = key[i];
	}
	plan->keys = n;
	plan->rank_bits = bits_of(highest);
}

/* => is it a hook of the plan at which destinations are changed? */
static bool is_start(const struct walk *w, const struct xt2_hook *h)
{
	const struct xt2_table *t = xt2_image_table(w->img, w->root, h->table);

	return h->family == w->family && !strcmp(t->name, "nat") && w->plan->hooks >> h->hook & 1 &&
	       (h->hook == XT2_PREROUTING || h->hook == XT2_OUTPUT);
}

int xt2_nat_keys_(struct xt2_nat_plan *plan, const struct xt2_image *img, u8 family)
{
	struct walk w = { .img = img, .root = xt2_image_root(img), .family = family, .plan = plan };
	const struct asked nothing = { 0 };
	const struct xt2_hook *h;
	struct way way;
	int ret = 0;
	u32 i;

	w.last = calloc(w.root->chains + 1, sizeof(*w.last));
	w.rank = calloc(w.root->instances + 1, sizeof(*w.rank));
	if (!w.last || !w.rank)
		ret = -ENOMEM;
	xt2_image_for_each_hook(h, i, img, w.root)
		if (!ret && is_start(&w, h))
			ret = add_way(&w, h->chain, &nothing);
	for (i = 0; i < w.ways && !ret; i++) {
		way = w.way[i]; /* which moves */
		ret = follow(&w, &way);
	}
	if (!ret)
		settle(&w);
	free(w.last);
	free(w.rank);
	free(w.way);
	return ret;
}
