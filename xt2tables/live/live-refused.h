/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live-refused.h - all of a ruleset that cannot be live, for people: see live-refused.c
 *
 * Needs neither root nor the kernel.
 */
#ifndef XT2_XT2TABLES_LIVE_LIVE_REFUSED_H
#define XT2_XT2TABLES_LIVE_LIVE_REFUSED_H

#include <stdbool.h>
#include <xt2/xt2.h>

#define XT2_REFUSALS_MAX 100 /* to print one by one */

struct xt2_refused {
	const struct xt2_ruleset *rs; /* knows the lines */
	const struct xt2_image *image; /* made of it, or it of the image */
	const char *path;
	bool forced; /* what gives way to --force is not refused */
	bool text; /* lines are path's; else those of the tables' sources */
	/* So many at most, 10 of a kind, and each hint once; 0: all, each with its hint. */
	unsigned int max;
	void (*report)(void *data, const struct xt2_err *err); /* NULL: prints to stderr */
	void *data;

	unsigned int count; /* out: rules, and what else was refused */
	unsigned int more; /* out: of refusals, those that were not reported */
	char rest[256]; /* out: says what they are: "1234 more ...: 1000 REJECT, 234 recent" */
};

/*
 * xt2_live_refused - report all that cannot be live
 *
 * => XT2_EXIT_OK: nothing; XT2_EXIT_UNSUPPORTED; XT2_EXIT_RESOURCE: a packet's way could be too
 *    long, or no memory; without BPF XT2_EXIT_UNSUPPORTED, see xt2_store_built()
 */
int xt2_live_refused(struct xt2_refused *list);

/*
 * xt2_live_tell_shares - report what the kernel's own matches and targets do for a live ruleset
 * @list: report is called for each; nothing is counted
 *
 * => XT2_EXIT_OK; XT2_EXIT_RESOURCE: no memory
 */
int xt2_live_tell_shares(struct xt2_refused *list);

#endif
