/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recent.h - what a list of recent has of an address: shared by the match and who shows it
 *
 * The head of an address is one cell: version, in use, family, some bits of the address's hash,
 * TTL, place in the ring, number of times.  Its version says when it was set or updated last.
 */
#ifndef XT2_EXTENSIONS_STATE_RECENT_H
#define XT2_EXTENSIONS_STATE_RECENT_H

#include "engine/env.h"
#include <xt2/ext.h>

#define XT2_RECENT_HEAD_USED	 0x80000000u
#define XT2_RECENT_HEAD_IPV6	 0x40000000u
#define XT2_RECENT_HEAD_TAG	 0x3f000000u
#define XT2_RECENT_HEAD_TTL(h)	 ((u8)((h) >> 16))
#define XT2_RECENT_HEAD_PLACE(h) ((u32)(h) >> 8 & 0xff)
#define XT2_RECENT_HEAD_TIMES(h) ((u32)(h)&0xff)

/* Cells of the head, of the key's first word, of a time of address i. */
static inline u32 xt2_recent_head_at(u32 i)
{
	return XT2_MEMORY_DATA + i % XT2_RECENT_ADDRESSES;
}

static inline u32 xt2_recent_key_at(u32 i)
{
	return XT2_RECENT_KEYS + 4 * (i % XT2_RECENT_ADDRESSES);
}

static inline u32 xt2_recent_time_at(u32 i, u32 place)
{
	return XT2_RECENT_TIMES + i % XT2_RECENT_ADDRESSES * XT2_RECENT_STAMPS +
	       (place & (XT2_RECENT_STAMPS - 1));
}

#endif
