/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache-hash.h - where fast-cache.c and print-cache.c look for what they have seen before */
#ifndef XT2_XT2TABLES_TEXT_CACHE_HASH_H
#define XT2_XT2TABLES_TEXT_CACHE_HASH_H

#include <string.h>
#include "engine/env.h"

/* => of these bytes and h, never 0 */
static inline u64 xt2_known_hash(u64 h, const void *bytes, u32 n)
{
	u64 word;
	u32 i;

	for (i = 0; i < n; i += sizeof(word)) {
		word = 0;
		memcpy(&word, (const char *)bytes + i, n - i < sizeof(word) ? n - i : sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return h | 1;
}

#endif
