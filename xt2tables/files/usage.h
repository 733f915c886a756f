/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.h - exit codes of the programs, and the errors that lead to them */
#ifndef XT2_XT2TABLES_FILES_USAGE_H
#define XT2_XT2TABLES_FILES_USAGE_H

#include <xt2/xt2.h>

/* Exit codes of xt2; after 2 to 6 no image has changed. */
enum xt2_exit {
	XT2_EXIT_OK,
	XT2_EXIT_NO, /* a negative answer */
	XT2_EXIT_USAGE, /* wrong arguments, or an error in an input file */
	XT2_EXIT_UNSUPPORTED,
	XT2_EXIT_RESOURCE,
	XT2_EXIT_CONFLICT, /* somebody else has changed the ruleset */
	XT2_EXIT_OWNED, /* what was to be changed belongs to somebody else */
};

/* Says what is wrong with the arguments and how to get help.  => XT2_EXIT_USAGE */
int xt2_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same when getopt() has said what is wrong. */
int xt2_see_help(const char *command);

/* Prints an error.  => the exit code for it */
int xt2_fail(const struct xt2_err *err);

/* The exit code for an error. */
int xt2_exit_code(const struct xt2_err *err);

/*
 * The exit code for an errno: a file that is not there, or is not ours, is an
 * error of the arguments; a full disk is not.
 */
int xt2_exit_errno(int error);

/* The exit code for an error of the live ruleset. */
int xt2_exit_live(const struct xt2_err *err);

/* Prints an error of the live ruleset.  => the exit code for it */
int xt2_fail_live(const struct xt2_err *err);

/* Says that a subcommand is out of memory.  => XT2_EXIT_RESOURCE */
int xt2_no_memory(const char *command);

/* The exit code for several files, by how much is wrong: an error in a file is more than 3. */
int xt2_exit_worse(int a, int b);

#endif
