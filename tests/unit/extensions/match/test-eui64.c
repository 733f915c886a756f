/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-eui64.c - extensions/match/eui64.c */
#include "tests/unit/match-case.h"
#include "tests/unit/transport-case.h"

static void test_eui64(void **state)
{
	static const u8 ether[14] = { 2, 0, 0, 0, 0, 1, 0x50, 1, 2, 3, 4, 5, 0x86, 0xdd };
	struct packet p;

	packet6(&p, 59, "");
	assert_int_equal(answer(&p, "eui64", &(int){ 0 }), XT2_MISS);
	p.pkt.mac = ether;
	p.pkt.mac_len = sizeof(ether);
	assert_int_equal(answer(&p, "eui64", &(int){ 0 }), XT2_MISS);
	memcpy(p.bytes + 16, "\x52\x01\x02\xff\xfe\x03\x04\x05", 8);
	assert_int_equal(answer(&p, "eui64", &(int){ 7 }), XT2_HIT);
	p.pkt.mac_len = sizeof(ether) - 1;
	assert_int_equal(answer(&p, "eui64", &(int){ 0 }), XT2_MISS);
	p.pkt.mac_len = sizeof(ether);
	p.bytes[23] ^= 1;
	assert_int_equal(answer(&p, "eui64", &(int){ 0 }), XT2_MISS);
	packet_free(&p);
}

static void test_checked(void **state)
{
	RIGHT(IPV6, EUI64, 0, 8, ~0u);
	WRONG(IPV6, EUI64, 1, 8, 0);
	WRONG(IPV6, EUI64, 0, 16, 0);
	WRONG(IPV4, EUI64, 0, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_eui64),
	cmocka_unit_test(test_checked),
};

UNITS(tests)
