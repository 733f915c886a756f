/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act-maps.h - the maps by which programs of tables and of companions talk: see act.h
 *
 * All are keyed by the packet's address.  The loader gives both kinds of programs the same ones.
 */
#ifndef XT2_KERNEL_BPF_ACT_MAPS_H
#define XT2_KERNEL_BPF_ACT_MAPS_H

/* What a companion is to do. */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, XT2_NOTES);
	__type(key, u64);
	__type(value, u32);
} notes SEC(".maps");

/* What has still to be done; what was answered. */
EXPORTED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, XT2_NOTES);
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

#endif
