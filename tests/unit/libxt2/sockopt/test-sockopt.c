/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's calls, answered by a ruleset: what the tools sent and the
 * kernel answered (tests/legacy/vectors/README), the checks of each call, and
 * what must not change when a call fails.
 *
 * Of the kernel's answers the bytes behind a name's NUL are not compared: it
 * leaves there what it finds.
 */
#include <errno.h>
#include <time.h>
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/sockopt-case.h"
#include "tests/lib/unit-program.h"

#define INITIAL_FILTER 4 /* entries: three policies and the end */

/* --- what the kernel answered --------------------------------------------- */

struct call {
	int first, set, level, name, compat;
	u32 len, in_len, out_len;
	int error;
	char ruleset[64];
	u8 *in, *out;
};

static int call_next(FILE *f, struct call *c)
{
	if (fscanf(f, "%d %d %d %d %d %u %d %u %u %63[^\n]", &c->first, &c->set, &c->level,
		   &c->name, &c->compat, &c->len, &c->error, &c->in_len, &c->out_len,
		   c->ruleset) != 10)
		return 0;
	assert_int_equal(fgetc(f), '\n');
	c->in = malloc(c->in_len + 1);
	c->out = malloc(c->out_len + 1);
	assert_int_equal(fread(c->in, 1, c->in_len, f), c->in_len);
	assert_int_equal(fread(c->out, 1, c->out_len, f), c->out_len);
	return 1;
}

static void check_answer(const struct call *c, u8 *answer)
{
	const u32 header = c->compat ? 36 : 40;
	int family = xt2_sockopt_family(c->level, c->name, c->set);

	if (!c->out_len)
		return;
	if (c->name == option(family, ENTRIES)) {
		mask_names(answer + header, c->out_len - header, family, c->compat);
		mask_names(c->out + header, c->out_len - header, family, c->compat);
	}
	assert_bytes(c->ruleset, answer, c->out, c->out_len);
}

/* => like the call, -EPROTO if it is not the kernel's answer */
static void replay(struct xt2_ruleset *rs, const struct call *c)
{
	struct packed before = pack(rs);
	struct caller who;
	int ret;

	caller_init(&who, c->compat, c->in, c->in_len, c->len);
	ret = caller_call(&who, rs, c->set, c->level, c->name, c->len);
	if ((ret < 0 ? ret : 0) != -c->error)
		fail_msg("%s: %d instead of %d: %s", c->ruleset, ret, -c->error, who.err.message);
	check_answer(c, who.bytes);
	if (ret <= 0)
		assert_unchanged(rs, &before, c->ruleset);
	else
		xt2_image_close(&before.map);
	caller_free(&who);
}

/* All calls of all captures; each ruleset goes through an image after each call, or never. */
static void replay_all(int images)
{
	FILE *f = vectors_open("calls.vec");
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map = { 0 }, last;
	struct call c;
	u32 n = 0;

	while (call_next(f, &c)) {
		if (c.first) {
			xt2_ruleset_free(rs);
			rs = xt2_ruleset_new();
		}
		replay(rs, &c);
		if (images) {
			last = map;
			rs = reload(rs, &map);
			xt2_image_close(&last);
		}
		free(c.in);
		free(c.out);
		n++;
	}
	assert_true(feof(f));
	assert_true(n >= 390);
	fclose(f);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
}

static void test_replay(void **state)
{
	replay_all(0);
}

static void test_replay_through_images(void **state)
{
	replay_all(1);
}

/* --- records of blobs ------------------------------------------------------- */

static int errno_of(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {
		{ "ok", 1 },	       { "EINVAL", -EINVAL }, { "ENOMEM", -ENOMEM },
		{ "ENOENT", -ENOENT }, { "ELOOP", -ELOOP },   { "EAGAIN", -EAGAIN },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].number;
	fail_msg("%s", name);
	return 0;
}

static int record_set(const struct record *r, struct xt2_ruleset *rs, struct caller *who)
{
	caller_init(who, r->compat, r->bytes, r->len, r->len);
	return caller_call(who, rs, 1, level(r->family), option(r->family, REPLACE), r->len);
}

static void test_defects(void **state)
{
	FILE *f = vectors_open("defects.vec");
	struct record r;
	u32 n = 0;

	while (record_next(f, &r)) {
		struct xt2_ruleset *rs = xt2_ruleset_new();
		struct packed before = pack(rs);
		struct caller who;
		int ret;

		if (errno_of(r.what) > 0) /* the table had other entries then */
			put32(r.bytes + 84, INITIAL_FILTER);
		ret = record_set(&r, rs, &who);
		if (ret != errno_of(r.what))
			fail_msg("%s: %d instead of %s: %s", r.name, ret, r.what, who.err.message);
		if (ret < 0) {
			assert_int_equal(who.err.errnum, -ret);
			assert_true(who.err.message[0]);
			assert_unchanged(rs, &before, r.name);
		} else {
			xt2_image_close(&before.map);
		}
		caller_free(&who);
		xt2_ruleset_free(rs);
		free(r.bytes);
		n++;
	}
	assert_true(feof(f) && n >= 180);
	fclose(f);
}

/* --- tables without a caller ---------------------------------------------- */

static void clear(u8 *blob, int family, int compat)
{
	const struct shape s = shape_of(family, compat);
	const u32 header = header_of(family, compat), size = get32(blob + 40);
	u32 pos, i;

	memset(blob + header - (compat ? 4 : 8), 0, compat ? 4 : 8); /* the pointer */
	for (i = 0; i < hooks_of(family); i++) {
		if (get32(blob + 32) & 1u << i)
			continue;
		put32(blob + 44 + 4 * i, 0);
		put32(blob + 44 + 4 * (hooks_of(family) + i), 0);
	}
	for (pos = 0; pos < size; pos += get16(blob + header + pos + s.next))
		memset(blob + header + pos + s.target + 4, 0, 4); /* comefrom */
	mask_names(blob + header, size, family, compat);
}

/* What is read comes back, in the width that is asked for; counters are kept. */
static void test_tables_turn(void **state)
{
	FILE *f = vectors_open("tables.vec");
	struct record r[2];
	u32 n = 0;
	int i, j, table;

	while (record_next(f, &r[0]) && record_next(f, &r[1])) {
		for (i = 0; i < 4; i++) {
			const struct record *from = &r[i & 1], *to = &r[i >> 1];
			struct xt2_ruleset *rs = xt2_ruleset_new();
			struct xt2_mapping map;
			struct xt2_err err;
			void *blob;
			size_t len;

			table = xt2_table_read_replace(rs, from->family, from->compat, from->bytes,
						       from->len, 1, &err);
			assert_int_equal(table, 0);
			rs = reload(rs, &map);
			assert_int_equal(xt2_table_write_replace(rs, 0, to->compat, NULL, &blob,
								 &len, &err),
					 0);
			assert_int_equal(len, to->len);
			clear(blob, to->family, to->compat);
			clear(to->bytes, to->family, to->compat);
			put32(to->bytes + header_of(to->family, to->compat) - (to->compat ? 8 : 12),
			      (u32)__builtin_popcount(get32(to->bytes + 32)) + 1);
			assert_bytes(to->name, blob, to->bytes, to->len);
			free(blob);
			xt2_ruleset_free(rs);
			xt2_image_close(&map);
		}
		for (j = 0; j < 2; j++)
			free(r[j].bytes);
		n++;
	}
	assert_true(feof(f) && n >= 30);
	fclose(f);
}

/* --- blobs of our own: ipt's filter, native --------------------------------- */

#define RULE 152u /* an entry with a standard target */
#define HEAD 176u /* with an ERROR target */

struct blob {
	u8 *bytes;
	u32 len, entries;
};

static u8 *entry_add(struct blob *b, u32 size)
{
	u8 *e = b->bytes + b->len;

	e[88] = 112; /* target_offset */
	e[90] = (u8)size;
	e[112] = (u8)(size - 112);
	b->len += size;
	b->entries++;
	return e;
}

static void rule_add(struct blob *b, s32 verdict)
{
	put32(entry_add(b, RULE) + 112 + 32, (u32)verdict);
}

static void head_add(struct blob *b, const char *name)
{
	u8 *e = entry_add(b, HEAD);

	strcpy((char *)e + 114, "ERROR");
	strcpy((char *)e + 144, name);
}

/* INPUT jumps to n user chains, which are empty and stand in this order. */
static struct blob blob_new(const char (*names)[16], u32 n, u32 counters)
{
	const u32 first = (n + 3) * RULE;
	struct blob b = { .len = 96 };
	u8 *h;
	u32 i;

	h = b.bytes = calloc(1, 96 + (2 * n + 3) * (size_t)RULE + (n + 1) * (size_t)HEAD);
	strcpy((char *)h, "filter");
	put32(h + 32, 0x0e);
	for (i = 0; i < n; i++)
		rule_add(&b, (s32)(first + i * (HEAD + RULE) + HEAD));
	for (i = XT2_INPUT; i <= XT2_OUTPUT; i++) {
		put32(h + 44 + 4 * i, i == XT2_INPUT ? 0 : b.len - 96);
		put32(h + 64 + 4 * i, b.len - 96);
		rule_add(&b, -2);
	}
	for (i = 0; i < n; i++) {
		head_add(&b, names[i]);
		rule_add(&b, -5);
	}
	head_add(&b, "ERROR");
	put32(h + 36, b.entries);
	put32(h + 40, b.len - 96);
	put32(h + 84, counters);
	return b;
}

static int blob_set(const struct blob *b, struct xt2_ruleset *rs, struct xt2_err *err)
{
	struct caller who;
	int ret;

	caller_init(&who, 0, b->bytes, b->len, b->len);
	ret = caller_call(&who, rs, 1, 0, REPLACE, b->len);
	if (err)
		*err = who.err;
	caller_free(&who);
	return ret;
}

/* => the entries as GET_ENTRIES gives them; to free() */
static u8 *entries_get(struct xt2_ruleset *rs, u32 size)
{
	struct caller who;
	u8 get[40] = "filter", *bytes;

	put32(get + 32, size);
	caller_init(&who, 0, get, sizeof(get), 40 + size);
	assert_int_equal(caller_call(&who, rs, 0, 0, ENTRIES, 40 + size), 0);
	bytes = malloc(size);
	memcpy(bytes, who.bytes + 40, size);
	caller_free(&who);
	return bytes;
}

/* --- the order of user chains ----------------------------------------------- */

static void assert_order(const struct xt2_ruleset *rs, const char *names)
{
	char all[128] = "";
	int c;

	for (c = xt2_chain_next(rs, 0, -1); c >= 0; c = xt2_chain_next(rs, 0, c)) {
		if (xt2_chain_hook(rs, c) < 0)
			strcat(strcat(all, xt2_chain_name(rs, c)), " ");
	}
	assert_string_equal(all, names);
}

static void assert_jumps(struct xt2_ruleset *rs, const struct blob *b, u32 n)
{
	u8 *entries = entries_get(rs, b->len - 96);
	u32 i;

	for (i = 0; i < n; i++)
		assert_memory_equal(entries + i * RULE + 144, b->bytes + 96 + i * RULE + 144, 4);
	assert_memory_equal(entries + (n + 3) * RULE + 112, b->bytes + 96 + (n + 3) * RULE + 112,
			    HEAD - 112);
	free(entries);
}

static void test_order_is_kept(void **state)
{
	static const char as_made[][16] = { "b", "d", "a" }, by_name[][16] = { "a", "b", "d" };
	struct blob b = blob_new(as_made, 3, INITIAL_FILTER), again;
	struct xt2_ruleset *rs = xt2_ruleset_new(), *copy;
	struct xt2_mapping map, map2;
	int ret;

	assert_int_equal(blob_set(&b, rs, NULL), 1);
	assert_order(rs, "b d a ");
	assert_jumps(rs, &b, 3);
	rs = reload(rs, &map);
	assert_order(rs, "b d a ");
	assert_jumps(rs, &b, 3);
	ret = xt2_chain_add(rs, 0, "c");
	assert_true(ret >= 0);
	assert_order(rs, "b d a c ");
	copy = xt2_ruleset_clone(rs);
	assert_order(copy, "b d a c ");
	assert_int_equal(xt2_chain_rename(copy, ret, "0"), 0);
	assert_true(xt2_chain_add(copy, 0, "1") >= 0);
	copy = reload(copy, &map2);
	assert_order(copy, "b d a 0 1 ");
	xt2_ruleset_free(copy);
	xt2_image_close(&map2);

	again = blob_new(by_name, 3, b.entries + 2);
	assert_int_equal(blob_set(&again, rs, NULL), 1);
	assert_true(xt2_chain_add(rs, 0, "c") >= 0);
	assert_order(rs, "a b c d ");
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	free(b.bytes);
	free(again.bytes);
}

static void test_reset_forgets_the_order(void **state)
{
	static const char names[][16] = { "b", "a" };
	struct blob b = blob_new(names, 2, INITIAL_FILTER);
	struct xt2_ruleset *rs = xt2_ruleset_new();

	assert_int_equal(blob_set(&b, rs, NULL), 1);
	assert_int_equal(xt2_table_reset(rs, 0, NULL), 0);
	assert_true(xt2_chain_add(rs, 0, "z") >= 0 && xt2_chain_add(rs, 0, "y") >= 0);
	assert_order(rs, "y z ");
	xt2_ruleset_free(rs);
	free(b.bytes);
}

static void test_names_differ(void **state)
{
	static const char names[][3][16] = { { "a", "a", "b" },
					     { "b", "a", "b" },
					     { "a", "b", "FORWARD" } };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct packed before;
	struct xt2_err err;
	struct blob b;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++) {
		b = blob_new(names[i], 3, INITIAL_FILTER);
		before = pack(rs);
		assert_int_equal(blob_set(&b, rs, &err), -EINVAL);
		assert_true(err.hint[0]);
		assert_int_equal(xt2_ruleset_tables(rs), 0);
		assert_unchanged(rs, &before, "names");
		free(b.bytes);
	}
	xt2_ruleset_free(rs);
}

/* --- counters and state ------------------------------------------------------- */

static int counters_add(struct xt2_ruleset *rs, u32 n, const u64 *add)
{
	u8 head[40] = "filter";
	struct caller who;
	int ret;

	put32(head + 32, n);
	caller_init(&who, 0, head, sizeof(head), 40 + 16 * n);
	memcpy(who.bytes + 40, add, 16 * n);
	ret = caller_call(&who, rs, 1, 0, ADD, 40 + 16 * n);
	caller_free(&who);
	return ret;
}

/* INPUT: a jump and the policy; two more policies; chain a: head, RETURN; the end */
static void test_counters(void **state)
{
	static const char names[][16] = { "a" };
	struct blob b = blob_new(names, 1, INITIAL_FILTER);
	struct xt2_ruleset *rs = xt2_ruleset_new();
	const u32 n = b.entries;
	struct xt2_mapping map;
	struct caller who;
	u64 add[7 * 2] = { 0 }, packets = 0, bytes = 0;
	int input;

	assert_int_equal(n, 7);
	assert_int_equal(blob_set(&b, rs, NULL), 1);
	assert_int_equal(counters_add(rs, n, add), 0);
	assert_int_equal(counters_add(rs, n - 1, add), -EINVAL);
	add[8] = 5; /* the head of a: dropped */
	assert_int_equal(counters_add(rs, n, add), 0);
	add[0] = ~(u64)0;
	add[1] = ~(u64)0 - 1;
	add[2] = 3;
	add[3] = 4;
	add[10] = 5;
	assert_int_equal(counters_add(rs, n, add), 1);
	rs = reload(rs, &map);
	assert_int_equal(counters_add(rs, n, add), 1);
	input = xt2_chain_base(rs, 0, XT2_INPUT);
	assert_int_equal(xt2_rule_get(rs, input, 0)->packets, ~(u64)1);
	assert_int_equal(xt2_rule_get(rs, input, 0)->bytes, ~(u64)3);
	assert_int_equal(xt2_chain_counters(rs, input, &packets, &bytes), 0);
	assert_true(packets == 6 && bytes == 8);

	put32(b.bytes + 84, n);
	memset(b.bytes + 88, 0xee, 8);
	memset(b.bytes + 96 + 96, 0xff, 16); /* counters in a blob are not looked at */
	caller_init(&who, 0, b.bytes, b.len, b.len);
	assert_int_equal(caller_call(&who, rs, 1, 0, REPLACE, b.len), 1);
	assert_true(who.other_at == 0xeeeeeeeeeeeeeeeeull && who.other_size == n * 16);
	add[0] *= 2;
	add[1] *= 2;
	add[2] = 6;
	add[3] = 8;
	add[8] = 0;
	add[10] = 10;
	assert_memory_equal(who.other, add, sizeof(add));
	assert_int_equal(xt2_rule_get(rs, input, 0)->packets, 0);
	assert_int_equal(xt2_chain_counters(rs, input, &packets, &bytes), 0);
	assert_true(!packets && !bytes);
	caller_free(&who);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	free(b.bytes);
}

/* The server's rules have limits in them. */
static struct record server(void)
{
	FILE *f = vectors_open("tables.vec");
	struct record r;

	while (record_next(f, &r) && strcmp(r.name, "v4-2-server/0"))
		free(r.bytes);
	assert_string_equal(r.name, "v4-2-server/0");
	fclose(f);
	return r;
}

/* Of lists by name the kernel keeps those that new rules have as well. */
static void assert_anew(const struct xt2_ruleset *rs, u64 before)
{
	const u32 memories = (rs->cells - 1) / XT2_MEMORY_CELLS * XT2_MEMORY_CELLS;
	u32 i;

	assert_true(rs->cells > memories);
	for (i = memories; i < rs->cells; i++)
		assert_int_equal(rs->cell[i], 0);
	for (i = XT2_MEMORY_DATA; i < memories; i++)
		if (i % XT2_MEMORY_CELLS >= XT2_MEMORY_DATA)
			assert_int_equal(rs->cell[i], before);
}

static void test_state_starts_anew(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct record r = server();
	struct xt2_mapping map, map2;
	struct caller who;
	u32 i;

	put32(r.bytes + 84, INITIAL_FILTER);
	assert_int_equal(record_set(&r, rs, &who), 1);
	caller_free(&who);
	rs = reload(rs, &map);
	assert_true(rs->cells > 0);
	for (i = 0; i < rs->cells; i++)
		rs->cell[i] = 77;
	put32(r.bytes + 84, get32(r.bytes + 36));
	assert_int_equal(record_set(&r, rs, &who), 1);
	caller_free(&who);
	rs = reload(rs, &map2);
	assert_anew(rs, 77);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	xt2_image_close(&map2);
	free(r.bytes);
}

/* --- when things go wrong ------------------------------------------------------- */

struct attempt {
	const char *what;
	int set, name;
	const u8 *bytes;
	u32 given, len;
	int done; /* what it answers in the end */
};

/* Every allocation and every access fails once; the ruleset stays what it was. */
static void try_all(const struct xt2_ruleset *like, const struct attempt *a)
{
	unsigned int n;
	int accesses, ret = -1;

	for (accesses = 0; accesses < 2; accesses++) {
		for (n = 1, ret = -1; ret != a->done; n++) {
			struct xt2_ruleset *rs = xt2_ruleset_clone(like);
			struct packed before = pack(rs);
			struct caller who;

			caller_init(&who, 0, a->bytes, a->given, a->len);
			who.faults = accesses ? (int)n : 0;
			fail_alloc(accesses ? 0 : n);
			ret = caller_call(&who, rs, a->set, 0, a->name, a->len);
			fail_alloc(0);
			if (ret < 0) {
				assert_int_equal(ret, accesses ? -EFAULT : -ENOMEM);
				assert_int_equal(who.err.errnum, -ret);
				assert_unchanged(rs, &before, a->what);
			} else {
				xt2_image_close(&before.map);
			}
			caller_free(&who);
			xt2_ruleset_free(rs);
			assert_true(n < 1000);
		}
		assert_true(n > 2);
	}
}

static void test_failures(void **state)
{
	struct record r = server();
	struct xt2_ruleset *rs = xt2_ruleset_new(), *fresh = xt2_ruleset_new();
	struct xt2_mapping map;
	struct caller who;
	u32 entries = get32(r.bytes + 36), size = get32(r.bytes + 40);
	u8 get[40] = "filter", add[40 + 16 * 100] = "filter";
	const struct attempt attempts[] = {
		{ "info", 0, INFO, get, 32, 84, 0 },
		{ "entries", 0, ENTRIES, get, 40, 40 + size, 0 },
		{ "replace", 1, REPLACE, r.bytes, r.len, r.len, 1 },
		{ "add", 1, ADD, add, 40 + 16 * entries, 40 + 16 * entries, 1 },
	};
	const struct attempt first = { "new table", 0, INFO, get, 32, 84, 1 };
	const struct attempt replace = { "new table", 1, REPLACE, r.bytes, r.len, r.len, 1 };
	size_t i;

	assert_true(entries < 100);
	put32(get + 32, size);
	put32(add + 32, entries);
	memset(add + 40, 1, sizeof(add) - 40);
	put32(r.bytes + 84, INITIAL_FILTER);
	try_all(fresh, &first);
	try_all(fresh, &replace);
	assert_int_equal(record_set(&r, rs, &who), 1);
	caller_free(&who);
	rs = reload(rs, &map);
	put32(r.bytes + 84, entries);
	for (i = 0; i < XT2_ARRAY_SIZE(attempts); i++)
		try_all(rs, &attempts[i]);
	xt2_ruleset_free(rs);
	xt2_ruleset_free(fresh);
	xt2_image_close(&map);
	free(r.bytes);
}

/* What the kernel's format cannot say: ARP's goto. */
static void test_no_legacy_form(void **state)
{
	const struct xt2_rule r = { .size = 24, .target_offset = 24 };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_rule rule = r;
	struct caller who;
	void *blob;
	size_t len;
	int chain;

	assert_int_equal(xt2_table_add(rs, XT2_ARP, "filter", NULL), 0);
	chain = xt2_chain_add(rs, 0, "c");
	rule.target = XT2_TARGET(XT2_T_GOTO, (u32)chain);
	assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, 0, XT2_ARP_INPUT), &rule, 0), 0);
	caller_init(&who, 0, "filter", 6, 68);
	assert_int_equal(caller_call(&who, rs, 0, 0, 96, 68), -EOPNOTSUPP);
	assert_int_equal(who.err.code, XT2_E_UNSUPPORTED);
	assert_non_null(strstr(who.err.message, "chain INPUT, rule 1"));
	assert_int_equal(xt2_table_write_replace(rs, 0, 0, NULL, &blob, &len, &who.err),
			 -EOPNOTSUPP);
	assert_int_equal(xt2_table_write_replace(rs, 1, 0, NULL, &blob, &len, &who.err), -ENOENT);
	caller_free(&who);
	xt2_ruleset_free(rs);
}

static void test_options_have_families(void **state)
{
	assert_int_equal(xt2_sockopt_family(0, 64, 0), XT2_IPV4);
	assert_int_equal(xt2_sockopt_family(0, 66, 1), 0);
	assert_int_equal(xt2_sockopt_family(0, 68, 0), 0);
	assert_int_equal(xt2_sockopt_family(41, 65, 1), XT2_IPV6);
	assert_int_equal(xt2_sockopt_family(41, 66, 0), 0);
	assert_int_equal(xt2_sockopt_family(41, 69, 0), XT2_IPV6);
	assert_int_equal(xt2_sockopt_family(0, 97, 1), XT2_ARP);
	assert_int_equal(xt2_sockopt_family(0, 131, 0), XT2_BRIDGE);
	assert_int_equal(xt2_sockopt_family(1, 64, 0), 0);
}

/* --- many ------------------------------------------------------------------------ */

static double chains_time(u32 n)
{
	char(*names)[16] = calloc(n, sizeof(*names));
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;
	struct blob b;
	clock_t start;
	u32 i;

	for (i = 0; i < n; i++) /* not in their order */
		snprintf(names[i], sizeof(names[i]), "c%u", (i * 7919u) % n);
	b = blob_new(names, n, INITIAL_FILTER);
	start = clock();
	assert_int_equal(blob_set(&b, rs, NULL), 1);
	put32(b.bytes + 84, b.entries);
	assert_int_equal(blob_set(&b, rs, NULL), 1);
	rs = reload(rs, &map);
	start = clock() - start;
	assert_jumps(rs, &b, n);
	assert_int_equal(xt2_chain_references(rs, xt2_chain_find(rs, 0, "c7")), 1);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	free(b.bytes);
	free(names);
	return (double)start;
}

static void test_many_chains(void **state)
{
	const double few = chains_time(10000), many = chains_time(80000);

	assert_true(many < 8 * 4 * few);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_replay),
	cmocka_unit_test(test_replay_through_images),
	cmocka_unit_test(test_defects),
	cmocka_unit_test(test_tables_turn),
	cmocka_unit_test(test_order_is_kept),
	cmocka_unit_test(test_reset_forgets_the_order),
	cmocka_unit_test(test_names_differ),
	cmocka_unit_test(test_counters),
	cmocka_unit_test(test_state_starts_anew),
	cmocka_unit_test(test_failures),
	cmocka_unit_test(test_no_legacy_form),
	cmocka_unit_test(test_options_have_families),
	cmocka_unit_test(test_many_chains),
};

UNITS(tests)
