/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-state.c - extensions/state/state.c */
#include "tests/unit/match-case.h"
#include "tests/unit/state-case.h"

static void test_state(void **state)
{
	static const u16 states[][2] = {
		{ 0, 0x01 },
		{ XT2_CT_INVALID, 0x01 },
		{ XT2_CT_ESTABLISHED, 0x02 },
		{ XT2_CT_RELATED, 0x04 },
		{ XT2_CT_NEW | XT2_CT_SNAT, 0x08 },
		{ XT2_CT_UNTRACKED, 0x40 },
	};
	u32 i, bit, mask;

	for (i = 0; i < XT2_ARRAY_SIZE(states); i++) {
		for (bit = 0; bit < 32; bit++) {
			mask = 1u << bit;
			assert_true(state_pack("state", 0, (u64[]){ mask }, 8) > 0);
			tc.pkt.ct.state = states[i][0];
			assert_int_equal(state_run(), mask == states[i][1]);
		}
	}
}

static void test_checked(void **state)
{
	RIGHT(IPV6, STATE, 0, 8, ~0u);
	WRONG(IPV4, STATE, XT2_MATCH_INVERT, 8, 1);
	WRONG(IPV4, STATE, 0, 16, 1);
	WRONG(ARP, STATE, 0, 8, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_state, state_setup),
	cmocka_unit_test_setup(test_checked, state_setup),
};

UNITS_WITH(tests, case_seed_set, NULL)
