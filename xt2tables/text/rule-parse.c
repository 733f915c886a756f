/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule-parse.c - understand the words of a line
 *
 * Plain rules of IPv4 and IPv6 do not come here (fast-read.c).  Of the rest, two
 * readers feed the same option handlers.  The quick one takes lines that name
 * no extension, without getopt and without libxtables.  At the first word that
 * it doesn't know it gives up, and the full one starts again with
 * getopt_long(), abbreviations, extensions and all.
 */
#include "config.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "line.h"
#include "engine/env.h"
#include "sets.h"
#include "libxt2/printable.h"
#include "xt2tables/tables/where.h"

/* A base option wins over an extension's. */
/* clang-format off */
/* Options that all families have. */
#define COMMON_ROWS \
	{ "append", 1, NULL, 'A' }, \
	{ "delete", 1, NULL, 'D' }, \
	{ "insert", 1, NULL, 'I' }, \
	{ "replace", 1, NULL, 'R' }, \
	{ "list", 2, NULL, 'L' }, \
	{ "flush", 2, NULL, 'F' }, \
	{ "zero", 2, NULL, 'Z' }, \
	{ "new-chain", 1, NULL, 'N' }, \
	{ "delete-chain", 2, NULL, 'X' }, \
	{ "rename-chain", 1, NULL, 'E' }, \
	{ "policy", 1, NULL, 'P' }, \
	{ "in-interface", 1, NULL, 'i' }, \
	{ "jump", 1, NULL, 'j' }, \
	{ "table", 1, NULL, 't' }, \
	{ "match", 1, NULL, 'm' }, \
	{ "numeric", 0, NULL, 'n' }, \
	{ "out-interface", 1, NULL, 'o' }, \
	{ "verbose", 0, NULL, 'v' }, \
	{ "exact", 0, NULL, 'x' }, \
	{ "version", 0, NULL, 'V' }, \
	{ "help", 2, NULL, 'h' }, \
	{ "line-numbers", 0, NULL, '0' }, \
	{ "modprobe", 1, NULL, 'M' }, \
	{ "set-counters", 1, NULL, 'c' }

#define IP_ROWS \
	COMMON_ROWS, \
	{ "check", 1, NULL, 'C' }, \
	{ "list-rules", 2, NULL, 'S' }, \
	{ "source", 1, NULL, 's' }, \
	{ "destination", 1, NULL, 'd' }, \
	{ "src", 1, NULL, 's' }, \
	{ "dst", 1, NULL, 'd' }, \
	{ "protocol", 1, NULL, 'p' }, \
	{ "wait", 2, NULL, 'w' }, \
	{ "wait-interval", 2, NULL, 'W' }, \
	{ "fragments", 0, NULL, 'f' }, \
	{ "goto", 1, NULL, 'g' }, \
	{ "ipv4", 0, NULL, '4' }, \
	{ "ipv6", 0, NULL, '6' }

#define ARP_ROWS \
	COMMON_ROWS, \
	{ "source-ip", 1, NULL, 's' }, \
	{ "destination-ip", 1, NULL, 'd' }, \
	{ "src-ip", 1, NULL, 's' }, \
	{ "dst-ip", 1, NULL, 'd' }, \
	{ "source-mac", 1, NULL, 2 }, \
	{ "destination-mac", 1, NULL, 3 }, \
	{ "src-mac", 1, NULL, 2 }, \
	{ "dst-mac", 1, NULL, 3 }, \
	{ "h-length", 1, NULL, 'l' }, \
	{ "p-length", 1, NULL, 8 }, \
	{ "opcode", 1, NULL, 4 }, \
	{ "h-type", 1, NULL, 5 }, \
	{ "proto-type", 1, NULL, 6 }

/* No rule has these, but a command line. */
#define OWN_ROWS \
	XT2_WHERE_OPTIONS, \
	{ "resolve", 0, NULL, XT2_WHERE_RESOLVE }

#define END { NULL, 0, NULL, 0 }

static struct option ip_options[] = { IP_ROWS, END };
static struct option arp_options[] = { ARP_ROWS, END };
static struct option ip_alone[] = { IP_ROWS, OWN_ROWS, END };
static struct option arp_alone[] = { ARP_ROWS, OWN_ROWS, { "wait", 2, NULL, 'w' }, END };
/* clang-format on */

static const char ip_letters[] =
	"-:A:C:D:E:F::I:L::M:N:P:VX::Z::c:d:i:j:o:p:s:t:R:S::W::46bfg:h::m:nvw::x";
static const char arp_letters[] = "-:A:D:R:I:L::M:F::Z::N:X::E:P:Vh::o:p:s:d:j:l:i:vnt:m:c:";

struct option *xt2_line_options(int family)
{
	return family == XT2_ARP ? arp_options : ip_options;
}

struct option *xt2_line_options_alone(int family)
{
	return family == XT2_ARP ? arp_alone : ip_alone;
}

static void reset(struct xt2_line *l)
{
	struct xt2_addresses src = l->src, dst = l->dst;

	memset((char *)l + offsetof(struct xt2_line, command), 0,
	       sizeof(*l) - offsetof(struct xt2_line, command));
	src.count = dst.count = 0;
	src.text = dst.text = NULL;
	l->src = src;
	l->dst = dst;
	l->jump = "";
	l->jump_chain = -1;
	l->at = 1;
}

static bool needs_extension(const struct xt2_line *l)
{
	return l->jump_chain < 0 && !l->go && !xt2_verdict_named(l->jump);
}

/* One word of the quick reader as an option: its letter, or 0. */
static int quick_option(const struct xt2_line *l, const char *word, bool *takes_word)
{
	const char *with = "AIDRCNEPsdiojgpcl", *without = "fFXZ";
	const struct option *o;

	if (word[0] != '-' || !word[1])
		return 0;
	if (!word[2]) {
		if (l->family == XT2_ARP && strchr("fgpC", word[1]))
			return 0;
		if (l->family != XT2_ARP && word[1] == 'l')
			return 0;
		*takes_word = strchr(with, word[1]);
		return *takes_word || strchr(without, word[1]) ? word[1] : 0;
	}
	if (word[1] != '-')
		return 0;
	for (o = xt2_line_options(l->family); o->name; o++)
		if (!strcmp(o->name, word + 2)) {
			*takes_word = o->has_arg == 1;
			return strchr("mMtVhwWnvx046L S", o->val) ? 0 : o->val;
		}
	return 0;
}

/* => false: there is something here that needs the full reader */
static bool parse_quick(struct xt2_line *l)
{
	bool invert = false, takes_word = false;
	char *arg;
	int c;

	for (optind = 1; optind < l->words.count;) {
		l->at = optind;
		arg = l->words.word[optind++];
		if (!strcmp(arg, "!") && !invert) {
			invert = true;
			continue;
		}
		c = quick_option(l, arg, &takes_word);
		if (!c || (takes_word && optind >= l->words.count))
			return false;
		arg = takes_word ? l->words.word[optind++] : NULL;
		l->at = optind - 1;
		if (!xt2_line_option(l, c, arg, invert))
			return false;
		if (c == 'j' && needs_extension(l))
			return false;
		invert = false;
	}
	return !invert;
}

static void load_target(struct xt2_line *l)
{
	if (!needs_extension(l))
		return;
	if (xt2_libxt_target(&l->ext, l->jump) || l->alone)
		return;
	xt2_hint("if it is a chain, declare it before its first use: \":%s - [0:0]\"", l->jump);
	xt2_libxt_target_must(l->jump);
}

/* An option that is not one of the base options.  => true: read it again */
static bool extension_option(struct xt2_line *l, int c, int index, bool invert)
{
	const char *name = index >= 0 ? xt2_libxt_options()[index].name : NULL;
	const char *word = l->words.word[optind > 0 && optind <= l->words.count ? optind - 1 : 0];

	if (c != '?' && c != ':' && xt2_libxt_option(&l->ext, c, name, l->words.word, invert))
		return false;
	if (l->protocol && l->family != XT2_ARP &&
	    xt2_libxt_match_proto(&l->ext, l->protocol, &l->proto_used)) {
		optind--;
		return true;
	}
	if (c == ':')
		xt2_bad_text("option \"%s\" requires an argument", word);
	if (!l->protocol && !l->ext.matches && l->family != XT2_ARP)
		xt2_hint("an option of a protocol needs -p before it, as in \"-p tcp --dport 22\"; "
			 "one of a match needs -m");
	xt2_bad_text("unknown option \"%s\"", word);
}

/* => true: the line is for the other family */
static bool other_family(const struct xt2_line *l, int c)
{
	if (l->family == XT2_ARP)
		xt2_bad_text("unknown option \"-%c\"", c);
	return (c == '4') != (l->family == XT2_IPV4);
}

/* A word that is not an option.  => true: it is "!" */
static bool bare_word(char *word, bool invert)
{
	if (strcmp(word, "!"))
		xt2_bad_text("Bad argument `%s'", word);
	if (invert)
		xt2_bad_text("multiple consecutive ! not allowed");
	word[0] = '\0';
	return true;
}

static void match_option(struct xt2_line *l, const char *name, bool invert)
{
	if (invert)
		xt2_bad_text("unexpected ! flag before --match");
	if (l->family == XT2_ARP)
		xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM,
			  "Couldn't load match `%s': ARP rules have no matches", name);
	xt2_libxt_match(&l->ext, name);
}

/* => false: the line is for the other family */
static bool parse_full(struct xt2_line *l)
{
	const char *letters = l->family == XT2_ARP ? arp_letters : ip_letters;
	bool invert = false;
	int c, index;

	optind = 0;
	opterr = 0;
	for (;;) {
		index = -1;
		c = getopt_long(l->words.count, l->words.word, letters, xt2_libxt_options(),
				&index);
		if (c == -1)
			break;
		l->at = optind > 1 ? optind - 1 : 1;
		if (c == 1) {
			invert = bare_word(optarg, invert);
			continue;
		}
		if ((c == '4' || c == '6') && l->family != XT2_ARP) {
			if (other_family(l, c))
				return false;
		} else if (c == 'm') {
			match_option(l, optarg, invert);
		} else if (xt2_line_option(l, c, optarg, invert)) {
			if (c == 'j')
				load_target(l);
			if (l->done)
				return true;
		} else if (extension_option(l, c, index, invert)) {
			continue;
		}
		invert = false;
	}
	if (optind < l->words.count)
		xt2_bad_text("unknown arguments found on commandline");
	if (invert)
		xt2_bad_text("nothing appropriate following !");
	return true;
}

/* => false: the line is for the other family, or asks for help */
static bool parse(struct xt2_line *l)
{
	reset(l);
	if (!l->own_option && parse_quick(l)) /* warnings on a command line come once */
		return true;
	reset(l);
	xt2_sets_begin();
	xt2_libxt_begin(&l->ext);
	if (!parse_full(l)) {
		l->command = 0;
		return false;
	}
	return !l->done;
}

static void check_goto(struct xt2_line *l)
{
	if (l->go && l->jump_chain < 0)
		xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "goto '%s' is not a chain", l->jump);
}

void xt2_line_parse(struct xt2_line *l)
{
	if (!parse(l))
		return;
	l->at = 0;
	xt2_line_check(l);
	l->at = 0;
	if (!l->alone)
		check_goto(l);
}

void xt2_line_resolve(struct xt2_line *l)
{
	if (!*l->jump)
		return;
	l->jump_chain = xt2_chain_find(l->rs, l->table_number, l->jump);
	if (l->jump_chain >= 0 && l->ext.target) {
		xt2_print_line(stderr, "Warning: using chain %s, not extension", l->jump);
		xt2_libxt_target_drop(&l->ext);
	}
	check_goto(l);
	if (!needs_extension(l) || l->ext.target)
		return;
	xt2_hint("if it is a chain, make it first: -N %s", l->jump);
	if (l->family == XT2_ARP)
		xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "Couldn't find target `%s'", l->jump);
	xt2_libxt_target_must(l->jump);
}

void xt2_line_point(struct xt2_line *l, const char *name)
{
	int i;

	for (l->at = 0, i = 1; !l->at && i < l->words.count; i++)
		if (!strcmp(l->words.word[i], name))
			l->at = i;
}

void xt2_line_end(struct xt2_line *l)
{
	xt2_libxt_end(&l->ext);
}

void xt2_line_free(struct xt2_line *l)
{
	xt2_words_free(&l->words);
	free(l->src.list);
	free(l->dst.list);
	l->src.list = l->dst.list = NULL;
	l->src.room = l->dst.room = 0;
}
