/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets-told.h - the numbers of ipsets that a process was told: see sets-told.c */
#ifndef XT2_SHIM_SETS_TOLD_H
#define XT2_SHIM_SETS_TOLD_H

#include <xt2/sockopt.h>

struct xt2_told_set;

/* Zeroed before use. */
struct xt2_told_sets {
	struct xt2_told_set *set;
	size_t n, room;
	const struct xt2_sockopt_sets *from; /* while they are told */
};

/* => numbers from there, which are remembered; -ENOMEM is answered if they cannot be */
struct xt2_sockopt_sets xt2_told_sets(struct xt2_told_sets *told,
				      const struct xt2_sockopt_sets *from);

/* => 1: these sets have these numbers still; 0: others, or the kernel cannot be asked */
int xt2_told_sets_hold(const struct xt2_told_sets *told, const struct xt2_sockopt_sets *now);

void xt2_told_sets_free(struct xt2_told_sets *told);

#endif
