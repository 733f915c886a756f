/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-transaction.c - libxt2/store/transaction.c */
#include <sys/stat.h>
#include <xt2/change.h>
#include "engine/image.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/rules.h"
#include "tests/unit/store-case.h"

static struct xt2_transaction *t;

static void begin(const struct state *s)
{
	t = NULL;
	assert_int_equal(xt2_transaction_begin(s->path, 0, &t, NULL), 0);
}

static void end(void)
{
	xt2_transaction_end(t);
	t = NULL;
}

/* => 0, or why a rule could not be added */
static int add_rule(void)
{
	struct xt2_ruleset *rs = xt2_transaction_ruleset(t);
	int table = xt2_table_find(rs, XT2_IPV4, "filter");
	struct rule_build b;

	if (table < 0)
		table = xt2_table_add(rs, XT2_IPV4, "filter", NULL);
	rule_plain(&b, XT2_TARGET(XT2_T_DROP, 0));
	return table < 0 ? table
			 : xt2_rule_append(rs, xt2_chain_base(rs, table, XT2_INPUT),
					   (struct xt2_rule *)b.room, 0);
}

static u32 rules(const struct state *s)
{
	struct xt2_ruleset *rs;
	u32 n = 0;

	begin(s);
	rs = xt2_transaction_ruleset(t);
	if (xt2_ruleset_tables(rs))
		n = xt2_chain_rules(rs, xt2_chain_base(rs, 0, XT2_INPUT));
	end();
	return n;
}

static void commits(void **data)
{
	const struct state *s = *data;
	struct stat first, now;
	u32 i;

	for (i = 0; i < 4; i++) {
		begin(s);
		assert_int_equal(xt2_transaction_generation(t), i);
		assert_int_equal(add_rule(), 0);
		assert_int_equal(xt2_transaction_commit(t, NULL), 0);
		assert_int_equal(xt2_transaction_generation(t), i + 1);
		end();
		assert_int_equal(rules(s), i + 1);
		assert_int_equal(stat(s->path, i ? &now : &first), 0);
		if (i)
			assert_int_equal(now.st_ino, first.st_ino); /* it was appended to */
	}
}

static void ends_without_commit(void **data)
{
	const struct state *s = *data;

	begin(s);
	assert_int_equal(add_rule(), 0);
	end();
	assert_int_equal(rules(s), 0);
	assert_int_equal(access(s->path, F_OK), -1);
	xt2_transaction_end(NULL);
}

/* A file that others can write to is replaced. */
static void replaces(void **data)
{
	const struct state *s = *data;
	struct stat first, now;

	begin(s);
	assert_int_equal(add_rule(), 0);
	assert_int_equal(xt2_transaction_commit(t, NULL), 0);
	end();
	assert_int_equal(chmod(s->path, 0666), 0);
	assert_int_equal(stat(s->path, &first), 0);
	begin(s);
	assert_int_equal(add_rule(), 0);
	assert_int_equal(xt2_transaction_commit(t, NULL), 0);
	assert_int_equal(xt2_transaction_generation(t), 2);
	end();
	assert_int_equal(stat(s->path, &now), 0);
	assert_int_not_equal(now.st_ino, first.st_ino);
	assert_int_equal(rules(s), 2);
}

static void keeps_others_out(void **data)
{
	const struct state *s = *data;
	struct xt2_transaction *other = NULL;
	struct xt2_err err = { 0 };

	begin(s);
	assert_int_equal(xt2_transaction_begin(s->path, 0, &other, &err), -EAGAIN);
	assert_null(other);
	assert_string_not_equal(err.message, "");
	end();
	assert_int_equal(xt2_transaction_begin("/nowhere/image", 0, &other, NULL), -ENOENT);
	assert_null(other);
}

/* => 0: with all memory there was */
static int change(const struct state *s)
{
	int ret = xt2_transaction_begin(s->path, 0, &t, NULL);

	if (!ret)
		ret = add_rule();
	if (!ret)
		ret = xt2_transaction_commit(t, NULL);
	end();
	return ret;
}

static void lacks_memory(void **data)
{
	const struct state *s = *data;
	u32 i, n;
	int ret;

	for (n = 0; n < 2; n++) { /* a new file, and one that is there */
		for (i = 1, ret = -ENOMEM; ret; i++) {
			fail_alloc(i);
			ret = change(s);
			fail_alloc(0);
			/* -ENOENT: the table was not found */
			assert_true(!ret || ret == -ENOMEM || ret == -ENOENT || ret == -ENOSPC);
			assert_int_equal(rules(s), n + !ret);
		}
		assert_true(i > 5);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test_setup_teardown(commits, setup, teardown),
	cmocka_unit_test_setup_teardown(ends_without_commit, setup, teardown),
	cmocka_unit_test_setup_teardown(replaces, setup, teardown),
	cmocka_unit_test_setup_teardown(keeps_others_out, setup, teardown),
	cmocka_unit_test_setup_teardown(lacks_memory, setup, teardown),
};

UNITS(cases)
