/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ruleset-random.c - random changes to a ruleset against a dumb oracle
 *
 * The oracle keeps names where the ruleset keeps numbers, and counts and sorts
 * anew whenever it is asked.  Every so often the ruleset is packed, loaded
 * from the image and used on; cloned and swapped; and made to run out of
 * memory at each allocation in turn, after which it must be what it was.
 *
 * XT2_SEED=N runs a printed seed again, XT2_OPERATIONS=N sets how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <errno.h>
#include "tests/lib/unit-program.h"
#include <xt2/xt2.h>
#include "engine/image.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"

#define TABLES 3
#define CHAINS 20 /* of a table */
#define RULES  24 /* of a chain */
#define NAMES  40

struct o_rule {
	u32 source; /* 0: not tested */
	int comment; /* -1: none */
	u64 quota; /* 0: none */
	u8 kind;
	char to[XT2_NAME_SIZE]; /* of JUMP and GOTO */
	u64 packets, bytes;
	u32 line;
};

struct o_chain {
	char name[XT2_NAME_SIZE]; /* empty: not in use */
	int hook;
	int policy;
	u64 packets, bytes;
	int n;
	struct o_rule rules[RULES];
};

struct o_table {
	int family;
	const char *name;
	struct o_chain chains[CHAINS];
};

struct oracle {
	struct o_table tables[TABLES];
};

enum op_kind {
	ADD,
	DELETE,
	RENAME,
	FLUSH,
	POLICY,
	CHAIN_COUNTERS,
	INSERT,
	APPEND,
	REPLACE,
	REMOVE,
	RULE_COUNTERS,
	FIND,
	RESET,
	OPS,
};

struct op {
	enum op_kind kind;
	int table, chain; /* of the oracle */
	unsigned int at;
	int policy;
	char name[XT2_NAME_SIZE];
	struct o_rule rule;
};

static u64 state;
static struct oracle oracle;
static struct xt2_ruleset *rs;
static struct xt2_mapping map; /* what rs was loaded from */

static u32 rnd(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)(state >> 20) % n;
}

/* --- the oracle -------------------------------------------------------- */

static struct o_chain *o_find(struct o_table *t, const char *name)
{
	int i;

	for (i = 0; i < CHAINS; i++) {
		if (*t->chains[i].name && !strcmp(t->chains[i].name, name))
			return &t->chains[i];
	}
	return NULL;
}

static int o_references(const struct o_table *t, const char *name)
{
	int i, j, n = 0;

	for (i = 0; i < CHAINS; i++) {
		const struct o_chain *c = &t->chains[i];

		for (j = 0; *c->name && j < c->n; j++)
			n += !strcmp(c->rules[j].to, name);
	}
	return n;
}

static bool o_before(const struct o_chain *a, const struct o_chain *b)
{
	if (a->hook >= 0 || b->hook >= 0)
		return a->hook >= 0 && (b->hook < 0 || a->hook < b->hook);
	return strcmp(a->name, b->name) < 0;
}

/* => the chain that comes after this one (NULL: the first), or NULL */
static const struct o_chain *o_next(const struct o_table *t, const struct o_chain *previous)
{
	const struct o_chain *best = NULL;
	int i;

	for (i = 0; i < CHAINS; i++) {
		const struct o_chain *c = &t->chains[i];

		if (*c->name && (!previous || o_before(previous, c)) &&
		    (!best || o_before(c, best)))
			best = c;
	}
	return best;
}

static bool o_equal(const struct o_rule *a, const struct o_rule *b)
{
	return a->source == b->source && a->comment == b->comment && a->quota == b->quota &&
	       a->kind == b->kind && !strcmp(a->to, b->to);
}

/* Is there a way from this chain back into one of the chains on the way? */
static bool o_loops(struct o_table *t, struct o_chain *c, int depth)
{
	int i;

	if (depth > CHAINS)
		return true;
	for (i = 0; i < c->n; i++) {
		const struct o_rule *r = &c->rules[i];

		if (*r->to && o_loops(t, o_find(t, r->to), depth + 1))
			return true;
		if (!*r->to && !r->source && r->comment < 0 && !r->quota &&
		    r->kind != XT2_T_CONTINUE)
			return false;
	}
	return false;
}

static bool o_any_loop(void)
{
	int i, j;

	for (i = 0; i < TABLES; i++) {
		for (j = 0; j < CHAINS; j++) {
			struct o_chain *c = &oracle.tables[i].chains[j];

			if (*c->name && c->hook >= 0 && o_loops(&oracle.tables[i], c, 0))
				return true;
		}
	}
	return false;
}

static void o_table_init(struct o_table *t)
{
	unsigned int hooks = xt2_table_hooks(t->family, t->name);
	int hook, n = 0;

	memset(t->chains, 0, sizeof(t->chains));
	for (hook = 0; hook < XT2_HOOKS_MAX; hook++) {
		struct o_chain *c = &t->chains[n];

		if (!(hooks & 1u << hook))
			continue;
		strcpy(c->name, xt2_hook_name(t->family, hook));
		c->hook = hook;
		c->policy = XT2_T_ACCEPT;
		n++;
	}
}

static void o_rename(struct o_table *t, struct o_chain *c, const char *name)
{
	int i, j;

	for (i = 0; i < CHAINS; i++) {
		for (j = 0; j < t->chains[i].n; j++) {
			if (!strcmp(t->chains[i].rules[j].to, c->name))
				strcpy(t->chains[i].rules[j].to, name);
		}
	}
	strcpy(c->name, name);
}

static void o_insert(struct o_chain *c, unsigned int at, const struct o_rule *r)
{
	memmove(&c->rules[at + 1], &c->rules[at], ((size_t)c->n - at) * sizeof(*r));
	c->rules[at] = *r;
	c->n++;
}

static int o_free(const struct o_table *t)
{
	int i;

	for (i = 0; i < CHAINS && *t->chains[i].name; i++)
		;
	return i;
}

/* What the ruleset must answer; the oracle stays as it is. */
static int expected(struct o_table *t, struct o_chain *c, const struct op *op)
{
	int i;

	switch (op->kind) {
	case ADD: return o_find(t, op->name) ? -EEXIST : 0;
	case RENAME: return c->hook >= 0 ? -EINVAL : o_find(t, op->name) ? -EEXIST : 0;
	case DELETE:
		return c->hook >= 0		  ? -EINVAL
		       : o_references(t, c->name) ? -EBUSY
		       : c->n			  ? -ENOTEMPTY
						  : 0;
	case POLICY: return c->hook < 0 || op->policy == XT2_T_RETURN ? -EINVAL : 0;
	case CHAIN_COUNTERS: return c->hook < 0 ? -EINVAL : 0;
	case INSERT: return (int)op->at > c->n ? -ENOENT : 0;
	case REPLACE:
	case REMOVE:
	case RULE_COUNTERS: return (int)op->at >= c->n ? -ENOENT : 0;
	case FIND:
		for (i = 0; i < c->n; i++) {
			if (o_equal(&c->rules[i], &op->rule))
				return i;
		}
		return -ENOENT;
	default: return 0;
	}
}

static void o_apply(struct o_table *t, struct o_chain *c, const struct op *op)
{
	switch (op->kind) {
	case ADD:
		c = &t->chains[o_free(t)];
		*c = (struct o_chain){ .hook = -1 };
		strcpy(c->name, op->name);
		break;
	case DELETE: *c = (struct o_chain){ .hook = -1 }; break;
	case RENAME: o_rename(t, c, op->name); break;
	case FLUSH: c->n = 0; break;
	case POLICY: c->policy = op->policy; break;
	case CHAIN_COUNTERS:
		c->packets = op->rule.packets;
		c->bytes = op->rule.bytes;
		break;
	case INSERT: o_insert(c, op->at, &op->rule); break;
	case APPEND: o_insert(c, (unsigned int)c->n, &op->rule); break;
	case REPLACE: c->rules[op->at] = op->rule; break;
	case REMOVE:
		c->n--;
		memmove(&c->rules[op->at], &c->rules[op->at + 1],
			((size_t)c->n - op->at) * sizeof(op->rule));
		break;
	case RULE_COUNTERS:
		c->rules[op->at].packets = op->rule.packets;
		c->rules[op->at].bytes = op->rule.bytes;
		break;
	case RESET: o_table_init(t); break;
	case FIND:
	case OPS: break;
	}
}

/* --- the ruleset ------------------------------------------------------- */

static int comment_text(int i, char *text)
{
	return sprintf(text, "comment %0*d", i % 20 + 1, i);
}

/* => the packed rule, or NULL: no memory for what it names */
static struct xt2_rule *pack(struct rule_build *b, int table, const struct o_rule *o)
{
	char text[64];
	struct xt2_rule *r;
	u32 arg = 0;
	int n;

	rule_begin(b);
	if (o->source)
		rule_source(b, o->source, 32);
	if (o->comment >= 0) {
		n = xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", text,
				     (size_t)comment_text(o->comment, text));
		if (n < 0)
			return NULL;
		rule_comment(b, n);
	}
	if (o->quota) {
		n = xt2_cell_add(rs);
		if (n < 0)
			return NULL;
		rule_quota(b, n, o->quota);
	}
	if (*o->to)
		arg = (u32)xt2_chain_find(rs, table, o->to);
	r = rule_end(b, XT2_TARGET(o->kind, arg));
	r->packets = o->packets;
	r->bytes = o->bytes;
	return r;
}

static int apply_rule(int table, int chain, const struct op *op)
{
	struct rule_build b;
	struct xt2_rule *r = pack(&b, table, &op->rule);

	if (!r)
		return -ENOMEM;
	switch (op->kind) {
	case INSERT: return xt2_rule_insert(rs, chain, op->at, r, op->rule.line);
	case APPEND: return xt2_rule_append(rs, chain, r, op->rule.line);
	case REPLACE: return xt2_rule_replace(rs, chain, op->at, r, op->rule.line);
	default: return xt2_rule_find(rs, chain, r);
	}
}

static int apply(int table, int chain, const struct op *op)
{
	int ret;

	switch (op->kind) {
	case ADD: ret = xt2_chain_add(rs, table, op->name); return ret < 0 ? ret : 0;
	case DELETE: return xt2_chain_delete(rs, chain);
	case RENAME: return xt2_chain_rename(rs, chain, op->name);
	case FLUSH: return xt2_chain_flush(rs, chain);
	case POLICY: return xt2_chain_set_policy(rs, chain, op->policy);
	case CHAIN_COUNTERS:
		return xt2_chain_set_counters(rs, chain, op->rule.packets, op->rule.bytes);
	case REMOVE: return xt2_rule_delete(rs, chain, op->at);
	case RULE_COUNTERS:
		return xt2_rule_set_counters(rs, chain, op->at, op->rule.packets, op->rule.bytes);
	case RESET: return xt2_table_reset(rs, table, "file");
	default: return apply_rule(table, chain, op);
	}
}

static void same_match(const struct xt2_match *m, const struct o_rule *o)
{
	const struct xt2_instance *in;
	char text[64];

	switch (m->type) {
	case XT2_M_SRC4: assert_int_equal(m->arg, o->source); break;
	case XT2_M_COMMENT:
		in = xt2_instance_get(rs, m->arg);
		assert_int_equal(in->size, comment_text(o->comment, text));
		assert_memory_equal(in + 1, text, in->size);
		break;
	default:
		assert_int_equal(m->type, XT2_M_QUOTA);
		assert_int_equal(((const struct xt2_match_quota *)m)->quota, o->quota);
	}
}

static void same_rule(int chain, unsigned int at, const struct o_rule *o)
{
	const struct xt2_rule *r = xt2_rule_get(rs, chain, at);
	const struct xt2_match *m;
	int n = 0;

	assert_non_null(r);
	assert_int_equal(r->packets, o->packets);
	assert_int_equal(r->bytes, o->bytes);
	assert_int_equal(xt2_rule_line(rs, chain, at), o->line);
	assert_int_equal(XT2_TARGET_KIND(r->target), o->kind);
	if (*o->to)
		assert_string_equal(xt2_chain_name(rs, (int)XT2_TARGET_ARG(r->target)), o->to);
	xt2_rule_for_each_match(m, r) {
		same_match(m, o);
		n++;
	}
	assert_int_equal(n, (o->source != 0) + (o->comment >= 0) + (o->quota != 0));
}

static void same_chain(int table, int chain, const struct o_table *t, const struct o_chain *o)
{
	__u64 packets = 0, bytes = 0;
	int i;

	assert_string_equal(xt2_chain_name(rs, chain), o->name);
	assert_int_equal(xt2_chain_find(rs, table, o->name), chain);
	assert_int_equal(xt2_chain_table(rs, chain), table);
	assert_int_equal(xt2_chain_hook(rs, chain), o->hook);
	assert_int_equal(xt2_chain_references(rs, chain), o_references(t, o->name));
	if (o->hook >= 0) {
		assert_int_equal(xt2_chain_base(rs, table, o->hook), chain);
		assert_int_equal(xt2_chain_policy(rs, chain), o->policy);
		assert_int_equal(xt2_chain_counters(rs, chain, &packets, &bytes), 0);
		assert_int_equal(packets, o->packets);
		assert_int_equal(bytes, o->bytes);
	}
	assert_int_equal(xt2_chain_rules(rs, chain), o->n);
	for (i = 0; i < o->n; i++)
		same_rule(chain, (unsigned int)i, &o->rules[i]);
	assert_null(xt2_rule_get(rs, chain, (unsigned int)o->n));
}

/* The ruleset is what the oracle says. */
static void same(void)
{
	int i;

	assert_int_equal(xt2_ruleset_tables(rs), TABLES);
	for (i = 0; i < TABLES; i++) {
		const struct o_table *t = &oracle.tables[i];
		const struct o_chain *o = o_next(t, NULL);
		int chain;

		assert_int_equal(xt2_table_find(rs, t->family, t->name), i);
		for (chain = xt2_chain_next(rs, i, -1); chain >= 0;
		     chain = xt2_chain_next(rs, i, chain)) {
			assert_non_null(o);
			same_chain(i, chain, t, o);
			o = o_next(t, o);
		}
		assert_null(o);
	}
}

/* --- random changes ---------------------------------------------------- */

static void choose_rule(const struct o_table *t, struct o_rule *r)
{
	static const u8 kinds[] = { XT2_T_CONTINUE, XT2_T_ACCEPT, XT2_T_DROP,
				    XT2_T_RETURN,   XT2_T_JUMP,	  XT2_T_GOTO };
	u32 i = rnd(CHAINS);

	r->source = rnd(2) ? 0x0a000000 + rnd(4) : 0;
	r->comment = rnd(3) ? -1 : (int)rnd(6);
	r->quota = rnd(4) ? 0 : 1000 + rnd(3);
	r->kind = kinds[rnd(sizeof(kinds))];
	r->packets = rnd(1000);
	r->bytes = rnd(100000);
	r->line = rnd(3) ? rnd(100000) : 0;
	if (r->kind != XT2_T_JUMP && r->kind != XT2_T_GOTO)
		return;
	while (!*t->chains[i].name)
		i = rnd(CHAINS);
	strcpy(r->to, t->chains[i].name);
}

static void choose(struct op *op)
{
	struct o_table *t;
	struct o_chain *c;

	memset(op, 0, sizeof(*op));
	op->table = (int)rnd(TABLES);
	t = &oracle.tables[op->table];
	do
		op->chain = (int)rnd(CHAINS);
	while (!*t->chains[op->chain].name);
	c = &t->chains[op->chain];
	op->kind = rnd(500) ? rnd(RESET) : RESET;
	if (rnd(2))
		op->kind = INSERT + rnd(3);
	op->at = rnd((u32)c->n + 2);
	op->policy = (int)(XT2_T_ACCEPT + rnd(3));
	sprintf(op->name, "n%02u", rnd(NAMES));
	choose_rule(t, &op->rule);
	if (c->n == RULES && (op->kind == INSERT || op->kind == APPEND))
		op->kind = FLUSH;
	if (op->kind == ADD && o_free(t) == CHAINS)
		op->kind = DELETE;
}

/* The same change with each allocation failing in turn, then for good. */
static int apply_starved(const struct op *op, int chain)
{
	unsigned int n;
	int ret;

	for (n = 1;; n++) {
		fail_alloc(n);
		ret = apply(op->table, chain, op);
		fail_alloc(0);
		if (ret != -ENOMEM)
			return ret;
		same();
	}
}

static void change(bool starved)
{
	struct o_table *t;
	struct o_chain *c;
	struct op op;
	int chain, want, got;

	choose(&op);
	t = &oracle.tables[op.table];
	c = &t->chains[op.chain];
	chain = xt2_chain_find(rs, op.table, c->name);
	assert_true(chain >= 0);
	want = expected(t, c, &op);
	got = starved ? apply_starved(&op, chain) : apply(op.table, chain, &op);
	assert_int_equal(got, want);
	if (want >= 0)
		o_apply(t, c, &op);
}

/* Pack and go on with what was packed. */
static void pack_and_load(void)
{
	struct xt2_ruleset *fresh;
	struct xt2_mapping packed = { 0 };
	struct xt2_err err = { 0 };
	int ret = xt2_ruleset_write(rs, &packed, &err);

	assert_int_equal(ret, o_any_loop() ? -ELOOP : 0);
	same();
	if (ret) {
		assert_int_equal(err.code, XT2_E_LOOP);
		assert_non_null(strstr(err.message, " -> "));
		return;
	}
	fresh = xt2_ruleset_new();
	assert_non_null(fresh);
	assert_int_equal(xt2_ruleset_load(fresh, packed.image, packed.size), 0);
	assert_int_equal(xt2_ruleset_load(fresh, packed.image, packed.size), -EINVAL);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	rs = fresh;
	map = packed;
	same();
}

/* Go on with a clone. */
static void clone_and_swap(void)
{
	struct xt2_ruleset *copy = xt2_ruleset_clone(rs);

	assert_non_null(copy);
	xt2_ruleset_swap(rs, copy);
	xt2_ruleset_free(copy);
	same();
}

/* Packing, loading and cloning give up cleanly at each allocation. */
static void starve_the_rest(void)
{
	struct xt2_mapping packed = { 0 }, untouched = { 0 };
	struct xt2_ruleset *copy;
	unsigned int n = 0;
	int ret;

	do {
		fail_alloc(++n);
		ret = xt2_ruleset_write(rs, &packed, NULL);
		fail_alloc(0);
		if (ret == -ENOMEM)
			assert_memory_equal(&packed, &untouched, sizeof(packed));
	} while (ret == -ENOMEM);
	n = 0;
	do {
		fail_alloc(++n);
		copy = xt2_ruleset_clone(rs);
	} while (!copy && fail_alloc_happened());
	fail_alloc(0);
	assert_non_null(copy);
	xt2_ruleset_free(copy);
	copy = xt2_ruleset_new();
	n = 0;
	do {
		fail_alloc(++n);
		ret = packed.image ? xt2_ruleset_load(copy, packed.image, packed.size) : 0;
		if (ret)
			assert_int_equal(xt2_ruleset_tables(copy), 0);
	} while (ret == -ENOMEM);
	fail_alloc(0);
	assert_int_equal(ret, 0);
	xt2_ruleset_free(copy);
	xt2_image_close(&packed);
	same();
}

static void start(void)
{
	static const struct {
		int family;
		const char *name;
	} tables[TABLES] = {
		{ XT2_IPV4, "nat" },
		{ XT2_IPV4, "filter" },
		{ XT2_ARP, "filter" },
	};
	int i;

	rs = xt2_ruleset_new();
	assert_non_null(rs);
	for (i = 0; i < TABLES; i++) {
		struct o_table *t = &oracle.tables[i];

		assert_int_equal(xt2_table_add(rs, tables[i].family, tables[i].name, "file"), i);
		t->family = tables[i].family;
		t->name = tables[i].name;
		o_table_init(t);
	}
	same();
}

static u64 number_from(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void random_changes(void **unused)
{
	const u64 operations = number_from("XT2_OPERATIONS", 20000);
	const u64 seed = number_from("XT2_SEED", (u64)time(NULL));
	u64 i;

	state = seed * 2 + 1;
	print_message("XT2_SEED=%llu build/tests/unit/run-ruleset ruleset-random\n",
		      (unsigned long long)seed);
	start();
	for (i = 0; i < operations; i++) {
		change(!rnd(10));
		if (!rnd(10))
			same();
		if (!rnd(100))
			pack_and_load();
		if (!rnd(300))
			clone_and_swap();
		if (!rnd(300))
			starve_the_rest();
	}
	same();
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(random_changes),
};

UNITS(tests)
