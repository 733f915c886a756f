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
	XT2_QUESTION_SAME, /* is that part of the note the packet's priority? */
	XT2_QUESTION_TAKE, /* is all of it?  Then it is taken away */
	XT2_QUESTION_ACT, /* does it?  Then it is taken away */
	XT2_QUESTION_WALKED, /* has the packet no steps left, of the region that is wanted? */
	XT2_QUESTION_BRANCH, /* does the number of the next step fit? */
	XT2_QUESTION_STEP, /* yes; and it is done now */
	XT2_QUESTION_ASKS, /* yes; and a question of a region follows */
	XT2_QUESTION_HOLDS, /* no; question number shift of a region has been answered with yes */
	XT2_QUESTION_DEFER, /* as STEP; but it is only noted, as what is wanted */
	XT2_QUESTION_DONE, /* was it noted?  Then it is done now */
	XT2_QUESTION_WANTS, /* has the packet stopped for it?  region: shift, table: mask */
	XT2_QUESTION_YES, /* no; what it has stopped for has been answered with yes */
};

/* => the file descriptor of a program that asks this; -errno */
int xt2_question_load_(const struct xt2_live *host, enum xt2_question_kind kind,
		       struct xt2_question question);

/* Go on with this rule if the program says yes.  => 0, -ENOMEM */
int xt2_question_put_(struct nftnl_rule *rule, int program);

/* A base chain.  @type: "filter", "nat"  => 0, -ENOMEM */
int xt2_companion_base_(struct xt2_nft *b, const char *table, const char *chain, const char *type,
			u32 hook, s32 priority);

/* --- gates and their like (bpf-gate.c) ------------------------------------------------------------ */

/* => the gate that packets meet at a hook, or NULL */
struct xt2_links;
const struct xt2_link *xt2_gate_of_(const struct xt2_links *links, const char *folder,
				    const char *table, u8 family, u32 hook);

/* Elsewhere nat is the last table, and the guard does what its gate would: see kernel/bpf/guard.h. */
static inline bool xt2_nat_needs_gate_(u32 hook)
{
	return hook == XT2_OUTPUT;
}

/* => has somebody taken away one of those that guards count? */
bool xt2_gates_lost_(const char *folder, const struct xt2_links *links);

/*
 * Programs that go on after stops, one behind each stop's chain; of a table's program.
 *
 * xt2_again_attach_ - if it is not there yet.  stop: from 0  => 0; 1: it is new; -errno
 */
int xt2_again_attach_(const struct xt2_live *host, const char *folder,
		      const struct xt2_links *links, const struct xt2_link *program, u32 table,
		      u8 family, u32 hook, u32 stop);
bool xt2_again_is_there_(const struct xt2_links *links, const char *folder, u32 table, u8 family,
			 u32 hook, u32 stop);
void xt2_agains_detach_(const struct xt2_live *host, const char *folder, u32 table, u8 family);

/* As bpf_link_create() says; after the priority.  => 0, -errno */
int xt2_gate_attach_(const struct xt2_live *host, const char *folder, const char *table, u8 family,
		     u32 hook, s32 after);

/*
 * Programs before the questions of a table, one at each hook with some.
 *
 * xt2_clear_attach_ - if it is not there yet, before the table's program  => 0, -errno
 */
int xt2_clear_attach_(const struct xt2_live *host, const char *folder,
		      const struct xt2_links *links, const struct xt2_link *program, u32 table,
		      u8 family, u32 hook);
bool xt2_clear_is_there_(const struct xt2_links *links, const char *folder,
			 const struct xt2_link *program, u32 table, u8 family, u32 hook);
void xt2_clears_detach_(const struct xt2_live *host, const char *folder, u32 table, u8 family);

/* From all hooks of a table.  => was there one? */
bool xt2_gates_detach_(const struct xt2_live *host, const char *folder, const char *table,
		       u8 family);

/* => a table's program at a hook, or NULL */
const struct xt2_link *xt2_program_at_(const struct xt2_links *links, const char *folder,
				       const char *table, u8 family, u32 hook);

/* --- NAT (bpf-nat.c) ------------------------------------------------------------- */

/*
 * xt2_nat_act_ - the companions of a ruleset's nat tables, and gates
 * @live: the ruleset is; else it will be
 * => 0, -errno with err
 */
int xt2_nat_act_(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
		 const struct xt2_image *img, bool live, struct xt2_err *err);

/*
 * => the families in which something of those of the live ruleset is missing
 * @same: nf_tables are as they were when nothing was
 */
unsigned int xt2_nat_lacks_(const struct xt2_live *host, const struct xt2_links *links,
			    const char *folder, bool same);

/* A target that a rule has which comes to the live ruleset. */
struct xt2_nat_came {
	u32 instance;
	u8 six; /* family */
	u8 trees; /* bits, of enum xt2_nat_tree: where packets may meet it */
};

/*
 * xt2_nat_add_ - companions for targets that have none yet
 * @l: of the live ruleset, as it is to be published; what was added is there even if this fails
 * @img: its image, with all instances
 * => 0, -errno: the ruleset cannot be published
 */
int xt2_nat_add_(const struct xt2_live *host, struct xt2_live_ruleset *l,
		 const struct xt2_image *img, const struct xt2_nat_came *came, u32 n);

/* => bits of the trees in which packets of these hooks find their companions */
u8 xt2_nat_trees_of_(u32 hooks);

/*
 * Take away what the live ruleset does not need.
 * @host: NULL: nothing is live
 */
void xt2_nat_unact_(const struct xt2_live *host, const char *folder, const struct xt2_image *img);

/* A ruleset that was to be in a region is not. */
void xt2_nat_drop_(u32 region);

/* --- steps and questions (bpf-left.c) ---------------------------------------------- */

/* As those of NAT; l->steps and l->asks of the live ruleset say what it needs. */
int xt2_left_act_(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
		  const struct xt2_image *img, bool live, struct xt2_err *err);
unsigned int xt2_left_lacks_(const struct xt2_live *host, const struct xt2_links *links,
			     const char *folder, bool same);
void xt2_left_unact_(const struct xt2_live *host, const char *folder);
void xt2_left_drop_(u32 region);

/* The companions of the live ruleset are all there: remember how many. */
void xt2_left_seal_(const struct xt2_live *host);

/* Has a table of the live ruleset steps? */
bool xt2_left_has_steps_(const struct xt2_live *host, u32 table, u32 six);

#endif
