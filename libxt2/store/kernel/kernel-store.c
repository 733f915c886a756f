/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-store.c - what the kernel module evaluates, as a kind of store
 *
 * The module has an image for each table, in its own form (kernel-form.c).  A store is one image:
 * read() puts the tables together, commit() takes them apart again, and sends those that have changed,
 * all in one transaction, which lock() began.
 *
 * Rules are followed through all of this by their counters: while a table is brought into another form,
 * each rule's counter is its number, and the real ones are put back in the end.  So a
 * commit can say of each rule which one of the kernel's it was, and that one goes on counting.
 */
#include "config.h"
#include "kernel-store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "engine/image.h"
#include "engine/index/patched.h"
#include "kernel-form.h"
#include "kernel-splice.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/pair.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/store/enter-netns.h"

#define PAUSE 20 /* ms between two tries to begin a transaction */

/* A table of the kernel, as it was read. */
struct known {
	struct xt2_kernel_head head;
	void *bytes; /* of the image, as they come */
	__u64 got;
	struct xt2_mapping map; /* checked; rules have their numbers for counters */
	struct xt2_counts *count; /* the real ones */
	__u32 rules;
	bool named; /* by the ruleset that is committed */
};

/* A rule of the image that read() made, and its number in its table. */
struct place {
	__u32 offset, number;
};

struct xt2_kernel {
	struct xt2_kernel_link link;
	__u64 generation;
	struct known *table;
	__u32 tables;
	bool images; /* are wanted of those that come */
	void *image; /* a copy of what read() made, and its rules by offset */
	struct place *place;
	__u32 places;
	int error; /* of a message that cannot be taken */
};

/* --- what the kernel has ----------------------------------------------------------- */

static void forget(struct xt2_kernel *k)
{
	__u32 i;

	for (i = 0; i < k->tables; i++) {
		free(k->table[i].bytes);
		free(k->table[i].count);
		xt2_image_close(&k->table[i].map);
	}
	free(k->table);
	free(k->image);
	free(k->place);
	k->table = NULL;
	k->image = NULL;
	k->place = NULL;
	k->tables = k->places = 0;
}

static int take_head(struct xt2_kernel *k, const struct nlmsghdr *h)
{
	const struct nlattr *name = xt2_kernel_attr(h, XT2_A_NAME);
	struct known *grown, *t;

	k->generation = xt2_kernel_number(h, XT2_A_GENERATION);
	if (!name) /* there are none */
		return 0;
	if (mnl_attr_validate(name, MNL_TYPE_NUL_STRING) < 0 ||
	    mnl_attr_get_payload_len(name) > XT2_NAME_SIZE)
		return -EPROTO;
	grown = realloc(k->table, (k->tables + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	k->table = grown;
	t = &grown[k->tables];
	*t = (struct known){ .head.family = (__u8)xt2_kernel_number(h, XT2_A_FAMILY),
			     .head.size = xt2_kernel_number(h, XT2_A_SIZE),
			     .head.faults = xt2_kernel_number(h, XT2_A_FAULTS),
			     .head.uncounted = xt2_kernel_number(h, XT2_A_UNCOUNTED) };
	strcpy(t->head.name, mnl_attr_get_str(name));
	if (k->images && t->head.size <= XT2_SIZE_MAX)
		t->bytes = malloc(t->head.size);
	if (k->images && !t->bytes)
		return -ENOMEM;
	k->tables++;
	return 0;
}

static int take_piece(const struct xt2_kernel *k, const struct nlmsghdr *h)
{
	const struct nlattr *data = xt2_kernel_attr(h, XT2_A_DATA);
	struct known *t = k->tables ? &k->table[k->tables - 1] : NULL;
	const __u32 n = data ? mnl_attr_get_payload_len(data) : 0;

	if (!t || !t->bytes || !data || xt2_kernel_number(h, XT2_A_OFFSET) != t->got ||
	    n > t->head.size - t->got)
		return -EPROTO;
	memcpy((__u8 *)t->bytes + t->got, mnl_attr_get_payload(data), n);
	t->got += n;
	return 0;
}

static int on_table(const struct nlmsghdr *h, void *data)
{
	const struct genlmsghdr *g = mnl_nlmsg_get_payload(h);
	struct xt2_kernel *k = data;

	if (!k->error && g->cmd == XT2_CMD_TABLE)
		k->error = take_head(k, h);
	else if (!k->error && g->cmd == XT2_CMD_PIECE)
		k->error = take_piece(k, h);
	return MNL_CB_OK;
}

static int dump(struct xt2_kernel *k, bool images, struct xt2_err *err)
{
	int ret;

	forget(k);
	k->images = images;
	k->error = 0;
	xt2_kernel_begin(&k->link, images ? XT2_CMD_DUMP : XT2_CMD_TABLES);
	ret = xt2_kernel_ask(&k->link, NLM_F_DUMP, on_table, k, err);
	if (!ret && k->error)
		ret = xt2_err_set(err, XT2_E_SYSTEM, -k->error, "the kernel's tables: %s",
				  strerror(-k->error));
	return ret;
}

/* --- rules by number ---------------------------------------------------------------- */

static __u32 count_rules(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	__u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, root)
		n += c->rules;
	return n;
}

/* Their numbers take the place of counters.  => these, to be freed; NULL: no memory */
static struct xt2_counts *number_rules(struct xt2_image *img, __u32 *rules)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_counts *count;
	struct xt2_chain *c;
	struct xt2_rule *r;
	__u32 i, n = 0;

	*rules = count_rules(img);
	count = malloc((*rules + 1ull) * sizeof(*count));
	if (!count)
		return NULL;
	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_fold(c);
		xt2_chain_for_each_rule(r, c) {
			count[n] = (struct xt2_counts){ r->packets, r->bytes };
			r->packets = n++;
			r->bytes = 0;
		}
	}
	return count;
}

static struct known *find_table(const struct xt2_kernel *k, __u8 family, const char *name)
{
	__u32 i;

	for (i = 0; i < k->tables; i++)
		if (k->table[i].head.family == family && !strcmp(k->table[i].head.name, name))
			return &k->table[i];
	return NULL;
}

static int by_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The rules of the image that was made get their counters back, and are remembered. */
static int place_rules(struct xt2_kernel *k, struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	struct xt2_chain *c;
	struct xt2_rule *r;
	__u32 i;

	k->place = malloc((count_rules(img) + 1ull) * sizeof(*k->place));
	if (!k->place)
		return -ENOMEM;
	xt2_image_for_each_chain(c, i, img, root) {
		const struct xt2_table *table = xt2_image_table(img, root, c->table);
		const struct known *t = find_table(k, table->family, table->name);

		xt2_chain_for_each_rule(r, c) {
			if (!t || r->packets >= t->rules)
				return -EPROTO;
			k->place[k->places++] =
				(struct place){ xt2_offset(img, r), (__u32)r->packets };
			r->bytes = t->count[r->packets].bytes;
			r->packets = t->count[r->packets].packets;
		}
	}
	qsort(k->place, k->places, sizeof(*k->place), by_offset);
	return 0;
}

/* => 1 + the number of a rule in its table, by where the image has it; 0: there is none */
static __u32 number_at(const struct xt2_kernel *k, __u32 offset)
{
	const struct place key = { .offset = offset };
	const struct place *p = NULL;

	if (offset && k->places)
		p = bsearch(&key, k->place, k->places, sizeof(*p), by_offset);
	return p ? p->number + 1 : 0;
}

/* --- reading ------------------------------------------------------------------------ */

static int take_table(struct xt2_ruleset *rs, struct known *t, struct xt2_err *err)
{
	int ret = t->got == t->head.size
			  ? xt2_image_copy(t->bytes, t->head.size, &t->map, err)
			  : xt2_err_set(err, XT2_E_SYSTEM, EPROTO,
					"the kernel's table %s is cut off", t->head.name);

	free(t->bytes);
	t->bytes = NULL;
	if (ret)
		return ret;
	t->count = number_rules(t->map.image, &t->rules);
	return t->count ? xt2_kernel_unform(rs, &t->map, err)
			: xt2_err_no_memory(err, " for a table");
}

static int put_together(struct xt2_kernel *k, bool whole, struct xt2_mapping *map,
			struct xt2_err *err)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int ret = rs ? 0 : xt2_err_no_memory(err, " for the ruleset");
	__u32 i;

	for (i = 0; i < k->tables && !ret; i++)
		ret = take_table(rs, &k->table[i], err);
	if (!ret)
		ret = xt2_ruleset_write_(rs, whole ? &xt2_index_limits : &xt2_kernel_plain, map,
					 err);
	xt2_ruleset_free(rs);
	return ret;
}

static int keep_copy(struct xt2_kernel *k, struct xt2_mapping *map, struct xt2_err *err)
{
	int ret = place_rules(k, map->image);

	k->image = ret ? NULL : malloc(map->size);
	if (k->image) {
		((struct xt2_root *)xt2_at(map->image, map->image->root))->generation =
			k->generation;
		memcpy(k->image, map->image, map->size);
		return 0;
	}
	xt2_image_close(map);
	return xt2_err_set(err, XT2_E_SYSTEM, ret ? -ret : ENOMEM, "the kernel's tables: %s",
			   strerror(ret ? -ret : ENOMEM));
}

static int read_store(const struct xt2_store *s, bool whole, struct xt2_mapping *map,
		      struct xt2_err *err)
{
	struct xt2_kernel *k = s->kernel;
	int ret = dump(k, true, err);

	memset(map, 0, sizeof(*map));
	if (!ret && !k->tables)
		ret = xt2_err_set(err, XT2_E_SYSTEM, ENOENT,
				  "the kernel module has no tables in this network namespace");
	if (!ret)
		ret = put_together(k, whole, map, err);
	return ret ? ret : keep_copy(k, map, err);
}

/* --- a commit ----------------------------------------------------------------------- */

/* What is committed, with numbers for counters. */
struct coming {
	struct xt2_kernel *k;
	struct xt2_mapping map;
	struct xt2_counts *count; /* by number: what rules start with */
	__u32 *was; /* by number: where the rule was in the image that was read; 0: nowhere */
	__u32 rules;
	bool whole; /* tables are not edited in their place */
	bool edited; /* one is */
	struct xt2_err *err;
};

static int no_memory(const struct coming *c)
{
	return xt2_err_no_memory(c->err, " for the ruleset");
}

/* A copy: as it is, where rules are known by their order; else without what edits have left. */
static int take_image(struct coming *c, const struct xt2_mapping *map, bool ordered)
{
	struct xt2_ruleset *rs;
	int ret;

	if (ordered)
		return xt2_image_copy(map->image, map->size, &c->map, c->err);
	rs = xt2_ruleset_new();
	ret = rs ? xt2_ruleset_load(rs, map->image, map->size) : -ENOMEM;

	ret = ret ? no_memory(c) : xt2_ruleset_write_(rs, &xt2_kernel_plain, &c->map, c->err);
	xt2_ruleset_free(rs);
	return ret;
}

/* Rules of tables that keep their counters go on; others of these, and of those that are reset, start at 0. */
static int start_rules(struct coming *c, const __u8 *start)
{
	const struct xt2_image *img = c->map.image;
	const struct xt2_root *root = xt2_image_root(img);
	bool want[XT2_TABLES_MAX] = { 0 };
	const struct xt2_chain *chain;
	__u32 i, n = 0, end;

	for (i = 0; i < root->tables; i++)
		want[i] = start[i] == XT2_LIVE_KEEP;
	if (c->k->image && xt2_image_pair(c->k->image, img, want, c->was))
		return no_memory(c);
	xt2_image_for_each_chain(chain, i, img, root)
		for (end = n + chain->rules; n < end; n++)
			if (start[chain->table] != XT2_LIVE_FILE)
				c->count[n] = (struct xt2_counts){ 0 };
	return 0;
}

static int prepare(struct coming *c, const struct xt2_mapping *map,
		   const struct xt2_store_counters *counters)
{
	int ret = take_image(c, map, counters && counters->was);

	if (ret)
		return ret;
	c->count = number_rules(c->map.image, &c->rules);
	c->was = calloc(c->rules + 1ull, sizeof(*c->was));
	if (!c->count || !c->was)
		return no_memory(c);
	if (counters && counters->was)
		memcpy(c->was, counters->was, c->rules * sizeof(*c->was));
	return counters && counters->start ? start_rules(c, counters->start) : 0;
}

static const char *name_of(const struct xt2_image *img, const struct xt2_chain *c)
{
	return xt2_image_chain_cold(img, xt2_image_root(img), c->index)->name;
}

/* Do both have the same chains, and all rules of the one that was there go on where they are? */
static bool is_same(const struct known *t, const struct xt2_image *img, const __u32 *keep,
		    __u32 rules)
{
	const struct xt2_chain *a, *b;
	__u32 i, n = 0;

	if (!t || t->rules != rules ||
	    xt2_image_root(t->map.image)->chains != xt2_image_root(img)->chains)
		return false;
	xt2_image_for_each_chain(a, i, img, xt2_image_root(img)) {
		b = xt2_image_chain(t->map.image, xt2_image_root(t->map.image), i);
		if (!b || a->rules != b->rules || a->hook != b->hook ||
		    strcmp(name_of(img, a), name_of(t->map.image, b)))
			return false;
	}
	while (n < rules && keep[n] == n + 1)
		n++;
	return n == rules;
}

/* @map: NULL: it goes */
static int send_table(const struct coming *c, __u8 family, const char *name,
		      const struct xt2_mapping *map, const __u32 *keep, __u32 rules)
{
	struct xt2_kernel_link *link = &c->k->link;
	int ret;

	xt2_kernel_begin(link, XT2_CMD_TABLE);
	mnl_attr_put_u8(link->message, XT2_A_FAMILY, family);
	mnl_attr_put_strz(link->message, XT2_A_NAME, name);
	if (map) {
		mnl_attr_put_u64(link->message, XT2_A_SIZE, map->size);
		mnl_attr_put_u32(link->message, XT2_A_RULES, rules);
	}
	ret = xt2_kernel_ask(link, 0, NULL, NULL, c->err);
	if (!ret && map)
		ret = xt2_kernel_send_(link, XT2_CMD_PIECE, map->image, map->size, c->err);
	if (!ret && map)
		ret = xt2_kernel_send_(link, XT2_CMD_KEEP, keep, rules * sizeof(*keep), c->err);
	return ret;
}

/* Counters come back, and which rule of the kernel's each one was.  => to be freed; NULL: no memory */
static __u32 *restore_rules(const struct coming *c, struct xt2_image *img, __u32 *rules)
{
	const __u32 n = count_rules(img);
	__u32 *keep = malloc((n + 1ull) * sizeof(*keep)), i;
	struct xt2_chain *chain;
	struct xt2_rule *r;

	*rules = 0;
	if (!keep)
		return NULL;
	xt2_image_for_each_chain(chain, i, img, xt2_image_root(img))
		xt2_chain_for_each_rule(r, chain) {
			const __u32 number = (__u32)r->packets;

			keep[(*rules)++] = number_at(c->k, c->was[number]);
			r->packets = c->count[number].packets;
			r->bytes = c->count[number].bytes;
		}
	return keep;
}

/* As edits, if that will do.  => 0, -errno */
static int send_difference(struct coming *c, const struct known *t, const struct xt2_ruleset *rs,
			   int table, const struct xt2_mapping *map, const __u32 *keep, __u32 rules)
{
	int ret = 0;

	if (t && !c->whole)
		ret = xt2_kernel_splice_(&c->k->link, &t->map, map, keep, c->err);
	c->edited |= ret != 0;
	return ret ? ret
		   : send_table(c, (__u8)xt2_table_family(rs, table), xt2_table_name(rs, table),
				map, keep, rules);
}

/* => 1: sent; 0: it is as it was; -errno */
static int send_changed(struct coming *c, const struct xt2_ruleset *rs, int table)
{
	const __u8 family = (__u8)xt2_table_family(rs, table);
	struct known *t = find_table(c->k, family, xt2_table_name(rs, table));
	struct xt2_mapping map;
	__u32 *keep, rules;
	bool unchanged = false;
	int ret = xt2_kernel_form(rs, table, &map, c->err);

	if (ret)
		return ret;
	if (t)
		t->named = true;
	keep = restore_rules(c, map.image, &rules);
	if (!keep)
		ret = no_memory(c);
	else if (!is_same(t, map.image, keep, rules))
		ret = send_difference(c, t, rs, table, &map, keep, rules);
	else
		unchanged = true;
	free(keep);
	xt2_image_close(&map);
	return ret < 0 ? ret : !unchanged;
}

static int on_committed(const struct nlmsghdr *h, void *generation)
{
	*(__u64 *)generation = xt2_kernel_number(h, XT2_A_GENERATION);
	return MNL_CB_OK;
}

/* => how many are sent, -errno */
static int send_all(struct coming *c)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int table, sent = 0, ret = rs ? xt2_ruleset_load(rs, c->map.image, c->map.size) : -ENOMEM;
	__u32 i;

	if (ret)
		no_memory(c);
	for (table = 0; ret >= 0 && table < xt2_ruleset_tables(rs); table++) {
		ret = send_changed(c, rs, table);
		sent += ret > 0;
	}
	xt2_ruleset_free(rs);
	for (i = 0; ret >= 0 && i < c->k->tables; i++) {
		const struct known *t = &c->k->table[i];

		if (t->named)
			continue;
		ret = send_table(c, t->head.family, t->head.name, NULL, NULL, 0);
		sent++;
	}
	return ret < 0 ? ret : sent;
}

static int commit_sent(struct xt2_store *s, struct xt2_err *err)
{
	int ret;

	xt2_kernel_begin(&s->kernel->link, XT2_CMD_COMMIT);
	ret = xt2_kernel_ask(&s->kernel->link, 0, on_committed, &s->generation, err);
	if (ret == -ESTALE)
		xt2_err_hint(err, "another program has changed the rules: try again");
	return ret;
}

/* Another transaction.  @generation: that has to be there still; NULL: any */
static int renew(struct xt2_kernel *k, const __u64 *generation, struct xt2_err *err)
{
	xt2_kernel_begin(&k->link, XT2_CMD_ABORT); /* if that has not happened */
	xt2_kernel_ask(&k->link, 0, NULL, NULL, err);
	*err = (struct xt2_err){ 0 };
	xt2_kernel_begin(&k->link, XT2_CMD_BEGIN);
	if (generation)
		mnl_attr_put_u64(k->link.message, XT2_A_GENERATION, *generation);
	return xt2_kernel_ask(&k->link, 0, NULL, NULL, err);
}

static int send_and_commit(struct xt2_store *s, struct coming *c)
{
	const int ret = send_all(c);

	if (!ret)
		s->generation = s->kernel->generation; /* nothing has changed */
	return ret > 0 ? commit_sent(s, c->err) : ret;
}

static int commit(struct xt2_store *s, const struct xt2_mapping *map,
		  const struct xt2_store_counters *counters, struct xt2_err *err)
{
	struct xt2_err own = { 0 };
	struct coming c = { .k = s->kernel, .err = err ? err : &own };
	int ret = prepare(&c, map, counters);

	if (!ret)
		ret = send_and_commit(s, &c);
	if (ret && c.edited && ret != -ESTALE) { /* edits have limits that whole tables have not */
		c.whole = true;
		ret = renew(s->kernel, &s->kernel->generation, c.err) ?: send_and_commit(s, &c);
	}
	xt2_image_close(&c.map);
	free(c.count);
	free(c.was);
	return ret;
}

/* What is refused is tried again in another way, in a transaction that is the next one. */
static int edit_unread(struct xt2_store *s, const struct xt2_store_edits *edits,
		       struct xt2_err *err)
{
	struct xt2_err again = { 0 };
	int ret = xt2_kernel_edits_(&s->kernel->link, edits, err);

	if (!ret)
		ret = commit_sent(s, err);
	if (ret)
		renew(s->kernel, NULL, &again);
	return ret;
}

/* --- a store ------------------------------------------------------------------------ */

/* iptables reads a table and replaces it, and so would undo a commit in between. */
static int lock_iptables(struct xt2_store *s, struct xt2_err *err)
{
	const char *path = getenv("XTABLES_LOCKFILE");

	if (!path)
		path = "/run/xtables.lock";
	if (s->lock < 0)
		s->lock = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return xt2_err_path(err, errno, path);
	if (!flock(s->lock, LOCK_EX | LOCK_NB))
		return 0;
	return xt2_err_set(err, XT2_E_SYSTEM, errno == EWOULDBLOCK ? EBUSY : errno,
			   "%s: another program is changing the rules", path);
}

static int begin(struct xt2_store *s, struct xt2_err *err)
{
	int ret = lock_iptables(s, err);

	if (ret)
		return ret;
	xt2_kernel_begin(&s->kernel->link, XT2_CMD_BEGIN);
	return xt2_kernel_ask(&s->kernel->link, 0, NULL, NULL, err);
}

static int begin_within(struct xt2_store *s, int wait, struct xt2_err *err)
{
	const struct timespec pause = { .tv_nsec = PAUSE * 1000000 };
	long left = wait * (1000L / PAUSE);
	int ret;

	for (;;) {
		ret = begin(s, err);
		if (ret != -EBUSY || !left)
			return ret == -EBUSY ? -EAGAIN : ret;
		nanosleep(&pause, NULL);
		left -= left > 0;
	}
}

static void unlock(struct xt2_store *s)
{
	if (s->lock >= 0)
		close(s->lock);
	forget(s->kernel);
	xt2_kernel_close(&s->kernel->link);
	free(s->kernel);
	s->kernel = NULL;
	free(s->owners); /* whom nobody asks for here */
	s->owners = NULL;
}

static int lock(struct xt2_store *s, enum xt2_store_access access, int wait, struct xt2_err *err)
{
	int ret = s->netns ? xt2_netns_enter_(s->netns, err) : 0;

	if (ret)
		return ret;
	s->lock = -1;
	s->kernel = calloc(1, sizeof(*s->kernel));
	if (!s->kernel)
		return xt2_err_no_memory(err, "");
	ret = xt2_kernel_open(&s->kernel->link, err);
	if (!ret && access != XT2_STORE_LOOK)
		ret = begin_within(s, wait, err);
	if (ret)
		unlock(s);
	return ret;
}

/* The kernel says what it cannot do when it is committed. */
static int refusals(const struct xt2_image *img, xt2_refused found, void *data)
{
	(void)img;
	(void)found;
	(void)data;
	return 0;
}

const struct xt2_store_ops xt2_store_kernel_ = {
	.lock = lock,
	.unlock = unlock,
	.read = read_store,
	.commit = commit,
	.refusals = refusals,
	.edit_unread = edit_unread,
};

int xt2_kernel_tables(const struct xt2_store *s, __u64 *generation, xt2_kernel_seen seen,
		      void *data, struct xt2_err *err)
{
	int ret = dump(s->kernel, false, err);
	__u32 i;

	*generation = s->kernel->generation;
	for (i = 0; i < s->kernel->tables && !ret; i++)
		seen(data, &s->kernel->table[i].head);
	return ret;
}

int xt2_kernel_detach(struct xt2_store *s, struct xt2_err *err)
{
	const struct coming c = { .k = s->kernel, .err = err };
	int ret = dump(s->kernel, false, err);
	__u32 i;

	if (!ret && !s->kernel->tables)
		ret = xt2_err_set(err, XT2_E_SYSTEM, ENOENT,
				  "the kernel module has no tables in this network namespace");
	for (i = 0; i < s->kernel->tables && !ret; i++)
		ret = send_table(&c, s->kernel->table[i].head.family, s->kernel->table[i].head.name,
				 NULL, NULL, 0);
	return ret ? ret : commit_sent(s, err);
}
