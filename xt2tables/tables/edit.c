/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit.c - change a ruleset by lines of iptables' grammar, a transaction at a time
 *
 * The lines of a transaction are gathered first, so the lock is held only while
 * they are carried out and never while more of them are awaited.  All of them
 * take effect in one commit, or none; then one line answers.  A transaction
 * ends at COMMIT; lines without any COMMIT are one.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xtables.h>
#include "edit.h"
#include "past-text.h"
#include "engine/image.h"
#include "libxt2/printable.h"
#include "xt2tables/files/usage.h"
#include "xt2tables/text/alone.h"

/* A transaction's lines, one after the other, each with its newline. */
struct lines {
	char *text;
	size_t len, room;
	unsigned int first, last; /* numbers in the input, from 1 */
};

struct editing {
	struct xt2_where *where;
	const struct xt2_edit *how;
	struct xt2_alone *alone;
	struct lines lines;
	int family; /* of the next line */
	char table[XT2_NAME_SIZE]; /* for lines without -t */
	bool touched[XT2_TABLES_MAX]; /* by this transaction */
	char owner[XT2_NAME_SIZE], reason[XT2_REASON_MAX + 1]; /* of the transaction */
	bool changes;
	unsigned int number; /* of the line at hand */
	char why[1536]; /* the first error of the transaction; "": none */
	int store_exit; /* XT2_EXIT_* of the store's error */
	bool ended; /* a COMMIT has been seen */
};

/* --- answers --------------------------------------------------------------------- */

static void fail(struct editing *e, const char *message, const char *hint)
{
	if (!*e->why)
		snprintf(e->why, sizeof(e->why), "%s%s%s%s", message, *hint ? " (hint: " : "", hint,
			 *hint ? ")" : "");
}

/* For struct xt2_where. */
static void report(void *data, const struct xt2_err *err)
{
	const char *what = err->message[0] ? err->message : strerror(err->errnum);
	char message[sizeof(err->file) + sizeof(err->message) + 2];
	struct editing *e = data;

	e->store_exit = xt2_exit_code(err);
	if (err->file[0] && e->where->store.kind == XT2_STORE_FILE)
		snprintf(message, sizeof(message), "%s: %s", err->file, what);
	else
		snprintf(message, sizeof(message), "%s", what);
	fail(e, message, err->hint);
}

/* => XT2_EXIT_* for an answer of the store, whose error was reported */
static int exit_of(const struct editing *e, int status)
{
	if (!status || status == XT2_WHERE_CONFLICT || status == XT2_WHERE_OWNED ||
	    e->where->store.kind != XT2_STORE_FILE)
		return status;
	return e->store_exit;
}

/* A line that is wrong.  => XT2_EXIT_* */
static int line_failed(struct editing *e, const struct xt2_failure *f)
{
	fail(e, f->message, f->hint);
	return f->code == XT2_E_SYSTEM ? XT2_EXIT_RESOURCE : XT2_EXIT_USAGE;
}

static int refuse(struct editing *e, const char *message)
{
	fail(e, message, "");
	return XT2_EXIT_USAGE;
}

/* --- lines ------------------------------------------------------------------------- */

static bool word_is(const char *line, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(line, word, len);
}

/* "*nat" */
static int table_line(struct editing *e, const char *line, size_t len)
{
	if (len - 1 >= sizeof(e->table) || memchr(line, '\0', len))
		return refuse(e, "there is no table of this name");
	memcpy(e->table, line + 1, len - 1);
	e->table[len - 1] = '\0';
	if (!xt2_table_hooks(e->family, e->table))
		return refuse(e, "there is no table of this name");
	return XT2_EXIT_OK;
}

/* "family ipv6" */
static int family_line(struct editing *e, const char *name, size_t len)
{
	static const struct {
		const char *name;
		int family;
	} names[] = { { "ipv4", XT2_IPV4 }, { "ipv6", XT2_IPV6 }, { "arp", XT2_ARP } };
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(names); i++)
		if (word_is(name, len, names[i].name)) {
			e->family = names[i].family;
			return XT2_EXIT_OK;
		}
	return refuse(e, "families are ipv4, ipv6 and arp");
}

/* The line's words are there; -4 and -6 are for this line.  => 0; -1: f says why */
static int parse(struct editing *e, struct xt2_failure *f)
{
	struct xt2_alone *a = e->alone;
	int ret = xt2_alone_parse(a, e->family, e->table, f);

	if (ret || a->load.line.command || e->family == XT2_ARP)
		return ret;
	xt2_alone_end(a);
	return xt2_alone_parse(a, e->family == XT2_IPV4 ? XT2_IPV6 : XT2_IPV4, e->table, f);
}

/* The words are understood: do it.  => XT2_EXIT_* */
static int carry_out(struct editing *e)
{
	const struct xt2_line *l = &e->alone->load.line;
	struct xt2_failure f;

	if (strchr("LShV", l->command) || l->zero)
		return refuse(e, "the line changes nothing: -L, -S, -h and -V are xt2tables'");
	if (e->where->store.kind == XT2_STORE_LIVE && l->family == XT2_ARP)
		return refuse(e, "what is live is IPv4 and IPv6");
	if (xt2_alone_run(e->alone, e->where->rs, &f))
		return line_failed(e, &f);
	if (!xt2_alone_changes(e->alone))
		return XT2_EXIT_OK;
	e->changes = true;
	e->touched[l->table_number] = true;
	e->where->changed[l->table_number] |= l->command == 'P' || l->command == 'Z';
	return XT2_EXIT_OK;
}

/* A line of iptables' grammar.  => XT2_EXIT_* */
static int rule_line(struct editing *e, const char *line, size_t len)
{
	struct xt2_failure f;
	int ret = xt2_alone_cut(e->alone, line, len, &f);

	if (ret)
		return line_failed(e, &f);
	if (e->alone->load.line.words.count == 1)
		return XT2_EXIT_OK;
	ret = parse(e, &f) ? line_failed(e, &f) : carry_out(e);
	xt2_alone_end(e->alone);
	return ret;
}

/* The lock is held, so nobody changes it before this transaction does.  => XT2_EXIT_* */
static int generation_line(struct editing *e, const char *number, size_t len)
{
	const __u64 is = e->where->generation;
	char text[24], last[XT2_PAST_TEXT];
	__u64 wanted;

	if (len >= sizeof(text))
		return refuse(e, "if-generation needs a number");
	memcpy(text, number, len);
	text[len] = '\0';
	if (strlen(text) != len || !xt2_where_generation(text, &wanted))
		return refuse(e, "if-generation needs a number");
	if (wanted == is)
		return XT2_EXIT_OK;
	xt2_where_last(e->where, last);
	snprintf(e->why, sizeof(e->why), "generation %llu is there, not %s%s%s",
		 (unsigned long long)is, text, *last ? ": it was made by " : "", last);
	return XT2_EXIT_CONFLICT;
}

/* "owner kube-proxy": what the history will have.  => XT2_EXIT_* */
static int author_line(struct editing *e, const char *what, char *kept, size_t size,
		       const char *text, size_t len)
{
	char wrong[64];

	if (len && len < size && !memchr(text, '\0', len)) {
		memcpy(kept, text, len);
		kept[len] = '\0';
		return exit_of(e, kept == e->owner ? xt2_where_act(e->where, e->owner) : 0);
	}
	snprintf(wrong, sizeof(wrong), "%s needs 1 to %zu bytes", what, size - 1);
	return refuse(e, wrong);
}

/* => the text after a word and a blank; NULL: the line begins with another word */
static const char *after(const char *line, size_t len, const char *word, size_t *left)
{
	const size_t n = strlen(word);

	if (len < n + 1 || memcmp(line, word, n) || line[n] != ' ')
		return NULL;
	*left = len - n - 1;
	return line + n + 1;
}

/* => XT2_EXIT_* */
static int run_line(struct editing *e, const char *line, size_t len)
{
	const char *text;
	size_t left;

	if (!len || *line == '#')
		return XT2_EXIT_OK;
	if (*line == '*')
		return table_line(e, line, len);
	if (*line == ':')
		return refuse(e, "chains are made by -N, and have policies by -P");
	if ((text = after(line, len, "family", &left)))
		return family_line(e, text, left);
	if ((text = after(line, len, "if-generation", &left)))
		return generation_line(e, text, left);
	if ((text = after(line, len, "owner", &left)))
		return author_line(e, "owner", e->owner, sizeof(e->owner), text, left);
	if ((text = after(line, len, "reason", &left)))
		return author_line(e, "reason", e->reason, sizeof(e->reason), text, left);
	return rule_line(e, line, len);
}

/* --- transactions ------------------------------------------------------------------ */

/* => XT2_EXIT_*; e->number: the line that is wrong */
static int run_lines(struct editing *e)
{
	const char *at = e->lines.text, *end = at + e->lines.len, *nl;
	int ret = XT2_EXIT_OK;

	for (e->number = e->lines.first; at < end; at = nl + 1) {
		nl = memchr(at, '\n', (size_t)(end - at));
		ret = run_line(e, at, (size_t)(nl - at));
		if (ret != XT2_EXIT_OK)
			break;
		e->number++;
	}
	return ret;
}

/* What the kernel checks of whole tables; the end of the transaction is at fault. */
static int check_tables(struct editing *e)
{
	struct xt2_failure f;
	int table, tables = xt2_ruleset_tables(e->where->rs);

	e->number = e->lines.last;
	if (e->where->in_place)
		return XT2_EXIT_OK; /* the commit looks at what changed */
	for (table = 0; table < tables; table++)
		if (e->touched[table] && xt2_alone_check(e->alone, e->where->rs, table, &f))
			return line_failed(e, &f);
	return XT2_EXIT_OK;
}

static void begin(struct editing *e)
{
	e->family = e->how->family ? e->how->family : XT2_IPV4;
	strcpy(e->table, "filter");
	memset(e->touched, 0, sizeof(e->touched));
	memset(e->where->changed, 0, sizeof(e->where->changed));
	snprintf(e->owner, sizeof(e->owner), "%s", e->where->owner ? e->where->owner : "");
	snprintf(e->reason, sizeof(e->reason), "%s", e->where->reason ? e->where->reason : "");
	e->changes = false;
	e->why[0] = '\0';
	e->store_exit = XT2_EXIT_RESOURCE;
}

/* => XT2_EXIT_* */
static int commit(struct editing *e)
{
	struct xt2_alone_checks checks;
	int status;

	xt2_where_author(e->where, *e->owner ? e->owner : NULL, *e->reason ? e->reason : NULL);
	e->where->check = xt2_alone_checks(&checks, e->alone);
	status = xt2_where_commit(e->where);
	return status == XT2_WHERE_WRONG ? line_failed(e, &checks.failure) : exit_of(e, status);
}

/* The lines are gathered.  => XT2_EXIT_*; e->why, if it is not XT2_EXIT_OK */
static int transact(struct editing *e)
{
	struct xt2_where *w = e->where;
	int ret;

	begin(e);
	e->number = e->lines.last;
	ret = exit_of(e, xt2_where_open(w, XT2_STORE_CREATE));
	if (ret == XT2_EXIT_OK)
		ret = run_lines(e);
	if (ret == XT2_EXIT_OK)
		ret = check_tables(e);
	if (ret == XT2_EXIT_OK && e->changes)
		ret = commit(e);
	xt2_where_close(w);
	return ret;
}

/* => XT2_EXIT_*, the answer given */
static int answer(struct editing *e, int ret)
{
	if (ret == XT2_EXIT_OK)
		printf("ok %llu\n", (unsigned long long)e->where->generation);
	else
		xt2_print_line(stdout, "error %u: %s", e->number, *e->why ? e->why : "failed");
	fflush(stdout);
	e->lines.len = 0;
	return ret;
}

/* --- input ------------------------------------------------------------------------- */

/* => false: no memory */
static bool keep(struct lines *l, const char *line, size_t len)
{
	size_t room = l->room ? l->room : 4096;
	char *more;

	while (room - l->len < len + 1)
		room *= 2;
	if (room != l->room) {
		more = realloc(l->text, room);
		if (!more)
			return false;
		l->text = more;
		l->room = room;
	}
	memcpy(l->text + l->len, line, len);
	l->text[l->len + len] = '\n';
	l->len += len + 1;
	return true;
}

/* What is left at the end of the input.  => XT2_EXIT_* */
static int last(struct editing *e, unsigned int lines)
{
	e->lines.last = e->number = lines;
	if (!e->lines.len)
		return XT2_EXIT_OK;
	if (!e->how->stream && !e->ended)
		return answer(e, transact(e));
	begin(e);
	e->number = lines;
	return answer(e, refuse(e, "COMMIT expected: these lines have no effect"));
}

static int no_memory(void)
{
	fputs("xt2 edit: out of memory\n", stderr);
	return XT2_EXIT_RESOURCE;
}

static int unread(void)
{
	fprintf(stderr, "xt2 edit: standard input: %s\n", strerror(errno));
	return XT2_EXIT_RESOURCE;
}

/* => XT2_EXIT_*: the worst of the transactions */
static int edit(struct editing *e)
{
	unsigned int number = 0;
	int worst = XT2_EXIT_OK;
	bool full = false;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while (!full && (n = getline(&line, &room, stdin)) > 0) {
		n -= line[n - 1] == '\n';
		number++;
		if (!e->lines.len)
			e->lines.first = number;
		e->lines.last = number;
		if (word_is(line, (size_t)n, "COMMIT")) {
			e->ended = true;
			worst = xt2_exit_worse(worst, answer(e, transact(e)));
		} else {
			full = !keep(&e->lines, line, (size_t)n);
		}
	}
	if (full || ferror(stdin))
		worst = full ? no_memory() : unread();
	else
		worst = xt2_exit_worse(worst, last(e, number));
	free(line);
	return worst;
}

int xt2_edit(struct xt2_edit *how)
{
	struct editing e = { .where = &how->where, .how = how };
	int ret;

	e.alone = xt2_alone_new(NULL, NULL);
	if (!e.alone)
		return no_memory();
	how->where.report = report;
	how->where.data = &e;
	e.alone->silent = true;
	e.alone->opt.resolve = how->resolve;
	e.alone->load.line.program = "xt2 edit";
	ret = edit(&e);
	xt2_alone_free(e.alone);
	free(e.lines.text);
	return ret;
}
