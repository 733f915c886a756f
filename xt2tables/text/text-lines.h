/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text-lines.h - the lines of a file, one after the other: see text-lines.c */
#ifndef XT2_XT2TABLES_TEXT_TEXT_LINES_H
#define XT2_XT2TABLES_TEXT_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "xt2tables/files/opened-file.h"

#define XT2_LINES_AFTER 32 /* bytes after a line's newline that can be read at least */

struct xt2_lines {
	int fd;
	bool twice; /* it can be read again */
	off_t start; /* where the first line is, if so */
	char *buf;
	size_t room, from, to; /* bytes at buf; those from from to to are to come */
	bool ended; /* these are the last bytes */
	bool open_end; /* the line that came last had no newline */
};

/* @f: an open file, which is the caller's to close, after xt2_lines_close().  => 0, -ENOMEM */
int xt2_lines_open(struct xt2_lines *l, const struct xt2_opened_file *f);
void xt2_lines_close(struct xt2_lines *l);

/*
 * xt2_lines_next - the next line
 * @at: where it starts; until the next call
 * @end: its newline, or one that was put there if the file has none
 * => 1, 0: there are no more, -errno; -EFBIG: it is longer than any that can be meant
 */
int xt2_lines_next(struct xt2_lines *l, const char **at, const char **end);

/*
 * xt2_lines_find - a line that came before
 * @number: from 1
 * @text: gets what fits, and a NUL; empty if the line is not there any more
 */
void xt2_lines_find(const struct xt2_lines *l, unsigned int number, char *text, size_t size);

#endif
