/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unread.h - a command that is carried out where the rules are: see unread.c */
#ifndef XT2_XT2TABLES_TABLES_UNREAD_H
#define XT2_XT2TABLES_TABLES_UNREAD_H

#include "where.h"

/* For struct xt2_where.  @alone: struct xt2_alone, a command that was understood */
int xt2_unread(struct xt2_where *w, void *alone);

#endif
