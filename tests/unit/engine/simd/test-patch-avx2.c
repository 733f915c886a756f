/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-patch-avx2.c - engine/simd/patch-avx2.c
 *
 * Against the same step without vectors: the hashes of random packets in all classes of
 * random patches, and the classes whose buckets may have rules for them.
 */
#include "engine/index/patched.h"
#include "engine/simd/scan.h"
#include "tests/lib/slot-pages.h"
#include "tests/lib/world-packets.h"
#include "tests/unit/change-case.h"

#ifdef __x86_64__
#define ASKS_LONG (XT2_ASKS_IN | XT2_ASKS_OUT | XT2_ASKS_MAC)

static struct xt2_search one, two;

/* Patches by what their classes are of; the hashes are computed in other ways. */
enum way { LONG, WIDE, MANY, FEW, WAYS };

/* => does a class have a field that is a name, or a MAC address? */
static bool has_long(const struct xt2_patch *p)
{
	u32 i, j, fields = 0;

	for (i = 0; i < XT2_CLASS_FIELDS; i++)
		for (j = 0; j < p->classes; j++)
			fields |= 1u << p->field[i][j];
	return fields & (1u << XT2_FIELD_IN | 1u << XT2_FIELD_OUT | 1u << XT2_FIELD_MAC);
}

static enum way way_of(const struct xt2_patch *p)
{
	u32 i;

	if (has_long(p))
		return LONG;
	for (i = 0; i < p->classes; i++)
		if (p->words[i] > 1)
			return WIDE;
	return p->classes > 8 ? MANY : FEW;
}

/* Addresses of all lengths. */
static struct xt2_rule *of_addresses(struct change_case *c)
{
	struct seed_rule *r = &c->w.rule;
	const u32 random = (u32)world_below(&c->w, 1u << 30);

	r->family = c->family;
	seed_rule_begin(r, XT2_T_DROP, 0);
	if (c->family == XT2_IPV6) {
		const u64 words[4] = { random & 0xffff, random >> 16, random & 1 ? 0xffff : ~0ull,
				       random & 1 ? 0 : ~0ull };

		seed_match(r, random & 2 ? XT2_M_SRC6_MASK : XT2_M_DST6_MASK, 0, 0, words, 32);
	} else {
		const u8 a = (u8)(4 * (random % 8)), b = (u8)(4 * (random / 8 % 8));

		if (random & 64)
			seed_match(r, XT2_M_SRC4, a, random >> a << a, NULL, 0);
		if (random & 128)
			seed_match(r, XT2_M_DST4, b, random >> b << b, NULL, 0);
	}
	return seed_rule(r);
}

/* What is not asked for is of another packet. */
static void begin_search(struct xt2_search *s)
{
	memset(s, 0xa5, sizeof(*s));
	s->keys.have = 0;
}

/* => classes that the packet may find rules by */
static u32 compare(const struct change_case *c, const struct xt2_chain *chain,
		   const struct xt2_pkt *pkt)
{
	const struct xt2_patch *p = xt2_chain_patch(chain);
	u32 may, asks = xt2_chain_index(chain)->asks;

	if (!has_long(p)) /* only rules of the compiled chain ask for them */
		asks &= ~ASKS_LONG;
	begin_search(&one);
	if (!xt2_keys_fill(&one.keys, pkt, asks))
		return 0;
	begin_search(&two);
	two.keys = one.keys;
	may = xt2_patch_buckets(c->img, p, &one, pkt);
	assert_int_equal(may, xt2_buckets_avx2(c->img, p, &two, pkt));
	assert_memory_equal(one.merge.hash, two.merge.hash, p->classes * sizeof(u32));
	return (u32)__builtin_popcount(may);
}

static u32 compare_packets(struct change_case *c, u32 *found)
{
	const struct xt2_chain *chain = xt2_at(c->img, c->chain);
	static struct world_packet packet;
	u32 i;

	for (i = 0; i < 200; i++) {
		const u32 aim = c->where[c->now.id[world_below(&c->w, c->now.n)]];

		if (world_packet(&c->w, xt2_at(c->img, aim), &packet))
			*found += compare(c, chain, &packet.pkt);
	}
	return xt2_chain_patch(chain)->classes;
}
#endif

static void hashes_are_those_of_the_other(void **unused)
{
#ifdef __x86_64__
	const u64 seed = change_seed("patch-avx2");
	u32 i, j, most = 0, found = 0, classes, ways[WAYS] = { 0 };

	if (xt2_scan_best() < XT2_SCAN_AVX2)
		skip();
	for (i = 0; i < 24; i++) {
		struct change_case *c = change_new(seed + i, i & 1 ? XT2_IPV4 : XT2_IPV6,
						   CHANGE_WORLD, 500, NULL, 8u << 20);

		c->w.style = (enum world_style)(i % WORLD_STYLES);
		assert_int_equal(change_begin(c), 0);
		for (j = 0; j < (i & 2 ? 400 : 12); j++)
			assert_int_equal(change_insert(c, c->now.n,
						       i < 12 ? change_rule(c, CHANGE_WORLD)
							      : of_addresses(c)),
					 0);
		assert_int_equal(change_end(c), 0);
		classes = compare_packets(c, &found);
		most = classes > most ? classes : most;
		ways[way_of(xt2_chain_patch(xt2_at(c->img, c->chain)))]++;
		slot_pages_make(&c->space,
				(struct xt2_patch *)xt2_chain_patch(xt2_at(c->img, c->chain)));
		compare_packets(c, &found);
		change_free(c);
	}
	for (i = 0; i < WAYS; i++)
		assert_true(ways[i]);
	assert_true(most > 8); /* two vectors */
	assert_true(found > 100);
#else
	skip();
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(hashes_are_those_of_the_other),
};

UNITS(tests)
