/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtt.c - a table of echo requests, looked up by their payload
 *
 * Requests stand in the order in which they were made; buckets chain them by
 * the first bytes of the payload, which are random and so need no hashing.
 * A look-up compares the rest as well: who guessed or saw the first bytes but
 * not all of them has forged the packet.
 */
#include "rtt.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MADE, WAITS, ANSWERED, GIVEN_UP };

int rtt_init(struct rtt *t, const struct in6_addr *peer, uint32_t capacity)
{
	uint32_t size = 1;

	while (size < capacity && size < 1u << 24)
		size *= 2;
	*t = (struct rtt){ .peer = *peer, .capacity = capacity, .mask = size - 1 };
	t->requests = calloc((size_t)capacity + 1, sizeof(*t->requests));
	t->buckets = calloc(size, sizeof(*t->buckets));
	if (t->requests && t->buckets)
		return 0;
	rtt_free(t);
	return -ENOMEM;
}

void rtt_free(struct rtt *t)
{
	free(t->requests);
	free(t->buckets);
	t->requests = NULL;
	t->buckets = NULL;
}

static uint32_t *bucket(const struct rtt *t, const uint8_t *payload)
{
	uint64_t key;

	memcpy(&key, payload, RTT_KEY);
	return &t->buckets[key & t->mask];
}

int rtt_request(struct rtt *t, const uint8_t payload[RTT_PAYLOAD], uint8_t packet[RTT_PACKET])
{
	struct icmp6_hdr head = { .icmp6_type = ICMP6_ECHO_REQUEST };
	uint32_t number = t->count + 1, *first;
	struct rtt_request *q;

	if (t->count == t->capacity)
		return -ENOSPC;
	t->count = number;
	q = &t->requests[number];
	memcpy(q->payload, payload, RTT_PAYLOAD);
	q->seq = (uint16_t)number;
	q->state = MADE;
	first = bucket(t, payload);
	q->next = *first;
	*first = number;
	head.icmp6_seq = htons(q->seq);
	memcpy(packet, &head, sizeof(head));
	memcpy(packet + RTT_HEADER, payload, RTT_PAYLOAD);
	return (int)number;
}

void rtt_sent(struct rtt *t, int number, uint64_t now)
{
	t->requests[number].sent = now;
	t->requests[number].state = WAITS;
}

/* => the request whose payload begins as these bytes do, len of them; NULL */
static struct rtt_request *find(const struct rtt *t, const uint8_t *payload, size_t len)
{
	uint32_t i;

	for (i = *bucket(t, payload); i; i = t->requests[i].next)
		if (!memcmp(t->requests[i].payload, payload, len))
			return &t->requests[i];
	return NULL;
}

static int classify(const struct rtt *t, const struct in6_addr *from, const uint8_t *packet,
		    size_t len, uint64_t now, struct rtt_request **found)
{
	struct rtt_request *q;
	struct icmp6_hdr head;
	size_t body;

	if (len < RTT_HEADER + RTT_KEY)
		return RTT_TRUNCATED;
	memcpy(&head, packet, sizeof(head));
	if (head.icmp6_type != ICMP6_ECHO_REPLY || head.icmp6_code)
		return RTT_FOREIGN;
	if (memcmp(from, &t->peer, sizeof(*from)) || len > RTT_PACKET)
		return RTT_FOREIGN;
	body = len - RTT_HEADER;
	q = find(t, packet + RTT_HEADER, body);
	if (!q || q->state == MADE || head.icmp6_seq != htons(q->seq))
		return RTT_FOREIGN;
	if (body < RTT_PAYLOAD)
		return RTT_TRUNCATED;
	if (q->state != WAITS)
		return q->state == ANSWERED ? RTT_DUPLICATE : RTT_LATE;
	*found = q;
	return now < q->sent ? RTT_BACKWARDS : RTT_REPLY;
}

int rtt_received(struct rtt *t, const struct in6_addr *from, const uint8_t *packet, size_t len,
		 uint64_t now, uint64_t *rtt, int *number)
{
	struct rtt_request *q = NULL;
	int kind = classify(t, from, packet, len, now, &q);

	t->kinds[kind]++;
	if (!q)
		return kind;
	q->state = ANSWERED;
	*number = (int)(q - t->requests);
	if (kind == RTT_REPLY)
		*rtt = now - q->sent;
	return kind;
}

void rtt_give_up(struct rtt *t, int number)
{
	if (t->requests[number].state != WAITS)
		return;
	t->requests[number].state = GIVEN_UP;
	t->lost++;
}

const char *rtt_kind_name(int kind)
{
	static const char *const names[RTT_KINDS] = {
		[RTT_REPLY] = "replies",       [RTT_TRUNCATED] = "truncated",
		[RTT_DUPLICATE] = "duplicate", [RTT_LATE] = "late",
		[RTT_FOREIGN] = "foreign",     [RTT_BACKWARDS] = "backwards",
	};

	return kind >= 0 && kind < RTT_KINDS ? names[kind] : NULL;
}

uint64_t rtt_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
