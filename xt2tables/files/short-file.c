/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * short-file.c - a mapped file that becomes shorter
 *
 * Images that are edited or looked at are mapped, not copied.  If somebody cuts one off meanwhile,
 * the next access beyond its end is a signal, from which there is no way on.  A commit may be killed
 * at any time, so all that is left to do is to say why.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "short-file.h"

static char message[512];
static int code;

static void end(int signal)
{
	/* what cannot be said is not said */
	if (write(STDERR_FILENO, message, strlen(message)) < 0)
		_exit(code);
	_exit(code);
}

void xt2_short_file_fails(const char *program, const char *path, int status)
{
	const struct sigaction act = { .sa_handler = end };

	snprintf(message, sizeof(message),
		 "%s: %.300s: the file became shorter while it was read (hint: somebody else "
		 "writes to it)\n",
		 program, path);
	code = status;
	sigaction(SIGBUS, &act, NULL);
}
