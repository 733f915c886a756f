/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-check.c - hostile images, made by hand
 *
 * Each row changes one thing in a valid image, or makes one rule, and names
 * the reason that the check must give.  Then the walk: loops, depth, visits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/lib/units.h"

#include "tests/unit/sample-image.h"

static struct sample sample;

static void swap_hooks(struct sample *s, u32 i)
{
	struct xt2_hook one = *sample_hook(s, i);

	*sample_hook(s, i) = *sample_hook(s, i + 1);
	*sample_hook(s, i + 1) = one;
}

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
	X(root_reserved, "reserved bytes of the root are set", s->root->reserved = 1) \
	X(slots, "wrong number of counting slots", s->root->slots = 2) \
	X(tables_many, "too many tables", s->root->tables = XT2_TABLES_MAX + 1) \
	X(chains_many, "too many chains", s->root->chains = XT2_CHAINS_MAX + 1) \
	X(tables_far, "tables are outside the image", s->root->table = (u32)s->img->size) \
	X(hooks_far, "hook entries are outside the image", s->root->hooks = 1u << 31) \
	X(dir_far, "chain table is outside the image", s->root->chain_dir = ~7u) \
	X(cold_far, "names of chains are outside the image", s->root->chains = 1 << 20; \
	  s->root->chain_dir = 72 * 8) \
	X(cells_far, "cells are outside the image", s->root->cells = ~0u) \
	X(cells_none, "cells are outside the image", s->root->cells = 0) \
	X(cells_odd, "cells are outside the image", s->root->cell += 4) \
	X(instances_far, "instances are outside the image", s->root->instances = ~0u) \
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
	X(table_reserved2, "reserved bytes of a table are set", sample_table(s, 1)->reserved[2] = 1) \
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
	X(chain_strips, "reserved bytes of a chain are set", sample_chain(s, 1)->strips = 1) \
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
	X(cold_reserved, "reserved bytes of a chain's name are set", \
	  sample_cold(s, 3)->reserved = 1) \
	X(lines_far, "line numbers are outside the image", \
	  sample_cold(s, 0)->lines = (u32)s->img->size - 8) \
	X(lines_odd, "line numbers are outside the image", sample_cold(s, 0)->lines += 4) \
	X(lines_rules, "two structures overlap", sample_cold(s, 0)->lines = sample_page(s)[1] + 48) \
	X(lines_pad, "padding is not zero", ((u32 *)sample_at(s, sample_cold(s, 0)->lines))[3] = 1) \
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
	X(depth_hook, "depth or visits are not what they should be", sample_hook(s, 0)->depth = 1) \
	X(visits_hook, "depth or visits are not what they should be", sample_hook(s, 1)->visits = 0) \
	X(depth_root, "depth or visits are not what they should be", s->root->depth = 3) \
	X(visits_root, "depth or visits are not what they should be", s->root->visits = 2)

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

/* n chains in a row, each with jumps to the next. => root */
static const struct xt2_root *make_row(u64 *words, u64 cap, void *scratch, u32 n, u32 jumps)
{
	struct xt2_writer w;
	struct seed_rule s;
	char name[16];
	u64 size;

	xt2_write_begin(&w, words, cap, 1, 1, 1, n, 0, 0);
	xt2_write_table(&w, XT2_IPV6, "raw", ~0u);
	xt2_write_hook(&w, XT2_IPV6, XT2_PREROUTING, 0, -300, 0);
	for (u32 i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "C%u", i);
		xt2_write_chain_begin(&w, i, 0, i ? XT2_HOOK_NONE : XT2_PREROUTING, name);
		seed_rule_begin(&s, XT2_T_JUMP, i + 1);
		for (u32 j = 0; j < jumps && i + 1 < n; j++)
			xt2_write_rule(&w, seed_rule(&s));
		seed_rule_begin(&s, i ? XT2_T_RETURN : XT2_T_DROP, 0);
		xt2_write_rule(&w, seed_rule(&s));
		xt2_write_chain_end(&w, NULL, 0);
	}
	assert_int_equal(xt2_write_end(&w, scratch, &size), 0);
	assert_int_equal(xt2_check(words, size, scratch, NULL), 0);
	return xt2_image_root((void *)words);
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

/* Any two of many chains with one name are found. */
static void test_names(void **state)
{
	static u64 words[4096], scratch[8192];
	const u32 n = 61;

	for (u32 a = 0; a < n; a++) {
		u32 b = (a + 1 + a * a % (n - 1)) % n;
		struct xt2_check_err err;
		struct xt2_chain_cold *cold;

		make_row(words, sizeof(words), scratch, n, 0);
		cold = xt2_at(words, xt2_image_root((void *)words)->chain_cold);
		memcpy(cold[a].name, cold[b].name, XT2_NAME_SIZE);
		assert_int_equal(xt2_check(words, sizeof(words), scratch, &err), -EINVAL);
		assert_string_equal(err.what, "two chains of a table have the same name");
		assert_true(err.chain == a || err.chain == b);
	}
}

/* clang-format off */
#define M(type, flags, arg, payload, size) \
	seed_match(s, XT2_M_##type, flags, arg, payload, size)
#define INV XT2_MATCH_INVERT

#define RULES(X) \
	X(src4, IPV4, NULL, M(SRC4, INV | 8, 0x0a000100, NULL, 0)) \
	X(src4_arp, ARP, NULL, M(DST4, 0, 0x0a000101, NULL, 0)) \
	X(src4_six, IPV6, "match of another family", M(SRC4, 0, 0, NULL, 0)) \
	X(src4_long, IPV4, "wrong size of a match", M(SRC4, 0, 0, NULL, 8)) \
	X(src4_flag, IPV4, "unknown flags of a match", M(SRC4, 0x20, 0, NULL, 0)) \
	X(src4_bits, IPV4, "address has bits outside its network", M(SRC4, 8, 0x0a0001ff, NULL, 0)) \
	X(dst4_bits, IPV4, "address has bits outside its network", M(DST4, 31, 1, NULL, 0)) \
	X(dst4_mask, IPV4, NULL, M(DST4_MASK, INV, 5, "\xff\0\xff\0\0\0\0", 8)) \
	X(dst4_mask_six, IPV6, "match of another family", M(DST4_MASK, 0, 5, NULL, 8)) \
	X(src4_mask_rest, IPV4, "reserved bytes of a match are set", \
	  M(SRC4_MASK, 0, 5, "\xff\0\0\0\1\0\0", 8)) \
	X(dst4_mask_flag, IPV4, "unknown flags of a match", M(DST4_MASK, 1, 5, NULL, 8)) \
	X(src6, IPV6, NULL, M(SRC6, INV, 0, NULL, 16)) \
	X(src6_four, IPV4, "match of another family", M(SRC6, 0, 0, NULL, 16)) \
	X(src6_arp, ARP, "match of another family", M(DST6, 0, 0, NULL, 16)) \
	X(src6_short, IPV6, "wrong size of a match", M(SRC6, 0, 0, NULL, 8)) \
	X(src6_arg, IPV6, "argument of a match is out of range", M(SRC6, 0, 1, NULL, 16)) \
	X(dst6_mask, IPV6, NULL, M(DST6_MASK, 0, 0, NULL, 32)) \
	X(dst6_mask_short, IPV6, "wrong size of a match", M(DST6_MASK, 0, 0, NULL, 24)) \
	X(dst6_mask_four, IPV4, "match of another family", M(SRC6_MASK, 0, 0, NULL, 32)) \
	X(in, IPV4, NULL, M(IN, INV, 5, "eth0\0\0\0", 8)) \
	X(out16, ARP, NULL, M(OUT, 0, 16, "0123456789abcdef", 16)) \
	X(in8, IPV6, NULL, M(IN, 0, 8, "01234567", 8)) \
	X(in9, IPV6, "wrong size of an interface name", M(IN, 0, 9, "01234567", 8)) \
	X(in8_long, IPV6, "wrong size of an interface name", M(IN, 0, 8, NULL, 16)) \
	X(in0, IPV4, "wrong size of an interface name", M(IN, 0, 0, NULL, 8)) \
	X(out17, IPV4, "argument of a match is out of range", M(OUT, 0, 17, NULL, 16)) \
	X(in_flag, IPV4, "unknown flags of a match", M(IN, 1, 5, "eth0\0\0\0", 8)) \
	X(in_rest, IPV4, "interface name is not padded with NUL", M(IN, 0, 3, "eth0\0\0\0", 8)) \
	X(out_rest, IPV4, "interface name is not padded with NUL", \
	  M(OUT, 0, 9, "0123456789\0\0\0\0\0", 16)) \
	X(in_mask, IPV4, NULL, M(IN_MASK, INV, 0, NULL, 32)) \
	X(in_mask_arg, IPV4, "argument of a match is out of range", M(OUT_MASK, 0, 1, NULL, 32)) \
	X(in_mask_short, IPV4, "wrong size of a match", M(OUT_MASK, 0, 0, NULL, 16)) \
	X(proto, IPV6, NULL, M(PROTO, INV, 58, NULL, 0)) \
	X(proto_arp, ARP, "match of another family", M(PROTO, 0, 6, NULL, 0)) \
	X(proto_large, IPV4, "argument of a match is out of range", M(PROTO, 0, 65536, NULL, 0)) \
	X(fragment, IPV4, NULL, M(FRAGMENT, INV, 0, NULL, 0)) \
	X(fragment_six, IPV6, "match of another family", M(FRAGMENT, 0, 0, NULL, 0)) \
	X(fragment_arg, IPV4, "argument of a match is out of range", M(FRAGMENT, 0, 1, NULL, 0)) \
	X(arp_op, ARP, NULL, M(ARP_OP, INV, ~0u, NULL, 0)) \
	X(arp_hrd, IPV4, "match of another family", M(ARP_HRD, 0, 1, NULL, 0)) \
	X(arp_hln, IPV6, "match of another family", M(ARP_HLN, 0, 1, NULL, 0)) \
	X(arp_pro_long, ARP, "wrong size of a match", M(ARP_PRO, 0, 1, NULL, 8)) \
	X(arp_sha, ARP, NULL, M(ARP_SHA, 0, 16, NULL, 32)) \
	X(arp_tha_17, ARP, "argument of a match is out of range", M(ARP_THA, 0, 17, NULL, 32)) \
	X(arp_tha_short, ARP, "wrong size of a match", M(ARP_THA, 0, 6, NULL, 16)) \
	X(arp_sha_four, IPV4, "match of another family", M(ARP_SHA, 0, 6, NULL, 32)) \
	X(comment, ARP, NULL, M(COMMENT, 0, 3, NULL, 0)) \
	X(comment_far, ARP, "match names an instance that is not there", M(COMMENT, 0, 4, NULL, 0)) \
	X(comment_long, IPV4, "wrong size of a match", M(COMMENT, 0, 0, NULL, 8)) \
	X(comment_flag, IPV4, "unknown flags of a match", M(COMMENT, INV, 0, NULL, 0)) \
	X(foreign, IPV6, NULL, M(FOREIGN, 0, 0, NULL, 0)) \
	X(foreign_far, IPV6, "match names an instance that is not there", M(FOREIGN, 0, 9, NULL, 0)) \
	X(foreign_long, IPV6, "wrong size of a match", M(FOREIGN, 0, 0, NULL, 8)) \
	X(quota, IPV6, NULL, M(QUOTA, INV, 1, NULL, 8)) \
	X(quota_long, IPV6, "payload of a match is not valid", M(QUOTA, 0, 0, NULL, 16)) \
	X(quota_cell, IPV6, "match names a cell that is not there", M(QUOTA, 0, 2, NULL, 8)) \
	X(type_0, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = 0) \
	X(type_31, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = 31) \
	X(type_end, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = XT2_M_COUNT) \
	X(type_255, IPV4, "unknown match", M(SRC4, 0, 0, NULL, 0)->type = 255) \
	X(second, IPV4, "match of another family", M(PROTO, 0, 6, NULL, 0); \
	  M(SRC6, 0, 0, NULL, 16)) \
	X(match_none, IPV4, "match does not fit into its rule", M(SRC4, 0, 0, NULL, 0)->size = 0) \
	X(match_odd, IPV4, "match does not fit into its rule", M(SRC4, 0, 0, NULL, 8)->size = 12) \
	X(match_out, IPV4, "match does not fit into its rule", M(SRC4, 0, 0, NULL, 0)->size = 16) \
	X(match_into, IPV4, "match does not fit into its rule", \
	  M(SRC4_MASK, 0, 0, NULL, 8); r->target_offset -= 8) \
	X(rule_small, IPV4, "wrong size of a rule", r->size = 16) \
	X(rule_odd, IPV4, "wrong size of a rule", r->size = 28; r->target_offset = 24) \
	X(rule_room, IPV4, "wrong size of a rule", s->family = 0; r->size = 32) \
	X(target_before, IPV4, "target is not inside its rule", r->target_offset = 16) \
	X(target_behind, IPV4, "target is not inside its rule", r->target_offset = 32) \
	X(target_odd, IPV4, "target is not inside its rule", \
	  M(SRC4, 0, 0, NULL, 0); r->target_offset = 28) \
	X(accept, IPV4, NULL, r->target = XT2_T_ACCEPT) \
	X(accept_arg, IPV4, "target has an argument that it cannot have", \
	  r->target = XT2_TARGET(XT2_T_ACCEPT, 1)) \
	X(queue_arg, IPV4, "target has an argument that it cannot have", \
	  r->target = XT2_TARGET(XT2_T_QUEUE, 1)) \
	X(drop_data, IPV4, "target has data that it cannot have", r->target = XT2_T_DROP; \
	  r->size = 32) \
	X(jump, IPV4, NULL, r->target = XT2_TARGET(XT2_T_JUMP, 8)) \
	X(jump_far, IPV4, "rule names a chain that is not there", \
	  r->target = XT2_TARGET(XT2_T_JUMP, 9)) \
	X(goto_far, IPV4, "rule names a chain that is not there", \
	  r->target = XT2_TARGET(XT2_T_GOTO, 0xffffff)) \
	X(foreign_target, IPV4, NULL, r->target = XT2_TARGET(XT2_T_FOREIGN, 3)) \
	X(foreign_target_far, IPV4, "target names an instance that is not there", \
	  r->target = XT2_TARGET(XT2_T_FOREIGN, 4)) \
	X(nat_far, IPV4, "target names an instance that is not there", \
	  r->target = XT2_TARGET(XT2_T_NAT, 4)) \
	X(target_9, IPV4, "unknown target", r->target = XT2_TARGET(9, 0)) \
	X(target_15, IPV4, "unknown target", r->target = XT2_TARGET(15, 0)) \
	X(target_end, IPV4, "unknown target", r->target = XT2_TARGET(XT2_T_COUNT, 0)) \
	X(target_255, IPV4, "unknown target", r->target = XT2_TARGET(255, 0)) \
	X(target_payload, IPV4, "data of a target is not valid", r->target = XT2_T_TRACE; \
	  r->size = 1024) \
	X(bridge, BRIDGE, NULL, r->target = XT2_T_DROP) \
	X(bridge_type, BRIDGE, NULL, seed_match(s, XT2_M_ETH_TYPE, 0x80, 0xffff, NULL, 0)) \
	X(bridge_type_far, BRIDGE, "argument of a match is out of range", \
	  seed_match(s, XT2_M_ETH_TYPE, 0, 0x10000, NULL, 0)) \
	X(bridge_length, BRIDGE, NULL, seed_match(s, XT2_M_ETH_LENGTH, 0x80, 0, NULL, 0)) \
	X(bridge_any, BRIDGE, NULL, seed_match(s, XT2_M_ETH_ANY, 0, 0x800, NULL, 0)) \
	X(bridge_mac, BRIDGE, NULL, seed_match(s, XT2_M_ETH_SRC, 0x80, 0, "\1\2\3\4\5\6" MAC_ALL, 16)) \
	X(bridge_mac_arg, BRIDGE, "argument of a match is out of range", \
	  seed_match(s, XT2_M_ETH_DST, 0, 1, "\1\2\3\4\5\6" MAC_ALL, 16)) \
	X(bridge_mac_size, BRIDGE, "wrong size of a match", \
	  seed_match(s, XT2_M_ETH_DST, 0, 0, "\1\2\3\4\5\6\377", 8)) \
	X(bridge_mac_reserved, BRIDGE, "reserved bytes of a match are set", \
	  ((u8 *)seed_match(s, XT2_M_ETH_DST, 0, 0, "\1\2\3\4\5\6" MAC_ALL, 16))[23] = 1) \
	X(bridge_in, BRIDGE, NULL, seed_match(s, XT2_M_IN, 0, 3, "eth\0\0\0\0", 8)) \
	X(bridge_logical, BRIDGE, NULL, seed_match(s, XT2_M_LOGICAL_OUT, 0, 4, "br0\0\0\0\0", 8)) \
	X(bridge_logical_any, BRIDGE, NULL, seed_match(s, XT2_M_LOGICAL_IN, 0x80, 0, NULL, 0)) \
	X(bridge_logical_pad, BRIDGE, "interface name is not padded with NUL", \
	  seed_match(s, XT2_M_LOGICAL_IN, 0, 2, "br0\0\0\0\0", 8)) \
	X(bridge_in_any, BRIDGE, "wrong size of an interface name", \
	  seed_match(s, XT2_M_IN, 0x80, 0, NULL, 0)) \
	X(bridge_logical4, IPV4, "match of another family", \
	  seed_match(s, XT2_M_LOGICAL_IN, 0, 4, "br0\0\0\0\0", 8)) \
	X(bridge_type6, IPV6, "match of another family", \
	  seed_match(s, XT2_M_ETH_TYPE, 0, 0x800, NULL, 0)) \
	X(bridge_proto, BRIDGE, "match of another family", \
	  seed_match(s, XT2_M_PROTO, 0, 6, NULL, 0)) \
	X(bridge_mark, BRIDGE, "match of another family", \
	  seed_match(s, XT2_M_MARK, 0, 0, "\0\0\0\0\0\0\0", 8)) \
	X(bridge_goto, BRIDGE, "target of another family", r->target = XT2_TARGET(XT2_T_GOTO, 1)) \
	X(bridge_queue, BRIDGE, "target of another family", r->target = XT2_T_QUEUE) \
	X(bridge_nat, BRIDGE, "target of another family", r->target = XT2_TARGET(XT2_T_NAT, 1)) \
	X(bridge_trace, BRIDGE, "target of another family", r->target = XT2_T_TRACE) \
	X(bridge_foreign, BRIDGE, NULL, r->target = XT2_TARGET(XT2_T_FOREIGN, 1)) \
	X(family5, FAMILY5, "unknown family", r->target = XT2_T_DROP)

#define XT2_FAMILY5 5
#define MAC_ALL "\377\377\377\377\377\377\0\0\0"

#define RULE_MAKE(name, family, text, ...) \
	static void make_##name(struct seed_rule *s, struct xt2_rule *r) { __VA_ARGS__; }
#define RULE_ROW(name, family, text, ...) { #name, XT2_##family, text, make_##name },
/* clang-format on */

RULES(RULE_MAKE)

static const struct {
	const char *name;
	u8 family;
	const char *what; /* NULL: a good rule */
	void (*make)(struct seed_rule *s, struct xt2_rule *r);
} rules[] = { RULES(RULE_ROW) };

static void test_rules(void **state)
{
	for (size_t i = 0; i < XT2_ARRAY_SIZE(rules); i++) {
		const struct xt2_rule_bounds bounds = {
			.family = rules[i].family,
			.chains = 9,
			.cells = 2,
			.instances = 4,
		};
		struct seed_rule s = { .family = rules[i].family };
		struct xt2_rule *r = seed_rule(&s);
		const char *what = NULL;
		int err;

		seed_rule_begin(&s, XT2_T_CONTINUE, 0);
		rules[i].make(&s, r);
		/* a family of 0 stands for: as few bytes as the header */
		err = xt2_check_rule(r, s.family ? sizeof(s.bytes) : 24, &bounds, &what);
		if (err != (rules[i].what ? -EINVAL : 0))
			fail_msg("%s: %d %s", rules[i].name, err, what ? what : "");
		if (rules[i].what && strcmp(rules[i].what, what))
			fail_msg("%s: refused, but: %s", rules[i].name, what);
		assert_int_equal(xt2_check_rule(r, 16, &bounds, NULL), -EINVAL);
	}
}

/*
 * Ways through chains.  A program of one letter a rule: j and g followed by a
 * chain's letter jump and go there, J and G without a condition; a accepts
 * without a condition, c with one.  Chain A is INPUT, chain B is FORWARD, and
 * both are hooked; the others are user chains.
 */
static const struct way {
	const char *chains[6];
	int err;
	u32 depth;
	u64 visits; /* of INPUT */
} ways[] = {
	{ { "", "" }, 0, 0, 1 },
	{ { "jC", "", "" }, 0, 1, 2 },
	{ { "gC", "", "" }, 0, 0, 2 },
	{ { "JC", "", "" }, 0, 1, 2 },
	{ { "jCjC", "", "" }, 0, 1, 3 },
	/* a goto does not come back: the dearer way counts */
	{ { "gCgC", "", "" }, 0, 0, 2 },
	{ { "jCgC", "", "" }, 0, 1, 3 },
	{ { "gCjC", "", "" }, 0, 1, 2 },
	{ { "gCjDjD", "", "jD", "" }, 0, 1, 3 },
	{ { "gCjD", "", "jDjDjD", "" }, 0, 1, 5 },
	/* a goto inside a jump pushes nothing more */
	{ { "jC", "", "gD", "jE", "" }, 0, 2, 4 },
	{ { "jCjD", "", "jD", "jE", "" }, 0, 3, 6 },
	/* to a base chain */
	{ { "jB", "jC", "" }, 0, 2, 3 },
	/* nothing is looked at behind a plain verdict */
	{ { "ajA", "" }, 0, 0, 1 },
	{ { "jC", "", "ajC" }, 0, 1, 2 },
	{ { "jC", "", "rjC" }, 0, 1, 2 },
	/* loops: to oneself, by goto, over three, to a base chain */
	{ { "jA", "" }, -ELOOP, 0, 0 },
	{ { "gA", "" }, -ELOOP, 0, 0 },
	{ { "jC", "", "jC" }, -ELOOP, 0, 0 },
	{ { "jC", "", "gD", "gE", "jC" }, -ELOOP, 0, 0 },
	{ { "jC", "", "jA" }, -ELOOP, 0, 0 },
	{ { "cjC", "", "cjC" }, -ELOOP, 0, 0 },
	/* from the second hook only */
	{ { "", "jC", "jC" }, -ELOOP, 0, 0 },
	/* as in the kernel, an unconditional jump or goto hides nothing */
	{ { "GCjD", "", "", "jD" }, -ELOOP, 0, 0 },
	{ { "JCjD", "", "a", "jD" }, -ELOOP, 0, 0 },
	/* no hook leads there */
	{ { "", "", "jD", "jC" }, 0, 0, 1 },
	{ { "", "", "jC" }, 0, 0, 1 },
};

static void write_way(struct xt2_writer *w, const char *p)
{
	struct seed_rule s = { .family = XT2_IPV4 };

	for (; *p; p++) {
		bool go = strchr("jgJG", *p) != NULL, plain = strchr("JGar", *p) != NULL;
		u8 target = *p == 'r' ? XT2_T_RETURN : XT2_T_ACCEPT;

		if (go)
			target = strchr("jJ", *p) ? XT2_T_JUMP : XT2_T_GOTO;
		seed_rule_begin(&s, target, go ? (u32)(p[1] - 'A') : 0);
		if (!plain)
			seed_match(&s, XT2_M_PROTO, 0, 6, NULL, 0);
		xt2_write_rule(w, seed_rule(&s));
		p += go;
	}
}

static int make_way(const struct way *way, u64 *words, u64 cap, void *scratch, u64 *size,
		    struct xt2_writer *w)
{
	u32 i, n = 0;
	struct seed_rule tail;

	while (n < XT2_ARRAY_SIZE(way->chains) && way->chains[n])
		n++;
	xt2_write_begin(w, words, cap, 1, 1, 2, n, 0, 0);
	xt2_write_table(w, XT2_IPV4, "filter", ~0u);
	for (i = 0; i < n; i++) {
		char name[2] = { (char)('A' + i), 0 };

		if (i < 2)
			xt2_write_hook(w, XT2_IPV4, (u8)(XT2_INPUT + i), 0, 0, i);
		xt2_write_chain_begin(w, i, 0, i < 2 ? (u8)(XT2_INPUT + i) : XT2_HOOK_NONE, name);
		write_way(w, way->chains[i]);
		seed_rule_begin(&tail, i < 2 ? XT2_T_ACCEPT : XT2_T_RETURN, 0);
		xt2_write_rule(w, seed_rule(&tail));
		xt2_write_chain_end(w, NULL, 0);
	}
	return xt2_write_end(w, scratch, size);
}

static void test_ways(void **state)
{
	static u64 words[2048], scratch[4096];

	for (size_t i = 0; i < XT2_ARRAY_SIZE(ways); i++) {
		struct xt2_image *img = (void *)words;
		const struct xt2_hook *h;
		struct xt2_writer w;
		struct xt2_check_err err;
		u64 size = 0;
		int ret = make_way(&ways[i], words, sizeof(words), scratch, &size, &w);

		if (ret != ways[i].err)
			fail_msg("way %zu: %d %s", i, ret, w.err.what ? w.err.what : "");
		if (ret) {
			/* the same for somebody who says it is finished */
			img->magic = XT2_MAGIC;
			assert_int_equal(xt2_check(img, sizeof(words), scratch, &err), -ELOOP);
			assert_string_equal(err.what, "chains loop");
			continue;
		}
		h = xt2_image_hook(img, xt2_image_root(img), 0);
		if (h->depth != ways[i].depth || h->visits != ways[i].visits)
			fail_msg("way %zu: depth %u, visits %llu", i, h->depth,
				 (unsigned long long)h->visits);
		assert_int_equal(xt2_check(img, size, scratch, NULL), 0);
	}
}

static void test_visits(void **state)
{
	const u64 cap = 32 << 20;
	u64 *words = malloc(cap);
	void *scratch = malloc(xt2_check_scratch(cap));
	const struct xt2_root *root;

	/* 21 chains that jump twice: 2^21 - 1 visits */
	root = make_row(words, cap, scratch, 21, 2);
	assert_int_equal(root->visits, (1 << 21) - 1);
	assert_int_equal(root->depth, 20);
	/* 64 such chains are just less than 2^64, 65 are more */
	assert_true(make_row(words, cap, scratch, 63, 2)->visits == ~0ull >> 1);
	assert_true(make_row(words, cap, scratch, 65, 2)->visits == ~0ull);
	assert_true(make_row(words, cap, scratch, 300, 3)->visits == ~0ull);
	/* deep, and with many pages of the chain table: no recursion */
	root = make_row(words, cap, scratch, 100000, 1);
	assert_int_equal(root->visits, 100000);
	assert_int_equal(root->depth, 99999);
	free(scratch);
	free(words);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sample),	   cmocka_unit_test(test_images),
	cmocka_unit_test(test_scattered),  cmocka_unit_test(test_truncated),
	cmocka_unit_test(test_report),	   cmocka_unit_test(test_names),
	cmocka_unit_test(test_rules),	   cmocka_unit_test(test_ways),
	cmocka_unit_test(test_visits),	   cmocka_unit_test(test_name_bytes),
	cmocka_unit_test(test_text_bytes),
};

UNITS(tests)
