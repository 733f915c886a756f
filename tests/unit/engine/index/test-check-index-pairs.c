/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-check-index-pairs.c - engine/index/check-index.c: what indexes of pairs may be like
 *
 * Indexes of pairs made by hand: each wrong one is right but for one thing, and
 * the check says which.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "engine/index/find.h"
#include "tests/lib/pairs-by-hand.h"

#define NOT_VALID	 "pairs of an index are not valid"
#define DIMENSION	 "dimension of an index is not valid"
#define BITS_OF_NO_CLASS "dimension of an index has bits of no class"
#define SLOTS		 "slots of an index are not valid"
#define BUCKETS_WRONG	 "buckets of an index are not valid"
#define COLUMNS		 "columns of an index are not valid"
#define COLUMNS_BEGIN	 "columns of an index begin elsewhere"
#define UNITS_ORDER	 "units of an index are not in order"
#define MISSES		 "index would miss a rule"
#define OF_NO_RULE	 "index has entries of no rule"
#define HEADER		 "header of an index is not valid"

static void taken(void)
{
	const char *what = "";

	if (xt2_index_check(chain, XT2_IPV4, &what))
		fail_msg("%s", what);
}

static void refused(const char *why)
{
	const char *what = "";

	assert_int_equal(xt2_index_check(chain, XT2_IPV4, &what), -EINVAL);
	assert_string_equal(what, why);
}

/* A search for what a rule asks for finds the rule. */
static bool is_found(u32 i)
{
	const u32 host = by.rule[i].host;
	const struct xt2_pkt pkt = { .family = XT2_IPV4,
				     .src4 = 0x0a000000 + host,
				     .dst4 = 0x0a010000 + host };
	static struct xt2_search s;
	u32 j;

	ix->ahead = XT2_CANDIDATES;
	memset(&s, 0, sizeof(s));
	s.keys.key[XT2_KEY_PROTO] = 6;
	s.keys.key[XT2_KEY_DPORT] = by.rule[i].port;
	xt2_index_find(chain, &s, &pkt, 0);
	for (j = 0; j < s.units && s.unit[j] != unit[i].place; j++)
		;
	return j < s.units;
}

static void what_is_right_is_taken(void **unused)
{
	static void (*const make[])(void) = { make_pairs, make_triples, make_nested, make_mixed };
	u32 i, j;

	for (i = 0; i < XT2_ARRAY_SIZE(make); i++) {
		make[i]();
		taken();
		for (j = 0; j < by.rules; j++)
			assert_true(is_found(j));
		by.buckets_last = true;
		lay_out();
		taken();
	}
}

/* => the entry of a kind, of which there is one */
static struct xt2_index_entry *nested_entry(void)
{
	u32 i;

	for (i = 0; i < p->entries && !(entry[i].unit & XT2_UNIT_NESTED); i++)
		;
	assert_true(i < p->entries);
	return &entry[i];
}

static struct xt2_index_entry *entry_of(u32 rule)
{
	u32 i;

	for (i = 0; i < p->entries && entry[i].unit != unit[rule].place; i++)
		;
	assert_true(i < p->entries);
	return &entry[i];
}

/* => a bucket with at least so many entries, and no columns */
static struct xt2_index_bucket *bucket_with(u32 n)
{
	u32 i;

	for (i = 0; i < PAIRS_BUCKETS; i++)
		if (bucket[i].entries % 64 >= n && !(bucket[i].entries & XT2_BUCKET_NESTED))
			return &bucket[i];
	fail();
	return NULL;
}

static struct xt2_index_entry *first_of(const struct xt2_index_bucket *b)
{
	return entry + (b->entries >> XT2_BUCKET_FIRST);
}

/* --- header and dimensions --------------------------------------------- */

static void header_is_checked(void **unused)
{
	make_pairs();
	ix->ahead = XT2_CANDIDATES;
	taken();
	ix->ahead = XT2_CANDIDATES + 1;
	refused(HEADER);
	ix->ahead = 0;
	refused(HEADER);
	make_pairs();
	ix->asks = 0;
	refused(NOT_VALID);
	make_pairs();
	p->shift = 32;
	refused(NOT_VALID);
	make_pairs();
	ix->body = ix->size - (u32)sizeof(*p) + 8;
	refused(NOT_VALID);
}

/* Those of the third one, which nothing depends on here. */
static void dimensions_are_checked(void **unused)
{
	u32 i;

	make_pairs();
	p->dim[2].field = XT2_FIELDS - 1;
	taken();
	p->dim[2].field = XT2_FIELDS;
	refused(DIMENSION);
	p->dim[2].field = XT2_FIELD_MAC;
	refused(DIMENSION);
	ix->asks |= XT2_ASKS_MAC;
	taken();
	p->dim[2].words = 3;
	refused(DIMENSION);
	p->dim[2].words = 0;
	refused(DIMENSION);
	make_pairs();
	for (i = 0; i < XT2_CLASSES; i++) {
		p->dim[2].slot[i] = p->dim[2].slot[0];
		p->dim[2].shift[i] = p->dim[2].shift[0];
	}
	p->dim[2].classes = XT2_CLASSES;
	taken();
	p->dim[2].classes = XT2_CLASSES + 1;
	refused(DIMENSION);
	make_pairs();
	p->dim[2].slot[0] = 0;
	p->dim[2].shift[0] = SHIFT_UNUSED;
	p->dim[2].classes = 0;
	refused(DIMENSION);
}

static void bits_are_of_a_class(void **unused)
{
	make_pairs();
	p->dim[0].mask[1][0] = 1; /* of a word that is not hashed */
	refused(BITS_OF_NO_CLASS);
	make_pairs();
	p->dim[0].mask[3][0] = 1;
	refused(BITS_OF_NO_CLASS);
	make_pairs();
	p->dim[1].mask[0][PAIRS_CLASSES - 1] = 1; /* of any value */
	refused(BITS_OF_NO_CLASS);
	make_pairs();
	p->dim[1].mask[0][XT2_CLASSES - 1] = 1;
	refused(BITS_OF_NO_CLASS);
}

static void slots_are_checked(void **unused)
{
	make_triples();
	p->dim[2].slot[1] = ix->size - 8; /* what it says doesn't matter */
	taken();
	p->dim[2].shift[1] = 29;
	refused(SLOTS);
	p->dim[2].shift[1] = 32;
	refused(SLOTS);
	p->dim[2].shift[1] = 30;
	p->dim[2].slot[1] = ix->size;
	refused(SLOTS);
	p->dim[2].slot[1] = 8;
	refused(SLOTS);
	make_triples();
	p->dim[2].slot[1] += 2;
	refused(SLOTS);
	make_pairs();
	p->dim[0].slot[PAIRS_CLASSES] = p->dim[0].slot[0];
	refused(SLOTS);
	make_pairs();
	p->dim[0].shift[PAIRS_CLASSES] = 30;
	refused(SLOTS);
}

/* --- buckets ----------------------------------------------------------- */

static void arrays_are_inside(void **unused)
{
	make_pairs();
	ix->size -= 8;
	refused(BUCKETS_WRONG);
	make_pairs();
	by.buckets_last = true;
	lay_out();
	ix->size -= 8;
	refused(BUCKETS_WRONG);
}

/* Nothing is read behind the entries that let nothing through, which could be some. */
static void buckets_are_inside(void **unused)
{
	struct xt2_index_bucket *last;
	u32 i;

	make_pairs();
	last = &bucket[PAIRS_BUCKETS - 1];
	while (!last->entries)
		last--;
	last->entries |= XT2_BUCKET_COUNT;
	for (i = 0; i < XT2_ENTRIES_BEYOND; i++)
		entry[p->entries + i].unit = ~XT2_UNIT_FLAGS;
	refused(BUCKETS_WRONG);
	make_pairs();
	for (i = 0; i < PAIRS_BUCKETS; i++)
		bucket[i] = (struct xt2_index_bucket){ 0, 0 };
	refused(BUCKETS_WRONG);
	make_pairs();
	p->entries++; /* of which no bucket knows */
	ix->size += sizeof(*entry);
	refused(BUCKETS_WRONG);
}

/* => how many empty buckets there are, filled by this */
static u32 fill_empty(u32 entries, u32 tags)
{
	u32 i, n = 0;

	make_pairs();
	while (by.rules > 2) { /* so few that some buckets are */
		by.rules--;
		lay_out();
	}
	for (i = 0; i < PAIRS_BUCKETS; i++) {
		if (bucket[i].entries)
			continue;
		bucket[i].entries = entries;
		bucket[i].tags = tags;
		n++;
	}
	return n;
}

static void empty_buckets_have_nothing(void **unused)
{
	assert_true(fill_empty(0, 0) >= 2);
	taken();
	fill_empty(1 << XT2_BUCKET_FIRST, 0);
	refused(BUCKETS_WRONG);
	fill_empty(0, 1);
	refused(BUCKETS_WRONG);
}

/* Units of two buckets change places. */
static void buckets_follow_one_another(void **unused)
{
	struct xt2_index_bucket *a, *b;
	struct xt2_index_entry one;
	u32 i = 1;

	make_pairs();
	while (unit[i].bucket == unit[0].bucket)
		i++;
	by.rule[1] = by.rule[i];
	by.rules = 2;
	lay_out();
	taken();
	a = &bucket[unit[0].bucket];
	b = &bucket[unit[1].bucket];
	a->entries ^= 1 << XT2_BUCKET_FIRST;
	b->entries ^= 1 << XT2_BUCKET_FIRST;
	one = entry[0];
	entry[0] = entry[1];
	entry[1] = one;
	refused(BUCKETS_WRONG);
}

/* A unit is in columns of any tag, but they are those of the next bucket. */
static void columns_are_a_buckets_own(void **unused)
{
	u32 i;

	make_pairs();
	for (i = 1; i < by.rules; i++)
		if (unit[i].bucket + 1 < PAIRS_BUCKETS && bucket[unit[i].bucket + 1].entries &&
		    (bucket[unit[i].bucket].entries & XT2_BUCKET_COUNT) > 1)
			by.astray = i;
	assert_true(by.astray);
	for (i = 0; i < by.rules; i++)
		if (i == by.astray || unit[i].bucket == unit[by.astray].bucket + 1)
			by.rule[i].how = NESTED;
	by.mixed = true;
	lay_out();
	refused(MISSES);
}

static void entries_are_in_order(void **unused)
{
	struct xt2_index_entry one, *e;

	make_pairs();
	e = first_of(bucket_with(2));
	one = e[0];
	e[0] = e[1];
	e[1] = one;
	refused(BUCKETS_WRONG);
}

static void nested_ones_are_last(void **unused)
{
	struct xt2_index_bucket *b;

	make_pairs();
	b = bucket_with(1);
	b->entries += XT2_BUCKET_NESTED - 1; /* the last one is no columns */
	refused(BUCKETS_WRONG);
	make_nested();
	b = &bucket[unit[by.rules - 1].bucket];
	b->entries += 1 - XT2_BUCKET_NESTED; /* the last one is columns */
	refused(BUCKETS_WRONG);
	make_mixed();
	nested_entry()->unit &= ~XT2_UNIT_NESTED;
	refused(BUCKETS_WRONG);
}

/* --- entries ----------------------------------------------------------- */

static void nothing_is_behind(void **unused)
{
	u32 i, bit;

	for (i = 0; i < XT2_ENTRIES_BEYOND; i++) {
		for (bit = 0; bit < 16; bit += 15) {
			make_pairs();
			entry[p->entries + i].never ^= (u16)(1u << bit);
			refused(OF_NO_RULE);
		}
	}
}

static void columns_are_named_rightly(void **unused)
{
	make_nested();
	nested_entry()->never = NEVER_AT_ALL - 1;
	refused(COLUMNS_BEGIN);
	make_nested();
	nested_entry()->ports -= 8;
	refused(COLUMNS_BEGIN);
	make_nested();
	nested_entry()->ports |= 1ull << 32;
	refused(COLUMNS_BEGIN);
	make_nested();
	nested_entry()->tag ^= 1;
	refused(MISSES);
	make_mixed();
	nested_entry()->tag ^= 1;
	taken();
	make_mixed();
	nested_entry()->unit &= ~XT2_UNIT_MIXED;
	refused(MISSES);
}

static struct xt2_columns *columns_of(const struct xt2_index_entry *e)
{
	return xt2_at(ix, e->unit & ~XT2_UNIT_FLAGS);
}

static void columns_are_checked(void **unused)
{
	u32 *units;

	make_nested();
	columns_of(nested_entry())->columns = XT2_COLUMNS_MAX + 1;
	refused(COLUMNS);
	make_nested();
	columns_of(nested_entry())->column[0] = XT2_KEY_MAC;
	refused(COLUMNS);
	make_nested();
	columns_of(nested_entry())->units--;
	refused(OF_NO_RULE);
	make_nested();
	units = (u32 *)(columns_of(nested_entry()) + 1);
	units[2] = units[1];
	refused(UNITS_ORDER);
	make_nested();
	units = (u32 *)(columns_of(nested_entry()) + 1);
	units[3] += 8;
	refused(MISSES);
}

static void entries_are_of_rules(void **unused)
{
	struct xt2_index_entry *e;

	make_pairs();
	e = first_of(bucket_with(1));
	e->unit |= XT2_UNIT_RUN;
	refused(MISSES);
	make_pairs();
	ix->units++;
	refused(OF_NO_RULE);
	make_mixed();
	e = first_of(bucket_with(1));
	*e = *nested_entry(); /* columns twice */
	refused(BUCKETS_WRONG);
}

/* What a rule's entry lets through is no less than what the rule asks for. */
static void entries_let_through(void **unused)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		make_pairs();
		entry_of(1)->ports &= ~(0x7fffull << 16 * i);
		taken(); /* more than it has to */
		make_pairs();
		entry_of(1)->ports += 1ull << 16 * i;
		refused(MISSES);
		make_pairs();
		entry_of(1)->ports |= 0x8000ull << 16 * i;
		refused(MISSES);
	}
	make_pairs();
	entry_of(1)->ports &= ~(0x7fffull << 32);
	entry_of(1)->ports |= 0x8001ull << 16; /* borrows what is in excess there */
	refused(MISSES);
	make_pairs();
	entry_of(1)->never |= 0x1;
	refused(MISSES);
	make_pairs();
	entry_of(1)->never = 0;
	taken();
	make_pairs();
	entry_of(0)->never |= 0x8;
	refused(MISSES);
	make_pairs();
	entry_of(0)->tag ^= 0x8000;
	refused(MISSES);
	make_pairs();
	bucket[unit[0].bucket].tags &= ~(1u << unit[0].hash % 32);
	refused(MISSES);
}

static void states_are_asked_for(void **unused)
{
	make_pairs();
	by.state = true;
	lay_out();
	refused(MISSES);
	ix->asks |= XT2_ASKS_STATE;
	taken();
	entry_of(0)->never |= 1 << (XT2_BIT_STATE + XT2_STATE_NEW);
	refused(MISSES);
}

/* --- slots ------------------------------------------------------------- */

/* A slot that a rule's value names. */
static u16 *slot_for(u32 rule, u32 number)
{
	u32 cls, hash = xt2_box_hash(&unit[rule].box, &p->dim[number], number, &cls);

	return slot_of(number, cls, hash);
}

static void pairs_are_found(void **unused)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		make_pairs();
		*slot_for(4, i) = 0;
		refused(MISSES);
		make_pairs();
		*slot_for(4, i) <<= XT2_CLASSES; /* as if it had triples */
		refused(MISSES);
		make_pairs();
		*slot_for(4, i) |= 1u << 1; /* with any other: more than it has to */
		taken();
	}
}

static void triples_are_found(void **unused)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		make_triples();
		*slot_for(8, i) &= i < 2 ? 0xff : 0;
		refused(MISSES);
	}
	make_pairs();
	by.third = true;
	by.rule[4].how = TRIPLE; /* any port is no value */
	lay_out();
	refused(MISSES);
	make_pairs();
	by.rule[3].how = TRIPLE; /* without a third field */
	lay_out();
	refused(MISSES);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_is_right_is_taken),
	cmocka_unit_test(header_is_checked),
	cmocka_unit_test(dimensions_are_checked),
	cmocka_unit_test(bits_are_of_a_class),
	cmocka_unit_test(slots_are_checked),
	cmocka_unit_test(arrays_are_inside),
	cmocka_unit_test(buckets_are_inside),
	cmocka_unit_test(empty_buckets_have_nothing),
	cmocka_unit_test(buckets_follow_one_another),
	cmocka_unit_test(columns_are_a_buckets_own),
	cmocka_unit_test(entries_are_in_order),
	cmocka_unit_test(nested_ones_are_last),
	cmocka_unit_test(nothing_is_behind),
	cmocka_unit_test(columns_are_named_rightly),
	cmocka_unit_test(columns_are_checked),
	cmocka_unit_test(entries_are_of_rules),
	cmocka_unit_test(entries_let_through),
	cmocka_unit_test(states_are_asked_for),
	cmocka_unit_test(pairs_are_found),
	cmocka_unit_test(triples_are_found),
};

UNITS_WITH(tests, make_room, NULL)
