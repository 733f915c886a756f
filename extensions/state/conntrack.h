/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conntrack.h - the parts of a conntrack match: shared by the match and its translator */
#ifndef XT2_EXTENSIONS_STATE_CONNTRACK_H
#define XT2_EXTENSIONS_STATE_CONNTRACK_H

#include "engine/image.h"

#define XT2_CONNTRACK_PARTS 0x40u /* above the last part's bit */

static inline u32 xt2_conntrack_part_size(u32 part)
{
	switch (part) {
	case XT2_CONNTRACK_EXPIRES: return sizeof(struct xt2_conntrack_expires);
	case XT2_CONNTRACK_PORTS: return sizeof(struct xt2_conntrack_ports);
	}
	return sizeof(struct xt2_conntrack_addr);
}

/* Bytes of the parts in a mask that stand before one. */
static inline u32 xt2_conntrack_offset(u32 before, u8 parts)
{
	u32 part, off = 0;

	for (part = 1; part < before && part < XT2_CONNTRACK_PARTS; part <<= 1)
		if (parts & part)
			off += xt2_conntrack_part_size(part);
	return off;
}

/* => where a part is, or NULL: it is all zero */
static inline const void __img *xt2_conntrack_part(const struct xt2_match_conntrack __img *k,
						   u8 part)
{
	if (!(k->parts & part))
		return NULL;
	return (const u8 __img *)(k + 1) + xt2_conntrack_offset(part, k->parts);
}

#endif
