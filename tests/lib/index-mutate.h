/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-mutate.h - change an index by what its fields mean
 *
 * A random byte is mostly refused for a trivial reason.  So here a key becomes
 * another key, an offset that of something else, a shift another shift: each
 * field is listed with its kind, a kind is drawn, then one of its fields, and
 * it gets a value of that kind.  Counters of runs are left alone, since they
 * say nothing that could be wrong.
 */
#ifndef TESTS_INDEX_MUTATE_H
#define TESTS_INDEX_MUTATE_H

#include "tests/fuzz/seed-image.h"
#include "engine/index/find.h"
#include "engine/index/patched.h"

enum index_field_kind {
	INDEX_KIND, /* enum xt2_index_kind */
	INDEX_ASKS,
	INDEX_KEY,
	INDEX_FIELD,
	INDEX_SHIFT,
	INDEX_COUNT,
	INDEX_OFFSET,
	INDEX_UNIT,
	INDEX_MASK, /* of a class */
	INDEX_SLOT, /* classes of the other dimension; a bucket's first segment */
	INDEX_ENTRY, /* tag, never, ports; a bucket's entries and tags */
	INDEX_RANGE, /* least and most of columns, edges of bits, begins of segments */
	INDEX_BITS,
	INDEX_SEGMENT, /* what a segment says */
	INDEX_LABEL, /* of an inserted rule */
	INDEX_HASH, /* of a patch's entry */
	INDEX_KINDS
};

#define INDEX_FIELDS_MAX 8192u /* those behind are not changed */

struct index_fields {
	const struct xt2_index *ix; /* or the image, which has all of a patch */
	u64 size;
	u32 n, kinds[INDEX_KINDS];
	struct {
		u32 at; /* bytes from the index */
		u8 width, kind;
	} field[INDEX_FIELDS_MAX];
};

static inline void index_field(struct index_fields *f, const void *p, u32 width, u32 kind)
{
	const u64 at = (u64)((const u8 *)p - (const u8 *)f->ix);

	if (f->n == INDEX_FIELDS_MAX || at + width > f->size)
		return;
	f->field[f->n].at = (u32)at;
	f->field[f->n].width = (u8)width;
	f->field[f->n++].kind = (u8)kind;
	f->kinds[kind]++;
}

static inline void index_array(struct index_fields *f, u32 at, u64 n, u32 width, u32 kind)
{
	u64 i;

	for (i = 0; i < n && f->n < INDEX_FIELDS_MAX; i++)
		index_field(f, (const u8 *)f->ix + at + i * width, width, kind);
}

#define INDEX_FIELD_OF(f, member, kind) index_field(f, &(member), sizeof(member), kind)

static inline void index_columns_fields(struct index_fields *f, u32 at)
{
	const struct xt2_columns *c = (const void *)((const u8 *)f->ix + at);
	const u32 rows = (c->units + XT2_BLOCK - 1) / XT2_BLOCK * XT2_BLOCK;
	u32 i;

	INDEX_FIELD_OF(f, c->units, INDEX_COUNT);
	INDEX_FIELD_OF(f, c->columns, INDEX_COUNT);
	for (i = 0; i < XT2_COLUMNS_MAX; i++)
		INDEX_FIELD_OF(f, c->column[i], INDEX_KEY);
	index_array(f, at + (u32)sizeof(*c), rows, sizeof(u32), INDEX_UNIT);
	index_array(f, at + (u32)sizeof(*c) + 4 * rows, 2ull * rows * c->columns, sizeof(u16),
		    INDEX_RANGE);
}

static inline void index_bits_fields(struct index_fields *f, const struct xt2_bits *b)
{
	u32 i;

	INDEX_FIELD_OF(f, b->units, INDEX_COUNT);
	INDEX_FIELD_OF(f, b->keys, INDEX_COUNT);
	INDEX_FIELD_OF(f, b->words, INDEX_COUNT);
	for (i = 0; i < b->keys; i++) {
		INDEX_FIELD_OF(f, b->by[i].key, INDEX_KEY);
		INDEX_FIELD_OF(f, b->by[i].slots, INDEX_COUNT);
		INDEX_FIELD_OF(f, b->by[i].edge, INDEX_OFFSET);
		INDEX_FIELD_OF(f, b->by[i].bit, INDEX_OFFSET);
		index_array(f, b->by[i].edge, b->by[i].slots, sizeof(u16), INDEX_RANGE);
		index_array(f, b->by[i].bit, (u64)b->by[i].slots * b->words, sizeof(u64),
			    INDEX_BITS);
	}
	index_array(f, f->ix->body + (u32)sizeof(*b), b->units, sizeof(u32), INDEX_UNIT);
}

static inline void index_segments_fields(struct index_fields *f, const struct xt2_segments *g)
{
	const struct xt2_segment_slot *s = (const void *)((const u8 *)f->ix + g->slot);
	u32 i;

	INDEX_FIELD_OF(f, g->field, INDEX_FIELD);
	INDEX_FIELD_OF(f, g->shift, INDEX_SHIFT);
	INDEX_FIELD_OF(f, g->slot, INDEX_OFFSET);
	INDEX_FIELD_OF(f, g->slots, INDEX_COUNT);
	INDEX_FIELD_OF(f, g->bucket, INDEX_OFFSET);
	INDEX_FIELD_OF(f, g->buckets, INDEX_COUNT);
	INDEX_FIELD_OF(f, g->begin, INDEX_OFFSET);
	INDEX_FIELD_OF(f, g->what, INDEX_OFFSET);
	INDEX_FIELD_OF(f, g->segments, INDEX_COUNT);
	INDEX_FIELD_OF(f, g->common, INDEX_OFFSET);
	INDEX_FIELD_OF(f, g->commons, INDEX_COUNT);
	for (i = 0; i < g->slots && f->n < INDEX_FIELDS_MAX / 2; i++) {
		INDEX_FIELD_OF(f, s[i].segment, INDEX_COUNT);
		INDEX_FIELD_OF(f, s[i].bucket, INDEX_OFFSET);
		INDEX_FIELD_OF(f, s[i].least, INDEX_COUNT);
		INDEX_FIELD_OF(f, s[i].last, INDEX_COUNT);
		INDEX_FIELD_OF(f, s[i].shift, INDEX_SHIFT);
	}
	index_array(f, g->bucket, g->buckets, sizeof(u16), INDEX_SLOT);
	index_array(f, g->begin, g->segments, sizeof(u16), INDEX_RANGE);
	index_array(f, g->what, g->segments, sizeof(u32), INDEX_SEGMENT);
	index_array(f, g->common, g->commons, sizeof(u32), INDEX_UNIT);
}

static inline void index_dimension_fields(struct index_fields *f,
					  const struct xt2_index_dimension *d)
{
	u32 i, w;

	INDEX_FIELD_OF(f, d->field, INDEX_FIELD);
	INDEX_FIELD_OF(f, d->classes, INDEX_COUNT);
	INDEX_FIELD_OF(f, d->words, INDEX_COUNT);
	for (i = 0; i < XT2_CLASSES; i++) {
		for (w = 0; w < XT2_FIELD_WORDS; w++)
			INDEX_FIELD_OF(f, d->mask[w][i], INDEX_MASK);
		INDEX_FIELD_OF(f, d->slot[i], INDEX_OFFSET);
		INDEX_FIELD_OF(f, d->shift[i], INDEX_SHIFT);
		if (i < d->classes)
			index_array(f, d->slot[i], 1ull << (32 - d->shift[i]), sizeof(u16),
				    INDEX_SLOT);
	}
}

static inline void index_pairs_fields(struct index_fields *f, const struct xt2_pairs *p)
{
	const struct xt2_index_entry *e = (const void *)((const u8 *)f->ix + p->entry);
	u32 i;

	INDEX_FIELD_OF(f, p->bucket, INDEX_OFFSET);
	INDEX_FIELD_OF(f, p->shift, INDEX_SHIFT);
	INDEX_FIELD_OF(f, p->entry, INDEX_OFFSET);
	INDEX_FIELD_OF(f, p->entries, INDEX_COUNT);
	for (i = 0; i < p->entries + XT2_ENTRIES_BEYOND; i++) {
		INDEX_FIELD_OF(f, e[i].unit, INDEX_UNIT);
		index_array(f, p->entry + i * (u32)sizeof(*e) + 4, 6, sizeof(u16), INDEX_ENTRY);
		if (i < p->entries && e[i].unit & XT2_UNIT_NESTED)
			index_columns_fields(f, e[i].unit & ~XT2_UNIT_FLAGS);
	}
	for (i = 0; i < 3; i++)
		index_dimension_fields(f, &p->dim[i]);
	index_array(f, p->bucket, 2ull << (32 - p->shift), sizeof(u32), INDEX_ENTRY);
}

static inline void index_patch_lists(struct index_fields *f, const struct xt2_image *img,
				     const struct xt2_patch *p)
{
	const struct xt2_patch_part *part = xt2_at(img, p->part);
	const struct xt2_patch_page *page;
	const struct xt2_inserted *in;
	u32 i, j;

	for (i = 0; i < p->parts; i++) {
		page = xt2_at(img, part[i].page);
		INDEX_FIELD_OF(f, part[i].page, INDEX_OFFSET);
		INDEX_FIELD_OF(f, part[i].at, INDEX_UNIT);
		INDEX_FIELD_OF(f, part[i].label, INDEX_LABEL);
		INDEX_FIELD_OF(f, part[i].more, INDEX_COUNT);
		INDEX_FIELD_OF(f, page->items, INDEX_COUNT);
		for (j = 0; j < page->items; j++) {
			INDEX_FIELD_OF(f, page->item[j].at, INDEX_UNIT);
			INDEX_FIELD_OF(f, page->item[j].rule, INDEX_OFFSET);
			if (!page->item[j].rule)
				continue;
			in = xt2_inserted_of(xt2_at(img, page->item[j].rule));
			INDEX_FIELD_OF(f, in->at, INDEX_UNIT);
			INDEX_FIELD_OF(f, in->label, INDEX_LABEL);
			INDEX_FIELD_OF(f, in->rule.size, INDEX_COUNT);
		}
	}
}

static inline void index_patch_buckets(struct index_fields *f, const struct xt2_image *img,
				       const struct xt2_patch *p)
{
	const struct xt2_patch_slot *slot;
	const struct xt2_patch_bucket *b;
	u32 i, j, at;

	for (i = 0; i < xt2_patch_slots(p); i++) {
		slot = xt2_patch_slot_at(img, p, i);
		INDEX_FIELD_OF(f, slot->bucket, INDEX_OFFSET);
		INDEX_FIELD_OF(f, slot->tags, INDEX_MASK);
		for (at = slot->bucket; at; at = b->next) {
			b = xt2_at(img, at);
			INDEX_FIELD_OF(f, b->entries, INDEX_COUNT);
			INDEX_FIELD_OF(f, b->next, INDEX_OFFSET);
			for (j = 0; j < b->entries; j++) {
				INDEX_FIELD_OF(f, b->entry[j].hash, INDEX_HASH);
				INDEX_FIELD_OF(f, b->entry[j].unit, INDEX_ENTRY);
				INDEX_FIELD_OF(f, b->entry[j].at, INDEX_UNIT);
				INDEX_FIELD_OF(f, b->entry[j].never, INDEX_MASK);
				INDEX_FIELD_OF(f, b->entry[j].ports, INDEX_MASK);
			}
		}
	}
}

/* All fields of a patched chain that is right, by their places in the image. */
static inline void index_patch_fields(struct index_fields *f, const struct xt2_image *img,
				      const struct xt2_chain *c)
{
	const struct xt2_index *ix = xt2_chain_index(c);
	const struct xt2_patch *p = xt2_chain_patch(c);
	u32 i, w;

	memset(f->kinds, 0, sizeof(f->kinds));
	f->ix = (const void *)img;
	f->size = img->size;
	f->n = 0;
	INDEX_FIELD_OF(f, c->used, INDEX_COUNT);
	INDEX_FIELD_OF(f, c->rules, INDEX_COUNT);
	INDEX_FIELD_OF(f, c->tail, INDEX_UNIT);
	INDEX_FIELD_OF(f, c->lookup, INDEX_UNIT);
	INDEX_FIELD_OF(f, ix->kind, INDEX_KIND);
	INDEX_FIELD_OF(f, ix->asks, INDEX_ASKS);
	INDEX_FIELD_OF(f, ix->ahead, INDEX_COUNT);
	INDEX_FIELD_OF(f, ix->runs, INDEX_COUNT);
	INDEX_FIELD_OF(f, ix->body, INDEX_UNIT);
	INDEX_FIELD_OF(f, p->compiled, INDEX_OFFSET);
	INDEX_FIELD_OF(f, p->inserted, INDEX_COUNT);
	INDEX_FIELD_OF(f, p->deleted, INDEX_COUNT);
	INDEX_FIELD_OF(f, p->parts, INDEX_COUNT);
	INDEX_FIELD_OF(f, p->part, INDEX_OFFSET);
	INDEX_FIELD_OF(f, p->slot, INDEX_OFFSET);
	INDEX_FIELD_OF(f, p->shift, INDEX_SHIFT);
	INDEX_FIELD_OF(f, p->classes, INDEX_COUNT);
	INDEX_FIELD_OF(f, p->splits, INDEX_COUNT);
	for (i = 0; i < XT2_PATCH_CLASSES; i++) {
		INDEX_FIELD_OF(f, p->field[0][i], INDEX_FIELD);
		INDEX_FIELD_OF(f, p->field[1][i], INDEX_FIELD);
		INDEX_FIELD_OF(f, p->words[i], INDEX_COUNT);
		INDEX_FIELD_OF(f, p->rules[i], INDEX_COUNT);
		for (w = 0; w < XT2_CLASS_FIELDS * XT2_FIELD_WORDS; w++)
			INDEX_FIELD_OF(f, p->mask[w][i], INDEX_MASK);
	}
	index_patch_lists(f, img, p);
	index_patch_buckets(f, img, p);
}

/* All fields of an index that is right. */
static inline void index_fields_of(struct index_fields *f, const struct xt2_index *ix)
{
	const struct xt2_run *run = (const void *)((const u8 *)ix + ix->run);
	const void *body = (const u8 *)ix + ix->body;
	u32 i;

	f->ix = ix;
	f->size = ix->size;
	f->n = 0;
	memset(f->kinds, 0, sizeof(f->kinds));
	INDEX_FIELD_OF(f, ix->kind, INDEX_KIND);
	INDEX_FIELD_OF(f, ix->asks, INDEX_ASKS);
	INDEX_FIELD_OF(f, ix->ahead, INDEX_COUNT);
	INDEX_FIELD_OF(f, ix->units, INDEX_COUNT);
	INDEX_FIELD_OF(f, ix->runs, INDEX_COUNT);
	INDEX_FIELD_OF(f, ix->run, INDEX_OFFSET);
	INDEX_FIELD_OF(f, ix->body, INDEX_OFFSET);
	INDEX_FIELD_OF(f, ix->heads, INDEX_COUNT);
	for (i = 0; i < XT2_HEADS; i++)
		INDEX_FIELD_OF(f, ix->head[i], INDEX_UNIT);
	for (i = 0; i < ix->runs; i++) {
		INDEX_FIELD_OF(f, run[i].rule, INDEX_UNIT);
		INDEX_FIELD_OF(f, run[i].end, INDEX_UNIT);
	}
	switch (ix->kind) {
	case XT2_INDEX_COLUMNS: index_columns_fields(f, ix->body); break;
	case XT2_INDEX_BITS: index_bits_fields(f, body); break;
	case XT2_INDEX_SEGMENTS: index_segments_fields(f, body); break;
	default: index_pairs_fields(f, body);
	}
}

/* => the number of one of the fields of a kind */
static inline u32 index_draw(const struct index_fields *f, u32 kind, u64 *state)
{
	u32 i = seed_below(state, f->n);

	while (f->field[i].kind != kind)
		i = (i + 1) % f->n;
	return i;
}

static inline u64 index_read(const struct index_fields *f, const void *ix, u32 i)
{
	u64 v = 0;

	memcpy(&v, (const u8 *)ix + f->field[i].at, f->field[i].width);
	return v;
}

static inline u64 index_value(const struct index_fields *f, const void *ix, u32 i, u64 *state)
{
	const u64 now = index_read(f, ix, i);
	const u32 kind = f->field[i].kind;
	const u64 step = kind == INDEX_OFFSET || kind == INDEX_UNIT ? 8 : 1;

	if (kind == INDEX_KIND)
		return 1 + seed_below(state, XT2_INDEX_PATCH);
	if (kind == INDEX_KEY)
		return seed_below(state, XT2_KEYS);
	if (kind == INDEX_FIELD)
		return seed_below(state, XT2_FIELDS);
	if (kind == INDEX_SHIFT)
		return seed_below(state, 33);
	switch (seed_below(state, 6)) {
	case 0: return now ^ 1ull << seed_below(state, 8 * f->field[i].width);
	case 1: return now + step;
	case 2: return now - step;
	case 3: return kind == INDEX_COUNT ? seed_below(state, 4) : now ^ (now & -now);
	case 4: return seed_below(state, 2) ? 0 : ~0ull;
	}
	return index_read(f, ix, index_draw(f, kind, state));
}

/*
 * Change a copy of the index, or the image, whose fields are listed, in one to four places.
 * One change in four exchanges two fields of a kind.
 */
static inline void index_mutate(const struct index_fields *f, void *ix, u64 *state)
{
	u32 n, i, j, kind, width;
	u64 v, was;

	for (n = 1 + seed_below(state, 4) * seed_below(state, 2); n; n--) {
		do {
			kind = seed_below(state, INDEX_KINDS);
		} while (!f->kinds[kind]);
		i = index_draw(f, kind, state);
		width = f->field[i].width;
		v = index_value(f, ix, i, state);
		j = index_draw(f, kind, state);
		if (!seed_below(state, 4) && f->field[j].width == width) {
			v = index_read(f, ix, j);
			was = index_read(f, ix, i);
			memcpy((u8 *)ix + f->field[j].at, &was, width);
		}
		memcpy((u8 *)ix + f->field[i].at, &v, width);
	}
}

#endif
