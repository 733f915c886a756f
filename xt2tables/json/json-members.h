/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-members.h - members of the objects that conditions and targets are
 *
 * Private to the printing of fields.  Each is printed with a comma before it.
 */
#ifndef XT2_XT2TABLES_JSON_JSON_MEMBERS_H
#define XT2_XT2TABLES_JSON_JSON_MEMBERS_H

#include <stdbool.h>
#include "json-fields.h"

void xt2_json_yes(FILE *to, const char *name, bool on); /* "name":true, or nothing */
void xt2_json_member(FILE *to, const char *name, __u64 v);
void xt2_json_hex(FILE *to, const char *name, const __u8 *bytes, size_t n); /* "00:1b:..." */
void xt2_json_word(FILE *to, const char *name, const char *text);
/* A text that fills its place or ends with NUL before; at most 256 bytes count. */
void xt2_json_text(FILE *to, const char *name, const void *bytes, size_t size);
void xt2_json_range(FILE *to, const char *name, unsigned int first, unsigned int last);
void xt2_json_address(FILE *to, const char *name, int family, const void *addr);

struct xt2_json_ext {
	int family, revision;
	const void *payload; /* in the kernel's native form */
};

/* Prints the members of an extension.  => false: it cannot say everything */
typedef bool xt2_json_put(FILE *to, const struct xt2_json_ext *e);

/* => NULL: no row for it */
xt2_json_put *xt2_json_match_find(__u8 type);
xt2_json_put *xt2_json_target_find(__u8 kind);

#endif
