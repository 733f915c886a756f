/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.h - ipsets by name: see sets.c */
#ifndef XT2_SETS_H
#define XT2_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <xt2/xt2.h>

/* Does this extension name ipsets? */
bool xt2_sets_used(const char *extension);

/* A rule's match or target begins: forget which sets were asked for. */
void xt2_sets_begin(void);

/*
 * xt2_sets_noted - the names of the sets that were asked for since
 * @to: room for size bytes; they go behind the extension's payload
 * => bytes, or -ENOSPC
 */
int xt2_sets_noted(void *to, size_t size);

/* Learn the numbers that a carried match or target has for its sets. */
void xt2_sets_learn(const struct xt2_instance *in);

/* The same for all of a ruleset, so that known sets keep their numbers. */
void xt2_sets_learn_all(const struct xt2_ruleset *rs);

#endif
