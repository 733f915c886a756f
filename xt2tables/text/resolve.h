/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resolve.h - whether names of hosts may be looked up: see resolve.c */
#ifndef XT2_XT2TABLES_TEXT_RESOLVE_H
#define XT2_XT2TABLES_TEXT_RESOLVE_H

#include <stdbool.h>

/* Off at the start: only numeric addresses are understood, and DNS is never asked. */
void xt2_names_resolve(bool on);
bool xt2_names_resolving(void);

/* Lists ask for names of addresses; unless on, in /etc/hosts only. */
void xt2_names_list(bool on);

#endif
