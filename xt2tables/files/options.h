/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the options of a subcommand: a row each
 *
 * A row says how an option is written and which field of the subcommand's
 * structure it sets; a function takes those that are more than that.
 */
#ifndef XT2_XT2TABLES_FILES_OPTIONS_H
#define XT2_XT2TABLES_FILES_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

struct xt2_given;

struct xt2_option {
	const char *name; /* the long one, or NULL */
	int letter; /* the short one; 0: there is none; XT2_FILE_ARGUMENT */
	bool argument; /* it has one */
	size_t at; /* the field that it sets */
	int value;
	int (*take)(const struct xt2_given *g); /* => XT2_EXIT_OK: go on; or the exit code */
};

/* An option on the command line. */
struct xt2_given {
	const char *command;
	const struct xt2_option *row;
	void *data; /* the subcommand's structure */
	void *field; /* of it, the row's */
	const char *arg;
};

/* With order "-", a file in its place among the options comes as this letter. */
#define XT2_FILE_ARGUMENT 1

/* The place of a field; one of another type does not compile. */
#define XT2_FIELD(type, field, of) \
	(offsetof(type, field) + 0 * sizeof((of *)NULL == &((type *)NULL)->field))

/* Of a bool, of an int, and of a string. */
#define XT2_FLAG(name, letter, type, field)                                              \
	{                                                                                \
		name, letter, false, XT2_FIELD(type, field, bool), true, xt2_option_flag \
	}
#define XT2_VALUE(name, letter, type, field, value)                                     \
	{                                                                               \
		name, letter, false, XT2_FIELD(type, field, int), value, xt2_option_int \
	}
#define XT2_WORD(name, letter, type, field)                                                  \
	{                                                                                    \
		name, letter, true, XT2_FIELD(type, field, const char *), 0, xt2_option_word \
	}

int xt2_option_flag(const struct xt2_given *g);
int xt2_option_int(const struct xt2_given *g);
int xt2_option_word(const struct xt2_given *g);

/* A number without a sign.  => false: none, or too large */
bool xt2_number(const char *text, int base, unsigned long long *n);

/* The live ruleset of another network namespace, or one that is pinned elsewhere. */
#define XT2_STORE_ROWS(type, store) \
	XT2_WORD("netns", 0, type, store.netns), XT2_WORD("pin", 0, type, store.pin)

#define XT2_PLACE_HELP                                                                     \
	"      --netns NAME       the network namespace of this name, as of ip-netns(8)\n" \
	"      --pin DIR          a folder in a BPF file system, instead of xt2's own\n"

struct xt2_syntax {
	const char *command, *help;
	const char
		*order; /* "", or as in getopt(3): "-" gives files in their place, "+" ends there */
	bool alone; /* nothing may follow the options */
	const struct xt2_option
		*rows; /* end with one that has no take; -h and --help come by themselves */
};

/*
 * xt2_options - take the options of a subcommand, in their order
 * @data: the structure that rows have fields of
 *
 * What follows them begins at argv[optind].
 * => -1: go on; XT2_EXIT_OK: help was asked for; XT2_EXIT_USAGE and others, the reason told
 */
int xt2_options(const struct xt2_syntax *syntax, void *data, int argc, char **argv);

#endif
