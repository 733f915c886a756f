/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-build-bits.c - make an index of bits
 *
 * Slots begin where ranges begin, and behind where they end.  If these are
 * more than there are slots, every so many of them are taken from a sample, so
 * that each slot has about as many.
 */
#include "index-build.h"

#define EDGES_SAMPLE 256u /* that are sorted */
#define SLOTS_FEW    16u

/* Boxes are what costs most, so they are asked for all keys at once. */
static void key_ranges(const struct build *b, const u8 *key, u32 keys, u16 *range)
{
	struct xt2_box box;
	u32 i, k;

	for (i = 0; i < b->units; i++) {
		xt2_box_of(&box, xt2_build_rule_(b, b->unit[i]));
		for (k = 0; k < keys; k++, range += 2)
			xt2_box_range(&box, b->family, key[k], &range[0], &range[1]);
	}
}

static void sort(u16 *list, u32 n)
{
	u32 gap, i, j;
	u16 one;

	for (gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (i = gap; i < n; i++) {
			one = list[i];
			for (j = i; j >= gap && list[j - gap] > one; j -= gap)
				list[j] = list[j - gap];
			list[j] = one;
		}
}

/* Edges of a sample of the ranges. => how many, sorted, no two alike, none 0 */
static u32 sample_edges(const struct build *b, const u16 *range, u32 keys, u16 *edge)
{
	u32 i, n = 0, taken = b->units < EDGES_SAMPLE / 2 ? b->units : EDGES_SAMPLE / 2, m = 0;

	for (i = 0; i < taken; i++) {
		const u16 *r = range + (u64)i * b->units / taken * keys * 2;

		if (r[0])
			edge[n++] = r[0];
		if (r[1] < 0xffff)
			edge[n++] = (u16)(r[1] + 1);
	}
	sort(edge, n);
	for (i = 0; i < n; i++)
		if (!m || edge[m - 1] != edge[i])
			edge[m++] = edge[i];
	return m;
}

/* edge: n of them => as many as there are slots */
static void choose_edges(const u16 *edge, u32 n, u32 slots, u16 *to)
{
	u32 i;

	for (i = 1; i < slots; i++) {
		if (n < slots)
			to[i] = i <= n ? edge[i - 1] : to[i - 1];
		else
			to[i] = edge[(u64)i * n / slots];
	}
}

/* A bit for each slot that a unit's range meets. */
static void set_bits(const struct build *b, const u16 *range, u32 keys, u32 slots, const u16 *edge,
		     u64 *bit)
{
	const u32 words = (b->units + 63) / 64;
	u64 any[XT2_BITS_WORDS] = { 0 };
	u32 i, s;

	for (i = 0; i < b->units; i++)
		if (!range[i * keys * 2] && range[i * keys * 2 + 1] == 0xffff)
			any[i / 64] |= 1ull << i % 64;
	for (s = 0; s < slots; s++)
		memcpy(bit + s * words, any, words * sizeof(*bit));
	for (i = 0; i < b->units; i++, range += keys * 2) {
		u32 low = 0, high = slots;

		if (!range[0] && range[1] == 0xffff)
			continue;
		while (high - low > 1) { /* the last slot that begins at or below it */
			u32 mid = (low + high) / 2;

			if (edge[mid] <= range[0])
				low = mid;
			else
				high = mid;
		}
		for (s = low; s < slots && (s == low || edge[s] <= range[1]); s++)
			bit[s * words + i / 64] |= 1ull << i % 64;
	}
}

/* A vector of them if there are so few edges. */
static u32 slots_for(u32 units, u32 edges)
{
	u32 slots = edges < SLOTS_FEW ? SLOTS_FEW : XT2_BITS_SLOTS;

	while (slots > units)
		slots /= 2;
	return slots;
}

static bool build_key(struct build *b, const u16 *range, u32 keys, struct xt2_bits_key *by)
{
	const u32 words = (b->units + 63) / 64;
	u16 *sample = xt2_build_room_(b), *edge;
	u32 n = sample_edges(b, range, keys, sample), slots = slots_for(b->units, n);
	u64 *bit;

	edge = xt2_build_take_(b, slots * sizeof(u16), &by->edge);
	bit = xt2_build_take_(b, (u64)slots * words * sizeof(u64), &by->bit);
	if (!edge || !bit)
		return false;
	by->slots = (u16)slots;
	b->at->asks |= xt2_asks_key_(by->key);
	choose_edges(sample, n, slots, edge);
	set_bits(b, range, keys, slots, edge, bit);
	return true;
}

u32 xt2_build_bits_(struct build *b)
{
	u16 *range = (u16 *)b->hashed;
	u8 key[XT2_BITS_KEYS];
	struct xt2_bits *bits;
	u32 i, keys, offset;

	keys = xt2_build_keys_(b, b->unit, b->units, key, XT2_BITS_KEYS);
	if (!keys)
		return 0;
	bits = xt2_build_take_(b, sizeof(*bits) + b->units * sizeof(u32), &offset);
	if (!bits)
		return 0;
	bits->units = b->units;
	bits->keys = (u8)keys;
	bits->words = (u8)((b->units + 63) / 64);
	memcpy(bits + 1, b->unit, b->units * sizeof(u32));
	key_ranges(b, key, keys, range);
	for (i = 0; i < keys; i++) {
		bits->by[i].key = key[i];
		if (!build_key(b, range + 2 * i, keys, &bits->by[i]))
			return 0;
	}
	return offset;
}
