/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readers - threads evaluate one image while another one edits it
 *
 * Eight readers evaluate random packets, one at a time or in batches, and come and go.  The
 * writer edits chains by patches, publishes, gives places and slots back as soon as no
 * reader reads the generation that they were of, and sets counters.  It keeps a copy of each
 * generation.  Afterwards every packet is evaluated again by one thread, in the copy of the
 * generation that its reader says it read: that one was current during the packet's
 * evaluation, the results are the same, and so is the sum of every counter.
 *
 *	readers [--seed N] [--images N] [--seconds N]
 *
 * Without arguments a short run of seeds that are always the same; how threads interleave is
 * not.  With --seconds, as many seeds as fit.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "tests/lib/world-image.h"
#include "tests/lib/world-packets.h"
#include "engine/check.h"
#include "engine/index/patched.h"
#include "engine/order.h"
#include "engine/walk.h"
#include "libxt2/change/patch-edit.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/share/seats.h"

#define READERS	  8
#define RULES_MAX 400
#define COMMITS	  40
#define RECORDS	  3000 /* packets of a reader, at most */
#define AIMS	  256 /* rules that packets are aimed at */
#define BATCH	  48
#define SLOTS	  60000u
#define FIRST	  1u /* generation */
#define NOW	  1700000000000000000ull

/* A packet that was evaluated. */
struct record {
	u64 state; /* of the world that made it */
	u64 generation;
	struct xt2_result result;
	char table[XT2_NAME_SIZE], chain[XT2_NAME_SIZE];
	bool first; /* of its batch */
};

struct thread {
	pthread_t id;
	u64 seed;
	struct record *record;
	u32 n;
	struct world_packet packet[BATCH];
	const char *wrong;
};

static struct thread thread[READERS];
static struct world world; /* of the image */
static struct xt2_image *img;
static struct xt2_image *copy[COMMITS + 1]; /* by generation - FIRST; slots */
static u64 capacity, seed, packets, commits, reused, held;
static struct xt2_space space;
static struct xt2_share *share;
static struct seed_rule aim[AIMS];
static u64 published, announced; /* generations: surely and perhaps current */
static bool done;
static struct xt2_counts base[SLOTS], counted[SLOTS]; /* what a slot is to have */
static u64 born[SLOTS]; /* the generation that took it last */

static void die(const char *what)
{
	fprintf(stderr, "readers: seed %llu: %s\n", (unsigned long long)seed, what);
	exit(2);
}

static int differ(const char *what)
{
	printf("seed %llu: %s\n  again: readers --seed %llu\n", (unsigned long long)seed, what,
	       (unsigned long long)seed);
	return 1;
}

static void *must(void *p)
{
	if (!p)
		die("no memory");
	return p;
}

/* --- readers ----------------------------------------------------------------- */

/* The same number makes the same packet. */
static bool packet_of(u64 state, struct world_packet *p)
{
	struct world w = world;

	w.state = state;
	if (!world_packet(&w, seed_rule(&aim[world_below(&w, AIMS)]), p))
		return false;
	p->pkt.hook = WORLD_HOOK;
	return true;
}

static void keep(struct thread *t, u64 state, bool first, u64 generation,
		 const struct xt2_result *result)
{
	struct record *r = &t->record[t->n++];

	*r = (struct record){ .state = state, .generation = generation, .first = first };
	r->result = *result;
	if (result->table) {
		memcpy(r->table, result->table, sizeof(r->table));
		memcpy(r->chain, result->chain, sizeof(r->chain));
	}
}

static void evaluate_some(struct thread *t, struct xt2_reader *reader, struct world *w)
{
	const u32 want = world_often(w, 50) ? 1 : 1 + world_below(w, BATCH);
	const u64 before = __atomic_load_n(&published, __ATOMIC_ACQUIRE);
	struct xt2_result result[BATCH];
	struct xt2_pkt *pkt[BATCH];
	u64 now[BATCH], state[BATCH], generation;
	u32 i, n = 0;

	for (i = 0; i < want; i++) {
		seed_next(&w->state);
		state[n] = w->state | 1;
		now[n] = NOW;
		pkt[n] = &t->packet[n].pkt;
		n += packet_of(state[n], &t->packet[n]);
	}
	if (!n)
		return;
	xt2_reader_seed(reader, state[0]);
	if (n == 1)
		xt2_reader_evaluate(reader, WORLD_HOOK, NULL, pkt[0], NOW, 1, result);
	else
		xt2_reader_evaluate_batch(reader, WORLD_HOOK, NULL, pkt, now, n, 1, result);
	generation = xt2_reader_generation(reader);
	if (generation < before || generation > __atomic_load_n(&announced, __ATOMIC_ACQUIRE))
		t->wrong = "a generation that was not current";
	for (i = 0; i < n; i++)
		keep(t, state[i], !i, generation, &result[i]);
}

static void *read_on(void *arg)
{
	struct thread *t = arg;
	struct world w = world;
	struct xt2_reader *reader = must(xt2_share_reader(share));

	w.state = t->seed;
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE) && t->n + BATCH <= RECORDS) {
		evaluate_some(t, reader, &w);
		if (world_often(&w, 2)) {
			xt2_reader_free(reader);
			reader = must(xt2_share_reader(share));
		}
	}
	xt2_reader_free(reader);
	return NULL;
}

/* --- the writer -------------------------------------------------------------- */

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

/* => any rule of a chain that is edited, or the end of what was compiled */
static struct xt2_rule *any_place(struct world *w, const struct xt2_chain *c)
{
	u32 n = world_below(w, xt2_chain_length(img, c));
	struct xt2_in_order o;
	struct xt2_rule *r = NULL;

	xt2_chain_for_each(r, &o, img, c)
		if (!n--)
			break;
	return r == xt2_chain_tail(c) ? xt2_chain_tail(xt2_chain_compiled(img, c)) : r;
}

static void insert(struct world *w, struct xt2_patch_edit *e, u32 before, u64 generation)
{
	const struct xt2_counts from = { world_below(w, 1000), world_below(w, 100000) };
	struct seed_rule built;
	struct xt2_rule *r;
	u32 slot, where;

	any_rule(w);
	built = w->rule;
	r = (struct xt2_rule *)seed_rule(&built);
	if (xt2_share_slot_take(share, from, &slot))
		die("no slot");
	reused += born[slot] != 0;
	base[slot] = from;
	born[slot] = generation;
	r->packets = slot;
	r->bytes = 0;
	if (xt2_patch_insert(e, before, r, 0, &where) && xt2_share_slot_retire(share, slot))
		die("no memory");
}

/* => offset of the chain's new extent.  One edit a call: places are those of the current one */
static u32 edit(struct world *w, const struct xt2_chain *c, u64 generation)
{
	struct xt2_rule *at = any_place(w, c);
	const u32 slot = (u32)at->packets, offset = xt2_offset(img, at);
	struct xt2_patch_edit e;
	u32 i, n = 1 + world_below(w, 8), to;

	if (xt2_patch_begin(&e, &space, xt2_offset(img, c), generation))
		die("an edit cannot begin");
	for (i = 1; i < n; i++)
		insert(w, &e, xt2_offset(img, xt2_chain_tail(xt2_chain_compiled(img, c))),
		       generation);
	if (at != xt2_chain_tail(xt2_chain_compiled(img, c)) && world_often(w, 50)) {
		if (!xt2_patch_delete(&e, offset) && xt2_share_slot_retire(share, slot))
			die("no memory");
	} else {
		insert(w, &e, offset, generation);
	}
	if (xt2_patch_end(&e, &to))
		die("an edit cannot end");
	return to;
}

/* A copy of a part, in place of it in the next generation.  => its offset */
static u32 renew(u32 offset, u64 size)
{
	u32 to;

	size = (size + XT2_ALIGN - 1) / XT2_ALIGN * XT2_ALIGN; /* padding is zero */
	to = xt2_space_alloc(&space, size);
	if (!to || xt2_space_retire(&space, offset, size))
		die("no room");
	memcpy(xt2_at(img, to), xt2_at(img, offset), size);
	return to;
}

static void set_counter(struct world *w)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c = xt2_image_chain(img, root, world_below(w, root->chains));
	const struct xt2_counts to = { world_below(w, 50), 0 };
	const u32 slot = (u32)xt2_chain_tail(c)->packets;
	struct xt2_counts was = xt2_share_counter_set(share, slot, to);

	base[slot].packets += to.packets - was.packets;
	base[slot].bytes += to.bytes - was.bytes;
}

static void keep_copy(u64 generation)
{
	struct xt2_image *to = must(aligned_alloc(4096, (img->size + 8191) / 4096 * 4096));
	u64 i;

	for (i = 0; i < img->size / sizeof(u64); i++) /* cells are being changed */
		((u64 *)to)[i] = __atomic_load_n((u64 *)img + i, __ATOMIC_RELAXED);
	copy[generation - FIRST] = to;
}

static void commit(struct world *w, u64 generation)
{
	const struct xt2_root *old = xt2_image_root(img);
	const u32 chain = world_below(w, old->chains);
	const u32 extent = edit(w, xt2_image_chain(img, old, chain), generation);
	const u32 at = renew(xt2_offset(img, old), sizeof(*old));
	struct xt2_root *root = xt2_at(img, at);
	u64 oldest;
	u32 *dir, *page;

	root->generation = generation;
	root->chain_dir = renew(old->chain_dir,
				(old->chains + XT2_CHAIN_PAGE - 1) / XT2_CHAIN_PAGE * sizeof(*dir));
	dir = xt2_at(img, root->chain_dir);
	dir[chain / XT2_CHAIN_PAGE] =
		renew(dir[chain / XT2_CHAIN_PAGE], XT2_CHAIN_PAGE * sizeof(*page));
	page = xt2_at(img, dir[chain / XT2_CHAIN_PAGE]);
	page[chain % XT2_CHAIN_PAGE] = extent;
	__atomic_store_n(&announced, generation, __ATOMIC_RELEASE);
	xt2_share_publish(share, at, generation);
	__atomic_store_n(&published, generation, __ATOMIC_RELEASE);
	xt2_space_commit(&space, generation);
	keep_copy(generation);
	oldest = xt2_share_oldest(share);
	held += oldest != generation;
	xt2_share_reclaim(share, oldest);
	xt2_space_reclaim(&space, oldest);
	commits++;
}

static void write_on(struct world *w)
{
	const struct timespec nap = { 0, 100000 };
	u64 g;
	u32 i;

	for (g = FIRST + 1; g <= FIRST + COMMITS; g++) {
		commit(w, g);
		for (i = world_below(w, 3); i; i--)
			set_counter(w);
		if (world_often(w, 70))
			nanosleep(&nap, NULL);
		else
			sched_yield();
	}
}

/* --- again, by one thread ----------------------------------------------------- */

/* Each live rule and rule group of an image. */
static void for_each_counter(struct xt2_image *of,
			     void (*call)(__u64 *packets, __u64 *bytes, u32 *slot, u64 generation))
{
	const struct xt2_root *root = xt2_image_root(of);
	static u32 slots[2 * SLOTS];
	const struct xt2_index *ix;
	const struct xt2_chain *c;
	struct xt2_in_order o;
	struct xt2_rule *r;
	u32 i, j, n = 0;

	xt2_image_for_each_chain(c, i, of, root) {
		xt2_chain_for_each(r, &o, of, c)
			call(&r->packets, &r->bytes, &slots[n++], root->generation);
		ix = xt2_chain_index(xt2_chain_compiled(of, c));
		for (j = 0; ix && j < ix->runs; j++)
			call(&xt2_index_runs(ix)[j].packets, &xt2_index_runs(ix)[j].bytes,
			     &slots[n++], root->generation);
	}
}

static void take_slot(__u64 *p, __u64 *b, u32 *slot, u64 generation)
{
	(void)generation;
	*slot = (u32)*p;
	*p = *b = 0;
}

static void add_counts(__u64 *p, __u64 *b, u32 *slot, u64 generation)
{
	if (generation < born[*slot]) /* another rule had it */
		return;
	counted[*slot].packets += *p;
	counted[*slot].bytes += *b;
}

static bool same_result(const struct record *r, const struct xt2_result *x)
{
	const struct xt2_result *a = &r->result;

	return a->verdict == x->verdict && a->arg == x->arg && a->rule == x->rule &&
	       a->hotdrop == x->hotdrop && a->faults == x->faults && a->events == x->events &&
	       !a->table == !x->table &&
	       (!x->table || (!strcmp(r->table, x->table) && !strcmp(r->chain, x->chain)));
}

static int replay_thread(struct xt2_evaluator *ev, const struct thread *t, u64 generation)
{
	struct world_packet p;
	struct xt2_result result;
	u32 i;

	for (i = 0; i < t->n; i++) {
		const struct record *r = &t->record[i];

		if (r->generation != generation)
			continue;
		if (r->first)
			xt2_evaluator_seed(ev, r->state);
		if (!packet_of(r->state, &p))
			return differ("a packet that is not there again");
		xt2_evaluate(ev, WORLD_HOOK, NULL, &p.pkt, NOW, 1, &result);
		packets++;
		if (!same_result(r, &result))
			return differ("another result");
	}
	return 0;
}

static int replay(void)
{
	struct xt2_evaluator *ev;
	int differences = 0;
	u32 i, t;

	for (i = 0; i <= COMMITS && !differences; i++) {
		for_each_counter(copy[i], take_slot);
		ev = must(xt2_evaluator_new(copy[i], copy[i]->size));
		for (t = 0; t < READERS && !differences; t++)
			differences = replay_thread(ev, &thread[t], FIRST + i);
		xt2_evaluator_free(ev);
		for_each_counter(copy[i], add_counts);
	}
	return differences;
}

static u32 wrong_counters;

static void check_counter(__u64 *p, __u64 *b, u32 *slot, u64 generation)
{
	const u32 number = (u32)*p;
	struct xt2_counts n;

	(void)b, (void)slot, (void)generation;
	xt2_share_counters(share, &number, 1, &n);
	wrong_counters += n.packets != base[number].packets + counted[number].packets ||
			  n.bytes != base[number].bytes + counted[number].bytes;
}

/* Commits should store depth and visits anew; those of this test only ever become smaller. */
static void walk(struct xt2_image *of)
{
	struct xt2_walk way = { .img = of, .root = xt2_image_root(of) };

	way.chains = must(calloc(way.root->chains, sizeof(*way.chains)));
	if (xt2_walk_hooks(&way))
		die("chains loop");
	xt2_walk_store(&way);
	free(way.chains);
}

/* The snapshot has the same sums, and passes for any other image. */
static int check_snapshot(void)
{
	struct xt2_err err = { 0 };
	struct xt2_mapping map, again;
	struct xt2_ruleset *rs;
	const struct xt2_chain *c, *d;
	struct xt2_in_order o, q;
	const struct xt2_rule *r, *in;
	u32 i, wrong = 0;

	if (xt2_share_snapshot(share, &map, NULL))
		die("no snapshot");
	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		d = xt2_image_chain(map.image, xt2_image_root(map.image), i);
		xt2_order_begin(&q, map.image, d);
		xt2_chain_for_each(r, &o, img, c) {
			struct xt2_counts n = xt2_rule_counts(xt2_chain_compiled(img, c), r),
					  sum[2];
			u32 slot[2] = { (u32)r->packets, (u32)(n.packets - r->packets) };

			in = xt2_order_next(&q);
			xt2_share_counters(share, slot, 2, sum);
			if (!slot[1])
				sum[1].packets = sum[1].bytes = 0;
			wrong += in->packets != sum[0].packets + sum[1].packets ||
				 in->bytes != sum[0].bytes + sum[1].bytes;
		}
	}
	walk(map.image);
	rs = must(xt2_ruleset_new()); /* which leaves out what no generation names any more */
	if (xt2_ruleset_load(rs, map.image, map.size) || xt2_ruleset_write(rs, &again, &err))
		return differ(err.message);
	xt2_ruleset_free(rs);
	xt2_image_close(&again);
	xt2_image_close(&map);
	return wrong ? differ("other counters in the snapshot") : 0;
}

static int check(void)
{
	u32 t;

	for (t = 0; t < READERS; t++)
		if (thread[t].wrong)
			return differ(thread[t].wrong);
	if (replay())
		return 1;
	wrong_counters = 0;
	for_each_counter(img, check_counter);
	if (wrong_counters)
		return differ("other counters");
	return check_snapshot();
}

/* --- together ---------------------------------------------------------------- */

static void fresh_slot(__u64 *p, __u64 *b, u32 *slot, u64 generation)
{
	const u32 number = (u32)*p;

	(void)b, (void)slot;
	xt2_share_counters(share, &number, 1, &base[number]);
	born[number] = generation;
}

/*
 * Cells are changed by all readers, but what a match says must not depend on the others: a quota
 * that is never spent stands for limits and quotas, chance for each n-th packet.
 */
static void forget_state(struct xt2_image *of)
{
	const u64 endless = ~0ull;
	const struct xt2_chain *c;
	struct xt2_match *m;
	struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, of, xt2_image_root(of)) {
		xt2_chain_for_each_rule(r, c) {
			xt2_rule_for_each_match(m, r) {
				if (m->type == XT2_M_STATISTIC)
					m->flags &= (u8)~XT2_STATISTIC_NTH;
				if (m->type != XT2_M_LIMIT && m->type != XT2_M_QUOTA)
					continue;
				m->type = XT2_M_QUOTA;
				m->flags = 0;
				memcpy(m + 1, &endless, sizeof(endless));
			}
		}
	}
	for (i = 0; i < xt2_image_root(of)->cells; i++)
		*xt2_image_cell(of, xt2_image_root(of), i) = 0;
}

static void open_all(void)
{
	struct xt2_check_err err = { 0 };
	struct world_image made;
	struct world_plan plan;
	u32 i;

	world_plan(&world, &plan, RULES_MAX);
	if (world_image(&world, &plan, &made, &err))
		die(err.what ? err.what : "the image cannot be written");
	capacity = made.size + (4u << 20);
	img = must(aligned_alloc(4096, (capacity + 4095) / 4096 * 4096));
	memcpy(img, made.img, made.size);
	free(made.img);
	forget_state(img);
	((struct xt2_root *)xt2_image_root(img))->generation = FIRST;
	memset(base, 0, sizeof(base));
	memset(counted, 0, sizeof(counted));
	memset(born, 0, sizeof(born));
	share = must(xt2_share_new(img, SLOTS));
	share->fenced |= seed % 3 == 0; /* as on a system without membarrier(2) */
	for_each_counter(img, fresh_slot);
	if (xt2_space_begin(&space, img, capacity))
		die("no memory");
	for (i = 0; i < AIMS; i++) {
		any_rule(&world);
		aim[i] = world.rule;
	}
	published = announced = FIRST;
	done = false;
	keep_copy(FIRST);
}

static void close_all(void)
{
	u32 i;

	xt2_share_free(share);
	xt2_space_end(&space);
	free(img);
	for (i = 0; i <= COMMITS; i++)
		free(copy[i]);
	for (i = 0; i < READERS; i++)
		free(thread[i].record);
}

static int one_image(void)
{
	struct world w;
	int differences;
	u32 i;

	world = (struct world){ .state = seed * 2 + 1 };
	seed_next(&world.state);
	open_all();
	w = world; /* readers copy the world */
	for (i = 0; i < READERS; i++) {
		struct thread *t = &thread[i];

		*t = (struct thread){ .seed = (seed * READERS + i) * 2 + 1 };
		t->record = must(calloc(RECORDS, sizeof(*t->record)));
		if (pthread_create(&t->id, NULL, read_on, t))
			die("no thread");
	}
	write_on(&w);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	for (i = 0; i < READERS; i++)
		pthread_join(thread[i].id, NULL);
	differences = check();
	close_all();
	return differences;
}

int main(int argc, char **argv)
{
	u64 images = 12, first = 1, seconds = 0;
	const time_t begin = time(NULL);
	int i, differences = 0;

	for (i = 1; i + 1 < argc; i += 2) {
		u64 v = strtoull(argv[i + 1], NULL, 0);

		if (!strcmp(argv[i], "--seed"))
			first = v, images = 1;
		else if (!strcmp(argv[i], "--images"))
			images = v;
		else if (!strcmp(argv[i], "--seconds"))
			seconds = v, images = ~0ull;
		else
			break;
	}
	if (i < argc)
		die("usage: readers [--seed N] [--images N] [--seconds N]");
	for (seed = first; seed - first < images && differences < 10; seed++) {
		if (seconds && (u64)(time(NULL) - begin) >= seconds)
			break;
		differences += one_image();
	}
	printf("seeds %llu to %llu: %llu commits, %llu of them with an older generation in use, "
	       "%llu packets, %llu slots used again, %d differ\n",
	       (unsigned long long)first, (unsigned long long)seed - 1, (unsigned long long)commits,
	       (unsigned long long)held, (unsigned long long)packets, (unsigned long long)reused,
	       differences);
	return differences;
}
