/* SPDX-License-Identifier: GPL-2.0-or-later */
/* payload.h - shared by the matches on the packet and its metadata */
#ifndef XT2_EXTENSIONS_MATCH_PAYLOAD_H
#define XT2_EXTENSIONS_MATCH_PAYLOAD_H

#include "extensions/extensions.h"

/* doc/format.md gives these places. */
_Static_assert(offsetof(struct xt2_match_iprange4, range) == 8 &&
		       offsetof(struct xt2_match_iprange6, range) == 8 &&
		       offsetof(struct xt2_match_string, len) == 8 &&
		       offsetof(struct xt2_match_string, byte) == 9 &&
		       offsetof(struct xt2_match_u32, word) == 8 &&
		       offsetof(struct xt2_match_bpf, insn) == 8 &&
		       offsetof(struct xt2_match_devgroup, pair) == 8 &&
		       offsetof(struct xt2_match_physdev, word) == 8,
	       "places in matches");
_Static_assert(sizeof(((struct xt2_match_iprange4 *)0)->range[0]) == 8 &&
		       sizeof(((struct xt2_match_iprange6 *)0)->range[0]) == 32 &&
		       sizeof(struct xt2_match_mark) == 16 && sizeof(struct xt2_match_mac) == 16 &&
		       sizeof(struct xt2_match_pkttype) == 16 && sizeof(struct xt2_bpf_insn) == 8 &&
		       sizeof(((struct xt2_match_devgroup *)0)->pair[0]) == 8 &&
		       sizeof(struct xt2_match_addrtype) == 16,
	       "sizes of matches");

/* For inversions that the kernel xors with the answer: upper bits always hit. */
static inline int xt2_answer_xor(const struct xt2_match __img *m, bool holds)
{
	return m->flags & XT2_INVERT_UPPER ? XT2_HIT : xt2_answer(m, holds);
}

/* For inversions that the kernel makes 0 or 1 first. */
static inline int xt2_answer_any(const struct xt2_match __img *m, bool holds)
{
	return holds != !!m->flags ? XT2_HIT : XT2_MISS;
}

/*
 * xt2_bpf_verify - is this a program that the kernel takes and xt2 can run?
 * @m: a complete match; size is believed
 *
 * Source: net/core/filter.c bpf_check_classic(), check_load_and_stores().
 * => 0; -EINVAL: the kernel refuses it; -EOPNOTSUPP: it asks for what xt2
 *    knows nothing of
 */
int xt2_bpf_verify(const struct xt2_match __img *m);

#endif
