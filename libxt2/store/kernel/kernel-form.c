/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-form.c - a table as the kernel module has it
 *
 * The module leaves matches that change, remember or draw, and all targets, to the kernel's own: they are
 * carried there as iptables says them, and not packed as the engine evaluates them elsewhere.  Both
 * forms have iptables' binary table in common, by which one becomes the other.  The module's has the
 * kernel's numbers of ipsets, the other one their names.
 */
#include "config.h"
#include "kernel-form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xt2/sockopt.h>
#include "engine/index/search.h"
#include "libxt2/err.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/sockopt/legacy-table.h"
#include "libxt2/store/kernel-ipsets.h"

const struct xt2_index_limits xt2_kernel_plain = { .plain = ~0u, .single = true };

int xt2_kernel_form(const struct xt2_ruleset *rs, int table, struct xt2_mapping *map,
		    struct xt2_err *err)
{
	const int family = xt2_table_family(rs, table);
	struct xt2_ruleset *formed;
	void *blob;
	size_t len;
	int ret;

	if (family == XT2_BRIDGE)
		return xt2_err_set(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
				   "table %s: the kernel module has no tables of bridges",
				   xt2_table_name(rs, table));
	ret = xt2_table_write_replace(rs, table, 0, &xt2_kernel_ipsets, &blob, &len, err);
	if (ret)
		return ret;
	formed = xt2_ruleset_new();
	ret = formed ? xt2_table_read_for_module_(formed, family, blob, len, err)
		     : xt2_err_no_memory(err, " for a table");
	if (ret >= 0)
		ret = xt2_ruleset_write_(formed, &xt2_kernel_plain, map, err);
	xt2_ruleset_free(formed);
	free(blob);
	return ret;
}

int xt2_kernel_unform(struct xt2_ruleset *rs, const struct xt2_mapping *map, struct xt2_err *err)
{
	struct xt2_ruleset *formed = xt2_ruleset_new();
	void *blob = NULL;
	size_t len;
	int ret = formed ? xt2_ruleset_load(formed, map->image, map->size) : -ENOMEM;

	if (ret)
		xt2_err_set(err, XT2_E_SYSTEM, -ret, "a table of the kernel: %s", strerror(-ret));
	else
		ret = xt2_table_write_replace(formed, 0, 0, NULL, &blob, &len, err);
	if (!ret)
		ret = xt2_table_replace_(rs, xt2_table_family(formed, 0), 0, &xt2_kernel_ipsets,
					 blob, len, 1, NULL, err);
	free(blob);
	xt2_ruleset_free(formed);
	return ret < 0 ? ret : 0;
}
