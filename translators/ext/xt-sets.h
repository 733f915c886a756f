/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xt-sets.h - the ipsets that a carried match or target names
 *
 * A payload of -m set or -j SET has numbers that one kernel gave to its sets.
 * An image keeps names: after the payload there is one for each number, and
 * the numbers count these names (doc/format.md, Instances).  Whoever reads or
 * writes a payload asks somebody who knows both; nobody is asked here.
 */
#ifndef XT2_TRANSLATORS_EXT_XT_SETS_H
#define XT2_TRANSLATORS_EXT_XT_SETS_H

#include "engine/image.h"

#define XT2_SETS_MAX	 3 /* in one payload */
#define XT2_SETS_NAME	 32 /* bytes of a name, its NUL included: IPSET_MAXNAMELEN */
#define XT2_SETS_PAYLOAD 64 /* bytes of the largest payload */
#define XT2_SETS_ROOM	 (XT2_SETS_PAYLOAD + XT2_SETS_MAX * (4 + XT2_SETS_NAME) + 8)

/* Where a payload has its numbers. */
struct xt2_sets {
	u8 size; /* bytes of the native payload, padding included */
	u8 count;
	u8 at[XT2_SETS_MAX];
};

/* => NULL: this extension, or this revision of it, names no sets; kind: XT2_INSTANCE_* */
const struct xt2_sets *xt2_sets_find(u8 kind, const char *name, u8 revision);

/*
 * xt2_sets_name - append the names of its sets to a payload
 * @data: the payload, s->size bytes; has room for XT2_SETS_ROOM.  Its numbers
 *   become those of the names
 * @ask: the name of a number, XT2_SETS_NAME bytes at name.  => 0, -errno
 * => bytes of data; what ask answers
 */
int xt2_sets_name(const struct xt2_sets *s, void *data,
		  int (*ask)(void *with, u16 number, char *name), void *with);

/* The number of a set whose name the data does not have.  => it; -1: there is none */
int xt2_sets_nameless(const struct xt2_sets *s, const struct xt2_instance *in);

/*
 * xt2_sets_number - a payload with the numbers of one kernel
 * @in: as checked; a name for each number, see xt2_sets_nameless()
 * @payload: s->size bytes
 * @ask: the number of a name.  => it, -errno
 * => 0; what ask answers; -EINVAL: there is a number without a name
 */
int xt2_sets_number(const struct xt2_sets *s, const struct xt2_instance *in, void *payload,
		    int (*ask)(void *with, const char *name), void *with);

#endif
