/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-packet.c - xt2tables/packet/packet.c: a packet from options, bytes and a capture */
#include <errno.h>
#include <linux/if_packet.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/packets.h"
#include "xt2tables/packet/packet.h"

static struct xt2_packet packet;
static struct xt2_err err;
static struct xt2_host host;

static int build(struct xt2_packet_spec spec)
{
	xt2_host_init(&host);
	spec.host = &host;
	if (!spec.hook)
		spec.hook = "INPUT";
	memset(&err, 0, sizeof(err));
	return xt2_packet_build(&spec, &packet, &err);
}

#define BUILD(...) build((struct xt2_packet_spec){ __VA_ARGS__ })

/* Refused, and this is a part of the reason. */
#define REFUSED(part, ...)                                     \
	do {                                                   \
		assert_int_equal(BUILD(__VA_ARGS__), -EINVAL); \
		assert_non_null(strstr(err.message, part));    \
		assert_string_equal(err.file, "packet");       \
		assert_int_equal(err.code, XT2_E_SYNTAX);      \
	} while (0)

/* The sum over the bytes and these words more: 0xffff if the checksum in them is right. */
static unsigned int sum(const __u8 *p, unsigned int n, __u32 s)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		s += i & 1 ? p[i] : (__u32)p[i] << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return s;
}

static unsigned int transport_sum(void)
{
	const bool v4 = packet.pkt.family == XT2_IPV4;
	const __u8 *p = packet.pkt.data;
	unsigned int off = packet.pkt.thoff, n = packet.pkt.len - off;

	return sum(p + off, n, sum(p + (v4 ? 12 : 8), v4 ? 8 : 32, n + packet.pkt.proto));
}

static void test_defaults(void **state)
{
	const struct xt2_pkt *pkt = &packet.pkt;

	assert_int_equal(BUILD(.family = XT2_IPV4), 0);
	assert_int_equal(pkt->proto, 6);
	assert_int_equal(pkt->len, 40);
	assert_int_equal(pkt->caplen, 40);
	assert_int_equal(pkt->src4, 0xc0000201);
	assert_int_equal(pkt->dst4, 0xc6336401);
	assert_int_equal(pkt->sport, 40000);
	assert_int_equal(pkt->dport, 80);
	assert_int_equal(pkt->data[1], 0);
	assert_int_equal(pkt->data[8], 64);
	assert_int_equal(pkt->data[33], 2); /* SYN */
	assert_int_equal(pkt->hook, XT2_INPUT);
	assert_int_equal(pkt->room, sizeof(packet.bytes) - 40);
	assert_int_equal(sum(pkt->data, 20, 0), 0xffff);
	assert_int_equal(transport_sum(), 0xffff);
	assert_null(packet.captured.mac);
	assert_int_equal(BUILD(.family = XT2_IPV6, .hook = "OUTPUT"), 0);
	assert_int_equal(pkt->len, 60);
	assert_int_equal(pkt->hook, XT2_OUTPUT);
	assert_int_equal(pkt->data[7], 64);
	assert_int_equal(transport_sum(), 0xffff);
	assert_int_equal(BUILD(.family = XT2_ARP), 0);
	assert_int_equal(pkt->len, 28);
	assert_int_equal(pkt->data[7], 1);
	assert_int_equal(pkt->dst4, 0xc0000202);
}

static void test_protocols(void **state)
{
	static const struct {
		const char *name;
		int family, proto;
		unsigned int len; /* of the packet */
		bool summed;
	} rows[] = {
		{ "tcp", XT2_IPV4, 6, 40, true },     { "udp", XT2_IPV4, 17, 28, true },
		{ "icmp", XT2_IPV4, 1, 28, false },   { "icmp", XT2_IPV6, 58, 48, true },
		{ "icmpv6", XT2_IPV6, 58, 48, true }, { "icmp6", XT2_IPV6, 58, 48, true },
		{ "sctp", XT2_IPV4, 132, 52, false }, { "dccp", XT2_IPV6, 33, 60, false },
		{ "136", XT2_IPV4, 136, 28, false },  { "200", XT2_IPV4, 200, 20, false },
		{ "255", XT2_IPV6, 255, 40, false },  { "udp", XT2_IPV6, 17, 48, true },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		assert_int_equal(BUILD(.family = rows[i].family, .protocol = rows[i].name), 0);
		assert_int_equal(packet.pkt.proto, rows[i].proto);
		assert_int_equal(packet.pkt.len, rows[i].len);
		if (rows[i].summed)
			assert_int_equal(transport_sum(), 0xffff);
		if (xt2_proto_has_ports(rows[i].proto))
			assert_int_equal(packet.pkt.dport, 80);
	}
	REFUSED("unknown protocol 'nonesuch'", .family = XT2_IPV4, .protocol = "nonesuch");
	REFUSED("'256' is not a number from 0 to 255", .family = XT2_IPV4, .protocol = "256");
	REFUSED("unknown protocol", .family = XT2_IPV6, .protocol = "tcpx");
	/* Other options say which protocol is meant. */
	assert_int_equal(BUILD(.family = XT2_IPV6, .icmp_type = "1/4"), 0);
	assert_int_equal(packet.pkt.proto, 58);
	assert_int_equal(BUILD(.family = XT2_IPV4, .icmp_type = "3", .dport = "5"), 0);
	assert_int_equal(packet.pkt.proto, 6);
}

/* Each number, at its last value and after it. */
static void test_numbers(void **state)
{
	const struct xt2_pkt *pkt = &packet.pkt;

	assert_int_equal(BUILD(.family = XT2_IPV4, .ttl = "255", .tos = "0xff", .sport = "65535",
			       .dport = "0", .length = "65535"),
			 0);
	assert_int_equal(pkt->data[8], 255);
	assert_int_equal(pkt->data[1], 255);
	assert_int_equal(pkt->sport, 65535);
	assert_int_equal(pkt->dport, 0);
	assert_int_equal(pkt->len, 65535);
	assert_int_equal(transport_sum(), 0xffff);
	REFUSED("TTL: '256'", .family = XT2_IPV4, .ttl = "256");
	REFUSED("TOS: '256'", .family = XT2_IPV4, .tos = "256");
	REFUSED("TTL: '-1'", .family = XT2_IPV4, .ttl = "-1");
	REFUSED("hop limit: '256'", .family = XT2_IPV6, .ttl = "256");
	REFUSED("traffic class: ''", .family = XT2_IPV6, .tos = "");
	REFUSED("source port: '65536'", .family = XT2_IPV4, .sport = "65536");
	REFUSED("destination port: '80x'", .family = XT2_IPV4, .dport = "80x");
	REFUSED("length: '65536'", .family = XT2_IPV4, .length = "65536");
	assert_int_equal(BUILD(.family = XT2_IPV4, .length = "40"), 0);
	REFUSED("length 39 is less than the headers' 40", .family = XT2_IPV4, .length = "39");
	assert_int_equal(BUILD(.family = XT2_IPV6, .length = "65535", .tos = "0xab"), 0);
	assert_int_equal(pkt->len, 65535);
	assert_int_equal(pkt->data[0], 0x6a);
	assert_int_equal(pkt->data[1], 0xb0);
	REFUSED("length 59 is less than the headers' 60", .family = XT2_IPV6, .length = "59");
}

static void test_addresses(void **state)
{
	assert_int_equal(BUILD(.family = XT2_IPV4, .source = "10.1.2.3", .destination = "10.4.5.6"),
			 0);
	assert_int_equal(packet.pkt.src4, 0x0a010203);
	assert_int_equal(packet.pkt.dst4, 0x0a040506);
	REFUSED("'10.1.2' is not an IPv4 address", .family = XT2_IPV4, .source = "10.1.2");
	REFUSED("'::1' is not an IPv4 address", .family = XT2_IPV4, .destination = "::1");
	REFUSED("'10.1.2.3' is not an IPv6 address", .family = XT2_IPV6, .source = "10.1.2.3");
	assert_int_equal(BUILD(.family = XT2_ARP, .source = "10.1.2.3", .arp_op = "reply",
			       .mac_source = "02:00:00:00:00:0a"),
			 0);
	assert_int_equal(packet.pkt.src4, 0x0a010203);
	assert_int_equal(packet.pkt.data[7], 2);
	assert_int_equal(packet.pkt.data[13], 0x0a);
	assert_int_equal(packet.captured.mac[11], 0x0a);
	assert_int_equal(packet.captured.mac[13], 0x06);
	REFUSED("'::1' is not an IPv4 address", .family = XT2_ARP, .destination = "::1");
	assert_int_equal(BUILD(.family = XT2_ARP, .arp_op = "65535"), 0);
	assert_int_equal(packet.pkt.data[6], 255);
	REFUSED("ARP operation: '65536'", .family = XT2_ARP, .arp_op = "65536");
	assert_int_equal(BUILD(.family = XT2_IPV6, .mac_destination = "02:00:00:00:00:0b"), 0);
	assert_int_equal(packet.captured.mac[5], 0x0b);
	assert_int_equal(packet.captured.mac[12], 0x86);
	REFUSED("'02:00:00:00:00' is not a MAC address", .family = XT2_IPV4,
		.mac_source = "02:00:00:00:00");
	REFUSED("is not a MAC address", .family = XT2_IPV4,
		.mac_destination = "02:00:00:00:00:01:02");
	REFUSED("is not a MAC address", .family = XT2_ARP, .mac_source = "02:00:00:00:00:0g");
}

static void test_tcp_flags(void **state)
{
	static const struct {
		const char *text;
		int flags; /* -1: refused */
	} rows[] = {
		{ "FIN", 1 },
		{ "syn,ack", 0x12 },
		{ "NONE", 0 },
		{ "CWR,ECE,URG,ACK,PSH,RST,SYN,FIN", 255 },
		{ "", 0 },
		{ "SYN,", 2 },
		{ "SYNX", -1 },
		{ "SY", -1 },
		{ "ACK,,SYN", 0x12 },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		if (rows[i].flags < 0) {
			REFUSED("TCP flags", .family = XT2_IPV4, .tcp_flags = rows[i].text);
			continue;
		}
		assert_int_equal(BUILD(.family = XT2_IPV4, .tcp_flags = rows[i].text), 0);
		assert_int_equal(packet.pkt.data[33], rows[i].flags);
	}
}

static void test_icmp_types(void **state)
{
	static const struct {
		const char *text;
		int type4, type6, code; /* -1: refused in this family */
	} rows[] = {
		{ "ping", 8, 128, 0 },
		{ "echo-reply", 0, 129, 0 },
		{ "host-unreachable", 3, -1, 1 },
		{ "packet-too-big", -1, 2, 0 },
		{ "255/255", 255, 255, 255 },
		{ "0x10/2", 16, 16, 2 },
		{ "7", 7, 7, 0 },
		{ "256", -1, -1, 0 },
		{ "1/256", -1, -1, 0 },
		{ "", -1, -1, 0 },
		{ "1/2/3", -1, -1, 0 },
		{ "nonesuch", -1, -1, 0 },
	};
	size_t i;
	int six;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		for (six = 0; six < 2; six++) {
			const int type = six ? rows[i].type6 : rows[i].type4;
			const int family = six ? XT2_IPV6 : XT2_IPV4;

			if (type < 0) {
				REFUSED("ICMP type", .family = family, .icmp_type = rows[i].text);
				continue;
			}
			assert_int_equal(BUILD(.family = family, .icmp_type = rows[i].text), 0);
			assert_int_equal(packet.pkt.data[packet.pkt.thoff], type);
			assert_int_equal(packet.pkt.data[packet.pkt.thoff + 1], rows[i].code);
		}
	}
	assert_int_equal(BUILD(.family = XT2_IPV4, .icmp_type = "communication-prohibited"), 0);
	assert_int_equal(packet.pkt.data[21], 13);
	assert_int_equal(BUILD(.family = XT2_IPV6, .icmp_type = "communication-prohibited"), 0);
	assert_int_equal(packet.pkt.data[41], 1);
}

static void test_fragment(void **state)
{
	assert_int_equal(BUILD(.family = XT2_IPV4, .fragment = true, .protocol = "udp"), 0);
	assert_int_equal(packet.pkt.fragoff, 1480);
	assert_int_equal(packet.pkt.len, 28);
	assert_int_equal(packet.pkt.proto, 17);
	assert_int_equal(sum(packet.pkt.data, 20, 0), 0xffff);
	assert_int_equal(BUILD(.family = XT2_IPV6, .fragment = true, .protocol = "udp"), 0);
	assert_int_equal(packet.pkt.fragoff, 1480);
	assert_int_equal(packet.pkt.len, 56);
	assert_int_equal(packet.pkt.proto, 17);
	REFUSED("length 27 is less", .family = XT2_IPV4, .fragment = true, .length = "27");
	REFUSED("length 55 is less", .family = XT2_IPV6, .fragment = true, .length = "55");
}

static const char *hex_of(const __u8 *p, unsigned int n, const char *between)
{
	static char text[400];
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%02x%s", p[i], between);
	return text;
}

static void test_hex(void **state)
{
	static char most[2 * 65537 + 1];
	__u8 bytes[128];
	unsigned int n = packet_ipv4(bytes, 0x0a000001, 0x0a000002, 17, 7, 9);

	assert_int_equal(BUILD(.family = XT2_IPV4, .hex = hex_of(bytes, n, "")), 0);
	assert_int_equal(packet.pkt.caplen, n);
	assert_memory_equal(packet.pkt.data, bytes, n);
	assert_int_equal(packet.pkt.dport, 9);
	assert_int_equal(BUILD(.family = XT2_IPV4, .hex = hex_of(bytes, n, ":")), 0);
	assert_memory_equal(packet.pkt.data, bytes, n);
	assert_int_equal(BUILD(.family = XT2_IPV4, .hex = hex_of(bytes, n, " \n")), 0);
	assert_memory_equal(packet.pkt.data, bytes, n);
	REFUSED("hex bytes: none", .family = XT2_IPV4, .hex = " :");
	REFUSED("hex bytes: '4'", .family = XT2_IPV4, .hex = "454");
	REFUSED("hex bytes: 'g5'", .family = XT2_IPV4, .hex = "45g5");
	REFUSED("hex bytes: '-1'", .family = XT2_IPV4, .hex = "45-1");
	REFUSED("header not complete", .family = XT2_IPV4, .hex = hex_of(bytes, 19, ""));
	bytes[11] ^= 1;
	REFUSED("bad checksum", .family = XT2_IPV4, .hex = hex_of(bytes, n, ""));
	n = packet_ipv4(bytes, 0x0a000001, 0x0a000002, 6, 7, 9);
	REFUSED("bad version", .family = XT2_IPV6, .hex = hex_of(bytes, n, ""));
	memset(most, '0', 2 * 65536);
	REFUSED("the hook would not see it", .family = XT2_IPV4, .hex = most);
	memset(most, '0', 2 * 65537);
	REFUSED("the packet is too long", .family = XT2_IPV4, .hex = most);
}

/* Bytes of the link layer after the packet are none of it. */
static void test_trailer(void **state)
{
	__u8 bytes[128];
	unsigned int n = packet_ipv4(bytes, 0x0a000001, 0x0a000002, 17, 7, 9);

	memset(bytes + n, 0xee, 6);
	assert_int_equal(BUILD(.family = XT2_IPV4, .hex = hex_of(bytes, n + 6, "")), 0);
	assert_int_equal(packet.pkt.len, n);
	assert_int_equal(packet.pkt.caplen, n);
}

static void test_hooks(void **state)
{
	assert_int_equal(BUILD(.family = XT2_ARP, .hook = "OUTPUT"), 0);
	assert_int_equal(packet.pkt.hook, XT2_ARP_OUTPUT);
	REFUSED("no hook 'NONESUCH'", .family = XT2_IPV4, .hook = "NONESUCH");
	REFUSED("no hook 'POSTROUTING'", .family = XT2_ARP, .hook = "POSTROUTING");
}

/* => the path of a capture with two UDP packets, of IPv4 and IPv6, over Ethernet */
static const char *capture(void)
{
	static char path[] = "/tmp/xt2-test-packet-XXXXXX";
	static const __u32 head[6] = { 0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1 };
	__u8 frames[2][14 + 128] = { { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00 },
				     { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 0x86, 0xdd } };
	unsigned int n[2] = { 14 + packet_ipv4(frames[0] + 14, 0x0a000001, 0x0a000002, 17, 7, 9),
			      14 + packet_ipv6(frames[1] + 14, 1, 2, 17, 7, 11) };
	FILE *f;
	int i;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	f = fdopen(mkstemp(path), "w");
	assert_non_null(f);
	fwrite(head, sizeof(head), 1, f);
	for (i = 0; i < 2; i++) {
		const __u32 record[4] = { 1000, 5, n[i], n[i] };

		fwrite(record, sizeof(record), 1, f);
		fwrite(frames[i], n[i], 1, f);
	}
	assert_int_equal(fclose(f), 0);
	return path;
}

static void test_capture(void **state)
{
	const char *path = capture();

	assert_int_equal(BUILD(.capture = path, .number = 1), 0);
	assert_int_equal(packet.pkt.family, XT2_IPV4);
	assert_int_equal(packet.pkt.dport, 9);
	assert_int_equal(packet.captured.mac[11], 2);
	assert_ptr_equal(packet.captured.mac, packet.mac);
	assert_int_equal(packet.captured.time, 1000000005000ull);
	assert_int_equal(BUILD(.family = XT2_IPV6, .capture = path, .number = 2), 0);
	assert_int_equal(packet.pkt.dport, 11);
	assert_int_equal(packet.pkt.caplen, 48);
	REFUSED("not of the ruleset's family", .family = XT2_IPV6, .capture = path, .number = 1);
	REFUSED("has only 2 packets", .capture = path, .number = 3);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(BUILD(.capture = path, .number = 1), -ENOENT);
	assert_int_not_equal(err.code, XT2_OK);
}

/* The last packet is cut off in the file. */
static void test_broken_capture(void **state)
{
	const char *path = capture();

	assert_int_equal(truncate(path, 24 + 16 + 42 + 16 + 30), 0);
	assert_int_equal(BUILD(.capture = path, .number = 1), 0);
	assert_int_equal(BUILD(.capture = path, .number = 2), -EINVAL);
	assert_int_equal(unlink(path), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_defaults),  cmocka_unit_test(test_protocols),
	cmocka_unit_test(test_numbers),	  cmocka_unit_test(test_addresses),
	cmocka_unit_test(test_tcp_flags), cmocka_unit_test(test_icmp_types),
	cmocka_unit_test(test_fragment),  cmocka_unit_test(test_hex),
	cmocka_unit_test(test_trailer),	  cmocka_unit_test(test_hooks),
	cmocka_unit_test(test_capture),	  cmocka_unit_test(test_broken_capture),
};

UNITS(tests)
