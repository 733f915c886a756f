/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restore.c - a file of iptables-save text into a ruleset
 *
 * The grammar is iptables-restore's: "*table", ":CHAIN POLICY [packets:bytes]",
 * one rule or command a line, "COMMIT", comments.  Unlike it, all errors of a
 * file are found in one run, and COMMIT names the rule that a table stumbles
 * over.
 *
 * Lines are read as iptables-restore reads them, to the byte: a file that is
 * found good here but has, say, no newline after COMMIT would be refused at boot.
 */
#include "config.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "libxt2/printable.h"
#include "xt2tables/text/bridge/bridge.h"
#include "commands.h"
#include "hook-rules.h"
#include "restore.h"
#include "engine/env.h"
#include "libxt2/ruleset/inplace.h"

#define ERRORS_KEPT 20 /* unless the caller says otherwise */

void xt2_text_errors_free(struct xt2_text_errors *errors)
{
	free(errors->list);
	memset(errors, 0, sizeof(*errors));
}

/* arptables' and ebtables' text has no COMMIT; there the next table or the end completes one. */
static bool needs_commit(const struct xt2_load *load)
{
	return load->opt->family != XT2_ARP && load->opt->family != XT2_BRIDGE;
}

/* --- errors ---------------------------------------------------------------- */

/* => the new record, or NULL if there are enough of them (it is counted) */
static struct xt2_err *error_add(struct xt2_load *load, int status, int code, const char *message,
				 const char *hint)
{
	struct xt2_text_errors *e = load->errors;
	struct xt2_err *list;

	load->failed = true;
	if (!e->status)
		e->status = status;
	if (e->count == (load->opt->errors ? load->opt->errors : ERRORS_KEPT)) {
		e->more++;
		return NULL;
	}
	list = realloc(e->list, (e->count + 1) * sizeof(*list));
	if (!list) {
		e->more++;
		return NULL;
	}
	e->list = list;
	list += e->count++;
	memset(list, 0, sizeof(*list));
	list->code = code;
	snprintf(list->file, sizeof(list->file), "%s", load->path);
	snprintf(list->message, sizeof(list->message), "%s", message);
	snprintf(list->hint, sizeof(list->hint), "%s", hint);
	return list;
}

static void copy_text(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* The text of a line that was read before. */
static void error_line(struct xt2_load *load, struct xt2_err *err, unsigned int number)
{
	err->line = number;
	xt2_lines_find(&load->lines, number, err->rule, sizeof(err->rule));
}

/* Text for the other IP family: its addresses and its ICMP are not known here. */
static bool family_hint(const struct xt2_load *load, struct xt2_err *err)
{
	static const char host[] = "host/network `";
	const bool v6 = load->opt->family == XT2_IPV6;
	const char *p = strstr(err->message, host), *word = p ? p + strlen(host) : "";
	const size_t n = strcspn(word, "'");

	if (!needs_commit(load))
		return false;
	if (p ? (v6 ? strspn(word, "0123456789.") : strspn(word, "0123456789abcdefABCDEF:")) != n ||
			    (!v6 && !memchr(word, ':', n))
	      : !strstr(err->message, v6 ? "match `icmp'" : "match `icmp6'"))
		return false;
	snprintf(err->hint, sizeof(err->hint),
		 "is this %s text? It is for xt2%stables-restore, and for xt2 with -%d",
		 v6 ? "iptables-save" : "ip6tables-save", v6 ? "" : "ip6", v6 ? 4 : 6);
	return true;
}

/* "-dport" is "-d port" to getopt: the most common slip. */
static void guess_hint(const struct xt2_load *load, struct xt2_err *err)
{
	const struct xt2_words *w = &load->line.words;
	size_t len = load->end > load->at ? (size_t)(load->end - load->at) : 0;
	int i;

	if (len && load->end[-1] == '\r') {
		snprintf(err->hint, sizeof(err->hint),
			 "the file has DOS line ends: take them out with tr -d '\\r'");
		return;
	}
	if (err->hint[0] || family_hint(load, err))
		return;
	for (i = 1; load->in_words && i < w->count; i++)
		if (w->word[i][0] == '-' &&
		    strchr("sdipomjg", w->word[i][1] ? w->word[i][1] : ' ') &&
		    strspn(w->word[i] + 1, "abcdefghijklmnopqrstuvwxyz-") > 2) {
			snprintf(err->hint, sizeof(err->hint),
				 "`%.60s' is read as `-%c %.60s': long options begin with --",
				 w->word[i], w->word[i][1], w->word[i] + 2);
			return;
		}
}

static void report_failure(struct xt2_load *load, const struct xt2_failure *f)
{
	const struct xt2_words *w = &load->line.words;
	struct xt2_err *err = error_add(load, f->status, f->code, f->message, f->hint);
	int at = load->line.at;

	if (!err)
		return;
	err->line = load->number;
	copy_text(err->rule, sizeof(err->rule), load->at, (size_t)(load->end - load->at));
	if (load->in_words && at > 0 && at < w->count)
		err->column = (unsigned int)(w->source[at] - load->at) + 1;
	else if (load->column)
		err->column = load->column;
	guess_hint(load, err);
}

/* For xt2_reach_check(). */
static void report_rule(void *data, int chain, unsigned int rule, int code, const char *message,
			const char *hint)
{
	struct xt2_load *load = data;
	unsigned int line = xt2_rule_line(load->rs, chain, rule);
	struct xt2_err *err = error_add(load, OTHER_PROBLEM, code, "", hint);

	if (!err)
		return;
	snprintf(err->message, sizeof(err->message), "%s (rule %u of chain %s)", message, rule + 1,
		 xt2_chain_name(load->rs, chain));
	error_line(load, err, line);
	/* a rule that was there before has a line of another file */
	if (load->opt->noflush && !strstr(err->rule, xt2_chain_name(load->rs, chain)))
		error_line(load, err, load->number);
}

static const char *tables_of(int family)
{
	switch (family) {
	case XT2_ARP: return "filter";
	case XT2_BRIDGE: return "filter, nat and broute";
	}
	return "filter, nat, mangle, raw and security";
}

/* --- tables and chains ------------------------------------------------------ */

/* Empty a table, but for the policies: they last until a ":" line changes them. */
static int table_flush(struct xt2_load *load, int table)
{
	int policy[XT2_HOOKS_MAX], hook, chain, ret;

	xt2_commands_announce(load, table);
	for (hook = 0; hook < XT2_HOOKS_MAX; hook++) {
		chain = xt2_chain_base(load->rs, table, hook);
		policy[hook] = chain < 0 ? -1 : xt2_chain_policy(load->rs, chain);
	}
	ret = xt2_table_reset(load->rs, table, load->path);
	for (hook = 0; !ret && hook < XT2_HOOKS_MAX; hook++)
		if (policy[hook] >= 0)
			ret = xt2_chain_set_policy(load->rs, xt2_chain_base(load->rs, table, hook),
						   policy[hook]);
	return ret;
}

/* Before a line that changes the table. */
static void table_touch(struct xt2_load *load)
{
	const int table = load->line.table_number;
	int hook, chain;

	if (load->touched)
		return;
	load->touched = true;
	if (load->opt->changed)
		load->opt->changed[table] = true;
	for (hook = 0; load->opt->zero_policies && hook < XT2_HOOKS_MAX; hook++) {
		chain = xt2_chain_base(load->rs, table, hook);
		if (chain >= 0)
			xt2_chain_set_counters(load->rs, chain, 0, 0);
	}
}

static void table_begin(struct xt2_load *load, char *name)
{
	int family = load->opt->family, table;

	load->column = 2;
	load->in_table = true;
	load->touched = false;
	load->skip = load->opt->table && strcmp(load->opt->table, name);
	if (load->skip)
		return;
	load->skip = true; /* until it turns out to be good */
	if (!xt2_table_hooks(family, name)) {
		xt2_hint("tables are %s", tables_of(family));
		xt2_throw(XT2_E_UNKNOWN, PARAMETER_PROBLEM, "%s: unable to initialize table '%s'",
			  load->line.program, name);
	}
	table = xt2_table_find(load->rs, family, name);
	load->chain = -1;
	if (table < 0) {
		table = xt2_table_add(load->rs, family, name, load->path);
	} else if (!load->opt->noflush) {
		if (table_flush(load, table) < 0)
			table = -ENOMEM;
	}
	if (table < 0)
		xt2_throw(XT2_E_SYSTEM, RESOURCE_PROBLEM, "%s: %s", name, strerror(-table));
	load->skip = false;
	load->line.table = xt2_table_name(load->rs, table);
	load->line.table_number = table;
	if (!load->opt->noflush)
		table_touch(load);
}

static void table_end(struct xt2_load *load)
{
	int ret;

	load->in_table = false;
	if (load->skip)
		return;
	if (load->opt->commit) {
		load->committed[load->line.table_number] = load->number;
		return;
	}
	ret = load->opt->family == XT2_BRIDGE
		      ? xt2_bridge_check(load)
		      : xt2_reach_check(load->rs, load->line.table_number, report_rule, load);
	if (ret < 0)
		xt2_throw(XT2_E_SYSTEM, RESOURCE_PROBLEM, "%s", strerror(-ret));
}

/* The next word of a line that starts with "*" or ":"; NULL at its end. */
static char *cut_word(char **rest)
{
	return strtok_r(NULL, " \t", rest);
}

static void chain_declare(struct xt2_load *load, const char *name)
{
	int table = load->line.table_number, chain = xt2_chain_find(load->rs, table, name), ret;

	if (strlen(name) >= XT_EXTENSION_MAXNAMELEN)
		xt2_bad_text("Invalid chain name `%s' (%u chars max)", name,
			     XT_EXTENSION_MAXNAMELEN - 1);
	if (chain >= 0 && xt2_chain_hook(load->rs, chain) >= 0)
		return;
	if (chain >= 0 && load->opt->noflush) {
		xt2_chain_flush(load->rs, chain);
		return;
	}
	ret = chain >= 0 || xt2_verdict_named(name) ? -EEXIST
						    : xt2_chain_add(load->rs, table, name);
	if (ret < 0)
		xt2_throw(ret == -ENOMEM ? XT2_E_SYSTEM : XT2_E_SYNTAX, PARAMETER_PROBLEM,
			  "error creating chain '%s':%s", name, strerror(-ret));
}

static void chain_line(struct xt2_load *load, char *text)
{
	char *rest = NULL, *name, *policy, *counters;
	unsigned long long packets = 0, bytes = 0;

	load->column = 2;
	table_touch(load);
	name = strtok_r(text, " \t", &rest);
	if (!name)
		xt2_bad_text("%s: line %u chain name invalid", load->line.program, load->number);
	chain_declare(load, name);
	policy = cut_word(&rest);
	if (!policy)
		xt2_bad_text("%s: line %u policy invalid", load->line.program, load->number);
	if (!strcmp(policy, "-"))
		return;
	if (load->opt->family == XT2_BRIDGE) {
		load->column = (unsigned int)(policy - text) + 2;
		xt2_bridge_policy(load, name, policy);
		return;
	}
	counters = cut_word(&rest);
	if (load->opt->counters &&
	    (counters ? sscanf(counters, "[%llu:%llu]", &packets, &bytes) != 2
		      : needs_commit(load) && !load->opt->bare_policies))
		xt2_bad_text("invalid policy counters for chain '%s'", name);
	load->column = (unsigned int)(policy - text) + 2;
	xt2_commands_policy(load, name, policy);
	xt2_chain_set_counters(load->rs, xt2_chain_find(load->rs, load->line.table_number, name),
			       packets, bytes);
}

/* --- rules ------------------------------------------------------------------- */

/*
 * A number as sscanf() reads it; but that would look for the end of the whole
 * file first.  A bracket follows, so this ends on the line.  => false: it is none
 */
static bool read_number(const char *text, unsigned long long *value)
{
	char *end;

	*value = strtoull(text, &end, 10);
	return end != text;
}

/* "[packets:bytes]" before a rule.  => where the rule starts */
static const char *rule_counters(struct xt2_load *load)
{
	const char *p = load->at, *close, *colon;
	unsigned long long packets, bytes;

	load->line.has_counters = false;
	if (p == load->end || *p != '[')
		return p;
	close = memchr(p, ']', (size_t)(load->end - p));
	if (!close)
		xt2_bad_text("Bad line %u: need ]", load->number);
	colon = memchr(p, ':', (size_t)(close - p));
	if (!colon)
		xt2_bad_text("Bad line %u: need :", load->number);
	if (load->opt->counters) {
		if (!read_number(p + 1, &packets))
			xt2_bad_text("-c packet counter not numeric");
		if (!read_number(colon + 1, &bytes))
			xt2_bad_text("-c byte counter not numeric");
		load->line.preset_packets = packets;
		load->line.preset_bytes = bytes;
		load->line.has_counters = true;
	}
	return close + 1;
}

static void rule_line(struct xt2_load *load)
{
	struct xt2_line *l = &load->line;
	const char *start = rule_counters(load);

	l->at = 0;
	l->words.count = 0;
	load->in_words = true;
	xt2_words_cut(&l->words, start, (size_t)(load->end - start));
	if (l->words.count == 1)
		return;
	if (load->opt->family == XT2_BRIDGE) {
		xt2_bridge_line(load);
		return;
	}
	xt2_line_parse(l);
	if (l->command && l->command != 'C')
		table_touch(load);
	if (l->command)
		xt2_commands_run(load);
}

/* --- lines -------------------------------------------------------------------- */

static bool blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p == end;
}

/* A copy of the line that may be cut up, without its first byte. */
static char *line_copy(struct xt2_load *load)
{
	size_t len = (size_t)(load->end - load->at);

	memcpy(load->buf, load->at, len);
	load->buf[len] = '\0';
	return load->buf + 1;
}

static void table_line(struct xt2_load *load)
{
	char *rest = NULL, *name = strtok_r(line_copy(load), " \t", &rest);
	size_t len = name ? strlen(name) : 0;
	const bool dos = len && name[len - 1] == '\r';

	if (load->in_table) {
		if (needs_commit(load)) {
			load->in_table = false;
			xt2_bad_text("COMMIT expected before the next table");
		}
		table_end(load);
	}
	if (!name)
		xt2_bad_text("%s: line %u table name invalid", load->line.program, load->number);
	if (dos)
		name[len - 1] = '\0'; /* the errors of its rules are of interest as well */
	table_begin(load, name);
	if (dos && !load->skip)
		xt2_bad_text("a carriage return belongs to the table's name");
}

/*
 * A line of nothing but white space is a rule without a word to iptables-restore,
 * while an empty one is nothing at all.
 */
static void blank_line(struct xt2_load *load)
{
	xt2_hint("the line has only white space: make it empty");
	if (load->in_table)
		xt2_bad_text("no command specified");
	xt2_throw(XT2_E_SYNTAX, OTHER_PROBLEM, "this line is outside of a table");
}

/*
 * It ends the table in any case, so that the next one is read well; but only as
 * a line of its own is it iptables-restore's.
 */
static void commit_line(struct xt2_load *load)
{
	const char *after = load->at + strlen("COMMIT");
	const bool skip = load->skip;

	table_end(load);
	if (skip)
		return;
	if (after != load->end) {
		xt2_hint("take the white space after it away");
		xt2_bad_text("Bad argument `COMMIT'");
	}
	if (load->lines.open_end) {
		xt2_hint("the file has to end with a newline");
		xt2_bad_text("Bad argument `COMMIT'");
	}
}

/* What is more is a line of its own to iptables-restore; fine if that is a comment. */
static bool too_long(const struct xt2_load *load)
{
	const char *p = load->at;
	const bool comment = *p == '#';

	while (load->end - p >= (ptrdiff_t)sizeof(load->buf)) {
		p += sizeof(load->buf) - 1;
		if (!comment || *p != '#')
			return true;
	}
	return false;
}

static void run_line(void *arg)
{
	struct xt2_load *load = arg;
	const char *p = load->at, *end = load->end;

	load->column = 0;
	load->in_words = false;
	if (p == end)
		return;
	if (too_long(load)) {
		xt2_hint("iptables-restore reads %zu bytes at most", sizeof(load->buf) - 1);
		xt2_bad_text("the line is too long");
	}
	if (*p == '#') {
		if (load->opt->report)
			xt2_print_line(load->opt->report, "%.*s", (int)(end - p), p);
		return;
	}
	if (memchr(p, '\0', (size_t)(end - p)))
		xt2_bad_text("there is a zero byte in the line");
	if (*p == '*') {
		table_line(load);
		return;
	}
	if (blank(p, end)) {
		if (!load->skip)
			blank_line(load);
		return;
	}
	if (!load->in_table) {
		xt2_hint("a table starts with \"*filter\" or the like");
		xt2_throw(XT2_E_SYNTAX, OTHER_PROBLEM, "this line is outside of a table");
	}
	if (end - p >= 6 && !memcmp(p, "COMMIT", 6) && blank(p + 6, end)) {
		commit_line(load);
		return;
	}
	if (load->skip)
		return;
	if (*p == ':')
		chain_line(load, line_copy(load));
	else
		rule_line(load);
}

static void run_end(void *arg)
{
	struct xt2_load *load = arg;

	load->column = 0;
	load->in_words = false;
	if (!load->in_table)
		return;
	if (!needs_commit(load)) {
		table_end(load);
		return;
	}
	xt2_hint("the last line of a table is COMMIT");
	xt2_throw(XT2_E_SYNTAX, OTHER_PROBLEM, "COMMIT expected at line %u", load->number);
}

/* One error for a file that is no text at all. */
static void no_text(struct xt2_load *load, const char *what, const char *hint)
{
	struct xt2_err *err = error_add(load, PARAMETER_PROBLEM, XT2_E_SYNTAX, what, hint);

	if (err)
		err->line = 1;
}

/* The first bytes, as far as they are of the first line, tell that it is none.  => true */
static bool binary_head(struct xt2_load *load, const struct xt2_opened_file *f)
{
	const char *nl = memchr(f->head, '\n', f->len), *hint = "", *what;

	what = xt2_opened_file_foreign(f, &hint);
	if (!what && xt2_opened_file_is_image(f))
		hint = "it is an image: xt2tables-save --image FILE makes text of it";
	if (!what && memchr(f->head, '\0', nl ? (size_t)(nl - f->head) : f->len))
		what = "this is a binary file, not text";
	if (what)
		no_text(load, what, hint);
	return what != NULL;
}

/* The same of the first line.  => true */
static bool binary(struct xt2_load *load)
{
	const bool found = memchr(load->at, '\0', (size_t)(load->end - load->at));

	if (found)
		no_text(load, "this is a binary file, not text", "");
	return found;
}

/* => true: the line was a plain rule, and is in the ruleset */
static bool plain_line(struct xt2_load *load)
{
	const struct xt2_rule *r;
	int chain;

	if (!load->plain || !load->in_table || load->skip ||
	    load->end - load->at >= (ptrdiff_t)sizeof(load->buf))
		return false;
	if (!load->plain_ready)
		xt2_fast_table(load->plain, load->line.table_number);
	load->plain_ready = true;
	r = xt2_fast_read(load->plain, load->at, load->end, &chain);
	if (!r)
		return false;
	table_touch(load);
	if (xt2_rule_put(load->rs, chain, r, load->number))
		return false;
	if (load->opt->plain)
		(*load->opt->plain)++;
	return true;
}

static void any_line(struct xt2_load *load)
{
	struct xt2_failure failure;

	if (xt2_try(run_line, load, &failure))
		report_failure(load, &failure);
	xt2_line_end(&load->line);
	load->plain_ready = false;
}

/* => 0, -errno: the file could not be read */
static int read_lines(struct xt2_load *load)
{
	struct xt2_failure failure;
	int ret;

	for (load->number = 1;; load->number++) {
		ret = xt2_lines_next(&load->lines, &load->at, &load->end);
		if (ret <= 0)
			break;
		if (load->number == 1 && binary(load))
			return 0;
		if (!plain_line(load))
			any_line(load);
	}
	load->at = load->end = "";
	if (!ret && xt2_try(run_end, load, &failure))
		report_failure(load, &failure);
	return ret;
}

/* --- files --------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
	const struct xt2_err *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

static int system_error(struct xt2_load *load, int error)
{
	struct xt2_err *err = error_add(load, error == -ENOMEM ? RESOURCE_PROBLEM : OTHER_PROBLEM,
					XT2_E_SYSTEM, "", "");

	if (err) {
		err->errnum = -error;
		snprintf(err->message, sizeof(err->message), "Can't open %s: %s", load->path,
			 strerror(-error));
		if (error == -EFBIG)
			snprintf(err->message, sizeof(err->message),
				 "line %u is longer than any line of rules", load->number);
	}
	return error;
}

/* The file's lines, unless it is none that has them.  => 0, -errno: it could not be read */
static bool check_rule(void *data, const struct xt2_ruleset *rs, int chain,
		       const struct xt2_rule *r, unsigned int hooks)
{
	return xt2_reach_refuses(rs, xt2_chain_table(rs, chain), r, hooks);
}

/* As table_end() would have done. */
static int check_table(void *data, const struct xt2_ruleset *rs, int table)
{
	struct xt2_load *load = data;
	int ret;

	load->number = load->committed[table];
	ret = xt2_reach_check(rs, table, report_rule, load);
	if (ret < 0)
		system_error(load, ret);
	return ret;
}

/* What was read is to be stored. */
static int commit(struct xt2_load *load)
{
	const struct xt2_commit_check check = { check_rule, check_table, load };

	if (!load->opt->commit || load->failed)
		return 0;
	return load->opt->commit(load->opt->data, &check) ? -ECANCELED : 0;
}

static int read_file(struct xt2_load *load, const char *path)
{
	const struct xt2_opened_file *f = load->opt->file;
	struct xt2_opened_file own;
	int ret = 0;

	if (!f) {
		ret = xt2_opened_file_open(&own, path);
		f = &own;
	}
	if (ret)
		return ret;
	ret = xt2_lines_open(&load->lines, f);
	if (!ret && !binary_head(load, f))
		ret = read_lines(load);
	if (!ret)
		ret = commit(load);
	xt2_lines_close(&load->lines);
	if (f == &own)
		xt2_opened_file_close(&own);
	return ret;
}

int xt2_text_load(const char *path, struct xt2_ruleset *rs, const struct xt2_text_options *opt,
		  struct xt2_text_errors *errors)
{
	static const char *const programs[] = {
		[XT2_IPV4] = "iptables-restore",
		[XT2_IPV6] = "ip6tables-restore",
		[XT2_ARP] = "arptables-restore",
		[XT2_BRIDGE] = "ebtables-restore",
	};
	struct xt2_load *load = calloc(1, sizeof(*load));
	int ret;

	memset(errors, 0, sizeof(*errors));
	if (!load)
		return -ENOMEM;
	load->path = strcmp(path, "-") ? path : "<stdin>";
	load->rs = rs;
	load->opt = opt;
	load->errors = errors;
	load->say = opt->noflush ? NULL : opt->report;
	load->line.rs = rs;
	load->line.family = opt->family;
	load->line.table = "";
	load->chain = -1;
	if ((unsigned int)opt->family < XT2_ARRAY_SIZE(programs))
		load->line.program = programs[opt->family];
	ret = load->line.program
		      ? xt2_libxt_setup(opt->family, xt2_line_options(opt->family), opt->resolve)
		      : -EINVAL;
	if (!ret && !opt->report && !opt->no_plain)
		load->plain = xt2_fast_new(rs, opt->family, opt->counters);
	if (!ret)
		ret = read_file(load, path);
	if (ret < 0 && ret != -ECANCELED)
		system_error(load, ret);
	else if (load->failed)
		ret = -EINVAL;
	if (errors->count)
		qsort(errors->list, errors->count, sizeof(*errors->list), by_line);
	xt2_fast_free(load->plain);
	xt2_line_free(&load->line);
	free(load);
	return ret;
}
