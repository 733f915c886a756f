/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-mutate.h - SET_REPLACE blobs changed by someone who knows the formats
 *
 * Offsets are described once more here, so that a mistake in the translators'
 * description is not repeated.
 */
#ifndef XT2_FUZZ_LEGACY_MUTATE_H
#define XT2_FUZZ_LEGACY_MUTATE_H

#include <stddef.h>
#include "engine/image.h"

#define FUZZ_FORMATS 8

struct fuzz_format {
	const char *name;
	u8 family;
	bool compat;
	u8 header; /* its bytes; offsets in it follow */
	u8 entries, size, hook_entry, underflow, num_counters;
	u8 hooks;
	u8 entry; /* its bytes; offsets in it follow, of 4 bytes each for bridges, else of 2 */
	u8 watchers, target, next;
	u8 extension; /* bytes of an extension's header */
	u8 ext_size; /* offset of its size */
};

/* In an input's first byte: the place in this list. */
extern const struct fuzz_format fuzz_formats[FUZZ_FORMATS];

/*
 * fuzz_mutate - change a blob
 * @blob: size bytes, room for max
 * => bytes
 */
size_t fuzz_mutate(const struct fuzz_format *f, u8 *blob, size_t size, size_t max, u32 seed);

/* Parts of both blobs.  => bytes at out, at most max; 0: nothing can be made of these */
size_t fuzz_cross(const struct fuzz_format *f, const u8 *a, size_t a_size, const u8 *b,
		  size_t b_size, u8 *out, size_t max, u32 seed);

#endif
