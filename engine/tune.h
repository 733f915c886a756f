/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tune.h - performance switches of this environment
 *
 * None of them changes a result.  The BPF programs have their own under the
 * same include guard.
 */
#ifndef XT2_TUNE_H
#define XT2_TUNE_H

/* Count a packet: two additions to memory.  As one vector they take four times the instructions. */
#define xt2_rule_count(r, n, ctx)                 \
	do {                                      \
		(r)->packets++;                   \
		__asm__("" : "+m"((r)->packets)); \
		(r)->bytes += (n);                \
	} while (0)

/* Memory that will be read soon. */
#define xt2_prefetch(p) __builtin_prefetch(p)

/* Barrier: keeps the compiler from unrolling a loop on targets with few registers. */
#define xt2_in_turn(x) ((void)0)

/* Do common cases have loops of their own, such as packets without a search? */
#define xt2_special_loops true

/* A function that several others call, once in the code; in BPF its callers have no frame to spare. */
#define xt2_apart static __attribute__((__noinline__))

/* How many rules of a chain are probed before a jump to it is made. */
#define xt2_passable 5u

#endif
