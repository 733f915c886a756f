/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs-by-hand.h - chains with indexes of pairs that are laid out here
 *
 * Not as the engine makes them: what is in which bucket, in columns or a triple,
 * is as a test wants it.  They end where the process has no more memory, so what
 * looks behind them is caught.
 */
#ifndef TESTS_PAIRS_BY_HAND_H
#define TESTS_PAIRS_BY_HAND_H

#include <string.h>
#include <sys/mman.h>
#include "engine/index/build.h"
#include "rules.h"

#define PAIRS_RULES   16
#define PAIRS_ROOM    8192u
#define PAIRS_GUARD   65536u /* a multiple of any page */
#define PAIRS_CLASSES 2 /* all bits, and any value */
#define PAIRS_BUCKETS 4
#define PAIRS_SLOTS   4 /* of a class */

/* Where a unit is. */
enum how { PAIR, TRIPLE, NESTED };

static struct {
	struct {
		u32 host;
		u16 port; /* 0: any */
		enum how how;
	} rule[PAIRS_RULES];
	u32 rules;
	bool third; /* there is a third field */
	bool mixed; /* nested columns are of units with any tag */
	bool state; /* the first rule asks for one */
	u32 astray; /* this rule's unit is in the bucket behind its own; 0: none is */
	bool buckets_last;
} by;

static struct unit {
	struct xt2_box box;
	u32 place, hash, bucket;
	enum how how;
} unit[PAIRS_RULES];

static u64 room[PAIRS_ROOM / 8];
static u8 *guarded; /* PAIRS_ROOM bytes */
static struct xt2_chain *chain;
static struct xt2_index *ix;
static struct xt2_pairs *p;
static struct xt2_index_bucket *bucket;
static struct xt2_index_entry *entry;

/* --- lay out ----------------------------------------------------------- */

static inline void put_rule(u32 i)
{
	struct rule_build b;

	rule_begin(&b);
	if (i < by.rules) {
		rule_source(&b, 0x0a000000 + by.rule[i].host, 32);
		rule_match(&b, XT2_M_DST4, sizeof(struct xt2_match), 0x0a010000 + by.rule[i].host);
	}
	if (!i && by.state)
		rule_match(&b, XT2_M_STATE, sizeof(struct xt2_match), XT2_CT_NEW);
	if (i < by.rules && by.rule[i].port) {
		struct xt2_match *m;

		rule_proto(&b, 6);
		m = rule_match(&b, XT2_M_TCP, sizeof(*m), by.rule[i].port * 0x10001u);
		m->flags = XT2_PORTS_DST;
	}
	memcpy((u8 *)chain + chain->size,
	       rule_end(&b, XT2_TARGET(i < by.rules ? XT2_T_DROP : XT2_T_RETURN, 0)), b.used);
	unit[i].place = chain->tail = chain->size;
	unit[i].how = by.rule[i].how;
	xt2_box_of(&unit[i].box, xt2_at(chain, chain->size));
	chain->size += b.used;
	chain->rules++;
}

static inline void put_rules(void)
{
	u32 i;

	chain = (struct xt2_chain *)room;
	memset(room, 0, sizeof(room));
	chain->size = sizeof(*chain);
	for (i = 0; i <= by.rules; i++)
		put_rule(i);
	chain->used = chain->lookup = chain->size;
}

/* => so many bytes of the index, which has them now */
static inline void *take(u32 bytes, u32 *offset)
{
	*offset = ix->size;
	ix->size += (bytes + 7) / 8 * 8;
	return xt2_at(ix, *offset);
}

static inline void put_dimension(u32 number, u8 field, u8 classes)
{
	struct xt2_index_dimension *d = &p->dim[number];
	u32 i;

	d->field = field;
	d->classes = classes;
	d->words = 1;
	if (classes > 1)
		d->mask[0][0] = ~0u;
	for (i = 0; i < XT2_CLASSES; i++)
		d->shift[i] = i < classes ? 30 : SHIFT_UNUSED;
	for (i = 0; i < classes; i++)
		take(PAIRS_SLOTS * sizeof(u16), &d->slot[i]);
}

static inline u16 *slot_of(u32 number, u32 cls, u32 hash)
{
	const struct xt2_index_dimension *d = &p->dim[number];

	return (u16 *)xt2_at(ix, d->slot[cls]) + (hash >> d->shift[cls]);
}

/* Its classes' slots name each other. */
static inline void hash_unit(struct unit *u)
{
	const u32 triple = u->how == TRIPLE ? XT2_CLASSES : 0;
	u32 hash[3], cls[3], i;

	for (i = 0; i < 3; i++)
		hash[i] = xt2_box_hash(&u->box, &p->dim[i], i, &cls[i]);
	*slot_of(0, cls[0], hash[0]) |= (u16)(1u << (cls[1] + triple));
	*slot_of(1, cls[1], hash[1]) |= (u16)(1u << (cls[0] + triple));
	u->hash = xt2_hash_pair(hash[0], hash[1]);
	if (triple) {
		*slot_of(2, 0, hash[2]) = 1;
		u->hash = xt2_hash_pair(u->hash, hash[2]);
	}
	u->bucket = u->hash >> 30;
}

/* By destination port. => offset of columns with the nested units of a bucket; 0: there are none */
static inline u32 put_columns(u32 number, struct xt2_index_entry *e)
{
	struct xt2_columns *k;
	u32 *units, offset, i;
	u16 *at, most;

	for (i = 0; i < by.rules; i++)
		if (unit[i].how == NESTED && unit[i].bucket == number)
			break;
	if (i == by.rules)
		return 0;
	k = take(sizeof(*k) + XT2_BLOCK * (sizeof(u32) + 2 * sizeof(u16)), &offset);
	k->columns = 1;
	k->column[0] = XT2_KEY_DPORT;
	units = (u32 *)(k + 1);
	at = (u16 *)(units + XT2_BLOCK);
	*e = (struct xt2_index_entry){ .tag = xt2_hash_tag(unit[i].hash), .ports = unit[i].place };
	for (; i < by.rules; i++) {
		if (unit[i].how != NESTED || unit[i].bucket != number)
			continue;
		units[k->units] = unit[i].place;
		xt2_box_range(&unit[i].box, XT2_IPV4, XT2_KEY_DPORT, &at[k->units], &most);
		at[XT2_BLOCK + k->units++] = (u16)~most;
	}
	e->unit = offset | XT2_UNIT_NESTED | (by.mixed ? XT2_UNIT_MIXED : 0);
	e->never = NEVER_AT_ALL;
	return offset;
}

/* Entries and buckets in room of the test's, since columns come before them. */
static inline void put_buckets(struct xt2_index_bucket *b, struct xt2_index_entry *e)
{
	u32 i, j, first;

	for (i = 0; i < PAIRS_BUCKETS; i++) {
		first = p->entries;
		for (j = 0; j < by.rules; j++) {
			if (unit[j].bucket != i)
				continue;
			b[unit[j].hash >> 30].tags |= 1u << unit[j].hash % 32;
			if (unit[j].how == NESTED)
				continue;
			e[p->entries++] = (struct xt2_index_entry){
				.unit = unit[j].place,
				.tag = xt2_hash_tag(unit[j].hash),
				.never = xt2_box_never(&unit[j].box),
				.ports = xt2_box_ports(&unit[j].box),
			};
		}
		b[i].entries = p->entries - first;
		if (put_columns(i, &e[p->entries])) {
			b[i].entries |= XT2_BUCKET_NESTED;
			p->entries++;
		}
		if (b[i].entries)
			b[i].entries |= first << XT2_BUCKET_FIRST;
	}
	for (i = 0; i < XT2_ENTRIES_BEYOND; i++)
		e[p->entries + i].never = NEVER_AT_ALL;
}

/* To where nothing is behind it. */
static inline void move_pairs(void)
{
	chain->size += ix->size;
	chain = memcpy(guarded + PAIRS_ROOM - chain->size, room, chain->size);
	ix = (struct xt2_index *)xt2_at(chain, chain->lookup);
	p = xt2_at(ix, ix->body);
	bucket = xt2_at(ix, p->bucket);
	entry = xt2_at(ix, p->entry);
}

static inline void lay_out(void)
{
	struct xt2_index_bucket b[PAIRS_BUCKETS] = { { 0, 0 } };
	struct xt2_index_entry e[PAIRS_RULES + XT2_ENTRIES_BEYOND] = { { 0, 0, 0, 0 } };
	u32 i, n;

	put_rules();
	ix = (struct xt2_index *)xt2_at(chain, chain->lookup);
	ix->size = sizeof(*ix);
	ix->kind = XT2_INDEX_PAIRS;
	ix->asks = XT2_ASKS_PORTS;
	ix->ahead = 2;
	ix->units = by.rules;
	p = take(sizeof(*p), &ix->body);
	p->shift = 30;
	put_dimension(0, XT2_FIELD_SRC, PAIRS_CLASSES);
	put_dimension(1, XT2_FIELD_DST, PAIRS_CLASSES);
	put_dimension(2, by.third ? XT2_FIELD_DPORT : XT2_FIELD_NONE, by.third ? PAIRS_CLASSES : 1);
	for (i = 0; i < by.rules; i++)
		hash_unit(&unit[i]);
	if (by.astray)
		unit[by.astray].bucket++;
	put_buckets(b, e);
	n = (p->entries + XT2_ENTRIES_BEYOND) * (u32)sizeof(*e);
	if (!by.buckets_last)
		memcpy(take(sizeof(b), &p->bucket), b, sizeof(b));
	memcpy(take(n, &p->entry), e, n);
	if (by.buckets_last)
		memcpy(take(sizeof(b), &p->bucket), b, sizeof(b));
	move_pairs();
}

/* --- what is right ----------------------------------------------------- */

static inline void add_rule(u32 host, u16 port, enum how how)
{
	const u32 i = by.rules++;

	by.rule[i].host = host;
	by.rule[i].port = port;
	by.rule[i].how = how;
}

/* Pairs of two hosts, with one port or with any. */
static inline void make_pairs(void)
{
	u32 i;

	memset(&by, 0, sizeof(by));
	for (i = 0; i < 8; i++)
		add_rule(i, i % 2 ? (u16)(1000 + i) : 0, PAIR);
	lay_out();
}

/* Two ports of one pair have entries of their own, and any other one of it, too. */
static inline void make_triples(void)
{
	make_pairs();
	by.third = true;
	add_rule(3, 2000, TRIPLE);
	add_rule(3, 3000, TRIPLE);
	lay_out();
}

/* Ports of one pair are columns. */
static inline void make_nested(void)
{
	u32 i;

	make_pairs();
	for (i = 0; i < 4; i++)
		add_rule(2, (u16)(2000 + i), NESTED);
	lay_out();
}

/* Those of all pairs of the hosts' most crowded bucket are. */
static inline void make_mixed(void)
{
	u32 i, crowded = 0;

	make_pairs();
	for (i = 1; i < PAIRS_BUCKETS; i++)
		if (bucket[i].entries % 32 > bucket[crowded].entries % 32)
			crowded = i;
	for (i = 0; i < by.rules; i++)
		if (unit[i].bucket == crowded)
			by.rule[i].how = NESTED;
	by.mixed = true;
	lay_out();
}

/* To be called first, as cmocka calls it. */
static inline int make_room(void **unused)
{
	guarded = mmap(NULL, PAIRS_GUARD * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (guarded == MAP_FAILED || mprotect(guarded + PAIRS_GUARD, PAIRS_GUARD, PROT_NONE))
		return -1;
	guarded += PAIRS_GUARD - PAIRS_ROOM;
	return 0;
}

#endif
