/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-check-patch.c - engine/check-patch.c: one field of a patch that was written is
 * changed, and the image is refused for it
 */
#include "tests/lib/slot-pages.h"
#include "tests/unit/patch-case.h"

/* Rules of the compiled chain, by number. */
enum {
	FIRST,
	SECOND,
	SMALL, /* a rule group */
	BETWEEN = SMALL + 4,
	LARGE, /* one that cannot be split */
	LARGEST = LARGE + XT2_SPLIT_MAX + 1, /* one that can */
	LAST = LARGEST + XT2_SPLIT_MAX,
	RULES,
};

static struct patch_case c;

static u32 source_of(u32 number)
{
	return 0x0a000001 + (number < BETWEEN	? number < SMALL ? number : SMALL
			     : number < LARGE	? BETWEEN
			     : number < LARGEST ? LARGE
			     : number < LAST	? LARGEST
						: LAST);
}

static bool counts(u32 number)
{
	return number >= SMALL && number != BETWEEN && number != LAST;
}

/* Edits of each kind; number of a rule: as it is then. */
static int setup(void **unused)
{
	struct rule_build b;
	u32 i;

	patch_begin(&c);
	for (i = 0; i < RULES; i++)
		patch_add_from(&c, 0, source_of(i), counts(i) ? COUNT : DROP);
	patch_add_from(&c, 0, 0, patch_jump(&c, 1));
	patch_add_from(&c, 1, source_of(0), DROP);
	patch_add_from(&c, 1, source_of(1), DROP);
	patch_image(&c, &patch_columns);
	patch_delete(&c, 0, FIRST);
	patch_insert_from(&c, 0, PATCH_TAIL, 0x0a020001, DROP);
	patch_insert_from(&c, 0, SMALL, 0x0a020002, DROP); /* after the first of the group */
	patch_insert_from(&c, 0, 0, 0x0a020003, ACCEPT);
	patch_insert_from(&c, 0, 1, 0x0a020004, ACCEPT);
	assert_int_equal(patch_insert(&c, 0, 0, patch_rule(&b, 0, COUNT)), 0);
	return 0;
}

static int teardown(void **unused)
{
	patch_end(&c);
	return 0;
}

/* --- ways into the patch ----------------------------------------------- */

static struct xt2_patched *extent(void)
{
	return (struct xt2_patched *)patch_chain(&c, 0);
}

static struct xt2_patch_part *part(void)
{
	return xt2_at(c.img, extent()->patch.part);
}

static struct xt2_patch_page *page(void)
{
	return xt2_at(c.img, part()->page);
}

static struct xt2_inserted *inserted(u32 item)
{
	assert_true(page()->item[item].rule);
	return xt2_at(c.img, page()->item[item].rule - offsetof(struct xt2_inserted, rule));
}

static struct xt2_patch_slot *slots(void)
{
	return xt2_at(c.img, extent()->patch.slot);
}

static struct xt2_patch_bucket *bucket(u32 number)
{
	assert_true(slots()[number].bucket);
	return xt2_at(c.img, slots()[number].bucket);
}

/* => number of the first slot from here on that has a bucket */
static u32 used(u32 from)
{
	while (!slots()[from].bucket)
		assert_true(++from < 1u << (32 - extent()->patch.shift));
	return from;
}

/* => number in *in of a unit's entry */
static u32 entry(u32 unit, struct xt2_patch_bucket **in)
{
	u32 n, i;

	for (n = 0; n < 1u << (32 - extent()->patch.shift); n++) {
		if (!slots()[n].bucket)
			continue;
		*in = bucket(n);
		for (i = 0; i < (*in)->entries; i++)
			if ((*in)->entry[i].unit == unit)
				return i;
	}
	fail();
	return 0;
}

/* The items that setup() makes, in order. */
enum { DELETED, PLAIN, ACCEPTS, OTHER, IN_GROUP, APPENDED, ITEMS };

static void expect_refusal(const char *want)
{
	const char *what = patch_check(&c);

	what = what ? what : "accepted";
	if (strcmp(what, want))
		fail_msg("%s; not: %s", what, want);
}

/* With another value of a field the image is refused, and says so. */
#define REFUSED(field, value, what)                   \
	do {                                          \
		const __typeof__(field) was_ = field; \
		(field) = (__typeof__(field))(value); \
		expect_refusal(what);                 \
		(field) = was_;                       \
	} while (0)

/* --- the extent -------------------------------------------------------- */

static void edits_are_accepted(void **unused)
{
	u32 i;

	PATCH_CHECKS(&c);
	assert_int_equal(page()->items, ITEMS);
	for (i = 0; i < ITEMS; i++)
		assert_int_equal(!page()->item[i].rule, i == DELETED);
	assert_int_equal(page()->item[PLAIN].at, page()->item[OTHER].at);
	assert_int_equal(xt2_rule_jumps(patch_rule_at(&c, 0, 0)), XT2_NONE);
}

static void another_extent(void **unused)
{
	static const char form[] = "patched chain has other rules than a guard and a tail";
	static const char guard[] = "patched chain without a guard";
	static const char tail[] = "chain does not end in a policy or a return";
	static const char header[] = "header of a patch is not valid";
	struct xt2_patched *x = extent();

	REFUSED(x->chain.used, 72, form);
	REFUSED(x->chain.used, 88, form);
	REFUSED(x->chain.rules, 1, form);
	REFUSED(x->chain.tail, 32, form);
	REFUSED(x->chain.lines, 64, "line numbers of a patched chain");
	REFUSED(x->guard.size, 32, guard);
	REFUSED(x->guard.target_offset, 16, guard);
	REFUSED(x->guard.target, XT2_T_CONTINUE, guard);
	REFUSED(x->guard.target, XT2_TARGET(XT2_T_PATCHED, 1), guard);
	REFUSED(x->tail.size, 32, tail);
	REFUSED(x->tail.target, RETURN, tail); /* of a base chain */
	REFUSED(x->tail.target, COUNT, tail);
	REFUSED(x->ix.size, x->ix.size + 8, header);
	REFUSED(x->ix.ahead, 63, header);
	REFUSED(x->ix.ahead, 1, header);
	REFUSED(x->ix.runs, 1, header);
	REFUSED(x->ix.run, 64, header);
	REFUSED(x->ix.heads, 1, header);
	REFUSED(x->ix.reserved, 1, header);
}

/* What is not quite a patched chain's extent is taken for a plain one's. */
static void nearly_patched(void **unused)
{
	struct xt2_patched *x = extent();

	REFUSED(x->chain.lookup, 88, "unknown target");
	REFUSED(x->chain.size, sizeof(*x) - 8, "unknown target");
	REFUSED(x->ix.kind, XT2_INDEX_COLUMNS, "unknown target");
}

/* --- the compiled chain ------------------------------------------------ */

static void another_compiled_chain(void **unused)
{
	struct xt2_chain *old = patch_compiled(&c, 0);
	struct xt2_patched *x = extent();

	REFUSED(x->patch.compiled, c.img->size, "chain is outside the image");
	REFUSED(x->patch.compiled, c.img->size - 8, "chain is outside the image");
	REFUSED(x->patch.compiled, x->patch.compiled + 4, "chain is outside the image");
	REFUSED(x->patch.compiled, *patch_slot(&c, 0), "two structures overlap");
	REFUSED(x->patch.compiled, *patch_slot(&c, 1), "two structures overlap");
	REFUSED(old->index, old->index + 1, "chain has another index");
	REFUSED(old->table, 1, "patch of another chain");
	REFUSED(old->hook, XT2_INPUT, "patch of another chain");
	REFUSED(old->rules, old->rules - 1, "wrong number of rules in a chain");
	REFUSED(patch_rule_at(&c, 0, PATCH_TAIL)->target, COUNT,
		"chain does not end in a policy or a return");
}

/* Another chain's patch names the same one. */
static void compiled_twice(void **unused)
{
	struct rule_build b;
	struct xt2_patched *other;

	assert_int_equal(patch_insert(&c, 1, 0, patch_rule(&b, 0, COUNT)), 0);
	other = (struct xt2_patched *)patch_chain(&c, 1);
	REFUSED(other->patch.compiled, extent()->patch.compiled, "two structures overlap");
}

static void patch_of_a_patch(void **unused)
{
	const u32 old = *patch_slot(&c, 0),
		  new = xt2_space_alloc(&c.space, sizeof(struct xt2_patched));
	struct xt2_patched *x = xt2_at(c.img, new);

	memcpy(x, extent(), sizeof(*x));
	x->patch = (struct xt2_patch){ .compiled = old, .shift = 31 };
	*patch_slot(&c, 0) = new;
	expect_refusal("unknown target");
}

/* The index of the compiled chain is held to its rules. */
static void wrong_index(void **unused)
{
	struct xt2_index *ix = (struct xt2_index *)xt2_chain_index(patch_compiled(&c, 0));

	REFUSED(ix->kind, XT2_INDEX_PATCH, "index of an unknown kind");
	REFUSED(xt2_index_runs(ix)->end, xt2_index_runs(ix)->end - 8,
		"run of an index is not of whole rules");
}

/* The gate for writers does not check indexes, and yet finds no patch there. */
static void sealed_index(void **unused)
{
	struct xt2_index *ix = (struct xt2_index *)xt2_chain_index(patch_compiled(&c, 0));
	struct xt2_check_err err = { 0 };

	*patch_slot(&c, 0) = xt2_offset(c.img, patch_compiled(&c, 0));
	ix->kind = XT2_INDEX_PATCH;
	c.img->magic = XT2_MAGIC_UNFINISHED;
	assert_int_equal(xt2_check_seal_(c.img, c.img->size, c.scratch, &err), -EINVAL);
	assert_string_equal(err.what, "index of an unknown kind");
}

/* --- classes and buckets ----------------------------------------------- */

static void wrong_classes(void **unused)
{
	static const char invalid[] = "class of a patch is not valid";
	static const char asks[] = "patch asks for fewer fields than it reads";
	static const char rules[] = "wrong number of rules in a patch";
	struct xt2_patched *x = extent();
	struct xt2_patch *p = &x->patch;

	assert_int_equal(p->classes, 2);
	REFUSED(p->classes, XT2_PATCH_CLASSES + 1, "too many classes of a patch");
	REFUSED(p->field[0][1], XT2_FIELDS, invalid);
	REFUSED(p->field[1][0], XT2_FIELDS, invalid);
	REFUSED(p->field[1][0], 0xff, invalid);
	REFUSED(p->rules[2], 1, invalid); /* of no class */
	REFUSED(p->words[XT2_PATCH_CLASSES - 1], 1, invalid);
	REFUSED(p->field[0][2], XT2_FIELD_SRC, invalid);
	REFUSED(p->mask[7][2], 1, invalid);
	REFUSED(p->reserved[0], 1, "reserved bytes of a patch are not 0");
	REFUSED(p->reserved[2], 1, "reserved bytes of a patch are not 0");
	REFUSED(p->splits, p->splits + 1, "wrong number of changed rule groups in a patch");
	REFUSED(p->words[0], 0, invalid);
	REFUSED(p->words[0], 2, invalid);
	REFUSED(p->words[0], 5, invalid);
	REFUSED(p->mask[1][0], 1, invalid); /* not looked at */
	REFUSED(p->mask[3][0], 1, invalid);
	REFUSED(p->mask[7][0], 1, invalid);
	REFUSED(p->mask[4][0], 1, invalid); /* of no field */
	REFUSED(p->mask[0][1], 1, invalid);
	REFUSED(x->ix.asks, 0, asks);
	REFUSED(x->ix.asks, x->ix.asks ^ XT2_ASKS_ADDRS, asks);
	REFUSED(x->ix.asks, x->ix.asks ^ XT2_ASKS_PORTS, asks);
	REFUSED(p->field[0][1], XT2_FIELD_IN, asks);
	REFUSED(p->field[1][0], XT2_FIELD_IN, asks);
	REFUSED(p->rules[0], p->rules[0] + 1, rules);
	REFUSED(p->inserted, p->inserted + 1, rules);
	REFUSED(p->deleted, p->deleted + 1, rules);
	p->rules[0]++;
	REFUSED(p->inserted, p->inserted + 1, rules);
	p->rules[0]--;
}

/* An edit would forget a class that has rules left. */
static void wrong_shares_of_classes(void **unused)
{
	struct xt2_patch *p = &extent()->patch;

	assert_int_equal(p->rules[0], 4);
	assert_int_equal(p->rules[1], 1);
	p->rules[1] = 4;
	REFUSED(p->rules[0], 1, "wrong number of rules in a class of a patch");
	p->rules[1] = 1;
	p->rules[1] = 0;
	REFUSED(p->rules[0], 5, "patch would miss a rule");
	p->rules[1] = 1;
	PATCH_CHECKS(&c);
}

static void wrong_buckets(void **unused)
{
	static const char number[] = "wrong number of buckets of a patch";
	static const char outside[] = "buckets of a patch are outside the image";
	static const char invalid[] = "bucket of a patch is not valid";
	static const char tags[] = "tags of a bucket of a patch are not valid";
	struct xt2_patch *p = &extent()->patch;
	const u32 first = used(0), second = used(first + 1);
	struct xt2_patch_bucket *b = bucket(first);

	REFUSED(p->shift, 0, number);
	REFUSED(p->shift, 32, number);
	REFUSED(p->shift, 1, outside);
	REFUSED(p->slot, c.img->size, outside);
	REFUSED(p->slot, 0, "two structures overlap"); /* header */
	REFUSED(slots()[first].bucket, c.img->size, "bucket of a patch is outside the image");
	REFUSED(slots()[second].bucket, 0, tags);
	REFUSED(slots()[second].tags, 0, tags);
	REFUSED(b->entries, 0, invalid);
	REFUSED(b->entries, XT2_PATCH_ENTRIES + 1, invalid);
	REFUSED(b->reserved, 1, invalid);
	REFUSED(b->entry[0].hash, b->entry[0].hash ^ 1u << 31,
		"entry of a patch in another bucket");
	REFUSED(b->next, slots()[first].bucket, "two structures overlap"); /* a loop */
	REFUSED(b->next, slots()[second].bucket, "entry of a patch in another bucket");
	REFUSED(b->next, c.img->size, "bucket of a patch is outside the image");
}

/* Slots in pages: each page is in the image, and there is none twice. */
static void wrong_pages(void **unused)
{
	static const char outside[] = "buckets of a patch are outside the image";
	static const char twice[] = "two structures overlap";
	struct xt2_patch *p = &extent()->patch;
	u32 *page, last;

	slot_pages_make(&c.space, p);
	PATCH_CHECKS(&c);
	page = xt2_at(c.img, p->slot);
	last = xt2_patch_slot_pages(p) - 1;
	assert_int_equal(last, 31);
	REFUSED(p->slot, 0, twice);
	REFUSED(p->slot, p->slot + 4, outside);
	REFUSED(p->slot, c.img->size, outside);
	REFUSED(p->slot, c.img->size - 8, outside);
	REFUSED(page[0], 0, twice); /* header */
	REFUSED(page[0], page[last], twice);
	REFUSED(page[0], p->slot, twice);
	REFUSED(page[0], page[0] + 8, twice);
	REFUSED(page[last], page[last] + 4, outside);
	REFUSED(page[last], c.img->size, outside);
	REFUSED(page[last], c.img->size - 8, outside);
	REFUSED(page[last], ~7u, outside);
	REFUSED(p->shift, p->shift - 1, outside); /* more pages than there are */
	REFUSED(p->shift, 1, outside);
	p->slot = c.img->size - 2048 * sizeof(struct xt2_patch_slot);
	REFUSED(p->shift, XT2_SLOTS_LIST_SHIFT, twice); /* a list */
}

/* A bucket of XT2_BUCKET_PARTS parts is searched, a longer one is not. */
static void long_bucket(void **unused)
{
	struct xt2_patch_bucket *last = bucket(used(0)), *b = NULL;
	u32 i, at;

	for (i = 1; i <= XT2_BUCKET_PARTS; i++) {
		expect_refusal(i == 1 ? "accepted" : "entries of a patch for no rule");
		at = xt2_space_alloc(&c.space, sizeof(*b));
		b = xt2_at(c.img, at);
		memset(b, 0, sizeof(*b));
		b->entries = 1;
		last->next = at;
		last = b;
	}
	expect_refusal("bucket of a patch has too many parts");
}

static void wrong_entries(void **unused)
{
	static const char rule[] = "patch would miss a rule";
	static const char deleted[] = "patch would miss a deleted rule";
	static const char split[] = "rule group is changed, and not said to be";
	static const char invalid[] = "entry of a patch is not valid";
	const struct xt2_index *ix = xt2_chain_index(patch_compiled(&c, 0));
	struct xt2_patch *p = &extent()->patch;
	struct xt2_patch_bucket *b;
	u32 e = entry(page()->item[PLAIN].rule, &b), tag;
	struct xt2_patch_slot *in = &slots()[b->entry[e].hash >> p->shift];

	tag = xt2_patch_tag(b->entry[e].hash);
	REFUSED(in->tags, ~tag, rule);
	b->entry[e].hash ^= 1;
	REFUSED(in->tags, ~0u, rule);
	b->entry[e].hash ^= 1;
	REFUSED(b->entry[e].hash, b->entry[e].hash ^ 1, rule);
	REFUSED(b->entry[e].unit, b->entry[e].unit ^ XT2_PATCH_SPLIT, invalid);
	REFUSED(b->entry[e].unit, page()->item[ACCEPTS].rule, rule);
	REFUSED(b->entry[e].at, b->entry[e].at + 8, rule);
	REFUSED(b->entry[e].never, b->entry[e].never ^ 1,
		rule); /* hides the rule from a protocol */
	REFUSED(b->entry[e].ports, b->entry[e].ports ^ 1, rule);
	REFUSED(b->entry[e].reserved, 1, invalid);
	REFUSED(p->mask[0][0], 0xf0ffffff, rule); /* another hash */
	p->words[0] = XT2_FIELD_WORDS;
	REFUSED(p->mask[1][0], 1, rule); /* more than the rules ask for */
	REFUSED(p->mask[3][0], 1, rule);
	p->words[0] = 1;
	REFUSED(p->field[0][0], XT2_FIELD_DST, rule);
	p->mask[4][0] = 1;
	REFUSED(p->field[1][0], XT2_FIELD_DST, rule);
	p->mask[4][0] = 0;
	e = entry(page()->item[DELETED].at | XT2_PATCH_DELETED, &b);
	REFUSED(b->entry[e].hash, b->entry[e].hash ^ 1, deleted);
	REFUSED(b->entry[e].unit, b->entry[e].unit ^ XT2_PATCH_DELETED ^ XT2_PATCH_SPLIT, deleted);
	REFUSED(b->entry[e].at, b->entry[e].at + 8, invalid);
	REFUSED(b->entry[e].never, 1, invalid);
	REFUSED(b->entry[e].ports, 1, invalid);
	e = entry(xt2_index_runs(ix)->rule | XT2_PATCH_SPLIT, &b);
	REFUSED(b->entry[e].unit, b->entry[e].unit ^ XT2_PATCH_SPLIT ^ XT2_PATCH_DELETED, split);
	b->entry[b->entries] = b->entry[e];
	b->entry[b->entries].at = b->entry[b->entries - 1].at;
	b->entry[b->entries].unit = b->entry[b->entries].at | XT2_PATCH_SPLIT;
	REFUSED(b->entries, b->entries + 1, "entries of a patch for no rule");
}

/* --- items ------------------------------------------------------------- */

static void wrong_parts(void **unused)
{
	static const char begins[] = "part of a patch begins with another item";
	static const char number[] = "wrong number of items of a patch";
	static const char outside[] = "parts of a patch are outside the image";
	struct xt2_patch_part *one = part();
	struct xt2_patch *p = &extent()->patch;

	REFUSED(p->part, c.img->size, outside);
	REFUSED(p->parts, 0, outside);
	REFUSED(p->parts, ~0u, outside);
	REFUSED(one->page, c.img->size, "items of a patch are outside the image");
	REFUSED(one->page, one->page + 4, "items of a patch are outside the image");
	REFUSED(page()->items, 0, number);
	REFUSED(page()->items, XT2_PATCH_ITEMS + 1, number);
	REFUSED(one->at, one->at + 8, begins);
	REFUSED(one->label, one->label + 1, begins);
	REFUSED(one->more, one->more + 1, "part of a patch adds another number of rules");
	REFUSED(page()->items, ITEMS - 1, "part of a patch adds another number of rules");
	one->more--;
	REFUSED(page()->items, ITEMS - 1, "wrong number of rules in a patch");
	one->more++;
}

static void items_elsewhere(void **unused)
{
	static const char no_rule[] = "item of a patch is not at a rule";
	static const char place[] = "inserted rule is not where its item says";
	struct xt2_patch_item *item = page()->item;
	struct xt2_chain *old = patch_compiled(&c, 0);

	REFUSED(item[PLAIN].at, item[PLAIN].at + 8, no_rule);
	REFUSED(item[PLAIN].at, 0, no_rule);
	REFUSED(item[APPENDED].at, old->tail + 24, no_rule);
	REFUSED(item[APPENDED].at, ~0u, no_rule);
	REFUSED(item[APPENDED].rule, 0, no_rule); /* the tail is not deleted */
	REFUSED(item[OTHER].at, old->tail, place);
	REFUSED(inserted(OTHER)->at, old->tail, place);
	REFUSED(inserted(OTHER)->label, XT2_PATCH_END, place);
	REFUSED(inserted(OTHER)->reserved, 1, place);
}

static void items_out_of_order(void **unused)
{
	static const char order[] = "items of a patch are not in order";
	struct xt2_patch_item *item = page()->item, was = item[PLAIN];
	const u32 label = inserted(PLAIN)->label;

	REFUSED(inserted(ACCEPTS)->label, label, order);
	REFUSED(inserted(ACCEPTS)->label, label - 1, order);
	REFUSED(item[IN_GROUP].at, item[OTHER].at, "inserted rule is not where its item says");
	REFUSED(item[APPENDED], item[DELETED], "item of a patch is not at a rule");
	item[PLAIN] = item[ACCEPTS];
	item[ACCEPTS] = was;
	expect_refusal(order);
}

static void wrong_records(void **unused)
{
	static const char outside[] = "inserted rule is outside the image";
	struct xt2_patch_item *item = &page()->item[OTHER];
	struct xt2_rule *r = &inserted(OTHER)->rule;

	REFUSED(item->rule, 8, outside);
	REFUSED(item->rule, item->rule + 4, outside);
	REFUSED(item->rule, c.img->size, outside);
	REFUSED(item->rule, c.img->size - 16, outside);
	REFUSED(item->rule, ~7u, outside);
	REFUSED(item->rule, sizeof(struct xt2_image), "two structures overlap"); /* header */
	REFUSED(item->rule, page()->item[ACCEPTS].rule, "two structures overlap");
	REFUSED(r->size, 0xfff8, outside);
	REFUSED(r->size, 0, "wrong size of a rule");
	REFUSED(r->target, XT2_TARGET(XT2_T_JUMP, 9), "rule names a chain that is not there");
	REFUSED(r->target, XT2_TARGET(XT2_T_PATCHED, 0), "unknown target");
}

/* Entries of a bucket's part are in the order of their places. */
static void take_out(struct xt2_patch_bucket *b, u32 e)
{
	b->entries--;
	memmove(&b->entry[e], &b->entry[e + 1], (b->entries - e) * sizeof(b->entry[0]));
}

static void put_in(struct xt2_patch_bucket *b, const struct xt2_patch_entry *entry)
{
	u32 e = b->entries++;

	for (; e && b->entry[e - 1].at > entry->at; e--)
		b->entry[e] = b->entry[e - 1];
	b->entry[e] = *entry;
}

/* Make an item stand in the middle of a rule group, and say so. */
static const char *split(u32 group)
{
	const struct xt2_rule *r = xt2_chain_first(patch_compiled(&c, 0));
	struct xt2_patch_entry moved;
	struct xt2_patch_slot *slot;
	struct xt2_patch_bucket *b;
	u32 i, at, first = 0, e, offset;

	for (i = 0; i <= group; i++, r = xt2_rule_next(r))
		first = xt2_offset(patch_compiled(&c, 0), r);
	at = xt2_offset(patch_compiled(&c, 0), r);
	inserted(IN_GROUP)->at = page()->item[IN_GROUP].at = at;
	e = entry(page()->item[IN_GROUP].rule, &b);
	moved = b->entry[e];
	moved.at = at;
	take_out(b, e);
	put_in(b, &moved);
	e = entry(xt2_index_runs(xt2_chain_index(patch_compiled(&c, 0)))->rule | XT2_PATCH_SPLIT,
		  &b);
	offset = xt2_offset(c.img, b);
	slot = &slots()[b->entry[e].hash >> extent()->patch.shift];
	take_out(b, e);
	if (!b->entries)
		*slot = (struct xt2_patch_slot){ 0 };
	i = xt2_patch_hash_place(first);
	slot = &slots()[i >> extent()->patch.shift];
	if (!slot->bucket) { /* the one that has no entries any more */
		assert_int_equal(b->entries, 0);
		slot->bucket = offset;
	}
	b = xt2_at(c.img, slot->bucket);
	moved = (struct xt2_patch_entry){ .hash = i, .unit = first | XT2_PATCH_SPLIT, .at = first };
	put_in(b, &moved);
	slot->tags |= xt2_patch_tag(i);
	return patch_check(&c);
}

static void groups_of_most_rules(void **unused)
{
	assert_null(split(LARGEST));
}

static void group_too_large(void **unused)
{
	assert_string_equal(split(LARGE), "rule group is changed, and not said to be");
}

/* Two insertions split a group once; before a group and after it there is nothing to say. */
static void groups_are_said_once(void **unused)
{
	patch_insert_from(&c, 0, PATCH_TAIL, 0x0a020005, DROP);
	patch_insert_from(&c, 0, 4 + SMALL, 0x0a020006, DROP);
	patch_insert_from(&c, 0, 4 + SMALL, 0x0a020007, DROP);
	patch_delete(&c, 0, 4 + SMALL);
	patch_delete(&c, 0, 4 + SMALL);
}

/* A deleted rule may lead to a chain that is gone, and is right in all else. */
static void wrong_deleted_rules(void **unused)
{
	struct xt2_chain *compiled = xt2_at(c.img, extent()->patch.compiled);
	struct xt2_rule *r = xt2_chain_first(compiled);

	REFUSED(r->target, XT2_TARGET(XT2_T_JUMP, xt2_image_root(c.img)->chains),
		"rule names a chain that is not there");
	REFUSED(r->target, XT2_TARGET(XT2_T_GOTO, 0xffffff),
		"rule names a chain that is not there");
	REFUSED(r->size, 0, "wrong size of a rule");
	edits_are_accepted(unused);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(edits_are_accepted),   CASE(another_extent),
	CASE(nearly_patched),	    CASE(another_compiled_chain),
	CASE(compiled_twice),	    CASE(patch_of_a_patch),
	CASE(wrong_index),	    CASE(sealed_index),
	CASE(wrong_classes),	    CASE(wrong_shares_of_classes),
	CASE(wrong_buckets),	    CASE(wrong_pages),
	CASE(long_bucket),	    CASE(wrong_entries),
	CASE(wrong_parts),	    CASE(items_elsewhere),
	CASE(items_out_of_order),   CASE(wrong_records),
	CASE(groups_of_most_rules), CASE(group_too_large),
	CASE(groups_are_said_once), CASE(wrong_deleted_rules),
};

UNITS_WITH(tests, NULL, NULL)
