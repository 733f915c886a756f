/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-refused.c - libxt2/store/bpf/bpf-refused.c: what an errno of bpf(2) is said to mean */
#include <errno.h>
#include <string.h>
#include "libxt2/store/bpf/bpf-private.h"
#include "tests/lib/unit-program.h"

static void reasons_are_named(void **state)
{
	struct xt2_err err = { 0 };

	assert_int_equal(xt2_live_refused_(EPERM, &err), -EPERM);
	assert_string_equal(err.message, "live rulesets are root's");
	assert_non_null(strstr(err.hint, "CAP_BPF"));
	assert_int_equal(xt2_live_refused_(ENOMEM, &err), -ENOMEM);
	assert_int_equal(err.code, XT2_E_SYSTEM);
	assert_int_equal(xt2_live_refused_(ENOSYS, &err), -EOPNOTSUPP);
	assert_int_equal(err.code, XT2_E_UNSUPPORTED);
	assert_non_null(strstr(err.message, "CONFIG_BPF_SYSCALL"));
}

static void others_are_a_kernel_that_lacks_something(void **state)
{
	struct xt2_err err = { 0 };

	/* which it is, depends on the kernel below */
	assert_int_equal(xt2_live_refused_(EINVAL, &err), -EOPNOTSUPP);
	assert_int_equal(err.code, XT2_E_UNSUPPORTED);
	assert_non_null(strstr(err.message, "kernel"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reasons_are_named),
	cmocka_unit_test(others_are_a_kernel_that_lacks_something),
};

UNITS(tests)
