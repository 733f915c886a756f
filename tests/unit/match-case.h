/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match-case.h - matches made by hand, for the checks of their bodies */
#ifndef TESTS_UNIT_MATCH_CASE_H
#define TESTS_UNIT_MATCH_CASE_H

#include "engine/eval.h"
#include "tests/lib/unit-program.h"

#define MATCH_WORDS 48

/* => xt2_match_ext_check() of a head and the words that follow it */
static inline int match_checked(u8 family, u8 type, u8 flags, u16 size, u32 arg, const u64 *words)
{
	u64 room[1 + MATCH_WORDS];
	struct xt2_match *m = (struct xt2_match *)room;

	*m = (struct xt2_match){ .type = type, .flags = flags, .size = size, .arg = arg };
	memcpy(room + 1, words, MATCH_WORDS * sizeof(*words));
	return xt2_match_ext_check(m, family);
}

/* FAMILY, TYPE, flags, size, arg, words: the family and the type without their prefixes. */
#define MATCH_CHECKED(family, type, flags, size, arg, ...)                       \
	match_checked(XT2_##family, XT2_M_##type, (u8)(flags), size, (u32)(arg), \
		      (const u64[MATCH_WORDS]){ __VA_ARGS__ })
#define RIGHT(...) assert_int_equal(MATCH_CHECKED(__VA_ARGS__), 0)
#define WRONG(...) assert_int_equal(MATCH_CHECKED(__VA_ARGS__), -EINVAL)

#endif
