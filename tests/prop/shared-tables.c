/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared-tables - threads evaluate a ruleset while one thread commits transactions to it
 *
 * A rule accepts packets from one address; packets that no rule accepts are dropped.  Some
 * addresses are always accepted.  The others are in pairs, of which one is accepted at any time:
 * a transaction replaces the rule of the one by that of the other, at the same place or at
 * another.  Rules for addresses that no packet is from come and go, chains are compiled anew
 * again and again, and some transactions are given up.
 *
 * Readers send packets from an address, or from both of a pair in one call: of these just one is
 * accepted.  They note which generation they saw, and whether an address was accepted; the
 * writer notes at which generations it began and ceased to be.  In the end all notes agree, and
 * the counters of rules that were always there, of policies, and of a jump are as many as the
 * packets that readers sent.  The rules are those of a list that was changed in the same way.
 *
 *	shared-tables [--seed N] [--commits N] [--readers N]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/check.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/share/share-tables.h"
#include "tests/lib/rules.h"

#define GROUPS	 3 /* chains: INPUT, FORWARD, and a user chain that OUTPUT jumps to */
#define ALWAYS	 300u /* addresses of a group that are always accepted */
#define PAIRS	 300u
#define OTHERS	 2000u /* rules of a group that no packet matches, at most */
#define RULES	 (ALWAYS + PAIRS + OTHERS)
#define ADDRS	 (ALWAYS + 2 * PAIRS)
#define READERS	 64
#define RECORDS	 200000u /* of a reader; later ones take the places of older ones */
#define NOBODY	 ADDRS /* numbers from here on are of addresses that no packet is from */
#define OF(g, n) (0x0a000000u + (u32)(g)*0x10000 + (n))

static const int hooks[GROUPS] = { XT2_INPUT, XT2_FORWARD, XT2_OUTPUT };

/* Rules of a chain, by the numbers of their addresses. */
struct group {
	int chain;
	u32 rule[RULES], rules;
	bool second[PAIRS]; /* which of a pair is accepted */
	u64 *turned[PAIRS]; /* generations at which that has changed */
	u32 turns[PAIRS], room[PAIRS];
};

struct record {
	u64 generation;
	u32 pair : 31, second : 1;
	u32 group;
};

struct thread {
	pthread_t thread;
	u64 random;
	u64 accepted[GROUPS][ALWAYS], sent[GROUPS], dropped[GROUPS];
	struct record *record;
	u64 records;
};

static struct xt2_tables *tables;
static struct xt2_ruleset *rs;
static struct group group[GROUPS], before[GROUPS]; /* and as it was before the transaction */
static struct thread thread[READERS];
static int stopped;
static u64 seed = 1;

__attribute__((noreturn)) static void wrong(const char *what)
{
	printf("FAIL: %s\n  again: shared-tables --seed %llu\n", what, (unsigned long long)seed);
	exit(1);
}

static void *must(void *p)
{
	if (!p)
		wrong("no memory");
	return p;
}

static u32 below(u64 *random, u32 n)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (u32)((*random >> 32) * n >> 32);
}

/* --- readers ---------------------------------------------------------------------- */

static void packet(struct xt2_pkt *pkt, u8 *bytes, u32 from)
{
	static const u8 header[20] = { 0x45, 0, 0, 20, 0, 0, 0,	 0, 64, 17,
				       0,    0, 0, 0,  0, 0, 10, 0, 0,	1 };
	const u32 source = __builtin_bswap32(from);

	memcpy(bytes, header, sizeof(header));
	memcpy(bytes + 12, &source, sizeof(source));
	*pkt = (struct xt2_pkt){ .data = bytes, .caplen = 20, .len = 20 };
	if (xt2_pkt_parse(pkt, XT2_IPV4))
		wrong("a packet is none");
}

static void note(struct thread *t, u64 generation, u32 g, u32 pair, bool second)
{
	t->record[t->records++ % RECORDS] = (struct record){
		.generation = generation, .group = g, .pair = pair, .second = second
	};
}

static void ask_always(struct thread *t, struct xt2_reader *r, u32 g, u32 n)
{
	struct xt2_result result;
	struct xt2_pkt pkt;
	u8 bytes[20];

	packet(&pkt, bytes, OF(g, n));
	if (xt2_reader_evaluate(r, hooks[g], NULL, &pkt, 0, 0, &result) != XT2_ACCEPT)
		wrong("a packet missed a rule that is always there");
	t->accepted[g][n]++;
	t->sent[g]++;
}

static void ask_one(struct thread *t, struct xt2_reader *r, u32 g, u32 pair)
{
	const bool second = below(&t->random, 2);
	struct xt2_result result;
	struct xt2_pkt pkt;
	bool accepted;
	u8 bytes[20];

	packet(&pkt, bytes, OF(g, ALWAYS + 2 * pair + second));
	accepted = xt2_reader_evaluate(r, hooks[g], NULL, &pkt, 0, 0, &result) == XT2_ACCEPT;
	t->sent[g]++;
	t->dropped[g] += !accepted;
	note(t, xt2_reader_generation(r), g, pair, accepted == second);
}

static void ask_both(struct thread *t, struct xt2_reader *r, u32 g, u32 pair)
{
	struct xt2_result result[2];
	struct xt2_pkt pkt[2], *pkts[2] = { &pkt[0], &pkt[1] };
	const u64 now[2] = { 0 };
	u8 bytes[2][20];
	u32 i;

	for (i = 0; i < 2; i++)
		packet(&pkt[i], bytes[i], OF(g, ALWAYS + 2 * pair + i));
	xt2_reader_evaluate_batch(r, hooks[g], NULL, pkts, now, 2, 0, result);
	if ((result[0].verdict == XT2_ACCEPT) == (result[1].verdict == XT2_ACCEPT))
		wrong("packets of one call saw two generations");
	t->sent[g] += 2;
	t->dropped[g]++;
	note(t, xt2_reader_generation(r), g, pair, result[1].verdict == XT2_ACCEPT);
}

static void *read_packets(void *arg)
{
	struct thread *t = arg;
	struct xt2_reader *r = NULL;
	u32 g, i;

	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED)) {
		if (!r)
			r = must(xt2_reader_new(tables));
		for (i = 0; i < 1000; i++) {
			g = below(&t->random, GROUPS);
			switch (below(&t->random, 3)) {
			case 0: ask_always(t, r, g, below(&t->random, ALWAYS)); break;
			case 1: ask_one(t, r, g, below(&t->random, PAIRS)); break;
			case 2: ask_both(t, r, g, below(&t->random, PAIRS)); break;
			}
		}
		if (below(&t->random, 50))
			continue;
		xt2_reader_free(r); /* what it counted stays */
		r = NULL;
	}
	xt2_reader_free(r);
	return NULL;
}

/* --- the writer ------------------------------------------------------------------- */

static const struct xt2_rule *rule_of(struct rule_build *b, u32 g, u32 number)
{
	rule_begin(b);
	rule_source(b, number < NOBODY ? OF(g, number) : 0x0b000000 + number, 32);
	return rule_end(b, XT2_TARGET(XT2_T_ACCEPT, 0));
}

static void expect(int ret)
{
	if (ret)
		wrong("an edit failed");
}

static void insert(u32 g, u32 at, u32 number)
{
	struct group *in = &group[g];
	struct rule_build b;

	expect(xt2_rule_insert(rs, in->chain, at, rule_of(&b, g, number), number + 1));
	memmove(&in->rule[at + 1], &in->rule[at], (in->rules - at) * sizeof(in->rule[0]));
	in->rule[at] = number;
	in->rules++;
}

static void remove_rule(u32 g, u32 at)
{
	struct group *in = &group[g];

	expect(xt2_rule_delete(rs, in->chain, at));
	in->rules--;
	memmove(&in->rule[at], &in->rule[at + 1], (in->rules - at) * sizeof(in->rule[0]));
}

static void replace(u32 g, u32 at, u32 number)
{
	struct rule_build b;

	expect(xt2_rule_replace(rs, group[g].chain, at, rule_of(&b, g, number), number + 1));
	group[g].rule[at] = number;
}

static u32 place_of(const struct group *in, u32 number)
{
	u32 at = 0;

	while (in->rule[at] != number)
		at++;
	return at;
}

static void turn(u64 *random, u32 g)
{
	struct group *in = &group[g];
	const u32 pair = below(random, PAIRS);
	const u32 other = ALWAYS + 2 * pair + !in->second[pair];
	const u32 at = place_of(in, ALWAYS + 2 * pair + in->second[pair]);

	if (below(random, 2)) {
		replace(g, at, other);
	} else {
		remove_rule(g, at);
		insert(g, below(random, in->rules + 1), other);
	}
	in->second[pair] = !in->second[pair];
}

static void edit_one(u64 *random)
{
	const u32 g = below(random, GROUPS);
	struct group *in = &group[g];
	u32 at;

	if (below(random, 2)) {
		turn(random, g);
	} else if (in->rules < RULES && below(random, 2)) {
		insert(g, below(random, in->rules + 1), NOBODY + below(random, 100000));
	} else {
		at = below(random, in->rules);
		if (in->rule[at] >= NOBODY)
			remove_rule(g, at);
	}
}

/* A pair that was turned twice in a transaction has not changed. */
static void note_turns(u64 generation)
{
	u32 g, i;

	for (g = 0; g < GROUPS; g++) {
		struct group *in = &group[g];

		for (i = 0; i < PAIRS; i++) {
			if (in->second[i] == before[g].second[i])
				continue;
			if (in->turns[i] == in->room[i]) {
				in->room[i] = in->room[i] ? 2 * in->room[i] : 64;
				in->turned[i] =
					must(reallocarray(in->turned[i], in->room[i], sizeof(u64)));
			}
			in->turned[i][in->turns[i]++] = generation;
		}
	}
}

static void transact(u64 *random)
{
	u32 n = below(random, 20) ? 1 + below(random, 3) : 1 + below(random, 100);

	memcpy(before, group, sizeof(group));
	while (n--)
		edit_one(random);
	if (!below(random, 10)) {
		expect(xt2_tables_abort(tables));
		memcpy(group, before, sizeof(group));
		return;
	}
	expect(xt2_tables_commit(tables, NULL));
	note_turns(rs->generation);
}

/* The rules are those of the lists, also in a copy of what was committed. */
static void compare_lists(const struct xt2_ruleset *with)
{
	u32 g, i;

	for (g = 0; g < GROUPS; g++) {
		const int chain = hooks[g] == XT2_OUTPUT ? xt2_chain_find(with, 0, "user")
							 : xt2_chain_base(with, 0, hooks[g]);

		if (xt2_chain_rules(with, chain) != group[g].rules)
			wrong("a chain has another number of rules");
		for (i = 0; i < group[g].rules; i++)
			if (xt2_rule_line(with, chain, i) != group[g].rule[i] + 1)
				wrong("a chain has other rules");
	}
}

static void compare(void)
{
	struct xt2_ruleset *copy = must(xt2_ruleset_new());
	struct xt2_mapping map, packed;
	struct xt2_check_err err = { 0 };
	void *scratch;

	compare_lists(rs);
	expect(xt2_tables_snapshot(tables, &map, NULL));
	expect(xt2_ruleset_load(copy, map.image, map.size));
	compare_lists(copy);
	expect(xt2_ruleset_write(copy, &packed, NULL));
	scratch = must(malloc(xt2_check_scratch(packed.size)));
	if (xt2_check(packed.image, packed.size, scratch, &err)) {
		printf("offset %llu: %s\n", (unsigned long long)err.offset, err.what);
		wrong("what was committed is not valid");
	}
	free(scratch);
	xt2_ruleset_free(copy);
	xt2_image_close(&packed);
	xt2_image_close(&map);
}

/* --- in the end --------------------------------------------------------------------- */

static bool second_at(const struct group *in, u32 pair, u64 generation)
{
	u32 low = 0, high = in->turns[pair], mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (in->turned[pair][mid] <= generation)
			low = mid + 1;
		else
			high = mid;
	}
	return low % 2; /* the first of a pair is accepted in the beginning */
}

static u64 check_records(const struct thread *t)
{
	const u64 n = t->records < RECORDS ? t->records : RECORDS;
	u64 i;

	for (i = 0; i < n; i++) {
		const struct record *r = &t->record[i];

		if (second_at(&group[r->group], r->pair, r->generation) != r->second)
			wrong("a packet was not evaluated by the generation that its reader says");
	}
	return n;
}

static void check_counters(u32 g, const struct thread *sum)
{
	u64 packets, bytes;
	u32 i;

	for (i = 0; i < ALWAYS; i++) {
		const struct xt2_rule *r = xt2_rule_get(rs, group[g].chain, place_of(&group[g], i));

		if (r->packets != sum->accepted[g][i] || r->bytes != 20 * r->packets)
			wrong("a rule's counters are not what readers sent");
	}
	expect(xt2_chain_counters(rs, xt2_chain_base(rs, 0, hooks[g]), &packets, &bytes));
	if (packets != sum->dropped[g] || bytes != 20 * packets) {
		printf("g %u packets %llu bytes %llu dropped %llu sent %llu\n", g,
		       (unsigned long long)packets, (unsigned long long)bytes,
		       (unsigned long long)sum->dropped[g], (unsigned long long)sum->sent[g]);
		wrong("a policy");
	}
	if (hooks[g] == XT2_OUTPUT &&
	    xt2_rule_get(rs, xt2_chain_base(rs, 0, XT2_OUTPUT), 0)->packets != sum->sent[g])
		wrong("a jump's counters are not what readers sent");
}

static void prepare(void)
{
	struct rule_build b;
	u32 g, i;

	rs = must(xt2_ruleset_new());
	expect(xt2_table_add(rs, XT2_IPV4, "filter", NULL));
	for (g = 0; g < GROUPS; g++) {
		const int base = xt2_chain_base(rs, 0, hooks[g]);

		expect(xt2_chain_set_policy(rs, base, XT2_T_DROP));
		group[g].chain = base;
		if (hooks[g] == XT2_OUTPUT) {
			group[g].chain = xt2_chain_add(rs, 0, "user");
			rule_begin(&b);
			expect(xt2_rule_append(
				rs, base, rule_end(&b, XT2_TARGET(XT2_T_JUMP, (u32)group[g].chain)),
				0));
		}
		for (i = 0; i < ALWAYS + PAIRS; i++)
			insert(g, group[g].rules, i < ALWAYS ? i : ALWAYS + 2 * (i - ALWAYS));
	}
	tables = must(xt2_tables_new(rs, NULL));
	xt2_ruleset_free(rs);
	rs = xt2_tables_ruleset(tables);
	for (g = 0; g < GROUPS; g++)
		group[g].chain = hooks[g] == XT2_OUTPUT ? xt2_chain_find(rs, 0, "user")
							: xt2_chain_base(rs, 0, hooks[g]);
}

static void add(struct thread *sum, const struct thread *t)
{
	u32 g, i;

	for (g = 0; g < GROUPS; g++) {
		for (i = 0; i < ALWAYS; i++)
			sum->accepted[g][i] += t->accepted[g][i];
		sum->sent[g] += t->sent[g];
		sum->dropped[g] += t->dropped[g];
	}
}

static void run(u64 commits, u32 readers)
{
	static struct thread sum;
	u64 random = seed * 0x9e3779b97f4a7c15ull | 1, i, records = 0;
	u32 g;

	prepare();
	for (i = 0; i < readers; i++) {
		thread[i].random = random + i * 2 + 2;
		thread[i].record = must(calloc(RECORDS, sizeof(struct record)));
		expect(pthread_create(&thread[i].thread, NULL, read_packets, &thread[i]));
	}
	for (i = 1; i <= commits; i++) {
		transact(&random);
		if (!(i % 1000))
			compare();
	}
	__atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
	for (i = 0; i < readers; i++)
		expect(pthread_join(thread[i].thread, NULL));
	compare();
	for (i = 0; i < readers; i++) {
		add(&sum, &thread[i]);
		records += check_records(&thread[i]);
		free(thread[i].record);
	}
	for (g = 0; g < GROUPS; g++)
		check_counters(g, &sum);
	printf("seed %llu: %llu transactions, %llu chains compiled meanwhile, %llu packets, %llu of them compared\n",
	       (unsigned long long)seed, (unsigned long long)commits,
	       (unsigned long long)xt2_tables_compactions(tables, NULL),
	       (unsigned long long)(sum.sent[0] + sum.sent[1] + sum.sent[2]),
	       (unsigned long long)records);
	for (g = 0; g < GROUPS; g++)
		for (i = 0; i < PAIRS; i++)
			free(group[g].turned[i]);
	xt2_tables_free(tables);
}

int main(int argc, char **argv)
{
	u64 commits = 4000, readers = 8, v;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		v = strtoull(argv[i + 1], NULL, 0);
		if (!strcmp(argv[i], "--seed"))
			seed = v;
		else if (!strcmp(argv[i], "--commits"))
			commits = v;
		else if (!strcmp(argv[i], "--readers") && v && v <= READERS)
			readers = v;
		else
			break;
	}
	if (i < argc) {
		fputs("usage: shared-tables [--seed N] [--commits N] [--readers N]\n", stderr);
		return 2;
	}
	run(commits, (u32)readers);
	return 0;
}
