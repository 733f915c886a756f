/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox.h - giving up what a command does not need: see sandbox.c */
#ifndef XT2_XT2TABLES_FILES_SANDBOX_H
#define XT2_XT2TABLES_FILES_SANDBOX_H

#include <stdbool.h>

struct xt2_sandbox {
	const char *const *outputs; /* files that will be written; NULL and "-" are none */
	unsigned int count; /* of outputs */
	bool text; /* rules are parsed: users and groups may be looked up, over local sockets */
	bool network; /* --resolve: hosts may be looked up as well */
};

/*
 * xt2_sandbox_enter - from now on, this process can do no more than @box says
 *
 * To be called before the first byte of an input is read.  There is no way
 * back; a second call changes nothing.  What the kernel cannot do is left out,
 * in silence: this is a second wall, and nothing depends on it.
 */
void xt2_sandbox_enter(const struct xt2_sandbox *box);

#endif
