/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemons.h - programs that go on calling iptables: see daemons.c */
#ifndef XT2_XT2TABLES_HOST_DAEMONS_H
#define XT2_XT2TABLES_HOST_DAEMONS_H

struct xt2_daemon {
	int pid;
	const char *name; /* of the program */
	const char *how; /* to give it our commands, or what else helps */
};

/* Calls found() for each that runs in this process's network namespace.  => how many */
int xt2_daemons(void (*found)(void *data, const struct xt2_daemon *d), void *data);

#endif
