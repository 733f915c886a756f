/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live-all.h - the live rulesets of all network namespaces */
#ifndef XT2_XT2TABLES_LIVE_LIVE_ALL_H
#define XT2_XT2TABLES_LIVE_LIVE_ALL_H

#include "libxt2/store/store.h"

/* xt2 status --all: a line for each.  => XT2_EXIT_*; XT2_EXIT_NO: there are none */
int xt2_live_all(struct xt2_store *p);

/* xt2 detach --dead.  => XT2_EXIT_* */
int xt2_live_detach_dead(struct xt2_store *p);

#endif
