/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host-ruleset.c - rulesets in and out of the arena
 *
 * A ruleset is built in the region that is not live, then one store makes it
 * the live one.  The other region is given back after every program that may
 * have seen it has ended.
 */
#include "host-private.h"
#include "../engine/eval.h"

#include <stdlib.h>
#include <string.h>

static u64 rounded(u64 n, u64 to)
{
	return (n + to - 1) / to * to;
}

static u32 count_rules(const struct xt2_image *img, const struct xt2_root *root)
{
	const struct xt2_chain *c;
	u32 i, rules = 0;

	xt2_image_for_each_chain(c, i, img, root)
		rules += c->rules;
	return rules;
}

/* Where everything goes; slots have cache lines of their own. */
static void lay_out(struct xt2_live_ruleset *l, const struct xt2_live *host,
		    const struct xt2_image *img, size_t size, u64 at)
{
	const struct xt2_root *root = xt2_image_root(img);
	u64 end = at + rounded(sizeof(*l), 64);

	memset(l, 0, sizeof(*l));
	l->slots = host->cpus * XT2_SLOTS;
	l->rules = count_rules(img, root);
	l->depth = root->depth;
	l->needs = xt2_live_needs_(img);
	l->image = end;
	l->image_size = size;
	end += rounded(size, 64);
	l->counters = end;
	l->counters_size = rounded(l->rules * sizeof(struct xt2_counter), 64);
	end += l->counters_size * (l->slots + 1);
	l->frames = end;
	l->frames_size = rounded(l->depth * sizeof(struct xt2_frame), 64);
	end += l->frames_size * l->slots;
	l->size = end - at;
}

static void find_hooks(struct xt2_live_ruleset *l, const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, img, root) {
		int table = xt2_live_table_(xt2_image_table(img, root, h->table)->name);

		l->hook[table][h->family == XT2_IPV6][h->hook] =
			(u32)((const u8 *)h - (const u8 *)img);
	}
}

/* Counters that a slot or, the last one, the time before has. */
static struct xt2_counter *counters_of(const struct xt2_live_ruleset *l, u32 slot)
{
	return xt2_live_at_(l->counters + l->counters_size * slot);
}

/* In the arena's image, a rule says where its counters are. */
static void move_counters(const struct xt2_live_ruleset *l, struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_counter *before = counters_of(l, l->slots);
	const struct xt2_chain *c;
	struct xt2_rule *r;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each_rule(r, c) {
			before[n].packets = r->packets;
			before[n].bytes = r->bytes;
			r->packets = n++ * sizeof(*before);
			r->bytes = 0;
		}
	}
}

int xt2_live_install(struct xt2_live *host, const struct xt2_image *img, size_t size,
		     struct xt2_err *err)
{
	u32 region = host->ruleset ? !host->region : 0;
	u64 at = XT2_ARENA_REGION(region), old = host->ruleset;
	struct xt2_live_ruleset l;

	lay_out(&l, host, img, size, at);
	if (l.size > XT2_ARENA_REGION_SIZE)
		return xt2_err_set_(err, XT2_E_LIMIT, EFBIG,
				    "the ruleset needs %llu MiB for %u processors; %u are possible",
				    (unsigned long long)l.size >> 20, host->cpus,
				    XT2_ARENA_REGION_SIZE >> 20);
	xt2_live_release_(host, at, l.size); /* of a process that was killed */
	if (xt2_live_reserve_(host, at, l.size))
		return xt2_err_set_(err, XT2_E_SYSTEM, ENOMEM,
				    "no memory for the ruleset's %llu KiB in the kernel",
				    (unsigned long long)l.size >> 10);
	find_hooks(&l, img);
	memcpy(xt2_live_at_(l.image), img, size);
	move_counters(&l, xt2_live_at_(l.image));
	memcpy(xt2_live_at_(at), &l, sizeof(l));
	__atomic_store_n(&xt2_live_state_()->ruleset, at, __ATOMIC_RELEASE);
	host->ruleset = at;
	host->region = region;
	if (old) {
		xt2_live_wait_(host);
		xt2_live_release_(host, old, ((struct xt2_live_ruleset *)xt2_live_at_(old))->size);
	}
	return 0;
}

static void sum_counters(const struct xt2_live_ruleset *l, struct xt2_rule *r)
{
	u64 n = r->packets / sizeof(struct xt2_counter);
	u32 slot;

	r->packets = 0;
	for (slot = 0; slot <= l->slots; slot++) {
		const struct xt2_counter *c = counters_of(l, slot) + n;

		r->packets += __atomic_load_n(&c->packets, __ATOMIC_RELAXED);
		r->bytes += __atomic_load_n(&c->bytes, __ATOMIC_RELAXED);
	}
}

int xt2_live_read(struct xt2_live *host, struct xt2_mapping *map, struct xt2_err *err)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const struct xt2_chain *c;
	struct xt2_image *img;
	struct xt2_rule *r;
	u32 i;

	if (!host->ruleset)
		return xt2_err_set_(err, XT2_E_UNKNOWN, ENOENT, "there is no live ruleset");
	img = malloc(l->image_size);
	if (!img)
		return xt2_err_set_(err, XT2_E_SYSTEM, ENOMEM, "no memory for the image");
	memcpy(img, xt2_live_at_(l->image), l->image_size);
	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		xt2_chain_for_each_rule(r, c)
			sum_counters(l, r);
	}
	map->image = img;
	map->size = map->capacity = l->image_size;
	map->mapped = 0;
	return 0;
}
