/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-entries.h - a table's entries as the kernel's sockopts see them; private to the library
 *
 * In the order in which they are written: of ipt, ip6t and arpt the rules of
 * each chain with its tail, the heads of user chains, and an end; of ebt only
 * the rules.
 */
#ifndef XT2_LIBXT2_SOCKOPT_LEGACY_ENTRIES_H
#define XT2_LIBXT2_SOCKOPT_LEGACY_ENTRIES_H

#include "libxt2/ruleset/ruleset.h"
#include "translators/table/legacy.h"
#include <xt2/sockopt.h>

/* struct xt_counters and struct ebt_counter of the kernel */
struct xt2_count_ {
	u64 packets, bytes;
};

/* Places for hooks in the headers of ipt, ip6t and arpt. */
#define XT2_ENTRIES_HOOKS(family) ((family) == XT2_ARP ? 3u : 5u)

/* How many entries a table has, and an initial one with these hooks. */
u32 xt2_entries_count_(const struct xt2_ruleset *rs, int table);
u32 xt2_entries_initial_(int family, u32 hooks);

/* The counters of all entries; heads and the end have none and give 0. */
void xt2_entries_counters_(const struct xt2_ruleset *rs, int table, struct xt2_count_ *to);

/*
 * Add to the counters of all entries; heads and the end don't keep what they
 * get.  => 1: something has changed; 0: all were zero; -ENOMEM
 */
int xt2_entries_add_(struct xt2_ruleset *rs, int table, const struct xt2_count_ *add);

/* What GET_INFO says of a table; ~0: places of hooks that it does not have. */
struct xt2_entries_ {
	u32 valid_hooks;
	u32 hook_entry[XT2_LEGACY_HOOKS];
	u32 underflow[XT2_LEGACY_HOOKS];
	u32 entries; /* their number */
	u64 size; /* bytes */
};

/*
 * xt2_entries_write_ - a table's entries in a legacy format
 * @e: filled in
 * @sets: as of struct xt2_sockopt_caller
 * @out: cap bytes, or NULL and 0
 * => 0; -ENOSPC: e->size bytes are needed, and nothing else is wrong; -ENOMEM,
 *    -ELOOP, -EOPNOTSUPP, -E2BIG, -EINVAL, -ENOENT: see err
 */
int xt2_entries_write_(const struct xt2_ruleset *rs, int table, int compat,
		       const struct xt2_sockopt_sets *sets, struct xt2_entries_ *e, void *out,
		       u64 cap, struct xt2_err *err);

#endif
