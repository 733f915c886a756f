/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extensions.h - the functions that every extension has
 *
 * One row in <xt2/ext.h> declares an extension; the compiler then asks for
 * its body and its check, and dispatch.c calls them.
 *
 * xt2_NAME_match(): enum xt2_answer.  xt2_NAME_check(): 0, or -EINVAL if the
 * body could not trust the payload.  xt2_NAME_target(): enum xt2_verdict;
 * XT2_NEXT goes on with the next rule.  xt2_NAME_target_check(): likewise.
 */
#ifndef XT2_EXTENSIONS_EXTENSIONS_H
#define XT2_EXTENSIONS_EXTENSIONS_H

#include "engine/eval.h"

/* For checks: ARP packets lack the fields that most extensions test. */
static inline bool xt2_family_inet(u8 family)
{
	return family == XT2_IPV4 || family == XT2_IPV6;
}

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

#define XT2_DECLARE_MATCH(id, NAME, name, flags)                                      \
	int xt2_##name##_match(const struct xt2_match __img *m, struct xt2_ctx *ctx); \
	int xt2_##name##_check(const struct xt2_match __img *m, u8 family);

#define XT2_DECLARE_TARGET(id, NAME, name, flags)                                     \
	int xt2_##name##_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx); \
	int xt2_##name##_target_check(const struct xt2_rule __img *r, u8 family);

/* In the place of a target that is not evaluated here. */
int xt2_foreign_target(const struct xt2_rule __img *r, struct xt2_ctx *ctx);

XT2_EXT_MATCHES(XT2_DECLARE_MATCH)
XT2_EXT_TARGETS(XT2_DECLARE_TARGET)

#endif
