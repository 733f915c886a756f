/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd-confirm.h - rulesets that have to be confirmed */
#ifndef XT2_XT2TABLES_CMD_CMD_CONFIRM_H
#define XT2_XT2TABLES_CMD_CMD_CONFIRM_H

#include <stdbool.h>
#include "libxt2/store/store.h"

/* "60", "60s", "2m".  => true, and seconds > 0 */
bool xt2_confirm_seconds(const char *text, __u32 *seconds);

/*
 * xt2_confirm_keeper - start a process that detaches when the time is over
 * @p: was locked, and unlocked; nothing was live there
 *
 * It needs neither terminal nor session.  If it is killed, the next command
 * does its work.
 */
void xt2_confirm_keeper(const struct xt2_store *p);

#endif
