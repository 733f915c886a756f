/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-companion.h - what companions of all tables have in common; not installed
 *
 * A companion is a rule of nf_tables that asks a program whether the packet's note is for it
 * (bpf-question.c); after the chains with companions comes a gate (bpf-gate.c).
 */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_COMPANION_H
#define XT2_LIBXT2_STORE_BPF_BPF_COMPANION_H

#include "bpf-private.h"
#include "bpf-nft.h"
#include "kernel/bpf/act.h"

#define XT2_COMPANION_PRIORITIES 9 /* that may be taken by others */

/* --- questions (bpf-question.c) ------------------------------------------------ */

/* Which of act.bpf.c's programs. */
enum xt2_question_kind {
	XT2_QUESTION_IDLE, /* is there no note? */
	XT2_QUESTION_WAY, /* does the note fit? */
	XT2_QUESTION_ACT, /* does it?  Then it is taken away */
};

/* => the file descriptor of a program that asks this; -errno */
int xt2_question_load_(const struct xt2_live *host, enum xt2_question_kind kind,
		       struct xt2_question question);

/* Go on with this rule if the program says yes.  => 0, -ENOMEM */
int xt2_question_put_(struct nftnl_rule *rule, int program);

/* A base chain.  @type: "filter", "nat"  => 0, -ENOMEM */
int xt2_companion_base_(struct xt2_nft *b, const char *table, const char *chain, const char *type,
			u32 hook, s32 priority);

/* --- gates (bpf-gate.c) ------------------------------------------------------------ */

/* => the gate that packets meet at a hook, or NULL */
struct xt2_links;
const struct xt2_link *xt2_gate_of_(const struct xt2_links *links, const char *folder,
				    const char *table, u8 family, u32 hook);

/* As bpf_link_create() says; after the priority.  => 0, -errno */
int xt2_gate_attach_(const struct xt2_live *host, const char *folder, const char *table, u8 family,
		     u32 hook, s32 after);

/* From all hooks of a table.  => was there one? */
bool xt2_gates_detach_(const char *folder, const char *table, u8 family);

/* => a table's program at a hook, or NULL */
const struct xt2_link *xt2_program_at_(const struct xt2_links *links, const char *folder,
				       const char *table, u8 family, u32 hook);

/* --- NAT (bpf-nat.c) ------------------------------------------------------------- */

/*
 * xt2_nat_act_ - the companions of a ruleset's nat tables, and gates
 * @region: of the arena, in which the ruleset is, or will be
 * => 0, -errno with err
 */
int xt2_nat_act_(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
		 const struct xt2_image *img, u32 region, struct xt2_err *err);

/* => the families in which something of those of the live ruleset is missing */
unsigned int xt2_nat_lacks_(const struct xt2_live *host, const struct xt2_links *links,
			    const char *folder);

/*
 * Take away what the live ruleset does not need.
 * @host: NULL: nothing is live
 */
void xt2_nat_unact_(const struct xt2_live *host, const char *folder, const struct xt2_image *img);

/* A ruleset that was to be in a region is not. */
void xt2_nat_drop_(u32 region);

#endif
