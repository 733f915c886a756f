/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-arena.c - libxt2/ruleset/arena.c */
#include <stdlib.h>
#include <string.h>
#include "libxt2/ruleset/arena.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/unit-program.h"

static void records_are_apart_and_aligned(void **state)
{
	struct xt2_arena_ arena = { 0 };
	unsigned char *record[1000];
	size_t i, size, all = 0;

	for (i = 0; i < 1000; i++) {
		size = 1 + i * 7 % 300;
		record[i] = xt2_arena_alloc_(&arena, size);
		assert_non_null(record[i]);
		assert_int_equal((uintptr_t)record[i] % 8, 0);
		memset(record[i], (int)i, size);
		all += (size + 7) / 8 * 8;
	}
	assert_int_equal(arena.live, all);
	assert_int_equal(arena.dead, 0);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(record[i][0], i & 0xff);
		assert_int_equal(record[i][i * 7 % 300], i & 0xff);
	}
	xt2_arena_free_(&arena);
	assert_int_equal(arena.live, 0);
	assert_null(arena.chunks);
}

static void large_records_have_room(void **state)
{
	struct xt2_arena_ arena = { 0 };
	char *small = xt2_arena_alloc_(&arena, 8), *large = xt2_arena_alloc_(&arena, 5 << 20);
	char *next = xt2_arena_alloc_(&arena, 8);

	assert_true(small && large && next);
	memset(large, 1, 5 << 20);
	assert_int_equal(next - small, 8); /* the chunk with free room is still used */
	assert_null(xt2_arena_alloc_(&arena, SIZE_MAX - 4));
	xt2_arena_free_(&arena);
}

static void what_is_forgotten_is_counted(void **state)
{
	struct xt2_arena_ arena = { 0 };

	assert_non_null(xt2_arena_alloc_(&arena, 20));
	assert_non_null(xt2_arena_alloc_(&arena, 8));
	xt2_arena_forget_(&arena, 20);
	assert_int_equal(arena.live, 8);
	assert_int_equal(arena.dead, 24);
	xt2_arena_free_(&arena);
}

static void arenas_are_joined(void **state)
{
	struct xt2_arena_ one = { 0 }, two = { 0 };
	char *a = xt2_arena_alloc_(&one, 8), *b = xt2_arena_alloc_(&two, 8);

	*a = 'a';
	*b = 'b';
	xt2_arena_forget_(&two, 8);
	xt2_arena_join_(&one, &two);
	assert_null(two.chunks);
	assert_int_equal(two.live | two.dead, 0);
	assert_int_equal(one.live, 8);
	assert_int_equal(one.dead, 8);
	assert_true(*a == 'a' && *b == 'b');
	xt2_arena_free_(&two);
	assert_true(*b == 'b');
	xt2_arena_free_(&one);
}

static void sizes_are_rounded_to_huge_pages(void **state)
{
	char *p;

	assert_int_equal(XT2_LARGE_SIZE_(1), XT2_LARGE_);
	assert_int_equal(XT2_LARGE_SIZE_(XT2_LARGE_), XT2_LARGE_);
	assert_int_equal(XT2_LARGE_SIZE_(XT2_LARGE_ + 1), 2 * XT2_LARGE_);
	p = xt2_room_alloc_(XT2_LARGE_ + 1);
	assert_non_null(p);
	p[0] = p[XT2_LARGE_] = 1;
	assert_int_equal(p[1], 0);
	xt2_room_free_(p, XT2_LARGE_ + 1);
	xt2_room_free_(NULL, XT2_LARGE_);
	p = xt2_room_alloc_(XT2_LARGE_ - 1);
	assert_non_null(p);
	p[XT2_LARGE_ - 2] = 1;
	xt2_room_free_(p, XT2_LARGE_ - 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(records_are_apart_and_aligned),
	cmocka_unit_test(large_records_have_room),
	cmocka_unit_test(what_is_forgotten_is_counted),
	cmocka_unit_test(arenas_are_joined),
	cmocka_unit_test(sizes_are_rounded_to_huge_pages),
};

UNITS(tests)
