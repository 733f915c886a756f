/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-owners.c - libxt2/change/owners.c */
#include "libxt2/change/owners.h"

#include "tests/unit/inplace-case.h"

static void make_chains(struct inplace_case *c)
{
	assert_int_equal(xt2_ruleset_act(c->rs, "one"), 0);
	assert_true(xt2_chain_add(c->rs, 0, "first") >= 0);
	assert_int_equal(xt2_ruleset_act(c->rs, "other"), 0);
	assert_true(xt2_chain_add(c->rs, 0, "second") >= 0);
	inplace_commit(c);
}

static void chains_have_owners(void **data)
{
	struct inplace_case c = inplace_open(70, true);
	static struct xt2_owners names;
	struct xt2_owned owned;
	u32 i, mine = 0;

	xt2_owned_begin(&owned, c.img, c.img->size, c.img->root);
	assert_int_equal(owned.count, 0);
	assert_int_equal(xt2_owned_by(&owned, 3), 0);
	make_chains(&c);
	xt2_owned_begin(&owned, c.img, c.img->size, c.img->root);
	xt2_owned_names(&owned, &names);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.name[0], "one");
	assert_string_equal(names.name[1], "other");
	for (i = 0; i < 2 * owned.chains; i++)
		mine += xt2_owned_by(&owned, i);
	assert_int_equal(mine, 1 + 2);
	assert_int_equal(xt2_owned_by(&owned, (u32)xt2_chain_find(c.rs, 0, "second")), 2);
	inplace_close(&c);
}

static void a_list_has_each_name_once(void **data)
{
	static struct xt2_owners list;
	char name[40];
	u32 i;

	for (i = 0; i < XT2_OWNERS_MAX; i++) {
		snprintf(name, sizeof(name), "owner %u", i);
		assert_int_equal(xt2_owner_number(&list, name), i + 1);
	}
	assert_int_equal(xt2_owner_number(&list, "owner 0"), 1);
	assert_int_equal(xt2_owner_number(&list, "owner 77"), 78);
	assert_int_equal(xt2_owner_number(&list, "another"), 0);
	assert_int_equal(xt2_owners_size(&list), 8 + XT2_OWNERS_MAX * XT2_NAME_SIZE);
}

/* Whatever the bytes are, they are read inside of the image. */
static void hostile_owners_are_nobody(void **data)
{
	struct inplace_case c = inplace_open(70, true);
	static struct xt2_owners names;
	u64 seed = 88172645463325252ull;
	struct xt2_owned owned;
	struct xt2_image *copy;
	u32 i, n;

	make_chains(&c);
	for (i = 0; i < 4000; i++) {
		const u64 size = c.img->size;

		copy = malloc(size); /* so that sanitizers see its end */
		memcpy(copy, c.img, size);
		for (n = 0; n < 1 + i % 8; n++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			*(u32 *)((u8 *)copy + size - 4 - (seed >> 33) % 6000 / 4 * 4) =
				seed >> 62 ? (u32)(seed >> 40) % (u32)size & ~7u
					   : (u32)(seed >> 20);
		}
		xt2_owned_begin(&owned, copy, size, i % 5 ? copy->root : (u32)(seed >> 30));
		xt2_owned_names(&owned, &names);
		assert_true(names.count <= XT2_OWNERS_MAX);
		for (n = 0; n < 200; n++)
			assert_true(xt2_owned_by(&owned, n * (1 + i % 3)) <= names.count);
		free(copy);
	}
	inplace_close(&c);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(chains_have_owners),
	cmocka_unit_test(a_list_has_each_name_once),
	cmocka_unit_test(hostile_owners_are_nobody),
};

UNITS(cases)
