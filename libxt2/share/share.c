/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share.c - the writer's side of a shared image
 *
 * A reader announces a generation in its seat, then loads the root; when it is done, it is
 * idle again.  The writer stores the root, then looks at all seats.  Each side must see the
 * other's store if its own was not seen (Dekker's pattern), which takes a full barrier on both
 * sides.  membarrier(2) is the readers' barrier: the writer has the kernel interrupt the
 * threads of the process, so readers, which announce millions of times a second, need none.
 * Where the kernel refuses, readers exchange instead of storing.
 *
 * A reader may announce a generation that is gone by the time the announcement is seen.  It
 * loads the root only afterwards, so what it finds there is at least as new as what
 * the writer saw to be current: it announces too old a generation, never one too new.
 */
#include "config.h"
#include "seats.h"
#include "engine/order.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

static bool has_index(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	u32 i;

	if (root)
		xt2_image_for_each_chain(c, i, img, root)
			if (c->lookup)
				return true;
	return false;
}

struct xt2_share *xt2_share_new(struct xt2_image *image, __u32 slots)
{
	const struct xt2_root *root = xt2_image_root(image);
	struct xt2_share *s;
	int err;

	if (xt2_image_too_long(image)) {
		errno = E2BIG;
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->img = image;
	s->generation = root ? root->generation : 0;
	s->indexed = has_index(image);
	s->fenced = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) != 0;
	pthread_mutex_init(&s->lock, NULL);
	err = xt2_slots_begin_(&s->slots, slots);
	if (!err)
		err = xt2_slots_convert_(&s->slots, image);
	if (!err)
		return s;
	xt2_share_free(s);
	errno = -err;
	return NULL;
}

void xt2_share_free(struct xt2_share *s)
{
	if (!s)
		return;
	xt2_slots_end_(&s->slots);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void xt2_share_publish(struct xt2_share *s, __u64 root, __u64 generation)
{
	__atomic_store_n(&s->indexed, true, __ATOMIC_RELAXED); /* readers see it with the root */
	__atomic_store_n(&s->img->root, root, __ATOMIC_SEQ_CST);
	__atomic_store_n(&s->generation, generation, __ATOMIC_RELEASE);
	xt2_slots_commit_(&s->slots, generation);
}

__u64 xt2_share_oldest(struct xt2_share *s)
{
	const struct xt2_seat *seat;
	u64 oldest = s->generation, reads;

	pthread_mutex_lock(&s->lock);
	if (s->seats && !s->fenced)
		membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); /* cannot fail once registered */
	for (seat = s->seats; seat; seat = seat->next) {
		reads = __atomic_load_n(&seat->reads, __ATOMIC_SEQ_CST);
		if (reads < oldest)
			oldest = reads;
	}
	pthread_mutex_unlock(&s->lock);
	return oldest;
}

/* --- readers come and go ------------------------------------------------ */

int xt2_seat_take_(struct xt2_share *s, struct xt2_seat *seat)
{
	seat->reads = XT2_SEAT_IDLE;
	seat->before = NULL;
	seat->strip = xt2_strip_new_(s->slots.max);
	if (!seat->strip)
		return -ENOMEM;
	pthread_mutex_lock(&s->lock);
	seat->next = s->seats;
	if (seat->next)
		seat->next->before = seat;
	s->seats = seat;
	pthread_mutex_unlock(&s->lock);
	return 0;
}

void xt2_seat_leave_(struct xt2_share *s, struct xt2_seat *seat)
{
	u32 i;

	pthread_mutex_lock(&s->lock);
	if (seat->before)
		seat->before->next = seat->next;
	else
		s->seats = seat->next;
	if (seat->next)
		seat->next->before = seat->before;
	for (i = 0; i < s->slots.used; i++) {
		if (!(seat->strip[i].packets | seat->strip[i].bytes))
			continue;
		s->slots.bias[i].packets += seat->strip[i].packets;
		s->slots.bias[i].bytes += seat->strip[i].bytes;
	}
	pthread_mutex_unlock(&s->lock);
	xt2_strip_free_(seat->strip, s->slots.max);
}

/* --- counters ------------------------------------------------------------ */

struct xt2_counts xt2_share_sum_(const struct xt2_share *s, u32 slot)
{
	struct xt2_counts sum = s->slots.bias[slot];
	const struct xt2_seat *seat;

	for (seat = s->seats; seat; seat = seat->next) {
		sum.packets += __atomic_load_n(&seat->strip[slot].packets, __ATOMIC_RELAXED);
		sum.bytes += __atomic_load_n(&seat->strip[slot].bytes, __ATOMIC_RELAXED);
	}
	return sum;
}

void xt2_share_counters(struct xt2_share *s, const __u32 *slot, __u32 n, struct xt2_counts *counts)
{
	u32 i;

	pthread_mutex_lock(&s->lock);
	for (i = 0; i < n; i++)
		counts[i] = xt2_share_sum_(s, slot[i]);
	pthread_mutex_unlock(&s->lock);
}

struct xt2_counts xt2_share_counter_set(struct xt2_share *s, __u32 slot, struct xt2_counts counts)
{
	struct xt2_counts was;

	pthread_mutex_lock(&s->lock);
	was = xt2_share_sum_(s, slot);
	s->slots.bias[slot].packets += counts.packets - was.packets;
	s->slots.bias[slot].bytes += counts.bytes - was.bytes;
	pthread_mutex_unlock(&s->lock);
	return was;
}

/* --- slots ----------------------------------------------------------------- */

int xt2_share_slot_take(struct xt2_share *s, struct xt2_counts counts, __u32 *slot)
{
	int err;

	pthread_mutex_lock(&s->lock); /* a reader that goes asks how many are used */
	err = xt2_slots_take_(&s->slots, slot);
	pthread_mutex_unlock(&s->lock);
	if (!err)
		xt2_share_counter_set(s, *slot, counts);
	return err;
}

int xt2_share_slot_retire(struct xt2_share *s, __u32 slot)
{
	return xt2_slots_retire_(&s->slots, slot);
}

void xt2_share_abort(struct xt2_share *s)
{
	xt2_slots_abort_(&s->slots);
}

void xt2_share_reclaim(struct xt2_share *s, __u64 oldest)
{
	xt2_slots_reclaim_(&s->slots, oldest);
}
