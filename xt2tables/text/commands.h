/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - what a parsed line does to a ruleset: see commands.c */
#ifndef XT2_XT2TABLES_TEXT_COMMANDS_H
#define XT2_XT2TABLES_TEXT_COMMANDS_H

#include "restore.h"

/* Carry out load->line.  Throws as iptables fails. */
void xt2_commands_run(struct xt2_load *load);

/* Set the policy of a base chain; throws if it is none, or no policy. */
void xt2_commands_policy(struct xt2_load *load, const char *chain, const char *policy);

/* -v: say which chains are about to be emptied. */
void xt2_commands_announce(const struct xt2_load *load, int table);

#endif
