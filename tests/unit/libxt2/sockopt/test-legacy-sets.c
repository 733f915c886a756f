/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-legacy-sets.c - translators/ext/xt-sets.c and libxt2/sockopt/legacy-sets.c: ipsets in the kernel's formats
 *
 * Every revision, both families and widths, with two kernels that have the
 * same sets under other numbers: what the one was sent, the other gives back.
 */
#include "tests/unit/sockopt-case.h"
#include "translators/ext/xt-sets.h"
#include "tests/lib/unit-program.h"

#define HEADER_COUNTERS 84 /* num_counters in struct ipt_replace */

/* A kernel's sets: their numbers. */
struct kernel {
	int number[3];
	int error; /* it answers nothing else */
	int asked;
};

static const char *const names[] = { "blocked", "a.b:c", "a-name-of-as-many-bytes-as-can-be" };

static void name_in(char *name, size_t i)
{
	memset(name, 0, XT2_SETS_NAME);
	memcpy(name, names[i], strnlen(names[i], XT2_SETS_NAME - 1));
}

static int name_of(void *data, __u16 number, char *name)
{
	struct kernel *k = data;
	size_t i;

	k->asked++;
	for (i = 0; i < XT2_ARRAY_SIZE(names) && !k->error; i++)
		if (k->number[i] == number) {
			name_in(name, i);
			if (strlen(name) < XT2_SETS_NAME - 2) /* what follows is no part of it */
				name[XT2_SETS_NAME - 2] = (char)('a' + k->asked % 26);
			return 0;
		}
	return k->error ? k->error : -ENOENT;
}

static int number_of(void *data, const char *name)
{
	struct kernel *k = data;
	char like[XT2_SETS_NAME];
	size_t i;

	k->asked++;
	for (i = 0; i < XT2_ARRAY_SIZE(names) && !k->error; i++) {
		name_in(like, i);
		if (!strcmp(like, name) && k->number[i] >= 0)
			return k->number[i];
	}
	return k->error ? k->error : -ENOENT;
}

static const struct extension {
	u8 kind;
	const char *name;
	u8 revision, ipv4_only;
	u32 size;
	u8 at[3], sets; /* where their numbers are */
} extensions[] = {
	{ XT2_INSTANCE_MATCH, "set", 0, 1, 32, { 0 }, 1 },
	{ XT2_INSTANCE_MATCH, "set", 1, 0, 8, { 0 }, 1 },
	{ XT2_INSTANCE_MATCH, "set", 2, 0, 8, { 0 }, 1 },
	{ XT2_INSTANCE_MATCH, "set", 3, 0, 48, { 0 }, 1 },
	{ XT2_INSTANCE_MATCH, "set", 4, 0, 48, { 0 }, 1 },
	{ XT2_INSTANCE_TARGET, "SET", 0, 1, 64, { 0, 32 }, 2 },
	{ XT2_INSTANCE_TARGET, "SET", 1, 0, 8, { 0, 4 }, 2 },
	{ XT2_INSTANCE_TARGET, "SET", 2, 0, 16, { 0, 4 }, 2 },
	{ XT2_INSTANCE_TARGET, "SET", 3, 0, 24, { 0, 4, 8 }, 3 },
};

/* One rule; sets whose bit of use is not set are left out. */
static struct xt2_ruleset *ruleset(const struct extension *e, int family, struct kernel *k,
				   unsigned int use)
{
	u64 room[(24 + 8) / 8] = { 0 };
	struct xt2_rule *r = (struct xt2_rule *)room;
	struct xt2_match *m = (struct xt2_match *)(r + 1);
	struct xt2_ruleset *rs = xt2_ruleset_new();
	u8 payload[64];
	int number, table;
	u32 i;

	memset(payload, 0, sizeof(payload));
	for (i = 0; i < e->sets; i++) {
		u16 set = use & 1u << i ? (u16)k->number[i] : 0xffff;

		memcpy(payload + e->at[i], &set, sizeof(set));
		payload[e->at[i] + (e->revision ? 2 : 4)] = 1; /* how many dimensions, or src */
	}
	table = xt2_table_add(rs, family, "mangle", NULL);
	number = xt2_instance_add(rs, e->kind, e->revision, e->name, payload, e->size);
	assert_true(number >= 0);
	r->target_offset = r->size = sizeof(*r);
	if (e->kind == XT2_INSTANCE_MATCH) {
		*m = (struct xt2_match){ .type = XT2_M_FOREIGN, .size = 8, .arg = (u32)number };
		r->target_offset = r->size = sizeof(room);
	} else {
		r->target = XT2_TARGET(XT2_T_FOREIGN, (u32)number);
	}
	assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, table, XT2_INPUT), r, 0), 0);
	return rs;
}

struct blob {
	u8 *at;
	size_t len;
};

/* What iptables would send to that kernel. */
static struct blob blob_for(const struct extension *e, int family, int compat, struct kernel *k,
			    unsigned int use)
{
	struct xt2_ruleset *rs = ruleset(e, family, k, use);
	struct xt2_err err;
	struct blob b;

	if (xt2_table_write_replace(rs, 0, compat, NULL, (void **)&b.at, &b.len, &err))
		fail_msg("%s %u: %s", e->name, e->revision, err.message);
	xt2_ruleset_free(rs);
	return b;
}

static int replace(struct xt2_ruleset *rs, int family, int compat, const struct blob *b,
		   struct kernel *k, struct xt2_err *err)
{
	const struct xt2_sockopt_sets sets = { name_of, number_of, k };
	struct caller who;
	int ret;

	caller_init(&who, compat, b->at, b->len, b->len);
	who.how.sets = &sets;
	ret = caller_call(&who, rs, 1, level(family), REPLACE, (u32)b->len);
	*err = who.err;
	caller_free(&who);
	return ret;
}

/* GET_ENTRIES, compared with what would be sent.  => the call's answer */
static int entries(struct xt2_ruleset *rs, int family, int compat, const struct blob *want,
		   struct kernel *k, struct xt2_err *err)
{
	const struct xt2_sockopt_sets sets = { name_of, number_of, k };
	const u32 header = compat ? 36 : 40, skip = header_of(family, compat);
	const u32 size = (u32)want->len - skip;
	struct caller who;
	int ret;

	caller_init(&who, compat, "mangle", 7, header + size);
	who.how.sets = &sets;
	put32(who.bytes + 32, size);
	ret = caller_call(&who, rs, 0, level(family), ENTRIES, header + size);
	if (!ret)
		assert_memory_equal(who.bytes + header, want->at + skip, size);
	*err = who.err;
	caller_free(&who);
	return ret;
}

static struct kernel one = { { 7, 0, 300 }, 0, 0 }, other = { { 0, 7, 65534 }, 0, 0 };

static void round_trip(const struct extension *e, int family, unsigned int use)
{
	u8 digest[2][XT2_DIGEST_SIZE];
	struct xt2_err err;
	int from, to, n = 0;

	for (from = 0; from < 2; from++) {
		struct kernel *k = from ? &other : &one;
		struct blob sent = blob_for(e, family, from, k, use);
		struct xt2_ruleset *rs = xt2_ruleset_new();

		if (replace(rs, family, from, &sent, k, &err) != 1)
			fail_msg("%s %u: %s", e->name, e->revision, err.message);
		xt2_ruleset_digest(rs, digest[n++]);
		for (to = 0; to < 4; to++) {
			struct kernel *now = to & 1 ? &one : &other;
			struct blob want = blob_for(e, family, to >> 1, now, use);

			if (entries(rs, family, to >> 1, &want, now, &err))
				fail_msg("%s %u: %s", e->name, e->revision, err.message);
			free(want.at);
		}
		free(sent.at);
		xt2_ruleset_free(rs);
	}
	assert_memory_equal(digest[0], digest[1], sizeof(digest[0]));
}

static void test_round_trip(void **state)
{
	unsigned int use;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(extensions); i++) {
		const struct extension *e = &extensions[i];

		for (use = e->sets == 1; use < 1u << e->sets; use++) {
			round_trip(e, XT2_IPV4, use);
			if (!e->ipv4_only)
				round_trip(e, XT2_IPV6, use);
		}
	}
}

/* A number is nobody's, a name has no set, nobody may ask: nothing changes. */
static void test_unknown(void **state)
{
	static struct kernel none = { { -1, -1, -1 }, 0, 0 }, closed = { { 0 }, -EPERM, 0 };
	size_t i;

	for (i = 0; i < 2 * XT2_ARRAY_SIZE(extensions); i++) {
		const struct extension *e = &extensions[i / 2];
		struct kernel *k = i % 2 ? &closed : &none;
		struct blob sent = blob_for(e, XT2_IPV4, 0, &one, 7);
		struct xt2_ruleset *rs = xt2_ruleset_new();
		u8 before[XT2_DIGEST_SIZE], after[XT2_DIGEST_SIZE];
		struct xt2_err err;

		assert_int_equal(replace(rs, XT2_IPV4, 0, &sent, k, &err), -ENOENT);
		assert_int_equal(xt2_ruleset_tables(rs), 0);
		assert_int_equal(err.code, XT2_E_UNSUPPORTED);
		assert_non_null(strstr(err.message, "table mangle, chain INPUT, rule 1: "));
		assert_non_null(strstr(err.message, "ipset number 7"));
		assert_true(err.hint[0]);
		assert_int_equal(replace(rs, XT2_IPV4, 0, &sent, &one, &err), 1);
		xt2_ruleset_digest(rs, before);
		assert_int_equal(entries(rs, XT2_IPV4, 0, &sent, k, &err), -ENOENT);
		assert_int_equal(err.code, XT2_E_UNSUPPORTED);
		assert_non_null(strstr(err.message, "table mangle, chain INPUT, rule 1: "));
		assert_non_null(strstr(err.message, "ipset 'blocked'"));
		assert_true(err.hint[0]);
		put32(sent.at + HEADER_COUNTERS, 7); /* with a rule more than at first */
		assert_int_equal(replace(rs, XT2_IPV4, 0, &sent, k, &err), -ENOENT);
		xt2_ruleset_digest(rs, after);
		assert_memory_equal(before, after, sizeof(before));
		xt2_ruleset_free(rs);
		free(sent.at);
	}
}

/* A match has a set, whatever its number; a target need not have one. */
static void test_no_number(void **state)
{
	struct kernel k = { { 7, 0, 300 }, 0, 0 };
	struct xt2_err err;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(extensions); i++) {
		struct blob sent = blob_for(&extensions[i], XT2_IPV4, 0, &k, 0);
		struct xt2_ruleset *rs = xt2_ruleset_new();

		assert_int_equal(replace(rs, XT2_IPV4, 0, &sent, &k, &err),
				 extensions[i].sets == 1 ? -ENOENT : 1);
		xt2_ruleset_free(rs);
		free(sent.at);
	}
	assert_int_equal(k.asked, 5);
}

/* With nobody to ask numbers stay what they are, and are nobody else's. */
static void test_nobody(void **state)
{
	struct xt2_err err;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(extensions); i++) {
		const struct extension *e = &extensions[i];
		struct blob sent = blob_for(e, XT2_IPV4, 1, &one, 7), again;
		struct xt2_ruleset *rs = xt2_ruleset_new();
		struct kernel k = { { 7, 0, 300 }, 0, 0 };

		assert_int_equal(
			xt2_table_read_replace(rs, XT2_IPV4, 1, sent.at, sent.len, 0, &err), 0);
		assert_int_equal(xt2_table_write_replace(rs, 0, 1, NULL, (void **)&again.at,
							 &again.len, &err),
				 0);
		assert_int_equal(again.len, sent.len);
		assert_memory_equal(again.at, sent.at, sent.len);
		assert_int_equal(entries(rs, XT2_IPV4, 1, &sent, &k, &err), -EOPNOTSUPP);
		assert_non_null(strstr(err.message, "rule 1: ipset number 7 "));
		assert_int_equal(k.asked, 0);
		free(again.at);
		/* names, and nobody to say their numbers */
		put32(sent.at + HEADER_COUNTERS, 7);
		assert_int_equal(replace(rs, XT2_IPV4, 1, &sent, &one, &err), 1);
		assert_int_equal(xt2_table_write_replace(rs, 0, 1, NULL, (void **)&again.at,
							 &again.len, &err),
				 -EOPNOTSUPP);
		xt2_ruleset_free(rs);
		free(sent.at);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_round_trip),
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_no_number),
	cmocka_unit_test(test_nobody),
};

UNITS(tests)
