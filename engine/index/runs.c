/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.c - counters of rule groups
 *
 * Evaluation counts a run once, in its struct xt2_run.  Code that reads or changes
 * counters adds that to the rules', or moves it there.
 */
#include "search.h"

/* => the run that a rule of the chain belongs to, or NULL */
static struct xt2_run __img *run_of(const struct xt2_chain __img *c, u32 rule)
{
	const struct xt2_index __img *ix = xt2_chain_index(c);
	struct xt2_run __img *run;

	if (!ix || !ix->runs)
		return NULL;
	run = xt2_index_run(ix, rule);
	return rule >= run->rule && rule < run->end ? run : NULL;
}

struct xt2_counts xt2_rule_counts(const struct xt2_chain __img *c, const struct xt2_rule __img *r)
{
	const struct xt2_run __img *run = run_of(c, xt2_offset(c, r));
	struct xt2_counts counts = { r->packets, r->bytes };

	if (run) {
		counts.packets += run->packets;
		counts.bytes += run->bytes;
	}
	return counts;
}

bool xt2_index_counts(const struct xt2_index __img *ix)
{
	const struct xt2_run __img *run = xt2_index_runs(ix);
	u32 i;

	for (i = 0; i < ix->runs && xt2_can_loop; i++)
		if (run[i].packets | run[i].bytes)
			return true;
	return false;
}

static void fold_run(struct xt2_chain __img *c, struct xt2_run __img *run)
{
	struct xt2_rule __img *r;
	u32 at;

	for (at = run->rule; at < run->end && xt2_can_loop; at += r->size) {
		r = xt2_at(c, at);
		r->packets += run->packets;
		r->bytes += run->bytes;
	}
	run->packets = run->bytes = 0;
}

void xt2_chain_fold(struct xt2_chain __img *c)
{
	const struct xt2_index __img *ix = xt2_chain_index(c);
	struct xt2_run __img *run;
	u32 i;

	if (!ix)
		return;
	run = xt2_index_runs(ix);
	for (i = 0; i < ix->runs && xt2_can_loop; i++)
		if (run[i].packets | run[i].bytes)
			fold_run(c, &run[i]);
}

void xt2_chain_drop_index(struct xt2_chain __img *c)
{
	if (!c->lookup)
		return;
	xt2_chain_fold(c);
	memset(xt2_at(c, c->lookup), 0, c->size - c->lookup);
	c->lookup = 0;
}
