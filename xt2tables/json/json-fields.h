/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json-fields.h - the conditions and the target of a rule as JSON: see json-fields.c */
#ifndef XT2_XT2TABLES_JSON_JSON_FIELDS_H
#define XT2_XT2TABLES_JSON_JSON_FIELDS_H

#include <stdio.h>
#include <xt2/xt2.h>

/*
 * xt2_json_fields - print the members "match" and "target" of a rule
 * => 0; -ENOMEM; -EOPNOTSUPP: an extension that has no text (xt2_text_why())
 */
int xt2_json_fields(FILE *to, const struct xt2_ruleset *rs, int chain, const struct xt2_rule *r);

/* A member with a number; above 2^53 - 1 it is a string of digits. */
void xt2_json_number(FILE *to, const char *name, __u64 v);

/* A string of bytes; what is no UTF-8 comes back as it was (doc/json.md). */
void xt2_json_bytes(FILE *to, const char *s);

/* And back, in place: a string of UTF-8, whose NUL moves.  => its length */
size_t xt2_json_bytes_back(char *s, size_t size);

#endif
