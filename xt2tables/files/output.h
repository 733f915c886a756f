/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - files that are written, and standard output: see output.c */
#ifndef XT2_XT2TABLES_FILES_OUTPUT_H
#define XT2_XT2TABLES_FILES_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <xt2/xt2.h>
#include "libxt2/store/new-file.h"

struct xt2_output {
	const char *path;
	FILE *to; /* to be written to; a caller that closes it sets it to NULL */
	int fd;
	int error; /* errno of the first write that failed, 0: none */
	bool standard; /* it is standard output */
	bool durable; /* to be set before anything is written: it is to survive a loss of power */
	bool temporary; /* file is there */
	struct xt2_new_file file;
};

/*
 * xt2_output_open - a stream to a file that appears when all of it is there
 * @path: a regular file, or the one that symbolic links lead to, is replaced in the end, with the
 *   mode and the owner of the old one; what is no regular file (a pipe,
 *   /dev/null) is written to; "-", /dev/stdout: standard output
 * => 0; -errno: see err, and there is nothing to be released
 */
int xt2_output_open(struct xt2_output *o, const char *path, struct xt2_err *err);

/*
 * xt2_output_stream - the same for what has no end: it can be read while it grows
 * @path: a regular file must be new or empty
 * => 0; -EEXIST; -errno: see err
 */
int xt2_output_stream(struct xt2_output *o, const char *path, struct xt2_err *err);

/*
 * xt2_output_finish - all is written: close it, but give it no name yet
 * => 0; -errno of what could not be written: see err, and it is released
 */
int xt2_output_finish(struct xt2_output *o, struct xt2_err *err);

/* The finished file takes the place of the old one; released.  => 0; -errno: see err */
int xt2_output_place(struct xt2_output *o, struct xt2_err *err);

/* Leave the old file as it is; released.  What is closed or zeroed is fine. */
void xt2_output_drop(struct xt2_output *o);

/* A file that is used: to find those that are two things at once. */
struct xt2_use {
	const char *path; /* "-": a standard stream; NULL: it is not used */
	const char *what; /* "--accepted", "the capture" */
	bool output;
};

/*
 * xt2_uses_check - is no output an input as well, or another output?
 *
 * By device and inode, whatever their names; an output that is not there yet by
 * its folder and name.  /dev/null and terminals may be used twice.  Standard
 * input is no two inputs.
 * => 0, -EINVAL: see err
 */
int xt2_uses_check(const struct xt2_use *uses, unsigned int n, struct xt2_err *err);

/*
 * xt2_stdio_begin - at a program's start: standard streams that can be relied on
 *
 * A descriptor that is closed is taken, so that no file gets its number and
 * what is meant for standard output.  Errors of standard output are kept.  A
 * file that gets too large is an error as others, no signal that kills.
 */
void xt2_stdio_begin(void);

/* Write what is left in standard output.  => 0, or the errno of the first write that failed */
int xt2_stdio_lost(void);

#endif
