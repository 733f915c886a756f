/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - changes of what rules of one name remember: see memory.h */
#include "memory.h"

#define TRIES 16384u /* before logs that are taken are believed to stay so */

/*
 * Carry out the log that the state names, and name none.
 * @own: the caller wrote it, so it stays what it is
 * => false: somebody else has done so meanwhile
 */
static inline bool finish(u64 __img *cell, u64 state, bool own)
{
	u64 __img *log = xt2_memory_log_at(cell, (u32)(state >> 32) - 1);
	u32 steps, i;
	u64 at;

	if (!own && !xt2_cell_swap(cell, state, state))
		return false;
	steps = (u32)xt2_cell_load(log++) % (XT2_MEMORY_LOG_STEPS + 1);
	for (i = xt2_zero; i < steps && xt2_can_loop; i++, log += 3) {
		u64 old = xt2_cell_load(log + 1), new = xt2_cell_load(log + 2);

		at = xt2_cell_load(log);
		if (!own && !xt2_cell_swap(cell, state, state))
			return false;
		if (at >= XT2_MEMORY_DATA && at < XT2_MEMORY_CELLS)
			xt2_cell_swap(cell + at, old, new);
	}
	return xt2_cell_swap(cell, state, (u32)state + 1u);
}

bool xt2_memory_finish(u64 __img *cell, u64 state)
{
	return finish(cell, state, true);
}

xt2_separate u64 xt2_memory_begin(u64 __img *cell xt2_arg_img)
{
	u64 seen;

	do {
		seen = xt2_cell_load(cell);
		if (seen >> 32)
			finish(cell, seen, false);
	} while ((seen >> 32 || !xt2_cell_swap(cell, seen, seen)) && xt2_can_loop);
	return seen;
}

xt2_separate u32 xt2_memory_log_open(u64 __img *cell xt2_arg_img)
{
	u32 i = xt2_zero, tries;
	u64 taken;

	for (tries = xt2_zero; tries < TRIES && xt2_can_loop; tries++) {
		taken = xt2_cell_load(cell + XT2_MEMORY_CLAIMS);
		if (taken >> (i & 63) & 1)
			i = (i + 1) % XT2_MEMORY_LOG_MAX;
		else if (xt2_cell_swap(cell + XT2_MEMORY_CLAIMS, taken, taken | 1ull << (i & 63)))
			return i;
	}
	return XT2_MEMORY_LOG_MAX;
}

xt2_separate bool xt2_memory_log_commit(u64 __img *cell xt2_arg_img, u64 seen, u32 number,
					u32 steps)
{
	const u64 named = seen | (u64)(number + 1) << 32, bit = 1ull << (number & 63);
	bool done = false;
	u64 taken;

	xt2_memory_store(xt2_memory_log_at(cell, number), steps);
	if (!(seen >> 32))
		done = xt2_cell_swap(cell, seen, named);
	if (done)
		finish(cell, named, true);
	do {
		taken = xt2_cell_load(cell + XT2_MEMORY_CLAIMS);
	} while (!xt2_cell_swap(cell + XT2_MEMORY_CLAIMS, taken, taken & ~bit) && xt2_can_loop);
	return done;
}
