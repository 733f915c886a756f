/* SPDX-License-Identifier: GPL-2.0-or-later */
/* legacy-table.h - a table from the kernel's binary format; private to the library */
#ifndef XT2_LIBXT2_SOCKOPT_LEGACY_TABLE_H
#define XT2_LIBXT2_SOCKOPT_LEGACY_TABLE_H

#include "legacy-entries.h"

/* The counters of a table that was replaced, and where its owner wants them. */
struct xt2_replaced_ {
	struct xt2_count_ *count; /* to free() */
	u32 n;
	u64 to; /* the pointer from the blob */
};

/*
 * As xt2_table_read_replace().  @sets: as of struct xt2_sockopt_caller; @old: filled in on success; or NULL
 * => the table's number, or -errno
 */
int xt2_table_replace_(struct xt2_ruleset *rs, int family, int compat,
		       const struct xt2_sockopt_sets *sets, const void *blob, u64 len,
		       int keep_counters, struct xt2_replaced_ *old, struct xt2_err *err);

/*
 * As xt2_table_read_replace(), counters kept, of the kernel module's rules: an extension that changes,
 * remembers or does something is not the engine's.
 */
int xt2_table_read_for_module_(struct xt2_ruleset *rs, int family, const void *blob, u64 len,
			       struct xt2_err *err);

#endif
