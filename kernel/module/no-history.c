// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no-history.c - in the place of libxt2/ruleset/inplace-past.c
 *
 * Images in the kernel do not record who changed them.
 */
#include "libxt2/ruleset/inplace.h"

struct xt2_edits xt2_inplace_edits_anew_(const struct xt2_inplace_ *in, const struct xt2_root *root)
{
	return (struct xt2_edits){ .cell_room = root->cells };
}

int xt2_inplace_record_(struct xt2_ruleset *rs, u64 generation, struct xt2_commit **record)
{
	*record = NULL;
	rs->inplace->recorded = 0;
	return 0;
}
