/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - what becomes of a packet */
#ifndef XT2_VERDICT_H
#define XT2_VERDICT_H

enum xt2_verdict {
	XT2_DROP = 0, /* numbers of NF_* where there is one */
	XT2_ACCEPT = 1,
	XT2_QUEUE = 3, /* ctx->verdict_arg: NFQUEUE's number */
	XT2_REJECT = 16, /* ctx->verdict_arg: REJECT's type */
	XT2_NEXT = 32, /* within a chain: go on with the next rule */
};

#ifdef __cplusplus
extern "C" {
#endif

/* "ACCEPT", "DROP", "QUEUE", "REJECT". */
const char *xt2_verdict_name(int verdict);

#ifdef __cplusplus
}
#endif

#endif
