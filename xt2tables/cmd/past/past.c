/* SPDX-License-Identifier: GPL-2.0-or-later */
/* past.c - the ruleset whose past a subcommand of xt2 tells of */
#include "config.h"
#include <errno.h>
#include <string.h>
#include "libxt2/err.h"
#include "past.h"
#include "xt2tables/files/sandbox.h"
#include "xt2tables/files/usage.h"

int xt2_place_end(const struct xt2_place *place, struct xt2_where *w, const char *command)
{
	w->store.path = place->image;
	w->store.netns = place->netns;
	w->store.pin = place->pin;
	if (place->live)
		w->store.kind = XT2_STORE_LIVE;
	return xt2_where_end(w, 0) < 0 ? XT2_EXIT_OK : xt2_see_help(command);
}

const char *xt2_place_name(const struct xt2_where *w)
{
	return w->store.path ? w->store.path : "the live ruleset";
}

int xt2_place_fail(const struct xt2_where *w, const struct xt2_err *err)
{
	return w->store.kind == XT2_STORE_LIVE ? xt2_fail_live(err) : xt2_fail(err);
}

void xt2_place_sandbox(const struct xt2_where *w)
{
	if (w->store.kind != XT2_STORE_LIVE)
		xt2_sandbox_enter(&(struct xt2_sandbox){ .text = true }); /* for names of users */
}

struct looking {
	const struct xt2_where *w;
	int told;
};

/* Exit codes of programs like iptables are for these. */
static void report(void *data, const struct xt2_err *err)
{
	struct looking *l = data;

	l->told = xt2_place_fail(l->w, err);
}

int xt2_place_look(struct xt2_where *w)
{
	struct looking l = { .w = w, .told = XT2_EXIT_RESOURCE };
	struct xt2_err err;

	w->report = report;
	w->data = &l;
	if (xt2_where_open(w, XT2_STORE_LOOK))
		return l.told;
	w->report = NULL;
	if (w->generation)
		return XT2_EXIT_OK;
	if (w->store.kind == XT2_STORE_LIVE)
		xt2_err_set(&err, XT2_E_SYSTEM, ENOENT, "there is no live ruleset here");
	else
		xt2_file_error(&err, ENOENT, "open", w->store.path);
	return xt2_place_fail(w, &err);
}

struct xt2_history xt2_place_history(const struct xt2_where *w)
{
	struct xt2_history h;

	xt2_where_history(w, &h);
	return h;
}
