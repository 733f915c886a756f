/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image.c - names and properties of matches and targets */
#include "image.h"

/* A case of a list is a line. */
/* clang-format off */

u32 xt2_match_info(u8 type)
{
	switch (type) {
#define XT2_CASE(id, NAME, name, flags) case id: return flags;
	XT2_BASE_MATCHES(XT2_CASE)
	XT2_EXT_MATCHES(XT2_CASE)
#undef XT2_CASE
	}
	return 0;
}

const char *xt2_match_name(u8 type)
{
	switch (type) {
#define XT2_CASE(id, NAME, name, flags) case id: return #name;
	XT2_BASE_MATCHES(XT2_CASE)
	XT2_EXT_MATCHES(XT2_CASE)
#undef XT2_CASE
	}
	return NULL;
}

u32 xt2_target_info(u8 kind)
{
	switch (kind) {
#define XT2_CASE(id, NAME, flags) case id: return flags;
	XT2_BASE_TARGETS(XT2_CASE)
#undef XT2_CASE
#define XT2_CASE(id, NAME, name, flags) case id: return flags;
	XT2_EXT_TARGETS(XT2_CASE)
#undef XT2_CASE
	}
	return 0;
}

const char *xt2_target_name(u8 kind)
{
	switch (kind) {
#define XT2_CASE(id, NAME, flags) case id: return #NAME;
	XT2_BASE_TARGETS(XT2_CASE)
#undef XT2_CASE
#define XT2_CASE(id, NAME, name, flags) case id: return #NAME;
	XT2_EXT_TARGETS(XT2_CASE)
#undef XT2_CASE
	}
	return NULL;
}

/* clang-format on */

u32 xt2_rule_number(const struct xt2_chain __img *c, const struct xt2_rule __img *r)
{
	const struct xt2_rule __img *i;
	u32 n = 1;

	xt2_chain_for_each_rule(i, c) {
		if (i == r)
			return n;
		n++;
	}
	return 0;
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
		rules += c->rules;
	return rules > XT2_VISITS_MAX ? rules : XT2_VISITS_MAX;
}

bool xt2_image_too_long(const struct xt2_image __img *img)
{
	const struct xt2_root __img *root = xt2_image_root(img);

	return root && root->visits > XT2_VISITS_MAX && root->visits > xt2_image_visits_max(img);
}
