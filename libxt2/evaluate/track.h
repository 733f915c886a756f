/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - what a table knows of conntrack, by its priority
 *
 * The tracker runs at its own priority among the tables: raw comes before it
 * and sees packets without a state, whatever the caller knows about them;
 * what raw says with NOTRACK holds for all tables that follow.
 *
 * A nat table is not asked about every packet: net/netfilter/nf_nat_core.c,
 * nf_nat_inet_fn(), runs its chains only for a packet of a connection that
 * has no mapping yet.  As far as a context can tell, that is conntrack state
 * NEW, and RELATED unless it is an ICMP error (nf_nat_ipv4_fn(),
 * nf_nat_ipv6_fn() translate those by the connection's mapping); a packet that
 * raw took out of conntrack never gets there.  A caller that names the table
 * has decided.
 */
#ifndef XT2_LIBXT2_EVALUATE_TRACK_H
#define XT2_LIBXT2_EVALUATE_TRACK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <xt2/pkt.h>

#define XT2_PRIORITY_CONNTRACK (-200) /* NF_IP_PRI_CONNTRACK, NF_IP6_PRI_CONNTRACK */

struct xt2_track {
	struct xt2_pkt_ct ct; /* as the caller told it */
	bool hidden;
};

/* Rare, and so large that the common way would become slow with them in it. */
static __attribute__((__noinline__)) void xt2_track_hide_(struct xt2_track *track,
							  struct xt2_pkt *pkt)
{
	track->ct = pkt->ct;
	track->hidden = true;
	memset(&pkt->ct, 0, sizeof(pkt->ct));
}

static __attribute__((__noinline__)) void xt2_track_show_(struct xt2_track *track,
							  struct xt2_pkt *pkt)
{
	track->hidden = false;
	if (!pkt->notrack)
		pkt->ct = track->ct;
}

/* Before each table of a hook, in the order of their priorities; at first nothing is hidden. */
static inline void xt2_track_table(struct xt2_track *track, struct xt2_pkt *pkt, __s32 priority)
{
	if (priority >= XT2_PRIORITY_CONNTRACK) {
		if (track->hidden)
			xt2_track_show_(track, pkt);
	} else if (!track->hidden && pkt->ct.state) {
		xt2_track_hide_(track, pkt);
	}
}

/* Would the kernel's nat core ask its table about this packet?  Few are: kept out of the loop. */
static __attribute__((__noinline__, __unused__)) bool xt2_track_maps(const struct xt2_pkt *pkt)
{
	__u8 icmp = pkt->family == XT2_IPV6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP;

	if (pkt->notrack)
		return false;
	if (pkt->ct.state & XT2_CT_RELATED)
		return pkt->l4 != XT2_L4_OK || pkt->proto != icmp;
	return pkt->ct.state & XT2_CT_NEW;
}

#endif
