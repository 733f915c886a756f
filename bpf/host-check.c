/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host-check.c - which rules a BPF netfilter program can carry out
 *
 * It sees packets of IPv4 and IPv6 at five hooks, and answers accept or drop.
 * Nothing that a rule says is left out: what can't be done is refused by name.
 */
#include "host-private.h"

#include <string.h>

static const char *const tables[XT2_PROGRAMS] = {
	[XT2_RAW] = "raw",
	[XT2_MANGLE] = "mangle",
	[XT2_FILTER] = "filter",
	[XT2_SECURITY] = "security",
};

int xt2_live_table_(const char *name)
{
	int i;

	for (i = 0; i < XT2_PROGRAMS; i++)
		if (!strcmp(tables[i], name))
			return i;
	return -1;
}

const char *xt2_live_table_name_(u32 table)
{
	return tables[table];
}

/* => the name of what can't be done, or NULL */
static const char *refused(const struct xt2_rule *r)
{
	const u32 never = XT2_EXT_NATIVE | XT2_EXT_FOREIGN;
	u8 kind = XT2_TARGET_KIND(r->target);
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r) {
		if (xt2_match_info(m->type) & never)
			return xt2_match_name(m->type);
	}
	if (kind == XT2_T_QUEUE || kind == XT2_T_NAT || xt2_target_info(kind) & never)
		return xt2_target_name(kind);
	return NULL;
}

static int refuse_rule(const struct xt2_image *img, const struct xt2_root *root,
		       const struct xt2_chain *c, const struct xt2_rule *r, struct xt2_err *err)
{
	return xt2_err_set_(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
			    "table %s, chain %s, rule %u: a BPF program cannot do %s",
			    xt2_image_table(img, root, c->table)->name,
			    xt2_image_chain_cold(img, root, c->index)->name, xt2_rule_number(c, r),
			    refused(r));
}

static int check_tables(const struct xt2_image *img, const struct xt2_root *root,
			unsigned int *used, struct xt2_err *err)
{
	const struct xt2_table *t;
	u32 i;

	xt2_image_for_each_table(t, i, img, root) {
		int which = xt2_live_table_(t->name);

		if ((t->family != XT2_IPV4 && t->family != XT2_IPV6) || which < 0)
			return xt2_err_set_(err, XT2_E_UNSUPPORTED, EOPNOTSUPP,
					    "table %s of %s: a BPF program cannot be this table",
					    t->name, xt2_family_name(t->family));
		*used |= 1u << which;
	}
	return 0;
}

int xt2_live_check(const struct xt2_image *img, unsigned int *used, struct xt2_err *err)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	unsigned int which = 0;
	int ret;
	u32 i;

	if (!root)
		return xt2_err_set_(err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "there is no ruleset");
	ret = check_tables(img, root, &which, err);
	if (ret)
		return ret;
	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each_rule(r, c) {
			if (refused(r))
				return refuse_rule(img, root, c, r, err);
		}
	}
	if (used)
		*used = which;
	return 0;
}

/* What a target asks for. */
static u32 target_need(const struct xt2_rule *r)
{
	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_LOG:
	case XT2_T_NFLOG: return XT2_NEED_LOG;
	}
	return 0;
}

/* What a match asks for. */
static u32 need(const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_IN:
	case XT2_M_OUT:
	case XT2_M_IN_MASK:
	case XT2_M_OUT_MASK: return XT2_NEED_NAMES;
	case XT2_M_DEVGROUP: return XT2_NEED_GROUPS;
	case XT2_M_PKTTYPE: return XT2_NEED_TYPE;
	case XT2_M_LIMIT: return XT2_NEED_CLOCK;
	case XT2_M_TIME: return XT2_NEED_DATE;
	case XT2_M_MAC:
	case XT2_M_EUI64: return XT2_NEED_ETHER;
	case XT2_M_STATISTIC: return XT2_NEED_RANDOM;
	/* Offsets from the rule, chains of headers, options of any length. */
	case XT2_M_U32:
	case XT2_M_IPV6HEADER:
	case XT2_M_DCCP:
	case XT2_M_SCTP: return XT2_NEED_BYTES;
	}
	return xt2_live_need_tracking_(m);
}

u32 xt2_live_needs_(const struct xt2_image *img)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	const struct xt2_match *m;
	const struct xt2_rule *r;
	u32 i, needs = 0;

	xt2_image_for_each_chain(c, i, img, root) {
		xt2_chain_for_each_rule(r, c) {
			xt2_rule_for_each_match(m, r)
				needs |= need(m);
			needs |= target_need(r);
		}
	}
	return needs;
}
