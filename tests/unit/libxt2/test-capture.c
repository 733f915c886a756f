/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-capture.c - libxt2/capture.c
 *
 * Captures are written by hand, byte by byte, so that libpcap's reader meets
 * another writer than libpcap's; only the round trip uses xt2_dump_*().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/lib/unit-program.h"
#include <linux/if_packet.h>
#include <pcap/pcap.h>
#include "libxt2/capture.h"

#define LINKTYPE_ETHERNET 1
#define LINKTYPE_RAW	  101

/* A file in the making. */
static __u8 file[4096];
static size_t file_size;

static void add(const void *bytes, size_t size)
{
	assert_true(file_size + size <= sizeof(file));
	memcpy(file + file_size, bytes, size);
	file_size += size;
}

static void add16(__u16 v)
{
	add(&v, sizeof(v));
}

static void add32(__u32 v)
{
	add(&v, sizeof(v));
}

static void pcap_header(__u32 magic, __u32 link)
{
	file_size = 0;
	add32(magic);
	add16(2);
	add16(4);
	add32(0);
	add32(0);
	add32(65535);
	add32(link);
}

static void pcap_start(__u32 link)
{
	pcap_header(0xa1b23c4d, link);
}

static void pcap_packet(__u32 sec, __u32 nsec, const void *frame, __u32 caplen, __u32 len)
{
	add32(sec);
	add32(nsec);
	add32(caplen);
	add32(len);
	add(frame, caplen);
}

static void ng_block(__u32 type, const void *body, __u32 size)
{
	static const __u8 pad[4];
	__u32 padded = (size + 3) & ~3u;

	add32(type);
	add32(padded + 12);
	add(body, size);
	add(pad, padded - size);
	add32(padded + 12);
}

static void ng_section(void)
{
	static const __u32 body[] = { 0x1a2b3c4d, 0x00000001, 0xffffffff, 0xffffffff };

	file_size = 0;
	ng_block(0x0a0d0d0a, body, sizeof(body));
}

/* An interface whose time stamps are in units of 10 ** -resolution seconds. */
static void ng_interface(__u16 link, __u8 resolution)
{
	__u8 body[20] = { (__u8)link, (__u8)(link >> 8), 0, 0, 0, 0, 4, 0, 9, 0, 1,
			  0,	      resolution,	 0, 0, 0, 0, 0, 0, 0 };

	ng_block(1, body, sizeof(body));
}

static void ng_packet(__u32 interface, __u64 when, const void *frame, __u32 caplen, __u32 len)
{
	__u8 body[256];
	__u32 head[5] = { interface, (__u32)(when >> 32), (__u32)when, caplen, len };

	assert_true(sizeof(head) + caplen <= sizeof(body));
	memcpy(body, head, sizeof(head));
	memcpy(body + sizeof(head), frame, caplen);
	ng_block(6, body, sizeof(head) + caplen);
}

static struct xt2_err err;
static struct xt2_captured got;

static struct xt2_capture *open_file(void)
{
	FILE *from = fmemopen(file, file_size, "r");

	assert_non_null(from);
	memset(&err, 0xee, sizeof(err));
	return xt2_capture_stream(from, "some.pcap", &err);
}

static struct xt2_capture *must_open(void)
{
	struct xt2_capture *cap = open_file();

	assert_non_null(cap);
	return cap;
}

/* The only packet of a capture of this link type; cap stays open. */
static struct xt2_capture *only_packet(__u32 link, const void *frame, __u32 caplen)
{
	struct xt2_capture *cap;

	pcap_start(link);
	pcap_packet(1, 2, frame, caplen, caplen);
	cap = must_open();
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(got.caplen, caplen);
	assert_int_equal(got.len, caplen);
	assert_int_equal(got.time, 1000000002);
	assert_true(got.network <= got.caplen);
	return cap;
}

static void check_packet(__u32 link, const void *frame, __u32 caplen, int family, __u32 network,
			 int pkttype)
{
	struct xt2_capture *cap = only_packet(link, frame, caplen);

	assert_int_equal(got.family, family);
	assert_int_equal(got.pkttype, pkttype);
	if (family)
		assert_int_equal(got.network, network);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 0);
	xt2_capture_close(cap);
}

/* --- link types -------------------------------------------------------------- */

static const __u8 ether[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00, 0x45, 0 };

static void ether_frame(__u8 *frame, __u8 first, __u16 type)
{
	memcpy(frame, ether, sizeof(ether));
	frame[0] = first;
	frame[12] = (__u8)(type >> 8);
	frame[13] = (__u8)type;
}

static void ethernet_is_read(void **state)
{
	static const struct {
		__u16 type;
		int family;
	} rows[] = {
		{ 0x0800, XT2_IPV4 }, { 0x86dd, XT2_IPV6 }, { 0x0806, XT2_ARP },
		{ 0x8864, 0 },	      { 0x0100, 0 },	    { 0x9100, 0 },
	};
	struct xt2_capture *cap;
	__u8 frame[16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ether_frame(frame, 2, rows[i].type);
		check_packet(LINKTYPE_ETHERNET, frame, 16, rows[i].family, 14, PACKET_HOST);
	}
	ether_frame(frame, 3, 0x0800);
	check_packet(LINKTYPE_ETHERNET, frame, 16, XT2_IPV4, 14, PACKET_MULTICAST);
	memset(frame, 0xff, 6);
	check_packet(LINKTYPE_ETHERNET, frame, 16, XT2_IPV4, 14, PACKET_BROADCAST);
	check_packet(LINKTYPE_ETHERNET, frame, 14, XT2_IPV4, 14, PACKET_BROADCAST);
	check_packet(LINKTYPE_ETHERNET, frame, 13, 0, 0, PACKET_HOST);
	cap = only_packet(LINKTYPE_ETHERNET, ether, 16);
	assert_int_equal(xt2_capture_linktype(cap), DLT_EN10MB);
	assert_int_equal(xt2_capture_percent(cap), -1); /* a pipe */
	assert_memory_equal(got.mac, ether, 14);
	xt2_capture_close(cap);
}

static void vlan_tags_are_skipped(void **state)
{
	static const __u8 tagged[] = { 2,    0,	   0, 0, 0,    1,    2, 0, 0,	 0,    0,    2,
				       0x88, 0xa8, 0, 5, 0x81, 0x00, 0, 6, 0x86, 0xdd, 0x60, 0 };
	struct xt2_capture *cap;

	check_packet(LINKTYPE_ETHERNET, tagged, 24, XT2_IPV6, 22, PACKET_HOST);
	check_packet(LINKTYPE_ETHERNET, tagged, 22, XT2_IPV6, 22, PACKET_HOST);
	/* cut off inside of either tag */
	for (__u32 caplen = 14; caplen < 22; caplen++)
		check_packet(LINKTYPE_ETHERNET, tagged, caplen, 0, 0, PACKET_HOST);
	cap = only_packet(LINKTYPE_ETHERNET, tagged, 24);
	assert_memory_equal(got.mac, tagged, 12);
	assert_memory_equal(got.mac + 12, tagged + 20, 2);
	xt2_capture_close(cap);
}

static void raw_packets_are_read(void **state)
{
	static const __u8 v4[] = { 0x45 }, v6[] = { 0x60 }, v5[] = { 0x50 };

	check_packet(LINKTYPE_RAW, v4, 1, XT2_IPV4, 0, PACKET_HOST);
	check_packet(LINKTYPE_RAW, v6, 1, XT2_IPV6, 0, PACKET_HOST);
	check_packet(LINKTYPE_RAW, v5, 1, 0, 0, PACKET_HOST);
	check_packet(LINKTYPE_RAW, v4, 0, 0, 0, PACKET_HOST);
	check_packet(228, v5, 1, XT2_IPV4, 0, PACKET_HOST); /* LINKTYPE_IPV4 */
	check_packet(229, v5, 1, XT2_IPV6, 0, PACKET_HOST); /* LINKTYPE_IPV6 */
	assert_null(got.mac);
}

static void bsd_loopback_is_read(void **state)
{
	static const struct {
		__u8 bytes[5];
		int null, loop; /* families */
	} rows[] = {
		{ { 2, 0, 0, 0, 0x45 }, XT2_IPV4, 0 },
		{ { 0, 0, 0, 2, 0x45 }, XT2_IPV4, XT2_IPV4 },
		{ { 10, 0, 0, 0, 0x60 }, XT2_IPV6, 0 },
		{ { 24, 0, 0, 0, 0x60 }, XT2_IPV6, 0 },
		{ { 28, 0, 0, 0, 0x60 }, XT2_IPV6, 0 },
		{ { 0, 0, 0, 30, 0x60 }, XT2_IPV6, XT2_IPV6 },
		{ { 0, 0, 0, 3, 0x45 }, 0, 0 },
		{ { 2, 0, 0, 1, 0x45 }, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check_packet(0, rows[i].bytes, 5, rows[i].null, 4, PACKET_HOST);
		check_packet(108, rows[i].bytes, 5, rows[i].loop, 4, PACKET_HOST);
	}
	check_packet(0, rows[0].bytes, 3, 0, 0, PACKET_HOST);
	check_packet(108, rows[1].bytes, 3, 0, 0, PACKET_HOST);
}

static void cooked_is_read(void **state)
{
	__u8 frame[] = { 0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 9, 0, 0, 0x08, 0x00, 0x45 };
	static const __u8 tagged[] = { 0, 0, 0, 1,    0,    6, 2, 0,	0,    0,   0,
				       9, 0, 0, 0x81, 0x00, 0, 7, 0x86, 0xdd, 0x60 };
	static const __u8 mac[] = { 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 9, 0x08, 0x00 };
	struct xt2_capture *cap;

	check_packet(113, frame, 17, XT2_IPV4, 16, PACKET_OUTGOING);
	check_packet(113, frame, 15, 0, 0, PACKET_HOST);
	check_packet(113, tagged, 21, XT2_IPV6, 20, PACKET_HOST);
	cap = only_packet(113, frame, 17);
	assert_memory_equal(got.mac, mac, 14);
	xt2_capture_close(cap);
	frame[2] = 3, frame[3] = 4; /* ARPHRD_LOOPBACK has no Ethernet header */
	cap = only_packet(113, frame, 17);
	assert_null(got.mac);
	assert_int_equal(got.family, XT2_IPV4);
	xt2_capture_close(cap);
}

static void cooked2_is_read(void **state)
{
	static const __u8 frame[] = { 0x08, 0x06, 0, 0, 0, 0, 0, 3, 0, 1, 1,
				      6,    2,	  0, 0, 0, 0, 9, 0, 0, 0, 1 };
	static const __u8 mac[] = { 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 9, 0x08, 0x06 };
	struct xt2_capture *cap;

	check_packet(276, frame, 22, XT2_ARP, 20, PACKET_BROADCAST);
	check_packet(276, frame, 20, XT2_ARP, 20, PACKET_BROADCAST);
	check_packet(276, frame, 19, 0, 0, PACKET_HOST);
	cap = only_packet(276, frame, 22);
	assert_memory_equal(got.mac, mac, 14);
	xt2_capture_close(cap);
}

/* --- files ------------------------------------------------------------------- */

static __u64 time_in(__u32 magic, __u32 sec, __u32 fraction)
{
	struct xt2_capture *cap;

	pcap_header(magic, LINKTYPE_ETHERNET);
	pcap_packet(sec, fraction, ether, 16, 60);
	cap = must_open();
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(got.len, 60);
	xt2_capture_close(cap);
	return got.time;
}

static void times_are_nanoseconds(void **state)
{
	assert_int_equal(time_in(0xa1b2c3d4, 5, 7), 5000007000);
	assert_int_equal(time_in(0xa1b23c4d, 5, 7), 5000000007);
	assert_int_equal(time_in(0xa1b23c4d, 0xfffffff0, 1), 4294967280000000001); /* 2106 */
	/* a fraction of more than a second doesn't run into the next one */
	assert_int_equal(time_in(0xa1b23c4d, 5, 0xffffffff), 5999999999);
}

static void more_captured_than_sent(void **state)
{
	struct xt2_capture *cap;

	pcap_start(LINKTYPE_ETHERNET);
	pcap_packet(1, 2, ether, 16, 3);
	cap = must_open();
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(got.caplen, 16);
	assert_int_equal(got.len, 16);
	xt2_capture_close(cap);
}

static void pcapng_is_read(void **state)
{
	struct xt2_capture *cap;

	ng_section();
	ng_interface(LINKTYPE_ETHERNET, 9);
	ng_interface(LINKTYPE_ETHERNET, 3);
	ng_packet(0, 5000000007, ether, 16, 60);
	ng_packet(1, 5007, ether, 15, 15);
	cap = must_open();
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(got.time, 5000000007);
	assert_int_equal(got.caplen, 16);
	assert_int_equal(got.len, 60);
	assert_int_equal(got.family, XT2_IPV4);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(got.time, 5007000000);
	assert_int_equal(got.caplen, 15);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 0);
	xt2_capture_close(cap);
}

static void pcapng_times_may_be_anything(void **state)
{
	struct xt2_capture *cap;

	ng_section();
	ng_interface(LINKTYPE_ETHERNET, 0);
	ng_packet(0, ~0ull, ether, 16, 16);
	ng_packet(0, 1ull << 62, ether, 16, 16);
	cap = must_open();
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_true(got.time >= 18446744072ull * 1000000000);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 0);
	xt2_capture_close(cap);
}

static void check_err(int code, const char *message, const char *hint)
{
	assert_int_equal(err.code, code);
	assert_string_equal(err.file, "some.pcap");
	if (!strstr(err.message, message))
		fail_msg("'%s' is not in '%s'", message, err.message);
	if (!strstr(err.hint, hint))
		fail_msg("'%s' is not in '%s'", hint, err.hint);
	assert_int_equal(err.line, 0);
}

static void mixed_link_types_are_refused(void **state)
{
	struct xt2_capture *cap;

	ng_section();
	ng_interface(LINKTYPE_ETHERNET, 9);
	ng_packet(0, 1, ether, 16, 16);
	ng_interface(LINKTYPE_RAW, 9);
	ng_packet(1, 1, ether, 16, 16);
	cap = must_open();
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	got.caplen = 4711;
	assert_int_equal(xt2_capture_next(cap, &got, &err), -EINVAL);
	assert_int_equal(got.caplen, 4711);
	check_err(XT2_E_CAPTURE, "packet 2: ", "one capture for each");
	xt2_capture_close(cap);
}

static void every_cut_is_noticed(void **state)
{
	size_t whole, second;

	pcap_start(LINKTYPE_ETHERNET);
	pcap_packet(1, 2, ether, 16, 16);
	second = file_size;
	pcap_packet(3, 4, ether, 16, 16);
	for (whole = file_size--; file_size > second; file_size--) {
		struct xt2_capture *cap = must_open();

		assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
		assert_int_equal(xt2_capture_next(cap, &got, &err), -EINVAL);
		check_err(XT2_E_CAPTURE, "packet 2: truncated", "the 1 packets before it");
		assert_non_null(strstr(err.hint, "the end of the file is missing"));
		xt2_capture_close(cap);
	}
	for (file_size = 23; file_size > 0; file_size--) {
		assert_null(open_file());
		assert_int_equal(errno, EINVAL);
		check_err(XT2_E_CAPTURE, "not a capture: ", "tcpdump -w");
	}
	assert_int_equal(whole, 24 + 2 * 32);
}

static void nonsense_is_refused(void **state)
{
	struct xt2_capture *cap;

	file_size = 0;
	add("*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n", 35);
	assert_null(open_file());
	check_err(XT2_E_CAPTURE, "unknown file format", "tcpdump -w");
	pcap_start(LINKTYPE_ETHERNET);
	add32(1);
	add32(2);
	add32(0x7fffffff); /* bytes captured */
	add32(0x7fffffff);
	cap = must_open();
	assert_int_equal(xt2_capture_next(cap, &got, &err), -EINVAL);
	check_err(XT2_E_CAPTURE, "packet 1: ", "damaged");
	xt2_capture_close(cap);
}

static void other_links_are_refused(void **state)
{
	pcap_start(105); /* IEEE 802.11 */
	assert_null(open_file());
	assert_int_equal(errno, EINVAL);
	check_err(XT2_E_UNSUPPORTED, "link type 105 (IEEE802_11) is not supported", "Ethernet");
	pcap_start(4711);
	assert_null(open_file());
	check_err(XT2_E_UNSUPPORTED, "link type 4711", "Ethernet");
}

static void errors_may_be_ignored(void **state)
{
	FILE *from = fmemopen(file, 10, "r");

	assert_non_null(from);
	assert_null(xt2_capture_stream(from, "x", NULL));
	assert_null(xt2_capture_open("/nonexistent/x", NULL));
	xt2_capture_close(NULL);
}

static void files_that_cannot_be_opened(void **state)
{
	assert_null(xt2_capture_open("/nonexistent/x.pcap", &err));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
	assert_string_equal(err.file, "/nonexistent/x.pcap");
	assert_string_equal(err.message, strerror(ENOENT));
	assert_null(xt2_capture_open("/", &err));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(err.errnum, EISDIR);
}

/* --- writing ------------------------------------------------------------------ */

static char path[] = "/tmp/xt2-test-capture-XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
	return unlink(path);
}

static void write_two(struct xt2_capture *like)
{
	struct xt2_captured p = { .frame = ether, .caplen = 16, .len = 1500, .time = 3999999999 };
	struct xt2_dump *dump = xt2_dump_open(path, like, &err);

	assert_non_null(dump);
	assert_int_equal(xt2_dump_write(dump, &p), 0);
	p.caplen = p.len = 14;
	p.time = 4294967295000000001;
	assert_int_equal(xt2_dump_write(dump, &p), 0);
	assert_int_equal(xt2_dump_close(dump, &err), 0);
}

static void check_two(struct xt2_capture *cap)
{
	assert_int_equal(xt2_capture_linktype(cap), DLT_EN10MB);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(got.caplen, 16);
	assert_int_equal(got.len, 1500);
	assert_int_equal(got.time, 3999999999);
	assert_memory_equal(got.frame, ether, 16);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 1);
	assert_int_equal(got.caplen, 14);
	assert_int_equal(got.time, 4294967295000000001);
	assert_int_equal(xt2_capture_next(cap, &got, &err), 0);
	xt2_capture_close(cap);
}

static void what_is_written_can_be_read(void **state)
{
	struct xt2_capture *like, *cap;
	int in;

	pcap_start(LINKTYPE_ETHERNET);
	like = must_open();
	write_two(like);
	xt2_capture_close(like);
	cap = xt2_capture_open(path, &err);
	assert_non_null(cap);
	assert_in_range(xt2_capture_percent(cap), 1, 99);
	check_two(cap);
	/* and from standard input, which stays open */
	in = open(path, O_RDONLY);
	assert_true(in >= 0);
	assert_true(dup2(in, STDIN_FILENO) == STDIN_FILENO);
	close(in);
	cap = xt2_capture_open("-", &err);
	assert_non_null(cap);
	check_two(cap);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void standard_output_stays_open(void **state)
{
	int out = dup(STDOUT_FILENO), to = open(path, O_WRONLY | O_TRUNC);
	struct xt2_capture *like;
	struct xt2_dump *dump;
	int opened, closed;

	pcap_start(LINKTYPE_RAW);
	like = must_open();
	fflush(stdout);
	dup2(to, STDOUT_FILENO);
	dump = xt2_dump_open("-", like, &err);
	opened = dump != NULL;
	closed = opened ? xt2_dump_close(dump, &err) : -1;
	dup2(out, STDOUT_FILENO);
	close(out);
	close(to);
	assert_int_equal(opened, 1);
	assert_int_equal(closed, 0);
	xt2_capture_close(like);
	like = xt2_capture_open(path, &err);
	assert_non_null(like);
	assert_int_equal(xt2_capture_linktype(like), DLT_RAW);
	xt2_capture_close(like);
}

static void a_full_disk_is_noticed(void **state)
{
	struct xt2_captured p = { .frame = ether, .caplen = 16, .len = 16 };
	struct xt2_capture *like;
	struct xt2_dump *dump;

	pcap_start(LINKTYPE_ETHERNET);
	like = must_open();
	dump = xt2_dump_open("/dev/full", like, &err);
	assert_non_null(dump);
	assert_int_equal(xt2_dump_write(dump, &p), 0); /* still in the buffer */
	assert_int_equal(xt2_dump_close(dump, &err), -ENOSPC);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_int_equal(err.errnum, ENOSPC);
	assert_string_equal(err.file, "/dev/full");
	dump = xt2_dump_open("/dev/full", like, &err);
	assert_non_null(dump);
	for (int i = 0; i < 1000; i++)
		xt2_dump_write(dump, &p);
	assert_int_equal(xt2_dump_write(dump, &p), -ENOSPC);
	assert_int_equal(xt2_dump_close(dump, NULL), -ENOSPC);
	assert_null(xt2_dump_open("/nonexistent/x", like, &err));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(err.errnum, ENOENT);
	xt2_capture_close(like);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ethernet_is_read),
	cmocka_unit_test(vlan_tags_are_skipped),
	cmocka_unit_test(raw_packets_are_read),
	cmocka_unit_test(bsd_loopback_is_read),
	cmocka_unit_test(cooked_is_read),
	cmocka_unit_test(cooked2_is_read),
	cmocka_unit_test(times_are_nanoseconds),
	cmocka_unit_test(more_captured_than_sent),
	cmocka_unit_test(pcapng_is_read),
	cmocka_unit_test(pcapng_times_may_be_anything),
	cmocka_unit_test(mixed_link_types_are_refused),
	cmocka_unit_test(every_cut_is_noticed),
	cmocka_unit_test(nonsense_is_refused),
	cmocka_unit_test(other_links_are_refused),
	cmocka_unit_test(errors_may_be_ignored),
	cmocka_unit_test(files_that_cannot_be_opened),
	cmocka_unit_test(what_is_written_can_be_read),
	cmocka_unit_test(standard_output_stays_open),
	cmocka_unit_test(a_full_disk_is_noticed),
};

UNITS_WITH(tests, make_path, remove_path)
