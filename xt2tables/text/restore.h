/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.h - the state of reading one file: see restore.c */
#ifndef XT2_XT2TABLES_TEXT_RESTORE_H
#define XT2_XT2TABLES_TEXT_RESTORE_H

#include "xt2tables/text/fast/fast-read.h"
#include "line.h"
#include "text-lines.h"
#include "text.h"

struct xt2_load {
	const char *path;
	struct xt2_ruleset *rs;
	const struct xt2_text_options *opt;
	struct xt2_text_errors *errors;
	bool failed;

	struct xt2_lines lines;
	const char *at, *end; /* the current line, without its end */
	unsigned int number; /* of the line, from 1 */
	unsigned int column; /* where the trouble is, unless in a word */
	bool in_words; /* line.words are those of this line */
	char buf[10240]; /* a copy of "*" and ":" lines */

	bool in_table;
	bool skip; /* a table that is not wanted, or not known */
	bool touched; /* the table has changed */
	unsigned int committed[XT2_TABLES_MAX]; /* by table: the line of its COMMIT */
	struct xt2_line line;

	struct xt2_fast *plain; /* NULL: there are no plain lines */
	bool plain_ready; /* it knows this table and its chains */

	FILE *say; /* -v: of rules and chains; NULL: nothing is said */

	int chain; /* looked up last */
	char chain_name[XT2_NAME_SIZE];
};

#endif
