/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.c - exit codes of the programs, and the errors that lead to them */
#include <errno.h>
#include <stdarg.h>
#include "libxt2/printable.h"
#include "usage.h"

#define USAGE 8192 /* bytes of a message; it may name a file */

int xt2_see_help(const char *command)
{
	fprintf(stderr, "Try \"xt2 %s --help\".\n", command);
	return XT2_EXIT_USAGE;
}

int xt2_usage(const char *command, const char *format, ...)
{
	char text[USAGE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	xt2_print_line(stderr, "xt2 %s: %s", command, text);
	return xt2_see_help(command);
}

int xt2_fail(const struct xt2_err *err)
{
	xt2_err_print(err, stderr);
	return xt2_exit_code(err);
}

int xt2_exit_code(const struct xt2_err *err)
{
	switch (err->code) {
	case XT2_E_UNSUPPORTED: return XT2_EXIT_UNSUPPORTED;
	case XT2_E_SYSTEM: return xt2_exit_errno(err->errnum);
	}
	return XT2_EXIT_USAGE;
}

int xt2_exit_errno(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case ENAMETOOLONG:
	case ENXIO:
	case EEXIST:
	case EROFS:
	case EACCES:
	case EPERM: return XT2_EXIT_USAGE;
	}
	return XT2_EXIT_RESOURCE;
}

int xt2_exit_live(const struct xt2_err *err)
{
	if (err->code == XT2_E_UNSUPPORTED || err->errnum == EPERM || err->errnum == EACCES)
		return XT2_EXIT_UNSUPPORTED;
	if (err->code == XT2_E_SYNTAX)
		return XT2_EXIT_USAGE;
	return err->errnum == ENOENT ? XT2_EXIT_NO : XT2_EXIT_RESOURCE;
}

int xt2_fail_live(const struct xt2_err *err)
{
	xt2_err_print(err, stderr);
	return xt2_exit_live(err);
}

int xt2_no_memory(const char *command)
{
	fprintf(stderr, "xt2 %s: out of memory\n", command);
	return XT2_EXIT_RESOURCE;
}

int xt2_exit_worse(int a, int b)
{
	static const int rank[] = {
		[XT2_EXIT_OK] = 0,	 [XT2_EXIT_NO] = 1,    [XT2_EXIT_UNSUPPORTED] = 2,
		[XT2_EXIT_CONFLICT] = 3, [XT2_EXIT_OWNED] = 4, [XT2_EXIT_USAGE] = 5,
		[XT2_EXIT_RESOURCE] = 6
	};

	return rank[b] > rank[a] ? b : a;
}
