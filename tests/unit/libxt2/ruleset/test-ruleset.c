/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-ruleset.c - libxt2/ruleset/, chains.c, rules.c, tables.c
 *
 * One case for each promise; test-ruleset-random.c looks for what nobody
 * thought of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <malloc.h>
#include "tests/lib/units.h"
#include <xt2/xt2.h>
#include "engine/eval.h"
#include "tests/lib/rules.h"

#define ACCEPT XT2_TARGET(XT2_T_ACCEPT, 0)
#define DROP   XT2_TARGET(XT2_T_DROP, 0)

/* A ruleset with filter and nat of IPv4, filter of IPv6. */
enum { FILTER, NAT, FILTER6 };

static int setup(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();

	*state = rs;
	if (xt2_table_add(rs, XT2_IPV4, "filter", "a.rules") != FILTER ||
	    xt2_table_add(rs, XT2_IPV4, "nat", "a.rules") != NAT ||
	    xt2_table_add(rs, XT2_IPV6, "filter", NULL) != FILTER6)
		return -1;
	return 0;
}

static int teardown(void **state)
{
	xt2_ruleset_free(*state);
	return 0;
}

static int append(struct xt2_ruleset *rs, int chain, u32 target)
{
	struct rule_build b;

	return xt2_rule_append(rs, chain, rule_plain(&b, target), 0);
}

static void tables_are_the_kernels(void **state)
{
	static const struct {
		int family;
		const char *table;
		unsigned int hooks;
		int priority[5];
	} rows[] = {
		{ XT2_IPV4, "filter", 0x0e, { 0, 0, 0, 0, 0 } },
		{ XT2_IPV6, "mangle", 0x1f, { -150, -150, -150, -150, -150 } },
		{ XT2_IPV4, "nat", 0x1b, { -100, 100, 0, -100, 100 } },
		{ XT2_IPV6, "nat", 0x1b, { -100, 100, 0, -100, 100 } },
		{ XT2_IPV4, "raw", 0x09, { -300, 0, 0, -300, 0 } },
		{ XT2_IPV6, "security", 0x0e, { 0, 50, 50, 50, 0 } },
		{ XT2_ARP, "filter", 0x07, { 0, 0, 0, 0, 0 } },
		{ XT2_ARP, "mangle", 0, { 0 } },
		{ XT2_BRIDGE, "filter", 0x0e, { 0, -200, -200, 200, 0 } },
		{ XT2_BRIDGE, "nat", 0x19, { -300, 0, 0, 100, 300 } },
		{ XT2_BRIDGE, "broute", 0x20, { 0 } },
		{ XT2_BRIDGE, "mangle", 0, { 0 } },
		{ XT2_IPV4, "broute", 0, { 0 } },
	};
	size_t i;
	int hook;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(xt2_table_hooks(rows[i].family, rows[i].table), rows[i].hooks);
		for (hook = 0; hook < 5; hook++) {
			if (rows[i].hooks & 1u << hook)
				assert_int_equal(xt2_table_priority(rows[i].family, rows[i].table,
								    hook),
						 rows[i].priority[hook]);
		}
	}
}

static void hooks_have_names(void **state)
{
	assert_string_equal(xt2_hook_name(XT2_IPV4, XT2_FORWARD), "FORWARD");
	assert_string_equal(xt2_hook_name(XT2_ARP, XT2_ARP_OUTPUT), "OUTPUT");
	assert_null(xt2_hook_name(XT2_ARP, 3));
	assert_null(xt2_hook_name(XT2_IPV4, -1));
	assert_string_equal(xt2_hook_name(XT2_BRIDGE, XT2_BROUTING), "BROUTING");
	assert_int_equal(xt2_hook_number(XT2_BRIDGE, "BROUTING"), XT2_BROUTING);
	assert_null(xt2_hook_name(XT2_BRIDGE, 6));
	assert_int_equal(xt2_hook_number(XT2_IPV6, "POSTROUTING"), XT2_POSTROUTING);
	assert_int_equal(xt2_hook_number(XT2_ARP, "FORWARD"), XT2_ARP_FORWARD);
	assert_int_equal(xt2_hook_number(XT2_ARP, "PREROUTING"), -1);
	assert_string_equal(xt2_family_name(XT2_IPV6), "ipv6");
	assert_null(xt2_family_name(0));
}

static void tables_start_empty(void **state)
{
	struct xt2_ruleset *rs = *state;
	__u64 packets = 1, bytes = 1;
	int chain, n = 0;

	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "filter", NULL), -EEXIST);
	assert_int_equal(xt2_table_add(rs, XT2_IPV4, "nosuch", NULL), -EINVAL);
	assert_int_equal(xt2_ruleset_tables(rs), 3);
	for (chain = xt2_chain_next(rs, FILTER, -1); chain >= 0;
	     chain = xt2_chain_next(rs, FILTER, chain)) {
		assert_int_equal(xt2_chain_hook(rs, chain), XT2_INPUT + n);
		assert_int_equal(xt2_chain_policy(rs, chain), XT2_T_ACCEPT);
		assert_int_equal(xt2_chain_counters(rs, chain, &packets, &bytes), 0);
		assert_int_equal(packets | bytes, 0);
		n++;
	}
	assert_int_equal(n, 3);
	assert_int_equal(xt2_chain_base(rs, FILTER, XT2_PREROUTING), -ENOENT);
	assert_int_equal(xt2_table_family(rs, FILTER6), XT2_IPV6);
	assert_string_equal(xt2_table_name(rs, NAT), "nat");
	assert_string_equal(xt2_table_source(rs, NAT), "a.rules");
	assert_null(xt2_table_source(rs, FILTER6));
	assert_int_equal(xt2_table_family(rs, 3), -ENOENT);
	assert_null(xt2_table_name(rs, -1));
}

static void names_are_checked(void **state)
{
	struct xt2_ruleset *rs = *state;
	int a = xt2_chain_add(rs, FILTER, "A");

	assert_int_equal(xt2_chain_add(rs, FILTER, ""), -EINVAL);
	assert_int_equal(xt2_chain_add(rs, FILTER, "12345678901234567890123456789012"), -EINVAL);
	assert_true(xt2_chain_add(rs, FILTER, "1234567890123456789012345678901") >= 0);
	assert_int_equal(xt2_chain_add(rs, FILTER, "INPUT"), -EEXIST);
	assert_int_equal(xt2_chain_add(rs, 17, "X"), -ENOENT);
	assert_true(xt2_chain_add(rs, NAT, "A") >= 0); /* another table's name */
	assert_int_equal(xt2_chain_rename(rs, a, xt2_chain_name(rs, a)), -EEXIST);
	assert_int_equal(xt2_chain_find(rs, FILTER6, "A"), -ENOENT);
}

/* A rule that is refused leaves no trace. */
static void refused(struct xt2_ruleset *rs, int chain, const struct xt2_rule *r)
{
	unsigned int n = xt2_chain_rules(rs, chain);

	assert_int_equal(xt2_rule_append(rs, chain, r, 0), -EINVAL);
	assert_int_equal(xt2_rule_replace(rs, chain, 0, r, 0), -EINVAL);
	assert_int_equal(xt2_rule_find(rs, chain, r), -EINVAL);
	assert_int_equal(xt2_chain_rules(rs, chain), n);
}

static void bad_rules_are_refused(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int in6 = xt2_chain_base(rs, FILTER6, XT2_INPUT);
	int other = xt2_chain_add(rs, NAT, "other");
	int gone = xt2_chain_add(rs, FILTER, "gone");
	struct xt2_match *m;
	struct rule_build b;
	struct xt2_rule *r;

	append(rs, in, ACCEPT);
	append(rs, in6, ACCEPT);
	assert_int_equal(xt2_chain_delete(rs, gone), 0);
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_JUMP, other)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_GOTO, gone)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_JUMP, 0xffffff)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_ACCEPT, 1)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(9, 0)));
	r = rule_plain(&b, ACCEPT);
	r->size = r->target_offset = 20;
	refused(rs, in, r);
	r->size = r->target_offset = 16;
	refused(rs, in, r);
	rule_begin(&b);
	m = rule_match(&b, XT2_M_SRC4, 8, 0);
	r = rule_end(&b, ACCEPT);
	m->size = 16;
	refused(rs, in, r);
	m->size = 0;
	refused(rs, in, r);
	m->size = 8;
	refused(rs, in6, r); /* of another family */
	m->type = 200;
	refused(rs, in, r);
	assert_int_equal(xt2_rule_append(rs, gone, rule_plain(&b, ACCEPT), 0), -ENOENT);
	assert_int_equal(xt2_rule_insert(rs, in, 2, rule_plain(&b, ACCEPT), 0), -ENOENT);
}

static void numbers_must_stand_for_the_right_thing(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int pre = xt2_chain_base(rs, NAT, XT2_PREROUTING);
	int comment = xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, NULL, "hello", 5);
	int match = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 1, "set", "\0\1", 2);
	int target = xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "DNAT", "1234567", 7);
	struct rule_build b;

	append(rs, in, ACCEPT);
	append(rs, pre, ACCEPT);
	rule_begin(&b);
	rule_comment(&b, match);
	refused(rs, in, rule_end(&b, ACCEPT));
	rule_begin(&b);
	rule_foreign(&b, comment);
	refused(rs, in, rule_end(&b, ACCEPT));
	rule_begin(&b);
	rule_foreign(&b, target + 1);
	refused(rs, in, rule_end(&b, ACCEPT));
	rule_begin(&b);
	rule_quota(&b, 0, 7);
	refused(rs, in, rule_end(&b, ACCEPT));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_FOREIGN, match)));
	refused(rs, in, rule_plain(&b, XT2_TARGET(XT2_T_NAT, target))); /* not in nat */
	refused(rs, pre, rule_plain(&b, XT2_TARGET(XT2_T_NAT, comment)));
	assert_int_equal(append(rs, pre, XT2_TARGET(XT2_T_NAT, target)), 0);
	assert_int_equal(append(rs, in, XT2_TARGET(XT2_T_FOREIGN, target)), 0);
	rule_begin(&b);
	rule_comment(&b, comment);
	rule_foreign(&b, match);
	assert_int_equal(xt2_rule_append(rs, in, rule_end(&b, ACCEPT), 0), 0);
}

static void instances_are_checked(void **state)
{
	struct xt2_ruleset *rs = *state;
	int i;

	assert_int_equal(xt2_instance_add(rs, 0, 0, "x", "", 0), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, 5, 0, "x", "", 0), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "a\0b", 3), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "", "a", 1), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 256, "x", "a", 1), -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0,
					  "12345678901234567890123456789012", "a", 1),
			 -EINVAL);
	assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "x", "a", 1u << 31), -E2BIG);
	assert_null(xt2_instance_get(rs, 0));
	for (i = 0; i < 100; i++)
		assert_int_equal(xt2_instance_add(rs, XT2_INSTANCE_MATCH, i, "x", &i, sizeof(i)),
				 i);
	for (i = 0; i < 100; i++)
		assert_memory_equal(xt2_instance_get(rs, (unsigned int)i) + 1, &i, sizeof(i));
}

/* Instances with equal content are equal; state and counters don't count. */
static void rules_are_found_by_meaning(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct rule_build b;
	struct xt2_rule *r;
	int i;

	for (i = 0; i < 3; i++) {
		rule_begin(&b);
		rule_comment(&b, xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "ab" + i / 2,
						  2 - (size_t)i / 2));
		rule_quota(&b, xt2_cell_add(rs), 100);
		r = rule_end(&b, XT2_TARGET(XT2_T_FOREIGN, xt2_instance_add(rs, XT2_INSTANCE_TARGET,
									    i / 2, "X", "", 0)));
		r->packets = (u64)i;
		assert_int_equal(xt2_rule_append(rs, in, r, 0), 0);
	}
	assert_int_equal(xt2_rule_find(rs, in, xt2_rule_get(rs, in, 1)), 0);
	assert_int_equal(xt2_rule_find(rs, in, r), 2);
	((struct xt2_match *)((char *)r + 24))->flags = 0;
	((struct xt2_match_quota *)((char *)r + 32))->quota = 101;
	assert_int_equal(xt2_rule_find(rs, in, r), -ENOENT);
	assert_int_equal(xt2_rule_find(rs, in, rule_plain(&b, ACCEPT)), -ENOENT);
	assert_int_equal(xt2_rule_find(rs, 999, r), -ENOENT);
}

static void base_chains_stay(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int user = xt2_chain_add(rs, FILTER, "user");
	__u64 n;

	assert_int_equal(xt2_chain_delete(rs, in), -EINVAL);
	assert_int_equal(xt2_chain_rename(rs, in, "x"), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, in, XT2_T_RETURN), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_DROP), -EINVAL);
	assert_int_equal(xt2_chain_policy(rs, user), -EINVAL);
	assert_int_equal(xt2_chain_counters(rs, user, &n, &n), -EINVAL);
	append(rs, in, XT2_TARGET(XT2_T_JUMP, user));
	append(rs, user, XT2_TARGET(XT2_T_GOTO, user));
	assert_int_equal(xt2_chain_references(rs, user), 2);
	assert_int_equal(xt2_chain_delete(rs, user), -EBUSY);
	assert_int_equal(xt2_chain_flush(rs, in), 0);
	assert_int_equal(xt2_chain_delete(rs, user), -EBUSY);
	assert_int_equal(xt2_table_reset(rs, FILTER, "b.rules"), 0);
	assert_int_equal(xt2_chain_find(rs, FILTER, "user"), -ENOENT);
	assert_null(xt2_chain_name(rs, user));
	assert_int_equal(xt2_chain_references(rs, user), -ENOENT);
	assert_int_equal(xt2_chain_delete(rs, user), -ENOENT);
	assert_string_equal(xt2_table_source(rs, FILTER), "b.rules");
	assert_int_equal(xt2_table_reset(rs, 9, NULL), -ENOENT);
}

/* Deleting while iterating is allowed once the next chain is known. */
static void chains_can_go_while_they_are_listed(void **state)
{
	struct xt2_ruleset *rs = *state;
	char name[16];
	int chain, next, i;

	for (i = 0; i < 100; i++) {
		sprintf(name, "c%d", i * 37 % 100);
		assert_true(xt2_chain_add(rs, FILTER, name) >= 0);
	}
	i = 0;
	for (chain = xt2_chain_next(rs, FILTER, -1); chain >= 0; chain = next) {
		next = xt2_chain_next(rs, FILTER, chain);
		if (xt2_chain_hook(rs, chain) >= 0)
			continue;
		assert_int_equal(xt2_chain_delete(rs, chain), 0);
		i++;
	}
	assert_int_equal(i, 100);
	assert_int_equal(xt2_chain_next(rs, FILTER, xt2_chain_base(rs, FILTER, XT2_OUTPUT)), -1);
}

static void loops_are_named(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	int a = xt2_chain_add(rs, FILTER, "A"), b = xt2_chain_add(rs, FILTER, "B");
	struct xt2_mapping map = { 0 };
	struct rule_build build;
	struct xt2_err err;

	append(rs, a, XT2_TARGET(XT2_T_JUMP, b));
	assert_int_equal(xt2_rule_append(rs, b, rule_plain(&build, XT2_TARGET(XT2_T_GOTO, a)), 8),
			 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), 0); /* nobody gets there */
	xt2_image_close(&map);
	append(rs, in, XT2_TARGET(XT2_T_JUMP, a));
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), -ELOOP);
	assert_null(map.image);
	assert_int_equal(err.code, XT2_E_LOOP);
	assert_int_equal(err.line, 8);
	assert_string_equal(err.file, "a.rules");
	assert_string_equal(err.message, "chains of table 'filter' jump in a circle: A -> B -> A");
	assert_int_equal(xt2_rule_insert(rs, in, 0, rule_plain(&build, DROP), 0), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0); /* nor now */
	xt2_image_close(&map);
}

static void long_loops_fit_the_message(void **state)
{
	struct xt2_ruleset *rs = *state;
	struct xt2_mapping map = { 0 };
	struct xt2_err err;
	char name[64];
	int first = -1, i, c, last = xt2_chain_base(rs, FILTER, XT2_INPUT);

	for (i = 0; i < 1000; i++) {
		sprintf(name, "a-rather-long-name-of-chain%04d", i);
		c = xt2_chain_add(rs, FILTER, name);
		first = first < 0 ? c : first;
		append(rs, last, XT2_TARGET(XT2_T_JUMP, c));
		last = c;
	}
	append(rs, last, XT2_TARGET(XT2_T_JUMP, first));
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), -ELOOP);
	assert_non_null(strstr(err.message, "chain0001 -> "));
	assert_non_null(strstr(err.message, "... -> a-rather-long-name-of-chain0000"));
}

static const struct xt2_chain *image_chain(const struct xt2_image *img, const char *name)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, img, root) {
		if (!strcmp(xt2_image_chain_cold(img, root, i)->name, name))
			return c;
	}
	return NULL;
}

/* What no rule names is left out, and no two rules share state. */
static void images_hold_what_is_used(void **state)
{
	struct xt2_ruleset *rs = *state, *again = xt2_ruleset_new();
	struct xt2_mapping map, map2;
	const struct xt2_root *root;
	struct rule_build b;
	int user = xt2_chain_add(rs, FILTER, "user");
	int i;

	for (i = 0; i < 5; i++) {
		xt2_cell_add(rs);
		xt2_instance_add(rs, XT2_INSTANCE_COMMENT, 0, "", "hello" + i, 5 - (size_t)i);
	}
	rule_begin(&b);
	rule_comment(&b, 3);
	rule_quota(&b, 4, 100);
	rule_end(&b, ACCEPT);
	xt2_rule_append(rs, user, (struct xt2_rule *)b.room, 3);
	xt2_rule_append(rs, user, xt2_rule_get(rs, user, 0), 4);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = xt2_image_root(map.image);
	assert_int_equal(root->generation, 1);
	assert_int_equal(root->cells, 2);
	assert_int_equal(root->instances, 2); /* one comment, one source */
	assert_int_equal(root->chains, 3 + 4 + 3 + 1);
	assert_int_equal(image_chain(map.image, "user")->rules, 3);
	*xt2_image_cell(map.image, root, 1) = 77;
	assert_int_equal(xt2_ruleset_load(again, map.image, map.size), 0);
	xt2_rule_delete(again, xt2_chain_find(again, 0, "user"), 0);
	assert_int_equal(xt2_ruleset_write(again, &map2, NULL), 0);
	root = xt2_image_root(map2.image);
	assert_int_equal(root->generation, 2);
	assert_int_equal(root->cells, 1);
	assert_int_equal(*xt2_image_cell(map2.image, root, 0), 77);
	assert_string_equal(xt2_table_source(again, NAT), "a.rules");
	assert_null(xt2_table_source(again, FILTER6));
	xt2_ruleset_free(again);
	xt2_image_close(&map);
	xt2_image_close(&map2);
}

/* Chain numbers that an image leaves out are given to new chains. */
static void gaps_in_images_are_filled(void **state)
{
	struct xt2_ruleset *rs = *state, *again = xt2_ruleset_new();
	struct xt2_mapping map, copy;
	const struct xt2_root *root;
	u32 *page;
	u32 gone;

	xt2_chain_add(rs, FILTER, "gone");
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = xt2_image_root(map.image);
	gone = image_chain(map.image, "gone")->index;
	page = xt2_at(map.image, *(u32 *)xt2_at(map.image, root->chain_dir));
	page[gone] = 0;
	memset((void *)xt2_image_chain_cold(map.image, root, gone), 0,
	       sizeof(struct xt2_chain_cold));
	assert_int_equal(xt2_image_copy(map.image, map.size, &copy, NULL), 0);
	assert_int_equal(xt2_ruleset_load(again, copy.image, copy.size), 0);
	assert_null(xt2_chain_name(again, (int)gone));
	assert_int_equal(xt2_chain_add(again, FILTER, "new"), gone);
	xt2_ruleset_free(again);
	xt2_image_close(&map);
	xt2_image_close(&copy);
}

/* Names and rules may come from the ruleset that they go to. */
static void a_ruleset_feeds_itself(void **state)
{
	static const int families[] = { XT2_IPV6, XT2_IPV4 };
	static const char *const tables[] = { "mangle", "raw", "security", "nat" };
	struct xt2_ruleset *rs = *state;
	size_t i, j;
	int t;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < 4; j++) {
			t = xt2_table_find(rs, families[1 - i], tables[j]);
			xt2_table_add(rs, families[i], t < 0 ? tables[j] : xt2_table_name(rs, t),
				      xt2_table_source(rs, NAT));
		}
	}
	assert_int_equal(xt2_ruleset_tables(rs), 10);
	for (i = 0; i < 2; i++) {
		for (j = 0; j < 4; j++)
			assert_true(xt2_table_find(rs, families[i], tables[j]) >= 0);
	}
	assert_int_equal(xt2_table_reset(rs, NAT, xt2_table_source(rs, NAT)), 0);
	assert_string_equal(xt2_table_source(rs, NAT), "a.rules");
}

/* The order in which chains were made does not show. */
static void equal_rulesets_are_packed_alike(void **state)
{
	struct xt2_mapping map[2];
	struct xt2_ruleset *rs;
	int i, j;

	for (i = 0; i < 2; i++) {
		rs = xt2_ruleset_new();
		xt2_table_add(rs, XT2_IPV4, "filter", NULL);
		for (j = 0; j < 3; j++)
			xt2_chain_add(rs, 0, (const char *[]){ "A", "B", "C" }[i ? 2 - j : j]);
		for (j = 0; j < 3; j++)
			append(rs, xt2_chain_base(rs, 0, XT2_INPUT + j),
			       XT2_TARGET(XT2_T_JUMP, xt2_chain_find(rs, 0, "B")));
		assert_int_equal(xt2_ruleset_write(rs, &map[i], NULL), 0);
		xt2_ruleset_free(rs);
	}
	assert_int_equal(map[0].size, map[1].size);
	assert_memory_equal(map[0].image, map[1].image, map[0].size);
	xt2_image_close(&map[0]);
	xt2_image_close(&map[1]);
}

static void empty_rulesets_are_images(void **state)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_mapping map;

	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	assert_int_equal(xt2_ruleset_tables(rs), 0);
	assert_int_equal(xt2_ruleset_load(rs, map.image, map.size), 0);
	assert_int_equal(xt2_ruleset_tables(rs), 0);
	xt2_ruleset_free(rs);
	xt2_image_close(&map);
	xt2_ruleset_free(NULL);
}

/* A million rules would take their bytes and at most 24 more each. */
static void rules_take_little_memory(void **state)
{
	const size_t n = 200000;
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct mallinfo2 before = mallinfo2(), after;
	struct rule_build b;
	size_t i, used;

	for (i = 0; i < n; i++) {
		rule_begin(&b);
		rule_source(&b, (u32)i + 1, 32);
		assert_int_equal(xt2_rule_append(rs, in, rule_end(&b, DROP), (u32)i), 0);
	}
	after = mallinfo2();
	used = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
	assert_true(used <= n * (32 + 24) + (2u << 20));
	for (i = 0; i < n; i += 1999)
		assert_int_equal(xt2_rule_line(rs, in, (u32)i), i);
}

/* Replacing one rule for ever does not take memory for ever. */
static void deleted_rules_are_given_back(void **state)
{
	struct xt2_ruleset *rs = *state;
	int in = xt2_chain_base(rs, FILTER, XT2_INPUT);
	struct mallinfo2 before, after;
	struct rule_build b;
	u32 i;

	for (i = 0; i < 10; i++) {
		rule_begin(&b);
		rule_source(&b, i + 1, 32);
		xt2_rule_append(rs, in, rule_end(&b, DROP), i);
	}
	before = mallinfo2();
	for (i = 0; i < 200000; i++)
		assert_int_equal(xt2_rule_replace(rs, in, 3, xt2_rule_get(rs, in, i % 3), i), 0);
	after = mallinfo2();
	assert_true(after.uordblks + after.hblkhd <= before.uordblks + before.hblkhd + (1u << 18));
	assert_memory_equal(xt2_rule_get(rs, in, 3), xt2_rule_get(rs, in, (i - 1) % 3), 32);
	assert_int_equal(xt2_rule_find(rs, in, rule_end(&b, DROP)), 9);
	for (i = 0; i < 10; i++)
		assert_int_equal(xt2_rule_delete(rs, in, 0), 0);
	assert_int_equal(xt2_rule_delete(rs, in, 0), -ENOENT);
}

/* --- bridges ----------------------------------------------------------- */

static struct xt2_rule plain_rule(__u32 target)
{
	return (struct xt2_rule){ .size = 24, .target_offset = 24, .target = target };
}

/* User chains of bridge tables have policies, which images keep; others have none. */
static void bridges_have_policies_everywhere(void **state)
{
	struct xt2_ruleset *rs = *state, *copy = xt2_ruleset_new();
	struct xt2_rule jump = plain_rule(XT2_T_JUMP);
	struct xt2_mapping map;
	struct xt2_err err;
	int table, user, first;

	table = xt2_table_add(rs, XT2_BRIDGE, "filter", NULL);
	assert_true(table >= 0);
	user = xt2_chain_add(rs, table, "zoo");
	assert_int_equal(xt2_chain_policy(rs, user), XT2_T_RETURN);
	first = xt2_chain_base(rs, table, XT2_INPUT);
	assert_int_equal(xt2_chain_set_policy(rs, first, XT2_T_RETURN), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_QUEUE), -EINVAL);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_RETURN), 0);
	assert_int_equal(xt2_chain_set_policy(rs, user, XT2_T_DROP), 0);
	jump.target = XT2_TARGET(XT2_T_JUMP, user);
	assert_int_equal(xt2_rule_append(rs, first, &jump, 0), 0);
	assert_int_equal(xt2_ruleset_write(rs, &map, &err), 0);
	assert_int_equal(xt2_ruleset_load(copy, map.image, map.size), 0);
	user = xt2_chain_find(copy, table, "zoo");
	assert_int_equal(xt2_chain_policy(copy, user), XT2_T_DROP);
	/* nothing of a bridge is evaluated, a plain jump neither */
	assert_int_equal(xt2_image_unsupported(map.image, XT2_BRIDGE, -1, NULL, NULL, NULL), 2);
	assert_int_equal(xt2_image_unsupported(map.image, XT2_IPV4, -1, NULL, NULL, NULL), 0);
	xt2_ruleset_free(copy);
	xt2_image_close(&map);
}

/* A base test of bridges is a fault, whatever follows: neither answer would be safe. */
static void bridges_are_not_evaluated(void **state)
{
	static const __u8 types[] = { XT2_M_ETH_TYPE, XT2_M_ETH_LENGTH, XT2_M_ETH_ANY,
				      XT2_M_LOGICAL_IN, XT2_M_LOGICAL_OUT };
	struct xt2_frame frame;
	struct xt2_pkt pkt = { .len = 60 };
	size_t i;

	for (i = 0; i < 2 * sizeof(types); i++) {
		struct xt2_ruleset *rs = xt2_ruleset_new();
		struct {
			struct xt2_rule rule;
			struct xt2_match m;
		} r = { .rule = plain_rule(XT2_T_ACCEPT) };
		int table = xt2_table_add(rs, XT2_BRIDGE, "broute", NULL);
		struct xt2_ctx ctx = { .pkt = &pkt, .stack = &frame, .stack_size = 1 };
		struct xt2_mapping map;

		r.rule.size = r.rule.target_offset = sizeof(r);
		r.m = (struct xt2_match){ .type = types[i / 2], .size = 8 };
		r.m.flags = i % 2 ? XT2_MATCH_INVERT : 0;
		assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, table, XT2_BROUTING),
						 &r.rule, 0),
				 0);
		assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
		ctx.img = map.image;
		ctx.root = xt2_image_root(map.image);
		assert_int_equal(xt2_eval(&ctx, xt2_image_hook(ctx.img, ctx.root, 0)), XT2_DROP);
		assert_int_not_equal(ctx.faults, 0);
		xt2_image_close(&map);
		xt2_ruleset_free(rs);
	}
}

/* Watchers are targets behind the matches. */
static void watchers_stand_last(void **state)
{
	struct xt2_ruleset *rs = *state;
	int bridge = xt2_table_add(rs, XT2_BRIDGE, "filter", NULL);
	int match = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 0, "stp", "", 1);
	int watcher = xt2_instance_add(rs, XT2_INSTANCE_TARGET, 0, "log", "", 1);
	int chain = xt2_chain_base(rs, bridge, XT2_INPUT);
	struct {
		struct xt2_rule rule;
		struct xt2_match m[2];
	} r = { .rule = plain_rule(XT2_T_DROP) };

	r.rule.size = r.rule.target_offset = sizeof(r);
	r.m[0] = r.m[1] = (struct xt2_match){ .type = XT2_M_FOREIGN, .size = 8 };
	r.m[0].arg = (__u32)match;
	r.m[1].arg = (__u32)watcher;
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), 0);
	assert_int_equal(xt2_rule_append(rs, xt2_chain_base(rs, FILTER, XT2_INPUT), &r.rule, 0),
			 -EINVAL);
	r.m[0].arg = (__u32)watcher;
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), 0);
	r.m[1].arg = (__u32)match;
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), -EINVAL);
	r.m[1] = (struct xt2_match){ .type = XT2_M_LOGICAL_IN, .size = 8 };
	assert_int_equal(xt2_rule_append(rs, chain, &r.rule, 0), -EINVAL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(tables_are_the_kernels),
	CASE(hooks_have_names),
	CASE(tables_start_empty),
	CASE(names_are_checked),
	CASE(bad_rules_are_refused),
	CASE(numbers_must_stand_for_the_right_thing),
	CASE(instances_are_checked),
	CASE(rules_are_found_by_meaning),
	CASE(base_chains_stay),
	CASE(chains_can_go_while_they_are_listed),
	CASE(loops_are_named),
	CASE(long_loops_fit_the_message),
	CASE(images_hold_what_is_used),
	CASE(gaps_in_images_are_filled),
	CASE(a_ruleset_feeds_itself),
	CASE(equal_rulesets_are_packed_alike),
	CASE(empty_rulesets_are_images),
	CASE(rules_take_little_memory),
	CASE(deleted_rules_are_given_back),
	CASE(bridges_have_policies_everywhere),
	CASE(bridges_are_not_evaluated),
	CASE(watchers_stand_last),
};

UNITS(tests)
