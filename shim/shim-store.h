/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shim-store.h - a ruleset that answers the sockopts of iptables
 *
 * Everything that the supervisor and the preloaded library have in common: the
 * ruleset of an image file, or what is live, kept between calls, and what a process was last
 * told about a table, so that it cannot undo what others have done since.
 */
#ifndef XT2_SHIM_SHIM_STORE_H
#define XT2_SHIM_SHIM_STORE_H

#include <xt2/sockopt.h>
#include "libxt2/store/store.h"

struct xt2_shim_store;

/* What is live, instead of an image file. */
struct xt2_shim_live {
	const char *pin; /* as of struct xt2_store; NULL: xt2's own folder */
	int beside; /* tables that cannot be live are the kernel's own, which work beside the live ones */
	/*
	 * Tell all that keeps rules from being live.  NULL: the store tells the first.
	 * @img: rs, packed
	 * => 0: nothing does; -errno
	 */
	int (*refused)(void *data, const struct xt2_ruleset *rs, const struct xt2_image *img);
	void *data;
};

/* A getsockopt() or setsockopt() with one of our options. */
struct xt2_call {
	__u64 who; /* the process, by a number that is unique while it lives */
	const struct xt2_sockopt_caller *caller;
	int set;
	int level, name;
	__u64 value; /* address in the caller's memory */
	__u32 len; /* of a get: the answer's length after success */
};

/* What a call is to a transaction. */
enum xt2_call_kind {
	XT2_CALL_FREE, /* nothing: revisions, initial tables of ebt */
	XT2_CALL_INFO, /* begins it */
	XT2_CALL_ENTRIES, /* begins it */
	XT2_CALL_REPLACE,
	XT2_CALL_COUNTERS, /* ends it */
};

int xt2_call_kind(const struct xt2_call *call);

/* A failure of the system with this file.  => -errnum */
int xt2_shim_fail(struct xt2_err *err, const char *path, int errnum, const char *what);

/*
 * xt2_shim_store_new - a store for the image at path, which need not exist
 * @path: copied; should be absolute
 * => NULL: no memory
 */
struct xt2_shim_store *xt2_shim_store_new(const char *path);

/* The same, which is changed where it is; who uses it holds the lock from REPLACE to ADD_COUNTERS. */
struct xt2_shim_store *xt2_shim_edit_new(const char *path);

/*
 * xt2_shim_live_new - a store for what is live in this network namespace
 * @live: strings and data stay the caller's
 *
 * Without the lock nothing is asked of it but by xt2_shim_store_load() and
 * xt2_shim_store_names(), and by gets, which take a lock for themselves.
 * => NULL: no memory
 */
struct xt2_shim_store *xt2_shim_live_new(const struct xt2_shim_live *live);

/* Is it one of these? */
int xt2_shim_store_is_live(const struct xt2_shim_store *store);

/* Is a table the kernel's own?  @table: NULL: are all of the family? */
int xt2_shim_store_beside(const struct xt2_shim_store *store, int family, const char *table);

void xt2_shim_store_free(struct xt2_shim_store *store);

/*
 * xt2_shim_store_lock - keep other writers away until xt2_shim_store_unlock()
 * @wait: as of xt2_image_lock()
 * => 0; -EAGAIN: another process has it; -errno, see err, which names a file
 */
int xt2_shim_store_lock(struct xt2_shim_store *store, int wait, struct xt2_err *err);
void xt2_shim_store_unlock(struct xt2_shim_store *store);

/*
 * xt2_shim_store_load - have the ruleset as it is now
 *
 * A file that does not exist is an empty ruleset, and so is nothing live.
 * => 0, -errno: see err
 */
int xt2_shim_store_load(struct xt2_shim_store *store, struct xt2_err *err);

/*
 * xt2_shim_store_call - answer a call
 *
 * A set needs the lock.  What it changes is on the disk, or live, when it is answered.
 * A get that brings a table into being is answered even if the file cannot be
 * written; and nothing becomes live for it.
 * => 0; -EAGAIN also if the table is no longer what this process was told;
 *    -errno as the kernel's; what the program has no words for: see err, code
 *    XT2_E_SYSTEM, XT2_E_IMAGE, XT2_E_LIMIT or XT2_E_UNSUPPORTED and err->file set
 */
int xt2_shim_store_call(struct xt2_shim_store *store, struct xt2_call *call, struct xt2_err *err);

/* A process has gone: forget what it was told. */
void xt2_shim_store_forget(struct xt2_shim_store *store, __u64 who);

/*
 * xt2_shim_store_names - a family's tables, newest first, a line each; then the kernel's own, if they
 *	are beside these
 * => text of len bytes, to free(); NULL: no memory, or the image cannot be read
 */
char *xt2_shim_store_names(struct xt2_shim_store *store, int family, size_t *len);

#endif
