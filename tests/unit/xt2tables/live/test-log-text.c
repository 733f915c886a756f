/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-log-text.c - xt2tables/live/log-text.c
 *
 * The words are the kernel's, which tests/bpf/log.sh compares; here are the
 * packets that are cut off at each header, and names that a terminal would obey.
 */
#include <linux/if_arp.h>
#include <linux/netfilter/nf_log.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/env.h"
#include "tests/lib/unit-program.h"
#include "tests/lib/packets.h"
#include "xt2tables/live/log-text.h"
#include <xt2/ext.h>

static struct xt2_log_event *event;
static char line[XT2_LOG_LINE];

static int start(void **state)
{
	(void)state;
	event = calloc(1, sizeof(*event) + 128);
	event->family = XT2_IPV4;
	event->target = XT2_TARGET(XT2_T_LOG, 0);
	strcpy(event->out, "eth1");
	return !event;
}

static int end(void **state)
{
	(void)state;
	free(event);
	return 0;
}

static void size(unsigned int n)
{
	event->len = event->caplen = n;
}

static void flags(__u32 bits)
{
	event->target = XT2_TARGET(XT2_T_LOG, bits << 8);
}

/* The event, in memory that ends where it ends, so that ASan sees a byte too many. */
static const char *text(void)
{
	struct xt2_log_event *e = malloc(sizeof(*e) + event->caplen);

	memcpy(e, event, sizeof(*e) + event->caplen);
	xt2_log_line(e, line, sizeof(line));
	free(e);
	return line;
}

#define HEAD4 "IN= OUT=eth1 SRC=10.0.0.1 DST=10.0.0.2 "
#define HEAD6                                                       \
	"IN= OUT=eth1 SRC=fd00:0000:0000:0000:0000:0000:0000:0001 " \
	"DST=fd00:0000:0000:0000:0000:0000:0000:0002 "

static void ipv4(__u8 proto)
{
	size(packet_ipv4(event->bytes, 0x0a000001, 0x0a000002, proto, 7, 9));
}

static void ipv6(__u8 proto)
{
	event->family = XT2_IPV6;
	size(packet_ipv6(event->bytes, 1, 2, proto, 7, 9));
}

static void test_tcp(void **state)
{
#define TCP HEAD4 "LEN=40 TOS=0x00 PREC=0x00 TTL=64 ID=0 PROTO=TCP "
	ipv4(6);
	assert_string_equal(text(), TCP "SPT=7 DPT=9 WINDOW=0 RES=0x00 SYN URGP=0");
	flags(NF_LOG_TCPSEQ);
	packet_put32(event->bytes + 24, 5);
	packet_put32(event->bytes + 28, 6);
	event->bytes[32] = 0x5f;
	event->bytes[33] = 0xff;
	assert_string_equal(text(), TCP "SPT=7 DPT=9 SEQ=5 ACK=6 WINDOW=0 RES=0x38 "
					"AE CWR ECE URG ACK PSH RST SYN FIN URGP=0");
	event->caplen = 39;
	assert_string_equal(text(), TCP "TRUNCATED");
	event->len = 39;
	assert_string_equal(text(), TCP "INCOMPLETE [19 bytes]");
}

static void test_tcp_options(void **state)
{
	ipv4(6);
	event->bytes[32] = 0x60;
	memcpy(event->bytes + 40, "\x02\x04\x05\xb4", 4);
	size(44);
	flags(NF_LOG_TCPOPT);
	assert_non_null(strstr(text(), "SYN URGP=0 OPT (020405B4)"));
	event->caplen = 43;
	event->mark = 1;
	assert_non_null(strstr(text(), "SYN URGP=0 OPT (TRUNCATED)"));
	assert_null(strstr(text(), "MARK"));
	flags(0);
	assert_non_null(strstr(text(), "SYN URGP=0 MARK=0x1"));
}

static void test_udp(void **state)
{
#define UDP HEAD4 "LEN=28 TOS=0x00 PREC=0x00 TTL=64 ID=0 "
	ipv4(17);
	assert_string_equal(text(), UDP "PROTO=UDP SPT=7 DPT=9 LEN=8");
	event->caplen = 27;
	assert_string_equal(text(), UDP "PROTO=UDP TRUNCATED");
	size(28);
	event->bytes[9] = 136;
	assert_non_null(strstr(text(), "PROTO=UDPLITE SPT=7"));
	event->bytes[9] = 200;
	event->mark = 0x2a;
	assert_string_equal(text(), UDP "PROTO=200 MARK=0x2a");
	flags(NF_LOG_UID);
	event->uid = 5;
	assert_string_equal(text(), UDP "PROTO=200 MARK=0x2a");
	event->flags = XT2_LOG_OWNER;
	assert_string_equal(text(), UDP "PROTO=200 UID=5 GID=0 MARK=0x2a");
	flags(0);
	assert_string_equal(text(), UDP "PROTO=200 MARK=0x2a");
}

static void test_ipv4(void **state)
{
	ipv4(17);
	event->caplen = 19;
	assert_string_equal(text(), "IN= OUT=eth1 TRUNCATED");
	size(28);
	packet_put16(event->bytes + 6, 0xe001);
	event->bytes[1] = 0xff;
	assert_string_equal(text(), HEAD4 "LEN=28 TOS=0x1E PREC=0xE0 TTL=64 ID=0 "
					  "CE DF MF FRAG:1 PROTO=UDP");
	packet_put16(event->bytes + 6, 0);
	event->bytes[0] = 0x46;
	flags(NF_LOG_IPOPT);
	event->caplen = 23;
	assert_non_null(strstr(text(), "ID=0 TRUNCATED"));
	event->caplen = 24;
	assert_non_null(strstr(text(), "ID=0 OPT (00070009) PROTO=UDP INCOMPLETE [4 bytes]"));
}

static void test_icmp(void **state)
{
	ipv4(1);
	packet_put16(event->bytes + 24, 3);
	packet_put16(event->bytes + 26, 4);
	assert_non_null(strstr(text(), "PROTO=ICMP TYPE=8 CODE=0 ID=3 SEQ=4"));
	event->bytes[20] = 13; /* a time stamp has 20 bytes */
	assert_non_null(strstr(text(), "TYPE=13 CODE=0 INCOMPLETE [8 bytes]"));
	/* An error quotes a packet; an error in it is not followed. */
	event->bytes[20] = 3;
	event->bytes[21] = 4;
	packet_put16(event->bytes + 26, 1400);
	packet_ipv4(event->bytes + 28, 0x0a000002, 0x0a000001, 17, 9, 7);
	size(56);
	event->mark = 1;
	assert_non_null(strstr(text(), "TYPE=3 CODE=4 [SRC=10.0.0.2 DST=10.0.0.1 LEN=28 TOS=0x00 "
				       "PREC=0x00 TTL=64 ID=0 PROTO=UDP SPT=9 DPT=7 LEN=8 ] "
				       "MTU=1400 MARK=0x1"));
	event->bytes[37] = 1;
	event->bytes[48] = 3;
	event->bytes[49] = 0;
	size(80);
	assert_non_null(strstr(text(), "PROTO=ICMP TYPE=3 CODE=0 ] MTU=1400"));
	assert_null(strchr(strchr(line, '[') + 1, '['));
	event->caplen = 47;
	assert_non_null(strstr(text(), "CODE=4 [TRUNCATED] MTU=1400"));
	event->len = 56;
	event->bytes[20] = 5;
	assert_non_null(strstr(text(), "GATEWAY="));
	event->len = event->caplen = 27;
	assert_non_null(strstr(text(), "PROTO=ICMP INCOMPLETE [7 bytes]"));
}

static void test_ipv6(void **state)
{
#define SIX HEAD6 "LEN=48 TC=0 HOPLIMIT=64 FLOWLBL=0 "
	ipv6(17);
	packet_put16(event->bytes + 4, 8);
	assert_string_equal(text(), SIX "PROTO=UDP SPT=7 DPT=9 LEN=8");
	event->caplen = 39;
	assert_string_equal(text(), "IN= OUT=eth1 TRUNCATED");
	ipv6(58);
	packet_put16(event->bytes + 4, 8);
	assert_string_equal(text(), SIX "PROTO=ICMPv6 TYPE=128 CODE=0 ID=0 SEQ=0");
	event->caplen = 47;
	event->mark = 1;
	assert_string_equal(text(), SIX "PROTO=ICMPv6 TRUNCATED");
	event->caplen = 48;
	event->bytes[40] = 4;
	assert_string_equal(text(), SIX "PROTO=ICMPv6 TYPE=4 CODE=0 POINTER=00000000 [TRUNCATED] "
					"MARK=0x1");
}

/* A header after a header, each cut off. */
static void test_extensions(void **state)
{
	static const __u8 chain[] = {
		60, 0, 0, 0, 0, 0, 0, 0, /* hop-by-hop */
		44, 0, 0, 0, 0, 0, 0, 0, /* destination options */
		17, 0, 0, 9, 0, 0, 0, 5, /* a fragment, but the first */
	};
	unsigned int n;

	ipv6(0);
	packet_put16(event->bytes + 4, 8);
	memcpy(event->bytes + 40, chain, sizeof(chain));
	event->len = 100;
	event->caplen = 72;
	assert_string_equal(text(), SIX "FRAG:8 INCOMPLETE ID:00000005 PROTO=UDP");
	event->caplen = 63;
	assert_string_equal(text(), SIX "FRAG:TRUNCATED");
	for (n = 41; n < 58; n += 8) {
		event->caplen = n;
		assert_string_equal(text(), SIX "TRUNCATED");
	}
	flags(NF_LOG_IPOPT);
	event->caplen = 64;
	assert_string_equal(text(), SIX "OPT ( ) OPT ( ) OPT ( FRAG:8 INCOMPLETE ID:00000005 ) "
					"PROTO=UDP");
	event->bytes[6] = 51;
	event->caplen = 51; /* AH has 12 bytes */
	assert_string_equal(text(), SIX "OPT ( AH TRUNCATED )");
	event->bytes[6] = 50;
	event->caplen = 48;
	assert_string_equal(text(), SIX "OPT ( ESP SPI=0x3c000000 )");
	flags(0);
	assert_string_equal(text(), HEAD6 "LEN=48 TC=0 HOPLIMIT=64 FLOWLBL=0"); /* nothing more */
}

static void test_link(void **state)
{
	ipv4(17);
	event->in_index = 2;
	strcpy(event->in, "eth0");
	assert_non_null(strstr(text(), "IN=eth0 OUT=eth1 MAC= SRC="));
	event->flags = XT2_LOG_HAS_MAC;
	event->hard_header = 14;
	event->mac_len = 14;
	memcpy(event->mac, "\1\2\3\4\5\6\7\10\11\12\13\14\10\0\377", 15);
	assert_non_null(strstr(text(), "MAC=01:02:03:04:05:06:07:08:09:0a:0b:0c:08:00 SRC="));
	event->hard_header = 1000;
	assert_non_null(strstr(text(), ":08:00:ff:00:00"));
	flags(NF_LOG_MACDECODE);
	event->device = ARPHRD_ETHER;
	assert_non_null(strstr(text(), "MACSRC=07:08:09:0a:0b:0c MACDST=01:02:03:04:05:06 "
				       "MACPROTO=0800 SRC="));
	event->mac_len = 13;
	assert_null(strstr(text(), "MAC"));
	event->mac_len = 14;
	event->device = ARPHRD_NONE;
	assert_non_null(strstr(text(), "MAC=01"));
	event->in_index = 0;
	assert_null(strstr(text(), "MAC"));
}

/* Names and prefixes have no end of their own, and are no terminal's business. */
static void test_names(void **state)
{
	char prefix[65];

	ipv4(17);
	memcpy(event->data, "drop: ", 6);
	assert_non_null(strstr(text(), "drop: IN= OUT="));
	memset(event->data, 'p', sizeof(event->data));
	memset(event->out, 'o', sizeof(event->out));
	assert_int_equal(strlen(xt2_log_prefix(event, prefix)), XT2_LOG_PREFIX);
	assert_non_null(strstr(text(), "pppIN= OUT=oooooooooooooooo SRC"));
	event->target = XT2_TARGET(XT2_T_NFLOG, 0);
	assert_int_equal(strlen(xt2_log_prefix(event, prefix)), XT2_NFLOG_PREFIX);
	event->target = XT2_TARGET(XT2_T_NFLOG, XT2_NFLOG_SIZES);
	memcpy(event->data, "xxxxxxxxshort", 14);
	assert_string_equal(xt2_log_prefix(event, prefix), "short");
	memcpy(event->data, "xxxxxxxx\33[2J", 13);
	memcpy(event->out, "a\nb", 4);
	assert_null(strchr(text(), '\33'));
	assert_null(strchr(line, '\n'));
}

/* What has no room is left out, and the end stays inside. */
static void test_small(void **state)
{
	char small[64], whole[XT2_LOG_LINE];
	size_t n;

	ipv4(6);
	strcpy(whole, text());
	for (n = 1; n <= sizeof(small); n++) {
		memset(small, 'x', sizeof(small));
		xt2_log_line(event, small, n);
		assert_true(strlen(small) < n);
		assert_memory_equal(small, whole, strlen(small));
		if (n < sizeof(small))
			assert_int_equal(small[n], 'x');
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_tcp, start, end),
	cmocka_unit_test_setup_teardown(test_tcp_options, start, end),
	cmocka_unit_test_setup_teardown(test_udp, start, end),
	cmocka_unit_test_setup_teardown(test_ipv4, start, end),
	cmocka_unit_test_setup_teardown(test_icmp, start, end),
	cmocka_unit_test_setup_teardown(test_ipv6, start, end),
	cmocka_unit_test_setup_teardown(test_extensions, start, end),
	cmocka_unit_test_setup_teardown(test_link, start, end),
	cmocka_unit_test_setup_teardown(test_names, start, end),
	cmocka_unit_test_setup_teardown(test_small, start, end),
};

UNITS(tests)
