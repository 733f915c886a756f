/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-legacy-entry.c - translators/table/legacy-entry.c: payloads that the kernel changes or judges */
#include "tests/unit/legacy-case.h"

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ct),
	cmocka_unit_test(test_idletimer),
	cmocka_unit_test(test_hashlimit),
	cmocka_unit_test(test_fsm),
};

UNITS(tests)
