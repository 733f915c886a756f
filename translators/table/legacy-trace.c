/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-trace.c - where entries are, and which hooks lead to them
 *
 * As mark_source_chains() in net/ipv4/netfilter/ip_tables.c: from each hook
 * along jumps and from rule to rule.  Rules that no hook leads to may loop,
 * jump to nowhere and run off the end of the table.
 */
#include "legacy-format.h"

static u8 flags_of(const struct xt2_legacy_format_ *f, const u8 *e, u32 following)
{
	const u8 *t = legacy_target(f, e);
	s32 verdict;
	u8 flags = 0;

	if (legacy_is_error(t))
		return LEGACY_ENTRY_ERROR;
	if (f->family != XT2_IPV6 && legacy_base_strange(f, e))
		flags = LEGACY_ENTRY_STRANGE;
	if (!legacy_is_standard(t))
		return flags;
	verdict = legacy_verdict(t);
	if (verdict < 0)
		flags |= LEGACY_ENTRY_DECIDES;
	else if ((u32)verdict != following)
		flags |= LEGACY_ENTRY_JUMP;
	if (legacy_u16(e + f->target_offset) == f->entry && !t[LEGACY_REVISION] &&
	    legacy_u16(t) == f->standard)
		flags |= LEGACY_ENTRY_PLAIN;
	return flags;
}

void legacy_map_add(struct legacy_map *m, u32 offset)
{
	const u8 *e = m->at + offset;
	u32 slot = offset / legacy_slot_size(m->f);

	while (m->slots < slot)
		m->entry[m->slots++].offset = LEGACY_NONE;
	m->entry[m->slots++] = (struct xt2_legacy_entry_){
		.offset = offset,
		.chain = LEGACY_NONE,
		.next = (u16)legacy_next(m->f, e),
		.flags = flags_of(m->f, e, offset + legacy_next(m->f, e)),
	};
}

/* The entry that follows.  => NULL: the end of the table */
static struct xt2_legacy_entry_ *next_of(struct legacy_map *m, struct xt2_legacy_entry_ *e)
{
	const struct xt2_legacy_entry_ *end = m->entry + m->slots;
	u32 offset = e->offset + e->next;

	do {
		if (++e == end)
			return NULL;
	} while (e->offset != offset);
	return e;
}

/* Where the trace goes on from e.  => NULL: nowhere that there is an entry */
static struct xt2_legacy_entry_ *ahead(struct legacy_map *m, struct xt2_legacy_entry_ *e)
{
	if (e->flags & LEGACY_ENTRY_JUMP)
		return legacy_map_at(m,
				     (u32)legacy_verdict(legacy_target(m->f, m->at + e->offset)));
	return next_of(m, e);
}

/* A rule that the kernel sees nothing get past. */
static bool ends(const struct legacy_map *m, const struct xt2_legacy_entry_ *e)
{
	return e->flags & LEGACY_ENTRY_DECIDES && legacy_unconditional(m->f, m->at + e->offset);
}

static u32 slot_of(const struct legacy_map *m, const struct xt2_legacy_entry_ *e)
{
	return (u32)(e - m->entry);
}

/*
 * From one hook.  Instead of recursion each entry on the way knows where the
 * way came from; every entry is gone through once.
 */
static u32 trace(struct legacy_map *m, u32 hook)
{
	struct xt2_legacy_entry_ *e = legacy_map_at(m, m->hook_entry[hook]), *from;
	const struct xt2_legacy_entry_ *old;
	u8 bit = (u8)(1 << hook);
	bool visited;

	e->back = slot_of(m, e);
	for (;;) {
		if (e->flags & LEGACY_ENTRY_PATH)
			return e->offset;
		visited = e->hooks & bit;
		e->hooks |= bit;
		e->flags |= LEGACY_ENTRY_PATH;
		if (visited || ends(m, e)) {
			/* Back to the last jump that was not a mere step. */
			do {
				e->flags &= (u8)~LEGACY_ENTRY_PATH;
				old = e;
				if (e->back == slot_of(m, e))
					return LEGACY_NONE;
				e = &m->entry[e->back];
			} while (old->offset == e->offset + e->next);
			from = e;
			e = next_of(m, e);
		} else {
			from = e;
			e = ahead(m, e);
		}
		if (!e)
			return from->offset;
		if (!(e->flags & LEGACY_ENTRY_PATH))
			e->back = slot_of(m, from);
	}
}

u32 legacy_map_trace(struct legacy_map *m)
{
	u32 h, loop;

	for (h = 0; h < m->f->hooks; h++) {
		if (!(m->valid_hooks & 1u << h))
			continue;
		loop = trace(m, h);
		if (loop != LEGACY_NONE)
			return loop;
	}
	return LEGACY_NONE;
}
