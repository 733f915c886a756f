/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-xt-packet.c - translators/ext/xt-packet.c
 *
 * Random payloads that must come back as they were.  XT2_SEED=n runs them again.
 */
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_dscp.h>
#include <linux/netfilter/xt_physdev.h>
#include <linux/netfilter_ipv4/ipt_ttl.h>
#include <linux/netfilter_ipv6/ip6t_hl.h>

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

/* At each edge: what the kernel refuses, and what it takes and no match can say. */
static void test_refusals(void **state)
{
	TAKES(8, XT2_IPV4, "dscp", 0, xt_dscp_info, 63);
	REFUSED(XT2_IPV4, "dscp", 0, xt_dscp_info, 64);
	assert_true(PACK(XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_GT, 9) > 0);
	TAKES(0, XT2_IPV4, "ttl", 0, ipt_ttl_info, IPT_TTL_GT + 1, 9);
	assert_true(PACK(XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_GT, 9) > 0);
	TAKES(0, XT2_IPV6, "hl", 0, ip6t_hl_info, IP6T_HL_GT + 1, 9);
	assert_true(PACK(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_MASK) >
		    0);
	REFUSED(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = 0);
	REFUSED(XT2_IPV4, "physdev", 0, xt_physdev_info, .bitmask = XT_PHYSDEV_OP_MASK + 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_refusals),
	test_of_seeds(test_roundtrip),
};

UNITS(tests)
