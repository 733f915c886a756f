/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost.h - what the programs share that measure what a packet costs */
#ifndef XT2_PERF_COST_H
#define XT2_PERF_COST_H

#include <stddef.h>
#include <xt2/xt2.h>

struct cost_packet {
	__u8 *bytes; /* from the network header on */
	const __u8 *frame; /* with the link header, if the capture has one */
	__u32 caplen, len; /* of bytes; len as the kernel counts it */
	__u32 frame_size;
	const __u8 *mac; /* 14 bytes, or NULL */
	int family;
};

/*
 * cost_packets - the packets of a capture that a kernel would see, one behind another in memory
 * @list: malloc()ed; the bytes stay for ever
 * => number of packets; exits with a message and 2 (capture) or 4 (memory) if there are none
 */
size_t cost_packets(const char *path, struct cost_packet **list);

/*
 * cost_sender - a socket through which packets meet the ruleset of a network namespace
 * @name: of the namespace, where the thread is from now on
 * @first: a packet of the capture: all are like it
 * => descriptor; exits with a message and 4 if there is none
 */
int cost_sender(const char *name, const struct cost_packet *first);

/* cost_send - a packet, through that; exits with a message and 1 if it does not get to the rules */
void cost_send(int fd, const struct cost_packet *p);

/*
 * cost_asked - whoever compares several programs asks each for a round in turn
 *
 * Prints an empty line, which ends what was printed before, and reads a line.
 * => 0: no more rounds
 */
int cost_asked(void);

double cost_now(void); /* ns on CLOCK_MONOTONIC_RAW */
double cost_used(void); /* ns of CPU that this thread used */
double cost_median(double *list, size_t n); /* sorts; n > 0 */

/* printf() to stderr behind the program's name, then exit. */
void cost_exit(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
