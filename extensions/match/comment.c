/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comment.c - always hits: as xt_comment; the text is the instance arg */
#include "payload.h"

int xt2_comment_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	return XT2_HIT;
}

int xt2_comment_check(const struct xt2_match __img *m, u8 family)
{
	return xt2_size_check_(m, sizeof(*m), 0, 0);
}
