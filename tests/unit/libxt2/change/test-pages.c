/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-pages.c - libxt2/change/pages.c */
#include "libxt2/change/pages.h"

#include <errno.h>
#include <stdlib.h>
#include "engine/image.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/unit-program.h"

#define FIRST	 4096u /* bytes of the image at first */
#define CAPACITY (1u << 18)
#define PER_PAGE 8u

static struct xt2_space space;
static struct xt2_image *img;

static int setup(void **unused)
{
	img = malloc(CAPACITY);
	if (!img)
		return -1;
	memset(img, 0xa5, CAPACITY);
	img->size = FIRST;
	return xt2_space_begin(&space, img, CAPACITY);
}

static int teardown(void **unused)
{
	xt2_space_end(&space);
	free(img);
	return 0;
}

static void begin(struct xt2_pages *p, u32 dir, u32 count)
{
	xt2_pages_begin(p, &space, dir, count, sizeof(u32), PER_PAGE);
}

/* An array in which each element is its number and 1.  => its directory */
static u32 make(u32 count)
{
	struct xt2_pages p;
	u32 i, dir;

	begin(&p, 0, 0);
	assert_int_equal(xt2_pages_grow(&p, count), 0);
	for (i = 0; i < count; i++)
		*(u32 *)xt2_pages_own(&p, i) = i + 1;
	assert_int_equal(xt2_pages_end(&p, &dir), 0);
	xt2_pages_free(&p);
	xt2_space_commit(&space, 1);
	return dir;
}

static u32 get(const struct xt2_pages *p, u32 i)
{
	const u32 *element = xt2_pages_get(p, i);

	return element ? *element : 0;
}

static void a_change_leaves_the_generation_before(void **unused)
{
	const u32 dir = make(20);
	struct xt2_pages p, old;
	u32 now, i;

	begin(&p, dir, 20);
	*(u32 *)xt2_pages_own(&p, 9) = 77;
	assert_ptr_equal(xt2_pages_own(&p, 9), xt2_pages_get(&p, 9)); /* copied once */
	assert_int_equal(xt2_pages_end(&p, &now), 0);
	xt2_pages_free(&p);
	assert_int_not_equal(now, dir);
	begin(&old, dir, 20);
	begin(&p, now, 20);
	for (i = 0; i < 20; i++) {
		assert_int_equal(get(&old, i), i + 1);
		assert_int_equal(get(&p, i), i == 9 ? 77 : i + 1);
	}
	/* the page and the directory are given up */
	assert_int_equal(space.waiting, PER_PAGE * sizeof(u32) + 4 * sizeof(u32));
}

static void without_a_change_the_directory_stays(void **unused)
{
	const u32 dir = make(20);
	const u64 size = img->size;
	struct xt2_pages p;
	u32 now = 0;

	begin(&p, dir, 20);
	assert_int_equal(get(&p, 19), 20);
	assert_int_equal(xt2_pages_end(&p, &now), 0);
	assert_int_equal(now, dir);
	assert_int_equal(img->size, size);
	xt2_pages_free(&p);
}

static void more_elements_are_zero(void **unused)
{
	const u32 dir = make(3);
	struct xt2_pages p;
	u32 now, i;

	begin(&p, dir, 3);
	assert_int_equal(xt2_pages_grow(&p, 1000), 0);
	assert_int_equal(get(&p, 2), 3);
	assert_int_equal(get(&p, 999), 0);
	*(u32 *)xt2_pages_own(&p, 500) = 5;
	for (i = 496; i < 504; i++)
		assert_int_equal(get(&p, i), i == 500 ? 5 : 0);
	assert_int_equal(xt2_pages_end(&p, &now), 0);
	xt2_pages_free(&p);
	begin(&p, now, 1000);
	assert_int_equal(get(&p, 2), 3);
	assert_int_equal(get(&p, 500), 5);
	assert_null(xt2_pages_get(&p, 999));
}

static void an_odd_directory_ends_with_zeros(void **unused)
{
	const u32 dir = make(2 * PER_PAGE + 1);

	assert_int_equal(((const u32 *)xt2_at(img, dir))[3], 0);
}

static void without_room_nothing_changes(void **unused)
{
	const u32 dir = make(20);
	struct xt2_pages p;
	u32 now = 0;

	space.capacity = img->size;
	begin(&p, dir, 20);
	assert_null(xt2_pages_own(&p, 3));
	assert_int_equal(get(&p, 3), 4);
	xt2_space_abort(&space);
	space.capacity = img->size + PER_PAGE * sizeof(u32);
	assert_non_null(xt2_pages_own(&p, 3));
	assert_int_equal(xt2_pages_end(&p, &now), -ENOSPC);
	assert_int_equal(now, 0);
	xt2_pages_free(&p);
	xt2_space_abort(&space);
	begin(&p, dir, 20);
	assert_int_equal(get(&p, 3), 4);
}

static void without_memory_nothing_changes(void **unused)
{
	const u32 dir = make(20);
	struct xt2_pages p;
	u32 i;

	for (i = 1; i <= 2; i++) {
		begin(&p, dir, 20);
		fail_alloc(i);
		assert_int_equal(xt2_pages_grow(&p, 100), -ENOMEM);
		assert_int_equal(p.count, 20);
		fail_alloc(i);
		assert_null(xt2_pages_own(&p, 3));
		fail_alloc(0);
		assert_int_equal(get(&p, 3), 4);
		xt2_pages_free(&p);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest cases[] = {
	CASE(a_change_leaves_the_generation_before),
	CASE(without_a_change_the_directory_stays),
	CASE(more_elements_are_zero),
	CASE(an_odd_directory_ends_with_zeros),
	CASE(without_room_nothing_changes),
	CASE(without_memory_nothing_changes),
};

UNITS(cases)
