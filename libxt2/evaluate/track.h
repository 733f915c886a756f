/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - what a table knows of conntrack, by its priority
 *
 * The tracker runs at its own priority among the tables: raw comes before it
 * and sees packets without a state, whatever the caller knows about them;
 * what raw says with NOTRACK holds for all tables that follow.
 */
#ifndef XT2_LIBXT2_EVALUATE_TRACK_H
#define XT2_LIBXT2_EVALUATE_TRACK_H

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

#endif
