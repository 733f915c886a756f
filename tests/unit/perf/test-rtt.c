/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-rtt.c - perf/rtt/rtt.c: which packet is the reply to which request
 *
 * The clock is the test's: it runs backwards where the kernel's must not, and
 * whatever asks for another clock than the one that cannot be set fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <errno.h>
#include "tests/lib/unit-program.h"
#include <arpa/inet.h>
#include "perf/rtt/rtt.h"

#define REQUESTS 300

struct line {
	struct rtt t;
	struct in6_addr peer;
	uint8_t packet[REQUESTS + 1][2 * RTT_PACKET]; /* requests turned into replies */
};

static uint64_t noise = 1;

static void fill(uint8_t *to, size_t size)
{
	while (size--) {
		noise = noise * 6364136223846793005u + 1442695040888963407u;
		*to++ = (uint8_t)(noise >> 56);
	}
}

/* A request that is sent at a time, and the reply that the peer would make. */
static int request(struct line *l, uint64_t now)
{
	uint8_t payload[RTT_PAYLOAD], packet[RTT_PACKET];
	int n;

	fill(payload, sizeof(payload));
	n = rtt_request(&l->t, payload, packet);
	assert_true(n > 0);
	assert_int_equal(packet[0], 128);
	memcpy(l->packet[n], packet, sizeof(packet));
	l->packet[n][0] = 129;
	rtt_sent(&l->t, n, now);
	return n;
}

/* What the packet is, from the peer; a figure must be the one that is wanted. */
static int got(struct line *l, int number, size_t len, uint64_t now, uint64_t want)
{
	uint64_t rtt = 12345;
	int which = -1, kind;

	kind = rtt_received(&l->t, &l->peer, l->packet[number], len, now, &rtt, &which);
	assert_int_equal(rtt, kind == RTT_REPLY ? want : 12345);
	if (kind == RTT_REPLY || kind == RTT_BACKWARDS)
		assert_int_equal(which, number);
	else
		assert_int_equal(which, -1);
	return kind;
}

static int setup(void **state)
{
	struct line *l = calloc(1, sizeof(*l));

	if (!l || inet_pton(AF_INET6, "::1", &l->peer) != 1 || rtt_init(&l->t, &l->peer, REQUESTS))
		return -1;
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	struct line *l = *state;

	rtt_free(&l->t);
	free(l);
	return 0;
}

static void replies_in_any_order(void **state)
{
	struct line *l = *state;
	int i;

	for (i = 1; i <= REQUESTS; i++)
		assert_int_equal(request(l, 1000u * (unsigned int)i), i);
	for (i = REQUESTS; i; i--)
		assert_int_equal(got(l, i, RTT_PACKET, 1000000, 1000000 - 1000u * (unsigned int)i),
				 RTT_REPLY);
	assert_int_equal(l->t.kinds[RTT_REPLY], REQUESTS);
	assert_int_equal(l->t.lost, 0);
}

static void the_table_has_an_end(void **state)
{
	struct line *l = *state;
	uint8_t payload[RTT_PAYLOAD] = { 0 }, packet[RTT_PACKET];
	int i;

	for (i = 0; i < REQUESTS; i++)
		request(l, 1);
	assert_int_equal(rtt_request(&l->t, payload, packet), -ENOSPC);
}

static void duplicates_make_no_figure(void **state)
{
	struct line *l = *state;
	int n = request(l, 100);

	assert_int_equal(got(l, n, RTT_PACKET, 150, 50), RTT_REPLY);
	assert_int_equal(got(l, n, RTT_PACKET, 151, 0), RTT_DUPLICATE);
	assert_int_equal(got(l, n, RTT_PACKET, 999, 0), RTT_DUPLICATE);
	assert_int_equal(l->t.kinds[RTT_DUPLICATE], 2);
	assert_int_equal(l->t.kinds[RTT_REPLY], 1);
}

static void late_replies_make_no_figure(void **state)
{
	struct line *l = *state;
	int n = request(l, 100), other = request(l, 200);

	rtt_give_up(&l->t, n);
	rtt_give_up(&l->t, n);
	assert_int_equal(l->t.lost, 1);
	assert_int_equal(got(l, n, RTT_PACKET, 300, 0), RTT_LATE);
	assert_int_equal(got(l, other, RTT_PACKET, 300, 100), RTT_REPLY);
	rtt_give_up(&l->t, other); /* was answered: nothing to give up */
	assert_int_equal(l->t.lost, 1);
}

static void truncated_replies(void **state)
{
	struct line *l = *state;
	int n = request(l, 100);
	size_t len;

	for (len = 0; len < RTT_PACKET; len++)
		assert_int_equal(got(l, n, len, 150, 0), RTT_TRUNCATED);
	assert_int_equal(l->t.kinds[RTT_TRUNCATED], RTT_PACKET);
	assert_int_equal(got(l, n, RTT_PACKET, 160, 60), RTT_REPLY);
}

/* Whatever bit is wrong, the packet is not ours, and the real reply still counts. */
static void forged_bits(void **state)
{
	struct line *l = *state;
	int n = request(l, 100);
	unsigned int bit;

	for (bit = 0; bit < 8 * RTT_PACKET; bit++) {
		if (bit >= 16 && bit < 48) /* checksum and identifier: the kernel's */
			continue;
		l->packet[n][bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(got(l, n, RTT_PACKET, 150, 0), RTT_FOREIGN);
		l->packet[n][bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(got(l, n, RTT_PACKET, 150, 50), RTT_REPLY);
}

static void forged_packets(void **state)
{
	struct line *l = *state;
	int n = request(l, 100), other = request(l, 101), which = -1;
	uint8_t packet[RTT_PACKET], payload[RTT_PAYLOAD];
	struct in6_addr stranger = l->peer;
	uint64_t rtt = 0;

	/* a guess that knows the number, but not the payload; an old time in it changes nothing */
	memcpy(packet, l->packet[n], sizeof(packet));
	memset(packet + RTT_HEADER, 0, RTT_PAYLOAD);
	assert_int_equal(rtt_received(&l->t, &l->peer, packet, sizeof(packet), 150, &rtt, &which),
			 RTT_FOREIGN);
	/* the payload of another request */
	memcpy(packet + RTT_HEADER, l->packet[other] + RTT_HEADER, RTT_PAYLOAD);
	assert_int_equal(rtt_received(&l->t, &l->peer, packet, sizeof(packet), 150, &rtt, &which),
			 RTT_FOREIGN);
	/* the right bytes from the wrong place, and too many of them */
	stranger.s6_addr[15] = 2;
	assert_int_equal(rtt_received(&l->t, &stranger, l->packet[n], RTT_PACKET, 150, &rtt,
				      &which),
			 RTT_FOREIGN);
	assert_int_equal(got(l, n, RTT_PACKET + 1, 150, 0), RTT_FOREIGN);
	/* made, but not yet sent: nobody can know it */
	fill(payload, sizeof(payload));
	which = rtt_request(&l->t, payload, packet);
	packet[0] = 129;
	assert_int_equal(rtt_received(&l->t, &l->peer, packet, sizeof(packet), 150, &rtt, &which),
			 RTT_FOREIGN);
	assert_int_equal(rtt, 0);
	assert_int_equal(l->t.kinds[RTT_FOREIGN], 5);
	assert_int_equal(got(l, n, RTT_PACKET, 150, 50), RTT_REPLY);
}

static void a_clock_that_ran_backwards(void **state)
{
	struct line *l = *state;
	int n = request(l, 1000), other = request(l, 1000);

	assert_int_equal(got(l, n, RTT_PACKET, 999, 0), RTT_BACKWARDS);
	assert_int_equal(got(l, n, RTT_PACKET, 1100, 0), RTT_DUPLICATE);
	assert_int_equal(got(l, other, RTT_PACKET, 1000, 0), RTT_REPLY);
	assert_int_equal(l->t.kinds[RTT_BACKWARDS], 1);
}

/* --- the clock ----------------------------------------------------------------- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
static int wall_clock_steps; /* seconds by which somebody has set the clock */
static time_t raw = 5;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	*t = (struct timespec){ .tv_sec = raw, .tv_nsec = 7 };
	if (clock != CLOCK_MONOTONIC_RAW)
		t->tv_sec += wall_clock_steps;
	return 0;
}

static void steps_do_not_bend_a_figure(void **state)
{
	static const int steps[] = { 0, 3600, -3600, 86400 * 365, -4 };
	struct line *l = *state;
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		int n;

		wall_clock_steps = 0;
		n = request(l, rtt_now());
		assert_int_equal(rtt_now(), (uint64_t)raw * 1000000000 + 7);
		wall_clock_steps = steps[i];
		raw += 2;
		assert_int_equal(got(l, n, RTT_PACKET, rtt_now(), 2000000000), RTT_REPLY);
	}
}

static void kinds_have_names(void **state)
{
	int i, k;

	for (i = 0; i < RTT_KINDS; i++) {
		assert_non_null(rtt_kind_name(i));
		for (k = 0; k < i; k++)
			assert_string_not_equal(rtt_kind_name(i), rtt_kind_name(k));
	}
	assert_null(rtt_kind_name(RTT_KINDS));
	assert_null(rtt_kind_name(-1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(replies_in_any_order, setup, teardown),
	cmocka_unit_test_setup_teardown(the_table_has_an_end, setup, teardown),
	cmocka_unit_test_setup_teardown(duplicates_make_no_figure, setup, teardown),
	cmocka_unit_test_setup_teardown(late_replies_make_no_figure, setup, teardown),
	cmocka_unit_test_setup_teardown(truncated_replies, setup, teardown),
	cmocka_unit_test_setup_teardown(forged_bits, setup, teardown),
	cmocka_unit_test_setup_teardown(forged_packets, setup, teardown),
	cmocka_unit_test_setup_teardown(a_clock_that_ran_backwards, setup, teardown),
	cmocka_unit_test_setup_teardown(steps_do_not_bend_a_figure, setup, teardown),
	cmocka_unit_test(kinds_have_names),
};

UNITS(tests)
