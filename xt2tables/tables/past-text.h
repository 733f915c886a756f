/* SPDX-License-Identifier: GPL-2.0-or-later */
/* past-text.h - a commit of the past in words: see past-text.c */
#ifndef XT2_XT2TABLES_TABLES_PAST_TEXT_H
#define XT2_XT2TABLES_TABLES_PAST_TEXT_H

#include <stdio.h>
#include "libxt2/change/history.h"

#define XT2_PAST_TEXT 1024 /* room for each of these texts; what has no room is left out */

/* => NULL; what is wrong with the owner or the reason */
const char *xt2_author_wrong(const struct xt2_author *a);

/* => the owner that an option names, else $XT2_OWNER; NULL: none.  An empty variable names none */
const char *xt2_author_owner(const char *option);

/* "root (pid 4711) for kube-proxy", with the owner if there is one */
void xt2_past_who(const struct xt2_past *past, char text[XT2_PAST_TEXT]);

/* "root (pid 4711) for kube-proxy at 2026-11-23T10:00:00Z: the reason" */
void xt2_past_circumstances(const struct xt2_past *past, char text[XT2_PAST_TEXT]);

/* A line, and a line of JSON. */
void xt2_past_print(FILE *to, const struct xt2_past *past);
void xt2_past_print_json(FILE *to, const struct xt2_past *past);

#endif
