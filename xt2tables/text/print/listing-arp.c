/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing-arp.c - rules of ARP as arptables -L lists them
 *
 * The words of the options in an order of its own, without columns; numbers
 * have names unless -n is given, and the counters come last.
 */
#include "config.h"
#include <string.h>
#include "listing.h"
#include "xt2tables/text/line.h"
#include "engine/image.h"

static void begin(FILE *to, const struct xt2_match *m, const char *option)
{
	fprintf(to, "%s%s ", m && m->flags & XT2_MATCH_INVERT ? "! " : "", option);
}

static void put_iface(FILE *to, const struct xt2_match *m, const char *option,
		      const struct xt2_listing *how)
{
	char name[XT2_IFACE_TEXT] = "";

	if (!m && !how->verbose)
		return;
	if (m)
		xt2_print_iface(m, name);
	begin(to, m, option);
	fprintf(to, "%s ", *name ? name : how->numeric ? "*" : "any");
}

static void put_address(FILE *to, const struct xt2_match *m, const char *option,
			const struct xt2_listing *how)
{
	struct in_addr addr, mask;

	if (!m)
		return;
	xt2_print_address4(m, &addr, &mask);
	begin(to, m, option);
	fputs(how->numeric ? xtables_ipaddr_to_numeric(&addr) : xtables_ipaddr_to_anyname(&addr),
	      to);
	fprintf(to, "%s ", xtables_ipmask_to_numeric(&mask));
}

static void put_mac(FILE *to, const struct xt2_match *m, const char *option)
{
	const struct xt2_match_arp_dev *k = (const struct xt2_match_arp_dev *)m;

	if (!m)
		return;
	begin(to, m, option);
	xt2_print_mac(to, k->addr, k->mask);
	fputc(' ', to);
}

static void put_length(FILE *to, const struct xt2_match *m)
{
	if (!m)
		return;
	begin(to, m, "--h-length");
	fprintf(to, "%u", m->arg & 0xffff);
	if (m->arg >> 16 != 255)
		fprintf(to, "/%u", m->arg >> 16);
	fputc(' ', to);
}

/* A number of 16 bits that may have a name; its mask in the base of the number. */
static void put_number(FILE *to, const struct xt2_match *m, const char *option, const char *name,
		       bool hex)
{
	if (!m)
		return;
	begin(to, m, option);
	if (name)
		fputs(name, to);
	else
		fprintf(to, hex ? "0x%x" : "%u", m->arg & 0xffff);
	if (m->arg >> 16 != 65535)
		fprintf(to, hex ? "/%x" : "/%u", m->arg >> 16);
	fputc(' ', to);
}

static const char *name_of(const struct xt2_match *m, const struct xt2_listing *how)
{
	const unsigned int value = m ? m->arg & 0xffff : 0;

	if (!m || how->numeric)
		return NULL;
	switch (m->type) {
	case XT2_M_ARP_OP: return xt2_arp_opcode(value);
	case XT2_M_ARP_HRD: return value == 1 ? "Ethernet" : NULL;
	case XT2_M_ARP_PRO: return value == 0x800 ? "IPv4" : NULL;
	}
	return NULL;
}

/* The match of one type or the other. */
static const struct xt2_match *find(const struct xt2_rule *r, int type, int other)
{
	const struct xt2_match *m;

	xt2_rule_for_each_match(m, r)
		if (m->type == type || m->type == other)
			return m;
	return NULL;
}

static void put_tests(FILE *to, const struct xt2_rule *r, const struct xt2_listing *how)
{
	const struct xt2_match *m;

	put_iface(to, find(r, XT2_M_IN, XT2_M_IN_MASK), "-i", how);
	put_iface(to, find(r, XT2_M_OUT, XT2_M_OUT_MASK), "-o", how);
	put_address(to, find(r, XT2_M_SRC4, XT2_M_SRC4_MASK), "-s", how);
	put_mac(to, find(r, XT2_M_ARP_SHA, XT2_M_ARP_SHA), "--src-mac");
	put_address(to, find(r, XT2_M_DST4, XT2_M_DST4_MASK), "-d", how);
	put_mac(to, find(r, XT2_M_ARP_THA, XT2_M_ARP_THA), "--dst-mac");
	put_length(to, find(r, XT2_M_ARP_HLN, XT2_M_ARP_HLN));
	m = find(r, XT2_M_ARP_OP, XT2_M_ARP_OP);
	put_number(to, m, "--opcode", name_of(m, how), false);
	m = find(r, XT2_M_ARP_HRD, XT2_M_ARP_HRD);
	put_number(to, m, "--h-type", name_of(m, how), false);
	m = find(r, XT2_M_ARP_PRO, XT2_M_ARP_PRO);
	put_number(to, m, "--proto-type", name_of(m, how), true);
}

void xt2_listing_arp_rule(struct xt2_printer *p, const struct xt2_rule *r, unsigned int number,
			  const struct xt2_listing *how)
{
	struct xt2_native n;

	xt2_print_rule_begin(p, r);
	xt2_print_native_target(p, r, &n);
	if (number)
		fprintf(p->to, "%u ", number);
	if (*n.name)
		fprintf(p->to, "-j %s ", n.name);
	put_tests(p->to, r, how);
	if (n.revision >= 0)
		xt2_print_arp_options(p, &n, how->numeric ? XT2_ARP_NUMBERS : XT2_ARP_NAMES);
	if (!how->verbose || how->uncounted)
		return;
	fputs(", pcnt=", p->to);
	xt2_listing_number(p->to, r->packets, 0, how->exact);
	fputs("-- bcnt=", p->to);
	xt2_listing_number(p->to, r->bytes, 0, how->exact);
}
