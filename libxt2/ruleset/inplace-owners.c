/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inplace-owners.c - owners of chains in a ruleset that is edited in its image */
#include "config.h"
#include "inplace.h"

static int set_owner(struct xt2_inplace_ *in, u32 chain, u8 owner)
{
	const struct xt2_way *way = xt2_pages_get(&in->way, chain);
	struct xt2_way *own;

	if ((way ? way->owner : 0) == owner)
		return 0;
	own = xt2_pages_own(&in->way, chain);
	if (!own)
		return -ENOSPC;
	own->owner = owner;
	return 0;
}

int xt2_inplace_owners_anew_(struct xt2_inplace_ *in)
{
	u32 i;
	int ret = 0;

	for (i = 0; in->owned.count && i < in->root->chains && !ret; i++)
		ret = set_owner(in, i, xt2_owned_by(&in->owned, i));
	return ret;
}

/* The list of owners, if there is another one than before. */
static int write_owners(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	const u32 size = rs->owners ? xt2_owners_size(rs->owners) : 0;
	u32 offset;
	int ret = 0;

	if (!rs->owners || !rs->owners->count || (in->edits.owners && !rs->owners_new))
		return 0;
	if (in->trusted && in->edits.owners && in->owned.count)
		ret = xt2_space_retire(&in->space, in->edits.owners,
				       offsetof(struct xt2_owners, name) +
					       in->owned.count * (u64)XT2_NAME_SIZE);
	offset = ret ? 0 : xt2_space_alloc(&in->space, size);
	if (!offset)
		return ret ? ret : -ENOSPC;
	memcpy(xt2_at(in->img, offset), rs->owners, size);
	in->edits.owners = offset;
	return 0;
}

int xt2_inplace_owners_(struct xt2_ruleset *rs)
{
	struct xt2_inplace_ *in = rs->inplace;
	int ret = write_owners(rs);
	u32 i;

	for (i = 0; i < in->changes && !ret; i++) {
		const u32 chain = in->changed[i];

		if (rs->chain[chain].live)
			ret = set_owner(in, chain, rs->chain[chain].owner);
	}
	return ret;
}
