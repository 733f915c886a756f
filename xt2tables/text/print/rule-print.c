/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule-print.c - rules as iptables-save prints them
 *
 * The matches of a rule stand in the order in which iptables prints them, so
 * printing is one walk; arptables prints the target first and has an order of
 * its own.  Each condition is printed with a space before it (ARP: after it).
 * The one text that differs on purpose: "! -i +", which no packet matches, is
 * printed, where iptables-save drops it and saves a rule that all packets
 * match.
 */
#include "config.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "xt2tables/text/bridge/bridge.h"
#include "rule-print.h"
#include "xt2tables/text/line.h"
#include "xt2tables/text/text.h"
#include "translators/ext/translate.h"
#include "xt2tables/text/sets.h"

#define PAYLOAD_MAX 0x10000

static struct xt2_failure failure;

const char *xt2_text_why(void)
{
	return failure.message;
}

struct xt2_failure *xt2_text_failure_(void)
{
	failure.message[0] = '\0';
	return &failure;
}

static void __attribute__((noreturn)) damaged(const char *what)
{
	xt2_throw(XT2_E_UNSUPPORTED, OTHER_PROBLEM, "no text can say this: %s", what);
}

void xt2_print_begin(struct xt2_printer *p, FILE *to, const struct xt2_ruleset *rs, int family)
{
	memset(p, 0, sizeof(*p));
	p->to = to;
	p->rs = rs;
	p->family = family;
}

static bool invert(const struct xt2_match *m)
{
	return m->flags & XT2_MATCH_INVERT;
}

static void option(struct xt2_printer *p, const struct xt2_match *m, char letter)
{
	fputs(invert(m) ? " ! -" : " -", p->to);
	fputc(letter, p->to);
	fputc(' ', p->to);
}

/* --- addresses and interfaces ------------------------------------------- */

/* The network and mask of a SRC4, DST4 or of their masked forms. */
void xt2_print_address4(const struct xt2_match *m, struct in_addr *addr, struct in_addr *mask)
{
	const struct xt2_match_addr4_mask *k = (const struct xt2_match_addr4_mask *)m;

	addr->s_addr = htonl(m->arg);
	if (m->type == XT2_M_SRC4_MASK || m->type == XT2_M_DST4_MASK)
		mask->s_addr = htonl(k->mask);
	else
		mask->s_addr = htonl(~0u << (m->flags & XT2_ADDR4_SHIFT));
}

static void put_addr4(FILE *to, struct in_addr addr)
{
	char buf[INET_ADDRSTRLEN];

	fputs(inet_ntop(AF_INET, &addr, buf, sizeof(buf)), to);
}

static void put_mask4(FILE *to, struct in_addr mask)
{
	int prefix = xtables_ipmask_to_cidr(&mask);

	fputc('/', to);
	if (prefix >= 0)
		fprintf(to, "%d", prefix);
	else
		put_addr4(to, mask);
}

static void print_addr4(struct xt2_printer *p, const struct xt2_match *m, char letter)
{
	struct in_addr addr, mask;

	xt2_print_address4(m, &addr, &mask);
	option(p, m, letter);
	put_addr4(p->to, addr);
	put_mask4(p->to, mask);
}

static void print_addr6(struct xt2_printer *p, const struct xt2_match *m, char letter)
{
	const struct xt2_match_addr6_mask *k = (const struct xt2_match_addr6_mask *)m;
	char buf[INET6_ADDRSTRLEN];
	struct in6_addr mask;
	int prefix = 128;

	option(p, m, letter);
	fputs(inet_ntop(AF_INET6, k->addr, buf, sizeof(buf)), p->to);
	if (m->type == XT2_M_SRC6_MASK || m->type == XT2_M_DST6_MASK) {
		memcpy(&mask, k->mask, sizeof(mask));
		prefix = xtables_ip6mask_to_cidr(&mask);
	}
	fputc('/', p->to);
	if (prefix >= 0)
		fprintf(p->to, "%d", prefix);
	else
		fputs(inet_ntop(AF_INET6, &mask, buf, sizeof(buf)), p->to);
}

/*
 * A name as one word.  iptables-save never quotes names, and cannot read its
 * text again if one has a blank; kernel and ip(8) don't give such names, but
 * text may.
 */
static void put_name(FILE *to, const char *name)
{
	if (!name[strcspn(name, " \t\"")]) {
		fputs(name, to);
		return;
	}
	fputc('"', to);
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			fputc('\\', to);
		fputc(*name, to);
	}
	fputc('"', to);
}

void xt2_print_iface(const struct xt2_match *m, char name[XT2_IFACE_TEXT])
{
	const struct xt2_match_iface *k = (const struct xt2_match_iface *)m;
	const struct xt2_match_iface_mask *masked = (const struct xt2_match_iface_mask *)m;
	size_t len;

	memset(name, 0, XT2_IFACE_TEXT);
	if (m->type == XT2_M_IN_MASK || m->type == XT2_M_OUT_MASK) {
		if (masked->mask[0] | masked->mask[1])
			damaged("an interface name with holes");
		name[0] = '+';
		return;
	}
	len = strnlen((const char *)k->name, m->arg < IFNAMSIZ ? m->arg : IFNAMSIZ);
	memcpy(name, k->name, len);
	if (len == m->arg)
		name[len] = '+';
}

static void put_iface(FILE *to, const struct xt2_match *m)
{
	char name[XT2_IFACE_TEXT];

	xt2_print_iface(m, name);
	put_name(to, name);
}

static void print_iface(struct xt2_printer *p, const struct xt2_match *m, char letter)
{
	option(p, m, letter);
	put_iface(p->to, m);
}

static void print_proto(struct xt2_printer *p, const struct xt2_match *m)
{
	const char *name;

	if (!m->arg) /* "-p all" of IPv6: iptables-save leaves it out, too */
		return;
	option(p, m, 'p');
	name = xt2_libxt_proto_name(m->arg);
	if (name)
		fputs(name, p->to);
	else
		fprintf(p->to, "%u", m->arg);
}

/* --- extensions --------------------------------------------------------- */

static __u8 payload[PAYLOAD_MAX] __attribute__((aligned(16)));

static const struct xt2_instance *instance(const struct xt2_printer *p, __u32 i)
{
	const struct xt2_instance *in = xt2_instance_get(p->rs, i);

	if (!in || in->size > PAYLOAD_MAX)
		damaged("an instance that is not there");
	return in;
}

/* What libxtables is given of an instance.  => bytes at payload */
static unsigned int instance_payload(const struct xt2_instance *in)
{
	const struct xt2_sets *sets = xt2_sets_find(in->kind, in->name, in->revision);

	if (!sets) {
		memcpy(payload, xt2_instance_data(in), in->size);
		return in->size;
	}
	if (xt2_sets_show(sets, in, payload) < 0)
		xt2_throw(XT2_E_UNSUPPORTED, OTHER_PROBLEM, "ipset number %d is not known by name",
			  xt2_sets_nameless(sets, in));
	return sets->size;
}

void xt2_print_native_match(const struct xt2_printer *p, const struct xt2_match *m,
			    struct xt2_native *n)
{
	const struct xt2_row *row;
	const struct xt2_instance *in;
	int size;

	n->payload = payload;
	if (m->type == XT2_M_COMMENT) {
		in = instance(p, m->arg);
		memset(payload, 0, XT_ALIGN(256));
		memcpy(payload, xt2_instance_data(in), in->size < 256 ? in->size : 255);
		n->name = "comment";
		n->revision = in->revision;
		n->size = 256;
		return;
	}
	if (m->type == XT2_M_FOREIGN) {
		in = instance(p, m->arg);
		n->name = in->name;
		n->revision = in->revision;
		n->size = instance_payload(in);
		return;
	}
	size = xt2_match_unpack((__u8)p->family, m, &row, payload, sizeof(payload));
	if (size < 0)
		damaged(xt2_match_name(m->type) ? xt2_match_name(m->type) : "an unknown match");
	n->name = row->name;
	n->revision = row->revision;
	n->size = (unsigned int)size;
}

static void print_extension(struct xt2_printer *p, const struct xt2_match *m)
{
	struct xt2_native n;

	xt2_print_native_match(p, m, &n);
	xt2_libxt_print_match(p->to, &p->entry, n.name, n.revision, n.payload, n.size);
}

/* => bytes at payload; 0: a target without data, whose name is then all */
static unsigned int target_payload(const struct xt2_printer *p, const struct xt2_rule *r,
				   const char **name, int *revision)
{
	unsigned int kind = XT2_TARGET_KIND(r->target);
	const struct xt2_row *row;
	const struct xt2_instance *in;
	int size;

	*revision = -1;
	if (kind == XT2_T_JUMP || kind == XT2_T_GOTO) {
		*name = xt2_chain_name(p->rs, (int)XT2_TARGET_ARG(r->target));
		if (!*name)
			damaged("a jump to nowhere");
		return 0;
	}
	if (kind <= XT2_T_QUEUE) {
		*name = kind ? xt2_target_name((__u8)kind) : "";
		return 0;
	}
	if (kind == XT2_T_FOREIGN || kind == XT2_T_NAT) {
		in = instance(p, XT2_TARGET_ARG(r->target));
		*name = in->name;
		*revision = in->revision;
		return instance_payload(in);
	}
	size = xt2_target_unpack((__u8)p->family, r, &row, payload, sizeof(payload));
	if (size < 0)
		damaged(xt2_target_name((__u8)kind) ? xt2_target_name((__u8)kind)
						    : "an unknown target");
	*name = row->name;
	*revision = row->revision;
	return (unsigned int)size;
}

void xt2_print_native_target(const struct xt2_printer *p, const struct xt2_rule *r,
			     struct xt2_native *n)
{
	n->payload = payload;
	n->size = target_payload(p, r, &n->name, &n->revision);
}

void xt2_print_target(struct xt2_printer *p, const struct xt2_rule *r)
{
	const char *name;
	int revision;
	unsigned int size = target_payload(p, r, &name, &revision);

	if (revision >= 0) {
		xt2_libxt_print_target(p->to, &p->entry, name, revision, payload, size, false);
	} else if (*name) {
		fputs(XT2_TARGET_KIND(r->target) == XT2_T_GOTO ? " -g " : " -j ", p->to);
		put_name(p->to, name);
	}
}

void xt2_print_match(struct xt2_printer *p, const struct xt2_match *m)
{
	switch (m->type) {
	case XT2_M_SRC4:
	case XT2_M_SRC4_MASK: print_addr4(p, m, 's'); return;
	case XT2_M_DST4:
	case XT2_M_DST4_MASK: print_addr4(p, m, 'd'); return;
	case XT2_M_SRC6:
	case XT2_M_SRC6_MASK: print_addr6(p, m, 's'); return;
	case XT2_M_DST6:
	case XT2_M_DST6_MASK: print_addr6(p, m, 'd'); return;
	case XT2_M_IN:
	case XT2_M_IN_MASK: print_iface(p, m, 'i'); return;
	case XT2_M_OUT:
	case XT2_M_OUT_MASK: print_iface(p, m, 'o'); return;
	case XT2_M_PROTO: print_proto(p, m); return;
	case XT2_M_FRAGMENT: fputs(invert(m) ? " ! -f" : " -f", p->to); return;
	}
	print_extension(p, m);
}

/* --- ARP ----------------------------------------------------------------- */

static void arp_mac(FILE *to, const struct xt2_match *m)
{
	const struct xt2_match_arp_dev *k = (const struct xt2_match_arp_dev *)m;

	if (m->arg != 6)
		damaged("a hardware address that is not 6 bytes long");
	xt2_print_mac(to, k->addr, k->mask);
}

/*
 * VALUE/MASK.  arptables reads hardware types as hexadecimal and prints them as
 * decimal: from 10 on they are written so that both agree.
 */
static void arp_number(FILE *to, const struct xt2_match *m)
{
	unsigned int value = m->arg & 0xffff, mask = m->arg >> 16;
	unsigned int full = m->type == XT2_M_ARP_HLN ? 255 : 65535;
	/* the largest number that is printed as decimal */
	const unsigned int decimal = m->type == XT2_M_ARP_HRD ? 9 : 65535;
	const bool hex = m->type == XT2_M_ARP_PRO;

	fprintf(to, hex || value > decimal ? "0x%x" : "%u", value);
	if (mask != full)
		fprintf(to, hex || mask > decimal ? "/0x%x" : "/%u", mask);
}

static void arp_addr(FILE *to, const struct xt2_match *m)
{
	struct in_addr addr, mask;

	xt2_print_address4(m, &addr, &mask);
	put_addr4(to, addr);
	if (mask.s_addr != 0xffffffff)
		put_mask4(to, mask);
}

/* In the order in which arptables prints. */
static const struct {
	__u8 type;
	const char *option;
	void (*put)(FILE *to, const struct xt2_match *m);
} arp_conditions[] = {
	{ XT2_M_IN, "-i", put_iface },
	{ XT2_M_IN_MASK, "-i", put_iface },
	{ XT2_M_OUT, "-o", put_iface },
	{ XT2_M_OUT_MASK, "-o", put_iface },
	{ XT2_M_SRC4, "-s", arp_addr },
	{ XT2_M_SRC4_MASK, "-s", arp_addr },
	{ XT2_M_ARP_SHA, "--src-mac", arp_mac },
	{ XT2_M_DST4, "-d", arp_addr },
	{ XT2_M_DST4_MASK, "-d", arp_addr },
	{ XT2_M_ARP_THA, "--dst-mac", arp_mac },
	{ XT2_M_ARP_HLN, "--h-length", arp_number },
	{ XT2_M_ARP_OP, "--opcode", arp_number },
	{ XT2_M_ARP_HRD, "--h-type", arp_number },
	{ XT2_M_ARP_PRO, "--proto-type", arp_number },
};

/* => false: not a condition of an ARP rule */
static bool print_arp_match(struct xt2_printer *p, const struct xt2_match *m)
{
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(arp_conditions); i++) {
		if (arp_conditions[i].type != m->type)
			continue;
		fprintf(p->to, "%s%s ", invert(m) ? "! " : "", arp_conditions[i].option);
		arp_conditions[i].put(p->to, m);
		fputc(' ', p->to);
		return true;
	}
	return false;
}

/* => true: not everything that was printed is there */
static bool close_lost(FILE *to)
{
	bool lost = ferror(to);

	return fclose(to) || lost;
}

/* Where the options of a target go for a moment. */
struct arp_options {
	struct xt2_printer *p;
	FILE *mem;
	const struct xt2_native *n;
	enum xt2_arp_words words;
};

static void arp_options(void *arg)
{
	const struct arp_options *a = arg;
	const struct xt2_native *n = a->n;

	if (a->words == XT2_ARP_SAVED)
		xt2_libxt_print_target(a->mem, &a->p->entry, n->name, n->revision, n->payload,
				       n->size, true);
	else
		xt2_libxt_list_target(a->mem, &a->p->entry, n->name, n->revision, n->payload,
				      n->size, a->words == XT2_ARP_NUMBERS);
}

void xt2_print_arp_options(struct xt2_printer *p, const struct xt2_native *n,
			   enum xt2_arp_words words)
{
	struct arp_options a = { .p = p, .n = n, .words = words };
	struct xt2_failure f;
	char *text = NULL, *options;
	size_t len = 0;
	bool thrown, lost;

	a.mem = open_memstream(&text, &len);
	if (!a.mem)
		xt2_no_memory();
	thrown = xt2_try(arp_options, &a, &f);
	lost = close_lost(a.mem) || !text;
	if (!thrown && !lost) {
		options = text + (*text == ' ');
		fputs(options, p->to);
		if (*options && strcmp(n->name, "MARK"))
			fputc(' ', p->to);
	}
	free(text);
	if (thrown)
		xt2_rethrow(&f);
	if (lost)
		xt2_no_memory();
}

static void print_arp_jump(FILE *to, const char *name)
{
	fputs("-j ", to);
	put_name(to, name);
	fputc(' ', to);
}

static void print_arp_rule(struct xt2_printer *p, const struct xt2_rule *r)
{
	const struct xt2_match *m;
	struct xt2_native n;
	unsigned int known = 0, all = 0;
	size_t i;

	xt2_print_native_target(p, r, &n);
	if (*n.name)
		print_arp_jump(p->to, n.name);
	xt2_rule_for_each_match(m, r)
		all++;
	for (i = 0; i < XT2_ARRAY_SIZE(arp_conditions); i++)
		xt2_rule_for_each_match(m, r)
			if (m->type == arp_conditions[i].type)
				known += print_arp_match(p, m);
	if (known != all)
		damaged("a match in an ARP rule");
	if (n.revision >= 0)
		xt2_print_arp_options(p, &n, XT2_ARP_SAVED);
}

/* --- rules ---------------------------------------------------------------- */

/* The parts of a legacy rule that printers of extensions look at. */
void xt2_print_rule_begin(struct xt2_printer *p, const struct xt2_rule *r)
{
	const struct xt2_match *m;

	memset(&p->entry, 0, sizeof(p->entry));
	if (p->family == XT2_ARP || p->family == XT2_BRIDGE)
		return;
	xt2_rule_for_each_match(m, r) {
		if (m->type != XT2_M_PROTO)
			continue;
		if (p->family == XT2_IPV6) {
			p->entry.ip6.ipv6.proto = (__u16)m->arg;
			p->entry.ip6.ipv6.flags = IP6T_F_PROTO;
			p->entry.ip6.ipv6.invflags = invert(m) ? XT_INV_PROTO : 0;
		} else {
			p->entry.ip.ip.proto = (__u16)m->arg;
			p->entry.ip.ip.invflags = invert(m) ? XT_INV_PROTO : 0;
		}
	}
}

static void print_rule(struct xt2_printer *p, int chain, const struct xt2_rule *r, bool counters)
{
	const struct xt2_match *m;

	xt2_print_rule_begin(p, r);
	fputs("-A ", p->to);
	put_name(p->to, xt2_chain_name(p->rs, chain));
	if (p->family == XT2_BRIDGE) {
		xt2_bridge_print(p, xt2_chain_table(p->rs, chain), r, counters);
		return;
	}
	if (p->family == XT2_ARP) {
		fputc(' ', p->to);
		print_arp_rule(p, r);
		return;
	}
	xt2_rule_for_each_match(m, r)
		xt2_print_match(p, m);
	if (p->counters_after)
		fprintf(p->to, " -c %llu %llu", (unsigned long long)r->packets,
			(unsigned long long)r->bytes);
	xt2_print_target(p, r);
}

void xt2_print_rule(struct xt2_printer *p, int chain, const struct xt2_rule *r, bool counters)
{
	if (counters && p->family != XT2_BRIDGE)
		fprintf(p->to, "[%llu:%llu] ", (unsigned long long)r->packets,
			(unsigned long long)r->bytes);
	print_rule(p, chain, r, counters);
	fputc('\n', p->to);
}

/* --- parts of rules as strings -------------------------------------------- */

struct part {
	struct xt2_printer printer;
	int chain;
	const struct xt2_rule *rule;
	const struct xt2_match *match;
};

static void part_rule(void *arg)
{
	struct part *part = arg;

	print_rule(&part->printer, part->chain, part->rule, false);
}

static void part_match(void *arg)
{
	struct part *part = arg;
	struct xt2_printer *p = &part->printer;

	if (p->family == XT2_BRIDGE)
		xt2_bridge_print_match(p, part->match);
	else if (p->family != XT2_ARP)
		xt2_print_match(p, part->match);
	else if (!print_arp_match(p, part->match))
		damaged("a match in an ARP rule");
}

static void part_target(void *arg)
{
	struct part *part = arg;
	struct xt2_printer *p = &part->printer;
	struct xt2_native n;

	xt2_print_rule_begin(p, part->rule);
	if (p->family == XT2_BRIDGE) {
		xt2_bridge_print_target(p, xt2_chain_table(p->rs, part->chain), part->rule);
		return;
	}
	if (p->family != XT2_ARP) {
		xt2_print_target(p, part->rule);
		return;
	}
	xt2_print_native_target(p, part->rule, &n);
	if (*n.name)
		print_arp_jump(p->to, n.name);
	if (n.revision >= 0)
		xt2_print_arp_options(p, &n, XT2_ARP_SAVED);
}

/* Print a part into buf, without the blanks at its ends.  => length, -errno */
static int part_text(struct part *part, const struct xt2_ruleset *rs, void (*print)(void *arg),
		     char *buf, size_t size)
{
	int table = xt2_chain_table(rs, part->chain), ret;
	char *text = NULL, *start;
	size_t len = 0;
	FILE *mem;

	failure.message[0] = '\0';
	if (table < 0)
		return -ENOENT;
	mem = open_memstream(&text, &len);
	if (!mem)
		return -ENOMEM;
	xt2_print_begin(&part->printer, mem, rs, xt2_table_family(rs, table));
	ret = xt2_libxt_setup(part->printer.family, xt2_line_options(part->printer.family), false);
	if (!ret)
		ret = xt2_try(print, part, &failure) ? -EOPNOTSUPP : 0;
	if ((close_lost(mem) || !text) && !ret)
		ret = -ENOMEM;
	if (!ret) {
		for (start = text; *start == ' '; start++)
			;
		for (len = strlen(start); len && start[len - 1] == ' '; len--)
			start[len - 1] = '\0';
		ret = (int)len;
		if (size)
			snprintf(buf, size, "%s", start);
	}
	free(text);
	return ret;
}

int xt2_text_rule(const struct xt2_ruleset *rs, int chain, unsigned int at, char *buf, size_t size)
{
	struct part part = { .chain = chain, .rule = xt2_rule_get(rs, chain, at) };

	if (!part.rule)
		return -ENOENT;
	return part_text(&part, rs, part_rule, buf, size);
}

int xt2_text_match(const struct xt2_ruleset *rs, int chain, const struct xt2_match *m, char *buf,
		   size_t size)
{
	struct part part = { .chain = chain, .match = m };

	return part_text(&part, rs, part_match, buf, size);
}

int xt2_text_target(const struct xt2_ruleset *rs, int chain, const struct xt2_rule *r, char *buf,
		    size_t size)
{
	struct part part = { .chain = chain, .rule = r };

	return part_text(&part, rs, part_target, buf, size);
}
