/* SPDX-License-Identifier: GPL-2.0-or-later */
/* past.c - the image whose past a subcommand of xt2 tells of */
#include "config.h"
#include <errno.h>
#include <string.h>
#include "libxt2/err.h"
#include "past.h"
#include "xt2tables/files/usage.h"

int xt2_place_end(const struct xt2_place *place, struct xt2_where *w, const char *command)
{
	if (place->live && place->image)
		return xt2_usage(command, "--live and --image exclude each other");
	if (place->live) {
		fprintf(stderr, "xt2 %s: what is live has no history yet; images have\n", command);
		return XT2_EXIT_UNSUPPORTED;
	}
	w->store.path = place->image;
	return xt2_where_end(w, 0) < 0 ? XT2_EXIT_OK : xt2_see_help(command);
}

/* Exit codes of programs like iptables are for these. */
static void report(void *data, const struct xt2_err *err)
{
	*(int *)data = xt2_fail(err);
}

int xt2_place_look(struct xt2_where *w)
{
	int told = XT2_EXIT_RESOURCE;
	struct xt2_err err;

	w->report = report;
	w->data = &told;
	if (xt2_where_open(w, XT2_STORE_LOOK))
		return told;
	w->report = NULL;
	if (w->generation)
		return XT2_EXIT_OK;
	xt2_file_error(&err, ENOENT, "open", w->store.path);
	return xt2_fail(&err);
}

struct xt2_history xt2_place_history(const struct xt2_where *w)
{
	struct xt2_history h;

	xt2_where_history(w, &h);
	return h;
}
