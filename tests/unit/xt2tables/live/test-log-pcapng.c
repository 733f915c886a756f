/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-log-pcapng.c - xt2tables/live/log-pcapng.c, read back by libpcap and block by block */
#include <stdlib.h>
#include <unistd.h>
#include <xt2/xt2.h>
#include "engine/env.h"
#include "tests/lib/unit-program.h"
#include "tests/lib/packets.h"
#include "xt2tables/live/log-pcapng.h"

#define TIME 1700000000123456789ull

static struct xt2_log_event *event;
static char *bytes;
static size_t n;

static int start(void **state)
{
	(void)state;
	event = calloc(1, sizeof(*event) + 128);
	bytes = NULL;
	return !event;
}

static int end(void **state)
{
	(void)state;
	free(event);
	free(bytes);
	return 0;
}

static __u32 word(size_t at)
{
	__u32 v;

	assert_true(at + 4 <= n);
	memcpy(&v, bytes + at, 4);
	return v;
}

/* Every block ends with its length, in words of 4 bytes.  => blocks */
static unsigned int blocks(size_t *last)
{
	unsigned int count = 0;
	size_t at;

	for (at = 0; at < n; at += word(at + 4)) {
		assert_int_equal(word(at + 4) % 4, 0);
		assert_int_equal(word(at + word(at + 4) - 4), word(at + 4));
		*last = at;
		count++;
	}
	assert_int_equal(at, n);
	return count;
}

/* Each length of a comment and of a packet, as both are padded. */
static void test_blocks(void **state)
{
	const char *comments[] = { "", "a", "ab", "abc", "abcd" };
	size_t i, last;
	FILE *to;

	for (i = 0; i < XT2_ARRAY_SIZE(comments); i++) {
		to = open_memstream(&bytes, &n);
		xt2_pcapng_begin(to);
		event->caplen = (__u32)(20 + i);
		event->len = 1000;
		event->in_index = i % 2;
		memset(event->bytes, 0xee, event->caplen);
		xt2_pcapng_packet(to, event, TIME, comments[i]);
		assert_int_equal(fclose(to), 0);
		assert_int_equal(blocks(&last), 3);
		assert_int_equal(word(0), 0x0a0d0d0a);
		assert_int_equal(word(last), 6);
		assert_int_equal(word(last + 12), TIME >> 32);
		assert_int_equal(word(last + 16), (__u32)TIME);
		assert_int_equal(word(last + 20), 20 + i);
		assert_int_equal(word(last + 24), 1000);
		assert_int_equal(word(n - 16), 2 | 4 << 16); /* flags */
		assert_int_equal(word(n - 12), i % 2 ? 1 : 2); /* inbound, outbound */
		free(bytes);
		bytes = NULL;
	}
}

static void test_end(void **state)
{
	FILE *to = open_memstream(&bytes, &n);
	size_t last;

	xt2_pcapng_begin(to);
	xt2_pcapng_end(to, TIME, 5, 7);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(blocks(&last), 3);
	assert_int_equal(word(last), 5);
	assert_int_equal(word(last + 12), TIME >> 32);
	assert_int_equal(word(last + 24), 12); /* received: those written and those lost */
	assert_int_equal(word(last + 36), 7);
}

static void test_read(void **state)
{
	char path[] = "/tmp/xt2-test-log-pcapng-XXXXXX";
	struct xt2_captured c;
	struct xt2_capture *cap;
	struct xt2_err err;
	FILE *to = fdopen(mkstemp(path), "w");
	unsigned int size = packet_ipv4(event->bytes, 1, 2, 17, 7, 9);

	assert_non_null(to);
	event->len = event->caplen = size;
	xt2_pcapng_begin(to);
	xt2_pcapng_packet(to, event, TIME, "filter/INPUT:1");
	event->len = 100;
	event->caplen = 20;
	xt2_pcapng_packet(to, event, TIME + 1, "");
	xt2_pcapng_end(to, TIME, 2, 0);
	assert_int_equal(fclose(to), 0);
	cap = xt2_capture_open(path, &err);
	assert_non_null(cap);
	assert_int_equal(xt2_capture_next(cap, &c, &err), 1);
	assert_int_equal(c.time, TIME);
	assert_int_equal(c.family, XT2_IPV4);
	assert_int_equal(c.caplen, size);
	assert_memory_equal(c.frame, event->bytes, size);
	assert_int_equal(xt2_capture_next(cap, &c, &err), 1);
	assert_int_equal(c.time, TIME + 1);
	assert_int_equal(c.len, 100);
	assert_int_equal(c.caplen, 20);
	assert_int_equal(xt2_capture_next(cap, &c, &err), 0);
	xt2_capture_close(cap);
	assert_int_equal(unlink(path), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_blocks, start, end),
	cmocka_unit_test_setup_teardown(test_end, start, end),
	cmocka_unit_test_setup_teardown(test_read, start, end),
};

UNITS(tests)
