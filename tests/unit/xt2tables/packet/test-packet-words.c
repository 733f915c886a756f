/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-packet-words.c - xt2tables/packet/packet-words.c */
#include "tests/lib/unit-program.h"
#include "tests/lib/packets.h"
#include "xt2tables/packet/packet.h"

static __u8 bytes[128];
static struct xt2_pkt pkt;
static char text[200];

static const char *describe(void)
{
	int n = xt2_packet_describe(&pkt, text, sizeof(text));

	assert_int_equal(n, strlen(text));
	return text;
}

static void ipv4(__u8 proto)
{
	packet_parse(&pkt, XT2_IPV4, bytes,
		     packet_ipv4(bytes, 0xc0000201, 0x0a000002, proto, 40000, 22));
}

static void ipv6(__u8 proto)
{
	packet_parse(&pkt, XT2_IPV6, bytes, packet_ipv6(bytes, 1, 2, proto, 40000, 22));
}

static void test_ports(void **state)
{
	ipv4(6);
	assert_string_equal(describe(), "tcp 192.0.2.1:40000 -> 10.0.0.2:22 SYN, 40 bytes");
	bytes[33] = 0xff;
	assert_string_equal(
		describe(),
		"tcp 192.0.2.1:40000 -> 10.0.0.2:22 FIN,SYN,RST,PSH,ACK,URG,ECE,CWR, 40 bytes");
	bytes[33] = 0;
	assert_string_equal(describe(), "tcp 192.0.2.1:40000 -> 10.0.0.2:22 no flags, 40 bytes");
	pkt.caplen = 34;
	assert_string_equal(describe(), "tcp 192.0.2.1:40000 -> 10.0.0.2:22 no flags, 40 bytes");
	pkt.caplen = 33; /* without the byte of the flags */
	assert_string_equal(describe(), "tcp 192.0.2.1:40000 -> 10.0.0.2:22, 40 bytes");
	ipv4(17);
	assert_string_equal(describe(), "udp 192.0.2.1:40000 -> 10.0.0.2:22, 28 bytes");
	ipv6(17);
	assert_string_equal(describe(), "udp [fd00::1]:40000 -> [fd00::2]:22, 48 bytes");
}

static void test_others(void **state)
{
	ipv4(1);
	bytes[21] = 5;
	assert_string_equal(describe(), "icmp type 8 code 5 192.0.2.1 -> 10.0.0.2, 28 bytes");
	pkt.caplen = 22;
	assert_string_equal(describe(), "icmp type 8 code 5 192.0.2.1 -> 10.0.0.2, 28 bytes");
	pkt.caplen = 21;
	assert_string_equal(describe(), "icmp 192.0.2.1 -> 10.0.0.2, 28 bytes");
	ipv6(58);
	assert_string_equal(describe(), "ipv6-icmp type 128 code 0 fd00::1 -> fd00::2, 48 bytes");
	ipv4(58); /* is no ICMP there */
	assert_string_equal(describe(), "ipv6-icmp 192.0.2.1 -> 10.0.0.2, 28 bytes");
	ipv6(1);
	assert_string_equal(describe(), "icmp fd00::1 -> fd00::2, 48 bytes");
	ipv4(200);
	assert_string_equal(describe(), "200 192.0.2.1 -> 10.0.0.2, 28 bytes");
	packet_parse(&pkt, XT2_ARP, bytes, packet_arp(bytes, 0xc0000201, 0xc0000202));
	bytes[6] = 1;
	bytes[7] = 2;
	assert_string_equal(describe(), "arp operation 258, 192.0.2.1 -> 192.0.2.2");
}

/* Later fragments have no transport header, whatever their bytes look like. */
static void test_fragments(void **state)
{
	unsigned int n = packet_ipv4(bytes, 0xc0000201, 0x0a000002, 6, 40000, 22);

	packet_put16(bytes + 6, 185);
	packet_parse(&pkt, XT2_IPV4, bytes, n);
	assert_string_equal(describe(),
			    "tcp fragment at byte 1480 192.0.2.1 -> 10.0.0.2, 40 bytes");
	n = packet_ipv4(bytes, 0xc0000201, 0x0a000002, 1, 0, 0);
	packet_put16(bytes + 6, 1);
	packet_parse(&pkt, XT2_IPV4, bytes, n);
	assert_string_equal(describe(), "icmp fragment at byte 8 192.0.2.1 -> 10.0.0.2, 28 bytes");
	ipv6(0); /* a hop-by-hop header that is cut off */
	pkt.caplen = 41;
	xt2_pkt_parse(&pkt, XT2_IPV6);
	assert_int_equal(pkt.l4, XT2_L4_BAD);
	assert_string_equal(describe(), "no fd00::1 -> fd00::2, 48 bytes");
}

/* The end of a buffer that is too small is its NUL. */
static void test_small(void **state)
{
	char small[8];

	ipv4(6);
	assert_int_equal(xt2_packet_describe(&pkt, small, sizeof(small)), 48);
	assert_string_equal(small, "tcp 192");
}

static const char *value(int type)
{
	const struct xt2_match m = { .type = (__u8)type, .size = sizeof(m) };

	memset(text, 'x', sizeof(text));
	xt2_packet_value(&pkt, &m, text, sizeof(text));
	return text;
}

static void test_values(void **state)
{
	ipv4(6);
	assert_string_equal(value(XT2_M_SRC4), "source is 192.0.2.1");
	assert_string_equal(value(XT2_M_SRC4_MASK), "source is 192.0.2.1");
	assert_string_equal(value(XT2_M_DST4), "destination is 10.0.0.2");
	assert_string_equal(value(XT2_M_DST4_MASK), "destination is 10.0.0.2");
	assert_string_equal(value(XT2_M_IPRANGE), "source is 192.0.2.1, destination 10.0.0.2");
	assert_string_equal(value(XT2_M_PROTO), "protocol is tcp");
	assert_string_equal(value(XT2_M_TCP), "ports are 40000 -> 22, SYN");
	assert_string_equal(value(XT2_M_MULTIPORT), "ports are 40000 -> 22");
	assert_string_equal(value(XT2_M_LENGTH), "length is 40");
	assert_string_equal(value(XT2_M_TTL), "TTL is 64");
	assert_string_equal(value(XT2_M_ICMP), "");
	assert_string_equal(value(XT2_M_COMMENT), "");
	assert_string_equal(value(XT2_M_FRAGMENT), "it is whole or a first fragment");
	pkt.fragoff = 8;
	assert_string_equal(value(XT2_M_FRAGMENT), "it is a later fragment");
	assert_string_equal(value(XT2_M_TCP), "it has no ports");
	ipv4(1);
	assert_string_equal(value(XT2_M_UDP), "it has no ports");
	assert_string_equal(value(XT2_M_ICMP), "type is 8, code 0");
	ipv6(58);
	assert_string_equal(value(XT2_M_ICMP6), "type is 128, code 0");
	assert_string_equal(value(XT2_M_SRC6), "source is fd00::1");
	assert_string_equal(value(XT2_M_DST6_MASK), "destination is fd00::2");
	assert_string_equal(value(XT2_M_HL), "hop limit is 64");
}

static void test_context(void **state)
{
	static const struct {
		int state;
		const char *text;
	} states[] = {
		{ 0, "it is not tracked: INVALID" },
		{ XT2_CT_SNAT, "it is not tracked: INVALID" },
		{ XT2_CT_NEW | XT2_CT_DNAT, "state is NEW" },
		{ XT2_CT_ESTABLISHED, "state is ESTABLISHED" },
		{ XT2_CT_RELATED, "state is RELATED" },
		{ XT2_CT_UNTRACKED, "state is UNTRACKED" },
		{ XT2_CT_INVALID, "state is INVALID" },
	};
	size_t i;

	ipv4(17);
	for (i = 0; i < XT2_ARRAY_SIZE(states); i++) {
		pkt.ct.state = (__u16)states[i].state;
		assert_string_equal(value(XT2_M_STATE), states[i].text);
		assert_string_equal(value(XT2_M_CONNTRACK), states[i].text);
	}
	pkt.mark = 0x2a;
	pkt.ct.mark = 0x17;
	pkt.src_type = 2;
	pkt.dst_type = 3;
	assert_string_equal(value(XT2_M_MARK), "mark is 0x2a");
	assert_string_equal(value(XT2_M_CONNMARK), "connection mark is 0x17");
	assert_non_null(strstr(value(XT2_M_ADDRTYPE), "source type is 2, destination type 3"));
	assert_string_equal(value(XT2_M_IN), "it has no in interface");
	assert_string_equal(value(XT2_M_OUT_MASK), "it has no out interface");
	memcpy(pkt.in, "eth0", 5);
	memset(pkt.out, 'o', 16); /* without an end */
	assert_string_equal(value(XT2_M_IN_MASK), "in interface is eth0");
	assert_string_equal(value(XT2_M_OUT), "out interface is oooooooooooooooo");
}

static void test_has_ports(void **state)
{
	static const __u8 with[] = { 6, 17, 33, 132, 136 };
	int proto;

	for (proto = 0; proto < 256; proto++)
		assert_int_equal(xt2_proto_has_ports(proto),
				 memchr(with, proto, sizeof(with)) != NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ports),	  cmocka_unit_test(test_others),
	cmocka_unit_test(test_fragments), cmocka_unit_test(test_small),
	cmocka_unit_test(test_values),	  cmocka_unit_test(test_context),
	cmocka_unit_test(test_has_ports),
};

UNITS(tests)
