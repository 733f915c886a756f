/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-left.h - steps and questions of a ruleset, which are left to companions; not installed
 *
 * See kernel/bpf/act.h.  bpf-left-kinds.c says what can be left to whom, bpf-left-order.c what
 * may not come after what, bpf-stops.c where packets stop, bpf-left-plan.c which steps and questions a ruleset has;
 * bpf-step-target.c, bpf-bound.c, bpf-question-match.c and bpf-left.c make rules of nf_tables of
 * them, and bpf-left-lacks.c misses those that others took away.
 */
#ifndef XT2_LIBXT2_STORE_BPF_BPF_LEFT_H
#define XT2_LIBXT2_STORE_BPF_BPF_LEFT_H

#include "libxt2/store/bpf/bpf-companion.h"

/* A match or target as the kernel wants it. */
struct xt2_left_ext {
	char name[XT2_NAME_SIZE];
	u8 revision;
	u8 proto; /* that the kernel wants in the rule; 0: none */
	u8 changes; /* enum xt2_left_change: what the target may change */
	u32 size;
	u64 data[256 / 8]; /* zeros after size; an allocation of this structure may have more */
};
#define XT2_LEFT_DATA_MAX 4112u

/* What a step changes, and what a match looks at. */
enum xt2_left_change {
	XT2_LEFT_MARK = 0x01,
	XT2_LEFT_CONNECTION = 0x02, /* the packet belongs to none any more */
	XT2_LEFT_BYTES = 0x04,
	XT2_LEFT_SIZE = 0x08, /* of TCP's segments, by what is known of the way */
	XT2_LEFT_CONNMARK = 0x10,
	XT2_LEFT_SETS = 0x20, /* what is in ipsets */
	XT2_LEFT_TEMPLATE = 0x40, /* of the connection that there will be */
	XT2_LEFT_ALL = 0xff,
};

/* --- what can be left (bpf-left-kinds.c) -------------------------------------- */

/* Is it a match that is asked, or a target that is a step?  Of a rule of a table. */
bool xt2_left_is_question_(const struct xt2_image *img, const struct xt2_match *m);
bool xt2_left_is_step_(const struct xt2_image *img, const struct xt2_rule *r);

/* Is it a match that has an effect?  See bpf-stops.h. */
bool xt2_left_has_effect_(const struct xt2_image *img, const struct xt2_match *m);

/* Of a foreign target: is it a step that is done after all others? */
bool xt2_left_is_late_(const struct xt2_image *img, const struct xt2_rule *r);

/* The same, if it can be told without the image. */
bool xt2_left_may_be_step_(const struct xt2_rule *r);

/* => enum xt2_left_change: what a step may change; what a match looks at, and nobody knows then */
u32 xt2_left_changes_(const struct xt2_image *img, const struct xt2_rule *r);
u32 xt2_left_looks_at_(const struct xt2_image *img, const struct xt2_match *m);

/* --- in which order (bpf-left-order.c) ----------------------------------------- */

/*
 * xt2_left_order_ - matches that may come after a step that changes what they look at
 * @reached: by chain: packets come there
 * @found: called for each; rule: from 1
 * => 0, -ENOMEM
 */
int xt2_left_order_(const struct xt2_image *img, const u8 *reached,
		    void (*found)(void *arg, const struct xt2_chain *c, u32 rule,
				  const struct xt2_match *m),
		    void *arg);

/* --- which there are (bpf-left-plan.c) ------------------------------------------ */

struct xt2_left_item {
	struct xt2_left_ext *ext;
	u32 number; /* of the step among a family's, or of the question among a table's; from 0 */
	u32 offset; /* in the image, of a rule or match that is it */
	u8 hooks[XT2_PROGRAMS]; /* by table: bits of hooks at which packets may meet it */
};

/* Of a family. */
struct xt2_left_plan {
	struct xt2_left_item *step;
	u32 steps, steps_cap;
	struct xt2_left_item *ask[XT2_PROGRAMS], *stop[XT2_PROGRAMS];
	u32 asks[XT2_PROGRAMS], asks_cap[XT2_PROGRAMS];
	u32 stops[XT2_PROGRAMS], stops_cap[XT2_PROGRAMS];
	u8 step_hooks[XT2_PROGRAMS], ask_hooks[XT2_PROGRAMS]; /* bits of hooks that have some */
	u8 most[XT2_PROGRAMS][5]; /* by hook: how often a packet may stop */
	bool hops; /* some step raises or lowers the hop count: there are 256 more */
	u32 hops_at; /* number of the first of them */
};

/* => 0; -ENOMEM, -E2BIG: more questions than possible; in any case xt2_left_plan_free_() */
int xt2_left_plan_(struct xt2_left_plan *plan, const struct xt2_image *img, u8 family,
		   struct xt2_live_ruleset *fill);
void xt2_left_plan_free_(struct xt2_left_plan *plan);

/* The same, of the ruleset that is live: what has companions.  @img: its image, or a copy */
int xt2_left_plan_live_(struct xt2_left_plan *plan, const struct xt2_live_ruleset *l,
			const struct xt2_image *img, u8 family);

/* --- their tables of nf_tables (bpf-left.c, bpf-left-lacks.c) ------------------------ */

extern const char *const xt2_left_tables_[XT2_REGIONS];

/* Does a ruleset have steps, questions or stops in a family? */
bool xt2_left_uses_(const struct xt2_live_ruleset *l, u32 six);

/* What packets have left in maps that met a ruleset in a region, which nobody uses any more. */
void xt2_left_forget_(const struct xt2_live *host, u32 region);

/* --- how steps are done (bpf-step-target.c) --------------------------------------- */

/* The rule does what the target does.  => 0, -ENOMEM */
int xt2_step_put_(struct nftnl_rule *rule, const struct xt2_left_ext *ext, u8 family);

/* The same by the kernel's own target.  => 0; -ENODEV: an ipset is not there; -errno */
int xt2_step_put_target_(struct nftnl_rule *rule, const struct xt2_left_ext *ext);

/* Does the kernel have the target only in a table of the name that the rule's has? */
bool xt2_step_is_bound_(const struct xt2_left_ext *ext);

/* Does the rule end if it finds nothing to do?  Then the packet is dropped. */
bool xt2_step_may_fail_(const struct xt2_left_ext *ext);

/* The packet's hop count becomes this.  => 0, -ENOMEM */
int xt2_step_put_hops_(struct nftnl_rule *rule, u8 family, u8 hops);

/* --- how matches are asked (bpf-question-match.c) ----------------------------------- */

/* => how many rules ask about it: the match holds if one of them does */
u32 xt2_question_rules_(const struct xt2_left_ext *ext, u8 family);

/* The rule goes on if it holds; number: of the rule.  => 0; -ENODEV: an ipset is not there; -errno */
int xt2_question_match_(struct nftnl_rule *rule, const struct xt2_left_ext *ext, u8 family,
			u32 number);

/* --- what names ipsets (bpf-sets.c) --------------------------------------------------- */

/*
 * xt2_left_info_ - the kernel's form of a match or target, with the numbers of the sets here
 * @kind: XT2_INSTANCE_MATCH, XT2_INSTANCE_TARGET
 * @info: is the caller's
 * => 0; -ENODEV: a set is not there; -EINVAL: it is too short for its sets; -errno
 */
int xt2_left_info_(u8 kind, const struct xt2_left_ext *ext, void **info, u32 *size);

#endif
