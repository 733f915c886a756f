/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build-bits.c - make a bitmap index
 *
 * Slots begin where ranges begin, and just after where they end.  If these are
 * more than there are slots, every so many of them are taken from a sample, so
 * that each slot has about as many.  Rules that ask for the same address often
 * differ in ports, so which keys to have is not known from each key alone:
 * packets of some units say which of them leaves least of all units.
 */
#include "build.h"

#define EDGES_SAMPLE 256u /* that are sorted */
#define TRIED	     12u /* keys to choose from */
#define PACKETS	     24u /* that choose them */
#define PAYS	     1u /* a key does, if it rules out so many quarters of a unit */

/* Boxes are the largest cost, so each is used for all keys at once. */
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

static u32 slots_for(u32 units)
{
	u32 slots = XT2_BITS_SLOTS;

	while (slots > units)
		slots /= 2;
	return slots;
}

/* --- which keys -------------------------------------------------------- */

/* Keys that are tried, and which units they leave packets of some units. */
struct trial {
	u16 sample[EDGES_SAMPLE];
	u16 edge[TRIED][XT2_BITS_SLOTS];
	u64 left[PACKETS][XT2_BITS_WORDS];
	u32 keys;
	u8 key[TRIED];
	u8 slots[TRIED];
	const u16 *range; /* of each unit each key's */
};

_Static_assert(sizeof(struct trial) <= SCRATCH_ROOM, "scratch memory of a trial");
_Static_assert(TRIED * 2 * sizeof(u16) <= SCRATCH_UNIT, "scratch memory of a unit");

static const u16 *range_of(const struct trial *t, u32 unit, u32 k)
{
	return t->range + ((u64)unit * t->keys + k) * 2;
}

/* The value of a packet of a unit; where any value will do, that of another unit. */
static u16 value_for(const struct build *b, const struct trial *t, u32 unit, u32 k)
{
	const u16 *r = range_of(t, unit, k);

	return r[0] || r[1] != 0xffff ? r[0] : range_of(t, (unit * 7 + 3) % b->units, k)[0];
}

/* => units that are left of a word when a key's slot is known to be from low up to high */
static u64 word_left(const struct trial *t, u32 word, u64 left, u32 k, u16 low, u16 high)
{
	u64 todo = left;

	for (; todo; todo &= todo - 1) {
		u32 bit = (u32)__builtin_ctzll(todo);
		const u16 *r = range_of(t, word * 64 + bit, k);

		if (r[0] > high || r[1] < low)
			left &= ~(1ull << bit);
	}
	return left;
}

/* => units that packets have left if this key is asked as well; keep: from now on it is */
static u32 try_key(const struct build *b, struct trial *t, u32 k, bool keep)
{
	const u32 words = (b->units + 63) / 64, slots = t->slots[k];
	const u16 *edge = t->edge[k];
	u32 i, w, s, n = 0;

	for (i = 0; i < PACKETS; i++) {
		u16 value = value_for(b, t, (u32)((u64)i * b->units / PACKETS), k);

		for (s = slots - 1; edge[s] > value; s--)
			;
		for (w = 0; w < words; w++) {
			u64 left = word_left(t, w, t->left[i][w], k, edge[s],
					     s + 1 < slots ? (u16)(edge[s + 1] - 1) : 0xffff);

			n += (u32)__builtin_popcountll(left);
			if (keep)
				t->left[i][w] = left;
		}
	}
	return n;
}

/* => the key that leaves least, and *n, how much */
static u32 best_key(const struct build *b, struct trial *t, const u8 *chosen, u32 keys, u32 *n)
{
	u32 k, i, now, best = t->keys;

	for (k = 0; k < t->keys; k++) {
		for (i = 0; i < keys && chosen[i] != k; i++)
			;
		if (i < keys)
			continue;
		now = try_key(b, t, k, false);
		if (now < *n) {
			*n = now;
			best = k;
		}
	}
	return best;
}

/* Keys until the next one would not pay.  => how many, by number in the trial */
static u32 choose(const struct build *b, struct trial *t, u8 *chosen)
{
	u32 i, n, keys, now;

	for (i = 0; i < PACKETS; i++)
		for (n = 0; n < b->units; n++)
			t->left[i][n / 64] |= 1ull << n % 64;
	chosen[0] = 0; /* the first is the best of a sample */
	now = try_key(b, t, 0, true);
	for (keys = 1; keys < XT2_BITS_KEYS && keys < t->keys; keys++) {
		n = now;
		i = best_key(b, t, chosen, keys, &n);
		if (now - n < PACKETS * PAYS / 4)
			break;
		chosen[keys] = (u8)i;
		now = try_key(b, t, i, true);
	}
	return keys;
}

static void begin_trial(struct build *b, struct trial *t, const u8 *key, u32 keys)
{
	u32 k;

	memset(t, 0, sizeof(*t));
	memcpy(t->key, key, keys);
	t->keys = keys;
	t->range = (u16 *)b->hashed;
	key_ranges(b, key, keys, (u16 *)b->hashed);
	for (k = 0; k < keys; k++) {
		u32 n = sample_edges(b, t->range + 2 * k, keys, t->sample);

		t->slots[k] = (u8)slots_for(b->units);
		choose_edges(t->sample, n, t->slots[k], t->edge[k]);
	}
}

/* --- the whole --------------------------------------------------------- */

static bool build_key(struct build *b, const struct trial *t, u32 k, struct xt2_bits_key *by)
{
	const u32 words = (b->units + 63) / 64, slots = t->slots[k];
	u16 *edge = xt2_build_take_(b, slots * sizeof(u16), &by->edge);
	u64 *bit = xt2_build_take_(b, (u64)slots * words * sizeof(u64), &by->bit);

	if (!edge || !bit)
		return false;
	by->key = t->key[k];
	by->slots = (u16)slots;
	b->at->asks |= xt2_asks_key_(by->key);
	memcpy(edge, t->edge[k], slots * sizeof(u16));
	set_bits(b, t->range + 2 * k, t->keys, slots, edge, bit);
	return true;
}

u32 xt2_build_bits_(struct build *b)
{
	struct trial *t = xt2_build_room_(b);
	u8 key[TRIED], chosen[XT2_BITS_KEYS];
	struct xt2_bits *bits;
	u32 i, keys, offset;

	keys = xt2_build_keys_(b, b->unit, b->units, true, key, TRIED);
	if (!keys)
		return 0;
	bits = xt2_build_take_(b, sizeof(*bits) + b->units * sizeof(u32), &offset);
	if (!bits)
		return 0;
	begin_trial(b, t, key, keys);
	keys = choose(b, t, chosen);
	bits->units = b->units;
	bits->keys = (u8)keys;
	bits->words = (u8)((b->units + 63) / 64);
	memcpy(bits + 1, b->unit, b->units * sizeof(u32));
	for (i = 0; i < keys; i++)
		if (!build_key(b, t, chosen[i], &bits->by[i]))
			return 0;
	return offset;
}
