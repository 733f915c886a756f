/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sockopt.h - options, layouts and vectors for the tests of the kernel's calls
 */
#ifndef XT2_TESTS_UNIT_SOCKOPT_H
#define XT2_TESTS_UNIT_SOCKOPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "engine/image.h"
#include "tests/legacy/caller.h"

enum { INFO = 64, ENTRIES = 65, MATCH = 66, TARGET = 67, REPLACE = 64, ADD = 65 };

/* Option of a family by ipt's. */
static inline int option(int family, int name)
{
	if (family == XT2_ARP)
		return name + 32;
	return family == XT2_IPV6 && name > ENTRIES ? name + 2 : name;
}

static inline int level(int family)
{
	return family == XT2_IPV6 ? 41 : 0;
}

static inline u32 hooks_of(int family)
{
	return family == XT2_ARP ? 3 : 5;
}

static inline u32 header_of(int family, int compat)
{
	return 48 + 8 * hooks_of(family) + (compat ? 4 : 8);
}

static inline u32 get32(const void *at)
{
	u32 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline void put32(void *at, u32 value)
{
	memcpy(at, &value, sizeof(value));
}

static inline u32 get16(const u8 *at)
{
	return at[0] | (u32)at[1] << 8;
}

/* Offsets in an entry. */
struct shape {
	u32 entry, target, next, counters;
};

static inline struct shape shape_of(int family, int compat)
{
	u32 target = family == XT2_ARP ? 164 : family == XT2_IPV6 ? 140 : 88;
	u32 entry = family == XT2_ARP ? 192 : family == XT2_IPV6 ? 168 : 112;

	if (compat && family != XT2_IPV4)
		entry -= 4;
	return (struct shape){ entry, target, target + 2, entry - 16 };
}

/* What is behind the NUL of extensions' names. */
static inline void mask_names(u8 *entries, u32 size, int family, int compat)
{
	const struct shape s = shape_of(family, compat);
	u32 pos, at, end;

	for (pos = 0; pos < size; pos += end) {
		u8 *e = entries + pos;

		end = get16(e + s.next);
		for (at = s.entry; at < end; at += get16(e + at)) {
			char *name = (char *)e + at + 2;

			memset(name + strlen(name), 0, 29 - strlen(name));
		}
	}
}

static inline void assert_bytes(const char *what, const u8 *a, const u8 *b, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (a[i] != b[i])
			fail_msg("%s: byte %u of %u is %02x instead of %02x", what, i, len, a[i],
				 b[i]);
}

static inline FILE *vectors_open(const char *file)
{
	const char *top = getenv("top_srcdir");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/%s", top ? top : ".", file);
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	return f;
}

/* --- records of blobs ------------------------------------------------------- */

struct record {
	int family, compat;
	char what[16], name[128];
	u32 len;
	u8 *bytes;
};

static inline int record_next(FILE *f, struct record *r)
{
	if (fscanf(f, "%d %d %15s %u %127[^\n]", &r->family, &r->compat, r->what, &r->len,
		   r->name) != 5)
		return 0;
	assert_int_equal(fgetc(f), '\n');
	r->bytes = malloc(r->len + 1);
	assert_int_equal(fread(r->bytes, 1, r->len, f), r->len);
	return 1;
}

/* A ruleset's image without its generation, which says how often it was written. */
struct packed {
	struct xt2_mapping map;
};

static inline struct packed pack(const struct xt2_ruleset *rs)
{
	struct packed p;
	struct xt2_err err;

	assert_int_equal(xt2_ruleset_write(rs, &p.map, &err), 0);
	return p;
}

static inline void assert_unchanged(const struct xt2_ruleset *rs, struct packed *before,
				    const char *what)
{
	struct packed now = pack(rs);

	assert_int_equal(now.map.size, before->map.size);
	assert_bytes(what, (const u8 *)now.map.image, (const u8 *)before->map.image,
		     (u32)now.map.size);
	xt2_image_close(&now.map);
	xt2_image_close(&before->map);
}

/* Through an image and back.  The image must stay until the ruleset is freed. */
static inline struct xt2_ruleset *reload(struct xt2_ruleset *rs, struct xt2_mapping *map)
{
	struct xt2_ruleset *fresh = xt2_ruleset_new();
	struct xt2_err err;

	assert_int_equal(xt2_ruleset_write(rs, map, &err), 0);
	xt2_ruleset_free(rs);
	assert_int_equal(xt2_ruleset_load(fresh, map->image, map->size), 0);
	return fresh;
}

#endif
