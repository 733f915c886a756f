/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log-pcapng.c - events of LOG and NFLOG as a capture
 *
 * A section of this machine's byte order, one interface of the link type raw
 * IP, a block for each packet, and in the end how many there were and how many
 * were lost.  A block is a type, its length, a body in words of 4 bytes, and
 * its length again; options are a code, a length and a value, likewise padded.
 *
 * Source: draft-ietf-opsawg-pcapng
 */
#include <string.h>
#include "config.h"
#include "log-pcapng.h"

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, STATISTICS = 5, PACKET = 6 };
enum { BYTE_ORDER_MAGIC = 0x1a2b3c4d, LINK_RAW = 101, NANOSECONDS = 9 };
enum {
	COMMENT = 1,
	IF_NAME = 2,
	SECTION_PROGRAM = 4,
	IF_RESOLUTION = 9,
	PACKET_FLAGS = 2,
	STATISTICS_RECEIVED = 4,
	STATISTICS_DROPPED = 5,
};
enum { INBOUND = 1, OUTBOUND = 2 };

static __u32 padded(size_t n)
{
	return (__u32)(n + 3) & ~3u;
}

static __u32 option_size(size_t n)
{
	return 4 + padded(n);
}

static void put(FILE *to, const void *p, size_t n)
{
	static const char zero[3];

	fwrite(p, 1, n, to);
	fwrite(zero, 1, padded(n) - n, to);
}

static void put16(FILE *to, __u16 a, __u16 b)
{
	const __u16 pair[2] = { a, b };

	put(to, pair, sizeof(pair));
}

static void put32(FILE *to, __u32 v)
{
	put(to, &v, sizeof(v));
}

/* Times are two words, the high one first. */
static void put_time(FILE *to, __u64 time)
{
	put32(to, (__u32)(time >> 32));
	put32(to, (__u32)time);
}

static void put_option(FILE *to, int code, const void *value, size_t n)
{
	put16(to, (__u16)code, (__u16)n);
	put(to, value, n);
}

/* => the block's length, which comes again at its end */
static __u32 open_block(FILE *to, __u32 type, __u32 body)
{
	put32(to, type);
	put32(to, body + 12);
	return body + 12;
}

void xt2_pcapng_begin(FILE *to)
{
	static const char program[] = "xt2 " PACKAGE_VERSION, name[] = "xt2";
	const __u8 resolution = NANOSECONDS;
	const __u64 unknown = ~0ull;
	__u32 size;

	size = open_block(to, SECTION, 16 + option_size(sizeof(program) - 1) + 4);
	put32(to, BYTE_ORDER_MAGIC);
	put16(to, 1, 0); /* version */
	put(to, &unknown, sizeof(unknown)); /* the section's length */
	put_option(to, SECTION_PROGRAM, program, sizeof(program) - 1);
	put32(to, 0);
	put32(to, size);
	size = open_block(to, INTERFACE, 8 + option_size(sizeof(name) - 1) + option_size(1) + 4);
	put16(to, LINK_RAW, 0);
	put32(to, 0); /* no limit to a packet's bytes */
	put_option(to, IF_NAME, name, sizeof(name) - 1);
	put_option(to, IF_RESOLUTION, &resolution, 1);
	put32(to, 0);
	put32(to, size);
}

void xt2_pcapng_packet(FILE *to, const struct xt2_log_event *e, __u64 time, const char *comment)
{
	const __u32 flags = e->in_index ? INBOUND : OUTBOUND;
	size_t n = strlen(comment);
	__u32 size = open_block(to, PACKET,
				20 + padded(e->caplen) + option_size(n) + option_size(4) + 4);

	put32(to, 0); /* the interface */
	put_time(to, time);
	put32(to, e->caplen);
	put32(to, e->len);
	put(to, e->bytes, e->caplen);
	put_option(to, COMMENT, comment, n);
	put_option(to, PACKET_FLAGS, &flags, sizeof(flags));
	put32(to, 0);
	put32(to, size);
}

void xt2_pcapng_end(FILE *to, __u64 time, __u64 packets, __u64 lost)
{
	__u64 received = packets + lost;
	__u32 size = open_block(to, STATISTICS, 12 + 2 * option_size(8) + 4);

	put32(to, 0); /* the interface */
	put_time(to, time);
	put_option(to, STATISTICS_RECEIVED, &received, sizeof(received));
	put_option(to, STATISTICS_DROPPED, &lost, sizeof(lost));
	put32(to, 0);
	put32(to, size);
}
