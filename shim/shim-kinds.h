/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shim-kinds.h - what shim-store.c asks of a kind of store; private to the shim
 *
 * An image file is one kind (shim-image.c), what BPF programs evaluate another (shim-live.c),
 * which the preloaded library lacks.
 */
#ifndef XT2_SHIM_SHIM_KINDS_H
#define XT2_SHIM_SHIM_KINDS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include "shim-store.h"

struct xt2_shim_kind;
struct xt2_shim_note;

struct xt2_shim_store {
	const struct xt2_shim_kind *how;
	struct xt2_store kept;
	int loaded;
	struct xt2_ruleset *rs;
	struct xt2_mapping map; /* what rs was loaded from */
	struct xt2_shim_note *note;
	size_t notes;

	/* an image's */
	char *path;
	int pin; /* of the file, -1: there is none */
	struct stat stamp;

	/* live */
	struct xt2_shim_live live;
	bool held; /* what is loaded was read under the lock */

	/*
	 * A table was replaced, and rules that stay have the counters that they had.  Live: rs has
	 * what is to be added to them, instead of counters; an image: what they shall be.
	 */
	bool owes;
	int owed; /* the table, of an image */
};

struct xt2_shim_kind {
	enum xt2_store_access access; /* of the lock */
	bool keeps_tables; /* those that a question brings into being are stored */
	/*
	 * Have the ruleset for a call of this kind (enum xt2_call_kind); before it becomes another
	 * one, xt2_shim_store_drop_().
	 * => 0; -errno: none is loaded
	 */
	int (*refresh)(struct xt2_shim_store *store, int call, struct xt2_err *err);
	/*
	 * Store the ruleset, in which a table was replaced (-1: others changed), and have what is
	 * stored.  Notes are settled.
	 * => 0; -errno: none is loaded
	 */
	int (*commit)(struct xt2_shim_store *store, int table, struct xt2_err *err);
	/* Answer SET_ADD_COUNTERS; NULL: as any other change.  @table: < 0: not there  => 0, -errno */
	int (*counters)(struct xt2_shim_store *store, struct xt2_call *call, int table,
			struct xt2_err *err);
	/* => a number for what a table says */
	__u64 (*digest)(const struct xt2_shim_store *store, int table);
	/* Tables that are stored elsewhere: see xt2_shim_store_beside(); NULL: there are none. */
	int (*beside)(const struct xt2_shim_store *store, int family, const char *table);
	void (*names)(const struct xt2_shim_store *store, int family, FILE *to);
	void (*forget)(struct xt2_shim_store *store); /* the ruleset goes; may be NULL */
	void (*leave)(struct xt2_shim_store *store); /* so does the lock; may be NULL */
};

/* An image file, which is replaced. */
extern const struct xt2_shim_kind xt2_shim_image_;

/* Remember which file the ruleset is that of; if it is not known, it is read again. */
void xt2_shim_image_pin_(struct xt2_shim_store *store);

/* Nothing is loaded.  @path: may be NULL.  => NULL: no memory */
struct xt2_shim_store *xt2_shim_store_make_(const struct xt2_shim_kind *how, const char *path);

/* The ruleset goes; processes that left notes are kept from undoing others' changes. */
void xt2_shim_store_drop_(struct xt2_shim_store *store);

/* Hashes of bytes, one after the other, from XT2_SHIM_HASH_ on. */
#define XT2_SHIM_HASH_ 14695981039346656037ull
__u64 xt2_shim_fold_(__u64 hash, const void *bytes, size_t len);

/* Whose error it is, if err does not say it.  => ret */
int xt2_shim_named_(const struct xt2_shim_store *store, struct xt2_err *err, int ret);

#endif
