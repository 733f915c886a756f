/* SPDX-License-Identifier: GPL-2.0-or-later */
/* short-file.h - a mapped file that becomes shorter: see short-file.c */
#ifndef XT2_XT2TABLES_FILES_SHORT_FILE_H
#define XT2_XT2TABLES_FILES_SHORT_FILE_H

/*
 * xt2_short_file_fails - from now on, a read beyond the end of a mapped file ends the program
 * @program: is named in the message; @path: likewise
 * @status: to exit with
 *
 * To be called before the sandbox is entered.
 */
void xt2_short_file_fails(const char *program, const char *path, int status);

#endif
