/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace-calls.c - what a ruleset that is edited in its image reads when it is asked for */
#include "inplace-calls.h"

void xt2_chain_know_(const struct xt2_ruleset *rs, u32 chain)
{
	rs->ops->know(rs, chain);
}

void xt2_chain_read_(const struct xt2_ruleset *rs, struct xt2_chain_ *c)
{
	rs->ops->read(rs, c);
}

int xt2_ruleset_read_(const struct xt2_ruleset *rs)
{
	return rs->ops->complete(rs);
}

const struct xt2_instance *xt2_instance_read_(const struct xt2_ruleset *rs, u32 i)
{
	return rs->ops->instance(rs, i);
}
