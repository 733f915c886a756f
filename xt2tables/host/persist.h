/* SPDX-License-Identifier: GPL-2.0-or-later */
/* persist.h - what is live again after the next boot: see persist.c */
#ifndef XT2_XT2TABLES_HOST_PERSIST_H
#define XT2_XT2TABLES_HOST_PERSIST_H

#include <stdbool.h>
#include <xt2/xt2.h>
#include "libxt2/store/new-file.h"

#define XT2_PERSISTED "/var/lib/xt2/live.xt2"

struct xt2_persist {
	bool wanted; /* --persist; else the functions do nothing */
	bool prepared; /* file is written, and has no name yet */
	struct xt2_new_file file;
};

/* => XT2_PERSIST of the environment, or XT2_PERSISTED */
const char *xt2_persisted(void);

/* Write the image beside the file that it will replace.  => 0, -errno: see err */
int xt2_persist_prepare(struct xt2_persist *p, const struct xt2_mapping *map, struct xt2_err *err);

/* It is live, so it takes the place of the old file.  => 0, -errno: see err */
int xt2_persist_place(struct xt2_persist *p, struct xt2_err *err);

/* It is not: the old file stays.  Nothing if it was placed. */
void xt2_persist_drop(struct xt2_persist *p);

#endif
