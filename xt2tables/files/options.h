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

/* The row with this letter takes a file in its place among the options. */
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

/* A number without a minus.  => false: none, or too large */
bool xt2_number(const char *text, int base, unsigned long long *n);

/* The same from 1, in digits only, of an unsigned long long. */
bool xt2_count(const struct xt2_given *g);

/* The families of rules: of an int. */
#define XT2_IP_ROWS(type, field) \
	XT2_VALUE("ipv4", '4', type, field, XT2_IPV4), XT2_VALUE("ipv6", '6', type, field, XT2_IPV6)
#define XT2_FAMILY_ROWS(type, field) \
	XT2_IP_ROWS(type, field), XT2_VALUE("arp", 0, type, field, XT2_ARP)

/* The live ruleset of another network namespace, or one that is pinned elsewhere. */
#define XT2_STORE_ROWS(type, store) \
	XT2_WORD("netns", 0, type, store.netns), XT2_WORD("pin", 0, type, store.pin)

#define XT2_PLACE_HELP                                                                     \
	"      --netns NAME       the network namespace of this name, as of ip-netns(8)\n" \
	"      --pin DIR          a folder in a BPF file system, instead of xt2's own\n"

/* The live ruleset of one host or the other. */
#define XT2_LIVE_HOST_ROW(type, store)                                                            \
	{                                                                                         \
		"host", 0, true, XT2_FIELD(type, store.host, const char *), 0, xt2_take_live_host \
	}
int xt2_take_live_host(const struct xt2_given *g);

#define XT2_LIVE_HOST_HELP \
	"      --host kernel      the one that the kernel module evaluates, not BPF programs\n"

/* The end of the rows: files may follow the options; nothing may; or a command, with options of its own. */
#define XT2_ROWS_END       \
	{                  \
		.value = 0 \
	}
#define XT2_ROWS_ALONE     \
	{                  \
		.value = 1 \
	}
#define XT2_ROWS_WORD        \
	{                    \
		.value = '+' \
	}

/*
 * xt2_options - take the options of a subcommand, in their order; -h and --help print its help
 * @rows: see XT2_ROWS_END
 * @data: the structure that rows have fields of
 *
 * What follows them begins at argv[optind].
 * => -1: go on; XT2_EXIT_OK: help was asked for; XT2_EXIT_USAGE and others, the reason told
 */
int xt2_options(const char *command, const char *help, const struct xt2_option *rows, void *data,
		int argc, char **argv);

#endif
