/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vectors-case.h - tables that the tools sent: tests/legacy/vectors/README */
#ifndef TESTS_UNIT_VECTORS_CASE_H
#define TESTS_UNIT_VECTORS_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/lib/unit-program.h"

struct vector {
	int family, compat;
	char what[16]; /* "ok", an errno's name, or what the kernel answered */
	char name[128];
	u32 len;
	u8 *bytes;
};

struct vectors {
	struct vector *v;
	u32 n;
};

static inline struct vectors load(const char *file)
{
	const char *top = getenv("top_srcdir");
	struct vectors all = { 0 };
	char path[512];
	struct vector v;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/legacy/vectors/%s", top ? top : ".", file);
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	while (fscanf(f, "%d %d %15s %u %127[^\n]", &v.family, &v.compat, v.what, &v.len, v.name) ==
	       5) {
		assert_int_equal(fgetc(f), '\n');
		v.bytes = malloc(v.len + 1);
		assert_int_equal(fread(v.bytes, 1, v.len, f), v.len);
		all.v = realloc(all.v, (all.n + 1) * sizeof(*all.v));
		all.v[all.n++] = v;
	}
	assert_true(feof(f));
	fclose(f);
	return all;
}

static inline void unload(struct vectors *all)
{
	u32 i;

	for (i = 0; i < all->n; i++)
		free(all->v[i].bytes);
	free(all->v);
}

#endif
