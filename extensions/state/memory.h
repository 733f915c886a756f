/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - what rules of one name remember together
 *
 * A memory is an array of cells that several processors change at once: each of them may be
 * interrupted at any instruction by another evaluation, which cannot wait for it.  So there is
 * no lock.  A change is read from the cells as they are, written into a log of its own, and
 * made known by one compare-and-swap of the memory's state, which names the log and fails if
 * anything has changed since the first look.  Whoever finds a log named there carries it out
 * before anything else, as does the one who wrote it: all get the same result.
 *
 * A step of a log swaps a cell from what it was to what it shall be.  It must not succeed a
 * second time when the cell has become what it was again.  So cells hold the version of their
 * change above 32 bits of value (xt2_memory_word()), or a time, which only grows.
 *
 * Cells come from files, so every number in them may be anything: a log changes no cell outside
 * of its memory, and each loop has a bound.
 */
#ifndef XT2_EXTENSIONS_STATE_MEMORY_H
#define XT2_EXTENSIONS_STATE_MEMORY_H

#include "extensions/extensions.h"

#define XT2_MEMORY_HZ	   250u /* ticks a second: see limit.h */
#define XT2_MEMORY_TICK_NS (1000000000u / XT2_MEMORY_HZ)

/* What an attempt answers beside XT2_HIT and XT2_MISS. */
#define XT2_MEMORY_AGAIN (-1) /* others were faster */
#define XT2_MEMORY_FULL	 (-2) /* all logs are taken, and stay so: the memory is broken */

_Static_assert(XT2_MEMORY_LOGS + XT2_MEMORY_LOG_MAX * XT2_MEMORY_LOG_CELLS <= XT2_MEMORY_DATA,
	       "room for the logs");

static inline u64 __img *xt2_memory_log_at(u64 __img *cell, u32 number)
{
	return cell + XT2_MEMORY_LOGS + number % XT2_MEMORY_LOG_MAX * XT2_MEMORY_LOG_CELLS;
}

/* What a cell is to be after a change of what was seen. */
static inline u64 xt2_memory_word(u64 seen, u32 value)
{
	return (u64)((u32)seen + 1) << 32 | value;
}

/* Of a cell that is the caller's until a swap of another one makes it known. */
static inline void xt2_memory_store(u64 __img *cell, u64 value)
{
	*(volatile u64 __img *)cell = value;
}

/* One more step: a cell of the data is to have this value. */
static inline void xt2_memory_log_step(u64 __img *cell, u32 number, u32 step, u32 at, u64 value)
{
	u64 __img *to = xt2_memory_log_at(cell, number) + 1 + 3 * (step % XT2_MEMORY_LOG_STEPS);

	xt2_memory_store(to, at);
	xt2_memory_store(to + 1, xt2_cell_load(cell + at));
	xt2_memory_store(to + 2, value);
}

/*
 * Does a match end with a name that ends, and has no more room than its field's bytes need?
 * @at: where the name begins; @most: bytes of a name, with its NUL
 */
static inline bool xt2_memory_name_right(const struct xt2_match __img *m, u32 at, u32 most)
{
	const char __img *name = (const char __img *)m + at;
	const u32 room = m->size - at;
	u32 len = room;

	while (len && !name[len - 1] && xt2_can_loop)
		len--;
	return name[0] && len < room && room <= len + XT2_ALIGN && len < most;
}

/* Was all that was read since of one state? */
static inline bool xt2_memory_stayed(u64 __img *cell, u64 seen)
{
	return !(seen >> 32) && xt2_cell_swap(cell, seen, seen);
}

/* => the state that what is read from now on belongs to */
xt2_separate u64 xt2_memory_begin(u64 __img *cell xt2_arg_img);

/* => number of a log that is the caller's; XT2_MEMORY_LOG_MAX: all of them are taken */
xt2_separate u32 xt2_memory_log_open(u64 __img *cell xt2_arg_img);

/*
 * Carry out the steps of an own log, and give it back.
 * @seen: of xt2_memory_begin()
 * => true: all is done; false: nothing, something has changed since
 */
xt2_separate bool xt2_memory_log_commit(u64 __img *cell xt2_arg_img, u64 seen, u32 number,
					u32 steps);

/* Of a memory that nobody else has: carry out the log that its state names. */
bool xt2_memory_finish(u64 __img *cell, u64 state);

#endif
