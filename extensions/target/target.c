/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.c - shared by the targets: see target.h */
#include "target.h"

u32 xt2_rule_proto(const struct xt2_rule __img *r)
{
	const struct xt2_match __img *m;

	xt2_rule_for_each_match(m, r) {
		if (m->type == XT2_M_PROTO)
			return xt2_inverted(m) ? 0 : m->arg;
	}
	return 0;
}
