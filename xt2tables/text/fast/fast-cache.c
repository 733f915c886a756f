/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fast-cache.c - options of extensions that have been read before
 *
 * What fast-match.c does not know is libxtables' to read.  But a large file
 * says the same again and again: "-j REJECT --reject-with icmp-port-unreachable",
 * "-m addrtype --dst-type LOCAL".  When the words that name an extension and
 * its options come for the second time, libxtables reads them alone, in a rule
 * that has only the protocol besides, and the bytes that this gives are kept
 * for all further times.
 *
 * They mean the same in every rule if nothing else of it is looked at and no
 * other extension has a say in what an option's name stands for.  Parsers see
 * nothing of a rule but its protocol; names have to be written out, and the
 * options of the extension that was named last come first.  An extension that
 * wants more of the rule is refused in a rule that has no more, and is not kept.
 */
#include "config.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "xt2tables/text/cache-hash.h"
#include "fast-line.h"

#define KNOWN	   2048u /* words that are remembered: a power of two */
#define KNOWN_TEXT 192u /* bytes of words, at most */
#define CREDIT	   8 /* other words that are turned away after each use */
#define LINE_ROOM  (KNOWN_TEXT + 128)

struct known {
	u64 hash; /* 0: free */
	u64 context; /* of the words */
	u8 credit;
	bool asked;
	bool good; /* what follows is there */
	bool cell;
	int instance; /* to be copied; -1: none */
	u32 target;
	u32 size; /* of the match, or of the target's data */
	u32 len;
	char text[KNOWN_TEXT];
	u64 bytes[XT2_FAST_MATCH / sizeof(u64)];
};

struct xt2_fast_known {
	struct xt2_line line;
	const struct known *last[2]; /* match, target */
	struct known list[KNOWN];
};

void xt2_fast_known_free(struct xt2_fast_known *k)
{
	if (k)
		xt2_line_free(&k->line);
	free(k);
}

/* --- words --------------------------------------------------------------------- */

/* Behind the word here.  => NULL: it is not plain */
static const char *word_end(const char *at, const char *end)
{
	if (*at != '"') {
		at += xt2_fast_length(at);
	} else {
		for (at++; at < end && *at != '"'; at++)
			if (*at == '\\')
				at++;
		if (at >= end)
			return NULL;
		at++;
	}
	return xt2_fast_ends(*at) ? at : NULL;
}

/* "-s", "--source", "! -s"; and whatever else is short */
static bool base_option(const char *at)
{
	if (at[0] == '!' && xt2_fast_blank(at[1]))
		at = xt2_fast_behind(at + 1);
	if (at[0] != '-')
		return false;
	return at[1] != '-' || xt2_fast_letter(at + 2, xt2_fast_length(at + 2));
}

/* => bytes of an extension's name and its options; 0: not plain */
static u32 words_length(const struct xt2_fast *p)
{
	const char *at = p->at, *end;

	do {
		end = word_end(at, p->end);
		if (!end)
			return 0;
		at = xt2_fast_behind(end);
	} while (*at != '\n' && !base_option(at));
	return end - p->at <= (ptrdiff_t)KNOWN_TEXT ? (u32)(end - p->at) : 0;
}

/* What the words mean depends on all of this. */
static u64 context(const struct xt2_fast *p, bool target)
{
	const u32 bit = XT2_OPT_BIT(XT2_OPT_PROTOCOL);

	return (u64)p->table << 32 | p->proto << 3 | (p->inverted & bit ? 4 : 0) |
	       (p->given & bit ? 2 : 0) | target;
}

/* --- libxtables ---------------------------------------------------------------- */

static bool has_option(const struct option *old, const struct xt_option_entry *x6, const char *name)
{
	for (; old && old->name; old++)
		if (!strcmp(old->name, name))
			return true;
	for (; x6 && x6->name; x6++)
		if (!strcmp(x6->name, name))
			return true;
	return false;
}

/* One extension, and each word that may be an option is the whole name of one of its. */
static bool clear(const struct xt2_line *l, int first)
{
	const struct xtables_rule_match *matches = l->ext.matches;
	const struct xtables_match *m = matches ? matches->match : NULL;
	const struct xtables_target *t = l->ext.target;
	const char *word;
	int i;

	if (!m == !t || (m && matches->next))
		return false;
	if (m ? m->real_name && !(m->ext_flags & XTABLES_EXT_ALIAS)
	      : t->real_name && !(t->ext_flags & XTABLES_EXT_ALIAS))
		return false; /* each rule has a notice */
	for (i = first; i < l->words.count; i++) {
		word = l->words.word[i];
		if (word[0] == '-' &&
		    (word[1] != '-' || !has_option(m ? m->extra_opts : t->extra_opts,
						   m ? m->x6_options : t->x6_options, word + 2)))
			return false;
	}
	return true;
}

/* Keep what a rule has after its protocol: one match or a target. */
static bool keep(struct known *e, const struct xt2_rule *r, bool target)
{
	const struct xt2_match *m = xt2_rule_first_match(r);
	const u8 *end = (const u8 *)r + r->target_offset;
	u32 info;

	if ((const u8 *)m < end && m->type == XT2_M_PROTO)
		m = xt2_match_next(m);
	e->instance = -1;
	if (target) {
		e->target = r->target;
		e->size = xt2_rule_target_size(r);
		if ((const u8 *)m != end || e->size > sizeof(e->bytes))
			return false;
		memcpy(e->bytes, xt2_rule_target_data(r), e->size);
		if (xt2_target_info(XT2_TARGET_KIND(r->target)) & XT2_EXT_INSTANCE)
			e->instance = (int)XT2_TARGET_ARG(r->target);
		return true;
	}
	if ((const u8 *)m >= end || (const u8 *)xt2_match_next(m) != end ||
	    m->size > sizeof(e->bytes) || XT2_TARGET_KIND(r->target) != XT2_T_CONTINUE)
		return false;
	memcpy(e->bytes, m, m->size);
	e->size = m->size;
	info = xt2_match_info(m->type);
	e->cell = info & XT2_EXT_CELL;
	if (!e->cell && info & XT2_EXT_INSTANCE)
		e->instance = (int)m->arg;
	return true;
}

struct question {
	struct xt2_fast *p;
	struct known *known;
	bool target;
};

static void ask(void *arg)
{
	struct question *q = arg;
	struct xt2_fast *p = q->p;
	struct xt2_line *l = &p->known->line;
	const u32 bit = XT2_OPT_BIT(XT2_OPT_PROTOCOL);
	char text[LINE_ROOM];
	int len = snprintf(text, sizeof(text), "-A %.*s", (int)p->chain_len, p->chain_name);
	int first = 5;

	if (p->given & bit) {
		len += snprintf(text + len, sizeof(text) - (size_t)len, " %s-p %u",
				p->inverted & bit ? "! " : "", p->proto);
		first += p->inverted & bit ? 3 : 2;
	}
	len += snprintf(text + len, sizeof(text) - (size_t)len, " -%c %.*s", q->target ? 'j' : 'm',
			(int)q->known->len, q->known->text);
	xt2_words_cut(&l->words, text, (size_t)len);
	xt2_line_parse(l);
	q->known->good = clear(l, first) &&
			 keep(q->known, xt2_line_pack(l, p->rs, 0, 0), q->target);
}

static bool know(struct xt2_fast *p, struct known *e, u32 len, bool target)
{
	struct question q = { p, e, target };
	struct xt2_line *l = &p->known->line;
	struct xt2_failure failure;

	memcpy(e->text, p->at, len);
	e->len = len;
	e->asked = true;
	l->family = p->family;
	l->table = xt2_table_name(p->rs, p->table);
	l->table_number = p->table;
	l->rs = p->rs;
	l->program = "iptables-restore";
	l->words.count = 0;
	if (xt2_try(ask, &q, &failure))
		e->good = false;
	xt2_line_end(l);
	return e->good;
}

/* --- asked for ----------------------------------------------------------------- */

/* => where words with this hash are, or may be put after others have been turned away often */
static struct known *place(struct xt2_fast_known *k, u64 hash)
{
	const u32 at = hash >> 32 & (KNOWN - 1);
	struct known *a = &k->list[at], *b = &k->list[at ^ 1];

	if (a->hash == hash || (b->hash != hash && a->credit <= b->credit))
		return a;
	return b;
}

/* => what the words mean; NULL: not known, and if they came before, nothing certain */
static const struct known *find(struct xt2_fast *p, u32 len, bool target)
{
	const u64 in = context(p, target), hash = xt2_known_hash(in, p->at, len);
	struct known *e = place(p->known, hash);

	if (e->hash != hash) {
		if (e->credit)
			e->credit--;
		else
			*e = (struct known){ .hash = hash, .context = in };
		return NULL;
	}
	if (!e->asked && !know(p, e, len, target))
		return NULL;
	if (!e->good || e->len != len || memcmp(e->text, p->at, len))
		return NULL;
	e->credit = CREDIT;
	p->known->last[target] = e;
	return e;
}

/* What was taken last, if the words here are the same, without looking for their end. */
static const struct known *again(const struct xt2_fast *p, bool target)
{
	const struct known *e = p->known->last[target];
	const char *behind;

	if (!e || !e->good || e->context != context(p, target) || p->end - p->at < e->len ||
	    memcmp(e->text, p->at, e->len))
		return NULL;
	behind = p->at + e->len;
	if (!xt2_fast_ends(*behind))
		return NULL;
	behind = xt2_fast_behind(behind);
	return *behind == '\n' || base_option(behind) ? e : NULL;
}

/* An extension that is there twice has its options only once. */
static bool first_of_name(struct xt2_fast *p)
{
	const u32 len = xt2_fast_length(p->at);
	u32 i;

	for (i = 0; i < p->knowns; i++)
		if (!strncmp(p->at, p->known_name[i], len) && xt2_fast_ends(p->known_name[i][len]))
			return false;
	if (i == XT2_FAST_KNOWN || !len)
		return false;
	p->known_name[p->knowns++] = p->at;
	p->named = true;
	return true;
}

/* => what the words here mean, and they are taken; NULL: they are not plain */
static const struct known *take(struct xt2_fast *p, bool target)
{
	const struct known *e;
	u32 len;

	if (p->given & XT2_OPT_BIT(XT2_OPT_PROTOCOL) && !p->proto) /* "-p all" */
		return NULL;
	if (!p->known)
		p->known = calloc(1, sizeof(*p->known));
	if (!p->known || !first_of_name(p))
		return NULL;
	e = again(p, target);
	if (!e) {
		len = words_length(p);
		e = len ? find(p, len, target) : NULL;
	}
	if (e)
		p->at += e->len;
	return e;
}

bool xt2_fast_known_match(struct xt2_fast *p)
{
	const struct known *e = take(p, false);
	struct xt2_match *m;

	if (!e || p->matches++ == XT2_FAST_MATCHES)
		return false;
	m = memcpy(p->behind, e->bytes, e->size);
	if (e->cell || e->instance >= 0)
		p->late[p->lates++] = (struct xt2_fast_late){ .m = m, .instance = e->instance };
	p->behind += e->size;
	return true;
}

bool xt2_fast_known_target(struct xt2_fast *p)
{
	const struct known *e = take(p, true);

	if (!e)
		return false;
	p->target = e->target;
	p->target_instance = e->instance;
	p->target_data = e->bytes;
	p->target_size = e->size;
	return true;
}
