/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-classes.c - engine/index/classes.c
 *
 * Each hash is that of the class's own fields, one after the other, and a bit says whether the
 * bucket's tags have it.
 */
#include "engine/index/pairs.h"
#include "engine/index/patched.h"
#include "tests/lib/world-packets.h"
#include "tests/unit/change-case.h"

static struct xt2_search search;
static u32 compared, found;

static void compare(const struct change_case *c, const struct xt2_chain *chain,
		    const struct xt2_pkt *pkt)
{
	const struct xt2_patch *p = xt2_chain_patch(chain);
	u32 i, j, may, tags, hash, word[XT2_CLASS_WORDS];

	memset(&search, 0xa5, sizeof(search)); /* what is not asked for is of another packet */
	search.keys.have = 0;
	if (!xt2_keys_fill(&search.keys, pkt, xt2_chain_index(chain)->asks))
		return;
	may = xt2_patch_buckets(c->img, p, &search, pkt);
	assert_int_equal(may >> p->classes, 0);
	for (i = 0; i < p->classes; i++) {
		for (j = 0; j < XT2_CLASS_FIELDS; j++)
			xt2_index_field(&search, pkt, p->field[j][i], word + j * XT2_FIELD_WORDS);
		hash = xt2_patch_hash(p, i, word);
		assert_int_equal(search.merge.hash[i], hash);
		tags = xt2_patch_slot_of(c->img, p, hash)->tags;
		assert_int_equal(may >> i & 1, tags >> hash % 32 & tags >> hash / 32 % 32 & 1);
		found += may >> i & 1;
		compared++;
	}
}

static void hashes_are_those_of_each_class(void **unused)
{
	const u64 seed = change_seed("classes");
	static struct world_packet packet;
	u32 i, j;

	for (i = 0; i < 12; i++) {
		struct change_case *c = change_new(seed + i, i & 1 ? XT2_IPV4 : XT2_IPV6,
						   CHANGE_WORLD, 400, NULL, 8u << 20);

		c->w.style = (enum world_style)(i % WORLD_STYLES);
		assert_int_equal(change_begin(c), 0);
		for (j = 0; j < 300; j++)
			assert_int_equal(change_insert(c, c->now.n, change_rule(c, CHANGE_WORLD)),
					 0);
		assert_int_equal(change_end(c), 0);
		for (j = 0; j < 100; j++) {
			const u32 aim = c->where[c->now.id[world_below(&c->w, c->now.n)]];

			if (world_packet(&c->w, xt2_at(c->img, aim), &packet))
				compare(c, xt2_at(c->img, c->chain), &packet.pkt);
		}
		change_free(c);
	}
	assert_true(compared > 1000);
	assert_true(found > 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(hashes_are_those_of_each_class),
};

UNITS(tests)
