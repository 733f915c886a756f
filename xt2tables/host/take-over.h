/* SPDX-License-Identifier: GPL-2.0-or-later */
/* take-over.h - a ruleset that becomes live beside the kernel's own tables: see take-over.c */
#ifndef XT2_XT2TABLES_HOST_TAKE_OVER_H
#define XT2_XT2TABLES_HOST_TAKE_OVER_H

#include "taken.h"
#include "libxt2/store/store.h"

struct xt2_take_over {
	bool wanted; /* --take-over */
	bool force; /* --force */
	struct xt2_taken taken;
	struct xt2_kernel_tables k;
};

/*
 * xt2_take_over_look - before a ruleset becomes live: what stands in the kernel's tables of its names?
 * @s: locked
 * @rs: what will be live of these tables: several rulesets
 * @live: what is live; NULL: nothing
 *
 * Without --take-over the same rules must not be there; with it, no others.  What a command that
 * was killed has left is settled first.
 * => 0: xt2_take_over_end() follows; -errno: see err
 */
int xt2_take_over_look(struct xt2_take_over *t, const struct xt2_ruleset *const *rs, int count,
		       const struct xt2_ruleset *live, struct xt2_err *err);

/* All that will be live is known.  => 0, -errno: see err */
int xt2_take_over_begin(struct xt2_take_over *t, const struct xt2_ruleset *rs, struct xt2_err *err);

/* Forget that it was begun: the ruleset has not become live. */
void xt2_take_over_undo(struct xt2_take_over *t);

/* It is live; prints what is taken.  => 0; -errno: see err, and it has to be undone */
int xt2_take_over_finish(struct xt2_take_over *t, struct xt2_err *err);
void xt2_take_over_end(struct xt2_take_over *t);

/* Finish or undo what a command has left, if there is something.  @s: locked  => 0, -errno: see err */
int xt2_take_over_settle(struct xt2_store *s, struct xt2_err *err);

/* Lines of xt2 status.  => how many are unfinished */
int xt2_take_over_print(void);

/* Names, on standard error, the programs that go on calling iptables. */
void xt2_take_over_warn(void);

#endif
