/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act-maps.h - the maps by which programs of tables and of companions talk: see act.h
 *
 * All are found by the packet's address.  The loader gives both kinds of programs the same ones.
 */
#ifndef XT2_KERNEL_BPF_ACT_MAPS_H
#define XT2_KERNEL_BPF_ACT_MAPS_H

/* Packets whose addresses have the same hash, and what companions are to do: a cache line. */
struct xt2_bucket {
	u64 packet[XT2_BUCKET]; /* 0: it is free */
	u32 what[XT2_BUCKET];
} __attribute__((aligned(64)));

/* A note is made, looked for several times, and taken away again: a hash map would take a lock twice. */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1u << XT2_BUCKETS_SHIFT);
	__type(key, u32);
	__type(value, struct xt2_bucket);
} notes SEC(".maps");

/* A packet's address.  The verifier lets nobody calculate with one, but with what memory has. */
static __always_inline u64 address_of(const void *skb)
{
	u64 address = 0;

	__sync_lock_test_and_set(&address, (u64)skb);
	return *(volatile u64 *)&address;
}

static __always_inline struct xt2_bucket *bucket_of(u64 packet)
{
	u32 at = (u32)(packet * 0x9e3779b97f4a7c15ull >> (64 - XT2_BUCKETS_SHIFT));

	return bpf_map_lookup_elem(&notes, &at);
}

/* => what a companion is to do with a packet; NULL: nothing */
static __always_inline u32 *note_of(u64 packet)
{
	struct xt2_bucket *b = bucket_of(packet);
	u32 i;

	for (i = 0; b && i < XT2_BUCKET; i++)
		if (b->packet[i] == packet)
			return &b->what[i];
	return NULL;
}

/* Only who has the packet writes its note.  => false: there is no room */
static __always_inline bool note_put(u64 packet, u32 what)
{
	struct xt2_bucket *b = bucket_of(packet);
	u32 *before = note_of(packet), i;

	if (before) {
		*before = what;
		return true;
	}
	for (i = 0; b && i < XT2_BUCKET; i++)
		if (!b->packet[i] && !__sync_val_compare_and_swap(&b->packet[i], 0, packet)) {
			b->what[i] = what;
			return true;
		}
	return false;
}

static __always_inline void note_drop(u64 packet)
{
	struct xt2_bucket *b = bucket_of(packet);
	u32 i;

	for (i = 0; b && i < XT2_BUCKET; i++)
		if (b->packet[i] == packet)
			*(volatile u64 *)&b->packet[i] = 0;
}

/* What has still to be done; what was answered. */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, XT2_STEPS);
	__type(key, u64);
	__type(value, struct xt2_steps);
} steps SEC(".maps");

EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, XT2_ANSWERS);
	__type(key, struct xt2_answers_key);
	__type(value, struct xt2_answers);
} answers SEC(".maps");

/* Packets that have stopped in a table. */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, XT2_STEPS);
	__type(key, u64);
	__type(value, struct xt2_stopped);
} stopped SEC(".maps");

#endif
