/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-size.c - the parts of a bridge's rule, and what they grow by
 *
 * Follows size_entry_mwt() and what it calls in net/bridge/netfilter/ebtables.c:
 * the kernel converts a 32-bit program's blob before it checks anything else,
 * and asks for the extensions by name while it does so.
 */
#include "ebt.h"

/* --- extensions by name ---------------------------------------------------------- */

static bool name_ok(const u8 *ext)
{
	return strnlen((const char *)ext, EBT_NAME) < EBT_NAME;
}

struct ebt_ext ebt_ext_at(const struct xt2_legacy *l, u32 pos, bool target)
{
	const u8 *at = l->at + pos;

	return (struct ebt_ext){
		.at = at,
		.data = at + ebt_header(l->compat),
		.size = legacy_u32(at + 32),
		.target = target,
	};
}

/*
 * Tools leave the revision of a standard target as malloc() gave it.  The
 * kernel ignores it, but for a 32-bit program's; we ignore it there, too, if
 * nothing else is wrong.
 */
static u8 revision_of(const struct ebt_ext *x)
{
	return x->target && ebt_is_standard(x->at) ? 0 : x->at[LEGACY_REVISION];
}

const struct legacy_known *ebt_find(struct xt2_legacy *l, const struct ebt_ext *x, u8 revision,
				    const struct ebt_known **own, u32 *index, int *err)
{
	*err = -EINVAL;
	if (!name_ok(x->at))
		return NULL;
	return ebt_known_find(&l->cache, x->target, (const char *)x->at, revision, own, index, err);
}

const char ebt_no_such[] = "no such extension, or not in this revision";

/* --- what a compat entry becomes --------------------------------------------------- */

const char *const ebt_part_field[] = { "watchers_offset", "target_offset", "next_offset" };

void ebt_parts_read(const struct xt2_legacy *l, u32 pos, struct ebt_parts *p)
{
	u32 i;

	for (i = 0; i < 3; i++)
		p->end[i] = p->native[i] = legacy_u32(
			l->at + pos + offsetof(struct ebt_entry, watchers_offset) + 4 * i);
}

/* Bytes that the extensions of one part grow by; they are sound. */
static u32 part_growth(struct xt2_legacy *l, u32 at, u32 end, bool target)
{
	const struct legacy_known *k;
	const struct ebt_known *own;
	struct ebt_ext x;
	u32 grown = 0, index;
	int err;

	for (; at < end; at += ebt_header(true) + x.size) {
		x = ebt_ext_at(l, at, target);
		k = ebt_find(l, &x, revision_of(&x), &own, &index, &err);
		grown += 4 + (k ? ebt_growth(k, x.size) : 0);
	}
	return grown;
}

void ebt_parts_grow(struct xt2_legacy *l, u32 pos, struct ebt_parts *p)
{
	u32 at = EBT_ENTRY, grown = 0, i;

	ebt_parts_read(l, pos, p);
	for (i = 0; l->compat && i < 3; at = p->end[i++]) {
		grown += part_growth(l, pos + at, pos + p->end[i], i > 0);
		p->native[i] += grown;
	}
}

/* The walk that only compat blobs get: size_entry_mwt() and below. */
struct sizes {
	u64 native; /* bytes of the table so far, in the kernel's copy */
	u64 longest; /* where the longest structure would end that the kernel pads */
	u32 entries;
};

static int size_ext(struct xt2_legacy *l, u32 pos, u32 at, u32 left, bool target, struct sizes *s)
{
	const struct legacy_known *k;
	const struct ebt_known *own;
	struct ebt_ext x;
	u32 index;
	int err;

	if (left < ebt_header(true))
		return legacy_wrong(l, -EINVAL, pos, ebt_part_field[target],
				    "no room for an extension");
	x = ebt_ext_at(l, at, target);
	if (x.size > left - ebt_header(true))
		return legacy_wrong(l, -EINVAL, pos, "match_size",
				    "extension runs out of its part");
	if (revision_of(&x) != x.at[LEGACY_REVISION])
		l->lax = true;
	k = ebt_find(l, &x, revision_of(&x), &own, &index, &err);
	if (!k)
		return legacy_wrong(l, err, pos, "name", ebt_no_such);
	if (k->size != EBT_ANY_SIZE && x.size < (k->compat ? k->compat : k->size))
		return legacy_wrong(l, -EINVAL, pos, k->name,
				    "payload of an extension is too short");
	s->native += 40;
	if (k->size != EBT_ANY_SIZE && k->size % 8 && s->native + legacy_native(k) > s->longest)
		s->longest = s->native + legacy_native(k);
	s->native += (u64)x.size + ebt_growth(k, x.size);
	return 0;
}

static int size_part(struct xt2_legacy *l, u32 pos, u32 at, u32 end, bool target, struct sizes *s)
{
	int err;

	for (; at < end; at += ebt_header(true) + legacy_u32(l->at + at + 32)) {
		err = size_ext(l, pos, at, end - at, target, s);
		if (err)
			return err;
	}
	return 0;
}

static int size_entry(struct xt2_legacy *l, u32 pos, struct sizes *s)
{
	u32 left = l->size - pos, at = EBT_ENTRY, i;
	struct ebt_parts p;
	int err;

	if (left < EBT_ENTRY)
		return legacy_wrong(l, -EINVAL, pos, NULL, "rule is cut off");
	ebt_parts_read(l, pos, &p);
	if (p.end[2] < EBT_ENTRY)
		return legacy_wrong(l, -EINVAL, pos, "next_offset", "rule ends inside its header");
	if (left == EBT_ENTRY)
		return legacy_wrong(l, -EINVAL, pos, NULL, "rule has no room for a target");
	for (i = 0; i < 3; at = p.end[i++])
		if (p.end[i] > left || (i < 2 && p.end[i] == left) || at > p.end[i])
			return legacy_wrong(l, -EINVAL, pos, ebt_part_field[i],
					    "parts of a rule are not in order");
	s->native += EBT_ENTRY;
	for (i = 0, at = EBT_ENTRY; i < 3; at = p.end[i++]) {
		err = size_part(l, pos, pos + at, pos + p.end[i], i > 0, s);
		if (err)
			return err;
	}
	if (s->entries++ == l->entries + NF_BR_NUMHOOKS)
		return legacy_wrong(l, -EINVAL, pos, "nentries", "more rules than announced");
	return 0;
}

int ebt_size_table(struct xt2_legacy *l)
{
	struct sizes s = { 0 };
	u32 pos;
	int err;

	for (pos = 0; pos < l->size; pos += ebt_step(l->at + pos)) {
		if (l->size - pos < EBT_HEAD)
			return legacy_wrong(l, -EINVAL, pos, NULL, "chain is cut off");
		if (!legacy_u32(l->at + pos)) {
			s.native += EBT_HEAD;
			continue;
		}
		err = size_entry(l, pos, &s);
		if (err)
			return err;
	}
	if (s.longest > s.native || s.native > 0xffffffff)
		return legacy_header_fault(l, -EINVAL, EBT_SIZE_FIELD, "entries_size",
					   "an extension would not fit into the native table");
	l->native_size = (u32)s.native;
	return 0;
}
