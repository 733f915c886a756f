/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-dispatch.c - extensions/dispatch.c
 *
 * Every row of the lists has a body and a check, and no other number has.  Then
 * matches of random bytes: whatever a check lets pass, its body must survive.
 * XT2_SEED=n runs the random test again.
 */
#include "tests/unit/match-case.h"
#include "tests/unit/packet-case.h"

static void test_numbers(void **state)
{
	struct test_packet t;
	struct xt2_rule r = { .size = sizeof(r), .target_offset = sizeof(r) };
	struct xt2_match m = { .size = sizeof(m) };
	u32 i;

	for (i = 0; i < 256; i++) {
		const bool match = xt2_match_name((u8)i) && i >= XT2_M_TCP;
		const bool target = xt2_target_name((u8)i) && i >= XT2_T_REJECT;

		test_packet4(&t);
		m.type = (u8)i;
		r.target = XT2_TARGET(i, 0);
		if (!match) {
			assert_int_equal(xt2_match_ext_check(&m, XT2_IPV4), -EINVAL);
			assert_int_equal(xt2_match_ext(&m, &t.ctx), XT2_HOTDROP);
			assert_int_equal(t.ctx.faults, 1);
		}
		if (!target) {
			t.ctx.faults = 0;
			assert_int_equal(xt2_target_ext_check(&r, XT2_IPV4), -EINVAL);
			assert_int_equal(xt2_target_ext(&r, &t.ctx), XT2_DROP);
			assert_int_equal(t.ctx.faults, 1);
		}
	}
}

static void test_types_have_their_bodies(void **state)
{
	struct xt2_rule r = { .size = sizeof(r), .target_offset = sizeof(r) };
	struct test_packet t;

	test_packet4(&t);
	t.pkt.cpu = 5;
	t.pkt.mark = 6;
	RIGHT(IPV4, CPU, 0, 8, 5);
	assert_int_equal(xt2_match_ext(&(struct xt2_match){ XT2_M_CPU, 0, 8, 5 }, &t.ctx), XT2_HIT);
	assert_int_equal(xt2_match_ext(&(struct xt2_match){ XT2_M_MARK, 0, 8, 5 }, &t.ctx),
			 XT2_MISS);
	assert_int_equal(xt2_match_ext(&(struct xt2_match){ XT2_M_MARK, 0, 8, 6 }, &t.ctx),
			 XT2_HIT);
	r.target = XT2_TARGET(XT2_T_REJECT, 3);
	assert_int_equal(xt2_target_ext_check(&r, XT2_IPV4), 0);
	assert_int_equal(xt2_target_ext(&r, &t.ctx), XT2_REJECT);
	r.target = XT2_TARGET(XT2_T_MARK, 9);
	assert_int_equal(xt2_target_ext(&r, &t.ctx), XT2_NEXT);
	assert_int_equal(t.pkt.mark, 9);
	assert_int_equal(t.ctx.faults, 0);
}

static u32 accepted;

/* Random bytes in exactly the memory they claim, so that ASan sees a stray read. */
static void random_match(u64 seed)
{
	u32 size = 8 * (1 + test_random(&seed) % 12), i;
	struct xt2_match *m = malloc(size);
	u8 *bytes = (u8 *)m;
	struct test_packet t;
	u8 family;

	assert_non_null(m);
	for (i = 0; i < size; i++)
		bytes[i] = test_random(&seed) % 3 ? test_random(&seed) % 8 : test_random(&seed);
	m->type = XT2_M_IPRANGE + test_random(&seed) % (XT2_M_BPF - XT2_M_IPRANGE + 1);
	if (test_random(&seed) % 4 == 0)
		m->type = XT2_M_CPU + test_random(&seed) % (XT2_M_ADDRTYPE - XT2_M_CPU + 1);
	if (m->type == XT2_M_ECN)
		m->type = XT2_M_U32;
	m->size = size;
	if (test_random(&seed) % 2)
		m->flags = 0;
	family = test_random(&seed) % 2 ? XT2_IPV4 : XT2_IPV6;
	if (!xt2_match_ext_check(m, family)) {
		accepted++;
		test_packet_random(&t, family, &seed);
		assert_in_range(xt2_match_ext(m, &t.ctx), XT2_MISS, XT2_HIT);
	}
	free(m);
}

static void test_random_matches(void **state)
{
	test_many(200000, random_match);
	if (!getenv("XT2_SEED"))
		assert_in_range(accepted, 1000, 199000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_types_have_their_bodies),
	test_of_seeds(test_random_matches),
};

UNITS(tests)
