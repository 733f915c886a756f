/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reindex - write an image anew, with other limits of its chains' indexes
 *
 *	reindex IMAGE PLAIN COLUMNS BITS [SEGMENTS]
 *
 * Up to so many rules chains stay plain, have columns, have bits; others have
 * pairs.  But they have segments if a packet has SEGMENTS candidates or less:
 * see struct xt2_index_limits.  Prints how many chains have an index now.
 */
#include <stdio.h>
#include <stdlib.h>
#include "engine/index/find.h"
#include "libxt2/ruleset/ruleset.h"

static int failed(const struct xt2_err *err)
{
	xt2_err_print(err, stderr);
	return 1;
}

static unsigned int indexes(const struct xt2_image *image)
{
	const struct xt2_root *root = xt2_image_root(image);
	const struct xt2_chain *c;
	unsigned int n = 0;
	u32 i;

	xt2_image_for_each_chain(c, i, image, root)
		n += c->lookup != 0;
	return n;
}

int main(int argc, char **argv)
{
	struct xt2_index_limits limits = { 0 };
	struct xt2_mapping old = { 0 }, new = { 0 };
	struct xt2_ruleset *rs = xt2_ruleset_new();
	struct xt2_err err = { 0 };

	if (argc < 5 || argc > 6 || !rs) {
		fprintf(stderr, "usage: reindex IMAGE PLAIN COLUMNS BITS [SEGMENTS]\n");
		return 2;
	}
	limits.plain = (u32)strtoul(argv[2], NULL, 0);
	limits.columns = (u32)strtoul(argv[3], NULL, 0);
	limits.bits = (u32)strtoul(argv[4], NULL, 0);
	limits.segments = argc > 5 ? (u32)strtoul(argv[5], NULL, 0) : 0;
	if (xt2_image_open(argv[1], &old, &err) || xt2_ruleset_load(rs, old.image, old.size) ||
	    xt2_ruleset_write_(rs, &limits, &new, &err) ||
	    xt2_image_store(argv[1], new.image, new.size, &err))
		return failed(&err);
	printf("%u chains with an index\n", indexes(new.image));
	xt2_image_close(&new);
	xt2_ruleset_free(rs);
	xt2_image_close(&old);
	return 0;
}
