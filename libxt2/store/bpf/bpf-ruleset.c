/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-ruleset.c - rulesets in and out of the arena
 *
 * A ruleset is built in the region that is not live, then one store makes it
 * the live one.  Counters of the other region are added and its memory is given
 * back after every program that may have seen it has ended: bpf-keep.c.
 */
#include "libxt2/store/companion/bpf-nat.h"
#include "libxt2/store/companion/bpf-stops.h"
#include "engine/eval.h"
#include "engine/index/patched.h"
#include "engine/order.h"
#include "libxt2/store/image-past.h"
#include "libxt2/store/whole-image.h"

/*
 * A program scans columns without vectors, and tests the first rules of a chain in
 * the time that a search takes to begin.
 */
#define SEARCH_MIN 64u /* units of a chain */

static u64 rounded(u64 n, u64 to)
{
	return (n + to - 1) / to * to;
}

/* Is the chain's index worth a search? */
static bool pays(const struct xt2_chain *c)
{
	const struct xt2_index *ix = xt2_chain_index(c);

	return ix && (ix->runs || ix->units >= SEARCH_MIN);
}

/* => what evaluators are to be loaded for */
static u32 needs_of(const struct xt2_image *img)
{
	const struct xt2_chain *c;
	struct xt2_live_ruleset l;
	struct xt2_stops stops;
	u32 i;

	xt2_live_find_needs_(&l, img);
	if (xt2_left_count_(img))
		l.needs |= XT2_NEED_STEPS | XT2_NEED_ANSWERS | XT2_NEED_BOUND;
	if (xt2_stops_find_(&stops, img) || stops.n)
		l.needs |= XT2_NEED_STOPS;
	xt2_stops_free_(&stops);
	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		if (pays(c))
			l.needs |= XT2_NEED_SEARCH;
	}
	return l.needs;
}

struct xt2_live_programs xt2_live_needed(const struct xt2_image *img, bool again)
{
	struct xt2_live_programs what = { .tables = xt2_live_tables_(img) };

	what.needs = needs_of(img) | (again ? XT2_NEED_SEARCH : 0);
	return what;
}

/* What edits will need: counters, a deeper stack, places for steps and questions. */
#define MORE_COUNTERS(rules) ((rules) / 8 + 4096)
#define MORE_DEPTH	     16u
#define MORE_LEFT	     4096u

/* Numbers of the ruleset, from its chains. */
static void count_chains(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		l->rules += c->rules;
		l->longest = c->rules > l->longest ? c->rules : l->longest;
		l->runs += pays(c) ? xt2_chain_index(c)->runs : 0;
	}
	l->meets = xt2_live_meets_most_(img);
	l->max_counters = l->rules + l->runs + MORE_COUNTERS(l->rules);
}

/* Where everything goes; slots have cache lines of their own. */
static void lay_out(struct xt2_live_ruleset *l, const struct xt2_live *host,
		    const struct xt2_image *img, size_t size, u64 at)
{
	const struct xt2_root *root = xt2_image_root(img);
	u64 end = at + rounded(sizeof(*l), 64);
	u32 left;

	memset(l, 0, sizeof(*l));
	count_chains(l, img);
	l->slots = host->cpus * XT2_SLOTS;
	l->depth = root->depth + MORE_DEPTH;
	xt2_live_find_needs_(l, img);
	l->tracked = xt2_live_tracked(img);
	xt2_live_acts_(img, l->acts);
	l->spare = end;
	end += rounded(sizeof(struct xt2_live_spare) + (u64)l->max_counters * sizeof(u32), 64);
	l->counters = end;
	l->counters_size = rounded((u64)l->max_counters * sizeof(struct xt2_counter), 64);
	end += l->counters_size * (l->slots + 1);
	l->frames = end;
	l->frames_size = rounded(l->depth * sizeof(struct xt2_frame), 64);
	end += l->frames_size * l->slots;
	l->pairs = end;
	end += rounded(l->rules * sizeof(u32), 64);
	l->cell_numbers = end;
	end += rounded(root->cells * sizeof(u32), 64);
	l->nat = xt2_live_nats(img) ? end : 0;
	l->nat_room = l->nat ? xt2_nat_room_(img) : 0;
	end += rounded(l->nat_room * sizeof(u16), 64);
	left = xt2_left_count_(img);
	l->left = left ? end : 0;
	while (left && l->left_mask < 4 * left + MORE_LEFT)
		l->left_mask = 2 * l->left_mask + 1;
	end += left ? rounded((l->left_mask + 1ull) * sizeof(struct xt2_left), 64) : 0;
	l->known = end;
	end += rounded(left * sizeof(struct xt2_left_known), 64);
	l->image = end;
	l->image_size = l->compiled = size;
	l->root = img->root;
	l->size = end + rounded(size, 64) - at;
}

void xt2_live_find_hooks_(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_at(img, l->root);
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, img, root) {
		int table = xt2_live_table_(xt2_image_table(img, root, h->table)->name);

		if (!xt2_live_hooked(img, h))
			continue;
		l->hook[table][h->family == XT2_IPV6][h->hook] = xt2_offset(img, h);
		l->tables[h->family == XT2_IPV6][h->hook] |= (u8)(1u << table);
	}
}

/* Indexes that don't pay are forgotten; what the others' runs have counted goes to the rules. */
static void take_indexes(struct xt2_live_ruleset *l, struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		if (!pays(c)) {
			xt2_chain_drop_index(c);
			continue;
		}
		xt2_chain_fold(c);
		l->needs |= XT2_NEED_SEARCH;
	}
}

/* n: runs of the chains before.  => and this one's */
static u32 move_run_counters(const struct xt2_live_ruleset *l, struct xt2_chain *c, u32 n)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	struct xt2_run *run = ix ? xt2_index_runs(ix) : NULL;
	struct xt2_rule *r;
	u32 i, at;

	for (i = 0; ix && i < ix->runs; i++, run++) {
		run->packets = ((u64)l->rules + n++) * sizeof(struct xt2_counter);
		for (at = run->rule; at < run->end; at += r->size) {
			r = xt2_at(c, at);
			r->bytes = run->packets;
		}
	}
	return n;
}

/* In the arena's image, rules and runs say where their counters are. */
static void move_counters(const struct xt2_live_ruleset *l, struct xt2_image *img,
			  const __u8 *start)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_counter *before = xt2_live_counters_(l, l->slots);
	struct xt2_chain *c;
	struct xt2_rule *r;
	u32 i, n = 0, runs = 0;

	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each_rule(r, c) {
			if (!start || start[c->table] == XT2_LIVE_FILE)
				before[n] = (struct xt2_counter){ r->packets, r->bytes };
			r->packets = n++ * sizeof(*before);
			r->bytes = 0;
		}
		runs = move_run_counters(l, c, runs);
	}
}

/*
 * Zeroed memory for a region.  The one before the last may have left some, unless it is far too much;
 * what is there beyond that is of a process that was killed.
 */
static int reserve(struct xt2_live *host, u32 region, u64 size)
{
	const u64 start = XT2_ARENA_REGION(region);
	u64 *have = &xt2_live_state_()->region_size[region], kept;

	if (*have / 2 > size) {
		if (xt2_live_release_(host, start, *have))
			return -ENOMEM;
		*have = 0;
	}
	kept = rounded(*have, 4096);
	memset(xt2_live_at_(start), 0, kept < size ? kept : size);
	if (size <= kept)
		return 0;
	if (xt2_live_release_(host, start + kept, size - kept) ||
	    xt2_live_reserve_(host, start + kept, size - kept))
		return -ENOMEM;
	*have = size;
	return 0;
}

/* In memory that is not in use yet.  => 0, -EFBIG, -ENOMEM */
static int build(struct xt2_live *host, struct xt2_live_ruleset *l, const struct xt2_image *img,
		 const struct xt2_store_counters *counters, struct xt2_err *err)
{
	struct xt2_image *copy = xt2_live_at_(l->image);
	struct xt2_live_spare *spare = xt2_live_at_(l->spare);
	int ret;

	xt2_live_find_hooks_(l, img);
	spare->used = l->rules + l->runs;
	memcpy(copy, img, l->image_size);
	take_indexes(l, copy);
	if (xt2_left_fill_(l, img))
		return xt2_err_no_memory(err, " for the numbers of steps");
	if (xt2_live_fill_nat_(l, img))
		return xt2_err_no_memory(err, " for the numbers of NAT targets");
	ret = xt2_live_keep_(host, l, counters->start, counters->was, err);
	if (!ret)
		move_counters(l, copy, counters->start);
	return ret;
}

/* Can the programs that are there, and the arena, bear it?  => 0, -errno */
static int check_room(struct xt2_live *host, const struct xt2_live_ruleset *l, struct xt2_err *err)
{
	if (l->size > XT2_ARENA_REGION_SIZE)
		return xt2_err_set(err, XT2_E_LIMIT, EFBIG,
				   "the ruleset needs %llu MiB for %u processors; %u are possible",
				   (unsigned long long)l->size >> 20, host->cpus,
				   XT2_ARENA_REGION_SIZE >> 20);
	if (l->needs & (XT2_NEED_CONNECTION | XT2_NEED_TUPLES) && !xt2_live_state_()->tracks) {
		xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
			    "the live programs are from before the kernel had connections");
		xt2_err_hint(err, "xt2 detach, then apply again");
		return -EOPNOTSUPP;
	}
	if (l->needs & XT2_NEED_LOG && xt2_live_ring_(host))
		return xt2_err_no_memory(err, " for the log's events");
	return 0;
}

/* The ruleset is there: packets meet it from now on.  => 0, -errno */
static int publish(struct xt2_live *host, u64 at, u32 region, u64 generation, struct xt2_err *err)
{
	int ret;

	xt2_live_set_date_(xt2_live_state_());
	ret = xt2_live_begin_trial_(host);
	if (ret)
		return xt2_err_set(err, XT2_E_UNSUPPORTED, -ret, "no timer in the kernel: %s",
				   strerror(-ret));
	xt2_live_passed_(generation);
	__atomic_store_n(&xt2_live_state_()->ruleset, at, __ATOMIC_RELEASE);
	xt2_live_check_trial_(host);
	host->ruleset = at;
	host->region = region;
	xt2_live_fold_(host); /* what fails is done by the next command */
	return 0;
}

/* @img: prepared for edits.  => 0, -errno */
static int install(struct xt2_live *host, const struct xt2_image *img,
		   const struct xt2_store_counters *counters, bool uncounted, struct xt2_err *err)
{
	const u32 region = xt2_live_next_(host);
	const u64 at = XT2_ARENA_REGION(region);
	struct xt2_live_ruleset l;
	int ret;

	lay_out(&l, host, img, img->size, at);
	ret = check_room(host, &l, err);
	if (ret)
		return ret;
	if (reserve(host, region, l.size))
		return xt2_err_set(err, XT2_E_SYSTEM, ENOMEM,
				   "no memory for the ruleset's %llu KiB in the kernel",
				   (unsigned long long)l.size >> 10);
	memcpy(xt2_live_at_(at), &l, sizeof(l));
	ret = build(host, xt2_live_at_(at), img, counters, err);
	if (!ret && uncounted)
		xt2_live_count_changes_(xt2_live_at_(at));
	return ret ? ret : publish(host, at, region, xt2_image_root(img)->generation, err);
}

int xt2_live_ready(struct xt2_live *host, struct xt2_err *err)
{
	int ret = xt2_live_settle_first_(host, err);

	if (ret)
		return ret;
	ret = xt2_live_fold_(host);
	if (ret)
		return xt2_err_set(err, XT2_E_SYSTEM, -ret,
				   "the ruleset before the live one is still in use: %s",
				   strerror(-ret));
	return 0;
}

int xt2_live_install(struct xt2_live *host, const struct xt2_image *img, size_t size,
		     const struct xt2_store_counters *counters, struct xt2_live_told *told,
		     struct xt2_err *err)
{
	static const struct xt2_store_counters of_image;
	struct xt2_live_told nothing = { .author = NULL };
	struct xt2_whole_image w;
	struct xt2_image_past past;
	int ret = xt2_live_ready(host, err);

	if (ret)
		return ret;
	if (!told)
		told = &nothing;
	if (xt2_live_past_(host, img, size, told, &past))
		return xt2_err_no_memory(err, " for the history");
	ret = xt2_whole_image_make(&w, img, true, &past);
	free(past.bytes);
	if (ret)
		return xt2_err_no_memory(err, " for the image");
	ret = install(host, w.img, counters ? counters : &of_image, told->uncounted, err);
	xt2_whole_image_end(&w);
	return ret;
}

/* What runs have counted is in their rules' counters. */
static void clear_runs(const struct xt2_chain *c)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	struct xt2_run *run = ix ? xt2_index_runs(ix) : NULL;
	u32 i;

	for (i = 0; ix && i < ix->runs; i++)
		run[i].packets = run[i].bytes = 0;
}

/* A copy of the image with room for the cells, after its last byte.  => NULL: no memory */
static struct xt2_image *copy_image(const struct xt2_live_ruleset *l)
{
	struct xt2_image *img = malloc(l->image_size + xt2_live_cells_(l) * sizeof(u64));

	if (!img)
		return NULL;
	memcpy(img, xt2_live_at_(l->image), l->image_size);
	img->root = l->root; /* of a process that was killed it may be another */
	img->size = l->image_size;
	return img;
}

int xt2_live_read(struct xt2_live *host, struct xt2_mapping *map, struct xt2_err *err)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const struct xt2_chain *c;
	struct xt2_in_order o;
	struct xt2_image *img;
	struct xt2_rule *r;
	u32 i;

	if (!host->ruleset)
		return xt2_err_set(err, XT2_E_UNKNOWN, ENOENT, "there is no live ruleset");
	img = copy_image(l);
	if (!img)
		return xt2_err_no_memory(err, " for the image");
	if (xt2_live_read_cells_(img)) {
		free(img);
		return xt2_err_no_memory(err, " for the state");
	}
	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		xt2_chain_for_each(r, &o, img, c) {
			struct xt2_counter n = xt2_live_count_(l, r);

			r->packets = n.packets;
			r->bytes = n.bytes;
		}
		clear_runs(xt2_chain_compiled(img, c));
	}
	map->image = img;
	map->size = map->capacity = img->size;
	map->mapped = 0;
	return 0;
}
