/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - what the parts of xt2 bench share
 *
 * Each base chain, a table at a hook, is measured with packets of its own, since
 * those of one would not come to the other.
 */
#ifndef XT2_XT2TABLES_CMD_BENCH_H
#define XT2_XT2TABLES_CMD_BENCH_H

#include "engine/image.h"
#include "cmd.h"

#define XT2_BENCH_ROOM 64 /* bytes by which a target may lengthen a packet */

struct xt2_bench_packet {
	struct xt2_pkt pkt; /* parsed, with what the host knows; data may be changed by targets */
	__u8 *bytes; /* what data are before that; then room for data, then the Ethernet header */
	__u64 now;
};

struct xt2_bench_packets {
	struct xt2_bench_packet *list;
	size_t n;
};

struct xt2_bench_base {
	int family, hook; /* its number */
	const char *table;
	__u32 chain; /* of the image */
	__u32 rules; /* that packets can get to, tails not counted */
};

/* --- packets (bench-packets.c) ------------------------------------------- */

/*
 * xt2_bench_draw - packets for a base chain, most of them meant for one of its rules
 * @host: what all packets have; what it says nothing about is chosen for the rule
 *
 * The same seed, the same packets.
 * => 0, -ENOMEM; packets can be fewer than n, if rules are for none that a hook sees
 */
int xt2_bench_draw(struct xt2_bench_packets *p, const struct xt2_image *img,
		   const struct xt2_bench_base *base, const struct xt2_host *host, size_t n,
		   __u64 seed);

/*
 * xt2_bench_add - one more packet
 * @host: with what is known about it
 * => 0; -EINVAL: the hook would not see it; -ENOMEM
 */
int xt2_bench_add(struct xt2_bench_packets *p, const struct xt2_bench_base *base,
		  const struct xt2_host *host, const struct xt2_captured *c);

void xt2_bench_packets_free(struct xt2_bench_packets *p);

/* --- evaluation (bench-run.c) -------------------------------------------- */

enum xt2_bench_mode {
	XT2_BENCH_LINEAR, /* rule after rule */
	XT2_BENCH_INDEXED, /* with the indexes that chains have */
	XT2_BENCH_BATCHED, /* the same, XT2_BATCH packets at a time */
	XT2_BENCH_PARSE, /* no evaluation */
	XT2_BENCH_MODES
};

struct xt2_bench_run {
	struct xt2_image *img; /* as it was before, afterwards */
	size_t size;
	const struct xt2_bench_base *base;
	const struct xt2_bench_packets *packets;
	bool writes; /* targets may change packets */
	__u64 seed;
	unsigned int rounds;

	/* results */
	double ns[XT2_BENCH_MODES]; /* a packet, of the best round */
	unsigned long long accepted;
};

/*
 * xt2_bench_run - compare the modes with one another, then measure them
 *
 * Verdicts with what decided, counters and state have to be the same; if they
 * are not, says what differs on standard error.
 * => 0; -EUCLEAN: they differ; -ENOMEM and others of xt2_evaluator_new()
 */
int xt2_bench_run(struct xt2_bench_run *run);

/*
 * xt2_bench_differs - the first rule of an image that has counted otherwise
 * @a, @b: copies of an image after the evaluation of the same packets
 * => true: there is a difference, and text says where, if a rule has it
 */
bool xt2_bench_differs(const struct xt2_image *a, const struct xt2_image *b, char *text,
		       size_t size);

#endif
