/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd-history.c - xt2 history: who changed an image or what is live, when and why
 *
 * As far as the ruleset tells (doc/format.md, Edited images).
 */
#include "xt2tables/cmd/cmd.h"
#include "past.h"
#include "xt2tables/tables/past-text.h"

struct listing {
	struct xt2_place place;
	bool json;
	const char *count;
};

static const char help[] =
	"Usage: xt2 history [--json] [-n N] [--image FILE | --live]\n\n"
	"Prints a line for each commit that an image, or what is live, tells of, the newest first:\n"
	"generation, time, kind (edit, whole: a new file, rollback), user, process, owner, how much\n"
	"changed, reason.\n\n"
	"      --json             a JSON object a line\n"
	"  -n, --count N          no more than N commits\n" XT2_IMAGE_HELP
	"\nExit codes: 0 ok, 1 there is no history, or nothing is live, 2 the image is wrong or not there,\n"
	"3 not possible here, 4 out of a resource.\n";

static const struct xt2_option rows[] = {
	XT2_FLAG("json", 0, struct listing, json),
	XT2_WORD("count", 'n', struct listing, count),
	XT2_PLACE_ROWS(struct listing, place),
	XT2_ROWS_ALONE,
};

/* => XT2_EXIT_* */
static int print(const struct listing *l, unsigned long long most, const struct xt2_where *w)
{
	struct xt2_history h = xt2_place_history(w);
	unsigned long long n = 0;
	struct xt2_past past;

	while (n < most && xt2_history_next(&h, &past)) {
		n++;
		if (l->json)
			xt2_past_print_json(stdout, &past);
		else
			xt2_past_print(stdout, &past);
	}
	if (n)
		return XT2_EXIT_OK;
	xt2_print_line(stderr, "xt2 history: %s has no history", xt2_place_name(w));
	return XT2_EXIT_NO;
}

int xt2_history_main(int argc, char **argv)
{
	struct listing l = { .json = false };
	unsigned long long most = ~0ull;
	struct xt2_where w = { .name = "xt2 history" };
	int ret = xt2_options("history", help, rows, &l, argc, argv);

	if (ret >= 0)
		return ret;
	if (l.count && (!xt2_number(l.count, 10, &most) || !most))
		return xt2_usage("history", "-n takes a number from 1");
	ret = xt2_place_end(&l.place, &w, "history");
	if (ret != XT2_EXIT_OK)
		return ret;
	xt2_place_sandbox(&w);
	ret = xt2_place_look(&w);
	if (ret == XT2_EXIT_OK)
		ret = print(&l, most, &w);
	xt2_where_close(&w);
	return ret;
}
