/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - one line of iptables text, between its words and the image's bytes
 *
 * words.c cuts the line, rule-parse.c understands the words, rule-pack.c makes
 * the rule's bytes.  All of them may throw (libxt.h).
 */
#ifndef XT2_XT2TABLES_TEXT_LINE_H
#define XT2_XT2TABLES_TEXT_LINE_H

#include <net/if.h>
#include <netinet/in.h>
#include "libxt.h"

#define XT2_WORDS_MAX 252 /* iptables' own limit of arguments to a rule */
#define XT2_WORD_MAX  1023 /* bytes of one word */

/* The words of a line; word[0] is not one of them, as in argv. */
struct xt2_words {
	int count;
	char *word[XT2_WORDS_MAX + 2];
	const char *source[XT2_WORDS_MAX + 2]; /* where each one starts in the line */
	char *buf; /* copies of the words */
	size_t room; /* bytes at buf */
};

/*
 * xt2_words_cut - cut a line into words
 * @line: len bytes; stays as it is
 * Throws if a word is too long or there are too many.
 */
void xt2_words_cut(struct xt2_words *w, const char *line, size_t len);
void xt2_words_free(struct xt2_words *w);

struct xt2_address {
	__u8 addr[16], mask[16]; /* network order; IPv4: the first 4 bytes */
};

struct xt2_addresses {
	const char *text; /* NULL: not given */
	int at; /* its word */
	unsigned int count, room;
	struct xt2_address *list;
};

/* Options that were given; "multiple -%c flags not allowed" if one comes again. */
enum xt2_option { /* in the order in which iptables looks for those that do not fit */
		  XT2_OPT_NUMERIC,
		  XT2_OPT_SOURCE,
		  XT2_OPT_DESTINATION,
		  XT2_OPT_PROTOCOL,
		  XT2_OPT_JUMP,
		  XT2_OPT_VERBOSE,
		  XT2_OPT_EXACT,
		  XT2_OPT_IN,
		  XT2_OPT_OUT,
		  XT2_OPT_LINES,
		  XT2_OPT_COUNTERS,
		  XT2_OPT_FRAGMENT,
		  XT2_OPT_SRC_MAC,
		  XT2_OPT_DST_MAC,
		  XT2_OPT_HLEN,
		  XT2_OPT_OPCODE,
		  XT2_OPT_HTYPE,
		  XT2_OPT_PTYPE,
		  XT2_OPT_COUNT
};

#define XT2_OPT_BIT(o) (1u << (o))

struct xt2_iface {
	char name[IFNAMSIZ]; /* padded with NUL, without "+" */
	unsigned int len; /* bytes to compare; 0: any */
};

struct xt2_field { /* a number of the ARP header */
	__u16 value, mask;
};

struct xt2_mac {
	__u8 addr[6], mask[6];
};

/* What a line says. */
struct xt2_line {
	/* set by the caller */
	int family;
	const char *table;
	const struct xt2_ruleset *rs;
	int table_number;
	const char *program; /* "iptables-restore", for messages */
	bool has_counters; /* -c, and they stand before the rule: */
	__u64 preset_packets, preset_bytes;
	struct xt2_words words;
	int at; /* word that is being read, for the column */
	/*
	 * A whole command line: -t names the table, chains are looked up by xt2_line_resolve(),
	 * and other options are asked for here, NULL: there are none.
	 */
	bool alone;
	bool (*own_option)(void *data, int c, const char *arg);
	void *own;

	/* set by xt2_line_parse() */
	char command; /* A I D R F X N P Z E C; alone: L S h V; 0: it is for the other family */
	bool zero; /* -Z with -L or -S */
	bool not_version; /* "! -V" */
	bool done; /* -h, -V: what follows does not matter */
	int wait; /* -w: seconds; -1: for ever */
	bool wait_interval; /* -W */
	bool by_number; /* -D, -Z name a rule by number */
	const char *chain, *newname, *policy;
	unsigned int number;
	unsigned int given, inverted; /* XT2_OPT_BIT()s */
	struct xt2_addresses src, dst;
	struct xt2_iface in, out;
	unsigned int proto;
	char *protocol; /* as written */
	bool proto_used;
	const char *jump; /* "": no target */
	bool go; /* -g */
	int jump_chain; /* chain number, -1: not a chain */
	__u64 packets, bytes;
	struct xt2_field hrd, pro, hln, op;
	struct xt2_mac sha, tha;
	struct xt2_ext ext;
};

/* Base options of a family, for xt2_libxt_setup(). */
struct option *xt2_line_options(int family);

/* The same of command lines, with those of where the ruleset is. */
struct option *xt2_line_options_alone(int family);

/* Understand the words of a line; release with xt2_line_end(), also if it throws. */
void xt2_line_parse(struct xt2_line *l);

/* Of a command line that was understood: the chain that the rule jumps to, once there is l->rs. */
void xt2_line_resolve(struct xt2_line *l);

void xt2_line_end(struct xt2_line *l);
void xt2_line_free(struct xt2_line *l);

/* Base options (rule-options.c); c as getopt_long() returns it. */
bool xt2_line_option(struct xt2_line *l, int c, char *arg, bool invert);
/* Checks that need all options; fills in the addresses. */
void xt2_line_check(struct xt2_line *l);

/* => XT2_T_ACCEPT, DROP, RETURN or QUEUE; XT2_T_CONTINUE: no verdict has this name */
int xt2_verdict_named(const char *name);

/* For messages: the word that names this extension. */
void xt2_line_point(struct xt2_line *l, const char *name);

/* 02:00:00:00:00:01, and /MASK if it has one that does not take every bit; NULL: none */
void xt2_print_mac(FILE *to, const __u8 *mac, const __u8 *mask);

/* "eth+", "eth0": a name of len bytes, fewer than IFNAMSIZ */
void xt2_iface_set(struct xt2_iface *i, const char *name, size_t len);

/* Base options of IPv4 and IPv6. */
struct xt2_base {
	int family;
	unsigned int given, inverted; /* XT2_OPT_BIT()s */
	const struct xt2_address *src, *dst;
	const struct xt2_iface *in, *out;
	unsigned int proto;
};

#define XT2_BASE_ROOM 192 /* bytes that their tests take at most */

/* => the end of the tests at @at */
__u8 *xt2_base_pack(__u8 *at, const struct xt2_base *b);

/* "Request" for 1; NULL: the opcode has no name */
const char *xt2_arp_opcode(unsigned int number);

/* -s, -d */
void xt2_addresses_parse(struct xt2_line *l, struct xt2_addresses *a);

/*
 * xt2_line_pack - the bytes of a rule
 * @rs: gets instances and cells
 * @s, @d: indices of the addresses
 * => the rule; valid until the next call
 */
const struct xt2_rule *xt2_line_pack(struct xt2_line *l, struct xt2_ruleset *rs, unsigned int s,
				     unsigned int d);

/* --- what the kernel checks (extension-checks.c) --------------------------------- */

/*
 * xt2_extension_check - the checks of a match or target in its rule
 * @payload: in the legacy form; it is changed as the kernel does when it takes the rule
 * Throws if the rule's table, its protocol or the options are not possible.
 */
void xt2_extension_check(struct xt2_line *l, bool target, const char *name, int revision,
			 void *payload);

#endif
