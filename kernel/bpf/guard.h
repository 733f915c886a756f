/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h - are the programs still at their hook?
 *
 * Others can take links off their hooks: bpftool link detach, or rm of a pin.  Packets would
 * pass there as if there were no rules.  So behind all tables of a hook there is one more program, the
 * guard.  It looks for the tables' programs and for gates in the kernel's list of the hook, and while
 * one is missing it drops all packets.  When the kernel takes an entry out, it first has it accept all packets,
 * by another function; so a packet that met no program finds that when it comes to the guard.
 *
 * The guard does not know packets: one that has passed the place before a program was brought back
 * must be gone before the guard goes by the new list.  Whoever attaches closes it meanwhile (struct xt2_state).
 *
 * Programs are known by their names.  Where they were is remembered for each hook, under a sequence lock
 * without readers that wait: who finds it being written searches.
 *
 * Source: include/linux/netfilter.h, net/netfilter/core.c
 */
#ifndef XT2_KERNEL_BPF_GUARD_H
#define XT2_KERNEL_BPF_GUARD_H

#define NAME8(s)                                                                  \
	((u64)(s)[0] | (u64)(s)[1] << 8 | (u64)(s)[2] << 16 | (u64)(s)[3] << 24 | \
	 (u64)(s)[4] << 32 | (u64)(s)[5] << 40 | (u64)(s)[6] << 48 | (u64)(s)[7] << 56)

/* => the bit of a table, XT2_GUARDED_GATE, 0: another program */
static __always_inline u32 bit_of(u64 name)
{
	switch (name) {
	case NAME8("xt2_raw\0"): return 1u << XT2_RAW;
	case NAME8("xt2_mang"): return 1u << XT2_MANGLE;
	case NAME8("xt2_filt"): return 1u << XT2_FILTER;
	case NAME8("xt2_secu"): return 1u << XT2_SECURITY;
	case NAME8("xt2_nat\0"): return 1u << XT2_NAT;
	case NAME8("xt2_gate"):
	case NAME8("xt2_nat_"):
	case NAME8("xt2_agai"):
	case NAME8("xt2_clea"): return XT2_GUARDED_GATE;
	}
	return 0;
}

struct hook_list {
	u64 at; /* struct nf_hook_entries */
	u32 count;
};

/* As a number, and not as a pointer that may not be computed with: hence read as a structure of numbers. */
static __always_inline u64 word_at(u64 address)
{
	const u32 type = bpf_core_type_id_kernel(struct rtnl_link_stats64);
	const struct rtnl_link_stats64 *words = bpf_rdonly_cast((void *)address, type);

	return words->rx_packets;
}

/* What runs an entry, and what it runs. */
static __always_inline u64 hook_of(u64 entry)
{
	return word_at(entry + bpf_core_field_offset(struct nf_hook_entry, hook));
}

static __always_inline u64 priv_of(u64 entry)
{
	return word_at(entry + bpf_core_field_offset(struct nf_hook_entry, priv));
}

/* net: the address of a network namespace */
static __always_inline struct hook_list list_of(u64 net, bool six, u32 hook)
{
	const u64 offset = six ? bpf_core_field_offset(struct net, nf.hooks_ipv6)
			       : bpf_core_field_offset(struct net, nf.hooks_ipv4);
	struct hook_list list;
	struct nf_hook_entries *entries;

	list.at = word_at(net + offset + 8 * hook);
	entries = bpf_rdonly_cast((void *)list.at, bpf_core_type_id_kernel(struct nf_hook_entries));
	list.count = entries->num_hook_entries;
	return list;
}

static __always_inline u64 entry_of(const struct hook_list *list, u32 place)
{
	return list->at + bpf_core_field_offset(struct nf_hook_entries, hooks) +
	       place * sizeof(struct nf_hook_entry);
}

/* Are the programs where they were? */
static __always_inline bool stand(const struct hook_list *list, struct xt2_guarded __img *g,
				  u32 wanted)
{
	const u32 writes = *(volatile u32 __img *)&g->writes;
	u32 i;

	if (writes & 1 || g->wanted != wanted)
		return false;
	for (i = 0; i < XT2_GUARDED_MAX && i < g->count; i++) {
		const u64 entry = entry_of(list, g->at[i].place);

		if (g->at[i].place >= list->count || priv_of(entry) != g->at[i].program ||
		    hook_of(entry) != g->run)
			return false;
	}
	return *(volatile u32 __img *)&g->writes == writes;
}

/* The next two are not static: the verifier looks at them once, and not in each round of a loop. */

EXPORTED __noinline u64 xt2_name_at(u64 entry)
{
	const u32 type = bpf_core_type_id_kernel(struct bpf_prog);
	const struct bpf_prog *p = bpf_rdonly_cast((void *)priv_of(entry), type);
	u64 name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), p->aux->name);
	return name;
}

/* => as bit_of(); 0 too if it is run by another function */
EXPORTED __noinline u32 xt2_program_at(u64 entry, u64 run)
{
	return hook_of(entry) == run ? bit_of(xt2_name_at(entry)) : 0;
}

/* => the function that runs the guard itself, and so all BPF programs; 0: it is gone */
static __always_inline u64 find_run(const struct hook_list *list)
{
	u32 i;

	for (i = xt2_zero; i < list->count && xt2_can_loop; i++)
		if (xt2_name_at(entry_of(list, i)) == NAME8("xt2_guar"))
			return hook_of(entry_of(list, i));
	return 0;
}

/* Search the whole list, and remember.  => are all there? */
static __noinline bool search(u64 at, u32 entries, struct xt2_guarded __img *g, u32 wanted)
{
	const struct hook_list list = { .at = at, .count = entries };
	const u32 writes = *(volatile u32 __img *)&g->writes;
	const bool mine = !(writes & 1) &&
			  __sync_val_compare_and_swap(&g->writes, writes, writes + 1) == writes;
	const u64 run = find_run(&list);
	u32 i, found = xt2_zero, count = xt2_zero;
	bool whole;

	for (i = xt2_zero; run && i < list.count && xt2_can_loop; i++) {
		const u64 entry = entry_of(&list, i);
		const u32 bit = xt2_program_at(entry, run);

		found = (found | (bit & XT2_GUARDED_TABLES)) + (bit & XT2_GUARDED_GATE);
		if (bit && mine && count < XT2_GUARDED_MAX) {
			g->at[count].program = priv_of(entry);
			g->at[count].place = i;
		}
		count += bit != 0;
	}
	whole = (found & wanted & XT2_GUARDED_TABLES) == (wanted & XT2_GUARDED_TABLES) &&
		found / XT2_GUARDED_GATE >= wanted / XT2_GUARDED_GATE;
	if (mine) {
		g->count = count;
		g->run = run;
		g->wanted = whole && count <= XT2_GUARDED_MAX ? wanted : 0;
		__sync_fetch_and_add(&g->writes, 1);
	}
	return whole;
}

/* Nat is the last table but in OUTPUT, so there the guard does what its gate would. */
static __always_inline bool nat_gate_passes(struct bpf_nf_ctx *nf, u32 tables, u32 hook)
{
	return !(tables & 1u << XT2_NAT) || hook == XT2_OUTPUT || is_established(nf->skb) ||
	       gate(nf);
}

static __always_inline bool guard(struct bpf_nf_ctx *nf)
{
	struct xt2_state __img *state = xt2_arena(XT2_ARENA_STATE);
	const u64 ruleset = *(volatile u64 __img *)&state->ruleset;
	const u64 closed = *(volatile u64 __img *)&state->closed;
	const struct nf_hook_state *at =
		nf->state; /* once: the verifier searches all types for its name */
	const u64 net = (u64)at->net;
	const u32 hook = at->hook;
	const bool six = at->pf == XT2_IPV6;
	const struct xt2_live_ruleset __img *live = xt2_arena(ruleset);
	struct hook_list list;
	u32 tables, wanted;

	if (!ruleset || hook > XT2_POSTROUTING)
		return true;
	tables = live->tables[six][hook];
	if (tables == 1u << XT2_NAT && is_established(nf->skb)) /* table nat lets it pass */
		return true;
	wanted = tables | state->gates[six][hook] * XT2_GUARDED_GATE;
	list = list_of(net, six, hook);
	if (!wanted || (!(closed && bpf_ktime_get_ns() < closed) &&
			(stand(&list, &state->guarded[six][hook], wanted) ||
			 search(list.at, list.count, &state->guarded[six][hook], wanted))))
		return nat_gate_passes(nf, tables, hook);
	__sync_fetch_and_add(&state->lost, 1);
	return false;
}
#endif
