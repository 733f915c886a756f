/* SPDX-License-Identifier: GPL-2.0-or-later */
/* edit.h - change a ruleset by lines of iptables' grammar: see edit.c */
#ifndef XT2_XT2TABLES_TABLES_EDIT_H
#define XT2_XT2TABLES_TABLES_EDIT_H

#include "where.h"

struct xt2_edit {
	struct xt2_where where; /* its report is edit.c's */
	int family; /* of lines that do not say it; 0: IPv4 */
	bool resolve; /* host names may be looked up */
	bool stream; /* lines that no COMMIT ends have no effect */
};

/* Standard input's lines; answers go to standard output.  => the worst of XT2_EXIT_* */
int xt2_edit(struct xt2_edit *how);

#endif
