/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-eval-patch.c - engine/index/eval-patch.c
 *
 * Packets go through patched chains by index and patch, in order, and through the same
 * rules written without indexes: verdict, the rule that decided, the mark and all counters
 * are the same.  Each case runs over all kinds of indexes.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/eval.h"
#include "tests/unit/patch-case.h"

#define A      0x0a000001 /* the source of rules that are looked at */
#define OTHER  0x0a010000 /* sources of others */
#define FRAMES 8

static struct patch_case c;

/* --- the same packet in three images ----------------------------------- */

enum { PLAIN, INDEXED, LINEAR, SIDES };

struct side {
	struct xt2_image *img;
	struct xt2_ctx ctx;
	struct xt2_frame stack[FRAMES];
	struct xt2_search search;
};

static struct side side[SIDES];
static u32 changes; /* of packets that searches have seen before */

/* Of packets, besides their source. */
enum form { WHOLE, FRAGMENT, CUT, FORMS };

static void make_packet(struct xt2_pkt *pkt, u8 *buf, u32 source, enum form form)
{
	u32 size = packet_ipv4(buf, source, 0x0b000001, 6, 1000, 80);

	if (form == FRAGMENT) {
		packet_put16(buf + 6, 8);
		packet_ipv4_checksum(buf);
	}
	memset(pkt, 0, sizeof(*pkt));
	pkt->data = buf;
	pkt->len = size;
	pkt->caplen = form == CUT ? 24 : size;
	assert_int_equal(xt2_pkt_parse(pkt, XT2_IPV4), 0);
	pkt->hook = XT2_FORWARD;
}

static u32 number_of(const struct side *s, u32 chain, u32 rule)
{
	return chain ? xt2_rule_number(s->img, xt2_at(s->img, chain), xt2_at(s->img, rule)) : 0;
}

static const char *chain_of(const struct side *s)
{
	const struct xt2_chain *chain = xt2_at(s->img, s->ctx.chain);

	return s->ctx.chain ? xt2_image_chain_cold(s->img, s->ctx.root, chain->index)->name : "";
}

/* One side's result of a packet, as a text. */
static void evaluate(struct side *s, u32 source, enum form form, char *text, size_t size)
{
	const struct xt2_hook *h;
	struct xt2_pkt pkt;
	u8 buf[128];
	int verdict = XT2_DROP;
	u32 i;

	make_packet(&pkt, buf, source, form);
	s->ctx.pkt = &pkt;
	xt2_image_for_each_hook(h, i, s->img, s->ctx.root)
		if (h->hook == XT2_FORWARD)
			verdict = xt2_eval(&s->ctx, h);
	snprintf(text, size, "source %x form %u: verdict %d chain %s rule %u mark %x faults %u",
		 source, form, verdict, chain_of(s), number_of(s, s->ctx.chain, s->ctx.rule),
		 pkt.mark, (u32)s->ctx.faults);
}

static void open_side(u32 i, struct xt2_image *img)
{
	struct side *s = &side[i];

	s->img = img;
	memset(&s->search, 0x5a, sizeof(s->search));
	s->search.chain = 0;
	s->search.epoch = changes;
	s->search.linear = i == LINEAR;
	s->ctx = (struct xt2_ctx){
		.img = img,
		.root = xt2_image_root(img),
		.random = 1,
		.stack = s->stack,
		.stack_size = FRAMES,
		.search = i == PLAIN ? NULL : &s->search,
	};
}

static void open_sides(void)
{
	struct xt2_writer w;
	u32 i;

	for (i = 0; i < SIDES; i++) {
		struct xt2_image *img = malloc(c.capacity);

		assert_non_null(img);
		if (i != PLAIN)
			memcpy(img, c.img, c.img->size);
		else
			assert_true(plain_image(c.img, img, c.capacity, c.scratch, NULL, NULL, &w));
		open_side(i, img);
	}
}

static void same_counters(u32 which)
{
	const struct side *a = &side[PLAIN], *b = &side[which];
	const struct xt2_chain *chain;
	struct xt2_in_order o, p;
	const struct xt2_rule *r, *q;
	u32 i, n;

	xt2_image_for_each_chain(chain, i, b->img, b->ctx.root) {
		xt2_order_begin(&p, a->img, xt2_image_chain(a->img, a->ctx.root, i));
		n = 0;
		xt2_chain_for_each(r, &o, b->img, chain) {
			struct xt2_counts counts =
				xt2_rule_counts(xt2_chain_compiled(b->img, chain), r);

			q = xt2_order_next(&p);
			assert_non_null(q);
			n++;
			if (counts.packets != q->packets || counts.bytes != q->bytes)
				fail_msg("side %u chain %u rule %u: %u packets, not %u", which, i,
					 n, (u32)counts.packets, (u32)q->packets);
		}
		assert_null(xt2_order_next(&p));
	}
}

/* Packets of A, some others, and one that no rule has; in each form, twice. */
static void compare(void)
{
	static const u32 sources[] = { A, A + 1, OTHER, OTHER + 7, OTHER + 40, 0x0c000001 };
	char want[160], got[160];
	u32 i, j, form, turn;

	open_sides();
	for (turn = 0; turn < 2; turn++)
		for (i = 0; i < XT2_ARRAY_SIZE(sources); i++)
			for (form = 0; form < FORMS; form++) {
				evaluate(&side[PLAIN], sources[i], form, want, sizeof(want));
				assert_int_equal(side[PLAIN].ctx.faults, 0);
				for (j = INDEXED; j < SIDES; j++) {
					evaluate(&side[j], sources[i], form, got, sizeof(got));
					assert_string_equal(got, want);
				}
			}
	for (j = INDEXED; j < SIDES; j++)
		same_counters(j);
	for (j = 0; j < SIDES; j++)
		free(side[j].img);
}

static const struct xt2_index_limits *const kinds[] = { &patch_columns, &patch_bits, &patch_pairs,
							&patch_segments, &patch_plain };

/* Rules, then edits; packets before and after each step of these.  => false: there are no more */
typedef bool (*edit_step)(u32 step);

static void over_all_kinds(void (*fill)(void), edit_step edit)
{
	u32 i, step;

	for (i = 0; i < XT2_ARRAY_SIZE(kinds); i++) {
		patch_begin(&c);
		fill();
		patch_image(&c, kinds[i]);
		for (step = 0; edit(step); step++)
			compare();
		patch_end(&c);
	}
}

/* --- merging ----------------------------------------------------------- */

/* Rules of other sources; every tenth one, from the given one on, is for A and counts. */
static void fill_sparse(u32 chain, u32 rules, u32 first)
{
	u32 i;

	for (i = 0; i < rules; i++)
		patch_add_from(&c, chain, i % 10 == first ? A : OTHER + i,
			       i % 10 == first || i % 3 ? COUNT
			       : i % 2			? DROP
							: ACCEPT);
}

static void fill_merges(void)
{
	fill_sparse(0, 200, 5);
}

static bool edit_merges(u32 step)
{
	switch (step) {
	case 0: patch_insert_from(&c, 0, 5, A, COUNT); return true; /* before a candidate */
	case 1: patch_insert_from(&c, 0, 7, A, COUNT); return true; /* after it */
	case 2: patch_insert_from(&c, 0, 12, A, COUNT); return true; /* between two */
	case 3: patch_insert_from(&c, 0, 12, OTHER, DROP); return true;
	case 4: patch_insert_from(&c, 0, 0, A, COUNT); return true; /* the first of all */
	case 5: patch_insert_from(&c, 0, 0, 0, COUNT); return true;
	case 6: patch_insert_from(&c, 0, PATCH_TAIL, A, COUNT); return true;
	case 7: patch_insert_from(&c, 0, PATCH_TAIL, A + 1, DROP); return true;
	case 8: patch_insert_from(&c, 0, PATCH_TAIL, 0, COUNT); return true;
	case 9: patch_insert_from(&c, 0, 100, A, MARK); return true; /* search again */
	case 10: patch_insert_from(&c, 0, 20, A, ACCEPT); return true;
	case 11: patch_delete(&c, 0, 20); return true;
	case 12: patch_insert_from(&c, 0, 150, A, RETURN); return true;
	}
	return false;
}

static void changes_are_merged(void **unused)
{
	over_all_kinds(fill_merges, edit_merges);
}

/* Rules that only the mark of a rule before them lets match. */
static void add_marked(u32 chain, u32 source, u32 target)
{
	struct rule_build b;

	rule_begin(&b);
	rule_match(&b, XT2_M_MARK, 8, 7);
	if (source)
		rule_source(&b, source, 32);
	patch_add(&c, chain, rule_end(&b, target));
}

static void insert_marked(u32 chain, u32 number, u32 source, u32 target)
{
	struct rule_build b;

	rule_begin(&b);
	rule_match(&b, XT2_M_MARK, 8, 7);
	if (source)
		rule_source(&b, source, 32);
	assert_int_equal(patch_insert(&c, chain, number, rule_end(&b, target)), 0);
}

static bool edit_marks(u32 step)
{
	patch_insert_from(&c, 0, 12, A, step ? COUNT : MARK);
	insert_marked(0, step ? PATCH_TAIL : 60, A, step ? DROP : COUNT);
	return step < 2;
}

/* A search sees so many packets that its count of changes begins anew. */
static void changes_are_many(void **unused)
{
	changes = XT2_EPOCH_LAST - 3;
	over_all_kinds(fill_merges, edit_marks);
	changes = 0;
}

/* --- deleted rules ----------------------------------------------------- */

/* The first rules are candidates of each packet, so the index names them. */
static void fill_heads(void)
{
	u32 i;

	for (i = 0; i < 3; i++)
		patch_add_from(&c, 0, 0, i == 1 ? MARK : COUNT);
	fill_sparse(0, 60, 2);
	add_marked(0, A, DROP);
}

static bool edit_deletes(u32 step)
{
	if (step == 0)
		patch_delete(&c, 0, 0);
	else if (step == 1)
		patch_delete(&c, 0, 0); /* the rule that marks */
	else if (step == 2)
		patch_insert_from(&c, 0, 0, 0, MARK);
	else if (step == 3)
		patch_delete(&c, 0, 1);
	else if (step == 4)
		patch_delete(&c, 0, 3); /* of A */
	else if (step == 5)
		patch_delete(&c, 0, 62 - 4); /* the last one */
	else if (step == 6)
		patch_insert_from(&c, 0, PATCH_TAIL, A, ACCEPT);
	else
		return false;
	return true;
}

static void deleted_rules_are_passed(void **unused)
{
	over_all_kinds(fill_heads, edit_deletes);
}

/* Every rule of a chain is deleted, and the rules that take their place are a patch's. */
static void fill_short(void)
{
	u32 i;

	for (i = 0; i < 12; i++)
		patch_add_from(&c, 0, A + i, i % 2 ? DROP : COUNT);
	patch_add_from(&c, 0, 0, patch_jump(&c, 1));
	patch_add_from(&c, 1, A, DROP);
}

static bool edit_all(u32 step)
{
	if (step < 12)
		patch_delete(&c, 0, 0);
	else if (step == 12)
		patch_insert_from(&c, 0, 0, A, COUNT);
	return step < 13;
}

static void all_rules_are_deleted(void **unused)
{
	over_all_kinds(fill_short, edit_all);
}

/* --- many candidates --------------------------------------------------- */

/* Candidates of A in the compiled chain, with other rules between them. */
static void fill_many(void)
{
	u32 i;

	for (i = 0; i < 300; i++)
		patch_add_from(&c, 0, i % 3 ? OTHER + i : A, i % 3 ? DROP : COUNT);
}

/* 120 rules of A at one place, then 90 at many. */
static bool edit_many(u32 step)
{
	u32 i;

	for (i = 0; i < 40 && step < 3; i++)
		patch_insert_from(&c, 0, 90, A, COUNT);
	for (i = 0; i < 30 && step >= 3 && step < 6; i++)
		patch_insert_from(&c, 0, i * 13 + step, A, COUNT);
	if (step == 6)
		patch_insert_from(&c, 0, 130, A, MARK); /* in the middle of those */
	if (step == 7)
		insert_marked(0, 131, A, COUNT);
	if (step == 8)
		patch_insert_from(&c, 0, 400, A, ACCEPT);
	return step < 9;
}

static void many_candidates(void **unused)
{
	over_all_kinds(fill_many, edit_many);
}

/* Exactly as many inserted rules as are found at once, one more, and twice as many. */
static bool edit_inserts(u32 step)
{
	u32 i, n = step == 0 ? XT2_INSERTS - 1 : step < 3 ? 1 : XT2_INSERTS - 1;

	for (i = 0; i < n && step < 4; i++)
		patch_insert_from(&c, 0, 2, A + 1, COUNT);
	return step < 4;
}

static void as_many_as_are_kept(void **unused)
{
	over_all_kinds(fill_many, edit_inserts);
}

/* --- rule groups ------------------------------------------------------- */

static void add_group(u32 chain, u32 source, u32 rules)
{
	while (rules--)
		patch_add_from(&c, chain, source, COUNT);
}

/* Rules 0 to 2, a group 3 to 10, rules between, another group to the end. */
static void fill_groups(void)
{
	patch_add_from(&c, 0, OTHER, COUNT);
	patch_add_from(&c, 0, A, COUNT);
	patch_add_from(&c, 0, OTHER + 7, DROP);
	add_group(0, A, 8);
	patch_add_from(&c, 0, OTHER + 40, DROP);
	add_group(0, OTHER, 5);
	add_marked(0, A, COUNT);
	patch_add_from(&c, 0, OTHER + 41, DROP);
	add_group(0, A, 6);
	patch_add_from(&c, 1, A, COUNT);
	add_group(1, A, 4);
	patch_add_from(&c, 1, A, RETURN);
}

static bool edit_groups(u32 step)
{
	switch (step) {
	case 0: patch_insert_from(&c, 0, 3, A, COUNT); return true; /* before a group */
	case 1: patch_insert_from(&c, 0, 12, A, COUNT); return true; /* after it */
	}
	return false;
}

/* A rule in the middle of a group. */
static bool edit_splits(u32 step)
{
	switch (step) {
	case 0: patch_insert_from(&c, 0, 6, A, COUNT); return true;
	case 1: patch_insert_from(&c, 0, 4, OTHER, COUNT); return true; /* after its first */
	case 2: patch_insert_from(&c, 0, 6, A, patch_jump(&c, 1)); return true;
	case 3: patch_insert_from(&c, 0, 9, A, MARK); return true; /* search again */
	case 4: insert_marked(0, 11, A, COUNT); return true;
	case 5: patch_delete(&c, 0, 5); return true; /* of the group */
	case 6: patch_delete(&c, 0, 3); return true; /* its first */
	case 7: patch_insert_from(&c, 1, 3, A, MARK); return true; /* in the other chain */
	case 8: patch_insert_from(&c, 0, PATCH_TAIL, A, MARK); return true;
	case 9: patch_insert_from(&c, 0, 25, A, MARK); return true; /* in the last group */
	case 10: patch_insert_from(&c, 0, 11, A, ACCEPT); return true;
	}
	return false;
}

static void groups_stay_whole(void **unused)
{
	over_all_kinds(fill_groups, edit_groups);
}

static void groups_are_split(void **unused)
{
	over_all_kinds(fill_groups, edit_splits);
}

/* A rule of a group is deleted. */
static bool edit_shrinks(u32 step)
{
	if (step < 7)
		patch_delete(&c, 0, step == 0 ? 10 : step == 1 ? 3 : 4);
	return step < 7;
}

static void groups_lose_rules(void **unused)
{
	over_all_kinds(fill_groups, edit_shrinks);
}

/* More rules of groups that are split than a batch has room for. */
static void fill_large_groups(void)
{
	u32 i;

	for (i = 0; i < 20; i++) {
		add_group(0, A, XT2_SPLIT_MAX);
		patch_add_from(&c, 0, OTHER + i, DROP);
	}
	add_marked(0, A, COUNT);
}

static bool edit_large_groups(u32 step)
{
	u32 i;

	if (step == 0) /* from the last one on, so that numbers stay */
		for (i = 20; i--;)
			patch_insert_from(&c, 0, i * (XT2_SPLIT_MAX + 1) + 1 + i % 15, A, COUNT);
	else if (step < 5)
		patch_insert_from(&c, 0, 70 * step + 3, A, step % 2 ? COUNT : MARK);
	return step < 5;
}

static void large_groups_are_split(void **unused)
{
	over_all_kinds(fill_large_groups, edit_large_groups);
}

/* A group that is split is about the last candidate that a search finds at once. */
static u32 singles;

static void fill_to_group(void)
{
	u32 i;

	for (i = 0; i < singles; i++) {
		patch_add_from(&c, 0, A, COUNT);
		patch_add_from(&c, 0, OTHER + i, DROP);
	}
	add_group(0, A, 6);
	for (i = 0; i < 80; i++) {
		patch_add_from(&c, 0, OTHER + i, DROP);
		patch_add_from(&c, 0, A, COUNT);
	}
}

static bool edit_last_group(u32 step)
{
	if (step == 0)
		patch_insert_from(&c, 0, 2 * singles + 2, A, COUNT);
	return step == 0;
}

static void batches_end_at_groups(void **unused)
{
	for (singles = XT2_CANDIDATES - 10; singles < XT2_CANDIDATES + 4; singles++)
		over_all_kinds(fill_to_group, edit_last_group);
}

/* More insertions in a group than a batch keeps, and the last one decides. */
static bool edit_crowded(u32 step)
{
	u32 i;

	for (i = 0; step == 0 && i < XT2_INSERTS + 8; i++)
		patch_insert_from(&c, 0, 2 * singles + 3, A, i ? COUNT : ACCEPT);
	return step == 0;
}

static void groups_are_crowded(void **unused)
{
	singles = 10;
	over_all_kinds(fill_to_group, edit_crowded);
}

/* --- chains ------------------------------------------------------------ */

static void fill_chains(void)
{
	patch_add_from(&c, 0, A, COUNT);
	patch_add_from(&c, 0, A, patch_jump(&c, 1));
	patch_add_from(&c, 0, OTHER, patch_jump(&c, 2));
	fill_sparse(0, 60, 3);
	patch_add_from(&c, 0, A, COUNT);
	fill_sparse(1, 40, 3);
	patch_add_from(&c, 1, A, patch_jump(&c, 2));
	fill_sparse(1, 40, 3);
	fill_sparse(2, 30, 3);
	patch_add_from(&c, 3, A, COUNT);
	fill_sparse(3, 30, 3);
}

static bool edit_chains(u32 step)
{
	switch (step) {
	case 0: patch_insert_from(&c, 1, 10, A, COUNT); return true; /* the user chain alone */
	case 1: patch_insert_from(&c, 0, 1, A, patch_jump(&c, 1)); return true; /* both */
	case 2: patch_insert_from(&c, 2, 10, A, COUNT); return true;
	case 3: patch_insert_from(&c, 1, 50, A, patch_jump(&c, 2)); return true; /* returns there */
	case 4: patch_insert_from(&c, 2, 12, A, MARK); return true; /* those before search again */
	case 5: insert_marked(1, 52, A, COUNT); return true;
	case 6: insert_marked(0, PATCH_TAIL, A, COUNT); return true;
	case 7: patch_insert_from(&c, 1, 60, A, RETURN); return true;
	case 8: patch_insert_from(&c, 2, 20, A, patch_goto(&c, 3)); return true;
	case 9: patch_insert_from(&c, 3, 5, A, COUNT); return true;
	case 10: patch_insert_from(&c, 3, 6, A, RETURN); return true;
	case 11: patch_delete(&c, 0, 0); return true;
	case 12: patch_insert_from(&c, 0, 4, A, RETURN); return true; /* the policy */
	case 13: patch_insert_from(&c, 0, 4, A, patch_goto(&c, 2)); return true;
	}
	return false;
}

static void jumps_and_returns(void **unused)
{
	over_all_kinds(fill_chains, edit_chains);
}

/* Candidates of chains on the way fill the room that all share. */
static void fill_deep(void)
{
	u32 chain, i;

	for (chain = 0; chain < PATCH_CHAINS; chain++)
		for (i = 0; i < 200; i++)
			patch_add_from(&c, chain, i % 2 ? OTHER + i : A,
				       i || chain == PATCH_CHAINS - 1 ? COUNT
								      : patch_jump(&c, chain + 1));
}

static bool edit_deep(u32 step)
{
	u32 i;

	for (i = 0; i < 100 && step < PATCH_CHAINS; i++)
		patch_insert_from(&c, PATCH_CHAINS - 1 - step, 2 * i + 2, A, COUNT);
	return step < PATCH_CHAINS;
}

static void deep_chains(void **unused)
{
	over_all_kinds(fill_deep, edit_deep);
}

/* --- the image's end --------------------------------------------------- */

/* The record of the only inserted rule becomes the last bytes of the image. */
static void move_to_end(void)
{
	const struct xt2_patch *p = xt2_chain_patch(patch_chain(&c, 0));
	const struct xt2_patch_part *part = xt2_at(c.img, p->part);
	struct xt2_patch_page *page = xt2_at(c.img, part->page);
	const struct xt2_patch_slot *slot = xt2_at(c.img, p->slot);
	struct xt2_patch_bucket *b = xt2_at(c.img, slot[!slot[0].bucket].bucket);
	const struct xt2_inserted *in = xt2_inserted_of(xt2_at(c.img, page->item[0].rule));
	const u32 size = offsetof(struct xt2_inserted, rule) + in->rule.size;
	const u32 end = (u32)c.img->size;

	memcpy(xt2_at(c.img, end), in, size);
	page->item[0].rule = b->entry[0].unit = end + offsetof(struct xt2_inserted, rule);
	c.img->size += size;
	PATCH_CHECKS(&c);
}

/* No byte after it is read: the next page is not there. */
static void last_rule_of_the_image(void **unused)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char text[160];
	size_t size;
	u8 *room;

	patch_begin(&c);
	fill_merges();
	patch_image(&c, &patch_segments);
	patch_insert_from(&c, 0, 5, A, COUNT);
	move_to_end();
	size = (c.img->size + page - 1) / page * page;
	room = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(room != MAP_FAILED);
	assert_int_equal(mprotect(room + size, page, PROT_NONE), 0);
	room += size - c.img->size;
	open_side(INDEXED, memcpy(room, c.img, c.img->size));
	evaluate(&side[INDEXED], A, WHOLE, text, sizeof(text));
	assert_int_equal(side[INDEXED].search.cursor.indexed, XT2_GOES_PATCHED);
	assert_int_equal(((struct xt2_rule *)(room + c.img->size - 32))->packets, 1);
	munmap(room + c.img->size - size, size + page);
	patch_end(&c);
}

/* --- hosts ------------------------------------------------------------- */

/* Chains in which most first candidates decide; others have other hooks. */
static void fill_deciding(void)
{
	u32 i;

	for (i = 0; i < 200; i++)
		patch_add_from(&c, 0, OTHER + i, i % 2 ? DROP : ACCEPT);
	c.chain[4] = xt2_chain_find(c.rs, xt2_table_find(c.rs, XT2_IPV4, "filter"), "INPUT");
	for (i = 0; i < 200; i++)
		patch_add_from(&c, 4, OTHER + i, i % 2 ? ACCEPT : DROP);
}

/* Whole packets go by the index; others, those of linear searches and chains without one do not. */
static void way_through(void **unused)
{
	char text[160];
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(kinds); i++) {
		patch_begin(&c);
		fill_merges();
		patch_image(&c, kinds[i]);
		patch_insert_from(&c, 0, 5, A, COUNT);
		open_side(INDEXED, c.img);
		evaluate(&side[INDEXED], A, WHOLE, text, sizeof(text));
		assert_int_equal(side[INDEXED].search.cursor.indexed,
				 kinds[i] == &patch_plain ? XT2_GOES_IN_ORDER : XT2_GOES_PATCHED);
		evaluate(&side[INDEXED], A, FRAGMENT, text, sizeof(text));
		assert_int_equal(side[INDEXED].search.cursor.indexed, XT2_GOES_IN_ORDER);
		open_side(LINEAR, c.img);
		evaluate(&side[LINEAR], A, WHOLE, text, sizeof(text));
		assert_int_equal(side[LINEAR].search.cursor.indexed, XT2_GOES_IN_ORDER);
		patch_end(&c);
	}
}

/* A packet that was searched is changed so that it goes on in order: not where another one was. */
static void on_in_order(void **unused)
{
	struct side *s = &side[INDEXED];
	const struct xt2_chain *chain;
	struct xt2_in_order o;
	const struct xt2_rule *r;
	struct xt2_pkt pkt;
	u8 buf[128];

	patch_begin(&c);
	fill_merges();
	patch_image(&c, &patch_segments);
	patch_insert_from(&c, 0, 5, A, COUNT);
	open_side(INDEXED, c.img);
	chain = xt2_image_chain(c.img, s->ctx.root, c.chain[0]);
	xt2_order_begin(&o, c.img, chain);
	r = xt2_order_next(&o);
	make_packet(&pkt, buf, A, FRAGMENT);
	s->ctx.pkt = &pkt;
	s->search.keys.have = 0;
	s->search.cursor.indexed = XT2_GOES_PATCHED;
	s->search.cursor.epoch = s->search.epoch;
	memset(&s->search.order, 0, sizeof(s->search.order));
	s->search.ordered = xt2_offset(c.img, r);
	assert_ptr_not_equal(xt2_away(chain, xt2_next_patched(&s->ctx, chain, r)),
			     xt2_chain_tail(chain));
	assert_int_equal(s->ctx.faults, 0);
	patch_end(&c);
}

/* A packet that a plain base chain decides at once, then one of the patched chain. */
static void decided_at_once(void **unused)
{
	static struct xt2_search search;
	struct xt2_frame stack[FRAMES];
	struct xt2_ctx ctx = { .stack = stack, .stack_size = FRAMES, .search = &search };
	const struct xt2_hook *h;
	struct xt2_pkt pkt;
	u8 buf[128];
	u32 i, n, verdict[XT2_HOOKS_MAX] = { 0 };

	patch_begin(&c);
	fill_deciding();
	patch_image(&c, &patch_segments);
	patch_insert_from(&c, 0, 0, OTHER + 1, ACCEPT);
	patch_delete(&c, 0, 3);
	ctx.img = c.img;
	ctx.root = patch_root(&c);
	for (n = 1; n < 4; n++) {
		xt2_image_for_each_hook(h, i, c.img, ctx.root) {
			make_packet(&pkt, buf, OTHER + n, WHOLE);
			pkt.hook = h->hook;
			ctx.pkt = &pkt;
			verdict[h->hook] = (u32)xt2_eval(&ctx, h);
		}
		assert_int_equal(verdict[XT2_INPUT], n % 2 ? XT2_ACCEPT : XT2_DROP);
		assert_int_equal(verdict[XT2_FORWARD], n == 3 ? XT2_DROP : XT2_ACCEPT);
		assert_int_equal(ctx.faults, 0);
	}
	patch_end(&c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(on_in_order),
	cmocka_unit_test(changes_are_merged),
	cmocka_unit_test(deleted_rules_are_passed),
	cmocka_unit_test(all_rules_are_deleted),
	cmocka_unit_test(many_candidates),
	cmocka_unit_test(as_many_as_are_kept),
	cmocka_unit_test(groups_stay_whole),
	cmocka_unit_test(groups_are_split),
	cmocka_unit_test(groups_lose_rules),
	cmocka_unit_test(large_groups_are_split),
	cmocka_unit_test(batches_end_at_groups),
	cmocka_unit_test(jumps_and_returns),
	cmocka_unit_test(deep_chains),
	cmocka_unit_test(last_rule_of_the_image),
	cmocka_unit_test(way_through),
	cmocka_unit_test(decided_at_once),
	cmocka_unit_test(groups_are_crowded),
	cmocka_unit_test(changes_are_many),
};

UNITS_WITH(tests, NULL, NULL)
