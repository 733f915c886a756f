/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables-main.c - iptables, ip6tables and arptables on an image, or on what is live
 *
 * One command line is one transaction: it is understood, the store is locked
 * and read, the command is carried out, and what has changed is stored.  The
 * last line of a message is the one that iptables would print; what xt2 knows
 * beyond that stands before it.  Source of messages and exit codes: iptables
 * 1.8.9, arptables 0.0.5.
 */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libxt2/printable.h"
#include "tables-main.h"
#include "unread.h"
#include "where.h"
#include "xt2tables/text/alone.h"
#include "xt2tables/text/resolve.h"

struct call {
	const struct xt2_tables *program;
	struct xt2_where where;
	struct xt2_alone *alone;
	bool resolve;
};

/* --- messages -------------------------------------------------------------------- */

static int try_help(const struct xt2_tables *p)
{
	fprintf(stderr, "Try `%s -h' or '%s --help' for more information.\n", p->legacy, p->legacy);
	return PARAMETER_PROBLEM;
}

static void tell_hint(const char *hint)
{
	if (*hint)
		xt2_print_line(stderr, "xt2: hint: %s", hint);
}

/* Words that cannot be understood, as libxtables ends a program. */
static int words_failed(const struct xt2_tables *p, const struct xt2_failure *f)
{
	static const char bare[] = "Bad argument `";
	const bool below = *f->message == '\n'; /* iptables puts it on a line of its own */

	tell_hint(f->hint);
	if (strncmp(f->message, bare, strlen(bare)))
		fprintf(stderr, "%s v%s: %s", p->legacy, p->version, below ? "\n" : "");
	xt2_print_line(stderr, "%s", f->message + below);
	if (f->status == PARAMETER_PROBLEM)
		return try_help(p);
	if (f->status == VERSION_PROBLEM)
		fprintf(stderr, "Perhaps %s or your kernel needs to be upgraded.\n", p->legacy);
	return f->status;
}

/*
 * The errno of what only the kernel would refuse; it says nothing more, so the
 * reason is told before.  => 0: libiptc knows the words
 */
static int kernel_errno(const struct xt2_failure *f)
{
	if (f->errnum)
		return 0;
	switch (f->code) {
	case XT2_E_LOOP: return ELOOP;
	case XT2_E_SYSTEM:
	case XT2_E_LIMIT:
	case XT2_E_UNSUPPORTED: return 0;
	}
	return EINVAL;
}

/* The errno that iptables names instead of the words that libiptc has for it.  => 0: it has none */
static int plain_errno(const struct call *c, const struct xt2_failure *f)
{
	const char command = c->alone->load.line.command;

	if (c->program->family != XT2_ARP && command == 'X' && f->errnum != ENOENT)
		return f->errnum;
	return kernel_errno(f);
}

/* A command that cannot be carried out, as libiptc and the kernel answer. */
static int rules_failed(const struct call *c, const struct xt2_failure *f)
{
	const struct xt2_tables *p = c->program;
	const int plain = plain_errno(c, f), errnum = plain ? plain : f->errnum;
	const char *text = plain ? strerror(plain) : f->message;
	size_t len = strlen(text);

	if (plain)
		xt2_print_line(stderr, "xt2: %s", f->message);
	tell_hint(f->hint);
	len -= len && text[len - 1] == '.';
	if (p->family == XT2_ARP)
		xt2_print_line(stderr, "%s: %.*s", p->legacy, (int)len, text);
	else
		xt2_print_line(stderr, "%s: %.*s.%s", p->legacy, (int)len, text,
			       errnum == EINVAL ? " Run `dmesg' for more information." : "");
	return f->status ? f->status : OTHER_PROBLEM;
}

static int failed(const struct call *c, const struct xt2_failure *f)
{
	fflush(stdout);
	return c->alone->stage == XT2_ALONE_WORDS ? words_failed(c->program, f)
						  : rules_failed(c, f);
}

/* --- one command ----------------------------------------------------------------- */

static bool own_option(void *data, int number, const char *arg)
{
	struct call *c = data;

	if (number == XT2_WHERE_RESOLVE) {
		c->resolve = true;
		xt2_names_resolve(true);
		return true;
	}
	return xt2_where_option(&c->where, number, arg);
}

static int print_version(const struct xt2_tables *p, bool inverted)
{
	if (inverted)
		printf("Not %s ;-)\n", p->version);
	else
		printf("%s v%s\n", p->legacy, p->version);
	return 0;
}

static int print_help(struct call *c)
{
	struct xt2_line *l = &c->alone->load.line;

	if (!l->ext.matches && l->protocol && l->family != XT2_ARP)
		xt2_libxt_match_proto(&l->ext, l->protocol, &l->proto_used);
	xt2_tables_help(c->program, &l->ext);
	return 0;
}

/* => exit status */
static int run(struct call *c)
{
	struct xt2_alone *a = c->alone;
	const struct xt2_line *l = &a->load.line;
	struct xt2_where *w = &c->where;
	struct xt2_alone_checks checks;
	struct xt2_failure f;
	int status;

	if (xt2_alone_run(a, w->rs, &f))
		return failed(c, &f);
	status = xt2_where_trouble(w);
	if (status)
		return status;
	if (!xt2_alone_changes(a))
		return 0;
	w->changed[l->table_number] = l->command == 'P' || l->command == 'Z' || l->zero;
	if (!w->in_place && xt2_alone_check(a, w->rs, l->table_number, &f))
		return failed(c, &f);
	w->check = xt2_alone_checks(&checks, a);
	status = xt2_where_commit(w);
	return status == XT2_WHERE_WRONG ? failed(c, &checks.failure) : status;
}

/* The words are understood.  => exit status */
static int carry_out(struct call *c)
{
	const struct xt2_line *l = &c->alone->load.line;
	int status;

	switch (l->command) {
	case 'V': return print_version(c->program, l->not_version);
	case 'h': return print_help(c);
	case 0: return try_help(c->program);
	}
	status = xt2_where_end(&c->where, c->program->family);
	if (status >= 0)
		return status;
	c->where.wait = l->wait;
	c->where.unread = xt2_unread;
	c->where.unread_data = c->alone;
	if (l->command == 'L' && !(l->given & XT2_OPT_BIT(XT2_OPT_NUMERIC)))
		xt2_names_list(c->resolve);
	status = xt2_where_open(&c->where,
				xt2_alone_changes(c->alone) ? XT2_STORE_CREATE : XT2_STORE_LOOK);
	if (!status && !c->where.done)
		status = run(c);
	xt2_where_close(&c->where);
	return status;
}

static int understand(struct call *c, int argc, char **argv)
{
	struct xt2_failure f = { .status = PARAMETER_PROBLEM };

	if (xt2_alone_words(c->alone, argc, argv)) {
		snprintf(f.message, sizeof(f.message), "Parser cannot handle more arguments");
		return failed(c, &f);
	}
	c->alone->load.line.program = c->program->legacy;
	if (xt2_alone_parse(c->alone, c->program->family, "filter", &f))
		return failed(c, &f);
	return carry_out(c);
}

int xt2_tables_main(const struct xt2_tables *program, int argc, char **argv)
{
	struct call c = { .program = program,
			  .where = { .name = program->name, .legacy = program->legacy } };
	int status;

	c.alone = xt2_alone_new(own_option, &c);
	if (!c.alone) {
		fprintf(stderr, "%s: out of memory\n", program->legacy);
		return RESOURCE_PROBLEM;
	}
	status = understand(&c, argc, argv);
	xt2_alone_end(c.alone);
	xt2_alone_free(c.alone);
	return status;
}
