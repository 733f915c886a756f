/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables-main.h - iptables, ip6tables and arptables: see tables-main.c */
#ifndef XT2_XT2TABLES_TABLES_TABLES_MAIN_H
#define XT2_XT2TABLES_TABLES_TABLES_MAIN_H

#include "xt2tables/text/libxt.h"

/* The program that this one is called as. */
struct xt2_tables {
	const char *name; /* its own */
	const char *legacy; /* "iptables": what its messages begin with */
	const char *version; /* "1.8.9 (legacy)" */
	int family;
};

/* => exit status, as of iptables(8) */
int xt2_tables_main(const struct xt2_tables *program, int argc, char **argv);

/* -h; ext: what has been asked for so far (tables-help.c) */
void xt2_tables_help(const struct xt2_tables *program, const struct xt2_ext *ext);

#endif
