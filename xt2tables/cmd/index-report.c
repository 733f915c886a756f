/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-report.c - how a chain is represented, and why, in words
 *
 * Why a chain is plain is not written anywhere: so its index is made again,
 * and if that works, the image was written without.
 */
#include <stdio.h>
#include <stdlib.h>
#include "index-report.h"
#include "say.h"

const char *xt2_kind_name(int kind)
{
	switch (kind) {
	case XT2_INDEX_COLUMNS: return "columns";
	case XT2_INDEX_PAIRS: return "pairs";
	case XT2_INDEX_BITS: return "bits";
	case XT2_INDEX_SEGMENTS: return "segments";
	}
	return "plain";
}

static const char *field_name(int field)
{
	static const char *const names[XT2_FIELDS] = {
		[XT2_FIELD_NONE] = "none",
		[XT2_FIELD_SRC] = "source",
		[XT2_FIELD_DST] = "destination",
		[XT2_FIELD_MAC] = "source MAC",
		[XT2_FIELD_IN] = "in-interface",
		[XT2_FIELD_OUT] = "out-interface",
		[XT2_FIELD_MARK] = "mark",
		[XT2_FIELD_DPORT] = "protocol and destination port",
		[XT2_FIELD_SPORT] = "protocol and source port",
	};

	return names[field];
}

/* A key, with the bits of its field if it is only a part. */
static void say_key(struct xt2_say *w, unsigned int key)
{
	static const char *const names[] = {
		[XT2_KEY_SPORT] = "source port", [XT2_KEY_DPORT] = "destination port",
		[XT2_KEY_PROTO] = "protocol",	 [XT2_KEY_STATE] = "state",
		[XT2_KEY_IN] = "in-interface",	 [XT2_KEY_OUT] = "out-interface",
	};
	const char *field = NULL;
	unsigned int part = 0;

	if (key < XT2_KEY_SPORT) {
		field = key < XT2_KEY_DST ? "source" : "destination";
		part = key % (XT2_KEY_DST - XT2_KEY_SRC);
	} else if (key >= XT2_KEY_MARK && key < XT2_KEY_MAC) {
		field = "mark";
		part = key - XT2_KEY_MARK;
	} else if (key >= XT2_KEY_MAC && key < XT2_KEY_IN) {
		field = "source MAC";
		part = key - XT2_KEY_MAC;
	}
	if (field)
		xt2_say(w, "%s bits %u-%u", field, 16 * part, 16 * part + 15);
	else
		xt2_say(w, "%s", names[key]);
}

static void columns_fields(const struct xt2_columns *c, struct xt2_say *w)
{
	unsigned int i;

	for (i = 0; i < c->columns; i++) {
		xt2_say(w, "%s", i ? ", " : "");
		say_key(w, c->column[i]);
	}
	if (!i)
		xt2_say(w, "none");
}

static void bits_fields(const struct xt2_bits *b, struct xt2_say *w)
{
	unsigned int i;

	for (i = 0; i < b->keys; i++) {
		xt2_say(w, "%s", i ? ", " : "");
		say_key(w, b->by[i].key);
		xt2_say(w, " in %u", b->by[i].slots);
	}
}

static unsigned int bits(const struct xt2_index_dimension *d, unsigned int cls)
{
	unsigned int i, n = 0;

	for (i = 0; i < XT2_FIELD_WORDS; i++)
		n += (unsigned int)__builtin_popcount(d->mask[i][cls]);
	return n;
}

static void pairs_fields(const struct xt2_pairs *p, struct xt2_say *w)
{
	unsigned int i, j;

	for (i = 0; i < 3 && p->dim[i].field; i++) {
		const struct xt2_index_dimension *d = &p->dim[i];

		xt2_say(w, "%s%s", i ? "; " : "", field_name(d->field));
		if (d->field != XT2_FIELD_SRC && d->field != XT2_FIELD_DST)
			continue;
		for (j = d->classes; j--;)
			xt2_say(w, " /%u", bits(d, j));
	}
}

static void count_nested(const struct xt2_index *ix, const struct xt2_pairs *p,
			 struct xt2_representation *r)
{
	const struct xt2_index_entry *e = xt2_at(ix, p->entry);
	const struct xt2_columns *c;
	__u32 i;

	for (i = 0; i < p->entries; i++) {
		if (!(e[i].unit & XT2_UNIT_NESTED))
			continue;
		c = xt2_at(ix, e[i].unit & ~XT2_UNIT_FLAGS);
		r->nested++;
		r->nested_units += c->units;
	}
}

static const char *plural(__u32 n)
{
	return n == 1 ? "" : "s";
}

static void why_columns(const struct xt2_representation *r, struct xt2_say *w)
{
	if (r->units <= xt2_index_limits.columns)
		xt2_say(w, "%u run%s of equal rules", r->runs, plural(r->runs));
	else if (r->units <= xt2_index_limits.bits)
		xt2_say(w, "%u rules%s, %u or less, and little to compare", r->units,
			r->runs ? " and runs of equal rules" : "", xt2_index_limits.bits);
	else
		xt2_say(w, "no two fields tell its %u rules apart", r->units);
}

static void why_bits(const struct xt2_representation *r, struct xt2_say *w)
{
	xt2_say(w, "%u rules%s, %u or less", r->units, r->runs ? " and runs of equal rules" : "",
		xt2_index_limits.bits);
}

static void why_pairs(const struct xt2_representation *r, const struct xt2_pairs *p,
		      struct xt2_say *w)
{
	xt2_say(w, "%u rules, more than %u: told apart by %s", r->units, xt2_index_limits.bits,
		field_name(p->dim[0].field));
	if (p->dim[1].field)
		xt2_say(w, " and %s", field_name(p->dim[1].field));
	if (p->dim[2].field)
		xt2_say(w, ", then by %s", field_name(p->dim[2].field));
}

static void why_segments(const struct xt2_representation *r, const struct xt2_segments *g,
			 struct xt2_say *w)
{
	xt2_say(w, "%u rules%s, told apart by %s", r->units,
		r->runs ? " and runs of equal rules" : "", field_name(g->field));
	if (g->commons)
		xt2_say(w, ", but for %u", g->commons);
}

static int why_plain(const struct xt2_chain *c, int family, struct xt2_say *w)
{
	const __u32 rules = c->rules - 1;
	long long made;

	if (family != XT2_IPV4 && family != XT2_IPV6) {
		xt2_say(w, "only chains of IPv4 and IPv6 have indexes");
		return 0;
	}
	made = xt2_index_made(c, family);
	if (made < 0)
		return -ENOMEM;
	if (made)
		xt2_say(w, "the image was written without an index for it");
	else if (rules <= xt2_index_limits.plain)
		xt2_say(w, "%u rules or less", xt2_index_limits.plain);
	else
		xt2_say(w, "nothing tells its %u rules apart", rules);
	return 0;
}

long long xt2_index_made(const struct xt2_chain *c, int family)
{
	const __u32 rules = c->rules;
	const __u64 room = xt2_index_bound(rules);
	void *at = calloc(1, room), *scratch = malloc(xt2_index_scratch(rules));
	long long made = -ENOMEM;

	if (at && scratch)
		made = xt2_index_build(c, (__u8)family, &xt2_index_limits, at, room, scratch);
	free(at);
	free(scratch);
	return made;
}

int xt2_represent(const struct xt2_chain *c, int family, struct xt2_representation *r)
{
	struct xt2_say fields = { r->fields, sizeof(r->fields), 0 };
	struct xt2_say why = { r->why, sizeof(r->why), 0 };
	const struct xt2_index *ix = xt2_chain_index(c);
	const void *body;

	memset(r, 0, sizeof(*r));
	r->rules = r->units = c->rules - 1;
	if (!ix)
		return why_plain(c, family, &why);
	r->kind = ix->kind;
	r->units = ix->units;
	r->runs = ix->runs;
	r->size = ix->size;
	body = xt2_at(ix, ix->body);
	if (r->kind == XT2_INDEX_COLUMNS) {
		columns_fields(body, &fields);
		why_columns(r, &why);
	} else if (r->kind == XT2_INDEX_BITS) {
		bits_fields(body, &fields);
		why_bits(r, &why);
	} else if (r->kind == XT2_INDEX_SEGMENTS) {
		const struct xt2_segments *g = body;

		r->segments = g->segments - XT2_SEGMENTS_BEHIND;
		r->commons = g->commons;
		xt2_say(&fields, "%s", field_name(g->field));
		why_segments(r, g, &why);
	} else {
		const struct xt2_pairs *p = body;

		r->buckets = 1u << (32 - p->shift);
		pairs_fields(p, &fields);
		count_nested(ix, p, r);
		why_pairs(r, p, &why);
	}
	return 0;
}
