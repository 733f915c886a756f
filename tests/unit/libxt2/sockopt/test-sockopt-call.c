/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-sockopt-call.c - libxt2/sockopt/sockopt-call.c: the parts of a call that is answered */
#include "libxt2/sockopt/sockopt-call.h"
#include "tests/lib/fail-alloc.h"
#include "tests/unit/ruleset-case.h"

static u8 memory[32]; /* of the caller */

static int reads(void *data, __u64 from, void *to, size_t size)
{
	if (from + size > sizeof(memory))
		return -EFAULT;
	memcpy(to, memory + from, size);
	return 0;
}

static int writes(void *data, __u64 to, const void *from, size_t size)
{
	if (to + size > sizeof(memory))
		return -EFAULT;
	memcpy(memory + to, from, size);
	return 0;
}

static const struct xt2_sockopt_caller caller = { .read = reads, .write = writes };
static struct xt2_err err;

static struct xt2_call_ begin(struct xt2_ruleset *rs)
{
	memset(memory, 0, sizeof(memory));
	memset(&err, 0, sizeof(err));
	return (struct xt2_call_){ .rs = rs, .caller = &caller, .family = XT2_IPV4, .err = &err };
}

static void failures_have_a_code(void **state)
{
	static const struct {
		int errnum;
		int code;
	} rows[] = {
		{ ENOENT, XT2_E_UNKNOWN }, { EPROTONOSUPPORT, XT2_E_UNKNOWN },
		{ EINVAL, XT2_E_BLOB },	   { EFAULT, XT2_E_SYSTEM },
		{ ENOMEM, XT2_E_SYSTEM },
	};
	struct xt2_call_ call = begin(*state);
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		assert_int_equal(xt2_call_fail_(&call, rows[i].errnum, "why"), -rows[i].errnum);
		assert_int_equal(err.code, rows[i].code);
		assert_int_equal(err.errnum, rows[i].errnum);
		assert_string_equal(err.message, "why");
	}
	assert_int_equal(xt2_call_length_(&call), -EINVAL);
	assert_int_equal(err.code, XT2_E_BLOB);
}

static void memory_is_the_callers(void **state)
{
	struct xt2_call_ call = begin(*state);
	char bytes[8] = "";

	assert_int_equal(xt2_call_write_(&call, 24, "1234567", 8), 0);
	assert_string_equal(memory + 24, "1234567");
	assert_int_equal(xt2_call_read_(&call, bytes, 24, 8), 0);
	assert_string_equal(bytes, "1234567");
	assert_int_equal(err.code, 0);
	assert_int_equal(xt2_call_write_(&call, 25, "abcdefg", 8), -EFAULT);
	assert_string_equal(err.message, "the caller's memory cannot be written");
	assert_int_equal(xt2_call_read_(&call, bytes, 25, 8), -EFAULT);
	assert_string_equal(err.message, "the caller's memory cannot be read");
	assert_string_equal(memory + 24, "1234567");
}

static void tables_come_into_being(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_call_ call = begin(rs);

	assert_int_equal(xt2_call_table_(&call, "filter"), FILTER);
	assert_int_equal(xt2_call_table_(&call, "nat"), NAT);
	assert_false(call.added);
	assert_int_equal(xt2_call_table_(&call, "nonesuch"), -ENOENT);
	assert_int_equal(err.code, XT2_E_UNKNOWN);
	assert_false(call.added);
	assert_int_equal(xt2_call_table_(&call, "raw"), 3);
	assert_true(call.added);
	assert_int_equal(xt2_ruleset_tables(rs), 4);
	call.added = false;
	call.family = XT2_IPV6; /* which has no nat yet */
	assert_int_equal(xt2_call_table_(&call, "nat"), 4);
	assert_true(call.added);
}

static const struct CMUnitTest tests[] = {
	CASE(failures_have_a_code),
	CASE(memory_is_the_callers),
	CASE(tables_come_into_being),
};

UNITS(tests)
