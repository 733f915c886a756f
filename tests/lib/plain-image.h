/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain-image.h - the rules of an image whose chains may be patched, in one without patches */
#ifndef TESTS_PLAIN_IMAGE_H
#define TESTS_PLAIN_IMAGE_H

#include "engine/index/patched.h"
#include "engine/order.h"
#include "engine/write.h"

static inline void plain_image_chain(struct xt2_writer *w, const struct xt2_image *img,
				     const struct xt2_chain *c)
{
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_rule *r;
	struct xt2_in_order o;
	struct xt2_counts n;

	xt2_write_chain_begin(w, c->index, c->table, c->hook,
			      xt2_image_chain_cold(img, root, c->index)->name);
	xt2_chain_for_each(r, &o, img, c) {
		n = xt2_rule_counts(xt2_chain_compiled(img, c), r);
		xt2_write_rule(w, r);
		if (w->err.what)
			return;
		xt2_written_rule(w)->packets = n.packets;
		xt2_written_rule(w)->bytes = n.bytes;
	}
}

/*
 * plain_image - write the same tables, chains, rules, counters and cells
 * @to: cap bytes; @scratch: xt2_check_scratch(cap)
 * @limits: of the indexes of its chains; @room: xt2_index_scratch() of the longest.  NULL: none
 * => size, 0: w->err says why not
 */
static inline u64 plain_image(const struct xt2_image *img, void *to, u64 cap, void *scratch,
			      const struct xt2_index_limits *limits, void *room,
			      struct xt2_writer *w)
{
	/* in the place of one that is not in use: the others keep their numbers */
	static const struct xt2_instance none = { .kind = XT2_INSTANCE_COMMENT };
	const struct xt2_root *root = xt2_image_root(img);
	const struct xt2_instance *in;
	const struct xt2_table *t;
	const struct xt2_chain *c;
	const struct xt2_hook *h;
	u64 size;
	u32 i;

	xt2_write_begin(w, to, cap, 1, root->tables, root->hooks, root->chains, root->instances,
			root->cells);
	xt2_image_for_each_table(t, i, img, root)
		xt2_write_table(w, t->family, t->name, t->source);
	xt2_image_for_each_hook(h, i, img, root)
		xt2_write_hook(w, h->family, h->hook, h->table, h->priority, h->chain);
	for (i = 0; i < root->instances; i++) {
		in = xt2_instance_offset(img, root, i) ? xt2_image_instance(img, root, i) : &none;
		xt2_write_instance(w, in->kind, in->revision, in->name, xt2_instance_data(in),
				   in->size);
	}
	for (i = 0; i < root->cells; i++)
		xt2_write_cell(w, i, *xt2_image_cell(img, root, i));
	xt2_image_for_each_chain(c, i, img, root) {
		plain_image_chain(w, img, c);
		if (limits)
			xt2_write_index(w, limits, room);
		xt2_write_chain_end(w, NULL, 0);
	}
	return xt2_write_end(w, scratch, &size) ? 0 : size;
}

#endif
