/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-xt-packet-deep.c - translators/ext/xt-packet-deep.c */
#include "tests/unit/packet-case.h"
#include <linux/netfilter/xt_bpf.h>
#include <linux/netfilter/xt_string.h>
#include <linux/netfilter/xt_u32.h>

static void test_deep_refusals(void **state)
{
	struct xt_u32 u = { .ntests = 1 };

	TAKES(16, XT2_IPV4, "string", 1, xt_string_info, 0, 65535, "bm", "abcdefg", 7);
	TAKES(-EINVAL, XT2_IPV4, "string", 1, xt_string_info, 2, 1, "bm", "a", 1);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "bm", "", 0);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "bm", "a", 129);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "wrong", "a", 1);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "bm", "a", 1, .u.v1.flags = 4);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "0123456789abcdef", "a", 1);
	TAKES(0, XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\0\0\0a", 4);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "a", 1);
	REFUSED(XT2_IPV4, "u32", 0, xt_u32, .ntests = 12);
	REFUSED(XT2_IPV4, "u32", 0, xt_u32, .ntests = 1, .tests[0].nnums = 12);
	REFUSED(XT2_IPV4, "u32", 0, xt_u32, .ntests = 1, .tests[0].nvalues = 12);
	u.tests[0].nnums = 2;
	u.tests[0].location[1].nextop = XT_U32_LEFTSH;
	u.tests[0].location[1].number = 32;
	assert_int_equal(test_pack(XT2_IPV4, "u32", 0, &u, sizeof(u)), -EINVAL);
	u.tests[0].location[1].nextop = 9; /* the kernel skips it */
	assert_int_equal(test_pack(XT2_IPV4, "u32", 0, &u, sizeof(u)), 0);
	REFUSED(XT2_IPV4, "bpf", 0, xt_bpf_info, 0);
	REFUSED(XT2_IPV4, "bpf", 0, xt_bpf_info, 65, { { 6, 0, 0, 1 } });
	TAKES(16, XT2_IPV4, "bpf", 0, xt_bpf_info, 1, { { 6, 0, 0, 1 } });
	TAKES(16, XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 0, 1, 4, { { { 6, 0, 0, 1 } } });
	TAKES(0, XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 1, 0, 4);
	TAKES(0, XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 2, 0, 4);
	REFUSED(XT2_IPV4, "bpf", 1, xt_bpf_info_v1, 3, 1, 4, { { { 6, 0, 0, 1 } } });
	TAKES(0, XT2_IPV4, "bpf", 0, xt_bpf_info, 2,
	      { { 0x20, 0, 0, -0x1000 + 32 }, { 6, 0, 0, 1 } });
	REFUSED(XT2_IPV4, "bpf", 0, xt_bpf_info, 2,
		{ { 0x20, 0, 0, -0x1000 + 33 }, { 6, 0, 0, 1 } });
}

/* The most of each that is taken. */
static void test_deep_most(void **state)
{
	struct xt_u32 u = { .ntests = 11 };
	struct xt_bpf_info b = { .bpf_program_num_elem = 64 };
	u32 i;

	for (i = 0; i < 64; i++)
		b.bpf_program[i] = (struct sock_filter){ 6, 0, 0, 1 };
	assert_true(test_pack(XT2_IPV4, "bpf", 0, &b, sizeof(b)) > 0);
	for (i = 0; i < 11; i++)
		u.tests[i].nnums = u.tests[i].nvalues = 1;
	assert_true(test_pack(XT2_IPV4, "u32", 0, &u, sizeof(u)) > 0);
	u.tests[10].nnums = u.tests[10].nvalues = 11;
	assert_true(test_pack(XT2_IPV4, "u32", 0, &u, sizeof(u)) > 0);
	assert_true(PACK(XT2_IPV4, "string", 1, xt_string_info, 5, 5, "bm", "a", 128) > 0);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\1\0\5a", 4);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\16\0\0a", 4);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\1\0\4a", 4);
	TAKES(0, XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\15\0\4a\0\0\3b", 8);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\1\0\0a\1\0\4b", 8);
	REFUSED(XT2_IPV4, "string", 1, xt_string_info, 0, 9, "fsm", "\1\0\0a", 4,
		.u.v1.flags = XT_STRING_FLAG_IGNORECASE);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_deep_most),
	cmocka_unit_test(test_deep_refusals),
};

UNITS(tests)
