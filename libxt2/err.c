/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.c - what went wrong, for people
 *
 * The caller owns the record; the library fills it in and never prints on its
 * own: see err-print.c.
 */
#include "config.h"
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static const char *const code_names[] = {
	[XT2_OK] = "OK",
	[XT2_E_SYNTAX] = "E_SYNTAX",
	[XT2_E_OPTION] = "E_OPTION",
	[XT2_E_UNKNOWN] = "E_UNKNOWN",
	[XT2_E_TABLE] = "E_TABLE",
	[XT2_E_LOOP] = "E_LOOP",
	[XT2_E_IMAGE] = "E_IMAGE",
	[XT2_E_CAPTURE] = "E_CAPTURE",
	[XT2_E_UNSUPPORTED] = "E_UNSUPPORTED",
	[XT2_E_LIMIT] = "E_LIMIT",
	[XT2_E_SYSTEM] = "E_SYSTEM",
	[XT2_E_BLOB] = "E_BLOB",
};

const char *xt2_code_name(int code)
{
	const int n = sizeof(code_names) / sizeof(code_names[0]);

	return code >= 0 && code < n ? code_names[code] : "E_UNNAMED";
}

int xt2_err_set(struct xt2_err *err, int code, int errnum, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -errnum;
	memset(err, 0, sizeof(*err));
	err->code = code;
	err->errnum = errnum;
	va_start(args, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	return -errnum;
}

int xt2_err_no_memory(struct xt2_err *err, const char *purpose)
{
	return xt2_err_set(err, XT2_E_SYSTEM, ENOMEM, "no memory%s", purpose);
}

int xt2_err_path(struct xt2_err *err, int errnum, const char *path)
{
	return xt2_err_set(err, XT2_E_SYSTEM, errnum, "%s: %s", path, strerror(errnum));
}

int xt2_file_error(struct xt2_err *err, int errnum, const char *verb, const char *path)
{
	xt2_err_set(err, XT2_E_SYSTEM, errnum, "cannot %s: %s", verb, strerror(errnum));
	xt2_err_file(err, path);
	return -errnum;
}

void xt2_err_file(struct xt2_err *err, const char *file)
{
	if (err)
		snprintf(err->file, sizeof(err->file), "%s", file ? file : "");
}

void xt2_err_hint(struct xt2_err *err, const char *hint)
{
	if (err)
		snprintf(err->hint, sizeof(err->hint), "%s", hint);
}
