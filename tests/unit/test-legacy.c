/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Legacy tables: what the tools sent and the kernel answered (see
 * tests/legacy/vectors/README), through rules and back; hostile blobs; limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>
#include "../legacy/turn.h"

/* --- vectors ------------------------------------------------------------------ */

struct vector {
	int family, compat;
	char what[16]; /* "ok", an errno's name, or what the kernel answered */
	char name[128];
	u32 len;
	u8 *bytes;
};

struct vectors {
	struct vector *v;
	u32 n;
};

static struct vectors load(const char *file)
{
	const char *top = getenv("top_srcdir");
	struct vectors all = { 0 };
	char path[512];
	struct vector v;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/%s", top ? top : ".", file);
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	while (fscanf(f, "%d %d %15s %u %127[^\n]", &v.family, &v.compat, v.what, &v.len, v.name) ==
	       5) {
		assert_int_equal(fgetc(f), '\n');
		v.bytes = malloc(v.len + 1);
		assert_int_equal(fread(v.bytes, 1, v.len, f), v.len);
		all.v = realloc(all.v, (all.n + 1) * sizeof(*all.v));
		all.v[all.n++] = v;
	}
	assert_true(feof(f));
	fclose(f);
	return all;
}

static void unload(struct vectors *all)
{
	u32 i;

	for (i = 0; i < all->n; i++)
		free(all->v[i].bytes);
	free(all->v);
}

static u32 header(const struct vector *v)
{
	return (v->family == XT2_ARP ? 80u : 96u) - (v->compat ? 4 : 0);
}

static void show(const struct turn *t, const struct vector *v, int ret)
{
	if (ret)
		print_error("%s (%d, compat %d): %d %s; entry %u, offset %u, %s: %s\n", v->name,
			    v->family, v->compat, ret, t->why ? t->why : "", t->err.entry,
			    t->err.offset, t->err.field ? t->err.field : "-",
			    t->err.what ? t->err.what : "-");
}

/* Where two entries' bytes differ, for the report. */
static void assert_bytes(const struct vector *v, const u8 *a, const u8 *b, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (a[i] != b[i])
			fail_msg("%s (%d, compat %d): byte %u of %u is %02x instead of %02x",
				 v->name, v->family, v->compat, i, len, a[i], b[i]);
}

/* From v's format into that of like, whose bytes must come out. */
static void check_turn(struct turn *t, const struct vector *v, const struct vector *like)
{
	u8 *mine, *theirs = malloc(like->len);
	u32 size;
	int ret, hook;

	ret = turn(t, (u8)v->family, v->compat, v->bytes, v->len, like->compat, false);
	show(t, v, ret);
	assert_int_equal(ret, 0);
	mine = t->bytes;
	size = like->len - header(like);
	memcpy(theirs, like->bytes + header(like), size);
	assert_int_equal(t->out.size, size);
	turn_mask(mine, size, (u8)v->family, like->compat);
	turn_mask(theirs, size, (u8)v->family, like->compat);
	assert_bytes(v, mine, theirs, size);
	assert_memory_equal(&t->out.valid_hooks, like->bytes + 32, 4);
	assert_int_equal(t->out.entries, *(const u32 *)(const void *)(like->bytes + 36));
	for (hook = 0; hook < (v->family == XT2_ARP ? 3 : 5); hook++) {
		if (!(t->out.valid_hooks & 1u << hook))
			continue;
		assert_memory_equal(&t->out.hook_entry[hook], like->bytes + 44 + 4 * hook, 4);
		assert_memory_equal(&t->out.underflow[hook],
				    like->bytes + (v->family == XT2_ARP ? 56 : 64) + 4 * hook, 4);
	}
	free(theirs);
}

/* Vectors come in pairs: native, compat. */
static void pairs(const char *file, u32 least)
{
	struct vectors all = load(file);
	struct turn *t = turn_new();
	u32 i;

	assert_true(all.n >= least && all.n % 2 == 0);
	for (i = 0; i < all.n; i += 2) {
		check_turn(t, &all.v[i], &all.v[i]);
		check_turn(t, &all.v[i], &all.v[i + 1]);
		check_turn(t, &all.v[i + 1], &all.v[i]);
		check_turn(t, &all.v[i + 1], &all.v[i + 1]);
	}
	turn_free(t);
	unload(&all);
}

static void test_tables(void **state)
{
	pairs("tables.vec", 60);
}

static void test_rules(void **state)
{
	pairs("rules.vec", 600);
}

/* --- the kernel's GET_INFO and GET_ENTRIES --------------------------------------- */

static const struct vector *find(const struct vectors *all, const char *name, int family)
{
	u32 i;

	for (i = 0; i < all->n; i++)
		if (!all->v[i].compat && all->v[i].family == family &&
		    !strcmp(all->v[i].name, name))
			return &all->v[i];
	return NULL;
}

/* struct ipt_getinfo: name, valid_hooks, hook_entry, underflow, num_entries, size */
static void check_info(const struct turn *t, const struct vector *info)
{
	u32 hooks = info->family == XT2_ARP ? 3 : 5;
	const u32 *p = (const void *)(info->bytes + 32);

	assert_int_equal(t->out.valid_hooks, p[0]);
	assert_memory_equal(t->out.hook_entry, p + 1, hooks * 4);
	assert_memory_equal(t->out.underflow, p + 1 + hooks, hooks * 4);
	assert_int_equal(t->out.entries, p[1 + 2 * hooks]);
	assert_int_equal(t->out.size, p[2 + 2 * hooks]);
}

/* A new table's counters are 0, whatever was sent. */
static void clear_counters(struct turn *t)
{
	u32 entry = t->in.family == XT2_ARP ? 192 : t->in.family == XT2_IPV6 ? 168 : 112;
	u32 next = t->in.family == XT2_ARP ? 166 : t->in.family == XT2_IPV6 ? 142 : 90;
	u32 pos;

	for (pos = 0; pos < t->out.size;
	     pos += t->bytes[pos + next] + 256u * t->bytes[pos + next + 1])
		memset(t->bytes + pos + entry - 16, 0, 16);
}

static void test_kernel(void **state)
{
	struct vectors tables = load("tables.vec"), rules = load("rules.vec"),
		       kernel = load("kernel.vec");
	const struct vector *info, *entries, *sent;
	struct turn *t = turn_new();
	u32 i;

	assert_true(kernel.n >= 600);
	for (i = 0; i < kernel.n; i += 2) {
		info = &kernel.v[i];
		entries = &kernel.v[i + 1];
		sent = find(&tables, info->name, info->family);
		if (!sent)
			sent = find(&rules, info->name, info->family);
		assert_non_null(sent);
		assert_int_equal(
			turn(t, (u8)sent->family, false, sent->bytes, sent->len, false, true), 0);
		check_info(t, info);
		assert_int_equal(t->out.size, entries->len);
		clear_counters(t);
		assert_bytes(sent, t->bytes, entries->bytes, entries->len);
	}
	turn_free(t);
	unload(&tables);
	unload(&rules);
	unload(&kernel);
}

/* --- defects ---------------------------------------------------------------------- */

static int errno_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} names[] = { { "ok", 0 },	     { "EINVAL", -EINVAL }, { "ENOMEM", -ENOMEM },
		      { "ENOENT", -ENOENT }, { "ELOOP", -ELOOP },   { "EAGAIN", -EAGAIN } };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].number;
	fail_msg("%s", name);
	return 0;
}

/* As the kernel that answered: there is filter, with 3 hooks. */
static int replace(struct turn *t, int family, bool compat, const u8 *bytes, u64 len, u32 entries)
{
	int ret = turn(t, (u8)family, compat, bytes, len, false, true);

	if (!ret)
		ret = xt2_legacy_check_table(&t->in, strcmp(t->in.table, "filter") ? 0 : 0x0e,
					     entries, &t->err);
	return ret;
}

static void test_defects(void **state)
{
	struct vectors all = load("defects.vec");
	struct turn *t = turn_new();
	u32 i;
	int ret;

	assert_true(all.n >= 180);
	for (i = 0; i < all.n; i++) {
		const struct vector *v = &all.v[i];
		u32 entries = *(const u32 *)(const void *)(v->bytes + 84);

		ret = replace(t, v->family, v->compat, v->bytes, v->len, entries);
		if (ret != errno_of(v->what)) {
			show(t, v, ret);
			fail_msg("%s: %d instead of %s", v->name, ret, v->what);
		}
		if (ret)
			assert_non_null(t->err.what);
	}
	turn_free(t);
	unload(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_defects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
