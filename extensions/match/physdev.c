/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * physdev.c - the bridge ports of a bridged packet
 *
 * As xt_physdev.  A packet that no bridge has seen hits only what is inverted
 * throughout.  A bridged packet without an input port passes a test of the
 * port's name, one without an output port fails it: the kernel's own
 * asymmetry.
 */
#include "payload.h"

enum { ABSENT, NAME_BYTES = 16 };

/* Words that a name of this form takes; ~0: no such form. */
static u32 words(u32 form)
{
	if (form == XT2_PHYSDEV_MASKED)
		return 4;
	return form > NAME_BYTES ? ~0u : (form + 7) / 8;
}

static u32 in_form(const struct xt2_match __img *m)
{
	return m->arg >> 16 & 0xff;
}

static u32 out_form(const struct xt2_match __img *m)
{
	return m->arg >> 24;
}

static bool equal(u32 form, const __u64 __img *w, const u64 *name)
{
	if (form == ABSENT)
		return true;
	if (form == XT2_PHYSDEV_MASKED)
		return xt2_name_masked(w, w + 2, name);
	return xt2_name_equal(w, form, name);
}

static int bridged_match(const struct xt2_match __img *m, const struct xt2_pkt *pkt)
{
	const struct xt2_match_physdev __img *k = (const void __img *)m;
	u32 invert = m->arg & 0xff, bits = m->arg >> 8 & 0xff;
	bool in = pkt->physin[0], out = pkt->physout[0];
	const __u64 __img *w = k->word;

	if (bits & XT2_PHYSDEV_BRIDGED && out == !!(invert & XT2_PHYSDEV_BRIDGED))
		return XT2_MISS;
	if (bits & XT2_PHYSDEV_ISIN && in == !!(invert & XT2_PHYSDEV_ISIN))
		return XT2_MISS;
	if (bits & XT2_PHYSDEV_ISOUT && out == !!(invert & XT2_PHYSDEV_ISOUT))
		return XT2_MISS;
	if (bits & XT2_PHYSDEV_IN && in &&
	    equal(in_form(m), w, pkt->physin) == !!(invert & XT2_PHYSDEV_IN))
		return XT2_MISS;
	if (!(bits & XT2_PHYSDEV_OUT))
		return XT2_HIT;
	w += words(in_form(m));
	if (!out || equal(out_form(m), w, pkt->physout) == !!(invert & XT2_PHYSDEV_OUT))
		return XT2_MISS;
	return XT2_HIT;
}

int xt2_physdev_match(const struct xt2_match __img *m, struct xt2_ctx *ctx)
{
	if (xt2_ctx_pkt(ctx)->bridged)
		return bridged_match(m, xt2_ctx_pkt(ctx));
	return m->arg >> 8 & ~m->arg & XT2_PHYSDEV_BITS ? XT2_MISS : XT2_HIT;
}

int xt2_physdev_check(const struct xt2_match __img *m, u8 family)
{
	u32 in = words(in_form(m)), out = words(out_form(m)), bits = m->arg >> 8 & 0xff;

	if (m->flags || !bits || bits & ~XT2_PHYSDEV_BITS || in > 4 || out > 4)
		return -EINVAL;
	return m->size == sizeof(*m) + 8 * (in + out) ? 0 : -EINVAL;
}
