// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - a live table: made, put in the place of another, freed
 *
 * A new table is complete before packets see it: packed, checked, its instances made, the hooks
 * registered.  All that can fail is before the store of one pointer.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netfilter_arp/arp_tables.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/netns/generic.h>
#include <net/netfilter/nf_nat.h>
#include "libxt2/err.h"
#include "engine/index/patched.h"
#include "engine/order.h"
#include "tables.h"

const char *const xt2k_names[XT2K_NAMES] = {
	[XT2K_FILTER] = "filter", [XT2K_MANGLE] = "mangle",	[XT2K_NAT] = "nat",
	[XT2K_RAW] = "raw",	  [XT2K_SECURITY] = "security",
};

#define ENTRY(t)                                                                       \
	.entry = sizeof(struct t), .target_offset = offsetof(struct t, target_offset), \
	.next_offset = offsetof(struct t, next_offset), .comefrom = offsetof(struct t, comefrom)

const struct xt2k_kind xt2k_kinds[XT2K_FAMILIES] = {
	[XT2K_IPV4] = { .prefix = "ip", .nfproto = NFPROTO_IPV4, ENTRY(ipt_entry) },
	[XT2K_IPV6] = { .prefix = "ip6", .nfproto = NFPROTO_IPV6, ENTRY(ip6t_entry) },
	[XT2K_ARP] = { .prefix = "arp", .nfproto = NFPROTO_ARP, ENTRY(arpt_entry) },
};

/* --- memory of images ------------------------------------------------------------ */

int xt2_image_room_(size_t size, struct xt2_mapping *map, struct xt2_err *err)
{
	*map = (struct xt2_mapping){ .capacity = size };
	if (size < PMD_SIZE)
		map->image = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	else /* in huge pages */
		map->image = vmalloc_huge(size, GFP_KERNEL_ACCOUNT);
	return map->image ? 0 : xt2_err_no_memory(err, " for the image");
}

void xt2_image_close(struct xt2_mapping *map)
{
	kvfree(map->image);
	*map = (struct xt2_mapping){ 0 };
}

/* --- hooks ------------------------------------------------------------------------- */

static int nat_register(struct xt2k_table *t, struct nf_hook_ops *ops)
{
	return t->kind->nfproto == NFPROTO_IPV4 ? nf_nat_ipv4_register_fn(t->net, ops)
						: nf_nat_ipv6_register_fn(t->net, ops);
}

static void nat_unregister(struct xt2k_table *t, struct nf_hook_ops *ops)
{
	if (t->kind->nfproto == NFPROTO_IPV4)
		nf_nat_ipv4_unregister_fn(t->net, ops);
	else
		nf_nat_ipv6_unregister_fn(t->net, ops);
}

void xt2k_table_init(struct xt2k_table *t, struct net *net, enum xt2k_family family,
		     enum xt2k_name name)
{
	t->net = net;
	t->kind = &xt2k_kinds[family];
	t->name = name;
	INIT_DELAYED_WORK(&t->index, xt2k_index_work);
}

static void unhook(struct xt2k_table *t)
{
	if (t->name != XT2K_NAT)
		nf_unregister_net_hooks(t->net, t->ops, t->hooks);
	else
		while (t->hooks)
			nat_unregister(t, &t->ops[--t->hooks]);
	t->hooks = 0;
}

void xt2k_table_unhook(struct xt2k_table *t)
{
	unhook(t);
	cancel_delayed_work_sync(&t->index);
}

static int hook_nat(struct xt2k_table *t, u32 n)
{
	int ret;

	for (; t->hooks < n; t->hooks++) {
		ret = nat_register(t, &t->ops[t->hooks]);
		if (ret) {
			unhook(t);
			return ret;
		}
	}
	return 0;
}

static int hook_table(struct xt2k_table *t)
{
	const char *name = xt2k_names[t->name];
	const u8 family = t->kind->nfproto;
	u32 hook, n = 0;
	int ret;

	if (t->hooks)
		return 0;
	for (hook = 0; hook < NF_INET_NUMHOOKS; hook++) {
		if (!(xt2_table_hooks(family, name) & 1u << hook))
			continue;
		t->ops[n++] = (struct nf_hook_ops){
			.hook = xt2k_hook,
			.priv = t,
			.pf = family,
			.hooknum = hook,
			.priority = xt2_table_priority(family, name, hook),
		};
	}
	if (t->name == XT2K_NAT)
		return hook_nat(t, n);
	ret = nf_register_net_hooks(t->net, t->ops, n);
	t->hooks = ret ? 0 : n;
	return ret;
}

/* --- a live table -------------------------------------------------------------------- */

static void state_free(struct xt2k_state *state)
{
	if (state->tracks)
		nf_ct_netns_put(state->net, state->nfproto);
	xt2k_counters_free(&state->counters);
	kfree(state);
}

void xt2k_live_free(struct xt2k_live *live)
{
	if (!live)
		return;
	if (live->state) {
		xt2k_natives_free(live);
		state_free(live->state);
	}
	xt2k_edit_free(live->edit);
	kvfree(live->native);
	kvfree(live->frames);
	kvfree(live->img);
	kfree(live);
}

/* What packets have to be asked for. */
static void note_needs(struct xt2k_live *live)
{
	const struct xt2_match *m;
	struct xt2_chain *c;
	struct xt2_rule *r;
	u32 i;

	xt2_image_for_each_chain(c, i, live->img, live->root) {
		live->indexed |= c->lookup != 0;
		xt2_chain_for_each_rule(r, c) {
			xt2_rule_for_each_match(m, r) {
				live->asks_ct += xt2k_asks_ct(m);
				live->asks_time |= m->type == XT2_M_TIME;
			}
		}
		cond_resched();
	}
}

struct xt2_frame *xt2k_frames(u32 depth)
{
	const size_t size =
		array3_size(nr_cpu_ids * XT2K_RUNS, depth + 1ul, sizeof(struct xt2_frame));

	return size <= INT_MAX ? kvzalloc(size, GFP_KERNEL_ACCOUNT) : NULL;
}

struct xt2k_live *xt2k_live_new(const struct xt2k_table *t, struct xt2_mapping *map)
{
	struct xt2k_live *live = kzalloc(sizeof(*live), GFP_KERNEL_ACCOUNT);
	const struct xt2_hook *h;
	u32 i;

	if (!live) {
		xt2_image_close(map);
		return ERR_PTR(-ENOMEM);
	}
	live->table = xt2k_names[t->name];
	live->img = map->image;
	live->size = map->size;
	live->root = xt2_image_root(live->img);
	live->depth = live->root->depth;
	xt2_image_for_each_hook(h, i, live->img, live->root)
		live->entry[h->hook] = h;
	note_needs(live);
	live->frames = xt2k_frames(live->depth);
	if (live->frames)
		return live;
	xt2k_live_free(live);
	return ERR_PTR(-ENOMEM);
}

/* As the checks of state and conntrack do it. */
static int track(struct xt2k_live *live)
{
	int ret = live->asks_ct ? nf_ct_netns_get(live->state->net, live->state->nfproto) : 0;

	live->state->tracks = live->asks_ct && !ret;
	return ret;
}

/* @rs: read back from the image; NULL: there are no instances */
static int state_make(struct xt2k_live *live, struct xt2k_table *t, const struct xt2_ruleset *rs,
		      struct xt2k_start *start, struct xt2_err *err)
{
	int ret;

	live->natives = live->root->instances;
	live->native = kvcalloc(live->natives, sizeof(*live->native), GFP_KERNEL_ACCOUNT);
	live->state = kzalloc(sizeof(*live->state), GFP_KERNEL_ACCOUNT);
	if (!live->state || (live->natives && !live->native))
		return -ENOMEM;
	live->state->net = t->net;
	live->state->nfproto = t->kind->nfproto;
	ret = track(live);
	if (!ret && rs)
		ret = xt2k_natives_make(live, t->kind, rs, !start, err);
	return ret ? ret : xt2k_counters_take(&live->state->counters, live->img, start);
}

/* Indexes take longer than all else; see index-later.c. */
const struct xt2_index_limits xt2k_plain = { .plain = ~0u, .single = true };

/* The ruleset as an image; instances, if there are any, have its numbers, which those are that it is read back with. */
static struct xt2k_live *pack(struct xt2k_table *t, const struct xt2_ruleset *rs,
			      struct xt2k_start *start, struct xt2_err *err)
{
	struct xt2_ruleset *packed = NULL;
	struct xt2k_live *live;
	struct xt2_mapping map;
	int ret = xt2_ruleset_write_(rs, &xt2k_plain, &map, err);

	live = ret ? ERR_PTR(ret) : xt2k_live_new(t, &map);
	if (IS_ERR(live))
		return live;
	if (live->root->instances) {
		packed = xt2_ruleset_new();
		ret = packed ? xt2_ruleset_load(packed, live->img, live->size) : -ENOMEM;
	}
	if (!ret)
		ret = state_make(live, t, packed, start, err);
	xt2_ruleset_free(packed);
	if (!ret)
		return live;
	xt2k_live_free(live);
	return ERR_PTR(ret);
}

/* Is there more than chains of the kernel's own that accept? */
static bool has_rules(const struct xt2k_live *live)
{
	const struct xt2_image *img = live->img;
	const struct xt2_chain *c;
	u32 i;

	xt2_image_for_each_chain(c, i, img, live->root)
		if (c->hook == XT2_HOOK_NONE || xt2_chain_length(img, c) > 1 ||
		    xt2_chain_tail(c)->target != XT2_T_ACCEPT)
			return true;
	return false;
}

/* A table with rules keeps the module, whose end would be that of the rules. */
static void hold(struct xt2k_table *t, bool rules)
{
	if (rules && !t->held)
		__module_get(THIS_MODULE);
	else if (!rules && t->held)
		module_put(THIS_MODULE);
	t->held = rules;
}

void xt2k_table_hold(struct xt2k_table *t, const struct xt2k_live *live)
{
	hold(t, has_rules(live));
}

struct xt2k_live *xt2k_live_swap(struct xt2k_table *t, struct xt2k_live *live)
{
	struct xt2k_live *old = xt2k_table_live(t);

	t->version++;
	rcu_assign_pointer(t->live, live);
	xt2k_packets_wait();
	return old;
}

struct xt2k_live *xt2k_table_make(struct xt2k_table *t, const struct xt2_ruleset *rs,
				  struct xt2k_start *start, struct xt2_err *err)
{
	struct xt2k_live *live = pack(t, rs, start, err);
	int ret;

	if (IS_ERR(live))
		return live;
	live->wants_index = true;
	ret = hook_table(t);
	if (!ret)
		return live;
	xt2k_live_free(live);
	return ERR_PTR(ret);
}

void xt2k_table_unmake(struct xt2k_table *t, struct xt2k_live *live)
{
	if (!xt2k_table_live(t))
		unhook(t);
	xt2k_live_free(live);
}

struct xt2k_live *xt2k_table_publish(struct xt2k_table *t, struct xt2k_live *live)
{
	struct xt2k_live *old;

	if (!t->came)
		t->came = ++((struct xt2k_net *)net_generic(t->net, xt2k_net_id))->came;
	old = xt2k_live_swap(t, live);
	xt2k_table_hold(t, live);
	xt2k_index_later(t);
	return old;
}

/* A work item that is under way finds that its table has gone. */
void xt2k_table_remove(struct xt2k_table *t)
{
	unhook(t);
	cancel_delayed_work(&t->index);
	xt2k_live_free(xt2k_live_swap(t, NULL));
	t->came = 0;
	t->edits = false;
	hold(t, false);
}

void xt2k_table_exit(struct xt2k_table *t)
{
	xt2k_live_free(xt2k_table_live(t));
	hold(t, false);
}
