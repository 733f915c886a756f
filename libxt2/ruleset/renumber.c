/* SPDX-License-Identifier: GPL-2.0-or-later */
/* renumber.c - a rule of one ruleset with the numbers of another */
#include "config.h"
#include "renumber.h"

static int renumber_match(struct xt2_match *m, const struct xt2_renumber_ *by)
{
	const u32 info = xt2_match_info(m->type);

	if (info & XT2_EXT_CELL)
		return by->cell(by->data, m, &m->arg);
	return info & XT2_EXT_INSTANCE ? by->instance(by->data, &m->arg) : 0;
}

int xt2_rule_renumber_(struct xt2_rule *r, const struct xt2_renumber_ *by)
{
	const u8 kind = XT2_TARGET_KIND(r->target);
	u32 arg = XT2_TARGET_ARG(r->target);
	struct xt2_match *m;
	int ret = 0;

	xt2_rule_for_each_match(m, r) {
		ret = renumber_match(m, by);
		if (ret)
			return ret;
	}
	if (xt2_rule_jumps(r) != XT2_NONE)
		ret = by->chain(by->data, &arg);
	else if (xt2_target_info(kind) & XT2_EXT_INSTANCE)
		ret = by->instance(by->data, &arg);
	r->target = XT2_TARGET(kind, arg);
	return ret;
}
