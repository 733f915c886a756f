/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index-report.h - how a chain is represented, and why, in words
 *
 * Everything is read from the image: its index if the chain has one
 * (<xt2/index.h>), else what came of an attempt to make one.
 */
#ifndef XT2_XT2TABLES_CMD_INDEX_REPORT_H
#define XT2_XT2TABLES_CMD_INDEX_REPORT_H

#include <stdbool.h>
#include <xt2/index.h>
#include "engine/index/search.h"

struct xt2_representation {
	int kind; /* enum xt2_index_kind */
	__u32 rules; /* the tail not counted */
	__u32 units, runs; /* rules and runs of rules; plain: the rules */
	__u32 size; /* bytes of the index */
	__u32 buckets; /* of pairs */
	__u32 nested; /* buckets that are columns */
	__u32 nested_units;
	__u32 segments; /* of addresses */
	__u32 commons; /* units that are found for any address */
	char fields[512]; /* that are compared, or hashed with these classes; plain: "" */
	char why[256];
};

/* "plain", "columns", "pairs", "bits", "segments" */
const char *xt2_kind_name(int kind);

/*
 * xt2_represent - describe the representation of a chain
 * @c: of a checked image; @family: of its table
 * => 0, -ENOMEM
 */
int xt2_represent(const struct xt2_chain *c, int family, struct xt2_representation *r);

/*
 * xt2_index_made - make the index of a chain once more, and throw it away
 *
 * Its time is what the index costs when an image is written.
 * => bytes of the index; 0: it would not pay; -ENOMEM
 */
long long xt2_index_made(const struct xt2_chain *c, int family);

#endif
