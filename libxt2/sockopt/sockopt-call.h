/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockopt-call.h - a call that is being answered; private to the library
 *
 * Handlers have the kernel's errnos and make its checks in its order.  A table
 * that a call brings into being goes again if the call fails.
 */
#ifndef XT2_LIBXT2_SOCKOPT_SOCKOPT_CALL_H
#define XT2_LIBXT2_SOCKOPT_SOCKOPT_CALL_H

#include "legacy-table.h"
#include "translators/table/legacy-format.h"
#include <xt2/sockopt.h>

struct xt2_call_ {
	struct xt2_ruleset *rs;
	const struct xt2_sockopt_caller *caller;
	struct xt2_err *err;
	u64 value;
	u32 len;
	int family;
	bool second; /* GET_REVISION_TARGET, not _MATCH; ebt: GET_INIT_* */
	bool added; /* a table, the last one */
};

/* Say what went wrong.  => -errnum */
int xt2_call_fail_(const struct xt2_call_ *call, int errnum, const char *what);

/* => -EINVAL: the length is not that of the option */
int xt2_call_length_(const struct xt2_call_ *call);

/* Copy from and to the caller's memory.  => 0, -EFAULT */
int xt2_call_read_(const struct xt2_call_ *call, void *to, u64 from, u64 size);
int xt2_call_write_(const struct xt2_call_ *call, u64 to, const void *from, u64 size);

/* The table of this name; it is made if it can be.  => number, -ENOENT, -ENOMEM */
int xt2_call_table_(struct xt2_call_ *call, const char *name);

/*
 * Replace a table, and write the counters of the old one to its owner; a failure to write
 * is not reported.  => 1, -errno
 */
int xt2_call_replace_(const struct xt2_call_ *call, int compat, const struct xt2_sockopt_sets *sets,
		      const void *blob, u64 len);

/* Write the entries of a table, which have this size.  => 0; -EAGAIN: they do not; -errno */
int xt2_call_entries_(const struct xt2_call_ *call, const struct xt2_ruleset *rs, int table,
		      int compat, const struct xt2_sockopt_sets *sets, u64 size, u64 to);

/* Handlers for ebt: sockopt-ebt.c.  => 0; 1: the ruleset has changed; -errno */
int xt2_ebt_info_(struct xt2_call_ *call);
int xt2_ebt_entries_(struct xt2_call_ *call);
int xt2_ebt_none_(struct xt2_call_ *call);
int xt2_ebt_replace_(struct xt2_call_ *call);
int xt2_ebt_add_(struct xt2_call_ *call);

#endif
