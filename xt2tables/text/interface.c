/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interface.c - names of interfaces, as libxtables reads them
 *
 * libxtables' own function of this name warns of characters that no interface
 * has, and prints the name as it is, whatever a terminal makes of it.  This
 * one comes first in the symbol search, for plugins as well.
 */
#include "config.h"
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <xtables.h>
#include "libxt2/printable.h"

#define OURS __attribute__((visibility("default")))

OURS void xtables_parse_interface(const char *arg, char *name, unsigned char *mask)
{
	const size_t len = strlen(arg);

	memset(mask, 0, IFNAMSIZ);
	memset(name, 0, IFNAMSIZ);
	if (len + 1 > IFNAMSIZ)
		xtables_error(PARAMETER_PROBLEM,
			      "interface name `%s' must be shorter than IFNAMSIZ (%d)", arg,
			      IFNAMSIZ - 1);
	memcpy(name, arg, len);
	if (!len)
		return;
	memset(mask, 0xff, name[len - 1] == '+' ? len - 1 : len + 1);
	if (strpbrk(name, "/ "))
		xt2_print_line(stderr,
			       "Warning: weird character in interface `%s' ('/' and ' ' are not "
			       "allowed by the kernel).",
			       name);
}
