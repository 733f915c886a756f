/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-context.c - xt2tables/packet/context.c: what options tell about packets */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/rtnetlink.h>
#include "tests/lib/unit-program.h"
#include "tests/lib/packets.h"
#include "xt2tables/cmd/cmd.h"

struct context {
	struct xt2_host host;
};

static struct context context;
static const struct xt2_option options[] = {
	XT2_HOST_ROWS(struct context, host),
	XT2_ROWS_END,
};
static struct xt2_pkt pkt;
static struct xt2_captured captured;
static __u8 bytes[128];

static int start(void **state)
{
	(void)state;
	xt2_host_init(&context.host);
	memset(&captured, 0, sizeof(captured));
	return 0;
}

/* => what the option's row says of an argument, which it stores */
static int given(const char *name, const char *arg)
{
	struct xt2_given g = { .command = "test", .data = &context, .arg = arg };

	for (g.row = options; g.row->take; g.row++)
		if (g.row->name && !strcmp(g.row->name, name))
			break;
	assert_non_null(g.row->take);
	g.field = (char *)&context + g.row->at;
	return g.row->take(&g);
}

static void take(const char *name, const char *arg)
{
	assert_int_equal(given(name, arg), XT2_EXIT_OK);
}

static void refuse(const char *name, const char *arg)
{
	assert_int_equal(given(name, arg), XT2_EXIT_USAGE);
}

/* A packet at bytes, as xt2_packet_build() and replay leave it. */
static void packet(int family, unsigned int n)
{
	assert_int_equal(packet_parse(&pkt, (__u8)family, bytes, n), 0);
	captured.frame = bytes;
	captured.caplen = captured.len = n;
	captured.family = family;
}

static void fill(void)
{
	xt2_host_fill(&context.host, &pkt, &captured);
}

static void test_options(void **state)
{
	__u8 mac[14] = { 1 };

	take("in", "eth0");
	take("out", "fifteen-letters");
	take("physdev-in", "p1");
	take("mark", "0xffffffff");
	take("ctmark", "010");
	take("in-group", "1");
	take("out-group", "2");
	take("cpu", "3");
	take("mtu", "1500");
	take("whole-exthdrs", NULL);
	packet(XT2_IPV4, packet_ipv4(bytes, 1, 2, 17, 7, 9));
	captured.mac = mac;
	captured.pkttype = PACKET_MULTICAST;
	fill();
	assert_string_equal((const char *)pkt.in, "eth0");
	assert_string_equal((const char *)pkt.out, "fifteen-letters");
	assert_string_equal((const char *)pkt.physin, "p1");
	assert_int_equal(pkt.bridged, 1);
	assert_int_equal(pkt.mark, 0xffffffff);
	assert_int_equal(pkt.ct.mark, 8);
	assert_int_equal(pkt.in_group, 1);
	assert_int_equal(pkt.out_group, 2);
	assert_int_equal(pkt.cpu, 3);
	assert_int_equal(pkt.mtu, 1500);
	assert_int_equal(pkt.pkttype, PACKET_MULTICAST);
	assert_ptr_equal(pkt.mac, mac);
	assert_int_equal(pkt.mac_len, 14);
	assert_true(context.host.whole_exthdrs);
	refuse("in", "");
	refuse("out", "sixteen--letters");
	refuse("mark", "0x100000000");
	refuse("cpu", "-1");
	refuse("mtu", "1500x");
	xt2_host_init(&context.host);
	fill();
	assert_int_equal(pkt.bridged, 0);
	assert_int_equal(pkt.mac_len, 14);
	captured.mac = NULL;
	take("physdev-out", "p2");
	fill();
	assert_int_equal(pkt.bridged, 1);
	assert_int_equal(pkt.mac_len, 0);
}

static void test_words(void **state)
{
	take("ctstate", "established");
	assert_int_equal(context.host.ct.state, XT2_CT_ESTABLISHED);
	take("ctstate", "NEW,SNAT,DNAT");
	assert_int_equal(context.host.ct.state, XT2_CT_NEW | XT2_CT_SNAT | XT2_CT_DNAT);
	refuse("ctstate", "");
	refuse("ctstate", "SNAT");
	refuse("ctstate", "NEW,RELATED");
	refuse("ctstate", "NEWX");
	refuse("ctstate", "NE");
	take("ctstatus", "ASSURED,SEEN_REPLY");
	assert_int_equal(context.host.ct.status, IPS_ASSURED | IPS_SEEN_REPLY);
	take("ctstatus", "");
	assert_int_equal(context.host.ct.status, 0);
	refuse("ctstatus", "DYING");
	take("ctdir", "REPLY");
	assert_int_equal(context.host.ct.reply, 1);
	take("ctdir", "original");
	assert_int_equal(context.host.ct.reply, 0);
	refuse("ctdir", "both");
	take("pkttype", "otherhost");
	assert_int_equal(context.host.pkttype, PACKET_OTHERHOST);
	refuse("pkttype", "loopback");
}

static void test_local(void **state)
{
	char longest[80];
	int i;

	take("local", "192.0.2.1,2001:db8::1");
	take("local", "192.0.2.2,");
	assert_int_equal(context.host.nlocal, 3);
	refuse("local", "192.0.2");
	refuse("local", "192.0.2.1 ");
	refuse("local", ",");
	memset(longest, '1', sizeof(longest));
	longest[64] = '\0';
	refuse("local", longest);
	start(state);
	for (i = 0; i < XT2_LOCAL_MAX; i++)
		take("local", "192.0.2.1");
	refuse("local", "192.0.2.2");
	assert_int_equal(context.host.nlocal, XT2_LOCAL_MAX);
}

/* Of a source address; the destination is that of somebody else. */
static void test_types4(void **state)
{
	static const struct {
		__u32 addr;
		const char *in;
		int type, type_in;
	} rows[] = {
		{ 0xc0000201, "", RTN_LOCAL, RTN_LOCAL },
		{ 0xc0000202, "", RTN_UNICAST, RTN_UNICAST },
		{ 0xffffffff, "", RTN_BROADCAST, RTN_BROADCAST },
		{ 0, "", RTN_BROADCAST, RTN_BROADCAST },
		{ 0xdfffffff, "", RTN_UNICAST, RTN_UNICAST },
		{ 0xe0000000, "", RTN_MULTICAST, RTN_MULTICAST },
		{ 0xefffffff, "", RTN_MULTICAST, RTN_MULTICAST },
		{ 0xf0000000, "", RTN_UNICAST, RTN_UNICAST },
		{ 0x7f000001, "eth0", RTN_LOCAL, RTN_UNICAST },
		{ 0x7f000001, "lo", RTN_LOCAL, RTN_LOCAL },
		{ 0x80000001, "lo", RTN_UNICAST, RTN_UNICAST },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		start(state);
		take("local", "192.0.2.1,::c000:202");
		if (*rows[i].in)
			take("in", rows[i].in);
		packet(XT2_IPV4, packet_ipv4(bytes, rows[i].addr, 0x0a000001, 17, 7, 9));
		fill();
		assert_int_equal(pkt.src_type, rows[i].type);
		assert_int_equal(pkt.src_type_in, rows[i].type_in);
		assert_int_equal(pkt.dst_type, RTN_UNICAST);
	}
	take("out", "lo");
	packet(XT2_IPV4, packet_ipv4(bytes, 0x0a000001, 0x7f000001, 17, 7, 9));
	fill();
	assert_int_equal(pkt.dst_type_out, RTN_LOCAL);
	assert_int_equal(pkt.dst_type, RTN_LOCAL);
	assert_int_equal(pkt.src_type_out, RTN_UNICAST);
}

static void test_types6(void **state)
{
	const __u8 one[16] = { [15] = 1 };

	take("local", "fd00::1");
	packet(XT2_IPV6, packet_ipv6(bytes, 1, 2, 17, 7, 9));
	fill();
	assert_int_equal(pkt.src_type, RTN_LOCAL);
	assert_int_equal(pkt.dst_type, RTN_UNICAST);
	bytes[24] = 0xff;
	memcpy(bytes + 8, one, 16);
	packet(XT2_IPV6, 48);
	fill();
	assert_int_equal(pkt.dst_type, RTN_MULTICAST);
	assert_int_equal(pkt.src_type, RTN_LOCAL);
	assert_int_equal(pkt.src_type_in, RTN_UNICAST);
	take("in", "lo");
	fill();
	assert_int_equal(pkt.src_type_in, RTN_LOCAL);
	packet(XT2_ARP, packet_arp(bytes, 1, 2));
	fill();
	assert_int_equal(pkt.src_type, 0);
	assert_int_equal(pkt.dst_type_out, 0);
}

static const char *receive(int hook)
{
	struct xt2_pkt seen = { 0 };

	return xt2_host_receive(&context.host, hook, &captured, &seen);
}

static void test_receive(void **state)
{
	packet(XT2_IPV4, packet_ipv4(bytes, 1, 2, 17, 7, 9));
	assert_null(receive(XT2_INPUT));
	captured.pkttype = PACKET_OTHERHOST;
	assert_string_equal(receive(XT2_INPUT), "for another host");
	assert_string_equal(receive(XT2_PREROUTING), "for another host");
	assert_string_equal(receive(XT2_FORWARD), "for another host");
	assert_null(receive(XT2_OUTPUT));
	assert_null(receive(XT2_POSTROUTING));
	captured.pkttype = PACKET_OUTGOING;
	assert_string_equal(receive(XT2_INPUT), "sent, not received");
	assert_null(receive(XT2_POSTROUTING));
	take("pkttype", "unicast"); /* is what the user says */
	assert_null(receive(XT2_INPUT));
	captured.caplen = 19;
	assert_string_equal(receive(XT2_INPUT), "header not complete");
	start(state);
	packet(XT2_ARP, packet_arp(bytes, 1, 2));
	captured.pkttype = PACKET_OUTGOING;
	assert_string_equal(receive(XT2_ARP_INPUT), "sent, not received");
	assert_string_equal(receive(XT2_ARP_FORWARD), "sent, not received");
	assert_null(receive(XT2_ARP_OUTPUT));
}

/* From ::1, which only lo may show. */
static void test_receive_loopback(void **state)
{
	packet(XT2_IPV6, packet_ipv6(bytes, 1, 2, 17, 7, 9));
	assert_null(receive(XT2_INPUT));
	memset(bytes + 8, 0, 15);
	bytes[23] = 1;
	assert_string_equal(receive(XT2_INPUT), "only for loopback");
	take("in", "lo0");
	assert_string_equal(receive(XT2_INPUT), "only for loopback");
	take("in", "lo");
	assert_null(receive(XT2_INPUT));
}

static void assert_tuple(unsigned int sport, unsigned int dport, unsigned int back_sport,
			 unsigned int back_dport)
{
	assert_int_equal(pkt.ct.tuple, 1);
	assert_int_equal(pkt.ct.orig_sport, sport);
	assert_int_equal(pkt.ct.orig_dport, dport);
	assert_int_equal(pkt.ct.repl_sport, back_sport);
	assert_int_equal(pkt.ct.repl_dport, back_dport);
}

static void test_tuple(void **state)
{
	const __u32 one = htonl(0x0a000001), two = htonl(0x0a000002);

	take("ctstate", "ESTABLISHED");
	packet(XT2_IPV4, packet_ipv4(bytes, 0x0a000001, 0x0a000002, 6, 7, 9));
	fill();
	assert_tuple(7, 9, 9, 7);
	assert_int_equal(pkt.ct.orig_src[0], one);
	assert_int_equal(pkt.ct.orig_dst[0], two);
	assert_int_equal(pkt.ct.repl_src[0], two);
	assert_int_equal(pkt.ct.repl_dst[0], one);
	assert_int_equal(pkt.ct.proto, 6);
	take("ctdir", "REPLY"); /* the first packet came from the other side */
	fill();
	assert_tuple(9, 7, 7, 9);
	assert_int_equal(pkt.ct.orig_src[0], two);
	assert_int_equal(pkt.ct.repl_src[0], one);
	packet(XT2_IPV6, packet_ipv6(bytes, 1, 2, 17, 7, 9));
	fill();
	assert_tuple(9, 7, 7, 9);
	assert_memory_equal(pkt.ct.orig_src, pkt.dst, 16);
	assert_memory_equal(pkt.ct.repl_src, pkt.src, 16);
}

/* Where nothing is known of the connection's addresses. */
static void test_no_tuple(void **state)
{
	packet(XT2_IPV4, packet_ipv4(bytes, 1, 2, 6, 7, 9));
	fill();
	assert_int_equal(pkt.ct.tuple, 0); /* there is no connection */
	take("ctstate", "INVALID");
	fill();
	assert_int_equal(pkt.ct.tuple, 0);
	take("ctstate", "NEW,SNAT");
	fill();
	assert_int_equal(pkt.ct.tuple, 0);
	take("ctstate", "NEW");
	fill();
	assert_int_equal(pkt.ct.tuple, 1);
	pkt.caplen = 24;
	fill();
	assert_int_equal(pkt.ct.tuple, 1);
	pkt.caplen = 23; /* the ports are cut off */
	fill();
	assert_int_equal(pkt.ct.tuple, 0);
	packet_put16(bytes + 6, 1);
	packet_ipv4_checksum(bytes);
	packet(XT2_IPV4, 40);
	fill();
	assert_int_equal(pkt.ct.tuple, 0); /* a later fragment */
	packet(XT2_IPV4, packet_ipv4(bytes, 1, 2, 47, 7, 9));
	fill();
	assert_int_equal(pkt.ct.tuple, 0); /* GRE has keys */
	packet(XT2_IPV4, packet_ipv4(bytes, 1, 2, 200, 7, 9));
	fill();
	assert_tuple(0, 0, 0, 0);
}

/* A question and its answer are one connection; the number stands for the source port. */
static void test_icmp(void **state)
{
	static const struct {
		int family, proto, type, dport,
			back; /* back: dport of the other direction; -1: none */
	} rows[] = {
		{ XT2_IPV4, 1, 8, 0x0800, 0x0000 },
		{ XT2_IPV4, 1, 0, 0x0000, 0x0800 },
		{ XT2_IPV4, 1, 13, 0x0d00, 0x0e00 },
		{ XT2_IPV4, 1, 14, 0x0e00, 0x0d00 },
		{ XT2_IPV4, 1, 17, 0x1100, 0x1200 },
		{ XT2_IPV4, 1, 3, 0, -1 },
		{ XT2_IPV4, 1, 128, 0, -1 },
		{ XT2_IPV6, 58, 128, 0x8000, 0x8100 },
		{ XT2_IPV6, 58, 129, 0x8100, 0x8000 },
		{ XT2_IPV6, 58, 139, 0x8b00, 0x8c00 },
		{ XT2_IPV6, 58, 1, 0, -1 },
		{ XT2_IPV6, 58, 8, 0, -1 },
	};
	unsigned int n, off;
	size_t i;

	take("ctstate", "NEW");
	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		off = rows[i].family == XT2_IPV4 ? 20 : 40;
		n = rows[i].family == XT2_IPV4 ? packet_ipv4(bytes, 1, 2, 1, 0, 0)
					       : packet_ipv6(bytes, 1, 2, 58, 0, 0);
		bytes[off] = (__u8)rows[i].type;
		packet_put16(bytes + off + 4, 0x1234);
		packet(rows[i].family, n);
		fill();
		if (rows[i].back < 0)
			assert_int_equal(pkt.ct.tuple, 0);
		else
			assert_tuple(0x1234, (unsigned int)rows[i].dport, 0x1234,
				     (unsigned int)rows[i].back);
		pkt.caplen = off + 7;
		fill();
		assert_int_equal(pkt.ct.tuple, 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_options, start),
	cmocka_unit_test_setup(test_words, start),
	cmocka_unit_test_setup(test_local, start),
	cmocka_unit_test_setup(test_types4, start),
	cmocka_unit_test_setup(test_types6, start),
	cmocka_unit_test_setup(test_receive, start),
	cmocka_unit_test_setup(test_receive_loopback, start),
	cmocka_unit_test_setup(test_tuple, start),
	cmocka_unit_test_setup(test_no_tuple, start),
	cmocka_unit_test_setup(test_icmp, start),
};

UNITS(tests)
