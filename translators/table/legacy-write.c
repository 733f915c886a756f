/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-write.c - chains and rules into the kernel's format
 *
 * One walk writes the entries.  A jump's place is known when its chain has
 * been written, so until the end such an entry holds the chain's number, and a
 * mark in comefrom, which is filled in last.  Without room everything is done
 * the same way but for the bytes, so the size is known and every error found.
 */
#include "translators/ebt/ebt.h"
#include <linux/netfilter_arp/arp_tables.h>

#define MARK_JUMP 1

int xt2_legacy_write_begin(struct xt2_legacy_writer *w, u8 family, bool compat, void *out, u64 cap,
			   u32 *place, u32 chains,
			   const struct xt2_instance *(*instance)(void *data, u32 number),
			   void *data)
{
	u32 i;

	memset(w, 0, offsetof(struct xt2_legacy_writer, payload));
	w->f = legacy_format_find(family, compat);
	if (!w->f)
		return w->error = -EAFNOSUPPORT;
	w->out = out;
	w->cap = cap;
	w->place = place;
	w->chains = chains;
	w->instance = instance;
	w->data = data;
	for (i = 0; i < chains; i++)
		place[i] = LEGACY_NONE;
	for (i = 0; i < XT2_LEGACY_HOOKS; i++)
		w->hook_entry[i] = w->underflow[i] = LEGACY_NONE;
	return 0;
}

/* --- parts of an entry ---------------------------------------------------------- */

/* An entry that is being written, from its start. */
struct entry {
	struct xt2_legacy_writer *w;
	u64 start;
	u32 len;
	u32 seen; /* base tests */
	u8 *base; /* the entry's header: in its place, or in room if that is not there */
	u8 room[192];
};

/* => -EOPNOTSUPP, or an earlier error */
static int unsayable(struct entry *n, const char *what)
{
	return legacy_write_fail(n->w, -EOPNOTSUPP, what);
}

_Static_assert(sizeof(((struct entry *)0)->room) >= sizeof(struct arpt_entry), "largest header");

/* An extension: its header, then the payload of k's size at w->payload. */
static int put_extension(struct entry *n, const struct legacy_known *k)
{
	u32 size = LEGACY_TARGET + legacy_payload(k, n->w->f->compat);
	u8 *to = legacy_write_reserve(n->w, n->start + n->len, size);

	n->len += size;
	if (n->len > LEGACY_RULE_MAX)
		return legacy_write_fail(n->w, -E2BIG,
					 "rule takes more than 65,535 bytes in the legacy format");
	if (!to)
		return 0;
	legacy_put16(to, size);
	memcpy(to + 2, k->name, strnlen(k->name, LEGACY_NAME - 1));
	to[LEGACY_REVISION] = k->revision;
	legacy_payload_out(k, n->w->f->compat, n->w->payload, to + LEGACY_TARGET);
	return 0;
}

static const struct legacy_known *known(struct entry *n, bool target, const char *name, u8 revision)
{
	u32 index;
	int err;
	const struct legacy_known *k = legacy_known_find(&n->w->cache, n->w->f->family, target,
							 name, revision, &index, &err);

	if (!k)
		unsayable(n, "an extension that the kernel does not have");
	return k;
}

static int put_known(struct entry *n, bool target, const char *name, u8 revision)
{
	const struct legacy_known *k = known(n, target, name, revision);

	return k ? put_extension(n, k) : n->w->error;
}

/*
 * A carried extension.  A payload with ipsets is followed by their names, unless a
 * caller who knows a kernel's numbers has put those in their place; without
 * the right numbers the kernel would use other sets.
 */
static int put_instance(struct entry *n, u8 kind, u32 number)
{
	const struct xt2_instance *in = n->w->instance(n->w->data, number);
	const struct legacy_known *k;

	if (!in || in->kind != kind)
		return legacy_write_fail(n->w, -EINVAL, "rule names an instance that is not there");
	k = known(n, kind == XT2_INSTANCE_TARGET,
		  kind == XT2_INSTANCE_COMMENT ? "comment" : in->name, in->revision);
	if (!k)
		return n->w->error;
	if (kind == XT2_INSTANCE_COMMENT ? in->size > k->size : in->size < legacy_native(k))
		return unsayable(n, "an instance is not as long as its extension's payload");
	if (kind != XT2_INSTANCE_COMMENT && in->size > legacy_native(k))
		return unsayable(n, "it names an ipset, whose number only the kernel knows");
	memset(n->w->payload, 0, legacy_native(k));
	memcpy(n->w->payload, in + 1, in->size < legacy_native(k) ? in->size : legacy_native(k));
	return put_extension(n, k);
}

static int put_match(struct entry *n, const struct xt2_match *m)
{
	const struct xt2_row *row;
	int ret;

	if (m->type < XT2_M_TCP) {
		if (n->len != n->w->f->entry)
			return unsayable(n, "a base test behind an extension");
		ret = legacy_base_unpack(n->w->f, m, n->base, &n->seen);
		return ret ? legacy_write_fail(n->w, ret,
					       "a base test has no place in the legacy format")
			   : 0;
	}
	if (n->w->f->family == XT2_ARP)
		return unsayable(n, "ARP rules have no matches in the legacy format");
	if (m->type == XT2_M_COMMENT || m->type == XT2_M_FOREIGN)
		return put_instance(
			n, m->type == XT2_M_COMMENT ? XT2_INSTANCE_COMMENT : XT2_INSTANCE_MATCH,
			m->arg);
	ret = xt2_match_unpack(n->w->f->family, m, &row, n->w->payload, sizeof(n->w->payload));
	if (ret < 0)
		return unsayable(n, "a match has no legacy form");
	return put_known(n, false, row->name, row->revision);
}

static int put_standard(struct entry *n, const struct xt2_rule *r, s32 verdict)
{
	const struct xt2_legacy_format_ *f = n->w->f;
	u8 kind = XT2_TARGET_KIND(r->target), *to;

	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO) {
		if ((u32)verdict >= n->w->chains)
			return legacy_write_fail(n->w, -EINVAL,
						 "rule names a chain that is not there");
		n->base[f->comefrom] = MARK_JUMP;
	}
	if (kind == XT2_T_GOTO && !f->base->f_goto)
		return unsayable(n, "ARP rules cannot go to a chain, only jump");
	if (kind == XT2_T_GOTO)
		n->base[f->base->flags] |= f->base->f_goto;
	to = legacy_write_reserve(n->w, n->start + n->len, f->standard);
	if (to) {
		legacy_put16(to, f->standard);
		legacy_put32(to + LEGACY_TARGET, (u32)verdict);
	}
	n->len += f->standard;
	return 0;
}

static int put_target(struct entry *n, const struct xt2_rule *r)
{
	const struct xt2_row *row;
	u8 kind = XT2_TARGET_KIND(r->target);
	s32 verdict = legacy_verdict_of(n->w->f, kind);

	if (verdict)
		return put_standard(n, r, verdict);
	if (kind == XT2_T_CONTINUE)
		return put_standard(n, r, (s32)(n->start + n->len + n->w->f->standard));
	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO)
		return put_standard(n, r, (s32)XT2_TARGET_ARG(r->target));
	if (kind == XT2_T_FOREIGN || kind == XT2_T_NAT)
		return put_instance(n, XT2_INSTANCE_TARGET, XT2_TARGET_ARG(r->target));
	if (xt2_target_unpack(n->w->f->family, r, &row, n->w->payload, sizeof(n->w->payload)) < 0)
		return unsayable(n, "a target has no legacy form");
	return put_known(n, true, row->name, row->revision);
}

/* Behind the last part: the header, which knows the length now. */
static int put_header(struct entry *n, u32 target_offset)
{
	struct xt2_legacy_writer *w = n->w;

	if (n->len > LEGACY_RULE_MAX)
		return legacy_write_fail(w, -E2BIG,
					 "rule takes more than 65,535 bytes in the legacy format");
	legacy_put16(n->base + w->f->target_offset, target_offset);
	legacy_put16(n->base + w->f->next_offset, n->len);
	w->last = (u32)n->start;
	w->size = n->start + n->len;
	w->entries++;
	if (w->size >= LEGACY_TABLE_MAX - LEGACY_TABLE_INFO)
		return legacy_write_fail(w, -E2BIG, "a larger table than the kernel takes");
	return 0;
}

static void entry_begin(struct entry *n, struct xt2_legacy_writer *w)
{
	n->w = w;
	n->start = w->size;
	n->len = w->f->entry;
	n->seen = 0;
	n->base = legacy_write_reserve(w, n->start, w->f->entry);
	if (!n->base)
		n->base = memset(n->room, 0, sizeof(n->room));
}

static int put_error(struct xt2_legacy_writer *w, const char *name)
{
	struct entry n;
	u8 *to;

	entry_begin(&n, w);
	to = legacy_write_reserve(w, n.start + n.len, LEGACY_ERROR);
	if (to) {
		legacy_put16(to, LEGACY_ERROR);
		memcpy(to + 2, "ERROR", sizeof("ERROR"));
		memcpy(to + LEGACY_TARGET, name, strnlen(name, LEGACY_ERROR_NAME - 1));
	}
	n.len += LEGACY_ERROR;
	return put_header(&n, w->f->entry);
}

/* --- chains, rules, the end -------------------------------------------------------- */

static int close_chain(struct xt2_legacy_writer *w)
{
	if (!w->open)
		return 0;
	w->open = false;
	if (w->last == LEGACY_NONE)
		return legacy_write_fail(w, -EINVAL, "a chain without its tail");
	if (w->hook != XT2_HOOK_NONE)
		w->underflow[w->hook] = w->last;
	return 0;
}

int xt2_legacy_write_chain(struct xt2_legacy_writer *w, u32 number, u8 hook, const char *name)
{
	bool bridge;
	u32 most;

	if (w->error)
		return w->error;
	bridge = w->f->family == XT2_BRIDGE;
	if (bridge ? ebt_close_chain(w) : close_chain(w))
		return w->error;
	if (number >= w->chains || w->place[number] != LEGACY_NONE)
		return legacy_write_fail(w, -EINVAL,
					 "two chains of one number, or none of that number");
	if (hook == XT2_HOOK_NONE) {
		most = bridge ? XT2_NAME_SIZE : LEGACY_ERROR_NAME;
		if (strnlen(name, most) == most || !*name)
			return legacy_write_fail(w, -EINVAL,
						 bridge ? "a chain's name has 1 to 31 bytes"
							: "a chain's name has 1 to 29 bytes");
		if (!bridge && put_error(w, name))
			return w->error;
	} else {
		if (hook >= w->f->hooks || w->valid_hooks >> hook)
			return legacy_write_fail(w, -EINVAL,
						 "base chains are not in the order of their hooks");
		w->valid_hooks |= 1u << hook;
		w->hook_entry[hook] = (u32)w->size;
	}
	w->hook = hook;
	w->open = true;
	w->last = LEGACY_NONE;
	w->place[number] = (u32)w->size;
	return bridge ? ebt_put_head(w, name) : 0;
}

int xt2_legacy_write_rule(struct xt2_legacy_writer *w, const struct xt2_rule *r)
{
	const struct xt2_match *m;
	struct entry n;
	u32 target_offset;

	if (w->error)
		return w->error;
	if (!w->open)
		return legacy_write_fail(w, -EINVAL, "a rule outside of chains");
	if (w->f->family == XT2_BRIDGE)
		return legacy_ebt_write_rule(w, r);
	entry_begin(&n, w);
	xt2_rule_for_each_match(m, r)
		if (put_match(&n, m))
			return w->error;
	target_offset = n.len;
	if (put_target(&n, r))
		return w->error;
	memcpy(n.base + w->f->entry_counters, &r->packets, sizeof(r->packets));
	memcpy(n.base + w->f->entry_counters + 8, &r->bytes, sizeof(r->bytes));
	return put_header(&n, target_offset);
}

/* A chain's number becomes an offset. */
static int place_jump(struct xt2_legacy_writer *w, u8 *e)
{
	u8 *t = e + legacy_u16(e + w->f->target_offset);
	u32 chain = legacy_u32(t + LEGACY_TARGET);

	e[w->f->comefrom] = 0;
	if (w->place[chain] == LEGACY_NONE)
		return legacy_write_fail(w, -EINVAL, "a jump to a chain that was not written");
	if (!w->place[chain])
		return legacy_write_fail(w, -EOPNOTSUPP,
					 "a jump to the first chain has no legacy form");
	legacy_put32(t + LEGACY_TARGET, w->place[chain]);
	return 0;
}

/* @map: NULL, or to note the entries in */
static int place_jumps(struct xt2_legacy_writer *w, struct legacy_map *map)
{
	u64 pos;
	u8 *e;

	for (pos = 0; pos < w->size; pos += legacy_next(w->f, e)) {
		e = w->out + pos;
		if (e[w->f->comefrom] == MARK_JUMP && place_jump(w, e))
			return w->error;
		if (map)
			legacy_map_add(map, (u32)pos);
	}
	return 0;
}

u64 xt2_legacy_write_scratch(const struct xt2_legacy_writer *w)
{
	if (w->f->family == XT2_BRIDGE) /* rules of bridges have no comefrom */
		return sizeof(u64);
	return (w->size / legacy_slot_size(w->f) + 1) * sizeof(struct xt2_legacy_entry_);
}

/* The hooks that lead to each entry, as the kernel leaves them in comefrom. */
static int put_hooks(struct xt2_legacy_writer *w, void *scratch)
{
	struct legacy_map map = {
		.f = w->f,
		.at = w->out,
		.valid_hooks = w->valid_hooks,
		.entry = scratch,
		.hook_entry = w->hook_entry,
	};
	struct xt2_legacy_entry_ *e;
	u32 i;

	if (place_jumps(w, &map))
		return w->error;
	if (legacy_map_trace(&map) != LEGACY_NONE)
		return legacy_write_fail(w, -ELOOP, "chains loop");
	legacy_map_for_each(e, i, &map) w->out[e->offset + w->f->comefrom] = e->hooks;
	return 0;
}

int xt2_legacy_write_end(struct xt2_legacy_writer *w, void *scratch)
{
	bool bridge;

	if (w->error)
		return w->error;
	bridge = w->f->family == XT2_BRIDGE;
	if (bridge ? ebt_close_chain(w) : close_chain(w) || put_error(w, "ERROR"))
		return w->error;
	if (!w->out || w->size > w->cap)
		return -ENOSPC;
	if (bridge)
		return ebt_place_jumps(w);
	return scratch ? put_hooks(w, scratch) : place_jumps(w, NULL);
}
