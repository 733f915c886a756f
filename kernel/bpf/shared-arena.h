/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared-arena.h - what the BPF programs and their loader find in the arena
 *
 * Offsets count from the arena's first byte.  Its address is the same in every
 * process, and ends in 32 zero bits, so an offset is an address's low half.
 * The first page stays empty: it reads as zeros.
 *
 *	4 KiB	struct xt2_state
 *	64 KiB	struct xt2_cpu, one for each processor
 *	16 MiB	struct xt2_slot, two for each processor
 *	256 MiB	two regions, one for the live ruleset and one for the next
 *	3.75 GiB what matches remember: state cells, of whichever ruleset is live
 *
 * A packet that this host sends is evaluated in the context of its process, and
 * a softirq may come in between with another packet.  So each processor has
 * two slots, and its depth says which one is free: what is in a slot has one
 * writer at a time and needs no atomic operation.  Where programs cannot turn preemption off, a
 * process may lose the processor to another one that sends, or go on elsewhere.  Then an evaluation claims
 * any slot that is not busy, this processor's first.
 *
 * A ruleset is struct xt2_live_ruleset, the counters of each slot and one more for
 * what was counted before, each slot's stack, and the checked image, which is last.  In this
 * image a rule's packets say at which byte of the counters its own are, and its
 * bytes where those of its run are, if it is in one (<xt2/index.h>).  Runs' counters
 * are after those of all rules; a run's packets say where, too.
 * Root's cells are the arena's: a cell stays where it is when a ruleset follows that
 * has the same rule.
 *
 * A live ruleset is edited where it is (libxt2/store/bpf/bpf-edit.c): what has changed is
 * appended to its image, with another struct xt2_live_ruleset that names the same counters and
 * the new root, and one store publishes that.  Nothing that was published is written to.
 */
#ifndef XT2_KERNEL_BPF_SHARED_ARENA_H
#define XT2_KERNEL_BPF_SHARED_ARENA_H

#include <linux/types.h>

/* Where nothing is mapped by itself, AddressSanitizer's shadow included. */
#define XT2_ARENA_BASE	      0x200000000000ull
#define XT2_ARENA_VERSION     21u
#define XT2_ARENA_PAGES	      (1u << 20) /* of 4 KiB: all that 32 bits reach */
#define XT2_ARENA_SIZE	      ((size_t)XT2_ARENA_PAGES * 4096)
#define XT2_ARENA_STATE	      0x1000u
#define XT2_ARENA_CPUS	      0x10000u
#define XT2_ARENA_SLOTS	      0x1000000u
#define XT2_ARENA_REGION(i)   (0x10000000u + (i)*XT2_ARENA_REGION_SIZE)
#define XT2_ARENA_REGION_SIZE 0x70000000u
#define XT2_ARENA_CELLS	      XT2_ARENA_REGION(2)

#define XT2_CPUS_MAX   1024u
#define XT2_SLOTS      2u /* of a processor */
#define XT2_REGIONS    2u
#define XT2_CELLS_MAX  (0x10000000u / 8)
#define XT2_PACKET_MAX 0x10000u /* bytes of a packet that rules can look at */

/* A program for each table: each has a priority of its own. */
enum xt2_program { XT2_RAW, XT2_MANGLE, XT2_FILTER, XT2_SECURITY, XT2_NAT, XT2_PROGRAMS };

/* What the rules ask for, so that the programs don't look for it in vain. */
enum xt2_need {
	XT2_NEED_NAMES = 0x01, /* of interfaces */
	XT2_NEED_GROUPS = 0x02, /* of interfaces */
	XT2_NEED_TYPE = 0x04, /* unicast, broadcast, ... */
	XT2_NEED_CLOCK = 0x08,
	XT2_NEED_RANDOM = 0x10,
	XT2_NEED_BYTES = 0x20, /* more than the headers */
	XT2_NEED_STATE = 0x40, /* of the packet in its connection */
	XT2_NEED_CONNECTION = 0x80, /* its status, mark and time left */
	XT2_NEED_TUPLES = 0x100, /* its addresses, ports and protocol */
	XT2_NEED_LOG = 0x200, /* a ring for events */
	XT2_NEED_DATE = 0x400, /* the wall clock */
	XT2_NEED_ETHER = 0x800, /* the Ethernet header */
	XT2_NEED_SEARCH = 0x1000, /* some chain has an index */
	XT2_NEED_ACT = 0x2000, /* companions: see act.h */
	XT2_NEED_STEPS = 0x4000, /* likewise: some of its rules are steps */
	XT2_NEED_ANSWERS = 0x8000, /* likewise: some of its matches are questions */
	XT2_NEED_BOUND = 0x10000, /* likewise: some of its steps are noted: see act.h */
	XT2_NEED_MEMORY = 0x20000, /* recent, hashlimit */
	XT2_NEED_RARE = 0x40000, /* an extension with XT2_EXT_RARE */
	XT2_NEED_STOPS = 0x80000, /* companions: some matches are asked in the midst: see act.h */
};

/* What evaluators can be loaded without. */
#define XT2_NEEDS_LOADED                                                                        \
	(XT2_NEED_STATE | XT2_NEED_LOG | XT2_NEED_ETHER | XT2_NEED_SEARCH | XT2_NEED_ACT |      \
	 XT2_NEED_STEPS | XT2_NEED_ANSWERS | XT2_NEED_BOUND | XT2_NEED_MEMORY | XT2_NEED_RARE | \
	 XT2_NEED_STOPS)

/* Of the live ruleset: see trial.h. */
enum xt2_trial {
	XT2_TRIAL_NONE,
	XT2_TRIAL_WAITS, /* to be confirmed */
	XT2_TRIAL_BACK, /* was not, so the one before is live again */
};

/* A program that companions have; by both, since numbers may come again. */
struct xt2_loaded {
	__u64 time; /* when it was loaded */
	__u32 id; /* 0: none */
	__u32 reserved;
};

#define XT2_NAT_DIGITS 14u /* of a note; the first says the region */
#define XT2_NAT_ROOM   (1u << 25) /* numbers that the others have; those of targets are below 2^24 */

/*
 * Programs that the guard of a hook has found there: see guard.h.  At most: a table's, one just before it,
 * its gate, and those that go on after its stops.
 */
#define XT2_GUARDED_MAX	   31u
#define XT2_GUARDED_GATE   0x100u /* what one of these others adds to wanted */
#define XT2_GUARDED_TABLES 0xffu /* bits of tables */

struct xt2_guarded {
	__u32 writes; /* odd: somebody is writing */
	__u32 wanted; /* what was wanted when it was found; 0: nothing was */
	__u32 count, reserved;
	__u64 run; /* the kernel's function that runs them */
	struct {
		__u64 program;
		__u32 place, reserved;
	} at[XT2_GUARDED_MAX];
};

struct xt2_state {
	__u64 ruleset; /* offset of the live struct xt2_live_ruleset; 0: none, all is accepted */
	__u64 clock; /* ns since 1970 at boot */
	__u32 zero; /* always 0: see env.h */
	__u32 cpus;
	__u32 version; /* XT2_ARENA_VERSION, of who made the arena */
	__u32 hz; /* of the kernel's clock */
	__u32 tracks; /* the programs find connections: see connection.h */
	__s32 tai; /* s that atomic time is ahead of UTC */
	__s32 tz_west; /* minutes: the kernel's time zone */
	__u32 forced; /* the live ruleset asks more than it may unless somebody insists: see store.h */
	__u32 evaluators[XT2_PROGRAMS]; /* what each was loaded for: of XT2_NEEDS_LOADED */
	__u32 stops; /* packets may be under way that have stopped: see act.h */
	__u64 lost; /* packets that were dropped: no slot, companion or evaluator was there for them */
	__u64 region_size[XT2_REGIONS]; /* bytes that have memory */
	__u64 cells_size;
	__u64 previous; /* offset of the ruleset that comes back; 0: none */
	__u64 deadline; /* ns since boot */
	__u32 trial; /* enum xt2_trial */
	__u32 left; /* XT2_LEFT_*: what companions for steps and questions there may be */
	__u64 generations; /* the newest one that was ever live, on trial or not */
	__u64 nft; /* nf_tables' generation when all companions were there, plus 1; 0: not known */
	struct xt2_loaded nat_program[XT2_NAT_DIGITS][4]; /* by digit of a note and its value */
	__u64 closed; /* ns since boot: until then guards drop all packets; 0: they do not */
	__u8 gates[2][5]; /* [IPv6][hook]: how many programs besides tables' are attached */
	__u8 reserved_gates[6];
	struct xt2_guarded guarded[2][5]; /* likewise */
};

#define XT2_LEFT_ANY   1u
#define XT2_LEFT_BOUND 2u /* in tables of iptables' names */

struct xt2_cpu {
	__u32 depth; /* evaluations that have begun and not ended */
	__u32 reserved[15];
};

struct xt2_counter {
	__u64 packets, bytes;
};

/*
 * Counters that a ruleset has not used yet, or uses no longer; for whoever edits it.  Each
 * number is that of a counter in each slot's, and in one list at most: a process that is killed
 * may lose one, and never gives one to two rules.
 */
struct xt2_live_spare {
	__u32 used; /* counters below this one have been used */
	__u32 frees; /* counters at the start of number[]: no program counts in them */
	__u32 retireds; /* at the end of number[]: of rules that are gone; programs may count in them */
	__u32 reserved;
	__u32 number[]; /* of max_counters */
};

/* Which step a rule is, or which question a match: in a table with a hash of the offset. */
struct xt2_left {
	__u32 offset; /* in the image; 0: nothing is here, nor further on */
	__u32 number; /* from 1; of a rule that changes the hop count: see XT2_STEP_HOPS */
};
#define XT2_LEFT_HASH(offset) ((offset) / 8 * 0x9e3779b1u >> 7)

/* A step or question that has companions. */
struct xt2_left_known {
	__u32 offset; /* of a rule or a match in the image that is this one; it may be gone */
	__u32 number; /* as in struct xt2_left */
	__u8 six; /* family */
	__u8 table; /* enum xt2_program, of a question; XT2_PROGRAMS: a step; above: of a stop */
	__u8 hooks[XT2_PROGRAMS]; /* by table: bits of hooks that have companions for it */
	__u8 reserved;
};

struct xt2_live_ruleset {
	__u64 image; /* offset */
	__u64 image_size;
	__u64 root; /* offset of the root in the image */
	__u64 compiled; /* bytes of the image as it was installed */
	__u64 counters; /* offset of the first slot's struct xt2_counter[max_counters] */
	__u64 counters_size; /* bytes of a slot's */
	__u64 frames; /* offset of the first slot's struct xt2_frame[depth] */
	__u64 frames_size;
	__u32 depth;
	__u32 needs; /* enum xt2_need, of all tables */
	__u32 rules;
	__u32 slots;
	__u32 hook[XT2_PROGRAMS][2][5]; /* [IPv6][hook]: offset of struct xt2_hook in the image */
	__u8 tables[2][5]; /* [IPv6][hook]: bits of the tables that are there */
	__u8 edited; /* it is that before with edits, and others may follow: that one's memory is kept */
	__u8 reserved_tables[5];
	__u64 size; /* bytes that the ruleset took when it was installed */
	__u64 from; /* offset of the ruleset before, as long as it has counters of these rules */
	__u64 pairs; /* offset of __u32[rules]: a rule's offset in that one's image; 0: it is new */
	__u64 cell_numbers; /* offset of __u32[cells]: the number of each one among the arena's */
	__u64 spare; /* offset of struct xt2_live_spare */
	__u64 meets; /* rules that a packet may meet at a hook, at most */
	__u32 max_counters;
	__u32 longest; /* rules of a chain, at most */
	__u32 runs;
	__u32 tracked; /* families whose rules ask for connections: see xt2_live_tracked() */
	__u32 acts[2]; /* by family, IPv6 second: bits of what companions do: see act.h */
	__u64 nat; /* offset of __u16[nat_room]: by instance, XT2_NAT_BIT()s and rank; 0: no table nat acts */
	__u32 nat_room; /* of numbers of targets that companions can be found by */
	__u32 nat_seen; /* instances when the ruleset was published: those after it have no bits */
	__u32 nat_chains[2][2],
		nat_uses[2][2]; /* by family: what its companions have in the kernel */
	__u32 nat_leaves
		[2][2]; /* likewise: how many they are; and those that were added (bpf-nat-add.c) */
	__u64 left; /* offset of struct xt2_left[left_mask + 1]; 0: no steps, and no questions */
	__u64 known; /* offset of struct xt2_left_known[knowns], in the order of their numbers */
	__u32 left_mask; /* a power of two, less 1 */
	__u32 knowns;
	__u32 left_chains[2], left_uses[2]; /* as of nat; 0: not known */
	__u32 wants[XT2_PROGRAMS][2]; /* [IPv6]: as needs, of a table's own rules */
	__u8 steps[XT2_PROGRAMS][2]; /* likewise: bits of hooks at which packets may meet steps */
	__u8 asks[XT2_PROGRAMS][2]; /* likewise: questions */
	__u8 changes[XT2_PROGRAMS][2]; /* what steps may change, and what matches look at: */
	__u8 looks[XT2_PROGRAMS][2]; /* enum xt2_left_change */
	/* By table, IPv6 and hook: rules that ask; steps that are noted, and done after all others. */
	__u8 questions[XT2_PROGRAMS][2][5];
	__u8 bounds[XT2_PROGRAMS][2][5];
	__u8 stops[XT2_PROGRAMS][2][5]; /* how often a packet may stop */
};

/*
 * A target of the table nat has a companion in a tree of a family; one that was added: in another.
 * Bits above these: its rank, see act.h.
 */
#define XT2_NAT_BIT(six, added, tree) (1u << (tree) << 3 * (six) << 6 * (added))
#define XT2_NAT_RANK_SHIFT	      12u

#endif
