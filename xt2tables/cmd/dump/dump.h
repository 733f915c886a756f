/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - what is in a file, row by row
 *
 * A row is a thing with its offset, its kind and its properties: a line of
 * text or an object of JSON.
 */
#ifndef XT2_XT2TABLES_CMD_DUMP_DUMP_H
#define XT2_XT2TABLES_CMD_DUMP_DUMP_H

#include "xt2tables/files/file.h"
#include "xt2tables/cmd/cmd.h"

struct xt2_rows {
	const void *base; /* offset 0 */
	bool json;
	bool some; /* rows have been written */
};

/* Starts a row: where it is, what it is, how large. */
void xt2_row(struct xt2_rows *rows, const void *at, unsigned int indent, const char *what,
	     __u64 size);
/*
 * xt2_row_add - properties of the row
 * @format: "NAME %CONVERSION" of each; conversions are those of printf(): u, llu, d, .1f, s
 */
void xt2_row_add(const struct xt2_rows *rows, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void xt2_row_bytes(const struct xt2_rows *rows, const void *bytes, size_t n);
void xt2_row_end(const struct xt2_rows *rows);

/* --- the kernel's binary formats (dump-blob.c) ------------------------------ */

struct xt2_blob_dump {
	struct xt2_rows rows;
	const char *path, *only; /* of the chains, only this one; NULL: all */
	int family; /* 0: find out */
	int compat; /* -1: find out */
	struct xt2_bytes blob;
};

/*
 * xt2_blob_format - find out family and width if they are not known
 * => 0; -EINVAL: it is none of them, or more than one; -ENOMEM
 */
int xt2_blob_format(struct xt2_blob_dump *d);

/*
 * xt2_blob_dump - show a SET_REPLACE's header and entries, as far as they are sound
 * Then says why the kernel would refuse it, if it would.
 * => XT2_EXIT_*
 */
int xt2_blob_dump(struct xt2_blob_dump *d);

#endif
