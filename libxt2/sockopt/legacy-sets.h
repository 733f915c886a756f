/* SPDX-License-Identifier: GPL-2.0-or-later */
/* legacy-sets.h - names for numbers of ipsets, and back; private to the library: see legacy-sets.c */
#ifndef XT2_LIBXT2_SOCKOPT_LEGACY_SETS_H
#define XT2_LIBXT2_SOCKOPT_LEGACY_SETS_H

#include "translators/ext/xt-sets.h"
#include <xt2/sockopt.h>

struct xt2_asked_sets_ {
	const struct xt2_sockopt_sets *host; /* NULL: nothing knows sets */
	int error; /* -errno; why and hint are set, too */
	char why[160];
	char hint[160];
	_Alignas(8) struct xt2_instance in; /* what is handed out, and its data */
	u64 data[XT2_SETS_ROOM / 8 + 1];
};

/*
 * Names for the numbers of a payload, if it has some.
 * @payload, @size: become those of what goes into an image, valid until the
 *   next call
 * => 0; -ENOENT: see why
 */
int xt2_sets_read_(struct xt2_asked_sets_ *s, u8 kind, u8 revision, const char *name,
		   const void **payload, u32 *size);

/* Numbers for names.  => the instance, valid until the next call; NULL: see why */
const struct xt2_instance *xt2_sets_write_(struct xt2_asked_sets_ *s,
					   const struct xt2_instance *in);

#endif
