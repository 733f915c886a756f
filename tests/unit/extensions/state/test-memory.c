/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-memory.c - extensions/state/memory.c
 *
 * Changes that stop at any instruction are finished by the next one; threads that change the
 * same cells lose nothing.
 */
#include "tests/lib/unit-program.h"
#include "extensions/state/memory.h"

#include <pthread.h>
#include <stdlib.h>

static u64 cell[XT2_MEMORY_CELLS];

static int start(void **state)
{
	memset(cell, 0, sizeof(cell));
	return 0;
}

/* Add 1 to the values of n cells, as one change. */
static bool add(u32 n)
{
	const u64 seen = xt2_memory_begin(cell);
	const u32 log = xt2_memory_log_open(cell);
	u32 i;

	assert_true(log < XT2_MEMORY_LOG_MAX);
	for (i = 0; i < n; i++)
		xt2_memory_log_step(cell, log, i, XT2_MEMORY_DATA + i,
				    xt2_memory_word(seen, (u32)cell[XT2_MEMORY_DATA + i] + 1));
	return xt2_memory_log_commit(cell, seen, log, n);
}

static void a_change_is_made(void **state)
{
	assert_true(add(3));
	assert_true(add(2));
	assert_int_equal(cell[XT2_MEMORY_STATE], 2);
	assert_int_equal(cell[XT2_MEMORY_CLAIMS], 0);
	assert_int_equal(cell[XT2_MEMORY_DATA], 2ull << 32 | 2);
	assert_int_equal(cell[XT2_MEMORY_DATA + 2], 1ull << 32 | 1);
}

static void one_that_was_overtaken_is_not(void **state)
{
	const u64 seen = xt2_memory_begin(cell);
	const u32 log = xt2_memory_log_open(cell);

	xt2_memory_log_step(cell, log, 0, XT2_MEMORY_DATA, xt2_memory_word(seen, 7));
	assert_true(add(1));
	assert_false(xt2_memory_stayed(cell, seen));
	assert_false(xt2_memory_log_commit(cell, seen, log, 1));
	assert_int_equal(cell[XT2_MEMORY_DATA], 1ull << 32 | 1);
	assert_int_equal(cell[XT2_MEMORY_CLAIMS], 0);
}

/* It was interrupted after the state named its log, and after some of the steps. */
static void one_that_stopped_is_finished(void **state)
{
	u32 done, i, log;
	u64 seen;

	for (done = 0; done <= 3; done++) {
		start(state);
		seen = xt2_memory_begin(cell);
		log = xt2_memory_log_open(cell);
		for (i = 0; i < 3; i++)
			xt2_memory_log_step(cell, log, i, XT2_MEMORY_DATA + i,
					    xt2_memory_word(seen, i + 5));
		*xt2_memory_log_at(cell, log) = 3;
		cell[XT2_MEMORY_STATE] = seen | (u64)(log + 1) << 32;
		for (i = 0; i < done; i++)
			cell[XT2_MEMORY_DATA + i] = xt2_memory_word(seen, i + 5);
		assert_true(add(3));
		for (i = 0; i < 3; i++)
			assert_int_equal((u32)cell[XT2_MEMORY_DATA + i], i + 6);
		assert_int_equal(cell[XT2_MEMORY_STATE], 2);
		assert_int_equal(cell[XT2_MEMORY_CLAIMS], 1); /* it was not given back */
	}
}

static void a_log_stays_in_the_data(void **state)
{
	u64 *log = xt2_memory_log_at(cell, 0);
	static const u64 at[] = { 0,	 XT2_MEMORY_CONFIG, XT2_MEMORY_DATA - 1, XT2_MEMORY_CELLS,
				  ~0ull, 1ull << 61 };
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(at); i++) {
		start(state);
		log[0] = 1;
		log[1] = at[i];
		log[3] = 99;
		cell[XT2_MEMORY_STATE] = 1ull << 32;
		assert_int_equal(xt2_memory_begin(cell), 1);
		assert_int_equal(cell[XT2_MEMORY_CONFIG], 0);
		assert_int_equal(cell[XT2_MEMORY_DATA - 1], 0);
		assert_int_equal(cell[XT2_MEMORY_STATE], 1);
	}
}

static void logs_are_limited(void **state)
{
	u32 i;

	for (i = 0; i < XT2_MEMORY_LOG_MAX; i++)
		assert_int_equal(xt2_memory_log_open(cell), i);
	assert_int_equal(xt2_memory_log_open(cell), XT2_MEMORY_LOG_MAX);
}

#define THREADS 4
#define CHANGES 50000u

/* Both cells are always equal, and each change is there in the end. */
static void *adder(void *data)
{
	u32 i, log;
	u64 seen, a, b;

	for (i = 0; i < CHANGES;) {
		seen = xt2_memory_begin(cell);
		a = xt2_cell_load(cell + XT2_MEMORY_DATA);
		b = xt2_cell_load(cell + XT2_MEMORY_DATA + 1);
		if (!xt2_memory_stayed(cell, seen))
			continue;
		if (a != b)
			abort();
		log = xt2_memory_log_open(cell);
		if (log == XT2_MEMORY_LOG_MAX)
			abort();
		xt2_memory_log_step(cell, log, 0, XT2_MEMORY_DATA,
				    xt2_memory_word(seen, (u32)a + 1));
		xt2_memory_log_step(cell, log, 1, XT2_MEMORY_DATA + 1,
				    xt2_memory_word(seen, (u32)a + 1));
		i += xt2_memory_log_commit(cell, seen, log, 2);
	}
	return NULL;
}

static void threads_lose_nothing(void **state)
{
	pthread_t thread[THREADS];
	u32 i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, adder, NULL), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal((u32)cell[XT2_MEMORY_DATA], THREADS * CHANGES);
	assert_int_equal(cell[XT2_MEMORY_STATE], THREADS * CHANGES);
	assert_int_equal(cell[XT2_MEMORY_CLAIMS], 0);
}

/* A memory that nobody else has: its last change is carried out. */
static void the_last_one_is_finished(void **state)
{
	u64 *log = xt2_memory_log_at(cell, 2);

	log[0] = 1;
	log[1] = XT2_MEMORY_DATA;
	log[3] = 1ull << 32 | 9;
	cell[XT2_MEMORY_STATE] = 3ull << 32;
	assert_true(xt2_memory_finish(cell, cell[XT2_MEMORY_STATE]));
	assert_int_equal(cell[XT2_MEMORY_DATA], 1ull << 32 | 9);
	assert_int_equal(cell[XT2_MEMORY_STATE], 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(a_change_is_made, start),
	cmocka_unit_test_setup(one_that_was_overtaken_is_not, start),
	cmocka_unit_test_setup(one_that_stopped_is_finished, start),
	cmocka_unit_test_setup(a_log_stays_in_the_data, start),
	cmocka_unit_test_setup(logs_are_limited, start),
	cmocka_unit_test_setup(threads_lose_nothing, start),
	cmocka_unit_test_setup(the_last_one_is_finished, start),
};

UNITS(tests)
