/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-xt-packet.c - translators/ext/xt-packet.c
 *
 * Random payloads that must come back as they were.  XT2_SEED=n runs them again.
 */
#include "tests/unit/packet-case.h"

static void random_payload(u64 seed)
{
	test_payload_random(&seed);
}

static void test_roundtrip(void **state)
{
	test_many(40000, random_payload);
	if (!getenv("XT2_SEED"))
		assert_in_range(test_payloads_least(), 100, 40000);
}

static const struct CMUnitTest tests[] = {
	test_of_seeds(test_roundtrip),
};

UNITS(tests)
