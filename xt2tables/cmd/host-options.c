/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host-options.c - the options of XT2_HOST_HELP, for every subcommand that has them */
#include "cmd.h"

int xt2_host_take(const struct xt2_given *g)
{
	const char *name = g->row->name;

	if (!name)
		name = g->row->letter == 'i' ? "in" : "out";
	if (xt2_host_option(g->field, name, g->arg) == 1)
		return XT2_EXIT_OK;
	return xt2_usage(g->command, "--%s: bad argument '%s'", name, g->arg);
}
