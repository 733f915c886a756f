/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - whole files in and out, and the words that name binary formats */
#ifndef XT2_XT2TABLES_FILES_FILE_H
#define XT2_XT2TABLES_FILES_FILE_H

#include <stdio.h>
#include <xt2/xt2.h>
#include "opened-file.h"
#include "options.h"

/* The kernel takes no larger table (XT_MAX_TABLE_SIZE); with the largest header. */
#define XT2_BLOB_MAX ((512u << 20) + 120)

/*
 * xt2_file_read - all of a file
 * @path: "-": standard input
 * @max: more bytes are refused
 * => 0; -EFBIG; -ENOMEM; errors of open(2) and read(2): see err
 */
int xt2_file_read(const char *path, size_t max, struct xt2_bytes *bytes, struct xt2_err *err);

/* The same of a file that is open; @path: for errors. */
int xt2_file_rest(const struct xt2_opened_file *f, const char *path, size_t max,
		  struct xt2_bytes *bytes, struct xt2_err *err);

/*
 * xt2_file_write - all of it, or nothing
 * @path: see xt2_output_open()
 * => 0; errors of write(2), rename(2) and so on: see err
 */
int xt2_file_write(const char *path, const void *bytes, size_t len, struct xt2_err *err);

/* "4", "6", "arp", "eb".  => enum xt2_family; 0: no such family */
int xt2_family_word(const char *word);

/* => offset of num_counters in struct ipt_replace and its like */
size_t xt2_num_counters_at(int family, int compat);

/*
 * Options of binary formats, for xt2_options(): an int gets enum xt2_family for "4", "6",
 * "arp" and "eb", and whether it is the compat format for "64" and "32".
 */
#define XT2_FAMILY_WORD(name, type, field)                                       \
	{                                                                        \
		name, 0, true, XT2_FIELD(type, field, int), 0, xt2_option_family \
	}
#define XT2_WIDTH_WORD(name, type, field)                                       \
	{                                                                       \
		name, 0, true, XT2_FIELD(type, field, int), 0, xt2_option_width \
	}

int xt2_option_family(const struct xt2_given *g);
int xt2_option_width(const struct xt2_given *g);

#endif
