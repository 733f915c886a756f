/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.c - whole files in and out
 *
 * A result is complete in memory before a byte of it is written.
 */
#include "engine/env.h"
#include "file.h"
#include "libxt2/err.h"
#include "output.h"
#include "usage.h"

int xt2_file_rest(const struct xt2_opened_file *f, const char *path, size_t max,
		  struct xt2_bytes *bytes, struct xt2_err *err)
{
	int ret = xt2_opened_file_rest(f, max, bytes);

	if (!ret)
		return 0;
	xt2_file_error(err, -ret, "read", path);
	if (ret == -EFBIG) {
		err->code = XT2_E_LIMIT;
		snprintf(err->message, sizeof(err->message),
			 "larger than any table can be: more than %zu bytes", max);
	}
	return ret;
}

int xt2_file_read(const char *path, size_t max, struct xt2_bytes *bytes, struct xt2_err *err)
{
	struct xt2_opened_file f;
	int ret = xt2_opened_file_open(&f, path);

	if (ret)
		return xt2_file_error(err, -ret, "read", path);
	ret = xt2_file_rest(&f, path, max, bytes, err);
	xt2_opened_file_close(&f);
	return ret;
}

int xt2_file_write(const char *path, const void *bytes, size_t len, struct xt2_err *err)
{
	struct xt2_output o;
	int ret = xt2_output_open(&o, path, err);

	if (ret)
		return ret;
	o.durable = true;
	fwrite(bytes, 1, len, o.to);
	ret = xt2_output_finish(&o, err);
	return ret ? ret : xt2_output_place(&o, err);
}

/* --- words ---------------------------------------------------------------- */

int xt2_family_word(const char *word)
{
	static const struct {
		const char *word;
		int family;
	} families[] = {
		{ "4", XT2_IPV4 },
		{ "6", XT2_IPV6 },
		{ "arp", XT2_ARP },
		{ "eb", XT2_BRIDGE },
	};
	size_t i;

	for (i = 0; i < XT2_ARRAY_SIZE(families); i++)
		if (!strcmp(word, families[i].word))
			return families[i].family;
	return 0;
}

int xt2_option_family(const struct xt2_given *g)
{
	int *family = g->field;

	*family = xt2_family_word(g->arg);
	return *family ? XT2_EXIT_OK
		       : xt2_usage(g->command, "no such family: %s (4, 6, arp or eb)", g->arg);
}

int xt2_option_width(const struct xt2_given *g)
{
	const bool compat = !strcmp(g->arg, "32");

	*(int *)g->field = compat;
	if (compat || !strcmp(g->arg, "64"))
		return XT2_EXIT_OK;
	return xt2_usage(g->command, "no such width: %s (64 or 32)", g->arg);
}

size_t xt2_num_counters_at(int family, int compat)
{
	switch (family) {
	case XT2_ARP: return 68;
	case XT2_BRIDGE: return compat ? 68 : 96;
	}
	return 84;
}
