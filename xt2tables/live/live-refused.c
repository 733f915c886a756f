/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-refused.c - all of a ruleset that cannot be live, or that the kernel takes part in, for people
 *
 * libxt2/store/bpf/bpf-check.c decides.  Here its answers get file, line, the rule's text
 * and a hint; of many only the first are told one by one, and what they are is
 * counted for the rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include "engine/image.h"
#include "libxt2/err.h"
#include "libxt2/store/store.h"
#include "live-refused.h"
#include "xt2tables/text/text.h"
#include "xt2tables/files/usage.h"

#define KINDS	    64 /* that are counted by name */
#define OF_KIND_MAX 10 /* that are told one by one, so that a common kind hides no other */

#define BESIDE "keep the rule in iptables' own table, which works beside the live ones"
#define MARKED                                                                               \
	"let iptables' own table mangle, which works beside the live ones and comes before " \
	"filter, mark such packets (-j MARK), and match -m mark here"

/* What can be done instead. */
static const struct hint {
	const char *name; /* of a match, target or table; NULL: all others of the reason */
	enum xt2_live_reason reason;
	const char *text;
} hints[] = {
	{ NULL, XT2_LIVE_NO_TABLE,
	  "leave the table to the kernel's own ones, which work beside the live ones" },
	{ "recent", XT2_LIVE_NO_MATCH,
	  "xt2 keeps 128 times of an address: --hitcount 128 at most" },
	{ NULL, XT2_LIVE_NO_MATCH, MARKED },
	{ "REJECT", XT2_LIVE_NO_TARGET, "the kernel has it in table filter alone" },
	{ NULL, XT2_LIVE_NO_TARGET, BESIDE },
	{ NULL, XT2_LIVE_CHANGED,
	  "put the rule before those that change packets, or into a table that comes before" },
	{ NULL, XT2_LIVE_STOPS,
	  "let rules lead to one chain with the match, or put some of them into another table" },
	{ NULL, XT2_LIVE_ASKS,
	  "equal matches are asked once, those that xt2 evaluates not at all; apply --force takes up to 64" },
	{ NULL, XT2_LIVE_BOUND, "rules with equal targets share one; " BESIDE },
	{ NULL, XT2_LIVE_TOO_LONG,
	  "each chain that is jumped to twice doubles the ways; a goto (-g) does not" },
	{ NULL, XT2_LIVE_TOO_MANY,
	  "a billion are too many: jump to long chains from fewer rules, or from one chain" },
};

#define HINTS (XT2_ARRAY_SIZE(hints))

struct kind {
	const char *name; /* of a match, target, table or hook */
	unsigned int told, more;
};

struct listing {
	struct xt2_refused *list;
	struct kind kinds[KINDS];
	unsigned int told;
	bool hinted[HINTS];
	int status;
};

/* A mark that is set in mangle comes too late for rules of raw and mangle. */
static bool marks_help(const struct xt2_live_refusal *r)
{
	return strcmp(r->table, "raw") && strcmp(r->table, "mangle");
}

static size_t hint_for(const struct xt2_live_refusal *r)
{
	const bool keep = r->reason == XT2_LIVE_NO_MATCH && !marks_help(r);
	const enum xt2_live_reason reason = keep ? XT2_LIVE_NO_TARGET : r->reason;
	size_t i;

	for (i = 0; i < HINTS; i++)
		if (hints[i].name ? hints[i].reason == r->reason && !strcmp(hints[i].name, r->name)
				  : hints[i].reason == reason)
			break;
	return i;
}

/* Where it is written, and how. */
static void find_rule(const struct xt2_refused *list, const struct xt2_live_refusal *r,
		      struct xt2_err *err)
{
	int table = xt2_table_find(list->rs, r->family, r->table);
	int chain = table < 0 ? -1 : xt2_chain_find(list->rs, table, r->chain);
	const char *source = table < 0 ? NULL : xt2_table_source(list->rs, table);

	xt2_err_file(err, list->path);
	if (chain < 0 || !r->rule || r->rule > xt2_chain_rules(list->rs, chain))
		return;
	if (list->text || source)
		err->line = xt2_rule_line(list->rs, chain, r->rule - 1);
	if (err->line && !list->text)
		xt2_err_file(err, source);
	if (xt2_text_rule(list->rs, chain, r->rule - 1, err->rule, sizeof(err->rule)) < 0)
		err->rule[0] = '\0';
}

/* An image has the tables of both families. */
static void set_message(const struct xt2_refused *list, const struct xt2_live_refusal *r,
			struct xt2_err *err)
{
	const char *family = list->text ? "" : xt2_family_name(r->family);
	char rule[16] = "";

	if (r->rule)
		snprintf(rule, sizeof(rule), ":%u", r->rule);
	if (r->reason == XT2_LIVE_NO_TABLE)
		snprintf(err->message, sizeof(err->message), "%s", r->why);
	else
		snprintf(err->message, sizeof(err->message), "%s%s%s/%s%s: %s", family,
			 *family ? " " : "", r->table, r->chain, rule, r->why);
}

static void say(const struct xt2_refused *list, const struct xt2_err *err)
{
	if (list->report)
		list->report(list->data, err);
	else
		xt2_err_print(err, stderr);
}

static void report(struct listing *l, const struct xt2_live_refusal *r)
{
	const bool limit = xt2_live_is_limit(r->reason);
	struct xt2_refused *list = l->list;
	const size_t hint = hint_for(r);
	struct xt2_err err = { .code = limit ? XT2_E_LIMIT : XT2_E_UNSUPPORTED,
			       .errnum = limit ? E2BIG : EOPNOTSUPP };

	find_rule(list, r, &err);
	set_message(list, r, &err);
	if (!list->max || !l->hinted[hint])
		xt2_err_hint(&err, hints[hint].text);
	l->hinted[hint] = true;
	say(list, &err);
}

/* The last kind is all for which there is no room. */
static struct kind *kind_of(struct listing *l, const struct xt2_live_refusal *r)
{
	size_t i;

	for (i = 0; i < KINDS - 1 && l->kinds[i].name; i++)
		if (!strcmp(l->kinds[i].name, r->name))
			break;
	l->kinds[i].name = i < KINDS - 1 ? r->name : "others";
	return &l->kinds[i];
}

static int on_refusal(void *data, const struct xt2_live_refusal *r)
{
	struct listing *l = data;
	struct xt2_refused *list = l->list;
	struct kind *kind;

	if (list->forced && xt2_live_yields(r))
		return 0;
	kind = kind_of(l, r);
	if (xt2_live_is_limit(r->reason))
		l->status = XT2_EXIT_RESOURCE;
	else if (l->status == XT2_EXIT_OK)
		l->status = XT2_EXIT_UNSUPPORTED;
	list->count += r->reason == XT2_LIVE_NO_TABLE && r->count ? (unsigned int)r->count : 1;
	if (list->max && (l->told == list->max || kind->told == OF_KIND_MAX)) {
		kind->more++;
		list->more++;
		return 0;
	}
	l->told++;
	kind->told++;
	report(l, r);
	return 0;
}

static void say_rest(const struct listing *l)
{
	char *at = l->list->rest, *end = at + sizeof(l->list->rest);
	const char *comma = "";
	size_t i;

	if (!l->list->more)
		return;
	at += snprintf(at, (size_t)(end - at),
		       "%u more, which xt2 check --live --json lists:", l->list->more);
	for (i = 0; i < KINDS && at < end; i++) {
		if (!l->kinds[i].more)
			continue;
		at += snprintf(at, (size_t)(end - at), "%s %u %s", comma, l->kinds[i].more,
			       l->kinds[i].name);
		comma = ",";
	}
	for (at = l->list->rest; *at; at++) /* a terminal must not obey a name */
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
}

int xt2_live_refused(struct xt2_refused *list)
{
	struct listing l = { .list = list, .status = XT2_EXIT_OK };
	struct xt2_err err = { .code = XT2_OK };

	list->count = list->more = 0;
	list->rest[0] = '\0';
	if (xt2_store_built(XT2_STORE_LIVE, &err)) {
		l.status = XT2_EXIT_UNSUPPORTED;
	} else if (!xt2_image_root(list->image)) {
		xt2_err_set(&err, XT2_E_UNSUPPORTED, EOPNOTSUPP, "there is no ruleset");
		l.status = XT2_EXIT_UNSUPPORTED;
		list->count = 1;
	} else if (xt2_store_refusals(XT2_STORE_LIVE, list->image, on_refusal, &l) < 0) {
		xt2_err_set(&err, XT2_E_SYSTEM, ENOMEM, "no memory to check the rules");
		l.status = XT2_EXIT_RESOURCE;
	}
	say_rest(&l);
	if (err.code) {
		xt2_err_file(&err, list->path);
		say(list, &err);
	}
	return l.status;
}

static void on_share(void *data, const struct xt2_live_share *s)
{
	struct xt2_live_refusal r = { .reason = XT2_LIVE_NO_MATCH,
				      .family = s->family,
				      .table = s->table,
				      .chain = s->chain,
				      .rule = s->rule };
	const struct xt2_refused *list = data;
	struct xt2_err err = { .code = XT2_OK };
	char why[128];

	if (s->part == XT2_LIVE_ASKED)
		snprintf(why, sizeof(why), "the kernel is asked about %s", s->name);
	else if (s->part == XT2_LIVE_STOPPED)
		snprintf(why, sizeof(why), "packets wait here until the kernel has answered %s",
			 s->name);
	else if (s->part == XT2_LIVE_ACTED)
		snprintf(why, sizeof(why), "a companion does %s", s->name);
	else
		snprintf(why, sizeof(why),
			 "%u question%s about each packet, %u companion%s for packets that match",
			 s->asked, s->asked == 1 ? "" : "s", s->acted, s->acted == 1 ? "" : "s");
	r.why = why;
	find_rule(list, &r, &err);
	set_message(list, &r, &err);
	list->report(list->data, &err);
}

int xt2_live_tell_shares(struct xt2_refused *list)
{
	int ret = 0;

	if (xt2_image_root(list->image))
		ret = xt2_store_shares(XT2_STORE_LIVE, list->image, on_share, list);
	return ret == -ENOMEM ? XT2_EXIT_RESOURCE : XT2_EXIT_OK;
}
