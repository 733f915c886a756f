/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live-beside.h - tables that cannot be live: see live-beside.c; private to the shim */
#ifndef XT2_SHIM_LIVE_BESIDE_H
#define XT2_SHIM_LIVE_BESIDE_H

#include <stdio.h>

/* Can no program be this table, whatever its rules are?  => 1, 0 */
int xt2_beside_(int family, const char *table);

/* The kernel's own tables of a family that are, a line each. */
void xt2_beside_names_(int family, FILE *to);

#endif
