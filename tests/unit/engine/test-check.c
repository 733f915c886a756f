/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-check.c - hostile images, made by hand
 *
 * Each row changes one thing in a valid image, and names the reason that the
 * check must give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/lib/unit-program.h"

#include "tests/unit/sample-image.h"

static struct sample sample;

static void swap_hooks(struct sample *s, u32 i)
{
	struct xt2_hook one = *sample_hook(s, i);

	*sample_hook(s, i) = *sample_hook(s, i + 1);
	*sample_hook(s, i + 1) = one;
}

#define LESS "depth or visits are less than they should be"

/* clang-format off */
#define IMAGES(X) \
	X(magic, "not an xt2 image", s->img->magic = 1) \
	X(unfinished, "image is unfinished", s->img->magic = XT2_MAGIC_UNFINISHED) \
	X(order, "image has another byte order", s->img->byte_order = 0x0201) \
	X(version, "image has an unknown version", s->img->version = 2) \
	X(short_, "too short for an image", s->given = 56) \
	X(size_small, "image has a wrong size", s->img->size = 56) \
	X(size_large, "image has a wrong size", s->img->size += 8) \
	X(size_odd, "image has a wrong size", s->img->size -= 4) \
	X(size_max, "image has a wrong size", s->img->size = 1ull << 33; s->given = 1ull << 34) \
	X(header, "reserved bytes of the header are set", s->img->reserved[4] = 1) \
	X(root_odd, "root is outside the image", s->img->root += 4) \
	X(root_end, "root is outside the image", s->img->root = s->img->size - 64) \
	X(root_far, "root is outside the image", s->img->root = ~7ull) \
	X(root_header, "two structures overlap", s->img->root = 8) \
	X(slots, "wrong number of counting slots", s->root->slots = 2) \
	X(tables_many, "too many tables", s->root->tables = XT2_TABLES_MAX + 1) \
	X(chains_many, "too many chains", s->root->chains = XT2_CHAINS_MAX + 1) \
	X(chains_size, "too many chains", s->root->chains = (u32)s->img->size / 40 + 1) \
	X(tables_far, "tables are outside the image", s->root->table = (u32)s->img->size) \
	X(hooks_far, "hook entries are outside the image", s->root->hooks = 1u << 31) \
	X(dir_far, "chain table is outside the image", s->root->chain_dir = ~7u) \
	X(cold_far, "names of chains are outside the image", s->root->chain_cold = ~7u) \
	X(names_far, "names of chains are outside the image", \
	  *sample_names(s) = (u32)s->img->size - 8) \
	X(names_odd, "names of chains are outside the image", *sample_names(s) += 4) \
	X(names_overlap, "two structures overlap", *sample_names(s) = *sample_instance_page(s)) \
	X(names_into, "two structures overlap", *sample_names(s) -= 8) \
	X(names_gone, "chain without a name", *sample_names(s) = 0) \
	X(cells_far, "cells are outside the image", s->root->cells = ~0u) \
	X(cells_none, "cells are outside the image", s->root->cells = 0) \
	X(cells_odd, "cells are outside the image", s->root->cell += 4) \
	X(instances_many, "too many instances", s->root->instances = ~0u) \
	X(instances_size, "too many instances", s->root->instances = (u32)s->img->size / 40 + 1) \
	X(instances_far, "instances are outside the image", s->root->instance = ~7u) \
	X(instance_page_far, "instances are outside the image", \
	  *sample_instance_page(s) = (u32)s->img->size - 8) \
	X(instance_page_odd, "instances are outside the image", *sample_instance_page(s) += 4) \
	X(instance_page_into, "two structures overlap", *sample_instance_page(s) -= 8) \
	X(instance_page_gone, "source of a table is not a file's name", \
	  *sample_instance_page(s) = 0) \
	X(instance_unused, "rule names an instance of another kind", sample_instances(s)[1] = 0) \
	X(comment_unused, "rule names an instance of another kind", sample_instances(s)[0] = 0) \
	X(target_unused, "rule names an instance of another kind", sample_instances(s)[2] = 0) \
	X(source_unused, "source of a table is not a file's name", sample_instances(s)[3] = 0) \
	X(padding, "padding is not zero", ((u32 *)sample_at(s, s->root->chain_dir))[1] = 1) \
	X(overlap, "two structures overlap", s->root->cell = s->root->table) \
	X(instance_far, "instance is outside the image", \
	  sample_instances(s)[1] = (u32)s->img->size - 32) \
	X(instance_odd, "instance is outside the image", sample_instances(s)[1] += 4) \
	X(instance_beyond, "instance is outside the image", sample_instances(s)[1] = ~7u) \
	X(instance_twice, "two structures overlap", \
	  sample_instances(s)[1] = sample_instances(s)[0]) \
	X(instance_long, "data of an instance are outside the image", \
	  sample_instance(s, 3)->size = ~0u) \
	X(instance_kind0, "instance of an unknown kind", sample_instance(s, 1)->kind = 0) \
	X(instance_kind5, "instance of an unknown kind", sample_instance(s, 1)->kind = 5) \
	X(instance_reserved, "reserved bytes of an instance are set", \
	  sample_instance(s, 1)->reserved = 1) \
	X(comment_nul, "text has a NUL in it", ((u8 *)(sample_instance(s, 0) + 1))[1] = 0) \
	X(source_nul, "text has a NUL in it", ((u8 *)(sample_instance(s, 3) + 1))[7] = 0) \
	X(instance_name, "name of an instance is not valid", \
	  memset(sample_instance(s, 0)->name, 'x', XT2_NAME_SIZE)) \
	X(instance_empty, "name of an instance is not valid", \
	  memset(sample_instance(s, 1)->name, 0, XT2_NAME_SIZE)) \
	X(family, "table of an unknown family", sample_table(s, 1)->family = 5) \
	X(table_reserved0, "reserved bytes of a table are set", sample_table(s, 1)->reserved[0] = 1) \
	X(table_reserved1, "reserved bytes of a table are set", sample_table(s, 1)->reserved[1] = 1) \
	X(table_flags, "unknown flags of a table", sample_table(s, 1)->flags = 2) \
	X(table_flags_more, "unknown flags of a table", \
	  sample_table(s, 1)->flags = 0x80 | XT2_TABLE_BY_NAME) \
	X(table_empty, "name of a table is not valid", memset(sample_table(s, 0)->name, 0, 32)) \
	X(table_long, "name of a table is not valid", memset(sample_table(s, 0)->name, 'x', 32)) \
	X(table_rest, "name of a table is not valid", sample_table(s, 0)->name[31] = 'x') \
	X(source_far, "source of a table is not a file's name", sample_table(s, 0)->source = 4) \
	X(source_kind, "source of a table is not a file's name", sample_table(s, 0)->source = 0) \
	X(tables_same, "two tables have the same name", sample_table(s, 2)->family = XT2_IPV4) \
	X(page_far, "chain table is outside the image", \
	  *(u32 *)sample_at(s, s->root->chain_dir) = (u32)s->img->size - 8) \
	X(page_more, "more chains than there should be", \
	  sample_page(s)[SAMPLE_CHAINS] = sample_page(s)[0]) \
	X(chain_far, "chain is outside the image", sample_page(s)[0] = (u32)s->img->size - 8) \
	X(chain_beyond, "chain is outside the image", sample_page(s)[0] = (u32)s->img->size + 64) \
	X(chain_odd, "chain is outside the image", sample_page(s)[0] += 4) \
	X(chain_twice, "two structures overlap", sample_page(s)[5] = sample_page(s)[1]) \
	X(chain_cells, "two structures overlap", s->root->cell = sample_page(s)[1] + 48) \
	X(chain_into, "two structures overlap", sample_chain(s, 5)->size += 64) \
	X(chain_large, "chain is outside the image", sample_chain(s, 6)->size = ~7u) \
	X(chain_small, "chain has a wrong size", sample_chain(s, 1)->size = 48) \
	X(chain_size, "chain has a wrong size", sample_chain(s, 1)->size += 4) \
	X(chain_index, "chain has another index", sample_chain(s, 1)->index = 2) \
	X(chain_table, "chain of a table that is not there", sample_chain(s, 1)->table = 3) \
	X(chain_hook4, "chain of a hook that is not there", sample_chain(s, 1)->hook = 5) \
	X(chain_hooka, "chain of a hook that is not there", sample_chain(s, 6)->hook = 3) \
	X(chain_reserved, "reserved bytes of a chain are set", sample_chain(s, 1)->reserved = 1) \
	X(chain_lookup, "index of a chain is not where it should be", sample_chain(s, 1)->lookup = 1) \
	X(used_large, "chain uses more bytes than it has", \
	  sample_chain(s, 1)->used = sample_chain(s, 1)->size + 24) \
	X(used_none, "wrong number of rules in a chain", sample_chain(s, 1)->used = 32) \
	X(used_nothing, "wrong number of rules in a chain", sample_chain(s, 1)->used = 32; \
	  sample_chain(s, 1)->rules = 0) \
	X(used_more, "wrong size of a rule", sample_chain(s, 5)->used += 8) \
	X(rules_more, "wrong number of rules in a chain", sample_chain(s, 0)->rules++) \
	X(tail, "last rule of a chain is not where it should be", sample_chain(s, 0)->tail = 40) \
	X(tail_base, "chain does not end in a policy or a return", \
	  sample_rule(s, 1, 0)->target = XT2_T_RETURN) \
	X(tail_queue, "chain does not end in a policy or a return", \
	  sample_rule(s, 1, 0)->target = XT2_T_QUEUE) \
	X(tail_user, "chain does not end in a policy or a return", \
	  sample_rule(s, 5, 0)->target = XT2_T_ACCEPT) \
	X(tail_match, "chain does not end in a policy or a return", \
	  sample_chain(s, 6)->rules = 1; sample_chain(s, 6)->tail = 32; \
	  sample_chain(s, 6)->used = 64) \
	X(rule_size, "wrong size of a rule", sample_rule(s, 0, 1)->size = 0) \
	X(jump_far, "rule names a chain that is not there", \
	  sample_rule(s, 0, 0)->target = XT2_TARGET(XT2_T_JUMP, SAMPLE_CHAINS)) \
	X(jump_gone, "rule names a chain that is not there", sample_page(s)[4] = 0) \
	X(jump_table, "rule names a chain of another table", \
	  sample_rule(s, 0, 0)->target = XT2_TARGET(XT2_T_JUMP, 5)) \
	X(goto_table, "rule names a chain of another table", \
	  sample_rule(s, 0, 0)->target = XT2_TARGET(XT2_T_GOTO, 2)) \
	X(comment_kind, "rule names an instance of another kind", sample_match(s, 0, 1)->arg = 1) \
	X(foreign_kind, "rule names an instance of another kind", sample_match(s, 4, 0)->arg = 2) \
	X(target_kind, "rule names an instance of another kind", \
	  sample_rule(s, 4, 0)->target = XT2_TARGET(XT2_T_FOREIGN, 1)) \
	X(nat_kind, "rule names an instance of another kind", \
	  sample_rule(s, 2, 0)->target = XT2_TARGET(XT2_T_NAT, 3)) \
	X(nat_elsewhere, "NAT target outside a nat table", \
	  sample_rule(s, 0, 0)->target = XT2_TARGET(XT2_T_NAT, 2)) \
	X(match_cell, "match names a cell that is not there", \
	  xt2_match_next(sample_match(s, 4, 0))->arg = 2) \
	X(name_empty, "name of a chain is not valid", memset(sample_cold(s, 3)->name, 0, 32)) \
	X(name_long, "name of a chain is not valid", memset(sample_cold(s, 3)->name, 'x', 32)) \
	X(name_rest, "name of a chain is not valid", sample_cold(s, 3)->name[8] = 'x') \
	X(lines_far, "line numbers are outside the image", \
	  sample_chain(s, 0)->lines = (u32)s->img->size - 8) \
	X(lines_odd, "line numbers are outside the image", sample_chain(s, 0)->lines += 4) \
	X(lines_rules, "two structures overlap", sample_chain(s, 0)->lines = sample_page(s)[1] + 48) \
	X(lines_pad, "padding is not zero", ((u32 *)sample_at(s, sample_chain(s, 0)->lines))[3] = 1) \
	X(hook_order, "hook entries are not in order", swap_hooks(s, 0)) \
	X(hook_families, "hook entries are not in order", swap_hooks(s, 2)) \
	X(hook_priority, "hook entries are not in order", *sample_hook(s, 1) = *sample_hook(s, 0); \
	  sample_hook(s, 1)->priority = -1) \
	X(hook_same, "hook entries are not in order", *sample_hook(s, 1) = *sample_hook(s, 0)) \
	X(hook_table, "hook entry of a table that is not there", sample_hook(s, 3)->table = 3) \
	X(hook_family, "hook entry of another family than its table", sample_hook(s, 3)->table = 0) \
	X(hook_number, "hook entry of a hook that is not there", sample_hook(s, 3)->hook = 5) \
	X(hook_arp, "hook entry of a hook that is not there", sample_hook(s, 2)->hook = 3) \
	X(hook_user, "hook entry without its base chain", sample_hook(s, 0)->chain = 3) \
	X(hook_far, "hook entry without its base chain", sample_hook(s, 0)->chain = ~0u) \
	X(hook_other, "hook entry without its base chain", sample_hook(s, 0)->chain = 1) \
	X(hook_foreign, "hook entry without its base chain", sample_hook(s, 0)->chain = 2) \
	X(hook_twice, "two hook entries of one table and hook", \
	  *sample_hook(s, 1) = *sample_hook(s, 0); sample_hook(s, 1)->priority = 1) \
	X(hook_less, "base chain without a hook entry", s->root->hooks = 3) \
	X(names_same, "two chains of a table have the same name", \
	  memcpy(sample_cold(s, 3)->name, sample_cold(s, 4)->name, 32)) \
	X(names_base, "two chains of a table have the same name", \
	  memcpy(sample_cold(s, 5)->name, sample_cold(s, 2)->name, 32)) \
	X(depth_hook, LESS, sample_hook(s, 0)->depth = 1) \
	X(visits_hook, LESS, sample_hook(s, 1)->visits = 0) \
	X(depth_root, LESS, s->root->depth = 1) \
	X(visits_root, LESS, s->root->visits = 2) \
	X(depth_over_root, LESS, sample_hook(s, 1)->depth = 3) \
	X(visits_over_root, LESS, sample_hook(s, 1)->visits = 5)

#define IMAGE_BREAK(name, text, ...) \
	static void break_##name(struct sample *s) { __VA_ARGS__; }
#define IMAGE_ROW(name, text, ...) { #name, text, break_##name },
/* clang-format on */

IMAGES(IMAGE_BREAK)

static const struct {
	const char *name, *what;
	void (*change)(struct sample *s);
} images[] = { IMAGES(IMAGE_ROW) };

static void test_sample(void **state)
{
	struct sample *s = &sample;
	u64 words[16] = { 0 };
	struct xt2_image *img = (void *)words;

	assert_int_equal(sample_make(s), 0);
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), 0);
	assert_int_equal(xt2_check(s->img, s->given + 100, s->scratch, NULL), 0);
	assert_int_equal(sample_hook(s, 0)->depth, 2);
	assert_int_equal(sample_hook(s, 0)->visits, 4);
	assert_int_equal(s->root->depth, 2);
	/* a chain index that is not in use, whatever its name */
	sample_page(s)[5] = 0;
	memset(sample_cold(s, 5)->name, 'x', XT2_NAME_SIZE);
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), 0);
	/* no ruleset yet */
	*img = (struct xt2_image){
		.magic = XT2_MAGIC, .version = 1, .byte_order = 0x0102, .size = sizeof(*img)
	};
	assert_int_equal(xt2_check(img, sizeof(words), s->scratch, &s->err), 0);
	memmove((u8 *)words + 4, words, sizeof(*img));
	assert_int_equal(xt2_check((u8 *)words + 4, sizeof(*img), s->scratch, &s->err), -EINVAL);
}

/* What edits may leave in an image. */
static void test_edited(void **state)
{
	struct sample *s = &sample;

	assert_int_equal(sample_make(s), 0);
	s->root->depth = sample_hook(s, 0)->depth = ~0u;
	s->root->visits = sample_hook(s, 1)->visits = ~0ull;
	s->root->edits = ~0u; /* nobody who checks or evaluates follows it */
	sample_table(s, 1)->flags = XT2_TABLE_BY_NAME;
	sample_table(s, 0)->source = ~0u;
	sample_instances(s)[3] = 0;
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), 0);
	/* offsets behind the last instance have no meaning */
	sample_instances(s)[4] = ~0u;
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), 0);
}

static void test_images(void **state)
{
	struct sample *s = &sample;

	for (size_t i = 0; i < XT2_ARRAY_SIZE(images); i++) {
		assert_int_equal(sample_make(s), 0);
		images[i].change(s);
		if (xt2_check(s->img, s->given, s->scratch, &s->err) != -EINVAL)
			fail_msg("%s: accepted", images[i].name);
		if (strcmp(s->err.what, images[i].what))
			fail_msg("%s: refused, but: %s", images[i].name, s->err.what);
	}
}

/* As the specification says it, byte by byte. */
static bool is_name(const char *name)
{
	u32 i, len = (u32)strnlen(name, XT2_NAME_SIZE);

	for (i = len; i < XT2_NAME_SIZE; i++)
		if (name[i])
			return false;
	return len && len < XT2_NAME_SIZE;
}

/* Names of every length, with a byte at every place behind their end. */
static void test_name_bytes(void **state)
{
	static const char bytes[] = { 0, 1, 'x', (char)0x80, (char)0xff };
	struct sample *s = &sample;
	u32 len, at, i, good = 0;
	char *name;

	assert_int_equal(sample_make(s), 0);
	name = sample_cold(s, 3)->name;
	for (len = 0; len <= XT2_NAME_SIZE; len++)
		for (at = len; at < XT2_NAME_SIZE; at++)
			for (i = 0; i < sizeof(bytes); i++) {
				memset(name, 0, XT2_NAME_SIZE);
				memset(name, 'a', len);
				name[at] = bytes[i];
				good += is_name(name);
				if (!xt2_check(s->img, s->given, s->scratch, NULL) != is_name(name))
					fail_msg("%u bytes, and %d at %u", len, bytes[i], at);
			}
	assert_in_range(good, 4 * 31, 6 * 31 * 31);
}

/* A NUL at every place of a text is found there. */
static void test_text_bytes(void **state)
{
	struct sample *s = &sample;
	u32 at;
	u8 *text;

	assert_int_equal(sample_make(s), 0);
	text = (u8 *)(sample_instance(s, 3) + 1);
	assert_in_range(sample_instance(s, 3)->size, 9, 100);
	for (at = 0; at < sample_instance(s, 3)->size; at++) {
		u8 was = text[at];

		text[at] = 0;
		assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), -EINVAL);
		assert_string_equal(s->err.what, "text has a NUL in it");
		assert_int_equal(s->err.offset, text + at - (u8 *)s->img);
		text[at] = was;
	}
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, NULL), 0);
}

/* Structures may stand in any order, with anything between them. */
static void test_scattered(void **state)
{
	static u64 from[SEED_IMAGE_SIZE / 8], to[SEED_IMAGE_SIZE / 4];
	void *scratch = malloc(xt2_check_scratch(sizeof(to)));
	struct xt2_check_err err;

	for (u64 seed = 1; seed <= 300; seed++) {
		u64 size, random = seed;

		assert_int_not_equal(seed_image(seed, from, sizeof(from), scratch), 0);
		size = seed_scatter(&random, (void *)from, (void *)to);
		if (xt2_check(to, size, scratch, &err))
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.what);
	}
	free(scratch);
}

/* Every prefix of an image is refused, however it is cut. */
static void test_truncated(void **state)
{
	struct sample *s = &sample;

	assert_int_equal(sample_make(s), 0);
	for (u64 size = 0; size < s->given; size += 4) {
		struct xt2_image *img = malloc(size + 1);

		memcpy(img, s->bytes, size);
		assert_int_equal(xt2_check(img, size, s->scratch, NULL), -EINVAL);
		if (size >= sizeof(*img) && size % 8 == 0) {
			img->size = size;
			assert_int_equal(xt2_check(img, size, s->scratch, NULL), -EINVAL);
		}
		free(img);
	}
}

/* Where the report points. */
static void test_report(void **state)
{
	struct sample *s = &sample;

	assert_int_equal(sample_make(s), 0);
	sample_rule(s, 4, 0)->target = XT2_TARGET(XT2_T_FOREIGN, 1);
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), -EINVAL);
	assert_int_equal(s->err.chain, 4);
	assert_int_equal(s->err.rule, 1);
	assert_ptr_equal(sample_at(s, s->err.offset), sample_rule(s, 4, 0));
	assert_int_equal(sample_make(s), 0);
	s->img->reserved[1] = 1;
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), -EINVAL);
	assert_int_equal(s->err.chain, ~0u);
	assert_int_equal(s->err.offset, 32);
	assert_int_equal(sample_make(s), 0);
	memcpy(sample_cold(s, 3)->name, sample_cold(s, 4)->name, XT2_NAME_SIZE);
	assert_int_equal(xt2_check(s->img, s->given, s->scratch, &s->err), -EINVAL);
	assert_int_equal(s->err.chain, 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sample),	   cmocka_unit_test(test_images),
	cmocka_unit_test(test_scattered),  cmocka_unit_test(test_truncated),
	cmocka_unit_test(test_report),	   cmocka_unit_test(test_name_bytes),
	cmocka_unit_test(test_text_bytes), cmocka_unit_test(test_edited),
};

UNITS(tests)
