/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - shared by the targets: their data, the rule they stand in
 *
 * Data comes without its trailing zero words (<xt2/ext-target.h>).  Some
 * targets ask for a protocol in their rule; the kernel reads it from the
 * entry's header, here it is a match.
 */
#ifndef XT2_EXTENSIONS_TARGET_TARGET_H
#define XT2_EXTENSIONS_TARGET_TARGET_H

#include "extensions/extensions.h"

#define XT2_PROTO_TCP 6

static inline u32 xt2_rule_arg(const struct xt2_rule __img *r)
{
	return XT2_TARGET_ARG(r->target);
}

/* Copies the whole words of a target's data; those that are missing are zero.  size: in words, a constant */
static __always_inline void xt2_target_read(const struct xt2_rule __img *r, void *to, u32 size)
{
	const u64 __img *data = xt2_rule_target_data(r);
	u32 i, have = xt2_rule_target_size(r) / XT2_ALIGN;
	u64 word;

	for (i = 0; i < size / XT2_ALIGN; i++) {
		word = i < have ? data[i] : 0;
		memcpy((u8 *)to + i * XT2_ALIGN, &word, sizeof(word));
	}
}

/* => true if the data is in whole words, at most max bytes, and doesn't end in a zero word */
static inline bool xt2_target_sized(const struct xt2_rule __img *r, u32 max)
{
	u32 size = xt2_rule_target_size(r);
	const u64 __img *data = xt2_rule_target_data(r);

	if (!size)
		return true;
	return size % XT2_ALIGN == 0 && size <= max && data[size / 8 - 1];
}

static inline bool xt2_target_none(const struct xt2_rule __img *r)
{
	return !xt2_rule_target_size(r);
}

/* => the protocol that a rule asks for; 0 if none, or if the test is inverted */
u32 xt2_rule_proto(const struct xt2_rule __img *r);

#endif
