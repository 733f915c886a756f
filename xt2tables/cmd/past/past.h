/* SPDX-License-Identifier: GPL-2.0-or-later */
/* past.h - the image whose past a subcommand of xt2 tells of: see past.c */
#ifndef XT2_XT2TABLES_TABLES_PAST_H
#define XT2_XT2TABLES_TABLES_PAST_H

#include "libxt2/change/history.h"
#include "xt2tables/tables/where.h"

/* Options of these subcommands. */
struct xt2_place {
	const char *image;
	bool live;
};

#define XT2_PLACE_ROWS(type, place) \
	XT2_WORD("image", 0, type, place.image), XT2_FLAG("live", 0, type, place.live)

#define XT2_IMAGE_HELP \
	"      --image FILE       image (else $XT2_IMAGE, else " XT2_DEFAULT_IMAGE ")\n"

/* The options are there.  => XT2_EXIT_OK; XT2_EXIT_*, the reason told */
int xt2_place_end(const struct xt2_place *place, struct xt2_where *w, const char *command);

/*
 * Read the image, as far as it is asked for.
 * => XT2_EXIT_OK; XT2_EXIT_*, the reason told.  Close it in any case
 */
int xt2_place_look(struct xt2_where *w);

/* The history of the image that was read. */
struct xt2_history xt2_place_history(const struct xt2_where *w);

#endif
