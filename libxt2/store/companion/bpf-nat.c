/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf-nat.c - companions that carry out NAT: see kernel/bpf/act.h
 *
 * The kernel asks NAT's chains about a connection's first packets, in a list of its own at each
 * hook.  The table's program decides just before, and leaves the number of the target; a chain of
 * nf_tables, the first in that list, leads to the target's companion through a tree.
 *
 * A ruleset has companions of its own, in a table of its region: those of the ruleset before stay
 * as long as that one may come back.  They are made before the ruleset is live, so nothing asks for
 * them yet, in transactions of any size; the chains at the hooks come last.  Edits add to
 * them: bpf-nat-add.c.
 */
#include "bpf-nat.h"

const char *const xt2_nat_tables_[2][XT2_REGIONS] = {
	{ "xt2-nat0", "xt2-nat1" },
	{ "xt2-nat0-added", "xt2-nat1-added" },
};

/* --- a table ---------------------------------------------------------------------- */

void xt2_nat_drop_table_(u8 family, const char *table)
{
	struct xt2_nft b;

	if (xt2_nft_open_(&b))
		return;
	xt2_nft_begin_(&b, family);
	xt2_nft_table_(&b, NFT_MSG_DELTABLE, 0, table);
	xt2_nft_commit_(&b);
	xt2_nft_close_(&b);
}

static void drop(u8 family, u32 region)
{
	xt2_nat_drop_table_(family, xt2_nat_tables_[0][region]);
	xt2_nat_drop_table_(family, xt2_nat_tables_[1][region]);
}

/* With all companions, those that edits had added as well.  => 0, -errno */
static int make(struct xt2_nat_maker *m)
{
	int ret = xt2_nat_begin_(m);

	if (ret)
		return ret;
	ret = xt2_nat_put_table_(m);
	if (!ret)
		ret = xt2_nft_commit_(&m->b);
	xt2_nat_end_(m);
	if (ret)
		drop(m->family, m->region);
	else
		xt2_nat_drop_table_(m->family, xt2_nat_tables_[1][m->region]);
	return ret;
}

static int no_nat(struct xt2_err *err, u8 family, int ret)
{
	const bool system = ret == -ENOMEM || ret == -EPERM || ret == -EBUSY;

	xt2_err_set(err, system ? XT2_E_SYSTEM : XT2_E_UNSUPPORTED, -ret,
		    "cannot have nf_tables carry out NAT of %s: %s", xt2_family_name(family),
		    strerror(-ret));
	if (!system)
		xt2_err_hint(err, "the kernel needs CONFIG_NF_TABLES, CONFIG_NFT_COMPAT, "
				  "CONFIG_NETFILTER_XT_MATCH_BPF, CONFIG_NFT_NAT, CONFIG_NFT_MASQ "
				  "and CONFIG_NFT_REDIR");
	return ret;
}

static int act_family(const struct xt2_live *host, const struct xt2_image *img, u8 family,
		      bool live, struct xt2_err *err)
{
	const u32 region = live ? host->region : xt2_live_next_(host);
	struct xt2_nat_plan plan;
	struct xt2_nat_maker *m = calloc(1, sizeof(*m));
	int ret = -ENOMEM;

	if (m && live)
		ret = xt2_nat_plan_live_(&plan, xt2_live_at_(host->ruleset), img, family);
	else if (m)
		ret = xt2_nat_plan_(&plan, img, family);
	if (!ret && plan.hooks) {
		*m = (struct xt2_nat_maker){ .host = host,
					     .img = img,
					     .plan = &plan,
					     .table = xt2_nat_tables_[0][region],
					     .region = region,
					     .digits = plan.digits,
					     .quick = plan.quick,
					     .family = family };
		ret = make(m);
		if (!ret && live)
			xt2_nat_made_(xt2_live_at_(host->ruleset), &plan, family == XT2_IPV6);
	}
	if (m)
		xt2_nat_plan_free_(&plan);
	free(m);
	return ret ? no_nat(err, family, ret) : 0;
}

/* --- gates ------------------------------------------------------------------------- */

/* NAT itself is at the hook's priority: the program before it, the gate after. */
static bool has_gate(const struct xt2_links *links, const char *folder, const struct xt2_hook *h)
{
	const struct xt2_link *gate;

	if (!xt2_nat_needs_gate_(h->hook))
		return true;
	gate = links ? xt2_gate_of_(links, folder, "nat", h->family, h->hook) : NULL;
	return gate && gate->priority > h->priority;
}

static int attach_gates(const struct xt2_live *host, const char *folder,
			const struct xt2_links *links, const struct xt2_image *img,
			struct xt2_err *err)
{
	const struct xt2_hook *h;
	int ret = 0;
	u32 i;

	xt2_image_for_each_hook(h, i, img, xt2_image_root(img)) {
		if (ret || !xt2_nat_is_at_(img, h, h->family) || has_gate(links, folder, h))
			continue;
		ret = xt2_gate_attach_(host, folder, "nat", h->family, h->hook, h->priority);
		if (ret)
			no_nat(err, h->family, ret);
	}
	return ret;
}

int xt2_nat_act_(const struct xt2_live *host, const char *folder, const struct xt2_links *links,
		 const struct xt2_image *img, bool live, struct xt2_err *err)
{
	int ret = attach_gates(host, folder, links, img, err);
	u32 i;

	for (i = 0; i < XT2_NFT_FAMILIES && !ret; i++)
		ret = act_family(host, img, xt2_nft_families_[i], live, err);
	return ret;
}

/* --- what is there -------------------------------------------------------------------- */

/* => is all there that was made?  @added: of the table for what edits add */
static bool is_whole(u8 family, u32 region, const u32 *chains, const u32 *uses, u32 added)
{
	u32 has, used;

	return !xt2_nft_count_(family, xt2_nat_tables_[added][region], &has, &used) &&
	       has == chains[added] && used == uses[added];
}

unsigned int xt2_nat_lacks_(const struct xt2_live *host, const struct xt2_links *links,
			    const char *folder, bool same)
{
	const struct xt2_live_ruleset *l = xt2_live_at_(host->ruleset);
	const struct xt2_image *img;
	const struct xt2_hook *h;
	unsigned int lacks = 0;
	u32 i, added;

	if (!host->ruleset || !l->nat)
		return 0;
	img = xt2_live_at_(l->image);
	for (i = 0; i < XT2_NFT_FAMILIES; i++)
		for (added = 0; !same && l->nat_chains[i][0] && added < 2; added++)
			if (!is_whole(xt2_nft_families_[i], host->region, l->nat_chains[i],
				      l->nat_uses[i], added))
				lacks |= 1u << i;
	xt2_image_for_each_hook(h, i, img, (const struct xt2_root *)xt2_at(img, l->root))
		if (xt2_nat_is_at_(img, h, h->family) && !has_gate(links, folder, h))
			lacks |= 1u << (h->family == XT2_IPV6);
	return lacks;
}

void xt2_nat_drop_(u32 region)
{
	u32 i;

	for (i = 0; i < XT2_NFT_FAMILIES; i++)
		drop(xt2_nft_families_[i], region);
}

void xt2_nat_unact_(const struct xt2_live *host, const char *folder, const struct xt2_image *img)
{
	const unsigned int used = img ? xt2_live_nats(img) : 0;
	u32 i, region;

	for (i = 0; i < XT2_NFT_FAMILIES; i++) {
		const u8 family = xt2_nft_families_[i];
		const bool uses = used >> i & 1;

		if (!uses && !xt2_gates_detach_(host, folder, "nat", family) && img)
			continue; /* there never were any */
		for (region = 0; region < XT2_REGIONS; region++)
			if (!uses || region != host->region)
				drop(family, region);
	}
}
