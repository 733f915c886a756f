/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - facts about well-formed rules
 *
 * How a rule directs the way through the chains, and the order of hook entries.
 * xt2_check_rule() in check.h says whether a rule is well-formed.
 */
#ifndef XT2_ENGINE_RULE_H
#define XT2_ENGINE_RULE_H

#include "check.h"

/* => number of hooks of a family; 0: no such family */
static inline u32 xt2_family_hooks(u8 family)
{
	switch (family) {
	case XT2_IPV4:
	case XT2_IPV6: return XT2_POSTROUTING + 1;
	case XT2_ARP: return XT2_ARP_FORWARD + 1;
	case XT2_BRIDGE: return XT2_BROUTING + 1;
	}
	return 0;
}

/*
 * xt2_rule_is_tail - may a well-formed rule end a chain?
 * @base: the chain is a base chain
 * => true if it is the policy of a base chain or the RETURN of a user chain;
 *    user chains of bridge tables may have any of these
 */
bool xt2_rule_is_tail(const struct xt2_rule __img *r, u8 family, bool base);

/* The order of hook entries: the entries of one hook are adjacent.  => true: a comes before b */
static inline bool xt2_hook_before(const struct xt2_hook __img *a, const struct xt2_hook __img *b)
{
	if (a->family != b->family)
		return a->family < b->family;
	if (a->hook != b->hook)
		return a->hook < b->hook;
	if (a->priority != b->priority)
		return a->priority < b->priority;
	return a->table < b->table;
}

/* => true if the rule goes to another chain */
static inline bool xt2_rule_branches(const struct xt2_rule __img *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);

	return kind == XT2_T_JUMP || kind == XT2_T_GOTO;
}

/*
 * xt2_rule_ends - does evaluation never get past this rule?
 *
 * As mark_source_chains() of net/ipv4/netfilter/ip_tables.c sees it: a rule
 * without conditions whose target is a plain verdict or RETURN.  A goto and
 * an extension that always decides do not count, there as here.
 */
static inline bool xt2_rule_ends(const struct xt2_rule __img *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);

	return r->target_offset == sizeof(*r) && (kind == XT2_T_ACCEPT || kind == XT2_T_DROP ||
						  kind == XT2_T_RETURN || kind == XT2_T_QUEUE);
}

#endif
