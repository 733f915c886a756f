/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-compactor.c - libxt2/share/compactor.c
 *
 * Random transactions are done to a shared ruleset, and to an ordinary one that knows nothing of
 * patches.  Both must say the same whatever the thread has done meanwhile, and a snapshot must
 * pass the check; readers evaluate all the time, and no packet is lost.
 */
#include <pthread.h>
#include <sched.h>
#include "engine/check.h"
#include "libxt2/ruleset/inplace.h"
#include "libxt2/share/compactor.h"
#include "libxt2/share/share-tables.h"
#include "tests/lib/rules.h"
#include "tests/lib/unit-program.h"

#define RULES	700u
#define COMMITS 6000u
#define READERS 2
#define ADDRESS 0x0a000001u /* of the packets; the rule that they match is never deleted */
#define SEED	20261123u

struct pair {
	struct xt2_tables *tables;
	struct xt2_ruleset *shared, *plain;
	u64 random;
	bool stop;
};

static u32 below(struct pair *p, u32 n)
{
	p->random = p->random * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((p->random >> 33) % n);
}

static const struct xt2_rule *rule_of(struct rule_build *b, u32 source, u32 bits)
{
	rule_begin(b);
	rule_source(b, bits < 32 ? source >> (32 - bits) << (32 - bits) : source, bits);
	return rule_end(b, XT2_TARGET(XT2_T_CONTINUE, 0));
}

static int chain_of(const struct xt2_ruleset *rs, u32 which)
{
	return xt2_chain_base(rs, 0, which ? XT2_OUTPUT : XT2_INPUT);
}

static void begin(struct pair *p)
{
	struct rule_build b;
	u32 i;

	*p = (struct pair){ .random = SEED, .plain = xt2_ruleset_new() };
	assert_int_equal(xt2_table_add(p->plain, XT2_IPV4, "filter", NULL), 0);
	for (i = 0; i < 2 * RULES; i++)
		xt2_rule_append(p->plain, chain_of(p->plain, i % 2),
				rule_of(&b, i == 300 ? ADDRESS : 0x0b000000 + i, 32), i + 1);
	p->tables = xt2_tables_new(p->plain, NULL);
	assert_non_null(p->tables);
	p->shared = xt2_tables_ruleset(p->tables);
}

static void end(struct pair *p)
{
	xt2_tables_free(p->tables);
	xt2_ruleset_free(p->plain);
}

/* --- readers ------------------------------------------------------------------ */

static void *read_packets(void *arg)
{
	__u8 bytes[20] = { 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1 };
	struct pair *p = arg;
	struct xt2_reader *r = xt2_reader_new(p->tables);
	struct xt2_result result;
	uintptr_t n = 0;

	while (!__atomic_load_n(&p->stop, __ATOMIC_RELAXED)) {
		struct xt2_pkt pkt = { .data = bytes, .caplen = 20, .len = 20 };

		if (xt2_pkt_parse(&pkt, XT2_IPV4))
			return NULL;
		xt2_reader_evaluate(r, XT2_INPUT, NULL, &pkt, 0, 0, &result);
		n++;
	}
	xt2_reader_free(r);
	return (void *)n;
}

/* --- comparing ------------------------------------------------------------------ */

static void same_rules(const struct pair *p, u32 which)
{
	const int a = chain_of(p->shared, which), b = chain_of(p->plain, which);
	u32 i, n = xt2_chain_rules(p->plain, b);

	assert_int_equal(xt2_chain_rules(p->shared, a), n);
	assert_int_equal(xt2_chain_policy(p->shared, a), xt2_chain_policy(p->plain, b));
	for (i = 0; i < n; i++) {
		const struct xt2_rule *r = xt2_rule_get(p->shared, a, i),
				      *s = xt2_rule_get(p->plain, b, i);

		assert_int_equal(r->size, s->size);
		assert_int_equal(r->target, s->target);
		assert_memory_equal(r + 1, s + 1, r->size - sizeof(*r));
		assert_int_equal(xt2_rule_line(p->shared, a, i), xt2_rule_line(p->plain, b, i));
	}
}

static void same(const struct pair *p)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	__u8 one[XT2_DIGEST_SIZE], other[XT2_DIGEST_SIZE];

	same_rules(p, 0);
	same_rules(p, 1);
	assert_int_equal(xt2_tables_snapshot(p->tables, &map, NULL), 0);
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), 0);
	xt2_ruleset_digest(rs, one);
	xt2_ruleset_digest(p->plain, other);
	assert_memory_equal(one, other, sizeof(one));
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
}

/* --- changing ------------------------------------------------------------------- */

static u32 place(struct pair *p, u32 which, u32 most)
{
	const u32 n = xt2_chain_rules(p->plain, chain_of(p->plain, which));

	if (!n)
		return 0;
	return below(p, most < n ? most : n);
}

static bool is_read(const struct pair *p, u32 which, u32 at)
{
	struct rule_build b;
	const struct xt2_rule *r = xt2_rule_get(p->plain, chain_of(p->plain, which), at),
			      *s = rule_of(&b, ADDRESS, 32);

	return r->size == s->size && !memcmp(r + 1, s + 1, r->size - sizeof(*r));
}

static void insert(struct pair *p, u32 which, u32 most)
{
	const u32 at = place(p, which, most), line = below(p, 5);
	struct rule_build b;
	const struct xt2_rule *r =
		rule_of(&b, 0x0c000000 + below(p, 1u << 20), below(p, 4) ? 32 : 24);

	assert_int_equal(xt2_rule_insert(p->shared, chain_of(p->shared, which), at, r, line), 0);
	assert_int_equal(xt2_rule_insert(p->plain, chain_of(p->plain, which), at, r, line), 0);
}

static void delete_one(struct pair *p, u32 which, u32 most)
{
	const u32 at = place(p, which, most);

	if (is_read(p, which, at) || xt2_chain_rules(p->plain, chain_of(p->plain, which)) < 200)
		return;
	assert_int_equal(xt2_rule_delete(p->shared, chain_of(p->shared, which), at), 0);
	assert_int_equal(xt2_rule_delete(p->plain, chain_of(p->plain, which), at), 0);
}

static void change(struct pair *p)
{
	const u32 which = below(p, 8) == 0, most = below(p, 3) ? ~0u : 3;
	const int policy = below(p, 2) ? XT2_T_ACCEPT : XT2_T_DROP;

	switch (below(p, 64)) {
	case 0:
		xt2_chain_set_policy(p->shared, chain_of(p->shared, which), policy);
		xt2_chain_set_policy(p->plain, chain_of(p->plain, which), policy);
		break;
	default:
		if (below(p, 2))
			insert(p, which, most);
		else
			delete_one(p, which, most);
	}
}

/* The other chain begins anew, perhaps while it is compiled. */
static void refill(struct pair *p)
{
	u32 i;

	assert_int_equal(xt2_chain_flush(p->shared, chain_of(p->shared, 1)), 0);
	assert_int_equal(xt2_chain_flush(p->plain, chain_of(p->plain, 1)), 0);
	insert(p, 1, 1);
	for (i = 0; i < 300; i++)
		insert(p, 1, ~0u);
}

static void transaction(struct pair *p, u32 number)
{
	struct xt2_ruleset *before;
	u32 i, n = below(p, 20) ? 1 : 1 + below(p, 60);

	if (number % 50 == 49) { /* one that is given up */
		before = xt2_ruleset_clone(p->plain);
		change(p);
		xt2_ruleset_free(p->plain);
		p->plain = before;
		assert_int_equal(xt2_tables_abort(p->tables), 0);
	}
	for (i = 0; i < n; i++)
		change(p);
	if (number % 997 == 996)
		refill(p);
	assert_int_equal(xt2_tables_commit(p->tables, NULL), 0);
	if (number % 71 == 0) { /* nothing has changed */
		assert_int_equal(xt2_tables_commit(p->tables, NULL), 0);
	}
}

static void compiled_beside_edits(void **unused)
{
	pthread_t thread[READERS];
	uintptr_t packets = 0;
	struct rule_build b;
	struct pair p;
	void *n;
	u32 i;
	int at;

	begin(&p);
	for (i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, read_packets, &p), 0);
	for (i = 0; i < COMMITS; i++) {
		transaction(&p, i);
		if (i % 100 == 0)
			same(&p);
		if (i % 7 == 0)
			sched_yield();
	}
	__atomic_store_n(&p.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++) {
		assert_int_equal(pthread_join(thread[i], &n), 0);
		packets += (uintptr_t)n;
	}
	same(&p);
	at = xt2_rule_find(p.shared, chain_of(p.shared, 0), rule_of(&b, ADDRESS, 32));
	assert_true(at >= 0);
	assert_int_equal(xt2_rule_get(p.shared, chain_of(p.shared, 0), (u32)at)->packets, packets);
	assert_true(xt2_tables_compactions(p.tables, NULL) > 5);
	end(&p);
}

/* => transactions until one more chain was compiled */
static u32 edit_until(struct pair *p, u64 compactions)
{
	u32 i;

	for (i = 0; xt2_tables_compactions(p->tables, NULL) < compactions; i++) {
		assert_true(i < 1000000);
		insert(p, 0, ~0u);
		if (xt2_chain_rules(p->plain, chain_of(p->plain, 0)) > RULES)
			delete_one(p, 0, ~0u);
		assert_int_equal(xt2_tables_commit(p->tables, NULL), 0);
		sched_yield();
	}
	return i;
}

/*
 * Places are used again, whatever is compiled.  How far a patch grows meanwhile depends on when the
 * thread runs: up to 0.5 MB were seen, on a busy machine some more, and 4 MiB may wait for readers.  If
 * what is compiled were lost, it would be 45 MB.
 */
static void room_stays_bounded(void **unused)
{
	struct pair p;

	begin(&p);
	edit_until(&p, 900);
	assert_true(p.shared->inplace->img->size < 24u << 20);
	same(&p);
	end(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(compiled_beside_edits),
	cmocka_unit_test(room_stays_bounded),
};

UNITS(tests)
