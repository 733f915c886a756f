/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.h - ipsets by name: see sets.c */
#ifndef XT2_XT2TABLES_TEXT_SETS_H
#define XT2_XT2TABLES_TEXT_SETS_H

#include <xt2/xt2.h>
#include "translators/ext/xt-sets.h"

/* A line begins: forget which sets were asked for. */
void xt2_sets_begin(void);

/*
 * xt2_sets_carry - append the names of the sets that the line named to a payload
 * @data: as of xt2_sets_name()
 * => bytes, -EINVAL
 */
int xt2_sets_carry(const struct xt2_sets *sets, void *data);

/*
 * xt2_sets_show - a payload that libxtables can print, until the next one
 * @payload: room for sets->size bytes
 * => 0; -EINVAL: see xt2_sets_nameless()
 */
int xt2_sets_show(const struct xt2_sets *sets, const struct xt2_instance *in, void *payload);

/*
 * xt2_sets_check - can all rules of a family be printed?
 * @table: only this one; NULL: all.  @family: 0: all
 * => true; false, and why: the first rule with a set that is not known by name
 */
bool xt2_sets_check(const struct xt2_ruleset *rs, int family, const char *table, char *why,
		    size_t size);

#endif
