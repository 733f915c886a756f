/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - the verdicts of an evaluation */
#ifndef XT2_VERDICT_H
#define XT2_VERDICT_H

enum xt2_verdict {
	XT2_DROP = 0, /* numbers of NF_* where there is one */
	XT2_ACCEPT = 1,
	XT2_QUEUE = 3, /* xt2_result.arg: the queue's number */
	XT2_REJECT = 16, /* xt2_result.arg: REJECT's type */
	XT2_NEXT = 32, /* within a chain: go on with the next rule; never a result */
	XT2_STOPPED = 33, /* a live packet waits for an answer of the kernel's; never a result */
	XT2_NATIVE = 34, /* a target of the kernel's own has decided; never a result */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * xt2_verdict_name - "ACCEPT", "DROP", "QUEUE" or "REJECT"
 * @verdict: enum xt2_verdict, as a result has it
 * => a static string; NULL for any other number
 */
const char *xt2_verdict_name(int verdict);

#ifdef __cplusplus
}
#endif

#endif
