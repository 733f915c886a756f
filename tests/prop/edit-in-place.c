/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit-in-place - a ruleset that is edited in its image, and an ordinary one
 *
 * Random transactions are done to both.  Each call has the same answer, and after a commit the
 * image passes the check and has what the ordinary ruleset says: chains and their order,
 * references, policies, rules, counters, lines, cells; the generation before is as it was.  A
 * transaction may be given up, or fail: for want of memory or of room in the image, at each
 * place where it can.  Then all is as before, and it is done again.  At last, small changes
 * that go on for long must not need more and more room.
 *
 *	edit-in-place [--seed N] [--rounds N] [--commits N]
 *
 * Without arguments a short run of seeds that are always the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "engine/check.h"
#include "engine/index/patched.h"
#include "engine/index/search.h"
#include "engine/walk.h"
#include "tests/lib/edit-script.h"
#include "tests/lib/fail-alloc.h"

#define CAPACITY (1ull << 30)
#define STAGES	 24
#define FAILURES 400 /* of a transaction, at most */

static struct xt2_image *img;
static struct xt2_ruleset *place, *dumb; /* in the image; the other */
static struct xt2_mapping base; /* what dumb was loaded from: both before the transaction */
static struct script script;
static u64 settled; /* size of the image between transactions; reading may need room as well */
static u64 seed, edits, commits, aborts, failures, loops, anew;

static void die(const char *what)
{
	fprintf(stderr, "edit-in-place: seed %llu: %s\n", (unsigned long long)seed, what);
	exit(2);
}

static int differ(const char *what)
{
	printf("seed %llu, transaction %llu: %s\n"
	       "  again: tests/prop/edit-in-place --seed %llu --rounds %d%s\n",
	       (unsigned long long)seed, (unsigned long long)(commits + aborts), what,
	       (unsigned long long)seed, !script.calm, script.calm ? "" : " --commits 0");
	return 1;
}

/* --- comparing ------------------------------------------------------------- */

static u64 cell_of(const struct xt2_ruleset *rs, u32 i)
{
	const struct xt2_inplace_ *in = rs->inplace;

	return in && i < in->cells ? *xt2_image_cell(in->img, in->root, i) : rs->cell[i];
}

static bool same_instance(const struct xt2_ruleset *a, u32 i, const struct xt2_ruleset *b, u32 j)
{
	const struct xt2_instance *one = xt2_instance_get(a, i), *other = xt2_instance_get(b, j);

	return one && other && one->kind && xt2_instance_says_(one, other, other + 1);
}

static bool same_match(const struct xt2_ruleset *a, const struct xt2_match *m,
		       const struct xt2_ruleset *b, const struct xt2_match *n)
{
	const u32 info = xt2_match_info(m->type);

	if (m->type != n->type || m->flags != n->flags || m->size != n->size ||
	    memcmp(m + 1, n + 1, m->size - sizeof(*m)))
		return false;
	if (info & XT2_EXT_CELL)
		return cell_of(a, m->arg) == cell_of(b, n->arg);
	if (info & XT2_EXT_INSTANCE)
		return same_instance(a, m->arg, b, n->arg);
	return m->arg == n->arg;
}

static bool same_rule(const struct xt2_ruleset *a, const struct xt2_rule *r,
		      const struct xt2_ruleset *b, const struct xt2_rule *q)
{
	const u32 to = xt2_rule_jumps(r), kind = XT2_TARGET_KIND(r->target);
	const struct xt2_match *m;

	if (!r || !q || r->size != q->size || r->target_offset != q->target_offset ||
	    r->packets != q->packets || r->bytes != q->bytes ||
	    kind != XT2_TARGET_KIND(q->target) ||
	    memcmp(xt2_rule_target_data(r), xt2_rule_target_data(q), xt2_rule_target_size(r)))
		return false;
	xt2_rule_for_each_match(m, r)
		if (!same_match(a, m, b, xt2_at(q, xt2_offset(r, m))))
			return false;
	if (to != XT2_NONE)
		return !strcmp(xt2_chain_name(a, (int)to),
			       xt2_chain_name(b, (int)xt2_rule_jumps(q)));
	if (xt2_target_info((u8)kind) & XT2_EXT_INSTANCE)
		return same_instance(a, XT2_TARGET_ARG(r->target), b, XT2_TARGET_ARG(q->target));
	return r->target == q->target;
}

static const char *compare_chain(const struct xt2_ruleset *a, int c, const struct xt2_ruleset *b,
				 int d)
{
	__u64 n[2] = { 0 }, m[2] = { 0 };
	u32 i;

	if (strcmp(xt2_chain_name(a, c), xt2_chain_name(b, d)) ||
	    xt2_chain_hook(a, c) != xt2_chain_hook(b, d))
		return "another chain";
	if (xt2_chain_policy(a, c) != xt2_chain_policy(b, d))
		return "another policy";
	xt2_chain_counters(a, c, &n[0], &n[1]);
	xt2_chain_counters(b, d, &m[0], &m[1]);
	if (memcmp(n, m, sizeof(n)))
		return "other counters of a policy";
	if (xt2_chain_references(a, c) != xt2_chain_references(b, d))
		return "other references";
	if (xt2_chain_rules(a, c) != xt2_chain_rules(b, d))
		return "another number of rules";
	for (i = 0; i < xt2_chain_rules(a, c); i++) {
		if (!same_rule(a, xt2_rule_get(a, c, i), b, xt2_rule_get(b, d, i)))
			return "another rule";
		if (xt2_rule_line(a, c, i) != xt2_rule_line(b, d, i))
			return "another line";
	}
	return NULL;
}

static const char *compare_table(const struct xt2_ruleset *a, const struct xt2_ruleset *b, int t)
{
	const char *s = xt2_table_source(a, t), *u = xt2_table_source(b, t), *what;
	int c = -1, d = -1;

	if (xt2_table_family(a, t) != xt2_table_family(b, t) ||
	    strcmp(xt2_table_name(a, t), xt2_table_name(b, t)))
		return "another table";
	if (!s != !u || (s && strcmp(s, u)))
		return "another source";
	for (;;) {
		c = xt2_chain_next(a, t, c);
		d = xt2_chain_next(b, t, d);
		if (c < 0 || d < 0)
			return c < 0 && d < 0 ? NULL : "another number of chains";
		what = compare_chain(a, c, b, d);
		if (what)
			return what;
	}
}

/* => what is different, or NULL */
static const char *compare(const struct xt2_ruleset *a, const struct xt2_ruleset *b)
{
	const char *what = NULL;
	int t;

	if (xt2_ruleset_tables(a) != xt2_ruleset_tables(b))
		return "another number of tables";
	for (t = 0; t < xt2_ruleset_tables(a) && !what; t++)
		what = compare_table(a, b, t);
	if (!what && script_digest(a) != script_digest(b))
		return "another digest";
	return what;
}

/* --- images ---------------------------------------------------------------- */

static struct xt2_ruleset *load(const struct xt2_mapping *map)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();

	if (!rs || xt2_ruleset_load(rs, map->image, map->size))
		die("no memory");
	return rs;
}

/* Whoever owns the image writes it anew then. */
static bool is_garbage(u32 root)
{
	const struct xt2_root *r = xt2_at(img, root);
	const struct xt2_edits *e = xt2_at(img, r->edits);

	return r->edits && e->garbage > (32u << 10) + (img->size - e->garbage);
}

/* The image, checked, with a root says what a ruleset does. */
static int check_image(u32 root, const struct xt2_ruleset *as)
{
	struct xt2_mapping map;
	struct xt2_ruleset *rs;
	struct xt2_err err;
	const u64 now = img->root;
	const char *what;
	int ret;

	img->root = root;
	ret = xt2_image_copy(img, img->size, &map, &err);
	img->root = now;
	if (ret && is_garbage(root) && strstr(err.message, "mostly empty"))
		return 0;
	if (ret)
		return differ(err.message);
	rs = load(&map);
	what = compare(rs, as);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return what ? differ(what) : 0;
}

/* Through its functions, as it is read then. */
static int check_place(const struct xt2_ruleset *as)
{
	struct xt2_mapping map;
	struct xt2_ruleset *rs;
	const char *what = compare(place, as);

	if (what)
		return differ(what);
	if (world_often(&script.w, 50))
		return 0;
	rs = xt2_ruleset_clone(place);
	what = rs ? compare(rs, as) : "no clone";
	xt2_ruleset_free(rs);
	if (what)
		return differ(what);
	if (xt2_ruleset_write(place, &map, NULL))
		return differ("it cannot be written");
	rs = load(&map);
	what = compare(rs, as);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	return what ? differ(what) : 0;
}

/* --- what evaluation does ---------------------------------------------------- */

/* A chain of the image, and of the ordinary ruleset. */
static const struct xt2_chain *same_chain(int *chain)
{
	const struct xt2_root *root = xt2_image_root(img);
	const u32 n = world_below(&script.w, root->chains);
	const struct xt2_chain *c = xt2_image_chain(img, root, n);

	if (c)
		*chain = xt2_chain_find(dumb, c->table, xt2_image_chain_cold(img, root, n)->name);
	return c;
}

/* Rules, groups of them, and the chain's end count. */
static void count(void)
{
	const struct xt2_chain *c, *compiled;
	const struct xt2_index *ix;
	const struct xt2_rule *r;
	struct xt2_in_order o;
	struct xt2_counts n;
	struct xt2_run *run;
	int chain;
	u32 i = 0;

	c = same_chain(&chain);
	if (!c)
		return;
	compiled = xt2_chain_compiled(img, c);
	ix = xt2_chain_index(compiled);
	if (ix && ix->runs) {
		run = (struct xt2_run *)xt2_at(ix, ix->run) + world_below(&script.w, ix->runs);
		run->packets += 7;
		run->bytes += 700;
	}
	xt2_chain_for_each(r, &o, img, c) {
		if (world_often(&script.w, 10))
			((struct xt2_rule *)r)->packets += 3;
		n = xt2_rule_counts(compiled, r);
		if (r == xt2_chain_tail(c))
			xt2_chain_set_counters(dumb, chain, r->packets, r->bytes);
		else if (xt2_rule_set_counters(dumb, chain, i++, n.packets, n.bytes))
			die("no memory");
	}
}

/* Matches remember. */
static void remember(void)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *r, *q;
	const struct xt2_match *m;
	struct xt2_in_order o;
	int chain;
	u32 i = 0;

	c = same_chain(&chain);
	if (!c)
		return;
	xt2_chain_for_each(r, &o, img, c) {
		q = xt2_rule_get(dumb, chain, i++);
		xt2_rule_for_each_match(m, r) {
			const u64 value = world_below(&script.w, 1000);

			if (!(xt2_match_info(m->type) & XT2_EXT_CELL))
				continue;
			*(u64 *)xt2_image_cell(img, root, m->arg) = value;
			dumb->cell[((const struct xt2_match *)xt2_at(q, xt2_offset(r, m)))->arg] =
				value;
		}
	}
}

static void evaluate(void)
{
	if (world_often(&script.w, 50))
		count();
	if (world_often(&script.w, 50))
		remember();
	if (xt2_inplace_abort(place))
		die("no memory");
}

/* --- transactions ------------------------------------------------------------ */

/* Draw edits, and do them to the ordinary ruleset. */
static void draw(void)
{
	static const u32 most[] = { 2, 6, 20, SCRIPT_MOST };
	u32 n = 1 + world_below(&script.w, most[world_below(&script.w, XT2_ARRAY_SIZE(most))]);

	script.n = 0;
	while (n--)
		script_step(&script, dumb);
}

/* The same to the other.  => 0; 1: different; -errno: it failed */
static int replay(void)
{
	static char what[96];
	s64 answer;
	u32 i;

	for (i = 0; i < script.n; i++) {
		answer = script_do(place, &script.edit[i]);
		if (xt2_inplace_error(place))
			return xt2_inplace_error(place);
		if (answer == script.edit[i].answer)
			continue;
		if (fail_alloc_happened())
			return -ENOMEM;
		snprintf(what, sizeof(what), "edit %u of %u, kind %d: %lld, should be %lld", i,
			 script.n, script.edit[i].kind, (long long)answer,
			 (long long)script.edit[i].answer);
		return differ(what);
	}
	return 0;
}

/* => 0; 1: different; -errno: it failed */
static int replay_and_commit(u32 *root)
{
	int ret = replay();

	return ret ? ret : xt2_inplace_commit(place, NULL, root, NULL);
}

/* What both were before. */
static int go_back(void)
{
	fail_alloc(0);
	if (xt2_inplace_abort(place))
		return differ("no abort");
	aborts++;
	if (img->size != settled)
		return differ("another size after a failure");
	if (xt2_inplace_error(place))
		return differ("an error after an abort");
	return 0;
}

static int check_before(const struct xt2_ruleset *before)
{
	if (check_image((u32)img->root, before))
		return 1;
	if (world_often(&script.w, 30)) {
		if (check_place(before))
			return 1;
		if (world_often(&script.w, 50) && xt2_inplace_abort(place))
			return differ("no abort");
	}
	return 0;
}

/* For want of memory, at the n-th place. */
static int fail_memory(const struct xt2_ruleset *before)
{
	u32 n, root, step = 1 + world_below(&script.w, 9);
	int ret;

	for (n = 1; n < FAILURES * step; n += step) {
		fail_alloc(n);
		ret = replay_and_commit(&root);
		if (ret > 0)
			return 1;
		failures += !!ret;
		if (ret && !fail_alloc_happened() && ret != -ELOOP)
			return differ("an error, but memory was there");
		ret = fail_alloc_happened();
		if (go_back())
			return 1;
		if (!ret)
			break;
	}
	return check_before(before);
}

/* For want of room. */
static int fail_room(const struct xt2_ruleset *before)
{
	struct xt2_space *space = &place->inplace->space;
	const u64 size = img->size, capacity = space->capacity;
	u64 room = 0, step = 8u << world_below(&script.w, 10);
	u32 n, root;
	int ret = -ENOSPC;

	for (n = 0; n < FAILURES && ret; n++, room += step) {
		space->capacity = size + room;
		ret = replay_and_commit(&root);
		space->capacity = capacity;
		if (ret > 0)
			return 1;
		failures += !!ret;
		if (ret == -ELOOP)
			ret = 0;
		else if (ret && ret != -ENOSPC)
			return differ("another error for want of room");
		if (go_back())
			return 1;
	}
	return check_before(before);
}

/* The ordinary ruleset as it is written, or as it was. */
static void renew_dumb(struct xt2_mapping *map)
{
	xt2_ruleset_free(dumb);
	if (map) {
		xt2_image_close(&base);
		base = *map;
	}
	dumb = load(&base);
}

static int commit(int dumb_says, struct xt2_mapping *map, const struct xt2_ruleset *before)
{
	const u32 old = (u32)img->root;
	u32 root;
	int ret = replay_and_commit(&root);

	if (ret > 0)
		return ret;
	if (ret != dumb_says) {
		printf("commit: %d, should be %d\n", ret, dumb_says);
		return differ("another answer of a commit");
	}
	if (ret) {
		loops++;
		return go_back() || check_before(before);
	}
	if (root)
		img->root = root;
	if (xt2_inplace_done(place))
		return differ("not done");
	settled = img->size;
	commits++;
	edits += script.n;
	if (check_image((u32)img->root, dumb) || check_image(old, before))
		return 1;
	if (world_often(&script.w, 20) && check_place(dumb))
		return 1;
	renew_dumb(map);
	return 0;
}

/* Mostly garbage: begin anew with what the ordinary ruleset is written as. */
static void write_anew(void)
{
	xt2_ruleset_free(place);
	place = xt2_ruleset_new();
	memset(img, 0xa5, img->size); /* what was not written must not matter */
	memcpy(img, base.image, base.size);
	if (!place || xt2_inplace_begin(place, img, CAPACITY, world_often(&script.w, 50)))
		die("no memory");
	settled = img->size;
	anew++;
}

static int transaction(void)
{
	struct xt2_ruleset *before = xt2_ruleset_clone(dumb);
	struct xt2_mapping map = { 0 };
	const u32 way = world_below(&script.w, 10);
	int says, ret = 0;

	if (!before)
		die("no memory");
	draw();
	if (way == 0)
		ret = fail_memory(before);
	else if (way == 1)
		ret = fail_room(before);
	else if (way == 2)
		ret = replay() > 0 || go_back() || check_before(before);
	if (!ret) {
		says = xt2_ruleset_write(dumb, &map, NULL);
		if (says && says != -ELOOP)
			die("the ordinary ruleset cannot be written");
		ret = commit(says, &map, before);
		if (says && !ret) {
			xt2_ruleset_free(dumb);
			dumb = before;
			before = NULL;
		}
	}
	xt2_ruleset_free(before);
	if (!ret && world_often(&script.w, 50))
		xt2_space_reclaim(&place->inplace->space, xt2_image_root(img)->generation);
	return ret;
}

/* --- together ---------------------------------------------------------------- */

static void fill_table(u32 i)
{
	const struct script_table *t = &script_table[i];
	const int table = xt2_table_add(dumb, t->family, t->name, i % 2 ? "some.rules" : NULL);
	struct world *w = &script.w;
	u32 c, n;

	if (table < 0)
		die("no memory");
	if (t->family == XT2_ARP)
		dumb->table[table].as_came = true;
	script.table = i;
	for (n = world_below(w, SCRIPT_NAMES); n; n--) {
		c = world_below(w, SCRIPT_NAMES);
		xt2_chain_add(dumb, table, script_name(c));
	}
	for (c = 0; c < SCRIPT_NAMES + XT2_HOOKS_MAX; c++) {
		script.chain = (int)c - XT2_HOOKS_MAX;
		if (script_chain_of(dumb, table, script.chain) < 0)
			continue;
		n = world_below(w, 4) ? world_below(w, 20) : world_below(w, 200);
		script.w.style = (enum world_style)world_below(w, WORLD_STYLES);
		script_fill(&script, dumb, world_often(w, 4) ? world_below(w, 3000) : n);
	}
}

static int open_all(void)
{
	struct world *w = &script.w;
	u32 i;

	script.n = script.place = 0;
	*w = (struct world){ .state = seed * 2 + 1 };
	seed_next(&w->state);
	w->spread = 1u << (1 + world_below(w, 8));
	w->stateful = world_below(w, 2) * world_below(w, 20);
	script.calm = false;
	dumb = xt2_ruleset_new();
	place = xt2_ruleset_new();
	if (!dumb || !place)
		die("no memory");
	fill_table(world_below(w, SCRIPT_TABLES));
	for (i = 0; i < SCRIPT_TABLES; i++)
		if (world_often(w, 30) &&
		    xt2_table_find(dumb, script_table[i].family, script_table[i].name) < 0)
			fill_table(i);
	if (xt2_ruleset_write(dumb, &base, NULL))
		return 1;
	xt2_ruleset_free(dumb);
	dumb = load(&base);
	img = mmap(NULL, CAPACITY, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (img == MAP_FAILED)
		die("no memory");
	memcpy(img, base.image, base.size);
	if (xt2_inplace_begin(place, img, CAPACITY, world_often(w, 50)))
		die("no memory");
	settled = img->size;
	return 0;
}

static void close_all(void)
{
	xt2_ruleset_free(place);
	xt2_ruleset_free(dumb);
	xt2_image_close(&base);
	if (img)
		munmap(img, CAPACITY);
	img = NULL;
}

static int one_round(void)
{
	int i, differences = open_all();

	if (differences) { /* it looped from the beginning */
		xt2_ruleset_free(place);
		xt2_ruleset_free(dumb);
		return 0;
	}
	for (i = 0; i < STAGES && !differences; i++) {
		differences = transaction();
		if (!differences && is_garbage((u32)img->root))
			write_anew();
		if (!differences)
			evaluate();
	}
	close_all();
	return differences;
}

static int small_change(void)
{
	u32 root, k;
	int ret;

	script.n = 0;
	for (k = 0; k < 3; k++)
		script_step(&script, dumb);
	ret = replay_and_commit(&root);
	if (ret)
		return ret > 0 || differ(strerror(-ret));
	if (root)
		img->root = root;
	edits += script.n;
	commits++;
	if (xt2_inplace_done(place))
		return differ("not done");
	settled = img->size;
	xt2_space_reclaim(&place->inplace->space, xt2_image_root(img)->generation);
	return 0;
}

/* => bytes that the image names beyond those that a written one has */
static s64 overhead(void)
{
	const struct xt2_edits *e = xt2_at(img, xt2_image_root(img)->edits);

	return (s64)(img->size - e->garbage - base.size);
}

/* Both are alike, and the ordinary ruleset is loaded anew. */
static int check_both(void)
{
	struct xt2_mapping map;

	if (check_image((u32)img->root, dumb) || check_place(dumb))
		return 1;
	if (xt2_ruleset_write(dumb, &map, NULL))
		return differ("the ordinary ruleset cannot be written");
	renew_dumb(&map);
	return 0;
}

/* Rules and counters change, and all that is given up is free again. */
static int steady(u64 n)
{
	u64 i, size = 0, written = 1;
	s64 early = 0;

	if (open_all())
		return differ("no image to begin with");
	script.calm = true;
	script.w.stateful = 0;
	for (i = 1; i <= n; i++) {
		if (small_change() || ((i == n / 2 || i % 100 == 0) && check_both()))
			return 1;
		if (i == n / 2) {
			early = overhead();
			size = img->size;
			written = base.size;
		}
	}
	if (check_both())
		return 1;
	printf("%llu commits: %lld bytes more than are written, then %lld; %llu free\n",
	       (unsigned long long)n, (long long)early, (long long)overhead(),
	       (unsigned long long)place->inplace->space.spare);
	if (overhead() > early + (s64)base.size / 4 + (16 << 10))
		return differ("what the image names grows");
	if (base.size > written) /* the ruleset has grown, and room that is free with it */
		size = size * base.size / written;
	if (img->size > size + size / 4 + (64u << 10))
		return differ("the image grows");
	close_all();
	return 0;
}

int main(int argc, char **argv)
{
	const bool brief = getenv("XT2_SHORT");
	u64 rounds = brief ? 6 : 35, first = 1, long_run = brief ? 1000 : 10000;
	int i, differences = 0;

	for (i = 1; i + 1 < argc; i += 2) {
		u64 v = strtoull(argv[i + 1], NULL, 0);

		if (!strcmp(argv[i], "--seed"))
			first = v;
		else if (!strcmp(argv[i], "--rounds"))
			rounds = v;
		else if (!strcmp(argv[i], "--commits"))
			long_run = v;
		else
			break;
	}
	if (i < argc)
		die("usage: edit-in-place [--seed N] [--rounds N] [--commits N]");
	for (seed = first; seed - first < rounds && differences < 3; seed++)
		differences += one_round();
	if (long_run && !differences)
		differences += steady(long_run);
	printf("%llu rounds, %llu commits of %llu edits, %llu failures, %llu loops, %d differ\n",
	       (unsigned long long)(seed - first), (unsigned long long)commits,
	       (unsigned long long)edits, (unsigned long long)failures, (unsigned long long)loops,
	       differences);
	return differences;
}
