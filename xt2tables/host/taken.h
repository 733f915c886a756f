/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taken.h - the kernel's tables that a live ruleset has taken over: see taken.c */
#ifndef XT2_XT2TABLES_HOST_TAKEN_H
#define XT2_XT2TABLES_HOST_TAKEN_H

#include "kernel-tables.h"

enum xt2_taken_state {
	XT2_TAKEN_BEGUN, /* it will be emptied once the ruleset of the digest is live */
	XT2_TAKEN_EMPTYING, /* that is live */
	XT2_TAKEN_OVER, /* it is empty */
	XT2_TAKEN_RETURNING, /* it is about to be given back */
	XT2_TAKEN_STATES
};

struct xt2_taken_table {
	enum xt2_taken_state state;
	struct xt2_kernel_table table;
};

/* The record of a network namespace. */
struct xt2_taken {
	char path[96];
	__u8 digest[XT2_DIGEST_SIZE]; /* of the ruleset that XT2_TAKEN_BEGUN waits for */
	struct xt2_taken_table list[XT2_KERNEL_TABLES];
	int count;
};

/*
 * xt2_taken_read - the record of this process's network namespace
 * => 0: release it with xt2_taken_free(), also if it is empty; -errno: see err
 */
int xt2_taken_read(struct xt2_taken *t, struct xt2_err *err);
void xt2_taken_free(struct xt2_taken *t);

/* => true: a command that was killed has left something to be done */
bool xt2_taken_unfinished(const struct xt2_taken *t);

/*
 * xt2_taken_settle - finish or undo what a command that was killed has begun
 * @live: what is live, the store being locked; NULL: nothing
 * => 0; -errno: see err, and the record still says what is to be done
 */
int xt2_taken_settle(struct xt2_taken *t, const struct xt2_ruleset *live, struct xt2_err *err);

/*
 * xt2_taken_begin - remember tables that will be taken over
 * @k: moved to the record
 * @live: what will be live
 * => 0; -errno: see err, and nothing is remembered
 */
int xt2_taken_begin(struct xt2_taken *t, struct xt2_kernel_tables *k,
		    const struct xt2_ruleset *live, struct xt2_err *err);

/* The ruleset has not become live: forget those that were begun. */
void xt2_taken_undo(struct xt2_taken *t);

/* It is live: empty them.  => 0; -errno: see err, and all of them are as they were, and forgotten */
int xt2_taken_finish(struct xt2_taken *t, struct xt2_err *err);

/*
 * xt2_taken_return - give all back; what is live still is
 * => 0: xt2_taken_forget() follows once it is not; -errno: see err, and they are as they were
 */
int xt2_taken_return(struct xt2_taken *t, struct xt2_err *err);
void xt2_taken_forget(struct xt2_taken *t);

#endif
