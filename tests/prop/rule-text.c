/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule-text - both printers of rules say the same
 *
 * Random packed rules of IPv4 and IPv6, of all that xt2_rule_text() takes and of
 * what it must leave, are printed by it and by xt2_print_rule(), which asks
 * libxtables.  It has to take every rule that iptables writes of the matches
 * it knows, which must be half of all, and to leave some of the others.  Then
 * all are saved, which asks libxtables for parts of rules.
 *
 *	rule-text [SEED [RULES]]
 *
 * Another seed each time, printed to run it again.
 */
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/x_tables.h>
#include <linux/netfilter/xt_conntrack.h>
#include "tests/fuzz/seed-image.h"
#include "tests/lib/rules.h"
#include "extensions/state/limit.h"
#include "xt2tables/text/print/rule-print.h"
#include "xt2tables/text/print/print-fast.h"
#include "xt2tables/text/line.h"
#include "xt2tables/text/text.h"

#define RULES	 20000 /* of each family */
#define ROOM	 (2 * XT2_RULE_TEXT_ROOM)
#define ODD	 30 /* one of so many is not what iptables writes */
#define TEXT_MAX 300
#define STATES	 0x1cf /* that have a name */

static u64 state;
static int family;
static struct xt2_ruleset *rs;
static struct rule_build build;
static bool common; /* iptables writes such rules */
static bool tcp; /* the rule is for TCP alone */
static bool strange; /* libxtables cannot print it */
static bool silent; /* libxtables would read behind a table to print it */

static u32 below(u32 n)
{
	return seed_below(&state, n);
}

static bool odd(void)
{
	if (below(ODD))
		return false;
	common = false;
	return true;
}

/* Numbers of all lengths, and those at their ends. */
static u64 number(u64 max)
{
	static const u64 edges[] = {
		0,
		1,
		9,
		10,
		99,
		100,
		255,
		256,
		999,
		1000,
		9999,
		10000,
		65535,
		65536,
		999999,
		99999999,
		100000000,
		4294967295,
		9999999999999,
		10000000000000000ull,
	};
	u64 n = below(3) ? seed_next(&state) >> below(64) : edges[below(XT2_ARRAY_SIZE(edges))];

	return max == ~0ull ? n : n % (max + 1);
}

static void *match(int type, unsigned int size, u32 arg)
{
	return rule_match(&build, type, size, arg);
}

static void maybe_invert(void *m)
{
	if (!below(4))
		((struct xt2_match *)m)->flags |= XT2_MATCH_INVERT;
}

/* --- base tests ----------------------------------------------------------------- */

static void addr4(int type, int masked)
{
	u32 prefix = below(33), mask = prefix ? ~0u << (32 - prefix) : 0, addr = below(~0u);
	struct xt2_match_addr4_mask *k;
	struct xt2_match *m;

	if (odd())
		mask = below(~0u);
	if (mask == (prefix ? ~0u << (32 - prefix) : 0) && prefix && below(4)) {
		m = match(type, sizeof(*m), addr & mask);
		m->flags = (u8)(32 - prefix);
		maybe_invert(m);
		return;
	}
	k = match(masked, sizeof(*k), addr & mask);
	k->mask = mask;
	maybe_invert(k);
}

/* Few of its words are neither 0 nor ffff. */
static void random_addr6(u8 *addr)
{
	u32 i, zeros = below(256);
	u16 word;

	for (i = 0; i < 8; i++) {
		word = below(5) ? (u16)number(65535) : 65535;
		if (zeros >> i & 1)
			word = 0;
		addr[2 * i] = (u8)(word >> 8);
		addr[2 * i + 1] = (u8)word;
	}
}

static void addr6(int type, int masked)
{
	struct xt2_match_addr6_mask *k;
	u32 i, prefix = below(129);
	u8 *mask;

	if (below(2)) {
		struct xt2_match_addr6 *exact = match(type, sizeof(*exact), 0);

		random_addr6((u8 *)exact->addr);
		maybe_invert(exact);
		return;
	}
	k = match(masked, sizeof(*k), 0);
	random_addr6((u8 *)k->addr);
	mask = (u8 *)k->mask;
	for (i = 0; i < prefix; i++)
		mask[i / 8] |= 0x80 >> i % 8;
	if (odd())
		mask[below(16)] ^= 1 << below(8);
	maybe_invert(k);
}

static void iface(int type)
{
	static const char letters[] = "eth0123.-_:@\\'";
	u32 i, len = 1 + below(IFNAMSIZ - 1), arg = len + below(2);
	struct xt2_match_iface *k = match(type, arg <= 8 ? 16 : 24, arg);
	char *name = (char *)k->name;

	for (i = 0; i < len; i++)
		name[i] = letters[below(sizeof(letters) - 1)];
	if (odd())
		name[below(len)] = "\" \t\0"[below(4)];
	maybe_invert(k);
}

static void base_tests(void)
{
	if (family == XT2_IPV4 && below(2))
		addr4(XT2_M_SRC4, XT2_M_SRC4_MASK);
	if (family == XT2_IPV4 && below(2))
		addr4(XT2_M_DST4, XT2_M_DST4_MASK);
	if (family == XT2_IPV6 && below(2))
		addr6(XT2_M_SRC6, XT2_M_SRC6_MASK);
	if (family == XT2_IPV6 && below(2))
		addr6(XT2_M_DST6, XT2_M_DST6_MASK);
	if (!below(4))
		iface(XT2_M_IN);
	if (!below(4))
		iface(XT2_M_OUT);
	tcp = !below(4);
	if (tcp)
		match(XT2_M_PROTO, sizeof(struct xt2_match), IPPROTO_TCP);
	else if (below(2))
		maybe_invert(match(XT2_M_PROTO, sizeof(struct xt2_match),
				   (u32)number(below(4) ? 140 : 65535)));
	if (family == XT2_IPV4 && !below(8))
		maybe_invert(match(XT2_M_FRAGMENT, sizeof(struct xt2_match), 0));
}

/* --- extensions --------------------------------------------------------------------- */

static u32 port_range(void)
{
	u32 first = (u32)number(65535);

	switch (below(4)) {
	case 0: return 0xffff0000; /* any */
	case 1: return first | (u32)number(65535) << 16;
	}
	return first | first << 16;
}

/* Bits without a name only now and then. */
static u8 tcp_flags(void)
{
	u8 flags = (u8)below(64);

	if (odd())
		flags |= (u8)(below(4) << 6);
	silent |= flags >> 6;
	return flags;
}

static void ports(int type)
{
	struct xt2_match *m;
	struct xt2_match_ports *k;
	u32 form = below(5), pair;

	if (form == XT2_PORTS_FLAGS && type == XT2_M_UDP)
		form = XT2_PORTS_DST;
	if (form != XT2_PORTS_ALL) {
		m = match(type, sizeof(*m), 0);
		m->flags = (u8)form;
		if (form == XT2_PORTS_FLAGS)
			m->arg = XT2_BYTES(tcp_flags(), tcp_flags(), 0, 0);
		else if (form != XT2_PORTS_NONE)
			m->arg = port_range();
		if (form != XT2_PORTS_NONE)
			maybe_invert(m);
		return;
	}
	k = match(type, sizeof(*k), below(4));
	k->head.flags = (u8)form;
	pair = port_range();
	memcpy(k->spts, &pair, sizeof(pair));
	pair = port_range();
	memcpy(k->dpts, &pair, sizeof(pair));
	if (type == XT2_M_TCP)
		k->head.arg =
			XT2_BYTES(below(16), below(2) ? number(255) : 0, tcp_flags(), tcp_flags());
}

/* Sometimes with a copy of its legacy payload. */
static void udp(void)
{
	struct xt2_match *m;
	u32 i;

	if (!odd()) {
		ports(XT2_M_UDP);
		return;
	}
	m = match(XT2_M_UDP, sizeof(*m) + XT2_VERBATIM_UDP, 0);
	m->flags = XT2_PORTS_NONE | XT2_MATCH_VERBATIM;
	for (i = 0; i < XT2_VERBATIM_UDP; i++)
		((u8 *)(m + 1))[i] = (u8)below(256);
}

static void icmp(void)
{
	u32 type = (u32)number(255), code = (u32)number(255), last = code;

	if (type == 255 && family == XT2_IPV4) {
		code = 0;
		last = 255;
		if (odd())
			code = below(256);
	} else if (!below(2)) {
		code = 0;
		last = 255;
	} else if (odd()) {
		last = below(256);
	}
	match(family == XT2_IPV4 ? XT2_M_ICMP : XT2_M_ICMP6, sizeof(struct xt2_match),
	      XT2_BYTES(type, code, last, below(2)));
}

static void multiport(void)
{
	u32 i, n = odd() ? 0 : 1 + below(XT2_MULTIPORT_MAX), ranges = 0;
	u32 kind = below(3);
	struct xt2_match_multiport *k =
		match(XT2_M_MULTIPORT, (u32)sizeof(*k) + (n + 3) / 4 * 8, 0);

	for (i = 0; i < n; i++) {
		k->ports[i] = (u16)number(65535);
		if (i + 1 < n && !below(3)) {
			ranges |= 1u << i++;
			k->ports[i] = (u16)(k->ports[i - 1] + below(65536u - k->ports[i - 1]));
		}
	}
	k->head.arg = XT2_BYTES(n, kind, 0, 0) | ranges << 16;
	maybe_invert(k);
}

static void mark(void)
{
	struct xt2_match_mark *k =
		match(XT2_M_MARK, below(2) ? sizeof(k->head) : sizeof(*k), (u32)number(~0u));

	if (k->head.size == sizeof(*k))
		k->mask = (u32)number(~0u);
	maybe_invert(k);
	if (odd())
		k->head.flags ^= (u8)(1 << below(7));
}

static void conntrack(void)
{
	struct xt2_match_conntrack *k = match(XT2_M_CONNTRACK, sizeof(*k), below(512));

	if (!(k->head.arg & STATES))
		k->head.arg |= XT_CONNTRACK_STATE_UNTRACKED;
	k->head.flags = 3 << 5;
	k->tests = XT_CONNTRACK_STATE;
	if (below(2))
		k->tests |= XT_CONNTRACK_STATE_ALIAS;
	if (!below(4))
		k->inverted = XT_CONNTRACK_STATE;
	if (odd())
		k->tests = (u16)(below(2) ? XT_CONNTRACK_STATE_ALIAS
					  : XT_CONNTRACK_STATE | XT_CONNTRACK_DIRECTION |
						    XT_CONNTRACK_STATUS);
	if (odd())
		k->head.flags = (u8)(1 + below(2)) << 5;
	if (odd())
		k->head.arg = below(65536) & ~STATES;
}

static void limit(void)
{
	struct xt2_match_limit *k = match(XT2_M_LIMIT, sizeof(*k), (u32)xt2_cell_add(rs));

	do {
		k->avg = (u32)number(below(2) ? ~0u : 864000000) / (below(4) ? 1 : 60);
		k->burst = below(2) ? 5 : (u32)number(~0u);
	} while (!xt2_limit_fits(k->avg, k->burst));
	if (!k->avg)
		common = false;
}

static void comment(void)
{
	static const char letters[] = "abcXYZ0189_-", others[] = " \"\\'\t$/\x80\xff!";
	char text[TEXT_MAX];
	u32 i, len = below(4) ? below(20) : below(256), plain = below(3) ? 4 : 1000;
	int revision = odd();

	if (odd())
		len = 256 + below(TEXT_MAX - 256);
	for (i = 0; i < len; i++)
		text[i] = below(plain) ? letters[below(sizeof(letters) - 1)]
				       : others[below(sizeof(others) - 1)];
	rule_comment(&build,
		     xt2_instance_add(rs, XT2_INSTANCE_COMMENT, revision, "comment", text, len));
}

static void mac(void)
{
	struct xt2_match_mac *k = match(XT2_M_MAC, sizeof(*k), below(2));
	u32 i;

	for (i = 0; i < sizeof(k->addr); i++)
		k->addr[i] = (u8)number(255);
}

static void length(void)
{
	struct xt2_match *m = match(XT2_M_LENGTH, sizeof(*m), port_range());

	maybe_invert(m);
	if (odd())
		m->flags ^= (u8)(1 << below(7));
}

static void statistic(void)
{
	struct xt2_match_statistic *k = match(XT2_M_STATISTIC, sizeof(*k), (u32)xt2_cell_add(rs));

	k->head.flags = below(2) ? XT2_STATISTIC_NTH : 0;
	k->value = (u32)number(~0u);
	if (below(2)) /* so that the last decimal is a tie now and then */
		k->value &= ~0u << below(32);
	k->packet = (u32)number(~0u);
	maybe_invert(k);
}

/* Matches that are left. */
static void other(void)
{
	common = false;
	if (below(2))
		match(XT2_M_CPU, sizeof(struct xt2_match), below(8));
	else
		rule_quota(&build, xt2_cell_add(rs), number(~0ull));
}

static void extension(void)
{
	switch (below(14)) {
	case 0: ports(XT2_M_TCP); break;
	case 1: udp(); break;
	case 2: icmp(); break;
	case 3: multiport(); break;
	case 4: mark(); break;
	case 5: conntrack(); break;
	case 6: limit(); break;
	case 7:
		if (odd())
			other();
		break;
	case 8: mac(); break;
	case 9: length(); break;
	case 10: statistic(); break;
	default: comment();
	}
}

/* --- rules ------------------------------------------------------------------------------ */

static const char *const chains[] = { "INPUT",	 "a", "with blank", "thirty-one-bytes-long-1234567",
				      "q\"uote", "_" };

static bool is_plain(const char *name)
{
	return !strpbrk(name, " \t\"");
}

/* Bytes of a target's data, behind the matches. */
static void data(const void *bytes, u32 size)
{
	memcpy((u8 *)build.room + build.used, bytes, size);
	build.used += (size + 7) & ~7u;
}

/* A reset only for TCP; it is the first one. */
static u32 reject(void)
{
	static const u8 with4[] = { 7, 0, 1, 2, 3, 5, 6, 8 }, with6[] = { 6, 0, 1, 3, 4, 7, 8 };
	u32 n = family == XT2_IPV4 ? sizeof(with4) : sizeof(with6);
	u32 i = tcp ? below(n) : 1 + below(n - 1);

	return XT2_TARGET(XT2_T_REJECT, family == XT2_IPV4 ? with4[i] : with6[i]);
}

static u32 log_target(void)
{
	static const char letters[] = "ab XY-_:\"'\\";
	char prefix[XT2_LOG_PREFIX + 2] = "";
	u32 i, len = below(XT2_LOG_PREFIX);

	for (i = 0; i < len; i++)
		prefix[i] = letters[below(sizeof(letters) - 1)];
	if (len)
		data(prefix, len);
	return XT2_TARGET(XT2_T_LOG, below(8) | (below(2) ? below(32) << 8 : 0));
}

static u32 set_mark(void)
{
	struct xt2_mark mark = { (u32)number(~0u), below(2) ? ~0u : (u32)number(~0u) };

	if (mark.mask == ~0u && mark.mark <= XT2_ARG_MAX)
		return XT2_TARGET(XT2_T_MARK, mark.mark);
	data(&mark, sizeof(mark));
	return XT2_TARGET(XT2_T_MARK, 0);
}

/* To one address and at most one port; now and then to more, or in another way. */
static void to_one(struct nf_nat_range2 *r)
{
	if (family == XT2_IPV6)
		random_addr6((u8 *)&r->min_addr);
	else
		r->min_addr.ip = below(~0u);
	r->max_addr = r->min_addr;
	r->flags = NF_NAT_RANGE_MAP_IPS;
	if (below(2)) {
		r->flags |= NF_NAT_RANGE_PROTO_SPECIFIED;
		r->min_proto.all = r->max_proto.all = htons((u16)number(65535));
	}
	if (odd())
		r->max_addr.all[0] ^= htonl(1);
	if (odd())
		r->max_proto.all ^= htons(1);
	if (odd())
		r->flags ^= 1u << below(5);
}

/* As IPv4 has it for SNAT and MASQUERADE; IPv6 has struct nf_nat_range, which begins as range2. */
static u32 translation(void)
{
	static const char *const names[] = { "DNAT", "SNAT", "MASQUERADE" };
	struct nf_nat_ipv4_multi_range_compat multi = { .rangesize = 1 };
	struct nf_nat_range2 range = { 0 };
	u64 payload[XT_ALIGN(sizeof(range)) / sizeof(u64)] = { 0 };
	u32 which = below(3), size = XT_ALIGN(sizeof(range)), revision = 2;
	const void *from = &range;

	if (which < 2)
		to_one(&range);
	else if (odd())
		range.flags = 1u << below(5);
	if (which && family == XT2_IPV4) {
		multi.range[0] = (struct nf_nat_ipv4_range){
			.flags = range.flags,
			.min_ip = range.min_addr.ip,
			.max_ip = range.max_addr.ip,
			.min = range.min_proto,
			.max = range.max_proto,
		};
		from = &multi;
		size = XT_ALIGN(sizeof(multi));
		revision = 0;
	} else if (which) {
		size = XT_ALIGN(sizeof(struct nf_nat_range));
		revision = which == 1;
	}
	memcpy(payload, from,
	       from == &multi	      ? sizeof(multi)
	       : size < sizeof(range) ? size
				      : sizeof(range));
	return XT2_TARGET(XT2_T_NAT, xt2_instance_add(rs, XT2_INSTANCE_TARGET, (int)revision,
						      names[which], payload, size));
}

static u32 random_target(int table)
{
	const char *name = chains[1 + below(XT2_ARRAY_SIZE(chains) - 1)];

	if (odd())
		return XT2_TARGET(XT2_T_CLASSIFY, 5);
	switch (below(16)) {
	case 0: return XT2_T_CONTINUE;
	case 1: return XT2_T_DROP;
	case 2: return XT2_T_RETURN;
	case 3: return XT2_T_QUEUE;
	case 4: return reject();
	case 5: return log_target();
	case 6: return set_mark();
	case 7:
	case 8:
	case 9: return translation();
	case 10:
	case 11:
		common &= is_plain(name);
		return XT2_TARGET(below(2) ? XT2_T_JUMP : XT2_T_GOTO,
				  xt2_chain_find(rs, table, name));
	}
	return XT2_T_ACCEPT;
}

static void add_rule(int table, int chain)
{
	struct xt2_rule *r;
	u32 matches, n = below(4);

	common = is_plain(xt2_chain_name(rs, chain));
	silent = strange = false;
	rule_begin(&build);
	base_tests();
	while (n--)
		extension();
	matches = build.used;
	r = rule_end(&build, random_target(table));
	r->size = (__u16)build.used;
	r->target_offset = (__u16)matches;
	r->packets = below(4) ? number(~0ull) : 0;
	r->bytes = below(4) ? number(~0ull) : 0;
	if (xt2_rule_append(rs, chain, r, 0)) {
		printf("no such rule may be\n");
		exit(1);
	}
}

struct slow {
	struct xt2_printer printer;
	int chain;
	const struct xt2_rule *rule;
};

static void print_slowly(void *arg)
{
	struct slow *s = arg;

	xt2_print_rule(&s->printer, s->chain, s->rule, true);
}

/* => what libxtables prints, to free(); NULL: it cannot */
static char *slow_text(int chain, const struct xt2_rule *r)
{
	struct slow s = { .chain = chain, .rule = r };
	struct xt2_failure failure;
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	bool printed;

	xt2_print_begin(&s.printer, to, rs, family);
	printed = !xt2_try(print_slowly, &s, &failure);
	fclose(to);
	if (printed)
		return text;
	free(text);
	return NULL;
}

static struct {
	unsigned long taken, left;
} count;

/* => false: the printers do not agree */
static bool compare(const struct xt2_rule_text *t, int chain, const struct xt2_rule *r)
{
	static char text[ROOM];
	char *end = xt2_rule_text(t, r, text, text + sizeof(text));
	char *slow = silent ? NULL : slow_text(chain, r);
	bool good = !common;

	strange = !slow;
	if (end) {
		*end = '\0';
		count.taken++;
		good = slow && !strcmp(slow, text);
	} else {
		count.left++;
	}
	if (!good)
		printf("ours: %slibxtables: %s", end ? text : "left\n", slow ? slow : "nothing\n");
	free(slow);
	return good;
}

/* What is between the chains and the end of a table.  => false: not what libxtables prints */
static bool saves(int table)
{
	char *saved = NULL, *expected = NULL;
	size_t size;
	FILE *save = open_memstream(&saved, &size), *slow = open_memstream(&expected, &size);
	const struct xt2_rule *r;
	unsigned int i;
	int chain;
	char *text;
	bool same;

	same = !xt2_text_save(save, rs, family, NULL, true);
	for (chain = xt2_chain_next(rs, table, -1); chain >= 0;
	     chain = xt2_chain_next(rs, table, chain))
		for (i = 0; (r = xt2_rule_get(rs, chain, i)); i++) {
			text = slow_text(chain, r);
			fputs(text ? text : "", slow);
			free(text);
		}
	fclose(save);
	fclose(slow);
	same = same && strstr(saved, expected);
	if (!same)
		printf("what is saved differs\n");
	free(saved);
	free(expected);
	return same;
}

static const struct xt2_rule *last_rule(int chain)
{
	return xt2_rule_get(rs, chain, xt2_chain_rules(rs, chain) - 1);
}

/* => false: the printers do not agree */
static bool family_agrees(int which, unsigned long rules)
{
	struct xt2_rule_text text;
	bool good = true;
	int table, chain;
	size_t i;

	family = which;
	rs = xt2_ruleset_new();
	table = xt2_table_add(rs, family, "nat", NULL);
	for (i = 1; i < XT2_ARRAY_SIZE(chains); i++)
		xt2_chain_add(rs, table, chains[i]);
	if (xt2_libxt_setup(family, xt2_line_options(family), false))
		return false;
	xt2_rule_text_begin(&text, rs, family, true);
	for (; rules && good; rules--) {
		i = below(3) ? 0 : below(XT2_ARRAY_SIZE(chains));
		chain = xt2_chain_find(rs, table, chains[i]);
		add_rule(table, chain);
		xt2_rule_text_chain(&text, chain);
		good = compare(&text, chain, last_rule(chain));
		if (!good)
			printf("family %d: rule %lu from the end%s\n", family, rules,
			       common ? ", which is common" : "");
		if (silent || strange)
			xt2_rule_delete(rs, chain, xt2_chain_rules(rs, chain) - 1);
	}
	good = good && saves(table);
	xt2_ruleset_free(rs);
	return good;
}

int main(int argc, char **argv)
{
	const char *given = argc > 1 ? argv[1] : getenv("XT2_SEED");
	u64 seed = given ? strtoull(given, NULL, 0) : (u64)time(NULL);
	unsigned long rules = argc > 2 ? strtoul(argv[2], NULL, 0) : RULES;
	bool good;

	printf("rule-text %llu %lu\n", (unsigned long long)seed, rules);
	state = seed * 2 + 1;
	good = family_agrees(XT2_IPV4, rules) && family_agrees(XT2_IPV6, rules);
	printf("%lu taken, %lu left\n", count.taken, count.left);
	return !good || !count.left || count.taken < rules;
}
