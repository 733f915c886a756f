/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image.c - names and properties of matches and targets */
#include "order.h"

struct kind {
	const char *name;
	u32 info; /* XT2_EXT_* bits */
};

#define XT2_ROW(id, NAME, name, flags) [id] = { #name, flags },
static const struct kind matches[XT2_M_COUNT] = { XT2_BASE_MATCHES(XT2_ROW)
							  XT2_EXT_MATCHES(XT2_ROW) };
#undef XT2_ROW

#define XT2_BASE(id, NAME, flags)      [id] = { #NAME, flags },
#define XT2_ROW(id, NAME, name, flags) [id] = { #NAME, flags },
static const struct kind targets[XT2_T_COUNT] = { XT2_BASE_TARGETS(XT2_BASE)
							  XT2_EXT_TARGETS(XT2_ROW) };
#undef XT2_ROW
#undef XT2_BASE

u32 xt2_match_info(u8 type)
{
	return type < XT2_M_COUNT ? matches[type].info : 0;
}

const char *xt2_match_name(u8 type)
{
	return type < XT2_M_COUNT ? matches[type].name : NULL;
}

u32 xt2_target_info(u8 kind)
{
	return kind < XT2_T_COUNT ? targets[kind].info : 0;
}

const char *xt2_target_name(u8 kind)
{
	return kind < XT2_T_COUNT ? targets[kind].name : NULL;
}

u64 xt2_image_visits_max(const struct xt2_image __img *img)
{
	const struct xt2_root __img *root = xt2_image_root(img);
	const struct xt2_chain __img *c;
	u64 rules = 0;
	u32 i;

	if (!root)
		return XT2_VISITS_MAX;
	xt2_image_for_each_chain(c, i, img, root)
		rules += xt2_chain_length(img, c);
	return rules > XT2_VISITS_MAX ? rules : XT2_VISITS_MAX;
}

bool xt2_image_too_long(const struct xt2_image __img *img)
{
	const struct xt2_root __img *root = xt2_image_root(img);

	return root && root->visits > XT2_VISITS_MAX && root->visits > xt2_image_visits_max(img);
}
