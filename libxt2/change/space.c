/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * space.c - memory inside an image
 *
 * Each size has a stack of free places.  A transaction notes each of its steps:
 * a place was taken from a stack, was put on one, or the image grew.  Undone from
 * the last to the first, they leave every stack as it was.
 */
#include "space.h"

#include <stdlib.h>
#include "libxt2/grow.h"

#define EXACT	   128u /* sizes that are all the multiples of 8 */
#define EXACT_MOST (8 * EXACT) /* bytes */
#define SPARE_PART 4 /* of the image, as large a part as may be free before places are cut */
#define GRANULE	   10 /* two larger places cannot begin in the same 2^10 bytes */

_Static_assert(1u << GRANULE == EXACT_MOST && XT2_SPACE_SIZES <= 0xff, "sizes in a byte");

enum step_kind {
	TAKEN, /* from its list */
	PUT, /* on its list */
	GROWN, /* the image */
};

struct xt2_space_step {
	u32 offset;
	u16 size; /* number of the list */
	u16 kind; /* enum step_kind */
};

/* --- sizes ----------------------------------------------------------------- */

static u64 bytes_of(u32 size)
{
	const u32 quarter = size % 4 + 5, power = (size - EXACT) / 4;

	return size < EXACT ? 8 * ((u64)size + 1) : (u64)EXACT_MOST / 4 * quarter << power;
}

/* => the size that has these bytes, 8 or more */
static u32 size_up(u64 bytes)
{
	const u64 last = bytes - 1;
	u32 power;

	if (bytes <= EXACT_MOST)
		return (u32)(last / 8);
	power = 63 - (u32)__builtin_clzll(last) - GRANULE;
	return EXACT + 4 * power + (u32)(last >> (power + GRANULE - 2)) - 4;
}

/* => the largest size in these bytes */
static u32 size_down(u64 bytes)
{
	const u32 size = size_up(bytes);

	return size - (bytes_of(size) > bytes);
}

/* => the size of a place, or of the first part of one that was not taken here */
static u32 size_at(const struct xt2_space *s, u32 offset, u64 bytes)
{
	const u32 known = bytes > EXACT_MOST ? s->large[offset >> GRANULE] : 0;

	return known ? known : size_down(bytes);
}

/* The parts of a place: one, unless it was in the image from the beginning. */
#define for_each_part(size, s, offset, bytes)                                \
	for (; (bytes) && ((size) = size_at(s, (u32)(offset), bytes), true); \
	     (offset) += bytes_of(size),                                     \
	     (bytes) -= bytes_of(size) < (bytes) ? bytes_of(size) : (bytes))

static u64 whole_words(u64 bytes)
{
	return (bytes + 7) & ~7ull;
}

/* Readers of the image may ask how large it is meanwhile. */
static void resize(struct xt2_space *s, u64 size)
{
	__atomic_store_n(&s->img->size, size, __ATOMIC_RELAXED);
}

/* --- steps ----------------------------------------------------------------- */

static void mark_large(struct xt2_space *s, u32 offset, u32 size, bool there)
{
	if (size >= EXACT)
		s->large[offset >> GRANULE] = there ? (u8)size : 0;
}

static void put(struct xt2_space *s, u32 size, u32 offset)
{
	struct xt2_space_list *l = &s->list[size];

	l->offset[l->n++] = offset;
	s->some[size / 64] |= 1ull << size % 64;
	s->spare += bytes_of(size);
	mark_large(s, offset, size, true);
}

static u32 take(struct xt2_space *s, u32 size)
{
	struct xt2_space_list *l = &s->list[size];
	const u32 offset = l->offset[--l->n];

	if (!l->n)
		s->some[size / 64] &= ~(1ull << size % 64);
	s->spare -= bytes_of(size);
	return offset;
}

/* Room for one more place on a list.  => 0, -ENOMEM */
static int reserve(struct xt2_space *s, u32 size)
{
	struct xt2_space_list *l = &s->list[size];

	return xt2_grow_(&l->offset, l->n + l->due, &l->cap, sizeof(*l->offset));
}

/* There is room: see room_for_step(). */
static void note(struct xt2_space *s, enum step_kind kind, u32 size, u32 offset)
{
	s->step[s->steps++] = (struct xt2_space_step){ offset, (u16)size, (u16)kind };
}

static int room_for_step(struct xt2_space *s)
{
	return xt2_grow_(&s->step, s->steps, &s->step_cap, sizeof(*s->step));
}

static void undo(struct xt2_space *s, u32 to)
{
	while (s->steps > to) {
		const struct xt2_space_step *step = &s->step[--s->steps];

		switch (step->kind) {
		case TAKEN: put(s, step->size, step->offset); break;
		case PUT:
			take(s, step->size);
			mark_large(s, step->offset, step->size, false);
			break;
		case GROWN:
			resize(s, step->offset);
			mark_large(s, step->offset, step->size, false);
			break;
		}
	}
}

/* Put a place on its list, or the parts of one.  => 0; -ENOMEM: a part of it may be */
static int put_noted(struct xt2_space *s, u64 offset, u64 bytes)
{
	u32 size;

	for_each_part(size, s, offset, bytes)
	{
		if (reserve(s, size) || room_for_step(s))
			return -ENOMEM;
		put(s, size, (u32)offset);
		note(s, PUT, size, (u32)offset);
	}
	return 0;
}

/* --- taking ---------------------------------------------------------------- */

static u32 take_listed(struct xt2_space *s, u32 size)
{
	u32 offset;

	if (room_for_step(s))
		return 0;
	offset = take(s, size);
	note(s, TAKEN, size, offset);
	return offset;
}

static u32 take_end(struct xt2_space *s, u32 size)
{
	const u32 offset = (u32)s->img->size;

	if (room_for_step(s))
		return 0;
	resize(s, s->img->size + bytes_of(size));
	mark_large(s, offset, size, true);
	note(s, GROWN, size, offset);
	return offset;
}

/* => the smallest size above that has a free place, or XT2_SPACE_SIZES */
static u32 larger(const struct xt2_space *s, u32 size)
{
	u32 i = ++size / 64;
	u64 some;

	if (size >= XT2_SPACE_SIZES)
		return XT2_SPACE_SIZES;
	some = s->some[i] & ~0ull << size % 64;
	while (!some && ++i < XT2_ARRAY_SIZE(s->some))
		some = s->some[i];
	return some ? 64 * i + (u32)__builtin_ctzll(some) : XT2_SPACE_SIZES;
}

/* Cut a larger place. */
static u32 take_part(struct xt2_space *s, u32 size)
{
	const u32 from = larger(s, size), before = s->steps;
	u32 offset;

	if (from >= XT2_SPACE_SIZES)
		return 0;
	offset = take_listed(s, from);
	if (!offset)
		return 0;
	mark_large(s, offset, from, false);
	if (put_noted(s, offset + bytes_of(size), bytes_of(from) - bytes_of(size)) ||
	    room_for_step(s)) {
		undo(s, before);
		return 0;
	}
	mark_large(s, offset, size, true);
	return offset;
}

u32 xt2_space_alloc(struct xt2_space *s, u64 size)
{
	u32 list, offset;

	if (!size || size > XT2_SIZE_MAX)
		return 0;
	list = size_up(whole_words(size));
	if (s->list[list].n)
		return take_listed(s, list);
	offset = s->spare > s->img->size / SPARE_PART ? take_part(s, list) : 0;
	if (!offset && bytes_of(list) <= s->capacity - s->img->size)
		offset = take_end(s, list);
	return offset ? offset : take_part(s, list);
}

void xt2_space_free(struct xt2_space *s, u32 offset, u64 size)
{
	/* Without memory the place is lost until the image is written anew. */
	put_noted(s, offset, whole_words(size));
}

/* --- giving up ------------------------------------------------------------- */

/* Retired places up to here are of generations that were committed. */
static u32 committed(const struct xt2_space *s)
{
	return s->batches ? s->batch[s->batches - 1].end : 0;
}

static void unexpect(struct xt2_space *s, u32 size)
{
	s->list[size].due--;
	s->waiting -= bytes_of(size);
}

/* Reserve room for the parts of a place (1), or forget about it (-1). */
static int expect(struct xt2_space *s, u64 offset, u64 bytes, int change)
{
	const u64 whole = bytes, first = offset;
	u32 size;

	for_each_part(size, s, offset, bytes)
	{
		if (change < 0) {
			unexpect(s, size);
			continue;
		}
		if (reserve(s, size)) {
			offset = first;
			bytes = whole - bytes;
			for_each_part(size, s, offset, bytes) unexpect(s, size);
			return -ENOMEM;
		}
		s->list[size].due++;
		s->waiting += bytes_of(size);
	}
	return 0;
}

int xt2_space_retire(struct xt2_space *s, u32 offset, u64 size)
{
	size = whole_words(size);
	if (xt2_grow_(&s->retired, s->retired_n, &s->retired_cap, sizeof(*s->retired)) ||
	    xt2_grow_(&s->batch, s->batches, &s->batch_cap, sizeof(*s->batch)) ||
	    expect(s, offset, size, 1))
		return -ENOMEM;
	s->retired[s->retired_n++] = (struct xt2_space_retired){ offset, (u32)size };
	return 0;
}

void xt2_space_commit(struct xt2_space *s, u64 generation)
{
	if (s->retired_n > committed(s))
		s->batch[s->batches++] = (struct xt2_space_batch){ generation, s->retired_n };
	s->steps = 0;
}

void xt2_space_abort(struct xt2_space *s)
{
	const u32 keep = committed(s);

	while (s->retired_n > keep) {
		const struct xt2_space_retired *r = &s->retired[--s->retired_n];

		expect(s, r->offset, r->size, -1);
	}
	undo(s, 0);
}

static void make_free(struct xt2_space *s, const struct xt2_space_retired *r)
{
	u64 offset = r->offset, bytes = r->size;
	u32 size;

	for_each_part(size, s, offset, bytes)
	{
		unexpect(s, size);
		put(s, size, (u32)offset);
	}
}

void xt2_space_reclaim(struct xt2_space *s, u64 oldest)
{
	u32 i, n = 0, end;

	if (s->steps || s->retired_n > committed(s))
		return;
	while (n < s->batches && s->batch[n].generation <= oldest)
		n++;
	if (!n)
		return;
	end = s->batch[n - 1].end;
	for (i = 0; i < end; i++)
		make_free(s, &s->retired[i]);
	s->retired_n -= end;
	memmove(s->retired, s->retired + end, s->retired_n * sizeof(*s->retired));
	s->batches -= n;
	memmove(s->batch, s->batch + n, s->batches * sizeof(*s->batch));
	for (i = 0; i < s->batches; i++)
		s->batch[i].end -= end;
}

/* --- life ------------------------------------------------------------------ */

int xt2_space_begin(struct xt2_space *s, struct xt2_image *img, u64 capacity)
{
	memset(s, 0, sizeof(*s));
	s->img = img;
	s->capacity = capacity < XT2_SIZE_MAX ? capacity & ~7ull : XT2_SIZE_MAX;
	if (s->capacity < img->size)
		s->capacity = img->size;
	s->large = calloc((s->capacity >> GRANULE) + 1, 1);
	return s->large ? 0 : -ENOMEM;
}

void xt2_space_end(struct xt2_space *s)
{
	u32 i;

	for (i = 0; i < XT2_SPACE_SIZES; i++)
		free(s->list[i].offset);
	free(s->large);
	free(s->step);
	free(s->retired);
	free(s->batch);
	memset(s, 0, sizeof(*s));
}
