/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-write.c - chains and rules into a table of bridges
 *
 * A chain's last rule is the policy in its head, so a rule that could be the
 * last is held back until the next one shows that it is not.  The head is
 * filled in when the chain is complete.  A jump holds its chain's number until
 * all chains have their places.
 */
#include "ebt.h"

/* A rule that is being written, from its start. */
struct entry {
	struct xt2_legacy_writer *w;
	u64 start;
	u32 len;
	u32 seen; /* base tests */
	bool extensions, watchers; /* have begun */
	struct ebt_entry head;
};

/* => -EOPNOTSUPP, or an earlier error */
static int unsayable(struct entry *n, const char *what)
{
	return legacy_write_fail(n->w, -EOPNOTSUPP, what);
}

/* An extension's header.  => the place of its data, or NULL */
static u8 *put_header(struct entry *n, const char *name, u8 revision, u32 size)
{
	u32 header = ebt_header(n->w->f->compat);
	u8 *to = legacy_write_reserve(n->w, n->start + n->len, header + size);

	n->len += header + size;
	if (!to)
		return NULL;
	memcpy(to, name, strnlen(name, EBT_NAME - 1));
	to[LEGACY_REVISION] = revision;
	legacy_put32(to + 32, size);
	return to + header;
}

/* among's payload is as long as its sets are; only its padding depends on the width. */
static int put_among(struct entry *n, const struct xt2_instance *in, const struct ebt_known *own)
{
	u32 size = legacy_align(in->size, n->w->f->compat ? 4 : 8);
	u8 *to;

	if (in->size > 0x7fffffff || in->size % 4)
		return unsayable(n, "a set of among is not whole");
	to = put_header(n, own->k.name, 0, size);
	if (to)
		memcpy(to, in + 1, in->size);
	return 0;
}

static int put_payload(struct entry *n, const struct legacy_known *k, const struct ebt_known *own)
{
	static const char too_wide[] = "a mark of more than 32 bits has no place in a 32-bit table";
	struct xt2_legacy_writer *w = n->w;
	u32 size = legacy_payload(k, w->f->compat);
	u64 ignored[4];
	u8 *to = put_header(n, k->name, k->revision, size);

	if (!to) { /* errors are found all the same */
		if (size <= sizeof(ignored) &&
		    ebt_payload_out(k, own, w->f->compat, w->payload, (u8 *)ignored))
			return legacy_write_fail(w, -EOPNOTSUPP, too_wide);
		return 0;
	}
	if (ebt_payload_out(k, own, w->f->compat, w->payload, to))
		return legacy_write_fail(w, -EOPNOTSUPP, too_wide);
	return 0;
}

/* A payload may be followed by data of xt2's own. */
static int put_instance(struct entry *n, const struct xt2_instance *in, bool target)
{
	bool comment = in->kind == XT2_INSTANCE_COMMENT;
	const struct legacy_known *k;
	const struct ebt_known *own;
	u32 index;
	int err;

	k = ebt_known_find(&n->w->cache, target, comment ? "comment" : in->name, in->revision, &own,
			   &index, &err);
	if (!k || (target && !own) || (target && ebt_is_standard((const u8 *)own->k.name)))
		return unsayable(n, "an extension that the kernel does not have");
	if (k->size == EBT_ANY_SIZE)
		return put_among(n, in, own);
	if (comment ? in->size > k->size : in->size < legacy_native(k))
		return unsayable(n, "an instance is not as long as its extension's payload");
	memset(n->w->payload, 0, legacy_native(k));
	memcpy(n->w->payload, in + 1, in->size < legacy_native(k) ? in->size : legacy_native(k));
	return put_payload(n, k, own);
}

/* Watchers follow the matches. */
static void begin_watchers(struct entry *n)
{
	if (!n->watchers)
		n->head.watchers_offset = n->len;
	n->watchers = true;
}

static int put_match(struct entry *n, const struct xt2_match *m)
{
	const struct xt2_instance *in;
	bool watcher;
	int ret;

	if (m->type < XT2_M_TCP) {
		if (n->extensions)
			return unsayable(n, "a base test behind an extension");
		ret = ebt_base_unpack(m, &n->head, &n->seen);
		return ret ? legacy_write_fail(n->w, ret,
					       "a base test has no place in the legacy format")
			   : 0;
	}
	n->extensions = true;
	if (m->type != XT2_M_COMMENT && m->type != XT2_M_FOREIGN)
		return unsayable(n, "a match has no legacy form");
	in = n->w->instance(n->w->data, m->arg);
	watcher = in && in->kind == XT2_INSTANCE_TARGET;
	if (!in || (!watcher && in->kind != (m->type == XT2_M_COMMENT ? XT2_INSTANCE_COMMENT
								      : XT2_INSTANCE_MATCH)))
		return legacy_write_fail(n->w, -EINVAL, "rule names an instance that is not there");
	if (watcher)
		begin_watchers(n);
	else if (n->watchers)
		return unsayable(n, "a match behind a watcher");
	return put_instance(n, in, watcher);
}

static int put_standard(struct entry *n, s32 verdict)
{
	bool compat = n->w->f->compat;
	u8 *to = put_header(n, EBT_STANDARD_TARGET, 0, compat ? 4 : 8);

	if (to)
		legacy_put32(to, (u32)verdict);
	return 0;
}

static int put_target(struct entry *n, u32 target)
{
	const struct xt2_instance *in;

	s32 verdict = legacy_verdict_of(n->w->f, XT2_TARGET_KIND(target));

	if (verdict)
		return put_standard(n, verdict);
	switch (XT2_TARGET_KIND(target)) {
	case XT2_T_JUMP:
		if (XT2_TARGET_ARG(target) >= n->w->chains)
			return legacy_write_fail(n->w, -EINVAL,
						 "rule names a chain that is not there");
		return put_standard(n, (s32)XT2_TARGET_ARG(target));
	case XT2_T_FOREIGN:
		in = n->w->instance(n->w->data, XT2_TARGET_ARG(target));
		if (!in || in->kind != XT2_INSTANCE_TARGET)
			return legacy_write_fail(n->w, -EINVAL,
						 "rule names an instance that is not there");
		return put_instance(n, in, true);
	}
	return unsayable(n, "a target has no legacy form");
}

/* => 0, -E2BIG */
static int size_ok(struct xt2_legacy_writer *w)
{
	return w->size > 0x7fffffff
		       ? legacy_write_fail(w, -E2BIG, "a larger table than the kernel takes")
		       : 0;
}

/* @r: NULL: a rule without conditions */
static int put_rule(struct xt2_legacy_writer *w, const struct xt2_rule *r, u32 target)
{
	struct entry n = { .w = w, .start = w->size, .len = EBT_ENTRY };
	const struct xt2_match *m;
	u8 *to = legacy_write_reserve(w, n.start, EBT_ENTRY);

	n.head.bitmask = EBT_ENTRY_OR_ENTRIES | EBT_NOPROTO;
	if (r) {
		xt2_rule_for_each_match(m, r)
			if (put_match(&n, m))
				return w->error;
	}
	begin_watchers(&n);
	n.head.target_offset = n.len;
	if (put_target(&n, target))
		return w->error;
	n.head.next_offset = n.len;
	if (to)
		memcpy(to, &n.head, EBT_ENTRY);
	w->size = n.start + n.len;
	w->entries++;
	return size_ok(w);
}

/* --- chains, rules, the end ------------------------------------------------------- */

/* A rule that was held back and is not the chain's last. */
static int flush(struct xt2_legacy_writer *w)
{
	u8 kind = w->held;

	w->held = XT2_T_CONTINUE;
	return kind == XT2_T_CONTINUE ? 0 : put_rule(w, NULL, kind);
}

int ebt_close_chain(struct xt2_legacy_writer *w)
{
	u8 policy = w->held;
	u8 *head;

	if (!w->open)
		return 0;
	w->open = false;
	w->held = XT2_T_CONTINUE;
	if (policy == XT2_T_CONTINUE || (policy == XT2_T_RETURN && w->hook != XT2_HOOK_NONE))
		return legacy_write_fail(w, -EINVAL, "a chain without its policy");
	if (!w->out || w->last + (u64)EBT_HEAD > w->cap)
		return 0;
	head = w->out + w->last;
	legacy_put32(head + offsetof(struct ebt_entries, policy),
		     (u32)legacy_verdict_of(w->f, policy));
	legacy_put32(head + offsetof(struct ebt_entries, nentries), w->entries - w->before);
	return 0;
}

static const char *const hook_names[NF_BR_NUMHOOKS] = {
	"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING", "BROUTING",
};

int ebt_put_head(struct xt2_legacy_writer *w, const char *name)
{
	u8 *to = legacy_write_reserve(w, w->size, EBT_HEAD);

	if (w->hook != XT2_HOOK_NONE)
		name = hook_names[w->hook];
	if (to) {
		memcpy(to + offsetof(struct ebt_entries, name), name,
		       strnlen(name, XT2_NAME_SIZE - 1));
		legacy_put32(to + offsetof(struct ebt_entries, counter_offset), w->entries);
	}
	w->last = (u32)w->size;
	w->before = w->entries;
	w->size += EBT_HEAD;
	return size_ok(w);
}

int legacy_ebt_write_rule(struct xt2_legacy_writer *w, const struct xt2_rule *r)
{
	u8 kind = XT2_TARGET_KIND(r->target);

	if (flush(w))
		return w->error;
	if (r->target_offset == sizeof(*r) &&
	    (kind == XT2_T_ACCEPT || kind == XT2_T_DROP || kind == XT2_T_RETURN)) {
		w->held = kind;
		return 0;
	}
	return put_rule(w, r, r->target);
}

/* Chain numbers become the offsets of heads.  To base chains there are no jumps. */
int ebt_place_jumps(struct xt2_legacy_writer *w)
{
	u32 header = ebt_header(w->f->compat), next, number;
	u64 pos;
	u8 *e, *t;

	for (pos = 0; pos < w->size; pos += next) {
		e = w->out + pos;
		next = EBT_HEAD;
		if (!legacy_u32(e))
			continue;
		next = legacy_u32(e + offsetof(struct ebt_entry, next_offset));
		t = e + legacy_u32(e + offsetof(struct ebt_entry, target_offset));
		number = legacy_u32(t + header);
		if (!ebt_is_standard(t) || (s32)number < 0)
			continue;
		if (w->place[number] == LEGACY_NONE)
			return legacy_write_fail(w, -EINVAL,
						 "a jump to a chain that was not written");
		if (legacy_hook_of(w->hook_entry, w->place[number]) != XT2_HOOK_NONE)
			return legacy_write_fail(w, -EOPNOTSUPP, "a jump to a base chain");
		legacy_put32(t + header, w->place[number]);
	}
	return 0;
}
