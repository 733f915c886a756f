/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - whether names of hosts may be looked up: see names.c */
#ifndef XT2_NAMES_H
#define XT2_NAMES_H

#include <stdbool.h>

/* Off at the start: only numeric addresses are understood, and DNS is never asked. */
void xt2_names_resolve(bool on);
bool xt2_names_resolving(void);

#endif
