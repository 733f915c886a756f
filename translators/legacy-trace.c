/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-trace.c - where entries are, and which hooks lead to them
 *
 * As mark_source_chains() in net/ipv4/netfilter/ip_tables.c: from each hook
 * along jumps and from rule to rule.  Rules that no hook leads to may loop,
 * jump to nowhere and run off the end of the table.
 */
#include "legacy-format.h"

void legacy_map_note(struct legacy_map *m)
{
	struct xt2_legacy_entry_ *e;
	u32 i, pos;

	m->slots = m->size / legacy_slot_size(m->f) + 1;
	for (i = 0; i < m->slots; i++)
		m->entry[i].offset = LEGACY_NONE;
	for (pos = 0; pos < m->size; pos += legacy_next(m->f, m->at + pos)) {
		e = &m->entry[pos / legacy_slot_size(m->f)];
		memset(e, 0, sizeof(*e));
		e->offset = pos;
		e->chain = LEGACY_NONE;
		if (legacy_is_error(legacy_target(m->f, m->at + pos)))
			e->flags = LEGACY_ENTRY_ERROR;
	}
}

/* Behind an entry.  => NULL: the end of the table */
static struct xt2_legacy_entry_ *behind(struct legacy_map *m, const struct xt2_legacy_entry_ *e)
{
	return legacy_map_at(m, e->offset + legacy_next(m->f, m->at + e->offset));
}

/* Where the trace goes on from e.  => NULL: nowhere that there is an entry */
static struct xt2_legacy_entry_ *ahead(struct legacy_map *m, const struct xt2_legacy_entry_ *e)
{
	const u8 *t = legacy_target(m->f, m->at + e->offset);

	if (legacy_is_standard(t) && legacy_verdict(t) >= 0)
		return legacy_map_at(m, (u32)legacy_verdict(t));
	return behind(m, e);
}

/* A rule that the kernel sees nothing get past. */
static bool ends(const struct legacy_map *m, u32 pos)
{
	const u8 *t = legacy_target(m->f, m->at + pos);

	return legacy_is_standard(t) && legacy_verdict(t) < 0 &&
	       legacy_unconditional(m->f, m->at + pos);
}

/*
 * From one hook.  Instead of recursion each entry on the way knows where the
 * way came from; every entry is gone through once.
 */
static u32 trace(struct legacy_map *m, u32 hook)
{
	struct xt2_legacy_entry_ *e = legacy_map_at(m, m->hook_entry[hook]), *from;
	u8 bit = (u8)(1 << hook);
	bool visited;
	u32 old;

	e->back = e->offset;
	for (;;) {
		if (e->flags & LEGACY_ENTRY_PATH)
			return e->offset;
		visited = e->hooks & bit;
		e->hooks |= bit;
		e->flags |= LEGACY_ENTRY_PATH;
		if (visited || ends(m, e->offset)) {
			/* Back to the last jump that was not a mere step. */
			do {
				e->flags &= (u8)~LEGACY_ENTRY_PATH;
				old = e->offset;
				if (e->back == old)
					return LEGACY_NONE;
				e = legacy_map_at(m, e->back);
			} while (old == e->offset + legacy_next(m->f, m->at + e->offset));
			from = e;
			e = behind(m, e);
		} else {
			from = e;
			e = ahead(m, e);
		}
		if (!e)
			return from->offset;
		if (!(e->flags & LEGACY_ENTRY_PATH))
			e->back = from->offset;
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
