/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - what the parts of xt2 explain share
 *
 * explain-run.c lets the packet meet the rules, explain-output.c prints what
 * it finds, as text or as one object of JSON.
 */
#ifndef XT2_XT2TABLES_CMD_EXPLAIN_H
#define XT2_XT2TABLES_CMD_EXPLAIN_H

#include "explain-index.h"
#include "xt2tables/packet/oracle.h"
#include "xt2tables/packet/packet.h"
#include "cmd.h"

/* The rule that --why-not names. */
struct xt2_why_not {
	const char *text; /* CHAIN:N; NULL: none was named */
	int chain;
	unsigned int at;
	bool seen; /* the packet came to it */
	int answer;
	const struct xt2_match *failed;
};

struct xt2_explain {
	struct xt2_input in;
	struct xt2_host host;
	struct xt2_packet_spec spec;
	struct xt2_packet packet;
	const char *hook, *table;
	const char *number; /* of --number */
	bool json, brief;
	struct xt2_why_not why;
	struct xt2_ctx ctx;
	struct xt2_oracle oracle;

	/* of the run */
	unsigned int steps; /* that have been printed */
	bool incomplete; /* there was no memory for a text that the answer should have */
	__u32 *changes; /* for each open jump: changed, when its chain's index was asked */
	unsigned int depths; /* of changes */
	__u32 changed; /* targets that may have changed the packet */
	__u64 asking; /* rules of chains whose index may yet be asked */
	bool asked_enough;
};

/* => XT2_EXIT_* */
int xt2_explain_run(struct xt2_explain *e);

/* --- output (explain-output.c) --------------------------------------------- */

/* The packet, and assumptions: texts up to NULL. */
void xt2_explain_begin(const struct xt2_explain *e, const char *const *assumptions);

/* From here on indexes are not shown any more. */
void xt2_explain_no_index(const struct xt2_explain *e);

/* A rule that was tried; @facts: of its chain's index, which was asked before it; or NULL */
void xt2_explain_step(struct xt2_explain *e, const struct xt2_step *step,
		      const struct xt2_index_facts *facts);

/* The verdict, then why the rule of --why-not did not give it. */
void xt2_explain_end(struct xt2_explain *e, int verdict);

/*
 * The packet has come to a rule that cannot be evaluated.
 * @name: of the extension
 * => XT2_EXIT_UNSUPPORTED
 */
int xt2_explain_unsupported(struct xt2_explain *e, const char *name);

#endif
