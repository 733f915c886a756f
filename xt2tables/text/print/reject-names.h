/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reject-names.h - what REJECT answers with, in the words of --reject-with */
#ifndef XT2_XT2TABLES_TEXT_PRINT_REJECT_NAMES_H
#define XT2_XT2TABLES_TEXT_PRINT_REJECT_NAMES_H

#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <linux/netfilter_ipv6/ip6t_REJECT.h>
#include <xt2/format.h>
#include "engine/env.h"

/* => the word for a number of the kernel's; NULL: iptables has none */
static inline const char *xt2_reject_name(int family, u32 with)
{
	static const char *const names[2][9] = {
		{
			[IPT_ICMP_NET_UNREACHABLE] = "icmp-net-unreachable",
			[IPT_ICMP_HOST_UNREACHABLE] = "icmp-host-unreachable",
			[IPT_ICMP_PROT_UNREACHABLE] = "icmp-proto-unreachable",
			[IPT_ICMP_PORT_UNREACHABLE] = "icmp-port-unreachable",
			[IPT_ICMP_NET_PROHIBITED] = "icmp-net-prohibited",
			[IPT_ICMP_HOST_PROHIBITED] = "icmp-host-prohibited",
			[IPT_TCP_RESET] = "tcp-reset",
			[IPT_ICMP_ADMIN_PROHIBITED] = "icmp-admin-prohibited",
		},
		{
			[IP6T_ICMP6_NO_ROUTE] = "icmp6-no-route",
			[IP6T_ICMP6_ADM_PROHIBITED] = "icmp6-adm-prohibited",
			[IP6T_ICMP6_ADDR_UNREACH] = "icmp6-addr-unreachable",
			[IP6T_ICMP6_PORT_UNREACH] = "icmp6-port-unreachable",
			[IP6T_TCP_RESET] = "tcp-reset",
			[IP6T_ICMP6_POLICY_FAIL] = "icmp6-policy-fail",
			[IP6T_ICMP6_REJECT_ROUTE] = "icmp6-reject-route",
		}
	};

	return with < XT2_ARRAY_SIZE(names[0]) ? names[family == XT2_IPV6][with] : NULL;
}

#endif
