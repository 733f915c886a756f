/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - the options of a subcommand, taken by getopt_long() */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "libxt2/store/store.h"
#include "options.h"
#include "usage.h"

#define ROWS 64
#define LONG 256 /* the value of a row without a letter, plus its number */

int xt2_option_flag(const struct xt2_given *g)
{
	*(bool *)g->field = true;
	return XT2_EXIT_OK;
}

int xt2_option_int(const struct xt2_given *g)
{
	*(int *)g->field = g->row->value;
	return XT2_EXIT_OK;
}

int xt2_option_word(const struct xt2_given *g)
{
	*(const char **)g->field = g->arg;
	return XT2_EXIT_OK;
}

bool xt2_number(const char *text, int base, unsigned long long *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, base);
	return !errno && end != text && !*end && *text != '-';
}

bool xt2_count(const struct xt2_given *g)
{
	unsigned long long *n = g->field;

	return *g->arg >= '0' && *g->arg <= '9' && xt2_number(g->arg, 10, n) && *n;
}

int xt2_take_live_host(const struct xt2_given *g)
{
	if (!xt2_store_is_host(g->arg))
		return xt2_usage(g->command, "--host is bpf or kernel: %s", g->arg);
	*(const char **)g->field = g->arg;
	return XT2_EXIT_OK;
}

/* What getopt_long() needs to know. */
struct words {
	struct option names[ROWS + 2];
	const struct xt2_option *row[ROWS]; /* of each name */
	char letters[2 * ROWS + 3]; /* the first one is that of the order, or 0 */
};

/* => the row that ends them */
static const struct xt2_option *collect(struct words *w, const struct xt2_option *rows)
{
	const struct xt2_option *o;
	struct option *name = w->names;
	char *letter = w->letters + 1;

	*letter++ = 'h';
	for (o = rows; o->take; o++) {
		if (o - rows == ROWS)
			abort();
		if (o->letter == XT2_FILE_ARGUMENT)
			*w->letters = '-';
		else if (o->letter && o->letter < LONG)
			letter += sprintf(letter, "%c%s", o->letter, o->argument ? ":" : "");
		if (!o->name)
			continue;
		w->row[name - w->names] = o;
		*name++ = (struct option){ o->name, o->argument, NULL,
					   o->letter ? o->letter : LONG + (int)(o - rows) };
	}
	*name = (struct option){ "help", no_argument, NULL, 'h' };
	if (o->value == '+')
		*w->letters = '+';
	return o;
}

int xt2_options(const char *command, const char *help, const struct xt2_option *rows, void *data,
		int argc, char **argv)
{
	struct words w = { .letters = "" };
	const struct xt2_option *end = collect(&w, rows), *o;
	struct xt2_given g = { .command = command, .data = data };
	const char *letters = w.letters + !*w.letters;
	int c, at = -1, ret;

	for (; (c = getopt_long(argc, argv, letters, w.names, &at)) != -1; at = -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return XT2_EXIT_OK;
		}
		if (c == '?')
			return xt2_see_help(command);
		for (o = at < 0 ? rows : w.row[at]; at < 0 && o->letter != c; o++)
			;
		g.row = o;
		g.field = (char *)data + o->at;
		g.arg = optarg;
		ret = o->take(&g);
		if (ret != XT2_EXIT_OK)
			return ret;
	}
	if (end->value == 1 && optind != argc)
		return xt2_usage(command, "no arguments, please");
	return -1;
}
