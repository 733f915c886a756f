/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-left-lacks.c - what is left of companions: are those of the live ruleset still there?
 *
 * When they are made, the kernel's counts of their chains and rules are remembered.  Whoever takes
 * something away changes them.
 */
#include "bpf-left.h"
#include "bpf-bound.h"

const char *const xt2_left_tables_[XT2_REGIONS] = { "xt2-act0", "xt2-act1" };

bool xt2_left_uses_(const struct xt2_live_ruleset *l, u32 six)
{
	u32 i, any = 0;

	for (i = 0; i < XT2_PROGRAMS; i++)
		any |= l->steps[i][six] | l->asks[i][six];
	return any;
}

void xt2_left_seal_(const struct xt2_live *host)
{
	struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	u32 i;

	for (i = 0; i < XT2_NFT_FAMILIES && l->left; i++)
		if (xt2_left_uses_(l, i) &&
		    xt2_nft_count_(xt2_nft_families_[i], xt2_left_tables_[host->region],
				   &l->left_chains[i], &l->left_uses[i]))
			l->left_chains[i] = l->left_uses[i] = 0;
}

static bool lacks_again(const struct xt2_links *links, const char *folder,
			const struct xt2_live_ruleset *l, u32 six)
{
	u32 table, hook, stop;

	for (table = 0; table < XT2_NAT; table++)
		for (hook = 0; hook <= XT2_POSTROUTING; hook++)
			for (stop = 0; stop < l->stops[table][six][hook]; stop++)
				if (!links ||
				    !xt2_again_is_there_(links, folder, table,
							 xt2_nft_families_[six], hook, stop))
					return true;
	return false;
}

static bool lacks_gate(const struct xt2_links *links, const char *folder,
		       const struct xt2_live_ruleset *l, u32 six)
{
	u32 table, hook;

	for (table = 0; table < XT2_PROGRAMS; table++)
		for (hook = 0; hook <= XT2_POSTROUTING; hook++)
			if (l->steps[table][six] >> hook & 1 &&
			    (table != XT2_NAT || xt2_nat_needs_gate_(hook)) &&
			    (!links || !xt2_gate_of_(links, folder, xt2_live_table_name_(table),
						     xt2_nft_families_[six], hook)))
				return true;
	return false;
}

static bool lacks_clear(const struct xt2_links *links, const char *folder,
			const struct xt2_live_ruleset *l, u32 six)
{
	const u8 family = xt2_nft_families_[six];
	const struct xt2_link *program;
	u32 table, hook;

	for (table = 0; table < XT2_PROGRAMS; table++)
		for (hook = 0; hook <= XT2_POSTROUTING; hook++) {
			if (!(l->asks[table][six] >> hook & 1))
				continue;
			program = links ? xt2_program_at_(links, folder,
							  xt2_live_table_name_(table), family, hook)
					: NULL;
			if (!program ||
			    !xt2_clear_is_there_(links, folder, program, table, family, hook))
				return true;
		}
	return false;
}

/* => is all there that was made? */
static bool is_whole(const struct xt2_live_ruleset *l, u32 region, u32 six)
{
	u32 chains, used;

	return !xt2_nft_count_(xt2_nft_families_[six], xt2_left_tables_[region], &chains, &used) &&
	       chains == l->left_chains[six] && used == l->left_uses[six];
}

unsigned int xt2_left_lacks_(const struct xt2_live *host, const struct xt2_links *links,
			     const char *folder, bool same)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	unsigned int lacks = 0;
	u32 i;

	for (i = 0; host->ruleset && l->left && i < XT2_NFT_FAMILIES; i++)
		if (xt2_left_uses_(l, i) &&
		    (!l->left_chains[i] || lacks_gate(links, folder, l, i) ||
		     lacks_again(links, folder, l, i) || lacks_clear(links, folder, l, i) ||
		     (!same &&
		      (!is_whole(l, host->region, i) || xt2_bound_lacks_(l, host->region, i)))))
			lacks |= 1u << i;
	return lacks;
}

bool xt2_left_has_steps_(const struct xt2_live *host, u32 table, u32 six)
{
	const struct xt2_live_ruleset *l;

	if (!host || !host->ruleset)
		return false;
	l = xt2_live_at_(host->ruleset);
	return l->left && l->steps[table][six];
}

bool xt2_left_may_stop_(const struct xt2_live_ruleset *l, u32 table, u32 six)
{
	u32 hook, any = 0;

	for (hook = 0; hook <= XT2_POSTROUTING; hook++)
		any |= l->stops[table][six][hook];
	return any != 0;
}

/* Packets that were dropped by others after they had stopped in a region. */
static void forget_stops(const struct xt2_live *host, u32 region)
{
	const int fd = host->fd[XT2_PIN_STOPPED];
	struct xt2_stopped s;
	u64 key, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &next);

	while (more) {
		key = next;
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (!bpf_map_lookup_elem(fd, &key, &s) && s.region == region)
			bpf_map_delete_elem(fd, &key);
	}
}

/* Nobody takes the answers that were noted for a region any more. */
static void forget_answers(const struct xt2_live *host, u32 region)
{
	struct xt2_answers_key key, next;
	const int fd = host->fd[XT2_PIN_ANSWERS];
	bool more = !bpf_map_get_next_key(fd, NULL, &next);

	while (more) {
		key = next;
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (key.region == region)
			bpf_map_delete_elem(fd, &key);
	}
}

void xt2_left_forget_(const struct xt2_live *host, u32 region)
{
	forget_stops(host, region);
	forget_answers(host, region);
}
