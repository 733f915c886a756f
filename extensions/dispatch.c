/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dispatch.c - from a type's number to its body
 *
 * The lists of <xt2/ext.h> become one switch each.  Evaluation never calls
 * through a pointer: the BPF verifier refuses it, and branches predict better.
 */
#include "extensions.h"

/* A case of a list is a line. */
/* clang-format off */

int xt2_match_ext(const struct xt2_match __img *m xt2_arg_img, struct xt2_ctx *ctx xt2_arg_there)
{
	switch (m->type) {
#define XT2_CASE(id, NAME, name, flags) case id: if (!xt2_can_run(flags)) return xt2_foreign_match(m, ctx); return xt2_##name##_match(m, ctx);
	XT2_EXT_MATCHES(XT2_CASE)
#undef XT2_CASE
	}
	ctx->faults++;
	return XT2_HOTDROP;
}

int xt2_match_ext_check(const struct xt2_match __img *m, u8 family)
{
	switch (m->type) {
#define XT2_CASE(id, NAME, name, flags) case id: if (!xt2_can_run(flags)) break; return xt2_##name##_check(m, family);
	XT2_EXT_MATCHES(XT2_CASE)
#undef XT2_CASE
	}
	return -EINVAL;
}

int xt2_target_ext(const struct xt2_rule __img *r xt2_arg_img, struct xt2_ctx *ctx xt2_arg_there)
{
	switch (XT2_TARGET_KIND(r->target)) {
#define XT2_CASE(id, NAME, name, flags) case id: if (!xt2_can_act(flags)) return xt2_foreign_target(r, ctx); return xt2_##name##_target(r, ctx);
	XT2_EXT_TARGETS(XT2_CASE)
#undef XT2_CASE
	}
	ctx->faults++;
	return XT2_DROP;
}

int xt2_target_ext_check(const struct xt2_rule __img *r, u8 family)
{
	switch (XT2_TARGET_KIND(r->target)) {
#define XT2_CASE(id, NAME, name, flags) case id: if (!xt2_can_act(flags)) break; return xt2_##name##_target_check(r, family);
	XT2_EXT_TARGETS(XT2_CASE)
#undef XT2_CASE
	}
	return -EINVAL;
}
