/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ebt.c - translators/ebt/
 *
 * What ebtables sent (tests/legacy/vectors/README) and a case for each of the
 * kernel's checks (tests/legacy/ebt-cases.h), through rules and back in both
 * widths; limits; damaged tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>
#include "tests/legacy/ebt-cases.h"
#include "tests/legacy/turn.h"
#include "tests/lib/units.h"

static struct ebt_blob blob;

/* --- vectors -------------------------------------------------------------------- */

struct vector {
	int family, compat;
	u32 len;
	char name[64];
	u8 bytes[8192];
};

static u32 load(struct vector *v, u32 max)
{
	const char *top = getenv("top_srcdir");
	char path[512], what[16];
	FILE *f;
	u32 n = 0;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/ebt.vec", top ? top : ".");
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	while (n < max && fscanf(f, "%d %d %15s %u %63[^\n]", &v[n].family, &v[n].compat, what,
				 &v[n].len, v[n].name) == 5) {
		assert_int_equal(fgetc(f), '\n');
		assert_true(v[n].len <= sizeof(v[n].bytes));
		assert_int_equal(fread(v[n].bytes, 1, v[n].len, f), v[n].len);
		n++;
	}
	fclose(f);
	return n;
}

static u32 header_of(bool compat)
{
	return compat ? 80 : 120;
}

static void assert_bytes(const char *name, const u8 *a, const u8 *b, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (a[i] != b[i])
			fail_msg("%s: byte %u of %u is %02x instead of %02x", name, i, len, a[i],
				 b[i]);
}

/* Hooks' places in a header, as they should come out. */
static void assert_hooks(const struct turn *t, const u8 *h, bool compat)
{
	u64 base = compat ? ebt_get32(h + 76) : xt2_raw64(h + 112), p;
	u32 i;

	assert_int_equal(t->out.valid_hooks, ebt_get32(h + 32));
	assert_int_equal(t->out.entries, ebt_get32(h + 36));
	for (i = 0; i < NF_BR_NUMHOOKS; i++) {
		if (!(t->out.valid_hooks & 1u << i))
			continue;
		p = compat ? ebt_get32(h + 44 + 4 * i) : xt2_raw64(h + 48 + 8 * i);
		assert_int_equal(t->out.hook_entry[i], p - base);
	}
}

static void check_vector(struct turn *t, const struct vector *v, const struct vector *like)
{
	u32 size = like->len - header_of(like->compat);
	u8 *theirs = malloc(size);
	int ret = turn(t, XT2_BRIDGE, v->compat, v->bytes, v->len, like->compat, true);

	if (ret)
		fail_msg("%s: %d, %s %s", v->name, ret, t->err.what, t->why);
	memcpy(theirs, like->bytes + header_of(like->compat), size);
	ebt_mask(theirs, size, like->compat);
	assert_int_equal(t->out.size, size);
	assert_bytes(v->name, t->bytes, theirs, size);
	assert_hooks(t, like->bytes, like->compat);
	free(theirs);
}

/* Four of each: native and compat, as they were and with less garbage in them. */
static void test_vectors(void **state)
{
	static struct vector v[12];
	struct turn *t = turn_new();
	u32 n = load(v, 12), i, from, to;

	assert_int_equal(n, 12);
	for (i = 0; i < n; i += 4)
		for (from = 0; from < 4; from++)
			for (to = 0; to < 4; to++)
				check_vector(t, &v[i + from], &v[i + to]);
	turn_free(t);
}

/* --- cases ---------------------------------------------------------------------- */

static u32 hooks_of(const char *table)
{
	return !strcmp(table, "filter")	  ? 0x0e
	       : !strcmp(table, "nat")	  ? 0x19
	       : !strcmp(table, "broute") ? 0x20
					  : 0;
}

/* All that the kernel answers: the blob, then the table.  The old one has 6 rules. */
static int answer(struct turn *t, bool compat, const u8 *bytes, u32 len, bool to_compat)
{
	static u8 *copy; /* of this size, so that tools see reads behind it; until the next call */
	int ret;

	free(copy);
	copy = malloc(len ? len : 1);
	memcpy(copy, bytes, len);
	memset(&t->err, 0, sizeof(t->err));
	ret = turn(t, XT2_BRIDGE, compat, copy, len, to_compat, true);
	if (!ret)
		ret = xt2_legacy_check_table(&t->in, hooks_of(t->in.table), 6, &t->err);
	return ret;
}

static void check_case(struct turn *t, const struct ebt_case *c, bool compat)
{
	int want = ebt_case_make(&blob, c, compat, 0);
	int ret = answer(t, compat, blob.out, blob.len, compat);
	u32 size = blob.len - header_of(compat);

	if (ret && c->flags & EBT_STRICT) {
		assert_true(t->err.stricter && t->err.what);
		return;
	}
	if (ret != -want)
		fail_msg("%s, compat %d: %d instead of %d; entry %u, offset %u, %s: %s %s", c->name,
			 compat, ret, -want, t->err.entry, t->err.offset,
			 t->err.field ? t->err.field : "-", t->err.what ? t->err.what : "-",
			 t->why ? t->why : "");
	if (ret) {
		assert_non_null(t->err.what);
		assert_true(t->err.offset <= blob.len && !t->err.stricter);
		return;
	}
	if (c->flags & EBT_OTHER)
		return;
	assert_int_equal(t->out.size, size);
	assert_bytes(c->name, t->bytes, blob.out + header_of(compat), size);
}

static void test_cases(void **state)
{
	struct turn *t = turn_new();
	u32 i;

	for (i = 0; i < EBT_CASES; i++) {
		check_case(t, &ebt_cases[i], false);
		check_case(t, &ebt_cases[i], true);
	}
	turn_free(t);
}

/* CVE-2018-1068: offsets of a 32-bit program's rules that lead back or out. */
static void test_cve_2018_1068(void **state)
{
	struct turn *t = turn_new();
	u32 i, n = 0;

	for (i = 0; i < EBT_CASES; i++) {
		if (strncmp(ebt_cases[i].name, "cve_2018_1068", 13))
			continue;
		assert_int_equal(ebt_case_make(&blob, &ebt_cases[i], true, 0), EINVAL);
		assert_int_equal(answer(t, true, blob.out, blob.len, false), -EINVAL);
		n++;
	}
	assert_int_equal(n, 6);
	turn_free(t);
}

/* What passes in one width comes out in the other as it would have been sent there. */
static void test_widths(void **state)
{
	static struct ebt_blob small;
	struct turn *t = turn_new();
	u32 i;

	for (i = 0; i < EBT_CASES; i++) {
		const struct ebt_case *c = &ebt_cases[i];

		if (c->native || c->compat || c->flags & (EBT_OTHER | EBT_STRICT))
			continue;
		ebt_case_make(&blob, c, false, 0);
		ebt_case_make(&small, c, true, 0);
		assert_int_equal(answer(t, false, blob.out, blob.len, true), 0);
		assert_int_equal(t->out.size, small.len - 80);
		assert_bytes(c->name, t->bytes, small.out + 80, small.len - 80);
		assert_int_equal(answer(t, true, small.out, small.len, false), 0);
		assert_int_equal(t->out.size, blob.len - 120);
		assert_int_equal(t->in.native_size, blob.len - 120);
		assert_bytes(c->name, t->bytes, blob.out + 120, blob.len - 120);
	}
	turn_free(t);
}

/* What the kernel itself changes in a payload. */
static void test_fixed(void **state)
{
	static const struct {
		const char *name;
		u32 offset; /* in the payload */
		u8 value;
	} rows[] = {
		{ "vlan_prio_ignored", offsetof(struct ebt_vlan_info, bitmask), EBT_VLAN_ID },
		{ "log", offsetof(struct ebt_log_info, prefix) + 29, 0 },
		{ "nflog", offsetof(struct ebt_nflog_info, prefix) + 63, 0 },
	};
	struct turn *t = turn_new();
	u32 i, j, at;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		for (j = 0; j < EBT_CASES && strcmp(ebt_cases[j].name, rows[i].name); j++)
			;
		ebt_case_make(&blob, &ebt_cases[j], false, 0);
		at = blob.rule[0] + 112 + 40 + rows[i].offset;
		assert_int_not_equal(blob.out[120 + at], rows[i].value);
		assert_int_equal(answer(t, false, blob.out, blob.len, false), 0);
		assert_int_equal(t->bytes[at], rows[i].value);
		blob.out[120 + at] = rows[i].value;
		assert_bytes(rows[i].name, t->bytes, blob.out + 120, blob.len - 120);
	}
	turn_free(t);
}

/* --- odd ways in ------------------------------------------------------------------ */

/* 32-bit programs may send what 64-bit ones do; any error of that is EINVAL. */
static void test_fallback(void **state)
{
	struct turn *t = turn_new();

	ebt_sample_whole(&blob, true, true);
	ebt_finish(&blob);
	assert_int_equal(answer(t, true, blob.out, blob.len, false), 0);
	assert_false(t->in.compat);
	assert_bytes("sample", t->bytes, blob.out + 120, blob.len - 120);
	strcpy((char *)blob.out, "mangle");
	assert_int_equal(answer(t, true, blob.out, blob.len, false), -EINVAL);
	strcpy((char *)blob.out, "filter");
	ebt_put32(blob.out + 120 + blob.rule[0] + 112, 0x7a7a7a7a); /* an unknown match */
	assert_int_equal(answer(t, true, blob.out, blob.len, false), -EINVAL);
	assert_int_equal(answer(t, false, blob.out, blob.len, false), -ENOENT);
	turn_free(t);
}

/* The pointer to the entries may be anything, and hooks' wrap around it. */
static void test_pointers(void **state)
{
	static const u64 bases[] = { 0, 1, 0xfffffff0, 0x80000001 };
	struct turn *t = turn_new();
	u32 i;

	for (i = 0; i < 8; i++) {
		bool compat = i % 2;

		ebt_sample_whole(&blob, compat, false);
		blob.base = bases[i / 2] | (compat ? 0 : bases[i / 2] << 32);
		ebt_finish(&blob);
		/* a 32-bit pointer past the end of memory does not wrap in the kernel */
		assert_int_equal(answer(t, compat, blob.out, blob.len, compat),
				 compat && bases[i / 2] == 0xfffffff0 ? -EINVAL : 0);
	}
	turn_free(t);
}

static void test_alignment(void **state)
{
	struct turn *t = turn_new();
	u8 *odd = malloc(70000);
	u32 shift, compat;

	for (compat = 0; compat < 2; compat++)
		for (shift = 1; shift < 8; shift++) {
			ebt_sample_whole(&blob, compat, false);
			ebt_finish(&blob);
			memcpy(odd + shift, blob.out, blob.len);
			assert_int_equal(turn(t, XT2_BRIDGE, compat, odd + shift, blob.len, compat,
					      true),
					 0);
			assert_bytes("sample", t->bytes, blob.out + header_of(compat),
				     blob.len - header_of(compat));
		}
	free(odd);
	turn_free(t);
}

/* Every length of a table but its own is refused. */
static void test_lengths(void **state)
{
	struct turn *t = turn_new();
	u32 len, compat;

	for (compat = 0; compat < 2; compat++) {
		ebt_sample_whole(&blob, compat, false);
		ebt_finish(&blob);
		for (len = 0; len < blob.len; len++)
			assert_int_equal(answer(t, compat, blob.out, len, false), -EINVAL);
		for (len = 1; len < blob.len - header_of(compat); len++) {
			ebt_put32(blob.out + 40, len);
			assert_int_not_equal(
				answer(t, compat, blob.out, header_of(compat) + len, false), 0);
		}
	}
	turn_free(t);
}

/* The kernel takes such a chain's rules for a base chain's, and what follows for a user chain's. */
static void test_order(void **state)
{
	struct turn *t = turn_new();

	ebt_begin(&blob, false, false, "filter");
	ebt_chain(&blob, 1, "INPUT", EBT_ACCEPT);
	ebt_chain(&blob, 2, "FORWARD", EBT_ACCEPT);
	ebt_chain(&blob, -1, "between", EBT_RETURN);
	ebt_chain(&blob, 3, "OUTPUT", EBT_DROP);
	ebt_finish(&blob);
	assert_int_equal(answer(t, false, blob.out, blob.len, false), -EINVAL);
	assert_true(t->err.stricter);
	turn_free(t);
}

/* Extensions see the hooks that lead to a user chain, and whether it is a base chain. */
static void test_hooks(void **state)
{
	struct ebt_redirect_info info = { EBT_RETURN };
	struct turn *t = turn_new();
	u32 from;

	for (from = 0; from < 3; from++) {
		ebt_begin(&blob, false, false, "nat");
		ebt_chain(&blob, 0, "PREROUTING", EBT_ACCEPT);
		ebt_rule(&blob);
		ebt_verdict(&blob, EBT_ACCEPT);
		ebt_chain(&blob, 3, "OUTPUT", EBT_ACCEPT);
		ebt_rule(&blob);
		ebt_verdict(&blob, EBT_ACCEPT);
		ebt_chain(&blob, 4, "POSTROUTING", EBT_ACCEPT);
		ebt_chain(&blob, -1, "user", EBT_RETURN);
		ebt_rule(&blob);
		EBT_TARGET(&blob, "redirect", info);
		ebt_count(&blob);
		if (from < 2)
			ebt_jump(&blob, from, 3);
		ebt_finish(&blob);
		/* from nowhere, or PREROUTING; not from OUTPUT */
		assert_int_equal(answer(t, false, blob.out, blob.len, false),
				 from == 1 ? -EINVAL : 0);
	}
	turn_free(t);
}

/* --- policies ---------------------------------------------------------------------- */

static void test_policies(void **state)
{
	static const struct {
		int policy;
		u8 target;
	} rows[] = {
		{ EBT_ACCEPT, XT2_T_ACCEPT },
		{ EBT_DROP, XT2_T_DROP },
		{ EBT_RETURN, XT2_T_RETURN },
	};
	struct turn *t = turn_new();
	struct xt2_legacy_chain c;
	const struct xt2_rule *r;
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		ebt_begin(&blob, false, false, "broute");
		ebt_chain(&blob, 5, "BROUTING", EBT_ACCEPT);
		ebt_chain(&blob, -1, "user", rows[i].policy);
		/* a rule that looks like a policy, and is not the last */
		ebt_rule(&blob);
		ebt_verdict(&blob, EBT_DROP);
		ebt_count(&blob);
		ebt_finish(&blob);
		assert_int_equal(answer(t, false, blob.out, blob.len, false), 0);
		assert_bytes("policies", t->bytes, blob.out + 120, blob.len - 120);
		xt2_legacy_chain(&t->in, 1, &c);
		assert_int_equal(c.entries, 1);
		assert_int_equal(c.rules, 2);
		turn_forget(t);
		assert_int_equal(xt2_legacy_rule(&t->in, &c, &t->sink), 1);
		assert_int_equal(xt2_legacy_rule(&t->in, &c, &t->sink), 1);
		r = (const struct xt2_rule *)t->sink.rule;
		assert_int_equal(r->target, rows[i].target);
		assert_int_equal(xt2_legacy_rule(&t->in, &c, &t->sink), 0);
	}
	turn_free(t);
}

/* --- the writer's refusals --------------------------------------------------------- */

static const struct xt2_instance *no_instance(void *data, u32 number)
{
	return data;
}

/* One rule in FORWARD, and its policy.  => what the end answers */
static int write_one(struct turn *t, const struct xt2_rule *r, const struct xt2_instance *in,
		     bool compat)
{
	static u8 out[8192];
	static u32 place[2];
	const struct xt2_rule policy = { .size = 24, .target_offset = 24, .target = XT2_T_ACCEPT };
	struct xt2_legacy_writer *w = &t->out;

	xt2_legacy_write_begin(w, XT2_BRIDGE, compat, out, sizeof(out), place, 2, no_instance,
			       (void *)in);
	xt2_legacy_write_chain(w, 0, XT2_FORWARD, "");
	xt2_legacy_write_rule(w, r);
	xt2_legacy_write_rule(w, &policy);
	return xt2_legacy_write_end(w, NULL);
}

struct made {
	struct xt2_rule rule;
	u64 matches[16];
};

static void made_add(struct made *m, u8 type, u8 flags, u32 arg, const void *payload, u32 size)
{
	u8 *at = (u8 *)m + m->rule.size;
	struct xt2_match head = { type, flags, (u16)(8 + size), arg };

	memcpy(at, &head, sizeof(head));
	if (size)
		memcpy(at + 8, payload, size);
	m->rule.size = m->rule.target_offset = (u16)(m->rule.size + 8 + size);
}

static struct made made_begin(u32 target)
{
	return (struct made){ .rule = { .size = 24, .target_offset = 24, .target = target } };
}

static void test_unwritable(void **state)
{
	struct {
		struct xt2_instance head;
		u64 data[4];
	} in = { .head = { .kind = XT2_INSTANCE_MATCH, .size = 24, .name = "mark_m" } };
	struct turn *t = turn_new();
	struct made m;

	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_ETH_TYPE, 0, 0x800, NULL, 0);
	assert_int_equal(write_one(t, &m.rule, NULL, false), 0);
	made_add(&m, XT2_M_ETH_LENGTH, 0, 0, NULL, 0);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_IN, 0, 3, "a\1b\0\0\0\0", 8); /* the kernel would stop at the 1 */
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_OUT, 0, 4, "a\0b\0\0\0\0", 8);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_IN_MASK, 0, 0,
		 "eth0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\0\0\0\0\0\0\0\0\0\0\0\0", 32);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	/* marks are longs: what a 32-bit program cannot be told is refused */
	m = made_begin(XT2_T_DROP);
	made_add(&m, XT2_M_FOREIGN, 0, 0, NULL, 0);
	in.data[2] = 0x0100; /* EBT_MARK_AND */
	assert_int_equal(write_one(t, &m.rule, &in.head, true), 0);
	in.data[1] = 1ull << 32;
	assert_int_equal(write_one(t, &m.rule, &in.head, false), 0);
	assert_int_equal(write_one(t, &m.rule, &in.head, true), -EOPNOTSUPP);
	in.head.size = 16;
	assert_int_equal(write_one(t, &m.rule, &in.head, false), -EOPNOTSUPP);
	strcpy(in.head.name, "nosuch");
	assert_int_equal(write_one(t, &m.rule, &in.head, false), -EOPNOTSUPP);
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EINVAL);
	/* no jumps to base chains, or out of the table */
	m = made_begin(XT2_TARGET(XT2_T_JUMP, 0));
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EOPNOTSUPP);
	m = made_begin(XT2_TARGET(XT2_T_JUMP, 1));
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EINVAL);
	m = made_begin(XT2_TARGET(XT2_T_JUMP, 2));
	assert_int_equal(write_one(t, &m.rule, NULL, false), -EINVAL);
	turn_free(t);
}

static void test_writer(void **state)
{
	const struct xt2_rule plain = { .size = 24, .target_offset = 24, .target = XT2_T_RETURN };
	struct xt2_legacy_writer *w = malloc(sizeof(*w));
	u32 place[3];

	assert_int_equal(xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3,
						no_instance, NULL),
			 0);
	assert_int_equal(xt2_legacy_write_chain(w, 0, XT2_FORWARD, ""), 0);
	assert_int_equal(xt2_legacy_write_rule(w, &plain), 0); /* not a base chain's policy */
	assert_int_equal(xt2_legacy_write_chain(w, 1, XT2_HOOK_NONE, "a"), -EINVAL);
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(xt2_legacy_write_rule(w, &plain), -EINVAL);
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(xt2_legacy_write_chain(w, 0, XT2_HOOK_NONE, ""), -EINVAL);
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(
		xt2_legacy_write_chain(w, 0, XT2_HOOK_NONE, "0123456789012345678901234567890"), 0);
	assert_int_equal(xt2_legacy_write_end(w, NULL), -EINVAL); /* no policy */
	xt2_legacy_write_begin(w, XT2_BRIDGE, false, NULL, 0, place, 3, no_instance, NULL);
	assert_int_equal(xt2_legacy_write_chain(w, 0, 6, ""), -EINVAL);
	free(w);
}

static void test_revisions(void **state)
{
	static const struct {
		bool target;
		const char *name;
		u8 revision;
		int answer;
	} rows[] = {
		{ false, "among", 0, 0 },
		{ false, "limit", 0, 0 },
		{ false, "limit", 1, -EPROTONOSUPPORT },
		{ false, "mark", 1, 0 },
		{ false, "mark", 7, -EPROTONOSUPPORT },
		{ false, "tcp", 0, -ENOENT },
		{ true, "mark", 0, 0 },
		{ true, "log", 1, -EPROTONOSUPPORT },
		{ true, "NFQUEUE", 0, -ENOENT },
		{ true, "MARK", 2, -ENOENT },
	};
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++)
		assert_int_equal(xt2_legacy_revision(XT2_BRIDGE, rows[i].target, rows[i].name,
						     rows[i].revision),
				 rows[i].answer);
}

/* --- time --------------------------------------------------------------------------- */

/* A chain of n chains, each jumping twice to the next, or to itself at the end. */
static u8 *ladder(u32 n, bool loop, u32 *len)
{
	u32 chain = 48 + 2 * (112 + 48), size = 48 + (112 + 48) + n * chain, i, j, to;
	u8 *all = calloc(1, 120 + size), *at = all + 120;

	strcpy((char *)all, "broute");
	ebt_put32(all + 32, 0x20);
	ebt_put32(all + 36, 1 + 2 * n);
	ebt_put32(all + 40, size);
	for (i = 0; i <= n; i++) {
		sprintf((char *)at + 4, "c%u", i);
		ebt_put32(at + 36, i ? 2 * i - 1 : 0);
		ebt_put32(at + 40, (u32)(i ? EBT_RETURN : EBT_ACCEPT));
		ebt_put32(at + 44, i ? 2 : 1);
		at += 48;
		to = 48 + 160 + (i < n ? i : loop ? n / 2 : 0) * chain;
		for (j = 0; j < (i ? 2 : 1); j++, at += 160) {
			ebt_put32(at, 3);
			ebt_put32(at + 100, 112);
			ebt_put32(at + 104, 112);
			ebt_put32(at + 108, 160);
			strcpy((char *)at + 112, "standard");
			ebt_put32(at + 144, 8);
			ebt_put32(at + 152, i < n || loop ? to : (u32)EBT_DROP);
		}
	}
	*len = 120 + size;
	return all;
}

static void test_ladder(void **state)
{
	struct turn *t = turn_new();
	u32 len;
	u8 *all = ladder(8000, false, &len);

	assert_int_equal(turn(t, XT2_BRIDGE, false, all, len, true, true), 0);
	assert_int_equal(t->in.chains, 8001);
	free(all);
	all = ladder(8000, true, &len);
	assert_int_equal(turn(t, XT2_BRIDGE, false, all, len, true, true), -EINVAL);
	assert_string_equal(t->err.what, "chains loop");
	free(all);
	turn_free(t);
}

/* Heads cost 48 bytes and nothing limits their number. */
static void test_heads(void **state)
{
	const u32 n = 300000;
	struct turn *t = turn_new();
	u8 *all = calloc(1, 120 + n * 48), *at = all + 120;
	u32 i;

	strcpy((char *)all, "broute");
	ebt_put32(all + 32, 0x20);
	ebt_put32(all + 40, n * 48);
	for (i = 0; i < n; i++, at += 48) {
		sprintf((char *)at + 4, "c%u", i);
		ebt_put32(at + 40, (u32)EBT_DROP);
	}
	assert_int_equal(turn(t, XT2_BRIDGE, false, all, 120 + n * 48, false, false), 0);
	assert_int_equal(t->in.chains, n);
	free(all);
	turn_free(t);
}

/* --- damage -------------------------------------------------------------------------- */

/* What was taken comes out in a form that does not change any more. */
static void assert_settles(struct turn *t, bool compat)
{
	u32 header = header_of(compat), size = (u32)t->out.size, i;
	u8 *again = calloc(1, header + size);

	memcpy(again, t->in.table, 32);
	ebt_put32(again + 32, t->out.valid_hooks);
	ebt_put32(again + 36, t->out.entries);
	ebt_put32(again + 40, size);
	for (i = 0; i < NF_BR_NUMHOOKS; i++)
		if (t->out.valid_hooks & 1u << i)
			ebt_put32(again + (compat ? 44 + 4 * i : 48 + 8 * i), t->out.hook_entry[i]);
	memcpy(again + header, t->bytes, size);
	assert_int_equal(turn(t, XT2_BRIDGE, compat, again, header + size, compat, true), 0);
	assert_int_equal(t->out.size, size);
	assert_bytes("settled", t->bytes, again + header, size);
	free(again);
}

static void check_damaged(struct turn *t, u32 number, u32 *taken)
{
	const struct ebt_case *c = &ebt_cases[ebt_below(EBT_CASES)];
	bool compat = ebt_below(2), to = ebt_below(2);
	int ret;

	ebt_case_make(&blob, c, compat, 0);
	ebt_damage(blob.out, blob.len);
	ret = answer(t, compat, blob.out, blob.len, to);
	if (t->why && ret != -EOPNOTSUPP)
		fail_msg("%u, %s, compat %d: %d %s", number, c->name, compat, ret, t->why);
	if (ret > 0 || (ret && !t->why && !t->err.what))
		fail_msg("%u, %s, compat %d: %d without a reason", number, c->name, compat, ret);
	if (ret || t->why)
		return;
	(*taken)++;
	assert_settles(t, to);
}

static void test_damaged(void **state)
{
	const char *seed = getenv("XT2_SEED"), *runs = getenv("XT2_RUNS");
	u32 n = runs ? (u32)atoi(runs) : 30000, i, taken = 0;
	u64 start = seed ? strtoull(seed, NULL, 0) : (u64)time(NULL);
	struct turn *t = turn_new();

	print_message("XT2_SEED=%llu XT2_RUNS=%u\n", (unsigned long long)start, n);
	ebt_random = start;
	for (i = 0; i < n; i++)
		check_damaged(t, i, &taken);
	assert_true(taken > n / 100);
	turn_free(t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_vectors),	      cmocka_unit_test(test_cases),
	cmocka_unit_test(test_cve_2018_1068), cmocka_unit_test(test_widths),
	cmocka_unit_test(test_fixed),	      cmocka_unit_test(test_fallback),
	cmocka_unit_test(test_pointers),      cmocka_unit_test(test_alignment),
	cmocka_unit_test(test_lengths),	      cmocka_unit_test(test_order),
	cmocka_unit_test(test_hooks),	      cmocka_unit_test(test_policies),
	cmocka_unit_test(test_unwritable),    cmocka_unit_test(test_writer),
	cmocka_unit_test(test_revisions),     cmocka_unit_test(test_ladder),
	cmocka_unit_test(test_heads),	      cmocka_unit_test(test_damaged),
};

UNITS(tests)
