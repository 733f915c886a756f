/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state-case.h - what tests of matches that remember, or ask a clock, share */
#ifndef TESTS_UNIT_STATE_CASE_H
#define TESTS_UNIT_STATE_CASE_H

#include "tests/unit/ext-case.h"

#define SECOND 1000000000ull

static struct ext_case tc;
static u64 room[256];
static struct xt2_match *const m = (struct xt2_match *)room;

static inline int state_pack(const char *name, u8 revision, const void *payload, u32 size)
{
	int used = xt2_match_pack(xt2_row_find(XT2_IPV4, false, name, revision), XT2_IPV4, payload,
				  size, m, sizeof(room));

	if (used > 0) {
		assert_int_equal(used, m->size);
		assert_int_equal(xt2_match_ext_check(m, XT2_IPV4), 0);
	}
	return used;
}

static inline int state_run(void)
{
	int answer = xt2_match_ext(m, &tc.ctx);

	assert_in_range(answer, XT2_MISS, XT2_HIT);
	return answer;
}

/* => how many of n packets, step apart, get through; the clock goes on */
static inline u32 passing(u32 n, u64 step)
{
	u32 i, hits = 0;

	for (i = 0; i < n; i++, tc.ctx.now += step)
		hits += state_run() == XT2_HIT;
	return hits;
}

static inline int state_setup(void **state)
{
	case_reset(&tc);
	memset(room, 0, sizeof(room));
	return 0;
}

#endif
