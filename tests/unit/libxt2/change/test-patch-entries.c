/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-patch-entries.c - libxt2/change/patch-entries.c: which class a rule has, and its bucket */
#include "engine/eval.h"
#include "engine/index/pairs.h"
#include "tests/lib/world-packets.h"
#include "tests/unit/change-case.h"
#include "xt2tables/packet/oracle.h"

static struct change_case *begin(u8 family, u32 rules)
{
	struct change_case *c = change_new(2, family, CHANGE_ADDRESSES, rules, NULL, 8u << 20);

	assert_int_equal(change_begin(c), 0);
	return c;
}

/* => the patch that was published */
static const struct xt2_patch *publish(struct change_case *c)
{
	const struct xt2_chain *chain;

	assert_int_equal(change_end(c), 0);
	change_read(c, c->chain, &c->now);
	chain = xt2_at(c->img, c->chain);
	return (const struct xt2_patch *)(xt2_chain_index(chain) + 1);
}

static u8 asks(const struct change_case *c)
{
	return xt2_chain_index(xt2_at(c->img, c->chain))->asks;
}

/* A rule with the matches of c->w.rule, in front of all. */
static void insert(struct change_case *c)
{
	seed_rule(&c->w.rule)->target = XT2_T_DROP;
	assert_int_equal(change_insert(c, 0, seed_rule(&c->w.rule)), 0);
}

static struct seed_rule *rule(struct change_case *c)
{
	c->w.rule.family = c->family;
	seed_rule_begin(&c->w.rule, XT2_T_DROP, 0);
	return &c->w.rule;
}

static void source(struct change_case *c, u32 addr, u32 length)
{
	seed_match(rule(c), XT2_M_SRC4, (u8)(32 - length), addr >> (32 - length) << (32 - length),
		   NULL, 0);
	insert(c);
}

#define IS_CLASS(p, i, f, n, mask0)                       \
	do {                                              \
		assert_int_equal((p)->field[0][i], f);    \
		assert_int_equal((p)->rules[i], n);       \
		assert_int_equal((p)->mask[0][i], mask0); \
	} while (0)

#define IS_PAIR(p, i, f, g, n, mask0, mask4)              \
	do {                                              \
		IS_CLASS(p, i, f, n, mask0);              \
		assert_int_equal((p)->field[1][i], g);    \
		assert_int_equal((p)->mask[4][i], mask4); \
	} while (0)

static void both(struct change_case *c, u32 source, u32 destination)
{
	seed_match(rule(c), XT2_M_SRC4, (u8)(32 - source), 0x0a000000, NULL, 0);
	seed_match(&c->w.rule, XT2_M_DST4, (u8)(32 - destination), 0x0a000000, NULL, 0);
	insert(c);
}

static void marked(struct change_case *c, u32 bits)
{
	const u32 mark[2] = { bits, 0 };

	seed_match(rule(c), XT2_M_MARK, 0, 0x12121212 & bits, mark, 8);
	insert(c);
}

static void port(struct change_case *c, u8 which)
{
	seed_match(rule(c), XT2_M_PROTO, 0, 6, NULL, 0);
	seed_match(&c->w.rule, XT2_M_TCP, which, 80 | 80u << 16, NULL, 0);
	insert(c);
}

static void test_prefixes(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 200);
	const struct xt2_patch *p;

	source(c, 0x0a010203, 32);
	source(c, 0x0a010204, 32);
	source(c, 0x0a010200, 22); /* 20 bits */
	source(c, 0x0a010200, 24); /* loses 4 */
	source(c, 0x0a010200, 28); /* loses 8 */
	source(c, 0x0a010200, 29); /* loses 9, of which 1 is rounded */
	source(c, 0x0a010200, 30);
	p = publish(c);
	assert_int_equal(p->classes, 2);
	IS_CLASS(p, 0, XT2_FIELD_SRC, 2, ~0u);
	IS_CLASS(p, 1, XT2_FIELD_SRC, 5, 0xfffff000);
	assert_int_equal(change_begin(c), 0);
	source(c, 0x0a000000, 11);
	source(c, 0x0a000000, 3); /* no 4 bits */
	source(c, 0x0a010205, 32); /* the class with the most bits */
	p = publish(c);
	IS_CLASS(p, 0, XT2_FIELD_SRC, 3, ~0u);
	assert_int_equal(p->classes, 4);
	IS_CLASS(p, 2, XT2_FIELD_SRC, 1, 0xff000000);
	IS_CLASS(p, 3, XT2_FIELD_NONE, 1, 0);
	change_free(c);
}

/* Both addresses, the source first. */
static void test_both_addresses(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 200);
	const struct xt2_patch *p;

	seed_match(rule(c), XT2_M_DST4, 0, 0x0a000001, NULL, 0);
	seed_match(&c->w.rule, XT2_M_SRC4, 0, 0x0a000002, NULL, 0);
	insert(c);
	p = publish(c);
	assert_int_equal(p->classes, 1);
	IS_PAIR(p, 0, XT2_FIELD_SRC, XT2_FIELD_DST, 1, ~0u, ~0u);
	assert_int_equal(change_begin(c), 0);
	both(c, 20, 19); /* 20 and 16 bits */
	both(c, 24, 20); /* loses 8 */
	both(c, 24, 24); /* loses 12 */
	seed_match(rule(c), XT2_M_DST4, 0, 0x0a000001, NULL, 0);
	seed_match(&c->w.rule, XT2_M_IN, 0, 5, "eth0\0\0\0", 8);
	seed_match(&c->w.rule, XT2_M_PROTO, 0, 6, NULL, 0);
	seed_match(&c->w.rule, XT2_M_TCP, XT2_PORTS_DST, 80 | 80u << 16, NULL, 0);
	insert(c); /* of three fields, those that say most */
	p = publish(c);
	assert_int_equal(p->classes, 4);
	IS_PAIR(p, 0, XT2_FIELD_SRC, XT2_FIELD_DST, 1, ~0u, ~0u);
	IS_PAIR(p, 1, XT2_FIELD_SRC, XT2_FIELD_DST, 2, 0xfffff000, 0xffff0000);
	IS_PAIR(p, 2, XT2_FIELD_SRC, XT2_FIELD_DST, 1, 0xffffff00, 0xffffff00);
	IS_PAIR(p, 3, XT2_FIELD_DST, XT2_FIELD_DPORT, 1, ~0u, ~0u);
	assert_true(asks(c) & XT2_ASKS_PORTS);
	change_free(c);
}

/* Nine classes as rules ask for them, by steps of 8 bits after the fourth. */
static void fill_classes(struct change_case *c)
{
	u64 mac = 0x0504030201;
	u32 i;

	marked(c, 0x00ff0000);
	seed_match(rule(c), XT2_M_IN, 0, 5, "eth0\0\0\0", 8);
	insert(c);
	seed_match(rule(c), XT2_M_OUT, 0, 5, "eth0\0\0\0", 8);
	insert(c);
	seed_match(rule(c), XT2_M_MAC, 0, 0, &mac, 8);
	insert(c);
	source(c, 0x0a010203, 31); /* 24 bits */
	source(c, 0x0a010203, 15); /* 8 bits */
	for (i = 0; i < 3; i++) {
		seed_match(rule(c), XT2_M_DST4, 0, 0x0a000000 + i, NULL, 0);
		insert(c);
	}
	port(c, XT2_PORTS_DST);
	port(c, XT2_PORTS_SRC);
}

/* Six are kept for rules that no other class suits, and the last one for rules without a field. */
static void test_classes_run_out(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 1000);
	const struct xt2_patch *p;
	u32 i;

	for (i = 0; i < 256; i++) /* fewer rules have fewer classes */
		marked(c, 0x00ff0000);
	fill_classes(c);
	both(c, 24, 24); /* there is no class for it alone */
	both(c, 16, 16); /* nor for this */
	seed_match(rule(c), XT2_M_DST4, 7, 0x0a000000, NULL, 0); /* 16 bits of 25 */
	insert(c);
	seed_match(rule(c), XT2_M_DST4, 20, 0x0a000000, NULL, 0); /* 8 of 12 */
	insert(c);
	marked(c, 0x000000ff);
	marked(c, 0x0000ff00);
	marked(c, 0xff000000);
	marked(c, 0x00f00000);
	marked(c, 0x00000f00); /* nor for this */
	p = publish(c);
	assert_int_equal(p->classes, 16);
	IS_CLASS(p, 0, XT2_FIELD_MARK, 257, 0x00ff0000);
	IS_CLASS(p, 1, XT2_FIELD_IN, 1, ~0u);
	IS_CLASS(p, 2, XT2_FIELD_OUT, 1, ~0u);
	IS_CLASS(p, 3, XT2_FIELD_MAC, 1, ~0u);
	IS_CLASS(p, 4, XT2_FIELD_SRC, 2, 0xffffff00);
	IS_CLASS(p, 5, XT2_FIELD_SRC, 2, 0xff000000);
	IS_CLASS(p, 6, XT2_FIELD_DST, 3, ~0u);
	IS_CLASS(p, 7, XT2_FIELD_DPORT, 1, ~0u);
	IS_CLASS(p, 8, XT2_FIELD_SPORT, 1, ~0u);
	IS_CLASS(p, 9, XT2_FIELD_DST, 1, 0xffff0000);
	IS_CLASS(p, 10, XT2_FIELD_DST, 1, 0xff000000);
	IS_CLASS(p, 13, XT2_FIELD_MARK, 1, 0xff000000);
	IS_CLASS(p, 14, XT2_FIELD_MARK, 1, 0x00f00000);
	IS_CLASS(p, 15, XT2_FIELD_NONE, 1, 0);
	assert_int_equal(p->words[3], 4);
	assert_int_equal(p->words[10], 1);
	assert_int_equal(asks(c) & (XT2_ASKS_MAC | XT2_ASKS_IN | XT2_ASKS_OUT),
			 XT2_ASKS_MAC | XT2_ASKS_IN | XT2_ASKS_OUT);
	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < 3; i++) /* the DST class goes, and another takes its number */
		assert_int_equal(change_delete(c, 11), 0);
	marked(c, 0x00000f00);
	p = publish(c);
	IS_CLASS(p, 6, XT2_FIELD_MARK, 1, 0x00000f00);
	assert_int_equal(p->classes, 16);
	change_free(c);
}

/* Few rules have eight classes at most, two of them for rules that no other one suits. */
static void test_few_classes(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 200);
	const struct xt2_patch *p;

	fill_classes(c);
	p = publish(c);
	assert_int_equal(p->classes, 8);
	IS_CLASS(p, 4, XT2_FIELD_SRC, 1, 0xffffff00);
	IS_CLASS(p, 5, XT2_FIELD_SRC, 1, 0xff000000);
	IS_CLASS(p, 6, XT2_FIELD_DST, 3, ~0u);
	IS_CLASS(p, 7, XT2_FIELD_NONE, 2, 0);
	change_free(c);
}

/* Starts of names, ranges of ports and inverted tests are no fields. */
static void test_no_field(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 200);
	const struct xt2_patch *p;

	seed_match(rule(c), XT2_M_IN, 0, 3, "eth\0\0\0\0", 8);
	insert(c);
	seed_match(rule(c), XT2_M_SRC4, XT2_MATCH_INVERT, 0x0a000001, NULL, 0);
	insert(c);
	seed_match(rule(c), XT2_M_PROTO, 0, 6, NULL, 0);
	seed_match(&c->w.rule, XT2_M_TCP, XT2_PORTS_DST, 80 | 81u << 16, NULL, 0);
	insert(c);
	p = publish(c);
	assert_int_equal(p->classes, 1);
	IS_CLASS(p, 0, XT2_FIELD_NONE, 3, 0);
	assert_int_equal(change_begin(c), 0);
	seed_match(rule(c), XT2_M_SRC4, 0, 0x0a000001, NULL, 0);
	seed_match(&c->w.rule, XT2_M_IN, 0, 5, "eth0\0\0\0", 8);
	insert(c); /* an address says more than a whole name */
	p = publish(c);
	IS_CLASS(p, 1, XT2_FIELD_SRC, 1, ~0u);
	change_free(c);
}

static void test_ipv6(void **unused)
{
	struct change_case *c = begin(XT2_IPV6, 200);
	u64 words[4] = { 0x11223344556677fd, 0x01, ~0ull, __builtin_bswap64(~0ull << 53) };
	const struct xt2_patch *p;

	words[1] &= words[3];
	seed_match(rule(c), XT2_M_DST6_MASK, 0, 0, words, 32); /* /75: 72 bits */
	insert(c);
	p = publish(c);
	assert_int_equal(p->classes, 1);
	IS_CLASS(p, 0, XT2_FIELD_DST, 1, ~0u);
	assert_int_equal(p->mask[1][0], ~0u);
	assert_int_equal(p->mask[2][0], 0xff);
	assert_int_equal(p->mask[3][0], 0);
	change_free(c);
}

static void test_arp(void **unused)
{
	struct change_case *c = begin(XT2_ARP, 200);
	const struct xt2_patch *p;

	source(c, 0x0a010203, 32);
	p = publish(c);
	assert_int_equal(p->classes, 1);
	IS_CLASS(p, 0, XT2_FIELD_NONE, 1, 0);
	assert_int_equal(asks(c), XT2_ASKS_PORTS);
	change_free(c);
}

/* Two buckets for an entry, up to 512; then 2 entries a bucket, and from 2,048 buckets on, 8. */
static void test_buckets_grow(void **unused)
{
	static const struct {
		u32 rules, bits;
	} steps[] = {
		{ 1, 1 },    { 2, 2 },	   { 64, 7 },	 { 65, 8 },	   { 129, 9 },
		{ 1024, 9 }, { 1025, 10 }, { 3000, 11 }, { 2048 * 8, 11 }, { 2048 * 8 + 1, 12 }
	};
	struct change_case *c = begin(XT2_IPV4, 18000);
	const struct xt2_patch *p;
	u32 i, rules = 0;

	for (i = 0; i < XT2_ARRAY_SIZE(steps); i++) {
		for (; rules < steps[i].rules; rules++)
			source(c, rules << 8, 32);
		p = publish(c);
		assert_int_equal(p->shift, 32 - steps[i].bits);
		assert_int_equal(change_begin(c), 0);
	}
	xt2_patch_abort(&c->edit);
	change_free(c);
}

/* All rules have one hash: the bucket is a list, and loses entries anywhere in it. */
static void test_one_bucket(void **unused)
{
	static struct change_model before;
	struct change_case *c = begin(XT2_IPV4, 2000);
	const struct xt2_patch *p;
	u32 i, at, chain, parts = 0;

	for (i = 0; i < 500; i++)
		source(c, 0x0a000001, 32);
	p = publish(c);
	for (i = 0; i < xt2_patch_slots(p); i++) {
		at = xt2_patch_slot_at(c->img, p, i)->bucket;
		for (; at; at = ((const struct xt2_patch_bucket *)xt2_at(c->img, at))->next)
			parts++;
	}
	assert_int_equal(parts, 500 / XT2_PATCH_ENTRIES);
	before = c->now;
	chain = c->chain;
	assert_int_equal(change_begin(c), 0);
	for (i = 500; i > 1; i -= 2)
		assert_int_equal(change_delete(c, i * 7 % i), 0);
	publish(c);
	change_read(c, chain, &before);
	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < 250; i++)
		assert_int_equal(change_delete(c, (249 - i) / 2), 0);
	assert_int_equal(publish(c)->classes, 0);
	change_free(c);
}

/* Rules that ask for more than the class of a crowded bucket get classes of their own. */
static void test_crowded_bucket(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 2000);
	const struct xt2_patch *p;
	u32 i;

	both(c, 20, 19); /* 20 and 16 bits */
	for (i = 0; i < 8 * XT2_PATCH_ENTRIES; i++)
		both(c, 24, 20);
	p = publish(c);
	assert_int_equal(p->classes, 2);
	IS_PAIR(p, 0, XT2_FIELD_SRC, XT2_FIELD_DST, 80, 0xfffff000, 0xffff0000);
	IS_PAIR(p, 1, XT2_FIELD_SRC, XT2_FIELD_DST, 1, 0xffffff00, 0xffff0000);
	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < 8 * XT2_PATCH_ENTRIES; i++)
		both(c, 24, 20);
	both(c, 20, 19); /* has no other */
	p = publish(c);
	assert_int_equal(p->classes, 3);
	IS_PAIR(p, 0, XT2_FIELD_SRC, XT2_FIELD_DST, 81, 0xfffff000, 0xffff0000);
	IS_PAIR(p, 1, XT2_FIELD_SRC, XT2_FIELD_DST, 80, 0xffffff00, 0xffff0000);
	IS_PAIR(p, 2, XT2_FIELD_SRC, XT2_FIELD_DST, 1, 0xffffff00, 0xfffff000);
	change_free(c);
}

/* Without another class to be had, the rule is in one of those that there are. */
static void test_less_crowded_bucket(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 1000);
	const struct xt2_patch *p;
	u32 i;

	fill_classes(c);
	for (i = 1; i < 8 * XT2_PATCH_ENTRIES; i++) /* with one there is */
		both(c, 32, 32);
	p = publish(c);
	IS_CLASS(p, 4, XT2_FIELD_SRC, 1, 0xffffff00);
	IS_CLASS(p, 6, XT2_FIELD_DST, 82, ~0u);
	assert_int_equal(change_begin(c), 0);
	for (i = 0; i < 8 * XT2_PATCH_ENTRIES + 1; i++)
		both(c, 32, 32);
	p = publish(c);
	assert_int_equal(p->classes, 8);
	IS_CLASS(p, 4, XT2_FIELD_SRC, 81, 0xffffff00);
	IS_CLASS(p, 5, XT2_FIELD_SRC, 2, 0xff000000);
	IS_CLASS(p, 6, XT2_FIELD_DST, 82, ~0u);
	change_free(c);
}

/* A bucket whose list has all its parts: only the rules for it are refused. */
static void test_full_bucket(void **unused)
{
	struct change_case *c = begin(XT2_IPV4, 4000);
	const struct xt2_patch *p;
	u32 i;

	for (i = 0; i < XT2_BUCKET_PARTS * XT2_PATCH_ENTRIES - 1; i++)
		source(c, 0x0a000001, 32);
	p = &c->edit.patch;
	assert_int_equal(p->classes, 1);
	seed_match(rule(c), XT2_M_SRC4, 0, 0x0a000001, NULL, 0);
	assert_int_equal(change_insert(c, 0, seed_rule(&c->w.rule)), -E2BIG);
	assert_int_equal(p->inserted, i);
	for (i = 2; i < 40; i++) /* of other buckets */
		if ((xt2_patch_hash(p, 0, (u32[XT2_CLASS_WORDS]){ 0x0a000000 + i }) ^
		     xt2_patch_hash(p, 0, (u32[XT2_CLASS_WORDS]){ 0x0a000001 })) >>
		    p->shift)
			source(c, 0x0a000000 + i, 32);
	assert_int_equal(change_delete(c, 500), 0);
	source(c, 0x0a000001, 32);
	seed_match(rule(c), XT2_M_SRC4, 0, 0x0a000001, NULL, 0);
	assert_int_equal(change_insert(c, 0, seed_rule(&c->w.rule)), -E2BIG);
	publish(c);
	change_free(c);
}

/* --- packets --------------------------------------------------------------- */

/* => does the rule do anything to this packet, or remember it? @root: with cells for the world */
static bool touches(const struct change_case *c, const struct xt2_root *root, u32 rule,
		    const struct world_packet *p)
{
	struct world_packet copy;
	struct xt2_ctx ctx = {
		.pkt = &copy.pkt,
		.img = c->img,
		.root = root,
		.now = 1700000000000000000ull,
		.random = 1,
	};
	struct xt2_oracle o = { .ctx = &ctx };
	const struct xt2_match *failed;
	u64 cells[WORLD_CELLS], *now = xt2_image_cell(c->img, root, 0);
	bool does;

	world_packet_copy(&copy, p);
	memcpy(cells, now, sizeof(cells));
	does = xt2_oracle_rule(&o, xt2_at(c->img, rule), &failed) != XT2_MISS || ctx.random != 1 ||
	       memcmp(cells, now, sizeof(cells)) || copy.pkt.cut != p->pkt.cut;
	memcpy(now, cells, sizeof(cells));
	return does;
}

static bool in_bucket(const struct change_case *c, const struct xt2_patch *p, u32 hash, u32 unit)
{
	u32 at = xt2_patch_slot_of(c->img, p, hash)->bucket, i;

	while (at) {
		const struct xt2_patch_bucket *b = xt2_at(c->img, at);

		for (i = 0; i < b->entries; i++)
			if (b->entry[i].hash == hash && b->entry[i].unit == unit)
				return true;
		at = b->next;
	}
	return false;
}

/* Is the rule a candidate for the packet? */
static bool is_candidate(const struct change_case *c, const struct xt2_patch *p, u32 rule,
			 const struct xt2_search *s, const struct xt2_pkt *pkt)
{
	u32 i, word[XT2_CLASS_WORDS];

	for (i = 0; i < p->classes; i++) {
		xt2_index_field(s, pkt, p->field[0][i], word);
		xt2_index_field(s, pkt, p->field[1][i], word + XT2_FIELD_WORDS);
		if (in_bucket(c, p, xt2_patch_hash(p, i, word), rule))
			return true;
	}
	return false;
}

/* => inserted rules that packets need not look at, of 100 */
static u32 try_packets(struct change_case *c, const struct xt2_patch *p, u32 *wanted)
{
	struct xt2_root root = *xt2_image_root(c->img);
	static struct world_packet packet;
	static struct xt2_search search;
	u32 i, j, tried = 0, spared = 0;

	root.cell = xt2_space_alloc(&c->space, 8 * WORLD_CELLS);
	memset(xt2_at(c->img, root.cell), 0, 8 * WORLD_CELLS);
	for (i = 0; i < 60; i++) {
		const u32 aim = c->where[c->now.id[world_below(&c->w, c->now.n)]];

		memset(&search, 0, sizeof(search));
		if (!world_packet(&c->w, xt2_at(c->img, aim), &packet) ||
		    !xt2_keys_fill(&search.keys, &packet.pkt, asks(c)))
			continue;
		for (j = 0; j < c->now.n; j++) {
			const u32 rule = c->where[c->now.id[j]];
			bool candidate;

			if (rule <
			    p->compiled + ((struct xt2_chain *)xt2_at(c->img, p->compiled))->size)
				continue;
			candidate = is_candidate(c, p, rule, &search, &packet.pkt);
			tried++;
			spared += !candidate;
			if (touches(c, &root, rule, &packet)) {
				assert_true(candidate);
				(*wanted)++;
			}
		}
	}
	return tried ? 100 * spared / tried : 0;
}

/* Rules that the oracle finds to match a packet are in the buckets that the packet names. */
static void test_packets(void **unused)
{
	const u64 seed = change_seed("patch-entries");
	u32 i, j, wanted = 0, spared = 0;

	for (i = 0; i < 12; i++) {
		struct change_case *c = change_new(seed + i, i & 1 ? XT2_IPV4 : XT2_IPV6,
						   CHANGE_WORLD, 400, NULL, 8u << 20);

		c->w.style = (enum world_style)(i % WORLD_STYLES);
		assert_int_equal(change_begin(c), 0);
		for (j = 0; j < 300; j++)
			assert_int_equal(change_insert(c, c->now.n, change_rule(c, CHANGE_WORLD)),
					 0);
		spared += try_packets(c, publish(c), &wanted);
		change_free(c);
	}
	assert_true(wanted > 100);
	assert_true(spared > 12 * 20);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(test_prefixes),
	cmocka_unit_test(test_both_addresses),
	cmocka_unit_test(test_classes_run_out),
	cmocka_unit_test(test_few_classes),
	cmocka_unit_test(test_no_field),
	cmocka_unit_test(test_ipv6),
	cmocka_unit_test(test_arp),
	cmocka_unit_test(test_buckets_grow),
	cmocka_unit_test(test_one_bucket),
	cmocka_unit_test(test_packets),
	cmocka_unit_test(test_crowded_bucket),
	cmocka_unit_test(test_less_crowded_bucket),
	cmocka_unit_test(test_full_bucket),
};

UNITS(cases)
