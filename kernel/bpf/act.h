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

#define XT2_NOTES 4096u /* packets at once; those that find no room are dropped */

/* Of enum ipt_reject_with and ip6t_reject_with; for others the kernel's REJECT only drops. */
#define XT2_REJECT_TYPES 9u

/* The value of a note, in the map of the packets' addresses: one or more; in the table filter. */
#define XT2_ACT_REJECT(type) (1u + (type))
#define XT2_ACTS	     (1u + XT2_REJECT_TYPES) /* one more than the highest */

/*
 * In the table nat: one of the targets of the ruleset in a region of the arena, counted from 0.  There
 * may be 10,000s of them, so a packet finds its companion in a tree of chains, by two
 * bits of the number in each.
 */
#define XT2_ACT_NAT(region, number) (2u << 30 | (region) << 30 | (number))
#define XT2_ACT_REGION_SHIFT	    30u
#define XT2_ACT_REGION(region)	    (2u | (region))
#define XT2_NAT_TARGETS		    (1u << 22)

/* What a companion's program compares: (note >> shift & mask) == want. */
struct xt2_question {
	unsigned int shift, mask, want;
};

#endif
