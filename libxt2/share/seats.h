/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seats.h - what a shared image knows of its readers; not installed */
#ifndef XT2_LIBXT2_SHARE_SEATS_H
#define XT2_LIBXT2_SHARE_SEATS_H

#include <pthread.h>
#include "share.h"
#include "slots.h"

#define XT2_SEAT_IDLE (~(u64)0) /* as a generation: none is read */

/* Of one reader.  The writer looks at reads; all else is its reader's, or constant. */
struct xt2_seat {
	u64 reads; /* a generation: neither it nor a later one is given up */
	struct xt2_seat *next, *before;
	struct xt2_counts *strip;
};

struct xt2_share {
	struct xt2_image *img;
	u64 generation; /* of the root, or of the one before */
	bool indexed; /* some chain has an index, or a patch */
	bool fenced; /* the system has no membarrier(2): readers order their memory themselves */
	pthread_mutex_t lock; /* of seats, strips that come and go, and biases */
	struct xt2_seat *seats;
	struct xt2_slots slots;
};

/* A reader comes: idle.  => 0, -ENOMEM */
int xt2_seat_take_(struct xt2_share *share, struct xt2_seat *seat);
/* It goes: its counts become biases. */
void xt2_seat_leave_(struct xt2_share *share, struct xt2_seat *seat);

/* Locked: the sum of a slot's bias and strips. */
struct xt2_counts xt2_share_sum_(const struct xt2_share *share, u32 slot);

#endif
