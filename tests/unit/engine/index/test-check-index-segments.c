/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-check-index-segments.c - engine/index/check-index.c: bounds of segments
 *
 * Indexes of segments made by hand: each wrong one is right but for one thing,
 * and what lies behind an array looks as if it belonged to it.  So only the
 * check of that one thing can refuse it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "engine/index/find.h"
#include "tests/lib/rules.h"

#define RULES 72

/* Arrays of a body, in the order in which they are laid out, and the body itself. */
enum part { BODY, SLOTS, BUCKETS, BEGINS, WHATS, COMMONS, PARTS };

static struct {
	u32 addr[RULES], prefix[RULES], rules; /* prefix 0: any address */
	struct xt2_segments g;
	struct xt2_segment_slot slot[8];
	u16 bucket[256], begin[256];
	u32 what[256], common[8];
} by;

static u64 room[8192];
static struct xt2_chain *const chain = (struct xt2_chain *)room;
static struct xt2_index *ix;

/* --- lay out ----------------------------------------------------------- */

static u32 place(u32 rule)
{
	return (u32)sizeof(*chain) + 32 * rule;
}

/* What a segment says of a rule. */
static u32 says(u32 rule, u32 open, u32 flags)
{
	return place(rule) / 8 << XT2_SEGMENT_PLACE | open | flags;
}

static void put_rules(void)
{
	struct rule_build b;
	u32 i;

	memset(room, 0, sizeof(room));
	chain->size = sizeof(*chain);
	for (i = 0; i <= by.rules; i++) {
		rule_begin(&b);
		if (i < by.rules && by.prefix[i])
			rule_source(&b, by.addr[i], by.prefix[i]);
		else if (i < by.rules)
			rule_proto(&b, 1);
		chain->tail = chain->size;
		memcpy((u8 *)chain + chain->size,
		       rule_end(&b, XT2_TARGET(i < by.rules ? XT2_T_DROP : XT2_T_RETURN, 0)),
		       b.used);
		chain->size += b.used;
		chain->rules++;
	}
	chain->used = chain->lookup = chain->size;
}

static const struct {
	const void *from;
	u32 *offset, *n;
	u32 size, behind; /* of an element; elements behind that look like some */
} parts[PARTS] = {
	[BODY] = { &by.g, NULL, NULL, sizeof(by.g), 0 },
	[SLOTS] = { by.slot, &by.g.slot, &by.g.slots, sizeof(*by.slot), 1 },
	[BUCKETS] = { by.bucket, &by.g.bucket, &by.g.buckets, sizeof(*by.bucket), 4 },
	[BEGINS] = { by.begin, &by.g.begin, &by.g.segments, sizeof(*by.begin), 4 },
	[WHATS] = { by.what, &by.g.what, &by.g.segments, sizeof(*by.what), 2 },
	[COMMONS] = { by.common, &by.g.common, &by.g.commons, sizeof(*by.common), 2 },
};

static u32 offset_of(enum part last, enum part part)
{
	u32 at = sizeof(*ix), i, n;

	for (i = 0; i < PARTS; i++) {
		const u32 now = i == PARTS - 1 ? last : i + (i >= last);

		n = parts[now].n ? *parts[now].n + parts[now].behind : 1;
		if (now == part)
			return at;
		at += (n * parts[now].size + 7) / 8 * 8;
	}
	return at;
}

/* With this part as the last one.  What slots have of buckets counts from the first. */
static void lay_out(enum part last)
{
	const u32 n = parts[last].n ? *parts[last].n : 1;
	struct xt2_segment_slot *slot;
	u32 i;

	put_rules();
	ix = (struct xt2_index *)xt2_at(chain, chain->lookup);
	ix->kind = XT2_INDEX_SEGMENTS;
	ix->ahead = 2;
	ix->units = by.rules;
	ix->body = offset_of(last, BODY);
	for (i = 1; i < PARTS; i++)
		*parts[i].offset = offset_of(last, (enum part)i);
	for (i = 0; i < PARTS; i++) {
		const u32 many = parts[i].n ? *parts[i].n + parts[i].behind : 1;

		memcpy((u8 *)ix + offset_of(last, (enum part)i), parts[i].from,
		       many * parts[i].size);
	}
	slot = xt2_at(ix, by.g.slot);
	for (i = 0; i <= by.g.slots; i++)
		slot[i].bucket += by.g.bucket;
	ix->size = offset_of(last, last) + (n * parts[last].size + 7) / 8 * 8;
	chain->size = chain->used + ix->size;
}

static int check(u8 family)
{
	const char *what;

	return xt2_index_check(chain, family, &what);
}

static void expect(int err)
{
	lay_out(COMMONS);
	assert_int_equal(check(XT2_IPV4), err);
}

/* => the first candidate for an address; 0: none */
static u32 find(u32 addr)
{
	const struct xt2_pkt pkt = { .family = XT2_IPV4, .src4 = addr };
	static struct xt2_search s;

	xt2_index_find(chain, &s, &pkt, 0);
	return s.units ? s.unit[0] : 0;
}

/* --- what is right ----------------------------------------------------- */

/* Two rules for any address, and two slots that have nothing. */
static void make_commons(void)
{
	memset(&by, 0, sizeof(by));
	by.rules = 2;
	by.g.field = XT2_FIELD_SRC;
	by.g.shift = 31;
	by.g.slots = 2;
	by.slot[0].shift = by.slot[1].shift = 1;
	by.g.buckets = 4;
	by.g.segments = 16;
	by.g.commons = 2;
	by.common[0] = place(0);
	by.common[1] = place(1);
}

/* 10.0.0.1 in 10.0.0.0/24; 192.168.0.0/16; any: a bucket of 2^12, one of 2^20. */
static void make_base(void)
{
	make_commons();
	by.rules = 4;
	by.addr[0] = 0x0a000001;
	by.prefix[0] = 32;
	by.addr[1] = 0x0a000000;
	by.prefix[1] = 24;
	by.addr[2] = 0xc0a80000;
	by.prefix[2] = 16;
	by.slot[0] = (struct xt2_segment_slot){ .least = 0x0a000, .last = 1, .shift = 12 };
	by.slot[1] = (struct xt2_segment_slot){
		.segment = 2, .bucket = 3 * 2, .least = 0xc0a, .last = 1, .shift = 20
	};
	by.bucket[1] = by.bucket[2] = 2;
	by.bucket[4] = by.bucket[5] = 1;
	by.g.buckets = 8;
	by.what[0] = says(1, 8 + 15 - 12, 0);
	by.begin[1] = 1 << (15 - 12);
	by.what[1] = says(0, 15 - 12, XT2_SEGMENT_MORE);
	by.begin[2] = 1 << 14;
	by.what[2] = says(2, 16 + 15 - 20, 0);
	by.g.segments = 3 + 16;
	by.g.commons = 1;
	by.common[0] = place(3);
}

/* 192.168.0.0/16 in a slot of its own, and one behind the slots that is the same. */
static void make_deep(void)
{
	make_base();
	by.begin[2] = 0;
	by.what[2] = 2 << XT2_SEGMENT_PLACE | XT2_SEGMENT_SLOT;
	by.slot[2] = (struct xt2_segment_slot){
		.segment = 3, .bucket = 6 * 2, .least = 0xc0a8, .last = 1, .shift = 16
	};
	by.slot[3] = by.slot[2];
	by.g.slots = 3;
	by.bucket[7] = by.bucket[8] = 1;
	by.g.buckets = 12;
	by.what[3] = says(2, 15, 0);
	by.g.segments = 4 + 16;
}

/* n rules for one host. */
static void make_equal(u32 n)
{
	u32 i;

	make_commons();
	by.g.commons = 0;
	by.rules = n;
	by.slot[0] = (struct xt2_segment_slot){ .least = 0x0a000, .last = 1, .shift = 12 };
	by.slot[1].bucket = 2 * 2; /* has nothing there */
	by.bucket[1] = by.bucket[2] = by.bucket[3] = (u16)n;
	for (i = 0; i < n; i++) {
		by.addr[i] = 0x0a000000;
		by.prefix[i] = 32;
		by.what[i] = says(i, 15 - 12, i ? XT2_SEGMENT_MORE : 0);
	}
	by.g.segments = n + 16;
}

/* A rule for half of all addresses, in so many buckets. */
static void make_wide(u32 buckets)
{
	u32 i;

	make_equal(1);
	by.addr[0] = 0;
	by.prefix[0] = 1;
	by.slot[0] = (struct xt2_segment_slot){ .last = (u16)buckets,
						.shift = (u8)(32 - __builtin_ctz(2 * buckets)) };
	by.slot[1].bucket = 2 * buckets;
	for (i = 0; i < buckets; i++) {
		by.bucket[i + 1] = (u16)(i + 1);
		by.what[i] = says(0, 15, 0);
	}
	by.bucket[buckets + 1] = (u16)buckets;
	by.g.buckets = buckets + 4;
	by.g.segments = buckets + 16;
}

static void what_is_right_is_taken(void **unused)
{
	make_commons();
	expect(0);
	make_base();
	expect(0);
	assert_int_equal(find(0x0a000001), place(0));
	assert_int_equal(find(0x0a0000ff), place(1));
	assert_int_equal(find(0xc0a8ffff), place(2));
	assert_int_equal(find(0x0b000000), place(3));
	make_deep();
	expect(0);
	assert_int_equal(find(0xc0a8ffff), place(2));
	make_equal(XT2_SEGMENTS_MOST);
	expect(0);
	assert_int_equal(find(0x0a000000), place(0));
	make_wide(64);
	expect(0);
	assert_int_equal(find(0x7fffffff), place(0));
	assert_int_equal(find(0x80000000), 0);
}

/* --- bounds ------------------------------------------------------------ */

/* All but the last bytes of an array are in the index. */
static void arrays_are_inside(void **unused)
{
	u32 last;

	for (last = 0; last < PARTS; last++) {
		make_commons();
		lay_out((enum part)last);
		assert_int_equal(check(XT2_IPV4), 0);
		ix->size -= 8;
		chain->size -= 8;
		assert_int_equal(check(XT2_IPV4), -EINVAL);
	}
}

/* What is outside of a slot's buckets goes to its last one, and that has nothing. */
static void last_buckets_are_empty(void **unused)
{
	make_equal(1);
	by.addr[0] = 0;
	by.prefix[0] = 1;
	by.slot[0] = (struct xt2_segment_slot){ .last = 0, .shift = 30 };
	by.slot[1] = (struct xt2_segment_slot){ .last = 0, .shift = 31, .bucket = 1 * 2 };
	by.bucket[0] = 0;
	by.bucket[1] = 1;
	by.bucket[2] = 2;
	by.what[0] = says(0, 15, 0);
	by.what[1] = 0x1ffffffu << XT2_SEGMENT_PLACE | 15; /* far behind the chain */
	by.g.buckets = 4;
	by.g.segments = 2 + 16;
	expect(-EINVAL);
}

/*
 * A rule for half of all addresses, which two slots name: the first one's bucket is as
 * wide as both, and the second one has nothing.
 */
static void buckets_are_no_wider_than_slots(void **unused)
{
	make_equal(1);
	by.addr[0] = 0;
	by.prefix[0] = 1;
	by.g.shift = 30;
	by.g.slots = 4;
	by.slot[0] = (struct xt2_segment_slot){ .last = 1, .shift = 31 };
	by.slot[1] = by.slot[2] = by.slot[3] =
		(struct xt2_segment_slot){ .shift = 1, .bucket = 2 * 2 };
	by.what[0] = says(0, 15, 0);
	expect(-EINVAL);
	by.g.shift = 31;
	by.g.slots = 2;
	expect(0);
	assert_int_equal(find(0x40000000), place(0));
}

/* A slot, or what is behind all arrays, could be of any size in a sparse file. */
static void indexes_are_no_larger_than_their_rules(void **unused)
{
	make_commons();
	lay_out(COMMONS);
	ix->size = (u32)xt2_index_bound(chain->rules);
	assert_int_equal(check(XT2_IPV4), 0);
	ix->size += 8;
	assert_int_equal(check(XT2_IPV4), -EINVAL);
}

static void header_is_checked(void **unused)
{
	make_commons();
	lay_out(COMMONS);
	assert_int_equal(check(XT2_IPV6), -EINVAL);
	by.g.reserved = 1;
	expect(-EINVAL);
	make_commons();
	by.g.field = XT2_FIELD_MAC;
	expect(-EINVAL);
	make_commons();
	by.g.shift = 0;
	expect(-EINVAL);
	by.g.shift = 32;
	expect(-EINVAL);
	make_commons();
	by.g.slots = 1;
	expect(-EINVAL);
	make_commons();
	by.common[0] = place(1);
	by.common[1] = place(0);
	expect(-EINVAL);
}

static void slots_are_checked(void **unused)
{
	make_commons();
	by.slot[1].shift = 0;
	expect(-EINVAL);
	by.slot[1].shift = 32;
	expect(-EINVAL);
	make_commons();
	by.slot[0].reserved = 1;
	expect(-EINVAL);
	make_commons();
	by.slot[0].bucket = 1;
	expect(-EINVAL);
	make_commons();
	by.slot[0].bucket = (by.g.buckets - 2) * 2;
	expect(0);
	by.slot[0].bucket = (by.g.buckets - 1) * 2;
	expect(-EINVAL);
	make_commons();
	by.slot[0].bucket = (by.g.buckets + 1) * 2;
	expect(-EINVAL);
	make_commons();
	by.slot[0].bucket = -4u;
	expect(-EINVAL);
}

static void buckets_have_one_slot(void **unused)
{
	make_commons();
	by.slot[0].last = by.slot[1].last = 1;
	by.slot[1].bucket = 2;
	expect(0);
	make_commons();
	by.slot[0].last = by.slot[1].last = 1;
	expect(-EINVAL);
}

static void segments_are_inside(void **unused)
{
	make_base();
	by.g.segments--;
	expect(-EINVAL);
	make_commons();
	by.slot[1].segment = by.g.segments - 16;
	expect(0);
	make_commons();
	by.slot[1].segment = by.g.segments - 15;
	expect(-EINVAL);
	make_commons();
	by.slot[1].segment = by.g.segments + 1;
	expect(-EINVAL);
	make_base();
	by.bucket[4] = by.bucket[5] = 0xffff; /* as if 65,535 segments were there */
	expect(-EINVAL);
	make_base();
	by.slot[1].segment = 3;
	by.bucket[3] = 0xffff; /* ends before it begins */
	expect(-EINVAL);
}

static void buckets_are_limited(void **unused)
{
	make_equal(XT2_SEGMENTS_MOST + 1);
	expect(-EINVAL);
	make_wide(128);
	expect(-EINVAL);
}

static void segments_are_in_order(void **unused)
{
	make_base();
	by.addr[1] = 0x0a000002;
	by.prefix[1] = 32;
	by.begin[0] = 2 << (15 - 12);
	by.what[0] = says(1, 15 - 12, 0);
	expect(-EINVAL);
	by.begin[1] = 2 << (15 - 12);
	by.what[1] = says(1, 15 - 12, 0);
	by.begin[0] = 1 << (15 - 12);
	by.what[0] = says(0, 15 - 12, 0);
	expect(0);
}

static void slots_of_buckets_are_checked(void **unused)
{
	make_base();
	by.what[1] |= XT2_SEGMENT_SLOT;
	expect(-EINVAL);
	make_deep();
	by.begin[2] = 1;
	expect(-EINVAL);
	make_deep();
	by.what[2] = 3 << XT2_SEGMENT_PLACE | XT2_SEGMENT_SLOT;
	expect(-EINVAL);
	make_deep();
	by.slot[2].shift = 20;
	by.slot[2].least = 0xc0a;
	by.begin[3] = 1 << 14;
	by.what[3] = says(2, 16 + 15 - 20, 0);
	expect(-EINVAL);
	by.slot[1].shift = 21;
	by.slot[1].least = 0xc0a >> 1;
	expect(0);
}

/* --- what segments say ------------------------------------------------- */

static void rules_are_found(void **unused)
{
	make_base();
	by.begin[1]--;
	expect(-EINVAL);
	make_base();
	by.what[1] ^= 1;
	expect(-EINVAL);
	make_base();
	by.what[2] = says(2, 16 + 15 - 20 - 1, 0);
	expect(-EINVAL);
	make_base();
	by.what[2] = says(1, 16 + 15 - 20, 0);
	expect(-EINVAL);
	make_base();
	by.what[2] |= XT2_SEGMENT_RUN;
	expect(-EINVAL);
	make_base();
	by.what[1] = says(0, 15 - 12, 0);
	expect(-EINVAL);
	make_base();
	by.slot[1].least++;
	expect(-EINVAL);
	make_wide(32);
	by.what[31] = 0;
	expect(-EINVAL);
	make_wide(32);
	by.slot[0].last = 31; /* the rule ends behind that */
	by.bucket[32] = 31;
	expect(-EINVAL);
}

static void nothing_else_is_found(void **unused)
{
	make_base();
	by.what[3] = by.what[2]; /* twice */
	by.begin[3] = by.begin[2];
	by.bucket[4] = by.bucket[5] = 2;
	by.g.segments = 4 + 16;
	expect(-EINVAL);
	make_base();
	by.common[1] = place(3);
	by.common[0] = place(2); /* in a segment as well */
	by.g.commons = 2;
	expect(-EINVAL);
	make_base();
	by.slot[1].last = 2; /* the second one's segment is of nobody */
	by.bucket[5] = by.bucket[6] = 2;
	by.what[3] = says(2, 15, 0) + 4;
	by.g.segments = 4 + 16;
	expect(-EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_is_right_is_taken),
	cmocka_unit_test(arrays_are_inside),
	cmocka_unit_test(last_buckets_are_empty),
	cmocka_unit_test(buckets_are_no_wider_than_slots),
	cmocka_unit_test(indexes_are_no_larger_than_their_rules),
	cmocka_unit_test(header_is_checked),
	cmocka_unit_test(slots_are_checked),
	cmocka_unit_test(buckets_have_one_slot),
	cmocka_unit_test(segments_are_inside),
	cmocka_unit_test(buckets_are_limited),
	cmocka_unit_test(segments_are_in_order),
	cmocka_unit_test(slots_of_buckets_are_checked),
	cmocka_unit_test(rules_are_found),
	cmocka_unit_test(nothing_else_is_found),
};

UNITS(tests)
