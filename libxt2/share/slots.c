/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots.c - take and give back the numbers of counters */
#include "config.h"
#include "slots.h"
#include "libxt2/ruleset/arena.h"
#include "libxt2/ruleset/ruleset.h"

#include <stdlib.h>
#include <sys/mman.h>

struct xt2_counts *xt2_strip_new_(u32 slots)
{
	const size_t size = (size_t)slots * sizeof(struct xt2_counts);
	u8 *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (size > XT2_LARGE_)
		xt2_want_large_(p + XT2_LARGE_, size - XT2_LARGE_);
	return (struct xt2_counts *)p;
}

void xt2_strip_free_(struct xt2_counts *strip, u32 slots)
{
	if (strip)
		munmap(strip, (size_t)slots * sizeof(*strip));
}

int xt2_slots_begin_(struct xt2_slots *s, u32 max)
{
	*s = (struct xt2_slots){ .max = max ? max : 1, .used = 1 };
	s->bias = xt2_strip_new_(s->max);
	return s->bias ? 0 : -ENOMEM;
}

void xt2_slots_end_(struct xt2_slots *s)
{
	xt2_strip_free_(s->bias, s->max);
	free(s->free);
	free(s->taken);
	free(s->retired);
	free(s->batch);
}

int xt2_slots_take_(struct xt2_slots *s, u32 *slot)
{
	if (!s->free_n && s->used == s->max)
		return -ENOSPC;
	if (xt2_grow_(&s->taken, s->taken_n, &s->taken_cap, sizeof(*s->taken)) ||
	    xt2_grow_(&s->free, s->used, &s->free_cap, sizeof(*s->free)))
		return -ENOMEM;
	*slot = s->free_n ? s->free[--s->free_n] : s->used++;
	s->taken[s->taken_n++] = *slot;
	return 0;
}

int xt2_slots_retire_(struct xt2_slots *s, u32 slot)
{
	if (xt2_grow_(&s->retired, s->retired_n, &s->retired_cap, sizeof(*s->retired)) ||
	    xt2_grow_(&s->batch, s->batches, &s->batch_cap, sizeof(*s->batch)))
		return -ENOMEM;
	s->retired[s->retired_n++] = slot;
	return 0;
}

/* => how many were retired before the open transaction */
static u32 retired_before(const struct xt2_slots *s)
{
	return s->batches ? s->batch[s->batches - 1].end : 0;
}

void xt2_slots_commit_(struct xt2_slots *s, u64 generation)
{
	s->taken_n = 0;
	if (s->retired_n > retired_before(s))
		s->batch[s->batches++] = (struct xt2_slots_batch){ generation, s->retired_n };
}

void xt2_slots_abort_(struct xt2_slots *s)
{
	while (s->taken_n)
		s->free[s->free_n++] = s->taken[--s->taken_n];
	s->retired_n = retired_before(s);
}

void xt2_slots_reclaim_(struct xt2_slots *s, u64 oldest)
{
	u32 i, n = 0, end = 0;

	while (n < s->batches && s->batch[n].generation <= oldest)
		end = s->batch[n++].end;
	if (!n)
		return;
	for (i = 0; i < end; i++)
		s->free[s->free_n++] = s->retired[i];
	s->retired_n -= end;
	memmove(s->retired, s->retired + end, s->retired_n * sizeof(*s->retired));
	s->batches -= n;
	memmove(s->batch, s->batch + n, s->batches * sizeof(*s->batch));
	for (i = 0; i < s->batches; i++)
		s->batch[i].end -= end;
}
