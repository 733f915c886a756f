/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compactor.h - a thread compiles chains anew while they are edited; not installed
 *
 * For the writer of a shared ruleset (share-tables.c), which would wait for 40 ms if it compiled
 * a chain of 100,000 rules itself.  Once a chain's patch is as large as usual, a thread compiles
 * the generation that is current then, and edits go on.  They are noted, and are done again in
 * what was compiled, a few with each commit, until both say the same.  The next transaction
 * begins with that one, and its commit names it.  The chain as it was is given up a little at
 * a time.
 *
 * One chain is compiled at a time.  Whatever fails here, memory included, leaves the ruleset as
 * it is: patches go on growing, up to the size at which commits compile.
 *
 * All is the writer's but what compact.h says of the thread.
 */
#ifndef XT2_LIBXT2_SHARE_COMPACTOR_H
#define XT2_LIBXT2_SHARE_COMPACTOR_H

#include <pthread.h>
#include "libxt2/change/compact.h"
#include "libxt2/change/edit-log.h"
#include "libxt2/change/patch-edit.h"
#include "libxt2/change/retire.h"
#include "libxt2/ruleset/inplace.h"

enum xt2_compactor_phase {
	XT2_COMPACT_IDLE,
	XT2_COMPACT_BUILD, /* the thread compiles */
	XT2_COMPACT_COPY, /* the thread copies what it has compiled into the image */
	XT2_COMPACT_FOLLOW, /* edits are done again */
	XT2_COMPACT_READY, /* the open transaction began with it */
};

struct xt2_compactor {
	struct xt2_ruleset *rs;
	enum xt2_compactor_phase phase;
	u32 chain; /* number */
	u32 compiled; /* offset of its compiled extent */
	u32 ready; /* offset of what is to be named */
	bool cancelled; /* the chain is another by now */
	u32 withheld; /* commits since it began */
	u64 hold; /* nothing that this generation names may be used again; ~0: all may */
	struct xt2_compact job;
	pthread_t thread;
	bool taken, ended; /* the thread's: the patch was copied; it has come to its end */
	int error; /* its */
	struct xt2_edit_log log;
	struct xt2_patch_edit edit; /* of what was compiled */
	struct xt2_retiring old;
	u32 full, waiting; /* chains that could be next: of the last commit, of an earlier one */
	u64 done; /* chains that were compiled, and are named */
	u32 rest; /* commits for which nothing is begun, since there was no memory */
};

/* Of a ruleset that is edited in its image, with slots.  Its commits compile nothing from now on. */
void xt2_compactor_begin(struct xt2_compactor *c, struct xt2_ruleset *rs);

/* Waits for the thread. */
void xt2_compactor_end(struct xt2_compactor *c);

/* A transaction was published; the ruleset still knows what it has changed. */
void xt2_compactor_committed(struct xt2_compactor *c);

/* A transaction was aborted, or had changed nothing; the ruleset is ready for the next one. */
int xt2_compactor_aborted(struct xt2_compactor *c);

/*
 * xt2_compactor_go_on - begin or go on, after a transaction was published
 *
 * The ruleset is ready for the next transaction.
 * => 0; -ENOSPC, -ENOMEM: the next one has to be aborted
 */
int xt2_compactor_go_on(struct xt2_compactor *c);

/* => the generation up to which places may be used again, if readers allow for this one */
static inline u64 xt2_compactor_allows(const struct xt2_compactor *c, u64 oldest)
{
	return c->hold < oldest ? c->hold : oldest;
}

#endif
