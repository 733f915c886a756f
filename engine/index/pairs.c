/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.c - search a tuple-pair index
 *
 * Each dimension has classes, which are prefix lengths of an address or "this
 * one" and "any".  The packet's bits of a class are hashed once; a slot says
 * with which classes of the other dimension rules have them.  The others are
 * pairs that some rule has with the one and some rule with the other, and each
 * is one bucket.  All buckets are known before the first is read, so waiting
 * for memory is shared; the narrowest classes come first, since their rules
 * mostly do.  Tags, protocols, states and ports in an entry say which rules
 * need not be touched at all.
 */
#include "box.h"
#include "columns.h"
#include "pairs.h"

static __always_inline u16 class_slot(const struct xt2_index __img *ix,
				      const struct xt2_index_dimension __img *d, u32 cls, u32 hash)
{
	return ((const u16 __img *)xt2_at(ix, d->slot[cls]))[hash >> d->shift[cls]];
}

static __always_inline void hash_classes(const struct xt2_index __img *ix,
					 const struct xt2_index_dimension __img *d, u32 number,
					 const u32 *word, struct xt2_hashes *h)
{
	u64 pairs = 0, triples = 0, slot;
	u32 i;

	for (i = 0; i < XT2_CLASSES && i < d->classes; i++) {
		h->hash[i] = xt2_hash_class(d, i, word, number * XT2_CLASSES + i);
		slot = class_slot(ix, d, i, h->hash[i]);
		pairs |= (slot & 0xff) << 8 * i;
		triples |= (slot >> 8) << 8 * i;
	}
	h->pairs = pairs;
	h->triples = triples;
}

static __always_inline u32 add_span(const struct xt2_index __img *ix,
				    const struct xt2_pairs __img *p, u32 hash,
				    struct xt2_span *span, u32 n)
{
	const struct xt2_index_bucket __img *b =
		(const struct xt2_index_bucket __img *)xt2_at(ix, p->bucket) + (hash >> p->shift);

	span[n].entries = b->entries;
	span[n].hash = hash;
	return n + (b->tags >> hash % 32 & 1); /* no branch: half of them are not */
}

/* third: hash of the third dimension, of triples; 0: of pairs */
static __always_inline u32 add_spans(const struct xt2_index __img *ix,
				     const struct xt2_pairs __img *p, struct xt2_search *s,
				     u64 todo, u32 third, u32 n)
{
	u32 bit, hash;

	for (; todo && xt2_can_loop; todo &= todo - 1) {
		bit = (u32)__builtin_ctzll(todo);
		hash = xt2_hash_pair(s->hashes[0].hash[bit / 8], s->hashes[1].hash[bit % 8]);
		n = add_span(ix, p, xt2_hash_pair(hash, third), s->span, n);
	}
	return n;
}

u32 xt2_index_spans(const struct xt2_index __img *ix xt2_arg_img, struct xt2_search *s_ xt2_arg_img,
		    const struct xt2_pkt *pkt_ xt2_arg_img)
{
	const struct xt2_pkt *pkt = xt2_ptr(pkt_);
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_pairs __img *p = xt2_at(ix, ix->body);
	struct xt2_hashes *a = &s->hashes[0], *b = &s->hashes[1];
	u64 todo;
	u32 word[XT2_FIELD_WORDS], n = xt2_zero, third = 0;

	xt2_index_field(s, pkt, p->dim[0].field, word);
	hash_classes(ix, &p->dim[0], 0, word, a);
	xt2_index_field(s, pkt, p->dim[1].field, word);
	hash_classes(ix, &p->dim[1], 1, word, b);
	todo = a->triples & xt2_turned(b->triples);
	if (todo) {
		xt2_index_field(s, pkt, p->dim[2].field, word);
		third = xt2_hash_class(&p->dim[2], 0, word, 2 * XT2_CLASSES);
		if (!class_slot(ix, &p->dim[2], 0, third))
			todo = 0;
	}
	n = add_spans(ix, p, s, todo, third, n);
	s->spans = add_spans(ix, p, s, a->pairs & xt2_turned(b->pairs), 0, n);
	xt2_fetch_spans(ix, p, s);
	return s->spans;
}

/* Two pairs of classes may share a bucket, and so find its columns twice. */
static __always_inline void add_found(struct xt2_found *f, u32 unit)
{
	u32 at = f->n, i;

	while (at && xt2_ptr(f->unit)[at - 1] > unit && xt2_can_loop)
		at--;
	if (at && xt2_ptr(f->unit)[at - 1] == unit)
		return;
	if (f->n == f->room)
		f->more = true; /* the last one goes */
	else
		f->n++;
	for (i = f->n - 1; i > at && xt2_can_loop; i--)
		xt2_ptr(f->unit)[i] = xt2_ptr(f->unit)[i - 1];
	xt2_ptr(f->unit)[at] = unit;
	if (f->n == f->room)
		f->bound = xt2_ptr(f->unit)[f->room - 1];
}

static u32 found_end(const struct xt2_found *f, struct xt2_search *s)
{
	s->units = f->n;
	s->resume = f->more && f->n ? (xt2_ptr(f->unit)[f->n - 1] & ~XT2_UNIT_FLAGS) : 0;
	return f->n;
}

static void collect_nested(const struct xt2_columns __img *c, struct xt2_search *s, u32 after,
			   struct xt2_found *f)
{
	u32 first = after ? columns_behind(c, after) : 0, end = xt2_columns_blocks(c), i, n, resume;

	if (f->n == f->room) {
		end = (columns_behind(c, f->bound) + XT2_BLOCK - 1) / XT2_BLOCK;
		f->more |= end < xt2_columns_blocks(c);
		if (first >= end * XT2_BLOCK)
			return;
	}
	do {
		n = columns_find(c, &s->keys, first, end, s->block, &resume);
		for (i = 0; i < n && xt2_can_loop; i++) {
			if (s->block[i] > f->bound) {
				f->more = true;
				return;
			}
			add_found(f, s->block[i]);
		}
		first = resume * XT2_BLOCK;
		if (resume && columns_units(c)[first] > f->bound) {
			f->more = true;
			return;
		}
	} while (resume && xt2_can_loop);
}

/* Candidates of a bucket, of which the first ones are kept. */
static __always_inline void collect_bucket(const struct xt2_index_entry __img *e,
					   const struct xt2_index_entry __img *end, u64 tag,
					   const struct xt2_probe *probe, u32 after,
					   struct xt2_found *f)
{
	for (; e < end && xt2_can_loop; e++) {
		u64 head = *(const u64 __img *)e;

		if ((u32)head > f->bound) {
			f->more = true;
			break;
		}
		if (xt2_lets_through(e, head, tag, probe) && ((u32)head & ~XT2_UNIT_FLAGS) > after)
			add_found(f, (u32)head);
	}
}

/* f: a constant, NULL if only the first candidate is wanted. => that one */
static __always_inline u32 collect(const struct xt2_index __img *ix, struct xt2_search *s,
				   u32 after, struct xt2_found *f)
{
	const struct xt2_pairs __img *p = xt2_at(ix, ix->body);
	const struct xt2_index_entry __img *entry = xt2_at(ix, p->entry), *e, *end;
	const struct xt2_probe probe = xt2_probe_of(ix, &s->keys);
	u32 i, in, nested = xt2_zero, first = ~xt2_zero;
	u64 tag;

	for (i = xt2_zero; i < s->spans && xt2_can_loop; i++) {
		in = s->span[i].entries;
		e = entry + (in >> XT2_BUCKET_FIRST);
		if (unlikely(in & XT2_BUCKET_NESTED))
			s->columns[nested++] = i;
		end = e + (in & XT2_BUCKET_COUNT);
		tag = (u64)xt2_hash_tag(s->span[i].hash) << 32;
		if (f)
			collect_bucket(e, end, tag, &probe, after, f);
		else
			first = xt2_first_of_bucket(e, end, tag, &probe, after, first);
	}
	s->nested = nested;
	return first;
}

u32 xt2_index_collect(const struct xt2_index __img *ix xt2_arg_img,
		      struct xt2_search *s_ xt2_arg_img, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);

	if (ix->ahead == 1)
		return xt2_found_first(s, collect(ix, s, after, NULL));
	s->found = (struct xt2_found){
		.unit = s->unit + s->base,
		.room = ix->ahead,
		.bound = ~0u,
	};
	collect(ix, s, after, &s->found);
	return found_end(&s->found, s);
}

/* Last, when it is known how far one has to look. */
u32 xt2_index_nested(const struct xt2_index __img *ix xt2_arg_img,
		     struct xt2_search *s_ xt2_arg_img, u32 after)
{
	struct xt2_search *s = xt2_ptr(s_);
	const struct xt2_pairs __img *p = xt2_at(ix, ix->body);
	const struct xt2_index_entry __img *entry = xt2_at(ix, p->entry), *e;
	u32 i;

	for (i = xt2_zero; i < s->nested && xt2_can_loop; i++) {
		const struct xt2_span *span = &s->span[s->columns[i]];

		e = entry + (span->entries >> XT2_BUCKET_FIRST) +
		    (span->entries & XT2_BUCKET_COUNT);
		if (e->tag != xt2_hash_tag(span->hash) && !(e->unit & XT2_UNIT_MIXED))
			continue;
		if (e->ports > s->found.bound)
			s->found.more = true;
		else
			collect_nested(xt2_at(ix, e->unit & ~XT2_UNIT_FLAGS), s, after, &s->found);
	}
	return found_end(&s->found, s);
}
