/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain-index.h - what an index does for a packet: see explain-index.c */
#ifndef XT2_XT2TABLES_CMD_EXPLAIN_INDEX_H
#define XT2_XT2TABLES_CMD_EXPLAIN_INDEX_H

#include <stdio.h>
#include "index-report.h"

#define XT2_NAMED_MAX 16 /* candidates that are named */

/* What the index of a chain answers for a packet. */
struct xt2_index_facts {
	struct xt2_representation rep;
	const char *unused; /* why it is not asked; NULL: it is */
	__u32 looked_at; /* rules that may match, of runs all */
	__u32 skipped;
	__u32 named; /* of these: */
	struct {
		__u32 first, last; /* numbers of rules, from 1 */
	} unit[XT2_NAMED_MAX];
	bool more;
};

/*
 * xt2_index_facts_get - ask the index of a chain for a packet
 * @family: of the chain's table; @after: only for rules after that number; 0: all
 * => 0, -ENOMEM
 */
int xt2_index_facts_get(const struct xt2_chain *c, int family, const struct xt2_pkt *pkt,
			__u32 after, struct xt2_index_facts *facts);

/* "columns of destination port, looks at 2 rules, 17 and 230, and skips 1198" */
void xt2_index_facts_text(const struct xt2_index_facts *f, FILE *to);

/* Members of a JSON object, the first without a comma. */
void xt2_index_facts_json(const struct xt2_index_facts *f, FILE *to);

#endif
