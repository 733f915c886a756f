/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-edit.c - a live ruleset that is edited where it is
 *
 * The arena has the image that the programs evaluate, so it can be edited as one in memory
 * is (libxt2/ruleset/inplace.h): what has changed is appended, with a new root, and
 * with another struct xt2_live_ruleset that names it.  One store makes that the live one: no
 * program is loaded, no rule that stays is touched, and nothing waits for packets, which go on
 * in what they began with.  Its bytes are written to again only when the whole ruleset is.
 *
 * A rule that comes gets a counter that no program counts in: one that was never used, or that
 * of a rule which went, once the programs that ran then have ended.  The wait for that is one
 * for all that went before it.
 *
 * Rules that leave something to companions come as well: programs get to know which of those that
 * are there is meant, and NAT's targets get theirs before the ruleset is published.
 *
 * What an edit cannot do is left to xt2_live_install(): hooks and tables that are new or that
 * others took away, more abilities of the programs, more counters than there is room for, steps and
 * questions that are new, an image of which most is garbage.  trace() says which rules go on then.
 *
 * While a ruleset is on trial, so are its edits.  The trial may end at any moment, so the store
 * is a compare-and-swap.
 */
#include "bpf-companion.h"
#include "bpf-edit.h"
#include "libxt2/grow.h"
#include "libxt2/ruleset/inplace.h"
#include "engine/rule.h"
#include "engine/eval.h"
#include "engine/index/patched.h"

#define PAGE	     4096u
#define ROOM	     (1u << 20) /* bytes that are there for edits, at least */
#define ROOM_STEP    (4u << 20) /* and that one edit makes, at most */
#define GARBAGE_FREE (4u << 20) /* bytes that nothing names, whatever the rest */
#define NO_COUNTER   0x80000000u /* and the number of one in more[] */
#define COUNTER_SIZE ((u32)sizeof(struct xt2_counter))

struct xt2_live_edit {
	struct xt2_live *host;
	struct xt2_live_ruleset *l; /* that is live */
	struct xt2_live_ruleset next; /* what will be, as far as it is known */
	struct xt2_image *img;
	struct xt2_slots_ops slots;
	bool change; /* it is locked for that */
	bool declined; /* the whole ruleset has to be installed */
	u32 needs; /* enum xt2_need: of rules that came */
	u32 acts; /* of them, what companions are to do */
	u32 came, went; /* rules, tails included */
	u32 *gone; /* counters of rules that went, in the open transaction */
	u32 gones, gone_cap;
	u32 *taken; /* counters of rules that came */
	u32 takens, taken_cap;
	struct xt2_counts *more; /* of rules for which there is no counter */
	u32 mores, more_cap;
	struct xt2_nat_came *nat; /* targets that rules have which came */
	u32 nats, nat_cap;
};

/* --- counters ----------------------------------------------------------------- */

static struct xt2_live_spare *spare_of(const struct xt2_live_edit *e)
{
	return xt2_live_at_(e->l->spare);
}

/* Other processes may end at any store, and go on from what they find. */
static void store(u32 *to, u32 value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

/* Counters of rules that went can be used again.  If this is killed, they are lost. */
static int reclaim(struct xt2_live_edit *e)
{
	struct xt2_live_spare *s = spare_of(e);
	const u32 n = s->retireds, cap = e->l->max_counters;
	u32 *gone = malloc((n + 1ull) * sizeof(*gone));

	if (!gone)
		return -ENOMEM;
	memcpy(gone, s->number + cap - n, n * sizeof(*gone));
	if (xt2_live_wait_(e->host)) {
		free(gone);
		return -EBUSY;
	}
	store(&s->retireds, 0);
	memcpy(s->number + s->frees, gone, n * sizeof(*gone));
	store(&s->frees, s->frees + n);
	free(gone);
	return 0;
}

/* => false: there is none */
static bool find_counter(struct xt2_live_edit *e, u32 *n)
{
	struct xt2_live_spare *s = spare_of(e);

	if (!s->frees && s->used == e->l->max_counters && (!s->retireds || reclaim(e)))
		return false;
	if (s->frees) {
		*n = s->number[s->frees - 1];
		store(&s->frees, s->frees - 1);
	} else {
		*n = s->used;
		store(&s->used, s->used + 1);
	}
	return true;
}

/* A rule that is counted on the heap: the commit will decline. */
static int count_aside(struct xt2_live_edit *e, struct xt2_counts counts, u32 *slot)
{
	if (xt2_grow_(&e->more, e->mores, &e->more_cap, sizeof(*e->more)))
		return -ENOMEM;
	e->more[e->mores] = counts;
	*slot = NO_COUNTER | e->mores++;
	e->declined = true;
	return 0;
}

static int take(void *arg, struct xt2_counts counts, u32 *slot)
{
	struct xt2_live_edit *e = arg;
	struct xt2_counter sum;
	u32 n;

	e->came++;
	if (xt2_grow_(&e->taken, e->takens, &e->taken_cap, sizeof(*e->taken)))
		return -ENOMEM;
	if (e->declined || !find_counter(e, &n))
		return count_aside(e, counts, slot);
	e->taken[e->takens++] = n;
	sum = xt2_live_slots_sum_(e->l, n);
	xt2_live_counters_(e->l, e->l->slots)[n] = (struct xt2_counter){
		counts.packets - sum.packets,
		counts.bytes - sum.bytes,
	};
	*slot = n * COUNTER_SIZE;
	return 0;
}

static int retire(void *arg, u32 slot)
{
	struct xt2_live_edit *e = arg;

	e->went++;
	if (slot & NO_COUNTER)
		return 0;
	if (xt2_grow_(&e->gone, e->gones, &e->gone_cap, sizeof(*e->gone)))
		return -ENOMEM;
	e->gone[e->gones++] = slot / COUNTER_SIZE;
	return 0;
}

static struct xt2_counts read_counter(void *arg, const struct xt2_rule *r)
{
	const struct xt2_live_edit *e = arg;
	struct xt2_counter n;

	if (r->packets & NO_COUNTER)
		return e->more[r->packets & ~NO_COUNTER];
	n = xt2_live_count_(e->l, r);
	return (struct xt2_counts){ n.packets, n.bytes };
}

static void comes(void *arg, const struct xt2_rule *r)
{
	struct xt2_live_edit *e = arg;

	e->needs |= xt2_live_rule_needs_(r);
	e->acts |= xt2_live_rule_acts_(r);
}

/* Nobody has seen rules with these counters. */
static void give_back(struct xt2_live_edit *e)
{
	struct xt2_live_spare *s = spare_of(e);

	for (; e->takens; store(&s->frees, s->frees + 1))
		s->number[s->frees] = e->taken[--e->takens];
}

/* The programs that run may still count in these. */
static void let_go(struct xt2_live_edit *e)
{
	struct xt2_live_spare *s = spare_of(e);

	for (; e->gones; store(&s->retireds, s->retireds + 1))
		s->number[e->l->max_counters - 1 - s->retireds] = e->gone[--e->gones];
}

/* --- opening ------------------------------------------------------------------ */

/*
 * Memory after the image, as far as it goes.  What is there beyond region_size is that of a
 * process that was killed, or of a commit that needed more.
 */
static int reserve(struct xt2_live_edit *e)
{
	const u64 start = XT2_ARENA_REGION(e->host->region), end = e->l->image + e->l->image_size;
	const u64 want = e->l->image_size / 2 > ROOM ? e->l->image_size / 2 : ROOM;
	const u64 room = want < ROOM_STEP ? want : ROOM_STEP;
	u64 *have = &xt2_live_state_()->region_size[e->host->region], size;
	u64 from = start + *have;

	from = ((end > from ? end : from) + PAGE - 1) / PAGE * PAGE;
	*have = from - start;
	if (from >= end + ROOM / 2)
		return 0;
	size = end + room - from;
	if (size > XT2_ARENA_REGION_SIZE - *have)
		return 1;
	if (xt2_live_release_(e->host, from, size) || xt2_live_reserve_(e->host, from, size))
		return -ENOMEM;
	*have += (size + PAGE - 1) / PAGE * PAGE;
	return 0;
}

/* What is live is as the last commit left it, whatever happened to the one after. */
static int begin_change(struct xt2_live_edit *e, const char *folder, const struct xt2_links *links)
{
	int ret = e->l->from ? xt2_live_fold_(e->host) : 0;

	if (ret || e->l->from || e->l->tracked & ~xt2_live_tracking())
		return 1;
	ret = reserve(e);
	if (ret)
		return ret;
	e->img->root = e->l->root;
	e->img->size = e->l->image_size;
	if (links && xt2_live_missing(folder, links, e->img))
		return 1;
	if (xt2_evaluators_lacking_(e->host, xt2_live_tables_(e->img), XT2_NEED_SEARCH))
		return 1; /* chains that were edited are searched */
	return xt2_live_lacks_any_(e->host, links, folder, e->img);
}

/* => is all there that finds chains?  The arena has no edits but those that this library wrote */
static bool is_prepared(const struct xt2_live_edit *e)
{
	const struct xt2_root *root = xt2_at(e->img, e->l->root);
	const struct xt2_edits *edits = root->edits ? xt2_at(e->img, root->edits) : NULL;

	return edits && edits->slots && edits->way;
}

/* A process that only looks writes nothing. */
static int begin_look(const struct xt2_live_edit *e)
{
	return e->img->root != e->l->root || !is_prepared(e);
}

static int begin(struct xt2_live_edit *e, const char *folder, const struct xt2_links *links,
		 struct xt2_ruleset *rs)
{
	const u64 end = XT2_ARENA_REGION(e->host->region) + XT2_ARENA_REGION_SIZE;
	int ret;

	e->l = xt2_live_at_(e->host->ruleset);
	if (!e->host->ruleset)
		return 1;
	e->img = xt2_live_at_(e->l->image);
	ret = e->change ? begin_change(e, folder, links) : begin_look(e);
	if (ret)
		return ret;
	e->slots = (struct xt2_slots_ops){
		.take = take, .retire = retire, .read = read_counter, .comes = comes, .arg = e
	};
	ret = xt2_inplace_begin(rs, e->img, end - e->l->image, is_prepared(e));
	if (ret)
		return ret;
	rs->inplace->passed = xt2_live_state_()->generations;
	rs->inplace->slots = &e->slots;
	rs->inplace->edits.cell_room = XT2_CELLS_MAX;
	return 0;
}

static void close_edit(struct xt2_live_edit *e)
{
	if (!e)
		return;
	give_back(e);
	xt2_live_free(e->host);
	free(e->gone);
	free(e->taken);
	free(e->more);
	free(e->nat);
	free(e);
}

static int open_edit(const char *folder, const struct xt2_links *links, bool change,
		     struct xt2_live_edit **edit, struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct xt2_live_edit *e = calloc(1, sizeof(*e));
	int ret;

	if (!e)
		return xt2_err_no_memory(err, " for the change");
	e->change = change;
	ret = xt2_live_open(&e->host, folder, NULL, err);
	if (ret) {
		free(e);
		return ret == -ENOENT ? 1 : ret;
	}
	ret = begin(e, folder, links, rs);
	if (!ret) {
		*edit = e;
		return 0;
	}
	if (ret == -ENOMEM)
		ret = xt2_err_no_memory(err, " in the kernel for the change");
	close_edit(e);
	return ret;
}

/* --- committing --------------------------------------------------------------------- */

/* => is a table's program at its hooks?  Tables of nat that did nothing have none. */
static bool has_program(const struct xt2_live_edit *e, u32 table)
{
	const struct xt2_root *root = xt2_image_root(e->img);

	return table < root->tables &&
	       xt2_live_has_program_(e->img, xt2_image_table(e->img, root, table));
}

static u32 families(const struct xt2_live_edit *e, const struct xt2_ruleset *rs)
{
	u32 i, all = 0;

	for (i = 0; i < rs->tables; i++)
		if (has_program(e, i))
			all |= 1u << (rs->table[i].family == XT2_IPV6);
	return all;
}

/* => is more changed than programs that are there can evaluate? */
static bool is_more(const struct xt2_live_edit *e, const struct xt2_ruleset *rs)
{
	const struct xt2_inplace_ *in = rs->inplace;
	u32 i;

	if (rs->tables != in->tables || in->resourced || rs->cells > XT2_CELLS_MAX)
		return true;
	for (i = 0; i < in->changes; i++) {
		const u32 table = rs->chain[in->changed[i]].table;

		if (table >= in->tables || !has_program(e, table))
			return true;
	}
	return e->declined;
}

/* The same, of what the commit has written. */
static bool is_beyond(struct xt2_live_edit *e, const struct xt2_ruleset *rs,
		      const struct xt2_root *root)
{
	const u32 tracks = XT2_NEED_STATE | XT2_NEED_CONNECTION | XT2_NEED_TUPLES;
	const struct xt2_edits *edits = xt2_at(e->img, root->edits);
	const struct xt2_inplace_ *in = rs->inplace;
	const u32 all = families(e, rs);
	u32 i;

	for (i = 0; i < in->changes; i++) {
		const struct xt2_chain_ *c = &rs->chain[in->changed[i]];
		const struct xt2_table_ *t = &rs->table[c->table];

		xt2_live_want_(&e->next, t->name, (u8)t->family, e->needs);
		if (c->rules.n >= e->next.longest)
			e->next.longest = c->rules.n + 1;
	}
	if (e->needs & ~e->l->needs || (e->needs & tracks && all & ~e->l->tracked))
		return true;
	for (i = 0; i < XT2_ARRAY_SIZE(e->l->acts); i++)
		if (all >> i & 1 && e->acts & ~e->l->acts[i])
			return true;
	e->next.meets = xt2_live_meets_then_(e->l, in, root, e->next.longest);
	if (root->depth > e->l->depth || e->next.meets > XT2_LIVE_RULES_MAX ||
	    (root->visits > XT2_VISITS_MAX && root->visits > e->l->rules))
		return true;
	return e->declined || edits->garbage > GARBAGE_FREE + (e->img->size - edits->garbage);
}

/* --- what rules that come leave to companions ----------------------------------------- */

/* Of a chain to which more hooks lead, all rules come; of others, those that the commit wrote. */
struct coming {
	struct xt2_live_edit *e;
	const struct xt2_table *t;
	u32 program, hooks;
};

static int nat_comes(const struct coming *k, const struct xt2_rule *r)
{
	struct xt2_live_edit *e = k->e;
	const u32 instance = XT2_TARGET_ARG(r->target);

	if (instance >= e->next.nat_room)
		return 1;
	if (xt2_grow_(&e->nat, e->nats, &e->nat_cap, sizeof(*e->nat)))
		return -ENOMEM;
	e->nat[e->nats++] = (struct xt2_nat_came){ .instance = instance,
						   .six = k->t->family == XT2_IPV6,
						   .trees = xt2_nat_trees_of_(k->hooks) };
	return 0;
}

/* => 0; 1: only xt2_live_install() can do it; -ENOMEM */
static int rule_comes(const struct coming *k, const struct xt2_rule *r)
{
	struct xt2_live_edit *e = k->e;

	if (xt2_rule_branches(r) && xt2_left_may_stop_(e->l, k->program, k->t->family == XT2_IPV6))
		return 1; /* packets may stop more often, or deeper in chains */
	if (!xt2_live_can_(e->img, k->t, r) ||
	    xt2_left_comes_(&e->next, e->img, r, k->t->family, k->program, k->hooks))
		return 1;
	return XT2_TARGET_KIND(r->target) == XT2_T_NAT ? nat_comes(k, r) : 0;
}

/* Rules that a patch has inserted since the live ruleset was published. */
static int inserted_come(const struct coming *k, const struct xt2_patch *p)
{
	const struct xt2_image *img = k->e->img;
	const struct xt2_patch_part *part = xt2_at(img, p->part);
	u32 i, j;
	int ret = 0;

	for (i = 0; i < p->parts; i++) {
		const struct xt2_patch_page *page = xt2_at(img, part[i].page);

		for (j = 0; j < page->items && !ret; j++)
			if (page->item[j].rule >= k->e->l->image_size)
				ret = rule_comes(k, xt2_at(img, page->item[j].rule));
	}
	return ret;
}

static int chain_comes(struct xt2_live_edit *e, struct xt2_ruleset *rs, u32 number, bool whole)
{
	const struct xt2_root *root = xt2_image_root(e->img);
	const struct xt2_chain *c = xt2_image_chain(e->img, root, number);
	const struct xt2_way *way = xt2_pages_get(&rs->inplace->way, number);
	const struct xt2_patch *patch = c ? xt2_chain_patch(c) : NULL;
	struct coming k = { .e = e, .hooks = way ? way->from : 0 };
	const struct xt2_rule *r;
	struct xt2_in_order o;
	int ret = 0;

	if (!c || !k.hooks || !has_program(e, c->table))
		return 0;
	k.t = xt2_image_table(e->img, root, c->table);
	k.program = (u32)xt2_live_table_(k.t->name);
	if (patch && !whole)
		return inserted_come(&k, patch);
	if (!whole && xt2_offset(e->img, c) < e->l->image_size)
		return 0; /* it has another name */
	xt2_chain_for_each(r, &o, e->img, c)
		if (!ret)
			ret = rule_comes(&k, r);
	return ret;
}

/* => 0: what comes has companions; 1: it needs other ones; -ENOMEM */
static int companions_come(struct xt2_live_edit *e, struct xt2_ruleset *rs)
{
	const struct xt2_inplace_ *in = rs->inplace;
	u32 i, grown;
	int ret = in->walked ? 1 : 0;

	e->nats = 0;
	for (i = 0; i < in->changes && !ret; i++)
		ret = chain_comes(e, rs, in->changed[i], false);
	for (i = 0; !ret && (grown = xt2_ways_grown(&in->ways, i)) != XT2_WAYS_NONE; i++)
		ret = chain_comes(e, rs, grown, true);
	return ret;
}

/* Nobody has seen instances with these numbers; a process that was killed may have left some. */
static bool nat_is_clean(const struct xt2_live_ruleset *l)
{
	const u16 *companions = xt2_live_at_(l->nat);
	u32 i;

	for (i = l->nat_seen; i < l->nat_room; i++)
		if (companions[i])
			return false;
	return true;
}

static int nat_companions(struct xt2_live_edit *e)
{
	if (!e->nats)
		return 0;
	if (!nat_is_clean(e->l))
		return 1;
	return xt2_nat_add_(e->host, &e->next, e->img, e->nat, e->nats) ? 1 : 0;
}

/* --- publishing ------------------------------------------------------------------------ */

static int trial_ended(struct xt2_err *err)
{
	xt2_err_set(err, XT2_E_SYSTEM, EBUSY,
		    "the trial of the live ruleset has ended, and it was taken back");
	xt2_err_hint(err, "try again, with the ruleset that is live now");
	return -EBUSY;
}

/* => 0; 1: no room; -EBUSY */
static int publish(struct xt2_live_edit *e, u32 root, struct xt2_err *err)
{
	struct xt2_state *state = xt2_live_state_();
	const u64 size = (e->img->size + 63) & ~63ull;
	u64 old = e->host->ruleset, at = e->l->image + size;
	struct xt2_live_ruleset *l = xt2_live_at_(at);

	if (at + sizeof(*l) > XT2_ARENA_REGION(e->host->region) + XT2_ARENA_REGION_SIZE)
		return 1;
	*l = e->next;
	l->root = root;
	l->image_size = size + ((sizeof(*l) + 7) & ~7ull);
	l->needs |= XT2_NEED_SEARCH;
	l->rules += e->came - e->went;
	l->nat_seen = ((const struct xt2_root *)xt2_at(e->img, root))->instances;
	memset(l->hook, 0, sizeof(l->hook));
	e->img->size = l->image_size;
	xt2_live_find_hooks_(l, e->img);
	xt2_live_passed_(xt2_image_root(e->img)->generation);
	if (!__atomic_compare_exchange_n(&state->ruleset, &old, at, false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		return trial_ended(err);
	e->host->ruleset = at;
	e->l = l;
	return 0;
}

static int reserve_cells(struct xt2_live_edit *e, const struct xt2_ruleset *rs)
{
	return rs->cells > rs->inplace->cells ? xt2_live_reserve_cells_(e->host, rs->cells) : 0;
}

static int commit_edit(struct xt2_live_edit *e, struct xt2_ruleset *rs,
		       const struct xt2_commit_check *check, const struct xt2_author *author,
		       struct xt2_err *err)
{
	int ret = xt2_inplace_error(rs);
	u32 root;

	if (!ret && is_more(e, rs))
		return 1;
	if (!ret && reserve_cells(e, rs))
		return xt2_err_no_memory(err, " in the kernel for the state of matches");
	xt2_inplace_author(rs, author);
	ret = xt2_inplace_commit(rs, check, &root, err);
	if (ret)
		return ret;
	if (!root)
		return xt2_inplace_done(rs) ? xt2_err_no_memory(err, " to go on") : 0;
	e->next = *e->l;
	if (is_beyond(e, rs, xt2_at(e->img, root)))
		return 1;
	e->img->root = root; /* only writers read that */
	ret = companions_come(e, rs);
	if (!ret)
		ret = nat_companions(e);
	if (!ret)
		ret = publish(e, root, err);
	if (ret) {
		e->img->root = e->l->root;
		return ret == -ENOMEM ? xt2_err_no_memory(err, " to change the ruleset") : ret;
	}
	e->takens = 0;
	let_go(e);
	e->came = e->went = e->needs = e->acts = 0;
	xt2_inplace_done(rs); /* if there is no memory, the next change says so */
	rs->inplace->edits.cell_room = XT2_CELLS_MAX;
	return 0;
}

/* --- what goes on when the whole ruleset is installed -------------------------------- */

/*
 * One that was in the image goes on; a new one that was written to it has counters that
 * nobody has counted in.
 */
static u32 trace_rule(const struct xt2_live_edit *e, const struct xt2_ruleset *rs,
		      const struct xt2_rule *r, struct xt2_rule *written)
{
	struct xt2_counts n;

	if (!xt2_in_image_(rs, r))
		return 0;
	if ((const u8 *)r < (const u8 *)e->img + e->l->image_size)
		return xt2_offset(e->img, r);
	n = read_counter((void *)e, r);
	written->packets = n.packets;
	written->bytes = n.bytes;
	return 0;
}

/* => offset of the tail that goes on; 0: it does not */
static u32 trace_tail(const struct xt2_live_edit *e, const struct xt2_chain_ *c, u32 number)
{
	const struct xt2_root *root = xt2_at(e->img, e->l->root);
	const struct xt2_chain *was = xt2_image_chain(e->img, root, number);
	const struct xt2_rule *tail = was ? xt2_chain_tail(was) : NULL;

	if (!was || c->recounted || was->table != c->table || was->hook != c->hook ||
	    XT2_TARGET_KIND(tail->target) != c->policy)
		return 0;
	return xt2_offset(e->img, tail);
}

/* => rules of the chain that go on, in *next; c: as it was edited */
static u32 *trace_chain(const struct xt2_live_edit *e, const struct xt2_ruleset *rs, int chain,
			struct xt2_chain *to, bool changed, u32 *next)
{
	struct xt2_list_walk w = xt2_list_walk(xt2_chain_list(rs, chain));
	struct xt2_rule *r;

	xt2_chain_for_each_rule(r, to) {
		if (r != xt2_chain_tail(to))
			*next++ = trace_rule(e, rs, xt2_list_next(&w), r);
		else
			*next++ = changed ? 0 : trace_tail(e, &rs->chain[chain], (u32)chain);
	}
	return next;
}

static u32 *trace(struct xt2_live_edit *e, struct xt2_ruleset *rs, struct xt2_image *written,
		  const bool *changed, bool replaced)
{
	const struct xt2_root *root = xt2_image_root(written);
	u32 *was, *next, i, total = 0;
	struct xt2_chain *to;
	int chain = -1, table = 0;

	xt2_image_for_each_chain(to, i, written, root)
		total += to->rules;
	was = next = calloc(total + 1ull, sizeof(*was));
	if (!was)
		return NULL;
	xt2_image_for_each_chain(to, i, written, root) {
		chain = to->table == table ? chain : -1;
		table = to->table;
		if (replaced && changed[table]) {
			next += to->rules;
			continue;
		}
		chain = xt2_chain_next(rs, table, chain);
		next = trace_chain(e, rs, chain, to, changed[table], next);
	}
	return was;
}

const struct xt2_live_edit_ops xt2_live_edit_ = {
	.open = open_edit,
	.commit = commit_edit,
	.trace = trace,
	.close = close_edit,
};
