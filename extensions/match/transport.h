/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transport.h - what the transport and IPv6 header matches share */
#ifndef XT2_EXTENSIONS_MATCH_TRANSPORT_H
#define XT2_EXTENSIONS_MATCH_TRANSPORT_H

#include "extensions/extensions.h"
#include "engine/match.h"

/*
 * For checks: the match has size bytes, plus copy for the legacy payload if
 * it carries one, and no other flags than these.  => 0, -EINVAL
 */
static inline int xt2_size_check_(const struct xt2_match __img *m, u32 size, u32 copy, u8 flags)
{
	if (copy)
		flags |= XT2_MATCH_VERBATIM;
	if (m->flags & ~flags)
		return -EINVAL;
	if (m->flags & XT2_MATCH_VERBATIM)
		size += copy;
	return m->size == size ? 0 : -EINVAL;
}

/* Options of TCP and DCCP: 0 and 1 are one byte long, others give their length. */
static inline bool xt2_option_find_(const u8 *op, u32 len, u8 option)
{
	u32 i = xt2_zero;

	while (i < len && xt2_can_loop) {
		if (op[i] == option)
			return true;
		if (op[i] < 2 || i == len - 1 || !op[i + 1])
			i++;
		else
			i += op[i + 1];
	}
	return false;
}

/* AH, ESP, IPCOMP, FRAG: bytes of the head and the range; 0: not a valid form. */
static inline u32 xt2_range_size_(const struct xt2_match __img *m)
{
	switch (m->flags & XT2_RANGE_FORM) {
	case XT2_RANGE_NONE: return m->arg || xt2_inverted(m) ? 0 : sizeof(*m);
	case XT2_RANGE_ONE: return sizeof(*m);
	case XT2_RANGE_BOTH: return m->arg ? 0 : sizeof(struct xt2_match_range);
	}
	return 0;
}

/* The range holds, inversion included. */
static inline bool xt2_range_holds_(const struct xt2_match __img *m, u32 value)
{
	const struct xt2_match_range __img *k = (const struct xt2_match_range __img *)m;

	switch (m->flags & XT2_RANGE_FORM) {
	case XT2_RANGE_ONE: return (value == m->arg) != xt2_inverted(m);
	case XT2_RANGE_BOTH: return xt2_within_(k->range[0], k->range[1], value) != xt2_inverted(m);
	}
	return true;
}

/* The header test behind the range, or NULL. */
static inline const struct xt2_header_test __img *xt2_header_test_(const struct xt2_match __img *m)
{
	const struct xt2_match __img *end = m + 1;

	if (!(m->flags & XT2_HEADER_TEST))
		return NULL;
	if ((m->flags & XT2_RANGE_FORM) == XT2_RANGE_BOTH)
		end++;
	return (const struct xt2_header_test __img *)end;
}

#endif
