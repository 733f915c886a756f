/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn.h - a legacy blob to rules and back, for tests
 *
 * Every rule on the way is held against the rules of the image format.
 */
#ifndef XT2_TESTS_LEGACY_TURN_H
#define XT2_TESTS_LEGACY_TURN_H

#include <stdio.h>
#include <stdlib.h>
#include "engine/rule.h"
#include "translators/table/legacy.h"

struct turn {
	struct xt2_legacy in;
	struct xt2_legacy_err err;
	struct xt2_legacy_sink sink;
	struct xt2_legacy_writer out;
	const struct xt2_instance **instance;
	u32 instances, cap, cells;
	void *scratch;
	u8 *bytes; /* the entries that came out */
	const char *why; /* of a failure behind the check */
};

static int turn_instance(void *data, u8 kind, u8 revision, const char *name, const void *payload,
			 u32 size)
{
	struct turn *t = data;
	struct xt2_instance *in;

	if (t->instances == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 16;
		t->instance = realloc(t->instance, t->cap * sizeof(*t->instance));
	}
	in = calloc(1, sizeof(*in) + size);
	if (!in || !t->instance)
		abort();
	in->kind = kind;
	in->revision = revision;
	in->size = size;
	memcpy(in->name, name, strnlen(name, sizeof(in->name) - 1));
	memcpy(in + 1, payload, size);
	t->instance[t->instances] = in;
	return (int)t->instances++;
}

static int turn_cell(void *data, u8 family, const struct xt2_match *m)
{
	struct turn *t = data;
	u32 first = t->cells;

	if (xt2_match_info(m->type) & XT2_EXT_MEMORY) { /* as if each rule had another name */
		first = (first + XT2_MEMORY_CELLS - 1) / XT2_MEMORY_CELLS * XT2_MEMORY_CELLS;
		t->cells = first + XT2_MEMORY_CELLS;
	} else {
		t->cells++;
	}
	return (int)first;
}

static const struct xt2_instance *turn_instance_get(void *data, u32 number)
{
	const struct turn *t = data;

	return number < t->instances ? t->instance[number] : NULL;
}

static void turn_forget(struct turn *t)
{
	u32 i;

	for (i = 0; i < t->instances; i++)
		free((void *)t->instance[i]);
	t->instances = t->cells = 0;
}

/* All chains and rules through the writer.  @bytes may be NULL. */
static int turn_write(struct turn *t, bool compat, u8 *bytes, u64 cap, u32 *place, bool hooks)
{
	struct xt2_rule_bounds bounds = { .family = t->in.family, .chains = t->in.chains };
	const struct xt2_rule *r = (const struct xt2_rule *)t->sink.rule;
	struct xt2_legacy_chain c;
	u32 i, rules;
	void *scratch;
	int ret;

	turn_forget(t);
	xt2_legacy_write_begin(&t->out, t->in.family, compat, bytes, cap, place, t->in.chains,
			       turn_instance_get, t);
	for (i = 0; i < t->in.chains; i++) {
		xt2_legacy_chain(&t->in, i, &c);
		xt2_legacy_write_chain(&t->out, i, c.hook, c.name);
		for (rules = 0; (ret = xt2_legacy_rule(&t->in, &c, &t->sink)) > 0; rules++) {
			bounds.cells = t->cells;
			bounds.instances = t->instances;
			if (xt2_check_rule(r, r->size, &bounds, &t->why))
				return -EPROTO;
			xt2_legacy_write_rule(&t->out, r);
		}
		if (ret < 0) {
			t->why = "a rule could not be read";
			return ret;
		}
		if (rules != c.rules ||
		    !xt2_rule_is_tail(r, t->in.family, c.hook != XT2_HOOK_NONE)) {
			t->why = "a chain does not end as it should";
			return -EPROTO;
		}
	}
	scratch = hooks ? malloc(xt2_legacy_write_scratch(&t->out) + 4096) : NULL;
	ret = xt2_legacy_write_end(&t->out, scratch);
	free(scratch);
	if (ret)
		t->why = t->out.what;
	return ret;
}

/*
 * A blob of one width to entries of another.  @hooks: fill in comefrom.
 * => 0: t->bytes, t->out; the error of the check if t->why is NULL, else another
 */
static int turn(struct turn *t, u8 family, bool compat, const void *blob, u64 len, bool to_compat,
		bool hooks)
{
	u32 *place;
	int ret;

	free(t->scratch);
	free(t->bytes);
	t->bytes = NULL;
	t->why = NULL;
	t->scratch = malloc(xt2_legacy_scratch(family, compat, len));
	ret = xt2_legacy_check(&t->in, family, compat, blob, len, t->scratch, &t->err);
	if (ret)
		return ret;
	t->sink =
		(struct xt2_legacy_sink){ .instance = turn_instance, .cell = turn_cell, .data = t };
	place = malloc((t->in.chains + 1) * sizeof(*place));
	ret = turn_write(t, to_compat, NULL, 0, place, false);
	if (ret == -ENOSPC) {
		u64 size = t->out.size;

		t->bytes = malloc(size + 8);
		memset(t->bytes, 0xa5, size + 8);
		ret = turn_write(t, to_compat, t->bytes, size, place, hooks);
		if (!ret && t->out.size != size)
			ret = -EPROTO;
	}
	free(place);
	return ret;
}

static struct turn *turn_new(void)
{
	return calloc(1, sizeof(struct turn));
}

__attribute__((__unused__)) static void turn_free(struct turn *t)
{
	turn_forget(t);
	free(t->instance);
	free(t->scratch);
	free(t->bytes);
	free(t);
}

/*
 * What the kernel ignores on the way in, out of a SET_REPLACE's entries: mask
 * comefrom, counters, and what follows the NUL of names.
 */
__attribute__((__unused__)) static void turn_mask(u8 *entries, u32 size, u8 family, bool compat)
{
	u32 target = family == XT2_ARP ? 164 : family == XT2_IPV6 ? 140 : 88;
	u32 entry = family == XT2_ARP ? 192 : family == XT2_IPV6 ? 168 : 112;
	u32 from = family == XT2_IPV4 ? 92 : target + 4, pos, at, len, end;
	u8 *e;

	if (compat && family != XT2_IPV4)
		entry -= 4;
	for (pos = 0; pos < size; pos += end) {
		e = entries + pos;
		end = (u32)e[target + 2] | (u32)e[target + 3] << 8;
		memset(e + from, 0, 4);
		memset(e + entry - 16, 0, 16);
		for (at = entry; at < end; at += len) {
			len = (u32)e[at] | (u32)e[at + 1] << 8;
			memset(e + at + 2 + strlen((char *)e + at + 2), 0,
			       29 - strlen((char *)e + at + 2));
		}
	}
}

#endif
