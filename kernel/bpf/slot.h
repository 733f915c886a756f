/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slot.h - a packet while it is evaluated: see shared-arena.h */
#ifndef XT2_KERNEL_BPF_SLOT_H
#define XT2_KERNEL_BPF_SLOT_H

#include "shared-arena.h"
#include "engine/eval.h"
#include <xt2/pkt.h>

#define XT2_EVENTS 256u /* of a packet in a table; more are lost */

struct xt2_slot {
	struct xt2_pkt pkt;
	__u64 packets; /* evaluated, once for each table */
	__u64 faults; /* of them, dropped because they could not be evaluated */
	__u64 events; /* that went into the ring */
	__u64 unseen; /* events that did not, for want of room */
	__u32 copied; /* bytes of the packet */
	__u32 arg; /* of the verdict */
	__u32 what; /* a companion is to do: see act.h; 0: nothing */
	__u32 events_of; /* it; see struct xt2_ctx */
	__u32 lasts; /* some step of it lasts longer than itself */
	__u32 related; /* of NAT: it follows from another connection */
	__u32 region; /* of the arena, whose ruleset it meets */
	__u32 answered; /* its questions, if there are any */
	__u64 answers; /* bits: see act.h */
	__u64 ruleset; /* that it meets: offset in the arena */
	__u32 resumes; /* it has stopped there, and goes on */
	__u32 reserved;
	__u64 ether[2]; /* its Ethernet header */
	__u64 busy; /* an evaluation has claimed it: see shared-arena.h */
	struct xt2_event happened[XT2_EVENTS];
	struct xt2_search search;
	__u8 bytes[XT2_PACKET_MAX + 64] __attribute__((__aligned__(64)));
};

/* What xt2_reserve() and xt2_release() are asked for. */
struct xt2_page_range {
	__u64 offset;
	__u32 pages;
	__u32 done; /* out */
};

/* What xt2_try() is asked for. */
struct xt2_trial_time {
	__u64 ns; /* from now on */
	__s64 error; /* out: 0, -errno */
};

#endif
