/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of ebtables: their two layouts, pointers to entries and counters,
 * tables as they begin, and what is refused.  The blobs are those of
 * tests/legacy/vectors; this kernel has nothing to compare with, so answers are
 * held against the source of ebtables.c and against what the tool had sent.
 */
#include <errno.h>
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/sockopt-case.h"
#include "tests/lib/unit-program.h"

enum { GET_INFO = 128, GET_ENTRIES, GET_INIT_INFO, GET_INIT_ENTRIES };
enum { SET_ENTRIES = 128, SET_COUNTERS };

#define EBT_HEAD 48u /* struct ebt_entries */
#define FAR	 65536u /* where entries are, from the start of the memory */
#define COUNTERS 131072u /* and counters */
#define MEMORY	 196608u

/* struct ebt_replace */
struct layout {
	u32 size, hook_entry, num_counters, counters, entries;
};

static struct layout layout_of(int compat)
{
	return compat ? (struct layout){ 80, 44, 68, 72, 76 }
		      : (struct layout){ 120, 48, 96, 104, 112 };
}

static void pointer_put(u8 *at, int compat, u64 value)
{
	memcpy(at, &value, compat ? 4 : 8);
}

static u64 pointer_get(const u8 *at, int compat)
{
	u64 value = 0;

	memcpy(&value, at, compat ? 4 : 8);
	return value;
}

/* A program with a header at the start of its memory. */
static void open_caller(struct caller *who, int compat, const char *table)
{
	caller_init(who, compat, table, strlen(table), MEMORY);
}

static void header_put(struct caller *who, int compat, u32 nentries, u32 size, u32 counters)
{
	const struct layout l = layout_of(compat);

	who->strict = 1;
	put32(who->bytes + 36, nentries);
	put32(who->bytes + 40, size);
	put32(who->bytes + l.num_counters, counters);
	pointer_put(who->bytes + l.counters, compat, CALLER_AT + COUNTERS);
	pointer_put(who->bytes + l.entries, compat, CALLER_AT + FAR);
}

static int call(struct caller *who, struct xt2_ruleset *rs, int set, int name, u32 len)
{
	return caller_call(who, rs, set, 0, name, len);
}

/* --- tables as they begin --------------------------------------------------- */

static const struct table {
	const char *name;
	u32 hooks, chains;
	const char *first; /* its chains' first */
} tables[] = {
	{ "filter", 0x0e, 3, "INPUT" },
	{ "nat", 0x19, 3, "PREROUTING" },
	{ "broute", 0x20, 1, "BROUTING" },
};

static void check_begins(const struct table *t, int compat, int info, int entries)
{
	const u32 size = layout_of(compat).size;
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct caller who;
	const u8 *head;
	u32 i;

	open_caller(&who, compat, t->name);
	assert_int_equal(call(&who, rs, 0, info, size), 1);
	assert_string_equal(who.bytes, t->name);
	assert_int_equal(get32(who.bytes + 32), t->hooks);
	assert_int_equal(get32(who.bytes + 36), 0);
	assert_int_equal(get32(who.bytes + 40), t->chains * EBT_HEAD);
	header_put(&who, compat, 0, t->chains * EBT_HEAD, 0);
	assert_int_equal(call(&who, rs, 0, entries, size + t->chains * EBT_HEAD), 0);
	for (i = 0; i < t->chains; i++) {
		head = who.bytes + FAR + i * EBT_HEAD;
		if (!i)
			assert_string_equal(head + 4, t->first);
		assert_int_equal(get32(head), 0); /* distinguisher */
		assert_int_equal(get32(head + 36), 0); /* counter_offset */
		assert_int_equal((s32)get32(head + 40), -1); /* EBT_ACCEPT */
		assert_int_equal(get32(head + 44), 0);
	}
	assert_int_equal(xt2_ruleset_tables(rs), 1);
	caller_free(&who);
	xt2_ruleset_free(rs);
}

static void test_tables_begin(void **state)
{
	size_t i;
	int compat;

	for (i = 0; i < XT2_ARRAY_SIZE(tables); i++) {
		for (compat = 0; compat < 2; compat++) {
			check_begins(&tables[i], compat, GET_INFO, GET_ENTRIES);
			check_begins(&tables[i], compat, GET_INIT_INFO, GET_INIT_ENTRIES);
		}
	}
}

/* --- captured tables ----------------------------------------------------------- */

/* Lay a captured blob out in a program's memory: its entries are elsewhere. */
static void blob_put(struct caller *who, const struct record *r, int compat, u32 counters)
{
	const struct layout l = layout_of(r->compat);
	u64 old = pointer_get(r->bytes + l.entries, r->compat), at;
	u32 i, step = r->compat ? 4 : 8;

	caller_init(who, compat, r->bytes, l.size, MEMORY);
	memcpy(who->bytes + FAR, r->bytes + l.size, r->len - l.size);
	header_put(who, r->compat, get32(r->bytes + 36), get32(r->bytes + 40), counters);
	for (i = 0; i < 6; i++) {
		at = pointer_get(r->bytes + l.hook_entry + step * i, r->compat);
		if (at)
			pointer_put(who->bytes + l.hook_entry + step * i, r->compat,
				    at - old + CALLER_AT + FAR);
	}
}

static int blob_set(struct xt2_ruleset *rs, const struct record *r, int compat)
{
	struct caller who;
	int ret;

	blob_put(&who, r, compat, 0);
	ret = call(&who, rs, 1, SET_ENTRIES, r->len);
	if (ret < 0)
		print_error("%s (compat %d): %s\n", r->name, r->compat, who.err.message);
	caller_free(&who);
	return ret;
}

/*
 * The tool sends what malloc() gave it behind a name's NUL, in the padding of
 * an extension's header, as the revision of a verdict, and behind it.
 */
static void mask(u8 *entries, u32 size, int compat)
{
	const u32 header = compat ? 36 : 40;
	u32 pos, at, next;

	for (pos = 0; pos < size; pos += next) {
		u8 *e = entries + pos;

		next = EBT_HEAD;
		if (!get32(e)) {
			memset(e + 4 + strlen((char *)e + 4), 0, 32 - strlen((char *)e + 4));
			continue;
		}
		next = get32(e + 108);
		for (at = 112; at < next; at += header + get32(e + at + 32)) {
			u8 *x = e + at;

			memset(x + strlen((char *)x), 0, 31 - strlen((char *)x));
			memset(x + 36, 0, header - 36);
			if (strcmp((char *)x, "standard"))
				continue;
			x[31] = 0;
			memset(x + header + 4, 0, get32(x + 32) - 4);
		}
	}
}

/* The table comes back as it was sent, in the width that is asked for. */
static void check_comes_back(struct xt2_ruleset *rs, const struct record *sent)
{
	const u32 size = layout_of(sent->compat).size;
	struct caller who;

	open_caller(&who, sent->compat, (const char *)sent->bytes);
	assert_int_equal(call(&who, rs, 0, GET_INFO, size), 0);
	assert_memory_equal(who.bytes + 32, sent->bytes + 32, 12); /* hooks, entries, size */
	header_put(&who, sent->compat, get32(who.bytes + 36), get32(who.bytes + 40), 0);
	assert_int_equal(call(&who, rs, 0, GET_ENTRIES, sent->len), 0);
	mask(who.bytes + FAR, sent->len - size, sent->compat);
	mask(sent->bytes + size, sent->len - size, sent->compat);
	assert_bytes(sent->name, who.bytes + FAR, sent->bytes + size, sent->len - size);
	caller_free(&who);
}

/* A blob for SET_ENTRIES is one that can be read again. */
static void check_written(struct xt2_ruleset *rs, const struct record *sent)
{
	struct xt2_ruleset *again = xt2_ruleset_new();
	struct packed first = pack(rs), second;
	struct xt2_err err;
	void *blob;
	size_t len;

	assert_int_equal(xt2_table_write_replace(rs, 0, sent->compat, NULL, &blob, &len, &err), 0);
	assert_int_equal(len, sent->len);
	assert_memory_equal(blob, sent->bytes, 44); /* name, hooks, entries, size */
	assert_int_equal(
		xt2_table_read_replace(again, XT2_BRIDGE, sent->compat, blob, len, 0, &err), 0);
	second = pack(again);
	assert_int_equal(first.map.size, second.map.size);
	xt2_image_close(&second.map);
	xt2_image_close(&first.map);
	free(blob);
	xt2_ruleset_free(again);
}

/* What a fresh table is made of does not change with the table. */
static void check_beginning_stays(struct xt2_ruleset *rs, const struct record *sent)
{
	struct caller who;

	open_caller(&who, 0, (const char *)sent->bytes);
	assert_int_equal(call(&who, rs, 0, GET_INIT_INFO, 120), 0);
	assert_int_equal(get32(who.bytes + 36), 0);
	assert_int_equal(get32(who.bytes + 40),
			 EBT_HEAD * __builtin_popcount(get32(who.bytes + 32)));
	caller_free(&who);
}

static void test_tables_come_back(void **state)
{
	FILE *f = vectors_open("ebt.vec");
	struct record r[2];
	u32 n = 0;
	int i;

	/* Native and compat; in the .zeroed ones the tool's memory was cleared. */
	while (record_next(f, &r[0]) && record_next(f, &r[1])) {
		for (i = 0; i < 4 && strstr(r[0].name, ".zeroed"); i++) {
			struct xt2_ruleset *rs = xt2_ruleset_new();
			struct xt2_mapping map;

			assert_int_equal(blob_set(rs, &r[i & 1], r[i & 1].compat), 1);
			rs = reload(rs, &map);
			check_comes_back(rs, &r[i >> 1]);
			check_written(rs, &r[i >> 1]);
			check_beginning_stays(rs, &r[i & 1]);
			xt2_ruleset_free(rs);
			xt2_image_close(&map);
			n++;
		}
		free(r[0].bytes);
		free(r[1].bytes);
	}
	assert_int_equal(n, 12);
	fclose(f);
}

static struct record filter_of(int compat)
{
	FILE *f = vectors_open("ebt.vec");
	struct record r;

	while (record_next(f, &r) && (strcmp(r.name, "ebt-2-filter.zeroed") || r.compat != compat))
		free(r.bytes);
	fclose(f);
	assert_string_equal(r.name, "ebt-2-filter.zeroed");
	return r;
}

/* A 32-bit program that was built with the padding of 64-bit ones. */
static void test_padded_programs(void **state)
{
	struct record r = filter_of(0);
	struct xt2_ruleset *rs = xt2_ruleset_new();
	u32 entries = get32(r.bytes + 36), size = get32(r.bytes + 40);
	struct caller who;

	assert_int_equal(blob_set(rs, &r, 1), 1);
	open_caller(&who, 1, "filter");
	assert_int_equal(call(&who, rs, 0, GET_INFO, 120), 0);
	assert_int_equal(get32(who.bytes + 40), size);
	header_put(&who, 0, entries, size, entries);
	memset(who.bytes + COUNTERS, 7, entries * 16);
	assert_int_equal(call(&who, rs, 1, SET_COUNTERS, 120 + entries * 16), 1);
	assert_int_equal(call(&who, rs, 0, GET_ENTRIES, 120 + size + entries * 16), 0);
	assert_int_equal(who.bytes[COUNTERS], 7);
	caller_free(&who);
	xt2_ruleset_free(rs);
	free(r.bytes);
}

/* --- counters -------------------------------------------------------------------- */

static void check_counters(int compat)
{
	const u32 header = layout_of(compat).size;
	struct record r = filter_of(compat);
	u32 entries = get32(r.bytes + 36), size = get32(r.bytes + 40);
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	struct caller who;

	assert_true(entries > 3);
	assert_int_equal(blob_set(rs, &r, compat), 1);
	rs = reload(rs, &map);
	open_caller(&who, compat, "filter");
	header_put(&who, compat, entries, size, entries);
	assert_int_equal(call(&who, rs, 1, SET_COUNTERS, header + entries * 16), 0);
	memset(who.bytes + COUNTERS, 0xff, 16);
	who.bytes[COUNTERS + entries * 16 - 16] = 9;
	assert_int_equal(call(&who, rs, 1, SET_COUNTERS, header + entries * 16), 1);
	assert_int_equal(call(&who, rs, 1, SET_COUNTERS, header + entries * 16), 1);
	memset(who.bytes + COUNTERS, 0, entries * 16);
	assert_int_equal(call(&who, rs, 0, GET_ENTRIES, header + size + entries * 16), 0);
	assert_int_equal(who.bytes[COUNTERS], 0xfe);
	assert_int_equal(who.bytes[COUNTERS + entries * 16 - 16], 18);
	caller_free(&who);

	blob_put(&who, &r, compat, entries); /* hands them back */
	assert_int_equal(call(&who, rs, 1, SET_ENTRIES, r.len), 1);
	assert_int_equal(who.bytes[COUNTERS], 0xfe);
	assert_int_equal(who.bytes[COUNTERS + 16], 0);
	assert_int_equal(who.bytes[COUNTERS + entries * 16 - 16], 18);
	assert_int_equal(call(&who, rs, 1, SET_ENTRIES, r.len), 1);
	assert_int_equal(who.bytes[COUNTERS], 0);
	caller_free(&who);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	free(r.bytes);
}

static void test_counters(void **state)
{
	check_counters(0);
	check_counters(1);
}

/* --- what is refused ---------------------------------------------------------------- */

struct wrong {
	int set, name;
	s32 len; /* added to the right length */
	u32 field; /* of 4 bytes that is added to; 0: none */
	s32 by;
	int ret;
};

static const struct wrong wrongs[] = {
	{ 0, GET_INFO, 1, 0, 0, -EINVAL },
	{ 0, GET_INFO, -1, 0, 0, -EINVAL },
	{ 0, GET_INIT_INFO, 4, 0, 0, -EINVAL },
	{ 0, GET_ENTRIES, 1, 0, 0, -EINVAL },
	{ 0, GET_ENTRIES, -16, 0, 0, -EINVAL },
	{ 0, GET_ENTRIES, 0, 36, 1, -EINVAL },
	{ 0, GET_ENTRIES, 0, 40, -1, -EINVAL },
	{ 0, GET_ENTRIES, 0, 96, 1, -EINVAL },
	{ 0, GET_ENTRIES, 0, 106, 1 << 20, -EFAULT }, /* counters */
	{ 0, GET_ENTRIES, 0, 114, 1 << 20, -EFAULT }, /* entries */
	{ 0, GET_INIT_ENTRIES, 0, 0, 0, -EINVAL },
	{ 0, 132, 0, 0, 0, -EINVAL },
	{ 1, 130, 0, 0, 0, -EINVAL },
	{ 1, SET_ENTRIES, 1, 0, 0, -EINVAL },
	{ 1, SET_ENTRIES, -1, 0, 0, -EINVAL },
	{ 1, SET_ENTRIES, 0, 36, 1, -EINVAL },
	{ 1, SET_ENTRIES, 0, 96, 1, -EINVAL },
	{ 1, SET_ENTRIES, 0, 114, 1 << 20, -EFAULT },
	{ 1, SET_COUNTERS, 1, 0, 0, -EINVAL },
	{ 1, SET_COUNTERS, 0, 96, -1, -EINVAL },
	{ 1, SET_COUNTERS, 0, 106, 1 << 20, -EFAULT },
	/* another table: "?ilter" */
	{ 0, GET_INFO, 0, 1, 1, -ENOENT },
	{ 0, GET_ENTRIES, 0, 1, 1, -ENOENT },
	{ 0, 132, 0, 1, 1, -ENOENT },
	{ 1, SET_ENTRIES, 0, 1, 1, -ENOENT },
	{ 1, SET_COUNTERS, 0, 1, 1, -ENOENT },
};

static void test_wrong_calls(void **state)
{
	struct record r = filter_of(0);
	u32 entries = get32(r.bytes + 36), size = get32(r.bytes + 40), len;
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct caller who;
	size_t i;

	assert_int_equal(blob_set(rs, &r, 0), 1);
	for (i = 0; i < XT2_ARRAY_SIZE(wrongs); i++) {
		const struct wrong *w = &wrongs[i];
		struct packed before = pack(rs);
		int ret;

		blob_put(&who, &r, 0, entries);
		len = 120 + size + (w->set ? 0 : entries * 16);
		if (w->set && w->name == SET_COUNTERS)
			len = 120 + entries * 16;
		if (!w->set && (w->name == GET_INFO || w->name == GET_INIT_INFO))
			len = 120;
		if (w->field)
			put32(who.bytes + w->field, get32(who.bytes + w->field) + (u32)w->by);
		ret = call(&who, rs, w->set, w->name, len + (u32)w->len);
		if (ret != w->ret)
			fail_msg("call %zu: %d instead of %d: %s", i, ret, w->ret, who.err.message);
		assert_int_equal(who.err.errnum, -ret);
		assert_unchanged(rs, &before, "call");
		caller_free(&who);
	}
	xt2_ruleset_free(rs);
	free(r.bytes);
}

struct attempt {
	int set, name;
	u32 len;
};

/* The n-th access faults, or the n-th allocation fails.  => 0: there are not so many */
static int try(struct xt2_ruleset *rs, const struct record *r, const struct attempt *a,
	       unsigned int n, int access)
{
	struct packed before = pack(rs);
	struct caller who;
	u32 entries = get32(r->bytes + 36);
	int ret, happened;

	blob_put(&who, r, 1, entries);
	memset(who.bytes + COUNTERS, 1, entries * 16);
	who.faults = access ? (int)n : 0;
	fail_alloc(access ? 0 : n);
	ret = call(&who, rs, a->set, a->name, a->len);
	happened = access ? !who.faults : fail_alloc_happened();
	fail_alloc(0);
	if (ret < 0) {
		assert_int_equal(ret, access ? -EFAULT : -ENOMEM);
		assert_unchanged(rs, &before, "fault");
	} else {
		xt2_image_close(&before.map);
	}
	caller_free(&who);
	return happened;
}

/*
 * What faults behind the replacement is not told; what fails while the padded
 * layout is tried is made good by the other.
 */
static void test_faults(void **state)
{
	struct record r = filter_of(1);
	const u32 entries = get32(r.bytes + 36), size = get32(r.bytes + 40);
	const struct attempt attempts[] = {
		{ 0, GET_INFO, 80 },
		{ 0, GET_ENTRIES, 80 + size + entries * 16 },
		{ 1, SET_COUNTERS, 80 + entries * 16 },
		{ 1, SET_ENTRIES, 80 + size },
	};
	struct xt2_ruleset *rs = xt2_ruleset_new();
	unsigned int i, n;
	int access;

	assert_int_equal(blob_set(rs, &r, 1), 1);
	for (i = 0; i < XT2_ARRAY_SIZE(attempts); i++) {
		for (access = 0; access < 2; access++) {
			for (n = 1; try(rs, &r, &attempts[i], n, access); n++)
				assert_true(n < 1000);
			assert_true(n > 1);
		}
	}
	xt2_ruleset_free(rs);
	free(r.bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_tables_begin),	cmocka_unit_test(test_tables_come_back),
	cmocka_unit_test(test_padded_programs), cmocka_unit_test(test_counters),
	cmocka_unit_test(test_wrong_calls),	cmocka_unit_test(test_faults),
};

UNITS(tests)
