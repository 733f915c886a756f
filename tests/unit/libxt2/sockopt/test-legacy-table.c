/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-table.c - libxt2/sockopt/legacy-table.c: what SET_REPLACE was given becomes a table */
#include "libxt2/sockopt/legacy-table.h"
#include "tests/unit/ruleset-case.h"

static void *blob;
static size_t len;

/* IPv4's filter with a rule, a chain, and counters. */
static void make(struct xt2_ruleset *rs)
{
	struct xt2_count_ add[8] = { { 1, 100 }, { 2, 200 } };

	append(rs, xt2_chain_base(rs, FILTER, XT2_INPUT), DROP);
	append(rs, xt2_chain_add(rs, FILTER, "USER"), ACCEPT);
	assert_int_equal(xt2_entries_add_(rs, FILTER, add), 1);
	assert_int_equal(xt2_table_write_replace(rs, FILTER, 0, NULL, &blob, &len, NULL), 0);
}

static u64 packets_of(const struct xt2_ruleset *rs)
{
	__u64 packets, bytes;

	xt2_chain_counters(rs, xt2_chain_base(rs, FILTER, XT2_INPUT), &packets, &bytes);
	assert_int_equal(bytes, 100 * packets);
	return packets;
}

static void a_table_comes_back(void **state)
{
	struct xt2_ruleset *rs = *state, *other = xt2_ruleset_new();
	void *again;
	size_t size;
	int table;

	make(rs);
	table = xt2_table_read_replace(other, XT2_IPV4, 0, blob, len, 1, NULL);
	assert_int_equal(table, FILTER);
	assert_int_equal(xt2_chain_rules(other, xt2_chain_base(other, table, XT2_INPUT)), 1);
	assert_true(xt2_chain_find(other, table, "USER") >= 0);
	assert_int_equal(packets_of(other), 2);
	assert_int_equal(xt2_table_write_replace(other, table, 0, NULL, &again, &size, NULL), 0);
	assert_int_equal(size, len);
	assert_memory_equal(again, blob, len);
	free(again);
	free(blob);
	xt2_ruleset_free(other);
}

/* The last letters of two chains' names in the blob change places. */
static void swap_names(const char *one, const char *other)
{
	char *a = memmem(blob, len, one, strlen(one) + 1);
	char *b = memmem(blob, len, other, strlen(other) + 1);

	assert_true(a && b);
	memcpy(a, other, strlen(other));
	memcpy(b, one, strlen(one));
}

/* Chains in the order of their names stay in it; any other order is kept. */
static void chains_keep_their_order(void **state)
{
	struct xt2_ruleset *rs = *state, *other;
	void *again;
	size_t size;
	int i, table, chain;

	append(rs, xt2_chain_add(rs, FILTER, "CHAIN1"), ACCEPT);
	append(rs, xt2_chain_add(rs, FILTER, "CHAIN3"), ACCEPT);
	assert_int_equal(xt2_table_write_replace(rs, FILTER, 0, NULL, &blob, &len, NULL), 0);
	for (i = 0; i < 2; i++) {
		other = xt2_ruleset_new();
		table = xt2_table_read_replace(other, XT2_IPV4, 0, blob, len, 1, NULL);
		assert_int_equal(
			xt2_table_write_replace(other, table, 0, NULL, &again, &size, NULL), 0);
		assert_int_equal(size, len);
		assert_memory_equal(again, blob, len);
		free(again);
		xt2_chain_add(other, table, "CHAIN2");
		chain = xt2_chain_find(other, table, "CHAIN1");
		chain = xt2_chain_next(other, table, chain);
		assert_string_equal(xt2_chain_name(other, chain), "CHAIN2");
		xt2_ruleset_free(other);
		swap_names("CHAIN1", "CHAIN3");
	}
	free(blob);
}

static void the_old_tables_counters_are_asked_for(void **state)
{
	struct xt2_ruleset *rs = *state;
	u32 *num_counters;

	make(rs);
	num_counters = (u32 *)((u8 *)blob + 84); /* of struct ipt_replace */
	*num_counters = 7;
	assert_int_equal(xt2_table_read_replace(rs, XT2_IPV4, 0, blob, len, 0, NULL), -EAGAIN);
	assert_int_equal(packets_of(rs), 2);
	*num_counters = 8;
	assert_int_equal(xt2_table_read_replace(rs, XT2_IPV4, 0, blob, len, 0, NULL), FILTER);
	assert_int_equal(packets_of(rs), 0);
	free(blob);
}

static void what_is_cut_changes_nothing(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_err err;
	size_t size;

	make(rs);
	for (size = 0; size < len; size += 8) {
		assert_true(xt2_table_read_replace(rs, XT2_IPV4, 0, blob, size, 1, &err) < 0);
		assert_true(err.message[0] != '\0');
	}
	assert_true(xt2_table_read_replace(rs, XT2_ARP, 0, blob, len, 1, &err) < 0);
	assert_true(xt2_table_read_replace(rs, 77, 0, blob, len, 1, &err) < 0);
	memcpy(blob, "nonesuch", 9);
	assert_int_equal(xt2_table_read_replace(rs, XT2_IPV4, 0, blob, len, 1, &err), -ENOENT);
	assert_int_equal(packets_of(rs), 2);
	assert_int_equal(xt2_chain_rules(rs, xt2_chain_base(rs, FILTER, XT2_INPUT)), 1);
	free(blob);
}

static const struct CMUnitTest tests[] = {
	CASE(a_table_comes_back),
	CASE(chains_keep_their_order),
	CASE(the_old_tables_counters_are_asked_for),
	CASE(what_is_cut_changes_nothing),
};

UNITS(tests)
