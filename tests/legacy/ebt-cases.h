/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ebt-cases.h - tables of bridges, and what the kernel answers
 *
 * A row for each check in net/bridge/netfilter (Linux 6.1), both of 64-bit and
 * of 32-bit programs, and for what passes although it looks wrong.  The answers
 * are from reading the source; tests/vm has a kernel's.
 */
#ifndef XT2_TESTS_LEGACY_EBT_CASES_H
#define XT2_TESTS_LEGACY_EBT_CASES_H

#include "ebt-blob.h"

/* What is special about a case. */
#define EBT_STRICT   1 /* the kernel takes it, and xt2 does not */
#define EBT_KERNEL_N 2 /* not for kernels: depends on their configuration */
#define EBT_OTHER    4 /* xt2 gives it back in another form, see doc/legacy.md */
#define EBT_LAX	     8 /* the kernel refuses it from 32-bit programs, and xt2 does not */
#define EBT_PADDED   16 /* the kernel pads it for 32-bit programs as if they had 64 */

static uint8_t *rule_field(struct ebt_blob *b, uint32_t rule, size_t offset)
{
	return ebt_at(b, b->rule[rule] + (uint32_t)offset);
}

#define RULE(rule, field)     rule_field(b, rule, offsetof(struct ebt_entry, field))
#define GET(rule, field)      ebt_get32(RULE(rule, field))
#define SET(rule, field, v)   ebt_put32(RULE(rule, field), v)
#define HEAD(chain, field, v) ebt_put32(EBT_HEAD_FIELD(b, chain, field), v)
#define TARGET(rule)	      rule_field(b, rule, GET(rule, target_offset))
#define WATCHER(rule)	      rule_field(b, rule, GET(rule, watchers_offset))
#define FIRST(rule)	      rule_field(b, rule, sizeof(struct ebt_entry))

static void name_at(uint8_t *ext, const char *name)
{
	memset(ext, 0, 32);
	strcpy((char *)ext, name);
}

/* Drop the last n bytes of a rule that is the last of all. */
static void shorten(struct ebt_blob *b, uint32_t n)
{
	b->size -= n;
	SET(b->rules - 1, next_offset, GET(b->rules - 1, next_offset) - n);
}

/* A rule of its own, in a base chain of a table or a user chain of filter. */
static void begin(struct ebt_blob *b, const char *table, int hook)
{
	static const char *const names[] = { "PREROUTING", "INPUT",	  "FORWARD",
					     "OUTPUT",	   "POSTROUTING", "BROUTING" };
	static const struct {
		const char *table;
		int hook[3];
	} tables[] = { { "filter", { 1, 2, 3 } },
		       { "nat", { 0, 3, 4 } },
		       { "broute", { 5, -1, -1 } } };
	uint32_t t = !strcmp(table, "filter") ? 0 : !strcmp(table, "nat") ? 1 : 2, i;

	ebt_begin(b, b->compat, b->native_inside, table);
	/* the rule's chain is last, so that its parts can still grow */
	for (i = 0; i < 3 && tables[t].hook[i] >= 0; i++) {
		if (tables[t].hook[i] > hook)
			break;
		ebt_chain(b, tables[t].hook[i], names[tables[t].hook[i]], EBT_ACCEPT);
	}
	ebt_rule(b);
}

static void complete(struct ebt_blob *b)
{
	static const struct {
		int hook;
		const char *name;
	} later[] = { { 2, "FORWARD" }, { 3, "OUTPUT" }, { 4, "POSTROUTING" } };
	uint32_t all = !strcmp(b->table, "filter") ? 0x0e : !strcmp(b->table, "nat") ? 0x19 : 0x20;
	uint32_t i;

	if (b->part != 2)
		ebt_verdict(b, EBT_ACCEPT);
	for (i = 0; i < 3; i++)
		if (all & ~b->hooks & 1u << later[i].hook)
			ebt_chain(b, later[i].hook, later[i].name, EBT_DROP);
	ebt_count(b);
}

/* An among with one or two sets of n entries each. */
static uint32_t among(uint32_t *words, uint32_t dst, uint32_t src)
{
	const uint32_t hash = 1032;
	uint32_t at = sizeof(struct ebt_among_info), i;

	memset(words, 0, 8192);
	if (dst) {
		words[0] = at;
		for (i = 200; i <= 256; i++)
			words[at / 4 + i] = dst;
		words[at / 4 + 257] = dst;
		at += hash + 12 * dst;
	}
	if (src) {
		words[1] = at;
		for (i = 7; i <= 256; i++)
			words[at / 4 + i] = src;
		words[at / 4 + 257] = src;
		at += hash + 12 * src;
	}
	for (i = 0; i < 3 && dst; i++)
		words[(12 + hash) / 4 + i] = 0x11111111 * (i + 1);
	return at;
}

/* N entries in one set and one in the other; then change a word of it. */
static void among_with(struct ebt_blob *b, uint32_t dst, uint32_t src, uint32_t at, uint32_t value)
{
	uint32_t words[2048], size = among(words, dst, src);

	if (at != ~0u)
		words[at] = value;
	ebt_ext(b, 0, "among", words, size);
}

static void stp_rule(struct ebt_blob *b, uint8_t last, uint8_t mask, uint32_t bits, uint16_t what)
{
	static const uint8_t group[] = { 0x01, 0x80, 0xc2, 0, 0 };
	struct ebt_stp_info info = { .bitmask = what };
	uint8_t *mac = RULE(b->rules - 1, destmac);

	memcpy(mac, group, sizeof(group));
	mac[5] = last;
	memset(mac + 6, 0xff, 5);
	mac[11] = mask;
	SET(b->rules - 1, bitmask, EBT_ENTRY_OR_ENTRIES | EBT_NOPROTO | bits);
	EBT_MATCH(b, "stp", info);
}

/* A rule as it should not be: the kernel converts a 32-bit program's first. */
#define PAD_TARGET(b, n)                                                                  \
	do {                                                                              \
		(b)->size += (n);                                                         \
		SET((b)->rules - 1, next_offset, GET((b)->rules - 1, next_offset) + (n)); \
	} while (0)

/* A case is a line. */
/* clang-format off */

/* X(name, what 64-bit and 32-bit programs get, flags, change to the sample) */
#define EBT_TABLES(X) \
	X(sample, 0, 0, 0, ) \
	X(header_short, EINVAL, EINVAL, 0, b->longer = -(int)b->size - 1) \
	X(length_more, EINVAL, EINVAL, 0, b->longer = 1) \
	X(length_less, EINVAL, EINVAL, 0, b->longer = -1) \
	X(no_entries, EINVAL, EINVAL, 0, b->size = 0) \
	X(nentries_large, ENOMEM, ENOMEM, EBT_KERNEL_N, b->entries = 16379) \
	X(nentries_largest, ENOMEM, ENOMEM, 0, b->entries = ~0u) \
	X(counters_large, ENOMEM, ENOMEM, 0, b->num_counters = 0x7fffffff / 16) \
	X(counters_more, EINVAL, EINVAL, 0, b->num_counters = 7) \
	X(name_long, ENOENT, ENOENT, 0, memset(b->table, 'x', 32)) \
	X(table_unknown, ENOENT, ENOENT, 0, strcpy(b->table, "mangle")) \
	X(hooks_other, EINVAL, EINVAL, 0, b->hooks |= 1u << 6) \
	X(hooks_none, EINVAL, EINVAL, 0, b->hooks = 0) \
	X(hooks_less, EINVAL, EINVAL, 0, b->hooks &= ~8u) \
	X(hook_nowhere, EINVAL, EINVAL, 0, b->place[2] += 4) \
	X(hook_behind, EINVAL, EINVAL, 0, b->place[3] = b->size) \
	X(hook_before, EINVAL, EINVAL, 0, b->place[1] = -4) \
	X(hook_rule, EINVAL, EINVAL, 0, b->place[2] = b->rule[1]) \
	X(hook_twice, EINVAL, EINVAL, 0, b->place[2] = b->place[1]) \
	X(hooks_swapped, EINVAL, EINVAL, 0, b->place[2] = b->chain[2]; b->place[3] = b->chain[1]) \
	X(hook_first, EINVAL, EINVAL, 0, b->place[1] = b->chain[1]; b->place[2] = b->chain[2]; b->place[3] = b->chain[3]) \
	X(hook_user, 0, 0, EBT_STRICT, b->place[3] = b->chain[3]; HEAD(3, policy, (uint32_t)EBT_DROP); ebt_put32(ebt_verdict_at(b, 1), (uint32_t)EBT_DROP)) \
	X(bits_zero, EINVAL, EINVAL, 0, SET(1, bitmask, 0)) \
	X(bits_even, EINVAL, EINVAL, 0, SET(1, bitmask, EBT_NOPROTO)) \
	X(bits_unknown, EINVAL, EINVAL, 0, SET(1, bitmask, 0x23)) \
	X(bits_last, EINVAL, EINVAL, 0, SET(1, bitmask, 0x80000003)) \
	X(bits_both, EINVAL, EINVAL, 0, SET(1, bitmask, 1 | EBT_NOPROTO | EBT_802_3)) \
	X(inversion_unknown, EINVAL, EINVAL, 0, SET(1, invflags, 0x80)) \
	X(inversion_all, 0, 0, EBT_OTHER, SET(1, invflags, 0x7f)) \
	X(distinguisher, EINVAL, EINVAL, 0, HEAD(2, distinguisher, 2)) \
	X(next_zero, EINVAL, EINVAL, 0, SET(0, next_offset, 0)) \
	X(next_header, EINVAL, EINVAL, 0, SET(0, next_offset, 111)) \
	X(next_far, EINVAL, EINVAL, 0, SET(5, next_offset, GET(5, next_offset) + 1)) \
	X(next_negative, EINVAL, EINVAL, 0, SET(0, next_offset, 0xfffffff0)) \
	X(next_short, EINVAL, EINVAL, 0, SET(5, next_offset, GET(5, next_offset) - 1)) \
	X(cut_head, EINVAL, EINVAL, 0, b->size = b->chain[5 - 1] + 44; b->rules--; b->entries--) \
	X(cut_word, EINVAL, EINVAL, 0, b->size += 3) \
	X(watchers_low, EINVAL, EINVAL, 0, SET(0, watchers_offset, 111)) \
	X(watchers_high, EINVAL, EINVAL, 0, SET(0, watchers_offset, GET(0, target_offset) + 1)) \
	X(target_low, EINVAL, EINVAL, 0, SET(3, target_offset, GET(3, watchers_offset) - 1)) \
	X(target_next, EINVAL, EINVAL, 0, SET(5, target_offset, GET(5, next_offset))) \
	X(target_header, EINVAL, EINVAL, 0, shorten(b, 9)) \
	X(chain_rules_more, EINVAL, EINVAL, 0, HEAD(1, nentries, 3)) \
	X(chain_rules_less, EINVAL, EINVAL, 0, HEAD(1, nentries, 1)) \
	X(last_rules_more, EINVAL, EINVAL, 0, HEAD(4, nentries, 2)) \
	X(counter_offset, EINVAL, EINVAL, 0, HEAD(2, counter_offset, 0)) \
	X(policy_continue, EINVAL, EINVAL, 0, HEAD(0, policy, (uint32_t)EBT_CONTINUE)) \
	X(policy_return, EINVAL, EINVAL, 0, HEAD(0, policy, (uint32_t)EBT_RETURN)) \
	X(policy_zero, EINVAL, EINVAL, 0, HEAD(3, policy, 0)) \
	X(policy_user_accept, 0, 0, 0, HEAD(3, policy, (uint32_t)EBT_ACCEPT)) \
	X(policy_user_continue, EINVAL, EINVAL, 0, HEAD(3, policy, (uint32_t)EBT_CONTINUE)) \
	X(nentries_more, EINVAL, EINVAL, 0, b->entries++) \
	X(nentries_less, EINVAL, EINVAL, 0, b->entries--) \
	X(nentries_none, EINVAL, EINVAL, 0, b->entries = 0) \
	X(loop_self, EINVAL, EINVAL, 0, ebt_jump(b, 3, 3)) \
	X(loop_two, EINVAL, EINVAL, 0, ebt_jump(b, 5, 3)) \
	X(loop_unreached, 0, 0, 0, ebt_put32(ebt_verdict_at(b, 1), (uint32_t)EBT_DROP); ebt_jump(b, 3, 3)) \
	X(loop_behind_accept, EINVAL, EINVAL, 0, ebt_put32(ebt_verdict_at(b, 3), (uint32_t)EBT_ACCEPT); ebt_jump(b, 4, 3)) \
	X(jump_twice, 0, 0, 0, ebt_jump(b, 2, 4)) \
	X(jump_base, EINVAL, EINVAL, 0, ebt_jump(b, 1, 2)) \
	X(jump_first, EINVAL, EINVAL, 0, ebt_jump(b, 1, 0)) \
	X(jump_middle, EINVAL, EINVAL, 0, ebt_put32(ebt_verdict_at(b, 1), b->rule[3])) \
	X(jump_behind, EINVAL, EINVAL, 0, ebt_put32(ebt_verdict_at(b, 1), b->size)) \
	X(jump_far, EINVAL, EFAULT, 0, ebt_put32(ebt_verdict_at(b, 1), 0x7fffffff)) \
	X(jump_grows, EINVAL, EINVAL, 0, ebt_put32(ebt_verdict_at(b, 1), 0x7fffff00)) \
	X(jump_unreached, 0, 0, EBT_OTHER, ebt_put32(ebt_verdict_at(b, 1), (uint32_t)EBT_DROP); ebt_put32(ebt_verdict_at(b, 3), b->chain[4] + 4)) \
	X(return_base, 0, 0, 0, ebt_put32(ebt_verdict_at(b, 2), (uint32_t)EBT_RETURN)) \
	X(verdict_low, EFAULT, EFAULT, 0, ebt_put32(ebt_verdict_at(b, 2), (uint32_t)-5)) \
	X(verdict_lowest, EFAULT, EFAULT, 0, ebt_put32(ebt_verdict_at(b, 2), 0x80000000)) \
	X(standard_short, EINVAL, EINVAL, 0, shorten(b, 4)) \
	X(standard_size, EINVAL, EINVAL, 0, TARGET(5)[32] += 4) \
	X(standard_small, EINVAL, EINVAL, 0, TARGET(5)[32] -= 1) \
	X(standard_revision, 0, 0, EBT_OTHER | EBT_LAX, TARGET(5)[31] = 108) \
	X(standard_revision_and, EINVAL, ENOENT, 0, TARGET(1)[31] = 108; HEAD(4, policy, 7)) \
	X(standard_revision_behind, EINVAL, EINVAL, 0, TARGET(5)[31] = 108; SET(1, watchers_offset, 0)) \
	X(standard_watcher, 0, 0, EBT_STRICT | EBT_KERNEL_N, \
	  begin(b, "filter", 1); ebt_ext(b, 1, "standard", "\1\0\0", 4); complete(b)) \
	X(target_size_more, EFAULT, EINVAL, 0, struct ebt_redirect_info i = { EBT_ACCEPT }; \
	  begin(b, "nat", 0); EBT_TARGET(b, "redirect", i); ebt_at(b, b->ext)[33] = 1; complete(b)) \
	X(rest, 0, EINVAL, EBT_OTHER, PAD_TARGET(b, 8)) \
	X(target_unknown, ENOENT, ENOENT, 0, name_at(TARGET(0), "nosuch")) \
	X(target_empty, ENOENT, ENOENT, 0, name_at(TARGET(0), "")) \
	X(target_unspec, ENOENT, ENOENT, 0, name_at(TARGET(0), "NFQUEUE")) \
	X(target_match, ENOENT, ENOENT, 0, name_at(TARGET(0), "ip")) \
	X(target_name, EINVAL, EINVAL, 0, memset(TARGET(0), 'x', 31)) \
	X(target_name29, EINVAL, EINVAL, 0, memset(TARGET(0), 'x', 29)) \
	X(match_unknown, ENOENT, ENOENT, 0, name_at(FIRST(0), "nosuch")) \
	X(match_target, ENOENT, ENOENT, 0, name_at(FIRST(0), "redirect")) \
	X(match_name, EINVAL, EINVAL, 0, memset(FIRST(0), 'x', 31)) \
	X(match_revision, ENOENT, ENOENT, 0, FIRST(0)[31] = 1) \
	X(match_size_more, EINVAL, EINVAL, 0, FIRST(0)[32] += 1) \
	X(match_size_less, EINVAL, EINVAL, 0, FIRST(0)[32] -= 1) \
	X(match_size_zero, EINVAL, EINVAL, 0, FIRST(0)[32] = 0) \
	X(match_size_far, EINVAL, EINVAL, 0, ebt_put32(FIRST(0) + 32, 0xfffffff0)) \
	X(match_cut, EINVAL, EINVAL, 0, SET(0, watchers_offset, 112 + 20)) \
	X(watcher_unknown, ENOENT, ENOENT, 0, name_at(WATCHER(3), "nosuch")) \
	X(watcher_unspec, ENOENT, ENOENT, 0, name_at(WATCHER(3), "NFQUEUE")) \
	X(watcher_match, ENOENT, ENOENT, 0, name_at(WATCHER(3), "ip")) \
	X(watcher_revision, 0, ENOENT, EBT_OTHER, WATCHER(3)[31] = 1) \
	X(watcher_size_more, EINVAL, EINVAL, 0, WATCHER(3)[32] += 1) \
	X(watcher_cut, EINVAL, EINVAL, 0, SET(3, target_offset, GET(3, target_offset) - 4)) \
	X(watcher_name, EINVAL, EINVAL, 0, memset(WATCHER(3), 'x', 30)) \
	X(names_first, EINVAL, ENOENT, 0, SET(1, bitmask, 0x23); name_at(FIRST(3), "nosuch")) \
	X(names_before_loops, EINVAL, ENOENT, 0, ebt_jump(b, 3, 3); name_at(TARGET(5), "nosuch")) \
	X(chain_unnamed, 0, 0, EBT_STRICT, memset(ebt_at(b, b->chain[4] + 4), 0, 32)) \
	X(chain_name_long, 0, 0, EBT_STRICT, memset(ebt_at(b, b->chain[4] + 4), 'x', 32)) \
	X(chain_name_31, 0, 0, 0, memset(ebt_at(b, b->chain[4] + 4), 'x', 31)) \
	X(cve_2018_1068_watchers_far, EINVAL, EINVAL, 0, SET(0, watchers_offset, 0x7fffffff)) \
	X(cve_2018_1068_target_far, EINVAL, EINVAL, 0, SET(0, target_offset, 0x7fffffff)) \
	X(cve_2018_1068_next_far, EINVAL, EINVAL, 0, SET(0, next_offset, 0x7fffffff)) \
	X(cve_2018_1068_backwards, EINVAL, EINVAL, 0, SET(0, watchers_offset, 0xff00); SET(0, target_offset, 0x80); SET(0, next_offset, 0x90)) \
	X(cve_2018_1068_negative, EINVAL, EINVAL, 0, SET(0, watchers_offset, 0xfffffff8); SET(0, target_offset, 0xfffffffc)) \
	X(cve_2018_1068_last, EINVAL, EINVAL, 0, SET(5, watchers_offset, GET(5, next_offset)); SET(5, target_offset, GET(5, next_offset)))

/* X(name, what both get, flags, table, hook, what stands in a rule) */
#define EBT_EXTS(X) \
	X(plain, 0, 0, "filter", 2, ) \
	X(m_802_3, 0, 0, "filter", 1, struct ebt_802_3_info i = { .bitmask = 3 }; EBT_MATCH(b, "802_3", i)) \
	X(m_802_3_bits, EINVAL, 0, "filter", 1, struct ebt_802_3_info i = { .bitmask = 8 }; EBT_MATCH(b, "802_3", i)) \
	X(m_802_3_inversion, EINVAL, 0, "filter", 1, struct ebt_802_3_info i = { .invflags = 0x80 }; EBT_MATCH(b, "802_3", i)) \
	X(among_dst, 0, 0, "filter", 1, among_with(b, 1, 0, ~0u, 0)) \
	X(among_src, 0, EBT_PADDED, "filter", 1, among_with(b, 0, 2, ~0u, 0)) \
	X(among_both, 0, 0, "filter", 1, among_with(b, 2, 3, 2, 3)) \
	X(among_none, EINVAL, 0, "filter", 1, among_with(b, 0, 0, ~0u, 0)) \
	X(among_short, EINVAL, 0, "filter", 1, ebt_ext(b, 0, "among", "\0\0\0\0\0\0\0", 8)) \
	X(among_low, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 0, 8)) \
	X(among_odd, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 0, 14)) \
	X(among_negative, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 0, 0xfffffff0)) \
	X(among_far, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 0, 28)) \
	X(among_same, EINVAL, 0, "filter", 1, among_with(b, 1, 1, 1, 12)) \
	X(among_gap, EINVAL, 0, "filter", 1, among_with(b, 1, 2, 1, 12 + 1032 + 12 + 4)) \
	X(among_pool, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 3 + 257, 2)) \
	X(among_pool_negative, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 3 + 257, ~0u)) \
	X(among_pool_large, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 3 + 257, 0x7fffffff / 12)) \
	X(among_pool_wraps, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 3 + 257, 0x0aaaaaa9)) \
	X(among_order, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 3 + 10, 1)) \
	X(among_below, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 3, ~0u)) \
	X(among_last, EINVAL, 0, "filter", 1, among_with(b, 1, 0, 3 + 256, 2)) \
	X(arp, 0, 0, "filter", 1, struct ebt_arp_info i = { .bitmask = 0xff }; ebt_rule_type(b, ETH_P_ARP); EBT_MATCH(b, "arp", i)) \
	X(arp_rarp, 0, 0, "filter", 1, struct ebt_arp_info i = { 0 }; ebt_rule_type(b, ETH_P_RARP); EBT_MATCH(b, "arp", i)) \
	X(arp_type, EINVAL, 0, "filter", 1, struct ebt_arp_info i = { 0 }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "arp", i)) \
	X(arp_inverted, EINVAL, 0, "filter", 1, struct ebt_arp_info i = { 0 }; ebt_rule_type(b, ETH_P_ARP); SET(0, invflags, EBT_IPROTO); EBT_MATCH(b, "arp", i)) \
	X(arp_untested, 0, 0, "filter", 1, struct ebt_arp_info i = { 0 }; ebt_rule_type(b, ETH_P_ARP); SET(0, bitmask, 3); EBT_MATCH(b, "arp", i)) \
	X(ip_untyped, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { 0 }; EBT_MATCH(b, "ip", i)) \
	X(ip_length, 0, 0, "filter", 1, struct ebt_ip_info i = { 0 }; ebt_rule_type(b, ETH_P_IP); SET(0, bitmask, 1 | EBT_802_3); EBT_MATCH(b, "ip", i)) \
	X(ip_ports, 0, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_SPORT | EBT_IP_DPORT, .protocol = IPPROTO_SCTP, .sport = { 1, 1 }, .dport = { 3, 256 } }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_ports_proto, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_SPORT, .protocol = IPPROTO_ICMP }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_ports_inverted, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_DPORT, .protocol = IPPROTO_TCP, .invflags = EBT_IP_PROTO }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_sport_order, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_SPORT, .protocol = IPPROTO_TCP, .sport = { 2, 1 } }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_dport_order, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_DPORT, .protocol = IPPROTO_UDP, .dport = { 257, 256 } }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_icmp_order, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_ICMP, .protocol = IPPROTO_ICMP, .icmp_type = { 2, 1 } }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_icmp_code, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_ICMP, .protocol = IPPROTO_ICMP, .icmp_code = { 2, 1 } }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_icmp_proto, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_ICMP, .protocol = IPPROTO_TCP }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_igmp_order, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_IGMP, .protocol = IPPROTO_IGMP, .igmp_type = { 2, 1 } }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip_igmp_proto, EINVAL, 0, "filter", 1, struct ebt_ip_info i = { .bitmask = EBT_IP_IGMP, .protocol = IPPROTO_ICMP }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip", i)) \
	X(ip6, 0, 0, "filter", 1, struct ebt_ip6_info i = { .bitmask = EBT_IP6_ICMP6, .protocol = IPPROTO_ICMPV6 }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(ip6_type, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { 0 }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "ip6", i)) \
	X(ip6_bits, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { .bitmask = 0x80 }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(ip6_inversion, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { .invflags = 0x80 }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(ip6_ports_proto, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { .bitmask = EBT_IP6_SPORT }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(ip6_sport_order, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { .bitmask = EBT_IP6_SPORT, .protocol = IPPROTO_TCP, .sport = { 2, 1 } }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(ip6_dport_order, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { .bitmask = EBT_IP6_DPORT, .protocol = IPPROTO_TCP, .dport = { 2, 1 } }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(ip6_icmp_proto, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { .bitmask = EBT_IP6_ICMP6, .protocol = 6 }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(ip6_icmp_order, EINVAL, 0, "filter", 1, struct ebt_ip6_info i = { .bitmask = EBT_IP6_ICMP6, .protocol = IPPROTO_ICMPV6, .icmpv6_code = { 2, 1 } }; ebt_rule_type(b, ETH_P_IPV6); EBT_MATCH(b, "ip6", i)) \
	X(limit, 0, 0, "filter", 1, ebt_limit(b, 2000, 10)) \
	X(limit_none, EINVAL, 0, "filter", 1, ebt_limit(b, 2000, 0)) \
	X(limit_wraps, EINVAL, 0, "filter", 1, ebt_limit(b, 0x10000, 0x10000)) \
	X(limit_slow, 0, 0, "filter", 1, ebt_limit(b, 1000000000, 1)) \
	X(mark_m_and, 0, 0, "filter", 1, ebt_mark_m(b, 0xfffffff1, 0xff, EBT_MARK_AND)) \
	X(mark_m_or, 0, 0, "filter", 1, ebt_mark_m(b, 0, 0x80000000, EBT_MARK_OR)) \
	X(mark_m_both, EINVAL, 0, "filter", 1, ebt_mark_m(b, 1, 1, 3)) \
	X(mark_m_none, EINVAL, 0, "filter", 1, ebt_mark_m(b, 1, 1, 0)) \
	X(mark_m_bits, EINVAL, 0, "filter", 1, ebt_mark_m(b, 1, 1, 5)) \
	X(pkttype, 0, 0, "filter", 1, struct ebt_pkttype_info i = { 200, 1 }; EBT_MATCH(b, "pkttype", i)) \
	X(pkttype_inversion, EINVAL, 0, "filter", 1, struct ebt_pkttype_info i = { 1, 2 }; EBT_MATCH(b, "pkttype", i)) \
	X(stp, 0, 0, "filter", 1, stp_rule(b, 0, 0xff, EBT_DESTMAC, 0xfff)) \
	X(stp_none, EINVAL, 0, "filter", 1, stp_rule(b, 0, 0xff, EBT_DESTMAC, 0)) \
	X(stp_bits, EINVAL, 0, "filter", 1, stp_rule(b, 0, 0xff, EBT_DESTMAC, 0x1001)) \
	X(stp_address, EINVAL, 0, "filter", 1, stp_rule(b, 1, 0xff, EBT_DESTMAC, 1)) \
	X(stp_mask, EINVAL, 0, "filter", 1, stp_rule(b, 0, 0xfe, EBT_DESTMAC, 1)) \
	X(stp_untested, EINVAL, 0, "filter", 1, stp_rule(b, 0, 0xff, 0, 1)) \
	X(vlan, 0, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = EBT_VLAN_ID, .id = 4096 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(vlan_type, EINVAL, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = 1 }; ebt_rule_type(b, ETH_P_IP); EBT_MATCH(b, "vlan", i)) \
	X(vlan_inverted, 0, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = 1 }; ebt_rule_type(b, ETH_P_8021Q); SET(0, invflags, EBT_IPROTO); EBT_MATCH(b, "vlan", i)) \
	X(vlan_bits, EINVAL, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = 8 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(vlan_inversion, EINVAL, 0, "filter", 1, struct ebt_vlan_info i = { .invflags = 8 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(vlan_id, EINVAL, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = EBT_VLAN_ID, .id = 4097 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(vlan_prio, EINVAL, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = EBT_VLAN_ID | EBT_VLAN_PRIO, .prio = 8 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(vlan_prio_ignored, 0, EBT_OTHER, "filter", 1, struct ebt_vlan_info i = { .bitmask = EBT_VLAN_ID | EBT_VLAN_PRIO, .id = 7, .prio = 8 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(vlan_encap, EINVAL, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = EBT_VLAN_ENCAP, .encap = 0x3b00 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(vlan_encap_least, 0, 0, "filter", 1, struct ebt_vlan_info i = { .bitmask = EBT_VLAN_ENCAP, .encap = 0x3c00 }; ebt_rule_type(b, ETH_P_8021Q); EBT_MATCH(b, "vlan", i)) \
	X(log, 0, EBT_OTHER, "filter", 1, struct ebt_log_info i = { .loglevel = 7, .bitmask = 0xb }; memset(i.prefix, 'p', 30); EBT_WATCHER(b, "log", i)) \
	X(log_level, EINVAL, 0, "filter", 1, struct ebt_log_info i = { .loglevel = 8 }; EBT_WATCHER(b, "log", i)) \
	X(log_bits, EINVAL, 0, "filter", 1, struct ebt_log_info i = { .bitmask = EBT_LOG_NFLOG }; EBT_WATCHER(b, "log", i)) \
	X(nflog, 0, EBT_OTHER, "filter", 1, struct ebt_nflog_info i = { .len = 9, .group = 3, .threshold = 1 }; memset(i.prefix, 'p', 64); EBT_WATCHER(b, "nflog", i)) \
	X(nflog_flags, EINVAL, 0, "filter", 1, struct ebt_nflog_info i = { .flags = 1 }; EBT_WATCHER(b, "nflog", i)) \
	X(watchers_two, 0, 0, "filter", 1, struct ebt_log_info i = { 0 }; struct ebt_nflog_info n = { 0 }; ebt_limit(b, 1, 1); EBT_WATCHER(b, "nflog", n); EBT_WATCHER(b, "log", i)) \
	X(log_target, 0, 0, "filter", 1, struct ebt_log_info i = { 0 }; EBT_TARGET(b, "log", i)) \
	X(mark_watcher, 0, 0, "filter", 1, ebt_mark(b, 1, 5, MARK_SET_VALUE | (EBT_DROP & 0xf))) \
	X(mark, 0, 0, "filter", 1, ebt_mark(b, 2, 0xffffffff, (int)(MARK_XOR_VALUE | (EBT_CONTINUE & 0xf)))) \
	X(mark_return, EINVAL, 0, "filter", 1, ebt_mark(b, 2, 1, (int)(MARK_SET_VALUE | (EBT_RETURN & 0xf)))) \
	X(mark_what, EINVAL, 0, "filter", 1, ebt_mark(b, 2, 1, (int)(0xffffffb0 | (EBT_DROP & 0xf)))) \
	X(mark_verdict, EINVAL, 0, "filter", 1, ebt_mark(b, 2, 1, (int)(MARK_SET_VALUE | 5))) \
	X(dnat, 0, 0, "nat", 0, static const struct ebt_nat_info i = { .mac = { 2 }, .target = EBT_ACCEPT }; EBT_TARGET(b, "dnat", i)) \
	X(dnat_output, 0, 0, "nat", 3, static const struct ebt_nat_info i = { .target = EBT_CONTINUE }; EBT_TARGET(b, "dnat", i)) \
	X(dnat_broute, 0, 0, "broute", 5, static const struct ebt_nat_info i = { .target = EBT_DROP }; EBT_TARGET(b, "dnat", i)) \
	X(dnat_post, EINVAL, 0, "nat", 4, static const struct ebt_nat_info i = { .target = EBT_ACCEPT }; EBT_TARGET(b, "dnat", i)) \
	X(dnat_filter, EINVAL, 0, "filter", 3, static const struct ebt_nat_info i = { .target = EBT_ACCEPT }; EBT_TARGET(b, "dnat", i)) \
	X(dnat_return, EINVAL, 0, "nat", 0, static const struct ebt_nat_info i = { .target = EBT_RETURN }; EBT_TARGET(b, "dnat", i)) \
	X(dnat_zero, EINVAL, 0, "nat", 0, static const struct ebt_nat_info i = { .target = 0 }; EBT_TARGET(b, "dnat", i)) \
	X(dnat_low, EINVAL, 0, "nat", 0, static const struct ebt_nat_info i = { .target = -5 }; EBT_TARGET(b, "dnat", i)) \
	X(snat, 0, 0, "nat", 4, static const struct ebt_nat_info i = { .target = EBT_ACCEPT }; EBT_TARGET(b, "snat", i)) \
	X(snat_arp, 0, 0, "nat", 4, static const struct ebt_nat_info i = { .target = EBT_ACCEPT & ~NAT_ARP_BIT }; EBT_TARGET(b, "snat", i)) \
	X(snat_bits, EINVAL, 0, "nat", 4, static const struct ebt_nat_info i = { .target = EBT_ACCEPT & ~0x20 }; EBT_TARGET(b, "snat", i)) \
	X(snat_return, EINVAL, 0, "nat", 4, static const struct ebt_nat_info i = { .target = EBT_RETURN }; EBT_TARGET(b, "snat", i)) \
	X(snat_low, EINVAL, 0, "nat", 4, static const struct ebt_nat_info i = { .target = -5 }; EBT_TARGET(b, "snat", i)) \
	X(snat_pre, EINVAL, 0, "nat", 0, static const struct ebt_nat_info i = { .target = EBT_ACCEPT }; EBT_TARGET(b, "snat", i)) \
	X(snat_filter, EINVAL, 0, "filter", 1, static const struct ebt_nat_info i = { .target = EBT_ACCEPT }; EBT_TARGET(b, "snat", i)) \
	X(redirect, 0, 0, "nat", 0, struct ebt_redirect_info i = { EBT_ACCEPT }; EBT_TARGET(b, "redirect", i)) \
	X(redirect_broute, 0, 0, "broute", 5, struct ebt_redirect_info i = { EBT_DROP }; EBT_TARGET(b, "redirect", i)) \
	X(redirect_output, EINVAL, 0, "nat", 3, struct ebt_redirect_info i = { EBT_ACCEPT }; EBT_TARGET(b, "redirect", i)) \
	X(redirect_return, EINVAL, 0, "nat", 0, struct ebt_redirect_info i = { EBT_RETURN }; EBT_TARGET(b, "redirect", i)) \
	X(redirect_low, EINVAL, 0, "nat", 0, struct ebt_redirect_info i = { -5 }; EBT_TARGET(b, "redirect", i)) \
	X(arpreply, 0, 0, "nat", 0, static const struct ebt_arpreply_info i = { .target = EBT_DROP }; ebt_rule_type(b, ETH_P_ARP); EBT_TARGET(b, "arpreply", i)) \
	X(arpreply_type, EINVAL, 0, "nat", 0, static const struct ebt_arpreply_info i = { .target = EBT_DROP }; EBT_TARGET(b, "arpreply", i)) \
	X(arpreply_inverted, EINVAL, 0, "nat", 0, static const struct ebt_arpreply_info i = { .target = EBT_DROP }; ebt_rule_type(b, ETH_P_ARP); SET(0, invflags, 1); EBT_TARGET(b, "arpreply", i)) \
	X(arpreply_post, EINVAL, 0, "nat", 4, static const struct ebt_arpreply_info i = { .target = EBT_DROP }; ebt_rule_type(b, ETH_P_ARP); EBT_TARGET(b, "arpreply", i)) \
	X(arpreply_filter, EINVAL, 0, "filter", 1, static const struct ebt_arpreply_info i = { .target = EBT_DROP }; ebt_rule_type(b, ETH_P_ARP); EBT_TARGET(b, "arpreply", i)) \
	X(arpreply_verdict, EINVAL, 0, "nat", 0, static const struct ebt_arpreply_info i = { .target = 3 }; ebt_rule_type(b, ETH_P_ARP); EBT_TARGET(b, "arpreply", i)) \
	X(audit, 0, EBT_KERNEL_N, "filter", 1, ebt_ext(b, 2, "AUDIT", "\2", 1)) \
	X(audit_type, ERANGE, EBT_KERNEL_N, "filter", 1, ebt_ext(b, 2, "AUDIT", "\3", 1)) \
	X(unspec_mark, 0, EBT_KERNEL_N, "filter", 1, uint32_t w[3] = { 1, 2 }; EBT_MATCH(b, "mark", w); ebt_at(b, b->ext)[31] = 1) \
	X(unspec_comment, 0, EBT_KERNEL_N, "filter", 1, char c[256] = "so"; EBT_MATCH(b, "comment", c)) \
	X(unspec_statistic, EINVAL, EBT_KERNEL_N, "filter", 1, uint32_t w[6] = { 2 }; EBT_MATCH(b, "statistic", w)) \
	X(unspec_cgroup, EINVAL, EBT_KERNEL_N, "filter", 1, uint32_t w[2] = { 1, 0 }; EBT_MATCH(b, "cgroup", w)) \
	X(unspec_revision, EPROTOTYPE, EBT_KERNEL_N, "filter", 1, ebt_ext(b, 0, "limit", "", 1); ebt_at(b, b->ext)[31] = 1) \
	X(devices, 0, 0, "filter", 2, strcpy((char *)RULE(0, in), "eth0"); strcpy((char *)RULE(0, out), "wlan\1"); strcpy((char *)RULE(0, logical_in), "\1"); strcpy((char *)RULE(0, logical_out), "br-0123456789a"); SET(0, invflags, EBT_IOUT | EBT_ILOGICALOUT)) \
	X(devices_odd, 0, 0, "filter", 2, strcpy((char *)RULE(0, in), "\1"); memcpy(RULE(0, out), "0123456789abcdef", 16); memcpy(RULE(0, logical_in), "0123456789abcde\1", 16); strcpy((char *)RULE(0, logical_out), "0123456789abcde"); SET(0, invflags, EBT_IIN)) \
	X(devices_none, 0, 0, "filter", 2, SET(0, invflags, EBT_IIN | EBT_IOUT | EBT_ILOGICALIN | EBT_ILOGICALOUT)) \
	X(macs, 0, 0, "filter", 2, memcpy(RULE(0, sourcemac), "\1\2\3\4\5\6\1\1\1\1\1\1\6\5\4\3\2\1\0\0\0\0\0\377", 24); SET(0, bitmask, 0x1b); SET(0, invflags, EBT_ISOURCE))

/* clang-format on */

struct ebt_case {
	const char *name;
	int native, compat; /* errno */
	int flags;
	void (*make)(struct ebt_blob *b);
};

#define EBT_TABLE_MAKE(name, n, c, flags, ...)       \
	static void table_##name(struct ebt_blob *b) \
	{                                            \
		__VA_ARGS__;                         \
	}
#define EBT_EXT_MAKE(name, n, flags, table, hook, ...) \
	static void ext_##name(struct ebt_blob *b)     \
	{                                              \
		begin(b, table, hook);                 \
		__VA_ARGS__;                           \
		complete(b);                           \
	}
#define EBT_TABLE_ROW(name, n, c, flags, ...)	      { #name, n, c, flags, table_##name },
#define EBT_EXT_ROW(name, n, flags, table, hook, ...) { #name, n, n, flags, ext_##name },

EBT_TABLES(EBT_TABLE_MAKE)
EBT_EXTS(EBT_EXT_MAKE)

static const struct ebt_case ebt_cases[] = { EBT_TABLES(EBT_TABLE_ROW) EBT_EXTS(EBT_EXT_ROW) };

#define EBT_CASES (sizeof(ebt_cases) / sizeof(ebt_cases[0]))

/* => errno that the kernel gives */
static inline int ebt_case_make(struct ebt_blob *b, const struct ebt_case *c, bool compat,
				uint64_t base)
{
	ebt_sample_whole(b, compat, false);
	c->make(b);
	if (base)
		b->base = base;
	ebt_finish(b);
	return compat ? c->compat : c->native;
}

#undef RULE
#undef GET
#undef SET
#undef HEAD
#undef TARGET
#undef WATCHER
#undef FIRST

#endif
