/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture.h - captures, for this library and its tests */
#ifndef XT2_LIBXT2_CAPTURE_H
#define XT2_LIBXT2_CAPTURE_H

#include <stdio.h>
#include <xt2/xt2.h>

/*
 * xt2_capture_stream - read a capture from an open stream
 * @from: closed with the capture, or now if it can't be read; stdin stays open
 * @name: what errors call it; copied
 * => NULL: see err and errno
 */
struct xt2_capture *xt2_capture_stream(FILE *from, const char *name, struct xt2_err *err);

/*
 * xt2_dump_stream - write a capture to an open stream
 * @to: closed with the capture, or now if it can't be written
 * @name: what errors call it; copied
 * => NULL: see err and errno
 */
struct xt2_dump *xt2_dump_stream(FILE *to, const char *name, const struct xt2_capture *like,
				 struct xt2_err *err);

#endif
