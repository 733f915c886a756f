/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h - change iptables text without destroying it
 *
 * Random bytes rarely are a rule.  These mutations keep words and lines whole:
 * they write new files out of given rules, exchange words among them, and
 * move, repeat and delete lines.
 */
#ifndef XT2_FUZZ_LINES_H
#define XT2_FUZZ_LINES_H

#include "fuzz-rules.h"
#include "engine/env.h"

/*
 * lines_mutate - for LLVMFuzzerCustomMutator
 * @rules: n rules, whose words are the dictionary
 * => bytes at data, not more than max
 */
size_t lines_mutate(u8 *data, size_t size, size_t max, unsigned int seed,
		    const struct fuzz_rule *rules, unsigned int n);

#endif
