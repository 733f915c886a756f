/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - filling in the caller's struct xt2_err; not installed: for the library and its tools */
#ifndef XT2_LIBXT2_ERR_H
#define XT2_LIBXT2_ERR_H

#include <xt2/xt2.h>

/*
 * xt2_err_set - say what went wrong
 * @err: may be NULL; everything that was in it is gone
 * @code: enum xt2_code; @errnum: positive errno
 * @fmt: the reason, as for printf(); cut if it is too long
 * => -errnum
 */
int xt2_err_set(struct xt2_err *err, int code, int errnum, const char *fmt, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/* "no memory for the image": @purpose begins with a blank, or is empty.  => -ENOMEM */
int xt2_err_no_memory(struct xt2_err *err, const char *purpose);

/* "PATH: no such file".  => -errnum */
int xt2_err_path(struct xt2_err *err, int errnum, const char *path);

/* "PATH: cannot VERB: no such file".  => -errnum */
int xt2_file_error(struct xt2_err *err, int errnum, const char *verb, const char *path);

/* The file that an error is about, and what to do about it; err may be NULL. */
void xt2_err_file(struct xt2_err *err, const char *file);
void xt2_err_hint(struct xt2_err *err, const char *hint);

#endif
