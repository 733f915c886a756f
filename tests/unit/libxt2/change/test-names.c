/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-names.c - libxt2/change/names.c */
#include <stdio.h>
#include <stdlib.h>
#include "libxt2/change/names.h"
#include "tests/lib/unit-program.h"

#define CHAINS	 3000u
#define TABLES	 2u
#define CAPACITY (8u << 20)

static struct xt2_image *img;
static struct xt2_space space;
static struct xt2_pages slot, cold;
static struct xt2_edits edits;
static struct xt2_names names;
static u32 table[CHAINS]; /* of a chain; ~0: it has no name */

static u32 table_of(void *arg, u32 chain)
{
	return table[chain];
}

/* A table of names of an empty image. */
static void begin(u32 capacity)
{
	static const struct xt2_root root;

	img = calloc(1, CAPACITY);
	img->size = sizeof(*img);
	memset(table, 0xff, sizeof(table));
	memset(&edits, 0, sizeof(edits));
	assert_int_equal(xt2_space_begin(&space, img, capacity), 0);
	xt2_pages_begin(&slot, &space, 0, 0, sizeof(u32), XT2_NAME_PAGE);
	xt2_pages_begin(&cold, &space, 0, 0, sizeof(struct xt2_chain_cold), XT2_COLD_PAGE);
	xt2_names_begin(&names, &slot, &cold, &edits, table_of, NULL);
	assert_int_equal(xt2_names_build(&names, img, &root), 0);
}

static void end(void)
{
	xt2_pages_free(&slot);
	xt2_pages_free(&cold);
	xt2_space_end(&space);
	free(img);
}

static void name_of(u32 number, char *name)
{
	memset(name, 0, XT2_NAME_SIZE);
	snprintf(name, XT2_NAME_SIZE, "chain-%u", number);
}

/* Half of the names are in both tables. */
static int add(u32 chain)
{
	struct xt2_chain_cold *c;
	char name[XT2_NAME_SIZE];

	name_of(chain / TABLES, name);
	assert_int_equal(xt2_pages_grow(&cold, chain + 1), 0);
	c = xt2_pages_own(&cold, chain);
	assert_non_null(c);
	memcpy(c->name, name, sizeof(c->name));
	table[chain] = chain % TABLES;
	return xt2_names_add(&names, table[chain], name, chain);
}

static void delete (u32 chain)
{
	char name[XT2_NAME_SIZE];

	name_of(chain / TABLES, name);
	assert_int_equal(xt2_names_delete(&names, table[chain], name, chain), 0);
	assert_int_equal(xt2_names_delete(&names, table[chain], name, chain), -ENOENT);
	table[chain] = ~0u;
}

static void all_are_found(void)
{
	char name[XT2_NAME_SIZE];
	u32 i;

	for (i = 0; i < CHAINS; i++) {
		name_of(i / TABLES, name);
		assert_int_equal(xt2_names_find(&names, i % TABLES, name),
				 table[i] == ~0u ? XT2_NAMES_NONE : i);
	}
}

static void names_come_and_go(void **unused)
{
	u32 i, n, chain;

	begin(CAPACITY);
	srand(1);
	all_are_found();
	for (n = 0; n < 6; n++) {
		for (i = 0; i < 4000; i++) {
			chain = (u32)rand() % (CHAINS >> (n % 3));
			if (table[chain] == ~0u)
				assert_int_equal(add(chain), 0);
			else
				delete (chain);
		}
		all_are_found();
	}
	end();
}

/* Names that are made and deleted again and again take no more slots than there are chains. */
static void slots_are_used_again(void **unused)
{
	u32 i;

	begin(CAPACITY);
	for (i = 0; i < 5000; i++) {
		assert_int_equal(add(i % 20), 0);
		delete (i % 20);
	}
	assert_true(edits.slots <= XT2_NAME_PAGE);
	end();
}

static void without_room_it_fails(void **unused)
{
	begin(sizeof(*img) + 2 * XT2_NAME_PAGE * sizeof(u32));
	assert_int_equal(xt2_names_add(&names, 0, "one\0                           ", 0), 0);
	assert_int_equal(xt2_pages_clear(&slot, 4 * XT2_NAME_PAGE), 0);
	edits.slots = 4 * XT2_NAME_PAGE;
	space.capacity = img->size;
	assert_int_equal(xt2_names_add(&names, 0, "two\0                           ", 1), -ENOSPC);
	end();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_come_and_go),
	cmocka_unit_test(slots_are_used_again),
	cmocka_unit_test(without_room_it_fails),
};

UNITS(tests)
