/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-whole-image.c - libxt2/store/whole-image.c */
#include "libxt2/store/whole-image.h"

#include <fcntl.h>
#include "engine/check.h"
#include "engine/image.h"
#include "libxt2/change/finder.h"
#include "libxt2/change/history.h"
#include "libxt2/change/owners.h"
#include "libxt2/ruleset/ruleset.h"
#include "libxt2/store/edit-file.h"
#include "libxt2/store/image-past.h"
#include "libxt2/store/stamp.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"
#include "tests/unit/store-case.h"

#define RULES (2 * XT2_FINDER_RULES)

/* A packed ruleset: a long chain, and a short one that belongs to somebody. */
static void pack(struct xt2_mapping *map, struct xt2_chain_owners **owners)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct rule_build b;
	u32 i;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), 0);
	rule_plain(&b, XT2_TARGET(XT2_T_ACCEPT, 0));
	for (i = 0; i < RULES; i++)
		assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, 0, XT2_INPUT),
						 (struct xt2_rule *)b.room, 0),
				 0);
	assert_int_equal(xt2_ruleset_act(rs, "somebody"), 0);
	assert_true(xt2_chain_add(rs, 0, "short") >= 0);
	assert_int_equal(xt2_ruleset_write(rs, map, NULL), 0);
	assert_int_equal(xt2_chain_owners_new(rs, owners), 0);
	xt2_ruleset_free(rs);
}

/* => what xt2_whole_image_make() returns; past: of generation 7 */
static int make(struct xt2_whole_image *w, struct xt2_mapping *map, struct xt2_image_past *past)
{
	const struct xt2_history none = { .fd = -1 };
	struct xt2_chain_owners *owners;

	pack(map, &owners);
	((struct xt2_root *)xt2_at(map->image, map->image->root))->generation = 7;
	assert_int_equal(xt2_image_past_make(past, map->image, map->size, 7, &none, NULL, owners),
			 0);
	free(owners);
	return xt2_whole_image_make(w, map->image, false, past);
}

static void end(struct xt2_whole_image *w, struct xt2_mapping *map, struct xt2_image_past *past)
{
	xt2_whole_image_end(w);
	free(past->bytes);
	xt2_image_close(map);
}

static bool passes(const struct xt2_image *img)
{
	void *scratch = malloc(xt2_check_scratch(img->size));
	const bool ok = !xt2_check(img, img->size, scratch, NULL);

	free(scratch);
	return ok;
}

/* => what is known of a chain */
static const struct xt2_way *way_of(const struct xt2_image *img, u32 chain)
{
	const struct xt2_edits *edits = xt2_at(img, xt2_image_root(img)->edits);
	const u32 *dir = xt2_at(img, edits->way);

	return (const struct xt2_way *)xt2_at(img, dir[chain / XT2_WAY_PAGE]) +
	       chain % XT2_WAY_PAGE;
}

static void an_edit_finds_what_it_needs(void **data)
{
	struct xt2_image_past past;
	struct xt2_whole_image w;
	const struct xt2_root *root;
	const struct xt2_chain *c;
	struct xt2_mapping map;
	struct xt2_history h;
	struct xt2_past newest;
	u32 i, finders = 0, owned = 0;

	assert_int_equal(make(&w, &map, &past), 0);
	assert_true(w.prepared);
	assert_true(passes(w.img));
	root = xt2_image_root(w.img);
	assert_int_equal(root->generation, 7);
	assert_int_equal(((const struct xt2_edits *)xt2_at(w.img, root->edits))->generation, 7);
	assert_true(((const struct xt2_edits *)xt2_at(w.img, root->edits))->slots);
	xt2_image_for_each_chain(c, i, w.img, root) {
		const struct xt2_way *way = way_of(w.img, i);

		owned += way->owner;
		if (c->rules > XT2_FINDER_RULES)
			assert_true(xt2_finder_fits(xt2_at(w.img, way->finder),
						    w.img->size - way->finder, c));
		finders += way->finder != 0;
	}
	assert_int_equal(finders, 1);
	assert_int_equal(owned, 1);
	xt2_history_begin(&h, w.img, -1, w.img->size, w.img->root);
	assert_true(xt2_history_next(&h, &newest));
	assert_int_equal(newest.commit.generation, 7);
	assert_int_equal(newest.commit.root, w.img->root);
	assert_int_equal(newest.commit.size, w.img->size);
	assert_false(xt2_history_next(&h, &newest));
	end(&w, &map, &past);
}

/* The image and its past are then as they came, but for the root that names the past. */
static void is_plain(const struct xt2_whole_image *w, const struct xt2_mapping *map,
		     const struct xt2_image_past *past)
{
	const u64 root = map->image->root, rest = root + sizeof(struct xt2_root);
	struct xt2_root named = *xt2_image_root(w->img);

	assert_int_equal(w->img->root, root);
	assert_int_equal(w->img->size, past->at + past->size);
	assert_int_equal(named.edits, past->edits);
	named.edits = 0;
	named.generation = xt2_image_root(map->image)->generation;
	assert_memory_equal(&named, xt2_image_root(map->image), sizeof(named));
	assert_memory_equal((u8 *)w->img + sizeof(*w->img), (u8 *)map->image + sizeof(*w->img),
			    root - sizeof(*w->img));
	assert_memory_equal((u8 *)w->img + rest, (u8 *)map->image + rest, past->at - rest);
	assert_memory_equal((u8 *)w->img + past->at, past->bytes, past->size);
}

static void what_is_wrong_is_not_prepared(void **data)
{
	const struct xt2_history none = { .fd = -1 };
	struct xt2_chain_owners *owners;
	struct xt2_image_past past;
	struct xt2_whole_image w;
	struct xt2_mapping map;

	pack(&map, &owners);
	free(owners);
	((struct xt2_root *)xt2_at(map.image, map.image->root))->hooks = 4000;
	assert_int_equal(xt2_image_past_make(&past, map.image, map.size, 1, &none, NULL, NULL), 0);
	assert_int_equal(xt2_whole_image_make(&w, map.image, false, &past), 0);
	assert_false(w.prepared);
	is_plain(&w, &map, &past);
	end(&w, &map, &past);
}

static void without_memory_it_is_not_prepared(void **data)
{
	const struct xt2_history none = { .fd = -1 };
	struct xt2_chain_owners *owners;
	struct xt2_image_past past;
	struct xt2_whole_image w;
	struct xt2_mapping map;
	u32 n, plain = 0;

	pack(&map, &owners);
	free(owners);
	assert_int_equal(xt2_image_past_make(&past, map.image, map.size, 1, &none, NULL, NULL), 0);
	for (n = 1; n < 100; n++) {
		fail_alloc(n);
		assert_int_equal(xt2_whole_image_make(&w, map.image, false, &past), 0);
		fail_alloc(0);
		if (w.prepared)
			assert_true(passes(w.img));
		else
			is_plain(&w, &map, &past);
		plain += !w.prepared;
		xt2_whole_image_end(&w);
	}
	assert_in_range(plain, 3, 98);
	free(past.bytes);
	xt2_image_close(&map);
}

static void a_stamp_fits_its_file_alone(void **data)
{
	const struct state *s = *data;
	struct xt2_file_facts facts;
	struct xt2_image_past past;
	struct xt2_whole_image w;
	const struct xt2_stamp *stamp;
	struct xt2_mapping map;
	int fd = open(s->path, O_RDWR | O_CREAT, 0600);
	u64 at;

	assert_int_equal(make(&w, &map, &past), 0);
	assert_int_equal(xt2_file_facts(fd, &facts), 0);
	assert_int_equal(xt2_whole_image_stamp(&w, &facts, facts.now.changed, &at), sizeof(*stamp));
	stamp = xt2_at(w.img, at);
	assert_null(xt2_stamp_differs(stamp, &facts, w.img->size));
	assert_int_equal(stamp->digest,
			 xt2_stamp_digest(xt2_at(w.img, stamp->first), stamp, at, w.img->root));
	assert_true(stamp->first >= sizeof(*w.img) && stamp->first <= at);
	facts.now.inode++;
	assert_non_null(xt2_stamp_differs(stamp, &facts, w.img->size));
	close(fd);
	end(&w, &map, &past);
}

/* => why an image that was committed is checked before it is edited; NULL: it is not */
static const char *why_checked(const struct state *s)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int lock = xt2_image_lock(s->path, 0, NULL);
	struct xt2_edit_file *f;
	const char *whole = NULL;

	if (!xt2_edit_file_open(s->path, lock, &f, rs, &whole, NULL)) {
		xt2_ruleset_free(rs);
		xt2_edit_file_close(f);
	} else {
		xt2_ruleset_free(rs);
	}
	close(lock);
	return whole;
}

static void a_file_is_believed_until_it_is_touched(void **data)
{
	const struct state *s = *data;
	struct xt2_chain_owners *owners;
	struct xt2_mapping map;
	struct xt2_file_facts facts;
	int fd;

	pack(&map, &owners);
	free(owners);
	assert_int_equal(xt2_image_commit(s->path, map.image, map.size, NULL, NULL), 0);
	fd = open(s->path, O_RDWR);
	assert_int_equal(xt2_file_facts(fd, &facts), 0);
	if (!facts.disturbed) /* else the disk is slow */
		assert_null(why_checked(s));
	assert_int_equal(pwrite(fd, "\1", 1, 600), 1);
	close(fd);
	assert_non_null(why_checked(s));
	xt2_image_close(&map);
}

static const struct CMUnitTest cases[] = {
	CASE(an_edit_finds_what_it_needs),
	CASE(what_is_wrong_is_not_prepared),
	CASE(without_memory_it_is_not_prepared),
	CASE(a_stamp_fits_its_file_alone),
	CASE(a_file_is_believed_until_it_is_touched),
};

UNITS(cases)
