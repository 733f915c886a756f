/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-eval-skip.c - engine/eval-skip.h: lists of addresses are stepped over
 *
 * Rules of one shape in every order, with the counters worked out by hand.  The
 * rule that does not match asks for the packet's other address, so a step that
 * compares the wrong one counts it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <netinet/in.h>
#include "tests/lib/unit-program.h"
#include <xt2/xt2.h>
#include "engine/image.h"
#include "tests/lib/packets.h"
#include "tests/lib/rules.h"

#define CONTINUE XT2_TARGET(XT2_T_CONTINUE, 0)
#define KINDS	 ((u32)(sizeof(kinds) / sizeof(kinds[0])))

/* A test: source or destination; the packet's own address of that side or of the other; inverted. */
static const struct kind {
	bool dst, other, inverted;
} kinds[] = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 1, 1 },
	      { 1, 0, 0 }, { 1, 1, 0 }, { 1, 0, 1 }, { 1, 1, 1 } };

static struct xt2_pkt pkt;
static u8 bytes[128];

static bool holds(const struct kind *k)
{
	return k->other == k->inverted;
}

static void add_test(struct rule_build *b, const struct kind *k)
{
	const bool src = k->dst == k->other;
	struct xt2_match_addr6 *six;
	struct xt2_match *m;

	if (pkt.family == XT2_IPV4) {
		m = rule_match(b, k->dst ? XT2_M_DST4 : XT2_M_SRC4, sizeof(*m),
			       src ? pkt.src4 : pkt.dst4);
	} else {
		six = rule_match(b, k->dst ? XT2_M_DST6 : XT2_M_SRC6, sizeof(*six), 0);
		memcpy(six->addr, src ? pkt.src : pkt.dst, sizeof(six->addr));
		m = &six->head;
	}
	m->flags = k->inverted ? XT2_MATCH_INVERT : 0;
}

/* A chain of rules with a test or two each, of which the last one drops. */
static void check(const struct kind *const (*rule)[2], u32 n)
{
	struct xt2_ruleset *rs = xt2_ruleset_new();
	int chain = xt2_chain_base(rs, xt2_table_add(rs, pkt.family, "raw", NULL), XT2_PREROUTING);
	struct xt2_mapping map = { 0 };
	struct xt2_evaluator *ev;
	struct xt2_result result;
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	struct rule_build b;
	u32 i, j;

	for (i = 0; i < n; i++) {
		rule_begin(&b);
		for (j = 0; j < 2 && rule[i][j]; j++)
			add_test(&b, rule[i][j]);
		rule_end(&b, i + 1 < n ? CONTINUE : XT2_TARGET(XT2_T_DROP, 0));
		assert_int_equal(xt2_rule_append(rs, chain, (struct xt2_rule *)b.room, 0), 0);
	}
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	ev = xt2_evaluator_new(map.image, map.size);
	assert_non_null(ev);
	i = holds(rule[n - 1][0]) && (!rule[n - 1][1] || holds(rule[n - 1][1]));
	assert_int_equal(xt2_evaluate(ev, XT2_PREROUTING, NULL, &pkt, 0, 1, &result),
			 i ? XT2_DROP : XT2_ACCEPT);
	c = xt2_image_chain(map.image, xt2_image_root(map.image),
			    xt2_image_hook(map.image, xt2_image_root(map.image), 0)->chain);
	for (i = 0, r = xt2_chain_first(c); i < n; i++, r = xt2_rule_next(r)) {
		bool hit = holds(rule[i][0]) && (!rule[i][1] || holds(rule[i][1]));

		if (r->packets != hit || r->bytes != (hit ? pkt.len : 0))
			fail_msg("rule %u counts %llu", i, (unsigned long long)r->packets);
	}
	xt2_evaluator_free(ev);
	xt2_image_close(&map);
	xt2_ruleset_free(rs);
}

/* After each first rule, every pair of further ones; both lists with one test and with two. */
static void all_orders(void)
{
	const struct kind *rule[4][2];
	u32 i, j, k, two;

	for (two = 0; two < 2; two++)
		for (i = 0; i < KINDS * KINDS * KINDS * KINDS; i++) {
			for (j = 0, k = i; j < 4; j++, k /= KINDS) {
				rule[j][0] = &kinds[k % KINDS];
				/* the second test is of the other side, or not */
				rule[j][1] = two ? &kinds[(k / 3 + j) % KINDS] : NULL;
			}
			if (i % 7 == 0)
				check((const struct kind *const(*)[2])rule, 4);
		}
}

static void ipv4_lists(void **state)
{
	unsigned int size = packet_ipv4(bytes, 0x0a000001, 0x0a000002, IPPROTO_UDP, 1000, 53);

	assert_int_equal(packet_parse(&pkt, XT2_IPV4, bytes, size), 0);
	all_orders();
}

static void ipv6_lists(void **state)
{
	unsigned int size = packet_ipv6(bytes, 0x0a000001, 0x0a000002, IPPROTO_UDP, 1000, 53);

	assert_int_equal(packet_parse(&pkt, XT2_IPV6, bytes, size), 0);
	all_orders();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ipv4_lists),
	cmocka_unit_test(ipv6_lists),
};

UNITS(tests)
