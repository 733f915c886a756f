/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fast-line.h - a line while it is read: private to fast-*.c
 *
 * A reader reads the text, moves past the part that it takes and answers true.  Or
 * it answers false: then the line is not plain, and what has been taken of it
 * does not matter.  The line ends in a newline that no reader takes, so none
 * of them has to look for the end; XT2_LINES_AFTER bytes after it can be read.
 */
#ifndef XT2_XT2TABLES_TEXT_FAST_FAST_LINE_H
#define XT2_XT2TABLES_TEXT_FAST_FAST_LINE_H

#include <endian.h>
#include "fast-read.h"
#include "xt2tables/text/line.h"
#include "translators/ext/translate.h"
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_limit.h>
#include <linux/netfilter/xt_mac.h>
#include <linux/netfilter/xt_mark.h>
#include <linux/netfilter/xt_multiport.h>
#include <linux/netfilter/xt_tcpudp.h>

#define XT2_FAST_KINDS	 16 /* of matches, at most */
#define XT2_FAST_MATCHES 8 /* of a rule: with all their options fewer words than a line may have */
#define XT2_FAST_COMMENT 255 /* bytes: what is more libxtables cuts off */
#define XT2_FAST_FRONT	 (sizeof(struct xt2_rule) + XT2_BASE_ROOM)
#define XT2_FAST_MATCH	 128 /* bytes that any other match, or a target's data, takes at most */
#define XT2_FAST_TARGETS 8 /* with words of their own, at most */
#define XT2_FAST_NAT	 48 /* bytes of a target's payload that is carried, at most */
#define XT2_FAST_KNOWN	 4 /* extensions of a rule whose words are known: fast-cache.c */

/* What a match says, in the legacy form. */
union xt2_fast_payload {
	struct xt_tcp tcp;
	struct xt_udp udp;
	struct ipt_icmp icmp; /* icmp6 is the same */
	struct xt_multiport_v1 multiport;
	struct xt_mark_mtinfo1 mark;
	struct xt_mac_info mac;
	struct xt_rateinfo limit;
	struct xt_conntrack_mtinfo3 conntrack;
	__u64 align[24];
};

/* A kind of match, once libxtables has been asked for it. */
struct xt2_fast_kind {
	bool asked;
	bool same; /* it has the one that is imitated */
	unsigned int proto; /* that its rules must have; 0: any */
	const struct xt2_row *row; /* NULL: comment */
};

/* A match that gets its number when the line has turned out to be plain. */
struct xt2_fast_late {
	struct xt2_match *m;
	const char *text; /* the number is that of a comment; NULL: of what is below */
	u32 len;
	int instance; /* of a copy of this; -1: of a cell */
};

struct xt2_fast_known;

struct xt2_fast {
	struct xt2_ruleset *rs;
	int family;
	bool counters;
	unsigned int protocol[XT2_FAST_KINDS]; /* numbers of those that have names */
	struct xt2_fast_kind kind[XT2_FAST_KINDS];

	/* the table */
	int table;
	bool nat;
	bool verdicts; /* no chain has the name of a verdict */
	char chain_name[XT2_NAME_SIZE]; /* of the rule before */
	u32 chain_len; /* 0: none */
	int chain;
	char jump_name[XT2_NAME_SIZE]; /* likewise of the last target that is no verdict */
	u32 jump_len;
	int jump_chain; /* -ENOENT: it is no chain */
	bool no_in, no_out; /* -i, -o make no sense there */

	/* the line */
	const char *at, *end;
	u32 given, inverted; /* XT2_OPT_BIT() */
	struct xt2_address src, dst;
	struct xt2_iface in, out;
	unsigned int proto;
	int implied; /* match of the protocol, -1: none */
	u64 packets, bytes;
	u32 target;
	int target_instance; /* that the target is to have a copy of; -1: none */
	const void *target_data;
	u32 target_size; /* bytes of it */
	bool target_asked[XT2_FAST_TARGETS]; /* as in struct xt2_fast_kind */
	bool target_same[XT2_FAST_TARGETS];
	u64 target_room[XT2_FAST_MATCH / sizeof(u64)];
	const char *nat_name; /* NULL: nothing is carried; of this extension: */
	u8 nat_revision;
	u32 nat_size;
	u64 nat_payload[XT2_FAST_NAT / sizeof(u64)];

	/* its matches */
	int match; /* that is being read, -1: none */
	u32 match_given; /* its options */
	u32 matches; /* with it */
	u32 seen; /* bits of their kinds */
	unsigned int needs_proto; /* 0: none */
	union xt2_fast_payload payload;
	const char *comment; /* of the match that is being read */
	u32 comment_len;
	struct xt2_fast_late late[XT2_FAST_MATCHES];
	u32 lates;
	char *free; /* room at unquoted */
	char unquoted[(XT2_FAST_MATCHES + 1) * XT2_FAST_COMMENT];

	/* words that are known */
	struct xt2_fast_known *known; /* NULL: none yet */
	bool named; /* this rule has an extension that is not in fast-match.c */
	u32 knowns; /* whose words are known: where their names are in the line */
	const char *known_name[XT2_FAST_KNOWN];

	/* the rule: base tests are written last, in front of the matches */
	u8 *front, *behind;
	u64 room[(XT2_FAST_FRONT + (XT2_FAST_MATCHES + 1) * XT2_FAST_MATCH) / sizeof(u64)];
};

/* An option of a match. */
struct xt2_fast_option {
	const char *name; /* after "--" */
	u8 given; /* its bit; options that exclude each other share it */
	bool invertible;
	bool bare; /* no word follows */
	bool (*read)(struct xt2_fast *p, bool invert, u32 arg);
	u32 arg;
};

/* --- readers ------------------------------------------------------------------- */

static inline bool xt2_fast_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Does a word end here? */
static inline bool xt2_fast_ends(char c)
{
	return xt2_fast_blank(c) || c == '\n';
}

/* => the first byte that is no blank */
static inline const char *xt2_fast_behind(const char *at)
{
	while (xt2_fast_blank(*at))
		at++;
	return at;
}

static inline void xt2_fast_skip(struct xt2_fast *p)
{
	p->at = xt2_fast_behind(p->at);
}

/* => bytes of the word here; quotes and control characters end it, too, and are not plain */
static inline u32 xt2_fast_length(const char *word)
{
	const char *p = word;

	while ((u8)*p > '"' || *p == '!')
		p++;
	return (u32)(p - word);
}

static inline bool xt2_fast_same(const char *word, u32 len, const char *text)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (word[i] != text[i]) /* as at the end of the text: no word has a NUL */
			return false;
	return !text[len];
}

static inline bool xt2_fast_take(struct xt2_fast *p, char c)
{
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static inline bool xt2_fast_digit(char c)
{
	return (u8)(c - '0') < 10;
}

/*
 * Digits, eight at a time: a loop over them ends at another one each time, and
 * waiting for that takes longer than to read them.
 */
#define XT2_FAST_WORD	8
#define XT2_FAST_TOPS	0x8080808080808080ull
#define XT2_FAST_ZEROS_ 0x3030303030303030ull

/* => values of eight digits, the first in the lowest byte; what is none is 10 or more */
static inline u64 xt2_fast_word(const char *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return le64toh(word) ^ XT2_FAST_ZEROS_;
}

/* => a bit on top of each byte that is 10 or more */
static inline u64 xt2_fast_others(u64 word)
{
	return (((word & ~XT2_FAST_TOPS) + 0x7676767676767676ull) | word) & XT2_FAST_TOPS;
}

/* The number of the first n digits, 1 to 8, of a word. */
static inline u32 xt2_fast_eight(u64 word, u32 n)
{
	const u64 bytes = 0x000000ff000000ffull;

	word <<= 64 - 8 * n;
	word = word * 10 + (word >> 8);
	word = (word & bytes) * (100 + (1000000ull << 32)) +
	       (word >> 16 & bytes) * (1 + (10000ull << 32));
	return (u32)(word >> 32);
}

static inline bool xt2_fast_number_slow_(struct xt2_fast *p, u64 max, u64 *value)
{
	const char *at = p->at;
	u64 v = 0;

	if (*at == '0')
		at++;
	else
		while (xt2_fast_digit(*at) && at - p->at < 19)
			v = v * 10 + (u8)(*at++ - '0');
	if (at == p->at || xt2_fast_digit(*at) || v > max)
		return false;
	p->at = at;
	*value = v;
	return true;
}

/* A number in its usual form: decimal, without a sign or leading zeros. */
static inline bool xt2_fast_number(struct xt2_fast *p, u64 max, u64 *value)
{
	static const u32 tens[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	u64 word, other, v;
	u32 n, more = 0;

	word = xt2_fast_word(p->at);
	other = xt2_fast_others(word);
	n = other ? (u32)__builtin_ctzll(other) / 8 : 8;
	if (!n || (n > 1 && !(word & 0xff)))
		return false;
	v = xt2_fast_eight(word, n);
	if (n == 8) {
		word = xt2_fast_word(p->at + 8);
		other = xt2_fast_others(word);
		if (!other) /* rules that have seen so much are few */
			return xt2_fast_number_slow_(p, max, value);
		more = (u32)__builtin_ctzll(other) / 8;
		if (more)
			v = v * tens[more] + xt2_fast_eight(word, more);
	}
	if (v > max)
		return false;
	p->at += n + more;
	*value = v;
	return true;
}

/* --- shared words (fast-word.c) ------------------------------------------------ */

/* Values of hexadecimal digits plus 1; 0: it is none. */
extern const u8 xt2_fast_digits[256];

/* Up to max hexadecimal digits.  => how many there are */
static inline u32 xt2_fast_hex(struct xt2_fast *p, u32 max, u32 *value)
{
	const char *at = p->at;
	u32 digit, n = 0, v = 0;

	while (n < max && (digit = xt2_fast_digits[(u8)at[n]])) {
		v = v << 4 | (digit - 1);
		n++;
	}
	p->at = at + n;
	*value = v;
	return n;
}

/* => the letter of a base option with this name; 0: it is none */
char xt2_fast_letter(const char *name, u32 len);

/* 10, 0xa */
bool xt2_fast_number32(struct xt2_fast *p, __u32 *value);
/* A word, or a quoted text, that is not empty: into comment and comment_len. */
bool xt2_fast_text(struct xt2_fast *p);

/* --- addresses (fast-address.c) ----------------------------------------------- */

/* ADDRESS[/MASK] */
bool xt2_fast_address4(struct xt2_fast *p, struct xt2_address *a);
bool xt2_fast_address6(struct xt2_fast *p, struct xt2_address *a);
/* ADDRESS alone: a number, 16 raw bytes */
bool xt2_fast_quad(struct xt2_fast *p, u64 *addr);
bool xt2_fast_groups(struct xt2_fast *p, u64 *addr);

/* --- matches (fast-match.c) --------------------------------------------------- */

/* "-m NAME"; what it says is in the options that follow. */
bool xt2_fast_match(struct xt2_fast *p);
/* "-p NAME": the match that this option may bring along.  => -1: none */
int xt2_fast_match_of(const struct xt2_fast *p, const char *name, u32 len);
/* => the option of the match that is being read, or of the protocol's; NULL: there is none */
const struct xt2_fast_option *xt2_fast_match_option(struct xt2_fast *p, const char *name, u32 len);
/* There are no more options of the match that is being read, if one is. */
bool xt2_fast_match_done(struct xt2_fast *p);
/* There are no more options. */
bool xt2_fast_match_end(struct xt2_fast *p);

/* --- targets (fast-target.c) -------------------------------------------------- */

/* "-j NAME ..."; nothing is taken if it is not plain. */
bool xt2_fast_target(struct xt2_fast *p);

/* --- words that have been there before (fast-cache.c) ------------------------- */

/* "-m NAME ...", "-j NAME ..." with all its options. */
bool xt2_fast_known_match(struct xt2_fast *p);
bool xt2_fast_known_target(struct xt2_fast *p);
void xt2_fast_known_free(struct xt2_fast_known *k); /* or NULL */

#endif
