/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alone.h - one command, as on iptables' command line: see alone.c */
#ifndef XT2_XT2TABLES_TEXT_ALONE_H
#define XT2_XT2TABLES_TEXT_ALONE_H

#include "libxt2/ruleset/inplace.h"
#include "restore.h"

/* Which of iptables' two kinds of messages a failure gets. */
enum xt2_alone_stage {
	XT2_ALONE_WORDS, /* "iptables vVERSION: ...", as libxtables ends a program */
	XT2_ALONE_RULES, /* "iptables: ...", as libiptc and the kernel answer */
};

struct xt2_alone {
	struct xt2_load load;
	struct xt2_text_options opt;
	enum xt2_alone_stage stage; /* at which it failed */
	bool silent; /* -v says nothing */
};

/*
 * xt2_alone_new - for commands one after the other
 * @own_option: of the program, see struct xt2_line; or NULL
 * => NULL: no memory
 */
struct xt2_alone *xt2_alone_new(bool (*own_option)(void *data, int c, const char *arg), void *own);
void xt2_alone_free(struct xt2_alone *a);

/*
 * xt2_alone_parse - understand words; a->load.line.words are there
 * @family: of the rules; @table: unless -t names one
 * => 0: see a->load.line; -1: failure says why.  xt2_alone_end() in any case
 */
int xt2_alone_parse(struct xt2_alone *a, int family, const char *table,
		    struct xt2_failure *failure);

/* Words of a command line; word[0] is the program. => 0; -E2BIG */
int xt2_alone_words(struct xt2_alone *a, int count, char **words);

/* Words of a line of text, as iptables-restore cuts it.  => 0; -1: failure says why */
int xt2_alone_cut(struct xt2_alone *a, const char *line, size_t len, struct xt2_failure *failure);

/* Does the command that was understood change a ruleset? */
bool xt2_alone_changes(const struct xt2_alone *a);

/*
 * xt2_alone_run - do what was understood
 *
 * -L and -S print to standard output, and so does -v.  The table comes into being if there is
 * none.  What the kernel would look for in the whole table is left to xt2_alone_check().
 * => 0; -1: failure says why, and the ruleset may have changed in part
 */
int xt2_alone_run(struct xt2_alone *a, struct xt2_ruleset *rs, struct xt2_failure *failure);

/* The kernel's checks of a whole table.  => 0; -1: failure says what is wrong */
int xt2_alone_check(struct xt2_alone *a, struct xt2_ruleset *rs, int table,
		    struct xt2_failure *failure);

/* The same, for a commit that asks about what has changed. */
struct xt2_alone_checks {
	struct xt2_commit_check check;
	struct xt2_alone *alone;
	struct xt2_failure failure; /* out: what is wrong */
};

/* => checks->check */
const struct xt2_commit_check *xt2_alone_checks(struct xt2_alone_checks *checks,
						struct xt2_alone *a);

void xt2_alone_end(struct xt2_alone *a);

#endif
