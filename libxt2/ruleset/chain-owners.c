/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain-owners.c - user chains that belong to somebody
 *
 * Owners are for programs that mean well and share a ruleset: none of them changes another's
 * chains unless it is forced to.  A change is carried out in any case, and noted; whoever
 * commits looks whether there was one, so that a transaction is refused as a whole.
 */
#include "config.h"
#include "libxt2/change/owners.h"
#include "inplace-calls.h"

#include <stdlib.h>

/* => the number of a name that is no chain's any more; 0: each is */
static u8 unused_name(const struct xt2_ruleset *rs)
{
	bool used[XT2_OWNERS_MAX + 1] = { false };
	u32 i;

	xt2_chains_know_(rs);
	for (i = 0; i < rs->chains; i++)
		if (rs->chain[i].live)
			used[rs->chain[i].owner] = true;
	for (i = 1; i <= rs->owners->count; i++)
		if (!used[i])
			return (u8)i;
	return 0;
}

int xt2_ruleset_act(struct xt2_ruleset *rs, const char *owner)
{
	u32 count;
	u8 number;

	rs->acting = 0;
	if (!owner)
		return 0;
	if (!rs->owners)
		rs->owners = calloc(1, sizeof(*rs->owners));
	if (!rs->owners)
		return -ENOMEM;
	count = rs->owners->count;
	number = xt2_owner_number(rs->owners, owner);
	if (number)
		rs->owners_new |= rs->owners->count != count;
	else if ((number = unused_name(rs))) {
		snprintf(rs->owners->name[number - 1], XT2_NAME_SIZE, "%s", owner);
		rs->owners_new = true;
	}
	rs->acting = number;
	return number ? 0 : -E2BIG;
}

const struct xt2_trespass *xt2_ruleset_trespass(const struct xt2_ruleset *rs)
{
	return *rs->trespass.owner ? &rs->trespass : NULL;
}

const char *xt2_chain_owner(const struct xt2_ruleset *rs, int chain)
{
	const struct xt2_chain_ *c = xt2_chain_get_(rs, chain);

	return c && c->owner ? rs->owners->name[c->owner - 1] : NULL;
}

void xt2_chain_trespass_(struct xt2_ruleset *rs, const struct xt2_chain_ *c)
{
	struct xt2_trespass *t = &rs->trespass;

	if (*t->owner)
		return;
	memcpy(t->table, rs->table[c->table].name, sizeof(t->table));
	memcpy(t->chain, c->name, sizeof(t->chain));
	memcpy(t->owner, rs->owners->name[c->owner - 1], sizeof(t->owner));
}

int xt2_owners_load_(struct xt2_ruleset *rs, const struct xt2_owned *from)
{
	if (!from->count)
		return 0;
	if (!rs->owners)
		rs->owners = calloc(1, sizeof(*rs->owners));
	if (!rs->owners)
		return -ENOMEM;
	xt2_owned_names(from, rs->owners);
	rs->owners_new = false;
	return 0;
}
