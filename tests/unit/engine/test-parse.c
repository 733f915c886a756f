/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-parse.c - engine/parse.c
 *
 * Packets are built byte by byte from small pieces, each in a heap block of
 * its exact size, so that a sanitizer or valgrind sees every byte read too far.
 * What the kernel answers to the same packets was seen on Linux 6.18.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include "tests/lib/unit-program.h"
#include "engine/parse.h"

struct build {
	u8 bytes[70000];
	u32 size;
};

static struct build b;

static void add(u8 v)
{
	assert_true(b.size < sizeof(b.bytes));
	b.bytes[b.size++] = v;
}

static void add16(u32 v)
{
	add((u8)(v >> 8));
	add((u8)v);
}

static void add32(u32 v)
{
	add16(v >> 16);
	add16(v);
}

static void add_many(u32 count, u8 v)
{
	while (count--)
		add(v);
}

static void set_checksum(void)
{
	u32 sum = 0;

	b.bytes[10] = b.bytes[11] = 0;
	for (u32 i = 0; i < (b.bytes[0] & 15u) * 4; i += 2)
		sum += xt2_be16(b.bytes + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	xt2_put_be16(b.bytes + 10, (u16)~sum);
}

/* 10.0.0.1 to 10.0.0.2; the payload that follows counts when ip4_done() is called. */
static void ip4(u32 option_words, u16 frag, u8 proto)
{
	b.size = 0;
	add((u8)(0x45 + option_words));
	add(0);
	add16(0);
	add16(1);
	add16(frag);
	add(64);
	add(proto);
	add16(0);
	add32(0x0a000001);
	add32(0x0a000002);
	add_many(4 * option_words, 1);
}

static void ip4_done(void)
{
	xt2_put_be16(b.bytes + 2, (u16)b.size);
	set_checksum();
}

/* fd00::1 to fd00::2 */
static void ip6(u8 next)
{
	b.size = 0;
	add32(0x60000000);
	add16(0);
	add(next);
	add(64);
	for (u32 i = 1; i <= 2; i++) {
		add32(0xfd000000);
		add_many(8, 0);
		add32(i);
	}
}

static void ip6_done(void)
{
	xt2_put_be16(b.bytes + 4, (u16)(b.size - 40));
}

/* An extension header of 8 bytes or, with words, more; PadN inside. */
static void ext(u8 next, u32 words)
{
	add(next);
	add((u8)words);
	for (u32 left = 6 + 8 * words; left;) {
		u32 n = left > 6 ? 6 : left;

		add(n > 1 ? 0x1e : 0);
		if (n > 1) {
			add((u8)(n - 2));
			add_many(n - 2, 0);
		}
		left -= n;
	}
}

static void frag6(u8 next, u16 off)
{
	add(next);
	add(0);
	add16(off);
	add32(7);
}

static void ports(void)
{
	add16(1000);
	add16(80);
	add_many(16, 0x50);
}

static u8 *own_copy(u32 size)
{
	u8 *bytes = malloc(size ? size : 1);

	assert_non_null(bytes);
	memcpy(bytes, b.bytes, size);
	return bytes;
}

/* Length if it is seen, else the negative reason. */
static int receive_as(u8 family, u32 caplen, u32 wire)
{
	u8 *bytes = own_copy(caplen);
	u32 len = 4711;
	int seen = xt2_pkt_receive(family, bytes, caplen, wire, &len);

	free(bytes);
	if (seen != XT2_SEEN && seen != XT2_UNSEEN_LOOPBACK)
		assert_int_equal(len, 4711);
	return seen == XT2_SEEN ? (int)len : -seen;
}

static int receive(u8 family)
{
	return receive_as(family, b.size, b.size);
}

static struct xt2_pkt pkt;
static u8 *pkt_bytes;

static int parse_as(u8 family, u32 caplen, u32 len)
{
	free(pkt_bytes);
	pkt_bytes = own_copy(caplen);
	pkt.data = pkt_bytes;
	pkt.caplen = caplen;
	pkt.len = len;
	return xt2_pkt_parse(&pkt, family);
}

static void parse6(void)
{
	assert_int_equal(parse_as(XT2_IPV6, b.size, b.size), 0);
}

static void check_l4(int l4, int proto, u32 thoff, u32 fragoff)
{
	assert_int_equal(pkt.l4, l4);
	assert_int_equal(pkt.proto, proto);
	assert_int_equal(pkt.thoff, thoff);
	assert_int_equal(pkt.fragoff, fragoff);
}

/* --- IPv4 ------------------------------------------------------------------ */

static void ip4_is_received(void **state)
{
	ip4(0, 0, 17);
	add_many(8, 0);
	ip4_done();
	assert_int_equal(receive(XT2_IPV4), 28);
	add_many(18, 0xaa);
	assert_int_equal(receive(XT2_IPV4), 28); /* link-layer padding */
	assert_int_equal(receive_as(XT2_IPV4, 24, 28), 28); /* short snap length */
	ip4(10, 0, 17);
	ip4_done();
	assert_int_equal(receive(XT2_IPV4), 60);
}

static void ip4_is_refused(void **state)
{
	ip4(0, 0, 17);
	add_many(8, 0);
	ip4_done();
	assert_int_equal(receive_as(XT2_IPV4, 0, 0), -XT2_UNSEEN_SHORT);
	assert_int_equal(receive_as(XT2_IPV4, 19, 28), -XT2_UNSEEN_SHORT);
	assert_int_equal(receive_as(XT2_IPV4, 27, 27), -XT2_UNSEEN_LENGTH);
	b.bytes[8] ^= 1;
	assert_int_equal(receive(XT2_IPV4), -XT2_UNSEEN_CHECKSUM);
	b.bytes[8] ^= 1;
	xt2_put_be16(b.bytes + 2, 19);
	set_checksum();
	assert_int_equal(receive(XT2_IPV4), -XT2_UNSEEN_LENGTH);
	b.bytes[0] = 0x44;
	assert_int_equal(receive(XT2_IPV4), -XT2_UNSEEN_HEADER);
	b.bytes[0] = 0x65;
	assert_int_equal(receive(XT2_IPV4), -XT2_UNSEEN_VERSION);
	ip4(2, 0, 17);
	ip4_done();
	assert_int_equal(receive_as(XT2_IPV4, 27, 28), -XT2_UNSEEN_SHORT);
}

static void ip4_checksum_needs_two_folds(void **state)
{
	/* Words that sum up to 0x1ffff before the carry is added: 0x0001 + 0xffff + ... */
	ip4(10, 0, 17);
	memset(b.bytes + 20, 0xff, 40);
	ip4_done();
	assert_int_equal(receive(XT2_IPV4), 60);
	b.bytes[59] = 0xfe;
	assert_int_equal(receive(XT2_IPV4), -XT2_UNSEEN_CHECKSUM);
}

static void ip4_is_parsed(void **state)
{
	ip4(3, 0x4000, 6);
	ports();
	assert_int_equal(parse_as(XT2_IPV4, b.size, b.size), 0);
	check_l4(XT2_L4_OK, 6, 32, 0);
	assert_int_equal(pkt.family, XT2_IPV4);
	assert_int_equal(pkt.src4, 0x0a000001);
	assert_int_equal(pkt.dst4, 0x0a000002);
	assert_int_equal(pkt.sport, 1000);
	assert_int_equal(pkt.dport, 80);
	/* three bytes of a transport header are not enough for ports */
	assert_int_equal(parse_as(XT2_IPV4, 35, 35), 0);
	assert_int_equal(pkt.sport, 0);
	assert_int_equal(pkt.dport, 0);
	assert_int_equal(parse_as(XT2_IPV4, 19, b.size), -EINVAL);
	/* options that reach beyond the packet */
	ip4(10, 0, 6);
	assert_int_equal(parse_as(XT2_IPV4, 20, 20), 0);
	check_l4(XT2_L4_OK, 6, 60, 0);
}

static void ip4_fragments_count_in_bytes(void **state)
{
	ip4(0, 0x2001, 6);
	ports();
	assert_int_equal(parse_as(XT2_IPV4, b.size, b.size), 0);
	check_l4(XT2_L4_OK, 6, 20, 8);
	assert_int_equal(pkt.sport, 0); /* whatever stands there */
	xt2_put_be16(b.bytes + 6, 0xffff);
	assert_int_equal(parse_as(XT2_IPV4, b.size, b.size), 0);
	check_l4(XT2_L4_OK, 6, 20, 65528);
	xt2_put_be16(b.bytes + 6, 0x2000);
	assert_int_equal(parse_as(XT2_IPV4, b.size, b.size), 0);
	check_l4(XT2_L4_OK, 6, 20, 0);
	assert_int_equal(pkt.dport, 80);
}

static void padding_is_not_part_of_a_packet(void **state)
{
	ip4(0, 0, 17);
	ports();
	assert_int_equal(parse_as(XT2_IPV4, b.size, 22), 0);
	assert_int_equal(pkt.caplen, 22);
	assert_int_equal(pkt.sport, 0);
	assert_null(xt2_pkt_at(&pkt, 20, 4));
	assert_int_equal(pkt.cut, 0);
}

static void a_short_capture_is_noticed(void **state)
{
	ip4(0, 0, 17);
	ports();
	pkt.cut = 1;
	assert_int_equal(parse_as(XT2_IPV4, 22, b.size), 0);
	assert_int_equal(pkt.cut, 0);
	assert_null(xt2_pkt_at(&pkt, 20, 4));
	assert_int_equal(pkt.cut, 1);
	ip6(XT2_IP6_DEST);
	ext(6, 3);
	ports();
	assert_int_equal(parse_as(XT2_IPV6, 41, b.size), 0);
	check_l4(XT2_L4_BAD, 0, 0, 0);
	assert_int_equal(pkt.cut, 1);
	assert_int_equal(parse_as(XT2_IPV6, 42, b.size), 0);
	check_l4(XT2_L4_OK, 6, 72, 0);
	assert_int_equal(pkt.cut, 0);
}

/* --- IPv6 ------------------------------------------------------------------ */

static void ip6_is_received(void **state)
{
	ip6(17);
	add_many(8, 0);
	ip6_done();
	assert_int_equal(receive(XT2_IPV6), 48);
	add_many(10, 0);
	assert_int_equal(receive(XT2_IPV6), 48);
	b.bytes[4] = b.bytes[5] = 0;
	assert_int_equal(receive(XT2_IPV6), 40); /* no payload at all */
	assert_int_equal(receive_as(XT2_IPV6, 40, 58), 40);
}

static void ip6_is_refused(void **state)
{
	ip6(17);
	add_many(8, 0);
	ip6_done();
	assert_int_equal(receive_as(XT2_IPV6, 39, 48), -XT2_UNSEEN_SHORT);
	assert_int_equal(receive_as(XT2_IPV6, 47, 47), -XT2_UNSEEN_LENGTH);
	b.bytes[0] = 0x40;
	assert_int_equal(receive(XT2_IPV6), -XT2_UNSEEN_VERSION);
}

static int receive_between(u8 src, u8 src2, u8 dst, u8 dst2)
{
	ip6(59);
	b.bytes[8] = src;
	b.bytes[9] = src2;
	b.bytes[24] = dst;
	b.bytes[25] = dst2;
	return receive(XT2_IPV6);
}

static void ip6_addresses_count(void **state)
{
	static const u8 loopback[16] = { [15] = 1 };

	assert_int_equal(receive_between(0xfe, 0x80, 0xff, 0x02), 40);
	assert_int_equal(receive_between(0xff, 0x02, 0xfe, 0x80), -XT2_UNSEEN_ADDRESS);
	assert_int_equal(receive_between(0xfe, 0x80, 0xff, 0x00), -XT2_UNSEEN_ADDRESS);
	assert_int_equal(receive_between(0xfe, 0x80, 0xff, 0xf0), -XT2_UNSEEN_ADDRESS);
	assert_int_equal(receive_between(0xfe, 0x80, 0xff, 0x11), -XT2_UNSEEN_LOOPBACK);
	for (u32 at = 8; at <= 24; at += 16) {
		ip6(59);
		memcpy(b.bytes + at, loopback, 16);
		assert_int_equal(receive(XT2_IPV6), -XT2_UNSEEN_LOOPBACK);
		b.bytes[at + 14] = 1;
		assert_int_equal(receive(XT2_IPV6), 40);
		memset(b.bytes + at, 0, 16);
		assert_int_equal(receive(XT2_IPV6), 40);
	}
}

static void loopback_packets_have_a_length(void **state)
{
	u32 len = 0;

	ip6(59);
	memset(b.bytes + 8, 0, 15);
	add_many(4, 0);
	assert_int_equal(xt2_pkt_receive(XT2_IPV6, b.bytes, b.size, b.size, &len),
			 XT2_UNSEEN_LOOPBACK);
	assert_int_equal(len, 40);
	b.bytes[4] = 1; /* a wrong length counts first */
	assert_int_equal(receive(XT2_IPV6), -XT2_UNSEEN_LENGTH);
}

/* A hop-by-hop header with these option bytes, padded to a multiple of 8 by Pad1. */
static int receive_options(const u8 *options, u32 size)
{
	u32 all = (size + 2 + 7) / 8 * 8;

	ip6(XT2_IP6_HOP);
	add(59);
	add((u8)(all / 8 - 1));
	for (u32 i = 0; i < size; i++)
		add(options[i]);
	add_many(all - 2 - size, 0);
	ip6_done();
	return receive(XT2_IPV6);
}

#define OPTIONS(...) \
	receive_options((const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ }))

static void hop_options_are_judged(void **state)
{
	assert_int_equal(OPTIONS(5, 2, 0, 0), 48); /* router alert */
	assert_int_equal(OPTIONS(5, 3, 0, 0, 0), -XT2_UNSEEN_OPTIONS);
	assert_int_equal(OPTIONS(0, 0, 0, 0, 0, 0), 48);
	assert_int_equal(OPTIONS(1, 4, 0, 0, 0, 0), 48);
	assert_int_equal(OPTIONS(1, 4, 0, 0, 1, 0), -XT2_UNSEEN_OPTIONS);
	assert_int_equal(OPTIONS(1, 5, 0, 0, 0, 0), -XT2_UNSEEN_OPTIONS); /* too long */
	assert_int_equal(OPTIONS(0, 0, 0, 0, 0, 1), -XT2_UNSEEN_OPTIONS); /* no length */
	/* seven bytes of padding in a row, eight, and eight that are interrupted */
	assert_int_equal(OPTIONS(1, 5, 0, 0, 0, 0, 0, 0x1e, 4, 0, 0, 0, 0, 0), 56);
	assert_int_equal(OPTIONS(1, 6, 0, 0, 0, 0, 0, 0, 0x1e, 0, 0, 0, 0, 0), -XT2_UNSEEN_OPTIONS);
	assert_int_equal(OPTIONS(1, 2, 0, 0, 0x1e, 0, 1, 3, 0, 0, 0, 0, 0x1e, 0), 56);
	/* unknown: the upper two bits say what to do */
	assert_int_equal(OPTIONS(0x3f, 4, 1, 2, 3, 4), 48);
	assert_int_equal(OPTIONS(0x40, 4, 1, 2, 3, 4), -XT2_UNSEEN_OPTIONS);
	assert_int_equal(OPTIONS(0x80, 4, 1, 2, 3, 4), -XT2_UNSEEN_OPTIONS);
	assert_int_equal(OPTIONS(0xc0, 4, 1, 2, 3, 4), -XT2_UNSEEN_OPTIONS);
	/* IOAM stands at a multiple of 4, here 44 */
	assert_int_equal(OPTIONS(0, 0, 49, 2, 0, 0), 48);
	assert_int_equal(OPTIONS(49, 2, 0, 0, 0, 0), -XT2_UNSEEN_OPTIONS);
	/* CALIPSO: whatever it says */
	assert_int_equal(OPTIONS(7, 8, 0, 0, 0, 1, 0, 0, 0, 0), -XT2_UNSEEN_OPTIONS);
}

static void hop_options_are_counted(void **state)
{
	u8 options[2 * 9];

	for (u32 i = 0; i < sizeof(options); i++)
		options[i] = i & 1 ? 0 : 0x1e;
	assert_int_equal(receive_options(options, 2 * 8), 64);
	assert_int_equal(receive_options(options, 2 * 9), -XT2_UNSEEN_OPTIONS);
}

static void hop_header_is_complete(void **state)
{
	ip6(XT2_IP6_HOP);
	ext(59, 1);
	ip6_done();
	assert_int_equal(receive(XT2_IPV6), 56);
	assert_int_equal(receive_as(XT2_IPV6, 55, 56), -XT2_UNSEEN_SHORT);
	assert_int_equal(receive_as(XT2_IPV6, 47, 56), -XT2_UNSEEN_SHORT);
	xt2_put_be16(b.bytes + 4, 15);
	assert_int_equal(receive(XT2_IPV6), -XT2_UNSEEN_OPTIONS);
	xt2_put_be16(b.bytes + 4, 7);
	assert_int_equal(receive(XT2_IPV6), -XT2_UNSEEN_OPTIONS);
	/* without a length, what came in counts */
	xt2_put_be16(b.bytes + 4, 0);
	add_many(3, 0);
	assert_int_equal(receive(XT2_IPV6), 59);
}

static void jumbo(u32 payload, u32 room)
{
	ip6(XT2_IP6_HOP);
	add(59);
	add(0);
	add(194);
	add(4);
	add32(payload);
	add_many(room - 8, 0);
}

static void jumbo_option_is_the_length(void **state)
{
	jumbo(65536, 65600);
	assert_int_equal(receive(XT2_IPV6), 65576);
	assert_int_equal(receive_as(XT2_IPV6, 48, 65576), 65576);
	assert_int_equal(receive_as(XT2_IPV6, 48, 65575), -XT2_UNSEEN_OPTIONS);
	jumbo(65535, 65600);
	assert_int_equal(receive(XT2_IPV6), -XT2_UNSEEN_OPTIONS);
	jumbo(65536, 65600);
	xt2_put_be16(b.bytes + 4, 8);
	assert_int_equal(receive(XT2_IPV6), -XT2_UNSEEN_OPTIONS);
	/* not at 4n + 2, and of another length */
	assert_int_equal(OPTIONS(0, 194, 4, 0, 1, 0, 0), -XT2_UNSEEN_OPTIONS);
	assert_int_equal(OPTIONS(194, 3, 0, 1, 0), -XT2_UNSEEN_OPTIONS);
}

static void ip6_is_parsed(void **state)
{
	ip6(6);
	ports();
	parse6();
	check_l4(XT2_L4_OK, 6, 40, 0);
	assert_memory_equal(pkt.src, b.bytes + 8, 16);
	assert_memory_equal(pkt.dst, b.bytes + 24, 16);
	assert_int_equal(pkt.dport, 80);
	assert_int_equal(parse_as(XT2_IPV6, 39, b.size), -EINVAL);
}

static void extension_headers_are_walked(void **state)
{
	ip6(XT2_IP6_HOP);
	ext(XT2_IP6_DEST, 0);
	ext(XT2_IP6_ROUTING, 2);
	ext(XT2_IP6_FRAGMENT, 0);
	frag6(XT2_IP6_AUTH, 0x0001);
	add(17);
	add(4); /* (4 + 2) * 4 bytes */
	add_many(22, 0);
	ports();
	parse6();
	check_l4(XT2_L4_OK, 17, 40 + 8 + 24 + 8 + 8 + 24, 0);
	assert_int_equal(pkt.sport, 1000);
}

static void other_protocols_end_the_walk(void **state)
{
	static const u8 ends[] = { 50, 135, 139, 140, 4, 41, XT2_IP6_NONE, 253 };

	for (u32 i = 0; i < sizeof(ends); i++) {
		ip6(XT2_IP6_DEST);
		ext(ends[i], 0);
		parse6();
		check_l4(XT2_L4_OK, ends[i], 48, 0);
	}
}

static void later_fragments_are_named(void **state)
{
	ip6(XT2_IP6_FRAGMENT);
	frag6(17, 0x0009);
	ports();
	parse6();
	check_l4(XT2_L4_OK, 17, 0, 8);
	assert_int_equal(pkt.sport, 0);
	b.bytes[40] = XT2_IP6_NONE;
	parse6();
	check_l4(XT2_L4_OK, XT2_IP6_NONE, 0, 8);
	b.bytes[40] = XT2_IP6_DEST; /* an extension header, which is not there */
	parse6();
	check_l4(XT2_L4_BAD, 0, 0, 0);
}

static void cut_headers_are_bad(void **state)
{
	ip6(XT2_IP6_DEST);
	add(6);
	parse6();
	check_l4(XT2_L4_BAD, 0, 0, 0);
	ip6(XT2_IP6_ROUTING);
	add_many(3, 0);
	parse6();
	check_l4(XT2_L4_BAD, 0, 0, 0);
	ip6(XT2_IP6_FRAGMENT);
	add_many(3, 0);
	parse6();
	check_l4(XT2_L4_BAD, 0, 0, 0);
}

static void overlong_headers_depend_on_the_kernel(void **state)
{
	ip6(XT2_IP6_DEST);
	add(6);
	add(1);
	add_many(10, 0);
	parse6();
	check_l4(XT2_L4_OK, 6, 56, 0);
	assert_null(xt2_pkt_at(&pkt, pkt.thoff, 1));
	pkt.whole_exthdrs = 1;
	parse6();
	check_l4(XT2_L4_BAD, 0, 0, 0);
	add_many(4, 0);
	parse6();
	check_l4(XT2_L4_OK, 6, 56, 0);
	pkt.whole_exthdrs = 0;
	/* what would follow an overlong header cannot be looked at */
	b.bytes[40] = XT2_IP6_DEST;
	parse6();
	check_l4(XT2_L4_BAD, 0, 0, 0);
}

static void long_chains_end(void **state)
{
	/* behind 64 KiB: a jumbogram of nothing but extension headers */
	ip6(XT2_IP6_DEST);
	for (u32 i = 0; i < 8300; i++)
		ext(i == 8299 ? 17 : XT2_IP6_DEST, 0);
	ports();
	parse6();
	check_l4(XT2_L4_OK, 17, 40 + 8 * 8300, 0);
	assert_int_equal(pkt.dport, 80);
}

/* --- one header -------------------------------------------------------------- */

static int find(u8 want, struct xt2_ip6_walk *walk)
{
	memset(walk, 0xee, sizeof(*walk));
	return xt2_ip6_find(&pkt, want, walk);
}

static void check_found(u8 want, u32 off, u16 fragoff)
{
	struct xt2_ip6_walk walk;

	assert_int_equal(find(want, &walk), 0);
	assert_int_equal(walk.off, off);
	assert_int_equal(walk.next, want);
	assert_int_equal(walk.fragoff, fragoff);
}

static void headers_are_found(void **state)
{
	struct xt2_ip6_walk walk;

	ip6(XT2_IP6_HOP);
	ext(XT2_IP6_DEST, 0);
	ext(XT2_IP6_FRAGMENT, 0);
	frag6(XT2_IP6_DEST, 1);
	ext(6, 0);
	ports();
	parse6();
	check_found(XT2_IP6_HOP, 40, 0);
	check_found(XT2_IP6_DEST, 48, 0);
	check_found(XT2_IP6_FRAGMENT, 56, 0);
	check_found(6, 72, 0);
	assert_int_equal(find(XT2_IP6_ROUTING, &walk), -ENOENT);
	assert_int_equal(find(XT2_IP6_NONE, &walk), -ENOENT);
	assert_int_equal(find(17, &walk), -ENOENT);
	assert_int_equal(walk.next, 0xee);
}

static void later_fragments_hide_headers(void **state)
{
	struct xt2_ip6_walk walk;

	ip6(XT2_IP6_HOP);
	ext(XT2_IP6_FRAGMENT, 0);
	frag6(XT2_IP6_DEST, 16);
	ext(6, 0);
	parse6();
	assert_int_equal(pkt.l4, XT2_L4_BAD);
	check_found(XT2_IP6_HOP, 40, 0);
	check_found(XT2_IP6_FRAGMENT, 48, 16);
	assert_int_equal(find(XT2_IP6_DEST, &walk), -ENOENT);
	assert_int_equal(find(6, &walk), -ENOENT);
}

static void cut_headers_are_not_found(void **state)
{
	struct xt2_ip6_walk walk;

	ip6(XT2_IP6_DEST);
	add(XT2_IP6_ROUTING);
	add(0);
	parse6();
	check_found(XT2_IP6_DEST, 40, 0); /* two bytes are enough */
	assert_int_equal(find(XT2_IP6_ROUTING, &walk), -EBADMSG);
	add_many(6, 0);
	add_many(3, 0);
	parse6();
	assert_int_equal(find(XT2_IP6_ROUTING, &walk), -EBADMSG);
	add(0);
	parse6();
	check_found(XT2_IP6_ROUTING, 48, 0);
}

/* --- ARP and the rest -------------------------------------------------------- */

static void arp(void)
{
	b.size = 0;
	add16(1);
	add16(0x0800);
	add(6);
	add(4);
	add16(1);
	add_many(6, 2);
	add32(0x0a000001);
	add_many(6, 0);
	add32(0x0a000002);
}

static void arp_is_received_and_parsed(void **state)
{
	arp();
	add_many(18, 0);
	assert_int_equal(receive(XT2_ARP), 28);
	assert_int_equal(parse_as(XT2_ARP, b.size, 28), 0);
	assert_int_equal(pkt.src4, 0x0a000001);
	assert_int_equal(pkt.dst4, 0x0a000002);
	check_l4(XT2_L4_NONE, 0, 0, 0);
	assert_int_equal(parse_as(XT2_ARP, 27, 28), -EINVAL);
}

static void arp_is_refused(void **state)
{
	arp();
	assert_int_equal(receive_as(XT2_ARP, 27, 28), -XT2_UNSEEN_SHORT);
	b.bytes[4] = 8;
	assert_int_equal(receive(XT2_ARP), -XT2_UNSEEN_HEADER);
	b.bytes[4] = 6;
	b.bytes[5] = 16;
	assert_int_equal(receive(XT2_ARP), -XT2_UNSEEN_HEADER);
}

static void other_families_are_refused(void **state)
{
	arp();
	add_many(100, 0);
	assert_int_equal(receive(0), -XT2_UNSEEN_FAMILY);
	assert_int_equal(receive(XT2_BRIDGE), -XT2_UNSEEN_FAMILY);
	assert_int_equal(parse_as(XT2_BRIDGE, b.size, b.size), -EINVAL);
}

static void a_second_packet_leaves_nothing_of_the_first(void **state)
{
	ip6(6);
	ports();
	parse6();
	pkt.mark = 7;
	arp();
	assert_int_equal(parse_as(XT2_ARP, b.size, b.size), 0);
	check_l4(XT2_L4_NONE, 0, 0, 0);
	assert_int_equal(pkt.sport | pkt.dport, 0);
	assert_true(!pkt.src[0] && !pkt.src[1] && !pkt.dst[0] && !pkt.dst[1]);
	assert_int_equal(pkt.mark, 7);
	pkt.mark = 0;
}

static void reasons_have_names(void **state)
{
	for (int i = 0; i <= XT2_UNSEEN_LOOPBACK; i++) {
		const char *name = xt2_pkt_seen_name(i);

		assert_string_not_equal(name, "unknown");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(name, xt2_pkt_seen_name(j));
	}
	assert_string_equal(xt2_pkt_seen_name(XT2_UNSEEN_CHECKSUM), "bad checksum");
	assert_string_equal(xt2_pkt_seen_name(-1), "unknown");
	assert_string_equal(xt2_pkt_seen_name(XT2_UNSEEN_LOOPBACK + 1), "unknown");
}

static int drop(void **state)
{
	free(pkt_bytes);
	pkt_bytes = NULL;
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ip4_is_received),
	cmocka_unit_test(ip4_is_refused),
	cmocka_unit_test(ip4_checksum_needs_two_folds),
	cmocka_unit_test(ip4_is_parsed),
	cmocka_unit_test(ip4_fragments_count_in_bytes),
	cmocka_unit_test(padding_is_not_part_of_a_packet),
	cmocka_unit_test(a_short_capture_is_noticed),
	cmocka_unit_test(ip6_is_received),
	cmocka_unit_test(ip6_is_refused),
	cmocka_unit_test(ip6_addresses_count),
	cmocka_unit_test(loopback_packets_have_a_length),
	cmocka_unit_test(hop_options_are_judged),
	cmocka_unit_test(hop_options_are_counted),
	cmocka_unit_test(hop_header_is_complete),
	cmocka_unit_test(jumbo_option_is_the_length),
	cmocka_unit_test(ip6_is_parsed),
	cmocka_unit_test(extension_headers_are_walked),
	cmocka_unit_test(other_protocols_end_the_walk),
	cmocka_unit_test(later_fragments_are_named),
	cmocka_unit_test(cut_headers_are_bad),
	cmocka_unit_test(overlong_headers_depend_on_the_kernel),
	cmocka_unit_test(long_chains_end),
	cmocka_unit_test(headers_are_found),
	cmocka_unit_test(later_fragments_hide_headers),
	cmocka_unit_test(cut_headers_are_not_found),
	cmocka_unit_test(arp_is_received_and_parsed),
	cmocka_unit_test(arp_is_refused),
	cmocka_unit_test(other_families_are_refused),
	cmocka_unit_test(a_second_packet_leaves_nothing_of_the_first),
	cmocka_unit_test(reasons_have_names),
};

UNITS_WITH(tests, NULL, drop)
