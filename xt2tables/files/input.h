/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.h - the ruleset that a subcommand works on: see input.c */
#ifndef XT2_XT2TABLES_FILES_INPUT_H
#define XT2_XT2TABLES_FILES_INPUT_H

#include <stdbool.h>
#include <xt2/xt2.h>
#include "libxt2/store/store.h"
#include "options.h"
#include "usage.h"

/* --- a ruleset from a text or an image (input.c) ------------------------- */

struct xt2_input {
	const char *path;
	int family; /* of a text; 0: an image, which has them all */
	bool image, text; /* it must be one */
	bool patched; /* an image's patched chains are wanted as they are, not compiled */
	bool rules_only; /* an image's indexes are not asked for, so they need not be right */
	bool resolve;
	bool live; /* what the kernel evaluates: see xt2_input_open() */
	struct xt2_store store; /* that an image or the live ruleset is in */
	void (*report)(void *data, const struct xt2_err *err); /* NULL: print errors */
	void *data;
	unsigned int more; /* errors of the text that were too many to report */
	struct xt2_ruleset *rs;
	struct xt2_mapping map;
};

/*
 * xt2_input_load - read and check a ruleset; reports every error
 * @in: path; family for a text, 0 to find out by looking at the file
 * => XT2_EXIT_*
 */
int xt2_input_load(struct xt2_input *in);
void xt2_input_close(struct xt2_input *in);

/* As xt2_input_load() for a file that is open, and the caller's to close. */
struct xt2_opened_file;
int xt2_input_load_file(struct xt2_input *in, const struct xt2_opened_file *f);

/* Can the ruleset and this capture, or NULL, both be read?  => XT2_EXIT_*, the reason told */
int xt2_input_and_capture(const struct xt2_input *in, const char *capture);

/* The ruleset of an image that was read; patched chains are compiled unless they are wanted. */
int xt2_input_use(struct xt2_input *in);

/* The ruleset of the evaluated image, counters included: in->rs is replaced. */
int xt2_input_reload(struct xt2_input *in);

/* Reports what cannot be evaluated at a hook; NULL: anywhere.  => number of such rules, -ENOMEM */
int xt2_input_unsupported(const struct xt2_input *in, const char *hook, const char *table);

/*
 * xt2_input_too_long - report that packets have too long a way to go
 *
 * Chains that jump to the next one twice each make 2^n ways.
 * => XT2_EXIT_RESOURCE
 */
int xt2_input_too_long(const struct xt2_input *in);

/*
 * xt2_input_no_evaluator - report why xt2_evaluator_new() gave none
 * @error: its errno
 *
 * => XT2_EXIT_*
 */
int xt2_input_no_evaluator(const struct xt2_input *in, int error);

/*
 * xt2_input_reached - the chains that packets can get to
 * @hook, @table: from here; NULL table: all of the hook
 * => a byte for each chain of the image, to free(); NULL: no memory
 */
__u8 *xt2_input_reached(const struct xt2_input *in, const char *hook, const char *table);

/*
 * xt2_input_table - is this a table of the rules, with this hook?
 * @table: NULL is all, and fine; @why: set if not
 * => 0, -ENOENT
 */
int xt2_input_table(const struct xt2_input *in, const char *hook, const char *table, char *why,
		    size_t size);

/*
 * xt2_input_rule - a rule by chain and number, "CHAIN:N" or "TABLE/CHAIN:N"
 * @family: of its table; @table: unless @text says it; NULL: the first that has such a rule
 * @chain, @at: its chain, and its position from 0
 * @err: the file is the caller's to fill in
 * => 0, -EINVAL (of another form), -ENOENT
 */
int xt2_input_rule(const struct xt2_input *in, int family, const char *table, const char *text,
		   int *chain, unsigned int *at, struct xt2_err *err);

/*
 * xt2_input_line - where a rule was written
 * @file: set to the text; for an image that was made from one, to its name
 * => line from 1; 0: not known, and file is the input
 */
unsigned int xt2_input_line(const struct xt2_input *in, int chain, unsigned int at,
			    const char **file);

/* Fills in where a rule was written, and its text. */
void xt2_input_err_rule(const struct xt2_input *in, int chain, unsigned int at,
			struct xt2_err *err);

/* --- several rulesets (input-files.c) ---------------------------------------- */

/* Options of families are for the files that follow. */
struct xt2_files {
	struct xt2_input *list; /* zeroed, but for path and family */
	int count;
	int family; /* of the next one */
	bool waits; /* the family has no file yet */
};

/* Room for all that argc words may be.  => XT2_EXIT_OK, XT2_EXIT_RESOURCE */
int xt2_files_new(struct xt2_files *f, const char *command, int argc);
void xt2_files_free(struct xt2_files *f);

/* A row of such a family, whose value it is; those of all that have files, and of the files. */
#define XT2_FILES_FAMILY(name, letter, type, files, family)                          \
	{                                                                            \
		name, letter, false, offsetof(type, files), family, xt2_files_family \
	}
#define XT2_FILES_ROWS(type, files)                                                     \
	XT2_FILES_FAMILY("ipv4", '4', type, files, XT2_IPV4),                           \
		XT2_FILES_FAMILY("ipv6", '6', type, files, XT2_IPV6),                   \
	{                                                                               \
		NULL, XT2_FILE_ARGUMENT, true, offsetof(type, files), 0, xt2_files_file \
	}

int xt2_files_family(const struct xt2_given *g);
int xt2_files_file(const struct xt2_given *g);

/*
 * xt2_files_end - the options are gone
 * @left: further files, ends with NULL
 * => XT2_EXIT_OK, XT2_EXIT_USAGE
 */
int xt2_files_end(struct xt2_files *f, const char *command, char **left);

/* --- a ruleset that may be live (input-live.c) ----------------------------- */

/* Rows of an input that may be live, for xt2_options(); without, and with a text. */
#define XT2_LIVE_ROWS(type, in)                                             \
	XT2_FLAG("live", 0, type, in.live), XT2_STORE_ROWS(type, in.store), \
		XT2_LIVE_HOST_ROW(type, in.store)
#define XT2_INPUT_ROWS(type, in) XT2_FLAG("resolve", 0, type, in.resolve), XT2_LIVE_ROWS(type, in)

#define XT2_INPUT_HELP                                                                           \
	"      --live             instead of a file, what the kernel evaluates\n" XT2_PLACE_HELP \
		XT2_LIVE_HOST_HELP

/*
 * xt2_input_path - the file that is left when the options are gone, unless the input is live
 * @left: ends with NULL
 * => XT2_EXIT_OK, XT2_EXIT_USAGE
 */
int xt2_input_path(struct xt2_input *in, const char *command, char **left);

/* No more than reading a text or an image takes, unless the input is live: see sandbox.h */
void xt2_input_sandbox(const struct xt2_input *in);

/* As xt2_input_load(), or with --live what is live.  => XT2_EXIT_* */
int xt2_input_open(struct xt2_input *in);

#endif
