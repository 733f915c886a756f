/* SPDX-License-Identifier: GPL-2.0-or-later */
/* renumber.h - a rule of one ruleset with the numbers of another; not installed */
#ifndef XT2_LIBXT2_RULESET_RENUMBER_H
#define XT2_LIBXT2_RULESET_RENUMBER_H

#include "ruleset.h"

/* What a rule names, in the other ruleset.  Each: => 0, or -errno, which ends it */
struct xt2_renumber_ {
	int (*cell)(void *data, const struct xt2_match *m, u32 *number);
	int (*instance)(void *data, u32 *number);
	int (*chain)(void *data, u32 *number);
	void *data;
};

/* => 0; -errno of a call, and the rule is partly renumbered */
int xt2_rule_renumber_(struct xt2_rule *r, const struct xt2_renumber_ *by);

#endif
