/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain-rules.h - files of random rules, for plain.c */
#ifndef TESTS_PLAIN_RULES_H
#define TESTS_PLAIN_RULES_H

#include "engine/env.h"

#define PLAIN_RULES 150 /* of a file */

struct plain_file {
	char text[PLAIN_RULES * 2048];
	size_t len;
	int family;
	bool counters; /* to be read with its counters */
	bool odd; /* the rule that is made may have anything */
	u32 rules, must; /* rules; those that have to be plain */
	size_t head, must_at[PLAIN_RULES]; /* where the first rule is, and those */
};

/* The file that was made last. */
extern struct plain_file plain_file;

/* The same seed, the same file. */
void plain_file_make(u64 seed);

#endif
