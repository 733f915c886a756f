/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-nat-target.c - libxt2/store/companion/bpf-nat-target.c */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netfilter/nf_nat.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-nat.h"

/* Of each target, what nf_tables can say. */
static void test_nat_targets(void **state)
{
	static const struct nf_nat_range range = { .flags = NF_NAT_RANGE_MAP_IPS };
	static const struct nf_nat_range ports = { .flags = NF_NAT_RANGE_PROTO_SPECIFIED |
							    NF_NAT_RANGE_PERSISTENT };
	static const struct nf_nat_range2 shift = { .flags = NF_NAT_RANGE_MAP_IPS |
							     NF_NAT_RANGE_PROTO_OFFSET };
	static const struct nf_nat_range unknown = { .flags = 1u << 20 };
	static const struct nf_nat_ipv4_multi_range_compat old = { .rangesize = 1,
								   .range[0].flags = 1 };
	static const struct nf_nat_ipv4_multi_range_compat two = { .rangesize = 2 };
	static const struct {
		int family, revision;
		const char *name;
		const void *data;
		size_t size;
		bool can;
	} rows[] = {
#define ROW(f, n, r, d, c) { f, r, n, &(d), sizeof(d), c }
		ROW(XT2_IPV4, "SNAT", 0, old, true),
		ROW(XT2_IPV4, "SNAT", 1, range, true),
		ROW(XT2_IPV4, "SNAT", 2, range, false),
		ROW(XT2_IPV4, "SNAT", 0, two, false),
		ROW(XT2_IPV4, "DNAT", 1, ports, true),
		ROW(XT2_IPV4, "DNAT", 2, shift, false),
		ROW(XT2_IPV4, "DNAT", 3, range, false),
		ROW(XT2_IPV4, "DNAT", 1, unknown, false),
		ROW(XT2_IPV6, "DNAT", 0, range, false),
		ROW(XT2_IPV6, "MASQUERADE", 0, ports, true),
		ROW(XT2_IPV6, "MASQUERADE", 0, old, false),
		ROW(XT2_IPV4, "REDIRECT", 0, old, true),
		ROW(XT2_IPV4, "REDIRECT", 1, range, false),
		ROW(XT2_IPV4, "NETMAP", 0, old, true),
		ROW(XT2_IPV6, "NETMAP", 0, range, true),
		ROW(XT2_IPV6, "NETMAP", 0, ports, false),
		ROW(XT2_IPV4, "BALANCE", 0, old, false),
	};
	struct xt2_instance *in = calloc(1, sizeof(*in) + sizeof(shift));
	struct nftnl_rule *rule;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		*in = (struct xt2_instance){ .kind = XT2_INSTANCE_TARGET,
					     .revision = (u8)rows[i].revision,
					     .size = (u32)rows[i].size };
		snprintf(in->name, sizeof(in->name), "%s", rows[i].name);
		memcpy(in + 1, rows[i].data, rows[i].size);
		assert_int_equal(xt2_nat_can_(in, (u8)rows[i].family), rows[i].can);
		rule = nftnl_rule_alloc();
		assert_non_null(rule);
		assert_int_equal(xt2_nat_put_(rule, in, (u8)rows[i].family, true),
				 rows[i].can ? 0 : -EOPNOTSUPP);
		nftnl_rule_free(rule);
	}
	free(in);
}

/* One address and one port, and nothing else: of both families and all revisions. */
static void test_places(void **state)
{
	static const struct nf_nat_range one = {
		.flags = NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED,
		.min_addr.ip = 7,
		.max_addr.ip = 7,
		.min_proto.all = 9,
		.max_proto.all = 9,
	};
	static const struct nf_nat_ipv4_multi_range_compat old = {
		.rangesize = 1,
		.range[0] = { .flags = NF_NAT_RANGE_MAP_IPS | NF_NAT_RANGE_PROTO_SPECIFIED,
			      .min_ip = 7,
			      .max_ip = 7,
			      .min.all = 9,
			      .max.all = 9 },
	};
	struct nf_nat_range ports = one, addresses = one, random = one, ip6 = one, no_port = one;
	const struct {
		int family, revision;
		const char *name;
		const void *data;
		size_t size;
		bool is;
	} rows[] = {
		ROW(XT2_IPV4, "DNAT", 0, old, true),	    ROW(XT2_IPV4, "DNAT", 1, one, true),
		ROW(XT2_IPV6, "DNAT", 1, ip6, true),	    ROW(XT2_IPV4, "SNAT", 1, one, false),
		ROW(XT2_IPV4, "REDIRECT", 0, old, false),   ROW(XT2_IPV4, "DNAT", 1, ports, false),
		ROW(XT2_IPV4, "DNAT", 1, addresses, false), ROW(XT2_IPV4, "DNAT", 1, random, false),
		ROW(XT2_IPV4, "DNAT", 1, no_port, false),
	};
	struct xt2_instance *in = calloc(1, sizeof(*in) + sizeof(struct nf_nat_range2));
	struct xt2_nat_place place;
	size_t i;

	(void)state;
	ports.max_proto.all = 10;
	addresses.max_addr.ip = 8;
	random.flags |= NF_NAT_RANGE_PROTO_RANDOM;
	no_port.flags = NF_NAT_RANGE_MAP_IPS;
	ip6.min_addr.ip6[3] = ip6.max_addr.ip6[3] = 3;
	assert_non_null(in);
	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		*in = (struct xt2_instance){ .kind = XT2_INSTANCE_TARGET,
					     .revision = (u8)rows[i].revision,
					     .size = (u32)rows[i].size };
		snprintf(in->name, sizeof(in->name), "%s", rows[i].name);
		memcpy(in + 1, rows[i].data, rows[i].size);
		memset(&place, 0xff, sizeof(place));
		assert_int_equal(xt2_nat_place_(in, (u8)rows[i].family, &place), rows[i].is);
		if (!rows[i].is)
			continue;
		assert_int_equal(place.address.ip, 7);
		assert_int_equal(place.port, 9);
		if (rows[i].family == XT2_IPV6)
			assert_int_equal(place.address.ip6[3], 3);
	}
	free(in);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nat_targets),
	cmocka_unit_test(test_places),
};

UNITS(tests)
