/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Legacy tables: what the tools sent and the kernel answered (see
 * tests/legacy/vectors/README), through rules and back; hostile blobs; limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>
#include "tests/lib/units.h"
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_IDLETIMER.h>
#include <linux/netfilter/xt_hashlimit.h>
#include <linux/netfilter/xt_string.h>
#include "tests/legacy/blob.h"
#include "tests/legacy/turn.h"

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

/* --- blobs made by hand ------------------------------------------------------------- */

/* INPUT of IPv4, OUTPUT of ARP begins here, or ends with the last entry. */
static void hook_begin(struct blob *b)
{
	b->hook = 1;
	b->hooks |= 2;
	put32(b->bytes + 48, offset(b));
}

static void hook_end(struct blob *b, s32 policy)
{
	plain(b, policy);
	put32(b->bytes + b->s->underflow + 4 * b->hook, b->rule - b->s->header);
}

static int blob_turn(struct turn *t, struct blob *b, bool to_compat)
{
	put32(b->bytes + 32, b->hooks);
	put32(b->bytes + 36, b->entries);
	put32(b->bytes + 40, offset(b));
	put32(b->bytes + b->s->num_counters, 1);
	return turn(t, b->s->family, b->s->compat, b->bytes, b->len, to_compat, true);
}

/* One rule in INPUT with this match, ready but for its target. */
static struct blob *with_match(bool compat, u8 proto, const char *name, u8 revision,
			       const void *payload, u32 size)
{
	struct blob *b = blob_new(shape_of(XT2_IPV4, compat));

	hook_begin(b);
	rule_begin(b, proto);
	if (name)
		extension(b, name, revision, payload, size);
	return b;
}

static int finish(struct turn *t, struct blob *b, bool to_compat)
{
	int ret;

	hook_end(b, -2);
	head(b, "ERROR");
	ret = blob_turn(t, b, to_compat);
	free(b);
	return ret;
}

static int one_match(struct turn *t, u8 proto, const char *name, u8 revision, const void *payload,
		     u32 size)
{
	struct blob *b = with_match(false, proto, name, revision, payload, size);

	verdict(b, -1);
	return finish(t, b, false);
}

static int one_target(struct turn *t, int family, bool compat, const char *name, u8 revision,
		      const void *payload, u32 size)
{
	struct blob *b = blob_new(shape_of((u8)family, compat));

	hook_begin(b);
	rule_begin(b, 0);
	target(b, name, revision, payload, size);
	return finish(t, b, false);
}

/* 1,400 marks are 61,748 bytes for 32-bit programs, and too many in the kernel. */
static void test_growth(void **state)
{
	struct turn *t = turn_new();
	u8 mark[16] = { 0 };
	struct blob *b = with_match(true, 0, NULL, 0, NULL, 0);
	u32 i;

	for (i = 0; i < 1400; i++)
		extension(b, "mark", 1, mark, 12);
	verdict(b, -1);
	assert_int_equal(b->len - b->rule, 61748);
	assert_int_equal(finish(t, b, false), -EINVAL);
	assert_string_equal(t->err.field, "next_offset");
	assert_non_null(strstr(t->err.what, "65,535"));
	assert_int_equal(t->err.entry, 1);

	/* A few less are fine, in both directions. */
	b = with_match(true, 0, NULL, 0, NULL, 0);
	for (i = 0; i < 1300; i++)
		extension(b, "mark", 1, mark, 12);
	verdict(b, -1);
	assert_int_equal(finish(t, b, true), 0);
	assert_int_equal(t->out.size, 112 + 1300 * 44 + 36 + 148 + 176);
	turn_free(t);
}

/* 65,528 bytes: the largest rule that is aligned, out of comments. */
static void test_largest(void **state)
{
	struct turn *t = turn_new();
	char text[256] = "the same text again";
	struct blob *b = with_match(false, 0, NULL, 0, NULL, 0);
	u8 *sent = malloc(65528);
	u32 i;

	for (i = 0; i < 227; i++)
		extension(b, "comment", 0, text, 256);
	verdict(b, -1);
	assert_int_equal(b->len - b->rule, 65528);
	memcpy(sent, b->bytes + b->rule, 65528);
	assert_int_equal(finish(t, b, false), 0);
	t->bytes[92] = 0; /* comefrom */
	assert_memory_equal(t->bytes, sent, 65528);
	free(sent);
	turn_free(t);
}

/* A rule that fits 32-bit programs' format may not fit the other. */
static void test_too_large_to_write(void **state)
{
	struct {
		struct xt2_rule rule;
		struct xt2_match match[1400];
	} r = { .rule.size = sizeof(r),
		.rule.target_offset = sizeof(r),
		.rule.target = XT2_TARGET(XT2_T_DROP, 0) };
	struct xt2_legacy_writer *w = calloc(1, sizeof(*w));
	struct turn *t = turn_new();
	u64 mark[2] = { 0 };
	u32 place, i;

	turn_instance(t, XT2_INSTANCE_MATCH, 1, "mark", mark, 16);
	for (i = 0; i < 1400; i++)
		r.match[i] = (struct xt2_match){ .type = XT2_M_FOREIGN, .size = 8 };
	for (i = 0; i < 2; i++) {
		assert_int_equal(xt2_legacy_write_begin(w, XT2_IPV4, i, NULL, 0, &place, 1,
							turn_instance_get, t),
				 0);
		assert_int_equal(xt2_legacy_write_chain(w, 0, XT2_INPUT, ""), 0);
		assert_int_equal(xt2_legacy_write_rule(w, &r.rule), i ? 0 : -E2BIG);
	}
	free(w);
	turn_free(t);
}

/* --- chains that no tool writes --------------------------------------------------------- */

static s32 verdict_out(const struct turn *t, u32 entry)
{
	u32 pos = 0;
	s32 v;

	while (entry--)
		pos += t->bytes[pos + 90] + 256u * t->bytes[pos + 91];
	memcpy(&v, t->bytes + pos + t->bytes[pos + 88] + 256u * t->bytes[pos + 89] + 32, 4);
	return v;
}

static void test_odd_chains(void **state)
{
	struct turn *t = turn_new();
	struct blob *b = blob_new(shape_of(XT2_IPV4, false));

	/* 0 jump to the ERROR entry, 1 to a chain without RETURN, 2 policy, 3 the chain */
	hook_begin(b);
	plain(b, 3 * 152);
	plain(b, 3 * 152 + 176);
	hook_end(b, -2);
	head(b, "chain");
	rule_begin(b, 0);
	b->bytes[b->rule + 80] = 6;
	verdict(b, 4 * 152 + 176);
	head(b, "second");
	plain(b, -5);
	head(b, "ERROR");
	assert_int_equal(blob_turn(t, b, false), 0);
	assert_int_equal(t->out.entries, b->entries + 2); /* DROP and RETURN */
	assert_int_equal(verdict_out(t, 0), -1);
	assert_int_equal(verdict_out(t, 1), 3 * 152 + 176);
	assert_int_equal(verdict_out(t, 4), 4 * 152 + 176);
	assert_int_equal(verdict_out(t, 5), -1);
	assert_int_equal(verdict_out(t, 6), -5);
	free(b);

	/* A user chain before the base chain, into which it runs. */
	b = blob_new(shape_of(XT2_IPV4, false));
	head(b, "chain");
	rule_begin(b, 0);
	b->bytes[b->rule + 80] = 6;
	verdict(b, -1);
	hook_begin(b);
	hook_end(b, -2);
	head(b, "ERROR");
	assert_int_equal(blob_turn(t, b, false), 0);
	assert_int_equal(t->out.entries, b->entries + 2); /* nothing leads there: DROP and RETURN */
	assert_int_equal(verdict_out(t, 3), -1); /* INPUT is the first chain now */
	free(b);

	/* Between two rules of a chain. */
	b = blob_new(shape_of(XT2_IPV4, false));
	hook_begin(b);
	plain(b, 4 * 152 + 176);
	plain(b, -1);
	plain(b, -1);
	hook_end(b, -2);
	head(b, "chain");
	plain(b, -5);
	plain(b, -5);
	head(b, "ERROR");
	put32(b->bytes + 96 + 112 + 32, 4 * 152 + 176 + 152);
	assert_int_equal(blob_turn(t, b, false), -EINVAL);
	assert_true(t->err.stricter);
	assert_string_equal(t->err.field, "verdict");
	free(b);
	turn_free(t);
}

/* --- what extensions answer --------------------------------------------------------------- */

/* Other errnos than EINVAL, and checks of the rule around an extension. */
static void test_extension_answers(void **state)
{
	struct turn *t = turn_new();
	u8 p[48] = { 0 };
	u32 limit[10] = { 0xffffffff, 0xffffffff };

	assert_int_equal(one_match(t, 0, "mark", 9, p, 16), -EPROTOTYPE);
	assert_int_equal(one_match(t, 0, "nosuch", 0, p, 16), -ENOENT);
	assert_int_equal(one_match(t, 0, "limit", 0, limit, 40), -ERANGE);
	p[0] = 64; /* --dscp */
	assert_int_equal(one_match(t, 0, "dscp", 0, p, 8), -EDOM);
	p[0] = 1;
	p[1] = 1;
	p[2] = 53;
	assert_int_equal(one_match(t, 0, "multiport", 1, p, 48), -EINVAL);
	assert_int_equal(one_match(t, 17, "multiport", 1, p, 48), 0);
	put32(p, 7); /* tcp-reset */
	assert_int_equal(one_target(t, XT2_IPV4, false, "REJECT", 0, p, 8), -EINVAL);
	assert_string_equal(t->err.field, "REJECT");
	put32(p, 3);
	assert_int_equal(one_target(t, XT2_IPV4, false, "REJECT", 0, p, 8), 0);
	assert_int_equal(one_target(t, XT2_IPV4, false, "TTL", 0, p, 8), -EINVAL);
	turn_free(t);
}

/* The only rule of a table, with what it says of its protocol. */
struct around {
	int family;
	const char *table;
	u8 proto, flags, inv;
};

static int target_in(struct turn *t, const struct around *a, const char *name, u8 revision,
		     const void *payload, u32 size)
{
	struct blob *b = blob_new(shape_of((u8)a->family, false));
	bool six = a->family == XT2_IPV6;

	strcpy((char *)b->bytes, a->table);
	hook_begin(b);
	rule_begin(b, 0);
	b->bytes[b->rule + (six ? 128 : 80)] = a->proto;
	b->bytes[b->rule + (six ? 132 : 83)] = a->inv;
	if (six)
		b->bytes[b->rule + 131] = a->flags;
	target(b, name, revision, payload, size);
	return finish(t, b, false);
}

/* IPv6: whether a protocol counts is a flag, which some checks ask for and some do not. */
static void test_protocol_asked_for(void **state)
{
	static const struct around tcp4 = { XT2_IPV4, "filter", 6, 0, 0 };
	static const struct around tcp6 = { XT2_IPV6, "filter", 6, 1, 0 };
	static const struct around silent = { XT2_IPV6, "filter", 6, 0, 0 };
	static const struct around inverted = { XT2_IPV6, "filter", 6, 1, 0x40 };
	static const struct around raw = { XT2_IPV6, "raw", 6, 0, 0 };
	struct turn *t = turn_new();
	struct xt_ct_target_info_v1 ct = { .helper = "ftp" };
	u8 p[8] = { 7 }; /* tcp-reset; 6 for IPv6 */

	assert_int_equal(target_in(t, &tcp4, "REJECT", 0, p, 8), 0);
	p[0] = 6;
	assert_int_equal(target_in(t, &tcp6, "REJECT", 0, p, 8), 0);
	assert_int_equal(target_in(t, &silent, "REJECT", 0, p, 8), -EINVAL);
	assert_int_equal(target_in(t, &inverted, "REJECT", 0, p, 8), -EINVAL);
	p[0] = 0;
	assert_int_equal(target_in(t, &silent, "REJECT", 0, p, 8), 0);
	assert_int_equal(target_in(t, &tcp4, "SYNPROXY", 0, p, 8), 0);
	assert_int_equal(target_in(t, &tcp6, "SYNPROXY", 0, p, 8), 0);
	assert_int_equal(target_in(t, &silent, "SYNPROXY", 0, p, 8), -EINVAL);
	assert_int_equal(target_in(t, &inverted, "SYNPROXY", 0, p, 8), -EINVAL);
	assert_int_equal(target_in(t, &raw, "CT", 1, &ct, 72), 0);
	turn_free(t);
}

/* Helpers and timeouts are those of a protocol; their names end somewhere. */
static void test_ct(void **state)
{
	static const struct around tcp = { XT2_IPV4, "raw", 6, 0, 0 };
	static const struct around not_tcp = { XT2_IPV4, "raw", 6, 0, 0x40 };
	static const struct around any = { XT2_IPV4, "raw", 0, 0, 0 };
	struct xt_ct_target_info_v1 helper = { .helper = "ftp\0garbagegarba" };
	struct xt_ct_target_info_v1 timeout = { .timeout = "long" }, off = { .flags = 1 };
	struct turn *t = turn_new();

	memset(timeout.timeout + 5, 'g', sizeof(timeout.timeout) - 5);
	memset(off.timeout, 'g', sizeof(off.timeout));
	assert_int_equal(helper.helper[15], 'a');
	assert_int_equal(target_in(t, &tcp, "CT", 0, &helper, 40), 0);
	assert_int_equal(target_in(t, &tcp, "CT", 2, &helper, 72), 0);
	assert_int_equal(target_in(t, &tcp, "CT", 1, &timeout, 72), 0);
	assert_int_equal(target_in(t, &any, "CT", 1, &off, 72), 0);
	assert_int_equal(target_in(t, &any, "CT", 0, &helper, 40), -ENOENT);
	assert_int_equal(target_in(t, &not_tcp, "CT", 2, &helper, 72), -ENOENT);
	assert_int_equal(target_in(t, &any, "CT", 1, &timeout, 72), -EINVAL);
	assert_int_equal(target_in(t, &not_tcp, "CT", 2, &timeout, 72), -EINVAL);
	helper.helper[3] = '-';
	assert_int_equal(target_in(t, &tcp, "CT", 0, &helper, 40), -ENAMETOOLONG);
	timeout.timeout[4] = '-';
	assert_int_equal(target_in(t, &tcp, "CT", 2, &timeout, 72), -ENAMETOOLONG);
	turn_free(t);
}

/* A timer has a file of its name in /sys. */
static void test_idletimer(void **state)
{
	static const struct {
		const char *label;
		int err;
	} labels[] = {
		{ "wan", 0 },	       { "powers", 0 },	     { "...", 0 },
		{ "", -EINVAL },       { "a/b", -EINVAL },   { "..", -EINVAL },
		{ ".", -EINVAL },      { "power", -EINVAL }, { "subsystem", -EINVAL },
		{ "uevent", -EINVAL },
	};
	struct idletimer_tg_info info = { .timeout = 5 };
	struct turn *t = turn_new();
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(labels); i++) {
		strcpy(info.label, labels[i].label);
		assert_int_equal(one_target(t, XT2_IPV4, false, "IDLETIMER", 0, &info, 40),
				 labels[i].err);
	}
	turn_free(t);
}

/* Of bytes, a rate that no clock can count is told apart from one that some cannot. */
static void test_hashlimit(void **state)
{
	struct xt_hashlimit_mtinfo3 info = {
		.name = "mini1",
		.cfg = { .avg = 2, .gc_interval = 1000, .expire = 1000 },
	};
	struct turn *t = turn_new();

	info.cfg.mode = XT_HASHLIMIT_BYTES;
	assert_int_equal(one_match(t, 0, "hashlimit", 3, &info, 312), 0);
	info.cfg.avg = 1;
	assert_int_equal(one_match(t, 0, "hashlimit", 3, &info, 312), -EINVAL);
	info.cfg.avg = 1ull << 32;
	assert_int_equal(one_match(t, 0, "hashlimit", 3, &info, 312), -EINVAL);
	info.cfg.mode = 0;
	assert_int_equal(one_match(t, 0, "hashlimit", 3, &info, 312), -ERANGE);
	info.cfg.burst = 5;
	assert_int_equal(one_match(t, 0, "hashlimit", 3, &info, 312), 0);
	turn_free(t);
}

/* Patterns of fsm, as a kernel answers to them. */
static void test_fsm(void **state)
{
	static const struct {
		const char *pattern;
		u8 len, flags;
		int err;
	} cases[] = {
		{ "\1\0\0x", 4, 0, 0 },
		{ "\15\0\3x", 4, XT_STRING_FLAG_INVERT, 0 },
		{ "\1\0\4x\2\0\1", 8, 0, 0 },
		{ "abcdefgh", 8, 0, -EINVAL },
		{ "\1\0\0x", 3, 0, -EINVAL },
		{ "\1\0\0x", 4, XT_STRING_FLAG_IGNORECASE, -EINVAL },
		{ "\16\0\0x", 4, 0, -EINVAL },
		{ "\1\1\0x", 4, 0, -EINVAL },
		{ "\1\0\5x", 4, 0, -EINVAL },
		{ "\1\0\4x", 4, 0, -EINVAL },
		{ "\1\0\0x\2\0\4", 8, 0, -EINVAL },
	};
	struct turn *t = turn_new();
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(cases); i++) {
		struct xt_string_info info = { .to_offset = 99, .algo = "fsm" };

		memcpy(info.pattern, cases[i].pattern, cases[i].len);
		info.patlen = cases[i].len;
		info.u.v1.flags = cases[i].flags;
		assert_int_equal(one_match(t, 0, "string", 1, &info, 160), cases[i].err);
	}
	turn_free(t);
}

/* Names that do not end. */
static void test_unterminated(void **state)
{
	struct turn *t = turn_new();
	u8 payload[264];

	memset(payload, 'a', sizeof(payload));
	assert_int_equal(one_target(t, XT2_IPV4, false, "NFLOG", 0, payload, 80), -EINVAL);
	assert_int_equal(one_target(t, XT2_IPV4, false, "RATEEST", 0, payload, 32), -ENAMETOOLONG);
	assert_int_equal(one_match(t, 0, "string", 1, payload, 160), -EINVAL);
	turn_free(t);
}

/* --- speed ------------------------------------------------------------------------------------ */

/* Jumps and nothing else, all to one chain: this is linear, or it takes for ever. */
static void test_linear(void **state)
{
	enum { JUMPS = 200000 };
	u32 chain = (JUMPS + 1) * 152 + 176, size = 96 + chain + 152 + 176, i;
	struct blob *b = blob_new(shape_of(XT2_IPV4, false));
	struct turn *t = turn_new();
	u8 *all = calloc(1, size);
	clock_t start = clock();

	hook_begin(b);
	plain(b, (s32)chain);
	for (i = 0; i < JUMPS; i++)
		memcpy(all + 96 + i * 152, b->bytes + b->rule, 152);
	hook_end(b, -2);
	i = b->rule;
	head(b, "chain");
	plain(b, -5);
	head(b, "ERROR");
	memcpy(all + 96 + JUMPS * 152, b->bytes + i, b->len - i);
	put32(b->bytes + 32, 2);
	put32(b->bytes + 36, JUMPS + 4);
	put32(b->bytes + 40, size - 96);
	put32(b->bytes + 68, JUMPS * 152);
	put32(b->bytes + 84, 1);
	memcpy(all, b->bytes, 96);
	assert_int_equal(turn(t, XT2_IPV4, false, all, size, false, true), 0);
	assert_int_equal(t->out.entries, JUMPS + 4);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 20);
	free(all);
	free(b);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_tables),
	cmocka_unit_test(test_rules),
	cmocka_unit_test(test_kernel),
	cmocka_unit_test(test_defects),
	cmocka_unit_test(test_growth),
	cmocka_unit_test(test_largest),
	cmocka_unit_test(test_too_large_to_write),
	cmocka_unit_test(test_odd_chains),
	cmocka_unit_test(test_extension_answers),
	cmocka_unit_test(test_protocol_asked_for),
	cmocka_unit_test(test_ct),
	cmocka_unit_test(test_idletimer),
	cmocka_unit_test(test_fsm),
	cmocka_unit_test(test_hashlimit),
	cmocka_unit_test(test_unterminated),
	cmocka_unit_test(test_linear),
};

UNITS(tests)
