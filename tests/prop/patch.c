/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch - patched chains and the same chains compiled: packet by packet
 *
 * Random images whose chains have indexes are edited in random transactions.
 * After each, the image passes the check, and each chain has the rules that a
 * list of its own says.  Then packets that are aimed at its rules are evaluated three
 * times: by the index and the patch, by the patch in order, and rule after rule in
 * an image that was written from the rules.  Verdict, the rule that decided,
 * events, the packet and what the host knows of it are the same, and so is
 * every counter at the end, over transactions and compactions.
 *
 *	patch [--seed N] [--images N]
 *
 * Without arguments a short run of seeds that are always the same.
 */
#include <stdio.h>
#include <string.h>
#include "tests/lib/plain-image.h"
#include "tests/lib/slot-pages.h"
#include "tests/lib/world-image.h"
#include "tests/lib/world-packets.h"
#include "engine/eval.h"
#include "engine/walk.h"
#include "engine/index/patched.h"
#include "engine/simd/scan.h"
#include "libxt2/change/patch-edit.h"
#include "libxt2/ruleset/ruleset.h"

#define STACK	  64
#define EVENTS	  8
#define RULES_MAX 2000
#define STAGES	  6
#define PACKETS	  80
#define NOW	  1700000000000000000ull
#define STEP	  3000000ull /* ns between packets */
#define CHAINS	  (4 * (WORLD_USERS + 1))

struct side {
	struct xt2_image *img;
	struct xt2_ctx ctx;
	struct xt2_frame stack[STACK];
	struct xt2_event event[EVENTS];
	struct world_packet packet;
};

/* Rules of a chain as they should be, without the tail. */
struct model {
	struct xt2_rule **rule; /* malloc'ed copies */
	u32 n, cap;
};

static struct side patched, ordered, plain;
static struct xt2_search search, order_search;
static struct xt2_space space;
static struct world_image image;
static struct model model[CHAINS];
static u64 capacity, scratch_size, seed, transactions, edits, compared;
static void *scratch;

static void die(const char *what)
{
	fprintf(stderr, "patch: seed %llu: %s\n", (unsigned long long)seed, what);
	exit(2);
}

static int differ(const char *what, u32 packet)
{
	printf("seed %llu, packet %u: %s\n  again: patch --seed %llu\n", (unsigned long long)seed,
	       packet, what, (unsigned long long)seed);
	return 1;
}

/* --- the model --------------------------------------------------------- */

static void model_insert(struct model *m, u32 at, const struct xt2_rule *r)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 16;
		m->rule = realloc(m->rule, m->cap * sizeof(*m->rule));
		if (!m->rule)
			die("no memory");
	}
	memmove(m->rule + at + 1, m->rule + at, (m->n++ - at) * sizeof(*m->rule));
	m->rule[at] = malloc(r->size);
	if (!m->rule[at])
		die("no memory");
	memcpy(m->rule[at], r, r->size);
}

static void model_delete(struct model *m, u32 at)
{
	free(m->rule[at]);
	memmove(m->rule + at, m->rule + at + 1, (--m->n - at) * sizeof(*m->rule));
}

static bool same_rule(const struct xt2_rule *a, const struct xt2_rule *b)
{
	return a->size == b->size && a->target_offset == b->target_offset &&
	       a->target == b->target && !memcmp(a + 1, b + 1, a->size - sizeof(*a));
}

static int check_model(void)
{
	const struct xt2_image *img = patched.img;
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i, n;

	xt2_image_for_each_chain(c, i, img, root) {
		const struct model *m = &model[i];

		n = 0;
		xt2_chain_for_each(r, &o, img, c) {
			if (r == xt2_chain_tail(c))
				break;
			if (n == m->n || !same_rule(r, m->rule[n++]))
				return differ("other rules than there should be", 0);
			if (xt2_rule_number(img, c, r) != n)
				return differ("another number of a rule", 0);
		}
		if (n != m->n || xt2_chain_length(img, c) != n + 1)
			return differ("another number of rules", 0);
	}
	return 0;
}

/* --- transactions ------------------------------------------------------ */

static u32 *chain_slot(u32 index)
{
	const u32 *dir = xt2_at(patched.img, xt2_image_root(patched.img)->chain_dir);
	u32 *page = xt2_at(patched.img, dir[index / XT2_CHAIN_PAGE]);

	return &page[index % XT2_CHAIN_PAGE];
}

static u32 offset_of(const void *p)
{
	return xt2_offset(patched.img, p);
}

/* => the rule at a position, the tail of the compiled chain at the end */
static u32 rule_at(const struct xt2_chain *c, const struct model *m, u32 at)
{
	const struct xt2_chain *compiled = xt2_chain_compiled(patched.img, c);
	const struct xt2_rule *r = NULL;
	struct xt2_in_order o;

	if (at == m->n)
		return offset_of(xt2_chain_tail(compiled));
	xt2_chain_for_each(r, &o, patched.img, c)
		if (!at--)
			break;
	return offset_of(r);
}

/* => a rule that can stand anywhere: no state, instance or jump */
static const struct xt2_rule *any_rule(struct world *w)
{
	const struct xt2_rule *r;
	const struct xt2_match *m;
	bool fits;

	do {
		r = world_rule(w);
		fits = xt2_rule_jumps(r) == XT2_NONE;
		xt2_rule_for_each_match(m, r)
			fits &= !(xt2_match_info(m->type) & (XT2_EXT_CELL | XT2_EXT_INSTANCE));
		fits &= !(xt2_target_info(XT2_TARGET_KIND(r->target)) & XT2_EXT_INSTANCE);
	} while (!fits);
	return r;
}

struct edit {
	struct model *m;
	u32 *at; /* offsets of the chain's rules, the compiled tail last */
	u32 n;
};

static void moved(void *arg, u32 from, u32 to)
{
	struct edit *e = arg;
	u32 i;

	for (i = 0; i < e->n; i++)
		if (e->at[i] == from)
			e->at[i] = to;
}

static int one_edit(struct world *w, struct xt2_patch_edit *p, struct edit *e, u32 *place)
{
	struct xt2_rule copy[64];
	u32 at = world_often(w, 30) ? *place : world_below(w, e->m->n + 1), where;
	const struct xt2_rule *r;
	int err;

	if (at > e->m->n)
		at = e->m->n;
	*place = at;
	if (e->m->n && at < e->m->n && world_often(w, 45)) {
		err = xt2_patch_delete(p, e->at[at]);
		if (err)
			return err;
		model_delete(e->m, at);
		memmove(e->at + at, e->at + at + 1, (e->n-- - at - 1) * sizeof(*e->at));
		return 0;
	}
	r = any_rule(w);
	memcpy(copy, r, r->size);
	copy->packets = world_below(w, 1000);
	copy->bytes = world_below(w, 100000);
	err = xt2_patch_insert(p, e->at[at], copy, world_below(w, 100), &where);
	if (err)
		return err;
	model_insert(e->m, at, copy);
	memmove(e->at + at + 1, e->at + at, (e->n++ - at) * sizeof(*e->at));
	e->at[at] = where;
	return 0;
}

/* As many slots as a patch of far more changes has. */
static void have_pages(u32 chain)
{
	struct xt2_patch *p = (struct xt2_patch *)xt2_chain_patch(xt2_at(patched.img, chain));

	if (p && p->shift >= XT2_SLOTS_LIST_SHIFT)
		slot_pages_make(&space, p);
}

static int transaction(struct world *w, u32 chain)
{
	const struct xt2_chain *c =
		xt2_image_chain(patched.img, xt2_image_root(patched.img), chain);
	struct edit e = { .m = &model[chain] };
	u32 n = world_often(w, 80) ? 1 + world_below(w, 12) : 1 + world_below(w, 300);
	u32 i, off, place = world_below(w, e.m->n + 1);
	struct xt2_patch_edit p;
	u64 generation = 1000 + transactions++;
	int err;

	if (xt2_patch_begin(&p, &space, offset_of(c), generation))
		die("an edit cannot begin");
	p.moved = moved;
	p.arg = &e;
	e.at = calloc(e.m->n + n + 2, sizeof(*e.at));
	for (e.n = 0; e.n <= e.m->n; e.n++)
		e.at[e.n] = rule_at(c, e.m, e.n);
	for (i = 0; i < n; i++) {
		err = one_edit(w, &p, &e, &place);
		if (err && err != -E2BIG)
			die(strerror(-err));
		edits += !err;
	}
	free(e.at);
	if (xt2_patch_end(&p, &off))
		die("an edit cannot end");
	if (world_often(w, 10))
		have_pages(off);
	*chain_slot(chain) = off;
	xt2_space_commit(&space, generation);
	xt2_space_reclaim(&space, generation);
	return check_model();
}

/* --- evaluation -------------------------------------------------------- */

static void open_side(struct side *s, struct xt2_image *img, struct xt2_search *find)
{
	s->img = img;
	s->ctx = (struct xt2_ctx){
		.img = img,
		.root = xt2_image_root(img),
		.random = 1,
		.stack = s->stack,
		.stack_size = STACK,
		.events = s->event,
		.events_size = EVENTS,
		.search = find,
	};
	s->ctx.pkt = &s->packet.pkt;
	if (s->ctx.root->depth > STACK)
		die("the image is too deep");
}

static u32 chain_index(const struct side *s, u32 off)
{
	return off ? ((const struct xt2_chain *)xt2_at(s->img, off))->index : ~0u;
}

static u32 number(const struct side *s, u32 chain, u32 rule)
{
	return chain ? xt2_rule_number(s->img, xt2_at(s->img, chain), xt2_at(s->img, rule)) : 0;
}

static int evaluate(struct side *s, const struct xt2_hook *h, u32 packet)
{
	s->ctx.now = NOW + packet * STEP;
	s->ctx.nevents = 0;
	memset(s->event, 0, sizeof(s->event));
	return xt2_eval(&s->ctx, h);
}

/* => what is different, or NULL */
static const char *compare(const struct side *a, const struct side *b)
{
	struct world_packet one = a->packet, other = b->packet;
	u32 i;

	if (chain_index(a, a->ctx.chain) != chain_index(b, b->ctx.chain))
		return "another chain decided";
	if (number(a, a->ctx.chain, a->ctx.rule) != number(b, b->ctx.chain, b->ctx.rule))
		return "another rule decided";
	if (a->ctx.nevents != b->ctx.nevents)
		return "another number of events";
	for (i = 0; i < a->ctx.nevents && i < EVENTS; i++)
		if (number(a, a->event[i].chain, a->event[i].rule) !=
		    number(b, b->event[i].chain, b->event[i].rule))
			return "another event";
	if (a->ctx.hotdrop != b->ctx.hotdrop || a->ctx.faults != b->ctx.faults)
		return "a hotdrop or a fault";
	if (a->ctx.random != b->ctx.random)
		return "another number of questions of chance";
	one.pkt.data = other.pkt.data = NULL;
	one.pkt.mac = other.pkt.mac = NULL;
	if (memcmp(&one.pkt, &other.pkt, sizeof(one.pkt)) ||
	    memcmp(one.bytes, other.bytes, sizeof(one.bytes)))
		return "another packet afterwards";
	return NULL;
}

static int one_packet(struct world *w, u32 packet, const struct xt2_rule *aim)
{
	const struct xt2_hook *h, *g;
	const char *what;
	int a, b, c;
	u32 i;

	if (!world_packet(w, aim, &plain.packet))
		return 0;
	plain.packet.pkt.hook = WORLD_HOOK;
	world_packet_copy(&patched.packet, &plain.packet);
	world_packet_copy(&ordered.packet, &plain.packet);
	xt2_image_for_each_hook(h, i, plain.img, plain.ctx.root) {
		g = xt2_image_hook(patched.img, patched.ctx.root, i);
		a = evaluate(&plain, h, packet);
		b = evaluate(&patched, g, packet);
		what = a == b ? compare(&plain, &patched) : "another verdict";
		if (what)
			return differ(what, packet);
		g = xt2_image_hook(ordered.img, ordered.ctx.root, i);
		c = evaluate(&ordered, g, packet);
		what = a == c ? compare(&plain, &ordered) : "another verdict in order";
		if (what)
			return differ(what, packet);
		compared++;
		if (a != XT2_ACCEPT)
			break;
	}
	return 0;
}

static int same_counters(const struct side *s, const char *who)
{
	const struct xt2_chain *c, *compiled;
	const struct xt2_rule *r, *q;
	struct xt2_in_order o, p;
	struct xt2_counts n;
	u32 i;

	xt2_image_for_each_chain(c, i, s->img, s->ctx.root) {
		compiled = xt2_chain_compiled(s->img, c);
		xt2_order_begin(&p, plain.img, xt2_image_chain(plain.img, plain.ctx.root, i));
		xt2_chain_for_each(r, &o, s->img, c) {
			q = xt2_order_next(&p);
			n = xt2_rule_counts(compiled, r);
			if (n.packets != q->packets || n.bytes != q->bytes) {
				printf("%s, rule %u of chain %u: %llu packets, %llu in the other\n",
				       who, xt2_rule_number(s->img, c, r), i,
				       (unsigned long long)n.packets,
				       (unsigned long long)q->packets);
				return differ("another counter", 0);
			}
		}
	}
	return 0;
}

/* The same rules, chains and cells in an image without indexes and patches. */
static void write_plain(void)
{
	struct xt2_writer w;

	if (!plain_image(patched.img, plain.img, capacity, scratch, NULL, NULL, &w))
		die(w.err.what ? w.err.what : "the rules cannot be written");
}

static const struct xt2_rule *aim(struct world *w)
{
	const struct model *m = &model[world_below(w, xt2_image_root(patched.img)->chains)];

	return m->n && world_often(w, 90) ? m->rule[world_below(w, m->n)] : NULL;
}

/* A commit stores depth and visits anew. */
static void walk(void)
{
	struct xt2_walk way = {
		.img = patched.img,
		.root = xt2_image_root(patched.img),
		.chains = calloc(CHAINS, sizeof(*way.chains)),
	};

	if (!way.chains || xt2_walk_hooks(&way))
		die("chains loop");
	xt2_walk_store(&way);
	free(way.chains);
}

static int stage(struct world *w)
{
	struct xt2_check_err err = { 0 };
	u32 i, chains = xt2_image_root(patched.img)->chains, n = 1 + world_below(w, 6);
	int differences = 0;

	for (i = 0; i < n && !differences; i++)
		differences = transaction(w, world_below(w, chains));
	if (differences)
		return differences;
	walk();
	if (xt2_check(patched.img, patched.img->size, scratch, &err)) {
		printf("chain %u, rule %u: %s\n", err.chain, err.rule, err.what);
		return differ("the image is refused", 0);
	}
	write_plain();
	open_side(&patched, patched.img, &search);
	memcpy(ordered.img, patched.img, patched.img->size);
	order_search.linear = true;
	open_side(&ordered, ordered.img, &order_search);
	open_side(&plain, plain.img, NULL);
	for (i = 0; i < PACKETS && !differences; i++)
		differences = one_packet(w, i, aim(w));
	if (!differences)
		differences = same_counters(&patched, "patched") ||
			      same_counters(&ordered, "in order");
	return differences;
}

/* --- together ---------------------------------------------------------- */

static void open_all(struct world *w)
{
	struct xt2_check_err err = { 0 };
	struct world_plan plan;
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	u32 i;

	world_plan(w, &plan, RULES_MAX);
	if (world_image(w, &plan, &image, &err))
		die(err.what ? err.what : "the image cannot be written");
	capacity = 4 * image.size + (4u << 20);
	patched.img = aligned_alloc(4096, (capacity + 4095) / 4096 * 4096);
	ordered.img = aligned_alloc(4096, (capacity + 4095) / 4096 * 4096);
	scratch_size = xt2_check_scratch(capacity);
	scratch = malloc(scratch_size);
	plain.img = aligned_alloc(4096, (capacity + 4095) / 4096 * 4096);
	if (!patched.img || !ordered.img || !plain.img || !scratch)
		die("no memory");
	memset(patched.img, 0xa5, capacity); /* what was not written must not matter */
	memcpy(patched.img, image.img, image.size);
	if (xt2_space_begin(&space, patched.img, capacity))
		die("no memory");
	if (xt2_image_root(patched.img)->chains > CHAINS)
		die("too many chains");
	xt2_image_for_each_chain(c, i, patched.img, xt2_image_root(patched.img))
		xt2_chain_for_each(r, &o, patched.img, c)
			if (r != xt2_chain_tail(c))
				model_insert(&model[i], model[i].n, r);
}

static void close_all(void)
{
	u32 i;

	for (i = 0; i < CHAINS; i++) {
		while (model[i].n)
			model_delete(&model[i], model[i].n - 1);
		free(model[i].rule);
		model[i] = (struct model){ 0 };
	}
	xt2_space_end(&space);
	free(patched.img);
	free(ordered.img);
	free(plain.img);
	free(scratch);
	free(image.img);
}

static int one_image(void)
{
	struct world w = { .state = seed * 2 + 1 };
	int i, differences = 0;

	seed_next(&w.state);
	xt2_scan_choose(
		(enum xt2_scan_way)(seed % (xt2_scan_best() + 1u))); /* also without vectors */
	open_all(&w);
	for (i = 0; i < STAGES && !differences; i++)
		differences = stage(&w);
	close_all();
	return differences;
}

int main(int argc, char **argv)
{
	u64 images = 60, first = 1;
	int i, differences = 0;

	for (i = 1; i + 1 < argc; i += 2) {
		u64 v = strtoull(argv[i + 1], NULL, 0);

		if (!strcmp(argv[i], "--seed"))
			first = v, images = 1;
		else if (!strcmp(argv[i], "--images"))
			images = v;
		else
			break;
	}
	if (i < argc)
		die("usage: patch [--seed N] [--images N]");
	for (seed = first; seed - first < images && differences < 10; seed++)
		differences += one_image();
	printf("%llu images, %llu transactions, %llu edits, %llu evaluations, %d differ\n",
	       (unsigned long long)(seed - first), (unsigned long long)transactions,
	       (unsigned long long)edits, (unsigned long long)compared, differences);
	return differences;
}
