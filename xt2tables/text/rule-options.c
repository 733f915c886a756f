/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule-options.c - the options of a rule that belong to no extension
 *
 * One row per option says what it fills in; messages are those of
 * iptables 1.8 and, for ARP, of arptables.
 */
#include "config.h"
#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <netinet/ether.h>
#include <stdlib.h>
#include <string.h>
#include "line.h"
#include "xt2tables/tables/where.h"
#include "engine/env.h"
#include "libxt2/printable.h"

/* What "-%c" in a message stands for. */
static const char option_letters[XT2_OPT_COUNT] = {
	'n', 's', 'd', 'p', 'j', 'v', 'x', 'i', 'o', '0', 'c', 'f', '2', '3', 'l', '4', '5', '6',
};

/* Options of lists, which no rule has. */
#define LISTING \
	(XT2_OPT_BIT(XT2_OPT_NUMERIC) | XT2_OPT_BIT(XT2_OPT_EXACT) | XT2_OPT_BIT(XT2_OPT_LINES))

#define NOT_INVERTIBLE                                                         \
	(LISTING | XT2_OPT_BIT(XT2_OPT_JUMP) | XT2_OPT_BIT(XT2_OPT_COUNTERS) | \
	 XT2_OPT_BIT(XT2_OPT_VERBOSE))

#define RULE_COMMANDS "AIDRC"

/* Is the next word an argument rather than an option? */
static bool has_word(const struct xt2_line *l)
{
	const char *word = optind < l->words.count ? l->words.word[optind] : NULL;

	return word && word[0] != '-' && word[0] != '!';
}

static char *next_word(struct xt2_line *l)
{
	l->at = optind;
	return l->words.word[optind++];
}

static unsigned int rule_number(const char *text)
{
	unsigned int number;

	if (!xtables_strtoui(text, NULL, &number, 1, INT_MAX))
		xt2_bad_text("Invalid rule number `%s'", text);
	return number;
}

static bool lists(char command)
{
	return command == 'L' || command == 'S';
}

static void set_command(struct xt2_line *l, char command, bool invert)
{
	if (invert)
		xt2_bad_text("unexpected '!' flag");
	if ((lists(l->command) && command == 'Z') || (l->command == 'Z' && lists(command))) {
		l->zero = true;
		l->command = lists(command) ? command : l->command;
		return;
	}
	if (l->command)
		xt2_bad_text("Cannot use -%c with -%c", command, l->command);
	l->command = command;
}

/* => false: nothing more to read; arptables also takes "-s ! ADDRESS" */
static char *set_option(struct xt2_line *l, enum xt2_option o, char *arg, bool invert)
{
	if (l->family == XT2_ARP && arg && !strcmp(arg, "!")) {
		if (invert)
			xt2_bad_text("Multiple `!' flags not allowed");
		if (optind >= l->words.count)
			xt2_bad_text("no argument following `!'");
		arg = next_word(l);
		invert = true;
	}
	if (l->given & XT2_OPT_BIT(o))
		xt2_bad_text("multiple -%c flags not allowed", option_letters[o]);
	if (invert && NOT_INVERTIBLE & XT2_OPT_BIT(o))
		xt2_bad_text("cannot have ! before -%c", option_letters[o]);
	l->given |= XT2_OPT_BIT(o);
	if (invert)
		l->inverted |= XT2_OPT_BIT(o);
	return arg;
}

static void chain_length_check(const char *name)
{
	if (strlen(name) >= XT_EXTENSION_MAXNAMELEN)
		xt2_bad_text("chain name `%s' too long (must be under %u chars)", name,
			     XT_EXTENSION_MAXNAMELEN);
}

/* @what: "chain", "target" */
static void blanks_check(const char *what, const char *name)
{
	const char *p;

	for (p = name; *p; p++)
		if (isspace((unsigned char)*p))
			xt2_bad_text("Invalid %s name `%s'", what, name);
}

static void chain_name_check(const char *name)
{
	chain_length_check(name);
	if (*name == '-' || *name == '!')
		xt2_bad_text("chain name not allowed to start with `%c'", *name);
	if (xtables_find_target(name, XTF_TRY_LOAD))
		xt2_bad_text("chain name may not clash with target name");
	blanks_check("chain", name);
}

static void command_option(struct xt2_line *l, int c, char *arg, bool invert)
{
	set_command(l, (char)c, invert);
	if (c == 'N')
		chain_name_check(arg);
	if (arg)
		l->chain = arg;
	else if (has_word(l)) /* F X Z L S: the chain is optional */
		l->chain = next_word(l);
	switch (c) {
	case 'L':
	case 'S':
		if (l->family != XT2_ARP && has_word(l))
			l->number = rule_number(next_word(l));
		break;
	case 'I': l->number = 1; __fallthrough;
	case 'D':
	case 'R':
	case 'Z':
		if (has_word(l)) {
			l->number = rule_number(next_word(l));
			l->by_number = c == 'D' || c == 'Z';
		} else if (c == 'R') {
			xt2_bad_text("-R requires a rule number");
		}
		break;
	case 'E':
		if (!has_word(l))
			xt2_bad_text("-E requires old-chain-name and new-chain-name");
		l->newname = next_word(l);
		break;
	case 'P':
		if (!has_word(l))
			xt2_bad_text("-P requires a chain and a policy");
		l->policy = next_word(l);
		break;
	}
}

/* Headers of IPv6 that are not the last one: -p looks for that. */
static void never_matched(const struct xt2_line *l, bool inverted)
{
	if (!l->alone || l->family != XT2_IPV6 || inverted)
		return;
	if (l->proto == IPPROTO_ROUTING || l->proto == IPPROTO_FRAGMENT || l->proto == IPPROTO_AH ||
	    l->proto == IPPROTO_DSTOPTS)
		xt2_print_line(stderr,
			       "Warning: never matched protocol: %s. "
			       "use extension match instead.",
			       l->protocol);
}

static void protocol_option(struct xt2_line *l, char *arg)
{
	bool inverted = l->inverted & XT2_OPT_BIT(XT2_OPT_PROTOCOL);
	char *p;

	for (p = arg; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	l->protocol = arg;
	l->proto = xtables_parse_protocol(arg);
	if (!l->proto && inverted)
		xt2_bad_text("rule would never match protocol");
	never_matched(l, inverted);
	/* parsers of extensions look at these */
	if (l->family == XT2_IPV6) {
		l->ext.entry.ip6.ipv6.proto = (__u16)l->proto;
		l->ext.entry.ip6.ipv6.flags |= IP6T_F_PROTO;
		l->ext.entry.ip6.ipv6.invflags |= inverted ? XT_INV_PROTO : 0;
	} else {
		l->ext.entry.ip.ip.proto = (__u16)l->proto;
		l->ext.entry.ip.ip.invflags |= inverted ? XT_INV_PROTO : 0;
	}
}

/* Of "eth+" 3 bytes are compared; of "eth0" 5, its NUL included. */
void xt2_iface_set(struct xt2_iface *i, const char *name, size_t len)
{
	const bool all = name[len - 1] != '+';

	memset(i->name, 0, sizeof(i->name));
	memcpy(i->name, name, all ? len : len - 1);
	i->len = (unsigned int)(all ? len + 1 : len - 1);
}

static void iface_option(struct xt2_line *l, const char *arg, struct xt2_iface *iface)
{
	char name[IFNAMSIZ];
	unsigned char mask[IFNAMSIZ];

	if (!*arg)
		xt2_bad_text("Empty interface is likely to be undesired");
	if (l->family == XT2_ARP && !strcmp(arg, "!"))
		xt2_bad_text("arptables reads an interface named ! as an inversion");
	xtables_parse_interface(arg, name, mask);
	xt2_iface_set(iface, name, strlen(name));
}

static void target_name_check(const char *name)
{
	if (!*name)
		xt2_bad_text("Invalid target name (too short)");
	if (strlen(name) >= XT_EXTENSION_MAXNAMELEN)
		xt2_bad_text("Invalid target name `%s' (%u chars max)", name,
			     XT_EXTENSION_MAXNAMELEN - 1);
	blanks_check("target", name);
}

static void counters_option(struct xt2_line *l, char *arg)
{
	char *second = strchr(arg + (*arg != '\0'), ',');
	unsigned long long packets, bytes;

	if (second)
		second++;
	else if (has_word(l))
		second = next_word(l);
	if (!second)
		xt2_bad_text("-c requires packet and byte counter");
	if (sscanf(arg, "%llu", &packets) != 1)
		xt2_bad_text("-c packet counter not numeric");
	if (sscanf(second, "%llu", &bytes) != 1)
		xt2_bad_text("-c byte counter not numeric");
	l->packets = packets;
	l->bytes = bytes;
}

/* NUMBER[/MASK] in the base that arptables reads it in.  => false: not a number */
static bool arp_number(const char *text, int base, long max, struct xt2_field *f)
{
	const char *slash = strrchr(text, '/');
	char head[64], *end;
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	long v;

	if (len >= sizeof(head))
		return false;
	memcpy(head, text, len);
	head[len] = '\0';
	f->mask = (__u16)max;
	if (slash) {
		v = strtol(slash + 1, &end, base);
		if (*end || end == slash + 1 || v < 0 || v > max)
			return false;
		f->mask = (__u16)v;
	}
	v = strtol(head, &end, base);
	if (*end || end == head || v < 0 || v > max)
		return false;
	f->value = (__u16)v;
	return true;
}

static const char *const arp_opcodes[] = {
	"Request",     "Reply",	      "Request_Reverse", "Reply_Reverse", "DRARP_Request",
	"DRARP_Reply", "DRARP_Error", "InARP_Request",	 "ARP_NAK",
};
const char *xt2_arp_opcode(unsigned int number)
{
	return number && number <= XT2_ARRAY_SIZE(arp_opcodes) ? arp_opcodes[number - 1] : NULL;
}

static const char *const ethernet = "Ethernet", *const ipv4 = "ipv4";

/* A number, or one of the names, whose numbers begin with first. */
static void arp_named(const char *arg, int base, const char *const *names, size_t n,
		      unsigned int first, struct xt2_field *f, const char *what)
{
	size_t i;

	if (arp_number(arg, base, 65535, f))
		return;
	for (i = 0; i < n && strcasecmp(arg, names[i]); i++)
		;
	if (i == n)
		xt2_bad_text("Problem with specified %s", what);
	f->value = (__u16)(first + i);
	f->mask = 65535;
}

static void arp_mac(char *arg, struct xt2_mac *m, const char *what)
{
	static const struct {
		const char *name;
		struct xt2_mac mac;
	} named[] = {
		{ "Unicast", { { 0 }, { 1 } } },
		{ "Multicast", { { 1 }, { 1 } } },
		{ "Broadcast",
		  { { 255, 255, 255, 255, 255, 255 }, { 255, 255, 255, 255, 255, 255 } } },
	};
	char *slash = strrchr(arg, '/');
	struct ether_addr a, k;
	bool good;
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(named); i++)
		if (!strcasecmp(arg, named[i].name)) {
			*m = named[i].mac;
			return;
		}
	memset(&k, 0xff, sizeof(k));
	/* The word stays whole: if this is the quick reader, the full one may follow. */
	if (slash)
		*slash = '\0';
	good = ether_aton_r(arg, &a) && (!slash || ether_aton_r(slash + 1, &k));
	if (slash)
		*slash = '/';
	if (!good)
		xt2_bad_text("Problem with specified %s mac", what);
	for (i = 0; i < 6; i++) {
		m->mask[i] = k.ether_addr_octet[i];
		m->addr[i] = a.ether_addr_octet[i] & k.ether_addr_octet[i];
	}
}

static bool arp_option(struct xt2_line *l, int c, char *arg, bool invert)
{
	switch (c) {
	case 2:
		arp_mac(set_option(l, XT2_OPT_SRC_MAC, arg, invert), &l->sha, "source");
		return true;
	case 3:
		arp_mac(set_option(l, XT2_OPT_DST_MAC, arg, invert), &l->tha, "destination");
		return true;
	case 'l':
		if (!arp_number(set_option(l, XT2_OPT_HLEN, arg, invert), 10, 255, &l->hln))
			xt2_bad_text("Problem with specified hardware length");
		/* the parser of mangle looks at these */
		l->ext.entry.arp.arp.arhln = (__u8)l->hln.value;
		l->ext.entry.arp.arp.arhln_mask = (__u8)l->hln.mask;
		if (l->inverted & XT2_OPT_BIT(XT2_OPT_HLEN))
			l->ext.entry.arp.arp.invflags |= ARPT_INV_ARPHLN;
		return true;
	case 4:
		arp_named(set_option(l, XT2_OPT_OPCODE, arg, invert), 10, arp_opcodes,
			  XT2_ARRAY_SIZE(arp_opcodes), 1, &l->op, "opcode");
		return true;
	case 5:
		arp_named(set_option(l, XT2_OPT_HTYPE, arg, invert), 16, &ethernet, 1, 1, &l->hrd,
			  "hardware type");
		return true;
	case 6:
		arp_named(set_option(l, XT2_OPT_PTYPE, arg, invert), 0, &ipv4, 1, 0x800, &l->pro,
			  "protocol type");
		return true;
	case 8: xt2_bad_text("not supported");
	}
	return false;
}

/* -w: the seconds may be the next word. */
static void wait_option(struct xt2_line *l, const char *arg)
{
	l->wait = -1;
	if (!arg && has_word(l))
		arg = next_word(l);
	if (arg && sscanf(arg, "%i", &l->wait) != 1)
		xt2_bad_text("wait seconds not numeric");
}

static void wait_interval_option(struct xt2_line *l, const char *arg)
{
	unsigned int usec;

	if (!arg && has_word(l))
		arg = next_word(l);
	if (!arg)
		xt2_bad_text("wait interval value required");
	if (sscanf(arg, "%u", &usec) != 1)
		xt2_bad_text("wait interval not numeric");
	if (usec > 999999)
		xt2_bad_text("too long usec wait %u > 999999 usec", usec);
	fprintf(stderr, "Ignoring deprecated --wait-interval option.\n");
	l->wait_interval = true;
}

/* Options of a command line. */
static bool alone_option(struct xt2_line *l, int c, char *arg, bool invert)
{
	switch (c) {
	case 'L':
	case 'S': command_option(l, c, arg, invert); return true;
	case 't':
		if (invert)
			xt2_bad_text("unexpected ! flag before --table");
		l->table = arg;
		return true;
	case 'w': wait_option(l, arg); return true;
	case 'W': wait_interval_option(l, arg); return true;
	case 'h':
	case 'V':
		l->command = (char)c;
		l->done = true;
		l->not_version = invert;
		return true;
	}
	if (c >= XT2_WHERE_IMAGE && c <= XT2_WHERE_RESOLVE && !l->own_option)
		xt2_bad_text("this option is of the program, not of a line");
	return l->own_option && l->own_option(l->own, c, arg);
}

/* Options that a rule does not have, or not inside a file. */
static bool foreign_option(struct xt2_line *l, int c, char *arg, bool invert)
{
	switch (c) {
	case 'v':
		if (!(l->given & XT2_OPT_BIT(XT2_OPT_VERBOSE)))
			set_option(l, XT2_OPT_VERBOSE, NULL, invert);
		return true;
	case 'n': set_option(l, XT2_OPT_NUMERIC, NULL, invert); return true;
	case 'x': set_option(l, XT2_OPT_EXACT, NULL, invert); return true;
	case '0': set_option(l, XT2_OPT_LINES, NULL, invert); return true;
	case 'M': return true;
	}
	if (l->alone)
		return alone_option(l, c, arg, invert);
	switch (c) {
	case 't': xt2_bad_text("The -t option cannot be used in %s.", l->program);
	case 'w':
	case 'W': xt2_bad_text("You cannot use `-%c' from %s", c, l->program);
	case 'L':
	case 'S':
	case 'h':
	case 'V': xt2_bad_text("-%c has no place in a file of rules", c);
	}
	return false;
}

bool xt2_line_option(struct xt2_line *l, int c, char *arg, bool invert)
{
	switch (c) {
	case 'A':
	case 'C':
	case 'D':
	case 'R':
	case 'I':
	case 'F':
	case 'Z':
	case 'N':
	case 'X':
	case 'E':
	case 'P': command_option(l, c, arg, invert); return true;
	case 's':
		l->src.text = set_option(l, XT2_OPT_SOURCE, arg, invert);
		l->src.at = optind - 1;
		return true;
	case 'd':
		l->dst.text = set_option(l, XT2_OPT_DESTINATION, arg, invert);
		l->dst.at = optind - 1;
		return true;
	case 'i': iface_option(l, set_option(l, XT2_OPT_IN, arg, invert), &l->in); return true;
	case 'o': iface_option(l, set_option(l, XT2_OPT_OUT, arg, invert), &l->out); return true;
	case 'g': l->go = true; __fallthrough;
	case 'j':
		set_option(l, XT2_OPT_JUMP, NULL, invert);
		target_name_check(arg);
		l->jump = arg;
		if (!l->alone)
			l->jump_chain = xt2_chain_find(l->rs, l->table_number, arg);
		return true;
	case 'c':
		set_option(l, XT2_OPT_COUNTERS, NULL, invert);
		counters_option(l, arg);
		return true;
	case 'p':
		if (l->family == XT2_ARP)
			return false;
		protocol_option(l, set_option(l, XT2_OPT_PROTOCOL, arg, invert));
		return true;
	case 'f':
		if (l->family == XT2_IPV6)
			xt2_bad_text("`-f' is not supported in IPv6, use -m frag instead");
		set_option(l, XT2_OPT_FRAGMENT, NULL, invert);
		return true;
	}
	return (l->family == XT2_ARP && arp_option(l, c, arg, invert)) ||
	       foreign_option(l, c, arg, invert);
}

/* Options that mean nothing to a command: as iptables' table of them. */
static void check_options(const struct xt2_line *l)
{
	const bool rule = strchr(RULE_COMMANDS, l->command) && !l->by_number;
	unsigned int allowed = rule ? ~LISTING : XT2_OPT_BIT(XT2_OPT_VERBOSE), i;

	if (l->command == 'P')
		allowed |= XT2_OPT_BIT(XT2_OPT_COUNTERS);
	if (l->command == 'D' || l->command == 'C')
		allowed &= ~XT2_OPT_BIT(XT2_OPT_COUNTERS);
	if (l->command == 'L')
		allowed |= LISTING;
	for (i = 0; i < XT2_OPT_COUNT; i++)
		if (l->given & ~allowed & XT2_OPT_BIT(i))
			xt2_bad_text("Illegal option `-%c' with this command", option_letters[i]);
}

/* Counters before a rule are its -c. */
static void preset_counters(struct xt2_line *l)
{
	if (!l->has_counters)
		return;
	set_option(l, XT2_OPT_COUNTERS, NULL, false);
	l->packets = l->preset_packets;
	l->bytes = l->preset_bytes;
}

static void check_chain(const struct xt2_line *l)
{
	const char *chain = l->chain;

	if (!chain)
		return;
	chain_length_check(chain);
	if (!strchr(RULE_COMMANDS, l->command))
		return;
	if ((!strcmp(chain, "PREROUTING") || !strcmp(chain, "INPUT")) &&
	    (l->given & XT2_OPT_BIT(XT2_OPT_OUT)))
		xt2_bad_text("Can't use -o with %s", chain);
	if ((!strcmp(chain, "POSTROUTING") || !strcmp(chain, "OUTPUT")) &&
	    (l->given & XT2_OPT_BIT(XT2_OPT_IN)))
		xt2_bad_text("Can't use -i with %s", chain);
}

void xt2_line_check(struct xt2_line *l)
{
	const unsigned int addresses = XT2_OPT_BIT(XT2_OPT_SOURCE) |
				       XT2_OPT_BIT(XT2_OPT_DESTINATION);

	if (!strcmp(l->table, "nat") &&
	    ((l->policy && !strcmp(l->policy, "DROP")) || !strcmp(l->jump, "DROP")))
		xt2_bad_text("%sThe \"nat\" table is not intended for filtering, "
			     "the use of DROP is therefore inhibited.",
			     l->alone ? "\n" : "");
	xt2_libxt_finish(&l->ext);
	if (!l->command)
		xt2_bad_text("no command specified");
	preset_counters(l);
	if (l->wait_interval && !l->wait)
		xt2_bad_text("--wait-interval only makes sense with --wait");
	if (strchr(RULE_COMMANDS, l->command)) {
		xt2_addresses_parse(l, &l->src);
		xt2_addresses_parse(l, &l->dst);
	}
	if ((l->src.count > 1 || l->dst.count > 1) && (l->inverted & addresses))
		xt2_bad_text("! not allowed with multiple source or destination IP addresses");
	if (l->command == 'R' && (l->src.count != 1 || l->dst.count != 1))
		xt2_bad_text("Replacement rule does not specify a unique address");
	check_options(l);
	check_chain(l);
}
