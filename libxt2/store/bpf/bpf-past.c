/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-past.c - who changed what is live
 *
 * As in a file (doc/format.md, Edited images): the image in the arena has records of commits.  One
 * that changes it where it is adds a record; one that is installed takes over the newest ones, which
 * bounds them.  So a ruleset that was on trial takes its history with it when it goes, and
 * the numbers of its generations are not used again.
 */
#include "bpf-private.h"
#include "engine/order.h"
#include "libxt2/change/history.h"
#include "libxt2/store/image-past.h"

void xt2_live_history_(const struct xt2_live *host, struct xt2_history *h)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);

	*h = (struct xt2_history){ .fd = -1 };
	if (host->ruleset)
		xt2_history_begin(h, xt2_live_at_(l->image), -1, l->image_size, l->root);
}

/* => the newest generation that was ever live; 0: none was */
static u64 newest(const struct xt2_live *host)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const u64 passed = xt2_live_state_()->generations;
	const struct xt2_root *root;

	if (!host->ruleset)
		return passed;
	root = xt2_at((struct xt2_image *)xt2_live_at_(l->image), l->root);
	return root->generation > passed ? root->generation : passed;
}

int xt2_live_past_(const struct xt2_live *host, const struct xt2_image *img, size_t size,
		   struct xt2_live_told *told, struct xt2_image_past *past)
{
	const u64 at = (size + XT2_ALIGN - 1) / XT2_ALIGN * XT2_ALIGN, last = newest(host);
	struct xt2_history before;

	told->generation = xt2_image_root(img)->generation;
	if (told->generation <= last)
		told->generation = last + 1;
	xt2_live_history_(host, &before);
	return xt2_image_past_make(past, img, at, told->generation, &before, told->author,
				   told->owners);
}

/* => rules, but for those that are policies and ends of chains */
static u32 count_rules(const struct xt2_live_ruleset *l)
{
	const struct xt2_image *img = xt2_live_at_(l->image);
	const struct xt2_root *root = xt2_at(img, l->root);
	const struct xt2_chain *c;
	u32 i, n = 0;

	xt2_image_for_each_chain(c, i, img, root)
		n += xt2_chain_length(img, c) - 1;
	return n;
}

/* => of them, those that the ruleset before has as well; what is installed has no patches */
static u32 count_kept(const struct xt2_live_ruleset *l)
{
	const struct xt2_image *img = xt2_live_at_(l->image);
	const struct xt2_root *root = xt2_at(img, l->root);
	const u32 *pair = xt2_live_at_(l->pairs);
	const struct xt2_chain *c;
	u32 i, rule, n = 0;

	xt2_image_for_each_chain(c, i, img, root) {
		for (rule = 0; rule + 1 < c->rules; rule++)
			n += pair[rule] != 0;
		pair += c->rules;
	}
	return n;
}

void xt2_live_count_changes_(const struct xt2_live_ruleset *l)
{
	struct xt2_image *img = xt2_live_at_(l->image);
	const struct xt2_root *root = xt2_at(img, l->root);
	const struct xt2_edits *edits = xt2_at(img, root->edits);
	struct xt2_changes *n = &((struct xt2_commit *)xt2_at(img, edits->history))->changes;
	const u32 kept = l->from ? count_kept(l) : 0;

	n->rules_new = count_rules(l) - kept;
	n->rules_gone = l->from ? count_rules(xt2_live_at_(l->from)) - kept : 0;
}

void xt2_live_passed_(u64 generation)
{
	u64 *last = &xt2_live_state_()->generations;

	if (*last < generation)
		*last = generation;
}
