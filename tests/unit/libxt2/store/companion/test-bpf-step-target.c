/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-bpf-step-target.c - libxt2/store/companion/bpf-step-target.c: bytes are what twins.sh compares */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"
#include "libxt2/store/companion/bpf-left.h"

#include <linux/netfilter/xt_CT.h>

static char names[128];

static int note(struct nftnl_expr *e, void *data)
{
	strcat(strcat(names, nftnl_expr_get_str(e, NFTNL_EXPR_NAME)), " ");
	return 0;
}

static struct nftnl_rule *made(const char *name, u8 family, u64 word)
{
	struct xt2_left_ext ext = { .size = 8, .data = { word } };
	struct nftnl_rule *rule = nftnl_rule_alloc();

	assert_non_null(rule);
	strcpy(ext.name, name);
	assert_int_equal(xt2_step_put_(rule, &ext, family), 0);
	*names = 0;
	nftnl_expr_foreach(rule, note, NULL);
	return rule;
}

static void test_names(void **state)
{
	static const char *const rows[][2] = {
		{ "MARK", "target " },
		{ "TEE", "target " },
		{ "NOTRACK", "notrack " },
		{ "CT", "immediate ct " },
		{ "DSCP", "payload bitwise payload " },
		{ "TOS", "payload bitwise payload " },
		{ "TTL", "payload bitwise payload " },
		{ "HL", "payload bitwise payload " },
		{ "CHECKSUM", "target " },
	};
	u32 i;

	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		nftnl_rule_free(made(rows[i][0], i % 2 ? XT2_IPV6 : XT2_IPV4, 0));
		assert_string_equal(names, rows[i][1]);
	}
}

/* In the bytes of the packet's second word, counts of hops are first in IPv4 and second in IPv6. */
static int mask(struct nftnl_expr *e, void *data)
{
	u32 size;
	const void *at;

	if (strcmp(nftnl_expr_get_str(e, NFTNL_EXPR_NAME), "bitwise"))
		return 0;
	at = nftnl_expr_get(e, NFTNL_EXPR_BITWISE_MASK, &size);
	assert_int_equal(size, 2);
	memcpy(data, at, 2);
	memcpy((u8 *)data + 2, nftnl_expr_get(e, NFTNL_EXPR_BITWISE_XOR, &size), 2);
	return 0;
}

static void expect(struct nftnl_rule *rule, u32 bytes)
{
	u8 found[4] = { 0 };

	nftnl_expr_foreach(rule, mask, found);
	nftnl_rule_free(rule);
	assert_int_equal((u32)found[0] << 24 | found[1] << 16 | found[2] << 8 | found[3], bytes);
}

static void test_bytes(void **state)
{
	expect(made("TTL", XT2_IPV4, 9 << 8), 0x00ff0900);
	expect(made("HL", XT2_IPV6, 9 << 8), 0xff000009);
	expect(made("DSCP", XT2_IPV4, 0x2e), 0xff0300b8);
	expect(made("DSCP", XT2_IPV6, 0x2e), 0xf03f0b80);
	expect(made("TOS", XT2_IPV4, 0x10 | 0x3f << 8), 0xffc00010);
}

static int direction(struct nftnl_expr *e, void *data)
{
	if (!strcmp(nftnl_expr_get_str(e, NFTNL_EXPR_NAME), "ct"))
		*(int *)data = nftnl_expr_is_set(e, NFTNL_EXPR_CT_DIR)
				       ? nftnl_expr_get_u8(e, NFTNL_EXPR_CT_DIR)
				       : -1;
	return 0;
}

/* Not tracked; in a zone, in one direction or in both. */
static void test_connections(void **state)
{
	static const struct {
		u16 flags;
		int direction;
	} rows[] = { { 0, -1 }, { XT_CT_ZONE_DIR_ORIG, 0 }, { XT_CT_ZONE_DIR_REPL, 1 } };
	struct nftnl_rule *rule = made("CT", XT2_IPV6, XT_CT_NOTRACK);
	int found;
	u32 i;

	assert_string_equal(names, "notrack ");
	nftnl_rule_free(rule);
	for (i = 0; i < XT2_ARRAY_SIZE(rows); i++) {
		rule = made("CT", XT2_IPV4, rows[i].flags | 7u << 16);
		nftnl_expr_foreach(rule, direction, &found);
		nftnl_rule_free(rule);
		assert_int_equal(found, rows[i].direction);
	}
}

static bool bound(const char *name, u8 revision, const void *data, u32 size)
{
	struct xt2_left_ext ext = { .revision = revision, .size = size };

	strcpy(ext.name, name);
	memcpy(ext.data, data, size);
	return xt2_step_is_bound_(&ext);
}

/* What nf_tables has no expression for. */
static void test_bound(void **state)
{
	const struct xt_ct_target_info_v1 zone = { .zone = 7 }, helper = { .helper = "ftp" },
					  timeout = { .timeout = "a" }, events = { .ct_events = 1 },
					  mark = { .flags = XT_CT_ZONE_MARK },
					  untracked = { .flags = XT_CT_NOTRACK, .helper = "x" };
	static const char checksum[8] = { 1 };

	assert_true(bound("CHECKSUM", 0, checksum, 8));
	assert_true(bound("TRACE", 0, checksum, 0));
	assert_false(bound("TTL", 0, checksum, 8));
	assert_false(bound("CT", 2, &zone, sizeof(zone)));
	assert_false(bound("CT", 2, &untracked, sizeof(zone)));
	assert_true(bound("CT", 2, &helper, sizeof(zone)));
	assert_true(bound("CT", 2, &events, sizeof(zone)));
	assert_true(bound("CT", 2, &mark, sizeof(zone)));
	assert_true(bound("CT", 1, &timeout, sizeof(zone)));
	assert_false(bound("CT", 0, &timeout, sizeof(struct xt_ct_target_info)));
}

/* An image's instance has any size: here less than the numbers of its sets take. */
static void test_short(void **state)
{
	struct xt2_left_ext *ext = calloc(1, sizeof(*ext));
	struct nftnl_rule *rule = nftnl_rule_alloc();

	assert_non_null(ext);
	assert_non_null(rule);
	strcpy(ext->name, "SET");
	ext->revision = 3;
	ext->size = 8;
	assert_int_equal(xt2_step_put_target_(rule, ext), -EINVAL);
	nftnl_rule_free(rule);
	free(ext);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),	    cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_connections), cmocka_unit_test(test_bound),
	cmocka_unit_test(test_short),
};

UNITS(tests)
