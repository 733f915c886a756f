/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ports.h - one port of TCP or UDP: what most rules of servers ask for
 *
 * The evaluator has this in its own loop.  A call costs more than the test,
 * most of all in a BPF program.
 */
#ifndef XT2_ENGINE_PORTS_H
#define XT2_ENGINE_PORTS_H

#include "eval.h"

#define XT2_TCP_HEADER_ 20u
#define XT2_UDP_HEADER_ 8u

static __always_inline bool xt2_within_(u32 first, u32 last, u32 value)
{
	return value >= first && value <= last;
}

/* => XT2_HIT or XT2_MISS of the forms for one port; else, or if there is no such header, -1 */
static __always_inline int xt2_one_port_(const struct xt2_match __img *m, const struct xt2_pkt *pkt,
					 u32 header)
{
	u8 form = m->flags & XT2_PORTS_FORM;
	u16 port = form == XT2_PORTS_DST ? pkt->dport : pkt->sport;

	if ((form != XT2_PORTS_DST && form != XT2_PORTS_SRC) || pkt->fragoff ||
	    pkt->caplen < header || pkt->thoff > pkt->caplen - header)
		return -1;
	return xt2_answer(m, xt2_within_((u16)m->arg, m->arg >> 16, port));
}

#endif
