/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ways.c - which chains lead to which, while an image is edited
 *
 * The rank of a chain is larger than that of each chain it leads to, so ranks exist only
 * without loops; one that is 0 says that there may be one.  A new rule that leads
 * from a chain of a higher rank to one of a lower closes no loop.  If the ranks say
 * otherwise, the first chain's is raised, and those of the chains that lead to it; that ends,
 * or comes back to where it began.  A goto counts like a jump: it pushes no frame, but a rule
 * may be replaced by one that does.
 */
#include "ways.h"

#include <errno.h>
#include <stdlib.h>
#include "engine/order.h"
#include "engine/rule.h"
#include "libxt2/grow.h"

#define RANK_STEP  16u
#define STEPS_MIN  4096u /* rules and chains that a commit may always look at before it walks all */
#define UP_MAX	   64u /* chains on the ways up from one that are looked at */
#define VISITS_END 0xffffffffu
#define UNKNOWN	   (~(u64)0)

void xt2_ways_begin(struct xt2_ways *w, struct xt2_pages *way)
{
	w->way = way;
	w->edges = w->grows = 0;
}

void xt2_ways_end(struct xt2_ways *w)
{
	free(w->edge);
	free(w->grown);
	*w = (struct xt2_ways){ 0 };
}

/* => a chain's record, to be written; NULL: no room */
static struct xt2_way *own(struct xt2_ways *w, u32 chain)
{
	struct xt2_way *way;

	if (xt2_pages_grow(w->way, chain + 1))
		return NULL;
	way = xt2_pages_own(w->way, chain);
	if (way && !way->visits) { /* a new chain */
		way->visits = 1;
		way->rank = RANK_STEP;
	}
	return way;
}

/* => false: its parents are not known any more */
static bool parent_add(struct xt2_way *way, u32 chain, s32 rules)
{
	u32 i;

	if (way->parents > XT2_WAY_PARENTS)
		return false;
	for (i = 0; i < way->parents; i++)
		if (way->parent[i].chain == chain) {
			way->parent[i].rules += (u32)rules;
			if (!way->parent[i].rules)
				way->parent[i] = way->parent[--way->parents];
			return true;
		}
	if (rules < 0)
		return true;
	if (way->parents < XT2_WAY_PARENTS)
		way->parent[way->parents] = (struct xt2_way_parent){ chain, (u32)rules };
	way->parents++;
	return way->parents <= XT2_WAY_PARENTS;
}

static u32 sum(u32 a, u64 b)
{
	return a + b > VISITS_END ? VISITS_END : (u32)(a + b);
}

static u32 larger(u32 a, u32 b)
{
	return a > b ? a : b;
}

/* --- all of an image ---------------------------------------------------------- */

enum state { NEW, OPEN, DONE, LOOPS }; /* LOOPS: or leads to a loop */

struct build {
	struct xt2_ways *w;
	const struct xt2_image *img;
	const struct xt2_root *root;
	u32 *edge; /* where chains lead, in their order */
	u32 edges, edge_cap;
	u32 *first; /* by chain: of its edges; one more at the end */
	u32 *next; /* by chain, while it is open */
	u32 *stack, *order; /* chains; order: those that are done */
	u32 depth, orders;
	u8 *state;
	bool loops;
};

static int note_edges(struct build *b, u32 chain, const struct xt2_chain *c)
{
	const struct xt2_rule *r;
	struct xt2_in_order o;
	struct xt2_way *to;

	xt2_chain_for_each(r, &o, b->img, c) {
		const u32 arg = XT2_TARGET_ARG(r->target);

		if (!xt2_rule_branches(r))
			continue;
		if (xt2_grow_(&b->edge, b->edges, &b->edge_cap, sizeof(*b->edge)))
			return -ENOMEM;
		b->edge[b->edges++] = arg;
		to = own(b->w, arg);
		if (!to)
			return -ENOSPC;
		to->references++;
		parent_add(to, chain, 1);
	}
	return 0;
}

static int clear(struct build *b)
{
	struct xt2_way *way;
	u32 i, finder;
	u16 owner;

	for (i = 0; i < b->root->chains; i++) {
		way = own(b->w, i);
		if (!way)
			return -ENOSPC;
		finder = way->finder;
		owner = way->owner;
		*way = (struct xt2_way){ .finder = finder, .owner = owner };
	}
	return 0;
}

static int read_edges(struct build *b)
{
	const struct xt2_chain *c;
	int ret = 0;
	u32 i;

	for (i = 0; i < b->root->chains && !ret; i++) {
		b->first[i] = b->edges;
		c = xt2_image_chain(b->img, b->root, i);
		if (c)
			ret = note_edges(b, i, c);
	}
	b->first[i] = b->edges;
	return ret;
}

/* All that a chain leads to is done. */
static void finish(struct build *b, u32 chain)
{
	struct xt2_way *way = own(b->w, chain);
	u32 rank = 0, depth = 0, visits = 1, i;
	bool loops = b->state[chain] == LOOPS;

	for (i = b->first[chain]; i < b->first[chain + 1]; i++) {
		const u32 to = b->edge[i];
		const struct xt2_way *there = xt2_pages_get(b->w->way, to);

		loops |= b->state[to] != DONE;
		rank = larger(rank, there->rank);
		depth = larger(depth, there->depth + 1);
		visits = sum(visits, there->visits);
	}
	way->rank = loops ? 0 : rank + RANK_STEP;
	way->depth = depth;
	way->visits = visits;
	b->state[chain] = loops ? LOOPS : DONE;
	b->loops |= loops;
	b->order[b->orders++] = chain;
}

/* Depth first. */
static void follow(struct build *b, u32 start)
{
	b->stack[b->depth++] = start;
	b->state[start] = OPEN;
	b->next[start] = b->first[start];
	while (b->depth) {
		const u32 chain = b->stack[b->depth - 1];
		u32 to;

		if (b->next[chain] == b->first[chain + 1]) {
			b->depth--;
			finish(b, chain);
			continue;
		}
		to = b->edge[b->next[chain]++];
		if (b->state[to] != NEW)
			continue; /* one that is open is seen when this chain is finished */
		b->stack[b->depth++] = to;
		b->state[to] = OPEN;
		b->next[to] = b->first[to];
	}
}

/* One pass from the chains that others lead to last; => did it change anything? */
static bool spread_hooks(struct build *b)
{
	bool changed = false;
	u32 i, j;

	for (j = b->orders; j-- > 0;) {
		const u32 chain = b->order[j];
		const u8 from = ((const struct xt2_way *)xt2_pages_get(b->w->way, chain))->from;

		for (i = b->first[chain]; from && i < b->first[chain + 1]; i++) {
			struct xt2_way *to = own(b->w, b->edge[i]);

			changed |= from & ~to->from;
			to->from |= from;
		}
	}
	return changed;
}

static void find_hooks(struct build *b)
{
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, b->img, b->root)
		own(b->w, h->chain)->from |= (u8)(1u << h->hook);
	while (spread_hooks(b) && b->loops)
		;
}

static int build(struct build *b)
{
	const size_t n = b->root->chains + 1ull;
	int ret;
	u32 i;

	b->first = malloc(n * sizeof(*b->first));
	b->next = malloc(n * sizeof(*b->next));
	b->stack = malloc(n * sizeof(*b->stack));
	b->order = malloc(n * sizeof(*b->order));
	b->state = calloc(n, sizeof(*b->state));
	if (!b->first || !b->next || !b->stack || !b->order || !b->state)
		return -ENOMEM;
	ret = clear(b);
	if (!ret)
		ret = read_edges(b);
	if (ret)
		return ret;
	for (i = 0; i < b->root->chains; i++)
		if (b->state[i] == NEW)
			follow(b, i);
	find_hooks(b);
	return 0;
}

int xt2_ways_build(struct xt2_ways *w, const struct xt2_image *img, const struct xt2_root *root)
{
	struct build b = { .w = w, .img = img, .root = root };
	int ret = xt2_pages_grow(w->way, root->chains);

	if (!ret)
		ret = build(&b);
	free(b.edge);
	free(b.first);
	free(b.next);
	free(b.stack);
	free(b.order);
	free(b.state);
	return ret;
}

/* --- what comes and goes ----------------------------------------------------------- */

int xt2_ways_base(struct xt2_ways *w, u32 chain, u32 hook)
{
	struct xt2_way *way = own(w, chain);

	if (!way)
		return -ENOSPC;
	way->from |= (u8)(1u << hook);
	return 0;
}

int xt2_ways_refer(struct xt2_ways *w, u32 from, u32 to, int change)
{
	struct xt2_way *way = own(w, to);

	if (!way)
		return -ENOSPC;
	way->references += (u32)change;
	if (xt2_grow_(&w->edge, w->edges, &w->edge_cap, sizeof(*w->edge)))
		return -ENOMEM;
	w->edge[w->edges++] = (struct xt2_way_edge){ .from = from, .to = to, .change = change };
	return 0;
}

/* --- a commit ------------------------------------------------------------------------ */

struct commit {
	struct xt2_ways *w;
	const struct xt2_image *img;
	struct xt2_root *root;
	struct xt2_hook *hook;
	u32 steps, most; /* a step is a chain or a rule; most: of them, and of edges */
	u32 *list; /* of chains that are to be looked at */
	u32 n, cap;
};

static int by_source(const void *first, const void *second)
{
	const struct xt2_way_edge *a = first, *b = second;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* One edge for each pair of chains; those that came as often as they went are left out. */
static void net_edges(struct xt2_ways *w)
{
	u32 i, n = 0;

	if (!w->edges)
		return;
	qsort(w->edge, w->edges, sizeof(*w->edge), by_source);
	for (i = 0; i < w->edges; i++) {
		if (n && !by_source(&w->edge[n - 1], &w->edge[i])) {
			w->edge[n - 1].change += w->edge[i].change;
			continue;
		}
		if (n && !w->edge[n - 1].change)
			n--;
		w->edge[n++] = w->edge[i];
	}
	if (n && !w->edge[n - 1].change)
		n--;
	w->edges = n;
}

/*
 * What chains lead to, as hooks have it.  It counts rules after an unconditional verdict, and
 * all of several gotos, so no rule that goes makes it too little.
 */
static int set_hooks(struct commit *k)
{
	const struct xt2_way *way;
	struct xt2_hook *h = k->hook;
	u32 i;

	k->root->depth = 0;
	k->root->visits = 0;
	for (i = 0; i < k->root->hooks; i++, h++) {
		way = xt2_pages_get(k->w->way, h->chain);
		if (!way)
			return -EIO;
		if (!way->rank || way->visits == VISITS_END)
			return XT2_WAYS_DOUBT;
		h->depth = way->depth;
		h->visits = way->visits;
		k->root->depth = larger(k->root->depth, h->depth);
		if (k->root->visits < h->visits)
			k->root->visits = h->visits;
	}
	return 0;
}

/* What a chain leads to has become more: a step of its way up. */
struct rise {
	u32 chain, rank, depth;
	u64 visits; /* so many more */
};

/* => 0; XT2_WAYS_DOUBT; -ENOSPC, -ENOMEM */
static int rise_one(struct commit *k, const struct rise *r, struct rise **up, u32 *n, u32 *cap)
{
	struct xt2_way *way = own(k->w, r->chain);
	const u32 rank = r->rank, depth = r->depth;
	u32 i;

	if (!way)
		return -ENOSPC;
	if (rank <= way->rank && depth <= way->depth && !r->visits)
		return 0;
	way->rank = larger(way->rank, rank);
	way->depth = larger(way->depth, depth);
	way->visits = sum(way->visits, r->visits);
	if (way->parents > XT2_WAY_PARENTS || way->visits == VISITS_END || ++k->steps > k->most)
		return XT2_WAYS_DOUBT;
	for (i = 0; i < way->parents; i++) {
		const struct xt2_way_parent *p = &way->parent[i];

		if (xt2_grow_(up, *n, cap, sizeof(**up)))
			return -ENOMEM;
		(*up)[(*n)++] = (struct rise){ p->chain, way->rank + 1, way->depth + 1,
					       r->visits * p->rules };
	}
	return 0;
}

/* Raise a chain's bounds, and those of the chains that lead to it. */
static int rise(struct commit *k, struct rise first, u32 stop)
{
	struct rise *up = NULL, one;
	u32 n = 0, cap = 0;
	int ret = rise_one(k, &first, &up, &n, &cap);

	while (n && !ret) {
		one = up[--n];
		ret = one.chain == stop ? XT2_WAYS_DOUBT : rise_one(k, &one, &up, &n, &cap);
	}
	free(up);
	return ret;
}

static int worklist_add(struct commit *k, u32 chain)
{
	if (xt2_grow_(&k->list, k->n, &k->cap, sizeof(*k->list)))
		return -ENOMEM;
	k->list[k->n++] = chain;
	return 0;
}

/* More hooks lead to a chain.  => 0; -ENOSPC, -ENOMEM */
static int grow(struct commit *k, u32 chain, u8 from)
{
	struct xt2_way *way = own(k->w, chain);

	if (!way)
		return -ENOSPC;
	if (!(from & ~way->from))
		return 0;
	way->from |= from;
	if (xt2_grow_(&k->w->grown, k->w->grows, &k->w->grown_cap, sizeof(*k->w->grown)))
		return -ENOMEM;
	k->w->grown[k->w->grows++] = chain;
	return worklist_add(k, chain);
}

/* The chains that a chain leads to are reached from its hooks. */
static int spread(struct commit *k, u32 chain)
{
	const struct xt2_chain *c = xt2_image_chain(k->img, k->root, chain);
	const u8 from = ((const struct xt2_way *)xt2_pages_get(k->w->way, chain))->from;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	int ret = 0;

	if (!c)
		return -EIO;
	k->steps += xt2_chain_length(k->img, c);
	if (k->steps > k->most)
		return XT2_WAYS_DOUBT;
	xt2_chain_for_each(r, &o, k->img, c) {
		if (!ret && xt2_rule_branches(r))
			ret = grow(k, XT2_TARGET_ARG(r->target), from);
	}
	return ret;
}

static int edge_goes(struct commit *k, const struct xt2_way_edge *e)
{
	struct xt2_way *to = own(k->w, e->to), *from;
	u64 less;

	if (!to)
		return -ENOSPC;
	parent_add(to, e->from, e->change);
	less = (u64)to->visits * (u32)-e->change;
	from = own(k->w, e->from);
	if (!from)
		return -ENOSPC;
	if (from->visits != VISITS_END && from->visits > less)
		from->visits -= (u32)less;
	return 0;
}

static int edge_comes(struct commit *k, const struct xt2_way_edge *e)
{
	struct xt2_way *to = own(k->w, e->to);
	const struct xt2_way *from;
	struct xt2_way there;
	int ret;

	if (!to)
		return -ENOSPC;
	there = *to;
	parent_add(to, e->from, e->change);
	from = own(k->w, e->from);
	if (!from)
		return -ENOSPC;
	if (!there.rank || !from->rank || e->from == e->to)
		return XT2_WAYS_DOUBT;
	ret = rise(k,
		   (struct rise){ e->from, there.rank >= from->rank ? there.rank + RANK_STEP : 0,
				  there.depth + 1, (u64)there.visits * (u32)e->change },
		   e->to);
	if (ret)
		return ret;
	from = xt2_pages_get(k->w->way, e->from);
	ret = grow(k, e->to, from->from);
	while (k->n && !ret)
		ret = spread(k, k->list[--k->n]);
	return ret;
}

/* => the first edge from a chain */
static u32 edges_of(const struct xt2_ways *w, u32 chain)
{
	u32 low = 0, high = w->edges;

	while (low < high) {
		const u32 mid = low + (high - low) / 2;

		if (w->edge[mid].from < chain)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * New edges, those of a chain after those of the chains that they lead to; so new chains that
 * lead to others rise before anything leads to them.
 * => 0; XT2_WAYS_DOUBT: they make a circle; -ENOSPC, -ENOMEM
 */
static int edges_come(struct commit *k, u32 start)
{
	struct xt2_ways *w = k->w;
	u32 *stack = NULL, n = 0, cap = 0, i;
	int ret = 0;

	if (xt2_grow_(&stack, n, &cap, sizeof(*stack)))
		return -ENOMEM;
	stack[n++] = start;
	w->edge[start].done = OPEN;
	while (n && !ret) {
		const u32 first = stack[n - 1], from = w->edge[first].from;
		u32 below = XT2_WAYS_NONE;

		for (i = first; i < w->edges && w->edge[i].from == from; i++) {
			const u32 there = edges_of(w, w->edge[i].to);

			if (w->edge[i].change < 0 || there == w->edges ||
			    w->edge[there].from != w->edge[i].to || w->edge[there].done == DONE)
				continue;
			if (w->edge[there].done == OPEN)
				ret = XT2_WAYS_DOUBT;
			below = there;
			break;
		}
		if (!ret && below != XT2_WAYS_NONE) {
			ret = xt2_grow_(&stack, n, &cap, sizeof(*stack));
			w->edge[below].done = OPEN;
			if (!ret)
				stack[n++] = below;
			continue;
		}
		for (i = first; !ret && i < w->edges && w->edge[i].from == from; i++)
			if (w->edge[i].change > 0)
				ret = edge_comes(k, &w->edge[i]);
		w->edge[first].done = DONE;
		n--;
	}
	free(stack);
	return ret;
}

static int take_edges(struct commit *k)
{
	struct xt2_ways *w = k->w;
	int ret = 0;
	u32 i;

	if (w->edges > k->most)
		return XT2_WAYS_DOUBT;
	net_edges(w);
	for (i = 0; i < w->edges && !ret; i++)
		if (w->edge[i].change < 0)
			ret = edge_goes(k, &w->edge[i]);
	for (i = 0; i < w->edges && !ret; i++)
		if ((!i || w->edge[i - 1].from != w->edge[i].from) && w->edge[i].done == NEW)
			ret = edges_come(k, i);
	return ret;
}

int xt2_ways_commit(struct xt2_ways *w, const struct xt2_image *img, struct xt2_root *root,
		    struct xt2_hook *hook)
{
	const u32 most = root->chains / 4 > STEPS_MIN ? root->chains / 4 : STEPS_MIN;
	struct commit k = { .w = w, .img = img, .root = root, .hook = hook, .most = most };
	const u64 visits = root->visits;
	int ret = take_edges(&k);

	free(k.list);
	if (!ret)
		ret = set_hooks(&k);
	if (!ret && root->visits > XT2_VISITS_MAX && visits <= XT2_VISITS_MAX)
		return XT2_WAYS_DOUBT; /* it may be less in truth */
	return ret;
}

/* --- ways up ------------------------------------------------------------------------- */

struct up {
	const struct xt2_ways *w;
	const struct xt2_image *img;
	const struct xt2_root *root;
	u32 left; /* chains that may still be looked at, which bounds the recursion */
};

static u64 entries(struct up *up, u32 chain)
{
	const struct xt2_chain *c = xt2_image_chain(up->img, up->root, chain);
	const struct xt2_way *way = xt2_pages_get(up->w->way, chain);
	u64 n, one;
	u32 i;

	if (!c || !way || way->parents > XT2_WAY_PARENTS || !up->left)
		return UNKNOWN;
	up->left--;
	n = c->hook != XT2_HOOK_NONE;
	for (i = 0; i < way->parents; i++) {
		one = entries(up, way->parent[i].chain);
		if (one >> 32)
			return UNKNOWN;
		one *= way->parent[i].rules;
		if (one >= UNKNOWN - n)
			return UNKNOWN;
		n += one;
	}
	return n;
}

u64 xt2_ways_entries(const struct xt2_ways *w, const struct xt2_image *img,
		     const struct xt2_root *root, u32 chain)
{
	struct up up = { w, img, root, UP_MAX };

	return entries(&up, chain);
}
