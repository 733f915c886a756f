/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-check.c - the kernel's checks of a SET_REPLACE, in its order
 *
 * Header; then one walk over the entries for their sizes and offsets, which
 * for a compat blob asks for the extensions at once, as the kernel does, and
 * is followed by what the kernel would find wrong with the converted table;
 * hooks; which hooks lead where, and loops; last the extensions of each rule.
 *
 * An entry is found by its offset in one step: entries have a smallest size,
 * and the bytes are divided into slots of it.  Nothing is copied or converted
 * as a whole, so a compat blob's offsets stay those of the blob.
 */
#include "translators/ebt/ebt.h"
#include <linux/netfilter_ipv6/ip6_tables.h>

/* --- header ----------------------------------------------------------------- */

static void header_read(struct xt2_legacy *l)
{
	const struct xt2_legacy_format_ *f = l->f;
	const u8 *h = l->blob;
	u32 i;

	legacy_header_read(l);
	for (i = 0; i < XT2_LEGACY_HOOKS; i++) {
		l->hook_entry[i] = l->underflow[i] = LEGACY_NONE;
		if (!(l->valid_hooks & 1u << i))
			continue;
		l->hook_entry[i] = legacy_u32(h + 44 + 4 * i);
		l->underflow[i] = legacy_u32(h + f->underflow + 4 * i);
	}
	l->counters = f->compat ? legacy_u32(h + f->counters) : xt2_raw64(h + f->counters);
}

/* The arrays that the kernel makes for so many entries. */
static int check_number(struct xt2_legacy *l)
{
	const char *what = "more entries than a table can have";

	if (!l->f->compat)
		return l->entries <= LEGACY_TABLE_MAX / 4
			       ? 0
			       : legacy_header_fault(l, -ENOMEM, 36, "num_entries", what);
	if (!l->entries)
		return legacy_header_fault(l, -EINVAL, 36, "num_entries",
					   "a table without entries");
	if (l->entries > 0x7fffffff / 8)
		return legacy_header_fault(l, -EINVAL, 36, "num_entries", what);
	if (l->entries > LEGACY_TABLE_MAX / 8)
		return legacy_header_fault(l, -ENOMEM, 36, "num_entries", what);
	return 0;
}

static int check_header(struct xt2_legacy *l, u64 len)
{
	const struct xt2_legacy_format_ *f = l->f;

	if (len < f->header)
		return legacy_header_fault(l, -EINVAL, 0, NULL, "shorter than its header");
	header_read(l);
	if (l->num_counters >= 0x7fffffff / 16)
		return legacy_header_fault(l, -ENOMEM, f->num_counters, "num_counters",
					   "more counters than a table can have");
	if (!l->num_counters)
		return legacy_header_fault(l, -EINVAL, f->num_counters, "num_counters",
					   "no room for the old counters");
	if (len < (u64)l->size + f->header)
		return legacy_header_fault(l, -EINVAL, 40, "size",
					   "shorter than header and entries");
	if (l->size >= LEGACY_TABLE_MAX - LEGACY_TABLE_INFO)
		return legacy_header_fault(l, -ENOMEM, 40, "size", "larger than a table can be");
	l->at = l->blob + f->header;
	return check_number(l);
}

/* --- one entry, its sizes and offsets ----------------------------------------- */

static bool verdict_ok(s32 verdict)
{
	return verdict > 0 || verdict == -1 || verdict == -2 || verdict == -4 ||
	       verdict == LEGACY_RETURN;
}

static int check_target(struct xt2_legacy *l, u32 pos, u32 offset, u32 next)
{
	const u8 *t = l->at + pos + offset;
	u32 size = legacy_u16(t);

	if (size < LEGACY_TARGET)
		return legacy_wrong(l, -EINVAL, pos, "target_size",
				    "target is shorter than its header");
	if (offset + size > next)
		return legacy_wrong(l, -EINVAL, pos, "target_size",
				    "target is longer than its entry");
	if (legacy_is_standard(t)) {
		if (legacy_align(offset + l->f->standard, l->f->align) != next)
			return legacy_wrong(l, -EINVAL, pos, "next_offset",
					    "entry does not end behind its standard target");
		if (!verdict_ok(legacy_verdict(t)))
			return legacy_wrong(l, -EINVAL, pos, "verdict", "not a verdict");
	} else if (legacy_is_error(t)) {
		if (size != LEGACY_ERROR)
			return legacy_wrong(l, -EINVAL, pos, "target_size",
					    "wrong size of an ERROR target");
		if (strnlen((const char *)t + LEGACY_TARGET, LEGACY_ERROR_NAME) ==
		    LEGACY_ERROR_NAME)
			return legacy_wrong(l, -EINVAL, pos, "errorname", "name is not terminated");
	}
	return 0;
}

static int check_matches(struct xt2_legacy *l, u32 pos, u32 end)
{
	u32 at = l->f->entry, size;

	for (; at < end; at += size) {
		if ((pos + at) % l->f->align)
			return legacy_wrong(l, -EINVAL, pos, "match_size", "match is not aligned");
		if (end - at < LEGACY_TARGET)
			return legacy_wrong(l, -EINVAL, pos, "match_size",
					    "no room for a match before the target");
		size = legacy_u16(l->at + pos + at);
		if (size < LEGACY_TARGET)
			return legacy_wrong(l, -EINVAL, pos, "match_size",
					    "match is shorter than its header");
		if (size > end - at)
			return legacy_wrong(l, -EINVAL, pos, "match_size",
					    "match runs into the target");
	}
	return 0;
}

static int check_flags(struct xt2_legacy *l, u32 pos)
{
	const struct legacy_base *b = l->f->base;
	const u8 *e = l->at + pos;

	if (e[b->flags] & ~b->flags_mask)
		return legacy_wrong(l, -EINVAL, pos, "flags", "unknown flag");
	if (legacy_inverted(b, e) & ~(u32)b->invflags_mask)
		return legacy_wrong(l, -EINVAL, pos, "invflags", "unknown flag");
	return 0;
}

static int check_sizes(struct xt2_legacy *l, u32 pos)
{
	const struct xt2_legacy_format_ *f = l->f;
	u32 next, target;
	int err;

	if (pos % f->align)
		return legacy_wrong(l, -EINVAL, pos, NULL, "entry is not aligned");
	if (l->size - pos <= f->entry)
		return legacy_wrong(l, -EINVAL, pos, NULL, "entry is cut off");
	next = legacy_next(f, l->at + pos);
	if (next > l->size - pos)
		return legacy_wrong(l, -EINVAL, pos, "next_offset", "entry ends behind the table");
	if (next < (u32)f->entry + LEGACY_TARGET)
		return legacy_wrong(l, -EINVAL, pos, "next_offset",
				    "entry has no room for a target");
	err = check_flags(l, pos);
	if (err)
		return err;
	target = legacy_u16(l->at + pos + f->target_offset);
	if (target < f->entry)
		return legacy_wrong(l, -EINVAL, pos, "target_offset",
				    "target is inside the entry's header");
	if (target + LEGACY_TARGET > next)
		return legacy_wrong(l, -EINVAL, pos, "target_offset",
				    "target is behind the entry's end");
	err = check_target(l, pos, target, next);
	return err ? err : check_matches(l, pos, target);
}

/* A policy: unconditional, ACCEPT or DROP. */
static bool policy_ok(const struct xt2_legacy *l, const u8 *e)
{
	const u8 *t = legacy_target(l->f, e);

	return legacy_unconditional(l->f, e) && legacy_is_standard(t) &&
	       (legacy_verdict(t) == -1 || legacy_verdict(t) == -2);
}

static int check_underflow(struct xt2_legacy *l, u32 pos)
{
	if (legacy_hook_of(l->underflow, pos) != XT2_HOOK_NONE && !policy_ok(l, l->at + pos))
		return legacy_wrong(l, -EINVAL, pos, "underflow",
				    "policy is not an unconditional ACCEPT or DROP");
	return 0;
}

/* --- extensions by name --------------------------------------------------------- */

/* => the row, or NULL and *err */
static const struct legacy_known *find(struct xt2_legacy *l, u32 pos, const u8 *ext, bool target,
				       u32 *index, int *err)
{
	const char *name = legacy_name(ext);
	const struct legacy_known *k;

	if (strnlen(name, LEGACY_NAME) == LEGACY_NAME) {
		*err = legacy_wrong(l, -EINVAL, pos, "name",
				    "name of an extension is not terminated");
		return NULL;
	}
	k = legacy_known_find(&l->cache, l->family, target, name, ext[LEGACY_REVISION], index, err);
	if (!k)
		*err = legacy_wrong(l, *err, pos, target ? "target" : "match",
				    "no such extension, or not in this revision");
	return k;
}

/* --- what a compat entry becomes -------------------------------------------------- */

/* How an entry would look in the native table. */
struct native {
	u32 matches; /* bytes that they grow by */
	u32 target; /* bytes that the target grows by */
	bool aligned;
};

/* Extensions are asked for here: compat_find_calc_match(). */
static int grow(struct xt2_legacy *l, u32 pos, struct native *n)
{
	const struct xt2_legacy_format_ *f = l->f;
	const u8 *e = l->at + pos;
	u32 end = legacy_u16(e + f->target_offset), at = f->entry, index;
	const struct legacy_known *k;
	int err = 0;

	n->matches = 0;
	n->aligned = true;
	for (; l->family != XT2_ARP && at < end; at += legacy_u16(e + at)) {
		k = find(l, pos, e + at, false, &index, &err);
		if (!k)
			return err;
		if ((at - f->entry + n->matches) % 8)
			n->aligned = false;
		n->matches += legacy_growth(k, true);
	}
	n->target = 40 - f->standard;
	if (legacy_is_standard(e + end) && !e[end + LEGACY_REVISION])
		return 0;
	k = find(l, pos, e + end, true, &index, &err);
	if (!k)
		return err;
	n->target = legacy_growth(k, true);
	return 0;
}

static int check_grown(struct xt2_legacy *l, u32 pos, u32 native, u32 growth,
		       const struct native *n)
{
	const struct xt2_legacy_format_ *f = l->f;
	const u8 *e = l->at + pos, *t = legacy_target(f, e);
	u32 more = f->native_entry - f->entry + n->matches;
	u32 offset = legacy_u16(e + f->target_offset) + more;
	u32 next = legacy_next(f, e) + more + n->target;

	if (native % 8)
		return legacy_wrong(l, -EINVAL, pos, NULL,
				    "entry would not be aligned in the native table");
	if (next > LEGACY_RULE_MAX)
		return legacy_wrong(l, -EINVAL, pos, "next_offset",
				    "entry grows past 65,535 bytes in the native table");
	/* The kernel puts the parts of an entry one after the other, and an ARP target first. */
	if (l->family == XT2_ARP && legacy_u16(e + f->target_offset) != f->entry)
		return legacy_wrong(
			l, -EINVAL, pos, "target_offset",
			"target would not be where it is looked for in the native table");
	if (legacy_u16(e + f->target_offset) + legacy_u16(t) != legacy_next(f, e) &&
	    pos + legacy_next(f, e) != l->size)
		return legacy_wrong(
			l, -EINVAL, pos, "next_offset",
			"next entry would not be where it is looked for in the native table");
	if (!n->aligned)
		return legacy_wrong(l, -EINVAL, pos, "match_size",
				    "match would not be aligned in the native table");
	if (!legacy_is_standard(t))
		return 0;
	if (legacy_align(offset + 40, 8) != next)
		return legacy_wrong(l, -EINVAL, pos, "next_offset",
				    "entry would not end behind its standard target");
	if (legacy_verdict(t) > 0 && (u32)legacy_verdict(t) >= l->size &&
	    (u32)legacy_verdict(t) + growth > 0x7fffffff)
		return legacy_wrong(l, -EINVAL, pos, "verdict",
				    "jump overflows in the native table");
	return 0;
}

/* The second walk: the converted table.  What it grows by is known now. */
static int check_native(struct xt2_legacy *l)
{
	u32 pos, native = 0, growth = l->native_size - l->size;
	struct native n;
	int err;

	if (l->native_size >= LEGACY_TABLE_MAX - LEGACY_TABLE_INFO)
		return legacy_header_fault(l, -ENOMEM, 40, "size", "native table is too large");
	for (pos = 0; pos < l->size; pos += legacy_next(l->f, l->at + pos)) {
		err = grow(l, pos, &n);
		if (!err)
			err = check_grown(l, pos, native, growth, &n);
		if (!err)
			err = check_underflow(l, pos);
		if (err)
			return err;
		native += legacy_next(l->f, l->at + pos) + l->f->native_entry - l->f->entry +
			  n.matches + n.target;
	}
	return 0;
}

/* --- walks --------------------------------------------------------------------- */

/* The first walk, which notes the entries.  => 0 or -errno */
static int check_entries(struct xt2_legacy *l, struct legacy_map *map)
{
	u32 pos, count = 0;
	u64 native = l->size;
	struct native n;
	int err;

	for (pos = 0; pos < l->size; pos += legacy_next(l->f, l->at + pos)) {
		err = check_sizes(l, pos);
		if (!err && l->compat)
			err = grow(l, pos, &n);
		else if (!err)
			err = check_underflow(l, pos);
		if (err)
			return err;
		if (l->compat) {
			native += l->f->native_entry - l->f->entry + n.matches + n.target;
			if (count == l->entries)
				return legacy_wrong(l, -EINVAL, pos, "num_entries",
						    "more entries than announced");
		}
		legacy_map_add(map, pos);
		count++;
	}
	if (count != l->entries)
		return legacy_header_fault(l, -EINVAL, 36, "num_entries",
					   "another number of entries than announced");
	l->native_size = native > 0xffffffff ? 0xffffffff : (u32)native;
	return l->compat ? check_native(l) : 0;
}

static int check_hooks(struct xt2_legacy *l)
{
	u32 h, last = LEGACY_NONE;

	for (h = 0; h < l->f->hooks; h++) {
		if (!(l->valid_hooks & 1u << h))
			continue;
		if (!legacy_entry_at(l, l->hook_entry[h]))
			return legacy_header_fault(l, -EINVAL, 44 + 4 * h, "hook_entry",
						   "not where an entry is");
		if (!legacy_entry_at(l, l->underflow[h]))
			return legacy_header_fault(l, -EINVAL, l->f->underflow + 4 * h, "underflow",
						   "not where an entry is");
		if (last != LEGACY_NONE && l->underflow[h] <= l->underflow[last])
			return legacy_header_fault(l, -EINVAL, l->f->underflow + 4 * h, "underflow",
						   "not behind the one of the hook before");
		if (last != LEGACY_NONE && l->hook_entry[h] <= l->hook_entry[last])
			return legacy_header_fault(l, -EINVAL, 44 + 4 * h, "hook_entry",
						   "not behind the one of the hook before");
		last = h;
	}
	/* There are places for five hooks of any family; those that ARP lacks are 0. */
	for (h = l->f->hooks; h < LEGACY_PLACES; h++) {
		if (!(legacy_u32(l->blob + 32) & 1u << h))
			continue;
		if (last != LEGACY_NONE)
			return legacy_header_fault(l, -EINVAL, 32, "valid_hooks", "no such hook");
		last = h;
	}
	return 0;
}

/* --- the extensions of a rule ------------------------------------------------------ */

static int check_extension(struct xt2_legacy *l, u32 pos, const u8 *ext, bool target,
			   struct legacy_rule *rule)
{
	const struct legacy_known *k;
	const char *what;
	u32 index;
	int err = 0;

	if (target && legacy_is_standard(ext) && !ext[LEGACY_REVISION] &&
	    legacy_u16(ext) == l->f->standard)
		return 0;
	k = find(l, pos, ext, target, &index, &err);
	if (!k)
		return err;
	what = (u32)legacy_u16(ext) - LEGACY_TARGET == legacy_payload(k, l->compat)
		       ? legacy_misplaced(l, rule, k)
		       : "wrong size of an extension's payload";
	if (what)
		return legacy_wrong(l, -EINVAL, pos, k->name, what);
	if (target && (legacy_is_standard(ext) || legacy_is_error(ext)))
		return 0;
	legacy_payload_in(k, l->compat, ext + LEGACY_TARGET, l->payload);
	rule->revision = k->revision;
	err = legacy_known_check(k, rule, l->payload);
	if (!err)
		err = legacy_check_payload(l, k, target, index);
	if (!err)
		return 0;
	legacy_wrong(l, err, pos, k->name, "the extension refuses these options");
	if (l->err && legacy_newer(k, l->payload))
		l->err->stricter = true;
	return err;
}

static int check_rule(struct xt2_legacy *l, const struct xt2_legacy_entry_ *entry)
{
	const struct legacy_base *b = l->f->base;
	u32 pos = entry->offset, at;
	const u8 *e = l->at + pos, *t = legacy_target(l->f, e);
	struct legacy_rule rule = {
		.family = l->family,
		.proto = b->proto ? legacy_u16(e + b->proto) : 0,
		.inv_proto = b->proto && e[b->invflags] & b->inv_proto,
		.flag_proto = l->family != XT2_IPV6 || e[b->flags] & IP6T_F_PROTO,
		.hooks = entry->hooks,
		.table = l->table,
		.base = e,
		.matches = e + l->f->entry,
		.matches_end = t,
		.compat = l->compat,
	};
	int err;

	for (at = l->f->entry; l->family != XT2_ARP && e + at < t; at += legacy_u16(e + at)) {
		err = check_extension(l, pos, e + at, false, &rule);
		if (err)
			return err;
	}
	return check_extension(l, pos, t, true, &rule);
}

static int check_rules(struct xt2_legacy *l)
{
	struct xt2_legacy_entry_ *e;
	u32 i;
	int err;

	legacy_map_for_each(e, i, l)
	{
		err = e->flags & LEGACY_ENTRY_PLAIN ? 0 : check_rule(l, e);
		if (err)
			return err;
	}
	return 0;
}

/* --- all of it --------------------------------------------------------------------- */

/* Scratch: an entry record for each slot, and as many chains and the base chains. */
static u64 slots_of(const struct xt2_legacy_format_ *f, u64 len)
{
	if (len > LEGACY_TABLE_MAX)
		len = LEGACY_TABLE_MAX;
	return len / legacy_slot_size(f) + 1;
}

u64 xt2_legacy_scratch(u8 family, bool compat, u64 len)
{
	const struct xt2_legacy_format_ *f = legacy_format_find(family, compat);

	if (!f)
		return 0;
	if (family == XT2_BRIDGE)
		return legacy_ebt_scratch(len);
	return slots_of(f, len) *
		       (sizeof(struct xt2_legacy_entry_) + sizeof(struct xt2_legacy_chain_)) +
	       XT2_LEGACY_HOOKS * sizeof(struct xt2_legacy_chain_);
}

static int check_table(struct xt2_legacy *l)
{
	struct legacy_map map = legacy_map_of(l);
	u32 loop;
	int err = check_entries(l, &map);

	if (err)
		return err;
	l->slots = map.slots;
	err = check_hooks(l);
	if (err)
		return err;
	loop = legacy_map_trace(&map);
	if (loop != LEGACY_NONE)
		return legacy_wrong(l, -ELOOP, loop, "verdict",
				    "chains loop, or a jump or the last rule leads nowhere");
	return check_rules(l);
}

/* => the errno that the kernel gives: what it found before in a bridge's table decides */
static int answer(const struct xt2_legacy *l, int err)
{
	if (!err)
		return 0;
	return l->fallback ? -EINVAL : l->lax ? -ENOENT : err;
}

int xt2_legacy_check(struct xt2_legacy *l, u8 family, bool compat, const void *blob, u64 len,
		     void *scratch, struct xt2_legacy_err *err)
{
	int ret;

	memset(l, 0, offsetof(struct xt2_legacy, payload));
	l->f = legacy_format_find(family, compat);
	if (!l->f)
		return -EAFNOSUPPORT;
	l->family = family;
	l->compat = compat;
	l->blob = blob;
	l->err = err;
	if (family == XT2_BRIDGE) {
		ret = legacy_ebt_check(l, len, scratch);
		l->err = NULL;
		return answer(l, ret);
	}
	l->entry = scratch;
	l->chain = (void *)(l->entry + slots_of(l->f, len));
	ret = check_header(l, len);
	if (!ret)
		ret = check_table(l);
	if (!ret)
		ret = legacy_chains_find(l);
	l->err = NULL;
	return ret;
}

int xt2_legacy_check_table(const struct xt2_legacy *l, u32 hooks, u32 entries,
			   struct xt2_legacy_err *err)
{
	static const struct xt2_legacy_err no_table = { .what = "no such table", .field = "name" };
	struct xt2_legacy_err e = { .field = "num_counters", .offset = l->f->num_counters };
	bool bridge = l->family == XT2_BRIDGE;
	int ret = 0;

	if (!bridge && l->num_counters > LEGACY_TABLE_MAX / 16) {
		ret = -ENOMEM;
		e.what = "more counters than a table can have";
	} else if (!hooks) {
		ret = -ENOENT;
		e = no_table;
	} else if (legacy_u32(l->blob + 32) != hooks) {
		ret = -EINVAL;
		e = (struct xt2_legacy_err){ "not the hooks of this table", "valid_hooks",
					     .offset = 32 };
	} else if (l->num_counters != entries && (l->num_counters || !bridge)) {
		ret = bridge ? -EINVAL : -EAGAIN;
		e.what = bridge ? "the table has another number of rules now"
				: "the table has another number of entries now";
	}
	if (err)
		*err = ret ? e : (struct xt2_legacy_err){ 0 };
	return answer(l, ret);
}
