/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test-evaluator.c - libxt2/evaluate/evaluator.c
 *
 * Small rulesets, each with what is to happen worked out by hand: which tables
 * a packet meets and in which order, and which rule is said to have decided.
 * Policy counters tell which base chains a packet went through.
 */
#include <errno.h>
#include <netinet/in.h>
#include "engine/index/find.h"
#include "libxt2/ruleset/ruleset.h"
#include "tests/lib/fail-alloc.h"
#include "tests/lib/packets.h"
#include "tests/unit/evaluate-case.h"

static struct xt2_evaluator *ev;
static struct xt2_result result;
static struct xt2_pkt pkt;
static u8 bytes[128];

/* --- a ruleset, a packet ----------------------------------------------- */

static int end(void **state)
{
	xt2_evaluator_free(ev);
	ev = NULL;
	return teardown(state);
}

/* Pack the ruleset and evaluate from now on. */
static void begin(void)
{
	pack();
	ev = xt2_evaluator_new(map.image, map.size);
	assert_non_null(ev);
}

static void udp4(u32 source)
{
	unsigned int size = packet_ipv4(bytes, source, 0x0a000002, IPPROTO_UDP, 1000, 53);

	assert_int_equal(packet_parse(&pkt, XT2_IPV4, bytes, size), 0);
}

/* => the verdict; the result is in result */
static int evaluate(int hook, const char *table)
{
	int verdict = xt2_evaluate(ev, hook, table, &pkt, 0, 1, &result);

	assert_int_equal(result.verdict, verdict);
	assert_int_equal(pkt.hook, hook);
	return verdict;
}

static void decided(const char *table, const char *chain, unsigned int rule)
{
	assert_string_equal(result.table, table);
	assert_string_equal(result.chain, chain);
	assert_int_equal(result.rule, rule);
}

/* => packets that a table's base chain let through to its policy */
static unsigned int passed(const char *table, int hook)
{
	const struct xt2_root *root = xt2_image_root(map.image);
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, map.image, root) {
		const struct xt2_chain *c = xt2_image_chain(map.image, root, h->chain);

		if (h->hook == hook &&
		    !strcmp(xt2_image_table(map.image, root, h->table)->name, table))
			return (unsigned int)xt2_chain_tail(c)->packets;
	}
	return ~0u;
}

/* --- tables ------------------------------------------------------------ */

/* Created in another order than that in which packets meet them. */
static void all_tables(int family)
{
	static const char *const names[] = { "security", "nat", "filter", "raw", "mangle" };
	size_t i;

	for (i = 0; i < 5; i++)
		assert_int_equal(xt2_table_add(rs, family, names[i], NULL), i);
}

static void tables_come_in_the_kernels_order(void **state)
{
	static const char *const order[] = { "mangle", "filter", "security", "nat" };
	u32 i;

	all_tables(XT2_IPV4);
	for (i = 0; i < 4; i++)
		append_from(base(XT2_IPV4, order[i], XT2_INPUT), i, DROP);
	begin();
	for (i = 0; i < 4; i++) {
		udp4(i);
		pkt.ct.state = XT2_CT_NEW;
		assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_DROP);
		decided(order[i], "INPUT", 1);
	}
	for (i = 0; i < 4; i++) /* i-th table: the packets of the later ones */
		assert_int_equal(passed(order[i], XT2_INPUT), 3 - i);
	udp4(9);
	pkt.ct.state = XT2_CT_NEW;
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_ACCEPT);
	decided("nat", "INPUT", 0);
}

static void raw_is_first_and_nat_early_on_output(void **state)
{
	static const char *const order[] = { "raw", "mangle", "nat", "filter", "security" };
	u32 i;

	all_tables(XT2_IPV6);
	begin();
	for (i = 0; i < 2; i++) {
		unsigned int size = packet_ipv6(bytes, 1, 2, IPPROTO_TCP, 1, 2);

		assert_int_equal(packet_parse(&pkt, XT2_IPV6, bytes, size), 0);
		pkt.ct.state = i ? XT2_CT_ESTABLISHED : XT2_CT_NEW;
		assert_int_equal(evaluate(XT2_OUTPUT, NULL), XT2_ACCEPT);
		decided("security", "OUTPUT", 0);
	}
	for (i = 0; i < 5; i++)
		assert_int_equal(passed(order[i], XT2_OUTPUT), i == 2 ? 1 : 2);
	assert_int_equal(passed("raw", XT2_PREROUTING), 0);
}

/* Does the nat table see a packet with this conntrack state? */
static bool nat_sees(unsigned int ctstate, u8 proto)
{
	unsigned int before = passed("nat", XT2_POSTROUTING);
	unsigned int size = packet_ipv4(bytes, 1, 2, proto, 1, 2);

	packet_parse(&pkt, XT2_IPV4, bytes, size);
	pkt.ct.state = (u16)ctstate;
	assert_int_equal(evaluate(XT2_POSTROUTING, NULL), XT2_ACCEPT);
	assert_int_equal(result.table != NULL, passed("nat", XT2_POSTROUTING) != before);
	return passed("nat", XT2_POSTROUTING) != before;
}

static void nat_sees_what_makes_a_mapping(void **state)
{
	xt2_table_add(rs, XT2_IPV4, "nat", NULL);
	begin();
	assert_true(nat_sees(XT2_CT_NEW, IPPROTO_UDP));
	assert_true(nat_sees(XT2_CT_NEW, IPPROTO_ICMP));
	assert_true(nat_sees(XT2_CT_RELATED, IPPROTO_TCP));
	assert_false(nat_sees(XT2_CT_RELATED, IPPROTO_ICMP));
	assert_false(nat_sees(XT2_CT_ESTABLISHED, IPPROTO_UDP));
	assert_false(nat_sees(XT2_CT_INVALID, IPPROTO_UDP));
	assert_false(nat_sees(XT2_CT_UNTRACKED, IPPROTO_UDP));
	assert_false(nat_sees(0, IPPROTO_UDP));
	udp4(1);
	pkt.ct.state = XT2_CT_NEW;
	pkt.notrack = 1; /* as the host says */
	assert_int_equal(evaluate(XT2_POSTROUTING, NULL), XT2_ACCEPT);
	assert_null(result.table);
	assert_int_equal(evaluate(XT2_POSTROUTING, "nat"), XT2_ACCEPT); /* asked by name */
	decided("nat", "POSTROUTING", 0);
	assert_int_equal(evaluate(XT2_FORWARD, "nat"), XT2_ACCEPT);
	assert_null(result.table);
}

static void related_icmp6_has_its_mapping(void **state)
{
	unsigned int size = packet_ipv6(bytes, 1, 2, IPPROTO_ICMPV6, 0, 0);

	xt2_table_add(rs, XT2_IPV6, "nat", NULL);
	begin();
	packet_parse(&pkt, XT2_IPV6, bytes, size);
	pkt.ct.state = XT2_CT_RELATED;
	assert_int_equal(evaluate(XT2_PREROUTING, NULL), XT2_ACCEPT);
	assert_null(result.table);
}

/* raw comes before nat, and what it says holds. */
static void notrack_keeps_packets_from_nat(void **state)
{
	append_from(base(XT2_IPV4, "raw", XT2_PREROUTING), 1, XT2_TARGET(XT2_T_NOTRACK, 0));
	append(base(XT2_IPV4, "nat", XT2_PREROUTING), DROP);
	begin();
	udp4(1);
	pkt.ct.state = XT2_CT_NEW;
	assert_int_equal(evaluate(XT2_PREROUTING, NULL), XT2_ACCEPT);
	decided("raw", "PREROUTING", 0);
	udp4(2);
	pkt.ct.state = XT2_CT_NEW;
	assert_int_equal(evaluate(XT2_PREROUTING, NULL), XT2_DROP);
	decided("nat", "PREROUTING", 1);
	pkt.notrack = 1; /* as the host says */
	assert_int_equal(evaluate(XT2_PREROUTING, NULL), XT2_ACCEPT);
	decided("raw", "PREROUTING", 0);
}

/* raw runs before the tracker; the caller gets back what it said. */
static void raw_knows_no_connections(void **state)
{
	int pre = base(XT2_IPV4, "raw", XT2_PREROUTING);
	struct rule_build b;

	rule_begin(&b);
	rule_match(&b, XT2_M_STATE, sizeof(struct xt2_match), XT2_CT_NEW);
	assert_int_equal(xt2_rule_append(rs, pre, rule_end(&b, DROP), 0), 0);
	append_from(pre, 1, DROP);
	append_from(pre, 2, XT2_TARGET(XT2_T_NOTRACK, 0));
	begin();
	udp4(1);
	pkt.ct.state = XT2_CT_NEW;
	pkt.ct.mark = 9;
	assert_int_equal(evaluate(XT2_PREROUTING, NULL), XT2_DROP);
	decided("raw", "PREROUTING", 2);
	assert_int_equal(pkt.ct.state, XT2_CT_NEW);
	assert_int_equal(pkt.ct.mark, 9);
	udp4(3);
	pkt.ct.state = XT2_CT_NEW;
	assert_int_equal(evaluate(XT2_PREROUTING, NULL), XT2_ACCEPT);
	assert_int_equal(pkt.ct.state, XT2_CT_NEW);
	udp4(2);
	pkt.ct.state = XT2_CT_NEW;
	assert_int_equal(evaluate(XT2_PREROUTING, NULL), XT2_ACCEPT);
	assert_int_equal(pkt.ct.state, XT2_CT_UNTRACKED);
}

/* Whatever is not ACCEPT ends it. */
static void later_tables_see_what_was_accepted(void **state)
{
	int mangle = base(XT2_IPV4, "mangle", XT2_INPUT);

	append_from(mangle, 1, XT2_TARGET(XT2_T_QUEUE, 0));
	append_from(mangle, 2, XT2_TARGET(XT2_T_NFQUEUE, 3));
	append(base(XT2_IPV4, "filter", XT2_INPUT), XT2_TARGET(XT2_T_REJECT, 0));
	append(base(XT2_IPV4, "security", XT2_INPUT), DROP);
	begin();
	udp4(1);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_QUEUE);
	decided("mangle", "INPUT", 1);
	udp4(2);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_QUEUE);
	decided("mangle", "INPUT", 2);
	udp4(3);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_REJECT);
	decided("filter", "INPUT", 1);
}

static void families_keep_apart(void **state)
{
	append(base(XT2_IPV4, "filter", XT2_INPUT), DROP);
	append(base(XT2_ARP, "filter", XT2_ARP_OUTPUT), DROP); /* the same number */
	append_from(base(XT2_ARP, "filter", XT2_ARP_INPUT), 5, DROP);
	begin();
	assert_int_equal(packet_parse(&pkt, XT2_ARP, bytes, packet_arp(bytes, 5, 6)), 0);
	assert_int_equal(evaluate(XT2_ARP_INPUT, NULL), XT2_DROP);
	decided("filter", "INPUT", 1);
	assert_int_equal(evaluate(XT2_ARP_OUTPUT, NULL), XT2_DROP);
	decided("filter", "OUTPUT", 1);
	assert_int_equal(evaluate(XT2_ARP_FORWARD, NULL), XT2_ACCEPT);
	decided("filter", "FORWARD", 0);
	udp4(5);
	assert_int_equal(evaluate(XT2_OUTPUT, NULL), XT2_ACCEPT);
	decided("filter", "OUTPUT", 0);
	packet_parse(&pkt, XT2_IPV6, bytes, packet_ipv6(bytes, 1, 2, 17, 1, 2));
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_ACCEPT);
	assert_null(result.table);
}

static void no_table_accepts(void **state)
{
	begin();
	udp4(1);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_ACCEPT);
	assert_null(result.table);
	assert_null(result.chain);
	assert_int_equal(result.faults | result.hotdrop, 0);
}

/* --- places ------------------------------------------------------------ */

static void places_are_named(void **state)
{
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	int user = xt2_chain_add(rs, 0, "user");

	append_from(in, 1, XT2_TARGET(XT2_T_RETURN, 0));
	append_from(in, 2, XT2_TARGET(XT2_T_QUEUE, 0));
	append(in, XT2_TARGET(XT2_T_JUMP, user));
	append(user, XT2_TARGET(XT2_T_CONTINUE, 0));
	append_from(user, 3, ACCEPT);
	xt2_chain_set_policy(rs, in, XT2_T_DROP);
	begin();
	udp4(1);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_DROP);
	decided("filter", "INPUT", 0);
	udp4(2);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_QUEUE);
	decided("filter", "INPUT", 2);
	udp4(3);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_ACCEPT);
	decided("filter", "user", 2);
	udp4(4);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_DROP);
	decided("filter", "INPUT", 0);
	assert_int_equal(passed("filter", XT2_INPUT), 2);
	assert_int_equal(xt2_evaluate(ev, XT2_INPUT, NULL, &pkt, 0, 0, &result), XT2_DROP);
	assert_null(result.table); /* not asked for */
}

/* Packets that a chain's rule has counted; rules from 0. */
static unsigned int counted(const char *chain, unsigned int rule)
{
	const struct xt2_root *root = xt2_image_root(map.image);
	const struct xt2_chain *c;
	const struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, map.image, root) {
		if (strcmp(xt2_image_chain_cold(map.image, root, c->index)->name, chain))
			continue;
		for (r = xt2_chain_first(c); rule; rule--)
			r = xt2_rule_next(r);
		assert_int_equal(r->bytes, r->packets * pkt.len);
		return (unsigned int)r->packets;
	}
	return ~0u;
}

#define RAW_PORTS   50
#define RAW_PACKETS (2 * RAW_PORTS)

/* A rule for each port, of raw's PREROUTING. */
static void raw_rules(u32 ctstate, u32 target)
{
	int chain = base(XT2_IPV4, "raw", XT2_PREROUTING);
	struct xt2_match *m;
	struct rule_build b;
	u32 i;

	for (i = 0; i < RAW_PORTS; i++) {
		rule_begin(&b);
		rule_proto(&b, IPPROTO_UDP);
		m = rule_match(&b, XT2_M_UDP, sizeof(*m), i | i << 16);
		m->flags = XT2_PORTS_DST;
		rule_match(&b, XT2_M_STATE, sizeof(*m), ctstate);
		assert_int_equal(xt2_rule_append(rs, chain, rule_end(&b, target), 0), 0);
	}
}

/*
 * A batch is searched ahead, and raw's search must not know the states either:
 * each packet passes the rule for NEW, and the one for INVALID counts it.
 */
static void raw_is_not_searched_ahead(void **state)
{
	static struct xt2_pkt pkts[RAW_PACKETS];
	static u8 room[RAW_PACKETS][128];
	struct xt2_result results[RAW_PACKETS];
	struct xt2_pkt *all[RAW_PACKETS];
	__u64 now[RAW_PACKETS] = { 0 };
	const struct xt2_index *ix;
	u32 i;

	raw_rules(XT2_CT_NEW, DROP);
	raw_rules(XT2_CT_INVALID, XT2_TARGET(XT2_T_CONTINUE, 0));
	begin();
	assert_int_equal(xt2_evaluator_ahead_(ev), 0);
	ix = xt2_chain_index(xt2_image_chain(map.image, xt2_image_root(map.image), 0));
	assert_non_null(ix);
	assert_int_not_equal(ix->asks & XT2_ASKS_STATE, 0);
	udp4(0); /* counted() asks for its size */
	for (i = 0; i < RAW_PACKETS; i++) {
		unsigned int size = packet_ipv4(room[i], 1, 2, IPPROTO_UDP, 1000, i % RAW_PORTS);

		all[i] = &pkts[i];
		assert_int_equal(packet_parse(all[i], XT2_IPV4, room[i], size), 0);
		pkts[i].ct.state = XT2_CT_NEW;
	}
	xt2_evaluate_batch(ev, XT2_PREROUTING, NULL, all, now, RAW_PACKETS, 0, results);
	for (i = 0; i < RAW_PACKETS; i++) {
		assert_int_equal(results[i].verdict, XT2_ACCEPT);
		assert_int_equal(pkts[i].ct.state, XT2_CT_NEW);
	}
	for (i = 0; i < RAW_PORTS; i++) {
		assert_int_equal(counted("PREROUTING", i), 0);
		assert_int_equal(counted("PREROUTING", RAW_PORTS + i), RAW_PACKETS / RAW_PORTS);
	}
}

/* Jumps without conditions are passed in rows; one of them is made, or a row ends in a rule. */
static void jumps_in_rows_count(void **state)
{
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	int vain = xt2_chain_add(rs, 0, "vain"), some = xt2_chain_add(rs, 0, "some");
	unsigned int i;

	for (i = 0; i < 6; i++)
		append(in, XT2_TARGET(XT2_T_JUMP, i == 3 ? some : vain));
	append_from(in, 3, ACCEPT);
	append(in, XT2_TARGET(XT2_T_JUMP, vain));
	append_from(vain, 1, DROP);
	append_from(some, 2, DROP);
	append_from(some, 3, XT2_TARGET(XT2_T_CONTINUE, 0));
	xt2_chain_set_policy(rs, in, XT2_T_DROP);
	begin();
	for (i = 1; i <= 4; i++) {
		udp4(i);
		assert_int_equal(evaluate(XT2_INPUT, NULL), i == 3 ? XT2_ACCEPT : XT2_DROP);
	}
	assert_int_equal(counted("INPUT", 0), 4);
	for (i = 1; i < 4; i++)
		assert_int_equal(counted("INPUT", i), 3);
	for (i = 4; i < 6; i++)
		assert_int_equal(counted("INPUT", i), 2);
	assert_int_equal(counted("INPUT", 6), 1);
	assert_int_equal(counted("INPUT", 7), 1);
	assert_int_equal(passed("filter", XT2_INPUT), 1);
	assert_int_equal(counted("vain", 0), 1);
	assert_int_equal(counted("vain", 1), 3 * 3 + 2 * 2 + 1);
	assert_int_equal(counted("some", 0), 1);
	assert_int_equal(counted("some", 1), 1);
	assert_int_equal(counted("some", 2), 2);
}

static void targets_leave_their_marks(void **state)
{
	int mangle = base(XT2_IPV4, "mangle", XT2_INPUT);
	int filter = base(XT2_IPV4, "filter", XT2_INPUT);

	append(mangle, XT2_TARGET(XT2_T_LOG, 4));
	append(mangle, XT2_TARGET(XT2_T_MARK, 7));
	append(filter, XT2_TARGET(XT2_T_LOG, 4));
	append(filter, XT2_TARGET(XT2_T_LOG, 4));
	append_from(filter, 1, XT2_TARGET(XT2_T_NFQUEUE, 12));
	append(filter, XT2_TARGET(XT2_T_REJECT, 3));
	begin();
	udp4(1);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_QUEUE);
	assert_int_equal(result.arg, 12);
	assert_int_equal(result.events, 3);
	assert_int_equal(pkt.mark, 7);
	decided("filter", "INPUT", 3);
	udp4(2);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_REJECT);
	assert_int_equal(result.arg, 3);
	assert_int_equal(result.events, 3);
	assert_int_equal(evaluate(XT2_INPUT, "mangle"), XT2_ACCEPT);
	assert_int_equal(result.arg, 0);
	assert_int_equal(result.events, 1);
}

/* A TCP header that is cut off makes -m tcp drop the packet. */
static void hotdrops_are_reported(void **state)
{
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	struct rule_build b;

	rule_begin(&b);
	rule_proto(&b, IPPROTO_TCP);
	rule_match(&b, XT2_M_TCP, sizeof(struct xt2_match), 0);
	assert_int_equal(xt2_rule_append(rs, in, rule_end(&b, ACCEPT), 0), 0);
	begin();
	packet_ipv4(bytes, 1, 2, IPPROTO_TCP, 1, 2);
	packet_put16(bytes + 2, 30);
	packet_ipv4_checksum(bytes);
	assert_int_equal(packet_parse(&pkt, XT2_IPV4, bytes, 30), 0);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_DROP);
	assert_int_equal(result.hotdrop, 1);
	assert_int_equal(result.faults, 0);
	decided("filter", "INPUT", 1);
	udp4(1);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_ACCEPT);
	assert_int_equal(result.hotdrop, 0);
}

/* --- limits ------------------------------------------------------------ */

/* Unchecked on purpose: the image says more than a host can take. */
static void absurd_images_are_refused(void **state)
{
	struct xt2_root *root;

	base(XT2_IPV4, "filter", XT2_INPUT);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	root = (struct xt2_root *)xt2_image_root(map.image);
	root->depth = (1u << 20) + 1;
	assert_null(xt2_evaluator_new(map.image, map.size));
	assert_int_equal(errno, E2BIG);
	root->depth = 0;
	root->visits = ~0ull;
	assert_null(xt2_evaluator_new(map.image, map.size));
	assert_int_equal(errno, E2BIG);
}

static void memory_may_be_missing(void **state)
{
	unsigned int n;

	base(XT2_IPV4, "filter", XT2_INPUT);
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	for (n = 1; n <= 2; n++) {
		fail_alloc(n);
		assert_null(xt2_evaluator_new(map.image, map.size));
		assert_int_equal(errno, ENOMEM);
	}
	fail_alloc(0);
	xt2_evaluator_free(NULL);
}

/* Packets of a batch that wait for memory together need room of their own. */
static void memory_for_batches_may_be_missing(void **state)
{
	int chain = base(XT2_IPV4, "filter", XT2_INPUT);
	unsigned int n;
	u32 i;

	for (i = 0; i < 2 * XT2_UNITS_FAR; i++)
		append_from(chain, 0x0a000000 + i * 0x1234f, XT2_TARGET(XT2_T_ACCEPT, 0));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	for (n = 1; n <= 3; n++) {
		fail_alloc(n);
		assert_null(xt2_evaluator_new(map.image, map.size));
		assert_int_equal(errno, ENOMEM);
	}
	fail_alloc(4);
	ev = xt2_evaluator_new(map.image, map.size);
	fail_alloc(0);
	assert_non_null(ev);
}

/* An index that would hide rules is no image's. */
static void wrong_indexes_are_refused(void **state)
{
	int i, chain = base(XT2_IPV4, "filter", XT2_INPUT);
	struct xt2_mapping copy;
	struct xt2_index *ix;
	struct xt2_err err;
	struct xt2_chain *c;

	for (i = 0; i < 4; i++)
		append(chain, XT2_TARGET(XT2_T_CONTINUE, 0));
	assert_int_equal(xt2_ruleset_write(rs, &map, NULL), 0);
	c = xt2_image_chain(map.image, xt2_image_root(map.image), 0);
	assert_int_not_equal(c->lookup, 0);
	ix = xt2_at(c, c->lookup);
	ix->units++;
	assert_int_equal(xt2_image_copy(map.image, map.size, &copy, &err), -EINVAL);
	assert_non_null(strstr(err.message, "table filter, chain INPUT: "));
	ix->units--;
	assert_int_equal(xt2_image_copy(map.image, map.size, &copy, &err), 0);
	xt2_image_close(&copy);
}

/* Chains as deep as the longest path, and back again. */
static void deep_rulesets_have_room(void **state)
{
	int last = base(XT2_IPV4, "filter", XT2_INPUT);
	char name[16];
	int i, next;

	for (i = 0; i < 3000; i++) {
		sprintf(name, "c%d", i);
		next = xt2_chain_add(rs, 0, name);
		append(last, XT2_TARGET(XT2_T_JUMP, next));
		last = next;
	}
	begin();
	udp4(1);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_ACCEPT);
	assert_int_equal(result.faults, 0);
	decided("filter", "INPUT", 0);
}

/* --- what cannot be evaluated ------------------------------------------ */

/* Whoever evaluates a carried match anyway gets a drop, never a pass. */
static void carried_extensions_drop(void **state)
{
	int match = xt2_instance_add(rs, XT2_INSTANCE_MATCH, 4, "set", "x", 1);
	int in = base(XT2_IPV4, "filter", XT2_INPUT);
	struct rule_build b;

	rule_begin(&b);
	rule_foreign(&b, match);
	assert_int_equal(xt2_rule_append(rs, in, rule_end(&b, ACCEPT), 0), 0);
	begin();
	udp4(1);
	assert_int_equal(evaluate(XT2_INPUT, NULL), XT2_DROP);
	assert_int_equal(result.faults, 1);
	assert_null(result.table);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, end)

static const struct CMUnitTest tests[] = {
	CASE(tables_come_in_the_kernels_order),
	CASE(raw_is_first_and_nat_early_on_output),
	CASE(nat_sees_what_makes_a_mapping),
	CASE(related_icmp6_has_its_mapping),
	CASE(notrack_keeps_packets_from_nat),
	CASE(raw_knows_no_connections),
	CASE(later_tables_see_what_was_accepted),
	CASE(families_keep_apart),
	CASE(no_table_accepts),
	CASE(places_are_named),
	CASE(raw_is_not_searched_ahead),
	CASE(jumps_in_rows_count),
	CASE(targets_leave_their_marks),
	CASE(hotdrops_are_reported),
	CASE(absurd_images_are_refused),
	CASE(memory_may_be_missing),
	CASE(memory_for_batches_may_be_missing),
	CASE(wrong_indexes_are_refused),
	CASE(deep_rulesets_have_room),
	CASE(carried_extensions_drop),
};

UNITS(tests)
