/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-rules.c - what the kernel checks in a bridge's rule: ebt_check_entry()
 *
 * Flags, matches, watchers, target, in this order; of each extension that it
 * exists and what struct xt_match or xt_target says at its registration, then
 * its own check.
 */
#include "ebt.h"

/* => 0, or -errno as the row's checkentry function */
static int check_payload(struct xt2_legacy *l, const struct legacy_known *k,
			 const struct ebt_known *own, u32 index, const struct ebt_rule *rule,
			 const struct ebt_ext *x)
{
	struct legacy_rule r = {
		.family = XT2_BRIDGE,
		.hooks = rule->hooks,
		.table = rule->table,
		.base = (const u8 *)rule->e,
		.compat = l->compat,
		.revision = k->revision,
	};
	int err;

	if (k->size == EBT_ANY_SIZE)
		return own->check(rule, x->data,
				  x->size + (l->compat ? ebt_growth(k, x->size) : 0));
	ebt_payload_in(k, own, l->compat, x->data, l->payload);
	if (own)
		return own->check ? own->check(rule, (const u8 *)l->payload, k->size) : 0;
	err = legacy_known_check(k, &r, l->payload);
	return err ? err : legacy_check_payload(l, k, false, index);
}

/* xt_check_match(), xt_check_target() */
static int check_ext(struct xt2_legacy *l, u32 pos, const struct legacy_known *k,
		     const struct ebt_known *own, u32 index, const struct ebt_rule *rule,
		     const struct ebt_ext *x)
{
	u32 size = x->size + (l->compat ? ebt_growth(k, x->size) : 0);
	const char *what = legacy_misplaced(l, &(struct legacy_rule){ .hooks = rule->hooks }, k);
	int err;

	if (k->size != EBT_ANY_SIZE && size != legacy_native(k))
		return legacy_wrong(l, -EINVAL, pos, k->name,
				    "wrong size of an extension's payload");
	if (what)
		return legacy_wrong(l, -EINVAL, pos, k->name, what);
	err = check_payload(l, k, own, index, rule, x);
	return err ? legacy_wrong(l, err, pos, k->name, "the extension refuses these options") : 0;
}

static int check_found(struct xt2_legacy *l, u32 pos, const struct ebt_ext *x,
		       const struct ebt_rule *rule)
{
	const struct legacy_known *k;
	const struct ebt_known *own;
	u32 index = 0;
	int err;

	/* Of targets, the kernel looks at no revision but 0, and takes its own only. */
	k = ebt_find(l, x, x->target ? 0 : x->at[LEGACY_REVISION], &own, &index, &err);
	if (!k)
		return legacy_wrong(l, err, pos, "name", ebt_no_such);
	if (x->target && !own)
		return legacy_wrong(l, -ENOENT, pos, k->name, "target is not for bridges");
	return check_ext(l, pos, k, own, index, rule, x);
}

/* Matches, then watchers: they fill their part. */
static int check_part(struct xt2_legacy *l, u32 pos, u32 at, u32 end, bool watchers,
		      const struct ebt_rule *rule)
{
	u32 header = ebt_header(l->compat);
	struct ebt_ext x;
	int err;

	for (; at < end; at += header + x.size) {
		if (end - at < header)
			return legacy_wrong(l, -EINVAL, pos, ebt_part_field[watchers],
					    "no room for an extension");
		x = ebt_ext_at(l, pos + at, watchers);
		if (x.size > end - at - header)
			return legacy_wrong(l, -EINVAL, pos, "match_size",
					    "extension runs out of its part");
		err = check_found(l, pos, &x, rule);
		if (err)
			return err;
		if (watchers && ebt_is_standard(x.at))
			return legacy_stricter(l, pos, "name",
					       "a watcher that would crash the kernel");
	}
	return 0;
}

static int check_target(struct xt2_legacy *l, u32 pos, const struct ebt_rule *rule)
{
	const struct legacy_known *k;
	const struct ebt_known *own;
	u32 index = 0, gap, size;
	struct ebt_ext x;
	struct ebt_parts p;
	int err;

	ebt_parts_grow(l, pos, &p);
	gap = p.native[2] - p.native[1];
	x = ebt_ext_at(l, pos + p.end[1], true);
	k = ebt_find(l, &x, 0, &own, &index, &err);
	if (!k)
		return legacy_wrong(l, err, pos, "name", ebt_no_such);
	if (!own)
		return legacy_wrong(l, -ENOENT, pos, k->name, "target is not for bridges");
	size = x.size + (l->compat ? ebt_growth(k, x.size) : 0);
	if (!ebt_is_standard(x.at)) {
		if (size > gap - 40)
			return legacy_wrong(l, -EFAULT, pos, "target_size",
					    "target runs out of its rule");
	} else if (gap < EBT_STANDARD) {
		return legacy_wrong(l, -EFAULT, pos, "next_offset", "standard target is cut off");
	} else if (ebt_verdict_of(l, x.data) < -NUM_STANDARD_TARGETS) {
		return legacy_wrong(l, -EFAULT, pos, "verdict", "not a verdict");
	}
	return check_ext(l, pos, k, own, index, rule, &x);
}

static int check_rule(struct xt2_legacy *l, u32 pos, u8 hooks)
{
	struct ebt_entry e;
	const struct ebt_rule rule = { .e = &e, .table = l->table, .hooks = hooks };
	int err;

	memcpy(&e, l->at + pos, sizeof(e));
	if (e.bitmask & ~(u32)EBT_F_MASK)
		return legacy_wrong(l, -EINVAL, pos, "bitmask", "unknown flag");
	if (e.invflags & ~(u32)EBT_INV_MASK)
		return legacy_wrong(l, -EINVAL, pos, "invflags", "unknown flag");
	if (e.bitmask & EBT_NOPROTO && e.bitmask & EBT_802_3)
		return legacy_wrong(l, -EINVAL, pos, "bitmask",
				    "a length as protocol, and no protocol");
	err = check_part(l, pos, EBT_ENTRY, e.watchers_offset, false, &rule);
	if (!err)
		err = check_part(l, pos, e.watchers_offset, e.target_offset, true, &rule);
	return err ? err : check_target(l, pos, &rule);
}

/*
 * The hooks that lead to the rules of a chain, as the kernel sees them: what
 * stands before the last base chain's head is a base chain's to it.
 */
static u8 hooks_of(const struct xt2_legacy *l, u32 pos, u32 last_head, u8 hook,
		   const struct xt2_legacy_ebt_chain_ *user)
{
	return pos < last_head || !user ? (u8)(1u << hook | EBT_ON_BASE) : user->mask;
}

int ebt_check_rules(struct xt2_legacy *l)
{
	const struct xt2_legacy_ebt_chain_ *c, *user = NULL;
	u32 pos, last_head = 0, i;
	u8 hook = 0;
	int err;

	for (i = 0; i < NF_BR_NUMHOOKS; i++)
		if (l->hook_entry[i] != LEGACY_NONE)
			last_head = l->hook_entry[i];
	for (pos = 0; pos < l->size; pos += ebt_step(l->at + pos)) {
		if (legacy_u32(l->at + pos)) {
			err = check_rule(l, pos, hooks_of(l, pos, last_head, hook, user));
			if (err)
				return err;
			continue;
		}
		c = ebt_chain_at(l, pos);
		if (c->hook == XT2_HOOK_NONE)
			user = c;
		else
			hook = c->hook;
	}
	return 0;
}
