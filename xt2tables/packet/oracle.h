/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle.h - evaluation once more, slow and simple
 *
 * xt2 explain shows its steps; the tests compare it with the fast evaluator.
 * It walks the rules of a struct xt2_ruleset by position and has base tests of
 * its own.  The bodies of extensions are shared.
 */
#ifndef XT2_XT2TABLES_PACKET_ORACLE_H
#define XT2_XT2TABLES_PACKET_ORACLE_H

#include "engine/eval.h"
#include <xt2/xt2.h>

/* A rule that was tried. */
struct xt2_step {
	unsigned int depth; /* jumps that are open */
	int chain; /* number in the ruleset */
	unsigned int at; /* position from 0; the number of rules: the tail */
	const struct xt2_rule *rule; /* NULL: the tail */
	int answer; /* enum xt2_answer; -EOPNOTSUPP: cannot be evaluated */
	const struct xt2_match *failed; /* the first condition that did not hold */
};

struct xt2_oracle {
	const struct xt2_ruleset *rs; /* loaded from the image of ctx */
	struct xt2_ctx *ctx; /* packet, image and root (for state cells), clock */
	void (*step)(void *data, const struct xt2_step *step); /* may be NULL */
	void *data;

	/* results */
	int chain; /* that decided; -1: a fault */
	unsigned int at; /* its rule; the number of rules: the tail */
};

/*
 * xt2_oracle_run - run a base chain
 * => enum xt2_verdict; -EOPNOTSUPP: chain and at name a rule that would have to be
 *    evaluated and cannot; -ENOMEM
 */
int xt2_oracle_run(struct xt2_oracle *o, int base_chain);

/*
 * One rule alone.  => enum xt2_answer, or -EOPNOTSUPP; *failed: the first condition that did
 * not hold, or cannot be evaluated
 */
int xt2_oracle_rule(struct xt2_oracle *o, const struct xt2_rule *rule,
		    const struct xt2_match **failed);

#endif
