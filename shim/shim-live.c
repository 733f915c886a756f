/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shim-live.c - what is live in a network namespace, behind the sockopts
 *
 * The ruleset is read anew for each question but the second one of a transaction, since packets
 * are counted all the time, and is forgotten with the lock.
 *
 * To the tools a table that they replace is a new one: its rules have counted nothing, and
 * ADD_COUNTERS adds what the old ones had.  Here rules of the new table that the old one has as
 * well go on, with their counters and state, as with xt2tables: no packet that comes meanwhile is
 * missing.  So what a rule goes on from is owed until the tool has said what is to be added to
 * the new one, and only the difference of both is added, which is 0 for a rule that is to keep
 * its counters.  If it never says so, the lock's end takes what is owed from the counters, and
 * the rules have counted from 0 since they were replaced.
 *
 * Counters are no part of what a table says: see the notes in shim-store.c.
 */
#include "shim-kinds.h"
#include "live-beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "engine/image.h"
#include "engine/index/search.h"
#include "engine/order.h"
#include "libxt2/change/owners.h"
#include "libxt2/ruleset/pair.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/ruleset/table-difference.h"

#define READ_WAIT 5 /* seconds, for another program that changes it */

/* --- what is owed --------------------------------------------------------- */

static u32 count_rules(const struct xt2_image *img)
{
	const struct xt2_chain *c;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img))
		n += xt2_chain_length(img, c);
	return n;
}

/*
 * What the ruleset has in the place of counters, by rule of the image that it was loaded from.  A
 * chain that was loaded has the image's number.
 * => not all is 0
 */
static bool collect(const struct xt2_ruleset *rs, const struct xt2_image *img,
		    struct xt2_counts *to)
{
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	__u64 any = 0;
	u32 i, at, rules;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		rules = xt2_chain_length(img, c) - 1;
		for (at = 0; at < rules; at++, to++) {
			r = xt2_rule_get(rs, (int)i, at);
			*to = (struct xt2_counts){ r->packets, r->bytes };
			any |= r->packets | r->bytes;
		}
		*to = (struct xt2_counts){ rs->chain[i].packets, rs->chain[i].bytes };
		any |= to->packets | to->bytes;
		to++;
	}
	return any;
}

/* The counters become what the tool wanted.  => 0; -errno: they stay what they were */
static int pay(struct xt2_shim_store *store, struct xt2_err *err)
{
	u32 n = store->map.image ? count_rules(store->map.image) : 0;
	struct xt2_counts *add = calloc(n ? n : 1, sizeof(*add));
	int ret = 0;

	store->owes = false;
	if (!add)
		return xt2_shim_fail(err, "the live ruleset", ENOMEM, "cannot add to counters");
	if (n && collect(store->rs, store->map.image, add))
		ret = xt2_store_add_counters(&store->kept, add, n, err);
	free(add);
	return ret ? xt2_shim_named_(store, err, ret) : 0;
}

/* From now on a rule has what is to be added, in the place of its counters.  => 0, -ENOMEM */
static int owe(struct xt2_shim_store *store, struct xt2_mapping *map)
{
	xt2_ruleset_free(store->rs);
	xt2_image_close(&store->map);
	store->map = *map;
	store->rs = xt2_ruleset_new();
	store->owes = store->rs && !xt2_ruleset_load(store->rs, map->image, map->size);
	store->loaded = store->owes;
	if (!store->owes)
		xt2_shim_store_drop_(store);
	return store->owes ? 0 : -ENOMEM;
}

/*
 * Rules of a table owe the counters that they go on from, others nothing.
 * @was: see xt2_image_pair(); NULL: no rule goes on
 */
static void set_owed(const struct xt2_mapping *old, struct xt2_mapping *map, const u32 *was,
		     u32 table)
{
	struct xt2_image *img = (struct xt2_image *)map->image;
	const struct xt2_rule *before;
	const struct xt2_chain *c;
	struct xt2_in_order o;
	struct xt2_rule *r;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, xt2_image_root(img)) {
		xt2_chain_for_each(r, &o, img, c) {
			before = was && was[n] && c->table == table ? xt2_at(old->image, was[n])
								    : NULL;
			r->packets = before ? 0 - before->packets : 0;
			r->bytes = before ? 0 - before->bytes : 0;
			n++;
		}
	}
}

/* --- reading -------------------------------------------------------------- */

static const struct xt2_root *root_of(const struct xt2_mapping *map)
{
	return map->image ? xt2_image_root(map->image) : NULL;
}

/*
 * Has nobody changed it since it was read?  Under the lock nobody can, but the end of a trial,
 * which brings back another generation.
 */
static bool same(const struct xt2_shim_store *store, const struct xt2_mapping *now)
{
	const struct xt2_root *was = root_of(&store->map), *is = root_of(now);

	if (!store->loaded || !store->held || !was != !is)
		return false;
	return !was || was->generation == is->generation;
}

static int read_live(struct xt2_shim_store *store, struct xt2_ruleset **rs, struct xt2_mapping *map,
		     struct xt2_err *err)
{
	const bool locked = store->kept.locked;
	int ret = locked ? 0 : xt2_store_lock(&store->kept, XT2_STORE_LOOK, READ_WAIT, err);

	memset(map, 0, sizeof(*map));
	*rs = NULL;
	if (ret == -ENOENT) /* nothing is live */
		ret = (*rs = xt2_ruleset_new()) ? 0 : -ENOMEM;
	else if (!ret)
		ret = xt2_store_load(&store->kept, "the live ruleset", rs, map, err);
	if (!locked)
		xt2_store_unlock(&store->kept);
	if (ret == -ENOMEM)
		xt2_shim_fail(err, "the live ruleset", ENOMEM, "cannot load it");
	if (!ret && err) /* that nothing is live is no error here */
		memset(err, 0, sizeof(*err));
	return ret ? xt2_shim_named_(store, err, ret) : 0;
}

/* Will the ruleset that was read do for this call? */
static bool good_for(const struct xt2_shim_store *store, int call)
{
	if (!store->loaded || !store->held)
		return false;
	return call == (store->owes ? XT2_CALL_COUNTERS : XT2_CALL_ENTRIES);
}

static int refresh(struct xt2_shim_store *store, int call, struct xt2_err *err)
{
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
	int ret;

	if (call == XT2_CALL_FREE && !store->rs)
		store->rs = xt2_ruleset_new(); /* it is not asked for anything */
	if (call == XT2_CALL_FREE)
		return store->rs ? 0 : -ENOMEM;
	if (good_for(store, call))
		return 0;
	ret = store->owes ? pay(store, err) : 0;
	if (!ret)
		ret = read_live(store, &rs, &map, err);
	if (!ret && same(store, &map))
		store->loaded = 0; /* what notes say holds on */
	xt2_shim_store_drop_(store);
	if (ret) {
		xt2_ruleset_free(rs);
		xt2_image_close(&map);
		return ret;
	}
	store->rs = rs;
	store->map = map;
	store->held = store->kept.locked;
	store->loaded = 1;
	return 0;
}

/* --- changes -------------------------------------------------------------- */

/* => offsets of the rules that go on, to free(); NULL: no memory */
static u32 *pair(const struct xt2_shim_store *store, const struct xt2_mapping *map)
{
	u32 *was = calloc(count_rules(map->image) + 1, sizeof(*was));

	if (was && root_of(&store->map) &&
	    xt2_image_pair(store->map.image, map->image, NULL, was)) {
		free(was);
		was = NULL;
	}
	return was;
}

/* What rules that stay had counted. */
struct kept {
	int chain; /* in the ruleset that was replaced */
	u32 at;
	struct xt2_counts counts;
};

struct keeping {
	const struct xt2_image *old;
	const struct xt2_chain *chain; /* of old */
	struct xt2_in_order order; /* of it */
	const struct xt2_rule *rule; /* the last one, at this position */
	u32 at;
	struct kept *list;
	size_t n, room;
	bool failed;
};

/* See struct xt2_difference_options. */
static void keep(void *data, int chain, unsigned int at, int old_chain, unsigned int old_at)
{
	struct keeping *k = data;
	const struct xt2_chain *c = xt2_image_chain(k->old, xt2_image_root(k->old), (u32)old_chain);

	if (c != k->chain) {
		k->chain = c;
		xt2_order_begin(&k->order, k->old, c);
		k->rule = xt2_order_next(&k->order);
		k->at = 0;
	}
	for (; k->at < old_at; k->at++)
		k->rule = xt2_order_next(&k->order);
	if (!k->rule->packets && !k->rule->bytes)
		return;
	if (k->n == k->room) {
		const size_t room = 2 * k->room + 64;
		struct kept *list = realloc(k->list, room * sizeof(*list));

		k->failed |= !list;
		if (!list)
			return;
		k->list = list;
		k->room = room;
	}
	k->list[k->n++] = (struct kept){ chain, at, { k->rule->packets, k->rule->bytes } };
}

/* Rules that stayed owe what they had counted; the ruleset is that which was replaced, read again. */
static int owe_kept(const struct xt2_shim_store *store, const struct keeping *k,
		    const struct xt2_ruleset *replaced, int table)
{
	int to = xt2_table_find(store->rs, xt2_table_family(replaced, table),
				xt2_table_name(replaced, table));
	int from = -1, chain = -1, ret = 0;
	size_t i;

	for (i = 0; !ret && i < k->n; i++) {
		const struct kept *kept = &k->list[i];
		const __u64 packets = 0 - kept->counts.packets, bytes = 0 - kept->counts.bytes;

		if (kept->chain != from)
			chain = xt2_chain_find(store->rs, to,
					       xt2_chain_name(replaced, kept->chain));
		from = kept->chain;
		if (chain < 0 || kept->at > xt2_chain_rules(store->rs, chain))
			return -EIO;
		if (kept->at < xt2_chain_rules(store->rs, chain)) {
			ret = xt2_rule_set_counters(store->rs, chain, kept->at, packets, bytes);
			continue;
		}
		store->rs->chain[chain].packets = packets;
		store->rs->chain[chain].bytes = bytes;
	}
	return ret;
}

/* What is live is read again, and rules owe what they have kept; else they go on with it. */
static void read_again(struct xt2_shim_store *store, const struct keeping *k, int table)
{
	struct xt2_ruleset *replaced = store->rs;
	struct xt2_mapping map = { 0 };

	store->loaded = 0; /* the notes are settled already */
	store->rs = NULL;
	if (xt2_store_read(&store->kept, false, &map, NULL)) {
		xt2_shim_store_drop_(store);
	} else {
		set_owed(NULL, &map, NULL, 0);
		if (!owe(store, &map) && owe_kept(store, k, replaced, table)) {
			store->loaded = 0;
			xt2_shim_store_drop_(store);
		}
	}
	xt2_ruleset_free(replaced);
}

/*
 * Change what is live where it is.
 * => 0; 1: install all of it; -errno
 */
static int edit(struct xt2_shim_store *store, int table, struct xt2_err *err)
{
	struct keeping k = { .old = store->map.image };
	const struct xt2_difference_options keep_all = { .stays = keep, .data = &k };
	struct xt2_ruleset *rs = NULL;
	int ret = k.old ? xt2_store_edit(&store->kept, &rs, err) : 1;

	if (ret)
		return ret == -ENOENT ? 1 : ret;
	ret = xt2_table_difference(rs, store->rs, table, &keep_all);
	if (!ret && !k.failed)
		ret = xt2_store_commit_edit(&store->kept, rs, NULL, err);
	else
		ret = 1; /* what was done is dropped */
	xt2_ruleset_free(rs);
	xt2_store_end_edit(&store->kept);
	if (!ret)
		read_again(store, &k, table);
	free(k.list);
	return ret;
}

/*
 * Chains of a table that was replaced belong to whom they did, which the new ones do not know.
 * => 0, -errno
 */
static int own(struct xt2_shim_store *store, struct xt2_err *err)
{
	const struct xt2_mapping *was = &store->map;
	struct xt2_ruleset *old;
	struct xt2_owned owned = { .count = 0 };
	int ret = 0;

	if (was->image)
		xt2_owned_begin(&owned, was->image, was->size, was->image->root);
	if (owned.count) {
		old = xt2_ruleset_new();
		ret = old ? xt2_ruleset_load(old, was->image, was->size) : -ENOMEM;
		if (!ret)
			ret = xt2_owners_keep(store->rs, old);
		xt2_ruleset_free(old);
	}
	if (ret)
		return xt2_shim_fail(err, "the live ruleset", -ret, "cannot keep owners of chains");
	return xt2_store_own(&store->kept, store->rs, err);
}

static int make_live(struct xt2_shim_store *store, const struct xt2_mapping *map, const u32 *was,
		     struct xt2_err *err)
{
	struct xt2_store_counters counters = { .was = root_of(&store->map) ? was : NULL };
	int ret = store->live.refused ? store->live.refused(store->live.data, store->rs, map->image)
				      : 0;

	if (!ret)
		ret = own(store, err);
	return ret ? ret : xt2_store_commit(&store->kept, map, &counters, err);
}

/* All of it becomes live.  => 0, -errno */
static int install(struct xt2_shim_store *store, int table, struct xt2_err *err)
{
	struct xt2_mapping map;
	u32 *was = NULL;
	int ret = xt2_ruleset_write(store->rs, &map, err);

	if (!ret) {
		was = pair(store, &map);
		ret = was ? make_live(store, &map, was, err)
			  : xt2_shim_fail(err, "the live ruleset", ENOMEM, "cannot pair the rules");
		if (!ret)
			set_owed(&store->map, &map, was, (u32)table);
		else
			xt2_image_close(&map);
		free(was);
	}
	store->loaded = 0; /* the notes are settled already */
	if (ret)
		xt2_shim_store_drop_(store);
	else
		owe(store, &map); /* else the rules go on from what they had */
	return ret;
}

static int commit(struct xt2_shim_store *store, int table, struct xt2_err *err)
{
	int ret = edit(store, table, err);

	if (ret > 0)
		ret = install(store, table, err);
	if (ret < 0) {
		store->loaded = 0;
		xt2_shim_store_drop_(store);
	}
	return ret ? xt2_shim_named_(store, err, ret) : 0;
}

static int add_counters(struct xt2_shim_store *store, struct xt2_call *call, int table,
			struct xt2_err *err)
{
	struct xt2_mapping map = store->map;
	int ret = 0;

	if (!store->owes && map.image) { /* nothing was replaced: all that is told is to be added */
		set_owed(NULL, &map, NULL, 0);
		memset(&store->map, 0, sizeof(store->map));
		ret = owe(store, &map);
	}
	if (ret)
		return ret;
	ret = xt2_sockopt_set(store->rs, call->caller, call->level, call->name, call->value,
			      call->len, err);
	if (ret >= 0 && store->owes)
		ret = pay(store, err);
	if (ret >= 0)
		xt2_shim_store_drop_(store);
	return ret < 0 ? ret : 0;
}

/* What a table says, in the order of its chains, without its counters. */
static __u64 digest(const struct xt2_shim_store *store, int table)
{
	const struct xt2_ruleset *rs = store->rs;
	__u64 hash = XT2_SHIM_HASH_;
	u8 rule[XT2_DIGEST_SIZE];
	unsigned int i, n;
	int chain, policy;

	xt2_table_for_each_chain(chain, rs, table) {
		const char *name = xt2_chain_name(rs, chain);

		n = xt2_chain_rules(rs, chain);
		policy = xt2_chain_policy(rs, chain);
		hash = xt2_shim_fold_(hash, name, strlen(name) + 1);
		hash = xt2_shim_fold_(hash, &policy, sizeof(policy));
		hash = xt2_shim_fold_(hash, &n, sizeof(n));
		for (i = 0; i < n; i++) {
			xt2_rule_digest(rs, xt2_table_family(rs, table), xt2_rule_get(rs, chain, i),
					rule);
			hash = xt2_shim_fold_(hash, rule, sizeof(rule));
		}
	}
	return hash;
}

static int beside(const struct xt2_shim_store *store, int family, const char *table)
{
	if (!store->live.beside)
		return 0;
	if (!table)
		return family != XT2_IPV4 && family != XT2_IPV6;
	return xt2_beside_(family, table);
}

static void names(const struct xt2_shim_store *store, int family, FILE *to)
{
	if (store->live.beside)
		xt2_beside_names_(family, to);
}

static void forget(struct xt2_shim_store *store)
{
	store->owes = store->held = false;
}

static void leave(struct xt2_shim_store *store)
{
	if (store->owes)
		pay(store, NULL);
	xt2_shim_store_drop_(store);
}

static const struct xt2_shim_kind live_kind = {
	.access = XT2_STORE_CREATE,
	.refresh = refresh,
	.commit = commit,
	.counters = add_counters,
	.digest = digest,
	.beside = beside,
	.names = names,
	.forget = forget,
	.leave = leave,
};

struct xt2_shim_store *xt2_shim_live_new(const struct xt2_shim_live *live)
{
	struct xt2_shim_store *store = xt2_shim_store_make_(&live_kind, NULL);

	if (!store)
		return NULL;
	store->live = *live;
	store->kept.kind = XT2_STORE_LIVE;
	store->kept.pin = live->pin;
	return store;
}

int xt2_shim_store_is_live(const struct xt2_shim_store *store)
{
	return store->how == &live_kind;
}
