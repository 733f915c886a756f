// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the module xt2: packed rules behind iptables' own interfaces
 *
 * It stands in for ip_tables, ip6_tables, arp_tables and their tables, which must not be loaded:
 * there are socket options for one of them only.  Matches and targets of x_tables serve it as they
 * served those.  What ip_tables itself brings along is registered here.  With sockopts=N it leaves
 * all this to them, and has its rules by netlink alone.
 *
 * The socket options are registered first, since ip_tables may have them, and then nothing else may
 * be tried: two files of one name in /proc are a warning with a stack trace.
 */
#include <linux/module.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/version.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "tables.h"

unsigned int xt2k_net_id;
bool xt2k_ready;

bool xt2k_sockopts = true;
module_param_named(sockopts, xt2k_sockopts, bool, 0444);
MODULE_PARM_DESC(sockopts,
		 "N: leave iptables' interfaces to ip_tables; rules come by netlink alone");

static int __net_init net_start(struct net *net)
{
	struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	int i, j;

	mutex_init(&xn->lock);
	spin_lock_init(&xn->owner);
	for (i = 0; i < XT2K_FAMILIES; i++)
		for (j = 0; j < XT2K_NAMES; j++)
			xt2k_table_init(&xn->table[i][j], net, i, j);
	return xt2k_proc_init(net);
}

static void for_each_table(struct net *net, void (*call)(struct xt2k_table *t))
{
	struct xt2k_net *xn = net_generic(net, xt2k_net_id);
	int i, j;

	for (i = 0; i < XT2K_FAMILIES; i++)
		for (j = 0; j < XT2K_NAMES; j++)
			call(&xn->table[i][j]);
}

static void __net_exit net_stop(struct net *net)
{
	xt2k_abort(net, 0);
	xt2k_proc_exit(net);
	for_each_table(net, xt2k_table_unhook);
}

/* A grace period has passed since the hooks went. */
static void __net_exit net_free(struct net *net)
{
	for_each_table(net, xt2k_table_exit);
}

static struct pernet_operations net_ops = {
	.init = net_start,
	.pre_exit = net_stop,
	.exit = net_free,
	.id = &xt2k_net_id,
	.size = sizeof(struct xt2k_net),
};

/*
 * Until Linux 6.4 icmp and icmp6 are part of ip_tables and ip6_tables; whoever asks for them would
 * load these.  The engine has its own; these are for checks that look at an entry's matches.
 */
static bool never(const struct sk_buff *skb, struct xt_action_param *par)
{
	return false;
}

static struct xt_match icmps[] __maybe_unused = {
	{
		.name = "icmp",
		.match = never,
		.matchsize = sizeof(struct ipt_icmp),
		.proto = IPPROTO_ICMP,
		.family = NFPROTO_IPV4,
		.me = THIS_MODULE,
	},
	{
		.name = "icmp6",
		.match = never,
		.matchsize = sizeof(struct ip6t_icmp),
		.proto = IPPROTO_ICMPV6,
		.family = NFPROTO_IPV6,
		.me = THIS_MODULE,
	},
};

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define ICMPS ARRAY_SIZE(icmps)
#else
#define ICMPS 0
#endif

/* Where ip_tables has its own. */
static int register_icmps(void)
{
	return xt2k_sockopts ? xt_register_matches(icmps, ICMPS) : 0;
}

static void unregister_icmps(void)
{
	if (xt2k_sockopts)
		xt_unregister_matches(icmps, ICMPS);
}

static int __init xt2k_init(void)
{
	int ret = xt2k_hooks_init();

	if (ret)
		return ret;
	ret = register_icmps();
	if (ret)
		goto hooks;
	ret = xt2k_sockopts_init();
	if (ret)
		goto matches;
	ret = register_pernet_subsys(&net_ops);
	if (ret)
		goto sockopts;
	ret = xt2k_netlink_init();
	if (ret)
		goto pernet;
	smp_store_release(&xt2k_ready, true);
	return 0;
pernet:
	unregister_pernet_subsys(&net_ops);
sockopts:
	xt2k_sockopts_exit();
matches:
	unregister_icmps();
hooks:
	xt2k_hooks_exit();
	return ret;
}

static void __exit xt2k_exit(void)
{
	xt2k_netlink_exit();
	xt2k_sockopts_exit();
	unregister_pernet_subsys(&net_ops);
	unregister_icmps();
	xt2k_hooks_exit();
}

module_init(xt2k_init);
module_exit(xt2k_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Packed rules behind the interfaces of ip_tables, ip6_tables and arp_tables");
