// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table-transaction.c - tables that come by netlink, all of them or none
 *
 * Images are hostile: they are in memory of the kernel's before they are checked, and what becomes live
 * is packed anew from the rules that the check has passed.  For the pack each rule has its number
 * in the place of its counters, so that it is known afterwards where the rule has got to.
 *
 * A rule that goes on counting: its old counter is read when no packet is in the old table any
 * more, and added to the new one, which has had room for it since before.
 *
 * Locking: the namespace's mutex is held in all functions but xt2k_abort().  A transaction is its
 * socket's: nobody else touches it, and the socket is not closed while it makes a request.
 */
#include <linux/list.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include "engine/check.h"
#include "libxt2/err.h"
#include "tables.h"

#define IMAGE_MAX (512u << 20) /* bytes, as XT_MAX_TABLE_SIZE */

/* A table of a transaction. */
struct coming {
	struct list_head list;
	struct xt2k_table *t;
	bool edited; /* in its place; map is the image that its rules come from, or NULL */
	struct list_head ops; /* struct xt2k_op */
	bool ready; /* they are done, but for xt2k_edit_publish() */
	struct xt2_mapping map; /* its image; NULL: it goes */
	u64 got; /* bytes of it */
	u32 *was; /* of XT2_CMD_KEEP; or NULL */
	u32 rules;
	u64 was_got; /* bytes */
	struct xt2k_start *start; /* by rule */
	struct xt2_counts *slots; /* of the table before: see XT2K_SLOTS */
	u32 slots_n;
	struct xt2k_live *live; /* what comes of it */
};

struct xt2k_transaction {
	u32 port;
	u64 generation; /* that it began with */
	struct list_head tables;
};

static struct xt2k_net *net_of(struct net *net)
{
	return net_generic(net, xt2k_net_id);
}

static const char *name_of(const struct coming *c)
{
	return xt2k_names[c->t->name];
}

static int wrong(const struct coming *c, struct xt2_err *err, const char *what)
{
	return xt2_err_set(err, XT2_E_SYNTAX, EINVAL, "table %s: %s", name_of(c), what);
}

/* --- a transaction grows ------------------------------------------------------ */

int xt2k_begin(struct net *net, u32 port, const u64 *expected, struct xt2_err *err)
{
	struct xt2k_net *xn = net_of(net);
	struct xt2k_transaction *x;
	bool free;

	if (expected && *expected != xn->generation)
		return xt2_err_set(err, XT2_E_SYSTEM, ESTALE, "generation %llu is there, not %llu",
				   xn->generation, *expected);
	x = kzalloc(sizeof(*x), GFP_KERNEL_ACCOUNT);
	if (!x)
		return -ENOMEM;
	x->port = port;
	x->generation = xn->generation;
	INIT_LIST_HEAD(&x->tables);
	spin_lock(&xn->owner);
	free = !xn->transaction;
	if (free)
		xn->transaction = x;
	spin_unlock(&xn->owner);
	if (free)
		return 0;
	kfree(x);
	return xt2_err_set(err, XT2_E_SYSTEM, EBUSY, "another transaction is under way");
}

struct xt2k_transaction *xt2k_transaction(struct net *net, u32 port)
{
	struct xt2k_net *xn = net_of(net);
	struct xt2k_transaction *x;

	spin_lock(&xn->owner);
	x = xn->transaction && xn->transaction->port == port ? xn->transaction : ERR_PTR(-EINVAL);
	spin_unlock(&xn->owner);
	return x;
}

static struct xt2k_table *find_table(struct net *net, u8 family, const char *name)
{
	int i, j;

	for (i = 0; i < XT2K_FAMILIES; i++)
		for (j = 0; j < XT2K_NAMES; j++)
			if (xt2k_kinds[i].nfproto == family && !strcmp(xt2k_names[j], name) &&
			    xt2_table_hooks(family, name))
				return &net_of(net)->table[i][j];
	return NULL;
}

static void drop(struct coming *c)
{
	struct xt2k_op *op, *next;

	if (c->ready)
		xt2k_edit_abort(c->t);
	list_for_each_entry_safe(op, next, &c->ops, list)
		kfree(op);
	if (c->live)
		xt2k_table_unmake(c->t, c->live);
	xt2_image_close(&c->map);
	kvfree(c->was);
	kvfree(c->start);
	kvfree(c->slots);
	kfree(c);
}

static int rooms(struct coming *c, u64 size, u32 rules)
{
	int ret = size ? xt2_image_room_(size, &c->map, NULL) : 0;

	c->map.size = size;
	c->rules = rules;
	if (!ret && rules) {
		c->was = kvcalloc(rules, sizeof(*c->was), GFP_KERNEL_ACCOUNT);
		ret = c->was ? 0 : -ENOMEM;
	}
	return ret;
}

/* => a table of the transaction, with room for its image */
static struct coming *coming_new(struct xt2k_transaction *x, struct xt2k_table *t, u64 size,
				 u32 rules, struct xt2_err *err)
{
	struct coming *c;
	int ret;

	list_for_each_entry(c, &x->tables, list)
		if (c->t == t)
			return ERR_PTR(xt2_err_set(err, XT2_E_SYNTAX, EEXIST,
						   "table %s comes twice", name_of(c)));
	if (size > IMAGE_MAX)
		return ERR_PTR(xt2_err_set(err, XT2_E_LIMIT, EFBIG, "the image is too large"));
	if ((size && size < sizeof(struct xt2_image)) || rules > size / sizeof(struct xt2_rule))
		return ERR_PTR(xt2_err_set(err, XT2_E_SYNTAX, EINVAL, "the image is too small"));
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->t = t;
	INIT_LIST_HEAD(&c->ops);
	ret = rooms(c, size, rules);
	if (!ret)
		return c;
	drop(c);
	return ERR_PTR(ret);
}

static int add_coming(struct xt2k_transaction *x, struct net *net, u8 family, const char *name,
		      u64 size, u32 rules, bool edited, struct xt2_err *err)
{
	struct xt2k_table *t = find_table(net, family, name);
	struct coming *c;

	if (!t)
		return xt2_err_set(err, XT2_E_UNSUPPORTED, ENOENT,
				   "family %u has no table of this name", family);
	c = coming_new(x, t, size, rules, err);
	if (IS_ERR(c))
		return PTR_ERR(c);
	c->edited = edited;
	list_add_tail(&c->list, &x->tables);
	return 0;
}

int xt2k_add_table(struct xt2k_transaction *x, struct net *net, u8 family, const char *name,
		   u64 size, u32 rules, struct xt2_err *err)
{
	return add_coming(x, net, family, name, size, rules, false, err);
}

int xt2k_add_splice(struct xt2k_transaction *x, struct net *net, u8 family, const char *name,
		    u64 size, struct xt2_err *err)
{
	return add_coming(x, net, family, name, size, 0, true, err);
}

static struct coming *last(struct xt2k_transaction *x)
{
	return list_empty(&x->tables) ? NULL : list_last_entry(&x->tables, struct coming, list);
}

static int add(void *to, u64 *got, u64 size, u64 offset, const void *data, size_t n)
{
	if (!to || offset != *got || n > size - *got)
		return -EINVAL;
	memcpy(to + *got, data, n);
	*got += n;
	return 0;
}

int xt2k_add_edit(struct xt2k_transaction *x, const struct xt2k_op *op)
{
	struct coming *c = last(x);
	struct xt2k_op *own;

	if (!c || !c->edited)
		return -EINVAL;
	own = kmemdup(op, sizeof(*op), GFP_KERNEL_ACCOUNT);
	if (!own)
		return -ENOMEM;
	list_add_tail(&own->list, &c->ops);
	return 0;
}

int xt2k_add_piece(struct xt2k_transaction *x, u64 offset, const void *data, size_t size)
{
	struct coming *c = last(x);

	return c ? add(c->map.image, &c->got, c->map.size, offset, data, size) : -EINVAL;
}

int xt2k_add_keep(struct xt2k_transaction *x, u64 offset, const void *data, size_t size)
{
	struct coming *c = last(x);

	return c ? add(c->was, &c->was_got, c->rules * sizeof(*c->was), offset, data, size)
		 : -EINVAL;
}

/* --- a table is checked ------------------------------------------------------- */

static int check_image(const struct coming *c, struct xt2_err *err)
{
	void *scratch = kvmalloc(xt2_check_scratch(c->map.size), GFP_KERNEL_ACCOUNT);
	struct xt2_check_err e = { 0 };
	int ret;

	if (!scratch)
		return -ENOMEM;
	ret = xt2_check_rules(c->map.image, c->map.size, scratch, &e);
	kvfree(scratch);
	if (!ret)
		return 0;
	if (e.chain == ~0u)
		return xt2_err_set(err, XT2_E_SYNTAX, -ret, "table %s, byte %llu: %s", name_of(c),
				   e.offset, e.what);
	return xt2_err_set(err, XT2_E_SYNTAX, -ret, "table %s, chain number %u, rule %u: %s",
			   name_of(c), e.chain, e.rule, e.what);
}

/* Is it this table, with its hooks, and nothing else? */
static int check_fits(const struct coming *c, struct xt2_err *err)
{
	const struct xt2k_kind *kind = c->t->kind;
	const struct xt2_image *img = c->map.image;
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_table *t = root && root->tables == 1 ? xt2_image_table(img, root, 0)
							      : NULL;
	const struct xt2_hook *h;
	const struct xt2_chain *chain;
	u32 i, hooks = 0;

	if (!t || t->family != kind->nfproto || strcmp(t->name, name_of(c)))
		return wrong(c, err, "the image has not this table, or not it alone");
	xt2_image_for_each_hook(h, i, img, root) {
		if (h->hook >= NF_INET_NUMHOOKS ||
		    !(xt2_table_hooks(t->family, t->name) & 1u << h->hook) ||
		    h->priority != xt2_table_priority(t->family, t->name, h->hook))
			return wrong(c, err, "a base chain is where the table has none");
		hooks |= 1u << h->hook;
	}
	if (hooks != xt2_table_hooks(t->family, t->name))
		return wrong(c, err, "a base chain is missing");
	xt2_image_for_each_chain(chain, i, img, root)
		if (chain->lookup) /* an index is gone by now */
			return wrong(c, err, "the image was edited: write it whole");
	return root->slots == 1 ? 0 : wrong(c, err, "the counters are not in the rules");
}

/* The rules get numbers, and what they start with is noted. */
static int number_rules(struct coming *c, struct xt2_err *err)
{
	const struct xt2_root *root = xt2_image_root(c->map.image);
	struct xt2_chain *chain;
	struct xt2_rule *r;
	u32 i, n = 0;

	xt2_image_for_each_chain(chain, i, c->map.image, root)
		n += chain->rules;
	if (c->was && (n != c->rules || c->was_got != n * sizeof(*c->was)))
		return wrong(c, err, "it is not said of each rule if it goes on counting");
	c->rules = n;
	c->start = kvcalloc(n, sizeof(*c->start), GFP_KERNEL_ACCOUNT);
	if (!c->start)
		return -ENOMEM;
	n = 0;
	xt2_image_for_each_chain(chain, i, c->map.image, root) {
		xt2_chain_for_each_rule(r, chain) {
			c->start[n].n = (struct xt2_counts){ r->packets, r->bytes };
			r->packets = n++;
			r->bytes = 0;
		}
		cond_resched();
	}
	return 0;
}

/* Where the rules of the table before count. */
static int find_slots(struct coming *c)
{
	const struct xt2k_live *old = xt2k_table_live(c->t);
	struct xt2_mapping map;
	struct xt2_chain *chain;
	struct xt2_rule *r;
	u32 i, n = 0;
	int ret;

	if (!c->was || !old)
		return 0;
	ret = xt2k_image_copy(old, XT2K_SLOTS, &map);
	if (ret)
		return ret;
	xt2_image_for_each_chain(chain, i, map.image, xt2_image_root(map.image))
		n += chain->rules;
	c->slots = kvcalloc(n, sizeof(*c->slots), GFP_KERNEL_ACCOUNT);
	c->slots_n = c->slots ? n : 0;
	n = 0;
	xt2_image_for_each_chain(chain, i, map.image, xt2_image_root(map.image))
		xt2_chain_for_each_rule(r, chain)
			if (c->slots)
				c->slots[n++] = (struct xt2_counts){ r->packets, r->bytes };
	xt2_image_close(&map);
	return c->slots ? 0 : -ENOMEM;
}

/* Old counters that go on are there, each at most once. */
static int check_keep(struct coming *c, struct xt2_err *err)
{
	u32 i, was;

	for (i = 0; c->was && i < c->rules; i++) {
		was = c->was[i];
		if (!was)
			continue;
		if (was > c->slots_n)
			return wrong(c, err, "a rule goes on counting that is not there");
		if (!c->slots[was - 1].bytes)
			return wrong(c, err, "two rules go on counting as one");
		c->start[i].n = (struct xt2_counts){ 0 };
		c->start[i].from = c->slots[was - 1];
		c->slots[was - 1].bytes = 0;
	}
	return 0;
}

static int make(struct coming *c, struct xt2_err *err)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2k_live *live;
	int ret = rs ? xt2_ruleset_load(rs, c->map.image, c->map.size) : -ENOMEM;

	if (!ret) {
		live = xt2k_table_make(c->t, rs, c->start, err);
		ret = PTR_ERR_OR_ZERO(live);
		if (!ret)
			c->live = live;
	}
	xt2_ruleset_free(rs);
	return ret;
}

static int prepare_edits(struct coming *c, struct xt2_err *err)
{
	int ret = xt2k_splice(c->t, &c->ops, c->map.image ? &c->map : NULL, err);

	c->ready = !ret;
	return ret;
}

static int prepare(struct coming *c, struct xt2_err *err)
{
	int ret = 0;

	if (c->got != c->map.size)
		return wrong(c, err, "a part of the image is missing");
	if (c->map.image)
		ret = check_image(c, err);
	if (!ret && c->map.image)
		ret = check_fits(c, err);
	if (!ret && c->edited)
		return prepare_edits(c, err);
	if (ret || !c->map.image)
		return ret;
	ret = number_rules(c, err);
	if (!ret)
		ret = find_slots(c);
	if (!ret)
		ret = check_keep(c, err);
	return ret ? ret : make(c, err);
}

/* --- the end ---------------------------------------------------------------------- */

static void go_on_counting(const struct coming *c, struct xt2k_live *old)
{
	u32 i;

	for (i = 0; c->was && i < c->rules; i++)
		if (c->start[i].from.bytes)
			xt2k_counters_add(&c->live->state->counters, c->start[i].slot,
					  xt2k_slots_read(&old->state->counters, c->start[i].from));
}

/* => has it changed? */
static bool publish(struct coming *c)
{
	struct xt2k_live *old;

	if (c->ready) {
		c->ready = false;
		return xt2k_edit_publish(c->t);
	}
	if (!c->live) {
		xt2k_table_remove(c->t);
		return true;
	}
	old = xt2k_table_publish(c->t, c->live);
	if (old)
		go_on_counting(c, old);
	xt2k_live_free(old);
	c->live = NULL;
	return true;
}

/* New rules stand before tables go.  => has anything changed? */
static bool publish_all(struct xt2k_transaction *x)
{
	struct coming *c;
	bool changed = false;

	list_for_each_entry(c, &x->tables, list)
		if (c->live || c->ready)
			changed |= publish(c);
	list_for_each_entry(c, &x->tables, list)
		if (!c->map.image && !c->edited)
			changed |= publish(c);
	return changed;
}

void xt2k_abort(struct net *net, u32 port)
{
	struct xt2k_net *xn = net_of(net);
	struct xt2k_transaction *x;
	struct coming *c, *next;

	spin_lock(&xn->owner);
	x = xn->transaction;
	if (x && port && x->port != port)
		x = NULL;
	if (x)
		xn->transaction = NULL;
	spin_unlock(&xn->owner);
	if (!x)
		return;
	list_for_each_entry_safe(c, next, &x->tables, list)
		drop(c);
	kfree(x);
}

int xt2k_commit(struct net *net, u32 port, struct xt2_err *err)
{
	struct xt2k_net *xn = net_of(net);
	struct xt2k_transaction *x = xt2k_transaction(net, port);
	struct coming *c;
	bool changed;
	int ret = 0;

	if (x->generation != xn->generation)
		ret = xt2_err_set(err, XT2_E_SYSTEM, ESTALE, "generation %llu has come meanwhile",
				  xn->generation);
	list_for_each_entry(c, &x->tables, list) {
		if (!ret)
			ret = prepare(c, err);
	}
	changed = !ret && publish_all(x);
	xt2k_abort(net, port);
	if (changed)
		xt2k_committed(net, port);
	return ret;
}

void xt2k_committed(struct net *net, u32 port)
{
	struct xt2k_net *xn = net_of(net);

	xn->generation++;
	xt2k_netlink_committed(net, xn->generation, port);
}
