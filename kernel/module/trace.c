// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - the lines that TRACE asks for: "TRACE: filter:INPUT:rule:3 "
 *
 * A packet that is traced counts in a strip that never has pages, so each rule that it counts
 * comes to xt2_slot_first(), and other packets pay nothing for it.  It is evaluated without
 * indexes, as each of its rules has a line; but for the rest of the table in which it began to be
 * traced, where rule groups have none.  A table that is edited in its place has no groups, and cannot
 * be evaluated without.  A rule is known by its slot.
 *
 * Source: trace_packet() and get_chainname_rulenum() in net/ipv4/netfilter/ip_tables.c
 */
#include <net/netfilter/nf_log.h>
#include "engine/order.h"
#include "tables.h"

static const struct nf_loginfo loginfo = {
	.type = NF_LOG_TYPE_LOG,
	.u.log = { .level = 4, .logflags = NF_LOG_DEFAULT_MASK },
};

void xt2k_trace_begin(struct xt2k_run *run)
{
	run->ctx.counters = xt2k_strip(&run->live->state->counters, nr_cpu_ids + 1);
}

/* Does the kernel take the rule for the end of its chain? */
static bool is_end(const struct xt2_rule *r)
{
	switch (XT2_TARGET_KIND(r->target)) {
	case XT2_T_ACCEPT:
	case XT2_T_DROP:
	case XT2_T_RETURN: return r->target_offset == sizeof(*r);
	}
	return false;
}

/* => false: it is the slot of a rule group */
static bool find(const struct xt2k_live *live, u64 slot, const struct xt2_rule **r, u32 *chain,
		 u32 *number)
{
	struct xt2_in_order o;
	struct xt2_chain *c;
	struct xt2_rule *at;
	u32 i;

	xt2_image_for_each_chain(c, i, live->img, live->root) {
		*number = 0;
		xt2_chain_for_each(at, &o, live->img, c) {
			++*number;
			if (at->packets != slot)
				continue;
			*r = at;
			*chain = i;
			return true;
		}
	}
	return false;
}

/* => the hook's name, or NULL: a user chain */
static const char *base_name(const struct xt2k_run *run, u32 chain)
{
	const struct xt2_hook *h;
	u32 i;

	xt2_image_for_each_hook(h, i, run->live->img, run->live->root)
		if (h->chain == chain)
			return xt2_hook_name(run->par.state->pf, h->hook);
	return NULL;
}

void xt2k_trace(struct xt2k_run *run, u64 slot)
{
	const struct nf_hook_state *state = run->par.state;
	const struct xt2_rule *r;
	const char *base, *name, *comment = "rule";
	u32 chain, number;

	if (!find(run->live, slot, &r, &chain, &number))
		return;
	base = base_name(run, chain);
	name = base ?: xt2_image_chain_cold(run->live->img, run->live->root, chain)->name;
	if (is_end(r))
		comment = base ? "policy" : "return";
	nf_log_trace(state->net, state->pf, state->hook, run->skb, state->in, state->out, &loginfo,
		     "TRACE: %s:%s:%s:%u ", run->live->table, name, comment, number);
}
