/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act.h - what a table's program leaves to companions
 *
 * A netfilter program answers accept or drop, and nothing else.  To do more it notes the
 * packet and what is to be done, and lets the packet pass.  At the next priority a base chain of
 * nf_tables has companions: rules that ask a program (act.bpf.c) whether it is they who are meant, and
 * do it.  After them the gate (xt2_gate() of xt2.bpf.c) drops packets that still have
 * a note: nobody was there to act.
 *
 * A note is a packet's, not a processor's: a sender may be preempted between the program and the
 * companion, and go on elsewhere.  It is known by its address in the kernel, which all of
 * these programs see.
 */
#ifndef XT2_KERNEL_BPF_ACT_H
#define XT2_KERNEL_BPF_ACT_H

/*
 * Packets with a note at once: buckets of a few each.  Notes are short-lived, but those of packets that
 * somebody else dropped before a companion came stay until their address has another packet.  A
 * packet that finds no room is dropped.
 */
#define XT2_BUCKETS_SHIFT 13u
#define XT2_BUCKET	  5u
#define XT2_STEPS	  4096u /* packets with steps at once; likewise */

/* Of enum ipt_reject_with and ip6t_reject_with; for others the kernel's REJECT only drops. */
#define XT2_REJECT_TYPES 9u

/* The value of a note, in the map of the packets' addresses: one or more; in the table filter. */
#define XT2_ACT_REJECT(type) (1u + (type))
#define XT2_ACTS	     (1u + XT2_REJECT_TYPES) /* one more than the highest */

/*
 * In the table nat: one of the targets of the ruleset in a region of the arena, by the number of its
 * instance.  There may be 10,000s of them, so a packet finds its companion in a tree of chains, by
 * a digit of the number in each, or by its destination and the companion's rank among those for it.
 */
#define XT2_ACT_NAT(region, number, rank) \
	(2u << 30 | (region) << 30 | (rank) << XT2_ACT_RANK_SHIFT | (number))
#define XT2_ACT_REGION_SHIFT   30u
#define XT2_ACT_REGION(region) (2u | (region))
#define XT2_ACT_RANK_SHIFT     26u
#define XT2_ACT_RANK_BITS      4u

/*
 * In raw, mangle and security: a bit for each step that is due, but is done after all others, since the
 * kernel has its target in tables of these names only.
 */
#define XT2_ACT_BOUND_MAX	   30u /* of a family's steps */
#define XT2_ACT_BOUND_REGION	   (1u << XT2_ACT_BOUND_MAX)
#define XT2_ACT_BOUND(region, bit) ((region) << XT2_ACT_BOUND_MAX | 1u << (bit))

/*
 * Steps: what rules do to a packet that goes on, such as MARK.  The program models what they
 * change, so that later rules see it, and notes their numbers in the order in which the packet met
 * them.  Companions then do one after the other: each takes its number from the list.  A packet
 * whose steps last longer than itself (CONNMARK) is dropped only after them.
 */
#define XT2_STEPS_MAX 248u /* of a packet in a table; one that needs more is dropped */
#define XT2_STEP_DROP 0xffffu /* the last one: the gate drops, and that is no fault */
#define XT2_STEP_LAST 0x20000u /* in the table of numbers: and the packet is done with the table */
#define XT2_STEP_HOPS 0x10000u /* in the table of numbers: plus the packet's hop count */

struct xt2_steps {
	unsigned short at, count; /* the next one; how many there are */
	unsigned short region; /* of the arena, whose ruleset has these numbers */
	unsigned short reserved;
	unsigned short step[XT2_STEPS_MAX];
};

/*
 * Questions: matches that only the kernel can answer.  Before the table's program a chain of
 * companions has a rule for each distinct one: a program that counts the rule, the kernel's own
 * match, then a program that notes a bit, and says no.  Answers are kept by the packet's address and the region of the ruleset
 * that asks.  A packet that is dropped before the table's program takes its answers leaves them behind, so one more
 * netfilter program comes before the chain: xt2_clear() forgets what is noted for the address.
 */
#define XT2_ANSWERS   65536u /* packets at once */
#define XT2_QUESTIONS 64u /* of a table */

struct xt2_answers_key {
	unsigned long long packet, region;
};

/* A packet to which not all rules of the chain were put was not asked: one may have been deleted. */
struct xt2_answers {
	unsigned long long yes; /* bits of questions */
	unsigned long long rules; /* that asked */
};

/*
 * Stops: a match that has an effect of its own, as connlimit counts, or that looks at what a step before it
 * has changed, is asked when the packet has come to its rule.  The program remembers where it is, and lets
 * the packet pass.  Companions do the steps that are due, and ask; then one more program at the
 * hook goes on at the rule.  A packet may stop so often in a table:
 */
#define XT2_STOPS	  4u
#define XT2_STOP_DEPTH	  16u /* chains that it may be in */
#define XT2_STOP_QUESTION 0xffffu /* its number, from 1 */
#define XT2_STOP_NUMBER	  0x40000u /* in the table of numbers: a question of this kind */
#define XT2_STOP_RULES	  24u /* likewise, the bits above: how many rules ask it */

struct xt2_stopped {
	unsigned long long ruleset; /* offset in the arena */
	unsigned long long answers; /* to other questions */
	unsigned long long cursor[3],
		frame[XT2_STOP_DEPTH][4]; /* of the evaluation, as engine/ctx.h has them */
	unsigned int rule, chain, base; /* offsets in the image */
	unsigned int depth, epoch;
	unsigned int question; /* as in the table of numbers */
	unsigned int match; /* offset of the one that it is */
	unsigned int rules; /* that have asked */
	unsigned short region;
	unsigned char table; /* enum xt2_program */
	unsigned char yes;
};

/*
 * Priorities after that of a table's program.  The chain of a stop, from 0, has the program that goes on behind it.
 * After all stops come the last steps, then those that are noted, or REJECT.  The table nat has no stops, and one
 * priority for its steps.
 */
#define XT2_AFTER_STOP(stop) (2 * (stop) + 1)
#define XT2_AFTER_STOPS	     XT2_AFTER_STOP(XT2_STOPS)

/* And those before it. */
#define XT2_BEFORE_ASK	 1
#define XT2_BEFORE_CLEAR 2

/* What a companion's program compares: (note >> shift & mask) == want. */
struct xt2_question {
	unsigned int shift, mask, want;
};

#endif
