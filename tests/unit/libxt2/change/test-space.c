/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-space.c - libxt2/change/space.c */
#include "libxt2/change/space.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tests/lib/fail-alloc.h"
#include "tests/lib/unit-program.h"

#define FIRST	 4096u /* bytes of the image at first */
#define CAPACITY (1u << 20)
#define BLOCKS	 600

struct block {
	u32 offset, size;
};

static struct xt2_space space;
static struct xt2_image *img;
static u8 *used; /* by 8 bytes of the image */

static int setup(void **unused)
{
	img = calloc(1, CAPACITY);
	used = calloc(1, CAPACITY / 8);
	if (!img || !used)
		return -1;
	img->size = FIRST;
	return xt2_space_begin(&space, img, CAPACITY);
}

static int teardown(void **unused)
{
	xt2_space_end(&space);
	free(img);
	free(used);
	return 0;
}

static void mark(const struct block *b, u8 was, u8 is)
{
	u32 i;

	for (i = b->offset / 8; i < (b->offset + b->size + 7) / 8; i++) {
		assert_int_equal(used[i], was);
		used[i] = is;
	}
}

/* A place that no other one overlaps. */
static bool take(struct block *b, u32 size)
{
	b->size = size;
	b->offset = xt2_space_alloc(&space, size);
	if (!b->offset)
		return false;
	assert_int_equal(b->offset % 8, 0);
	assert_true(b->offset + (u64)size <= img->size && img->size <= space.capacity);
	mark(b, 0, 1);
	return true;
}

/* All that a later call can depend on. */
static u64 state_of(void)
{
	u64 sum = img->size * 31 + space.spare;
	u32 i, j;

	for (i = 0; i < XT2_SPACE_SIZES; i++) {
		sum = sum * 31 + space.list[i].n * 7 + space.list[i].due;
		for (j = 0; j < space.list[i].n; j++)
			sum = sum * 31 + space.list[i].offset[j];
	}
	for (i = 0; i <= space.capacity >> 10; i++)
		sum = sum * 31 + space.large[i];
	for (i = 0; i < XT2_ARRAY_SIZE(space.some); i++)
		sum = sum * 31 + space.some[i];
	return sum * 31 + space.retired_n * 7 + space.batches;
}

static void test_sizes(void **unused)
{
	static const u32 sizes[] = { 1,	   8,	 9,    40,    256,   1016,  1024,  1025,
				     1032, 1280, 1281, 2048,  2049,  2560,  5000,  65544,
				     8192, 3,	 4097, 20480, 20481, 10240, 12288, 100000 };
	struct block b[XT2_ARRAY_SIZE(sizes)], again;
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(sizes); i++)
		assert_true(take(&b[i], sizes[i]));
	for (i = 0; i < XT2_ARRAY_SIZE(sizes); i++) {
		u64 size = img->size;

		mark(&b[i], 1, 0);
		xt2_space_free(&space, b[i].offset, b[i].size);
		assert_true(take(&again, sizes[i]));
		assert_int_equal(again.offset, b[i].offset);
		assert_int_equal(img->size, size);
	}
	assert_int_equal(space.spare, 0);
	assert_int_equal(xt2_space_alloc(&space, 0), 0);
	assert_int_equal(xt2_space_alloc(&space, CAPACITY), 0);
	assert_int_equal(xt2_space_alloc(&space, ~0ull), 0);
}

static void test_readers_keep_places(void **unused)
{
	struct block a, b;
	u32 again;

	assert_true(take(&a, 64));
	assert_true(take(&b, 64));
	xt2_space_commit(&space, 5);
	assert_int_equal(xt2_space_retire(&space, a.offset, a.size), 0);
	assert_int_not_equal(xt2_space_alloc(&space, 64), a.offset);
	xt2_space_reclaim(&space, 100); /* the transaction is open */
	assert_int_not_equal(xt2_space_alloc(&space, 64), a.offset);
	xt2_space_commit(&space, 6);
	assert_int_equal(xt2_space_retire(&space, b.offset, b.size), 0);
	xt2_space_commit(&space, 7);
	xt2_space_reclaim(&space, 5);
	assert_int_equal(space.spare, 0);
	xt2_space_reclaim(&space, 6);
	assert_int_equal(space.spare, 64);
	again = xt2_space_alloc(&space, 64);
	assert_int_equal(again, a.offset);
	assert_true(xt2_space_alloc(&space, 64) >= b.offset + 64);
	xt2_space_commit(&space, 8);
	xt2_space_reclaim(&space, 8);
	assert_int_equal(xt2_space_alloc(&space, 64), b.offset);
}

/* Places of the image as it came are of any size, and never grow into their neighbours. */
static void test_places_of_the_image(void **unused)
{
	struct block b[64], all = { 1000, FIRST - 1000 };
	u32 n = 0, sum = 0;

	mark(&(struct block){ 0, 1000 }, 0, 1);
	assert_int_equal(xt2_space_retire(&space, all.offset, all.size), 0);
	xt2_space_commit(&space, 2);
	xt2_space_reclaim(&space, 2);
	assert_int_equal(space.spare, all.size);
	space.capacity = img->size;
	while (n < XT2_ARRAY_SIZE(b) && take(&b[n], 72))
		sum += b[n++].size;
	assert_int_equal(img->size, FIRST);
	assert_true(n >= all.size / 72 - 3 && n < XT2_ARRAY_SIZE(b));
	assert_int_equal(space.spare + sum, all.size);
}

static void test_full_space_cuts(void **unused)
{
	struct block big, b[80];
	u64 before;
	u32 n = 0;

	assert_true(take(&big, 10240));
	xt2_space_commit(&space, 2);
	space.capacity = img->size;
	xt2_space_retire(&space, big.offset, big.size);
	xt2_space_commit(&space, 3);
	xt2_space_reclaim(&space, 3);
	mark(&big, 1, 0);
	before = state_of();
	while (n < XT2_ARRAY_SIZE(b) && take(&b[n], n % 2 ? 1100 : 264))
		n++;
	assert_true(n >= 10);
	xt2_space_abort(&space);
	assert_int_equal(state_of(), before);
	memset(used, 0, CAPACITY / 8);
	assert_true(take(&big, 10240));
}

/* The image does not grow while much of it is free, in places of other sizes. */
static void test_free_before_end(void **unused)
{
	struct block big[8], b;
	u64 size;
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(big); i++)
		assert_true(take(&big[i], 8000));
	xt2_space_commit(&space, 2);
	for (i = 0; i < XT2_ARRAY_SIZE(big); i++) {
		assert_int_equal(xt2_space_retire(&space, big[i].offset, big[i].size), 0);
		mark(&big[i], 1, 0);
	}
	xt2_space_commit(&space, 3);
	xt2_space_reclaim(&space, 3);
	size = img->size;
	for (i = 0; i < 16; i++)
		assert_true(take(&b, 2000));
	assert_int_equal(img->size, size);
}

/* Random transactions against a map of what is used. */
static void run(u64 seed, u32 capacity)
{
	static struct block live[BLOCKS], kept[BLOCKS], old[64][BLOCKS];
	u32 n = 0, keep, olds[64] = { 0 }, i, turn, what;
	u64 x = seed * 2 + 1, before;

	space.capacity = capacity;
	for (turn = 1; turn < 400; turn++) {
		u32 done = 0, *gone = &olds[turn % 64];

		for (i = 0; i < *gone; i++)
			mark(&old[turn % 64][i], 1, 0);
		*gone = 0;
		xt2_space_reclaim(&space, turn > 63 ? turn - 64 : 0);
		before = state_of();
		keep = n;
		memcpy(kept, live, n * sizeof(*live));
		for (i = 0; i < 20; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			what = (u32)(x >> 33);
			if (what % 3 && n < BLOCKS) {
				n += take(&live[n], 1 + (what >> 4) % (what & 8 ? 3000 : 300));
			} else if (n > keep) { /* it was taken just now, unless it moved here */
				n--;
				mark(&live[n], 1, 0);
				xt2_space_free(&space, live[n].offset, live[n].size);
			} else if (n) {
				n--;
				keep--;
				assert_int_equal(
					xt2_space_retire(&space, live[n].offset, live[n].size), 0);
				old[turn % 64][done++] = live[n];
			}
		}
		if (x >> 62) {
			xt2_space_commit(&space, turn);
			*gone = done;
			continue;
		}
		xt2_space_abort(&space);
		assert_int_equal(state_of(), before);
		for (i = keep; i < n; i++)
			mark(&live[i], 1, 0);
		n = keep + done;
		memcpy(live, kept, n * sizeof(*live));
	}
}

static void test_random(void **unused)
{
	const char *given = getenv("XT2_SEED");
	u64 seed = given ? strtoull(given, NULL, 0) : (u64)time(NULL);
	u32 i;

	print_message("XT2_SEED=%llu build/tests/unit/run-change space\n",
		      (unsigned long long)seed);
	for (i = 0; i < 20; i++) {
		run(seed + i, i % 2 ? CAPACITY : 100000);
		teardown(NULL);
		assert_int_equal(setup(NULL), 0);
	}
}

/* A call without memory fails or loses a place, and all others hold. */
static void test_no_memory(void **unused)
{
	struct block b[40];
	u64 before;
	u32 i, n, turn;

	fail_alloc(1);
	assert_int_equal(xt2_space_begin(&(struct xt2_space){ 0 }, img, CAPACITY), -ENOMEM);
	for (turn = 1;; turn++) {
		teardown(NULL);
		assert_int_equal(setup(NULL), 0);
		before = state_of();
		fail_alloc(turn);
		for (n = 0; n < XT2_ARRAY_SIZE(b) && take(&b[n], 8 + 100 * n); n++)
			;
		for (i = 0; i < n; i += 2)
			xt2_space_free(&space, b[i].offset, b[i].size);
		for (i = 1; i < n; i += 2)
			if (xt2_space_retire(&space, b[i].offset, b[i].size))
				break;
		assert_true(i >= n || fail_alloc_happened());
		if (!fail_alloc_happened())
			break;
		fail_alloc(0);
		xt2_space_abort(&space);
		assert_int_equal(state_of(), before);
	}
	fail_alloc(0);
	assert_true(turn > 20);
	assert_int_equal(n, XT2_ARRAY_SIZE(b));
	xt2_space_commit(&space, 2);
	xt2_space_reclaim(&space, 2);
	assert_int_equal(space.spare, img->size - FIRST);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest cases[] = {
	CASE(test_sizes),	    CASE(test_readers_keep_places), CASE(test_places_of_the_image),
	CASE(test_full_space_cuts), CASE(test_free_before_end),	    CASE(test_random),
	CASE(test_no_memory),
};

UNITS(cases)
