/* SPDX-License-Identifier: GPL-2.0-or-later */
/* past.h - the ruleset whose past a subcommand of xt2 tells of: see past.c */
#ifndef XT2_XT2TABLES_TABLES_PAST_H
#define XT2_XT2TABLES_TABLES_PAST_H

#include "libxt2/change/history.h"
#include "xt2tables/files/options.h"
#include "xt2tables/tables/where.h"

/* Options of these subcommands. */
struct xt2_place {
	const char *image, *netns, *pin;
	bool live;
};

#define XT2_PLACE_ROWS(type, place)                                                     \
	XT2_WORD("image", 0, type, place.image), XT2_FLAG("live", 0, type, place.live), \
		XT2_STORE_ROWS(type, place)

#define XT2_IMAGE_HELP                                                                   \
	"      --image FILE       image (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n" \
	"      --live             instead of an image, what the kernel evaluates\n" XT2_PLACE_HELP

/* The options are there.  => XT2_EXIT_OK; XT2_EXIT_*, the reason told */
int xt2_place_end(const struct xt2_place *place, struct xt2_where *w, const char *command);

/* => what messages call it */
const char *xt2_place_name(const struct xt2_where *w);

/* => XT2_EXIT_*, the error told */
int xt2_place_fail(const struct xt2_where *w, const struct xt2_err *err);

/* Give up what is not needed to read an image.  To read what is live takes more, and all is kept. */
void xt2_place_sandbox(const struct xt2_where *w);

/*
 * Read the image, or what is live, as far as it is asked for.
 * => XT2_EXIT_OK; XT2_EXIT_*, the reason told.  Close it in any case
 */
int xt2_place_look(struct xt2_where *w);

/* The history of what was read. */
struct xt2_history xt2_place_history(const struct xt2_where *w);

#endif
