/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-chains.c - the chains of a checked table, found in one pass
 *
 * The kernel knows entries, hooks and jumps, and no chains.  Tools write base
 * chains from the hook's entry to the underflow, and user chains from an
 * ERROR entry with the name to the next one.  That is what is looked for here;
 * a chain without a tail of its own gets one, so that it ends as the kernel
 * would end it.  Entries that belong to no chain by this reading are refused,
 * though the kernel would take them: see doc/legacy.md.
 */
#include "legacy-format.h"

struct finder {
	struct xt2_legacy *l;
	struct xt2_legacy_chain_ *open; /* the chain of the entries that come */
	u32 last; /* offset of the last entry that was looked at */
};

static struct xt2_legacy_chain_ *base_chain(struct xt2_legacy *l, u8 hook)
{
	return &l->chain[__builtin_popcount(l->valid_hooks & ((1u << hook) - 1))];
}

/* The last entry of a user chain is its RETURN. */
static bool returns(const struct xt2_legacy *l, u32 pos)
{
	const u8 *e = l->at + pos, *t = legacy_target(l->f, e);

	return legacy_is_standard(t) && legacy_verdict(t) == LEGACY_RETURN &&
	       legacy_unconditional(l->f, e);
}

static bool decides(const struct xt2_legacy *l, u32 pos)
{
	const u8 *e = l->at + pos, *t = legacy_target(l->f, e);

	return legacy_is_standard(t) && legacy_verdict(t) < 0 && legacy_unconditional(l->f, e);
}

/* A user chain is over; next is the base chain that begins now, or NULL.  => 0, -EINVAL */
static int close_user(struct finder *f, const struct xt2_legacy_chain_ *next)
{
	struct xt2_legacy_chain_ *c = f->open;
	u32 number = next ? (u32)(next - f->l->chain) : LEGACY_NONE;

	f->open = NULL;
	if (!c || c->hook != XT2_HOOK_NONE)
		return 0;
	if (c->entries && returns(f->l, f->last)) {
		c->fall = LEGACY_TAIL;
	} else if (c->entries && decides(f->l, f->last)) {
		c->fall = LEGACY_ENDS;
	} else if (next && legacy_is_first(f->l, number)) {
		c->fall = LEGACY_DROPS;
		if (c->entries && legacy_entry_at(f->l, f->last)->hooks)
			return legacy_stricter(f->l, f->last, NULL,
					       "a chain runs into the first one");
	} else if (next) {
		c->fall = LEGACY_RUNS;
		c->next = number;
	} else {
		c->fall = LEGACY_DROPS;
	}
	return 0;
}

static int open_user(struct finder *f, u32 pos)
{
	struct xt2_legacy *l = f->l;
	const u8 *e = l->at + pos, *t = legacy_target(l->f, e);
	struct xt2_legacy_chain_ *c;

	if (f->open && f->open->hook != XT2_HOOK_NONE)
		return legacy_stricter(l, pos, "target",
				       "a base chain has no policy before this chain");
	if (legacy_hook_of(l->hook_entry, pos) != XT2_HOOK_NONE)
		return legacy_stricter(l, pos, "hook_entry",
				       "a base chain begins with an ERROR entry");
	if (!legacy_unconditional(l->f, e))
		return legacy_stricter(l, pos, NULL, "an ERROR entry has conditions");
	close_user(f, NULL); /* into no chain: cannot fail */
	if (pos + legacy_next(l->f, e) == l->size) /* the end of the table */
		return 0;
	if (!t[LEGACY_TARGET])
		return legacy_stricter(l, pos, "errorname", "a chain has no name");
	if (l->chains == XT2_CHAINS_MAX)
		return legacy_stricter(l, pos, NULL, "more chains than an image can have");
	c = f->open = &l->chain[l->chains++];
	memset(c, 0, sizeof(*c));
	c->head = pos;
	c->first = pos + legacy_next(l->f, e);
	c->hook = XT2_HOOK_NONE;
	return 0;
}

static int open_base(struct finder *f, u32 pos, u8 hook)
{
	struct xt2_legacy *l = f->l;
	struct xt2_legacy_chain_ *c = base_chain(l, hook);
	int err;

	if (f->open && f->open->hook != XT2_HOOK_NONE)
		return legacy_stricter(l, pos, "hook_entry", "a base chain begins inside another");
	err = close_user(f, c);
	if (err)
		return err;
	f->open = c;
	memset(c, 0, sizeof(*c));
	c->head = c->first = pos;
	c->hook = hook;
	return 0;
}

static int add_entry(struct finder *f, struct xt2_legacy_entry_ *e)
{
	struct xt2_legacy *l = f->l;
	struct xt2_legacy_chain_ *c;
	u32 pos = e->offset;
	u8 hook = legacy_hook_of(l->hook_entry, pos);
	int err = hook == XT2_HOOK_NONE ? 0 : open_base(f, pos, hook);

	if (err)
		return err;
	c = f->open;
	if (!c)
		return legacy_stricter(l, pos, NULL, "a rule belongs to no chain");
	if (e->flags & LEGACY_ENTRY_STRANGE)
		return legacy_stricter(l, pos, NULL, legacy_base_strange(l->f, l->at + pos));
	if (c->first == pos)
		e->chain = (u32)(c - l->chain);
	c->entries++;
	if (c->hook != XT2_HOOK_NONE && l->underflow[c->hook] == pos)
		f->open = NULL;
	return 0;
}

/*
 * A jump into the middle of a chain that something reaches: there is no chain
 * that it could name.  Where nothing leads, any target will do.
 */
static int check_jump(struct xt2_legacy *l, const struct xt2_legacy_entry_ *e)
{
	const struct xt2_legacy_entry_ *to;

	if (!(e->flags & LEGACY_ENTRY_JUMP) || !e->hooks)
		return 0;
	to = legacy_entry_at(l, (u32)legacy_verdict(legacy_target(l->f, l->at + e->offset)));
	if (!to || to->flags & LEGACY_ENTRY_ERROR)
		return 0;
	if (legacy_is_first(l, to->chain))
		return legacy_stricter(l, e->offset, "verdict", "a jump to the first chain");
	if (to->chain != LEGACY_NONE)
		return 0;
	return legacy_stricter(l, e->offset, "verdict", "a jump into the middle of a chain");
}

int legacy_chains_find(struct xt2_legacy *l)
{
	struct finder f = { .l = l };
	struct xt2_legacy_entry_ *e;
	u32 i;
	int err = 0;

	l->base_chains = l->chains = (u32)__builtin_popcount(l->valid_hooks);
	legacy_map_for_each(e, i, l)
	{
		err = e->flags & LEGACY_ENTRY_ERROR ? open_user(&f, e->offset) : add_entry(&f, e);
		if (err)
			return err;
		f.last = e->offset;
	}
	if (f.open && f.open->hook != XT2_HOOK_NONE)
		return legacy_stricter(l, f.open->first, "underflow",
				       "the policy is before its base chain");
	close_user(&f, NULL);
	legacy_map_for_each(e, i, l)
	{
		err = check_jump(l, e);
		if (err)
			return err;
	}
	return 0;
}
