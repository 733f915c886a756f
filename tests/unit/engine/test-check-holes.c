/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-check-holes.c - engine/check.c: images that cost far more than they say
 *
 * Images with a single policy and a large hole of each kind: as a file, such a
 * hole takes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "engine/check.h"
#include "engine/write.h"
#include "tests/lib/rules.h"

#define CAP   (16ull << 20)
#define LARGE (4u << 20)

static u64 *bytes;
static void *scratch;
static struct xt2_writer w;

static int setup(void **state)
{
	bytes = calloc(1, CAP);
	scratch = malloc(xt2_check_scratch(CAP));
	return bytes && scratch ? 0 : -1;
}

static int teardown(void **state)
{
	free(bytes);
	free(scratch);
	return 0;
}

static struct xt2_image *image(void)
{
	return (struct xt2_image *)bytes;
}

static void chain_begin(u32 index, const char *name)
{
	xt2_write_chain_begin(&w, index, 0, index ? XT2_HOOK_NONE : XT2_INPUT, name);
}

static void chain_end(u32 index, u32 spare)
{
	struct rule_build b;

	xt2_write_rule(&w, rule_plain(&b, XT2_TARGET(index ? XT2_T_RETURN : XT2_T_ACCEPT, 0)));
	xt2_write_chain_end(&w, NULL, spare);
}

static void begin(u32 chains, u32 cells)
{
	xt2_write_begin(&w, bytes, CAP, 1, 1, 1, chains, 0, cells);
	xt2_write_table(&w, XT2_IPV4, "filter", ~0u);
	xt2_write_hook(&w, XT2_IPV4, XT2_INPUT, 0, 0, 0);
}

static int end(u64 *size)
{
	int ret = xt2_write_end(&w, scratch, size);

	if (ret)
		assert_string_equal(w.err.what, "image is mostly empty");
	return ret;
}

/* --- holes ------------------------------------------------------------- */

/* => what the writer's check says to one chain with this much of each */
static int with_holes(u32 cells, u32 spare)
{
	u64 size;

	begin(1, cells);
	chain_begin(0, "INPUT");
	chain_end(0, spare);
	return end(&size);
}

static void holes_are_refused(void **state)
{
	assert_int_equal(with_holes(0, 0), 0);
	assert_int_equal(with_holes(0, XT2_HOLES_FREE / 2), 0);
	assert_int_equal(with_holes(0, LARGE), -EINVAL);
	assert_int_equal(with_holes(100, 0), 0);
	assert_int_equal(with_holes(LARGE / sizeof(u64), 0), -EINVAL);
}

static void older_generations_may_have_holes(void **state)
{
	struct xt2_image *img = (void *)bytes;
	struct xt2_check_err err;

	assert_int_equal(with_holes(0, 0), 0);
	memset((u8 *)img + img->size, 0, LARGE);
	img->size += LARGE;
	assert_int_equal(xt2_check(img, img->size, scratch, &err), -EINVAL);
	assert_string_equal(err.what, "image is mostly empty");
	assert_int_equal(xt2_check_rules(img, img->size, scratch, &err), -EINVAL);
	assert_int_equal(xt2_check_sparse(img, img->size, scratch, &err), 0);
	((struct xt2_root *)xt2_at(img, img->root))->table = 4;
	assert_int_equal(xt2_check_sparse(img, img->size, scratch, &err), -EINVAL);
}

/* The chain's spare room becomes pages of names of more of them, of which one is there. */
static void take_spare_room(u32 chains)
{
	const u32 names = XT2_COLD_PAGE * sizeof(struct xt2_chain_cold);
	const u32 pages = (chains + XT2_COLD_PAGE - 1) / XT2_COLD_PAGE;
	struct xt2_root *root = (struct xt2_root *)xt2_image_root(image());
	struct xt2_chain *c = xt2_image_chain(image(), root, 0);
	const u32 end = (u32)((u8 *)c - (u8 *)bytes) + c->used;
	const u32 dir = (chains + 2 * XT2_CHAIN_PAGE - 1) / (2 * XT2_CHAIN_PAGE) * sizeof(u64);

	u32 i, first, *offs;

	c->size = c->used;
	memcpy((u8 *)bytes + end, xt2_at(bytes, root->chain_dir), sizeof(u32));
	root->chain_dir = end;
	root->chains = chains;
	offs = xt2_at(bytes, end + dir);
	offs[0] = *(u32 *)xt2_at(bytes, root->chain_cold);
	root->chain_cold = end + dir;
	first = end + dir + (pages + 1) / 2 * (u32)sizeof(u64);
	for (i = 1; i < pages; i++)
		offs[i] = first + (i - 1) * names;
}

static void chains_that_are_not_there_are_holes(void **state)
{
	const u32 most = LARGE / sizeof(struct xt2_chain_cold) / XT2_CHAIN_PAGE * XT2_CHAIN_PAGE;
	struct xt2_check_err err;

	assert_int_equal(with_holes(0, XT2_HOLES_FREE), 0);
	take_spare_room(1000);
	assert_int_equal(xt2_check(image(), CAP, scratch, &err), 0);
	begin(1, 0);
	chain_begin(0, "INPUT");
	chain_end(0, LARGE);
	assert_int_equal(end(NULL), -EINVAL);
	image()->magic = XT2_MAGIC; /* there is nothing else wrong */
	take_spare_room(most / 2);
	assert_int_equal(xt2_check(image(), CAP, scratch, &err), -EINVAL);
	assert_string_equal(err.what, "image is mostly empty");
}

/* The header says that there are more bytes than anything claims. */
static void bytes_of_nothing_are_refused(void **state)
{
	struct xt2_check_err err;
	u64 size;

	begin(1, 0);
	chain_begin(0, "INPUT");
	chain_end(0, 0);
	assert_int_equal(end(&size), 0);
	image()->size = XT2_HOLES_FREE;
	assert_int_equal(xt2_check(image(), CAP, scratch, &err), 0);
	image()->size = LARGE;
	assert_int_equal(xt2_check(image(), CAP, scratch, &err), -EINVAL);
	assert_string_equal(err.what, "image is mostly empty");
}

/* An instance's data may be large, but they say something. */
static int with_data(u32 size, int fill)
{
	u8 *data = malloc(size);
	u64 all;
	int ret;

	assert_non_null(data);
	memset(data, fill, size);
	xt2_write_begin(&w, bytes, CAP, 1, 1, 1, 1, 1, 0);
	xt2_write_table(&w, XT2_IPV4, "filter", ~0u);
	xt2_write_hook(&w, XT2_IPV4, XT2_INPUT, 0, 0, 0);
	xt2_write_instance(&w, XT2_INSTANCE_MATCH, 0, "among", data, size);
	chain_begin(0, "INPUT");
	chain_end(0, 0);
	ret = end(&all);
	free(data);
	return ret;
}

static void data_are_no_holes(void **state)
{
	assert_int_equal(with_data(XT2_HOLES_FREE / 2, 0), 0);
	assert_int_equal(with_data(LARGE, 1), 0);
	assert_int_equal(with_data(LARGE, 0), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(holes_are_refused),
	cmocka_unit_test(older_generations_may_have_holes),
	cmocka_unit_test(chains_that_are_not_there_are_holes),
	cmocka_unit_test(bytes_of_nothing_are_refused),
	cmocka_unit_test(data_are_no_holes),
};

UNITS_WITH(tests, setup, teardown)
