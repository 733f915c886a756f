/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool.h - run iptables' own programs: see tool.c */
#ifndef XT2_XT2TABLES_HOST_TOOL_H
#define XT2_XT2TABLES_HOST_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#define XT2_SAID 300 /* bytes of what a tool says at most */

/* => is there such a program, which is not one of ours by another name? */
bool xt2_tool_exists(const char *name);

/*
 * xt2_tool_run - run a program and wait for it
 * @argv: the first word is looked for as xt2_tool_exists() does; NULL ends them
 * @in, @out: descriptors of its standard streams; -1: nothing
 * @said: out, XT2_SAID bytes: the last line that it printed to standard error
 * => its exit status, 128 and more if a signal ended it; -ENOENT: there is none; -errno
 */
int xt2_tool_run(const char *const *argv, int in, int out, char *said);

#endif
