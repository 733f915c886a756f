/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtt.h - echo requests that are on their way, and what comes back
 *
 * The whole payload of a request is random and kept here, with the time of
 * sending.  A reply is one of ours only if it brings that payload back, so
 * nothing in a packet is ever believed: no timestamp, no number.  The clock is
 * CLOCK_MONOTONIC_RAW, which nobody can set and nobody disciplines.
 *
 * Up to rtt_now() all is plain computation: the caller sends, receives and says
 * what time it is.
 */
#ifndef XT2_PERF_RTT_H
#define XT2_PERF_RTT_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#define RTT_HEADER  8 /* bytes of an ICMPv6 echo header */
#define RTT_PAYLOAD 56 /* bytes of random payload, as many as ping sends */
#define RTT_PACKET  (RTT_HEADER + RTT_PAYLOAD)
#define RTT_KEY	    8 /* bytes by which a payload is looked up */

/* What a received packet is. */
enum rtt_kind {
	RTT_REPLY, /* the answer to a request that waits for one */
	RTT_TRUNCATED, /* too short, or shorter than what was sent */
	RTT_DUPLICATE, /* answers a request that has been answered */
	RTT_LATE, /* answers a request that was given up */
	RTT_FOREIGN, /* not what we sent, or not from where we sent it */
	RTT_BACKWARDS, /* the clock says that it came before it was sent: no figure */
	RTT_KINDS
};

struct rtt_request {
	uint8_t payload[RTT_PAYLOAD];
	uint64_t sent; /* ns */
	uint16_t seq;
	uint8_t state; /* of rtt.c */
	uint32_t next; /* in its bucket; 0: the last one */
};

struct rtt {
	struct in6_addr peer; /* replies come from here */
	struct rtt_request *requests; /* [0] is not used */
	uint32_t count, capacity;
	uint32_t *buckets;
	uint32_t mask;
	uint64_t kinds[RTT_KINDS]; /* how many packets were what */
	uint64_t lost; /* requests that were given up */
};

/* => 0, -ENOMEM.  capacity: requests that there will be at most */
int rtt_init(struct rtt *t, const struct in6_addr *peer, uint32_t capacity);
void rtt_free(struct rtt *t);

/*
 * rtt_request - note a request and make its packet
 * @payload: random bytes that nobody else can know
 * @packet: filled in; the checksum is the kernel's business
 *
 * It waits for a reply from rtt_sent() on.
 * => its number, from 1; -ENOSPC
 */
int rtt_request(struct rtt *t, const uint8_t payload[RTT_PAYLOAD], uint8_t packet[RTT_PACKET]);

/* It is about to be sent, now (ns). */
void rtt_sent(struct rtt *t, int number, uint64_t now);

/*
 * rtt_received - classify a packet, count its kind
 * @from: its source address
 * @packet, @len: from the ICMPv6 header on; len is what the packet had
 * @now: when it was received (ns)
 * @rtt: out: for RTT_REPLY, nanoseconds since it was sent
 * @number: out: for RTT_REPLY, which request
 * => enum rtt_kind
 */
int rtt_received(struct rtt *t, const struct in6_addr *from, const uint8_t *packet, size_t len,
		 uint64_t now, uint64_t *rtt, int *number);

/* No longer wait for a request's reply. */
void rtt_give_up(struct rtt *t, int number);

/* "late" for RTT_LATE, and so on. */
const char *rtt_kind_name(int kind);

/* CLOCK_MONOTONIC_RAW, in ns. */
uint64_t rtt_now(void);

/* --- one request at a time (rtt-line.c) --------------------------------------------- */

struct rtt_line {
	struct rtt table; /* rtt_init() it */
	struct sockaddr_in6 to;
	int fd;
	uint32_t warmup; /* the first requests, of which no time is kept */
	uint64_t timeout; /* ns */
	uint64_t *times; /* of the others' replies; room for all of them */
	uint32_t replies;
};

/* => 0; -EACCES: net.ipv4.ping_group_range forbids it; -errno */
int rtt_line_open(struct rtt_line *l);

/* Send a request and wait for its reply.  => 0, whatever has become of it; -errno */
int rtt_line_exchange(struct rtt_line *l);

#endif
