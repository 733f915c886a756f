/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opened-file.h - a file that is read, opened once: see opened-file.c */
#ifndef XT2_XT2TABLES_FILES_OPENED_FILE_H
#define XT2_XT2TABLES_FILES_OPENED_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define XT2_HEAD 64 /* bytes that tell what a file is */

struct xt2_bytes {
	void *at; /* to free(); a NUL follows them */
	size_t len;
};

struct xt2_opened_file {
	int fd;
	bool stream; /* cannot be read twice: head has been taken from it */
	size_t len; /* of head: fewer than XT2_HEAD only if there are no more */
	char head[XT2_HEAD];
};

/*
 * xt2_opened_file_open - open a file, and look at its first bytes
 * @path: "-": standard input
 *
 * Waits for the first bytes of a pipe.
 * => 0; errors of open(2) and read(2)
 */
int xt2_opened_file_open(struct xt2_opened_file *f, const char *path);
void xt2_opened_file_close(struct xt2_opened_file *f);

/* An image has its magic. */
bool xt2_opened_file_is_image(const struct xt2_opened_file *f);

/*
 * xt2_opened_file_rest - all of an open file, head included
 * @max: more bytes are refused, without reading them if the file tells its size
 * => 0; -EFBIG; -ENOMEM; errors of read(2)
 */
int xt2_opened_file_rest(const struct xt2_opened_file *f, size_t max, struct xt2_bytes *bytes);

/*
 * xt2_opened_file_foreign - is it something that is neither text nor image?
 * @hint: what helps, or ""
 *
 * Byte order marks, UTF-16 and compressed files, by their first bytes.
 * => what it is; or NULL
 */
const char *xt2_opened_file_foreign(const struct xt2_opened_file *f, const char **hint);

#endif
